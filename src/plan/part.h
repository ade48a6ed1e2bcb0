/* part.h: what a plan does: some problems with no destination element in common,
 * each by a schedule of its own.
 *
 * Depends on offers.h.
 */
#ifndef RLT_PLAN_PART_H
#define RLT_PLAN_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "problem/problem.h"
#include "problem/runs.h"
#include "search/offers.h"

/* Why it does what it does. */
typedef enum rlt_choice {
  RLT_CHOICE_ESTIMATED,
  RLT_CHOICE_MEASURED,
  RLT_CHOICE_REMEMBERED,
  RLT_CHOICE_ASKED_FOR
} rlt_choice;

/* A schedule, ready to run. */
typedef struct rlt_way {
  void *program; /* the backend's */
  rlt_offer offer;
} rlt_way;

/* Where the best schedule asks for more alignment than elements do, there is another one that does
 * not, unless the first was asked for. The first that an execution's places allow is taken. */
enum { RLT_MOST_WAYS = 2 };

typedef struct rlt_part {
  rlt_forms forms; /* of the problem, simplified and not empty */
  int32_t way_count;
  rlt_way ways[RLT_MOST_WAYS];
  rlt_choice choice;
} rlt_part;

/* The problem in its own elements. */
static inline const rlt_problem *rlt_part_problem(const rlt_part *part) {
  return &part->forms.of[0];
}

/* The part's way for sides that begin at these addresses, or offsets; NULL where there is none. */
static inline const rlt_way *rlt_part_way(const rlt_part *part, uintptr_t source,
                                          uintptr_t destination) {
  for (int32_t i = 0; i < part->way_count; ++i) {
    const rlt_schedule *const schedule = &part->ways[i].offer.schedule;
    if ((source & (uintptr_t)(schedule->source_alignment - 1)) == 0 &&
        (destination & (uintptr_t)(schedule->destination_alignment - 1)) == 0) {
      return &part->ways[i];
    }
  }
  return NULL;
}

/* Whether the part has a way for any addresses or offsets. */
static inline bool rlt_part_fits_anywhere(const rlt_part *part) {
  const rlt_schedule *const last = &part->ways[part->way_count - 1].offer.schedule;
  return last->source_alignment == 1 && last->destination_alignment == 1;
}

/* All parts, and the memory that they move from and to. */
typedef struct rlt_work {
  int32_t part_count; /* 0: nothing to write */
  rlt_part *parts;    /* the one that moves the most bytes first; they stay where they are */
  size_t source_size; /* bytes */
  size_t destination_size;
  /* What a caller has of them: all, or of a box what it takes. Kernels may load words of the source
   * that they do not use, up to the end that each problem knows. */
  rlt_bytes source_taken;
  rlt_bytes destination_taken;
  bool fits_anywhere; /* every part does */
  bool writes_all;    /* every byte of the destination */
} rlt_work;

/* Goes through the runs that all parts write, or read; a visitor that is NULL asks whether it
 * would. False, and nothing is told, where one of them does not tell (runs.h). */
typedef bool rlt_visit_runs(const rlt_problem *problem, rlt_run_visitor visitor, void *context);
bool rlt_work_visit(const rlt_work *work, rlt_visit_runs *visit, rlt_run_visitor visitor,
                    void *context);

#endif
