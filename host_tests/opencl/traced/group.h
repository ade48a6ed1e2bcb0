/* group.h: a work-group of a staged kernel, run on the host with each of its accesses to memory
 * written down.
 *
 * The kernels are those of cl/, compiled as C; the compiler itself puts the calls that note an
 * access in front of each (as it does for a thread sanitizer). Work-items are coroutines, so that
 * barriers are what they are on a device. */
#ifndef HOST_TESTS_OPENCL_TRACED_GROUP_H
#define HOST_TESTS_OPENCL_TRACED_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRACED_GROUP_SIZE = 64 };

typedef struct traced_arguments {
  void *destination;
  const void *grid;
  const void *source;
  const void *tables;
  void *local;
} traced_arguments;

typedef void traced_kernel(const traced_arguments *with);

/* Where an access went. */
typedef enum traced_space {
  TRACED_SOURCE = 0,
  TRACED_DESTINATION = 1,
  TRACED_TABLES = 2,
  TRACED_LOCAL = 3,
  TRACED_ELSEWHERE = 4 /* the grid, a work-item's own variables */
} traced_space;

/* An access, by one work-item. The same `instruction` for the `occurrence`-th time in a round of
 * the kernel's loops is what the work-items of a sub-group do at once. */
typedef struct traced_access {
  uintptr_t address;
  uintptr_t instruction;
  uint32_t round;
  uint32_t occurrence;
  uint16_t item;
  uint8_t space;
  uint8_t bytes;
} traced_access;

/* Sizes of what the kernel can touch, in bytes. */
typedef struct traced_memory {
  traced_arguments arguments;
  size_t source_size;
  size_t destination_size;
  size_t tables_size;
  size_t local_size; /* 0: the kernel has a variable of its own, outside of everything else */
} traced_memory;

/* Runs one work-group, and returns its accesses, sorted by sub-groups of 32, instruction,
 * round and occurrence. The list lives until the next call. */
const traced_access *traced_run(traced_kernel *kernel, const traced_memory *memory, size_t group,
                                size_t *count);

/* What kernels ask. */
size_t traced_group_id(void);
size_t traced_local_id(void);
void traced_barrier(void);

#endif
