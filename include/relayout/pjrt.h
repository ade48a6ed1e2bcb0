/* pjrt.h: the layouts of PJRT's C API as views. Include its own header, pjrt_c_api.h, before this
 * one. Nothing here is compiled into the library.
 */
#ifndef RELAYOUT_PJRT_H
#define RELAYOUT_PJRT_H

#ifndef PJRT_API_MAJOR
#error "include PJRT's own header, pjrt_c_api.h, before relayout/pjrt.h"
#endif

#include "relayout/interchange.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What relayout_view_from_pjrt_fields makes of these arguments of PJRT_Client_BufferFromHostBuffer,
 * or of a buffer's; `layout` NULL means that none is given. */
static inline relayout_status relayout_view_from_pjrt(PJRT_Buffer_Type type,
                                                      const int64_t *dimensions, size_t rank,
                                                      const PJRT_Buffer_MemoryLayout *layout,
                                                      relayout_view *view, relayout_error *error) {
  relayout_pjrt_fields fields;
  fields.type = (int32_t)type;
  fields.dimensions = dimensions;
  fields.rank = rank;
  fields.layout = RELAYOUT_PJRT_LAYOUT_NONE;
  if (layout != NULL && layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled) {
    fields.layout = RELAYOUT_PJRT_LAYOUT_TILED;
    fields.minor_to_major = layout->tiled.minor_to_major;
    fields.minor_to_major_size = layout->tiled.minor_to_major_size;
    fields.tile_dimensions = layout->tiled.tile_dims;
    fields.tile_ranks = layout->tiled.tile_dim_sizes;
    fields.tile_count = layout->tiled.num_tiles;
  } else if (layout != NULL && layout->type == PJRT_Buffer_MemoryLayout_Type_Strides) {
    fields.layout = RELAYOUT_PJRT_LAYOUT_STRIDES;
    fields.byte_strides = layout->strides.byte_strides;
    fields.byte_stride_count = layout->strides.num_byte_strides;
  } else if (layout != NULL) {
    fields.layout = (relayout_pjrt_layout)3; /* none of them: refused */
  }
  return relayout_view_from_pjrt_fields(&fields, view, error);
}

#ifdef __cplusplus
}
#endif

#endif
