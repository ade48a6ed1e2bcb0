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

char *rlt_opencl_device_text(cl_device_id id, cl_device_info what) {
  size_t size = 0;
  if (clGetDeviceInfo(id, what, 0, NULL, &size) != CL_SUCCESS) {
    return NULL;
  }
  char *const text = calloc(1, size + 1);
  if (text != NULL && clGetDeviceInfo(id, what, size, text, NULL) != CL_SUCCESS) {
    free(text);
    return NULL;
  }
  return text;
}

char *rlt_opencl_platform_text(cl_platform_id id, cl_platform_info what) {
  size_t size = 0;
  if (clGetPlatformInfo(id, what, 0, NULL, &size) != CL_SUCCESS) {
    return NULL;
  }
  char *const text = calloc(1, size + 1);
  if (text != NULL && clGetPlatformInfo(id, what, size, text, NULL) != CL_SUCCESS) {
    free(text);
    return NULL;
  }
  return text;
}

/* The string cut to fit; empty where there is none. */
static void cut_text(char *whole, char *text, size_t capacity) {
  snprintf(text, capacity, "%s", whole == NULL ? "" : whole);
  free(whole);
}

static void device_text(cl_device_id id, cl_device_info what, char *text, size_t capacity) {
  cut_text(rlt_opencl_device_text(id, what), text, capacity);
}

static void platform_text(cl_platform_id id, cl_platform_info what, char *text, size_t capacity) {
  cut_text(rlt_opencl_platform_text(id, what), text, capacity);
}

static relayout_device_class class_of(cl_device_id id) {
  cl_device_type type = 0;
  clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  if (type & CL_DEVICE_TYPE_GPU) {
    return RELAYOUT_DEVICE_CLASS_GPU;
  }
  if (type & CL_DEVICE_TYPE_ACCELERATOR) {
    return RELAYOUT_DEVICE_CLASS_ACCELERATOR;
  }
  return type & CL_DEVICE_TYPE_CPU ? RELAYOUT_DEVICE_CLASS_CPU : RELAYOUT_DEVICE_CLASS_OTHER;
}

/* Version strings read "OpenCL <major>.<minor> <what the vendor likes>". */
static bool at_least_1_2(const char *version) {
  int major = 0;
  int minor = 0;
  return sscanf(version, "OpenCL %d.%d", &major, &minor) == 2 &&
         (major > 1 || (major == 1 && minor >= 2));
}

const char *rlt_opencl_device_obstacle(cl_device_id id) {
  char text[64];
  device_text(id, CL_DEVICE_VERSION, text, sizeof text);
  if (!at_least_1_2(text)) {
    return "the device is older than OpenCL 1.2";
  }
  cl_platform_id platform = NULL;
  clGetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
  platform_text(platform, CL_PLATFORM_VERSION, text, sizeof text);
  if (!at_least_1_2(text)) {
    return "the platform is older than OpenCL 1.2";
  }
  device_text(id, CL_DEVICE_PROFILE, text, sizeof text);
  if (strcmp(text, "FULL_PROFILE") != 0) {
    return "the device does not have the full profile";
  }
  cl_bool yes = CL_FALSE;
  clGetDeviceInfo(id, CL_DEVICE_COMPILER_AVAILABLE, sizeof yes, &yes, NULL);
  if (!yes) {
    return "the device has no compiler";
  }
  clGetDeviceInfo(id, CL_DEVICE_AVAILABLE, sizeof yes, &yes, NULL);
  return yes ? NULL : "the device is not available";
}

/* ---- Walking the platforms ---- */

static relayout_status no_memory(relayout_error *error) {
  return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the list of OpenCL devices");
}

/* Appends the devices of one platform. */
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
  const cl_int code = clGetPlatformIDs(0, NULL, &there);
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
  relayout_status status = RELAYOUT_OK;
  if (clGetPlatformIDs(there, platforms, NULL) == CL_SUCCESS) {
    for (cl_uint p = 0; p < there && status == RELAYOUT_OK; ++p) {
      status = append_devices(platforms[p], p, found, count, error);
    }
  }
  free(platforms);
  return status;
}

/* "opencl:P:D", or "" for a device that no platform lists: a part of one. */
static void name_device(cl_device_id id, char *name, size_t capacity) {
  found_device *found = NULL;
  size_t count = 0;
  name[0] = '\0';
  if (find_devices(&found, &count, NULL) == RELAYOUT_OK) {
    for (size_t i = 0; i < count; ++i) {
      if (found[i].id == id) {
        snprintf(name, capacity, "opencl:%" PRIu32 ":%" PRIu32, found[i].platform_number,
                 found[i].device_number);
      }
    }
  }
  free(found);
}

static void fill_info(cl_device_id id, relayout_device_info *info) {
  info->backend = RELAYOUT_BACKEND_OPENCL;
  info->device_class = class_of(id);
  device_text(id, CL_DEVICE_NAME, info->description, sizeof info->description);
  device_text(id, CL_DRIVER_VERSION, info->driver, sizeof info->driver);

  char name[60] = "";
  char version[60] = "";
  cl_platform_id platform = NULL;
  if (clGetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) == CL_SUCCESS) {
    platform_text(platform, CL_PLATFORM_NAME, name, sizeof name);
    platform_text(platform, CL_PLATFORM_VERSION, version, sizeof version);
  }
  snprintf(info->platform, sizeof info->platform, "%s, %s", name, version);

  cl_uint units = 0;
  clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
  cl_ulong memory = 0;
  clGetDeviceInfo(id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
  cl_ulong allocation = 0;
  clGetDeviceInfo(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof allocation, &allocation, NULL);
  info->compute_units = units;
  info->memory_bytes = memory;
  info->allocation_bytes = allocation;
}

void rlt_opencl_device_info(cl_device_id id, relayout_device_info *info) {
  fill_info(id, info);
  name_device(id, info->name, sizeof info->name);
}

/* ---- For the plan layer ---- */

relayout_status rlt_opencl_list(relayout_device_info *infos, size_t capacity, size_t *count,
                                relayout_error *error) {
  found_device *found = NULL;
  size_t found_count = 0;
  const relayout_status status = find_devices(&found, &found_count, error);
  if (status != RELAYOUT_OK) {
    free(found);
    return status;
  }
  size_t usable = 0;
  for (size_t i = 0; i < found_count; ++i) {
    if (rlt_opencl_device_obstacle(found[i].id) != NULL) {
      continue;
    }
    if (usable < capacity) {
      relayout_device_info *const info = &infos[usable];
      fill_info(found[i].id, info);
      snprintf(info->name, sizeof info->name, "opencl:%" PRIu32 ":%" PRIu32,
               found[i].platform_number, found[i].device_number);
    }
    ++usable;
  }
  free(found);
  *count = usable;
  return RELAYOUT_OK;
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

relayout_status rlt_opencl_open_best(bool offload_only, relayout_device **device,
                                     relayout_error *error) {
  found_device *found = NULL;
  size_t count = 0;
  relayout_status status = find_devices(&found, &count, error);
  if (status != RELAYOUT_OK) {
    free(found);
    return status;
  }
  cl_device_id best = NULL;
  int best_preference = offload_only ? 0 : -1;
  for (size_t i = 0; i < count; ++i) {
    const int here = preference(class_of(found[i].id));
    if (here > best_preference && rlt_opencl_device_obstacle(found[i].id) == NULL) {
      best = found[i].id;
      best_preference = here;
    }
  }
  free(found);
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
