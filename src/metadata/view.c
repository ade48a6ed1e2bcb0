/* view.c: making and checking views.
 *
 * Depends on view.h, strides.h, rules.h, widths.h and on base/.
 */
#include "relayout/view.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "metadata/rules.h"
#include "metadata/strides.h"
#include "metadata/tiling.h"
#include "metadata/view.h"
#include "metadata/widths.h"

/* ---- Asking ---- */

/* What the view takes of memory, counted from the element at index 0, ..., 0. */
static relayout_status find_span(const relayout_view *view, rlt_span *span, relayout_error *error) {
  relayout_status status = relayout_shape_validate(&view->shape, error);
  if (status == RELAYOUT_OK && view->is_strided) {
    return rlt_strides_check(&view->shape, view->byte_strides, "view->byte_strides", span, error);
  }
  size_t bytes = 0;
  if (status == RELAYOUT_OK) {
    status = relayout_shape_byte_size(&view->shape, &bytes, error);
    *span = (rlt_span){.bytes = (int64_t)bytes};
  }
  return status;
}

static relayout_status check(const relayout_view *view, rlt_span *span, relayout_error *error) {
  if (view == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "view is NULL");
  }
  relayout_status status = find_span(view, span, error);
  if (status == RELAYOUT_OK) {
    status = rlt_view_check_byte_order(&view->shape, view->byte_order, "view", error);
  }
  return status == RELAYOUT_OK ? rlt_view_check_offset(view->byte_offset, "view", error) : status;
}

relayout_status rlt_view_check_byte_order(const relayout_shape *shape, relayout_byte_order order,
                                          const char *name, relayout_error *error) {
  const int number = (int)order;
  if (number < RELAYOUT_BYTE_ORDER_NATIVE || number > RELAYOUT_BYTE_ORDER_BIG) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "%s->byte_order is %d, which is not a byte order", name, number);
  }
  if (rlt_is_swapped(shape->element_type, order) && rlt_custom_bits(shape) > 0) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "%s->byte_order is %s, and wider containers of %s have the host's order only",
                    name, rlt_byte_order_name(order),
                    relayout_element_type_name(shape->element_type));
  }
  return RELAYOUT_OK;
}

int64_t rlt_view_most_offset(void) {
  return rlt_min(RLT_MOST_BYTES, PTRDIFF_MAX);
}

relayout_status rlt_view_check_offset(int64_t byte_offset, const char *name,
                                      relayout_error *error) {
  const int64_t most = rlt_view_most_offset();
  return byte_offset >= -most && byte_offset <= most
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_SIZE_OVERFLOW,
                        "%s->byte_offset is %" PRId64 "; it must be from -%" PRId64 " to %" PRId64,
                        name, byte_offset, most, most);
}

relayout_status relayout_view_validate(const relayout_view *view, relayout_error *error) {
  rlt_span span;
  return check(view, &span, error);
}

bool relayout_view_equal(const relayout_view *a, const relayout_view *b) {
  if (a == NULL || b == NULL || !relayout_shape_equal(&a->shape, &b->shape) ||
      a->is_strided != b->is_strided || a->is_read_only != b->is_read_only ||
      a->byte_offset != b->byte_offset ||
      rlt_is_swapped(a->shape.element_type, a->byte_order) !=
          rlt_is_swapped(b->shape.element_type, b->byte_order)) {
    return false;
  }
  bool are_equal = true;
  for (int32_t d = 0; d < a->shape.rank && a->is_strided; ++d) {
    are_equal =
        are_equal && (a->shape.dimensions[d] <= 1 || a->byte_strides[d] == b->byte_strides[d]);
  }
  return are_equal;
}

relayout_status relayout_view_span(const relayout_view *view, int64_t *lowest, size_t *bytes,
                                   relayout_error *error) {
  if (lowest == NULL || bytes == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    lowest == NULL ? "lowest" : "bytes");
  }
  rlt_span span;
  const relayout_status status = check(view, &span, error);
  if (status == RELAYOUT_OK) {
    *lowest = view->byte_offset - span.before;
    *bytes = (size_t)span.bytes;
  }
  return status;
}

/* Of a valid view. */
static relayout_status find_strides(const relayout_view *view, int64_t *byte_strides,
                                    relayout_error *error) {
  const relayout_shape *const shape = &view->shape;
  if (view->is_strided) {
    memcpy(byte_strides, view->byte_strides, (size_t)shape->rank * sizeof byte_strides[0]);
    return RELAYOUT_OK;
  }
  const relayout_status status = rlt_check_strided(shape, error);
  if (status == RELAYOUT_OK && rlt_packed_bits(&shape->layout) > 0) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "elements take %" PRId64 " bits each and have no strides in bytes",
                    shape->layout.element_size_in_bits);
  }
  if (status == RELAYOUT_OK) {
    rlt_strides(shape, byte_strides);
    for (int32_t d = 0; d < shape->rank; ++d) {
      byte_strides[d] *= rlt_element_bits(shape) / 8;
    }
  }
  return status;
}

relayout_status relayout_view_byte_strides(const relayout_view *view, int64_t *byte_strides,
                                           relayout_error *error) {
  rlt_span span;
  const relayout_status status = check(view, &span, error);
  if (status == RELAYOUT_OK && view->shape.rank > 0 && byte_strides == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "byte_strides is NULL");
  }
  return status == RELAYOUT_OK ? find_strides(view, byte_strides, error) : status;
}

/* ---- Making views ---- */

relayout_status relayout_view_make(const relayout_shape *shape, relayout_view *view,
                                   relayout_error *error) {
  if (shape == NULL || view == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    shape == NULL ? "shape" : "view");
  }
  const relayout_status status = relayout_shape_validate(shape, error);
  if (status == RELAYOUT_OK) {
    *view = (relayout_view){.shape = *shape};
  }
  return status;
}

relayout_status relayout_view_make_strided(relayout_element_type type, int32_t rank,
                                           const int64_t *dimensions, const int64_t *byte_strides,
                                           relayout_view *view, relayout_error *error) {
  if (view == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "view is NULL");
  }
  relayout_view made = {.is_strided = byte_strides != NULL};
  const relayout_status status = relayout_shape_make(type, rank, dimensions, &made.shape, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (made.is_strided) {
    memcpy(made.byte_strides, byte_strides, (size_t)rank * sizeof byte_strides[0]);
    rlt_span span;
    const relayout_status checked =
        rlt_strides_check(&made.shape, byte_strides, "byte_strides", &span, error);
    if (checked != RELAYOUT_OK) {
      return checked;
    }
  }
  *view = made;
  return RELAYOUT_OK;
}

bool rlt_view_has_padding(const relayout_view *view) {
  int64_t all = 0;
  return !view->is_strided &&
         (relayout_shape_physical_element_count(&view->shape, &all, NULL) != RELAYOUT_OK ||
          all > relayout_shape_element_count(&view->shape));
}

relayout_status rlt_view_as_strided(const relayout_view *view, relayout_view *made,
                                    relayout_error *error) {
  const relayout_shape *const shape = &view->shape;
  *made = (relayout_view){.is_strided = true,
                          .is_read_only = view->is_read_only,
                          .byte_offset = view->byte_offset,
                          .byte_order = view->byte_order};
  if (rlt_custom_bits(shape) > 0) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "elements take %" PRId64 " bits each; expected their own %zu",
                    shape->layout.element_size_in_bits,
                    8 * relayout_element_type_byte_size(shape->element_type));
  }
  const relayout_status status = find_strides(view, made->byte_strides, error);
  return status == RELAYOUT_OK ? relayout_shape_make(shape->element_type, shape->rank,
                                                     shape->dimensions, &made->shape, error)
                               : status;
}

/* Of index first + (count - 1) * step, whatever these are. */
static relayout_status check_slice(int64_t size, int64_t first, int64_t count, int64_t step,
                                   relayout_error *error) {
  if (count < 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "count is %" PRId64 "; expected 0 or more",
                    count);
  }
  if (count == 0) {
    return RELAYOUT_OK;
  }
  if (first < 0 || first >= size) {
    return rlt_fail(error, RELAYOUT_OUT_OF_RANGE,
                    "first is %" PRId64 ", out of range for a dimension of size %" PRId64, first,
                    size);
  }
  int64_t last = 0;
  if (!rlt_multiply(count - 1, step, &last) || !rlt_add(first, last, &last) || last < 0 ||
      last >= size) {
    return rlt_fail(error, RELAYOUT_OUT_OF_RANGE,
                    "%" PRId64 " elements from %" PRId64 " on in steps of %" PRId64
                    " exceed a dimension of size %" PRId64,
                    count, first, step, size);
  }
  return RELAYOUT_OK;
}

relayout_status relayout_view_slice(const relayout_view *view, int64_t dimension, int64_t first,
                                    int64_t count, int64_t step, relayout_view *result,
                                    relayout_error *error) {
  if (result == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "result is NULL");
  }
  rlt_span span;
  relayout_view made;
  int32_t d = 0;
  relayout_status status = check(view, &span, error);
  if (status == RELAYOUT_OK) {
    status = relayout_shape_dimension_number(&view->shape, dimension, &d, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_slice(view->shape.dimensions[d], first, count, step, error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_view_as_strided(view, &made, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  /* Of a view without elements nothing bounds the strides. */
  const bool is_empty = count == 0 || relayout_shape_element_count(&view->shape) == 0;
  made.byte_offset += is_empty ? 0 : first * made.byte_strides[d];
  made.byte_strides[d] = is_empty || count == 1 ? 0 : step * made.byte_strides[d];
  made.shape.dimensions[d] = count;
  status = check(&made, &span, error);
  if (status == RELAYOUT_OK) {
    *result = made;
  }
  return status;
}

relayout_view rlt_dense_view(const relayout_shape *shape) {
  relayout_view made = {.shape = {.element_type = shape->element_type, .rank = shape->rank}};
  memcpy(made.shape.dimensions, shape->dimensions, sizeof made.shape.dimensions);
  relayout_layout_make_descending(shape->rank, &made.shape.layout, NULL);
  return made;
}

relayout_status relayout_view_permute_dimensions(const relayout_view *view,
                                                 const int32_t *permutation, relayout_view *result,
                                                 relayout_error *error) {
  if (result == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "result is NULL");
  }
  rlt_span span;
  relayout_status status = check(view, &span, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  relayout_view made = *view;
  status = relayout_shape_permute_dimensions(&view->shape, permutation, &made.shape, error);
  if (status == RELAYOUT_OK && view->is_strided) {
    const int32_t rank = view->shape.rank;
    for (int32_t i = 0; i < rank; ++i) {
      made.byte_strides[i] = view->byte_strides[permutation[i]];
    }
    status = relayout_shape_make(view->shape.element_type, rank, made.shape.dimensions, &made.shape,
                                 error);
  }
  if (status == RELAYOUT_OK) {
    *result = made;
  }
  return status;
}
