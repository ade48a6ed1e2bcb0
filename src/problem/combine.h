/* combine.h: dimensions that a tile merges, as one from the start.
 *
 * f32[500,20,3000] in T(*,8,128) has rows of both first dimensions together, of which 8 make a tile
 * though 20 are no multiple of 8. Where the other side has these dimensions beside each other too,
 * the tensor is f32[10000,3000] in T(8,128) to both.
 *
 * Depends on the public shapes.
 */
#ifndef RLT_PROBLEM_COMBINE_H
#define RLT_PROBLEM_COMBINE_H

#include "relayout/shape.h"

/* Combines what can be, on both sides of a relayout. Both shapes are valid, and
 * of the same dimensions. */
void rlt_combine_dimensions(relayout_shape *from, relayout_shape *to);

#endif
