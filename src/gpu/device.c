/* device.c: a GPU that is not there: plans are made for it and handed out as kernels. */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/structs.h"
#include "device/target.h"
#include "gpu/target.h"
#include "relayout/kernel.h"

static relayout_status refuse(relayout_error *error) {
  return rlt_fail(
      error, RELAYOUT_UNSUPPORTED,
      "nothing runs on a device of relayout_gpu_device_create; relayout_plan_get_kernel "
      "hands out its plans' kernels");
}

/* Nothing is compiled: the executable is the schedule itself. */
static relayout_status executable_create(relayout_device *device, const rlt_schedule *schedule,
                                         void **executable, int64_t *most_group_size,
                                         relayout_error *error) {
  (void)device, (void)most_group_size, (void)error;
  *executable = (void *)(uintptr_t)schedule;
  return RELAYOUT_OK;
}

static void executable_destroy(relayout_device *device, void *executable) {
  (void)device, (void)executable;
}

static relayout_status execute(const relayout_plan *plan, const void *source, void *destination,
                               relayout_error *error) {
  (void)plan, (void)source, (void)destination;
  return refuse(error);
}

static relayout_status many_create(relayout_device *device, const struct rlt_plan_request *asked,
                                   struct rlt_many *many, relayout_error *error) {
  (void)device, (void)asked, (void)many;
  return refuse(error);
}

static void many_destroy(void *on_device) {
  (void)on_device;
}

static relayout_status execute_many(const relayout_plan *plan, const relayout_source_memory *from,
                                    const relayout_destination_memory *to, relayout_error *error) {
  (void)plan, (void)from, (void)to;
  return refuse(error);
}

static relayout_status scratch_create(relayout_device *device, size_t source_size,
                                      size_t destination_size, void **scratch,
                                      relayout_error *error) {
  (void)device, (void)source_size, (void)destination_size, (void)scratch;
  return refuse(error);
}

static void scratch_destroy(relayout_device *device, void *scratch) {
  (void)device, (void)scratch;
}

static relayout_status executable_time(relayout_device *device, const void *executable,
                                       void *scratch, rlt_offsets offsets, double *seconds,
                                       relayout_error *error) {
  (void)device, (void)executable, (void)scratch, (void)offsets, (void)seconds;
  return refuse(error);
}

static void executable_describe(const relayout_device *device, const void *executable,
                                rlt_text *text) {
  (void)device;
  const rlt_schedule *const schedule = executable;
  rlt_text_add(text,
               "nothing here; its kernel would have work-groups of %" PRId64
               " work-items, tiles of %" PRId64 " x %" PRId64,
               schedule->group_size, rlt_group_length(&schedule->rows),
               rlt_group_length(&schedule->columns));
}

static size_t executable_host_bytes(const void *executable) {
  (void)executable;
  return 0;
}

static void trim(relayout_device *device) {
  (void)device;
}

static void destroy(relayout_device *device) {
  rlt_free(device);
}

static const rlt_backend backend = {.id = RELAYOUT_BACKEND_NONE,
                                    .executable_create = executable_create,
                                    .executable_destroy = executable_destroy,
                                    .execute = execute,
                                    .many_create = many_create,
                                    .many_destroy = many_destroy,
                                    .execute_many = execute_many,
                                    .scratch_create = scratch_create,
                                    .scratch_destroy = scratch_destroy,
                                    .executable_time = executable_time,
                                    .executable_describe = executable_describe,
                                    .kernels_of_executable = 1,
                                    .executable_host_bytes = executable_host_bytes,
                                    .trim = trim,
                                    .destroy = destroy};

static relayout_status read_options(const relayout_gpu_options *given, relayout_gpu_options *read,
                                    relayout_error *error) {
  enum { MOST_GROUP_SIZE = 1024 };
  *read = (relayout_gpu_options)RELAYOUT_GPU_OPTIONS_INIT;
  const relayout_status status =
      rlt_struct_read(given, "options->", sizeof *given, read, sizeof *read, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const int32_t size = read->group_size;
  if (size < 0 || size > MOST_GROUP_SIZE || (size & (size - 1)) != 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->group_size is %" PRId32 "; expected 0, or a power of two up to %d",
                    size, (int)MOST_GROUP_SIZE);
  }
  return RELAYOUT_OK;
}

relayout_status relayout_gpu_device_create(const relayout_gpu_options *options,
                                           relayout_device **device, relayout_error *error) {
  if (device == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "device is NULL");
  }
  relayout_gpu_options read;
  relayout_status status = read_options(options, &read, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  relayout_device *const made = rlt_calloc(1, sizeof *made);
  if (made == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a device of %zu bytes",
                    sizeof *made);
  }
  const bool is_asked = read.group_size > 0;
  made->facts =
      rlt_gpu_facts(is_asked ? read.group_size : RLT_GPU_GROUP_SIZE,
                    is_asked ? read.group_size : RLT_GPU_MOST_GROUP_SIZE, RLT_GPU_MOST_GROUPS);
  made->facts.machine.caches[0].bytes =
      (int64_t)(read.cache_bytes < INT64_MAX ? read.cache_bytes : INT64_MAX);
  rlt_facts_settle(&made->facts.machine);
  made->info = (relayout_device_info)RELAYOUT_DEVICE_INFO_INIT;
  made->info.backend = RELAYOUT_BACKEND_NONE;
  made->info.device_class = RELAYOUT_DEVICE_CLASS_GPU;
  snprintf(made->info.description, sizeof made->info.description, "a GPU that is not there");
  rlt_device_info_add_facts(&made->facts.machine, &made->info);
  status = rlt_device_initialize(made, &backend, error);
  if (status != RELAYOUT_OK) {
    rlt_free(made);
    return status;
  }
  *device = made;
  return RELAYOUT_OK;
}
