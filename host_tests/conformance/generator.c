/* Making requests and sampling them. */
#include "conformance/generator.h"

#include "conformance/random.h"
#include "oracle/oracle.h"

const relayout_element_type generator_types_by_size[ELEMENT_SIZES] = {
    RELAYOUT_U8, RELAYOUT_BF16, RELAYOUT_F32, RELAYOUT_S64, RELAYOUT_C128};

/* Where programs are compiled, which takes seconds, all but the full level take half as many. */
void generator_begin_family(generator *g, thinning every) {
  const uint32_t rarer = g->compiles ? 2 : 1;
  g->period = g->level == CONFORMANCE_TINY    ? every.tiny * rarer
              : g->level == CONFORMANCE_QUICK ? every.quick * rarer
                                              : every.full;
}

bool generator_take_next(generator *g) {
  g->random = random_mix(g->seed ^ random_mix(g->number));
  g->number += 1;
  return random_next(&g->random) % g->period == 0;
}

/* An interpreter of kernels takes a second for what this many elements make. */
static bool fits(const generator *g, const relayout_shape *shape) {
  enum { TINY_BYTES = 4096 };
  return g->level != CONFORMANCE_TINY || oracle_byte_size(shape) <= TINY_BYTES;
}

static int64_t packed_bits(const relayout_shape *shape) {
  const int64_t bits = shape->layout.element_size_in_bits;
  return bits < 8 ? bits : 0;
}

/* Pairs of packings, 0 being a byte, that stand for the others. */
static bool is_common_packing(int64_t from, int64_t to) {
  static const int64_t common[][2] = {{0, 0}, {0, 4}, {4, 0}, {4, 4}, {1, 1}, {2, 0}, {1, 4}};
  for (size_t i = 0; i < COUNT(common); ++i) {
    if (from == common[i][0] && to == common[i][1]) {
      return true;
    }
  }
  return false;
}

/* Each kind of element makes another program of each kernel, which takes seconds. Where programs
 * are compiled, all but the full level keep to the kinds that stand for the others. */
static bool is_common(const generator *g, const request *asked) {
  return !g->compiles || g->level == CONFORMANCE_FULL || request_converts(asked) ||
         is_common_packing(packed_bits(asked->from), packed_bits(asked->to));
}

/* Half of the packed sides have their elements high bits first. False where no side has. */
static bool draw_packing_orders(const generator *g, relayout_shape *from, relayout_shape *to) {
  const uint64_t drawn = random_mix(g->random);
  if (packed_bits(from) > 0 && drawn % 2 == 1) {
    from->layout.packing_order = RELAYOUT_PACKING_HIGH_FIRST;
  }
  if (packed_bits(to) > 0 && drawn / 2 % 2 == 1) {
    to->layout.packing_order = RELAYOUT_PACKING_HIGH_FIRST;
  }
  return from->layout.packing_order != to->layout.packing_order ||
         from->layout.packing_order == RELAYOUT_PACKING_HIGH_FIRST;
}

static void visit_orders(const generator *g, const request *asked) {
  relayout_shape from = *asked->from;
  relayout_shape to = *asked->to;
  if (draw_packing_orders(g, &from, &to)) {
    request drawn = *asked;
    drawn.from = &from;
    drawn.to = &to;
    g->visit(g->context, &drawn);
  }
}

void generator_visit(const generator *g, const request *asked) {
  if (fits(g, asked->from) && fits(g, asked->to) && is_common(g, asked)) {
    if (g->draws_packing_orders) {
      visit_orders(g, asked);
    } else {
      g->visit(g->context, asked);
    }
  }
}

void generator_visit_pair(const generator *g, const relayout_shape *from,
                          const relayout_shape *to) {
  const request asked = {from, to, ORACLE_OPTIONS_INIT, false};
  generator_visit(g, &asked);
}

bool generator_chance(generator *g, int64_t count) {
  return random_below(&g->random, count) == 0;
}

/* A permutation of 0 .. rank-1 by its number. */
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

uint32_t generator_orders(int32_t rank) {
  uint32_t product = 1;
  for (int32_t i = 2; i <= rank; ++i) {
    product *= (uint32_t)i;
  }
  return product;
}

relayout_shape generator_shape(relayout_element_type type, int32_t rank, const int64_t *dimensions,
                               uint32_t order) {
  relayout_shape shape = {.element_type = type, .rank = rank, .layout = {.rank = rank}};
  for (int32_t d = 0; d < rank; ++d) {
    shape.dimensions[d] = dimensions[d];
  }
  order_of(rank, order, shape.layout.minor_to_major);
  return shape;
}

relayout_shape generator_draw_shape(generator *g, relayout_element_type type,
                                    const dimension_list *list) {
  const uint32_t order = (uint32_t)random_below(&g->random, generator_orders(list->rank));
  return generator_shape(type, list->rank, list->dimensions, order);
}

void generator_pad(generator *g, padded_sides sides, relayout_shape *from, relayout_shape *to) {
  if (sides == PAD_SOURCE || sides == PAD_BOTH) {
    random_padding(&g->random, from);
  }
  if (sides == PAD_DESTINATION || sides == PAD_BOTH) {
    random_padding(&g->random, to);
    random_padding_value(&g->random, to);
  }
}

relayout_element_type generator_any_size(generator *g) {
  return generator_types_by_size[random_below(&g->random, ELEMENT_SIZES)];
}

padded_sides generator_any_sides(generator *g) {
  return (padded_sides)random_below(&g->random, PADDED_SIDES);
}
