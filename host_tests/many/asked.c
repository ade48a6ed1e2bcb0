/* asked.c: see asked.h. */
#include "many/asked.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/random.h"

enum { IN_BYTE = 8, MOST_GROUP = 64 };

static void add(char *text, const char *name, int64_t number, bool is_first) {
  const size_t length = strlen(text);
  if (is_first) {
    snprintf(text + length, ASKED_TEXT_SIZE - length, " %s=%" PRId64, name, number);
  } else {
    snprintf(text + length, ASKED_TEXT_SIZE - length, ",%" PRId64, number);
  }
}

static bool has_blocks(const relayout_scaled_view *view) {
  return view->block_format != RELAYOUT_BLOCK_FORMAT_NONE;
}

/* Elements along the minor dimension that no box parts. */
static int64_t together(const relayout_scaled_view *view) {
  const int32_t bits = view->elements.shape.layout.element_size_in_bits;
  const bool is_packed = bits > 0 && bits < IN_BYTE && !view->elements.is_strided;
  return has_blocks(view) ? RELAYOUT_BLOCK_ELEMENTS : is_packed ? IN_BYTE / bits : 1;
}

static int64_t unit_of(const drawn_many *drawn, int32_t dimension) {
  int64_t unit = 1;
  for (int side = 0; side <= drawn->count; ++side) {
    const relayout_scaled_view *const view = side == 0 ? &drawn->from : &drawn->to[side - 1];
    if (view->elements.shape.layout.minor_to_major[0] == dimension && together(view) > unit) {
      unit = together(view);
    }
  }
  return unit;
}

static void add_order(const drawn_many *drawn, uint64_t *random, char *text) {
  const relayout_shape *const shape = &drawn->from.elements.shape;
  int32_t order[RELAYOUT_MAX_RANK];
  for (int32_t i = 0; i < shape->rank; ++i) {
    order[i] = shape->layout.minor_to_major[i];
  }
  const int32_t first = has_blocks(&drawn->from) ? 1 : 0; /* records stay rows */
  for (int32_t i = shape->rank - 1; i > first; --i) {
    const int32_t at = first + (int32_t)random_below(random, (uint64_t)(i - first + 1));
    const int32_t other = order[i];
    order[i] = order[at];
    order[at] = other;
  }
  for (int32_t i = 0; i < shape->rank; ++i) {
    add(text, "order", order[i], i == 0);
  }
}

static void add_sizes(const drawn_many *drawn, const cover_box *range, uint64_t *random,
                      char *text) {
  const relayout_shape *const shape = &drawn->from.elements.shape;
  for (int32_t d = 0; d < shape->rank; ++d) {
    const int64_t all = drawn->ranges.count == 1 ? shape->dimensions[d] : range->sizes[d];
    const int64_t unit = unit_of(drawn, d);
    const int64_t most = (all + unit - 1) / unit;
    const int64_t units = most > 1 ? 1 + (int64_t)random_below(random, (uint64_t)most) : 1;
    const int64_t size = units * unit < all ? units * unit : all;
    add(text, "sizes", size > 0 ? size : 1, d == 0);
  }
}

void asked_schedule(const drawn_many *drawn, const cover_box *range, bool has_kernels,
                    uint64_t random, char *text) {
  strcpy(text, "boxes");
  if (random_below(&random, 4) > 0) {
    add_order(drawn, &random, text);
  }
  if (random_below(&random, 8) > 0) {
    add_sizes(drawn, range, &random, text);
  }
  if (has_kernels) {
    int64_t group = 1;
    while (group < MOST_GROUP && random_below(&random, 4) > 0) {
      group *= 2;
    }
    add(text, "group", group, true);
  }
}

void asked_narrower(const drawn_many *drawn, const char *text, char *narrower) {
  const char *const loads = strstr(text, " loads="), *const stores = strstr(text, " stores=");
  strcpy(narrower, text);
  if (loads == NULL || stores == NULL) {
    return;
  }
  narrower[loads - text] = '\0';
  add(narrower, "loads", 1, true);
  const char *at = stores + strlen(" stores=");
  bool is_first = true;
  for (int32_t i = 0; *at != '\0'; ++i) {
    char *end = NULL;
    const int64_t width = strtoll(at, &end, 10);
    /* Which destination it is of is known where the kernel has all. */
    const bool is_fixed = i >= drawn->count || together(&drawn->to[i]) > 1;
    add(narrower, "stores", is_fixed ? width : 1, is_first);
    at = *end == ',' ? end + 1 : end;
    is_first = false;
  }
  int32_t count = 1;
  for (const char *c = stores; *c != '\0'; ++c) {
    count += *c == ',' ? 1 : 0;
  }
  if (count != drawn->count) {
    strcpy(narrower, text);
  }
}

bool asked_may_be_refused(const drawn_many *drawn, const relayout_error *error) {
  return error->status == RELAYOUT_UNSUPPORTED &&
         (drawn_many_may_be_refused(drawn) ||
          strstr(error->message, "cannot be divided into boxes") != NULL ||
          strstr(error->message, "of which a work-group has at most") != NULL);
}
