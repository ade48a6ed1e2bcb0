/* Elements in containers of 8, 16 and 32 bits: into and out of them, from one to another, packed on
 * the other side, and with a change of type. */
#include "conformance/families.h"
#include "conformance/random.h"
#include "oracle/oracle.h"

static bool is_container(relayout_element_type type, int64_t bits) {
  return bits > 8 * (int64_t)oracle_element_size(type);
}

static void draw_layout(generator *g, relayout_shape *shape) {
  enum { MOST_ELEMENTS = 20000 };
  random_order(&g->random, shape); /* all else is cleared */
  if (generator_chance(g, 3)) {
    random_padding(&g->random, shape);
  }
  if (shape->rank > 0 && generator_chance(g, 4)) {
    random_tiles(&g->random, MOST_ELEMENTS, shape);
  }
  if (generator_chance(g, 4)) {
    random_tail(&g->random, shape);
  }
  random_padding_value(&g->random, shape);
  shape->layout.element_size_in_bits = random_element_bits(&g->random, shape->element_type);
}

/* At least one side has containers. */
static void visit_layouts(generator *g, const dimension_list *list, relayout_element_type from_type,
                          relayout_element_type to_type, bool as_chosen) {
  relayout_shape from = generator_shape(from_type, list->rank, list->dimensions, 0);
  relayout_shape to = generator_shape(to_type, list->rank, list->dimensions, 0);
  do {
    draw_layout(g, &from);
    draw_layout(g, &to);
  } while (!is_container(from_type, from.layout.element_size_in_bits) &&
           !is_container(to_type, to.layout.element_size_in_bits));
  request asked = {&from, &to, ORACLE_OPTIONS_INIT, as_chosen};
  asked.options.wraps = generator_chance(g, 2);
  asked.options.scale = from_type != to_type && generator_chance(g, 3) ? 0.5 : 1;
  generator_visit(g, &asked);
}

static const dimension_list lists[] = {
    {0, {0}},    {1, {1}},         {1, {7}},       {1, {64}},         {1, {1001}},
    {2, {3, 5}}, {2, {16, 16}},    {2, {33, 65}},  {2, {130, 67}},    {2, {64, 256}},
    {2, {0, 4}}, {3, {2, 3, 5}},   {3, {8, 8, 8}}, {3, {3, 37, 2}},   {3, {9, 8, 6}},
    {1, {4099}}, {3, {3, 140, 5}}, {2, {300, 5}},  {4, {2, 3, 4, 5}}, {4, {3, 16, 2, 8}},
};

static void visit_same_types(generator *g) {
  static const relayout_element_type types[] = {
      RELAYOUT_PRED, RELAYOUT_S1,       RELAYOUT_U2,  RELAYOUT_S4,  RELAYOUT_F4E2M1FN, RELAYOUT_U8,
      RELAYOUT_S8,   RELAYOUT_F8E4M3FN, RELAYOUT_S16, RELAYOUT_F16, RELAYOUT_BF16,
  };
  generator_begin_family(g, (thinning){100, 8, 1});
  for (size_t i = 0; i < 8 * COUNT(types) * COUNT(lists); ++i) {
    if (generator_take_next(g)) {
      const relayout_element_type type = types[i % COUNT(types)];
      visit_layouts(g, &lists[i / COUNT(types) % COUNT(lists)], type, type, false);
    }
  }
}

/* Into a container of another type elements and what is above them go by themselves. */
static void visit_other_types(generator *g) {
  static const relayout_element_type pairs[][2] = {
      {RELAYOUT_F32, RELAYOUT_BF16}, {RELAYOUT_BF16, RELAYOUT_F32},
      {RELAYOUT_PRED, RELAYOUT_F16}, {RELAYOUT_F16, RELAYOUT_S4},
      {RELAYOUT_S4, RELAYOUT_S8},    {RELAYOUT_F64, RELAYOUT_PRED},
      {RELAYOUT_U8, RELAYOUT_S32},   {RELAYOUT_S8, RELAYOUT_F8E8M0FNU},
  };
  generator_begin_family(g, (thinning){100, 8, 1});
  for (size_t i = 0; i < 8 * COUNT(pairs) * COUNT(lists); ++i) {
    const relayout_element_type *pair = pairs[i % COUNT(pairs)];
    if (generator_take_next(g)) {
      visit_layouts(g, &lists[i / COUNT(pairs) % COUNT(lists)], pair[0], pair[1], false);
    }
  }
}

/* XLA's layouts of masks, which stand for all others where kernels take their time to compile. */
static void visit_masks(generator *g) {
  static const char *const masks[][2] = {
      {"pred[8,8,8]{0,2,1:T(8,128)}", "pred[8,8,8]{0,2,1:T(8,128)E(32)}"},
      {"pred[64,200]{1,0}", "pred[64,200]{1,0:PV(one)T(8,128)E(32)}"},
      {"pred[64,200]{1,0:T(8,128)E(32)}", "pred[64,200]{1,0}"},
      {"pred[130,67]{1,0}", "pred[130,67]{0,1:PD(130,80)PV(one)E(32)}"},
      {"pred[130,67]{1,0:PD(131,70)E(32)}", "pred[130,67]{0,1:PD(130,80)PV(unknown)}"},
      {"pred[16,200]{1,0:T(8,128)E(32)}", "pred[16,200]{1,0:PV(unknown)T(4,128)E(32)}"},
      {"pred[33,65]{1,0:E(32)}", "pred[33,65]{0,1:E(32)}"},
  };
  generator_begin_family(g, (thinning){4, 1, 1});
  for (size_t i = 0; i < COUNT(masks); ++i) {
    /* What does not parse stays invalid, which no plan takes. */
    relayout_shape from = {.rank = 0};
    relayout_shape to = {.rank = 0};
    relayout_shape_parse(masks[i][0], &from, NULL);
    relayout_shape_parse(masks[i][1], &to, NULL);
    if (generator_take_next(g)) {
      const request asked = {&from, &to, ORACLE_OPTIONS_INIT, g->compiles};
      generator_visit(g, &asked);
    }
  }
}

void container_cases_visit(generator *g) {
  visit_masks(g);
  if (!g->compiles || g->level == CONFORMANCE_FULL) {
    visit_same_types(g);
    visit_other_types(g);
  }
}
