/* unpacking.h: a tile's packed elements, unpacked or bit-transposed before anything else is done
 * with them.
 *
 * The runs of a tile in the source are put beside each other, a byte an element or as bytes that
 * the destination has too, and the tile is moved from there: to the kernels that is the source.
 *
 * Depends on rows.h, plan/unpacking.h and plan/grid.h.
 */
#ifndef RLT_CPU_UNPACKING_H
#define RLT_CPU_UNPACKING_H

#include "cpu/rows.h"
#include "plan/grid.h"
#include "plan/schedule.h"
#include "plan/unpacking.h"

/* All runs of a tile. */
#define RLT_CPU_UNPACKED_BYTES rlt_unpacking_bytes(RLT_CPU_PACKED_STAGING_BYTES)

/* A run, and at which steps of the groups' last axes it lies. */
typedef struct rlt_cpu_run {
  int64_t source; /* elements from the tile's start */
  int64_t place;  /* bytes from the first run's place */
  int64_t column_step;
  int64_t row_step;
} rlt_cpu_run;

typedef struct rlt_cpu_unpacking {
  rlt_unpacking layout;
  rlt_cpu_run *runs;
  int64_t bits; /* of an element in the source, or of one that is transposed */
  int64_t rows; /* runs that bits are transposed among, one after the other; 1: none */
  rlt_cpu_bit_transpose *transpose; /* NULL where they are unpacked */
  int64_t column_inner, row_inner;
} rlt_cpu_unpacking;

/* RELAYOUT_OUT_OF_MEMORY. What is made is freed with rlt_cpu_unpacking_free,
 * also after a failure. */
relayout_status rlt_cpu_unpacking_make(const rlt_cpu_instruction_set *set,
                                       const rlt_schedule *schedule, rlt_cpu_unpacking *unpacking,
                                       relayout_error *error);
void rlt_cpu_unpacking_free(rlt_cpu_unpacking *unpacking);

/* Unpacks what a tile reads. `unpacked` takes RLT_CPU_UNPACKED_BYTES, and the tile's source lies
 * RLT_AROUND_RUN behind its start. */
void rlt_cpu_unpack(const rlt_cpu_unpacking *unpacking, const rlt_cpu_codec *codec,
                    const uint8_t *source, const rlt_tile *tile, uint8_t *unpacked);

#endif
