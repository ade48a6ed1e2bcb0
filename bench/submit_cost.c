/* submit_cost.c: relayouts from and to host memory beside the longer of the transfer alone and the
 * relayout alone, and many small relayouts beside a large one, on an OpenCL device.
 *
 *   submit_cost [DEVICE [MIB]]    opencl and 64 when left out
 *
 * Built with the tests, since it makes a device that shares the host's memory behave as if it did
 * not. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cost.h"
#include "opencl/device.h"
#include "plan/plan.h"
#include "relayout/relayout.h"
#include "relayout/submit.h"

enum { REPETITIONS = 15, PAGES = 1000, PAGE_BYTES = 4096 };

const char cost_program[] = "submit_cost";

typedef struct place {
  relayout_device *device;
  cl_context context;
  cl_command_queue queue; /* of kernels */
  cl_command_queue upload_queue;
  cl_command_queue download_queue;
  size_t size;
  cl_mem source;
  cl_mem destination;
  void *host;
} place;

static cl_mem new_buffer(const place *here, size_t size) {
  cl_int code = CL_SUCCESS;
  const cl_mem made = clCreateBuffer(here->context, CL_MEM_READ_WRITE, size, NULL, &code);
  cost_check_cl(code, "clCreateBuffer");
  const cl_uchar byte = 1;
  cost_check_cl(clEnqueueFillBuffer(here->queue, made, &byte, sizeof byte, 0, size, 0, NULL, NULL),
                "clEnqueueFillBuffer");
  return made;
}

static void open_place(const char *name, size_t size, place *here) {
  relayout_error error;
  cl_device_id id = NULL;
  cl_int code = CL_SUCCESS;
  const relayout_status status = relayout_device_open(name, &here->device, &error);
  if (status == RELAYOUT_NO_DEVICE) {
    fprintf(stderr, "submit_cost: %s\n", error.message);
    exit(77); /* a skipped test */
  }
  cost_check(status, &error);
  cost_check(relayout_opencl_device_get_handles(here->device, &here->context, &id, &error), &error);
  cl_command_queue *const queues[] = {&here->queue, &here->upload_queue, &here->download_queue};
  for (size_t i = 0; i < sizeof queues / sizeof queues[0]; ++i) {
    *queues[i] = clCreateCommandQueue(here->context, id, 0, &code);
    cost_check_cl(code, "clCreateCommandQueue");
  }
  here->size = size;
  here->source = new_buffer(here, size);
  here->destination = new_buffer(here, size);
  here->host = aligned_alloc(4096, size);
  if (here->host == NULL) {
    cost_stop("no memory");
  }
  memset(here->host, 1, size);
  cost_check_cl(clFinish(here->queue), "clFinish");
}

static void close_place(place *here) {
  free(here->host);
  clReleaseMemObject(here->source);
  clReleaseMemObject(here->destination);
  clReleaseCommandQueue(here->queue);
  clReleaseCommandQueue(here->upload_queue);
  clReleaseCommandQueue(here->download_queue);
  relayout_device_destroy(here->device);
}

/* ---- Host memory ---- */

typedef struct errand {
  const place *here;
  relayout_plan *plan;
  bool is_upload;
  relayout_opencl_staging staging;
} errand;

static double run_transfer(const void *context) {
  const errand *const of = context;
  const place *const here = of->here;
  const double begin = cost_now();
  cost_check_cl(of->is_upload ? clEnqueueWriteBuffer(here->queue, here->source, CL_TRUE, 0,
                                                     here->size, here->host, 0, NULL, NULL)
                              : clEnqueueReadBuffer(here->queue, here->source, CL_TRUE, 0,
                                                    here->size, here->host, 0, NULL, NULL),
                "a transfer");
  return cost_now() - begin;
}

static double run_relayout(const void *context) {
  const errand *const of = context;
  const place *const here = of->here;
  relayout_error error;
  const double begin = cost_now();
  cost_check(relayout_plan_enqueue(of->plan, here->queue, here->source, 0, here->destination, 0, 0,
                                   NULL, NULL, &error),
             &error);
  cost_check_cl(clFinish(here->queue), "clFinish");
  return cost_now() - begin;
}

static double run_submission(const void *context) {
  const errand *const of = context;
  const place *const here = of->here;
  const relayout_opencl_memory host = {sizeof host, RELAYOUT_MEMORY_HOST, NULL, here->host, 0};
  const relayout_opencl_memory buffer = {sizeof buffer, RELAYOUT_MEMORY_BUFFER,
                                         of->is_upload ? here->destination : here->source, NULL, 0};
  relayout_error error;
  cl_event done = NULL;
  const double begin = cost_now();
  cost_check(relayout_plan_submit(of->plan, here->queue, of->is_upload ? &host : &buffer,
                                  of->is_upload ? &buffer : &host, &of->staging, 0, NULL, NULL,
                                  &done, &error),
             &error);
  cost_check_cl(clWaitForEvents(1, &done), "clWaitForEvents");
  const double took = cost_now() - begin;
  clReleaseEvent(done);
  return took;
}

static void share_memory(const place *here, bool shares, bool is_all) {
  rlt_opencl_device *const device = (rlt_opencl_device *)here->device;
  device->shares_host_memory = shares;
  device->svm_is_all_memory = is_all;
}

static void measure_host_memory(const place *here, const char *from, const char *to, bool is_upload,
                                bool is_staged) {
  const rlt_opencl_device as_it_is = *(rlt_opencl_device *)here->device;
  relayout_shape shapes[2];
  relayout_error error;
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  errand of = {.here = here, .is_upload = is_upload, .staging = RELAYOUT_OPENCL_STAGING_INIT};
  *(is_upload ? &options.source_chunk_bytes : &options.destination_chunk_bytes) = here->size / 16;
  cost_check(relayout_shape_parse(from, &shapes[0], &error), &error);
  cost_check(relayout_shape_parse(to, &shapes[1], &error), &error);
  cost_check(relayout_plan_create(here->device, &shapes[0], &shapes[1], &options, &of.plan, &error),
             &error);
  if (is_staged) {
    share_memory(here, false, false);
  }
  size_t size = 0;
  cost_check(relayout_plan_staging_size(
                 of.plan, is_upload ? RELAYOUT_MEMORY_HOST : RELAYOUT_MEMORY_BUFFER,
                 is_upload ? RELAYOUT_MEMORY_BUFFER : RELAYOUT_MEMORY_HOST, &size, &error),
             &error);
  of.staging.buffer = size == 0 ? NULL : new_buffer(here, size);
  of.staging.upload_queue = here->upload_queue;
  of.staging.download_queue = here->download_queue;
  const cost_way ways[] = {{run_transfer, &of}, {run_relayout, &of}, {run_submission, &of}};
  double medians[3];
  cost_measure_in_turns(ways, 3, REPETITIONS, medians);
  share_memory(here, as_it_is.shares_host_memory, as_it_is.svm_is_all_memory);
  const double longer = medians[0] > medians[1] ? medians[0] : medians[1];
  printf("%-34s %-8s %-9s %8.2f %8.2f %8.2f ms  %5.2f\n", to, is_upload ? "upload" : "download",
         size == 0 ? "in place" : "in chunks", medians[0] * 1e3, medians[1] * 1e3, medians[2] * 1e3,
         medians[2] / longer);
  if (of.staging.buffer != NULL) {
    clReleaseMemObject(of.staging.buffer);
  }
  relayout_plan_destroy(of.plan);
}

static void measure_all_host_memory(const place *here) {
  char from[64];
  char to[2][64];
  const unsigned long long rows = here->size / (2048 * 4);
  snprintf(from, sizeof from, "f32[%llu,2048]{1,0}", rows);
  snprintf(to[0], sizeof to[0], "f32[%llu,2048]{0,1}", rows);
  snprintf(to[1], sizeof to[1], "f32[%llu,2048]{1,0:T(8,128)}", rows);
  printf("%-34s %-8s %-9s %8s %8s %8s     of the longer\n", from, "", "", "transfer", "relayout",
         "both");
  for (int i = 0; i < 2; ++i) {
    for (int way = 0; way < 4; ++way) {
      measure_host_memory(here, from, to[i], way % 2 == 0, way >= 2);
    }
  }
}

/* ---- Many small ones ---- */

typedef struct pages {
  const place *here;
  relayout_plan *page;                     /* of 4 KiB */
  relayout_plan *large;                    /* of as many bytes as a thousand pages */
  const relayout_opencl_move *moves;       /* in two buffers */
  const relayout_opencl_move *moves_apart; /* each in two of its own */
} pages;

static double run_large(const void *context) {
  const pages *const of = context;
  relayout_error error;
  const double begin = cost_now();
  cost_check(relayout_plan_enqueue(of->large, of->here->queue, of->here->source, 0,
                                   of->here->destination, 0, 0, NULL, NULL, &error),
             &error);
  cost_check_cl(clFinish(of->here->queue), "clFinish");
  return cost_now() - begin;
}

static double run_moves(const pages *of, const relayout_opencl_move *moves) {
  relayout_error error;
  const double begin = cost_now();
  cost_check(
      relayout_plan_enqueue_batch(of->page, of->here->queue, PAGES, moves, 0, NULL, NULL, &error),
      &error);
  cost_check_cl(clFinish(of->here->queue), "clFinish");
  return cost_now() - begin;
}

static double run_batch(const void *context) {
  const pages *const of = context;
  return run_moves(of, of->moves);
}

static double run_batch_apart(const void *context) {
  const pages *const of = context;
  return run_moves(of, of->moves_apart);
}

static double run_one_by_one(const void *context) {
  const pages *const of = context;
  relayout_error error;
  const double begin = cost_now();
  for (size_t i = 0; i < PAGES; ++i) {
    const relayout_opencl_move *const move = &of->moves[i];
    cost_check(relayout_plan_enqueue(of->page, of->here->queue, move->source, move->source_offset,
                                     move->destination, move->destination_offset, 0, NULL, NULL,
                                     &error),
               &error);
  }
  cost_check_cl(clFinish(of->here->queue), "clFinish");
  return cost_now() - begin;
}

static relayout_plan *plan_of(const place *here, const char *from, const char *to,
                              int32_t for_batches) {
  relayout_shape shapes[2];
  relayout_error error;
  relayout_plan *plan = NULL;
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.for_batches = for_batches;
  cost_check(relayout_shape_parse(from, &shapes[0], &error), &error);
  cost_check(relayout_shape_parse(to, &shapes[1], &error), &error);
  cost_check(relayout_plan_create(here->device, &shapes[0], &shapes[1], &options, &plan, &error),
             &error);
  return plan;
}

/* The pages lie in a random order, as in a cache, or as parameters of a model do. */
static void measure_pages(const place *here) {
  static relayout_opencl_move moves[PAGES];
  static relayout_opencl_move moves_apart[PAGES];
  for (size_t i = 0; i < PAGES; ++i) {
    moves[i] = (relayout_opencl_move){here->source, i * 617 % PAGES * PAGE_BYTES, here->destination,
                                      i * 383 % PAGES * PAGE_BYTES};
    moves_apart[i] =
        (relayout_opencl_move){new_buffer(here, PAGE_BYTES), 0, new_buffer(here, PAGE_BYTES), 0};
  }
  const pages of = {here, plan_of(here, "f32[32,32]{1,0}", "f32[32,32]{0,1}", 1),
                    plan_of(here, "f32[1000,1024]{1,0}", "f32[1000,1024]{0,1}", 0), moves,
                    moves_apart};
  const cost_way ways[] = {
      {run_large, &of}, {run_batch, &of}, {run_batch_apart, &of}, {run_one_by_one, &of}};
  double medians[4];
  cost_measure_in_turns(ways, 4, REPETITIONS, medians);
  printf("\n");
  cost_print_line("f32[1000,1024] transposed", medians[0], "");
  cost_print_beside("1000 of f32[32,32], in one batch", medians[1], medians[0]);
  cost_print_beside("the same in 2000 buffers", medians[2], medians[0]);
  cost_print_beside("1000 of f32[32,32], one by one", medians[3], medians[0]);
  for (size_t i = 0; i < PAGES; ++i) {
    clReleaseMemObject(moves_apart[i].source);
    clReleaseMemObject(moves_apart[i].destination);
  }
  relayout_plan_destroy(of.page);
  relayout_plan_destroy(of.large);
}

int main(int argument_count, char **arguments) {
  const char *const name = argument_count > 1 ? arguments[1] : "opencl";
  const size_t mebibytes = argument_count > 2 ? strtoul(arguments[2], NULL, 10) : 64;
  place here = {.device = NULL};
  if (mebibytes < 8 || mebibytes > 4096) {
    cost_stop("the size is not 8 to 4096 MiB");
  }
  open_place(name, mebibytes << 20, &here);
  measure_all_host_memory(&here);
  measure_pages(&here);
  close_place(&here);
  return 0;
}
