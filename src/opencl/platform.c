/* platform.c: finding devices on the platforms that the OpenCL loader knows. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/structs.h"
#include "base/threads.h"
#include "machine/host.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"
#include "opencl/device.h"

/* From cl_ext.h, where not every system's copy has it: the loader found no driver. */
enum { PLATFORM_NOT_FOUND = -1001 };

typedef struct found_device {
  uint32_t platform_number;
  uint32_t device_number;
  cl_device_id id;
} found_device;

/* ---- What one device tells ---- */

static relayout_status no_memory(relayout_error *error) {
  return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for OpenCL's device information");
}

/* As clGetDeviceInfo does it; what is asked of platforms, which has the lower numbers, the device's
 * platform answers. */
static relayout_status ask(cl_device_id id, cl_uint what, size_t size, void *answer, size_t *needed,
                           relayout_error *error) {
  const bool of_platform = what < CL_DEVICE_TYPE;
  cl_platform_id platform = NULL;
  cl_int code = of_platform
                    ? clGetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL)
                    : clGetDeviceInfo(id, what, size, answer, needed);
  if (code != CL_SUCCESS) {
    return rlt_cl_fail(error, code, "clGetDeviceInfo");
  }
  if (of_platform) {
    code = clGetPlatformInfo(platform, what, size, answer, needed);
  }
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clGetPlatformInfo");
}

relayout_status rlt_opencl_device_value(cl_device_id id, cl_device_info what, size_t size,
                                        void *value, relayout_error *error) {
  return ask(id, what, size, value, NULL, error);
}

relayout_status rlt_opencl_device_text(cl_device_id id, cl_uint what, char **text,
                                       relayout_error *error) {
  size_t size = 0;
  relayout_status status = ask(id, what, 0, NULL, &size, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  char *const made = rlt_calloc(1, size + 1);
  if (made == NULL) {
    return no_memory(error);
  }
  status = ask(id, what, size, made, NULL, error);
  if (status != RELAYOUT_OK) {
    rlt_free(made);
    return status;
  }
  *text = made;
  return RELAYOUT_OK;
}

/* For a value, or a string that is cut to fit. */
typedef struct question {
  cl_uint what;
  size_t size;
  void *answer;
  bool is_text;
} question;

#define VALUE(what, variable)                                                                      \
  { what, sizeof(variable), &(variable), false }
#define TEXT(what, array)                                                                          \
  { what, sizeof(array), array, true }

static relayout_status ask_all(cl_device_id id, const question *questions, size_t count,
                               relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  for (size_t i = 0; i < count && status == RELAYOUT_OK; ++i) {
    const question *const of = &questions[i];
    if (!of->is_text) {
      status = ask(id, of->what, of->size, of->answer, NULL, error);
      continue;
    }
    char *whole = NULL;
    status = rlt_opencl_device_text(id, of->what, &whole, error);
    snprintf(of->answer, of->size, "%s", whole == NULL ? "" : whole);
    rlt_free(whole);
  }
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

bool rlt_opencl_is_pocl(const relayout_device_info *info) {
  return strstr(info->platform, "Portable Computing Language") != NULL;
}

relayout_status rlt_opencl_number_told(cl_device_id id, cl_device_info what, int64_t most,
                                       int64_t *number, relayout_error *error) {
  const bool is_wide = what == CL_DEVICE_GLOBAL_MEM_CACHE_SIZE;
  cl_ulong wide = 0;
  cl_uint narrow = 0;
  const cl_int code = is_wide ? clGetDeviceInfo(id, what, sizeof wide, &wide, NULL)
                              : clGetDeviceInfo(id, what, sizeof narrow, &narrow, NULL);
  if (code != CL_SUCCESS && code != CL_INVALID_VALUE) {
    return rlt_cl_fail(error, code, "clGetDeviceInfo");
  }
  const cl_ulong told = is_wide ? wide : narrow;
  *number = code == CL_SUCCESS && told <= (cl_ulong)most ? (int64_t)told : 0;
  return RELAYOUT_OK;
}

/* Of a device that is not the host's: one cache. */
static relayout_status add_cache(cl_device_id id, rlt_machine *facts, relayout_error *error) {
  relayout_status status = rlt_opencl_number_told(
      id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, RLT_MOST_CACHE_BYTES, &facts->caches[0].bytes, error);
  if (status == RELAYOUT_OK) {
    status = rlt_opencl_number_told(id, CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, RLT_MOST_LINE_BYTES,
                                    &facts->line_bytes, error);
  }
  rlt_facts_settle(facts);
  return status;
}

relayout_status rlt_opencl_add_facts(cl_device_id id, const relayout_device_info *info,
                                     rlt_machine *facts, relayout_error *error) {
  const bool is_cpu = info->device_class == RELAYOUT_DEVICE_CLASS_CPU;
  int64_t shares_memory = 0;
  int64_t vector_bytes = 0;
  relayout_status status =
      rlt_opencl_number_told(id, CL_DEVICE_HOST_UNIFIED_MEMORY, CL_TRUE, &shares_memory, error);
  if (status == RELAYOUT_OK && is_cpu && shares_memory != 0) {
    rlt_host_add_facts(facts);
  }
  if (status == RELAYOUT_OK && facts->caches[0].bytes == 0) {
    status = add_cache(id, facts, error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_opencl_number_told(id, CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, RLT_MOST_VECTOR_BYTES,
                                    &vector_bytes, error);
  }
  facts->vector_bytes = (int32_t)vector_bytes;
  facts->shares_host_memory = shares_memory != 0;
  facts->streams = is_cpu && rlt_opencl_is_pocl(info);
  return status;
}

/* Version strings read "OpenCL <major>.<minor> <what the vendor likes>". */
static bool at_least_1_2(const char *version) {
  int major = 0;
  int minor = 0;
  return sscanf(version, "OpenCL %d.%d", &major, &minor) == 2 &&
         (major > 1 || (major == 1 && minor >= 2));
}

relayout_status rlt_opencl_device_check(cl_device_id id, relayout_error *error) {
  char version[64];
  char platform_version[64];
  char profile[64];
  cl_bool compiles = CL_FALSE;
  cl_bool is_available = CL_FALSE;
  const question questions[] = {
      TEXT(CL_DEVICE_VERSION, version), TEXT(CL_PLATFORM_VERSION, platform_version),
      TEXT(CL_DEVICE_PROFILE, profile), VALUE(CL_DEVICE_COMPILER_AVAILABLE, compiles),
      VALUE(CL_DEVICE_AVAILABLE, is_available)};
  const relayout_status status =
      ask_all(id, questions, sizeof questions / sizeof *questions, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const char *const obstacle =
      !at_least_1_2(version)                 ? "device is older than OpenCL 1.2"
      : !at_least_1_2(platform_version)      ? "platform is older than OpenCL 1.2"
      : strcmp(profile, "FULL_PROFILE") != 0 ? "device does not have the full profile"
      : !compiles                            ? "device has no compiler"
      : !is_available                        ? "device is not available"
                                             : NULL;
  return obstacle == NULL
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_UNSUPPORTED, "id %p: the %s", (void *)id, obstacle);
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
  cl_device_id *const ids = rlt_malloc(there * sizeof *ids);
  found_device *const longer =
      rlt_realloc(*found, *count * sizeof *longer, (*count + there) * sizeof *longer);
  if (longer != NULL) {
    *found = longer;
  }
  if (ids == NULL || longer == NULL) {
    rlt_free(ids);
    return no_memory(error);
  }
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, there, ids, NULL) == CL_SUCCESS) {
    for (cl_uint d = 0; d < there; ++d) {
      longer[(*count)++] = (found_device){platform_number, d, ids[d]};
    }
  }
  rlt_free(ids);
  return RELAYOUT_OK;
}

/* Every device there is, by platform; none without OpenCL. The caller frees the list, also after a
 * failure. */
static relayout_status find_devices(found_device **found, size_t *count, relayout_error *error) {
  *found = NULL;
  *count = 0;
  relayout_status status = rlt_cl_load(NULL);
  if (status != RELAYOUT_OK) {
    return status == RELAYOUT_OUT_OF_MEMORY ? no_memory(error) : RELAYOUT_OK;
  }
  cl_uint there = 0;
  cl_int code = clGetPlatformIDs(0, NULL, &there);
  if (code == PLATFORM_NOT_FOUND || (code == CL_SUCCESS && there == 0)) {
    return RELAYOUT_OK;
  }
  if (code != CL_SUCCESS) {
    return rlt_cl_fail(error, code, "clGetPlatformIDs");
  }
  cl_platform_id *const platforms = rlt_calloc(there, sizeof *platforms);
  if (platforms == NULL) {
    return no_memory(error);
  }
  code = clGetPlatformIDs(there, platforms, NULL);
  status = code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clGetPlatformIDs");
  for (cl_uint p = 0; p < there && status == RELAYOUT_OK; ++p) {
    status = append_devices(platforms[p], p, found, count, error);
  }
  rlt_free(platforms);
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
  rlt_free(found);
  return status;
}

/* All but the name. */
static relayout_status fill_info(cl_device_id id, relayout_device_info *info,
                                 relayout_error *error) {
  char platform[60] = "";
  char version[60] = "";
  const question questions[] = {TEXT(CL_DEVICE_NAME, info->description),
                                TEXT(CL_DRIVER_VERSION, info->driver),
                                TEXT(CL_PLATFORM_NAME, platform),
                                TEXT(CL_PLATFORM_VERSION, version),
                                VALUE(CL_DEVICE_MAX_COMPUTE_UNITS, info->compute_units),
                                VALUE(CL_DEVICE_GLOBAL_MEM_SIZE, info->memory_bytes),
                                VALUE(CL_DEVICE_MAX_MEM_ALLOC_SIZE, info->allocation_bytes)};
  info->backend = RELAYOUT_BACKEND_OPENCL;
  relayout_status status = get_class(id, &info->device_class, error);
  if (status == RELAYOUT_OK) {
    status = ask_all(id, questions, sizeof questions / sizeof *questions, error);
  }
  snprintf(info->platform, sizeof info->platform, "%s, %s", platform, version);
  if (status == RELAYOUT_OK) {
    rlt_machine machine = {0};
    status = rlt_opencl_add_facts(id, info, &machine, error);
    rlt_device_info_add_facts(&machine, info);
  }
  return status;
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
      rlt_struct_write(&info, sizeof info, rlt_info_at(infos, *count));
    }
    *count += status == RELAYOUT_OK;
  }
  return RELAYOUT_OK;
}

static relayout_status list_here(relayout_device_info *infos, size_t capacity, size_t *count,
                                 relayout_error *error) {
  found_device *found = NULL;
  size_t found_count = 0;
  relayout_status status = find_devices(&found, &found_count, error);
  if (status == RELAYOUT_OK) {
    status = list_found(found, found_count, infos, capacity, count, error);
  }
  rlt_free(found);
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

static relayout_status find_best_here(bool offload_only, cl_device_id *best,
                                      relayout_error *error) {
  found_device *found = NULL;
  size_t count = 0;
  relayout_status status = find_devices(&found, &count, error);
  if (status == RELAYOUT_OK) {
    status = find_best(found, count, offload_only, best, error);
  }
  rlt_free(found);
  if (status == RELAYOUT_OK && *best == NULL) {
    return rlt_fail(error, RELAYOUT_NO_DEVICE, "no OpenCL platform offers %s",
                    offload_only ? "a GPU or an accelerator" : "a device");
  }
  return status;
}

static relayout_status find_at(uint32_t platform, uint32_t device_number, cl_device_id *id,
                               relayout_error *error) {
  found_device *found = NULL;
  size_t count = 0;
  const relayout_status status = find_devices(&found, &count, error);
  *id = NULL;
  for (size_t i = 0; i < count && status == RELAYOUT_OK; ++i) {
    if (found[i].platform_number == platform && found[i].device_number == device_number) {
      *id = found[i].id;
    }
  }
  rlt_free(found);
  if (status == RELAYOUT_OK && *id == NULL) {
    return rlt_fail(error, RELAYOUT_NO_DEVICE,
                    "there is no OpenCL device %" PRIu32 " on platform %" PRIu32, device_number,
                    platform);
  }
  return status;
}

/* ---- On a stack of its own ----
 *
 * Whoever asks first has the drivers loaded, which may take more than the caller's stack has. A
 * context is made by the caller's own thread: Oclgrind keeps what it needs of memory with the
 * thread that made the context. */

typedef struct search {
  enum { LISTS, FINDS_BEST, FINDS_AT } what;
  relayout_device_info *infos;
  size_t capacity;
  size_t *count;
  bool offload_only;
  uint32_t platform;
  uint32_t device_number;
  cl_device_id *id;
  relayout_error *error;
  relayout_status status;
} search;

static void make_search(void *argument) {
  search *const made = argument;
  switch (made->what) {
  case LISTS:
    made->status = list_here(made->infos, made->capacity, made->count, made->error);
    break;
  case FINDS_BEST:
    made->status = find_best_here(made->offload_only, made->id, made->error);
    break;
  case FINDS_AT:
    made->status = find_at(made->platform, made->device_number, made->id, made->error);
    break;
  }
}

static relayout_status run_search(search made) {
  rlt_run_on_large_stack(make_search, &made);
  return made.status;
}

relayout_status rlt_opencl_list(relayout_device_info *infos, size_t capacity, size_t *count,
                                relayout_error *error) {
  return run_search((search){
      .what = LISTS, .infos = infos, .capacity = capacity, .count = count, .error = error});
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

relayout_status rlt_opencl_open_best(bool offload_only, relayout_device **device,
                                     relayout_error *error) {
  cl_device_id id = NULL;
  const relayout_status status = run_search(
      (search){.what = FINDS_BEST, .offload_only = offload_only, .id = &id, .error = error});
  return status == RELAYOUT_OK ? open_device(id, device, error) : status;
}

relayout_status rlt_opencl_open_at(uint32_t platform, uint32_t device_number,
                                   relayout_device **device, relayout_error *error) {
  cl_device_id id = NULL;
  const relayout_status status = run_search((search){.what = FINDS_AT,
                                                     .platform = platform,
                                                     .device_number = device_number,
                                                     .id = &id,
                                                     .error = error});
  return status == RELAYOUT_OK ? open_device(id, device, error) : status;
}
