/* device.c: the OpenCL device as a backend: made from a context, what it is, what tiles it likes. */
#include "opencl/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "opencl/assembly_tables.h"
#include "opencl/build.h"
#include "opencl/cl_error.h"
#include "opencl/program.h"
#include "opencl/staged.h"
#include "plan/winners.h"

enum {
  /* More work-items in a group gain nothing once a tile's loads are spread over them. */
  MOST_GROUP_SIZE = 256,
  /* Some drivers count the work-items of a launch in 32 bits. */
  MOST_GROUPS = 1 << 22,
  /* PoCL compiles a kernel again for launches that are wider than this. */
  POCL_MOST_GROUPS = 65534,
  /* A last-level cache may be shared with more than the device: what one compute unit can hope to
   * keep of it. */
  CACHE_SHARE = 4 << 20,
  /* A tile's two sides and their gaps fit any second-level cache. */
  ASSEMBLY_BYTES = 80 << 10,
  /* llvmpipe ends a work-item's loops, without a word, after 65535 iterations altogether, and a tile may
   * take some for each of its elements. Other drivers are taken to be no better. */
  SMALL_ASSEMBLY_BYTES = 16 << 10,
  MOST_ITERATIONS = 48 << 10
};

/* The largest power of two that the device allows, to MOST_GROUP_SIZE. */
static relayout_status learn_group_size(rlt_opencl_device *device, relayout_error *error) {
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
  device->group_size = MOST_GROUP_SIZE;
  while (device->group_size > 1 && device->group_size > most) {
    device->group_size /= 2;
  }
  return status;
}

static relayout_status learn(rlt_opencl_device *device, relayout_kernel_family family,
                             relayout_error *error) {
  device->info = (relayout_device_info)RELAYOUT_DEVICE_INFO_INIT;
  cl_ulong bytes = 0;
  relayout_status status = rlt_opencl_device_info(device->id, &device->info, error);
  if (status == RELAYOUT_OK) {
    status = learn_group_size(device, error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_opencl_device_value(device->id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof bytes,
                                     &bytes, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  device->family = family;
  if (family == RELAYOUT_KERNELS_AUTO) {
    device->family = device->info.device_class == RELAYOUT_DEVICE_CLASS_CPU
                         ? RELAYOUT_KERNELS_DIRECT
                         : RELAYOUT_KERNELS_STAGED;
  }
  device->most_offset = INT32_MAX;
  const uint64_t share = (uint64_t)device->info.compute_units * CACHE_SHARE;
  device->cache_bytes = bytes < share ? bytes : share;
  /* Compilers to SPIR-V are clang too, but what runs that knows neither wide vectors nor builtins. */
  const bool is_pocl = strstr(device->info.platform, "Portable Computing Language") != NULL;
  device->native = is_pocl;
  /* While three launches of one kernel are under way, PoCL before 6.0 may end the process (an
   * assertion on ref_count) unless all are of one width, as it takes it: of that along the first
   * two dimensions. So work-groups are counted along the third. */
  device->grid_axis = is_pocl ? 2 : 0;
  device->most_groups = is_pocl ? POCL_MOST_GROUPS : MOST_GROUPS;
  /* To hand a binary out, it compiles every kernel a second time. */
  device->driver_keeps_programs = is_pocl;
  device->assembly_bytes = is_pocl ? ASSEMBLY_BYTES : SMALL_ASSEMBLY_BYTES;
  device->most_iterations = is_pocl ? INT64_MAX : MOST_ITERATIONS;
  return RELAYOUT_OK;
}

/* ---- Making one ---- */

static relayout_status check_options(const relayout_opencl_options *options,
                                     relayout_error *error) {
  if (options->struct_size != sizeof *options) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "options->struct_size is %zu, not %zu",
                    options->struct_size, sizeof *options);
  }
  const char *const directory = options->cache_directory;
  if (directory != NULL && directory[0] != '\0' && directory[0] != '/') {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->cache_directory is `%.64s`, no absolute path", directory);
  }
  switch (options->kernels) {
  case RELAYOUT_KERNELS_AUTO:
  case RELAYOUT_KERNELS_STAGED:
  case RELAYOUT_KERNELS_DIRECT:
    return RELAYOUT_OK;
  }
  return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "options->kernels is %d, no kernel family",
                  (int)options->kernels);
}

static bool is_listed(cl_device_id id, const cl_device_id *ids, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (ids[i] == id) {
      return true;
    }
  }
  return false;
}

static relayout_status list_of_context(cl_context context, cl_device_id **ids, size_t *count,
                                       relayout_error *error) {
  size_t size = 0;
  cl_device_id *made = NULL;
  cl_int code = clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &size);
  if (code == CL_SUCCESS) {
    made = malloc(size + 1);
    if (made == NULL) {
      return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the context's devices");
    }
    code = clGetContextInfo(context, CL_CONTEXT_DEVICES, size, made, NULL);
  }
  if (code != CL_SUCCESS) {
    free(made);
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
    found = is_listed(part, ids, count);
    if (!found) { /* a whole one is a part of NULL */
      status = rlt_opencl_device_value(part, CL_DEVICE_PARENT_DEVICE, sizeof part, &part, error);
    }
  }
  free(ids);
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

static void release_handles(rlt_opencl_device *device) {
  clReleaseContext(device->context);
  clReleaseDevice(device->id);
}

/* Of a device that has its handles; after a failure it has nothing else. */
static relayout_status set_up(rlt_opencl_device *device, const relayout_opencl_options *options,
                              relayout_error *error) {
  relayout_status status = learn(device, options->kernels, error);
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
  rlt_winners_keep_in(&device->base, device->disk_cache.directory);
  return RELAYOUT_OK;
}

static relayout_status make_device(cl_context context, cl_device_id id,
                                   const relayout_opencl_options *options, relayout_device **device,
                                   relayout_error *error) {
  rlt_opencl_device *const made = calloc(1, sizeof *made);
  if (made == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a device of %zu bytes",
                    sizeof *made);
  }
  relayout_status status = retain_handles(made, context, id, error);
  if (status == RELAYOUT_OK) {
    status = set_up(made, options, error);
    if (status != RELAYOUT_OK) {
      release_handles(made);
    }
  }
  if (status != RELAYOUT_OK) {
    free(made);
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
  const relayout_opencl_options defaults = RELAYOUT_OPENCL_OPTIONS_INIT;
  const relayout_opencl_options *const wanted = options == NULL ? &defaults : options;
  relayout_status status = check_options(wanted, error);
  if (status == RELAYOUT_OK) {
    status = check_in_context(context, id, error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_opencl_device_check(id, error);
  }
  return status == RELAYOUT_OK ? make_device(context, id, wanted, device, error) : status;
}

static void destroy(relayout_device *device) {
  rlt_opencl_device *const opened = (rlt_opencl_device *)device;
  rlt_builds_release(opened);
  release_handles(opened);
  free(opened);
}

/* ---- Asking it ---- */

const rlt_opencl_device *rlt_opencl_device_of(const relayout_device *device) {
  return device->backend == &rlt_opencl_backend ? (const rlt_opencl_device *)device : NULL;
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

static void get_info(const relayout_device *device, relayout_device_info *info) {
  const size_t struct_size = info->struct_size;
  *info = ((const rlt_opencl_device *)device)->info;
  info->struct_size = struct_size;
}

/* Blocks of 32 x 16 and 16 x 8 elements, then of 16 x 16, 8 x 8 and 4 x 4: for each of their lines. */
static double block_rate(int64_t element_bytes) {
  switch (element_bytes) {
  case 1:
    return 8 * 0.47;
  case 2:
    return 4 * 0.37;
  default:
    return 64 / (double)element_bytes * 0.2;
  }
}

/* One work-item moves a tile, whose sides fit its first caches. The longer the runs that it reads, the
 * more of them the device fetches ahead by itself, and the fewer of them it reads at a time the less
 * they crowd each other out where they lie powers of two apart. Runs that it writes are long only where
 * lines at their ends are shared with other tiles. */
static rlt_traits direct_traits(const rlt_opencl_device *device, int64_t element_bytes) {
  return (rlt_traits){.line_bytes = RLT_ASSEMBLY_LINE_BYTES,
                      .run_columns_bytes = 32 << 10,
                      .run_tile_bytes = 32 << 10,
                      .assembly_bytes = device->assembly_bytes,
                      .assembly_least_bytes = 8 << 10,
                      .assembly_runs = {.read_bytes = 256, .write_bytes = 256},
                      .assembly_far_runs = {.read_bytes = 512, .write_bytes = 128},
                      .assembly_apart_runs = {.read_bytes = 256, .write_bytes = 1024},
                      .straight_run_bytes = 512,
                      .cache_bytes = (int64_t)device->cache_bytes,
                      .swapped_rows = device->native ? 512 : 128,
                      .block_rows = element_bytes <= 2 ? 16 / element_bytes : 64 / element_bytes,
                      .block_columns = element_bytes <= 2 ? 32 / element_bytes : 64 / element_bytes,
                      .most_teeth = element_bytes <= 2 ? 8 : 4,
                      .rates = {.line_again = 0.05,
                                .line_in_parts = 1.1,
                                .run = 0.01,
                                .straight_run = 2.2,
                                .block = block_rate(element_bytes),
                                .line = element_bytes == 1 ? 0.3 : 0.03,
                                .element = 0.1,
                                .tile = 2,
                                .page = 0.3}};
}

rlt_traits rlt_opencl_traits(const relayout_device *device, int64_t element_bytes) {
  const rlt_opencl_device *const opened = (const rlt_opencl_device *)device;
  return opened->family == RELAYOUT_KERNELS_DIRECT ? direct_traits(opened, element_bytes)
                                                   : rlt_staged_traits(element_bytes);
}

const rlt_backend rlt_opencl_backend = {
    .id = RELAYOUT_BACKEND_OPENCL,
    .get_info = get_info,
    .traits = rlt_opencl_traits,
    .program_create = rlt_opencl_program_create,
    .program_destroy = rlt_opencl_program_destroy,
    .execute = rlt_opencl_execute,
    .scratch_create = rlt_opencl_scratch_create,
    .scratch_destroy = rlt_opencl_scratch_destroy,
    .program_time = rlt_opencl_program_time,
    .programs_match = rlt_opencl_programs_match,
    .program_describe = rlt_opencl_program_describe,
    .destroy = destroy,
};
