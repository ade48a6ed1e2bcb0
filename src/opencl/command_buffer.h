/* command_buffer.h: cl_khr_command_buffer and its mutable dispatch, as far as recordings need them.
 *
 * OpenCL's headers declare them in one version or another, or not at all; what is here goes for all
 * versions that rlt_command_buffers_find takes. Names are the extension's without its prefixes.
 * Depends on device.h and the public recording.h.
 */
#ifndef RLT_OPENCL_COMMAND_BUFFER_H
#define RLT_OPENCL_COMMAND_BUFFER_H

#include "opencl/device.h"
#include "relayout/recording.h"

typedef struct _cl_mutable_command_khr *rlt_mutable_command;

/* Names and values by turns, 0 behind the last: cl_properties, which OpenCL 1.2 lacks. */
typedef cl_ulong rlt_property;

typedef cl_command_buffer_khr CL_API_CALL rlt_create_command_buffer(cl_uint queue_count,
                                                                    const cl_command_queue *queues,
                                                                    const rlt_property *properties,
                                                                    cl_int *code);
typedef cl_int CL_API_CALL rlt_use_command_buffer(cl_command_buffer_khr buffer);
typedef cl_int CL_API_CALL rlt_enqueue_command_buffer(cl_uint count, cl_command_queue *queues,
                                                      cl_command_buffer_khr buffer, cl_uint n_wait,
                                                      const cl_event *wait, cl_event *event);
typedef cl_int CL_API_CALL rlt_command_range(cl_command_buffer_khr buffer, cl_command_queue queue,
                                             const rlt_property *properties, cl_kernel kernel,
                                             cl_uint rank, const size_t *offset,
                                             const size_t *global_size, const size_t *local_size,
                                             cl_uint n_wait, const cl_sync_point_khr *wait,
                                             cl_sync_point_khr *sync_point,
                                             rlt_mutable_command *command);
typedef cl_int CL_API_CALL rlt_get_command_buffer_info(cl_command_buffer_khr buffer, cl_uint what,
                                                       size_t size, void *value, size_t *size_ret);

/* Up to 0.9.4 of cl_khr_command_buffer, and from then on. */
typedef cl_int CL_API_CALL rlt_first_barrier(cl_command_buffer_khr buffer, cl_command_queue queue,
                                             cl_uint n_wait, const cl_sync_point_khr *wait,
                                             cl_sync_point_khr *sync_point,
                                             rlt_mutable_command *command);
typedef cl_int CL_API_CALL rlt_later_barrier(cl_command_buffer_khr buffer, cl_command_queue queue,
                                             const rlt_property *properties, cl_uint n_wait,
                                             const cl_sync_point_khr *wait,
                                             cl_sync_point_khr *sync_point,
                                             rlt_mutable_command *command);
typedef cl_int CL_API_CALL rlt_first_fill(cl_command_buffer_khr buffer, cl_command_queue queue,
                                          cl_mem memory, const void *pattern, size_t pattern_size,
                                          size_t offset, size_t size, cl_uint n_wait,
                                          const cl_sync_point_khr *wait,
                                          cl_sync_point_khr *sync_point,
                                          rlt_mutable_command *command);
typedef cl_int CL_API_CALL rlt_later_fill(cl_command_buffer_khr buffer, cl_command_queue queue,
                                          const rlt_property *properties, cl_mem memory,
                                          const void *pattern, size_t pattern_size, size_t offset,
                                          size_t size, cl_uint n_wait,
                                          const cl_sync_point_khr *wait,
                                          cl_sync_point_khr *sync_point,
                                          rlt_mutable_command *command);

/* From 0.9.2 of mutable dispatch on; before that it had other parameters. */
typedef cl_int CL_API_CALL rlt_update_commands(cl_command_buffer_khr buffer, cl_uint count,
                                               const cl_uint *types, const void **configs);

/* What the device has of it. */
typedef struct rlt_command_buffers {
  cl_uint version;      /* of cl_khr_command_buffer, as the device tells it */
  bool is_simultaneous; /* one may be enqueued again before it is done */
  rlt_create_command_buffer *create;
  rlt_use_command_buffer *finalize;
  rlt_use_command_buffer *release;
  rlt_enqueue_command_buffer *enqueue;
  rlt_command_range *command_range;
  rlt_get_command_buffer_info *get_info;
  void *command_barrier; /* functions whose parameters depend on the version */
  void *command_fill;
  /* Of cl_khr_command_buffer_mutable_dispatch; NULL: it has none for arguments, or in a version
   * that is not known here. */
  rlt_update_commands *update;
} rlt_command_buffers;

/* RELAYOUT_UNSUPPORTED where the device does not have cl_khr_command_buffer or in a version that
 * is not known here, RELAYOUT_OPENCL_ERROR, RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_command_buffers_find(const rlt_opencl_device *device,
                                         rlt_command_buffers *found, relayout_error *error);

/* A command buffer of a queue, for many commands, mutable where the device has that. */
relayout_status rlt_command_buffers_make(const rlt_command_buffers *with, cl_command_queue queue,
                                         cl_command_buffer_khr *buffer, relayout_error *error);

/* That a caller's command buffer is being recorded, else RELAYOUT_INVALID_ARGUMENT, and of one
 * queue, else RELAYOUT_UNSUPPORTED. Which one is not asked, since PoCL 3.1 does not tell. */
relayout_status rlt_command_buffers_check(const rlt_command_buffers *with,
                                          cl_command_buffer_khr buffer, bool *is_mutable,
                                          relayout_error *error);

/* Appends a barrier behind these sync points. */
cl_int rlt_command_buffers_barrier(const rlt_command_buffers *with, cl_command_buffer_khr buffer,
                                   cl_uint n_wait, const cl_sync_point_khr *wait,
                                   cl_sync_point_khr *sync_point);

/* Appends a command that fills bytes of memory with 0, a multiple of four at a multiple of four. */
cl_int rlt_command_buffers_clear(const rlt_command_buffers *with, cl_command_buffer_khr buffer,
                                 cl_mem memory, size_t offset, size_t bytes, cl_uint n_wait,
                                 const cl_sync_point_khr *wait, cl_sync_point_khr *sync_point);

/* New arguments of a command, as the extension has them. */
typedef struct rlt_mutable_argument {
  cl_uint number;
  size_t size;
  const void *value;
} rlt_mutable_argument;

typedef struct rlt_mutation {
  rlt_mutable_command command;
  cl_uint argument_count;
  const rlt_mutable_argument *arguments;
} rlt_mutation;

/* All of them, or none. RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_command_buffers_update(const rlt_command_buffers *with,
                                           cl_command_buffer_khr buffer, int32_t count,
                                           const rlt_mutation *mutations, relayout_error *error);

/* What makes a command's arguments mutable. */
extern const rlt_property rlt_mutable_arguments[];

#endif
