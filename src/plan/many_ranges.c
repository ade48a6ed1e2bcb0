/* many_ranges.c: cuts what a plan of several destinations moves into ranges for which a device has
 * room. */
#include "base/checked.h"
#include "plan/many.h"

/* What of the room is taken, and how much that is in bytes. */
typedef struct demand {
  double share; /* of the scarcer kind; beyond 1 there is no room */
  double bytes;
} demand;

static double greater(double a, double b) {
  return a > b ? a : b;
}

static demand demand_of(const rlt_many *many, rlt_many_room room) {
  demand made = {0, 0};
  for (int32_t s = 0; s <= many->count; ++s) {
    for (int32_t t = 0; t < RLT_SIDE_TENSORS; ++t) {
      const double bytes = (double)many->bytes[s][t].bytes;
      made.share = greater(made.share, bytes / (double)room.tensor);
      made.bytes += bytes;
    }
  }
  made.share = greater(made.share, made.bytes / (double)room.all);
  return made;
}

static bool is_less(demand a, demand b) {
  return a.share < b.share || (a.share == b.share && a.bytes < b.bytes);
}

bool rlt_many_has_room(const rlt_many *many, rlt_many_room room) {
  return demand_of(many, room).share <= 1;
}

/* What the first of these boxes takes. */
static relayout_status find_demand(const rlt_many *many, rlt_many_room room, const rlt_boxes *boxes,
                                   demand *made, relayout_error *error) {
  rlt_many first = *many;
  rlt_index_box box;
  rlt_boxes_get(boxes, 0, &box);
  rlt_boxes_begin(&many->from.elements.shape, &box, &first.boxes);
  const relayout_status status = rlt_many_find_bytes(&first, error);
  *made = demand_of(&first, room);
  return status;
}

/* Whether ranges can move these boxes: each has all of a group whose scale is found. */
static bool are_ranges(const rlt_many *many, const rlt_boxes *boxes) {
  bool are = true;
  for (int32_t i = 0; i < many->count && are; ++i) {
    const relayout_scaled_view *const view = &many->to[i].view;
    are = !rlt_finds_scales(view) || rlt_finding_of(boxes, view) == RLT_FINDS_IN_BOX;
  }
  return are;
}

/* Halves the dimension after which boxes take least; `*has` becomes false if none is left whose
 * half takes less. */
static relayout_status halve(const rlt_many *many, rlt_many_room room, const int64_t *units,
                             rlt_boxes *boxes, demand *taken, bool *has, relayout_error *error) {
  const rlt_boxes before = *boxes;
  relayout_status status = RELAYOUT_OK;
  *has = false;
  for (int32_t d = 0; d < before.rank && status == RELAYOUT_OK; ++d) {
    const int64_t size = before.sizes[d];
    const int64_t half = rlt_divide_up(rlt_divide_up(size, 2), units[d]) * units[d];
    rlt_boxes tried = before;
    demand takes;
    tried.sizes[d] = half;
    if (half >= size || !are_ranges(many, &tried)) {
      continue;
    }
    rlt_boxes_cut(&tried);
    status = find_demand(many, room, &tried, &takes, error);
    if (status == RELAYOUT_OK && is_less(takes, *taken)) {
      *boxes = tried;
      *taken = takes;
      *has = true;
    }
  }
  return status;
}

relayout_status rlt_many_cut(const rlt_many *many, rlt_many_room room, rlt_boxes *boxes, bool *can,
                             relayout_error *error) {
  int64_t units[RELAYOUT_MAX_RANK];
  demand taken = demand_of(many, room);
  relayout_status status = RELAYOUT_OK;
  bool has = !rlt_boxes_are_none(&many->boxes);
  rlt_boxes_begin(&many->from.elements.shape, &many->boxes.all, boxes);
  rlt_boxes_join(boxes);
  rlt_boxes_units(many, units);
  while (has && taken.share > 1 && status == RELAYOUT_OK) {
    status = halve(many, room, units, boxes, &taken, &has, error);
  }
  *can = taken.share <= 1 && boxes->count > 1;
  return status;
}
