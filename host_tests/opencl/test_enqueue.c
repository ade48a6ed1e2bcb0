/* test_enqueue.c: relayouts inside a caller's own context, queues and events, and what is refused.
 */
#include "cmocka_all.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/bench.h"
#include "opencl/device.h"
#include "shape_of.h"
#include "view_of.h"

/* The tensor of the tests: 3 x 5 elements, transposed and padded to 4 x 6. */
static const char from_text[] = "s32[3,5]{1,0}";
static const char to_text[] = "s32[3,5]{0,1:PD(4,6)PV(-7)}";
enum { SOURCE_COUNT = 15, DESTINATION_COUNT = 24, SOURCE_SIZE = 60, DESTINATION_SIZE = 96 };

static int32_t source_element(int i, int j) {
  return 100 * i + j;
}

static void make_source(int32_t *source) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 5; ++j) {
      source[5 * i + j] = source_element(i, j);
    }
  }
}

static void assert_relaid(const int32_t *destination) {
  for (int j = 0; j < 6; ++j) {
    for (int i = 0; i < 4; ++i) {
      const int32_t expected = i < 3 && j < 5 ? source_element(i, j) : -7;
      assert_int_equal(destination[4 * j + i], expected);
    }
  }
}

typedef struct shapes {
  relayout_shape from;
  relayout_shape to;
} shapes;

static shapes parse(const char *from, const char *to) {
  shapes parsed;
  assert_int_equal(relayout_shape_parse(from, &parsed.from, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_shape_parse(to, &parsed.to, NULL), RELAYOUT_OK);
  return parsed;
}

static relayout_plan *plan_of(relayout_device *device, const char *from, const char *to) {
  const shapes parsed = parse(from, to);
  relayout_plan *plan = NULL;
  relayout_error error = {0};
  if (relayout_plan_create(device, &parsed.from, &parsed.to, NULL, &plan, &error) != RELAYOUT_OK) {
    fail_msg("%s -> %s: %s", from, to, error.message);
  }
  return plan;
}

static cl_mem empty_buffer(cl_context context, size_t size) {
  cl_int code = CL_SUCCESS;
  const cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &code);
  assert_int_equal(code, CL_SUCCESS);
  return buffer;
}

/* ---- What works ---- */

/* Write, relayout and read on an out-of-order queue, ordered by events alone. */
static void test_event_chain(void **state) {
  const opencl_bench *const bench = *state;
  cl_int code = CL_SUCCESS;
  const cl_command_queue queue = clCreateCommandQueue(
      bench->context, bench->id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  if (code == CL_INVALID_QUEUE_PROPERTIES) {
    skip();
  }
  assert_int_equal(code, CL_SUCCESS);
  relayout_plan *const plan = plan_of(bench->device, from_text, to_text);
  const cl_mem source = empty_buffer(bench->context, SOURCE_SIZE);
  const cl_mem destination = empty_buffer(bench->context, DESTINATION_SIZE);
  int32_t from[SOURCE_COUNT];
  int32_t to[DESTINATION_COUNT] = {0};
  make_source(from);

  const cl_event go = clCreateUserEvent(bench->context, &code);
  assert_int_equal(code, CL_SUCCESS);
  cl_event written = NULL;
  cl_event relaid = NULL;
  cl_event read = NULL;
  assert_int_equal(
      clEnqueueWriteBuffer(queue, source, CL_FALSE, 0, SOURCE_SIZE, from, 1, &go, &written),
      CL_SUCCESS);
  relayout_error error = {0};
  assert_int_equal(
      relayout_plan_enqueue(plan, queue, source, 0, destination, 0, 1, &written, &relaid, &error),
      RELAYOUT_OK);
  assert_int_equal(
      clEnqueueReadBuffer(queue, destination, CL_FALSE, 0, DESTINATION_SIZE, to, 1, &relaid, &read),
      CL_SUCCESS);
  /* Nothing may have run: the relayout waits, and the call returned without it. */
  cl_int run_state = CL_COMPLETE;
  assert_int_equal(
      clGetEventInfo(relaid, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof run_state, &run_state, NULL),
      CL_SUCCESS);
  assert_int_not_equal(run_state, CL_COMPLETE);

  assert_int_equal(clSetUserEventStatus(go, CL_COMPLETE), CL_SUCCESS);
  assert_int_equal(clWaitForEvents(1, &read), CL_SUCCESS);
  assert_relaid(to);

  clReleaseEvent(go);
  clReleaseEvent(written);
  clReleaseEvent(relaid);
  clReleaseEvent(read);
  clReleaseMemObject(source);
  clReleaseMemObject(destination);
  relayout_plan_destroy(plan);
  clReleaseCommandQueue(queue);
}

/* Both sides in one buffer, each at an offset, and nothing else of it touched. */
static void test_offsets_in_one_buffer(void **state) {
  const opencl_bench *const bench = *state;
  enum { COUNT = 64, FROM = 3, TO = 3 + SOURCE_COUNT };
  int32_t before[COUNT];
  int32_t after[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    before[i] = 5000 + i;
  }
  make_source(before + FROM);
  const cl_mem buffer = opencl_buffer(bench, sizeof before, before);
  relayout_plan *const plan = plan_of(bench->device, from_text, to_text);
  assert_int_equal(relayout_plan_enqueue(plan, bench->queue, buffer, 4 * FROM, buffer, 4 * TO, 0,
                                         NULL, NULL, NULL),
                   RELAYOUT_OK);
  opencl_read(bench, buffer, sizeof after, after);
  assert_relaid(after + TO);
  for (int i = 0; i < COUNT; ++i) {
    if (i < TO || i >= TO + DESTINATION_COUNT) {
      assert_int_equal(after[i], before[i]);
    }
  }
  clReleaseMemObject(buffer);
  relayout_plan_destroy(plan);
}

/* Both sides of one plan in one memory: element i, j of rows x columns elements. */
typedef struct interlaced {
  const char *shape;
  int64_t from_strides[2], to_strides[2];
  size_t to; /* where the destination begins */
} interlaced;

enum { INTERLACED_BYTES = 1 << 17 };

static relayout_plan *interlaced_plan(relayout_device *device, const interlaced *of) {
  const relayout_shape shape = shape_of(of->shape);
  const relayout_view from = view_of(&shape, of->from_strides);
  const relayout_view to = view_of(&shape, of->to_strides);
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create_between(device, &from, &to, NULL, &plan, NULL),
                   RELAYOUT_OK);
  return plan;
}

/* Nothing that is read is written, so that elements can be moved in any order. */
static void move_interlaced(const interlaced *of, uint8_t *bytes) {
  const relayout_shape shape = shape_of(of->shape);
  const size_t size = relayout_element_type_byte_size(shape.element_type);
  for (int64_t i = 0; i < shape.dimensions[0]; ++i) {
    for (int64_t j = 0; j < shape.dimensions[1]; ++j) {
      memcpy(bytes + of->to + i * of->to_strides[0] + j * of->to_strides[1],
             bytes + i * of->from_strides[0] + j * of->from_strides[1], size);
    }
  }
}

static const interlaced all_interlaced[] = {
    {"u32[100,120]", {960, 8}, {960, 8}, 4},  /* even columns to odd ones */
    {"u32[64,64]", {1024, 8}, {8, 1024}, 4},  /* and transposed */
    {"u8[120,300]", {900, 3}, {900, 3}, 1},   /* a channel to another */
    {"u8[64,128]", {512, 4}, {4, 256}, 3},    /* bytes of words, transposed */
    {"u16[90,100]", {800, 2}, {800, 2}, 200}, /* a part of rows to another */
};

static void test_elements_between_each_other(void **state) {
  const opencl_bench *const bench = *state;
  static uint8_t before[INTERLACED_BYTES], after[INTERLACED_BYTES];
  for (size_t i = 0; i < sizeof all_interlaced / sizeof all_interlaced[0]; ++i) {
    print_message("case %zu\n", i);
    for (size_t b = 0; b < sizeof before; ++b) {
      before[b] = (uint8_t)(b * 97 + b / 251);
    }
    relayout_plan *const plan = interlaced_plan(bench->device, &all_interlaced[i]);
    const cl_mem buffer = opencl_buffer(bench, sizeof before, before);
    assert_int_equal(relayout_plan_enqueue(plan, bench->queue, buffer, 0, buffer,
                                           all_interlaced[i].to, 0, NULL, NULL, NULL),
                     RELAYOUT_OK);
    opencl_read(bench, buffer, sizeof after, after);
    move_interlaced(&all_interlaced[i], before);
    assert_memory_equal(after, before, sizeof after);
    clReleaseMemObject(buffer);
    relayout_plan_destroy(plan);
  }
}

/* What a device takes of the host's memory are ranges. */
static void test_host_memory_between_each_other(void **state) {
  const opencl_bench *const bench = *state;
  static uint8_t memory[INTERLACED_BYTES];
  relayout_plan *const plan = interlaced_plan(bench->device, &all_interlaced[0]);
  relayout_error error = {.message = ""};
  assert_int_equal(relayout_plan_execute(plan, memory, memory + 4, &error),
                   RELAYOUT_BUFFERS_OVERLAP);
  assert_non_null(
      strstr(error.message, "overlap: their ranges are compared here, not their bytes"));
  relayout_plan_destroy(plan);
}

/* What is enqueued completes without its plan, its device and its buffers' other holders. */
static void test_plan_destroyed_after_enqueue(void **state) {
  const opencl_bench *const bench = *state;
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.kernels = bench->family;
  relayout_device *device = NULL;
  assert_int_equal(
      relayout_opencl_device_create(bench->context, bench->id, &options, &device, NULL),
      RELAYOUT_OK);
  /* Packed, so that tables are let go too. */
  relayout_plan *const plan = plan_of(device, "s32[40,3]{1,0}", "s32[40,3]{0,1}");
  relayout_device_destroy(device);
  int32_t from[120];
  int32_t to[120] = {0};
  for (int i = 0; i < 120; ++i) {
    from[i] = i;
  }
  const cl_mem source = opencl_buffer(bench, sizeof from, from);
  const cl_mem destination = opencl_buffer(bench, sizeof to, to);
  cl_int code = CL_SUCCESS;
  const cl_event go = clCreateUserEvent(bench->context, &code);
  assert_int_equal(code, CL_SUCCESS);
  assert_int_equal(
      relayout_plan_enqueue(plan, bench->queue, source, 0, destination, 0, 1, &go, NULL, NULL),
      RELAYOUT_OK);
  relayout_plan_destroy(plan);
  clReleaseMemObject(source);
  assert_int_equal(clSetUserEventStatus(go, CL_COMPLETE), CL_SUCCESS);
  opencl_read(bench, destination, sizeof to, to);
  for (int i = 0; i < 40; ++i) {
    for (int j = 0; j < 3; ++j) {
      assert_int_equal(to[40 * j + i], 3 * i + j);
    }
  }
  clReleaseEvent(go);
  clReleaseMemObject(destination);
}

/* An empty destination: nothing runs, the event still comes, and still waits. */
static void test_empty_plan(void **state) {
  const opencl_bench *const bench = *state;
  relayout_plan *const plan = plan_of(bench->device, "f32[0,5]{1,0}", "f32[0,5]{0,1}");
  const cl_mem buffer = empty_buffer(bench->context, 4);
  cl_int code = CL_SUCCESS;
  const cl_event go = clCreateUserEvent(bench->context, &code);
  assert_int_equal(code, CL_SUCCESS);
  cl_event done[2] = {NULL, NULL};
  assert_int_equal(
      relayout_plan_enqueue(plan, bench->queue, buffer, 0, buffer, 0, 1, &go, &done[0], NULL),
      RELAYOUT_OK);
  assert_int_equal(
      relayout_plan_enqueue(plan, bench->queue, NULL, 0, NULL, 0, 1, &go, &done[1], NULL),
      RELAYOUT_OK);
  assert_int_equal(clSetUserEventStatus(go, CL_COMPLETE), CL_SUCCESS);
  assert_int_equal(clWaitForEvents(2, done), CL_SUCCESS);
  clReleaseEvent(done[0]);
  clReleaseEvent(done[1]);
  clReleaseEvent(go);
  clReleaseMemObject(buffer);
  relayout_plan_destroy(plan);
}

/* Words of the destination that begin anywhere in the source, for none of it is read. */
static void test_fill_behind_any_offset(void **state) {
  const opencl_bench *const bench = *state;
  relayout_plan *const plan = plan_of(bench->device, "u8[0]{0}", "f32[0]{0:PD(9)PV(3)}");
  float values[10];
  memset(values, 0, sizeof values);
  const cl_mem source = opencl_buffer(bench, 2, values);
  const cl_mem destination = opencl_buffer(bench, sizeof values, values);
  relayout_error error = {0};
  if (relayout_plan_enqueue(plan, bench->queue, source, 1, destination, 4, 0, NULL, NULL, &error) !=
      RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  opencl_read(bench, destination, sizeof values, values);
  for (int i = 0; i < 10; ++i) {
    assert_true(values[i] == (i == 0 ? 0 : 3));
  }
  clReleaseMemObject(source);
  clReleaseMemObject(destination);
  relayout_plan_destroy(plan);
}

/* No source element at all: no source buffer is needed. */
static void test_fill_without_source(void **state) {
  const opencl_bench *const bench = *state;
  relayout_plan *const plan = plan_of(bench->device, "u8[0]{0}", "u8[0]{0:PD(9)PV(3)}");
  uint8_t bytes[10];
  memset(bytes, 0xee, sizeof bytes);
  const cl_mem destination = opencl_buffer(bench, sizeof bytes, bytes);
  assert_int_equal(
      relayout_plan_enqueue(plan, bench->queue, NULL, 0, destination, 0, 0, NULL, NULL, NULL),
      RELAYOUT_OK);
  opencl_read(bench, destination, sizeof bytes, bytes);
  for (int i = 0; i < 9; ++i) {
    assert_int_equal(bytes[i], 3);
  }
  assert_int_equal(bytes[9], 0xee);
  clReleaseMemObject(destination);
  relayout_plan_destroy(plan);
}

/* Two rows of three words, the last first, from byte 8 of a buffer on. */
static void test_views(void **state) {
  const opencl_bench *const bench = *state;
  const relayout_shape shape = shape_of("u32[2,3]");
  relayout_view from = view_of(&shape, (const int64_t[]){-16, 4});
  relayout_view to = view_of(&shape, NULL);
  from.byte_offset = 24;
  to.byte_offset = -4;
  const uint32_t words[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  uint32_t moved[8] = {99, 99, 99, 99, 99, 99, 99, 99};
  const cl_mem source = opencl_buffer(bench, sizeof words, words);
  const cl_mem small = opencl_buffer(bench, 32, words);
  const cl_mem destination = opencl_buffer(bench, sizeof moved, moved);
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create_between(bench->device, &from, &to, NULL, &plan, NULL),
                   RELAYOUT_OK);
  relayout_plan_info info = RELAYOUT_PLAN_INFO_INIT;
  assert_int_equal(relayout_plan_get_info(plan, &info, NULL), RELAYOUT_OK);
  assert_int_equal(info.kernel_count, 1);
  assert_int_equal(info.device_bytes > 0, bench->family == RELAYOUT_KERNELS_WORK_GROUP);
  const struct {
    cl_mem source;
    size_t source_offset;
    size_t destination_offset;
    relayout_status status;
  } cases[] = {
      {source, 4, 4, RELAYOUT_OK},
      {source, 8, 4, RELAYOUT_BUFFER_TOO_SMALL}, /* byte 44 is read */
      {small, 0, 4, RELAYOUT_BUFFER_TOO_SMALL},
      {source, 0, 0, RELAYOUT_BUFFER_TOO_SMALL}, /* byte -4 is written */
      {source, 0, 16, RELAYOUT_BUFFER_TOO_SMALL},
      {source, SIZE_MAX - 3, 4, RELAYOUT_BUFFER_TOO_SMALL}, /* which wraps around */
      {source, 2, 4, RELAYOUT_MISALIGNED_OFFSET},
      {source, 0, 8, RELAYOUT_OK},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("case %zu\n", i);
    assert_int_equal(relayout_plan_enqueue(plan, bench->queue, cases[i].source,
                                           cases[i].source_offset, destination,
                                           cases[i].destination_offset, 0, NULL, NULL, NULL),
                     cases[i].status);
  }
  opencl_read(bench, destination, sizeof moved, moved);
  static const uint32_t expected[8] = {7, 6, 7, 8, 2, 3, 4, 99};
  assert_memory_equal(moved, expected, sizeof moved);
  clReleaseMemObject(source);
  clReleaseMemObject(small);
  clReleaseMemObject(destination);
  relayout_plan_destroy(plan);
}

/* The second of two rows from the start of a buffer on, which the first would begin before; a
 * buffer that ends with it. */
static void test_boxes(void **state) {
  const opencl_bench *const bench = *state;
  const relayout_shape shape = shape_of("u32[2,3]");
  relayout_view from = view_of(&shape, NULL);
  relayout_view to = from;
  from.byte_offset = -12;
  const uint32_t words[3] = {1, 2, 3};
  uint32_t moved[6] = {9, 9, 9, 9, 9, 9};
  const cl_mem source = opencl_buffer(bench, sizeof words, words);
  const cl_mem destination = opencl_buffer(bench, sizeof moved, moved);
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create_range(bench->device, &from, &to, (const int64_t[]){1, 0},
                                              (const int64_t[]){1, 3}, NULL, &plan, NULL),
                   RELAYOUT_OK);
  relayout_error error = {0};
  if (relayout_plan_enqueue(plan, bench->queue, source, 0, destination, 0, 0, NULL, NULL, &error) !=
      RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(
      relayout_plan_enqueue(plan, bench->queue, source, 4, destination, 0, 0, NULL, NULL, NULL),
      RELAYOUT_BUFFER_TOO_SMALL);
  opencl_read(bench, destination, sizeof moved, moved);
  static const uint32_t expected[6] = {9, 9, 9, 1, 2, 3};
  assert_memory_equal(moved, expected, sizeof moved);
  clReleaseMemObject(source);
  clReleaseMemObject(destination);
  relayout_plan_destroy(plan);
}

/* A buffer on the caller's memory that is aligned for its elements but for no wider word. */
static void test_host_pointer_of_few_aligned_bytes(void **state) {
  const opencl_bench *const bench = *state;
  enum { WIDTH = 64, HEIGHT = 8, WORDS = WIDTH * HEIGHT };
  uint16_t *const memory = malloc(2 * (WORDS + 1));
  assert_non_null(memory);
  for (int i = 0; i < WORDS; ++i) {
    memory[1 + i] = (uint16_t)(3 * i);
  }
  cl_int code = CL_SUCCESS;
  const cl_mem source = clCreateBuffer(bench->context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR,
                                       2 * WORDS, memory + 1, &code);
  assert_int_equal(code, CL_SUCCESS);
  uint16_t relaid[80 * HEIGHT];
  memset(relaid, 0xee, sizeof relaid);
  const cl_mem destination = opencl_buffer(bench, sizeof relaid, relaid);
  relayout_plan *const plan = plan_of(bench->device, "u16[8,64]{1,0}", "u16[8,64]{1,0:PD(8,80)}");
  assert_int_equal(
      relayout_plan_enqueue(plan, bench->queue, source, 0, destination, 0, 0, NULL, NULL, NULL),
      RELAYOUT_OK);
  opencl_read(bench, destination, sizeof relaid, relaid);
  for (int y = 0; y < HEIGHT; ++y) {
    for (int x = 0; x < 80; ++x) {
      assert_int_equal(relaid[80 * y + x], x < WIDTH ? 3 * (WIDTH * y + x) : 0);
    }
  }
  clReleaseMemObject(source);
  clReleaseMemObject(destination);
  relayout_plan_destroy(plan);
  free(memory);
}

/* ---- Several threads, one plan ---- */

typedef struct worker {
  const opencl_bench *bench;
  const relayout_plan *plan;
  int number;
  int failures;
} worker;

enum { WORKERS = 4, ROUNDS = 25, SIDE = 48 };

/* Each thread moves matrices of its own on a queue of its own. */
static void *work(void *data) {
  worker *const self = data;
  int32_t from[SIDE * SIDE];
  int32_t to[SIDE * SIDE];
  cl_int code = CL_SUCCESS;
  const cl_command_queue queue =
      clCreateCommandQueue(self->bench->context, self->bench->id, 0, &code);
  const cl_mem source =
      clCreateBuffer(self->bench->context, CL_MEM_READ_WRITE, sizeof from, NULL, &code);
  const cl_mem destination =
      clCreateBuffer(self->bench->context, CL_MEM_READ_WRITE, sizeof to, NULL, &code);
  for (int round = 0; round < ROUNDS; ++round) {
    for (int i = 0; i < SIDE * SIDE; ++i) {
      from[i] = 1000000 * self->number + 10000 * round + i;
    }
    clEnqueueWriteBuffer(queue, source, CL_FALSE, 0, sizeof from, from, 0, NULL, NULL);
    self->failures += relayout_plan_enqueue(self->plan, queue, source, 0, destination, 0, 0, NULL,
                                            NULL, NULL) != RELAYOUT_OK;
    clEnqueueReadBuffer(queue, destination, CL_TRUE, 0, sizeof to, to, 0, NULL, NULL);
    for (int i = 0; i < SIDE; ++i) {
      for (int j = 0; j < SIDE; ++j) {
        self->failures += to[SIDE * j + i] != from[SIDE * i + j];
      }
    }
  }
  clReleaseMemObject(source);
  clReleaseMemObject(destination);
  clReleaseCommandQueue(queue);
  return NULL;
}

static void test_threads_share_a_plan(void **state) {
  const opencl_bench *const bench = *state;
  relayout_plan *const plan = plan_of(bench->device, "s32[48,48]{1,0}", "s32[48,48]{0,1}");
  worker workers[WORKERS];
  pthread_t threads[WORKERS];
  for (int i = 0; i < WORKERS; ++i) {
    workers[i] = (worker){bench, plan, i, 0};
    assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
  }
  for (int i = 0; i < WORKERS; ++i) {
    pthread_join(threads[i], NULL);
    assert_int_equal(workers[i].failures, 0);
  }
  relayout_plan_destroy(plan);
}

/* ---- In one call ---- */

static void test_one_shot(void **state) {
  const opencl_bench *const bench = *state;
  const shapes parsed = parse(from_text, to_text);
  int32_t from[SOURCE_COUNT];
  int32_t to[DESTINATION_COUNT] = {0};
  make_source(from);
  const cl_mem source = opencl_buffer(bench, sizeof from, from);
  const cl_mem destination = opencl_buffer(bench, sizeof to, to);
  for (int i = 0; i < 2; ++i) {
    assert_int_equal(relayout_enqueue(bench->device, &parsed.from, &parsed.to, bench->queue, source,
                                      0, destination, 0, 0, NULL, NULL, NULL),
                     RELAYOUT_OK);
  }
  opencl_read(bench, destination, sizeof to, to);
  assert_relaid(to);

  relayout_error error = {0};
  assert_int_equal(relayout_enqueue(NULL, &parsed.from, &parsed.to, bench->queue, source, 0,
                                    destination, 0, 0, NULL, NULL, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "device is NULL");
  assert_int_equal(relayout_enqueue(bench->device, NULL, &parsed.to, bench->queue, source, 0,
                                    destination, 0, 0, NULL, NULL, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "from is NULL");
  assert_int_equal(relayout_enqueue(bench->device, &parsed.from, NULL, bench->queue, source, 0,
                                    destination, 0, 0, NULL, NULL, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "to is NULL");
  cl_event event = (cl_event)&error;
  assert_int_equal(relayout_enqueue(bench->device, &parsed.from, NULL, bench->queue, source, 0,
                                    destination, 0, 0, NULL, &event, NULL),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_null(event);
  relayout_device *cpu = NULL;
  assert_int_equal(relayout_device_open("cpu", &cpu, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_enqueue(cpu, &parsed.from, &parsed.to, bench->queue, source, 0,
                                    destination, 0, 0, NULL, NULL, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "device is not an OpenCL device");
  relayout_device_destroy(cpu);
  clReleaseMemObject(source);
  clReleaseMemObject(destination);
}

/* ---- What is refused ---- */

/* One wrong thing at a time; everything else is right. */
typedef struct refusal {
  const char *what;
  relayout_status status;
  const char *message; /* a part of it */
} refusal;

typedef struct attempt {
  const relayout_plan *plan;
  cl_command_queue queue;
  cl_mem source;
  size_t source_offset;
  cl_mem destination;
  size_t destination_offset;
  cl_uint n_wait;
  const cl_event *wait;
} attempt;

static void assert_refused(const opencl_bench *bench, attempt wrong, refusal expected) {
  relayout_error error = {0};
  cl_event event = (cl_event)&error;
  const relayout_status status = relayout_plan_enqueue(
      wrong.plan, wrong.queue, wrong.source, wrong.source_offset, wrong.destination,
      wrong.destination_offset, wrong.n_wait, wrong.wait, &event, &error);
  if (status != expected.status || error.status != expected.status ||
      strstr(error.message, expected.message) == NULL) {
    fail_msg("%s: %s: status %d (%s), expected %d (%s)", bench->label, expected.what, (int)status,
             error.message, (int)expected.status, expected.message);
  }
  assert_null(event);
}

/* Runs of 8 bytes change places. */
static const char runs_from[] = "u8[96,64,8]{2,1,0}";
static const char runs_to[] = "u8[96,64,8]{2,0,1}";
enum { RUN_ROWS = 96, RUN_COLUMNS = 64, RUN = 8 };

static void assert_runs_turned(const uint8_t *from, const uint8_t *to) {
  for (int row = 0; row < RUN_ROWS; ++row) {
    for (int column = 0; column < RUN_COLUMNS; ++column) {
      assert_memory_equal(to + RUN * (column * RUN_ROWS + row),
                          from + RUN * (row * RUN_COLUMNS + column), RUN);
    }
  }
}

typedef struct finding {
  int bytes;
  char text[1024];
} finding;

static void find_words(void *context, const relayout_schedule_info *info) {
  finding *const at = context;
  char field[32];
  snprintf(field, sizeof field, " align=%d:%d ", at->bytes, at->bytes);
  if (at->text[0] == '\0' && strstr(info->text, field) != NULL) {
    snprintf(at->text, sizeof at->text, "%s", info->text);
  }
}

/* That runs the best schedule of words of so many bytes. */
static relayout_plan *plan_of_words(const opencl_bench *bench, const shapes *of, int bytes) {
  finding found = {.bytes = bytes};
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(bench->device, &of->from, &of->to, NULL, &plan, NULL),
                   RELAYOUT_OK);
  assert_int_equal(relayout_plan_visit_schedules(plan, 0, find_words, &found, NULL), RELAYOUT_OK);
  relayout_plan_destroy(plan);
  const char *const text = found.text;
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.schedules = &text;
  options.schedule_count = 1;
  assert_int_equal(relayout_plan_create(bench->device, &of->from, &of->to, &options, &plan, NULL),
                   RELAYOUT_OK);
  return plan;
}

static void test_refusals(void **state) {
  const opencl_bench *const bench = *state;
  cl_int code = CL_SUCCESS;
  relayout_plan *const plan = plan_of(bench->device, from_text, to_text);
  const cl_mem source = empty_buffer(bench->context, SOURCE_SIZE + 8);
  const cl_mem destination = empty_buffer(bench->context, DESTINATION_SIZE + 8);
  const cl_context other = clCreateContext(NULL, 1, &bench->id, NULL, NULL, &code);
  assert_int_equal(code, CL_SUCCESS);
  const cl_command_queue other_queue = clCreateCommandQueue(other, bench->id, 0, &code);
  assert_int_equal(code, CL_SUCCESS);
  const cl_mem other_buffer = empty_buffer(other, 200);
  const attempt right = {plan, bench->queue, source, 0, destination, 0, 0, NULL};
  const cl_event no_event = NULL;

  attempt wrong = right;
  wrong.plan = NULL;
  assert_refused(bench, wrong, (refusal){"no plan", RELAYOUT_INVALID_ARGUMENT, "plan is NULL"});
  wrong = right;
  wrong.queue = NULL;
  assert_refused(bench, wrong, (refusal){"no queue", RELAYOUT_INVALID_ARGUMENT, "queue is NULL"});
  wrong = right;
  wrong.source = NULL;
  assert_refused(bench, wrong, (refusal){"no source", RELAYOUT_INVALID_ARGUMENT, "source is NULL"});
  wrong = right;
  wrong.destination = NULL;
  assert_refused(bench, wrong,
                 (refusal){"no destination", RELAYOUT_INVALID_ARGUMENT, "destination is NULL"});
  wrong = right;
  wrong.n_wait = 2;
  assert_refused(bench, wrong,
                 (refusal){"no list", RELAYOUT_INVALID_ARGUMENT, "n_wait is 2, but wait is NULL"});
  wrong = right;
  wrong.wait = &no_event;
  assert_refused(
      bench, wrong,
      (refusal){"no count", RELAYOUT_INVALID_ARGUMENT, "n_wait is 0, but wait is not NULL"});
  wrong.n_wait = 1;
  assert_refused(bench, wrong, (refusal){"no event", RELAYOUT_INVALID_ARGUMENT, "wait[0] is NULL"});
  wrong = right;
  wrong.queue = other_queue;
  assert_refused(bench, wrong,
                 (refusal){"queue of another context", RELAYOUT_WRONG_CONTEXT, "queue"});
  wrong = right;
  wrong.source = other_buffer;
  assert_refused(bench, wrong,
                 (refusal){"source of another context", RELAYOUT_WRONG_CONTEXT, "source"});
  wrong = right;
  wrong.destination = other_buffer;
  assert_refused(
      bench, wrong,
      (refusal){"destination of another context", RELAYOUT_WRONG_CONTEXT, "destination"});
  wrong = right;
  wrong.source_offset = 6;
  assert_refused(
      bench, wrong,
      (refusal){"source between elements", RELAYOUT_MISALIGNED_OFFSET, "source_offset is 6"});
  wrong = right;
  wrong.destination_offset = 1;
  assert_refused(bench, wrong,
                 (refusal){"destination between elements", RELAYOUT_MISALIGNED_OFFSET,
                           "destination_offset is 1"});
  wrong = right;
  wrong.source_offset = 12;
  assert_refused(
      bench, wrong,
      (refusal){
          "source ends too soon", RELAYOUT_BUFFER_TOO_SMALL,
          "source has 68 bytes, but the plan needs 60 from byte 12 on (source_offset is 12)"});
  wrong = right;
  wrong.destination_offset = (size_t)0 - 4;
  assert_refused(
      bench, wrong,
      (refusal){"destination far outside", RELAYOUT_BUFFER_TOO_SMALL, "destination has 104 bytes"});

  clReleaseMemObject(other_buffer);
  clReleaseCommandQueue(other_queue);
  clReleaseContext(other);
  clReleaseMemObject(source);
  clReleaseMemObject(destination);
  relayout_plan_destroy(plan);
}

/* A plan that runs a schedule of 8-byte words alone: offsets between two words are refused before
 * anything is enqueued, with the alignment that it asks for. Host memory may lie anywhere. */
static void test_refused_by_the_schedule(void **state) {
  const opencl_bench *const bench = *state;
  enum { SIZE = RUN_ROWS * RUN_COLUMNS * RUN };
  const shapes parsed = parse(runs_from, runs_to);
  relayout_plan *const plan = plan_of_words(bench, &parsed, 8);
  static uint8_t runs[SIZE + 8];
  static uint8_t poison[SIZE + 16];
  static uint8_t found[SIZE + 16];
  for (int i = 0; i < SIZE; ++i) {
    runs[i] = (uint8_t)(i * 7 + i / 256);
  }
  memset(poison, 0xee, sizeof poison);
  const cl_mem source = opencl_buffer(bench, sizeof runs, runs);
  const cl_mem destination = opencl_buffer(bench, sizeof poison, poison);
  attempt wrong = {plan, bench->queue, source, 2, destination, 8, 0, NULL};
  assert_refused(bench, wrong,
                 (refusal){"source between words", RELAYOUT_INVALID_ARGUMENT,
                           "needs an 8-byte aligned source; this one is off by 2"});
  wrong.source_offset = 0;
  wrong.destination_offset = 4;
  assert_refused(bench, wrong,
                 (refusal){"destination between words", RELAYOUT_INVALID_ARGUMENT,
                           "needs an 8-byte aligned destination; this one is off by 4"});
  opencl_read(bench, destination, sizeof found, found);
  assert_memory_equal(found, poison, sizeof found);
  assert_int_equal(
      relayout_plan_enqueue(plan, bench->queue, source, 0, destination, 16, 0, NULL, NULL, NULL),
      RELAYOUT_OK);
  opencl_read(bench, destination, sizeof found, found);
  assert_memory_equal(found, poison, 16);
  assert_runs_turned(runs, found + 16);
  assert_int_equal(relayout_plan_execute(plan, runs, found + 1, NULL), RELAYOUT_OK);
  assert_runs_turned(runs, found + 1);
  clReleaseMemObject(source);
  clReleaseMemObject(destination);
  relayout_plan_destroy(plan);
}

static void test_plan_of_another_backend(void **state) {
  const opencl_bench *const bench = *state;
  relayout_device *cpu = NULL;
  assert_int_equal(relayout_device_open("cpu", &cpu, NULL), RELAYOUT_OK);
  relayout_plan *const plan = plan_of(cpu, from_text, to_text);
  const cl_mem buffer = empty_buffer(bench->context, 400);
  assert_refused(bench, (attempt){plan, bench->queue, buffer, 0, buffer, 200, 0, NULL},
                 (refusal){"plan of the CPU", RELAYOUT_INVALID_ARGUMENT,
                           "plan was not made for an OpenCL device"});
  clReleaseMemObject(buffer);
  relayout_plan_destroy(plan);
  relayout_device_destroy(cpu);
}

/* Another device of the plan's own context. */
static void test_queue_of_another_device(void **state) {
  const opencl_bench *const bench = *state;
  cl_uint count = 0;
  clGetDeviceInfo(bench->id, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof count, &count, NULL);
  const cl_device_partition_property by_one[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_id parts[64] = {NULL};
  if (count < 2 || count > 64 ||
      clCreateSubDevices(bench->id, by_one, 64, parts, &count) != CL_SUCCESS || count < 2) {
    skip();
  }
  cl_int code = CL_SUCCESS;
  relayout_device *device = NULL;
  const cl_context context = clCreateContext(NULL, 2, parts, NULL, NULL, &code);
  assert_int_equal(code, CL_SUCCESS);
  const cl_command_queue queue = clCreateCommandQueue(context, parts[1], 0, &code);
  assert_int_equal(code, CL_SUCCESS);
  assert_int_equal(relayout_opencl_device_create(context, parts[0], NULL, &device, NULL),
                   RELAYOUT_OK);
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  assert_int_equal(relayout_device_get_info(device, &info, NULL), RELAYOUT_OK);
  assert_string_equal(info.name, "");

  relayout_plan *const plan = plan_of(device, from_text, to_text);
  const cl_mem buffer = empty_buffer(context, 400);
  assert_refused(bench, (attempt){plan, queue, buffer, 0, buffer, 200, 0, NULL},
                 (refusal){"queue of another device", RELAYOUT_WRONG_CONTEXT, "to device"});
  clReleaseMemObject(buffer);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  for (cl_uint i = 0; i < count; ++i) {
    clReleaseDevice(parts[i]);
  }
}

static void test_overlap(void **state) {
  const opencl_bench *const bench = *state;
  relayout_plan *const plan = plan_of(bench->device, from_text, to_text);
  const cl_mem whole = empty_buffer(bench->context, 16384);
  const refusal expected = {"overlap", RELAYOUT_BUFFERS_OVERLAP, "overlap"};
  static const size_t overlapping[][2] = {{0, 0}, {0, 56}, {92, 0}, {100, 120}};
  for (size_t i = 0; i < sizeof overlapping / sizeof overlapping[0]; ++i) {
    assert_refused(
        bench,
        (attempt){plan, bench->queue, whole, overlapping[i][0], whole, overlapping[i][1], 0, NULL},
        expected);
  }
  static const size_t touching[][2] = {{0, 60}, {96, 0}};
  for (size_t i = 0; i < sizeof touching / sizeof touching[0]; ++i) {
    assert_int_equal(relayout_plan_enqueue(plan, bench->queue, whole, touching[i][0], whole,
                                           touching[i][1], 0, NULL, NULL, NULL),
                     RELAYOUT_OK);
  }

  /* Sub-buffers meet in the buffer that they are parts of. */
  cl_int code = CL_SUCCESS;
  const cl_buffer_region first = {0, 8192};
  const cl_buffer_region second = {4096, 8192};
  const cl_mem low = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &first, &code);
  assert_int_equal(code, CL_SUCCESS);
  const cl_mem high = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &second, &code);
  assert_int_equal(code, CL_SUCCESS);
  assert_refused(bench, (attempt){plan, bench->queue, low, 4096, high, 0, 0, NULL}, expected);
  assert_refused(bench, (attempt){plan, bench->queue, whole, 4140, high, 0, 0, NULL}, expected);
  assert_refused(bench, (attempt){plan, bench->queue, high, 0, whole, 4140, 0, NULL}, expected);
  assert_int_equal(relayout_plan_enqueue(plan, bench->queue, low, 0, high, 0, 0, NULL, NULL, NULL),
                   RELAYOUT_OK);
  assert_int_equal(clFinish(bench->queue), CL_SUCCESS);
  clReleaseMemObject(low);
  clReleaseMemObject(high);
  clReleaseMemObject(whole);
  relayout_plan_destroy(plan);
}

/* What kernels may not read, and what they may not write; parts of buffers inherit that. */
static void test_access(void **state) {
  const opencl_bench *const bench = *state;
  relayout_plan *const plan = plan_of(bench->device, from_text, to_text);
  cl_int code = CL_SUCCESS;
  const cl_mem any = empty_buffer(bench->context, 4096);
  const cl_mem read_only = clCreateBuffer(bench->context, CL_MEM_READ_ONLY, 4096, NULL, &code);
  assert_int_equal(code, CL_SUCCESS);
  const cl_mem write_only = clCreateBuffer(bench->context, CL_MEM_WRITE_ONLY, 4096, NULL, &code);
  assert_int_equal(code, CL_SUCCESS);
  const cl_buffer_region region = {0, 2048};
  const cl_mem read_part =
      clCreateSubBuffer(read_only, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  assert_int_equal(code, CL_SUCCESS);
  const cl_mem write_part =
      clCreateSubBuffer(any, CL_MEM_WRITE_ONLY, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  assert_int_equal(code, CL_SUCCESS);

  const refusal read = {"read-only destination", RELAYOUT_INVALID_ARGUMENT, "CL_MEM_READ_ONLY"};
  const refusal write = {"write-only source", RELAYOUT_INVALID_ARGUMENT, "CL_MEM_WRITE_ONLY"};
  assert_refused(bench, (attempt){plan, bench->queue, any, 0, read_only, 0, 0, NULL}, read);
  assert_refused(bench, (attempt){plan, bench->queue, any, 0, read_part, 0, 0, NULL}, read);
  assert_refused(bench, (attempt){plan, bench->queue, write_only, 0, any, 0, 0, NULL}, write);
  assert_refused(bench, (attempt){plan, bench->queue, write_part, 0, read_only, 0, 0, NULL}, write);
  assert_int_equal(
      relayout_plan_enqueue(plan, bench->queue, read_part, 0, write_only, 0, 0, NULL, NULL, NULL),
      RELAYOUT_OK);
  assert_int_equal(clFinish(bench->queue), CL_SUCCESS);
  clReleaseMemObject(read_part);
  clReleaseMemObject(write_part);
  clReleaseMemObject(any);
  clReleaseMemObject(read_only);
  clReleaseMemObject(write_only);
  relayout_plan_destroy(plan);
}

static cl_mem buffer_on(cl_context context, uint8_t *memory, size_t size) {
  cl_int code = CL_SUCCESS;
  const cl_mem buffer =
      clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, size, memory, &code);
  assert_int_equal(code, CL_SUCCESS);
  return buffer;
}

/* Buffers that know nothing of each other meet in the memory that they were made on. */
static void test_overlap_in_host_memory(void **state) {
  const opencl_bench *const bench = *state;
  enum { SIZE = 16384, SHIFT = 4096 };
  relayout_plan *const plan = plan_of(bench->device, from_text, to_text);
  uint8_t *const memory = aligned_alloc(4096, SIZE + SHIFT);
  assert_non_null(memory);
  const cl_mem low = buffer_on(bench->context, memory, SIZE);
  const cl_mem same = buffer_on(bench->context, memory, SIZE);
  const cl_mem high = buffer_on(bench->context, memory + SHIFT, SIZE);
  cl_int code = CL_SUCCESS;
  const cl_buffer_region region = {SHIFT, SHIFT};
  const cl_mem part = clCreateSubBuffer(low, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  assert_int_equal(code, CL_SUCCESS);

  const refusal expected = {"overlap in host memory", RELAYOUT_BUFFERS_OVERLAP, "in host memory"};
  const attempt overlapping[] = {
      {plan, bench->queue, low, 0, same, 0, 0, NULL},
      {plan, bench->queue, low, 92, same, 0, 0, NULL},
      {plan, bench->queue, low, SHIFT + 92, high, 0, 0, NULL},
      {plan, bench->queue, high, 0, low, SHIFT + 56, 0, NULL},
      {plan, bench->queue, part, 0, high, 0, 0, NULL},
      {plan, bench->queue, high, 56, part, 112, 0, NULL},
  };
  for (size_t i = 0; i < sizeof overlapping / sizeof overlapping[0]; ++i) {
    assert_refused(bench, overlapping[i], expected);
  }
  const attempt touching[] = {
      {plan, bench->queue, low, 96, same, 0, 0, NULL},
      {plan, bench->queue, low, SHIFT - SOURCE_SIZE, high, 0, 0, NULL},
      {plan, bench->queue, part, DESTINATION_SIZE, high, 0, 0, NULL},
  };
  for (size_t i = 0; i < sizeof touching / sizeof touching[0]; ++i) {
    const attempt *const right = &touching[i];
    assert_int_equal(relayout_plan_enqueue(plan, bench->queue, right->source, right->source_offset,
                                           right->destination, right->destination_offset, 0, NULL,
                                           NULL, NULL),
                     RELAYOUT_OK);
  }
  assert_int_equal(clFinish(bench->queue), CL_SUCCESS);
  clReleaseMemObject(part);
  clReleaseMemObject(low);
  clReleaseMemObject(same);
  clReleaseMemObject(high);
  free(memory);
  relayout_plan_destroy(plan);
}

static void expect_explained(const relayout_plan *plan, const char *words, const char *json) {
  static char text[8192];
  assert_in_range(relayout_plan_explain(plan, RELAYOUT_EXPLAIN_TEXT, text, sizeof text), 1,
                  sizeof text - 1);
  assert_int_equal(strstr(text, "host memory") != NULL, words != NULL);
  assert_true(words == NULL || strstr(text, words) != NULL);
  assert_in_range(relayout_plan_explain(plan, RELAYOUT_EXPLAIN_JSON, text, sizeof text), 1,
                  sizeof text - 1);
  assert_non_null(strstr(text, json));
}

/* What crosses to a device and back, each byte once; where parts of bytes stay as they are, the
 * destination goes up as well. */
static void test_host_memory_is_explained(void **state) {
  const opencl_bench *const bench = *state;
  rlt_opencl_device *const device = (rlt_opencl_device *)bench->device;
  const rlt_opencl_device as_it_was = *device;
  relayout_plan *const plan = plan_of(bench->device, "u8[64,200]{1,0}", "u8[64,200]{0,1:L(7)}");
  relayout_plan *const packed =
      plan_of(bench->device, "s4[99]{0:E(4)}", "s4[99]{0:PD(103)PV(unknown)E(4)}");
  device->shares_host_memory = device->svm_is_all_memory = false;
  expect_explained(plan, "\nhost memory: 12800 bytes up and 12803 down, in 1 box\n",
                   ",\"host_memory\":{\"boxes\":1,\"bytes_up\":12800,\"bytes_down\":12803},");
  expect_explained(packed, "\nhost memory: 102 bytes up and 52 down, in 1 box\n",
                   ",\"host_memory\":{\"boxes\":1,");
  device->base.info.allocation_bytes = 4352;
  expect_explained(plan, "\nhost memory: 12800 bytes up and 12803 down, in 56 boxes\n",
                   ",\"host_memory\":{\"boxes\":56,");
  device->base.info.allocation_bytes = as_it_was.base.info.allocation_bytes;
  device->shares_host_memory = false;
  device->svm_is_all_memory = true;
  expect_explained(plan, NULL, ",\"host_memory\":null,");
  device->shares_host_memory = as_it_was.shares_host_memory;
  device->svm_is_all_memory = as_it_was.svm_is_all_memory;
  relayout_plan_destroy(plan);
  relayout_plan_destroy(packed);
}

/* A tensor that no single buffer holds is moved in boxes; where there are none both numbers are
 * named. */
static void test_host_memory_beyond_one_allocation(void **state) {
  const opencl_bench *const bench = *state;
  enum { ROWS = 64, COLUMNS = 200, ROOM = 70 * 210, LIMIT = 4096 };
  static uint8_t source[ROOM];
  static uint8_t destination[ROOM];
  rlt_opencl_device *const device = (rlt_opencl_device *)bench->device;
  const rlt_opencl_device as_it_was = *device;
  for (size_t i = 0; i < sizeof source; ++i) {
    source[i] = (uint8_t)(i % 251);
  }
  relayout_plan *const plan = plan_of(bench->device, "u8[64,200]{1,0}", "u8[64,200]{0,1}");
  relayout_plan *const whole =
      plan_of(bench->device, "u8[64,200]{1,0:T(6,10)}", "u8[64,200]{1,0:T(4,7)}");
  relayout_error error = {0};
  device->base.info.allocation_bytes = LIMIT;
  device->shares_host_memory = device->svm_is_all_memory = false;
  assert_int_equal(relayout_plan_execute(plan, source, destination, &error), RELAYOUT_OK);
  for (size_t i = 0; i < ROWS * COLUMNS; ++i) {
    assert_int_equal(destination[i], source[i % ROWS * COLUMNS + i / ROWS]);
  }
  const relayout_status status = relayout_plan_execute(whole, source, destination, &error);
  device->base.info.allocation_bytes = as_it_was.base.info.allocation_bytes;
  device->shares_host_memory = as_it_was.shares_host_memory;
  device->svm_is_all_memory = as_it_was.svm_is_all_memory;
  assert_int_equal(status, RELAYOUT_OUT_OF_DEVICE_MEMORY);
  assert_non_null(strstr(error.message, "at most 4096 bytes"));
  assert_int_equal(error.cl_status, CL_INVALID_BUFFER_SIZE);
  relayout_plan_destroy(plan);
  relayout_plan_destroy(whole);
}

/* Native kernels take the host's memory as the CPU backend does. */
static int run_kernels(opencl_bench *bench) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_host_memory_between_each_other, bench),
      cmocka_unit_test_prestate(test_refused_by_the_schedule, bench),
      cmocka_unit_test_prestate(test_host_memory_is_explained, bench),
      cmocka_unit_test_prestate(test_host_memory_beyond_one_allocation, bench),
  };
  return cmocka_run_group_tests_name("enqueue kernels", tests, NULL, NULL);
}

static int run(opencl_bench *bench) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_event_chain, bench),
      cmocka_unit_test_prestate(test_offsets_in_one_buffer, bench),
      cmocka_unit_test_prestate(test_elements_between_each_other, bench),
      cmocka_unit_test_prestate(test_plan_destroyed_after_enqueue, bench),
      cmocka_unit_test_prestate(test_empty_plan, bench),
      cmocka_unit_test_prestate(test_fill_without_source, bench),
      cmocka_unit_test_prestate(test_views, bench),
      cmocka_unit_test_prestate(test_boxes, bench),
      cmocka_unit_test_prestate(test_fill_behind_any_offset, bench),
      cmocka_unit_test_prestate(test_host_pointer_of_few_aligned_bytes, bench),
      cmocka_unit_test_prestate(test_threads_share_a_plan, bench),
      cmocka_unit_test_prestate(test_one_shot, bench),
      cmocka_unit_test_prestate(test_refusals, bench),
      cmocka_unit_test_prestate(test_plan_of_another_backend, bench),
      cmocka_unit_test_prestate(test_queue_of_another_device, bench),
      cmocka_unit_test_prestate(test_overlap, bench),
      cmocka_unit_test_prestate(test_access, bench),
      cmocka_unit_test_prestate(test_overlap_in_host_memory, bench),
  };
  const int failures = cmocka_run_group_tests_name("enqueue", tests, NULL, NULL);
  return bench->family == RELAYOUT_KERNELS_WORK_GROUP ? failures + run_kernels(bench) : failures;
}

int main(void) {
  return opencl_on_each_device(run);
}
