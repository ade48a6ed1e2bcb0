/* test_tuning_file.c: rows are kept for devices that are opened later, or are not and say so. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/target.h"
#include "plan/held.h"
#include "relayout/relayout.h"
#include "schedule/schedule_text.h"
#include "scratch.h"
#include "search/tuning_text.h"

enum { TEXT_SIZE = RLT_MOST_TUNING_TEXT + 1 };

static char home[SCRATCH_PATH];
static char folder[SCRATCH_PATH + 16];
static char text[TEXT_SIZE];

static int set_up(void **state) {
  held_set_up(state);
  scratch_make(home);
  snprintf(folder, sizeof folder, "%s/relayout", home);
  setenv("XDG_CACHE_HOME", home, 1);
  unsetenv("RELAYOUT_CACHE");
  unsetenv("RELAYOUT_TUNING");
  return 0;
}

static int tear_down(void **state) {
  scratch_remove(home);
  return held_tear_down(state);
}

static relayout_device *opened(void) {
  relayout_device *device;
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  return device;
}

/* The device's row with other bytes for a block. */
static void change_text(const relayout_device *device) {
  assert_true(relayout_device_get_tuning(device, text, sizeof text) < sizeof text);
  char *const at = strstr(text, "block_bytes=65536");
  assert_non_null(at);
  memcpy(at, "block_bytes=65537", strlen("block_bytes=65537"));
}

static void expect_block_bytes(int64_t bytes) {
  relayout_device *device = opened();
  assert_int_equal(device->tuning->block_bytes, bytes);
  relayout_device_destroy(device);
}

static void count_warnings(void *context, relayout_log_level level, const char *message) {
  *(int *)context += level == RELAYOUT_LOG_WARNING &&
                     strstr(message, "the kept row of tuning is ignored: ") != NULL;
}

static void test_kept_and_loaded(void **state) {
  (void)state;
  relayout_device *device = opened();
  change_text(device);
  assert_int_equal(relayout_tuning_keep(device, text, NULL), RELAYOUT_OK);
  assert_int_equal(scratch_count(folder), 1);
  assert_int_equal(device->tuning->block_bytes, 65536);
  relayout_device_destroy(device);
  expect_block_bytes(65537);
  setenv("RELAYOUT_CPU_INSTRUCTIONS", "plain", 1);
  expect_block_bytes(65536);
  unsetenv("RELAYOUT_CPU_INSTRUCTIONS");
  setenv("RELAYOUT_CACHE", "off", 1);
  expect_block_bytes(65536);
  unsetenv("RELAYOUT_CACHE");
  char path[SCRATCH_PATH];
  scratch_only_file(folder, path);
  scratch_write(path, text, 400);
  int warnings = 0;
  relayout_set_log(count_warnings, &warnings);
  expect_block_bytes(65536);
  relayout_set_log(NULL, NULL);
  assert_int_equal(warnings, 1);
}

static void test_refused_rows(void **state) {
  (void)state;
  relayout_device *device = opened();
  relayout_error error;
  change_text(device);
  assert_int_equal(relayout_tuning_keep(device, text, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_tuning_keep(NULL, text, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "device is NULL");
  assert_int_equal(relayout_tuning_keep(device, NULL, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "text is NULL");
  assert_int_equal(relayout_tuning_keep(device, "relayout\n", &error), RELAYOUT_INVALID_TEXT);
  assert_non_null(strstr(error.message, "line 1"));
  *strstr(text, "device: ") = 'D';
  assert_int_equal(relayout_tuning_keep(device, text, NULL), RELAYOUT_INVALID_TEXT);
  change_text(device);
  strstr(text, "device: ")[8] ^= 1;
  assert_int_equal(relayout_tuning_keep(device, text, NULL), RELAYOUT_UNSUPPORTED);
  relayout_device_destroy(device);
  expect_block_bytes(65537);
  setenv("XDG_CACHE_HOME", "/dev/null", 1);
  device = opened();
  change_text(device);
  assert_int_equal(relayout_tuning_keep(device, text, NULL), RELAYOUT_UNSUPPORTED);
  relayout_device_destroy(device);
  setenv("XDG_CACHE_HOME", home, 1);
  expect_block_bytes(65537);
}

/* All kept rows together take no more than 4 MiB: the oldest go. Others' files stay. */
static void test_rows_are_trimmed(void **state) {
  (void)state;
  static const char *const names[] = {"tuning-0123456789abcdef.txt",  "tuning-0123456789abcdeg.txt",
                                      "tuning-0123456789abcdef.txt1", "tuning-0123456789abcde.txt",
                                      "xuning-0123456789abcdef.txt",  "tuning-0123456789abcdef.txu",
                                      "tuning-0123456789ABCDEF.txt"};
  enum { NAMES = sizeof names / sizeof names[0] };
  relayout_device *device = opened();
  change_text(device);
  assert_int_equal(relayout_tuning_keep(device, text, NULL), RELAYOUT_OK);
  char path[SCRATCH_PATH + 64];
  for (int i = 0; i < NAMES; ++i) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    scratch_write(path, "", 0);
    assert_int_equal(truncate(path, 5 << 20), 0);
  }
  scratch_age(folder, 1000);
  assert_int_equal(relayout_tuning_keep(device, text, NULL), RELAYOUT_OK);
  for (int i = 0; i < NAMES; ++i) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    assert_int_equal(access(path, F_OK), i == 0 ? -1 : 0);
  }
  assert_int_equal(scratch_count(folder), NAMES);
  relayout_device_destroy(device);
}

static void test_named_file(void **state) {
  (void)state;
  char path[SCRATCH_PATH + 16];
  relayout_device *device = opened();
  relayout_error error;
  change_text(device);
  strstr(text, "device: ")[8] ^= 1;
  relayout_device_destroy(device);
  snprintf(path, sizeof path, "%s/row", home);
  scratch_write(path, text, strlen(text));
  setenv("RELAYOUT_TUNING", path, 1);
  expect_block_bytes(65537);
  scratch_write(path, text, strlen(text) - 1);
  assert_int_equal(relayout_device_open("cpu", &device, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, path));
  setenv("RELAYOUT_TUNING", "/dev/null", 1);
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_INVALID_ARGUMENT);
  unsetenv("RELAYOUT_TUNING");
}

static void test_text_fits_any_buffer(void **state) {
  (void)state;
  relayout_device *device = opened();
  const size_t length = relayout_device_get_tuning(device, NULL, 0);
  char cut[9];
  assert_int_equal(relayout_device_get_tuning(NULL, NULL, 0), 0);
  assert_int_equal(relayout_device_get_tuning(device, text, sizeof text), length);
  assert_int_equal(strlen(text), length);
  assert_int_equal(relayout_device_get_tuning(device, cut, sizeof cut), length);
  assert_string_equal(cut, "relayout");
  relayout_device_destroy(device);
}

/* Plans that are created from then on go by it; what is no row changes nothing. */
static void test_set(void **state) {
  (void)state;
  relayout_device *device = opened();
  relayout_shape from, to;
  relayout_plan *before, *after;
  char texts[2][RLT_SCHEDULE_TEXT_SIZE];
  relayout_error error;
  assert_int_equal(relayout_shape_parse("u8[4096,4096]", &from, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_shape_parse("u8[4096,4096]{0,1}", &to, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &before, NULL), RELAYOUT_OK);
  for (int number = 0; number < 2; ++number) {
    change_text(device);
    char *const first = strstr(text, "device: ") + strlen("device: ");
    *first = number == 0 ? *first : '?'; /* of whatever device it is */
    assert_int_equal(relayout_device_set_tuning(device, text, NULL), RELAYOUT_OK);
    assert_int_equal(device->tuning->block_bytes, 65537);
    char *const block = strstr(text, "block_bytes=65537");
    memcpy(block, "block_bytes=65536", strlen("block_bytes=65536"));
    assert_int_equal(relayout_device_set_tuning(device, text, NULL), RELAYOUT_OK);
    assert_int_equal(device->tuning->block_bytes, 65536);
  }
  rlt_tuning row = *device->tuning;
  for (int t = 0; t < RLT_TILES; ++t) {
    row.words[0].tiles[t].runs = (rlt_reach){2048, 64};
  }
  rlt_text written = rlt_text_in(text, sizeof text);
  rlt_tuning_add_head(&device->info, &device->facts.machine, &written);
  rlt_tuning_add_text(&row, &written);
  assert_int_equal(relayout_device_set_tuning(device, text, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &after, NULL), RELAYOUT_OK);
  assert_ptr_not_equal(before, after);
  relayout_plan_get_schedule(before, 0, RELAYOUT_SCHEDULE_ALIGNED, texts[0], sizeof texts[0]);
  relayout_plan_get_schedule(after, 0, RELAYOUT_SCHEDULE_ALIGNED, texts[1], sizeof texts[1]);
  assert_string_not_equal(texts[0], texts[1]);
  assert_int_equal(relayout_device_set_tuning(device, "relayout\n", &error), RELAYOUT_INVALID_TEXT);
  assert_non_null(strstr(error.message, "line 1"));
  assert_int_equal(device->tuning->words[0].tiles[0].runs.read_bytes, 2048);
  assert_int_equal(relayout_device_set_tuning(NULL, text, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "device is NULL");
  assert_int_equal(relayout_device_set_tuning(device, NULL, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "text is NULL");
  relayout_plan_destroy(before);
  relayout_plan_destroy(after);
  relayout_device_destroy(device);
  assert_int_equal(access(folder, F_OK), -1); /* nothing is kept */
}

static void test_path_and_reset(void **state) {
  (void)state;
  relayout_device *device = opened();
  char path[SCRATCH_PATH];
  char kept[SCRATCH_PATH];
  int32_t was_kept = -1;
  relayout_error error;
  const size_t length = relayout_device_get_tuning_path(device, path, sizeof path);
  assert_true(length < sizeof path && strlen(path) == length);
  assert_int_equal(relayout_device_get_tuning_path(device, NULL, 0), length);
  assert_int_equal(relayout_device_get_tuning_path(NULL, NULL, 0), 0);
  assert_int_equal(relayout_tuning_reset(device, &was_kept, NULL), RELAYOUT_OK);
  assert_int_equal(was_kept, 0);
  change_text(device);
  assert_int_equal(relayout_tuning_keep(device, text, NULL), RELAYOUT_OK);
  scratch_only_file(folder, kept);
  assert_string_equal(path, kept);
  expect_block_bytes(65537);
  assert_int_equal(relayout_tuning_reset(device, &was_kept, NULL), RELAYOUT_OK);
  assert_int_equal(was_kept, 1);
  assert_int_equal(scratch_count(folder), 0);
  expect_block_bytes(65536);
  assert_int_equal(relayout_tuning_reset(device, NULL, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_tuning_reset(NULL, &was_kept, &error), RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "device is NULL");
  relayout_device_destroy(device);
  /* Where no files are kept there is none to remove; a folder in a file's place is none either. */
  setenv("RELAYOUT_CACHE", "off", 1);
  device = opened();
  assert_int_equal(relayout_device_get_tuning_path(device, path, sizeof path), 0);
  assert_int_equal(relayout_tuning_reset(device, &was_kept, NULL), RELAYOUT_OK);
  assert_int_equal(was_kept, 0);
  relayout_device_destroy(device);
  unsetenv("RELAYOUT_CACHE");
  device = opened();
  assert_int_equal(mkdir(kept, 0700), 0);
  assert_int_equal(relayout_tuning_reset(device, &was_kept, &error), RELAYOUT_UNSUPPORTED);
  assert_non_null(strstr(error.message, "cannot be removed from "));
  relayout_device_destroy(device);
  assert_int_equal(rmdir(kept), 0);
}

/* A transpose by each of the library's own rows, also those of other devices. */
static void test_rows_move_alike(void **state) {
  (void)state;
  enum { ROWS = 60, COLUMNS = 50 };
  static uint32_t source[ROWS * COLUMNS], destination[ROWS * COLUMNS];
  relayout_shape from, to;
  relayout_device *device = opened();
  assert_int_equal(relayout_shape_parse("u32[60,50]", &from, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_shape_parse("u32[60,50]{0,1}", &to, NULL), RELAYOUT_OK);
  for (uint32_t i = 0; i < ROWS * COLUMNS; ++i) {
    source[i] = i;
  }
  for (int number = 0; rlt_tuning_shipped(number) != NULL; ++number) {
    relayout_device *other = opened();
    relayout_plan *plan;
    other->tuning = rlt_tuning_shipped(number);
    assert_int_equal(relayout_plan_create(other, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
    memset(destination, 0xff, sizeof destination);
    assert_int_equal(relayout_plan_execute(plan, source, destination, NULL), RELAYOUT_OK);
    for (uint32_t i = 0; i < ROWS * COLUMNS; ++i) {
      assert_int_equal(destination[i % COLUMNS * ROWS + i / COLUMNS], i);
    }
    relayout_plan_destroy(plan);
    relayout_device_destroy(other);
  }
  relayout_device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_kept_and_loaded, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_refused_rows, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_rows_are_trimmed, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_named_file, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_text_fits_any_buffer, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_set, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_path_and_reset, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_rows_move_alike, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
