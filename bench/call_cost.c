/* call_cost.c: what calls cost on an OpenCL device, beside what the driver alone takes: enqueuing,
 * making plans with everything cached, from files and from source, and the whole of perm6's plans.
 *
 *   call_cost [DEVICE]    opencl when left out
 *
 * Built with the tests, since it looks inside plans. It keeps programs, the driver's too, in a
 * directory of its own that it removes again. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/embedded.h"
#include "bench/statistics.h"
#include "bench/suite.h"
#include "cost.h"
#include "opencl/build.h"
#include "opencl/launch.h"
#include "plan/plan.h"
#include "relayout/opencl.h"

enum { WARM = 4000, COLD = 25, BYTES = 1024 };

/* Where programs are kept. */
static char directory[] = "/tmp/relayout_call_cost_XXXXXX";

const char cost_program[] = "call_cost";

/* ---- The device and its one kilobyte ---- */

typedef struct place {
  cl_context context;
  cl_device_id id;
  cl_command_queue queue;
  cl_mem source;
  cl_mem destination;
  cl_kernel idle;   /* does nothing */
  cl_kernel untold; /* does nothing either, and is told of no buffer */
  relayout_device *device;
  relayout_shape from;
  relayout_shape to;
} place;

static relayout_device *new_device(const place *here, const char *kept_in) {
  relayout_device *device = NULL;
  relayout_error error;
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.kernels = RELAYOUT_KERNELS_WORK_GROUP;
  options.cache_directory = kept_in;
  cost_check(relayout_opencl_device_create(here->context, here->id, &options, &device, &error),
             &error);
  return device;
}

static relayout_plan *new_plan(relayout_device *device, const relayout_shape *from,
                               const relayout_shape *to) {
  relayout_plan *plan = NULL;
  relayout_error error;
  cost_check(relayout_plan_create(device, from, to, NULL, &plan, &error), &error);
  return plan;
}

static void make_idle(place *here) {
  const char *const source = "__kernel void idle(__global uint *destination,\n"
                             "                   __global const uint *source) {}\n"
                             "__kernel void untold(void) {}\n";
  cl_int code = CL_SUCCESS;
  const cl_program program =
      clCreateProgramWithSource(here->context, 1, (const char **)&source, NULL, &code);
  cost_check_cl(code, "clCreateProgramWithSource");
  cost_check_cl(clBuildProgram(program, 1, &here->id, "", NULL, NULL), "clBuildProgram");
  here->idle = clCreateKernel(program, "idle", &code);
  cost_check_cl(code, "clCreateKernel");
  here->untold = clCreateKernel(program, "untold", &code);
  cost_check_cl(code, "clCreateKernel");
  clReleaseProgram(program);
  cost_check_cl(clSetKernelArg(here->idle, 0, sizeof(cl_mem), &here->destination),
                "clSetKernelArg");
  cost_check_cl(clSetKernelArg(here->idle, 1, sizeof(cl_mem), &here->source), "clSetKernelArg");
}

static void open_place(const char *name, place *here) {
  relayout_device *opened = NULL;
  relayout_error error;
  cl_int code = CL_SUCCESS;
  const relayout_status status = relayout_device_open(name, &opened, &error);
  if (status == RELAYOUT_NO_DEVICE) {
    fprintf(stderr, "call_cost: %s\n", error.message);
    exit(77); /* a skipped test */
  }
  cost_check(status, &error);
  cost_check(relayout_opencl_device_get_handles(opened, &here->context, &here->id, &error), &error);
  clRetainContext(here->context);
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  cost_check(relayout_device_get_info(opened, &info, &error), &error);
  printf("%s, %s\n\n", info.description, info.platform);
  relayout_device_destroy(opened);
  here->queue = clCreateCommandQueue(here->context, here->id, 0, &code);
  cost_check_cl(code, "clCreateCommandQueue");
  here->source = clCreateBuffer(here->context, CL_MEM_READ_WRITE, BYTES, NULL, &code);
  cost_check_cl(code, "clCreateBuffer");
  here->destination = clCreateBuffer(here->context, CL_MEM_READ_WRITE, BYTES, NULL, &code);
  cost_check_cl(code, "clCreateBuffer");
  make_idle(here);
  cost_check(relayout_shape_parse("f32[16,16]{1,0}", &here->from, &error), &error);
  cost_check(relayout_shape_parse("f32[16,16]{0,1}", &here->to, &error), &error);
}

static void close_place(place *here) {
  relayout_device_destroy(here->device);
  clReleaseKernel(here->idle);
  clReleaseKernel(here->untold);
  clReleaseMemObject(here->source);
  clReleaseMemObject(here->destination);
  clReleaseCommandQueue(here->queue);
  clReleaseContext(here->context);
}

/* ---- Warm calls ---- */

/* What the enqueue of a plan comes down to: the arguments that change, numbered as launch.c does,
 * and the kernel. */
static void enqueue_bare(const place *here, const rlt_launch *launch) {
  const cl_ulong start = 0;
  const size_t local = (size_t)launch->options.group_size;
  const size_t global = launch->group_count * local;
  cost_check_cl(clSetKernelArg(launch->kernel, 0, sizeof(cl_mem), &here->destination),
                "argument 0");
  cost_check_cl(clSetKernelArg(launch->kernel, 1, sizeof start, &start), "argument 1");
  cost_check_cl(clSetKernelArg(launch->kernel, 4, sizeof(cl_mem), &here->source), "argument 4");
  cost_check_cl(clSetKernelArg(launch->kernel, 5, sizeof start, &start), "argument 5");
  cost_check_cl(
      clEnqueueNDRangeKernel(here->queue, launch->kernel, 1, NULL, &global, &local, 0, NULL, NULL),
      "clEnqueueNDRangeKernel");
}

static void enqueue_plan(const place *here, const relayout_plan *plan) {
  relayout_error error;
  cost_check(relayout_plan_enqueue(plan, here->queue, here->source, 0, here->destination, 0, 0,
                                   NULL, NULL, &error),
             &error);
}

static void enqueue_at_once(const place *here, const relayout_plan *plan) {
  (void)plan;
  relayout_error error;
  cost_check(relayout_enqueue(here->device, &here->from, &here->to, here->queue, here->source, 0,
                              here->destination, 0, 0, NULL, NULL, &error),
             &error);
}

/* Of a plan with one part; buffers begin at multiples of any alignment. */
static const rlt_launch *launch_of(const relayout_plan *plan) {
  return plan->work.parts[0].variants[0].executable;
}

static void enqueue_launch(const place *here, const relayout_plan *plan) {
  enqueue_bare(here, launch_of(plan));
}

static void enqueue_one_item(const place *here, cl_kernel kernel) {
  const size_t one = 1;
  cost_check_cl(clEnqueueNDRangeKernel(here->queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL),
                "clEnqueueNDRangeKernel");
}

static void enqueue_idle(const place *here, const relayout_plan *plan) {
  (void)plan;
  enqueue_one_item(here, here->idle);
}

static void enqueue_untold(const place *here, const relayout_plan *plan) {
  (void)plan;
  enqueue_one_item(here, here->untold);
}

typedef void enqueue_function(const place *here, const relayout_plan *plan);

typedef struct enqueuing {
  const place *here;
  const relayout_plan *plan;
  bool to_the_end; /* whether the wait for it counts */
  enqueue_function *enqueue;
} enqueuing;

static double time_enqueue(const void *context) {
  const enqueuing *const what = context;
  const double begin = cost_now();
  what->enqueue(what->here, what->plan);
  if (what->to_the_end) {
    clFinish(what->here->queue);
  }
  const double took = cost_now() - begin;
  clFinish(what->here->queue);
  return took;
}

enum { WAYS = 3 };

static void measure_ways(const place *here, const relayout_plan *plan, bool to_the_end,
                         enqueue_function *const enqueues[WAYS], double medians[WAYS]) {
  enqueuing whats[WAYS];
  cost_way ways[WAYS];
  for (size_t w = 0; w < WAYS; ++w) {
    whats[w] = (enqueuing){here, plan, to_the_end, enqueues[w]};
    ways[w] = (cost_way){time_enqueue, &whats[w]};
  }
  cost_measure_in_turns(ways, WAYS, WARM, medians);
}

static void measure_enqueue(const place *here, const relayout_plan *plan) {
  double medians[WAYS];
  measure_ways(here, plan, false,
               (enqueue_function *const[]){enqueue_launch, enqueue_plan, enqueue_at_once}, medians);
  cost_print_line("bare enqueue of the same kernel", medians[0], "");
  cost_print_beside("relayout_plan_enqueue", medians[1], medians[0]);
  cost_print_beside("relayout_enqueue, its plan remembered", medians[2], medians[0]);
}

static void measure_end_to_end(const place *here, const relayout_plan *plan) {
  double medians[WAYS];
  measure_ways(here, plan, true,
               (enqueue_function *const[]){enqueue_untold, enqueue_idle, enqueue_plan}, medians);
  cost_print_line("kernel without work or arguments, clFinish", medians[0], "");
  cost_print_line("kernel without work on two buffers, clFinish", medians[1], "");
  cost_print_beside("1 KiB relayout, clFinish", medians[2], medians[1]);
}

static void measure_warm_create(const place *here) {
  rlt_plan_request request;
  rlt_plan_request_clear(&request);
  static double times[WARM];
  for (size_t i = 0; i < WARM; ++i) {
    const double begin = cost_now();
    relayout_plan *const plan = new_plan(here->device, &here->from, &here->to);
    times[i] = cost_now() - begin;
    relayout_plan_destroy(plan);
  }
  cost_print_line("relayout_plan_create, remembered", statistics_median(times, WARM), "");
  for (size_t i = 0; i < WARM; ++i) {
    relayout_plan *plan = NULL;
    relayout_error error;
    const double begin = cost_now();
    cost_check(rlt_plan_create(here->device, &here->from, &here->to, &request, (rlt_texts){0, NULL},
                               &plan, &error),
               &error);
    times[i] = cost_now() - begin;
    relayout_plan_destroy(plan);
  }
  cost_print_line("relayout_plan_create, its program in memory", statistics_median(times, WARM),
                  "");
}

/* ---- Cold plans ---- */

static double time_cold_plan(const place *here, const relayout_shape *from,
                             const relayout_shape *to, const char *kept_in) {
  relayout_device *const device = new_device(here, kept_in);
  const double begin = cost_now();
  relayout_plan *const plan = new_plan(device, from, to);
  const double took = cost_now() - begin;
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  return took;
}

/* Of an element size that nothing else here uses, so that the driver has not
 * compiled its program before either. */
static double time_first_plan(const place *here) {
  relayout_shape from;
  relayout_shape to;
  relayout_error error;
  cost_check(relayout_shape_parse("u16[16,32]{1,0}", &from, &error), &error);
  cost_check(relayout_shape_parse("u16[16,32]{0,1}", &to, &error), &error);
  return time_cold_plan(here, &from, &to, directory);
}

/* The binary of a plan's program; the context has one device. */
static unsigned char *binary_of(const place *here, const rlt_launch *launch, size_t *size) {
  cl_program program = NULL;
  relayout_error error;
  cost_check(rlt_build_get((rlt_opencl_device *)here->device, &launch->options, &program, &error),
             &error);
  cost_check_cl(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof *size, size, NULL),
                "size");
  unsigned char *binary = malloc(*size + 1);
  if (binary == NULL) {
    cost_stop("no memory");
  }
  cost_check_cl(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL),
                "binary");
  clReleaseProgram(program);
  return binary;
}

static double time_loading(const place *here, const rlt_launch *launch, const unsigned char *binary,
                           size_t size) {
  cl_int code = CL_SUCCESS;
  const double begin = cost_now();
  const cl_program program =
      clCreateProgramWithBinary(here->context, 1, &here->id, &size, &binary, NULL, &code);
  cost_check_cl(code, "clCreateProgramWithBinary");
  cost_check_cl(clBuildProgram(program, 1, &here->id, "", NULL, NULL), "clBuildProgram");
  char name[RLT_KERNEL_NAME_SIZE];
  rlt_kernel_function(&launch->options, name);
  const cl_kernel kernel = clCreateKernel(program, name, &code);
  cost_check_cl(code, "clCreateKernel");
  const double took = cost_now() - begin;
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  return took;
}

static void measure_cold(const place *here, const relayout_plan *plan) {
  double bare[COLD];
  double ours[COLD];
  const rlt_launch *const launch = launch_of(plan);
  size_t size = 0;
  unsigned char *const binary = binary_of(here, launch, &size);
  for (size_t i = 0; i < COLD; ++i) {
    bare[i] = time_loading(here, launch, binary, size);
    ours[i] = time_cold_plan(here, &here->from, &here->to, directory);
  }
  free(binary);
  const double bare_median = statistics_median(bare, COLD);
  cost_print_line("loading a binary and its kernel", bare_median, "");
  cost_print_beside("relayout_plan_create, its program on disk", statistics_median(ours, COLD),
                    bare_median);
  for (size_t i = 0; i < COLD; ++i) {
    ours[i] = time_cold_plan(here, &here->from, &here->to, "");
  }
  cost_print_line("relayout_plan_create, no disk cache", statistics_median(ours, COLD),
                  "(the driver's own cache is warm)");
  cost_print_line("relayout_plan_create, the very first", time_first_plan(here),
                  "(nothing is cached; kept at its end)");
}

/* ---- perm6 ---- */

static void plan_perm6(const place *here, const bench_suite *suite, const char *what) {
  relayout_device *const device = new_device(here, directory);
  const double begin = cost_now();
  for (size_t i = 0; i < suite->count; ++i) {
    relayout_plan_destroy(new_plan(device, &suite->cases[i].from, &suite->cases[i].to));
  }
  const double took = cost_now() - begin;
  const rlt_build_counts counts = ((rlt_opencl_device *)device)->build_counts;
  printf("%-46s %12.2f ms  %zu compiled, %zu loaded\n", what, took * 1e3, counts.compiled,
         counts.loaded);
  fflush(stdout);
  relayout_device_destroy(device);
}

/* ---- All of it ---- */

static void measure(const char *device) {
  place here = {.context = NULL};
  bench_suite perm6;
  relayout_error error;
  open_place(device, &here);
  cost_check(bench_suite_parse(bench_embedded_find(bench_suite_texts, "perm6"), RELAYOUT_F32,
                               &perm6, &error),
             &error);
  plan_perm6(&here, &perm6, "all 720 plans of perm6, nothing kept");
  plan_perm6(&here, &perm6, "all 720 plans of perm6, programs on disk");
  bench_suite_free(&perm6);
  here.device = new_device(&here, directory);
  relayout_plan *const plan = new_plan(here.device, &here.from, &here.to);
  measure_enqueue(&here, plan);
  measure_end_to_end(&here, plan);
  measure_warm_create(&here);
  measure_cold(&here, plan);
  relayout_plan_destroy(plan);
  close_place(&here);
}

static void remove_directory(void) {
  char command[64];
  snprintf(command, sizeof command, "rm -rf '%s'", directory);
  if (system(command) != 0) {
    fprintf(stderr, "call_cost: %s is still there\n", directory);
  }
}

int main(int argc, char **argv) {
  if (argc > 2 || mkdtemp(directory) == NULL) {
    cost_stop(argc > 2 ? "usage: call_cost [DEVICE]" : "no temporary directory");
  }
  atexit(remove_directory);
  setenv("XDG_CACHE_HOME", directory, 1);
  unsetenv("POCL_CACHE_DIR");
  unsetenv("RELAYOUT_CACHE");
  measure(argc == 2 ? argv[1] : "opencl");
  return 0;
}
