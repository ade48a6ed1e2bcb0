/* build.c: from the embedded sources and a few options to a built program, once for each device,
 * and from the disk where an earlier process left it. */
#include "opencl/build.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/threads.h"
#include "opencl/calls.h"
#include "opencl/cl_error.h"

/* What a program is made from, which is all that it is known by: options that compile alike are
 * one. The files before the kernel's follow from these. */
typedef struct recipe {
  rlt_kernel kernel;
  const char *text; /* that was written for one plan; NULL: none was */
  char options[RLT_KERNEL_OPTIONS_SIZE];
} recipe;

struct rlt_build {
  struct rlt_build *next;
  recipe recipe;
  cl_program program; /* NULL while a thread builds it */
  bool kept;          /* in a file */
};

static relayout_status build_failure(cl_program program, cl_device_id id, cl_int code,
                                     const char *name, relayout_error *error) {
  size_t size = 0;
  clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
  char *const log = rlt_calloc(1, size + 1);
  if (log != NULL) {
    clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
  }
  const relayout_status status =
      rlt_fail_cl_with_log(error, code, "clBuildProgram for kernel %s failed: %s (%d)\n%s", name,
                           rlt_cl_error_name(code), (int)code, log == NULL ? "" : log);
  rlt_log(RELAYOUT_LOG_ERROR, "clBuildProgram for kernel %s failed: %s (%d)\n%s", name,
          rlt_cl_error_name(code), (int)code, log == NULL ? "" : log);
  rlt_free(log);
  return status;
}

/* Drivers may print warnings, such as which loops they could not turn into
 * vectors; nobody asked for these. */
static recipe recipe_of(const rlt_opencl_device *device, const rlt_kernel_options *options) {
  recipe made = {.kernel = options->kernel, .text = options->text};
  rlt_text text = rlt_text_in(made.options, sizeof made.options);
  rlt_text_add(&text, "-cl-std=CL1.2 -w");
  rlt_kernel_add_options(options, device->grid_axis, device->native, &text);
  return made;
}

/* The key in a file of what is built for these options. */
static rlt_disk_key key_of(const rlt_opencl_device *device, const rlt_kernel_options *options,
                           const recipe *wanted) {
  rlt_disk_key key;
  memcpy(key.strings, device->key_strings, sizeof device->key_strings);
  key.strings[RLT_KEY_OPTIONS] = wanted->options;
  rlt_kernel_sources_of(options, &key.strings[RLT_KEY_SOURCES]);
  return key;
}

/* ---- From and to files ---- */

static bool is_of_kernel(cl_program program, const char *name) {
  char names[32] = "";
  return clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL) ==
             CL_SUCCESS &&
         strcmp(names, name) == 0;
}

/* The program of a kept binary; NULL where there is none, or none that the driver takes. */
static cl_program load(const rlt_opencl_device *device, const rlt_disk_key *key, const char *name) {
  unsigned char *binary = NULL;
  size_t size = 0;
  if (!device->keeps_programs || !rlt_disk_cache_load(&device->disk_cache, key, &binary, &size)) {
    return NULL;
  }
  const cl_program made = clCreateProgramWithBinary(device->context, 1, &device->id, &size,
                                                    (const unsigned char **)&binary, NULL, NULL);
  rlt_free(binary);
  if (made == NULL) {
    return NULL;
  }
  if (clBuildProgram(made, 1, &device->id, key->strings[RLT_KEY_OPTIONS], NULL, NULL) !=
          CL_SUCCESS ||
      !is_of_kernel(made, name)) {
    clReleaseProgram(made);
    return NULL;
  }
  return made;
}

/* Where the device stands among those of its context, which its programs are for too. */
static bool find_device(cl_program program, cl_device_id id, size_t *count, size_t *number) {
  cl_device_id *ids = NULL;
  size_t size = 0;
  if (clGetProgramInfo(program, CL_PROGRAM_DEVICES, 0, NULL, &size) != CL_SUCCESS ||
      (ids = rlt_malloc(size)) == NULL) {
    return false;
  }
  *count = size / sizeof ids[0];
  *number = *count;
  if (clGetProgramInfo(program, CL_PROGRAM_DEVICES, size, ids, NULL) == CL_SUCCESS) {
    for (*number = 0; *number < *count && ids[*number] != id; ++*number) {
    }
  }
  rlt_free(ids);
  return *number < *count;
}

static void store(const rlt_opencl_device *device, const rlt_disk_key *key, cl_program program) {
  size_t count = 0;
  size_t number = 0;
  if (!find_device(program, device->id, &count, &number)) {
    return;
  }
  size_t *const sizes = rlt_calloc(count, sizeof *sizes);
  unsigned char **const binaries = rlt_calloc(count, sizeof *binaries);
  if (sizes != NULL && binaries != NULL &&
      clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, count * sizeof *sizes, sizes, NULL) ==
          CL_SUCCESS &&
      sizes[number] > 0 && (binaries[number] = rlt_malloc(sizes[number])) != NULL &&
      clGetProgramInfo(program, CL_PROGRAM_BINARIES, count * sizeof *binaries, binaries, NULL) ==
          CL_SUCCESS) {
    rlt_disk_cache_store(&device->disk_cache, key, binaries[number], sizes[number]);
  }
  if (binaries != NULL) {
    rlt_free(binaries[number]);
  }
  rlt_free(binaries);
  rlt_free(sizes);
}

/* ---- Building ---- */

static relayout_status compile(const rlt_opencl_device *device, const rlt_disk_key *key,
                               const char *name, cl_program *program, relayout_error *error) {
  cl_int code = CL_SUCCESS;
  const cl_program made =
      clCreateProgramWithSource(device->context, RLT_KEY_SOURCE_COUNT,
                                (const char **)&key->strings[RLT_KEY_SOURCES], NULL, &code);
  if (made == NULL) {
    return rlt_cl_fail(error, code, "clCreateProgramWithSource");
  }
  code = clBuildProgram(made, 1, &device->id, key->strings[RLT_KEY_OPTIONS], NULL, NULL);
  if (code != CL_SUCCESS) {
    const relayout_status status = build_failure(made, device->id, code, name, error);
    clReleaseProgram(made);
    return status;
  }
  *program = made;
  return RELAYOUT_OK;
}

/* The program for these options, from a file or compiled; which of them is counted. */
static relayout_status build_here(const rlt_opencl_device *device,
                                  const rlt_kernel_options *options, const recipe *wanted,
                                  cl_program *program, rlt_build_counts *counts,
                                  relayout_error *error) {
  const rlt_disk_key key = key_of(device, options, wanted);
  char name[RLT_KERNEL_NAME_SIZE];
  rlt_kernel_function(options, name);
  *program = load(device, &key, name);
  counts->loaded = *program != NULL;
  if (*program != NULL) {
    return RELAYOUT_OK;
  }
  const double start = rlt_seconds();
  const relayout_status status = compile(device, &key, name, program, error);
  counts->compiled = status == RELAYOUT_OK;
  if (status == RELAYOUT_OK) {
    rlt_log(RELAYOUT_LOG_INFO, "%s: compiled kernel %s in %d ms: %s", device->base.info.description,
            name, (int)(1000 * (rlt_seconds() - start)), wanted->options);
  }
  return status;
}

typedef struct build_call {
  const rlt_opencl_device *device;
  const rlt_kernel_options *options;
  const recipe *wanted;
  cl_program *program;
  rlt_build_counts *counts;
  relayout_error *error;
  relayout_status status;
} build_call;

static void make_build_call(void *argument) {
  build_call *const made = argument;
  made->status = build_here(made->device, made->options, made->wanted, made->program, made->counts,
                            made->error);
}

/* Compilers take more of the stack than the caller's may have. */
static relayout_status build(const rlt_opencl_device *device, const rlt_kernel_options *options,
                             const recipe *wanted, cl_program *program, rlt_build_counts *counts,
                             relayout_error *error) {
  build_call made = {device, options, wanted, program, counts, error, RELAYOUT_OK};
  rlt_run_on_large_stack(make_build_call, &made);
  return made.status;
}

/* ---- The list: these functions are called under the device's lock ---- */

static struct rlt_build *find(rlt_opencl_device *device, const recipe *wanted) {
  struct rlt_build *entry = device->builds;
  while (entry != NULL && (entry->recipe.kernel != wanted->kernel ||
                           strcmp(entry->recipe.options, wanted->options) != 0)) {
    entry = entry->next;
  }
  return entry;
}

static void take_out(rlt_opencl_device *device, struct rlt_build *entry) {
  struct rlt_build **at = &device->builds;
  while (*at != entry) {
    at = &(*at)->next;
  }
  *at = entry->next;
  rlt_free(entry);
}

/* Lets go of the lock while it builds, so that threads which want other programs go on; those that
 * want this one wait for it. */
static relayout_status add(rlt_opencl_device *device, const rlt_kernel_options *options,
                           const recipe *wanted, struct rlt_build **added, relayout_error *error) {
  struct rlt_build *const entry = rlt_malloc(sizeof *entry);
  if (entry == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a cached program");
  }
  *entry = (struct rlt_build){.next = device->builds, .recipe = *wanted};
  device->builds = entry;
  cl_program program = NULL;
  rlt_build_counts counts = {0, 0};
  pthread_mutex_unlock(&device->build_lock);
  const relayout_status status = build(device, options, wanted, &program, &counts, error);
  pthread_mutex_lock(&device->build_lock);
  pthread_cond_broadcast(&device->build_ended);
  device->build_counts.compiled += counts.compiled;
  device->build_counts.loaded += counts.loaded;
  if (status != RELAYOUT_OK) {
    take_out(device, entry);
    return status;
  }
  entry->program = program;
  entry->kept = counts.loaded > 0;
  *added = entry;
  return RELAYOUT_OK;
}

/* Where another thread's build fails, this one tries, and has an error of its own. */
static relayout_status find_or_add(rlt_opencl_device *device, const rlt_kernel_options *options,
                                   struct rlt_build **found, relayout_error *error) {
  const recipe wanted = recipe_of(device, options);
  *found = find(device, &wanted);
  while (*found != NULL && (*found)->program == NULL) {
    pthread_cond_wait(&device->build_ended, &device->build_lock);
    *found = find(device, &wanted);
  }
  return *found != NULL ? RELAYOUT_OK : add(device, options, &wanted, found, error);
}

static relayout_status retain(cl_program program, relayout_error *error) {
  const cl_int code = clRetainProgram(program);
  return code == CL_SUCCESS ? RELAYOUT_OK : rlt_cl_fail(error, code, "clRetainProgram");
}

/* ---- For the rest of the backend ---- */

/* One that no other plan will ask for, and that lives as long as its kernel. */
static relayout_status build_alone(rlt_opencl_device *device, const rlt_kernel_options *options,
                                   cl_program *program, relayout_error *error) {
  const recipe wanted = recipe_of(device, options);
  rlt_build_counts counts = {0, 0};
  const relayout_status status = build(device, options, &wanted, program, &counts, error);
  pthread_mutex_lock(&device->build_lock);
  device->build_counts.compiled += counts.compiled;
  device->build_counts.loaded += counts.loaded;
  pthread_mutex_unlock(&device->build_lock);
  return status;
}

relayout_status rlt_build_get(rlt_opencl_device *device, const rlt_kernel_options *options,
                              cl_program *program, relayout_error *error) {
  struct rlt_build *entry = NULL;
  if (options->text != NULL) {
    return build_alone(device, options, program, error);
  }
  pthread_mutex_lock(&device->build_lock);
  relayout_status status = find_or_add(device, options, &entry, error);
  if (status == RELAYOUT_OK) {
    status = retain(entry->program, error);
    *program = entry->program;
  }
  pthread_mutex_unlock(&device->build_lock);
  return status;
}

/* Whether the program is to be kept; nobody is told so twice. */
static bool claims_keeping(rlt_opencl_device *device, const recipe *of) {
  bool claims = device->keeps_programs;
  pthread_mutex_lock(&device->build_lock);
  struct rlt_build *const entry = find(device, of);
  if (of->text == NULL) {
    claims = claims && entry != NULL && entry->program != NULL && !entry->kept;
    if (claims) {
      entry->kept = true; /* or cannot be */
    }
  }
  pthread_mutex_unlock(&device->build_lock);
  return claims;
}

void rlt_build_keep(rlt_opencl_device *device, const rlt_kernel_options *options,
                    cl_program program) {
  const recipe wanted = recipe_of(device, options);
  if (claims_keeping(device, &wanted)) {
    const rlt_disk_key key = key_of(device, options, &wanted);
    store(device, &key, program);
  }
}

/* ---- Beginning and end ---- */

relayout_status rlt_builds_initialize(rlt_opencl_device *device, const char *cache_directory,
                                      relayout_error *error) {
  static const cl_uint questions[RLT_KEY_DEVICE_STRINGS] = {
      [RLT_KEY_PLATFORM_NAME] = CL_PLATFORM_NAME,
      [RLT_KEY_PLATFORM_VERSION] = CL_PLATFORM_VERSION,
      [RLT_KEY_DEVICE_NAME] = CL_DEVICE_NAME,
      [RLT_KEY_DEVICE_VENDOR] = CL_DEVICE_VENDOR,
      [RLT_KEY_DEVICE_VERSION] = CL_DEVICE_VERSION,
      [RLT_KEY_DRIVER_VERSION] = CL_DRIVER_VERSION};
  if (pthread_mutex_init(&device->build_lock, NULL) != 0) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a device's programs");
  }
  if (pthread_cond_init(&device->build_ended, NULL) != 0) {
    pthread_mutex_destroy(&device->build_lock);
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a device's programs");
  }
  rlt_disk_cache_open(cache_directory, &device->disk_cache);
  for (size_t i = 0; i < RLT_KEY_DEVICE_STRINGS; ++i) {
    if (rlt_opencl_device_text(device->id, questions[i], &device->key_strings[i], NULL) !=
        RELAYOUT_OK) {
      rlt_disk_cache_close(&device->disk_cache); /* nothing to know its programs by */
    }
  }
  device->keeps_programs = device->disk_cache.directory != NULL &&
                           (cache_directory != NULL || !device->driver_keeps_programs);
  return RELAYOUT_OK;
}

void rlt_builds_trim(relayout_device *device) {
  rlt_opencl_device *const own = (rlt_opencl_device *)device;
  pthread_mutex_lock(&own->build_lock);
  struct rlt_build **at = &own->builds;
  while (*at != NULL) {
    struct rlt_build *const entry = *at;
    if (entry->program == NULL) {
      at = &entry->next;
    } else {
      *at = entry->next;
      clReleaseProgram(entry->program);
      rlt_free(entry);
    }
  }
  pthread_mutex_unlock(&own->build_lock);
}

uint64_t rlt_builds_count(relayout_device *device) {
  rlt_opencl_device *const own = (rlt_opencl_device *)device;
  uint64_t count = 0;
  pthread_mutex_lock(&own->build_lock);
  for (const struct rlt_build *entry = own->builds; entry != NULL; entry = entry->next) {
    ++count;
  }
  pthread_mutex_unlock(&own->build_lock);
  return count;
}

void rlt_builds_release(rlt_opencl_device *device) {
  while (device->builds != NULL) {
    struct rlt_build *const entry = device->builds;
    device->builds = entry->next;
    clReleaseProgram(entry->program);
    rlt_free(entry);
  }
  rlt_disk_cache_close(&device->disk_cache);
  for (size_t i = 0; i < RLT_KEY_DEVICE_STRINGS; ++i) {
    rlt_free(device->key_strings[i]);
  }
  pthread_cond_destroy(&device->build_ended);
  pthread_mutex_destroy(&device->build_lock);
}
