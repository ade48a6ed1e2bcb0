/* program_count.c: hands the library OpenCL's functions as this program has them, but for
 * clCreateProgramWithSource. Depends on OpenCL. */
#include "conformance/program_count.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 120
#include "relayout/opencl.h"

static atomic_size_t created;

size_t program_count(void) {
  return atomic_load(&created);
}

static cl_program CL_API_CALL create(cl_context context, cl_uint count, const char **strings,
                                     const size_t *lengths, cl_int *code) {
  atomic_fetch_add(&created, 1);
  return clCreateProgramWithSource(context, count, strings, lengths, code);
}

static void *find(void *context, const char *name) {
  (void)context;
  cl_program(CL_API_CALL * function)(cl_context, cl_uint, const char **, const size_t *, cl_int *) =
      create;
  if (strcmp(name, "clCreateProgramWithSource") != 0) {
    return dlsym(RTLD_DEFAULT, name);
  }
  void *address = NULL;
  memcpy(&address, &function, sizeof address); /* C has no cast from a function's pointer to it */
  return address;
}

relayout_status program_count_begin(relayout_error *error) {
  return relayout_opencl_use(find, NULL, error);
}
