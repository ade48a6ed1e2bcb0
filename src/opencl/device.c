/* device.c: the OpenCL device as a backend: made from a context, and what it is. */
#include "opencl/device.h"

#include <inttypes.h>
#include <stddef.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/structs.h"
#include "gpu/target.h"
#include "opencl/backend.h"
#include "opencl/build.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"
#include "opencl/many.h"
#include "opencl/memory.h"
#include "opencl/native.h"
#include "search/tuning_file.h"
#include "search/wisdom.h"

enum {
  /* PoCL compiles a kernel again for launches that are wider than this. */
  POCL_MOST_GROUPS = 65534,
  /* RELAYOUT_KERNELS_DIRECT of relayout 0.1. */
  FORMER_DIRECT = 2
};

relayout_status rlt_opencl_group_size(const rlt_opencl_device *device, int64_t wanted,
                                      int64_t *group_size, relayout_error *error) {
  size_t most = 0;
  const relayout_status status =
      rlt_opencl_device_value(device->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most, &most, error);
  size_t sizes[16] = {0};
  size_t given = 0;
  if (clGetDeviceInfo(device->id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, &given) ==
          CL_SUCCESS &&
      given >= sizeof sizes[0] && sizes[0] < most) {
    most = sizes[0];
  }
  *group_size = wanted;
  while (*group_size > 1 && (size_t)*group_size > most) {
    *group_size /= 2;
  }
  return status;
}

/* Of a device that runs work-group kernels. */
static relayout_status learn(rlt_opencl_device *device, relayout_error *error) {
  int64_t most_group_size = 1;
  const relayout_status status =
      rlt_opencl_group_size(device, RLT_GPU_MOST_GROUP_SIZE, &most_group_size, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  /* Compilers to SPIR-V are clang too, but what runs that knows neither wide vectors nor
   * builtins. */
  const bool is_pocl = rlt_opencl_is_pocl(&device->base.info);
  device->base.facts = rlt_gpu_facts(rlt_min(RLT_GPU_GROUP_SIZE, most_group_size), most_group_size,
                                     is_pocl ? POCL_MOST_GROUPS : RLT_GPU_MOST_GROUPS);
  device->native = is_pocl;
  device->most_offset = RLT_GPU_MOST_OFFSET;
  /* While three launches of one kernel are under way, PoCL before 6.0 may end the process (an
   * assertion on ref_count) unless all are of one width, as it takes it: of that along the first
   * two dimensions. So work-groups are counted along the third. */
  device->grid_axis = is_pocl ? 2 : 0;
  /* To hand a binary out, it compiles every kernel a second time. */
  device->driver_keeps_programs = is_pocl;
  rlt_memory_learn(device);
  return rlt_opencl_add_facts(device->id, &device->base.info, &device->base.facts.machine, error);
}

/* ---- Making one ---- */

static relayout_status read_options(const relayout_opencl_options *given,
                                    relayout_opencl_options *options, relayout_error *error) {
  *options = (relayout_opencl_options)RELAYOUT_OPENCL_OPTIONS_INIT;
  const relayout_status status =
      rlt_struct_read(given, "options->", offsetof(relayout_opencl_options, threads), options,
                      sizeof *options, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const char *const directory = options->cache_directory;
  if (directory != NULL && directory[0] != '\0' && directory[0] != '/') {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->cache_directory is `%.64s`; expected an absolute path", directory);
  }
  if (options->threads < 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->threads is %" PRId32 "; expected 0 or more", options->threads);
  }
  switch (options->kernels) {
  case RELAYOUT_KERNELS_AUTO:
  case RELAYOUT_KERNELS_WORK_GROUP:
  case RELAYOUT_KERNELS_NATIVE:
    return RELAYOUT_OK;
  }
  return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                  (int)options->kernels == FORMER_DIRECT
                      ? "options->kernels is %d, RELAYOUT_KERNELS_DIRECT of relayout 0.1, which is "
                        "gone: RELAYOUT_KERNELS_AUTO runs native kernels on CPU devices"
                      : "options->kernels is %d, which is not a kernel family",
                  (int)options->kernels);
}

static relayout_status list_of_context(cl_context context, cl_device_id **ids, size_t *count,
                                       relayout_error *error) {
  size_t size = 0;
  cl_device_id *made = NULL;
  cl_int code = clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &size);
  if (code == CL_SUCCESS) {
    made = rlt_malloc(size);
    if (made == NULL) {
      return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the context's devices");
    }
    code = clGetContextInfo(context, CL_CONTEXT_DEVICES, size, made, NULL);
  }
  if (code != CL_SUCCESS) {
    rlt_free(made);
    return rlt_cl_fail(error, code, "clGetContextInfo for the context's devices");
  }
  *ids = made;
  *count = size / sizeof made[0];
  return RELAYOUT_OK;
}

/* Parts of a context's devices are the context's too; PoCL lists only the whole ones. */
static relayout_status check_in_context(cl_context context, cl_device_id id,
                                        relayout_error *error) {
  cl_device_id *ids = NULL;
  size_t count = 0;
  relayout_status status = list_of_context(context, &ids, &count, error);
  bool found = false;
  cl_device_id part = id;
  while (status == RELAYOUT_OK && part != NULL && !found) {
    for (size_t i = 0; i < count; ++i) {
      found = found || ids[i] == part;
    }
    if (!found) { /* a whole one is a part of NULL */
      status = rlt_opencl_device_value(part, CL_DEVICE_PARENT_DEVICE, sizeof part, &part, error);
    }
  }
  rlt_free(ids);
  return found || status != RELAYOUT_OK
             ? status
             : rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "id %p is not a device of context %p",
                        (void *)id, (void *)context);
}

static relayout_status retain_handles(rlt_opencl_device *device, cl_context context,
                                      cl_device_id id, relayout_error *error) {
  cl_int code = clRetainContext(context);
  if (code != CL_SUCCESS) {
    return rlt_cl_fail(error, code, "clRetainContext");
  }
  code = clRetainDevice(id);
  if (code != CL_SUCCESS) {
    clReleaseContext(context);
    return rlt_cl_fail(error, code, "clRetainDevice");
  }
  device->context = context;
  device->id = id;
  return RELAYOUT_OK;
}

void rlt_opencl_release_handles(rlt_opencl_device *device) {
  clReleaseContext(device->context);
  clReleaseDevice(device->id);
}

/* Whether the device is to run native kernels. */
static relayout_status choose_kernels(const rlt_opencl_device *device,
                                      relayout_kernel_family asked_for, bool *native,
                                      relayout_error *error) {
  *native = false;
  if (asked_for == RELAYOUT_KERNELS_WORK_GROUP) {
    return RELAYOUT_OK;
  }
  const relayout_device_info *const info = &device->base.info;
  const relayout_status status = rlt_native_can_run(device->id, info, native, error);
  return status != RELAYOUT_OK || *native || asked_for == RELAYOUT_KERNELS_AUTO
             ? status
             : rlt_fail(error, RELAYOUT_UNSUPPORTED,
                        "options->kernels is RELAYOUT_KERNELS_NATIVE, but device %s `%s` runs no "
                        "native kernels",
                        info->name, info->description);
}

/* Of a device that has its handles; after a failure it has nothing else. */
static relayout_status set_up(rlt_opencl_device *device, const relayout_opencl_options *options,
                              relayout_error *error) {
  bool native = false;
  device->base.info = (relayout_device_info)RELAYOUT_DEVICE_INFO_INIT;
  relayout_status status = rlt_opencl_device_info(device->id, &device->base.info, error);
  if (status == RELAYOUT_OK) {
    status = choose_kernels(device, options->kernels, &native, error);
  }
  if (status == RELAYOUT_OK && native) {
    return rlt_native_set_up(device, options, error);
  }
  if (status == RELAYOUT_OK) {
    status = learn(device, error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_builds_initialize(device, options->cache_directory, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  status = rlt_device_initialize(&device->base, &rlt_opencl_backend, error);
  if (status != RELAYOUT_OK) {
    rlt_builds_release(device);
    return status;
  }
  rlt_wisdom_keep_in(&device->base, device->disk_cache.directory);
  return RELAYOUT_OK;
}

static relayout_status make_device(cl_context context, cl_device_id id,
                                   const relayout_opencl_options *options, relayout_device **device,
                                   relayout_error *error) {
  rlt_opencl_device *const made = rlt_calloc(1, sizeof *made);
  if (made == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a device of %zu bytes",
                    sizeof *made);
  }
  relayout_status status = retain_handles(made, context, id, error);
  if (status == RELAYOUT_OK) {
    status = set_up(made, options, error);
    if (status != RELAYOUT_OK) {
      rlt_opencl_release_handles(made);
    }
  }
  if (status != RELAYOUT_OK) {
    rlt_free(made);
    return status;
  }
  if (made->base.planner == NULL) {
    status = rlt_tuning_file_load(&made->base, error);
  }
  if (status != RELAYOUT_OK) {
    relayout_device_destroy(&made->base);
    return status;
  }
  *device = &made->base;
  return RELAYOUT_OK;
}

relayout_status relayout_opencl_device_create(cl_context context, cl_device_id id,
                                              const relayout_opencl_options *options,
                                              relayout_device **device, relayout_error *error) {
  if (context == NULL || id == NULL || device == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    context == NULL ? "context"
                    : id == NULL    ? "id"
                                    : "device");
  }
  relayout_opencl_options wanted;
  relayout_status status = read_options(options, &wanted, error);
  if (status == RELAYOUT_OK) {
    status = rlt_cl_load(error);
  }
  if (status == RELAYOUT_OK) {
    status = check_in_context(context, id, error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_opencl_device_check(id, error);
  }
  return status == RELAYOUT_OK ? make_device(context, id, &wanted, device, error) : status;
}

static void destroy(relayout_device *device) {
  rlt_opencl_device *const opened = (rlt_opencl_device *)device;
  rlt_builds_release(opened);
  rlt_opencl_release_handles(opened);
  rlt_free(opened);
}

/* ---- Asking it ---- */

const rlt_opencl_device *rlt_opencl_device_of(const relayout_device *device) {
  return device->backend == &rlt_opencl_backend || device->backend == &rlt_native_backend
             ? (const rlt_opencl_device *)device
             : NULL;
}

relayout_status relayout_opencl_device_get_handles(const relayout_device *device,
                                                   cl_context *context, cl_device_id *id,
                                                   relayout_error *error) {
  if (device == NULL || context == NULL || id == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    device == NULL    ? "device"
                    : context == NULL ? "context"
                                      : "id");
  }
  const rlt_opencl_device *const opened = rlt_opencl_device_of(device);
  if (opened == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "device is not an OpenCL device");
  }
  *context = opened->context;
  *id = opened->id;
  return RELAYOUT_OK;
}

const rlt_backend rlt_opencl_backend = {
    .id = RELAYOUT_BACKEND_OPENCL,
    .copies_host_memory = true,
    .executable_create = rlt_opencl_executable_create,
    .executable_destroy = rlt_opencl_executable_destroy,
    .execute = rlt_opencl_execute,
    .many_create = rlt_opencl_many_create,
    .many_destroy = rlt_opencl_many_destroy,
    .execute_many = rlt_opencl_execute_many,
    .many_scratch_create = rlt_opencl_many_scratch_create,
    .many_scratch_destroy = rlt_opencl_many_scratch_destroy,
    .many_time = rlt_opencl_many_time,
    .host_transfers = rlt_opencl_host_transfers,
    .has_staging = true,
    .scratch_create = rlt_opencl_scratch_create,
    .scratch_destroy = rlt_opencl_scratch_destroy,
    .executable_time = rlt_opencl_executable_time,
    .executable_describe = rlt_opencl_executable_describe,
    .kernels_of_executable = 1,
    .executable_bytes = rlt_opencl_executable_bytes,
    .executable_host_bytes = rlt_opencl_executable_host_bytes,
    .trim = rlt_builds_trim,
    .count_programs = rlt_builds_count,
    .destroy = destroy,
};
