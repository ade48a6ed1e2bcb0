/* noise.h: bytes for benchmarks to move. Depends on nothing. */
#ifndef TOOLS_BENCH_NOISE_H
#define TOOLS_BENCH_NOISE_H

#include <stddef.h>

/* Fills memory, whole words of 8 bytes, with bytes that do not repeat; the same each time. */
void bench_fill_noise(void *memory, size_t size);

#endif
