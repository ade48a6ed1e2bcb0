/* mover.h: the ways of having a plan move one guarded buffer into another. */
#ifndef CONFORMANCE_MOVER_H
#define CONFORMANCE_MOVER_H

#include "conformance/guarded_buffer.h"
#include "relayout/relayout.h"

/* Through host pointers, with relayout_plan_execute. The source can only be read meanwhile. */
relayout_status mover_execute(const relayout_plan *plan, const guarded_buffer *source,
                              const guarded_buffer *destination, relayout_error *error);

/* Through buffers of an OpenCL device, guards and all, with relayout_plan_enqueue. */
typedef struct opencl_mover opencl_mover;

/* `*mover` becomes NULL on a device of another backend. */
relayout_status opencl_mover_create(const relayout_device *device, opencl_mover **mover,
                                    relayout_error *error);
void opencl_mover_destroy(opencl_mover *mover); /* NULL is allowed */

/* Afterwards both hold what the device's buffers held. The ways of calling differ from call to
 * call: queues in and out of order, with and without events, one buffer and two, these with memory
 * of the device's own or in place: on PoCL, where its kernels run on the very pages, the source can
 * only be read meanwhile. */
relayout_status opencl_mover_enqueue(opencl_mover *mover, const relayout_plan *plan,
                                     const guarded_buffer *source,
                                     const guarded_buffer *destination, relayout_error *error);

#endif
