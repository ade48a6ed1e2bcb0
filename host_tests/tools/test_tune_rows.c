/* test_tune_rows.c: fields of a row of tuning, read and changed, and the blockings that each round
 * of the search tries. */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "plan/recorder.h"
#include "tune/blocking.h"
#include "tune/cases.h"

static const char sample[] = "relayout tuning 1\nfacts: block_bytes=7 line=64\nblock_bytes=65536\n"
                             "word 1 far runs=128:64 blocks=4096:4096\nword 1 far_off runs=1:2\n";

static tune_row row_of(const char *text) {
  tune_row made;
  assert_true(snprintf(made.text, sizeof made.text, "%s", text) < (int)sizeof made.text);
  return made;
}

static void test_fields_are_found(void **state) {
  (void)state;
  static const struct {
    const char *line, *field, *value;
  } cases[] = {{"", "block_bytes", "65536"},
               {"facts: ", "line", "64"},
               {"facts: ", "block_bytes", "7"},
               {"word 1 far ", "runs", "128:64"},
               {"word 1 far ", "blocks", "4096:4096"},
               {"word 1 far_off ", "runs", "1:2"},
               {"word 2 far ", "runs", ""},
               {"word 1 far ", "run", ""},
               {"word 1 far_off ", "blocks", ""},
               {"", "line", ""},
               {"", "runs", ""}};
  const tune_row row = row_of(sample);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char value[TUNE_VALUE_SIZE];
    print_message("%s%s\n", cases[i].line, cases[i].field);
    tune_row_get(&row, cases[i].line, cases[i].field, value);
    assert_string_equal(value, cases[i].value);
  }
  assert_true(tune_row_get_number(&row, "", "block_bytes") == 65536);
  assert_true(tune_row_get_number(&row, "", "nothing") == 0);
}

/* Longer and shorter values; all else stays as it is. */
static void test_fields_are_set(void **state) {
  (void)state;
  tune_row row = row_of(sample);
  assert_true(tune_row_set(&row, "word 1 far ", "runs", "1024:2048"));
  assert_true(tune_row_set(&row, "", "block_bytes", "1"));
  assert_false(tune_row_set(&row, "", "bytes", "1"));
  assert_true(tune_row_set_words(&row, "facts: ", "none at all"));
  assert_false(tune_row_set_words(&row, "kind: ", "none"));
  assert_string_equal(row.text, "relayout tuning 1\nfacts: none at all\nblock_bytes=1\n"
                                "word 1 far runs=1024:2048 blocks=4096:4096\n"
                                "word 1 far_off runs=1:2\n");
}

/* A value fits where it leaves the end of the text its place. */
static void test_full_rows(void **state) {
  (void)state;
  tune_row row = row_of("a=1 b=2\n");
  memset(row.text + 8, '\n', sizeof row.text - 8);
  row.text[sizeof row.text - 3] = '\0';
  assert_false(tune_row_set(&row, "", "a", "1234"));
  assert_int_equal(strlen(row.text), sizeof row.text - 3);
  assert_true(tune_row_set(&row, "", "a", "123"));
  assert_int_equal(strlen(row.text), sizeof row.text - 1);
  assert_memory_equal(row.text, "a=123 b=2\n", 10);
}

static void test_row_of_a_device(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_cpu_device(&record);
  tune_row row;
  assert_true(tune_row_read(device, &row));
  assert_true(tune_row_get_number(&row, "", "thread_blocks") == 8);
  const tune_blocking any = tune_blocking_read(&row, 4, TUNE_ANY);
  static const tune_blocking expected = {{256, 512}, {4096, 4096}, {1, 1}, false};
  assert_true(tune_blockings_equal(&any, &expected));
  static const tune_blocking other = {{64, 128}, {0, 1 << 20}, {2, 3}, true};
  tune_blocking_write(&other, 16, TUNE_CROWDED, &row);
  const tune_blocking found = tune_blocking_read(&row, 16, TUNE_CROWDED);
  assert_true(tune_blockings_equal(&found, &other));
  const tune_blocking none = tune_blocking_read(&row, 16, TUNE_FAR);
  assert_true(none.runs[0] == 0 && none.runs[1] == 0 && !none.packs);
  assert_int_equal(relayout_device_set_tuning(device, row.text, NULL), RELAYOUT_OK);
  relayout_device_destroy(device);
}

static void test_blockings_differ(void **state) {
  (void)state;
  static const tune_blocking one = {{1, 2}, {3, 4}, {5, 6}, false};
  static const tune_blocking others[] = {
      {{0, 2}, {3, 4}, {5, 6}, false}, {{1, 0}, {3, 4}, {5, 6}, false},
      {{1, 2}, {0, 4}, {5, 6}, false}, {{1, 2}, {3, 0}, {5, 6}, false},
      {{1, 2}, {3, 4}, {0, 6}, false}, {{1, 2}, {3, 4}, {5, 0}, false},
      {{1, 2}, {3, 4}, {5, 6}, true}};
  assert_true(tune_blockings_equal(&one, &one));
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
    assert_false(tune_blockings_equal(&one, &others[i]));
  }
}

/* The first is the best so far, and no two are equal. */
static void expect_round(int round, int kind, const tune_blocking *best, int32_t count,
                         const char *others) {
  tune_blocking made[TUNE_MOST_BLOCKINGS];
  char text[1024] = "";
  size_t length = 0;
  assert_int_equal(tune_blockings_of_round(round, kind, best, made), count);
  assert_true(tune_blockings_equal(&made[0], best));
  for (int32_t i = 1; i < count; ++i) {
    for (int32_t k = 0; k < i; ++k) {
      assert_false(tune_blockings_equal(&made[i], &made[k]));
    }
    const int64_t *const pair = round == 2   ? made[i].blocks
                                : round == 3 ? made[i].prefetch
                                             : made[i].runs;
    length +=
        (size_t)snprintf(text + length, sizeof text - length, "%lld:%lld%s ", (long long)pair[0],
                         (long long)pair[1], made[i].packs != best->packs ? "!" : "");
  }
  assert_string_equal(text, others);
}

static void test_rounds_by_hand(void **state) {
  (void)state;
  static const tune_blocking best = {{256, 512}, {4096, 4096}, {1, 1}, false};
  static const tune_blocking odd = {{192, 96}, {1, 2}, {3, 3}, true};
  static const tune_blocking channels = {{1024, 16384}, {4096, 4096}, {1, 1}, false};
  expect_round(0, TUNE_FAR, &best, 36,
               "64:64 64:128 64:256 64:512 64:1024 64:2048 128:64 128:128 128:256 128:512 "
               "128:1024 128:2048 256:64 256:128 256:256 256:1024 256:2048 512:64 512:128 "
               "512:256 512:512 512:1024 512:2048 1024:64 1024:128 1024:256 1024:512 "
               "1024:1024 1024:2048 2048:64 2048:128 2048:256 2048:512 2048:1024 "
               "2048:2048 ");
  expect_round(1, TUNE_FAR, &best, 37,
               "64:64! 64:128! 64:256! 64:512! 64:1024! 64:2048! 128:64! 128:128! "
               "128:256! 128:512! 128:1024! 128:2048! 256:64! 256:128! 256:256! 256:512! "
               "256:1024! 256:2048! 512:64! 512:128! 512:256! 512:512! 512:1024! "
               "512:2048! 1024:64! 1024:128! 1024:256! 1024:512! 1024:1024! 1024:2048! "
               "2048:64! 2048:128! 2048:256! 2048:512! 2048:1024! 2048:2048! ");
  expect_round(2, TUNE_FAR, &best, 6,
               "2048:2048 1125899906842624:0 0:1125899906842624 4096:1125899906842624 "
               "4096:16384 ");
  expect_round(3, TUNE_FAR, &best, 6, "0:0 1:2 1:3 2:1 2:2 ");
  expect_round(4, TUNE_FAR, &best, 9,
               "128:256 128:512 128:1024 256:256 256:1024 512:256 512:512 512:1024 ");
  expect_round(4, TUNE_ANY, &odd, 5, "128:64 128:128 256:64 256:128 ");
  expect_round(3, TUNE_ANY, &odd, 7, "0:0 1:1 1:2 1:3 2:1 2:2 ");
  expect_round(4, TUNE_CHANNELS, &channels, 6,
               "1024:8192 1024:32768 2048:8192 2048:16384 2048:32768 ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fields_are_found), cmocka_unit_test(test_fields_are_set),
      cmocka_unit_test(test_full_rows),        cmocka_unit_test(test_row_of_a_device),
      cmocka_unit_test(test_blockings_differ), cmocka_unit_test(test_rounds_by_hand)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
