/* test_one_line.c: what is left of text that a terminal would obey. */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/one_line.h"

static void expect_cleaned(const char *text, const char *kept, const char *expected) {
  char cleaned[64];
  strcpy(cleaned, text);
  rlt_clean_text(cleaned, kept);
  assert_string_equal(cleaned, expected);
}

static void test_control_characters(void **state) {
  (void)state;
  expect_cleaned("", "", "");
  expect_cleaned("plain ~ text", "", "plain ~ text");
  expect_cleaned("a\nb\rc\td\033[2Je\177f\001", "", "a?b?c?d?[2Je?f?");
  expect_cleaned("a\nb\rc\td\033[2J", "\n\t", "a\nb?c\td?[2J");
  expect_cleaned("\xc2\x80\xc2\x9f\xc2\xa0", "", "??\xc2\xa0");                 /* Latin-1's */
  expect_cleaned("\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa", "", "??\xe2\x80\xaa"); /* separators */
}

static void test_other_languages_stay(void **state) {
  (void)state;
  static const char text[] = "Gr\xc3\xb6\xc3\x9f"
                             "e \xe5\xb9\x85 \xf0\x9f\x98\x80";
  expect_cleaned(text, "", text);
}

static void test_what_is_no_utf_8(void **state) {
  (void)state;
  expect_cleaned("\xff\xfe", "", "??");
  expect_cleaned("\x80"
                 "a",
                 "", "?a");
  expect_cleaned("\xc3", "", "?"); /* cut */
  expect_cleaned("\xe5\xb9", "", "??");
  expect_cleaned("\xc3(", "", "?(");
  expect_cleaned("\xc3\n", "", "??");
  expect_cleaned("\xc0\x8a", "", "??");      /* a newline in two bytes, */
  expect_cleaned("\xe0\x80\x8a", "", "???"); /* in three */
  expect_cleaned("\xf0\x80\x80\x8a", "", "????");
  expect_cleaned("\xed\xa0\x80", "", "???"); /* half of a pair */
  expect_cleaned("\xf4\x90\x80\x80", "", "????");
  expect_cleaned("\xf4\x8f\xbf\xbf", "", "\xf4\x8f\xbf\xbf");
}

/* All errors go this way; a character that was cut off is none. */
static void test_errors(void **state) {
  (void)state;
  relayout_error error;
  assert_int_equal(rlt_fail(&error, RELAYOUT_INVALID_TEXT, "`%s`", "a\n\033[2J"),
                   RELAYOUT_INVALID_TEXT);
  assert_string_equal(error.message, "`a??[2J`");
  assert_int_equal(rlt_fail_cl(&error, -5, "driver says \"%s\"", "a\r\nb"), RELAYOUT_OPENCL_ERROR);
  assert_string_equal(error.message, "driver says \"a??b\"");
  assert_int_equal(error.cl_status, -5);
  assert_int_equal(rlt_fail_cl_with_log(&error, -11, "log:\n%s", "a:1:\tb\n\033[31mc"),
                   RELAYOUT_OPENCL_ERROR);
  assert_string_equal(error.message, "log:\na:1:\tb\n?[31mc");
  char wide[RELAYOUT_MESSAGE_SIZE + 3] = "";
  for (size_t i = 0; i + 2 < sizeof wide; i += 2) {
    memcpy(wide + i, "\xc3\xb6", 2);
  }
  rlt_fail(&error, RELAYOUT_INVALID_TEXT, "%s", wide);
  assert_int_equal(strlen(error.message), RELAYOUT_MESSAGE_SIZE - 1);
  assert_int_equal(error.message[RELAYOUT_MESSAGE_SIZE - 2], '?');
}

static void hear(void *context, relayout_log_level level, const char *message) {
  (void)level;
  snprintf(context, 64, "%s", message);
}

/* Only a compiler's log has lines. */
static void test_logs(void **state) {
  (void)state;
  char heard[64] = "";
  relayout_set_log(hear, heard);
  rlt_log(RELAYOUT_LOG_WARNING, "device \"%s\"", "a\n\tb\033");
  assert_string_equal(heard, "device \"a??b?\"");
  rlt_log(RELAYOUT_LOG_INFO, "device \"%s\"", "a\n\tb\033");
  assert_string_equal(heard, "device \"a??b?\"");
  rlt_log(RELAYOUT_LOG_ERROR, "log:\n%s", "a\n\tb\033");
  assert_string_equal(heard, "log:\na\n\tb?");
  relayout_set_log(NULL, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_control_characters),
      cmocka_unit_test(test_other_languages_stay),
      cmocka_unit_test(test_what_is_no_utf_8),
      cmocka_unit_test(test_errors),
      cmocka_unit_test(test_logs),
  };
  return cmocka_run_group_tests_name("base.one_line", tests, NULL, NULL);
}
