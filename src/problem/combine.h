/* combine.h: replaces dimensions that a tile merges by one dimension, before lowering.
 *
 * In f32[500,20,3000] with T(*,8,128) the first two dimensions form rows together, and 8 rows make
 * a tile, although 20 is not a multiple of 8. If these dimensions are neighbours on the other side
 * too, both sides can treat the tensor as f32[10000,3000] with T(8,128).
 *
 * Depends on the public shapes. */
#ifndef RLT_PROBLEM_COMBINE_H
#define RLT_PROBLEM_COMBINE_H

#include "relayout/shape.h"

/* Combines dimensions on both sides of a relayout, if possible. Both shapes are valid and have the
 * same dimensions. */
void rlt_combine_dimensions(relayout_shape *from, relayout_shape *to);

#endif
