/* compare_libraries.c: whether one build of the library is faster than another, case by case: both
 * move the same bytes between the same buffers, in turns. A process gets other pages each time it
 * runs, which alone makes single cases differ by a fifth; here both builds have the same.
 *
 *   compare_libraries OLD NEW DEVICE SUITE [ROUNDS]    two librelayout.so; 15 rounds when left out
 *
 * DEVICE may be two, the old library's and the new one's: `cpu,opencl:0` says what queues and a
 * driver's native kernels cost. An OpenCL device then uses the host's memory.
 *
 * It prints how many times as fast as OLD NEW is, by the medians, case by case and in the geomean.
 * Both must have the public calls that it names. */
#define CL_TARGET_OPENCL_VERSION 120

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/statistics.h"
#include "cost.h"
#include "cost_suite.h"
#include "relayout/opencl.h"
#include "relayout/relayout.h"

const char cost_program[] = "compare_libraries";

enum {
  ROUNDS = 15,
  MOST_ROUNDS = 1000000,
  LEAST_BYTES = 1 << 23, /* moved in a round: what is quick is repeated */
  PAGE_BYTES = 4096
};

/* ---- A library ---- */

typedef struct library {
  __typeof__(relayout_device_open) *device_open;
  __typeof__(relayout_device_destroy) *device_destroy;
  __typeof__(relayout_plan_create) *plan_create;
  __typeof__(relayout_plan_destroy) *plan_destroy;
  __typeof__(relayout_plan_execute) *plan_execute;
  __typeof__(relayout_plan_enqueue) *plan_enqueue;
  __typeof__(relayout_opencl_device_create) *opencl_device_create;
  __typeof__(relayout_opencl_device_get_handles) *opencl_device_get_handles;
  relayout_device *device;
  cl_context context; /* NULL: the CPU backend */
  cl_command_queue queue;
} library;

/* A pointer to a function cannot be cast from dlsym's; its bytes can be copied, as POSIX says. */
static void find(void *handle, const char *name, void *function) {
  void *const found = dlsym(handle, name);
  if (found == NULL) {
    cost_stop(dlerror());
  }
  memcpy(function, &found, sizeof found);
}

static void load(const char *path, library *made) {
  void *const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    cost_stop(dlerror());
  }
  find(handle, "relayout_device_open", &made->device_open);
  find(handle, "relayout_device_destroy", &made->device_destroy);
  find(handle, "relayout_plan_create", &made->plan_create);
  find(handle, "relayout_plan_destroy", &made->plan_destroy);
  find(handle, "relayout_plan_execute", &made->plan_execute);
  find(handle, "relayout_plan_enqueue", &made->plan_enqueue);
  find(handle, "relayout_opencl_device_create", &made->opencl_device_create);
  find(handle, "relayout_opencl_device_get_handles", &made->opencl_device_get_handles);
}

/* ---- The device, which both have ---- */

typedef struct place {
  library libraries[2];
  bool is_host_memory; /* one of the devices, at least, is the CPU backend */
} place;

/* The queue that the library enqueues on, if its device has any. */
static void make_queue(library *by) {
  relayout_error error;
  cl_device_id id = NULL;
  cl_int code = CL_SUCCESS;
  if (by->opencl_device_get_handles(by->device, &by->context, &id, &error) == RELAYOUT_OK) {
    by->queue = clCreateCommandQueue(by->context, id, 0, &code);
    cost_check_cl(code, "clCreateCommandQueue");
  }
}

/* One device, of which an OpenCL one is both libraries'; or one for each. */
static void open_devices(const char *names, place *here) {
  library *const old = &here->libraries[0];
  library *const new = &here->libraries[1];
  const char *const comma = strchr(names, ',');
  char first[64];
  relayout_error error;
  cl_device_id id = NULL;
  cl_context context = NULL;
  snprintf(first, sizeof first, "%.*s", comma == NULL ? 63 : (int)(comma - names), names);
  cost_check(old->device_open(first, &old->device, &error), &error);
  if (comma == NULL &&
      old->opencl_device_get_handles(old->device, &context, &id, &error) == RELAYOUT_OK) {
    cost_check(new->opencl_device_create(context, id, NULL, &new->device, &error), &error);
  } else {
    cost_check(new->device_open(comma == NULL ? first : comma + 1, &new->device, &error), &error);
  }
  make_queue(old);
  make_queue(new);
  here->is_host_memory = old->context == NULL || new->context == NULL;
  if (!here->is_host_memory && old->context != new->context) {
    cost_stop("of two devices one is the CPU backend: cpu");
  }
}

static void close_devices(place *here) {
  for (int l = 1; l >= 0; --l) {
    library *const by = &here->libraries[l];
    if (by->queue != NULL) {
      clReleaseCommandQueue(by->queue);
    }
    by->device_destroy(by->device);
  }
}

/* All bytes are there, and are 1. */
typedef struct memory {
  void *host;       /* NULL: it is the driver's */
  cl_mem buffer[2]; /* as each library knows it; NULL: by the host's address */
} memory;

static cl_mem make_buffer(const library *by, void *host, size_t bytes) {
  cl_int code = CL_SUCCESS;
  const cl_mem_flags flags = CL_MEM_READ_WRITE | (host == NULL ? 0 : CL_MEM_USE_HOST_PTR);
  const cl_mem made = clCreateBuffer(by->context, flags, bytes, host, &code);
  cost_check_cl(code, "clCreateBuffer");
  return made;
}

static void fill_buffer(const library *by, cl_mem buffer, size_t bytes) {
  static const char one = 1;
  cost_check_cl(clEnqueueFillBuffer(by->queue, buffer, &one, 1, 0, bytes, 0, NULL, NULL),
                "clEnqueueFillBuffer");
  cost_check_cl(clFinish(by->queue), "clFinish");
}

static memory take_memory(const place *here, const relayout_shape *shape) {
  memory taken = {NULL, {NULL, NULL}};
  relayout_error error;
  size_t bytes = 0;
  cost_check(relayout_shape_byte_size(shape, &bytes, &error), &error);
  if (here->is_host_memory) {
    taken.host = aligned_alloc(PAGE_BYTES, (bytes / PAGE_BYTES + 1) * PAGE_BYTES);
    if (taken.host == NULL) {
      cost_stop("no memory");
    }
    memset(taken.host, 1, bytes);
  }
  for (int l = 0; l < 2; ++l) {
    const library *const by = &here->libraries[l];
    if (by->context != NULL && l == 1 && !here->is_host_memory) {
      clRetainMemObject(taken.buffer[0]);
      taken.buffer[1] = taken.buffer[0];
    } else if (by->context != NULL) {
      taken.buffer[l] = make_buffer(by, taken.host, bytes);
    }
  }
  if (!here->is_host_memory) {
    fill_buffer(&here->libraries[0], taken.buffer[0], bytes);
  }
  return taken;
}

static void give_back(memory taken) {
  for (int l = 0; l < 2; ++l) {
    if (taken.buffer[l] != NULL) {
      clReleaseMemObject(taken.buffer[l]);
    }
  }
  free(taken.host);
}

/* ---- A case ---- */

typedef struct contender {
  const library *by;
  int number; /* of the library */
  relayout_plan *plan;
  memory source;
  memory destination;
  size_t times; /* it runs in a round */
} contender;

/* The seconds of one run, by those of a few. */
static double time_runs(const void *context) {
  const contender *const of = context;
  const library *const by = of->by;
  relayout_error error;
  const double begin = cost_now();
  for (size_t i = 0; i < of->times; ++i) {
    if (by->context != NULL) {
      cost_check(by->plan_enqueue(of->plan, by->queue, of->source.buffer[of->number], 0,
                                  of->destination.buffer[of->number], 0, 0, NULL, NULL, &error),
                 &error);
    } else {
      cost_check(by->plan_execute(of->plan, of->source.host, of->destination.host, &error), &error);
    }
  }
  if (by->queue != NULL) {
    cost_check_cl(clFinish(by->queue), "clFinish");
  }
  return (cost_now() - begin) / (double)of->times;
}

/* How many times as fast the new library is. */
static double compare(const place *here, const bench_case *of, size_t rounds) {
  const memory source = take_memory(here, &of->from);
  const memory destination = take_memory(here, &of->to);
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.effort = RELAYOUT_PLAN_ESTIMATE; /* neither library's plans try others meanwhile */
  contender contenders[2];
  cost_way ways[2];
  for (int l = 0; l < 2; ++l) {
    relayout_error error;
    contenders[l] = (contender){.by = &here->libraries[l],
                                .number = l,
                                .source = source,
                                .destination = destination,
                                .times = LEAST_BYTES / bench_case_bytes(of) + 1};
    cost_check(here->libraries[l].plan_create(here->libraries[l].device, &of->from, &of->to,
                                              &options, &contenders[l].plan, &error),
               &error);
    ways[l] = (cost_way){time_runs, &contenders[l]};
    time_runs(&contenders[l]); /* what is compiled late, and the first pages */
  }
  double medians[2];
  cost_measure_in_turns(ways, 2, rounds, medians);
  for (int l = 0; l < 2; ++l) {
    here->libraries[l].plan_destroy(contenders[l].plan);
  }
  give_back(source);
  give_back(destination);
  printf("%-32s %6.3f %13.3f us old %13.3f us new\n", of->name, medians[0] / medians[1],
         medians[0] * 1e6, medians[1] * 1e6);
  fflush(stdout);
  return medians[0] / medians[1];
}

int main(int count, char **values) {
  if (count < 5 || count > 6) {
    cost_stop("wants OLD NEW DEVICE SUITE [ROUNDS]");
  }
  char none = '\0';
  char *end = &none;
  const size_t rounds = count > 5 ? strtoul(values[5], &end, 10) : ROUNDS;
  if (rounds < 1 || rounds > MOST_ROUNDS || *end != '\0') {
    cost_stop("ROUNDS is a number from 1 to 1000000");
  }
  place here = {.is_host_memory = false};
  bench_suite suite;
  cost_read_suite(values[4], &suite);
  load(values[1], &here.libraries[0]);
  load(values[2], &here.libraries[1]);
  open_devices(values[3], &here);
  double *const ratios = malloc((suite.count + 1) * sizeof *ratios);
  if (ratios == NULL) {
    cost_stop("no memory");
  }
  for (size_t i = 0; i < suite.count; ++i) {
    ratios[i] = compare(&here, &suite.cases[i], rounds);
  }
  printf("%-32s %6.3f\n", "geomean", statistics_geomean(ratios, suite.count));
  free(ratios);
  bench_suite_free(&suite);
  close_devices(&here);
  return 0;
}
