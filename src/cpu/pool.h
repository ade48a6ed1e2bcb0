/* pool.h: the library's own threads, which all CPU devices of a process share.
 *
 * Whoever has tasks works on them, and threads that have nothing else to do help. So a call gets
 * done with as many of them as there are, or with none: a thread that the system refuses is one
 * fewer. They are started by the first call that wants them and end with the last user. After a
 * fork the child has none, whatever the parent's were doing, and starts its own.
 *
 * Depends on base/forks.h, machine/processors.h and POSIX threads.
 */
#ifndef RLT_CPU_POOL_H
#define RLT_CPU_POOL_H

#include <stddef.h>
#include <stdint.h>

/* One more user of the pool. */
void rlt_pool_open(void);
/* One fewer; the last one waits until the threads have ended. */
void rlt_pool_close(void);

/* Calls task(data, i) once for each i in 0 .. count-1, 0 on the calling thread, and returns when
 * all have returned. Any number of threads may do so at once. */
void rlt_pool_run(int32_t count, void (*task)(void *data, size_t i), void *data);

#endif
