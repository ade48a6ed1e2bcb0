/* pjrt.h: the layouts of PJRT's C API as views. Include PJRT's own header, pjrt_c_api.h, before
 * this one. Nothing here is compiled into the library. */
#ifndef RELAYOUT_PJRT_H
#define RELAYOUT_PJRT_H

#ifndef PJRT_API_MAJOR
#error "include PJRT's own header, pjrt_c_api.h, before relayout/pjrt.h"
#endif

#include <string.h>

#include "relayout/interchange.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls relayout_view_from_pjrt_fields for arguments of PJRT_Client_BufferFromHostBuffer, or for
 * the properties of a buffer; `layout` NULL means that none is given. */
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

/* Calls relayout_view_to_pjrt_fields, for arguments of PJRT_Client_BufferFromHostBuffer,
 * PJRT_Buffer_ToHostBuffer and the like; `layout` points into `lists`. */
static inline relayout_status
relayout_view_to_pjrt(const relayout_view *view, relayout_pjrt_lists *lists, PJRT_Buffer_Type *type,
                      PJRT_Buffer_MemoryLayout *layout, relayout_error *error) {
  relayout_pjrt_fields fields;
  const relayout_status status = relayout_view_to_pjrt_fields(view, lists, &fields, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  *type = (PJRT_Buffer_Type)fields.type;
  memset(layout, 0, sizeof *layout);
  layout->struct_size = sizeof *layout;
  if (fields.layout == RELAYOUT_PJRT_LAYOUT_TILED) {
    layout->type = PJRT_Buffer_MemoryLayout_Type_Tiled;
    layout->tiled.struct_size = sizeof layout->tiled;
    layout->tiled.minor_to_major = fields.minor_to_major;
    layout->tiled.minor_to_major_size = fields.minor_to_major_size;
    layout->tiled.tile_dims = fields.tile_dimensions;
    layout->tiled.tile_dim_sizes = fields.tile_ranks;
    layout->tiled.num_tiles = fields.tile_count;
  } else {
    layout->type = PJRT_Buffer_MemoryLayout_Type_Strides;
    layout->strides.struct_size = sizeof layout->strides;
    layout->strides.byte_strides = fields.byte_strides;
    layout->strides.num_byte_strides = fields.byte_stride_count;
  }
  return RELAYOUT_OK;
}

#ifdef __cplusplus
}
#endif

#endif
