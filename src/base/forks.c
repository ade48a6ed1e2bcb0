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

static void prepare(void) {
  is_prepared = pthread_atfork(before_fork, after_fork, after_fork) == 0;
}

static bool add(pthread_mutex_t *mutex) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, prepare);
  listed *const made = is_prepared ? malloc(sizeof *made) : NULL;
  if (made == NULL) {
    return false;
  }
  pthread_mutex_lock(&list_mutex);
  *made = (listed){.mutex = mutex, .next = list};
  list = made;
  pthread_mutex_unlock(&list_mutex);
  return true;
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
