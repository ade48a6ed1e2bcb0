/* Tiles: the layouts that accelerators use, at sizes that do not fill them; tiles that share no
 * divisor with those of the other side; any others; and those that give what lies within a tile
 * another order. */
#include <string.h>

#include "conformance/families.h"
#include "conformance/random.h"

enum { STAR = -1, NOT_TILED = 0 };

/* Up to three tiles, their dimensions one after the other. */
typedef struct tile_list {
  int32_t count;
  int32_t ranks[3];
  int64_t sizes[8];
} tile_list;

typedef struct tiled_array {
  relayout_element_type type;
  dimension_list list;
  tile_list tiles;
} tiled_array;

static void set_tiles(const tile_list *tiles, relayout_shape *shape) {
  int64_t *size = shape->layout.tile_dimensions;
  shape->layout.tile_count = tiles->count;
  for (int32_t t = 0; t < tiles->count; ++t) {
    shape->layout.tile_ranks[t] = tiles->ranks[t];
    for (int32_t i = 0; i < tiles->ranks[t]; ++i, ++size) {
      const int64_t listed = tiles->sizes[size - shape->layout.tile_dimensions];
      *size = listed == STAR ? RELAYOUT_TILE_COMBINE : listed;
    }
  }
}

/* Padding under the tiles and a tail behind them, now and then. */
static void draw_rest(generator *g, relayout_shape *shape) {
  if (generator_chance(g, 3)) {
    random_padding(&g->random, shape);
  }
  if (generator_chance(g, 4)) {
    random_tail(&g->random, shape);
  }
}

/* A side: in the default order more often than in any other. */
static relayout_shape draw_side(generator *g, relayout_element_type type,
                                const dimension_list *list, const tile_list *tiles) {
  relayout_shape shape = generator_draw_shape(g, type, list);
  if (generator_chance(g, 2)) {
    shape = generator_shape(type, list->rank, list->dimensions, 0);
  }
  draw_rest(g, &shape);
  set_tiles(tiles, &shape);
  return shape;
}

static void visit_sides(generator *g, relayout_element_type type, const dimension_list *list,
                        const tile_list *from_tiles, const tile_list *to_tiles) {
  const relayout_shape from = draw_side(g, type, list, from_tiles);
  relayout_shape to = draw_side(g, type, list, to_tiles);
  random_padding_value(&g->random, &to);
  generator_visit_pair(g, &from, &to);
}

/* ---- What accelerators use ------------------------------------------------------------------ */

static const tile_list plain = {NOT_TILED, {0}, {0}};

static const tiled_array usual[] = {
    {RELAYOUT_F32, {2, {9, 130}}, {1, {2}, {8, 128}}},
    {RELAYOUT_F32, {2, {24, 256}}, {1, {2}, {8, 128}}},
    {RELAYOUT_F32, {3, {3, 10, 33}}, {1, {2}, {8, 128}}},
    {RELAYOUT_F32, {1, {130}}, {1, {2}, {8, 128}}},
    {RELAYOUT_F32, {2, {3, 200}}, {1, {2}, {2, 128}}},
    {RELAYOUT_BF16, {2, {5, 7}}, {2, {2, 2}, {8, 128, 2, 1}}},
    {RELAYOUT_BF16, {2, {17, 140}}, {2, {2, 2}, {8, 128, 2, 1}}},
    {RELAYOUT_BF16, {3, {2, 16, 256}}, {2, {2, 2}, {8, 128, 2, 1}}},
    {RELAYOUT_BF16, {4, {3, 1, 5, 130}}, {2, {2, 2}, {4, 128, 2, 1}}},
    {RELAYOUT_S8, {2, {5, 7}}, {2, {2, 2}, {8, 128, 4, 1}}},
    {RELAYOUT_S8, {2, {33, 200}}, {2, {2, 2}, {8, 128, 4, 1}}},
    {RELAYOUT_BF16, {1, {100}}, {3, {1, 1, 2}, {1024, 128, 2, 1}}},
    {RELAYOUT_BF16, {1, {2500}}, {3, {1, 1, 2}, {1024, 128, 2, 1}}},
    /* nChw8c, nChw16c, NC4HW4, OIhw8o8i, OIhw4o16i; NHWC order makes other ones of them. */
    {RELAYOUT_F32, {4, {2, 19, 5, 7}}, {1, {3}, {8, 1, 1}}},
    {RELAYOUT_F32, {4, {2, 16, 3, 3}}, {1, {3}, {8, 1, 1}}},
    {RELAYOUT_F32, {4, {2, 32, 3, 3}}, {1, {3}, {16, 1, 1}}},
    {RELAYOUT_BF16, {4, {1, 35, 4, 5}}, {1, {3}, {16, 1, 1}}},
    {RELAYOUT_U8, {4, {3, 6, 5, 5}}, {1, {3}, {4, 1, 1}}},
    {RELAYOUT_F32, {4, {9, 10, 3, 2}}, {1, {4}, {8, 8, 1, 1}}},
    {RELAYOUT_S8, {4, {7, 18, 2, 3}}, {1, {4}, {4, 16, 1, 1}}},
    /* Pairs and fours of rows, for dot products. */
    {RELAYOUT_BF16, {2, {9, 10}}, {1, {2}, {2, 1}}},
    {RELAYOUT_S8, {2, {10, 19}}, {1, {2}, {4, 1}}},
    {RELAYOUT_BF16, {2, {20, 40}}, {2, {2, 2}, {16, 16, 2, 1}}},
    /* Tiles of tiles; ones that divide nothing; of several dimensions as one;
     * of more than there are. */
    {RELAYOUT_F32, {2, {3, 5}}, {1, {2}, {2, 2}}},
    {RELAYOUT_S64, {2, {11, 12}}, {2, {2, 2}, {5, 7, 2, 3}}},
    {RELAYOUT_C128, {2, {7, 9}}, {1, {2}, {4, 4}}},
    {RELAYOUT_F32, {3, {2, 3, 20}}, {1, {2}, {STAR, 16}}},
    {RELAYOUT_U8, {3, {5, 6, 20}}, {1, {3}, {STAR, 8, 16}}},
    {RELAYOUT_F32, {3, {4, 3, 5}}, {2, {3, 1}, {STAR, STAR, 8, 4}}},
    {RELAYOUT_U8, {1, {9}}, {1, {3}, {2, 2, 2}}},
    {RELAYOUT_U8, {2, {2, 7}}, {2, {1, 2}, {1, 16, 4}}},
    {RELAYOUT_BF16, {0, {0}}, {1, {1}, {128}}},
};

static const tiled_array larger[] = {
    {RELAYOUT_F32, {2, {300, 515}}, {1, {2}, {8, 128}}},
    {RELAYOUT_F32, {3, {3, 70, 130}}, {1, {2}, {8, 128}}},
    {RELAYOUT_BF16, {2, {100, 390}}, {2, {2, 2}, {8, 128, 2, 1}}},
    {RELAYOUT_BF16, {3, {2, 100, 384}}, {2, {2, 2}, {16, 128, 2, 1}}},
    {RELAYOUT_U8, {2, {260, 520}}, {2, {2, 2}, {8, 128, 4, 1}}},
    {RELAYOUT_U8, {2, {520, 260}}, {2, {2, 2}, {32, 128, 4, 1}}},
    {RELAYOUT_BF16, {1, {50001}}, {3, {1, 1, 2}, {1024, 128, 2, 1}}},
    {RELAYOUT_F32, {4, {4, 67, 14, 15}}, {1, {3}, {16, 1, 1}}},
    {RELAYOUT_U8, {4, {2, 33, 28, 28}}, {1, {3}, {4, 1, 1}}},
    {RELAYOUT_F32, {4, {40, 37, 3, 3}}, {1, {4}, {8, 8, 1, 1}}},
    {RELAYOUT_BF16, {2, {257, 129}}, {1, {2}, {2, 1}}},
    {RELAYOUT_C128, {2, {65, 67}}, {1, {2}, {4, 8}}},
};

/* The tiles of the next array of as many dimensions. */
static const tile_list *other_tiles(const tiled_array *arrays, size_t count, size_t i) {
  size_t other = (i + 1) % count;
  while (arrays[other].list.rank != arrays[i].list.rank) {
    other = (other + 1) % count;
  }
  return &arrays[other].tiles;
}

static void visit_arrays(generator *g, const tiled_array *arrays, size_t count, uint32_t draws) {
  for (size_t i = 0; i < count; ++i) {
    const tiled_array *a = &arrays[i];
    const tile_list *sides[][2] = {
        {&plain, &a->tiles},
        {&a->tiles, &plain},
        {&a->tiles, other_tiles(arrays, count, i)},
        {&a->tiles, &a->tiles},
    };
    for (uint32_t draw = 0; draw < draws * COUNT(sides); ++draw) {
      if (generator_take_next(g)) {
        const relayout_element_type type = generator_chance(g, 3) ? generator_any_size(g) : a->type;
        visit_sides(g, type, &a->list, sides[draw % COUNT(sides)][0],
                    sides[draw % COUNT(sides)][1]);
      }
    }
  }
}

/* More than a cache holds. */
static void visit_tiles_beyond_caches(generator *g) {
  static const tiled_array arrays[] = {
      {RELAYOUT_F32, {2, {2101, 4200}}, {1, {2}, {8, 128}}},
      {RELAYOUT_BF16, {2, {4100, 4099}}, {2, {2, 2}, {8, 128, 2, 1}}},
  };
  for (size_t i = 0; i < COUNT(arrays) && g->level == CONFORMANCE_FULL; ++i) {
    for (int back = 0; back < 2; ++back) {
      generator_begin_family(g, (thinning){1, 1, 1});
      generator_take_next(g);
      const tile_list *tiles = &arrays[i].tiles;
      visit_sides(g, arrays[i].type, &arrays[i].list, back ? tiles : &plain, back ? &plain : tiles);
    }
  }
}

/* ---- What no axes express ------------------------------------------------------------------- */

static void visit_without_divisor(generator *g) {
  static const struct {
    dimension_list list;
    tile_list tiles[2];
  } arrays[] = {
      {{1, {105}}, {{1, {1}, {3}}, {1, {1}, {5}}}},
      {{1, {106}}, {{1, {1}, {10}}, {1, {1}, {4}}}},
      {{1, {1000}}, {{2, {1, 1}, {7, 2}}, {2, {1, 1}, {15, 4}}}},
      {{2, {13, 17}}, {{1, {2}, {5, 7}}, {1, {2}, {4, 6}}}},
      {{2, {30, 35}}, {{1, {2}, {6, 7}}, {1, {2}, {4, 5}}}},
      {{2, {40, 42}}, {{1, {2}, {STAR, 64}}, {1, {2}, {STAR, 48}}}},
      {{3, {5, 7, 9}}, {{1, {3}, {STAR, STAR, 4}}, {0, {0}, {0}}}},
      {{3, {5, 7, 9}}, {{1, {3}, {STAR, 4, 5}}, {0, {0}, {0}}}},
      {{3, {6, 10, 9}}, {{1, {2}, {STAR, 7}}, {1, {3}, {3, 3, 2}}}},
      {{4, {3, 4, 5, 6}}, {{1, {2}, {STAR, 8}}, {2, {2, 2}, {3, 4, 2, 3}}}},
  };
  generator_begin_family(g, (thinning){30, 4, 1});
  for (size_t i = 0; i < 12 * COUNT(arrays); ++i) {
    if (generator_take_next(g)) {
      const size_t a = i / 12;
      visit_sides(g, generator_any_size(g), &arrays[a].list, &arrays[a].tiles[i % 2],
                  &arrays[a].tiles[1 - i % 2]);
    }
  }
}

/* ---- Any tiles ------------------------------------------------------------------------------ */

static void draw_tiles(generator *g, relayout_shape *shape) {
  enum { MOST_ELEMENTS = 20000 };
  draw_rest(g, shape);
  random_tiles(&g->random, MOST_ELEMENTS, shape);
  if (generator_chance(g, 2)) {
    shape->layout.element_size_in_bits = random_packing(&g->random, shape->element_type);
  }
}

static void visit_random_tiles(generator *g) {
  generator_begin_family(g, (thinning){200, 4, 1});
  for (uint32_t i = 0; i < 1500; ++i) {
    if (!generator_take_next(g)) {
      continue;
    }
    relayout_shape from;
    random_dimensions(&g->random, random_element_type(&g->random), (int32_t)(i % 6), 2000, &from);
    relayout_shape to = from;
    random_order(&g->random, &from);
    random_order(&g->random, &to);
    if (i % 3 != 0) {
      draw_tiles(g, &from);
    }
    if (i % 3 != 1) {
      draw_tiles(g, &to);
    }
    random_padding_value(&g->random, &to);
    generator_visit_pair(g, &from, &to);
  }
}

void tiled_cases_visit(generator *g) {
  generator_begin_family(g, (thinning){60, 4, 1});
  visit_arrays(g, usual, COUNT(usual), 6);
  generator_begin_family(g, (thinning){60, 16, 1});
  visit_arrays(g, larger, COUNT(larger), 3);
  visit_tiles_beyond_caches(g);
  visit_without_divisor(g);
  visit_random_tiles(g);
}

/* ---- Orders within a tile -------------------------------------------------------------------- */

/* Scale factors of matrices in blocks of 128 by 4, whose rows are dealt out in turns of 32, said in
 * two ways; and of 8 by 4. */
static const tiled_array scale_factors[] = {
    {RELAYOUT_F8E8M0FNU, {2, {300, 10}}, {2, {2, 4}, {32, 4, 4, 1, 1, 4}}},
    {RELAYOUT_F8E4M3FN, {2, {256, 8}}, {3, {2, 2, 4}, {128, 4, 32, 4, 4, 1, 1, 4}}},
    {RELAYOUT_F8E8M0FNU, {2, {1000, 34}}, {2, {2, 4}, {32, 4, 4, 1, 1, 4}}},
    {RELAYOUT_F8E8M0FNU, {3, {3, 130, 9}}, {2, {2, 4}, {32, 4, 4, 1, 1, 4}}},
    {RELAYOUT_F8E4M3FN, {3, {2, 33, 4}}, {1, {2}, {8, 4}}},
    {RELAYOUT_F8E4M3FN, {2, {19, 10}}, {1, {2}, {8, 4}}},
    {RELAYOUT_F8E8M0FNU, {2, {1, 1}}, {2, {2, 4}, {32, 4, 4, 1, 1, 4}}},
    {RELAYOUT_F8E8M0FNU, {2, {9, 6}}, {2, {2, 4}, {2, 2, 2, 1, 1, 2}}},
};

enum { MOST_WITHIN_TILE = 32 };

static void append_tile(relayout_shape *shape, int32_t rank, const int64_t *sizes) {
  relayout_layout *const layout = &shape->layout;
  int32_t used = 0;
  for (int32_t t = 0; t < layout->tile_count; ++t) {
    used += layout->tile_ranks[t];
  }
  layout->tile_ranks[layout->tile_count++] = rank;
  for (int32_t i = 0; i < rank; ++i) {
    layout->tile_dimensions[used + i] = sizes[i];
  }
}

/* Cuts each dimension within the tile. One that is taken whole comes to lie behind those of which
 * the cut takes 1. Returns how many dimensions there are then. */
static int32_t cut_within_tile(relayout_shape *shape, int32_t count, const int64_t *cut,
                               int64_t *within) {
  append_tile(shape, count, cut);
  for (int32_t i = 0; i < count; ++i) {
    within[i] = (within[i] + cut[i] - 1) / cut[i];
    within[count + i] = cut[i];
  }
  return 2 * count;
}

static void draw_tile_order(generator *g, relayout_shape *shape) {
  int64_t within[MOST_WITHIN_TILE], cut[MOST_WITHIN_TILE];
  int32_t count = 1 + (int32_t)random_below(&g->random, 3);
  for (int32_t i = 0; i < count; ++i) {
    within[i] = 1 + random_below(&g->random, 6);
  }
  append_tile(shape, count, within);
  if (generator_chance(g, 2)) {
    for (int32_t i = 0; i < count; ++i) {
      cut[i] = 1 + random_below(&g->random, within[i]);
    }
    count = cut_within_tile(shape, count, cut, within);
  }
  for (int64_t moves = 1 + random_below(&g->random, 2); moves > 0; --moves) {
    for (int32_t i = 0; i < count; ++i) {
      cut[i] = generator_chance(g, 2) ? within[i] : 1;
    }
    count = cut_within_tile(shape, count, cut, within);
  }
}

/* In either side or both, packed too. */
static void visit_random_tile_orders(generator *g) {
  generator_begin_family(g, (thinning){100, 4, 1});
  for (uint32_t i = 0; i < 800; ++i) {
    if (!generator_take_next(g)) {
      continue;
    }
    relayout_shape sides[2];
    random_dimensions(&g->random, random_element_type(&g->random), (int32_t)(i % 5), 800,
                      &sides[0]);
    sides[1] = sides[0];
    for (uint32_t side = 0; side < 2; ++side) {
      relayout_shape *const shape = &sides[side];
      random_order(&g->random, shape);
      draw_rest(g, shape);
      if (i % 3 != side) {
        draw_tile_order(g, shape);
      }
      if (generator_chance(g, 2)) {
        shape->layout.element_size_in_bits = random_packing(&g->random, shape->element_type);
      }
    }
    random_padding_value(&g->random, &sides[1]);
    generator_visit_pair(g, &sides[0], &sides[1]);
  }
}

void tile_order_cases_visit(generator *g) {
  generator_begin_family(g, (thinning){30, 4, 1});
  visit_arrays(g, scale_factors, COUNT(scale_factors), 6);
  visit_random_tile_orders(g);
}
