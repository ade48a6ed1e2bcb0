/* Making the cases. Each family is a list or a product of lists; what it does not care about is
 * drawn at random. Those of plain layouts are here, the others in files of their own. */
#include "conformance/cases.h"

#include "conformance/families.h"
#include "conformance/random.h"
#include "oracle/oracle.h"

static void emit(generator *g, relayout_element_type type, int32_t rank, const int64_t *dimensions,
                 uint32_t from_order, uint32_t to_order, padded_sides sides) {
  relayout_shape from = generator_shape(type, rank, dimensions, from_order);
  relayout_shape to = generator_shape(type, rank, dimensions, to_order);
  generator_pad(g, sides, &from, &to);
  generator_visit_pair(g, &from, &to);
}

/* Every order into every other: element sizes and padding in full up to rank 3, drawn above. */
static void visit_orders(generator *g) {
  static const int64_t dimensions[] = {3, 5, 2, 4, 3};
  generator_begin_family(g, (thinning){40, 4, 1});
  for (int32_t rank = 0; rank <= 3; ++rank) {
    const uint32_t orders = generator_orders(rank);
    for (uint32_t i = 0; i < orders * orders * ELEMENT_SIZES * PADDED_SIDES; ++i) {
      if (generator_take_next(g)) {
        const uint32_t pair = i / (ELEMENT_SIZES * PADDED_SIDES);
        emit(g, generator_types_by_size[i % ELEMENT_SIZES], rank, dimensions, pair / orders,
             pair % orders, (padded_sides)(i / ELEMENT_SIZES % PADDED_SIDES));
      }
    }
  }
  for (int32_t rank = 4; rank <= 5; ++rank) {
    generator_begin_family(g, rank == 4 ? (thinning){60, 4, 1} : (thinning){1500, 60, 1});
    const uint32_t orders = generator_orders(rank);
    for (uint32_t pair = 0; pair < orders * orders; ++pair) {
      if (generator_take_next(g)) {
        const relayout_element_type type = generator_any_size(g);
        emit(g, type, rank, dimensions, pair / orders, pair % orders, generator_any_sides(g));
      }
    }
  }
}

/* Sizes on both sides of what vectors, lines and tiles hold. */
static void visit_edges(generator *g) {
  static const int64_t sizes[] = {1,  2,  3,  4,  5,  7,  8,  15,  16,
                                  17, 31, 32, 33, 63, 64, 65, 100, 129};
  static const int64_t lengths[] = {255, 256, 257, 1023, 1025, 4096, 10000, 65537};
  generator_begin_family(g, (thinning){8, 1, 1});
  for (size_t i = 0; i < COUNT(sizes) + COUNT(lengths); ++i) {
    const int64_t length = i < COUNT(sizes) ? sizes[i] : lengths[i - COUNT(sizes)];
    for (size_t t = 0; t < ELEMENT_SIZES; ++t) {
      if (generator_take_next(g)) {
        emit(g, generator_types_by_size[t], 1, &length, 0, 0, generator_any_sides(g));
      }
    }
  }
  generator_begin_family(g, (thinning){60, 4, 1});
  for (size_t i = 0; i < COUNT(sizes) * COUNT(sizes); ++i) {
    const int64_t dimensions[] = {sizes[i / COUNT(sizes)], sizes[i % COUNT(sizes)]};
    for (size_t t = 0; t < ELEMENT_SIZES; ++t) {
      if (generator_take_next(g)) {
        const uint32_t from_order = (uint32_t)random_below(&g->random, 2);
        const bool transposes = random_below(&g->random, 3) > 0;
        const uint32_t to_order = transposes ? 1 - from_order : from_order;
        emit(g, generator_types_by_size[t], 2, dimensions, from_order, to_order,
             generator_any_sides(g));
      }
    }
  }
}

/* Several tiles in each direction, short inner axes beside long ones, several that are short. */
static void visit_large(generator *g) {
  static const dimension_list shapes[] = {
      {2, {130, 67}},      {2, {300, 5}},         {2, {3, 1000}},         {2, {257, 515}},
      {3, {2, 3, 500}},    {3, {67, 45, 3}},      {3, {4, 64, 33}},       {3, {33, 17, 65}},
      {3, {100, 128, 2}},  {4, {2, 129, 3, 37}},  {4, {4, 3, 30, 34}},    {4, {65, 2, 2, 66}},
      {4, {7, 7, 16, 16}}, {5, {3, 2, 40, 3, 5}}, {5, {2, 16, 2, 17, 4}}, {6, {2, 3, 4, 5, 6, 7}},
  };
  generator_begin_family(g, (thinning){60, 16, 1});
  for (size_t i = 0; i < COUNT(shapes); ++i) {
    const dimension_list *s = &shapes[i];
    const uint32_t orders = generator_orders(s->rank);
    const uint32_t pairs = orders < 24 ? orders * orders : 36;
    for (uint32_t pair = 0; pair < pairs * ELEMENT_SIZES; ++pair) {
      if (generator_take_next(g)) {
        const uint32_t from_order = (uint32_t)random_below(&g->random, orders);
        const uint32_t to_order = (uint32_t)random_below(&g->random, orders);
        emit(g, generator_types_by_size[pair % ELEMENT_SIZES], s->rank, s->dimensions, from_order,
             to_order, generator_any_sides(g));
      }
    }
  }
}

/* More than a cache holds: kernels may write around the cache then. */
static void visit_beyond_caches(generator *g) {
  static const struct {
    relayout_element_type type;
    dimension_list list;
    uint32_t to_order;
  } pairs[] = {
      {RELAYOUT_U8, {3, {3400, 4300, 3}}, 2}, {RELAYOUT_U8, {2, {6500, 6700}}, 1},
      {RELAYOUT_BF16, {2, {4701, 4702}}, 1},  {RELAYOUT_F32, {2, {3302, 3401}}, 1},
      {RELAYOUT_F32, {2, {3400, 3301}}, 0},   {RELAYOUT_S64, {3, {230, 240, 101}}, 5},
      {RELAYOUT_C128, {2, {1301, 2105}}, 1},
  };
  for (size_t i = 0; i < COUNT(pairs) && g->level == CONFORMANCE_FULL; ++i) {
    generator_begin_family(g, (thinning){1, 1, 1});
    generator_take_next(g);
    emit(g, pairs[i].type, pairs[i].list.rank, pairs[i].list.dimensions, 0, pairs[i].to_order,
         generator_any_sides(g));
  }
}

/* Rows that are padded to less than a vector, of columns a power of two apart, whose lines meet in
 * the caches: what a vector stores beyond a row is the next one's. */
static void visit_short_padded_rows(generator *g) {
  static const int64_t widths[][2] = {{16, 17}, {17, 31}, {23, 25}, {24, 24},
                                      {31, 33}, {33, 40}, {40, 63}, {62, 63}};
  generator_begin_family(g, (thinning){4, 1, 1});
  for (size_t i = 0; i < COUNT(widths) * ELEMENT_SIZES; ++i) {
    const int64_t *const width = widths[i % COUNT(widths)];
    const relayout_element_type type = generator_types_by_size[i / COUNT(widths)];
    const int64_t size = (int64_t)relayout_element_type_byte_size(type);
    const int64_t dimensions[] = {4096 / size, width[0]};
    const relayout_shape from = generator_shape(type, 2, dimensions, 1);
    relayout_shape to = generator_shape(type, 2, dimensions, 0);
    to.layout.padded_dimension_count = 2;
    to.layout.padded_dimensions[0] = dimensions[0] + i % 2;
    to.layout.padded_dimensions[1] = width[1];
    if (generator_take_next(g)) {
      generator_visit_pair(g, &from, &to);
    }
  }
}

/* Each value that padding can have, of each element type. */
static void visit_padding_values(generator *g) {
  static const relayout_element_type types[] = {
#define TYPE(name, ...) RELAYOUT_##name,
      RELAYOUT_ELEMENT_TYPE_TABLE(TYPE)
#undef TYPE
  };
  static const dimension_list shapes[] = {{1, {21}}, {2, {5, 9}}, {3, {4, 3, 5}}};
  generator_begin_family(g, (thinning){40, 1, 1});
  for (size_t i = 0; i < COUNT(types) * COUNT(shapes) * 6; ++i) {
    if (!generator_take_next(g)) {
      continue;
    }
    const relayout_element_type type = types[i % COUNT(types)];
    const dimension_list *s = &shapes[i / COUNT(types) % COUNT(shapes)];
    const uint32_t orders = generator_orders(s->rank);
    relayout_shape from = generator_shape(type, s->rank, s->dimensions, 0);
    relayout_shape to =
        generator_shape(type, s->rank, s->dimensions, (uint32_t)random_below(&g->random, orders));
    generator_pad(g, random_below(&g->random, 2) == 0 ? PAD_BOTH : PAD_DESTINATION, &from, &to);
    const relayout_padding_value value = (relayout_padding_value)(i / COUNT(types) / COUNT(shapes));
    unsigned char bytes[RELAYOUT_MAX_ELEMENT_SIZE];
    to.layout.padding_value = value;
    to.layout.padding_literal[0] = 1;
    if (value == RELAYOUT_PADDING_UNKNOWN || oracle_padding(&to.layout, type, bytes)) {
      generator_visit_pair(g, &from, &to);
    }
  }
}

/* No elements, one element, and dimensions of size 1; each also widened by padding. */
static void visit_degenerate(generator *g) {
  static const dimension_list shapes[] = {
      {0, {0}},
      {1, {0}},
      {1, {1}},
      {2, {0, 3}},
      {2, {3, 0}},
      {2, {0, 0}},
      {2, {1, 1}},
      {2, {1, 7}},
      {2, {7, 1}},
      {3, {1, 5, 1}},
      {3, {5, 1, 6}},
      {3, {0, 4, 2}},
      {3, {4, 0, 2}},
      {3, {4, 2, 0}},
      {4, {1, 3, 1, 4}},
      {4, {3, 1, 4, 1}},
      {4, {2, 0, 1, 3}},
      {5, {1, 1, 1, 1, 1}},
      {5, {1, 2, 1, 3, 1}},
  };
  generator_begin_family(g, (thinning){60, 2, 1});
  for (size_t i = 0; i < COUNT(shapes); ++i) {
    const dimension_list *s = &shapes[i];
    const uint32_t orders = generator_orders(s->rank);
    for (uint32_t draw = 0; draw < 10 * PADDED_SIDES; ++draw) {
      if (generator_take_next(g)) {
        const uint32_t from_order = (uint32_t)random_below(&g->random, orders);
        const uint32_t to_order = (uint32_t)random_below(&g->random, orders);
        const relayout_element_type type = generator_any_size(g);
        emit(g, type, s->rank, s->dimensions, from_order, to_order,
             (padded_sides)(draw % PADDED_SIDES));
      }
    }
  }
}

/* Random arrays. */
static void visit_random(generator *g, int32_t rank, int64_t max_elements) {
  relayout_shape from;
  random_dimensions(&g->random, random_element_type(&g->random), rank, max_elements, &from);
  relayout_shape to = from;
  random_order(&g->random, &from);
  random_order(&g->random, &to);
  generator_pad(g, generator_any_sides(g), &from, &to);
  generator_visit_pair(g, &from, &to);
}

static void visit_random_ranks(generator *g) {
  generator_begin_family(g, (thinning){60, 4, 1});
  for (uint32_t i = 0; i < 1000; ++i) {
    if (generator_take_next(g)) {
      visit_random(g, (int32_t)(i % 9), 4000);
    }
  }
}

/* Many dimensions, all of them 1 but some twos and a three. */
static void visit_high_ranks(generator *g) {
  generator_begin_family(g, (thinning){40, 3, 1});
  for (int32_t rank = 6; rank <= RELAYOUT_MAX_RANK; ++rank) {
    for (int32_t twos = 3; twos <= 12; twos += 3) {
      if (!generator_take_next(g)) {
        continue;
      }
      relayout_shape from = {.element_type = generator_any_size(g), .rank = rank};
      for (int32_t d = 0; d < rank; ++d) {
        from.dimensions[d] = 1;
      }
      for (int32_t i = 0; i < twos; ++i) {
        from.dimensions[random_below(&g->random, rank)] = i == 0 ? 3 : 2;
      }
      relayout_shape to = from;
      random_order(&g->random, &from);
      random_order(&g->random, &to);
      generator_pad(g, generator_any_sides(g), &from, &to);
      generator_visit_pair(g, &from, &to);
    }
  }
}

/* The families that have packed elements, once more. */
static void visit_packing_orders(generator *g) {
  g->draws_packing_orders = true;
  packed_cases_visit(g);
  tiled_cases_visit(g);
  converted_cases_visit(g);
  strided_cases_visit(g);
  container_cases_visit(g);
  g->draws_packing_orders = false;
}

void cases_visit(conformance_level level, bool compiles, uint64_t seed, cases_visitor visitor,
                 void *context) {
  generator g = {
      .level = level, .compiles = compiles, .visit = visitor, .context = context, .seed = seed};
  visit_orders(&g);
  visit_edges(&g);
  visit_large(&g);
  visit_beyond_caches(&g);
  visit_padding_values(&g);
  visit_degenerate(&g);
  visit_random_ranks(&g);
  visit_high_ranks(&g);
  tiled_cases_visit(&g);
  packed_cases_visit(&g);
  converted_cases_visit(&g);
  strided_cases_visit(&g);
  container_cases_visit(&g);
  visit_short_padded_rows(&g);
  tile_order_cases_visit(&g);
  visit_packing_orders(&g);
}
