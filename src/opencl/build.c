/* build.c: from the embedded sources and a few options to a built program, once for each device. */
#include "opencl/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/assembly_tables.h"
#include "opencl/cl_error.h"
#include "opencl/kernel_source.h"

struct rlt_build {
  struct rlt_build *next;
  rlt_build_options options;
  cl_program program;
};

static const char *source_named(const char *name) {
  for (const rlt_kernel_source *source = rlt_kernel_sources; source->name != NULL; ++source) {
    if (strcmp(source->name, name) == 0) {
      return source->text;
    }
  }
  return NULL;
}

/* A strategy's kernel is in a file for each family, or in one for both. */
static const char *strategy_source(relayout_strategy strategy, bool direct) {
  char name[32];
  snprintf(name, sizeof name, "%s_%s", direct ? "direct" : "staged",
           relayout_strategy_name(strategy));
  const char *const source = source_named(name);
  return source != NULL ? source : source_named(relayout_strategy_name(strategy));
}

static bool same(const rlt_build_options *a, const rlt_build_options *b) {
  return a->strategy == b->strategy && a->family == b->family && a->word_bytes == b->word_bytes &&
         a->wide == b->wide && a->group_size == b->group_size && a->prefetches == b->prefetches &&
         a->assembles == b->assembles && a->transpose_side == b->transpose_side;
}

static relayout_status build_failure(cl_program program, cl_device_id id, cl_int code,
                                     const char *name, relayout_error *error) {
  size_t size = 0;
  clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
  char *const log = calloc(1, size + 1);
  if (log != NULL) {
    clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
  }
  rlt_fail_cl(error, code, "clBuildProgram for kernel %s failed: %s (%d)\n%s", name,
              rlt_cl_error_name(code), (int)code, log == NULL ? "" : log);
  free(log);
  return RELAYOUT_OPENCL_ERROR;
}

static relayout_status build(const rlt_opencl_device *device, const rlt_build_options *options,
                             cl_program *program, relayout_error *error) {
  const char *const name = relayout_strategy_name(options->strategy);
  const bool direct = options->family == RELAYOUT_KERNELS_DIRECT;
  const char *const sources[] = {source_named("tile"), direct ? source_named("line") : "",
                                 options->assembles ? source_named("assembly") : "",
                                 strategy_source(options->strategy, direct)};
  cl_int code = CL_SUCCESS;
  const cl_program made =
      clCreateProgramWithSource(device->context, 4, (const char **)sources, NULL, &code);
  if (made == NULL) {
    return rlt_cl_fail(error, code, "clCreateProgramWithSource");
  }
  char text[192];
  snprintf(text, sizeof text,
           "-cl-std=CL1.2 -DWORD_BYTES=%d -DWIDE=%d -DDIRECT=%d -DGROUP=%d -DTILE=%d "
           "-DASSEMBLES=%d -DASSEMBLY_BYTES=%d"
           " -DPREFETCHES=%d",
           (int)options->word_bytes, options->wide, direct, (int)options->group_size,
           (int)options->transpose_side, options->assembles, RLT_ASSEMBLY_BYTES,
           options->prefetches);
  code = clBuildProgram(made, 1, &device->id, text, NULL, NULL);
  if (code != CL_SUCCESS) {
    const relayout_status status = build_failure(made, device->id, code, name, error);
    clReleaseProgram(made);
    return status;
  }
  *program = made;
  return RELAYOUT_OK;
}

/* Under the device's lock. */
static relayout_status find_or_build(rlt_opencl_device *device, const rlt_build_options *options,
                                     cl_program *program, relayout_error *error) {
  for (const struct rlt_build *entry = device->builds; entry != NULL; entry = entry->next) {
    if (same(&entry->options, options)) {
      *program = entry->program;
      return RELAYOUT_OK;
    }
  }
  struct rlt_build *const entry = malloc(sizeof *entry);
  if (entry == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a cached program");
  }
  const relayout_status status = build(device, options, program, error);
  if (status != RELAYOUT_OK) {
    free(entry);
    return status;
  }
  *entry = (struct rlt_build){device->builds, *options, *program};
  device->builds = entry;
  return RELAYOUT_OK;
}

relayout_status rlt_build_get(rlt_opencl_device *device, const rlt_build_options *options,
                              cl_program *program, relayout_error *error) {
  pthread_mutex_lock(&device->build_lock);
  const relayout_status status = find_or_build(device, options, program, error);
  if (status == RELAYOUT_OK) {
    clRetainProgram(*program);
  }
  pthread_mutex_unlock(&device->build_lock);
  return status;
}

size_t rlt_build_count(rlt_opencl_device *device) {
  size_t count = 0;
  pthread_mutex_lock(&device->build_lock);
  for (const struct rlt_build *entry = device->builds; entry != NULL; entry = entry->next) {
    ++count;
  }
  pthread_mutex_unlock(&device->build_lock);
  return count;
}

void rlt_builds_release(rlt_opencl_device *device) {
  while (device->builds != NULL) {
    struct rlt_build *const entry = device->builds;
    device->builds = entry->next;
    clReleaseProgram(entry->program);
    free(entry);
  }
}
