/* many_timing.c: how long a plan of several destinations takes on memory of its own. */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "cpu/executable.h"
#include "plan/many.h"

enum { ALIGNMENT = 4096, MODERATE = 0x3c /* in each byte of a float: a number near 1 */ };

typedef struct scratch {
  void *memory[RLT_MOST_SIDES][RLT_SIDE_TENSORS];
  relayout_source_memory from;
  relayout_destination_memory to[RLT_MOST_DESTINATIONS];
} scratch;

void rlt_cpu_many_scratch_destroy(relayout_device *device, void *made_scratch) {
  (void)device;
  scratch *const made = made_scratch;
  for (int32_t i = 0; made != NULL && i < RLT_MOST_SIDES * RLT_SIDE_TENSORS; ++i) {
    rlt_free(made->memory[i / RLT_SIDE_TENSORS][i % RLT_SIDE_TENSORS]);
  }
  rlt_free(made);
}

/* Every page is touched. */
static bool take(const rlt_used_bytes *used, void **memory) {
  const size_t bytes = used->is_used && used->bytes > 0 ? used->bytes : 1;
  *memory = rlt_aligned_alloc(ALIGNMENT, bytes);
  if (*memory != NULL) {
    memset(*memory, MODERATE, bytes);
  }
  return *memory != NULL;
}

/* The pointer that a call is given for bytes that lie here. */
static void *pointer_to(const rlt_used_bytes *used, void *memory) {
  return (void *)((uintptr_t)memory - (uintptr_t)used->lowest);
}

relayout_status rlt_cpu_many_scratch_create(const rlt_many *many, void **made_scratch,
                                            relayout_error *error) {
  scratch *const made = rlt_calloc(1, sizeof *made);
  bool is_there = made != NULL;
  for (int32_t i = 0; i < (many->count + 1) * RLT_SIDE_TENSORS && is_there; ++i) {
    const int32_t s = i / RLT_SIDE_TENSORS, t = i % RLT_SIDE_TENSORS;
    is_there = take(&many->bytes[s][t], &made->memory[s][t]);
  }
  if (!is_there) {
    rlt_cpu_many_scratch_destroy(many->device, made);
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory to time a plan of %d destinations",
                    (int)many->count);
  }
  for (int32_t s = 0; s <= many->count; ++s) {
    const rlt_used_bytes *const used = many->bytes[s];
    void *const elements = pointer_to(&used[0], made->memory[s][0]);
    void *const scales = pointer_to(&used[1], made->memory[s][1]);
    void *const points = pointer_to(&used[2], made->memory[s][2]);
    void *const above = pointer_to(&used[RLT_TENSOR_SCALE], made->memory[s][RLT_TENSOR_SCALE]);
    if (s == 0) {
      made->from = (relayout_source_memory){elements, scales, points, above};
    } else {
      made->to[s - 1] = (relayout_destination_memory){elements, scales, points, above};
    }
  }
  *made_scratch = made;
  return RELAYOUT_OK;
}

relayout_status rlt_cpu_many_time(const relayout_plan *plan, void *made_scratch, double *seconds,
                                  relayout_error *error) {
  const scratch *const at = made_scratch;
  const double begin = rlt_seconds();
  const relayout_status status = rlt_cpu_execute_many(plan, &at->from, at->to, error);
  *seconds = rlt_seconds() - begin;
  return status;
}
