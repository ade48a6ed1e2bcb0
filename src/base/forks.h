/* forks.h: mutexes that a child of fork() finds free, and what they guard whole. Depends on POSIX
 * threads.
 *
 * A thread that forks waits until it has all of them. So a thread that holds one must not want
 * another, nor call what is declared here.
 */
#ifndef RLT_BASE_FORKS_H
#define RLT_BASE_FORKS_H

#include <pthread.h>
#include <stdbool.h>

/* False when there is no memory. */
bool rlt_mutex_initialize(pthread_mutex_t *mutex);
/* Only for mutexes that have been initialized. */
void rlt_mutex_destroy(pthread_mutex_t *mutex);

/* A mutex that forks wait for. */
typedef struct rlt_fork_guard {
  pthread_mutex_t *mutex;
  void (*in_child)(void); /* what the child calls before it lets go of the mutex; or NULL. It
                             allocates and frees nothing: the allocator is the caller's */
  bool is_listed;         /* false at first; this and the next one are forks.c's */
  struct rlt_fork_guard *next;
} rlt_fork_guard;

/* For a static mutex: makes forks wait for it from now on. Of a guard that is listed already it
 * changes nothing. False when there is no memory. */
bool rlt_fork_guard_list(rlt_fork_guard *guard);

#endif
