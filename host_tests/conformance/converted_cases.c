/* Changes of element type: each type to each other; all values of narrow ones and the boundaries of
 * wide ones; and some pairs together with everything else. */
#include "conformance/families.h"
#include "conformance/random.h"
#include "oracle/formats.h"
#include "oracle/oracle.h"
#include "real_types.h"

/* Never 1 for a type that stays as it is. */
static double draw_scale(uint64_t *random, bool changes) {
  static const double scales[] = {0.5,       -1,        3,       0.1,
                                  1.0 / 255, 127,       -0x1p-9, 0x1p70,
                                  1e-30,     0x1p-1074, 1e300,   0x1.fffffffffffffp1023};
  if (changes && random_below(random, 2) == 0) {
    return 1;
  }
  return scales[random_below(random, COUNT(scales))];
}

/* A few pairs that stand for the others, those first that meet every layout. */
static const struct {
  relayout_element_type from;
  relayout_element_type to;
} common_pairs[] = {
    {RELAYOUT_F32, RELAYOUT_BF16},     {RELAYOUT_BF16, RELAYOUT_F32},
    {RELAYOUT_S4, RELAYOUT_BF16},      {RELAYOUT_F32, RELAYOUT_S4},
    {RELAYOUT_F32, RELAYOUT_F8E4M3FN}, {RELAYOUT_F8E5M2, RELAYOUT_F16},
    {RELAYOUT_PRED, RELAYOUT_F32},     {RELAYOUT_S8, RELAYOUT_U2},
    {RELAYOUT_F16, RELAYOUT_F4E2M1FN}, {RELAYOUT_F64, RELAYOUT_S32},
    {RELAYOUT_U8, RELAYOUT_F64},       {RELAYOUT_S4, RELAYOUT_F4E2M1FN},
};

static bool is_common_pair(relayout_element_type from, relayout_element_type to) {
  for (size_t i = 0; i < COUNT(common_pairs); ++i) {
    if (from == common_pairs[i].from && to == common_pairs[i].to) {
      return true;
    }
  }
  return false;
}

/* A device that compiles a kernel for each pair gets the common ones, and at the full level each
 * type as a source and as a destination twice. */
static bool takes_pair(const generator *g, size_t from, size_t to) {
  if (!g->compiles) {
    return true;
  }
  if (g->level != CONFORMANCE_FULL) {
    return is_common_pair(real_types[from], real_types[to]);
  }
  const size_t shift = (to + REAL_TYPES - from + (size_t)(g->seed % REAL_TYPES)) % REAL_TYPES;
  return shift == 0 || shift == REAL_TYPES / 2;
}

/* Whether there is a scale, and how integers are rounded and wrap, is compiled in too: then it
 * hangs on the pair. */
static oracle_options draw_options(generator *g, relayout_element_type from,
                                   relayout_element_type to) {
  uint64_t of_the_pair = g->seed ^ random_mix((uint64_t)from << 32 | (uint64_t)to);
  uint64_t *random = g->compiles ? &of_the_pair : &g->random;
  oracle_options options = ORACLE_OPTIONS_INIT;
  options.scale = draw_scale(random, from != to);
  options.wraps = random_below(random, 2) == 0;
  options.to_nearest = random_below(random, 2) == 0;
  return options;
}

static void visit_pairs(generator *g, const dimension_list *list) {
  for (size_t i = 0; i < REAL_TYPES * REAL_TYPES; ++i) {
    if (!takes_pair(g, i / REAL_TYPES, i % REAL_TYPES) || !generator_take_next(g)) {
      continue;
    }
    const relayout_shape from = generator_draw_shape(g, real_types[i / REAL_TYPES], list);
    relayout_shape to = generator_draw_shape(g, real_types[i % REAL_TYPES], list);
    if (generator_chance(g, 3)) {
      random_padding(&g->random, &to);
      random_padding_value(&g->random, &to);
    }
    const oracle_options options = draw_options(g, from.element_type, to.element_type);
    const request asked = {&from, &to, options, g->compiles};
    generator_visit(g, &asked);
  }
}

/* Long enough for all values of 16 bits, or for many of wider ones. */
static void visit_values(generator *g) {
  generator_begin_family(g, (thinning){1000, 16, 1});
  for (size_t i = 0; i < 2 * REAL_TYPES * REAL_TYPES; ++i) {
    const size_t from = i / 2 / REAL_TYPES;
    const size_t to = i / 2 % REAL_TYPES;
    const number_format format = format_of(real_types[from]);
    if (format.bits <= 8 || !takes_pair(g, from, to) || !generator_take_next(g)) {
      continue;
    }
    const dimension_list list = {1, {format.bits == 16 ? 65537 : 20001}};
    const relayout_shape source = generator_draw_shape(g, real_types[from], &list);
    const relayout_shape destination = generator_draw_shape(g, real_types[to], &list);
    oracle_options options = draw_options(g, real_types[from], real_types[to]);
    if (i % 2 == 0 && from != to && !g->compiles) {
      options.scale = 1;
    }
    const request asked = {&source, &destination, options, true};
    generator_visit(g, &asked);
  }
}

static void draw_layout(generator *g, relayout_shape *shape) {
  enum { MOST_ELEMENTS = 20000 };
  random_order(&g->random, shape);
  if (generator_chance(g, 3)) {
    random_padding(&g->random, shape);
  }
  if (generator_chance(g, 3)) {
    random_tiles(&g->random, MOST_ELEMENTS, shape);
  }
  /* How wide packed elements are is compiled in. */
  if (generator_chance(g, 2)) {
    uint64_t same = g->seed;
    shape->layout.element_size_in_bits =
        random_packing(g->compiles ? &same : &g->random, shape->element_type);
  }
  if (generator_chance(g, 4)) {
    random_tail(&g->random, shape);
  }
  random_padding_value(&g->random, shape);
}

/* Every method, orders, tiles, padding and packing, with the common pairs. */
static void visit_layouts(generator *g) {
  const size_t kinds = g->compiles && g->level != CONFORMANCE_FULL ? 3 : COUNT(common_pairs);
  generator_begin_family(g, (thinning){100, 8, 1});
  for (size_t i = 0; i < 100 * kinds; ++i) {
    if (!generator_take_next(g)) {
      continue;
    }
    relayout_shape from;
    const size_t pair = i % kinds;
    const int32_t rank = 1 + (int32_t)random_below(&g->random, 4);
    random_dimensions(&g->random, common_pairs[pair].from, rank, 3000, &from);
    relayout_shape to = from;
    to.element_type = common_pairs[pair].to;
    draw_layout(g, &from);
    draw_layout(g, &to);
    const oracle_options options = draw_options(g, from.element_type, to.element_type);
    const request asked = {&from, &to, options, g->level == CONFORMANCE_TINY};
    generator_visit(g, &asked);
  }
}

void converted_cases_visit(generator *g) {
  static const dimension_list small = {2, {19, 23}};
  static const dimension_list long_runs = {3, {3, 140, 5}};
  generator_begin_family(g, (thinning){6, 1, 1});
  visit_pairs(g, &small);
  generator_begin_family(g, (thinning){1000, 4, 1});
  visit_pairs(g, &long_runs);
  visit_values(g);
  visit_layouts(g);
}
