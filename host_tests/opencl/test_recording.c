/* test_recording.c: relayouts in command buffers, alone and among others, run again with other
 * bytes and other buffers, compared with the CPU backend; and what is refused. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/bench.h"
#include "opencl/told_extensions.h"
#include "relayout/recording.h"
#include "relayout/relayout.h"
#include "shape_of.h"

/* ---- Moves ---- */

enum { GUARD = 64, GUARD_BYTE = 0xf9 };

typedef struct move {
  const char *from;
  const char *to;
} move;

static const move moves[] = {
    {"f32[40,72]{1,0}", "f32[40,72]{0,1}"},              /* transpose */
    {"f32[8,300]{1,0}", "f32[8,300]{1,0:T(8,128)}"},     /* tiles, in two parts */
    {"f32[8,300]{1,0:T(8,128)}", "f32[8,300]{1,0}"},     /* and back */
    {"f32[20,30]{1,0}", "f32[20,30]{1,0:PD(24,40)}"},    /* padding */
    {"f32[20,30]{1,0:PD(24,40)}", "f32[20,30]{1,0}"},    /* without it */
    {"u8[24,20,3]{2,1,0}", "u8[24,20,3]{1,0,2}"},        /* channels parted */
    {"u8[24,20,3]{1,0,2}", "u8[24,20,3]{2,1,0}"},        /* and joined */
    {"f32[64]{0}", "f32[64]{0}"},                        /* a copy */
    {"f32[0]{0}", "f32[0]{0:PD(50)PV(one)}"},            /* nothing but padding */
    {"u8[24,40]{1,0:T(6,10)}", "u8[24,40]{1,0:T(4,7)}"}, /* an index program */
    {"u8[40,64]{1,0}", "bf16[40,64]{1,0}"},              /* converted, with a scale */
    {"s4[64,32]{1,0}", "s4[64,32]{1,0:E(4)}"},           /* packed */
};

enum { MOVES = sizeof moves / sizeof moves[0], TRANSPOSED = 0, TILED = 1, CONVERTED = 10 };

/* A plan with its sides' buffers, guards before and behind. */
typedef struct scene {
  const opencl_bench *bench;
  relayout_plan *plan;
  relayout_plan *reference; /* the CPU backend's */
  size_t sizes[2];
  unsigned char *source;
  unsigned char *expected;
} scene;

static relayout_plan *plan_on(relayout_device *device, const move *of, int32_t for_batches,
                              int32_t specialize) {
  const relayout_shape from = shape_of(of->from);
  const relayout_shape to = shape_of(of->to);
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.scale = of == &moves[CONVERTED] ? 3 : 1;
  options.for_batches = for_batches;
  options.specialize = specialize;
  relayout_plan *plan = NULL;
  relayout_error error = {0};
  if (relayout_plan_create(device, &from, &to, &options, &plan, &error) != RELAYOUT_OK) {
    fail_msg("%s -> %s: %s", of->from, of->to, error.message);
  }
  return plan;
}

static scene scene_of(const opencl_bench *bench, const move *of) {
  scene made = {.bench = bench, .plan = plan_on(bench->device, of, 0, 0)};
  relayout_device *cpu = NULL;
  assert_int_equal(relayout_device_open("cpu", &cpu, NULL), RELAYOUT_OK);
  made.reference = plan_on(cpu, of, 0, 0);
  relayout_device_destroy(cpu);
  made.sizes[0] = relayout_plan_source_size(made.plan);
  made.sizes[1] = relayout_plan_destination_size(made.plan);
  made.source = malloc(made.sizes[0] + 1);
  made.expected = malloc(made.sizes[1] + 1);
  assert_true(made.source != NULL && made.expected != NULL);
  return made;
}

static void leave(scene *at) {
  free(at->source);
  free(at->expected);
  relayout_plan_destroy(at->plan);
  relayout_plan_destroy(at->reference);
}

typedef struct sides {
  cl_mem source;
  cl_mem destination;
} sides;

static cl_mem guarded(const scene *at, size_t size) {
  unsigned char *const bytes = malloc(size + 2 * GUARD);
  assert_non_null(bytes);
  memset(bytes, GUARD_BYTE, size + 2 * GUARD);
  const cl_mem made = opencl_buffer(at->bench, size + 2 * GUARD, bytes);
  free(bytes);
  return made;
}

static sides sides_of(const scene *at) {
  return (sides){guarded(at, at->sizes[0]), guarded(at, at->sizes[1])};
}

static void release(sides used) {
  clReleaseMemObject(used.source);
  clReleaseMemObject(used.destination);
}

/* New bytes in the source, of values that nothing else has; the destination is poisoned. */
static void fill(scene *at, sides on, unsigned seed) {
  for (size_t i = 0; i < at->sizes[0]; ++i) {
    at->source[i] = (unsigned char)((i * 31 + i / 7 + seed) % 8);
  }
  assert_int_equal(relayout_plan_execute(at->reference, at->source, at->expected, NULL),
                   RELAYOUT_OK);
  unsigned char *const poison = malloc(at->sizes[1] + 2 * GUARD);
  assert_non_null(poison);
  memset(poison, GUARD_BYTE, at->sizes[1] + 2 * GUARD);
  const cl_command_queue queue = at->bench->queue;
  assert_int_equal(clEnqueueWriteBuffer(queue, on.destination, CL_TRUE, 0, at->sizes[1] + 2 * GUARD,
                                        poison, 0, NULL, NULL),
                   CL_SUCCESS);
  if (at->sizes[0] > 0) {
    assert_int_equal(clEnqueueWriteBuffer(queue, on.source, CL_TRUE, GUARD, at->sizes[0],
                                          at->source, 0, NULL, NULL),
                     CL_SUCCESS);
  }
  free(poison);
}

static void expect_moved(const scene *at, sides on) {
  const size_t size = at->sizes[1] + 2 * GUARD;
  unsigned char *const found = malloc(size);
  assert_non_null(found);
  assert_int_equal(clFinish(at->bench->queue), CL_SUCCESS);
  opencl_read(at->bench, on.destination, size, found);
  assert_memory_equal(found + GUARD, at->expected, at->sizes[1]);
  for (size_t i = 0; i < GUARD; ++i) {
    assert_int_equal(found[i], GUARD_BYTE);
    assert_int_equal(found[GUARD + at->sizes[1] + i], GUARD_BYTE);
  }
  free(found);
}

static relayout_recording *recording_of(const scene *at, sides on) {
  relayout_recording *made = NULL;
  relayout_error error = {0};
  if (relayout_recording_create(at->plan, at->bench->queue, on.source, GUARD, on.destination, GUARD,
                                &made, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  return made;
}

static void run_recording(relayout_recording *recording) {
  relayout_error error = {0};
  cl_event done = NULL;
  if (relayout_recording_enqueue(recording, 0, NULL, &done, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
  clReleaseEvent(done);
}

/* Kernels for GPUs take long to compile here: two of them stand for all. */
static size_t move_count(const opencl_bench *bench) {
  return bench->family == RELAYOUT_KERNELS_STAGED ? 2 : MOVES;
}

/* ---- Tests ---- */

/* Twice, of other bytes the second time, when the plan's own hold is gone. */
static void test_alone(void **state) {
  const opencl_bench *const bench = *state;
  for (size_t i = 0; i < move_count(bench); ++i) {
    scene at = scene_of(bench, &moves[i]);
    const sides on = sides_of(&at);
    relayout_recording *const recording = recording_of(&at, on);
    fill(&at, on, 1);
    run_recording(recording);
    expect_moved(&at, on);
    relayout_plan_destroy(at.plan);
    at.plan = NULL;
    fill(&at, on, 2);
    run_recording(recording);
    expect_moved(&at, on);
    relayout_recording_destroy(recording);
    release(on);
    leave(&at);
  }
}

/* Sides of one plan: an enqueue and another recording leave a recording's arguments as they are. */
static void test_recordings_of_one_plan(void **state) {
  scene at = scene_of(*state, &moves[TILED]);
  const sides on[] = {sides_of(&at), sides_of(&at), sides_of(&at)};
  relayout_recording *const first = recording_of(&at, on[0]);
  relayout_recording *const second = recording_of(&at, on[1]);
  fill(&at, on[2], 3);
  assert_int_equal(relayout_plan_enqueue(at.plan, at.bench->queue, on[2].source, GUARD,
                                         on[2].destination, GUARD, 0, NULL, NULL, NULL),
                   RELAYOUT_OK);
  expect_moved(&at, on[2]);
  fill(&at, on[1], 4);
  run_recording(second);
  expect_moved(&at, on[1]);
  fill(&at, on[0], 5);
  run_recording(first);
  expect_moved(&at, on[0]);
  relayout_recording_destroy(first);
  fill(&at, on[1], 6);
  run_recording(second);
  expect_moved(&at, on[1]);
  relayout_recording_destroy(second);
  for (int i = 0; i < 3; ++i) {
    release(on[i]);
  }
  leave(&at);
}

/* A plan that also moves batches has kernels that take 32 places; a specialised one's take no grid.
 */
static void test_plan_for_batches(void **state) {
  for (int way = 1; way < 4; ++way) {
    scene at = scene_of(*state, &moves[TRANSPOSED]);
    relayout_plan_destroy(at.plan);
    at.plan = plan_on(at.bench->device, &moves[TRANSPOSED], way & 1, way >> 1);
    const sides on = sides_of(&at);
    relayout_recording *const recording = recording_of(&at, on);
    fill(&at, on, 7);
    run_recording(recording);
    expect_moved(&at, on);
    relayout_recording_destroy(recording);
    release(on);
    leave(&at);
  }
}

static cl_command_buffer_khr command_buffer_of(const opencl_bench *bench,
                                               const rlt_property *properties) {
  cl_int code = CL_SUCCESS;
  const cl_command_buffer_khr made = real.create(1, &bench->queue, properties, &code);
  assert_int_equal(code, CL_SUCCESS);
  return made;
}

/* Forth and back, chained by sync points: what arrives is what was sent. Both ends are the
 * relayouts' of two parts. */
static void test_among_others(void **state) {
  const opencl_bench *const bench = *state;
  scene forth = scene_of(bench, &moves[TILED]);
  scene back = scene_of(bench, &moves[TILED + 1]);
  const sides on = sides_of(&forth);
  const cl_mem returned = guarded(&forth, forth.sizes[0]);
  const cl_command_buffer_khr commands = command_buffer_of(bench, NULL);
  relayout_recording *recordings[2] = {NULL, NULL};
  cl_sync_point_khr there = 0;
  cl_sync_point_khr back_again = 0;
  assert_int_equal(relayout_plan_record(forth.plan, commands, bench->queue, on.source, GUARD,
                                        on.destination, GUARD, 0, NULL, &there, &recordings[0],
                                        NULL),
                   RELAYOUT_OK);
  assert_int_equal(relayout_plan_record(back.plan, commands, bench->queue, on.destination, GUARD,
                                        returned, GUARD, 1, &there, &back_again, &recordings[1],
                                        NULL),
                   RELAYOUT_OK);
  assert_int_not_equal(there, back_again);
  assert_int_equal(rlt_command_buffers_barrier(&real, commands, 1, &back_again, NULL), CL_SUCCESS);
  assert_int_equal(real.finalize(commands), CL_SUCCESS);
  for (unsigned run = 0; run < 2; ++run) {
    fill(&forth, on, 8 + run);
    assert_int_equal(real.enqueue(0, NULL, commands, 0, NULL, NULL), CL_SUCCESS);
    expect_moved(&forth, on);
    memcpy(back.expected, forth.source, forth.sizes[0]);
    expect_moved(&back, (sides){NULL, returned});
  }
  real.release(commands);
  relayout_recording_destroy(recordings[0]);
  relayout_recording_destroy(recordings[1]);
  clReleaseMemObject(returned);
  release(on);
  leave(&forth);
  leave(&back);
}

static void test_nothing_to_move(void **state) {
  const opencl_bench *const bench = *state;
  const move nothing = {"f32[0,3]{1,0}", "f32[0,3]{0,1}"};
  relayout_plan *const plan = plan_on(bench->device, &nothing, 0, 0);
  const cl_command_buffer_khr commands = command_buffer_of(bench, NULL);
  relayout_recording *recordings[2] = {NULL, NULL};
  cl_sync_point_khr points[2] = {0, 0};
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(relayout_plan_record(plan, commands, bench->queue, NULL, 0, NULL, 0,
                                          (cl_uint)i, i == 0 ? NULL : &points[0], &points[i],
                                          &recordings[i], NULL),
                     RELAYOUT_OK);
  }
  assert_int_not_equal(points[0], points[1]);
  assert_int_equal(real.finalize(commands), CL_SUCCESS);
  assert_int_equal(real.enqueue(0, NULL, commands, 0, NULL, NULL), CL_SUCCESS);
  assert_int_equal(clFinish(bench->queue), CL_SUCCESS);
  real.release(commands);
  relayout_recording_destroy(recordings[0]);
  relayout_recording_destroy(recordings[1]);
  relayout_recording *alone = NULL;
  assert_int_equal(relayout_recording_create(plan, bench->queue, NULL, 0, NULL, 0, &alone, NULL),
                   RELAYOUT_OK);
  run_recording(alone);
  relayout_recording_destroy(alone);
  relayout_plan_destroy(plan);
}

/* Three runs at once, where the device has that; elsewhere the driver refuses the second. */
static void test_runs_at_once(void **state) {
  scene at = scene_of(*state, &moves[TRANSPOSED]);
  const sides on = sides_of(&at);
  relayout_recording *const recording = recording_of(&at, on);
  fill(&at, on, 20);
  for (int i = 0; i < 3; ++i) {
    relayout_error error = {0};
    const relayout_status status = relayout_recording_enqueue(recording, 0, NULL, NULL, &error);
    if (i == 0 || real.is_simultaneous) {
      assert_int_equal(status, RELAYOUT_OK);
    } else if (status != RELAYOUT_OK) { /* else the last one was done already */
      assert_int_equal(status, RELAYOUT_OPENCL_ERROR);
      assert_int_equal(error.cl_status, CL_INVALID_OPERATION);
    }
  }
  expect_moved(&at, on);
  relayout_recording_destroy(recording);
  release(on);
  leave(&at);
}

/* Nothing begins before the events; what is held twice wants to be dropped twice. */
static void test_events_and_holds(void **state) {
  scene at = scene_of(*state, &moves[TRANSPOSED]);
  const sides on = sides_of(&at);
  relayout_recording *const recording = recording_of(&at, on);
  relayout_recording_retain(recording);
  relayout_recording_destroy(recording);
  relayout_recording_retain(NULL);
  relayout_recording_destroy(NULL);
  cl_int code = CL_SUCCESS;
  const cl_event go = clCreateUserEvent(at.bench->context, &code);
  assert_int_equal(code, CL_SUCCESS);
  fill(&at, on, 10);
  cl_event event = go; /* may be one of those that are waited for */
  assert_int_equal(relayout_recording_enqueue(recording, 1, &event, &event, NULL), RELAYOUT_OK);
  cl_int progress = CL_COMPLETE;
  assert_int_equal(
      clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof progress, &progress, NULL),
      CL_SUCCESS);
  assert_int_not_equal(progress, CL_COMPLETE);
  assert_int_equal(clSetUserEventStatus(go, CL_COMPLETE), CL_SUCCESS);
  assert_int_equal(clWaitForEvents(1, &event), CL_SUCCESS);
  expect_moved(&at, on);
  clReleaseEvent(event);
  clReleaseEvent(go);
  relayout_recording_destroy(recording);
  release(on);
  leave(&at);
}

/* ---- Other buffers ---- */

/* Two parts, other buffers, other offsets; and what is not right changes nothing. */
static void change_buffers(const opencl_bench *bench) {
  scene at = scene_of(bench, &moves[TILED]);
  const sides on[] = {sides_of(&at), sides_of(&at)};
  relayout_recording *const recording = recording_of(&at, on[0]);
  relayout_error error = {0};
  fill(&at, on[0], 11);
  run_recording(recording);
  expect_moved(&at, on[0]);
  assert_int_equal(
      relayout_recording_set_buffers(recording, on[1].source, GUARD, on[1].destination, 3, &error),
      RELAYOUT_MISALIGNED_OFFSET);
  assert_int_equal(relayout_recording_set_buffers(recording, on[1].source, GUARD, on[1].destination,
                                                  8 * GUARD, &error),
                   RELAYOUT_BUFFER_TOO_SMALL);
  fill(&at, on[0], 12);
  run_recording(recording);
  expect_moved(&at, on[0]);
  if (relayout_recording_set_buffers(recording, on[1].source, GUARD, on[1].destination, GUARD,
                                     &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  for (unsigned i = 0; i < 2; ++i) {
    fill(&at, on[1], 13 + i);
    run_recording(recording);
    expect_moved(&at, on[1]);
  }
  relayout_recording_destroy(recording);
  for (int i = 0; i < 2; ++i) {
    release(on[i]);
  }
  leave(&at);
}

/* Four bytes that stay together are moved as one word. The plan has other kernels for odd offsets,
 * the recording has not. */
static void change_alignment(const opencl_bench *bench) {
  const move of = {"u8[32,32,4]{2,1,0}", "u8[32,32,4]{2,0,1}"};
  scene at = scene_of(bench, &of);
  const sides on = sides_of(&at);
  relayout_recording *const recording = recording_of(&at, on);
  relayout_error error = {0};
  assert_int_equal(relayout_recording_set_buffers(recording, on.source, GUARD, on.destination,
                                                  GUARD + 1, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "the recording needs a "));
  assert_non_null(strstr(error.message, "aligned destination; this one is off by 1"));
  relayout_recording_destroy(recording);
  release(on);
  leave(&at);
}

static void test_set_buffers(void **state) {
  const opencl_bench *const bench = *state;
  if (real.update == NULL) {
    scene at = scene_of(bench, &moves[TRANSPOSED]);
    const sides on = sides_of(&at);
    relayout_recording *const recording = recording_of(&at, on);
    relayout_error error = {0};
    assert_int_equal(
        relayout_recording_set_buffers(recording, on.source, GUARD, on.destination, GUARD, &error),
        RELAYOUT_UNSUPPORTED);
    assert_non_null(strstr(error.message, "cl_khr_command_buffer_mutable_dispatch"));
    relayout_recording_destroy(recording);
    release(on);
    leave(&at);
    tell(VERSION(0, 9, 0), VERSION(0, 9, 3));
    has_fake_updates = true;
  }
  change_buffers(bench);
  change_alignment(bench);
  lies = has_fake_updates = false;
}

/* A caller's command buffer is mutable, or not, as the caller made it. */
static void test_callers_flags(void **state) {
  const opencl_bench *const bench = *state;
  scene at = scene_of(bench, &moves[TRANSPOSED]);
  const sides on = sides_of(&at);
  const rlt_property properties[] = {FLAGS_PROPERTY, MUTABLE_FLAG, 0};
  relayout_error error = {0};
  for (int is_mutable = 0; is_mutable <= (real.update != NULL); ++is_mutable) {
    const cl_command_buffer_khr commands = command_buffer_of(bench, is_mutable ? properties : NULL);
    relayout_recording *recording = NULL;
    assert_int_equal(relayout_plan_record(at.plan, commands, bench->queue, on.source, GUARD,
                                          on.destination, GUARD, 0, NULL, NULL, &recording, NULL),
                     RELAYOUT_OK);
    assert_int_equal(real.finalize(commands), CL_SUCCESS);
    assert_int_equal(
        relayout_recording_set_buffers(recording, on.source, GUARD, on.destination, GUARD, &error),
        is_mutable ? RELAYOUT_OK : RELAYOUT_UNSUPPORTED);
    if (!is_mutable && real.update != NULL) {
      assert_non_null(strstr(error.message, "CL_COMMAND_BUFFER_MUTABLE_KHR"));
    }
    real.release(commands);
    relayout_recording_destroy(recording);
  }
  release(on);
  leave(&at);
}

/* ---- Refusals ---- */

static void refuse_to_record(const scene *at, sides on, cl_command_buffer_khr commands,
                             relayout_plan *plan, size_t offset, cl_uint n_wait,
                             relayout_status expected, const char *text) {
  relayout_error error = {0};
  relayout_recording *recording = (relayout_recording *)(uintptr_t)at;
  assert_int_equal(relayout_plan_record(plan, commands, at->bench->queue, on.source, GUARD,
                                        on.destination, offset, n_wait, NULL, NULL, &recording,
                                        &error),
                   expected);
  assert_null(recording);
  if (strstr(error.message, text) == NULL) {
    fail_msg("'%s' does not say '%s'", error.message, text);
  }
}

static void test_refusals(void **state) {
  const opencl_bench *const bench = *state;
  scene at = scene_of(bench, &moves[TRANSPOSED]);
  const sides on = sides_of(&at);
  const cl_command_buffer_khr commands = command_buffer_of(bench, NULL);
  relayout_recording *recording = NULL;
  relayout_error error = {0};
  refuse_to_record(&at, on, commands, NULL, GUARD, 0, RELAYOUT_INVALID_ARGUMENT, "plan is NULL");
  refuse_to_record(&at, on, NULL, at.plan, GUARD, 0, RELAYOUT_INVALID_ARGUMENT,
                   "command_buffer is NULL");
  refuse_to_record(&at, on, commands, at.plan, GUARD, 1, RELAYOUT_INVALID_ARGUMENT,
                   "n_wait is 1, but wait is NULL");
  refuse_to_record(&at, on, commands, at.reference, GUARD, 0, RELAYOUT_INVALID_ARGUMENT,
                   "plan was not made for an OpenCL device");
  refuse_to_record(&at, on, commands, at.plan, 2, 0, RELAYOUT_MISALIGNED_OFFSET,
                   "destination_offset is 2");
  refuse_to_record(&at, on, commands, at.plan, 8 * GUARD, 0, RELAYOUT_BUFFER_TOO_SMALL,
                   "destination has");
  refuse_to_record(&at, (sides){on.source, on.source}, commands, at.plan, GUARD, 0,
                   RELAYOUT_BUFFERS_OVERLAP, "overlap");
  assert_int_equal(relayout_plan_record(at.plan, commands, bench->queue, on.source, GUARD,
                                        on.destination, GUARD, 0, NULL, NULL, NULL, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(relayout_plan_record(at.plan, commands, bench->queue, on.source, GUARD,
                                        on.destination, GUARD, 0, NULL, NULL, &recording, &error),
                   RELAYOUT_OK);
  cl_event event = (cl_event)&at;
  assert_int_equal(relayout_recording_enqueue(recording, 0, NULL, &event, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_null(event);
  assert_non_null(strstr(error.message, "in the caller's own command buffer"));
  assert_int_equal(real.finalize(commands), CL_SUCCESS);
  refuse_to_record(&at, on, commands, at.plan, GUARD, 0, RELAYOUT_INVALID_ARGUMENT,
                   "is not being recorded");
  real.release(commands);
  relayout_recording_destroy(recording);
  release(on);
  leave(&at);
}

/* By what the device tells of its extensions, and a command buffer of itself. */
static void test_what_is_told(void **state) {
  const opencl_bench *const bench = *state;
  scene at = scene_of(bench, &moves[TRANSPOSED]);
  const sides on = sides_of(&at);
  const cl_command_buffer_khr commands = command_buffer_of(bench, NULL);
  tell(0, 0);
  refuse_to_record(&at, on, commands, at.plan, GUARD, 0, RELAYOUT_UNSUPPORTED,
                   "does not have cl_khr_command_buffer");
  const struct {
    cl_uint version;
    const char *text;
  } unknown[] = {{VERSION(0, 8, 7), "cl_khr_command_buffer 0.8.7, which this library does not"},
                 {VERSION(2, 0, 1), "cl_khr_command_buffer 2.0.1, which this library does not"}};
  for (int i = 0; i < 2; ++i) {
    tell(unknown[i].version, 0);
    refuse_to_record(&at, on, commands, at.plan, GUARD, 0, RELAYOUT_UNSUPPORTED, unknown[i].text);
  }
  tell(VERSION(0, 9, 0), VERSION(0, 9, 3));
  has_fake_updates = true;
  fake_queue_count = 2;
  refuse_to_record(&at, on, commands, at.plan, GUARD, 0, RELAYOUT_UNSUPPORTED,
                   "has 2 queues; expected one");
  lies = has_fake_updates = false;
  fake_queue_count = 0;
  real.release(commands);
  release(on);
  leave(&at);
}

/* ---- All of them ---- */

static int with_extension;

static int run(opencl_bench *bench) {
  relayout_error error = {0};
  const relayout_status found =
      rlt_command_buffers_find(rlt_opencl_device_of(bench->device), &real, &error);
  if (found == RELAYOUT_UNSUPPORTED) {
    print_message("skipped: %s\n", error.message);
    return 0;
  }
  ++with_extension;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_alone, bench),
      cmocka_unit_test_prestate(test_recordings_of_one_plan, bench),
      cmocka_unit_test_prestate(test_plan_for_batches, bench),
      cmocka_unit_test_prestate(test_among_others, bench),
      cmocka_unit_test_prestate(test_nothing_to_move, bench),
      cmocka_unit_test_prestate(test_runs_at_once, bench),
      cmocka_unit_test_prestate(test_events_and_holds, bench),
      cmocka_unit_test_prestate(test_set_buffers, bench),
      cmocka_unit_test_prestate(test_callers_flags, bench),
      cmocka_unit_test_prestate(test_refusals, bench),
      cmocka_unit_test_prestate(test_what_is_told, bench),
  };
  if (bench->family == RELAYOUT_KERNELS_STAGED) {
    return cmocka_run_group_tests_name("recording, staged", (const struct CMUnitTest[]){tests[0]},
                                       NULL, NULL);
  }
  return cmocka_run_group_tests_name("recording", tests, NULL, NULL);
}

int main(void) {
  const int result = opencl_on_each_device(run);
  return result == 0 && with_extension == 0 ? OPENCL_NO_DEVICE : result;
}
