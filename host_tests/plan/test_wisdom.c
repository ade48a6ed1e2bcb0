/* test_wisdom.c: what was measured once is known to later plans, devices and processes; and texts
 * that are damaged or someone else's do no harm. */
#include "cmocka_all.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cache_folder.h"
#include "base/memory.h"
#include "child.h"
#include "plan/held.h"
#include "plan/plan.h"
#include "plan/recorder.h"
#include "relayout/relayout.h"
#include "scratch.h"
#include "search/method.h"
#include "search/wisdom.h"
#include "shape_of.h"

enum { TEXT_SIZE = 4096 };

static const char head[] = "relayout wisdom 3\n"
                           "device: a \"recording\" device, 0 compute units\n"
                           "driver:  \n";

#define PROBLEM "bytes 4 elements 2624:2624 starts 0:0 keeps 64/64:41:1 41/41:1:64"
#define PERMUTE_16                                                                                 \
  "permute word=4 align=4:4 rows=1:16 columns=0 loops=/1 move=permute store=buffered group=256"
#define PERMUTE_41                                                                                 \
  "permute word=4 align=4:4 rows=1 columns=0 loops=- move=permute store=buffered group=256"

/* On the recorder there are a transpose of 41 rows by 64 columns, which is estimated to be the
 * best, and tiles of permute of 41 by 64 and 16 by 64. */
static const char line[] = PROBLEM " = " PERMUTE_16 "\n";

static double few_rows_permute_fast(const recorded_run *run) {
  const bool permutes = strcmp(run->schedule->method->name, "permute") == 0;
  return permutes ? 1e-4 * (double)rlt_group_length(&run->schedule->rows) : 1e-1;
}

static relayout_plan *create(relayout_device *device, const char *from_text, const char *to_text,
                             relayout_plan_effort effort) {
  const relayout_shape from = shape_of(from_text);
  const relayout_shape to = shape_of(to_text);
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.effort = effort;
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(device, &from, &to, &options, &plan, NULL), RELAYOUT_OK);
  return plan;
}

/* A plan of the usual relayout: how it was chosen, and its rows. */
static void expect_plan(relayout_device *device, relayout_plan_effort effort, rlt_choice choice,
                        int64_t rows) {
  relayout_plan *plan = create(device, "f32[64,41]{1,0}", "f32[64,41]{0,1}", effort);
  assert_int_equal(plan->work.parts[0].choice, choice);
  const rlt_variant *const way = &plan->work.parts[0].variants[0];
  assert_int_equal(rlt_group_length(&way->candidate.schedule.rows), rows);
  assert_string_equal(way->candidate.schedule.method->name,
                      choice == RLT_CHOICE_ESTIMATED ? "transpose" : "permute");
  assert_true(rlt_schedules_equal(&way->candidate.schedule, way->executable));
  relayout_plan_destroy(plan);
}

static void expect_text(relayout_device *device, const char *lines) {
  char expected[TEXT_SIZE];
  char found[TEXT_SIZE];
  snprintf(expected, sizeof expected, "%s%s", head, lines);
  assert_int_equal(relayout_device_export_wisdom(device, found, sizeof found), strlen(expected));
  assert_string_equal(found, expected);
}

static void import(relayout_device *device, const char *first, const char *second) {
  char text[TEXT_SIZE];
  const int size = snprintf(text, sizeof text, "%s%s", first, second);
  assert_int_equal(relayout_device_import_wisdom(device, text, (size_t)size, NULL), RELAYOUT_OK);
}

static void test_known_to_later_plans(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  record.seconds = few_rows_permute_fast;
  expect_text(device, "");
  expect_plan(device, RELAYOUT_PLAN_ESTIMATE, RLT_CHOICE_ESTIMATED, 41);
  expect_plan(device, RELAYOUT_PLAN_MEASURE, RLT_CHOICE_MEASURED, 16);
  const int timed = record.programs_timed;
  /* The estimated plan is made anew. */
  expect_plan(device, RELAYOUT_PLAN_ESTIMATE, RLT_CHOICE_REMEMBERED, 16);
  expect_text(device, line);
  relayout_plan *plan =
      create(device, "f32[64,41]{1,0}", "f32[64,41]{0,1}", RELAYOUT_PLAN_ESTIMATE);
  char text[TEXT_SIZE];
  relayout_plan_explain(plan, RELAYOUT_EXPLAIN_TEXT, text, sizeof text);
  assert_non_null(strstr(text, "it is remembered as the fastest of those that were run\n"));
  relayout_plan_explain(plan, RELAYOUT_EXPLAIN_JSON, text, sizeof text);
  assert_non_null(strstr(text, "\"chosen_by\":\"wisdom\""));
  relayout_plan_destroy(plan);
  assert_int_equal(record.programs_timed, timed);
  relayout_device_destroy(device);
  assert_int_equal(record.programs_alive, 0);
}

/* A conversion along the same axes is another problem. */
static void test_conversions_are_their_own(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  record.seconds = few_rows_permute_fast;
  relayout_plan *converted =
      create(device, "f32[64,41]{1,0}", "bf16[64,41]{0,1}", RELAYOUT_PLAN_MEASURE);
  assert_int_equal(converted->work.parts[0].choice, RLT_CHOICE_MEASURED);
  relayout_plan_destroy(converted);
  expect_plan(device, RELAYOUT_PLAN_ESTIMATE, RLT_CHOICE_ESTIMATED, 41);
  converted = create(device, "f32[64,41]{1,0}", "bf16[64,41]{0,1}", RELAYOUT_PLAN_ESTIMATE);
  assert_int_equal(converted->work.parts[0].choice, RLT_CHOICE_REMEMBERED);
  relayout_plan_destroy(converted);
  relayout_device_destroy(device);
}

static rlt_choice choice_of_cached(relayout_device *device, relayout_plan_effort effort) {
  const relayout_shape from = shape_of("f32[64,41]{1,0}");
  const relayout_shape to = shape_of("f32[64,41]{0,1}");
  rlt_plan_request request;
  relayout_plan *plan = NULL;
  rlt_plan_request_clear(&request);
  request.effort = effort;
  request.stages_destination = true;
  assert_int_equal(
      rlt_plan_create(device, &from, &to, &request, (rlt_texts){.count = 0}, &plan, NULL),
      RELAYOUT_OK);
  const rlt_choice choice = plan->work.parts[0].choice;
  relayout_plan_destroy(plan);
  return choice;
}

/* So is one whose destination is to stay in the cache. */
static void test_cached_destinations_are_their_own(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  record.seconds = few_rows_permute_fast;
  expect_plan(device, RELAYOUT_PLAN_MEASURE, RLT_CHOICE_MEASURED, 16);
  assert_int_equal(choice_of_cached(device, RELAYOUT_PLAN_ESTIMATE), RLT_CHOICE_ESTIMATED);
  assert_int_equal(choice_of_cached(device, RELAYOUT_PLAN_MEASURE), RLT_CHOICE_MEASURED);
  assert_int_equal(choice_of_cached(device, RELAYOUT_PLAN_ESTIMATE), RLT_CHOICE_REMEMBERED);
  expect_text(device, PROBLEM " = " PERMUTE_16 "\n" PROBLEM " cached = " PERMUTE_16 "\n");
  relayout_device_destroy(device);
}

/* Nor does it change what is asked for. */
static void test_what_is_asked_for_is_not_remembered(void **state) {
  (void)state;
  static const char *const asked[] = {PERMUTE_41};
  recorder record;
  relayout_device *device = recorder_device(&record);
  record.seconds = few_rows_permute_fast;
  const relayout_shape from = shape_of("f32[64,41]{1,0}");
  const relayout_shape to = shape_of("f32[64,41]{0,1}");
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.schedules = asked;
  options.schedule_count = 1;
  options.effort = RELAYOUT_PLAN_MEASURE;
  for (int is_known = 0; is_known <= 1; ++is_known) {
    relayout_plan *plan = NULL;
    char text[TEXT_SIZE];
    if (is_known) {
      import(device, head, line);
    }
    assert_int_equal(relayout_plan_create(device, &from, &to, &options, &plan, NULL), RELAYOUT_OK);
    assert_int_equal(plan->work.parts[0].choice, RLT_CHOICE_ASKED_FOR);
    relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, text, sizeof text);
    assert_string_equal(text, PERMUTE_41);
    relayout_plan_destroy(plan);
    expect_text(device, is_known ? line : "");
  }
  assert_int_equal(record.programs_timed, 0);
  relayout_device_destroy(device);
}

/* ---- Two schedules ---- */

/* Rows of 16 bytes change places. */
#define ROWS_PROBLEM                                                                               \
  "bytes 1 elements 65536:65536 starts 0:0 keeps 16/16:1:1 64/64:1024:16 64/64:16:1024"
#define WIDE                                                                                       \
  "permute word=16 align=16:16 rows=1:4 columns=0 loops=/1 move=permute store=buffered group=256"
#define BYTES "copy word=1 align=1:1 rows=1 columns=0 loops=/2 move=copy store=unbuffered group=256"

static double wide_is_fast(const recorded_run *run) {
  const bool is_wide = run->schedule->problem->element_bytes == 16;
  const bool is_fast =
      is_wide ? rlt_group_length(&run->schedule->rows) == 4 : run->schedule->move == RLT_MOVE_COPY;
  return (is_wide ? 1e-4 : 1e-2) * (is_fast ? 1 : 2);
}

static void expect_ways(relayout_device *device, relayout_plan_effort effort, rlt_choice choice,
                        int32_t count, const char *const *expected) {
  relayout_plan *plan = create(device, "u8[64,64,16]{2,1,0}", "u8[64,64,16]{2,0,1}", effort);
  const rlt_part *const part = &plan->work.parts[0];
  assert_int_equal(part->choice, choice);
  assert_int_equal(part->variant_count, count);
  for (int32_t w = 0; w < count; ++w) {
    char text[TEXT_SIZE];
    relayout_plan_get_schedule(plan, 0, (relayout_schedule_use)w, text, sizeof text);
    assert_string_equal(text, expected[w]);
  }
  relayout_plan_destroy(plan);
}

static void test_two_schedules(void **state) {
  (void)state;
  static const char *const both[] = {WIDE, BYTES};
  recorder record;
  relayout_device *device = recorder_device(&record);
  record.seconds = wide_is_fast;
  expect_ways(device, RELAYOUT_PLAN_MEASURE, RLT_CHOICE_MEASURED, 2, both);
  expect_text(device, ROWS_PROBLEM " = " WIDE " | " BYTES "\n");
  const int timed = record.programs_timed;
  expect_ways(device, RELAYOUT_PLAN_ESTIMATE, RLT_CHOICE_REMEMBERED, 2, both);
  assert_int_equal(record.programs_timed, timed);
  relayout_device_destroy(device);
}

/* What is offered no more is passed over; what is missing then is estimated. */
static void test_schedules_that_went_away(void **state) {
  (void)state;
  static const char *const estimated[] = {WIDE, "permute word=1 align=1:1 rows=2:16 columns=0,1 "
                                                "loops=/2 move=permute store=buffered group=256"};
  static const char *const bytes[] = {BYTES};
  static const struct {
    const char *line;
    rlt_choice choice;
    int32_t count;
    const char *const *variants;
  } cases[] = {
      {ROWS_PROBLEM " = " WIDE " | copy word=1 align=1:1\n", RLT_CHOICE_REMEMBERED, 2, estimated},
      {ROWS_PROBLEM " = " WIDE "\n", RLT_CHOICE_REMEMBERED, 2, estimated},
      {ROWS_PROBLEM " = copy word=16 | " BYTES "\n", RLT_CHOICE_REMEMBERED, 1, bytes},
      {ROWS_PROBLEM " = " BYTES " | " WIDE "\n", RLT_CHOICE_REMEMBERED, 1, bytes},
      {ROWS_PROBLEM " = " BYTES " | " BYTES " | " BYTES "\n", RLT_CHOICE_REMEMBERED, 1, bytes},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    recorder record;
    relayout_device *device = recorder_device(&record);
    print_message("line %zu\n", i);
    import(device, head, cases[i].line);
    expect_ways(device, RELAYOUT_PLAN_ESTIMATE, cases[i].choice, cases[i].count, cases[i].variants);
    relayout_device_destroy(device);
    assert_int_equal(record.programs_alive, 0);
  }
}

/* ---- Texts ---- */

static void test_blob_makes_the_round(void **state) {
  (void)state;
  recorder first_record;
  recorder second_record;
  relayout_device *first = recorder_device(&first_record);
  relayout_device *second = recorder_device(&second_record);
  first_record.seconds = few_rows_permute_fast;
  expect_plan(first, RELAYOUT_PLAN_MEASURE, RLT_CHOICE_MEASURED, 16);
  relayout_plan_destroy(
      create(first, "u8[2,3,4]{2,1,0}", "u8[2,3,4]{0,2,1:PD(9,9,9)}", RELAYOUT_PLAN_MEASURE));
  expect_plan(second, RELAYOUT_PLAN_ESTIMATE, RLT_CHOICE_ESTIMATED, 41);
  char text[TEXT_SIZE];
  const size_t size = relayout_device_export_wisdom(first, NULL, 0);
  assert_int_equal(relayout_device_export_wisdom(first, text, sizeof text), size);
  assert_int_equal(relayout_device_import_wisdom(second, text, size, NULL), RELAYOUT_OK);
  expect_plan(second, RELAYOUT_PLAN_ESTIMATE, RLT_CHOICE_REMEMBERED, 16);
  assert_int_equal(second_record.programs_timed, 0);
  char again[TEXT_SIZE];
  relayout_device_export_wisdom(second, again, sizeof again);
  assert_string_equal(again, text);
  char cut[10];
  assert_int_equal(relayout_device_export_wisdom(first, cut, sizeof cut), size);
  assert_string_equal(cut, "relayout ");
  relayout_device_destroy(first);
  relayout_device_destroy(second);
}

static void test_later_lines_replace(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  import(device, head, line);
  import(device, head, PROBLEM " = " PERMUTE_41 "\n");
  expect_text(device, PROBLEM " = " PERMUTE_41 "\n");
  expect_plan(device, RELAYOUT_PLAN_ESTIMATE, RLT_CHOICE_REMEMBERED, 41);
  relayout_device_destroy(device);
}

/* A line that replaces another comes last, and the others keep their order. */
static void test_lines_keep_their_order(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  import(device, head, "bytes 1 a = one\nbytes 1 b = two\nbytes 1 c = three\nbytes 1 d = four\n");
  import(device, head, "bytes 1 b = five\nbytes 1 = six\n");
  expect_text(device, "bytes 1 a = one\nbytes 1 c = three\nbytes 1 d = four\nbytes 1 b = five\n"
                      "bytes 1 = six\n");
  import(device, head, "bytes 1 a = e\n");
  expect_text(device, "bytes 1 c = three\nbytes 1 d = four\nbytes 1 b = five\nbytes 1 = six\n"
                      "bytes 1 a = e\n");
  import(device, head, "bytes 1 a = f");
  import(device, head, "bytes = g\nbytes  = h\nbytesx = i\nbytes\nbytes \nbyte\n");
  expect_text(device, "bytes 1 c = three\nbytes 1 d = four\nbytes 1 b = five\nbytes 1 = six\n"
                      "bytes 1 a = e\nbytes = g\nbytes  = h\n");
  relayout_device_destroy(device);
}

/* Of 4096 problems; the next one is known instead of the oldest. */
static void test_the_oldest_is_forgotten(void **state) {
  (void)state;
  enum { MOST = 4096, LINE = 32 };
  recorder record;
  relayout_device *device = recorder_device(&record);
  char *const text = calloc(MOST + 2, LINE);
  char *const found = calloc(MOST + 2, LINE);
  size_t size = (size_t)sprintf(text, "%s", head);
  for (int i = 0; i < MOST; ++i) {
    size += (size_t)sprintf(text + size, "bytes %d = a\n", i);
  }
  assert_int_equal(relayout_device_import_wisdom(device, text, size, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_device_export_wisdom(device, found, (MOST + 2) * LINE), size);
  assert_string_equal(found, text);
  import(device, head, "bytes 7 = b\nbytes x = c\n");
  relayout_device_export_wisdom(device, found, (MOST + 2) * LINE);
  assert_null(strstr(found, "bytes 0 = a\n"));
  assert_null(strstr(found, "bytes 7 = a\n"));
  assert_non_null(strstr(found, "bytes 1 = a\nbytes 2 = a\n"));
  assert_non_null(strstr(found, "bytes 4095 = a\nbytes 7 = b\nbytes x = c\n"));
  free(text);
  free(found);
  relayout_device_destroy(device);
}

/* ---- Floods ---- */

enum { MOST_TEXT = 16 << 20, MOST_KEPT = 15 << 20 };

/* The head, and lines of different problems as long as there is room for more. Each is `line_size`
 * bytes, or as short as it can be for 0. How many there are. */
static int fill_with_lines(char *text, size_t capacity, int line_size, size_t *size) {
  size_t at = (size_t)sprintf(text, "%s", head);
  int count = 0;
  while (at + (size_t)line_size + 32 < capacity) {
    const int problem = sprintf(text + at, "bytes %d = ", count);
    const int filled = line_size > problem + 1 ? line_size - problem - 1 : 1;
    memset(text + at + problem, 'a', (size_t)filled);
    text[at + (size_t)problem + (size_t)filled] = '\n';
    at += (size_t)problem + (size_t)filled + 1;
    ++count;
  }
  *size = at;
  return count;
}

static double seconds_now(void) {
  struct timespec now;
  assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A million lines, of which the last count. It takes a tenth of a second, and took eleven when
 * every line was held against every other. */
static void test_large_texts(void **state) {
  (void)state;
  enum { CAPACITY = MOST_TEXT + 64 };
  recorder record;
  relayout_device *const device = recorder_device(&record);
  char *const text = malloc(CAPACITY);
  size_t size = 0;
  char last[64];
  const int count = fill_with_lines(text, MOST_TEXT, 0, &size);
  const double start = seconds_now();
  assert_int_equal(relayout_device_import_wisdom(device, text, size, NULL), RELAYOUT_OK);
  assert_true(seconds_now() - start < 5);
  const size_t length = relayout_device_export_wisdom(device, text, CAPACITY);
  int lines = 0;
  for (const char *end = strchr(text, '\n'); end != NULL; end = strchr(end + 1, '\n')) {
    ++lines;
  }
  assert_int_equal(lines, 3 + 4096);
  const int of_last = sprintf(last, "bytes %d = a\n", count - 1);
  assert_string_equal(text + length - (size_t)of_last, last);

  relayout_error error;
  memset(text, '\n', CAPACITY);
  assert_int_equal(relayout_device_import_wisdom(device, text, MOST_TEXT, &error), RELAYOUT_OK);
  assert_int_equal(relayout_device_import_wisdom(device, text, MOST_TEXT + 1, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message,
                      "size is 16777217; a text of wisdom has at most 16777216 bytes");
  free(text);
  relayout_device_destroy(device);
}

/* Only the last 65536 lines of a text are looked at, whatever stands in them. */
static void test_many_lines_of_a_text(void **state) {
  (void)state;
  enum { LOOKED_AT = 65536 };
  for (int extra = -1; extra <= 0; ++extra) {
    recorder record;
    relayout_device *const device = recorder_device(&record);
    char *const text = malloc(sizeof head + 64 + LOOKED_AT);
    size_t size = (size_t)sprintf(text, "%sbytes 1 a = b\n", head);
    memset(text + size, '\n', (size_t)(LOOKED_AT + extra));
    size += (size_t)(LOOKED_AT + extra);
    assert_int_equal(relayout_device_import_wisdom(device, text, size, NULL), RELAYOUT_OK);
    expect_text(device, extra < 0 ? "bytes 1 a = b\n" : "");
    free(text);
    relayout_device_destroy(device);
  }
}

/* Fewer lines are known where they are long: what is exported can be imported. */
static void test_long_lines_are_forgotten(void **state) {
  (void)state;
  enum { LINE_SIZE = 16000 };
  recorder record;
  relayout_device *const device = recorder_device(&record);
  char *const text = malloc(MOST_TEXT);
  size_t size = 0;
  (void)fill_with_lines(text, 9 << 20, LINE_SIZE, &size);
  assert_int_equal(relayout_device_import_wisdom(device, text, size, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_device_export_wisdom(device, NULL, 0), size);
  for (char *at = strstr(text, " = a"); at != NULL; at = strstr(at + 4, " = a")) {
    memcpy(at, "x = ", 4); /* other problems */
  }
  assert_int_equal(relayout_device_import_wisdom(device, text, size, NULL), RELAYOUT_OK);
  const size_t known = relayout_device_export_wisdom(device, text, MOST_TEXT);
  assert_in_range(known, MOST_KEPT - LINE_SIZE, MOST_KEPT + strlen(head));
  assert_null(strstr(text, "\nbytes 0 = "));
  assert_non_null(strstr(text, "\nbytes 500 = "));
  assert_non_null(strstr(text, "\nbytes 0x = "));
  assert_int_equal(relayout_device_import_wisdom(device, text, known, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_device_export_wisdom(device, NULL, 0), known);
  free(text);
  relayout_device_destroy(device);
}

/* A line has fewer than 16 KiB. */
static void test_longest_line(void **state) {
  (void)state;
  enum { LONGEST = 16 << 10 };
  static char text[LONGEST + 256];
  static char found[LONGEST + 256];
  for (int extra = -1; extra <= 0; ++extra) {
    recorder record;
    relayout_device *device = recorder_device(&record);
    const size_t start = (size_t)sprintf(text, "%s", head);
    memset(text + start, 'a', LONGEST);
    memcpy(text + start, "bytes 1 = ", 10);
    text[start + LONGEST + (size_t)extra] = '\n';
    const size_t size = start + LONGEST + (size_t)extra + 1;
    assert_int_equal(relayout_device_import_wisdom(device, text, size, NULL), RELAYOUT_OK);
    assert_int_equal(relayout_device_export_wisdom(device, found, sizeof found),
                     extra < 0 ? size : start);
    relayout_device_destroy(device);
  }
}

/* Each of these leaves the device as it was. */
static void test_texts_that_do_no_harm(void **state) {
  (void)state;
  static const char *const texts[][2] = {
      {"", ""},
      {"", line},
      {"relayout wisdom 2\ndevice: a \"recording\" device, 0 compute units\ndriver:  \n", line},
      {"relayout wisdom 3\ndevice: another device, 0 compute units\ndriver:  \n", line},
      {"relayout wisdom 3\ndevice: a \"recording\" device, 0 compute units\ndriver: 7 \n", line},
      {head, PROBLEM " = " PERMUTE_16}, /* cut before its end */
      {head, PROBLEM "\n"},
      {head, PROBLEM " = \n"},
      {head, "= " PERMUTE_16 "\n"},
      {head, "\n\n\n"},
      {head,
       "words 4 elements 2624:2624 starts 0:0 keeps 64/64:41:1 41/41:1:64 = " PERMUTE_16 "\n"},
      {head, PROBLEM " = " PERMUTE_16 " \x1b[2J\n"},
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    print_message("text %zu\n", i);
    recorder record;
    relayout_device *device = recorder_device(&record);
    import(device, texts[i][0], texts[i][1]);
    expect_text(device, "");
    expect_plan(device, RELAYOUT_PLAN_ESTIMATE, RLT_CHOICE_ESTIMATED, 41);
    relayout_device_destroy(device);
  }
  /* Good lines count beside bad ones; and a schedule that breaks a rule is none. */
  recorder record;
  relayout_device *device = recorder_device(&record);
  import(device, head,
         PROBLEM
         " = permute word=4 align=4:4 rows=1:17 columns=0 loops=/0 move=permute store=buffered "
         "group=256\n");
  expect_plan(device, RELAYOUT_PLAN_ESTIMATE, RLT_CHOICE_ESTIMATED, 41);
  char mixed[TEXT_SIZE];
  snprintf(mixed, sizeof mixed, "%srubbish\n%sbytes", head, line);
  import(device, mixed, "");
  expect_plan(device, RELAYOUT_PLAN_ESTIMATE, RLT_CHOICE_REMEMBERED, 16);
  /* A zero byte ends nothing but its line. */
  static const char zero[] = "bytes 4\0 = " PERMUTE_16 "\n";
  char with_zero[TEXT_SIZE];
  memcpy(with_zero, head, sizeof head - 1);
  memcpy(with_zero + sizeof head - 1, zero, sizeof zero - 1);
  assert_int_equal(
      relayout_device_import_wisdom(device, with_zero, sizeof head - 1 + sizeof zero - 1, NULL),
      RELAYOUT_OK);
  expect_text(device, line);
  relayout_device_destroy(device);
}

static void test_bad_arguments(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  assert_int_equal(relayout_device_import_wisdom(NULL, line, 1, NULL), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_device_import_wisdom(device, NULL, 0, NULL), RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_device_export_wisdom(NULL, NULL, 0), 0);
  relayout_device_destroy(device);
}

/* ---- Files ---- */

/* Where a device keeps its wisdom. */
typedef struct kept_in {
  char folder[SCRATCH_PATH]; /* made by the test; the device's own lies in it */
  char inner[SCRATCH_PATH + 8];
} kept_in;

static void make_folder(kept_in *made) {
  scratch_make(made->folder);
  snprintf(made->inner, sizeof made->inner, "%s/a/b", made->folder);
}

/* The only file in the inner folder. */
static void find_file(const kept_in *of, char path[SCRATCH_PATH]) {
  scratch_only_file(of->inner, path);
  assert_true(strncmp(strrchr(path, '/') + 1, "wisdom-", 7) == 0);
}

static void drop_folder(const kept_in *dropped) {
  char path[SCRATCH_PATH];
  find_file(dropped, path);
  scratch_remove(dropped->folder);
}

static void expect_file(const char *path, const char *lines) {
  char expected[TEXT_SIZE];
  char found[TEXT_SIZE] = "";
  snprintf(expected, sizeof expected, "%s%s", head, lines);
  FILE *const file = fopen(path, "r");
  assert_non_null(file);
  found[fread(found, 1, sizeof found - 1, file)] = '\0';
  fclose(file);
  assert_string_equal(found, expected);
}

static void write_file(const char *path, const char *first, const char *second) {
  FILE *const file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "%s%s", first, second);
  fclose(file);
}

static relayout_device *device_in(const kept_in *kept, recorder *record) {
  relayout_device *const device = recorder_device(record);
  record->seconds = few_rows_permute_fast;
  rlt_wisdom_keep_in(device, kept->inner);
  return device;
}

static void test_file(void **state) {
  (void)state;
  kept_in kept;
  make_folder(&kept);
  recorder record;
  relayout_device *device = device_in(&kept, &record);
  expect_plan(device, RELAYOUT_PLAN_MEASURE, RLT_CHOICE_MEASURED, 16);
  char path[SCRATCH_PATH];
  find_file(&kept, path);
  expect_file(path, line);
  relayout_device_destroy(device);

  /* The next process. */
  device = device_in(&kept, &record);
  expect_plan(device, RELAYOUT_PLAN_MEASURE, RLT_CHOICE_REMEMBERED, 16);
  assert_int_equal(record.programs_timed, 0);
  relayout_device_destroy(device);

  /* A folder that is named late is read all the same; without one there is nothing to read. */
  device = recorder_device(&record);
  expect_text(device, "");
  rlt_wisdom_keep_in(device, kept.inner);
  assert_string_equal(rlt_wisdom_folder(device), kept.inner);
  expect_text(device, line);
  relayout_device_destroy(device);
  device = recorder_device(&record);
  rlt_wisdom_keep_in(device, kept.inner);
  rlt_wisdom_keep_in(device, NULL);
  assert_null(rlt_wisdom_folder(device));
  expect_text(device, "");
  relayout_device_destroy(device);

  /* What another has added meanwhile stays, and is known. */
  static const char other[] = "bytes 1 fills 9/2:12:1 = fill word=1\n";
  char both[TEXT_SIZE];
  device = device_in(&kept, &record);
  expect_text(device, line);
  snprintf(both, sizeof both, "%s%s", line, other);
  write_file(path, head, both);
  relayout_plan_destroy(
      create(device, "f32[64,40]{1,0}", "f32[64,40]{0,1}", RELAYOUT_PLAN_MEASURE));
  snprintf(both, sizeof both,
           "%sbytes 4 elements 2560:2560 starts 0:0 keeps 64/64:40:1 40/40:1:64 = " PERMUTE_16
           "\n%s",
           line, other);
  expect_file(path, both);
  relayout_device_destroy(device);
  drop_folder(&kept);
}

/* What a process that was killed has left beside the file goes with the next that is measured. */
static void test_what_the_dead_have_left(void **state) {
  (void)state;
  kept_in kept;
  make_folder(&kept);
  recorder record;
  relayout_device *device = device_in(&kept, &record);
  expect_plan(device, RELAYOUT_PLAN_MEASURE, RLT_CHOICE_MEASURED, 16);
  char path[SCRATCH_PATH];
  char left[SCRATCH_PATH + 20];
  find_file(&kept, path);
  snprintf(left, sizeof left, "%s-123-000000456", path);
  write_file(left, head, "");
  const struct timespec long_ago[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
  assert_int_equal(utimensat(AT_FDCWD, left, long_ago, 0), 0);
  relayout_plan_destroy(
      create(device, "f32[64,40]{1,0}", "f32[64,40]{0,1}", RELAYOUT_PLAN_MEASURE));
  assert_int_equal(access(left, F_OK), -1);
  relayout_device_destroy(device);
  drop_folder(&kept);
}

enum { WRITERS = 4, PROBLEMS_EACH = 20 };

/* Measures problems that no other writer has. */
static void measure_own(const kept_in *kept, int writer) {
  recorder record;
  relayout_device *const device = device_in(kept, &record);
  for (int i = 0; i < PROBLEMS_EACH; ++i) {
    char from[64];
    char to[64];
    const int width = 41 + writer * PROBLEMS_EACH + i;
    snprintf(from, sizeof from, "f32[64,%d]{1,0}", width);
    snprintf(to, sizeof to, "f32[64,%d]{0,1}", width);
    relayout_plan_destroy(create(device, from, to, RELAYOUT_PLAN_MEASURE));
  }
  relayout_device_destroy(device);
}

/* Not every file system can, NFS for one. */
static bool can_exchange(const kept_in *kept) {
  static const unsigned char text[] = "text";
  char path[SCRATCH_PATH];
  bool is_exchanged = false;
  for (int i = 0; i < 2; ++i) {
    size_t size = 0;
    unsigned char *const old =
        rlt_cache_folder_exchange(kept->inner, "wisdom-", text, sizeof text, TEXT_SIZE, &size);
    is_exchanged = old != NULL;
    rlt_free(old);
  }
  find_file(kept, path);
  unlink(path);
  return is_exchanged;
}

/* Nobody's wisdom is lost, although all of them write the same file. */
static void test_many_processes_at_once(void **state) {
  (void)state;
  kept_in kept;
  make_folder(&kept);
  if (!can_exchange(&kept)) {
    skip();
  }
  pid_t writers[WRITERS];
  for (int w = 0; w < WRITERS; ++w) {
    writers[w] = fork();
    assert_true(writers[w] >= 0);
    if (writers[w] == 0) {
      measure_own(&kept, w);
      _exit(0);
    }
  }
  for (int w = 0; w < WRITERS; ++w) {
    assert_int_equal(child_code(writers[w]), 0);
  }
  recorder record;
  relayout_device *const device = device_in(&kept, &record);
  char text[16 * TEXT_SIZE];
  assert_true(relayout_device_export_wisdom(device, text, sizeof text) < sizeof text);
  int lines = 0;
  for (const char *end = strchr(text, '\n'); end != NULL; end = strchr(end + 1, '\n')) {
    ++lines;
  }
  assert_int_equal(lines, 3 + WRITERS * PROBLEMS_EACH); /* three of the head */
  relayout_device_destroy(device);
  drop_folder(&kept);
}

/* All files of wisdom together take no more than 64 MiB: the oldest go. Others' stay. */
static void test_files_are_trimmed(void **state) {
  (void)state;
  static const char *const names[] = {"wisdom-0123456789abcdef.txt",  "wisdom-0123456789abcdeg.txt",
                                      "wisdom-0123456789abcdef.txt1", "wisdom-0123456789abcde.txt",
                                      "xisdom-0123456789abcdef.txt",  "wisdom-0123456789abcdef.txu",
                                      "wisdom-0123456789ABCDEF.txt"};
  enum { NAMES = sizeof names / sizeof names[0] };
  kept_in kept;
  make_folder(&kept);
  recorder record;
  relayout_device *device = device_in(&kept, &record);
  expect_plan(device, RELAYOUT_PLAN_MEASURE, RLT_CHOICE_MEASURED, 16);
  char path[SCRATCH_PATH + 64];
  for (int i = 0; i < NAMES; ++i) {
    snprintf(path, sizeof path, "%s/%s", kept.inner, names[i]);
    write_file(path, "", "");
    assert_int_equal(truncate(path, 65 << 20), 0);
  }
  scratch_age(kept.inner, 1000);
  relayout_plan_destroy(
      create(device, "f32[64,40]{1,0}", "f32[64,40]{0,1}", RELAYOUT_PLAN_MEASURE));
  for (int i = 0; i < NAMES; ++i) {
    snprintf(path, sizeof path, "%s/%s", kept.inner, names[i]);
    assert_int_equal(access(path, F_OK), i == 0 ? -1 : 0);
  }
  assert_int_equal(scratch_count(kept.inner), NAMES);
  relayout_device_destroy(device);
  scratch_remove(kept.folder);
}

static void test_bad_files(void **state) {
  (void)state;
  kept_in kept;
  make_folder(&kept);
  recorder record;
  relayout_device *device = device_in(&kept, &record);
  expect_plan(device, RELAYOUT_PLAN_MEASURE, RLT_CHOICE_MEASURED, 16);
  relayout_device_destroy(device);
  char path[SCRATCH_PATH];
  find_file(&kept, path);
  static const char *const contents[][2] = {
      {"", ""},
      {"rubbish", ""},
      {"relayout wisdom 3\n", line},
      {head, "bytes 4 elements 2624:2624 starts 0:0 keeps 64/64:41:1"}};
  for (size_t i = 0; i < sizeof contents / sizeof contents[0]; ++i) {
    write_file(path, contents[i][0], contents[i][1]);
    device = device_in(&kept, &record);
    expect_plan(device, RELAYOUT_PLAN_ESTIMATE, RLT_CHOICE_ESTIMATED, 41);
    relayout_device_destroy(device);
  }
  /* And is put right by the next that is measured. */
  device = device_in(&kept, &record);
  expect_plan(device, RELAYOUT_PLAN_MEASURE, RLT_CHOICE_MEASURED, 16);
  expect_file(path, line);
  relayout_device_destroy(device);
  drop_folder(&kept);
}

/* A file of 16 MiB is read, a longer one is as if it were not there. */
static void test_large_files(void **state) {
  (void)state;
  kept_in kept;
  make_folder(&kept);
  recorder record;
  relayout_device *device = device_in(&kept, &record);
  expect_plan(device, RELAYOUT_PLAN_MEASURE, RLT_CHOICE_MEASURED, 16);
  relayout_device_destroy(device);
  char path[SCRATCH_PATH];
  find_file(&kept, path);
  char *const rest = malloc(MOST_TEXT);
  for (int extra = 0; extra <= 1; ++extra) {
    const size_t size = MOST_TEXT - strlen(head) - strlen(line) + (size_t)extra;
    memset(rest, 'x', size);
    rest[size - strlen(line) - 1] = '\n';
    memcpy(rest + size - strlen(line), line, strlen(line));
    rest[size] = '\0';
    write_file(path, head, rest);
    FILE *const file = fopen(path, "a");
    assert_non_null(file);
    fputs(line, file);
    fclose(file);
    device = device_in(&kept, &record);
    expect_text(device, extra == 0 ? line : "");
    relayout_device_destroy(device);
  }
  free(rest);
  drop_folder(&kept);
}

static void test_no_folder_can_be_made(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  record.seconds = few_rows_permute_fast;
  rlt_wisdom_keep_in(device, "/dev/null/wisdom");
  expect_plan(device, RELAYOUT_PLAN_MEASURE, RLT_CHOICE_MEASURED, 16);
  expect_plan(device, RELAYOUT_PLAN_ESTIMATE, RLT_CHOICE_REMEMBERED, 16);
  relayout_device_destroy(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      HELD_TEST(test_known_to_later_plans),
      HELD_TEST(test_conversions_are_their_own),
      HELD_TEST(test_cached_destinations_are_their_own),
      HELD_TEST(test_what_is_asked_for_is_not_remembered),
      HELD_TEST(test_two_schedules),
      HELD_TEST(test_schedules_that_went_away),
      HELD_TEST(test_blob_makes_the_round),
      HELD_TEST(test_later_lines_replace),
      HELD_TEST(test_lines_keep_their_order),
      HELD_TEST(test_the_oldest_is_forgotten),
      HELD_TEST(test_longest_line),
      HELD_TEST(test_large_texts),
      HELD_TEST(test_many_lines_of_a_text),
      HELD_TEST(test_long_lines_are_forgotten),
      HELD_TEST(test_texts_that_do_no_harm),
      HELD_TEST(test_bad_arguments),
      HELD_TEST(test_file),
      HELD_TEST(test_what_the_dead_have_left),
      HELD_TEST(test_many_processes_at_once),
      HELD_TEST(test_files_are_trimmed),
      HELD_TEST(test_bad_files),
      HELD_TEST(test_large_files),
      HELD_TEST(test_no_folder_can_be_made),
  };
  return cmocka_run_group_tests_name("plan.wisdom", tests, NULL, NULL);
}
