/* threads.c: where tasks run: the caller's threads, OpenMP's, or the calling thread. */
#ifdef _OPENMP
#include <omp.h>
#endif

#include "cpu/device.h"

int32_t rlt_cpu_own_threads(void) {
#ifdef _OPENMP
  return (int32_t)omp_get_max_threads();
#else
  return 1;
#endif
}

void rlt_cpu_run_tasks(const rlt_cpu_device *device, int32_t count,
                       void (*task)(void *data, size_t i), void *data) {
  if (count == 1) {
    task(data, 0);
    return;
  }
  if (device->parallel_for != NULL) {
    device->parallel_for(device->parallel_context, (size_t)count, task, data);
    return;
  }
#ifdef _OPENMP
#pragma omp parallel for num_threads(count) schedule(static, 1)
#endif
  for (int32_t i = 0; i < count; ++i) {
    task(data, (size_t)i);
  }
}
