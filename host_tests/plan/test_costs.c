/* test_costs.c: what plans say that they pay for. */
#include "cmocka_all.h"

#include <math.h>
#include <string.h>

#include "plan/recorder.h"
#include "relayout/relayout.h"
#include "search/cost.h"

typedef struct costs {
  int count;
  relayout_cost of[RLT_COST_TERMS];
} costs;

static void note(void *context, const relayout_cost *cost) {
  costs *const made = context;
  assert_in_range(made->count, 0, RLT_COST_TERMS - 1);
  made->of[made->count++] = *cost;
}

static relayout_plan *plan_between(relayout_device *device, const char *from, const char *to) {
  relayout_shape shapes[2];
  relayout_plan *plan;
  assert_int_equal(relayout_shape_parse(from, &shapes[0], NULL), RELAYOUT_OK);
  assert_int_equal(relayout_shape_parse(to, &shapes[1], NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_create(device, &shapes[0], &shapes[1], NULL, &plan, NULL),
                   RELAYOUT_OK);
  return plan;
}

/* A matrix of 1024 by 1024 floats has 65536 lines of 64 bytes, which are read and written once, and
 * 4096 blocks of 16 by 16, each of which is as many lines. Nothing else takes time by the rates
 * here, but tiles and pages by what they are. */
static void test_costs_by_hand(void **state) {
  (void)state;
  static const struct {
    const char *name, *rate;
    double count, weight, time;
  } cases[] = {{"lines read", NULL, 65536, 0, 0.5},
               {"lines again", "line_again", 0, 0, 0},
               {"lines written", NULL, 65536, 0, 0.5},
               {"lines in parts", "line_in_parts", 0, 0, 0},
               {"moves", "transposed_line", 4096, 1, 0.25}};
  recorder record;
  relayout_device *const device = recorder_cpu_device(&record);
  rlt_tuning tuning = *device->tuning;
  tuning.words[2].rates.of[RLT_RATE_LINE_AGAIN] = 1; /* or what reads by elements is chosen */
  tuning.words[2].rates.of[RLT_RATE_TRANSPOSED_LINE] = 0.25;
  device->tuning = &tuning;
  relayout_plan *const plan = plan_between(device, "f32[1024,1024]", "f32[1024,1024]{0,1}");
  costs made = {.count = 0};
  double time = 0;
  assert_int_equal(relayout_plan_visit_costs(plan, 0, note, &made, NULL), RELAYOUT_OK);
  assert_int_equal(made.count, RLT_COST_TERMS);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    int at = 0;
    while (strcmp(made.of[at].name, cases[i].name) != 0) {
      assert_in_range(++at, 1, RLT_COST_TERMS - 1);
    }
    const relayout_cost *const cost = &made.of[at];
    print_message("%s %g %g %g\n", cost->name, cost->count, cost->weight, cost->time);
    assert_int_equal(cost->struct_size, sizeof *cost);
    assert_true(cases[i].rate == NULL ? cost->rate == NULL
                                      : strcmp(cost->rate, cases[i].rate) == 0);
    assert_true(cost->count == cases[i].count && cost->weight == cases[i].weight);
    assert_true(cost->time == cases[i].time);
  }
  for (int i = 0; i < made.count; ++i) {
    time += made.of[i].time;
  }
  assert_true(fabs(1 / time - relayout_plan_get_predicted_fraction(plan)) < 1e-12);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

static void test_refused(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_cpu_device(&record);
  relayout_plan *const plan = plan_between(device, "f32[64,64]", "f32[64,64]{0,1}");
  costs made = {.count = 0};
  relayout_error error;
  assert_int_equal(relayout_plan_visit_costs(NULL, 0, note, &made, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "plan is NULL");
  assert_int_equal(relayout_plan_visit_costs(plan, 0, NULL, &made, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "visitor is NULL");
  for (int32_t part = -1; part <= 1; part += 2) {
    assert_int_equal(relayout_plan_visit_costs(plan, part, note, &made, &error),
                     RELAYOUT_INVALID_ARGUMENT);
    assert_string_equal(error.message, part < 0 ? "part is -1, out of range for a plan of 1 parts"
                                                : "part is 1, out of range for a plan of 1 parts");
  }
  assert_int_equal(made.count, 0);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_costs_by_hand),
                                     cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
