/* test_schedule.c: what follows from a tile, a move and a device: stores, alignment, loops, threads
 * and grains, each by hand; and which schedules are one and the same. */
#include "cmocka_all.h"

#include <string.h>

#include "cpu/planning.h"
#include "gpu/planning.h"
#include "plan/devices.h"
#include "schedule/schedule.h"

/* 1024 rows of as many floats, transposed; and with so many in a row of the destination. */
#define MATRIX(pitch)                                                                              \
  {                                                                                                \
    .element_bytes = 4, .source_elements = 1 << 20, .destination_elements = 1024 * (pitch),        \
    .axis_count = 2, .axes = {                                                                     \
      {1024, 1024, 1024, 1},                                                                       \
      {1024, 1024, 1, (pitch)}                                                                     \
    }                                                                                              \
  }

/* 1024 runs of so many bytes, with a gap behind each. */
#define RUNS(length)                                                                               \
  {                                                                                                \
    .element_bytes = 1, .source_elements = 1024 * (length),                                        \
    .destination_elements = 1024 * ((length) + 1), .axis_count = 2, .axes = {                      \
      {(length), (length), 1, 1},                                                                  \
      {1024, 1024, (length), (length) + 1}                                                         \
    }                                                                                              \
  }

static rlt_schedule unfinished(const rlt_problem *problem, const rlt_facts *facts, rlt_move move,
                               rlt_group columns, rlt_group rows) {
  rlt_schedule made = {
      .problem = problem, .target = facts->target, .columns = columns, .rows = rows, .move = move};
  if (rlt_schedule_has_tables(&made)) {
    rlt_cpu_lay_out_tile(facts, &made);
  }
  return made;
}

/* Of so many steps of axis 0, and of axis 1. */
static rlt_schedule of_blocks(const rlt_problem *problem, const rlt_facts *facts, rlt_move move,
                              int64_t columns, int64_t rows) {
  return unfinished(problem, facts, move, rlt_group_of_axis(problem, 0, columns),
                    rlt_group_of_axis(problem, 1, rows));
}

/* ---- What a move is ---- */

static void test_moves(void **state) {
  (void)state;
  static const char *const names[] = {"fill",      "copy",          "copy-runs", "interleave",
                                      "transpose", "bit-transpose", "permute",   "index"};
  assert_int_equal(RLT_MOVES, sizeof names / sizeof names[0]);
  for (int move = 0; move < RLT_MOVES; ++move) {
    const bool has_tables = move == RLT_MOVE_COPY_RUNS || move == RLT_MOVE_INTERLEAVE ||
                            move == RLT_MOVE_TRANSPOSE || move == RLT_MOVE_BIT_TRANSPOSE;
    rlt_problem problem = MATRIX(1024);
    rlt_schedule schedule = {
        .problem = &problem, .move = (rlt_move)move, .target = &rlt_cpu_target};
    assert_string_equal(rlt_move_name((rlt_move)move), names[move]);
    assert_int_equal(rlt_schedule_has_tables(&schedule), has_tables);
    schedule.target = &rlt_gpu_target;
    assert_false(rlt_schedule_has_tables(&schedule));
    assert_int_equal(rlt_schedule_goes_by_index(&schedule), move == RLT_MOVE_INDEX);
    /* Bytes that packed elements share are filled element by element. */
    problem.destination_packed = 4;
    assert_int_equal(rlt_schedule_goes_by_index(&schedule),
                     move == RLT_MOVE_INDEX || move == RLT_MOVE_FILL);
  }
}

static void test_elements_of_a_byte(void **state) {
  (void)state;
  assert_int_equal(rlt_in_byte(0), 1);
  assert_int_equal(rlt_in_byte(1), 8);
  assert_int_equal(rlt_in_byte(4), 2);
}

/* ---- Stores ---- */

static void test_past_the_cache(void **state) {
  (void)state;
  const rlt_problem problem = MATRIX(1024);
  static const struct {
    int64_t cache_bytes;
    bool is_past;
  } caches[] = {{0, false}, {1, true}, {(4 << 20) - 1, true}, {4 << 20, false}, {8 << 20, false}};
  for (size_t i = 0; i < sizeof caches / sizeof caches[0]; ++i) {
    const rlt_facts facts = {.cache_bytes = caches[i].cache_bytes};
    assert_int_equal(rlt_is_past_cache(&problem, &facts, false), caches[i].is_past);
    assert_false(rlt_is_past_cache(&problem, &facts, true));
  }
}

static void test_streamed_and_loaded(void **state) {
  (void)state;
  static const struct {
    rlt_stores stores;
    int64_t cache_bytes;
    bool streams;
  } cases[] = {{RLT_STORES_BY_SIZE, 1, true},     {RLT_STORES_BY_SIZE, 8 << 20, false},
               {RLT_STORES_STREAMED, 1, true},    {RLT_STORES_STREAMED, 8 << 20, true},
               {RLT_STORES_CACHED, 1, false},     {RLT_STORES_CACHED, 8 << 20, false},
               {RLT_STORES_UNBUFFERED, 1, false}, {RLT_STORES_UNBUFFERED, 8 << 20, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    for (int move = 0; move < RLT_MOVES; ++move) {
      rlt_problem problem = MATRIX(1024);
      rlt_facts facts = cpu_facts;
      rlt_schedule schedule = {.problem = &problem, .move = (rlt_move)move};
      schedule.blocking.stores = cases[i].stores;
      facts.cache_bytes = cases[i].cache_bytes;
      const bool streams = cases[i].streams && move != RLT_MOVE_INDEX;
      assert_int_equal(rlt_cpu_streams(&facts, &schedule), streams);
      /* What is brought together first is what registers turn, where a tile wants it so. */
      assert_false(rlt_cpu_loads(&facts, &schedule));
      schedule.blocking.loads = true;
      const bool loads = streams && (move == RLT_MOVE_TRANSPOSE || move == RLT_MOVE_INTERLEAVE);
      assert_int_equal(rlt_cpu_loads(&facts, &schedule), loads);
      problem.source_packed = 4;
      assert_false(rlt_cpu_loads(&facts, &schedule));
      problem.source_packed = 0;
    }
  }
}

static const rlt_problem matrix_1024 = MATRIX(1024);
static const rlt_problem runs_of_63 = RUNS(63);
static const rlt_problem runs_of_64 = RUNS(64);
static const rlt_problem pixels = {.element_bytes = 1,
                                   .source_elements = 3000,
                                   .destination_elements = 3000,
                                   .axis_count = 2,
                                   .axes = {{3, 3, 1000, 1}, {1000, 1000, 1, 3}}};
static const rlt_problem floats_of_15 = {.element_bytes = 4,
                                         .source_elements = 1500,
                                         .destination_elements = 1600,
                                         .axis_count = 2,
                                         .axes = {{15, 15, 1, 1}, {100, 100, 15, 16}}};
static const rlt_problem floats_of_16 = {.element_bytes = 4,
                                         .source_elements = 1600,
                                         .destination_elements = 1700,
                                         .axis_count = 2,
                                         .axes = {{16, 16, 1, 1}, {100, 100, 16, 17}}};

/* Who puts a tile together before it leaves. */
static void test_staged(void **state) {
  (void)state;
  rlt_facts far = cpu_facts;
  far.cache_bytes = 1;
  rlt_facts near = cpu_facts;
  near.cache_bytes = 1 << 30;
  const struct {
    const rlt_problem *problem;
    const rlt_facts *facts;
    rlt_move move;
    rlt_stores stores;
    int64_t columns;
    int64_t rows;
    bool buffered;
  } cases[] = {
      /* Work-items that share local memory change the order there, and nothing else. */
      {&matrix_1024, &work_group_facts, RLT_MOVE_TRANSPOSE, RLT_STORES_BY_SIZE, 64, 64, true},
      {&matrix_1024, &work_group_facts, RLT_MOVE_PERMUTE, RLT_STORES_BY_SIZE, 64, 64, true},
      {&matrix_1024, &work_group_facts, RLT_MOVE_COPY, RLT_STORES_BY_SIZE, 64, 64, false},
      {&matrix_1024, &work_group_facts, RLT_MOVE_INTERLEAVE, RLT_STORES_BY_SIZE, 64, 64, false},
      {&matrix_1024, &work_group_facts, RLT_MOVE_INDEX, RLT_STORES_BY_SIZE, 64, 64, false},
      /* A worker's tables, past the cache; never runs. */
      {&matrix_1024, &far, RLT_MOVE_TRANSPOSE, RLT_STORES_BY_SIZE, 64, 64, true},
      {&matrix_1024, &far, RLT_MOVE_COPY, RLT_STORES_BY_SIZE, 64, 64, false},
      {&matrix_1024, &far, RLT_MOVE_INDEX, RLT_STORES_BY_SIZE, 64, 64, false},
      /* In a cache what is as long as a block is written at once, as runs of a line are. */
      {&matrix_1024, &near, RLT_MOVE_TRANSPOSE, RLT_STORES_BY_SIZE, 64, 64, false},
      {&matrix_1024, &near, RLT_MOVE_TRANSPOSE, RLT_STORES_BY_SIZE, 16, 64, false},
      {&matrix_1024, &near, RLT_MOVE_TRANSPOSE, RLT_STORES_BY_SIZE, 15, 64, true},
      {&runs_of_64, &near, RLT_MOVE_COPY_RUNS, RLT_STORES_BY_SIZE, 64, 64, false},
      {&runs_of_63, &near, RLT_MOVE_COPY_RUNS, RLT_STORES_BY_SIZE, 63, 64, true},
      {&floats_of_16, &near, RLT_MOVE_COPY_RUNS, RLT_STORES_BY_SIZE, 16, 64, false},
      {&floats_of_15, &near, RLT_MOVE_COPY_RUNS, RLT_STORES_BY_SIZE, 15, 64, true},
      /* Channels are written with all their pixels: 6 times 3, or 5. */
      {&pixels, &near, RLT_MOVE_INTERLEAVE, RLT_STORES_BY_SIZE, 3, 6, false},
      {&pixels, &near, RLT_MOVE_INTERLEAVE, RLT_STORES_BY_SIZE, 3, 5, true},
      /* As a tile blockings, whatever its size. */
      {&matrix_1024, &far, RLT_MOVE_TRANSPOSE, RLT_STORES_CACHED, 64, 64, true},
      {&matrix_1024, &far, RLT_MOVE_TRANSPOSE, RLT_STORES_UNBUFFERED, 64, 64, false},
      {&matrix_1024, &near, RLT_MOVE_TRANSPOSE, RLT_STORES_UNBUFFERED, 15, 64, false},
      {&matrix_1024, &near, RLT_MOVE_TRANSPOSE, RLT_STORES_CACHED, 64, 64, true},
      {&matrix_1024, &near, RLT_MOVE_TRANSPOSE, RLT_STORES_STREAMED, 64, 64, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_schedule schedule =
        of_blocks(cases[i].problem, cases[i].facts, cases[i].move, cases[i].columns, cases[i].rows);
    schedule.blocking.stores = cases[i].stores;
    schedule.blocking.prefetch = (rlt_prefetch){2, 1};
    print_message("case %zu\n", i);
    rlt_schedule_finish(cases[i].facts, &cpu_tuning, false, &schedule);
    assert_int_equal(schedule.buffered, cases[i].buffered);
    /* Only what is put together first leaves time to fetch what comes next. */
    const bool fetches = cases[i].buffered && cases[i].facts->target == &rlt_cpu_target;
    assert_int_equal(schedule.prefetch.tiles, fetches ? 2 : 0);
    assert_int_equal(schedule.prefetch.level, fetches ? 1 : 0);
  }
}

/* Elements that change are buffered wherever they go. */
static void test_changed_elements_are_staged(void **state) {
  (void)state;
  rlt_problem problem = MATRIX(1024);
  rlt_facts near = cpu_facts;
  near.cache_bytes = 1 << 30;
  problem.conversion = (rlt_conversion){.from = RELAYOUT_F32, .to = RELAYOUT_BF16, .scale = 1};
  rlt_schedule schedule = of_blocks(&problem, &near, RLT_MOVE_TRANSPOSE, 64, 64);
  schedule.blocking.stores = RLT_STORES_UNBUFFERED;
  rlt_schedule_finish(&near, &cpu_tuning, false, &schedule);
  assert_true(schedule.buffered);
}

/* ---- Lines that tiles share ---- */

typedef struct shared_lines {
  rlt_problem problem;
  int64_t columns;
  int64_t rows;
  bool begin; /* all tiles' segments with a line, if the destination does */
} shared_lines;

static void test_lines_that_tiles_share(void **state) {
  (void)state;
  static const shared_lines cases[] = {
      /* Rows of 1024 floats are 64 lines, and those of 1000 end in the middle of one, though tiles
       * of 64 rows are whole lines apart. */
      {MATRIX(1024), 128, 64, true},
      {MATRIX(1000), 128, 64, false},
      {MATRIX(1008), 128, 64, true},
      /* Tiles that are no whole lines wide. */
      {MATRIX(1024), 120, 64, false},
      {MATRIX(1024), 112, 64, true},
      /* One row alone is behind no other in its tile; the next tile's is. */
      {MATRIX(1024), 128, 1, true},
      {MATRIX(1000), 128, 1, false},
      {{.element_bytes = 4,
        .source_elements = 1024,
        .destination_elements = 1024,
        .axis_count = 2,
        .axes = {{1024, 1024, 1, 1}, {1, 1, 1, 1000}}},
       128,
       1,
       true},
      /* The second of two rows begins in the middle of a line, though tiles are lines apart. */
      {MATRIX(1000), 128, 2, false},
      {MATRIX(1008), 128, 2, true},
  };
  rlt_facts far = cpu_facts;
  far.cache_bytes = 1;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    for (int start = 0; start < 2; ++start) {
      rlt_problem problem = cases[i].problem;
      problem.destination_start = 8 * start; /* half a line */
      problem.destination_elements += 8;
      const bool begin = cases[i].begin && start == 0;
      rlt_schedule schedule =
          of_blocks(&problem, &far, RLT_MOVE_TRANSPOSE, cases[i].columns, cases[i].rows);
      rlt_schedule other = schedule;
      print_message("case %zu, start %d\n", i, start);
      rlt_schedule_finish(&far, &cpu_tuning, false, &schedule);
      assert_int_equal(schedule.combined, !begin);
      assert_int_equal(schedule.destination_alignment, begin ? 64 : 1);
      assert_int_equal(schedule.source_alignment, 1);
      assert_int_equal(schedule.only_aligned, begin);
      /* Asked to, it combines them, wherever the destination begins. */
      rlt_schedule_finish(&far, &cpu_tuning, true, &other);
      assert_true(other.combined);
      assert_int_equal(other.destination_alignment, 1);
      assert_false(other.only_aligned);
    }
  }
}

/* Segments that no tile goes on with, and stores that go through the caches. */
static void test_lines_that_nobody_shares(void **state) {
  (void)state;
  static const rlt_problem matrix = MATRIX(1000);
  rlt_facts far = cpu_facts;
  far.cache_bytes = 1;
  rlt_schedule schedule = of_blocks(&matrix, &far, RLT_MOVE_TRANSPOSE, 1024, 1);
  rlt_schedule_finish(&far, &cpu_tuning, true, &schedule);
  assert_false(schedule.combined);
  assert_false(schedule.only_aligned);
  assert_int_equal(schedule.destination_alignment, 1);
  schedule = of_blocks(&matrix, &far, RLT_MOVE_TRANSPOSE, 120, 64);
  schedule.blocking.stores = RLT_STORES_CACHED;
  rlt_schedule_finish(&far, &cpu_tuning, true, &schedule);
  assert_false(schedule.combined);
}

/* ---- Alignment ---- */

static void test_words_that_want_to_be_aligned(void **state) {
  (void)state;
  static const struct {
    rlt_move move;
    bool is_wide;
    int64_t transposed_bits;
    bool converts;
    int64_t source;
    int64_t destination;
    bool only_aligned;
  } cases[] = {
      {RLT_MOVE_TRANSPOSE, false, 0, false, 4, 4, false},
      {RLT_MOVE_TRANSPOSE, true, 0, false, 4, 4, true},
      {RLT_MOVE_TRANSPOSE, false, 0, true, 4, 2, false},
      {RLT_MOVE_FILL, false, 0, false, 1, 4, false},
  };
  rlt_facts anywhere = cpu_facts;
  anywhere.cache_bytes = 1 << 30; /* or lines would be asked for */
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_problem problem = MATRIX(1024);
    problem.transposed_bits = cases[i].transposed_bits;
    if (cases[i].converts) {
      problem.conversion = (rlt_conversion){.from = RELAYOUT_F32, .to = RELAYOUT_BF16, .scale = 1};
    }
    rlt_schedule schedule = of_blocks(&problem, &work_group_facts, cases[i].move, 64, 64);
    schedule.is_wide = cases[i].is_wide;
    print_message("case %zu\n", i);
    rlt_schedule_finish(&work_group_facts, &work_group_tuning, false, &schedule);
    assert_int_equal(schedule.source_alignment, cases[i].source);
    assert_int_equal(schedule.destination_alignment, cases[i].destination);
    assert_int_equal(schedule.only_aligned, cases[i].only_aligned);
    /* A device whose words may lie anywhere asks for nothing. */
    rlt_schedule_finish(&anywhere, &cpu_tuning, false, &schedule);
    assert_int_equal(schedule.source_alignment, 1);
    assert_int_equal(schedule.destination_alignment, 1);
    assert_false(schedule.only_aligned);
  }
}

/* ---- Threads and loops ---- */

/* A MiB is worth a thread, if there is one and a tile for it. */
static void test_threads(void **state) {
  (void)state;
  static const rlt_problem matrix = MATRIX(1024); /* 4 MiB */
  static const struct {
    int32_t threads;
    int64_t thread_bytes;
    int64_t columns;
    int64_t rows;
    int32_t expected;
  } cases[] = {
      {1, 1 << 20, 64, 64, 1}, {2, 1 << 20, 64, 64, 2}, {4, 1 << 20, 64, 64, 4},
      {9, 1 << 20, 64, 64, 4}, {9, 1 << 19, 64, 64, 8}, {9, (1 << 20) + 1, 64, 64, 3},
      {9, 4 << 20, 64, 64, 1}, {9, 8 << 20, 64, 64, 1}, {9, 1, 1024, 1024, 1},
      {9, 1, 1024, 512, 2},    {9, 1, 512, 400, 6},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_facts facts = cpu_facts;
    rlt_tuning tuning = cpu_tuning;
    facts.threads = cases[i].threads;
    tuning.thread_bytes = cases[i].thread_bytes;
    rlt_schedule schedule =
        of_blocks(&matrix, &facts, RLT_MOVE_TRANSPOSE, cases[i].columns, cases[i].rows);
    print_message("case %zu\n", i);
    rlt_schedule_finish(&facts, &tuning, false, &schedule);
    assert_int_equal(schedule.threads, cases[i].expected);
  }
  /* Words of the destination that are wider count; packed ones do as bytes. */
  rlt_problem wider = MATRIX(1024);
  wider.element_bytes = 1;
  wider.conversion = (rlt_conversion){.from = RELAYOUT_U8, .to = RELAYOUT_F32, .scale = 1};
  rlt_problem packed = MATRIX(1024);
  packed.element_bytes = 1;
  packed.source_packed = packed.destination_packed = 4;
  const struct {
    const rlt_problem *problem;
    int32_t expected;
  } sizes[] = {{&wider, 4}, {&packed, 1}};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    rlt_facts facts = cpu_facts;
    facts.threads = 16;
    rlt_schedule schedule = of_blocks(sizes[i].problem, &facts, RLT_MOVE_TRANSPOSE, 64, 64);
    rlt_schedule_finish(&facts, &cpu_tuning, false, &schedule);
    assert_int_equal(schedule.threads, sizes[i].expected);
  }
}

static bool has_loops_of(const rlt_schedule *schedule, const rlt_loop_blocking *blocking) {
  rlt_grid grid;
  rlt_schedule other = *schedule;
  rlt_grid_make(schedule->problem, &schedule->columns, &schedule->rows, &grid);
  rlt_loops_make(&grid, blocking, &other.loops);
  return rlt_schedules_equal(schedule, &other);
}

/* Blocks go as many elements as the asked bytes are, of the side that takes more for one. */
static void test_asked_blocks(void **state) {
  (void)state;
  static const struct {
    int64_t element_bytes;
    int64_t packed[2];
    bool converts; /* to four bytes */
    int64_t near_source;
    int64_t near_destination;
  } cases[] = {
      {4, {0, 0}, false, 1024, 2048}, {1, {0, 0}, false, 4096, 8192},
      {2, {0, 0}, true, 1024, 2048},  {1, {4, 0}, false, 4096, 8192},
      {1, {0, 1}, false, 4096, 8192}, {1, {4, 1}, false, 8192, 16384},
  };
  enum { CASES = sizeof cases / sizeof cases[0], PART = 8 };
  for (int i = 0; i < 2 * CASES; ++i) {
    const int part = i < CASES ? 1 : PART; /* of all of these, so that no block has all tiles */
    const int number = i % CASES;
    rlt_problem problem = MATRIX(1024);
    problem.element_bytes = cases[number].element_bytes;
    problem.source_packed = cases[number].packed[0];
    problem.destination_packed = cases[number].packed[1];
    if (cases[number].converts) {
      problem.conversion = (rlt_conversion){.from = RELAYOUT_BF16, .to = RELAYOUT_F32, .scale = 1};
    }
    rlt_facts facts = cpu_facts;
    facts.cache_bytes = 1 << 30; /* or lines would be combined */
    facts.threads = 1;
    rlt_schedule schedule = of_blocks(&problem, &facts, RLT_MOVE_TRANSPOSE, 16, 64);
    schedule.blocking.blocks = (rlt_reach){4096 / part, 8192 / part};
    print_message("case %d, a part of %d\n", number, part);
    rlt_schedule_finish(&facts, &cpu_tuning, false, &schedule);
    assert_true(has_loops_of(&schedule, &(rlt_loop_blocking){cases[number].near_source / part,
                                                             cases[number].near_destination / part,
                                                             .least_blocks = 1}));
  }
}

/* Blocks of long runs take so many bytes together, and are as many as all threads want. */
static void test_blocks_of_long_runs(void **state) {
  (void)state;
  static const rlt_problem runs = RUNS(4096); /* 1024 of them are 4 MiB */
  static const struct {
    int32_t threads;
    int64_t block_bytes;
    int32_t thread_blocks;
    int64_t inside;
  } cases[] = {
      {1, 65536, 8, 16}, {1, 65535, 8, 15},   {1, 4096, 8, 1},     {1, 1, 8, 1},
      {2, 65536, 8, 16}, {2, 1 << 20, 8, 64}, {4, 1 << 20, 8, 32}, {4, 1 << 20, 1, 256},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_facts facts = cpu_facts;
    rlt_tuning tuning = cpu_tuning;
    facts.threads = cases[i].threads;
    tuning.block_bytes = cases[i].block_bytes;
    tuning.thread_blocks = cases[i].thread_blocks;
    rlt_schedule schedule =
        unfinished(&runs, &facts, RLT_MOVE_COPY, rlt_group_of_axis(&runs, 0, 4096), rlt_no_axes);
    print_message("case %zu\n", i);
    rlt_schedule_finish(&facts, &tuning, false, &schedule);
    assert_int_equal(schedule.threads, cases[i].threads);
    assert_int_equal(schedule.loops.inner_count, cases[i].inside > 1);
    if (cases[i].inside > 1) {
      assert_int_equal(schedule.loops.inner[0], 1);
      assert_int_equal(schedule.loops.inside[0], cases[i].inside);
    }
  }
}

/* As many tiles between one and the next that goes on with its lines as may wait with it: 1008
 * segments are 15 times 64, or 7 times 144; one tile alone waits for nobody. */
static void test_tiles_that_wait(void **state) {
  (void)state;
  static const rlt_problem matrix = MATRIX(1000);
  static const struct {
    int64_t rows;
    int64_t most_segments;
    int64_t inside;
  } cases[] = {{64, 1008, 15}, {128, 1008, 7}, {64, 127, 1}, {64, 128, 2}, {256, 1008, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_facts facts = cpu_facts;
    facts.cache_bytes = 1;
    facts.threads = 1;
    facts.most_segments = cases[i].most_segments;
    rlt_schedule schedule = of_blocks(&matrix, &facts, RLT_MOVE_TRANSPOSE, 128, cases[i].rows);
    schedule.blocking.blocks = (rlt_reach){1 << 20, 4096};
    print_message("case %zu\n", i);
    rlt_schedule_finish(&facts, &cpu_tuning, false, &schedule);
    assert_true(schedule.combined);
    /* Along the source the next tiles are those of axis 1. */
    assert_int_equal(schedule.loops.inner[0], cases[i].inside > 1 ? 1 : 0);
    if (cases[i].inside > 1) {
      assert_int_equal(schedule.loops.inside[0], rlt_min(cases[i].inside, 1024 / cases[i].rows));
    }
  }
}

/* ---- Groups and grains ---- */

/* 1024 tiles in no more groups than a launch has. */
static void test_grains_of_few_groups(void **state) {
  (void)state;
  static const rlt_problem matrix = MATRIX(1024);
  static const struct {
    int64_t most_groups;
    int64_t grain;
  } cases[] = {{65535, 1}, {1024, 1}, {1023, 2}, {100, 11}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_facts facts = work_group_facts;
    facts.most_groups = cases[i].most_groups;
    rlt_schedule schedule = of_blocks(&matrix, &facts, RLT_MOVE_TRANSPOSE, 16, 64);
    rlt_schedule_finish(&facts, &work_group_tuning, false, &schedule);
    assert_int_equal(schedule.grain, cases[i].grain);
  }
}

/* A group moves a tile at a time, unless each work-item finds its own elements: the 256 are rows of
 * 16, of 128, or of 4 for 100 elements, 25 times, where none idles. */
static void test_grains_of_groups(void **state) {
  (void)state;
  static const rlt_problem matrix = MATRIX(1024);
  rlt_schedule schedule = of_blocks(&matrix, &work_group_facts, RLT_MOVE_TRANSPOSE, 64, 64);
  rlt_schedule_finish(&work_group_facts, &work_group_tuning, false, &schedule);
  assert_int_equal(schedule.group_size, 256);
  assert_int_equal(schedule.grain, 1);
  static const struct {
    int64_t columns;
    int64_t grain;
  } runs[] = {{16, 16}, {1024, 1}, {128, 2}, {100, 64}, {1, 256}};
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; ++i) {
    schedule = unfinished(&matrix, &work_group_facts, RLT_MOVE_INDEX,
                          rlt_group_of_axis(&matrix, 0, runs[i].columns), rlt_no_axes);
    schedule.group_size = work_group_facts.group_size;
    print_message("case %zu\n", i);
    rlt_schedule_finish(&work_group_facts, &work_group_tuning, false, &schedule);
    assert_int_equal(schedule.grain, runs[i].grain);
  }
}

/* Work-items side by side along a row: 2^shift of 64. */
static void test_work_items_side_by_side(void **state) {
  (void)state;
  rlt_facts facts = work_group_facts;
  facts.group_size = 64;
  static const rlt_problem bytes = {
      .element_bytes = 1,
      .source_elements = 1 << 20,
      .destination_elements = 1 << 20,
      .axis_count = 3,
      .axes = {{512, 512, 3, 1}, {64, 64, 1536, 512}, {3, 3, 1, 1 << 15}}};
  rlt_grid grid;
  /* Pieces of 16 pixels: 512 are 32, which the most columns of equals take; 4 runs of 512 are as
   * many for each of 4 rows of 16, half of which would idle. */
  rlt_schedule schedule =
      unfinished(&bytes, &facts, RLT_MOVE_INTERLEAVE, rlt_group_of_axis(&bytes, 0, 512),
                 rlt_group_of_axis(&bytes, 2, 3));
  schedule.group_size = 64;
  rlt_grid_make(&bytes, &schedule.columns, &schedule.rows, &grid);
  assert_int_equal(rlt_gpu_across_shift(&schedule, grid.tile_count), 6);
  rlt_group_append(&bytes, &schedule.columns, 1, 4 * 512);
  rlt_grid_make(&bytes, &schedule.columns, &schedule.rows, &grid);
  assert_int_equal(rlt_gpu_across_shift(&schedule, grid.tile_count), 5);
  schedule.columns.steps = 16;
  rlt_grid_make(&bytes, &schedule.columns, &schedule.rows, &grid);
  assert_int_equal(rlt_gpu_across_shift(&schedule, grid.tile_count), 5);

  /* Tables: rows and columns as they are. */
  schedule = of_blocks(&bytes, &facts, RLT_MOVE_PERMUTE, 8, 8);
  schedule.group_size = 64;
  rlt_grid_make(&bytes, &schedule.columns, &schedule.rows, &grid);
  assert_int_equal(rlt_gpu_across_shift(&schedule, grid.tile_count), 3);
}

static void test_work_items_along_runs(void **state) {
  (void)state;
  rlt_facts facts = work_group_facts;
  facts.group_size = 64;
  rlt_grid grid;
  /* Three bytes of six packed elements, of ten tiles: 16 times 4 hold all. */
  rlt_problem packed = {.element_bytes = 1,
                        .destination_packed = 4,
                        .source_elements = 60,
                        .destination_elements = 60,
                        .axis_count = 2,
                        .axes = {{6, 6, 10, 1}, {10, 10, 1, 6}}};
  rlt_schedule schedule =
      unfinished(&packed, &facts, RLT_MOVE_INDEX, rlt_group_of_axis(&packed, 0, 6), rlt_no_axes);
  schedule.group_size = 64;
  rlt_grid_make(&packed, &schedule.columns, &schedule.rows, &grid);
  assert_int_equal(rlt_gpu_across_shift(&schedule, grid.tile_count), 2);

  /* Copies by units of four bytes, whole lines of 32 at least: of 256 bytes and 4 rows two lines,
   * which two rows share; changed to floats each is one byte. */
  rlt_problem copied = {.element_bytes = 1,
                        .source_elements = 1 << 12,
                        .destination_elements = 1 << 13,
                        .axis_count = 2,
                        .axes = {{256, 256, 1, 1}, {16, 16, 256, 512}}};
  schedule = of_blocks(&copied, &facts, RLT_MOVE_COPY, 256, 4);
  schedule.group_size = 64;
  rlt_grid_make(&copied, &schedule.columns, &schedule.rows, &grid);
  assert_int_equal(rlt_gpu_across_shift(&schedule, grid.tile_count), 5);
  schedule.rows = rlt_group_of_axis(&copied, 1, 1);
  assert_int_equal(rlt_gpu_across_shift(&schedule, grid.tile_count), 6);
  schedule.columns = rlt_group_of_axis(&copied, 0, 32);
  schedule.rows = rlt_group_of_axis(&copied, 1, 8);
  assert_int_equal(rlt_gpu_across_shift(&schedule, grid.tile_count), 3);
  copied.conversion = (rlt_conversion){.from = RELAYOUT_U8, .to = RELAYOUT_F32, .scale = 1};
  assert_int_equal(rlt_gpu_across_shift(&schedule, grid.tile_count), 5);
  schedule.group_size = 1;
  assert_int_equal(rlt_gpu_across_shift(&schedule, grid.tile_count), 0);
}

/* ---- Comparing ---- */

/* Each of these makes another schedule of it, but for what is said to follow from them. */
static void test_equal_schedules(void **state) {
  (void)state;
  static const rlt_problem matrix = MATRIX(1000);
  rlt_facts far = cpu_facts;
  far.cache_bytes = 1;
  rlt_schedule one = of_blocks(&matrix, &far, RLT_MOVE_TRANSPOSE, 128, 64);
  one.blocking.blocks = (rlt_reach){4096, 4096};
  rlt_schedule_finish(&far, &cpu_tuning, false, &one);
  assert_true(one.loops.inner_count > 0 && one.loops.outer_count > 0);
  assert_true(rlt_schedules_equal(&one, &one));
  rlt_schedule others[24];
  int count = 0;
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
    others[i] = one;
  }
  others[count++].is_wide = true;
  others[count++].move = RLT_MOVE_INTERLEAVE;
  others[count++].columns.axis_count = 0;
  others[count++].columns.axes[0] = 1;
  others[count++].columns.steps = 127;
  others[count++].rows.axis_count = 0;
  others[count++].rows.axes[0] = 0;
  others[count++].rows.steps = 63;
  others[count++].loops.inner_count -= 1;
  others[count++].loops.outer_count -= 1;
  others[count++].loops.inner[0] ^= 1;
  others[count++].loops.inside[0] += 1;
  others[count++].loops.outer[0] ^= 1;
  others[count++].loads = true;
  others[count].buffered = !others[count].buffered, ++count;
  others[count].streamed = !others[count].streamed, ++count;
  others[count].combined = !others[count].combined, ++count;
  others[count++].prefetch.tiles += 1;
  others[count++].prefetch.level += 1;
  others[count++].destination_alignment = 64;
  others[count++].group_size = 2;
  for (int i = 0; i < count; ++i) {
    print_message("case %d\n", i);
    assert_false(rlt_schedules_equal(&one, &others[i]));
    assert_false(rlt_schedules_equal(&others[i], &one));
  }
  /* What is behind the axes and loops that there are counts for nothing; nor who offered it. */
  rlt_schedule same = one;
  same.columns.axes[1] = 7;
  same.loops.inner[same.loops.inner_count] = 7;
  same.loops.inside[same.loops.inner_count] = 7;
  same.loops.outer[same.loops.outer_count] = 7;
  same.suits = !same.suits;
  same.reason = "another";
  assert_true(rlt_schedules_equal(&one, &same));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_moves),
      cmocka_unit_test(test_elements_of_a_byte),
      cmocka_unit_test(test_past_the_cache),
      cmocka_unit_test(test_streamed_and_loaded),
      cmocka_unit_test(test_staged),
      cmocka_unit_test(test_changed_elements_are_staged),
      cmocka_unit_test(test_lines_that_tiles_share),
      cmocka_unit_test(test_lines_that_nobody_shares),
      cmocka_unit_test(test_words_that_want_to_be_aligned),
      cmocka_unit_test(test_threads),
      cmocka_unit_test(test_asked_blocks),
      cmocka_unit_test(test_blocks_of_long_runs),
      cmocka_unit_test(test_tiles_that_wait),
      cmocka_unit_test(test_grains_of_few_groups),
      cmocka_unit_test(test_grains_of_groups),
      cmocka_unit_test(test_work_items_side_by_side),
      cmocka_unit_test(test_work_items_along_runs),
      cmocka_unit_test(test_equal_schedules),
  };
  return cmocka_run_group_tests_name("plan.schedule", tests, NULL, NULL);
}
