/* host_fill.h: fills host memory, by several threads. Depends on pool.h. */
#ifndef TOOLS_BENCH_HOST_FILL_H
#define TOOLS_BENCH_HOST_FILL_H

#include <stddef.h>

#include "pool.h"

/* Fills memory with an element of 1, 2, 4, 8 or 16 bytes over and over. */
void host_fill_run(pool *threads, void *to, size_t size, const void *element, size_t element_bytes);

#endif
