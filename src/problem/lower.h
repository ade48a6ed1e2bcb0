/* lower.h: two views of one tensor become problems. The only place where moving knows layouts.
 *
 * A dimension that a tile splits has a digit for each part of it, on either side; the axes are the
 * common refinement of both sides' digits. Where a dimension's size is no multiple of its digits,
 * what is left becomes a problem of its own, so that no axis depends on another. What no axes can
 * express, because the digits of both sides share no divisor, is one problem with an index program.
 *
 * Depends on problem.h, convert/, metadata/ and base/.
 */
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

/* What is asked for beyond the views, and of whom. */
typedef struct rlt_changes {
  rlt_packing packing;
  bool wraps; /* as rlt_conversion has them */
  double scale;
  bool rounds_to_nearest;
} rlt_changes;

/* A box of the index space: of each dimension `sizes[d]` indices from start[d] on. What follows the
 * last index of a dimension in memory, padding, belongs to the boxes that have that one. */
typedef struct rlt_index_box {
  int64_t start[RELAYOUT_MAX_RANK];
  int64_t sizes[RELAYOUT_MAX_RANK];
} rlt_index_box;

typedef struct rlt_lowered {
  int32_t count;         /* 0: nothing to write */
  rlt_problem *problems; /* simplified, none empty; no two write the same element, nor, unless they
                            may, to the same byte */
  rlt_index_program *index_program; /* of the only one; NULL where that has axes */
  /* What each side's memory takes, and how much of it lies before the element
   * at index 0, ..., 0. */
  int64_t source_bytes;
  int64_t source_before;
  int64_t destination_bytes;
  int64_t destination_before;
} rlt_lowered;

/* The statuses of relayout_plan_create_between that concern the views, those of
 * relayout_plan_create_range that concern its box, which is NULL for all that there is, and
 * RELAYOUT_OUT_OF_MEMORY. What is made is freed with rlt_lowered_free, also after a failure. */
relayout_status rlt_lower(const rlt_view *from, const rlt_view *to, const rlt_index_box *box,
                          const rlt_changes *changes, rlt_lowered *made, relayout_error *error);
void rlt_lowered_free(rlt_lowered *made);

#endif
