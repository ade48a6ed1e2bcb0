/* upload_weights.c: host memory in, device buffer out, the layout changed on the way, as a PJRT
 * plugin's PJRT_Client_BufferFromHostBuffer has to: weights with byte strides go to an
 * accelerator's tiles, T(8,128).
 *
 * What the device reaches by itself is not copied first. Elsewhere the weights go through staging,
 * chunk by chunk: while one is relaid, the next is uploaded on a queue of its own. */
#define CL_TARGET_OPENCL_VERSION 120
#include <relayout/relayout.h>
#include <relayout/submit.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 1024, COLUMNS = 512, CHUNK_BYTES = 256 * 1024, F32_OF_PJRT = 11, NO_DEVICE = 77 };

typedef struct client {
  relayout_device *device;
  cl_context context;
  cl_command_queue queue;
  cl_command_queue upload_queue;
} client;

/* A sample may give up at the first failure; a program would pass it on. */
static void must(int status, const char *what, const relayout_error *error) {
  if (status != 0) {
    fprintf(stderr, "%s: status %d %s\n", what, status, error != NULL ? error->message : "");
    exit(status == RELAYOUT_NO_DEVICE ? NO_DEVICE : 1);
  }
}

static void open_client(client *self) {
  relayout_error error;
  cl_device_id id = NULL;
  cl_int status[2];
  must(relayout_device_open("opencl", &self->device, &error), "device", &error);
  must(relayout_opencl_device_get_handles(self->device, &self->context, &id, &error), "handles",
       &error);
  self->queue = clCreateCommandQueue(self->context, id, 0, &status[0]);
  self->upload_queue = clCreateCommandQueue(self->context, id, 0, &status[1]);
  must(status[0] | status[1], "queues", NULL);
}

/* From what PJRT is told of a host buffer to `to`, chunk by chunk where it takes staging. */
static relayout_plan *plan_upload(const client *self, const relayout_pjrt_fields *host,
                                  const char *to) {
  relayout_error error;
  relayout_view from;
  relayout_shape tiled;
  relayout_view buffer;
  relayout_plan *plan = NULL;
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.source_chunk_bytes = CHUNK_BYTES;
  must(relayout_view_from_pjrt_fields(host, &from, &error), "host buffer", &error);
  must(relayout_shape_parse(to, &tiled, &error), to, &error);
  must(relayout_view_make(&tiled, &buffer, &error), to, &error);
  must(relayout_plan_create_between(self->device, &from, &buffer, &options, &plan, &error), "plan",
       &error);
  return plan;
}

/* Returns at once. `*reusable` completes when the host's memory may be written again. */
static void upload(const client *self, const relayout_plan *plan, const float *host, cl_mem buffer,
                   cl_event *reusable, cl_event *ready) {
  relayout_error error;
  size_t size = 0;
  cl_int status = CL_SUCCESS;
  relayout_opencl_memory source = RELAYOUT_OPENCL_MEMORY_INIT;
  relayout_opencl_memory destination = RELAYOUT_OPENCL_MEMORY_INIT;
  relayout_opencl_staging staging = RELAYOUT_OPENCL_STAGING_INIT;
  source.kind = RELAYOUT_MEMORY_HOST;
  source.pointer = (void *)(uintptr_t)host; /* only read */
  destination.memory = buffer;
  staging.upload_queue = self->upload_queue;
  must(relayout_plan_staging_size(plan, source.kind, destination.kind, &size, &error), "staging",
       &error);
  printf("%zu bytes of staging for %zu of weights\n", size, relayout_plan_source_size(plan));
  if (size > 0) {
    staging.buffer = clCreateBuffer(self->context, CL_MEM_READ_WRITE, size, NULL, &status);
    must(status, "staging", NULL);
  }
  must(relayout_plan_submit(plan, self->queue, &source, &destination, &staging, 0, NULL, reusable,
                            ready, &error),
       "submit", &error);
  if (staging.buffer != NULL) {
    clReleaseMemObject(staging.buffer); /* OpenCL keeps it until the commands are done */
  }
}

/* Tiles of 8 x 128, row by row, one behind the other. */
static size_t place_of(size_t row, size_t column) {
  return ((row / 8) * (COLUMNS / 128) + column / 128) * (8 * 128) + row % 8 * 128 + column % 128;
}

int main(void) {
  static float weights[COLUMNS][ROWS]; /* as a framework has them that counts columns first */
  static float tiles[ROWS * COLUMNS];
  static const int64_t dimensions[] = {ROWS, COLUMNS};
  static const int64_t byte_strides[] = {sizeof(float), ROWS * sizeof(float)};
  const relayout_pjrt_fields host = {.type = F32_OF_PJRT,
                                     .dimensions = dimensions,
                                     .rank = 2,
                                     .layout = RELAYOUT_PJRT_LAYOUT_STRIDES,
                                     .byte_strides = byte_strides,
                                     .byte_stride_count = 2};
  client self;
  cl_event reusable = NULL;
  cl_event ready = NULL;
  cl_int status = CL_SUCCESS;
  open_client(&self);
  relayout_plan *plan = plan_upload(&self, &host, "f32[1024,512]{1,0:T(8,128)}");
  cl_mem buffer = clCreateBuffer(self.context, CL_MEM_READ_WRITE, sizeof tiles, NULL, &status);
  must(status, "buffer", NULL);
  for (size_t i = 0; i < ROWS * COLUMNS; i++) {
    weights[i / ROWS][i % ROWS] = (float)i;
  }

  upload(&self, plan, weights[0], buffer, &reusable, &ready);
  must(clWaitForEvents(1, &reusable), "upload", NULL);
  weights[0][0] = -1; /* the next layer's may come */
  must(clEnqueueReadBuffer(self.queue, buffer, CL_TRUE, 0, sizeof tiles, tiles, 1, &ready, NULL),
       "download", NULL);

  size_t right = 0;
  for (size_t row = 0; row < ROWS; row++) {
    for (size_t column = 0; column < COLUMNS; column++) {
      right += tiles[place_of(row, column)] == (float)(column * ROWS + row);
    }
  }
  printf("%zu of %d weights are in their tiles\n", right, ROWS * COLUMNS);
  clReleaseEvent(reusable);
  clReleaseEvent(ready);
  clReleaseMemObject(buffer);
  relayout_plan_destroy(plan);
  clReleaseCommandQueue(self.upload_queue);
  clReleaseCommandQueue(self.queue);
  relayout_device_destroy(self.device);
  return right == ROWS * COLUMNS ? 0 : 1;
}
