/* test_shape_dimensions.c: dimensions permuted, removed and added: the text of what comes
 * out, and each element's place. */
#include "cmocka_all.h"

#include <string.h>

#include "relayout/index.h"
#include "shape_of.h"

static void assert_text(const relayout_shape *shape, const char *expected) {
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  assert_int_equal(relayout_shape_validate(shape, NULL), RELAYOUT_OK);
  relayout_shape_format(shape, text, sizeof text);
  assert_string_equal(text, expected);
}

/* ---- Permuting ---- */

static void test_permute(void **state) {
  (void)state;
  static const struct {
    const char *shape;
    int32_t permutation[4];
    const char *expected;
  } cases[] = {
      {"f32[]", {0}, "f32[]"},
      {"f32[2,3]{1,0}", {1, 0}, "f32[3,2]{0,1}"},
      {"f32[2,3,4]{2,1,0}", {1, 2, 0}, "f32[3,4,2]{1,0,2}"},
      {"f32[2,3,4]{0,2,1:PD(2,5,4)PV(one)}", {2, 0, 1}, "f32[4,2,3]{1,0,2:PD(4,2,5)PV(one)}"},
      {"u4[2,3]{0,1:L(4)E(4)S(2)}", {1, 0}, "u4[3,2]{1,0:L(4)E(4)S(2)}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_shape shape = shape_of(cases[i].shape);
    assert_int_equal(relayout_shape_permute_dimensions(&shape, cases[i].permutation, &shape, NULL),
                     RELAYOUT_OK);
    assert_text(&shape, cases[i].expected);
  }
}

/* Through every permutation of rank 4 each element stays at its linear index. */
static void test_permute_keeps_places(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("u8[2,3,1,4]{2,0,3,1:PD(2,4,3,4)}");
  for (int32_t code = 0; code < 256; ++code) {
    const int32_t permutation[] = {code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6};
    relayout_shape permuted;
    const relayout_status status =
        relayout_shape_permute_dimensions(&shape, permutation, &permuted, NULL);
    const int32_t seen =
        1 << permutation[0] | 1 << permutation[1] | 1 << permutation[2] | 1 << permutation[3];
    if (seen != 15) {
      assert_int_equal(status, RELAYOUT_INVALID_ARGUMENT);
      continue;
    }
    assert_int_equal(status, RELAYOUT_OK);
    assert_true(relayout_shape_transpose_is_bitcast(&shape, &permuted, permutation));
    int64_t index[4] = {0};
    do {
      int64_t moved[4];
      for (int32_t i = 0; i < 4; ++i) {
        moved[i] = index[permutation[i]];
      }
      int64_t before;
      int64_t after;
      assert_int_equal(relayout_index_to_linear(&shape, index, &before, NULL), RELAYOUT_OK);
      assert_int_equal(relayout_index_to_linear(&permuted, moved, &after, NULL), RELAYOUT_OK);
      assert_int_equal(before, after);
    } while (relayout_index_bump(&shape, index));
  }
}

static void test_descending_same_physical(void **state) {
  (void)state;
  static const struct {
    const char *shape;
    const char *expected;
  } cases[] = {
      {"f32[]", "f32[]"},
      {"f32[2,3]{0,1}", "f32[3,2]{1,0}"},
      {"f32[10,20,30]{1,2,0}", "f32[10,30,20]{2,1,0}"},
      {"f32[2,3,4]{1,0,2:PD(2,5,4)PV(-1)}", "f32[4,2,3]{2,1,0:PD(4,2,5)PV(-1)}"},
      {"f32[16,8]{0,1:T(8,128)}", "f32[8,16]{1,0:T(8,128)}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_shape shape = shape_of(cases[i].shape);
    assert_int_equal(relayout_shape_make_descending_same_physical(&shape, &shape, NULL),
                     RELAYOUT_OK);
    assert_text(&shape, cases[i].expected);
  }
}

/* ---- One dimension at a time ---- */

static void test_delete(void **state) {
  (void)state;
  static const struct {
    const char *shape;
    int64_t number;
    const char *expected;
  } cases[] = {
      {"f32[5]{0}", 0, "f32[]"},
      {"f32[5]{0:PD(6)}", 0, "f32[]"},
      {"f32[2,3,4]{0,2,1}", 0, "f32[3,4]{1,0}"},
      {"f32[2,3,4]{0,2,1}", 1, "f32[2,4]{0,1}"},
      {"f32[2,3,4]{0,2,1}", -1, "f32[2,3]{0,1}"},
      {"f32[2,3,4]{0,2,1:PD(2,8,5)PV(highest)}", 1, "f32[2,4]{0,1:PD(2,5)PV(highest)}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_shape shape = shape_of(cases[i].shape);
    assert_int_equal(relayout_shape_delete_dimension(&shape, cases[i].number, &shape, NULL),
                     RELAYOUT_OK);
    assert_text(&shape, cases[i].expected);
  }
}

static void test_insert(void **state) {
  (void)state;
  static const struct {
    const char *shape;
    int32_t at;
    int64_t size;
    const char *expected;
  } cases[] = {
      {"f32[]", 0, 7, "f32[7]{0}"},
      {"f32[2,3]{0,1}", 0, 7, "f32[7,2,3]{1,2,0}"},
      {"f32[2,3]{0,1}", 1, 7, "f32[2,7,3]{0,2,1}"},
      {"f32[2,3]{0,1}", 2, 7, "f32[2,3,7]{2,0,1}"},
      {"f32[2,3]{0,1:PD(4,4)}", 1, 0, "f32[2,0,3]{0,2,1:PD(4,0,4)}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_shape shape = shape_of(cases[i].shape);
    assert_int_equal(
        relayout_shape_insert_dimension(&shape, cases[i].at, cases[i].size, &shape, NULL),
        RELAYOUT_OK);
    assert_text(&shape, cases[i].expected);
  }
}

static void test_move(void **state) {
  (void)state;
  static const struct {
    const char *shape;
    int64_t number;
    int64_t to;
    const char *expected;
  } cases[] = {
      {"f32[2,3,4]{2,1,0}", 0, 2, "f32[3,4,2]{1,0,2}"},
      {"f32[2,3,4]{2,1,0}", -1, 0, "f32[4,2,3]{0,2,1}"},
      {"f32[2,3,4]{2,1,0}", 1, -1, "f32[2,4,3]{1,2,0}"},
      {"f32[2,3,4,5]{3,2,1,0}", 2, 1, "f32[2,4,3,5]{3,1,2,0}"},
      {"f32[2,3,4]{2,1,0}", 1, 1, "f32[2,3,4]{2,1,0}"},
      {"f32[2,3]{0,1:PD(2,4)}", 0, 1, "f32[3,2]{1,0:PD(4,2)}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_shape shape = shape_of(cases[i].shape);
    assert_int_equal(
        relayout_shape_move_dimension(&shape, cases[i].number, cases[i].to, &shape, NULL),
        RELAYOUT_OK);
    assert_text(&shape, cases[i].expected);
  }
}

static void test_drop_degenerate(void **state) {
  (void)state;
  static const struct {
    const char *shape;
    const char *expected;
  } cases[] = {
      {"f32[]", "f32[]"},
      {"f32[1,1]{0,1}", "f32[]"},
      {"f32[1,2,1,3]{3,0,1,2}", "f32[2,3]{1,0}"},
      {"f32[3,1,2]{0,1,2}", "f32[3,2]{0,1}"},
      {"f32[1,2,1]{2,1,0:PD(1,2,4)}", "f32[2,1]{1,0:PD(2,4)}"}, /* widened: it stays */
      {"f32[1,0]{1,0}", "f32[0]{0}"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_shape shape = shape_of(cases[i].shape);
    assert_int_equal(relayout_shape_drop_degenerate_dimensions(&shape, &shape, NULL), RELAYOUT_OK);
    assert_text(&shape, cases[i].expected);
  }
}

/* ---- Refusals ---- */

static void assert_failed(relayout_status status, relayout_status expected,
                          const relayout_error *error, const char *message) {
  assert_int_equal(status, expected);
  assert_int_equal(error->status, expected);
  assert_string_equal(error->message, message);
}

static void test_refusals(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("f32[2,3]{1,0}");
  const int32_t twice[] = {1, 1};
  const int32_t outside[] = {0, 2};
  relayout_shape result;
  memset(&result, 0x33, sizeof result);
  const relayout_shape before = result;
  relayout_error error;
  assert_failed(relayout_shape_permute_dimensions(&shape, twice, &result, &error),
                RELAYOUT_INVALID_ARGUMENT, &error, "permutation[1] is 1, which is listed twice");
  assert_failed(relayout_shape_permute_dimensions(&shape, outside, &result, &error),
                RELAYOUT_INVALID_ARGUMENT, &error, "permutation[1] is 2; expected 0 to 1");
  assert_failed(relayout_shape_permute_dimensions(&shape, NULL, &result, &error),
                RELAYOUT_INVALID_ARGUMENT, &error, "permutation is NULL");
  assert_failed(relayout_shape_delete_dimension(&shape, 2, &result, &error), RELAYOUT_OUT_OF_RANGE,
                &error, "dimension number is 2, out of range for a shape of 2 dimensions");
  assert_failed(relayout_shape_insert_dimension(&shape, 3, 1, &result, &error),
                RELAYOUT_OUT_OF_RANGE, &error, "at is 3, out of range for a shape of 2 dimensions");
  assert_failed(relayout_shape_insert_dimension(&shape, -1, 1, &result, &error),
                RELAYOUT_OUT_OF_RANGE, &error,
                "at is -1, out of range for a shape of 2 dimensions");
  assert_failed(relayout_shape_insert_dimension(&shape, 0, -1, &result, &error),
                RELAYOUT_INVALID_SHAPE, &error, "dimensions[0] is -1; expected 0 or more");
  assert_int_equal(relayout_shape_insert_dimension(&shape, 0, INT64_MAX, &result, &error),
                   RELAYOUT_SIZE_OVERFLOW);
  assert_failed(relayout_shape_move_dimension(&shape, -3, 0, &result, &error),
                RELAYOUT_OUT_OF_RANGE, &error,
                "dimension number is -3, out of range for a shape of 2 dimensions");
  assert_failed(relayout_shape_move_dimension(&shape, 0, 2, &result, &error), RELAYOUT_OUT_OF_RANGE,
                &error, "dimension number is 2, out of range for a shape of 2 dimensions");
  assert_memory_equal(&result, &before, sizeof result);

  int64_t ones[RELAYOUT_MAX_RANK];
  for (int32_t d = 0; d < RELAYOUT_MAX_RANK; ++d) {
    ones[d] = 1;
  }
  relayout_shape full;
  assert_int_equal(relayout_shape_make(RELAYOUT_U8, RELAYOUT_MAX_RANK, ones, &full, NULL),
                   RELAYOUT_OK);
  assert_failed(relayout_shape_insert_dimension(&full, 0, 1, &result, &error),
                RELAYOUT_INVALID_SHAPE, &error,
                "the shape has 64 dimensions already, the most that are supported");
}

static void test_tiles_refused(void **state) {
  (void)state;
  const relayout_shape tiled = shape_of("f32[2,3]{1,0:T(2,2)}");
  const int32_t identity[] = {0, 1};
  relayout_shape result;
  relayout_error error;
  assert_failed(
      relayout_shape_permute_dimensions(&tiled, identity, &result, &error), RELAYOUT_UNSUPPORTED,
      &error,
      "the layout has 1 tiles; dimensions of tiled layouts cannot be added, removed or changed");
  assert_int_equal(relayout_shape_delete_dimension(&tiled, 0, &result, NULL), RELAYOUT_UNSUPPORTED);
  assert_int_equal(relayout_shape_insert_dimension(&tiled, 0, 1, &result, NULL),
                   RELAYOUT_UNSUPPORTED);
  assert_int_equal(relayout_shape_move_dimension(&tiled, 0, 1, &result, NULL),
                   RELAYOUT_UNSUPPORTED);
  assert_int_equal(relayout_shape_drop_degenerate_dimensions(&tiled, &result, NULL),
                   RELAYOUT_UNSUPPORTED);
}

static void test_null_results(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("f32[2,3]{1,0}");
  const int32_t identity[] = {0, 1};
  const relayout_status null = RELAYOUT_INVALID_ARGUMENT;
  const char *const message = "result is NULL";
  relayout_error error;
  assert_failed(relayout_shape_permute_dimensions(&shape, identity, NULL, &error), null, &error,
                message);
  assert_failed(relayout_shape_delete_dimension(&shape, 0, NULL, &error), null, &error, message);
  assert_failed(relayout_shape_insert_dimension(&shape, 0, 1, NULL, &error), null, &error, message);
  assert_failed(relayout_shape_move_dimension(&shape, 0, 1, NULL, &error), null, &error, message);
  assert_failed(relayout_shape_drop_degenerate_dimensions(&shape, NULL, &error), null, &error,
                message);
  assert_failed(relayout_shape_make_descending_same_physical(&shape, NULL, &error), null, &error,
                message);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_permute),
      cmocka_unit_test(test_permute_keeps_places),
      cmocka_unit_test(test_descending_same_physical),
      cmocka_unit_test(test_delete),
      cmocka_unit_test(test_insert),
      cmocka_unit_test(test_move),
      cmocka_unit_test(test_drop_degenerate),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_tiles_refused),
      cmocka_unit_test(test_null_results),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
