/* host_memory.h: large buffers in pages of a known size, which no setting of the system changes.
 * Depends on fail.h. */
#ifndef TOOLS_BENCH_HOST_MEMORY_H
#define TOOLS_BENCH_HOST_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "relayout/status.h"

typedef enum host_pages {
  HOST_PAGES_ORDINARY, /* the system's smallest, 4 KiB nearly everywhere */
  HOST_PAGES_HUGE      /* 2 MiB, where the system gives them */
} host_pages;

typedef struct host_memory {
  uint8_t *bytes; /* zeros, every page touched; they begin at a multiple of 2 MiB */
  size_t size;
  void *mapping; /* what the bytes lie in */
  size_t mapping_size;
} host_memory;

/* RELAYOUT_OUT_OF_MEMORY, also where huge pages are asked for and the system does not give all of
 * them. */
relayout_status host_memory_create(size_t size, host_pages pages, host_memory *made,
                                   relayout_error *error);

/* A memory of zeros has nothing to free, and is what is left. */
void host_memory_free(host_memory *memory);

#endif
