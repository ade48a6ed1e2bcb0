/* tour.h: one call of a program, and a worker's way through its tiles. Depends on program.h. */
#ifndef RLT_CPU_TOUR_H
#define RLT_CPU_TOUR_H

#include <stdatomic.h>

#include "cpu/program.h"

/* One call: its workers take blocks in turn until none is left. */
typedef struct rlt_cpu_call {
  const rlt_cpu_program *made;
  const uint8_t *source;
  uint8_t *destination;
  rlt_cpu_kept_scratch *kept_scratch;
  rlt_cpu_scratch *own; /* the first worker's; NULL where tiles are not put together */
  _Atomic int64_t next; /* the first block that nobody has taken */
} rlt_cpu_call;

/* A worker's way through its blocks. */
typedef struct rlt_cpu_tour {
  rlt_cpu_call *call;
  int64_t block; /* to go on with after this one */
  rlt_walk walk;
} rlt_cpu_tour;

/* To the next tile; false if none is left. */
bool rlt_cpu_tour_step(rlt_cpu_tour *at);
rlt_cpu_tile rlt_cpu_tour_tile(const rlt_cpu_tour *at);

/* Moves all tiles of a tour by putting them together here first. */
void rlt_cpu_run_staged(rlt_cpu_tour *at, rlt_cpu_scratch *here);

#endif
