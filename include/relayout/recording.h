/* recording.h: relayouts in a command buffer of OpenCL's (cl_khr_command_buffer), recorded once and
 * run often, among a caller's own commands or alone.
 *
 *     relayout_plan_record(plan, commands, queue, source, 0, destination, 0, 1, &before, &after,
 *                          &recording, NULL);
 *     ... the caller's other commands; finalize, enqueue, wait ...
 *     relayout_recording_destroy(recording);
 *
 * The extension is provisional; the library gets its functions from the platform, not from the
 * loader. The library supports versions 0.9 and 1 of cl_khr_command_buffer, and versions from 0.9.2
 * to before 0.10 of cl_khr_command_buffer_mutable_dispatch. OpenCL's headers may lack the
 * extension, so this one declares the two types that it uses. */
#ifndef RELAYOUT_RECORDING_H
#define RELAYOUT_RECORDING_H

#include <stddef.h>

#include "relayout/opencl.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct _cl_command_buffer_khr *cl_command_buffer_khr;
typedef cl_uint cl_sync_point_khr;

/* A relayout in a command buffer. It holds its plan, and kernels that no other relayout uses.
 * Command buffers take no native kernels: on a device that runs these, the first recording of a
 * plan compiles work-group kernels. */
typedef struct relayout_recording relayout_recording;

/* Appends the relayout of a buffer to the caller's command buffer, after the `n_wait` sync points
 * of `wait`. The command buffer must be made for `queue` alone and not be finalized. Buffers and
 * offsets are as in relayout_plan_enqueue. If `sync_point` is not NULL, `*sync_point` becomes a
 * sync point that completes with the relayout. A plan on an empty destination appends a barrier.
 *
 * The recording and the buffers must live as long as the command buffer may run: some drivers read
 * a kernel's arguments only then. The recording's buffers can be changed if the command buffer was
 * made with CL_COMMAND_BUFFER_MUTABLE_KHR and the device has
 * cl_khr_command_buffer_mutable_dispatch.
 *
 * The statuses are those of relayout_plan_enqueue; RELAYOUT_INVALID_ARGUMENT also for a command
 * buffer that is finalized, RELAYOUT_UNSUPPORTED for a device without the extension, or with a
 * version that the library does not support, and for a command buffer of several queues. On failure
 * `*recording` becomes NULL and nothing is appended, except that the driver may accept some kernels
 * of a relayout and refuse the next: after RELAYOUT_OPENCL_ERROR the command buffer must not be
 * run. */
RELAYOUT_API relayout_status relayout_plan_record(
    relayout_plan *plan, cl_command_buffer_khr command_buffer, cl_command_queue queue,
    cl_mem source, size_t source_offset, cl_mem destination, size_t destination_offset,
    cl_uint n_wait, const cl_sync_point_khr *wait, cl_sync_point_khr *sync_point,
    relayout_recording **recording, relayout_error *error);

/* Makes a command buffer on the caller's queue that holds this relayout alone, and finalizes it. It
 * is mutable if the device supports that. */
RELAYOUT_API relayout_status relayout_recording_create(relayout_plan *plan, cl_command_queue queue,
                                                       cl_mem source, size_t source_offset,
                                                       cl_mem destination,
                                                       size_t destination_offset,
                                                       relayout_recording **recording,
                                                       relayout_error *error);

/* Enqueues the command buffer of a recording that relayout_recording_create made, on its queue,
 * after the `n_wait` events of `wait`. Never blocks or waits. If `event` is not NULL, `*event`
 * becomes an event that completes with the relayout; the caller releases it. RELAYOUT_OPENCL_ERROR
 * if the last run is not done and the device's command buffers do not support simultaneous use.
 * RELAYOUT_INVALID_ARGUMENT for a recording in a caller's command buffer, which the caller must
 * enqueue. On failure `*event` becomes NULL. */
RELAYOUT_API relayout_status relayout_recording_enqueue(relayout_recording *recording,
                                                        cl_uint n_wait, const cl_event *wait,
                                                        cl_event *event, relayout_error *error);

/* Makes later runs use other buffers, which must live as long as the command buffer may run. The
 * command buffer must be finalized, and none of its runs may be in progress. Buffers and offsets
 * are checked as in relayout_plan_enqueue. The recorded kernels stay the same: they may need the
 * alignment that the first offsets had, and less aligned offsets are RELAYOUT_INVALID_ARGUMENT in
 * that case. RELAYOUT_UNSUPPORTED if the command buffer is not mutable or the device lacks mutable
 * dispatch, RELAYOUT_OUT_OF_MEMORY, RELAYOUT_OPENCL_ERROR. On failure nothing changes. */
RELAYOUT_API relayout_status relayout_recording_set_buffers(relayout_recording *recording,
                                                            cl_mem source, size_t source_offset,
                                                            cl_mem destination,
                                                            size_t destination_offset,
                                                            relayout_error *error);

/* ---- Plans of several destinations ---------------------------------------------------------- */

/* The same for what relayout_plan_enqueue_many does: appends all of it, each command after the one
 * before. `to` has as many entries as the plan has destinations. Buffers and offsets are as in
 * relayout_plan_enqueue_many, whose statuses this call has besides those of relayout_plan_record.
 *
 * What goes through a buffer beside the caller's goes through one of the recording's own, which all
 * its runs use: each run must begin after the one before has ended, as on a queue in order. */
RELAYOUT_API relayout_status relayout_plan_record_many(
    relayout_plan *plan, cl_command_buffer_khr command_buffer, cl_command_queue queue,
    const relayout_side_buffers *from, const relayout_side_buffers *to, cl_uint n_wait,
    const cl_sync_point_khr *wait, cl_sync_point_khr *sync_point, relayout_recording **recording,
    relayout_error *error);

/* relayout_recording_create for such a plan. */
RELAYOUT_API relayout_status relayout_recording_create_many(
    relayout_plan *plan, cl_command_queue queue, const relayout_side_buffers *from,
    const relayout_side_buffers *to, relayout_recording **recording, relayout_error *error);

/* relayout_recording_set_buffers for the recording of such a plan. Each of the two calls returns
 * RELAYOUT_INVALID_ARGUMENT for the other's recordings. */
RELAYOUT_API relayout_status relayout_recording_set_side_buffers(relayout_recording *recording,
                                                                 const relayout_side_buffers *from,
                                                                 const relayout_side_buffers *to,
                                                                 relayout_error *error);

/* ---- Lives ---------------------------------------------------------------------------------- */

/* Adds a reference to a recording, which needs one more relayout_recording_destroy. Any thread may
 * call it. NULL is allowed. Only one thread at a time may make any other call on a recording, or on
 * recordings in one command buffer. */
RELAYOUT_API void relayout_recording_retain(relayout_recording *recording);

/* Drops one reference. NULL is allowed. Dropping the last reference releases the plan, the kernels,
 * the recording's own memory and its own command buffer, none of whose runs may be in progress. */
RELAYOUT_API void relayout_recording_destroy(relayout_recording *recording);

#ifdef __cplusplus
}
#endif

#endif
