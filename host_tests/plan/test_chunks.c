/* test_chunks.c: plans that are cut into boxes: which ones, by hand, and that they are all there
 * is. */
#include "cmocka_all.h"

#include <string.h>

#include "plan/chunks.h"
#include "plan/recorder.h"
#include "relayout/relayout.h"
#include "shape_of.h"
#include "view_of.h"

static relayout_plan *plan_of(relayout_device *device, const relayout_view *from,
                              const relayout_view *to, rlt_chunk_limits limits) {
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.source_chunk_bytes = limits.source;
  options.destination_chunk_bytes = limits.destination;
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create_between(device, from, to, &options, &plan, NULL),
                   RELAYOUT_OK);
  return plan;
}

static relayout_plan *whole_plan(relayout_device *device, const char *from_text,
                                 const char *to_text) {
  const relayout_shape from_shape = shape_of(from_text);
  const relayout_shape to_shape = shape_of(to_text);
  const relayout_view from = view_of(&from_shape, NULL);
  const relayout_view to = view_of(&to_shape, NULL);
  return plan_of(device, &from, &to, (rlt_chunk_limits){0, 0});
}

static void make_boxes(const relayout_plan *plan, rlt_chunk_limits limits, rlt_equal_boxes *boxes) {
  assert_int_equal(rlt_equal_boxes_make(plan, limits, boxes, NULL), RELAYOUT_OK);
}

/* ---- Sizes ---- */

static const struct {
  const char *from;
  const char *to;
  rlt_chunk_limits limits;
  int64_t sizes[2];
} by_hand[] = {
    /* 999 * 1000 + 999 bytes lie before the last one. */
    {"u8[1000,1000]", "u8[1000,1000]{0,1}", {0, 0}, {1000, 1000}},
    {"u8[1000,1000]", "u8[1000,1000]{0,1}", {1000000, 0}, {1000, 1000}},
    /* Rows are halved, in whole 256, 128, ... of them: 500 are 512 then. */
    {"u8[1000,1000]", "u8[1000,1000]{0,1}", {999999, 0}, {512, 1000}},
    {"u8[1000,1000]", "u8[1000,1000]{0,1}", {512000, 0}, {512, 1000}},
    {"u8[1000,1000]", "u8[1000,1000]{0,1}", {511999, 0}, {256, 1000}},
    {"u8[1000,1000]", "u8[1000,1000]{0,1}", {64000, 0}, {64, 1000}},
    /* The destination goes along the other dimension, and both may be cut. */
    {"u8[1000,1000]", "u8[1000,1000]{0,1}", {0, 64000}, {1000, 64}},
    {"u8[1000,1000]", "u8[1000,1000]{0,1}", {512000, 512000}, {512, 512}},
    /* One row, and then parts of it, until nothing is left to be cut. */
    {"u8[1000,1000]", "u8[1000,1000]{0,1}", {1000, 0}, {1, 1000}},
    {"u8[1000,1000]", "u8[1000,1000]{0,1}", {999, 0}, {1, 512}},
    {"u8[1000,1000]", "u8[1000,1000]{0,1}", {1, 1}, {1, 1}},
    /* Bytes, not elements; padding lies between rows, and packed elements are half a byte. */
    {"f32[1000,1000]", "f32[1000,1000]{0,1}", {2048000, 0}, {512, 1000}},
    {"f32[1000,1000]", "f32[1000,1000]{0,1}", {2047996, 0}, {256, 1000}},
    {"u8[1000,1000]{1,0:PD(1000,2000)}", "u8[1000,1000]", {512000, 0}, {256, 1000}},
    {"u4[1000,1000]{1,0:E(4)}", "u8[1000,1000]", {256000, 0}, {512, 1000}},
    /* Of 6 steps a half is 4 in whole twos, of 12 it is 8 in whole fours, and of 3 it is 1. */
    {"u8[6,1000]", "u8[6,1000]", {5999, 0}, {4, 1000}},
    {"u8[12,1000]", "u8[12,1000]", {11999, 0}, {8, 1000}},
    {"u8[3,1000]", "u8[3,1000]", {2999, 0}, {1, 1000}},
    {"u8[4,1000]", "u8[4,1000]", {3999, 0}, {2, 1000}},
    {"u8[2,1000]", "u8[2,1000]", {1999, 0}, {1, 1000}},
    {"u8[18,1000]", "u8[18,1000]", {17999, 0}, {16, 1000}},
    /* The last element is within the limit as a whole. */
    {"c128[1000,1000]", "c128[1000,1000]{0,1}", {8192000, 0}, {512, 1000}},
    {"c128[1000,1000]", "c128[1000,1000]{0,1}", {8191999, 0}, {256, 1000}},
    /* Nothing is far from anything in an array without elements. */
    {"u8[0,1000]", "u8[0,1000]{0,1}", {1, 1}, {0, 1000}},
    /* Many: no more than 1024 at once. */
    {"u8[6000,1000]", "u8[6000,1000]", {5999999, 0}, {3072, 1000}},
    /* A dimension of one index has nothing to be cut. */
    {"u8[1,1000]", "u8[1,1000]", {999, 0}, {1, 512}},
    {"u8[1000,1]", "u8[1000,1]", {999, 0}, {512, 1}},
    /* The farther step is cut, whichever of both sides' limits asks for it. */
    {"u8[1000,1000]{0,1}", "u8[1000,1000]{0,1}", {512000, 0}, {1000, 512}},
};

static void test_sizes_by_hand(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_device(&record);
  for (size_t i = 0; i < sizeof by_hand / sizeof by_hand[0]; ++i) {
    relayout_plan *const plan = whole_plan(device, by_hand[i].from, by_hand[i].to);
    rlt_equal_boxes boxes;
    print_message("case %zu\n", i);
    rlt_plan_views views;
    rlt_plan_get_views(plan, &views);
    assert_int_equal(plan->chunk_count, 0);
    make_boxes(plan, by_hand[i].limits, &boxes);
    assert_int_equal(boxes.rank, 2);
    for (int d = 0; d < 2; ++d) {
      assert_int_equal(boxes.all.start[d], 0);
      assert_int_equal(boxes.all.sizes[d], views.from.shape.dimensions[d]);
      assert_int_equal(boxes.sizes[d], by_hand[i].sizes[d]);
      assert_int_equal(boxes.next[d], 0);
    }
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(device);
}

/* Backwards is as far as forwards, and of strides nobody else counts. */
static void test_sizes_of_views(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_device(&record);
  const relayout_shape shape = shape_of("u8[1000,100]");
  const relayout_view from = view_of(&shape, (const int64_t[]){-1000, 2});
  const relayout_view to = view_of(&shape, NULL);
  relayout_plan *const plan = plan_of(device, &from, &to, (rlt_chunk_limits){0, 0});
  rlt_equal_boxes boxes;
  /* 511 * 1000 + 99 * 2, and that is not less than itself. */
  make_boxes(plan, (rlt_chunk_limits){511199, 0}, &boxes);
  assert_int_equal(boxes.sizes[0], 512);
  assert_int_equal(boxes.sizes[1], 100);
  make_boxes(plan, (rlt_chunk_limits){511198, 0}, &boxes);
  assert_int_equal(boxes.sizes[0], 256);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* 2 steps of 20 and 4 of 10 are as far: the first dimension is cut. */
static void test_sizes_as_far(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_device(&record);
  const relayout_shape shape = shape_of("u8[3,5]");
  const relayout_view from = view_of(&shape, (const int64_t[]){20, 10});
  const relayout_view to = view_of(&shape, NULL);
  relayout_plan *const plan = plan_of(device, &from, &to, (rlt_chunk_limits){0, 0});
  rlt_equal_boxes boxes;
  make_boxes(plan, (rlt_chunk_limits){80, 0}, &boxes);
  assert_int_equal(boxes.sizes[0], 1);
  assert_int_equal(boxes.sizes[1], 5);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* All that there is of a box, as far as it is from the array's start. */
static void test_boxes_of_a_box(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_device(&record);
  const relayout_shape shape = shape_of("u8[1000,1000]");
  const relayout_view view = view_of(&shape, NULL);
  relayout_plan *plan = NULL;
  rlt_equal_boxes boxes;
  rlt_index_box box;
  assert_int_equal(relayout_plan_create_range(device, &view, &view, (const int64_t[]){7, 5},
                                              (const int64_t[]){10, 20}, NULL, &plan, NULL),
                   RELAYOUT_OK);
  make_boxes(plan, (rlt_chunk_limits){9020, 0}, &boxes);
  assert_int_equal(boxes.sizes[0], 10);
  make_boxes(plan, (rlt_chunk_limits){9019, 0}, &boxes);
  assert_int_equal(boxes.sizes[0], 8);
  assert_true(rlt_equal_boxes_next(&boxes, &box));
  assert_int_equal(box.start[0], 7);
  assert_int_equal(box.start[1], 5);
  assert_int_equal(box.sizes[0], 8);
  assert_int_equal(box.sizes[1], 20);
  assert_false(rlt_equal_boxes_next(&boxes, &box));
  assert_int_equal(box.start[0], 15);
  assert_int_equal(box.start[1], 5);
  assert_int_equal(box.sizes[0], 2);
  assert_int_equal(box.sizes[1], 20);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* ---- Their plans ---- */

/* The first dimension fastest: 10 by 7 in boxes of 4 by 4. */
static void test_boxes_follow_each_other(void **state) {
  (void)state;
  static const rlt_index_box expected[] = {{{0, 0}, {4, 4}}, {{4, 0}, {4, 4}}, {{8, 0}, {2, 4}},
                                           {{0, 4}, {4, 3}}, {{4, 4}, {4, 3}}, {{8, 4}, {2, 3}}};
  rlt_equal_boxes boxes = {.rank = 2, .all = {{0, 0}, {10, 7}}, .sizes = {4, 4}};
  for (int i = 0; i < 6; ++i) {
    rlt_index_box box;
    assert_int_equal(rlt_equal_boxes_next(&boxes, &box), i < 5);
    for (int d = 0; d < 2; ++d) {
      assert_int_equal(box.start[d], expected[i].start[d]);
      assert_int_equal(box.sizes[d], expected[i].sizes[d]);
    }
  }
}

/* 1000 rows in chunks of 256: three by one plan, and one of 232; plans that have no chunks, and
 * that say whether their destination is staged. */
static void test_chunks_of_a_plan(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_device(&record);
  const relayout_shape shape = shape_of("u8[1000,1000]");
  const relayout_view view = view_of(&shape, NULL);
  static const rlt_chunk_limits limits[] = {{300000, 0}, {0, 300000}, {300000, 300000}};
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; ++i) {
    relayout_plan *const plan = plan_of(device, &view, &view, limits[i]);
    assert_int_equal(plan->chunk_count, 4);
    assert_int_equal(plan->chunk_plan_count, 2);
    for (size_t c = 0; c < 4; ++c) {
      const rlt_chunk *const chunk = &plan->chunks[c];
      assert_ptr_equal(chunk->plan, plan->chunk_plans[c < 3 ? 0 : 1]);
      assert_int_equal(chunk->source, c < 3 ? 256000 * c : 0);
      assert_int_equal(chunk->destination, c < 3 ? 256000 * c : 0);
    }
    for (size_t p = 0; p < 2; ++p) {
      const relayout_plan *const part = plan->chunk_plans[p];
      assert_int_equal(part->box->start[0], p == 0 ? 0 : 768);
      assert_int_equal(part->box->sizes[0], p == 0 ? 256 : 232);
      assert_int_equal(part->box->start[1], 0);
      assert_int_equal(part->box->sizes[1], 1000);
      assert_int_equal(part->chunk_count, 0);
      assert_int_equal(part->request.stages_destination, limits[i].destination > 0);
      assert_int_equal(part->request.chunks.source, 0);
      assert_int_equal(part->request.chunks.destination, 0);
    }
    const uint64_t parts =
        rlt_plan_host_bytes(plan->chunk_plans[0]) + rlt_plan_host_bytes(plan->chunk_plans[1]);
    const uint64_t alone =
        rlt_plan_host_bytes(plan->chunk_plans[0]) - sizeof(rlt_index_box); /* it has no chunks */
    assert_int_equal(rlt_plan_host_bytes(plan),
                     alone + parts + 2 * sizeof(relayout_plan *) + 4 * sizeof(rlt_chunk));
    relayout_plan_destroy(plan);
  }
  /* What is within the limits has none. */
  relayout_plan *const within = plan_of(device, &view, &view, (rlt_chunk_limits){1000000, 1000000});
  assert_int_equal(within->chunk_count, 0);
  relayout_plan_destroy(within);
  relayout_device_destroy(device);
  assert_int_equal(record.programs_alive, 0);
  assert_false(record.device_alive);
}

/* Chunks that are alike share a plan: on both sides as far apart as their boxes are, in steps that
 * a caller's sides could be apart; each edge is a kind of its own, and so is what is filled. */
static const struct {
  const char *from;
  const char *to;
  rlt_chunk_limits limits;
  size_t chunks;
  size_t plans;
  size_t number; /* a chunk, and how far its sides are from its plan's */
  int64_t source;
  int64_t destination;
} kinds[] = {
    /* Four by four boxes of 256 x 256. */
    {"u8[1024,1024]", "u8[1024,1024]{0,1}", {262144, 262144}, 16, 1, 6, 524544, 262656},
    /* The last of each dimension, and the one of both, have 232. */
    {"u8[1000,1000]", "u8[1000,1000]{0,1}", {256000, 256000}, 16, 4, 5, 256256, 256256},
    {"f32[64,256]", "f32[64,256]{1,0:T(8,128)}", {16384, 0}, 4, 1, 3, 49152, 49152},
    /* Padding is written with the last rows, and the last columns of every box. */
    {"u8[1000,100]", "u8[1000,100]{1,0:PD(1010,128)}", {25600, 0}, 4, 2, 2, 51200, 65536},
    /* Packed elements are moved by whole bytes, and elements by whole ones. */
    {"u4[64,64]{1,0:E(4)}", "u8[64,64]", {512, 0}, 4, 1, 3, 1536, 3072},
};

static void test_kinds_of_chunks(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_device(&record);
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
    const relayout_shape from_shape = shape_of(kinds[i].from);
    const relayout_shape to_shape = shape_of(kinds[i].to);
    const relayout_view from = view_of(&from_shape, NULL);
    const relayout_view to = view_of(&to_shape, NULL);
    relayout_plan *const plan = plan_of(device, &from, &to, kinds[i].limits);
    print_message("case %zu\n", i);
    assert_int_equal(plan->chunk_count, kinds[i].chunks);
    assert_int_equal(plan->chunk_plan_count, kinds[i].plans);
    assert_int_equal(plan->chunks[kinds[i].number].source, kinds[i].source);
    assert_int_equal(plan->chunks[kinds[i].number].destination, kinds[i].destination);
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(device);
}

/* 16384 chunks of one kind take less than a megabyte. */
static void test_memory_of_chunks(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_device(&record);
  const relayout_shape shape = shape_of("u8[512,512]");
  const relayout_shape turned = shape_of("u8[512,512]{0,1}");
  const relayout_view from = view_of(&shape, NULL);
  const relayout_view to = view_of(&turned, NULL);
  relayout_plan *const plan = plan_of(device, &from, &to, (rlt_chunk_limits){16, 0});
  assert_int_equal(plan->chunk_count, 16384);
  assert_int_equal(plan->chunk_plan_count, 1);
  assert_true(rlt_plan_host_bytes(plan) < 1000000);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  assert_int_equal(record.programs_alive, 0);
}

/* 521 boxes of 1024 columns begin in another column of their first tile each. */
static void test_chunks_that_differ(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_device(&record);
  const relayout_shape from = shape_of("u8[2,533504]");
  const relayout_shape to = shape_of("u8[2,533504]{1,0:T(2,521)}");
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.destination_chunk_bytes = 3000;
  relayout_plan *plan = NULL;
  relayout_error error;
  assert_int_equal(relayout_plan_create(device, &from, &to, &options, &plan, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message,
                      "options->source_chunk_bytes 0 and destination_chunk_bytes 3000 make chunks "
                      "of more than 256 kinds, each of which needs a plan");
  assert_null(plan);
  relayout_device_destroy(device);
  assert_int_equal(record.programs_alive, 0);
}

/* A device that stages nothing has no use for chunks. */
static void test_device_without_staging(void **state) {
  (void)state;
  relayout_device *device = NULL;
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  const relayout_shape shape = shape_of("u8[512,512]");
  const relayout_view view = view_of(&shape, NULL);
  relayout_plan *const plan = plan_of(device, &view, &view, (rlt_chunk_limits){16, 16});
  assert_int_equal(plan->chunk_count, 0);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* The least limit of either side: an element each. */
static void test_chunks_of_an_element(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_device(&record);
  const relayout_shape shape = shape_of("u8[4]");
  const relayout_view view = view_of(&shape, NULL);
  static const rlt_chunk_limits limits[] = {{1, 0}, {0, 1}, {1, 1}};
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; ++i) {
    relayout_plan *const plan = plan_of(device, &view, &view, limits[i]);
    assert_int_equal(plan->chunk_count, 4);
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(device);
}

static void test_chunks_that_are_too_many(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_device(&record);
  static const char *const texts[] = {"u8[16385]", "u8[130,130]", "u8[16384,2]",
                                      "u8[300000000,300000000]"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    const relayout_shape shape = shape_of(texts[i]);
    relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
    options.source_chunk_bytes = 1;
    options.destination_chunk_bytes = 2;
    relayout_plan *plan = NULL;
    relayout_error error;
    print_message("%s\n", texts[i]);
    assert_int_equal(relayout_plan_create(device, &shape, &shape, &options, &plan, &error),
                     RELAYOUT_INVALID_ARGUMENT);
    assert_string_equal(error.message, "options->source_chunk_bytes 1 and destination_chunk_bytes "
                                       "2 make more than 16384 chunks");
    assert_null(plan);
  }
  relayout_device_destroy(device);
  assert_false(record.device_alive);
}

/* A relayout that has no boxes, and one that moves nothing, go without. */
static void test_plans_without_chunks(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_device(&record);
  static const char *const sides[][2] = {{"u8[630]{0:T(9)}", "u8[630]{0:T(7)}"},
                                         {"u8[0,1000]", "u8[0,1000]{0,1}"},
                                         {"u8[0,1000]", "u8[0,1000]{1,0:PD(4,1000)PV(1)}"}};
  for (size_t i = 0; i < sizeof sides / sizeof sides[0]; ++i) {
    const relayout_shape from_shape = shape_of(sides[i][0]);
    const relayout_shape to_shape = shape_of(sides[i][1]);
    const relayout_view from = view_of(&from_shape, NULL);
    const relayout_view to = view_of(&to_shape, NULL);
    relayout_plan *const plan = plan_of(device, &from, &to, (rlt_chunk_limits){64, 64});
    assert_int_equal(plan->chunk_count, 0);
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(device);
  assert_int_equal(record.programs_alive, 0);
}

/* As many dimensions as there may be. */
static void test_chunks_of_the_highest_rank(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_device(&record);
  relayout_shape shape = {.element_type = RELAYOUT_U8, .rank = RELAYOUT_MAX_RANK};
  shape.layout.rank = RELAYOUT_MAX_RANK;
  for (int32_t d = 0; d < RELAYOUT_MAX_RANK; ++d) {
    shape.dimensions[d] = d == 0 || d == RELAYOUT_MAX_RANK - 1 ? 16 : 1;
    shape.layout.minor_to_major[d] = RELAYOUT_MAX_RANK - 1 - d;
  }
  const relayout_view view = view_of(&shape, NULL);
  relayout_plan *const plan = plan_of(device, &view, &view, (rlt_chunk_limits){0, 8});
  assert_int_equal(plan->chunk_count, 2 * 16);
  for (size_t c = 0; c < plan->chunk_count; ++c) {
    assert_ptr_equal(plan->chunks[c].plan, plan->chunk_plans[0]);
    assert_int_equal(plan->chunks[c].source, 16 * (c % 16) + c / 16 * 8);
    assert_int_equal(plan->chunks[c].destination, plan->chunks[c].source);
  }
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sizes_by_hand),
      cmocka_unit_test(test_sizes_of_views),
      cmocka_unit_test(test_sizes_as_far),
      cmocka_unit_test(test_boxes_of_a_box),
      cmocka_unit_test(test_boxes_follow_each_other),
      cmocka_unit_test(test_chunks_of_a_plan),
      cmocka_unit_test(test_kinds_of_chunks),
      cmocka_unit_test(test_memory_of_chunks),
      cmocka_unit_test(test_chunks_that_differ),
      cmocka_unit_test(test_device_without_staging),
      cmocka_unit_test(test_chunks_of_an_element),
      cmocka_unit_test(test_chunks_that_are_too_many),
      cmocka_unit_test(test_plans_without_chunks),
      cmocka_unit_test(test_chunks_of_the_highest_rank),
  };
  return cmocka_run_group_tests_name("plan.chunks", tests, NULL, NULL);
}
