/* choose.c: takes the first candidate that suits, unless another is clearly better or a text asks
 * for one. */
#include "search/choose.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "search/find_schedule.h"
#include "search/learner.h"
#include "search/measure.h"
#include "search/method.h"
#include "search/wisdom.h"

/* Another schedule is taken only when it is predicted to be faster by this much, in what not all
 * of them take: the prediction is not finer, and the first is what its method was made for. */
static const double clearly_faster = 1.1;

/* What changing elements takes any of them at least. */
static double shared_time(const rlt_candidates *candidates) {
  double least = candidates->count > 0 ? candidates->of[0].cost.times[RLT_COST_REWORKS] : 0;
  for (int32_t i = 1; i < candidates->count; ++i) {
    const double own = candidates->of[i].cost.times[RLT_COST_REWORKS];
    least = own < least ? own : least;
  }
  return least;
}

/* The best predicted candidate, of all or of those that run at any offset; -1: there is none. */
static int32_t best_of(const rlt_candidates *candidates, bool at_any_offset) {
  int32_t first = -1;
  for (int32_t i = 0; i < candidates->count; ++i) {
    if (rlt_candidate_is_allowed(&candidates->of[i], at_any_offset) &&
        (first < 0 ||
         (candidates->of[i].schedule.suits && !candidates->of[first].schedule.suits))) {
      first = i;
    }
  }
  int32_t best = first;
  double least = clearly_faster;
  const double shared = shared_time(candidates);
  for (int32_t i = 0; i < candidates->count && first >= 0; ++i) {
    const double own = 1 / candidates->of[i].cost.fraction - shared;
    const double faster = (1 / candidates->of[first].cost.fraction - shared) / own;
    if (rlt_candidate_is_allowed(&candidates->of[i], at_any_offset) && faster > least) {
      best = i;
      least = faster;
    }
  }
  return best;
}

/* Which candidates become the part's variants, and why. */
typedef struct chosen {
  rlt_choice choice;
  int32_t count;
  int32_t of[RLT_MOST_VARIANTS];
  int64_t group_size; /* that was asked for; 0: the candidates' own */
} chosen;

/* True if the last variant runs at any offset. */
static bool is_enough(const rlt_candidates *candidates, const chosen *made) {
  return made->count > 0 && !candidates->of[made->of[made->count - 1]].schedule.only_aligned;
}

static void take(const rlt_candidates *candidates, int32_t number, chosen *made) {
  if (number >= 0 && !is_enough(candidates, made)) {
    made->of[made->count++] = number;
  }
}

/* Takes the best candidate and, if that needs alignment, the best one that does not: the fastest
 * by measurement if the request asks for it, else by prediction. */
static void find_best(relayout_device *device, const rlt_plan_request *request,
                      rlt_candidates *candidates, double *seconds_left, chosen *made) {
  for (int any = 0; any <= 1 && !is_enough(candidates, made); ++any) {
    const int32_t estimated = best_of(candidates, any != 0);
    int32_t number = -1;
    if (request->effort == RELAYOUT_PLAN_MEASURE) {
      number =
          rlt_measure(device, candidates, estimated, any != 0, request->measured, seconds_left);
    }
    if (number >= 0) {
      made->choice = RLT_CHOICE_MEASURED;
    }
    take(candidates, number >= 0 ? number : estimated, made);
  }
}

static relayout_status asked_for(rlt_candidates *candidates, const char *text, chosen *made,
                                 relayout_error *error) {
  made->choice = RLT_CHOICE_ASKED_FOR;
  made->count = 1;
  return rlt_candidates_find(candidates, text, strlen(text), &made->of[0], &made->group_size,
                             error);
}

/* Takes the schedules that wisdom holds for this problem. True if there are any. */
static bool recall(relayout_device *device, const rlt_problem *problem, rlt_candidates *candidates,
                   chosen *made) {
  int32_t known[RLT_MOST_VARIANTS];
  const int32_t count = rlt_wisdom_find(device, problem, candidates, known);
  for (int32_t i = 0; i < count; ++i) {
    take(candidates, known[i], made);
  }
  if (count > 0) {
    made->choice = RLT_CHOICE_REMEMBERED;
    take(candidates, best_of(candidates, true), made);
  }
  return count > 0;
}

/* Programs of the candidates that were chosen. A kernel may not run with as many work-items as
 * others of the device: then fewer share a tile. */
static relayout_status make_variants(relayout_device *device, const rlt_plan_request *request,
                                     const rlt_candidates *candidates, const chosen *made,
                                     rlt_part *part, relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  part->variants = rlt_calloc((size_t)made->count, sizeof *part->variants);
  if (part->variants == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan's schedules");
  }
  for (int32_t i = 0; i < made->count && status == RELAYOUT_OK; ++i) {
    rlt_variant *const variant = &part->variants[i];
    variant->candidate = candidates->of[made->of[i]];
    variant->candidate.schedule.batch = request->for_batches ? RLT_MOST_BATCH : 0;
    variant->candidate.schedule.specialized |= request->specialize && device->facts.specializes;
    if (made->group_size > 0) {
      variant->candidate.schedule.group_size = made->group_size;
    }
    status =
        rlt_executable_create(device, &variant->candidate.schedule, &variant->executable, error);
    part->variant_count += status == RELAYOUT_OK;
    if (status == RELAYOUT_OK && made->choice == RLT_CHOICE_ESTIMATED &&
        rlt_learns(device, request, rlt_part_problem(part))) {
      variant->learner = rlt_learner_create(request);
    }
  }
  return status;
}

relayout_status rlt_choose(relayout_device *device, const rlt_plan_request *request,
                           const char *text, double *seconds_left, rlt_part *part,
                           relayout_error *error) {
  const rlt_problem *const problem = rlt_part_problem(part);
  const bool is_free = request->method == NULL;
  const rlt_candidates_request asked = rlt_plan_request_candidates(request);
  chosen made = {.choice = RLT_CHOICE_ESTIMATED};
  rlt_candidates candidates;
  relayout_status status =
      rlt_candidates_make(&part->forms, &device->facts, device->tuning, &asked, &candidates, error);
  if (status == RELAYOUT_OK && candidates.count == 0) { /* by one method: some offer anything */
    status = rlt_fail(error, RELAYOUT_UNSUPPORTED, "method `%s` has no schedule for this relayout",
                      request->method->name);
  }
  if (status == RELAYOUT_OK && text != NULL) {
    status = asked_for(&candidates, text, &made, error);
  } else if (status == RELAYOUT_OK && !(is_free && recall(device, problem, &candidates, &made))) {
    find_best(device, request, &candidates, seconds_left, &made);
    if (made.choice == RLT_CHOICE_MEASURED && is_free) {
      rlt_wisdom_remember(device, problem, &candidates, made.of, made.count, RLT_WISDOM_OF_FILE);
    }
  }
  if (status == RELAYOUT_OK) {
    part->choice = made.choice;
    status = make_variants(device, request, &candidates, &made, part, error);
  }
  rlt_candidates_free(&candidates);
  return status;
}
