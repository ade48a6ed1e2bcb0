/* on_buffers.h: plans of several destinations on buffers of an OpenCL device.
 *
 * Depends on the conformance suite's guarded buffers.
 */
#ifndef MANY_ON_BUFFERS_H
#define MANY_ON_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

#include "conformance/guarded_buffer.h"
#include "relayout/scaled.h"

enum { ON_BUFFERS_PARTS = 4 };

/* Elements, scales, zero points or tensor scale. */
typedef struct on_buffers_part {
  const guarded_buffer *bytes; /* NULL: the plan does not use it */
  int64_t lowest;              /* how far they lie behind what calls are given */
} on_buffers_part;

/* Whether the device has buffers. */
bool on_buffers(const relayout_device *device);

/* Executes a plan of `count` destinations on copies of all bytes with their guards, and copies
 * these back. `sides` are the source and all destinations. Every other call takes a queue that is
 * out of order, where there is one, and waits by an event. */
relayout_status on_buffers_execute(const relayout_device *device, const relayout_plan *plan,
                                   int32_t count, on_buffers_part (*sides)[ON_BUFFERS_PARTS],
                                   relayout_error *error);

#endif
