/* command_buffer.c: finding cl_khr_command_buffer, and its calls that are not as simple as they are
 * declared. */
#include "opencl/command_buffer.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"

/* ---- As the extensions have it ---- */

enum {
  DEVICE_EXTENSIONS_WITH_VERSION = 0x1060, /* OpenCL 3.0 */
  DEVICE_COMMAND_BUFFER_CAPABILITIES = 0x12a9,
  CAPABILITY_SIMULTANEOUS_USE = 1 << 2,
  COMMAND_BUFFER_FLAGS = 0x1293,
  SIMULTANEOUS_USE = 1 << 0,
  MUTABLE = 1 << 1,
  COMMAND_BUFFER_NUM_QUEUES = 0x1295,
  COMMAND_BUFFER_STATE = 0x1297,
  STATE_RECORDING = 0,
  COMMAND_BUFFER_PROPERTIES_ARRAY = 0x1298,
  DEVICE_MUTABLE_DISPATCH_CAPABILITIES = 0x12b0,
  MUTABLE_DISPATCH_UPDATABLE_FIELDS = 0x12b1,
  FIELD_ARGUMENTS = 1 << 3,
  UPDATE_MUTABLE_DISPATCH = 0
};

#define VERSION(major, minor, patch) ((cl_uint)((major) << 22 | (minor) << 12 | (patch)))

/* From 0.9.2 of cl_khr_command_buffer_mutable_dispatch on. */
typedef struct mutable_dispatch {
  rlt_mutable_command command;
  cl_uint argument_count;
  cl_uint pointer_count;
  cl_uint exec_info_count;
  cl_uint rank;
  const rlt_mutable_argument *arguments;
  const rlt_mutable_argument *pointers;
  const void *exec_infos;
  const size_t *offset; /* NULL, like the sizes: as they were */
  const size_t *global_size;
  const size_t *local_size;
} mutable_dispatch;

const rlt_property rlt_mutable_arguments[] = {MUTABLE_DISPATCH_UPDATABLE_FIELDS, FIELD_ARGUMENTS,
                                              0};

/* ---- What the device has ---- */

typedef struct name_version {
  cl_uint version;
  char name[64];
} name_version;

typedef struct extensions {
  size_t count;
  name_version *list; /* owned */
} extensions;

/* Below OpenCL 3.0 devices may tell no versions: then there are none. */
static relayout_status list_extensions(const rlt_opencl_device *device, extensions *made,
                                       relayout_error *error) {
  size_t size = 0;
  cl_int code = clGetDeviceInfo(device->id, DEVICE_EXTENSIONS_WITH_VERSION, 0, NULL, &size);
  if (code == CL_INVALID_VALUE || (code == CL_SUCCESS && size < sizeof *made->list)) {
    return RELAYOUT_OK;
  }
  name_version *list = NULL;
  if (code == CL_SUCCESS) {
    list = rlt_malloc(size);
    if (list == NULL) {
      return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for %zu bytes of extensions", size);
    }
    code = clGetDeviceInfo(device->id, DEVICE_EXTENSIONS_WITH_VERSION, size, list, NULL);
  }
  if (code != CL_SUCCESS) {
    rlt_free(list);
    return rlt_cl_fail(error, code, "clGetDeviceInfo");
  }
  *made = (extensions){size / sizeof *list, list};
  return RELAYOUT_OK;
}

/* 0: it has none of that name. */
static cl_uint version_of(const extensions *from, const char *name) {
  for (size_t i = 0; i < from->count; ++i) {
    if (strncmp(from->list[i].name, name, sizeof from->list[i].name) == 0) {
      return from->list[i].version;
    }
  }
  return 0;
}

static relayout_status check_version(const rlt_opencl_device *device, cl_uint version,
                                     relayout_error *error) {
  const unsigned major = version >> 22;
  const unsigned minor = version >> 12 & 0x3ff;
  if (version == 0) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED, "device %s does not have cl_khr_command_buffer",
                    device->base.info.name);
  }
  return major == 1 || (major == 0 && minor == 9)
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_UNSUPPORTED,
                        "device %s has cl_khr_command_buffer %u.%u.%u, which this library does not "
                        "support",
                        device->base.info.name, major, minor, (unsigned)(version & 0xfff));
}

/* ---- Its functions ---- */

/* C does not convert objects' pointers to functions': `function` is where one is. */
static relayout_status find_function(cl_platform_id platform, const char *name, void *function,
                                     relayout_error *error) {
  void *const address = clGetExtensionFunctionAddressForPlatform(platform, name);
  memcpy(function, &address, sizeof address);
  return address != NULL ? RELAYOUT_OK
                         : rlt_fail(error, RELAYOUT_UNSUPPORTED,
                                    "the platform lacks %s of cl_khr_command_buffer", name);
}

static relayout_status find_functions(cl_platform_id platform, rlt_command_buffers *found,
                                      relayout_error *error) {
  const struct {
    const char *name;
    void *function;
  } wanted[] = {{"clCreateCommandBufferKHR", &found->create},
                {"clFinalizeCommandBufferKHR", &found->finalize},
                {"clReleaseCommandBufferKHR", &found->release},
                {"clEnqueueCommandBufferKHR", &found->enqueue},
                {"clCommandNDRangeKernelKHR", &found->command_range},
                {"clGetCommandBufferInfoKHR", &found->get_info},
                {"clCommandBarrierWithWaitListKHR", &found->command_barrier},
                {"clCommandFillBufferKHR", &found->command_fill}};
  relayout_status status = RELAYOUT_OK;
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0] && status == RELAYOUT_OK; ++i) {
    status = find_function(platform, wanted[i].name, wanted[i].function, error);
  }
  return status;
}

/* Who lacks it, or has a version that is not known here, changes no arguments. */
static relayout_status find_update(const rlt_opencl_device *device, cl_platform_id platform,
                                   cl_uint version, rlt_command_buffers *found,
                                   relayout_error *error) {
  if (version < VERSION(0, 9, 2) || version >= VERSION(0, 10, 0)) {
    return RELAYOUT_OK;
  }
  cl_bitfield fields = 0;
  const relayout_status status = rlt_opencl_device_value(
      device->id, DEVICE_MUTABLE_DISPATCH_CAPABILITIES, sizeof fields, &fields, error);
  return status == RELAYOUT_OK && (fields & FIELD_ARGUMENTS) != 0
             ? find_function(platform, "clUpdateMutableCommandsKHR", &found->update, error)
             : status;
}

relayout_status rlt_command_buffers_find(const rlt_opencl_device *device,
                                         rlt_command_buffers *found, relayout_error *error) {
  extensions known = {0, NULL};
  relayout_status status = list_extensions(device, &known, error);
  *found = (rlt_command_buffers){.version = version_of(&known, "cl_khr_command_buffer")};
  const cl_uint mutable_version = version_of(&known, "cl_khr_command_buffer_mutable_dispatch");
  rlt_free(known.list);
  if (status == RELAYOUT_OK) {
    status = check_version(device, found->version, error);
  }
  cl_platform_id platform = NULL;
  if (status == RELAYOUT_OK) {
    status =
        rlt_opencl_device_value(device->id, CL_DEVICE_PLATFORM, sizeof platform, &platform, error);
  }
  if (status == RELAYOUT_OK) {
    status = find_functions(platform, found, error);
  }
  if (status == RELAYOUT_OK) {
    status = find_update(device, platform, mutable_version, found, error);
  }
  cl_bitfield capabilities = 0;
  if (status == RELAYOUT_OK) {
    status = rlt_opencl_device_value(device->id, DEVICE_COMMAND_BUFFER_CAPABILITIES,
                                     sizeof capabilities, &capabilities, error);
  }
  found->is_simultaneous = (capabilities & CAPABILITY_SIMULTANEOUS_USE) != 0;
  return status;
}

/* ---- Command buffers ---- */

relayout_status rlt_command_buffers_make(const rlt_command_buffers *with, cl_command_queue queue,
                                         cl_command_buffer_khr *buffer, relayout_error *error) {
  const rlt_property flags = (with->is_simultaneous ? (rlt_property)SIMULTANEOUS_USE : 0) |
                             (with->update != NULL ? (rlt_property)MUTABLE : 0);
  const rlt_property properties[] = {COMMAND_BUFFER_FLAGS, flags, 0};
  cl_int code = CL_SUCCESS;
  *buffer = with->create(1, &queue, flags == 0 ? NULL : properties, &code);
  return *buffer != NULL ? RELAYOUT_OK : rlt_cl_fail(error, code, "clCreateCommandBufferKHR");
}

static bool has_flag(const rlt_property *properties, size_t count, rlt_property flag) {
  for (size_t i = 0; i + 1 < count && properties[i] != 0; i += 2) {
    if (properties[i] == COMMAND_BUFFER_FLAGS) {
      return (properties[i + 1] & flag) != 0;
    }
  }
  return false;
}

relayout_status rlt_command_buffers_check(const rlt_command_buffers *with,
                                          cl_command_buffer_khr buffer, bool *is_mutable,
                                          relayout_error *error) {
  enum { MOST_PROPERTIES = 32 };
  cl_uint state = 0;
  cl_uint queue_count = 0;
  rlt_property properties[MOST_PROPERTIES];
  size_t size = 0;
  cl_int code = with->get_info(buffer, COMMAND_BUFFER_STATE, sizeof state, &state, NULL);
  if (code == CL_SUCCESS && state != STATE_RECORDING) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "command_buffer %p is not being recorded: its state is %u", (void *)buffer,
                    (unsigned)state);
  }
  if (code == CL_SUCCESS) {
    code =
        with->get_info(buffer, COMMAND_BUFFER_NUM_QUEUES, sizeof queue_count, &queue_count, NULL);
  }
  if (code == CL_SUCCESS && queue_count != 1) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED, "command_buffer %p has %u queues; expected one",
                    (void *)buffer, (unsigned)queue_count);
  }
  if (code == CL_SUCCESS) {
    code = with->get_info(buffer, COMMAND_BUFFER_PROPERTIES_ARRAY, sizeof properties, properties,
                          &size);
  }
  *is_mutable = code == CL_SUCCESS && has_flag(properties, size / sizeof *properties, MUTABLE);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clGetCommandBufferInfoKHR");
}

/* Since then commands of all kinds have properties. */
static bool has_properties(const rlt_command_buffers *with) {
  return with->version >= VERSION(0, 9, 5);
}

cl_int rlt_command_buffers_barrier(const rlt_command_buffers *with, cl_command_buffer_khr buffer,
                                   cl_uint n_wait, const cl_sync_point_khr *wait,
                                   cl_sync_point_khr *sync_point) {
  if (!has_properties(with)) {
    rlt_first_barrier *call = NULL;
    memcpy(&call, &with->command_barrier, sizeof call);
    return call(buffer, NULL, n_wait, wait, sync_point, NULL);
  }
  rlt_later_barrier *call = NULL;
  memcpy(&call, &with->command_barrier, sizeof call);
  return call(buffer, NULL, NULL, n_wait, wait, sync_point, NULL);
}

cl_int rlt_command_buffers_clear(const rlt_command_buffers *with, cl_command_buffer_khr buffer,
                                 cl_mem memory, size_t offset, size_t bytes, cl_uint n_wait,
                                 const cl_sync_point_khr *wait, cl_sync_point_khr *sync_point) {
  const cl_uint zero = 0;
  if (!has_properties(with)) {
    rlt_first_fill *call = NULL;
    memcpy(&call, &with->command_fill, sizeof call);
    return call(buffer, NULL, memory, &zero, sizeof zero, offset, bytes, n_wait, wait, sync_point,
                NULL);
  }
  rlt_later_fill *call = NULL;
  memcpy(&call, &with->command_fill, sizeof call);
  return call(buffer, NULL, NULL, memory, &zero, sizeof zero, offset, bytes, n_wait, wait,
              sync_point, NULL);
}

/* ---- Changes ---- */

relayout_status rlt_command_buffers_update(const rlt_command_buffers *with,
                                           cl_command_buffer_khr buffer, int32_t count,
                                           const rlt_mutation *mutations, relayout_error *error) {
  const size_t size = sizeof(mutable_dispatch) + sizeof(const void *) + sizeof(cl_uint);
  mutable_dispatch *const dispatches = rlt_calloc((size_t)count, size);
  if (dispatches == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for %d changed commands", (int)count);
  }
  const void **const configs = (const void **)(dispatches + count);
  cl_uint *const types = (cl_uint *)(configs + count);
  for (int32_t i = 0; i < count; ++i) {
    dispatches[i] = (mutable_dispatch){.command = mutations[i].command,
                                       .argument_count = mutations[i].argument_count,
                                       .arguments = mutations[i].arguments};
    configs[i] = &dispatches[i];
    types[i] = UPDATE_MUTABLE_DISPATCH;
  }
  const cl_int code = with->update(buffer, (cl_uint)count, types, configs);
  rlt_free(dispatches);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clUpdateMutableCommandsKHR");
}
