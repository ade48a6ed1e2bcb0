/* replay_launch.c: runs a captured launch on an OpenCL device, holds what it leaves against what it
 * left when it was captured, and times it. It knows nothing of relayouts but how many bytes the
 * case moves. */
#define CL_TARGET_OPENCL_VERSION 120

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "bench/statistics.h"
#include "bench/suite.h"
#include "captured_launch.h"
#include "relayout/opencl.h"

static const char help[] =
    "usage: replay_launch LAUNCH_FOLDER [--device D] [--repeat N]\n"
    "\n"
    "Builds and runs a launch that capture_launches left, N times (11 when left out), compares\n"
    "every buffer with what it was after the launch was captured, and prints the device's median\n"
    "time and how many bytes the launch's case reads and writes in it.\n"
    "\n"
    "exit codes: 0 ok, 1 failure, 2 usage, 3 a buffer differs, 4 no such launch, 5 no such "
    "device\n";

enum { REPEAT = 11, MOST_REPEAT = 1000000 };

typedef struct replay {
  captured_launch launch;
  relayout_device *device;
  cl_context context;
  cl_device_id id;
  cl_command_queue queue;
  cl_program program;
  cl_kernel kernel;
  cl_mem buffers[CAPTURED_MOST_ARGUMENTS];
} replay;

static exit_code fail(cl_int code, const char *call) {
  return report(EXIT_CODE_FAILURE, "%s: OpenCL error %d", call, (int)code);
}

/* ---- Made ready ---- */

static exit_code open_device(const char *name, replay *own) {
  const exit_code code = arguments_open_device(name, NULL, &own->device);
  relayout_error error;
  cl_int status = CL_SUCCESS;
  if (code != EXIT_CODE_OK) {
    return code;
  }
  if (relayout_opencl_device_get_handles(own->device, &own->context, &own->id, &error) !=
      RELAYOUT_OK) {
    return report(EXIT_CODE_NO_DEVICE, "%s: %s", name, error.message);
  }
  own->queue = clCreateCommandQueue(own->context, own->id, CL_QUEUE_PROFILING_ENABLE, &status);
  return status == CL_SUCCESS ? EXIT_CODE_OK : fail(status, "clCreateCommandQueue");
}

static void print_build_log(const replay *own) {
  size_t size = 0;
  clGetProgramBuildInfo(own->program, own->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
  char *const log = calloc(1, size + 1);
  if (log != NULL) {
    clGetProgramBuildInfo(own->program, own->id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    fprintf(stderr, "%s\n", log);
  }
  free(log);
}

static exit_code build(replay *own) {
  cl_int code = CL_SUCCESS;
  const char *const source = own->launch.source;
  own->program = clCreateProgramWithSource(own->context, 1, (const char **)&source, NULL, &code);
  if (code != CL_SUCCESS) {
    return fail(code, "clCreateProgramWithSource");
  }
  code = clBuildProgram(own->program, 1, &own->id, own->launch.options, NULL, NULL);
  if (code != CL_SUCCESS) {
    print_build_log(own);
    return fail(code, "clBuildProgram");
  }
  own->kernel = clCreateKernel(own->program, own->launch.kernel, &code);
  return code == CL_SUCCESS ? EXIT_CODE_OK : fail(code, "clCreateKernel");
}

static exit_code set_argument(replay *own, cl_uint number) {
  const captured_argument *const argument = &own->launch.arguments[number];
  cl_int code = CL_SUCCESS;
  if (argument->kind == CAPTURED_BUFFER) {
    if (argument->before == NULL) {
      return report(EXIT_CODE_BAD_INPUT, "argument %u was captured without its contents",
                    (unsigned)number);
    }
    cl_mem *const buffer = &own->buffers[number];
    *buffer = clCreateBuffer(own->context, CL_MEM_READ_WRITE, argument->bytes, NULL, &code);
    if (code == CL_SUCCESS) {
      code = clSetKernelArg(own->kernel, number, sizeof *buffer, buffer);
    }
  } else {
    code = clSetKernelArg(own->kernel, number, argument->bytes,
                          argument->kind == CAPTURED_LOCAL ? NULL : argument->value);
  }
  return code == CL_SUCCESS ? EXIT_CODE_OK
                            : report(EXIT_CODE_FAILURE, "argument %u of %zu bytes: OpenCL error %d",
                                     (unsigned)number, argument->bytes, (int)code);
}

static exit_code set_arguments(replay *own) {
  exit_code code = EXIT_CODE_OK;
  for (cl_uint i = 0; i < own->launch.argument_count && code == EXIT_CODE_OK; ++i) {
    code = set_argument(own, i);
  }
  return code;
}

static void clean_up(replay *own) {
  for (size_t i = 0; i < CAPTURED_MOST_ARGUMENTS; ++i) {
    if (own->buffers[i] != NULL) {
      clReleaseMemObject(own->buffers[i]);
    }
  }
  if (own->kernel != NULL) {
    clReleaseKernel(own->kernel);
  }
  if (own->program != NULL) {
    clReleaseProgram(own->program);
  }
  if (own->queue != NULL) {
    clReleaseCommandQueue(own->queue);
  }
  relayout_device_destroy(own->device);
  captured_launch_free(&own->launch);
}

/* ---- Run ---- */

/* All buffers as the launch found them. */
static cl_int restore(const replay *own) {
  cl_int code = CL_SUCCESS;
  for (size_t i = 0; i < own->launch.argument_count && code == CL_SUCCESS; ++i) {
    const captured_argument *const argument = &own->launch.arguments[i];
    if (own->buffers[i] != NULL) {
      code = clEnqueueWriteBuffer(own->queue, own->buffers[i], CL_TRUE, 0, argument->bytes,
                                  argument->before, 0, NULL, NULL);
    }
  }
  return code;
}

static cl_int seconds_of(cl_event event, double *seconds) {
  cl_ulong start = 0;
  cl_ulong end = 0;
  cl_int code =
      clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
  if (code == CL_SUCCESS) {
    code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
  }
  *seconds = (double)(end - start) * 1e-9;
  return code;
}

static cl_int run_once(const replay *own, double *seconds) {
  const captured_launch *const launch = &own->launch;
  cl_event event = NULL;
  cl_int code = restore(own);
  if (code == CL_SUCCESS) {
    code = clEnqueueNDRangeKernel(own->queue, own->kernel, 3, NULL, launch->global, launch->local,
                                  0, NULL, &event);
  }
  if (code == CL_SUCCESS) {
    code = clWaitForEvents(1, &event);
  }
  if (code == CL_SUCCESS) {
    code = seconds_of(event, seconds);
  }
  if (event != NULL) {
    clReleaseEvent(event);
  }
  return code;
}

/* ---- Compared ---- */

/* Whether a buffer is as it was when the launch was captured; if not, says where. */
static bool is_as_expected(size_t number, const unsigned char *expected, const unsigned char *found,
                           size_t size) {
  size_t different = 0;
  size_t first = 0;
  for (size_t i = size; i-- > 0;) {
    if (expected[i] != found[i]) {
      ++different;
      first = i;
    }
  }
  if (different > 0) {
    report_line("argument %zu: %zu of %zu bytes differ, the first at %zu: 0x%02x, not 0x%02x",
                number, different, size, first, found[first], expected[first]);
  }
  return different == 0;
}

static exit_code compare(const replay *own) {
  exit_code code = EXIT_CODE_OK;
  for (size_t i = 0; i < own->launch.argument_count; ++i) {
    const captured_argument *const argument = &own->launch.arguments[i];
    if (own->buffers[i] == NULL) {
      continue;
    }
    unsigned char *const found = malloc(argument->bytes + 1);
    const cl_int status = found == NULL
                              ? CL_OUT_OF_HOST_MEMORY
                              : clEnqueueReadBuffer(own->queue, own->buffers[i], CL_TRUE, 0,
                                                    argument->bytes, found, 0, NULL, NULL);
    if (status != CL_SUCCESS) {
      free(found);
      return fail(status, "reading a buffer");
    }
    const unsigned char *const expected =
        argument->after != NULL ? argument->after : argument->before;
    if (!is_as_expected(i, expected, found, argument->bytes)) {
      code = EXIT_CODE_DIFFERENT;
    }
    free(found);
  }
  return code;
}

/* ---- Timed ---- */

/* What the launch's case reads and writes; 0 where its shapes are not known. */
static size_t bytes_of(const captured_launch *launch) {
  bench_case of = {.is_generic = false};
  return relayout_shape_parse(launch->from, &of.from, NULL) == RELAYOUT_OK &&
                 relayout_shape_parse(launch->to, &of.to, NULL) == RELAYOUT_OK
             ? bench_case_bytes(&of)
             : 0;
}

static exit_code time_and_compare(const replay *own, size_t repeat) {
  double *const times = malloc(repeat * sizeof *times);
  if (times == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for %zu times", repeat);
  }
  exit_code code = EXIT_CODE_OK;
  for (size_t i = 0; i < repeat && code == EXIT_CODE_OK; ++i) {
    const cl_int status = run_once(own, &times[i]);
    code = status == CL_SUCCESS ? compare(own) : fail(status, "the launch");
  }
  if (code == EXIT_CODE_OK) {
    const double median = statistics_median(times, repeat);
    printf("%s\t%.3f us\t%.3f GB/s\t%s -> %s\n", own->launch.kernel, median * 1e6,
           median > 0 ? (double)bytes_of(&own->launch) / median * 1e-9 : 0, own->launch.from,
           own->launch.to);
  }
  free(times);
  return code;
}

/* ---- The command line ---- */

static exit_code run(const char *folder, const char *device, size_t repeat) {
  static replay own;
  exit_code code = captured_launch_read(folder, &own.launch);
  if (code == EXIT_CODE_OK) {
    code = open_device(device, &own);
  }
  if (code == EXIT_CODE_OK) {
    code = build(&own);
  }
  if (code == EXIT_CODE_OK) {
    code = set_arguments(&own);
  }
  if (code == EXIT_CODE_OK) {
    code = time_and_compare(&own, repeat);
  }
  clean_up(&own);
  return code;
}

static exit_code report_usage(const char *what) {
  return report(EXIT_CODE_USAGE, "%s; try 'replay_launch --help'", what);
}

int main(int count, char **values) {
  static const struct option options[] = {{"device", required_argument, NULL, 'd'},
                                          {"repeat", required_argument, NULL, 'r'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
  const char *device = "opencl";
  uint64_t repeat = REPEAT;
  report_set_command("replay_launch");
  for (int option; (option = getopt_long(count, values, "", options, NULL)) != -1;) {
    exit_code code = EXIT_CODE_OK;
    if (option == 'h') {
      fputs(help, stdout);
      return EXIT_CODE_OK;
    } else if (option == 'd') {
      device = optarg;
    } else if (option == 'r') {
      code = arguments_read_unsigned("--repeat", optarg, &repeat);
    } else {
      code = report_usage("there is no such option");
    }
    if (code != EXIT_CODE_OK) {
      return code;
    }
  }
  if (optind + 1 != count || repeat < 1 || repeat > MOST_REPEAT) {
    return report_usage("wants one LAUNCH_FOLDER, and 1 to 1000000 repetitions");
  }
  return run(values[optind], device, (size_t)repeat);
}
