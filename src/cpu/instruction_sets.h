/* instruction_sets.h: the kernels for what processors can do. Depends on
 * kernels.h, row_passes.h and scale_passes.h. */
#ifndef RLT_CPU_INSTRUCTION_SETS_H
#define RLT_CPU_INSTRUCTION_SETS_H

#include "cpu/kernels.h"
#include "cpu/row_passes.h"
#include "cpu/scale_passes.h"
#include "relayout/status.h"

typedef struct rlt_cpu_instruction_set {
  const char *name;       /* avx512vbmi, avx512, avx2, sse41, sse2, neon or plain */
  bool (*is_there)(void); /* whether this processor has it */
  const rlt_cpu_line_kernels *lines;
  const rlt_cpu_kernels *kernels[5]; /* for elements of 1, 2, 4, 8 and 16 bytes */
  const rlt_cpu_row_passes *rows;
  const rlt_cpu_scale_passes *scales;
  rlt_cpu_pass *const *bytes; /* in place of those of `rows`, where not NULL */
} rlt_cpu_instruction_set;

/* All that this library was built for, the best first; ends with one of no name. */
extern const rlt_cpu_instruction_set rlt_cpu_instruction_sets[];

/* The one that RELAYOUT_CPU_INSTRUCTIONS names, or the best that the processor has where that is
 * unset or empty. RELAYOUT_INVALID_ARGUMENT for an unknown name, RELAYOUT_UNSUPPORTED for one
 * that the processor has not. */
relayout_status rlt_cpu_instruction_set_choose(const rlt_cpu_instruction_set **chosen,
                                               relayout_error *error);

#endif
