/* test_native.c: native kernels on a driver's queues: which memory they get, when they run, how
 * long they hold what they need, and on how many threads. The linker leads their enqueuing to the
 * wrapper here. */
#include "cmocka_all.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "opencl/bench.h"
#include "opencl/device.h"
#include "plan/plan.h"
#include "relayout/submit.h"
#include "shape_of.h"

enum { ROWS = 96, COLUMNS = 80, CELLS = ROWS * COLUMNS, BYTES = CELLS * 4 };

static const char from_text[] = "s32[96,80]{1,0}";
static const char to_text[] = "s32[96,80]{0,1}";

/* ---- The wrapper ---- */

static int refused; /* the number of the next call that is refused, from 1 on; 0: none */

cl_int __real_clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *kernel)(void *),
                                    void *arguments, size_t size, cl_uint count,
                                    const cl_mem *memory, const void **places, cl_uint n_wait,
                                    const cl_event *wait, cl_event *event);
cl_int __wrap_clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *kernel)(void *),
                                    void *arguments, size_t size, cl_uint count,
                                    const cl_mem *memory, const void **places, cl_uint n_wait,
                                    const cl_event *wait, cl_event *event);
cl_int __wrap_clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *kernel)(void *),
                                    void *arguments, size_t size, cl_uint count,
                                    const cl_mem *memory, const void **places, cl_uint n_wait,
                                    const cl_event *wait, cl_event *event) {
  if (refused > 0 && --refused == 0) {
    return CL_OUT_OF_RESOURCES;
  }
  return __real_clEnqueueNativeKernel(queue, kernel, arguments, size, count, memory, places, n_wait,
                                      wait, event);
}

/* ---- What the tests move ---- */

static relayout_plan *plan_on(relayout_device *device, const char *from, const char *to) {
  const relayout_shape source = shape_of(from);
  const relayout_shape destination = shape_of(to);
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(device, &source, &destination, NULL, &plan, NULL),
                   RELAYOUT_OK);
  return plan;
}

static void fill(int32_t seed, int32_t cells[CELLS]) {
  for (int32_t i = 0; i < CELLS; ++i) {
    cells[i] = seed + 7 * i;
  }
}

static void check_transposed(int32_t seed, const int32_t cells[CELLS]) {
  for (int32_t r = 0; r < ROWS; ++r) {
    for (int32_t c = 0; c < COLUMNS; ++c) {
      assert_int_equal(cells[c * ROWS + r], seed + 7 * (r * COLUMNS + c));
    }
  }
}

static cl_mem buffer_with(const opencl_bench *bench, cl_mem_flags flags, size_t size) {
  cl_int code = CL_SUCCESS;
  const cl_mem made = clCreateBuffer(bench->context, flags, size, NULL, &code);
  assert_int_equal(code, CL_SUCCESS);
  return made;
}

static void enqueue(const relayout_plan *plan, cl_command_queue queue, cl_mem source,
                    size_t source_offset, cl_mem destination, size_t destination_offset,
                    cl_event wait, cl_event *event) {
  relayout_error error = {.message = ""};
  if (relayout_plan_enqueue(plan, queue, source, source_offset, destination, destination_offset,
                            wait != NULL, wait != NULL ? &wait : NULL, event,
                            &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
}

static cl_command_queue queue_of(const opencl_bench *bench, cl_command_queue_properties how) {
  cl_int code = CL_SUCCESS;
  const cl_command_queue made = clCreateCommandQueue(bench->context, bench->id, how, &code);
  assert_int_equal(code, CL_SUCCESS);
  return made;
}

/* A plan that nobody else holds; its device is counted on, too. */
static int holders_of(const relayout_device *device) {
  return atomic_load(&device->holders);
}

/* The driver may let go of a command a moment after its event tells that it is done. */
static void expect_holders(const relayout_device *device, int expected) {
  const struct timespec moment = {0, 1000 * 1000};
  for (int i = 0; i < 5000 && holders_of(device) != expected; ++i) {
    nanosleep(&moment, NULL);
  }
  assert_int_equal(holders_of(device), expected);
}

static relayout_device *device_on(const opencl_bench *bench,
                                  const relayout_opencl_options *options) {
  relayout_device *made = NULL;
  relayout_error error = {.message = ""};
  if (relayout_opencl_device_create(bench->context, bench->id, options, &made, &error) !=
      RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(relayout_device_set_budget(made, 0, NULL), RELAYOUT_OK); /* keeps no plan */
  return made;
}

static relayout_opencl_options native_options(void) {
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.kernels = RELAYOUT_KERNELS_NATIVE;
  return options;
}

/* ---- Memory ---- */

/* Whichever of the buffers was made first, and whatever the host may do with them. */
static void test_order_of_buffers(void **state) {
  const opencl_bench *const bench = *state;
  static const cl_mem_flags flags[] = {CL_MEM_READ_WRITE, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS,
                                       CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR};
  static int32_t cells[CELLS];
  relayout_plan *const plan = plan_on(bench->device, from_text, to_text);
  relayout_plan *const back = plan_on(bench->device, to_text, from_text);
  for (size_t f = 0; f < sizeof flags / sizeof flags[0]; ++f) {
    const cl_mem first = buffer_with(bench, flags[f], BYTES);
    const cl_mem second = buffer_with(bench, flags[f], BYTES);
    fill((int32_t)f, cells);
    const cl_mem outer = opencl_buffer(bench, BYTES, cells);
    enqueue(plan, bench->queue, outer, 0, first, 0, NULL, NULL);
    enqueue(back, bench->queue, first, 0, second, 0, NULL, NULL);
    enqueue(plan, bench->queue, second, 0, first, 0, NULL, NULL);
    enqueue(back, bench->queue, first, 0, second, 0, NULL, NULL);
    enqueue(plan, bench->queue, second, 0, outer, 0, NULL, NULL);
    opencl_read(bench, outer, BYTES, cells);
    check_transposed((int32_t)f, cells);
    clReleaseMemObject(first);
    clReleaseMemObject(second);
    clReleaseMemObject(outer);
  }
  relayout_plan_destroy(plan);
  relayout_plan_destroy(back);
}

static cl_mem part_of(cl_mem whole, size_t origin, size_t size) {
  cl_int code = CL_SUCCESS;
  const cl_buffer_region region = {origin, size};
  const cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  assert_int_equal(code, CL_SUCCESS);
  return part;
}

/* Parts of one buffer, and of two, with offsets into them; what lies around stays. */
static void test_parts_of_buffers(void **state) {
  const opencl_bench *const bench = *state;
  enum { STEP = BYTES / 4096 * 4096 + 4096, WHOLE = 4 * STEP };
  relayout_plan *const plan = plan_on(bench->device, from_text, to_text);
  unsigned char *const bytes = malloc(WHOLE);
  int32_t *const cells = malloc(BYTES);
  assert_true(bytes != NULL && cells != NULL);
  for (int together = 0; together < 2; ++together) {
    memset(bytes, 0xa5, WHOLE);
    fill(3, cells);
    memcpy(bytes + STEP + 64, cells, BYTES);
    const cl_mem source = opencl_buffer(bench, WHOLE, bytes);
    const cl_mem destination = together ? source : opencl_buffer(bench, WHOLE, bytes);
    const cl_mem from = part_of(source, STEP, STEP);
    const cl_mem to = part_of(destination, 2 * STEP, STEP);
    enqueue(plan, bench->queue, from, 64, to, 8, NULL, NULL);
    opencl_read(bench, destination, WHOLE, bytes);
    memcpy(cells, bytes + 2 * STEP + 8, BYTES);
    check_transposed(3, cells);
    for (size_t i = 0; i < WHOLE; ++i) {
      const bool is_source = i >= STEP + 64 && i < STEP + 64 + BYTES;
      const bool is_destination = i >= 2 * STEP + 8 && i < 2 * STEP + 8 + BYTES;
      assert_true(is_source || is_destination || bytes[i] == 0xa5);
    }
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    clReleaseMemObject(source);
    if (!together) {
      clReleaseMemObject(destination);
    }
  }
  free(cells);
  free(bytes);
  relayout_plan_destroy(plan);
}

/* ---- Time ---- */

/* Everything is let go before the command may begin. */
static void test_everything_is_let_go(void **state) {
  const opencl_bench *const bench = *state;
  const relayout_opencl_options options = native_options();
  static int32_t cells[CELLS];
  cl_int code = CL_SUCCESS;
  relayout_device *const device = device_on(bench, &options);
  relayout_plan *const plan = plan_on(device, from_text, to_text);
  fill(11, cells);
  const cl_mem source = opencl_buffer(bench, BYTES, cells);
  const cl_mem destination = opencl_buffer(bench, BYTES, cells);
  const cl_command_queue queue = queue_of(bench, 0);
  const cl_event go = clCreateUserEvent(bench->context, &code);
  assert_int_equal(code, CL_SUCCESS);
  cl_event done = NULL;
  relayout_device_retain(device); /* to look at it */
  enqueue(plan, queue, source, 0, destination, 0, go, &done);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  clReleaseMemObject(source);
  clReleaseCommandQueue(queue);
  assert_int_equal(holders_of(device), 2);
  assert_int_equal(clSetUserEventStatus(go, CL_COMPLETE), CL_SUCCESS);
  assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
  assert_int_equal(holders_of(device), 1); /* before the event, not a moment after */
  relayout_device_destroy(device);
  opencl_read(bench, destination, BYTES, cells);
  check_transposed(11, cells);
  clReleaseEvent(done);
  clReleaseEvent(go);
  clReleaseMemObject(destination);
}

/* What waits for a failed event never runs, and lets go of its plan all the same. */
static void test_failed_events(void **state) {
  const opencl_bench *const bench = *state;
  const relayout_opencl_options options = native_options();
  static int32_t cells[CELLS];
  static int32_t after[CELLS];
  fill(5, cells);
  relayout_device *const device = device_on(bench, &options);
  for (int how = 0; how < 4; ++how) {
    const bool has_event = how < 2;
    cl_int code = CL_SUCCESS;
    const cl_command_queue queue =
        queue_of(bench, how % 2 == 0 ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    relayout_plan *const plan = plan_on(device, from_text, to_text);
    const cl_mem source = opencl_buffer(bench, BYTES, cells);
    const cl_mem destination = opencl_buffer(bench, BYTES, cells);
    const cl_event go = clCreateUserEvent(bench->context, &code);
    assert_int_equal(code, CL_SUCCESS);
    cl_event done = NULL;
    enqueue(plan, queue, source, 0, destination, 0, go, has_event ? &done : NULL);
    relayout_plan_destroy(plan);
    clReleaseMemObject(source);
    assert_int_equal(holders_of(device), 2);
    assert_int_equal(clSetUserEventStatus(go, -1), CL_SUCCESS);
    expect_holders(device, 1);
    if (has_event) {
      cl_int status = CL_COMPLETE;
      assert_int_equal(
          clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
          CL_SUCCESS);
      assert_true(status < 0);
      clReleaseEvent(done);
    }
    opencl_read(bench, destination, BYTES, after);
    assert_memory_equal(after, cells, BYTES);
    clReleaseEvent(go);
    clReleaseMemObject(destination);
    clReleaseCommandQueue(queue);
  }
  relayout_device_destroy(device);
}

/* A refused command takes nothing with it, whichever of its kernels was refused. */
static void test_refused_kernels(void **state) {
  const opencl_bench *const bench = *state;
  const relayout_opencl_options options = native_options();
  static int32_t cells[CELLS];
  static int32_t after[CELLS];
  relayout_device *const device = device_on(bench, &options);
  relayout_plan *const plan = plan_on(device, from_text, to_text);
  fill(9, cells);
  const cl_mem source = opencl_buffer(bench, BYTES, cells);
  const cl_mem destination = opencl_buffer(bench, BYTES, cells);
  relayout_status status = RELAYOUT_OPENCL_ERROR;
  for (int number = 1; status != RELAYOUT_OK; ++number) {
    relayout_error error = {0};
    cl_event done = (cl_event)&error;
    refused = number;
    status = relayout_plan_enqueue(plan, bench->queue, source, 0, destination, 0, 0, NULL, &done,
                                   &error);
    assert_int_equal(status, refused == 0 ? RELAYOUT_OPENCL_ERROR : RELAYOUT_OK);
    assert_in_range(number, 1, 3);
    clFinish(bench->queue);
    if (status != RELAYOUT_OK) {
      assert_null(done);
      assert_non_null(strstr(error.message, "clEnqueueNativeKernel failed"));
      opencl_read(bench, destination, BYTES, after);
      assert_memory_equal(after, cells, BYTES);
    } else {
      clReleaseEvent(done);
    }
  }
  refused = 0;
  opencl_read(bench, destination, BYTES, after);
  check_transposed(9, after);
  relayout_plan_destroy(plan);
  expect_holders(device, 1);
  relayout_device_destroy(device);
  clReleaseMemObject(source);
  clReleaseMemObject(destination);
}

/* The time that an event tells is the relayout's. */
static void test_profile(void **state) {
  const opencl_bench *const bench = *state;
  const cl_command_queue queue = queue_of(bench, CL_QUEUE_PROFILING_ENABLE);
  enum { SIDE = 2048 };
  relayout_plan *const plan = plan_on(bench->device, "f32[2048,2048]{1,0}", "f32[2048,2048]{0,1}");
  const cl_mem source = buffer_with(bench, CL_MEM_READ_WRITE, SIDE * SIDE * 4);
  const cl_mem destination = buffer_with(bench, CL_MEM_READ_WRITE, SIDE * SIDE * 4);
  cl_event done = NULL;
  cl_ulong times[4] = {0};
  enqueue(plan, queue, source, 0, destination, 0, NULL, &done);
  assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
  for (cl_profiling_info i = 0; i < 4; ++i) {
    assert_int_equal(clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_QUEUED + i, sizeof times[i],
                                             &times[i], NULL),
                     CL_SUCCESS);
    assert_true(i == 0 || times[i] >= times[i - 1]);
  }
  assert_true(times[3] - times[2] > 100 * 1000); /* 32 MiB in 0.1 ms would be 336 GB/s */
  clReleaseEvent(done);
  clReleaseMemObject(source);
  clReleaseMemObject(destination);
  clReleaseCommandQueue(queue);
  relayout_plan_destroy(plan);
}

/* ---- Load ---- */

enum { LANES = 8, STEPS = 30 };

/* A lane's cells go there and back, from buffer to buffer, each step behind the last one's event.
 */
static void run_lanes(const opencl_bench *bench, cl_command_queue queue) {
  static int32_t cells[LANES][CELLS];
  relayout_plan *const plan = plan_on(bench->device, from_text, to_text);
  relayout_plan *const back = plan_on(bench->device, to_text, from_text);
  cl_mem buffers[LANES][2];
  cl_event last[LANES] = {NULL};
  for (int32_t i = 0; i < LANES; ++i) {
    fill(1000 * i, cells[i]);
    buffers[i][i % 2] = opencl_buffer(bench, BYTES, cells[i]);
    buffers[i][1 - i % 2] = opencl_buffer(bench, BYTES, cells[i]);
  }
  for (int step = 0; step < 2 * STEPS + 1; ++step) {
    for (int i = 0; i < LANES; ++i) {
      cl_event next = NULL;
      enqueue(step % 2 == 0 ? plan : back, queue, buffers[i][step % 2], 0, buffers[i][1 - step % 2],
              0, last[i], &next);
      if (last[i] != NULL) {
        clReleaseEvent(last[i]);
      }
      last[i] = next;
    }
  }
  assert_int_equal(clWaitForEvents(LANES, last), CL_SUCCESS);
  for (int32_t i = 0; i < LANES; ++i) {
    opencl_read(bench, buffers[i][1], BYTES, cells[i]);
    check_transposed(1000 * i, cells[i]);
    clReleaseEvent(last[i]);
    clReleaseMemObject(buffers[i][0]);
    clReleaseMemObject(buffers[i][1]);
  }
  relayout_plan_destroy(plan);
  relayout_plan_destroy(back);
}

typedef struct crowd {
  const opencl_bench *bench;
  cl_command_queue queue;
} crowd;

/* Relayouts of several threads, on queues in and out of order, at the same time. */
static void *run_alone(void *of) {
  const crowd *const mine = of;
  int32_t *const cells = malloc(BYTES);
  relayout_plan *const plan = plan_on(mine->bench->device, from_text, to_text);
  relayout_plan *const back = plan_on(mine->bench->device, to_text, from_text);
  assert_non_null(cells);
  for (int step = 0; step < STEPS; ++step) {
    fill(step, cells);
    const cl_mem second = opencl_buffer(mine->bench, BYTES, cells);
    const cl_mem first = opencl_buffer(mine->bench, BYTES, cells);
    cl_event there = NULL;
    cl_event done = NULL;
    enqueue(plan, mine->queue, first, 0, second, 0, NULL, &there);
    enqueue(back, mine->queue, second, 0, first, 0, there, &done);
    clReleaseEvent(there);
    enqueue(plan, mine->queue, first, 0, second, 0, done, &there);
    assert_int_equal(clWaitForEvents(1, &there), CL_SUCCESS);
    opencl_read(mine->bench, second, BYTES, cells);
    check_transposed(step, cells);
    clReleaseEvent(there);
    clReleaseEvent(done);
    clReleaseMemObject(first);
    clReleaseMemObject(second);
  }
  relayout_plan_destroy(plan);
  relayout_plan_destroy(back);
  free(cells);
  return NULL;
}

static void test_load(void **state) {
  const opencl_bench *const bench = *state;
  enum { THREADS = 4 };
  const cl_command_queue queues[2] = {queue_of(bench, 0),
                                      queue_of(bench, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)};
  crowd crowds[THREADS];
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; ++i) {
    crowds[i] = (crowd){bench, queues[i % 2]};
    assert_int_equal(pthread_create(&threads[i], NULL, run_alone, &crowds[i]), 0);
  }
  run_lanes(bench, queues[0]);
  run_lanes(bench, queues[1]);
  for (int i = 0; i < THREADS; ++i) {
    pthread_join(threads[i], NULL);
  }
  clReleaseCommandQueue(queues[0]);
  clReleaseCommandQueue(queues[1]);
}

/* ---- Threads ---- */

typedef struct lender {
  atomic_int calls;
  atomic_size_t most; /* tasks of a call */
} lender;

static void lend(void *context, size_t count, void (*task)(void *data, size_t i), void *data) {
  lender *const of = context;
  atomic_fetch_add(&of->calls, 1);
  if (count > atomic_load(&of->most)) {
    atomic_store(&of->most, count);
  }
  for (size_t i = 0; i < count; ++i) {
    task(data, i);
  }
}

/* Moves 16 MiB by a device with these options; how many tasks it lent at most. */
static size_t tasks_of(const opencl_bench *bench, int32_t threads) {
  lender of = {0};
  relayout_opencl_options options = native_options();
  options.threads = threads;
  options.parallel_for = lend;
  options.parallel_context = &of;
  relayout_device *const device = device_on(bench, &options);
  relayout_plan *const plan = plan_on(device, "f32[2048,2048]{1,0}", "f32[2048,2048]{0,1}");
  const cl_command_queue queue = queue_of(bench, 0);
  const cl_mem source = buffer_with(bench, CL_MEM_READ_WRITE, 16 << 20);
  const cl_mem destination = buffer_with(bench, CL_MEM_READ_WRITE, 16 << 20);
  enqueue(plan, queue, source, 0, destination, 0, NULL, NULL);
  assert_int_equal(clFinish(queue), CL_SUCCESS);
  clReleaseMemObject(source);
  clReleaseMemObject(destination);
  clReleaseCommandQueue(queue);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  return atomic_load(&of.most);
}

static cl_uint units_of(cl_device_id id) {
  cl_uint units = 0;
  assert_int_equal(clGetDeviceInfo(id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL),
                   CL_SUCCESS);
  return units;
}

/* The caller's own threads work, no more of them than the device has compute units. */
static void test_lent_threads(void **state) {
  const opencl_bench *const bench = *state;
  const size_t units = units_of(bench->id);
  assert_in_range(tasks_of(bench, 64), units > 1 ? 2 : 0, units);
  assert_int_equal(tasks_of(bench, 1), 0); /* one task needs no pool */
}

/* PoCL's threads let go of an event after it completed, and read the queue's device then, which the
 * queue does not hold: a sub-device must outlive the last event. */
static void release_without_events(cl_command_queue queue) {
  cl_uint holders = 2;
  while (holders > 1) {
    assert_int_equal(
        clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof holders, &holders, NULL),
        CL_SUCCESS);
    sched_yield();
  }
  clReleaseCommandQueue(queue);
}

/* A part of a device has as many threads as it has compute units. */
static void test_part_of_a_device(void **state) {
  const opencl_bench *const bench = *state;
  const cl_device_partition_property by_one[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_id parts[64];
  cl_uint count = 0;
  if (clCreateSubDevices(bench->id, by_one, 64, parts, &count) != CL_SUCCESS) {
    skip();
  }
  opencl_bench part = *bench;
  cl_int code = CL_SUCCESS;
  part.id = parts[0];
  part.context = clCreateContext(NULL, 1, &parts[0], NULL, NULL, &code);
  assert_int_equal(code, CL_SUCCESS);
  part.queue = queue_of(&part, 0);
  const relayout_opencl_options options = native_options();
  part.device = device_on(&part, &options);
  assert_int_equal(units_of(part.id), 1);
  assert_int_equal(part.device->facts.threads, 1);
  assert_int_equal(tasks_of(&part, 0), 0);
  run_lanes(&part, part.queue);
  relayout_device_destroy(part.device);
  release_without_events(part.queue);
  clReleaseContext(part.context);
  for (cl_uint i = 0; i < count; ++i) {
    clReleaseDevice(parts[i]);
  }
}

/* ---- Plans ---- */

/* A plan is the CPU backend's, word for word, and OpenCL compiles nothing for it. */
static void test_plans_are_the_cpus(void **state) {
  const opencl_bench *const bench = *state;
  relayout_cpu_options cpu_options = RELAYOUT_CPU_OPTIONS_INIT;
  cpu_options.threads = bench->device->facts.threads;
  relayout_device *cpu = NULL;
  assert_int_equal(relayout_cpu_device_create(&cpu_options, &cpu, NULL), RELAYOUT_OK);
  static const char *const pairs[][2] = {{"f32[1024,1000]{1,0}", "f32[1024,1000]{0,1}"},
                                         {"u8[300,400,3]{2,1,0}", "u8[300,400,3]{1,0,2}"},
                                         {"f32[512,512]{1,0}", "bf16[512,512]{1,0:T(8,128)(2,1)}"},
                                         {"s4[999]{0:E(4)}", "s8[999]{0:PD(1024)}"}};
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i) {
    relayout_plan *const native = plan_on(bench->device, pairs[i][0], pairs[i][1]);
    relayout_plan *const own = plan_on(cpu, pairs[i][0], pairs[i][1]);
    assert_int_equal(relayout_plan_part_count(native), relayout_plan_part_count(own));
    for (int32_t part = 0; part < relayout_plan_part_count(own); ++part) {
      char texts[2][512];
      relayout_plan_get_schedule(native, part, RELAYOUT_SCHEDULE_AT_ANY_OFFSET, texts[0], 512);
      relayout_plan_get_schedule(own, part, RELAYOUT_SCHEDULE_AT_ANY_OFFSET, texts[1], 512);
      assert_string_equal(texts[0], texts[1]);
    }
    relayout_plan_info info = RELAYOUT_PLAN_INFO_INIT;
    assert_int_equal(relayout_plan_get_info(native, &info, NULL), RELAYOUT_OK);
    assert_int_equal(info.kernel_count, 1);
    char text[4096];
    assert_true(relayout_plan_explain(native, RELAYOUT_EXPLAIN_TEXT, text, sizeof text) > 0);
    assert_non_null(strstr(text, ", in one native kernel"));
    relayout_plan_destroy(native);
    relayout_plan_destroy(own);
  }
  relayout_device_usage usage = RELAYOUT_DEVICE_USAGE_INIT;
  assert_int_equal(relayout_device_get_usage(bench->device, &usage, NULL), RELAYOUT_OK);
  assert_int_equal(usage.programs, 0);
  relayout_device_destroy(cpu);
}

static int run(opencl_bench *bench) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_order_of_buffers, bench),
      cmocka_unit_test_prestate(test_parts_of_buffers, bench),
      cmocka_unit_test_prestate(test_everything_is_let_go, bench),
      cmocka_unit_test_prestate(test_failed_events, bench),
      cmocka_unit_test_prestate(test_refused_kernels, bench),
      cmocka_unit_test_prestate(test_profile, bench),
      cmocka_unit_test_prestate(test_load, bench),
      cmocka_unit_test_prestate(test_lent_threads, bench),
      cmocka_unit_test_prestate(test_part_of_a_device, bench),
      cmocka_unit_test_prestate(test_plans_are_the_cpus, bench),
  };
  return cmocka_run_group_tests_name("native", tests, NULL, NULL);
}

int main(void) {
  return opencl_on_each_device_with(RELAYOUT_KERNELS_NATIVE, run);
}
