/* forks.h: mutexes that a child of fork() finds free, and what they guard whole. Depends on POSIX
 * threads.
 *
 * A thread that forks waits until it has all of them, so a thread that holds one must not want
 * another.
 */
#ifndef RLT_BASE_FORKS_H
#define RLT_BASE_FORKS_H

#include <pthread.h>
#include <stdbool.h>

/* False when there is no memory. */
bool rlt_mutex_initialize(pthread_mutex_t *mutex);
/* Only for mutexes that have been initialized. */
void rlt_mutex_destroy(pthread_mutex_t *mutex);

#endif
