/* tune_runs.c: from a problem to a program, and the best of its times. */
#include "search/tune_runs.h"

#include "base/checked.h"

bool rlt_runner_start(const rlt_track *on, const rlt_offer *offer, rlt_runner *of) {
  of->offer = *offer;
  return rlt_program_create(on->device, &of->offer.schedule, &of->program, NULL) == RELAYOUT_OK;
}

bool rlt_runner_make(const rlt_track *on, const rlt_problem *problem, const rlt_tuning *row,
                     rlt_runner *made) {
  const rlt_facts *const facts = &on->device->facts;
  rlt_offers offers;
  *made = (rlt_runner){.program = NULL};
  made->forms.of[0] = *problem;
  rlt_forms_make(facts, &made->forms);
  if (rlt_offers_make(&made->forms, facts, row, NULL, &offers, NULL) != RELAYOUT_OK) {
    return false;
  }
  int32_t i = 0;
  while (i < offers.count && !offers.of[i].schedule.suits) {
    ++i;
  }
  const bool runs = i < offers.count && rlt_runner_start(on, &offers.of[i], made);
  rlt_offers_free(&offers);
  return runs;
}

void rlt_runner_take_turn(rlt_track *on, rlt_runner *of, bool stays) {
  const int64_t size = rlt_max((int64_t)rlt_problem_source_size(&of->forms.of[0]),
                               (int64_t)rlt_problem_destination_size(&of->forms.of[0]));
  const int64_t step = rlt_divide_up(size, RLT_PAGE_BYTES) * RLT_PAGE_BYTES;
  if (stays || on->place + step > on->side_bytes) {
    on->place = 0;
  }
  if (of->program == NULL || step > on->side_bytes) {
    rlt_runner_stop(on, of);
    return;
  }
  const rlt_offsets offsets = {(size_t)on->place, (size_t)on->place};
  double seconds = 0;
  on->place += step;
  if (on->device->backend->program_time(on->device, of->program, on->scratch, offsets, &seconds,
                                        NULL) != RELAYOUT_OK) {
    rlt_runner_stop(on, of);
    return;
  }
  if (of->runs == 0 || seconds < of->seconds) {
    of->seconds = seconds;
  }
  ++of->runs;
}

void rlt_runner_stop(const rlt_track *on, rlt_runner *of) {
  if (of->program != NULL) {
    on->device->backend->program_destroy(on->device, of->program);
  }
  of->program = NULL;
}
