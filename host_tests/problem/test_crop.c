/* Small parts of large problems, with the strides of the whole. Sides are told in elements here:
 * a side may span so many, and a page more is asked for, as starts stay where they are in one. */
#include "cmocka_all.h"
#include "problem/crop.h"

enum { PAGE_BYTES = 4096 };

/* A matrix of 1024 x 1024 elements of four bytes, transposed. */
static const rlt_problem transposed = {.element_bytes = 4,
                                       .source_elements = 1 << 20,
                                       .destination_elements = 1 << 20,
                                       .axis_count = 2,
                                       .axes = {{1024, 1024, 1024, 1}, {1024, 1024, 1, 1024}}};

static bool crop(rlt_problem *problem, const int64_t *least, int64_t source, int64_t destination) {
  return rlt_problem_crop(problem, least, PAGE_BYTES + 4 * source, PAGE_BYTES + 4 * destination);
}

static void assert_axis(const rlt_axis *axis, rlt_axis expected) {
  assert_int_equal(axis->extent, expected.extent);
  assert_int_equal(axis->valid, expected.valid);
  assert_int_equal(axis->source_stride, expected.source_stride);
  assert_int_equal(axis->destination_stride, expected.destination_stride);
}

static void test_what_is_small_enough_stays(void **state) {
  (void)state;
  rlt_problem problem = transposed;
  assert_true(crop(&problem, (int64_t[]){16, 16}, 1 << 20, 1 << 20));
  assert_axis(&problem.axes[0], (rlt_axis){1024, 1024, 1024, 1});
  assert_axis(&problem.axes[1], (rlt_axis){1024, 1024, 1, 1024});
  assert_int_equal(problem.source_elements, 1 << 20);
  assert_int_equal(problem.destination_elements, 1 << 20);
}

/* The axis that reaches farthest on a side is halved until the side spans no more than it may:
 * 256 rows of 1024 in the source; then, in the destination, 64 rows, 256 of each 1024 of which are
 * left. */
static void test_far_axes_are_halved(void **state) {
  (void)state;
  rlt_problem problem = transposed;
  assert_true(crop(&problem, (int64_t[]){16, 16}, 256 * 1024, 64 * 1024));
  assert_axis(&problem.axes[0], (rlt_axis){256, 256, 1024, 1});
  assert_axis(&problem.axes[1], (rlt_axis){64, 64, 1, 1024});
  assert_int_equal(problem.source_elements, 255 * 1024 + 64);
  assert_int_equal(problem.destination_elements, 63 * 1024 + 256);

  problem = transposed;
  assert_true(crop(&problem, (int64_t[]){16, 16}, 256 * 1024 - 1, 1 << 20));
  assert_int_equal(problem.axes[0].extent, 128);
  assert_int_equal(problem.axes[1].extent, 1024);
}

/* What is left is a multiple of the least, and the least where that is more than a half. */
static void test_steps_that_stay(void **state) {
  (void)state;
  rlt_problem problem = transposed;
  assert_true(crop(&problem, (int64_t[]){48, 16}, 1 << 19, 1 << 20));
  assert_int_equal(problem.axes[0].extent, 480);
  problem = transposed;
  assert_true(crop(&problem, (int64_t[]){600, 1024}, 600 * 1024, 1 << 20));
  assert_int_equal(problem.axes[0].extent, 600);
  problem = transposed;
  assert_false(crop(&problem, (int64_t[]){600, 1024}, 600 * 1024 - 1, 1 << 20));
  problem = transposed;
  assert_false(crop(&problem, (int64_t[]){1024, 600}, 1 << 20, 599 * 1024));
}

/* Padding is the first to go. */
static void test_valid_steps(void **state) {
  (void)state;
  rlt_problem problem = transposed;
  problem.axes[0].valid = 600;
  problem.axes[1].valid = 100;
  assert_true(crop(&problem, (int64_t[]){16, 16}, 1 << 19, 512 * 1024));
  assert_axis(&problem.axes[0], (rlt_axis){512, 512, 1024, 1});
  assert_axis(&problem.axes[1], (rlt_axis){512, 100, 1, 1024});
  assert_int_equal(problem.source_elements, 511 * 1024 + 100);

  /* One without a valid step reaches nowhere in the source. */
  problem = transposed;
  problem.axes[0].valid = 1;
  assert_true(crop(&problem, (int64_t[]){16, 16}, 1024, 1 << 20));
  assert_axis(&problem.axes[0], (rlt_axis){1024, 1, 1024, 1});
  assert_int_equal(problem.source_elements, 1024);
}

/* A page has 1024 elements. */
static void test_starts_stay_where_they_are_in_a_page(void **state) {
  (void)state;
  rlt_problem problem = transposed;
  problem.source_start = 4 * 1024 + 904;
  problem.source_elements += problem.source_start;
  problem.destination_start = 2 * 1024 + 952;
  problem.destination_elements += problem.destination_start;
  assert_true(crop(&problem, (int64_t[]){16, 16}, 1 << 20, 1 << 20));
  assert_int_equal(problem.source_start, 904);
  assert_int_equal(problem.source_elements, 904 + (1 << 20));
  assert_int_equal(problem.destination_start, 952);
  assert_int_equal(problem.destination_elements, 952 + (1 << 20));

  /* Backwards through the source: its first byte, 99 steps of 7 below the start, does. */
  rlt_problem backward = {.element_bytes = 4,
                          .source_elements = 10001,
                          .source_start = 10000,
                          .destination_elements = 100,
                          .axis_count = 1,
                          .axes = {{100, 100, -7, 1}}};
  assert_true(crop(&backward, (int64_t[]){1}, 694, 100));
  assert_axis(&backward.axes[0], (rlt_axis){100, 100, -7, 1});
  assert_int_equal(backward.source_start, (10000 - 99 * 7) % 1024 + 99 * 7);
  assert_int_equal(backward.source_elements, (10000 - 99 * 7) % 1024 + 99 * 7 + 1);
  assert_true(crop(&backward, (int64_t[]){1}, 693, 100));
  assert_int_equal(backward.axes[0].extent, 50);
}

static void test_what_cannot_be_cropped(void **state) {
  (void)state;
  static const rlt_index_program in_place = {.count = 0, .result = 0};
  rlt_problem problem = transposed;
  problem.index_program = &in_place;
  assert_false(crop(&problem, (int64_t[]){16, 16}, 1 << 20, 1 << 20));

  /* Runs of three nibbles share bytes with their neighbours, those of four do not. */
  for (int64_t run = 3; run <= 4; ++run) {
    rlt_problem packed = {.element_bytes = 1,
                          .source_packed = 4,
                          .destination_packed = 4,
                          .source_elements = 100 * run,
                          .destination_elements = 600,
                          .axis_count = 2,
                          .axes = {{run, run, 100, 1}, {100, 100, 1, run + run % 2 * 2}}};
    assert_int_equal(crop(&packed, (int64_t[]){run, 2}, 1 << 20, 1 << 20), run == 4);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_is_small_enough_stays),
      cmocka_unit_test(test_far_axes_are_halved),
      cmocka_unit_test(test_steps_that_stay),
      cmocka_unit_test(test_valid_steps),
      cmocka_unit_test(test_starts_stay_where_they_are_in_a_page),
      cmocka_unit_test(test_what_cannot_be_cropped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
