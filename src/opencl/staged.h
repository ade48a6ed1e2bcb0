/* staged.h: the shapes that the STAGED kernels want their tiles in. Depends on build.h.
 *
 * A work-group loads a tile in the order of the source into local memory and stores it in the order
 * of the destination. cl/staged_*.cl say how.
 */
#ifndef RLT_OPENCL_STAGED_H
#define RLT_OPENCL_STAGED_H

#include "opencl/build.h"

/* Rows and columns of a transpose tile in local memory, for elements of these bytes. */
int64_t rlt_staged_transpose_side(const rlt_opencl_device *device, int64_t element_bytes);

rlt_traits rlt_staged_traits(const rlt_opencl_device *device, int64_t element_bytes);

/* What a work-group takes of the local memory. */
int64_t rlt_staged_local_bytes(const rlt_build_options *options, const rlt_strategy *strategy);

#endif
