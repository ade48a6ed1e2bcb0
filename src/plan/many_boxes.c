/* many_boxes.c: chooses boxes that a worker's cache holds, with whole groups where there is room,
 * and always with whole records. */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "metadata/widths.h"
#include "plan/many.h"

enum { LINE = 64, MOST_WHOLE = 1024 };

/* ---- Orders and rows ------------------------------------------------------------------------ */

void rlt_order_of(const relayout_scaled_view *view, int32_t *order) {
  const relayout_view *const elements = &view->elements;
  const int32_t rank = elements->shape.rank;
  memcpy(order, elements->shape.layout.minor_to_major, (size_t)rank * sizeof order[0]);
  for (int32_t i = 1; i < rank && elements->is_strided; ++i) {
    const int32_t d = order[i];
    const int64_t stride = elements->byte_strides[d], distance = stride < 0 ? -stride : stride;
    int32_t at = i;
    for (; at > 0; --at) {
      const int64_t other = elements->byte_strides[order[at - 1]];
      if ((other < 0 ? -other : other) <= distance) {
        break;
      }
      order[at] = order[at - 1];
    }
    order[at] = d;
  }
}

void rlt_box_rows_make(int32_t rank, const int64_t *sizes, const int32_t *order,
                       int64_t element_bytes, rlt_box_rows *made) {
  made->bytes = element_bytes;
  for (int32_t i = 0; i < rank; ++i) {
    made->strides[order[i]] = made->bytes;
    made->bytes *= rlt_max(sizes[order[i]], 1);
  }
}

/* ---- Groups --------------------------------------------------------------------------------- */

/* The sizes that a box has along a dimension: multiples of `least`, which records ask for; where
 * there is room, of `unit`, so that no group lies in two boxes; of `whole`, so that runs end where
 * lines do; and of `tile` or a part of it, so that boxes lie alike in tiles, and few plans move
 * them all. */
typedef struct cuts {
  int64_t least;
  int64_t unit;
  int64_t whole;
  int64_t tile;
} cuts;

/* The least common multiple, or `most` where it is greater. */
static int64_t common_multiple(int64_t a, int64_t b, int64_t most) {
  int64_t multiple = 0;
  return rlt_multiply(a / rlt_common_factor(a, b), b, &multiple) ? rlt_min(multiple, most) : most;
}

static void add_groups(cuts *made, int64_t group, int64_t size) {
  if (group < size) {
    made->unit = common_multiple(made->unit, group, size);
  }
}

int64_t rlt_elements_together(const relayout_scaled_view *side) {
  const relayout_shape *const shape = &side->elements.shape;
  const int64_t bits = rlt_packed_bits(&shape->layout), in_byte = bits > 0 ? 8 / bits : 1;
  const bool has_whole_bytes =
      shape->rank > 0 && shape->dimensions[shape->layout.minor_to_major[0]] % in_byte == 0;
  return rlt_has_blocks(side) ? RELAYOUT_BLOCK_ELEMENTS : has_whole_bytes ? in_byte : 1;
}

/* The first tile of a view, each of whose elements is for a group of this size; NULL: of one. */
static void add_tile(cuts *made, const relayout_view *view, const int64_t *groups) {
  const relayout_layout *const layout = &view->shape.layout;
  const int32_t tile_rank = layout->tile_count > 0 ? layout->tile_ranks[0] : 0;
  for (int32_t i = 0; i < tile_rank && i < layout->rank; ++i) {
    const int32_t d = layout->minor_to_major[i];
    const int64_t size = layout->tile_dimensions[tile_rank - 1 - i];
    int64_t elements = 0;
    if (size != RELAYOUT_TILE_COMBINE && view->shape.dimensions[d] > 1 &&
        rlt_multiply(size, groups != NULL ? groups[d] : 1, &elements)) {
      made[d].tile = common_multiple(made[d].tile, elements, INT64_MAX);
    }
  }
}

static void add_side(cuts *made, const relayout_scaled_view *side) {
  const relayout_shape *const shape = &side->elements.shape;
  const int64_t together = rlt_elements_together(side);
  add_tile(made, &side->elements, NULL);
  if (side->has_scales) {
    add_tile(made, &side->scales, side->group_sizes);
  }
  if (side->has_zero_points) {
    add_tile(made, &side->zero_points, side->group_sizes);
  }
  if (together > 1) {
    const int32_t minor = shape->layout.minor_to_major[0];
    made[minor].least = rlt_max(made[minor].least, together);
    made[minor].unit = common_multiple(made[minor].unit, together, shape->dimensions[minor]);
  }
  if (side->interleaved_rows > 0) {
    const int32_t next = shape->layout.minor_to_major[1];
    add_groups(&made[next], side->interleaved_rows, shape->dimensions[next]);
  }
  for (int32_t d = 0; d < shape->rank && side->has_scales; ++d) {
    add_groups(&made[d], side->group_sizes[d], shape->dimensions[d]);
  }
}

/* Multiples of `unit`, as equal as they can be. */
static int64_t equal_size(int64_t size, int64_t unit, int64_t most) {
  const int64_t pieces = rlt_divide_up(size, most);
  const int64_t equal = rlt_divide_up(rlt_divide_up(size, pieces), unit) * unit;
  return equal <= most ? equal : most / unit * unit;
}

/* What a size of at most `most` is a multiple of. Half a tile, or a quarter, lies in tiles as the
 * others do. */
static int64_t best_unit(const cuts *of, int64_t size, int64_t most) {
  const int64_t whole = common_multiple(of->unit, of->whole, size);
  const int64_t unit = whole <= most ? whole : of->unit <= most ? of->unit : of->least;
  int64_t tile = of->tile;
  while (tile % 2 == 0 && common_multiple(unit, tile, size) > most) {
    tile /= 2;
  }
  const int64_t tiled = common_multiple(unit, tile, size);
  return tiled <= most ? tiled : unit;
}

/* The best size of at most `most`, or the least one that there is. */
static int64_t cut_size(const cuts *of, int64_t size, int64_t most) {
  if (size <= most) {
    return rlt_max(size, 1);
  }
  const int64_t unit = best_unit(of, size, most);
  return unit <= most ? equal_size(size, unit, most) : rlt_min(of->least, size);
}

void rlt_groups_of_box(const relayout_scaled_view *of, const rlt_index_box *box,
                       rlt_index_box *groups) {
  const relayout_shape *const shape = &of->elements.shape;
  for (int32_t d = 0; d < shape->rank; ++d) {
    const int64_t group = of->group_sizes[d];
    const int64_t first = box->start[d] / group;
    groups->start[d] = first;
    groups->sizes[d] = shape->dimensions[d] == 0 ? of->scales.shape.dimensions[d]
                       : box->sizes[d] == 0
                           ? 0
                           : rlt_divide_up(box->start[d] + box->sizes[d], group) - first;
  }
}

int64_t rlt_groups_met(const rlt_boxes *boxes, int32_t dimension, int64_t group) {
  const int64_t size = boxes->sizes[dimension], start = boxes->all.start[dimension];
  const int64_t all = rlt_divide_up(start + boxes->all.sizes[dimension], group) - start / group;
  const bool is_aligned =
      (size % group == 0 && start % group == 0) || (group % size == 0 && start % size == 0);
  const int64_t met = is_aligned ? rlt_divide_up(size, group) : (size - 2) / group + 2;
  return rlt_min(met, rlt_max(all, 1));
}

rlt_finding rlt_finding_of(const rlt_boxes *boxes, const relayout_scaled_view *side) {
  rlt_finding found = RLT_FINDS_IN_BOX;
  for (int32_t d = 0; d < boxes->rank; ++d) {
    if (boxes->sizes[d] < boxes->all.sizes[d] && boxes->sizes[d] % side->group_sizes[d] != 0) {
      found = RLT_FINDS_IN_ALL;
    }
  }
  return found;
}

/* ---- Boxes ---------------------------------------------------------------------------------- */

void rlt_boxes_get(const rlt_boxes *boxes, int64_t number, rlt_index_box *box) {
  for (int32_t d = 0; d < boxes->rank; ++d) {
    const int64_t before = number % boxes->counts[d] * boxes->sizes[d];
    box->start[d] = boxes->all.start[d] + before;
    box->sizes[d] = rlt_min(boxes->sizes[d], boxes->all.sizes[d] - before);
    number /= boxes->counts[d];
  }
}

static int64_t elements_of(const rlt_boxes *boxes) {
  int64_t count = 1;
  for (int32_t d = 0; d < boxes->rank; ++d) {
    count *= boxes->sizes[d];
  }
  return count;
}

/* Boxes that are chosen. */
typedef struct choosing {
  rlt_boxes *boxes;
  rlt_box_limits limits;
  cuts of[RELAYOUT_MAX_RANK];
} choosing;

/* At most so many along this dimension, as there is room for, and at least as many as there are. */
static void widen(choosing *by, int32_t d, int64_t wanted) {
  rlt_boxes *const boxes = by->boxes;
  const int64_t others = elements_of(boxes) / boxes->sizes[d];
  const int64_t room = rlt_min(wanted, by->limits.elements / rlt_max(others, 1));
  const int64_t size = cut_size(&by->of[d], boxes->all.sizes[d], room);
  if (size > boxes->sizes[d] && size <= room) {
    boxes->sizes[d] = size;
  }
}

/* Runs of this side, of whole lines. */
static void take_runs(choosing *by, const relayout_scaled_view *side) {
  const int32_t rank = by->boxes->rank;
  int32_t order[RELAYOUT_MAX_RANK];
  int64_t run = rlt_has_blocks(side)
                    ? 1
                    : (int64_t)relayout_element_type_byte_size(side->elements.shape.element_type);
  rlt_order_of(side, order);
  for (int32_t i = 0; i < rank && run < by->limits.run_bytes; ++i) {
    const int32_t d = order[i];
    cuts *const of = &by->of[d];
    of->whole = common_multiple(of->whole, LINE / rlt_common_factor(LINE, run), MOST_WHOLE);
    const int64_t unit = common_multiple(of->unit, of->whole, by->boxes->all.sizes[d]);
    const int64_t wanted = rlt_divide_up(by->limits.run_bytes, run); /* or about as many */
    widen(by, d, rlt_max((wanted + unit / 2) / unit, 1) * unit);
    run *= by->boxes->sizes[d];
    if (by->boxes->sizes[d] < by->boxes->all.sizes[d]) {
      break;
    }
  }
}

void rlt_boxes_cut(rlt_boxes *boxes) {
  boxes->count = 1;
  for (int32_t d = 0; d < boxes->rank; ++d) {
    boxes->counts[d] = rlt_divide_up(boxes->all.sizes[d], boxes->sizes[d]);
    boxes->count *= boxes->counts[d];
  }
}

const rlt_index_box *rlt_boxes_range(const rlt_boxes *boxes) {
  bool are_all = true;
  for (int32_t d = 0; d < boxes->rank; ++d) {
    are_all = are_all && boxes->all.sizes[d] == boxes->dimensions[d];
  }
  return are_all ? NULL : &boxes->all;
}

bool rlt_boxes_are_none(const rlt_boxes *boxes) {
  bool are = false;
  for (int32_t d = 0; d < boxes->rank; ++d) {
    are = are || (boxes->all.sizes[d] == 0 && boxes->dimensions[d] > 0);
  }
  return are;
}

void rlt_boxes_join(rlt_boxes *boxes) {
  boxes->count = rlt_boxes_are_none(boxes) ? 0 : 1;
  for (int32_t d = 0; d < boxes->rank; ++d) {
    boxes->sizes[d] = rlt_max(boxes->all.sizes[d], 1);
    boxes->counts[d] = 1;
  }
}

void rlt_boxes_begin(const relayout_shape *shape, const rlt_index_box *range, rlt_boxes *made) {
  *made = (rlt_boxes){.rank = shape->rank};
  for (int32_t d = 0; d < shape->rank; ++d) {
    made->dimensions[d] = shape->dimensions[d];
    made->all.start[d] = range == NULL ? 0 : range->start[d];
    made->all.sizes[d] = range == NULL ? shape->dimensions[d] : range->sizes[d];
  }
}

static bool have_elements(const rlt_boxes *boxes) {
  bool have = true;
  for (int32_t d = 0; d < boxes->rank; ++d) {
    have = have && boxes->all.sizes[d] > 0;
  }
  return have;
}

static void begin_cuts(int32_t rank, cuts *made) {
  for (int32_t d = 0; d < rank; ++d) {
    made[d] = (cuts){1, 1, 1, 1};
  }
}

static void add_sides(const relayout_scaled_view *from, const relayout_scaled_view *to,
                      int32_t count, const rlt_boxes *boxes, cuts *made) {
  begin_cuts(boxes->rank, made);
  add_side(made, from);
  for (int32_t i = 0; i < count; ++i) {
    add_side(made, &to[i]);
  }
}

void rlt_boxes_units(const rlt_many *many, int64_t *units) {
  const rlt_boxes *const boxes = &many->boxes;
  cuts of[RELAYOUT_MAX_RANK];
  begin_cuts(boxes->rank, of);
  add_side(of, &many->from);
  for (int32_t i = 0; i < many->count; ++i) {
    add_side(of, &many->to[i].view);
  }
  for (int32_t d = 0; d < boxes->rank; ++d) {
    units[d] = common_multiple(of[d].unit, of[d].tile, rlt_max(boxes->dimensions[d], 1));
  }
}

relayout_status rlt_boxes_take(const relayout_scaled_view *from, const relayout_scaled_view *to,
                               int32_t count, const int64_t *sizes, rlt_boxes *boxes,
                               relayout_error *error) {
  cuts of[RELAYOUT_MAX_RANK];
  add_sides(from, to, count, boxes, of);
  for (int32_t d = 0; d < boxes->rank; ++d) {
    const int64_t most = rlt_max(boxes->all.sizes[d], 1);
    if (sizes[d] > most) {
      return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                      "schedule: `sizes` has %" PRId64 " along dimension %" PRId32
                      ", of which the plan moves %" PRId64,
                      sizes[d], d, most);
    }
    if (sizes[d] < most && sizes[d] % of[d].least != 0) {
      return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                      "schedule: `sizes` has %" PRId64 " along dimension %" PRId32
                      "; expected a multiple of %" PRId64
                      ", as elements share records or bytes there",
                      sizes[d], d, of[d].least);
    }
    boxes->sizes[d] = sizes[d];
  }
  if (have_elements(boxes)) {
    rlt_boxes_cut(boxes);
  } else {
    rlt_boxes_join(boxes);
  }
  return RELAYOUT_OK;
}

void rlt_boxes_choose(const relayout_scaled_view *from, const relayout_scaled_view *to,
                      int32_t count, const int32_t *order, rlt_box_limits limits,
                      rlt_boxes *boxes) {
  choosing by = {.boxes = boxes, .limits = limits};
  if (!have_elements(boxes)) {
    rlt_boxes_join(boxes);
    return;
  }
  add_sides(from, to, count, boxes, by.of);
  for (int32_t d = 0; d < boxes->rank; ++d) {
    boxes->sizes[d] = cut_size(&by.of[d], boxes->all.sizes[d], 1);
  }
  /* Whole groups, whose scales are found together; then runs, and what else there is room for. */
  for (int32_t d = 0; d < boxes->rank; ++d) {
    widen(&by, d, by.of[d].unit);
  }
  take_runs(&by, from);
  for (int32_t i = 0; i < count; ++i) {
    take_runs(&by, &to[i]);
  }
  for (int32_t i = 0; i < boxes->rank; ++i) {
    widen(&by, order[i], limits.elements);
  }
  rlt_boxes_cut(boxes);
}
