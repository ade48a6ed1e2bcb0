/* test_shared_bytes.c: which problems share a byte in one memory, against sets of bytes that are
 * written down one by one. */
#include <string.h>

#include "cmocka_all.h"
#include "problem/definition.h"
#include "problem/shared_bytes.h"

enum { ENOUGH = 1 << 20 };

static rlt_axis axis_of(int64_t count, int64_t stride) {
  return (rlt_axis){count, count, stride, stride};
}

/* Of elements of so many bytes, on the side that is asked about. */
static rlt_problem problem_of(int64_t bytes, int64_t start, int32_t axis_count,
                              const rlt_axis *axes) {
  rlt_problem made = {.element_bytes = bytes,
                      .conversion = {.scale = 1},
                      .source_elements = 1 << 20,
                      .destination_elements = 1 << 20,
                      .source_start = start,
                      .destination_start = start,
                      .axis_count = axis_count};
  for (int32_t a = 0; a < axis_count; ++a) {
    made.axes[a] = axes[a];
  }
  return made;
}

/* ---- By hand ---- */

static rlt_sharing sharing(const rlt_problem *reads, const rlt_problem *writes, int64_t apart) {
  int64_t steps = ENOUGH;
  return rlt_problems_share_bytes(reads, writes, apart, &steps);
}

/* b[0::2] to b[1::2]; a channel to another; even columns to odd ones; the left half of a matrix to
 * the right one. */
static void test_lattices(void **state) {
  (void)state;
  const rlt_problem every_other = problem_of(4, 0, 1, (const rlt_axis[]){axis_of(100, 2)});
  assert_int_equal(sharing(&every_other, &every_other, 4), RLT_SHARES_NOTHING);
  assert_int_equal(sharing(&every_other, &every_other, -4), RLT_SHARES_NOTHING);
  assert_int_equal(sharing(&every_other, &every_other, 3), RLT_SHARES_BYTES);
  assert_int_equal(sharing(&every_other, &every_other, 5), RLT_SHARES_BYTES);
  assert_int_equal(sharing(&every_other, &every_other, 8), RLT_SHARES_BYTES);
  assert_int_equal(sharing(&every_other, &every_other, 796), RLT_SHARES_NOTHING);
  assert_int_equal(sharing(&every_other, &every_other, 800), RLT_SHARES_NOTHING);
  assert_int_equal(sharing(&every_other, &every_other, 792), RLT_SHARES_BYTES);

  const rlt_problem channel =
      problem_of(1, 0, 2, (const rlt_axis[]){axis_of(640, 3), axis_of(480, 1920)});
  assert_int_equal(sharing(&channel, &channel, 1), RLT_SHARES_NOTHING);
  assert_int_equal(sharing(&channel, &channel, -2), RLT_SHARES_NOTHING);
  assert_int_equal(sharing(&channel, &channel, 3), RLT_SHARES_BYTES);
  assert_int_equal(sharing(&channel, &channel, 1921), RLT_SHARES_NOTHING);

  /* Of 7 columns, so that rows begin at any multiple of an element. */
  const rlt_problem even =
      problem_of(2, 0, 2, (const rlt_axis[]){axis_of(3, 2), axis_of(1000000, 7)});
  const rlt_problem transposed =
      problem_of(2, 0, 2, (const rlt_axis[]){axis_of(1000000, 7), axis_of(3, 2)});
  assert_int_equal(sharing(&even, &transposed, 2), RLT_SHARES_NOTHING);
  assert_int_equal(sharing(&even, &transposed, 4), RLT_SHARES_BYTES);
  assert_int_equal(sharing(&even, &transposed, 14), RLT_SHARES_BYTES);
  assert_int_equal(sharing(&even, &transposed, 16), RLT_SHARES_NOTHING);

  const rlt_problem half =
      problem_of(8, 0, 2, (const rlt_axis[]){axis_of(512, 1), axis_of(1024, 1024)});
  assert_int_equal(sharing(&half, &half, 4096), RLT_SHARES_NOTHING);
  assert_int_equal(sharing(&half, &half, 4095), RLT_SHARES_BYTES);
  assert_int_equal(sharing(&half, &half, 4097), RLT_SHARES_BYTES);
}

/* What has no source is not read, and what is left alone is not written. */
static void test_padding(void **state) {
  (void)state;
  rlt_problem padded = problem_of(1, 0, 1, (const rlt_axis[]){{8, 5, 1, 1}});
  const rlt_problem plain = problem_of(1, 0, 1, (const rlt_axis[]){axis_of(3, 1)});
  assert_int_equal(sharing(&padded, &plain, 5), RLT_SHARES_NOTHING);
  assert_int_equal(sharing(&padded, &plain, 4), RLT_SHARES_BYTES);
  assert_int_equal(sharing(&plain, &padded, -5), RLT_SHARES_NOTHING);
  padded.fills = true;
  assert_int_equal(sharing(&plain, &padded, -5), RLT_SHARES_BYTES);
  const rlt_problem none = problem_of(1, 0, 1, (const rlt_axis[]){{8, 0, 1, 1}});
  assert_int_equal(sharing(&none, &padded, 0), RLT_SHARES_NOTHING);
}

/* Halves of a byte: of whole bytes all is known, of others that ranges overlap. */
static void test_packed(void **state) {
  (void)state;
  rlt_problem reads = problem_of(1, 0, 2, (const rlt_axis[]){axis_of(2, 1), axis_of(4, 6)});
  rlt_problem writes = reads;
  reads.source_packed = writes.destination_packed = 4;
  assert_int_equal(sharing(&reads, &writes, 1), RLT_SHARES_NOTHING);
  assert_int_equal(sharing(&reads, &writes, 3), RLT_SHARES_BYTES);
  reads.source_start = 1; /* so that runs take two bytes each */
  assert_int_equal(sharing(&reads, &writes, 1), RLT_SHARES_BYTES);
  assert_int_equal(sharing(&reads, &writes, 2), RLT_SHARES_NOTHING);
  reads.axes[1] = axis_of(4, 5);
  assert_int_equal(sharing(&reads, &writes, 1), RLT_SHARES_UNKNOWN);
  assert_int_equal(sharing(&reads, &writes, 9), RLT_SHARES_NOTHING);
}

static void test_index_program(void **state) {
  (void)state;
  static const rlt_index_program program = {.count = 0};
  const rlt_problem plain = problem_of(1, 0, 1, (const rlt_axis[]){axis_of(10, 2)});
  rlt_problem by_program = plain;
  by_program.index_program = &program;
  by_program.source_elements = by_program.destination_elements = 20;
  assert_int_equal(sharing(&by_program, &plain, 1), RLT_SHARES_UNKNOWN);
  assert_int_equal(sharing(&plain, &by_program, 1), RLT_SHARES_UNKNOWN);
  assert_int_equal(sharing(&by_program, &plain, 20), RLT_SHARES_NOTHING);
  assert_int_equal(sharing(&plain, &by_program, -20), RLT_SHARES_NOTHING);
}

/* ---- Against sets ---- */

enum { ROOM = 2048, MIDDLE = ROOM / 2 };

/* The bytes of a side, and where it lies. */
static void mark(const rlt_problem *problem, bool is_read, int64_t at, bool *bytes) {
  int64_t digits[RLT_MAX_AXES] = {0};
  for (;;) {
    int64_t position = is_read ? problem->source_start : problem->destination_start;
    for (int32_t a = 0; a < problem->axis_count; ++a) {
      const rlt_axis *const axis = &problem->axes[a];
      position += digits[a] * (is_read ? axis->source_stride : axis->destination_stride);
    }
    for (int64_t b = 0; b < problem->element_bytes; ++b) {
      const int64_t byte = at + position * problem->element_bytes + b;
      assert_true(byte >= 0 && byte < ROOM);
      bytes[byte] = true;
    }
    int32_t a = 0;
    while (a < problem->axis_count && ++digits[a] == problem->axes[a].extent) {
      digits[a++] = 0;
    }
    if (a == problem->axis_count) {
      return;
    }
  }
}

/* In all places up to `most` bytes apart, of sides that reach no farther than `reach` bytes. */
static void check(const rlt_problem *reads, const rlt_problem *writes, int64_t most,
                  int64_t reach) {
  static bool read[ROOM], written[ROOM];
  memset(read, 0, sizeof read);
  memset(written, 0, sizeof written);
  mark(reads, true, MIDDLE, read);
  mark(writes, false, MIDDLE, written);
  for (int64_t apart = -most; apart <= most; ++apart) {
    bool shares = false;
    for (int64_t b = MIDDLE - reach; b < MIDDLE + reach && !shares; ++b) {
      shares = written[b] && read[b + apart];
    }
    const rlt_sharing found = sharing(reads, writes, apart);
    if (found != (shares ? RLT_SHARES_BYTES : RLT_SHARES_NOTHING)) {
      for (int32_t i = 0; i < 2; ++i) {
        const rlt_problem *const of = i == 0 ? reads : writes;
        for (int32_t a = 0; a < of->axis_count; ++a) {
          print_message("%s axis %d: %d times %d\n", i == 0 ? "source" : "destination", a,
                        (int)of->axes[a].extent, (int)of->axes[a].source_stride);
        }
      }
      fail_msg("%d and %d bytes, %d apart: %d, not %d", (int)reads->element_bytes,
               (int)writes->element_bytes, (int)apart, (int)found, shares);
    }
  }
}

/* All lattices of two axes, of elements of one and two bytes, in all places. */
static void test_small_lattices(void **state) {
  (void)state;
  static const int64_t inner[] = {-3, 0, 1, 2, 4}, outer[] = {2, 3, 5, 6};
  rlt_problem all[2 * 2 * 5 * 3 * 4];
  int count = 0;
  for (int64_t bytes = 1; bytes <= 2; ++bytes) {
    for (int i = 0; i < 2 * 5 * 3 * 4; ++i) {
      const rlt_axis axes[] = {axis_of(2 + i % 2, inner[i / 2 % 5]),
                               axis_of(1 + i / 10 % 3, outer[i / 30])};
      all[count++] = problem_of(bytes, 7, 2, axes);
    }
  }
  for (int r = 0; r < count; ++r) {
    for (int w = 0; w < count; ++w) {
      if (all[w].axes[0].destination_stride > 0) {
        check(&all[r], &all[w], 24, 64);
      }
    }
  }
}

/* More axes, of all kinds. */
static void test_random_lattices(void **state) {
  (void)state;
  uint64_t random = 20261126;
  for (int i = 0; i < 800; ++i) {
    rlt_problem sides[2];
    for (int s = 0; s < 2; ++s) {
      rlt_axis axes[4];
      const int32_t count = 1 + (int32_t)definition_random(&random, 4);
      for (int32_t a = 0; a < count; ++a) {
        axes[a] =
            axis_of(1 + definition_random(&random, 4), 1 + definition_random(&random, 16 << a % 2));
        axes[a].source_stride *= definition_random(&random, 4) == 0 ? -1 : 1;
      }
      sides[s] = problem_of(1 + definition_random(&random, 2), 0, count, axes);
    }
    check(&sides[0], &sides[1], 200, 800);
  }
}

/* ---- How long it takes ---- */

/* Steps that share no divisor and reach far over each other. */
static void test_steps_are_bounded(void **state) {
  (void)state;
  rlt_axis axes[24];
  for (int a = 0; a < 24; ++a) {
    axes[a] = axis_of(2, 1000003 + 2 * (int64_t)a * a * 7919);
  }
  const rlt_problem wild = problem_of(1, 0, 24, axes);
  const rlt_problem one = problem_of(1, 0, 0, NULL);
  int64_t steps = 1000;
  assert_int_equal(rlt_problems_share_bytes(&wild, &one, 12345678, &steps), RLT_SHARES_UNKNOWN);
  assert_int_equal(steps, 0);
  /* What ranges tell takes next to none. */
  steps = 1;
  assert_int_equal(rlt_problems_share_bytes(&wild, &one, -1, &steps), RLT_SHARES_NOTHING);
  assert_int_equal(steps, 0);
}

/* Steps of a layout, of which each is longer than all before it reach, are few to try. */
static void test_nested_steps_are_few(void **state) {
  (void)state;
  rlt_axis axes[20];
  int64_t stride = 2;
  for (int a = 0; a < 20; ++a) {
    axes[a] = axis_of(3, stride);
    stride = stride * 7 + 1;
  }
  const rlt_problem nested = problem_of(1, 0, 20, axes);
  int64_t steps = 1000;
  assert_int_equal(rlt_problems_share_bytes(&nested, &nested, 1, &steps), RLT_SHARES_NOTHING);
  assert_true(steps > 0);
  steps = 1000;
  assert_int_equal(rlt_problems_share_bytes(&nested, &nested, axes[19].destination_stride, &steps),
                   RLT_SHARES_BYTES);
  assert_true(steps > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lattices),
      cmocka_unit_test(test_padding),
      cmocka_unit_test(test_packed),
      cmocka_unit_test(test_index_program),
      cmocka_unit_test(test_small_lattices),
      cmocka_unit_test(test_random_lattices),
      cmocka_unit_test(test_steps_are_bounded),
      cmocka_unit_test(test_nested_steps_are_few),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
