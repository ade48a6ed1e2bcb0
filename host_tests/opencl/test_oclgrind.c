/* test_oclgrind.c: small relayouts through Oclgrind, which interprets kernels and reports accesses
 * out of bounds, races and reads of what nobody wrote. Its exit status says nothing of that, so its
 * log must be empty. The argument is where the log goes. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "device/target.h"
#include "opencl/bench.h"
#include "opencl/moves.h"
#include "problem/definition.h"

static const char runtime[] = "/usr/lib/oclgrind/liboclgrind-rt-icd.so";

static void test_random_problems(void **state) {
  const opencl_bench *const bench = *state;
  enum { PROBLEMS = 12 };
  for (uint64_t first = 0; first < PROBLEMS; ++first) {
    uint64_t seed = 1000 + first;
    const rlt_problem problem = definition_random_problem(&seed);
    char what[64];
    snprintf(what, sizeof what, "random problem of seed %" PRIu64, 1000 + first);
    if (problem.destination_elements > 3000) {
      continue; /* seconds each, interpreted */
    }
    schedules_move_as_defined(bench, &problem, &(move_offsets){0, 1}, 1, seed, what);
  }
}

/* Large enough for whole lines, whole tiles and ragged ones of every element size. */
static rlt_problem transpose_of(int64_t element_bytes) {
  return (rlt_problem){.element_bytes = element_bytes,
                       .source_elements = 33 * 67,
                       .destination_elements = 34 * 67,
                       .axis_count = 2,
                       .axes = {{34, 33, 67, 1}, {67, 67, 1, 34}},
                       .fills = true};
}

static rlt_problem copy_of(int64_t element_bytes, int64_t width) {
  return (rlt_problem){.element_bytes = element_bytes,
                       .source_elements = 5 * width,
                       .destination_elements = 6 * (width + 16),
                       .axis_count = 2,
                       .axes = {{width + 16, width, 1, 1}, {6, 5, width, width + 16}},
                       .fills = true};
}

/* The same, with elements that change: packed ones, by patterns, by way of floats, by a table. */
static const struct {
  int64_t element_bytes;
  int64_t source_packed;
  int64_t destination_packed;
  rlt_conversion conversion;
} changes[] = {
    {1, 4, 0, {RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_ELEMENT_TYPE_INVALID, false, 0, false}},
    {1, 0, 2, {RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_ELEMENT_TYPE_INVALID, false, 0, false}},
    {1, 1, 0, {RELAYOUT_S1, RELAYOUT_PRED, false, 1, false}},
    {1, 0, 0, {RELAYOUT_S1, RELAYOUT_PRED, false, 1, false}},
    {4, 0, 0, {RELAYOUT_F32, RELAYOUT_F16, false, 1, false}},
    {1, 0, 0, {RELAYOUT_F8E4M3FN, RELAYOUT_BF16, false, 1, false}},
    {1, 4, 0, {RELAYOUT_U4, RELAYOUT_F32, false, 0.3, false}},
    {8, 0, 4, {RELAYOUT_S64, RELAYOUT_S4, true, 1, false}},
};

static void set_change(size_t number, rlt_problem *problem) {
  problem->element_bytes = changes[number].element_bytes;
  problem->source_packed = changes[number].source_packed;
  problem->destination_packed = changes[number].destination_packed;
  problem->conversion = changes[number].conversion;
}

static void test_changes(void **state) {
  const opencl_bench *const bench = *state;
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; ++i) {
    rlt_problem transposed = transpose_of(1);
    transposed.axes[0] = (rlt_axis){36, 33, 67, 1};
    transposed.axes[1].destination_stride = 36;
    transposed.destination_elements = 36 * 67;
    set_change(i, &transposed);
    assert_true(moves_as_defined(bench, &transposed, NULL, (move_offsets){1, 2}, i,
                                 "transpose that changes"));
    rlt_problem copied = copy_of(1, 68);
    set_change(i, &copied);
    assert_true(
        moves_as_defined(bench, &copied, NULL, (move_offsets){1, 2}, i, "copy that changes"));
  }
}

static void move_each_size(const opencl_bench *bench) {
  for (int64_t bytes = 1; bytes <= 16; bytes *= 2) {
    const rlt_problem transposed = transpose_of(bytes);
    const rlt_problem whole = copy_of(bytes, 64);
    const rlt_problem odd = copy_of(bytes, 67);
    schedules_move_as_defined(bench, &transposed, &(move_offsets){0, 0}, 1, 1, "transpose");
    schedules_move_as_defined(bench, &whole, &(move_offsets){0, 0}, 1, 2, "copy of whole words");
    schedules_move_as_defined(bench, &odd, &(move_offsets){1, 0}, 1, 3, "copy of odd rows");
  }
}

static void test_each_size(void **state) {
  move_each_size(*state);
}

/* One tile after the other in one work-group: the staged ones must not race. */
static void test_many_tiles_a_group(void **state) {
  const opencl_bench *const bench = *state;
  bench->device->facts.most_groups = 1;
  move_each_size(bench);
}

static int run(opencl_bench *bench) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_random_problems, bench),
      cmocka_unit_test_prestate(test_each_size, bench),
      cmocka_unit_test_prestate(test_changes, bench),
      cmocka_unit_test_prestate(test_many_tiles_a_group, bench),
  };
  return cmocka_run_group_tests_name("oclgrind", tests, NULL, NULL);
}

/* Prints the log; how many bytes it has, or -1 when Oclgrind did not write one. */
static long print_log(const char *path) {
  FILE *const log = fopen(path, "r");
  if (log == NULL) {
    return -1;
  }
  long size = 0;
  for (int c = getc(log); c != EOF; c = getc(log)) {
    putc(c, stderr);
    ++size;
  }
  fclose(log);
  return size;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s LOG\n", argv[0]);
    return 2;
  }
  if (access(runtime, R_OK) != 0) {
    printf("no Oclgrind at %s\n", runtime);
    return 77;
  }
  remove(argv[1]);
  setenv("OCL_ICD_VENDORS", runtime, 1);
  setenv("OCLGRIND_LOG", argv[1], 1);
  setenv("OCLGRIND_CHECK_API", "1", 1);
  setenv("OCLGRIND_DATA_RACES", "1", 1);
  setenv("OCLGRIND_UNINITIALIZED", "1", 1);
  const int failures = opencl_on_each_device_with(RELAYOUT_KERNELS_WORK_GROUP, run);
  const long size = print_log(argv[1]);
  if (size < 0) {
    fprintf(stderr, "Oclgrind wrote no log to %s\n", argv[1]);
  } else if (size > 0) {
    fprintf(stderr, "Oclgrind complains: see above\n");
  }
  return failures != 0 || size != 0;
}
