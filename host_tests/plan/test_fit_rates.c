/* test_fit_rates.c: rates found again from times that they made. */
#include "cmocka_all.h"

#include <math.h>

#include "plan/devices.h"
#include "problem/definition.h"
#include "search/fit_rates.h"

enum { SAMPLES = 200 };

static const char *const names[] = {"none",
#define RATE_NAME(name, text) text,
                                    RLT_RATE_TABLE(RATE_NAME)
#undef RATE_NAME
};

static double part(uint64_t *seed, double most) {
  return most * (double)definition_random(seed, 1000) / 1000;
}

/* Times by these rates, which differ by up to `noise`, of themselves. */
static void make_samples(const rlt_rates *rates, double noise, rlt_sample *samples) {
  uint64_t seed = 7;
  for (int i = 0; i < SAMPLES; ++i) {
    samples[i] = (rlt_sample){.known = 1};
    double time = 1;
    for (int r = 1; r < RLT_RATES; ++r) {
      samples[i].weights[r] = part(&seed, 5);
      time += samples[i].weights[r] * rates->of[r];
    }
    samples[i].time = time * (1 + part(&seed, 2 * noise) - noise);
  }
}

static void test_found_again(void **state) {
  (void)state;
  static const rlt_rates made = {{0, 0.05, 1, 0.02, 2, 0.3, 0.2, 0, 0.5, 0.1}};
  static const double noises[] = {0, 0.1};
  for (int n = 0; n < 2; ++n) {
    static rlt_sample samples[SAMPLES];
    rlt_rates found = {{0, 1, 1, 1, 1, 1, 1, 1, 1, 1}};
    make_samples(&made, noises[n], samples);
    rlt_rates_fit(samples, SAMPLES, &found);
    for (int r = 1; r < RLT_RATES; ++r) {
      const double most = 0.05 + 0.05 * made.of[r] + noises[n]; /* belief counts a little */
      print_message("%s: %g, made by %g\n", names[r], found.of[r], made.of[r]);
      assert_true(found.of[r] >= 0);
      assert_true(found.of[r] - made.of[r] < most && made.of[r] - found.of[r] < most);
    }
    assert_true(found.of[RLT_RATE_NONE] == 0);
  }
}

/* A rate that nothing asks for, and all of them where nothing was measured. */
static void test_what_is_not_asked_for_stays(void **state) {
  (void)state;
  static const rlt_rates before = {{0, 0.05, 1, 0.02, 2, 0.3, 0.2, 0.1, 0.5, 0.1}};
  static rlt_sample samples[SAMPLES];
  rlt_rates found = before;
  rlt_rates_fit(samples, 0, &found);
  assert_memory_equal(&found, &before, sizeof found);
  make_samples(&before, 0, samples);
  for (int i = 0; i < SAMPLES; ++i) {
    samples[i].time -= samples[i].weights[RLT_RATE_PAGE] * before.of[RLT_RATE_PAGE];
    samples[i].weights[RLT_RATE_PAGE] = 0;
  }
  found.of[RLT_RATE_PAGE] = 0.7;
  rlt_rates_fit(samples, SAMPLES, &found);
  assert_true(found.of[RLT_RATE_PAGE] > 0.699 && found.of[RLT_RATE_PAGE] < 0.701);
}

/* What took less time than by any rate: 0, not less. */
static void test_no_rate_is_below_0(void **state) {
  (void)state;
  rlt_sample samples[2] = {{.known = 1, .time = 0.5}, {.known = 1, .time = 0.25}};
  rlt_rates found = {{0, 0.05}};
  samples[0].weights[RLT_RATE_LINE_AGAIN] = 1;
  samples[1].weights[RLT_RATE_LINE_AGAIN] = 2;
  rlt_rates_fit(samples, 2, &found);
  assert_true(found.of[RLT_RATE_LINE_AGAIN] == 0);
}

static void assert_near(double found, double expected) {
  if (!(fabs(found - expected) <= 1e-9 * fabs(expected))) {
    fail_msg("%.17g is not %.17g", found, expected);
  }
}

/* Of a time of two a unit is left for two runs, half a unit each; but for what was believed of it,
 * which counts as a two-thousandth of all samples by the square of what it is, a hundredth at
 * least. */
static void test_belief_by_hand(void **state) {
  (void)state;
  static const struct {
    double before, found;
  } cases[] = {{1, (0.5 + 0.0005) / (1 + 0.0005)},     {0.5, 0.5},
               {0.1, (0.5 + 0.05 * 0.1) / (1 + 0.05)}, {0.01, (0.5 + 5 * 0.01) / (1 + 5)},
               {0.001, (0.5 + 5 * 0.001) / (1 + 5)},   {0, 0.5 / (1 + 5)}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    for (int64_t count = 1; count <= 3; ++count) { /* of equal samples, which make no difference */
      rlt_sample samples[3];
      rlt_rates rates = {.of = {[RLT_RATE_RUN] = cases[i].before}};
      for (int n = 0; n < 3; ++n) {
        samples[n] = (rlt_sample){.known = 1, .weights = {[RLT_RATE_RUN] = 2}, .time = 2};
      }
      rlt_rates_fit(samples, count, &rates);
      assert_near(rates.of[RLT_RATE_RUN], cases[i].found);
    }
  }
}

/* Errors count relative to the time: of what asks for one unit each, one of which takes 2 and the
 * other 4 of which 1 is known, 1 and 3 are left, and the first weighs four times as much. */
static void test_errors_are_relative(void **state) {
  (void)state;
  const rlt_sample samples[] = {{.known = 1, .weights = {[RLT_RATE_LINE] = 1}, .time = 2},
                                {.known = 1, .weights = {[RLT_RATE_LINE] = 1}, .time = 4}};
  rlt_rates rates = {.of = {[RLT_RATE_LINE] = 1.4}}; /* (4 * 1 + 3) / 5 */
  rlt_rates_fit(samples, 2, &rates);
  assert_near(rates.of[RLT_RATE_LINE], 1.4);
}

/* Of 2 and 4, of which 1 is known and a rate of 0.5 foretells half a unit: a quarter is left of the
 * one and five eighths of the other. */
static void test_errors_by_hand(void **state) {
  (void)state;
  const rlt_sample samples[] = {{.known = 1, .weights = {[RLT_RATE_LINE] = 1}, .time = 2},
                                {.known = 1, .weights = {[RLT_RATE_LINE] = 1}, .time = 4}};
  const rlt_rates rates = {.of = {[RLT_RATE_LINE] = 0.5}};
  assert_near(rlt_rates_error(samples, 2, &rates), 0.25 * 0.25 + 0.625 * 0.625);
  assert_near(rlt_rates_error(samples, 1, &rates), 0.25 * 0.25);
  assert_true(rlt_rates_error(samples, 0, &rates) == 0);
}

/* Counts by what each is paid by: a transposed block of 16 by 16 floats 16 times. */
static void test_samples_by_hand(void **state) {
  (void)state;
  const rlt_problem problem = {.element_bytes = 4};
  const rlt_schedule schedule = {
      .problem = &problem, .target = &rlt_cpu_target, .move = RLT_MOVE_TRANSPOSE};
  const rlt_cost cost = {
      .counts = {[RLT_COST_LINES_READ] = 90,
                 [RLT_COST_LINES_AGAIN] = 2,
                 [RLT_COST_LINES_WRITTEN] = 91,
                 [RLT_COST_LINES_IN_PARTS] = 3,
                 [RLT_COST_RUNS] = 5,
                 [RLT_COST_STRAIGHT_RUNS] = 7,
                 [RLT_COST_MOVES] = 11,
                 [RLT_COST_TILES] = 13,
                 [RLT_COST_PAGES] = 17},
      .times =
          {[RLT_COST_LINES_READ] = 0.5, [RLT_COST_LINES_WRITTEN] = 0.75, [RLT_COST_RUNS] = 100},
      .least_time = 10};
  const rlt_sample made = rlt_sample_of(&cpu_facts, &schedule, &cost, 3);
  static const double weights[RLT_RATES] = {[RLT_RATE_LINE_AGAIN] = 0.2,
                                            [RLT_RATE_LINE_IN_PARTS] = 0.3,
                                            [RLT_RATE_RUN] = 0.5,
                                            [RLT_RATE_STRAIGHT_RUN] = 0.7,
                                            [RLT_RATE_TRANSPOSED_LINE] = 11 * 16 / 10.,
                                            [RLT_RATE_TILE] = 1.3,
                                            [RLT_RATE_PAGE] = 1.7};
  for (int r = 1; r < RLT_RATES; ++r) {
    print_message("%s\n", names[r]);
    assert_near(made.weights[r], weights[r]);
  }
  assert_near(made.known, 1.25);
  assert_near(made.time, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_found_again),
      cmocka_unit_test(test_what_is_not_asked_for_stays),
      cmocka_unit_test(test_no_rate_is_below_0),
      cmocka_unit_test(test_belief_by_hand),
      cmocka_unit_test(test_errors_are_relative),
      cmocka_unit_test(test_errors_by_hand),
      cmocka_unit_test(test_samples_by_hand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
