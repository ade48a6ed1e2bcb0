/* opencl.h: relayouts on a caller's own OpenCL objects. The only header that includes CL/cl.h.
 *
 * OpenCL 1.2, full profile, no extension needed. The caller keeps its OpenCL objects: the library
 * retains those that it needs after a call, and releases them again.
 *
 * This header needs OpenCL 1.2 only: define any CL_TARGET_OPENCL_VERSION from 120 on before you
 * include it, or none. CL/opencl.hpp may be included before it or after it. */
#ifndef RELAYOUT_OPENCL_H
#define RELAYOUT_OPENCL_H

#include <stddef.h>
#include <stdint.h>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

#include "relayout/device.h"
#include "relayout/exchange.h"
#include "relayout/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the OpenCL function of this name, such as "clCreateBuffer"; NULL if there is none. */
typedef void *relayout_opencl_lookup(void *context, const char *name);

/* Makes the library call the OpenCL functions that `lookup` returns, in a process that has its own
 * OpenCL. Without this call the library loads libOpenCL.so.1 when it first needs OpenCL: to list
 * devices, to open one, or in relayout_opencl_device_create. If that file is missing, only the CPU
 * backend is listed. The functions stay in use until the process ends, for all its threads. Only
 * this call calls `lookup`, with `context`, once for each function. `lookup` may return NULL for
 * functions newer than OpenCL 1.2, and for clEnqueueNativeKernel and
 * clSetMemObjectDestructorCallback: the library then does without what they are for.
 *
 * RELAYOUT_INVALID_ARGUMENT when `lookup` is NULL; RELAYOUT_UNSUPPORTED when it returns NULL for a
 * function that the library needs, which the message names, or when other functions are already in
 * use; RELAYOUT_OUT_OF_MEMORY. Finding the same functions again is not an error. */
RELAYOUT_API relayout_status relayout_opencl_use(relayout_opencl_lookup *lookup, void *context,
                                                 relayout_error *error);

/* Which kernels a device runs.
 *
 * A native kernel is a function of the process that an OpenCL queue runs as a command. A CPU device
 * runs native kernels if its CL_DEVICE_EXECUTION_CAPABILITIES has CL_EXEC_NATIVE_KERNEL and its
 * buffers begin at multiples of 64 bytes (CL_DEVICE_MEM_BASE_ADDR_ALIGN). On such a device the CPU
 * backend plans and moves, by the same schedules, and OpenCL compiles nothing; each enqueue,
 * submission or batch is one native kernel. All other devices, and recordings on any device, run
 * work-group kernels, which OpenCL compiles. */
typedef enum relayout_kernel_family {
  RELAYOUT_KERNELS_AUTO = 0, /* NATIVE where the device runs native kernels, else WORK_GROUP */
  RELAYOUT_KERNELS_WORK_GROUP = 1, /* kernels in OpenCL C, whose work-groups share tiles */
  RELAYOUT_KERNELS_STAGED = 1,     /* the same; deprecated */
  RELAYOUT_KERNELS_NATIVE = 3 /* the CPU backend's code, on the processors that the device has */
} relayout_kernel_family;

typedef struct relayout_opencl_options {
  size_t struct_size;
  relayout_kernel_family kernels;
  /* The directory that keeps compiled programs for the next process: an absolute path, which is
   * made if it is missing; "" keeps none; NULL means relayout/ in the user's cache directory
   * ($XDG_CACHE_HOME or else $HOME/.cache), and none on PoCL, which has a cache of its own.
   * RELAYOUT_CACHE=off in the environment keeps none in any case. The call copies the string. Only
   * the user can read the files; they take at most 64 MiB together. The least recently used are
   * deleted first, and all may be deleted at any time. If a file is missing, damaged, or from
   * another user or driver, or if the directory cannot be used, the library compiles again; it is
   * never an error. */
  const char *cache_directory;
  /* Native kernels use these three as the CPU backend uses those of relayout_cpu_options: the most
   * tasks to run at once, and the function that runs them. `threads` is limited to the device's
   * compute units; 0 means as many as it has, or as many as the process has processors if these are
   * fewer. A thread of the driver calls parallel_for, which must not wait for commands of the
   * device. Work-group kernels ignore them. */
  int32_t threads;
  relayout_parallel_for parallel_for;
  void *parallel_context;
} relayout_opencl_options;

#define RELAYOUT_OPENCL_OPTIONS_INIT                                                               \
  { sizeof(relayout_opencl_options), RELAYOUT_KERNELS_AUTO, NULL, 0, NULL, NULL }

/* Makes a relayout device from the caller's context and one of its devices, and retains both.
 * `options` NULL means the defaults. RELAYOUT_INVALID_ARGUMENT if the device is neither in the
 * context nor a sub-device of one that is, if a handle is NULL, or if an option has no value listed
 * above; RELAYOUT_UNSUPPORTED for a device below OpenCL 1.2 or without a compiler, for NATIVE if
 * the device runs no native kernels, and if no OpenCL library can be loaded; RELAYOUT_OPENCL_ERROR
 * if a query fails; RELAYOUT_OUT_OF_MEMORY. */
RELAYOUT_API relayout_status relayout_opencl_device_create(cl_context context, cl_device_id id,
                                                           const relayout_opencl_options *options,
                                                           relayout_device **device,
                                                           relayout_error *error);

/* Returns the context and the id of an OpenCL device, however it was made, without retaining them
 * for the caller. RELAYOUT_INVALID_ARGUMENT for a device of another backend. */
RELAYOUT_API relayout_status relayout_opencl_device_get_handles(const relayout_device *device,
                                                                cl_context *context,
                                                                cl_device_id *id,
                                                                relayout_error *error);

/* Enqueues the relayout of a buffer on the caller's queue, which may be in or out of order, after
 * the `n_wait` events of `wait`. Offsets are in bytes; each must be a multiple of the element size,
 * or of the container size for elements in wider containers. The call never blocks, waits or
 * flushes. With work-group kernels it allocates nothing; for a native kernel it allocates a few
 * hundred bytes and a one-byte buffer, which are freed when the command has run. If `event` is not
 * NULL, `*event` becomes an event that completes with the relayout; the caller releases it. Source
 * and destination may lie in one buffer, also with interleaving elements, as long as they share no
 * byte (relayout_plan_execute says when the library can tell). If they are a buffer and its
 * sub-buffer, or two sub-buffers, their ranges of bytes must not overlap. A side that takes no
 * bytes may be NULL. A plan on an empty destination enqueues a marker.
 *
 * RELAYOUT_INVALID_ARGUMENT (NULL handles, a plan of another backend, `n_wait` and `wait` that
 * disagree, a source that is CL_MEM_WRITE_ONLY, a destination that is CL_MEM_READ_ONLY),
 * RELAYOUT_WRONG_CONTEXT (queue or buffers of another context, or the queue of another device),
 * RELAYOUT_MISALIGNED_OFFSET, RELAYOUT_BUFFER_TOO_SMALL, RELAYOUT_BUFFERS_OVERLAP (in one buffer,
 * or in host memory that both buffers use), RELAYOUT_OUT_OF_MEMORY (native kernels only),
 * RELAYOUT_OPENCL_ERROR.
 *
 * On failure nothing is enqueued and `*event` becomes NULL, except in one case: where a relayout
 * takes several work-group kernels, the driver may accept some and refuse the next. Everything else
 * that can fail is done before the first enqueue. In that case the status is RELAYOUT_OPENCL_ERROR,
 * the accepted kernels run and write their part of the destination, and `*event` becomes an event
 * that completes with the last of them; the caller releases it. */
RELAYOUT_API relayout_status relayout_plan_enqueue(const relayout_plan *plan,
                                                   cl_command_queue queue, cl_mem source,
                                                   size_t source_offset, cl_mem destination,
                                                   size_t destination_offset, cl_uint n_wait,
                                                   const cl_event *wait, cl_event *event,
                                                   relayout_error *error);

/* One relayout of a batch: its source and destination, with offsets in bytes. */
typedef struct relayout_opencl_move {
  cl_mem source;
  size_t source_offset;
  cl_mem destination;
  size_t destination_offset;
} relayout_opencl_move;

/* Enqueues `count` relayouts of one plan, each as relayout_plan_enqueue does: pages of a cache, for
 * example, or parameters of a model. One native kernel does the whole batch. Work-group kernels of
 * a plan that was made with for_batches (relayout_plan_options) do 32 consecutive relayouts in one
 * launch, if these use at most 16 buffers a side. All are checked before the first is enqueued. No
 * relayout may write the source or the destination of another, which is not checked. `*event`
 * completes with all of them. `count` 0 enqueues a marker.
 *
 * The statuses are those of relayout_plan_enqueue; messages name the move. After
 * RELAYOUT_OPENCL_ERROR the first relayouts may be enqueued: `*event` is then an event that
 * completes with the last of these, or NULL if there are none. */
RELAYOUT_API relayout_status relayout_plan_enqueue_batch(const relayout_plan *plan,
                                                         cl_command_queue queue, size_t count,
                                                         const relayout_opencl_move *moves,
                                                         cl_uint n_wait, const cl_event *wait,
                                                         cl_event *event, relayout_error *error);

/* Makes a plan, enqueues it and drops it, in one call: relayout_plan_create, relayout_plan_enqueue
 * and relayout_plan_destroy. It may compile a kernel if the device does not remember the plan. */
RELAYOUT_API relayout_status relayout_enqueue(relayout_device *device, const relayout_shape *from,
                                              const relayout_shape *to, cl_command_queue queue,
                                              cl_mem source, size_t source_offset,
                                              cl_mem destination, size_t destination_offset,
                                              cl_uint n_wait, const cl_event *wait, cl_event *event,
                                              relayout_error *error);

/* ---- Plans of several destinations ---------------------------------------------------------- */

/* The buffers of one side of a plan of relayout_plan_create_many, with offsets in bytes. A buffer
 * that the view does not need may be NULL. */
typedef struct relayout_side_buffers {
  cl_mem elements;
  size_t elements_offset;
  cl_mem scales;
  size_t scales_offset;
  cl_mem zero_points;
  size_t zero_points_offset;
  cl_mem tensor_scale;
  size_t tensor_scale_offset;
} relayout_side_buffers;

/* relayout_plan_execute_many on a queue: enqueues all that such a plan does with these buffers.
 * `to` has as many entries as the plan has destinations. Queue, wait list, event, offsets and
 * buffers are as in relayout_plan_enqueue, whose statuses this call has too. The ranges of bytes of
 * what is written must not overlap each other or what is read. The bytes that are written are those
 * of relayout_plan_execute_many on any device.
 *
 * A native kernel does it where the device runs such, and allocates what the CPU backend needs.
 * Elsewhere one work-group kernel, which OpenCL compiles for the plan alone, reads the source once;
 * a second reading finds scales of groups that are larger than what a work-group holds. Tensors
 * that this kernel cannot address, those with padding that is written, tiles of packed elements,
 * wider containers or the other byte order, go through a buffer that the call makes, and that the
 * driver releases as the commands end. Destinations of complex elements that change, and of
 * elements of more than 8 bytes, are read from the source by kernels of their own.
 *
 * Tensor scales are read by commands, and nothing waits for them on the host.
 *
 * Each command waits for the one before it. After a failure those that were enqueued run, and
 * `*event` completes with the last of them; it is NULL if there are none. */
RELAYOUT_API relayout_status relayout_plan_enqueue_many(const relayout_plan *plan,
                                                        cl_command_queue queue,
                                                        const relayout_side_buffers *from,
                                                        const relayout_side_buffers *to,
                                                        cl_uint n_wait, const cl_event *wait,
                                                        cl_event *event, relayout_error *error);

/* One call of a batch: its buffers, as relayout_plan_enqueue_many has them. */
typedef struct relayout_opencl_many_move {
  const relayout_side_buffers *from;
  const relayout_side_buffers *to;
} relayout_opencl_many_move;

/* Enqueues `count` moves by one plan, each as relayout_plan_enqueue_many does: the layers of a
 * model, for example. All are checked before the first is enqueued. One native kernel does the
 * whole batch. Elsewhere, on a queue out of order, moves do not wait for each other, except by
 * plans that need a buffer of the call's, which all its moves share. No move may write what another
 * reads or writes, which is not checked. `*event` completes with all of them. `count` 0 enqueues a
 * marker.
 *
 * The statuses are those of relayout_plan_enqueue_many; messages name the move. After a failure the
 * commands that were enqueued run, and `*event` completes with these; it is NULL if there are none,
 * or if the driver refuses a marker behind them. */
RELAYOUT_API relayout_status
relayout_plan_enqueue_many_batch(const relayout_plan *plan, cl_command_queue queue, size_t count,
                                 const relayout_opencl_many_move *moves, cl_uint n_wait,
                                 const cl_event *wait, cl_event *event, relayout_error *error);

/* ---- Exchanges ------------------------------------------------------------------------------ */

/* relayout_exchange_pack on a queue: enqueues the packing of message `number` from a buffer with
 * this peer's shard, `source_offset` bytes on, to another buffer. The device is that of the
 * exchange. Queue, wait list, event, offsets and buffers are as in relayout_plan_enqueue, whose
 * statuses these have too; of a message of several boxes each is enqueued by itself, to run after
 * the one before. RELAYOUT_OUT_OF_RANGE for a number that is no message of that kind;
 * RELAYOUT_INVALID_ARGUMENT for an exchange that was not made on an OpenCL device. If a box cannot
 * be enqueued, those before it run, and `*event` completes with the last of them; it is NULL if
 * there are none. */
RELAYOUT_API relayout_status relayout_exchange_enqueue_pack(const relayout_exchange *exchange,
                                                            int64_t number, cl_command_queue queue,
                                                            cl_mem source, size_t source_offset,
                                                            cl_mem message, size_t message_offset,
                                                            cl_uint n_wait, const cl_event *wait,
                                                            cl_event *event, relayout_error *error);

/* The same for relayout_exchange_unpack. */
RELAYOUT_API relayout_status relayout_exchange_enqueue_unpack(
    const relayout_exchange *exchange, int64_t number, cl_command_queue queue, cl_mem message,
    size_t message_offset, cl_mem destination, size_t destination_offset, cl_uint n_wait,
    const cl_event *wait, cl_event *event, relayout_error *error);

/* The same for relayout_exchange_keep; a marker where nothing stays with this peer.
 * RELAYOUT_UNSUPPORTED where something can stay only by way of memory for a message, as both sides
 * have tiles. */
RELAYOUT_API relayout_status relayout_exchange_enqueue_keep(
    const relayout_exchange *exchange, cl_command_queue queue, cl_mem source, size_t source_offset,
    cl_mem destination, size_t destination_offset, cl_uint n_wait, const cl_event *wait,
    cl_event *event, relayout_error *error);

/* relayout_exchange_execute on queues. The shards of peer i begin at byte source_offsets[i] of the
 * buffer sources[i] and at byte destination_offsets[i] of destinations[i]; a NULL list of offsets
 * means 0 for all peers. All exchanges were made on devices of one context. Queue queues[i] runs
 * what peer i packs, keeps and unpacks. The call returns at once; `*event` completes with all of
 * it. The call takes two buffers of a message for each peer that sends, and the driver releases
 * them as the commands end. Wait list and event are as in relayout_plan_enqueue. The statuses of
 * relayout_exchange_execute and of the calls above. After a failure what has been enqueued runs,
 * and `*event` completes with that; it is NULL if there is nothing, and where `count` is 0. */
RELAYOUT_API relayout_status relayout_exchange_enqueue_execute(
    int64_t count, const relayout_exchange *const *exchanges, const cl_command_queue *queues,
    const cl_mem *sources, const size_t *source_offsets, const cl_mem *destinations,
    const size_t *destination_offsets, cl_uint n_wait, const cl_event *wait, cl_event *event,
    relayout_error *error);

#ifdef __cplusplus
}
#endif

#endif
