/* test_tune_threads.c: how work is shared out to threads, found from times that the test sets: who
 * runs when and where, what is clearly faster, and what is told of it. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "fake_target.h"
#include "plan/fake_clock.h"
#include "tune/threads.h"

enum {
  SIDE_BYTES = 64 << 20,
  GRAINS = 7,
  PROBLEMS_OF_GRAIN = 6,
  TURNS = 9,
  MOST_FIELD = 8,
  BLOCKS = 8
};

/* Far longer than anything here takes. */
static const double enough = 1000;

/* What a run takes by who it is: the number in its field, where those of each problem take turns,
 * two copies last; and what else there is to know. */
static struct {
  int count;                  /* in a field, with the copies */
  double seconds[MOST_FIELD]; /* each one's, */
  int fails_from;             /* or it fails from the run with this number on; 0: never */
  double takes;               /* by the clock */
} times;

static double by_place_in_field(const recorded_run *run) {
  fake_clock_advance(times.takes);
  if (times.fails_from > 0 && run->number >= times.fails_from) {
    return -1;
  }
  return times.seconds[run->number % times.count];
}

typedef struct bench {
  fake_target target;
  tune_field field;
  tune_row row;
} bench;

static void set_shares(bench *of, int64_t bytes, int32_t blocks) {
  char value[TUNE_VALUE_SIZE];
  snprintf(value, sizeof value, "%" PRId64, bytes);
  assert_true(tune_row_set(&of->row, "", "thread_bytes", value));
  snprintf(value, sizeof value, "%" PRId32, blocks);
  assert_true(tune_row_set(&of->row, "", "thread_blocks", value));
}

static void expect_shares(const bench *of, int64_t bytes, int32_t blocks) {
  assert_true(tune_row_get_number(&of->row, "", "thread_bytes") == (double)bytes);
  assert_true(tune_row_get_number(&of->row, "", "thread_blocks") == blocks);
}

/* With eight blocks for a thread and a row's bytes for the second one. */
static void set_up(bench *made, double (*seconds)(const recorded_run *run), int64_t bytes) {
  fake_target_create(&made->target);
  made->target.record.seconds = seconds;
  made->target.base.reserve(&made->target.base, SIDE_BYTES, SIDE_BYTES, NULL);
  made->field = (tune_field){.target = &made->target.base, .side_bytes = SIDE_BYTES};
  assert_true(tune_row_read(made->target.base.device, &made->row));
  set_shares(made, bytes, BLOCKS);
}

static void tear_down(bench *dropped) {
  fake_target_destroy(&dropped->target);
}

static void assert_near(double found, double expected) {
  if (!(fabs(found - expected) <= 1e-9 * expected)) {
    fail_msg("%.17g is not %.17g", found, expected);
  }
}

/* ---- What a second thread is worth ---- */

/* One thread, two, and a copy by either: copies count by the faster. A grain is six problems, and
 * the row's own mebibyte is the fifth grain, so that it does four alone. */
static void test_bytes_by_hand(void **state) {
  (void)state;
  static const struct {
    double alone, together;
    int64_t bytes, found;
    double before, after; /* of all 42 problems, a copy being half a second */
  } cases[] = {
      {3, 2, 1 << 20, 64 << 10, 6 * (4 * 6 + 3 * 4), 6 * 7 * 4},
      {2, 3, 1 << 20, 8 << 20, 6 * (4 * 4 + 3 * 6), 6 * 7 * 4},
      {3, 2, 64 << 10, 64 << 10, 6 * 7 * 4, 6 * 7 * 4},
      {3, 2, 1 << 10, 1 << 10, 6 * 7 * 4, 6 * 7 * 4}, /* less than any grain stays as it is */
      {2, 3, 8 << 20, 8 << 20, 6 * 7 * 4, 6 * 7 * 4},
      {2, 3, (4 << 20) + 1, (4 << 20) + 1, 6 * 7 * 4, 6 * 7 * 4}, /* more than that: none */
      {2, 3, 4 << 20, 8 << 20, 6 * (6 * 4 + 6), 6 * 7 * 4},
      /* Less than three hundredths are noise. */
      {1.04, 1, 1 << 20, 64 << 10, 12 * (4 * 1.04 + 3), 12 * 7},
      {1.02, 1, 1 << 20, 1 << 20, 12 * (4 * 1.02 + 3), 12 * (4 * 1.02 + 3)},
      {1, 1.04, 1 << 20, 8 << 20, 12 * (4 + 3 * 1.04), 12 * 7},
      {1, 1.02, 1 << 20, 1 << 20, 12 * (4 + 3 * 1.02), 12 * (4 + 3 * 1.02)},
  };
  for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; ++i) {
    const bool last_copy_is_fast = i % 2 == 0;
    bench on;
    print_message("%g alone, %g together\n", cases[i / 2].alone, cases[i / 2].together);
    times.count = 4;
    times.seconds[0] = cases[i / 2].alone;
    times.seconds[1] = cases[i / 2].together;
    times.seconds[2] = last_copy_is_fast ? 0.75 : 0.5;
    times.seconds[3] = last_copy_is_fast ? 0.5 : 0.75;
    set_up(&on, by_place_in_field, cases[i / 2].bytes);
    const tune_times found = tune_thread_bytes(&on.field, enough, &on.row);
    assert_int_equal(found.count, GRAINS * PROBLEMS_OF_GRAIN);
    expect_shares(&on, cases[i / 2].found, BLOCKS);
    assert_near(found.before, cases[i / 2].before);
    assert_near(found.after, cases[i / 2].after);
    assert_int_equal(on.target.moves, GRAINS * PROBLEMS_OF_GRAIN * TURNS * 4);
    tear_down(&on);
  }
}

/* Each case of tiles in the cache twice, on bytes that stay and on others. */
static double where_and_by_whom(const recorded_run *run) {
  const int in_field = run->number % 4;
  const int problem = run->number / (4 * TURNS);
  const int grain = problem / PROBLEMS_OF_GRAIN;
  const bool stays = problem % 2 == 0;
  const rlt_schedule *const schedule = run->schedule;
  tune_case expected;
  tune_case_make(TUNE_CACHED, problem % PROBLEMS_OF_GRAIN / 2, 4, INT64_C(2) << (16 + grain),
                 &expected);
  if (in_field < 2) {
    assert_int_equal(rlt_problem_source_size(schedule->problem), tune_case_bytes(&expected));
    assert_int_not_equal(schedule->move, RLT_MOVE_COPY);
  } else {
    assert_int_equal(schedule->move, RLT_MOVE_COPY);
    assert_int_equal(rlt_problem_source_size(schedule->problem),
                     tune_case_bytes(&expected) / 64 * 64);
  }
  assert_int_equal(schedule->threads, 1 + in_field % 2);
  assert_int_equal(run->offsets.source, run->offsets.destination);
  assert_int_equal(run->offsets.source % 4096, 0);
  assert_true(!stays || run->offsets.source == 0);
  return stays || run->offsets.source > 0 ? 1 : 2; /* the first place is rarely the next one */
}

static void test_who_takes_turns(void **state) {
  (void)state;
  bench on;
  set_up(&on, where_and_by_whom, 1 << 20);
  on.target.base.device->facts.threads = 8; /* of which two are asked for */
  /* The shortest copies have two tiles as well. */
  assert_true(tune_row_set(&on.row, "", "straight_columns_bytes", "16384"));
  const tune_times found = tune_thread_bytes(&on.field, enough, &on.row);
  assert_near(found.before, GRAINS * PROBLEMS_OF_GRAIN); /* each has been elsewhere */
  /* All rest before they run, so that threads have to be woken. */
  assert_int_equal(fake_clock_rests(), on.target.moves);
  assert_near(fake_clock_rested(), 300e-6 * on.target.moves);
  tear_down(&on);
}

/* The time that is left goes evenly to the grains that are left, and a run that has begun is
 * finished. A grain whose time is over at once has a turn on each problem all the same. */
static void test_bytes_in_time(void **state) {
  (void)state;
  static const struct {
    double end;
    int count; /* of grains */
  } cases[] = {{0, 0}, {-1, 0}, {1e-9, 1}, {0.024, 1}, {0.026, 2}, {0.049, 2}, {0.2, 5}, {2, 7}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    bench on;
    times.count = 4;
    times.seconds[0] = 3;
    times.seconds[1] = times.seconds[2] = times.seconds[3] = 2;
    times.takes = 0.7e-3; /* a millisecond with the rest before: four for a turn of all */
    set_up(&on, by_place_in_field, 1 << 20);
    const tune_times found = tune_thread_bytes(&on.field, cases[i].end, &on.row);
    print_message("%g s: %d grains\n", cases[i].end, found.count / PROBLEMS_OF_GRAIN);
    assert_int_equal(found.count, cases[i].count * PROBLEMS_OF_GRAIN);
    /* Without the grain below its own nobody knows of less. A time that ends amid the candidates'
     * turns leaves the next ones other times, as these go by how many runs there were. */
    if (cases[i].count != 5) {
      expect_shares(&on, cases[i].count < 4 ? 1 << 20 : 64 << 10, BLOCKS);
    }
    assert_true(fake_clock_seconds() < (cases[i].end > 0 ? cases[i].end : 0) + 0.0241);
    times.takes = 0;
    tear_down(&on);
  }
}

/* A grain counts when all of its problems have run. What is known of less is enough to go there. */
static void test_bytes_until_one_fails(void **state) {
  (void)state;
  enum { GRAIN_RUNS = PROBLEMS_OF_GRAIN * TURNS * 4 };
  static const struct {
    int fails_from;
    int count; /* of grains */
    int64_t found;
  } cases[] = {{1, 0, 256 << 10},
               {GRAIN_RUNS - 4 * TURNS + 1, 0, 256 << 10},
               {2 * GRAIN_RUNS, 2, 64 << 10}, /* the grain below its own is the second */
               {GRAIN_RUNS, 1, 256 << 10}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    bench on;
    times.count = 4;
    times.seconds[0] = 3;
    times.seconds[1] = times.seconds[2] = times.seconds[3] = 2;
    times.fails_from = cases[i].fails_from;
    set_up(&on, by_place_in_field, 256 << 10); /* the third */
    const tune_times found = tune_thread_bytes(&on.field, enough, &on.row);
    assert_int_equal(found.count, cases[i].count * PROBLEMS_OF_GRAIN);
    expect_shares(&on, cases[i].found, BLOCKS);
    times.fails_from = 0;
    tear_down(&on);
  }
}

/* ---- Blocks of a thread ---- */

/* The row's own and 2, 4, 8, 16 and 32, on three problems, in units of the faster copy. */
static void test_blocks_by_hand(void **state) {
  (void)state;
  static const struct {
    double seconds[6];
    int32_t found;
    double before, after; /* of a problem, a copy being half a second */
  } cases[] = {
      {{4, 3, 2, 5, 3, 2}, 4, 8, 4}, /* the first of equals */
      {{4, 3, 2, 5, 3, 1.99}, 32, 8, 3.98},   {{4, 1, 2, 5, 3, 2}, 2, 8, 2},
      {{4, 2, 2, 1, 3, 2}, 8, 8, 2},          {{4, 2, 2, 2, 1.5, 2}, 16, 8, 3},
      {{1, 1, 1, 1, 1, 1}, 5, 2, 2},          {{1, 0.98, 1, 1, 1, 1}, 5, 2, 2}, /* noise */
      {{1, 0.96, 1, 1, 1, 0.95}, 32, 2, 1.9}, {{1, 2, 2, 2, 2, 2}, 5, 2, 2},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    bench on;
    times.count = 8;
    for (int n = 0; n < 6; ++n) {
      times.seconds[n] = cases[i].seconds[n];
    }
    times.seconds[6] = i % 2 == 0 ? 0.5 : 0.625;
    times.seconds[7] = i % 2 == 0 ? 0.625 : 0.5;
    set_up(&on, by_place_in_field, 1 << 20);
    set_shares(&on, 1 << 20, 5);
    const tune_times found = tune_thread_blocks(&on.field, enough, &on.row);
    assert_int_equal(found.count, 3);
    expect_shares(&on, 1 << 20, cases[i].found);
    assert_near(found.before, 3 * cases[i].before);
    assert_near(found.after, 3 * cases[i].after);
    assert_int_equal(on.target.moves, 3 * TURNS * 8);
    tear_down(&on);
  }
}

static int64_t case_bytes; /* that are expected */

/* Large problems of three kinds, none of which stays where it is. */
static double of_three_kinds(const recorded_run *run) {
  static const int kinds[] = {TUNE_CROWDED, TUNE_FAR, TUNE_ANY};
  static size_t last;
  tune_case expected;
  tune_case_make(kinds[run->number / (8 * TURNS)], 0, 4, case_bytes, &expected);
  const int64_t bytes = tune_case_bytes(&expected);
  assert_int_equal(rlt_problem_source_size(run->schedule->problem),
                   run->number % 8 < 6 ? bytes : bytes / 64 * 64);
  assert_true(run->number == 0 || run->offsets.source != last);
  last = run->offsets.source;
  return 1;
}

static void test_problems_of_blocks(void **state) {
  (void)state;
  static const int64_t sides[][2] = {{64 << 20, 24 << 20}, {40 << 20, 20 << 20}};
  for (int i = 0; i < 2; ++i) {
    bench on;
    set_up(&on, of_three_kinds, 1 << 20);
    on.field.side_bytes = sides[i][0];
    case_bytes = sides[i][1];
    const tune_times found = tune_thread_blocks(&on.field, enough, &on.row);
    assert_int_equal(found.count, 3);
    tear_down(&on);
  }
}

/* Nothing is told, and nothing changes, unless all three have had a turn. */
static void test_blocks_in_time(void **state) {
  (void)state;
  static const struct {
    double end;
    int fails_from;
    bool finds;
    double most; /* that it may take: a turn more than there was time for */
  } cases[] = {{0, 0, false, 0},          {0.0079, 0, false, 0.008},  {0.0161, 0, true, 0.0241},
               {0.0301, 0, true, 0.0381}, {enough, 1, false, 0.0725}, {enough, 0, true, 0.217}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    bench on;
    times.count = 8;
    for (int n = 0; n < 8; ++n) {
      times.seconds[n] = n == 0 ? 2 : 1;
    }
    times.fails_from = cases[i].fails_from;
    times.takes = 0.7e-3; /* eight milliseconds for a turn of all */
    set_up(&on, by_place_in_field, 1 << 20);
    set_shares(&on, 1 << 20, 5);
    const tune_times found = tune_thread_blocks(&on.field, cases[i].end, &on.row);
    assert_int_equal(found.count, cases[i].finds ? 3 : 0);
    expect_shares(&on, 1 << 20, cases[i].finds ? 2 : 5);
    assert_true(fake_clock_seconds() < cases[i].most + 1e-6);
    times.takes = 0;
    times.fails_from = 0;
    tear_down(&on);
  }
}

/* Of whom a clock sees no time, nothing is told, whoever it is. */
static void test_no_time_tells_nothing(void **state) {
  (void)state;
  for (int who = 0; who < 8; ++who) {
    bench on;
    times.count = who < 4 ? 4 : 8;
    for (int n = 0; n < MOST_FIELD; ++n) {
      times.seconds[n] = n == (who < 4 ? who : 2 * (who - 4) + 1) ? 0 : 3 - n / 4.;
    }
    set_up(&on, by_place_in_field, 1 << 20);
    set_shares(&on, 1 << 20, 5);
    const tune_times found = who < 4 ? tune_thread_bytes(&on.field, enough, &on.row)
                                     : tune_thread_blocks(&on.field, enough, &on.row);
    assert_int_equal(found.count, 0);
    expect_shares(&on, 1 << 20, 5);
    tear_down(&on);
  }
}

/* ---- By what schedules are ---- */

static int64_t bytes_of(const recorded_run *run) {
  return (int64_t)rlt_problem_source_size(run->schedule->problem);
}

/* A second thread takes half of the bytes, and as long to wake as 320 KiB to move. */
static double waking(const recorded_run *run) {
  const int32_t threads = run->schedule->threads;
  return 1e-9 * ((double)bytes_of(run) / threads + (threads - 1) * 320 * 1024);
}

/* Threads that are always awake, or never wake up. */
static double sharing(const recorded_run *run) {
  return 1e-9 * (double)bytes_of(run) / run->schedule->threads;
}

static double alone(const recorded_run *run) {
  return 1e-9 * (double)bytes_of(run) * run->schedule->threads;
}

/* Half a mebibyte is the first power of two that is worth it; else the least and the most. */
static void test_finds_what_threads_are_worth(void **state) {
  (void)state;
  static const struct {
    double (*seconds)(const recorded_run *run);
    int64_t before, after;
  } cases[] = {{waking, 1 << 20, 512 << 10},   {waking, 64 << 10, 512 << 10},
               {waking, 512 << 10, 512 << 10}, {waking, 8 << 20, 512 << 10},
               {sharing, 1 << 20, 64 << 10},   {alone, 1 << 20, 8 << 20}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    bench on;
    set_up(&on, cases[i].seconds, cases[i].before);
    tune_thread_bytes(&on.field, enough, &on.row);
    expect_shares(&on, cases[i].after, BLOCKS);
    tear_down(&on);
  }
}

/* Those inside of a block. */
static double tiles_together(const recorded_run *run) {
  double tiles = 1;
  for (int32_t i = 0; i < run->schedule->loops.inner_count; ++i) {
    tiles *= (double)run->schedule->loops.inside[i];
  }
  return tiles;
}

static double by_small_blocks(const recorded_run *run) {
  return 1e-3 * (1 + 1e-6 * tiles_together(run) * (double)bytes_of(run));
}

static double by_large_blocks(const recorded_run *run) {
  return 1e-3 / (1 + tiles_together(run));
}

static void test_finds_how_many_blocks_threads_take(void **state) {
  (void)state;
  bench on;
  set_up(&on, by_small_blocks, 1 << 20);
  tune_thread_blocks(&on.field, enough, &on.row);
  expect_shares(&on, 1 << 20, 32);
  on.target.record.seconds = by_large_blocks;
  tune_thread_blocks(&on.field, enough, &on.row);
  expect_shares(&on, 1 << 20, 2);
  tear_down(&on);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bytes_by_hand),
      cmocka_unit_test(test_who_takes_turns),
      cmocka_unit_test(test_bytes_in_time),
      cmocka_unit_test(test_bytes_until_one_fails),
      cmocka_unit_test(test_blocks_by_hand),
      cmocka_unit_test(test_problems_of_blocks),
      cmocka_unit_test(test_blocks_in_time),
      cmocka_unit_test(test_no_time_tells_nothing),
      cmocka_unit_test(test_finds_what_threads_are_worth),
      cmocka_unit_test(test_finds_how_many_blocks_threads_take),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
