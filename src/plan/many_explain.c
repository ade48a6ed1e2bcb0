/* many_explain.c: says what a plan of several destinations does. */
#include <inttypes.h>

#include "base/float_control.h"
#include "base/memory.h"
#include "metadata/shape_text.h"
#include "plan/many.h"

static const char *scales_text(const rlt_destination *to) {
  static const char *const found[] = {
      [RELAYOUT_SCALES_GIVEN] = "given",
      [RELAYOUT_SCALES_AMAX] = "amax / the greatest element",
      [RELAYOUT_SCALES_AMAX_UP] = "amax / the greatest element, rounded up",
      [RELAYOUT_SCALES_POWER2] = "the power of two of amax / the greatest element",
      [RELAYOUT_SCALES_RANGE] = "by the least value and the greatest, with zero points",
  };
  return to->view.has_scales ? found[to->view.rule] : NULL;
}

static void add_sizes(const rlt_boxes *boxes, const int64_t *sizes, rlt_text *text) {
  for (int32_t d = 0; d < boxes->rank; ++d) {
    rlt_text_add(text, "%s%" PRId64, d == 0 ? "" : ",", sizes[d]);
  }
}

static const char *const choices[] = {
    [RLT_CHOICE_ESTIMATED] = "estimate", [RLT_CHOICE_MEASURED] = "measure",
    [RLT_CHOICE_REMEMBERED] = "wisdom",  [RLT_CHOICE_ASKED_FOR] = "caller",
    [RLT_CHOICE_LEARNED] = "calls",
};

/* One sentence for all of it. */
static void add_sentence(const relayout_plan *plan, rlt_text *text) {
  relayout_device_info device = RELAYOUT_DEVICE_INFO_INIT;
  (void)relayout_device_get_info(plan->device, &device, NULL);
  rlt_text_add(text, RLT_MANY_METHOD " on %s, predicted to reach ",
               device.name[0] != '\0' ? device.name : "the device");
  rlt_text_add_double(text, "%.2f", relayout_plan_get_predicted_fraction(plan));
  rlt_text_add(text, " of a plain copy's speed\n");
}

/* Who chose the schedule, and what it is predicted to take. */
static void add_schedule(const rlt_many *many, rlt_text *text) {
  static const char *const reasons[] = {
      [RLT_CHOICE_ESTIMATED] = "it suits the device's caches",
      [RLT_CHOICE_MEASURED] = "it was measured to be the fastest of those that were run",
      [RLT_CHOICE_REMEMBERED] = "it is remembered as the fastest of those that were run",
      [RLT_CHOICE_ASKED_FOR] = "it was asked for",
      [RLT_CHOICE_LEARNED] = "calls were the fastest by it",
  };
  rlt_cost cost;
  rlt_many_estimate(many, &cost);
  rlt_text_add(text, "schedule: ");
  rlt_many_schedule_add_text(&many->schedule, text);
  rlt_text_add(text, "\n        because %s\npredicted: ", reasons[many->choice]);
  rlt_cost_add_text(&cost, text);
}

static void add_candidates(const relayout_plan *plan, rlt_text *text) {
  rlt_many_candidate *candidates = NULL;
  int32_t count = 0;
  (void)rlt_many_candidates(plan->many, &plan->request, &candidates, &count, NULL);
  rlt_text_add(text, "offered:\n");
  for (int32_t i = 0; i < count; ++i) {
    rlt_text_add(text, "  ");
    rlt_text_add_double(text, "%.2f", candidates[i].fraction);
    rlt_text_add(text, "  ");
    rlt_many_schedule_add_text(&candidates[i].schedule, text);
    rlt_text_add(text, "\n");
  }
  rlt_free(candidates);
}

static void explain_text(const relayout_plan *plan, bool with_offers, rlt_text *text) {
  const rlt_many *const many = plan->many;
  const rlt_boxes *const boxes = &many->boxes;
  if (rlt_many_has_schedule(many)) {
    add_sentence(plan, text);
  }
  rlt_text_add(text, "from    ");
  rlt_scaled_view_add_text(&many->from, text);
  if (many->factor != 1) {
    rlt_text_add(text, many->from.has_scales ? "\n        scales: each times "
                                             : "\n        scales: one for all, ");
    rlt_text_add_double(text, "%.9g", (double)many->factor);
  }
  for (int32_t i = 0; i < many->count; ++i) {
    const char *const scales = scales_text(&many->to[i]);
    rlt_text_add(text, "\nto      ");
    rlt_scaled_view_add_text(&many->to[i].view, text);
    if (scales != NULL) {
      rlt_text_add(
          text, "\n        scales: %s%s%s", scales,
          many->to[i].view.has_tensor_scale ? ", below the tensor scale" : "",
          many->to[i].finding == RLT_FINDS_IN_ALL ? "; the source is read once more for them" : "");
    }
  }
  if (rlt_boxes_range(boxes) != NULL) {
    rlt_text_add(text, "\nbox     indices from ");
    add_sizes(boxes, boxes->all.start, text);
    rlt_text_add(text, " on, ");
    add_sizes(boxes, boxes->all.sizes, text);
    rlt_text_add(text, " of them");
  }
  if (boxes->count == 0) {
    rlt_text_add(text, "\nboxes   none: %s\n",
                 rlt_boxes_are_none(boxes) ? "the range is empty"
                                           : "each destination is moved by itself");
    return;
  }
  rlt_text_add(text, "\nboxes   %" PRId64 " of [", boxes->count);
  add_sizes(boxes, boxes->sizes, text);
  rlt_text_add(text,
               "]: each is read from memory once, and every destination gets its part while it is "
               "in %s\n",
               many->on_device == NULL ? "the cache" : "local memory");
  add_schedule(many, text);
  if (with_offers) {
    add_candidates(plan, text);
  }
}

static void add_schedule_json(const relayout_plan *plan, rlt_text *text) {
  const rlt_many *const many = plan->many;
  rlt_text_add(text, ",\"predicted_fraction\":");
  rlt_text_add_double(text, "%.9g", relayout_plan_get_predicted_fraction(plan));
  rlt_text_add(text, ",\"method\":\"%s\",\"schedule\":[", relayout_plan_get_method(plan));
  if (rlt_many_has_schedule(many)) {
    rlt_text_add(text, "\"");
    rlt_many_schedule_add_text(&many->schedule, text);
    rlt_text_add(text, "\"");
  }
  rlt_text_add(text, "],\"chosen_by\":\"%s\"", choices[many->choice]);
}

static void add_candidates_json(const relayout_plan *plan, rlt_text *text) {
  rlt_many_candidate *candidates = NULL;
  int32_t count = 0;
  if (rlt_many_has_schedule(plan->many)) {
    (void)rlt_many_candidates(plan->many, &plan->request, &candidates, &count, NULL);
  }
  rlt_text_add(text, ",\"schedules\":[");
  for (int32_t i = 0; i < count; ++i) {
    rlt_text_add(text, "%s{\"part\":0,\"text\":\"", i > 0 ? "," : "");
    rlt_many_schedule_add_text(&candidates[i].schedule, text);
    rlt_text_add(text, "\",\"method\":\"" RLT_MANY_METHOD "\",\"predicted_fraction\":");
    rlt_text_add_double(text, "%.9g", candidates[i].fraction);
    rlt_text_add(text, "}");
  }
  rlt_text_add(text, "]");
  rlt_free(candidates);
}

static void explain_json(const relayout_plan *plan, bool with_offers, rlt_text *text) {
  const rlt_many *const many = plan->many;
  const rlt_boxes *const boxes = &many->boxes;
  rlt_text_add(text, "{\"from\":\"");
  rlt_scaled_view_add_text(&many->from, text);
  rlt_text_add(text, "\"");
  if (many->factor != 1) {
    rlt_text_add(text, ",\"scale\":");
    rlt_text_add_double(text, "%.9g", (double)many->factor);
  }
  rlt_text_add(text, ",\"to\":[");
  for (int32_t i = 0; i < many->count; ++i) {
    const char *const scales = scales_text(&many->to[i]);
    rlt_text_add(text, "%s{\"text\":\"", i > 0 ? "," : "");
    rlt_scaled_view_add_text(&many->to[i].view, text);
    rlt_text_add(text, "\"");
    if (scales != NULL) {
      rlt_text_add(text, ",\"scales\":\"%s\",\"reads_twice\":%s", scales,
                   many->to[i].finding == RLT_FINDS_IN_ALL ? "true" : "false");
    }
    rlt_text_add(text, "}");
  }
  rlt_text_add(text, "],\"boxes\":%" PRId64 ",\"box\":[", boxes->count);
  add_sizes(boxes, boxes->sizes, text);
  if (rlt_boxes_range(boxes) != NULL) {
    rlt_text_add(text, "],\"start\":[");
    add_sizes(boxes, boxes->all.start, text);
    rlt_text_add(text, "],\"sizes\":[");
    add_sizes(boxes, boxes->all.sizes, text);
  }
  rlt_text_add(text, "]");
  add_schedule_json(plan, text);
  if (with_offers) {
    add_candidates_json(plan, text);
  }
  rlt_text_add(text, "}");
}

void rlt_many_explain(const relayout_plan *plan, relayout_explain_form form, rlt_text *text) {
  const bool with_offers =
      form == RELAYOUT_EXPLAIN_SCHEDULES_TEXT || form == RELAYOUT_EXPLAIN_SCHEDULES_JSON;
  const rlt_float_control was = rlt_floats_enter();
  if (form == RELAYOUT_EXPLAIN_JSON || form == RELAYOUT_EXPLAIN_SCHEDULES_JSON) {
    explain_json(plan, with_offers, text);
  } else {
    explain_text(plan, with_offers, text);
  }
  rlt_floats_leave(was);
}
