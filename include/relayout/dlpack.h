/* dlpack.h: DLPack's tensors as views, and back. Include DLPack's own header, <dlpack/dlpack.h> of
 * version 0.6 or later, before this one. Nothing here is compiled into the library.
 *
 * The pointer or buffer of a view is the tensor's `data`, which may be a handle and is never used
 * here. relayout/interchange.h describes types, lanes, strides, flags and statuses. */
#ifndef RELAYOUT_DLPACK_H
#define RELAYOUT_DLPACK_H

#ifndef DLPACK_DLPACK_H_
#error "include DLPack's own header, dlpack/dlpack.h, before relayout/dlpack.h"
#endif

#include <stdio.h>

#include "relayout/interchange.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `flags` are those of the DLManagedTensorVersioned that the tensor is part of, or 0. */
static inline relayout_status relayout_view_from_dlpack(const DLTensor *tensor, uint64_t flags,
                                                        relayout_view *view,
                                                        relayout_error *error) {
  relayout_dlpack_fields fields;
  if (tensor == NULL) {
    return relayout_view_from_dlpack_fields(NULL, view, error);
  }
  fields.code = tensor->dtype.code;
  fields.bits = tensor->dtype.bits;
  fields.lanes = tensor->dtype.lanes;
  fields.ndim = tensor->ndim;
  fields.shape = tensor->shape;
  fields.strides = tensor->strides;
  fields.byte_offset = tensor->byte_offset;
  fields.flags = flags;
  return relayout_view_from_dlpack_fields(&fields, view, error);
}

#if defined(DLPACK_MAJOR_VERSION) && DLPACK_MAJOR_VERSION >= 1
/* The same for a tensor with flags. RELAYOUT_UNSUPPORTED if its major version is not
 * DLPACK_MAJOR_VERSION; its other fields are not read then. */
static inline relayout_status
relayout_view_from_dlpack_versioned(const DLManagedTensorVersioned *managed, relayout_view *view,
                                    relayout_error *error) {
  if (managed == NULL) {
    return relayout_view_from_dlpack_fields(NULL, view, error);
  }
  if (managed->version.major != DLPACK_MAJOR_VERSION) {
    if (error != NULL) {
      error->status = RELAYOUT_UNSUPPORTED;
      error->cl_status = 0;
      snprintf(error->message, sizeof error->message, "version.major is %u, not %u",
               (unsigned)managed->version.major, (unsigned)DLPACK_MAJOR_VERSION);
    }
    return RELAYOUT_UNSUPPORTED;
  }
  return relayout_view_from_dlpack(&managed->dl_tensor, managed->flags, view, error);
}
#endif

/* Fills in the flags, and all of the tensor except its data and device. The caller provides `shape`
 * and `strides`, of `rank` entries each, and the tensor points to them. */
static inline relayout_status relayout_view_to_dlpack(const relayout_view *view, int64_t *shape,
                                                      int64_t *strides, DLTensor *tensor,
                                                      uint64_t *flags, relayout_error *error) {
  relayout_dlpack_fields fields;
  const relayout_status status =
      relayout_view_to_dlpack_fields(view, shape, strides, &fields, error);
  if (status == RELAYOUT_OK) {
    tensor->dtype.code = fields.code;
    tensor->dtype.bits = fields.bits;
    tensor->dtype.lanes = fields.lanes;
    tensor->ndim = fields.ndim;
    tensor->shape = shape;
    tensor->strides = strides;
    tensor->byte_offset = fields.byte_offset;
    *flags = fields.flags;
  }
  return status;
}

#ifdef __cplusplus
}
#endif

#endif
