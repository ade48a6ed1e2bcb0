/* test_pjrt.c: the structs of PJRT's header, or of one with the same fields, as views. */
#include "cmocka_all.h"

#include <stdint.h>
#include <string.h>

#include <xla/pjrt/c/pjrt_c_api.h>

#include "relayout/pjrt.h"
#include "relayout/relayout.h"

static const int64_t dimensions[] = {300, 500};

static relayout_view view_from(const PJRT_Buffer_MemoryLayout *layout) {
  relayout_view view;
  assert_int_equal(
      relayout_view_from_pjrt(PJRT_Buffer_Type_BF16, dimensions, 2, layout, &view, NULL),
      RELAYOUT_OK);
  return view;
}

static void expect_text(const relayout_view *view, const char *expected) {
  char text[256];
  relayout_shape_format(&view->shape, text, sizeof text);
  assert_string_equal(text, expected);
}

static void test_layouts(void **state) {
  (void)state;
  relayout_view view = view_from(NULL);
  expect_text(&view, "bf16[300,500]{1,0}");
  assert_false(view.is_strided);

  static const int64_t order[] = {1, 0};
  static const int64_t tiles[] = {8, 128, 2, 1};
  static const size_t tile_ranks[] = {2, 2};
  PJRT_Buffer_MemoryLayout layout;
  memset(&layout, 0, sizeof layout);
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.minor_to_major = order;
  layout.tiled.minor_to_major_size = 2;
  layout.tiled.tile_dims = tiles;
  layout.tiled.tile_dim_sizes = tile_ranks;
  layout.tiled.num_tiles = 2;
  view = view_from(&layout);
  expect_text(&view, "bf16[300,500]{1,0:T(8,128)(2,1)}");

  static const int64_t strides[] = {-1024, 2};
  memset(&layout, 0, sizeof layout);
  layout.type = PJRT_Buffer_MemoryLayout_Type_Strides;
  layout.strides.byte_strides = strides;
  layout.strides.num_byte_strides = 2;
  view = view_from(&layout);
  assert_true(view.is_strided);
  assert_int_equal(view.byte_strides[0], -1024);
  assert_int_equal(view.byte_strides[1], 2);
}

/* The structs that a view becomes are taken for that view again. */
static void expect_again(const relayout_view *view, PJRT_Buffer_MemoryLayout_Type kind) {
  relayout_pjrt_lists lists;
  PJRT_Buffer_Type type = (PJRT_Buffer_Type)0;
  PJRT_Buffer_MemoryLayout layout;
  memset(&layout, 0xff, sizeof layout);
  assert_int_equal(relayout_view_to_pjrt(view, &lists, &type, &layout, NULL), RELAYOUT_OK);
  assert_int_equal(type, PJRT_Buffer_Type_BF16);
  assert_int_equal(layout.type, kind);
  assert_int_equal(layout.struct_size, sizeof layout);
  assert_null(layout.extension_start);
  const relayout_view again = view_from(&layout);
  assert_true(relayout_view_equal(&again, view));
}

static void test_back(void **state) {
  (void)state;
  static const int64_t strides[] = {-1024, 2};
  relayout_shape shape;
  relayout_view view;
  assert_int_equal(relayout_shape_parse("bf16[300,500]{0,1:T(8,128)(2,1)}", &shape, NULL),
                   RELAYOUT_OK);
  assert_int_equal(relayout_view_make(&shape, &view, NULL), RELAYOUT_OK);
  expect_again(&view, PJRT_Buffer_MemoryLayout_Type_Tiled);
  assert_int_equal(relayout_view_make_strided(RELAYOUT_BF16, 2, dimensions, strides, &view, NULL),
                   RELAYOUT_OK);
  expect_again(&view, PJRT_Buffer_MemoryLayout_Type_Strides);
  PJRT_Buffer_Type type = PJRT_Buffer_Type_BF16;
  PJRT_Buffer_MemoryLayout layout;
  assert_int_equal(relayout_view_to_pjrt(&view, NULL, &type, &layout, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
}

static void test_unknown_layout(void **state) {
  (void)state;
  static const int64_t strides[] = {1000, 2};
  PJRT_Buffer_MemoryLayout layout;
  memset(&layout, 0, sizeof layout);
  layout.type = (PJRT_Buffer_MemoryLayout_Type)(PJRT_Buffer_MemoryLayout_Type_Strides + 1);
  layout.strides.byte_strides = strides;
  layout.strides.num_byte_strides = 2;
  relayout_view view;
  relayout_error error;
  assert_int_equal(
      relayout_view_from_pjrt(PJRT_Buffer_Type_BF16, dimensions, 2, &layout, &view, &error),
      RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "not a known kind"));
}

#ifdef HAVE_HEADER
/* The numbers that the library knows types by are the header's names. */
static void test_names(void **state) {
  (void)state;
#define NAMED(name)                                                                                \
  { PJRT_Buffer_Type_##name, RELAYOUT_##name }
  static const struct {
    PJRT_Buffer_Type pjrt;
    relayout_element_type type;
  } cases[] = {
      NAMED(PRED),       NAMED(S8),         NAMED(S16),
      NAMED(S32),        NAMED(S64),        NAMED(U8),
      NAMED(U16),        NAMED(U32),        NAMED(U64),
      NAMED(F16),        NAMED(F32),        NAMED(F64),
      NAMED(BF16),       NAMED(C64),        NAMED(C128),
      NAMED(F8E5M2),     NAMED(F8E4M3FN),   NAMED(F8E4M3B11FNUZ),
      NAMED(F8E5M2FNUZ), NAMED(F8E4M3FNUZ), NAMED(S4),
      NAMED(U4),         NAMED(S2),         NAMED(U2),
      NAMED(F8E4M3),     NAMED(F8E3M4),     NAMED(F8E8M0FNU),
      NAMED(F4E2M1FN),
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_element_type type = RELAYOUT_ELEMENT_TYPE_INVALID;
    int32_t number = 0;
    assert_int_equal(relayout_element_type_from_pjrt((int32_t)cases[i].pjrt, &type, NULL),
                     RELAYOUT_OK);
    assert_int_equal(type, cases[i].type);
    assert_int_equal(relayout_element_type_to_pjrt(type, &number, NULL), RELAYOUT_OK);
    assert_int_equal(number, cases[i].pjrt);
  }
  relayout_element_type type = RELAYOUT_F32;
  assert_int_equal(relayout_element_type_from_pjrt(PJRT_Buffer_Type_INVALID, &type, NULL),
                   RELAYOUT_UNSUPPORTED);
  assert_int_equal(relayout_element_type_from_pjrt(PJRT_Buffer_Type_TOKEN, &type, NULL),
                   RELAYOUT_UNSUPPORTED);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_layouts),
      cmocka_unit_test(test_back),
      cmocka_unit_test(test_unknown_layout),
#ifdef HAVE_HEADER
      cmocka_unit_test(test_names),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
