/* explain.c: a plan in words and in JSON. Both are made from one summary, so they cannot disagree. */
#include <inttypes.h>
#include <stdio.h>

#include "base/checked.h"
#include "base/text.h"
#include "plan/grid.h"
#include "plan/plan.h"

typedef struct summary {
  relayout_device_info device;
  int64_t bytes_read;
  int64_t bytes_written;
  int64_t padding_bytes; /* of those written */
  char fill[2 * RELAYOUT_MAX_ELEMENT_SIZE + 1];
  rlt_grid grid; /* unset for an empty plan */
  int64_t tile_rows;
  int64_t tile_columns;
} summary;

/* Elements with a source: exact without guards, which no pair of untiled shapes brings. */
static void count_bytes(const relayout_plan *plan, summary *s) {
  const rlt_problem *problem = &plan->problem;
  int64_t valid = 1;
  int64_t extent = 1;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    valid *= problem->axes[a].valid;
    extent *= problem->axes[a].extent;
  }
  s->bytes_read = valid * problem->element_bytes;
  s->bytes_written = (problem->fills ? extent : valid) * problem->element_bytes;
  s->padding_bytes = s->bytes_written - s->bytes_read;
}

static void summarize(const relayout_plan *plan, summary *s) {
  const rlt_problem *problem = &plan->problem;
  *s = (summary){.device = RELAYOUT_DEVICE_INFO_INIT};
  plan->device->backend->get_info(plan->device, &s->device);
  if (plan->empty) {
    return;
  }
  count_bytes(plan, s);
  /* The bits as a number, most significant first, as PV(0x...) takes them. */
  for (int64_t b = 0; b < problem->element_bytes; ++b) {
    const uint16_t one = 1;
    const bool little_endian = *(const uint8_t *)&one == 1;
    const int64_t at = little_endian ? problem->element_bytes - 1 - b : b;
    snprintf(s->fill + 2 * b, 3, "%02x", problem->fill[at]);
  }
  rlt_grid_make(problem, &plan->strategy, &s->grid);
  s->tile_rows = rlt_group_length(&plan->strategy.rows);
  s->tile_columns = rlt_group_length(&plan->strategy.columns);
}

static void add_shape(rlt_text *text, const relayout_shape *shape) {
  char name[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_shape_format(shape, name, sizeof name);
  rlt_text_add(text, "%s", name);
}

/* ---- English ---- */

static void add_axes_text(rlt_text *text, const rlt_problem *problem) {
  rlt_text_add(text, "problem: %" PRId64 "-byte elements along %" PRId32 " %s\n",
               problem->element_bytes, problem->axis_count,
               problem->axis_count == 1 ? "axis" : "axes");
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
  rlt_text_add(text, "%.2f of a plain copy; takes %.2f:", cost->fraction, sum);
  const char *join = " ";
  for (int t = 0; t < RLT_COST_TERMS; ++t) {
    if (cost->times[t] >= 0.005) {
      rlt_text_add(text, "%s%.2f for %.0f %s", join, cost->times[t], cost->counts[t],
                   rlt_cost_name((rlt_cost_term)t));
      join = ", ";
    }
  }
  rlt_text_add(text, "\n");
}

static void add_candidates_text(rlt_text *text, const relayout_plan *plan) {
  const rlt_candidates *const made = &plan->candidates;
  if (plan->choice != RLT_CHOICE_ESTIMATED) {
    rlt_text_add(text, "measured: the fastest of those that were run%s\n",
                 plan->choice == RLT_CHOICE_REMEMBERED ? ", and remembered" : "");
  }
  rlt_text_add(text, "predicted: ");
  add_cost_text(text, &made->of[plan->chosen].cost);
  for (int32_t i = 0; i < made->count; ++i) {
    if (i == plan->chosen) {
      continue;
    }
    const rlt_strategy *const other = &made->of[i].strategy;
    rlt_text_add(text, "instead of %s%s, %" PRId64 " by %" PRId64 ": ",
                 relayout_strategy_name(other->kind), other->assembles ? ", assembled" : "",
                 rlt_group_length(&other->rows), rlt_group_length(&other->columns));
    add_cost_text(text, &made->of[i].cost);
  }
}

static void explain_text(const relayout_plan *plan, const summary *s, rlt_text *text) {
  rlt_text_add(text, "from ");
  add_shape(text, &plan->from);
  rlt_text_add(text, "\nto   ");
  add_shape(text, &plan->to);
  if (plan->empty) {
    rlt_text_add(text, "\nbytes: nothing to write\n");
    return;
  }
  rlt_text_add(text, "\nbytes: %" PRId64 " read, %" PRId64 " written", s->bytes_read,
               s->bytes_written);
  if (s->padding_bytes > 0) {
    rlt_text_add(text, ", of which %" PRId64 " are padding, each element 0x%s", s->padding_bytes,
                 s->fill);
  }
  rlt_text_add(text, "\n");
  add_axes_text(text, &plan->problem);
  rlt_text_add(text, "strategy: %s, because %s\n", relayout_strategy_name(plan->strategy.kind),
               plan->strategy.reason);
  rlt_text_add(text, "tiles: %" PRId64 " of %" PRId64 " row%s", s->grid.tile_count, s->tile_rows,
               s->tile_rows == 1 ? "" : "s");
  add_group_text(text, &plan->problem, &plan->strategy.rows);
  rlt_text_add(text, " by %" PRId64 " column%s", s->tile_columns, s->tile_columns == 1 ? "" : "s");
  add_group_text(text, &plan->problem, &plan->strategy.columns);
  rlt_text_add(text, "\n");
  add_candidates_text(text, plan);
  rlt_text_add(text, "device: %s (%s)\nruns: ", s->device.name, s->device.description);
  plan->device->backend->program_describe(plan->device, plan->program, text);
  rlt_text_add(text, "\n");
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
    rlt_text_add(text, "\":%.9g", terms[t]);
  }
  rlt_text_add(text, "}");
}

static void add_candidates_json(rlt_text *text, const relayout_plan *plan) {
  static const char *const choice_names[] = {[RLT_CHOICE_ESTIMATED] = "estimate",
                                             [RLT_CHOICE_MEASURED] = "measure",
                                             [RLT_CHOICE_REMEMBERED] = "winner"};
  const rlt_candidates *const made = &plan->candidates;
  rlt_text_add(text, ",\"chosen_by\":\"%s\",\"predicted_fraction\":%.9g,\"candidates\":[",
               choice_names[plan->choice], relayout_plan_get_predicted_fraction(plan));
  for (int32_t i = 0; i < made->count; ++i) {
    const rlt_candidate *const one = &made->of[i];
    rlt_text_add(text,
                 "%s{\"strategy\":\"%s\",\"assembles\":%s,\"rows\":%" PRId64 ",\"columns\":%" PRId64
                 ",\"chosen\":%s,\"predicted_fraction\":%.9g",
                 i == 0 ? "" : ",", relayout_strategy_name(one->strategy.kind),
                 one->strategy.assembles ? "true" : "false", rlt_group_length(&one->strategy.rows),
                 rlt_group_length(&one->strategy.columns), i == plan->chosen ? "true" : "false",
                 one->cost.fraction);
    add_terms_json(text, "counts", one->cost.counts);
    add_terms_json(text, "times", one->cost.times);
    rlt_text_add(text, "}");
  }
  rlt_text_add(text, "]");
}

static void explain_json(const relayout_plan *plan, const summary *s, rlt_text *text) {
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
               ",\"padding_bytes\":%" PRId64 ",\"element_bytes\":%" PRId64 ",",
               s->bytes_read, s->bytes_written, s->padding_bytes, plan->problem.element_bytes);
  add_axes_json(text, &plan->problem);
  if (s->padding_bytes > 0) {
    rlt_text_add(text, ",\"fill\":\"0x%s\"", s->fill);
  } else {
    rlt_text_add(text, ",\"fill\":null");
  }
  rlt_text_add(text, ",\"reason\":");
  rlt_text_add_json_string(text, plan->strategy.reason);
  if (plan->empty) {
    rlt_text_add(text, ",\"strategy\":null,\"tiles\":0,\"device_runs\":null");
    add_candidates_json(text, plan);
    rlt_text_add(text, "}");
    return;
  }
  rlt_text_add(text, ",\"strategy\":\"%s\",\"tiles\":%" PRId64 ",\"tile\":{",
               relayout_strategy_name(plan->strategy.kind), s->grid.tile_count);
  add_group_json(text, "rows", &plan->strategy.rows);
  rlt_text_add(text, ",");
  add_group_json(text, "columns", &plan->strategy.columns);
  char runs[512];
  rlt_text runs_text = rlt_text_in(runs, sizeof runs);
  plan->device->backend->program_describe(plan->device, plan->program, &runs_text);
  rlt_text_add(text, "},\"device_runs\":");
  rlt_text_add_json_string(text, runs);
  add_candidates_json(text, plan);
  rlt_text_add(text, "}");
}

size_t relayout_plan_explain(const relayout_plan *plan, relayout_explain_form form, char *buffer,
                             size_t capacity) {
  rlt_text text = rlt_text_in(buffer, capacity);
  if (plan == NULL) {
    return 0;
  }
  summary s;
  summarize(plan, &s);
  if (form == RELAYOUT_EXPLAIN_JSON) {
    explain_json(plan, &s, &text);
  } else {
    explain_text(plan, &s, &text);
  }
  return text.length;
}
