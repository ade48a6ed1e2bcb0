/* pjrt.c: PJRT's numbers of element types, which its C API has pinned, and its layouts. */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "metadata/view.h"
#include "metadata/widths.h"
#include "relayout/interchange.h"

static const relayout_element_type types[] = {
    [1] = RELAYOUT_PRED,        [2] = RELAYOUT_S8,          [3] = RELAYOUT_S16,
    [4] = RELAYOUT_S32,         [5] = RELAYOUT_S64,         [6] = RELAYOUT_U8,
    [7] = RELAYOUT_U16,         [8] = RELAYOUT_U32,         [9] = RELAYOUT_U64,
    [10] = RELAYOUT_F16,        [11] = RELAYOUT_F32,        [12] = RELAYOUT_F64,
    [13] = RELAYOUT_BF16,       [14] = RELAYOUT_C64,        [15] = RELAYOUT_C128,
    [16] = RELAYOUT_F8E5M2,     [17] = RELAYOUT_F8E4M3FN,   [18] = RELAYOUT_F8E4M3B11FNUZ,
    [19] = RELAYOUT_F8E5M2FNUZ, [20] = RELAYOUT_F8E4M3FNUZ, [21] = RELAYOUT_S4,
    [22] = RELAYOUT_U4,         [24] = RELAYOUT_S2,         [25] = RELAYOUT_U2,
    [26] = RELAYOUT_F8E4M3,     [27] = RELAYOUT_F8E3M4,     [28] = RELAYOUT_F8E8M0FNU,
    [29] = RELAYOUT_F4E2M1FN,
};

enum { TYPE_COUNT = sizeof types / sizeof types[0] };

relayout_status relayout_element_type_from_pjrt(int32_t pjrt_type, relayout_element_type *type,
                                                relayout_error *error) {
  if (type == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "type is NULL");
  }
  if (pjrt_type < 0 || pjrt_type >= TYPE_COUNT ||
      types[pjrt_type] == RELAYOUT_ELEMENT_TYPE_INVALID) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "PJRT's type number %" PRId32 " is not a known element type", pjrt_type);
  }
  *type = types[pjrt_type];
  return RELAYOUT_OK;
}

relayout_status relayout_element_type_to_pjrt(relayout_element_type type, int32_t *pjrt_type,
                                              relayout_error *error) {
  if (pjrt_type == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "pjrt_type is NULL");
  }
  for (int32_t i = 0; i < TYPE_COUNT && type != RELAYOUT_ELEMENT_TYPE_INVALID; ++i) {
    if (types[i] == type) {
      *pjrt_type = i;
      return RELAYOUT_OK;
    }
  }
  return rlt_fail(error, RELAYOUT_UNSUPPORTED, "PJRT has no type %s",
                  relayout_element_type_name(type));
}

static relayout_status check_length(size_t length, const char *name, size_t rank,
                                    relayout_error *error) {
  return length == rank ? RELAYOUT_OK
                        : rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                                   "%s has %zu entries, but the rank is %zu", name, length, rank);
}

static relayout_status make_tiled(const relayout_pjrt_fields *fields, relayout_element_type type,
                                  relayout_view *view, relayout_error *error) {
  const int32_t rank = (int32_t)fields->rank;
  relayout_layout layout;
  relayout_shape shape;
  relayout_status status =
      check_length(fields->minor_to_major_size, "minor_to_major", fields->rank, error);
  if (status == RELAYOUT_OK) {
    status =
        relayout_layout_make_tiled(rank, fields->minor_to_major, fields->tile_count,
                                   fields->tile_ranks, fields->tile_dimensions, &layout, error);
  }
  if (status == RELAYOUT_OK) {
    status =
        relayout_shape_make_with_layout(type, rank, fields->dimensions, &layout, &shape, error);
  }
  return status == RELAYOUT_OK ? relayout_view_make(&shape, view, error) : status;
}

static relayout_status make_strided(const relayout_pjrt_fields *fields, relayout_element_type type,
                                    relayout_view *view, relayout_error *error) {
  const bool has_strides = fields->layout == RELAYOUT_PJRT_LAYOUT_STRIDES;
  relayout_status status =
      has_strides ? check_length(fields->byte_stride_count, "byte_strides", fields->rank, error)
                  : RELAYOUT_OK;
  if (status == RELAYOUT_OK && has_strides && fields->rank > 0 && fields->byte_strides == NULL) {
    status = rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "byte_strides is NULL");
  }
  return status == RELAYOUT_OK
             ? relayout_view_make_strided(type, (int32_t)fields->rank, fields->dimensions,
                                          has_strides ? fields->byte_strides : NULL, view, error)
             : status;
}

relayout_status relayout_view_from_pjrt_fields(const relayout_pjrt_fields *fields,
                                               relayout_view *view, relayout_error *error) {
  if (fields == NULL || view == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    fields == NULL ? "fields" : "view");
  }
  if (fields->rank > RELAYOUT_MAX_RANK) {
    return rlt_fail(error, RELAYOUT_INVALID_SHAPE, "rank is %zu; expected 0 to %d", fields->rank,
                    RELAYOUT_MAX_RANK);
  }
  relayout_element_type type = RELAYOUT_ELEMENT_TYPE_INVALID;
  const relayout_status status = relayout_element_type_from_pjrt(fields->type, &type, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  switch (fields->layout) {
  case RELAYOUT_PJRT_LAYOUT_TILED:
    return make_tiled(fields, type, view, error);
  case RELAYOUT_PJRT_LAYOUT_NONE:
  case RELAYOUT_PJRT_LAYOUT_STRIDES:
    return make_strided(fields, type, view, error);
  }
  return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "layout is %d, which is not a known kind",
                  (int)fields->layout);
}

/* ---- To PJRT ---- */

/* Whether the order and the tiles say all of where elements lie. */
static bool is_order_and_tiles(const relayout_view *view) {
  return !view->is_strided && !rlt_is_widened(&view->shape) && rlt_custom_bits(&view->shape) == 0;
}

static relayout_status check_layout(const relayout_view *view, relayout_error *error) {
  const relayout_layout *const layout = &view->shape.layout;
  if (rlt_is_swapped(view->shape.element_type, view->byte_order)) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "byte_order is %s, and PJRT's buffers have the host's",
                    rlt_byte_order_name(view->byte_order));
  }
  if (rlt_packed_bits(layout) > 0) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "elements take %" PRId64 " bits each; PJRT's layouts support whole bytes",
                    rlt_packed_bits(layout));
  }
  return layout->tile_count == 0 ||
                 (is_order_and_tiles(view) && layout->tail_padding_alignment_in_elements <= 1)
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_UNSUPPORTED,
                        "PJRT's tiled layouts do not support padded dimensions, tail alignment or "
                        "wider containers");
}

static void list_tiled(const relayout_layout *layout, relayout_pjrt_lists *lists,
                       relayout_pjrt_fields *fields) {
  size_t dimension_count = 0;
  for (int32_t i = 0; i < layout->rank; ++i) {
    lists->numbers[i] = layout->minor_to_major[i];
  }
  for (int32_t i = 0; i < layout->tile_count; ++i) {
    lists->tile_ranks[i] = (size_t)layout->tile_ranks[i];
    dimension_count += lists->tile_ranks[i];
  }
  memcpy(lists->tile_dimensions, layout->tile_dimensions,
         dimension_count * sizeof lists->tile_dimensions[0]);
  fields->layout = RELAYOUT_PJRT_LAYOUT_TILED;
  fields->minor_to_major = lists->numbers;
  fields->minor_to_major_size = (size_t)layout->rank;
  fields->tile_dimensions = lists->tile_dimensions;
  fields->tile_ranks = lists->tile_ranks;
  fields->tile_count = (size_t)layout->tile_count;
}

static relayout_status list_strides(const relayout_view *view, relayout_pjrt_lists *lists,
                                    relayout_pjrt_fields *fields, relayout_error *error) {
  fields->layout = RELAYOUT_PJRT_LAYOUT_STRIDES;
  fields->byte_strides = lists->numbers;
  fields->byte_stride_count = (size_t)view->shape.rank;
  return relayout_view_byte_strides(view, lists->numbers, error);
}

relayout_status relayout_view_to_pjrt_fields(const relayout_view *view, relayout_pjrt_lists *lists,
                                             relayout_pjrt_fields *fields, relayout_error *error) {
  relayout_status status = relayout_view_validate(view, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (lists == NULL || fields == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    lists == NULL ? "lists" : "fields");
  }
  const relayout_shape *const shape = &view->shape;
  relayout_pjrt_fields made = {.dimensions = lists->dimensions, .rank = (size_t)shape->rank};
  status = relayout_element_type_to_pjrt(shape->element_type, &made.type, error);
  if (status == RELAYOUT_OK) {
    status = check_layout(view, error);
  }
  if (status == RELAYOUT_OK && is_order_and_tiles(view)) {
    list_tiled(&shape->layout, lists, &made);
  } else if (status == RELAYOUT_OK) {
    status = list_strides(view, lists, &made, error);
  }
  if (status == RELAYOUT_OK) {
    memcpy(lists->dimensions, shape->dimensions, (size_t)shape->rank * sizeof shape->dimensions[0]);
    *fields = made;
  }
  return status;
}
