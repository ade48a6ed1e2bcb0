/* test_images.c: the images that tensors become, and how they are copied. The driver is one of
 * memory. */
#include "cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "opencl/device.h"
#include "opencl/fake_driver.h"
#include "opencl/image.h"
#include "relayout/relayout.h"
#include "relayout/submit.h"
#include "shape_of.h"

/* ---- What images there are ---- */

static size_t size_of(const relayout_shape *shape) {
  size_t size = 0;
  assert_int_equal(relayout_shape_byte_size(shape, &size, NULL), RELAYOUT_OK);
  return size;
}

/* Fours of channels side by side, the batch one below the other; or a layer for each four. */
static void test_sizes(void **state) {
  (void)state;
  static const struct {
    int64_t dimensions[4]; /* batch, channels, height, width */
    size_t flat[2];        /* width, height */
    size_t layers;         /* of an array, of width by height */
  } cases[] = {{{1, 4, 5, 7}, {7, 5}, 1},   {{1, 3, 5, 7}, {7, 5}, 1},  {{1, 5, 5, 7}, {14, 5}, 2},
               {{2, 8, 4, 6}, {12, 8}, 4},  {{3, 9, 2, 5}, {15, 6}, 9}, {{1, 1, 1, 1}, {1, 1}, 1},
               {{5, 12, 1, 2}, {6, 5}, 15}, {{1, 13, 3, 1}, {4, 3}, 4}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    print_message("case %zu\n", i);
    const int64_t *const d = cases[i].dimensions;
    relayout_opencl_image made = {.struct_size = sizeof made};
    assert_int_equal(
        relayout_opencl_image_make(CL_MEM_OBJECT_IMAGE2D, RELAYOUT_F32, d, &made, NULL),
        RELAYOUT_OK);
    assert_int_equal(made.width, cases[i].flat[0]);
    assert_int_equal(made.height, cases[i].flat[1]);
    assert_int_equal(made.layers, 1);
    assert_int_equal(size_of(&made.shape), made.width * made.height * 16);
    assert_int_equal(
        relayout_opencl_image_make(CL_MEM_OBJECT_IMAGE2D_ARRAY, RELAYOUT_F32, d, &made, NULL),
        RELAYOUT_OK);
    assert_int_equal(made.width, d[3]);
    assert_int_equal(made.height, d[2]);
    assert_int_equal(made.layers, cases[i].layers);
    assert_int_equal(size_of(&made.shape), made.width * made.height * made.layers * 16);
    assert_int_equal(made.struct_size, sizeof made);
  }
}

/* Where an element is in an image, in pixels and channels of it. */
static void test_places(void **state) {
  (void)state;
  static const int64_t d[] = {3, 9, 4, 5};
  for (int is_array = 0; is_array < 2; ++is_array) {
    relayout_opencl_image made = {.struct_size = sizeof made};
    assert_int_equal(
        relayout_opencl_image_make(is_array ? CL_MEM_OBJECT_IMAGE2D_ARRAY : CL_MEM_OBJECT_IMAGE2D,
                                   RELAYOUT_U8, d, &made, NULL),
        RELAYOUT_OK);
    int64_t i[4];
    for (int64_t n = 0; n < d[0] * d[1] * d[2] * d[3]; ++n) {
      i[0] = n / (d[1] * d[2] * d[3]);
      i[1] = n / (d[2] * d[3]) % d[1];
      i[2] = n / d[3] % d[2];
      i[3] = n % d[3];
      const int64_t four = i[1] / 4;
      const int64_t x = is_array ? i[3] : four * d[3] + i[3];
      const int64_t y = is_array ? i[2] : i[0] * d[2] + i[2];
      const int64_t layer = is_array ? i[0] * 3 + four : 0;
      const int64_t pixel = (layer * (int64_t)made.height + y) * (int64_t)made.width + x;
      int64_t linear = -1;
      assert_int_equal(relayout_index_to_linear(&made.shape, i, &linear, NULL), RELAYOUT_OK);
      assert_int_equal(linear, pixel * 4 + i[1] % 4);
    }
  }
}

static void test_types(void **state) {
  (void)state;
  static const int64_t d[] = {1, 4, 2, 2};
  static const struct {
    relayout_element_type type;
    cl_channel_type channel;
  } known[] = {{RELAYOUT_F32, CL_FLOAT},          {RELAYOUT_F16, CL_HALF_FLOAT},
               {RELAYOUT_S8, CL_SIGNED_INT8},     {RELAYOUT_S16, CL_SIGNED_INT16},
               {RELAYOUT_S32, CL_SIGNED_INT32},   {RELAYOUT_U8, CL_UNSIGNED_INT8},
               {RELAYOUT_U16, CL_UNSIGNED_INT16}, {RELAYOUT_U32, CL_UNSIGNED_INT32}};
  static const relayout_element_type unknown[] = {RELAYOUT_F64, RELAYOUT_BF16, RELAYOUT_PRED,
                                                  RELAYOUT_S64, RELAYOUT_S4,   RELAYOUT_C64};
  relayout_opencl_image made = {.struct_size = sizeof made};
  relayout_error error;
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
    assert_int_equal(
        relayout_opencl_image_make(CL_MEM_OBJECT_IMAGE2D, known[i].type, d, &made, NULL),
        RELAYOUT_OK);
    assert_int_equal(made.format.image_channel_data_type, known[i].channel);
    assert_int_equal(made.format.image_channel_order, CL_RGBA);
    assert_int_equal(made.shape.element_type, known[i].type);
  }
  for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; ++i) {
    assert_int_equal(
        relayout_opencl_image_make(CL_MEM_OBJECT_IMAGE2D, unknown[i], d, &made, &error),
        RELAYOUT_UNSUPPORTED);
    assert_non_null(strstr(error.message, "of which images have no channel"));
  }
  assert_int_equal(
      relayout_opencl_image_make(CL_MEM_OBJECT_IMAGE3D, RELAYOUT_F32, d, &made, &error),
      RELAYOUT_UNSUPPORTED);
  assert_non_null(strstr(error.message, "type is 0x10f2; expected CL_MEM_OBJECT_IMAGE2D or"));
  assert_int_equal(
      relayout_opencl_image_make(CL_MEM_OBJECT_IMAGE2D, RELAYOUT_F32, NULL, &made, &error),
      RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "dimensions is NULL");
  assert_int_equal(relayout_opencl_image_make(CL_MEM_OBJECT_IMAGE2D, RELAYOUT_F32, d, NULL, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "image is NULL");
  made.struct_size = 8;
  assert_int_equal(
      relayout_opencl_image_make(CL_MEM_OBJECT_IMAGE2D, RELAYOUT_F32, d, &made, &error),
      RELAYOUT_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "image->struct_size is 8"));
  made.struct_size = sizeof made;
  for (int dimension = 0; dimension < 4; ++dimension) {
    char text[64];
    int64_t wrong[] = {1, 4, 2, 2};
    wrong[dimension] = 0;
    snprintf(text, sizeof text, "dimensions[%d] is 0; expected 1 or more", dimension);
    assert_int_equal(
        relayout_opencl_image_make(CL_MEM_OBJECT_IMAGE2D, RELAYOUT_F32, wrong, &made, &error),
        RELAYOUT_INVALID_ARGUMENT);
    assert_string_equal(error.message, text);
  }
}

/* ---- As sides of a relayout ---- */

typedef struct scene {
  fake_device told;
  fake_platform platform;
  cl_context context;
  cl_command_queue queues[3];
  relayout_device *device;
} scene;

static int set_up(void **state) {
  static scene at;
  at = (scene){.told = fake_gpu, .platform = {"Some", "OpenCL 3.0", 1, {&at.told}}};
  fake_driver_begin(&at.platform);
  at.context = fake_context(1, at.platform.devices);
  for (int i = 0; i < 3; ++i) {
    at.queues[i] = fake_queue(at.context, &at.told);
  }
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.cache_directory = "";
  assert_int_equal(relayout_opencl_device_create(at.context, (cl_device_id)(void *)&at.told,
                                                 &options, &at.device, NULL),
                   RELAYOUT_OK);
  *state = &at;
  return 0;
}

static int tear_down(void **state) {
  relayout_device_destroy(((scene *)*state)->device);
  return 0;
}

static void test_what_images_tell(void **state) {
  const scene *const at = *state;
  static const struct {
    cl_mem_object_type type;
    size_t size[3];
    size_t pixel_bytes;
  } cases[] = {
      {CL_MEM_OBJECT_IMAGE2D, {7, 5, 1}, 16},      {CL_MEM_OBJECT_IMAGE2D_ARRAY, {7, 5, 3}, 4},
      {CL_MEM_OBJECT_IMAGE2D_ARRAY, {7, 5, 1}, 8}, {CL_MEM_OBJECT_IMAGE2D_ARRAY, {7, 5, 2}, 8},
      {CL_MEM_OBJECT_IMAGE3D, {2, 3, 2}, 4},       {CL_MEM_OBJECT_IMAGE3D, {2, 3, 1}, 4},
      {CL_MEM_OBJECT_IMAGE3D, {2, 3, 9}, 4}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_image told;
    const size_t *const size = cases[i].size;
    assert_int_equal(
        rlt_image_of(fake_image(at->context, cases[i].type, size, cases[i].pixel_bytes), &told,
                     NULL),
        RELAYOUT_OK);
    assert_memory_equal(told.region, size, 3 * sizeof *size);
    assert_int_equal(told.bytes, size[0] * size[1] * size[2] * cases[i].pixel_bytes);
  }
}

enum { BYTES = 64 * 32 * 4 };

/* Out of one image into another: each is copied on the queue of the kernels, whatever queues there
 * are for the host's memory. */
static void test_copies(void **state) {
  const scene *const at = *state;
  const relayout_shape from_shape = shape_of("s32[64,32]");
  const relayout_shape to_shape = shape_of("s32[64,32]{0,1}");
  relayout_plan *plan = NULL;
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.source_chunk_bytes = BYTES / 4; /* images go as wholes */
  assert_int_equal(relayout_plan_create(at->device, &from_shape, &to_shape, &options, &plan, NULL),
                   RELAYOUT_OK);
  size_t size = 0;
  assert_int_equal(
      relayout_plan_staging_size(plan, RELAYOUT_MEMORY_IMAGE, RELAYOUT_MEMORY_IMAGE, &size, NULL),
      RELAYOUT_OK);
  assert_int_equal(size, 2 * BYTES);
  relayout_opencl_memory from = RELAYOUT_OPENCL_MEMORY_INIT;
  relayout_opencl_memory to = RELAYOUT_OPENCL_MEMORY_INIT;
  relayout_opencl_staging staging = RELAYOUT_OPENCL_STAGING_INIT;
  from.kind = to.kind = RELAYOUT_MEMORY_IMAGE;
  from.memory = fake_image(at->context, CL_MEM_OBJECT_IMAGE2D, (const size_t[]){32, 64, 1}, 4);
  to.memory = fake_image(at->context, CL_MEM_OBJECT_IMAGE3D, (const size_t[]){8, 8, 8}, 16);
  staging.buffer = fake_buffer(at->context, 128 + size);
  staging.offset = 128;
  staging.upload_queue = at->queues[1];
  staging.download_queue = at->queues[2];
  memset(fake_bytes(from.memory), 3, BYTES);
  memset(fake_bytes(staging.buffer), 5, 128 + size);
  cl_event events[2] = {NULL, NULL};
  fake_forget();
  assert_int_equal(relayout_plan_submit(plan, at->queues[0], &from, &to, &staging, 0, NULL,
                                        &events[0], &events[1], NULL),
                   RELAYOUT_OK);
  assert_int_equal(fake.command_count, 3);
  const fake_command *const up = fake_command_at("clEnqueueCopyImageToBuffer", 0);
  const fake_command *const kernel = fake_command_at("clEnqueueNDRangeKernel", 0);
  const fake_command *const down = fake_command_at("clEnqueueCopyBufferToImage", 0);
  assert_true(up->queue == at->queues[0] && down->queue == at->queues[0]);
  assert_ptr_equal(kernel->wait[0], up->event);
  assert_ptr_equal(down->wait[0], kernel->event);
  assert_int_equal(up->offset, 128);
  assert_int_equal(down->offset, 128 + BYTES);
  assert_true(up->memory == from.memory && down->memory == to.memory);
  assert_true(down->region[0] == 8 && down->region[1] == 8 && down->region[2] == 8);
  for (int i = 0; i < BYTES; ++i) {
    assert_int_equal(fake_bytes(staging.buffer)[128 + i], 3);
    assert_int_equal(fake_bytes(to.memory)[i], 5);
  }
  fake_release(events[0]);
  fake_release(events[1]);
  assert_int_equal(fake_holders(FAKE_EVENT), 0);
  relayout_plan_destroy(plan);
}

/* What a plan leaves as it was of an image comes to staging first. */
static void test_gaps(void **state) {
  const scene *const at = *state;
  const relayout_shape from_shape = shape_of("u8[8,12]");
  const relayout_shape to_shape = shape_of("u8[8,12]{1,0:PD(8,16)PV(unknown)}");
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(at->device, &from_shape, &to_shape, NULL, &plan, NULL),
                   RELAYOUT_OK);
  relayout_opencl_memory from = RELAYOUT_OPENCL_MEMORY_INIT;
  relayout_opencl_memory to = RELAYOUT_OPENCL_MEMORY_INIT;
  relayout_opencl_staging staging = RELAYOUT_OPENCL_STAGING_INIT;
  from.memory = fake_buffer(at->context, 96);
  to.kind = RELAYOUT_MEMORY_IMAGE;
  to.memory = fake_image(at->context, CL_MEM_OBJECT_IMAGE2D, (const size_t[]){4, 8, 1}, 4);
  staging.buffer = fake_buffer(at->context, 128);
  memset(fake_bytes(to.memory), 7, 128);
  cl_event done = NULL;
  fake_forget();
  assert_int_equal(
      relayout_plan_submit(plan, at->queues[0], &from, &to, &staging, 0, NULL, NULL, &done, NULL),
      RELAYOUT_OK);
  assert_int_equal(fake_count("clEnqueueCopyImageToBuffer"), 1);
  assert_int_equal(fake_count("clEnqueueCopyBufferToImage"), 1);
  for (int i = 0; i < 128; ++i) {
    assert_int_equal(fake_bytes(to.memory)[i], 7);
  }
  fake_release(done);
  relayout_plan_destroy(plan);
}

/* An image is all of its side, and of two or three dimensions. */
static void test_refusals(void **state) {
  const scene *const at = *state;
  const relayout_shape shape = shape_of("u8[8,16]");
  relayout_plan *plan = NULL;
  assert_int_equal(relayout_plan_create(at->device, &shape, &shape, NULL, &plan, NULL),
                   RELAYOUT_OK);
  static const struct {
    cl_mem_object_type type;
    size_t size[3];
    size_t offset;
    const char *text; /* NULL: it is right */
  } cases[] = {
      {CL_MEM_OBJECT_IMAGE2D, {4, 8, 1}, 0, NULL},
      {CL_MEM_OBJECT_IMAGE2D_ARRAY, {4, 2, 4}, 0, NULL},
      {CL_MEM_OBJECT_IMAGE3D, {4, 2, 4}, 0, NULL},
      {CL_MEM_OBJECT_IMAGE2D, {4, 9, 1}, 0, "is an image of 144 bytes, but the plan's side is 128"},
      {CL_MEM_OBJECT_IMAGE2D, {4, 7, 1}, 0, "is an image of 112 bytes, but the plan's side is 128"},
      {CL_MEM_OBJECT_IMAGE2D, {4, 8, 1}, 4, "offset is 4; expected 0 for an image"},
      {CL_MEM_OBJECT_IMAGE1D, {32, 1, 1}, 0, "not an image of two or three dimensions"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    for (int is_source = 0; is_source < 2; ++is_source) {
      print_message("case %zu\n", i);
      relayout_opencl_memory sides[2] = {RELAYOUT_OPENCL_MEMORY_INIT, RELAYOUT_OPENCL_MEMORY_INIT};
      relayout_opencl_memory *const image = &sides[1 - is_source];
      sides[is_source].memory = fake_buffer(at->context, 128);
      image->kind = RELAYOUT_MEMORY_IMAGE;
      image->memory = fake_image(at->context, cases[i].type, cases[i].size, 4);
      image->offset = cases[i].offset;
      relayout_opencl_staging staging = RELAYOUT_OPENCL_STAGING_INIT;
      relayout_error error = {.message = ""};
      staging.buffer = fake_buffer(at->context, 256);
      assert_int_equal(relayout_plan_submit(plan, at->queues[0], &sides[0], &sides[1], &staging, 0,
                                            NULL, NULL, NULL, &error),
                       cases[i].text == NULL ? RELAYOUT_OK : RELAYOUT_INVALID_ARGUMENT);
      assert_true(cases[i].text == NULL || strstr(error.message, cases[i].text) != NULL);
    }
  }
  relayout_plan_destroy(plan);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes),
                                     cmocka_unit_test(test_places),
                                     cmocka_unit_test(test_types),
                                     TEST(test_what_images_tell),
                                     TEST(test_copies),
                                     TEST(test_gaps),
                                     TEST(test_refusals)};
  fake_driver_use();
  return cmocka_run_group_tests_name("images", tests, NULL, NULL);
}
