/* part.h: what a plan does: some problems with no destination element in common, each in its own way.
 *
 * Depends on candidates.h.
 */
#ifndef RLT_PLAN_PART_H
#define RLT_PLAN_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/candidates.h"
#include "problem/problem.h"

/* Why it does what it does. */
typedef enum rlt_choice {
  RLT_CHOICE_ESTIMATED,
  RLT_CHOICE_MEASURED,
  RLT_CHOICE_REMEMBERED
} rlt_choice;

typedef struct rlt_part {
  rlt_problem problem; /* simplified and not empty */
  rlt_candidates candidates;
  rlt_strategy strategy;
  int32_t chosen; /* the candidate whose strategy it is */
  rlt_choice choice;
  void *program; /* the backend's */
} rlt_part;

/* All parts, and the memory that they move from and to. */
typedef struct rlt_work {
  int32_t part_count; /* 0: nothing to write */
  rlt_part *parts;    /* the one that moves the most bytes first */
  size_t source_size; /* bytes */
  size_t destination_size;
  bool writes_all; /* every byte of the destination */
} rlt_work;

#endif
