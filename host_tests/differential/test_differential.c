/* test_differential.c: whether random cases find what is wrong, and make it as small as it gets.
 * What is wrong is planted behind the library, in the bytes that it wrote. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "conformance/fenced_pages.h"
#include "differential/differential.h"
#include "differential/drawn_case.h"

static const char *const cpu[] = {"cpu"};

static differential_options options_of(uint64_t seed, differential_spoiler spoils) {
  return (differential_options){
      .devices = cpu, .device_count = 1, .seed = seed, .most_cases = 20000, .spoils = spoils};
}

static bool has_elements(const relayout_shape *shape) {
  return relayout_shape_element_count(shape) > 0;
}

/* ---- What is planted ---- */

static void spoil_last(unsigned char *destination, size_t size) {
  if (size > 0) {
    destination[size - 1] ^= 1;
  }
}

static void spoil_tiles(const relayout_shape *from, const relayout_shape *to,
                        unsigned char *destination, size_t size) {
  if (from->rank >= 2 && from->dimensions[0] >= 3 && has_elements(from) &&
      to->layout.tile_count > 0) {
    spoil_last(destination, size);
  }
}

static void spoil_ones(const relayout_shape *from, const relayout_shape *to,
                       unsigned char *destination, size_t size) {
  const relayout_layout *const layout = &to->layout;
  const int32_t last = to->rank - 1;
  if (has_elements(from) && layout->padding_value == RELAYOUT_PADDING_ONE && to->rank > 0 &&
      layout->padded_dimension_count > 0 &&
      layout->padded_dimensions[last] >= to->dimensions[last] + 2) {
    spoil_last(destination, size);
  }
}

static void spoil_conversion(const relayout_shape *from, const relayout_shape *to,
                             unsigned char *destination, size_t size) {
  if (from->element_type == RELAYOUT_F32 && to->element_type == RELAYOUT_BF16) {
    spoil_last(destination, size);
  }
}

static void spoil_order(const relayout_shape *from, const relayout_shape *to,
                        unsigned char *destination, size_t size) {
  const int32_t *const order = from->layout.minor_to_major;
  const bool has_guard = (uintptr_t)destination % fenced_pages_page_size() != 0;
  if (has_elements(from) && from->rank >= 3 && order[0] < order[1] && has_guard) {
    destination[-1] ^= 1;
  }
  (void)to;
  (void)size;
}

static void spoil_packed(const relayout_shape *from, const relayout_shape *to,
                         unsigned char *destination, size_t size) {
  if (has_elements(from) && to->layout.element_size_in_bits == 4 && from->rank > 0 &&
      from->dimensions[from->rank - 1] >= 5) {
    spoil_last(destination, size);
  }
}

typedef struct planted {
  differential_spoiler spoils;
  const char *smallest[3]; /* whichever comes first */
} planted;

static const planted all_planted[] = {
    {spoil_tiles,
     {"--from 'u8[3,1]{1,0}' --to 'u8[3,1]{1,0:T(1)}' IN OUT # 1 thread, offsets 0 "
      "and 0: as the library chooses: byte 2 of the destination's 3 is "}},
    {spoil_ones,
     {"--from 'u8[1]{0}' --to 'u8[1]{0:PD(3)PV(one)}' IN OUT # 1 thread, offsets 0 and "
      "0: as the library chooses: byte 2 of the destination's 3 is 0x00, not 0x01"}},
    {spoil_conversion,
     {"--from 'f32[]' --to 'bf16[]' IN OUT # 1 thread, offsets 0 and 0: as the "
      "library chooses: byte 1 of the destination's 2 is "}},
    {spoil_order,
     {"--from 'u8[1,1,1]{1,2,0}' --to 'u8[1,1,1]{2,1,0}' IN OUT # 1 thread, offsets 0 and 0: as "
      "the library chooses: byte -1 of the destination's 1 is 0xf8, not 0xf9",
      "--from 'u8[1,1,1]{0,1,2}' --to 'u8[1,1,1]{2,1,0}' IN OUT # ",
      "--from 'u8[1,1,1]{0,2,1}' --to 'u8[1,1,1]{2,1,0}' IN OUT # "}},
    {spoil_packed,
     {"[5]{0:E(4)}' IN OUT # 1 thread, offsets 0 and 0: as the library chooses: byte "
      "2 of the destination's 3 is "}},
};

static bool is_smallest(const planted *of, const char *failure) {
  bool is = false;
  for (size_t i = 0; i < 3; ++i) {
    is = is || (of->smallest[i] != NULL && strstr(failure, of->smallest[i]) != NULL);
  }
  return is;
}

static void check_found(const planted *of, uint64_t seed) {
  static differential_report found;
  relayout_error error;
  const differential_options options = options_of(seed, of->spoils);
  assert_int_equal(differential_run(&options, &found, &error), RELAYOUT_OK);
  assert_true(found.has_failed);
  assert_true(found.cases <= options.most_cases);
  const uint64_t number = found.failed_case;
  assert_int_equal(differential_shrink(&options, number, &found, &error), RELAYOUT_OK);
  assert_true(found.has_failed);
  assert_true(found.failed_case == number);
  if (!is_smallest(of, found.failure)) {
    fail_msg("case 0x%llx: %s", (unsigned long long)number, found.failure);
  }
}

static void test_planted(void **state) {
  (void)state;
  enum { SEEDS = 4 };
  for (size_t i = 0; i < sizeof all_planted / sizeof all_planted[0]; ++i) {
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
      check_found(&all_planted[i], seed);
    }
  }
}

/* ---- What ends the process ---- */

static void end_process(const relayout_shape *from, const relayout_shape *to,
                        unsigned char *destination, size_t size) {
  (void)to;
  (void)destination;
  (void)size;
  if (from->rank >= 1 && from->dimensions[0] >= 2) {
    raise(SIGKILL);
  }
}

static void test_crash(void **state) {
  (void)state;
  static differential_report found;
  relayout_error error;
  const differential_options options = options_of(1, end_process);
  drawn_case drawn;
  uint64_t number = 0;
  do {
    drawn_case_of(++number, &drawn);
  } while (drawn.from.shape.rank < 2 || drawn.from.shape.dimensions[0] < 2);
  assert_int_equal(differential_shrink(&options, number, &found, &error), RELAYOUT_OK);
  assert_true(found.has_failed);
  assert_non_null(strstr(found.failure, "--from 'u8[2]{0}' --to 'u8[2]{0}' IN OUT # 1 thread, "
                                        "offsets 0 and 0: ended by signal 9"));
}

/* ---- Without anything wrong ---- */

static void test_right_case(void **state) {
  (void)state;
  static differential_report found;
  relayout_error error;
  const differential_options options = options_of(1, NULL);
  assert_int_equal(differential_shrink(&options, 1, &found, &error), RELAYOUT_OK);
  assert_false(found.has_failed);
  assert_true(found.cases == 1);
}

static bool goes_on_for_ten(void *context, uint64_t cases) {
  *(uint64_t *)context = cases;
  return cases < 10;
}

static void test_ends(void **state) {
  (void)state;
  static differential_report found;
  relayout_error error;
  uint64_t last = 0;
  differential_options options = options_of(1, NULL);
  options.most_cases = 7;
  assert_int_equal(differential_run(&options, &found, &error), RELAYOUT_OK);
  assert_false(found.has_failed);
  assert_true(found.cases == 7);
  options.most_cases = UINT64_MAX;
  options.goes_on = goes_on_for_ten;
  options.context = &last;
  assert_int_equal(differential_run(&options, &found, &error), RELAYOUT_OK);
  assert_true(found.cases == 10 && last == 10);
}

static void test_no_device(void **state) {
  (void)state;
  static const char *const none[] = {"cpu", "opencl:999:999"};
  static differential_report found;
  relayout_error error;
  differential_options options = options_of(1, NULL);
  options.devices = none;
  options.device_count = 2;
  assert_int_equal(differential_run(&options, &found, &error), RELAYOUT_NO_DEVICE);
  assert_int_equal(error.status, RELAYOUT_NO_DEVICE);
}

/* ---- What is drawn ---- */

/* Of many cases, how many have what. */
typedef struct drawn_counts {
  size_t checks[DRAWN_CHECKS];
  size_t threads[DRAWN_THREADS];
  size_t from_strided, to_strided, converted, scaled, wrapping, nearest, padded, tiled, tailed;
  size_t packed, contained, empty, scalar, offset, large;
} drawn_counts;

static void count_case(const drawn_case *drawn, drawn_counts *counts) {
  const relayout_shape *const to = &drawn->to.shape;
  const int64_t bits = to->layout.element_size_in_bits;
  size_t size = 0;
  for (int i = 0; i < DRAWN_CHECKS; ++i) {
    counts->checks[i] += drawn->checks >> i & 1;
  }
  assert_int_equal(relayout_shape_validate(&drawn->from.shape, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_shape_byte_size(to, &size, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_shape_validate(&drawn->third, NULL), RELAYOUT_OK);
  counts->threads[drawn->threads] += 1;
  counts->from_strided += drawn->from.is_strided;
  counts->to_strided += drawn->to.is_strided;
  counts->converted += drawn->from.shape.element_type != to->element_type;
  counts->scaled += drawn->scale != 1;
  counts->wrapping += drawn->wraps;
  counts->nearest += drawn->to_nearest;
  counts->padded += to->layout.padded_dimension_count > 0;
  counts->tiled += to->layout.tile_count > 0;
  counts->tailed += to->layout.tail_padding_alignment_in_elements > 0;
  counts->packed += bits > 0 && bits < 8;
  counts->contained += bits > 8 * (int64_t)relayout_element_type_byte_size(to->element_type);
  counts->empty += !has_elements(to);
  counts->scalar += to->rank == 0;
  counts->offset += drawn->to.offset > 0;
  counts->large += size > 1000000;
}

static void test_drawn(void **state) {
  (void)state;
  enum { CASES = 300000 };
  static drawn_case drawn, again;
  drawn_counts counts;
  memset(&counts, 0, sizeof counts);
  for (uint64_t number = 0; number < CASES; ++number) {
    drawn_case_of(number, &drawn);
    count_case(&drawn, &counts);
  }
  drawn_case_of(CASES - 1, &again);
  assert_memory_equal(&drawn, &again, sizeof drawn);
  const size_t *const all = (const size_t *)&counts;
  for (size_t i = 0; i < sizeof counts / sizeof all[0]; ++i) {
    if (all[i] == 0) {
      fail_msg("of %d cases none has number %zu", CASES, i);
    }
  }
}

int main(void) {
  if (setenv("RELAYOUT_CACHE", "off", 1) != 0) {
    return EXIT_FAILURE;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_planted),    cmocka_unit_test(test_crash),
      cmocka_unit_test(test_right_case), cmocka_unit_test(test_ends),
      cmocka_unit_test(test_no_device),  cmocka_unit_test(test_drawn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
