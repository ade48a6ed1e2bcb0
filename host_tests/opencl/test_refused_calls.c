/* test_refused_calls.c: a driver that refuses a call, in the middle of an enqueue or while a device
 * is made. The linker leads the library's calls to the wrappers here. */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "opencl/bench.h"
#include "opencl/device.h"

/* ---- The driver ---- */

typedef enum call {
  SET_ARGUMENT,
  ENQUEUE_KERNEL,
  ENQUEUE_MARKER,
  WRITE,
  READ,
  LIST_PLATFORMS,
  ASK_PLATFORM,
  ASK_DEVICE,
  ASK_CONTEXT,
  RETAIN_CONTEXT,
  RETAIN_DEVICE,
  RETAIN_PROGRAM,
  CALL_COUNT
} call;

static struct {
  int counts[CALL_COUNT]; /* since begin */
  call refused;           /* which call, */
  int number;             /* the first of them being 1; 0: none */
  int events;             /* made and not released */
  int holds;              /* on contexts and devices, likewise */
} driver;

static void begin(call refused, int number) {
  memset(&driver, 0, sizeof driver);
  driver.refused = refused;
  driver.number = number;
}

static bool refuses(call made) {
  return ++driver.counts[made] == driver.number && made == driver.refused;
}

static cl_int note_event(cl_int code, const cl_event *event) {
  driver.events += code == CL_SUCCESS && event != NULL;
  return code;
}

cl_int __real_clSetKernelArg(cl_kernel kernel, cl_uint number, size_t size, const void *value);
cl_int __wrap_clSetKernelArg(cl_kernel kernel, cl_uint number, size_t size, const void *value);
cl_int __wrap_clSetKernelArg(cl_kernel kernel, cl_uint number, size_t size, const void *value) {
  return refuses(SET_ARGUMENT) ? CL_OUT_OF_HOST_MEMORY
                               : __real_clSetKernelArg(kernel, number, size, value);
}

cl_int __real_clReleaseEvent(cl_event event);
cl_int __wrap_clReleaseEvent(cl_event event);
cl_int __wrap_clReleaseEvent(cl_event event) {
  --driver.events;
  return __real_clReleaseEvent(event);
}

cl_int __real_clRetainEvent(cl_event event);
cl_int __wrap_clRetainEvent(cl_event event);
cl_int __wrap_clRetainEvent(cl_event event) {
  return note_event(__real_clRetainEvent(event), &event);
}

#define WRAP_ENQUEUE(made, name, parameters, arguments)                                            \
  cl_int __real_##name parameters;                                                                 \
  cl_int __wrap_##name parameters;                                                                 \
  cl_int __wrap_##name parameters {                                                                \
    return refuses(made) ? CL_OUT_OF_RESOURCES : note_event(__real_##name arguments, event);       \
  }

WRAP_ENQUEUE(ENQUEUE_KERNEL, clEnqueueNDRangeKernel,
             (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offsets,
              const size_t *global, const size_t *local, cl_uint n_wait, const cl_event *wait,
              cl_event *event),
             (queue, kernel, dimensions, offsets, global, local, n_wait, wait, event))
WRAP_ENQUEUE(ENQUEUE_MARKER, clEnqueueMarkerWithWaitList,
             (cl_command_queue queue, cl_uint n_wait, const cl_event *wait, cl_event *event),
             (queue, n_wait, wait, event))
WRAP_ENQUEUE(WRITE, clEnqueueWriteBuffer,
             (cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t offset, size_t size,
              const void *bytes, cl_uint n_wait, const cl_event *wait, cl_event *event),
             (queue, buffer, blocks, offset, size, bytes, n_wait, wait, event))
WRAP_ENQUEUE(READ, clEnqueueReadBuffer,
             (cl_command_queue queue, cl_mem buffer, cl_bool blocks, size_t offset, size_t size,
              void *bytes, cl_uint n_wait, const cl_event *wait, cl_event *event),
             (queue, buffer, blocks, offset, size, bytes, n_wait, wait, event))

#define WRAP_QUESTION(made, name, parameters, arguments)                                           \
  cl_int __real_##name parameters;                                                                 \
  cl_int __wrap_##name parameters;                                                                 \
  cl_int __wrap_##name parameters {                                                                \
    return refuses(made) ? CL_OUT_OF_RESOURCES : __real_##name arguments;                          \
  }

WRAP_QUESTION(LIST_PLATFORMS, clGetPlatformIDs,
              (cl_uint capacity, cl_platform_id *platforms, cl_uint *count),
              (capacity, platforms, count))
WRAP_QUESTION(ASK_PLATFORM, clGetPlatformInfo,
              (cl_platform_id id, cl_platform_info what, size_t size, void *value, size_t *given),
              (id, what, size, value, given))
WRAP_QUESTION(ASK_DEVICE, clGetDeviceInfo,
              (cl_device_id id, cl_device_info what, size_t size, void *value, size_t *given),
              (id, what, size, value, given))
WRAP_QUESTION(ASK_CONTEXT, clGetContextInfo,
              (cl_context context, cl_context_info what, size_t size, void *value, size_t *given),
              (context, what, size, value, given))
WRAP_QUESTION(RETAIN_PROGRAM, clRetainProgram, (cl_program program), (program))

#define WRAP_HOLD(made, type, retain, release)                                                     \
  cl_int __real_##retain(type object);                                                             \
  cl_int __wrap_##retain(type object);                                                             \
  cl_int __wrap_##retain(type object) {                                                            \
    const bool refused = refuses(made);                                                            \
    driver.holds += !refused;                                                                      \
    return refused ? CL_OUT_OF_RESOURCES : __real_##retain(object);                                \
  }                                                                                                \
  cl_int __real_##release(type object);                                                            \
  cl_int __wrap_##release(type object);                                                            \
  cl_int __wrap_##release(type object) {                                                           \
    --driver.holds;                                                                                \
    return __real_##release(object);                                                               \
  }

WRAP_HOLD(RETAIN_CONTEXT, cl_context, clRetainContext, clReleaseContext)
WRAP_HOLD(RETAIN_DEVICE, cl_device_id, clRetainDevice, clReleaseDevice)

/* ---- A relayout of two parts ---- */

/* f32[8,300] in tiles of 8 x 128: columns 0 to 255 fill two, the last 44 begin a third. */
enum { ROWS = 8, COLUMNS = 300, TILE = 128, TILES = 3, ELEMENTS = ROWS * TILE * TILES };

typedef struct relayout {
  relayout_plan *plan;
  float from[ROWS * COLUMNS];
  float to[ELEMENTS];
  cl_mem source;
  cl_mem destination;
} relayout;

static void prepare(const opencl_bench *bench, relayout *made) {
  relayout_shape from;
  relayout_shape to;
  assert_int_equal(relayout_shape_parse("f32[8,300]{1,0}", &from, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_shape_parse("f32[8,300]{1,0:T(8,128)}", &to, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_create(bench->device, &from, &to, NULL, &made->plan, NULL),
                   RELAYOUT_OK);
  for (int i = 0; i < ROWS * COLUMNS; ++i) {
    made->from[i] = (float)(1 + i);
  }
  memset(made->to, 0xff, sizeof made->to);
  made->source = opencl_buffer(bench, sizeof made->from, made->from);
  made->destination = opencl_buffer(bench, sizeof made->to, made->to);
}

static void release(relayout *made) {
  relayout_plan_destroy(made->plan);
  clReleaseMemObject(made->source);
  clReleaseMemObject(made->destination);
}

static float element_at(int i) {
  const int row = i / TILE % ROWS;
  const int column = i / (ROWS * TILE) * TILE + i % TILE;
  return column < COLUMNS ? (float)(1 + COLUMNS * row + column) : 0;
}

/* How many elements are where they belong; the others must be as they were. */
static int count_arrived(const relayout *made) {
  int arrived = 0;
  for (int i = 0; i < ELEMENTS; ++i) {
    static const unsigned char untouched[] = {0xff, 0xff, 0xff, 0xff};
    const bool is_there = made->to[i] == element_at(i);
    assert_true(is_there || memcmp(&made->to[i], untouched, sizeof untouched) == 0);
    arrived += is_there;
  }
  return arrived;
}

static relayout_status enqueue(const opencl_bench *bench, const relayout *made, cl_event *event) {
  relayout_error error = {0};
  const relayout_status status = relayout_plan_enqueue(
      made->plan, bench->queue, made->source, 0, made->destination, 0, 0, NULL, event, &error);
  assert_int_equal(error.status, status);
  return status;
}

/* What has arrived by the time that the event, which is released, has completed. */
static int arrived_with(const opencl_bench *bench, relayout *made, cl_event event) {
  assert_non_null(event);
  assert_int_equal(clWaitForEvents(1, &event), CL_SUCCESS);
  clReleaseEvent(event);
  assert_int_equal(driver.events, 0);
  opencl_read(bench, made->destination, sizeof made->to, made->to);
  return count_arrived(made);
}

/* Both parts, after all that went wrong before. */
static void assert_still_works(const opencl_bench *bench, relayout *made) {
  cl_event event = NULL;
  begin(SET_ARGUMENT, 0);
  assert_int_equal(enqueue(bench, made, &event), RELAYOUT_OK);
  assert_int_equal(driver.counts[ENQUEUE_KERNEL], 2);
  assert_int_equal(arrived_with(bench, made, event), ELEMENTS);
}

/* ---- Enqueue ---- */

static void test_refused_argument(void **state) {
  const opencl_bench *const bench = *state;
  relayout made;
  prepare(bench, &made);
  int number = 1;
  for (;; ++number) {
    cl_event event = (cl_event)&made;
    begin(SET_ARGUMENT, number);
    if (enqueue(bench, &made, &event) == RELAYOUT_OK) {
      clReleaseEvent(event);
      break;
    }
    assert_null(event);
    assert_int_equal(driver.counts[ENQUEUE_KERNEL], 0);
    assert_int_equal(driver.events, 0);
    opencl_read(bench, made.destination, sizeof made.to, made.to);
    assert_int_equal(count_arrived(&made), 0);
  }
  assert_int_equal(number, 1 + 2 * 4); /* each part has two sides with a buffer and a start */
  assert_still_works(bench, &made);
  release(&made);
}

static void test_refused_kernel(void **state) {
  const opencl_bench *const bench = *state;
  relayout made;
  prepare(bench, &made);
  cl_event event = (cl_event)&made;
  begin(ENQUEUE_KERNEL, 1);
  assert_int_equal(enqueue(bench, &made, &event), RELAYOUT_OPENCL_ERROR);
  assert_null(event);
  assert_int_equal(driver.counts[ENQUEUE_KERNEL], 1);

  begin(ENQUEUE_KERNEL, 2);
  assert_int_equal(enqueue(bench, &made, &event), RELAYOUT_OPENCL_ERROR);
  assert_int_equal(arrived_with(bench, &made, event), 2 * ROWS * TILE);

  begin(ENQUEUE_KERNEL, 2); /* nobody has asked for an event */
  assert_int_equal(enqueue(bench, &made, NULL), RELAYOUT_OPENCL_ERROR);
  assert_int_equal(driver.events, 0);
  assert_still_works(bench, &made);
  release(&made);
}

/* Everything has been enqueued before: the relayout takes place, and its event says when. */
static void test_refused_marker(void **state) {
  const opencl_bench *const bench = *state;
  relayout made;
  prepare(bench, &made);
  cl_event event = NULL;
  begin(ENQUEUE_MARKER, 1);
  assert_int_equal(enqueue(bench, &made, &event), RELAYOUT_OK);
  assert_int_equal(driver.counts[ENQUEUE_MARKER], 1);
  assert_int_equal(arrived_with(bench, &made, event), ELEMENTS);
  release(&made);
}

static void test_refused_marker_of_nothing(void **state) {
  const opencl_bench *const bench = *state;
  relayout_shape empty;
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_shape_parse("f32[0,5]", &empty, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_create(bench->device, &empty, &empty, NULL, &plan, NULL),
                   RELAYOUT_OK);
  cl_event event = (cl_event)&plan;
  begin(ENQUEUE_MARKER, 1);
  assert_int_equal(
      relayout_plan_enqueue(plan, bench->queue, NULL, 0, NULL, 0, 0, NULL, &event, NULL),
      RELAYOUT_OPENCL_ERROR);
  assert_null(event);
  relayout_plan_destroy(plan);
}

/* Of two relayouts the second one's first kernel is refused. */
static void test_refused_batch(void **state) {
  const opencl_bench *const bench = *state;
  relayout made;
  relayout other;
  prepare(bench, &made);
  prepare(bench, &other);
  const relayout_opencl_move moves[] = {{made.source, 0, made.destination, 0},
                                        {made.source, 0, other.destination, 0}};
  relayout_error error = {0};
  cl_event event = (cl_event)&made;
  begin(ENQUEUE_KERNEL, 1);
  assert_int_equal(
      relayout_plan_enqueue_batch(made.plan, bench->queue, 2, moves, 0, NULL, &event, &error),
      RELAYOUT_OPENCL_ERROR);
  assert_null(event);
  begin(ENQUEUE_KERNEL, 3);
  assert_int_equal(
      relayout_plan_enqueue_batch(made.plan, bench->queue, 2, moves, 0, NULL, &event, &error),
      RELAYOUT_OPENCL_ERROR);
  assert_int_equal(arrived_with(bench, &made, event), ELEMENTS);
  opencl_read(bench, other.destination, sizeof other.to, other.to);
  assert_int_equal(count_arrived(&other), 0);
  release(&made);
  release(&other);
}

/* ---- Execute ---- */

/* By way of staging, so that nothing arrives but by the last command. */
static void test_refused_execute(void **state) {
  const opencl_bench *const bench = *state;
  static const call calls[] = {SET_ARGUMENT, ENQUEUE_KERNEL, WRITE, READ};
  relayout made;
  prepare(bench, &made);
  rlt_opencl_device *const device = (rlt_opencl_device *)bench->device;
  const bool shares = device->shares_host_memory;
  const bool is_all = device->svm_is_all_memory;
  device->shares_host_memory = device->svm_is_all_memory = false;
  for (size_t c = 0; c < sizeof calls / sizeof calls[0]; ++c) {
    for (int number = 1;; ++number) {
      begin(calls[c], number);
      memset(made.to, 0xff, sizeof made.to);
      const relayout_status status = relayout_plan_execute(made.plan, made.from, made.to, NULL);
      assert_int_equal(driver.events, 0);
      assert_int_equal(count_arrived(&made), status == RELAYOUT_OK ? ELEMENTS : 0);
      if (driver.counts[calls[c]] < number) {
        assert_int_equal(status, RELAYOUT_OK);
        assert_true(number > 1);
        break;
      }
      assert_int_equal(status, RELAYOUT_OPENCL_ERROR);
    }
  }
  device->shares_host_memory = shares;
  device->svm_is_all_memory = is_all;
  release(&made);
}

/* ---- Devices and plans ---- */

/* A device is not made, or is as it always was: a GPU does not become a CPU by a question
 * unanswered. */
static void test_refused_device(void **state) {
  const opencl_bench *const bench = *state;
  relayout_device_info expected = RELAYOUT_DEVICE_INFO_INIT;
  assert_int_equal(relayout_device_get_info(bench->device, &expected, NULL), RELAYOUT_OK);
  for (call asked = LIST_PLATFORMS; asked <= RETAIN_DEVICE; ++asked) {
    int failures = 0;
    for (int number = 1;; ++number) {
      relayout_device *device = NULL;
      relayout_error error = {0};
      begin(asked, number);
      const relayout_status status =
          relayout_opencl_device_create(bench->context, bench->id, NULL, &device, &error);
      const bool was_refused = driver.counts[asked] >= number;
      if (status == RELAYOUT_OK) {
        relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
        assert_int_equal(relayout_device_get_info(device, &info, NULL), RELAYOUT_OK);
        assert_memory_equal(&info, &expected, sizeof info);
        relayout_device_destroy(device);
      } else {
        assert_int_equal(status, RELAYOUT_OPENCL_ERROR);
        assert_int_equal(error.cl_status, CL_OUT_OF_RESOURCES);
        assert_null(device);
        ++failures;
      }
      assert_int_equal(driver.holds, 0);
      if (!was_refused) {
        break;
      }
    }
    assert_true(failures > 0);
  }
}

/* What was built stays the device's. */
static void test_refused_program(void **state) {
  const opencl_bench *const bench = *state;
  relayout_shape from;
  relayout_shape to;
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_shape_parse("u16[20,30]{1,0}", &from, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_shape_parse("u16[20,30]{0,1}", &to, NULL), RELAYOUT_OK);
  for (int i = 0; i < 3; ++i) {
    begin(RETAIN_PROGRAM, 1);
    assert_int_equal(relayout_plan_create(bench->device, &from, &to, NULL, &plan, NULL),
                     RELAYOUT_OPENCL_ERROR);
    assert_null(plan);
  }
  begin(RETAIN_PROGRAM, 0);
  assert_int_equal(relayout_plan_create(bench->device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  relayout_plan_destroy(plan);
}

static int run(opencl_bench *bench) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_refused_argument, bench),
      cmocka_unit_test_prestate(test_refused_kernel, bench),
      cmocka_unit_test_prestate(test_refused_marker, bench),
      cmocka_unit_test_prestate(test_refused_marker_of_nothing, bench),
      cmocka_unit_test_prestate(test_refused_batch, bench),
      cmocka_unit_test_prestate(test_refused_execute, bench),
      cmocka_unit_test_prestate(test_refused_device, bench),
      cmocka_unit_test_prestate(test_refused_program, bench),
  };
  return cmocka_run_group_tests_name("refused_calls", tests, NULL, NULL);
}

int main(void) {
  return opencl_on_each_device_with(RELAYOUT_KERNELS_WORK_GROUP, run);
}
