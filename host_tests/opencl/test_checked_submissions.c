/* test_checked_submissions.c: what a submission's queues, events, sides and staging may be, case by
 * case: each way to submit refuses the same, says why, and enqueues nothing. The driver is one of
 * memory. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/device.h"
#include "opencl/fake_driver.h"
#include "plan/plan.h"
#include "relayout/recording.h"
#include "relayout/relayout.h"
#include "relayout/submit.h"
#include "shape_of.h"
#include "view_of.h"

/* 3 by 5 words, transposed into 4 by 6. */
enum { FROM_BYTES = 60, TO_BYTES = 96, ROOM = 4096 };

typedef struct scene {
  fake_device devices[2];
  fake_platform platform;
  cl_context context;
  cl_context other_context;
  cl_command_queue queue;
  relayout_device *device;
  relayout_plan *plan;
} scene;

/* A call, right but for what a case changes. */
typedef struct attempt {
  cl_command_queue queue;
  cl_mem source;
  size_t source_offset;
  cl_mem destination;
  size_t destination_offset;
  cl_uint n_wait;
  const cl_event *wait;
} attempt;

static int set_up(void **state) {
  static scene at;
  at = (scene){.devices = {fake_gpu, fake_gpu},
               .platform = {"Some", "OpenCL 3.0", 2, {&at.devices[0], &at.devices[1]}}};
  fake_driver_begin(&at.platform);
  fake.has_command_buffers = true;
  at.context = fake_context(2, at.platform.devices);
  at.other_context = fake_context(2, at.platform.devices);
  at.queue = fake_queue(at.context, &at.devices[0]);
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.cache_directory = "";
  assert_int_equal(relayout_opencl_device_create(at.context, (cl_device_id)(void *)&at.devices[0],
                                                 &options, &at.device, NULL),
                   RELAYOUT_OK);
  const relayout_shape from = shape_of("s32[3,5]");
  const relayout_shape to = shape_of("s32[3,5]{0,1:PD(4,6)}");
  assert_int_equal(relayout_plan_create(at.device, &from, &to, NULL, &at.plan, NULL), RELAYOUT_OK);
  fake_forget();
  *state = &at;
  return 0;
}

static int tear_down(void **state) {
  scene *const at = *state;
  relayout_plan_destroy(at->plan);
  relayout_device_destroy(at->device);
  return 0;
}

static attempt right(const scene *at) {
  return (attempt){.queue = at->queue,
                   .source = fake_buffer(at->context, ROOM),
                   .destination = fake_buffer(at->context, ROOM)};
}

/* Where the text is NULL, it is right. */
static void expect_said(relayout_status status, const relayout_error *error,
                        relayout_status expected, const char *text) {
  if (status != expected) {
    fail_msg("status %d, not %d: %s", (int)status, (int)expected, error->message);
  }
  if (text != NULL && strstr(error->message, text) == NULL) {
    fail_msg("`%s` does not say `%s`", error->message, text);
  }
}

/* By each call that takes buffers. */
static void expect(const scene *at, attempt of, relayout_status expected, const char *text) {
  relayout_error error = {.message = ""};
  cl_event event = (cl_event)(void *)&error;
  const size_t before = fake.command_count;
  expect_said(relayout_plan_enqueue(at->plan, of.queue, of.source, of.source_offset, of.destination,
                                    of.destination_offset, of.n_wait, of.wait, &event, &error),
              &error, expected, text);
  assert_int_equal(event != NULL, expected == RELAYOUT_OK);
  assert_int_equal(fake.command_count - before, expected == RELAYOUT_OK);
  const relayout_opencl_move moves[] = {
      {of.source, of.source_offset, of.destination, of.destination_offset},
      {of.source, of.source_offset, of.destination, of.destination_offset}};
  expect_said(
      relayout_plan_enqueue_batch(at->plan, of.queue, 2, moves, of.n_wait, of.wait, &event, &error),
      &error, expected, text);
  assert_int_equal(event != NULL, expected == RELAYOUT_OK);
  assert_true(expected == RELAYOUT_OK || of.queue == NULL ||
              strncmp(error.message, "moves[0]: ", 10) == 0);
  const relayout_shape from = shape_of("s32[3,5]");
  const relayout_shape to = shape_of("s32[3,5]{0,1:PD(4,6)}");
  expect_said(relayout_enqueue(at->device, &from, &to, of.queue, of.source, of.source_offset,
                               of.destination, of.destination_offset, of.n_wait, of.wait, &event,
                               &error),
              &error, expected, text);
  assert_int_equal(event != NULL, expected == RELAYOUT_OK);
  if (of.n_wait == 0 && of.wait == NULL) {
    relayout_recording *recording = (relayout_recording *)(void *)&error;
    expect_said(relayout_recording_create(at->plan, of.queue, of.source, of.source_offset,
                                          of.destination, of.destination_offset, &recording,
                                          &error),
                &error, expected, text);
    assert_int_equal(recording != NULL, expected == RELAYOUT_OK);
    relayout_recording_destroy(recording);
  }
}

/* ---- Queues and events ---- */

static void test_queues(void **state) {
  const scene *const at = *state;
  attempt of = right(at);
  expect(at, of, RELAYOUT_OK, NULL);
  of.queue = NULL;
  expect(at, of, RELAYOUT_INVALID_ARGUMENT, "queue is NULL");
  of.queue = fake_queue(at->other_context, (fake_device *)&at->devices[0]);
  expect(at, of, RELAYOUT_WRONG_CONTEXT, "queue ");
  of.queue = fake_queue(at->context, (fake_device *)&at->devices[1]);
  expect(at, of, RELAYOUT_WRONG_CONTEXT, " is of device ");
}

static void test_events(void **state) {
  const scene *const at = *state;
  const cl_event events[] = {fake_event(at->context), fake_event(at->context), NULL};
  attempt of = right(at);
  of.wait = events;
  expect(at, of, RELAYOUT_INVALID_ARGUMENT, "n_wait is 0, but wait is not NULL");
  of.n_wait = 1;
  expect(at, of, RELAYOUT_OK, NULL);
  of.n_wait = 2;
  expect(at, of, RELAYOUT_OK, NULL);
  of.n_wait = 3;
  expect(at, of, RELAYOUT_INVALID_ARGUMENT, "wait[2] is NULL");
  of.wait = NULL;
  expect(at, of, RELAYOUT_INVALID_ARGUMENT, "n_wait is 3, but wait is NULL");
}

/* ---- Sides ---- */

static void test_buffers(void **state) {
  const scene *const at = *state;
  const attempt fine = right(at);
  attempt of = fine;
  of.source = NULL;
  expect(at, of, RELAYOUT_INVALID_ARGUMENT, "source is NULL, but the plan needs 60 bytes of it");
  of = fine;
  of.destination = NULL;
  expect(at, of, RELAYOUT_INVALID_ARGUMENT,
         "destination is NULL, but the plan needs 96 bytes of it");
  of = fine;
  of.source = fake_buffer(at->other_context, ROOM);
  expect(at, of, RELAYOUT_WRONG_CONTEXT, "source ");
  of = fine;
  of.destination = fake_buffer(at->other_context, ROOM);
  expect(at, of, RELAYOUT_WRONG_CONTEXT, "destination ");
}

static void test_bounds(void **state) {
  const scene *const at = *state;
  static const struct {
    size_t offset;
    bool is_right;
  } cases[] = {{0, true}, {4, true}, {8, false}, {100, false}, {SIZE_MAX - 3, false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    for (int is_source = 0; is_source < 2; ++is_source) {
      attempt of = right(at);
      if (is_source) {
        of.source = fake_buffer(at->context, FROM_BYTES + 4);
        of.source_offset = cases[i].offset;
      } else {
        of.destination = fake_buffer(at->context, TO_BYTES + 4);
        of.destination_offset = cases[i].offset;
      }
      expect(at, of, cases[i].is_right ? RELAYOUT_OK : RELAYOUT_BUFFER_TOO_SMALL,
             cases[i].is_right ? NULL
             : is_source       ? "source has 64 bytes, but the plan needs 60 from byte "
                               : "destination has 100 bytes, but the plan needs 96 from byte ");
    }
  }
}

/* By the offset, and by the caller's memory that a buffer is on. */
static void test_alignment(void **state) {
  const scene *const at = *state;
  static unsigned char memory[2][ROOM] __attribute__((aligned(64)));
  static const struct {
    size_t begin;
    size_t offset;
    const char *text;
  } cases[] = {{0, 4, NULL},
               {0, 2, "_offset is 2; expected a multiple of the element size, 4"},
               {0, 1, "_offset is 1; expected a multiple"},
               {4, 0, NULL},
               {2, 0, " lies on host memory at "},
               {2, 2, "_offset is 2"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    for (int is_source = 0; is_source < 2; ++is_source) {
      attempt of = right(at);
      const cl_mem buffer = fake_buffer_with(at->context, CL_MEM_READ_WRITE, 1024,
                                             memory[is_source] + cases[i].begin, NULL, 0);
      *(is_source ? &of.source : &of.destination) = buffer;
      *(is_source ? &of.source_offset : &of.destination_offset) = cases[i].offset;
      expect(at, of, cases[i].text == NULL ? RELAYOUT_OK : RELAYOUT_MISALIGNED_OFFSET,
             cases[i].text);
    }
  }
}

/* Kernels read no source that is for writing alone, and write no destination that is for reading;
 * parts of buffers that say nothing are as the whole. */
static void test_access(void **state) {
  const scene *const at = *state;
  static const struct {
    cl_mem_flags whole;
    cl_mem_flags part; /* 0: says nothing */
    bool is_part;
    bool is_readable;
    bool is_writable;
  } cases[] = {{CL_MEM_READ_WRITE, 0, false, true, true},
               {0, 0, false, true, true},
               {CL_MEM_READ_ONLY, 0, false, true, false},
               {CL_MEM_WRITE_ONLY, 0, false, false, true},
               {CL_MEM_READ_WRITE, 0, true, true, true},
               {CL_MEM_READ_ONLY, 0, true, true, false},
               {CL_MEM_WRITE_ONLY, 0, true, false, true},
               {CL_MEM_WRITE_ONLY, CL_MEM_HOST_READ_ONLY, true, false, true},
               {CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, true, true, false},
               {CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY, true, false, true},
               {CL_MEM_READ_ONLY, CL_MEM_READ_WRITE, true, true, true}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("case %zu\n", i);
    const cl_mem whole = fake_buffer_with(at->context, cases[i].whole, ROOM, NULL, NULL, 0);
    const cl_mem used = cases[i].is_part
                            ? fake_buffer_with(at->context, cases[i].part, 1024, NULL, whole, 1024)
                            : whole;
    attempt of = right(at);
    of.source = used;
    expect(at, of, cases[i].is_readable ? RELAYOUT_OK : RELAYOUT_INVALID_ARGUMENT,
           cases[i].is_readable ? NULL : "is CL_MEM_WRITE_ONLY: kernels may not read it");
    of = right(at);
    of.destination = used;
    expect(at, of, cases[i].is_writable ? RELAYOUT_OK : RELAYOUT_INVALID_ARGUMENT,
           cases[i].is_writable ? NULL : "is CL_MEM_READ_ONLY: kernels may not write it");
  }
}

/* In one buffer, in parts of one, and in memory that buffers share: from one byte in common on. */
static void test_overlap(void **state) {
  const scene *const at = *state;
  static unsigned char memory[2 * ROOM] __attribute__((aligned(64)));
  const cl_mem whole = fake_buffer(at->context, ROOM);
  const cl_mem part = fake_buffer_with(at->context, 0, 2048, NULL, whole, 1024);
  const cl_mem other_part = fake_buffer_with(at->context, 0, 2048, NULL, whole, 1280);
  const cl_mem low = fake_buffer_with(at->context, 0, ROOM, memory, NULL, 0);
  const cl_mem high = fake_buffer_with(at->context, 0, ROOM, memory + 512, NULL, 0);
  const cl_mem part_of_low = fake_buffer_with(at->context, 0, 1024, memory, low, 512);
  const struct {
    cl_mem source;
    cl_mem destination;
    size_t distance; /* of the destination's buffer behind the source's, in memory */
    const char *in;
  } cases[] = {{whole, whole, 0, "in one buffer"},
               {whole, part, 1024, "in one buffer"},
               {part, other_part, 256, "in one buffer"},
               {low, high, 512, "in host memory"},
               {part_of_low, high, 0, "in host memory"}};
  static const struct {
    int64_t after; /* where the destination begins, behind the source's first byte */
    bool is_right;
  } places[] = {{0, false},           {FROM_BYTES - 4, false}, {FROM_BYTES, true},
                {-TO_BYTES, true},    {4 - TO_BYTES, false},   {FROM_BYTES + 4, true},
                {-TO_BYTES - 4, true}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    for (size_t p = 0; p < sizeof places / sizeof places[0]; ++p) {
      print_message("case %zu, place %zu\n", i, p);
      attempt of = right(at);
      of.source = cases[i].source;
      of.destination = cases[i].destination;
      of.source_offset = cases[i].distance + 400;
      of.destination_offset = (size_t)(400 + places[p].after);
      if (cases[i].source == part_of_low) { /* which has 1024 bytes */
        of.source_offset = 400;
      }
      expect(at, of, places[p].is_right ? RELAYOUT_OK : RELAYOUT_BUFFERS_OVERLAP,
             places[p].is_right ? NULL : cases[i].in);
    }
  }
}

/* Even columns to odd ones: in one buffer, and nowhere else where ranges overlap. */
static void test_elements_between_each_other(void **state) {
  const scene *const at = *state;
  static unsigned char memory[2 * ROOM] __attribute__((aligned(64)));
  const relayout_shape shape = shape_of("s32[4,8]");
  const relayout_view view = view_of(&shape, (const int64_t[]){64, 8});
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create_between(at->device, &view, &view, NULL, &plan, NULL),
                   RELAYOUT_OK);
  const cl_mem whole = fake_buffer(at->context, ROOM);
  const cl_mem part = fake_buffer_with(at->context, 0, 2048, NULL, whole, 1024);
  const cl_mem low = fake_buffer_with(at->context, 0, ROOM, memory, NULL, 0);
  const cl_mem high = fake_buffer_with(at->context, 0, ROOM, memory + 512, NULL, 0);
  static const char *const as_ranges = ": their ranges are compared here, not their bytes";
  const struct {
    cl_mem source;
    size_t source_offset;
    cl_mem destination;
    size_t destination_offset;
    relayout_status status;
    const char *message;
  } cases[] = {
      {whole, 400, whole, 404, RELAYOUT_OK, NULL},
      {whole, 404, whole, 400, RELAYOUT_OK, NULL},
      {part, 400, part, 404, RELAYOUT_OK, NULL},
      {low, 400, low, 404, RELAYOUT_OK, NULL},
      {whole, 400, whole, 408, RELAYOUT_BUFFERS_OVERLAP, "overlap in one buffer, and share bytes"},
      {whole, 1024 + 400, part, 404, RELAYOUT_BUFFERS_OVERLAP, as_ranges},
      {whole, 1024 + 400, part, 400, RELAYOUT_BUFFERS_OVERLAP, "share bytes"},
      {low, 512 + 400, high, 404, RELAYOUT_BUFFERS_OVERLAP, as_ranges},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("case %zu\n", i);
    relayout_error error = {.message = ""};
    expect_said(relayout_plan_enqueue(plan, at->queue, cases[i].source, cases[i].source_offset,
                                      cases[i].destination, cases[i].destination_offset, 0, NULL,
                                      NULL, &error),
                &error, cases[i].status, cases[i].message);
  }
  relayout_opencl_memory sides[2] = {RELAYOUT_OPENCL_MEMORY_INIT, RELAYOUT_OPENCL_MEMORY_INIT};
  relayout_error error = {.message = ""};
  sides[0].kind = sides[1].kind = RELAYOUT_MEMORY_HOST;
  sides[0].pointer = memory;
  sides[1].pointer = memory + 4;
  expect_said(relayout_plan_submit(plan, at->queue, &sides[0], &sides[1], NULL, 0, NULL, NULL, NULL,
                                   &error),
              &error, RELAYOUT_BUFFERS_OVERLAP, as_ranges);
  relayout_plan_destroy(plan);
}

/* A move of the same buffers as the last one is checked again for what depends on its offsets. */
static void test_moves_alike(void **state) {
  const scene *const at = *state;
  const cl_mem source = fake_buffer(at->context, FROM_BYTES + 4);
  const cl_mem destination = fake_buffer(at->context, TO_BYTES + 4);
  const cl_mem whole = fake_buffer(at->context, ROOM);
  const struct {
    cl_mem source;
    cl_mem destination;
    size_t first; /* the first move's destination_offset */
    size_t offsets[2];
    relayout_status status;
  } cases[] = {{source, destination, 0, {4, 4}, RELAYOUT_OK},
               {source, destination, 0, {2, 0}, RELAYOUT_MISALIGNED_OFFSET},
               {source, destination, 0, {0, 2}, RELAYOUT_MISALIGNED_OFFSET},
               {source, destination, 0, {8, 0}, RELAYOUT_BUFFER_TOO_SMALL},
               {source, destination, 0, {0, 8}, RELAYOUT_BUFFER_TOO_SMALL},
               {whole, whole, 1024, {0, 60}, RELAYOUT_OK},
               {whole, whole, 1024, {0, 56}, RELAYOUT_BUFFERS_OVERLAP},
               {whole, whole, 1024, {92, 0}, RELAYOUT_BUFFERS_OVERLAP}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const relayout_opencl_move moves[] = {
        {cases[i].source, 0, cases[i].destination, cases[i].first},
        {cases[i].source, cases[i].offsets[0], cases[i].destination, cases[i].offsets[1]}};
    relayout_error error = {.message = ""};
    fake_forget();
    expect_said(relayout_plan_enqueue_batch(at->plan, at->queue, 2, moves, 0, NULL, NULL, &error),
                &error, cases[i].status, cases[i].status == RELAYOUT_OK ? NULL : "moves[1]: ");
    assert_int_equal(fake.command_count, cases[i].status == RELAYOUT_OK ? 2 : 0);
  }
}

/* A side that takes no bytes may be NULL; one that is there is to be right. */
static void test_sides_of_nothing(void **state) {
  const scene *const at = *state;
  const relayout_shape from = shape_of("u8[0]");
  const relayout_shape to = shape_of("u8[0]{0:PD(9)PV(3)}");
  relayout_plan *plan = NULL;
  relayout_error error = {.message = ""};
  assert_int_equal(relayout_plan_create(at->device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  const cl_mem destination = fake_buffer(at->context, 9);
  const cl_mem read_by_none = fake_buffer_with(at->context, CL_MEM_WRITE_ONLY, 1, NULL, NULL, 0);
  const struct {
    cl_mem source;
    size_t offset;
    relayout_status status;
  } cases[] = {{NULL, 0, RELAYOUT_OK},
               {NULL, 100, RELAYOUT_OK},
               {destination, 3, RELAYOUT_OK},
               {read_by_none, 0, RELAYOUT_OK},
               {fake_buffer(at->context, 1), 5, RELAYOUT_OK},
               {fake_buffer(at->other_context, 1), 0, RELAYOUT_WRONG_CONTEXT}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("case %zu\n", i);
    expect_said(relayout_plan_enqueue(plan, at->queue, cases[i].source, cases[i].offset,
                                      destination, 0, 0, NULL, NULL, &error),
                &error, cases[i].status, NULL);
  }
  relayout_opencl_memory source = RELAYOUT_OPENCL_MEMORY_INIT;
  relayout_opencl_memory side = RELAYOUT_OPENCL_MEMORY_INIT;
  source.kind = RELAYOUT_MEMORY_HOST; /* NULL too */
  side.memory = destination;
  cl_event done = NULL;
  expect_said(
      relayout_plan_submit(plan, at->queue, &source, &side, NULL, 0, NULL, NULL, &done, &error),
      &error, RELAYOUT_OK, NULL);
  assert_non_null(done);
  relayout_plan_destroy(plan);
}

/* Of a box what it takes counts: the second of two rows, before which a buffer may begin. */
static void test_boxes(void **state) {
  scene *const at = *state;
  const relayout_shape shape = shape_of("u32[2,3]");
  const relayout_view view = view_of(&shape, NULL);
  relayout_view shifted = view;
  shifted.byte_offset = -12;
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create_range(at->device, &shifted, &view, (const int64_t[]){1, 0},
                                              (const int64_t[]){1, 3}, NULL, &plan, NULL),
                   RELAYOUT_OK);
  static const struct {
    size_t size;
    size_t offset;
    relayout_status status;
  } cases[] = {{12, 0, RELAYOUT_OK},
               {12, 4, RELAYOUT_BUFFER_TOO_SMALL},
               {16, 4, RELAYOUT_OK},
               {11, 0, RELAYOUT_BUFFER_TOO_SMALL}};
  relayout_error error = {.message = ""};
  const cl_mem destination = fake_buffer(at->context, 24);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const cl_mem source = fake_buffer(at->context, cases[i].size);
    expect_said(relayout_plan_enqueue(plan, at->queue, source, cases[i].offset, destination, 0, 0,
                                      NULL, NULL, &error),
                &error, cases[i].status, NULL);
  }
  relayout_plan_destroy(plan);
  /* A source that the plan takes from before the offset on. */
  assert_int_equal(relayout_plan_create_between(at->device, &shifted, &view, NULL, &plan, NULL),
                   RELAYOUT_OK);
  const cl_mem source = fake_buffer(at->context, 36);
  expect_said(
      relayout_plan_enqueue(plan, at->queue, source, 8, destination, 0, 0, NULL, NULL, &error),
      &error, RELAYOUT_BUFFER_TOO_SMALL, "source_offset is 8, but the plan needs 12 bytes before");
  expect_said(
      relayout_plan_enqueue(plan, at->queue, source, 12, destination, 0, 0, NULL, NULL, &error),
      &error, RELAYOUT_OK, NULL);
  expect_said(
      relayout_plan_enqueue(plan, at->queue, source, 24, destination, 0, 0, NULL, NULL, &error),
      &error, RELAYOUT_OK, NULL);
  expect_said(
      relayout_plan_enqueue(plan, at->queue, source, 28, destination, 0, 0, NULL, NULL, &error),
      &error, RELAYOUT_BUFFER_TOO_SMALL, "from byte 16 on (source_offset is 28)");
  relayout_plan_destroy(plan);
}

/* Memory that is there may begin before a pointer into it, but not before all memory. */
static void test_before_pointers(void **state) {
  scene *const at = *state;
  const relayout_shape shape = shape_of("u32[2,3]");
  const relayout_view view = view_of(&shape, NULL);
  relayout_view shifted = view;
  shifted.byte_offset = -12;
  relayout_plan *plan = NULL;
  relayout_error error = {.message = ""};
  assert_int_equal(relayout_plan_create_between(at->device, &shifted, &view, NULL, &plan, NULL),
                   RELAYOUT_OK);
  static unsigned char memory[64] __attribute__((aligned(16)));
  relayout_opencl_memory source = RELAYOUT_OPENCL_MEMORY_INIT;
  relayout_opencl_memory destination = RELAYOUT_OPENCL_MEMORY_INIT;
  relayout_opencl_staging staging = RELAYOUT_OPENCL_STAGING_INIT;
  source.kind = RELAYOUT_MEMORY_HOST;
  destination.memory = fake_buffer(at->context, 24);
  staging.buffer = fake_buffer(at->context, 256);
  for (size_t i = 0; i < 3; ++i) {
    source.pointer = i < 2 ? memory + 12 : (unsigned char *)8;
    source.offset = i == 1 ? 4 : 0;
    fake_forget();
    expect_said(relayout_plan_submit(plan, at->queue, &source, &destination, &staging, 0, NULL,
                                     NULL, NULL, &error),
                &error, i < 2 ? RELAYOUT_OK : RELAYOUT_BUFFER_TOO_SMALL,
                i < 2 ? NULL : "source->offset is 0, but the plan needs 12 bytes before it");
    assert_true(i == 2 || fake_command_at("clEnqueueWriteBuffer", 0)->host == memory + 4 * i);
  }
  relayout_plan_destroy(plan);
}

/* Offsets are multiples of elements, of the wider containers that they lie in, and of bytes where
 * elements are packed; of a fill the source's too. */
static void test_element_sizes(void **state) {
  scene *const at = *state;
  static const struct {
    const char *from;
    const char *to;
    size_t sizes[2];
  } cases[] = {{"u8[8,8]", "u8[8,8]{0,1}", {1, 1}},
               {"f32[8,8]", "f32[8,8]{0,1}", {4, 4}},
               {"c128[8,8]", "c128[8,8]{0,1}", {16, 16}},
               {"f32[8,8]", "bf16[8,8]", {4, 2}},
               {"s4[8,8]", "s4[8,8]{1,0:E(4)}", {1, 1}},
               {"pred[8,8]{1,0:E(32)}", "pred[8,8]", {4, 1}},
               {"pred[8,8]", "pred[8,8]{0,1:E(16)}", {1, 2}},
               {"u8[0]", "f32[0]{0:PD(4)PV(1)}", {1, 4}},
               {"f32[0]", "u8[0]{0:PD(4)PV(1)}", {4, 1}},
               {"f32[0]", "f32[0]", {1, 1}},
               {"pred[0]{0:E(32)}", "pred[0]{0:PD(4)PV(1)}", {4, 1}},
               {"pred[0]{0:E(16)}", "pred[0]{0:PD(4)PV(1)}", {2, 1}}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("%s -> %s\n", cases[i].from, cases[i].to);
    const relayout_shape from = shape_of(cases[i].from);
    const relayout_shape to = shape_of(cases[i].to);
    relayout_plan *plan = NULL;
    assert_int_equal(relayout_plan_create(at->device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
    const cl_mem buffers[2] = {fake_buffer(at->context, ROOM), fake_buffer(at->context, ROOM)};
    for (size_t offset = 1; offset <= 16; ++offset) {
      for (int s = 0; s < 2; ++s) {
        assert_int_equal(
            relayout_plan_enqueue(plan, at->queue, buffers[0], s == 0 ? offset : 0, buffers[1],
                                  s == 0 ? 0 : offset, 0, NULL, NULL, NULL),
            offset % cases[i].sizes[s] == 0 ? RELAYOUT_OK : RELAYOUT_MISALIGNED_OFFSET);
      }
    }
    relayout_plan_destroy(plan);
  }
}

/* ---- Handles ---- */

static void test_handles(void **state) {
  const scene *const at = *state;
  const attempt of = right(at);
  const relayout_opencl_move move = {of.source, 0, of.destination, 0};
  const relayout_shape from = shape_of("s32[3,5]");
  const relayout_shape to = shape_of("s32[3,5]{0,1:PD(4,6)}");
  relayout_device *cpu = NULL;
  relayout_plan *of_cpu = NULL;
  assert_int_equal(relayout_device_open("cpu", &cpu, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_create(cpu, &from, &to, NULL, &of_cpu, NULL), RELAYOUT_OK);
  const struct {
    const relayout_plan *plan;
    const char *text;
  } plans[] = {{NULL, "plan is NULL"}, {of_cpu, "plan was not made for an OpenCL device"}};
  relayout_error error = {.message = ""};
  cl_event event = (cl_event)(void *)&error;
  for (int i = 0; i < 2; ++i) {
    relayout_opencl_memory side = RELAYOUT_OPENCL_MEMORY_INIT;
    size_t bytes = 0;
    expect_said(relayout_plan_enqueue(plans[i].plan, at->queue, of.source, 0, of.destination, 0, 0,
                                      NULL, &event, &error),
                &error, RELAYOUT_INVALID_ARGUMENT, plans[i].text);
    assert_null(event);
    expect_said(
        relayout_plan_enqueue_batch(plans[i].plan, at->queue, 1, &move, 0, NULL, NULL, &error),
        &error, RELAYOUT_INVALID_ARGUMENT, plans[i].text);
    expect_said(relayout_plan_submit(plans[i].plan, at->queue, &side, &side, NULL, 0, NULL, NULL,
                                     NULL, &error),
                &error, RELAYOUT_INVALID_ARGUMENT, plans[i].text);
    expect_said(relayout_plan_staging_size(plans[i].plan, RELAYOUT_MEMORY_HOST,
                                           RELAYOUT_MEMORY_HOST, &bytes, &error),
                &error, RELAYOUT_INVALID_ARGUMENT, plans[i].text);
  }
  expect_said(relayout_plan_enqueue_batch(at->plan, at->queue, 2, NULL, 0, NULL, NULL, &error),
              &error, RELAYOUT_INVALID_ARGUMENT, "moves is NULL, but count is 2");
  expect_said(
      relayout_plan_submit(at->plan, at->queue, NULL, NULL, NULL, 0, NULL, NULL, NULL, &error),
      &error, RELAYOUT_INVALID_ARGUMENT, "source is NULL");
  const struct {
    relayout_device *device;
    const relayout_shape *from;
    const relayout_shape *to;
    const char *text;
  } calls[] = {{NULL, &from, &to, "device is NULL"},
               {at->device, NULL, &to, "from is NULL"},
               {at->device, &from, NULL, "to is NULL"},
               {cpu, &from, &to, "device is not an OpenCL device"}};
  for (int i = 0; i < 4; ++i) {
    event = (cl_event)(void *)&error;
    expect_said(relayout_enqueue(calls[i].device, calls[i].from, calls[i].to, at->queue, of.source,
                                 0, of.destination, 0, 0, NULL, &event, &error),
                &error, RELAYOUT_INVALID_ARGUMENT, calls[i].text);
    assert_null(event);
  }
  assert_int_equal(fake.command_count, 0);
  relayout_plan_destroy(of_cpu);
  relayout_device_destroy(cpu);
}

/* Each call enqueues a marker behind the events, whose event is all that is to be had. */
static void test_nothing_to_move(void **state) {
  const scene *const at = *state;
  const relayout_shape nothing = shape_of("f32[0,5]");
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(at->device, &nothing, &nothing, NULL, &plan, NULL),
                   RELAYOUT_OK);
  const cl_event waited = fake_event(at->context);
  const relayout_opencl_move moves[2] = {{NULL, 0, NULL, 0}, {NULL, 0, NULL, 0}};
  const relayout_opencl_memory side = RELAYOUT_OPENCL_MEMORY_INIT;
  for (int call = 0; call < 5; ++call) {
    cl_event events[2] = {NULL, NULL};
    fake_forget();
    const relayout_status status =
        call == 0
            ? relayout_plan_enqueue(plan, at->queue, NULL, 0, NULL, 0, 1, &waited, &events[0], NULL)
        : call == 1
            ? relayout_plan_enqueue_batch(plan, at->queue, 2, moves, 1, &waited, &events[0], NULL)
        : call == 2 ? relayout_plan_enqueue_batch(at->plan, at->queue, 0, NULL, 1, &waited,
                                                  &events[0], NULL)
        : call == 3
            ? relayout_plan_enqueue(plan, at->queue, NULL, 0, NULL, 0, 1, &waited, NULL, NULL)
            : relayout_plan_submit(plan, at->queue, &side, &side, NULL, 1, &waited, &events[0],
                                   &events[1], NULL);
    assert_int_equal(status, RELAYOUT_OK);
    assert_int_equal(fake.command_count, 1);
    const fake_command *const marker = fake_command_at("clEnqueueMarkerWithWaitList", 0);
    assert_true(marker->n_wait == 1 && marker->wait[0] == waited);
    assert_ptr_equal(events[0], call == 3 ? NULL : marker->event);
    assert_ptr_equal(events[1], call == 4 ? marker->event : NULL);
    for (int i = 0; i < 2; ++i) {
      if (events[i] != NULL) {
        fake_release(events[i]);
      }
    }
    assert_int_equal(fake_holders(FAKE_EVENT), 1);
  }
  relayout_plan_destroy(plan);
}

/* ---- Submissions between any memory ---- */

typedef struct submission {
  cl_command_queue queue;
  relayout_opencl_memory source;
  relayout_opencl_memory destination;
  relayout_opencl_staging staging;
} submission;

static submission right_submission(const scene *at, unsigned char *from, unsigned char *to) {
  submission made = {.queue = at->queue,
                     .source = RELAYOUT_OPENCL_MEMORY_INIT,
                     .destination = RELAYOUT_OPENCL_MEMORY_INIT,
                     .staging = RELAYOUT_OPENCL_STAGING_INIT};
  made.source.kind = made.destination.kind = RELAYOUT_MEMORY_HOST;
  made.source.pointer = from;
  made.destination.pointer = to;
  made.staging.buffer = fake_buffer(at->context, 256);
  return made;
}

static void expect_submitted(const scene *at, submission of, relayout_status expected,
                             const char *text) {
  relayout_error error = {.message = ""};
  cl_event events[2] = {(cl_event)(void *)&error, (cl_event)(void *)&error};
  fake_forget();
  expect_said(relayout_plan_submit(at->plan, of.queue, &of.source, &of.destination, &of.staging, 0,
                                   NULL, &events[0], &events[1], &error),
              &error, expected, text);
  assert_true((events[0] != NULL) == (expected == RELAYOUT_OK) &&
              (events[1] != NULL) == (expected == RELAYOUT_OK));
  assert_int_equal(fake.command_count, expected == RELAYOUT_OK ? 3 : 0);
}

static void test_staging(void **state) {
  scene *const at = *state;
  static unsigned char from[FROM_BYTES] __attribute__((aligned(16)));
  static unsigned char to[TO_BYTES] __attribute__((aligned(16)));
  const submission fine = right_submission(at, from, to);
  submission of = fine;
  expect_submitted(at, of, RELAYOUT_OK, NULL); /* 128 bytes a side */
  of.staging.buffer = fake_buffer(at->context, 255);
  expect_submitted(at, of, RELAYOUT_BUFFER_TOO_SMALL, "has 255 bytes, but the plan needs 256");
  of.staging.buffer = fake_buffer(at->context, 256 + 128);
  of.staging.offset = 128;
  expect_submitted(at, of, RELAYOUT_OK, NULL);
  of.staging.offset = 256;
  expect_submitted(at, of, RELAYOUT_BUFFER_TOO_SMALL, "from staging->offset 256 on");
  of.staging.offset = 512;
  expect_submitted(at, of, RELAYOUT_BUFFER_TOO_SMALL, "from staging->offset 512 on");
  of.staging.offset = 64;
  expect_submitted(at, of, RELAYOUT_MISALIGNED_OFFSET, "staging->offset is 64");
  of = fine;
  of.staging.buffer = fake_buffer(at->other_context, 256);
  expect_submitted(at, of, RELAYOUT_WRONG_CONTEXT, "staging->buffer ");
  of.staging.buffer = NULL;
  expect_submitted(at, of, RELAYOUT_INVALID_ARGUMENT, "needs 256 bytes of it for these sides");
}

static void test_queues_of_transfers(void **state) {
  scene *const at = *state;
  static unsigned char from[FROM_BYTES] __attribute__((aligned(16)));
  static unsigned char to[TO_BYTES] __attribute__((aligned(16)));
  const submission fine = right_submission(at, from, to);
  const cl_command_queue own = fake_queue(at->context, &at->devices[0]);
  const cl_command_queue of_other_context = fake_queue(at->other_context, &at->devices[0]);
  const cl_command_queue of_other_device = fake_queue(at->context, &at->devices[1]);
  for (int is_upload = 0; is_upload < 2; ++is_upload) {
    submission of = fine;
    cl_command_queue *const queue =
        is_upload ? &of.staging.upload_queue : &of.staging.download_queue;
    *queue = own;
    expect_submitted(at, of, RELAYOUT_OK, NULL);
    assert_ptr_equal(
        fake_command_at(is_upload ? "clEnqueueWriteBuffer" : "clEnqueueReadBuffer", 0)->queue, own);
    assert_ptr_equal(
        fake_command_at(is_upload ? "clEnqueueReadBuffer" : "clEnqueueWriteBuffer", 0)->queue,
        at->queue);
    assert_int_equal(fake.flushes, 2);
    *queue = of_other_context;
    expect_submitted(at, of, RELAYOUT_WRONG_CONTEXT,
                     is_upload ? "staging->upload_queue " : "staging->download_queue ");
    *queue = of_other_device;
    expect_submitted(at, of, RELAYOUT_WRONG_CONTEXT,
                     is_upload ? "staging->upload_queue " : "staging->download_queue ");
  }
}

static void test_pointers(void **state) {
  scene *const at = *state;
  static unsigned char memory[ROOM] __attribute__((aligned(64)));
  const submission fine = right_submission(at, memory, memory + 2048);
  submission of = fine;
  of.source.pointer = NULL;
  expect_submitted(at, of, RELAYOUT_INVALID_ARGUMENT,
                   "source is NULL, but the plan needs 60 bytes of it");
  of = fine;
  of.source.struct_size = 1;
  expect_submitted(at, of, RELAYOUT_INVALID_ARGUMENT, "source->struct_size is 1");
  of = fine;
  of.destination.struct_size = 1;
  expect_submitted(at, of, RELAYOUT_INVALID_ARGUMENT, "destination->struct_size is 1");
  of = fine;
  of.staging.struct_size = 1;
  expect_submitted(at, of, RELAYOUT_INVALID_ARGUMENT, "staging->struct_size is 1");
  of = fine;
  of.destination.offset = 2;
  expect_submitted(at, of, RELAYOUT_MISALIGNED_OFFSET, "destination->offset is 2");
  of = fine;
  of.source.pointer = memory + 1;
  expect_submitted(at, of, RELAYOUT_MISALIGNED_OFFSET, "source lies on host memory");
  of = fine;
  of.source.pointer = (void *)(UINTPTR_MAX - 63);
  of.source.offset = 8;
  expect_submitted(at, of, RELAYOUT_BUFFER_TOO_SMALL, "source has 63 bytes");
  of = fine;
  of.destination.pointer = memory;
  of.destination.offset = FROM_BYTES - 4;
  expect_submitted(at, of, RELAYOUT_BUFFERS_OVERLAP, "in host memory");
  of.destination.offset = FROM_BYTES;
  expect_submitted(at, of, RELAYOUT_OK, NULL);
  of = fine;
  of.source.kind = RELAYOUT_MEMORY_SVM;
  expect_submitted(at, of, RELAYOUT_UNSUPPORTED, "source is SVM memory");
  of.source.kind = (relayout_memory_kind)17;
  expect_submitted(at, of, RELAYOUT_INVALID_ARGUMENT, "source has kind 17");
  of = fine;
  of.source.kind = RELAYOUT_MEMORY_IMAGE;
  of.source.memory = fake_buffer(at->context, ROOM);
  expect_submitted(at, of, RELAYOUT_INVALID_ARGUMENT, "not an image of two or three dimensions");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_queues),
      TEST(test_events),
      TEST(test_buffers),
      TEST(test_bounds),
      TEST(test_alignment),
      TEST(test_access),
      TEST(test_overlap),
      TEST(test_boxes),
      TEST(test_before_pointers),
      TEST(test_element_sizes),
      TEST(test_elements_between_each_other),
      TEST(test_moves_alike),
      TEST(test_sides_of_nothing),
      TEST(test_handles),
      TEST(test_nothing_to_move),
      TEST(test_staging),
      TEST(test_queues_of_transfers),
      TEST(test_pointers),
  };
  fake_driver_use();
  return cmocka_run_group_tests_name("checked_submissions", tests, NULL, NULL);
}
