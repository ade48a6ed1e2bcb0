/* explain.c: a plan in words and in JSON. Both are made from one summary, so they cannot disagree. */
#include <inttypes.h>
#include <stdio.h>

#include "base/checked.h"
#include "base/float_control.h"
#include "base/text.h"
#include "plan/grid.h"
#include "plan/plan.h"

typedef struct summary {
  relayout_device_info device;
  int64_t bits_read;
  int64_t bits_written;
  int64_t bits_padding; /* of those written */
  char fill[2 * RELAYOUT_MAX_ELEMENT_SIZE + 1];
} summary;

/* Elements that a part reads and those that it writes. Steps are not followed: what they read is at most
 * every element of the source's shape. */
static void count_elements(const relayout_plan *plan, const rlt_problem *problem, int64_t *read,
                           int64_t *written) {
  *read = 1;
  *written = 1;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    *read *= problem->axes[a].valid;
    *written *= problem->axes[a].extent;
  }
  if (problem->steps != NULL) {
    *read = relayout_shape_element_count(&plan->from);
  }
  if (!problem->fills) {
    *written = *read;
  }
}

static void summarize(const relayout_plan *plan, summary *s) {
  *s = (summary){.device = RELAYOUT_DEVICE_INFO_INIT};
  plan->device->backend->get_info(plan->device, &s->device);
  for (int32_t i = 0; i < plan->work.part_count; ++i) {
    const rlt_problem *const problem = &plan->work.parts[i].problem;
    int64_t read = 0;
    int64_t written = 0;
    count_elements(plan, problem, &read, &written);
    s->bits_read += read * rlt_problem_source_bits(problem);
    s->bits_written += written * rlt_problem_destination_bits(problem);
    s->bits_padding += (written - read) * rlt_problem_destination_bits(problem);
  }
  if (plan->work.part_count == 0) {
    return;
  }
  /* The bits as a number, most significant first, as PV(0x...) takes them. */
  const rlt_problem *const problem = &plan->work.parts[0].problem;
  const int64_t bytes = rlt_problem_destination_bytes(problem);
  for (int64_t b = 0; b < bytes; ++b) {
    const uint16_t one = 1;
    const bool little_endian = *(const uint8_t *)&one == 1;
    const int64_t at = little_endian ? bytes - 1 - b : b;
    snprintf(s->fill + 2 * b, 3, "%02x", problem->fill[at]);
  }
}

static void add_shape(rlt_text *text, const relayout_shape *shape) {
  char name[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_shape_format(shape, name, sizeof name);
  rlt_text_add(text, "%s", name);
}

/* ---- English ---- */

/* What becomes of elements that do not arrive as they left. */
static void add_elements_text(rlt_text *text, const rlt_problem *problem) {
  if (problem->source_packed > 0) {
    rlt_text_add(text, "  unpacked from %" PRId64 " bits each\n", problem->source_packed);
  }
  if (problem->conversion.from != RELAYOUT_ELEMENT_TYPE_INVALID) {
    rlt_text_add(text, "  converted from %s to %s",
                 relayout_element_type_name(problem->conversion.from),
                 relayout_element_type_name(problem->conversion.to));
    if (problem->conversion.scale != 1) {
      rlt_text_add(text, ", times ");
      rlt_text_add_double(text, "%.17g", problem->conversion.scale);
    }
    rlt_text_add(text, problem->conversion.wraps ? ", wrapping\n" : "\n");
  }
  if (problem->destination_packed > 0) {
    rlt_text_add(text, "  packed into %" PRId64 " bits each\n", problem->destination_packed);
  }
}

static void add_axes_text(rlt_text *text, const rlt_problem *problem) {
  rlt_text_add(text, "problem: %" PRId64 "-byte elements along %" PRId32 " %s\n",
               problem->element_bytes, problem->axis_count,
               problem->axis_count == 1 ? "axis" : "axes");
  add_elements_text(text, problem);
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const rlt_axis *axis = &problem->axes[a];
    rlt_text_add(text, "  axis %" PRId32 ": extent %" PRId64, a, axis->extent);
    if (axis->valid < axis->extent) {
      rlt_text_add(text, ", of which %" PRId64 " have a source", axis->valid);
    }
    rlt_text_add(text, ", source stride %" PRId64 ", destination stride %" PRId64 "\n",
                 axis->source_stride, axis->destination_stride);
  }
}

static void add_group_text(rlt_text *text, const rlt_problem *problem, const rlt_group *group) {
  for (int32_t i = 0; i < group->axis_count; ++i) {
    const bool last = i == group->axis_count - 1;
    const int64_t extent = problem->axes[group->axes[i]].extent;
    rlt_text_add(text, "%s%" PRId32, i == 0 ? " of axis " : " and ", group->axes[i]);
    if (last && group->block < extent) {
      rlt_text_add(text, " (%" PRId64 " steps of it)", group->block);
    }
  }
}

/* What it takes, in plain copies of as many bytes, and what of that is none of the copy's. */
static void add_cost_text(rlt_text *text, const rlt_cost *cost) {
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

static void add_candidates_text(rlt_text *text, const rlt_part *part) {
  const rlt_candidates *const made = &part->candidates;
  if (part->choice != RLT_CHOICE_ESTIMATED) {
    rlt_text_add(text, "measured: the fastest of those that were run%s\n",
                 part->choice == RLT_CHOICE_REMEMBERED ? ", and remembered" : "");
  }
  rlt_text_add(text, "predicted: ");
  add_cost_text(text, &made->of[part->chosen].cost);
  for (int32_t i = 0; i < made->count; ++i) {
    if (i == part->chosen) {
      continue;
    }
    const rlt_strategy *const other = &made->of[i].strategy;
    rlt_text_add(text, "instead of %s%s, %" PRId64 " by %" PRId64 ": ",
                 relayout_strategy_name(other->kind), other->assembles ? ", assembled" : "",
                 rlt_group_length(&other->rows), rlt_group_length(&other->columns));
    add_cost_text(text, &made->of[i].cost);
  }
}

static void add_part_text(rlt_text *text, const relayout_plan *plan, const rlt_part *part) {
  const rlt_strategy *const strategy = &part->strategy;
  const int64_t rows = rlt_group_length(&strategy->rows);
  const int64_t columns = rlt_group_length(&strategy->columns);
  rlt_grid grid;
  rlt_grid_make(&part->problem, strategy, &grid);
  add_axes_text(text, &part->problem);
  rlt_text_add(text, "strategy: %s, because %s\n", relayout_strategy_name(strategy->kind),
               strategy->reason);
  rlt_text_add(text, "tiles: %" PRId64 " of %" PRId64 " row%s", grid.tile_count, rows,
               rows == 1 ? "" : "s");
  add_group_text(text, &part->problem, &strategy->rows);
  rlt_text_add(text, " by %" PRId64 " column%s", columns, columns == 1 ? "" : "s");
  add_group_text(text, &part->problem, &strategy->columns);
  rlt_text_add(text, "\n");
  add_candidates_text(text, part);
  rlt_text_add(text, "runs: ");
  plan->device->backend->program_describe(plan->device, part->program, text);
  rlt_text_add(text, "\n");
}

static void explain_text(const relayout_plan *plan, const summary *s, rlt_text *text) {
  const rlt_work *const work = &plan->work;
  rlt_text_add(text, "from ");
  add_shape(text, &plan->from);
  rlt_text_add(text, "\nto   ");
  add_shape(text, &plan->to);
  if (work->part_count == 0) {
    rlt_text_add(text, "\nbytes: nothing to write\n");
    return;
  }
  rlt_text_add(text, "\nbytes: %" PRId64 " read, %" PRId64 " written",
               rlt_divide_up(s->bits_read, 8), rlt_divide_up(s->bits_written, 8));
  if (s->bits_padding > 0) {
    rlt_text_add(text, ", of which %" PRId64 " are padding, each element 0x%s",
                 rlt_divide_up(s->bits_padding, 8), s->fill);
  }
  rlt_text_add(text, "\ndevice: %s (%s)\n", s->device.name, s->device.description);
  for (int32_t i = 0; i < work->part_count; ++i) {
    if (work->part_count > 1) {
      rlt_text_add(text, "part %" PRId32 " of %" PRId32 "\n", i + 1, work->part_count);
    }
    add_part_text(text, plan, &work->parts[i]);
  }
}

/* ---- JSON ---- */

static void add_group_json(rlt_text *text, const char *key, const rlt_group *group) {
  rlt_text_add(text, "\"%s\":{\"length\":%" PRId64 ",\"axes\":[", key, rlt_group_length(group));
  for (int32_t i = 0; i < group->axis_count; ++i) {
    rlt_text_add(text, "%s%" PRId32, i == 0 ? "" : ",", group->axes[i]);
  }
  rlt_text_add(text, "]}");
}

static void add_axes_json(rlt_text *text, const rlt_problem *problem) {
  rlt_text_add(text, "\"axes\":[");
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const rlt_axis *axis = &problem->axes[a];
    rlt_text_add(text,
                 "%s{\"extent\":%" PRId64 ",\"valid\":%" PRId64 ",\"source_stride\":%" PRId64
                 ",\"destination_stride\":%" PRId64 "}",
                 a == 0 ? "" : ",", axis->extent, axis->valid, axis->source_stride,
                 axis->destination_stride);
  }
  rlt_text_add(text, "]");
}

/* The names of the terms are keys: lines_read. */
static void add_terms_json(rlt_text *text, const char *key, const double *terms) {
  rlt_text_add(text, ",\"%s\":{", key);
  for (int t = 0; t < RLT_COST_TERMS; ++t) {
    rlt_text_add(text, "%s\"", t == 0 ? "" : ",");
    for (const char *letter = rlt_cost_name((rlt_cost_term)t); *letter != '\0'; ++letter) {
      rlt_text_add(text, "%c", *letter == ' ' ? '_' : *letter);
    }
    rlt_text_add(text, "\":");
    rlt_text_add_double(text, "%.9g", terms[t]);
  }
  rlt_text_add(text, "}");
}

static void add_candidates_json(rlt_text *text, const rlt_part *part) {
  const rlt_candidates *const made = &part->candidates;
  rlt_text_add(text, "\"candidates\":[");
  for (int32_t i = 0; i < made->count; ++i) {
    const rlt_candidate *const one = &made->of[i];
    rlt_text_add(text,
                 "%s{\"strategy\":\"%s\",\"assembles\":%s,\"rows\":%" PRId64 ",\"columns\":%" PRId64
                 ",\"chosen\":%s,\"predicted_fraction\":",
                 i == 0 ? "" : ",", relayout_strategy_name(one->strategy.kind),
                 one->strategy.assembles ? "true" : "false", rlt_group_length(&one->strategy.rows),
                 rlt_group_length(&one->strategy.columns), i == part->chosen ? "true" : "false");
    rlt_text_add_double(text, "%.9g", one->cost.fraction);
    add_terms_json(text, "counts", one->cost.counts);
    add_terms_json(text, "times", one->cost.times);
    rlt_text_add(text, "}");
  }
  rlt_text_add(text, "]");
}

static void add_elements_json(rlt_text *text, const rlt_problem *problem) {
  rlt_text_add(text,
               "\"element_bytes\":%" PRId64 ",\"source_bits\":%" PRId64
               ",\"destination_bits\":%" PRId64 ",\"converts\":%s,",
               problem->element_bytes, rlt_problem_source_bits(problem),
               rlt_problem_destination_bits(problem),
               problem->conversion.from == RELAYOUT_ELEMENT_TYPE_INVALID ? "false" : "true");
}

/* The members of an object. */
static void add_part_json(rlt_text *text, const relayout_plan *plan, const rlt_part *part) {
  static const char *const choice_names[] = {[RLT_CHOICE_ESTIMATED] = "estimate",
                                             [RLT_CHOICE_MEASURED] = "measure",
                                             [RLT_CHOICE_REMEMBERED] = "winner"};
  rlt_grid grid;
  rlt_grid_make(&part->problem, &part->strategy, &grid);
  add_elements_json(text, &part->problem);
  add_axes_json(text, &part->problem);
  rlt_text_add(text, ",\"reason\":");
  rlt_text_add_json_string(text, part->strategy.reason);
  rlt_text_add(text, ",\"strategy\":\"%s\",\"tiles\":%" PRId64 ",\"tile\":{",
               relayout_strategy_name(part->strategy.kind), grid.tile_count);
  add_group_json(text, "rows", &part->strategy.rows);
  rlt_text_add(text, ",");
  add_group_json(text, "columns", &part->strategy.columns);
  char runs[512];
  rlt_text runs_text = rlt_text_in(runs, sizeof runs);
  plan->device->backend->program_describe(plan->device, part->program, &runs_text);
  rlt_text_add(text, "},\"device_runs\":");
  rlt_text_add_json_string(text, runs);
  rlt_text_add(text, ",\"chosen_by\":\"%s\",", choice_names[part->choice]);
  add_candidates_json(text, part);
}

static void explain_json(const relayout_plan *plan, const summary *s, rlt_text *text) {
  const rlt_work *const work = &plan->work;
  rlt_text_add(text, "{\"from\":\"");
  add_shape(text, &plan->from);
  rlt_text_add(text, "\",\"to\":\"");
  add_shape(text, &plan->to);
  rlt_text_add(text, "\",\"device\":");
  rlt_text_add_json_string(text, s->device.name);
  rlt_text_add(text, ",\"device_description\":");
  rlt_text_add_json_string(text, s->device.description);
  rlt_text_add(text,
               ",\"bytes_read\":%" PRId64 ",\"bytes_written\":%" PRId64
               ",\"padding_bytes\":%" PRId64 ",\"predicted_fraction\":",
               rlt_divide_up(s->bits_read, 8), rlt_divide_up(s->bits_written, 8),
               rlt_divide_up(s->bits_padding, 8));
  rlt_text_add_double(text, "%.9g", relayout_plan_get_predicted_fraction(plan));
  rlt_text_add(text, ",");
  if (s->bits_padding > 0) {
    rlt_text_add(text, "\"fill\":\"0x%s\",", s->fill);
  } else {
    rlt_text_add(text, "\"fill\":null,");
  }
  if (work->part_count == 0) {
    rlt_text_add(text, "\"reason\":\"there is nothing to write\",\"strategy\":null,\"tiles\":0,"
                       "\"device_runs\":null,\"candidates\":[],\"other_parts\":[]}");
    return;
  }
  add_part_json(text, plan, &work->parts[0]);
  rlt_text_add(text, ",\"other_parts\":[");
  for (int32_t i = 1; i < work->part_count; ++i) {
    rlt_text_add(text, i == 1 ? "{" : ",{");
    add_part_json(text, plan, &work->parts[i]);
    rlt_text_add(text, "}");
  }
  rlt_text_add(text, "]}");
}

size_t relayout_plan_explain(const relayout_plan *plan, relayout_explain_form form, char *buffer,
                             size_t capacity) {
  rlt_text text = rlt_text_in(buffer, capacity);
  if (plan == NULL) {
    return 0;
  }
  const rlt_float_control was = rlt_floats_enter();
  summary s;
  summarize(plan, &s);
  if (form == RELAYOUT_EXPLAIN_JSON) {
    explain_json(plan, &s, &text);
  } else {
    explain_text(plan, &s, &text);
  }
  rlt_floats_leave(was);
  return text.length;
}
