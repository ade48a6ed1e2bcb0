/* host_fill.h: fills host memory, by several threads where the build has OpenMP. Depends on the C
 * library alone. */
#ifndef TOOLS_BENCH_HOST_FILL_H
#define TOOLS_BENCH_HOST_FILL_H

#include <stddef.h>

/* Fills memory with an element of 1, 2, 4, 8 or 16 bytes over and over. */
void host_fill_run(int threads, void *to, size_t size, const void *element, size_t element_bytes);

#endif
