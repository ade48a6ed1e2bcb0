/* wrapped_opencl.c: the OpenCL functions that the library calls, each able to fail with an error
 * code in place of the driver's answer. Those that wait do so before they fail, since the test
 * could not go on otherwise. Releasing cannot fail. */
#define CL_TARGET_OPENCL_VERSION 200 /* SVM, and queues as before 2.0 */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <stdint.h>
#include <string.h>

#include "faults/fault.h"
#include "faults/live.h"
#include "opencl/cl.h"
#include "opencl/command_buffer.h"

/* CL_SUCCESS, or what this call fails with: any may lack memory or resources, `own` is its own
 * error. */
static cl_int code_of(const char *call, cl_int own) {
  const cl_int codes[] = {own, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES};
  int32_t variant = 0;
  if (!fault_strikes(FAULT_OPENCL, call, &variant)) {
    return CL_SUCCESS;
  }
  fault_note_code(codes[variant % 3]);
  return codes[variant % 3];
}

/* ---- Makers: the object they return, and the error in their last argument ---- */

#define WRAP_MAKER(type, kind, own, name, parameters, arguments)                                   \
  type __real_##name parameters;                                                                   \
  type __wrap_##name parameters;                                                                   \
  type __wrap_##name parameters {                                                                  \
    const cl_int code = code_of(#name, own);                                                       \
    if (code != CL_SUCCESS) {                                                                      \
      if (code_ret != NULL) {                                                                      \
        *code_ret = code;                                                                          \
      }                                                                                            \
      return NULL;                                                                                 \
    }                                                                                              \
    const type made = __real_##name arguments;                                                     \
    if (made != NULL) {                                                                            \
      live_add(kind, (uintptr_t)made);                                                             \
    }                                                                                              \
    return made;                                                                                   \
  }

typedef void (*context_notify)(const char *, const void *, size_t, void *);
typedef void (*program_notify)(cl_program, void *);

WRAP_MAKER(cl_context, LIVE_CONTEXT, CL_DEVICE_NOT_AVAILABLE, clCreateContext,
           (const cl_context_properties *properties, cl_uint count, const cl_device_id *ids,
            context_notify notify, void *data, cl_int *code_ret),
           (properties, count, ids, notify, data, code_ret))
WRAP_MAKER(cl_command_queue, LIVE_QUEUE, CL_INVALID_QUEUE_PROPERTIES, clCreateCommandQueue,
           (cl_context context, cl_device_id id, cl_command_queue_properties properties,
            cl_int *code_ret),
           (context, id, properties, code_ret))
WRAP_MAKER(cl_mem, LIVE_BUFFER, CL_MEM_OBJECT_ALLOCATION_FAILURE, clCreateBuffer,
           (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code_ret),
           (context, flags, size, host, code_ret))
WRAP_MAKER(cl_mem, LIVE_BUFFER, CL_MISALIGNED_SUB_BUFFER_OFFSET, clCreateSubBuffer,
           (cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void *what,
            cl_int *code_ret),
           (buffer, flags, type, what, code_ret))
WRAP_MAKER(cl_mem, LIVE_BUFFER, CL_INVALID_IMAGE_SIZE, clCreateImage,
           (cl_context context, cl_mem_flags flags, const cl_image_format *format,
            const cl_image_desc *desc, void *host, cl_int *code_ret),
           (context, flags, format, desc, host, code_ret))
WRAP_MAKER(cl_program, LIVE_PROGRAM, CL_INVALID_VALUE, clCreateProgramWithSource,
           (cl_context context, cl_uint count, const char **texts, const size_t *lengths,
            cl_int *code_ret),
           (context, count, texts, lengths, code_ret))
WRAP_MAKER(cl_program, LIVE_PROGRAM, CL_INVALID_BINARY, clCreateProgramWithBinary,
           (cl_context context, cl_uint count, const cl_device_id *ids, const size_t *lengths,
            const unsigned char **binaries, cl_int *states, cl_int *code_ret),
           (context, count, ids, lengths, binaries, states, code_ret))
WRAP_MAKER(cl_kernel, LIVE_KERNEL, CL_INVALID_KERNEL_DEFINITION, clCreateKernel,
           (cl_program program, const char *name, cl_int *code_ret), (program, name, code_ret))
WRAP_MAKER(cl_event, LIVE_EVENT, CL_INVALID_CONTEXT, clCreateUserEvent,
           (cl_context context, cl_int *code_ret), (context, code_ret))

/* ---- Holds ---- */

#define WRAP_HOLDS(type, kind, name)                                                               \
  cl_int __real_clRetain##name(type object);                                                       \
  cl_int __wrap_clRetain##name(type object);                                                       \
  cl_int __wrap_clRetain##name(type object) {                                                      \
    const cl_int code = code_of("clRetain" #name, CL_OUT_OF_RESOURCES);                            \
    if (code != CL_SUCCESS) {                                                                      \
      return code;                                                                                 \
    }                                                                                              \
    live_add(kind, (uintptr_t)object);                                                             \
    return __real_clRetain##name(object);                                                          \
  }                                                                                                \
  cl_int __real_clRelease##name(type object);                                                      \
  cl_int __wrap_clRelease##name(type object);                                                      \
  cl_int __wrap_clRelease##name(type object) {                                                     \
    live_remove(kind, (uintptr_t)object);                                                          \
    return __real_clRelease##name(object);                                                         \
  }

WRAP_HOLDS(cl_context, LIVE_CONTEXT, Context)
WRAP_HOLDS(cl_device_id, LIVE_DEVICE, Device)
WRAP_HOLDS(cl_command_queue, LIVE_QUEUE, CommandQueue)
WRAP_HOLDS(cl_mem, LIVE_BUFFER, MemObject)
WRAP_HOLDS(cl_program, LIVE_PROGRAM, Program)
WRAP_HOLDS(cl_kernel, LIVE_KERNEL, Kernel)
WRAP_HOLDS(cl_event, LIVE_EVENT, Event)

/* What the callback frees is the library's. */
cl_int __real_clSetMemObjectDestructorCallback(
    cl_mem memory, void(CL_CALLBACK *destroyed)(cl_mem memory, void *data), void *data);
cl_int __wrap_clSetMemObjectDestructorCallback(
    cl_mem memory, void(CL_CALLBACK *destroyed)(cl_mem memory, void *data), void *data);
cl_int __wrap_clSetMemObjectDestructorCallback(
    cl_mem memory, void(CL_CALLBACK *destroyed)(cl_mem memory, void *data), void *data) {
  const cl_int code = code_of("clSetMemObjectDestructorCallback", CL_INVALID_MEM_OBJECT);
  return code == CL_SUCCESS ? __real_clSetMemObjectDestructorCallback(memory, destroyed, data)
                            : code;
}

/* ---- Commands: the event in their last argument ---- */

#define WRAP_COMMAND(own, name, parameters, arguments)                                             \
  cl_int __real_##name parameters;                                                                 \
  cl_int __wrap_##name parameters;                                                                 \
  cl_int __wrap_##name parameters {                                                                \
    cl_int code = code_of(#name, own);                                                             \
    if (code == CL_SUCCESS) {                                                                      \
      code = __real_##name arguments;                                                              \
      if (code == CL_SUCCESS && event != NULL) {                                                   \
        live_add(LIVE_EVENT, (uintptr_t)*event);                                                   \
      }                                                                                            \
    }                                                                                              \
    return code;                                                                                   \
  }

WRAP_COMMAND(CL_MEM_OBJECT_ALLOCATION_FAILURE, clEnqueueNDRangeKernel,
             (cl_command_queue queue, cl_kernel kernel, cl_uint rank, const size_t *offset,
              const size_t *global, const size_t *local, cl_uint n_wait, const cl_event *wait,
              cl_event *event),
             (queue, kernel, rank, offset, global, local, n_wait, wait, event))
WRAP_COMMAND(CL_MEM_OBJECT_ALLOCATION_FAILURE, clEnqueueNativeKernel,
             (cl_command_queue queue, void(CL_CALLBACK *kernel)(void *), void *arguments,
              size_t size, cl_uint count, const cl_mem *memory, const void **places, cl_uint n_wait,
              const cl_event *wait, cl_event *event),
             (queue, kernel, arguments, size, count, memory, places, n_wait, wait, event))
WRAP_COMMAND(CL_MEM_OBJECT_ALLOCATION_FAILURE, clEnqueueReadBuffer,
             (cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t offset, size_t size,
              void *to, cl_uint n_wait, const cl_event *wait, cl_event *event),
             (queue, buffer, blocks, offset, size, to, n_wait, wait, event))
WRAP_COMMAND(CL_MEM_OBJECT_ALLOCATION_FAILURE, clEnqueueWriteBuffer,
             (cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t offset, size_t size,
              const void *from, cl_uint n_wait, const cl_event *wait, cl_event *event),
             (queue, buffer, blocks, offset, size, from, n_wait, wait, event))
WRAP_COMMAND(CL_MEM_OBJECT_ALLOCATION_FAILURE, clEnqueueCopyBuffer,
             (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
              size_t size, cl_uint n_wait, const cl_event *wait, cl_event *event),
             (queue, from, to, from_offset, to_offset, size, n_wait, wait, event))
WRAP_COMMAND(CL_MEM_OBJECT_ALLOCATION_FAILURE, clEnqueueFillBuffer,
             (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_size,
              size_t offset, size_t size, cl_uint n_wait, const cl_event *wait, cl_event *event),
             (queue, buffer, pattern, pattern_size, offset, size, n_wait, wait, event))
WRAP_COMMAND(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList,
             (cl_command_queue queue, cl_uint n_wait, const cl_event *wait, cl_event *event),
             (queue, n_wait, wait, event))
WRAP_COMMAND(CL_INVALID_EVENT_WAIT_LIST, clEnqueueBarrierWithWaitList,
             (cl_command_queue queue, cl_uint n_wait, const cl_event *wait, cl_event *event),
             (queue, n_wait, wait, event))

WRAP_COMMAND(CL_MEM_OBJECT_ALLOCATION_FAILURE, clEnqueueReadBufferRect,
             (cl_command_queue queue, cl_mem buffer, cl_bool blocks, const size_t *origin,
              const size_t *host_origin, const size_t *region, size_t row, size_t slice,
              size_t host_row, size_t host_slice, void *to, cl_uint n_wait, const cl_event *wait,
              cl_event *event),
             (queue, buffer, blocks, origin, host_origin, region, row, slice, host_row, host_slice,
              to, n_wait, wait, event))
WRAP_COMMAND(CL_MEM_OBJECT_ALLOCATION_FAILURE, clEnqueueWriteBufferRect,
             (cl_command_queue queue, cl_mem buffer, cl_bool blocks, const size_t *origin,
              const size_t *host_origin, const size_t *region, size_t row, size_t slice,
              size_t host_row, size_t host_slice, const void *from, cl_uint n_wait,
              const cl_event *wait, cl_event *event),
             (queue, buffer, blocks, origin, host_origin, region, row, slice, host_row, host_slice,
              from, n_wait, wait, event))
WRAP_COMMAND(CL_INVALID_IMAGE_SIZE, clEnqueueCopyImageToBuffer,
             (cl_command_queue queue, cl_mem image, cl_mem buffer, const size_t *origin,
              const size_t *region, size_t offset, cl_uint n_wait, const cl_event *wait,
              cl_event *event),
             (queue, image, buffer, origin, region, offset, n_wait, wait, event))
WRAP_COMMAND(CL_INVALID_IMAGE_SIZE, clEnqueueCopyBufferToImage,
             (cl_command_queue queue, cl_mem buffer, cl_mem image, size_t offset,
              const size_t *origin, const size_t *region, cl_uint n_wait, const cl_event *wait,
              cl_event *event),
             (queue, buffer, image, offset, origin, region, n_wait, wait, event))
WRAP_COMMAND(CL_OUT_OF_RESOURCES, clEnqueueUnmapMemObject,
             (cl_command_queue queue, cl_mem buffer, void *at, cl_uint n_wait, const cl_event *wait,
              cl_event *event),
             (queue, buffer, at, n_wait, wait, event))

/* The only command that makes something beside its event. */
void *__real_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocks,
                                cl_map_flags flags, size_t offset, size_t size, cl_uint n_wait,
                                const cl_event *wait, cl_event *event, cl_int *code_ret);
void *__wrap_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocks,
                                cl_map_flags flags, size_t offset, size_t size, cl_uint n_wait,
                                const cl_event *wait, cl_event *event, cl_int *code_ret);
void *__wrap_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocks,
                                cl_map_flags flags, size_t offset, size_t size, cl_uint n_wait,
                                const cl_event *wait, cl_event *event, cl_int *code_ret) {
  *code_ret = code_of("clEnqueueMapBuffer", CL_MAP_FAILURE);
  if (*code_ret != CL_SUCCESS) {
    return NULL;
  }
  void *const at = __real_clEnqueueMapBuffer(queue, buffer, blocks, flags, offset, size, n_wait,
                                             wait, event, code_ret);
  if (*code_ret == CL_SUCCESS && event != NULL) {
    live_add(LIVE_EVENT, (uintptr_t)*event);
  }
  return at;
}

/* ---- Waiting ---- */

#define WRAP_WAIT(own, name, parameters, arguments)                                                \
  cl_int __real_##name parameters;                                                                 \
  cl_int __wrap_##name parameters;                                                                 \
  cl_int __wrap_##name parameters {                                                                \
    const cl_int code = code_of(#name, own);                                                       \
    const cl_int real_code = __real_##name arguments;                                              \
    return code != CL_SUCCESS ? code : real_code;                                                  \
  }

WRAP_WAIT(CL_INVALID_COMMAND_QUEUE, clFinish, (cl_command_queue queue), (queue))
WRAP_WAIT(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents,
          (cl_uint count, const cl_event *events), (count, events))

/* ---- Questions and the rest ---- */

#define WRAP_PLAIN(own, name, parameters, arguments)                                               \
  cl_int __real_##name parameters;                                                                 \
  cl_int __wrap_##name parameters;                                                                 \
  cl_int __wrap_##name parameters {                                                                \
    const cl_int code = code_of(#name, own);                                                       \
    return code != CL_SUCCESS ? code : __real_##name arguments;                                    \
  }

/* Questions about an object all have the same four last arguments. */
#define WRAP_QUESTION(name, type, info)                                                            \
  WRAP_PLAIN(CL_INVALID_VALUE, name,                                                               \
             (type object, info what, size_t size, void *value, size_t *size_ret),                 \
             (object, what, size, value, size_ret))

WRAP_QUESTION(clGetPlatformInfo, cl_platform_id, cl_platform_info)
WRAP_QUESTION(clGetDeviceInfo, cl_device_id, cl_device_info)
WRAP_QUESTION(clGetContextInfo, cl_context, cl_context_info)
WRAP_QUESTION(clGetCommandQueueInfo, cl_command_queue, cl_command_queue_info)
WRAP_QUESTION(clGetMemObjectInfo, cl_mem, cl_mem_info)
WRAP_QUESTION(clGetImageInfo, cl_mem, cl_image_info)
WRAP_QUESTION(clGetProgramInfo, cl_program, cl_program_info)
WRAP_QUESTION(clGetKernelInfo, cl_kernel, cl_kernel_info)
WRAP_QUESTION(clGetEventInfo, cl_event, cl_event_info)
WRAP_QUESTION(clGetEventProfilingInfo, cl_event, cl_profiling_info)

WRAP_PLAIN(CL_INVALID_VALUE, clGetProgramBuildInfo,
           (cl_program program, cl_device_id id, cl_program_build_info what, size_t size,
            void *value, size_t *size_ret),
           (program, id, what, size, value, size_ret))
WRAP_PLAIN(CL_INVALID_VALUE, clGetKernelWorkGroupInfo,
           (cl_kernel kernel, cl_device_id id, cl_kernel_work_group_info what, size_t size,
            void *value, size_t *size_ret),
           (kernel, id, what, size, value, size_ret))
WRAP_PLAIN(CL_INVALID_VALUE, clGetPlatformIDs,
           (cl_uint capacity, cl_platform_id *platforms, cl_uint *count),
           (capacity, platforms, count))
WRAP_PLAIN(CL_INVALID_PLATFORM, clGetDeviceIDs,
           (cl_platform_id platform, cl_device_type type, cl_uint capacity, cl_device_id *ids,
            cl_uint *count),
           (platform, type, capacity, ids, count))
WRAP_PLAIN(CL_BUILD_PROGRAM_FAILURE, clBuildProgram,
           (cl_program program, cl_uint count, const cl_device_id *ids, const char *options,
            program_notify notify, void *data),
           (program, count, ids, options, notify, data))
WRAP_PLAIN(CL_INVALID_ARG_VALUE, clSetKernelArg,
           (cl_kernel kernel, cl_uint number, size_t size, const void *value),
           (kernel, number, size, value))
WRAP_PLAIN(CL_INVALID_VALUE, clSetUserEventStatus, (cl_event event, cl_int state), (event, state))
WRAP_PLAIN(CL_INVALID_COMMAND_QUEUE, clFlush, (cl_command_queue queue), (queue))
WRAP_PLAIN(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer,
           (cl_kernel kernel, cl_uint number, const void *pointer), (kernel, number, pointer))

/* ---- cl_khr_command_buffer, whose functions are found by name ---- */

static rlt_command_buffers found;

static cl_command_buffer_khr CL_API_CALL create_commands(cl_uint queue_count,
                                                         const cl_command_queue *queues,
                                                         const rlt_property *properties,
                                                         cl_int *code_ret) {
  const cl_int code = code_of("clCreateCommandBufferKHR", CL_INVALID_VALUE);
  if (code != CL_SUCCESS) {
    *code_ret = code;
    return NULL;
  }
  const cl_command_buffer_khr made = found.create(queue_count, queues, properties, code_ret);
  if (made != NULL) {
    live_add(LIVE_COMMANDS, (uintptr_t)made);
  }
  return made;
}

static cl_int CL_API_CALL release_commands(cl_command_buffer_khr buffer) {
  live_remove(LIVE_COMMANDS, (uintptr_t)buffer);
  return found.release(buffer);
}

static cl_int CL_API_CALL finalize_commands(cl_command_buffer_khr buffer) {
  const cl_int code = code_of("clFinalizeCommandBufferKHR", CL_INVALID_OPERATION);
  return code == CL_SUCCESS ? found.finalize(buffer) : code;
}

static cl_int CL_API_CALL enqueue_commands(cl_uint queue_count, cl_command_queue *queues,
                                           cl_command_buffer_khr buffer, cl_uint n_wait,
                                           const cl_event *wait, cl_event *event) {
  cl_int code = code_of("clEnqueueCommandBufferKHR", CL_INVALID_OPERATION);
  if (code == CL_SUCCESS) {
    code = found.enqueue(queue_count, queues, buffer, n_wait, wait, event);
    if (code == CL_SUCCESS && event != NULL) {
      live_add(LIVE_EVENT, (uintptr_t)*event);
    }
  }
  return code;
}

static cl_int CL_API_CALL add_range(cl_command_buffer_khr buffer, cl_command_queue queue,
                                    const rlt_property *properties, cl_kernel kernel, cl_uint rank,
                                    const size_t *offset, const size_t *global_size,
                                    const size_t *local_size, cl_uint n_wait,
                                    const cl_sync_point_khr *wait, cl_sync_point_khr *sync_point,
                                    rlt_mutable_command *command) {
  const cl_int code = code_of("clCommandNDRangeKernelKHR", CL_MEM_OBJECT_ALLOCATION_FAILURE);
  return code == CL_SUCCESS
             ? found.command_range(buffer, queue, properties, kernel, rank, offset, global_size,
                                   local_size, n_wait, wait, sync_point, command)
             : code;
}

static cl_int CL_API_CALL ask_commands(cl_command_buffer_khr buffer, cl_uint what, size_t size,
                                       void *value, size_t *size_ret) {
  const cl_int code = code_of("clGetCommandBufferInfoKHR", CL_INVALID_VALUE);
  return code == CL_SUCCESS ? found.get_info(buffer, what, size, value, size_ret) : code;
}

static rlt_first_fill *found_first_fill;
static rlt_later_fill *found_later_fill;
uint32_t fault_command_buffer_version;

static cl_int CL_API_CALL add_first_fill(cl_command_buffer_khr buffer, cl_command_queue queue,
                                         cl_mem memory, const void *pattern, size_t pattern_size,
                                         size_t offset, size_t size, cl_uint n_wait,
                                         const cl_sync_point_khr *wait,
                                         cl_sync_point_khr *sync_point,
                                         rlt_mutable_command *command) {
  const cl_int code = code_of("clCommandFillBufferKHR", CL_MEM_OBJECT_ALLOCATION_FAILURE);
  return code == CL_SUCCESS ? found_first_fill(buffer, queue, memory, pattern, pattern_size, offset,
                                               size, n_wait, wait, sync_point, command)
                            : code;
}

static cl_int CL_API_CALL add_later_fill(cl_command_buffer_khr buffer, cl_command_queue queue,
                                         const rlt_property *properties, cl_mem memory,
                                         const void *pattern, size_t pattern_size, size_t offset,
                                         size_t size, cl_uint n_wait, const cl_sync_point_khr *wait,
                                         cl_sync_point_khr *sync_point,
                                         rlt_mutable_command *command) {
  const cl_int code = code_of("clCommandFillBufferKHR", CL_MEM_OBJECT_ALLOCATION_FAILURE);
  return code == CL_SUCCESS
             ? found_later_fill(buffer, queue, properties, memory, pattern, pattern_size, offset,
                                size, n_wait, wait, sync_point, command)
             : code;
}

/* Whether commands of all kinds have properties. */
static bool has_properties(void) {
  return fault_command_buffer_version >= (9 << 12 | 5);
}

/* The wrapper of a function of this name, which becomes known; the function where there is none. */
static void *wrapper_of(const char *name, void *function) {
  rlt_create_command_buffer *const create = create_commands;
  rlt_use_command_buffer *const release = release_commands;
  rlt_use_command_buffer *const finalize = finalize_commands;
  rlt_enqueue_command_buffer *const enqueue = enqueue_commands;
  rlt_command_range *const range = add_range;
  rlt_get_command_buffer_info *const ask = ask_commands;
  rlt_first_fill *const first = add_first_fill;
  rlt_later_fill *const later = add_later_fill;
  const struct {
    const char *name;
    void *real;
    const void *wrapper;
  } known[] = {{"clCreateCommandBufferKHR", &found.create, &create},
               {"clReleaseCommandBufferKHR", &found.release, &release},
               {"clFinalizeCommandBufferKHR", &found.finalize, &finalize},
               {"clEnqueueCommandBufferKHR", &found.enqueue, &enqueue},
               {"clCommandNDRangeKernelKHR", &found.command_range, &range},
               {"clGetCommandBufferInfoKHR", &found.get_info, &ask},
               {"clCommandFillBufferKHR",
                has_properties() ? (void *)&found_later_fill : (void *)&found_first_fill,
                has_properties() ? (const void *)&later : (const void *)&first}};
  for (size_t i = 0; function != NULL && i < sizeof known / sizeof known[0]; ++i) {
    if (strcmp(name, known[i].name) == 0) {
      memcpy(known[i].real, &function, sizeof function);
      memcpy(&function, known[i].wrapper, sizeof function);
      return function;
    }
  }
  return function;
}

/* A name that nobody knows. */
void *__real_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name);
void *__wrap_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name);
void *__wrap_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name) {
  return code_of("clGetExtensionFunctionAddressForPlatform", CL_INVALID_VALUE) == CL_SUCCESS
             ? wrapper_of(name, __real_clGetExtensionFunctionAddressForPlatform(platform, name))
             : NULL;
}
