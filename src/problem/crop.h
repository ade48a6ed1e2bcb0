/* crop.h: a small part of a large problem, for finding out how fast that is.
 *
 * Depends on problem.h.
 */
#ifndef RLT_PROBLEM_CROP_H
#define RLT_PROBLEM_CROP_H

#include <stdbool.h>
#include <stdint.h>

#include "problem/problem.h"

/* Shortens axes, those with the largest strides first, until what lies between the first and the
 * last byte of each side is at most so much; each keeps `least[a]` steps, and a multiple of them if
 * it is shortened. Strides stay, and so does where in a page either side begins. False, with the
 * problem unspecified, where that is not enough, for problems with an index program, and for packed
 * elements whose tiles share bytes. The problem is simplified, not empty, and has a source. */
bool rlt_problem_crop(rlt_problem *problem, const int64_t *least, int64_t source_bytes,
                      int64_t destination_bytes);

#endif
