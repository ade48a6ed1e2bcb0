/* crop.h: a small part of a large problem, to measure instead of the whole.
 *
 * Depends on problem.h. */
#ifndef RLT_PROBLEM_CROP_H
#define RLT_PROBLEM_CROP_H

#include <stdbool.h>
#include <stdint.h>

#include "problem/problem.h"

/* Shortens axes, those with the largest strides first, until each side spans at most this many
 * bytes. Axis a keeps at least `least[a]` steps, and a multiple of that if it is shortened. Strides
 * stay, and so does the offset of either side within a page. Returns false, with the problem
 * unspecified, if that is not enough, for problems with an index program, and for packed elements
 * whose tiles share bytes. The problem must be simplified, not empty, and have a source. */
bool rlt_problem_crop(rlt_problem *problem, const int64_t *least, int64_t source_bytes,
                      int64_t destination_bytes);

#endif
