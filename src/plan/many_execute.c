/* many_execute.c: what is checked before a plan of several destinations runs. */
#include <inttypes.h>

#include "base/error.h"
#include "plan/many.h"

/* Bytes that are read or written, and their name in messages. */
typedef struct used_bytes {
  uintptr_t first;
  size_t size;
  int32_t side; /* -1: the source */
  const char *part;
  bool is_written;
} used_bytes;

enum { MOST_USED = 3 * (RLT_MOST_DESTINATIONS + 1) };

typedef struct used_list {
  int32_t count;
  used_bytes of[MOST_USED];
} used_list;

static void name_used(const used_bytes *used, size_t capacity, char *name) {
  rlt_text text = rlt_text_in(name, capacity);
  if (used->side < 0) {
    rlt_text_add(&text, "from->%s", used->part);
  } else {
    rlt_text_add(&text, "to[%" PRId32 "].%s", used->side, used->part);
  }
}

/* Adds the bytes of a view, or of records, at this pointer. */
static relayout_status add_used(used_list *list, const relayout_scaled_view *blocks,
                                const relayout_view *view, const void *pointer, used_bytes used,
                                relayout_error *error) {
  int64_t lowest = 0;
  size_t size = 0;
  if (blocks != NULL && rlt_has_blocks(blocks)) {
    size = rlt_blocks_size(blocks);
    lowest = view->byte_offset;
  } else {
    const relayout_status status = relayout_view_span(view, &lowest, &size, error);
    if (status != RELAYOUT_OK) {
      return status;
    }
  }
  if (pointer == NULL && size > 0) {
    char name[32];
    name_used(&used, sizeof name, name);
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL, but the plan %s %zu bytes there",
                    name, used.is_written ? "writes" : "reads", size);
  }
  used.first = (uintptr_t)pointer + (uintptr_t)lowest;
  used.size = size;
  list->of[list->count++] = used;
  return RELAYOUT_OK;
}

static relayout_status add_side(used_list *list, const relayout_scaled_view *view, int32_t side,
                                const relayout_source_memory *at, relayout_error *error) {
  const bool is_written = side >= 0;
  const bool finds = is_written && view->rule != RELAYOUT_SCALES_GIVEN;
  relayout_status status =
      add_used(list, view, &view->elements, at->elements,
               (used_bytes){.side = side, .part = "elements", .is_written = is_written}, error);
  if (status == RELAYOUT_OK && view->has_scales) {
    status = add_used(list, NULL, &view->scales, at->scales,
                      (used_bytes){.side = side, .part = "scales", .is_written = finds}, error);
  }
  if (status == RELAYOUT_OK && view->has_zero_points) {
    status = add_used(list, NULL, &view->zero_points, at->zero_points,
                      (used_bytes){.side = side, .part = "zero_points"}, error);
  }
  return status;
}

static bool overlap(const used_bytes *a, const used_bytes *b) {
  return a->size > 0 && b->size > 0 && (a->is_written || b->is_written) &&
         (a->first < b->first ? b->first - a->first < a->size : a->first - b->first < b->size);
}

static relayout_status check_overlap(const used_list *list, relayout_error *error) {
  for (int32_t i = 0; i < list->count; ++i) {
    for (int32_t j = i + 1; j < list->count; ++j) {
      const used_bytes *const a = &list->of[i], *const b = &list->of[j];
      if (overlap(a, b)) {
        char first[32], second[32];
        name_used(a, sizeof first, first);
        name_used(b, sizeof second, second);
        return rlt_fail(error, RELAYOUT_BUFFERS_OVERLAP,
                        "%s (%zu bytes at %p) and %s (%zu bytes at %p) overlap", first, a->size,
                        (const void *)a->first, second, b->size, (const void *)b->first);
      }
    }
  }
  return RELAYOUT_OK;
}

static relayout_status check_memory(const rlt_many *many, const relayout_source_memory *from,
                                    const relayout_destination_memory *to, relayout_error *error) {
  used_list list = {.count = 0};
  relayout_status status = add_side(&list, &many->from, -1, from, error);
  for (int32_t i = 0; i < many->count && status == RELAYOUT_OK; ++i) {
    const relayout_source_memory at = {to[i].elements, to[i].scales, to[i].zero_points};
    status = add_side(&list, &many->to[i].view, i, &at, error);
  }
  return status == RELAYOUT_OK ? check_overlap(&list, error) : status;
}

relayout_status relayout_plan_execute_many(const relayout_plan *plan,
                                           const relayout_source_memory *from,
                                           const relayout_destination_memory *to,
                                           relayout_error *error) {
  if (plan == NULL || from == NULL || to == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    plan == NULL   ? "plan"
                    : from == NULL ? "from"
                                   : "to");
  }
  if (plan->many == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "plan is not one of relayout_plan_create_many; relayout_plan_execute executes "
                    "it");
  }
  const relayout_plan *runs = NULL;
  relayout_status status = check_memory(plan->many, from, to, error);
  if (status == RELAYOUT_OK) {
    status = rlt_plan_for_host_memory(plan, &runs, error);
  }
  return status == RELAYOUT_OK ? runs->many->device->backend->execute_many(runs, from, to, error)
                               : status;
}
