/* opencl_copy.h: the ways to copy from one OpenCL buffer to another: clEnqueueCopyBuffer, and the
 * kernels of bench/copy.cl that suit the device. Depends on OpenCL and embedded.h. */
#ifndef TOOLS_BENCH_OPENCL_COPY_H
#define TOOLS_BENCH_OPENCL_COPY_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stddef.h>

/* One way. The kernel is NULL for clEnqueueCopyBuffer. */
typedef struct opencl_copy {
  const char *name;
  cl_kernel kernel;
  size_t unit;   /* bytes of what a work-item moves at once */
  size_t local;  /* work-items in a group */
  size_t shares; /* work-items there are when each takes a share; 0 when each takes `unroll` */
  size_t unroll;
} opencl_copy;

/* From one place to another; offsets and sizes are multiples of 64 bytes. */
typedef struct opencl_move {
  cl_mem source;
  size_t source_offset;
  cl_mem destination;
  size_t destination_offset;
  size_t size;
} opencl_move;

/* Fills in at most `capacity` ways. On failure those that are there already still have to be
 * released. */
cl_int opencl_copy_create_all(cl_context context, cl_device_id id, size_t capacity,
                              opencl_copy *copies, size_t *count);
void opencl_copy_release(opencl_copy *copy);

cl_int opencl_copy_enqueue(const opencl_copy *copy, cl_command_queue queue, const opencl_move *move,
                           cl_event *event);

#endif
