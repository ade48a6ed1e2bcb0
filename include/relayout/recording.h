/* recording.h: relayouts in a command buffer of OpenCL's (cl_khr_command_buffer), recorded once and
 * run often, among a caller's own commands or alone.
 *
 *     relayout_plan_record(plan, commands, queue, source, 0, destination, 0, 1, &before, &after,
 *                          &recording, NULL);
 *     ... the caller's other commands; finalize, enqueue, wait ...
 *     relayout_recording_destroy(recording);
 *
 * The extension is provisional, and its functions are the platform's, not the loader's. Known here
 * are versions 0.9 and 1 of cl_khr_command_buffer, and from 0.9.2 to before 0.10 of
 * cl_khr_command_buffer_mutable_dispatch. OpenCL's headers may lack them: the two types that are
 * used here are declared once more.
 */
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
 * plan compiles other ones. */
typedef struct relayout_recording relayout_recording;

/* Appends the relayout of a buffer to a command buffer of the caller's, which was made for `queue`
 * alone and is being recorded, behind the `n_wait` sync points of `wait`; buffers and offsets are
 * as in relayout_plan_enqueue. `*sync_point`, where `sync_point` is not NULL, becomes one that
 * comes with the relayout's end. A plan on an empty destination appends a barrier.
 *
 * The recording must live as long as the command buffer may run, and so must the buffers: there are
 * drivers that read a kernel's arguments only then. Where the command buffer was made with
 * CL_COMMAND_BUFFER_MUTABLE_KHR and the device has cl_khr_command_buffer_mutable_dispatch, its
 * buffers can be changed.
 *
 * The statuses are those of relayout_plan_enqueue; RELAYOUT_INVALID_ARGUMENT also for a command
 * buffer that is not being recorded, RELAYOUT_UNSUPPORTED for a device without the extension, or
 * with a version that is not known, and for a command buffer of several queues. On failure nothing
 * is appended and `*recording` becomes NULL; but where a relayout takes several kernels, the driver
 * may take some and refuse the next: after RELAYOUT_OPENCL_ERROR the command buffer must not be
 * run. */
RELAYOUT_API relayout_status relayout_plan_record(
    relayout_plan *plan, cl_command_buffer_khr command_buffer, cl_command_queue queue,
    cl_mem source, size_t source_offset, cl_mem destination, size_t destination_offset,
    cl_uint n_wait, const cl_sync_point_khr *wait, cl_sync_point_khr *sync_point,
    relayout_recording **recording, relayout_error *error);

/* The same alone in a command buffer of its own on the caller's queue, finalized: it is mutable
 * where the device has that. */
RELAYOUT_API relayout_status relayout_recording_create(relayout_plan *plan, cl_command_queue queue,
                                                       cl_mem source, size_t source_offset,
                                                       cl_mem destination,
                                                       size_t destination_offset,
                                                       relayout_recording **recording,
                                                       relayout_error *error);

/* Enqueues such a recording's command buffer on its queue behind the `n_wait` events of `wait`.
 * Never blocks or waits. `*event`, where `event` is not NULL, becomes one that completes with the
 * relayout; the caller releases it. Again before the last run is done: RELAYOUT_OPENCL_ERROR where
 * the device's command buffers do not have simultaneous use. RELAYOUT_INVALID_ARGUMENT for a
 * recording in a caller's command buffer, which the caller enqueues. On failure `*event` becomes
 * NULL. */
RELAYOUT_API relayout_status relayout_recording_enqueue(relayout_recording *recording,
                                                        cl_uint n_wait, const cl_event *wait,
                                                        cl_event *event, relayout_error *error);

/* Has the runs from now on move other buffers, which must live as long; the command buffer is
 * finalized, and no run of it is under way. Places are checked as in relayout_plan_enqueue. The
 * recorded kernels stay: they may want sides at larger multiples of bytes than elements do, as the
 * first places had them, and other places are RELAYOUT_INVALID_ARGUMENT then. RELAYOUT_UNSUPPORTED
 * where the command buffer is not mutable or the device lacks mutable dispatch,
 * RELAYOUT_OUT_OF_MEMORY, RELAYOUT_OPENCL_ERROR. On failure nothing is changed. */
RELAYOUT_API relayout_status relayout_recording_set_buffers(relayout_recording *recording,
                                                            cl_mem source, size_t source_offset,
                                                            cl_mem destination,
                                                            size_t destination_offset,
                                                            relayout_error *error);

/* Takes another hold of a recording that somebody holds, from any thread: it wants one more
 * relayout_recording_destroy. NULL is allowed. All other calls on a recording, or on recordings in
 * one command buffer, are one thread's at a time. */
RELAYOUT_API void relayout_recording_retain(relayout_recording *recording);

/* Drops one hold. NULL is allowed. The last one releases the plan, the kernels and a command buffer
 * of its own, none of whose runs may be under way. */
RELAYOUT_API void relayout_recording_destroy(relayout_recording *recording);

#ifdef __cplusplus
}
#endif

#endif
