/* moves.c: problems moved on an OpenCL device and compared with their definition. */
#include "opencl/moves.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "cmocka_all.h"
#include "plan/plan.h"
#include "problem/definition.h"
#include "problem/drawn_schedule.h"
#include "schedule/schedule_text.h"
#include "search/method.h"

/* Bytes kept on both sides of the destination. The source's buffer ends with it, so that
 * Oclgrind sees a read behind it. */
enum { MARGIN = 64 };

static uint8_t *random_bytes(size_t size, uint64_t *seed) {
  uint8_t *const bytes = malloc(size + 1);
  assert_non_null(bytes);
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = (uint8_t)definition_random(seed, 256);
  }
  return bytes;
}

static relayout_status create(const opencl_bench *bench, const rlt_problem *problem,
                              const char *method, const char *schedule, relayout_plan **plan,
                              relayout_error *error) {
  rlt_plan_request request;
  rlt_plan_request_clear(&request);
  request.specialize = bench->specializes;
  if (method != NULL) {
    request.method = rlt_method_named(method, strlen(method));
    assert_non_null(request.method);
  }
  const rlt_texts texts = {schedule == NULL ? 0 : 1, &schedule};
  return rlt_plan_create_for_problem(bench->device, problem, &request, texts, plan, error);
}

/* NULL where the method offers nothing. `schedule` NULL: the plan chooses. */
static relayout_plan *make_plan(const opencl_bench *bench, const rlt_problem *problem,
                                const char *method, const char *schedule) {
  relayout_plan *plan = NULL;
  relayout_error error = {0};
  const relayout_status status = create(bench, problem, method, schedule, &plan, &error);
  if (status == RELAYOUT_UNSUPPORTED && method != NULL) {
    return NULL;
  }
  if (status != RELAYOUT_OK) {
    definition_print(problem);
    fail_msg("%s: %s: %s", bench->label, schedule == NULL ? "any schedule" : schedule,
             error.message);
  }
  return plan;
}

static void compare(const opencl_bench *bench, const rlt_problem *problem,
                    const relayout_plan *plan, const uint8_t *found, const uint8_t *expected,
                    size_t size, const char *what) {
  for (size_t i = 0; i < size; ++i) {
    if (found[i] != expected[i]) {
      char text[2048];
      relayout_plan_explain(plan, RELAYOUT_EXPLAIN_TEXT, text, sizeof text);
      definition_print(problem);
      fail_msg("%s: %s: byte %zu of the destination's buffer is 0x%02x, not 0x%02x\n%s",
               bench->label, what, i, found[i], expected[i], text);
    }
  }
}

/* Enqueues a plan on buffers of random bytes and holds the result against the definition. */
static void move(const opencl_bench *bench, const rlt_problem *problem, const relayout_plan *plan,
                 move_offsets offsets, uint64_t seed, const char *what) {
  const int64_t destination_word = rlt_problem_destination_bytes(problem);
  /* Where nothing is read there are no words but the destination's. */
  const int64_t source_word =
      rlt_problem_is_fill(problem) ? destination_word : problem->element_bytes;
  const size_t source_offset = (size_t)(offsets.source * source_word);
  const size_t destination_offset = MARGIN + (size_t)(offsets.destination * destination_word);
  const size_t source_size = source_offset + relayout_plan_source_size(plan);
  const size_t size = destination_offset + relayout_plan_destination_size(plan) + MARGIN;
  uint8_t *const source = random_bytes(source_size, &seed);
  uint8_t *const expected = random_bytes(size, &seed);
  uint8_t *const found = malloc(size);
  assert_non_null(found);

  const cl_mem source_buffer = opencl_buffer(bench, source_size, source);
  const cl_mem destination_buffer = opencl_buffer(bench, size, expected);
  relayout_error error = {0};
  if (relayout_plan_enqueue(plan, bench->queue, source_buffer, source_offset, destination_buffer,
                            destination_offset, 0, NULL, NULL, &error) != RELAYOUT_OK) {
    definition_print(problem);
    fail_msg("%s: %s: %s", bench->label, what, error.message);
  }
  opencl_read(bench, destination_buffer, size, found);
  definition_relayout(problem, source + source_offset, expected + destination_offset);
  compare(bench, problem, plan, found, expected, size, what);

  clReleaseMemObject(source_buffer);
  clReleaseMemObject(destination_buffer);
  free(source);
  free(expected);
  free(found);
}

bool moves_as_defined(const opencl_bench *bench, const rlt_problem *problem, const char *method,
                      move_offsets offsets, uint64_t seed, const char *what) {
  relayout_plan *const plan = make_plan(bench, problem, method, NULL);
  if (plan == NULL) {
    return false;
  }
  move(bench, problem, plan, offsets, seed, what);
  relayout_plan_destroy(plan);
  return true;
}

/* ---- Every schedule ---- */

typedef struct moving {
  const opencl_bench *bench;
  const rlt_problem *problem;
  const move_offsets *offsets;
  size_t count;
  uint64_t seed;
  const char *what;
} moving;

/* The next place, in elements of so many bytes, that lies at a multiple of `alignment` bytes. */
static int64_t aligned(int64_t offset, int64_t bytes, int64_t alignment) {
  return alignment <= bytes ? offset : rlt_divide_up(offset * bytes, alignment) * alignment / bytes;
}

/* Moves by the plan's only schedule, and drops the plan. */
static void move_by_plan(const moving *of, relayout_plan *plan) {
  int64_t source = 1;
  int64_t destination = 1;
  char text[RLT_SCHEDULE_TEXT_SIZE];
  relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, text, sizeof text);
  assert_int_equal(
      sscanf(strstr(text, " align="), " align=%" SCNd64 ":%" SCNd64, &source, &destination), 2);
  for (size_t i = 0; i < of->count; ++i) {
    const move_offsets offsets = {
        aligned(of->offsets[i].source, of->problem->element_bytes, source),
        aligned(of->offsets[i].destination, rlt_problem_destination_bytes(of->problem),
                destination)};
    move(of->bench, of->problem, plan, offsets, of->seed, of->what);
  }
  relayout_plan_destroy(plan);
}

static void move_by_schedule(void *context, const relayout_schedule_info *info) {
  const moving *const of = context;
  move_by_plan(of, make_plan(of->bench, of->problem, NULL, info->text));
}

void schedules_move_as_defined(const opencl_bench *bench, const rlt_problem *problem,
                               const move_offsets *offsets, size_t count, uint64_t seed,
                               const char *what) {
  moving of = {bench, problem, offsets, count, seed, what};
  relayout_plan *const plan = make_plan(bench, problem, NULL, NULL);
  relayout_error error = {0};
  if (relayout_plan_part_count(plan) > 0 &&
      relayout_plan_visit_schedules(plan, 0, move_by_schedule, &of, &error) != RELAYOUT_OK) {
    fail_msg("%s: %s: %s", bench->label, what, error.message);
  }
  relayout_plan_destroy(plan);
}

/* ---- Schedules that no method offers ---- */

void drawn_schedules_move_as_defined(const opencl_bench *bench, const rlt_problem *problem,
                                     const move_offsets *offsets, size_t offset_count, int draws,
                                     uint64_t seed, const char *what, drawn_count *count) {
  const moving of = {bench, problem, offsets, offset_count, seed, what};
  relayout_plan *const plan = make_plan(bench, problem, NULL, NULL);
  rlt_candidates candidates = {.count = 0};
  if (relayout_plan_part_count(plan) > 0) {
    assert_int_equal(rlt_plan_candidates(plan, 0, &candidates, NULL), RELAYOUT_OK);
  }
  for (int i = 0; i < draws && candidates.count > 0; ++i) {
    char text[RLT_SCHEDULE_TEXT_SIZE];
    rlt_text made = rlt_text_in(text, sizeof text);
    drawn_schedule(&candidates.of[definition_random(&seed, candidates.count)].schedule, &seed,
                   &made);
    relayout_plan *drawn = NULL;
    relayout_error error = {0};
    const relayout_status status = create(bench, problem, NULL, text, &drawn, &error);
    count->drawn += 1;
    if (status == RELAYOUT_OK) {
      move_by_plan(&of, drawn);
    } else if (status == RELAYOUT_UNSUPPORTED) {
      count->refused += 1;
    } else {
      fail_msg("%s: %s: %s: %s", bench->label, what, text, error.message);
    }
  }
  rlt_candidates_free(&candidates);
  relayout_plan_destroy(plan);
}

/* ---- Host memory ---- */

void executes_as_defined(const opencl_bench *bench, const rlt_problem *problem, uint64_t seed,
                         const char *what) {
  relayout_plan *const plan = make_plan(bench, problem, NULL, NULL);
  const size_t size = MARGIN + 1 + relayout_plan_destination_size(plan) + MARGIN;
  uint8_t *const source = random_bytes(1 + relayout_plan_source_size(plan), &seed);
  uint8_t *const expected = random_bytes(size, &seed);
  uint8_t *const found = malloc(size);
  assert_non_null(found);
  memcpy(found, expected, size);

  relayout_error error = {0};
  if (relayout_plan_execute(plan, source + 1, found + MARGIN + 1, &error) != RELAYOUT_OK) {
    definition_print(problem);
    fail_msg("%s: %s: %s", bench->label, what, error.message);
  }
  definition_relayout(problem, source + 1, expected + MARGIN + 1);
  compare(bench, problem, plan, found, expected, size, what);

  free(source);
  free(expected);
  free(found);
  relayout_plan_destroy(plan);
}
