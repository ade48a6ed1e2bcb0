/* test_tune_finding.c: what is believed of times, pass after pass. */
#include "cmocka_all.h"

#include <math.h>

#include "tune/finding.h"

static void test_agreement(void **state) {
  (void)state;
  const tune_pass pass = {2, 1, true};
  static const struct {
    tune_pass other;
    bool agrees;
  } cases[] = {{{2, 1, true}, true},     {{2, 1, false}, false},    {{2.05, 1, true}, true},
               {{2.07, 1, true}, false}, {{1.95, 1, true}, true},   {{1.93, 1, true}, false},
               {{2, 1.029, true}, true}, {{2, 1.031, true}, false}, {{2, 0.972, true}, true},
               {{2, 0.97, true}, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    assert_int_equal(tune_passes_agree(&pass, &cases[i].other), cases[i].agrees);
    assert_int_equal(tune_passes_agree(&cases[i].other, &pass), cases[i].agrees);
  }
}

static void assert_close(double value, double expected) {
  if (!(fabs(value - expected) <= 1e-12)) {
    fail_msg("%.17g is not %.17g", value, expected);
  }
}

/* The last two passes decide; the speeds are those of mean times. */
static void test_verdicts(void **state) {
  (void)state;
  static const struct {
    int32_t count;
    tune_pass passes[3];
    tune_outcome outcome;
    double before, after, spread;
  } cases[] = {
      {2, {{2, 2, false}, {2, 2, false}}, TUNE_SAME, 0.5, 0.5, 0},
      {2, {{2, 1, true}, {2, 1, true}}, TUNE_FASTER, 0.5, 1, 0},
      {2, {{2, 1, true}, {2.4, 1.2, true}}, TUNE_FASTER, 1 / 2.2, 1 / 1.1, 0.2},
      {2, {{2, 1, true}, {3, 1.5, true}}, TUNE_UNCONFIRMED, 0.4, 0.4, 0.5},
      {2, {{2, 1, true}, {2, 1.3, true}}, TUNE_UNCONFIRMED, 0.5, 0.5, 0.3},
      {2, {{2, 1, true}, {2, 2, false}}, TUNE_UNCONFIRMED, 0.5, 0.5, 1},
      {2, {{2, 2, false}, {2, 1, true}}, TUNE_UNCONFIRMED, 0.5, 0.5, 1},
      {3, {{2, 4, false}, {2, 1, true}, {2, 1, true}}, TUNE_FASTER, 0.5, 0.5, 3},
      {3, {{2, 1, true}, {2, 1, true}, {2, 4, false}}, TUNE_UNCONFIRMED, 0.5, 0.5, 3},
      /* Two of a plain copy, as a busy machine had it: on either side. */
      {2, {{2, 0.5, true}, {2, 0.5, true}}, TUNE_NOISE, 0.5, 0.5, 0},
      {2, {{0.5, 2, false}, {0.5, 2, false}}, TUNE_NOISE, 2, 2, 0},
      {2, {{1, 0.9, true}, {1, 0.9, true}}, TUNE_FASTER, 1, 1 / 0.9, 0},
      {2, {{1, 0.86, true}, {1, 0.86, true}}, TUNE_NOISE, 1, 1, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    tune_finding made = {.what = "something"};
    print_message("case %zu\n", i);
    assert_true(tune_passes_judge(cases[i].passes, cases[i].count, &made));
    assert_int_equal(made.outcome, cases[i].outcome);
    assert_close(made.before, cases[i].before);
    assert_close(made.after, cases[i].after);
    assert_close(made.spread, cases[i].spread);
  }
}

static void test_passes_without_times(void **state) {
  (void)state;
  tune_finding made = {.what = "something"};
  const tune_pass passes[][2] = {{{0, 1, false}, {1, 1, false}}, {{1, 1, false}, {1, 0, false}}};
  assert_false(tune_passes_judge(passes[0], 2, &made));
  assert_false(tune_passes_judge(passes[1], 2, &made));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_agreement),
      cmocka_unit_test(test_verdicts),
      cmocka_unit_test(test_passes_without_times),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
