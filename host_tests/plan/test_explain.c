/* test_explain.c: the words and the JSON of a plan, word for word, and cut to any buffer. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "plan/recorder.h"
#include "relayout/relayout.h"
#include "shape_of.h"

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

static void test_words(void **state) {
  (void)state;
  expect_explained(
      "f32[64,40]{1,0}", "f32[64,40]{0,1:PD(64,41)PV(one)}", RELAYOUT_EXPLAIN_TEXT,
      "from f32[64,40]{1,0}\n"
      "to   f32[64,40]{0,1:PD(64,41)PV(one)}\n"
      "bytes: 10240 read, 10496 written, of which 256 are padding, each element 0x3f800000\n"
      "device: recorder (a \"recording\" device)\n"
      "problem: 4-byte elements along 2 axes\n"
      "  axis 0: extent 64, source stride 40, destination stride 1\n"
      "  axis 1: extent 41, of which 40 have a source, source stride 1, destination stride 64\n"
      "strategy: transpose, because the sides run along different axes, both long enough for "
      "square tiles\n"
      "tiles: 8 of 32 rows of axis 1 (32 steps of it) by 16 columns of axis 0 (16 steps of it)\n"
      "predicted: 1.00 of a plain copy; takes 1.00: 0.49 for 160 lines read, 0.51 for 164 lines "
      "written\n"
      "instead of packed, 41 by 64: 1.00 of a plain copy; takes 1.00: 0.49 for 160 lines read, "
      "0.51 "
      "for 164 lines written\n"
      "instead of packed, 16 by 64: 1.00 of a plain copy; takes 1.00: 0.49 for 160 lines read, "
      "0.51 "
      "for 164 lines written\n"
      "runs: nothing at all\n");
}

static void test_json(void **state) {
  (void)state;
  expect_explained(
      "f32[2,3]{1,0}", "f32[2,3]{0,1:PD(3,5)}", RELAYOUT_EXPLAIN_JSON,
      "{\"from\":\"f32[2,3]{1,0}\",\"to\":\"f32[2,3]{0,1:PD(3,5)}\",\"device\":\"recorder\","
      "\"device_description\":\"a \\\"recording\\\" device\",\"bytes_read\":24,"
      "\"bytes_written\":60,\"padding_bytes\":36,\"predicted_fraction\":1,\"fill\":\"0x00000000\","
      "\"element_bytes\":4,\"source_bits\":32,\"destination_bits\":32,\"converts\":false,"
      "\"axes\":[{\"extent\":3,\"valid\":2,\"source_stride\":3,\"destination_stride\":1},"
      "{\"extent\":5,\"valid\":3,\"source_stride\":1,\"destination_stride\":3}],"
      "\"reason\":\"an inner axis is short, so several together make one wide enough\","
      "\"strategy\":\"packed\",\"tiles\":1,\"tile\":{\"rows\":{\"length\":1,\"axes\":[]},"
      "\"columns\":{\"length\":15,\"axes\":[0,1]}},\"device_runs\":\"nothing at all\","
      "\"chosen_by\":\"estimate\",\"candidates\":[{\"strategy\":"
      "\"packed\",\"assembles\":false,"
      "\"rows\":1,\"columns\":15,\"chosen\":true,\"predicted_fraction\":1,"
      "\"counts\":{\"lines_read\":0.375,\"lines_again\":0.625,\"lines_written\":0,"
      "\"lines_in_parts\":1,\"runs\":1,\"straight_runs\":0,\"moves\":15,\"tiles\":1,\"pages\":2},"
      "\"times\":{\"lines_read\":0.285714286,\"lines_again\":0,\"lines_written\":0,"
      "\"lines_in_parts\":0,\"runs\":0,\"straight_runs\":0,\"moves\":0,\"tiles\":0,\"pages\":0}}]"
      ",\"other_parts\":[]}");
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
      cmocka_unit_test(test_json),
      cmocka_unit_test(test_empty),
  };
  return cmocka_run_group_tests_name("plan.explain", tests, NULL, NULL);
}
