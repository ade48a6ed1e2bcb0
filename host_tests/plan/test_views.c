/* test_views.c: plans between views, on the CPU backend. */
#include "cmocka_all.h"

#include <stdint.h>
#include <string.h>

#include "relayout/relayout.h"
#include "shape_of.h"
#include "view_of.h"

static int open_cpu(void **state) {
  return relayout_cpu_device_create(NULL, (relayout_device **)state, NULL) != RELAYOUT_OK;
}

static int close_cpu(void **state) {
  relayout_device_destroy(*state);
  return 0;
}

static relayout_plan *plan_between(relayout_device *device, const relayout_view *from,
                                   const relayout_view *to) {
  relayout_plan *plan = NULL;
  relayout_error error;
  if (relayout_plan_create_between(device, from, to, NULL, &plan, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  return plan;
}

/* letters[2:0:-1, 1:3] of three rows of four becomes columns in the middle of nine bytes. */
static void test_pointers_are_those_of_whole_tensors(void **state) {
  static const char letters[] = "abcd"
                                "efgh"
                                "ijkl";
  const relayout_shape whole = shape_of("u8[3,4]");
  const relayout_shape columns = shape_of("u8[2,2]{0,1}");
  relayout_view from;
  relayout_view to = view_of(&columns, NULL);
  to.byte_offset = 3;
  assert_int_equal(relayout_view_make(&whole, &from, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_view_slice(&from, 0, 2, 2, -1, &from, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_view_slice(&from, 1, 1, 2, 1, &from, NULL), RELAYOUT_OK);
  relayout_plan *const plan = plan_between(*state, &from, &to);
  assert_int_equal(relayout_plan_source_size(plan), 6);
  assert_int_equal(relayout_plan_destination_size(plan), 4);
  char moved[] = ".........";
  assert_int_equal(relayout_plan_execute(plan, letters, moved, NULL), RELAYOUT_OK);
  assert_string_equal(moved, "...jfkg..");
  relayout_plan_destroy(plan);
}

/* Only what a side takes may overlap, wherever its pointer is. */
static void test_overlaps_are_those_of_what_is_taken(void **state) {
  const relayout_shape shape = shape_of("u8[4]");
  const relayout_view from = view_of(&shape, NULL);
  relayout_view to = from;
  char bytes[] = "abcd....";
  to.byte_offset = 4;
  relayout_plan *plan = plan_between(*state, &from, &to);
  assert_int_equal(relayout_plan_execute(plan, bytes, bytes, NULL), RELAYOUT_OK);
  assert_string_equal(bytes, "abcdabcd");
  relayout_plan_destroy(plan);
  to.byte_offset = 3;
  plan = plan_between(*state, &from, &to);
  assert_int_equal(relayout_plan_execute(plan, bytes, bytes, NULL), RELAYOUT_BUFFERS_OVERLAP);
  relayout_plan_destroy(plan);
}

static void test_other_offsets_are_other_plans(void **state) {
  const relayout_shape shape = shape_of("u8[4]");
  relayout_view from = view_of(&shape, NULL);
  const relayout_view to = from;
  relayout_plan *const first = plan_between(*state, &from, &to);
  relayout_plan *const again = plan_between(*state, &from, &to);
  assert_ptr_equal(first, again);
  from.byte_offset = -4;
  relayout_plan *const other = plan_between(*state, &from, &to);
  assert_ptr_not_equal(first, other);
  char moved[4];
  assert_int_equal(relayout_plan_execute(other, (const char *)"abcd" + 4, moved, NULL),
                   RELAYOUT_OK);
  assert_memory_equal(moved, "abcd", 4);
  relayout_plan_destroy(first);
  relayout_plan_destroy(again);
  relayout_plan_destroy(other);
}

typedef struct told {
  int count;
  int64_t first[8];
  size_t size[8];
} told;

static void note(void *context, int64_t first, size_t size) {
  told *const of = context;
  of->first[of->count] = first;
  of->size[of->count++] = size;
}

/* Rows of three words, the last first, 16 bytes apart, into a row; counted from the pointers. */
static void test_bytes_of_views(void **state) {
  const relayout_shape shape = shape_of("f32[2,3]");
  relayout_view from = view_of(&shape, (const int64_t[]){-16, 4});
  relayout_view to = view_of(&shape, NULL);
  from.byte_offset = 4;
  to.byte_offset = 100;
  relayout_plan *const plan = plan_between(*state, &from, &to);
  told read = {0};
  told written = {0};
  assert_int_equal(relayout_plan_visit_bytes_read(plan, note, &read, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_visit_bytes_written(plan, note, &written, NULL), RELAYOUT_OK);
  assert_int_equal(read.count, 2);
  assert_int_equal(read.first[0], -12);
  assert_int_equal(read.size[0], 12);
  assert_int_equal(read.first[1], 4);
  assert_int_equal(read.size[1], 12);
  assert_int_equal(written.count, 1);
  assert_int_equal(written.first[0], 100);
  assert_int_equal(written.size[0], 24);
  relayout_plan_destroy(plan);
}

static void test_refused(void **state) {
  static const int64_t overlapping[] = {8, 4};
  const relayout_shape shape = shape_of("f32[2,3]");
  const relayout_view plain = view_of(&shape, NULL);
  relayout_view read_only = plain;
  read_only.is_read_only = true;
  relayout_view far = plain;
  far.byte_offset = INT64_MAX;
  const relayout_view overlaps = view_of(&shape, overlapping);
  static const int64_t short_steps[] = {2, 8};
  const relayout_view too_close = view_of(&shape, short_steps);
  /* Rows of 4 reach over 28 bytes and begin 20 apart: only a list of all places would tell. */
  static const int64_t between_each_other[] = {8, 20};
  const relayout_shape large = shape_of("f32[4,2097152]");
  const relayout_view many = view_of(&large, NULL);
  const relayout_view entangled = view_of(&large, between_each_other);
  const struct {
    const relayout_view *from;
    const relayout_view *to;
    relayout_status status;
    const char *message;
  } cases[] = {
      {&plain, &read_only, RELAYOUT_INVALID_ARGUMENT, "to->is_read_only is true"},
      {&far, &plain, RELAYOUT_SIZE_OVERFLOW, "from->byte_offset is 9"},
      {&plain, &far, RELAYOUT_SIZE_OVERFLOW, "to->byte_offset is 9"},
      {&plain, &overlaps, RELAYOUT_INVALID_ARGUMENT, "overlap, at bytes 8 and 8"},
      {&plain, &too_close, RELAYOUT_INVALID_ARGUMENT, "[0] is 2; elements of 4 bytes would"},
      {&many, &entangled, RELAYOUT_UNSUPPORTED, "interleave 8388608 elements"},
      {NULL, &plain, RELAYOUT_INVALID_ARGUMENT, "from is NULL"},
      {&plain, NULL, RELAYOUT_INVALID_ARGUMENT, "to is NULL"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_plan *plan = NULL;
    relayout_error error;
    print_message("case %zu\n", i);
    assert_int_equal(
        relayout_plan_create_between(*state, cases[i].from, cases[i].to, NULL, &plan, &error),
        cases[i].status);
    assert_non_null(strstr(error.message, cases[i].message));
    assert_null(plan);
  }
  relayout_plan *const reads = plan_between(*state, &read_only, &plain);
  relayout_plan_destroy(reads);
}

static void test_explained(void **state) {
  static const int64_t strides[] = {-40, 8};
  const relayout_shape shape = shape_of("f32[2,3]");
  relayout_view from = view_of(&shape, strides);
  from.byte_offset = 52;
  const relayout_view to = view_of(&shape, NULL);
  relayout_plan *const plan = plan_between(*state, &from, &to);
  char text[4096];
  relayout_plan_explain(plan, RELAYOUT_EXPLAIN_TEXT, text, sizeof text);
  assert_non_null(strstr(text, "from f32[2,3]{1,0}, byte strides -40,8, from byte 52 on\n"
                               "to   f32[2,3]{1,0}\n"));
  relayout_plan_explain(plan, RELAYOUT_EXPLAIN_JSON, text, sizeof text);
  assert_non_null(strstr(text, "{\"from\":\"f32[2,3]{1,0}\",\"from_byte_strides\":[-40,8],"
                               "\"from_byte_offset\":52,\"to\":\"f32[2,3]{1,0}\",\"device\""));
  relayout_plan_destroy(plan);
}

/* Programs of 0.1 had strides among the options. */
static void test_former_strides(void **state) {
  static const int64_t backwards[] = {-1};
  const relayout_shape shape = shape_of("u8[4]");
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.former_source_byte_strides = backwards;
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(*state, &shape, &shape, &options, &plan, NULL),
                   RELAYOUT_OK);
  char moved[5] = "";
  assert_int_equal(relayout_plan_execute(plan, (const char *)"abcd" + 3, moved, NULL), RELAYOUT_OK);
  assert_string_equal(moved, "dcba");
  relayout_plan_destroy(plan);
  plan = NULL;
  const relayout_view view = view_of(&shape, NULL);
  relayout_error error;
  assert_int_equal(relayout_plan_create_between(*state, &view, &view, &options, &plan, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "former_source_byte_strides"));
  options.former_source_byte_strides = NULL;
  options.former_destination_byte_strides = backwards;
  assert_int_equal(relayout_plan_create_between(*state, &view, &view, &options, &plan, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "former_destination_byte_strides"));
  assert_null(plan);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pointers_are_those_of_whole_tensors),
      cmocka_unit_test(test_overlaps_are_those_of_what_is_taken),
      cmocka_unit_test(test_other_offsets_are_other_plans),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_bytes_of_views),
      cmocka_unit_test(test_explained),
      cmocka_unit_test(test_former_strides),
  };
  return cmocka_run_group_tests(tests, open_cpu, close_cpu);
}
