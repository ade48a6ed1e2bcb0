/* threads.c: where tasks run: the caller's threads, the library's, or the calling thread. */
#include "cpu/device.h"
#include "cpu/pool.h"

void rlt_cpu_run_tasks(const rlt_cpu_device *device, int32_t count,
                       void (*task)(void *data, size_t i), void *data) {
  if (count == 1) {
    task(data, 0);
  } else if (device->parallel_for != NULL) {
    device->parallel_for(device->parallel_context, (size_t)count, task, data);
  } else {
    rlt_pool_run(count, task, data);
  }
}
