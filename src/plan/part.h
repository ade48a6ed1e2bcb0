/* part.h: what a plan does: it moves problems that share no destination element, each by a schedule
 * of its own.
 *
 * Depends on candidates.h. */
#ifndef RLT_PLAN_PART_H
#define RLT_PLAN_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "problem/problem.h"
#include "problem/runs.h"
#include "search/candidates.h"

/* Who chose a part's schedule. */
typedef enum rlt_choice {
  RLT_CHOICE_ESTIMATED,
  RLT_CHOICE_MEASURED,
  RLT_CHOICE_REMEMBERED,
  RLT_CHOICE_ASKED_FOR,
  RLT_CHOICE_LEARNED /* in place of an estimated one */
} rlt_choice;

struct rlt_learner;

/* A schedule, ready to run. */
typedef struct rlt_variant {
  void *executable; /* the backend's */
  rlt_candidate candidate;
  struct rlt_learner *learner; /* may find a faster one (learner.h); NULL: this one stays */
} rlt_variant;

/* If the best schedule needs more alignment than elements have, the part has a second schedule that
 * does not, unless the caller asked for the first. An execution runs the first one that its
 * addresses allow. */
enum { RLT_MOST_VARIANTS = 2 };

typedef struct rlt_part {
  rlt_forms forms; /* of the problem, simplified and not empty */
  int32_t variant_count;
  rlt_variant *variants; /* NULL until schedules have been chosen */
  rlt_choice choice;
} rlt_part;

/* The problem in its own elements. */
static inline const rlt_problem *rlt_part_problem(const rlt_part *part) {
  return part->forms.of[0];
}

/* Returns the part's schedule for sides that begin at these addresses, or offsets; NULL if it has
 * none. */
static inline const rlt_variant *rlt_part_variant(const rlt_part *part, uintptr_t source,
                                                  uintptr_t destination) {
  for (int32_t i = 0; i < part->variant_count; ++i) {
    const rlt_schedule *const schedule = &part->variants[i].candidate.schedule;
    if ((source & (uintptr_t)(schedule->source_alignment - 1)) == 0 &&
        (destination & (uintptr_t)(schedule->destination_alignment - 1)) == 0) {
      return &part->variants[i];
    }
  }
  return NULL;
}

/* True if the part has a schedule for any addresses or offsets. */
static inline bool rlt_part_fits_anywhere(const rlt_part *part) {
  const rlt_schedule *const last = &part->variants[part->variant_count - 1].candidate.schedule;
  return last->source_alignment == 1 && last->destination_alignment == 1;
}

/* All parts, and the memory that they move from and to. */
typedef struct rlt_work {
  int32_t part_count; /* 0: nothing to write */
  rlt_part *parts; /* the part that moves the most bytes comes first; parts never move in memory */
  size_t source_size; /* bytes */
  size_t destination_size;
  /* The bytes of both sides that the caller must provide: all, or those of a box. Kernels may load
   * words of the source that they do not use, up to the end that each problem states. */
  rlt_bytes source_taken;
  rlt_bytes destination_taken;
  bool fits_anywhere; /* every part does */
  bool writes_all;    /* every byte of the destination */
} rlt_work;

/* Visits the runs that all parts write, or read; with a NULL visitor it only checks that it could.
 * Returns false, without a visit, if a part cannot list its runs (runs.h). */
typedef bool rlt_visit_runs(const rlt_problem *problem, rlt_run_visitor visitor, void *context);
bool rlt_work_visit(const rlt_work *work, rlt_visit_runs *visit, rlt_run_visitor visitor,
                    void *context);

#endif
