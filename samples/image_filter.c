/* image_filter.c: relayout between a program's own OpenCL commands: its
 * context, its queue, its events.
 *
 *     image_filter IN.ppm OUT.ppm
 *
 * A picture comes as RGB pixels, u8[H,W,3], and the program's filter wants one plane a colour, each
 * row padded to a whole number of vectors. So: upload, relayout to padded planes, filter, relayout
 * back, download. Each step waits for the one before by its event; the host waits for the last. */
#include "image/denoiser.h"
#include "image/ppm.h"
#include <relayout/opencl.h>
#include <relayout/relayout.h>
#include <stdio.h>
#include <stdlib.h>

enum { NO_DEVICE_HERE = 77 };

/* A sample may give up at the first failure; a program would pass it on. */
static void must(int status, const char *what, const relayout_error *error) {
  if (status != 0) {
    fprintf(stderr, "%s: status %d %s\n", what, status, error != NULL ? error->message : "");
    exit(1);
  }
}

static void filter(const denoiser *own, picture *image) {
  const size_t pitch = (image->width + 63) / 64 * 64;
  relayout_error error;
  relayout_device *device = NULL;
  relayout_shape pixels;
  relayout_shape planes;
  relayout_plan *split = NULL;
  relayout_plan *merge = NULL;
  char text[160];
  snprintf(text, sizeof text, "u8[%zu,%zu,3]", image->height, image->width);
  must(relayout_shape_parse(text, &pixels, &error), text, &error);
  snprintf(text, sizeof text, "u8[%zu,%zu,3]{1,0,2:PD(%zu,%zu,3)}", image->height, image->width,
           image->height, pitch);
  must(relayout_shape_parse(text, &planes, &error), text, &error);
  must(relayout_opencl_device_create(own->context, own->device, NULL, &device, &error), "device",
       &error);
  must(relayout_plan_create(device, &pixels, &planes, NULL, &split, &error), "split", &error);
  must(relayout_plan_create(device, &planes, &pixels, NULL, &merge, &error), "merge", &error);

  const size_t size = relayout_plan_source_size(split);
  const size_t padded = relayout_plan_destination_size(split);
  cl_int status[3];
  cl_mem rgb = clCreateBuffer(own->context, CL_MEM_READ_WRITE, size, NULL, &status[0]);
  cl_mem grainy = clCreateBuffer(own->context, CL_MEM_READ_WRITE, padded, NULL, &status[1]);
  cl_mem smooth = clCreateBuffer(own->context, CL_MEM_READ_WRITE, padded, NULL, &status[2]);
  must(status[0] | status[1] | status[2], "buffers", NULL);

  cl_event done[4]; /* upload, split, filter, merge */
  must(clEnqueueWriteBuffer(own->queue, rgb, CL_FALSE, 0, size, image->bytes, 0, NULL, &done[0]),
       "upload", NULL);
  must(relayout_plan_enqueue(split, own->queue, rgb, 0, grainy, 0, 1, &done[0], &done[1], &error),
       "split", &error);
  must(denoiser_enqueue(own, grainy, smooth, 3, image->height, pitch, done[1], &done[2]), "filter",
       NULL);
  must(relayout_plan_enqueue(merge, own->queue, smooth, 0, rgb, 0, 1, &done[2], &done[3], &error),
       "merge", &error);
  must(clEnqueueReadBuffer(own->queue, rgb, CL_TRUE, 0, size, image->bytes, 1, &done[3], NULL),
       "download", NULL);

  for (int i = 0; i < 4; i++) {
    clReleaseEvent(done[i]);
  }
  clReleaseMemObject(rgb);
  clReleaseMemObject(grainy);
  clReleaseMemObject(smooth);
  relayout_plan_destroy(split);
  relayout_plan_destroy(merge);
  relayout_device_destroy(device);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: image_filter IN.ppm OUT.ppm\n");
    return 2;
  }
  denoiser own;
  const cl_int status = denoiser_open(&own);
  if (status == CL_DEVICE_NOT_FOUND) {
    fprintf(stderr, "no OpenCL device here\n");
    return NO_DEVICE_HERE;
  }
  must(status, "the program's own OpenCL objects", NULL);
  picture image = ppm_read(argv[1]);
  if (image.bytes == NULL) {
    return 1;
  }
  filter(&own, &image);
  const int failed = ppm_write(argv[2], &image);
  free(image.bytes);
  denoiser_close(&own);
  return failed;
}
