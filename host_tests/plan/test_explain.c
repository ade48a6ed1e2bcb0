/* test_explain.c: the words and the JSON of a plan, word for word, and cut to any buffer. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/recorder.h"
#include "relayout/relayout.h"
#include "shape_of.h"
#include "view_of.h"

static relayout_plan *plan_of(relayout_device *device, const char *from_text, const char *to_text) {
  const relayout_shape from = shape_of(from_text);
  const relayout_shape to = shape_of(to_text);
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  return plan;
}

static void expect_explained(const char *from, const char *to, relayout_explain_form form,
                             const char *expected) {
  recorder record;
  relayout_device *device = recorder_device(&record);
  relayout_plan *plan = plan_of(device, from, to);
  const size_t length = relayout_plan_explain(plan, form, NULL, 0);
  char *text = malloc(length + 1);
  assert_int_equal(relayout_plan_explain(plan, form, text, length + 1), length);
  assert_string_equal(text, expected);

  char cut[20];
  assert_int_equal(relayout_plan_explain(plan, form, cut, sizeof cut), length);
  assert_int_equal(strlen(cut), sizeof cut - 1);
  assert_memory_equal(cut, expected, sizeof cut - 1);
  free(text);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

#define WORDS                                                                                      \
  "transpose on recorder, predicted to reach 1.00 of a plain copy's speed\n"                       \
  "from f32[64,40]{1,0}\n"                                                                         \
  "to   f32[64,40]{0,1:PD(64,41)PV(one)}\n"                                                        \
  "bytes: 10240 read, 10496 written, of which 256 are padding, each element 0x3f800000\n"          \
  "device: recorder (a \"recording\" device)\n"                                                    \
  "problem: 4-byte elements along 2 axes\n"                                                        \
  "  axis 0: extent 64, source stride 40, destination stride 1\n"                                  \
  "  axis 1: extent 41, of which 40 have a source, source stride 1, destination stride 64\n"       \
  "method: transpose, because the sides run along different axes, both long enough for square "    \
  "tiles\n"                                                                                        \
  "schedule: transpose word=4 align=4:4 rows=1 columns=0 loops=- move=transpose store=buffered "   \
  "group=256\n"                                                                                    \
  "tiles: 1 of 41 rows of axis 1 by 64 columns of axis 0\n"                                        \
  "predicted: 1.00 of a plain copy; takes 1.00: 0.49 for 160 lines read, 0.51 for 164 lines "      \
  "written\n"                                                                                      \
  "runs: nothing at all\n"

static void test_words(void **state) {
  (void)state;
  static const char from[] = "f32[64,40]{1,0}";
  static const char to[] = "f32[64,40]{0,1:PD(64,41)PV(one)}";
  expect_explained(from, to, RELAYOUT_EXPLAIN_TEXT, WORDS);
  expect_explained(from, to, RELAYOUT_EXPLAIN_SCHEDULES_TEXT,
                   WORDS
                   "offered:\n"
                   "  1.00  index-program word=4 align=4:4 rows=- columns=0 loops=/1 move=index "
                   "store=unbuffered group=256 grain=4\n"
                   "  1.00  transpose word=4 align=4:4 rows=1 columns=0 loops=- move=transpose "
                   "store=buffered group=256\n"
                   "  1.00  permute word=4 align=4:4 rows=1 columns=0 loops=- move=permute "
                   "store=buffered group=256\n"
                   "  1.00  permute word=4 align=4:4 rows=1:16 columns=0 loops=/1 move=permute "
                   "store=buffered group=256\n");
}

/* Axes are those of the words that each schedule moves. */
static void test_two_ways(void **state) {
  (void)state;
  expect_explained(
      "u8[8,9,16]{2,1,0}", "u8[8,9,16]{2,0,1}", RELAYOUT_EXPLAIN_TEXT,
      "permute on recorder, predicted to reach 1.00 of a plain copy's speed\n"
      "from u8[8,9,16]{2,1,0}\n"
      "to   u8[8,9,16]{2,0,1}\n"
      "bytes: 1152 read, 1152 written\n"
      "device: recorder (a \"recording\" device)\n"
      "problem: 16-byte elements along 2 axes\n"
      "  axis 0: extent 8, source stride 9, destination stride 1\n"
      "  axis 1: extent 9, source stride 1, destination stride 8\n"
      "method: permute, because an inner axis is short, so several together make one wide enough\n"
      "schedule: permute word=16 align=16:16 rows=1 columns=0 loops=- move=permute store=buffered "
      "group=256\n"
      "tiles: 1 of 9 rows of axis 1 by 8 columns of axis 0\n"
      "predicted: 1.00 of a plain copy; takes 1.00: 0.50 for 18 lines read, 0.50 for 18 lines "
      "written\n"
      "runs: nothing at all\n"
      "if the source is not 16-byte aligned, or the destination not 16-byte aligned:\n"
      "problem: 1-byte elements along 3 axes\n"
      "  axis 0: extent 16, source stride 1, destination stride 1\n"
      "  axis 1: extent 8, source stride 144, destination stride 16\n"
      "  axis 2: extent 9, source stride 16, destination stride 128\n"
      "schedule: permute word=1 align=1:1 rows=2 columns=0,1 loops=- move=permute store=buffered "
      "group=256\n"
      "tiles: 1 of 9 rows of axis 2 by 128 columns of axis 0 and 1\n");
}

#define PERMUTE                                                                                    \
  "\"permute word=4 align=4:4 rows=- columns=0,1 loops=- move=permute store=buffered group=256\""

#define COUNTS                                                                                     \
  ",\"predicted_fraction\":1,\"counts\":{\"lines_read\":0.375,\"lines_again\":0.625,"              \
  "\"lines_written\":0,\"lines_in_parts\":1,\"runs\":1,\"straight_runs\":0,\"moves\":15,"          \
  "\"reworks\":0,\"tiles\":1,\"pages\":2}," TIMES

#define TIMES                                                                                      \
  "\"times\":{\"lines_read\":0.285714286,\"lines_again\":0,\"lines_written\":0,"                   \
  "\"lines_in_parts\":0,\"runs\":0,\"straight_runs\":0,\"moves\":0,\"reworks\":0,"                 \
  "\"tiles\":0,\"pages\":0}}"

#define OBJECT                                                                                     \
  "{\"from\":\"f32[2,3]{1,0}\",\"to\":\"f32[2,3]{0,1:PD(3,5)}\",\"device\":\"recorder\","          \
  "\"device_description\":\"a \\\"recording\\\" device\",\"bytes_read\":24,"                       \
  "\"bytes_written\":60,\"padding_bytes\":36,\"predicted_fraction\":1,\"fill\":\"0x00000000\","    \
  "\"host_memory\":null,\"schedule\":[" PERMUTE "],\"parts\":[{"                                   \
  "\"element_bytes\":4,\"source_bits\":32,\"destination_bits\":32,\"converts\":false,"             \
  "\"axes\":[{\"extent\":3,\"valid\":2,\"source_stride\":3,\"destination_stride\":1},"             \
  "{\"extent\":5,\"valid\":3,\"source_stride\":1,\"destination_stride\":3}],"                      \
  "\"method\":\"permute\","                                                                        \
  "\"reason\":\"an inner axis is short, so several together make one wide enough\","               \
  "\"chosen_by\":\"estimate\",\"schedule\":" PERMUTE ",\"schedule_at_any_offset\":" PERMUTE        \
  ",\"tiles\":1,\"device_runs\":\"nothing at all\"" COUNTS "]"

static void test_json(void **state) {
  (void)state;
  static const char from[] = "f32[2,3]{1,0}";
  static const char to[] = "f32[2,3]{0,1:PD(3,5)}";
  expect_explained(from, to, RELAYOUT_EXPLAIN_JSON, OBJECT "}");
  expect_explained(
      from, to, RELAYOUT_EXPLAIN_SCHEDULES_JSON,
      OBJECT ",\"schedules\":["
             "{\"part\":0,\"text\":\"index-program word=4 align=4:4 rows=- columns=0 loops=/1 "
             "move=index store=unbuffered group=256 grain=8\",\"method\":\"index-program\","
             "\"predicted_fraction\":1,\"counts\":{\"lines_read\":0.375,\"lines_again\":5.625,"
             "\"lines_written\":0,\"lines_in_parts\":5.625,\"runs\":6,\"straight_runs\":6,"
             "\"moves\":15,\"reworks\":0,\"tiles\":5,\"pages\":8.01855469}," TIMES
             ",{\"part\":0,\"text\":\"transpose word=4 align=4:4 rows=1 columns=0 loops=- "
             "move=transpose store=buffered group=256\",\"method\":\"transpose\"" COUNTS
             ",{\"part\":0,\"text\":" PERMUTE ",\"method\":\"permute\"" COUNTS "]}");
}

/* Each part is told of, and what is offered for it. */
static void test_parts(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  relayout_plan *plan = plan_of(device, "f32[100,300]{0,1}", "f32[100,300]{1,0:T(8,128)}");
  static char text[1 << 16];
  char part[32];
  const int32_t count = relayout_plan_part_count(plan);
  assert_true(count > 1);
  assert_true(relayout_plan_explain(plan, RELAYOUT_EXPLAIN_TEXT, text, sizeof text) < sizeof text);
  for (int32_t i = 1; i <= count; ++i) {
    snprintf(part, sizeof part, "part %d of %d\n", (int)i, (int)count);
    assert_non_null(strstr(text, part));
  }
  assert_true(relayout_plan_explain(plan, RELAYOUT_EXPLAIN_SCHEDULES_JSON, text, sizeof text) <
              sizeof text);
  for (int32_t i = 0; i < count; ++i) {
    snprintf(part, sizeof part, ",{\"part\":%d,", (int)i);
    assert_non_null(strstr(text, part));
  }
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

/* Both lists have a comma between entries and nowhere else. */
static void test_lists_of_parts(void **state) {
  (void)state;
  recorder record;
  relayout_device *device = recorder_device(&record);
  relayout_plan *plan = plan_of(device, "f32[100,300]{0,1}", "f32[100,300]{1,0:T(8,128)}");
  static char text[1 << 16];
  static char expected[1 << 14];
  const int32_t count = relayout_plan_part_count(plan);
  size_t length = (size_t)snprintf(expected, sizeof expected, ",\"schedule\":[");
  for (int32_t i = 0; i < count; ++i) {
    char schedule[512];
    relayout_plan_get_schedule(plan, i, RELAYOUT_SCHEDULE_ALIGNED, schedule, sizeof schedule);
    length += (size_t)snprintf(expected + length, sizeof expected - length, "%s\"%s\"",
                               i == 0 ? "" : ",", schedule);
  }
  snprintf(expected + length, sizeof expected - length, "],\"parts\":[{\"element_bytes\":4,");
  relayout_plan_explain(plan, RELAYOUT_EXPLAIN_JSON, text, sizeof text);
  assert_non_null(strstr(text, expected));
  int32_t joins = 0;
  for (const char *at = text; (at = strstr(at, "}},{\"element_bytes\":4,")) != NULL; ++at) {
    ++joins;
  }
  assert_int_equal(joins, count - 1);
  assert_string_equal(text + strlen(text) - 4, "}}]}");
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

static void expect_words(const relayout_plan *plan, relayout_explain_form form, const char *words) {
  static char text[1 << 14];
  assert_true(relayout_plan_explain(plan, form, text, sizeof text) < sizeof text);
  if (strstr(text, words) == NULL) {
    fail_msg("`%s` lacks `%s`", text, words);
  }
}

static void test_one_of_each(void **state) {
  (void)state;
  static const struct {
    const char *shape;
    const char *tiles;
  } cases[] = {{"f32[]", "tiles: 1 of 1 row by 1 column\n"},
               {"f32[5]", "tiles: 1 of 1 row by 5 columns of axis 0\n"},
               {"f32[10000]", "tiles: 10 of 1 row by 1024 columns of axis 0 (1024 steps of it)\n"}};
  recorder record;
  relayout_device *device = recorder_device(&record);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_plan *plan = plan_of(device, cases[i].shape, cases[i].shape);
    expect_words(plan, RELAYOUT_EXPLAIN_TEXT, cases[i].tiles);
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(device);
}

static void test_changed_elements(void **state) {
  (void)state;
  static const struct {
    const char *from;
    const char *to;
    double scale;
    relayout_integer_overflow overflow;
    relayout_rounding rounding;
    const char *words;
    const char *json;
  } cases[] = {
      {"f32[8,9]", "f32[8,9]{0,1}", 1, RELAYOUT_OVERFLOW_SATURATE, RELAYOUT_ROUNDING_ZERO,
       "problem: 4-byte elements along 2 axes\n  axis 0",
       "\"source_bits\":32,\"destination_bits\":32,\"converts\":false,"},
      {"f32[8]", "s8[8]", 1, RELAYOUT_OVERFLOW_SATURATE, RELAYOUT_ROUNDING_ZERO,
       "problem: 4-byte elements along 1 axis\n  converted from f32 to s8\n  axis 0",
       "\"element_bytes\":4,\"source_bits\":32,\"destination_bits\":8,\"converts\":true,"},
      {"f32[8]", "s8[8]", 0.5, RELAYOUT_OVERFLOW_WRAP, RELAYOUT_ROUNDING_ZERO,
       "  converted from f32 to s8, times 0.5, wrapping\n", "\"converts\":true"},
      {"f32[8]", "s8[8]", 1, RELAYOUT_OVERFLOW_WRAP, RELAYOUT_ROUNDING_ZERO,
       "  converted from f32 to s8, wrapping\n", "\"converts\":true"},
      {"f32[8]", "s8[8]", 3, RELAYOUT_OVERFLOW_SATURATE, RELAYOUT_ROUNDING_ZERO,
       "  converted from f32 to s8, times 3\n", "\"converts\":true"},
      {"f32[8]", "s8[8]", 3, RELAYOUT_OVERFLOW_WRAP, RELAYOUT_ROUNDING_NEAREST,
       "  converted from f32 to s8, times 3, to nearest, wrapping\n", "\"converts\":true"},
      {"f32[8]", "f16[8]", 1, RELAYOUT_OVERFLOW_SATURATE, RELAYOUT_ROUNDING_NEAREST,
       "  converted from f32 to f16\n", "\"converts\":true"},
      {"u4[8]{0:E(4)}", "u2[8]{0:E(2)}", 1, RELAYOUT_OVERFLOW_SATURATE, RELAYOUT_ROUNDING_ZERO,
       "axis\n  unpacked from 4 bits each\n  converted from u4 to u2\n  packed into 2 bits "
       "each\n  axis 0",
       "\"element_bytes\":1,\"source_bits\":4,\"destination_bits\":2,\"converts\":true,"},
  };
  recorder record;
  relayout_device *device = recorder_device(&record);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const relayout_shape from = shape_of(cases[i].from);
    const relayout_shape to = shape_of(cases[i].to);
    relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
    relayout_plan *plan = NULL;
    options.scale = cases[i].scale;
    options.overflow = cases[i].overflow;
    options.rounding = cases[i].rounding;
    print_message("case %zu\n", i);
    assert_int_equal(relayout_plan_create(device, &from, &to, &options, &plan, NULL), RELAYOUT_OK);
    expect_words(plan, RELAYOUT_EXPLAIN_TEXT, cases[i].words);
    expect_words(plan, RELAYOUT_EXPLAIN_JSON, cases[i].json);
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(device);
}

static void test_boxes(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("f32[8,9]");
  const relayout_view view = view_of(&shape, NULL);
  recorder record;
  relayout_device *device = recorder_device(&record);
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create_range(device, &view, &view, (const int64_t[]){2, 3},
                                              (const int64_t[]){4, 5}, NULL, &plan, NULL),
                   RELAYOUT_OK);
  expect_words(plan, RELAYOUT_EXPLAIN_TEXT,
               "to   f32[8,9]{1,0}\nbox: indices from 2,3 on, 4,5 of them\nbytes: 80 read, 80 "
               "written\n");
  expect_words(plan, RELAYOUT_EXPLAIN_JSON,
               "\"to\":\"f32[8,9]{1,0}\",\"start\":[2,3],\"sizes\":[4,5],\"device\":");
  expect_words(plan, RELAYOUT_EXPLAIN_JSON, "\"padding_bytes\":0,");
  expect_words(plan, RELAYOUT_EXPLAIN_JSON, "\"fill\":null");
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

static int64_t boxes_told;

static rlt_host_transfers tell_transfers(const relayout_plan *plan) {
  (void)plan;
  return (rlt_host_transfers){boxes_told, 200, 300};
}

static void test_transfers(void **state) {
  (void)state;
  static const struct {
    int64_t boxes;
    const char *words;
    const char *json;
  } cases[] = {
      {0, "device)\nproblem", "\"host_memory\":null,"},
      {1, "device)\nhost memory: 200 bytes up and 300 down, in 1 box\nproblem",
       "\"host_memory\":{\"boxes\":1,\"bytes_up\":200,\"bytes_down\":300},"},
      {2, "host memory: 200 bytes up and 300 down, in 2 boxes\nproblem", "{\"boxes\":2,"},
  };
  recorder record;
  relayout_device *device = recorder_device(&record);
  rlt_backend copies = *device->backend;
  copies.host_transfers = tell_transfers;
  device->backend = &copies;
  relayout_plan *plan = plan_of(device, "f32[8]", "f32[8]");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    boxes_told = cases[i].boxes;
    expect_words(plan, RELAYOUT_EXPLAIN_TEXT, cases[i].words);
    expect_words(plan, RELAYOUT_EXPLAIN_JSON, cases[i].json);
  }
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

static void test_empty(void **state) {
  (void)state;
  expect_explained("f32[0,3]", "f32[0,3]{0,1}", RELAYOUT_EXPLAIN_TEXT,
                   "from f32[0,3]{1,0}\n"
                   "to   f32[0,3]{0,1}\n"
                   "bytes: nothing to write\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_words),
      cmocka_unit_test(test_two_ways),
      cmocka_unit_test(test_json),
      cmocka_unit_test(test_parts),
      cmocka_unit_test(test_lists_of_parts),
      cmocka_unit_test(test_one_of_each),
      cmocka_unit_test(test_changed_elements),
      cmocka_unit_test(test_boxes),
      cmocka_unit_test(test_transfers),
      cmocka_unit_test(test_empty),
  };
  return cmocka_run_group_tests_name("plan.explain", tests, NULL, NULL);
}
