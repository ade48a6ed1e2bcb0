/* quantized_layers.c: the layers of a model on an OpenCL device, as training keeps them: for each
 * an int8 matrix with a scale for every row, and its transpose as bf16. One plan of two
 * destinations reads a layer once and writes both.
 *
 * All layers are enqueued as one batch. Then the work for one layer is recorded, and runs for each
 * new state of its weights without any work on the host, where the device has command buffers. */
#define CL_TARGET_OPENCL_VERSION  300
#define CL_ENABLE_BETA_EXTENSIONS /* newer headers hide what is provisional */
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <relayout/recording.h>
#include <relayout/relayout.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LAYERS = 4, ROWS = 64, COLUMNS = 96, COUNT = ROWS * COLUMNS, STEPS = 3, NO_DEVICE = 77 };

typedef struct layer {
  cl_mem weights;
  relayout_side_buffers from;
  relayout_side_buffers to[2]; /* int8 with scales, and the transpose */
} layer;

typedef struct trainer {
  relayout_device *device;
  cl_context context;
  cl_command_queue queue;
  relayout_plan *plan;
  layer layers[LAYERS];
} trainer;

/* A sample may give up at the first failure; a program would pass it on. */
static void must(int status, const char *what, const relayout_error *error) {
  if (status != 0) {
    fprintf(stderr, "%s: status %d %s\n", what, status, error != NULL ? error->message : "");
    exit(status == RELAYOUT_NO_DEVICE || status == RELAYOUT_UNSUPPORTED ? NO_DEVICE : 1);
  }
}

static void open_trainer(trainer *self) {
  relayout_error error;
  cl_device_id id;
  cl_int status;
  must(relayout_device_open("opencl", &self->device, &error), "device", &error);
  must(relayout_opencl_device_get_handles(self->device, &self->context, &id, &error), "handles",
       &error);
  self->queue = clCreateCommandQueueWithProperties(self->context, id, NULL, &status);
  must(status, "queue", NULL);
}

static void make_plan(trainer *self) {
  relayout_error error;
  relayout_scaled_view weights, to[2];
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  must(relayout_scaled_view_parse("f32[64,96]", &weights, &error), "weights", &error);
  must(relayout_scaled_view_parse("s8[64,96] * f32[64,1]", &to[0], &error), "integers", &error);
  must(relayout_scaled_view_parse("bf16[64,96]{0,1}", &to[1], &error), "transpose", &error);
  to[0].rule = RELAYOUT_SCALES_AMAX; /* the scales are found, and written */
  options.rounding = RELAYOUT_ROUNDING_NEAREST;
  must(relayout_plan_create_many(self->device, &weights, to, 2, &options, &self->plan, &error),
       "plan", &error);
}

static cl_mem buffer_of(const trainer *self, size_t bytes) {
  cl_int status;
  const cl_mem made = clCreateBuffer(self->context, CL_MEM_READ_WRITE, bytes, NULL, &status);
  must(status, "buffer", NULL);
  return made;
}

static void make_layers(trainer *self) {
  for (int i = 0; i < LAYERS; i++) {
    layer *made = &self->layers[i];
    made->weights = buffer_of(self, COUNT * sizeof(float));
    made->from = (relayout_side_buffers){.elements = made->weights};
    made->to[0] = (relayout_side_buffers){.elements = buffer_of(self, COUNT),
                                          .scales = buffer_of(self, ROWS * sizeof(float))};
    made->to[1] = (relayout_side_buffers){.elements = buffer_of(self, COUNT * sizeof(uint16_t))};
  }
}

/* In row r the greatest weight is 127 (r + 1), so that r + 1 is its scale. */
static float weight_of(int step, int row, int column) {
  return (float)((row + 1) * (column == 0 ? 127 : (column + step) % 64 - 32));
}

static void set_weights(const trainer *self, const layer *of, int step) {
  static float weights[COUNT];
  for (int i = 0; i < COUNT; i++) {
    weights[i] = weight_of(step, i / COLUMNS, i % COLUMNS);
  }
  must(clEnqueueWriteBuffer(self->queue, of->weights, CL_TRUE, 0, sizeof weights, weights, 0, NULL,
                            NULL),
       "upload", NULL);
}

static void read_back(const trainer *self, cl_mem from, size_t bytes, void *to) {
  must(clEnqueueReadBuffer(self->queue, from, CL_TRUE, 0, bytes, to, 0, NULL, NULL), "download",
       NULL);
}

/* How many weights came out as they should: multiples of their scale, and bf16s that have all of
 * their digits. */
static int count_right(const trainer *self, const layer *of, int step) {
  static int8_t integers[COUNT];
  static float scales[ROWS];
  static uint16_t transposed[COUNT];
  int right = 0;
  read_back(self, of->to[0].elements, sizeof integers, integers);
  read_back(self, of->to[0].scales, sizeof scales, scales);
  read_back(self, of->to[1].elements, sizeof transposed, transposed);
  for (int row = 0; row < ROWS; row++) {
    for (int column = 0; column < COLUMNS; column++) {
      const float weight = weight_of(step, row, column);
      union {
        uint32_t bits;
        float value;
      } same = {(uint32_t)transposed[column * ROWS + row] << 16};
      const float off = same.value > weight ? same.value - weight : weight - same.value;
      const float size = weight > 0 ? weight : -weight;
      right += scales[row] * (float)integers[row * COLUMNS + column] == weight && off <= size / 256;
    }
  }
  return right;
}

static int run_batch(trainer *self) {
  relayout_opencl_many_move moves[LAYERS];
  relayout_error error;
  cl_event done;
  int right = 0;
  for (int i = 0; i < LAYERS; i++) {
    set_weights(self, &self->layers[i], i);
    moves[i] = (relayout_opencl_many_move){&self->layers[i].from, self->layers[i].to};
  }
  must(relayout_plan_enqueue_many_batch(self->plan, self->queue, LAYERS, moves, 0, NULL, &done,
                                        &error),
       "batch", &error);
  must(clWaitForEvents(1, &done), "wait", NULL);
  must(clReleaseEvent(done), "event", NULL);
  for (int i = 0; i < LAYERS; i++) {
    right += count_right(self, &self->layers[i], i);
  }
  return right;
}

/* -1: the device has no command buffers. */
static int run_recording(trainer *self) {
  relayout_recording *recording = NULL;
  relayout_error error;
  layer *of = &self->layers[0];
  int right = 0;
  const relayout_status status = relayout_recording_create_many(self->plan, self->queue, &of->from,
                                                                of->to, &recording, &error);
  if (status == RELAYOUT_UNSUPPORTED) {
    return -1;
  }
  must(status, "record", &error);
  for (int step = 0; step < STEPS; step++) {
    set_weights(self, of, step);
    must(relayout_recording_enqueue(recording, 0, NULL, NULL, &error), "run", &error);
    right += count_right(self, of, step); /* which waits for the queue */
  }
  relayout_recording_destroy(recording);
  return right;
}

int main(void) {
  trainer self;
  open_trainer(&self);
  make_plan(&self);
  make_layers(&self);
  const int in_batch = run_batch(&self), recorded = run_recording(&self);
  printf("%d of %d weights are right after a batch of %d layers\n", in_batch, LAYERS * COUNT,
         LAYERS);
  if (recorded < 0) {
    printf("the device has no command buffers\n");
  } else {
    printf("%d of %d are right after %d runs of a recording\n", recorded, STEPS * COUNT, STEPS);
  }
  relayout_plan_destroy(self.plan);
  for (int i = 0; i < LAYERS; i++) {
    clReleaseMemObject(self.layers[i].weights);
    clReleaseMemObject(self.layers[i].to[0].elements);
    clReleaseMemObject(self.layers[i].to[0].scales);
    clReleaseMemObject(self.layers[i].to[1].elements);
  }
  clReleaseCommandQueue(self.queue);
  relayout_device_destroy(self.device);
  return in_batch == LAYERS * COUNT && (recorded < 0 || recorded == STEPS * COUNT) ? 0 : 1;
}
