/* assembly_tables.h: what the kernels of cl/assembly.cl read of an assembly. Depends on device.h and
 * plan/assembly.h. */
#ifndef RLT_OPENCL_ASSEMBLY_TABLES_H
#define RLT_OPENCL_ASSEMBLY_TABLES_H

#include <stddef.h>

#include "opencl/device.h"
#include "plan/strategy.h"

/* What the kernels load and store at once, as cl/line.cl has it. */
enum { RLT_ASSEMBLY_LINE_BYTES = 64 };

/* The tables as bytes, to be freed by the caller. RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_assembly_tables_make(const rlt_problem *problem, const rlt_strategy *strategy,
                                         bool wide, void **tables, size_t *size,
                                         relayout_error *error);

#endif
