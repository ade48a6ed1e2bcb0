/* test_turns.c: who takes turns, and for how long, by times that the test sets. */
#include "cmocka_all.h"

#include "search/turns.h"

enum { MOST = 4, MOST_ROUNDS = 8 };

/* What each candidate takes in each round; below 0: it fails. */
typedef struct race {
  double seconds[MOST][MOST_ROUNDS];
  int order[MOST * MOST_ROUNDS]; /* who ran, one after the other */
  int count;
} race;

static bool run(void *context, int32_t number, int32_t round, rlt_run_time *time) {
  race *const of = context;
  const double seconds = of->seconds[number][round];
  of->order[of->count++] = number;
  *time = (rlt_run_time){.counted = seconds, .taken = 2 * seconds};
  return seconds >= 0;
}

static double take_turns(race *of, rlt_turns how, rlt_timed *times) {
  how.run = run;
  how.context = of;
  of->count = 0;
  return rlt_take_turns(&how, times);
}

static void test_all_take_turns(void **state) {
  (void)state;
  race of = {.seconds = {{3, 2, 4}, {5, 6, 7}}};
  rlt_timed times[2];
  const double spent = take_turns(
      &of, (rlt_turns){.count = 2, .least_rounds = 1, .most_rounds = 3, .seconds = 100}, times);
  static const int order[] = {0, 1, 0, 1, 0, 1};
  assert_int_equal(of.count, 6);
  assert_memory_equal(of.order, order, sizeof order);
  assert_true(spent == 54);
  assert_true(times[0].least == 2 && times[0].runs == 3 && times[0].taken == 18);
  assert_true(times[1].least == 5 && times[1].runs == 3 && times[1].taken == 36);
  assert_false(times[0].is_out || times[1].is_out);
}

/* The first run counts where it is the only one. */
static void test_first_run_warms_up(void **state) {
  (void)state;
  race of = {.seconds = {{1, 3, 2}}};
  rlt_timed time;
  for (int32_t rounds = 1; rounds <= 3; ++rounds) {
    static const double warmed[] = {1, 3, 2};
    for (int warms_up = 0; warms_up < 2; ++warms_up) {
      take_turns(&of,
                 (rlt_turns){.count = 1,
                             .least_rounds = 1,
                             .most_rounds = rounds,
                             .warms_up = warms_up != 0,
                             .seconds = 100},
                 &time);
      assert_true(time.least == (warms_up ? warmed[rounds - 1] : 1));
      assert_int_equal(time.runs, rounds);
    }
  }
}

/* A run that begins within the time is finished; the least rounds are taken in any case. */
static void test_time_ends(void **state) {
  (void)state;
  static const struct {
    double seconds, seconds_each;
    int32_t least_rounds;
    int runs[2];
  } cases[] = {{100, 0, 1, {4, 4}}, {0, 0, 1, {1, 1}},    {0, 0, 2, {2, 2}},
               {8, 0, 1, {1, 1}},   {8.5, 0, 1, {2, 1}},  {10.5, 0, 1, {2, 2}},
               {100, 2, 1, {1, 1}}, {100, 4.5, 1, {3, 1}}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    race of = {.seconds = {{1, 1, 1, 1}, {3, 3, 3, 3}}};
    rlt_timed times[2];
    /* A run of the first takes two of the time, and one of the second six. */
    take_turns(&of,
               (rlt_turns){.count = 2,
                           .least_rounds = cases[i].least_rounds,
                           .most_rounds = 4,
                           .seconds = cases[i].seconds,
                           .seconds_each = cases[i].seconds_each},
               times);
    print_message("%g seconds, %g each\n", cases[i].seconds, cases[i].seconds_each);
    assert_int_equal(times[0].runs, cases[i].runs[0]);
    assert_int_equal(times[1].runs, cases[i].runs[1]);
  }
}

/* More than 1.6 times the best is out after one run, and more than 1.2 times after more, whichever
 * run was the faster; what is not compared stays. */
static void test_slow_candidates_are_out(void **state) {
  (void)state;
  static const struct {
    double first, later;
    int runs;
  } cases[] = {{1, 1, 8},       {1.6, 1.6, 2}, {1.61, 1.61, 1}, {1.2, 1.2, 8},
               {1.21, 1.21, 2}, {1.5, 1.1, 8}, {1.1, 1.5, 8},   {1, -1, 2}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    race of = {.count = 0};
    rlt_timed times[3];
    for (int round = 0; round < MOST_ROUNDS; ++round) {
      of.seconds[0][round] = 1;
      of.seconds[1][round] = round == 0 ? cases[i].first : cases[i].later;
      of.seconds[2][round] = 9;
    }
    take_turns(&of,
               (rlt_turns){.count = 3,
                           .least_rounds = 1,
                           .most_rounds = MOST_ROUNDS,
                           .seconds = 1000,
                           .compared = 2},
               times);
    print_message("%g and %g\n", cases[i].first, cases[i].later);
    assert_int_equal(times[0].runs, MOST_ROUNDS);
    assert_int_equal(times[1].runs, cases[i].later < 0 ? 1 : cases[i].runs);
    assert_int_equal(times[1].is_out, cases[i].runs < MOST_ROUNDS);
    assert_int_equal(times[2].runs, MOST_ROUNDS);
  }
}

/* One that fails has no further turn, and what it took before stays known. */
static void test_failures_are_out(void **state) {
  (void)state;
  race of = {.seconds = {{-1}, {2, -1, 1}}};
  rlt_timed times[2];
  take_turns(&of, (rlt_turns){.count = 2, .least_rounds = 1, .most_rounds = 5, .seconds = 100},
             times);
  assert_int_equal(of.count, 3);
  assert_true(times[0].is_out && times[0].runs == 0 && times[0].least == 0);
  assert_true(times[1].is_out && times[1].runs == 1 && times[1].least == 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_take_turns), cmocka_unit_test(test_first_run_warms_up),
      cmocka_unit_test(test_time_ends), cmocka_unit_test(test_slow_candidates_are_out),
      cmocka_unit_test(test_failures_are_out)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
