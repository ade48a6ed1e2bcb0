/* entry_points.c: where the library has OpenCL's functions from. */
#include "opencl/entry_points.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/forks.h"
#include "relayout/opencl.h"

static const char loader_name[] = "libOpenCL.so.1";

_Atomic(const rlt_cl_functions *) rlt_cl;

typedef struct entry_point {
  const char *name;
  size_t offset; /* of its member in the table */
  bool is_needed;
} entry_point;

static const entry_point entry_points[] = {
#define ENTRY_POINT(name, is_needed) {#name, offsetof(rlt_cl_functions, name), is_needed},
    RLT_CL_FUNCTIONS(ENTRY_POINT)
#undef ENTRY_POINT
};

/* What `lookup` finds. `whose` begins the message about what is missing. */
static relayout_status find_all(relayout_opencl_lookup *lookup, void *context, const char *whose,
                                rlt_cl_functions *functions, relayout_error *error) {
  for (size_t i = 0; i < sizeof entry_points / sizeof *entry_points; ++i) {
    const entry_point *const wanted = &entry_points[i];
    void *const found = lookup(context, wanted->name);
    if (found == NULL && wanted->is_needed) {
      return rlt_fail(error, RELAYOUT_UNSUPPORTED, "%s has no %s", whose, wanted->name);
    }
    /* C does not convert objects' pointers to functions'. */
    memcpy((char *)functions + wanted->offset, &found, sizeof found);
  }
  return RELAYOUT_OK;
}

/* Puts these functions in use, unless others are; whether it is these now. */
static relayout_status put_in_use(const rlt_cl_functions *functions, bool *are_used,
                                  relayout_error *error) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static rlt_fork_guard guard = {.mutex = &mutex};
  static rlt_cl_functions table;
  if (!rlt_fork_guard_list(&guard)) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the table of OpenCL's functions");
  }
  pthread_mutex_lock(&mutex);
  if (rlt_cl == NULL) {
    table = *functions;
    rlt_cl = &table;
  }
  *are_used = memcmp(&table, functions, sizeof table) == 0;
  pthread_mutex_unlock(&mutex);
  return RELAYOUT_OK;
}

static void *find_in_library(void *library, const char *name) {
  return dlsym(library, name);
}

/* Loaders take the names of the drivers that they load from the environment (OCL_ICD_VENDORS): a
 * process with raised rights would run its caller's code. There, only a loader counts that the
 * program itself has loaded. */
static int flags_for_loader(void) {
  return rlt_has_raised_rights() ? RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD : RTLD_NOW | RTLD_LOCAL;
}

/* The library stays open: drivers' threads may outlive every use of it. */
relayout_status rlt_cl_load(relayout_error *error) {
  if (rlt_cl != NULL) {
    return RELAYOUT_OK;
  }
  void *const library = dlopen(loader_name, flags_for_loader());
  if (library == NULL && rlt_has_raised_rights()) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "a program with raised rights must load OpenCL (%s) itself or call "
                    "relayout_opencl_use: drivers are named by the caller's environment",
                    loader_name);
  }
  if (library == NULL) {
    const char *const reason = dlerror();
    return rlt_fail(
        error, RELAYOUT_UNSUPPORTED,
        "there is no OpenCL: %s cannot be loaded (%s), and relayout_opencl_use has not been called",
        loader_name, reason == NULL ? "unknown reason" : reason);
  }
  rlt_cl_functions functions;
  bool are_used = false; /* or what another thread has handed in meanwhile */
  const relayout_status status = find_all(find_in_library, library, loader_name, &functions, error);
  return status == RELAYOUT_OK ? put_in_use(&functions, &are_used, error) : status;
}

relayout_status relayout_opencl_use(relayout_opencl_lookup *lookup, void *context,
                                    relayout_error *error) {
  if (lookup == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "lookup is NULL");
  }
  rlt_cl_functions functions;
  bool are_used = false;
  relayout_status status = find_all(lookup, context, "lookup", &functions, error);
  if (status == RELAYOUT_OK) {
    status = put_in_use(&functions, &are_used, error);
  }
  return status != RELAYOUT_OK || are_used
             ? status
             : rlt_fail(error, RELAYOUT_UNSUPPORTED,
                        "lookup: other OpenCL functions are already in use; call "
                        "relayout_opencl_use before OpenCL devices are listed or opened");
}
