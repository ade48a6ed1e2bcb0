/* many_execute.c: what is checked before a plan of several destinations runs. */
#include <inttypes.h>

#include "base/error.h"
#include "plan/many.h"

/* Bytes that are read or written, and their name in messages. */
typedef struct named_bytes {
  uintptr_t first;
  size_t size;
  int32_t side; /* -1: the source */
  const char *part;
  bool is_written;
} named_bytes;

typedef struct named_list {
  int32_t count;
  named_bytes of[RLT_MOST_SIDES * RLT_SIDE_TENSORS];
} named_list;

static void write_name(const named_bytes *of, size_t capacity, char *name) {
  rlt_text text = rlt_text_in(name, capacity);
  if (of->side < 0) {
    rlt_text_add(&text, "from->%s", of->part);
  } else {
    rlt_text_add(&text, "to[%" PRId32 "].%s", of->side, of->part);
  }
}

/* Adds what is used of a tensor at this pointer. */
static relayout_status add_tensor(named_list *list, const rlt_used_bytes *used, int32_t side,
                                  const char *part, const void *pointer, relayout_error *error) {
  const named_bytes made = {.first = (uintptr_t)pointer + (uintptr_t)used->lowest,
                            .size = used->bytes,
                            .side = side,
                            .part = part,
                            .is_written = used->is_written};
  if (!used->is_used) {
    return RELAYOUT_OK;
  }
  if (pointer == NULL && used->bytes > 0) {
    char name[32];
    write_name(&made, sizeof name, name);
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL, but the plan %s %zu bytes there",
                    name, used->is_written ? "writes" : "reads", used->bytes);
  }
  list->of[list->count++] = made;
  return RELAYOUT_OK;
}

static relayout_status add_side(named_list *list, const rlt_used_bytes *used, int32_t side,
                                const relayout_source_memory *at, relayout_error *error) {
  relayout_status status = add_tensor(list, &used[0], side, "elements", at->elements, error);
  if (status == RELAYOUT_OK) {
    status = add_tensor(list, &used[1], side, "scales", at->scales, error);
  }
  if (status == RELAYOUT_OK) {
    status = add_tensor(list, &used[2], side, "zero_points", at->zero_points, error);
  }
  return status == RELAYOUT_OK ? add_tensor(list, &used[RLT_TENSOR_SCALE], side, "tensor_scale",
                                            at->tensor_scale, error)
                               : status;
}

static bool overlap(const named_bytes *a, const named_bytes *b) {
  return a->size > 0 && b->size > 0 && (a->is_written || b->is_written) &&
         (a->first < b->first ? b->first - a->first < a->size : a->first - b->first < b->size);
}

static relayout_status check_overlap(const named_list *list, relayout_error *error) {
  for (int32_t i = 0; i < list->count; ++i) {
    for (int32_t j = i + 1; j < list->count; ++j) {
      const named_bytes *const a = &list->of[i], *const b = &list->of[j];
      if (overlap(a, b)) {
        char first[32], second[32];
        write_name(a, sizeof first, first);
        write_name(b, sizeof second, second);
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
  named_list list = {.count = 0};
  relayout_status status = add_side(&list, many->bytes[0], -1, from, error);
  for (int32_t i = 0; i < many->count && status == RELAYOUT_OK; ++i) {
    const relayout_source_memory at = {to[i].elements, to[i].scales, to[i].zero_points,
                                       to[i].tensor_scale};
    status = add_side(&list, many->bytes[i + 1], i, &at, error);
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
