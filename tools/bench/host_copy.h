/* host_copy.h: plain copies of host memory, by several threads. Depends on pool.h and the
 * processor's instructions. */
#ifndef TOOLS_BENCH_HOST_COPY_H
#define TOOLS_BENCH_HOST_COPY_H

#include <stddef.h>

#include "pool.h"

/* Copies whole lines of 64 bytes between lines of memory. */
typedef void (*host_copy)(void *to, const void *from, size_t size);

typedef struct host_copy_kind {
  const char *name;
  host_copy copy;
} host_copy_kind;

/* The kinds this processor has, memcpy first; `kinds` has room for 3. */
size_t host_copy_list(host_copy_kind kinds[3]);

/* Lets the threads copy, share by share; NULL: the calling one alone. */
void host_copy_run(host_copy copy, pool *threads, void *to, const void *from, size_t size);

#endif
