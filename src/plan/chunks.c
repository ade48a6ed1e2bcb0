/* chunks.c: which boxes, and a plan for each. */
#include "plan/chunks.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "metadata/widths.h"
#include "relayout/index.h"

/* Each has kernels and buffers of its own. */
enum { MOST_CHUNKS = 1 << 14 };

/* ---- Which boxes ---- */

/* How far in memory the next index of a dimension is on average, in bytes: tiles have steps of
 * several sizes. The dimension has two indices or more. */
static relayout_status find_step(const relayout_view *view, int32_t dimension, double *step,
                                 relayout_error *error) {
  *step = 0;
  if (view->is_strided) {
    const double stride = (double)view->byte_strides[dimension];
    *step = stride < 0 ? -stride : stride;
    return RELAYOUT_OK;
  }
  if (relayout_shape_element_count(&view->shape) == 0) {
    return RELAYOUT_OK;
  }
  const int64_t last = view->shape.dimensions[dimension] - 1;
  int64_t index[RELAYOUT_MAX_RANK] = {0};
  int64_t end = 0;
  index[dimension] = last;
  const relayout_status status = relayout_index_to_linear(&view->shape, index, &end, error);
  if (status == RELAYOUT_OK) {
    *step = (double)end / (double)last * (double)rlt_element_bits(&view->shape) / 8;
  }
  return status;
}

/* One side of boxes: how far their last element may be from the first, and how far they are. */
typedef struct spanned {
  bool is_limited;
  double most;
  double steps[RELAYOUT_MAX_RANK];
} spanned;

static relayout_status find_side(const relayout_view *view, const rlt_index_box *all, size_t most,
                                 spanned *found, relayout_error *error) {
  *found = (spanned){.is_limited = most > 0,
                     .most = (double)most - (double)rlt_element_bits(&view->shape) / 8};
  relayout_status status = RELAYOUT_OK;
  for (int32_t d = 0; d < view->shape.rank && status == RELAYOUT_OK; ++d) {
    if (all->sizes[d] > 1) {
      status = find_step(view, d, &found->steps[d], error);
    }
  }
  return status;
}

/* The dimension along which boxes of these sizes span most; -1 where that is within the limit, or
 * no dimension is left to be cut. */
static int32_t widest(const spanned *side, const rlt_equal_boxes *boxes) {
  double span = 0;
  double most = 0;
  int32_t best = -1;
  for (int32_t d = 0; d < boxes->rank && side->is_limited; ++d) {
    const double along = side->steps[d] * (double)(boxes->sizes[d] - 1);
    span += along;
    if (along > most) {
      most = along;
      best = d;
    }
  }
  return span <= side->most ? -1 : best;
}

/* Half of a size above 1, rounded up to what tiles and lines of memory divide: no more of it than
 * leaves the half smaller. */
static int64_t half_of(int64_t size) {
  int64_t unit = 1;
  while (unit < 1024 && 4 * unit <= size) {
    unit *= 2;
  }
  return rlt_divide_up(size / 2, unit) * unit;
}

relayout_status rlt_equal_boxes_make(const relayout_plan *plan, rlt_chunk_limits limits,
                                     rlt_equal_boxes *boxes, relayout_error *error) {
  const int32_t rank = plan->from.shape.rank;
  memset(boxes, 0, sizeof *boxes);
  boxes->rank = rank;
  for (int32_t d = 0; d < rank; ++d) {
    boxes->all.start[d] = plan->box == NULL ? 0 : plan->box->start[d];
    boxes->all.sizes[d] = plan->box == NULL ? plan->from.shape.dimensions[d] : plan->box->sizes[d];
    boxes->sizes[d] = boxes->all.sizes[d];
  }
  spanned sides[2];
  relayout_status status = find_side(&plan->from, &boxes->all, limits.source, &sides[0], error);
  if (status == RELAYOUT_OK) {
    status = find_side(&plan->to, &boxes->all, limits.destination, &sides[1], error);
  }
  for (int32_t i = 0; i < 2 && status == RELAYOUT_OK; ++i) {
    int32_t d = widest(&sides[i], boxes);
    while (d >= 0) {
      boxes->sizes[d] = half_of(boxes->sizes[d]);
      d = widest(&sides[i], boxes);
    }
  }
  return status;
}

bool rlt_equal_boxes_next(rlt_equal_boxes *boxes, rlt_index_box *box) {
  for (int32_t d = 0; d < boxes->rank; ++d) {
    box->start[d] = boxes->all.start[d] + boxes->next[d];
    box->sizes[d] = rlt_min(boxes->sizes[d], boxes->all.sizes[d] - boxes->next[d]);
  }
  for (int32_t d = 0; d < boxes->rank; ++d) {
    boxes->next[d] += boxes->sizes[d];
    if (boxes->next[d] < boxes->all.sizes[d]) {
      return true;
    }
    boxes->next[d] = 0;
  }
  return false;
}

/* ---- Their plans ---- */

/* MOST_CHUNKS + 1 where there are more. */
static size_t count_of(const rlt_equal_boxes *boxes) {
  int64_t count = 1;
  for (int32_t d = 0; d < boxes->rank && count <= MOST_CHUNKS; ++d) {
    const int64_t along = rlt_divide_up(boxes->all.sizes[d], rlt_max(boxes->sizes[d], 1));
    count *= rlt_min(rlt_max(along, 1), MOST_CHUNKS + 1);
  }
  return (size_t)rlt_min(count, MOST_CHUNKS + 1);
}

void rlt_chunks_free(relayout_plan *plan) {
  for (size_t i = 0; i < plan->chunk_count; ++i) {
    relayout_plan_destroy(plan->chunks[i]);
  }
  rlt_free(plan->chunks);
  plan->chunks = NULL;
  plan->chunk_count = 0;
}

static relayout_status make_plans(relayout_plan *plan, rlt_equal_boxes *boxes, size_t count,
                                  relayout_error *error) {
  plan->chunks = rlt_calloc(count, sizeof *plan->chunks);
  if (plan->chunks == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for %zu chunks of a plan", count);
  }
  relayout_status status = RELAYOUT_OK;
  for (size_t i = 0; i < count && status == RELAYOUT_OK; ++i) {
    rlt_index_box box;
    rlt_equal_boxes_next(boxes, &box);
    status = rlt_plan_create_box(plan, &box, &plan->chunks[i], error);
    plan->chunk_count += status == RELAYOUT_OK;
  }
  return status;
}

relayout_status rlt_chunks_make(relayout_plan *plan, relayout_error *error) {
  const rlt_chunk_limits limits = plan->wish.chunks;
  rlt_equal_boxes boxes;
  if ((limits.source == 0 && limits.destination == 0) || plan->work.part_count == 0) {
    return RELAYOUT_OK;
  }
  relayout_status status = rlt_equal_boxes_make(plan, limits, &boxes, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const size_t count = count_of(&boxes);
  if (count > MOST_CHUNKS) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->source_chunk_bytes %zu and destination_chunk_bytes %zu make more "
                    "than %d chunks",
                    limits.source, limits.destination, MOST_CHUNKS);
  }
  status = count == 1 ? RELAYOUT_OK : make_plans(plan, &boxes, count, error);
  if (status == RELAYOUT_UNSUPPORTED) {
    rlt_chunks_free(plan);
    return RELAYOUT_OK;
  }
  return status;
}
