/* Relayouts that get no memory for a tile buffer of, and no threads, as `ulimit` has it. The
 * program is linked so that calloc goes through a function of its own. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "child.h"
#include "cmocka_all.h"
#include "cpu/device.h"
#include "cpu/sanitizers.h"
#include "cpu/scene.h"

/* ---- No memory ---- */

static atomic_int workshops_left = INT32_MAX; /* until building one fails */
static atomic_int workshops_built;

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_calloc(size_t count, size_t size) {
  const bool is_workshop = count == 1 && size >= sizeof(rlt_cpu_scratch);
  if (is_workshop && atomic_fetch_sub(&workshops_left, 1) <= 0) {
    return NULL;
  }
  atomic_fetch_add(&workshops_built, is_workshop);
  return __real_calloc(count, size);
}

static void test_no_workshop(void **state) {
  (void)state;
  enum { POISON = 0xa5, BYTES = SCENE_SIDE * SCENE_SIDE * sizeof(float) };
  scene made;
  scene_set_up(&made);
  unsigned char *const destination = malloc(BYTES);
  unsigned char *const before = malloc(BYTES);
  memset(destination, POISON, BYTES);
  memset(before, POISON, BYTES);
  relayout_error error = {0};
  atomic_store(&workshops_left, 0);
  assert_int_equal(relayout_plan_execute(made.plan, made.source, destination, &error),
                   RELAYOUT_OUT_OF_MEMORY);
  assert_non_null(strstr(error.message, "no memory for a tile buffer of"));
  assert_memory_equal(destination, before, BYTES);
  atomic_store(&workshops_left, INT32_MAX);
  assert_true(scene_works(&made));
  scene_tear_down(&made);
  free(destination);
  free(before);
}

/* The calling thread has one, and others none. */
static void test_fewer_workshops_than_threads(void **state) {
  (void)state;
  for (int given = 1; given < SCENE_THREADS; ++given) {
    scene made;
    scene_set_up(&made);
    atomic_store(&workshops_left, given);
    for (int repetition = 0; repetition < 20; ++repetition) {
      assert_true(scene_works(&made));
    }
    atomic_store(&workshops_left, INT32_MAX);
    scene_tear_down(&made);
  }
}

/* A thread that is alone works where its call has found room for it, and needs no more. */
static void test_one_workshop_for_one_thread(void **state) {
  (void)state;
  scene made;
  scene_set_up(&made);
  relayout_plan_destroy(made.plan);
  made.device->facts.threads = 1;
  made.device->facts.staging_bytes = 8 << 10; /* so that there are several tiles */
  assert_int_equal(relayout_plan_create(made.device, &made.from, &made.to, NULL, &made.plan, NULL),
                   RELAYOUT_OK);
  atomic_store(&workshops_left, 1);
  assert_true(scene_works(&made));
  assert_true(scene_works(&made));
  atomic_store(&workshops_left, INT32_MAX);
  scene_tear_down(&made);
}

/* ---- What is kept ---- */

enum { MOST_TAKEN = 40 };

static void take(rlt_cpu_kept_scratch *from, rlt_cpu_scratch **taken, int count) {
  for (int i = 0; i < count; ++i) {
    taken[i] = rlt_cpu_scratch_take(from);
    assert_non_null(taken[i]);
    assert_int_equal((uintptr_t)taken[i] % RLT_CPU_LINE_BYTES, 0);
  }
}

static void give_back(rlt_cpu_kept_scratch *to, rlt_cpu_scratch **taken, int count) {
  for (int i = 0; i < count; ++i) {
    rlt_cpu_scratch_give_back(to, taken[i]);
  }
}

/* Twice as many as threads are kept, a power of two and eight at least, until they are trimmed. */
static void test_kept_scratch(void **state) {
  (void)state;
  static const struct {
    int32_t threads;
    int kept;
  } cases[] = {{1, 8}, {4, 8}, {5, 16}, {8, 16}, {9, 32}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const int kept = cases[i].kept;
    rlt_cpu_kept_scratch *all = NULL;
    rlt_cpu_scratch *taken[MOST_TAKEN];
    assert_int_equal(rlt_cpu_kept_scratch_create(cases[i].threads, &all, NULL), RELAYOUT_OK);
    atomic_store(&workshops_built, 0);
    take(all, taken, kept + 1);
    assert_int_equal(atomic_load(&workshops_built), kept + 1);
    give_back(all, taken, kept + 1);
    take(all, taken, kept);
    assert_int_equal(atomic_load(&workshops_built), kept + 1);
    give_back(all, taken, kept);
    rlt_cpu_kept_scratch_trim(all);
    take(all, taken, kept);
    assert_int_equal(atomic_load(&workshops_built), 2 * kept + 1);
    give_back(all, taken, kept);
    rlt_cpu_scratch_give_back(all, NULL);
    rlt_cpu_kept_scratch_destroy(all);
  }
}

/* A thread gets back what it had, and what nobody has written is 0. */
static void test_own_scratch(void **state) {
  (void)state;
  rlt_cpu_kept_scratch *all = NULL;
  rlt_cpu_scratch *taken[2];
  assert_int_equal(rlt_cpu_kept_scratch_create(4, &all, NULL), RELAYOUT_OK);
  take(all, taken, 2);
  const unsigned char *const bytes = (const unsigned char *)taken[0];
  for (size_t b = 0; b < offsetof(rlt_cpu_scratch, memory); b += 61) {
    assert_int_equal(bytes[b], 0);
  }
  give_back(all, taken, 2);
  for (int repetition = 0; repetition < 3; ++repetition) {
    rlt_cpu_scratch *const again = rlt_cpu_scratch_take(all);
    assert_ptr_equal(again, taken[0]);
    rlt_cpu_scratch_give_back(all, again);
  }
  rlt_cpu_kept_scratch_destroy(all);
}

/* ---- No threads ---- */

enum { SKIPPED = 77 };

static void *do_nothing(void *unused) {
  return unused;
}

static bool can_start_threads(void) {
  pthread_t thread;
  return pthread_create(&thread, NULL, do_nothing, NULL) == 0 && pthread_join(thread, NULL) == 0;
}

static void set_limit(int resource, rlim_t most) {
  struct rlimit limit;
  getrlimit(resource, &limit);
  limit.rlim_cur = most;
  setrlimit(resource, &limit);
}

/* The bytes of addresses that the process uses; 0 where the system does not tell. */
static size_t used_addresses(void) {
  size_t pages = 0;
  FILE *const file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%zu", &pages) != 1) {
    pages = 0;
  }
  if (file != NULL) {
    fclose(file);
  }
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* As `ulimit -v` has it: room for a matrix, and for no thread's stack. */
static int be_short_of_addresses(scene *inherited) {
  enum { ROOM = 200 << 10 };
  rlt_cpu_kept_scratch *const kept_scratch = ((rlt_cpu_device *)inherited->device)->kept_scratch;
  rlt_cpu_scratch_give_back(kept_scratch, rlt_cpu_scratch_take(kept_scratch));
  const size_t used = used_addresses();
  if (!LEAVES_MEMORY_ALONE || used == 0) {
    return SKIPPED;
  }
  set_limit(RLIMIT_AS, used + ROOM);
  if (can_start_threads()) {
    return SKIPPED;
  }
  return scene_works(inherited) ? 0 : 1;
}

/* As `ulimit -u` has it, which root ignores: another user has no thread more. */
static int be_short_of_threads(scene *inherited) {
  enum { NOBODY = 65534 };
  if (geteuid() == 0 && setuid(NOBODY) != 0) {
    return SKIPPED;
  }
  set_limit(RLIMIT_NPROC, 0);
  if (can_start_threads()) {
    return SKIPPED;
  }
  return scene_works(inherited) ? 0 : 1;
}

static void assert_child_passes(int (*be)(scene *inherited)) {
  scene made;
  scene_set_up(&made);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    _exit(be(&made));
  }
  const int code = child_code(child);
  scene_tear_down(&made);
  if (code == SKIPPED) {
    skip();
  }
  assert_int_equal(code, 0);
}

static void test_no_addresses(void **state) {
  (void)state;
  assert_child_passes(be_short_of_addresses);
}

static void test_no_threads(void **state) {
  (void)state;
  assert_child_passes(be_short_of_threads);
}

int main(void) {
  setenv("RELAYOUT_CACHE", "off", 1);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_workshop),
      cmocka_unit_test(test_fewer_workshops_than_threads),
      cmocka_unit_test(test_one_workshop_for_one_thread),
      cmocka_unit_test(test_kept_scratch),
      cmocka_unit_test(test_own_scratch),
      cmocka_unit_test(test_no_addresses),
      cmocka_unit_test(test_no_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
