/* kernel_text.h: the kernel of a schedule as a text that stands alone.
 *
 * Depends on spec.h, emit/source.h and base/.
 */
#ifndef RLT_GPU_KERNEL_TEXT_H
#define RLT_GPU_KERNEL_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "emit/source.h"
#include "schedule/schedule.h"

/* What a kernel's program-scope constants may take: devices have 64 KiB. */
enum { RLT_MOST_TABLE_BYTES = 48 << 10 };

/* How many bytes each side's memory begins before the lowest byte that the plan uses of it. */
typedef struct rlt_sides_before {
  int64_t source;
  int64_t destination;
} rlt_sides_before;

typedef struct rlt_alone_kernel {
  rlt_source source; /* without any comment */
  int64_t group_count;
  int64_t group_size;
  int64_t local_bytes;
  bool has_source;
} rlt_alone_kernel;

/* RELAYOUT_UNSUPPORTED for a schedule with larger tables, RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_kernel_text_make(const rlt_schedule *schedule, rlt_sides_before before,
                                     const char *name, rlt_source_dialect dialect,
                                     rlt_alone_kernel *made, relayout_error *error);

#endif
