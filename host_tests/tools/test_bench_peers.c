/* test_bench_peers.c: peers of a benchmark: which relayouts are for them, worked out by hand;
 * how what they made is judged; and, where the command line names a device, `cpu` or
 * `opencl`, that they are right there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/rect_copy.h"
#include "cmocka_all.h"
#include "oracle/oracle.h"
#include "shape_of.h"
#include "tools/open_target.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { PLACE = 4096, CAPACITY = 1 << 18 };

static bench_target *target;

static bench_strided strided_of(const char *from_text, const char *to_text) {
  const relayout_shape from = shape_of(from_text);
  const relayout_shape to = shape_of(to_text);
  bench_strided made;
  if (!bench_strided_of(&from, &to, &made)) {
    fail_msg("%s to %s has no strides", from_text, to_text);
  }
  return made;
}

static void assert_axis(const bench_axis *axis, size_t extent, size_t source, size_t destination) {
  assert_int_equal(axis->extent, extent);
  assert_int_equal(axis->source_stride, source);
  assert_int_equal(axis->destination_stride, destination);
}

/* ---- Axes ----------------------------------------------------------------------------------- */

static void test_axes(void **state) {
  (void)state;
  bench_strided found = strided_of("f32[32,256,56,56]{1,3,2,0}", "f32[32,256,56,56]{3,2,1,0}");
  assert_int_equal(found.axis_count, 3);
  assert_int_equal(found.element_bytes, 4);
  assert_int_equal(found.destination_bytes, 4 * 32 * 256 * 56 * 56);
  assert_axis(&found.axes[0], 3136, 256, 1);
  assert_axis(&found.axes[1], 256, 1, 3136);
  assert_axis(&found.axes[2], 32, 802816, 802816);
  assert_false(found.fills);
  /* Padding of one side keeps axes apart; dimensions of 1 are none. */
  found = strided_of("u16[5,1,7]{2,1,0:PD(5,3,8)}", "u16[5,1,7]{2,1,0:PV(lowest)}");
  assert_int_equal(found.axis_count, 2);
  assert_axis(&found.axes[0], 7, 1, 1);
  assert_axis(&found.axes[1], 5, 24, 7);
  assert_false(found.fills);
  found = strided_of("f64[]", "f64[]");
  assert_int_equal(found.axis_count, 0);
}

static void test_fill(void **state) {
  (void)state;
  bench_strided found = strided_of("u16[5]", "u16[5]{0:PD(8)PV(0x1234)}");
  const uint16_t fill = 0x1234;
  assert_true(found.fills);
  assert_int_equal(found.destination_bytes, 16);
  assert_memory_equal(found.fill, &fill, sizeof fill);
  found = strided_of("u16[5]", "u16[5]{0:PD(8)PV(unknown)}");
  assert_false(found.fills);
}

static void test_no_strides(void **state) {
  (void)state;
  static const char *const shapes[][2] = {
      {"f32[16,256]", "f32[16,256]{1,0:T(8,128)}"},
      {"u4[16]{0:E(4)}", "u4[16]"},
      {"u4[16]{0:E(4)}", "u4[16]{0:E(4)}"},
      {"u8[16]{0:E(32)}", "u8[16]{0:E(32)}"},
      {"f32[0,4]", "f32[0,4]"},
      {"f32[3,4]", "s32[3,4]"},
  };
  for (size_t i = 0; i < COUNT(shapes); i++) {
    const relayout_shape from = shape_of(shapes[i][0]);
    const relayout_shape to = shape_of(shapes[i][1]);
    bench_strided made;
    assert_false(bench_strided_of(&from, &to, &made));
  }
}

/* ---- Rectangles ----------------------------------------------------------------------------- */

typedef struct rect_case {
  const char *from;
  const char *to;
  size_t region[3];
  size_t source_pitch[2]; /* of rows, of slices */
  size_t destination_pitch[2];
  size_t count;
} rect_case;

static const rect_case rect_cases[] = {
    /* A copy is one row. */
    {"f32[3,5]", "f32[3,5]", {60, 1, 1}, {60, 60}, {60, 60}, 1},
    {"f32[]", "f32[]", {4, 1, 1}, {4, 4}, {4, 4}, 1},
    {"u16[5,7]{1,0:PD(5,8)}", "u16[5,7]", {14, 5, 1}, {16, 80}, {14, 70}, 1},
    /* Three dimensions, padded in the middle. */
    {"u8[2,3,4]", "u8[2,3,4]{2,1,0:PD(2,5,6)}", {4, 3, 2}, {4, 12}, {6, 30}, 1},
    /* The outer two change places: slices cannot lie between rows, so one of them is a loop, the
     * shorter one. */
    {"f32[6,5,4]", "f32[6,5,4]{2,0,1}", {16, 6, 1}, {80, 480}, {16, 96}, 5},
    {"f32[5,6,4]", "f32[5,6,4]{2,0,1}", {16, 6, 1}, {16, 96}, {80, 480}, 5},
    {"u8[3,2,5,4]", "u8[3,2,5,4]{3,2,0,1}", {20, 3, 1}, {40, 120}, {20, 60}, 2},
    {"u8[3,2,5,4]", "u8[3,2,5,4]{3,1,2,0}", {4, 5, 3}, {4, 40}, {8, 40}, 2},
};

static void test_rectangles(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(rect_cases); i++) {
    const rect_case *const expected = &rect_cases[i];
    const bench_strided moved = strided_of(expected->from, expected->to);
    rect_copy found;
    if (!rect_copy_of(&moved, &found) || found.count != expected->count ||
        memcmp(found.region, expected->region, sizeof found.region) != 0 ||
        found.source_row_pitch != expected->source_pitch[0] ||
        found.source_slice_pitch != expected->source_pitch[1] ||
        found.destination_row_pitch != expected->destination_pitch[0] ||
        found.destination_slice_pitch != expected->destination_pitch[1]) {
      fail_msg("%s to %s: %zu of %zu x %zu x %zu, from %zu, %zu to %zu, %zu", expected->from,
               expected->to, found.count, found.region[0], found.region[1], found.region[2],
               found.source_row_pitch, found.source_slice_pitch, found.destination_row_pitch,
               found.destination_slice_pitch);
    }
  }
}

static void test_rectangles_begin(void **state) {
  (void)state;
  const bench_strided moved = strided_of("u16[3,2,7,5,4]", "u16[3,2,7,5,4]{4,0,1,2,3}");
  rect_copy found;
  assert_true(rect_copy_of(&moved, &found));
  /* Rows are those of 7; 3, then 2, then 5 are left, by the order of the destination. */
  assert_int_equal(found.region[1], 7);
  assert_int_equal(found.count, 30);
  size_t source;
  size_t destination;
  rect_copy_begin(&found, 0, &source, &destination);
  assert_true(source == 0 && destination == 0);
  rect_copy_begin(&found, 2, &source, &destination);
  assert_true(source == 2 * 560 && destination == 2 * 8);
  rect_copy_begin(&found, 1 + 3 * 1 + 6 * 4, &source, &destination);
  assert_true(source == 560 + 280 + 4 * 8 && destination == 8 + 24 + 4 * 336);
}

static void test_no_rectangles(void **state) {
  (void)state;
  static const char *const shapes[][2] = {
      {"f32[3,5]", "f32[3,5]{0,1}"}, /* the runs differ */
      {"u8[129,128,64]", "u8[129,128,64]{0,2,1}"},
      {"u8[129,128,130,4]", "u8[129,128,130,4]{3,0,1,2}"}, /* 128 * 129 rectangles */
  };
  for (size_t i = 0; i < COUNT(shapes); i++) {
    const bench_strided moved = strided_of(shapes[i][0], shapes[i][1]);
    rect_copy made;
    assert_false(rect_copy_of(&moved, &made));
  }
  const bench_strided moved = strided_of("u8[128,128,130,4]", "u8[128,128,130,4]{3,0,1,2}");
  rect_copy made;
  assert_true(rect_copy_of(&moved, &made));
  assert_int_equal(made.count, 16384);
}

/* ---- Verdicts ------------------------------------------------------------------------------- */

static const bench_peer calculator = {.name = "calculator", .computes = true};
static const bench_peer mover = {.name = "mover"};

static void test_verdicts_on_singles(void **state) {
  (void)state;
  const uint32_t right[] = {0x3f800000, 0x7f800001, 0x00000001, 0xff800000};
  uint32_t made[COUNT(right)];
  memcpy(made, right, sizeof right);
#define JUDGE(type)                                                                                \
  bench_judge_peer(RELAYOUT_##type, (const uint8_t *)made, (const uint8_t *)right, sizeof right)
  assert_int_equal(JUDGE(F32), BENCH_EXACT);
  assert_int_equal(JUDGE(ELEMENT_TYPE_INVALID), BENCH_EXACT);
  made[1] = 0x7fc00001; /* a quieted NaN */
  made[2] = 0;          /* a flushed denormal */
  assert_int_equal(JUDGE(F32), BENCH_INEXACT);
  assert_int_equal(JUDGE(ELEMENT_TYPE_INVALID), BENCH_WRONG);
  assert_int_equal(JUDGE(S32), BENCH_WRONG);
  made[0] = 0x3f800001;
  assert_int_equal(JUDGE(F32), BENCH_WRONG);
#undef JUDGE
}

static void test_verdicts_on_doubles(void **state) {
  (void)state;
  const uint64_t right[] = {UINT64_C(0x3ff0000000000000), UINT64_C(0x7ff0000000000001),
                            UINT64_C(0x400000007f800001), UINT64_C(0x3ff0000000000000)};
  uint64_t made[COUNT(right)];
  memcpy(made, right, sizeof right);
#define JUDGE(type)                                                                                \
  bench_judge_peer(RELAYOUT_##type, (const uint8_t *)made, (const uint8_t *)right, sizeof right)
  made[1] |= UINT64_C(1) << 51;
  assert_int_equal(JUDGE(F64), BENCH_INEXACT);
  made[0] += 1; /* beside a NaN in a pair, but not alone */
  assert_int_equal(JUDGE(F64), BENCH_WRONG);
  assert_int_equal(JUDGE(C128), BENCH_INEXACT);
  made[3] += 1; /* a NaN it would be as f32 alone */
  assert_int_equal(JUDGE(C128), BENCH_WRONG);
#undef JUDGE
}

static void test_verdicts_on_halves(void **state) {
  (void)state;
  const uint16_t right[] = {0x3f80, 0x7fc0, 0x0000, 0x7c00, 0x0080};
  uint16_t made[COUNT(right)];
  memcpy(made, right, sizeof right);
#define JUDGE(type)                                                                                \
  bench_judge_peer(RELAYOUT_##type, (const uint8_t *)made, (const uint8_t *)right, sizeof right)
  made[1] = 0x7fc1; /* a NaN with a payload, as either */
  made[2] = 1;      /* a denormal that is not 0 */
  assert_int_equal(JUDGE(BF16), BENCH_INEXACT);
  assert_int_equal(JUDGE(F16), BENCH_INEXACT);
  assert_int_equal(JUDGE(U16), BENCH_WRONG);
  made[4] = 0; /* the least normal bf16, to which a greater denormal of f32 rounds */
  assert_int_equal(JUDGE(BF16), BENCH_INEXACT);
  made[4] = 0x0080;
  made[3] = 0x7c01; /* a NaN in place of an infinity as f16, a number as bf16 */
  assert_int_equal(JUDGE(BF16), BENCH_WRONG);
  assert_int_equal(JUDGE(F16), BENCH_INEXACT);
#undef JUDGE
}

static void test_what_elements_are_taken_for(void **state) {
  (void)state;
#define TAKES(peer, from, to) bench_peer_takes_for(&(peer), RELAYOUT_##from, RELAYOUT_##to)
  assert_int_equal(TAKES(mover, U32, U32), RELAYOUT_ELEMENT_TYPE_INVALID);
  assert_int_equal(TAKES(mover, F32, F32), RELAYOUT_ELEMENT_TYPE_INVALID);
  assert_int_equal(TAKES(mover, F32, BF16), RELAYOUT_BF16);
  assert_int_equal(TAKES(calculator, U32, U32), RELAYOUT_F32);
  assert_int_equal(TAKES(calculator, C64, C64), RELAYOUT_F64);
  assert_int_equal(TAKES(calculator, C128, C128), RELAYOUT_C128);
  assert_int_equal(TAKES(calculator, F16, F16), RELAYOUT_ELEMENT_TYPE_INVALID);
#undef TAKES
}

/* ---- On the device -------------------------------------------------------------------------- */

/* What the definition makes of a relayout of the source's bytes from one place to
 * another, and zeros all around. */
static uint8_t *right_result(const relayout_shape *from, const relayout_shape *to, size_t source_at,
                             size_t destination_at) {
  relayout_error error;
  const uint8_t *source;
  const uint8_t *destination;
  uint8_t *const right = calloc(1, CAPACITY);
  assert_non_null(right);
  assert_int_equal(target->map(target, CAPACITY, CAPACITY, &source, &destination, &error),
                   RELAYOUT_OK);
  oracle_relayout(from, to, source + source_at, right + destination_at);
  target->unmap(target);
  return right;
}

static void check_peer(size_t which, const char *from_text, const char *to_text, size_t source_at,
                       size_t destination_at) {
  const relayout_shape from = shape_of(from_text);
  const relayout_shape to = shape_of(to_text);
  uint8_t *const right = right_result(&from, &to, source_at, destination_at);
  relayout_error error;
  bench_time time = {0, 0};
  const uint8_t *source;
  const uint8_t *made;
  if (target->clear(target, CAPACITY, &error) != RELAYOUT_OK ||
      target->run_peer(target, which, source_at, destination_at, &time, &error) != RELAYOUT_OK ||
      target->map(target, CAPACITY, CAPACITY, &source, &made, &error) != RELAYOUT_OK) {
    fail_msg("%s, %s to %s: %s", target->peers[which].name, from_text, to_text, error.message);
  }
  const bench_verdict verdict = bench_judge_peer(
      bench_peer_takes_for(&target->peers[which], from.element_type, to.element_type), made, right,
      CAPACITY);
  if (verdict == BENCH_WRONG || !(time.counted > 0) || !(time.wall > 0)) {
    fail_msg("%s, %s to %s: wrong", target->peers[which].name, from_text, to_text);
  }
  target->unmap(target);
  free(right);
}

/* A relayout, and the letters of the peers that take it. */
typedef struct device_case {
  const char *from;
  const char *to;
  const char *takers;
} device_case;

/* R: rectangles, C: CLBlast. */
static const char opencl_letters[] = "RC";
static const device_case opencl_cases[] = {
    {"f32[30,50]", "f32[30,50]{0,1}", "C"},
    {"f64[30,50]", "f64[30,50]{0,1:PD(33,60)PV(-1.5)}", "C"},
    {"c128[17,5]{1,0:PD(20,8)}", "c128[17,5]{0,1}", "C"},
    {"u32[2,15,50]", "u32[2,15,50]{1,0,2}", "C"},
    {"u16[30,50]", "u16[30,50]{0,1}", ""},
    {"f32[3,30,50]", "f32[3,30,50]{1,2,0}", ""},
    {"f32[30,50]", "f32[30,50]", "R"},
    {"u8[30,50]", "u8[30,50]{1,0:PD(32,60)PV(highest)}", "R"},
    {"u16[9,7,50]{2,1,0:PD(9,8,64)}", "u16[9,7,50]{2,1,0:PD(10,7,51)PV(unknown)}", "R"},
    {"c128[3,4,5,6]", "c128[3,4,5,6]{3,0,1,2}", "R"},
    {"s8[3,4,5,6]", "s8[3,4,5,6]{3,1,2,0:PD(3,5,5,7)PV(one)}", "R"},
    {"f32[16,256]", "f32[16,256]{1,0:T(8,128)}", ""},
};

/* D: oneDNN, B: OpenBLAS, E: Eigen. */
static const char cpu_letters[] = "DBE";
static const device_case cpu_cases[] = {
    {"f32[30,50]", "f32[30,50]{0,1}", "DBE"},
    {"f64[30,50]", "f64[30,50]{0,1:PD(33,60)PV(-1.5)}", "BE"},
    {"c128[17,5]{1,0:PD(20,8)}", "c128[17,5]{0,1}", "BE"},
    {"u32[2,15,50]", "u32[2,15,50]{1,0,2:PD(2,15,51)PV(7)}", "DBE"},
    {"bf16[130,170]", "bf16[130,170]{0,1}", "DE"},
    {"f16[9,7,50]{2,1,0:PD(9,8,64)}", "f16[9,7,50]{0,2,1:PD(10,7,51)PV(unknown)}", "DE"},
    {"s8[3,4,5,6]", "s8[3,4,5,6]{3,1,2,0:PD(3,5,5,7)PV(one)}", "DE"},
    {"u8[30,50]", "u8[30,50]", "DE"},
    {"f32[30,50]", "f32[30,50]{1,0:PD(32,60)PV(highest)}", "DE"},
    {"c64[6,5,4]{0,2,1}", "c64[6,5,4]{0,1,2}", "E"},
    {"f32[5,1]", "f32[5,1]{1,0:PD(5,3)}", "D"}, /* no axis begins without gaps */
    {"f32[]", "f32[]", "D"},
    {"u8[2,3,2,3,2,3,2,3]", "u8[2,3,2,3,2,3,2,3]{0,1,2,3,4,5,6,7}", "DE"},
    {"u16[2,2,2,2,2,2,2,2,2]", "u16[2,2,2,2,2,2,2,2,2]{0,1,2,3,4,5,6,7,8}", "D"},
    {"f32[2,2,2,2,2,2,2,2,2,2,2,2,2]",
     "f32[2,2,2,2,2,2,2,2,2,2,2,2,2]{0,1,2,3,4,5,6,7,8,9,10,11,12}", ""},
    {"f32[16,256]", "f32[16,256]{1,0:T(8,128)}", ""},
    /* Blocks that oneDNN knows, in both forms; it fills them up with zeros alone. */
    {"f32[2,32,5,7]", "f32[2,32,5,7]{3,2,1,0:T(16,1,1)}", "D"},
    {"f32[2,30,5,7]", "f32[2,30,5,7]{1,3,2,0:T(5,7,8)}", "D"},
    {"f32[2,30,5,7]", "f32[2,30,5,7]{3,2,1,0:PV(one)T(16,1,1)}", ""},
    {"f32[2,30,5,7]{3,2,1,0:T(16,1,1)}", "f32[2,30,5,7]{1,3,2,0}", "D"},
    {"f32[2,32,5,7]{3,2,1,0:T(8,1,1)}", "f32[2,32,5,7]{3,2,1,0:T(16,1,1)}", "D"},
    {"f32[2,32,5,7]", "f32[2,32,5,7]{3,2,1,0:T(5,1,1)}", ""},
    {"f32[48,32,3,3]", "f32[48,32,3,3]{3,2,1,0:T(16,16,1,1)(16,1,1,1)}", "D"},
    {"s8[48,32,3,3]", "s8[48,32,3,3]{3,2,1,0:T(16,16,1,1)(16,4,1,1)}", "D"},
    /* Other types. */
    {"f32[30,50]", "bf16[30,50]{0,1}", "D"},
    {"bf16[30,50]{1,0:PD(32,64)}", "f32[30,50]", "D"},
    {"s8[30,50]", "f32[30,50]", "D"},
    {"f32[30,50]", "bf16[30,50]{1,0:PD(32,64)}", ""},
    {"f64[30,50]", "f32[30,50]", ""},
    {"f32[30,50]", "s8[30,50]", ""}, /* which oneDNN rounds to the nearest */
    {"s32[30,50]", "s8[30,50]", "D"},
    {"f32[2,32,5,7]", "bf16[2,32,5,7]{3,2,1,0:T(16,1,1)}", "D"},
};

static void check_case(const device_case *of, const char *letters) {
  const relayout_shape from = shape_of(of->from);
  const relayout_shape to = shape_of(of->to);
  bool takes[BENCH_MOST_PEERS];
  target->prepare_peers(target, &from, &to, takes);
  for (size_t p = 0; p < target->peer_count; p++) {
    const bool is_there = target->peers[p].missing == NULL;
    if (takes[p] != (is_there && strchr(of->takers, letters[p]) != NULL)) {
      fail_msg("%s and %s to %s", target->peers[p].name, of->from, of->to);
    }
    if (takes[p]) {
      check_peer(p, of->from, of->to, 0, 0);
      check_peer(p, of->from, of->to, PLACE, 2 * PLACE);
    }
  }
}

static void test_on_the_device(void **state) {
  (void)state;
  const bool is_cpu = target->info.backend == RELAYOUT_BACKEND_CPU;
  const device_case *const cases = is_cpu ? cpu_cases : opencl_cases;
  const size_t count = is_cpu ? COUNT(cpu_cases) : COUNT(opencl_cases);
  const char *const letters = is_cpu ? cpu_letters : opencl_letters;
  relayout_error error;
  assert_int_equal(target->reserve(target, CAPACITY, CAPACITY, &error), RELAYOUT_OK);
  target->find_peers(target);
  assert_int_equal(target->peer_count, strlen(letters));
  for (size_t p = 0; p < target->peer_count; p++) {
    const bench_peer *const peer = &target->peers[p];
    print_message("%s%s%s\n", peer->name, peer->missing != NULL ? ": " : "",
                  peer->missing != NULL ? peer->missing : "");
  }
  for (size_t i = 0; i < count; i++) {
    check_case(&cases[i], letters);
  }
}

static int test_device(const char *name) {
  const int code = open_target(name, &target);
  if (code != 0) {
    return code;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_on_the_device)};
  const int failures =
      cmocka_run_group_tests_name("tools.bench_peers on a device", tests, NULL, NULL);
  target->destroy(target);
  return failures;
}

int main(int argument_count, char **arguments) {
  if (argument_count == 2) {
    return test_device(arguments[1]);
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_axes),
      cmocka_unit_test(test_fill),
      cmocka_unit_test(test_no_strides),
      cmocka_unit_test(test_rectangles),
      cmocka_unit_test(test_rectangles_begin),
      cmocka_unit_test(test_no_rectangles),
      cmocka_unit_test(test_verdicts_on_singles),
      cmocka_unit_test(test_verdicts_on_doubles),
      cmocka_unit_test(test_verdicts_on_halves),
      cmocka_unit_test(test_what_elements_are_taken_for),
  };
  return cmocka_run_group_tests_name("tools.bench_peers", tests, NULL, NULL);
}
