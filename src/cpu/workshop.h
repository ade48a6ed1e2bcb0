/* workshop.h: the memory in which a worker puts tiles together.
 *
 * It is too large for a stack, and has to be in the worker's own caches. So a device keeps those
 * that were used, and a thread gets the same one from call to call, unless another one needed it
 * meanwhile.
 *
 * Depends on arrival.h and kernels.h.
 */
#ifndef RLT_CPU_WORKSHOP_H
#define RLT_CPU_WORKSHOP_H

#include <stdint.h>

#include "cpu/arrival.h"
#include "cpu/kernels.h"
#include "relayout/status.h"

/* A line may be read before a tile. What nobody has written is 0. */
typedef struct rlt_cpu_workshop {
  _Alignas(RLT_CPU_LINE_BYTES) uint8_t before_assembled[RLT_CPU_LINE_BYTES];
  uint8_t assembled[RLT_CPU_PACKED_ASSEMBLY_BYTES];
  uint8_t before_encoded[RLT_CPU_LINE_BYTES];
  uint8_t encoded[RLT_CPU_PACKED_ASSEMBLY_BYTES];
  uint8_t unpacked[RLT_CPU_ARRIVAL_BYTES];
  rlt_cpu_carry carry;
  void *memory; /* what it lies in */
} rlt_cpu_workshop;

/* Those that a device keeps while nobody uses them. Any number of threads may use it at once. */
typedef struct rlt_cpu_workshops rlt_cpu_workshops;

/* For as many threads at once, or more, whose workshops are then not kept. RELAYOUT_OUT_OF_MEMORY.
 */
relayout_status rlt_cpu_workshops_create(int32_t threads, rlt_cpu_workshops **workshops,
                                         relayout_error *error);
void rlt_cpu_workshops_destroy(rlt_cpu_workshops *workshops);

/* A kept one, or a new one; NULL when there is no memory. */
rlt_cpu_workshop *rlt_cpu_workshop_take(rlt_cpu_workshops *from);
/* NULL is allowed. */
void rlt_cpu_workshop_give_back(rlt_cpu_workshops *to, rlt_cpu_workshop *used);

#endif
