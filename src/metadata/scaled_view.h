/* scaled_view.h: what is known of a valid scaled view.
 *
 * Depends on the public scaled views.
 */
#ifndef RLT_METADATA_SCALED_VIEW_H
#define RLT_METADATA_SCALED_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "relayout/scaled.h"

static inline bool rlt_has_blocks(const relayout_scaled_view *view) {
  return view->block_format != RELAYOUT_BLOCK_FORMAT_NONE;
}

/* Whether the scales of a destination are found, not given. */
static inline bool rlt_finds_scales(const relayout_scaled_view *view) {
  return view->has_scales && view->rule != RELAYOUT_SCALES_GIVEN;
}

/* Whether zero points are found with the scales of a destination. */
static inline bool rlt_finds_points(const relayout_scaled_view *view) {
  return view->has_scales && view->rule == RELAYOUT_SCALES_RANGE;
}

/* Rows of records that lie together: 1 where these are not interleaved. */
static inline int32_t rlt_rows_together(const relayout_scaled_view *view) {
  return view->interleaved_rows > 0 ? view->interleaved_rows : 1;
}

/* True if records of `to` are those of `from` in other places: of one format, and along one
 * dimension. */
static inline bool rlt_keeps_records(const relayout_scaled_view *from,
                                     const relayout_scaled_view *to) {
  return rlt_has_blocks(from) && from->block_format == to->block_format &&
         from->elements.shape.layout.minor_to_major[0] ==
             to->elements.shape.layout.minor_to_major[0];
}

/* Whether elements of a type can have scales. */
bool rlt_can_be_scaled(relayout_element_type type);

/* Bytes of a record's scale, and minimum and fifth bits, before its elements. */
size_t rlt_block_scale_bytes(relayout_block_format format);

/* The group size along a dimension where none is said: the quotient, or the least power of two that
 * gives as many groups; 0: none does. */
int64_t rlt_group_size_of(int64_t elements, int64_t groups);

/* The bytes of all records. The view is valid. */
size_t rlt_blocks_size(const relayout_scaled_view *view);

#endif
