#include "base/forks.h"

#include <stddef.h>
#include <stdlib.h>

typedef struct listed {
  pthread_mutex_t *mutex;
  struct listed *next;
} listed;

static pthread_mutex_t list_mutex = PTHREAD_MUTEX_INITIALIZER;
static listed *list;
static bool is_prepared;

static void before_fork(void) {
  pthread_mutex_lock(&list_mutex);
  for (const listed *at = list; at != NULL; at = at->next) {
    pthread_mutex_lock(at->mutex);
  }
}

/* In the parent and in the child. */
static void after_fork(void) {
  for (const listed *at = list; at != NULL; at = at->next) {
    pthread_mutex_unlock(at->mutex);
  }
  pthread_mutex_unlock(&list_mutex);
}

/* Under the list's mutex. What failed once for want of memory may go well the next time. */
static bool prepare(void) {
  if (!is_prepared) {
    is_prepared = pthread_atfork(before_fork, after_fork, after_fork) == 0;
  }
  return is_prepared;
}

static bool add(pthread_mutex_t *mutex) {
  listed *const made = malloc(sizeof *made);
  if (made == NULL) {
    return false;
  }
  pthread_mutex_lock(&list_mutex);
  const bool is_added = prepare();
  if (is_added) {
    *made = (listed){.mutex = mutex, .next = list};
    list = made;
  }
  pthread_mutex_unlock(&list_mutex);
  if (!is_added) {
    free(made);
  }
  return is_added;
}

static void leave_out(const pthread_mutex_t *mutex) {
  pthread_mutex_lock(&list_mutex);
  listed **at = &list;
  while ((*at)->mutex != mutex) {
    at = &(*at)->next;
  }
  listed *const found = *at;
  *at = found->next;
  pthread_mutex_unlock(&list_mutex);
  free(found);
}

bool rlt_mutex_initialize(pthread_mutex_t *mutex) {
  if (pthread_mutex_init(mutex, NULL) != 0) {
    return false;
  }
  if (!add(mutex)) {
    pthread_mutex_destroy(mutex);
    return false;
  }
  return true;
}

void rlt_mutex_destroy(pthread_mutex_t *mutex) {
  leave_out(mutex);
  pthread_mutex_destroy(mutex);
}
