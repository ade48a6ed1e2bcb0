/* Making the cases. Each family is a list or a product of lists; what it does not care about is
 * drawn at random. */
#include "conformance/cases.h"

#include <stdbool.h>
#include <string.h>

#include "conformance/random.h"
#include "oracle/oracle.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* How many pairs of a family make one case at each level. */
typedef struct thinning {
  uint32_t tiny;
  uint32_t quick;
  uint32_t full;
} thinning;

typedef struct generator {
  conformance_level level;
  cases_visitor visit;
  void *context;
  uint64_t seed;
  uint64_t number; /* of the pair, taken or not */
  uint32_t period; /* of the current family */
  uint64_t random; /* what the current pair draws from */
} generator;

/* One type for each element size. */
static const relayout_element_type types_by_size[] = {RELAYOUT_U8, RELAYOUT_BF16, RELAYOUT_F32,
                                                      RELAYOUT_S64, RELAYOUT_C128};

typedef enum padded_sides {
  PAD_NEITHER,
  PAD_SOURCE,
  PAD_DESTINATION,
  PAD_BOTH,
} padded_sides;
enum { PADDED_SIDES = 4 };

static void begin_family(generator *g, thinning every) {
  g->period = g->level == CONFORMANCE_TINY    ? every.tiny
              : g->level == CONFORMANCE_QUICK ? every.quick
                                              : every.full;
}

/* Passes on to the next pair; whether the level takes it. */
static bool take_next(generator *g) {
  g->random = random_mix(g->seed ^ random_mix(g->number));
  g->number += 1;
  return random_next(&g->random) % g->period == 0;
}

/* An interpreter of kernels takes a second for what this many elements make. */
static bool fits(const generator *g, const relayout_shape *shape) {
  enum { TINY_BYTES = 4096 };
  return g->level != CONFORMANCE_TINY || oracle_byte_size(shape) <= TINY_BYTES;
}

static void visit(const generator *g, const relayout_shape *from, const relayout_shape *to) {
  if (fits(g, from) && fits(g, to)) {
    g->visit(g->context, from, to);
  }
}

/* A permutation of 0 .. rank-1 by its number in 0 .. rank!-1; number 0 is descending. */
static void order_of(int32_t rank, uint32_t number, int32_t *order) {
  bool used[RELAYOUT_MAX_RANK] = {false};
  for (int32_t i = 0; i < rank; ++i) {
    uint32_t skip = number % (uint32_t)(rank - i);
    number /= (uint32_t)(rank - i);
    int32_t d = rank - 1;
    while (used[d] || skip > 0) {
      skip -= used[d] ? 0 : 1;
      d -= 1;
    }
    used[d] = true;
    order[i] = d;
  }
}

static uint32_t factorial(int32_t rank) {
  uint32_t product = 1;
  for (int32_t i = 2; i <= rank; ++i) {
    product *= (uint32_t)i;
  }
  return product;
}

static relayout_shape make_shape(relayout_element_type type, int32_t rank,
                                 const int64_t *dimensions, uint32_t order) {
  relayout_shape shape = {.element_type = type, .rank = rank, .layout = {.rank = rank}};
  for (int32_t d = 0; d < rank; ++d) {
    shape.dimensions[d] = dimensions[d];
  }
  order_of(rank, order, shape.layout.minor_to_major);
  return shape;
}

static void pad(generator *g, padded_sides sides, relayout_shape *from, relayout_shape *to) {
  if (sides == PAD_SOURCE || sides == PAD_BOTH) {
    random_padding(&g->random, from);
  }
  if (sides == PAD_DESTINATION || sides == PAD_BOTH) {
    random_padding(&g->random, to);
    random_padding_value(&g->random, to);
  }
}

static void emit(generator *g, relayout_element_type type, int32_t rank, const int64_t *dimensions,
                 uint32_t from_order, uint32_t to_order, padded_sides sides) {
  relayout_shape from = make_shape(type, rank, dimensions, from_order);
  relayout_shape to = make_shape(type, rank, dimensions, to_order);
  pad(g, sides, &from, &to);
  visit(g, &from, &to);
}

static relayout_element_type any_size(generator *g) {
  return types_by_size[random_below(&g->random, COUNT(types_by_size))];
}

static padded_sides any_sides(generator *g) {
  return (padded_sides)random_below(&g->random, PADDED_SIDES);
}

/* Every order into every other: element sizes and padding in full up to rank 3, drawn above. */
static void visit_orders(generator *g) {
  static const int64_t dimensions[] = {3, 5, 2, 4, 3};
  begin_family(g, (thinning){40, 4, 1});
  for (int32_t rank = 0; rank <= 3; ++rank) {
    const uint32_t orders = factorial(rank);
    for (uint32_t i = 0; i < orders * orders * COUNT(types_by_size) * PADDED_SIDES; ++i) {
      if (take_next(g)) {
        const uint32_t pair = i / (COUNT(types_by_size) * PADDED_SIDES);
        emit(g, types_by_size[i % COUNT(types_by_size)], rank, dimensions, pair / orders,
             pair % orders, (padded_sides)(i / COUNT(types_by_size) % PADDED_SIDES));
      }
    }
  }
  for (int32_t rank = 4; rank <= 5; ++rank) {
    begin_family(g, rank == 4 ? (thinning){60, 4, 1} : (thinning){1500, 60, 1});
    const uint32_t orders = factorial(rank);
    for (uint32_t pair = 0; pair < orders * orders; ++pair) {
      if (take_next(g)) {
        const relayout_element_type type = any_size(g);
        emit(g, type, rank, dimensions, pair / orders, pair % orders, any_sides(g));
      }
    }
  }
}

/* Sizes on both sides of what vectors, lines and tiles hold. */
static void visit_edges(generator *g) {
  static const int64_t sizes[] = {1,  2,  3,  4,  5,  7,  8,  15,  16,
                                  17, 31, 32, 33, 63, 64, 65, 100, 129};
  static const int64_t lengths[] = {255, 256, 257, 1023, 1025, 4096, 10000, 65537};
  begin_family(g, (thinning){8, 1, 1});
  for (size_t i = 0; i < COUNT(sizes) + COUNT(lengths); ++i) {
    const int64_t length = i < COUNT(sizes) ? sizes[i] : lengths[i - COUNT(sizes)];
    for (size_t t = 0; t < COUNT(types_by_size); ++t) {
      if (take_next(g)) {
        emit(g, types_by_size[t], 1, &length, 0, 0, any_sides(g));
      }
    }
  }
  begin_family(g, (thinning){60, 4, 1});
  for (size_t i = 0; i < COUNT(sizes) * COUNT(sizes); ++i) {
    const int64_t dimensions[] = {sizes[i / COUNT(sizes)], sizes[i % COUNT(sizes)]};
    for (size_t t = 0; t < COUNT(types_by_size); ++t) {
      if (take_next(g)) {
        const uint32_t from_order = (uint32_t)random_below(&g->random, 2);
        const bool transposes = random_below(&g->random, 3) > 0;
        const uint32_t to_order = transposes ? 1 - from_order : from_order;
        emit(g, types_by_size[t], 2, dimensions, from_order, to_order, any_sides(g));
      }
    }
  }
}

typedef struct dimension_list {
  int32_t rank;
  int64_t dimensions[8];
} dimension_list;

/* Several tiles in each direction, short inner axes beside long ones, several that are short. */
static void visit_large(generator *g) {
  static const dimension_list shapes[] = {
      {2, {130, 67}},      {2, {300, 5}},         {2, {3, 1000}},         {2, {257, 515}},
      {3, {2, 3, 500}},    {3, {67, 45, 3}},      {3, {4, 64, 33}},       {3, {33, 17, 65}},
      {3, {100, 128, 2}},  {4, {2, 129, 3, 37}},  {4, {4, 3, 30, 34}},    {4, {65, 2, 2, 66}},
      {4, {7, 7, 16, 16}}, {5, {3, 2, 40, 3, 5}}, {5, {2, 16, 2, 17, 4}}, {6, {2, 3, 4, 5, 6, 7}},
  };
  begin_family(g, (thinning){60, 16, 1});
  for (size_t i = 0; i < COUNT(shapes); ++i) {
    const dimension_list *s = &shapes[i];
    const uint32_t orders = factorial(s->rank);
    const uint32_t pairs = orders < 24 ? orders * orders : 36;
    for (uint32_t pair = 0; pair < pairs * COUNT(types_by_size); ++pair) {
      if (take_next(g)) {
        const uint32_t from_order = (uint32_t)random_below(&g->random, orders);
        const uint32_t to_order = (uint32_t)random_below(&g->random, orders);
        emit(g, types_by_size[pair % COUNT(types_by_size)], s->rank, s->dimensions, from_order,
             to_order, any_sides(g));
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
    begin_family(g, (thinning){1, 1, 1});
    take_next(g);
    emit(g, pairs[i].type, pairs[i].list.rank, pairs[i].list.dimensions, 0, pairs[i].to_order,
         any_sides(g));
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
  begin_family(g, (thinning){40, 1, 1});
  for (size_t i = 0; i < COUNT(types) * COUNT(shapes) * 6; ++i) {
    if (!take_next(g)) {
      continue;
    }
    const relayout_element_type type = types[i % COUNT(types)];
    const dimension_list *s = &shapes[i / COUNT(types) % COUNT(shapes)];
    const uint32_t orders = factorial(s->rank);
    relayout_shape from = make_shape(type, s->rank, s->dimensions, 0);
    relayout_shape to =
        make_shape(type, s->rank, s->dimensions, (uint32_t)random_below(&g->random, orders));
    pad(g, random_below(&g->random, 2) == 0 ? PAD_BOTH : PAD_DESTINATION, &from, &to);
    const relayout_padding_value value = (relayout_padding_value)(i / COUNT(types) / COUNT(shapes));
    unsigned char bytes[RELAYOUT_MAX_ELEMENT_SIZE];
    to.layout.padding_value = value;
    to.layout.padding_literal[0] = 1;
    if (value == RELAYOUT_PADDING_UNKNOWN || oracle_padding(&to.layout, type, bytes)) {
      visit(g, &from, &to);
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
  begin_family(g, (thinning){60, 2, 1});
  for (size_t i = 0; i < COUNT(shapes); ++i) {
    const dimension_list *s = &shapes[i];
    const uint32_t orders = factorial(s->rank);
    for (uint32_t draw = 0; draw < 10 * PADDED_SIDES; ++draw) {
      if (take_next(g)) {
        const uint32_t from_order = (uint32_t)random_below(&g->random, orders);
        const uint32_t to_order = (uint32_t)random_below(&g->random, orders);
        const relayout_element_type type = any_size(g);
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
  pad(g, any_sides(g), &from, &to);
  visit(g, &from, &to);
}

static void visit_random_ranks(generator *g) {
  begin_family(g, (thinning){60, 4, 1});
  for (uint32_t i = 0; i < 1000; ++i) {
    if (take_next(g)) {
      visit_random(g, (int32_t)(i % 9), 4000);
    }
  }
}

/* Many dimensions, all of them 1 but some twos and a three. */
static void visit_high_ranks(generator *g) {
  begin_family(g, (thinning){40, 3, 1});
  for (int32_t rank = 6; rank <= RELAYOUT_MAX_RANK; ++rank) {
    for (int32_t twos = 3; twos <= 12; twos += 3) {
      if (!take_next(g)) {
        continue;
      }
      relayout_shape from = {.element_type = any_size(g), .rank = rank};
      for (int32_t d = 0; d < rank; ++d) {
        from.dimensions[d] = 1;
      }
      for (int32_t i = 0; i < twos; ++i) {
        from.dimensions[random_below(&g->random, rank)] = i == 0 ? 3 : 2;
      }
      relayout_shape to = from;
      random_order(&g->random, &from);
      random_order(&g->random, &to);
      pad(g, any_sides(g), &from, &to);
      visit(g, &from, &to);
    }
  }
}

void cases_visit(conformance_level level, uint64_t seed, cases_visitor visitor, void *context) {
  generator g = {.level = level, .visit = visitor, .context = context, .seed = seed};
  visit_orders(&g);
  visit_edges(&g);
  visit_large(&g);
  visit_beyond_caches(&g);
  visit_padding_values(&g);
  visit_degenerate(&g);
  visit_random_ranks(&g);
  visit_high_ranks(&g);
}
