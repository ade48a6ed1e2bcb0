/* test_fit_rates.c: rates found again from times that they made. */
#include "cmocka_all.h"

#include "plan/fit_rates.h"
#include "problem/definition.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_found_again),
      cmocka_unit_test(test_what_is_not_asked_for_stays),
      cmocka_unit_test(test_no_rate_is_below_0),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
