/* batch.c: eight pages of a pool move by one call, in one launch. */
#define CL_TARGET_OPENCL_VERSION 120
#include <relayout/opencl.h>
#include <relayout/relayout.h>
#include <stdio.h>
#include <stdlib.h>

enum { PAGES = 8, PAGE_ELEMENTS = 2 * 3, PAGE_BYTES = 4 * PAGE_ELEMENTS, NO_DEVICE = 77 };

static void must(int status, const relayout_error *error) {
  if (status != 0) {
    fprintf(stderr, "status %d: %s\n", status, error != NULL ? error->message : "OpenCL's");
    exit(status == RELAYOUT_NO_DEVICE ? NO_DEVICE : 1);
  }
}

int main(void) {
  static float pages[PAGES * PAGE_ELEMENTS];
  relayout_error error;
  relayout_device *device = NULL;
  relayout_plan *plan = NULL;
  relayout_shape from, to;
  cl_context context = NULL;
  cl_device_id id = NULL;
  cl_int status[3];
  must(relayout_device_open("opencl", &device, &error), &error);
  must(relayout_opencl_device_get_handles(device, &context, &id, &error), &error);
  cl_command_queue queue = clCreateCommandQueue(context, id, 0, &status[0]);
  cl_mem pool = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof pages, NULL, &status[1]);
  cl_mem moved = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof pages, NULL, &status[2]);
  must(status[0] | status[1] | status[2], NULL);
  for (int i = 0; i < PAGES * PAGE_ELEMENTS; i++) {
    pages[i] = (float)i;
  }
  must(clEnqueueWriteBuffer(queue, pool, CL_TRUE, 0, sizeof pages, pages, 0, NULL, NULL), NULL);
  must(relayout_shape_parse("f32[2,3]", &from, &error), &error);
  must(relayout_shape_parse("f32[2,3]{0,1}", &to, &error), &error);

  /* [plan] */
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.for_batches = 1;
  must(relayout_plan_create(device, &from, &to, &options, &plan, &error), &error);
  /* [moves] */
  relayout_opencl_move moves[PAGES];
  for (size_t i = 0; i < PAGES; i++) {
    moves[i].source = pool;
    moves[i].source_offset = i * PAGE_BYTES;
    moves[i].destination = moved;
    moves[i].destination_offset = (PAGES - 1 - i) * PAGE_BYTES; /* the last page first */
  }
  must(relayout_plan_enqueue_batch(plan, queue, PAGES, moves, 0, NULL, NULL, &error), &error);
  /* [done] */
  must(clEnqueueReadBuffer(queue, moved, CL_TRUE, 0, sizeof pages, pages, 0, NULL, NULL), NULL);
  for (int i = 0; i < PAGE_ELEMENTS; i++) {
    printf("%g ", (double)pages[i]);
  }
  printf("\n");
  relayout_plan_destroy(plan);
  clReleaseMemObject(pool);
  clReleaseMemObject(moved);
  clReleaseCommandQueue(queue);
  relayout_device_destroy(device);
  return 0;
}
