/* view.h: one side of a relayout as the library hands it on: a caller's view, or a shape alone, of
 * which nothing is copied.
 *
 * Depends on the public views.
 */
#ifndef RLT_METADATA_VIEW_H
#define RLT_METADATA_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "relayout/view.h"

typedef struct rlt_view {
  const relayout_shape *shape;
  const int64_t *byte_strides; /* NULL: lies as its layout says */
  int64_t byte_offset;
  bool is_read_only;
  relayout_byte_order byte_order;
} rlt_view;

static inline rlt_view rlt_view_of_shape(const relayout_shape *shape) {
  return (rlt_view){.shape = shape};
}

static inline rlt_view rlt_view_of(const relayout_view *view) {
  return (rlt_view){&view->shape, view->is_strided ? view->byte_strides : NULL, view->byte_offset,
                    view->is_read_only, view->byte_order};
}

/* Whether this order of bytes is not the host's. */
static inline bool rlt_byte_order_is_foreign(relayout_byte_order order) {
  return order == (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? RELAYOUT_BYTE_ORDER_BIG
                                                             : RELAYOUT_BYTE_ORDER_LITTLE);
}

static inline const char *rlt_byte_order_name(relayout_byte_order order) {
  return order == RELAYOUT_BYTE_ORDER_BIG      ? "big"
         : order == RELAYOUT_BYTE_ORDER_LITTLE ? "little"
                                               : "native";
}

/* Bytes of what has a byte order: an element, or a complex one's part. */
static inline size_t rlt_number_bytes(relayout_element_type type) {
  const bool is_complex = relayout_element_type_kind(type) == RELAYOUT_KIND_COMPLEX;
  return relayout_element_type_byte_size(type) / (is_complex ? 2 : 1);
}

/* Whether bytes of numbers of this type lie in an order that is not the host's. */
static inline bool rlt_is_swapped(relayout_element_type type, relayout_byte_order order) {
  return rlt_byte_order_is_foreign(order) && rlt_number_bytes(type) > 1;
}

static inline bool rlt_view_is_swapped(const rlt_view *view) {
  return rlt_is_swapped(view->shape->element_type, view->byte_order);
}

/* Whether elements of this valid shape can lie in that order. `name` is the view's in messages.
 * RELAYOUT_INVALID_ARGUMENT, RELAYOUT_UNSUPPORTED. */
relayout_status rlt_view_check_byte_order(const relayout_shape *shape, relayout_byte_order order,
                                          const char *name, relayout_error *error);

/* The same elements of a valid view by strides, without padding. RELAYOUT_UNSUPPORTED for a layout
 * with tiles, packed elements or wider containers. */
relayout_status rlt_view_as_strided(const relayout_view *view, relayout_view *made,
                                    relayout_error *error);

/* A whole tensor of the same type and dimensions without gaps, the last dimension being the minor
 * one, of whole bytes in the host's order. */
relayout_view rlt_dense_view(const relayout_shape *shape);

/* Whether a valid view has padding, which rlt_view_as_strided leaves out and no plan writes. */
bool rlt_view_has_padding(const relayout_view *view);

/* The largest distance from 0 of an offset that a view may have. */
int64_t rlt_view_most_offset(void);

/* No offset is so large that sums of it and of sizes do not fit. `name` is the view's in messages.
 * RELAYOUT_SIZE_OVERFLOW. */
relayout_status rlt_view_check_offset(int64_t byte_offset, const char *name, relayout_error *error);

#endif
