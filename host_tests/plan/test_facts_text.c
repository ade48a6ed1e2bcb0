/* Facts as text, there and back; texts that are none; what follows from facts. */
#include "machine/facts_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmocka_all.h"

static const rlt_machine zen_3 = {
    .line_bytes = 64,
    .caches = {{32768, 8, 2}, {524288, 8, 2}, {33554432, 16, 16}},
    .page_bytes = 4096,
    .tlb_pages = {64, 2048},
    .vector_bytes = 32,
    .streams = true,
};
static const char zen_3_text[] = "line=64 l1=32768:8:2 l2=524288:8:2 l3=33554432:16:16 page=4096 "
                                 "tlb=64:2048 vector=32 streams=1";
static const char nothing_text[] = "line=0 l1=0:0:0 l2=0:0:0 l3=0:0:0 page=0 tlb=0:0 vector=0 "
                                   "streams=0";

static void expect_text(const rlt_machine *facts, const char *expected) {
  char buffer[RLT_FACTS_TEXT_SIZE];
  rlt_text text = rlt_text_in(buffer, sizeof buffer);
  rlt_facts_add_text(facts, &text);
  assert_string_equal(buffer, expected);
  assert_int_equal(text.length, strlen(expected));
}

static void test_printing(void **state) {
  (void)state;
  const rlt_machine nothing = {0};
  expect_text(&zen_3, zen_3_text);
  expect_text(&nothing, nothing_text);
}

/* The largest that there may be. */
static void test_longest_text_has_room(void **state) {
  (void)state;
  const rlt_cache_facts cache = {RLT_MOST_CACHE_BYTES, RLT_MOST_COUNTED, RLT_MOST_COUNTED};
  const rlt_machine largest = {.line_bytes = RLT_MOST_LINE_BYTES,
                               .caches = {cache, cache, cache},
                               .page_bytes = RLT_MOST_PAGE_BYTES,
                               .tlb_pages = {RLT_MOST_COUNTED, RLT_MOST_COUNTED},
                               .vector_bytes = RLT_MOST_VECTOR_BYTES,
                               .streams = true};
  char buffer[RLT_FACTS_TEXT_SIZE];
  rlt_text text = rlt_text_in(buffer, sizeof buffer);
  rlt_facts_add_text(&largest, &text);
  assert_true(text.length < sizeof buffer);
  rlt_machine back = {0};
  assert_int_equal(rlt_facts_read_text(buffer, &back, NULL), RELAYOUT_OK);
  expect_text(&back, buffer);
}

/* Each text, read into the facts above, and what is printed then. */
static void test_reading(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *printed;
  } cases[] = {
      {"", zen_3_text},
      {"   ", zen_3_text},
      {zen_3_text, zen_3_text},
      {nothing_text, nothing_text},
      {"line=1", "line=1 l1=32768:8:2 l2=524288:8:2 l3=33554432:16:16 page=4096 tlb=64:2048 "
                 "vector=32 streams=1"},
      {"line=128 l1=131072:8:1 l2=12582912:12:4 l3=0 page=16384 tlb=160:3000 vector=16 streams=0",
       "line=128 l1=131072:8:1 l2=12582912:12:4 l3=0:0:0 page=16384 tlb=160:3000 vector=16 "
       "streams=0"},
      {"  streams=0   line=32 ", "line=32 l1=32768:8:2 l2=524288:8:2 l3=33554432:16:16 page=4096 "
                                 "tlb=64:2048 vector=32 streams=0"},
      {"tlb=72", "line=64 l1=32768:8:2 l2=524288:8:2 l3=33554432:16:16 page=4096 "
                 "tlb=72:0 vector=32 streams=1"},
      {"l2=1048576:4", "line=64 l1=32768:8:2 l2=1048576:4:0 l3=33554432:16:16 page=4096 "
                       "tlb=64:2048 vector=32 streams=1"},
      /* Nothing is known behind a level of which nothing is, nor of its ways. */
      {"l2=0", "line=64 l1=32768:8:2 l2=0:0:0 l3=0:0:0 page=4096 tlb=64:2048 vector=32 streams=1"},
      {"l1=0:8:2", "line=64 l1=0:0:0 l2=0:0:0 l3=0:0:0 page=4096 tlb=64:2048 vector=32 streams=1"},
      {"l3=98304:9:9", "line=64 l1=32768:8:2 l2=524288:8:2 l3=98304:9:9 page=4096 tlb=64:2048 "
                       "vector=32 streams=1"},
      {"l3=007:08", "line=64 l1=32768:8:2 l2=524288:8:2 l3=7:8:0 page=4096 tlb=64:2048 vector=32 "
                    "streams=1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    rlt_machine facts = zen_3;
    relayout_error error = {0};
    if (rlt_facts_read_text(cases[i].text, &facts, &error) != RELAYOUT_OK) {
      fail_msg("'%s': %s", cases[i].text, error.message);
    }
    expect_text(&facts, cases[i].printed);
  }
}

/* What no text names stays. */
static void test_other_facts_stay(void **state) {
  (void)state;
  rlt_machine facts = {.shares_host_memory = true};
  assert_int_equal(rlt_facts_read_text(zen_3_text, &facts, NULL), RELAYOUT_OK);
  assert_true(facts.shares_host_memory);
}

static void test_bad_texts(void **state) {
  (void)state;
  static const struct {
    const char *text;
    const char *named; /* in the message */
  } cases[] = {
      {"line", "`line` is not a field"},
      {"=64", "`=64` is not a field"},
      {"lines=64", "`lines=64` is not a field"},
      {"lin=64", "`lin=64` is not a field"},
      {"LINE=64", "`LINE=64` is not a field"},
      {"l4=1", "`l4=1` is not a field"},
      {"l0=1", "`l0=1` is not a field"},
      {"line=64,page=4096", "`line=64,page=4096` has an invalid value"},
      {"line=64\tpage=4096", "`line=64?page=4096` has an invalid value"},
      {"line=", "`line=` has an invalid value"},
      {"line= 64", "`line=` has an invalid value"},
      {"line=-64", "`line=-64` has an invalid value"},
      {"line=+64", "`line=+64` has an invalid value"},
      {"line=0x40", "`line=0x40` has an invalid value"},
      {"line=64.0", "`line=64.0` has an invalid value"},
      {"line=48", "`line=48` has an invalid value"},
      {"line=8192", "`line=8192` has an invalid value"},
      {"line=64:8", "`line=64:8` has an invalid value"},
      {"page=4095", "`page=4095` has an invalid value"},
      {"page=2147483648", "`page=2147483648` has an invalid value"},
      {"vector=33", "`vector=33` has an invalid value"},
      {"streams=2", "`streams=2` has an invalid value"},
      {"streams=yes", "`streams=yes` has an invalid value"},
      {"l1=32K", "`l1=32K` has an invalid value"},
      {"l1=32768:", "`l1=32768:` has an invalid value"},
      {"l1=32768:8:", "`l1=32768:8:` has an invalid value"},
      {"l1=32768:8:1:", "`l1=32768:8:1:` has an invalid value"},
      {"l1=32768:8:1:1", "`l1=32768:8:1:1` has an invalid value"},
      {"l1=:8:1", "`l1=:8:1` has an invalid value"},
      {"l1=32768::1", "`l1=32768::1` has an invalid value"},
      {"l1=32768:-8:1", "`l1=32768:-8:1` has an invalid value"},
      {"l1=32768:1048577", "`l1=32768:1048577` has an invalid value"},
      {"l1=1125899906842625", "`l1=1125899906842625` has an invalid value"},
      {"l1=99999999999999999999999999999999", "`l1=9999"},
      {"l1=1:4294967297", "`l1=1:4294967297` has an invalid value"},
      {"tlb=64:2048:1", "`tlb=64:2048:1` has an invalid value"},
      {"tlb=64:1048577", "`tlb=64:1048577` has an invalid value"},
      {"page=4096 page=4096", "`page` is given twice"},
      {"l1=0 l2=1", "`l2` is given, but `l1` is missing or 0"},
      {"l3=1024 l2=0:1", "`l3` is given, but `l2` is missing or 0"},
      {"streams=0 line=64 x", "`x` is not a field"},
      {"line=64 \x01\xff", "`??` is not a field"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    rlt_machine facts = zen_3;
    relayout_error error = {0};
    if (rlt_facts_read_text(cases[i].text, &facts, &error) != RELAYOUT_INVALID_TEXT) {
      fail_msg("'%s' is taken", cases[i].text);
    }
    if (strncmp(error.message, "facts: ", 7) != 0 ||
        strstr(error.message, cases[i].named) == NULL) {
      fail_msg("'%s': the message is '%s'", cases[i].text, error.message);
    }
    expect_text(&facts, zen_3_text);
  }
}

/* Every part of a good text is a text or is refused, and none is read beyond its end. */
static void test_cut_texts(void **state) {
  (void)state;
  for (size_t length = 0; length < sizeof zen_3_text; ++length) {
    char cut[sizeof zen_3_text];
    memcpy(cut, zen_3_text, length);
    cut[length] = '\0';
    rlt_machine facts = {0};
    const relayout_status status = rlt_facts_read_text(cut, &facts, NULL);
    assert_true(status == RELAYOUT_OK || status == RELAYOUT_INVALID_TEXT);
    if (status != RELAYOUT_OK) {
      expect_text(&facts, nothing_text);
    }
  }
}

/* ---- What follows ---- */

static void test_cache_bytes(void **state) {
  (void)state;
  static const struct {
    rlt_cache_facts second;
    int64_t workers;
    int64_t bytes;
  } cases[] = {
      {{2097152, 16, 1}, 2, 8388608},     /* twice 2 MiB for each */
      {{2097152, 16, 2}, 112, 234881024}, /* twice 1 MiB for each */
      {{2097152, 16, 2}, 1, 4194304},     /* one worker has all of it */
      {{12582912, 12, 4}, 4, 25165824},
      {{12582912, 12, 4}, 2, 25165824},
      {{262144, 4, 2}, 8, 8388608}, /* not less than 1 MiB for each */
      {{524288, 8, 0}, 1, 1048576},
      {{1048576, 8, 0}, 3, 6291456}, /* nobody knows who shares it */
      {{0, 0, 0}, 3, 12582912},      /* 4 MiB where it is unknown */
      {{RLT_MOST_CACHE_BYTES, 1, 1}, INT32_MAX, INT64_MAX},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const rlt_machine facts = {.caches = {{32768, 8, 1}, cases[i].second}};
    assert_int_equal(rlt_facts_cache_bytes(&facts, cases[i].workers), cases[i].bytes);
  }
}

static void test_settling(void **state) {
  (void)state;
  rlt_machine facts = zen_3;
  rlt_facts_settle(&facts);
  expect_text(&facts, zen_3_text);
  facts.line_bytes = 96;
  facts.caches[1].bytes = 0;
  rlt_facts_settle(&facts);
  expect_text(&facts, "line=0 l1=32768:8:2 l2=0:0:0 l3=0:0:0 page=4096 tlb=64:2048 vector=32 "
                      "streams=1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_printing),    cmocka_unit_test(test_longest_text_has_room),
      cmocka_unit_test(test_reading),     cmocka_unit_test(test_other_facts_stay),
      cmocka_unit_test(test_bad_texts),   cmocka_unit_test(test_cut_texts),
      cmocka_unit_test(test_cache_bytes), cmocka_unit_test(test_settling),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
