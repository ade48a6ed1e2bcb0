/* test_tile_order.c: orders of tiles that nobody offers, and the rules that others break. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relayout/relayout.h"

enum { ROWS = 1024, COLUMNS = 1024, TEXT_SIZE = 4096 };

static relayout_device *device;
static relayout_shape from, to;

/* 16 by 16 tiles of 64 rows of axis 1 and 64 columns of axis 0, by two threads at most. */
static int open_device(void **state) {
  (void)state;
  const relayout_cpu_options options = {sizeof options, 2, NULL, NULL};
  return relayout_cpu_device_create(&options, &device, NULL) != RELAYOUT_OK ||
         relayout_shape_parse("f32[1024,1024]", &from, NULL) != RELAYOUT_OK ||
         relayout_shape_parse("f32[1024,1024]{0,1}", &to, NULL) != RELAYOUT_OK;
}

static int close_device(void **state) {
  (void)state;
  relayout_device_destroy(device);
  return 0;
}

/* The first schedule that has such tiles, without its order. */
static char base[TEXT_SIZE];
static char store[64];

static void find_base(void *context, const relayout_schedule_info *info) {
  (void)context;
  const char *const loops = strstr(info->text, " loops=");
  const char *const leaves = strstr(info->text, " store=");
  if (base[0] == '\0' && strstr(info->text, "rows=1:64 columns=0:64 ") != NULL &&
      strstr(leaves, " store=buffered") == leaves && strstr(leaves, "+combined") == NULL) {
    snprintf(base, sizeof base, "%.*s", (int)(loops - info->text), info->text);
    snprintf(store, sizeof store, "%.*s", (int)strcspn(leaves + 1, " ") + 1, leaves);
  }
}

static relayout_status create(const char *order, const char *rest, relayout_plan **plan,
                              relayout_error *error) {
  char text[2 * TEXT_SIZE];
  snprintf(text, sizeof text, "%s loops=%s move=transpose%s%s", base, order, store, rest);
  const char *const texts[] = {text};
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.schedules = texts;
  options.schedule_count = 1;
  return relayout_plan_create(device, &from, &to, &options, plan, error);
}

static void find_tiles(void **state) {
  (void)state;
  relayout_plan *plan;
  assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_visit_schedules(plan, 0, find_base, NULL, NULL), RELAYOUT_OK);
  relayout_plan_destroy(plan);
  assert_string_not_equal(base, "");
}

static void test_any_order_moves_every_tile(void **state) {
  (void)state;
  static const char *const orders[][2] = {
      {"/0,1", ""},
      {"/1,0", " prefetch=3:1"},
      {"0:16,1:16", " prefetch=1:3"},
      {"1:16,0:16", ""},
      {"1:16/0", " prefetch=2:2 threads=2"},
      {"0:3,1:5/1,0", " threads=2"},
      {"1:2/0,1", " prefetch=1:1"},
  };
  static float source[ROWS * COLUMNS];
  static _Alignas(64) float found[ROWS * COLUMNS];
  for (int i = 0; i < ROWS * COLUMNS; ++i) {
    source[i] = (float)i;
  }
  for (size_t i = 0; i < sizeof orders / sizeof orders[0]; ++i) {
    relayout_plan *plan;
    char text[TEXT_SIZE], wanted[128];
    print_message("loops=%s%s\n", orders[i][0], orders[i][1]);
    assert_int_equal(create(orders[i][0], orders[i][1], &plan, NULL), RELAYOUT_OK);
    relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, text, sizeof text);
    snprintf(wanted, sizeof wanted, " loops=%s ", orders[i][0]);
    assert_non_null(strstr(text, wanted));
    memset(found, 0xa5, sizeof found);
    assert_int_equal(relayout_plan_execute(plan, source, found, NULL), RELAYOUT_OK);
    for (int row = 0; row < ROWS; ++row) {
      for (int column = 0; column < COLUMNS; ++column) {
        assert_true(found[column * ROWS + row] == (float)(row * COLUMNS + column));
      }
    }
    relayout_plan_destroy(plan);
  }
}

static void test_rules(void **state) {
  (void)state;
  static const struct {
    const char *order, *rest, *says;
  } cases[] = {
      {"-", "", "axis 0 has tiles left, and is not among the loops over blocks"},
      {"/1", "", "axis 0 has tiles left"},
      {"0:16", "", "axis 1 has tiles left"},
      {"0:3,1:16", "", "axis 0 has tiles left"},
      {"0:16,0:2/1", "", "axis 0 is given twice within a block"},
      {"/0,1,0", "", "axis 0 is given twice over blocks"},
      {"0:16/0,1", "", "axis 0 is within a block as a whole"},
      {"0:1/0,1", "", "axis 0 has 16 tiles, of which a block takes 2 to 16"},
      {"0:17/1", "", "axis 0 has 16 tiles, of which a block takes 2 to 16"},
      {"0/1", "", "axis 0 has 16 tiles, of which a block takes 2 to 16"},
      {"2:2/0,1", "", "axis 2 is not cut into tiles"},
      {"/0,1,7", "", "axis 7 is not cut into tiles"},
      {"/0,x", "", "expected axes as numbers"},
      {"/0,1", " prefetch=4:1", "`prefetch=4:1`: expected 1 to 3 tiles ahead"},
      {"/0,1", " prefetch=1:4", "`prefetch=1:4`: expected 1 to 3 tiles ahead"},
      {"/0,1", " prefetch=1", "`prefetch=1`: expected 1 to 3 tiles ahead"},
      {"/0,1", " threads=3", "`threads=3`: expected 1 to the device's 2"},
      {"/0,1", " threads=0", "`threads=0`: expected 1 to the device's 2"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_plan *plan = NULL;
    relayout_error error;
    print_message("loops=%s%s\n", cases[i].order, cases[i].rest);
    assert_int_equal(create(cases[i].order, cases[i].rest, &plan, &error), RELAYOUT_UNSUPPORTED);
    assert_null(plan);
    if (strstr(error.message, cases[i].says) == NULL) {
      fail_msg("`%s` lacks `%s`", error.message, cases[i].says);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(find_tiles),
      cmocka_unit_test(test_any_order_moves_every_tile),
      cmocka_unit_test(test_rules),
  };
  return cmocka_run_group_tests_name("plan.tile_order", tests, open_device, close_device);
}
