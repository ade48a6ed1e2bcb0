/* test_fields.c: tensors as DLPack, PJRT and NumPy describe them, by places worked out by hand. */
#include "cmocka_all.h"

#include <stdint.h>
#include <string.h>

#include "relayout/relayout.h"
#include "shape_of.h"
#include "view_of.h"

static void expect_text(const relayout_view *view, const char *expected) {
  char text[512];
  relayout_shape_format(&view->shape, text, sizeof text);
  assert_string_equal(text, expected);
}

/* ---- DLPack ---- */

static void test_dlpack(void **state) {
  (void)state;
  static const struct {
    uint8_t code, bits;
    uint16_t lanes;
    int32_t ndim;
    int64_t shape[4];
    bool has_strides;
    int64_t strides[4];
    uint64_t byte_offset, flags;
    const char *text;
    bool is_strided;
    int64_t byte_strides[4];
  } cases[] = {
      {2, 32, 1, 2, {2, 3}, false, {0}, 0, 0, "f32[2,3]{1,0}", false, {12, 4}},
      {2, 32, 1, 0, {0}, false, {0}, 8, 0, "f32[]", false, {0}},
      {2, 32, 1, 2, {2, 3}, true, {3, 1}, 0, 0, "f32[2,3]{1,0}", false, {12, 4}},
      {2, 32, 1, 2, {2, 3}, true, {1, 2}, 0, 0, "f32[2,3]{1,0}", true, {4, 8}},
      {2, 32, 1, 2, {2, 3}, true, {-5, 2}, 64, 0, "f32[2,3]{1,0}", true, {-20, 8}},
      {0, 8, 1, 3, {4, 1, 5}, true, {5, -999, 1}, 0, 1, "s8[4,1,5]{2,1,0}", false, {5, 5, 1}},
      {0, 8, 1, 2, {1, 5}, true, {INT64_MIN, 0}, 0, 0, "s8[1,5]{1,0}", true, {0, 0}},
      {1, 16, 1, 2, {0, 5}, true, {INT64_MAX, INT64_MIN}, 0, 0, "u16[0,5]{1,0}", false, {10, 2}},
      {2, 32, 4, 2, {2, 3}, false, {0}, 0, 0, "f32[2,3,4]{2,1,0}", false, {48, 16, 4}},
      {2, 32, 4, 2, {2, 3}, true, {1, 2}, 0, 0, "f32[2,3,4]{2,1,0}", true, {16, 32, 4}},
      {6, 8, 1, 1, {9}, false, {0}, 0, 0, "pred[9]{0}", false, {1}},
      {5, 128, 1, 1, {9}, false, {0}, 0, 0, "c128[9]{0}", false, {16}},
      {0, 4, 1, 2, {2, 6}, false, {0}, 0, 0, "s4[2,6]{1,0:E(4)}", false, {0}},
      {0, 4, 1, 2, {2, 6}, true, {1, 2}, 0, 0, "s4[2,6]{0,1:E(4)}", false, {0}},
      {0, 4, 1, 2, {2, 6}, true, {8, 1}, 0, 0, "s4[2,6]{1,0:PD(2,8)PV(unknown)E(4)}", false, {0}},
      {0, 4, 1, 2, {2, 6}, true, {8, 1}, 0, 4, "s4[2,6]{1,0}", true, {8, 1}},
      {1, 2, 1, 3, {2, 1, 6}, true, {1, 77, 2}, 0, 0, "u2[2,1,6]{0,2,1:E(2)}", false, {0}},
      {17, 4, 2, 2, {3, 5}, false, {0}, 0, 0, "f4e2m1fn[3,5,2]{2,1,0:E(4)}", false, {0}},
      {15, 6, 1, 1, {3}, false, {0}, 0, 4, "f6e2m3fn[3]{0}", false, {1}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const relayout_dlpack_fields fields = {
        cases[i].code,        cases[i].bits,  cases[i].lanes,
        cases[i].ndim,        cases[i].shape, cases[i].has_strides ? cases[i].strides : NULL,
        cases[i].byte_offset, cases[i].flags};
    relayout_view view;
    relayout_error error;
    print_message("case %zu\n", i);
    if (relayout_view_from_dlpack_fields(&fields, &view, &error) != RELAYOUT_OK) {
      fail_msg("%s", error.message);
    }
    expect_text(&view, cases[i].text);
    assert_int_equal(view.is_strided, cases[i].is_strided);
    assert_int_equal(view.byte_offset, cases[i].byte_offset);
    assert_int_equal(view.is_read_only, cases[i].flags & 1);
    int64_t found[RELAYOUT_MAX_RANK];
    const bool has_bytes = relayout_view_byte_strides(&view, found, NULL) == RELAYOUT_OK;
    for (int32_t d = 0; d < view.shape.rank && has_bytes; ++d) {
      assert_int_equal(found[d], cases[i].byte_strides[d]);
    }
  }
}

static void test_dlpack_refused(void **state) {
  (void)state;
  static const int64_t shape[64] = {2, 6};
  static const int64_t huge[] = {INT64_MAX, 2};
  static const int64_t apart[] = {9, 2};
  static const int64_t crossed[] = {1, 3};
  static const int64_t backwards[] = {-6, 1};
  static const int64_t negative[] = {2, -1};
  static const struct {
    relayout_dlpack_fields fields;
    relayout_status status;
    const char *message;
  } cases[] = {
      {{3, 64, 1, 2, shape, NULL, 0, 0}, RELAYOUT_UNSUPPORTED, "code 3 with 64 bits"},
      {{2, 128, 1, 2, shape, NULL, 0, 0}, RELAYOUT_UNSUPPORTED, "code 2 with 128 bits"},
      {{15, 6, 1, 2, shape, NULL, 0, 0}, RELAYOUT_UNSUPPORTED, "6 bits"},
      {{2, 32, 0, 2, shape, NULL, 0, 0}, RELAYOUT_INVALID_ARGUMENT, "lanes is 0"},
      {{2, 32, 1, -1, shape, NULL, 0, 0}, RELAYOUT_INVALID_ARGUMENT, "ndim is -1"},
      {{2, 32, 1, 65, shape, NULL, 0, 0},
       RELAYOUT_INVALID_ARGUMENT,
       "ndim is 65; expected 0 to 64"},
      {{2, 32, 2, 64, shape, NULL, 0, 0},
       RELAYOUT_INVALID_ARGUMENT,
       "ndim is 64; expected 0 to 63"},
      {{2, 32, 1, 2, NULL, NULL, 0, 0}, RELAYOUT_INVALID_ARGUMENT, "shape is NULL"},
      {{2, 32, 1, 2, negative, NULL, 0, 0}, RELAYOUT_INVALID_SHAPE, "-1"},
      {{2, 32, 1, 2, huge, NULL, 0, 0}, RELAYOUT_SIZE_OVERFLOW, ""},
      {{2, 32, 2, 2, shape, huge, 0, 0}, RELAYOUT_SIZE_OVERFLOW, "strides[0]"},
      {{2, 32, 1, 2, shape, huge, 0, 0}, RELAYOUT_SIZE_OVERFLOW, "strides[0]"},
      {{2, 32, 1, 2, shape, NULL, UINT64_MAX - 39, 0},
       RELAYOUT_SIZE_OVERFLOW,
       "fields->byte_offset is 18446744073709551576; it must be at most "},
      {{2, 32, 1, 2, shape, NULL, INT64_MAX, 0},
       RELAYOUT_SIZE_OVERFLOW,
       "fields->byte_offset is 9223372036854775807; it must be "},
      {{0, 4, 1, 2, shape, apart, 0, 0}, RELAYOUT_UNSUPPORTED, "no order of the dimensions"},
      {{0, 4, 1, 2, shape, crossed, 0, 0}, RELAYOUT_OK, NULL},
      {{0, 4, 1, 2, shape, backwards, 0, 0}, RELAYOUT_UNSUPPORTED, "no order of the dimensions"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_view view;
    memset(&view, 0x5a, sizeof view);
    const relayout_view before = view;
    relayout_error error;
    print_message("case %zu\n", i);
    assert_int_equal(relayout_view_from_dlpack_fields(&cases[i].fields, &view, &error),
                     cases[i].status);
    if (cases[i].status != RELAYOUT_OK) {
      assert_non_null(strstr(error.message, cases[i].message));
      assert_memory_equal(&view, &before, sizeof view);
    } else {
      expect_text(&view, "s4[2,6]{0,1:PD(3,6)PV(unknown)E(4)}");
    }
  }
  relayout_view view;
  assert_int_equal(relayout_view_from_dlpack_fields(NULL, &view, NULL), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_view_from_dlpack_fields(&cases[0].fields, NULL, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
}

/* There and back, and the fields between. */
static void test_to_dlpack(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint8_t code, bits;
    uint64_t flags;
    int64_t strides[3];
  } cases[] = {
      {"f32[2,3]{0,1}", 2, 32, 0, {1, 2}},        {"bf16[2,3]{1,0:PD(2,5)}", 4, 16, 0, {5, 1}},
      {"s4[2,6]{0,1:E(4)}", 0, 4, 0, {1, 2}},     {"s4[2,6]", 0, 4, 4, {6, 1}},
      {"pred[2,3,4]{1,0,2}", 6, 8, 0, {3, 1, 6}}, {"f8e8m0fnu[7]", 14, 8, 0, {1}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const relayout_shape shape = shape_of(cases[i].text);
    relayout_view view = view_of(&shape, NULL);
    view.is_read_only = true;
    view.byte_offset = 24;
    int64_t dimensions[3];
    int64_t strides[3];
    relayout_dlpack_fields fields;
    print_message("%s\n", cases[i].text);
    assert_int_equal(relayout_view_to_dlpack_fields(&view, dimensions, strides, &fields, NULL),
                     RELAYOUT_OK);
    assert_int_equal(fields.code, cases[i].code);
    assert_int_equal(fields.bits, cases[i].bits);
    assert_int_equal(fields.lanes, 1);
    assert_int_equal(fields.ndim, shape.rank);
    assert_int_equal(fields.flags, cases[i].flags | 1);
    assert_int_equal(fields.byte_offset, 24);
    assert_ptr_equal(fields.shape, dimensions);
    assert_ptr_equal(fields.strides, strides);
    assert_memory_equal(strides, cases[i].strides, (size_t)shape.rank * sizeof strides[0]);
    assert_memory_equal(dimensions, shape.dimensions, (size_t)shape.rank * sizeof dimensions[0]);
    relayout_view back;
    assert_int_equal(relayout_view_from_dlpack_fields(&fields, &back, NULL), RELAYOUT_OK);
    assert_true(back.is_read_only);
    assert_int_equal(back.byte_offset, 24);
    assert_int_equal(back.shape.element_type, shape.element_type);
  }
}

/* Nothing takes a step in a tensor without elements. */
static void test_empty_to_dlpack(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("f32[0,3]");
  static const int64_t odd[] = {6, 6};
  const relayout_view view = view_of(&shape, odd);
  static const int64_t zeros[2];
  int64_t dimensions[2];
  int64_t strides[2];
  relayout_dlpack_fields fields;
  assert_int_equal(relayout_view_to_dlpack_fields(&view, dimensions, strides, &fields, NULL),
                   RELAYOUT_OK);
  assert_memory_equal(dimensions, shape.dimensions, sizeof dimensions);
  assert_memory_equal(strides, zeros, sizeof strides);
  relayout_view back;
  assert_int_equal(relayout_view_from_dlpack_fields(&fields, &back, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_shape_element_count(&back.shape), 0);
}

static void test_to_dlpack_refused(void **state) {
  (void)state;
  static const char *const texts[] = {"f32[4]{0:T(2)}", "u8[4]{0:E(16)}", "u2[4]{0:E(4)}",
                                      "f32[3]",         "f32[3]",         "s4[4]{0:PO(high)E(4)}"};
  static const int64_t odd[] = {6};
  static const char *const messages[] = {
      "tile",
      "take 16 bits each; DLPack supports only their own 8",
      "no u2 in 4 bits",
      "byte_strides[0] is 6",
      "byte_offset is -4; expected 0 or more",
      "packing_order is high; DLPack's packed elements begin in the low bits"};
  for (int i = 0; i < 6; ++i) {
    const relayout_shape shape = shape_of(texts[i]);
    relayout_view view = view_of(&shape, i == 3 ? odd : NULL);
    view.byte_offset = i == 4 ? -4 : 0;
    int64_t lists[2];
    relayout_dlpack_fields fields;
    relayout_error error;
    print_message("%s\n", texts[i]);
    assert_int_equal(relayout_view_to_dlpack_fields(&view, &lists[0], &lists[1], &fields, &error),
                     RELAYOUT_UNSUPPORTED);
    assert_non_null(strstr(error.message, messages[i]));
  }
  const relayout_shape shape = shape_of("f32[3]");
  const relayout_view view = view_of(&shape, NULL);
  int64_t list[1];
  relayout_dlpack_fields fields;
  assert_int_equal(relayout_view_to_dlpack_fields(NULL, list, list, &fields, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_view_to_dlpack_fields(&view, NULL, list, &fields, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_view_to_dlpack_fields(&view, list, NULL, &fields, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_view_to_dlpack_fields(&view, list, list, NULL, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
}

/* A tensor of pairs, described from outside, becomes columns described from outside. */
static void test_moving(void **state) {
  (void)state;
  static const int64_t shape[] = {2, 3};
  static const int64_t strides[] = {1, 2};
  const relayout_dlpack_fields source = {1, 8, 1, 2, shape, NULL, 2, 1};
  const relayout_dlpack_fields destination = {1, 8, 1, 2, shape, strides, 1, 0};
  relayout_view from, to;
  relayout_device *device = NULL;
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_view_from_dlpack_fields(&source, &from, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_view_from_dlpack_fields(&destination, &to, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_create_between(device, &to, &from, NULL, &plan, NULL),
                   RELAYOUT_INVALID_ARGUMENT); /* which is read-only */
  assert_int_equal(relayout_plan_create_between(device, &from, &to, NULL, &plan, NULL),
                   RELAYOUT_OK);
  char moved[] = "........";
  assert_int_equal(relayout_plan_execute(plan, "..abcdef", moved, NULL), RELAYOUT_OK);
  assert_string_equal(moved, ".adbecf.");
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* ---- PJRT ---- */

static void test_pjrt(void **state) {
  (void)state;
  static const int64_t dimensions[] = {300, 500};
  static const int64_t order[] = {0, 1};
  static const int64_t far[] = {0, INT64_MAX};
  static const int64_t tiles[] = {8, 128, 2, 1};
  static const int64_t merged[] = {INT64_MIN, 4};
  static const size_t ranks[] = {2, 2};
  static const size_t many[] = {2, 127};
  static const int64_t strides[] = {2, 600};
  static const struct {
    relayout_pjrt_fields fields;
    relayout_status status;
    const char *text; /* or a part of the message */
  } cases[] = {
      {{.type = 16, .dimensions = dimensions, .rank = 2}, RELAYOUT_OK, "f8e5m2[300,500]{1,0}"},
      {{.type = 21, .dimensions = dimensions, .rank = 2}, RELAYOUT_OK, "s4[300,500]{1,0}"},
      {{.type = 11}, RELAYOUT_OK, "f32[]"},
      {{.type = 13,
        .dimensions = dimensions,
        .rank = 2,
        .layout = RELAYOUT_PJRT_LAYOUT_TILED,
        .minor_to_major = order,
        .minor_to_major_size = 2,
        .tile_dimensions = tiles,
        .tile_ranks = ranks,
        .tile_count = 2},
       RELAYOUT_OK,
       "bf16[300,500]{0,1:T(8,128)(2,1)}"},
      {{.type = 13,
        .dimensions = dimensions,
        .rank = 2,
        .layout = RELAYOUT_PJRT_LAYOUT_TILED,
        .minor_to_major = order,
        .minor_to_major_size = 2,
        .tile_dimensions = merged,
        .tile_ranks = ranks,
        .tile_count = 1},
       RELAYOUT_OK,
       "bf16[300,500]{0,1:T(*,4)}"},
      {{.type = 13,
        .dimensions = dimensions,
        .rank = 2,
        .layout = RELAYOUT_PJRT_LAYOUT_STRIDES,
        .byte_strides = strides,
        .byte_stride_count = 2},
       RELAYOUT_OK,
       "bf16[300,500]{1,0}"},
      {{.type = 0, .dimensions = dimensions, .rank = 2}, RELAYOUT_UNSUPPORTED, "number 0"},
      {{.type = 23, .dimensions = dimensions, .rank = 2}, RELAYOUT_UNSUPPORTED, "number 23"},
      {{.type = 999, .dimensions = dimensions, .rank = 2}, RELAYOUT_UNSUPPORTED, "number 999"},
      {{.type = 11, .dimensions = dimensions, .rank = 65}, RELAYOUT_INVALID_SHAPE, "rank is 65"},
      {{.type = 11, .rank = 2}, RELAYOUT_INVALID_ARGUMENT, "dimensions is NULL"},
      {{.type = 11, .dimensions = dimensions, .rank = 2, .layout = (relayout_pjrt_layout)7},
       RELAYOUT_INVALID_ARGUMENT,
       "layout is 7"},
      {{.type = 11,
        .dimensions = dimensions,
        .rank = 2,
        .layout = RELAYOUT_PJRT_LAYOUT_TILED,
        .minor_to_major = order,
        .minor_to_major_size = 1},
       RELAYOUT_INVALID_ARGUMENT,
       "minor_to_major has 1 entries"},
      {{.type = 11,
        .dimensions = dimensions,
        .rank = 2,
        .layout = RELAYOUT_PJRT_LAYOUT_TILED,
        .minor_to_major = far,
        .minor_to_major_size = 2},
       RELAYOUT_INVALID_SHAPE,
       "minor_to_major[1]"},
      {{.type = 11,
        .dimensions = dimensions,
        .rank = 2,
        .layout = RELAYOUT_PJRT_LAYOUT_TILED,
        .minor_to_major = order,
        .minor_to_major_size = 2,
        .tile_count = 1},
       RELAYOUT_INVALID_ARGUMENT,
       "tile_ranks is NULL"},
      {{.type = 11,
        .dimensions = dimensions,
        .rank = 2,
        .layout = RELAYOUT_PJRT_LAYOUT_TILED,
        .minor_to_major = order,
        .minor_to_major_size = 2,
        .tile_dimensions = tiles,
        .tile_ranks = many,
        .tile_count = 2},
       RELAYOUT_INVALID_SHAPE,
       "tile_ranks[1] is 127"},
      {{.type = 11,
        .dimensions = dimensions,
        .rank = 2,
        .layout = RELAYOUT_PJRT_LAYOUT_TILED,
        .minor_to_major = order,
        .minor_to_major_size = 2,
        .tile_dimensions = tiles,
        .tile_ranks = many,
        .tile_count = 17},
       RELAYOUT_INVALID_SHAPE,
       "tile_count is 17"},
      {{.type = 11,
        .dimensions = dimensions,
        .rank = 2,
        .layout = RELAYOUT_PJRT_LAYOUT_STRIDES,
        .byte_strides = strides,
        .byte_stride_count = 3},
       RELAYOUT_INVALID_ARGUMENT,
       "byte_strides has 3 entries"},
      {{.type = 11,
        .dimensions = dimensions,
        .rank = 2,
        .layout = RELAYOUT_PJRT_LAYOUT_STRIDES,
        .byte_stride_count = 2},
       RELAYOUT_INVALID_ARGUMENT,
       "byte_strides is NULL"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_view view;
    relayout_error error;
    print_message("case %zu\n", i);
    assert_int_equal(relayout_view_from_pjrt_fields(&cases[i].fields, &view, &error),
                     cases[i].status);
    if (cases[i].status == RELAYOUT_OK) {
      expect_text(&view, cases[i].text);
      assert_int_equal(view.is_strided, cases[i].fields.layout == RELAYOUT_PJRT_LAYOUT_STRIDES);
    } else {
      assert_non_null(strstr(error.message, cases[i].text));
    }
  }
  relayout_view view;
  int32_t number = 0;
  relayout_element_type type = RELAYOUT_F32;
  assert_int_equal(relayout_view_from_pjrt_fields(NULL, &view, NULL), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_view_from_pjrt_fields(&cases[0].fields, NULL, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_element_type_from_pjrt(1, NULL, NULL), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_element_type_to_pjrt(type, NULL, NULL), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_element_type_to_pjrt(RELAYOUT_F8E5M2, &number, NULL), RELAYOUT_OK);
  assert_int_equal(number, 16);
  assert_int_equal(relayout_element_type_to_pjrt(RELAYOUT_F6E2M3FN, &number, NULL),
                   RELAYOUT_UNSUPPORTED);
  assert_int_equal(relayout_element_type_to_pjrt(RELAYOUT_ELEMENT_TYPE_INVALID, &number, NULL),
                   RELAYOUT_UNSUPPORTED);
}

static void expect_numbers(const int64_t *numbers, size_t count, const int64_t *expected) {
  for (size_t i = 0; i < count; ++i) {
    assert_int_equal(numbers[i], expected[i]);
  }
}

/* What PJRT is told of layouts, by hand; told of it again, it is the same view. */
static void test_to_pjrt(void **state) {
  (void)state;
  static const struct {
    const char *text;
    relayout_pjrt_layout layout;
    int64_t numbers[3]; /* the order, or strides */
    size_t tile_count;
    size_t tile_ranks[2];
    int64_t tile_dimensions[4];
    const char *again; /* its default layout where strides say all; NULL: the same */
  } cases[] = {
      {"bf16[4,300,500]{1,0,2}", RELAYOUT_PJRT_LAYOUT_TILED, {1, 0, 2}, 0, {0}, {0}, NULL},
      {"bf16[4,300,500]{1,2,0:T(8,128)(2,1)}",
       RELAYOUT_PJRT_LAYOUT_TILED,
       {1, 2, 0},
       2,
       {2, 2},
       {8, 128, 2, 1},
       NULL},
      {"u8[4,300,500]{2,1,0:T(*,4)}",
       RELAYOUT_PJRT_LAYOUT_TILED,
       {2, 1, 0},
       1,
       {2},
       {INT64_MIN, 4},
       NULL},
      {"s4[4,300,500]{2,1,0:E(8)}", RELAYOUT_PJRT_LAYOUT_TILED, {2, 1, 0}, 0, {0}, {0}, NULL},
      {"f32[4,300,500]{2,1,0:PD(4,301,502)}",
       RELAYOUT_PJRT_LAYOUT_STRIDES,
       {604408, 2008, 4},
       0,
       {0},
       {0},
       "f32[4,300,500]{2,1,0}"},
      {"u8[4,300,500]{0,1,2:E(32)}",
       RELAYOUT_PJRT_LAYOUT_STRIDES,
       {4, 16, 4800},
       0,
       {0},
       {0},
       "u8[4,300,500]{2,1,0}"},
  };
  static const int64_t dimensions[] = {4, 300, 500};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const relayout_shape shape = shape_of(cases[i].text);
    relayout_view view;
    relayout_view again;
    relayout_pjrt_lists lists;
    relayout_pjrt_fields fields;
    print_message("%s\n", cases[i].text);
    assert_int_equal(relayout_view_make(&shape, &view, NULL), RELAYOUT_OK);
    assert_int_equal(relayout_view_to_pjrt_fields(&view, &lists, &fields, NULL), RELAYOUT_OK);
    const bool is_tiled = cases[i].layout == RELAYOUT_PJRT_LAYOUT_TILED;
    assert_int_equal(fields.layout, cases[i].layout);
    assert_int_equal(fields.rank, 3);
    expect_numbers(fields.dimensions, 3, dimensions);
    assert_int_equal(is_tiled ? fields.minor_to_major_size : fields.byte_stride_count, 3);
    expect_numbers(is_tiled ? fields.minor_to_major : fields.byte_strides, 3, cases[i].numbers);
    assert_int_equal(fields.tile_count, cases[i].tile_count);
    size_t first = 0;
    for (size_t t = 0; t < cases[i].tile_count; ++t) {
      assert_int_equal(fields.tile_ranks[t], cases[i].tile_ranks[t]);
      expect_numbers(&fields.tile_dimensions[first], fields.tile_ranks[t],
                     &cases[i].tile_dimensions[first]);
      first += fields.tile_ranks[t];
    }
    assert_int_equal(relayout_view_from_pjrt_fields(&fields, &again, NULL), RELAYOUT_OK);
    if (cases[i].again != NULL) {
      expect_text(&again, cases[i].again);
      assert_true(again.is_strided);
    } else {
      assert_true(relayout_view_equal(&again, &view));
    }
  }
}

static void test_to_pjrt_strided(void **state) {
  (void)state;
  static const int64_t dimensions[] = {2, 3};
  static const int64_t strides[] = {-16, 0};
  relayout_view view;
  relayout_pjrt_lists lists;
  relayout_pjrt_fields fields;
  assert_int_equal(relayout_view_make_strided(RELAYOUT_F8E5M2, 2, dimensions, strides, &view, NULL),
                   RELAYOUT_OK);
  view.byte_offset = 48;
  view.is_read_only = true;
  assert_int_equal(relayout_view_to_pjrt_fields(&view, &lists, &fields, NULL), RELAYOUT_OK);
  assert_int_equal(fields.type, 16);
  assert_int_equal(fields.layout, RELAYOUT_PJRT_LAYOUT_STRIDES);
  assert_int_equal(fields.byte_stride_count, 2);
  expect_numbers(fields.byte_strides, 2, strides);
  expect_numbers(fields.dimensions, 2, dimensions);
}

static void test_to_pjrt_refused(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *message;
  } cases[] = {
      {"f6e2m3fn[2,3]", "PJRT has no type f6e2m3fn"},
      {"s4[2,3]{1,0:E(4)}", "elements take 4 bits"},
      {"f32[2,3]{1,0:PD(2,4)T(2,2)}", "PJRT's tiled layouts do not support padded dimensions"},
      {"f32[2,3]{1,0:T(2,2)L(64)}", "tail alignment"},
      {"u8[2,3]{1,0:T(2,2)E(16)}", "wider containers"},
  };
  relayout_view view;
  relayout_pjrt_lists lists;
  relayout_pjrt_fields fields;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const relayout_shape shape = shape_of(cases[i].text);
    relayout_error error;
    assert_int_equal(relayout_view_make(&shape, &view, NULL), RELAYOUT_OK);
    assert_int_equal(relayout_view_to_pjrt_fields(&view, &lists, &fields, &error),
                     RELAYOUT_UNSUPPORTED);
    assert_non_null(strstr(error.message, cases[i].message));
  }
  const relayout_shape scalar = shape_of("f32[]");
  assert_int_equal(relayout_view_make(&scalar, &view, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_view_to_pjrt_fields(NULL, &lists, &fields, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_view_to_pjrt_fields(&view, NULL, &fields, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_view_to_pjrt_fields(&view, &lists, NULL, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_view_to_pjrt_fields(&view, &lists, &fields, NULL), RELAYOUT_OK);
  assert_int_equal(fields.rank, 0);
}

/* ---- NumPy ---- */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OWN     "<"
#define OTHER   ">"
#define FOREIGN RELAYOUT_BYTE_ORDER_BIG
#else
#define OWN     ">"
#define OTHER   "<"
#define FOREIGN RELAYOUT_BYTE_ORDER_LITTLE
#endif

static void test_array_interface(void **state) {
  (void)state;
  static const int64_t shape[] = {2, 3};
  static const int64_t strides[] = {-24, 8};
  static const struct {
    const char *typestr;
    const char *text;
    const char *written;
  } cases[] = {
      {"|b1", "pred[2,3]{1,0}", "|b1"},         {"<u1", "u8[2,3]{1,0}", "|u1"},
      {">i1", "s8[2,3]{1,0}", "|i1"},           {OWN "i2", "s16[2,3]{1,0}", OWN "i2"},
      {"=f4", "f32[2,3]{1,0}", OWN "f4"},       {OWN "f2", "f16[2,3]{1,0}", OWN "f2"},
      {OWN "c16", "c128[2,3]{1,0}", OWN "c16"}, {OWN "u8", "u64[2,3]{1,0}", OWN "u8"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_view view;
    print_message("%s\n", cases[i].typestr);
    assert_int_equal(
        relayout_view_from_array_interface(cases[i].typestr, 2, shape, NULL, true, &view, NULL),
        RELAYOUT_OK);
    expect_text(&view, cases[i].text);
    assert_true(view.is_read_only);
    assert_false(view.is_strided);
    char typestr[RELAYOUT_TYPESTR_SIZE];
    int64_t lists[2][2];
    assert_int_equal(relayout_view_to_array_interface(&view, typestr, lists[0], lists[1], NULL),
                     RELAYOUT_OK);
    assert_string_equal(typestr, cases[i].written);
    assert_memory_equal(lists[0], shape, sizeof shape);
  }
  relayout_view view;
  assert_int_equal(
      relayout_view_from_array_interface(OWN "f8", 2, shape, strides, false, &view, NULL),
      RELAYOUT_OK);
  assert_true(view.is_strided);
  assert_false(view.is_read_only);
  char typestr[RELAYOUT_TYPESTR_SIZE];
  int64_t lists[2][2];
  assert_int_equal(relayout_view_to_array_interface(&view, typestr, lists[0], lists[1], NULL),
                   RELAYOUT_OK);
  assert_memory_equal(lists[1], strides, sizeof strides);
}

static void test_array_interface_byte_order(void **state) {
  (void)state;
  static const int64_t shape[] = {3};
  static const struct {
    const char *typestr;
    relayout_byte_order order;
    const char *written;
  } cases[] = {{OTHER "f4", FOREIGN, OTHER "f4"},
               {OWN "f4", RELAYOUT_BYTE_ORDER_NATIVE, OWN "f4"},
               {"=i8", RELAYOUT_BYTE_ORDER_NATIVE, OWN "i8"},
               {OTHER "c16", FOREIGN, OTHER "c16"},
               {OTHER "u1", RELAYOUT_BYTE_ORDER_NATIVE, "|u1"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_view view;
    relayout_error error;
    char typestr[RELAYOUT_TYPESTR_SIZE];
    int64_t lists[2][1];
    print_message("%s\n", cases[i].typestr);
    assert_int_equal(
        relayout_view_from_array_interface(cases[i].typestr, 1, shape, NULL, false, &view, NULL),
        RELAYOUT_OK);
    assert_int_equal(view.byte_order, cases[i].order);
    assert_int_equal(relayout_view_to_array_interface(&view, typestr, lists[0], lists[1], NULL),
                     RELAYOUT_OK);
    assert_string_equal(typestr, cases[i].written);
    if (cases[i].order == RELAYOUT_BYTE_ORDER_NATIVE) {
      continue;
    }
    relayout_dlpack_fields fields;
    relayout_pjrt_fields pjrt;
    relayout_pjrt_lists pjrt_lists;
    assert_int_equal(relayout_view_to_dlpack_fields(&view, lists[0], lists[1], &fields, &error),
                     RELAYOUT_UNSUPPORTED);
    assert_non_null(strstr(error.message, "byte_order is"));
    assert_int_equal(relayout_view_to_pjrt_fields(&view, &pjrt_lists, &pjrt, &error),
                     RELAYOUT_UNSUPPORTED);
    assert_non_null(strstr(error.message, "byte_order is"));
  }
}

static void test_array_interface_refused(void **state) {
  (void)state;
  static const int64_t shape[] = {2, 3};
  static const char *const typestrs[] = {"?f4", "|f4", "<V2", "<f16", "", "<", "|O8", "f4"};
  static const char *const messages[] = {
      "no byte order",       "no byte order",       "by the name", "<f16",
      "not an element type", "not an element type", "|O8",         "not an element type"};
  for (int i = 0; i < 8; ++i) {
    relayout_view view;
    relayout_error error;
    print_message("%s\n", typestrs[i]);
    assert_int_equal(
        relayout_view_from_array_interface(typestrs[i], 2, shape, NULL, false, &view, &error),
        RELAYOUT_UNSUPPORTED);
    assert_non_null(strstr(error.message, messages[i]));
  }
  static const char *const texts[] = {"bf16[3]", "f32[4]{0:T(2)}", "u8[4]{0:E(16)}",
                                      "u4[4]{0:E(4)}"};
  char typestr[RELAYOUT_TYPESTR_SIZE];
  int64_t list[1];
  relayout_view view;
  for (int i = 0; i < 4; ++i) {
    const relayout_shape of = shape_of(texts[i]);
    view = view_of(&of, NULL);
    assert_int_equal(relayout_view_to_array_interface(&view, typestr, list, list, NULL),
                     RELAYOUT_UNSUPPORTED);
  }
  const relayout_shape of = shape_of("f32[3]");
  view = view_of(&of, NULL);
  assert_int_equal(relayout_view_from_array_interface(NULL, 2, shape, NULL, false, &view, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_view_from_array_interface(OWN "f4", 2, shape, NULL, false, NULL, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_view_to_array_interface(&view, NULL, list, list, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_view_to_array_interface(&view, typestr, NULL, list, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_view_to_array_interface(&view, typestr, list, NULL, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_dlpack),
      cmocka_unit_test(test_dlpack_refused),
      cmocka_unit_test(test_to_dlpack),
      cmocka_unit_test(test_to_dlpack_refused),
      cmocka_unit_test(test_moving),
      cmocka_unit_test(test_empty_to_dlpack),
      cmocka_unit_test(test_pjrt),
      cmocka_unit_test(test_to_pjrt),
      cmocka_unit_test(test_to_pjrt_strided),
      cmocka_unit_test(test_to_pjrt_refused),
      cmocka_unit_test(test_array_interface),
      cmocka_unit_test(test_array_interface_byte_order),
      cmocka_unit_test(test_array_interface_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
