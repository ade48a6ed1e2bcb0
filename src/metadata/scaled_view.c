/* scaled_view.c: makes, checks and compares scaled views. */
#include "metadata/scaled_view.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "metadata/rules.h"

/* ---- Groups --------------------------------------------------------------------------------- */

int64_t rlt_group_size_of(int64_t elements, int64_t groups) {
  if (groups == 1 || elements == 0) {
    return rlt_max(elements, 1);
  }
  if (groups > 0 && elements % groups == 0) {
    return elements / groups;
  }
  int64_t size = 1;
  while (size < elements && rlt_divide_up(elements, size) > groups) {
    size *= 2;
  }
  return rlt_divide_up(elements, size) == groups ? size : 0;
}

static relayout_status find_groups(relayout_scaled_view *view, relayout_error *error) {
  const relayout_shape *const elements = &view->elements.shape;
  const relayout_shape *const scales = &view->scales.shape;
  for (int32_t d = 0; d < elements->rank && d < scales->rank; ++d) {
    view->group_sizes[d] = rlt_group_size_of(elements->dimensions[d], scales->dimensions[d]);
    if (view->group_sizes[d] == 0) {
      return rlt_fail(error, RELAYOUT_SHAPE_MISMATCH,
                      "the scales have %" PRId64 " groups along dimension %" PRId32
                      ", which has %" PRId64 " elements: say how many a group has (group_sizes, "
                      "or 'per' in a text)",
                      scales->dimensions[d], d, elements->dimensions[d]);
    }
  }
  return RELAYOUT_OK;
}

/* ---- Checks --------------------------------------------------------------------------------- */

static relayout_status check_view(const relayout_view *view, const char *what,
                                  relayout_error *error) {
  relayout_error cause;
  const relayout_status status = relayout_view_validate(view, &cause);
  return status == RELAYOUT_OK ? status : rlt_fail(error, status, "%s: %s", what, cause.message);
}

static bool is_small_integer(relayout_element_type type) {
  const relayout_element_kind kind = relayout_element_type_kind(type);
  return (kind == RELAYOUT_KIND_SIGNED || kind == RELAYOUT_KIND_UNSIGNED) &&
         relayout_element_type_bits(type) <= 16;
}

/* A float that f32 holds. */
static bool is_small_float(relayout_element_type type) {
  return relayout_element_type_kind(type) == RELAYOUT_KIND_FLOAT && type != RELAYOUT_F64;
}

/* Of at most 32 bits. */
static bool is_scaled_integer(relayout_element_type type) {
  return is_small_integer(type) || type == RELAYOUT_S32 || type == RELAYOUT_U32;
}

bool rlt_can_be_scaled(relayout_element_type type) {
  return is_scaled_integer(type) || is_small_float(type);
}

static relayout_status check_types(const relayout_scaled_view *view, relayout_error *error) {
  const relayout_element_type elements = view->elements.shape.element_type;
  const relayout_element_type scales = view->scales.shape.element_type;
  const relayout_element_type points = view->zero_points.shape.element_type;
  if (!rlt_can_be_scaled(elements)) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "elements of %s cannot have scales; expected an integer or float type of at "
                    "most 32 bits",
                    relayout_element_type_name(elements));
  }
  if (!is_small_float(scales) || relayout_element_type_bits(scales) < 8) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "scales cannot be %s; expected f32, f16, bf16 or an f8 type",
                    relayout_element_type_name(scales));
  }
  if (view->has_zero_points && !is_scaled_integer(elements)) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "elements of %s cannot have zero points; expected an integer type",
                    relayout_element_type_name(elements));
  }
  if (view->has_zero_points && !is_small_integer(points)) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "zero points cannot be %s; expected an integer type of at most 16 bits",
                    relayout_element_type_name(points));
  }
  return RELAYOUT_OK;
}

static relayout_status check_groups(const relayout_scaled_view *view, const relayout_shape *beside,
                                    const char *what, relayout_error *error) {
  const relayout_shape *const elements = &view->elements.shape;
  if (beside->rank != elements->rank) {
    return rlt_fail(error, RELAYOUT_SHAPE_MISMATCH,
                    "the %s have rank %" PRId32 ", the elements %" PRId32, what, beside->rank,
                    elements->rank);
  }
  for (int32_t d = 0; d < elements->rank; ++d) {
    const int64_t size = view->group_sizes[d], all = elements->dimensions[d];
    if (size < 1) {
      return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                      "group_sizes[%" PRId32 "] is %" PRId64 "; expected at least 1", d, size);
    }
    const bool is_whole = all == 0 && beside->dimensions[d] == 1;
    if (beside->dimensions[d] != rlt_divide_up(all, size) && !is_whole) {
      return rlt_fail(error, RELAYOUT_SHAPE_MISMATCH,
                      "dimension %" PRId32 " of the %s is %" PRId64 "; expected %" PRId64
                      ", for groups of %" PRId64 " of %" PRId64 " elements",
                      d, what, beside->dimensions[d], rlt_divide_up(all, size), size, all);
    }
  }
  return RELAYOUT_OK;
}

/* One element of f32. */
static relayout_status check_tensor_scale(const relayout_view *view, relayout_error *error) {
  const relayout_status status = check_view(view, "tensor scale", error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (view->shape.element_type != RELAYOUT_F32) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED, "the tensor scale cannot be %s; expected f32",
                    relayout_element_type_name(view->shape.element_type));
  }
  const int64_t count = relayout_shape_element_count(&view->shape);
  return count == 1 ? RELAYOUT_OK
                    : rlt_fail(error, RELAYOUT_SHAPE_MISMATCH,
                               "the tensor scale has %" PRId64 " elements; expected one", count);
}

static relayout_status check_scales(const relayout_scaled_view *view, relayout_error *error) {
  relayout_status status = check_view(&view->scales, "scales", error);
  if (status == RELAYOUT_OK && view->has_zero_points) {
    status = check_view(&view->zero_points, "zero_points", error);
  }
  if (status == RELAYOUT_OK) {
    status = check_types(view, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_groups(view, &view->scales.shape, "scales", error);
  }
  if (status == RELAYOUT_OK && view->has_zero_points) {
    status = check_groups(view, &view->zero_points.shape, "zero points", error);
  }
  return status == RELAYOUT_OK && view->has_tensor_scale
             ? check_tensor_scale(&view->tensor_scale, error)
             : status;
}

static relayout_status check_interleaving(const relayout_scaled_view *view, const char *name,
                                          relayout_error *error) {
  const relayout_shape *const shape = &view->elements.shape;
  const int32_t rows = view->interleaved_rows, bytes = view->interleaved_bytes;
  const relayout_block_format format = view->block_format;
  if (rows == 0 && bytes == 0) {
    return RELAYOUT_OK;
  }
  if ((rows != 4 && rows != 8 && rows != 16 && rows != 32 && rows != 64) ||
      (bytes != 1 && bytes != 4 && bytes != 8)) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "%s: interleaved_rows is %" PRId32 " and interleaved_bytes is %" PRId32
                    "; expected 4, 8, 16, 32 or 64 rows and 1, 4 or 8 bytes, or 0 of both",
                    name, rows, bytes);
  }
  if (format != RELAYOUT_BLOCK_FORMAT_Q4_0 && format != RELAYOUT_BLOCK_FORMAT_Q8_0 &&
      format != RELAYOUT_BLOCK_FORMAT_MXFP4) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "%s cannot be interleaved; expected q4_0, q8_0 or mxfp4", name);
  }
  if (shape->rank < 2) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "%s: interleaved records have rank %" PRId32 "; expected at least 2", name,
                    shape->rank);
  }
  const int32_t next = shape->layout.minor_to_major[1];
  return shape->dimensions[next] % rows == 0
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                        "%s: dimension %" PRId32 ", the one next to the minor one, is %" PRId64
                        "; expected a multiple of interleaved_rows, %" PRId32,
                        name, next, shape->dimensions[next], rows);
}

/* That the layout is an order alone, of whole records. */
static relayout_status check_blocks(const relayout_scaled_view *view, relayout_error *error) {
  const relayout_shape *const shape = &view->elements.shape;
  const relayout_layout *const layout = &shape->layout;
  const char *const name = relayout_block_format_name(view->block_format);
  if (relayout_block_format_record_bytes(view->block_format) == 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "block_format is %d, which is not a block format", (int)view->block_format);
  }
  if (view->has_scales || view->has_zero_points || view->has_tensor_scale ||
      view->elements.is_strided || shape->element_type != RELAYOUT_F32) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s: elements in records have no %s", name,
                    view->elements.is_strided ? "strides"
                    : view->has_scales        ? "scales beside them"
                    : view->has_zero_points   ? "zero points beside them"
                    : view->has_tensor_scale  ? "tensor scale"
                                              : "element type but f32 in their shape");
  }
  relayout_layout plain = {.rank = layout->rank};
  memcpy(plain.minor_to_major, layout->minor_to_major, sizeof plain.minor_to_major);
  if (!relayout_layout_equal(&plain, layout) || shape->rank == 0) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "%s: the layout of records is an order of one dimension or more, without "
                    "padding, tiles or other properties",
                    name);
  }
  const int32_t minor = layout->minor_to_major[0];
  return shape->dimensions[minor] % RELAYOUT_BLOCK_ELEMENTS == 0
             ? check_interleaving(view, name, error)
             : rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                        "%s: dimension %" PRId32 ", the minor one, is %" PRId64
                        "; expected a multiple of %d",
                        name, minor, shape->dimensions[minor], RELAYOUT_BLOCK_ELEMENTS);
}

relayout_status relayout_scaled_view_validate(const relayout_scaled_view *view,
                                              relayout_error *error) {
  if (view == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "view is NULL");
  }
  relayout_status status = check_view(&view->elements, "elements", error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (rlt_has_blocks(view)) {
    return check_blocks(view, error);
  }
  if (view->interleaved_rows != 0 || view->interleaved_bytes != 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "interleaved_rows is %" PRId32 " and interleaved_bytes is %" PRId32
                    "; expected 0, as elements lie in no records",
                    view->interleaved_rows, view->interleaved_bytes);
  }
  if (!view->has_scales) {
    return !view->has_zero_points && !view->has_tensor_scale
               ? RELAYOUT_OK
               : rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s scales, which the view has not",
                          view->has_zero_points ? "zero points need" : "a tensor scale needs");
  }
  const int rule = (int)view->rule;
  if (rule < RELAYOUT_SCALES_GIVEN || rule > RELAYOUT_SCALES_RANGE) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "rule is %d, which is not a rule", rule);
  }
  if (rlt_finds_points(view) && !view->has_zero_points) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "rule is RELAYOUT_SCALES_RANGE, which needs zero points, but there are none");
  }
  return check_scales(view, error);
}

/* ---- Making --------------------------------------------------------------------------------- */

relayout_status relayout_scaled_view_make(const relayout_view *elements, relayout_scaled_view *view,
                                          relayout_error *error) {
  if (elements == NULL || view == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    elements == NULL ? "elements" : "view");
  }
  const relayout_status status = check_view(elements, "elements", error);
  if (status == RELAYOUT_OK) {
    const relayout_view kept = *elements;
    memset(view, 0, sizeof *view);
    view->elements = kept;
  }
  return status;
}

relayout_status relayout_scaled_view_make_blocks(relayout_block_format format, int32_t rank,
                                                 const int64_t *dimensions,
                                                 const int32_t *minor_to_major,
                                                 relayout_scaled_view *view,
                                                 relayout_error *error) {
  if (view == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "view is NULL");
  }
  relayout_scaled_view made = {.block_format = format};
  relayout_status status =
      relayout_shape_make(RELAYOUT_F32, rank, dimensions, &made.elements.shape, error);
  if (status == RELAYOUT_OK && minor_to_major != NULL) {
    status = relayout_layout_make(rank, minor_to_major, &made.elements.shape.layout, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_blocks(&made, error);
  }
  if (status == RELAYOUT_OK) {
    *view = made;
  }
  return status;
}

relayout_status relayout_scaled_view_add_scales(relayout_scaled_view *view,
                                                const relayout_view *scales,
                                                const relayout_view *zero_points,
                                                const int64_t *group_sizes, relayout_error *error) {
  if (view == NULL || scales == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    view == NULL ? "view" : "scales");
  }
  relayout_scaled_view made = *view;
  made.has_scales = true;
  made.scales = *scales;
  made.has_zero_points = zero_points != NULL;
  if (zero_points != NULL) {
    made.zero_points = *zero_points;
  }
  relayout_status status = check_view(&made.elements, "elements", error);
  if (status == RELAYOUT_OK) {
    status = check_view(scales, "scales", error);
  }
  if (status == RELAYOUT_OK && group_sizes == NULL) {
    status = find_groups(&made, error);
  }
  for (int32_t d = 0; status == RELAYOUT_OK && group_sizes != NULL && d < made.elements.shape.rank;
       ++d) {
    made.group_sizes[d] = group_sizes[d];
  }
  if (status == RELAYOUT_OK) {
    status = relayout_scaled_view_validate(&made, error);
  }
  if (status == RELAYOUT_OK) {
    *view = made;
  }
  return status;
}

relayout_status relayout_scaled_view_add_tensor_scale(relayout_scaled_view *view,
                                                      const relayout_view *tensor_scale,
                                                      relayout_error *error) {
  static const relayout_view plain = {.shape.element_type = RELAYOUT_F32};
  if (view == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "view is NULL");
  }
  relayout_scaled_view made = *view;
  made.has_tensor_scale = true;
  made.tensor_scale = tensor_scale != NULL ? *tensor_scale : plain;
  const relayout_status status = relayout_scaled_view_validate(&made, error);
  if (status == RELAYOUT_OK) {
    *view = made;
  }
  return status;
}

/* ---- Asking --------------------------------------------------------------------------------- */

bool relayout_scaled_view_equal(const relayout_scaled_view *a, const relayout_scaled_view *b) {
  if (a == NULL || b == NULL) {
    return a == b;
  }
  if (a->block_format != b->block_format || a->interleaved_rows != b->interleaved_rows ||
      a->interleaved_bytes != b->interleaved_bytes || a->has_scales != b->has_scales ||
      a->has_zero_points != b->has_zero_points || a->has_tensor_scale != b->has_tensor_scale ||
      !relayout_view_equal(&a->elements, &b->elements)) {
    return false;
  }
  bool are = !a->has_scales || (a->rule == b->rule && relayout_view_equal(&a->scales, &b->scales));
  are = are && (!a->has_zero_points || relayout_view_equal(&a->zero_points, &b->zero_points));
  are = are && (!a->has_tensor_scale || relayout_view_equal(&a->tensor_scale, &b->tensor_scale));
  for (int32_t d = 0; d < a->elements.shape.rank && are && a->has_scales; ++d) {
    are = a->group_sizes[d] == b->group_sizes[d];
  }
  return are;
}

size_t rlt_blocks_size(const relayout_scaled_view *view) {
  const int64_t count = relayout_shape_element_count(&view->elements.shape);
  return (size_t)(count / RELAYOUT_BLOCK_ELEMENTS) *
         relayout_block_format_record_bytes(view->block_format);
}

relayout_status relayout_scaled_view_elements_size(const relayout_scaled_view *view, size_t *bytes,
                                                   relayout_error *error) {
  if (bytes == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "bytes is NULL");
  }
  const relayout_status status = relayout_scaled_view_validate(view, error);
  if (status == RELAYOUT_OK && rlt_has_blocks(view)) {
    *bytes = rlt_blocks_size(view);
    return status;
  }
  int64_t lowest = 0;
  return status == RELAYOUT_OK ? relayout_view_span(&view->elements, &lowest, bytes, error)
                               : status;
}
