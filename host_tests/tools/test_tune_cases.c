/* test_tune_cases.c: the relayouts that machines are tuned on, against shapes by hand. */
#include "cmocka_all.h"

#include <stdio.h>

#include "tune/cases.h"

typedef struct relayout_case {
  const char *dimensions;
  const char *from;
  const char *to;
} relayout_case;

/* Of words of 4 or 16 bytes; copies are of bytes. */
static void expect_case(const tune_case *made, const char *type, const relayout_case *expected) {
  const relayout_shape *const sides[] = {&made->from, &made->to};
  for (int i = 0; i < 2; i++) {
    char text[96];
    char wanted[96];
    snprintf(wanted, sizeof wanted, "%s[%s]{%s}", type, expected->dimensions,
             i == 0 ? expected->from : expected->to);
    assert_true(relayout_shape_format(sides[i], text, sizeof text) < sizeof text);
    assert_string_equal(text, wanted);
  }
}

/* 24 MiB of floats are 6291456; 2508 squared is the largest square below, of which four times and a
 * quarter are 10032 and 627, and 157 lines are the odd number about it. 1 MiB of c128 is 256
 * squared, and has lines of four. */
static void test_cases_by_hand(void **state) {
  (void)state;
  static const relayout_case floats[TUNE_KINDS][TUNE_CASES] = {
      [TUNE_CHANNELS] = {{"2097152,3", "1,0", "0,1"},
                         {"3,2097152", "1,0", "0,1"},
                         {"12288,4,128", "2,1,0", "1,2,0"}},
      [TUNE_CACHED] = {{"2512,2512", "1,0", "0,1"},
                       {"1003,49,128", "2,1,0", "1,2,0"},
                       {"1003,128,49", "2,1,0", "1,2,0"}},
      [TUNE_APART] = {{"627,10033", "1,0", "0,1"},
                      {"10033,627", "1,0", "0,1"},
                      {"1003,49,128", "2,1,0", "1,2,0"}},
      [TUNE_CROWDED] = {{"3072,2048", "1,0", "0,1"},
                        {"1536,4096", "1,0", "0,1"},
                        {"6144,1024", "1,0", "0,1"}},
      [TUNE_FAR] = {{"624,10032", "1,0", "0,1"},
                    {"10032,624", "1,0", "0,1"},
                    {"2512,2512", "1,0", "0,1"}},
      [TUNE_ANY] = {{"62,784,128", "2,1,0", "1,2,0"},
                    {"170,48,24,32", "3,2,1,0", "0,2,3,1"},
                    {"409,320,48", "2,1,0", "0,2,1"}}};
  static const relayout_case complex[TUNE_KINDS][TUNE_CASES] = {
      [TUNE_CHANNELS] = {{"21824,3", "1,0", "0,1"},
                         {"3,21824", "1,0", "0,1"},
                         {"512,4,32", "2,1,0", "1,2,0"}},
      [TUNE_CACHED] = {{"260,260", "1,0", "0,1"},
                       {"41,49,32", "2,1,0", "1,2,0"},
                       {"41,32,49", "2,1,0", "1,2,0"}},
      [TUNE_APART] = {{"65,1025", "1,0", "0,1"},
                      {"1025,65", "1,0", "0,1"},
                      {"41,49,32", "2,1,0", "1,2,0"}},
      [TUNE_CROWDED] = {{"128,512", "1,0", "0,1"},
                        {"64,1024", "1,0", "0,1"},
                        {"256,256", "1,0", "0,1"}},
      [TUNE_FAR] = {{"68,1028", "1,0", "0,1"},
                    {"1028,68", "1,0", "0,1"},
                    {"260,260", "1,0", "0,1"}},
      [TUNE_ANY] = {{"2,784,32", "2,1,0", "1,2,0"},
                    {"7,48,24,8", "3,2,1,0", "0,2,3,1"},
                    {"68,80,12", "2,1,0", "0,2,1"}}};
  for (int t = 0; t < TUNE_KINDS; ++t) {
    for (int i = 0; i < TUNE_CASES; ++i) {
      tune_case made;
      tune_case_make(t, i, 4, 24 << 20, &made);
      expect_case(&made, "u32", &floats[t][i]);
      tune_case_make(t, i, 16, 1 << 20, &made);
      expect_case(&made, "c128", &complex[t][i]);
    }
  }
}

static void test_samples_by_hand(void **state) {
  (void)state;
  static const relayout_case floats[TUNE_SAMPLES] = {
      {"2097152,3", "1,0", "0,1"},      {"3,2097152", "1,0", "0,1"},
      {"16,393216", "1,0", "0,1"},      {"9830,40,16", "2,1,0", "2,0,1"},
      {"2184,60,48", "2,1,0", "2,0,1"}, {"546,60,192", "2,1,0", "2,0,1"},
      {"409,20,768", "2,1,0", "2,0,1"}, {"6553,16,12,5", "3,2,1,0", "0,3,2,1"}};
  static const relayout_case complex[TUNE_SAMPLES] = {
      {"21845,3", "1,0", "0,1"},       {"3,21845", "1,0", "0,1"},
      {"16,4096", "1,0", "0,1"},       {"409,40,4", "2,1,0", "2,0,1"},
      {"91,60,12", "2,1,0", "2,0,1"},  {"22,60,48", "2,1,0", "2,0,1"},
      {"17,20,192", "2,1,0", "2,0,1"}, {"273,4,12,5", "3,2,1,0", "0,3,2,1"}};
  for (int i = 0; i < TUNE_SAMPLES; ++i) {
    tune_case made;
    tune_sample_make(i, 4, 24 << 20, &made);
    expect_case(&made, "u32", &floats[i]);
    tune_sample_make(i, 16, 1 << 20, &made);
    expect_case(&made, "c128", &complex[i]);
  }
}

/* Whole lines of bytes. */
static void test_copies_by_hand(void **state) {
  (void)state;
  static const relayout_case lines[] = {{"960", "0", "0"}, {"64", "0", "0"}, {"1024", "0", "0"}};
  static const int64_t sizes[] = {1000, 64, 1024};
  for (int i = 0; i < 3; ++i) {
    tune_case made;
    tune_copy_make(sizes[i], &made);
    expect_case(&made, "u8", &lines[i]);
  }
}

/* Every case is about as large as was asked for, and all of it moves. */
static void test_cases_fit(void **state) {
  (void)state;
  static const int64_t sizes[] = {1 << 20, 24 << 20, 1 << 28};
  for (int s = 0; s < 3; ++s) {
    for (int64_t word = 1; word <= 16; word *= 2) {
      for (int i = 0; i < TUNE_KINDS * TUNE_CASES + TUNE_SAMPLES; ++i) {
        tune_case made;
        size_t to_bytes = 0;
        if (i < TUNE_SAMPLES) {
          tune_sample_make(i, word, sizes[s], &made);
        } else {
          const int number = i - TUNE_SAMPLES;
          tune_case_make(number / TUNE_CASES, number % TUNE_CASES, word, sizes[s], &made);
        }
        const int64_t bytes = tune_case_bytes(&made);
        print_message("%d: %lld bytes of %lld-byte words\n", i, (long long)bytes, (long long)word);
        assert_true(bytes > sizes[s] / 2 && bytes < 2 * sizes[s]);
        assert_true(relayout_shape_byte_size(&made.to, &to_bytes, NULL) == RELAYOUT_OK);
        assert_int_equal(bytes, to_bytes);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cases_by_hand), cmocka_unit_test(test_samples_by_hand),
      cmocka_unit_test(test_copies_by_hand), cmocka_unit_test(test_cases_fit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
