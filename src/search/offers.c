/* offers.c: asks every method about every form of a problem. */
#include "search/offers.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "search/target.h"

enum { FIRST_CAPACITY = 16 };

void rlt_forms_make(const rlt_facts *facts, rlt_forms *made) {
  const rlt_problem *const problem = &made->of[0];
  rlt_problem *const wide = &made->of[1];
  *wide = *problem;
  facts->target->widen(facts, wide);
  const bool is_other =
      wide->element_bytes > problem->element_bytes || rlt_problem_transposes_bits(wide);
  made->count = is_other ? 2 : 1;
}

/* Room for one more; NULL without memory. */
static rlt_offer *next_offer(rlt_offers *offers) {
  if (offers->count == offers->capacity) {
    const int32_t capacity = offers->capacity > 0 ? 2 * offers->capacity : FIRST_CAPACITY;
    rlt_offer *const grown = rlt_realloc(offers->of, (size_t)offers->count * sizeof *grown,
                                         (size_t)capacity * sizeof *grown);
    if (grown == NULL) {
      offers->lacks_memory = true;
      return NULL;
    }
    offers->of = grown;
    offers->capacity = capacity;
  }
  return &offers->of[offers->count];
}

static bool is_offered(const rlt_offers *offers, const rlt_schedule *schedule) {
  for (int32_t i = 0; i < offers->count; ++i) {
    if (rlt_schedules_equal(&offers->of[i].schedule, schedule)) {
      return true;
    }
  }
  return false;
}

/* Whether lines could be combined, and are not. */
static bool add(rlt_offers *offers, const rlt_schedule *schedule, bool combines) {
  rlt_offer *const added = next_offer(offers);
  if (added == NULL) {
    return false;
  }
  added->schedule = *schedule;
  added->varied = false;
  const bool could = rlt_schedule_finish(offers->facts, offers->tuning, combines, &added->schedule);
  if (!is_offered(offers, &added->schedule)) {
    rlt_cost_estimate(offers->facts, offers->tuning, &added->schedule, &added->cost);
    ++offers->count;
  }
  return could;
}

void rlt_offers_add(rlt_offers *offers, const rlt_schedule *schedule) {
  if (add(offers, schedule, false)) {
    add(offers, schedule, true);
  }
}

static void ask_methods(rlt_offers *made, bool all) {
  for (int32_t f = made->forms->count - 1; f >= 0; --f) {
    rlt_scene scene = {.problem = &made->forms->of[f],
                       .is_wide = f > 0,
                       .has_wide = made->forms->count > 1,
                       .offers_all = all,
                       .stays_cached = made->request.stays_cached,
                       .facts = made->facts,
                       .tuning = made->tuning};
    for (const rlt_method_row *row = made->facts->target->methods; row->method != NULL; ++row) {
      scene.method = row->method;
      if (made->request.method == NULL || scene.method == made->request.method) {
        row->offer(&scene, made);
      }
    }
  }
}

relayout_status rlt_offers_make(const rlt_forms *forms, const rlt_facts *facts,
                                const rlt_tuning *tuning, const rlt_offers_request *request,
                                rlt_offers *made, relayout_error *error) {
  *made = (rlt_offers){.facts = facts, .tuning = tuning, .forms = forms};
  if (request != NULL) {
    made->request = *request;
  }
  ask_methods(made, false);
  if (made->lacks_memory) {
    rlt_offers_free(made);
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan's schedules");
  }
  return RELAYOUT_OK;
}

void rlt_offers_add_all(rlt_offers *offers) {
  if (!offers->has_all) {
    offers->has_all = true;
    ask_methods(offers, true);
  }
}

void rlt_offers_vary(rlt_offers *offers, int32_t number) {
  if (number < 0 || offers->of[number].varied || offers->facts->target->vary == NULL) {
    return;
  }
  offers->of[number].varied = true;
  const rlt_schedule like = offers->of[number].schedule; /* offers move as they become more */
  offers->facts->target->vary(&like, offers);
}

void rlt_offers_free(rlt_offers *offers) {
  rlt_free(offers->of);
  *offers = (rlt_offers){.count = 0};
}

void rlt_offers_sort(rlt_offers *offers) {
  for (int32_t i = 1; i < offers->count; ++i) {
    const rlt_offer moved = offers->of[i];
    int32_t at = i;
    for (; at > 0 && offers->of[at - 1].cost.fraction < moved.cost.fraction; --at) {
      offers->of[at] = offers->of[at - 1];
    }
    offers->of[at] = moved;
  }
}
