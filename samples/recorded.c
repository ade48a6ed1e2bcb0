/* recorded.c: a step of a model, recorded once and run for each new input, as runtimes replay what
 * they do: the program's own kernel works on a matrix in rows, and a relayout takes what comes out
 * to an accelerator's tiles, T(8,128), in the same command buffer (cl_khr_command_buffer).
 *
 * A relayout alone needs no command buffer of the program's: relayout_recording_create. */
#define CL_TARGET_OPENCL_VERSION  300
#define CL_ENABLE_BETA_EXTENSIONS /* newer headers hide what is provisional */
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <relayout/recording.h>
#include <relayout/relayout.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 64, COLUMNS = 256, CELLS = ROWS * COLUMNS, BYTES = CELLS * 4, STEPS = 3 };
enum { NO_DEVICE = 77 };

typedef struct runtime {
  relayout_device *device;
  cl_context context;
  cl_device_id id;
  cl_platform_id platform;
  cl_command_queue queue;
} runtime;

/* A sample may give up at the first failure; a program would pass it on. */
static void must(int status, const char *what, const relayout_error *error) {
  if (status != 0) {
    fprintf(stderr, "%s: status %d %s\n", what, status, error != NULL ? error->message : "");
    exit(status == RELAYOUT_NO_DEVICE || status == RELAYOUT_UNSUPPORTED ? NO_DEVICE : 1);
  }
}

/* The extension's functions are the platform's. C has no cast from an object's pointer to one. */
static void find(const runtime *self, const char *name, void *function) {
  void *address = clGetExtensionFunctionAddressForPlatform(self->platform, name);
  if (address == NULL) {
    fprintf(stderr, "the platform has no %s\n", name);
    exit(NO_DEVICE);
  }
  memcpy(function, &address, sizeof address);
}

static void open_runtime(runtime *self) {
  relayout_error error;
  cl_int status;
  must(relayout_device_open("opencl", &self->device, &error), "device", &error);
  must(relayout_opencl_device_get_handles(self->device, &self->context, &self->id, &error),
       "handles", &error);
  must(clGetDeviceInfo(self->id, CL_DEVICE_PLATFORM, sizeof self->platform, &self->platform, NULL),
       "platform", NULL);
  self->queue = clCreateCommandQueueWithProperties(self->context, self->id, NULL, &status);
  must(status, "queue", NULL);
}

/* The program's own work: y = 2 x + 1. */
static cl_kernel make_kernel(const runtime *self, cl_mem input, cl_mem output) {
  const char *text = "kernel void layer(global const float *x, global float *y) {"
                     "  y[get_global_id(0)] = 2 * x[get_global_id(0)] + 1;"
                     "}";
  cl_int status;
  cl_program program = clCreateProgramWithSource(self->context, 1, &text, NULL, &status);
  must(status, "program", NULL);
  must(clBuildProgram(program, 1, &self->id, "", NULL, NULL), "build", NULL);
  cl_kernel kernel = clCreateKernel(program, "layer", &status);
  must(status, "kernel", NULL);
  clReleaseProgram(program);
  must(clSetKernelArg(kernel, 0, sizeof input, &input), "argument", NULL);
  must(clSetKernelArg(kernel, 1, sizeof output, &output), "argument", NULL);
  return kernel;
}

static relayout_plan *make_plan(const runtime *self) {
  relayout_error error;
  relayout_shape rows;
  relayout_shape tiles;
  relayout_plan *plan = NULL;
  must(relayout_shape_parse("f32[64,256]", &rows, &error), "rows", &error);
  must(relayout_shape_parse("f32[64,256]{1,0:T(8,128)}", &tiles, &error), "tiles", &error);
  must(relayout_plan_create(self->device, &rows, &tiles, NULL, &plan, &error), "plan", &error);
  return plan;
}

/* The kernel, and behind it the relayout, which the recording keeps alive: the plan may go. */
static cl_command_buffer_khr record(const runtime *self, cl_kernel kernel, cl_mem result,
                                    cl_mem tiles, relayout_recording **recording) {
  clCreateCommandBufferKHR_fn create;
  clCommandNDRangeKernelKHR_fn command;
  clFinalizeCommandBufferKHR_fn finalize;
  find(self, "clCreateCommandBufferKHR", &create);
  find(self, "clCommandNDRangeKernelKHR", &command);
  find(self, "clFinalizeCommandBufferKHR", &finalize);
  const size_t size = CELLS;
  cl_sync_point_khr computed;
  cl_int status;
  relayout_error error;
  cl_command_buffer_khr commands = create(1, &self->queue, NULL, &status);
  must(status, "command buffer", NULL);
  must(command(commands, NULL, NULL, kernel, 1, NULL, &size, NULL, 0, NULL, &computed, NULL),
       "command", NULL);
  relayout_plan *plan = make_plan(self);
  must(relayout_plan_record(plan, commands, self->queue, result, 0, tiles, 0, 1, &computed, NULL,
                            recording, &error),
       "record", &error);
  relayout_plan_destroy(plan);
  must(finalize(commands), "finalize", NULL);
  return commands;
}

/* New input, one call, and how many of the tiles' elements are right. */
static size_t run(const runtime *self, cl_command_buffer_khr commands, cl_mem input, cl_mem tiles,
                  int step) {
  static float cells[CELLS];
  clEnqueueCommandBufferKHR_fn enqueue;
  size_t right = 0;
  find(self, "clEnqueueCommandBufferKHR", &enqueue);
  for (int i = 0; i < CELLS; i++) {
    cells[i] = (float)(i + step);
  }
  must(clEnqueueWriteBuffer(self->queue, input, CL_TRUE, 0, BYTES, cells, 0, NULL, NULL), "upload",
       NULL);
  must(enqueue(0, NULL, commands, 0, NULL, NULL), "enqueue", NULL);
  must(clEnqueueReadBuffer(self->queue, tiles, CL_TRUE, 0, BYTES, cells, 0, NULL, NULL), "download",
       NULL);
  for (int row = 0; row < ROWS; row++) {
    for (int column = 0; column < COLUMNS; column++) {
      const int tile = row / 8 * (COLUMNS / 128) + column / 128;
      right += cells[tile * 8 * 128 + row % 8 * 128 + column % 128] ==
               (float)(2 * (row * COLUMNS + column + step) + 1);
    }
  }
  return right;
}

int main(void) {
  runtime self;
  cl_mem buffers[3]; /* input, result in rows, result in tiles */
  cl_int status;
  size_t right = 0;
  open_runtime(&self);
  for (int i = 0; i < 3; i++) {
    buffers[i] = clCreateBuffer(self.context, CL_MEM_READ_WRITE, BYTES, NULL, &status);
    must(status, "buffer", NULL);
  }
  cl_kernel kernel = make_kernel(&self, buffers[0], buffers[1]);
  relayout_recording *recording = NULL;
  cl_command_buffer_khr commands = record(&self, kernel, buffers[1], buffers[2], &recording);
  for (int step = 0; step < STEPS; step++) {
    right += run(&self, commands, buffers[0], buffers[2], step);
  }
  printf("%zu of %d elements are in their tiles after %d runs\n", right, STEPS * CELLS, STEPS);

  clReleaseCommandBufferKHR_fn release;
  find(&self, "clReleaseCommandBufferKHR", &release);
  must(release(commands), "release", NULL);
  relayout_recording_destroy(recording); /* not before the last run is done */
  clReleaseKernel(kernel);
  for (int i = 0; i < 3; i++) {
    clReleaseMemObject(buffers[i]);
  }
  clReleaseCommandQueue(self.queue);
  relayout_device_destroy(self.device);
  return right == STEPS * CELLS ? 0 : 1;
}
