/* dlpack.c: DLPack's description of a tensor. Its numbers are pinned by DLPack's own rules.
 *
 * Depends on view.h, widths.h, type_table.h and on base/.
 */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "metadata/rules.h"
#include "metadata/view.h"
#include "metadata/widths.h"
#include "relayout/interchange.h"

enum { FLAG_READ_ONLY = 1, FLAG_A_BYTE_EACH = 4 };

/* ---- Types ---- */

typedef struct type_row {
  uint8_t code;
  uint8_t bits;
  relayout_element_type type;
} type_row;

static const type_row types[] = {
    {0, 1, RELAYOUT_S1},          {0, 2, RELAYOUT_S2},          {0, 4, RELAYOUT_S4},
    {0, 8, RELAYOUT_S8},          {0, 16, RELAYOUT_S16},        {0, 32, RELAYOUT_S32},
    {0, 64, RELAYOUT_S64},        {1, 1, RELAYOUT_U1},          {1, 2, RELAYOUT_U2},
    {1, 4, RELAYOUT_U4},          {1, 8, RELAYOUT_U8},          {1, 16, RELAYOUT_U16},
    {1, 32, RELAYOUT_U32},        {1, 64, RELAYOUT_U64},        {2, 16, RELAYOUT_F16},
    {2, 32, RELAYOUT_F32},        {2, 64, RELAYOUT_F64},        {4, 16, RELAYOUT_BF16},
    {5, 64, RELAYOUT_C64},        {5, 128, RELAYOUT_C128},      {6, 8, RELAYOUT_PRED},
    {7, 8, RELAYOUT_F8E3M4},      {8, 8, RELAYOUT_F8E4M3},      {9, 8, RELAYOUT_F8E4M3B11FNUZ},
    {10, 8, RELAYOUT_F8E4M3FN},   {11, 8, RELAYOUT_F8E4M3FNUZ}, {12, 8, RELAYOUT_F8E5M2},
    {13, 8, RELAYOUT_F8E5M2FNUZ}, {14, 8, RELAYOUT_F8E8M0FNU},  {15, 6, RELAYOUT_F6E2M3FN},
    {16, 6, RELAYOUT_F6E3M2FN},   {17, 4, RELAYOUT_F4E2M1FN},
};

enum { TYPE_COUNT = sizeof types / sizeof types[0] };

static const type_row *row_of_code(uint8_t code, uint8_t bits) {
  for (size_t i = 0; i < TYPE_COUNT; ++i) {
    if (types[i].code == code && types[i].bits == bits) {
      return &types[i];
    }
  }
  return NULL;
}

static const type_row *row_of_type(relayout_element_type type) {
  for (size_t i = 0; i < TYPE_COUNT; ++i) {
    if (types[i].type == type) {
      return &types[i];
    }
  }
  return NULL;
}

/* ---- From DLPack ---- */

/* A tensor with its lanes as a dimension, and strides in single elements. */
typedef struct tensor {
  const type_row *type;
  int32_t rank;
  int64_t dimensions[RELAYOUT_MAX_RANK];
  bool is_compact;                    /* the last dimension the fastest, without a gap */
  int64_t strides[RELAYOUT_MAX_RANK]; /* 0 where nothing takes a step */
} tensor;

static relayout_status check_fields(const relayout_dlpack_fields *fields, const relayout_view *view,
                                    relayout_error *error) {
  if (fields == NULL || view == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    fields == NULL ? "fields" : "view");
  }
  const int32_t most = RELAYOUT_MAX_RANK - (fields->lanes > 1);
  if (fields->ndim < 0 || fields->ndim > most) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "ndim is %" PRId32 "; expected 0 to %" PRId32,
                    fields->ndim, most);
  }
  if (fields->ndim > 0 && fields->shape == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "shape is NULL, but ndim is %" PRId32,
                    fields->ndim);
  }
  return fields->lanes > 0
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "lanes is 0; expected 1 or more");
}

static bool has_elements(const tensor *of) {
  bool has = true;
  for (int32_t d = 0; d < of->rank; ++d) {
    has = has && of->dimensions[d] > 0;
  }
  return has;
}

/* Whether these strides, of the dimensions that take steps, leave no gap. */
static bool is_compact(const tensor *of) {
  int64_t expected = 1;
  bool is = true;
  for (int32_t d = of->rank - 1; d >= 0 && is; --d) {
    is = of->dimensions[d] <= 1 || of->strides[d] == expected;
    is = rlt_multiply(expected, rlt_max(of->dimensions[d], 1), &expected) && is;
  }
  return is;
}

static relayout_status read_tensor(const relayout_dlpack_fields *fields, tensor *made,
                                   relayout_error *error) {
  *made = (tensor){.type = row_of_code(fields->code, fields->bits),
                   .rank = fields->ndim + (fields->lanes > 1)};
  if (made->type == NULL) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "DLPack's type code %d with %d bits is not supported", fields->code,
                    fields->bits);
  }
  if (fields->lanes > 1) {
    made->dimensions[fields->ndim] = fields->lanes;
    made->strides[fields->ndim] = 1;
  }
  for (int32_t d = 0; d < fields->ndim; ++d) {
    made->dimensions[d] = fields->shape[d];
  }
  const bool has_strides = fields->strides != NULL && has_elements(made);
  for (int32_t d = 0; d < fields->ndim && has_strides; ++d) {
    if (fields->shape[d] > 1 &&
        !rlt_multiply(fields->strides[d], fields->lanes, &made->strides[d])) {
      return rlt_fail(error, RELAYOUT_SIZE_OVERFLOW,
                      "strides[%" PRId32 "] is %" PRId64 ", too large for 64 bits", d,
                      fields->strides[d]);
    }
  }
  made->is_compact = !has_strides || is_compact(made);
  return RELAYOUT_OK;
}

static relayout_status make_strided(const tensor *of, relayout_view *made, relayout_error *error) {
  const int64_t size = (int64_t)relayout_element_type_byte_size(of->type->type);
  int64_t byte_strides[RELAYOUT_MAX_RANK];
  for (int32_t d = 0; d < of->rank; ++d) {
    if (!rlt_multiply(of->strides[d], size, &byte_strides[d])) {
      return rlt_fail(error, RELAYOUT_SIZE_OVERFLOW,
                      "strides[%" PRId32 "] is %" PRId64 " elements of %" PRId64
                      " bytes, too large for 64 bits",
                      d, of->strides[d], size);
    }
  }
  return relayout_view_make_strided(of->type->type, of->rank, of->dimensions,
                                    of->is_compact ? NULL : byte_strides, made, error);
}

/* The dimensions that take steps, those of the shortest first, and behind them the others. */
static void order_of(const tensor *of, int32_t *order) {
  int32_t count = 0;
  for (int32_t d = of->rank - 1; d >= 0; --d) {
    int32_t at = count++;
    for (; at > 0 && of->dimensions[d] > 1 &&
           (of->dimensions[order[at - 1]] <= 1 || of->strides[order[at - 1]] > of->strides[d]);
         --at) {
      order[at] = order[at - 1];
    }
    order[at] = d;
  }
}

/* Each dimension as wide as the next one steps. False where that is no number of its steps, or too
 * few. */
static bool find_widths(const tensor *of, const int32_t *order, int64_t *widths) {
  int64_t step = 1;
  for (int32_t i = 0; i < of->rank && of->dimensions[order[i]] > 1; ++i) {
    const int32_t d = order[i];
    const bool is_last = i + 1 == of->rank || of->dimensions[order[i + 1]] <= 1;
    widths[d] = of->dimensions[d];
    if (of->strides[d] != step) {
      return false;
    }
    if (!is_last) {
      const int64_t next = of->strides[order[i + 1]];
      widths[d] = next / step;
      if (next % step != 0 || widths[d] < of->dimensions[d]) {
        return false;
      }
      step = next;
    }
  }
  return true;
}

/* Packed elements have no strides in bytes, but may lie in any order, and with gaps between
 * rows. */
static relayout_status make_packed(const tensor *of, relayout_view *made, relayout_error *error) {
  if (of->type->bits == 6) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "elements of 6 bits that are packed, four in 3 bytes, are not supported; "
                    "expected a byte for each");
  }
  relayout_status status =
      relayout_view_make_strided(of->type->type, of->rank, of->dimensions, NULL, made, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  relayout_layout *const layout = &made->shape.layout;
  layout->element_size_in_bits = of->type->bits;
  if (!of->is_compact) {
    int64_t widths[RELAYOUT_MAX_RANK];
    memcpy(widths, of->dimensions, sizeof widths);
    order_of(of, layout->minor_to_major);
    if (!find_widths(of, layout->minor_to_major, widths)) {
      return rlt_fail(
          error, RELAYOUT_UNSUPPORTED,
          "strides of packed elements of %d bits are those of no order of the dimensions",
          of->type->bits);
    }
    if (memcmp(widths, of->dimensions, (size_t)of->rank * sizeof widths[0]) != 0) {
      layout->padded_dimension_count = of->rank;
      layout->padding_value = RELAYOUT_PADDING_UNKNOWN;
      memcpy(layout->padded_dimensions, widths, (size_t)of->rank * sizeof widths[0]);
    }
  }
  return relayout_view_validate(made, error);
}

/* What a view's offset has no number for is told in DLPack's. */
static relayout_status read_offset(uint64_t given, int64_t *byte_offset, relayout_error *error) {
  if (given > INT64_MAX) {
    return rlt_fail(error, RELAYOUT_SIZE_OVERFLOW,
                    "fields->byte_offset is %" PRIu64 "; it must be at most %" PRId64, given,
                    rlt_view_most_offset());
  }
  *byte_offset = (int64_t)given;
  return rlt_view_check_offset(*byte_offset, "fields", error);
}

relayout_status relayout_view_from_dlpack_fields(const relayout_dlpack_fields *fields,
                                                 relayout_view *view, relayout_error *error) {
  tensor of;
  relayout_view made;
  relayout_status status = check_fields(fields, view, error);
  if (status == RELAYOUT_OK) {
    status = read_tensor(fields, &of, error);
  }
  if (status == RELAYOUT_OK) {
    const bool is_packed = of.type->bits < 8 && (fields->flags & FLAG_A_BYTE_EACH) == 0;
    status = is_packed ? make_packed(&of, &made, error) : make_strided(&of, &made, error);
  }
  if (status == RELAYOUT_OK) {
    status = read_offset(fields->byte_offset, &made.byte_offset, error);
    made.is_read_only = (fields->flags & FLAG_READ_ONLY) != 0;
  }
  if (status == RELAYOUT_OK) {
    *view = made;
  }
  return status;
}

/* ---- To DLPack ---- */

/* In elements. Of a valid view. */
static relayout_status find_strides(const relayout_view *view, int64_t *strides,
                                    relayout_error *error) {
  const relayout_shape *const shape = &view->shape;
  const int64_t size = (int64_t)relayout_element_type_byte_size(shape->element_type);
  if (!view->is_strided) {
    const relayout_status status = rlt_check_strided(shape, error);
    if (status == RELAYOUT_OK) {
      rlt_strides(shape, strides);
    }
    return status;
  }
  const bool is_empty = relayout_shape_element_count(shape) == 0;
  for (int32_t d = 0; d < shape->rank; ++d) {
    const bool counts = shape->dimensions[d] > 1 && !is_empty;
    if (counts && view->byte_strides[d] % size != 0) {
      return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                      "byte_strides[%" PRId32 "] is %" PRId64
                      "; expected a multiple of the element size, %" PRId64,
                      d, view->byte_strides[d], size);
    }
    strides[d] = counts ? view->byte_strides[d] / size : 0;
  }
  return RELAYOUT_OK;
}

static relayout_status check_view(const relayout_view *view, relayout_error *error) {
  const relayout_status status = relayout_view_validate(view, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (view->byte_offset < 0) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED, "byte_offset is %" PRId64 "; expected 0 or more",
                    view->byte_offset);
  }
  if (rlt_is_swapped(view->shape.element_type, view->byte_order)) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "byte_order is %s, and DLPack's tensors have the host's",
                    rlt_byte_order_name(view->byte_order));
  }
  if (rlt_is_high_first(&view->shape.layout)) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "packing_order is high; DLPack's packed elements begin in the low bits");
  }
  return rlt_custom_bits(&view->shape) < 8
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_UNSUPPORTED,
                        "elements take %" PRId64 " bits each; DLPack supports only their own %d",
                        view->shape.layout.element_size_in_bits,
                        (int)relayout_element_type_bits(view->shape.element_type));
}

relayout_status relayout_view_to_dlpack_fields(const relayout_view *view, int64_t *shape,
                                               int64_t *strides, relayout_dlpack_fields *fields,
                                               relayout_error *error) {
  relayout_status status = check_view(view, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const int32_t rank = view->shape.rank;
  if (fields == NULL || (rank > 0 && (shape == NULL || strides == NULL))) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    fields == NULL  ? "fields"
                    : shape == NULL ? "shape"
                                    : "strides");
  }
  const type_row *const type = row_of_type(view->shape.element_type);
  const int64_t packed = rlt_packed_bits(&view->shape.layout);
  if (type == NULL || (packed > 0 && packed != type->bits)) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED, "DLPack has no %s in %" PRId64 " bits",
                    relayout_element_type_name(view->shape.element_type), packed);
  }
  int64_t found[RELAYOUT_MAX_RANK];
  status = find_strides(view, found, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  memcpy(strides, found, (size_t)rank * sizeof found[0]);
  memcpy(shape, view->shape.dimensions, (size_t)rank * sizeof found[0]);
  *fields =
      (relayout_dlpack_fields){.code = type->code,
                               .bits = type->bits,
                               .lanes = 1,
                               .ndim = rank,
                               .shape = shape,
                               .strides = strides,
                               .byte_offset = (uint64_t)view->byte_offset,
                               .flags = (view->is_read_only ? FLAG_READ_ONLY : 0) |
                                        (type->bits < 8 && packed == 0 ? FLAG_A_BYTE_EACH : 0)};
  return RELAYOUT_OK;
}
