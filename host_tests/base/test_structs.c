/* test_structs.c: structs of callers with older and newer headers. */
#include "cmocka_all.h"

#include <string.h>

#include "base/structs.h"

/* Three versions of one struct. */
typedef struct first {
  size_t struct_size;
  int64_t a;
} first;

typedef struct second {
  size_t struct_size;
  int64_t a;
  int64_t b;
} second;

typedef struct third {
  size_t struct_size;
  int64_t a;
  int64_t b;
  int64_t c;
} third;

static relayout_status take(const void *given, second *known, relayout_error *error) {
  *known = (second){sizeof *known, 10, 20};
  return rlt_struct_read(given, "options->", sizeof(first), known, sizeof *known, error);
}

static void test_older_callers(void **state) {
  (void)state;
  const first given = {sizeof given, 1};
  second known;
  assert_int_equal(take(&given, &known, NULL), RELAYOUT_OK);
  assert_int_equal(known.a, 1);
  assert_int_equal(known.b, 20);
}

static void test_same_version(void **state) {
  (void)state;
  const second given = {sizeof given, 1, 2};
  second known;
  assert_int_equal(take(&given, &known, NULL), RELAYOUT_OK);
  assert_memory_equal(&known, &given, sizeof known);
}

static void test_newer_callers(void **state) {
  (void)state;
  third given = {sizeof given, 1, 2, 0};
  second known;
  relayout_error error;
  assert_int_equal(take(&given, &known, NULL), RELAYOUT_OK);
  assert_int_equal(known.b, 2);
  given.c = (int64_t)1 << 56;
  assert_int_equal(take(&given, &known, &error), RELAYOUT_UNSUPPORTED);
  assert_string_equal(error.message, "options->struct_size is 32, but this version of the library "
                                     "knows 24 bytes of it; the rest must be 0");
}

static void test_too_small(void **state) {
  (void)state;
  first given = {sizeof given - 1, 1};
  second known;
  relayout_error error;
  assert_int_equal(take(&given, &known, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "options->struct_size is 15; expected 16 to 4096: initialise "
                                     "with the struct's RELAYOUT_..._INIT");
  given.struct_size = SIZE_MAX;
  assert_int_equal(take(&given, &known, NULL), RELAYOUT_INVALID_ARGUMENT);
  given.struct_size = 0;
  assert_int_equal(take(&given, &known, NULL), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(rlt_struct_check(&given, "info->", sizeof given, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
}

static void test_told(void **state) {
  (void)state;
  const second known = {sizeof known, 1, 2};
  third newer[2];
  memset(newer, 0x5a, sizeof newer);
  newer[0].struct_size = sizeof newer[0];
  const third untouched = newer[1];
  rlt_struct_write(&known, sizeof known, &newer[0]);
  const third told = {sizeof told, 1, 2, 0};
  assert_memory_equal(&newer[0], &told, sizeof told);
  assert_memory_equal(&newer[1], &untouched, sizeof untouched);
  first older[2];
  memset(older, 0x5a, sizeof older);
  older[0].struct_size = sizeof older[0];
  const first behind = older[1];
  rlt_struct_write(&known, sizeof known, &older[0]);
  const first told_less = {sizeof told_less, 1};
  assert_memory_equal(&older[0], &told_less, sizeof told_less);
  assert_memory_equal(&older[1], &behind, sizeof behind);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_older_callers), cmocka_unit_test(test_same_version),
      cmocka_unit_test(test_newer_callers), cmocka_unit_test(test_too_small),
      cmocka_unit_test(test_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
