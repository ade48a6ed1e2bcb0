/* test_opencl.c: the OpenCL backend when a call fails, one of its own or one of OpenCL's: devices,
 * plans, relayouts of host memory and on a caller's queues. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faults/folder.h"
#include "faults/harness.h"
#include "faults/moves.h"
#include "opencl/command_buffer.h"
#include "opencl/device.h"
#include "opencl/native.h"
#include "relayout/opencl.h"
#include "relayout/recording.h"
#include "relayout/relayout.h"
#include "relayout/submit.h"

/* Few programs, for compiling them is what takes long: the quick run has two. */
enum { TRANSPOSED, PARTED, CONVERTED, GATHERED, MOVES };

static move moves[MOVES] = {
    [TRANSPOSED] = {.from_text = "f32[64,96]", .to_text = "f32[64,96]{0,1}"},
    [PARTED] = {.from_text = "f32[8,300]", .to_text = "f32[8,300]{1,0:T(8,128)}"},
    [CONVERTED] = {.from_text = "u8[37,64]", .to_text = "bf16[37,64]{1,0:PD(40,64)}", .scale = 3},
    [GATHERED] = {.from_text = "u8[24,40]{1,0:T(6,10)}", .to_text = "u8[24,40]{1,0:T(4,7)}"}};

static void *const untouched = moves;

/* ---- A caller's own objects, there from the beginning ---- */

typedef enum order { IN_ORDER, OUT_OF_ORDER } order;

static cl_device_id id;
static cl_context context;
static cl_command_queue queues[2];

static void check_code(cl_int code, const char *call) {
  if (code != CL_SUCCESS) {
    trial_fail("%s: %d", call, (int)code);
    exit(1);
  }
}

static bool runs_native; /* the device */

/* Most scenarios go by work-group kernels. */
static relayout_device *open_in(const char *cache_directory) {
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.kernels = RELAYOUT_KERNELS_WORK_GROUP;
  options.cache_directory = cache_directory;
  relayout_device *device = NULL;
  MUST(relayout_opencl_device_create(context, id, &options, &device, &trial_error));
  return device;
}

static relayout_device *open_device(void) {
  return open_in("");
}

static relayout_device *open_native(void) {
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.kernels = runs_native ? RELAYOUT_KERNELS_NATIVE : RELAYOUT_KERNELS_WORK_GROUP;
  options.cache_directory = "";
  relayout_device *device = NULL;
  MUST(relayout_opencl_device_create(context, id, &options, &device, &trial_error));
  return device;
}

static relayout_plan *make_plan(relayout_device *device, const move *moved) {
  const relayout_plan_options options = move_options(moved);
  relayout_plan *plan = NULL;
  MUST(relayout_plan_create(device, &moved->from, &moved->to, &options, &plan, &trial_error));
  return plan;
}

static void expect_usable(relayout_device *device, const move *moved) {
  relayout_plan *const plan = make_plan(device, moved);
  move_expect_right(moved, plan);
  relayout_plan_destroy(plan);
}

/* ---- Devices ---- */

/* Questions that nobody answered: a device may seem to be none of those that can be used. */
static void permit_no_device(void) {
  trial_permit(RELAYOUT_NO_DEVICE);
}

/* A device that opened although a call failed is as good as any. After a failure another one opens.
 * */
static void finish_opening(const scenario *it, relayout_device *device, bool opened) {
  if (opened) {
    expect_usable(device, it->moved);
  } else {
    EXPECT(device == untouched);
    device = open_device();
  }
  DURING(relayout_device_destroy(device));
}

static void open_by_name(const scenario *it) {
  permit_no_device();
  relayout_device *device = untouched;
  const bool opened = TRY(relayout_device_open("opencl", &device, &trial_error));
  finish_opening(it, device, opened);
}

/* The CPU backend is there in any case, unless memory fails it. */
static void open_any(const scenario *it) {
  relayout_device *device = untouched;
  const bool opened = TRY(relayout_device_open("auto", &device, &trial_error));
  finish_opening(it, device, opened);
}

static void open_on_handles(const scenario *it) {
  relayout_device *device = untouched;
  const bool opened = TRY(relayout_opencl_device_create(context, id, NULL, &device, &trial_error));
  finish_opening(it, device, opened);
}

static void list(const scenario *it) {
  (void)it;
  enum { MOST = 16, NONE = 9999 };
  relayout_device_info infos[MOST];
  for (size_t i = 0; i < MOST; ++i) {
    infos[i] = (relayout_device_info)RELAYOUT_DEVICE_INFO_INIT;
  }
  size_t count = NONE;
  if (TRY(relayout_device_list(infos, MOST, &count, &trial_error))) {
    EXPECT(count >= 1 && count <= MOST && strcmp(infos[0].name, "cpu") == 0);
  } else {
    EXPECT(count == NONE && infos[0].name[0] == '\0');
  }
}

/* ---- Plans ---- */

static bool plan_on(relayout_device *device, const scenario *it, relayout_plan_effort effort) {
  const move *const moved = it->moved;
  relayout_plan_options options = move_options(moved);
  options.effort = effort;
  relayout_plan *plan = untouched;
  const bool planned =
      TRY(relayout_plan_create(device, &moved->from, &moved->to, &options, &plan, &trial_error));
  if (!planned) {
    EXPECT(plan == untouched);
    MUST(relayout_plan_create(device, &moved->from, &moved->to, &options, &plan, &trial_error));
  }
  move_expect_right(moved, plan);
  DURING(relayout_plan_destroy(plan));
  return planned;
}

static void plan_without_cache(const scenario *it) {
  relayout_device *const device = open_device();
  (void)plan_on(device, it, RELAYOUT_PLAN_ESTIMATE);
  relayout_device_destroy(device);
}

static void plan_natively(const scenario *it) {
  relayout_device *const device = open_native();
  (void)plan_on(device, it, RELAYOUT_PLAN_ESTIMATE);
  relayout_device_destroy(device);
}

/* On a new device with the cache folder as it is. Whatever a plan left there does not lead the next
 * device astray. */
static void plan_and_again(const scenario *it, relayout_plan_effort effort) {
  relayout_device *const device = open_in(folder_path());
  const bool planned = plan_on(device, it, effort);
  relayout_device_destroy(device);
  if (planned) {
    relayout_device *const next = open_in(folder_path());
    expect_usable(next, it->moved);
    relayout_device_destroy(next);
  }
}

static void plan_cold(const scenario *it) {
  folder_remove();
  plan_and_again(it, RELAYOUT_PLAN_ESTIMATE);
}

static void keep_program(const scenario *it) {
  folder_remove();
  relayout_device *const device = open_in(folder_path());
  expect_usable(device, it->moved);
  relayout_device_destroy(device);
}

static void plan_warm(const scenario *it) {
  plan_and_again(it, RELAYOUT_PLAN_ESTIMATE);
}

static void measure_cold(const scenario *it) {
  folder_remove();
  plan_and_again(it, RELAYOUT_PLAN_MEASURE);
}

static void measure_warm(const scenario *it) {
  plan_and_again(it, RELAYOUT_PLAN_MEASURE);
}

/* ---- Relayouts of host memory ---- */

static relayout_device *shared_device;
static relayout_plan *shared_plan;

static void make_shared(const scenario *it) {
  shared_device = open_device();
  shared_plan = make_plan(shared_device, it->moved);
  move_expect_right(it->moved, shared_plan);
}

static void make_native(const scenario *it) {
  shared_device = open_native();
  shared_plan = make_plan(shared_device, it->moved);
  move_expect_right(it->moved, shared_plan);
}

static void drop_shared(const scenario *it) {
  (void)it;
  relayout_plan_destroy(shared_plan);
  relayout_device_destroy(shared_device);
}

/* After an error of OpenCL's the destination may be partly written. */
static void check_moved(const move *moved, bool ok) {
  const move_outcome outcome = move_outcome_of(moved);
  if (ok) {
    EXPECT(outcome == MOVE_WHOLE);
  } else if (trial_error.status == RELAYOUT_OPENCL_ERROR ||
             trial_error.status == RELAYOUT_OUT_OF_DEVICE_MEMORY) {
    EXPECT(outcome != MOVE_WRONG);
  } else {
    EXPECT(outcome == MOVE_UNTOUCHED);
  }
}

static void execute(const scenario *it) {
  uint8_t *const destination = move_destination(it->moved);
  check_moved(it->moved, TRY(relayout_plan_execute(shared_plan, it->moved->source, destination,
                                                   &trial_error)));
  move_expect_right(it->moved, shared_plan);
}

static void copy(const scenario *it) {
  const move *const moved = it->moved;
  relayout_device *const device = open_device();
  uint8_t *const destination = move_destination(moved);
  check_moved(moved, TRY(relayout_copy(device, &moved->from, &moved->to, moved->source, destination,
                                       &trial_error)));
  expect_usable(device, moved);
  relayout_device_destroy(device);
}

/* ---- On a caller's queue ---- */

typedef struct buffers {
  cl_mem source;
  cl_mem destination; /* guards included */
} buffers;

static cl_mem make_buffer(size_t size, const uint8_t *bytes) {
  cl_int code = CL_SUCCESS;
  const cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, size,
                                     (void *)(uintptr_t)bytes, &code);
  check_code(code, "clCreateBuffer");
  return made;
}

static buffers make_buffers(const move *moved) {
  return (buffers){.source = make_buffer(moved->source_size, moved->source),
                   .destination =
                       make_buffer(moved->destination_size + 2 * MOVE_GUARD, moved->poison)};
}

/* What the destination's buffer holds, once all commands are done. */
static move_outcome outcome_in(const buffers *on, const move *moved, cl_command_queue queue) {
  check_code(clFinish(queue), "clFinish");
  check_code(clEnqueueReadBuffer(queue, on->destination, CL_TRUE, 0,
                                 moved->destination_size + 2 * MOVE_GUARD, moved->room, 0, NULL,
                                 NULL),
             "clEnqueueReadBuffer");
  return move_outcome_of(moved);
}

static void release_buffers(const buffers *used) {
  clReleaseMemObject(used->source);
  clReleaseMemObject(used->destination);
}

static void expect_complete(cl_event event) {
  cl_int state = CL_QUEUED;
  check_code(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL),
             "clGetEventInfo");
  EXPECT(state == CL_COMPLETE);
  clReleaseEvent(event);
}

/* On failure nothing is enqueued, unless the driver took some kernels of several and refused the
 * next: then the event is one of those. */
static void check_failed(const move_outcome outcome, cl_event event, bool wants_event) {
  const bool is_refused = strncmp(fault_reported()->call, "clEnqueue", 9) == 0;
  if (wants_event && event != NULL && event != untouched) {
    EXPECT(is_refused && outcome != MOVE_WRONG);
    expect_complete(event);
  } else if (wants_event || !is_refused) {
    EXPECT(outcome == MOVE_UNTOUCHED);
  } else {
    EXPECT(outcome != MOVE_WRONG);
  }
  EXPECT(wants_event == (event != untouched));
}

static void check_enqueued(const scenario *it, const buffers *on, cl_command_queue queue, bool ok,
                           cl_event event, bool wants_event) {
  const move_outcome outcome = outcome_in(on, it->moved, queue);
  if (!ok) {
    check_failed(outcome, event, wants_event);
    return;
  }
  EXPECT(outcome == MOVE_WHOLE);
  if (wants_event) {
    expect_complete(event);
  }
}

/* After an event of the caller's, which is on both queues. */
static void enqueue(const scenario *it, order ordered, bool wants_event) {
  const cl_command_queue queue = queues[ordered];
  const buffers on = make_buffers(it->moved);
  cl_event before = NULL;
  check_code(clEnqueueMarkerWithWaitList(queue, 0, NULL, &before), "clEnqueueMarkerWithWaitList");
  cl_event event = untouched;
  const bool ok =
      TRY(relayout_plan_enqueue(shared_plan, queue, on.source, 0, on.destination, MOVE_GUARD, 1,
                                &before, wants_event ? &event : NULL, &trial_error));
  check_enqueued(it, &on, queue, ok, event, wants_event);
  clReleaseEvent(before);
  release_buffers(&on);
  move_expect_right(it->moved, shared_plan);
}

static void enqueue_in_order(const scenario *it) {
  enqueue(it, IN_ORDER, true);
}

static void enqueue_in_order_silently(const scenario *it) {
  enqueue(it, IN_ORDER, false);
}

static void enqueue_out_of_order(const scenario *it) {
  enqueue(it, OUT_OF_ORDER, true);
}

static void enqueue_out_of_order_silently(const scenario *it) {
  enqueue(it, OUT_OF_ORDER, false);
}

/* In one call, on a device that does not know the plan. */
static void enqueue_at_once(const scenario *it) {
  const move *const moved = it->moved;
  relayout_device *const device = open_device();
  const buffers on = make_buffers(moved);
  cl_event event = untouched;
  const bool ok =
      TRY(relayout_enqueue(device, &moved->from, &moved->to, queues[IN_ORDER], on.source, 0,
                           on.destination, MOVE_GUARD, 0, NULL, &event, &trial_error));
  check_enqueued(it, &on, queues[IN_ORDER], ok, event, true);
  release_buffers(&on);
  expect_usable(device, moved);
  relayout_device_destroy(device);
}

/* ---- Several destinations ---- */

/* Scales of all boxes together, which take passes of their own, and padding, which goes through
 * temporary memory. */
enum { ROWS = 24, COLUMNS = 300, PADDED = 304, MANY_POISON = 0x3c };

typedef struct many_bytes {
  int8_t elements[ROWS * COLUMNS];
  float scale[ROWS]; /* the first, or all */
  uint16_t padded[ROWS * PADDED];
} many_bytes;

static float many_source[ROWS * COLUMNS];
static many_bytes many_wanted;

static relayout_scaled_view many_from, many_to[2];

static relayout_status create_many(relayout_device *device, relayout_plan **plan) {
  return relayout_plan_create_many(device, &many_from, many_to, 2, NULL, plan, &trial_error);
}

static void make_views(const scenario *it) {
  (void)it;
  MUST(relayout_scaled_view_parse("f32[24,300]", &many_from, &trial_error));
  MUST(relayout_scaled_view_parse("s8[24,300] * f32[1,1]", &many_to[0], &trial_error));
  MUST(relayout_scaled_view_parse("f16[24,300]{1,0:PD(24,304)}", &many_to[1], &trial_error));
  many_to[0].rule = RELAYOUT_SCALES_AMAX;
}

static relayout_status execute_many(many_bytes *found) {
  const relayout_source_memory from = {.elements = many_source};
  const relayout_destination_memory to[2] = {{.elements = found->elements, .scales = found->scale},
                                             {.elements = found->padded}};
  return relayout_plan_execute_many(shared_plan, &from, to, &trial_error);
}

static void make_many_on(relayout_device *device) {
  for (int32_t i = 0; i < ROWS * COLUMNS; ++i) {
    many_source[i] = (float)(i % 211 - 100);
  }
  shared_device = device;
  memset(&many_wanted, MANY_POISON, sizeof many_wanted);
  MUST(create_many(shared_device, &shared_plan));
  MUST(execute_many(&many_wanted));
}

static void make_many(const scenario *it) {
  make_views(it);
  make_many_on(open_device());
}

/* Without temporary memory: scales of rows, and nothing padded that is written. */
static void make_many_in_place(const scenario *it) {
  make_views(it);
  MUST(relayout_scaled_view_parse("s8[24,300] * f32[24,1]", &many_to[0], &trial_error));
  MUST(relayout_scaled_view_parse("f16[24,300]{0,1}", &many_to[1], &trial_error));
  many_to[0].rule = RELAYOUT_SCALES_AMAX;
  make_many_on(open_device());
}

static void make_many_native(const scenario *it) {
  make_views(it);
  make_many_on(open_native());
}

/* Bytes that were not written are as they were. */
static void check_many(const many_bytes *found, bool ok) {
  const uint8_t *const bytes = (const uint8_t *)found;
  const uint8_t *const wanted = (const uint8_t *)&many_wanted;
  bool is_partly_right = true;
  for (size_t i = 0; i < sizeof many_wanted; ++i) {
    is_partly_right = is_partly_right && (bytes[i] == wanted[i] || bytes[i] == MANY_POISON);
  }
  EXPECT(ok ? memcmp(found, &many_wanted, sizeof many_wanted) == 0 : is_partly_right);
}

static void plan_many(const scenario *it) {
  relayout_device *const device = open_device();
  relayout_plan *plan = untouched;
  (void)it;
  if (TRY(create_many(device, &plan))) {
    relayout_plan_destroy(plan);
  } else {
    EXPECT(plan == untouched);
  }
  relayout_device_destroy(device);
}

static void execute_many_destinations(const scenario *it) {
  static many_bytes found;
  (void)it;
  memset(&found, MANY_POISON, sizeof found);
  check_many(&found, TRY(execute_many(&found)));
  MUST(execute_many(&found));
  check_many(&found, true);
}

/* All destinations in one buffer. */
static void find_many_sides(cl_mem destination, relayout_side_buffers to[2]) {
  to[0] = (relayout_side_buffers){
      .elements = destination, .scales = destination, .scales_offset = offsetof(many_bytes, scale)};
  to[1] = (relayout_side_buffers){.elements = destination,
                                  .elements_offset = offsetof(many_bytes, padded)};
}

static void enqueue_many(const scenario *it) {
  static many_bytes found;
  (void)it;
  memset(&found, MANY_POISON, sizeof found);
  const cl_mem source = make_buffer(sizeof many_source, (const uint8_t *)many_source);
  const cl_mem destination = make_buffer(sizeof found, (const uint8_t *)&found);
  const relayout_side_buffers from = {.elements = source};
  relayout_side_buffers to[2];
  find_many_sides(destination, to);
  cl_event event = untouched;
  const bool ok = TRY(relayout_plan_enqueue_many(shared_plan, queues[OUT_OF_ORDER], &from, to, 0,
                                                 NULL, &event, &trial_error));
  EXPECT(event != untouched && (!ok || event != NULL));
  check_code(clFinish(queues[OUT_OF_ORDER]), "clFinish");
  check_code(clEnqueueReadBuffer(queues[IN_ORDER], destination, CL_TRUE, 0, sizeof found, &found, 0,
                                 NULL, NULL),
             "clEnqueueReadBuffer");
  check_many(&found, ok);
  if (event != NULL) {
    expect_complete(event);
  }
  clReleaseMemObject(source);
  clReleaseMemObject(destination);
}

/* Two moves to two buffers of the destination. */
static void enqueue_many_batch(const scenario *it) {
  static many_bytes found;
  (void)it;
  memset(&found, MANY_POISON, sizeof found);
  const cl_mem source = make_buffer(sizeof many_source, (const uint8_t *)many_source);
  const relayout_side_buffers from = {.elements = source};
  cl_mem destinations[2];
  relayout_side_buffers to[2][2];
  relayout_opencl_many_move moved[2];
  for (int i = 0; i < 2; ++i) {
    destinations[i] = make_buffer(sizeof found, (const uint8_t *)&found);
    find_many_sides(destinations[i], to[i]);
    moved[i] = (relayout_opencl_many_move){&from, to[i]};
  }
  cl_event event = untouched;
  const bool ok = TRY(relayout_plan_enqueue_many_batch(shared_plan, queues[OUT_OF_ORDER], 2, moved,
                                                       0, NULL, &event, &trial_error));
  EXPECT(event != untouched && (!ok || event != NULL));
  check_code(clFinish(queues[OUT_OF_ORDER]), "clFinish");
  for (int i = 0; i < 2; ++i) {
    check_code(clEnqueueReadBuffer(queues[IN_ORDER], destinations[i], CL_TRUE, 0, sizeof found,
                                   &found, 0, NULL, NULL),
               "clEnqueueReadBuffer");
    check_many(&found, ok);
    clReleaseMemObject(destinations[i]);
  }
  if (event != NULL) {
    expect_complete(event);
  }
  clReleaseMemObject(source);
}

/* ---- Between other memory ---- */

/* Shared memory is not, and the plan is in chunks. */
static void make_apart(const scenario *it) {
  shared_device = open_device();
  rlt_opencl_device *const device = (rlt_opencl_device *)shared_device;
  device->shares_host_memory = device->svm_is_all_memory = false;
  relayout_plan_options options = move_options(it->moved);
  options.source_chunk_bytes = options.destination_chunk_bytes = 8192;
  MUST(relayout_plan_create(shared_device, &it->moved->from, &it->moved->to, &options, &shared_plan,
                            &trial_error));
  move_expect_right(it->moved, shared_plan);
}

static cl_mem make_staging(const relayout_memory_kind *kinds) {
  size_t size = 0;
  MUST(relayout_plan_staging_size(shared_plan, kinds[0], kinds[1], &size, &trial_error));
  cl_int code = CL_SUCCESS;
  const cl_mem made =
      size == 0 ? NULL : clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &code);
  check_code(code, "clCreateBuffer");
  return made;
}

/* With all events, which are there or not as the header says. Memory of the host is the test's
 * again when the last one is complete. */
static void submit(const scenario *it, const relayout_opencl_memory *source,
                   const relayout_opencl_memory *destination) {
  const relayout_memory_kind kinds[] = {source->kind, destination->kind};
  relayout_opencl_staging staging = RELAYOUT_OPENCL_STAGING_INIT;
  staging.buffer = make_staging(kinds);
  staging.upload_queue = queues[OUT_OF_ORDER];
  cl_event events[] = {untouched, untouched};
  const bool ok =
      TRY(relayout_plan_submit(shared_plan, queues[IN_ORDER], source, destination, &staging, 0,
                               NULL, &events[0], &events[1], &trial_error));
  EXPECT(events[0] != untouched && events[1] != untouched);
  EXPECT(!ok || (events[0] != NULL && events[1] != NULL));
  check_code(clFinish(queues[IN_ORDER]), "clFinish");
  check_code(clFinish(queues[OUT_OF_ORDER]), "clFinish");
  for (int i = 0; i < 2; ++i) {
    if (events[i] != NULL) {
      expect_complete(events[i]);
    }
  }
  if (staging.buffer != NULL) {
    clReleaseMemObject(staging.buffer);
  }
  check_moved(it->moved, ok);
}

static void submit_host_memory(const scenario *it) {
  const move *const moved = it->moved;
  uint8_t *const to = move_destination(moved);
  const relayout_opencl_memory source = {sizeof source, RELAYOUT_MEMORY_HOST, NULL, moved->source,
                                         0};
  const relayout_opencl_memory destination = {sizeof destination, RELAYOUT_MEMORY_HOST, NULL, to,
                                              0};
  submit(it, &source, &destination);
  move_expect_right(moved, shared_plan);
}

/* The source is an image of one line. */
static void submit_image(const scenario *it) {
  const move *const moved = it->moved;
  const cl_image_format format = {CL_RGBA, CL_FLOAT};
  const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                              .image_width = moved->source_size / 16,
                              .image_height = 1};
  cl_int code = CL_SUCCESS;
  const cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, &format,
                                     &desc, moved->source, &code);
  check_code(code, "clCreateImage");
  uint8_t *const to = move_destination(moved);
  const relayout_opencl_memory source = {sizeof source, RELAYOUT_MEMORY_IMAGE, image, NULL, 0};
  const relayout_opencl_memory destination = {sizeof destination, RELAYOUT_MEMORY_HOST, NULL, to,
                                              0};
  submit(it, &source, &destination);
  clReleaseMemObject(image);
}

/* ---- In command buffers ---- */

static rlt_command_buffers with; /* without functions on a device that has none */

/* A device is right to say that it lacks what it was not asked in vain for. */
static void permit_no_command_buffers(void) {
  trial_permit(RELAYOUT_UNSUPPORTED);
}

static void record(const scenario *it) {
  if (with.create == NULL) {
    return;
  }
  const buffers on = make_buffers(it->moved);
  const cl_command_queue queue = queues[IN_ORDER];
  cl_int code = CL_SUCCESS;
  const cl_command_buffer_khr commands = with.create(1, &queue, NULL, &code);
  check_code(code, "clCreateCommandBufferKHR");
  relayout_recording *recording = untouched;
  cl_sync_point_khr end = 0;
  permit_no_command_buffers();
  if (TRY(relayout_plan_record(shared_plan, commands, queue, on.source, 0, on.destination,
                               MOVE_GUARD, 0, NULL, &end, &recording, &trial_error))) {
    check_code(with.finalize(commands), "clFinalizeCommandBufferKHR");
    check_code(with.enqueue(0, NULL, commands, 0, NULL, NULL), "clEnqueueCommandBufferKHR");
    EXPECT(outcome_in(&on, it->moved, queue) == MOVE_WHOLE);
  } else {
    EXPECT(recording == NULL);
  }
  with.release(commands);
  DURING(relayout_recording_destroy(recording));
  release_buffers(&on);
  move_expect_right(it->moved, shared_plan);
}

/* The first recording on a device that runs native kernels has it make another one. */
static void record_anew(const scenario *it) {
  make_native(it);
  record(it);
  drop_shared(it);
}

static void replay(const scenario *it) {
  if (with.create == NULL) {
    return;
  }
  const buffers on = make_buffers(it->moved);
  const cl_command_queue queue = queues[IN_ORDER];
  relayout_recording *recording = untouched;
  permit_no_command_buffers();
  if (!TRY(relayout_recording_create(shared_plan, queue, on.source, 0, on.destination, MOVE_GUARD,
                                     &recording, &trial_error))) {
    EXPECT(recording == NULL);
    MUST(relayout_recording_create(shared_plan, queue, on.source, 0, on.destination, MOVE_GUARD,
                                   &recording, &trial_error));
  }
  cl_event event = untouched;
  const bool ok = TRY(relayout_recording_enqueue(recording, 0, NULL, &event, &trial_error));
  check_enqueued(it, &on, queue, ok, event, true);
  MUST(relayout_recording_enqueue(recording, 0, NULL, NULL, &trial_error));
  EXPECT(outcome_in(&on, it->moved, queue) == MOVE_WHOLE);
  DURING(relayout_recording_destroy(recording));
  release_buffers(&on);
  move_expect_right(it->moved, shared_plan);
}

/* All destinations in one buffer, as enqueue_many has them. */
static void replay_many(const scenario *it) {
  static many_bytes found;
  (void)it;
  if (with.create == NULL) {
    return;
  }
  memset(&found, MANY_POISON, sizeof found);
  const cl_command_queue queue = queues[IN_ORDER];
  const cl_mem source = make_buffer(sizeof many_source, (const uint8_t *)many_source);
  const cl_mem destination = make_buffer(sizeof found, (const uint8_t *)&found);
  const relayout_side_buffers from = {.elements = source};
  relayout_side_buffers to[2];
  find_many_sides(destination, to);
  relayout_recording *recording = untouched;
  permit_no_command_buffers();
  if (!TRY(relayout_recording_create_many(shared_plan, queue, &from, to, &recording,
                                          &trial_error))) {
    EXPECT(recording == NULL);
    MUST(relayout_recording_create_many(shared_plan, queue, &from, to, &recording, &trial_error));
  }
  for (int i = 0; i < 2; ++i) {
    MUST(relayout_recording_enqueue(recording, 0, NULL, NULL, &trial_error));
    check_code(clFinish(queue), "clFinish");
    check_code(
        clEnqueueReadBuffer(queue, destination, CL_TRUE, 0, sizeof found, &found, 0, NULL, NULL),
        "clEnqueueReadBuffer");
    check_many(&found, true);
  }
  DURING(relayout_recording_destroy(recording));
  clReleaseMemObject(source);
  clReleaseMemObject(destination);
}

/* The first recording on a device that runs native kernels makes the plan once more. */
static void replay_many_anew(const scenario *it) {
  make_many_native(it);
  replay_many(it);
  drop_shared(it);
}

/* ---- Explaining, and what measuring remembers ---- */

static void explain(const scenario *it) {
  (void)it;
  char calm[4096];
  char text[4096];
  size_t length = 0;
  relayout_plan_explain(shared_plan, RELAYOUT_EXPLAIN_TEXT, calm, sizeof calm);
  DURING(length = relayout_plan_explain(shared_plan, RELAYOUT_EXPLAIN_TEXT, text, sizeof text));
  EXPECT(length == strlen(text) && strcmp(text, calm) == 0);
}

/* The device remembers no plans, which an import would let go of. */
static void make_forgetful(const scenario *it) {
  make_shared(it);
  MUST(relayout_device_set_budget(shared_device, 0, &trial_error));
}

static void export_and_import(const scenario *it) {
  (void)it;
  char text[4096];
  char taken[4096];
  size_t length = 0;
  DURING(length = relayout_device_export_wisdom(shared_device, text, sizeof text));
  EXPECT(length == strlen(text) && strncmp(text, "relayout wisdom ", 16) == 0);
  (void)TRY(relayout_device_import_wisdom(shared_device, text, length, &trial_error));
  relayout_device_export_wisdom(shared_device, taken, sizeof taken);
  EXPECT(strcmp(taken, text) == 0);
}

/* ---- All of them ---- */

#define SHARED .prepare = make_shared, .finish = drop_shared
#define APART  .prepare = make_apart, .finish = drop_shared
#define NATIVE .prepare = make_native, .finish = drop_shared

static const scenario scenarios[] = {
    {.name = "open", .moved = &moves[TRANSPOSED], .run = open_by_name},
    {.name = "open_any", .moved = &moves[TRANSPOSED], .run = open_any},
    {.name = "open_on_handles", .moved = &moves[TRANSPOSED], .run = open_on_handles},
    {.name = "list", .moved = &moves[TRANSPOSED], .run = list},
    {.name = "plan_without_cache", .moved = &moves[TRANSPOSED], .run = plan_without_cache},
    {.name = "plan_parted", .moved = &moves[PARTED], .run = plan_without_cache, .is_long = true},
    {.name = "plan_converted",
     .moved = &moves[CONVERTED],
     .run = plan_without_cache,
     .is_long = true},
    {.name = "plan_gathered",
     .moved = &moves[GATHERED],
     .run = plan_without_cache,
     .is_long = true},
    {.name = "plan_cold", .moved = &moves[TRANSPOSED], .run = plan_cold},
    {.name = "plan_warm", .moved = &moves[TRANSPOSED], .prepare = keep_program, .run = plan_warm},
    {.name = "measure_cold", .moved = &moves[PARTED], .run = measure_cold, .is_long = true},
    {.name = "measure_warm",
     .moved = &moves[PARTED],
     .prepare = keep_program,
     .run = measure_warm,
     .is_long = true},
    {.name = "execute", .moved = &moves[TRANSPOSED], .run = execute, SHARED},
    {.name = "execute_parted", .moved = &moves[PARTED], .run = execute, SHARED},
    {.name = "copy", .moved = &moves[TRANSPOSED], .run = copy, .is_long = true},
    {.name = "enqueue", .moved = &moves[TRANSPOSED], .run = enqueue_in_order, SHARED},
    {.name = "enqueue_parted", .moved = &moves[PARTED], .run = enqueue_in_order, SHARED},
    {.name = "enqueue_parted_silently",
     .moved = &moves[PARTED],
     .run = enqueue_in_order_silently,
     SHARED},
    {.name = "enqueue_parted_out_of_order",
     .moved = &moves[PARTED],
     .run = enqueue_out_of_order,
     SHARED},
    {.name = "enqueue_parted_out_of_order_silently",
     .moved = &moves[PARTED],
     .run = enqueue_out_of_order_silently,
     SHARED},
    {.name = "enqueue_at_once", .moved = &moves[TRANSPOSED], .run = enqueue_at_once},
    {.name = "execute_apart", .moved = &moves[TRANSPOSED], .run = execute, APART},
    {.name = "submit", .moved = &moves[PARTED], .run = submit_host_memory, SHARED},
    {.name = "submit_apart", .moved = &moves[TRANSPOSED], .run = submit_host_memory, APART},
    {.name = "submit_image", .moved = &moves[TRANSPOSED], .run = submit_image, SHARED},
    {.name = "plan_native", .moved = &moves[PARTED], .run = plan_natively},
    {.name = "execute_native", .moved = &moves[PARTED], .run = execute, NATIVE},
    {.name = "enqueue_native", .moved = &moves[PARTED], .run = enqueue_in_order, NATIVE},
    {.name = "enqueue_native_out_of_order_silently",
     .moved = &moves[TRANSPOSED],
     .run = enqueue_out_of_order_silently,
     NATIVE},
    {.name = "submit_native", .moved = &moves[PARTED], .run = submit_host_memory, NATIVE},
    {.name = "submit_image_native", .moved = &moves[TRANSPOSED], .run = submit_image, NATIVE},
    {.name = "plan_many", .prepare = make_views, .run = plan_many},
    {.name = "execute_many",
     .prepare = make_many,
     .run = execute_many_destinations,
     .finish = drop_shared},
    {.name = "enqueue_many", .prepare = make_many, .run = enqueue_many, .finish = drop_shared},
    {.name = "enqueue_many_native",
     .prepare = make_many_native,
     .run = enqueue_many,
     .finish = drop_shared},
    {.name = "enqueue_many_batch",
     .prepare = make_many,
     .run = enqueue_many_batch,
     .finish = drop_shared},
    {.name = "enqueue_many_batch_alone",
     .prepare = make_many_in_place,
     .run = enqueue_many_batch,
     .finish = drop_shared},
    {.name = "enqueue_many_batch_native",
     .prepare = make_many_native,
     .run = enqueue_many_batch,
     .finish = drop_shared},
    {.name = "record_native", .moved = &moves[TRANSPOSED], .run = record_anew, .is_long = true},
    {.name = "record", .moved = &moves[PARTED], .run = record, SHARED},
    {.name = "replay", .moved = &moves[PARTED], .run = replay, SHARED},
    {.name = "replay_many", .prepare = make_many, .run = replay_many, .finish = drop_shared},
    {.name = "replay_many_native", .prepare = make_views, .run = replay_many_anew, .is_long = true},
    {.name = "explain", .moved = &moves[PARTED], .run = explain, SHARED},
    {.name = "export_and_import",
     .moved = &moves[PARTED],
     .prepare = make_forgetful,
     .run = export_and_import,
     .finish = drop_shared},
};

/* None that interrupts for good: whoever tries again would never end. */
static const fault_request variations[] = {
    {0, false, 0}, {0, true, 0}, {0, false, 1}, {0, false, 2}, {0, true, 1}};

/* The handles of the device that the library thinks best. */
static bool take_handles(void) {
  relayout_device *device = NULL;
  if (relayout_device_open("opencl", &device, &trial_error) != RELAYOUT_OK) {
    return false;
  }
  MUST(relayout_opencl_device_get_handles(device, &context, &id, &trial_error));
  cl_int code = CL_SUCCESS;
  context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
  check_code(code, "clCreateContext");
  (void)rlt_command_buffers_find(rlt_opencl_device_of(device), &with, NULL);
  fault_command_buffer_version = with.version;
  runs_native = rlt_opencl_is_native(rlt_opencl_device_of(device));
  relayout_device_destroy(device);
  return true;
}

static bool begin(void) {
  if (!take_handles()) {
    return false;
  }
  cl_int code = CL_SUCCESS;
  queues[IN_ORDER] = clCreateCommandQueue(context, id, 0, &code);
  check_code(code, "clCreateCommandQueue");
  queues[OUT_OF_ORDER] =
      clCreateCommandQueue(context, id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  if (code != CL_SUCCESS) { /* then an order is given by the queue, too */
    queues[OUT_OF_ORDER] = clCreateCommandQueue(context, id, 0, &code);
    check_code(code, "clCreateCommandQueue");
  }
  return true;
}

int main(int argument_count, char **arguments) {
  const harness all = {.scenarios = scenarios,
                       .count = sizeof scenarios / sizeof scenarios[0],
                       .variations = variations,
                       .variation_count = sizeof variations / sizeof variations[0],
                       .quick_variations = 1,
                       .begin = begin};
  folder_make();
  const int code = harness_run(&all, argument_count, arguments);
  folder_end();
  return code;
}
