/* pool.h: threads as a caller of the library might have them, lent through relayout_parallel_for,
 * and for plain copies. They look for work for a moment before they sleep. Depends on POSIX threads
 * alone. */
#ifndef TOOLS_BENCH_POOL_H
#define TOOLS_BENCH_POOL_H

#include <stddef.h>

typedef struct pool pool;

/* `threads` of them, the calling one included; at least 1. NULL where they cannot be had. */
pool *pool_create(size_t threads);
void pool_destroy(pool *made); /* NULL is allowed */
size_t pool_threads(const pool *of);

/* A relayout_parallel_for whose context is a pool. One call at a time. */
void pool_parallel_for(void *context, size_t count, void (*task)(void *task_data, size_t i),
                       void *task_data);

#endif
