/* chunks.c: chooses the boxes, and makes a plan for each kind of them. */
#include "plan/chunks.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "metadata/widths.h"
#include "relayout/index.h"

/* Each takes a few numbers; each kind has a plan with kernels and tables of its own. */
enum { MOST_CHUNKS = 1 << 14, MOST_CHUNK_PLANS = 256 };

/* ---- Which boxes ---- */

/* The average distance in memory from one index of a dimension to the next, in bytes: tiles have
 * steps of several sizes. The dimension has two indices or more. */
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

/* One side of boxes: the limit for the distance from the first element to the last, and the average
 * step of each dimension. */
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

/* The dimension along which boxes of these sizes span most; -1 if the span is within the limit or
 * no dimension can be cut further. */
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

/* Half of a size above 1, rounded up to a multiple of tiles and lines of memory, if the result is
 * still smaller than the size. */
static int64_t half_of(int64_t size) {
  int64_t unit = 1;
  while (unit < 1024 && 4 * unit <= size) {
    unit *= 2;
  }
  return rlt_divide_up(size / 2, unit) * unit;
}

relayout_status rlt_equal_boxes_make(const relayout_plan *plan, rlt_chunk_limits limits,
                                     rlt_equal_boxes *boxes, relayout_error *error) {
  rlt_plan_views views;
  rlt_plan_get_views(plan, &views);
  const int32_t rank = views.from.shape.rank;
  memset(boxes, 0, sizeof *boxes);
  boxes->rank = rank;
  for (int32_t d = 0; d < rank; ++d) {
    boxes->all.start[d] = plan->box == NULL ? 0 : plan->box->start[d];
    boxes->all.sizes[d] = plan->box == NULL ? views.from.shape.dimensions[d] : plan->box->sizes[d];
    boxes->sizes[d] = boxes->all.sizes[d];
  }
  spanned sides[2];
  relayout_status status = find_side(&views.from, &boxes->all, limits.source, &sides[0], error);
  if (status == RELAYOUT_OK) {
    status = find_side(&views.to, &boxes->all, limits.destination, &sides[1], error);
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

/* The number of chunks, or MOST_CHUNKS + 1 if there are more. */
static size_t count_of(const rlt_equal_boxes *boxes) {
  int64_t count = 1;
  for (int32_t d = 0; d < boxes->rank && count <= MOST_CHUNKS; ++d) {
    const int64_t along = rlt_divide_up(boxes->all.sizes[d], rlt_max(boxes->sizes[d], 1));
    count *= rlt_min(rlt_max(along, 1), MOST_CHUNKS + 1);
  }
  return (size_t)rlt_min(count, MOST_CHUNKS + 1);
}

void rlt_chunks_free(relayout_plan *plan) {
  for (size_t i = 0; i < plan->chunk_plan_count; ++i) {
    relayout_plan_destroy(plan->chunk_plans[i]);
  }
  rlt_free(plan->chunk_plans);
  rlt_free(plan->chunks);
  plan->chunk_plans = NULL;
  plan->chunks = NULL;
  plan->chunk_count = plan->chunk_plan_count = 0;
}

/* True if the problems differ only in where they begin and where the source ends. Boxes have no
 * index programs. */
static bool are_alike(const rlt_problem *a, const rlt_problem *b) {
  const rlt_conversion *const x = &a->conversion;
  const rlt_conversion *const y = &b->conversion;
  return a->element_bytes == b->element_bytes && a->source_packed == b->source_packed &&
         a->destination_packed == b->destination_packed && a->source_high == b->source_high &&
         a->destination_high == b->destination_high && a->reversed_bits == b->reversed_bits &&
         x->from == y->from && x->to == y->to && x->wraps == y->wraps && x->scale == y->scale &&
         x->rounds_to_nearest == y->rounds_to_nearest && a->source_swapped == b->source_swapped &&
         a->destination_swapped == b->destination_swapped && a->shuffles == b->shuffles &&
         memcmp(a->shuffle, b->shuffle, sizeof a->shuffle) == 0 &&
         a->transposed_bits == b->transposed_bits && a->transposed_stride == b->transposed_stride &&
         a->index_program == NULL && b->index_program == NULL && a->axis_count == b->axis_count &&
         memcmp(a->axes, b->axes, (size_t)a->axis_count * sizeof a->axes[0]) == 0 &&
         a->fills == b->fills && memcmp(a->fill, b->fill, sizeof a->fill) == 0 &&
         memcmp(a->fill_word, b->fill_word, sizeof a->fill_word) == 0 &&
         (rlt_problem_is_fill(a) ||
          a->source_elements - a->source_start == b->source_elements - b->source_start);
}

/* How many bits one problem is shifted from an equal one. */
static int64_t source_bits_between(const rlt_problem *a, const rlt_problem *b) {
  return (b->source_start - a->source_start) * rlt_problem_source_bits(a);
}

static int64_t destination_bits_between(const rlt_problem *a, const rlt_problem *b) {
  return (b->destination_start - a->destination_start) * rlt_problem_destination_bits(a);
}

/* True if the shift is a whole number of elements and of bytes, as callers' offsets are. */
static bool is_offset(int64_t bits, const relayout_view *side) {
  return bits % (8 * (int64_t)relayout_element_type_byte_size(side->shape.element_type)) == 0;
}

/* True if a box lowers to the problems that another box's plan moves; returns the shift. */
static bool is_moved_by(const rlt_lowered *box, const relayout_plan *plan, rlt_chunk *chunk) {
  const rlt_problem *read = NULL; /* a problem of the box, and of the plan */
  const rlt_problem *read_by_plan = NULL;
  const int32_t count = plan->work.part_count;
  int64_t source = 0;
  int64_t destination = 0;
  bool is = box->count == count;
  for (int32_t i = 0; i < count && is; ++i) {
    const rlt_problem *const one = rlt_part_problem(&plan->work.parts[i]);
    const rlt_problem *const other = &box->problems[i];
    is = are_alike(one, other);
    if (is && read == NULL && !rlt_problem_is_fill(one)) {
      read = other;
      read_by_plan = one;
    }
  }
  if (is && count > 0) {
    source = read == NULL ? 0 : source_bits_between(read_by_plan, read);
    destination =
        destination_bits_between(rlt_part_problem(&plan->work.parts[0]), &box->problems[0]);
  }
  for (int32_t i = 0; i < count && is; ++i) {
    const rlt_problem *const one = rlt_part_problem(&plan->work.parts[i]);
    const rlt_problem *const other = &box->problems[i];
    is = destination_bits_between(one, other) == destination &&
         (rlt_problem_is_fill(one) || source_bits_between(one, other) == source);
  }
  *chunk = (rlt_chunk){plan, source / 8, destination / 8};
  rlt_plan_views views;
  rlt_plan_get_views(plan, &views);
  return is && is_offset(source, &views.from) && is_offset(destination, &views.to);
}

relayout_status rlt_chunk_find(const relayout_plan *whole, const rlt_index_box *box,
                               relayout_plan *const *plans, size_t count, rlt_chunk *chunk,
                               relayout_error *error) {
  rlt_lowered lowered;
  const relayout_status status = rlt_plan_lower_box(whole, box, &lowered, error);
  bool is_there = false;
  for (size_t i = 0; i < count && status == RELAYOUT_OK && !is_there; ++i) {
    is_there = is_moved_by(&lowered, plans[i], chunk);
  }
  if (!is_there) {
    chunk->plan = NULL;
  }
  rlt_lowered_free(&lowered);
  return status;
}

static relayout_status refuse_kinds(const relayout_plan *plan, relayout_error *error) {
  return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                  "options->source_chunk_bytes %zu and destination_chunk_bytes %zu make chunks of "
                  "more than %d kinds, each of which needs a plan",
                  plan->request.chunks.source, plan->request.chunks.destination, MOST_CHUNK_PLANS);
}

/* Adds a chunk, with the plan of an equal one or with a new plan. */
static relayout_status make_chunk(relayout_plan *plan, const rlt_index_box *box, rlt_chunk *chunk,
                                  relayout_error *error) {
  relayout_status status =
      rlt_chunk_find(plan, box, plan->chunk_plans, plan->chunk_plan_count, chunk, error);
  if (chunk->plan != NULL || status != RELAYOUT_OK) {
    return status;
  }
  if (plan->chunk_plan_count == MOST_CHUNK_PLANS) {
    return refuse_kinds(plan, error);
  }
  relayout_plan **const made = &plan->chunk_plans[plan->chunk_plan_count];
  status = rlt_plan_create_box(plan, box, made, error);
  plan->chunk_plan_count += status == RELAYOUT_OK;
  *chunk = (rlt_chunk){*made, 0, 0};
  return status;
}

static relayout_status make_chunks(relayout_plan *plan, rlt_equal_boxes *boxes, size_t count,
                                   relayout_error *error) {
  const size_t most_plans = count < MOST_CHUNK_PLANS ? count : MOST_CHUNK_PLANS;
  plan->chunks = rlt_calloc(count, sizeof *plan->chunks);
  plan->chunk_plans = rlt_calloc(most_plans, sizeof(relayout_plan *));
  if (plan->chunks == NULL || plan->chunk_plans == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for %zu chunks of a plan", count);
  }
  relayout_status status = RELAYOUT_OK;
  for (size_t i = 0; i < count && status == RELAYOUT_OK; ++i) {
    rlt_index_box box;
    rlt_equal_boxes_next(boxes, &box);
    status = make_chunk(plan, &box, &plan->chunks[i], error);
    plan->chunk_count += status == RELAYOUT_OK;
  }
  return status;
}

relayout_status rlt_chunks_make(relayout_plan *plan, relayout_error *error) {
  const rlt_chunk_limits limits = plan->request.chunks;
  rlt_equal_boxes boxes;
  if ((limits.source == 0 && limits.destination == 0) || plan->work.part_count == 0 ||
      !plan->device->backend->has_staging) {
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
  status = count == 1 ? RELAYOUT_OK : make_chunks(plan, &boxes, count, error);
  if (status == RELAYOUT_UNSUPPORTED) {
    rlt_chunks_free(plan);
    return RELAYOUT_OK;
  }
  return status;
}
