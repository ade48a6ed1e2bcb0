/* Stands before the driver's clCreateProgramWithSource. Depends on OpenCL. */
#include "conformance/program_count.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

typedef CL_API_ENTRY cl_program(CL_API_CALL *create_function)(cl_context context, cl_uint count,
                                                              const char **strings,
                                                              const size_t *lengths, cl_int *code);

static atomic_size_t created;

size_t program_count(void) {
  return atomic_load(&created);
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count,
                                                              const char **strings,
                                                              const size_t *lengths, cl_int *code) {
  atomic_fetch_add(&created, 1);
  void *const found = dlsym(RTLD_NEXT, "clCreateProgramWithSource");
  create_function create = NULL;
  memcpy(&create, &found, sizeof create); /* C has no cast from an object's pointer to it */
  return create(context, count, strings, lengths, code);
}
