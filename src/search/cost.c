/* cost.c: counting what a schedule's tiles touch. */
#include "search/cost.h"

#include <stdlib.h>

#include "base/checked.h"
#include "search/target.h"

const char *rlt_cost_name(rlt_cost_term term) {
  static const char *const names[] = {
#define COST_NAME(name, text) text,
      RLT_COST_TABLE(COST_NAME)
#undef COST_NAME
  };
  return names[term];
}

/* Of the `unit / step` starts in a unit, bytes / step - 1 go on into one more. */
double rlt_units_touched(int64_t bytes, int64_t unit, int64_t step) {
  return (double)(rlt_divide_up(bytes, step) - 1) * (double)step / (double)unit + 1;
}

/* Those of the touched units that the run does not cover. */
static double units_in_parts(int64_t bytes, int64_t unit, int64_t step) {
  if (bytes < unit) {
    return rlt_units_touched(bytes, unit, step);
  }
  const double first = 1 - (double)step / (double)unit;
  return first + (bytes % step == 0 ? first : 1);
}

/* ---- One side of a problem, as its tiles see it ---- */

/* An axis of the tile. */
typedef struct tile_axis {
  int64_t stride; /* bytes */
  int64_t steps;  /* of a whole tile */
  int64_t limit;  /* digits that are moved, or written */
  bool is_cut;    /* taken in blocks */
  bool ends_run;  /* other tiles have what lies behind */
} tile_axis;

typedef struct side {
  int32_t count;
  tile_axis axes[RLT_MAX_TILE_AXES]; /* the smallest stride first */
  double outer;                      /* tiles for each block of the axes taken in blocks */
  int64_t line_step;                 /* every run starts at a multiple of this within its line, */
  int64_t page_step;                 /* and of this within its page */
} side;

typedef struct counts {
  double runs;
  double lines;
  double lines_in_parts;
  double pages;
} counts;

typedef struct view {
  const rlt_problem *problem;
  int64_t line_bytes;
  bool is_source;
  bool joins;   /* what lies together in a tile is moved together, along however many axes */
  bool goes_on; /* so is what lies together in tiles side by side */
} view;

/* Of so many elements; packed ones fill bytes in part. */
static int64_t bytes_of(const view *seen, int64_t elements) {
  const int64_t bits = seen->is_source ? rlt_problem_source_bits(seen->problem)
                                       : rlt_problem_destination_bits(seen->problem);
  return rlt_divide_up(elements * bits, 8);
}

static int64_t stride_in(const view *seen, int32_t axis) {
  const rlt_axis *const of = &seen->problem->axes[axis];
  const int64_t stride = seen->is_source ? of->source_stride : of->destination_stride;
  return bytes_of(seen, llabs(stride));
}

static int64_t limit_in(const view *seen, int32_t axis) {
  const rlt_axis *const of = &seen->problem->axes[axis];
  return seen->is_source ? of->valid : rlt_problem_written_digits(seen->problem, of);
}

static void add_axis(side *made, tile_axis added) {
  int32_t at = made->count++;
  for (; at > 0 && made->axes[at - 1].stride > added.stride; --at) {
    made->axes[at] = made->axes[at - 1];
  }
  made->axes[at] = added;
}

/* A start that moves by `stride` lies at a multiple of what that shares with lines and pages. */
static void start_moves_by(side *made, int64_t stride) {
  made->line_step = rlt_common_factor(made->line_step, stride);
  made->page_step = rlt_common_factor(made->page_step, stride);
}

/* The axes of the tile. Lines that are combined make the destination's runs go on from tile to
 * tile. */
static void see_tile(const view *seen, const rlt_schedule *schedule, bool *in_tile, side *made) {
  rlt_tile_axis axes[RLT_MAX_TILE_AXES];
  const int32_t count = rlt_tile_axes(seen->problem, &schedule->columns, &schedule->rows, axes);
  for (int32_t i = 0; i < count; ++i) {
    const rlt_tile_axis *const of = &axes[i];
    const bool is_cut = of->is_cut && !seen->goes_on;
    const int64_t extent = seen->problem->axes[of->axis].extent;
    in_tile[of->axis] = true;
    add_axis(made, (tile_axis){.stride = stride_in(seen, of->axis),
                               .steps = is_cut ? of->steps : extent,
                               .limit = limit_in(seen, of->axis),
                               .is_cut = is_cut,
                               .ends_run = of->is_cut});
  }
}

static void see_side(const view *seen, const rlt_schedule *schedule, side *made) {
  bool in_tile[RLT_MAX_AXES] = {false};
  *made = (side){.outer = 1, .line_step = seen->line_bytes, .page_step = RLT_PAGE_BYTES};
  see_tile(seen, schedule, in_tile, made);
  for (int32_t a = 0; a < seen->problem->axis_count; ++a) {
    if (!in_tile[a]) {
      made->outer *= (double)limit_in(seen, a);
      if (limit_in(seen, a) > 1) {
        start_moves_by(made, stride_in(seen, a));
      }
    }
  }
}

/* The part of the tile that lies together: how many of the axes, and its bytes. Where it is moved
 * together, gaps that are shorter than a line are read with what lies around them. */
static int32_t find_run(const view *seen, const side *of, const int64_t *steps, int64_t *bytes) {
  int32_t inside = 0;
  int64_t elements = 1;
  int64_t gaps = 0; /* bytes of them */
  *bytes = bytes_of(seen, 1);
  for (; inside < of->count; ++inside) {
    const int64_t gap = steps[inside] > 1 ? of->axes[inside].stride - *bytes : 0;
    const int64_t most = seen->is_source && seen->joins ? seen->line_bytes - 1 : 0;
    if (gap < 0 || gap > most) {
      return inside;
    }
    elements *= steps[inside];
    gaps = (gaps + gap) * steps[inside] - gap;
    *bytes = bytes_of(seen, elements) + gaps;
    if (steps[inside] > 1 && (of->axes[inside].ends_run || !seen->joins)) {
      return inside + 1;
    }
  }
  return inside;
}

/* Tiles that are alike, `tiles` of them. */
static void count_tiles(const view *seen, const side *of, const int64_t *steps, double tiles,
                        counts *sum) {
  int64_t bytes;
  const int32_t inside = find_run(seen, of, steps, &bytes);
  side starts = *of;
  double runs = tiles;
  double apart = tiles; /* parts of a tile that have pages of their own */
  int64_t span = bytes;
  for (int32_t i = 0; i < of->count; ++i) {
    if (of->axes[i].is_cut && of->axes[i].steps < of->axes[i].limit) {
      start_moves_by(&starts, of->axes[i].stride * of->axes[i].steps);
    }
    if (i < inside || steps[i] == 1) {
      continue;
    }
    runs *= (double)steps[i];
    if (of->axes[i].stride < RLT_PAGE_BYTES) {
      starts.line_step = rlt_common_factor(starts.line_step, of->axes[i].stride);
      span += (steps[i] - 1) * of->axes[i].stride;
    } else {
      start_moves_by(&starts, of->axes[i].stride);
      apart *= (double)steps[i];
    }
  }
  sum->runs += runs;
  sum->lines += runs * rlt_units_touched(bytes, seen->line_bytes, starts.line_step);
  sum->lines_in_parts += runs * units_in_parts(bytes, seen->line_bytes, starts.line_step);
  sum->pages += apart * rlt_units_touched(span, RLT_PAGE_BYTES, starts.page_step);
}

/* All tiles: those that are whole and, for each axis taken in blocks, those at its end. */
static void count_side(const view *seen, const rlt_schedule *schedule, counts *sum) {
  side of;
  see_side(seen, schedule, &of);
  int32_t cut[2];
  int32_t cut_count = 0;
  int64_t steps[RLT_MAX_TILE_AXES];
  for (int32_t i = 0; i < of.count; ++i) {
    steps[i] = rlt_min(of.axes[i].steps, of.axes[i].limit);
    if (of.axes[i].is_cut) {
      cut[cut_count++] = i;
    }
    if (of.axes[i].limit == 0) {
      return;
    }
  }
  for (int32_t ends = 0; ends < 1 << cut_count; ++ends) {
    double tiles = of.outer;
    for (int32_t c = 0; c < cut_count; ++c) {
      const tile_axis *const axis = &of.axes[cut[c]];
      const bool at_end = (ends >> c & 1) != 0;
      const int64_t left = axis->limit % axis->steps;
      steps[cut[c]] = at_end ? left : axis->steps;
      tiles *= at_end ? left > 0 : (double)(axis->limit / axis->steps);
    }
    if (tiles > 0) {
      count_tiles(seen, &of, steps, tiles, sum);
    }
  }
}

/* ---- Prices ---- */

rlt_price rlt_cost_price(const rlt_facts *facts, const rlt_schedule *schedule, rlt_cost_term term) {
  static const rlt_rate rates[RLT_COST_TERMS] = {[RLT_COST_LINES_AGAIN] = RLT_RATE_LINE_AGAIN,
                                                 [RLT_COST_LINES_IN_PARTS] = RLT_RATE_LINE_IN_PARTS,
                                                 [RLT_COST_RUNS] = RLT_RATE_RUN,
                                                 [RLT_COST_STRAIGHT_RUNS] = RLT_RATE_STRAIGHT_RUN,
                                                 [RLT_COST_TILES] = RLT_RATE_TILE,
                                                 [RLT_COST_PAGES] = RLT_RATE_PAGE};
  const rlt_target *const target = schedule->target;
  if (term == RLT_COST_REWORKS) {
    return target->price_of_rework != NULL ? target->price_of_rework(schedule)
                                           : (rlt_price){RLT_RATE_NONE, 0};
  }
  return term == RLT_COST_MOVES ? target->price_of_move(facts, schedule)
                                : (rlt_price){rates[term], 1};
}

/* Elements that are paid for beside their moves. */
static int64_t count_reworks(const rlt_facts *facts, const rlt_schedule *schedule) {
  const rlt_price price = rlt_cost_price(facts, schedule, RLT_COST_REWORKS);
  return price.rate == RLT_RATE_NONE ? 0 : rlt_problem_sources(schedule->problem);
}

/* A line that goes through the caches is read before it is written. */
static double price_of_written(const rlt_facts *facts, const rlt_schedule *schedule) {
  const bool is_read = rlt_schedule_has_tables(schedule) && !schedule->streamed &&
                       rlt_is_past_cache(schedule->problem, facts, schedule->stays_cached);
  return is_read ? 1 : 0.5;
}

void rlt_cost_estimate(const rlt_facts *facts, const rlt_tuning *tuning,
                       const rlt_schedule *schedule, rlt_cost *cost) {
  const rlt_problem *const problem = schedule->problem;
  counts read = {0};
  counts written = {0};
  /* Runs that are copied, and elements that are looked up, go one by one with nothing else under
   * way. */
  const bool joins = schedule->move != RLT_MOVE_COPY && schedule->move != RLT_MOVE_INDEX;
  const view source = {problem, facts->line_bytes, true, joins, false};
  const view destination = {problem, facts->line_bytes, false, joins,
                            rlt_schedule_has_tables(schedule)};
  count_side(&source, schedule, &read);
  count_side(&destination, schedule, &written);
  const double tiles = (double)schedule->tile_count;

  const double line_bits = 8 * (double)facts->line_bytes;
  const double least_read =
      (double)rlt_problem_sources(problem) * (double)rlt_problem_source_bits(problem) / line_bits;
  const double least_written = (double)rlt_problem_written(problem) *
                               (double)rlt_problem_destination_bits(problem) / line_bits;
  const double least_time = (least_read + least_written) / 2;

  const rlt_rates *const rates = &tuning->words[rlt_word_size_number(problem->element_bytes)].rates;
  *cost = (rlt_cost){
      .counts = {[RLT_COST_LINES_READ] = least_read,
                 [RLT_COST_LINES_AGAIN] = read.lines > least_read ? read.lines - least_read : 0,
                 [RLT_COST_LINES_WRITTEN] = written.lines - written.lines_in_parts,
                 [RLT_COST_LINES_IN_PARTS] = written.lines_in_parts,
                 [RLT_COST_RUNS] = read.runs,
                 [RLT_COST_STRAIGHT_RUNS] = joins ? 0 : read.runs,
                 [RLT_COST_MOVES] = schedule->target->count_moves(facts, schedule, tiles),
                 [RLT_COST_REWORKS] = (double)count_reworks(facts, schedule),
                 [RLT_COST_TILES] = tiles,
                 [RLT_COST_PAGES] = read.pages + written.pages}};
  double time = 0;
  for (int t = 0; t < RLT_COST_TERMS; ++t) {
    const rlt_price price = rlt_cost_price(facts, schedule, (rlt_cost_term)t);
    const double each = t == RLT_COST_LINES_READ      ? 0.5
                        : t == RLT_COST_LINES_WRITTEN ? price_of_written(facts, schedule)
                                                      : price.times * rates->of[price.rate];
    cost->times[t] = cost->counts[t] * each / least_time;
    time += cost->times[t];
  }
  cost->least_time = least_time;
  cost->fraction = time > 1 ? 1 / time : 1;
}

void rlt_cost_add_text(const rlt_cost *cost, rlt_text *text) {
  double sum = 0;
  for (int t = 0; t < RLT_COST_TERMS; ++t) {
    sum += cost->times[t];
  }
  rlt_text_add_double(text, "%.2f", cost->fraction);
  rlt_text_add(text, " of a plain copy; takes ");
  rlt_text_add_double(text, "%.2f", sum);
  rlt_text_add(text, ":");
  const char *join = " ";
  for (int t = 0; t < RLT_COST_TERMS; ++t) {
    if (cost->times[t] >= 0.005) {
      rlt_text_add(text, "%s", join);
      rlt_text_add_double(text, "%.2f", cost->times[t]);
      rlt_text_add(text, " for ");
      rlt_text_add_double(text, "%.0f", cost->counts[t]);
      rlt_text_add(text, " %s", rlt_cost_name((rlt_cost_term)t));
      join = ", ";
    }
  }
  rlt_text_add(text, "\n");
}
