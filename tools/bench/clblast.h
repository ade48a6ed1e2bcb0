/* clblast.h: the transposition of CLBlast, where that library is installed: it is
 * looked for when the command runs, and needed neither to build it nor to run it.
 * Depends on OpenCL and strided.h. */
#ifndef TOOLS_BENCH_CLBLAST_H
#define TOOLS_BENCH_CLBLAST_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stddef.h>

#include "strided.h"

typedef struct clblast clblast;

/* NULL where it is not installed. */
clblast *clblast_open(void);
void clblast_close(clblast *library);

/* Offsets are in bytes, whole elements. Returns a status of OpenCL or of
 * CLBlast, 0 being success. */
cl_int clblast_transpose(const clblast *library, const bench_transposition *of,
                         cl_command_queue queue, cl_mem source, size_t source_offset,
                         cl_mem destination, size_t destination_offset, cl_event *event);

#endif
