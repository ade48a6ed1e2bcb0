/* test_asked_schedule.c: schedules with tiles and orders that no method offers run; those that
 * break a rule are refused with a message that names it. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relayout/relayout.h"

enum { ROWS = 1024, COLUMNS = 1024, TEXT_SIZE = 4096 };

static relayout_device *device;
static relayout_shape from, to;

/* Two threads at most, and tiles of 64 KiB. */
static int open_device(void **state) {
  (void)state;
  setenv("RELAYOUT_CPU_FACTS", "l1=32768:8:1 l2=131072:8:1", 1);
  const relayout_cpu_options options = {sizeof options, 2, NULL, NULL};
  const relayout_status status = relayout_cpu_device_create(&options, &device, NULL);
  unsetenv("RELAYOUT_CPU_FACTS");
  return status != RELAYOUT_OK ||
         relayout_shape_parse("f32[1024,1024]", &from, NULL) != RELAYOUT_OK ||
         relayout_shape_parse("f32[1024,1024]{0,1}", &to, NULL) != RELAYOUT_OK;
}

static int close_device(void **state) {
  (void)state;
  relayout_device_destroy(device);
  return 0;
}

static relayout_status create(const char *schedule, relayout_plan **plan, relayout_error *error) {
  const char *const texts[] = {schedule};
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.schedules = texts;
  options.schedule_count = 1;
  return relayout_plan_create(device, &from, &to, &options, plan, error);
}

/* The plan of this schedule, and the parts of the text that it ends up with. */
static relayout_plan *plan_of(const char *schedule, const char *const *parts) {
  relayout_plan *plan = NULL;
  relayout_error error;
  char text[TEXT_SIZE];
  if (create(schedule, &plan, &error) != RELAYOUT_OK) {
    fail_msg("%s: %s", schedule, error.message);
  }
  relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, text, sizeof text);
  for (; *parts != NULL; ++parts) {
    if (strstr(text, *parts) == NULL) {
      fail_msg("%s lacks %s", text, *parts);
    }
  }
  return plan;
}

static void expect_transposed(const relayout_plan *plan, int shift) {
  static float source[ROWS * COLUMNS];
  static _Alignas(64) float memory[ROWS * COLUMNS + 16];
  float *const found = memory + shift;
  for (int i = 0; i < ROWS * COLUMNS; ++i) {
    source[i] = (float)i;
  }
  memset(memory, 0xa5, sizeof memory);
  assert_int_equal(relayout_plan_execute(plan, source, found, NULL), RELAYOUT_OK);
  for (int row = 0; row < ROWS; ++row) {
    for (int column = 0; column < COLUMNS; ++column) {
      assert_true(found[column * ROWS + row] == (float)(row * COLUMNS + column));
    }
  }
}

/* ---- What runs ---- */

static void test_any_tile_is_moved(void **state) {
  (void)state;
  static const struct {
    const char *rows, *columns, *store;
  } tiles[] = {
      {"1:64", "0:64", "buffered+streamed"},
      {"1:64", "0:64", "unbuffered"},
      {"1:100", "0:37", "buffered"},
      {"1:7", "0:1000", "buffered+streamed+combined"},
      {"1:1", "0:1", "unbuffered"},
      {"1:512", "0:3", "buffered"},
      {"1:3", "0", "buffered+streamed"},
      {"-", "0:64", "buffered"},
      {"1:64", "-", "unbuffered"},
      {"0:64", "1:64", "unbuffered"},
      {"0:5", "1:50", "buffered"},
      {"-", "-", "buffered"},
      {"1:50", "0:77", "buffered+streamed+combined"},
  };
  for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; ++i) {
    char text[TEXT_SIZE], rows[64], columns[64], store[64];
    snprintf(rows, sizeof rows, " rows=%s ", tiles[i].rows);
    snprintf(columns, sizeof columns, " columns=%s ", tiles[i].columns);
    snprintf(store, sizeof store, " store=%s", tiles[i].store);
    snprintf(text, sizeof text, "transpose word=4%s%s move=transpose%s", rows, columns, store);
    print_message("%s\n", text);
    const char *const parts[] = {rows, columns, store, NULL};
    relayout_plan *const plan = plan_of(text, parts);
    expect_transposed(plan, 0);
    if (strstr(store, "combined") != NULL || strstr(store, "streamed") == NULL) {
      expect_transposed(plan, 3);
    }
    relayout_plan_destroy(plan);
  }
}

/* `:n` may stand behind an axis that a tile takes whole; texts do not print it. */
static void test_all_steps_may_be_told(void **state) {
  (void)state;
  const char *const parts[] = {" rows=1:8 columns=0 ", NULL};
  relayout_plan *const plan =
      plan_of("transpose word=4 rows=1:8 columns=0:1024 move=transpose store=unbuffered", parts);
  expect_transposed(plan, 3);
  relayout_plan_destroy(plan);
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
  for (size_t i = 0; i < sizeof orders / sizeof orders[0]; ++i) {
    char text[TEXT_SIZE], loops[64];
    snprintf(loops, sizeof loops, " loops=%s ", orders[i][0]);
    snprintf(text, sizeof text,
             "transpose word=4 rows=1:64 columns=0:64%smove=transpose store=buffered%s", loops,
             orders[i][1]);
    print_message("%s\n", text);
    const char *const parts[] = {loops, orders[i][1], NULL};
    relayout_plan *const plan = plan_of(text, parts);
    expect_transposed(plan, 3);
    relayout_plan_destroy(plan);
  }
}

/* Lines that tiles share, in any order in which few of them wait. */
static void test_any_order_combines_lines(void **state) {
  (void)state;
  static const char *const orders[] = {"/0,1", "0:11/1", "0:4/0,1", "1:3,0:11/1", "1:5,0:4/1,0"};
  for (size_t i = 0; i < sizeof orders / sizeof orders[0]; ++i) {
    char text[TEXT_SIZE], loops[64];
    snprintf(loops, sizeof loops, " loops=%s ", orders[i]);
    snprintf(text, sizeof text,
             "transpose word=4 rows=1:64 columns=0:100%smove=transpose "
             "store=buffered+streamed+combined threads=2",
             loops);
    print_message("%s\n", text);
    const char *const parts[] = {loops, "+combined", NULL};
    relayout_plan *const plan = plan_of(text, parts);
    expect_transposed(plan, 5);
    relayout_plan_destroy(plan);
  }
}

/* A count of one is as good as none. */
static void test_counts_of_one(void **state) {
  (void)state;
  static const char *const parts[] = {" store=buffered", NULL};
  relayout_plan *const plan = plan_of("transpose word=4 rows=1:64 columns=0:64 move=transpose "
                                      "store=buffered threads=1 group=1 grain=1",
                                      parts);
  char text[TEXT_SIZE];
  relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, text, sizeof text);
  assert_null(strstr(text, "threads="));
  assert_null(strstr(text, "group="));
  expect_transposed(plan, 0);
  relayout_plan_destroy(plan);
}

/* ---- What does not ---- */

static void expect_rule(const char *schedule, const char *says) {
  relayout_plan *plan = NULL;
  relayout_error error;
  print_message("%s\n", schedule);
  assert_int_equal(create(schedule, &plan, &error), RELAYOUT_UNSUPPORTED);
  assert_null(plan);
  if (strstr(error.message, says) == NULL) {
    fail_msg("`%s` lacks `%s`", error.message, says);
  }
}

static void test_rules_of_tiles(void **state) {
  (void)state;
  static const struct {
    const char *rows, *columns, *rest, *says;
  } cases[] = {
      {"1:64", "0:64", "store=sideways", "`store=sideways`: expected unbuffered or buffered"},
      {"1:64", "0:64", "store=buffered+x", "`store=buffered+x`: expected unbuffered or buffered"},
      {"1:64", "0:64", "store=unbuffered+streamed", "the nearest has `store=buffered+streamed"},
      {"1:0", "0:64", "store=buffered", "`rows=1:0`: axis 1 has 1024 steps, of which a tile has 1"},
      {"1:64", "0:1025", "store=buffered", "axis 0 has 1024 steps, of which a tile has 1 to 1024"},
      {"2:64", "0:64", "store=buffered", "`rows=2:64`: expected axes from 0 to 1"},
      {"x", "0:64", "store=buffered", "`rows=x`: expected axes from 0 to 1"},
      {"0:64", "0:64", "store=buffered", "`rows=0:64`: axis 0 is in the tile twice"},
      {"-", "0:64,1", "store=buffered", "axis 1 follows one that is not taken whole"},
      {"1:129", "0:128", "store=buffered", "a tile takes more than the"},
      {"1", "0", "store=buffered", "a tile takes more than the"},
      {"1:64", "0:64", "store=buffered group=64", "no schedule of this relayout has `group=64`"},
      {"1:64", "0:64", "store=buffered align=4:4", "the nearest has `align=1:1`"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char text[TEXT_SIZE];
    snprintf(text, sizeof text, "transpose word=4 rows=%s columns=%s move=transpose %s",
             cases[i].rows, cases[i].columns, cases[i].rest);
    expect_rule(text, cases[i].says);
  }
  expect_rule("transpose word=8 rows=1:64 columns=0:64 move=transpose store=buffered",
              "has `word=8`; the nearest has `word=4`");
  expect_rule("transpose word=4 rows=1:64 columns=0:64 move=copy-runs store=buffered",
              "has `move=copy-runs`; the nearest has `move=transpose`");
  expect_rule("copy word=4 rows=1:64 columns=0:64 move=copy-runs store=buffered",
              "method `copy` has no schedule for this relayout");
  expect_rule("transpose word=4 rows=1:64 columns=0:100 loops=1:16,0:11 move=transpose "
              "store=buffered+streamed+combined",
              "lines wait for later tiles");
}

static void test_rules_of_orders(void **state) {
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
    char text[TEXT_SIZE];
    snprintf(text, sizeof text,
             "transpose word=4 rows=1:64 columns=0:64 loops=%s move=transpose store=buffered%s",
             cases[i].order, cases[i].rest);
    expect_rule(text, cases[i].says);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_any_tile_is_moved),
      cmocka_unit_test(test_all_steps_may_be_told),
      cmocka_unit_test(test_any_order_moves_every_tile),
      cmocka_unit_test(test_any_order_combines_lines),
      cmocka_unit_test(test_counts_of_one),
      cmocka_unit_test(test_rules_of_tiles),
      cmocka_unit_test(test_rules_of_orders),
  };
  return cmocka_run_group_tests_name("plan.asked_schedule", tests, open_device, close_device);
}
