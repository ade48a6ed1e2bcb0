/* test_entry_points.c: where OpenCL's functions come from: libOpenCL.so.1, which may be missing, or
 * the caller. A process decides it once, so each case has a process of its own. */
#include "cmocka_all.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include "opencl/device.h"
#include "opencl/entry_points.h"
#include "opencl/memory.h"
#include "relayout/relayout.h"

#define CHECK(condition)                                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                      \
      _exit(1);                                                                                    \
    }                                                                                              \
  } while (0)

/* ---- The loader as the library finds it ---- */

static const char *loader = "libOpenCL.so.1"; /* what is there under that name */
static atomic_int times_opened;

static unsigned long at_secure; /* what the system says of the process */

unsigned long __real_getauxval(unsigned long type);
unsigned long __wrap_getauxval(unsigned long type);
unsigned long __wrap_getauxval(unsigned long type) {
  return type == AT_SECURE ? at_secure : __real_getauxval(type);
}

void *__real_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags) {
  CHECK(strcmp(name, "libOpenCL.so.1") == 0);
  CHECK(((flags & RTLD_NOLOAD) != 0) == (at_secure != 0));
  atomic_fetch_add(&times_opened, 1);
  return __real_dlopen(loader, flags);
}

static bool memory_is_out;

int __real_pthread_atfork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));
int __wrap_pthread_atfork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));
int __wrap_pthread_atfork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void)) {
  return memory_is_out ? ENOMEM : __real_pthread_atfork(before, in_parent, in_child);
}

/* ---- A caller's own functions ---- */

static atomic_int times_asked;

static cl_int CL_API_CALL find_no_platform(cl_uint capacity, cl_platform_id *ids, cl_uint *count) {
  (void)capacity;
  (void)ids;
  *count = 0;
  atomic_fetch_add(&times_asked, 1);
  return CL_SUCCESS;
}

typedef struct own_functions {
  const char *lacks;
  int lookups;
} own_functions;

/* The same function for every name: without a platform only one is ever called. */
static void *find_own(void *context, const char *name) {
  own_functions *const own = context;
  ++own->lookups;
  if (own->lacks != NULL && strcmp(name, own->lacks) == 0) {
    return NULL;
  }
  __typeof__(clGetPlatformIDs) *const function = find_no_platform;
  void *address = NULL;
  memcpy(&address, &function, sizeof address);
  return address;
}

/* The functions that this program is linked with, `context` being the library's handle. */
static void *find_linked(void *context, const char *name) {
  return dlsym(context, name);
}

static void *find_no_svm(void *context, const char *name) {
  return strcmp(name, "clSetKernelArgSVMPointer") == 0 ? NULL : dlsym(context, name);
}

/* ---- What is there then ---- */

static size_t count_devices(void) {
  size_t count = 0;
  CHECK(relayout_device_list(NULL, 0, &count, NULL) == RELAYOUT_OK);
  return count;
}

/* What relayout_device_open says of a name. */
static relayout_status open_named(const char *name, relayout_error *error) {
  relayout_device *device = NULL;
  const relayout_status status = relayout_device_open(name, &device, error);
  if (status == RELAYOUT_OK) {
    relayout_device_destroy(device);
  }
  return status;
}

/* A context and a device that nothing may touch. */
static relayout_status open_handles(relayout_error *error) {
  static int handle;
  relayout_device *device = NULL;
  return relayout_opencl_device_create((cl_context)&handle, (cl_device_id)&handle, NULL, &device,
                                       error);
}

static void expect_no_opencl(const char *reason) {
  relayout_error error = {.message = "as it was"};
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  size_t count = 0;
  CHECK(relayout_device_list(&info, 1, &count, &error) == RELAYOUT_OK);
  CHECK(count == 1 && info.backend == RELAYOUT_BACKEND_CPU);
  CHECK(open_named("auto", &error) == RELAYOUT_OK);
  CHECK(strcmp(error.message, "as it was") == 0);
  CHECK(open_named("opencl", &error) == RELAYOUT_NO_DEVICE);
  CHECK(strstr(error.message, "no OpenCL platform") != NULL);
  CHECK(open_named("opencl:0:0", &error) == RELAYOUT_NO_DEVICE);
  CHECK(open_handles(&error) == RELAYOUT_UNSUPPORTED);
  CHECK(strstr(error.message, reason) != NULL);
  CHECK(rlt_cl == NULL);
}

/* ---- Each in a process of its own ---- */

typedef struct alone {
  void (*test)(void **state);
} alone;

/* The state is an `alone`. */
static void run_alone(void **state) {
  const alone *const of = *state;
  fflush(stdout);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    alarm(120);
    of->test(NULL);
    fflush(stdout);
    _exit(0);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

static void test_without_the_loader(void **state) {
  (void)state;
  loader = "libOpenCL.so.of.nobody";
  expect_no_opencl("libOpenCL.so.1 cannot be loaded (libOpenCL.so.of.nobody: ");
  CHECK(times_opened > 0);
  loader = "libOpenCL.so.1";
  count_devices();
  CHECK(rlt_cl != NULL);
}

static void test_without_the_loader_but_own_functions(void **state) {
  (void)state;
  loader = "libOpenCL.so.of.nobody";
  expect_no_opencl("relayout_opencl_use has not been called");
  own_functions own = {NULL, 0};
  CHECK(relayout_opencl_use(find_own, &own, NULL) == RELAYOUT_OK);
  CHECK(count_devices() == 1 && times_asked == 1);
}

static void test_loader_of_something_else(void **state) {
  (void)state;
  loader = "libc.so.6";
  expect_no_opencl("libOpenCL.so.1 has no clBuildProgram");
}

/* A loader would load the drivers that the caller's environment names: only one that is in memory
 * counts. */
static void test_raised_rights(void **state) {
  (void)state;
  at_secure = 1;
  loader = "libOpenCL.so.of.nobody";
  expect_no_opencl("a program with raised rights");
  CHECK(times_opened > 0);
  loader = "libOpenCL.so.1";
  CHECK(__real_dlopen(loader, RTLD_NOW | RTLD_LOCAL) != NULL);
  count_devices();
  CHECK(rlt_cl != NULL);
}

static void test_raised_rights_with_own_functions(void **state) {
  (void)state;
  at_secure = 1;
  own_functions own = {NULL, 0};
  CHECK(relayout_opencl_use(find_own, &own, NULL) == RELAYOUT_OK);
  CHECK(count_devices() == 1 && times_asked == 1 && times_opened == 0);
}

static void test_own_functions_are_called(void **state) {
  (void)state;
  own_functions own = {NULL, 0};
  relayout_error error = {.message = "as it was"};
  CHECK(relayout_opencl_use(find_own, &own, &error) == RELAYOUT_OK);
  CHECK(strcmp(error.message, "as it was") == 0);
  CHECK(own.lookups == sizeof(rlt_cl_functions) / sizeof(void *) && times_asked == 0);
  const int lookups = own.lookups;
  CHECK(count_devices() == 1 && times_asked == 1);
  CHECK(open_named("opencl", &error) == RELAYOUT_NO_DEVICE && times_asked == 2);
  const pid_t child = fork();
  if (child == 0) {
    _exit(count_devices() == 1 && times_asked == 3 ? 0 : 1);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  CHECK(own.lookups == lookups && times_opened == 0);
}

static void test_functions_that_lookup_lacks(void **state) {
  (void)state;
  relayout_error error;
  CHECK(relayout_opencl_use(NULL, NULL, &error) == RELAYOUT_INVALID_ARGUMENT);
  CHECK(strcmp(error.message, "lookup is NULL") == 0);
  own_functions own = {NULL, 0};
#define EXPECT_NEEDED(name, is_needed)                                                             \
  own.lacks = #name;                                                                               \
  if (is_needed) {                                                                                 \
    CHECK(relayout_opencl_use(find_own, &own, &error) == RELAYOUT_UNSUPPORTED);                    \
    CHECK(strcmp(error.message, "lookup has no " #name) == 0);                                     \
    CHECK(rlt_cl == NULL);                                                                         \
  }
  RLT_CL_FUNCTIONS(EXPECT_NEEDED)
#undef EXPECT_NEEDED
  own.lacks = "clSetKernelArgSVMPointer";
  CHECK(relayout_opencl_use(find_own, &own, &error) == RELAYOUT_OK);
}

static void test_functions_that_come_too_late(void **state) {
  (void)state;
  count_devices();
  const rlt_cl_functions *const before = rlt_cl;
  CHECK(before != NULL && times_opened == 1);
  own_functions own = {NULL, 0};
  relayout_error error;
  CHECK(relayout_opencl_use(find_own, &own, &error) == RELAYOUT_UNSUPPORTED);
  CHECK(strstr(error.message, "already in use") != NULL);
  void *const library = __real_dlopen("libOpenCL.so.1", RTLD_NOW);
  CHECK(relayout_opencl_use(find_linked, library, &error) == RELAYOUT_OK);
  count_devices();
  CHECK(rlt_cl == before && times_asked == 0 && times_opened == 1);
}

static void test_no_memory_for_the_table(void **state) {
  (void)state;
  memory_is_out = true;
  own_functions own = {NULL, 0};
  size_t count = 0;
  relayout_error error;
  CHECK(relayout_device_list(NULL, 0, &count, &error) == RELAYOUT_OUT_OF_MEMORY);
  CHECK(open_handles(&error) == RELAYOUT_OUT_OF_MEMORY);
  CHECK(open_named("opencl", &error) == RELAYOUT_OUT_OF_MEMORY);
  CHECK(relayout_opencl_use(find_own, &own, &error) == RELAYOUT_OUT_OF_MEMORY);
  memory_is_out = false;
  CHECK(relayout_opencl_use(find_own, &own, &error) == RELAYOUT_OK);
}

/* One that has no function for SVM, on a device that may have it. */
static void test_loader_below_2_0(void **state) {
  (void)state;
  void *const library = __real_dlopen("libOpenCL.so.1", RTLD_NOW);
  CHECK(relayout_opencl_use(find_no_svm, library, NULL) == RELAYOUT_OK);
  relayout_device *opened = NULL;
  if (relayout_device_open("opencl", &opened, NULL) != RELAYOUT_OK) {
    puts("no OpenCL device here");
    return;
  }
  const rlt_opencl_device *const device = rlt_opencl_device_of(opened);
  rlt_access access;
  relayout_error error;
  CHECK(rlt_memory_access(device, "source", RELAYOUT_MEMORY_SVM, &access, &error) ==
        RELAYOUT_UNSUPPORTED);
  CHECK(!device->svm_is_all_memory);
  relayout_device_destroy(opened);
}

/* ---- Many threads, each the first ---- */

enum { THREADS = 8, ROUNDS = 10 };

static pthread_barrier_t begin;
static atomic_int handed_in;

/* No driver starts: sanitizers do not follow what one does to the thread that starts it. */
static void *load_first(void *unused) {
  pthread_barrier_wait(&begin);
  CHECK(rlt_cl_load(NULL) == RELAYOUT_OK);
  return unused;
}

static void *hand_in_first(void *unused) {
  own_functions own = {NULL, 0};
  pthread_barrier_wait(&begin);
  const relayout_status status = relayout_opencl_use(find_own, &own, NULL);
  CHECK(status == RELAYOUT_OK || status == RELAYOUT_UNSUPPORTED);
  atomic_fetch_add(&handed_in, status == RELAYOUT_OK);
  return unused;
}

static void race(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  CHECK(pthread_barrier_init(&begin, NULL, THREADS) == 0);
  for (int t = 0; t < THREADS; ++t) {
    CHECK(pthread_create(&threads[t], NULL, t % 2 == 0 ? load_first : hand_in_first, NULL) == 0);
  }
  for (int t = 0; t < THREADS; ++t) {
    CHECK(pthread_join(threads[t], NULL) == 0);
  }
  CHECK(handed_in == 0 || handed_in == THREADS / 2);
  CHECK((handed_in > 0) == (rlt_cl->clGetPlatformIDs == find_no_platform));
}

static void test_threads_agree(void **state) {
  (void)state;
  for (int round = 0; round < ROUNDS; ++round) {
    void *of = &(alone){race};
    run_alone(&of);
  }
}

#define ALONE(name)                                                                                \
  {                                                                                                \
#name, run_alone, NULL, NULL, &(alone) {                                                       \
      name                                                                                         \
    }                                                                                              \
  }

int main(void) {
  const struct CMUnitTest tests[] = {
      ALONE(test_without_the_loader),
      ALONE(test_without_the_loader_but_own_functions),
      ALONE(test_loader_of_something_else),
      ALONE(test_own_functions_are_called),
      ALONE(test_raised_rights),
      ALONE(test_raised_rights_with_own_functions),
      ALONE(test_functions_that_lookup_lacks),
      ALONE(test_functions_that_come_too_late),
      ALONE(test_no_memory_for_the_table),
      ALONE(test_loader_below_2_0),
      cmocka_unit_test(test_threads_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
