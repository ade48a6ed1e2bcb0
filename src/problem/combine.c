/* combine.c: replaces dimensions that a tile merges by one, if both sides allow it. */
#include "problem/combine.h"

#include <string.h>

#include "metadata/widths.h"

/* The position of a dimension in the order of a side, minor to major. */
static int32_t position_of(const relayout_layout *layout, int32_t dimension) {
  int32_t at = 0;
  while (layout->minor_to_major[at] != dimension) {
    ++at;
  }
  return at;
}

/* The first tile's size for this dimension; -1 if the tile does not reach it. */
static int32_t tile_of(const relayout_layout *layout, int32_t dimension) {
  const int32_t position = position_of(layout, dimension);
  return position < layout->tile_ranks[0] ? layout->tile_ranks[0] - 1 - position : -1;
}

/* True if this side can treat both as one: `minor` is its next more minor dimension, and its tile,
 * if any, merges them. */
static bool joins(const relayout_shape *shape, int32_t major, int32_t minor) {
  const relayout_layout *const layout = &shape->layout;
  if (position_of(layout, major) != position_of(layout, minor) + 1 ||
      rlt_padded_width(shape, minor) != shape->dimensions[minor]) {
    return false;
  }
  if (layout->tile_count == 0) {
    return true;
  }
  const int32_t tile = tile_of(layout, major);
  return tile >= 0 && layout->tile_dimensions[tile] == RELAYOUT_TILE_COMBINE;
}

static void drop_entry(int64_t *entries, int32_t number, int32_t count) {
  memmove(&entries[number], &entries[number + 1], (size_t)(count - number - 1) * sizeof entries[0]);
}

/* Replaces `minor` by both dimensions. */
static void join(relayout_shape *shape, int32_t major, int32_t minor) {
  relayout_layout *const layout = &shape->layout;
  if (layout->tile_count > 0) {
    drop_entry(layout->tile_dimensions, tile_of(layout, major), RELAYOUT_MAX_TILE_DIMENSIONS);
    --layout->tile_ranks[0];
  }
  if (layout->padded_dimension_count > 0) {
    layout->padded_dimensions[minor] *= layout->padded_dimensions[major];
    drop_entry(layout->padded_dimensions, major, shape->rank);
    --layout->padded_dimension_count;
  }
  shape->dimensions[minor] *= shape->dimensions[major];
  drop_entry(shape->dimensions, major, shape->rank);
  int32_t kept = 0;
  for (int32_t i = 0; i < layout->rank; ++i) {
    const int32_t d = layout->minor_to_major[i];
    if (d != major) {
      layout->minor_to_major[kept++] = d > major ? d - 1 : d;
    }
  }
  --shape->rank;
  --layout->rank;
}

static bool combine_two(relayout_shape *from, relayout_shape *to) {
  for (int32_t i = 1; i < from->rank; ++i) {
    const int32_t major = from->layout.minor_to_major[i];
    const int32_t minor = from->layout.minor_to_major[i - 1];
    if (joins(from, major, minor) && joins(to, major, minor)) {
      join(from, major, minor);
      join(to, major, minor);
      return true;
    }
  }
  return false;
}

void rlt_combine_dimensions(relayout_shape *from, relayout_shape *to) {
  const bool has_tiles = from->layout.tile_count > 0 || to->layout.tile_count > 0;
  while (has_tiles && combine_two(from, to)) {
  }
}
