/* no_buffers.c: stands for on_buffers.c where there is no OpenCL, or no loader to link with: OpenCL
 * devices are tested on the host's memory then. */
#include "many/on_buffers.h"

bool on_buffers(const relayout_device *device) {
  (void)device;
  return false;
}

relayout_status on_buffers_execute(const relayout_device *device, const relayout_plan *plan,
                                   int32_t count, on_buffers_part (*sides)[ON_BUFFERS_PARTS],
                                   relayout_error *error) {
  (void)device;
  (void)plan;
  (void)count;
  (void)sides;
  (void)error;
  return RELAYOUT_NO_DEVICE;
}
