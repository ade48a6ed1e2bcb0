/* test_tuning_text.c: rows of the tuning table make the round by text, and no damaged one does. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/target.h"
#include "gpu/target.h"
#include "search/tuning_text.h"

enum { TEXT_SIZE = RLT_MOST_TUNING_TEXT + 1 };

static const relayout_device_info info = {.description = "Some CPU", .instructions = "avx2"};
static const rlt_machine facts = {.line_bytes = 64, .page_bytes = 4096, .vector_bytes = 32};

static size_t text_of(const rlt_tuning *row, char text[TEXT_SIZE]) {
  rlt_text made = rlt_text_in(text, TEXT_SIZE);
  rlt_tuning_add_head(&info, &facts, &made);
  rlt_tuning_add_text(row, &made);
  assert_true(made.length < TEXT_SIZE);
  return made.length;
}

static void expect_round(const rlt_tuning *row) {
  static char text[TEXT_SIZE];
  static char again[TEXT_SIZE];
  rlt_tuning read;
  const size_t length = text_of(row, text);
  assert_int_equal(rlt_tuning_read_text(text, length, NULL, &read, NULL), RELAYOUT_OK);
  assert_int_equal(text_of(&read, again), length);
  assert_string_equal(text, again);
  assert_string_equal(read.kind, row->kind);
  assert_memory_equal(&read.straight_columns_bytes, &row->straight_columns_bytes, sizeof(int64_t));
  assert_int_equal(read.thread_blocks, row->thread_blocks);
  assert_memory_equal(read.other_runs, row->other_runs, sizeof row->other_runs);
  assert_memory_equal(read.words, row->words, sizeof row->words);
}

static void test_shipped_rows(void **state) {
  (void)state;
  int count = 0;
  for (; rlt_tuning_shipped(count) != NULL; ++count) {
    expect_round(rlt_tuning_shipped(count));
  }
  assert_true(count >= 3);
}

static int64_t random_to(int64_t most) {
  return (((int64_t)rand() << 31) ^ rand()) % (most + 1);
}

static void test_random_rows(void **state) {
  (void)state;
  srand(13);
  for (int i = 0; i < 300; ++i) {
    rlt_tuning row = *rlt_tuning_shipped(0);
    row.block_bytes = random_to(1 << 30);
    row.other_runs[3].write_bytes = random_to(RLT_ALL_THE_WAY);
    rlt_word_tuning *const words = &row.words[random_to(RLT_WORD_SIZES - 1)];
    words->tiles[RLT_TILES_FAR] = (rlt_tile_blocking){.runs = {random_to(1 << 20), 1},
                                                      .blocks = {2, random_to(RLT_ALL_THE_WAY)},
                                                      .prefetch = {(int32_t)random_to(3), 3},
                                                      .stores = (rlt_stores)random_to(3)};
    words->rates.of[RLT_RATE_PAGE] = (double)random_to(1 << 30) / 3e9;
    words->rates.of[RLT_RATE_LINE_AGAIN] = (double)random_to(1 << 30) * 1e-300;
    expect_round(&row);
  }
}

/* The text with its first `from` replaced. */
static void expect_refused(const char *from, const char *to, const char *message) {
  static char text[TEXT_SIZE];
  static char changed[2 * TEXT_SIZE];
  relayout_error error;
  text_of(rlt_tuning_shipped(0), text);
  char *const at = strstr(text, from);
  assert_non_null(at);
  snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  rlt_tuning row = {.kind = "as it was"};
  assert_int_equal(rlt_tuning_read_text(changed, strlen(changed), NULL, &row, &error),
                   RELAYOUT_INVALID_TEXT);
  assert_string_equal(row.kind, "as it was");
  if (strstr(error.message, message) == NULL) {
    fail_msg("`%s` is not in: %s", message, error.message);
  }
}

static void test_damaged_rows(void **state) {
  (void)state;
  expect_refused("tuning 1", "tuning 2", "line 1: ");
  expect_refused("tuning 1", "tuning 11", "line 1: ");
  expect_refused("driver:", "drover:", "line 3: expected driver: ");
  expect_refused("line=64", "line=65", "line 4: ");
  expect_refused("date: ", "date: 2026-11-23 00:00:00 ", "line 6: ");
  expect_refused("straight_columns_bytes=262144", "straight_columns_bytes=-1", "line 8: ");
  expect_refused("straight_columns_bytes=262144", "straight_columns_bytes=1073741825", "line 8: ");
  expect_refused("straight_columns_bytes=262144", "straight_columns_bytes=0x10", "line 8: ");
  expect_refused("straight_columns_bytes=262144", "straight_columns_bytes=262144 1",
                 "line 8: `1` is not a field");
  expect_refused("straight_columns_bytes=262144", "straight_columns_bytes=", "line 8: ");
  expect_refused("straight_columns_bytes=", "slanted=", "line 8: `slanted=262144` is not a field");
  expect_refused("thread_bytes=1048576", "thread_bytes=0", "line 18: ");
  expect_refused("thread_blocks=8", "thread_blocks=4294967296", "line 19: ");
  expect_refused("joined_runs=1024:256", "joined_runs=1024", "line 15: ");
  expect_refused("joined_runs=1024:256", "joined_runs=1024:256:1", "line 15: ");
  expect_refused("joined_runs=1024:256", "joined_runs=1024:1125899906842625", "line 15: ");
  expect_refused("prefetch=1:2", "prefetch:1:2", "line 20: ");
  expect_refused("prefetch=1:2", "prefetch=4:2", "line 20: ");
  expect_refused("prefetch=1:2", "prefetch=1:4", "line 20: ");
  expect_refused("stores=0", "stores=5", "line 20: ");
  expect_refused("stores=0", "shops=0", "line 20: ");
  expect_refused("word 1 cached", "word 3 cached", "line 21: ");
  expect_refused("word 1 cached runs=64:256 blocks=4096:4096 prefetch=1:2 stores=0 loads=0",
                 "word 1 cached runs=64:256", "line 21: `blocks` is missing");
  expect_refused("word 1 cached runs=64:256 blocks", "word 1 cached runs=64:256 runs=64:256 blocks",
                 "line 21: `runs` is given twice");
  expect_refused("thread_blocks=8\n", "thread_blocks=8:0\n",
                 "line 19: `thread_blocks=8:0` has an invalid value; expected 1 number from 0 "
                 "to 1024");
  expect_refused("thread_blocks=8\n", "\n", "line 19: `thread_blocks` is missing");
  expect_refused("line_again=0.086", "line_again=nan", "line 26: ");
  expect_refused("line_again=0.086", "line_again=inf", "line 26: ");
  expect_refused("line_again=0.086", "line_again=-0.1", "line 26: ");
  expect_refused("line_again=0.086", "line_again=1e7", "line 26: ");
}

/* Words are of printable ASCII, and fit. */
static void test_words_of_rows(void **state) {
  (void)state;
  expect_refused("kind: ", "kind: \x1f", "line 5: expected kind: , found `kind: ");
  expect_refused("kind: ", "kind: \x7f", "line 5: expected kind: ");
  expect_refused("date: 2026", "date: \t", "line 6: expected date: ");
  expect_refused("suites: ", "suits: ", "line 7: expected suites: , found `suits: ");
  for (size_t extra = 0; extra <= 1; ++extra) {
    static char text[TEXT_SIZE];
    rlt_tuning row = *rlt_tuning_shipped(0);
    memset(row.kind, 'x', sizeof row.kind - 1); /* the longest */
    row.kind[sizeof row.kind - 1] = '\0';
    row.kind[0] = '~';
    row.kind[1] = ' ';
    const size_t length = text_of(&row, text);
    char *const at = strstr(text, "kind: ");
    memmove(at + 6 + extra, at + 6, strlen(at + 6) + 1);
    assert_int_equal(rlt_tuning_read_text(text, length + extra, NULL, &row, NULL),
                     extra == 0 ? RELAYOUT_OK : RELAYOUT_INVALID_TEXT);
  }
}

static void expect_message(const char *text, size_t size, const char *message) {
  rlt_tuning row;
  relayout_error error;
  assert_int_equal(rlt_tuning_read_text(text, size, NULL, &row, &error), RELAYOUT_INVALID_TEXT);
  assert_string_equal(error.message, message);
}

static void test_cut_and_longer_texts(void **state) {
  (void)state;
  static char text[TEXT_SIZE];
  const size_t length = text_of(rlt_tuning_shipped(0), text);
  rlt_tuning row;
  for (size_t cut = 0; cut < length; ++cut) {
    assert_int_equal(rlt_tuning_read_text(text, cut, NULL, &row, NULL), RELAYOUT_INVALID_TEXT);
  }
  /* 20 lines before those of five word sizes, each of seven. */
  text[length] = '\n';
  expect_message(text, length + 1, "tuning: line 55: expected the end of the row");
  const char *const second = strchr(text, '\n') + 1;
  expect_message(text, 0, "tuning: line 1: expected relayout tuning 1, but the text ends");
  expect_message(text, (size_t)(second - text),
                 "tuning: line 2: expected device: , but the text ends");
  static char spaces[RLT_MOST_TUNING_TEXT + 1];
  memset(spaces, ' ', sizeof spaces);
  expect_message(spaces, RLT_MOST_TUNING_TEXT,
                 "tuning: line 1: expected relayout tuning 1, but the text ends");
  expect_message(spaces, sizeof spaces,
                 "tuning: the text has 65537 bytes; a row has at most 65536");
}

/* Devices whose driver chooses its instructions name none. */
static void test_heads_by_hand(void **state) {
  (void)state;
  static const relayout_device_info driven = {
      .description = "Some GPU", .platform = "Some platform", .driver = "1.2"};
  static const char own[] = "relayout tuning 1\ndevice: Some CPU, avx2\ndriver:  \nfacts: line=64 ";
  static const char other[] =
      "relayout tuning 1\ndevice: Some GPU\ndriver: Some platform 1.2\nfacts: line=64 ";
  char head[1024];
  rlt_text text = rlt_text_in(head, sizeof head);
  rlt_tuning_add_head(&info, &facts, &text);
  assert_memory_equal(head, own, sizeof own - 1);
  assert_int_equal(head[text.length - 1], '\n');
  text = rlt_text_in(head, sizeof head);
  rlt_tuning_add_head(&driven, &facts, &text);
  assert_memory_equal(head, other, sizeof other - 1);
}

static void test_other_devices(void **state) {
  (void)state;
  static char text[TEXT_SIZE];
  char head[1024];
  relayout_device_info other = info;
  rlt_tuning row;
  relayout_error error;
  const size_t length = text_of(rlt_tuning_shipped(0), text);
  rlt_text own = rlt_text_in(head, sizeof head);
  rlt_tuning_add_head(&info, &facts, &own);
  assert_int_equal(rlt_tuning_read_text(text, length, head, &row, NULL), RELAYOUT_OK);
  strcpy(other.instructions, "sse2");
  own = rlt_text_in(head, sizeof head);
  rlt_tuning_add_head(&other, &facts, &own);
  assert_int_equal(rlt_tuning_read_text(text, length, head, &row, &error), RELAYOUT_UNSUPPORTED);
  assert_non_null(strstr(error.message, "line 2: "));
}

/* By doublings, twice those of the first cache, those of the second, and a quarter of those of
 * vectors: AVX2 on a Zen 4 is 1/4 from its own row, and 1 from Zen 3; a Zen 5 is 1 from the AVX-512
 * Xeon, and from Zen 4, which comes after it; SSE on that Xeon is 1/4 from its AVX2. Of 768 KiB Zen
 * 3's 512 are half a doubling, and Zen 4's 1024 a third, beside a quarter for the vectors; of 832
 * they are 5/8, and 3/13 and 1/4. What is not known is as far from all, and of equals the first
 * counts. */
static void test_nearest_row(void **state) {
  (void)state;
  static const struct {
    int64_t l1_bytes, l2_bytes;
    int32_t vector_bytes;
    const char *kind;
  } processors[] = {
      {32 << 10, 512 << 10, 32, "CPU backend, Zen 3"},
      {32 << 10, 1 << 20, 64, "CPU backend, Zen 4"},
      {32 << 10, 1 << 20, 32, "CPU backend, Zen 4"},
      {48 << 10, 1 << 20, 64, "CPU backend, Xeon of 2023, AVX-512"},
      {48 << 10, 2 << 20, 32, "CPU backend, Xeon of 2023, AVX2"},
      {64 << 10, 1 << 20, 16, "CPU backend, Arm"},
      {48 << 10, 2 << 20, 16, "CPU backend, Xeon of 2023, AVX2"},
      {32 << 10, 768 << 10, 32, "CPU backend, Zen 3"},
      {32 << 10, 832 << 10, 32, "CPU backend, Zen 4"},
      {0, 0, 32, "CPU backend, Xeon of 2023, AVX2"},
      {48 << 10, 2 << 20, 0, "CPU backend, Xeon of 2023, AVX-512"},
      {0, 0, 0, "CPU backend, Xeon of 2023, AVX-512"},
      {32 << 10, 0, 0, "CPU backend, Zen 3"},
  };
  for (size_t i = 0; i < sizeof processors / sizeof processors[0]; ++i) {
    rlt_facts machine = {
        .target = &rlt_cpu_target,
        .machine = {.caches = {{processors[i].l1_bytes, 8, 2}, {processors[i].l2_bytes, 8, 2}},
                    .vector_bytes = processors[i].vector_bytes}};
    assert_string_equal(rlt_tuning_of(&machine)->kind, processors[i].kind);
    machine.target = &rlt_gpu_target;
    assert_string_equal(rlt_tuning_of(&machine)->kind, "GPU");
  }
}

/* A Skylake-SP has a Zen 4's caches and vectors, but for the ways of the second: it takes that row,
 * which is not its own. */
static void test_whose_row_it_is(void **state) {
  (void)state;
  rlt_facts machine = {
      .target = &rlt_cpu_target,
      .machine = {.caches = {{32 << 10, 8, 1}, {1 << 20, 8, 1}}, .vector_bytes = 64}};
  assert_true(rlt_tuning_is_of(&machine));
  machine.machine.caches[1].ways = 16;
  assert_string_equal(rlt_tuning_of(&machine)->kind, "CPU backend, Zen 4");
  assert_false(rlt_tuning_is_of(&machine));
  machine.machine.caches[1].ways = 8;
  machine.machine.vector_bytes = 32;
  assert_false(rlt_tuning_is_of(&machine));
  machine.target = &rlt_gpu_target;
  assert_false(rlt_tuning_is_of(&machine));
}

/* ---- What is worth trying ---- */

/* Every power of two from a line to 2048 bytes on either side, of channels sixteen times as much;
 * reading as far comes first. */
static void test_runs_worth_trying(void **state) {
  (void)state;
  for (int has_channels = 0; has_channels <= 1; ++has_channels) {
    int32_t number = 0;
    rlt_reach runs;
    for (int64_t read = 64; read <= 2048; read *= 2) {
      for (int64_t write = 64; write <= 2048; write *= 2) {
        assert_true(rlt_run_reach(has_channels, number++, &runs));
        assert_int_equal(runs.read_bytes, has_channels ? 16 * read : read);
        assert_int_equal(runs.write_bytes, has_channels ? 16 * write : write);
      }
    }
    assert_false(rlt_run_reach(has_channels, number, &runs));
  }
}

/* ---- Numbers, by hand ---- */

/* A field's place in a row's text: what stands before its first number, with which line that
 * begins; and what each number may be. */
typedef struct bounds {
  const char *before;
  int numbers;
  const char *least, *below; /* NULL: -1 */
  const char *most, *above;
  const char *most_of_second, *above_second; /* NULL: the same */
} bounds;

static const bounds fields[] = {
    {"\nstraight_columns_bytes=", 1, "64", "63", "1073741824", "1073741825", NULL, NULL},
    {"\nstraight_tile_bytes=", 1, "64", "63", "1073741824", "1073741825", NULL, NULL},
    {"\nstraight_run_bytes=", 1, "0", NULL, "1073741824", "1073741825", NULL, NULL},
    {"\ntile_bytes=", 1, "1024", "1023", "1073741824", "1073741825", NULL, NULL},
    {"\nleast_tile_bytes=", 1, "0", NULL, "1073741824", "1073741825", NULL, NULL},
    {"\nmost_tile_bytes=", 1, "0", NULL, "1073741824", "1073741825", NULL, NULL},
    {"\ntogether_bytes=", 1, "0", NULL, "1073741824", "1073741825", NULL, NULL},
    {"\njoined_runs=", 2, "0", NULL, "1125899906842624", "1125899906842625", NULL, NULL},
    {"\nother_runs=", 8, "0", NULL, "1125899906842624", "1125899906842625", NULL, NULL},
    {"\nblock_bytes=", 1, "0", NULL, "1073741824", "1073741825", NULL, NULL},
    {"\nthread_bytes=", 1, "1024", "1023", "1073741824", "1073741825", NULL, NULL},
    {"\nthread_blocks=", 1, "0", NULL, "1024", "1025", NULL, NULL},
    {"\nword 4 far runs=", 2, "0", NULL, "1048576", "1048577", NULL, NULL},
    {"\nword 1 channels runs=", 2, "0", NULL, "1048576", "1048577", NULL, NULL},
    {"\nword 16 any runs=256:512 blocks=", 2, "0", NULL, "1125899906842624", "1125899906842625",
     NULL, NULL},
    {"\nword 16 any runs=256:512 blocks=4096:16384 prefetch=", 2, "0", NULL, "3", "4", "3", "4"},
    {"\nword 16 any runs=256:512 blocks=4096:16384 prefetch=1:2 stores=", 1, "0", NULL, "4", "5",
     NULL, NULL},
    {"\nword 16 any runs=256:512 blocks=4096:16384 prefetch=1:2 stores=0 loads=", 1, "0", NULL, "1",
     "2", NULL, NULL},
    {"\nword 1 rates line_again=", 1, "0", "-0.001", "1048576", "1048576.25", NULL, NULL},
    {"\nword 16 rates line_again=", 1, "0", "-0.001", "1048576", "1048576.25", NULL, NULL},
    {" line_in_parts=", 1, "0", "-0.001", "1048576", "1048576.25", NULL, NULL},
    {" run=", 1, "0", "-0.001", "1048576", "1048576.25", NULL, NULL},
    {" straight_run=", 1, "0", "-0.001", "1048576", "1048576.25", NULL, NULL},
    {" transposed_line=", 1, "0", "-0.001", "1048576", "1048576.25", NULL, NULL},
    {" line=0.2 element=", 1, "0", "-0.001", "1048576", "1048576.25", NULL, NULL},
    {" tile=", 1, "0", "-0.001", "1048576", "1048576.25", NULL, NULL},
    {" tile=0 page=", 1, "0", "-0.001", "1048576", "1048576.25", NULL, NULL},
    {" reworked_element=", 1, "0", "-0.001", "1048576", "1048576.25", NULL, NULL},
};

/* Reads the row's text with one number of a field put in place of its own, and expects it to be
 * what is read; or that it is refused. */
static void expect_number(const bounds *of, int number, const char *put, bool is_right) {
  static char text[TEXT_SIZE];
  static char changed[TEXT_SIZE];
  static char again[TEXT_SIZE];
  rlt_tuning row;
  const size_t length = text_of(rlt_tuning_shipped(0), text);
  const char *at = strstr(text, of->before);
  assert_non_null(at);
  at += strlen(of->before);
  for (int n = 0; n < number; ++n) {
    at = strchr(at, ':') + 1;
  }
  const char *const end = at + strcspn(at, ": \n");
  snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, put, end);
  print_message("%s %d: %s\n", of->before, number, put);
  assert_true(strlen(changed) < length + 64);
  assert_int_equal(rlt_tuning_read_text(changed, strlen(changed), NULL, &row, NULL),
                   is_right ? RELAYOUT_OK : RELAYOUT_INVALID_TEXT);
  if (is_right) {
    text_of(&row, again);
    assert_string_equal(again, changed);
  }
}

static void test_bounds_of_numbers(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i) {
    const bounds *const of = &fields[i];
    for (int n = 0; n < of->numbers; ++n) {
      const bool is_second = n == 1 && of->most_of_second != NULL;
      expect_number(of, n, of->least, true);
      expect_number(of, n, of->below == NULL ? "-1" : of->below, false);
      expect_number(of, n, is_second ? of->most_of_second : of->most, true);
      expect_number(of, n, is_second ? of->above_second : of->above, false);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shipped_rows),      cmocka_unit_test(test_random_rows),
      cmocka_unit_test(test_damaged_rows),      cmocka_unit_test(test_cut_and_longer_texts),
      cmocka_unit_test(test_other_devices),     cmocka_unit_test(test_nearest_row),
      cmocka_unit_test(test_whose_row_it_is),   cmocka_unit_test(test_runs_worth_trying),
      cmocka_unit_test(test_words_of_rows),     cmocka_unit_test(test_heads_by_hand),
      cmocka_unit_test(test_bounds_of_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
