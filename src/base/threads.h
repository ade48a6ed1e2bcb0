/* threads.h: starting threads of the library's own. Depends on POSIX threads. */
#ifndef RLT_BASE_THREADS_H
#define RLT_BASE_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Starts a thread with a stack of so many bytes, and no signals: their handlers belong on the
 * caller's threads. Those that an instruction raises stay, for who handles them. False where the
 * system has no thread to give. */
bool rlt_thread_start(pthread_t *thread, size_t stack_bytes, void *(*run)(void *argument),
                      void *argument);

/* Calls run(argument), and returns when it has returned: on a thread with as much stack as a
 * process's first one, for what may need more than the caller's has left; where there is no such
 * thread, on the caller's. */
void rlt_run_on_large_stack(void (*run)(void *argument), void *argument);

#endif
