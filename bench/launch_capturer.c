/* launch_capturer.c: an OpenCL driver before another, which notes what programs and kernels are
 * made of. */
#include "launch_capturer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/cl.h"

static struct {
  bool runs;
  launch_visitor *visitor;
  void *context;
} capturer;

void launch_capturer_begin(bool runs, launch_visitor *visitor, void *context) {
  capturer.runs = runs;
  capturer.visitor = visitor;
  capturer.context = context;
}

/* The call that stands before another, and that other one. */
#define WRAPPER(result, name, parameters)                                                          \
  result __real_##name parameters;                                                                 \
  result __wrap_##name parameters;                                                                 \
  result __wrap_##name parameters

/* ---- Buffers ---- */

/* What is known of a buffer. Values that are as wide as a handle are told from buffers by whether
 * they are here. */
typedef struct buffer {
  struct buffer *next;
  cl_mem real;
  size_t size;
} buffer;

static buffer *buffers;

static buffer **find_buffer(cl_mem real) {
  buffer **at = &buffers;
  while (*at != NULL && (*at)->real != real) {
    at = &(*at)->next;
  }
  return at;
}

WRAPPER(cl_mem, clCreateBuffer,
        (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code)) {
  const size_t taken = capturer.runs || host != NULL || size == 0 ? size : 1;
  buffer *const made = malloc(sizeof *made);
  if (made == NULL) {
    *code = CL_OUT_OF_HOST_MEMORY;
    return NULL;
  }
  const cl_mem real = __real_clCreateBuffer(context, flags, taken, host, code);
  if (real == NULL) {
    free(made);
    return NULL;
  }
  *made = (buffer){.next = buffers, .real = real, .size = size};
  buffers = made;
  return real;
}

/* Whoever makes buffers here holds them once. */
WRAPPER(cl_int, clReleaseMemObject, (cl_mem released)) {
  buffer **const at = find_buffer(released);
  if (*at != NULL) {
    buffer *const gone = *at;
    *at = gone->next;
    free(gone);
  }
  return __real_clReleaseMemObject(released);
}

WRAPPER(cl_int, clGetMemObjectInfo,
        (cl_mem of, cl_mem_info what, size_t size, void *value, size_t *given)) {
  const buffer *const known = *find_buffer(of);
  if (known != NULL && what == CL_MEM_SIZE && size == sizeof known->size && value != NULL) {
    memcpy(value, &known->size, size);
    return CL_SUCCESS;
  }
  return __real_clGetMemObjectInfo(of, what, size, value, given);
}

/* ---- Programs ---- */

typedef struct program {
  int holders;
  cl_program real; /* NULL where nothing is compiled */
  char *source;
  char options[CAPTURED_OPTIONS_SIZE];
} program;

WRAPPER(cl_int, clReleaseProgram, (cl_program released)) {
  program *const held = (program *)released;
  cl_int code = CL_SUCCESS;
  if (--held->holders > 0) {
    return code;
  }
  if (held->real != NULL) {
    code = __real_clReleaseProgram(held->real);
  }
  free(held->source);
  free(held);
  return code;
}

WRAPPER(cl_int, clRetainProgram, (cl_program held)) {
  ++((program *)held)->holders;
  return CL_SUCCESS;
}

/* All strings as one; NULL without memory. */
static char *join(cl_uint count, const char **strings, const size_t *lengths) {
  char *text = NULL;
  size_t size = 0;
  FILE *const file = open_memstream(&text, &size);
  for (cl_uint i = 0; i < count && file != NULL; ++i) {
    const bool is_counted = lengths != NULL && lengths[i] > 0;
    fwrite(strings[i], 1, is_counted ? lengths[i] : strlen(strings[i]), file);
  }
  if (file == NULL || fclose(file) != 0) {
    free(text);
    return NULL;
  }
  return text;
}

WRAPPER(cl_program, clCreateProgramWithSource,
        (cl_context context, cl_uint count, const char **strings, const size_t *lengths,
         cl_int *code)) {
  program *const made = calloc(1, sizeof *made);
  if (made == NULL || (made->source = join(count, strings, lengths)) == NULL) {
    free(made);
    *code = CL_OUT_OF_HOST_MEMORY;
    return NULL;
  }
  made->holders = 1;
  *code = CL_SUCCESS;
  if (capturer.runs) {
    made->real = __real_clCreateProgramWithSource(context, count, strings, lengths, code);
  }
  if (*code != CL_SUCCESS) {
    __wrap_clReleaseProgram((cl_program)made);
    return NULL;
  }
  return (cl_program)made;
}

WRAPPER(cl_int, clBuildProgram,
        (cl_program built, cl_uint count, const cl_device_id *devices, const char *options,
         void(CL_CALLBACK *done)(cl_program, void *), void *context)) {
  program *const made = (program *)built;
  const int length = snprintf(made->options, sizeof made->options, "%s", options);
  if (length >= (int)sizeof made->options) {
    return CL_INVALID_BUILD_OPTIONS;
  }
  return made->real == NULL
             ? CL_SUCCESS
             : __real_clBuildProgram(made->real, count, devices, options, done, context);
}

WRAPPER(cl_int, clGetProgramBuildInfo,
        (cl_program of, cl_device_id device, cl_program_build_info what, size_t size, void *value,
         size_t *given)) {
  const program *const made = (const program *)of;
  return made->real == NULL
             ? CL_INVALID_PROGRAM
             : __real_clGetProgramBuildInfo(made->real, device, what, size, value, given);
}

/* ---- Kernels ---- */

typedef struct set_argument {
  captured_kind kind;
  size_t bytes;
  cl_mem buffer;
  unsigned char value[CAPTURED_MOST_VALUE_BYTES];
} set_argument;

typedef struct kernel {
  cl_kernel real; /* NULL where nothing is compiled */
  program *of;
  char name[CAPTURED_KERNEL_SIZE];
  cl_uint argument_count;
  set_argument arguments[CAPTURED_MOST_ARGUMENTS];
} kernel;

WRAPPER(cl_kernel, clCreateKernel, (cl_program from, const char *name, cl_int *code)) {
  program *const of = (program *)from;
  kernel *const made = calloc(1, sizeof *made);
  *code = made == NULL ? CL_OUT_OF_HOST_MEMORY : CL_SUCCESS;
  if (made != NULL && of->real != NULL) {
    made->real = __real_clCreateKernel(of->real, name, code);
  }
  if (*code != CL_SUCCESS) {
    free(made);
    return NULL;
  }
  snprintf(made->name, sizeof made->name, "%s", name);
  made->of = of;
  ++of->holders;
  return (cl_kernel)made;
}

WRAPPER(cl_int, clReleaseKernel, (cl_kernel released)) {
  kernel *const held = (kernel *)released;
  const cl_int code = held->real == NULL ? CL_SUCCESS : __real_clReleaseKernel(held->real);
  __wrap_clReleaseProgram((cl_program)held->of);
  free(held);
  return code;
}

WRAPPER(cl_int, clGetKernelWorkGroupInfo,
        (cl_kernel of, cl_device_id device, cl_kernel_work_group_info what, size_t size,
         void *value, size_t *given)) {
  const cl_kernel real = ((const kernel *)of)->real;
  if (real != NULL) {
    return __real_clGetKernelWorkGroupInfo(real, device, what, size, value, given);
  }
  /* Nobody knows before it is compiled: as many as the device can have. */
  return what == CL_KERNEL_WORK_GROUP_SIZE
             ? clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, size, value, given)
             : CL_INVALID_VALUE;
}

static set_argument argument_of(size_t size, const void *value) {
  set_argument made = {.kind = value == NULL ? CAPTURED_LOCAL : CAPTURED_VALUE, .bytes = size};
  if (value != NULL) {
    memcpy(made.value, value, size);
  }
  if (value != NULL && size == sizeof made.buffer) {
    cl_mem handle;
    memcpy(&handle, value, sizeof handle);
    const buffer *const known = *find_buffer(handle);
    if (known != NULL) {
      made = (set_argument){.kind = CAPTURED_BUFFER, .bytes = known->size, .buffer = handle};
    }
  }
  return made;
}

WRAPPER(cl_int, clSetKernelArg, (cl_kernel of, cl_uint number, size_t size, const void *value)) {
  kernel *const set = (kernel *)of;
  if (number >= CAPTURED_MOST_ARGUMENTS || (value != NULL && size > CAPTURED_MOST_VALUE_BYTES)) {
    return CL_OUT_OF_RESOURCES; /* more than a captured launch holds */
  }
  set->arguments[number] = argument_of(size, value);
  set->argument_count = number >= set->argument_count ? number + 1 : set->argument_count;
  return set->real == NULL ? CL_SUCCESS : __real_clSetKernelArg(set->real, number, size, value);
}

/* ---- Launches ---- */

static cl_int read_buffer(cl_command_queue queue, const set_argument *of, unsigned char **bytes) {
  *bytes = malloc(of->bytes + 1);
  return *bytes == NULL
             ? CL_OUT_OF_HOST_MEMORY
             : clEnqueueReadBuffer(queue, of->buffer, CL_TRUE, 0, of->bytes, *bytes, 0, NULL, NULL);
}

static cl_int read_before(cl_command_queue queue, const kernel *of, captured_launch *launch) {
  cl_int code = CL_SUCCESS;
  for (cl_uint i = 0; i < of->argument_count && code == CL_SUCCESS; ++i) {
    if (of->arguments[i].kind == CAPTURED_BUFFER) {
      code = read_buffer(queue, &of->arguments[i], &launch->arguments[i].before);
    }
  }
  return code;
}

/* Of the buffers that the launch has changed. */
static cl_int read_after(cl_command_queue queue, const kernel *of, captured_launch *launch) {
  cl_int code = CL_SUCCESS;
  for (cl_uint i = 0; i < of->argument_count && code == CL_SUCCESS; ++i) {
    captured_argument *const read = &launch->arguments[i];
    if (read->before == NULL) {
      continue;
    }
    code = read_buffer(queue, &of->arguments[i], &read->after);
    if (code == CL_SUCCESS && memcmp(read->before, read->after, read->bytes) == 0) {
      free(read->after);
      read->after = NULL;
    }
  }
  return code;
}

/* What is known before the launch. Its source is the program's still. */
static void describe(const kernel *of, cl_uint dimensions, const size_t *global,
                     const size_t *local, captured_launch *launch) {
  snprintf(launch->kernel, sizeof launch->kernel, "%s", of->name);
  snprintf(launch->options, sizeof launch->options, "%s", of->of->options);
  launch->source = of->of->source;
  for (cl_uint d = 0; d < 3; ++d) {
    launch->global[d] = d < dimensions ? global[d] : 1;
    launch->local[d] = d < dimensions ? local[d] : 1;
  }
  launch->argument_count = of->argument_count;
  for (cl_uint i = 0; i < of->argument_count; ++i) {
    captured_argument *const argument = &launch->arguments[i];
    argument->kind = of->arguments[i].kind;
    argument->bytes = of->arguments[i].bytes;
    memcpy(argument->value, of->arguments[i].value, sizeof argument->value);
  }
}

WRAPPER(cl_int, clEnqueueNDRangeKernel,
        (cl_command_queue queue, cl_kernel of, cl_uint dimensions, const size_t *offsets,
         const size_t *global, const size_t *local, cl_uint n_wait, const cl_event *wait,
         cl_event *event)) {
  const kernel *const launched = (const kernel *)of;
  captured_launch *const launch = calloc(1, sizeof *launch);
  if (launch == NULL || offsets != NULL || local == NULL || (!capturer.runs && event != NULL)) {
    free(launch);
    return launch == NULL ? CL_OUT_OF_HOST_MEMORY : CL_INVALID_OPERATION;
  }
  describe(launched, dimensions, global, local, launch);
  cl_int code = CL_SUCCESS;
  if (capturer.runs) {
    code = read_before(queue, launched, launch);
    if (code == CL_SUCCESS) {
      code = __real_clEnqueueNDRangeKernel(queue, launched->real, dimensions, offsets, global,
                                           local, n_wait, wait, event);
    }
    if (code == CL_SUCCESS) {
      code = read_after(queue, launched, launch);
    }
  }
  if (code == CL_SUCCESS && capturer.visitor(capturer.context, launch) != EXIT_CODE_OK) {
    code = CL_OUT_OF_RESOURCES;
  }
  launch->source = NULL;
  captured_launch_free(launch);
  free(launch);
  return code;
}
