/* strategy.c: from a problem's inner axes to a strategy and its tiles. */
#include "plan/strategy.h"

#include <stdlib.h>

#include "base/checked.h"
#include "base/error.h"
#include "plan/assembly.h"

static const rlt_group no_axes = {.axis_count = 0, .inner = 1, .block = 1};

static rlt_group one_axis(const rlt_problem *problem, int32_t axis, int64_t most) {
  return (rlt_group){.axis_count = 1,
                     .axes = {axis},
                     .inner = 1,
                     .block = rlt_max(rlt_min(problem->axes[axis].extent, most), 1)};
}

/* The axis along which the source runs: the smallest stride among the axes that move in it at all,
 * the longest of equals. -1 when none does. */
static int32_t source_run_axis(const rlt_problem *problem) {
  int32_t best = -1;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const rlt_axis *axis = &problem->axes[a];
    if (axis->valid <= 1) {
      continue;
    }
    const rlt_axis *beaten = best < 0 ? NULL : &problem->axes[best];
    if (beaten == NULL || llabs(axis->source_stride) < llabs(beaten->source_stride) ||
        (llabs(axis->source_stride) == llabs(beaten->source_stride) &&
         axis->extent > beaten->extent)) {
      best = a;
    }
  }
  return best;
}

/* How many elements so many bytes are, where one takes so many bits. */
static int64_t elements_of(int64_t bytes, int64_t bits) {
  return rlt_max(8 * bytes / bits, 1);
}

/* Of an element, on the side where it takes the least; and the elements that so many bytes are there. */
static int64_t least_bits(const rlt_problem *problem) {
  return rlt_min(rlt_problem_source_bits(problem), rlt_problem_destination_bits(problem));
}

static int64_t elements_in(const rlt_problem *problem, int64_t bytes) {
  return elements_of(bytes, least_bits(problem));
}

/* ---- Where each strategy applies ---- */

/* Every strategy but gather needs axes, and every one but fill and gather needs a source. */
static bool is_plain(const rlt_problem *problem) {
  return problem->steps == NULL && !rlt_problem_is_fill(problem);
}

/* Where tiles are not assembled, their rows are written whole bytes: those along axis 0, or along several
 * axes that share bytes. */
static bool writes_bytes(const rlt_problem *problem, const rlt_traits *traits,
                         bool by_several_axes) {
  rlt_byte_run run;
  return problem->destination_packed == 0 || traits->assembly_bytes > 0 ||
         (rlt_problem_byte_run(problem, &run) && (run.last == 0 || by_several_axes));
}

static bool copy_applies(const rlt_problem *problem) {
  return is_plain(problem) &&
         (problem->axis_count == 0 ||
          (problem->axes[0].destination_stride == 1 && problem->axes[0].source_stride == 1));
}

static bool transpose_applies(const rlt_problem *problem) {
  const int32_t run = source_run_axis(problem);
  return is_plain(problem) && run > 0 && problem->axes[0].destination_stride == 1 &&
         problem->axes[run].source_stride == 1;
}

static bool packed_applies(const rlt_problem *problem) {
  return is_plain(problem) && problem->axis_count > 0;
}

/* ---- Packed: groups of short axes ---- */

static bool group_is_full(const rlt_group *group, int64_t target) {
  return group->axis_count == RLT_MAX_GROUP_AXES || rlt_group_length(group) >= target;
}

/* Appends an axis, as many steps of it as bring the group to `target` positions. */
static void group_append(const rlt_problem *problem, rlt_group *group, int32_t axis,
                         int64_t target) {
  const int64_t extent = problem->axes[axis].extent;
  group->inner = rlt_group_length(group);
  group->block = rlt_min(extent, rlt_divide_up(target, group->inner));
  group->axes[group->axis_count++] = axis;
}

static bool is_last_axis(const rlt_group *group, int32_t axis) {
  return group->axis_count > 0 && group->axes[group->axis_count - 1] == axis;
}

static bool group_has(const rlt_group *group, int32_t axis) {
  for (int32_t i = 0; i < group->axis_count; ++i) {
    if (group->axes[i] == axis) {
      return true;
    }
  }
  return false;
}

/* The next axis outwards in the source: the smallest stride not yet seen. -1 after the last. */
static int32_t next_source_axis(const rlt_problem *problem, const bool *seen) {
  int32_t best = -1;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    if (!seen[a] && problem->axes[a].valid > 1 &&
        (best < 0 ||
         llabs(problem->axes[a].source_stride) < llabs(problem->axes[best].source_stride))) {
      best = a;
    }
  }
  return best;
}

/* What fills whole bytes of the destination; a single step of axis 0 where nothing does. */
static rlt_byte_run byte_run_of(const rlt_problem *problem) {
  rlt_byte_run run;
  return rlt_problem_byte_run(problem, &run) ? run : (rlt_byte_run){.last = 0, .steps = 1};
}

/* As few more of the columns as end with a byte. */
static void end_with_byte(const rlt_problem *problem, rlt_group *columns) {
  const rlt_byte_run run = byte_run_of(problem);
  if (is_last_axis(columns, run.last)) {
    columns->block = rlt_min(rlt_divide_up(columns->block, run.steps) * run.steps,
                             problem->axes[run.last].extent);
  }
}

/* Columns: the destination's first axes, `written` positions of them. Rows: enough of the source's
 * first axes that a tile reads `read` positions in a row, counting those the columns hold. */
static void pack_groups(const rlt_problem *problem, int64_t written, int64_t read,
                        rlt_group *columns, rlt_group *rows) {
  const int32_t last = byte_run_of(problem).last;
  *columns = no_axes;
  *rows = no_axes;
  for (int32_t a = 0; a < problem->axis_count && (a <= last || !group_is_full(columns, written));
       ++a) {
    const int64_t least = a < last ? problem->axes[a].extent * rlt_group_length(columns) : 1;
    group_append(problem, columns, a, rlt_max(written, least));
  }

  bool seen[RLT_MAX_AXES] = {false};
  int64_t run = 1;
  while (run < read && rows->axis_count < RLT_MAX_GROUP_AXES) {
    const int32_t axis = next_source_axis(problem, seen);
    if (axis < 0) {
      break;
    }
    seen[axis] = true;
    const int64_t extent = problem->axes[axis].extent;
    const int64_t wanted = rlt_min(extent, rlt_divide_up(read, run));
    if (is_last_axis(columns, axis)) {
      columns->block = rlt_max(columns->block, wanted);
      run *= columns->block;
      if (columns->block < extent) {
        break;
      }
    } else if (group_has(columns, axis)) {
      run *= extent;
    } else {
      group_append(problem, rows, axis, rlt_group_length(rows) * wanted);
      run *= wanted;
    }
  }
  end_with_byte(problem, columns);
}

/* As many more steps of the group's last axis as keep a tile of `elements` within `budget`. */
static void grow_group(const rlt_problem *problem, int64_t budget, int64_t elements,
                       rlt_group *group) {
  if (group->axis_count > 0 && elements < budget) {
    const int64_t extent = problem->axes[group->axes[group->axis_count - 1]].extent;
    group->block = rlt_min(extent, group->block * (budget / elements));
  }
}

/* The same for the columns, which take the destination's next axes too while all of each fits. */
static void grow_columns(const rlt_problem *problem, int64_t budget, const rlt_group *rows,
                         rlt_group *columns) {
  const int64_t row_count = rlt_group_length(rows);
  grow_group(problem, budget, row_count * rlt_group_length(columns), columns);
  for (int32_t next = columns->axis_count; next < problem->axis_count; ++next) {
    const int64_t room = budget / (row_count * rlt_group_length(columns));
    const bool is_cut = next > 0 && columns->block < problem->axes[next - 1].extent;
    if (columns->axis_count == RLT_MAX_GROUP_AXES || room < 2 || group_has(rows, next) || is_cut) {
      return;
    }
    group_append(problem, columns, next, room * rlt_group_length(columns));
  }
}

/* Blocks of equal length, as few as with `steps` each. */
static int64_t even_steps(int64_t extent, int64_t steps) {
  return rlt_divide_up(extent, rlt_divide_up(extent, steps));
}

/* Blocks of the same size leave the last tile no smaller than it must be. They are
 * whole lines, or halves or so of one, as far as that goes. */
static void split_evenly(const rlt_problem *problem, int64_t line, rlt_group *group) {
  if (group->axis_count > 0) {
    const int64_t extent = problem->axes[group->axes[group->axis_count - 1]].extent;
    const int64_t even = even_steps(extent, group->block);
    int64_t unit = line;
    while (unit > 1 && 2 * unit > even) {
      unit /= 2;
    }
    group->block = rlt_min(group->block, rlt_divide_up(even, unit) * unit);
  }
}

/* A tile stays for a while as words of the destination. */
static void choose_packed_groups(const rlt_problem *problem, const rlt_traits *traits,
                                 rlt_strategy *strategy) {
  const int64_t budget =
      rlt_max(traits->packed_tile_bytes / rlt_problem_destination_bytes(problem), 1);
  const int64_t line = elements_of(traits->line_bytes, rlt_problem_destination_bits(problem));
  const int64_t read_line = elements_of(traits->line_bytes, rlt_problem_source_bits(problem));
  int64_t written = line;
  int64_t read = read_line;
  pack_groups(problem, written, read, &strategy->columns, &strategy->rows);
  while ((written > 1 || read > 1) &&
         rlt_group_length(&strategy->columns) * rlt_group_length(&strategy->rows) > budget) {
    written = rlt_max(written / 2, 1);
    read = rlt_max(read / 2, 1);
    pack_groups(problem, written, read, &strategy->columns, &strategy->rows);
  }

  /* That is the least that moves whole lines. More at once costs each element less to find its
   * place, and gives every work-item of a group something to do. */
  grow_columns(problem, budget, &strategy->rows, &strategy->columns);
  const int64_t columns = rlt_group_length(&strategy->columns);
  grow_group(problem, budget, columns * rlt_group_length(&strategy->rows), &strategy->rows);
  split_evenly(problem, line, &strategy->columns);
  end_with_byte(problem, &strategy->columns);
  split_evenly(problem, read_line, &strategy->rows);
}

/* ---- Assembled tiles: one group of axes for each side, none in both ---- */

enum {
  UNPACKED_AT_ONCE = 64,
  /* What a tile of packed elements writes whose halo is up to one more. */
  LINES_BESIDE_HALO = 3
};

typedef struct assembling {
  const rlt_problem *problem;
  int64_t line; /* elements of one */
  int64_t room; /* elements that a tile may have */
  int64_t
      read_unit; /* of which runs of the source have a multiple, if they are longer; 1: any length */
  rlt_byte_run bytes;
  int64_t taken[RLT_MAX_AXES]; /* steps of each axis in a tile; 0: the axis is in no group */
  rlt_group *columns;
  rlt_group *rows;
} assembling;

static int64_t tile_elements(const assembling *at) {
  return rlt_group_length(at->columns) * rlt_group_length(at->rows);
}

/* How far a tile runs in the destination without a gap, and which axis would take it farther; -1
 * when none can. */
static int64_t written_run(const assembling *at, int32_t *next) {
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
static int64_t read_run(const assembling *at, int32_t *next) {
  bool seen[RLT_MAX_AXES] = {false};
  int64_t run = 1;
  *next = -1;
  for (;;) {
    const int32_t a = next_source_axis(at->problem, seen);
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

/* As many steps of `axis` as make `factor` of what the group has without it, if there is room: a new
 * axis of the group, or more of its last one. What would leave little for a last block is taken whole. */
static bool take_axis(assembling *at, rlt_group *group, int32_t axis, int64_t factor) {
  const bool grows = is_last_axis(group, axis);
  const int64_t taken = grows ? group->block : 1;
  const int64_t extent = at->problem->axes[axis].extent;
  const int64_t others = tile_elements(at) / taken;
  const int64_t wanted = extent <= factor + factor / 2 ? extent : factor;
  int64_t steps = rlt_min(wanted, rlt_max(at->room / others, 1));
  if (axis == 0 && steps < extent && steps > at->line) {
    steps -= steps % at->line;
  } else if (axis > 0 && steps < extent && group->axis_count > 0) {
    steps = even_steps(extent, steps);
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
    const int32_t count = group->axis_count;
    if (count == RLT_MAX_GROUP_AXES || at->taken[axis] > 0 ||
        (count > 0 && group->block < at->problem->axes[group->axes[count - 1]].extent)) {
      return false;
    }
    group->inner = rlt_group_length(group);
    group->axes[group->axis_count++] = axis;
  }
  group->block = steps;
  at->taken[axis] = steps;
  return true;
}

/* Where packed elements share bytes, the columns have those that do. */
static void take_byte_run(assembling *at) {
  for (int32_t a = 0; a < at->bytes.last; ++a) {
    take_axis(at, at->columns, a, at->problem->axes[a].extent);
  }
  if (at->bytes.last > 0) {
    take_axis(at, at->columns, at->bytes.last, at->bytes.steps);
  }
}

/* Elements are swapped along a run of all rows that a byte has elements of. */
static void take_swapped(assembling *at) {
  const rlt_problem *const problem = at->problem;
  for (int32_t a = 0; a < problem->axis_count && problem->swapped_bits > 0; ++a) {
    if (problem->axes[a].source_stride == 1) {
      take_axis(at, at->rows, a, problem->axes[a].extent);
    }
  }
  for (int32_t a = 0; a < problem->axis_count && problem->swapped_bits > 0; ++a) {
    if (problem->axes[a].source_stride == problem->swapped_stride) {
      take_axis(at, at->rows, a, problem->axes[a].extent);
    }
  }
}

/* How far a tile goes on one side, and which axis would take it farther there. */
typedef int64_t run_on_side(const assembling *at, int32_t *next);

/* Gives the group axes, and steps of them, until the tile runs as far as `target`. */
static void go_farther(assembling *at, run_on_side *run_of, rlt_group *group, int64_t target) {
  int32_t next;
  for (int64_t run = run_of(at, &next); run < target && next >= 0; run = run_of(at, &next)) {
    const int64_t without = run / rlt_max(at->taken[next], 1);
    if (!take_axis(at, group, next, rlt_divide_up(target, without))) {
      return;
    }
  }
}

/* Where both sides go on with the same axis, and what the tile reads is not turned or lies together, more of that axis
 * only makes fewer tiles: until it is written as far as `target`. */
static void go_together(assembling *at, relayout_strategy kind, int64_t target) {
  int32_t read, written;
  const bool lies_together = read_run(at, &read) == tile_elements(at);
  written_run(at, &written);
  if (written >= 0 && written == read && (lies_together || kind == RELAYOUT_STRATEGY_COPY)) {
    go_farther(at, written_run, is_last_axis(at->columns, written) ? at->columns : at->rows,
               target);
  }
}

/* Whether all that lies outside the destination's innermost `length` elements begins with a line, if
 * their start does. */
static bool begins_lines(const rlt_problem *problem, int64_t length, int64_t line) {
  int64_t step = 0;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    if (problem->axes[a].destination_stride >= length) {
      step = rlt_common_factor(step, problem->axes[a].destination_stride);
    }
  }
  return step % line == 0;
}

static bool is_past_cache(const rlt_problem *problem, const rlt_traits *traits) {
  return traits->cache_bytes > 0 &&
         rlt_problem_destination_size(problem) > (size_t)traits->cache_bytes;
}

/* Elements that change are read by whole lines, and packed ones unpacked so many at a time. */
static int64_t read_unit(const rlt_problem *problem, const rlt_traits *traits) {
  if (rlt_problem_keeps_elements(problem)) {
    return 1;
  }
  return problem->source_packed > 0 ? UNPACKED_AT_ONCE
                                    : elements_of(traits->line_bytes, 8 * problem->element_bytes);
}

/* Whether tiles end within bytes of the destination, and have a halo to write these whole. */
static bool shares_bytes(const rlt_problem *problem, const rlt_traits *traits) {
  rlt_byte_run run;
  return problem->destination_packed > 0 && !traits->carries_lines &&
         !rlt_problem_byte_run(problem, &run);
}

/* Lines of packed elements are long enough as they are, and those of few bits are swapped among so many
 * rows that a line of each is enough. */
static int64_t run_bytes(const rlt_problem *problem, const rlt_traits *traits, int64_t bytes,
                         int64_t bits) {
  const bool spreads = problem->swapped_bits > 0 && problem->swapped_bits < 4;
  return bits < 8 || spreads ? rlt_min(bytes, traits->line_bytes) : bytes;
}

/* Both sides get whole lines first; then the destination's runs grow, so that few lines at their
 * ends are shared, and at last the source's. Where these lie side by side, a tile opens few of them and
 * can write farther. Short axes on both sides leave small tiles, which go farther too, in the
 * destination first. */
static void assemble_groups(const rlt_problem *problem, const rlt_traits *traits, int64_t room,
                            rlt_strategy *strategy) {
  const int64_t read_bits = rlt_problem_source_bits(problem);
  const int64_t write_bits = rlt_problem_destination_bits(problem);
  const int64_t line = elements_of(traits->line_bytes, write_bits);
  const int64_t page = elements_in(problem, RLT_PAGE_BYTES);
  const rlt_axis *const first = &problem->axes[0];
  /* Both as long as a page: a large matrix. */
  const bool is_far = first->extent >= page && first->source_stride >= page;
  const bool is_cached = traits->cached_runs.read_bytes > 0 && !is_past_cache(problem, traits);
  const rlt_runs *const runs = is_cached ? &traits->cached_runs
                               : !begins_lines(problem, first->extent, line)
                                   ? &traits->assembly_apart_runs
                               : is_far ? &traits->assembly_far_runs
                                        : &traits->assembly_runs;
  const int64_t read =
      rlt_max(elements_of(run_bytes(problem, traits, runs->read_bytes, read_bits), read_bits), 2);
  const int64_t write_bytes = shares_bytes(problem, traits)
                                  ? LINES_BESIDE_HALO * traits->line_bytes
                                  : run_bytes(problem, traits, runs->write_bytes, write_bits);
  const int64_t write = rlt_max(elements_of(write_bytes, write_bits), 2);
  assembling at = {.problem = problem,
                   .line = line,
                   .read_unit = read_unit(problem, traits),
                   .bytes = byte_run_of(problem),
                   .room = room,
                   .columns = &strategy->columns,
                   .rows = &strategy->rows};
  const int32_t run = source_run_axis(problem);
  int32_t next;
  take_byte_run(&at);
  take_swapped(&at);
  take_axis(&at, at.columns, 0, strategy->kind == RELAYOUT_STRATEGY_COPY ? room : write);
  if (run > 0 && at.taken[run] == 0) {
    take_axis(&at, at.rows, run, read);
  }
  go_farther(&at, written_run, at.columns, line);
  go_farther(&at, read_run, at.rows, elements_of(traits->line_bytes, read_bits));
  go_farther(&at, written_run, at.columns, write);
  go_farther(&at, read_run, at.rows, read);
  if (read_run(&at, &next) >= elements_of(traits->joined_runs.read_bytes, read_bits)) {
    go_farther(&at, written_run, at.columns,
               elements_of(traits->joined_runs.write_bytes, write_bits));
  }
  const int64_t least = elements_in(problem, traits->assembly_least_bytes);
  go_farther(&at, written_run, at.columns, least / rlt_group_length(at.rows));
  go_farther(&at, read_run, at.rows, least / rlt_group_length(at.columns));
  go_together(&at, strategy->kind, elements_in(problem, traits->assembly_together_bytes));
}

/* Where a tile's segments end in the middle of lines, and the next tile goes on with them: as many of
 * its steps as make up a line, so that every line is written whole. */
static void add_halo(const rlt_problem *problem, const rlt_traits *traits, int64_t lanes,
                     rlt_strategy *strategy) {
  const int64_t line = 8 * traits->line_bytes / rlt_problem_destination_bits(problem);
  rlt_assembly assembly;
  rlt_assembly_make(problem, strategy, lanes, &assembly);
  rlt_group *const group =
      assembly.segment_side == RLT_ASSEMBLY_COLUMNS ? &strategy->columns : &strategy->rows;
  const int64_t length = assembly.segment_unit * group->block;
  if ((!is_past_cache(problem, traits) && !shares_bytes(problem, traits)) ||
      traits->carries_lines || assembly.segment_side == RLT_ASSEMBLY_NEITHER ||
      (length % line == 0 && begins_lines(problem, length, line))) {
    return;
  }
  const int64_t extent = problem->axes[group->axes[group->axis_count - 1]].extent;
  group->halo = rlt_min(rlt_divide_up(line - 1, assembly.segment_unit), extent - group->block);
}

static bool is_packed(const rlt_problem *problem) {
  return problem->source_packed > 0 || problem->destination_packed > 0 || problem->swapped_bits > 0;
}

/* Many short segments take more room than their elements, for the gaps between them. */
static void choose_assembly_groups(const rlt_problem *problem, const rlt_traits *traits,
                                   rlt_strategy *strategy) {
  strategy->assembles = true;
  const int64_t lanes = traits->line_bytes / problem->element_bytes;
  const int64_t bytes = rlt_max(problem->element_bytes, rlt_problem_destination_bytes(problem));
  rlt_assembly assembly;
  const int64_t most = is_packed(problem) && traits->packed_assembly_bytes > 0
                           ? traits->packed_assembly_bytes
                           : traits->assembly_bytes;
  int64_t room = most / bytes * 4 / 5;
  do {
    strategy->columns = no_axes;
    strategy->rows = no_axes;
    assemble_groups(problem, traits, room, strategy);
    add_halo(problem, traits, lanes, strategy);
    rlt_assembly_make(problem, strategy, lanes, &assembly);
    room /= 2;
  } while (assembly.elements * bytes > most);
}

/* ---- Choosing ---- */

/* Half a line is where a square tile begins to pay: below, most of its lines are not whole. Of packed
 * elements a quarter does too where tables are the other way, which are read for each element. */
static bool transpose_pays(const rlt_problem *problem, const rlt_traits *traits) {
  const int64_t part = is_packed(problem) && traits->assembly_bytes == 0 ? 4 : 2;
  const int64_t long_side = rlt_max(elements_in(problem, traits->line_bytes) / part, 2);
  const int64_t columns = problem->axes[0].valid;
  const int64_t rows = problem->axes[source_run_axis(problem)].valid;
  return columns >= long_side && rows >= long_side &&
         rlt_min(columns, traits->transpose_columns) * rlt_min(rows, traits->transpose_rows) *
                 problem->element_bytes >=
             traits->transpose_least_bytes;
}

static relayout_strategy best_kind(const rlt_problem *problem, const rlt_traits *traits,
                                   const char **reason) {
  if (rlt_problem_is_fill(problem)) {
    *reason = "no element of the destination has a source";
    return RELAYOUT_STRATEGY_FILL;
  }
  if (problem->steps != NULL) {
    *reason = "the digits of both sides share no divisor, so each element finds its own way";
    return RELAYOUT_STRATEGY_GATHER;
  }
  if (!writes_bytes(problem, traits, true)) {
    *reason = "rows end within bytes, which this device writes one by one";
    return RELAYOUT_STRATEGY_GATHER;
  }
  if (problem->axis_count == 0) {
    *reason = "a single element moves";
    return RELAYOUT_STRATEGY_COPY;
  }
  if (!writes_bytes(problem, traits, false)) {
    *reason = "several axes share bytes of the destination";
    return RELAYOUT_STRATEGY_PACKED;
  }
  /* Along an axis with one valid step nothing runs in the source. */
  const bool runs =
      copy_applies(problem) &&
      (problem->axis_count == 1 || problem->axes[0].valid > 1 || source_run_axis(problem) < 0);
  const int64_t long_run = elements_in(problem, traits->line_bytes);
  const int64_t written = problem->fills ? problem->axes[0].extent : problem->axes[0].valid;
  if (runs && (problem->axis_count == 1 || written >= long_run)) {
    *reason = "both sides run along the same axis, far enough to copy its runs";
    return RELAYOUT_STRATEGY_COPY;
  }
  if (runs && traits->assembly_bytes > 0) {
    *reason = "both sides run along the same axis, and its short runs are put together first";
    return RELAYOUT_STRATEGY_COPY;
  }
  if (transpose_applies(problem) && transpose_pays(problem, traits)) {
    *reason = "the sides run along different axes, both long enough for square tiles";
    return RELAYOUT_STRATEGY_TRANSPOSE;
  }
  *reason = "an inner axis is short, so several together make one wide enough";
  return RELAYOUT_STRATEGY_PACKED;
}

/* Work-items of a gather own whole bytes, whose elements they find by steps. */
static bool applies(const rlt_problem *problem, const rlt_traits *traits, relayout_strategy kind) {
  switch (kind) {
  case RELAYOUT_STRATEGY_COPY:
    return copy_applies(problem) && writes_bytes(problem, traits, false);
  case RELAYOUT_STRATEGY_TRANSPOSE:
    return transpose_applies(problem) && writes_bytes(problem, traits, false);
  case RELAYOUT_STRATEGY_PACKED:
    return packed_applies(problem) && writes_bytes(problem, traits, true);
  case RELAYOUT_STRATEGY_FILL:
    return rlt_problem_is_fill(problem);
  case RELAYOUT_STRATEGY_GATHER:
    return !problem->shuffles && problem->swapped_bits == 0 &&
           (problem->destination_packed == 0 || problem->steps != NULL);
  case RELAYOUT_STRATEGY_AUTO:
    break;
  }
  return false;
}

static void choose_run_groups(const rlt_problem *problem, const rlt_traits *traits,
                              rlt_strategy *strategy) {
  if (problem->axis_count == 0) {
    return;
  }
  const int64_t most = elements_in(problem, traits->run_columns_bytes);
  strategy->columns = one_axis(problem, 0, most);
  const bool whole_runs = strategy->columns.block == problem->axes[0].extent;
  if (strategy->kind == RELAYOUT_STRATEGY_COPY && problem->axis_count > 1 && whole_runs) {
    strategy->rows = one_axis(
        problem, 1, elements_in(problem, traits->run_tile_bytes) / strategy->columns.block);
  }
}

/* Runs whose elements change are written whole, and alone. */
static bool runs_change_straight(const rlt_problem *problem) {
  rlt_byte_run run;
  if (problem->shuffles || problem->swapped_bits > 0 || !rlt_problem_byte_run(problem, &run)) {
    return false;
  }
  const int64_t bits = rlt_problem_destination_bits(problem);
  bool are_whole = problem->axis_count < 2 || problem->axes[0].extent * bits % 8 == 0;
  for (int32_t a = 1; a < problem->axis_count; ++a) {
    are_whole = are_whole && problem->axes[a].destination_stride * bits % 8 == 0;
  }
  return are_whole && (!problem->fills || problem->axis_count == 0);
}

static bool assembles(const rlt_problem *problem, const rlt_traits *traits,
                      relayout_strategy kind) {
  if (traits->assembly_bytes == 0) {
    return false;
  }
  switch (kind) {
  case RELAYOUT_STRATEGY_COPY:
    if (!rlt_problem_keeps_elements(problem) && !runs_change_straight(problem)) {
      return true;
    }
    return problem->axis_count > 1 &&
           problem->axes[0].extent * least_bits(problem) < 8 * traits->straight_run_bytes;
  case RELAYOUT_STRATEGY_TRANSPOSE:
  case RELAYOUT_STRATEGY_PACKED:
    return true;
  default:
    return false;
  }
}

relayout_status rlt_strategy_choose(const rlt_problem *problem, const rlt_traits *traits,
                                    relayout_strategy wanted, rlt_strategy *strategy,
                                    relayout_error *error) {
  strategy->variation = (rlt_variation){.wanted = wanted};
  strategy->columns = no_axes;
  strategy->rows = no_axes;
  strategy->assembles = false;
  strategy->most_teeth = traits->most_teeth;
  if (wanted == RELAYOUT_STRATEGY_AUTO) {
    strategy->kind = best_kind(problem, traits, &strategy->reason);
  } else if (applies(problem, traits, wanted)) {
    strategy->kind = wanted;
    strategy->reason = "the caller asked for it";
  } else {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED, "strategy `%s` cannot carry out this relayout",
                    relayout_strategy_name(wanted));
  }

  if (assembles(problem, traits, strategy->kind)) {
    choose_assembly_groups(problem, traits, strategy);
    return RELAYOUT_OK;
  }
  switch (strategy->kind) {
  case RELAYOUT_STRATEGY_TRANSPOSE:
    strategy->columns = one_axis(problem, 0, traits->transpose_columns);
    strategy->rows = one_axis(problem, source_run_axis(problem), traits->transpose_rows);
    break;
  case RELAYOUT_STRATEGY_PACKED:
    choose_packed_groups(problem, traits, strategy);
    break;
  default:
    choose_run_groups(problem, traits, strategy);
    break;
  }
  return RELAYOUT_OK;
}

relayout_status rlt_strategy_vary(const rlt_problem *problem, const rlt_traits *traits,
                                  const rlt_variation *variation, rlt_strategy *strategy,
                                  relayout_error *error) {
  rlt_traits varied = *traits;
  if (variation->copying != RLT_COPYING_BY_LENGTH) {
    /* No run is shorter than nothing, none as long as that. */
    varied.straight_run_bytes = variation->copying == RLT_COPYING_STRAIGHT ? 0 : INT64_MAX / 8;
  }
  if (variation->runs.read_bytes > 0) {
    varied.assembly_runs = variation->runs;
    varied.assembly_far_runs = variation->runs;
    varied.assembly_apart_runs = variation->runs;
  }
  if (variation->small_tiles) {
    varied.packed_tile_bytes /= 4;
  }
  const relayout_status status =
      rlt_strategy_choose(problem, &varied, variation->wanted, strategy, error);
  strategy->variation = *variation;
  return status;
}

const char *relayout_strategy_name(relayout_strategy strategy) {
  switch (strategy) {
#define STRATEGY_NAME(name, value, text)                                                           \
  case RELAYOUT_STRATEGY_##name:                                                                   \
    return text;
    RELAYOUT_STRATEGY_TABLE(STRATEGY_NAME)
#undef STRATEGY_NAME
  }
  return "unknown";
}
