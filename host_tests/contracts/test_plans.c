/* Plans as any caller sees them: what they keep and take, and what they say of themselves. */
#include "cmocka_all.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/plan.h"
#include "plan/recorder.h"
#include "relayout/relayout.h"
#include "scratch.h"
#include "shape_of.h"
#include "view_of.h"

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

static void test_method_is_the_schedules(void **state) {
  for (int i = 0; i < PAIRS; ++i) {
    relayout_plan *const plan = plan_with(*state, pairs[i][0], pairs[i][1], NULL);
    const char *const method = relayout_plan_get_method(plan);
    char text[4096];
    const size_t length =
        relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, text, sizeof text);
    if (i == PAIRS - 1) {
      assert_int_equal(relayout_plan_part_count(plan), 0);
      assert_string_equal(method, "none");
      assert_int_equal(length, 0);
    } else {
      assert_in_range(length, strlen(method) + 1, sizeof text - 1);
      assert_memory_equal(text, method, strlen(method));
      assert_int_equal(text[strlen(method)], ' ');
    }
    relayout_plan_destroy(plan);
  }
}

/* Parts of which each has as many elements as the next one, or more. */
static void test_parts_are_ordered(void **state) {
  static const struct {
    const char *from;
    const char *to;
    int32_t parts;
    int64_t elements[4];
  } cases[] = {
      {"f32[64]", "f32[64]", 1, {64}},
      {"u8[0]", "u8[0]{0:PD(9)}", 1, {9}},
      {"f32[0,3]", "f32[0,3]{0,1}", 0, {0}},
      /* 296 + 4 columns of 100 rows, whose tiles are of 8 columns, */
      {"f32[100,300]{0,1:T(8,128)}", "f32[100,300]", 2, {296 * 100, 4 * 100}},
      /* and 96 + 4 rows of 256 + 44 columns, whose tiles are of 8 rows. */
      {"f32[100,300]{1,0:T(8,128)}", "f32[100,300]", 4, {96 * 256, 96 * 44, 4 * 256, 4 * 44}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_plan *const plan = plan_with(*state, cases[i].from, cases[i].to, NULL);
    print_message("%s to %s\n", cases[i].from, cases[i].to);
    assert_int_equal(relayout_plan_part_count(plan), cases[i].parts);
    for (int32_t part = 0; part < cases[i].parts; ++part) {
      const rlt_problem *const problem = rlt_part_problem(&plan->work.parts[part]);
      int64_t elements = 1;
      for (int32_t a = 0; a < problem->axis_count; ++a) {
        elements *= problem->axes[a].extent;
      }
      assert_int_equal(elements, cases[i].elements[part]);
    }
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

/* Views and options are overwritten once the plan is there. */
static void test_plan_keeps_copies(void **state) {
  const relayout_shape rows_shape = shape_of("u8[2,3]");
  const relayout_shape columns_shape = shape_of("u8[2,3]{0,1}");
  relayout_view from = view_of(&rows_shape, (const int64_t[]){-4, 1});
  relayout_view to = view_of(&columns_shape, NULL);
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create_between(*state, &from, &to, &options, &plan, NULL),
                   RELAYOUT_OK);
  memset(&from, 0x5a, sizeof from);
  memset(&to, 0x5a, sizeof to);
  memset(&options, 0x5a, sizeof options);
  static const char rows[] = "defxabc";
  char moved[7] = "";
  assert_int_equal(relayout_plan_execute(plan, rows + 4, moved, NULL), RELAYOUT_OK);
  assert_string_equal(moved, "adbecf");
  relayout_plan_destroy(plan);
}

/* A caller with newer headers may leave what the library does not know at 0, and nothing else. */
static void test_newer_options(void **state) {
  struct {
    relayout_plan_options known;
    uint64_t unknown;
  } options = {.known = RELAYOUT_PLAN_OPTIONS_INIT};
  options.known.struct_size = sizeof options;
  const relayout_shape shape = shape_of("u8[3]");
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(*state, &shape, &shape, &options.known, &plan, NULL),
                   RELAYOUT_OK);
  relayout_plan_destroy(plan);
  plan = NULL;
  options.unknown = 1;
  assert_int_equal(relayout_plan_create(*state, &shape, &shape, &options.known, &plan, NULL),
                   RELAYOUT_UNSUPPORTED);
  assert_null(plan);
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
    const int64_t *const source = cases[i].source_strides;
    const int64_t *const destination = cases[i].destination_strides;
    const relayout_shape from_shape = shape_of(cases[i].from);
    const relayout_shape to_shape = shape_of(cases[i].to);
    const relayout_view from = view_of(&from_shape, source[0] != 0 ? source : NULL);
    const relayout_view to = view_of(&to_shape, destination[0] != 0 ? destination : NULL);
    relayout_plan *plan = NULL;
    print_message("case %zu\n", i);
    assert_int_equal(relayout_plan_create_between(*state, &from, &to, NULL, &plan, NULL),
                     RELAYOUT_OK);
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

/* ---- Schedules ---- */

enum { MOST_SCHEDULES = 32, TEXT_SIZE = 4096 };

typedef struct offered {
  int count;
  char texts[MOST_SCHEDULES][TEXT_SIZE];
  double least; /* predicted fraction so far */
} offered;

/* Of one part, and that they are in order and none twice. */
static void add_offered(void *context, const relayout_schedule_info *info) {
  offered *const all = context;
  assert_int_equal(info->struct_size, sizeof *info);
  assert_in_range(strlen(info->text), 1, TEXT_SIZE - 1);
  assert_memory_equal(info->text, info->method, strlen(info->method));
  assert_int_equal(info->text[strlen(info->method)], ' ');
  assert_true(info->predicted_fraction > 0 && info->predicted_fraction <= all->least);
  all->least = info->predicted_fraction;
  assert_true(all->count < MOST_SCHEDULES);
  for (int i = 0; i < all->count; ++i) {
    assert_string_not_equal(all->texts[i], info->text);
  }
  strcpy(all->texts[all->count++], info->text);
}

static offered *offers_of(const relayout_plan *plan, int32_t part) {
  offered *const all = calloc(1, sizeof *all);
  assert_non_null(all);
  all->least = 1;
  assert_int_equal(relayout_plan_visit_schedules(plan, part, add_offered, all, NULL), RELAYOUT_OK);
  assert_true(all->count > 0);
  return all;
}

static void expect_schedule(const relayout_plan *plan, int32_t part, const char *text) {
  for (int use = RELAYOUT_SCHEDULE_ALIGNED; use <= RELAYOUT_SCHEDULE_AT_ANY_OFFSET; ++use) {
    char found[TEXT_SIZE];
    assert_int_equal(
        relayout_plan_get_schedule(plan, part, (relayout_schedule_use)use, found, sizeof found),
        strlen(text));
    assert_string_equal(found, text);
  }
}

static void test_no_such_part(void **state) {
  static const int32_t numbers[] = {-1, 1, INT32_MIN, INT32_MAX};
  relayout_plan *const plan = plan_with(*state, "f32[200,300]", "f32[200,300]{0,1}", NULL);
  offered all = {.count = 0};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
    relayout_error error = {0};
    assert_int_equal(
        relayout_plan_get_schedule(plan, numbers[i], RELAYOUT_SCHEDULE_ALIGNED, NULL, 0), 0);
    assert_int_equal(relayout_plan_visit_schedules(plan, numbers[i], add_offered, &all, &error),
                     RELAYOUT_INVALID_ARGUMENT);
    assert_int_equal(all.count, 0);
    char expected[32];
    snprintf(expected, sizeof expected, "part is %d, ", (int)numbers[i]);
    assert_memory_equal(error.message, expected, strlen(expected));
  }
  relayout_plan_destroy(plan);
}

/* What is offered comes to the same bytes, ragged ends included, whichever of it is asked for. */
static int check_schedules(relayout_device *device, const char *from, const char *to) {
  enum { MOST_PARTS = 4, MOST_BYTES = 1 << 20 };
  static _Alignas(64) unsigned char source[MOST_BYTES];
  static _Alignas(64) unsigned char destinations[2][MOST_BYTES];
  for (size_t i = 0; i < sizeof source; ++i) {
    source[i] = (unsigned char)(i * i / 7);
  }
  relayout_plan *plan = plan_with(device, from, to, NULL);
  assert_in_range(relayout_plan_source_size(plan), 1, MOST_BYTES);
  assert_in_range(relayout_plan_destination_size(plan), 1, MOST_BYTES);
  memset(destinations, 0x5a, sizeof destinations);
  assert_int_equal(relayout_plan_execute(plan, source, destinations[0], NULL), RELAYOUT_OK);
  offered *parts[MOST_PARTS];
  const int32_t part_count = relayout_plan_part_count(plan);
  int most = 0;
  assert_in_range(part_count, 1, MOST_PARTS);
  for (int32_t part = 0; part < part_count; ++part) {
    parts[part] = offers_of(plan, part);
    most = parts[part]->count > most ? parts[part]->count : most;
  }
  relayout_plan_destroy(plan);
  for (int round = 0; round < most; ++round) {
    const char *texts[MOST_PARTS];
    relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
    options.schedules = texts;
    options.schedule_count = part_count;
    for (int32_t part = 0; part < part_count; ++part) {
      texts[part] = parts[part]->texts[round % parts[part]->count];
    }
    plan = plan_with(device, from, to, &options);
    for (int32_t part = 0; part < part_count; ++part) {
      expect_schedule(plan, part, texts[part]);
    }
    memset(destinations[1], 0x5a, MOST_BYTES);
    assert_int_equal(relayout_plan_execute(plan, source, destinations[1], NULL), RELAYOUT_OK);
    assert_memory_equal(destinations[0], destinations[1], MOST_BYTES);
    relayout_plan_destroy(plan);
  }
  for (int32_t part = 0; part < part_count; ++part) {
    free(parts[part]);
  }
  return most;
}

static void test_schedules_asked_for_run(void **state) {
  int most = check_schedules(*state, "bf16[300,500]", "bf16[300,500]{1,0:T(8,128)(2,1)}");
  most += check_schedules(*state, "f32[200,300]", "f32[200,300]{0,1}");
  most += check_schedules(*state, "u8[30,40,3]", "u8[30,40,3]{1,0,2:PD(32,64,3)PV(one)}");
  most += check_schedules(*state, "s4[70,50]{1,0:E(4)}", "s4[70,50]{0,1:E(4)}");
  most += check_schedules(*state, "f32[100,300]{0,1:T(8,128)}", "f32[100,300]");
  assert_true(most > 6); /* else there was hardly anything to choose from */
}

static void test_schedules_refused(void **state) {
  static const struct {
    int32_t count;
    const char *texts[2];
    relayout_status status;
    const char *message;
  } cases[] = {
      {1, {"copy"}, RELAYOUT_UNSUPPORTED, "`copy` has no schedule"},
      {1, {"transpose word=4"}, RELAYOUT_UNSUPPORTED, "nearest"},
      {1, {"transpose word"}, RELAYOUT_INVALID_TEXT, "`word` is not a field"},
      {1, {"transpose word=4 word=4"}, RELAYOUT_INVALID_TEXT, "`word` is given twice"},
      {1, {"transposition"}, RELAYOUT_INVALID_TEXT, "`transposition` is not a method"},
      {1, {""}, RELAYOUT_INVALID_TEXT, "`` is not a method"},
      {2, {"copy", "copy"}, RELAYOUT_UNSUPPORTED, "but the plan has 1 part"},
      {1, {NULL}, RELAYOUT_INVALID_ARGUMENT, "options->schedules has an entry that is NULL"},
      {-1, {NULL}, RELAYOUT_INVALID_ARGUMENT, "options->schedule_count is -1"},
  };
  const relayout_shape from = shape_of("f32[200,300]");
  const relayout_shape to = shape_of("f32[200,300]{0,1}");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_plan *plan = NULL;
    relayout_error error = {0};
    relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
    options.schedules = cases[i].texts;
    options.schedule_count = cases[i].count;
    const relayout_status status =
        relayout_plan_create(*state, &from, &to, &options, &plan, &error);
    print_message("case %zu: %s\n", i, error.message);
    assert_int_equal(status, cases[i].status);
    assert_non_null(strstr(error.message, cases[i].message));
    assert_null(plan);
  }
}

/* On a device without a cache, tiles of whole lines may be stored past it if the destination begins
 * with a line: else the plan has another schedule, unless this one was asked for. */
static void test_places_choose_among_schedules(void **state) {
  (void)state;
  enum { SIDE = 256, LINE = 64 };
  static _Alignas(LINE) float source[SIDE][SIDE];
  static _Alignas(LINE) float memory[SIDE * SIDE + LINE];
  relayout_device *device = NULL;
  assert_int_equal(relayout_cpu_device_create(NULL, &device, NULL), RELAYOUT_OK);
  device->facts.cache_bytes = 1;
  relayout_plan *plan = plan_with(device, "f32[256,256]", "f32[256,256]{0,1}", NULL);
  char texts[2][TEXT_SIZE];
  for (int use = RELAYOUT_SCHEDULE_ALIGNED; use <= RELAYOUT_SCHEDULE_AT_ANY_OFFSET; ++use) {
    relayout_plan_get_schedule(plan, 0, (relayout_schedule_use)use, texts[use], TEXT_SIZE);
  }
  assert_non_null(strstr(texts[0], " align=1:64 "));
  assert_non_null(strstr(texts[1], " align=1:1 "));
  for (int r = 0; r < SIDE; ++r) {
    for (int c = 0; c < SIDE; ++c) {
      source[r][c] = (float)(r * SIDE + c);
    }
  }
  for (size_t offset = 0; offset < 3; ++offset) {
    assert_int_equal(relayout_plan_execute(plan, source, memory + offset, NULL), RELAYOUT_OK);
    for (int i = 0; i < SIDE * SIDE; ++i) {
      assert_true(memory[offset + (size_t)i] == source[i % SIDE][i / SIDE]);
    }
  }
  relayout_plan_destroy(plan);
  for (int use = RELAYOUT_SCHEDULE_ALIGNED; use <= RELAYOUT_SCHEDULE_AT_ANY_OFFSET; ++use) {
    const char *const asked = texts[use];
    relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
    options.schedules = &asked;
    options.schedule_count = 1;
    plan = plan_with(device, "f32[256,256]", "f32[256,256]{0,1}", &options);
    expect_schedule(plan, 0, asked);
    assert_int_equal(relayout_plan_execute(plan, source, memory, NULL), RELAYOUT_OK);
    memset(memory, 0, sizeof memory);
    const relayout_status status = relayout_plan_execute(plan, source, memory + 1, NULL);
    if (use == RELAYOUT_SCHEDULE_ALIGNED) {
      assert_int_equal(status, RELAYOUT_INVALID_ARGUMENT);
      assert_true(memory[SIDE] == 0); /* where 1 would be */
    } else {
      assert_int_equal(status, RELAYOUT_OK);
      assert_true(memory[SIDE + 1] == 1);
    }
    relayout_plan_destroy(plan);
  }
  relayout_device_destroy(device);
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
    const relayout_view view = view_of(&from, cases[i].strides);
    const relayout_view whole = view_of(&to, NULL);
    relayout_plan *plan = NULL;
    relayout_error error;
    const relayout_status status =
        relayout_plan_create_between(*state, &view, &whole, NULL, &plan, &error);
    print_message("%s to %s\n", cases[i].from, cases[i].to);
    assert_int_equal(status, cases[i].status);
    if (status != RELAYOUT_OK) {
      assert_non_null(strstr(error.message, "from->byte_strides are multiples of "));
      assert_null(plan);
    }
    relayout_plan_destroy(plan);
  }
}

/* ---- The file of wisdom ---- */

/* How many files are called wisdom-*.txt in the folder's relayout/, which are removed. */
static int drop_wisdom(const char *folder) {
  char path[SCRATCH_PATH + 16];
  snprintf(path, sizeof path, "%s/relayout", folder);
  DIR *const listing = opendir(path);
  if (listing == NULL) {
    return 0;
  }
  int count = 0;
  for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
    const size_t length = strlen(entry->d_name);
    if (strncmp(entry->d_name, "wisdom-", 7) == 0 &&
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
    assert_int_equal(drop_wisdom(folder), files);
  }
  relayout_device_destroy(device);
}

static void test_wisdom_has_a_file(void **state) {
  (void)state;
  char folder[SCRATCH_PATH];
  scratch_make(folder);
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
  char inner[SCRATCH_PATH + 16];
  snprintf(inner, sizeof inner, "%s/relayout", folder);
  assert_int_equal(rmdir(inner), 0);
  assert_int_equal(rmdir(folder), 0);
}

/* ---- Measuring, on a device that notes what it is asked to time ---- */

enum { MOST_TIMED = 64 };
static struct {
  rlt_schedule schedule;
  bool at_odd_offsets;
  int runs;
} timed[MOST_TIMED];
static int timed_count;

static double note(const recorded_run *run) {
  const bool at_odd_offsets = run->offsets.source > 0 || run->offsets.destination > 0;
  for (int i = 0; i < timed_count; ++i) {
    if (timed[i].at_odd_offsets == at_odd_offsets &&
        rlt_schedules_equal(&timed[i].schedule, run->schedule)) {
      ++timed[i].runs;
      return 1e-6;
    }
  }
  assert_true(timed_count < MOST_TIMED);
  timed[timed_count].schedule = *run->schedule;
  timed[timed_count].at_odd_offsets = at_odd_offsets;
  timed[timed_count++].runs = 1;
  return 1e-6;
}

/* How many schedules were run. */
static int count_timed(bool at_odd_offsets) {
  int count = 0;
  for (int i = 0; i < timed_count; ++i) {
    count += timed[i].at_odd_offsets == at_odd_offsets;
    assert_in_range(timed[i].runs, 2, 6);
  }
  return count;
}

static void test_as_many_are_measured_as_asked_for(void **state) {
  (void)state;
  static const char *const measured[][2] = {
      {"f32[64,41]", "f32[64,41]{0,1}"},
      {"f32[640,410]", "f32[640,410]{0,1:PD(641,411)}"},
      {"u8[20,3,50,7]", "u8[20,3,50,7]{1,2,0,3}"},
      {"u16[4,5,6,7,8]", "u16[4,5,6,7,8]{0,2,4,1,3}"},
      {"u8[8,9,16]{2,1,0}", "u8[8,9,16]{2,0,1}"},
  };
  int most = 0;
  for (size_t i = 0; i < 3 * sizeof measured / sizeof measured[0]; ++i) {
    recorder record;
    relayout_device *const device = recorder_device(&record);
    relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
    options.effort = RELAYOUT_PLAN_MEASURE;
    options.measured = (int32_t)(i % 3); /* 0: eight */
    record.seconds = note;
    timed_count = 0;
    relayout_plan_destroy(plan_with(device, measured[i / 3][0], measured[i / 3][1], &options));
    const int aligned = count_timed(false);
    const int most_each = options.measured > 0 ? options.measured : 8;
    assert_in_range(aligned, options.measured == 1 ? 0 : 1, most_each);
    assert_in_range(count_timed(true), 0, most_each);
    most = aligned > most ? aligned : most;
    relayout_device_destroy(device);
  }
  assert_true(most > 2); /* else the test says nothing */
}

static void test_how_many_may_be_measured(void **state) {
  static const struct {
    int32_t measured;
    relayout_status status;
  } cases[] = {{0, RELAYOUT_OK},
               {1, RELAYOUT_OK},
               {1024, RELAYOUT_OK},
               {-1, RELAYOUT_INVALID_ARGUMENT},
               {1025, RELAYOUT_INVALID_ARGUMENT},
               {INT32_MIN, RELAYOUT_INVALID_ARGUMENT},
               {INT32_MAX, RELAYOUT_INVALID_ARGUMENT}};
  const relayout_shape shape = shape_of("u8[3]");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_plan *plan = NULL;
    relayout_error error = {0};
    relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
    options.measured = cases[i].measured;
    assert_int_equal(relayout_plan_create(*state, &shape, &shape, &options, &plan, &error),
                     cases[i].status);
    if (cases[i].status != RELAYOUT_OK) {
      char expected[64];
      snprintf(expected, sizeof expected, "options->measured is %d", (int)cases[i].measured);
      assert_non_null(strstr(error.message, expected));
    }
    relayout_plan_destroy(plan);
  }
}

/* ---- Texts of wisdom that are damaged ---- */

static double few_rows_are_fast(const recorded_run *run) {
  return (double)rlt_group_length(&run->schedule->rows);
}

/* Takes the text over on a device of its own, whose plan is whole whatever was read. */
static void import_damaged(const char *text, size_t size) {
  recorder record;
  relayout_device *const device = recorder_device(&record);
  assert_int_equal(relayout_device_import_wisdom(device, text, size, NULL), RELAYOUT_OK);
  relayout_plan *const plan = plan_with(device, "f32[64,41]", "f32[64,41]{0,1}", NULL);
  assert_string_not_equal(relayout_plan_get_method(plan), "none");
  assert_int_equal(relayout_plan_destination_size(plan), 4 * 64 * 41);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  assert_int_equal(record.programs_alive, 0);
  assert_int_equal(record.programs_timed, 0);
}

/* A measured device's text, with each byte changed and cut at each. */
static void test_damaged_wisdom(void **state) {
  (void)state;
  recorder record;
  relayout_device *const device = recorder_device(&record);
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.effort = RELAYOUT_PLAN_MEASURE;
  record.seconds = few_rows_are_fast;
  relayout_plan_destroy(plan_with(device, "f32[64,41]", "f32[64,41]{0,1}", &options));
  char text[4096];
  const size_t size = relayout_device_export_wisdom(device, text, sizeof text);
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

/* Bytes by hand, of the order that is not the host's. */
static void test_byte_orders(void **state) {
  static const struct {
    const char *from, *to;
    bool from_is_other, to_is_other;
    const char *source, *destination;
  } cases[] = {
      {"u16[3]", "u16[3]", true, false, "abcdef", "badcfe"},
      {"u32[2]", "u32[2]{0}", false, true, "abcdefgh", "dcbahgfe"},
      {"u32[2]", "u32[2]", true, true, "abcdefgh", "abcdefgh"},
      {"f64[1]", "f64[1]", true, false, "abcdefgh", "hgfedcba"},
      {"c64[1]", "c64[1]", false, true, "abcdefgh", "dcbahgfe"},
      {"c128[1]", "c128[1]", true, false, "abcdefghijklmnop", "hgfedcbaponmlkji"},
      {"u8[4]", "u8[4]", true, false, "abcd", "abcd"},
      {"u16[2,2]", "u16[2,2]{0,1}", true, false, "aAbBcCdD", "AaCcBbDd"},
      {"u16[1]", "u16[1]{0:PD(2)PV(24930)}", false, true, "AB", "BAab"}, /* 0x6162 */
      {"c64[1]", "c64[1]{0:PD(2)PV(one)}", false, true, "abcdefgh", "dcbahgfe\x3f\x80\0\0\0\0\0\0"},
      {"u16[1]", "u16[1]{0:E(32)}", true, false, "ab", "ba\0\0"},
      {"u16[1]", "u8[1]", true, false, "\0a", "a"},
      {"u8[1]", "u32[1]", false, true, "a", "\0\0\0a"},
      {"u16[1]", "u32[1]", true, true, "ab", "\0\0ab"},
  };
  const bool host_is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0] && host_is_little; ++i) {
    const relayout_shape shapes[] = {shape_of(cases[i].from), shape_of(cases[i].to)};
    relayout_view from = view_of(&shapes[0], NULL);
    relayout_view to = view_of(&shapes[1], NULL);
    from.byte_order = cases[i].from_is_other ? RELAYOUT_BYTE_ORDER_BIG : RELAYOUT_BYTE_ORDER_LITTLE;
    to.byte_order = cases[i].to_is_other ? RELAYOUT_BYTE_ORDER_BIG : RELAYOUT_BYTE_ORDER_NATIVE;
    relayout_plan *plan;
    relayout_error error;
    char found[32];
    print_message("%s to %s\n", cases[i].from, cases[i].to);
    if (relayout_plan_create_between(*state, &from, &to, NULL, &plan, &error) != RELAYOUT_OK) {
      fail_msg("%s", error.message);
    }
    assert_int_equal(relayout_plan_execute(plan, cases[i].source, found, NULL), RELAYOUT_OK);
    assert_memory_equal(found, cases[i].destination, relayout_plan_destination_size(plan));
    relayout_plan_destroy(plan);
  }
}

/* Strides that are no multiples of numbers; plans of two orders are not taken for each other. */
static void test_byte_orders_of_strides(void **state) {
  static const int64_t sizes[] = {2}, strides[] = {5};
  const relayout_shape plain = shape_of("u32[2]");
  relayout_view from;
  const relayout_view to = view_of(&plain, NULL);
  assert_int_equal(relayout_view_make_strided(RELAYOUT_U32, 1, sizes, strides, &from, NULL),
                   RELAYOUT_OK);
  static const char *const expected[] = {"abcdfghi", "dcbaihgf"};
  for (int turn = 0; turn < 4; ++turn) {
    const bool is_other = turn % 2 == 1;
    const bool host_is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    from.byte_order =
        is_other == host_is_little ? RELAYOUT_BYTE_ORDER_BIG : RELAYOUT_BYTE_ORDER_LITTLE;
    relayout_plan *plan;
    char found[8];
    assert_int_equal(relayout_plan_create_between(*state, &from, &to, NULL, &plan, NULL),
                     RELAYOUT_OK);
    assert_int_equal(relayout_plan_execute(plan, "abcdefghi", found, NULL), RELAYOUT_OK);
    assert_memory_equal(found, expected[is_other], sizeof found);
    char text[4096];
    relayout_plan_explain(plan, RELAYOUT_EXPLAIN_JSON, text, sizeof text);
    assert_int_equal(strstr(text, "\"from_byte_order\":") != NULL, is_other);
    relayout_plan_destroy(plan);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_method_is_the_schedules),
      cmocka_unit_test(test_parts_are_ordered),
      cmocka_unit_test(test_predicted_fraction),
      cmocka_unit_test(test_null_options_are_the_defaults),
      cmocka_unit_test(test_json_has_no_newline),
      cmocka_unit_test(test_plan_keeps_copies),
      cmocka_unit_test(test_newer_options),
      cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_pointers_need_no_alignment),
      cmocka_unit_test(test_empty_sides_need_no_memory),
      cmocka_unit_test(test_each_plan_has_its_own_end),
      cmocka_unit_test(test_memory_space_moves_no_byte),
      cmocka_unit_test(test_no_such_part),
      cmocka_unit_test(test_schedules_asked_for_run),
      cmocka_unit_test(test_schedules_refused),
      cmocka_unit_test(test_places_choose_among_schedules),
      cmocka_unit_test(test_strides_of_changed_elements),
      cmocka_unit_test(test_byte_orders),
      cmocka_unit_test(test_byte_orders_of_strides),
      cmocka_unit_test(test_wisdom_has_a_file),
      cmocka_unit_test(test_as_many_are_measured_as_asked_for),
      cmocka_unit_test(test_how_many_may_be_measured),
      cmocka_unit_test(test_damaged_wisdom),
  };
  return cmocka_run_group_tests_name("contracts.plans", tests, open_cpu, close_cpu);
}
