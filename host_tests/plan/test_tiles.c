/* test_tiles.c: the tiles of the schedules that are chosen, worked out by hand, and the bounds that
 * they keep. */
#include "cmocka_all.h"

#include <string.h>

#include "plan/devices.h"
#include "plan/plan.h"
#include "plan/recorder.h"
#include "search/method.h"
#include "shape_of.h"

/* On a device like this, by this method or any. The schedule's problem is gone. */
static rlt_schedule chosen_by(const char *method, const char *from_text, const char *to_text,
                              const rlt_facts *facts, const rlt_tuning *tuning) {
  const relayout_shape from = shape_of(from_text);
  const relayout_shape to = shape_of(to_text);
  recorder record;
  relayout_device *const device = recorder_device(&record);
  device->facts = *facts;
  device->tuning = tuning;
  rlt_plan_request request;
  rlt_plan_request_clear(&request);
  request.method = method == NULL ? NULL : rlt_method_named(method, strlen(method));
  relayout_plan *plan = NULL;
  print_message("%s -> %s\n", from_text, to_text);
  assert_int_equal(
      rlt_plan_create(device, &from, &to, &request, (rlt_texts){.count = 0}, &plan, NULL),
      RELAYOUT_OK);
  assert_int_equal(plan->work.part_count, 1);
  const rlt_schedule made = plan->work.parts[0].variants[0].candidate.schedule;
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  return made;
}

static rlt_schedule chosen(const char *from, const char *to, const rlt_facts *facts,
                           const rlt_tuning *tuning) {
  return chosen_by(NULL, from, to, facts, tuning);
}

static void expect_method(const rlt_schedule *found, const char *expected) {
  assert_string_equal(found->method->name, expected);
}

/* ---- In local memory ---- */

/* NHWC to NCHW with three channels: by hand, 16 floats make a line, so that 16 pixels of one
 * channel by 3 channels is the least tile of whole lines. 85 of those fit the 4096 elements of a
 * tile, so that a plane's 10000 pixels take 8 tiles: 1250 pixels each, or 79 whole lines. */
static void test_groups_by_hand(void **state) {
  (void)state;
  const rlt_schedule found =
      chosen_by("permute", "f32[2,3,100,100]{1,3,2,0}", "f32[2,3,100,100]{3,2,1,0}",
                &work_group_facts, &work_group_tuning);
  assert_int_equal(found.columns.axis_count, 1);
  assert_int_equal(found.columns.axes[0], 0);
  assert_int_equal(rlt_group_length(&found.columns), 79 * 16);
  assert_int_equal(found.rows.axis_count, 1);
  assert_int_equal(rlt_group_length(&found.rows), 3);
}

/* And back, in tiles of no more than that: the columns are the 3 channels of enough pixels that
 * each channel reads a whole line. */
static void test_columns_grow_to_source_lines(void **state) {
  (void)state;
  rlt_tuning least = work_group_tuning;
  least.tile_bytes = 3 * 16 * 4;
  const rlt_schedule found = chosen_by("permute", "f32[2,3,100,100]{3,2,1,0}",
                                       "f32[2,3,100,100]{1,3,2,0}", &work_group_facts, &least);
  assert_int_equal(found.columns.axis_count, 2);
  assert_int_equal(rlt_group_length(&found.columns), 3 * 16);
  assert_int_equal(rlt_group_length(&found.rows), 1);
}

/* Every axis of 2, reversed: tiles stay within the bytes the device allows. */
static void test_groups_keep_their_budget(void **state) {
  (void)state;
  rlt_tuning small = work_group_tuning;
  for (small.tile_bytes = 16; small.tile_bytes <= 65536; small.tile_bytes *= 2) {
    const rlt_schedule found =
        chosen_by("permute", "c128[2,2,2,2,2,2,2,2,2,2,2,2,2,2]{13,12,11,10,9,8,7,6,5,4,3,2,1,0}",
                  "c128[2,2,2,2,2,2,2,2,2,2,2,2,2,2]{0,1,2,3,4,5,6,7,8,9,10,11,12,13}",
                  &work_group_facts, &small);
    const int64_t elements = rlt_group_length(&found.columns) * rlt_group_length(&found.rows);
    assert_true(elements * 16 <= small.tile_bytes);
  }
}

/* The same by channels: two pieces of four pixels for each work-item, of each of the 3. */
static void test_pixels_and_channels(void **state) {
  (void)state;
  const rlt_schedule found = chosen("f32[2,3,100,100]{1,3,2,0}", "f32[2,3,100,100]{3,2,1,0}",
                                    &work_group_facts, &work_group_tuning);
  expect_method(&found, "interleave");
  assert_int_equal(found.columns.axis_count, 1);
  assert_int_equal(found.columns.axes[0], 0);
  assert_int_equal(rlt_group_length(&found.columns), 2 * work_group_facts.group_size * 4);
  assert_int_equal(found.rows.axis_count, 1);
  assert_int_equal(rlt_group_length(&found.rows), 3);
}

/* A tile of a layout has 128 pixels of 2 channels; of its other axes the longest gives the runs,
 * as many as pixels leave room for. */
static void test_runs_of_pixels(void **state) {
  (void)state;
  const rlt_schedule found = chosen("bf16[4096,256]", "bf16[4096,256]{1,0:T(8,128)(2,1)}",
                                    &work_group_facts, &work_group_tuning);
  expect_method(&found, "interleave");
  assert_int_equal(found.columns.axis_count, 2);
  assert_int_equal(found.columns.inner, 128);
  assert_int_equal(rlt_group_length(&found.columns), 2 * work_group_facts.group_size * 8);
  assert_int_equal(rlt_group_length(&found.rows), 2);
}

/* ---- Of a worker alone ---- */

typedef struct buffered_tile {
  const char *from;
  const char *to;
  const char *method;
  rlt_group columns;
  rlt_group rows;
} buffered_tile;

/* By hand, with lines of 16 floats. The last axis of a group, unless it is its first, is cut into
 * blocks of equal length. */
static const buffered_tile buffered_tiles[] = {
    /* 512 bytes of a column and 256 of a row. */
    {"f32[4097,8191]{1,0}", "f32[4097,8191]{0,1}", "transpose", {1, {0}, 1, 128}, {1, {1}, 1, 64}},
    /* A half more than 512 bytes is no two blocks, and leaves room for 8192 / 192 rows. */
    {"f32[192,8191]{1,0}", "f32[192,8191]{0,1}", "transpose", {1, {0}, 1, 192}, {1, {1}, 1, 42}},
    /* Pixels into planes: 512 pixels hold all that lies between the reads. */
    {"u8[1000003,3]{1,0}", "u8[1000003,3]{0,1}", "permute", {1, {0}, 1, 512}, {1, {1}, 1, 3}},
    /* And back: 256 pixels of each plane make a run of 768 bytes. */
    {"u8[3,1000003]{1,0}", "u8[3,1000003]{0,1}", "permute", {1, {0}, 1, 3}, {1, {1}, 1, 256}},
    /* Reversed: 2 x 3 x 4 x 5 = 120 columns run on into the rows' axis of 6. Rows of 7 x 6 = 42
     * have the columns' axis of 5 as their next, 210 in all. */
    {"f32[2,3,4,5,6,7]{5,4,3,2,1,0}",
     "f32[2,3,4,5,6,7]{0,1,2,3,4,5}",
     "permute",
     {4, {0, 1, 2, 3}, 24, 5},
     {2, {5, 4}, 7, 6}},
    /* Pixels widened: 32 make 128 floats, of which 96 have a source. */
    {"f32[100000,3]{1,0}",
     "f32[100000,3]{1,0:PD(100000,4)}",
     "copy",
     {2, {0, 1}, 4, 32},
     {0, {0}, 1, 1}},
    /* Three rows are read of 64 that a tile writes: more of them would not be read either. */
    {"f32[1000,3]{1,0}",
     "f32[1000,3]{0,1:PD(1000,300)}",
     "permute",
     {1, {0}, 1, 128},
     {1, {1}, 1, 64}},
    /* Bytes that lie apart are segments of a byte with gaps of 64. */
    {"u8[1000003,1]{1,0}",
     "u8[1000003,1]{1,0:PD(1000003,4)PV(unknown)}",
     "permute",
     {1, {0}, 1, 512},
     {0, {0}, 1, 1}},
};

static void assert_group(const rlt_group *found, const rlt_group *expected) {
  assert_int_equal(found->axis_count, expected->axis_count);
  for (int32_t i = 0; i < found->axis_count; ++i) {
    assert_int_equal(found->axes[i], expected->axes[i]);
  }
  assert_int_equal(found->inner, expected->inner);
  assert_int_equal(found->steps, expected->steps);
}

/* Destinations are past the cache, so that tiles are put together first. */
static void test_staged_tiles_by_hand(void **state) {
  (void)state;
  rlt_facts past_cache = plain_cpu_facts;
  past_cache.cache_bytes = 1;
  for (size_t i = 0; i < sizeof buffered_tiles / sizeof buffered_tiles[0]; ++i) {
    const buffered_tile *const expected = &buffered_tiles[i];
    const rlt_schedule found = chosen(expected->from, expected->to, &past_cache, &plain_cpu_tuning);
    expect_method(&found, expected->method);
    assert_true(found.buffered);
    assert_group(&found.columns, &expected->columns);
    assert_group(&found.rows, &expected->rows);
  }
}

/* 32 KiB of what both sides go on with: of pixels with 16 channels, which a cache holds twice while
 * they are transposed, half as many. */
static void test_tiles_that_go_on_together(void **state) {
  (void)state;
  rlt_tuning together = plain_cpu_tuning;
  together.together_bytes = 32 << 10;
  const rlt_schedule found =
      chosen("f32[32768,16]{1,0}", "f32[32768,16]{0,1}", &plain_cpu_facts, &together);
  assert_int_equal(rlt_group_length(&found.columns), 256);
  assert_int_equal(rlt_group_length(&found.rows), 16);
}

/* In a cache of 1 MiB, pixels that channels are joined to are written as they come, if they take a
 * block of 16 together; where they go past it, they do too, as runs of pixels begin lines. */
static void test_joined_channels_leave_a_cache_directly(void **state) {
  (void)state;
  static const struct {
    const char *from;
    const char *to;
    bool buffered;
  } cases[] = {{"u8[3,50000]{1,0}", "u8[3,50000]{0,1}", false},
               {"u8[3,6]{1,0}", "u8[3,6]{0,1}", false},
               {"u8[3,5]{1,0}", "u8[3,5]{0,1}", true},
               {"u8[3,1000003]{1,0}", "u8[3,1000003]{0,1}", false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const rlt_schedule found =
        chosen_by("interleave", cases[i].from, cases[i].to, &cpu_facts, &cpu_tuning);
    expect_method(&found, "interleave");
    assert_int_equal(found.buffered, cases[i].buffered);
  }
}

/* Past a cache of 1 MiB, planes that begin lines are written from registers: those of channels that
 * are parted, and up to 16 rows that pixels are transposed to. */
static void test_planes_leave_registers_directly(void **state) {
  (void)state;
  static const struct {
    const char *from;
    const char *to;
    bool buffered;
  } cases[] = {{"u8[1048576,3]{1,0}", "u8[1048576,3]{0,1}", false},
               {"u8[1048577,3]{1,0}", "u8[1048577,3]{0,1}", true},
               {"f32[65536,16]{1,0}", "f32[65536,16]{0,1}", false},
               {"f32[65537,16]{1,0}", "f32[65537,16]{0,1}", true},
               {"f32[65536,17]{1,0}", "f32[65536,17]{0,1}", true},
               {"f32[16,65536]{1,0}", "f32[16,65536]{0,1}", true}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const rlt_schedule found = chosen(cases[i].from, cases[i].to, &cpu_facts, &cpu_tuning);
    assert_true(found.streamed);
    assert_int_equal(found.buffered, cases[i].buffered);
  }
}

/* The cache has runs of its own, and so have tiles that the source holds in one piece. */
static void test_runs_of_cached_and_joined_tiles(void **state) {
  (void)state;
  rlt_facts cached = plain_cpu_facts;
  cached.cache_bytes = 1 << 20;
  rlt_tuning special = plain_cpu_tuning;
  special.words[rlt_word_size_number(4)].tiles[RLT_TILES_CACHED].runs = (rlt_reach){128, 1024};
  special.joined_runs = (rlt_reach){1024, 2048};
  static const struct {
    const char *from;
    const char *to;
    int64_t columns;
    int64_t rows;
  } cases[] = {
      {"f32[512,512]{1,0}", "f32[512,512]{0,1}", 256, 32},   /* 1 MiB */
      {"f32[512,1024]{1,0}", "f32[512,1024]{0,1}", 128, 64}, /* 2 MiB, 128 runs of the source */
      {"f32[8192,16]{1,0}", "f32[8192,16]{0,1}", 512, 16},   /* 512 KiB, and one run */
      {"f32[32768,16]{1,0}", "f32[32768,16]{0,1}", 512, 16}, /* 2 MiB, one run of 128 x 16 floats */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const rlt_schedule found = chosen(cases[i].from, cases[i].to, &cached, &special);
    assert_int_equal(found.columns.steps, cases[i].columns);
    assert_int_equal(found.rows.steps, cases[i].rows);
  }
}

/* 128 columns of 16 rows, 8 KiB, lie together in the source: that counts as far enough where as
 * much is asked for, and not where it is an element more. */
static void test_joined_runs_are_long_enough(void **state) {
  (void)state;
  static const int64_t reads[][2] = {{8188, 512}, {8192, 512}, {8196, 128}}; /* and columns */
  for (size_t i = 0; i < sizeof reads / sizeof reads[0]; ++i) {
    rlt_tuning joined = plain_cpu_tuning;
    joined.joined_runs = (rlt_reach){reads[i][0], 2048};
    const rlt_schedule found =
        chosen("f32[8192,16]{1,0}", "f32[8192,16]{0,1}", &plain_cpu_facts, &joined);
    assert_int_equal(found.columns.steps, reads[i][1]);
    assert_int_equal(found.rows.steps, 16);
  }
}

/* Runs of 512 bytes are copied straight, and so is what has one axis alone. */
static void test_long_runs_go_straight(void **state) {
  (void)state;
  rlt_facts past_cache = plain_cpu_facts;
  past_cache.cache_bytes = 1;
  static const struct {
    const char *from;
    const char *to;
    rlt_move move;
  } copies[] = {
      {"f32[8,9,127]{2,1,0}", "f32[8,9,127]{2,0,1}", RLT_MOVE_COPY_RUNS},
      {"f32[8,9,128]{2,1,0}", "f32[8,9,128]{2,0,1}", RLT_MOVE_COPY},
      {"f32[5]", "f32[5]", RLT_MOVE_COPY},
      {"f32[64,64]{1,0}", "f32[64,64]{1,0}", RLT_MOVE_COPY},
  };
  for (size_t i = 0; i < sizeof copies / sizeof copies[0]; ++i) {
    const rlt_schedule found = chosen(copies[i].from, copies[i].to, &past_cache, &plain_cpu_tuning);
    expect_method(&found, "copy");
    assert_int_equal(found.move, copies[i].move);
    assert_int_equal(found.buffered, copies[i].move == RLT_MOVE_COPY_RUNS);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_groups_by_hand),
      cmocka_unit_test(test_columns_grow_to_source_lines),
      cmocka_unit_test(test_pixels_and_channels),
      cmocka_unit_test(test_runs_of_pixels),
      cmocka_unit_test(test_groups_keep_their_budget),
      cmocka_unit_test(test_staged_tiles_by_hand),
      cmocka_unit_test(test_tiles_that_go_on_together),
      cmocka_unit_test(test_joined_channels_leave_a_cache_directly),
      cmocka_unit_test(test_planes_leave_registers_directly),
      cmocka_unit_test(test_runs_of_cached_and_joined_tiles),
      cmocka_unit_test(test_joined_runs_are_long_enough),
      cmocka_unit_test(test_long_runs_go_straight),
  };
  return cmocka_run_group_tests_name("plan.tiles", tests, NULL, NULL);
}
