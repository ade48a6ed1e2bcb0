/* program.h: a strategy on an OpenCL device: the backend's program. Depends on launch.h. */
#ifndef RLT_OPENCL_PROGRAM_H
#define RLT_OPENCL_PROGRAM_H

#include "opencl/launch.h"
#include "plan/part.h"

/* Two launches do the same in words of different widths. Which one an enqueue can use depends on
 * its offsets, so both are ready. */
typedef struct rlt_opencl_program {
  rlt_launch *elements; /* in elements, at any offset */
  rlt_launch *words;    /* in words of several elements, where both sides start at whole words; NULL
                           where that gains nothing, or the strides or the wanted kind forbid it */
} rlt_opencl_program;

/* The launch that an enqueue on these places takes. */
rlt_launch *rlt_opencl_program_launch(const rlt_opencl_program *program, rlt_place source,
                                      rlt_place destination);

/* What rlt_backend says of these. */
rlt_traits rlt_opencl_traits(const relayout_device *device, int64_t element_bytes);
relayout_status rlt_opencl_program_create(relayout_device *device, const rlt_problem *problem,
                                          const rlt_strategy *strategy, void **program,
                                          relayout_error *error);
void rlt_opencl_program_destroy(relayout_device *device, void *program);
relayout_status rlt_opencl_execute(relayout_device *device, const rlt_work *work,
                                   const void *source, void *destination, relayout_error *error);
relayout_status rlt_opencl_scratch_create(relayout_device *device, size_t source_size,
                                          size_t destination_size, void **scratch,
                                          relayout_error *error);
void rlt_opencl_scratch_destroy(relayout_device *device, void *scratch);
relayout_status rlt_opencl_program_time(relayout_device *device, const void *program, void *scratch,
                                        double *seconds, relayout_error *error);
bool rlt_opencl_programs_match(const relayout_device *device, const void *a, const void *b);
void rlt_opencl_program_describe(const relayout_device *device, const void *program,
                                 rlt_text *text);

#endif
