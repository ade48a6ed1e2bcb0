/* test_builders.c: threads that build programs at the same time, and what a device keeps of
 * programs and plans. The linker leads clBuildProgram to the wrapper here, in which a thread stays
 * until it may go on. */
#include "cmocka_all.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

#include "opencl/bench.h"
#include "relayout/relayout.h"
#include "shape_of.h"

static struct {
  atomic_int builds;
  atomic_int to_be_held; /* of the next builds, so many are */
  atomic_int failures;   /* and so many of those fail then */
  sem_t held;
  sem_t go_on;
} driver;

/* A minute is for ever. */
static bool comes(sem_t *semaphore) {
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 60;
  int code = -1;
  do {
    code = sem_timedwait(semaphore, &end);
  } while (code != 0 && errno == EINTR);
  return code == 0;
}

cl_int __real_clBuildProgram(cl_program program, cl_uint count, const cl_device_id *ids,
                             const char *options, void (*notify)(cl_program, void *), void *data);
cl_int __wrap_clBuildProgram(cl_program program, cl_uint count, const cl_device_id *ids,
                             const char *options, void (*notify)(cl_program, void *), void *data);
cl_int __wrap_clBuildProgram(cl_program program, cl_uint count, const cl_device_id *ids,
                             const char *options, void (*notify)(cl_program, void *), void *data) {
  driver.builds += 1;
  if (atomic_fetch_sub(&driver.to_be_held, 1) > 0) {
    sem_post(&driver.held);
    comes(&driver.go_on);
    if (atomic_fetch_sub(&driver.failures, 1) > 0) {
      return CL_OUT_OF_HOST_MEMORY;
    }
  }
  return __real_clBuildProgram(program, count, ids, options, notify, data);
}

static void begin(int to_be_held, int failures) {
  driver.builds = 0;
  driver.to_be_held = to_be_held;
  driver.failures = failures;
}

/* A plan that some thread makes; each of these element types has a program of its own. */
typedef struct job {
  relayout_device *device;
  const char *from;
  const char *to;
  relayout_plan *plan;
  relayout_status status;
  pthread_t thread;
} job;

static void *make_plan(void *context) {
  job *const of = context;
  const relayout_shape from = shape_of(of->from);
  const relayout_shape to = shape_of(of->to);
  of->status = relayout_plan_create(of->device, &from, &to, NULL, &of->plan, NULL);
  return NULL;
}

static void start(job *of) {
  assert_int_equal(pthread_create(&of->thread, NULL, make_plan, of), 0);
}

static void finish(job *of) {
  assert_int_equal(pthread_join(of->thread, NULL), 0);
}

/* No program is there yet. */
static relayout_device *new_device(const opencl_bench *bench) {
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  relayout_device *device = NULL;
  options.kernels = RELAYOUT_KERNELS_WORK_GROUP;
  options.cache_directory = "";
  assert_int_equal(
      relayout_opencl_device_create(bench->context, bench->id, &options, &device, NULL),
      RELAYOUT_OK);
  return device;
}

#define SLOW  "u8[48,40]{1,0}", "u8[48,40]{0,1}"
#define OTHER "u16[48,40]{1,0}", "u16[48,40]{0,1}"

/* While one thread builds, others make plans of other kernels; whoever wants the same waits for it
 * and does not build again. */
static void test_others_go_on(void **state) {
  relayout_device *const device = new_device(*state);
  job slow = {.device = device, .from = SLOW};
  job same = slow;
  job other = {.device = device, .from = OTHER};
  begin(1, 0);
  start(&slow);
  assert_true(comes(&driver.held));
  start(&same);
  make_plan(&other);
  assert_int_equal(other.status, RELAYOUT_OK);
  assert_null(slow.plan);
  assert_int_equal(driver.builds, 2);
  sem_post(&driver.go_on);
  finish(&slow);
  finish(&same);
  assert_int_equal(slow.status, RELAYOUT_OK);
  assert_int_equal(same.status, RELAYOUT_OK);
  assert_int_equal(driver.builds, 2);
  relayout_plan_destroy(slow.plan);
  relayout_plan_destroy(same.plan);
  relayout_plan_destroy(other.plan);
  relayout_device_destroy(device);
}

/* Whoever waited for a build that failed tries for itself. */
static void test_a_failure_is_its_threads(void **state) {
  relayout_device *const device = new_device(*state);
  job slow = {.device = device, .from = SLOW};
  job same = slow;
  begin(1, 1);
  start(&slow);
  assert_true(comes(&driver.held));
  start(&same);
  sem_post(&driver.go_on);
  finish(&slow);
  finish(&same);
  assert_int_equal(slow.status, RELAYOUT_OPENCL_ERROR);
  assert_null(slow.plan);
  assert_int_equal(same.status, RELAYOUT_OK);
  assert_int_equal(driver.builds, 2);
  relayout_plan_destroy(same.plan);
  relayout_device_destroy(device);
}

/* ---- What is kept ---- */

static relayout_device_usage usage_of(relayout_device *device) {
  relayout_device_usage usage = RELAYOUT_DEVICE_USAGE_INIT;
  assert_int_equal(relayout_device_get_usage(device, &usage, NULL), RELAYOUT_OK);
  return usage;
}

static relayout_plan *plan_of(relayout_device *device, const char *from, const char *to) {
  job made = {.device = device, .from = from, .to = to};
  make_plan(&made);
  assert_int_equal(made.status, RELAYOUT_OK);
  return made.plan;
}

typedef struct plan_bytes {
  uint64_t device;
  uint64_t all;
} plan_bytes;

static plan_bytes bytes_of(const relayout_plan *plan) {
  relayout_plan_info info = RELAYOUT_PLAN_INFO_INIT;
  assert_int_equal(relayout_plan_get_info(plan, &info, NULL), RELAYOUT_OK);
  assert_true(info.device_bytes > 0);
  assert_true(info.host_bytes > 0);
  return (plan_bytes){info.device_bytes, info.device_bytes + info.host_bytes};
}

static void test_budget(void **state) {
  relayout_device *const device = new_device(*state);
  relayout_plan *const first = plan_of(device, SLOW);
  relayout_plan *const second = plan_of(device, OTHER);
  const plan_bytes bytes[] = {bytes_of(first), bytes_of(second)};
  const uint64_t budget = bytes[0].all + bytes[1].all - 1;
  relayout_plan_destroy(first);
  relayout_plan_destroy(second);
  assert_int_equal(usage_of(device).plans, 2);
  assert_int_equal(usage_of(device).programs, 2);
  assert_int_equal(usage_of(device).device_bytes, bytes[0].device + bytes[1].device);
  assert_int_equal(relayout_device_set_budget(device, budget, NULL), RELAYOUT_OK);
  assert_int_equal(usage_of(device).plans, 1); /* the second */
  assert_int_equal(usage_of(device).device_bytes, bytes[1].device);
  assert_int_equal(usage_of(device).budget_bytes, budget);
  relayout_plan_destroy(plan_of(device, OTHER));
  assert_int_equal(usage_of(device).device_bytes, bytes[1].device);
  relayout_plan_destroy(plan_of(device, SLOW));
  assert_int_equal(usage_of(device).plans, 1);
  assert_int_equal(usage_of(device).device_bytes, bytes[0].device);
  assert_int_equal(relayout_device_set_budget(device, 0, NULL), RELAYOUT_OK);
  assert_int_equal(usage_of(device).plans, 0);
  relayout_plan_destroy(plan_of(device, SLOW));
  assert_int_equal(usage_of(device).plans, 0);
  assert_int_equal(usage_of(device).programs, 2);
  relayout_device_destroy(device);
}

/* A plan that somebody holds goes on; a program that is being built stays. */
static void test_trim(void **state) {
  relayout_device *const device = new_device(*state);
  static uint16_t source[48 * 40];
  static uint16_t destination[48 * 40];
  relayout_plan *const held = plan_of(device, OTHER);
  job slow = {.device = device, .from = SLOW};
  begin(1, 0);
  start(&slow);
  assert_true(comes(&driver.held));
  assert_int_equal(usage_of(device).programs, 2);
  relayout_device_trim(device);
  assert_int_equal(usage_of(device).plans, 0);
  assert_int_equal(usage_of(device).programs, 1);
  sem_post(&driver.go_on);
  finish(&slow);
  assert_int_equal(slow.status, RELAYOUT_OK);
  assert_int_equal(usage_of(device).plans, 1);
  for (int i = 0; i < 48 * 40; ++i) {
    source[i] = (uint16_t)i;
  }
  assert_int_equal(relayout_plan_execute(held, source, destination, NULL), RELAYOUT_OK);
  for (int i = 0; i < 48 * 40; ++i) {
    assert_int_equal(destination[i], source[i % 48 * 40 + i / 48]);
  }
  relayout_plan_destroy(slow.plan);
  relayout_plan_destroy(held);
  relayout_device_destroy(device);
}

static int run(opencl_bench *bench) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(test_others_go_on, bench),
      cmocka_unit_test_prestate(test_a_failure_is_its_threads, bench),
      cmocka_unit_test_prestate(test_budget, bench),
      cmocka_unit_test_prestate(test_trim, bench),
  };
  return cmocka_run_group_tests_name("builders", tests, NULL, NULL);
}

int main(void) {
  sem_init(&driver.held, 0, 0);
  sem_init(&driver.go_on, 0, 0);
  return opencl_on_each_device_with(RELAYOUT_KERNELS_WORK_GROUP, run);
}
