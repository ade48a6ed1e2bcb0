/* private_tiles.c: how far a tile of a worker's own goes on either side. */
#include <stdlib.h>

#include "base/checked.h"
#include "cpu/planning.h"

enum {
  UNPACKED_AT_ONCE = 64,
  /* Elements are unpacked, converted and packed run by run, and in short runs each takes longer. */
  UNPACKED_RUN = 512,
  CONVERTED_RUN = 256,
  CONVERTED_ROWS = 64,
  /* Steps that make so many times a whole number of lines may as well end with one. */
  LINES_WORTH_ENDING = 4
};

typedef struct growing_tile {
  const rlt_problem *problem;
  int64_t line;      /* elements of one */
  int64_t room;      /* elements that a tile may have */
  int64_t read_unit; /* longer runs of the source are multiples of this; 1: any length */
  rlt_byte_run bytes;
  int64_t taken[RLT_MAX_AXES]; /* steps of each axis in a tile; 0: the axis is in no group */
  rlt_group *columns;
  rlt_group *rows;
} growing_tile;

static int64_t tile_elements(const growing_tile *at) {
  return rlt_group_length(at->columns) * rlt_group_length(at->rows);
}

/* How far a tile runs in the destination without a gap, and which axis would take it farther; -1
 * when none can. */
static int64_t written_run(const growing_tile *at, int32_t *next) {
  int64_t run = 1;
  *next = -1;
  for (int32_t a = 0; a < at->problem->axis_count; ++a) {
    const rlt_axis *const axis = &at->problem->axes[a];
    if (axis->destination_stride != run) {
      return run;
    }
    run *= rlt_max(at->taken[a], 1);
    if (at->taken[a] < axis->extent) {
      *next = a;
      return run;
    }
  }
  return run;
}

/* The same in the source, where axes of one valid digit do not move, and padding is not read. */
static int64_t read_run(const growing_tile *at, int32_t *next) {
  bool seen[RLT_MAX_AXES] = {false};
  int64_t run = 1;
  *next = -1;
  for (;;) {
    const int32_t a = rlt_next_source_axis(at->problem, seen);
    if (a < 0 || at->problem->axes[a].source_stride != run) {
      return run;
    }
    seen[a] = true;
    const rlt_axis *const axis = &at->problem->axes[a];
    run *= rlt_max(rlt_min(at->taken[a], axis->valid), 1);
    if (at->taken[a] < axis->extent) {
      *next = at->taken[a] < axis->valid ? a : -1;
      return run;
    }
  }
}

static int64_t written_stride(const growing_tile *at, int32_t axis) {
  return at->problem->axes[axis].destination_stride;
}

/* As many steps of `axis` as make `factor` of what the group has without it, if there
 * is room: a new axis of the group, or more of its last one. What would leave little
 * for a last block is taken whole. */
static bool take_axis(growing_tile *at, rlt_group *group, int32_t axis, int64_t factor) {
  const bool grows = rlt_group_last(group) == axis;
  const int64_t taken = grows ? group->steps : 1;
  const int64_t extent = at->problem->axes[axis].extent;
  const int64_t others = tile_elements(at) / taken;
  const int64_t wanted = extent <= factor + factor / 2 ? extent : factor;
  int64_t steps = rlt_min(wanted, rlt_max(at->room / others, 1));
  if (axis == 0 && steps < extent && steps > at->line) {
    steps -= steps % at->line;
  } else if (axis > 0 && steps < extent && group->axis_count > 0) {
    steps = rlt_even_steps(extent, steps);
  }
  const int64_t whole = at->line / rlt_common_factor(at->line, written_stride(at, axis));
  if (axis > 0 && steps < extent && steps >= LINES_WORTH_ENDING * whole) {
    steps -= steps % whole;
  }
  if (at->problem->axes[axis].source_stride == 1 && steps < extent && steps > at->read_unit) {
    steps -= steps % at->read_unit;
  }
  if (axis == at->bytes.last && steps < extent) {
    steps = rlt_max(steps - steps % at->bytes.steps, at->bytes.steps);
  }
  if (steps <= taken) {
    return false;
  }
  if (!grows) {
    if (group->axis_count == RLT_MAX_GROUP_AXES || at->taken[axis] > 0 ||
        group->steps < rlt_group_extent(at->problem, group)) {
      return false;
    }
    rlt_group_append(at->problem, group, axis, 1);
  }
  group->steps = steps;
  at->taken[axis] = steps;
  return true;
}

/* Where packed elements share bytes, the columns have those that do. */
static void take_byte_run(growing_tile *at) {
  const int32_t last = at->bytes.last;
  for (int32_t a = 0; a <= last && last > 0; ++a) {
    take_axis(at, at->columns, a, a < last ? at->problem->axes[a].extent : at->bytes.steps);
  }
}

static void take_rows_along(growing_tile *at, int64_t source_stride) {
  const rlt_problem *const problem = at->problem;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    if (problem->axes[a].source_stride == source_stride) {
      take_axis(at, at->rows, a, problem->axes[a].extent);
    }
  }
}

/* Bits are transposed along a run of as many rows as a byte has elements. */
static void take_transposed_rows(growing_tile *at) {
  if (rlt_problem_transposes_bits(at->problem)) {
    take_rows_along(at, 1);
    take_rows_along(at, at->problem->transposed_stride);
  }
}

/* How far a tile goes on one side, and which axis would take it farther there. */
typedef int64_t run_on_side(const growing_tile *at, int32_t *next);

/* Gives the group axes, and steps of them, until the tile runs as far as `target`. */
static void go_farther(growing_tile *at, run_on_side *run_of, rlt_group *group, int64_t target) {
  int32_t next;
  for (int64_t run = run_of(at, &next); run < target && next >= 0; run = run_of(at, &next)) {
    const int64_t without = run / rlt_max(at->taken[next], 1);
    if (!take_axis(at, group, next, rlt_divide_up(target, without))) {
      return;
    }
  }
}

/* Where both sides go on with the same axis, and what the tile reads is not transposed or lies
 * together, more of that axis only makes fewer tiles: until a copy is written as far as `target`.
 * Of a tile that is transposed the nearest cache holds both what is read and what is buffered, so
 * it takes half of that altogether. */
static void go_together(growing_tile *at, bool copies, int64_t target) {
  int32_t read, written;
  const bool lies_together = read_run(at, &read) == tile_elements(at);
  const int64_t run = written_run(at, &written);
  if (written >= 0 && written == read && (lies_together || copies)) {
    go_farther(at, written_run, rlt_group_last(at->columns) == written ? at->columns : at->rows,
               copies ? target : target / 2 / (tile_elements(at) / run));
  }
}

/* True if all runs of `length` elements in the destination begin lines, if the first one does. */
static bool begins_lines(const rlt_problem *problem, int64_t length, int64_t line) {
  int64_t step = 0;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    if (problem->axes[a].destination_stride >= length) {
      step = rlt_common_factor(step, problem->axes[a].destination_stride);
    }
  }
  return step % line == 0;
}

/* Elements that change are read by whole lines, and packed ones unpacked so many at a time. */
static int64_t read_unit(const rlt_scene *scene) {
  const rlt_problem *const problem = scene->problem;
  if (rlt_problem_keeps_elements(problem) || rlt_problem_only_reverses(problem)) {
    return 1;
  }
  return problem->source_packed > 0
             ? UNPACKED_AT_ONCE
             : rlt_elements_of(scene->facts->line_bytes, 8 * problem->element_bytes);
}

/* Lines of packed elements are long enough as they are, and those of few bits are transposed among
 * so many rows that a line of each is enough. */
static int64_t run_bytes(const rlt_scene *scene, int64_t bytes, int64_t bits) {
  const rlt_problem *const problem = scene->problem;
  const bool spreads = rlt_problem_transposes_bits(problem) && problem->transposed_bits < 4;
  return bits < 8 || spreads ? rlt_min(bytes, scene->facts->line_bytes) : bytes;
}

bool rlt_cpu_are_crowded(const rlt_facts *facts, int64_t stride, int64_t count) {
  enum { MOST_SETS = 1024 };
  const rlt_cache_facts *const cache = &facts->machine.caches[0];
  const int64_t sets = cache->ways == 0 ? 0 : cache->bytes / cache->ways / facts->line_bytes;
  uint16_t in_set[MOST_SETS] = {0};
  if (sets == 0 || sets > MOST_SETS || stride == 0) {
    return false;
  }
  const int64_t line = facts->line_bytes;
  const int64_t step = llabs(stride) % (sets * line);
  const bool are_apart = llabs(stride) >= line;
  for (int64_t i = 0; i < rlt_min(count, UINT16_MAX); ++i) {
    const bool is_new = are_apart || i == 0 || i * step / line != (i - 1) * step / line;
    if (is_new && ++in_set[i * step / line % sets] > cache->ways) {
      return true;
    }
  }
  return false;
}

/* Of problems with axes. */
static bool is_of(const rlt_scene *scene, rlt_move move, rlt_tiles tiles) {
  const rlt_problem *const problem = scene->problem;
  const rlt_axis *const first = &problem->axes[0];
  const int64_t page = rlt_elements_in(problem, RLT_PAGE_BYTES);
  const int64_t line =
      rlt_elements_of(scene->facts->line_bytes, rlt_problem_destination_bits(problem));
  const rlt_word_tuning *const words =
      &scene->tuning->words[rlt_word_size_number(problem->element_bytes)];
  switch (tiles) {
  case RLT_TILES_CHANNELS:
    return move == RLT_MOVE_INTERLEAVE;
  case RLT_TILES_CACHED:
    return !rlt_is_past_cache(problem, scene->facts, scene->stays_cached);
  case RLT_TILES_APART:
    return !begins_lines(problem, first->extent, line);
  case RLT_TILES_CROWDED:
    return is_of(scene, move, RLT_TILES_FAR) &&
           rlt_cpu_are_crowded(scene->facts, first->source_stride * problem->element_bytes,
                               words->tiles[RLT_TILES_FAR].runs.write_bytes /
                                   problem->element_bytes);
  case RLT_TILES_FAR:
    return first->extent >= page && first->source_stride >= page;
  default:
    return true;
  }
}

/* The row of tuning's blocking for words of this size and problems of this kind. */
static rlt_tile_blocking own_blocking(const rlt_scene *scene, rlt_move move) {
  const rlt_problem *const problem = scene->problem;
  const rlt_tile_blocking *const blockings =
      scene->tuning->words[rlt_word_size_number(problem->element_bytes)].tiles;
  if (problem->axis_count == 0) {
    return blockings[RLT_TILES_ANY]; /* a single element */
  }
  rlt_tiles tiles = 0;
  while (tiles < RLT_TILES_ANY &&
         (blockings[tiles].runs.read_bytes == 0 || !is_of(scene, move, tiles))) {
    ++tiles;
  }
  return blockings[tiles];
}

/* Both sides get whole lines first; then the destination's runs grow, so that few lines at their
 * ends are shared, and at last the source's. Where these lie side by side, a tile opens few of them
 * and can write farther. Short axes on both sides leave small tiles, which go farther too, in the
 * destination first. */
static void choose_groups(const rlt_scene *scene, int64_t room, rlt_schedule *schedule) {
  const rlt_reach runs = schedule->blocking.runs;
  const rlt_problem *const problem = scene->problem;
  const rlt_tuning *const tuning = scene->tuning;
  const bool copies = rlt_cpu_move_row_of(schedule->move)->copies_runs;
  const int64_t read_bits = rlt_problem_source_bits(problem);
  const int64_t write_bits = rlt_problem_destination_bits(problem);
  const int64_t line_bytes = scene->facts->line_bytes;
  const int64_t line = rlt_elements_of(line_bytes, write_bits);
  int64_t read =
      rlt_max(rlt_elements_of(run_bytes(scene, runs.read_bytes, read_bits), read_bits), 2);
  int64_t write =
      rlt_max(rlt_elements_of(run_bytes(scene, runs.write_bytes, write_bits), write_bits), 2);
  growing_tile at = {.problem = problem,
                     .line = line,
                     .read_unit = read_unit(scene),
                     .bytes = rlt_byte_run_of(problem),
                     .room = room,
                     .columns = &schedule->columns,
                     .rows = &schedule->rows};
  const int32_t run = rlt_source_run_axis(problem);
  int32_t next;
  if (problem->axis_count == 0) {
    return;
  }
  if (!rlt_problem_keeps_elements(problem) && !problem->shuffles &&
      !rlt_problem_only_reverses(problem) && !rlt_problem_transposes_bits(problem)) {
    const bool converts_read = rlt_cpu_narrows_first(scene->facts, schedule);
    read = rlt_max(read, problem->source_packed > 0 ? UNPACKED_RUN
                         : converts_read            ? CONVERTED_RUN
                                                    : CONVERTED_ROWS);
    write = rlt_max(write, converts_read ? CONVERTED_ROWS : CONVERTED_RUN);
  }
  take_byte_run(&at);
  take_transposed_rows(&at);
  take_axis(&at, at.columns, 0, copies ? room : write);
  if (run > 0 && at.taken[run] == 0) {
    take_axis(&at, at.rows, run, read);
  }
  go_farther(&at, written_run, at.columns, line);
  go_farther(&at, read_run, at.rows, rlt_elements_of(line_bytes, read_bits));
  go_farther(&at, written_run, at.columns, write);
  go_farther(&at, read_run, at.rows, read);
  if (read_run(&at, &next) >= rlt_elements_of(tuning->joined_runs.read_bytes, read_bits)) {
    go_farther(&at, written_run, at.columns,
               rlt_elements_of(tuning->joined_runs.write_bytes, write_bits));
  }
  const int64_t least = rlt_elements_in(problem, tuning->least_tile_bytes);
  go_farther(&at, written_run, at.columns, least / rlt_group_length(at.rows));
  go_farther(&at, read_run, at.rows, least / rlt_group_length(at.columns));
  if (scene->method != &rlt_method_interleave) { /* which is asked for by itself */
    go_together(&at, copies, rlt_elements_in(problem, tuning->together_bytes));
  }
}

/* What tiles may take: less than the tile buffer, for the gaps between segments. The tile
 * beside which the next one is fetched, and what both read, share the nearest cache; asked runs may
 * ask for more, and tiles of packed or converted elements have to be large: lines hold many of
 * them, or they take longer in short runs. */
static int64_t tile_room(const rlt_scene *scene, int64_t word, rlt_reach runs) {
  const int64_t cache = scene->facts->machine.caches[0].bytes / 2;
  enum { SWAPPED_BYTES = 64 << 10 };
  const bool swaps_bits = rlt_problem_transposes_bits(scene->problem);
  const int64_t most = scene->facts->staging_bytes;
  const int64_t all = (swaps_bits ? rlt_min(most, SWAPPED_BYTES) : most) / word * 4 / 5 * word;
  const int64_t usual = scene->tuning->most_tile_bytes > 0 ? scene->tuning->most_tile_bytes
                        : cache > 0                        ? cache
                                                           : all;
  return rlt_problem_is_packed(scene->problem) || rlt_converts(&scene->problem->conversion)
             ? all
             : rlt_min(all, rlt_max(usual, runs.read_bytes * runs.write_bytes / word));
}

/* Many short segments take more room than their elements. */
static void choose_tile(const rlt_scene *scene, rlt_schedule *schedule) {
  const rlt_problem *const problem = scene->problem;
  const int64_t bytes = rlt_max(problem->element_bytes, rlt_problem_destination_bytes(problem));
  int64_t room = tile_room(scene, bytes, schedule->blocking.runs) / bytes;
  do {
    schedule->columns = rlt_no_axes;
    schedule->rows = rlt_no_axes;
    choose_groups(scene, room, schedule);
    rlt_cpu_lay_out_tile(scene->facts, schedule);
    room /= 2;
  } while (schedule->tile_buffer.elements * bytes > scene->facts->staging_bytes);
}

static void offer_tile(const rlt_scene *scene, const rlt_schedule *like,
                       rlt_candidates *candidates) {
  const bool may_interleave = like->move == RLT_MOVE_TRANSPOSE;
  rlt_schedule schedule = *like;
  schedule.move = may_interleave ? RLT_MOVE_INTERLEAVE : like->move;
  choose_tile(scene, &schedule);
  const bool interleaves = rlt_tile_buffer_interleaves(&schedule.tile_buffer);
  schedule.move = like->move;
  if (may_interleave ? !interleaves : interleaves || like->move != RLT_MOVE_INTERLEAVE) {
    rlt_candidates_add(candidates, &schedule);
  }
}

static void offer_all_runs(const rlt_scene *scene, const rlt_schedule *like,
                           rlt_candidates *candidates) {
  rlt_schedule other = *like;
  const bool has_channels = like->move == RLT_MOVE_INTERLEAVE;
  for (int32_t i = 0; rlt_run_reach(has_channels, i, &other.blocking.runs); ++i) {
    offer_tile(scene, &other, candidates);
  }
}

/* Whether short rows of the destination lie one behind the other along the run of the source: a
 * tile then leaves in one run, which is converted at full speed. */
static bool leaves_in_one_run(const rlt_problem *problem) {
  const int32_t run = rlt_source_run_axis(problem);
  return run > 0 && problem->axes[0].extent < CONVERTED_RUN &&
         problem->axes[run].destination_stride == problem->axes[0].extent;
}

/* Elements that become narrower do so as they are loaded, so that fewer bytes are transposed,
 * unless they leave in one run; channels are joined and parted at hardly any cost. A tile takes
 * longer to convert than a line to arrive: only the next one is fetched, and where it does not
 * crowd out what is transposed. */
static void narrow_first(const rlt_scene *scene, rlt_schedule *own) {
  own->blocking.loads = own->blocking.loads ||
                        (own->move == RLT_MOVE_TRANSPOSE && rlt_problem_narrows(scene->problem) &&
                         !leaves_in_one_run(scene->problem));
  if (rlt_cpu_narrows_first(scene->facts, own)) {
    own->blocking.prefetch = (rlt_prefetch){.tiles = 1, .level = 2};
  }
}

void rlt_cpu_offer_tiles(const rlt_scene *scene, const rlt_schedule *like,
                         rlt_candidates *candidates) {
  rlt_schedule own = *like;
  own.blocking = own_blocking(scene, like->move);
  narrow_first(scene, &own);
  offer_tile(scene, &own, candidates);
  own.suits = false;
  if (scene->offers_all) {
    offer_all_runs(scene, &own, candidates);
  }
  for (int i = 0; i < RLT_OTHER_RUNS; ++i) {
    own.blocking.runs = scene->tuning->other_runs[i];
    offer_tile(scene, &own, candidates);
  }
}
