/* test_many.c: plans of several destinations on a queue: what buffers hold at the end is what
 * headers say, and what calls refuse. */
#include "cmocka_all.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/target.h"
#include "opencl/bench.h"
#include "relayout/hooks.h"

static opencl_bench *bench;

static relayout_scaled_view scaled_of(const char *text) {
  relayout_scaled_view view;
  relayout_error error = {.message = ""};
  if (relayout_scaled_view_parse(text, &view, &error) != RELAYOUT_OK) {
    fail_msg("%s: %s", text, error.message);
  }
  return view;
}

static relayout_plan *scaled_plan_of(double scale, const char *from, int32_t count,
                                     const relayout_scaled_view *to) {
  const relayout_scaled_view source = scaled_of(from);
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  relayout_plan *plan = NULL;
  relayout_error error = {.message = ""};
  options.scale = scale;
  if (relayout_plan_create_many(bench->device, &source, to, count, &options, &plan, &error) !=
      RELAYOUT_OK) {
    fail_msg("%s: %s", from, error.message);
  }
  return plan;
}

static relayout_plan *plan_of(const char *from, int32_t count, const relayout_scaled_view *to) {
  return scaled_plan_of(1, from, count, to);
}

static void enqueue(const relayout_plan *plan, const relayout_side_buffers *from,
                    const relayout_side_buffers *to) {
  relayout_error error = {.message = ""};
  cl_event done = NULL;
  if (relayout_plan_enqueue_many(plan, bench->queue, from, to, 0, NULL, &done, &error) !=
      RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
  clReleaseEvent(done);
}

/* What completes with `done` does not run before the gate opens. */
static void expect_to_wait_for(cl_event gate, cl_event done) {
  cl_int status = CL_SUCCESS;
  assert_int_equal(
      clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
      CL_SUCCESS);
  assert_true(status > CL_COMPLETE);
  assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
}

/* ---- Values --------------------------------------------------------------------------------- */

/* As it is, columns first, and as another type with padding. */
static void test_destinations_of_all_kinds(void **state) {
  (void)state;
  enum { COUNT_OF = 3 };
  const uint8_t source[6] = {1, 2, 3, 4, 5, 6};
  const uint8_t transposed[6] = {1, 4, 2, 5, 3, 6};
  const uint16_t padded[8] = {1, 2, 3, 0, 4, 5, 6, 0};
  const size_t sizes[COUNT_OF] = {sizeof source, sizeof transposed, sizeof padded};
  const void *const wanted[COUNT_OF] = {source, transposed, padded};
  const relayout_scaled_view to[COUNT_OF] = {scaled_of("u8[2,3]"), scaled_of("u8[2,3]{0,1}"),
                                             scaled_of("u16[2,3]{1,0:PD(2,4)}")};
  relayout_plan *const plan = plan_of("u8[2,3]", COUNT_OF, to);
  uint8_t poison[sizeof padded], found[sizeof padded];
  memset(poison, 0xa5, sizeof poison);
  const relayout_side_buffers from = {.elements = opencl_buffer(bench, sizeof source, source)};
  relayout_side_buffers at[COUNT_OF] = {{.elements = NULL}};
  for (int32_t i = 0; i < COUNT_OF; ++i) {
    at[i].elements = opencl_buffer(bench, sizes[i], poison);
  }
  enqueue(plan, &from, at);
  for (int32_t i = 0; i < COUNT_OF; ++i) {
    opencl_read(bench, at[i].elements, sizes[i], found);
    assert_memory_equal(found, wanted[i], sizes[i]);
    clReleaseMemObject(at[i].elements);
  }
  clReleaseMemObject(from.elements);
  relayout_plan_destroy(plan);
}

/* Elements of 16 bytes go by kernels of their own. */
static void test_large_elements(void **state) {
  (void)state;
  const double source[8] = {1, -1, 2, -2, 3, -3, 4, -4};
  const double transposed[8] = {1, -1, 3, -3, 2, -2, 4, -4};
  const relayout_scaled_view to[2] = {scaled_of("c128[2,2]"), scaled_of("c128[2,2]{0,1}")};
  relayout_plan *const plan = plan_of("c128[2,2]", 2, to);
  double found[8];
  const relayout_side_buffers from = {.elements = opencl_buffer(bench, sizeof source, source)};
  const relayout_side_buffers at[2] = {
      {.elements = opencl_buffer(bench, sizeof source, transposed)},
      {.elements = opencl_buffer(bench, sizeof source, source)}};
  enqueue(plan, &from, at);
  opencl_read(bench, at[0].elements, sizeof found, found);
  assert_memory_equal(found, source, sizeof found);
  opencl_read(bench, at[1].elements, sizeof found, found);
  assert_memory_equal(found, transposed, sizeof found);
  clReleaseMemObject(from.elements);
  clReleaseMemObject(at[0].elements);
  clReleaseMemObject(at[1].elements);
  relayout_plan_destroy(plan);
}

/* Scales that are multiplied before others are found: of 1.5 and -64, which is -127 times 64 / 127.
 * A kernel in which a call was left for this read nothing on PoCL 3.1. */
static void test_scale_of_source(void **state) {
  (void)state;
  const int8_t source[32] = {3, -128};
  const uint16_t one = 0x3c00; /* as an f16 */
  relayout_scaled_view to = scaled_of("s8[32] * f32[1]");
  to.rule = RELAYOUT_SCALES_AMAX;
  relayout_plan *const plan = scaled_plan_of(0.5, "s8[32] * f16[1]", 1, &to);
  int8_t elements[32];
  float scale = 0;
  const relayout_source_memory from = {.elements = source, .scales = &one};
  const relayout_destination_memory at = {.elements = elements, .scales = &scale};
  assert_int_equal(relayout_plan_execute_many(plan, &from, &at, NULL), RELAYOUT_OK);
  assert_true(scale == 64.0F / 127.0F);
  assert_int_equal(elements[0], 2);
  assert_int_equal(elements[1], -127);
  assert_int_equal(elements[31], 0);
  relayout_plan_destroy(plan);
}

/* Tensor scales come to be on the queue, and nothing waits for them: behind the call's event, which
 * opens last. Groups in a box, and in all of them. */
static void test_tensor_scales(void **state) {
  (void)state;
  enum { LINES = 64, LENGTH = 512, ALL = LINES * LENGTH };
  static int8_t source[ALL], rows[ALL], all[ALL];
  const float one = 1, twice = 2, half = 0.5F, poison = NAN;
  relayout_scaled_view to[2] = {scaled_of("s8[64,512] * f32[64,1] * f32[]"),
                                scaled_of("s8[64,512] * f32[1,1] * f32[1]")};
  float row_scales[LINES], scale = 0;
  cl_int code = CL_SUCCESS;
  for (int i = 0; i < ALL; ++i) {
    source[i] = (int8_t)(i % LENGTH == i / LENGTH ? 127 : i % 127);
  }
  to[0].rule = to[1].rule = RELAYOUT_SCALES_AMAX;
  relayout_plan *const plan = plan_of("s8[64,512] * f32[1,1] * f32[]", 2, to);
  const relayout_side_buffers from = {.elements = opencl_buffer(bench, sizeof source, source),
                                      .scales = opencl_buffer(bench, sizeof one, &one),
                                      .tensor_scale = opencl_buffer(bench, sizeof one, &poison)};
  const relayout_side_buffers at[2] = {
      {.elements = opencl_buffer(bench, sizeof rows, rows),
       .scales = opencl_buffer(bench, sizeof row_scales, row_scales),
       .tensor_scale = opencl_buffer(bench, sizeof one, &poison)},
      {.elements = opencl_buffer(bench, sizeof all, all),
       .scales = opencl_buffer(bench, sizeof scale, &scale),
       .tensor_scale = opencl_buffer(bench, sizeof one, &half)}};
  cl_event gate = clCreateUserEvent(bench->context, &code), filled[2], done = NULL;
  assert_int_equal(code, CL_SUCCESS);
  assert_int_equal(clEnqueueFillBuffer(bench->queue, from.tensor_scale, &twice, sizeof twice, 0,
                                       sizeof twice, 1, &gate, &filled[0]),
                   CL_SUCCESS);
  assert_int_equal(clEnqueueFillBuffer(bench->queue, at[0].tensor_scale, &twice, sizeof twice, 0,
                                       sizeof twice, 1, &gate, &filled[1]),
                   CL_SUCCESS);
  assert_int_equal(
      relayout_plan_enqueue_many(plan, bench->queue, &from, at, 2, filled, &done, NULL),
      RELAYOUT_OK);
  expect_to_wait_for(gate, done);
  opencl_read(bench, at[0].scales, sizeof row_scales, row_scales);
  opencl_read(bench, at[0].elements, sizeof rows, rows);
  opencl_read(bench, at[1].scales, sizeof scale, &scale);
  opencl_read(bench, at[1].elements, sizeof all, all);
  assert_true(scale == 4); /* twice 127 over half of 127 */
  for (int i = 0; i < LINES; ++i) {
    assert_true(row_scales[i] == 1);
  }
  assert_memory_equal(rows, source, sizeof rows);
  assert_memory_equal(all, source, sizeof all);
  clReleaseEvent(gate);
  clReleaseEvent(filled[0]);
  clReleaseEvent(filled[1]);
  clReleaseEvent(done);
  const relayout_side_buffers sides[3] = {from, at[0], at[1]};
  for (int i = 0; i < 3; ++i) {
    clReleaseMemObject(sides[i].elements);
    clReleaseMemObject(sides[i].scales);
    clReleaseMemObject(sides[i].tensor_scale);
  }
  relayout_plan_destroy(plan);
}

/* Rows of whole vectors, on buffers where vectors begin and where only elements do: f32s as bf16s,
 * columns first, and as MXFP8, whose scales of these values are 1. */
static void test_offsets_of_vectors(void **state) {
  (void)state;
  enum { LINES = 16, LENGTH = 64, ALL = LINES * LENGTH, MOST_BEFORE = 4 };
  float source[MOST_BEFORE + ALL] = {0};
  uint16_t columns[ALL], found_columns[MOST_BEFORE + ALL];
  uint8_t elements[ALL], found_elements[MOST_BEFORE + ALL], scales[LINES * 2];
  relayout_scaled_view to[2] = {scaled_of("bf16[16,64]{0,1}"),
                                scaled_of("f8e4m3fn[16,64] * f8e8m0fnu[16,2]")};
  to[1].rule = RELAYOUT_SCALES_POWER2;
  relayout_plan *const plan = plan_of("f32[16,64]", 2, to);
  for (size_t before = 0; before <= MOST_BEFORE; ++before) {
    for (int i = 0; i < ALL; ++i) {
      const int exponent = i % 32 == 0 ? 8 : i % 14 - 6; /* 256, and what is below */
      const int line = i / LENGTH, column = i % LENGTH;
      source[before + (size_t)i] = (float)(exponent < 0 ? 1.0 / (1 << -exponent) : 1 << exponent);
      columns[column * LINES + line] = (uint16_t)((exponent + 127) << 7);
      elements[i] = (uint8_t)((exponent + 7) << 3);
    }
    memset(found_columns, 0xa5, sizeof found_columns);
    memset(found_elements, 0xa5, sizeof found_elements);
    memset(scales, 0xa5, sizeof scales);
    const relayout_side_buffers from = {.elements = opencl_buffer(bench, sizeof source, source),
                                        .elements_offset = before * sizeof(float)};
    const relayout_side_buffers at[2] = {
        {.elements = opencl_buffer(bench, sizeof found_columns, found_columns),
         .elements_offset = before * sizeof(uint16_t)},
        {.elements = opencl_buffer(bench, sizeof found_elements, found_elements),
         .elements_offset = before,
         .scales = opencl_buffer(bench, sizeof scales, scales)}};
    enqueue(plan, &from, at);
    opencl_read(bench, at[0].elements, sizeof found_columns, found_columns);
    opencl_read(bench, at[1].elements, sizeof found_elements, found_elements);
    opencl_read(bench, at[1].scales, sizeof scales, scales);
    assert_memory_equal(found_columns + before, columns, sizeof columns);
    assert_memory_equal(found_elements + before, elements, sizeof elements);
    for (size_t i = 0; i < before; ++i) {
      assert_int_equal(found_columns[i], 0xa5a5);
      assert_int_equal(found_elements[i], 0xa5);
    }
    for (size_t i = 0; i < sizeof scales; ++i) {
      assert_int_equal(scales[i], 127);
    }
    clReleaseMemObject(from.elements);
    clReleaseMemObject(at[0].elements);
    clReleaseMemObject(at[1].elements);
    clReleaseMemObject(at[1].scales);
  }
  relayout_plan_destroy(plan);
}

enum { ROWS = 300, COLUMNS = 200, COUNT = ROWS * COLUMNS };

/* One scale for all, and scales of columns: of groups that lie in several boxes. */
static void test_scales_of_several_boxes(void **state) {
  (void)state;
  static float source[COUNT];
  static int8_t all[COUNT], columns[COUNT];
  static float column_scales[COLUMNS];
  const relayout_scaled_view to[2] = {scaled_of("s8[300,200] * f32[1,1]"),
                                      scaled_of("s8[300,200] * f32[1,200]")};
  relayout_scaled_view views[2] = {to[0], to[1]};
  float scale = 0;
  for (int32_t i = 0; i < COUNT; ++i) {
    source[i] = (float)(i % COLUMNS - 100);
  }
  views[0].rule = views[1].rule = RELAYOUT_SCALES_AMAX;
  relayout_plan *const plan = plan_of("f32[300,200]", 2, views);
  const relayout_side_buffers from = {.elements = opencl_buffer(bench, sizeof source, source)};
  const relayout_side_buffers at[2] = {
      {.elements = opencl_buffer(bench, sizeof all, all),
       .scales = opencl_buffer(bench, sizeof scale, &scale)},
      {.elements = opencl_buffer(bench, sizeof columns, columns),
       .scales = opencl_buffer(bench, sizeof column_scales, column_scales)}};
  enqueue(plan, &from, at);
  opencl_read(bench, at[0].scales, sizeof scale, &scale);
  opencl_read(bench, at[0].elements, sizeof all, all);
  opencl_read(bench, at[1].scales, sizeof column_scales, column_scales);
  opencl_read(bench, at[1].elements, sizeof columns, columns);
  assert_true(scale == 100.0F / 127);
  for (int32_t i = 0; i < COUNT; ++i) {
    const int32_t value = i % COLUMNS - 100;
    /* value / (100 / 127), towards zero; 100 / 127 as an f32 is a little less than itself */
    assert_int_equal(all[i], value * 127 / 100);
    assert_true(column_scales[i % COLUMNS] == (float)(value < 0 ? -value : value) / 127);
  }
  clReleaseMemObject(from.elements);
  for (int i = 0; i < 2; ++i) {
    clReleaseMemObject(at[i].elements);
    clReleaseMemObject(at[i].scales);
  }
  relayout_plan_destroy(plan);
}

/* Host memory, twice by one plan. */
static void test_host_memory(void **state) {
  (void)state;
  const float source[4] = {1, -2, 3, 64};
  int8_t elements[4];
  float scale = 0;
  relayout_scaled_view to = scaled_of("s8[4] * f32[1]");
  to.rule = RELAYOUT_SCALES_POWER2;
  relayout_plan *const plan = plan_of("f32[4]", 1, &to);
  const relayout_source_memory from = {.elements = source};
  const relayout_destination_memory at = {.elements = elements, .scales = &scale};
  for (int i = 0; i < 2; ++i) {
    memset(elements, 0, sizeof elements);
    assert_int_equal(relayout_plan_execute_many(plan, &from, &at, NULL), RELAYOUT_OK);
    assert_true(scale == 1); /* 2 to the power of 6 - 6 */
    assert_int_equal(elements[1], -2);
    assert_int_equal(elements[3], 64);
  }
  relayout_plan_destroy(plan);
}

/* ---- Devices with little memory ------------------------------------------------------------- */

enum { RANGED_ROWS = 64, RANGED_COLUMNS = 96, RANGED = RANGED_ROWS * RANGED_COLUMNS };

/* The greatest of each 32 in a row is 127, and so is that of all. */
static void fill_ranged(uint8_t *source) {
  for (int i = 0; i < RANGED; ++i) {
    source[i] = (uint8_t)(i % 32 == 5 ? 127 : i * 7 % 127);
  }
}

/* Neither the source nor the transpose fits into one buffer. */
static void check_ranges(uint64_t allocation_bytes, uint64_t memory_bytes) {
  relayout_device_info *const info = &bench->device->info;
  const relayout_device_info as_it_was = *info;
  uint8_t source[RANGED], columns[RANGED];
  int8_t elements[RANGED];
  float scales[RANGED_ROWS][3];
  relayout_scaled_view to[2] = {scaled_of("u8[64,96]{0,1}"), scaled_of("s8[64,96] * f32[64,3]")};
  to[1].rule = RELAYOUT_SCALES_AMAX;
  relayout_plan *const plan = plan_of("u8[64,96]", 2, to);
  const relayout_source_memory from = {.elements = source};
  const relayout_destination_memory at[2] = {{.elements = columns},
                                             {.elements = elements, .scales = scales}};
  fill_ranged(source);
  memset(columns, 0xa5, sizeof columns);
  memset(elements, 0xa5, sizeof elements);
  memset(scales, 0xa5, sizeof scales);
  info->allocation_bytes = allocation_bytes;
  info->memory_bytes = memory_bytes;
  relayout_error error = {.message = ""};
  relayout_plan_execute_many(plan, &from, at, &error);
  *info = as_it_was;
  assert_string_equal(error.message, "");
  for (int i = 0; i < RANGED; ++i) {
    const int row = i / RANGED_COLUMNS, column = i % RANGED_COLUMNS;
    assert_int_equal(columns[column * RANGED_ROWS + row], source[i]);
    assert_int_equal(elements[i], source[i]);
    assert_true(scales[row][column / 32] == 1);
  }
  relayout_plan_destroy(plan);
}

static void test_ranges_of_host_memory(void **state) {
  (void)state;
  check_ranges(3000, 0);
  check_ranges(0, 20000);
}

/* A group whose scale is found has all of the tensor: there are no ranges, and nothing is written
 * but by native kernels, which need no room. */
static void test_no_ranges_of_host_memory(void **state) {
  (void)state;
  relayout_device_info *const info = &bench->device->info;
  const relayout_device_info as_it_was = *info;
  uint8_t source[RANGED];
  int8_t elements[RANGED] = {0};
  float scale = 0;
  relayout_scaled_view to = scaled_of("s8[64,96] * f32[1,1]");
  to.rule = RELAYOUT_SCALES_AMAX;
  relayout_plan *const plan = plan_of("u8[64,96]", 1, &to);
  const relayout_source_memory from = {.elements = source};
  const relayout_destination_memory at = {.elements = elements, .scales = &scale};
  fill_ranged(source);
  info->allocation_bytes = 1024;
  relayout_error error = {.message = ""};
  const relayout_status status = relayout_plan_execute_many(plan, &from, &at, &error);
  *info = as_it_was;
  if (bench->family == RELAYOUT_KERNELS_NATIVE) {
    assert_int_equal(status, RELAYOUT_OK);
    assert_true(scale == 1);
    assert_memory_equal(elements, source, RANGED);
  } else {
    assert_int_equal(status, RELAYOUT_OUT_OF_DEVICE_MEMORY);
    assert_string_equal(error.message, "from->elements needs 6144 bytes, but the device allocates "
                                       "at most 1024 bytes at once");
    assert_true(scale == 0);
    assert_int_equal(elements[0], 0);
  }
  relayout_plan_destroy(plan);
}

/* ---- Queues --------------------------------------------------------------------------------- */

/* Each command behind the one before, and all behind the caller's event. */
static void test_events(void **state) {
  (void)state;
  const uint8_t source[6] = {1, 2, 3, 4, 5, 6}, padded[8] = {1, 2, 3, 0, 4, 5, 6, 0};
  const relayout_scaled_view to[2] = {scaled_of("u8[2,3]{1,0:PD(2,4)}"), scaled_of("u8[2,3]{0,1}")};
  relayout_plan *const plan = plan_of("u8[2,3]{1,0:PD(2,4)}", 2, to);
  uint8_t found[8] = {0};
  cl_int code = CL_SUCCESS;
  const relayout_side_buffers from = {.elements = opencl_buffer(bench, 8, padded)};
  const relayout_side_buffers at[2] = {{.elements = opencl_buffer(bench, 8, found)},
                                       {.elements = opencl_buffer(bench, 6, found)}};
  const cl_event gate = clCreateUserEvent(bench->context, &code);
  cl_event done = gate; /* may be one of those that are waited for */
  assert_int_equal(relayout_plan_enqueue_many(plan, bench->queue, &from, at, 1, &done, &done, NULL),
                   RELAYOUT_OK);
  expect_to_wait_for(gate, done);
  opencl_read(bench, at[0].elements, 8, found);
  assert_memory_equal(found, padded, 8);
  assert_int_equal(relayout_plan_enqueue_many(plan, bench->queue, &from, at, 0, NULL, NULL, NULL),
                   RELAYOUT_OK);
  assert_int_equal(clFinish(bench->queue), CL_SUCCESS);
  opencl_read(bench, at[1].elements, 6, found);
  assert_int_equal(found[1], source[3]);
  clReleaseEvent(done);
  clReleaseEvent(gate);
  clReleaseMemObject(from.elements);
  clReleaseMemObject(at[0].elements);
  clReleaseMemObject(at[1].elements);
  relayout_plan_destroy(plan);
}

/* Destroyed while its command waits, the plan stays until the command has run. */
static void test_destroyed_plan(void **state) {
  (void)state;
  const float source[4] = {1, -2, 3, 64};
  relayout_scaled_view to = scaled_of("s8[4] * f32[1]");
  to.rule = RELAYOUT_SCALES_POWER2;
  relayout_plan *const plan = plan_of("f32[4]", 1, &to);
  int8_t elements[4] = {0};
  float scale = 0;
  cl_int code = CL_SUCCESS;
  const relayout_side_buffers from = {.elements = opencl_buffer(bench, sizeof source, source)};
  const relayout_side_buffers at = {.elements = opencl_buffer(bench, sizeof elements, elements),
                                    .scales = opencl_buffer(bench, sizeof scale, &scale)};
  const cl_event gate = clCreateUserEvent(bench->context, &code);
  assert_int_equal(code, CL_SUCCESS);
  assert_int_equal(relayout_plan_enqueue_many(plan, bench->queue, &from, &at, 1, &gate, NULL, NULL),
                   RELAYOUT_OK);
  relayout_plan_destroy(plan);
  assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  assert_int_equal(clFinish(bench->queue), CL_SUCCESS);
  opencl_read(bench, at.scales, sizeof scale, &scale);
  opencl_read(bench, at.elements, sizeof elements, elements);
  assert_true(scale == 1); /* 2 to the power of 6 - 6 */
  assert_int_equal(elements[1], -2);
  assert_int_equal(elements[3], 64);
  clReleaseEvent(gate);
  clReleaseMemObject(from.elements);
  clReleaseMemObject(at.elements);
  clReleaseMemObject(at.scales);
}

/* Buffers on memory of the caller's that begins four bytes behind a line: padding goes through a
 * plan of its own, which must not take it for a line. */
static void test_memory_of_the_callers(void **state) {
  (void)state;
  enum { WIDE = 80, LENGTH = 64 };
  static float room[3][LENGTH * WIDE + 32];
  const relayout_scaled_view to[2] = {scaled_of("f32[64,64]{1,0:PD(64,80)}"),
                                      scaled_of("f32[64,64]{0,1}")};
  relayout_plan *const plan = plan_of("f32[64,64]", 2, to);
  const size_t sizes[3] = {LENGTH * LENGTH, LENGTH * WIDE, LENGTH * LENGTH};
  float *begins[3];
  relayout_side_buffers at[3] = {{.elements = NULL}};
  for (int s = 0; s < 3; ++s) {
    const uintptr_t line = ((uintptr_t)room[s] + 63) / 64 * 64;
    cl_int code = CL_SUCCESS;
    begins[s] = (float *)(line + sizeof(float));
    for (size_t i = 0; i < sizes[s]; ++i) {
      begins[s][i] = s == 0 ? (float)i : -1;
    }
    at[s].elements = clCreateBuffer(bench->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                    sizes[s] * sizeof(float), begins[s], &code);
    assert_int_equal(code, CL_SUCCESS);
  }
  enqueue(plan, &at[0], &at[1]);
  static float padded[LENGTH * WIDE], turned[LENGTH * LENGTH];
  opencl_read(bench, at[1].elements, sizeof padded, padded);
  opencl_read(bench, at[2].elements, sizeof turned, turned);
  for (int r = 0; r < LENGTH; ++r) {
    for (int c = 0; c < WIDE; ++c) {
      assert_true(padded[r * WIDE + c] == (c < LENGTH ? (float)(r * LENGTH + c) : 0));
    }
    for (int c = 0; c < LENGTH; ++c) {
      assert_true(turned[c * LENGTH + r] == (float)(r * LENGTH + c));
    }
  }
  for (int s = 0; s < 3; ++s) {
    clReleaseMemObject(at[s].elements);
  }
  relayout_plan_destroy(plan);
}

/* ---- Batches -------------------------------------------------------------------------------- */

enum { MOVES = 18 }; /* more than a call has room for on its stack */

static cl_command_queue queue_out_of_order(void) {
  cl_int code = CL_SUCCESS;
  cl_command_queue made = clCreateCommandQueue(bench->context, bench->id,
                                               CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  if (code != CL_SUCCESS) {
    made = clCreateCommandQueue(bench->context, bench->id, 0, &code);
  }
  assert_int_equal(code, CL_SUCCESS);
  return made;
}

/* From pages of one buffer, each with another greatest value, behind the caller's event. The first
 * has the greatest of all, which no other page may see. */
static void test_batch(void **state) {
  (void)state;
  enum { PAGE = 140000 }; /* more than a box on any device */
  static float source[MOVES][PAGE], scales[MOVES];
  static int8_t found[MOVES][PAGE];
  relayout_scaled_view to = scaled_of("s8[140000] * f32[1]");
  to.rule = RELAYOUT_SCALES_POWER2;
  relayout_plan *const plan = plan_of("f32[140000]", 1, &to);
  const cl_command_queue queue = queue_out_of_order();
  for (int m = 0; m < MOVES; ++m) {
    for (int i = 0; i < PAGE; ++i) {
      source[m][i] = (float)(i % 64 + (m == 0 ? 64 : 1)) * (m == 0 ? 4 : 1);
    }
  }
  const cl_mem from = opencl_buffer(bench, sizeof source, source);
  const cl_mem elements = opencl_buffer(bench, sizeof found, found);
  const cl_mem beside = opencl_buffer(bench, sizeof scales, scales);
  relayout_side_buffers sides[MOVES][2];
  relayout_opencl_many_move moves[MOVES];
  for (size_t m = 0; m < MOVES; ++m) {
    sides[m][0] =
        (relayout_side_buffers){.elements = from, .elements_offset = m * sizeof source[0]};
    sides[m][1] = (relayout_side_buffers){.elements = elements,
                                          .elements_offset = m * sizeof found[0],
                                          .scales = beside,
                                          .scales_offset = m * sizeof scales[0]};
    moves[m] = (relayout_opencl_many_move){&sides[m][0], &sides[m][1]};
  }
  cl_int code = CL_SUCCESS;
  const cl_event gate = clCreateUserEvent(bench->context, &code);
  cl_event done = gate;
  assert_int_equal(
      relayout_plan_enqueue_many_batch(plan, queue, MOVES, moves, 1, &done, &done, NULL),
      RELAYOUT_OK);
  expect_to_wait_for(gate, done);
  opencl_read(bench, elements, sizeof found, found);
  opencl_read(bench, beside, sizeof scales, scales);
  for (int m = 0; m < MOVES; ++m) {
    assert_true(scales[m] == (m == 0 ? 4 : 1)); /* 2 to the power of floor(log2(amax)) - 6 */
    for (int i = 0; i < PAGE; ++i) {
      assert_int_equal(found[m][i], i % 64 + (m == 0 ? 64 : 1));
    }
  }
  clReleaseEvent(done);
  clReleaseEvent(gate);
  clReleaseMemObject(from);
  clReleaseMemObject(elements);
  clReleaseMemObject(beside);
  clReleaseCommandQueue(queue);
  relayout_plan_destroy(plan);
}

/* All by the call's one buffer, and without an event; destinations that need none beside it. */
static void test_batches_in_turns(void **state) {
  (void)state;
  const char *const wanted[2] = {"u16[2,3]{1,0:PD(2,4)} * f32[1,1]", "u16[2,3] * f32[1,1]"};
  const cl_command_queue queue = queue_out_of_order();
  const float one = 1;
  const cl_mem scale = opencl_buffer(bench, sizeof one, &one);
  for (int k = 0; k < 2; ++k) {
    const relayout_scaled_view to[2] = {scaled_of(wanted[k]), scaled_of("u8[2,3]{0,1}")};
    relayout_plan *const plan = plan_of("u8[2,3]", 2, to);
    uint8_t source[MOVES][6];
    uint16_t padded[MOVES][8];
    memset(padded, 0xa5, sizeof padded);
    for (int i = 0; i < MOVES * 6; ++i) {
      source[i / 6][i % 6] = (uint8_t)(i + 1);
    }
    const cl_mem from = opencl_buffer(bench, sizeof source, source);
    const cl_mem first = opencl_buffer(bench, sizeof padded, padded);
    const cl_mem second = opencl_buffer(bench, sizeof source, source);
    relayout_side_buffers sides[MOVES][3];
    relayout_opencl_many_move moves[MOVES];
    for (size_t m = 0; m < MOVES; ++m) {
      const relayout_side_buffers all[3] = {
          {.elements = from, .elements_offset = m * sizeof source[0]},
          {.elements = first, .elements_offset = m * sizeof padded[0], .scales = scale},
          {.elements = second, .elements_offset = m * sizeof source[0]}};
      memcpy(sides[m], all, sizeof all);
      moves[m] = (relayout_opencl_many_move){&sides[m][0], &sides[m][1]};
    }
    assert_int_equal(
        relayout_plan_enqueue_many_batch(plan, queue, MOVES, moves, 0, NULL, NULL, NULL),
        RELAYOUT_OK);
    assert_int_equal(clFinish(queue), CL_SUCCESS);
    opencl_read(bench, first, sizeof padded, padded);
    uint8_t turned[MOVES][6];
    opencl_read(bench, second, sizeof turned, turned);
    for (int m = 0; m < MOVES; ++m) {
      for (int i = 0; i < 6; ++i) {
        const int row_length = k == 0 ? 4 : 3;
        assert_int_equal(padded[m][i / 3 * row_length + i % 3], source[m][i]);
        assert_int_equal(turned[m][i % 3 * 2 + i / 3], source[m][i]);
      }
      assert_int_equal(padded[m][7], k == 0 ? 0 : 0xa5a5);
    }
    clReleaseMemObject(from);
    clReleaseMemObject(first);
    clReleaseMemObject(second);
    relayout_plan_destroy(plan);
  }
  clReleaseMemObject(scale);
  clReleaseCommandQueue(queue);
}

static void refuse_batch(const relayout_plan *plan, size_t count,
                         const relayout_opencl_many_move *moves, relayout_status status,
                         const char *message) {
  relayout_error error = {.message = ""};
  cl_event event = (cl_event)(uintptr_t)&error;
  assert_int_equal(
      relayout_plan_enqueue_many_batch(plan, bench->queue, count, moves, 0, NULL, &event, &error),
      status);
  assert_null(event);
  if (strstr(error.message, message) == NULL) {
    fail_msg("`%s` lacks `%s`", error.message, message);
  }
}

/* Nothing is enqueued when the last move is wrong. */
static void test_refused_batches(void **state) {
  (void)state;
  const uint8_t source[4] = {1, 2, 3, 4}, poison[4] = {9, 9, 9, 9};
  uint8_t found[4];
  const relayout_scaled_view view = scaled_of("u8[4]");
  relayout_plan *const plan = plan_of("u8[4]", 1, &view);
  const relayout_side_buffers from = {.elements = opencl_buffer(bench, 4, source)};
  const relayout_side_buffers to = {.elements = opencl_buffer(bench, 4, poison)};
  const relayout_side_buffers far = {.elements = to.elements, .elements_offset = 1};
  const relayout_opencl_many_move moves[] = {{&from, &to}, {&from, &far}};
  const relayout_opencl_many_move without[] = {{&from, &to}, {NULL, &to}};
  refuse_batch(plan, 2, moves, RELAYOUT_BUFFER_TOO_SMALL, "moves[1]: to[0].elements");
  refuse_batch(plan, 2, without, RELAYOUT_INVALID_ARGUMENT, "moves[1]: from is NULL");
  refuse_batch(plan, 1, NULL, RELAYOUT_INVALID_ARGUMENT, "moves is NULL, but count is 1");
  refuse_batch(NULL, 1, moves, RELAYOUT_INVALID_ARGUMENT, "plan is NULL");
  assert_int_equal(clFinish(bench->queue), CL_SUCCESS);
  opencl_read(bench, to.elements, sizeof found, found);
  assert_memory_equal(found, poison, sizeof found);
  cl_event event = NULL;
  assert_int_equal(
      relayout_plan_enqueue_many_batch(plan, bench->queue, 0, NULL, 0, NULL, &event, NULL),
      RELAYOUT_OK);
  assert_int_equal(clWaitForEvents(1, &event), CL_SUCCESS);
  clReleaseEvent(event);
  clReleaseMemObject(from.elements);
  clReleaseMemObject(to.elements);
  relayout_plan_destroy(plan);
}

/* An empty tensor has an event too. */
static void test_nothing(void **state) {
  (void)state;
  const relayout_scaled_view to[2] = {scaled_of("f32[0,3]{0,1}"), scaled_of("s8[0,3] * f32[0,1]")};
  relayout_plan *const plan = plan_of("f32[0,3]", 2, to);
  const relayout_side_buffers none[2] = {{.elements = NULL}};
  enqueue(plan, none, none);
  relayout_plan_destroy(plan);
}

/* ---- Refusals ------------------------------------------------------------------------------- */

typedef struct refused {
  relayout_status status;
  const char *message;
  relayout_side_buffers from;
  relayout_side_buffers to[2];
} refused;

static void test_refused_buffers(void **state) {
  (void)state;
  const relayout_scaled_view to[2] = {scaled_of("s8[4,8] * f32[4,1]"), scaled_of("f32[4,8]{0,1}")};
  const uint8_t bytes[256] = {0};
  relayout_plan *const plan = plan_of("f32[4,8]", 2, to);
  const cl_mem source = opencl_buffer(bench, 128, bytes), first = opencl_buffer(bench, 32, bytes);
  const cl_mem scales = opencl_buffer(bench, 16, bytes), second = opencl_buffer(bench, 256, bytes);
  const cl_mem read_only =
      clCreateBuffer(bench->context, CL_MEM_READ_ONLY, 128, NULL, &(cl_int){CL_SUCCESS});
  const relayout_side_buffers from = {.elements = source};
  const relayout_side_buffers good = {.elements = first, .scales = scales};
  const relayout_side_buffers other = {.elements = second};
  const refused cases[] = {
      {RELAYOUT_INVALID_ARGUMENT, "from->elements is NULL", {.elements = NULL}, {good, other}},
      {RELAYOUT_INVALID_ARGUMENT, "to[0].scales is NULL", from, {{.elements = first}, other}},
      {RELAYOUT_INVALID_ARGUMENT, "CL_MEM_READ_ONLY", from, {good, {.elements = read_only}}},
      {RELAYOUT_BUFFER_TOO_SMALL,
       "to[0].elements",
       from,
       {{.elements = first, .elements_offset = 1, .scales = scales}, other}},
      {RELAYOUT_BUFFERS_OVERLAP,
       "to[0].elements and to[1].elements overlap",
       from,
       {{.elements = second, .elements_offset = 100, .scales = scales}, other}},
      {RELAYOUT_BUFFERS_OVERLAP, "overlap", from, {good, {.elements = source}}},
      {RELAYOUT_MISALIGNED_OFFSET,
       "to[1].elements_offset is 2",
       from,
       {good, {.elements = second, .elements_offset = 2}}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_error error = {.message = ""};
    cl_event event = NULL;
    const relayout_status status = relayout_plan_enqueue_many(plan, bench->queue, &cases[i].from,
                                                              cases[i].to, 0, NULL, &event, &error);
    assert_int_equal(status, cases[i].status);
    assert_null(event);
    if (strstr(error.message, cases[i].message) == NULL) {
      fail_msg("`%s` lacks `%s`", error.message, cases[i].message);
    }
  }
  const cl_mem all[] = {source, first, scales, second, read_only};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    clReleaseMemObject(all[i]);
  }
  relayout_plan_destroy(plan);
}

static void test_refused_plans(void **state) {
  (void)state;
  const relayout_scaled_view from = scaled_of("u8[4]");
  const relayout_side_buffers none = {.elements = NULL};
  const relayout_shape *const shape = &from.elements.shape;
  relayout_device *cpu = NULL;
  relayout_plan *single = NULL, *on_cpu = NULL;
  relayout_plan *const plan = plan_of("u8[4]", 1, &from);
  assert_int_equal(relayout_device_open("cpu", &cpu, NULL), RELAYOUT_OK);
  assert_int_equal(relayout_plan_create(bench->device, shape, shape, NULL, &single, NULL),
                   RELAYOUT_OK);
  assert_int_equal(relayout_plan_create_many(cpu, &from, &from, 1, NULL, &on_cpu, NULL),
                   RELAYOUT_OK);
  const struct {
    const relayout_plan *plan;
    cl_command_queue queue;
    const relayout_side_buffers *from, *to;
    cl_uint n_wait;
    const char *message;
  } cases[] = {
      {NULL, bench->queue, &none, &none, 0, "plan is NULL"},
      {plan, NULL, &none, &none, 0, "queue is NULL"},
      {plan, bench->queue, NULL, &none, 0, "from is NULL"},
      {plan, bench->queue, &none, NULL, 0, "to is NULL"},
      {plan, bench->queue, &none, &none, 1, "n_wait is 1"},
      {single, bench->queue, &none, &none, 0, "not one of relayout_plan_create_many"},
      {on_cpu, bench->queue, &none, &none, 0, "not made for an OpenCL device"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_error error = {.message = ""};
    cl_event event = NULL;
    assert_int_equal(relayout_plan_enqueue_many(cases[i].plan, cases[i].queue, cases[i].from,
                                                cases[i].to, cases[i].n_wait, NULL, &event, &error),
                     RELAYOUT_INVALID_ARGUMENT);
    assert_null(event);
    if (strstr(error.message, cases[i].message) == NULL) {
      fail_msg("`%s` lacks `%s`", error.message, cases[i].message);
    }
  }
  relayout_plan_destroy(plan);
  relayout_plan_destroy(single);
  relayout_plan_destroy(on_cpu);
  relayout_device_destroy(cpu);
}

/* 32 elements along each of three dimensions, so that no record is cut. */
static void test_refused_records(void **state) {
  (void)state;
  const relayout_scaled_view from = scaled_of("f32[32,32,32]");
  const relayout_scaled_view to[3] = {scaled_of("q8_0[32,32,32]"),
                                      scaled_of("q8_0[32,32,32]{1,2,0}"),
                                      scaled_of("q8_0[32,32,32]{0,2,1}")};
  relayout_plan *plan = NULL;
  relayout_error error = {.message = ""};
  const relayout_status status =
      relayout_plan_create_many(bench->device, &from, to, 3, NULL, &plan, &error);
  if (bench->family == RELAYOUT_KERNELS_NATIVE) {
    assert_int_equal(status, RELAYOUT_OK);
    relayout_plan_destroy(plan);
    return;
  }
  assert_int_equal(status, RELAYOUT_UNSUPPORTED);
  assert_null(plan);
  assert_non_null(strstr(error.message, "records"));
}

/* Of 16 destinations a kernel has 62 tensors, but not 63. */
static void test_refused_tensors(void **state) {
  (void)state;
  enum { MOST = 16 };
  static relayout_scaled_view to[MOST];
  const relayout_scaled_view from = scaled_of("(s8[4] - s8[1]) * f32[1] * f32[]");
  for (int i = 0; i < MOST; ++i) {
    to[i] = scaled_of(i < 10   ? "(s8[4] - s8[1]) * f32[1] * f32[]"
                      : i < 15 ? "s8[4] * f32[1] * f32[]"
                               : "(s8[4] - s8[1]) * f32[1]");
  }
  for (int tensors = 62; tensors <= 63; ++tensors) {
    relayout_plan *plan = NULL;
    relayout_error error = {.message = ""};
    const relayout_status status =
        relayout_plan_create_many(bench->device, &from, to, MOST, NULL, &plan, &error);
    if (tensors == 62 || bench->family == RELAYOUT_KERNELS_NATIVE) {
      assert_int_equal(status, RELAYOUT_OK);
      relayout_plan_destroy(plan);
    } else {
      assert_int_equal(status, RELAYOUT_UNSUPPORTED);
      assert_non_null(strstr(error.message, "the plan has 63 tensors"));
      assert_null(plan);
    }
    to[MOST - 1].has_tensor_scale = true;
    to[MOST - 1].tensor_scale = from.tensor_scale;
  }
}

/* ---- Schedules ------------------------------------------------------------------------------ */

enum { TEXT_SIZE = 2048 };

static relayout_status create_asked(const char *from, const char *to, const char *text,
                                    relayout_plan_effort effort, relayout_plan **plan,
                                    relayout_error *error) {
  const relayout_scaled_view source = scaled_of(from), destination = scaled_of(to);
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.effort = effort;
  options.schedules = &text;
  options.schedule_count = text == NULL ? 0 : 1;
  *plan = NULL;
  return relayout_plan_create_many(bench->device, &source, &destination, 1, &options, plan, error);
}

/* Whether the plan has a kernel of its own, and not the CPU backend's code. */
static bool has_kernel(void) {
  char text[TEXT_SIZE];
  relayout_plan *plan;
  assert_int_equal(
      create_asked("f32[4,64]", "s8[4,64]*f32[4,1]", NULL, RELAYOUT_PLAN_ESTIMATE, &plan, NULL),
      RELAYOUT_OK);
  relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, text, sizeof text);
  relayout_plan_destroy(plan);
  return strstr(text, " group=") != NULL;
}

/* Boxes, work-groups and vectors that are asked for, and the same bytes by all of them. */
static void test_schedules(void **state) {
  (void)state;
  enum { LINES = 4, LENGTH = 64 };
  static const char *const texts[] = {
      "boxes order=1,0 sizes=4,64 group=1 loads=4 stores=4",
      "boxes order=1,0 sizes=3,7 group=2 loads=1 stores=1",
      "boxes order=0,1 sizes=2,32 group=4 loads=1 stores=4",
      "boxes order=1,0 sizes=1,64 group=8 loads=2 stores=1",
  };
  float values[LINES][LENGTH], scales[LINES] = {1, 2, 4, 0.5F};
  int8_t wanted[LINES][LENGTH], found[LINES][LENGTH];
  if (!has_kernel()) {
    skip();
  }
  for (int r = 0; r < LINES; ++r) {
    for (int c = 0; c < LENGTH; ++c) {
      wanted[r][c] = (int8_t)(c - 7 * r);
      values[r][c] = (float)wanted[r][c] * scales[r];
    }
  }
  const relayout_side_buffers from = {.elements = opencl_buffer(bench, sizeof values, values)};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
    char text[TEXT_SIZE];
    relayout_plan *plan;
    relayout_error error = {.message = ""};
    if (create_asked("f32[4,64]", "s8[4,64]*f32[4,1]", texts[i], RELAYOUT_PLAN_ESTIMATE, &plan,
                     &error) != RELAYOUT_OK) {
      fail_msg("%s: %s", texts[i], error.message);
    }
    relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, text, sizeof text);
    assert_string_equal(text, texts[i]);
    memset(found, 99, sizeof found);
    const relayout_side_buffers to = {.elements = opencl_buffer(bench, sizeof found, found),
                                      .scales = opencl_buffer(bench, sizeof scales, scales)};
    enqueue(plan, &from, &to);
    opencl_read(bench, to.elements, sizeof found, found);
    assert_memory_equal(found, wanted, sizeof wanted);
    clReleaseMemObject(to.elements);
    clReleaseMemObject(to.scales);
    relayout_plan_destroy(plan);
  }
  clReleaseMemObject(from.elements);
}

typedef struct refused_schedule {
  const char *from;
  const char *to;
  const char *text;
  const char *message;
} refused_schedule;

static void test_refused_schedules(void **state) {
  (void)state;
  static const refused_schedule cases[] = {
      {"f32[4,64]", "s8[4,64]*f32[4,1]", "boxes group=3",
       "schedule: `group` is 3; expected a power of two that the device's work-groups have room "
       "for"},
      {"f32[4,64]", "s8[4,64]*f32[4,1]", "boxes group=1048576",
       "schedule: `group` is 1048576; expected a power of two that the device's work-groups have "
       "room for"},
      {"f32[4,64]", "s8[4,64]*f32[4,1]", "boxes loads=3",
       "schedule: `loads` has 3; this kernel's work-items take 1, or a power of two of 4 bytes or "
       "more, and 4 elements at most"},
      {"f32[4,64]", "s8[4,64]*f32[4,1]", "boxes sizes=4,63 stores=4",
       "schedule: `stores` has 4; this kernel's work-items take 1, or a power of two of 4 bytes or "
       "more, and 1 elements at most"},
      {"f32[4,64]", "s8[4,64]*f32[4,1]", "boxes stores=4,4",
       "schedule: `stores` has 2 numbers; expected 1, one for each destination of the kernel's"},
      {"f32[4,64]", "q8_0[4,64]", "boxes stores=8",
       "schedule: `stores` has 8; expected 32, the elements of a record or of a byte"},
      {"f32[512,512]", "s8[512,512]*f32[512,1]", "boxes sizes=512,512",
       "schedule: `sizes` makes a box of 1050624 bytes, of which a work-group has at most 32768"},
  };
  if (!has_kernel()) {
    skip();
  }
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_plan *plan;
    relayout_error error = {.message = ""};
    assert_int_equal(create_asked(cases[i].from, cases[i].to, cases[i].text, RELAYOUT_PLAN_ESTIMATE,
                                  &plan, &error),
                     RELAYOUT_UNSUPPORTED);
    assert_null(plan);
    assert_string_equal(error.message, cases[i].message);
  }
}

/* What was measured is remembered, and writes the bytes of any other plan. */
static void test_measured(void **state) {
  (void)state;
  char text[TEXT_SIZE], explained[TEXT_SIZE];
  relayout_plan *plan;
  assert_int_equal(
      create_asked("f32[64,64]", "bf16[64,64]{0,1}", NULL, RELAYOUT_PLAN_MEASURE, &plan, NULL),
      RELAYOUT_OK);
  if (relayout_plan_part_count(plan) == 0) {
    relayout_plan_destroy(plan); /* one plan of single tensors */
    assert_int_equal(create_asked("f32[64,64]", "s8[64,64]{0,1}*f32[64,1]", NULL,
                                  RELAYOUT_PLAN_MEASURE, &plan, NULL),
                     RELAYOUT_OK);
  }
  relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, text, sizeof text);
  relayout_plan_explain(plan, RELAYOUT_EXPLAIN_JSON, explained, sizeof explained);
  assert_non_null(strstr(explained, text));
  assert_true(strstr(explained, "\"chosen_by\":\"measure\"") != NULL ||
              strstr(explained, "\"chosen_by\":\"wisdom\"") != NULL);
  relayout_plan_destroy(plan);
}

static int run(opencl_bench *of) {
  bench = of;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_destinations_of_all_kinds),
      cmocka_unit_test(test_large_elements),
      cmocka_unit_test(test_scale_of_source),
      cmocka_unit_test(test_tensor_scales),
      cmocka_unit_test(test_offsets_of_vectors),
      cmocka_unit_test(test_scales_of_several_boxes),
      cmocka_unit_test(test_host_memory),
      cmocka_unit_test(test_ranges_of_host_memory),
      cmocka_unit_test(test_no_ranges_of_host_memory),
      cmocka_unit_test(test_events),
      cmocka_unit_test(test_destroyed_plan),
      cmocka_unit_test(test_nothing),
      cmocka_unit_test(test_batch),
      cmocka_unit_test(test_batches_in_turns),
      cmocka_unit_test(test_refused_batches),
      cmocka_unit_test(test_memory_of_the_callers),
      cmocka_unit_test(test_refused_buffers),
      cmocka_unit_test(test_refused_plans),
      cmocka_unit_test(test_refused_records),
      cmocka_unit_test(test_refused_tensors),
      cmocka_unit_test(test_schedules),
      cmocka_unit_test(test_refused_schedules),
      cmocka_unit_test(test_measured),
  };
  return cmocka_run_group_tests_name("opencl.many", tests, NULL, NULL);
}

/* ---- Memory that changes as it is freed: nobody uses it longer unnoticed -------------------- */

static void *allocate(void *context, size_t size, size_t alignment) {
  (void)context;
  return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void release(void *context, void *block) {
  (void)context;
  volatile uint8_t *const bytes = block; /* volatile, or compilers leave the writes out */
  for (size_t i = malloc_usable_size(block); i > 0; --i) {
    bytes[i - 1] = 0x5a;
  }
  free(block);
}

int main(void) {
  relayout_allocator own = RELAYOUT_ALLOCATOR_INIT;
  own.allocate = allocate;
  own.release = release;
  if (relayout_set_allocator(&own, NULL) != RELAYOUT_OK) {
    return 1;
  }
  return opencl_on_each_device(run);
}
