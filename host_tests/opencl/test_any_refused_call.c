/* test_any_refused_call.c: each call that a driver may refuse is refused in its turn, one a round,
 * and each block of memory: whoever asked is told, unless it can do without, and all that was made
 * is let go. The driver is
 * one of memory, so that rounds take no time. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/command_buffer.h"
#include "opencl/device.h"
#include "opencl/fake_driver.h"
#include "plan/plan.h"
#include "relayout/hooks.h"
#include "relayout/recording.h"
#include "relayout/relayout.h"
#include "relayout/submit.h"
#include "scratch.h"
#include "shape_of.h"

/* ---- Memory of the host, which may be refused too ---- */

static struct {
  int blocks; /* that were not given back yet */
  size_t count;
  size_t refused; /* the one that is, from 1 on; 0: none */
} memory;

static void *allocate(void *context, size_t size, size_t alignment) {
  (void)context;
  const size_t rounded = (size + alignment - 1) / alignment * alignment;
  if (++memory.count == memory.refused) {
    return NULL;
  }
  ++memory.blocks;
  return aligned_alloc(alignment, rounded);
}

static void release(void *context, void *block) {
  (void)context;
  --memory.blocks;
  free(block);
}

/* ---- Rounds ---- */

enum { SOURCE_BYTES = 8 * 300 * 4, DESTINATION_BYTES = 8 * 384 * 4, ROOM = 64 << 10 };

/* What a round has before it: a device, a plan of two parts, and a caller's own objects. */
typedef struct scene {
  fake_device told;
  fake_platform platform;
  cl_context context;
  cl_command_queue queues[3];
  cl_mem buffers[3];
  cl_mem images[2]; /* of the plan's sides */
  cl_event waited;
  char directory[SCRATCH_PATH]; /* "": programs are not kept */
  relayout_device *device;
  relayout_plan *plan;
  relayout_error error;
} scene;

/* One kind of rounds. */
typedef struct scenario {
  const char *name;
  bool is_pocl; /* the CPU's */
  bool has_svm; /* all memory of the host is */
  bool keeps;   /* programs, in files, */
  bool is_anew; /* in others each round */
  bool makes_device;
  bool makes_plan;
  relayout_plan_options options;
  uint64_t allocation_bytes; /* 0: enough */
  const char *unneeded;      /* calls that it can do without */
  const char *from;          /* of a plan of one part; NULL: there is one of two parts */
  const char *to;
  relayout_status (*run)(scene *at);
} scenario;

static relayout_status make_device(scene *at) {
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.cache_directory = at->directory;
  at->device = NULL;
  return relayout_opencl_device_create(at->context, (cl_device_id)(void *)&at->told, &options,
                                       &at->device, &at->error);
}

static relayout_status make_plan(scene *at, const scenario *of) {
  const relayout_plan_options *const options = of->options.struct_size == 0 ? NULL : &of->options;
  const relayout_shape from = shape_of(of->from == NULL ? "f32[8,300]" : of->from);
  const relayout_shape to = shape_of(of->to == NULL ? "f32[8,300]{1,0:T(8,128)}" : of->to);
  at->plan = NULL;
  return relayout_plan_create(at->device, &from, &to, options, &at->plan, &at->error);
}

static void begin(scene *at, const scenario *of) {
  at->told = fake_gpu;
  at->told.type = of->is_pocl ? CL_DEVICE_TYPE_CPU : CL_DEVICE_TYPE_GPU;
  at->told.vector_bytes = of->is_pocl ? 16 : 1;
  at->told.allocation_bytes = of->allocation_bytes > 0 ? of->allocation_bytes : 1 << 28;
  at->platform = (fake_platform){
      of->is_pocl ? "Portable Computing Language" : "Some", "OpenCL 3.0", 1, {&at->told}};
  fake_driver_begin(&at->platform);
  fake.has_command_buffers = fake.has_updates = true;
  at->context = fake_context(1, at->platform.devices);
  for (int i = 0; i < 3; ++i) {
    at->queues[i] = fake_queue(at->context, &at->told);
    at->buffers[i] = fake_buffer(at->context, ROOM);
  }
  at->images[0] = fake_image(at->context, CL_MEM_OBJECT_IMAGE2D, (const size_t[]){300, 8, 1}, 4);
  at->images[1] =
      fake_image(at->context, CL_MEM_OBJECT_IMAGE2D_ARRAY, (const size_t[]){128, 8, 3}, 4);
  at->waited = fake_event(at->context);
  if (!of->makes_device) {
    assert_int_equal(make_device(at), RELAYOUT_OK);
    if (!of->makes_plan) {
      assert_int_equal(make_plan(at, of), RELAYOUT_OK);
      assert_int_equal(at->plan->work.part_count, of->from == NULL ? 2 : 1);
    }
  }
  fake_forget();
}

static void end(scene *at) {
  const int own = 1 + 3 + 3 + 2 + 1;
  relayout_plan_destroy(at->plan);
  relayout_device_destroy(at->device);
  at->plan = NULL;
  at->device = NULL;
  if (fake_all_holders() != own || at->told.holders != 0) {
    for (int kind = 0; kind < FAKE_KINDS; ++kind) {
      print_error("kind %d is held %d times\n", kind, fake_holders((fake_kind)kind));
    }
    fail_msg("%d objects are left, not %d", fake_all_holders(), own);
  }
  assert_int_equal(memory.blocks, 0);
}

/* What was made before does its work after a failure as ever. */
static void run_again(scene *at, const scenario *of) {
  fake.refused_call[0] = '\0';
  fake_forget();
  if (!of->makes_device && !of->makes_plan && of->run(at) != RELAYOUT_OK) {
    fail_msg("%s: after a failure: %s", of->name, at->error.message);
  }
}

/* Whether the round goes on to the next call: false when there was none to be refused. */
static bool run_round(scene *at, const scenario *of, size_t number) {
  begin(at, of);
  fake.refused = fake.calls + number;
  memset(&at->error, 0, sizeof at->error);
  const relayout_status status = of->run(at);
  fake.refused = 0;
  const char *const call = fake.refused_call;
  const bool was_refused = call[0] != '\0';
  if (status == RELAYOUT_OK) {
    if (was_refused && (of->unneeded == NULL || strstr(of->unneeded, call) == NULL)) {
      fail_msg("%s: nobody is told that %s was refused, call %zu", of->name, call, number);
    }
  } else {
    if (status != RELAYOUT_OPENCL_ERROR || at->error.cl_status != CL_OUT_OF_RESOURCES ||
        strstr(at->error.message, "CL_OUT_OF_RESOURCES") == NULL || !was_refused) {
      fail_msg("%s: %s was refused, call %zu: status %d: %s", of->name, call, number, (int)status,
               at->error.message);
    }
    run_again(at, of);
  }
  end(at);
  return was_refused;
}

/* Memory is refused likewise. What can be done without it may be done; what uses none is not
 * refused any. Returns how many times it was asked for. */
static size_t run_without_memory(scene *at, const scenario *of) {
  bool was_refused = true;
  size_t number = 0;
  for (; was_refused; ++number) {
    begin(at, of);
    memset(&at->error, 0, sizeof at->error);
    memory.count = 0;
    memory.refused = number + 1;
    const relayout_status status = of->run(at);
    was_refused = memory.count >= memory.refused;
    memory.refused = 0;
    /* Where boxes cannot be worked out what they would be for does not fit. */
    const bool is_beyond = of->allocation_bytes > 0 && status == RELAYOUT_OUT_OF_DEVICE_MEMORY;
    const bool is_told = status == RELAYOUT_OUT_OF_MEMORY && was_refused &&
                         strncmp(at->error.message, "no memory", 9) == 0;
    if (status != RELAYOUT_OK && !is_told && !is_beyond) {
      fail_msg("%s: no memory, block %zu: status %d: %s", of->name, number + 1, (int)status,
               at->error.message);
    }
    end(at);
  }
  return number - 1;
}

static void run_scenario(const scenario *of, size_t least_calls, bool takes_memory) {
  static scene at;
  char folder[SCRATCH_PATH / 2] = "";
  size_t number = 0;
  if (of->keeps) {
    scratch_make(at.directory);
    snprintf(folder, sizeof folder, "%.200s", at.directory);
  }
  do {
    ++number;
    snprintf(at.directory, sizeof at.directory, of->is_anew ? "%s/%zu" : "%s", folder, number);
  } while (run_round(&at, of, number));
  const size_t blocks = run_without_memory(&at, of);
  if (of->keeps) {
    scratch_remove(folder);
  }
  print_message("%s: %zu calls, %zu blocks of memory\n", of->name, number - 1, blocks);
  assert_true(number > least_calls);
  assert_int_equal(blocks > 0, takes_memory);
}

/* ---- Devices ---- */

/* What it is asked beyond what it needs (pointers, command buffers, keys of files) it may leave
 * unanswered; and platforms that do not tell of their devices have none. The device is as it always
 * is. */
static relayout_status run_device(scene *at) {
  const relayout_status status = make_device(at);
  if (status == RELAYOUT_OK) {
    relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
    assert_int_equal(relayout_device_get_info(at->device, &info, NULL), RELAYOUT_OK);
    assert_string_equal(info.description, "A GPU");
    assert_int_equal(info.device_class, RELAYOUT_DEVICE_CLASS_GPU);
    assert_int_equal(info.allocation_bytes, 1 << 28);
    assert_int_equal(info.caches[0].bytes, 2 << 20);
    assert_int_equal(info.line_bytes, 128);
    assert_int_equal(at->device->facts.group_size, 64);
  } else {
    assert_null(at->device);
  }
  return status;
}

static void test_device(void **state) {
  (void)state;
  const scenario of = {.name = "a device",
                       .makes_device = true,
                       .unneeded = "clGetDeviceInfo clGetPlatformInfo clGetDeviceIDs",
                       .run = run_device};
  run_scenario(&of, 20, true);
}

/* A device that does not answer is passed over, here the only one. */
static relayout_status run_open(scene *at) {
  relayout_device *device = NULL;
  const relayout_status status = relayout_device_open("opencl", &device, &at->error);
  relayout_device_destroy(device);
  if (status == RELAYOUT_NO_DEVICE && memory.refused == 0) {
    assert_string_equal(at->error.message, "no OpenCL platform offers a device");
    return RELAYOUT_OK;
  }
  return status;
}

static void test_open(void **state) {
  (void)state;
  const scenario of = {.name = "opening the best",
                       .makes_device = true,
                       .unneeded = "clGetDeviceInfo clGetPlatformInfo clGetDeviceIDs",
                       .run = run_open};
  run_scenario(&of, 25, true);
}

static relayout_status run_list(scene *at) {
  size_t count = 9;
  const relayout_status status = rlt_opencl_list(NULL, 0, &count, &at->error);
  if (status == RELAYOUT_OK) {
    assert_int_equal(count, fake.refused_call[0] == '\0');
  }
  return status;
}

static void test_list(void **state) {
  (void)state;
  const scenario of = {.name = "a list",
                       .makes_device = true,
                       .unneeded = "clGetDeviceInfo clGetPlatformInfo clGetDeviceIDs",
                       .run = run_list};
  run_scenario(&of, 15, true);
}

/* ---- Plans ---- */

static relayout_status run_plan(scene *at) {
  static const scenario any = {.from = NULL};
  const relayout_status status = make_plan(at, &any);
  assert_int_equal(at->plan != NULL, status == RELAYOUT_OK);
  return status;
}

static void test_plan(void **state) {
  (void)state;
  const scenario of = {.name = "a plan", .makes_plan = true, .run = run_plan};
  run_scenario(&of, 15, true);
}

/* A program that cannot be kept is used, and one that cannot be loaded is compiled. */
static relayout_status run_kept_plan(scene *at) {
  const relayout_status status = run_plan(at);
  if (status == RELAYOUT_OK && fake.refused_call[0] == '\0' && memory.refused == 0) {
    assert_int_equal(fake.builds, 0); /* all of them were kept by now */
  }
  return status;
}

static void test_kept_plan(void **state) {
  (void)state;
  const scenario of = {.name = "a plan of kept programs",
                       .keeps = true,
                       .makes_plan = true,
                       .unneeded = "clGetProgramInfo clRetainProgram clCreateProgramWithBinary "
                                   "clBuildProgram",
                       .run = run_kept_plan};
  const scenario anew = {.name = "a plan of programs to be kept",
                         .keeps = true,
                         .is_anew = true,
                         .makes_plan = true,
                         .unneeded = "clGetProgramInfo clRetainProgram",
                         .run = run_plan};
  run_scenario(&of, 15, true);
  run_scenario(&anew, 15, true);
}

/* ---- Host memory ---- */

static unsigned char source[SOURCE_BYTES];
static unsigned char destination[DESTINATION_BYTES];

/* What was enqueued before a failure still uses the caller's memory, so it is waited for. */
static relayout_status run_execute(scene *at) {
  const relayout_status status = relayout_plan_execute(at->plan, source, destination, &at->error);
  const bool had_queue = strcmp(fake.refused_call, "clCreateCommandQueue") != 0;
  assert_int_equal(fake.finishes, status == RELAYOUT_OK || !had_queue ? 0 : 1);
  return status;
}

static void test_execute(void **state) {
  (void)state;
  const scenario staged = {.name = "host memory through staging",
                           .unneeded = "clEnqueueMarkerWithWaitList",
                           .run = run_execute};
  const scenario wrapped = {.name = "host memory in place",
                            .is_pocl = true,
                            .unneeded = "clEnqueueMarkerWithWaitList",
                            .run = run_execute};
  const scenario pointers = {.name = "host memory by pointers",
                             .has_svm = true,
                             .unneeded = "clEnqueueMarkerWithWaitList",
                             .run = run_execute};
  run_scenario(&staged, 12, false);
  run_scenario(&pointers, 10, false);
  run_scenario(&wrapped, 12, false);
}

static relayout_status run_boxes(scene *at) {
  const relayout_status status = relayout_plan_execute(at->plan, source, destination, &at->error);
  assert_true(fake.finishes == 0 || status != RELAYOUT_OK);
  return status;
}

static void test_boxes(void **state) {
  (void)state;
  const scenario of = {.name = "host memory in boxes",
                       .allocation_bytes = 12000,
                       .unneeded = "clEnqueueMarkerWithWaitList",
                       .run = run_boxes};
  run_scenario(&of, 40, true);
}

/* ---- On a caller's queues ---- */

/* The event comes after all that was taken, after a failure too; there is none where nothing
 * was. */
static void check_event(relayout_status status, cl_event event) {
  if (fake_count("clEnqueueNDRangeKernel") == 0) {
    assert_null(event);
    return;
  }
  assert_non_null(event);
  assert_true(status == RELAYOUT_OK || fake.refused_call[0] != '\0' || memory.refused > 0);
  for (size_t i = 0; i < fake.command_count; ++i) {
    assert_true(fake_covers(event, fake_command_at(NULL, i)));
  }
  fake_release(event);
}

static relayout_status run_enqueue(scene *at) {
  cl_event event = at->waited; /* which may be one of those that are waited for */
  const relayout_status status = relayout_plan_enqueue(
      at->plan, at->queues[0], at->buffers[0], 0, at->buffers[1], 0, 1, &event, &event, &at->error);
  check_event(status, event);
  return status;
}

static void test_enqueue(void **state) {
  (void)state;
  const scenario of = {
      .name = "buffers", .unneeded = "clEnqueueMarkerWithWaitList", .run = run_enqueue};
  run_scenario(&of, 20, false);
}

static relayout_status run_one_shot(scene *at) {
  const relayout_shape from = shape_of("f32[8,300]");
  const relayout_shape to = shape_of("f32[8,300]{0,1}");
  cl_event event = at->waited;
  const relayout_status status =
      relayout_enqueue(at->device, &from, &to, at->queues[0], at->buffers[0], 0, at->buffers[1], 0,
                       0, NULL, &event, &at->error);
  check_event(status, event);
  return status;
}

static void test_one_shot(void **state) {
  (void)state;
  const scenario of = {.name = "one call", .makes_plan = true, .run = run_one_shot};
  run_scenario(&of, 25, true);
}

/* Forty moves, of which a launch does 32. */
static relayout_status run_batch(scene *at) {
  enum { MOVES = 40 };
  relayout_opencl_move moves[MOVES];
  for (int i = 0; i < MOVES; ++i) {
    moves[i] = (relayout_opencl_move){at->buffers[i / 20], 0, at->buffers[2], (size_t)i * 128};
  }
  cl_event event = at->waited;
  const relayout_status status = relayout_plan_enqueue_batch(at->plan, at->queues[0], MOVES, moves,
                                                             1, &event, &event, &at->error);
  check_event(status, event);
  return status;
}

static void test_batch(void **state) {
  (void)state;
  scenario of = {.name = "a batch",
                 .options = RELAYOUT_PLAN_OPTIONS_INIT,
                 .unneeded = "clEnqueueMarkerWithWaitList",
                 .run = run_batch};
  of.options.for_batches = 1;
  run_scenario(&of, 60, false);
}

/* ---- Between any two kinds of memory ---- */

static relayout_status submit(scene *at, bool has_queues) {
  relayout_opencl_memory from = RELAYOUT_OPENCL_MEMORY_INIT;
  relayout_opencl_memory to = RELAYOUT_OPENCL_MEMORY_INIT;
  relayout_opencl_staging staging = RELAYOUT_OPENCL_STAGING_INIT;
  from.kind = to.kind = RELAYOUT_MEMORY_HOST;
  from.pointer = source;
  to.pointer = destination;
  staging.buffer = at->buffers[2];
  staging.upload_queue = has_queues ? at->queues[1] : NULL;
  staging.download_queue = has_queues ? at->queues[2] : NULL;
  cl_event events[2] = {at->waited, at->waited};
  const relayout_status status =
      relayout_plan_submit(at->plan, at->queues[0], &from, &to, &staging, 1, &at->waited,
                           &events[0], &events[1], &at->error);
  assert_true(status != RELAYOUT_OK || (events[0] != NULL && events[1] != NULL));
  assert_true(events[1] != NULL || fake.command_count == 0 ||
              strcmp(fake.refused_call, "clEnqueueMarkerWithWaitList") == 0 ||
              strcmp(fake.refused_call, "clRetainEvent") == 0);
  for (size_t i = 0; i < fake.command_count && events[1] != NULL; ++i) {
    const fake_command *const command = fake_command_at(NULL, i);
    assert_true(command->event == events[0] || fake_covers(events[1], command));
    const uintptr_t at_host = (uintptr_t)command->host;
    const bool is_of_source =
        at_host >= (uintptr_t)source && at_host < (uintptr_t)source + sizeof source;
    assert_true(status != RELAYOUT_OK || !is_of_source || fake_covers(events[0], command));
  }
  for (int i = 0; i < 2; ++i) {
    if (events[i] != NULL) {
      fake_release(events[i]);
    }
  }
  return status;
}

static relayout_status run_submit(scene *at) {
  return submit(at, false);
}

static relayout_status run_submit_on_queues(scene *at) {
  return submit(at, true);
}

static void test_submit(void **state) {
  (void)state;
  scenario of = {.name = "a submission", .options = RELAYOUT_PLAN_OPTIONS_INIT, .run = run_submit};
  of.unneeded = "clEnqueueMarkerWithWaitList";
  run_scenario(&of, 18, false);
  of.name = "a submission in place";
  of.is_pocl = true;
  run_scenario(&of, 18, false);
  of.is_pocl = false;
  of.name = "a submission in chunks";
  of.options.source_chunk_bytes = 4096;
  of.options.destination_chunk_bytes = 4096;
  run_scenario(&of, 40, false);
  of.name = "a submission on three queues";
  of.run = run_submit_on_queues;
  run_scenario(&of, 45, false);
  of.name = "a submission of parts of bytes";
  of.options.source_chunk_bytes = of.options.destination_chunk_bytes = 0;
  of.from = "s4[99]{0:E(4)}";
  of.to = "s4[99]{0:PD(103)PV(unknown)E(4)}";
  run_scenario(&of, 20, false);
  of.name = "a submission of converted elements";
  of.options.scale = 3;
  of.from = "u8[37,64]";
  of.to = "bf16[37,64]{1,0:PD(40,64)}";
  run_scenario(&of, 15, false);
}

/* An image that the destination of a plan is: it comes first where not all of it is written. */
static relayout_status run_images(scene *at) {
  relayout_opencl_memory from = RELAYOUT_OPENCL_MEMORY_INIT;
  relayout_opencl_memory to = RELAYOUT_OPENCL_MEMORY_INIT;
  relayout_opencl_staging staging = RELAYOUT_OPENCL_STAGING_INIT;
  from.kind = to.kind = RELAYOUT_MEMORY_IMAGE;
  from.memory = at->images[0];
  to.memory = at->images[1];
  staging.buffer = at->buffers[2];
  cl_event events[2] = {NULL, NULL};
  const relayout_status status = relayout_plan_submit(at->plan, at->queues[0], &from, &to, &staging,
                                                      0, NULL, &events[0], &events[1], &at->error);
  for (int i = 0; i < 2; ++i) {
    assert_true(status != RELAYOUT_OK || events[i] != NULL);
    if (events[i] != NULL) {
      fake_release(events[i]);
    }
  }
  return status;
}

static void test_images(void **state) {
  (void)state;
  const scenario of = {
      .name = "images", .unneeded = "clEnqueueMarkerWithWaitList", .run = run_images};
  run_scenario(&of, 35, false);
}

/* ---- Measuring ---- */

static relayout_status run_time(scene *at) {
  const rlt_backend *const backend = at->device->backend;
  void *scratch = NULL;
  double seconds = -1;
  relayout_status status =
      backend->scratch_create(at->device, SOURCE_BYTES, DESTINATION_BYTES, &scratch, &at->error);
  assert_int_equal(scratch != NULL, status == RELAYOUT_OK);
  if (status == RELAYOUT_OK) {
    assert_int_equal(fake.finishes, 1);
    assert_int_equal(fake_count("clEnqueueFillBuffer"), 2);
    status = backend->executable_time(at->device, at->plan->work.parts[0].variants[0].executable,
                                      scratch, (rlt_offsets){0, 0}, &seconds, &at->error);
    backend->scratch_destroy(at->device, scratch);
  }
  if (status == RELAYOUT_OK) {
    assert_true(seconds > 0.99e-6 && seconds < 1.01e-6);
  }
  return status;
}

static void test_time(void **state) {
  (void)state;
  const scenario of = {.name = "a measurement", .run = run_time};
  run_scenario(&of, 14, true);
}

/* ---- Command buffers ---- */

static relayout_status run_recording(scene *at) {
  relayout_recording *recording = (relayout_recording *)(void *)at;
  relayout_status status = relayout_recording_create(at->plan, at->queues[0], at->buffers[0], 0,
                                                     at->buffers[1], 0, &recording, &at->error);
  if (status != RELAYOUT_OK) {
    assert_null(recording);
    return status;
  }
  assert_int_equal(fake_count("clCommandNDRangeKernelKHR"), 2);
  status = relayout_recording_set_buffers(recording, at->buffers[1], 256, at->buffers[2], 512,
                                          &at->error);
  cl_event event = at->waited;
  if (status == RELAYOUT_OK) {
    assert_int_equal(fake_count("clUpdateMutableCommandsKHR"), 2);
    status = relayout_recording_enqueue(recording, 1, &event, &event, &at->error);
    assert_int_equal(event != NULL, status == RELAYOUT_OK);
    if (event != NULL) {
      fake_release(event);
    }
  }
  relayout_recording_destroy(recording);
  return status;
}

static relayout_status run_record(scene *at) {
  relayout_recording *recording = NULL;
  rlt_command_buffers with;
  cl_command_buffer_khr buffer = NULL;
  cl_sync_point_khr point = 0;
  relayout_status status =
      rlt_command_buffers_find(rlt_opencl_device_of(at->device), &with, &at->error);
  if (status == RELAYOUT_OK) {
    status = rlt_command_buffers_make(&with, at->queues[0], &buffer, &at->error);
  }
  if (status == RELAYOUT_OK) {
    status = relayout_plan_record(at->plan, buffer, at->queues[0], at->buffers[0], 0,
                                  at->buffers[1], 0, 0, NULL, &point, &recording, &at->error);
    assert_int_equal(recording != NULL, status == RELAYOUT_OK);
    relayout_recording_destroy(recording);
    with.release(buffer);
  }
  return status;
}

static void test_recording(void **state) {
  (void)state;
  const scenario alone = {.name = "a recording", .run = run_recording};
  const scenario among_others = {.name = "a recording among others", .run = run_record};
  run_scenario(&alone, 40, true);
  run_scenario(&among_others, 30, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_device),    cmocka_unit_test(test_open),
      cmocka_unit_test(test_list),      cmocka_unit_test(test_plan),
      cmocka_unit_test(test_kept_plan), cmocka_unit_test(test_execute),
      cmocka_unit_test(test_boxes),     cmocka_unit_test(test_enqueue),
      cmocka_unit_test(test_one_shot),  cmocka_unit_test(test_batch),
      cmocka_unit_test(test_submit),    cmocka_unit_test(test_images),
      cmocka_unit_test(test_time),      cmocka_unit_test(test_recording),
  };
  const relayout_allocator counted = {sizeof counted, allocate, release, NULL};
  fake_driver_use();
  if (relayout_set_allocator(&counted, NULL) != RELAYOUT_OK) {
    return 1;
  }
  return cmocka_run_group_tests_name("any_refused_call", tests, NULL, NULL);
}
