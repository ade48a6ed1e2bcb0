/* opencl.h: relayouts on a caller's own OpenCL objects. The only header that includes CL/cl.h.
 *
 * OpenCL 1.2, full profile, no extension needed. Objects handed in stay the caller's: the library
 * retains what outlives a call and releases it again.
 *
 * It needs nothing that OpenCL 1.2 has not: define the CL_TARGET_OPENCL_VERSION of your choice
 * before it, or have all that the newest headers declare. CL/opencl.hpp may be included before it
 * or behind it.
 */
#ifndef RELAYOUT_OPENCL_H
#define RELAYOUT_OPENCL_H

#include <stddef.h>
#include <stdint.h>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

#include "relayout/device.h"
#include "relayout/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Finds one of OpenCL's functions by its name, "clCreateBuffer"; NULL where there is none. */
typedef void *relayout_opencl_lookup(void *context, const char *name);

/* Has the library call the functions that `lookup` finds, for a process that brings its own OpenCL.
 * Otherwise it opens libOpenCL.so.1 when it needs OpenCL first: to list devices, to open one, or in
 * relayout_opencl_device_create. Without that library only the CPU backend is listed. What is in
 * use stays so to the end of the process, and serves all its threads. `lookup` is called with
 * `context` by this call alone, once for each function, and may lack those beyond OpenCL 1.2 and
 * those for native kernels: what they are for is unsupported then.
 *
 * RELAYOUT_INVALID_ARGUMENT when `lookup` is NULL; RELAYOUT_UNSUPPORTED when it lacks a function
 * that the library needs, which the message names, or when other functions are in use already;
 * RELAYOUT_OUT_OF_MEMORY. To find those in use once more is no error. */
RELAYOUT_API relayout_status relayout_opencl_use(relayout_opencl_lookup *lookup, void *context,
                                                 relayout_error *error);

/* Which kernels a device runs.
 *
 * OpenCL's CPU drivers run native kernels where CL_DEVICE_EXECUTION_CAPABILITIES has
 * CL_EXEC_NATIVE_KERNEL: functions of the process, as commands of a queue. There the CPU backend
 * plans and moves, by the same schedules, and OpenCL compiles nothing; each enqueue, submission or
 * batch is one native kernel. All other devices, and recordings on any device, run kernels in
 * OpenCL C. */
typedef enum relayout_kernel_family {
  RELAYOUT_KERNELS_AUTO = 0, /* NATIVE where the device runs native kernels, else WORK_GROUP */
  RELAYOUT_KERNELS_WORK_GROUP = 1, /* kernels in OpenCL C, whose work-groups share tiles */
  RELAYOUT_KERNELS_STAGED = 1,     /* the same; deprecated */
  RELAYOUT_KERNELS_NATIVE = 3 /* the CPU backend's code, on the processors that the device has */
} relayout_kernel_family;

typedef struct relayout_opencl_options {
  size_t struct_size;
  relayout_kernel_family kernels;
  /* Where built programs are kept for the next process: an absolute path, made where it is missing;
   * "" keeps none; NULL means relayout/ in the user's cache directory, $XDG_CACHE_HOME or else
   * $HOME/.cache, and none on PoCL, which keeps what it compiles itself. RELAYOUT_CACHE=off in the
   * environment keeps none in any case. The string is copied. Files are the user's alone and at
   * most 64 MiB together; those used least lately go first, and all may be deleted at any time. A
   * file that is missing, damaged, another user's or another driver's means a compilation, as does
   * a directory that cannot be used; never an error. */
  const char *cache_directory;
  /* Threads of native kernels, as relayout_cpu_options has them: the most tasks of a relayout to
   * run at once, and where these run. No more run at once than the device has compute units; 0
   * means as many, if the process may run on so many processors. A thread of the driver's calls
   * parallel_for, which may not wait for commands of the device. Unused by other kernels. */
  int32_t threads;
  relayout_parallel_for parallel_for;
  void *parallel_context;
} relayout_opencl_options;

#define RELAYOUT_OPENCL_OPTIONS_INIT                                                               \
  { sizeof(relayout_opencl_options), RELAYOUT_KERNELS_AUTO, NULL, 0, NULL, NULL }

/* A relayout device on the caller's context and one of its devices; both are retained. `options`
 * NULL means the defaults. RELAYOUT_INVALID_ARGUMENT when the device is neither one of the
 * context's nor a part of one, a handle is NULL, or an option is none of those above;
 * RELAYOUT_UNSUPPORTED for a device below OpenCL 1.2 or without a compiler, for NATIVE where the
 * device runs no native kernels, or when the library has no OpenCL to call; RELAYOUT_OPENCL_ERROR
 * where the driver does not answer; RELAYOUT_OUT_OF_MEMORY. */
RELAYOUT_API relayout_status relayout_opencl_device_create(cl_context context, cl_device_id id,
                                                           const relayout_opencl_options *options,
                                                           relayout_device **device,
                                                           relayout_error *error);

/* The context and device id behind an OpenCL device, however it was made; not retained for the
 * caller. RELAYOUT_INVALID_ARGUMENT for a device of another backend. */
RELAYOUT_API relayout_status relayout_opencl_device_get_handles(const relayout_device *device,
                                                                cl_context *context,
                                                                cl_device_id *id,
                                                                relayout_error *error);

/* Enqueues the relayout of a buffer on the caller's queue, in or out of order, after the `n_wait`
 * events of `wait`. Offsets are in bytes and multiples of the element size, or of its wider
 * container's. Never blocks, waits or flushes, and allocates nothing but, where it is a native
 * kernel, a few hundred bytes and a buffer of one, which go with the command. When `event` is not
 * NULL it becomes an event that completes with the relayout; the caller releases it. Source and
 * destination may be one buffer, where their elements may lie between each other, as long as no
 * byte is shared (relayout_plan_execute says where that is known). Between a buffer and a part of
 * it, or two parts, the ranges of bytes may not overlap. A side that takes no bytes may be NULL. A
 * plan on an empty destination enqueues a marker.
 *
 * RELAYOUT_INVALID_ARGUMENT (NULL handles, a plan of another backend, n_wait against wait, a source
 * that is CL_MEM_WRITE_ONLY, a destination that is CL_MEM_READ_ONLY), RELAYOUT_WRONG_CONTEXT (queue
 * or buffers not of the plan's context, or the queue of another device),
 * RELAYOUT_MISALIGNED_OFFSET, RELAYOUT_BUFFER_TOO_SMALL, RELAYOUT_BUFFERS_OVERLAP (in one buffer,
 * or in host memory that both use), RELAYOUT_OUT_OF_MEMORY (native kernels), RELAYOUT_OPENCL_ERROR.
 *
 * On failure nothing is enqueued and `*event` becomes NULL, but for one case that OpenCL leaves
 * open: where a relayout takes several kernels, the driver may take some and refuse the next. All
 * else that can fail is done before. The status is RELAYOUT_OPENCL_ERROR then, what was taken runs
 * and writes its part of the destination, and `*event` becomes an event that completes with that;
 * the caller releases it. */
RELAYOUT_API relayout_status relayout_plan_enqueue(const relayout_plan *plan,
                                                   cl_command_queue queue, cl_mem source,
                                                   size_t source_offset, cl_mem destination,
                                                   size_t destination_offset, cl_uint n_wait,
                                                   const cl_event *wait, cl_event *event,
                                                   relayout_error *error);

/* One relayout of a batch: the sides of a plan, offsets in bytes. */
typedef struct relayout_opencl_move {
  cl_mem source;
  size_t source_offset;
  cl_mem destination;
  size_t destination_offset;
} relayout_opencl_move;

/* Enqueues `count` relayouts by one plan, as relayout_plan_enqueue does each: pages of a cache,
 * parameters of a model. Native kernels take any number of them at once. Of a plan that was made
 * with for_batches (relayout_plan_options), those that follow each other share launches of other
 * kernels: 32 to one, in up to 16 buffers a side. All are checked
 * before any is enqueued; what one writes is no other's source or destination, which is not
 * checked. `*event` completes with all of them. `count` 0 enqueues a marker.
 *
 * The statuses are those of relayout_plan_enqueue; messages name the move. After
 * RELAYOUT_OPENCL_ERROR the first ones may have been enqueued: `*event` is an event that completes
 * with the last of these, or NULL. */
RELAYOUT_API relayout_status relayout_plan_enqueue_batch(const relayout_plan *plan,
                                                         cl_command_queue queue, size_t count,
                                                         const relayout_opencl_move *moves,
                                                         cl_uint n_wait, const cl_event *wait,
                                                         cl_event *event, relayout_error *error);

/* relayout_plan_enqueue in one call, with relayout_plan_create and _destroy around it: a plan that
 * the device does not remember may compile a program. */
RELAYOUT_API relayout_status relayout_enqueue(relayout_device *device, const relayout_shape *from,
                                              const relayout_shape *to, cl_command_queue queue,
                                              cl_mem source, size_t source_offset,
                                              cl_mem destination, size_t destination_offset,
                                              cl_uint n_wait, const cl_event *wait, cl_event *event,
                                              relayout_error *error);

#ifdef __cplusplus
}
#endif

#endif
