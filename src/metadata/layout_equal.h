/* layout_equal.h: the parts of layouts that comparisons put together. All expect valid layouts.
 *
 * Depends on the public layouts alone.
 */
#ifndef RLT_METADATA_LAYOUT_EQUAL_H
#define RLT_METADATA_LAYOUT_EQUAL_H

#include <stdbool.h>
#include <stddef.h>

#include "relayout/layout.h"

/* Rank and minor_to_major. */
bool rlt_layout_equal_order(const relayout_layout *a, const relayout_layout *b);

/* The value that padding is filled with. `literal_bytes` of a literal count; a literal of zeros
 * equals zero. */
bool rlt_layout_equal_padding_value(const relayout_layout *a, const relayout_layout *b,
                                    size_t literal_bytes);

bool rlt_layout_equal_tiles(const relayout_layout *a, const relayout_layout *b);

/* The alignment of the tail. */
bool rlt_layout_equal_tail(const relayout_layout *a, const relayout_layout *b);

#endif
