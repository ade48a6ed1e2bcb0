/* Sides given by byte strides: slices, broadcasts, views from behind, and elements at any byte. */
#include "conformance/families.h"
#include "conformance/random.h"
#include "oracle/oracle.h"

static const dimension_list lists[] = {
    {0, {0}},          {1, {1}},           {1, {7}},       {1, {100}},
    {2, {3, 5}},       {2, {16, 33}},      {2, {65, 17}},  {2, {1, 9}},
    {2, {0, 3}},       {3, {4, 3, 30}},    {3, {5, 1, 6}}, {3, {33, 2, 3}},
    {4, {2, 3, 4, 5}}, {4, {2, 1, 7, 16}}, {2, {130, 67}}, {3, {20, 31, 8}},
};

/* Tiles whose sizes divide each other, so that axes can express them. */
static void draw_even_tiles(generator *g, relayout_shape *shape) {
  relayout_layout *layout = &shape->layout;
  const int32_t rank = shape->rank < 2 ? 1 : 2;
  layout->tile_count = generator_chance(g, 2) ? 2 : 1;
  for (int32_t t = 0; t < layout->tile_count; ++t) {
    layout->tile_ranks[t] = rank;
    for (int32_t i = 0; i < rank; ++i) {
      const int64_t size = t > 0 ? 2 : 4 << random_below(&g->random, 2);
      layout->tile_dimensions[t * rank + i] = t > 0 && generator_chance(g, 2) ? 1 : size;
    }
  }
}

/* The side that has a layout. Where the other one's strides are those of single bytes, and where
 * they are the destination's, it takes axes to say where elements come from. */
static void draw_layout(generator *g, bool takes_axes, relayout_shape *shape) {
  enum { MOST_ELEMENTS = 30000 };
  random_order(&g->random, shape);
  if (generator_chance(g, 3)) {
    random_padding(&g->random, shape);
  }
  if (generator_chance(g, 4)) {
    if (takes_axes) {
      draw_even_tiles(g, shape);
    } else {
      random_tiles(&g->random, MOST_ELEMENTS, shape);
    }
  }
  if (generator_chance(g, 2)) {
    shape->layout.element_size_in_bits = random_packing(&g->random, shape->element_type);
  }
  random_padding_value(&g->random, shape);
  /* Words of an element that differ are filled each on its own, for which tiles leave no room. */
  if (takes_axes && shape->layout.tile_count > 0 &&
      shape->layout.padding_value != RELAYOUT_PADDING_UNKNOWN) {
    shape->layout.padding_value = RELAYOUT_PADDING_ZERO;
  }
}

/* A type of any size as it is, or packed on the other side, or changed on the way; but elements
 * that lie at any byte stay as they are. */
static void draw_types(generator *g, random_strides kind, relayout_shape *from,
                       relayout_shape *to) {
  static const relayout_element_type pairs[][2] = {
      {RELAYOUT_U4, RELAYOUT_U4}, {RELAYOUT_F32, RELAYOUT_BF16}, {RELAYOUT_S8, RELAYOUT_F32}};
  const relayout_element_type type = generator_any_size(g);
  from->element_type = type;
  to->element_type = type;
  if (!random_strides_are_of_bytes(kind) && generator_chance(g, 4)) {
    const int64_t pair = random_below(&g->random, COUNT(pairs));
    from->element_type = pairs[pair][0];
    to->element_type = pairs[pair][1];
  }
}

typedef enum strided_sides { SOURCE_STRIDED, DESTINATION_STRIDED, BOTH_STRIDED } strided_sides;
enum { STRIDED_SIDES = 3 };

static void visit_view(generator *g, const dimension_list *list, strided_sides sides,
                       random_strides kind) {
  int64_t from_strides[RELAYOUT_MAX_RANK] = {0};
  int64_t to_strides[RELAYOUT_MAX_RANK] = {0};
  relayout_shape from = generator_shape(RELAYOUT_U8, list->rank, list->dimensions, 0);
  relayout_shape to = from;
  request asked = {&from, &to, ORACLE_OPTIONS_INIT, false};
  draw_types(g, kind, &from, &to);
  if (sides == DESTINATION_STRIDED) {
    draw_layout(g, true, &from);
  } else {
    random_source_strides(&g->random, kind, &from, from_strides);
    asked.options.source_byte_strides = from_strides;
  }
  if (sides == SOURCE_STRIDED) {
    draw_layout(g, random_strides_are_of_bytes(kind), &to);
  } else {
    random_destination_strides(&g->random, kind, &to, to_strides);
    asked.options.destination_byte_strides = to_strides;
  }
  generator_visit(g, &asked);
}

void strided_cases_visit(generator *g) {
  enum { DRAWS = 6 };
  generator_begin_family(g, (thinning){240, 4, 1});
  for (size_t i = 0; i < COUNT(lists) * RANDOM_STRIDES * STRIDED_SIDES * DRAWS; ++i) {
    if (generator_take_next(g)) {
      visit_view(g, &lists[i % COUNT(lists)], (strided_sides)(i / COUNT(lists) % STRIDED_SIDES),
                 (random_strides)(i / COUNT(lists) / STRIDED_SIDES % RANDOM_STRIDES));
    }
  }
}
