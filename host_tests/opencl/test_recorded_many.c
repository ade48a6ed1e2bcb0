/* test_recorded_many.c: plans of several destinations in command buffers, alone and among other
 * commands, run again with other bytes and other buffers, compared with the CPU backend byte by
 * byte; and what is refused. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "opencl/bench.h"
#include "opencl/told_extensions.h"
#include "relayout/recording.h"
#include "relayout/relayout.h"

enum { GUARD = 64, GUARD_BYTE = 0xf9, MOST_TO = 3, MOST_SIDES = MOST_TO + 1, TENSORS = 3 };

typedef struct quantization {
  const char *from;
  const char *to[MOST_TO];
  relayout_scale_rule rule; /* of those with scales */
} quantization;

static const quantization all[] = {
    {"bf16[40,72]", {"bf16[40,72]", "bf16[40,72]{0,1}"}, RELAYOUT_SCALES_GIVEN},
    /* Scales of rows, which a work-group finds alone; and of all boxes together. */
    {"f32[40,128]", {"f8e4m3fn[40,128] * f32[40,1]"}, RELAYOUT_SCALES_AMAX},
    {"f32[300,200]",
     {"s8[300,200] * f32[1,1]", "s8[300,200]{0,1} * f32[1,200]", "f16[300,200]{0,1}"},
     RELAYOUT_SCALES_AMAX},
    /* Both sides by temporary memory: packed elements in tiles, packed elements with padding. */
    {"s4[24,30]{1,0:T(4,7)E(4)}",
     {"s4[24,30]{0,1:PD(26,40)E(4)} * f32[24,1]", "s8[24,30]{1,0:PD(24,33)} * f32[1,1]",
      "f32[24,30]{1,0:PD(24,33)}"},
     RELAYOUT_SCALES_AMAX},
    {"s8[16,32] * f32[16,1]", {"bf16[16,32]{0,1}"}, RELAYOUT_SCALES_GIVEN},
    {"q8_0[8,64]", {"f32[8,64]{0,1}", "q4_0[8,64]"}, RELAYOUT_SCALES_GIVEN},
    {"c128[6,5]", {"c128[6,5]{0,1}", "c128[6,5]"}, RELAYOUT_SCALES_GIVEN}, /* by plans alone */
    /* Tensor scales on all sides, which change with the bytes. */
    {"s8[40,128] * f32[40,1] * f32[]",
     {"f4e2m1fn[40,128]{1,0:E(4)} * f8e4m3fn[40,8] * f32[1,1]",
      "s8[40,128]{0,1} * f32[1,1] * f32[1]"},
     RELAYOUT_SCALES_AMAX},
    {"u8[0,3]", {"u8[0,3]{0,1}"}, RELAYOUT_SCALES_GIVEN},
};

enum { ALL = sizeof all / sizeof all[0], TRANSPOSED = 0, IN_ROWS = 1, IN_ALL = 2, PACKED = 3 };

/* ---- Plans and what they hold --------------------------------------------------------------- */

/* A plan with the bytes of its tensors, guards before and behind: elements, scales, and a
 * tensor scale. */
typedef struct scene {
  const opencl_bench *bench;
  relayout_plan *plan;
  relayout_plan *reference; /* the CPU backend's */
  int32_t side_count;
  relayout_scaled_view views[MOST_SIDES];
  size_t sizes[MOST_SIDES][TENSORS];
  unsigned char *bytes[MOST_SIDES][TENSORS]; /* what is expected of what is written */
} scene;

static relayout_plan *plan_on(relayout_device *device, const scene *of) {
  relayout_plan *plan = NULL;
  relayout_error error = {.message = ""};
  if (relayout_plan_create_many(device, &of->views[0], &of->views[1], of->side_count - 1, NULL,
                                &plan, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  return plan;
}

static scene scene_of(const opencl_bench *bench, const quantization *of) {
  scene made = {.bench = bench};
  for (const char *text = of->from; text != NULL && made.side_count < MOST_SIDES;) {
    relayout_scaled_view *const view = &made.views[made.side_count];
    size_t *const sizes = made.sizes[made.side_count];
    assert_int_equal(relayout_scaled_view_parse(text, view, NULL), RELAYOUT_OK);
    view->rule = made.side_count > 0 && view->has_scales ? of->rule : RELAYOUT_SCALES_GIVEN;
    assert_int_equal(relayout_scaled_view_elements_size(view, &sizes[0], NULL), RELAYOUT_OK);
    if (view->has_scales) {
      assert_int_equal(relayout_shape_byte_size(&view->scales.shape, &sizes[1], NULL), RELAYOUT_OK);
    }
    sizes[2] = view->has_tensor_scale ? sizeof(float) : 0;
    for (int t = 0; t < TENSORS; ++t) {
      made.bytes[made.side_count][t] = malloc(sizes[t] + 2 * GUARD);
      assert_non_null(made.bytes[made.side_count][t]);
    }
    text = made.side_count < MOST_TO ? of->to[made.side_count] : NULL;
    made.side_count += 1;
  }
  relayout_device *cpu = NULL;
  assert_int_equal(relayout_device_open("cpu", &cpu, NULL), RELAYOUT_OK);
  made.plan = plan_on(bench->device, &made);
  made.reference = plan_on(cpu, &made);
  relayout_device_destroy(cpu);
  return made;
}

static void leave(scene *at) {
  for (int32_t i = 0; i < at->side_count * TENSORS; ++i) {
    free(at->bytes[i / TENSORS][i % TENSORS]);
  }
  relayout_plan_destroy(at->plan);
  relayout_plan_destroy(at->reference);
}

/* ---- Buffers -------------------------------------------------------------------------------- */

typedef relayout_side_buffers sides[MOST_SIDES];

static cl_mem *buffer_in(relayout_side_buffers *side, int tensor) {
  return tensor == 0 ? &side->elements : tensor == 1 ? &side->scales : &side->tensor_scale;
}

static void make_sides(const scene *at, sides on) {
  memset(on, 0, sizeof(sides));
  for (int32_t i = 0; i < at->side_count * TENSORS; ++i) {
    relayout_side_buffers *const side = &on[i / TENSORS];
    side->elements_offset = side->scales_offset = side->tensor_scale_offset = GUARD;
    *buffer_in(side, i % TENSORS) =
        opencl_buffer(at->bench, at->sizes[i / TENSORS][i % TENSORS] + 2 * GUARD,
                      at->bytes[i / TENSORS][i % TENSORS]);
  }
}

static void release(const scene *at, sides on) {
  for (int32_t i = 0; i < at->side_count * TENSORS; ++i) {
    clReleaseMemObject(*buffer_in(&on[i / TENSORS], i % TENSORS));
  }
}

/* Small numbers, of floats of any type too. */
static void draw(relayout_element_type type, unsigned seed, size_t size, unsigned char *bytes) {
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = (unsigned char)((i * 31 + i / 7 + seed) & 0x3f);
  }
  for (size_t i = 0; type == RELAYOUT_F32 && i + sizeof(float) <= size; i += sizeof(float)) {
    const float value = (float)((i * 13 + seed * 17) % 211) / 4 - 20;
    memcpy(bytes + i, &value, sizeof value);
  }
}

/* New bytes in the source, of which the CPU makes what is expected; destinations are poisoned. */
static void fill(scene *at, sides on, unsigned seed) {
  relayout_destination_memory to[MOST_TO] = {{.elements = NULL}};
  for (int32_t s = 0; s < at->side_count; ++s) {
    for (int t = 0; t < TENSORS; ++t) {
      const size_t size = at->sizes[s][t];
      memset(at->bytes[s][t], GUARD_BYTE, size + 2 * GUARD);
      if (s == 0 || t == 2) {
        draw(t == 0 && at->views[0].block_format == RELAYOUT_BLOCK_FORMAT_NONE
                 ? at->views[0].elements.shape.element_type
             : t == 0 ? RELAYOUT_U8
                      : RELAYOUT_F32,
             seed, size, at->bytes[s][t] + GUARD);
      }
      assert_int_equal(clEnqueueWriteBuffer(at->bench->queue, *buffer_in(&on[s], t), CL_TRUE, 0,
                                            size + 2 * GUARD, at->bytes[s][t], 0, NULL, NULL),
                       CL_SUCCESS);
    }
    if (s > 0) {
      to[s - 1].elements = at->bytes[s][0] + GUARD;
      to[s - 1].scales = at->bytes[s][1] + GUARD;
      to[s - 1].tensor_scale = at->bytes[s][2] + GUARD;
    }
  }
  const relayout_source_memory from = {.elements = at->bytes[0][0] + GUARD,
                                       .scales = at->bytes[0][1] + GUARD,
                                       .tensor_scale = at->bytes[0][2] + GUARD};
  assert_int_equal(relayout_plan_execute_many(at->reference, &from, to, NULL), RELAYOUT_OK);
}

static void expect_moved(const scene *at, sides on) {
  assert_int_equal(clFinish(at->bench->queue), CL_SUCCESS);
  for (int32_t i = TENSORS; i < at->side_count * TENSORS; ++i) {
    const size_t size = at->sizes[i / TENSORS][i % TENSORS] + 2 * GUARD;
    unsigned char *const found = malloc(size);
    assert_non_null(found);
    opencl_read(at->bench, *buffer_in(&on[i / TENSORS], i % TENSORS), size, found);
    if (memcmp(found, at->bytes[i / TENSORS][i % TENSORS], size) != 0) {
      fail_msg("destination %d, tensor %d", (int)(i / TENSORS - 1), (int)(i % TENSORS));
    }
    free(found);
  }
}

/* ---- Runs ----------------------------------------------------------------------------------- */

static relayout_recording *recording_of(const scene *at, sides on) {
  relayout_recording *made = NULL;
  relayout_error error = {.message = ""};
  if (relayout_recording_create_many(at->plan, at->bench->queue, &on[0], &on[1], &made, &error) !=
      RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  return made;
}

static void run_and_expect(scene *at, sides on, relayout_recording *recording, unsigned seed) {
  relayout_error error = {.message = ""};
  cl_event done = NULL;
  fill(at, on, seed);
  if (relayout_recording_enqueue(recording, 0, NULL, &done, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
  clReleaseEvent(done);
  expect_moved(at, on);
}

/* Twice, of other bytes the second time, when the plan's own hold is gone. */
static void test_alone(void **state) {
  for (int i = 0; i < ALL; ++i) {
    print_message("%s\n", all[i].from);
    scene at = scene_of(*state, &all[i]);
    sides on;
    make_sides(&at, on);
    relayout_recording *const recording = recording_of(&at, on);
    run_and_expect(&at, on, recording, 1);
    relayout_plan_destroy(at.plan);
    at.plan = NULL;
    run_and_expect(&at, on, recording, 2);
    relayout_recording_destroy(recording);
    release(&at, on);
    leave(&at);
  }
}

/* Enqueues and another recording of the plan leave a recording's arguments and memory as they
 * are. */
static void test_recordings_of_one_plan(void **state) {
  static const int taken[] = {IN_ALL, PACKED};
  for (int i = 0; i < 2; ++i) {
    scene at = scene_of(*state, &all[taken[i]]);
    sides on[3];
    for (int j = 0; j < 3; ++j) {
      make_sides(&at, on[j]);
    }
    relayout_recording *const first = recording_of(&at, on[0]);
    relayout_recording *const second = recording_of(&at, on[1]);
    fill(&at, on[2], 3);
    assert_int_equal(relayout_plan_enqueue_many(at.plan, at.bench->queue, &on[2][0], &on[2][1], 0,
                                                NULL, NULL, NULL),
                     RELAYOUT_OK);
    expect_moved(&at, on[2]);
    run_and_expect(&at, on[1], second, 4);
    run_and_expect(&at, on[0], first, 5);
    relayout_recording_destroy(first);
    run_and_expect(&at, on[1], second, 6);
    relayout_recording_destroy(second);
    for (int j = 0; j < 3; ++j) {
      release(&at, on[j]);
    }
    leave(&at);
  }
}

static cl_command_buffer_khr command_buffer_of(const opencl_bench *bench) {
  cl_int code = CL_SUCCESS;
  const cl_command_buffer_khr made = real.create(1, &bench->queue, NULL, &code);
  assert_int_equal(code, CL_SUCCESS);
  return made;
}

/* From the source to bytes, and from these on, behind the first one's sync point. */
static void test_among_others(void **state) {
  static const quantization widened = {"bf16[40,72]{0,1}", {"f32[40,72]"}, RELAYOUT_SCALES_GIVEN};
  const opencl_bench *const bench = *state;
  scene first = scene_of(bench, &all[TRANSPOSED]), second = scene_of(bench, &widened);
  sides on, further;
  make_sides(&first, on);
  make_sides(&second, further);
  const cl_command_buffer_khr commands = command_buffer_of(bench);
  relayout_recording *recordings[2] = {NULL, NULL};
  cl_sync_point_khr point = 0;
  const relayout_side_buffers between = on[2];
  assert_int_equal(relayout_plan_record_many(first.plan, commands, bench->queue, &on[0], &on[1], 0,
                                             NULL, &point, &recordings[0], NULL),
                   RELAYOUT_OK);
  assert_int_equal(relayout_plan_record_many(second.plan, commands, bench->queue, &between,
                                             &further[1], 1, &point, NULL, &recordings[1], NULL),
                   RELAYOUT_OK);
  assert_int_equal(real.finalize(commands), CL_SUCCESS);
  for (unsigned i = 0; i < 2; ++i) {
    fill(&second, further, i);
    fill(&first, on, 7 + i);
    memcpy(second.bytes[0][0], first.bytes[2][0], second.sizes[0][0] + 2 * GUARD);
    const relayout_source_memory from = {.elements = second.bytes[0][0] + GUARD};
    const relayout_destination_memory to = {.elements = second.bytes[1][0] + GUARD};
    assert_int_equal(relayout_plan_execute_many(second.reference, &from, &to, NULL), RELAYOUT_OK);
    assert_int_equal(real.enqueue(0, NULL, commands, 0, NULL, NULL), CL_SUCCESS);
    expect_moved(&first, on);
    expect_moved(&second, further);
  }
  real.release(commands);
  for (int i = 0; i < 2; ++i) {
    relayout_recording_destroy(recordings[i]);
  }
  release(&first, on);
  release(&second, further);
  leave(&first);
  leave(&second);
}

/* ---- Other buffers -------------------------------------------------------------------------- */

/* What is refused changes nothing. */
static void change_buffers(const opencl_bench *bench, const quantization *of) {
  scene at = scene_of(bench, of);
  sides on, next, wrong;
  make_sides(&at, on);
  make_sides(&at, next);
  memcpy(wrong, next, sizeof wrong);
  relayout_recording *const recording = recording_of(&at, on);
  run_and_expect(&at, on, recording, 11);
  wrong[1].elements_offset = 4 * GUARD + at.sizes[1][0];
  assert_int_equal(relayout_recording_set_side_buffers(recording, &wrong[0], &wrong[1], NULL),
                   RELAYOUT_BUFFER_TOO_SMALL);
  wrong[1] = wrong[0];
  assert_int_not_equal(relayout_recording_set_side_buffers(recording, &wrong[0], &wrong[1], NULL),
                       RELAYOUT_OK);
  run_and_expect(&at, on, recording, 12);
  for (unsigned i = 0; i < 2; ++i) {
    relayout_error error = {.message = ""};
    if (relayout_recording_set_side_buffers(recording, &next[0], &next[1], &error) != RELAYOUT_OK) {
      fail_msg("%s", error.message);
    }
    run_and_expect(&at, next, recording, 13 + i);
  }
  relayout_recording_destroy(recording);
  release(&at, on);
  release(&at, next);
  leave(&at);
}

static void test_set_side_buffers(void **state) {
  const opencl_bench *const bench = *state;
  if (real.update == NULL) {
    scene at = scene_of(bench, &all[TRANSPOSED]);
    sides on;
    make_sides(&at, on);
    relayout_recording *const recording = recording_of(&at, on);
    relayout_error error = {.message = ""};
    assert_int_equal(relayout_recording_set_side_buffers(recording, &on[0], &on[1], &error),
                     RELAYOUT_UNSUPPORTED);
    assert_non_null(strstr(error.message, "cl_khr_command_buffer_mutable_dispatch"));
    relayout_recording_destroy(recording);
    release(&at, on);
    leave(&at);
    if (real.version >= VERSION(0, 9, 5)) {
      return; /* whose fills are others than those that told_extensions.c knows */
    }
    tell(VERSION(0, 9, 0), VERSION(0, 9, 3));
    has_fake_updates = true;
  }
  for (int i = 0; i < ALL; ++i) {
    if (i == TRANSPOSED || i == IN_ALL || i == PACKED) {
      change_buffers(bench, &all[i]);
    }
  }
  lies = has_fake_updates = false;
}

/* ---- Refusals ------------------------------------------------------------------------------- */

typedef struct refusal {
  relayout_status status;
  const char *message;
  relayout_plan *plan;
  cl_command_buffer_khr commands;
  cl_command_queue queue;
  const relayout_side_buffers *from, *to;
  cl_uint n_wait;
} refusal;

static void test_refusals(void **state) {
  const opencl_bench *const bench = *state;
  scene at = scene_of(bench, &all[IN_ROWS]);
  sides on, shifted;
  make_sides(&at, on);
  memcpy(shifted, on, sizeof shifted);
  shifted[1].scales_offset = 2;
  relayout_plan *single = NULL;
  const relayout_shape *const shape = &at.views[0].elements.shape;
  assert_int_equal(relayout_plan_create(bench->device, shape, shape, NULL, &single, NULL),
                   RELAYOUT_OK);
  const cl_command_buffer_khr commands = command_buffer_of(bench), final = command_buffer_of(bench);
  assert_int_equal(real.finalize(final), CL_SUCCESS);
  const cl_command_queue queue = bench->queue;
  const refusal cases[] = {
      {RELAYOUT_INVALID_ARGUMENT, "plan is NULL", NULL, commands, queue, &on[0], &on[1], 0},
      {RELAYOUT_INVALID_ARGUMENT, "queue is NULL", at.plan, commands, NULL, &on[0], &on[1], 0},
      {RELAYOUT_INVALID_ARGUMENT, "from is NULL", at.plan, commands, queue, NULL, &on[1], 0},
      {RELAYOUT_INVALID_ARGUMENT, "to is NULL", at.plan, commands, queue, &on[0], NULL, 0},
      {RELAYOUT_INVALID_ARGUMENT, "command_buffer is NULL", at.plan, NULL, queue, &on[0], &on[1],
       0},
      {RELAYOUT_INVALID_ARGUMENT, "n_wait is 1", at.plan, commands, queue, &on[0], &on[1], 1},
      {RELAYOUT_INVALID_ARGUMENT, "is not being recorded", at.plan, final, queue, &on[0], &on[1],
       0},
      {RELAYOUT_INVALID_ARGUMENT, "not one of relayout_plan_create_many", single, commands, queue,
       &on[0], &on[1], 0},
      {RELAYOUT_INVALID_ARGUMENT, "not made for an OpenCL device", at.reference, commands, queue,
       &on[0], &on[1], 0},
      {RELAYOUT_MISALIGNED_OFFSET, "to[0].scales_offset is 2", at.plan, commands, queue, &on[0],
       &shifted[1], 0},
      {RELAYOUT_BUFFERS_OVERLAP, "overlap", at.plan, commands, queue, &on[0],
       &(relayout_side_buffers){.elements = on[0].elements,
                                .elements_offset = GUARD,
                                .scales = on[1].scales,
                                .scales_offset = GUARD},
       0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_recording *recording = (relayout_recording *)(uintptr_t)&at;
    relayout_error error = {.message = ""};
    assert_int_equal(relayout_plan_record_many(cases[i].plan, cases[i].commands, cases[i].queue,
                                               cases[i].from, cases[i].to, cases[i].n_wait, NULL,
                                               NULL, &recording, &error),
                     cases[i].status);
    assert_null(recording);
    if (strstr(error.message, cases[i].message) == NULL) {
      fail_msg("`%s` lacks `%s`", error.message, cases[i].message);
    }
  }
  assert_int_equal(relayout_recording_create_many(at.plan, queue, &on[0], &on[1], NULL, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  relayout_recording *recording = NULL;
  assert_int_equal(relayout_plan_record(at.plan, commands, queue, on[0].elements, GUARD,
                                        on[1].elements, GUARD, 0, NULL, NULL, &recording, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  real.release(commands);
  real.release(final);
  relayout_plan_destroy(single);
  release(&at, on);
  leave(&at);
}

/* ---- All of them ---------------------------------------------------------------------------- */

static int with_extension;

static int run(opencl_bench *bench) {
  relayout_error error = {.message = ""};
  if (rlt_command_buffers_find(rlt_opencl_device_of(bench->device), &real, &error) ==
      RELAYOUT_UNSUPPORTED) {
    print_message("skipped: %s\n", error.message);
    return 0;
  }
  ++with_extension;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_alone, bench),
      cmocka_unit_test_prestate(test_recordings_of_one_plan, bench),
      cmocka_unit_test_prestate(test_among_others, bench),
      cmocka_unit_test_prestate(test_set_side_buffers, bench),
      cmocka_unit_test_prestate(test_refusals, bench),
  };
  return cmocka_run_group_tests_name("opencl.recorded_many", tests, NULL, NULL);
}

int main(void) {
  const int result = opencl_on_each_device(run);
  return result == 0 && with_extension == 0 ? OPENCL_NO_DEVICE : result;
}
