/* spec.h: a schedule as what a kernel is compiled with and given, whatever API launches it: a
 * backend adds calls, and no decisions.
 *
 * Depends on kernel_options.h, tables.h, schedule/schedule.h and convert/.
 */
#ifndef RLT_GPU_SPEC_H
#define RLT_GPU_SPEC_H

#include "convert/convert.h"
#include "gpu/kernel_options.h"
#include "gpu/tables.h"
#include "schedule/schedule.h"

/* A kernel's arguments are the destination and where it starts, the grid unless the kernel is
 * specialised, the fill, the source and where it starts, but not of fills; then, where they are
 * there: tables, local memory, conversions or a scale. */
typedef struct rlt_launch_spec {
  rlt_kernel_options options;
  rlt_blob grid;        /* with its loops */
  char *constants;      /* the text of a specialised kernel's; else NULL */
  rlt_blob tables;      /* of where a tile's rows and columns lie, or an index program */
  rlt_blob conversions; /* what each word of the source becomes */
  bool has_scale;
  rlt_scale_factor scale;
  int64_t group_count;
  int64_t local_bytes; /* that a work-group takes */
  int64_t table_bytes; /* of tables in the text of constants */
} rlt_launch_spec;

/* Offsets within a tile that reach farther than `most_offset` take 64 bits. What is made is freed
 * with rlt_launch_spec_free, also after a failure: RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_launch_spec_make(const rlt_schedule *schedule, int64_t most_offset,
                                     rlt_launch_spec *spec, relayout_error *error);

/* The same for a specialised kernel whose text is handed out: the sides are its only arguments,
 * each with its start in bytes. */
relayout_status rlt_launch_spec_make_alone(const rlt_schedule *schedule, int64_t most_offset,
                                           rlt_launch_spec *spec, relayout_error *error);
void rlt_launch_spec_free(rlt_launch_spec *spec);

#endif
