/* bench.h: a test's place on an OpenCL device: a caller's own context and queues, and relayout's
 * device on them. */
#ifndef HOST_TESTS_OPENCL_BENCH_H
#define HOST_TESTS_OPENCL_BENCH_H

#include <stdbool.h>

#include "opencl/cl.h"
#include "relayout/opencl.h"
#include "relayout/relayout.h"

typedef struct opencl_bench {
  char label[256]; /* device, platform, kernel family */
  cl_device_id id;
  cl_context context;
  cl_command_queue queue; /* in order */
  relayout_kernel_family family;
  relayout_device *device;
  bool specializes; /* what moves.h makes */
} opencl_bench;

enum { OPENCL_NO_DEVICE = 77 };

/* Calls `run` for every usable device of every platform and each kernel family, or one of them, of
 * which native kernels run on CPU devices alone, and prints where it is. Returns what the test's
 * main returns: OPENCL_NO_DEVICE where there is none, otherwise the sum of what `run` returned. */
int opencl_on_each_device(int (*run)(opencl_bench *bench));
int opencl_on_each_device_with(relayout_kernel_family family, int (*run)(opencl_bench *bench));

/* A buffer of `size` bytes (at least one) with a copy of `bytes`, and back. Any OpenCL error fails
 * the test. */
cl_mem opencl_buffer(const opencl_bench *bench, size_t size, const void *bytes);
void opencl_read(const opencl_bench *bench, cl_mem buffer, size_t size, void *bytes);

#endif
