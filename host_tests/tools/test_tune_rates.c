/* test_tune_rates.c: rates found again from times that they made. */
#include "cmocka_all.h"

#include <math.h>
#include <string.h>

#include "plan/recorder.h"
#include "problem/definition.h"
#include "tune/rates.h"

enum { SAMPLES = 200 };

/* As the tool numbers them. */
enum { AGAIN, IN_PARTS, RUN, STRAIGHT_RUN, TRANSPOSED, LINE, ELEMENT, TILE, PAGE, REWORKED };

static double part(uint64_t *seed, double most) {
  return most * (double)definition_random(seed, 1000) / 1000;
}

/* Times by these rates, which differ by up to `noise`, of themselves. */
static void make_samples(const tune_rates *rates, double noise, tune_sample *samples) {
  uint64_t seed = 7;
  for (int i = 0; i < SAMPLES; ++i) {
    samples[i] = (tune_sample){.known = 1};
    double time = 1;
    for (int r = 0; r < TUNE_RATES; ++r) {
      samples[i].weights[r] = part(&seed, 5);
      time += samples[i].weights[r] * rates->of[r];
    }
    samples[i].time = time * (1 + part(&seed, 2 * noise) - noise);
  }
}

static void test_found_again(void **state) {
  (void)state;
  static const tune_rates made = {{0.05, 1, 0.02, 2, 0.3, 0.2, 0, 0.5, 0.1, 0}};
  static const double noises[] = {0, 0.1};
  for (int n = 0; n < 2; ++n) {
    static tune_sample samples[SAMPLES];
    tune_rates found = {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}};
    make_samples(&made, noises[n], samples);
    tune_rates_fit(samples, SAMPLES, &found);
    for (int r = 0; r < TUNE_RATES; ++r) {
      const double most = 0.05 + 0.05 * made.of[r] + noises[n]; /* belief counts a little */
      print_message("rate %d: %g, made by %g\n", r, found.of[r], made.of[r]);
      assert_true(found.of[r] >= 0);
      assert_true(found.of[r] - made.of[r] < most && made.of[r] - found.of[r] < most);
    }
  }
}

/* A rate that nothing asks for, and all of them where nothing was measured. */
static void test_what_is_not_asked_for_stays(void **state) {
  (void)state;
  static const tune_rates before = {{0.05, 1, 0.02, 2, 0.3, 0.2, 0.1, 0.5, 0.1, 0.4}};
  static tune_sample samples[SAMPLES];
  tune_rates found = before;
  tune_rates_fit(samples, 0, &found);
  assert_memory_equal(&found, &before, sizeof found);
  make_samples(&before, 0, samples);
  for (int i = 0; i < SAMPLES; ++i) {
    samples[i].time -= samples[i].weights[PAGE] * before.of[PAGE];
    samples[i].weights[PAGE] = 0;
  }
  found.of[PAGE] = 0.7;
  tune_rates_fit(samples, SAMPLES, &found);
  assert_true(found.of[PAGE] > 0.699 && found.of[PAGE] < 0.701);
}

/* What took less time than by any rate: 0, not less. */
static void test_no_rate_is_below_0(void **state) {
  (void)state;
  tune_sample samples[2] = {{.known = 1, .time = 0.5}, {.known = 1, .time = 0.25}};
  tune_rates found = {{0.05}};
  samples[0].weights[AGAIN] = 1;
  samples[1].weights[AGAIN] = 2;
  tune_rates_fit(samples, 2, &found);
  assert_true(found.of[AGAIN] == 0);
}

static void assert_near(double found, double expected) {
  if (!(fabs(found - expected) <= 1e-9 * fabs(expected))) {
    fail_msg("%.17g is not %.17g", found, expected);
  }
}

/* Of a time of two a unit is left for two runs, half a unit each; but for what was believed of it,
 * which counts as a four-thousandth of all samples by the square of what it is, a hundredth at
 * least. */
static void test_belief_by_hand(void **state) {
  (void)state;
  static const struct {
    double before, found;
  } cases[] = {{1, (0.5 + 0.00025) / (1 + 0.00025)},     {0.5, 0.5},
               {0.1, (0.5 + 0.025 * 0.1) / (1 + 0.025)}, {0.01, (0.5 + 2.5 * 0.01) / (1 + 2.5)},
               {0.001, (0.5 + 2.5 * 0.001) / (1 + 2.5)}, {0, 0.5 / (1 + 2.5)}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    for (int64_t count = 1; count <= 3; ++count) { /* of equal samples, which make no difference */
      tune_sample samples[3];
      tune_rates rates = {.of = {[RUN] = cases[i].before}};
      for (int n = 0; n < 3; ++n) {
        samples[n] = (tune_sample){.known = 1, .weights = {[RUN] = 2}, .time = 2};
      }
      tune_rates_fit(samples, count, &rates);
      assert_near(rates.of[RUN], cases[i].found);
    }
  }
}

/* Errors count relative to the time: of what asks for one unit each, one of which takes 2 and the
 * other 4 of which 1 is known, 1 and 3 are left, and the first weighs four times as much. */
static void test_errors_are_relative(void **state) {
  (void)state;
  const tune_sample samples[] = {{.known = 1, .weights = {[LINE] = 1}, .time = 2},
                                 {.known = 1, .weights = {[LINE] = 1}, .time = 4}};
  tune_rates rates = {.of = {[LINE] = 1.4}}; /* (4 * 1 + 3) / 5 */
  tune_rates_fit(samples, 2, &rates);
  assert_near(rates.of[LINE], 1.4);
}

/* Of 2 and 4, of which 1 is known and a rate of 0.5 foretells half a unit: a quarter is left of the
 * one and five eighths of the other. */
static void test_errors_by_hand(void **state) {
  (void)state;
  const tune_sample samples[] = {{.known = 1, .weights = {[LINE] = 1}, .time = 2},
                                 {.known = 1, .weights = {[LINE] = 1}, .time = 4}};
  const tune_rates rates = {.of = {[LINE] = 0.5}};
  assert_near(tune_rates_error(samples, 2, &rates), 0.25 * 0.25 + 0.625 * 0.625);
  assert_near(tune_rates_error(samples, 1, &rates), 0.25 * 0.25);
  assert_true(tune_rates_error(samples, 0, &rates) == 0);
}

/* A matrix of 1024 by 1024 floats has 65536 lines, and is past the cache of 1 MiB: all lines are
 * read and written once, as a copy does it, and each is one of a transposed block of 16 by 16. */
static void test_sample_of_a_plan(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_cpu_device(&record);
  relayout_shape from, to;
  relayout_plan *plan;
  tune_sample made;
  assert_int_equal(relayout_shape_parse("f32[1024,1024]", &from, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_shape_parse("f32[1024,1024]{0,1}", &to, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  assert_true(tune_sample_of(plan, 3, &made));
  assert_int_equal(made.word, 4);
  assert_near(made.known, 1);
  assert_near(made.time, 3);
  assert_near(made.weights[TRANSPOSED], 1);
  assert_true(made.weights[TILE] > 0 && made.weights[PAGE] > 0 && made.weights[RUN] > 0);
  assert_true(made.weights[AGAIN] == 0 && made.weights[IN_PARTS] == 0 &&
              made.weights[STRAIGHT_RUN] == 0 && made.weights[LINE] == 0 &&
              made.weights[ELEMENT] == 0 && made.weights[REWORKED] == 0);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* Ragged tiles make a plan of several parts; an empty one has none. */
static void test_no_sample_of_other_plans(void **state) {
  (void)state;
  static const char *const shapes[][2] = {{"f32[0]", "f32[0]"},
                                          {"f32[1000,1000]{1,0:T(8,128)}", "f32[1000,1000]"}};
  recorder record;
  relayout_device *const device = recorder_cpu_device(&record);
  for (int i = 0; i < 2; ++i) {
    relayout_shape from, to;
    relayout_plan *plan;
    tune_sample made;
    assert_int_equal(relayout_shape_parse(shapes[i][0], &from, NULL), RELAYOUT_OK);
    assert_int_equal(relayout_shape_parse(shapes[i][1], &to, NULL), RELAYOUT_OK);
    assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
    assert_int_not_equal(relayout_plan_part_count(plan), 1);
    assert_false(tune_sample_of(plan, 1, &made));
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(device);
}

/* In the line of their word size, and in no other. */
static void test_rates_in_rows(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_cpu_device(&record);
  static const tune_rates made = {{0.05, 1, 0.02, 2, 0.3, 0.2, 0.1, 0.5, 0.125, 1e-6}};
  tune_row row;
  assert_true(tune_row_read(device, &row));
  assert_true(tune_rates_write(&made, 8, &row));
  for (int32_t word = 1; word <= 16; word *= 2) {
    tune_rates found;
    tune_rates_read(&row, word, &found);
    for (int r = 0; r < TUNE_RATES; ++r) {
      assert_true(found.of[r] == (word == 8 ? made.of[r] : 0));
    }
  }
  assert_non_null(strstr(row.text, "\nword 8 rates line_again=0.05 line_in_parts=1 run=0.02 "));
  assert_false(tune_rates_write(&made, 3, &row));
  assert_int_equal(relayout_device_set_tuning(device, row.text, NULL), RELAYOUT_OK);
  relayout_device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_found_again),
      cmocka_unit_test(test_what_is_not_asked_for_stays),
      cmocka_unit_test(test_no_rate_is_below_0),
      cmocka_unit_test(test_belief_by_hand),
      cmocka_unit_test(test_errors_are_relative),
      cmocka_unit_test(test_errors_by_hand),
      cmocka_unit_test(test_sample_of_a_plan),
      cmocka_unit_test(test_no_sample_of_other_plans),
      cmocka_unit_test(test_rates_in_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
