/* many_explain.c: says what a plan of several destinations does. */
#include <inttypes.h>

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

static void explain_text(const rlt_many *many, rlt_text *text) {
  const rlt_boxes *const boxes = &many->boxes;
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
          text, "\n        scales: %s%s", scales,
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
}

static void explain_json(const rlt_many *many, rlt_text *text) {
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
  rlt_text_add(text, "]}");
}

void rlt_many_explain(const relayout_plan *plan, bool as_json, rlt_text *text) {
  if (as_json) {
    explain_json(plan->many, text);
  } else {
    explain_text(plan->many, text);
  }
}
