/* platform.c: finding devices on the platforms that the OpenCL loader knows. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "opencl/cl_error.h"
#include "opencl/device.h"

/* From cl_ext.h, where not every system's copy has it: the loader found no driver. */
enum { PLATFORM_NOT_FOUND = -1001 };

typedef struct found_device {
  uint32_t platform_number;
  uint32_t device_number;
  cl_device_id id;
} found_device;

/* ---- Facts of one device ---- */

static relayout_status no_memory(relayout_error *error) {
  return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for what OpenCL tells of its devices");
}

relayout_status rlt_opencl_device_text(cl_device_id id, cl_device_info what, char **text,
                                       relayout_error *error) {
  size_t size = 0;
  cl_int code = clGetDeviceInfo(id, what, 0, NULL, &size);
  char *made = NULL;
  if (code == CL_SUCCESS) {
    made = calloc(1, size + 1);
    if (made == NULL) {
      return no_memory(error);
    }
    code = clGetDeviceInfo(id, what, size, made, NULL);
  }
  if (code != CL_SUCCESS) {
    free(made);
    return rlt_cl_fail(error, code, "clGetDeviceInfo");
  }
  *text = made;
  return RELAYOUT_OK;
}

relayout_status rlt_opencl_platform_text(cl_platform_id id, cl_platform_info what, char **text,
                                         relayout_error *error) {
  size_t size = 0;
  cl_int code = clGetPlatformInfo(id, what, 0, NULL, &size);
  char *made = NULL;
  if (code == CL_SUCCESS) {
    made = calloc(1, size + 1);
    if (made == NULL) {
      return no_memory(error);
    }
    code = clGetPlatformInfo(id, what, size, made, NULL);
  }
  if (code != CL_SUCCESS) {
    free(made);
    return rlt_cl_fail(error, code, "clGetPlatformInfo");
  }
  *text = made;
  return RELAYOUT_OK;
}

relayout_status rlt_opencl_device_value(cl_device_id id, cl_device_info what, size_t size,
                                        void *value, relayout_error *error) {
  const cl_int code = clGetDeviceInfo(id, what, size, value, NULL);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clGetDeviceInfo");
}

/* The strings cut to fit. */
static relayout_status device_text(cl_device_id id, cl_device_info what, char *text,
                                   size_t capacity, relayout_error *error) {
  char *whole = NULL;
  const relayout_status status = rlt_opencl_device_text(id, what, &whole, error);
  snprintf(text, capacity, "%s", whole == NULL ? "" : whole);
  free(whole);
  return status;
}

static relayout_status platform_text(cl_platform_id id, cl_platform_info what, char *text,
                                     size_t capacity, relayout_error *error) {
  char *whole = NULL;
  const relayout_status status = rlt_opencl_platform_text(id, what, &whole, error);
  snprintf(text, capacity, "%s", whole == NULL ? "" : whole);
  free(whole);
  return status;
}

static relayout_status get_class(cl_device_id id, relayout_device_class *device_class,
                                 relayout_error *error) {
  cl_device_type type = 0;
  const relayout_status status =
      rlt_opencl_device_value(id, CL_DEVICE_TYPE, sizeof type, &type, error);
  *device_class = type & CL_DEVICE_TYPE_GPU           ? RELAYOUT_DEVICE_CLASS_GPU
                  : type & CL_DEVICE_TYPE_ACCELERATOR ? RELAYOUT_DEVICE_CLASS_ACCELERATOR
                  : type & CL_DEVICE_TYPE_CPU         ? RELAYOUT_DEVICE_CLASS_CPU
                                                      : RELAYOUT_DEVICE_CLASS_OTHER;
  return status;
}

/* Version strings read "OpenCL <major>.<minor> <what the vendor likes>". */
static bool at_least_1_2(const char *version) {
  int major = 0;
  int minor = 0;
  return sscanf(version, "OpenCL %d.%d", &major, &minor) == 2 &&
         (major > 1 || (major == 1 && minor >= 2));
}

static relayout_status check_versions(cl_device_id id, relayout_error *error) {
  char text[64];
  relayout_status status = device_text(id, CL_DEVICE_VERSION, text, sizeof text, error);
  if (status == RELAYOUT_OK && !at_least_1_2(text)) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED, "id %p: the device is older than OpenCL 1.2",
                    (void *)id);
  }
  cl_platform_id platform = NULL;
  if (status == RELAYOUT_OK) {
    status = rlt_opencl_device_value(id, CL_DEVICE_PLATFORM, sizeof platform, &platform, error);
  }
  if (status == RELAYOUT_OK) {
    status = platform_text(platform, CL_PLATFORM_VERSION, text, sizeof text, error);
  }
  if (status == RELAYOUT_OK && !at_least_1_2(text)) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED, "id %p: the platform is older than OpenCL 1.2",
                    (void *)id);
  }
  return status;
}

relayout_status rlt_opencl_device_check(cl_device_id id, relayout_error *error) {
  char profile[64];
  cl_bool compiles = CL_FALSE;
  cl_bool is_available = CL_FALSE;
  relayout_status status = check_versions(id, error);
  if (status == RELAYOUT_OK) {
    status = device_text(id, CL_DEVICE_PROFILE, profile, sizeof profile, error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_opencl_device_value(id, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiles, &compiles,
                                     error);
  }
  if (status == RELAYOUT_OK) {
    status =
        rlt_opencl_device_value(id, CL_DEVICE_AVAILABLE, sizeof is_available, &is_available, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  const char *const obstacle = strcmp(profile, "FULL_PROFILE") != 0
                                   ? "does not have the full profile"
                               : !compiles     ? "has no compiler"
                               : !is_available ? "is not available"
                                               : NULL;
  return obstacle == NULL
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_UNSUPPORTED, "id %p: the device %s", (void *)id, obstacle);
}

/* ---- Walking the platforms ---- */

/* Appends the devices of one platform. One that does not tell its devices has none, and does not
 * hide those of the others. */
static relayout_status append_devices(cl_platform_id platform, uint32_t platform_number,
                                      found_device **found, size_t *count, relayout_error *error) {
  cl_uint there = 0;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &there) != CL_SUCCESS || there == 0) {
    return RELAYOUT_OK;
  }
  cl_device_id *const ids = malloc(there * sizeof *ids);
  found_device *const longer = realloc(*found, (*count + there) * sizeof *longer);
  if (longer != NULL) {
    *found = longer;
  }
  if (ids == NULL || longer == NULL) {
    free(ids);
    return no_memory(error);
  }
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, there, ids, NULL) == CL_SUCCESS) {
    for (cl_uint d = 0; d < there; ++d) {
      longer[(*count)++] = (found_device){platform_number, d, ids[d]};
    }
  }
  free(ids);
  return RELAYOUT_OK;
}

/* Every device there is, by platform; the caller frees the list, also after a failure. */
static relayout_status find_devices(found_device **found, size_t *count, relayout_error *error) {
  *found = NULL;
  *count = 0;
  cl_uint there = 0;
  cl_int code = clGetPlatformIDs(0, NULL, &there);
  if (code == PLATFORM_NOT_FOUND || (code == CL_SUCCESS && there == 0)) {
    return RELAYOUT_OK;
  }
  if (code != CL_SUCCESS) {
    return rlt_cl_fail(error, code, "clGetPlatformIDs");
  }
  cl_platform_id *const platforms = calloc(there, sizeof *platforms);
  if (platforms == NULL) {
    return no_memory(error);
  }
  code = clGetPlatformIDs(there, platforms, NULL);
  relayout_status status =
      code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clGetPlatformIDs");
  for (cl_uint p = 0; p < there && status == RELAYOUT_OK; ++p) {
    status = append_devices(platforms[p], p, found, count, error);
  }
  free(platforms);
  return status;
}

static void set_name(const found_device *found, relayout_device_info *info) {
  snprintf(info->name, sizeof info->name, "opencl:%" PRIu32 ":%" PRIu32, found->platform_number,
           found->device_number);
}

/* "opencl:P:D", or "" for a device that no platform lists: a part of one. */
static relayout_status name_device(cl_device_id id, relayout_device_info *info,
                                   relayout_error *error) {
  found_device *found = NULL;
  size_t count = 0;
  info->name[0] = '\0';
  const relayout_status status = find_devices(&found, &count, error);
  for (size_t i = 0; i < count && status == RELAYOUT_OK; ++i) {
    if (found[i].id == id) {
      set_name(&found[i], info);
    }
  }
  free(found);
  return status;
}

static relayout_status fill_platform(cl_device_id id, relayout_device_info *info,
                                     relayout_error *error) {
  char name[60] = "";
  char version[60] = "";
  cl_platform_id platform = NULL;
  relayout_status status =
      rlt_opencl_device_value(id, CL_DEVICE_PLATFORM, sizeof platform, &platform, error);
  if (status == RELAYOUT_OK) {
    status = platform_text(platform, CL_PLATFORM_NAME, name, sizeof name, error);
  }
  if (status == RELAYOUT_OK) {
    status = platform_text(platform, CL_PLATFORM_VERSION, version, sizeof version, error);
  }
  snprintf(info->platform, sizeof info->platform, "%s, %s", name, version);
  return status;
}

static relayout_status fill_sizes(cl_device_id id, relayout_device_info *info,
                                  relayout_error *error) {
  cl_uint units = 0;
  cl_ulong memory = 0;
  cl_ulong allocation = 0;
  relayout_status status =
      rlt_opencl_device_value(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, error);
  if (status == RELAYOUT_OK) {
    status = rlt_opencl_device_value(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_opencl_device_value(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof allocation,
                                     &allocation, error);
  }
  info->compute_units = units;
  info->memory_bytes = memory;
  info->allocation_bytes = allocation;
  return status;
}

/* All but the name. */
static relayout_status fill_info(cl_device_id id, relayout_device_info *info,
                                 relayout_error *error) {
  info->backend = RELAYOUT_BACKEND_OPENCL;
  relayout_status status = get_class(id, &info->device_class, error);
  if (status == RELAYOUT_OK) {
    status = device_text(id, CL_DEVICE_NAME, info->description, sizeof info->description, error);
  }
  if (status == RELAYOUT_OK) {
    status = device_text(id, CL_DRIVER_VERSION, info->driver, sizeof info->driver, error);
  }
  if (status == RELAYOUT_OK) {
    status = fill_platform(id, info, error);
  }
  return status == RELAYOUT_OK ? fill_sizes(id, info, error) : status;
}

relayout_status rlt_opencl_device_info(cl_device_id id, relayout_device_info *info,
                                       relayout_error *error) {
  const relayout_status status = fill_info(id, info, error);
  return status == RELAYOUT_OK ? name_device(id, info, error) : status;
}

/* ---- For the plan layer ---- */

/* Fills in what there is room for. Devices that do not answer, and those that cannot run relayouts,
 * are passed over. */
static relayout_status list_found(const found_device *found, size_t found_count,
                                  relayout_device_info *infos, size_t capacity, size_t *count,
                                  relayout_error *error) {
  *count = 0;
  for (size_t i = 0; i < found_count; ++i) {
    relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
    relayout_status status = rlt_opencl_device_check(found[i].id, NULL);
    if (status == RELAYOUT_OK) {
      status = fill_info(found[i].id, &info, NULL);
    }
    if (status == RELAYOUT_OUT_OF_MEMORY) {
      return no_memory(error);
    }
    if (status == RELAYOUT_OK && *count < capacity) {
      set_name(&found[i], &info);
      infos[*count] = info;
    }
    *count += status == RELAYOUT_OK;
  }
  return RELAYOUT_OK;
}

relayout_status rlt_opencl_list(relayout_device_info *infos, size_t capacity, size_t *count,
                                relayout_error *error) {
  found_device *found = NULL;
  size_t found_count = 0;
  relayout_status status = find_devices(&found, &found_count, error);
  if (status == RELAYOUT_OK) {
    status = list_found(found, found_count, infos, capacity, count, error);
  }
  free(found);
  return status;
}

/* A device in a context of its own, which the device keeps. */
static relayout_status open_device(cl_device_id id, relayout_device **device,
                                   relayout_error *error) {
  cl_int code = CL_SUCCESS;
  const cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
  if (context == NULL) {
    return rlt_cl_fail(error, code, "clCreateContext");
  }
  const relayout_status status = relayout_opencl_device_create(context, id, NULL, device, error);
  clReleaseContext(context);
  return status;
}

/* GPUs come first, then accelerators, then any other; at a tie the one that is listed first. */
static int preference(relayout_device_class device_class) {
  return device_class == RELAYOUT_DEVICE_CLASS_GPU
             ? 2
             : device_class == RELAYOUT_DEVICE_CLASS_ACCELERATOR;
}

/* The one that is preferred to all others; NULL without any. */
static relayout_status find_best(const found_device *found, size_t count, bool offload_only,
                                 cl_device_id *best, relayout_error *error) {
  int best_preference = offload_only ? 0 : -1;
  *best = NULL;
  for (size_t i = 0; i < count; ++i) {
    relayout_device_class device_class = RELAYOUT_DEVICE_CLASS_OTHER;
    relayout_status status = get_class(found[i].id, &device_class, NULL);
    if (status == RELAYOUT_OK && preference(device_class) > best_preference) {
      status = rlt_opencl_device_check(found[i].id, NULL);
      if (status == RELAYOUT_OK) {
        *best = found[i].id;
        best_preference = preference(device_class);
      }
    }
    if (status == RELAYOUT_OUT_OF_MEMORY) {
      return no_memory(error);
    }
  }
  return RELAYOUT_OK;
}

relayout_status rlt_opencl_open_best(bool offload_only, relayout_device **device,
                                     relayout_error *error) {
  found_device *found = NULL;
  size_t count = 0;
  cl_device_id best = NULL;
  relayout_status status = find_devices(&found, &count, error);
  if (status == RELAYOUT_OK) {
    status = find_best(found, count, offload_only, &best, error);
  }
  free(found);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (best == NULL) {
    return rlt_fail(error, RELAYOUT_NO_DEVICE, "no OpenCL platform offers %s",
                    offload_only ? "a GPU or an accelerator" : "a device");
  }
  return open_device(best, device, error);
}

relayout_status rlt_opencl_open_at(uint32_t platform, uint32_t device_number,
                                   relayout_device **device, relayout_error *error) {
  found_device *found = NULL;
  size_t count = 0;
  const relayout_status status = find_devices(&found, &count, error);
  cl_device_id id = NULL;
  for (size_t i = 0; i < count && status == RELAYOUT_OK; ++i) {
    if (found[i].platform_number == platform && found[i].device_number == device_number) {
      id = found[i].id;
    }
  }
  free(found);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (id == NULL) {
    return rlt_fail(error, RELAYOUT_NO_DEVICE,
                    "there is no OpenCL device %" PRIu32 " of platform %" PRIu32, device_number,
                    platform);
  }
  return open_device(id, device, error);
}
