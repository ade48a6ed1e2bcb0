/* candidates.c: asking for other than a device's own choice, and seeing what comes of it. */
#include "plan/candidates.h"

#include <string.h>

#include "base/checked.h"

/* Another candidate is taken only when it is predicted to be faster by this much: the prediction is
 * not finer, and the first is the device's own choice. */
static const double clearly_faster = 1.1;

/* Runs of assembled tiles that are tried beside the device's own, for sources and destinations that
 * begin anew at different costs: the source's longer, the destination's, and strips of one line. */
static const rlt_runs other_runs[] = {{512, 128}, {256, 1024}, {256, 256}, {64, 1024}};

static bool groups_equal(const rlt_group *a, const rlt_group *b) {
  return a->axis_count == b->axis_count && a->inner == b->inner && a->block == b->block &&
         memcmp(a->axes, b->axes, (size_t)a->axis_count * sizeof a->axes[0]) == 0;
}

bool rlt_strategies_equal(const rlt_strategy *a, const rlt_strategy *b) {
  return a->kind == b->kind && a->assembles == b->assembles &&
         groups_equal(&a->columns, &b->columns) && groups_equal(&a->rows, &b->rows);
}

typedef struct making {
  const rlt_problem *problem;
  const rlt_traits *traits;
  rlt_candidates *made;
} making;

static void add(const making *at, const rlt_strategy *strategy) {
  rlt_candidates *const made = at->made;
  for (int32_t i = 0; i < made->count; ++i) {
    if (rlt_strategies_equal(&made->of[i].strategy, strategy)) {
      return;
    }
  }
  if (made->count < RLT_MOST_CANDIDATES) {
    rlt_candidate *const added = &made->of[made->count++];
    added->strategy = *strategy;
    rlt_cost_estimate(at->problem, at->traits, strategy, &added->cost);
  }
}

/* What comes of this variation, if its kind applies. */
static void try_variation(const making *at, rlt_variation variation) {
  const rlt_strategy *const first = &at->made->of[0].strategy;
  rlt_strategy strategy;
  if (rlt_strategy_vary(at->problem, at->traits, &variation, &strategy, NULL) == RELAYOUT_OK) {
    strategy.reason = strategy.kind == first->kind
                          ? first->reason
                          : "of those that apply it is predicted to be the fastest";
    add(at, &strategy);
  }
}

static void try_assemblies(const making *at, relayout_strategy first, relayout_strategy wanted) {
  rlt_variation variation = {.wanted = wanted};
  if (first == RELAYOUT_STRATEGY_COPY) {
    /* Runs within a factor of four of those that go straight go either way. */
    const int64_t run_bytes = at->problem->axes[0].extent * at->problem->element_bytes;
    if (run_bytes >= at->traits->straight_run_bytes * 4) {
      return;
    }
    if (run_bytes >= at->traits->straight_run_bytes / 4) {
      variation.copying = RLT_COPYING_STRAIGHT;
      try_variation(at, variation);
    }
    variation.copying = RLT_COPYING_ASSEMBLED;
  }
  for (size_t i = 0; i < sizeof other_runs / sizeof other_runs[0]; ++i) {
    variation.runs = other_runs[i];
    try_variation(at, variation);
  }
}

/* Tables carry out what the other kinds do, which are not for the short axes that tables are for. */
static void try_packed(const making *at, relayout_strategy first, relayout_strategy wanted) {
  rlt_variation variation = {.wanted = RELAYOUT_STRATEGY_PACKED};
  if (wanted == RELAYOUT_STRATEGY_AUTO) {
    try_variation(at, variation);
  }
  if (first == RELAYOUT_STRATEGY_PACKED || wanted == RELAYOUT_STRATEGY_AUTO) {
    variation.small_tiles = true;
    try_variation(at, variation);
  }
}

static int32_t best_of(const rlt_candidates *made) {
  int32_t best = 0;
  double least = clearly_faster;
  for (int32_t i = 1; i < made->count; ++i) {
    const double faster = made->of[i].cost.fraction / made->of[0].cost.fraction;
    if (faster > least) {
      best = i;
      least = faster;
    }
  }
  return best;
}

relayout_status rlt_candidates_make(const rlt_problem *problem, const rlt_traits *traits,
                                    relayout_strategy wanted, rlt_candidates *candidates,
                                    relayout_error *error) {
  rlt_strategy first;
  const relayout_status status = rlt_strategy_choose(problem, traits, wanted, &first, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const making at = {problem, traits, candidates};
  candidates->count = 0;
  add(&at, &first);
  if (problem->axis_count > 1 && problem->steps == NULL && first.kind != RELAYOUT_STRATEGY_FILL &&
      first.kind != RELAYOUT_STRATEGY_GATHER) {
    if (traits->assembly_bytes > 0) {
      try_assemblies(&at, first.kind, wanted);
    } else {
      try_packed(&at, first.kind, wanted);
    }
  }
  candidates->best = best_of(candidates);
  return RELAYOUT_OK;
}
