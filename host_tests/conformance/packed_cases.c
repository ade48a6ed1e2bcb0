/* Elements of 1, 2 and 4 bits: packed, unpacked and moved as they are, at odd counts,
 * behind tails and within tiles. */
#include "conformance/families.h"
#include "conformance/random.h"

static const relayout_element_type types[] = {RELAYOUT_PRED, RELAYOUT_S1,      RELAYOUT_U1,
                                              RELAYOUT_S2,   RELAYOUT_U2,      RELAYOUT_S4,
                                              RELAYOUT_U4,   RELAYOUT_F4E2M1FN};

typedef enum packing { PACK, UNPACK, KEEP, CHANGE } packing;
enum { PACKINGS = 4 };

static void set_packing(generator *g, packing way, relayout_shape *from, relayout_shape *to) {
  const int64_t bits = random_packing(&g->random, from->element_type);
  const int64_t other = random_packing(&g->random, from->element_type);
  from->layout.element_size_in_bits = way == PACK ? 0 : bits;
  to->layout.element_size_in_bits = way == UNPACK ? 0 : way == CHANGE ? other : bits;
}

static void visit_sides(generator *g, packing way, relayout_shape *from, relayout_shape *to) {
  set_packing(g, way, from, to);
  generator_pad(g, generator_any_sides(g), from, to);
  if (generator_chance(g, 3)) {
    random_tail(&g->random, from);
  }
  if (generator_chance(g, 3)) {
    random_tail(&g->random, to);
    random_padding_value(&g->random, to);
  }
  generator_visit_pair(g, from, to);
}

static void visit_lists(generator *g, const dimension_list *lists, size_t count, uint32_t draws) {
  for (size_t i = 0; i < count * draws; ++i) {
    if (generator_take_next(g)) {
      const dimension_list *list = &lists[i / draws];
      const relayout_element_type type = types[random_below(&g->random, COUNT(types))];
      relayout_shape from = generator_draw_shape(g, type, list);
      relayout_shape to = generator_draw_shape(g, type, list);
      visit_sides(g, (packing)(i % PACKINGS), &from, &to);
    }
  }
}

/* XLA's layout of weights of 4 bits. */
static void visit_weights(generator *g) {
  static const dimension_list lists[] = {
      {2, {60, 60}}, {2, {64, 256}}, {2, {70, 130}}, {2, {9, 300}}, {3, {2, 65, 128}}};
  static const relayout_element_type weights[] = {RELAYOUT_S4, RELAYOUT_U4, RELAYOUT_F4E2M1FN};
  generator_begin_family(g, (thinning){20, 4, 1});
  for (size_t i = 0; i < 8 * COUNT(lists); ++i) {
    if (!generator_take_next(g)) {
      continue;
    }
    const dimension_list *list = &lists[i / 8];
    const relayout_element_type type = weights[i % COUNT(weights)];
    relayout_shape plain = generator_draw_shape(g, type, list);
    relayout_shape tiled = generator_shape(type, list->rank, list->dimensions, 0);
    plain.layout.element_size_in_bits = i % 2 == 0 ? 0 : 4;
    tiled.layout.element_size_in_bits = 4;
    tiled.layout.tile_count = 2;
    tiled.layout.tile_ranks[0] = 2;
    tiled.layout.tile_ranks[1] = 2;
    tiled.layout.tile_dimensions[0] = 64;
    tiled.layout.tile_dimensions[1] = 128;
    tiled.layout.tile_dimensions[2] = 8;
    tiled.layout.tile_dimensions[3] = 1;
    if (i % 4 < 2) {
      random_padding_value(&g->random, &tiled);
      generator_visit_pair(g, &plain, &tiled);
    } else {
      generator_visit_pair(g, &tiled, &plain);
    }
  }
}

/* Transposed, and packed on both sides: with rows of whole bytes or not, and
 * with padding of either. */
static void visit_turned(generator *g) {
  static const dimension_list lists[] = {{2, {128, 256}}, {2, {256, 384}}, {2, {272, 144}},
                                         {2, {131, 257}}, {2, {1, 37}},    {3, {3, 128, 256}},
                                         {3, {5, 33, 7}}};
  static const relayout_element_type transposed[] = {RELAYOUT_PRED, RELAYOUT_U2, RELAYOUT_S4};
  generator_begin_family(g, (thinning){60, 2, 1});
  for (size_t i = 0; i < 6 * COUNT(transposed) * COUNT(lists); ++i) {
    if (!generator_take_next(g)) {
      continue;
    }
    const dimension_list *list = &lists[i % COUNT(lists)];
    const relayout_element_type type = transposed[i / COUNT(lists) % COUNT(transposed)];
    relayout_shape from = generator_shape(type, list->rank, list->dimensions, 0);
    relayout_shape to = from;
    for (int32_t d = 0; d < list->rank; ++d) {
      to.layout.minor_to_major[d] = from.layout.minor_to_major[list->rank - 1 - d];
    }
    from.layout.element_size_in_bits = type == RELAYOUT_PRED ? 1 : type == RELAYOUT_U2 ? 2 : 4;
    to.layout.element_size_in_bits = from.layout.element_size_in_bits;
    if (i % 2 == 1) {
      generator_pad(g, generator_any_sides(g), &from, &to);
    }
    generator_visit_pair(g, &from, &to);
  }
}

void packed_cases_visit(generator *g) {
  static const dimension_list counts[] = {
      {1, {1}},  {1, {2}},   {1, {3}},   {1, {5}},   {1, {7}},    {1, {8}},    {1, {9}},  {1, {15}},
      {1, {16}}, {1, {17}},  {1, {31}},  {1, {33}},  {1, {63}},   {1, {64}},   {1, {65}}, {1, {0}},
      {0, {0}},  {1, {127}}, {1, {130}}, {1, {257}}, {1, {1001}}, {1, {4099}},
  };
  static const dimension_list shapes[] = {
      {2, {3, 5}},     {2, {7, 9}},    {2, {16, 16}},     {2, {33, 65}},      {2, {64, 66}},
      {2, {300, 5}},   {2, {130, 67}}, {2, {1, 9}},       {3, {2, 3, 5}},     {3, {5, 4, 3}},
      {3, {3, 37, 2}}, {3, {9, 8, 6}}, {4, {2, 3, 4, 5}}, {4, {3, 16, 2, 8}},
  };
  static const dimension_list large[] = {{2, {515, 1030}}, {3, {40, 33, 130}}, {1, {300001}}};
  generator_begin_family(g, (thinning){80, 4, 1});
  visit_lists(g, counts, COUNT(counts), 3 * PACKINGS);
  generator_begin_family(g, (thinning){100, 8, 1});
  visit_lists(g, shapes, COUNT(shapes), 10 * PACKINGS);
  generator_begin_family(g, (thinning){1000, 16, 1});
  visit_lists(g, large, COUNT(large), 3 * PACKINGS);
  visit_weights(g);
  visit_turned(g);
}
