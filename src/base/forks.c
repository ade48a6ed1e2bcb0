/* forks.c: the list of all mutexes that forks wait for, and the only handlers that the library
 * gives to pthread_atfork. */
#include "base/forks.h"
#include "base/memory.h"

#include <stddef.h>

static pthread_mutex_t list_mutex = PTHREAD_MUTEX_INITIALIZER;
static rlt_fork_guard *list;
static bool has_handlers;

static void before_fork(void) {
  pthread_mutex_lock(&list_mutex);
  for (const rlt_fork_guard *at = list; at != NULL; at = at->next) {
    pthread_mutex_lock(at->mutex);
  }
}

static void release_all(void) {
  for (const rlt_fork_guard *at = list; at != NULL; at = at->next) {
    pthread_mutex_unlock(at->mutex);
  }
  pthread_mutex_unlock(&list_mutex);
}

static void in_child(void) {
  for (const rlt_fork_guard *at = list; at != NULL; at = at->next) {
    if (at->in_child != NULL) {
      at->in_child();
    }
  }
  release_all();
}

/* What failed once for want of memory may go well the next time. */
bool rlt_fork_guard_list(rlt_fork_guard *guard) {
  pthread_mutex_lock(&list_mutex);
  has_handlers = has_handlers || pthread_atfork(before_fork, release_all, in_child) == 0;
  if (has_handlers && !guard->is_listed) {
    guard->is_listed = true;
    guard->next = list;
    list = guard;
  }
  const bool is_listed = guard->is_listed;
  pthread_mutex_unlock(&list_mutex);
  return is_listed;
}

bool rlt_mutex_initialize(pthread_mutex_t *mutex) {
  rlt_fork_guard *const guard = rlt_malloc(sizeof *guard);
  if (guard == NULL || pthread_mutex_init(mutex, NULL) != 0) {
    rlt_free(guard);
    return false;
  }
  *guard = (rlt_fork_guard){.mutex = mutex};
  if (!rlt_fork_guard_list(guard)) {
    pthread_mutex_destroy(mutex);
    rlt_free(guard);
    return false;
  }
  return true;
}

void rlt_mutex_destroy(pthread_mutex_t *mutex) {
  pthread_mutex_lock(&list_mutex);
  rlt_fork_guard **at = &list;
  while ((*at)->mutex != mutex) {
    at = &(*at)->next;
  }
  rlt_fork_guard *const found = *at;
  *at = found->next;
  pthread_mutex_unlock(&list_mutex);
  rlt_free(found);
  pthread_mutex_destroy(mutex);
}
