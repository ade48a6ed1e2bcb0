/* image.c: images as the sides of relayouts. */
#include "opencl/image.h"

#include <inttypes.h>
#include <stdint.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/structs.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"
#include "relayout/submit.h"

relayout_status rlt_image_of(cl_mem image, rlt_image *told, relayout_error *error) {
  enum { WIDTH, HEIGHT, DEPTH, LAYERS, PIXEL, QUESTIONS };
  static const cl_image_info questions[QUESTIONS] = {
      CL_IMAGE_WIDTH, CL_IMAGE_HEIGHT, CL_IMAGE_DEPTH, CL_IMAGE_ARRAY_SIZE, CL_IMAGE_ELEMENT_SIZE};
  size_t answers[QUESTIONS] = {0};
  for (int i = 0; i < QUESTIONS; ++i) {
    const cl_int code = clGetImageInfo(image, questions[i], sizeof answers[i], &answers[i], NULL);
    if (code != CL_SUCCESS) {
      return rlt_cl_fail(error, code, "clGetImageInfo");
    }
  }
  /* An image has neither, a 3D image a depth, and an array layers. */
  const size_t layers = answers[DEPTH] > 1 ? answers[DEPTH] : answers[LAYERS];
  told->region[0] = answers[WIDTH];
  told->region[1] = answers[HEIGHT];
  told->region[2] = layers > 1 ? layers : 1;
  told->bytes = told->region[0] * told->region[1] * told->region[2] * answers[PIXEL];
  return RELAYOUT_OK;
}

/* ---- Tensors as images ---- */

enum { BATCH, CHANNELS, HEIGHT, WIDTH, RANK, PIXEL_CHANNELS = 4 };

static relayout_status find_channel_type(relayout_element_type type, cl_channel_type *found,
                                         relayout_error *error) {
  static const struct {
    relayout_element_type type;
    cl_channel_type channel;
  } known[] = {{RELAYOUT_F32, CL_FLOAT},          {RELAYOUT_F16, CL_HALF_FLOAT},
               {RELAYOUT_S8, CL_SIGNED_INT8},     {RELAYOUT_S16, CL_SIGNED_INT16},
               {RELAYOUT_S32, CL_SIGNED_INT32},   {RELAYOUT_U8, CL_UNSIGNED_INT8},
               {RELAYOUT_U16, CL_UNSIGNED_INT16}, {RELAYOUT_U32, CL_UNSIGNED_INT32}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
    if (known[i].type == type) {
      *found = known[i].channel;
      return RELAYOUT_OK;
    }
  }
  return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                  "element_type is %d; images have no channels of that type", (int)type);
}

static relayout_status check_dimensions(const int64_t *dimensions, relayout_error *error) {
  for (int i = 0; i < RANK; ++i) {
    if (dimensions[i] < 1) {
      return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                      "dimensions[%d] is %" PRId64 "; expected 1 or more", i, dimensions[i]);
    }
  }
  return RELAYOUT_OK;
}

/* Tiles of four channels, one after the other in memory: pixels. Fours of channels vary slower than
 * lines in an array, where each is a layer, and else faster. */
static relayout_status make_shape(relayout_element_type type, const int64_t *dimensions,
                                  bool is_array, relayout_shape *shape, relayout_error *error) {
  static const int64_t in_array[] = {WIDTH, HEIGHT, CHANNELS, BATCH};
  static const int64_t side_by_side[] = {WIDTH, CHANNELS, HEIGHT, BATCH};
  static const int64_t tile[] = {PIXEL_CHANNELS, 1, 1};
  const size_t tile_rank = is_array ? 3 : 2;
  relayout_layout layout;
  const relayout_status status = relayout_layout_make_tiled(
      RANK, is_array ? in_array : side_by_side, 1, &tile_rank, tile, &layout, error);
  return status == RELAYOUT_OK
             ? relayout_shape_make_with_layout(type, RANK, dimensions, &layout, shape, error)
             : status;
}

relayout_status relayout_opencl_image_make(cl_mem_object_type type,
                                           relayout_element_type element_type,
                                           const int64_t *dimensions, relayout_opencl_image *image,
                                           relayout_error *error) {
  if (dimensions == NULL || image == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    dimensions == NULL ? "dimensions" : "image");
  }
  const bool is_array = type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
  if (!is_array && type != CL_MEM_OBJECT_IMAGE2D) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "type is 0x%x; expected CL_MEM_OBJECT_IMAGE2D or CL_MEM_OBJECT_IMAGE2D_ARRAY",
                    (unsigned)type);
  }
  relayout_opencl_image made = {.struct_size = sizeof made, .format.image_channel_order = CL_RGBA};
  relayout_status status = rlt_struct_check(image, "image->", sizeof *image, error);
  if (status == RELAYOUT_OK) {
    status = find_channel_type(element_type, &made.format.image_channel_data_type, error);
  }
  if (status == RELAYOUT_OK) {
    status = check_dimensions(dimensions, error);
  }
  if (status == RELAYOUT_OK) {
    status = make_shape(element_type, dimensions, is_array, &made.shape, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  /* The shape has the bytes of all pixels, so that nothing here overflows. */
  const size_t fours = (size_t)rlt_divide_up(dimensions[CHANNELS], PIXEL_CHANNELS);
  made.width = (size_t)dimensions[WIDTH] * (is_array ? 1 : fours);
  made.height = (size_t)dimensions[HEIGHT] * (is_array ? 1 : (size_t)dimensions[BATCH]);
  made.layers = is_array ? fours * (size_t)dimensions[BATCH] : 1;
  rlt_struct_write(&made, sizeof made, image);
  return RELAYOUT_OK;
}
