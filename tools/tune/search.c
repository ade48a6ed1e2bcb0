/* search.c: one kind of tiles after the other, for each word size.
 *
 * Candidates are tried on the relayouts that stand for their kind, and take turns with a plain
 * copy, so that whatever else the machine does meets them alike. First tiles of all sizes run, then
 * all sizes with the source packed first or, if it was, not; then, with the best of these, all
 * orders of blocks, then all prefetches; then the sizes beside the best once more. At last the
 * winner meets the row's own blocking alone, pass after pass, until two passes in a row agree: a
 * busy machine lets anything win once. How work is shared out to threads comes next, and then the
 * rates.
 *
 * While blockings are compared, all rates of the row are 0: plans take the tiles that the row asks
 * for then, and not others that the cost model prefers.
 */
#include "search.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocking.h"
#include "cases.h"
#include "fail.h"
#include "rates.h"
#include "runs.h"
#include "threads.h"

enum {
  MOST_TURNS = 15,
  SAMPLE_TURNS = 5,
  CELLS = TUNE_WORDS * TUNE_KINDS,
  THREAD_STEPS = 2,
  MOST_SAMPLES = 16384,
  SIDE_BYTES_A_SECOND = 64 << 20,
  CASE_BYTES = 24 << 20,
  CACHES = 3, /* a case past the cache takes so many of it at least */
  CACHED_SHARE = 8,
  MOST_PASSES = 5,
  LEAST_CASE_BYTES = 1 << 20,
  LEAST_CACHE_BYTES = 1 << 20,   /* of a worker */
  GUESSED_CACHE_BYTES = 4 << 20, /* where nothing is known of it */
  MEMORY_SHARES = 8              /* a side takes one of these of all memory */
};
#define MOST_SIDE_BYTES (INT64_C(1) << 29)

/* A blocking replaces another when it is faster by this much: less is noise. And the product of
 * that over all cases. */
#define FASTER         1.02
#define FASTER_PRODUCT (FASTER * FASTER * FASTER)
_Static_assert(TUNE_CASES == 3, "a factor for each case");

typedef struct tuner {
  tune_field field;
  tune_row *row;
  const tune_report *report;
  double end;          /* when no more is begun */
  int64_t cache_bytes; /* larger destinations do not stay in the device's caches */
  bool is_new;         /* something of the row is */
  int64_t count;
  tune_sample *samples;
} tuner;

static int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* ---- Candidates in turns ---- */

/* Words of one size, and one kind of tiles. */
typedef struct cell {
  int64_t word; /* in bytes */
  int kind;
  int64_t bytes; /* of a case, on either side */
  bool is_past_cache;
} cell;

typedef struct heat {
  int32_t count;
  tune_blocking of[TUNE_MOST_BLOCKINGS];
  double times[TUNE_MOST_BLOCKINGS]; /* products over the cases, in units of a copy; 0: unknown */
} heat;
_Static_assert((int)TUNE_MOST_BLOCKINGS < (int)TUNE_MOST_PLANS, "and a copy");

static void add_sample(tuner *on, int32_t number, double copy_seconds) {
  const double seconds = tune_field_time(&on->field, number);
  if (on->count < MOST_SAMPLES && seconds > 0 && copy_seconds > 0 &&
      tune_sample_of(on->field.plans[number], seconds / copy_seconds, &on->samples[on->count])) {
    on->count++;
  }
}

static void add_copy(tuner *on, const tune_case *beside) {
  tune_case copied;
  tune_copy_make(tune_case_bytes(beside), &copied);
  tune_field_add(&on->field, &copied, on->row, NULL);
}

static tune_row without_rates(const tune_row *row) {
  const tune_rates none = {{0}};
  tune_row made = *row;
  for (int w = 0; w < TUNE_WORDS; w++) {
    tune_rates_write(&none, 1 << w, &made);
  }
  return made;
}

/* All candidates on one case, not much beyond `end`; their times become products over the cases. */
static void run_case(tuner *on, const cell *at, int32_t number, double end, heat *of) {
  tune_case one;
  tune_row row = without_rates(on->row);
  tune_case_make(at->kind, number, at->word, at->bytes, &one);
  on->field.stays = !at->is_past_cache;
  for (int32_t i = 0; i < of->count; i++) {
    for (int kind = 0; kind < TUNE_KINDS; kind++) {
      tune_blocking_write(&of->of[i], at->word, kind, &row);
    }
    tune_field_add(&on->field, &one, &row, NULL);
  }
  add_copy(on, &one);
  tune_field_run(&on->field, of->count, MOST_TURNS, end);
  const double copy = tune_field_time(&on->field, of->count);
  for (int32_t i = 0; i < of->count; i++) {
    of->times[i] *= copy > 0 ? tune_field_time(&on->field, i) / copy : 0;
    if (at->is_past_cache) {
      add_sample(on, i, copy);
    }
  }
  tune_field_clear(&on->field);
}

/* The candidates' times, and the fastest, which is the first unless another is clearly faster. */
static int32_t run_heat(tuner *on, const cell *at, double end, heat *of) {
  for (int32_t i = 0; i < of->count; i++) {
    of->times[i] = 1;
  }
  for (int32_t i = 0; i < TUNE_CASES; i++) {
    const double begun = bench_now();
    run_case(on, at, i, begun + (end - begun) / (TUNE_CASES - i), of);
  }
  int32_t best = 0;
  for (int32_t i = 1; i < of->count; i++) {
    const double least = of->times[best];
    const double needed = best == 0 ? FASTER_PRODUCT : 1;
    if (of->times[i] > 0 && (least == 0 || of->times[i] * needed < least)) {
      best = i;
    }
  }
  return best;
}

/* ---- Passes ---- */

/* One of Newton's steps towards the cube root, from above it. */
static double nearer_root(double root, double product) {
  return (2 * root + product / (root * root)) / 3;
}

/* The geometric mean of the three cases whose times have been multiplied. */
static double root_of(double product) {
  if (product <= 0) {
    return 0;
  }
  double root = product > 1 ? product : 1;
  double next = nearer_root(root, product);
  while (next < root) {
    root = next;
    next = nearer_root(root, product);
  }
  return root;
}

/* Passes until two in a row agree, but two at least; more only while there is time. The first two
 * share the time that is left. */
static int32_t run_passes(tuner *on, const cell *at, const tune_blocking *first,
                          const tune_blocking *best, tune_pass passes[MOST_PASSES]) {
  int32_t count = 0;
  bool goes_on = true;
  while (goes_on) {
    heat of = {.count = tune_blockings_equal(best, first) ? 1 : 2, .of = {*first, *best}};
    const double begun = bench_now();
    const int32_t left = count + 1 < TUNE_LEAST_PASSES ? TUNE_LEAST_PASSES - count : 1;
    const int32_t won = run_heat(on, at, begun + (on->end - begun) / left, &of);
    passes[count++] = (tune_pass){.before = root_of(of.times[0]),
                                  .after = root_of(of.times[of.count - 1]),
                                  .is_faster = won > 0};
    goes_on = count < TUNE_LEAST_PASSES ||
              (count < MOST_PASSES && !tune_passes_agree(&passes[count - 1], &passes[count - 2]) &&
               bench_now() < on->end);
  }
  return count;
}

/* Fills in the best blocking of a cell, and what is found of it; false: nothing can be said. The
 * passes have twice the time of a round. */
static bool search_cell(tuner *on, const cell *at, const tune_blocking *first, tune_blocking *best,
                        tune_finding *made) {
  tune_pass passes[MOST_PASSES];
  *best = *first;
  for (int round = 0; round < TUNE_ROUNDS && bench_now() < on->end; round++) {
    heat of;
    of.count = tune_blockings_of_round(round, at->kind, best, of.of);
    const double begun = bench_now();
    *best = of.of[run_heat(on, at, begun + (on->end - begun) / (TUNE_ROUNDS + 2 - round), &of)];
  }
  return tune_passes_judge(passes, run_passes(on, at, first, best, passes), made);
}

/* ---- Rates ---- */

typedef struct schedules {
  int32_t count;
  char *of[MOST_SAMPLES];
} schedules;

static void add_schedule(void *context, const relayout_schedule_info *info) {
  schedules *const made = context;
  if (strcmp(info->method, "index-program") != 0 && made->count < MOST_SAMPLES) {
    made->of[made->count] = strdup(info->text);
    made->count += made->of[made->count] != NULL;
  }
}

/* All schedules that are offered for one relayout. */
static void run_schedules(tuner *on, const tune_case *of, schedules *all) {
  all->count = 0;
  tune_field_add(&on->field, of, on->row, NULL);
  if (on->field.plans[0] != NULL) {
    relayout_plan_visit_schedules(on->field.plans[0], 0, add_schedule, all, NULL);
  }
  tune_field_clear(&on->field);
  on->field.stays = false;
  for (int32_t i = 0; i < all->count; i++) {
    if (bench_now() < on->end) {
      tune_field_add(&on->field, of, on->row, all->of[i]);
      add_copy(on, of);
      tune_field_run(&on->field, 0, SAMPLE_TURNS, on->end);
      add_sample(on, 0, tune_field_time(&on->field, 1));
      tune_field_clear(&on->field);
    }
    free(all->of[i]);
  }
}

static void run_samples(tuner *on) {
  const int64_t bytes = smaller(CASE_BYTES, on->field.side_bytes / 2);
  schedules *const all = malloc(sizeof *all);
  for (int32_t i = 0; i < TUNE_SAMPLES * TUNE_WORDS && all != NULL; i++) {
    tune_case one;
    tune_sample_make(i / TUNE_WORDS, 1 << i % TUNE_WORDS, bytes, &one);
    run_schedules(on, &one, all);
  }
  free(all);
}

/* Whether the rates that are the best for one half of the samples predict the other half better
 * than those of the row, and the other way round. */
static bool are_confirmed(const tune_sample *samples, int64_t count, const tune_rates *believed) {
  const int64_t half = count / 2;
  tune_rates first = *believed;
  tune_rates second = *believed;
  if (half == 0) {
    return false;
  }
  tune_rates_fit(samples, half, &first);
  tune_rates_fit(samples + half, count - half, &second);
  return tune_rates_error(samples + half, count - half, &first) <
             tune_rates_error(samples + half, count - half, believed) &&
         tune_rates_error(samples, half, &second) < tune_rates_error(samples, half, believed);
}

/* A word size's own samples: every other one, and then the rest. */
static int64_t take_samples(const tuner *on, int32_t word, tune_sample *own) {
  int64_t count = 0;
  for (int odd = 0; odd < 2; odd++) {
    int64_t seen = 0;
    for (int64_t i = 0; i < on->count; i++) {
      if (on->samples[i].word == word && seen++ % 2 == odd) {
        own[count++] = on->samples[i];
      }
    }
  }
  return count;
}

static void fit_rates(tuner *on) {
  tune_sample *const own = malloc(MOST_SAMPLES * sizeof *own);
  for (int w = 0; w < TUNE_WORDS && own != NULL; w++) {
    const int64_t count = take_samples(on, 1 << w, own);
    tune_rates rates;
    tune_rates_read(on->row, 1 << w, &rates);
    if (are_confirmed(own, count, &rates)) {
      tune_rates_fit(own, count, &rates);
      on->is_new = tune_rates_write(&rates, 1 << w, on->row) || on->is_new;
    }
  }
  free(own);
}

/* ---- All of it ---- */

/* Cases past the cache are several times as large, if there is room. */
static cell cell_of(const tuner *on, int32_t number) {
  const int64_t cache = larger(on->cache_bytes, LEAST_CASE_BYTES);
  cell made = {.word = 1 << number % TUNE_WORDS, .kind = number / TUNE_WORDS};
  made.is_past_cache = made.kind != TUNE_CACHED;
  made.bytes = smaller(made.is_past_cache ? larger(CASE_BYTES, CACHES * cache)
                                          : larger(cache / CACHED_SHARE, LEAST_CASE_BYTES),
                       on->field.side_bytes / 2);
  return made;
}

/* Steps that find something; each finding is reported. */
static int32_t steps_of(const tuner *on) {
  return CELLS + (on->field.target->info.compute_units > 1 ? THREAD_STEPS : 0);
}

static void report(const tuner *on, int32_t step, const char *what, tune_finding *found) {
  found->what = what;
  found->done = (double)(step + 1) / steps_of(on);
  on->report->found(on->report->context, found);
}

static void tune_cell(tuner *on, int32_t number) {
  const cell at = cell_of(on, number);
  const tune_blocking own = tune_blocking_read(on->row, at.word, at.kind);
  const tune_blocking any = tune_blocking_read(on->row, at.word, TUNE_ANY);
  tune_finding found;
  tune_blocking best;
  char what[64];
  snprintf(what, sizeof what, "words of %" PRId64 " byte%s, %s tiles", at.word,
           at.word == 1 ? "" : "s", tune_kinds[at.kind]);
  if (search_cell(on, &at, own.runs[0] > 0 ? &own : &any, &best, &found)) {
    if (found.outcome == TUNE_FASTER) {
      tune_blocking_write(&best, at.word, at.kind, on->row);
      on->is_new = true;
    }
    report(on, number, what, &found);
  }
}

/* Twice, from the same row on: what both find is confirmed. */
static void tune_threads(tuner *on, int32_t number) {
  tune_pass passes[TUNE_LEAST_PASSES];
  tune_row rows[TUNE_LEAST_PASSES];
  tune_finding found;
  for (int32_t i = 0; i < TUNE_LEAST_PASSES; i++) {
    const double begun = bench_now();
    const double end = begun + (on->end - begun) / (TUNE_LEAST_PASSES - i);
    rows[i] = *on->row;
    const tune_times times = number == 0 ? tune_thread_bytes(&on->field, end, &rows[i])
                                         : tune_thread_blocks(&on->field, end, &rows[i]);
    if (times.count == 0) {
      return;
    }
    passes[i] = (tune_pass){.before = times.before / times.count,
                            .after = times.after / times.count,
                            .is_faster = !tune_shares_equal(&rows[i], on->row)};
  }
  if (!tune_passes_judge(passes, TUNE_LEAST_PASSES, &found)) {
    return;
  }
  if (found.outcome == TUNE_FASTER && !tune_shares_equal(&rows[0], &rows[1])) {
    found.outcome = TUNE_UNCONFIRMED;
    found.after = found.before;
  }
  if (found.outcome == TUNE_FASTER) {
    *on->row = rows[0];
    on->is_new = true;
  }
  report(on, CELLS + number, number == 0 ? "bytes that wake a thread" : "blocks of a thread",
         &found);
}

/* Nine tenths of the time are for what is reported, and all steps have the same part of it. */
static void tune_all(tuner *on, double seconds) {
  const double begin = bench_now();
  const int32_t steps = steps_of(on);
  for (int32_t i = 0; i < steps; i++) {
    on->end = begin + 0.9 * seconds * (i + 1) / steps;
    if (bench_now() < on->end) {
      if (i < CELLS) {
        tune_cell(on, i);
      } else {
        tune_threads(on, i - CELLS);
      }
    }
  }
  on->end = begin + seconds;
  run_samples(on);
  fit_rates(on);
}

/* What the caches hold of a destination: the second level, and as much of the third, of each
 * worker. */
static int64_t cache_bytes_of(const relayout_device_info *info) {
  const relayout_cache_info *const second = &info->caches[1];
  const int64_t workers = larger(info->compute_units, 1);
  const int64_t sharers = larger(smaller(second->processors, workers), 1);
  const int64_t each = larger(2 * ((int64_t)second->bytes / sharers), LEAST_CACHE_BYTES);
  return workers * (second->bytes == 0 ? GUESSED_CACHE_BYTES : each);
}

/* Whether tiles may be of any size: where work-items share them they have one. */
static relayout_status check_tiles(tuner *on, relayout_error *error) {
  enum { SCHEDULE_SIZE = 2048 };
  char text[SCHEDULE_SIZE] = "";
  tune_case one;
  relayout_plan *plan;
  const relayout_device *const device = on->field.target->device;
  tune_case_make(TUNE_ANY, 0, 4, LEAST_CASE_BYTES, &one);
  const relayout_status status =
      relayout_plan_create(on->field.target->device, &one.from, &one.to, NULL, &plan, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, text, sizeof text);
  relayout_plan_destroy(plan);
  if (strstr(text, " group=") != NULL || !tune_row_read(device, on->row)) {
    return fail_with(error, RELAYOUT_UNSUPPORTED,
                     "device %s cannot be tuned: it has tiles of one size only",
                     on->field.target->info.name);
  }
  return RELAYOUT_OK;
}

/* The more time there is, the more memory, every page of which is touched first. */
static relayout_status prepare(tuner *on, double seconds, relayout_error *error) {
  const relayout_device_info *const info = &on->field.target->info;
  const int64_t share = (int64_t)(info->memory_bytes / MEMORY_SHARES);
  const int64_t room = share > 0 ? smaller(share, MOST_SIDE_BYTES) : MOST_SIDE_BYTES;
  const double wanted = seconds * SIDE_BYTES_A_SECOND;
  int64_t side = larger(wanted < (double)room ? (int64_t)wanted : room, 4 * LEAST_CASE_BYTES);
  if (info->allocation_bytes > 0 && info->allocation_bytes < (uint64_t)side) {
    side = (int64_t)info->allocation_bytes;
  }
  if (side < 2 * LEAST_CASE_BYTES) {
    return fail_with(error, RELAYOUT_UNSUPPORTED,
                     "device %s cannot be tuned: %" PRId64
                     " bytes of memory are available, but %d are needed",
                     info->name, side, 2 * LEAST_CASE_BYTES);
  }
  on->field.side_bytes = side;
  on->cache_bytes = cache_bytes_of(info);
  on->samples = malloc(MOST_SAMPLES * sizeof *on->samples);
  if (on->samples == NULL) {
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for what is measured");
  }
  return on->field.target->reserve(on->field.target, (size_t)side, (size_t)side, error);
}

relayout_status tune_search(bench_target *target, double seconds, const tune_report *report_to,
                            tune_row *row, bool *is_new, relayout_error *error) {
  tuner on = {.field = {.target = target}, .row = row, .report = report_to};
  relayout_status status = check_tiles(&on, error);
  if (status == RELAYOUT_OK) {
    status = prepare(&on, seconds, error);
  }
  if (status == RELAYOUT_OK) {
    tune_all(&on, seconds);
  }
  *is_new = on.is_new;
  free(on.samples);
  return status;
}
