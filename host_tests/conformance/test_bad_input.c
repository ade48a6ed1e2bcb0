/* Bad input to plans and devices: each gives its status and a message that names the argument and
 * its value, and nothing is written. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cmocka_all.h"
#include "relayout/relayout.h"
#include "shape_of.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int open_cpu(void **state) {
  relayout_device *device;
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

/* `what` tells the failing case. */
static void assert_refused(const char *what, relayout_status expected, const char *message,
                           relayout_status status, const relayout_error *error) {
  if (status != expected || error->status != expected || strstr(error->message, message) == NULL) {
    fail_msg("%s: status %d, error's %d, expected %d with `%s`; message: %s", what, (int)status,
             (int)error->status, (int)expected, message, error->message);
  }
}

/* No plan for these shapes, with and without an error to fill, and no one-shot copy either. */
static void assert_no_plan(relayout_device *device, const char *what, const relayout_shape *from,
                           const relayout_shape *to, relayout_status expected,
                           const char *message) {
  relayout_error error = {RELAYOUT_OK, 0, ""};
  relayout_plan *const untouched = (relayout_plan *)&error;
  relayout_plan *plan = untouched;
  assert_refused(what, expected, message,
                 relayout_plan_create(device, from, to, NULL, &plan, &error), &error);
  assert_int_equal(relayout_plan_create(device, from, to, NULL, &plan, NULL), expected);
  assert_ptr_equal(plan, untouched);

  unsigned char source[64] = {0};
  unsigned char destination[64];
  memset(destination, 0xa5, sizeof(destination));
  error = (relayout_error){RELAYOUT_OK, 0, ""};
  assert_refused(what, expected, message,
                 relayout_copy(device, from, to, source, destination, &error), &error);
  for (size_t i = 0; i < sizeof(destination); ++i) {
    assert_int_equal(destination[i], 0xa5);
  }
}

/* ---- Shapes that do not go together --------------------------------------------------------- */

typedef struct pair_case {
  const char *from;
  const char *to;
  relayout_status status;
  const char *message;
} pair_case;

static const pair_case pair_cases[] = {
    {"f32[2,3]", "f32[2,3,1]", RELAYOUT_SHAPE_MISMATCH, "rank of `from` is 2, that of `to` is 3"},
    {"f32[]", "f32[1]", RELAYOUT_SHAPE_MISMATCH, "rank of `from` is 0, that of `to` is 1"},
    {"f32[2,3]", "f32[2,4]", RELAYOUT_SHAPE_MISMATCH,
     "dimensions[1] of `from` is 3, that of `to` is 4"},
    {"f32[2,3]{1,0:PD(3,4)}", "f32[3,4]", RELAYOUT_SHAPE_MISMATCH,
     "dimensions[0] of `from` is 2, that of `to` is 3"},
    {"f32[2,0]", "f32[0,2]", RELAYOUT_SHAPE_MISMATCH,
     "dimensions[0] of `from` is 2, that of `to` is 0"},
    {"c64[2,3]", "f32[2,3]", RELAYOUT_UNSUPPORTED, "conversion from c64 is not supported"},
    {"f64[2,3]", "c128[2,3]", RELAYOUT_UNSUPPORTED, "conversion to c128 is not supported"},
    {"c64[2,3]", "c128[2,3]", RELAYOUT_UNSUPPORTED, "conversion from c64 is not supported"},
};

static void test_pairs(void **state) {
  for (size_t i = 0; i < COUNT(pair_cases); ++i) {
    const pair_case *c = &pair_cases[i];
    const relayout_shape from = shape_of(c->from);
    const relayout_shape to = shape_of(c->to);
    char what[128];
    snprintf(what, sizeof(what), "%s to %s", c->from, c->to);
    assert_no_plan(*state, what, &from, &to, c->status, c->message);
  }
}

/* ---- Shapes that no call made --------------------------------------------------------------- */

/* One field of a u8[2,3]{0,1:PD(3,5)} set to a value. */
typedef struct field_case {
  const char *name;
  size_t offset;
  size_t size;
  int64_t value;
  relayout_status status;
  const char *message;
} field_case;

#define FIELD(field) #field, offsetof(relayout_shape, field), sizeof(((relayout_shape *)0)->field)

static const field_case field_cases[] = {
    {FIELD(element_type), 0, RELAYOUT_INVALID_SHAPE, "element_type is 0"},
    {FIELD(element_type), 12345, RELAYOUT_INVALID_SHAPE, "element_type is 12345"},
    {FIELD(rank), -1, RELAYOUT_INVALID_SHAPE, "rank is -1"},
    {FIELD(rank), 65, RELAYOUT_INVALID_SHAPE, "rank is 65"},
    {FIELD(rank), INT32_MAX, RELAYOUT_INVALID_SHAPE, "rank is 2147483647"},
    {FIELD(rank), 1, RELAYOUT_INVALID_SHAPE, "2 dimensions"},
    {FIELD(layout.rank), 65, RELAYOUT_INVALID_SHAPE, "65"},
    {FIELD(layout.rank), INT32_MIN, RELAYOUT_INVALID_SHAPE, "-2147483648"},
    {FIELD(dimensions[1]), -3, RELAYOUT_INVALID_SHAPE, "dimensions[1] is -3"},
    {FIELD(dimensions[1]), INT64_MIN, RELAYOUT_INVALID_SHAPE,
     "dimensions[1] is -9223372036854775808"},
    {FIELD(dimensions[1]), 6, RELAYOUT_INVALID_SHAPE,
     "padded_dimensions[1] is 5; expected at least dimensions[1], 6"},
    {FIELD(layout.minor_to_major[0]), 2, RELAYOUT_INVALID_SHAPE, "minor_to_major[0] is 2"},
    {FIELD(layout.minor_to_major[0]), -1, RELAYOUT_INVALID_SHAPE, "minor_to_major[0] is -1"},
    {FIELD(layout.minor_to_major[1]), INT32_MIN, RELAYOUT_INVALID_SHAPE,
     "minor_to_major[1] is -2147483648"},
    {FIELD(layout.minor_to_major[1]), 0, RELAYOUT_INVALID_SHAPE, "minor_to_major[1] is 0"},
    {FIELD(layout.padded_dimension_count), 1, RELAYOUT_INVALID_SHAPE,
     "padded_dimension_count is 1"},
    {FIELD(layout.padded_dimension_count), INT32_MAX, RELAYOUT_INVALID_SHAPE,
     "padded_dimension_count is 2147483647"},
    {FIELD(layout.padded_dimensions[0]), -7, RELAYOUT_INVALID_SHAPE, "padded_dimensions[0] is -7"},
    {FIELD(layout.padded_dimensions[0]), INT64_MAX, RELAYOUT_SIZE_OVERFLOW, "9223372036854775807"},
    {FIELD(layout.padding_value), 77, RELAYOUT_INVALID_SHAPE, "padding_value is 77"},
    {FIELD(layout.padding_value), -1, RELAYOUT_INVALID_SHAPE, "padding_value is"},
    {FIELD(layout.tile_count), -1, RELAYOUT_INVALID_SHAPE, "tile_count is -1"},
    {FIELD(layout.tile_count), 17, RELAYOUT_INVALID_SHAPE, "tile_count is 17"},
    {FIELD(layout.tile_count), 1, RELAYOUT_INVALID_SHAPE, "tile_ranks[0] is 0"},
    {FIELD(layout.tail_padding_alignment_in_elements), -4, RELAYOUT_INVALID_SHAPE,
     "tail_padding_alignment_in_elements is -4"},
    {FIELD(layout.element_size_in_bits), -4, RELAYOUT_INVALID_SHAPE, "element_size_in_bits is -4"},
    {FIELD(layout.packing_order), 1, RELAYOUT_INVALID_SHAPE, "packing_order is high, but"},
    {FIELD(layout.packing_order), 9, RELAYOUT_INVALID_SHAPE, "packing_order is 9; expected 0 or 1"},
};

static void set_field(relayout_shape *shape, const field_case *c) {
  const int32_t narrow = (int32_t)c->value;
  unsigned char *field = (unsigned char *)shape + c->offset;
  if (c->size == sizeof(narrow)) {
    memcpy(field, &narrow, sizeof(narrow));
  } else {
    memcpy(field, &c->value, sizeof(c->value));
  }
}

static void test_fields(void **state) {
  const relayout_shape valid = shape_of("u8[2,3]{0,1:PD(3,5)}");
  for (size_t i = 0; i < COUNT(field_cases); ++i) {
    const field_case *c = &field_cases[i];
    relayout_shape broken = valid;
    set_field(&broken, c);
    assert_no_plan(*state, c->name, &broken, &valid, c->status, c->message);
    assert_no_plan(*state, c->name, &valid, &broken, c->status, c->message);
    assert_no_plan(*state, c->name, &broken, &broken, c->status, c->message);
  }
}

/* Whatever the bytes, a refusal: none of these is a shape. */
static void test_bytes(void **state) {
  static const unsigned char patterns[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
  for (size_t i = 0; i < COUNT(patterns); ++i) {
    relayout_shape shape;
    memset(&shape, patterns[i], sizeof(shape));
    relayout_plan *plan = NULL;
    relayout_error error;
    assert_int_equal(relayout_plan_create(*state, &shape, &shape, NULL, &plan, &error),
                     RELAYOUT_INVALID_SHAPE);
    assert_null(plan);
  }
}

static void test_sizes_that_overflow(void **state) {
  const int64_t huge = (int64_t)1 << 40;
  relayout_shape shape = shape_of("u8[2,3]");
  shape.dimensions[0] = huge;
  shape.dimensions[1] = huge;
  assert_no_plan(*state, "2^40 x 2^40", &shape, &shape, RELAYOUT_SIZE_OVERFLOW, "1099511627776");
  relayout_shape wide = shape_of("c128[1]"); /* the elements fit 63 bits, their bytes do not */
  wide.dimensions[0] = (int64_t)1 << 60;
  assert_no_plan(*state, "2^60 c128", &wide, &wide, RELAYOUT_SIZE_OVERFLOW, "1152921504606846976");
}

/* ---- Arguments of plans --------------------------------------------------------------------- */

static void test_arguments_of_create(void **state) {
  const relayout_shape shape = shape_of("u8[2,3]");
  relayout_error error;
  relayout_plan *plan = NULL;
  assert_refused("device", RELAYOUT_INVALID_ARGUMENT, "device is NULL",
                 relayout_plan_create(NULL, &shape, &shape, NULL, &plan, &error), &error);
  assert_refused("from", RELAYOUT_INVALID_ARGUMENT, "from is NULL",
                 relayout_plan_create(*state, NULL, &shape, NULL, &plan, &error), &error);
  assert_refused("to", RELAYOUT_INVALID_ARGUMENT, "to is NULL",
                 relayout_plan_create(*state, &shape, NULL, NULL, &plan, &error), &error);
  assert_refused("plan", RELAYOUT_INVALID_ARGUMENT, "plan is NULL",
                 relayout_plan_create(*state, &shape, &shape, NULL, NULL, &error), &error);

  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.struct_size = offsetof(relayout_plan_options, schedules);
  assert_refused("struct_size", RELAYOUT_INVALID_ARGUMENT, "struct_size is",
                 relayout_plan_create(*state, &shape, &shape, &options, &plan, &error), &error);
  options = (relayout_plan_options)RELAYOUT_PLAN_OPTIONS_INIT;
  options.effort = (relayout_plan_effort)99;
  assert_refused("effort", RELAYOUT_INVALID_ARGUMENT, "effort is 99",
                 relayout_plan_create(*state, &shape, &shape, &options, &plan, &error), &error);
  options = (relayout_plan_options)RELAYOUT_PLAN_OPTIONS_INIT;
  options.measured = -1;
  assert_refused("measured", RELAYOUT_INVALID_ARGUMENT, "measured is -1",
                 relayout_plan_create(*state, &shape, &shape, &options, &plan, &error), &error);
  options.measured = 1025;
  assert_refused("measured", RELAYOUT_INVALID_ARGUMENT, "measured is 1025",
                 relayout_plan_create(*state, &shape, &shape, &options, &plan, &error), &error);
  assert_null(plan);
  relayout_plan_destroy(NULL);
}

static void refuse_schedules(relayout_device *device, const char *const *texts, int32_t count,
                             relayout_status expected, const char *message) {
  const relayout_shape from = shape_of("u8[20,30]");
  const relayout_shape to = shape_of("u8[20,30]{0,1}");
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  relayout_error error = {RELAYOUT_OK, 0, ""};
  relayout_plan *plan = NULL;
  options.schedules = texts;
  options.schedule_count = count;
  assert_refused(message, expected, message,
                 relayout_plan_create(device, &from, &to, &options, &plan, &error), &error);
  assert_null(plan);
}

/* Of a relayout of one part, which fills nothing. */
static void test_schedules_of_create(void **state) {
  static const struct {
    const char *text;
    relayout_status status;
    const char *message;
  } cases[] = {
      {"", RELAYOUT_INVALID_TEXT, "`` is not a method"},
      {"   ", RELAYOUT_INVALID_TEXT, "`` is not a method"},
      {"Permute", RELAYOUT_INVALID_TEXT, "`Permute` is not a method"},
      {"permute\tword=1", RELAYOUT_INVALID_TEXT, "`permute?word=1` is not a method"},
      {"permute \x1b[2Jword\n", RELAYOUT_INVALID_TEXT, "`?[2Jword?` is not a field"},
      {"index-program word=\x80", RELAYOUT_UNSUPPORTED,
       "no schedule of this relayout has `word=?`"},
      {"permute =", RELAYOUT_INVALID_TEXT, "`=` is not a field"},
      {"permute words=1", RELAYOUT_INVALID_TEXT, "`words=1` is not a field"},
      {"permute word=1 align=1:1 word=1", RELAYOUT_INVALID_TEXT, "`word` is given twice"},
      {"fill", RELAYOUT_UNSUPPORTED, "method `fill` has no schedule for this relayout"},
      {"index-program", RELAYOUT_UNSUPPORTED, "no schedule of this relayout has `word=`"},
      {"index-program word=", RELAYOUT_INVALID_TEXT, "`word=` has no value"},
      {"index-program word=16", RELAYOUT_UNSUPPORTED, "no schedule of this relayout has `word=16`"},
      {"index-program word=99999999999999999999999999999999999999999999999999999999999999999",
       RELAYOUT_UNSUPPORTED, "no schedule of this relayout has `word=999999"},
  };
  for (size_t i = 0; i < COUNT(cases); ++i) {
    refuse_schedules(*state, &cases[i].text, 1, cases[i].status, cases[i].message);
  }
  static const char *const some[] = {"index-program", NULL, "index-program"};
  refuse_schedules(*state, some, -1, RELAYOUT_INVALID_ARGUMENT,
                   "schedule_count is -1; expected 0 or more");
  refuse_schedules(*state, some, INT32_MIN, RELAYOUT_INVALID_ARGUMENT,
                   "schedule_count is -2147483648");
  refuse_schedules(*state, NULL, 1, RELAYOUT_INVALID_ARGUMENT, "options->schedules is NULL");
  refuse_schedules(*state, NULL, INT32_MAX, RELAYOUT_INVALID_ARGUMENT,
                   "options->schedules is NULL");
  refuse_schedules(*state, some, 3, RELAYOUT_INVALID_ARGUMENT, "an entry that is NULL");
  refuse_schedules(*state, some + 1, 1, RELAYOUT_INVALID_ARGUMENT, "an entry that is NULL");
  const char *const two[] = {some[0], some[0]};
  refuse_schedules(*state, two, 2, RELAYOUT_UNSUPPORTED, "but the plan has 1 part");
}

static void ignore_schedule(void *context, const relayout_schedule_info *info) {
  (void)info;
  ++*(int *)context;
}

static void test_arguments_of_visit(void **state) {
  const relayout_shape from = shape_of("u8[20,30]");
  const relayout_shape to = shape_of("u8[20,30]{0,1}");
  relayout_plan *plan;
  relayout_error error;
  int visits = 0;
  assert_int_equal(relayout_plan_create(*state, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  assert_refused("plan", RELAYOUT_INVALID_ARGUMENT, "plan is NULL",
                 relayout_plan_visit_schedules(NULL, 0, ignore_schedule, &visits, &error), &error);
  assert_refused("visitor", RELAYOUT_INVALID_ARGUMENT, "visitor is NULL",
                 relayout_plan_visit_schedules(plan, 0, NULL, &visits, &error), &error);
  assert_refused("part", RELAYOUT_INVALID_ARGUMENT,
                 "part is -1, out of range for a plan of 1 parts",
                 relayout_plan_visit_schedules(plan, -1, ignore_schedule, &visits, &error), &error);
  assert_refused("part", RELAYOUT_INVALID_ARGUMENT, "part is 1, out of range for a plan of 1 parts",
                 relayout_plan_visit_schedules(plan, 1, ignore_schedule, &visits, &error), &error);
  assert_int_equal(visits, 0);
  relayout_plan_destroy(plan);
  assert_int_equal(relayout_plan_part_count(NULL), 0);
  assert_string_equal(relayout_plan_get_method(NULL), "none");
  assert_int_equal(relayout_plan_get_schedule(NULL, 0, RELAYOUT_SCHEDULE_ALIGNED, NULL, 0), 0);
}

/* What is asked of elements on their way, and where the caller's own strides lay them. */
static void test_changes(void **state) {
  static const int64_t fits[] = {12, 4};
  static const int64_t overlaps[] = {8, 4};
  static const int64_t reaches_far[] = {INT64_MAX, 4};
  static const struct {
    const char *from;
    const char *to;
    relayout_plan_options options;
    relayout_status status;
    const char *message;
  } cases[] = {
#define ASKED(...) {.struct_size = sizeof(relayout_plan_options), __VA_ARGS__}
      {"f32[2,3]", "s8[2,3]", ASKED(.scale = 1, .overflow = (relayout_integer_overflow)7),
       RELAYOUT_INVALID_ARGUMENT, "overflow is 7"},
      {"f32[2,3]", "s8[2,3]", ASKED(.rounding = (relayout_rounding)-1), RELAYOUT_INVALID_ARGUMENT,
       "options->rounding is -1"},
      {"f32[2,3]", "f32[2,3]", ASKED(.scale = INFINITY), RELAYOUT_INVALID_ARGUMENT,
       "scale is inf; it must be finite"},
      {"f32[2,3]", "f32[2,3]", ASKED(.scale = NAN), RELAYOUT_INVALID_ARGUMENT, "scale is"},
      {"c64[2,3]", "c64[2,3]", ASKED(.scale = 2), RELAYOUT_UNSUPPORTED,
       "conversion from c64 is not supported"},
      {"f32[2,3]{0,1}", "f32[2,3]", ASKED(.scale = 1, .former_source_byte_strides = fits),
       RELAYOUT_INVALID_ARGUMENT, "from->byte_strides are given"},
      {"f32[2,3]", "f32[2,3]{1,0:PD(2,4)}",
       ASKED(.scale = 1, .former_destination_byte_strides = fits), RELAYOUT_INVALID_ARGUMENT,
       "to->byte_strides are given"},
      {"f32[2,3]", "f32[2,3]", ASKED(.scale = 1, .former_destination_byte_strides = overlaps),
       RELAYOUT_INVALID_ARGUMENT, "overlap, at bytes 8 and 8"},
      {"f32[3,3]", "f32[3,3]", ASKED(.scale = 1, .former_source_byte_strides = reaches_far),
       RELAYOUT_SIZE_OVERFLOW, "from->byte_strides[0] is 9223372036854775807"},
#undef ASKED
  };
  for (size_t i = 0; i < COUNT(cases); ++i) {
    const relayout_shape from = shape_of(cases[i].from);
    const relayout_shape to = shape_of(cases[i].to);
    relayout_error error;
    relayout_plan *plan = NULL;
    assert_refused(cases[i].message, cases[i].status, cases[i].message,
                   relayout_plan_create(*state, &from, &to, &cases[i].options, &plan, &error),
                   &error);
    assert_null(plan);
  }
}

/* Six bytes become nine, within one array: the source starts at `source`, the destination at
 * `destination`. */
typedef struct overlap_case {
  size_t source;
  size_t destination;
  relayout_status status;
} overlap_case;

static const overlap_case overlap_cases[] = {
    {0, 0, RELAYOUT_BUFFERS_OVERLAP},
    {0, 5, RELAYOUT_BUFFERS_OVERLAP},
    {8, 0, RELAYOUT_BUFFERS_OVERLAP},
    {2, 1, RELAYOUT_BUFFERS_OVERLAP},
    {0, 6, RELAYOUT_OK},
    {9, 0, RELAYOUT_OK},
};

static void test_overlap(void **state) {
  const relayout_shape from = shape_of("u8[2,3]");
  const relayout_shape to = shape_of("u8[2,3]{0,1:PD(3,3)}");
  for (size_t i = 0; i < COUNT(overlap_cases); ++i) {
    const overlap_case *c = &overlap_cases[i];
    unsigned char bytes[16];
    memset(bytes, 0xa5, sizeof(bytes));
    relayout_error error = {RELAYOUT_OK, 0, ""};
    const relayout_status status =
        relayout_copy(*state, &from, &to, bytes + c->source, bytes + c->destination, &error);
    assert_int_equal(status, c->status);
    if (status == RELAYOUT_OK) {
      assert_int_equal(bytes[c->destination + 2], 0); /* the first padding */
      continue;
    }
    assert_refused("overlap", RELAYOUT_BUFFERS_OVERLAP, "9 bytes", status, &error);
    for (size_t b = 0; b < sizeof(bytes); ++b) {
      assert_int_equal(bytes[b], 0xa5);
    }
  }
}

static void test_arguments_of_execute(void **state) {
  const relayout_shape from = shape_of("u8[2,3]");
  const relayout_shape to = shape_of("u8[2,3]{0,1:PD(3,3)}");
  relayout_plan *plan;
  assert_int_equal(relayout_plan_create(*state, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  unsigned char bytes[9];
  memset(bytes, 0xa5, sizeof(bytes));
  relayout_error error;
  assert_refused("plan", RELAYOUT_INVALID_ARGUMENT, "plan is NULL",
                 relayout_plan_execute(NULL, bytes, bytes, &error), &error);
  assert_refused("source", RELAYOUT_INVALID_ARGUMENT, "source is NULL",
                 relayout_plan_execute(plan, NULL, bytes, &error), &error);
  assert_refused("destination", RELAYOUT_INVALID_ARGUMENT, "destination is NULL",
                 relayout_plan_execute(plan, bytes, NULL, &error), &error);
  for (size_t b = 0; b < sizeof(bytes); ++b) {
    assert_int_equal(bytes[b], 0xa5);
  }
  relayout_plan_destroy(plan);

  const relayout_shape empty = shape_of("u8[0,3]"); /* has no bytes to point to */
  assert_int_equal(relayout_copy(*state, &empty, &empty, NULL, NULL, NULL), RELAYOUT_OK);
}

/* ---- Devices -------------------------------------------------------------------------------- */

typedef struct name_case {
  const char *name;
  relayout_status status;
  const char *message;
} name_case;

static const name_case name_cases[] = {
    {"", RELAYOUT_INVALID_TEXT, "``"},
    {"gpu", RELAYOUT_INVALID_TEXT, "gpu"},
    {"CPU", RELAYOUT_INVALID_TEXT, "CPU"},
    {"cpu:0", RELAYOUT_INVALID_TEXT, "cpu:0"},
    {"opencl:", RELAYOUT_INVALID_TEXT, "opencl:"},
    {"opencl:0", RELAYOUT_INVALID_TEXT, "opencl:0"},
    {"opencl:0:", RELAYOUT_INVALID_TEXT, "opencl:0:"},
    {"opencl:0:0x", RELAYOUT_INVALID_TEXT, "opencl:0:0x"},
    {"opencl:-1:0", RELAYOUT_INVALID_TEXT, "opencl:-1:0"},
    {"opencl: 0:0", RELAYOUT_INVALID_TEXT, "opencl: 0:0"},
    {"opencl:99999999999999999999:0", RELAYOUT_INVALID_TEXT, "opencl:99999999999999999999:0"},
    {"opencl:9999:0", RELAYOUT_NO_DEVICE, "9999"},
};

static void test_device_names(void **state) {
  (void)state;
  for (size_t i = 0; i < COUNT(name_cases); ++i) {
    const name_case *c = &name_cases[i];
    relayout_device *device = NULL;
    relayout_error error = {RELAYOUT_OK, 0, ""};
    assert_refused(c->name, c->status, c->message, relayout_device_open(c->name, &device, &error),
                   &error);
    assert_null(device);
  }
}

static void test_arguments_of_devices(void **state) {
  relayout_device *device = NULL;
  relayout_error error;
  assert_refused("name", RELAYOUT_INVALID_ARGUMENT, "name is NULL",
                 relayout_device_open(NULL, &device, &error), &error);
  assert_refused("device", RELAYOUT_INVALID_ARGUMENT, "device is NULL",
                 relayout_device_open("cpu", NULL, &error), &error);
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.threads = -2;
  assert_refused("threads", RELAYOUT_INVALID_ARGUMENT, "threads is -2",
                 relayout_cpu_device_create(&options, &device, &error), &error);
  options = (relayout_cpu_options){0, 0, NULL, NULL};
  assert_refused("struct_size", RELAYOUT_INVALID_ARGUMENT, "struct_size is 0",
                 relayout_cpu_device_create(&options, &device, &error), &error);
  assert_null(device);

  relayout_device_info info = {0};
  assert_refused("struct_size", RELAYOUT_INVALID_ARGUMENT, "struct_size is 0",
                 relayout_device_get_info(*state, &info, &error), &error);
  assert_refused("device", RELAYOUT_INVALID_ARGUMENT, "device is NULL",
                 relayout_device_get_info(NULL, &info, &error), &error);
  assert_refused("count", RELAYOUT_INVALID_ARGUMENT, "count is NULL",
                 relayout_device_list(NULL, 0, NULL, &error), &error);
  size_t count = 12345;
  assert_refused("infos", RELAYOUT_INVALID_ARGUMENT, "infos is NULL",
                 relayout_device_list(NULL, 1, &count, &error), &error);
  assert_refused("infos[0]", RELAYOUT_INVALID_ARGUMENT, "infos[0].struct_size is 0",
                 relayout_device_list(&info, 1, &count, &error), &error);
  assert_int_equal(count, 12345);
  relayout_device_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pairs),
      cmocka_unit_test(test_fields),
      cmocka_unit_test(test_bytes),
      cmocka_unit_test(test_sizes_that_overflow),
      cmocka_unit_test(test_arguments_of_create),
      cmocka_unit_test(test_schedules_of_create),
      cmocka_unit_test(test_arguments_of_visit),
      cmocka_unit_test(test_changes),
      cmocka_unit_test(test_overlap),
      cmocka_unit_test(test_arguments_of_execute),
      cmocka_unit_test(test_device_names),
      cmocka_unit_test(test_arguments_of_devices),
  };
  return cmocka_run_group_tests_name("conformance.bad_input", tests, open_cpu, close_cpu);
}
