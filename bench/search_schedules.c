/* search_schedules.c: how near estimated plans come to the best of many schedules.
 *
 *   search_schedules DEVICE SUITE [COUNT [EVERY]]    of 200 schedules and every case when left out
 *
 * Of each case that is one part it runs tiles of all sizes, and then what differs in one respect
 * from the estimated schedule, from the fastest and from those next to it, until it has run COUNT.
 * The fastest of all and the estimated one then take turns, so that luck does not count. It prints
 * how much of the best one's speed the estimated one has, and both. With
 * RELAYOUT_CACHE=off nothing that was measured before has a part in it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "bench/statistics.h"
#include "cost.h"
#include "cost_suite.h"
#include "plan/plan.h"
#include "relayout/relayout.h"
#include "schedule/schedule_text.h"
#include "search/candidates.h"

const char cost_program[] = "search_schedules";

enum {
  COUNT = 200,
  MOST_COUNT = 2000,
  MOST_EVERY = 1000,
  FIRST_TURNS = 3,
  FINALISTS = 6, /* the first is the estimated one */
  FINAL_TURNS = 15,
  SIDE_BYTES = 512 << 20 /* at least: places follow each other through it */
};

/* A schedule that takes turns. */
typedef struct runner {
  void *program;  /* NULL: it cannot run */
  double seconds; /* its fastest run; 0: none yet */
} runner;

typedef struct search {
  relayout_device *device;
  void *scratch;
  int64_t side_bytes;
  int64_t place; /* of the next run, in bytes */
  const rlt_part *part;
  rlt_candidates candidates;
  bool stays;
  int32_t most;             /* that are run */
  int32_t run;              /* of the candidates, the first ones */
  double times[MOST_COUNT]; /* by number; 0: it cannot run */
} search;

/* ---- Many schedules ---- */

static bool start(const search *of, int32_t number, runner *made) {
  *made = (runner){.program = NULL};
  return rlt_executable_create(of->device, &of->candidates.of[number].schedule, &made->program,
                               NULL) == RELAYOUT_OK;
}

static void stop(const search *of, runner *stopped) {
  if (stopped->program != NULL) {
    of->device->backend->executable_destroy(of->device, stopped->program);
  }
}

/* Where places do not stay they follow each other through the memory, so that none is in a cache.
 * False where the run fails. */
static bool take_turn(search *of, runner *next) {
  const int64_t larger = (int64_t)rlt_max(rlt_problem_source_size(of->part->forms.of[0]),
                                          rlt_problem_destination_size(of->part->forms.of[0]));
  const int64_t step = rlt_divide_up(larger, RLT_PAGE_BYTES) * RLT_PAGE_BYTES;
  if (of->stays || of->place + step > of->side_bytes) {
    of->place = 0;
  }
  const rlt_offsets offsets = {(size_t)of->place, (size_t)of->place};
  double seconds = 0;
  of->place += step;
  if (of->device->backend->executable_time(of->device, next->program, of->scratch, offsets,
                                           &seconds, NULL) != RELAYOUT_OK) {
    return false;
  }
  if (next->seconds == 0 || seconds < next->seconds) {
    next->seconds = seconds;
  }
  return true;
}

static void run_new_candidates(search *of) {
  for (; of->run < rlt_min(of->candidates.count, of->most); ++of->run) {
    of->times[of->run] = 0;
    if (rlt_schedule_goes_by_index(&of->candidates.of[of->run].schedule)) {
      continue;
    }
    runner next;
    if (start(of, of->run, &next)) {
      for (int turn = 0; turn < FIRST_TURNS && take_turn(of, &next); ++turn) {
      }
      of->times[of->run] = next.seconds;
    }
    stop(of, &next);
  }
}

/* The fastest of those that have run and are not among `others`; -1: there are no more. */
static int32_t fastest(const search *of, const int32_t *others, int32_t other_count) {
  int32_t best = -1;
  for (int32_t i = 0; i < of->run; ++i) {
    bool is_new = of->times[i] > 0;
    for (int32_t o = 0; o < other_count; ++o) {
      is_new = is_new && others[o] != i;
    }
    if (is_new && (best < 0 || of->times[i] < of->times[best])) {
      best = i;
    }
  }
  return best;
}

static void run_many(search *of, int32_t estimated) {
  int32_t varied[MOST_COUNT];
  int32_t count = 0;
  rlt_candidates_add_all(&of->candidates);
  run_new_candidates(of);
  for (int32_t next = estimated; next >= 0 && of->run < of->most && count < MOST_COUNT;
       next = fastest(of, varied, count)) {
    varied[count++] = next;
    rlt_candidates_vary(&of->candidates, next);
    run_new_candidates(of);
  }
}

/* ---- The fastest and the estimated one ---- */

typedef struct finalist {
  search *of;
  runner *runner;
} finalist;

static double run_once(const void *context) {
  const finalist *const own = context;
  own->runner->seconds = 0;
  take_turn(own->of, own->runner);
  return own->runner->seconds;
}

/* Their medians; the first is the estimated one's. */
static int32_t run_finalists(search *of, int32_t estimated, int32_t *numbers, double *medians) {
  runner runners[FINALISTS];
  finalist finalists[FINALISTS];
  cost_way ways[FINALISTS];
  int32_t count = 0;
  for (int32_t next = estimated; next >= 0 && count < FINALISTS;
       next = fastest(of, numbers, count)) {
    if (!start(of, next, &runners[count])) {
      cost_stop("a schedule that has run cannot run again");
    }
    numbers[count] = next;
    finalists[count] = (finalist){of, &runners[count]};
    ways[count] = (cost_way){run_once, &finalists[count]};
    ++count;
  }
  cost_measure_in_turns(ways, (size_t)count, FINAL_TURNS, medians);
  for (int32_t i = 0; i < count; ++i) {
    stop(of, &runners[i]);
  }
  return count;
}

/* ---- A case ---- */

/* The schedule's number among what is offered. */
static int32_t find_estimated(const search *of) {
  char wanted[RLT_SCHEDULE_TEXT_SIZE], text[RLT_SCHEDULE_TEXT_SIZE];
  rlt_text writing = rlt_text_in(wanted, sizeof wanted);
  rlt_schedule_add_text(&of->part->variants[0].candidate.schedule, &writing);
  for (int32_t i = 0; i < of->candidates.count; ++i) {
    writing = rlt_text_in(text, sizeof text);
    rlt_schedule_add_text(&of->candidates.of[i].schedule, &writing);
    if (strcmp(text, wanted) == 0) {
      return i;
    }
  }
  cost_stop("the estimated schedule is not offered");
  return -1;
}

static void print_candidate(const search *of, const char *what, int32_t number) {
  char text[RLT_SCHEDULE_TEXT_SIZE];
  rlt_text writing = rlt_text_in(text, sizeof text);
  rlt_schedule_add_text(&of->candidates.of[number].schedule, &writing);
  printf("  %-9s  %s\n", what, text);
}

static void print_result(const search *of, const char *name, double reached, int32_t estimated,
                         int32_t best) {
  printf("%-32s %6.3f of %d\n", name, reached, (int)of->run);
  print_candidate(of, "estimated", estimated);
  if (best != estimated) {
    print_candidate(of, "best", best);
  }
  fflush(stdout);
}

/* How much of the best schedule's speed the estimated one has. */
static double search_part(search *of, const char *name) {
  const rlt_backend *const backend = of->device->backend;
  const size_t bytes = (size_t)of->side_bytes;
  relayout_error error;
  cost_check(backend->scratch_create(of->device, bytes, bytes, &of->scratch, &error), &error);
  cost_check(rlt_candidates_make(&of->part->forms, &of->device->facts, of->device->tuning, NULL,
                                 &of->candidates, &error),
             &error);
  const int32_t estimated = find_estimated(of);
  int32_t numbers[FINALISTS];
  double medians[FINALISTS];
  run_many(of, estimated);
  const int32_t count = run_finalists(of, estimated, numbers, medians);
  int32_t best = 0;
  for (int32_t i = 1; i < count; ++i) {
    best = medians[i] < medians[best] ? i : best;
  }
  const double reached = medians[best] / medians[0];
  print_result(of, name, reached, estimated, numbers[best]);
  rlt_candidates_free(&of->candidates);
  backend->scratch_destroy(of->device, of->scratch);
  return reached;
}

/* The same; 0 for a case of several parts or none. */
static double search_case(search *of, const bench_case *measured) {
  relayout_plan *plan;
  relayout_error error;
  rlt_plan_request request;
  rlt_plan_request_clear(&request);
  cost_check(rlt_plan_create(of->device, &measured->from, &measured->to, &request,
                             (rlt_texts){0, NULL}, &plan, &error),
             &error);
  double reached = 0;
  if (plan->work.part_count == 1) {
    const int64_t longer =
        (int64_t)rlt_max(plan->work.source_size, plan->work.destination_size) + RLT_PAGE_BYTES;
    of->part = &plan->work.parts[0];
    of->run = 0;
    of->place = 0;
    of->side_bytes = rlt_max(SIDE_BYTES, longer);
    reached = search_part(of, measured->name);
  }
  relayout_plan_destroy(plan);
  return reached;
}

static int32_t read_number(const char *text, int32_t most) {
  char *end;
  const unsigned long number = strtoul(text, &end, 10);
  if (number < 1 || number > (unsigned long)most || *end != '\0') {
    cost_stop("COUNT is a number from 1 to 2000, EVERY one from 1 to 1000");
  }
  return (int32_t)number;
}

int main(int count, char **values) {
  if (count < 3 || count > 5) {
    cost_stop("wants DEVICE SUITE [COUNT [EVERY]]");
  }
  const int32_t most = count > 3 ? read_number(values[3], MOST_COUNT) : COUNT;
  const int32_t every = count > 4 ? read_number(values[4], MOST_EVERY) : 1;
  relayout_error error;
  bench_suite suite;
  cost_read_suite(values[2], &suite);
  search *const of = calloc(1, sizeof *of);
  double *const reached = calloc(suite.count + 1, sizeof *reached);
  if (of == NULL || reached == NULL) {
    cost_stop("no memory");
  }
  of->most = most;
  of->stays = suite.is_hot;
  relayout_device *opened = NULL;
  cost_check(relayout_device_open(values[1], &opened, &error), &error);
  of->device = rlt_planner_of(opened);
  size_t measured = 0;
  for (size_t i = 0; i < suite.count; i += (size_t)every) {
    reached[measured] = search_case(of, &suite.cases[i]);
    measured += reached[measured] > 0;
  }
  if (measured > 0) {
    printf("%-32s %6.3f\n", "geomean", statistics_geomean(reached, measured));
  }
  relayout_device_destroy(opened);
  free(of);
  free(reached);
  bench_suite_free(&suite);
  return 0;
}
