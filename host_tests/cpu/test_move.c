/* Every kind of tile function, at every element size, against the definition of a problem, with one
 * instruction set: the argument names it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "cpu/device.h"
#include "cpu/trial.h"
#include "problem/definition.h"

enum { SKIPPED = 77 };

static int setup(void **state) {
  return relayout_cpu_device_create(NULL, (relayout_device **)state, NULL);
}

/* A device whose cache is too small for any destination. */
static int setup_streaming(void **state) {
  const int result = setup(state);
  if (result == 0) {
    ((relayout_device *)*state)->facts.cache_bytes = 1;
  }
  return result;
}

static int teardown(void **state) {
  relayout_device_destroy(*state);
  return 0;
}

static void set_fill(rlt_problem *problem, bool uniform) {
  for (int i = 0; i < RELAYOUT_MAX_ELEMENT_SIZE; ++i) {
    problem->fill[i] = (uint8_t)(uniform ? 0x3c : 0x40 + i);
  }
}

/* Sizes the buffers to what the axes reach. */
static void set_sizes(rlt_problem *problem) {
  problem->source_elements = 1;
  problem->destination_elements = 1;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const rlt_axis *axis = &problem->axes[a];
    problem->source_elements += axis->valid > 0 ? (axis->valid - 1) * axis->source_stride : 0;
    problem->destination_elements += (axis->extent - 1) * axis->destination_stride;
  }
}

/* ---- Shapes that reach the edges of tiles, blocks and groups ---- */

typedef struct move_case {
  const char *name;
  const char *method; /* that offers schedules for it */
  int32_t axis_count;
  rlt_axis axes[5]; /* extent, valid, source stride, destination stride */
} move_case;

static const move_case move_cases[] = {
    {"one element", "copy", 0, {{0}}},
    {"one run", "copy", 1, {{1000, 1000, 1, 1}}},
    {"one run, its end filled", "copy", 1, {{1000, 777, 1, 1}}},
    {"a run of several tiles", "copy", 1, {{600000, 500001, 1, 1}}},
    {"runs", "copy", 2, {{100, 90, 1, 1}, {77, 77, 95, 100}}},
    {"runs, rows filled", "copy", 2, {{100, 100, 1, 1}, {77, 33, 128, 100}}},
    {"runs, rows far apart", "copy", 3, {{70, 69, 1, 1}, {9, 7, 700, 80}, {11, 10, 70, 720}}},
    {"one run for all rows", "copy", 2, {{100, 100, 1, 1}, {40, 39, 0, 100}}},
    {"square", "transpose", 2, {{300, 300, 300, 1}, {300, 300, 1, 300}}},
    {"powers of two", "transpose", 2, {{256, 256, 512, 1}, {512, 512, 1, 256}}},
    {"padded", "transpose", 2, {{300, 260, 290, 1}, {280, 259, 1, 301}}},
    {"rows and columns outside",
     "transpose",
     4,
     {{70, 65, 67, 1}, {3, 2, 67 * 65 * 5, 70}, {67, 66, 1, 210}, {5, 5, 67 * 65, 210 * 67}}},
    {"source rows that overlap", "transpose", 2, {{90, 90, 2, 1}, {90, 80, 1, 90}}},
    {"interleave", "interleave", 2, {{3, 3, 500, 1}, {500, 500, 1, 3}}},
    {"interleave and pad", "interleave", 2, {{4, 3, 500, 1}, {500, 480, 1, 4}}},
    {"deinterleave", "interleave", 2, {{500, 490, 3, 1}, {3, 3, 1, 500}}},
    {"short runs", "copy", 3, {{4, 3, 1, 1}, {5, 5, 21, 4}, {77, 70, 3, 20}}},
    {"short on both sides",
     "permute",
     5,
     {{2, 2, 60, 1}, {3, 2, 30, 2}, {2, 2, 3, 6}, {5, 4, 6, 12}, {3, 3, 1, 60}}},
    {"reversed order of eights",
     "permute",
     4,
     {{8, 8, 512, 1}, {8, 7, 64, 8}, {8, 6, 8, 64}, {8, 5, 1, 512}}},
    {"a destination with gaps", "permute", 2, {{9, 8, 1, 2}, {40, 39, 9, 20}}},
    {"fill", "fill", 1, {{1000, 0, 0, 1}}},
    {"fill several tiles", "fill", 1, {{600000, 0, 0, 1}}},
    {"fill with gaps", "fill", 2, {{30, 0, 0, 3}, {20, 0, 0, 100}}},
    {"gather", "index-program", 3, {{30, 28, 7, 1}, {20, 20, 0, 30}, {6, 5, 1, 601}}},
};

/* Whether schedules of the method ran; or, where it moves tiles by tables, of another one that
 * does: which of them applies depends on the words, the gaps and the instruction set. */
static bool was_offered(const trial_record *record, const char *method) {
  static const char *const by_tables[] = {"transpose", "interleave", "permute", "bit-transpose"};
  bool is_by_tables = false;
  int all = 0;
  for (size_t i = 0; i < sizeof by_tables / sizeof *by_tables; ++i) {
    is_by_tables = is_by_tables || strcmp(method, by_tables[i]) == 0;
    all += trial_count(record, by_tables[i]);
  }
  return trial_count(record, method) > 0 || (is_by_tables && all > 0);
}

static void test_cases(void **state) {
  for (size_t i = 0; i < sizeof move_cases / sizeof *move_cases; ++i) {
    const move_case *c = &move_cases[i];
    int uses = 0;
    for (int variant = 0; variant < 5 * 4; ++variant) {
      rlt_problem problem = {.element_bytes = INT64_C(1) << variant / 4,
                             .axis_count = c->axis_count};
      memcpy(problem.axes, c->axes, sizeof c->axes);
      problem.fills = variant % 4 > 0 || strcmp(c->method, "fill") == 0;
      set_fill(&problem, variant % 2 == 1);
      set_sizes(&problem);
      trial_record record = {.chosen = NULL};
      const bool passed = trial_passes(*state, &problem, (size_t)(variant % 4), &record);
      if (!passed || !was_offered(&record, c->method)) {
        fail_msg("case `%s`, variant %d", c->name, variant);
      }
      uses += trial_count(&record, c->method);
    }
    if (uses == 0) {
      fail_msg("case `%s` has no schedule of %s", c->name, c->method);
    }
  }
}

/* All the remainders that a block of vectors can leave, on both sides. */
static void test_block_edges(void **state) {
  static const int64_t sides[] = {2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 130, 257};
  enum { SIDES = sizeof sides / sizeof *sides };
  for (int variant = 0; variant < SIDES * SIDES * 5; ++variant) {
    const int64_t columns = sides[variant % SIDES];
    const int64_t rows = sides[variant / SIDES % SIDES];
    rlt_problem problem = {.element_bytes = INT64_C(1) << variant / (SIDES * SIDES),
                           .axis_count = 2,
                           .axes = {{columns + variant % 3, columns, rows + 1, 1},
                                    {rows + variant % 2, rows, 1, columns + 2}},
                           .fills = true};
    set_fill(&problem, false);
    set_sizes(&problem);
    trial_record record = {.chosen = NULL};
    assert_true(trial_passes(*state, &problem, 1, &record));
    assert_true(was_offered(&record, "transpose"));
  }
}

/* Five to eight short runs that lie eight apart, joined and parted at odd lengths, alone and beside
 * others. */
static void test_combs_of_eight(void **state) {
  static const int64_t lengths[] = {31, 32, 33, 63, 64, 65, 127, 128, 131, 1001};
  enum { LENGTHS = sizeof lengths / sizeof *lengths };
  for (int variant = 0; variant < LENGTHS * 4 * 5 * 2; ++variant) {
    const int64_t length = lengths[variant % LENGTHS];
    const int64_t channels = 5 + variant / LENGTHS % 4;
    const int64_t spare = variant % 3;
    const bool joins = variant / (LENGTHS * 4 * 5) == 0;
    rlt_problem problem = {.element_bytes = INT64_C(1) << variant / (LENGTHS * 4) % 5,
                           .axis_count = 3,
                           .fills = variant % 2 == 0};
    if (joins) {
      problem.axes[0] = (rlt_axis){8, channels, 3 * length + 1, 1};
      problem.axes[1] = (rlt_axis){length + spare, length, 1, 8};
      problem.axes[2] = (rlt_axis){3, 3, length, 8 * (length + spare)};
    } else {
      problem.axes[0] = (rlt_axis){length + spare, length, 8, 1};
      problem.axes[1] = (rlt_axis){3, 3, 8 * length, length + spare};
      problem.axes[2] = (rlt_axis){channels, channels, 1, 3 * (length + spare) + 1};
    }
    set_fill(&problem, false);
    set_sizes(&problem);
    trial_record record = {.chosen = NULL};
    if (!trial_passes(*state, &problem, (size_t)(variant % 5), &record)) {
      fail_msg("variant %d", variant);
    }
    assert_true(was_offered(&record, "interleave"));
  }
}

/* ---- Pointers anywhere in a line ---- */

typedef struct placed_case {
  const char *name;
  int64_t element_bytes;
  bool fills;
  int32_t axis_count;
  rlt_axis axes[3]; /* extent, valid, source stride, destination stride */
} placed_case;

static const placed_case placed_cases[] = {
    {"transposed", 4, true, 2, {{133, 133, 173, 1}, {171, 171, 1, 133}}},
    {"transposed bytes", 1, true, 2, {{311, 311, 301, 1}, {301, 301, 1, 311}}},
    {"transposed, padded", 2, true, 2, {{259, 250, 203, 1}, {205, 201, 1, 259}}},
    {"transposed, padding kept", 4, false, 2, {{127, 127, 149, 1}, {147, 147, 1, 131}}},
    {"wide elements", 16, true, 2, {{37, 35, 41, 1}, {41, 41, 1, 37}}},
    {"short runs", 1, true, 2, {{75, 75, 1, 1}, {401, 401, 81, 75}}},
    {"short runs, padded", 4, true, 2, {{27, 25, 1, 1}, {301, 299, 25, 27}}},
    {"short runs, padding kept", 2, false, 2, {{49, 49, 1, 1}, {301, 301, 51, 53}}},
    {"long runs, padded", 1, true, 2, {{1537, 1501, 1, 1}, {13, 12, 1501, 1537}}},
    {"long runs, padding kept", 4, false, 2, {{601, 601, 1, 1}, {11, 11, 607, 613}}},
    {"interleaved", 1, true, 2, {{3, 3, 6007, 1}, {6001, 6001, 1, 3}}},
    {"interleaved, padded", 2, true, 2, {{4, 3, 3001, 1}, {3001, 2999, 1, 4}}},
    {"parted", 1, true, 2, {{6001, 6001, 3, 1}, {3, 3, 1, 6001}}},
    {"pixels transposed", 1, true, 3, {{3, 3, 1, 1}, {61, 61, 321, 3}, {107, 107, 3, 183}}},
    {"five joined", 1, true, 2, {{5, 5, 2003, 1}, {1999, 1999, 1, 5}}},
    {"six joined, padded", 2, true, 2, {{6, 5, 2003, 1}, {1999, 1997, 1, 6}}},
    {"seven parted", 1, true, 2, {{1999, 1999, 7, 1}, {7, 7, 1, 1999}}},
    {"eight joined", 1, true, 2, {{8, 8, 2003, 1}, {1999, 1999, 1, 8}}},
    {"eight parted", 1, true, 2, {{1999, 1999, 8, 1}, {8, 8, 1, 1999}}},
    {"parted, padding kept", 4, false, 3, {{61, 61, 3, 1}, {17, 17, 183, 63}, {3, 3, 1, 1087}}},
};

/* Neither side's pointer promises anything: where lines begin is found out call by call. */
static void test_every_place_in_a_line(void **state) {
  static const size_t source_shifts[] = {1, 23, 47};
  enum { LINE = 64, SOURCE_SHIFTS = sizeof source_shifts / sizeof *source_shifts };
  for (size_t i = 0; i < sizeof placed_cases / sizeof *placed_cases; ++i) {
    const placed_case *const c = &placed_cases[i];
    rlt_problem problem = {
        .element_bytes = c->element_bytes, .axis_count = c->axis_count, .fills = c->fills};
    memcpy(problem.axes, c->axes, sizeof c->axes);
    set_fill(&problem, false);
    set_sizes(&problem);
    relayout_plan *const plan = trial_plan(*state, &problem);
    for (size_t s = 0; s < SOURCE_SHIFTS; ++s) {
      trial t;
      trial_initialize(&t, &problem, source_shifts[s]);
      for (size_t shift = s; shift < LINE; shift += SOURCE_SHIFTS) {
        if (!trial_run(&t, plan, shift)) {
          fail_msg("case `%s`, source shifted by %zu, destination by %zu", c->name,
                   source_shifts[s], shift);
        }
      }
      trial_deinitialize(&t);
    }
    relayout_plan_destroy(plan);
  }
}

/* ---- Anything a problem can say ---- */

/* Schedules of each of these methods must have moved some of them: the table above is for what is
 * rare here. */
static void check_random(relayout_device *device, rlt_problem (*draw)(uint64_t *seed),
                         const char *const *methods) {
  trial_record record = {.chosen = NULL};
  for (uint64_t first = 1; first <= 1500; ++first) {
    uint64_t seed = first;
    const rlt_problem problem = draw(&seed);
    const size_t shift = (size_t)definition_random(&seed, 16);
    if (!trial_passes(device, &problem, shift, &record)) {
      fail_msg("seed %" PRIu64, first);
    }
  }
  for (size_t i = 0; methods[i] != NULL; ++i) {
    print_message("%s: %d\n", methods[i], trial_count(&record, methods[i]));
    assert_true(trial_count(&record, methods[i]) >= 10);
  }
  print_message("rare: %d; %d drawn, %d of them refused\n", record.rare, record.drawn,
                record.refused);
  assert_true(record.rare >= 1000);
  assert_true(record.refused < record.drawn * 3 / 4);
}

static void test_random_problems(void **state) {
  static const char *const methods[] = {"copy",    "fill",          "transpose", "interleave",
                                        "permute", "index-program", NULL};
  check_random(*state, definition_random_problem, methods);
}

/* Packed elements on either side or both, from any bit on. Where the last element is not written,
 * the array ends with a byte. */
static rlt_problem random_packed_problem(uint64_t *seed) {
  rlt_problem problem = definition_random_problem(seed);
  problem.element_bytes = 1;
  problem.destination_packed = INT64_C(1) << definition_random(seed, 3);
  problem.source_packed = definition_random(seed, 2) == 1 ? problem.destination_packed : 0;
  problem.destination_high = definition_random(seed, 2) == 1;
  problem.source_high = problem.source_packed > 0 && definition_random(seed, 2) == 1;
  memcpy(problem.fill_word, problem.fill, sizeof problem.fill_word);
  problem.source_start = definition_random(seed, 20);
  problem.source_elements += problem.source_start;
  problem.destination_start = definition_random(seed, 20);
  problem.destination_elements += problem.destination_start;
  bool writes_last = problem.fills;
  for (int32_t a = 0; a < problem.axis_count; ++a) {
    writes_last = writes_last && problem.axes[a].extent > 0;
  }
  if (!writes_last) {
    problem.destination_elements = (problem.destination_elements + 7) / 8 * 8;
  }
  return problem;
}

static void test_random_packed_problems(void **state) {
  static const char *const methods[] = {"copy", "fill", "interleave", "permute", NULL};
  check_random(*state, random_packed_problem, methods);
}

/* Rows of the destination that begin at any bit, and go on through several tiles. */
static void test_odd_packed_turns(void **state) {
  static const int64_t sides[][2] = {{1031, 517}, {517, 2063}, {130, 4099}};
  for (int variant = 0; variant < 3 * 3 * 2; ++variant) {
    const int64_t columns = sides[variant / 3 % 3][0], rows = sides[variant / 3 % 3][1];
    rlt_problem problem = {.element_bytes = 1,
                           .source_packed = INT64_C(1) << variant % 3,
                           .destination_packed = INT64_C(1) << variant % 3,
                           .source_high = variant % 2 == 1,
                           .destination_high = variant / 9 == 1,
                           .source_start = variant,
                           .destination_start = 5 * variant,
                           .axis_count = 2,
                           .axes = {{columns, columns, rows, 1}, {rows, rows, 1, columns}}};
    set_sizes(&problem);
    problem.source_elements += problem.source_start;
    problem.destination_elements += problem.destination_start;
    trial_record record = {.chosen = NULL};
    if (!trial_passes(*state, &problem, (size_t)variant, &record)) {
      fail_msg("variant %d", variant);
    }
    assert_true(was_offered(&record, "bit-transpose"));
  }
}

int main(int argument_count, char **arguments) {
  if (argument_count != 2 || setenv("RELAYOUT_CPU_INSTRUCTIONS", arguments[1], 1) != 0) {
    fprintf(stderr, "usage: %s INSTRUCTION-SET\n", arguments[0]);
    return 2;
  }
  const rlt_cpu_instruction_set *set;
  relayout_error error;
  const relayout_status status = rlt_cpu_instruction_set_choose(&set, &error);
  if (status == RELAYOUT_UNSUPPORTED) {
    fprintf(stderr, "%s\n", error.message);
    return SKIPPED;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cases),
      cmocka_unit_test(test_block_edges),
      cmocka_unit_test(test_combs_of_eight),
      cmocka_unit_test(test_every_place_in_a_line),
      cmocka_unit_test(test_random_problems),
      cmocka_unit_test(test_random_packed_problems),
      cmocka_unit_test(test_odd_packed_turns),
  };
  const int in_cache = cmocka_run_group_tests(tests, setup, teardown);
  const int past_cache = cmocka_run_group_tests(tests, setup_streaming, teardown);
  return in_cache + past_cache;
}
