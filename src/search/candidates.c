/* candidates.c: asks every method about every form of a problem. */
#include "search/candidates.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "search/target.h"

enum { FIRST_CAPACITY = 16 };

relayout_status rlt_forms_make(const rlt_facts *facts, const rlt_problem *problem, rlt_forms *made,
                               relayout_error *error) {
  rlt_problem wide;
  rlt_problem_copy(problem, &wide);
  facts->target->widen(facts, &wide);
  const bool is_other =
      wide.element_bytes > problem->element_bytes || rlt_problem_transposes_bits(&wide);
  *made = (rlt_forms){.count = is_other ? 2 : 1};
  for (int32_t f = 0; f < made->count; ++f) {
    made->of[f] = rlt_problem_create_copy(f == 0 ? problem : &wide);
    if (made->of[f] == NULL) {
      return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan's problem");
    }
  }
  return RELAYOUT_OK;
}

void rlt_forms_free(rlt_forms *forms) {
  for (int32_t f = 0; f < RLT_MOST_FORMS; ++f) {
    rlt_free((rlt_problem *)forms->of[f]);
  }
}

/* Room for one more; NULL without memory. */
static rlt_candidate *next_candidate(rlt_candidates *candidates) {
  if (candidates->count == candidates->capacity) {
    const int32_t capacity = candidates->capacity > 0 ? 2 * candidates->capacity : FIRST_CAPACITY;
    rlt_candidate *const grown =
        rlt_realloc(candidates->of, (size_t)candidates->count * sizeof *grown,
                    (size_t)capacity * sizeof *grown);
    if (grown == NULL) {
      candidates->lacks_memory = true;
      return NULL;
    }
    candidates->of = grown;
    candidates->capacity = capacity;
  }
  return &candidates->of[candidates->count];
}

int32_t rlt_candidates_number(const rlt_candidates *candidates, const rlt_schedule *schedule) {
  for (int32_t i = 0; i < candidates->count; ++i) {
    if (rlt_schedules_equal(&candidates->of[i].schedule, schedule)) {
      return i;
    }
  }
  return -1;
}

/* True if the schedule does not combine lines, but could. */
static bool add(rlt_candidates *candidates, const rlt_schedule *schedule, bool combines) {
  rlt_candidate *const added = next_candidate(candidates);
  if (added == NULL) {
    return false;
  }
  added->schedule = *schedule;
  added->varied = false;
  added->is_known = false;
  const bool could =
      rlt_schedule_finish(candidates->facts, candidates->tuning, combines, &added->schedule);
  int32_t number = rlt_candidates_number(candidates, &added->schedule);
  if (number < 0) {
    rlt_cost_estimate(candidates->facts, candidates->tuning, &added->schedule, &added->cost);
    number = candidates->count++;
  }
  if (candidates->adds_known && schedule->suits) {
    candidates->of[number].is_known = true;
  }
  return could;
}

void rlt_candidates_add(rlt_candidates *candidates, const rlt_schedule *schedule) {
  if (add(candidates, schedule, false)) {
    add(candidates, schedule, true);
  }
}

static void ask_methods(rlt_candidates *made, const rlt_tuning *tuning, bool all) {
  for (int32_t f = made->forms->count - 1; f >= 0; --f) {
    rlt_scene scene = {.problem = made->forms->of[f],
                       .is_wide = f > 0,
                       .has_wide = made->forms->count > 1,
                       .offers_all = all,
                       .stays_cached = made->request.stays_cached,
                       .specializes = made->request.specializes && made->facts->specializes,
                       .facts = made->facts,
                       .tuning = tuning};
    for (const rlt_method_row *row = made->facts->target->methods; row->method != NULL; ++row) {
      scene.method = row->method;
      if (made->request.method == NULL || scene.method == made->request.method) {
        row->offer(&scene, made);
      }
    }
  }
}

relayout_status rlt_candidates_make(const rlt_forms *forms, const rlt_facts *facts,
                                    const rlt_tuning *tuning, const rlt_candidates_request *request,
                                    rlt_candidates *made, relayout_error *error) {
  *made = (rlt_candidates){.facts = facts, .tuning = tuning, .forms = forms};
  if (request != NULL) {
    made->request = *request;
  }
  ask_methods(made, tuning, false);
  if (made->lacks_memory) {
    rlt_candidates_free(made);
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan's schedules");
  }
  return RELAYOUT_OK;
}

void rlt_candidates_add_all(rlt_candidates *candidates) {
  if (!candidates->has_all) {
    candidates->has_all = true;
    ask_methods(candidates, candidates->tuning, true);
  }
}

void rlt_candidates_add_known(rlt_candidates *candidates) {
  const bool are_several = rlt_tuning_for(candidates->facts, 1) != NULL;
  const rlt_tuning *row;
  candidates->adds_known = true;
  for (int n = 0; (row = rlt_tuning_for(candidates->facts, n)) != NULL; ++n) {
    if (are_several && row != candidates->tuning) {
      ask_methods(candidates, row, false);
    }
  }
  candidates->adds_known = false;
}

bool rlt_candidates_are_varied(const rlt_facts *facts) {
  return facts->target->vary != NULL || facts->specializes;
}

void rlt_candidates_vary(rlt_candidates *candidates, int32_t number) {
  const rlt_facts *const facts = candidates->facts;
  if (number < 0 || candidates->of[number].varied) {
    return;
  }
  candidates->of[number].varied = true;
  rlt_schedule like = candidates->of[number].schedule; /* offers move as they become more */
  if (facts->target->vary != NULL) {
    facts->target->vary(&like, candidates);
  }
  if (facts->specializes) {
    like.suits = false;
    like.specialized = true;
    rlt_candidates_add(candidates, &like);
  }
}

int32_t rlt_candidates_add_finished(rlt_candidates *candidates, const rlt_schedule *schedule) {
  rlt_candidate *const added = next_candidate(candidates);
  if (added == NULL) {
    return -1;
  }
  added->schedule = *schedule;
  added->varied = true;
  rlt_cost_estimate(candidates->facts, candidates->tuning, &added->schedule, &added->cost);
  return candidates->count++;
}

void rlt_candidates_free(rlt_candidates *candidates) {
  rlt_free(candidates->of);
  *candidates = (rlt_candidates){.count = 0};
}

void rlt_candidates_sort(rlt_candidates *candidates) {
  for (int32_t i = 1; i < candidates->count; ++i) {
    const rlt_candidate moved = candidates->of[i];
    int32_t at = i;
    for (; at > 0 && candidates->of[at - 1].cost.fraction < moved.cost.fraction; --at) {
      candidates->of[at] = candidates->of[at - 1];
    }
    candidates->of[at] = moved;
  }
}
