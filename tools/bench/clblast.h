/* clblast.h: the transposition of CLBlast, where that library is installed: it is looked for when the
 * command runs, and needed neither to build it nor to run it. Depends on OpenCL. */
#ifndef TOOLS_BENCH_CLBLAST_H
#define TOOLS_BENCH_CLBLAST_H

#include <stdbool.h>
#include <stddef.h>

#include "relayout/opencl.h"

typedef struct clblast clblast;

/* NULL where it is not installed. */
clblast *clblast_open(void);
void clblast_close(clblast *library);

/* The transpose of a matrix, row-major as its result is; pitches count elements. */
typedef struct clblast_transposition {
  size_t element_bytes; /* 4 (taken for f32), 8 (f64) or 16 (complex f64) */
  size_t rows;          /* of the source */
  size_t columns;
  size_t source_pitch;
  size_t destination_pitch;
} clblast_transposition;

/* Offsets are in bytes, whole elements. Returns a status of OpenCL or of CLBlast, 0 being success. */
cl_int clblast_transpose(const clblast *library, const clblast_transposition *of,
                         cl_command_queue queue, cl_mem source, size_t source_offset,
                         cl_mem destination, size_t destination_offset, cl_event *event);

#endif
