/* test_cache.c: which plans a cache finds, which it drops first, and what it tells of them. */
#include "cmocka_all.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "metadata/packed_view.h"
#include "plan/cache.h"
#include "plan/held.h"
#include "plan/recorder.h"
#include "relayout/relayout.h"
#include "shape_of.h"

enum { CAPACITY = 64 };

/* Programs take a byte for each two elements that their schedules move. */
static size_t program_bytes(const void *program) {
  return (size_t)rlt_problem_digit_lists(((const rlt_schedule *)program)->problem) / 2;
}

/* A cache of a test's own, and a device that plans are made for without it. */
typedef struct bench {
  recorder record;
  relayout_device *device;
  const rlt_backend *own_backend;
  rlt_backend backend;
  rlt_plan_cache *cache;
  rlt_plan_request request; /* of all plans */
} bench;

static void set_up(bench *made) {
  made->device = recorder_device(&made->record);
  made->own_backend = made->device->backend;
  made->backend = *made->own_backend;
  made->backend.executable_bytes = program_bytes;
  made->device->backend = &made->backend;
  rlt_plan_request_clear(&made->request);
  assert_int_equal(rlt_plan_cache_create(&made->cache, NULL), RELAYOUT_OK);
}

static void tear_down(bench *dropped) {
  rlt_plan_cache_clear(dropped->cache);
  assert_int_equal(dropped->record.programs_alive, 0);
  rlt_plan_cache_destroy(dropped->cache);
  dropped->device->backend = dropped->own_backend;
  relayout_device_destroy(dropped->device);
}

/* Memory of the host's that each of these plans takes, which have one part and one program: enough
 * to count them by a budget. */
static uint64_t host_bytes(void) {
  enum { VIEW_NUMBERS = 8, AXES = 1 };
  return sizeof(relayout_plan) + 2 * VIEW_NUMBERS * sizeof(int64_t) + sizeof(rlt_part) +
         offsetof(rlt_problem, axes) + AXES * sizeof(rlt_axis) + sizeof(rlt_variant) +
         sizeof(rlt_schedule);
}

/* Pairs of elements of 16 bytes, which no words are wider than: one axis, and one program of as
 * many bytes. */
static relayout_shape shape_of_size(int64_t size) {
  const int64_t sizes[] = {size, 2};
  relayout_shape shape;
  assert_int_equal(relayout_shape_make(RELAYOUT_C128, 2, sizes, &shape, NULL), RELAYOUT_OK);
  return shape;
}

/* Adds a plan that nobody else holds. */
static void add(bench *to, int64_t size) {
  const relayout_shape shape = shape_of_size(size);
  const rlt_texts none = {0, NULL};
  relayout_plan *plan = NULL;
  assert_int_equal(rlt_plan_create(to->device, &shape, &shape, &to->request, none, &plan, NULL),
                   RELAYOUT_OK);
  assert_int_equal(rlt_plan_device_bytes(plan), size);
  assert_int_equal(rlt_plan_host_bytes(plan), host_bytes());
  rlt_plan_cache_add(to->cache, plan);
  relayout_plan_destroy(plan);
}

static bool finds(bench *in, int64_t size) {
  const relayout_shape shape = shape_of_size(size);
  const rlt_view view = rlt_view_of_shape(&shape);
  relayout_plan *const found = rlt_plan_cache_find(in->cache, &view, &view, &in->request);
  if (found != NULL) {
    rlt_plan_views views;
    rlt_plan_get_views(found, &views);
    assert_int_equal(views.from.shape.dimensions[0], size);
    relayout_plan_destroy(found);
  }
  return found != NULL;
}

static void expect_usage(bench *of, uint64_t plans, uint64_t bytes, uint64_t budget) {
  relayout_device_usage usage = RELAYOUT_DEVICE_USAGE_INIT;
  rlt_plan_cache_tell(of->cache, &usage);
  assert_int_equal(usage.plans, plans);
  assert_int_equal(usage.device_bytes, bytes);
  assert_int_equal(usage.host_bytes, plans * host_bytes());
  assert_true(usage.budget_bytes == budget);
  assert_int_equal(of->record.programs_alive, plans); /* dropped ones are gone */
}

/* Of 64 plans who was used least lately goes first, and finding is use. */
static void test_least_lately_used_goes(void **state) {
  (void)state;
  bench on;
  set_up(&on);
  const uint64_t budget = CAPACITY * host_bytes() + 5000;
  rlt_plan_cache_set_budget(on.cache, budget);
  assert_false(finds(&on, 1));
  for (int64_t size = 1; size <= CAPACITY; ++size) {
    add(&on, size);
  }
  expect_usage(&on, CAPACITY, CAPACITY * (CAPACITY + 1) / 2, budget);
  for (int64_t size = 1; size <= CAPACITY; ++size) {
    assert_true(finds(&on, size)); /* the first is the oldest again */
  }
  assert_true(finds(&on, 1));
  assert_true(finds(&on, 3));
  add(&on, 100);
  assert_false(finds(&on, 2));
  expect_usage(&on, CAPACITY, CAPACITY * (CAPACITY + 1) / 2 - 2 + 100, budget);
  add(&on, 101);
  add(&on, 102);
  assert_false(finds(&on, 4));
  assert_false(finds(&on, 5));
  static const int64_t stay[] = {1, 3, 6, 7, 63, 64, 100, 101, 102};
  for (size_t i = 0; i < sizeof stay / sizeof stay[0]; ++i) {
    assert_true(finds(&on, stay[i]));
  }
  tear_down(&on);
}

/* As many bytes as they may have, of both kinds, are not too many; one more is, and the oldest
 * goes. */
static void test_budget_by_hand(void **state) {
  (void)state;
  bench on;
  set_up(&on);
  const uint64_t one = host_bytes(), three = 3 * one;
  expect_usage(&on, 0, 0, RELAYOUT_DEFAULT_BUDGET);
  add(&on, 10);
  add(&on, 20);
  add(&on, 30);
  rlt_plan_cache_set_budget(on.cache, three + 60);
  expect_usage(&on, 3, 60, three + 60);
  rlt_plan_cache_set_budget(on.cache, three + 59);
  expect_usage(&on, 2, 50, three + 59);
  assert_false(finds(&on, 10));
  assert_true(finds(&on, 20)); /* the last now */
  add(&on, 9);
  expect_usage(&on, 3, 59, three + 59);
  add(&on, 5);
  expect_usage(&on, 3, 34, three + 59);
  assert_false(finds(&on, 30));
  add(&on, 50);
  expect_usage(&on, 2, 55, three + 59);
  assert_false(finds(&on, 20));
  assert_false(finds(&on, 9));
  rlt_plan_cache_set_budget(on.cache, one + 59);
  expect_usage(&on, 1, 50, one + 59);
  add(&on, 60); /* more than all may have is not kept, and leaves nothing */
  expect_usage(&on, 0, 0, one + 59);
  add(&on, 59);
  expect_usage(&on, 1, 59, one + 59);
  rlt_plan_cache_set_budget(on.cache, one + 58);
  expect_usage(&on, 0, 0, one + 58);
  rlt_plan_cache_set_budget(on.cache, 0);
  add(&on, 7);
  expect_usage(&on, 0, 0, 0);
  rlt_plan_cache_set_budget(on.cache, UINT64_MAX);
  add(&on, 7);
  add(&on, 8);
  expect_usage(&on, 2, 15, UINT64_MAX);
  rlt_plan_cache_clear(on.cache);
  expect_usage(&on, 0, 0, UINT64_MAX);
  add(&on, 7);
  expect_usage(&on, 1, 7, UINT64_MAX);
  tear_down(&on);
}

/* As many as the budget allows, by whatever they differ in: each is found, and goes in its turn. */
static void test_thousands_of_plans(void **state) {
  (void)state;
  enum { MANY = 3000 };
  bench on;
  set_up(&on);
  rlt_plan_cache_set_budget(on.cache, UINT64_MAX);
  for (int64_t size = 1; size <= MANY; ++size) {
    add(&on, size);
  }
  expect_usage(&on, MANY, (uint64_t)MANY * (MANY + 1) / 2, UINT64_MAX);
  for (int64_t size = 1; size <= MANY; ++size) {
    assert_true(finds(&on, size));
  }
  assert_false(finds(&on, MANY + 1));
  const uint64_t rest = (uint64_t)MANY * (MANY + 1) / 2 - 1000 * 1001 / 2;
  const uint64_t budget = (MANY - 1000) * host_bytes() + rest;
  rlt_plan_cache_set_budget(on.cache, budget);
  expect_usage(&on, MANY - 1000, rest, budget);
  for (int64_t size = 1; size <= MANY; ++size) {
    assert_int_equal(finds(&on, size), size > 1000);
  }
  tear_down(&on);
}

/* The cache lets go of what others hold, which goes on. */
static void test_holders(void **state) {
  (void)state;
  bench on;
  set_up(&on);
  add(&on, 10);
  const relayout_shape shape = shape_of_size(10);
  const rlt_view view = rlt_view_of_shape(&shape);
  relayout_plan *const held = rlt_plan_cache_find(on.cache, &view, &view, &on.request);
  assert_non_null(held);
  rlt_plan_cache_clear(on.cache);
  assert_int_equal(on.record.programs_alive, 1);
  assert_false(finds(&on, 10));
  assert_int_equal(relayout_plan_source_size(held), 2 * 160);
  relayout_plan_destroy(held);
  assert_int_equal(on.record.programs_alive, 0);
  tear_down(&on);
}

/* ---- Who is who ---- */

static const char *const texts[] = {
    "f32[2,3]{1,0}",
    "f32[3,2]{1,0}",
    "f32[2,3]{0,1}",
    "s32[2,3]{1,0}",
    "f32[2,3]{1,0:S(5)}",
    "f32[2,3]{1,0:L(8)}",
    "f32[2,3]{1,0:PD(2,4)}",
    "f32[2,3]{1,0:PD(2,5)}",
    "f32[2,3]{1,0:PD(3,4)}",
    "f32[2,3]{1,0:PD(2,4)PV(one)}",
    "f32[2,3]{1,0:PD(2,4)PV(1.5)}",
    "f32[2,3]{1,0:PD(2,4)PV(2.5)}",
    "f32[2,3]{1,0:T(2)}",
    "f32[2,3]{1,0:T(4)}",
    "f32[2,3]{1,0:T(2,2)}",
    "f32[2,3]{1,0:T(2,4)}",
    "f32[2,3]{1,0:T(2)(2)}",
    "f32[2,3]{1,0:T(2)(4)}",
    "s4[2,3]{1,0}",
    "s4[2,3]{1,0:E(4)}",
    "f32[2,3,1]{2,1,0}",
    "f32[6]{0}",
};
enum { TEXTS = sizeof texts / sizeof texts[0] };

/* Shapes that differ in one respect have plans of their own, on either side. */
static void test_shapes_are_told_apart(void **state) {
  (void)state;
  bench on;
  set_up(&on);
  relayout_shape shapes[TEXTS];
  relayout_plan *plans[TEXTS];
  const rlt_texts none = {0, NULL};
  for (int i = 0; i < TEXTS; ++i) {
    shapes[i] = shape_of(texts[i]);
    assert_int_equal(
        rlt_plan_create(on.device, &shapes[i], &shapes[i], &on.request, none, &plans[i], NULL),
        RELAYOUT_OK);
    rlt_plan_cache_add(on.cache, plans[i]);
  }
  for (int i = 0; i < TEXTS; ++i) {
    for (int j = 0; j < TEXTS; ++j) {
      const rlt_view from = rlt_view_of_shape(&shapes[i]);
      const rlt_view to = rlt_view_of_shape(&shapes[j]);
      relayout_plan *const found = rlt_plan_cache_find(on.cache, &from, &to, &on.request);
      if (i == j) {
        assert_ptr_equal(found, plans[i]);
        relayout_plan_destroy(found);
      } else {
        assert_null(found);
      }
    }
  }
  for (int i = 0; i < TEXTS; ++i) {
    relayout_plan_destroy(plans[i]);
  }
  tear_down(&on);
}

/* A plan of the first shape is not found by the other one, on either side. */
static void expect_told_apart(const relayout_shape *one, const relayout_shape *other) {
  bench on;
  set_up(&on);
  const rlt_view view = rlt_view_of_shape(one);
  const rlt_view other_view = rlt_view_of_shape(other);
  const rlt_texts none = {0, NULL};
  relayout_plan *plan = NULL;
  assert_int_equal(rlt_plan_create(on.device, one, one, &on.request, none, &plan, NULL),
                   RELAYOUT_OK);
  rlt_plan_cache_add(on.cache, plan);
  assert_null(rlt_plan_cache_find(on.cache, &other_view, &other_view, &on.request));
  assert_null(rlt_plan_cache_find(on.cache, &view, &other_view, &on.request));
  assert_null(rlt_plan_cache_find(on.cache, &other_view, &view, &on.request));
  relayout_plan *const found = rlt_plan_cache_find(on.cache, &view, &view, &on.request);
  assert_ptr_equal(found, plan);
  relayout_plan_destroy(found);
  relayout_plan_destroy(plan);
  tear_down(&on);
}

/* A plan whose hash is the one that is looked for is found only if its views are, too: here one
 * number of them changes after the plan has been added. */
static void test_equal_hashes_are_told_apart(void **state) {
  (void)state;
  bench on;
  set_up(&on);
  const relayout_shape shape = shape_of("f32[20,30]{0,1:PD(24,32)T(8)}");
  const rlt_view view = rlt_view_of_shape(&shape);
  relayout_plan *plan = NULL;
  assert_int_equal(
      rlt_plan_create(on.device, &shape, &shape, &on.request, (rlt_texts){0, NULL}, &plan, NULL),
      RELAYOUT_OK);
  rlt_plan_cache_add(on.cache, plan);
  assert_true(plan->packed_count > 20);
  for (int32_t i = 0; i < plan->packed_count; ++i) {
    ++plan->packed_views[i];
    assert_null(rlt_plan_cache_find(on.cache, &view, &view, &on.request));
    --plan->packed_views[i];
    relayout_plan *const found = rlt_plan_cache_find(on.cache, &view, &view, &on.request);
    assert_ptr_equal(found, plan);
    relayout_plan_destroy(found);
  }
  relayout_plan_destroy(plan);
  tear_down(&on);
}

/* A shape that is not valid is none that was planned, though all else in it is. */
static void test_what_is_not_valid_is_not_found(void **state) {
  (void)state;
  const relayout_shape valid = shape_of("f32[2,3]{1,0}");
  for (int32_t rank = -1; rank <= 3; ++rank) {
    relayout_shape broken = valid;
    broken.layout.rank = rank;
    if (rank != valid.layout.rank) {
      expect_told_apart(&valid, &broken);
    }
  }
}

/* And so do views that differ in strides, where they begin and whether they may be written; and
 * requests. */
static void test_views_and_requests_are_told_apart(void **state) {
  (void)state;
  bench on;
  set_up(&on);
  const relayout_shape shape = shape_of("f32[2,3]{1,0}");
  static const int64_t dense[] = {12, 4}, apart[] = {16, 4}, inner[] = {12, 8};
  const rlt_view views[] = {{.shape = &shape},
                            {.shape = &shape, .byte_strides = dense},
                            {.shape = &shape, .byte_strides = apart},
                            {.shape = &shape, .byte_strides = inner},
                            {.shape = &shape, .byte_offset = 4},
                            {.shape = &shape, .byte_offset = 8},
                            {.shape = &shape, .is_read_only = true}};
  enum { VIEWS = sizeof views / sizeof views[0] };
  rlt_plan_request measured = on.request;
  measured.effort = RELAYOUT_PLAN_MEASURE;
  const rlt_texts none = {0, NULL};
  const rlt_view whole = rlt_view_of_shape(&shape);
  for (int v = 0; v < 2 * VIEWS; ++v) {
    relayout_plan *plan = NULL;
    assert_int_equal(rlt_plan_create(on.device, &shape, &shape, &on.request, none, &plan, NULL),
                     RELAYOUT_OK);
    const rlt_view *const kept = v < VIEWS ? &views[v] : &whole;
    int64_t numbers[2 * RLT_MOST_VIEW_NUMBERS];
    plan->packed_count = rlt_view_pack(kept, numbers);
    plan->packed_count +=
        rlt_view_pack(v < VIEWS ? &whole : &views[v % VIEWS], numbers + plan->packed_count);
    plan->packed_views = rlt_realloc(plan->packed_views, 0, sizeof numbers);
    memcpy(plan->packed_views, numbers, sizeof numbers);
    rlt_plan_cache_add(on.cache, plan);
    for (int other = 0; other < VIEWS; ++other) {
      const rlt_view *const from = v < VIEWS ? &views[other] : &whole;
      const rlt_view *const to = v < VIEWS ? &whole : &views[other];
      relayout_plan *const found = rlt_plan_cache_find(on.cache, from, to, &on.request);
      assert_true(found == (other == v % VIEWS ? plan : NULL));
      if (found != NULL) {
        relayout_plan_destroy(found);
      }
      assert_null(rlt_plan_cache_find(on.cache, from, to, &measured));
    }
    relayout_plan_destroy(plan);
    rlt_plan_cache_clear(on.cache);
  }
  tear_down(&on);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HELD_TEST(test_least_lately_used_goes),
      HELD_TEST(test_budget_by_hand),
      HELD_TEST(test_thousands_of_plans),
      HELD_TEST(test_holders),
      HELD_TEST(test_shapes_are_told_apart),
      HELD_TEST(test_equal_hashes_are_told_apart),
      HELD_TEST(test_what_is_not_valid_is_not_found),
      HELD_TEST(test_views_and_requests_are_told_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
