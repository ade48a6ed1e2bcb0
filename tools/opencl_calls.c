/* opencl_calls.c: OpenCL's functions that the command calls by itself, for builds that do not link
 * OpenCL's loader: each is found in it when it is called first. The library opens the same loader,
 * so that who has a handle has the functions too.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

/* NULL where there is no loader, or it lacks the function. Two threads may look at once, and find
 * the same. */
static void *found(_Atomic(void *) *known, const char *name) {
  void *function = atomic_load_explicit(known, memory_order_acquire);
  if (function == NULL) {
    void *const loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    function = loader == NULL ? NULL : dlsym(loader, name);
    atomic_store_explicit(known, function, memory_order_release);
  }
  return function;
}

/* ISO C converts no pointer to an object to one to a function. */
#define FIND(result, name, parameters)                                                             \
  static _Atomic(void *) known;                                                                    \
  void *const address = found(&known, #name);                                                      \
  result(CL_API_CALL *call) parameters = NULL;                                                     \
  memcpy(&call, &address, sizeof call);

#define STATUS_CALL(name, parameters, arguments)                                                   \
  cl_int CL_API_CALL name parameters {                                                             \
    FIND(cl_int, name, parameters)                                                                 \
    return call == NULL ? CL_DEVICE_NOT_AVAILABLE : call arguments;                                \
  }

#define HANDLE_CALL(result, name, parameters, arguments)                                           \
  result CL_API_CALL name parameters {                                                             \
    FIND(result, name, parameters)                                                                 \
    if (call == NULL && errcode_ret != NULL) {                                                     \
      *errcode_ret = CL_DEVICE_NOT_AVAILABLE;                                                      \
    }                                                                                              \
    return call == NULL ? NULL : call arguments;                                                   \
  }

STATUS_CALL(clBuildProgram,
            (cl_program program, cl_uint num_devices, const cl_device_id *device_list,
             const char *options, void (*pfn_notify)(cl_program program, void *user_data),
             void *user_data),
            (program, num_devices, device_list, options, pfn_notify, user_data))
HANDLE_CALL(cl_mem, clCreateBuffer,
            (cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
             cl_int *errcode_ret),
            (context, flags, size, host_ptr, errcode_ret))
HANDLE_CALL(cl_command_queue, clCreateCommandQueue,
            (cl_context context, cl_device_id device, cl_command_queue_properties properties,
             cl_int *errcode_ret),
            (context, device, properties, errcode_ret))
HANDLE_CALL(cl_kernel, clCreateKernel,
            (cl_program program, const char *kernel_name, cl_int *errcode_ret),
            (program, kernel_name, errcode_ret))
HANDLE_CALL(cl_program, clCreateProgramWithSource,
            (cl_context context, cl_uint count, const char **strings, const size_t *lengths,
             cl_int *errcode_ret),
            (context, count, strings, lengths, errcode_ret))
STATUS_CALL(clEnqueueCopyBuffer,
            (cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
             size_t src_offset, size_t dst_offset, size_t size, cl_uint num_events_in_wait_list,
             const cl_event *event_wait_list, cl_event *event),
            (command_queue, src_buffer, dst_buffer, src_offset, dst_offset, size,
             num_events_in_wait_list, event_wait_list, event))
STATUS_CALL(clEnqueueCopyBufferRect,
            (cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
             const size_t *src_origin, const size_t *dst_origin, const size_t *region,
             size_t src_row_pitch, size_t src_slice_pitch, size_t dst_row_pitch,
             size_t dst_slice_pitch, cl_uint num_events_in_wait_list,
             const cl_event *event_wait_list, cl_event *event),
            (command_queue, src_buffer, dst_buffer, src_origin, dst_origin, region, src_row_pitch,
             src_slice_pitch, dst_row_pitch, dst_slice_pitch, num_events_in_wait_list,
             event_wait_list, event))
STATUS_CALL(clEnqueueFillBuffer,
            (cl_command_queue command_queue, cl_mem buffer, const void *pattern,
             size_t pattern_size, size_t offset, size_t size, cl_uint num_events_in_wait_list,
             const cl_event *event_wait_list, cl_event *event),
            (command_queue, buffer, pattern, pattern_size, offset, size, num_events_in_wait_list,
             event_wait_list, event))
HANDLE_CALL(void *, clEnqueueMapBuffer,
            (cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_map,
             cl_map_flags map_flags, size_t offset, size_t size, cl_uint num_events_in_wait_list,
             const cl_event *event_wait_list, cl_event *event, cl_int *errcode_ret),
            (command_queue, buffer, blocking_map, map_flags, offset, size, num_events_in_wait_list,
             event_wait_list, event, errcode_ret))
STATUS_CALL(clEnqueueMarkerWithWaitList,
            (cl_command_queue command_queue, cl_uint num_events_in_wait_list,
             const cl_event *event_wait_list, cl_event *event),
            (command_queue, num_events_in_wait_list, event_wait_list, event))
STATUS_CALL(clEnqueueNDRangeKernel,
            (cl_command_queue command_queue, cl_kernel kernel, cl_uint work_dim,
             const size_t *global_work_offset, const size_t *global_work_size,
             const size_t *local_work_size, cl_uint num_events_in_wait_list,
             const cl_event *event_wait_list, cl_event *event),
            (command_queue, kernel, work_dim, global_work_offset, global_work_size, local_work_size,
             num_events_in_wait_list, event_wait_list, event))
STATUS_CALL(clEnqueueReadBuffer,
            (cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read, size_t offset,
             size_t size, void *ptr, cl_uint num_events_in_wait_list,
             const cl_event *event_wait_list, cl_event *event),
            (command_queue, buffer, blocking_read, offset, size, ptr, num_events_in_wait_list,
             event_wait_list, event))
STATUS_CALL(clEnqueueUnmapMemObject,
            (cl_command_queue command_queue, cl_mem memobj, void *mapped_ptr,
             cl_uint num_events_in_wait_list, const cl_event *event_wait_list, cl_event *event),
            (command_queue, memobj, mapped_ptr, num_events_in_wait_list, event_wait_list, event))
STATUS_CALL(clEnqueueWriteBuffer,
            (cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write, size_t offset,
             size_t size, const void *ptr, cl_uint num_events_in_wait_list,
             const cl_event *event_wait_list, cl_event *event),
            (command_queue, buffer, blocking_write, offset, size, ptr, num_events_in_wait_list,
             event_wait_list, event))
STATUS_CALL(clFinish, (cl_command_queue command_queue), (command_queue))
STATUS_CALL(clGetDeviceInfo,
            (cl_device_id device, cl_device_info param_name, size_t param_value_size,
             void *param_value, size_t *param_value_size_ret),
            (device, param_name, param_value_size, param_value, param_value_size_ret))
STATUS_CALL(clGetEventInfo,
            (cl_event event, cl_event_info param_name, size_t param_value_size, void *param_value,
             size_t *param_value_size_ret),
            (event, param_name, param_value_size, param_value, param_value_size_ret))
STATUS_CALL(clGetEventProfilingInfo,
            (cl_event event, cl_profiling_info param_name, size_t param_value_size,
             void *param_value, size_t *param_value_size_ret),
            (event, param_name, param_value_size, param_value, param_value_size_ret))
STATUS_CALL(clReleaseCommandQueue, (cl_command_queue command_queue), (command_queue))
STATUS_CALL(clReleaseEvent, (cl_event event), (event))
STATUS_CALL(clReleaseKernel, (cl_kernel kernel), (kernel))
STATUS_CALL(clReleaseMemObject, (cl_mem memobj), (memobj))
STATUS_CALL(clReleaseProgram, (cl_program program), (program))
STATUS_CALL(clRetainCommandQueue, (cl_command_queue command_queue), (command_queue))
STATUS_CALL(clRetainEvent, (cl_event event), (event))
STATUS_CALL(clRetainMemObject, (cl_mem memobj), (memobj))
STATUS_CALL(clSetKernelArg,
            (cl_kernel kernel, cl_uint arg_index, size_t arg_size, const void *arg_value),
            (kernel, arg_index, arg_size, arg_value))
STATUS_CALL(clWaitForEvents, (cl_uint num_events, const cl_event *event_list),
            (num_events, event_list))
