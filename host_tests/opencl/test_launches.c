/* test_launches.c: relayouts of many sizes by one kernel, several under way at once.
 *
 * PoCL before 6.0 ends the process with an assertion where launches that are wider and wider run
 * side by side, unless the library launches such that no driver sees different widths.
 */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>

#include "opencl/bench.h"
#include "shape_of.h"

enum { COLUMNS = 256, SMALLEST = 640, STEP = 512, ROUNDS = 24, AT_ONCE = 3 };

static uint32_t element(int64_t row, int64_t column) {
  return (uint32_t)(row * COLUMNS + column) * UINT32_C(2654435761);
}

/* A transposition under way. */
typedef struct move {
  int64_t rows;
  relayout_plan *plan;
  cl_mem source;
  cl_mem destination;
} move;

static size_t size_of(int64_t rows) {
  return (size_t)rows * COLUMNS * sizeof(uint32_t);
}

static move start(const opencl_bench *bench, cl_command_queue queue, const uint32_t *elements,
                  int64_t rows, cl_event gate) {
  char text[64];
  move made = {.rows = rows};
  snprintf(text, sizeof text, "u32[%d,%d]", (int)rows, COLUMNS);
  const relayout_shape from = shape_of(text);
  snprintf(text, sizeof text, "u32[%d,%d]{0,1}", (int)rows, COLUMNS);
  const relayout_shape to = shape_of(text);
  relayout_error error = {0};
  if (relayout_plan_create(bench->device, &from, &to, NULL, &made.plan, &error) != RELAYOUT_OK) {
    fail_msg("%s: %s", text, error.message);
  }
  made.source = opencl_buffer(bench, size_of(rows), elements);
  made.destination = clCreateBuffer(bench->context, CL_MEM_READ_WRITE, size_of(rows), NULL, NULL);
  assert_non_null(made.destination);
  if (relayout_plan_enqueue(made.plan, queue, made.source, 0, made.destination, 0, 1, &gate, NULL,
                            &error) != RELAYOUT_OK) {
    fail_msg("%s: %s", text, error.message);
  }
  return made;
}

static void finish(const opencl_bench *bench, const move *made, uint32_t *room) {
  opencl_read(bench, made->destination, size_of(made->rows), room);
  for (int64_t c = 0; c < COLUMNS; ++c) {
    for (int64_t r = 0; r < made->rows; ++r) {
      if (room[c * made->rows + r] != element(r, c)) {
        fail_msg("%d rows: wrong element at %d,%d", (int)made->rows, (int)r, (int)c);
      }
    }
  }
  clReleaseMemObject(made->source);
  clReleaseMemObject(made->destination);
  relayout_plan_destroy(made->plan);
}

/* All wait for one event, so that they start together; the last is the widest yet. Drivers may
 * start them in either order. */
static void run_round(const opencl_bench *bench, cl_command_queue queue, int round,
                      const uint32_t *elements, uint32_t *room) {
  move moves[AT_ONCE];
  const cl_event gate = clCreateUserEvent(bench->context, NULL);
  assert_non_null(gate);
  const int64_t rows = SMALLEST + (int64_t)round * 2 * STEP;
  for (int i = 0; i < AT_ONCE; ++i) {
    const bool is_widest = i == (round % 2 == 0 ? AT_ONCE - 1 : 0);
    moves[i] = start(bench, queue, elements, is_widest ? rows + STEP : rows, gate);
  }
  assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  assert_int_equal(clFinish(queue), CL_SUCCESS);
  clReleaseEvent(gate);
  for (int i = 0; i < AT_ONCE; ++i) {
    finish(bench, &moves[i], room);
  }
}

static void test_wider_and_wider(void **state) {
  const opencl_bench *const bench = *state;
  cl_int code = CL_SUCCESS;
  const cl_command_queue queue = clCreateCommandQueue(
      bench->context, bench->id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  if (code == CL_INVALID_QUEUE_PROPERTIES) {
    skip();
  }
  assert_int_equal(code, CL_SUCCESS);
  const int64_t most = SMALLEST + (2 * ROUNDS + 1) * (int64_t)STEP;
  uint32_t *const elements = malloc(size_of(most));
  uint32_t *const room = malloc(size_of(most));
  assert_true(elements != NULL && room != NULL);
  for (int64_t i = 0; i < most * COLUMNS; ++i) {
    elements[i] = element(i / COLUMNS, i % COLUMNS);
  }
  for (int round = 0; round < ROUNDS; ++round) {
    run_round(bench, queue, round, elements, room);
  }
  free(elements);
  free(room);
  clReleaseCommandQueue(queue);
}

static int run(opencl_bench *bench) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_wider_and_wider, bench),
  };
  return cmocka_run_group_tests_name("launches", tests, NULL, NULL);
}

int main(void) {
  return opencl_on_each_device_with(RELAYOUT_KERNELS_WORK_GROUP, run);
}
