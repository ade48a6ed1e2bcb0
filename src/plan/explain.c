/* explain.c: a plan in words and in JSON. Both are made from one summary, so
 * they cannot disagree. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/float_control.h"
#include "base/text.h"
#include "metadata/view.h"
#include "plan/many.h"
#include "plan/plan.h"
#include "schedule/schedule_text.h"
#include "search/learner.h"
#include "search/method.h"

typedef struct summary {
  relayout_device_info device;
  rlt_totals bytes;
  rlt_host_transfers transfers;
  rlt_plan_views views;
  char fill[2 * RELAYOUT_MAX_ELEMENT_SIZE + 1];
} summary;

static bool is_swapped(const relayout_view *view) {
  return rlt_is_swapped(view->shape.element_type, view->byte_order);
}

static void summarize(const relayout_plan *plan, summary *s) {
  *s = (summary){.device = plan->device->info, .bytes = rlt_plan_totals(plan)};
  rlt_plan_get_views(plan, &s->views);
  if (plan->work.part_count == 0) {
    return;
  }
  if (plan->device->backend->host_transfers != NULL && !rlt_plan_leaves_host_memory(plan)) {
    s->transfers = plan->device->backend->host_transfers(plan);
  }
  /* The bits as a number, most significant first, as PV(0x...) takes them. */
  const rlt_problem *const problem = rlt_part_problem(&plan->work.parts[0]);
  const int64_t bytes = rlt_problem_destination_bytes(problem);
  for (int64_t b = 0; b < bytes; ++b) {
    const bool is_lowest_first =
        (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != is_swapped(&s->views.to);
    const int64_t at = is_lowest_first ? bytes - 1 - b : b;
    snprintf(s->fill + 2 * b, 3, "%02x", problem->fill[at]);
  }
}

static void add_shape(rlt_text *text, const relayout_shape *shape) {
  char name[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_shape_format(shape, name, sizeof name);
  rlt_text_add(text, "%s", name);
}

static void add_numbers(rlt_text *text, const int64_t *numbers, int32_t count) {
  for (int32_t i = 0; i < count; ++i) {
    rlt_text_add(text, "%s%" PRId64, i == 0 ? "" : ",", numbers[i]);
  }
}

/* ---- English ---- */

static void add_conversion_text(rlt_text *text, const rlt_problem *problem) {
  static const char other[] = " in the other byte order";
  const rlt_conversion *const of = &problem->conversion;
  if (rlt_problem_only_swaps(problem)) {
    rlt_text_add(text, "  bytes of each word reversed, into the other byte order\n");
    return;
  }
  rlt_text_add(text, "  converted from %s%s to %s%s", relayout_element_type_name(of->from),
               problem->source_swapped ? other : "", relayout_element_type_name(of->to),
               problem->destination_swapped ? other : "");
  if (of->scale != 1) {
    rlt_text_add(text, ", times ");
    rlt_text_add_double(text, "%.17g", of->scale);
  }
  rlt_text_add(text, "%s%s\n", of->rounds_to_nearest ? ", to nearest" : "",
               of->wraps ? ", wrapping" : "");
}

/* What happens to elements that change on their way. */
static void add_elements_text(rlt_text *text, const rlt_problem *problem) {
  static const char high[] = ", high bits first";
  if (problem->source_packed > 0) {
    rlt_text_add(text, "  unpacked from %" PRId64 " bits each%s\n", problem->source_packed,
                 problem->source_high ? high : "");
  }
  if (rlt_converts(&problem->conversion)) {
    add_conversion_text(text, problem);
  }
  if (problem->destination_packed > 0) {
    rlt_text_add(text, "  packed into %" PRId64 " bits each%s\n", problem->destination_packed,
                 problem->destination_high ? high : "");
  }
  if (problem->reversed_bits > 0) {
    rlt_text_add(text, "  each byte's elements of %" PRId64 " bit%s reversed\n",
                 problem->reversed_bits, problem->reversed_bits == 1 ? "" : "s");
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
    if (last && group->steps < extent) {
      rlt_text_add(text, " (%" PRId64 " steps of it)", group->steps);
    }
  }
}

static void add_tiles_text(rlt_text *text, const rlt_schedule *schedule) {
  const rlt_problem *const problem = schedule->problem;
  const int64_t rows = rlt_group_length(&schedule->rows);
  const int64_t columns = rlt_group_length(&schedule->columns);
  rlt_text_add(text, "tiles: %" PRId64 " of %" PRId64 " row%s", schedule->tile_count, rows,
               rows == 1 ? "" : "s");
  add_group_text(text, problem, &schedule->rows);
  rlt_text_add(text, " by %" PRId64 " column%s", columns, columns == 1 ? "" : "s");
  add_group_text(text, problem, &schedule->columns);
  rlt_text_add(text, "\n");
}

static void add_prediction_text(rlt_text *text, const rlt_variant *variant) {
  rlt_text_add(text, "predicted: ");
  rlt_cost_add_text(&variant->candidate.cost, text);
}

/* What runs, as the device's target has it, or the one that compiled it. */
static void add_runs(const relayout_plan *plan, const rlt_variant *variant, rlt_text *text) {
  const relayout_device *const planner = rlt_planner_of(plan->device);
  planner->backend->executable_describe(planner, variant->executable, text);
  if (plan->device->backend->kernels_of_plan > 0) {
    rlt_text_add(text, ", in one native kernel%s",
                 plan->work.part_count > 1 ? " with the other parts" : "");
  }
}

static void add_runs_text(rlt_text *text, const relayout_plan *plan, const rlt_variant *variant) {
  rlt_text_add(text, "runs: ");
  add_runs(plan, variant, text);
  rlt_text_add(text, "\n");
}

/* Adds one line about a part besides its schedule, by number; false after the last. */
static bool add_line(rlt_text *text, const relayout_plan *plan, const rlt_variant *variant,
                     int number) {
  switch (number) {
  case 0:
    add_tiles_text(text, &variant->candidate.schedule);
    return true;
  case 1:
    add_prediction_text(text, variant);
    return true;
  case 2:
    add_runs_text(text, plan, variant);
    return true;
  default:
    return false;
  }
}

/* Leaves out the lines that `before` has too, if it is not NULL. */
static void add_variant_text(rlt_text *text, const relayout_plan *plan, const rlt_variant *variant,
                             const rlt_variant *before) {
  rlt_text_add(text, "schedule: ");
  rlt_schedule_add_text(&variant->candidate.schedule, text);
  rlt_text_add(text, "\n");
  char line[1024];
  rlt_text own = rlt_text_in(line, sizeof line);
  for (int i = 0; add_line(&own, plan, variant, i); ++i) {
    char other[sizeof line];
    rlt_text old = rlt_text_in(other, sizeof other);
    const bool is_there = before != NULL && add_line(&old, plan, before, i) &&
                          own.length < sizeof line && strcmp(line, other) == 0;
    if (!is_there) {
      add_line(text, plan, variant, i);
    }
    own = rlt_text_in(line, sizeof line);
  }
}

/* Who chose a part's schedule, and why. */
static const struct {
  const char *name;
  const char *reason;
} choices[] = {
    [RLT_CHOICE_ESTIMATED] = {"estimate", "it is predicted to be the fastest"},
    [RLT_CHOICE_MEASURED] = {"measure", "it was measured to be the fastest of those that were run"},
    [RLT_CHOICE_REMEMBERED] = {"wisdom", "it is remembered as the fastest of those that were run"},
    [RLT_CHOICE_ASKED_FOR] = {"caller", "it was asked for"},
    [RLT_CHOICE_LEARNED] = {"calls", "calls of this plan were the fastest by it"}};

static const rlt_variant *variant_of(const rlt_part *part, int32_t number) {
  return rlt_variant_now(&part->variants[number]);
}

static rlt_choice choice_of(const rlt_part *part) {
  return variant_of(part, 0) == &part->variants[0] ? part->choice : RLT_CHOICE_LEARNED;
}

static const char *reason_of(const rlt_part *part) {
  const rlt_schedule *const schedule = &variant_of(part, 0)->candidate.schedule;
  const rlt_choice choice = choice_of(part);
  return choice == RLT_CHOICE_ESTIMATED && schedule->suits ? schedule->reason
                                                           : choices[choice].reason;
}

/* What a variant's calls have tried, if they have. */
static void add_learning_text(rlt_text *text, const rlt_variant *variant) {
  const rlt_learning learning = rlt_variant_learning(variant);
  if (learning.schedules > 0) {
    rlt_text_add(text,
                 "learning: %" PRId32 " of %" PRId32 " calls have tried %" PRId32
                 " schedules, and took ",
                 learning.trials, learning.of_trials, learning.schedules);
    rlt_text_add_double(text, "%.3g", 1e3 * learning.seconds);
    rlt_text_add(text, " ms longer in all than by the fastest\n");
  }
}

/* When a part uses its other schedule instead of this one. */
static void add_condition_text(rlt_text *text, const rlt_schedule *schedule) {
  const int64_t source = schedule->source_alignment;
  const int64_t destination = schedule->destination_alignment;
  if (source > 1 && destination > 1) {
    rlt_text_add(text,
                 "if the source is not %" PRId64 "-byte aligned, or the destination not %" PRId64
                 "-byte aligned:\n",
                 source, destination);
  } else {
    rlt_text_add(text, "if the %s is not %" PRId64 "-byte aligned:\n",
                 source > 1 ? "source" : "destination", source > 1 ? source : destination);
  }
}

static void add_part_text(rlt_text *text, const relayout_plan *plan, const rlt_part *part) {
  const rlt_variant *const first = variant_of(part, 0);
  const rlt_schedule *const schedule = &first->candidate.schedule;
  add_axes_text(text, schedule->problem);
  rlt_text_add(text, "method: %s, because %s\n", schedule->method->name, reason_of(part));
  add_variant_text(text, plan, first, NULL);
  add_learning_text(text, &part->variants[0]);
  if (part->variant_count > 1) {
    const rlt_variant *const second = variant_of(part, 1);
    add_condition_text(text, &part->variants[0].candidate.schedule);
    if (second->candidate.schedule.problem != schedule->problem) {
      add_axes_text(text, second->candidate.schedule.problem);
    }
    add_variant_text(text, plan, second, first);
    add_learning_text(text, &part->variants[1]);
  }
}

static void add_candidates_text(rlt_text *text, const relayout_plan *plan, int32_t part) {
  rlt_candidates candidates;
  (void)rlt_plan_candidates(plan, part, &candidates, NULL);
  rlt_text_add(text, "offered:\n");
  for (int32_t i = 0; i < candidates.count; ++i) {
    rlt_text_add(text, "  ");
    rlt_text_add_double(text, "%.2f", candidates.of[i].cost.fraction);
    rlt_text_add(text, "  ");
    rlt_schedule_add_text(&candidates.of[i].schedule, text);
    rlt_text_add(text, "\n");
  }
  rlt_candidates_free(&candidates);
}

static void add_view(rlt_text *text, const char *side, const relayout_view *view) {
  rlt_text_add(text, "%s", side);
  add_shape(text, &view->shape);
  if (view->is_strided) {
    rlt_text_add(text, ", byte strides ");
    add_numbers(text, view->byte_strides, view->shape.rank);
  }
  if (view->byte_offset != 0) {
    rlt_text_add(text, ", from byte %" PRId64 " on", view->byte_offset);
  }
  if (is_swapped(view)) {
    rlt_text_add(text, ", %s-endian", rlt_byte_order_name(view->byte_order));
  }
}

/* The summary, in one sentence. */
static void add_sentence(rlt_text *text, const relayout_plan *plan, const summary *s) {
  const int32_t parts = plan->work.part_count;
  rlt_text_add(text, "%s", relayout_plan_get_method(plan));
  if (parts > 1) {
    rlt_text_add(text, " in %" PRId32 " parts", parts);
  }
  rlt_text_add(text, " on %s, predicted to reach ",
               s->device.name[0] != '\0' ? s->device.name : "the device");
  rlt_text_add_double(text, "%.2f", relayout_plan_get_predicted_fraction(plan));
  rlt_text_add(text, " of a plain copy's speed\n");
}

static void add_host_memory_text(rlt_text *text, const relayout_plan *plan,
                                 const rlt_host_transfers *transfers) {
  if (rlt_plan_leaves_host_memory(plan)) {
    rlt_text_add(text,
                 "host memory: moved by the CPU backend, since the device does not share it\n");
  } else if (transfers->boxes > 0) {
    rlt_text_add(text,
                 "host memory: %" PRId64 " bytes up and %" PRId64 " down, in %" PRId64 " box%s\n",
                 transfers->bytes_up, transfers->bytes_down, transfers->boxes,
                 transfers->boxes == 1 ? "" : "es");
  }
}

static void explain_text(const relayout_plan *plan, const summary *s, bool with_offers,
                         rlt_text *text) {
  const rlt_work *const work = &plan->work;
  if (work->part_count > 0) {
    add_sentence(text, plan, s);
  }
  add_view(text, "from ", &s->views.from);
  add_view(text, "\nto   ", &s->views.to);
  if (plan->box != NULL) {
    rlt_text_add(text, "\nbox: indices from ");
    add_numbers(text, plan->box->start, s->views.to.shape.rank);
    rlt_text_add(text, " on, ");
    add_numbers(text, plan->box->sizes, s->views.to.shape.rank);
    rlt_text_add(text, " of them");
  }
  if (work->part_count == 0) {
    rlt_text_add(text, "\nbytes: nothing to write\n");
    return;
  }
  rlt_text_add(text, "\nbytes: %" PRId64 " read, %" PRId64 " written", s->bytes.read,
               s->bytes.written);
  if (s->bytes.padding > 0) {
    rlt_text_add(text, ", of which %" PRId64 " are padding, each element 0x%s", s->bytes.padding,
                 s->fill);
  }
  rlt_text_add(text, "\ndevice: %s (%s)\n", s->device.name, s->device.description);
  add_host_memory_text(text, plan, &s->transfers);
  for (int32_t i = 0; i < work->part_count; ++i) {
    if (work->part_count > 1) {
      rlt_text_add(text, "part %" PRId32 " of %" PRId32 "\n", i + 1, work->part_count);
    }
    add_part_text(text, plan, &work->parts[i]);
    if (with_offers) {
      add_candidates_text(text, plan, i);
    }
  }
}

/* ---- JSON ---- */

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

static void add_schedule_json(rlt_text *text, const rlt_schedule *schedule) {
  char name[RLT_SCHEDULE_TEXT_SIZE];
  rlt_text name_text = rlt_text_in(name, sizeof name);
  rlt_schedule_add_text(schedule, &name_text);
  rlt_text_add_json_string(text, name);
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

static void add_prediction_json(rlt_text *text, const rlt_cost *cost) {
  rlt_text_add(text, ",\"predicted_fraction\":");
  rlt_text_add_double(text, "%.9g", cost->fraction);
  add_terms_json(text, "counts", cost->counts);
  add_terms_json(text, "times", cost->times);
}

static void add_candidates_json(rlt_text *text, const relayout_plan *plan, int32_t part,
                                bool *is_first) {
  rlt_candidates candidates;
  (void)rlt_plan_candidates(plan, part, &candidates, NULL);
  for (int32_t i = 0; i < candidates.count; ++i) {
    const rlt_candidate *const one = &candidates.of[i];
    rlt_text_add(text, "%s{\"part\":%" PRId32 ",\"text\":", *is_first ? "" : ",", part);
    *is_first = false;
    add_schedule_json(text, &one->schedule);
    rlt_text_add(text, ",\"method\":\"%s\"", one->schedule.method->name);
    add_prediction_json(text, &one->cost);
    rlt_text_add(text, "}");
  }
  rlt_candidates_free(&candidates);
}

static void add_elements_json(rlt_text *text, const rlt_problem *problem) {
  rlt_text_add(text,
               "\"element_bytes\":%" PRId64 ",\"source_bits\":%" PRId64
               ",\"destination_bits\":%" PRId64 ",\"converts\":%s,",
               problem->element_bytes, rlt_problem_source_bits(problem),
               rlt_problem_destination_bits(problem),
               rlt_converts(&problem->conversion) ? "true" : "false");
}

static void add_part_json(rlt_text *text, const relayout_plan *plan, const rlt_part *part) {
  const rlt_variant *const first = variant_of(part, 0);
  const rlt_candidate *const candidate = &first->candidate;
  const rlt_schedule *const schedule = &candidate->schedule;
  rlt_text_add(text, "{");
  add_elements_json(text, schedule->problem);
  add_axes_json(text, schedule->problem);
  rlt_text_add(text, ",\"method\":\"%s\",\"reason\":", schedule->method->name);
  rlt_text_add_json_string(text, reason_of(part));
  rlt_text_add(text, ",\"chosen_by\":\"%s\",\"schedule\":", choices[choice_of(part)].name);
  add_schedule_json(text, schedule);
  rlt_text_add(text, ",\"schedule_at_any_offset\":");
  add_schedule_json(text, &variant_of(part, part->variant_count - 1)->candidate.schedule);
  char runs[512];
  rlt_text runs_text = rlt_text_in(runs, sizeof runs);
  add_runs(plan, first, &runs_text);
  rlt_text_add(text, ",\"tiles\":%" PRId64 ",\"device_runs\":", schedule->tile_count);
  rlt_text_add_json_string(text, runs);
  add_prediction_json(text, &candidate->cost);
  rlt_text_add(text, "}");
}

static void add_parts_json(rlt_text *text, const relayout_plan *plan) {
  const rlt_work *const work = &plan->work;
  rlt_text_add(text, ",\"schedule\":[");
  for (int32_t i = 0; i < work->part_count; ++i) {
    rlt_text_add(text, i == 0 ? "" : ",");
    add_schedule_json(text, &variant_of(&work->parts[i], 0)->candidate.schedule);
  }
  rlt_text_add(text, "],\"parts\":[");
  for (int32_t i = 0; i < work->part_count; ++i) {
    rlt_text_add(text, i == 0 ? "" : ",");
    add_part_json(text, plan, &work->parts[i]);
  }
  rlt_text_add(text, "]");
}

static void add_view_json(rlt_text *text, const char *side, const relayout_view *view) {
  rlt_text_add(text, "\"%s\":\"", side);
  add_shape(text, &view->shape);
  rlt_text_add(text, "\",");
  if (view->is_strided) {
    rlt_text_add(text, "\"%s_byte_strides\":[", side);
    add_numbers(text, view->byte_strides, view->shape.rank);
    rlt_text_add(text, "],");
  }
  if (view->byte_offset != 0) {
    rlt_text_add(text, "\"%s_byte_offset\":%" PRId64 ",", side, view->byte_offset);
  }
  if (is_swapped(view)) {
    rlt_text_add(text, "\"%s_byte_order\":\"%s\",", side, rlt_byte_order_name(view->byte_order));
  }
}

/* null where the device works on host memory in place. */
static void add_transfers_json(rlt_text *text, const rlt_host_transfers *transfers) {
  if (transfers->boxes == 0) {
    rlt_text_add(text, ",\"host_memory\":null");
    return;
  }
  rlt_text_add(text,
               ",\"host_memory\":{\"boxes\":%" PRId64 ",\"bytes_up\":%" PRId64
               ",\"bytes_down\":%" PRId64 "}",
               transfers->boxes, transfers->bytes_up, transfers->bytes_down);
}

static void explain_json(const relayout_plan *plan, const summary *s, bool with_offers,
                         rlt_text *text) {
  rlt_text_add(text, "{");
  add_view_json(text, "from", &s->views.from);
  add_view_json(text, "to", &s->views.to);
  if (plan->box != NULL) {
    rlt_text_add(text, "\"start\":[");
    add_numbers(text, plan->box->start, s->views.to.shape.rank);
    rlt_text_add(text, "],\"sizes\":[");
    add_numbers(text, plan->box->sizes, s->views.to.shape.rank);
    rlt_text_add(text, "],");
  }
  rlt_text_add(text, "\"device\":");
  rlt_text_add_json_string(text, s->device.name);
  rlt_text_add(text, ",\"device_description\":");
  rlt_text_add_json_string(text, s->device.description);
  rlt_text_add(text,
               ",\"bytes_read\":%" PRId64 ",\"bytes_written\":%" PRId64
               ",\"padding_bytes\":%" PRId64 ",\"predicted_fraction\":",
               s->bytes.read, s->bytes.written, s->bytes.padding);
  rlt_text_add_double(text, "%.9g", relayout_plan_get_predicted_fraction(plan));
  if (s->bytes.padding > 0) {
    rlt_text_add(text, ",\"fill\":\"0x%s\"", s->fill);
  } else {
    rlt_text_add(text, ",\"fill\":null");
  }
  add_transfers_json(text, &s->transfers);
  add_parts_json(text, plan);
  if (with_offers) {
    bool is_first = true;
    rlt_text_add(text, ",\"schedules\":[");
    for (int32_t i = 0; i < plan->work.part_count; ++i) {
      add_candidates_json(text, plan, i, &is_first);
    }
    rlt_text_add(text, "]");
  }
  rlt_text_add(text, "}");
}

size_t relayout_plan_explain(const relayout_plan *plan, relayout_explain_form form, char *buffer,
                             size_t capacity) {
  rlt_text text = rlt_text_in(buffer, capacity);
  if (plan == NULL) {
    return 0;
  }
  if (plan->many != NULL) {
    rlt_many_explain(plan, form, &text);
    return text.length;
  }
  const rlt_float_control was = rlt_floats_enter();
  const bool with_offers =
      form == RELAYOUT_EXPLAIN_SCHEDULES_TEXT || form == RELAYOUT_EXPLAIN_SCHEDULES_JSON;
  summary s;
  summarize(plan, &s);
  if (form == RELAYOUT_EXPLAIN_JSON || form == RELAYOUT_EXPLAIN_SCHEDULES_JSON) {
    explain_json(plan, &s, with_offers, &text);
  } else {
    explain_text(plan, &s, with_offers, &text);
  }
  rlt_floats_leave(was);
  return text.length;
}
