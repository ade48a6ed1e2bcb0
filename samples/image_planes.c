/* image_planes.c: an image in, planes out. Inference on mobile GPUs keeps tensors as images, four
 * channels to a pixel; a program that wants the usual [batch, channels, height, width] takes them
 * out of it on the device, and puts its own in. */
#define CL_TARGET_OPENCL_VERSION 120
#include <relayout/relayout.h>
#include <relayout/submit.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHANNELS = 6, HEIGHT = 5, WIDTH = 7, LAYERS = 2, NO_DEVICE = 77 };

static float pixels[LAYERS][HEIGHT][WIDTH][4];
static float planes[CHANNELS][HEIGHT][WIDTH];

/* A sample may give up at the first failure; a program would pass it on. */
static void must(int status, const char *what, const relayout_error *error) {
  if (status != 0) {
    fprintf(stderr, "%s: status %d %s\n", what, status, error != NULL ? error->message : "");
    exit(status == RELAYOUT_NO_DEVICE ? NO_DEVICE : 1);
  }
}

static cl_mem new_image(cl_context context, const relayout_opencl_image *of) {
  const cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
                                     .image_width = of->width,
                                     .image_height = of->height,
                                     .image_array_size = of->layers};
  cl_int status = CL_SUCCESS;
  const cl_mem made =
      clCreateImage(context, CL_MEM_READ_WRITE, &of->format, &description, NULL, &status);
  must(status, "image", NULL);
  return made;
}

/* By a plan between these shapes. */
static void move(relayout_device *device, cl_command_queue queue, const relayout_shape *from,
                 const relayout_opencl_memory *source, const relayout_shape *to,
                 const relayout_opencl_memory *destination) {
  relayout_error error;
  relayout_plan *plan = NULL;
  cl_context context = NULL;
  cl_device_id id = NULL;
  cl_int status = CL_SUCCESS;
  size_t size = 0;
  relayout_opencl_staging staging = RELAYOUT_OPENCL_STAGING_INIT;
  must(relayout_opencl_device_get_handles(device, &context, &id, &error), "handles", &error);
  must(relayout_plan_create(device, from, to, NULL, &plan, &error), "plan", &error);
  must(relayout_plan_staging_size(plan, source->kind, destination->kind, &size, &error), "staging",
       &error);
  staging.buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, size, NULL, &status);
  must(status, "staging", NULL);
  must(
      relayout_plan_submit(plan, queue, source, destination, &staging, 0, NULL, NULL, NULL, &error),
      "submit", &error);
  clReleaseMemObject(staging.buffer);
  relayout_plan_destroy(plan);
}

static int count_right(void) {
  int right = 0;
  for (int c = 0; c < CHANNELS; c++) {
    for (int i = 0; i < HEIGHT * WIDTH; i++) {
      right += planes[c][i / WIDTH][i % WIDTH] == (float)(100 * c + i) &&
               pixels[c / 4][i / WIDTH][i % WIDTH][c % 4] == (float)(100 * c + i);
    }
  }
  return right;
}

int main(void) {
  static const int64_t dimensions[] = {1, CHANNELS, HEIGHT, WIDTH};
  relayout_error error;
  relayout_device *device = NULL;
  relayout_shape plane_shape;
  relayout_opencl_image image = {.struct_size = sizeof image};
  cl_context context = NULL;
  cl_device_id id = NULL;
  cl_int status[2];
  must(relayout_device_open("opencl", &device, &error), "device", &error);
  must(relayout_opencl_device_get_handles(device, &context, &id, &error), "handles", &error);
  must(relayout_opencl_image_make(CL_MEM_OBJECT_IMAGE2D_ARRAY, RELAYOUT_F32, dimensions, &image,
                                  &error),
       "image", &error);
  must(relayout_shape_parse("f32[1,6,5,7]", &plane_shape, &error), "planes", &error);

  /* Channel c of a pixel is part c % 4 of the pixel in layer c / 4. */
  for (int c = 0; c < CHANNELS; c++) {
    for (int i = 0; i < HEIGHT * WIDTH; i++) {
      pixels[c / 4][i / WIDTH][i % WIDTH][c % 4] = (float)(100 * c + i);
    }
  }
  static const size_t origin[3] = {0, 0, 0};
  const size_t region[3] = {image.width, image.height, image.layers};
  cl_command_queue queue = clCreateCommandQueue(context, id, 0, &status[0]);
  relayout_opencl_memory in_image = RELAYOUT_OPENCL_MEMORY_INIT;
  relayout_opencl_memory in_buffer = RELAYOUT_OPENCL_MEMORY_INIT;
  in_image.kind = RELAYOUT_MEMORY_IMAGE;
  in_image.memory = new_image(context, &image);
  in_buffer.memory = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof planes, NULL, &status[1]);
  must(status[0] | status[1], "queue and buffer", NULL);
  must(clEnqueueWriteImage(queue, in_image.memory, CL_TRUE, origin, region, 0, 0, pixels, 0, NULL,
                           NULL),
       "write", NULL);

  /* The queue is in order: each of these waits for the one before. */
  move(device, queue, &image.shape, &in_image, &plane_shape, &in_buffer);
  must(clEnqueueReadBuffer(queue, in_buffer.memory, CL_TRUE, 0, sizeof planes, planes, 0, NULL,
                           NULL),
       "read", NULL);
  move(device, queue, &plane_shape, &in_buffer, &image.shape, &in_image);
  must(clEnqueueReadImage(queue, in_image.memory, CL_TRUE, origin, region, 0, 0, pixels, 0, NULL,
                          NULL),
       "read", NULL);

  const int right = count_right();
  printf("%zu x %zu pixels in %zu layers; %d of %d values in their planes and back\n", image.width,
         image.height, image.layers, right, CHANNELS * HEIGHT * WIDTH);
  clReleaseMemObject(in_image.memory);
  clReleaseMemObject(in_buffer.memory);
  clReleaseCommandQueue(queue);
  relayout_device_destroy(device);
  return right == CHANNELS * HEIGHT * WIDTH ? 0 : 1;
}
