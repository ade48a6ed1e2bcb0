/* test_native_devices.c: which devices run native kernels, what these are handed by drivers of all
 * kinds, and that whatever call fails nothing is left. The driver is one of memory. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/device.h"
#include "opencl/fake_driver.h"
#include "opencl/native.h"
#include "relayout/hooks.h"
#include "relayout/relayout.h"
#include "relayout/submit.h"
#include "shape_of.h"

enum { ROWS = 12, COLUMNS = 7, CELLS = ROWS * COLUMNS, BYTES = CELLS * 4 };

static const char pocl[] = "Portable Computing Language";

static fake_platform platform_of(const char *name, fake_device *device) {
  return (fake_platform){name, "OpenCL 3.0 of the platform", 1, {device}};
}

static fake_device processor(void) {
  fake_device made = fake_gpu;
  made.type = CL_DEVICE_TYPE_CPU;
  made.runs_native = true;
  made.aligned_bits = 1024;
  made.compute_units = 2;
  return made;
}

static relayout_status open_on(fake_platform *platform, relayout_kernel_family kernels,
                               relayout_device **device, relayout_error *error) {
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.kernels = kernels;
  options.cache_directory = "";
  options.threads = 1;
  const cl_context context = fake_context(1, platform->devices);
  return relayout_opencl_device_create(context, (cl_device_id)(void *)platform->devices[0],
                                       &options, device, error);
}

/* ---- Which devices ---- */

static void test_who_runs_native_kernels(void **state) {
  (void)state;
  static const struct {
    cl_device_type type;
    bool runs;
    cl_uint aligned_bits;
    relayout_kernel_family asked;
    bool is_native;
    relayout_status status;
  } cases[] = {
      {CL_DEVICE_TYPE_CPU, true, 1024, RELAYOUT_KERNELS_AUTO, true, RELAYOUT_OK},
      {CL_DEVICE_TYPE_CPU, true, 1024, RELAYOUT_KERNELS_NATIVE, true, RELAYOUT_OK},
      {CL_DEVICE_TYPE_CPU, true, 1024, RELAYOUT_KERNELS_WORK_GROUP, false, RELAYOUT_OK},
      {CL_DEVICE_TYPE_CPU, true, 1024, RELAYOUT_KERNELS_STAGED, false, RELAYOUT_OK},
      {CL_DEVICE_TYPE_CPU, true, 512, RELAYOUT_KERNELS_AUTO, true, RELAYOUT_OK},
      {CL_DEVICE_TYPE_CPU, true, 256, RELAYOUT_KERNELS_AUTO, false, RELAYOUT_OK},
      {CL_DEVICE_TYPE_CPU, true, 0, RELAYOUT_KERNELS_AUTO, false, RELAYOUT_OK},
      {CL_DEVICE_TYPE_CPU, false, 1024, RELAYOUT_KERNELS_AUTO, false, RELAYOUT_OK},
      {CL_DEVICE_TYPE_CPU, false, 1024, RELAYOUT_KERNELS_NATIVE, false, RELAYOUT_UNSUPPORTED},
      {CL_DEVICE_TYPE_GPU, true, 1024, RELAYOUT_KERNELS_AUTO, false, RELAYOUT_OK},
      {CL_DEVICE_TYPE_GPU, true, 1024, RELAYOUT_KERNELS_NATIVE, false, RELAYOUT_UNSUPPORTED},
      {CL_DEVICE_TYPE_ACCELERATOR, true, 1024, RELAYOUT_KERNELS_AUTO, false, RELAYOUT_OK},
      {CL_DEVICE_TYPE_CUSTOM, true, 1024, RELAYOUT_KERNELS_AUTO, false, RELAYOUT_OK},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("case %zu\n", i);
    fake_device told = processor();
    told.type = cases[i].type;
    told.runs_native = cases[i].runs;
    told.aligned_bits = cases[i].aligned_bits;
    fake_platform platform = platform_of("Some", &told);
    relayout_device *device = NULL;
    relayout_error error = {.message = ""};
    fake_driver_begin(&platform);
    assert_int_equal(open_on(&platform, cases[i].asked, &device, &error), cases[i].status);
    if (cases[i].status == RELAYOUT_OK) {
      assert_int_equal(rlt_opencl_is_native((rlt_opencl_device *)device), cases[i].is_native);
    } else {
      assert_string_equal(error.message, "options->kernels is RELAYOUT_KERNELS_NATIVE, but device "
                                         "opencl:0:0 `A GPU` runs no native kernels");
    }
    relayout_device_destroy(device);
    assert_int_equal(fake_all_holders(), 1); /* the context, which is the test's */
    assert_int_equal(told.holders, 0);
  }
}

/* ---- What they are handed ---- */

static relayout_plan *transposing(relayout_device *device) {
  const relayout_shape from = shape_of("s32[12,7]{1,0}");
  const relayout_shape to = shape_of("s32[12,7]{0,1}");
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  return plan;
}

static void fill(cl_mem buffer, size_t offset, int32_t seed) {
  int32_t cells[CELLS];
  for (int32_t i = 0; i < CELLS; ++i) {
    cells[i] = seed + 3 * i;
  }
  memcpy(fake_bytes(buffer) + offset, cells, BYTES);
}

static bool is_transposed(cl_mem buffer, size_t offset, int32_t seed) {
  int32_t cells[CELLS];
  bool is = true;
  memcpy(cells, fake_bytes(buffer) + offset, BYTES);
  for (int32_t i = 0; i < CELLS; ++i) {
    is = is && cells[i] == seed + 3 * (i % ROWS * COLUMNS + i / ROWS);
  }
  return is;
}

typedef struct scene {
  fake_device told;
  fake_platform platform;
  relayout_device *device;
  relayout_plan *plan;
  cl_context context;
  cl_command_queue queue;
} scene;

static void begin(scene *of, const char *platform) {
  of->told = processor();
  of->platform = platform_of(platform, &of->told);
  fake_driver_begin(&of->platform);
  fake.sorts_buffers = platform == pocl;
  assert_int_equal(open_on(&of->platform, RELAYOUT_KERNELS_NATIVE, &of->device, NULL), RELAYOUT_OK);
  of->plan = transposing(of->device);
  of->context = ((rlt_opencl_device *)of->device)->context;
  of->queue = fake_queue(of->context, &of->told);
}

static void end(scene *of) {
  relayout_plan_destroy(of->plan);
  relayout_device_destroy(of->device);
}

/* Each order of three buffers, one of them both sides of a move, and a part of one; one command
 * that moves, and on PoCL a question for each buffer but one. */
static void test_batches(void **state) {
  (void)state;
  static const char *const platforms[] = {"Some", pocl};
  static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  enum { SIZE = 4 * BYTES };
  for (size_t i = 0; i < 12; ++i) {
    scene of;
    cl_mem buffers[3];
    begin(&of, platforms[i / 6]);
    for (int b = 0; b < 3; ++b) {
      buffers[orders[i % 6][b]] = fake_buffer(of.context, SIZE);
    }
    const cl_mem part = fake_buffer_with(of.context, 0, 2 * BYTES, NULL, buffers[2], 2 * BYTES);
    fill(buffers[0], 0, 100);
    fill(buffers[1], BYTES, 200);
    fill(part, 0, 300);
    const relayout_opencl_move moves[] = {{buffers[0], 0, buffers[1], 3 * BYTES},
                                          {buffers[1], BYTES, buffers[2], 0},
                                          {part, 0, buffers[0], 2 * BYTES},
                                          {buffers[0], 0, buffers[0], BYTES}};
    cl_event done = NULL;
    assert_int_equal(relayout_plan_enqueue_batch(of.plan, of.queue, 4, moves, 0, NULL, &done, NULL),
                     RELAYOUT_OK);
    assert_true(is_transposed(buffers[1], 3 * BYTES, 100));
    assert_true(is_transposed(buffers[2], 0, 200));
    assert_true(is_transposed(buffers[0], 2 * BYTES, 300));
    assert_true(is_transposed(buffers[0], BYTES, 100));
    assert_int_equal(fake_count("clEnqueueNativeKernel"), i / 6 == 0 ? 1 : 3);
    const fake_command *const last =
        fake_command_at("clEnqueueNativeKernel", fake_count("clEnqueueNativeKernel") - 1);
    assert_ptr_equal(last->queue, of.queue);
    assert_ptr_equal(last->event, done);
    fake_release(done);
    end(&of);
  }
}

/* Memory of the process has no buffer, and needs no question. */
static void test_host_memory(void **state) {
  (void)state;
  static int32_t from[CELLS];
  static int32_t to[CELLS];
  scene of;
  begin(&of, pocl);
  relayout_opencl_memory source = RELAYOUT_OPENCL_MEMORY_INIT;
  relayout_opencl_memory destination = RELAYOUT_OPENCL_MEMORY_INIT;
  source.kind = destination.kind = RELAYOUT_MEMORY_HOST;
  source.pointer = from;
  destination.pointer = to;
  for (int32_t i = 0; i < CELLS; ++i) {
    from[i] = i;
  }
  assert_int_equal(relayout_plan_submit(of.plan, of.queue, &source, &destination, NULL, 0, NULL,
                                        NULL, NULL, NULL),
                   RELAYOUT_OK);
  for (int32_t i = 0; i < CELLS; ++i) {
    assert_int_equal(to[i], i % ROWS * COLUMNS + i / ROWS);
  }
  assert_int_equal(fake_count("clEnqueueNativeKernel"), 1);
  end(&of);
}

/* What never runs is let go as what does. */
static void test_dropped_command(void **state) {
  (void)state;
  scene of;
  begin(&of, "Some");
  fake.drops_native = true;
  const cl_mem source = fake_buffer(of.context, BYTES);
  const cl_mem destination = fake_buffer(of.context, BYTES);
  const int held = fake_all_holders();
  const int holders = atomic_load(&of.device->holders);
  assert_int_equal(
      relayout_plan_enqueue(of.plan, of.queue, source, 0, destination, 0, 0, NULL, NULL, NULL),
      RELAYOUT_OK);
  assert_int_equal(fake_all_holders(), held);
  assert_int_equal(atomic_load(&of.device->holders), holders);
  end(&of);
}

/* ---- Without memory ---- */

static bool is_out;           /* of memory for tile buffers, */
static size_t refused_blocks; /* which so many were wanted */

static void *take_block(void *context, size_t size, size_t alignment) {
  enum { LARGE = 16 << 10 };
  (void)context;
  if (is_out && size >= LARGE) {
    ++refused_blocks;
    return NULL;
  }
  return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void give_block(void *context, void *block) {
  (void)context;
  free(block);
}

/* A command that was enqueued cannot fail: it has a tile buffer set aside, twice in a row. */
static void test_no_memory_for_tiles(void **state) {
  (void)state;
  const relayout_allocator allocator = {
      .struct_size = sizeof allocator, .allocate = take_block, .release = give_block};
  enum { HIGH = 41, WIDE = 37 };
  scene of;
  assert_int_equal(relayout_set_allocator(&allocator, NULL), RELAYOUT_OK);
  begin(&of, "Some");
  const relayout_shape from = shape_of("u8[41,37]{1,0}");
  const relayout_shape to = shape_of("u16[41,37]{0,1}"); /* what is converted is buffered */
  relayout_plan *plan = NULL;
  char text[512];
  assert_int_equal(relayout_plan_create(of.device, &from, &to, NULL, &plan, NULL), RELAYOUT_OK);
  relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_AT_ANY_OFFSET, text, sizeof text);
  assert_non_null(strstr(text, "store=buffered"));
  const cl_mem source = fake_buffer(of.context, HIGH * WIDE);
  is_out = true;
  for (int round = 0; round < 2; ++round) {
    const cl_mem destination = fake_buffer(of.context, 2 * HIGH * WIDE);
    for (int i = 0; i < HIGH * WIDE; ++i) {
      fake_bytes(source)[i] = (unsigned char)(i * 31 + round);
    }
    assert_int_equal(
        relayout_plan_enqueue(plan, of.queue, source, 0, destination, 0, 0, NULL, NULL, NULL),
        RELAYOUT_OK);
    for (int i = 0; i < HIGH * WIDE; ++i) {
      uint16_t found;
      memcpy(&found, fake_bytes(destination) + 2 * i, sizeof found);
      assert_int_equal(found, fake_bytes(source)[i % HIGH * WIDE + i / HIGH]);
    }
  }
  is_out = false;
  assert_int_equal(refused_blocks, 2);
  relayout_plan_destroy(plan);
  end(&of);
  assert_int_equal(relayout_set_allocator(NULL, NULL), RELAYOUT_OK);
}

/* ---- Calls that fail ---- */

/* Opens a device, makes a plan and enqueues it; what comes of it is the first failure. */
static relayout_status open_and_enqueue(fake_platform *platform, relayout_error *error) {
  relayout_device *device = NULL;
  relayout_status status = open_on(platform, RELAYOUT_KERNELS_AUTO, &device, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const cl_context context = ((rlt_opencl_device *)device)->context;
  relayout_plan *const plan = transposing(device);
  const cl_command_queue queue = fake_queue(context, platform->devices[0]);
  const cl_mem destination = fake_buffer(context, BYTES);
  const cl_mem source = fake_buffer(context, BYTES);
  const int held = fake_all_holders();
  cl_event done = NULL;
  fill(source, 0, 50);
  status = relayout_plan_enqueue(plan, queue, source, 0, destination, 0, 0, NULL, &done, error);
  assert_int_equal(done != NULL, status == RELAYOUT_OK);
  assert_int_equal(is_transposed(destination, 0, 50), status == RELAYOUT_OK);
  if (done != NULL) {
    fake_release(done);
  }
  assert_int_equal(fake_all_holders(), held);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  return status;
}

static void test_each_call_fails(void **state) {
  (void)state;
  static const char *const platforms[] = {"Some", pocl};
  for (int p = 0; p < 2; ++p) {
    size_t refused = 0;
    bool is_left = true;
    while (is_left) {
      fake_device told = processor();
      fake_platform platform = platform_of(platforms[p], &told);
      relayout_error error = {.message = ""};
      fake_driver_begin(&platform);
      fake.sorts_buffers = p == 1;
      fake.refused = ++refused;
      const relayout_status status = open_and_enqueue(&platform, &error);
      is_left = fake.refused_call[0] != '\0';
      /* The device's name, its extensions and its caches are no more than good to know. */
      if (status != RELAYOUT_OK) {
        assert_int_equal(status, RELAYOUT_OPENCL_ERROR);
        assert_true(is_left && strlen(error.message) > 10);
      }
      assert_int_equal(told.holders, 0);
    }
    assert_in_range(refused, 20, 100);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_who_runs_native_kernels),
      cmocka_unit_test(test_batches),
      cmocka_unit_test(test_host_memory),
      cmocka_unit_test(test_dropped_command),
      cmocka_unit_test(test_each_call_fails),
      cmocka_unit_test(test_no_memory_for_tiles),
  };
  fake_driver_use();
  return cmocka_run_group_tests_name("native devices", tests, NULL, NULL);
}
