/* test_specialized.c: kernels that are compiled for one problem write what general ones do: random
 * problems, numbers of 64 bits, batches, ranges, kept programs. `RELAYOUT_SPECIALIZED_PROBLEMS` in
 * the environment says how many problems are drawn; each takes a program. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/local_tile.h"
#include "opencl/bench.h"
#include "opencl/device.h"
#include "opencl/launch.h"
#include "opencl/moves.h"
#include "plan/plan.h"
#include "problem/definition.h"
#include "scratch.h"
#include "shape_of.h"
#include "view_of.h"

/* ---- Random problems, held against the definition ---- */

static int problem_count(void) {
  const char *const asked = getenv("RELAYOUT_SPECIALIZED_PROBLEMS");
  return asked == NULL ? 12 : atoi(asked);
}

static void move_random_problems(opencl_bench *bench, uint64_t first_seed, int count) {
  bench->specializes = true;
  for (int i = 0; i < count; ++i) {
    uint64_t seed = first_seed + (uint64_t)i;
    const rlt_problem problem = definition_random_problem(&seed);
    char what[64];
    snprintf(what, sizeof what, "random problem of seed %" PRIu64, first_seed + (uint64_t)i);
    const move_offsets offsets = {definition_random(&seed, 5), definition_random(&seed, 5)};
    moves_as_defined(bench, &problem, NULL, offsets, seed, what);
  }
  bench->specializes = false;
}

static void test_random_problems(void **state) {
  move_random_problems(*state, 300, problem_count());
}

/* 1200 floats that a tile loads as one run, with a word left out behind each 32. Its columns lie 5
 * apart, then 1, then 80: their places are sums of these, and of the words left out before them. */
static void test_places_with_gaps(void **state) {
  opencl_bench *const bench = *state;
  const rlt_problem problem = {.element_bytes = 4,
                               .source_elements = 1200,
                               .destination_elements = 1200,
                               .axis_count = 3,
                               .axes = {{16, 16, 5, 1}, {5, 5, 1, 16}, {15, 15, 80, 80}}};
  const rlt_group columns = {3, {0, 1, 2}, 80, 15};
  rlt_slots slots;
  rlt_slots_find(&problem, &columns, &rlt_no_axes, &slots);
  assert_int_equal(slots.gap_shift, 5);
  bench->specializes = true;
  assert_true(moves_as_defined(bench, &problem, "permute", (move_offsets){0, 0}, 7, "gaps"));
  bench->specializes = false;
}

/* As where tensors have more than 2^31 elements, and with several tiles for each group. */
static void test_wide_problems(void **state) {
  opencl_bench *const bench = *state;
  rlt_opencl_device *const device = (rlt_opencl_device *)bench->device;
  const int64_t most_groups = device->base.facts.most_groups;
  const int64_t most_offset = device->most_offset;
  device->base.facts.most_groups = 3;
  device->most_offset = -1;
  move_random_problems(bench, 900, problem_count() / 2);
  device->base.facts.most_groups = most_groups;
  device->most_offset = most_offset;
}

/* ---- Plans ---- */

enum { ROWS = 37, COLUMNS = 53, PAGE = ROWS * COLUMNS, PAGES = 5 };

static relayout_plan_options specialize(void) {
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.specialize = 1;
  return options;
}

static relayout_plan *plan_on(relayout_device *device, const relayout_plan_options *options) {
  const relayout_shape from = shape_of("u16[37,53]{1,0}");
  const relayout_shape to = shape_of("u16[37,53]{0,1}");
  relayout_plan *plan = NULL;
  relayout_error error = {0};
  if (relayout_plan_create(device, &from, &to, options, &plan, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  return plan;
}

static void make_pages(uint16_t *pages) {
  for (size_t i = 0; i < PAGES * PAGE; ++i) {
    pages[i] = (uint16_t)(7 * i + 3);
  }
}

static void expect_transposed(const uint16_t *found, const uint16_t *from) {
  for (size_t i = 0; i < PAGE; ++i) {
    assert_int_equal(found[i], from[i % ROWS * COLUMNS + i / ROWS]);
  }
}

static void test_constants_are_compiled_in(void **state) {
  const opencl_bench *const bench = *state;
  static uint16_t from[PAGES * PAGE];
  make_pages(from);
  for (int is_specialized = 0; is_specialized <= 1; ++is_specialized) {
    const relayout_plan_options options = specialize();
    relayout_plan *const plan = plan_on(bench->device, is_specialized ? &options : NULL);
    const rlt_launch *const launch = plan->work.parts[0].variants[0].executable;
    uint16_t found[PAGE];
    char text[4096];
    assert_int_equal(launch->grid == NULL, is_specialized);
    relayout_plan_explain(plan, RELAYOUT_EXPLAIN_TEXT, text, sizeof text);
    assert_int_equal(strstr(text, "specialised work-group kernel") != NULL, is_specialized);
    assert_int_equal(relayout_plan_execute(plan, from, found, NULL), RELAYOUT_OK);
    expect_transposed(found, from);
    relayout_plan_destroy(plan);
  }
}

/* What a plan says of its schedule is what another one runs by. */
static void test_text_specializes(void **state) {
  const opencl_bench *const bench = *state;
  relayout_plan_options options = specialize();
  relayout_plan *plan = plan_on(bench->device, &options);
  char text[1024], found[1024];
  relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, text, sizeof text);
  relayout_plan_destroy(plan);
  assert_non_null(strstr(text, " kernel=specialized"));
  const char *const asked = text;
  options = (relayout_plan_options)RELAYOUT_PLAN_OPTIONS_INIT;
  options.schedules = &asked;
  options.schedule_count = 1;
  plan = plan_on(bench->device, &options);
  relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, found, sizeof found);
  assert_string_equal(found, text);
  relayout_plan_destroy(plan);

  strcpy(strstr(text, "specialized"), "special");
  const relayout_shape from = shape_of("u16[37,53]{1,0}");
  const relayout_shape to = shape_of("u16[37,53]{0,1}");
  relayout_error error = {0};
  assert_int_equal(relayout_plan_create(bench->device, &from, &to, &options, &plan, &error),
                   RELAYOUT_UNSUPPORTED);
  assert_non_null(strstr(error.message, "kernel=special"));
}

static void test_batches(void **state) {
  const opencl_bench *const bench = *state;
  static uint16_t from[PAGES * PAGE], found[PAGES * PAGE];
  make_pages(from);
  relayout_plan_options options = specialize();
  options.for_batches = 1;
  relayout_plan *const plan = plan_on(bench->device, &options);
  const cl_mem source = opencl_buffer(bench, sizeof from, from);
  const cl_mem destination = opencl_buffer(bench, sizeof from, from);
  relayout_opencl_move moves[PAGES];
  for (size_t i = 0; i < PAGES; ++i) {
    moves[i] =
        (relayout_opencl_move){source, (PAGES - 1 - i) * PAGE * 2, destination, i * PAGE * 2};
  }
  assert_int_equal(
      relayout_plan_enqueue_batch(plan, bench->queue, PAGES, moves, 0, NULL, NULL, NULL),
      RELAYOUT_OK);
  opencl_read(bench, destination, sizeof found, found);
  for (size_t i = 0; i < PAGES; ++i) {
    expect_transposed(found + i * PAGE, from + (PAGES - 1 - i) * PAGE);
  }
  clReleaseMemObject(source);
  clReleaseMemObject(destination);
  relayout_plan_destroy(plan);
}

static void test_ranges(void **state) {
  const opencl_bench *const bench = *state;
  static uint16_t from[PAGES * PAGE];
  uint16_t found[PAGE];
  make_pages(from);
  const relayout_shape shapes[] = {shape_of("u16[37,53]{1,0}"), shape_of("u16[37,53]{0,1}")};
  const relayout_view sides[] = {view_of(&shapes[0], NULL), view_of(&shapes[1], NULL)};
  const relayout_plan_options options = specialize();
  static const int64_t starts[][2] = {{0, 0}, {0, 20}}, sizes[][2] = {{ROWS, 20}, {ROWS, 33}};
  for (int i = 0; i < 2; ++i) {
    relayout_plan *plan = NULL;
    assert_int_equal(relayout_plan_create_range(bench->device, &sides[0], &sides[1], starts[i],
                                                sizes[i], &options, &plan, NULL),
                     RELAYOUT_OK);
    assert_int_equal(relayout_plan_execute(plan, from, found, NULL), RELAYOUT_OK);
    relayout_plan_destroy(plan);
  }
  expect_transposed(found, from);
}

/* A second start compiles nothing; another problem has a program of its own. */
static void test_programs_are_kept(void **state) {
  const opencl_bench *const bench = *state;
  char directory[SCRATCH_PATH];
  scratch_make(directory);
  for (int start = 0; start < 2; ++start) {
    relayout_device *device = NULL;
    relayout_opencl_options made = RELAYOUT_OPENCL_OPTIONS_INIT;
    const relayout_plan_options options = specialize();
    made.kernels = bench->family;
    made.cache_directory = directory;
    assert_int_equal(relayout_opencl_device_create(bench->context, bench->id, &made, &device, NULL),
                     RELAYOUT_OK);
    const rlt_build_counts *const counts = &((rlt_opencl_device *)device)->build_counts;
    relayout_plan_destroy(plan_on(device, &options));
    const uint64_t first = counts->compiled + counts->loaded;
    const relayout_shape from = shape_of("u16[37,54]{1,0}");
    const relayout_shape to = shape_of("u16[37,54]{0,1}");
    relayout_plan *plan = NULL;
    assert_int_equal(relayout_plan_create(device, &from, &to, &options, &plan, NULL), RELAYOUT_OK);
    relayout_plan_destroy(plan);
    assert_true(counts->compiled + counts->loaded > first);
    assert_int_equal(start == 0 ? counts->loaded : counts->compiled, 0);
    relayout_device_destroy(device);
  }
  scratch_remove(directory);
}

static int run(opencl_bench *bench) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_random_problems, bench),
      cmocka_unit_test_prestate(test_places_with_gaps, bench),
      cmocka_unit_test_prestate(test_wide_problems, bench),
      cmocka_unit_test_prestate(test_constants_are_compiled_in, bench),
      cmocka_unit_test_prestate(test_text_specializes, bench),
      cmocka_unit_test_prestate(test_batches, bench),
      cmocka_unit_test_prestate(test_ranges, bench),
      cmocka_unit_test_prestate(test_programs_are_kept, bench),
  };
  return cmocka_run_group_tests_name("specialized", tests, NULL, NULL);
}

int main(void) {
  return opencl_on_each_device_with(RELAYOUT_KERNELS_WORK_GROUP, run);
}
