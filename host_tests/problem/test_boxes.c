/* test_boxes.c: digits of a dimension, and boxes of them, held against every single index. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <string.h>

#include "problem/boxes.h"
#include "problem/definition.h"

/* ---- Boxes ---- */

enum { MOST_INDICES = 4096 };

/* Counts each index of a box, with what the box says of its source. */
static void count_box(const rlt_levels *levels, const rlt_digit_range *box, int32_t level,
                      int64_t before, bool has_source, int *sources, int *others) {
  if (level < 0) {
    assert_in_range(before, 0, MOST_INDICES - 1);
    ++(has_source ? sources : others)[before];
    return;
  }
  const rlt_digit_range *const range = &box[level];
  assert_true(range->first >= 0 && range->extent > 0);
  assert_true(range->valid >= 0 && range->valid <= range->extent);
  for (int64_t i = 0; i < range->extent; ++i) {
    count_box(levels, box, level - 1, before + (range->first + i) * levels->weights[level],
              has_source && i < range->valid, sources, others);
  }
}

static void check_boxes(const rlt_levels *levels, int64_t first, int64_t valid, int64_t written) {
  static int sources[MOST_INDICES], others[MOST_INDICES];
  rlt_digit_boxes boxes;
  memset(sources, 0, (size_t)written * sizeof *sources);
  memset(others, 0, (size_t)written * sizeof *others);
  rlt_digit_boxes_make(levels, first, valid, written, &boxes);
  assert_true(boxes.count <= 3 * levels->count);
  for (int32_t b = 0; b < boxes.count; ++b) {
    count_box(levels, boxes.of[b], levels->count - 1, 0, true, sources, others);
  }
  for (int64_t i = 0; i < written; ++i) {
    if (sources[i] != (i >= first && i < valid) ||
        others[i] != (i >= first && i >= valid && i < written)) {
      fail_msg("index %" PRId64 " of %" PRId64 "..%" PRId64 "..%" PRId64, i, first, valid, written);
    }
  }
}

/* Each index is in one box, which says rightly whether it has a source. */
static void test_every_box(void **state) {
  (void)state;
  static const rlt_levels digits[] = {
      {.count = 1, .weights = {1}},          {.count = 2, .weights = {1, 4}},
      {.count = 2, .weights = {1, 7}},       {.count = 3, .weights = {1, 3, 12}},
      {.count = 4, .weights = {1, 2, 4, 8}}, {.count = 3, .weights = {1, 5, 10}},
  };
  for (size_t i = 0; i < sizeof digits / sizeof digits[0]; ++i) {
    for (int64_t written = 0; written <= 27; ++written) {
      for (int64_t valid = 0; valid <= written; ++valid) {
        for (int64_t first = 0; first <= valid; ++first) {
          check_boxes(&digits[i], first, valid, written);
        }
      }
    }
  }
}

/* As many levels as there are, most of which every end is in the middle of. */
static void test_boxes_of_many_levels(void **state) {
  (void)state;
  const rlt_levels levels = {.count = RLT_MOST_LEVELS, .weights = {1, 3, 6, 18, 36, 108, 216, 648}};
  uint64_t seed = 1;
  for (int i = 0; i < 2000; ++i) {
    const int64_t written = definition_random(&seed, MOST_INDICES);
    const int64_t valid = definition_random(&seed, written + 1);
    check_boxes(&levels, definition_random(&seed, valid + 1), valid, written);
  }
  check_boxes(&levels, 647, 2 * 648 - 1, 4 * 648 - 1);
}

/* What a box is where it can be seen: 300 of rows of 128, of which 384 are written; indices 130 to
 * 259 of them. */
static void test_boxes_by_hand(void **state) {
  (void)state;
  const rlt_levels levels = {.count = 2, .weights = {1, 128}};
  rlt_digit_boxes boxes;
  rlt_digit_boxes_make(&levels, 0, 300, 384, &boxes);
  static const rlt_digit_range all[2][2] = {{{0, 128, 128}, {0, 2, 2}}, {{0, 128, 44}, {2, 1, 1}}};
  assert_int_equal(boxes.count, 2);
  for (int b = 0; b < 2; ++b) {
    assert_memory_equal(boxes.of[b], all[b], sizeof all[b]);
  }
  rlt_digit_boxes_make(&levels, 130, 260, 260, &boxes);
  static const rlt_digit_range some[2][2] = {{{2, 126, 126}, {1, 1, 1}}, {{0, 4, 4}, {2, 1, 1}}};
  assert_int_equal(boxes.count, 2);
  for (int b = 0; b < 2; ++b) {
    assert_memory_equal(boxes.of[b], some[b], sizeof some[b]);
  }
  rlt_digit_boxes_make(&levels, 7, 7, 7, &boxes);
  assert_int_equal(boxes.count, 0);
}

/* ---- Levels ---- */

static void add_factor(rlt_factors *to, int32_t dimension, int64_t weight, int64_t extent,
                       int64_t stride) {
  to->of[to->count++] =
      (rlt_factor){.dimension = dimension, .weight = weight, .extent = extent, .stride = stride};
}

/* Where an index lies by a side's factors. */
static int64_t by_factors(const rlt_factors *of, int32_t dimension, int64_t index) {
  int64_t at = 0;
  for (int32_t i = 0; i < of->count; ++i) {
    const rlt_factor *const factor = &of->of[i];
    at += factor->dimension == dimension ? index / factor->weight % factor->extent * factor->stride
                                         : 0;
  }
  return at;
}

static int64_t by_levels(const rlt_levels *levels, const int64_t *strides, int64_t index) {
  int64_t at = 0;
  for (int32_t l = levels->count - 1; l >= 0; --l) {
    at += index / levels->weights[l] * strides[l];
    index %= levels->weights[l];
  }
  return at;
}

/* Random digits of dimension 1 among those of another one; how far they reach. */
static int64_t draw_factors(uint64_t *seed, rlt_factors *made) {
  int64_t weight = 1;
  made->dimension_count = 2;
  made->count = 0;
  const int64_t count = 1 + definition_random(seed, 4);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t extent = 1 + definition_random(seed, 4);
    add_factor(made, 0, 1 + definition_random(seed, 50), 5, 1000000);
    add_factor(made, 1, weight, extent, 1 + definition_random(seed, 1000));
    weight *= extent;
  }
  return weight;
}

/* The weights above 1 of a side's digits, one bit each. */
static uint64_t weights_of(const rlt_factors *of) {
  uint64_t weights = 0;
  for (int32_t i = 0; i < of->count; ++i) {
    const rlt_factor *const factor = &of->of[i];
    weights |= factor->dimension == 1 && factor->extent > 1 && factor->weight > 1
                   ? UINT64_C(1) << factor->weight % 64
                   : 0;
  }
  return weights;
}

static bool divide_each_other(uint64_t weights) {
  for (int a = 2; a < 64; ++a) {
    for (int b = a; b < 64; ++b) {
      if ((weights >> a & 1) != 0 && (weights >> b & 1) != 0 && b % a != 0) {
        return false;
      }
    }
  }
  return true;
}

/* Digits of both sides together say of every index what each side's own ones do. */
static void test_levels(void **state) {
  (void)state;
  int made_count = 0;
  int refused_count = 0;
  for (uint64_t start = 1; start <= 5000; ++start) {
    uint64_t seed = start;
    rlt_factors source, destination;
    rlt_levels levels;
    const int64_t in_source = draw_factors(&seed, &source);
    const int64_t in_destination = draw_factors(&seed, &destination);
    const uint64_t weights = weights_of(&source) | weights_of(&destination);
    if (in_source >= 64 || in_destination >= 64) {
      continue; /* no bits for such weights */
    }
    const bool is_made = rlt_levels_make(&source, &destination, 1, &levels);
    made_count += is_made;
    refused_count += !is_made;
    assert_int_equal(is_made, divide_each_other(weights));
    if (!is_made) {
      continue;
    }
    assert_int_equal(levels.count, 1 + __builtin_popcountll(weights));
    assert_int_equal(levels.weights[0], 1);
    for (int64_t i = 0; i < in_source; ++i) {
      assert_int_equal(by_levels(&levels, levels.source_strides, i), by_factors(&source, 1, i));
    }
    for (int64_t i = 0; i < in_destination; ++i) {
      assert_int_equal(by_levels(&levels, levels.destination_strides, i),
                       by_factors(&destination, 1, i));
    }
  }
  assert_true(made_count > 1000 && refused_count > 500);
}

/* A side that ends before a digit of the other one never takes a step of it. */
static void test_levels_beyond_a_side(void **state) {
  (void)state;
  rlt_factors source = {.count = 0}, destination = {.count = 0};
  rlt_levels levels;
  add_factor(&source, 0, 1, 12, 5);
  add_factor(&destination, 0, 1, 4, 1);
  add_factor(&destination, 0, 4, 3, 100);
  add_factor(&destination, 0, 12, 2, 7000);
  assert_true(rlt_levels_make(&source, &destination, 0, &levels));
  static const int64_t weights[] = {1, 4, 12}, source_strides[] = {5, 20, 0};
  static const int64_t destination_strides[] = {1, 100, 7000};
  assert_int_equal(levels.count, 3);
  assert_memory_equal(levels.weights, weights, sizeof weights);
  assert_memory_equal(levels.source_strides, source_strides, sizeof source_strides);
  assert_memory_equal(levels.destination_strides, destination_strides, sizeof destination_strides);
}

/* A dimension without digits has one level, which goes nowhere. */
static void test_levels_of_nothing(void **state) {
  (void)state;
  const rlt_factors none = {.count = 0};
  rlt_levels levels;
  assert_true(rlt_levels_make(&none, &none, 3, &levels));
  assert_int_equal(levels.count, 1);
  assert_int_equal(levels.weights[0], 1);
  assert_int_equal(levels.source_strides[0], 0);
  assert_int_equal(levels.destination_strides[0], 0);
}

static void test_most_levels(void **state) {
  (void)state;
  for (int extra = 0; extra < 2; ++extra) {
    rlt_factors source = {.count = 0}, destination = {.count = 0};
    rlt_levels levels;
    for (int32_t l = 0; l < RLT_MOST_LEVELS + extra; ++l) {
      add_factor(l % 2 == 0 ? &source : &destination, 0, INT64_C(1) << l, 2, 1);
    }
    assert_int_equal(rlt_levels_make(&source, &destination, 0, &levels), extra == 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_box),
      cmocka_unit_test(test_boxes_of_many_levels),
      cmocka_unit_test(test_boxes_by_hand),
      cmocka_unit_test(test_levels),
      cmocka_unit_test(test_levels_beyond_a_side),
      cmocka_unit_test(test_levels_of_nothing),
      cmocka_unit_test(test_most_levels),
  };
  return cmocka_run_group_tests_name("problem.boxes", tests, NULL, NULL);
}
