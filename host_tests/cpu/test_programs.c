/* test_programs.c: what programs are made of, and the memory in which they are timed. */
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "cmocka_all.h"
#include "cpu/cpu.h"
#include "cpu/program.h"
#include "cpu/trial.h"
#include "plan/plan.h"
#include "relayout/hooks.h"

static relayout_device *make_device(bool has_cache) {
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.threads = 1;
  relayout_device *device = NULL;
  setenv("RELAYOUT_CPU_INSTRUCTIONS", "plain", 1);
  assert_int_equal(relayout_cpu_device_create(&options, &device, NULL), RELAYOUT_OK);
  unsetenv("RELAYOUT_CPU_INSTRUCTIONS");
  device->facts.cache_bytes = has_cache ? INT64_MAX : 1;
  return device;
}

static const rlt_cpu_program *program_of(const relayout_plan *plan) {
  assert_int_equal(plan->work.part_count, 1);
  return plan->work.parts[0].ways[0].program;
}

/* ---- One run of bytes ---- */

static void test_copies(void **state) {
  (void)state;
  static const struct {
    const char *what;
    rlt_problem problem;
    rlt_cpu_copy copy; /* of 0 bytes: it is no single copy */
    bool past_cache;
  } cases[] = {
      {"a run",
       {.element_bytes = 4,
        .source_elements = 2000,
        .destination_elements = 2000,
        .source_start = 3,
        .destination_start = 5,
        .axis_count = 1,
        .axes = {{1000, 1000, 1, 1}}},
       {12, 20, 4000},
       false},
      {"past the cache",
       {.element_bytes = 4,
        .source_elements = 2000,
        .destination_elements = 2000,
        .axis_count = 1,
        .axes = {{1000, 1000, 1, 1}}},
       {0},
       true},
      {"a padded run",
       {.element_bytes = 4,
        .source_elements = 2000,
        .destination_elements = 2000,
        .axis_count = 1,
        .axes = {{1000, 999, 1, 1}},
        .fills = true},
       {0},
       false},
      {"two runs",
       {.element_bytes = 4,
        .source_elements = 3000,
        .destination_elements = 2000,
        .axis_count = 2,
        .axes = {{1000, 1000, 1, 1}, {2, 2, 1001, 1000}}},
       {0},
       false},
      {"one that changes",
       {.element_bytes = 4,
        .source_elements = 1000,
        .destination_elements = 1000,
        .conversion = {RELAYOUT_S32, RELAYOUT_U32, false, 1},
        .axis_count = 1,
        .axes = {{1000, 1000, 1, 1}}},
       {0},
       false},
      {"one over and over",
       {.element_bytes = 4,
        .source_elements = 1000,
        .destination_elements = 1000,
        .axis_count = 1,
        .axes = {{1000, 1000, 0, 1}}},
       {0},
       false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_device *const device = make_device(!cases[i].past_cache);
    relayout_plan *const plan = trial_plan(device, &cases[i].problem);
    const rlt_cpu_copy *const copy = &program_of(plan)->copy;
    print_message("%s\n", cases[i].what);
    assert_int_equal(copy->bytes, cases[i].copy.bytes);
    if (copy->bytes > 0) {
      assert_int_equal(copy->source, cases[i].copy.source);
      assert_int_equal(copy->destination, cases[i].copy.destination);
    }
    relayout_plan_destroy(plan);
    assert_non_null(trial_passes_as_chosen(device, &cases[i].problem, 0));
    relayout_device_destroy(device);
  }
}

/* ---- Where the source ends ---- */

/* Of a tile that starts at the last of these a line goes on from its last element to the end of the
 * source, and not an element farther. */
static void test_last_sources(void **state) {
  (void)state;
  for (int64_t bytes = 1; bytes <= 16; bytes *= 2) {
    const rlt_problem problem = {.element_bytes = bytes,
                                 .source_elements = 1 << 20,
                                 .destination_elements = 1 << 20,
                                 .axis_count = 2,
                                 .axes = {{1024, 1024, 1024, 1}, {1024, 1024, 1, 1024}}};
    relayout_device *const device = make_device(true);
    relayout_plan *const plan = trial_plan(device, &problem);
    const rlt_cpu_program *const made = program_of(plan);
    const rlt_schedule *const schedule = made->schedule;
    if (!made->unpacks) {
      const int64_t last = made->last_source + (rlt_group_held(&schedule->columns) - 1) * 1024 +
                           rlt_group_held(&schedule->rows) - 1;
      assert_int_equal(last * bytes + 64, made->source_bytes);
    } else {
      assert_true(made->last_source == INT64_MAX);
    }
    assert_int_equal(made->source_bytes, bytes << 20);
    relayout_plan_destroy(plan);
    relayout_device_destroy(device);
  }
}

/* ---- Timing ---- */

static atomic_bool asked_for_nothing;

/* As hooks.h says, nobody is asked for 0 bytes. */
static void *allocate(void *context, size_t size, size_t alignment) {
  (void)context;
  void *made = NULL;
  if (size == 0) {
    atomic_store(&asked_for_nothing, true);
  }
  alignment = alignment < sizeof made ? sizeof made : alignment;
  return posix_memalign(&made, alignment, size) == 0 ? made : NULL;
}

static void release(void *context, void *block) {
  (void)context;
  free(block);
}

/* There is memory for sides that have no bytes, as those that are only filled. */
static void test_scratch(void **state) {
  (void)state;
  static const size_t sizes[][2] = {{0, 4096}, {4096, 0}, {0, 0}, {5, 70000}};
  relayout_device *const device = make_device(true);
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    void *scratch = NULL;
    assert_int_equal(
        rlt_cpu_backend.scratch_create(device, sizes[i][0], sizes[i][1], &scratch, NULL),
        RELAYOUT_OK);
    assert_non_null(scratch);
    rlt_cpu_backend.scratch_destroy(device, scratch);
  }
  rlt_cpu_backend.scratch_destroy(device, NULL);
  assert_false(atomic_load(&asked_for_nothing));
  relayout_device_destroy(device);
}

/* What is said to have been taken is no more than what has been. */
static void test_time(void **state) {
  (void)state;
  const rlt_problem problem = {.element_bytes = 2,
                               .source_elements = 512 * 512,
                               .destination_elements = 512 * 512,
                               .axis_count = 2,
                               .axes = {{512, 512, 512, 1}, {512, 512, 1, 512}}};
  relayout_device *const device = make_device(true);
  relayout_plan *const plan = trial_plan(device, &problem);
  const size_t size = 2 * 512 * 512;
  void *scratch = NULL;
  assert_int_equal(rlt_cpu_backend.scratch_create(device, size + 64, size + 64, &scratch, NULL),
                   RELAYOUT_OK);
  for (size_t offset = 0; offset <= 64; offset += 32) {
    double seconds = -1;
    const double begin = rlt_seconds();
    assert_int_equal(rlt_cpu_backend.program_time(device, program_of(plan), scratch,
                                                  (rlt_offsets){offset, offset}, &seconds, NULL),
                     RELAYOUT_OK);
    assert_true(seconds >= 0 && seconds <= rlt_seconds() - begin);
  }
  rlt_cpu_backend.scratch_destroy(device, scratch);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_copies),
      cmocka_unit_test(test_last_sources),
      cmocka_unit_test(test_scratch),
      cmocka_unit_test(test_time),
  };
  relayout_allocator allocator = RELAYOUT_ALLOCATOR_INIT;
  allocator.allocate = allocate;
  allocator.release = release;
  if (relayout_set_allocator(&allocator, NULL) != RELAYOUT_OK) {
    return 1;
  }
  return cmocka_run_group_tests_name("cpu.programs", tests, NULL, NULL);
}
