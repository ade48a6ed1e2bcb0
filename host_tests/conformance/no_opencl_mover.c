/* Stands for opencl_mover.c where there is no OpenCL, or no loader to link
 * with: OpenCL devices are tested on the host's memory then. */
#include <stddef.h>

#include "conformance/mover.h"

relayout_status opencl_mover_create(const relayout_device *device, opencl_mover **mover,
                                    relayout_error *error) {
  (void)device;
  (void)error;
  *mover = NULL;
  return RELAYOUT_OK;
}

void opencl_mover_destroy(opencl_mover *mover) {
  (void)mover;
}

relayout_status opencl_mover_enqueue(opencl_mover *mover, const relayout_plan *plan,
                                     const guarded_buffer *source,
                                     const guarded_buffer *destination, relayout_error *error) {
  (void)mover;
  (void)plan;
  (void)source;
  (void)destination;
  (void)error;
  return RELAYOUT_NO_DEVICE;
}
