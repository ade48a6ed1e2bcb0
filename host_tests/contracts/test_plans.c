/* Plans as any caller sees them: what they keep and take, and what they say of themselves. */
#include "cmocka_all.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/backend.h"
#include "plan/recorder.h"
#include "relayout/relayout.h"
#include "shape_of.h"

static int open_cpu(void **state) {
  relayout_device *device = NULL;
  if (relayout_device_open("cpu", &device, NULL) != RELAYOUT_OK) {
    return -1;
  }
  *state = device;
  return 0;
}

static int close_cpu(void **state) {
  relayout_device_destroy(*state);
  return 0;
}

static relayout_plan *plan_with(relayout_device *device, const char *from_text, const char *to_text,
                                const relayout_plan_options *options) {
  const relayout_shape from = shape_of(from_text);
  const relayout_shape to = shape_of(to_text);
  relayout_plan *plan = NULL;
  relayout_error error;
  if (relayout_plan_create(device, &from, &to, options, &plan, &error) != RELAYOUT_OK) {
    fail_msg("%s to %s: %s", from_text, to_text, error.message);
  }
  return plan;
}

static void test_names_of_strategies(void **state) {
  (void)state;
  static const char *const names[] = {"auto", "copy", "transpose", "packed", "fill", "gather"};
  enum { COUNT = sizeof names / sizeof names[0] };
  for (int i = 0; i < COUNT; ++i) {
    assert_string_equal(relayout_strategy_name((relayout_strategy)i), names[i]);
    assert_ptr_equal(relayout_strategy_name((relayout_strategy)i),
                     relayout_strategy_name((relayout_strategy)i));
  }
  assert_string_equal(relayout_strategy_name((relayout_strategy)COUNT), "unknown");
  assert_string_equal(relayout_strategy_name((relayout_strategy)-1), "unknown");
}

/* Some pairs of shapes of every kind, the last of which moves nothing. */
static const char *const pairs[][2] = {
    {"f32[]", "f32[]"},
    {"f32[64]", "f32[64]"},
    {"f32[200,300]", "f32[200,300]{0,1}"},
    {"u8[30,40,3]", "u8[30,40,3]{1,0,2:PD(32,64,3)PV(one)}"},
    {"bf16[300,500]", "bf16[300,500]{1,0:T(8,128)(2,1)}"},
    {"f32[30,50]{1,0:T(6,10)}", "f32[30,50]{1,0:T(4,7)}"},
    {"f32[70,50]", "s4[70,50]{0,1:E(4)}"},
    {"u8[0]", "u8[0]{0:PD(9)}"},
    {"f32[0,3]", "f32[0,3]{0,1}"},
};
enum { PAIRS = sizeof pairs / sizeof pairs[0] };

static void test_strategy_is_never_auto(void **state) {
  for (int i = 0; i < PAIRS; ++i) {
    relayout_plan *const plan = plan_with(*state, pairs[i][0], pairs[i][1], NULL);
    const relayout_strategy strategy = relayout_plan_get_strategy(plan);
    assert_in_range(strategy, RELAYOUT_STRATEGY_COPY, RELAYOUT_STRATEGY_GATHER);
    relayout_plan_destroy(plan);
  }
}

static void test_predicted_fraction(void **state) {
  for (int i = 0; i < PAIRS; ++i) {
    relayout_plan *const plan = plan_with(*state, pairs[i][0], pairs[i][1], NULL);
    const double fraction = relayout_plan_get_predicted_fraction(plan);
    if (i == PAIRS - 1) {
      assert_true(fraction == 0);
    } else if (!(fraction > 0 && fraction <= 1)) {
      fail_msg("%s to %s: %g", pairs[i][0], pairs[i][1], fraction);
    }
    relayout_plan_destroy(plan);
  }
}

static void test_null_options_are_the_defaults(void **state) {
  const relayout_plan_options defaults = RELAYOUT_PLAN_OPTIONS_INIT;
  for (int i = 0; i < PAIRS; ++i) {
    char texts[2][16384];
    for (int n = 0; n < 2; ++n) {
      relayout_plan *const plan =
          plan_with(*state, pairs[i][0], pairs[i][1], n == 0 ? NULL : &defaults);
      assert_in_range(relayout_plan_explain(plan, RELAYOUT_EXPLAIN_JSON, texts[n], sizeof texts[n]),
                      1, sizeof texts[n] - 1);
      relayout_plan_destroy(plan);
    }
    assert_string_equal(texts[0], texts[1]);
  }
}

/* One object, and nothing after its brace. */
static void test_json_has_no_newline(void **state) {
  for (int i = 0; i < PAIRS; ++i) {
    char text[16384];
    relayout_plan *const plan = plan_with(*state, pairs[i][0], pairs[i][1], NULL);
    const size_t length = relayout_plan_explain(plan, RELAYOUT_EXPLAIN_JSON, text, sizeof text);
    assert_in_range(length, 2, sizeof text - 1);
    assert_int_equal(text[0], '{');
    assert_int_equal(text[length - 1], '}');
    assert_null(strchr(text, '\n'));
    relayout_plan_destroy(plan);
  }
}

/* Shapes, options and strides are overwritten once the plan is there. */
static void test_plan_keeps_copies(void **state) {
  relayout_shape from = shape_of("u8[2,3]");
  relayout_shape to = shape_of("u8[2,3]{0,1}");
  int64_t strides[] = {-4, 1};
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.source_byte_strides = strides;
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(*state, &from, &to, &options, &plan, NULL), RELAYOUT_OK);
  memset(&from, 0x5a, sizeof from);
  memset(&to, 0x5a, sizeof to);
  memset(strides, 0x5a, sizeof strides);
  memset(&options, 0x5a, sizeof options);
  static const char rows[] = "defxabc";
  char moved[7] = "";
  assert_int_equal(relayout_plan_execute(plan, rows + 4, moved, NULL), RELAYOUT_OK);
  assert_string_equal(moved, "adbecf");
  relayout_plan_destroy(plan);
}

/* What each side takes, worked out by hand. */
static void test_sizes(void **state) {
  static const struct {
    const char *from;
    const char *to;
    int64_t source_strides[2]; /* none when all are 0 */
    int64_t destination_strides[2];
    size_t source;
    size_t destination;
  } cases[] = {
      {"f32[2,3]", "f32[2,3]{0,1:PD(3,5)}", {0, 0}, {0, 0}, 24, 60},
      {"f32[2,3]", "bf16[2,3]{1,0:T(8,128)(2,1)}", {0, 0}, {0, 0}, 24, 2048},
      {"s4[5]", "s4[5]{0:L(8)E(4)}", {0, 0}, {0, 0}, 5, 4},
      {"f32[0,3]", "f32[0,3]{0,1:PD(2,3)}", {0, 0}, {0, 0}, 0, 24},
      /* Rows backwards: from the last row's first byte to the first row's last one. */
      {"f32[2,3]", "f32[2,3]", {-100, 4}, {0, 0}, 112, 24},
      /* All elements in one place. */
      {"f32[1,3]", "f32[1,3]", {7, 0}, {0, 0}, 4, 12},
      {"u8[2,3]", "u8[2,3]", {0, 0}, {1, -10}, 6, 22},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
    if (cases[i].source_strides[0] != 0) {
      options.source_byte_strides = cases[i].source_strides;
    }
    if (cases[i].destination_strides[0] != 0) {
      options.destination_byte_strides = cases[i].destination_strides;
    }
    relayout_plan *const plan = plan_with(*state, cases[i].from, cases[i].to, &options);
    print_message("case %zu\n", i);
    assert_int_equal(relayout_plan_source_size(plan), cases[i].source);
    assert_int_equal(relayout_plan_destination_size(plan), cases[i].destination);
    relayout_plan_destroy(plan);
  }
}

/* Elements of eight bytes at every address, and of a destination not a byte before or behind. */
static void test_pointers_need_no_alignment(void **state) {
  enum { ROWS = 9, COLUMNS = 7, SIZE = 8 * ROWS * COLUMNS, ROOM = SIZE + 64 };
  relayout_plan *const plan = plan_with(*state, "f64[9,7]", "f64[9,7]{0,1}", NULL);
  for (size_t offset = 0; offset < 9; ++offset) {
    unsigned char source[ROOM];
    unsigned char destination[ROOM];
    for (size_t i = 0; i < ROOM; ++i) {
      source[i] = (unsigned char)(7 * i);
      destination[i] = 0xa5;
    }
    unsigned char *const to = destination + 32 - offset;
    assert_int_equal(relayout_plan_execute(plan, source + offset, to, NULL), RELAYOUT_OK);
    for (size_t r = 0; r < ROWS; ++r) {
      for (size_t c = 0; c < COLUMNS; ++c) {
        assert_memory_equal(to + 8 * (c * ROWS + r), source + offset + 8 * (r * COLUMNS + c), 8);
      }
    }
    for (size_t i = 0; i < ROOM; ++i) {
      const unsigned char *const byte = destination + i;
      assert_true((byte >= to && byte < to + SIZE) || *byte == 0xa5);
    }
  }
  relayout_plan_destroy(plan);
}

static void test_empty_sides_need_no_memory(void **state) {
  relayout_plan *plan = plan_with(*state, "u8[0]", "u8[0]{0:PD(5)PV(66)}", NULL);
  char padded[7] = "......";
  assert_int_equal(relayout_plan_execute(plan, NULL, padded, NULL), RELAYOUT_OK);
  assert_string_equal(padded, "BBBBB.");
  relayout_plan_destroy(plan);
  plan = plan_with(*state, "f32[0,3]{1,0:PD(4,3)}", "f32[0,3]", NULL);
  assert_int_equal(relayout_plan_source_size(plan), 48);
  const float source[12] = {0};
  assert_int_equal(relayout_plan_execute(plan, source, NULL, NULL), RELAYOUT_OK);
  relayout_plan_destroy(plan);
}

/* The same plan again, be it the same handle: each has its own end. */
static void test_each_plan_has_its_own_end(void **state) {
  relayout_plan *plans[3];
  for (int i = 0; i < 3; ++i) {
    plans[i] = plan_with(*state, "u8[2,3]", "u8[2,3]{0,1}", NULL);
  }
  for (int i = 0; i < 3; ++i) {
    char moved[7] = "";
    assert_int_equal(relayout_plan_execute(plans[i], "abcdef", moved, NULL), RELAYOUT_OK);
    assert_string_equal(moved, "adbecf");
    relayout_plan_destroy(plans[i]);
  }
}

/* Layouts that differ in nothing but the number of their memory. */
static void test_memory_space_moves_no_byte(void **state) {
  char moved[7] = "";
  relayout_plan *const plan = plan_with(*state, "u8[2,3]{1,0:S(7)}", "u8[2,3]{1,0:S(-2)}", NULL);
  assert_int_equal(relayout_plan_execute(plan, "abcdef", moved, NULL), RELAYOUT_OK);
  assert_string_equal(moved, "abcdef");
  relayout_plan_destroy(plan);
}

/* Each strategy carries the relayout out with the same result, ragged ends included, or is refused
 * by its name. */
static void check_strategies(relayout_device *device, const char *from_text, const char *to_text) {
  static unsigned char source[1 << 20];
  static unsigned char destinations[2][1 << 20];
  const relayout_shape from = shape_of(from_text);
  const relayout_shape to = shape_of(to_text);
  for (size_t i = 0; i < sizeof source; ++i) {
    source[i] = (unsigned char)(i * i / 7);
  }
  int carried_out = 0;
  for (int asked = RELAYOUT_STRATEGY_AUTO; asked <= RELAYOUT_STRATEGY_GATHER; ++asked) {
    const relayout_strategy strategy = (relayout_strategy)asked;
    relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
    options.strategy = strategy;
    relayout_plan *plan = NULL;
    relayout_error error;
    const relayout_status status =
        relayout_plan_create(device, &from, &to, &options, &plan, &error);
    if (status != RELAYOUT_OK) {
      assert_int_equal(status, RELAYOUT_UNSUPPORTED);
      assert_non_null(strstr(error.message, relayout_strategy_name(strategy)));
      assert_int_not_equal(strategy, RELAYOUT_STRATEGY_AUTO);
      continue;
    }
    const size_t size = relayout_plan_destination_size(plan);
    assert_in_range(relayout_plan_source_size(plan), 1, sizeof source);
    assert_in_range(size, 1, sizeof destinations[0]);
    unsigned char *const destination = destinations[strategy != RELAYOUT_STRATEGY_AUTO];
    memset(destination, 0x5a, sizeof destinations[0]);
    assert_int_equal(relayout_plan_execute(plan, source, destination, NULL), RELAYOUT_OK);
    assert_memory_equal(destinations[0], destination, sizeof destinations[0]);
    if (strategy != RELAYOUT_STRATEGY_AUTO) {
      assert_int_equal(relayout_plan_get_strategy(plan), strategy);
    }
    ++carried_out;
    relayout_plan_destroy(plan);
  }
  assert_in_range(carried_out, 2, 5); /* nothing has elements to move and none */
}

static void test_strategies_are_used_or_refused(void **state) {
  check_strategies(*state, "bf16[300,500]", "bf16[300,500]{1,0:T(8,128)(2,1)}");
  check_strategies(*state, "f32[200,300]", "f32[200,300]{0,1}");
  check_strategies(*state, "u8[30,40,3]", "u8[30,40,3]{1,0,2:PD(32,64,3)PV(one)}");
  check_strategies(*state, "s4[70,50]{1,0:E(4)}", "s4[70,50]{0,1:E(4)}");
}

/* Parts of an element would do for moving it, but not for packing, converting or widening it. */
static void test_strides_of_changed_elements(void **state) {
  static const struct {
    const char *from;
    const char *to;
    int64_t strides[2];
    relayout_status status;
  } cases[] = {
      {"f32[2,3]", "f32[2,3]", {6, 2}, RELAYOUT_OK},
      {"f32[2,3]", "bf16[2,3]", {6, 2}, RELAYOUT_UNSUPPORTED},
      {"f32[2,3]", "u8[2,3]", {6, 2}, RELAYOUT_UNSUPPORTED},
      {"f32[2,3]", "s4[2,3]{1,0:E(4)}", {6, 2}, RELAYOUT_UNSUPPORTED},
      {"u16[2,3]", "s4[2,3]{1,0:E(4)}", {6, 2}, RELAYOUT_OK},
      {"u16[2,3]", "u16[2,3]", {5, 1}, RELAYOUT_OK},
      {"u16[2,3]", "u16[2,3]{1,0:E(32)}", {5, 1}, RELAYOUT_UNSUPPORTED},
      {"u16[2,3]", "u16[2,3]{1,0:E(32)}", {6, 2}, RELAYOUT_OK},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const relayout_shape from = shape_of(cases[i].from);
    const relayout_shape to = shape_of(cases[i].to);
    relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
    options.source_byte_strides = cases[i].strides;
    relayout_plan *plan = NULL;
    relayout_error error;
    const relayout_status status =
        relayout_plan_create(*state, &from, &to, &options, &plan, &error);
    print_message("%s to %s\n", cases[i].from, cases[i].to);
    assert_int_equal(status, cases[i].status);
    if (status != RELAYOUT_OK) {
      assert_non_null(strstr(error.message, "source_byte_strides are multiples of "));
      assert_null(plan);
    }
    relayout_plan_destroy(plan);
  }
}

/* ---- The file of winners ---- */

/* How many files are called winners-*.txt in the folder's relayout/, which are removed. */
static int drop_winners(const char *folder) {
  char path[512];
  snprintf(path, sizeof path, "%s/relayout", folder);
  DIR *const listing = opendir(path);
  if (listing == NULL) {
    return 0;
  }
  int count = 0;
  for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
    const size_t length = strlen(entry->d_name);
    if (strncmp(entry->d_name, "winners-", 8) == 0 &&
        strcmp(entry->d_name + length - 4, ".txt") == 0) {
      assert_int_equal(unlinkat(dirfd(listing), entry->d_name, 0), 0);
      ++count;
    }
  }
  closedir(listing);
  return count;
}

/* Measures twice on a new device, and takes its files away each time. What is larger than a
 * thread's share of the cache may go several ways. */
static void measure_once(const char *folder, int files) {
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.effort = RELAYOUT_PLAN_MEASURE;
  relayout_cpu_options one_thread = RELAYOUT_CPU_OPTIONS_INIT;
  one_thread.threads = 1;
  relayout_device *device = NULL;
  assert_int_equal(relayout_cpu_device_create(&one_thread, &device, NULL), RELAYOUT_OK);
  for (int round = 0; round < 2; ++round) {
    relayout_plan *const plan =
        plan_with(device, "f32[3200,410]",
                  round == 0 ? "f32[3200,410]{0,1}" : "f32[3200,410]{0,1:PD(3200,420)}", &options);
    relayout_plan_destroy(plan);
    assert_int_equal(drop_winners(folder), files);
  }
  relayout_device_destroy(device);
}

static void test_winners_have_a_file(void **state) {
  (void)state;
  char folder[] = "/tmp/relayout-contracts-XXXXXX";
  assert_non_null(mkdtemp(folder));
  const char *const before = getenv("XDG_CACHE_HOME");
  char *const kept = before == NULL ? NULL : strdup(before);
  setenv("XDG_CACHE_HOME", folder, 1);
  setenv("RELAYOUT_CACHE", "off", 1);
  measure_once(folder, 0);
  unsetenv("RELAYOUT_CACHE");
  measure_once(folder, 1);
  if (kept == NULL) {
    unsetenv("XDG_CACHE_HOME");
  } else {
    setenv("XDG_CACHE_HOME", kept, 1);
  }
  free(kept);
  char inner[64];
  snprintf(inner, sizeof inner, "%s/relayout", folder);
  assert_int_equal(rmdir(inner), 0);
  assert_int_equal(rmdir(folder), 0);
}

/* ---- Measuring, on a device that notes what it is asked to time ---- */

enum { MOST_TIMED = 64 };
static struct {
  rlt_strategy strategy;
  int runs;
} timed[MOST_TIMED];
static int timed_count;

static double note(const rlt_strategy *strategy, int n) {
  (void)n;
  for (int i = 0; i < timed_count; ++i) {
    if (rlt_strategies_equal(&timed[i].strategy, strategy)) {
      ++timed[i].runs;
      return 1e-6;
    }
  }
  assert_true(timed_count < MOST_TIMED);
  timed[timed_count].strategy = *strategy;
  timed[timed_count++].runs = 1;
  return 1e-6;
}

static void test_at_most_four_ways_are_measured(void **state) {
  (void)state;
  static const char *const measured[][2] = {
      {"f32[64,41]", "f32[64,41]{0,1}"},
      {"f32[640,410]", "f32[640,410]{0,1:PD(641,411)}"},
      {"u8[20,3,50,7]", "u8[20,3,50,7]{1,2,0,3}"},
      {"u16[4,5,6,7,8]", "u16[4,5,6,7,8]{0,2,4,1,3}"},
      {"u8[4000,3]", "u8[4000,3]{0,1}"},
  };
  int most = 0;
  for (size_t i = 0; i < sizeof measured / sizeof measured[0]; ++i) {
    recorder record;
    relayout_device *const device = recorder_device(&record);
    relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
    options.effort = RELAYOUT_PLAN_MEASURE;
    record.seconds = note;
    timed_count = 0;
    relayout_plan_destroy(plan_with(device, measured[i][0], measured[i][1], &options));
    assert_in_range(timed_count, 1, 4);
    for (int t = 0; t < timed_count; ++t) {
      assert_in_range(timed[t].runs, 2, 6);
    }
    most = timed_count > most ? timed_count : most;
    relayout_device_destroy(device);
  }
  assert_true(most > 1); /* else the test says nothing */
}

/* ---- Winners' texts that are damaged ---- */

static double few_rows_are_fast(const rlt_strategy *strategy, int n) {
  (void)n;
  return (double)rlt_group_length(&strategy->rows);
}

/* Takes the text over on a device of its own, whose plan is whole whatever was read. */
static void import_damaged(const char *text, size_t size) {
  recorder record;
  relayout_device *const device = recorder_device(&record);
  assert_int_equal(relayout_device_import_winners(device, text, size, NULL), RELAYOUT_OK);
  relayout_plan *const plan = plan_with(device, "f32[64,41]", "f32[64,41]{0,1}", NULL);
  const relayout_strategy strategy = relayout_plan_get_strategy(plan);
  assert_in_range(strategy, RELAYOUT_STRATEGY_COPY, RELAYOUT_STRATEGY_GATHER);
  assert_int_equal(relayout_plan_destination_size(plan), 4 * 64 * 41);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  assert_int_equal(record.programs_alive, 0);
  assert_int_equal(record.programs_timed, 0);
}

/* A measured device's text, with each byte changed and cut at each. */
static void test_damaged_winners(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_device(&record);
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.effort = RELAYOUT_PLAN_MEASURE;
  record.seconds = few_rows_are_fast;
  relayout_plan_destroy(plan_with(device, "f32[64,41]", "f32[64,41]{0,1}", &options));
  char text[4096];
  const size_t size = relayout_device_export_winners(device, text, sizeof text);
  relayout_device_destroy(device);
  assert_in_range(size, 50, sizeof text - 1);
  static const char replacements[] = {'\0', '\n', ' ', '9', 'x', '%', '\x80'};
  for (size_t at = 0; at < size; ++at) {
    import_damaged(text, at);
    const char byte = text[at];
    for (size_t r = 0; r < sizeof replacements; ++r) {
      text[at] = replacements[r];
      import_damaged(text, size);
    }
    text[at] = byte;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_names_of_strategies),
      cmocka_unit_test(test_strategy_is_never_auto),
      cmocka_unit_test(test_predicted_fraction),
      cmocka_unit_test(test_null_options_are_the_defaults),
      cmocka_unit_test(test_json_has_no_newline),
      cmocka_unit_test(test_plan_keeps_copies),
      cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_pointers_need_no_alignment),
      cmocka_unit_test(test_empty_sides_need_no_memory),
      cmocka_unit_test(test_each_plan_has_its_own_end),
      cmocka_unit_test(test_memory_space_moves_no_byte),
      cmocka_unit_test(test_strategies_are_used_or_refused),
      cmocka_unit_test(test_strides_of_changed_elements),
      cmocka_unit_test(test_winners_have_a_file),
      cmocka_unit_test(test_at_most_four_ways_are_measured),
      cmocka_unit_test(test_damaged_winners),
  };
  return cmocka_run_group_tests_name("contracts.plans", tests, open_cpu, close_cpu);
}
