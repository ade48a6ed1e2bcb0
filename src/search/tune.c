/* tune.c: one wish after the other, for each word size and kind of tiles.
 *
 * A wish is tried on the problems that stand for its kind, each of which it makes one schedule of.
 * Wishes take turns, so that whatever else the machine does meets them alike, and those that have
 * been much slower than the best have no further turn. First tiles of all sizes run, then, with the
 * best of these, all orders, then all prefetches; then the sizes beside the best once more. At last
 * the winner meets the first wish alone, pass after pass, until two passes in a row agree: a busy
 * machine lets anything win once. How work is shared out to threads comes behind, and then the
 * rates.
 */
#include "search/tune.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "search/fit_rates.h"
#include "search/measure.h"
#include "search/offers.h"
#include "search/target.h"
#include "search/tune_cases.h"
#include "search/tune_passes.h"
#include "search/tune_threads.h"

enum {
  MOST_WISHES = RLT_MOST_RUNNERS - 1, /* beside a copy */
  MOST_TURNS = 15,
  SAMPLE_TURNS = 5,
  CELLS = RLT_WORD_SIZES * RLT_TILES,
  THREAD_STEPS = 2,
  MOST_SAMPLES = 4096,
  SIDE_BYTES_A_SECOND = 64 << 20,
  CASE_BYTES = 24 << 20,
  CACHES = 3, /* a case past the cache takes so many of it at least */
  CACHED_SHARE = 8,
  MOST_PASSES = 5,
  LEAST_CASE_BYTES = 1 << 20
};

/* A wish that took so many times as long as the best has no further turn, after one of them and
 * after two. */
static const double out_at_first = 1.6;
static const double out_later = 1.2;

/* A wish replaces another when it is faster by this much: less is noise. And the product of that
 * over all cases. */
#define FASTER         1.02
#define FASTER_PRODUCT (FASTER * FASTER * FASTER)
_Static_assert(RLT_TUNE_CASES == 3, "a factor for each case");

typedef struct tuner {
  rlt_track track;
  rlt_tuning *row;
  const rlt_tune_report *report;
  double end;  /* when no more is begun */
  bool is_new; /* something of the row is */
  int64_t count;
  rlt_sample *samples;
  int8_t *words; /* each sample's word size, by number */
} tuner;

/* ---- What was run ---- */

static void add_sample(tuner *on, const rlt_runner *of, double copy_seconds) {
  if (on->count < MOST_SAMPLES && of->runs > 0 && copy_seconds > 0) {
    on->words[on->count] = (int8_t)rlt_word_size_number(of->offer.schedule.problem->element_bytes);
    on->samples[on->count++] = rlt_sample_of(&on->track.device->facts, &of->offer.schedule,
                                             &of->offer.cost, of->seconds / copy_seconds);
  }
}

/* ---- Wishes in turns ---- */

typedef struct heat {
  int32_t count;
  rlt_tile_wish wishes[MOST_WISHES];
  double times[MOST_WISHES]; /* products over the cases, in units of a copy; 0: unknown */
} heat;

/* A cell of the table: words of one size, and one kind of tiles. */
typedef struct cell {
  int32_t word; /* by number */
  rlt_tiles tiles;
  int64_t bytes; /* of a case, on either side */
  bool is_past_cache;
} cell;

static bool is_out(const rlt_runner *of, double best) {
  return (of->runs == 1 && of->seconds > out_at_first * best) ||
         (of->runs > 1 && of->seconds > out_later * best);
}

static double best_of(const rlt_runner *runners, int32_t count) {
  double best = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (runners[i].runs > 0 && (best == 0 || runners[i].seconds < best)) {
      best = runners[i].seconds;
    }
  }
  return best;
}

/* All wishes on one case, not much beyond `end`; their times become products over the cases. */
static void run_case(tuner *on, const cell *at, int32_t number, double end, heat *of) {
  rlt_problem problem;
  rlt_tuning row = *on->row;
  rlt_runner *const runners = on->track.runners;
  rlt_runner *const copy = &runners[MOST_WISHES];
  rlt_tune_case(at->tiles, number, INT64_C(1) << at->word, at->bytes, &problem);
  for (int32_t w = 0; w < of->count; ++w) {
    for (int t = 0; t < RLT_TILES; ++t) {
      row.words[at->word].tiles[t] = of->wishes[w];
    }
    rlt_runner_make(&on->track, &problem, &row, &runners[w]);
  }
  rlt_problem copied;
  rlt_tune_copy((int64_t)rlt_problem_destination_size(&problem), &copied);
  rlt_runner_make(&on->track, &copied, &row, copy);
  for (int turn = 0; turn < MOST_TURNS && (turn == 0 || rlt_seconds() < end); ++turn) {
    const double best = best_of(runners, of->count);
    for (int32_t w = 0; w < of->count; ++w) {
      if (turn == 0 || !is_out(&runners[w], best)) {
        rlt_runner_take_turn(&on->track, &runners[w], !at->is_past_cache);
      }
    }
    rlt_runner_take_turn(&on->track, copy, !at->is_past_cache);
  }
  for (int32_t w = 0; w < of->count; ++w) {
    const bool ran = runners[w].runs > 0 && copy->runs > 0;
    of->times[w] *= ran ? runners[w].seconds / copy->seconds : 0;
    if (at->is_past_cache) {
      add_sample(on, &runners[w], copy->seconds);
    }
    rlt_runner_stop(&on->track, &runners[w]);
  }
  rlt_runner_stop(&on->track, copy);
}

/* The wishes' times, and the fastest, which is the first unless another is clearly faster. */
static int32_t hold(tuner *on, const cell *at, double end, heat *of) {
  for (int32_t w = 0; w < of->count; ++w) {
    of->times[w] = 1;
  }
  for (int32_t i = 0; i < RLT_TUNE_CASES; ++i) {
    const double begun = rlt_seconds();
    run_case(on, at, i, begun + (end - begun) / (RLT_TUNE_CASES - i), of);
  }
  int32_t best = 0;
  for (int32_t w = 1; w < of->count; ++w) {
    const double least = of->times[best];
    const double needed = best == 0 ? FASTER_PRODUCT : 1;
    if (of->times[w] > 0 && (least == 0 || of->times[w] * needed < least)) {
      best = w;
    }
  }
  return best;
}

static void add_wish(heat *of, rlt_tile_wish wish) {
  if (of->count < MOST_WISHES) {
    of->wishes[of->count++] = wish;
  }
}

static bool reaches_equal(rlt_reach a, rlt_reach b) {
  return a.read_bytes == b.read_bytes && a.write_bytes == b.write_bytes;
}

/* At most twice as far, or half, on each side. */
static bool is_near(rlt_reach a, rlt_reach b) {
  return a.read_bytes <= 2 * b.read_bytes && 2 * a.read_bytes >= b.read_bytes &&
         a.write_bytes <= 2 * b.write_bytes && 2 * a.write_bytes >= b.write_bytes;
}

/* All runs, or those near the wish's own. */
static void add_runs(heat *of, bool has_channels, bool all) {
  const rlt_tile_wish own = of->wishes[0];
  rlt_tile_wish other = own;
  for (int32_t i = 0; rlt_run_reach(has_channels, i, &other.runs); ++i) {
    if ((all || is_near(other.runs, own.runs)) && !reaches_equal(other.runs, own.runs)) {
      add_wish(of, other);
    }
  }
}

static void add_blocks(heat *of) {
  const rlt_tile_wish own = of->wishes[0];
  for (int32_t i = 0; i < RLT_BLOCK_REACHES; ++i) {
    rlt_tile_wish other = own;
    other.blocks = rlt_block_reaches[i];
    if (!reaches_equal(other.blocks, own.blocks)) {
      add_wish(of, other);
    }
  }
}

/* And whether what a tile reads is brought together first. */
static void add_prefetches(heat *of) {
  const rlt_tile_wish own = of->wishes[0];
  rlt_tile_wish loading = own;
  loading.loads = !own.loads;
  add_wish(of, loading);
  for (int32_t i = 0; i < RLT_PREFETCHES; ++i) {
    rlt_tile_wish other = own;
    other.prefetch = rlt_prefetches[i];
    if (other.prefetch.tiles != own.prefetch.tiles || other.prefetch.level != own.prefetch.level) {
      add_wish(of, other);
    }
  }
}

static bool wishes_equal(const rlt_tile_wish *a, const rlt_tile_wish *b) {
  return reaches_equal(a->runs, b->runs) && reaches_equal(a->blocks, b->blocks) &&
         a->loads == b->loads && a->prefetch.tiles == b->prefetch.tiles &&
         a->prefetch.level == b->prefetch.level;
}

/* One of Newton's steps towards the cube root, from above it. */
static double nearer_root(double root, double product) {
  return (2 * root + product / (root * root)) / 3;
}

/* The geometric mean of the three cases whose times have been multiplied: what has this cube. */
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

/* Those that are tried beside the best so far. */
static void add_round(const cell *at, int round, heat *of) {
  if (round == 0 || round == 3) {
    add_runs(of, at->tiles == RLT_TILES_CHANNELS, round == 0);
  } else if (round == 1) {
    add_blocks(of);
  } else {
    add_prefetches(of);
  }
}

/* ---- Passes ---- */

/* Passes until two in a row agree, but two at least; more only while there is time. The first two
 * share the time that is left. */
static int32_t run_passes(tuner *on, const cell *at, rlt_tile_wish first, rlt_tile_wish best,
                          rlt_pass passes[MOST_PASSES]) {
  int32_t count = 0;
  bool goes_on = true;
  while (goes_on) {
    heat of = {.count = wishes_equal(&best, &first) ? 1 : 2, .wishes = {first, best}};
    const double begun = rlt_seconds();
    const int32_t left = count + 1 < RLT_LEAST_PASSES ? RLT_LEAST_PASSES - count : 1;
    const int32_t won = hold(on, at, begun + (on->end - begun) / left, &of);
    passes[count++] = (rlt_pass){.before = root_of(of.times[0]),
                                 .after = root_of(of.times[of.count - 1]),
                                 .is_faster = won > 0};
    goes_on = count < RLT_LEAST_PASSES ||
              (count < MOST_PASSES && !rlt_passes_agree(&passes[count - 1], &passes[count - 2]) &&
               rlt_seconds() < on->end);
  }
  return count;
}

/* What the cell's wish becomes where it is confirmed, and what is told of it; false: nothing. The
 * passes have twice the time of a round. */
static bool search(tuner *on, const cell *at, rlt_tile_wish first, rlt_tile_wish *best,
                   relayout_tuned *made) {
  enum { ROUNDS = 4 };
  rlt_pass passes[MOST_PASSES];
  *best = first;
  for (int round = 0; round < ROUNDS && rlt_seconds() < on->end; ++round) {
    heat of = {.count = 1, .wishes = {*best}};
    add_round(at, round, &of);
    const double begun = rlt_seconds();
    *best = of.wishes[hold(on, at, begun + (on->end - begun) / (ROUNDS + 2 - round), &of)];
  }
  return rlt_passes_judge(passes, run_passes(on, at, first, *best, passes), made);
}

/* ---- Rates ---- */

/* All that is offered for one problem. */
static void run_offers(tuner *on, const rlt_problem *problem) {
  rlt_offers offers;
  rlt_runner *const of = &on->track.runners[0];
  rlt_runner *const copy = &on->track.runners[MOST_WISHES];
  rlt_problem copied;
  rlt_tune_copy((int64_t)rlt_problem_destination_size(problem), &copied);
  *of = (rlt_runner){.program = NULL};
  of->forms.of[0] = *problem;
  rlt_forms_make(&on->track.device->facts, &of->forms);
  if (!rlt_runner_make(&on->track, &copied, on->row, copy)) {
    return;
  }
  if (rlt_offers_make(&of->forms, &on->track.device->facts, on->row, NULL, &offers, NULL) !=
      RELAYOUT_OK) {
    rlt_runner_stop(&on->track, copy);
    return;
  }
  for (int32_t i = 0; i < offers.count && rlt_seconds() < on->end; ++i) {
    of->runs = 0;
    if (!rlt_schedule_goes_by_index(&offers.of[i].schedule) &&
        rlt_runner_start(&on->track, &offers.of[i], of)) {
      for (int turn = 0; turn < SAMPLE_TURNS; ++turn) {
        rlt_runner_take_turn(&on->track, of, false);
        rlt_runner_take_turn(&on->track, copy, false);
      }
      add_sample(on, of, copy->seconds);
      rlt_runner_stop(&on->track, of);
    }
  }
  rlt_offers_free(&offers);
  rlt_runner_stop(&on->track, copy);
}

/* Whether the rates that are the best for one half of the samples foretell the other half better
 * than what was believed, and the other way round. */
static bool are_confirmed(const rlt_sample *samples, int64_t count, const rlt_rates *believed) {
  const int64_t half = count / 2;
  rlt_rates first = *believed;
  rlt_rates second = *believed;
  if (half == 0) {
    return false;
  }
  rlt_rates_fit(samples, half, &first);
  rlt_rates_fit(samples + half, count - half, &second);
  return rlt_rates_error(samples + half, count - half, &first) <
             rlt_rates_error(samples + half, count - half, believed) &&
         rlt_rates_error(samples, half, &second) < rlt_rates_error(samples, half, believed);
}

/* A word size's own samples: every other one, and then the rest. */
static int64_t take_samples(const tuner *on, int word, rlt_sample *own) {
  int64_t count = 0;
  for (int odd = 0; odd < 2; ++odd) {
    int64_t seen = 0;
    for (int64_t i = 0; i < on->count; ++i) {
      if (on->words[i] == word && seen++ % 2 == odd) {
        own[count++] = on->samples[i];
      }
    }
  }
  return count;
}

static void fit_rates(tuner *on) {
  rlt_sample *const own = rlt_malloc(MOST_SAMPLES * sizeof *own);
  for (int w = 0; w < RLT_WORD_SIZES && own != NULL; ++w) {
    const int64_t count = take_samples(on, w, own);
    if (are_confirmed(own, count, &on->row->words[w].rates)) {
      rlt_rates_fit(own, count, &on->row->words[w].rates);
      on->is_new = true;
    }
  }
  rlt_free(own);
}

/* ---- All of it ---- */

/* Cases past the cache are several times as large, if there is room. */
static cell cell_of(const tuner *on, int32_t number) {
  const int64_t cache = rlt_max(on->track.device->facts.cache_bytes, LEAST_CASE_BYTES);
  cell made = {.word = number % RLT_WORD_SIZES, .tiles = (rlt_tiles)(number / RLT_WORD_SIZES)};
  made.is_past_cache = made.tiles != RLT_TILES_CACHED;
  made.bytes = rlt_min(made.is_past_cache ? rlt_max(CASE_BYTES, CACHES * cache)
                                          : rlt_max(cache / CACHED_SHARE, LEAST_CASE_BYTES),
                       on->track.side_bytes / 2);
  return made;
}

/* Steps that find something; each is told of when it has. */
static int32_t steps_of(const tuner *on) {
  return CELLS + (on->track.device->facts.threads > 1 ? THREAD_STEPS : 0);
}

static void tell(const tuner *on, int32_t step, const char *what, relayout_tuned *tuned) {
  tuned->struct_size = sizeof *tuned;
  tuned->what = what;
  tuned->done = (double)(step + 1) / steps_of(on);
  if (on->report->found != NULL) {
    on->report->found(on->report->context, tuned);
  }
}

static void tune_cell(tuner *on, int32_t number) {
  const cell at = cell_of(on, number);
  rlt_tile_wish *const wish = &on->row->words[at.word].tiles[at.tiles];
  const rlt_tile_wish any = on->row->words[at.word].tiles[RLT_TILES_ANY];
  relayout_tuned tuned;
  rlt_tile_wish found;
  char what[64];
  snprintf(what, sizeof what, "words of %d byte%s, %s tiles", 1 << at.word, at.word == 0 ? "" : "s",
           rlt_tiles_name(at.tiles));
  if (search(on, &at, wish->runs.read_bytes > 0 ? *wish : any, &found, &tuned)) {
    if (tuned.outcome == RELAYOUT_TUNED_FASTER) {
      *wish = found;
      on->is_new = true;
    }
    tell(on, number, what, &tuned);
  }
}

/* By how a row shares out work. */
static bool shares_equal(const rlt_tuning *a, const rlt_tuning *b) {
  return a->thread_bytes == b->thread_bytes && a->thread_blocks == b->thread_blocks;
}

/* Twice, from the same row on: what both find is confirmed. */
static void tune_threads(tuner *on, int32_t number) {
  rlt_pass passes[RLT_LEAST_PASSES];
  rlt_tuning rows[RLT_LEAST_PASSES];
  relayout_tuned tuned;
  for (int32_t i = 0; i < RLT_LEAST_PASSES; ++i) {
    const double begun = rlt_seconds();
    const double end = begun + (on->end - begun) / (RLT_LEAST_PASSES - i);
    rows[i] = *on->row;
    const rlt_tuned_times times = number == 0 ? rlt_tune_thread_bytes(&on->track, end, &rows[i])
                                              : rlt_tune_thread_blocks(&on->track, end, &rows[i]);
    if (times.count == 0) {
      return;
    }
    passes[i] = (rlt_pass){.before = times.before / times.count,
                           .after = times.after / times.count,
                           .is_faster = !shares_equal(&rows[i], on->row)};
  }
  if (!rlt_passes_judge(passes, RLT_LEAST_PASSES, &tuned)) {
    return;
  }
  if (tuned.outcome == RELAYOUT_TUNED_FASTER && !shares_equal(&rows[0], &rows[1])) {
    tuned.outcome = RELAYOUT_TUNED_UNCONFIRMED;
    tuned.after = tuned.before;
  }
  if (tuned.outcome == RELAYOUT_TUNED_FASTER) {
    *on->row = rows[0];
    on->is_new = true;
  }
  tell(on, CELLS + number, number == 0 ? "bytes that wake a thread" : "blocks of a thread", &tuned);
}

static void run_samples(tuner *on) {
  const int64_t bytes = rlt_min(CASE_BYTES, on->track.side_bytes / 2);
  for (int32_t i = 0; i < RLT_TUNE_SAMPLES * RLT_WORD_SIZES; ++i) {
    rlt_problem problem;
    rlt_tune_sample(i / RLT_WORD_SIZES, INT64_C(1) << i % RLT_WORD_SIZES, bytes, &problem);
    run_offers(on, &problem);
  }
}

/* Nine tenths of the time are for what is told of, and all steps have the same part of it. */
static void tune_all(tuner *on, double seconds) {
  const double begin = rlt_seconds();
  const int32_t steps = steps_of(on);
  for (int32_t i = 0; i < steps; ++i) {
    on->end = begin + 0.9 * seconds * (i + 1) / steps;
    if (rlt_seconds() < on->end) {
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

/* The more time there is, the more memory, every page of which is touched first. */
static relayout_status prepare(tuner *on, double seconds, relayout_error *error) {
  rlt_track *const track = &on->track;
  int64_t largest;
  const int64_t room = rlt_scratch_room(&track->device->info, &largest) / 2;
  const double wanted = seconds * SIDE_BYTES_A_SECOND;
  track->side_bytes = wanted < (double)room ? (int64_t)wanted : room;
  track->side_bytes = rlt_min(rlt_max(track->side_bytes, 4 * LEAST_CASE_BYTES), largest);
  if (track->side_bytes < 2 * LEAST_CASE_BYTES) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "device %s cannot be tuned: %" PRId64
                    " bytes of memory are available, but %d are needed",
                    track->device->info.name, track->side_bytes, 2 * LEAST_CASE_BYTES);
  }
  on->samples = rlt_malloc(MOST_SAMPLES * sizeof *on->samples);
  on->words = rlt_malloc(MOST_SAMPLES * sizeof *on->words);
  track->runners = rlt_calloc(RLT_MOST_RUNNERS, sizeof *track->runners);
  if (on->samples == NULL || on->words == NULL || track->runners == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for what is measured");
  }
  const size_t bytes = (size_t)track->side_bytes;
  return track->device->backend->scratch_create(track->device, bytes, bytes, &track->scratch,
                                                error);
}

relayout_status rlt_tune(relayout_device *device, double seconds, const rlt_tune_report *report,
                         rlt_tuning *found, bool *is_new, relayout_error *error) {
  *is_new = false;
  if (device->facts.target->vary == NULL || device->backend->program_time == NULL) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "device %s cannot be tuned: it has tiles of one size only, or no clock",
                    device->info.name);
  }
  *found = *device->tuning;
  tuner on = {.track = {.device = device}, .row = found, .report = report};
  const relayout_status status = prepare(&on, seconds, error);
  if (status == RELAYOUT_OK) {
    tune_all(&on, seconds);
    *is_new = on.is_new;
  }
  if (on.track.scratch != NULL) {
    device->backend->scratch_destroy(device, on.track.scratch);
  }
  rlt_free(on.track.runners);
  rlt_free(on.samples);
  rlt_free(on.words);
  return status;
}
