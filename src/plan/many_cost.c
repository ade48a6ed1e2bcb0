/* many_cost.c: what a plan of several destinations is predicted to take, by the rates of the
 * device's row of tuning: the plans of its boxes, passes over rows of values, and what a kernel
 * touches. */
#include <string.h>

#include "base/checked.h"
#include "metadata/widths.h"
#include "plan/many.h"
#include "search/target.h"
#include "search/tuning.h"

/* Times in lines of a plain copy, until all is there. */
typedef struct estimate {
  const rlt_many *many;
  rlt_cost cost;
  double weights[RLT_COST_TERMS]; /* how often a rate is paid, */
  rlt_rate rates[RLT_COST_TERMS]; /* and which; NONE where there are several */
  bool is_mixed[RLT_COST_TERMS];
} estimate;

/* Terms as bits. */
#define TERM(name) (1U << RLT_COST_##name)
#define READING    TERM(LINES_READ)
#define FROM_CACHE (READING | TERM(LINES_AGAIN) | TERM(RUNS) | TERM(STRAIGHT_RUNS))
#define TO_CACHE   (READING | TERM(LINES_WRITTEN) | TERM(LINES_IN_PARTS))

static double lines_of(const estimate *made, double bytes) {
  return bytes / (double)made->many->device->facts.line_bytes;
}

static const rlt_rates *rates_of(const estimate *made, int64_t bytes) {
  const int32_t most = RLT_WORD_SIZES - 1;
  const int32_t number = rlt_word_size_number(rlt_max(bytes, 1));
  return &made->many->device->tuning->words[number < most ? number : most].rates;
}

static void add_rate(estimate *made, int t, rlt_rate rate, double weight) {
  made->is_mixed[t] =
      made->is_mixed[t] || (made->rates[t] != RLT_RATE_NONE && made->rates[t] != rate);
  made->rates[t] = rate;
  made->weights[t] += weight;
}

/* Adds `count` items to a term. Each costs `times` the rate for words of `bytes` bytes. */
static void add_items(estimate *made, rlt_cost_term t, rlt_rate rate, int64_t bytes, double count,
                      double times) {
  if (count > 0) {
    made->cost.counts[t] += count;
    made->cost.times[t] += count * times * rates_of(made, bytes)->of[rate];
    add_rate(made, (int)t, rate, count * times);
  }
}

/* Adds lines that are read or written. Each costs as much as `each` copies of a line. */
static void add_lines(estimate *made, rlt_cost_term t, double lines, double each) {
  made->cost.counts[t] += lines;
  made->cost.times[t] += lines * each;
}

/* ---- Plans ---------------------------------------------------------------------------------- */

/* All terms of a plan but those that are left out. */
static void add_plan(estimate *made, const relayout_plan *plan, uint32_t left_out) {
  for (int32_t p = 0; plan != NULL && p < plan->work.part_count; ++p) {
    const rlt_candidate *const of = &plan->work.parts[p].variants[0].candidate;
    for (int t = 0; t < RLT_COST_TERMS; ++t) {
      const rlt_price price =
          rlt_cost_price(&made->many->device->facts, &of->schedule, (rlt_cost_term)t);
      if ((left_out >> t & 1) == 0 && of->cost.counts[t] > 0) {
        made->cost.counts[t] += of->cost.counts[t];
        made->cost.times[t] += of->cost.times[t] * of->cost.least_time;
        if (price.rate != RLT_RATE_NONE) {
          add_rate(made, t, price.rate, of->cost.counts[t] * price.times);
        }
      }
    }
  }
}

static void add_boxes(estimate *made, const rlt_box_plans *plans, uint32_t left_out) {
  for (int64_t i = 0; plans->of != NULL && i < made->many->boxes.count; ++i) {
    add_plan(made, plans->of[i].plan, left_out);
  }
}

/* ---- Sides ---------------------------------------------------------------------------------- */

static double elements_of(const rlt_many *many) {
  double count = 1;
  for (int32_t d = 0; d < many->boxes.rank; ++d) {
    count *= (double)many->boxes.all.sizes[d];
  }
  return count;
}

static double bytes_of(const rlt_used_bytes *used) {
  return used->is_used ? (double)used->bytes : 0;
}

static int64_t element_bytes(const relayout_scaled_view *side) {
  return rlt_has_blocks(side)
             ? 1
             : (int64_t)relayout_element_type_byte_size(side->elements.shape.element_type);
}

static bool finds_in_all(const rlt_many *many) {
  bool finds = false;
  for (int32_t i = 0; i < many->count; ++i) {
    finds = finds || many->to[i].finding == RLT_FINDS_IN_ALL;
  }
  return finds;
}

/* All that is read comes from memory once, or twice where scales are found before; and so the copy
 * that all is compared with has it once. */
static void add_reading(estimate *made) {
  const rlt_many *const many = made->many;
  double least = 0;
  for (int32_t s = 0; s <= many->count; ++s) {
    for (int32_t t = 0; t < RLT_SIDE_TENSORS; ++t) {
      const double lines = lines_of(made, bytes_of(&many->bytes[s][t]));
      least += lines;
      if (!many->bytes[s][t].is_written) {
        add_lines(made, RLT_COST_LINES_READ, lines, 0.5);
      }
    }
  }
  if (finds_in_all(many)) {
    add_lines(made, RLT_COST_LINES_READ, lines_of(made, bytes_of(&many->bytes[0][0])), 0.5);
  }
  made->cost.least_time = least / 2;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* What a product or a quotient of a scale takes, which is rounded once, and what finding the scale
 * of a record and dividing by it does: as many passes that convert. */
enum { SCALING = 2, RECORD = 4 };

/* A pass over all values of a row, from elements of so many bytes to others. */
static void add_pass(estimate *made, int64_t from, int64_t to) {
  const double wider = to > from ? (double)to / (double)from : 1;
  add_items(made, RLT_COST_REWORKS, RLT_RATE_REWORKED_ELEMENT, from, elements_of(made->many),
            wider);
}

enum { F32_BYTES = 4 };

/* f32s that are divided or multiplied, or become records. */
static void add_passes(estimate *made, double count) {
  add_items(made, RLT_COST_REWORKS, RLT_RATE_REWORKED_ELEMENT, F32_BYTES, elements_of(made->many),
            count);
}

/* Elements, or records, as f32s. */
static void add_values(estimate *made) {
  const rlt_many *const many = made->many;
  if (many->values_from == RLT_VALUES_OF_RECORDS) {
    add_pass(made, 1, F32_BYTES);
  } else if (many->converter != NULL) {
    add_pass(made, (int64_t)relayout_element_type_byte_size(many->row_type), F32_BYTES);
  }
}

static void add_scaled_values(estimate *made) {
  add_values(made);
  if (rlt_many_has_scales(made->many)) {
    add_passes(made, SCALING);
  }
}

/* What is written in place: a line that is larger than the cache and does not go past it is read
 * before. */
static void add_writing(estimate *made, int32_t number) {
  const rlt_many *const many = made->many;
  const double bytes = bytes_of(&many->bytes[number + 1][0]);
  const double cache = (double)many->device->facts.cache_bytes;
  const bool is_read = !many->to[number].streams && cache > 0 && bytes > cache;
  add_lines(made, RLT_COST_LINES_WRITTEN, lines_of(made, bytes), is_read ? 1 : 0.5);
}

static void add_scales(estimate *made, const rlt_destination *to) {
  add_boxes(made, &to->beside.scales, READING);
  add_boxes(made, &to->beside.points, READING);
  if (to->finding != RLT_FINDS_NOTHING) {
    add_scaled_values(made);
    add_pass(made, F32_BYTES, F32_BYTES);
    add_boxes(made, &to->found, READING);
    add_boxes(made, &to->found_points, READING);
    add_plan(made, to->all_found, READING);
    add_plan(made, to->all_found_points, READING);
  }
}

static void add_rows(estimate *made, int32_t number) {
  const rlt_many *const many = made->many;
  const rlt_destination *const to = &many->to[number];
  const int64_t bytes = element_bytes(&to->view);
  add_scales(made, to);
  if (to->is_rescaled) {
    add_values(made);
    add_passes(made, SCALING);
    add_pass(made, F32_BYTES, bytes);
  } else if (many->values_from == RLT_VALUES_OF_RECORDS) {
    add_values(made);
    add_pass(made, F32_BYTES, bytes);
  } else {
    add_pass(made, element_bytes(&many->from), bytes);
  }
  if (to->in_place) {
    add_writing(made, number);
  }
  add_boxes(made, &to->elements, FROM_CACHE);
}

static void add_destination(estimate *made, int32_t number) {
  const rlt_destination *const to = &made->many->to[number];
  switch (to->making) {
  case RLT_MAKES_BY_PLAN:
    add_boxes(made, &to->elements, number == 0 ? READING : FROM_CACHE);
    break;
  case RLT_MAKES_SHARED:
    add_boxes(made, &to->elements, FROM_CACHE);
    break;
  case RLT_MAKES_ROWS:
    add_rows(made, number);
    break;
  case RLT_MAKES_MOVED:
    add_writing(made, number);
    break;
  default:
    add_scaled_values(made);
    add_boxes(made, &to->arranged, FROM_CACHE | TO_CACHE);
    add_passes(made, RECORD);
    add_writing(made, number);
  }
}

static void estimate_rows(estimate *made) {
  const rlt_many *const many = made->many;
  const int passes = finds_in_all(many) ? 2 : 1;
  for (int p = 0; p < passes && many->has_rows; ++p) {
    add_boxes(made, &many->values, TO_CACHE);
    add_boxes(made, &many->beside.scales, READING);
    add_boxes(made, &many->beside.points, READING);
  }
  for (int32_t i = 0; i < many->count; ++i) {
    add_destination(made, i);
  }
}

/* ---- A kernel ------------------------------------------------------------------------------- */

/* Elements that lie together, in a box and in a side that has no tiles. */
static double run_of(const rlt_boxes *boxes, const relayout_scaled_view *side) {
  int32_t order[RELAYOUT_MAX_RANK] = {0};
  double run = 1;
  rlt_order_of(side, order);
  for (int32_t i = 0; i < boxes->rank; ++i) {
    run *= (double)boxes->sizes[order[i]];
    if (boxes->sizes[order[i]] < boxes->dimensions[order[i]]) {
      break;
    }
  }
  return run;
}

/* Runs of a side's elements, and the lines that each touches, and those that it covers. */
typedef struct touched {
  double runs;
  double lines;
  double whole;
} touched;

static touched touched_by(const estimate *made, int32_t side) {
  const rlt_many *const many = made->many;
  const relayout_scaled_view *const view = side == 0 ? &many->from : &many->to[side - 1].view;
  const int64_t line = many->device->facts.line_bytes;
  const double elements = elements_of(many), run = run_of(&many->boxes, view);
  const double each = bytes_of(&many->bytes[side][0]) / rlt_max((int64_t)elements, 1);
  const int64_t bytes = rlt_max((int64_t)(run * each), 1);
  touched of = {.runs = elements / run};
  of.lines = of.runs * rlt_units_touched(bytes, line, rlt_common_factor(line, bytes));
  of.whole = of.runs * (double)(bytes / line);
  return of;
}

/* Elements whose bits do not simply stay. */
static bool is_reworked(const rlt_many *many, const rlt_destination *to) {
  const bool keeps = rlt_has_blocks(&to->view) ? rlt_many_keeps_records(many, &to->view)
                                               : to->view.elements.shape.element_type ==
                                                     many->from.elements.shape.element_type;
  return to->view.has_scales || rlt_many_has_scales(many) || !keeps;
}

static void estimate_kernel(estimate *made) {
  const rlt_many *const many = made->many;
  const int64_t word = element_bytes(&many->from);
  const touched source = touched_by(made, 0);
  const double least = lines_of(made, bytes_of(&many->bytes[0][0]));
  add_items(made, RLT_COST_LINES_AGAIN, RLT_RATE_LINE_AGAIN, word,
            source.lines > least ? source.lines - least : 0, 1);
  add_items(made, RLT_COST_RUNS, RLT_RATE_RUN, word, source.runs, 1);
  add_items(made, RLT_COST_TILES, RLT_RATE_TILE, word, (double)many->boxes.count, 1);
  add_plan(made, many->moves[0], 0);
  for (int32_t i = 0; i < many->count; ++i) {
    const rlt_destination *const to = &many->to[i];
    const touched written = touched_by(made, i + 1);
    add_plan(made, many->moves[i + 1], 0);
    if (to->is_moved_alone) {
      continue;
    }
    add_lines(made, RLT_COST_LINES_WRITTEN, written.whole, 0.5);
    add_items(made, RLT_COST_LINES_IN_PARTS, RLT_RATE_LINE_IN_PARTS, word,
              written.lines - written.whole, 1);
    if (is_reworked(many, to)) {
      add_items(made, RLT_COST_REWORKS, RLT_RATE_REWORKED_ELEMENT, word, elements_of(many),
                to->finding == RLT_FINDS_NOTHING ? 1 : 2);
    }
  }
}

/* ---- All of it ------------------------------------------------------------------------------ */

static void make_estimate(const rlt_many *many, estimate *made) {
  *made = (estimate){.many = many};
  add_reading(made);
  if (many->on_device != NULL) {
    estimate_kernel(made);
  } else {
    estimate_rows(made);
  }
  double time = 0;
  for (int t = 0; t < RLT_COST_TERMS; ++t) {
    made->cost.times[t] /= made->cost.least_time > 0 ? made->cost.least_time : 1;
    time += made->cost.times[t];
  }
  made->cost.fraction = time > 1 ? 1 / time : 1;
}

void rlt_many_estimate(const rlt_many *many, rlt_cost *cost) {
  estimate made;
  make_estimate(many, &made);
  *cost = made.cost;
}

void rlt_many_visit_costs(const rlt_many *many, relayout_cost_visitor visitor, void *context) {
  estimate made;
  make_estimate(many, &made);
  for (int t = 0; t < RLT_COST_TERMS; ++t) {
    const rlt_rate rate = made.is_mixed[t] ? RLT_RATE_NONE : made.rates[t];
    const double least = made.cost.least_time > 0 ? made.cost.least_time : 1;
    const relayout_cost cost = {.struct_size = sizeof cost,
                                .name = rlt_cost_name((rlt_cost_term)t),
                                .rate = rlt_rate_name(rate),
                                .count = made.cost.counts[t],
                                .weight = rate == RLT_RATE_NONE ? 0 : made.weights[t] / least,
                                .time = made.cost.times[t]};
    visitor(context, &cost);
  }
}
