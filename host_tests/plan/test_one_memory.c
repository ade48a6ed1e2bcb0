/* test_one_memory.c: both sides in one memory, whose elements lie between each other: refused where
 * they share a byte, and else as if they were apart. */
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "oracle/oracle.h"
#include "problem/definition.h"
#include "relayout/relayout.h"
#include "shape_of.h"

enum { ROOM = 8192, MIDDLE = ROOM / 2 };

/* One side: a shape by byte strides, whose element 0, ..., 0 lies at an offset. */
typedef struct side {
  relayout_shape shape;
  int64_t strides[RELAYOUT_MAX_RANK];
  int64_t offset;
} side;

static relayout_view view_of_side(const side *of) {
  relayout_view view;
  assert_int_equal(relayout_view_make_strided(of->shape.element_type, of->shape.rank,
                                              of->shape.dimensions, of->strides, &view, NULL),
                   RELAYOUT_OK);
  view.byte_offset = of->offset;
  return view;
}

/* Notes where its bytes are. */
static void mark(const side *of, bool *bytes) {
  const int64_t size = (int64_t)relayout_element_type_byte_size(of->shape.element_type);
  int64_t index[RELAYOUT_MAX_RANK] = {0};
  do {
    int64_t at = of->offset;
    for (int32_t d = 0; d < of->shape.rank; ++d) {
      at += index[d] * of->strides[d];
    }
    memset(bytes + at, true, (size_t)size);
  } while (relayout_index_bump(&of->shape, index));
}

static bool share_bytes(const side *from, const side *to, size_t size) {
  bool *const both = calloc(2, size);
  assert_non_null(both);
  mark(from, both);
  mark(to, both + size);
  bool shares = false;
  for (size_t i = 0; i < size; ++i) {
    shares = shares || (both[i] && both[size + i]);
  }
  free(both);
  return shares;
}

static void fill(uint8_t *bytes, size_t size) {
  uint64_t random = 7;
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = (uint8_t)definition_random(&random, 120);
  }
}

/* What memory holds after the relayout, of sides that share nothing. */
static void relay(const relayout_plan_options *asked, const side *from, const side *to,
                  const uint8_t *before, uint8_t *after, size_t size) {
  const oracle_options options = {.scale = 1,
                                  .source_byte_strides = from->strides,
                                  .destination_byte_strides = to->strides,
                                  .to_nearest = asked->rounding == RELAYOUT_ROUNDING_NEAREST};
  memcpy(after, before, size);
  oracle_relayout_with(&options, &from->shape, &to->shape, before + from->offset,
                       after + to->offset);
}

static void print_side(const char *name, const side *of) {
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_shape_format(&of->shape, text, sizeof text);
  print_message("%s %s at %d, strides", name, text, (int)of->offset);
  for (int32_t d = 0; d < of->shape.rank; ++d) {
    print_message(" %d", (int)of->strides[d]);
  }
  print_message("\n");
}

/* ---- All kinds of small ones ---- */

/* Rows lie around the middle. A destination's steps are longer than all that is inside them. */
static void draw_side(uint64_t *random, bool is_source, side *of) {
  const int64_t size = (int64_t)relayout_element_type_byte_size(of->shape.element_type);
  int64_t reach = size;
  for (int32_t d = of->shape.rank - 1; d >= 0; --d) {
    const int64_t step = is_source ? size * definition_random(random, 12)
                                   : reach + size * definition_random(random, 4);
    of->strides[d] = definition_random(random, 5) == 0 ? -step : step;
    reach = step * of->shape.dimensions[d];
  }
  of->offset = MIDDLE + size * (definition_random(random, 40) - 20);
}

static void draw_sides(uint64_t *random, side *from, side *to) {
  static const relayout_element_type types[] = {RELAYOUT_U8, RELAYOUT_S16, RELAYOUT_F32,
                                                RELAYOUT_S8};
  memset(from, 0, sizeof *from);
  int64_t dimensions[3];
  const int32_t rank = 1 + (int32_t)definition_random(random, 3);
  for (int32_t d = 0; d < rank; ++d) {
    dimensions[d] = 1 + definition_random(random, 5);
  }
  const relayout_element_type type = types[definition_random(random, 4)];
  const bool converts = definition_random(random, 4) == 0;
  assert_int_equal(relayout_shape_make(type, rank, dimensions, &from->shape, NULL), RELAYOUT_OK);
  *to = *from;
  to->shape.element_type = converts ? types[definition_random(random, 4)] : type;
  draw_side(random, true, from);
  draw_side(random, false, to);
}

static void test_small_views(void **state) {
  (void)state;
  enum { CASES = 20000 };
  relayout_device *device = NULL;
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  static uint8_t before[ROOM], after[ROOM], found[ROOM];
  fill(before, ROOM);
  uint64_t random = 33;
  int refused = 0;
  for (int i = 0; i < CASES; ++i) {
    side from, to;
    draw_sides(&random, &from, &to);
    const relayout_view views[] = {view_of_side(&from), view_of_side(&to)};
    const relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
    relayout_plan *plan = NULL;
    relayout_error error = {.message = ""};
    assert_int_equal(
        relayout_plan_create_between(device, &views[0], &views[1], &options, &plan, &error),
        RELAYOUT_OK);
    const bool shares = share_bytes(&from, &to, ROOM);
    memcpy(after, before, ROOM);
    if (!shares) {
      relay(&options, &from, &to, before, after, ROOM);
    }
    memcpy(found, before, ROOM);
    const relayout_status status = relayout_plan_execute(plan, found, found, &error);
    relayout_plan_destroy(plan);
    refused += shares;
    if (status != (shares ? RELAYOUT_BUFFERS_OVERLAP : RELAYOUT_OK) ||
        memcmp(found, after, ROOM) != 0 ||
        (shares && strstr(error.message, " overlap, and share bytes") == NULL)) {
      print_side("from", &from);
      print_side("to", &to);
      fail_msg("case %d: status %d, %s", i, status, error.message);
    }
  }
  assert_true(refused > CASES / 10 && refused < CASES * 9 / 10);
  relayout_device_destroy(device);
}

/* ---- What people do ---- */

typedef struct kind {
  const char *what;
  const char *from, *to; /* shapes */
  int64_t from_strides[3], to_strides[3];
  int64_t from_offset, to_offset;
} kind;

static const kind kinds[] = {
    {"b[0::2] to b[1::2]", "f32[300000]", "f32[300000]", {8}, {8}, 0, 4},
    {"a channel to another", "u8[480,640]", "u8[480,640]", {1920, 3}, {1920, 3}, 0, 1},
    {"two channels to the others",
     "u8[300,200,2]",
     "u8[300,200,2]",
     {800, 4, 1},
     {800, 4, 1},
     2,
     0},
    {"even columns to odd ones", "s16[701,333]", "s16[701,333]", {1332, 4}, {1332, 4}, 0, 2},
    {"even rows to odd ones", "f32[300,513]", "f32[300,513]", {4104, 4}, {4104, 4}, 0, 2052},
    {"left half to right half", "f32[256,512]", "f32[256,512]", {4096, 4}, {4096, 4}, 0, 2048},
    {"left half to right half, transposed",
     "f32[512,512]",
     "f32[512,512]",
     {4096, 4},
     {4, 4096},
     0,
     2048},
    {"bytes of a word to others, transposed",
     "u8[256,320]",
     "u8[256,320]",
     {1280, 4},
     {4, 1024},
     0,
     3},
    {"odd columns to even ones from behind",
     "u8[999,501]",
     "u8[999,501]",
     {1002, 2},
     {1002, -2},
     1,
     1000},
    {"floats to the bytes between them", "f32[100000]", "s8[100000]", {8}, {8}, 0, 5},
};

static side side_of(const char *text, const int64_t *strides, int64_t offset) {
  side made = {.shape = shape_of(text), .offset = offset};
  memcpy(made.strides, strides, (size_t)made.shape.rank * sizeof strides[0]);
  return made;
}

typedef struct runs {
  const kind *of;
  relayout_device *device;
  const uint8_t *before, *after;
  uint8_t *found;
  size_t size;
  int count;
} runs;

/* By this schedule; NULL: by the one that is chosen. */
static void run(runs *by, const char *schedule) {
  const side from = side_of(by->of->from, by->of->from_strides, by->of->from_offset);
  const side to = side_of(by->of->to, by->of->to_strides, by->of->to_offset);
  const relayout_view views[] = {view_of_side(&from), view_of_side(&to)};
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.schedules = schedule != NULL ? &schedule : NULL;
  options.schedule_count = schedule != NULL ? 1 : 0;
  relayout_plan *plan = NULL;
  relayout_error error = {.message = ""};
  memcpy(by->found, by->before, by->size);
  relayout_status status =
      relayout_plan_create_between(by->device, &views[0], &views[1], &options, &plan, &error);
  if (status == RELAYOUT_OK) {
    status = relayout_plan_execute(plan, by->found, by->found, &error);
  }
  relayout_plan_destroy(plan);
  if (status != RELAYOUT_OK || memcmp(by->found, by->after, by->size) != 0) {
    fail_msg("%s, by %s: status %d, %s", by->of->what, schedule != NULL ? schedule : "its plan",
             status, error.message);
  }
  ++by->count;
}

/* Tiles that ask for more alignment than the sides have here are refused elsewhere. */
static void run_offered(void *context, const relayout_schedule_info *info) {
  if (strstr(info->text, " align=1:1 ") != NULL) {
    run(context, info->text);
  }
}

static void run_all(const kind *of, relayout_device *device) {
  const side from = side_of(of->from, of->from_strides, of->from_offset);
  const side to = side_of(of->to, of->to_strides, of->to_offset);
  const relayout_view views[] = {view_of_side(&from), view_of_side(&to)};
  const size_t size = 4 << 20;
  uint8_t *const memory = malloc(3 * size);
  assert_non_null(memory);
  runs by = {of, device, memory, memory + size, memory + 2 * size, size, 0};
  const relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  fill(memory, size);
  relay(&options, &from, &to, memory, memory + size, size);
  run(&by, NULL);
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create_between(device, &views[0], &views[1], NULL, &plan, NULL),
                   RELAYOUT_OK);
  assert_int_equal(relayout_plan_part_count(plan), 1);
  assert_int_equal(relayout_plan_visit_schedules(plan, 0, run_offered, &by, NULL), RELAYOUT_OK);
  assert_true(by.count > 1);
  relayout_plan_destroy(plan);
  free(memory);
}

static void test_large_views(void **state) {
  (void)state;
  for (int32_t threads = 1; threads <= 3; threads += 2) {
    relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
    options.threads = threads;
    relayout_device *device = NULL;
    assert_int_equal(relayout_cpu_device_create(&options, &device, NULL), RELAYOUT_OK);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
      run_all(&kinds[i], device);
    }
    relayout_device_destroy(device);
  }
}

/* ---- What is refused ---- */

/* The status of sides of these shapes in one memory, the destination so many bytes behind. */
static relayout_status execute_apart(const char *from, const char *to, int64_t apart,
                                     relayout_error *error) {
  static uint8_t memory[1 << 16];
  relayout_device *device = NULL;
  relayout_plan *plan = NULL;
  const relayout_shape shapes[] = {shape_of(from), shape_of(to)};
  assert_int_equal(relayout_device_open("cpu", &device, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_create(device, &shapes[0], &shapes[1], NULL, &plan, NULL),
                   RELAYOUT_OK);
  uint8_t *const source = memory + (1 << 15);
  const relayout_status status = relayout_plan_execute(plan, source, source + apart, error);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  return status;
}

static void expect_refused(const char *from, const char *to, int64_t apart, const char *message) {
  relayout_error error = {.message = ""};
  assert_int_equal(execute_apart(from, to, apart, &error), RELAYOUT_BUFFERS_OVERLAP);
  if (strstr(error.message, message) == NULL) {
    fail_msg("%s", error.message);
  }
}

/* A padding that is left alone is nobody's; one that is written counts; and so does a tile's. */
static void test_padding(void **state) {
  (void)state;
  relayout_error error;
  const char *const rows = "u8[4,8]{1,0:PD(4,16)}";
  assert_int_equal(execute_apart(rows, "u8[4,8]{1,0:PD(4,16)PV(unknown)}", 8, &error), RELAYOUT_OK);
  expect_refused(rows, rows, 8, "overlap, and share bytes");
  expect_refused(rows, "u8[4,8]{1,0:PD(4,16)PV(unknown)}", 7, "overlap, and share bytes");
  expect_refused("u8[4,4]{1,0:T(2,2)}", "u8[4,4]{0,1}", 15, "overlap, and share bytes");
}

/* Where more than ranges would have to be known. */
static void test_what_is_not_known(void **state) {
  (void)state;
  static const char *const ranges = "overlap: only their ranges could be compared";
  /* No divisor of both tiles: an index program. */
  expect_refused("u8[100]{0:T(7)(2)}", "u8[100]{0:T(5)(3)}", 99, ranges);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_small_views),
      cmocka_unit_test(test_large_views),
      cmocka_unit_test(test_padding),
      cmocka_unit_test(test_what_is_not_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
