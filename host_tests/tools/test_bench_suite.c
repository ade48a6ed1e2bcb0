/* test_bench_suite.c: what a benchmark measures: the text of suites, and the
 * room their cases take. */
#include <stdio.h>
#include <string.h>

#include "bench/embedded.h"
#include "bench/room.h"
#include "bench/suite.h"
#include "cmocka_all.h"

static bench_suite parse(const char *text, relayout_element_type generic) {
  bench_suite suite;
  relayout_error error;
  if (bench_suite_parse(text, generic, &suite, &error) != RELAYOUT_OK) {
    fail_msg("%s: %s", text, error.message);
  }
  return suite;
}

static void assert_shape(const relayout_shape *shape, const char *expected) {
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_shape_format(shape, text, sizeof text);
  assert_string_equal(text, expected);
}

static void test_cases_comments_and_blanks(void **state) {
  (void)state;
  bench_suite suite = parse("# nothing here\n"
                            "\n"
                            "  one\tf32[2,3]{1,0}   f32[2,3]{0,1}  # the first\n"
                            "two T[4]{0} T[4]{0:PD(8)}",
                            RELAYOUT_U16);
  assert_int_equal(suite.count, 2);
  assert_false(suite.is_hot);
  assert_string_equal(suite.cases[0].name, "one");
  assert_shape(&suite.cases[0].from, "f32[2,3]{1,0}");
  assert_shape(&suite.cases[0].to, "f32[2,3]{0,1}");
  assert_false(suite.cases[0].is_generic);
  assert_string_equal(suite.cases[1].name, "two");
  assert_shape(&suite.cases[1].from, "u16[4]{0}");
  assert_shape(&suite.cases[1].to, "u16[4]{0:PD(8)}");
  assert_true(suite.cases[1].is_generic);
  bench_suite_free(&suite);
}

static void test_orders_are_all_there_once(void **state) {
  (void)state;
  /* Major to minor; the layout lists minor to major. */
  static const struct {
    const char *name;
    const char *to;
  } expected[] = {
      {"p_012", "u8[2,3,4]{2,1,0}"}, {"p_021", "u8[2,3,4]{1,2,0}"}, {"p_102", "u8[2,3,4]{2,0,1}"},
      {"p_120", "u8[2,3,4]{0,2,1}"}, {"p_201", "u8[2,3,4]{1,0,2}"}, {"p_210", "u8[2,3,4]{0,1,2}"},
  };
  bench_suite suite = parse("@hot\n@orders p T[2,3,4]\n", RELAYOUT_U8);
  assert_true(suite.is_hot);
  assert_int_equal(suite.count, 6);
  for (size_t i = 0; i < suite.count; i++) {
    assert_string_equal(suite.cases[i].name, expected[i].name);
    assert_shape(&suite.cases[i].from, "u8[2,3,4]{2,1,0}");
    assert_shape(&suite.cases[i].to, expected[i].to);
  }
  bench_suite_free(&suite);
}

static void test_bad_text_names_its_line(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *message;
  } cases[] = {
      {"a f32[2] f32[2]\nb f32[2]\n", "line 2: "},
      {"a f32[2] f32[2] f32[2]", "line 1: "},
      {"\n\na f32[2 f32[2]", "line 3: "},
      {"a f32[2] f32[3]", "differ in more than layout and element type: 'a'"},
      {"a f32[2] s32[3]", "differ in more than layout and element type: 'a'"},
      {"@cold", "line 1: "},
      {"@orders p", "line 1: "},
      {"@orders p f32[]", "1 to 7 dimensions"},
      {"@orders p f32[2,2,2,2,2,2,2,2]", "1 to 7 dimensions"},
      {"@orders p f32[2]{0:PD(4)}", "1 to 7 dimensions"},
      {"a_name_of_more_than_the_forty_seven_letters_there_is f32[2] f32[2]", "name is too long"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    bench_suite suite = {.count = 99};
    relayout_error error;
    assert_int_not_equal(bench_suite_parse(cases[i].text, RELAYOUT_F32, &suite, &error),
                         RELAYOUT_OK);
    if (strstr(error.message, cases[i].message) == NULL) {
      fail_msg("'%s' gave '%s' without '%s'", cases[i].text, error.message, cases[i].message);
    }
    assert_int_equal(suite.count, 99);
  }
}

static void test_names_choose_the_type(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *name;
    relayout_element_type type;
  } cases[] = {
      {"ttc", "ttc", RELAYOUT_F32},
      {"ttc-u8", "ttc", RELAYOUT_U8},
      {"perm6-c128", "perm6", RELAYOUT_C128},
      {"a-b-f8e4m3fn", "a-b", RELAYOUT_F8E4M3FN},
  };
  char name[BENCH_NAME_SIZE];
  relayout_element_type type;
  relayout_error error;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal(bench_suite_parse_name(cases[i].text, name, &type, &error), RELAYOUT_OK);
    assert_string_equal(name, cases[i].name);
    assert_int_equal(type, cases[i].type);
  }
  assert_int_equal(bench_suite_parse_name("ttc-f31", name, &type, &error), RELAYOUT_INVALID_TEXT);
  assert_int_equal(bench_suite_parse_name("ttc-", name, &type, &error), RELAYOUT_INVALID_TEXT);
}

static void test_the_command_has_its_suites(void **state) {
  (void)state;
  static const struct {
    const char *name;
    size_t count;
    bool is_hot;
  } suites[] = {
      {"ttc", 57, false},   {"ml", 32, false},       {"pad", 15, false},     {"perm6", 720, false},
      {"small", 18, true},  {"tiles", 39, false},    {"subbyte", 21, false}, {"convert", 32, false},
      {"matrix", 4, false}, {"channels", 16, false},
  };
  size_t known = 0;
  for (const bench_embedded *text = bench_suite_texts; text->name != NULL; text++, known++) {
    bench_suite suite = parse(text->text, RELAYOUT_F32);
    assert_string_equal(text->name, suites[known].name);
    assert_int_equal(suite.count, suites[known].count);
    assert_int_equal(suite.is_hot, suites[known].is_hot);
    for (size_t i = 0; i < suite.count; i++) {
      for (size_t j = 0; j < i; j++) {
        assert_string_not_equal(suite.cases[i].name, suite.cases[j].name);
      }
    }
    bench_suite_free(&suite);
  }
  assert_int_equal(known, sizeof suites / sizeof suites[0]);
}

static void test_bytes(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t bytes;
  } cases[] = {
      {"a f32[3,5]{1,0} f32[3,5]{0,1}", 60 + 60},
      {"a f32[3,5]{1,0} f32[3,5]{0,1:PD(4,8)}", 60 + 128},           /* padding is written */
      {"a f32[3,5]{1,0:PD(4,8)} f32[3,5]{0,1}", 60 + 60},            /* and never read */
      {"a f32[3,5]{1,0} f32[3,5]{0,1:PD(4,8)PV(unknown)}", 60 + 60}, /* nor written then */
      {"a c128[3]{0} c128[3]{0}", 48 + 48},
      {"a f32[3,5]{1,0} bf16[3,5]{0,1}", 60 + 30},
      {"a bf16[3,5]{1,0} f64[3,5]{1,0:PD(4,8)}", 30 + 256},
      {"a bf16[3,5]{1,0} f64[3,5]{1,0:PD(4,8)PV(unknown)}", 30 + 120},
      {"a s4[3,5]{1,0:E(4)} s4[3,5]{1,0}", 8 + 15},
      {"a pred[3,5]{1,0:E(1)} f32[3,5]{1,0}", 2 + 60},
      {"a f32[3,5]{1,0:T(2,2)} f32[3,5]{1,0}", 60 + 60},
      {"a f32[3,5]{1,0} f32[3,5]{1,0:T(2,2)}", 60 + 96}, /* six tiles of four */
      {"a f32[3,5]{1,0} f32[3,5]{1,0:PV(unknown)T(2,2)}", 60 + 60},
      {"a f32[3,5]{1,0} bf16[3,5]{1,0:T(2,2)L(32)}", 60 + 64},
      {"a s4[3,5]{1,0} s4[3,5]{1,0:E(4)}", 15 + 8},
      {"a s4[3,5]{1,0:E(4)} s4[3,5]{1,0:PD(3,7)E(4)}", 8 + 11},
      {"a s4[3,5]{1,0:E(4)} s4[3,5]{1,0:PD(3,7)PV(unknown)E(4)}", 8 + 8},
      {"a u2[3,5]{1,0:E(2)} u2[3,5]{1,0:T(2,2)E(2)}", 4 + 6},
      {"a u8[3,5]{1,0} u8[3,5]{1,0:E(32)}", 15 + 60},
      {"a bf16[3,5]{1,0:E(32)} f32[3,5]{1,0}", 60 + 60},
      {"a u8[0,5]{1,0} u8[0,5]{0,1:PD(2,5)}", 0 + 10},
      {"a u8[0,5]{1,0} u8[0,5]{0,1}", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    bench_suite suite = parse(cases[i].text, RELAYOUT_F32);
    assert_int_equal(bench_case_bytes(&suite.cases[0]), cases[i].bytes);
    bench_suite_free(&suite);
  }
}

static void test_only_wide_generic_cases_shrink(void **state) {
  (void)state;
  bench_suite suite = parse("a T[9,5]{1,0} T[9,5]{0,1}\n"
                            "b f64[8,5]{1,0} f64[8,5]{0,1}\n"
                            "c T[8,5]{1,0} T[8,5]{0,1:PD(8,8)}\n",
                            RELAYOUT_F64);
  assert_true(bench_case_shrink(&suite.cases[0]));
  assert_shape(&suite.cases[0].from, "f64[4,5]{1,0}");
  assert_shape(&suite.cases[0].to, "f64[4,5]{0,1}");
  assert_true(bench_case_shrink(&suite.cases[0]));
  assert_true(bench_case_shrink(&suite.cases[0]));
  assert_false(bench_case_shrink(&suite.cases[0]));
  assert_shape(&suite.cases[0].from, "f64[1,5]{1,0}");
  assert_false(bench_case_shrink(&suite.cases[1]));
  assert_false(bench_case_shrink(&suite.cases[2]));
  bench_suite_free(&suite);
  suite = parse("a T[8,5]{1,0} T[8,5]{0,1}", RELAYOUT_F32);
  assert_false(bench_case_shrink(&suite.cases[0]));
  bench_suite_free(&suite);
}

static void test_room(void **state) {
  (void)state;
  enum { MIB = 1 << 20 };
  static const struct {
    const char *text;
    bool is_hot;
    uint64_t cache_bytes;
    bench_room expected;
  } cases[] = {
      /* 100 of 400 bytes: lines for the copy, pages for the places. */
      {"a u8[100]{0} u8[100]{0:PD(300)}", true, 32 * MIB, {256, 4096, 4096, 1, 1}},
      /* At least 256 MiB between two turns, 8192 bytes at each. */
      {"a u8[100]{0} u8[100]{0:PD(300)}", false, MIB, {256, 4096, 4096, 32768, 32768}},
      /* Eight caches of 48 MiB are more: three places of 128 MiB. */
      {"a u8[67108864]{0} u8[67108864]{0}", false, 48 * MIB, {64 * MIB, 64 * MIB, 64 * MIB, 3, 2}},
      /* The copy of half the bytes does not fit the small source itself. */
      {"a u8[2097152]{0} u8[2097152]{0:PD(534773760)}",
       false,
       MIB,
       {256 * MIB, 256 * MIB, 510 * MIB, 1, 1}},
      /* As large as sizes get: 2^57 bytes on each side. */
      {"a u8[144115188075855872]{0} u8[144115188075855872]{0}",
       false,
       MIB,
       {(size_t)1 << 57, (size_t)1 << 57, (size_t)1 << 57, 1, 1}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    bench_suite suite = parse(cases[i].text, RELAYOUT_F32);
    const bench_room room = bench_room_of(&suite.cases[0], cases[i].is_hot, cases[i].cache_bytes);
    assert_int_equal(room.copy_size, cases[i].expected.copy_size);
    assert_int_equal(room.source_step, cases[i].expected.source_step);
    assert_int_equal(room.destination_step, cases[i].expected.destination_step);
    assert_int_equal(room.places, cases[i].expected.places);
    bench_suite_free(&suite);
  }
}

static void test_sizes_do_not_wrap_around(void **state) {
  (void)state;
  const size_t half = (size_t)1 << 63;
  const bench_room room = {.source_step = half, .destination_step = half, .places = 1};
  char reason[BENCH_REASON_SIZE];
  assert_false(bench_room_fits(&room, &(bench_limits){.device = 1}, reason));
  assert_false(bench_room_fits(&room, &(bench_limits){.host = half}, reason));
}

static void test_what_does_not_fit_says_why(void **state) {
  (void)state;
  const bench_room room = {.source_step = 1 << 20, .destination_step = 2 << 20, .places = 3};
  static const struct {
    bench_limits limits;
    const char *reason; /* NULL: it fits */
  } cases[] = {
      {{0, 0, 0}, NULL},
      {{6 << 20, 9 << 20, 11 << 20}, NULL},
      {{(6 << 20) - 1, 0, 0}, "the destination takes 6.0 MiB"},
      {{(3 << 20) - 1, 0, 0}, "the source takes 3.0 MiB"},
      {{0, (9 << 20) - 1, 0}, "the case takes 9.0 MiB, but the device has"},
      {{0, 0, (11 << 20) - 1}, "the case takes 11.0 MiB, but the host has"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char reason[BENCH_REASON_SIZE] = "";
    assert_int_equal(bench_room_fits(&room, &cases[i].limits, reason), cases[i].reason == NULL);
    if (cases[i].reason != NULL && strstr(reason, cases[i].reason) == NULL) {
      fail_msg("'%s' lacks '%s'", reason, cases[i].reason);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cases_comments_and_blanks),
      cmocka_unit_test(test_orders_are_all_there_once),
      cmocka_unit_test(test_bad_text_names_its_line),
      cmocka_unit_test(test_names_choose_the_type),
      cmocka_unit_test(test_the_command_has_its_suites),
      cmocka_unit_test(test_bytes),
      cmocka_unit_test(test_only_wide_generic_cases_shrink),
      cmocka_unit_test(test_room),
      cmocka_unit_test(test_sizes_do_not_wrap_around),
      cmocka_unit_test(test_what_does_not_fit_says_why),
  };
  return cmocka_run_group_tests_name("tools.bench_suite", tests, NULL, NULL);
}
