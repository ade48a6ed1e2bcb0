/* native.c: an OpenCL device as a target whose plans the CPU target makes. Nothing is compiled by
 * OpenCL, unless a relayout is recorded. */
#include "opencl/native.h"

#include <sched.h>

#include "base/error.h"
#include "base/memory.h"
#include "cpu/cpu.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"
#include "opencl/memory.h"
#include "plan/plan.h"

/* What the CPU target's schedules ask for at most: lines. */
enum { MOST_ALIGNMENT = 64 };

relayout_status rlt_native_can_run(cl_device_id id, const relayout_device_info *info, bool *can,
                                   relayout_error *error) {
  cl_device_exec_capabilities runs = 0;
  cl_uint aligned_bits = 0;
  *can = false;
  if (info->device_class != RELAYOUT_DEVICE_CLASS_CPU || clEnqueueNativeKernel == NULL ||
      clSetMemObjectDestructorCallback == NULL) {
    return RELAYOUT_OK;
  }
  relayout_status status =
      rlt_opencl_device_value(id, CL_DEVICE_EXECUTION_CAPABILITIES, sizeof runs, &runs, error);
  if (status == RELAYOUT_OK) {
    status = rlt_opencl_device_value(id, CL_DEVICE_MEM_BASE_ADDR_ALIGN, sizeof aligned_bits,
                                     &aligned_bits, error);
  }
  *can = status == RELAYOUT_OK && (runs & CL_EXEC_NATIVE_KERNEL) != 0 &&
         aligned_bits % (8 * MOST_ALIGNMENT) == 0 && aligned_bits > 0;
  return status;
}

/* native_command.c says what PoCL is asked there. */
static relayout_status make_queue(rlt_opencl_device *device, relayout_error *error) {
  cl_int code = CL_SUCCESS;
  if (!rlt_opencl_is_pocl(&device->base.info)) {
    return RELAYOUT_OK;
  }
  device->questions = clCreateCommandQueue(device->context, device->id, 0, &code);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clCreateCommandQueue");
}

/* Waits until only the caller holds the queue: a thread of PoCL's lets go of a command's event, and
 * by it of the queue, some time after the event completed. It reads the queue's device then, which
 * PoCL 3.1 holds for no queue: a caller might have released a sub-device by then. Gives up after a
 * while, since a driver may count as it likes. */
static void await_last_event(cl_command_queue queue) {
  enum { MOST_YIELDS = 10000 };
  cl_uint holders = 0;
  for (int32_t i = 0; i < MOST_YIELDS; ++i) {
    const cl_int code =
        clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof holders, &holders, NULL);
    if (code != CL_SUCCESS || holders <= 1) {
      return;
    }
    sched_yield();
  }
}

/* What a device has beside its handles and its CPU device. */
static void release(rlt_opencl_device *device) {
  if (device->questions != NULL) {
    await_last_event(device->questions);
    clReleaseCommandQueue(device->questions);
  }
  rlt_free(device->kept_directory);
}

relayout_status rlt_native_set_up(rlt_opencl_device *device, const relayout_opencl_options *options,
                                  relayout_error *error) {
  const relayout_cpu_options cpu_options = {.struct_size = sizeof cpu_options,
                                            .threads = options->threads,
                                            .parallel_for = options->parallel_for,
                                            .parallel_context = options->parallel_context};
  const char *const directory = options->cache_directory;
  relayout_device *cpu = NULL;
  device->kept_directory = directory == NULL ? NULL : rlt_strdup(directory);
  if (directory != NULL && device->kept_directory == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for options->cache_directory");
  }
  relayout_status status = make_queue(device, error);
  if (status == RELAYOUT_OK) {
    status = rlt_cpu_device_create_behind(&cpu_options, (int32_t)device->base.info.compute_units,
                                          directory, &cpu, error);
  }
  if (status == RELAYOUT_OK) {
    device->base.facts = cpu->facts;
    status = rlt_device_initialize(&device->base, &rlt_native_backend, error);
  }
  if (status != RELAYOUT_OK) {
    relayout_device_destroy(cpu);
    release(device);
    return status;
  }
  device->base.planner = cpu;
  atomic_init(&device->by_kernels, NULL);
  rlt_memory_learn(device);
  return RELAYOUT_OK;
}

/* ---- Recordings ---- */

/* Another relayout device on the same OpenCL device; the first to make it wins. */
static relayout_status find_device_by_kernels(rlt_opencl_device *device, relayout_device **found,
                                              relayout_error *error) {
  relayout_device *kept = atomic_load(&device->by_kernels);
  if (kept == NULL) {
    relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
    relayout_device *made = NULL;
    options.kernels = RELAYOUT_KERNELS_WORK_GROUP;
    options.cache_directory = device->kept_directory;
    const relayout_status status =
        relayout_opencl_device_create(device->context, device->id, &options, &made, error);
    if (status != RELAYOUT_OK) {
      return status;
    }
    if (atomic_compare_exchange_strong(&device->by_kernels, &kept, made)) {
      kept = made;
    } else {
      relayout_device_destroy(made);
    }
  }
  *found = kept;
  return RELAYOUT_OK;
}

relayout_status rlt_native_plan_by_kernels(relayout_plan *plan, relayout_plan **found,
                                           relayout_error *error) {
  rlt_opencl_device *const device = (rlt_opencl_device *)plan->device;
  relayout_device *by_kernels = NULL;
  *found = plan;
  if (!rlt_opencl_is_native(device)) {
    return RELAYOUT_OK;
  }
  const relayout_status status = find_device_by_kernels(device, &by_kernels, error);
  return status == RELAYOUT_OK ? rlt_plan_elsewhere(plan, by_kernels, found, error) : status;
}

/* ---- The target ---- */

/* Host memory needs no queue. */
static relayout_status execute(const relayout_plan *plan, const void *source, void *destination,
                               relayout_error *error) {
  return rlt_cpu_run(plan->device->planner, &plan->work, source, destination, error);
}

static void trim(relayout_device *device) {
  relayout_device_trim(atomic_load(&((rlt_opencl_device *)device)->by_kernels));
}

/* Those of recordings. */
static uint64_t count_programs(relayout_device *device) {
  relayout_device *const by_kernels = atomic_load(&((rlt_opencl_device *)device)->by_kernels);
  return by_kernels == NULL ? 0 : by_kernels->backend->count_programs(by_kernels);
}

static void destroy(relayout_device *device) {
  rlt_opencl_device *const opened = (rlt_opencl_device *)device;
  relayout_device_destroy(atomic_load(&opened->by_kernels));
  release(opened);
  rlt_opencl_release_handles(opened);
  rlt_free(opened);
}

/* Schedules are compiled, measured and described by the planner's target. */
const rlt_backend rlt_native_backend = {
    .id = RELAYOUT_BACKEND_OPENCL,
    .execute = execute,
    .kernels_of_plan = 1,
    .trim = trim,
    .count_programs = count_programs,
    .destroy = destroy,
};
