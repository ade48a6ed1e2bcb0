/* rules.h: what makes orders and layouts valid, shared by all that take them.
 *
 * Depends on the public layouts and on base/.
 */
#ifndef RLT_METADATA_RULES_H
#define RLT_METADATA_RULES_H

#include <stdint.h>

#include "relayout/layout.h"
#include "relayout/shape.h"

/* `rank`, called `name` in the message, is in 0 .. 64. RELAYOUT_INVALID_SHAPE. */
relayout_status rlt_check_rank(int64_t rank, const char *name, relayout_error *error);

/* The first `rank` entries of `order`, called `name` in the message, are a permutation of
 * 0 .. rank-1. The rank is valid. `failure` is the status to fail with. */
relayout_status rlt_check_permutation(int32_t rank, const int32_t *order, const char *name,
                                      relayout_status failure, relayout_error *error);

/* The layout's rank and minor_to_major. RELAYOUT_INVALID_SHAPE. */
relayout_status rlt_check_order(const relayout_layout *layout, relayout_error *error);

/* All that can be said of a layout whose dimensions and element type are not known, its padding
 * value, element size and packing order aside. RELAYOUT_INVALID_SHAPE. */
relayout_status rlt_check_untyped_layout(const relayout_layout *layout, relayout_error *error);

/* It is one that there is, and high only of packed elements. RELAYOUT_INVALID_SHAPE. */
relayout_status rlt_check_packing_order(const relayout_layout *layout, relayout_error *error);

/* All that can be said of a layout whose dimensions are not known. RELAYOUT_INVALID_ARGUMENT,
 * RELAYOUT_INVALID_SHAPE. */
relayout_status rlt_check_layout(const relayout_layout *layout, relayout_element_type type,
                                 relayout_error *error);

/* The shape is valid and strides describe where its elements lie; the message names what is in the
 * way. RELAYOUT_UNSUPPORTED. */
relayout_status rlt_check_strided(const relayout_shape *shape, relayout_error *error);

#endif
