/* on_a_queue.c: a relayout between a program's own OpenCL commands, chained by events. */
#define CL_TARGET_OPENCL_VERSION 120
#include <relayout/opencl.h>
#include <relayout/relayout.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 2, COLUMNS = 3, PADDED = 15, NO_DEVICE = 77 };

static void must(int status, const relayout_error *error) {
  if (status != 0) {
    fprintf(stderr, "status %d: %s\n", status, error != NULL ? error->message : "OpenCL's");
    exit(status == RELAYOUT_NO_DEVICE ? NO_DEVICE : 1);
  }
}

/* What a runtime has already. */
typedef struct runtime {
  cl_context context;
  cl_device_id id;
  cl_command_queue queue;
} runtime;

/* Here they come from relayout, which finds a device; in a runtime it is the other way round. */
static void open_runtime(runtime *self, relayout_device **found) {
  relayout_error error;
  cl_int status = CL_SUCCESS;
  must(relayout_device_open("opencl", found, &error), &error);
  must(relayout_opencl_device_get_handles(*found, &self->context, &self->id, &error), &error);
  self->queue = clCreateCommandQueue(self->context, self->id, 0, &status);
  must(status, NULL);
}

int main(void) {
  static const float image[ROWS * COLUMNS] = {1, 2, 3, 4, 5, 6};
  float result[PADDED];
  runtime self;
  relayout_device *found = NULL;
  relayout_device *device = NULL;
  relayout_plan *plan = NULL;
  relayout_shape from, to;
  relayout_error error;
  cl_int status[2];
  cl_event uploaded = NULL;
  cl_event relaid = NULL;
  open_runtime(&self, &found);
  must(relayout_shape_parse("f32[2,3]", &from, &error), &error);
  must(relayout_shape_parse("f32[2,3]{0,1:PD(3,5)}", &to, &error), &error);

  /* [once] */
  must(relayout_opencl_device_create(self.context, self.id, NULL, &device, &error), &error);
  must(relayout_plan_create(device, &from, &to, NULL, &plan, &error), &error); /* compiles */
  /* [buffers] */
  cl_mem input = clCreateBuffer(self.context, CL_MEM_READ_WRITE, relayout_plan_source_size(plan),
                                NULL, &status[0]);
  cl_mem output = clCreateBuffer(self.context, CL_MEM_READ_WRITE,
                                 relayout_plan_destination_size(plan), NULL, &status[1]);
  must(status[0] | status[1], NULL);
  /* [often] */
  must(
      clEnqueueWriteBuffer(self.queue, input, CL_FALSE, 0, sizeof image, image, 0, NULL, &uploaded),
      NULL);
  must(relayout_plan_enqueue(plan, self.queue, input, 0, output, 0, 1, &uploaded, &relaid, &error),
       &error);
  must(clEnqueueReadBuffer(self.queue, output, CL_TRUE, 0, sizeof result, result, 1, &relaid, NULL),
       NULL);
  /* [done] */
  for (int i = 0; i < PADDED; i++) {
    printf("%g ", (double)result[i]);
  }
  printf("\n");
  clReleaseEvent(uploaded);
  clReleaseEvent(relaid);
  clReleaseMemObject(input);
  clReleaseMemObject(output);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  clReleaseCommandQueue(self.queue);
  relayout_device_destroy(found);
  return 0;
}
