/* scratch.h: the memory in which a worker puts tiles together.
 *
 * It is too large for a stack, and has to be in the worker's own caches. So a device keeps those
 * that were used, and a thread gets the same one from call to call, unless another one needed it
 * meanwhile.
 *
 * Depends on kernels.h and cpu/unpacked_tile.h.
 */
#ifndef RLT_CPU_SCRATCH_H
#define RLT_CPU_SCRATCH_H

#include <stdint.h>

#include "cpu/kernels.h"
#include "cpu/unpacked_tile.h"
#include "relayout/status.h"

/* All that a tile reads of packed elements, a byte an element. */
#define RLT_CPU_UNPACKED_BYTES rlt_unpacking_bytes(RLT_CPU_TILE_BUFFER_BYTES)

/* A line may be read before a tile. What nobody has written is 0. */
typedef struct rlt_cpu_scratch {
  _Alignas(RLT_CPU_LINE_BYTES) uint8_t before_buffered[RLT_CPU_LINE_BYTES];
  uint8_t buffered[RLT_CPU_TILE_BUFFER_BYTES];
  uint8_t before_encoded[RLT_CPU_LINE_BYTES];
  uint8_t encoded[RLT_CPU_TILE_BUFFER_BYTES];
  uint8_t unpacked[RLT_CPU_UNPACKED_BYTES];
  rlt_cpu_partial_lines partial; /* which hold nothing, and do not go on, but in a tour */
  void *memory;                  /* what it lies in */
} rlt_cpu_scratch;

/* The unused scratch memory that a device keeps. Threads may use it at the same time. */
typedef struct rlt_cpu_kept_scratch rlt_cpu_kept_scratch;

/* For as many threads at once, or more, whose scratch is then not kept. RELAYOUT_OUT_OF_MEMORY.
 */
relayout_status rlt_cpu_kept_scratch_create(int32_t threads, rlt_cpu_kept_scratch **kept_scratch,
                                            relayout_error *error);
void rlt_cpu_kept_scratch_destroy(rlt_cpu_kept_scratch *kept_scratch);
/* Frees all that is kept, but for what is set aside. */
void rlt_cpu_kept_scratch_trim(rlt_cpu_kept_scratch *kept_scratch);
/* Sets one scratch aside for calls that cannot fail: from then on rlt_cpu_scratch_take_first always
 * has one. Before any call. RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_cpu_kept_scratch_set_aside(rlt_cpu_kept_scratch *kept_scratch,
                                               relayout_error *error);

/* A kept one, or a new one; NULL when there is no memory. */
rlt_cpu_scratch *rlt_cpu_scratch_take(rlt_cpu_kept_scratch *from);
/* The same for the first worker of a call: where there is no memory it waits for the one that was
 * set aside, and only where none was it is NULL. */
rlt_cpu_scratch *rlt_cpu_scratch_take_first(rlt_cpu_kept_scratch *from);
/* NULL is allowed. */
void rlt_cpu_scratch_give_back(rlt_cpu_kept_scratch *to, rlt_cpu_scratch *used);

#endif
