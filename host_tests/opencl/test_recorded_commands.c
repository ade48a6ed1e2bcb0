/* test_recorded_commands.c: relayouts in command buffers: how these are made, what is recorded in
 * them and changed later, and by what versions of the extensions. The driver is one of memory. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "opencl/command_buffer.h"
#include "opencl/device.h"
#include "opencl/fake_driver.h"
#include "opencl/launch.h"
#include "plan/plan.h"
#include "relayout/recording.h"
#include "relayout/relayout.h"
#include "shape_of.h"

typedef struct scene {
  fake_device told;
  fake_platform platform;
  cl_context context;
  cl_command_queue queue;
  cl_mem buffers[4];
  relayout_device *device;
} scene;

static scene at;

static int set_up(void **state) {
  (void)state;
  at = (scene){.told = fake_gpu, .platform = {"Some", "OpenCL 3.0", 1, {&at.told}}};
  fake_driver_begin(&at.platform);
  fake.has_command_buffers = true;
  at.context = fake_context(1, at.platform.devices);
  at.queue = fake_queue(at.context, &at.told);
  for (int i = 0; i < 4; ++i) {
    at.buffers[i] = fake_buffer(at.context, 65536);
  }
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.cache_directory = "";
  assert_int_equal(relayout_opencl_device_create(at.context, (cl_device_id)(void *)&at.told,
                                                 &options, &at.device, NULL),
                   RELAYOUT_OK);
  return 0;
}

/* All but the test's own context, queue and buffers was let go. */
static int tear_down(void **state) {
  (void)state;
  relayout_device_destroy(at.device);
  assert_int_equal(fake_all_holders(), 1 + 1 + 4);
  return 0;
}

static relayout_plan *plan_of(const char *from_text, const char *to_text) {
  const relayout_shape from = shape_of(from_text);
  const relayout_shape to = shape_of(to_text);
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(at.device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  fake_forget();
  return plan;
}

static relayout_plan *plan_of_two_parts(void) {
  relayout_plan *const plan = plan_of("f32[8,300]", "f32[8,300]{1,0:T(8,128)}");
  assert_int_equal(plan->work.part_count, 2);
  return plan;
}

static rlt_command_buffers found(void) {
  rlt_command_buffers with;
  relayout_error error = {.message = ""};
  if (rlt_command_buffers_find(rlt_opencl_device_of(at.device), &with, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  return with;
}

/* ---- What there is ---- */

#define VERSION(major, minor, patch) ((cl_uint)((major) << 22 | (minor) << 12 | (patch)))

static void test_versions(void **state) {
  (void)state;
  static const struct {
    cl_uint version;
    const char *text; /* NULL: it is known */
  } cases[] = {{VERSION(0, 9, 0), NULL},
               {VERSION(0, 9, 7), NULL},
               {VERSION(1, 0, 0), NULL},
               {VERSION(1, 9, 3), NULL},
               {VERSION(0, 8, 7), "has cl_khr_command_buffer 0.8.7, which this library does not"},
               {VERSION(0, 10, 1), "has cl_khr_command_buffer 0.10.1, which"},
               {VERSION(2, 9, 1023), "has cl_khr_command_buffer 2.9.1023, which"},
               {VERSION(3, 513, 2049), "has cl_khr_command_buffer 3.513.2049, which"},
               {0, "does not have cl_khr_command_buffer"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("case %zu\n", i);
    rlt_command_buffers with;
    relayout_error error = {.message = ""};
    fake.command_buffer_version = cases[i].version;
    assert_int_equal(rlt_command_buffers_find(rlt_opencl_device_of(at.device), &with, &error),
                     cases[i].text == NULL ? RELAYOUT_OK : RELAYOUT_UNSUPPORTED);
    assert_true(cases[i].text == NULL || strstr(error.message, cases[i].text) != NULL);
    assert_int_equal(with.version, cases[i].version);
  }
  rlt_command_buffers with;
  fake.has_command_buffers = false; /* it tells no versions at all */
  assert_int_equal(rlt_command_buffers_find(rlt_opencl_device_of(at.device), &with, NULL),
                   RELAYOUT_UNSUPPORTED);
}

/* From 0.9.2 on, and not 0.10, of which nothing is known. */
static void test_versions_of_updates(void **state) {
  (void)state;
  static const struct {
    cl_uint version;
    bool has;
  } cases[] = {{VERSION(0, 9, 1), false},  {VERSION(0, 9, 2), true},   {VERSION(0, 9, 3), true},
               {VERSION(0, 9, 400), true}, {VERSION(0, 10, 0), false}, {VERSION(1, 0, 0), false},
               {VERSION(0, 8, 2), false}};
  assert_null(found().update);
  fake.has_updates = true;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    fake.update_version = cases[i].version;
    assert_int_equal(found().update != NULL, cases[i].has);
  }
}

static void test_missing_functions(void **state) {
  (void)state;
  static const char *const names[] = {
      "clCreateCommandBufferKHR",        "clFinalizeCommandBufferKHR",
      "clReleaseCommandBufferKHR",       "clEnqueueCommandBufferKHR",
      "clCommandNDRangeKernelKHR",       "clGetCommandBufferInfoKHR",
      "clCommandBarrierWithWaitListKHR", "clCommandFillBufferKHR",
      "clUpdateMutableCommandsKHR"};
  fake.has_updates = true;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    rlt_command_buffers with;
    relayout_error error = {.message = ""};
    fake.lacks = names[i];
    assert_int_equal(rlt_command_buffers_find(rlt_opencl_device_of(at.device), &with, &error),
                     RELAYOUT_UNSUPPORTED);
    assert_non_null(strstr(error.message, names[i]));
  }
  fake.has_updates = false; /* which nobody asks for then */
  (void)found();
}

/* Made for all that the device has: to be run again before it is done, and to be changed. */
static void test_flags(void **state) {
  (void)state;
  enum { SIMULTANEOUS_USE = 1, MUTABLE = 2 };
  static const struct {
    cl_bitfield capabilities;
    bool has_updates;
    cl_ulong flags;
  } cases[] = {{0, false, 0},
               {1 << 2, false, SIMULTANEOUS_USE},
               {1 << 2 | 1 << 3, false, SIMULTANEOUS_USE},
               {1 << 0 | 1 << 1 | 1 << 3, false, 0},
               {0, true, MUTABLE},
               {1 << 2, true, SIMULTANEOUS_USE | MUTABLE}};
  relayout_plan *const plan = plan_of_two_parts();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("case %zu\n", i);
    relayout_recording *recording = NULL;
    fake.command_buffer_capabilities = cases[i].capabilities;
    fake.has_updates = cases[i].has_updates;
    assert_int_equal(found().is_simultaneous, (cases[i].flags & SIMULTANEOUS_USE) != 0);
    assert_int_equal(relayout_recording_create(plan, at.queue, at.buffers[0], 0, at.buffers[1], 0,
                                               &recording, NULL),
                     RELAYOUT_OK);
    assert_int_equal(fake_flags(at.queue), cases[i].flags);
    assert_int_equal(
        relayout_recording_set_buffers(recording, at.buffers[2], 0, at.buffers[3], 0, NULL),
        cases[i].has_updates ? RELAYOUT_OK : RELAYOUT_UNSUPPORTED);
    relayout_recording_destroy(recording);
  }
  relayout_plan_destroy(plan);
}

/* A caller's command buffer is mutable where its flags say so, wherever these stand among its
 * properties. */
static void test_callers_flags(void **state) {
  (void)state;
  enum { FLAGS = 0x1293, OTHER = 0x7777, SIMULTANEOUS_USE = 1, MUTABLE = 2 };
  static const struct {
    rlt_property properties[5];
    bool is_mutable;
  } cases[] = {{{0}, false},
               {{FLAGS, MUTABLE, 0}, true},
               {{FLAGS, SIMULTANEOUS_USE, 0}, false},
               {{FLAGS, SIMULTANEOUS_USE | MUTABLE, 0}, true},
               {{OTHER, MUTABLE, FLAGS, SIMULTANEOUS_USE, 0}, false},
               {{OTHER, SIMULTANEOUS_USE, FLAGS, MUTABLE, 0}, true},
               {{OTHER, FLAGS, OTHER, MUTABLE, 0}, false}};
  relayout_plan *const plan = plan_of_two_parts();
  for (int has_updates = 0; has_updates < 2; ++has_updates) {
    fake.has_updates = has_updates == 1;
    const rlt_command_buffers with = found();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
      print_message("case %zu\n", i);
      cl_int code = CL_SUCCESS;
      const cl_command_buffer_khr buffer = with.create(1, &at.queue, cases[i].properties, &code);
      bool is_mutable = !cases[i].is_mutable;
      assert_int_equal(rlt_command_buffers_check(&with, buffer, &is_mutable, NULL), RELAYOUT_OK);
      assert_int_equal(is_mutable, cases[i].is_mutable);
      relayout_recording *recording = NULL;
      relayout_error error = {.message = ""};
      assert_int_equal(relayout_plan_record(plan, buffer, at.queue, at.buffers[0], 0, at.buffers[1],
                                            0, 0, NULL, NULL, &recording, NULL),
                       RELAYOUT_OK);
      const bool can = cases[i].is_mutable && has_updates;
      assert_int_equal(
          relayout_recording_set_buffers(recording, at.buffers[2], 0, at.buffers[3], 0, &error),
          can ? RELAYOUT_OK : RELAYOUT_UNSUPPORTED);
      assert_true(can || strstr(error.message, has_updates ? "CL_COMMAND_BUFFER_MUTABLE_KHR"
                                                           : "mutable_dispatch 0.9") != NULL);
      relayout_recording_destroy(recording);
      with.release(buffer);
    }
  }
  relayout_plan_destroy(plan);
}

/* ---- What is recorded ---- */

static const void *handle_of(const fake_argument *argument) {
  const void *handle = NULL;
  assert_true(argument->is_set && argument->size == sizeof handle);
  memcpy(&handle, argument->bytes, sizeof handle);
  return handle;
}

static uint64_t start_of(const fake_argument *argument) {
  uint64_t start = 0;
  assert_true(argument->is_set && argument->size == sizeof start);
  memcpy(&start, argument->bytes, sizeof start);
  return start;
}

/* The destination and where it starts, the grid, the fill, the source and where it starts. */
enum { TO, TO_START, GRID, FILL, FROM, FROM_START };

/* Each part behind the one before it where a sync point is wanted, which is the last one's; else
 * all behind the caller's. */
static void test_sync_points(void **state) {
  (void)state;
  relayout_plan *const plan = plan_of_two_parts();
  const rlt_command_buffers with = found();
  const cl_sync_point_khr waited[] = {71, 72};
  for (int wants_point = 0; wants_point < 2; ++wants_point) {
    cl_int code = CL_SUCCESS;
    cl_sync_point_khr point = 0;
    relayout_recording *recording = NULL;
    const cl_command_buffer_khr buffer = with.create(1, &at.queue, NULL, &code);
    fake_forget();
    assert_int_equal(relayout_plan_record(plan, buffer, at.queue, at.buffers[0], 8, at.buffers[1],
                                          128, 2, waited, wants_point ? &point : NULL, &recording,
                                          NULL),
                     RELAYOUT_OK);
    assert_int_equal(fake.command_count, 2);
    const fake_command *const first = fake_command_at("clCommandNDRangeKernelKHR", 0);
    const fake_command *const second = fake_command_at("clCommandNDRangeKernelKHR", 1);
    assert_int_equal(first->n_wait, 2);
    assert_int_equal((uintptr_t)first->wait[0], 71);
    assert_int_equal((uintptr_t)first->wait[1], 72);
    assert_int_equal(second->n_wait, wants_point ? 1 : 2);
    assert_int_equal((uintptr_t)second->wait[0], wants_point ? 1 : 71);
    assert_int_equal(point, wants_point ? 2 : 0);
    assert_ptr_equal(handle_of(&first->arguments[FROM]), at.buffers[0]);
    assert_ptr_equal(handle_of(&second->arguments[TO]), at.buffers[1]);
    assert_int_equal(start_of(&first->arguments[FROM_START]), 2);
    relayout_recording_destroy(recording);
    with.release(buffer);
  }
  relayout_plan_destroy(plan);
}

/* A recording has kernels of its own, of the same functions as the plan's. */
static void test_kernels(void **state) {
  (void)state;
  static const struct {
    const char *from;
    const char *to;
    const char *kernel;
  } cases[] = {{"f32[64,48]", "f32[64,48]{0,1}", "relayout_transpose_4"},
               {"u16[64,96]", "u16[64,96]{0,1}", "relayout_transpose_2"},
               {"u8[64,96]", "u8[64,96]{0,1}", "relayout_transpose_1"},
               {"u8[0]", "u8[0]{0:PD(9)PV(3)}", "relayout_fill_1"}};
  enum { CASES = sizeof cases / sizeof cases[0] };
  relayout_plan *plans[CASES];
  for (int i = 0; i < CASES; ++i) {
    plans[i] = plan_of(cases[i].from, cases[i].to);
  }
  for (int i = 0; i < CASES; ++i) {
    print_message("case %d\n", i);
    const int kernels = fake_holders(FAKE_KERNEL);
    relayout_recording *recording = NULL;
    fake_forget();
    assert_int_equal(relayout_recording_create(plans[i], at.queue, at.buffers[0], 0, at.buffers[1],
                                               0, &recording, NULL),
                     RELAYOUT_OK);
    assert_int_equal(fake.command_count, 1);
    assert_string_equal(fake_command_at("clCommandNDRangeKernelKHR", 0)->kernel, cases[i].kernel);
    assert_int_equal(fake_holders(FAKE_KERNEL), kernels + 1);
    relayout_recording_destroy(recording);
    assert_int_equal(fake_holders(FAKE_KERNEL), kernels);
  }
  for (int i = 0; i < CASES; ++i) {
    relayout_plan_destroy(plans[i]);
  }
}

/* Nothing to move is a barrier, whose parameters the version decides on. */
static void test_barriers(void **state) {
  (void)state;
  static const cl_uint versions[] = {VERSION(0, 9, 0), VERSION(0, 9, 4), VERSION(0, 9, 5),
                                     VERSION(1, 0, 0)};
  relayout_plan *const plan = plan_of("f32[0,3]", "f32[0,3]{0,1}");
  const cl_sync_point_khr waited = 9;
  for (int i = 0; i < 4; ++i) {
    fake.command_buffer_version = versions[i];
    const rlt_command_buffers with = found();
    cl_int code = CL_SUCCESS;
    cl_sync_point_khr point = 0;
    relayout_recording *recording = NULL;
    const cl_command_buffer_khr buffer = with.create(1, &at.queue, NULL, &code);
    fake_forget();
    assert_int_equal(relayout_plan_record(plan, buffer, at.queue, NULL, 0, NULL, 0, 1, &waited,
                                          &point, &recording, NULL),
                     RELAYOUT_OK);
    assert_int_equal(fake.command_count, 1);
    const fake_command *const barrier = fake_command_at("clCommandBarrierWithWaitListKHR", 0);
    assert_int_equal(barrier->n_wait, 1);
    assert_int_equal((uintptr_t)barrier->wait[0], 9);
    assert_int_equal(point, 1);
    relayout_recording_destroy(recording);
    with.release(buffer);
  }
  relayout_plan_destroy(plan);
}

/* ---- What is changed ---- */

static void test_other_buffers(void **state) {
  (void)state;
  fake.has_updates = true;
  relayout_plan *const plan = plan_of_two_parts();
  relayout_recording *recording = NULL;
  assert_int_equal(relayout_recording_create(plan, at.queue, at.buffers[0], 0, at.buffers[1], 0,
                                             &recording, NULL),
                   RELAYOUT_OK);
  fake_command recorded[2];
  for (size_t i = 0; i < 2; ++i) {
    recorded[i] = *fake_command_at("clCommandNDRangeKernelKHR", i);
  }
  fake_forget();
  assert_int_equal(
      relayout_recording_set_buffers(recording, at.buffers[2], 256, at.buffers[3], 1024, NULL),
      RELAYOUT_OK);
  assert_int_equal(fake.command_count, 2);
  for (size_t i = 0; i < 2; ++i) {
    const rlt_launch *const launch = plan->work.parts[i].variants[0].executable;
    const fake_argument *const before = recorded[i].arguments;
    const fake_argument *const after = fake_command_at("clUpdateMutableCommandsKHR", i)->arguments;
    assert_ptr_equal(handle_of(&after[FROM]), at.buffers[2]);
    assert_ptr_equal(handle_of(&after[TO]), at.buffers[3]);
    assert_int_equal(start_of(&after[FROM_START]),
                     start_of(&before[FROM_START]) + 256 / (uint64_t)launch->options.source_bytes);
    assert_int_equal(start_of(&after[TO_START]),
                     start_of(&before[TO_START]) + 1024 / (uint64_t)launch->options.word_bytes);
    assert_ptr_equal(handle_of(&after[GRID]), handle_of(&before[GRID]));
  }
  relayout_error error = {.message = ""};
  fake_forget();
  assert_int_equal(
      relayout_recording_set_buffers(recording, at.buffers[2], 2, at.buffers[3], 0, &error),
      RELAYOUT_MISALIGNED_OFFSET);
  assert_int_equal(
      relayout_recording_set_buffers(recording, at.buffers[2], 0, at.buffers[2], 0, &error),
      RELAYOUT_BUFFERS_OVERLAP);
  assert_int_equal(relayout_recording_set_buffers(NULL, at.buffers[2], 0, at.buffers[2], 0, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(fake.command_count, 0);
  relayout_recording_destroy(recording);
  relayout_plan_destroy(plan);
}

/* Where nothing is read only the destination changes; where nothing is moved, nothing. */
static void test_without_source(void **state) {
  (void)state;
  fake.has_updates = true;
  relayout_recording *recording = NULL;
  relayout_plan *plan = plan_of("f32[0]", "f32[0]{0:PD(50)PV(one)}");
  assert_int_equal(
      relayout_recording_create(plan, at.queue, NULL, 0, at.buffers[1], 0, &recording, NULL),
      RELAYOUT_OK);
  fake_forget();
  assert_int_equal(relayout_recording_set_buffers(recording, NULL, 0, at.buffers[3], 16, NULL),
                   RELAYOUT_OK);
  const fake_argument *const after = fake_command_at("clUpdateMutableCommandsKHR", 0)->arguments;
  assert_ptr_equal(handle_of(&after[TO]), at.buffers[3]);
  const rlt_launch *const launch = plan->work.parts[0].variants[0].executable;
  assert_int_equal(start_of(&after[TO_START]) * (uint64_t)launch->options.word_bytes, 16);
  assert_false(after[FROM].is_set || after[FROM_START].is_set);
  relayout_recording_destroy(recording);
  relayout_plan_destroy(plan);
  plan = plan_of("f32[0]", "f32[0]");
  assert_int_equal(relayout_recording_create(plan, at.queue, NULL, 0, NULL, 0, &recording, NULL),
                   RELAYOUT_OK);
  fake_forget();
  assert_int_equal(relayout_recording_set_buffers(recording, NULL, 0, NULL, 0, NULL), RELAYOUT_OK);
  assert_int_equal(fake.command_count, 0);
  relayout_recording_destroy(recording);
  relayout_plan_destroy(plan);
}

/* Recorded kernels of words stay, wherever the next buffers lie. */
static void test_alignment(void **state) {
  (void)state;
  relayout_device_destroy(at.device);
  at.platform.name = "Portable Computing Language";
  at.told.type = CL_DEVICE_TYPE_CPU;
  at.told.vector_bytes = 16;
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.cache_directory = "";
  assert_int_equal(relayout_opencl_device_create(at.context, (cl_device_id)(void *)&at.told,
                                                 &options, &at.device, NULL),
                   RELAYOUT_OK);
  fake.has_updates = true;
  relayout_plan *const plan = plan_of("u8[32,32,4]", "u8[32,32,4]{2,0,1}");
  relayout_recording *recording = NULL;
  assert_int_equal(relayout_recording_create(plan, at.queue, at.buffers[0], 4, at.buffers[1], 8,
                                             &recording, NULL),
                   RELAYOUT_OK);
  static const struct {
    size_t offsets[2];
    const char *text; /* NULL: it is right */
  } cases[] = {{{0, 0}, NULL},
               {{8, 12}, NULL},
               {{1, 0}, "needs a 4-byte aligned source; this one is off by 1"},
               {{4, 7}, "needs a 4-byte aligned destination; this one is off by 3"},
               {{6, 9}, "aligned; these are off by 2 and 1"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_error error = {.message = ""};
    assert_int_equal(relayout_recording_set_buffers(recording, at.buffers[2], cases[i].offsets[0],
                                                    at.buffers[3], cases[i].offsets[1], &error),
                     cases[i].text == NULL ? RELAYOUT_OK : RELAYOUT_INVALID_ARGUMENT);
    assert_true(cases[i].text == NULL || strstr(error.message, cases[i].text) != NULL);
  }
  relayout_recording_destroy(recording);
  relayout_plan_destroy(plan);
}

/* ---- Runs and lives ---- */

static void test_runs(void **state) {
  (void)state;
  relayout_plan *const plan = plan_of_two_parts();
  relayout_recording *recording = NULL;
  relayout_error error = {.message = ""};
  const int queues = fake_holders(FAKE_QUEUE);
  const int kernels = fake_holders(FAKE_KERNEL);
  assert_int_equal(relayout_recording_create(plan, at.queue, at.buffers[0], 0, at.buffers[1], 0,
                                             &recording, NULL),
                   RELAYOUT_OK);
  assert_int_equal(fake_holders(FAKE_QUEUE), queues + 1);
  assert_int_equal(fake_holders(FAKE_KERNEL), kernels + 2);
  assert_int_equal(fake_holders(FAKE_COMMAND_BUFFER), 1);
  const cl_event waited[] = {fake_event(at.context), NULL};
  cl_event done = NULL;
  fake_forget();
  assert_int_equal(relayout_recording_enqueue(recording, 1, waited, &done, NULL), RELAYOUT_OK);
  const fake_command *const run = fake_command_at("clEnqueueCommandBufferKHR", 0);
  assert_true(run->n_wait == 1 && run->wait[0] == waited[0] && run->event == done);
  fake_release(done);
  assert_int_equal(relayout_recording_enqueue(recording, 0, NULL, NULL, NULL), RELAYOUT_OK);
  done = waited[0];
  assert_int_equal(relayout_recording_enqueue(recording, 2, waited, &done, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "wait[1] is NULL");
  assert_null(done);
  assert_int_equal(relayout_recording_enqueue(NULL, 0, NULL, NULL, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "recording is NULL");
  fake_release(waited[0]);
  relayout_recording_retain(recording);
  relayout_recording_destroy(recording);
  assert_int_equal(fake_holders(FAKE_COMMAND_BUFFER), 1);
  relayout_recording_destroy(recording);
  assert_int_equal(fake_holders(FAKE_COMMAND_BUFFER), 0);
  assert_int_equal(fake_holders(FAKE_QUEUE), queues);
  assert_int_equal(fake_holders(FAKE_KERNEL), kernels);
  relayout_plan_destroy(plan);
}

/* A caller's command buffer stays the caller's, and is to be one that is being recorded. */
static void test_callers_buffers(void **state) {
  (void)state;
  relayout_plan *const plan = plan_of_two_parts();
  const rlt_command_buffers with = found();
  cl_int code = CL_SUCCESS;
  relayout_recording *recording = NULL;
  relayout_error error = {.message = ""};
  const cl_command_buffer_khr buffer = with.create(1, &at.queue, NULL, &code);
  const cl_sync_point_khr waited = 3;
  assert_int_equal(relayout_plan_record(plan, buffer, at.queue, at.buffers[0], 0, at.buffers[1], 0,
                                        0, &waited, NULL, &recording, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "n_wait is 0, but wait is not NULL");
  assert_int_equal(relayout_plan_record(plan, buffer, at.queue, at.buffers[0], 0, at.buffers[1], 0,
                                        1, NULL, NULL, &recording, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "n_wait is 1, but wait is NULL");
  assert_int_equal(relayout_plan_record(plan, NULL, at.queue, at.buffers[0], 0, at.buffers[1], 0, 0,
                                        NULL, NULL, &recording, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "command_buffer is NULL");
  assert_null(recording);
  assert_int_equal(relayout_plan_record(plan, buffer, at.queue, at.buffers[0], 0, at.buffers[1], 0,
                                        0, NULL, NULL, NULL, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "recording is NULL");
  assert_int_equal(relayout_plan_record(plan, buffer, at.queue, at.buffers[0], 0, at.buffers[1], 0,
                                        0, NULL, NULL, &recording, NULL),
                   RELAYOUT_OK);
  assert_int_equal(with.finalize(buffer), CL_SUCCESS);
  assert_int_equal(relayout_recording_enqueue(recording, 0, NULL, NULL, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message,
                      "recording is in the caller's own command buffer, which the caller enqueues");
  relayout_recording_destroy(recording);
  assert_int_equal(fake_holders(FAKE_COMMAND_BUFFER), 1);
  assert_int_equal(relayout_plan_record(plan, buffer, at.queue, at.buffers[0], 0, at.buffers[1], 0,
                                        0, NULL, NULL, &recording, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, " is not being recorded: its state is 1"));
  with.release(buffer);
  relayout_plan_destroy(plan);
}

/* ---- Several destinations ---- */

/* Scales of several boxes, for elements that go through temporary memory, and a destination that a
 * plan makes from the source. */
static relayout_plan *plan_of_many(void) {
  relayout_scaled_view from, to[2];
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_scaled_view_parse("f32[100,100]", &from, NULL), RELAYOUT_OK);
  assert_int_equal(
      relayout_scaled_view_parse("s8[100,100]{1,0:PD(100,104)} * f32[1,1]", &to[0], NULL),
      RELAYOUT_OK);
  assert_int_equal(relayout_scaled_view_parse("u8[100,100]{1,0:PD(100,104)}", &to[1], NULL),
                   RELAYOUT_OK);
  to[0].rule = RELAYOUT_SCALES_AMAX;
  assert_int_equal(relayout_plan_create_many(at.device, &from, to, 2, NULL, &plan, NULL),
                   RELAYOUT_OK);
  fake_forget();
  return plan;
}

/* In buffers 1 to 3 from buffer 0, these bytes on. */
typedef struct many_sides {
  relayout_side_buffers from;
  relayout_side_buffers to[2];
} many_sides;

static many_sides sides_at(size_t offset) {
  return (many_sides){{.elements = at.buffers[0], .elements_offset = offset},
                      {{.elements = at.buffers[1],
                        .elements_offset = offset,
                        .scales = at.buffers[2],
                        .scales_offset = offset},
                       {.elements = at.buffers[3], .elements_offset = offset}}};
}

/* The steps in their order, each behind the one before, whether or not a sync point is wanted. */
static void test_steps(void **state) {
  (void)state;
  static const char *const calls[] = {"clCommandFillBufferKHR",    "clCommandNDRangeKernelKHR",
                                      "clCommandNDRangeKernelKHR", "clCommandNDRangeKernelKHR",
                                      "clCommandNDRangeKernelKHR", "clCommandNDRangeKernelKHR"};
  enum { STEPS = sizeof calls / sizeof calls[0] };
  static const cl_uint versions[] = {VERSION(0, 9, 4), VERSION(0, 9, 5)};
  relayout_plan *const plan = plan_of_many();
  const many_sides on = sides_at(0);
  for (int i = 0; i < 2; ++i) {
    const cl_sync_point_khr waited[] = {71, 72};
    const int memory = fake_holders(FAKE_MEMORY);
    cl_sync_point_khr point = 0;
    cl_int code = CL_SUCCESS;
    relayout_recording *recording = NULL;
    fake.command_buffer_version = versions[i];
    const rlt_command_buffers with = found();
    const cl_command_buffer_khr buffer = with.create(1, &at.queue, NULL, &code);
    fake_forget();
    assert_int_equal(relayout_plan_record_many(plan, buffer, at.queue, &on.from, on.to, 2, waited,
                                               i == 0 ? &point : NULL, &recording, NULL),
                     RELAYOUT_OK);
    assert_int_equal(fake.command_count, STEPS);
    assert_int_equal(point, i == 0 ? STEPS : 0);
    for (size_t s = 0; s < STEPS; ++s) {
      const fake_command *const command = fake_command_at(NULL, s);
      assert_string_equal(command->call, calls[s]);
      assert_int_equal(command->n_wait, s == 0 ? 2 : 1);
      assert_int_equal((uintptr_t)command->wait[0], s == 0 ? 71 : s);
    }
    assert_int_equal(fake_command_at(NULL, 0)->region[0], sizeof(cl_uint));
    assert_int_equal(fake_holders(FAKE_MEMORY), memory + 1); /* temporary memory, once */
    relayout_recording_destroy(recording);
    assert_int_equal(fake_holders(FAKE_MEMORY), memory);
    with.release(buffer);
  }
  relayout_plan_destroy(plan);
}

/* All arguments that name a caller's buffer change, and those of temporary memory stay. */
static void test_other_side_buffers(void **state) {
  (void)state;
  enum { PASSES = 3, KERNELS = PASSES + 2, ARGUMENTS = 9, MOVED = 64 };
  fake.has_updates = true;
  relayout_plan *const plan = plan_of_many();
  const many_sides on = sides_at(0), next = sides_at(MOVED), less = sides_at(2);
  relayout_recording *recording = NULL;
  relayout_error error = {.message = ""};
  assert_int_equal(
      relayout_recording_create_many(plan, at.queue, &on.from, on.to, &recording, NULL),
      RELAYOUT_OK);
  fake_command recorded[KERNELS];
  for (size_t i = 0; i < KERNELS; ++i) {
    recorded[i] = *fake_command_at("clCommandNDRangeKernelKHR", i);
  }
  fake_forget();
  assert_int_equal(relayout_recording_set_side_buffers(recording, &next.from, next.to, NULL),
                   RELAYOUT_OK);
  assert_int_equal(fake.command_count, KERNELS);
  for (size_t i = 0; i < PASSES; ++i) { /* buffers by turns with starts */
    const fake_argument *const before = recorded[i].arguments;
    const fake_argument *const after = fake_command_at("clUpdateMutableCommandsKHR", i)->arguments;
    for (int a = 0; a < ARGUMENTS; a += 2) {
      bool is_callers = false;
      for (int b = 0; b < 4 && a + 1 < ARGUMENTS; ++b) {
        is_callers = is_callers || handle_of(&before[a]) == (const void *)at.buffers[b];
      }
      if (is_callers) {
        assert_ptr_equal(handle_of(&after[a]), handle_of(&before[a]));
        assert_int_equal(start_of(&after[a + 1]), start_of(&before[a + 1]) + MOVED);
      } else {
        assert_memory_equal(&after[a], &before[a], sizeof after[a]);
        assert_memory_equal(&after[a + 1], &before[a + 1], sizeof after[a]);
      }
    }
  }
  const fake_argument *const from_memory = fake_command_at(NULL, PASSES)->arguments;
  assert_ptr_equal(handle_of(&from_memory[TO]), at.buffers[1]);
  assert_ptr_equal(handle_of(&from_memory[FROM]), handle_of(&recorded[PASSES].arguments[FROM]));
  const fake_argument *const alone = fake_command_at(NULL, PASSES + 1)->arguments;
  assert_ptr_equal(handle_of(&alone[TO]), at.buffers[3]);
  assert_ptr_equal(handle_of(&alone[FROM]), at.buffers[0]);
  fake_forget();
  assert_int_equal(relayout_recording_set_side_buffers(recording, &less.from, less.to, &error),
                   RELAYOUT_MISALIGNED_OFFSET);
  assert_int_equal(relayout_recording_set_side_buffers(recording, NULL, less.to, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "from is NULL");
  assert_int_equal(relayout_recording_set_side_buffers(NULL, &on.from, on.to, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_int_equal(fake.command_count, 0);
  relayout_recording_destroy(recording);
  relayout_plan_destroy(plan);
}

/* Each call takes the recordings of its own kind of plan. */
static void test_other_kind(void **state) {
  (void)state;
  fake.has_updates = true;
  relayout_plan *const many = plan_of_many(), *const single = plan_of_two_parts();
  const many_sides on = sides_at(0);
  relayout_recording *of_many = NULL, *of_single = NULL;
  relayout_error error = {.message = ""};
  assert_int_equal(relayout_recording_create_many(many, at.queue, &on.from, on.to, &of_many, NULL),
                   RELAYOUT_OK);
  assert_int_equal(relayout_recording_create(single, at.queue, at.buffers[0], 0, at.buffers[1], 0,
                                             &of_single, NULL),
                   RELAYOUT_OK);
  assert_int_equal(
      relayout_recording_set_buffers(of_many, at.buffers[0], 0, at.buffers[1], 0, &error),
      RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "relayout_recording_set_side_buffers changes"));
  assert_int_equal(relayout_recording_set_side_buffers(of_single, &on.from, on.to, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "relayout_recording_set_buffers changes"));
  relayout_recording_destroy(of_many);
  relayout_recording_destroy(of_single);
  relayout_plan_destroy(many);
  relayout_plan_destroy(single);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {TEST(test_versions),
                                     TEST(test_versions_of_updates),
                                     TEST(test_missing_functions),
                                     TEST(test_flags),
                                     TEST(test_callers_flags),
                                     TEST(test_sync_points),
                                     TEST(test_kernels),
                                     TEST(test_barriers),
                                     TEST(test_other_buffers),
                                     TEST(test_without_source),
                                     TEST(test_alignment),
                                     TEST(test_runs),
                                     TEST(test_callers_buffers),
                                     TEST(test_steps),
                                     TEST(test_other_side_buffers),
                                     TEST(test_other_kind)};
  fake_driver_use();
  return cmocka_run_group_tests_name("recorded_commands", tests, NULL, NULL);
}
