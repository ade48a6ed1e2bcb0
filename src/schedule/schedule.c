/* schedule.c: from a tile and a move to all that a backend needs to know. */
#include "schedule/schedule.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "cpu/unpacked_tile.h"
#include "gpu/local_tile.h"

const char *rlt_move_name(rlt_move move) {
  static const char *const names[] = {
#define MOVE_NAME(name, text) text,
      RLT_MOVE_TABLE(MOVE_NAME)
#undef MOVE_NAME
  };
  return names[move];
}

bool rlt_is_past_cache(const rlt_problem *problem, const rlt_facts *facts) {
  return facts->cache_bytes > 0 &&
         rlt_problem_destination_size(problem) > (size_t)facts->cache_bytes;
}

bool rlt_schedule_streams(const rlt_facts *facts, const rlt_schedule *schedule) {
  const rlt_stores stores = schedule->wish.stores;
  return facts->memory == RLT_STAGING_PRIVATE && !rlt_schedule_goes_by_index(schedule) &&
         (stores == RLT_STORES_STREAMED ||
          (stores == RLT_STORES_BY_SIZE && rlt_is_past_cache(schedule->problem, facts)));
}

bool rlt_schedule_loads(const rlt_facts *facts, const rlt_schedule *schedule) {
  return schedule->wish.loads && rlt_schedule_streams(facts, schedule) &&
         (schedule->move == RLT_MOVE_TRANSPOSE || schedule->move == RLT_MOVE_INTERLEAVE) &&
         !rlt_problem_is_unpacked_first(schedule->problem);
}

void rlt_schedule_stage(const rlt_facts *facts, rlt_schedule *schedule) {
  const rlt_problem *const problem = schedule->problem;
  const int32_t word = rlt_word_size_number(problem->element_bytes);
  const bool may_interleave = schedule->move != RLT_MOVE_TRANSPOSE;
  rlt_staging_request of = {.problem = problem,
                            .columns = &schedule->columns,
                            .rows = &schedule->rows,
                            .copies = schedule->move == RLT_MOVE_GATHER,
                            .most_channels = may_interleave ? facts->words[word].channels : 0,
                            .lanes = facts->line_bytes / problem->element_bytes};
  rlt_unpacking unpacking;
  if (rlt_schedule_loads(facts, schedule) || rlt_problem_is_unpacked_first(problem)) {
    rlt_unpacking_make(problem, &schedule->columns, &schedule->rows,
                       rlt_unpacking_bytes(facts->staging_bytes), &unpacking);
    of.problem = &unpacking.problem;
  }
  rlt_staging_make(&of, &schedule->staging);
}

/* Whether every segment of every tile begins with a line, if the destination does. */
static bool begin_lines(const rlt_facts *facts, const rlt_schedule *schedule,
                        const rlt_grid *grid) {
  const rlt_problem *const problem = schedule->problem;
  const int64_t bits = rlt_problem_destination_bits(problem);
  const int64_t line = 8 * facts->line_bytes;
  bool begin = grid->destination_start * bits % line == 0;
  for (int32_t l = 0; l < grid->loop_count; ++l) {
    begin = begin && grid->loops[l].destination_step * bits % line == 0;
  }
  rlt_tile_axis axes[RLT_MAX_TILE_AXES];
  const int32_t count = rlt_tile_axes(problem, &schedule->columns, &schedule->rows, axes);
  for (int32_t i = 0; i < count; ++i) {
    const int32_t a = axes[i].axis;
    const bool is_within = schedule->staging.strides[a] < schedule->staging.segment.length;
    begin = begin && (is_within || axes[i].steps == 1 ||
                      problem->axes[a].destination_stride * bits % line == 0);
  }
  return begin;
}

/* ---- Stores, loops and threads ---- */

bool rlt_schedule_goes_by_index(const rlt_schedule *schedule) {
  return schedule->move == RLT_MOVE_INDEX ||
         (schedule->move == RLT_MOVE_FILL && schedule->problem->destination_packed > 0);
}

static bool is_staged(const rlt_facts *facts, const rlt_schedule *schedule) {
  const rlt_problem *const problem = schedule->problem;
  const bool keeps = rlt_problem_keeps_elements(problem);
  if (facts->memory == RLT_STAGING_LOCAL) {
    return schedule->move == RLT_MOVE_TRANSPOSE || schedule->move == RLT_MOVE_PERMUTE;
  }
  if (!rlt_schedule_has_tables(schedule)) {
    return false;
  }
  if (keeps && !schedule->streamed && schedule->wish.stores != RLT_STORES_BY_SIZE) {
    return schedule->wish.stores == RLT_STORES_CACHED;
  }
  /* In a cache, rows that are long enough to be written as they come need not be staged; those of
   * channels are written together. */
  const rlt_staging *const staging = &schedule->staging;
  const int64_t written =
      staging->dense_columns * (staging->write_channels > 0 ? staging->dense_rows : 1);
  const int32_t word = rlt_word_size_number(problem->element_bytes);
  const int64_t least = schedule->move == RLT_MOVE_GATHER
                            ? facts->line_bytes / problem->element_bytes
                            : facts->words[word].block_columns;
  return !keeps || schedule->streamed || written < least;
}

static void choose_loops(const rlt_facts *facts, const rlt_tuning *tuning, const rlt_grid *grid,
                         const rlt_combining *combining, rlt_schedule *schedule) {
  const rlt_problem *const problem = schedule->problem;
  const int64_t word = rlt_max(problem->element_bytes, rlt_problem_destination_bytes(problem));
  const int64_t bits =
      rlt_max(rlt_problem_source_bits(problem), rlt_problem_destination_bits(problem));
  int64_t bytes; /* if none were packed */
  if (!rlt_multiply(rlt_problem_digit_lists(problem), word, &bytes)) {
    bytes = INT64_MAX;
  }
  schedule->threads = 1;
  if (facts->threads > 1) {
    const int64_t workers = rlt_min(facts->threads, bytes / tuning->thread_bytes);
    schedule->threads = (int32_t)rlt_max(rlt_min(workers, grid->tile_count), 1);
  }
  const rlt_block_wish wish = {
      .near_source = 8 * schedule->wish.blocks.read_bytes / bits,
      .near_destination = 8 * schedule->wish.blocks.write_bytes / bits,
      .tiles = tuning->block_bytes / rlt_max(bytes / grid->tile_count, 1),
      .least_blocks = schedule->threads == 1 ? 1 : schedule->threads * tuning->thread_blocks,
      .only_whole = facts->memory == RLT_STAGING_LOCAL};
  if (!schedule->combined) {
    rlt_loops_make(grid, &wish, &schedule->loops);
    return;
  }
  const int64_t tiles_held = facts->most_segments / schedule->staging.segment_count;
  rlt_loops_make_combining(grid, combining, tiles_held - 1, &wish, &schedule->loops);
}

int64_t rlt_schedule_across_shift(const rlt_schedule *schedule, const rlt_grid *grid) {
  const rlt_problem *const problem = schedule->problem;
  int64_t across = rlt_group_length(&schedule->columns);
  if (schedule->memory == RLT_STAGING_LOCAL && schedule->move == RLT_MOVE_INTERLEAVE) {
    const int64_t runs = schedule->columns.axis_count > 1 ? schedule->columns.block : 1;
    const int64_t pieces =
        rlt_divide_up(across / runs, RLT_LOCAL_PIECE_BYTES / problem->element_bytes);
    return rlt_across_shift(runs, pieces, schedule->group_size);
  }
  if (rlt_schedule_goes_by_index(schedule)) {
    across = rlt_divide_up(across, rlt_in_byte(problem->destination_packed));
    return rlt_across_shift(grid->tile_count, across, schedule->group_size); /* of several tiles */
  }
  const int64_t rows = rlt_group_length(&schedule->rows);
  if (schedule->group_size > 1 && schedule->move == RLT_MOVE_COPY) {
    /* Changed elements are more or fewer on either side. */
    const int64_t unit = rlt_min(rlt_local_unit(rlt_problem_source_bits(problem)),
                                 rlt_local_unit(rlt_problem_destination_bits(problem)));
    return rlt_line_shift(rows, rlt_divide_up(across, unit), RLT_LOCAL_UNIT_BYTES,
                          schedule->group_size);
  }
  return rlt_across_shift(rows, across, schedule->group_size);
}

static void choose_grain(const rlt_facts *facts, const rlt_grid *grid, rlt_schedule *schedule) {
  schedule->group_size = facts->group_size;
  schedule->grain = 1;
  if (facts->memory == RLT_STAGING_LOCAL && rlt_schedule_goes_by_index(schedule)) {
    schedule->grain = facts->group_size >> rlt_schedule_across_shift(schedule, grid);
  }
  schedule->grain =
      rlt_max(rlt_max(schedule->grain, 1), rlt_divide_up(grid->tile_count, facts->most_groups));
}

static void choose_alignment(const rlt_facts *facts, bool need_not_combine,
                             rlt_schedule *schedule) {
  const rlt_problem *const problem = schedule->problem;
  const bool by_words = facts->memory == RLT_STAGING_LOCAL;
  schedule->only_aligned =
      need_not_combine || (by_words && schedule->is_wide && !rlt_problem_transposes_bits(problem));
  schedule->source_alignment =
      by_words && schedule->move != RLT_MOVE_FILL ? problem->element_bytes : 1;
  schedule->destination_alignment = by_words           ? rlt_problem_destination_bytes(problem)
                                    : need_not_combine ? facts->line_bytes
                                                       : 1;
}

void rlt_schedule_finish(const rlt_facts *facts, const rlt_tuning *tuning, bool combines,
                         rlt_schedule *schedule) {
  rlt_grid grid;
  rlt_combining combining = {.count = 0}; /* along which tiles go on with each other's lines */
  rlt_grid_make(schedule->problem, &schedule->columns, &schedule->rows, &grid);
  schedule->streamed = rlt_schedule_streams(facts, schedule);
  schedule->loads = rlt_schedule_loads(facts, schedule);
  schedule->staged = is_staged(facts, schedule);
  schedule->prefetch = schedule->staged && facts->memory == RLT_STAGING_PRIVATE
                           ? schedule->wish.prefetch
                           : (rlt_prefetch){0, 0};
  if (schedule->staged && schedule->streamed) {
    rlt_combining_find(schedule->problem, &grid, schedule->staging.segment.length, &combining);
  }
  schedule->combined = combining.count > 0 && (combines || !begin_lines(facts, schedule, &grid));
  choose_alignment(facts, combining.count > 0 && !schedule->combined, schedule);
  choose_loops(facts, tuning, &grid, &combining, schedule);
  choose_grain(facts, &grid, schedule);
}

/* ---- Comparing ---- */

static bool loops_equal(const rlt_loops *a, const rlt_loops *b) {
  const size_t inner = (size_t)a->inner_count, outer = (size_t)a->outer_count;
  return a->inner_count == b->inner_count && a->outer_count == b->outer_count &&
         memcmp(a->inner, b->inner, inner * sizeof a->inner[0]) == 0 &&
         memcmp(a->inside, b->inside, inner * sizeof a->inside[0]) == 0 &&
         memcmp(a->outer, b->outer, outer * sizeof a->outer[0]) == 0;
}

static bool groups_equal(const rlt_group *a, const rlt_group *b) {
  return a->axis_count == b->axis_count && a->block == b->block &&
         memcmp(a->axes, b->axes, (size_t)a->axis_count * sizeof a->axes[0]) == 0;
}

bool rlt_schedules_equal(const rlt_schedule *a, const rlt_schedule *b) {
  return a->is_wide == b->is_wide && a->move == b->move && groups_equal(&a->columns, &b->columns) &&
         groups_equal(&a->rows, &b->rows) && loops_equal(&a->loops, &b->loops) &&
         a->loads == b->loads && a->staged == b->staged && a->streamed == b->streamed &&
         a->combined == b->combined && a->prefetch.tiles == b->prefetch.tiles &&
         a->prefetch.level == b->prefetch.level &&
         a->destination_alignment == b->destination_alignment && a->group_size == b->group_size;
}

relayout_status rlt_schedule_fail_alignment(const rlt_schedule *schedule, const char *whose,
                                            uintptr_t source, uintptr_t destination,
                                            relayout_error *error) {
  const size_t source_off = (size_t)(source % (uintptr_t)schedule->source_alignment);
  const size_t destination_off = (size_t)(destination % (uintptr_t)schedule->destination_alignment);
  if (source_off != 0 && destination_off != 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "%s needs a source that is %" PRId64
                    "-byte aligned and a destination that is %" PRId64
                    "-byte aligned; these are off by %zu and %zu",
                    whose, schedule->source_alignment, schedule->destination_alignment, source_off,
                    destination_off);
  }
  const bool is_source = source_off != 0;
  const int64_t needed = is_source ? schedule->source_alignment : schedule->destination_alignment;
  return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                  "%s needs %s %" PRId64 "-byte aligned %s; this one is off by %zu", whose,
                  needed == 8 ? "an" : "a", needed, is_source ? "source" : "destination",
                  is_source ? source_off : destination_off);
}
