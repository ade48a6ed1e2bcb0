/* test_cost.c: what a schedule is predicted to touch, against counts by hand and against its tiles,
 * taken element by element. */
#include "cmocka_all.h"

#include <math.h>
#include <stdlib.h>

#include "cpu/planning.h"
#include "plan/devices.h"
#include "plan/tiles.h"
#include "problem_of.h"
#include "schedule/grid.h"
#include "search/candidates.h"
#include "search/cost.h"
#include "search/method.h"

typedef struct estimate {
  rlt_problem problem;
  rlt_schedule schedule; /* of it */
  rlt_cost cost;
} estimate;

static rlt_group columns_of(const rlt_problem *problem, int64_t most) {
  return problem->axis_count == 0 ? rlt_no_axes : rlt_group_of_axis(problem, 0, most);
}

/* Work-items that share tiles of so many rows, of axis 1, and columns, of axis 0. */
static void estimate_tiles(const char *from_text, const char *to_text, rlt_move move, int64_t rows,
                           int64_t columns, const rlt_tuning *tuning, estimate *made) {
  *made = (estimate){.problem = problem_of(from_text, to_text)};
  const rlt_problem *const problem = &made->problem;
  made->schedule = (rlt_schedule){
      .problem = problem,
      .target = &rlt_gpu_target,
      .move = move,
      .columns = columns_of(problem, columns),
      .rows = problem->axis_count < 2 ? rlt_no_axes : rlt_group_of_axis(problem, 1, rows)};
  rlt_schedule_finish(&work_group_facts, &work_group_tuning, false, &made->schedule);
  rlt_cost_estimate(&work_group_facts, tuning, &made->schedule, &made->cost);
}

/* What is offered first of those that suit, on a device like this. */
static void estimate_candidate(const char *from_text, const char *to_text, const rlt_facts *facts,
                               const rlt_tuning *tuning, estimate *made) {
  *made = (estimate){.problem = problem_of(from_text, to_text)};
  const rlt_forms elements = {.count = 1, .of = {&made->problem}};
  rlt_candidates candidates;
  assert_int_equal(rlt_candidates_make(&elements, facts, tuning, NULL, &candidates, NULL),
                   RELAYOUT_OK);
  int32_t first = 0;
  while (first < candidates.count - 1 && !candidates.of[first].schedule.suits) {
    ++first;
  }
  made->schedule = candidates.of[first].schedule;
  made->schedule.problem = &made->problem;
  made->cost = candidates.of[first].cost;
  rlt_candidates_free(&candidates);
}

static void assert_near(double found, double expected, double tolerance) {
  if (!(fabs(found - expected) <= tolerance * fabs(expected) + 1e-9)) {
    fail_msg("%.17g is not %.17g", found, expected);
  }
}

static void expect_counts(const estimate *made, const double expected[RLT_COST_TERMS]) {
  for (int t = 0; t < RLT_COST_TERMS; ++t) {
    print_message("  %s\n", rlt_cost_name((rlt_cost_term)t));
    assert_near(made->cost.counts[t], expected[t], 0);
  }
}

static void test_units(void **state) {
  (void)state;
  assert_near(rlt_units_touched(64, 64, 64), 1, 0);
  assert_near(rlt_units_touched(65, 64, 64), 2, 0);
  assert_near(rlt_units_touched(4, 64, 4), 1, 0);
  assert_near(rlt_units_touched(64, 64, 32), 1.5, 0); /* one from 0, two from 32 */
  assert_near(rlt_units_touched(40, 64, 32), 1.5, 0); /* the same */
  assert_near(rlt_units_touched(64, 64, 4), 1 + 15. / 16, 0);
}

/* 16 tiles of 16 x 16; every run and every segment is a line. */
static void test_square_by_hand(void **state) {
  (void)state;
  estimate made;
  estimate_tiles("f32[64,64]{1,0}", "f32[64,64]{0,1}", RLT_MOVE_TRANSPOSE, 16, 16,
                 &work_group_tuning, &made);
  const double counts[RLT_COST_TERMS] = {
      [RLT_COST_LINES_READ] = 256,
      [RLT_COST_LINES_WRITTEN] = 256,
      [RLT_COST_RUNS] = 256,
      [RLT_COST_MOVES] = 4096,
      [RLT_COST_TILES] = 16,
      /* 3904 bytes on from any line of a page: 61 of 64 lines, so that 60 of 64 starts go on into
       * the next page */
      [RLT_COST_PAGES] = 2 * 16 * (1 + 60. / 64)};
  expect_counts(&made, counts);
  assert_near(made.cost.fraction, 1, 0); /* of a device that takes no time for anything else */

  /* 256 lines copied are the least; 64 more for the elements, 16 for the tiles. */
  rlt_tuning tuning = work_group_tuning;
  tuning.words[rlt_word_size_number(4)].rates =
      (rlt_rates){.of = {[RLT_RATE_ELEMENT] = 1. / 64, [RLT_RATE_TILE] = 1}};
  made.schedule.move = RLT_MOVE_PERMUTE;
  rlt_cost_estimate(&work_group_facts, &tuning, &made.schedule, &made.cost);
  assert_near(made.cost.times[RLT_COST_MOVES], 64. / 256, 0);
  assert_near(made.cost.times[RLT_COST_TILES], 16. / 256, 0);
  assert_near(made.cost.fraction, 256. / (256 + 64 + 16), 0);

  /* The rates of other words are none of theirs. */
  tuning.words[rlt_word_size_number(4)] = work_group_tuning.words[rlt_word_size_number(4)];
  tuning.words[rlt_word_size_number(8)].rates =
      (rlt_rates){.of = {[RLT_RATE_ELEMENT] = 1, [RLT_RATE_TILE] = 1}};
  rlt_cost_estimate(&work_group_facts, &tuning, &made.schedule, &made.cost);
  assert_near(made.cost.fraction, 1, 0);
}

/* Rows of 63 floats begin at each of a line's 16 floats equally often: three blocks of 16 floats,
 * of which 15 starts in 16 go into a second line, and one of 15, of which 14 do. */
static void test_odd_pitch_by_hand(void **state) {
  (void)state;
  estimate made;
  estimate_tiles("f32[64,63]{1,0}", "f32[64,63]{0,1}", RLT_MOVE_TRANSPOSE, 16, 16,
                 &work_group_tuning, &made);
  assert_near(made.cost.counts[RLT_COST_LINES_READ], 63 * 4, 0);
  assert_near(made.cost.counts[RLT_COST_LINES_AGAIN],
              192 * (1 + 15. / 16) + 64 * (1 + 14. / 16) - 63 * 4, 0);
  assert_near(made.cost.counts[RLT_COST_LINES_WRITTEN], 63 * 4, 0);
  assert_near(made.cost.counts[RLT_COST_LINES_IN_PARTS], 0, 0);
  assert_near(made.cost.counts[RLT_COST_RUNS], 256, 0);

  /* And back: segments of three whole tiles begin and end within a line, 15 times in 16. A line
   * that is touched and not written in parts is whole. */
  estimate back;
  estimate_tiles("f32[64,63]{0,1}", "f32[64,63]{1,0}", RLT_MOVE_TRANSPOSE, 16, 16,
                 &work_group_tuning, &back);
  const double in_parts = 192 * 2 * (15. / 16) + 64 * (1 + 14. / 16);
  assert_near(back.cost.counts[RLT_COST_LINES_READ], 63 * 4, 0);
  assert_near(back.cost.counts[RLT_COST_LINES_IN_PARTS], in_parts, 0);
  assert_near(back.cost.counts[RLT_COST_LINES_WRITTEN], 192 / 16., 0);
}

/* Padding is written and never read. */
static void test_padding_by_hand(void **state) {
  (void)state;
  estimate made, fill;
  estimate_tiles("f32[8,16]{1,0}", "f32[8,16]{1,0:PD(8,32)}", RLT_MOVE_COPY, 8, 32,
                 &work_group_tuning, &made);
  assert_near(made.cost.counts[RLT_COST_LINES_READ], 8, 0);
  assert_near(made.cost.counts[RLT_COST_LINES_WRITTEN], 16, 0);
  assert_near(made.cost.counts[RLT_COST_RUNS], 8, 0);
  assert_near(made.cost.counts[RLT_COST_STRAIGHT_RUNS], 8, 0);
  assert_near(made.cost.fraction, 1, 0);
  estimate_tiles("f32[0,16]{1,0}", "f32[0,16]{1,0:PD(8,32)}", RLT_MOVE_FILL, 1, 1024,
                 &work_group_tuning, &fill);
  assert_near(fill.cost.counts[RLT_COST_LINES_READ], 0, 0);
  assert_near(fill.cost.counts[RLT_COST_RUNS], 0, 0);
  assert_near(fill.cost.counts[RLT_COST_LINES_WRITTEN], 16, 0);
}

static double moves_of(const char *from, const char *to, const rlt_facts *facts) {
  estimate made;
  estimate_candidate(from, to, facts, &plain_cpu_tuning, &made);
  return made.cost.counts[RLT_COST_MOVES];
}

/* Tiles of 128 columns by 64 rows, in blocks of 16 x 16; 5 channels take blocks that are not
 * full, and 3 take none, but as much as 18.75 of them where registers join them, and 100 where
 * they do not. */
static void test_blocks_by_hand(void **state) {
  (void)state;
  rlt_facts facts = plain_cpu_facts;
  facts.words[rlt_word_size_number(4)].channels = 4;
  estimate square;
  estimate_candidate("f32[128,64]{1,0}", "f32[128,64]{0,1}", &facts, &plain_cpu_tuning, &square);
  assert_int_equal(square.schedule.move, RLT_MOVE_TRANSPOSE);
  assert_near(square.cost.counts[RLT_COST_TILES], 1, 0);
  assert_near(square.cost.counts[RLT_COST_MOVES], 8 * 4, 0);
  assert_near(moves_of("f32[1600,5]{1,0}", "f32[1600,5]{0,1}", &facts), 100, 0);
  assert_near(moves_of("f32[1600,3]{1,0}", "f32[1600,3]{0,1}", &facts), 1600 * 3 / 256., 0);
  assert_near(moves_of("f32[1600,3]{1,0}", "f32[1600,3]{0,1}", &plain_cpu_facts), 100, 0);

  /* Eight take blocks that are half full, or are interleaved. */
  assert_near(moves_of("f32[1600,8]{1,0}", "f32[1600,8]{0,1}", &facts), 100, 0);
  facts.words[rlt_word_size_number(4)].channels = 8;
  assert_near(moves_of("f32[1600,8]{1,0}", "f32[1600,8]{0,1}", &facts), 1600 * 8 / 256., 0);

  /* 16 lines of a block of 16 x 16 floats; 512 lines are copied. */
  rlt_tuning tuning = plain_cpu_tuning;
  tuning.words[rlt_word_size_number(4)].rates =
      (rlt_rates){.of = {[RLT_RATE_TRANSPOSED_LINE] = 0.25}};
  rlt_cost_estimate(&facts, &tuning, &square.schedule, &square.cost);
  assert_near(square.cost.times[RLT_COST_MOVES], 8 * 4 * 16 * 0.25 / 512, 0);
}

/* Runs of 20 floats that begin 24 apart: half of them with a line, which they fill and a part of
 * the next, and half within one, and within another they end. */
static void test_segments_by_hand(void **state) {
  (void)state;
  estimate made;
  estimate_tiles("f32[8,20]{1,0}", "f32[8,20]{1,0:PD(8,24)PV(unknown)}", RLT_MOVE_COPY, 8, 24,
                 &work_group_tuning, &made);
  assert_near(made.cost.counts[RLT_COST_LINES_IN_PARTS], 4 * 1 + 4 * 2, 0);
  assert_near(made.cost.counts[RLT_COST_LINES_WRITTEN], 4 * 1, 0);
}

/* Two runs of ten floats, a tile each, begin 40 bytes apart: with eighths of a line, of which one
 * in two leads into another. Where they are written they begin with quarters. */
static void test_loops_by_hand(void **state) {
  (void)state;
  estimate made;
  estimate_tiles("f32[2,10]{1,0}", "f32[2,10]{1,0:PD(2,12)PV(unknown)}", RLT_MOVE_COPY, 1, 12,
                 &work_group_tuning, &made);
  made.schedule.rows = rlt_no_axes;
  rlt_cost_estimate(&work_group_facts, &work_group_tuning, &made.schedule, &made.cost);
  assert_near(made.cost.counts[RLT_COST_TILES], 2, 0);
  assert_near(made.cost.counts[RLT_COST_RUNS], 2, 0);
  assert_near(made.cost.counts[RLT_COST_LINES_READ], 80 / 64., 0);
  assert_near(made.cost.counts[RLT_COST_LINES_AGAIN], 2 * 1.5 - 80 / 64., 0);
  assert_near(made.cost.counts[RLT_COST_LINES_IN_PARTS], 2 * 1.5, 0);
  assert_near(made.cost.counts[RLT_COST_LINES_WRITTEN], 0, 0);
}

/* A hundred runs of two that follow each other are one, unless they are copied one by one. */
static void test_joined_runs_by_hand(void **state) {
  (void)state;
  static const char from[] = "f32[100,2]{1,0}", to[] = "f32[100,2]{1,0:PD(100,3)PV(unknown)}";
  estimate made;
  estimate_tiles(from, to, RLT_MOVE_COPY, 100, 3, &work_group_tuning, &made);
  assert_near(made.cost.counts[RLT_COST_RUNS], 100, 0);
  assert_near(made.cost.counts[RLT_COST_STRAIGHT_RUNS], 100, 0);
  estimate_tiles(from, to, RLT_MOVE_INDEX, 100, 3, &work_group_tuning, &made);
  assert_near(made.cost.counts[RLT_COST_RUNS], 100, 0);
  assert_near(made.cost.counts[RLT_COST_STRAIGHT_RUNS], 100, 0);
  estimate_tiles(from, to, RLT_MOVE_PERMUTE, 100, 3, &work_group_tuning, &made);
  assert_near(made.cost.counts[RLT_COST_RUNS], 1, 0);
  assert_near(made.cost.counts[RLT_COST_STRAIGHT_RUNS], 0, 0);
}

/* What three rows read lies together, a line and a half, and what they write with their padding is
 * four times as much. */
static void test_valid_columns_by_hand(void **state) {
  (void)state;
  estimate made;
  estimate_tiles("f32[3,8]{1,0}", "f32[3,8]{1,0:PD(3,32)}", RLT_MOVE_PERMUTE, 3, 32,
                 &work_group_tuning, &made);
  const double counts[RLT_COST_TERMS] = {
      [RLT_COST_LINES_READ] = 1.5,  [RLT_COST_LINES_AGAIN] = 0.5, /* two are touched */
      [RLT_COST_LINES_WRITTEN] = 6, [RLT_COST_RUNS] = 1,          [RLT_COST_MOVES] = 96,
      [RLT_COST_TILES] = 1,         [RLT_COST_PAGES] = 2};
  expect_counts(&made, counts);
}

/* Pixels of three bytes that are four apart, which are read as one run of 255 bytes; and the same
 * 67 apart, with a line between some of them, each a run of its own. */
static void test_gaps_by_hand(void **state) {
  (void)state;
  estimate made;
  estimate_tiles("u8[64,3]{1,0:PD(64,4)}", "u8[64,3]{0,1}", RLT_MOVE_PERMUTE, 3, 64,
                 &work_group_tuning, &made);
  const double counts[RLT_COST_TERMS] = {
      [RLT_COST_LINES_READ] = 3,    [RLT_COST_LINES_AGAIN] = 1, /* four are touched */
      [RLT_COST_LINES_WRITTEN] = 3, [RLT_COST_RUNS] = 1,        [RLT_COST_MOVES] = 192,
      [RLT_COST_TILES] = 1,         [RLT_COST_PAGES] = 2};
  expect_counts(&made, counts);
  estimate_tiles("u8[64,3]{1,0:PD(64,67)}", "u8[64,3]{0,1}", RLT_MOVE_PERMUTE, 3, 64,
                 &work_group_tuning, &made);
  assert_near(made.cost.counts[RLT_COST_RUNS], 64, 0);
}

/* Eight floats that lie together, between which three times as many are padding. */
static void test_padded_rows_by_hand(void **state) {
  (void)state;
  estimate made;
  estimate_tiles("f32[1,8]{1,0}", "f32[1,8]{0,1:PD(4,8)}", RLT_MOVE_PERMUTE, 8, 4,
                 &work_group_tuning, &made);
  const double counts[RLT_COST_TERMS] = {
      [RLT_COST_LINES_READ] = 0.5, [RLT_COST_LINES_AGAIN] = 0.5, [RLT_COST_LINES_WRITTEN] = 2,
      [RLT_COST_RUNS] = 1,         [RLT_COST_MOVES] = 32,        [RLT_COST_TILES] = 1,
      [RLT_COST_PAGES] = 2};
  expect_counts(&made, counts);
  /* Where the only row of a view lies does not matter. */
  made.problem.axes[0].source_stride = 0;
  rlt_cost_estimate(&work_group_facts, &work_group_tuning, &made.schedule, &made.cost);
  expect_counts(&made, counts);
}

/* 256 tiles of eight lines, each of which lies in a page of its own, as rows are 16 KiB apart; what
 * each writes lies together. */
static void test_pages_by_hand(void **state) {
  (void)state;
  estimate made;
  estimate_tiles("f32[8,4096]{1,0}", "f32[8,4096]{0,1}", RLT_MOVE_TRANSPOSE, 16, 8,
                 &work_group_tuning, &made);
  const double counts[RLT_COST_TERMS] = {
      [RLT_COST_LINES_READ] = 2048, [RLT_COST_LINES_WRITTEN] = 2048,
      [RLT_COST_RUNS] = 2048,       [RLT_COST_MOVES] = 32768,
      [RLT_COST_TILES] = 256,       [RLT_COST_PAGES] = 256 * (8 + 1)};
  expect_counts(&made, counts);
}

/* Runs of eight c128 are two lines of 64 bytes; none is shorter than an element. */
static void test_gathered_lines_by_hand(void **state) {
  (void)state;
  static const int64_t lines[][2] = {{64, 6400}, {128, 3200}, {32, 12800}, {16, 25600}, {8, 25600}};
  estimate made;
  rlt_facts far = cpu_facts;
  far.cache_bytes = 1;
  estimate_candidate("c128[64,50,8]{2,1,0}", "c128[64,50,8]{2,0,1}", &far, &cpu_tuning, &made);
  assert_int_equal(made.schedule.move, RLT_MOVE_COPY_RUNS);
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
    rlt_facts facts = cpu_facts;
    facts.line_bytes = (int32_t)lines[i][0];
    rlt_cost_estimate(&facts, &cpu_tuning, &made.schedule, &made.cost);
    assert_near(made.cost.counts[RLT_COST_MOVES], (double)lines[i][1], 0);
  }
}

/* Each run counts for itself, also where their first elements lie side by side in the source. */
static void test_gathered_runs_by_hand(void **state) {
  (void)state;
  const rlt_problem problem = {.element_bytes = 4,
                               .source_elements = 64,
                               .destination_elements = 1024,
                               .axis_count = 2,
                               .axes = {{16, 1, 1, 1}, {64, 64, 1, 16}},
                               .fills = true};
  const rlt_forms forms = {.count = 1, .of = {&problem}};
  rlt_candidates candidates;
  assert_int_equal(rlt_candidates_make(&forms, &cpu_facts, &cpu_tuning,
                                       &(rlt_candidates_request){.method = &rlt_method_copy},
                                       &candidates, NULL),
                   RELAYOUT_OK);
  assert_true(candidates.count > 0);
  rlt_schedule *const schedule = &candidates.of[0].schedule;
  assert_int_equal(schedule->move, RLT_MOVE_COPY_RUNS);
  for (int64_t rows = 1; rows <= 64; ++rows) {
    rlt_cost cost;
    schedule->columns = rlt_group_of_axis(&problem, 0, 16);
    schedule->rows = rlt_group_of_axis(&problem, 1, rows);
    rlt_cpu_lay_out_tile(&cpu_facts, schedule);
    schedule->tile_count = rlt_divide_up(64, rows);
    rlt_cost_estimate(&cpu_facts, &cpu_tuning, schedule, &cost);
    assert_near(cost.counts[RLT_COST_MOVES], 64, 0);
  }
  rlt_candidates_free(&candidates);
}

/* Half a unit a line; a whole one for what is read first, as it goes through a cache that cannot
 * hold all. */
static void test_written_lines_are_read(void **state) {
  (void)state;
  static const struct {
    int64_t cache_bytes;
    bool streamed;
    double each;
  } cases[] = {{1 << 20, false, 0.5}, {1, false, 1}, {1, true, 0.5}};
  estimate made;
  estimate_candidate("f32[128,64]{1,0}", "f32[128,64]{0,1}", &cpu_facts, &cpu_tuning, &made);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_facts facts = cpu_facts;
    facts.cache_bytes = cases[i].cache_bytes;
    made.schedule.streamed = cases[i].streamed;
    rlt_cost_estimate(&facts, &cpu_tuning, &made.schedule, &made.cost);
    assert_near(made.cost.counts[RLT_COST_LINES_WRITTEN], 512, 0);
    assert_near(made.cost.least_time, 512, 0);
    assert_near(made.cost.times[RLT_COST_LINES_WRITTEN], cases[i].each, 0);
    assert_near(made.cost.times[RLT_COST_LINES_READ], 0.5, 0);
    assert_near(made.cost.fraction, 1 / (0.5 + cases[i].each), 0);
  }
  made.schedule.target = &rlt_gpu_target; /* of a GPU, which writes whole lines at once */
  rlt_facts facts = cpu_facts;
  facts.cache_bytes = 1;
  made.schedule.streamed = false;
  rlt_cost_estimate(&facts, &cpu_tuning, &made.schedule, &made.cost);
  assert_near(made.cost.times[RLT_COST_LINES_WRITTEN], 0.5, 0);
}

/* ---- Prices ---- */

/* What the moves of a schedule are paid by, and how often. */
static void expect_price(const char *from, const char *to, const rlt_target *target, rlt_move move,
                         bool suits, rlt_rate rate, double times) {
  rlt_problem problem = problem_of(from, to);
  problem.axes[problem.axis_count] = (rlt_axis){99, 99, 99, 99}; /* which is none */
  const rlt_schedule schedule = {
      .problem = &problem, .target = target, .move = move, .suits = suits};
  const rlt_price price = rlt_cost_price(&cpu_facts, &schedule, RLT_COST_MOVES);
  print_message("  %s\n", rlt_move_name(move));
  assert_int_equal(price.rate, rate);
  assert_near(price.times, times, 0);
}

static void test_prices_of_moves(void **state) {
  (void)state;
  static const struct {
    const char *from, *to;
    const rlt_target *target;
    rlt_move move;
    bool suits;
    rlt_rate rate;
    double times;
  } of[] = {
      /* Groups: what is moved one by one, or lies in squares that are mostly empty; what
       * changes. */
      {"f32[64,64]{1,0}", "f32[64,64]{0,1}", &rlt_gpu_target, RLT_MOVE_PERMUTE, true,
       RLT_RATE_ELEMENT, 1},
      {"f32[64,64]{1,0}", "f32[64,64]{0,1}", &rlt_gpu_target, RLT_MOVE_INDEX, true,
       RLT_RATE_ELEMENT, 1},
      {"f32[64,64]{1,0}", "f32[64,64]{0,1}", &rlt_gpu_target, RLT_MOVE_TRANSPOSE, true,
       RLT_RATE_NONE, 0},
      {"f32[64,64]{1,0}", "f32[64,64]{0,1}", &rlt_gpu_target, RLT_MOVE_TRANSPOSE, false,
       RLT_RATE_ELEMENT, 1},
      {"f32[64,64]{1,0}", "bf16[64,64]{0,1}", &rlt_gpu_target, RLT_MOVE_TRANSPOSE, true,
       RLT_RATE_REWORKED_ELEMENT, 1},
      {"f32[64,64]{1,0}", "bf16[64,64]{0,1}", &rlt_gpu_target, RLT_MOVE_PERMUTE, true,
       RLT_RATE_ELEMENT, 1},
      {"f32[64,60]{1,0}", "f32[64,60]{1,0:PD(64,64)}", &rlt_gpu_target, RLT_MOVE_COPY, true,
       RLT_RATE_NONE, 0},
      {"f32[64,60]{1,0}", "f32[64,60]{1,0:PD(64,64)}", &rlt_gpu_target, RLT_MOVE_COPY, false,
       RLT_RATE_NONE, 0},
      {"f32[64,60]{1,0}", "bf16[64,60]{1,0:PD(64,64)}", &rlt_gpu_target, RLT_MOVE_COPY, true,
       RLT_RATE_REWORKED_ELEMENT, 1},
      {"f32[64,60]{1,0}", "bf16[64,60]{1,0:PD(64,64)}", &rlt_gpu_target, RLT_MOVE_FILL, true,
       RLT_RATE_NONE, 0},
      {"f32[64,60]{1,0}", "f32[64,60]{1,0:PD(64,64)}", &rlt_gpu_target, RLT_MOVE_FILL, true,
       RLT_RATE_NONE, 0},
      /* Channels: planes of 1600 bytes begin with pieces of 16, and of 1608 do not; nor do pixels
       * of more than eight. */
      {"u8[1600,3]{1,0}", "u8[1600,3]{0,1}", &rlt_gpu_target, RLT_MOVE_INTERLEAVE, true,
       RLT_RATE_NONE, 0},
      {"u8[1600,8]{1,0}", "u8[1600,8]{0,1}", &rlt_gpu_target, RLT_MOVE_INTERLEAVE, true,
       RLT_RATE_NONE, 0},
      {"u8[1600,9]{1,0}", "u8[1600,9]{0,1}", &rlt_gpu_target, RLT_MOVE_INTERLEAVE, true,
       RLT_RATE_REWORKED_ELEMENT, 1},
      {"u8[1608,3]{1,0}", "u8[1608,3]{0,1}", &rlt_gpu_target, RLT_MOVE_INTERLEAVE, true,
       RLT_RATE_REWORKED_ELEMENT, 1},
      {"u16[1608,3]{1,0}", "u16[1608,3]{0,1}", &rlt_gpu_target, RLT_MOVE_INTERLEAVE, true,
       RLT_RATE_NONE, 0},
      {"u8[3,1608]{1,0}", "u8[3,1608]{0,1}", &rlt_gpu_target, RLT_MOVE_INTERLEAVE, true,
       RLT_RATE_REWORKED_ELEMENT, 1},
      {"u8[1600,3]{1,0}", "u16[1600,3]{0,1}", &rlt_gpu_target, RLT_MOVE_INTERLEAVE, true,
       RLT_RATE_REWORKED_ELEMENT, 1},
      /* Workers: blocks of 16 by 16 floats are 16 lines, of bytes 4. */
      {"f32[64,64]{1,0}", "f32[64,64]{0,1}", &rlt_cpu_target, RLT_MOVE_TRANSPOSE, true,
       RLT_RATE_TRANSPOSED_LINE, 16},
      {"u8[64,64]{1,0}", "u8[64,64]{0,1}", &rlt_cpu_target, RLT_MOVE_TRANSPOSE, false,
       RLT_RATE_TRANSPOSED_LINE, 4},
      {"u8[1608,3]{1,0}", "u8[1608,3]{0,1}", &rlt_cpu_target, RLT_MOVE_INTERLEAVE, true,
       RLT_RATE_TRANSPOSED_LINE, 4},
      {"f32[64,64]{1,0}", "f32[64,64]{0,1}", &rlt_cpu_target, RLT_MOVE_COPY_RUNS, true,
       RLT_RATE_LINE, 1},
      {"f32[64,64]{1,0}", "f32[64,64]{0,1}", &rlt_cpu_target, RLT_MOVE_INDEX, true,
       RLT_RATE_ELEMENT, 1},
      {"f32[64,60]{1,0}", "bf16[64,60]{1,0:PD(64,64)}", &rlt_cpu_target, RLT_MOVE_COPY, true,
       RLT_RATE_NONE, 0},
  };
  for (size_t i = 0; i < sizeof of / sizeof of[0]; ++i) {
    expect_price(of[i].from, of[i].to, of[i].target, of[i].move, of[i].suits, of[i].rate,
                 of[i].times);
  }
}

/* CPUs change elements beside moving them: a conversion is as long as its wider side, unpacking and
 * packing are as two, and transposing bits, of pairs in a byte, as eight. On GPUs the move pays. */
static void test_prices_of_reworks(void **state) {
  (void)state;
  static const struct {
    const char *from, *to;
    const rlt_target *target;
    double times; /* 0: nothing is paid */
  } of[] = {
      {"f32[64,64]{1,0}", "f32[64,64]{0,1}", &rlt_cpu_target, 0},
      {"f32[64,64]{1,0}", "bf16[64,64]{0,1}", &rlt_cpu_target, 1},
      {"u8[64,64]{1,0}", "f32[64,64]{0,1}", &rlt_cpu_target, 4},
      {"s4[64,65]{1,0}", "s4[64,65]{1,0:E(4)}", &rlt_cpu_target, 2},
      {"s4[64,65]{1,0:E(4)}", "s4[64,65]{1,0}", &rlt_cpu_target, 2},
      {"s4[63,65]{1,0:E(4)}", "s4[63,65]{0,1:E(4)}", &rlt_cpu_target, 4},
      {"s4[64,65]{1,0:E(4)}", "bf16[64,65]{1,0}", &rlt_cpu_target, 4},
      {"f32[64,65]{1,0}", "s4[64,65]{1,0:E(4)}", &rlt_cpu_target, 3},
      {"f32[64,64]{1,0}", "bf16[64,64]{0,1}", &rlt_gpu_target, 0},
  };
  for (size_t i = 0; i < sizeof of / sizeof of[0]; ++i) {
    const rlt_problem problem = problem_of(of[i].from, of[i].to);
    const rlt_schedule schedule = {.problem = &problem, .target = of[i].target};
    const rlt_price price = rlt_cost_price(&cpu_facts, &schedule, RLT_COST_REWORKS);
    assert_int_equal(price.rate, of[i].times > 0 ? RLT_RATE_REWORKED_ELEMENT : RLT_RATE_NONE);
    assert_near(price.times, of[i].times, 0);
  }
  rlt_problem bits = problem_of("u8[64,64]{1,0}", "u8[64,64]{0,1}");
  bits.transposed_bits = 4;
  const rlt_schedule schedule = {.problem = &bits, .target = &rlt_cpu_target};
  assert_near(rlt_cost_price(&cpu_facts, &schedule, RLT_COST_REWORKS).times, 8, 0);
}

/* 64 rows of 60 floats are made bf16; their padding is not. */
static void test_reworks_by_hand(void **state) {
  (void)state;
  estimate made;
  rlt_tuning tuning = plain_cpu_tuning;
  tuning.words[rlt_word_size_number(4)].rates.of[RLT_RATE_REWORKED_ELEMENT] = 0.25;
  estimate_candidate("f32[64,60]{1,0}", "bf16[64,60]{1,0:PD(64,64)}", &plain_cpu_facts, &tuning,
                     &made);
  assert_near(made.cost.counts[RLT_COST_REWORKS], 64 * 60, 0);
  /* In terms of a copy of 240 lines to 128. */
  assert_near(made.cost.times[RLT_COST_REWORKS], 64 * 60 * 0.25 / 184, 0);
}

/* All others are paid by one rate each, once. */
static void test_prices_of_other_terms(void **state) {
  (void)state;
  static const struct {
    rlt_cost_term term;
    rlt_rate rate;
  } of[] = {{RLT_COST_LINES_AGAIN, RLT_RATE_LINE_AGAIN},
            {RLT_COST_LINES_IN_PARTS, RLT_RATE_LINE_IN_PARTS},
            {RLT_COST_RUNS, RLT_RATE_RUN},
            {RLT_COST_STRAIGHT_RUNS, RLT_RATE_STRAIGHT_RUN},
            {RLT_COST_TILES, RLT_RATE_TILE},
            {RLT_COST_PAGES, RLT_RATE_PAGE}};
  const rlt_problem problem = problem_of("f32[64,64]{1,0}", "f32[64,64]{0,1}");
  const rlt_schedule schedule = {
      .problem = &problem, .target = &rlt_cpu_target, .move = RLT_MOVE_COPY_RUNS};
  for (size_t i = 0; i < sizeof of / sizeof of[0]; ++i) {
    const rlt_price price = rlt_cost_price(&cpu_facts, &schedule, of[i].term);
    assert_int_equal(price.rate, of[i].rate);
    assert_near(price.times, 1, 0);
  }
}

/* ---- Against the tiles themselves ---- */

typedef struct touched {
  double lines;
  double in_parts;
  double runs;
} touched;

static int by_value(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a;
  const int64_t y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* The runs among these byte addresses of elements. */
static void touch(int64_t *at, size_t count, int64_t element_bytes, touched *sum) {
  qsort(at, count, sizeof *at, by_value);
  for (size_t i = 0; i < count;) {
    const int64_t begin = at[i];
    int64_t end = begin + element_bytes;
    for (++i; i < count && at[i] == end; ++i) {
      end += element_bytes;
    }
    const int64_t first = begin / 64;
    const int64_t last = (end - 1) / 64;
    sum->runs += 1;
    sum->lines += (double)(last - first + 1);
    if (first == last) {
      sum->in_parts += end - begin < 64;
    } else {
      sum->in_parts += (begin % 64 != 0) + (end % 64 != 0);
    }
  }
}

static void touch_tiles(const estimate *made, touched *read, touched *written) {
  const rlt_problem *const problem = &made->problem;
  const size_t columns = (size_t)rlt_group_length(&made->schedule.columns);
  const size_t rows = (size_t)rlt_group_length(&made->schedule.rows);
  int64_t *const offsets = calloc(2 * (columns + rows), sizeof *offsets);
  int64_t *const sources = calloc(rows * columns, sizeof *sources);
  int64_t *const destinations = calloc(rows * columns, sizeof *destinations);
  int64_t *const row_offsets = offsets + 2 * columns;
  rlt_group_offsets(problem, &made->schedule.columns, NULL, offsets, offsets + columns);
  rlt_group_offsets(problem, &made->schedule.rows, NULL, row_offsets, row_offsets + rows);
  rlt_grid grid;
  rlt_grid_make(problem, &made->schedule.columns, &made->schedule.rows, &grid);
  /* Straight copies move row by row, whatever lies behind one. */
  const bool by_row = made->schedule.move == RLT_MOVE_COPY;
  int64_t digits[RLT_MAX_AXES] = {0};
  for (int64_t t = 0; t < grid.tile_count; ++t, tiles_step(&grid, digits)) {
    rlt_tile tile;
    rlt_grid_find_tile(&grid, digits, &tile);
    size_t sourced = 0;
    size_t count = 0;
    for (int64_t r = 0; r < tile.rows; ++r) {
      for (int64_t c = 0; c < tile.columns; ++c) {
        const bool valid = r < tile.valid_rows && c < tile.valid_columns &&
                           row_offsets[r] != RLT_NO_SOURCE && offsets[c] != RLT_NO_SOURCE;
        if (valid) {
          sources[sourced++] = (tile.source + row_offsets[r] + offsets[c]) * problem->element_bytes;
        }
        if (valid || problem->fills) {
          destinations[count++] =
              (tile.destination + row_offsets[rows + (size_t)r] + offsets[columns + (size_t)c]) *
              problem->element_bytes;
        }
      }
      if (by_row) {
        touch(sources, sourced, problem->element_bytes, read);
        touch(destinations, count, problem->element_bytes, written);
        sourced = 0;
        count = 0;
      }
    }
    touch(sources, sourced, problem->element_bytes, read);
    touch(destinations, count, problem->element_bytes, written);
  }
  free(offsets);
  free(sources);
  free(destinations);
}

typedef struct relayout_case {
  const char *from;
  const char *to;
} relayout_case;

static const relayout_case cases[] = {
    {"f32[128,128]{1,0}", "f32[128,128]{0,1}"},
    {"f32[200,127]{1,0}", "f32[200,127]{0,1}"},
    {"f32[127,200]{1,0}", "f32[127,200]{0,1}"},
    {"u8[300,301]{1,0}", "u8[300,301]{0,1}"},
    {"u16[1000,3]{1,0}", "u16[1000,3]{0,1}"},
    {"u16[1000,3]{0,1}", "u16[1000,3]{1,0}"},
    {"f64[17,18,19]{2,1,0}", "f64[17,18,19]{0,1,2}"},
    {"f64[17,18,19]{2,1,0}", "f64[17,18,19]{1,2,0}"},
    {"f32[16,15,16,15]{3,2,1,0}", "f32[16,15,16,15]{3,1,2,0}"},
    {"c128[33,65]{1,0}", "c128[33,65]{0,1}"},
    {"f32[100,37]{1,0}", "f32[100,37]{1,0:PD(100,41)}"},
    {"f32[64,100]{1,0}", "f32[64,100]{0,1:PD(80,100)}"},
    {"u8[2,50,50,3]{3,2,1,0}", "u8[2,50,50,3]{2,1,3,0:PD(2,50,64,4)}"},
    {"f32[64,100]{1,0:PD(64,128)}", "f32[64,100]{0,1:PD(80,100)PV(unknown)}"},
};

/* The runs are counted; where they begin in their lines is an average, and so are the lines. */
static void expect_as_its_tiles(const estimate *made) {
  touched read = {0};
  touched written = {0};
  touch_tiles(made, &read, &written);
  const double *const counts = made->cost.counts;
  assert_near(counts[RLT_COST_RUNS], read.runs, 0.1);
  assert_near(counts[RLT_COST_LINES_READ] + counts[RLT_COST_LINES_AGAIN], read.lines, 0.1);
  if (made->schedule.target == &rlt_cpu_target && rlt_schedule_has_tables(&made->schedule)) {
    return; /* other tiles finish the lines that one begins */
  }
  assert_near(counts[RLT_COST_LINES_WRITTEN] + counts[RLT_COST_LINES_IN_PARTS], written.lines, 0.1);
  if (fabs(counts[RLT_COST_LINES_IN_PARTS] - written.in_parts) > 0.1 * written.lines) {
    fail_msg("%g lines in parts are not %g", counts[RLT_COST_LINES_IN_PARTS], written.in_parts);
  }
}

/* All that is offered, but what looks each element up. */
static void test_tiles(void **state) {
  (void)state;
  int tried = 0;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const rlt_problem problem = problem_of(cases[i].from, cases[i].to);
    const rlt_forms elements = {.count = 1, .of = {&problem}};
    for (int is_cpu = 0; is_cpu <= 1; ++is_cpu) {
      rlt_candidates candidates;
      assert_int_equal(rlt_candidates_make(&elements, is_cpu ? &plain_cpu_facts : &work_group_facts,
                                           is_cpu ? &plain_cpu_tuning : &work_group_tuning, NULL,
                                           &candidates, NULL),
                       RELAYOUT_OK);
      for (int32_t o = 0; o < candidates.count; ++o) {
        const estimate made = {problem, candidates.of[o].schedule, candidates.of[o].cost};
        if (!rlt_schedule_goes_by_index(&made.schedule)) {
          print_message("  %s\n", made.schedule.method->name);
          expect_as_its_tiles(&made);
          ++tried;
        }
      }
      rlt_candidates_free(&candidates);
    }
  }
  assert_true(tried > 3 * (int)(sizeof cases / sizeof cases[0]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_units),
      cmocka_unit_test(test_square_by_hand),
      cmocka_unit_test(test_odd_pitch_by_hand),
      cmocka_unit_test(test_padding_by_hand),
      cmocka_unit_test(test_blocks_by_hand),
      cmocka_unit_test(test_segments_by_hand),
      cmocka_unit_test(test_loops_by_hand),
      cmocka_unit_test(test_joined_runs_by_hand),
      cmocka_unit_test(test_valid_columns_by_hand),
      cmocka_unit_test(test_gaps_by_hand),
      cmocka_unit_test(test_padded_rows_by_hand),
      cmocka_unit_test(test_pages_by_hand),
      cmocka_unit_test(test_gathered_lines_by_hand),
      cmocka_unit_test(test_gathered_runs_by_hand),
      cmocka_unit_test(test_written_lines_are_read),
      cmocka_unit_test(test_prices_of_moves),
      cmocka_unit_test(test_prices_of_reworks),
      cmocka_unit_test(test_reworks_by_hand),
      cmocka_unit_test(test_prices_of_other_terms),
      cmocka_unit_test(test_tiles),
  };
  return cmocka_run_group_tests_name("plan.cost", tests, NULL, NULL);
}
