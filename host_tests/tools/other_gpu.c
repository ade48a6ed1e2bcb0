/* other_gpu.c: gives the command it is linked with a GPU, which is made of memory and whose kernels
 * move nothing. It shares the host's memory where TEST_GPU is "shared". */
#include <stdlib.h>
#include <string.h>

#include "opencl/fake_driver.h"

static fake_device gpu;
static fake_platform platform = {
    .name = "made of memory", .version = "OpenCL 1.2", .device_count = 1, .devices = {&gpu}};

__attribute__((constructor)) static void have_gpu(void) {
  const char *const kind = getenv("TEST_GPU");
  gpu = fake_gpu;
  gpu.shares_memory = kind != NULL && strcmp(kind, "shared") == 0;
  fake_driver_use();
  fake_driver_begin(&platform);
}
