/* Functions that write text like snprintf: any capacity, and not a byte more. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "relayout/relayout.h"
#include "shape_of.h"

/* What there is to write, with the arguments of all writers. */
typedef struct subject {
  relayout_shape shape;
  relayout_scaled_view scaled;
  relayout_device *device;
  relayout_plan *plan;
} subject;

typedef size_t writer(const subject *of, char *buffer, size_t capacity);

static size_t write_shape(const subject *of, char *buffer, size_t capacity) {
  return relayout_shape_format(&of->shape, buffer, capacity);
}

static size_t write_layout(const subject *of, char *buffer, size_t capacity) {
  return relayout_layout_format(&of->shape.layout, of->shape.element_type, buffer, capacity);
}

static size_t write_scaled_view(const subject *of, char *buffer, size_t capacity) {
  return relayout_scaled_view_format(&of->scaled, buffer, capacity);
}

static size_t write_explanation(const subject *of, char *buffer, size_t capacity) {
  return relayout_plan_explain(of->plan, RELAYOUT_EXPLAIN_TEXT, buffer, capacity);
}

static size_t write_explanation_for_programs(const subject *of, char *buffer, size_t capacity) {
  return relayout_plan_explain(of->plan, RELAYOUT_EXPLAIN_JSON, buffer, capacity);
}

static size_t write_explanation_with_schedules(const subject *of, char *buffer, size_t capacity) {
  return relayout_plan_explain(of->plan, RELAYOUT_EXPLAIN_SCHEDULES_TEXT, buffer, capacity);
}

static size_t write_all_for_programs(const subject *of, char *buffer, size_t capacity) {
  return relayout_plan_explain(of->plan, RELAYOUT_EXPLAIN_SCHEDULES_JSON, buffer, capacity);
}

static size_t write_schedule(const subject *of, char *buffer, size_t capacity) {
  return relayout_plan_get_schedule(of->plan, 0, RELAYOUT_SCHEDULE_ALIGNED, buffer, capacity);
}

static size_t write_schedule_at_any_offset(const subject *of, char *buffer, size_t capacity) {
  return relayout_plan_get_schedule(of->plan, 0, RELAYOUT_SCHEDULE_AT_ANY_OFFSET, buffer, capacity);
}

static size_t write_wisdom(const subject *of, char *buffer, size_t capacity) {
  return relayout_device_export_wisdom(of->device, buffer, capacity);
}

/* The next capacity to try: one more near both ends of the text. Between them long texts, each of
 * which takes long to write, are cut at every seventh byte. */
static size_t next_capacity(size_t capacity, size_t length) {
  enum { END = 500, STEP = 7 };
  return capacity + (capacity < END || capacity + END + STEP > length ? 1 : STEP);
}

/* Capacities from none to more than enough, in a buffer whose other bytes are watched. */
static void check_capacities(const subject *of, writer *write) {
  const size_t length = write(of, NULL, 0);
  assert_true(length > 0);
  char *const whole = malloc(length + 1);
  char *const buffer = malloc(length + 8);
  assert_non_null(whole);
  assert_non_null(buffer);
  assert_int_equal(write(of, whole, length + 1), length);
  assert_int_equal(strlen(whole), length);
  for (size_t capacity = 0; capacity <= length + 4; capacity = next_capacity(capacity, length)) {
    memset(buffer, '#', length + 8);
    assert_int_equal(write(of, buffer, capacity), length);
    const size_t written = capacity == 0 ? 0 : capacity <= length ? capacity : length + 1;
    if (written > 0) {
      assert_memory_equal(buffer, whole, written - 1);
      assert_int_equal(buffer[written - 1], '\0');
    }
    for (size_t i = capacity; i < length + 8; ++i) {
      assert_int_equal(buffer[i], '#');
    }
  }
  free(whole);
  free(buffer);
}

static int set_up(void **state) {
  static subject made;
  made.shape = shape_of("bf16[20,30]{0,1:PD(20,40)PV(-1.5)T(8,16)(2,1)L(4)S(1)}");
  const relayout_shape from = shape_of("f32[20,30]");
  static const char scaled[] = "(u4[8,64]{0,1:E(4)}-u4[8,2])*f16[8,2]per[1,40]";
  *state = &made;
  return relayout_scaled_view_parse(scaled, &made.scaled, NULL) == RELAYOUT_OK &&
                 relayout_device_open("cpu", &made.device, NULL) == RELAYOUT_OK &&
                 relayout_plan_create(made.device, &from, &made.shape, NULL, &made.plan, NULL) ==
                     RELAYOUT_OK
             ? 0
             : -1;
}

static int tear_down(void **state) {
  subject *const made = *state;
  relayout_plan_destroy(made->plan);
  relayout_device_destroy(made->device);
  return 0;
}

static void test_shapes_fit_any_buffer(void **state) {
  check_capacities(*state, write_shape);
}

static void test_layouts_fit_any_buffer(void **state) {
  check_capacities(*state, write_layout);
}

static void test_scaled_views_fit_any_buffer(void **state) {
  check_capacities(*state, write_scaled_view);
}

static void test_explanations_fit_any_buffer(void **state) {
  check_capacities(*state, write_explanation);
  check_capacities(*state, write_explanation_for_programs);
  check_capacities(*state, write_explanation_with_schedules);
  check_capacities(*state, write_all_for_programs);
}

static void test_schedules_fit_any_buffer(void **state) {
  check_capacities(*state, write_schedule);
  check_capacities(*state, write_schedule_at_any_offset);
}

static void test_wisdom_fits_any_buffer(void **state) {
  check_capacities(*state, write_wisdom);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shapes_fit_any_buffer),
      cmocka_unit_test(test_layouts_fit_any_buffer),
      cmocka_unit_test(test_scaled_views_fit_any_buffer),
      cmocka_unit_test(test_explanations_fit_any_buffer),
      cmocka_unit_test(test_schedules_fit_any_buffer),
      cmocka_unit_test(test_wisdom_fits_any_buffer),
  };
  return cmocka_run_group_tests_name("contracts.texts", tests, set_up, tear_down);
}
