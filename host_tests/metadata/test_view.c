/* test_view.c: views, by places worked out by hand. */
#include "cmocka_all.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "relayout/relayout.h"
#include "shape_of.h"
#include "view_of.h"

static relayout_view whole(const char *text) {
  const relayout_shape shape = shape_of(text);
  relayout_view view;
  assert_int_equal(relayout_view_make(&shape, &view, NULL), RELAYOUT_OK);
  return view;
}

static void expect_strides(const relayout_view *view, const int64_t *expected) {
  int64_t found[RELAYOUT_MAX_RANK];
  assert_int_equal(relayout_view_byte_strides(view, found, NULL), RELAYOUT_OK);
  for (int32_t d = 0; d < view->shape.rank; ++d) {
    assert_int_equal(found[d], expected[d]);
  }
}

static void expect_span(const relayout_view *view, int64_t expected_lowest, size_t expected_bytes) {
  int64_t lowest = 12345;
  size_t bytes = 12345;
  assert_int_equal(relayout_view_span(view, &lowest, &bytes, NULL), RELAYOUT_OK);
  assert_int_equal(lowest, expected_lowest);
  assert_int_equal(bytes, expected_bytes);
}

static void expect_text(const relayout_shape *shape, const char *expected) {
  char text[256];
  relayout_shape_format(shape, text, sizeof text);
  assert_string_equal(text, expected);
}

static void test_whole_tensors(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t strides[3];
    size_t bytes;
  } cases[] = {
      {"f32[2,3]", {12, 4}, 24},           {"f32[2,3]{0,1:PD(3,5)}", {4, 12}, 60},
      {"u8[2,3,4]{0,2,1}", {1, 8, 2}, 24}, {"bf16[5]{0:L(8)}", {2}, 16},
      {"u8[2,3]{1,0:E(32)}", {12, 4}, 24}, {"f32[]", {0}, 4},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const relayout_view view = whole(cases[i].text);
    print_message("%s\n", cases[i].text);
    assert_false(view.is_strided);
    assert_false(view.is_read_only);
    assert_int_equal(view.byte_offset, 0);
    expect_strides(&view, cases[i].strides);
    expect_span(&view, 0, cases[i].bytes);
    assert_int_equal(relayout_view_validate(&view, NULL), RELAYOUT_OK);
  }
}

static void test_strided(void **state) {
  (void)state;
  static const int64_t dimensions[] = {2, 3};
  static const int64_t strides[] = {-40, 8};
  relayout_view view;
  assert_int_equal(relayout_view_make_strided(RELAYOUT_F32, 2, dimensions, strides, &view, NULL),
                   RELAYOUT_OK);
  assert_true(view.is_strided);
  expect_text(&view.shape, "f32[2,3]{1,0}");
  expect_strides(&view, strides);
  expect_span(&view, -40, 40 + 16 + 4);
  view.byte_offset = 100;
  expect_span(&view, 60, 60);
  assert_int_equal(relayout_view_make_strided(RELAYOUT_F32, 2, dimensions, NULL, &view, NULL),
                   RELAYOUT_OK);
  assert_false(view.is_strided);
  expect_strides(&view, (const int64_t[]){12, 4});
}

/* image[479::-2, 100:200, :] of 480 x 640 pixels. */
static void test_slices(void **state) {
  (void)state;
  relayout_view view = whole("u8[480,640,3]");
  assert_int_equal(relayout_view_slice(&view, 0, 479, 240, -2, &view, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_view_slice(&view, -2, 100, 100, 1, &view, NULL), RELAYOUT_OK);
  assert_true(view.is_strided);
  expect_text(&view.shape, "u8[240,100,3]{2,1,0}");
  expect_strides(&view, (const int64_t[]){-3840, 3, 1});
  assert_int_equal(view.byte_offset, 479 * 1920 + 300);
  expect_span(&view, 1920 + 300, 239 * 3840 + 300);

  relayout_view last;
  assert_int_equal(relayout_view_slice(&view, 2, 2, 1, 0, &last, NULL), RELAYOUT_OK);
  assert_int_equal(last.byte_offset, view.byte_offset + 2);
  expect_text(&last.shape, "u8[240,100,1]{2,1,0}");
  relayout_view repeated;
  assert_int_equal(relayout_view_slice(&last, 2, 0, 1000, 0, &repeated, NULL), RELAYOUT_OK);
  expect_strides(&repeated, (const int64_t[]){-3840, 3, 0});
  relayout_view none;
  assert_int_equal(relayout_view_slice(&view, 0, 12345, 0, 7, &none, NULL), RELAYOUT_OK);
  expect_text(&none.shape, "u8[0,100,3]{2,1,0}");
  expect_span(&none, view.byte_offset, 0);
}

/* The padded rows of an ordered layout, and of what keeps its rights. */
static void test_slices_of_layouts(void **state) {
  (void)state;
  relayout_view view = whole("f32[4,6]{0,1:PD(5,6)}");
  view.is_read_only = true;
  view.byte_offset = 8;
  relayout_view slice;
  assert_int_equal(relayout_view_slice(&view, 1, 5, 3, -2, &slice, NULL), RELAYOUT_OK);
  expect_strides(&slice, (const int64_t[]){4, -40});
  assert_int_equal(slice.byte_offset, 8 + 5 * 20);
  assert_true(slice.is_read_only);
  expect_text(&slice.shape, "f32[4,3]{1,0}");
}

static void test_bad_slices(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int64_t dimension, first, count, step;
    relayout_status status;
    const char *message;
  } cases[] = {
      {"f32[4]", 1, 0, 1, 1, RELAYOUT_OUT_OF_RANGE, "1"},
      {"f32[]", 0, 0, 1, 1, RELAYOUT_OUT_OF_RANGE, "0"},
      {"f32[4]", 0, 4, 1, 1, RELAYOUT_OUT_OF_RANGE, "first is 4"},
      {"f32[4]", 0, -1, 1, 1, RELAYOUT_OUT_OF_RANGE, "first is -1"},
      {"f32[4]", 0, 0, -1, 1, RELAYOUT_INVALID_ARGUMENT, "count is -1"},
      {"f32[4]", 0, 0, 5, 1, RELAYOUT_OUT_OF_RANGE, "5 elements from 0 on in steps of 1"},
      {"f32[4]", 0, 0, 3, 2, RELAYOUT_OUT_OF_RANGE, "exceed a dimension of size 4"},
      {"f32[4]", 0, 3, 2, -4, RELAYOUT_OUT_OF_RANGE, "exceed"},
      {"f32[4]", 0, 1, 3, INT64_MAX, RELAYOUT_OUT_OF_RANGE, "exceed"},
      {"f32[4]", 0, 1, INT64_MAX, INT64_MIN, RELAYOUT_OUT_OF_RANGE, "exceed"},
      {"f32[4]", 0, 1, INT64_MAX, 0, RELAYOUT_SIZE_OVERFLOW, ""},
      {"f32[4]{0:T(2)}", 0, 0, 1, 1, RELAYOUT_UNSUPPORTED, "tile"},
      {"s4[4]{0:E(4)}", 0, 0, 1, 1, RELAYOUT_UNSUPPORTED, "take 4 bits"},
      {"u8[4]{0:E(16)}", 0, 0, 1, 1, RELAYOUT_UNSUPPORTED,
       "take 16 bits each; expected their own 8"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const relayout_view view = whole(cases[i].text);
    relayout_view result;
    memset(&result, 0x5a, sizeof result);
    const relayout_view before = result;
    relayout_error error;
    print_message("case %zu\n", i);
    assert_int_equal(relayout_view_slice(&view, cases[i].dimension, cases[i].first, cases[i].count,
                                         cases[i].step, &result, &error),
                     cases[i].status);
    assert_non_null(strstr(error.message, cases[i].message));
    assert_memory_equal(&result, &before, sizeof result);
  }
}

/* Strides that nothing takes bound nothing. */
static void test_slices_of_nothing(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("f32[5,0]");
  const relayout_view view = view_of(&shape, (const int64_t[]){INT64_MAX, INT64_MIN});
  relayout_view slice;
  assert_int_equal(relayout_view_slice(&view, 0, 4, 2, -3, &slice, NULL), RELAYOUT_OK);
  expect_text(&slice.shape, "f32[2,0]{1,0}");
  expect_span(&slice, 0, 0);
}

static void test_permutations(void **state) {
  (void)state;
  static const int32_t order[] = {2, 0, 1};
  relayout_view view = whole("u8[2,3,4]");
  assert_int_equal(relayout_view_permute_dimensions(&view, order, &view, NULL), RELAYOUT_OK);
  expect_text(&view.shape, "u8[4,2,3]{0,2,1}");
  expect_strides(&view, (const int64_t[]){1, 12, 4});
  assert_int_equal(relayout_view_slice(&view, 0, 3, 2, -1, &view, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_view_permute_dimensions(&view, order, &view, NULL), RELAYOUT_OK);
  expect_text(&view.shape, "u8[3,2,2]{2,1,0}");
  expect_strides(&view, (const int64_t[]){4, -1, 12});
  assert_int_equal(view.byte_offset, 3);
  static const int32_t twice[] = {0, 0, 1};
  assert_int_equal(relayout_view_permute_dimensions(&view, twice, &view, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  const relayout_view tiled = whole("f32[4,4]{1,0:T(2,2)}");
  assert_int_equal(relayout_view_permute_dimensions(&tiled, order, &view, NULL),
                   RELAYOUT_UNSUPPORTED);
}

static void test_refused(void **state) {
  (void)state;
  const relayout_shape ordered = shape_of("f32[2,3]{0,1}");
  const relayout_shape plain = shape_of("f32[2,3]");
  relayout_shape wrong = plain;
  wrong.layout.minor_to_major[1] = 1;
  const relayout_view views[] = {
      view_of(&ordered, (const int64_t[]){12, 4}),
      view_of(&plain, (const int64_t[]){INT64_MAX, 4}),
      view_of(&wrong, NULL),
      {.shape = plain, .byte_offset = INT64_MIN},
      {.shape = plain, .byte_offset = ((int64_t)1 << 57) + 1},
  };
  static const relayout_status statuses[] = {RELAYOUT_INVALID_ARGUMENT, RELAYOUT_SIZE_OVERFLOW,
                                             RELAYOUT_INVALID_SHAPE, RELAYOUT_SIZE_OVERFLOW,
                                             RELAYOUT_SIZE_OVERFLOW};
  static const char *const messages[] = {"byte_strides are given", "byte_strides[0] is 9",
                                         "minor_to_major", "byte_offset is -9",
                                         "byte_offset is 144115188075855873"};
  for (size_t i = 0; i < sizeof views / sizeof views[0]; ++i) {
    relayout_error error;
    int64_t strides[2];
    int64_t lowest = 0;
    size_t bytes = 0;
    print_message("view %zu\n", i);
    assert_int_equal(relayout_view_validate(&views[i], &error), statuses[i]);
    assert_non_null(strstr(error.message, messages[i]));
    assert_int_equal(relayout_view_byte_strides(&views[i], strides, NULL), statuses[i]);
    assert_int_equal(relayout_view_span(&views[i], &lowest, &bytes, NULL), statuses[i]);
  }
  const relayout_view tiled = whole("f32[4]{0:T(2)}");
  const relayout_view packed = whole("s4[4]{0:E(4)}");
  int64_t stride = 0;
  assert_int_equal(relayout_view_byte_strides(&tiled, &stride, NULL), RELAYOUT_UNSUPPORTED);
  assert_int_equal(relayout_view_byte_strides(&packed, &stride, NULL), RELAYOUT_UNSUPPORTED);
}

static void test_null(void **state) {
  (void)state;
  relayout_view view = whole("f32[2]");
  relayout_view made;
  int64_t number = 0;
  size_t size = 0;
  assert_int_equal(relayout_view_make(NULL, &made, NULL), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_view_make(&view.shape, NULL, NULL), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_view_make_strided(RELAYOUT_F32, 0, NULL, NULL, NULL, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_view_slice(NULL, 0, 0, 1, 1, &made, NULL), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_view_slice(&view, 0, 0, 1, 1, NULL, NULL), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_view_permute_dimensions(&view, NULL, &made, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_view_permute_dimensions(&view, (const int32_t[]){0}, NULL, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_view_validate(NULL, NULL), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_view_span(&view, NULL, &size, NULL), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_view_span(&view, &number, NULL, NULL), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_view_byte_strides(&view, NULL, NULL), RELAYOUT_INVALID_ARGUMENT);
  assert_false(relayout_view_equal(NULL, &view));
}

static void test_equal(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("f32[2,1]");
  const relayout_view one = view_of(&shape, (const int64_t[]){4, 4});
  relayout_view other = one;
  assert_true(relayout_view_equal(&one, &other));
  other.byte_strides[1] = 99; /* nothing takes it */
  assert_true(relayout_view_equal(&one, &other));
  other.byte_strides[0] = 8;
  assert_false(relayout_view_equal(&one, &other));
  other = one;
  other.byte_offset = 4;
  assert_false(relayout_view_equal(&one, &other));
  other = one;
  other.is_read_only = true;
  assert_false(relayout_view_equal(&one, &other));
  other = view_of(&shape, NULL);
  assert_false(relayout_view_equal(&one, &other));
  other = one;
  other.shape.element_type = RELAYOUT_S32;
  assert_false(relayout_view_equal(&one, &other));
}

/* The host's own order is the native one; bytes have none; containers have no other. */
static void test_byte_order(void **state) {
  (void)state;
  const bool host_is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  const relayout_byte_order own =
      host_is_little ? RELAYOUT_BYTE_ORDER_LITTLE : RELAYOUT_BYTE_ORDER_BIG;
  const relayout_byte_order other =
      host_is_little ? RELAYOUT_BYTE_ORDER_BIG : RELAYOUT_BYTE_ORDER_LITTLE;
  const relayout_view native = whole("f32[2,3]");
  relayout_view one = native;
  relayout_error error;
  assert_int_equal(native.byte_order, RELAYOUT_BYTE_ORDER_NATIVE);
  one.byte_order = own;
  assert_true(relayout_view_equal(&one, &native));
  one.byte_order = other;
  assert_false(relayout_view_equal(&one, &native));
  relayout_view part;
  assert_int_equal(relayout_view_slice(&one, 0, 1, 1, 1, &part, NULL), RELAYOUT_OK);
  assert_int_equal(part.byte_order, other);
  static const int32_t turned[] = {1, 0};
  assert_int_equal(relayout_view_permute_dimensions(&one, turned, &part, NULL), RELAYOUT_OK);
  assert_int_equal(part.byte_order, other);
  one = whole("u8[3]{0:E(32)}");
  one.byte_order = other;
  assert_int_equal(relayout_view_validate(&one, NULL), RELAYOUT_OK);
  relayout_view bytes = one;
  bytes.byte_order = RELAYOUT_BYTE_ORDER_NATIVE;
  assert_true(relayout_view_equal(&one, &bytes));
  one = whole("bf16[3]{0:E(32)}");
  one.byte_order = other;
  assert_int_equal(relayout_view_validate(&one, &error), RELAYOUT_UNSUPPORTED);
  assert_non_null(strstr(error.message, "wider containers of bf16"));
  one = native;
  one.byte_order = (relayout_byte_order)3;
  assert_int_equal(relayout_view_validate(&one, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "view->byte_order is 3"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_whole_tensors), cmocka_unit_test(test_strided),
      cmocka_unit_test(test_slices),        cmocka_unit_test(test_slices_of_layouts),
      cmocka_unit_test(test_bad_slices),    cmocka_unit_test(test_slices_of_nothing),
      cmocka_unit_test(test_permutations),  cmocka_unit_test(test_refused),
      cmocka_unit_test(test_null),          cmocka_unit_test(test_equal),
      cmocka_unit_test(test_byte_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
