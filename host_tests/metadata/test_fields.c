/* Structs of numbers as text, by a table made up here. */
#include "metadata/fields.h"

#include <string.h>

#include "cmocka_all.h"

typedef struct sample {
  int64_t size;
  int32_t pair[2];
  bool truth;
  double rate;
} sample;

static const rlt_field fields[] = {
    {"size", "q", offsetof(sample, size), 1, INT64_MAX, 0, .is_power = true},
    {"pair", "ii", offsetof(sample, pair), 0, 9, 100, .may_end = true},
    {"truth", "?", offsetof(sample, truth), 0, 1, 0, .may_end = false},
    {"rate", "d", offsetof(sample, rate), 0, 2, 0, .may_end = false},
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static relayout_status read(const char *text, sample *in, uint64_t *given, relayout_error *error) {
  return rlt_fields_read("sample", fields, FIELDS, text, text + strlen(text), in, given, error);
}

static void test_there_and_back(void **state) {
  (void)state;
  sample in = {8, {9, 100}, true, 0.25};
  char buffer[80];
  rlt_text text = rlt_text_in(buffer, sizeof buffer);
  rlt_fields_add(fields, FIELDS, &in, &text);
  assert_string_equal(buffer, "size=8 pair=9:100 truth=1 rate=0.25");
  sample back = {0};
  uint64_t given;
  assert_int_equal(read(buffer, &back, &given, NULL), RELAYOUT_OK);
  assert_int_equal(given, 15);
  assert_int_equal(back.size, 8);
  assert_int_equal(back.pair[0], 9);
  assert_int_equal(back.pair[1], 100);
  assert_true(back.truth);
  assert_true(back.rate == 0.25);
}

/* In any order, and what is not named stays. */
static void test_some_fields(void **state) {
  (void)state;
  sample in = {8, {9, 100}, true, 0.25};
  uint64_t given;
  assert_int_equal(read("  rate=2  pair=3 ", &in, &given, NULL), RELAYOUT_OK);
  assert_int_equal(given, 1 << 3 | 1 << 1);
  assert_int_equal(in.size, 8);
  assert_int_equal(in.pair[0], 3);
  assert_int_equal(in.pair[1], 0); /* left out */
  assert_true(in.truth);
  assert_true(in.rate == 2);
  assert_int_equal(read("", &in, &given, NULL), RELAYOUT_OK);
  assert_int_equal(given, 0);
}

static void test_refused(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *message;
  } cases[] = {
      {"size", "sample: `size` is not a field"},
      {"sizes=1", "sample: `sizes=1` is not a field"},
      {"=1", "sample: `=1` is not a field"},
      {"truth=1 truth=1", "sample: `truth` is given twice"},
      {"truth=2", "sample: `truth=2` has an invalid value; expected 1 number from 0 to 1"},
      {"rate=nan", "sample: `rate=nan` has an invalid value; expected 1 number from 0 to 2"},
      {"rate=2.5", "sample: `rate=2.5` has an invalid value; expected 1 number from 0 to 2"},
      {"size=0", "sample: `size=0` has an invalid value; expected 1 number from 1 to "
                 "9223372036854775807, a power of two"},
      {"size=3", "sample: `size=3` has an invalid value; expected 1 number from 1 to "
                 "9223372036854775807, a power of two"},
      {"size=9223372036854775808", "sample: `size=9223372036854775808` has an invalid value; "
                                   "expected 1 number from 1 to 9223372036854775807, a power of "
                                   "two"},
      {"pair=9:101", "sample: `pair=9:101` has an invalid value; expected up to 2 numbers from "
                     "0 to 9, the others to 100"},
      {"pair=10", "sample: `pair=10` has an invalid value; expected up to 2 numbers from 0 to "
                  "9, the others to 100"},
      {"pair=1:", "sample: `pair=1:` has an invalid value; expected up to 2 numbers from 0 to "
                  "9, the others to 100"},
      {"pair=1:2:", "sample: `pair=1:2:` has an invalid value; expected up to 2 numbers from 0 "
                    "to 9, the others to 100"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    sample in = {0};
    uint64_t given;
    relayout_error error;
    assert_int_equal(read(cases[i].text, &in, &given, &error), RELAYOUT_INVALID_TEXT);
    assert_string_equal(error.message, cases[i].message);
  }
}

static void test_words(void **state) {
  (void)state;
  const char text[] = " a=b:c  d";
  const char *at = text;
  rlt_word word = rlt_word_next(&at, text + sizeof text - 1);
  assert_true(rlt_word_is(word, "a=b:c"));
  assert_true(rlt_word_is(rlt_word_cut(&word, '='), "a"));
  assert_true(rlt_word_is(rlt_word_cut(&word, ':'), "b"));
  assert_true(rlt_word_is(rlt_word_cut(&word, ':'), "c"));
  assert_int_equal(word.length, 0);
  assert_true(rlt_word_is(rlt_word_next(&at, text + sizeof text - 1), "d"));
  assert_int_equal(rlt_word_next(&at, text + sizeof text - 1).length, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_there_and_back),
      cmocka_unit_test(test_some_fields),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
