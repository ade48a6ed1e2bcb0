/* bench.c: a test's own context, queues and device, for each OpenCL device that is there. */
#include "opencl/bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmocka_all.h"
#include "opencl/opencl.h"

static int run_family(opencl_bench bench, const relayout_device_info *info,
                      relayout_kernel_family family, int (*run)(opencl_bench *bench)) {
  relayout_error error = {0};
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.kernels = family;
  bench.family = family;
  snprintf(bench.label, sizeof bench.label, "%.60s %.90s (%.60s), %s kernels", info->name,
           info->description, info->platform,
           family == RELAYOUT_KERNELS_NATIVE ? "native" : "work-group");
  printf("%s\n", bench.label);
  fflush(stdout);
  if (relayout_opencl_device_create(bench.context, bench.id, &options, &bench.device, &error) !=
      RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  const int failures = run(&bench);
  relayout_device_destroy(bench.device);
  return failures;
}

static int run_device(const relayout_device_info *info, relayout_kernel_family family,
                      int (*run)(opencl_bench *bench)) {
  uint32_t platform = 0;
  uint32_t number = 0;
  relayout_device *device = NULL;
  opencl_bench bench = {0};
  if (sscanf(info->name, "opencl:%" SCNu32 ":%" SCNu32, &platform, &number) != 2 ||
      rlt_opencl_open_at(platform, number, &device, NULL) != RELAYOUT_OK ||
      relayout_opencl_device_get_handles(device, &bench.context, &bench.id, NULL) != RELAYOUT_OK) {
    fprintf(stderr, "cannot open %s\n", info->name);
    return 1;
  }
  cl_int code = CL_SUCCESS;
  bench.context = clCreateContext(NULL, 1, &bench.id, NULL, NULL, &code);
  if (bench.context != NULL) {
    bench.queue = clCreateCommandQueue(bench.context, bench.id, 0, &code);
  }
  relayout_device_destroy(device);
  if (bench.queue == NULL) {
    fprintf(stderr, "%s: no context or queue of our own: %d\n", info->name, (int)code);
    return 1;
  }
  const int failures = run_family(bench, info, family, run);
  clReleaseCommandQueue(bench.queue);
  clReleaseContext(bench.context);
  return failures;
}

int opencl_on_each_device_with(relayout_kernel_family family, int (*run)(opencl_bench *bench)) {
  enum { MOST = 16 };
  relayout_device_info infos[MOST];
  for (size_t i = 0; i < MOST; ++i) {
    infos[i] = (relayout_device_info)RELAYOUT_DEVICE_INFO_INIT;
  }
  size_t count = 0;
  relayout_error error = {0};
  if (rlt_opencl_list(infos, MOST, &count, &error) != RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  if (count == 0) {
    printf("no OpenCL device\n");
    return OPENCL_NO_DEVICE;
  }
  int failures = 0;
  for (size_t i = 0; i < count && i < MOST; ++i) {
    if (family != RELAYOUT_KERNELS_NATIVE || infos[i].device_class == RELAYOUT_DEVICE_CLASS_CPU) {
      failures += run_device(&infos[i], family, run);
    }
  }
  return failures;
}

int opencl_on_each_device(int (*run)(opencl_bench *bench)) {
  const int result = opencl_on_each_device_with(RELAYOUT_KERNELS_NATIVE, run);
  return result == OPENCL_NO_DEVICE
             ? result
             : result + opencl_on_each_device_with(RELAYOUT_KERNELS_WORK_GROUP, run);
}

cl_mem opencl_buffer(const opencl_bench *bench, size_t size, const void *bytes) {
  cl_int code = CL_SUCCESS;
  const cl_mem buffer =
      clCreateBuffer(bench->context, CL_MEM_READ_WRITE, size > 0 ? size : 1, NULL, &code);
  assert_int_equal(code, CL_SUCCESS);
  if (size > 0) {
    assert_int_equal(
        clEnqueueWriteBuffer(bench->queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL),
        CL_SUCCESS);
  }
  return buffer;
}

void opencl_read(const opencl_bench *bench, cl_mem buffer, size_t size, void *bytes) {
  if (size > 0) {
    assert_int_equal(
        clEnqueueReadBuffer(bench->queue, buffer, CL_TRUE, 0, size, bytes, 0, NULL, NULL),
        CL_SUCCESS);
  }
}
