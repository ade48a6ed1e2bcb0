#include "opencl/moves.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "plan/plan.h"
#include "problem/definition.h"

/* Bytes kept on both sides of the destination. The source's buffer ends with it, so that Oclgrind sees
 * a read behind it. */
enum { MARGIN = 64 };

static uint8_t *random_bytes(size_t size, uint64_t *seed) {
  uint8_t *const bytes = malloc(size + 1);
  assert_non_null(bytes);
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = (uint8_t)definition_random(seed, 256);
  }
  return bytes;
}

static bool make_plan(const opencl_bench *bench, const rlt_problem *problem,
                      relayout_strategy wanted, relayout_plan **plan) {
  relayout_error error = {0};
  const relayout_status status =
      rlt_plan_create_for_problem(bench->device, problem, wanted, plan, &error);
  if (status == RELAYOUT_UNSUPPORTED && wanted != RELAYOUT_STRATEGY_AUTO) {
    return false;
  }
  if (status != RELAYOUT_OK) {
    definition_print(problem);
    fail_msg("%s: %s", bench->label, error.message);
  }
  return true;
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
  const size_t source_offset = (size_t)(offsets.source * problem->element_bytes);
  const size_t destination_offset =
      MARGIN + (size_t)(offsets.destination * rlt_problem_destination_bytes(problem));
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

bool moves_as_defined(const opencl_bench *bench, const rlt_problem *problem,
                      relayout_strategy wanted, move_offsets offsets, uint64_t seed,
                      const char *what) {
  relayout_plan *plan = NULL;
  if (!make_plan(bench, problem, wanted, &plan)) {
    return false;
  }
  move(bench, problem, plan, offsets, seed, what);
  relayout_plan_destroy(plan);
  return true;
}

void candidates_move_as_defined(const opencl_bench *bench, const rlt_problem *problem,
                                move_offsets offsets, uint64_t seed, const char *what) {
  relayout_plan *plan = NULL;
  make_plan(bench, problem, RELAYOUT_STRATEGY_AUTO, &plan);
  const rlt_backend *const backend = bench->device->backend;
  rlt_part *const part = plan->work.parts;
  for (int32_t i = 0; part != NULL && i < part->candidates.count; ++i) {
    relayout_error error = {0};
    backend->program_destroy(bench->device, part->program);
    part->program = NULL;
    part->chosen = i;
    part->strategy = part->candidates.of[i].strategy;
    if (backend->program_create(bench->device, &part->problem, &part->strategy, &part->program,
                                &error) != RELAYOUT_OK) {
      definition_print(problem);
      fail_msg("%s: %s: candidate %d: %s", bench->label, what, (int)i, error.message);
    }
    move(bench, problem, plan, offsets, seed, what);
  }
  relayout_plan_destroy(plan);
}

bool executes_as_defined(const opencl_bench *bench, const rlt_problem *problem,
                         relayout_strategy wanted, uint64_t seed, const char *what) {
  relayout_plan *plan = NULL;
  if (!make_plan(bench, problem, wanted, &plan)) {
    return false;
  }
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
  return true;
}
