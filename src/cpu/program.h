/* program.h: what the CPU runs for one schedule.
 *
 * Depends on device.h, kernels.h, unpacking.h, rows.h, walk.h and plan/schedule.h.
 */
#ifndef RLT_CPU_PROGRAM_H
#define RLT_CPU_PROGRAM_H

#include <stdbool.h>

#include "cpu/device.h"
#include "cpu/kernels.h"
#include "cpu/rows.h"
#include "cpu/unpacking.h"
#include "cpu/walk.h"
#include "plan/grid.h"
#include "plan/schedule.h"

/* How tiles are moved. */
typedef enum rlt_cpu_way {
  RLT_CPU_STRAIGHT,  /* run by run */
  RLT_CPU_STRIDED,   /* element by element, */
  RLT_CPU_LOOKED_UP, /* or so, where elements change or steps lead to them */
  RLT_CPU_FILLED,    /* with packed elements */
  RLT_CPU_TABLES,    /* by tables, straight to the destination */
  RLT_CPU_STAGED     /* by tables, put together first */
} rlt_cpu_way;

/* Constant once it is made; all that changes during a call lives on that call's stack and in
 * scratch. */
typedef struct rlt_cpu_program {
  const rlt_schedule *schedule;
  const rlt_problem *problem; /* the schedule's */
  const rlt_cpu_kernels *kernels;
  rlt_cpu_way way;
  rlt_grid grid;
  rlt_cpu_frame frame;
  rlt_cpu_table_kernel *gather;
  rlt_cpu_codec *codec;        /* NULL where elements stay as they are */
  rlt_cpu_unpacking unpacking; /* of packed elements */
  bool unpacks;                /* tiles are put together from memory of the worker's own */
  bool encodes;                /* words become other elements, or packed ones */
  bool merges;                 /* staged ones leave for bytes that other tiles write too */
  int64_t
      last_source; /* tiles that start there, or before, have a line behind all that they read */
  rlt_order order;
  rlt_links links; /* the order's loops that lines are combined along */
} rlt_cpu_program;

/* Moves one part. RELAYOUT_OUT_OF_MEMORY, with nothing written. */
relayout_status rlt_cpu_program_run(relayout_device *device, const void *program,
                                    const void *source, void *destination, relayout_error *error);

/* The rlt_backend functions of these names. */
relayout_status rlt_cpu_program_create(relayout_device *device, const rlt_schedule *schedule,
                                       void **program, int64_t *most_group_size,
                                       relayout_error *error);
void rlt_cpu_program_destroy(relayout_device *device, void *program);
relayout_status rlt_cpu_execute(relayout_device *device, const rlt_work *all, const void *source,
                                void *destination, relayout_error *error);
relayout_status rlt_cpu_scratch_create(relayout_device *device, size_t source_size,
                                       size_t destination_size, void **scratch,
                                       relayout_error *error);
void rlt_cpu_scratch_destroy(relayout_device *device, void *scratch);
relayout_status rlt_cpu_program_time(relayout_device *device, const void *program, void *scratch,
                                     rlt_offsets offsets, double *seconds, relayout_error *error);
void rlt_cpu_program_describe(const relayout_device *device, const void *program, rlt_text *text);

#endif
