/* lower.h: lowers two views of one tensor to problems. Only this code knows layouts.
 *
 * A dimension that a tile splits has a digit for each part of it, on either side; the axes are the
 * common refinement of both sides' digits. If a dimension's size is not a multiple of its digits,
 * the rest becomes a separate problem, so that no axis depends on another. If axes cannot express
 * the relayout, because the digits of both sides have no common divisor, it becomes one problem
 * with an index program.
 *
 * Depends on problem.h, convert/, metadata/ and base/. */
#ifndef RLT_PROBLEM_LOWER_H
#define RLT_PROBLEM_LOWER_H

#include <stdbool.h>
#include <stdint.h>

#include "metadata/view.h"
#include "problem/problem.h"

/* How a device writes packed elements. */
typedef enum rlt_packing {
  RLT_PACKING_TILED, /* tiles write whole bytes, of their own elements */
  RLT_PACKING_MERGED /* tiles may share bytes with other tiles and problems */
} rlt_packing;

/* What the caller asks for besides the views, and what the device can do. */
typedef struct rlt_changes {
  rlt_packing packing;
  bool wraps; /* as rlt_conversion has them */
  double scale;
  bool rounds_to_nearest;
} rlt_changes;

/* A box of the index space: `sizes[d]` indices of each dimension, from start[d] on. The padding
 * after the last index of a dimension belongs to the boxes with that index. */
typedef struct rlt_index_box {
  int64_t start[RELAYOUT_MAX_RANK];
  int64_t sizes[RELAYOUT_MAX_RANK];
} rlt_index_box;

typedef struct rlt_lowered {
  int32_t count;         /* 0: nothing to write */
  rlt_problem *problems; /* simplified, none empty; no two write the same element, nor, unless they
                            may, to the same byte */
  rlt_index_program *index_program; /* of the only problem; NULL if that has axes */
  /* The bytes of each side's memory, and how many of them lie before the element at index 0, ...,
   * 0. */
  int64_t source_bytes;
  int64_t source_before;
  int64_t destination_bytes;
  int64_t destination_before;
} rlt_lowered;

/* RELAYOUT_OUT_OF_RANGE for indices outside the tensor. */
relayout_status rlt_index_box_check(const relayout_shape *shape, const rlt_index_box *box,
                                    relayout_error *error);

/* Lowers a box, or everything if `box` is NULL. Returns the statuses of
 * relayout_plan_create_between that concern the views, those of relayout_plan_create_range that
 * concern the box, and RELAYOUT_OUT_OF_MEMORY. Free the result with rlt_lowered_free, also after a
 * failure. */
relayout_status rlt_lower(const rlt_view *from, const rlt_view *to, const rlt_index_box *box,
                          const rlt_changes *changes, rlt_lowered *made, relayout_error *error);
void rlt_lowered_free(rlt_lowered *made);

#endif
