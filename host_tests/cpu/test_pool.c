/* The library's own threads: who does the tasks, what happens where threads cannot be
 * had, when they end, and forks. The program is linked so that pthread_create goes
 * through a function of its own. */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "child.h"
#include "cmocka_all.h"
#include "cpu/pool.h"
#include "cpu/sanitizers.h"

/* ---- Threads that cannot be had ---- */

static atomic_int threads_left = INT32_MAX; /* until creating one fails */

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument) {
  if (atomic_fetch_sub(&threads_left, 1) <= 0) {
    return EAGAIN;
  }
  return __real_pthread_create(thread, attributes, start, argument);
}

/* The process's threads; -1 where the system does not tell. One that has been joined may be
 * listed for a moment longer. */
static int count_threads(void) {
  DIR *const tasks = opendir("/proc/self/task");
  if (tasks == NULL) {
    return -1;
  }
  int count = 0;
  for (const struct dirent *entry = readdir(tasks); entry != NULL; entry = readdir(tasks)) {
    count += entry->d_name[0] != '.';
  }
  closedir(tasks);
  return count;
}

/* ---- Tasks ---- */

enum { MOST_TASKS = 40 };

typedef struct tasks {
  atomic_int calls[MOST_TASKS];
  pthread_t caller;
  atomic_int elsewhere; /* how many ran on another thread */
} tasks;

static void count_call(void *data, size_t i) {
  tasks *const all = data;
  atomic_fetch_add(&all->calls[i], 1);
  if (!pthread_equal(pthread_self(), all->caller)) {
    atomic_fetch_add(&all->elsewhere, 1);
  }
}

/* Runs some; how many ran on another thread, or -1 when not each was called once. */
static int run_tasks(int32_t count) {
  tasks all = {.caller = pthread_self()};
  rlt_pool_run(count, count_call, &all);
  for (int32_t i = 0; i < MOST_TASKS; ++i) {
    if (atomic_load(&all.calls[i]) != (i < count)) {
      return -1;
    }
  }
  return atomic_load(&all.elsewhere);
}

/* Tasks that return when all have begun, each on a thread of its own. */
typedef struct meeting {
  int count;
  atomic_int arrived;
} meeting;

static void meet(void *data, size_t i) {
  (void)i;
  meeting *const all = data;
  atomic_fetch_add(&all->arrived, 1);
  while (atomic_load(&all->arrived) < all->count) {
    sched_yield();
  }
}

static void run_meeting(int count) {
  meeting all = {.count = count};
  rlt_pool_run(count, meet, &all);
}

static void test_each_task_once(void **state) {
  (void)state;
  rlt_pool_open();
  for (int32_t count = 0; count <= MOST_TASKS; ++count) {
    assert_true(run_tasks(count) >= 0);
  }
  rlt_pool_close();
}

static void test_tasks_run_at_once(void **state) {
  (void)state;
  rlt_pool_open();
  for (int count = 2; count <= 5; ++count) {
    run_meeting(count);
  }
  rlt_pool_close();
}

/* ---- Many callers ---- */

static char failed[] = "what a thread returns whose tasks went wrong";

static void *call_often(void *unused) {
  (void)unused;
  for (int repetition = 0; repetition < 500; ++repetition) {
    if (run_tasks(1 + repetition % 7) < 0) {
      return failed;
    }
  }
  return NULL;
}

/* More callers than the pool has places for their tasks. */
static void test_many_callers(void **state) {
  (void)state;
  enum { CALLERS = 24 };
  pthread_t callers[CALLERS];
  rlt_pool_open();
  for (int c = 0; c < CALLERS; ++c) {
    assert_int_equal(pthread_create(&callers[c], NULL, call_often, NULL), 0);
  }
  for (int c = 0; c < CALLERS; ++c) {
    void *failure = NULL;
    pthread_join(callers[c], &failure);
    assert_null(failure);
  }
  rlt_pool_close();
}

/* A caller that opens and closes the pool, and is its last user now and then. */
static void *open_often(void *unused) {
  (void)unused;
  for (int repetition = 0; repetition < 100; ++repetition) {
    rlt_pool_open();
    const int elsewhere = run_tasks(4);
    rlt_pool_close();
    if (elsewhere < 0) {
      return failed;
    }
  }
  return NULL;
}

static void test_opened_and_closed_by_many(void **state) {
  (void)state;
  enum { CALLERS = 4 };
  pthread_t callers[CALLERS];
  for (int c = 0; c < CALLERS; ++c) {
    assert_int_equal(pthread_create(&callers[c], NULL, open_often, NULL), 0);
  }
  for (int c = 0; c < CALLERS; ++c) {
    void *failure = NULL;
    pthread_join(callers[c], &failure);
    assert_null(failure);
  }
}

/* ---- Workers ---- */

static void test_without_any_thread(void **state) {
  (void)state;
  rlt_pool_open();
  atomic_store(&threads_left, 0);
  for (int32_t count = 0; count <= MOST_TASKS; ++count) {
    assert_int_equal(run_tasks(count), 0);
  }
  atomic_store(&threads_left, INT32_MAX);
  run_meeting(3); /* which needs the threads that can be had now */
  rlt_pool_close();
}

static void test_with_fewer_threads(void **state) {
  (void)state;
  for (int given = 1; given <= 4; ++given) {
    rlt_pool_open();
    atomic_store(&threads_left, given);
    assert_true(run_tasks(MOST_TASKS) >= 0);
    atomic_store(&threads_left, 0);
    run_meeting(given + 1);
    assert_true(run_tasks(MOST_TASKS) >= 0);
    atomic_store(&threads_left, INT32_MAX);
    rlt_pool_close();
  }
}

static int threads_at_rest; /* of the program, once it has had others */

static void await_thread_count(int count) {
  while (count_threads() > count) {
    sched_yield();
  }
}

/* Threads are started by the first call that wants them, not again by the next ones,
 * and end with the last user. */
static void test_threads_come_and_go(void **state) {
  (void)state;
  if (count_threads() < 0) {
    skip();
  }
  const int before = threads_at_rest;
  await_thread_count(before);
  rlt_pool_open();
  rlt_pool_open();
  run_tasks(1);
  assert_int_equal(count_threads(), before);
  for (int repetition = 0; repetition < 3; ++repetition) {
    run_meeting(4);
    assert_int_equal(count_threads(), before + 3);
  }
  rlt_pool_close();
  assert_int_equal(count_threads(), before + 3);
  rlt_pool_close();
  await_thread_count(before);
}

typedef struct masks {
  meeting both;
  sigset_t of[2];
} masks;

static void note_mask(void *data, size_t i) {
  masks *const all = data;
  pthread_sigmask(SIG_BLOCK, NULL, &all->of[i]);
  meet(&all->both, i);
}

static void test_signals_go_to_the_callers_threads(void **state) {
  (void)state;
  static const int sent[] = {SIGINT, SIGTERM, SIGALRM, SIGCHLD, SIGUSR1, SIGPROF};
  masks all = {.both = {.count = 2}};
  rlt_pool_open();
  rlt_pool_run(2, note_mask, &all);
  rlt_pool_close();
  for (size_t i = 0; i < sizeof sent / sizeof *sent; ++i) {
    assert_false(sigismember(&all.of[0], sent[i]));
    assert_true(sigismember(&all.of[1], sent[i]));
  }
  assert_false(sigismember(&all.of[1], SIGSEGV));
  assert_false(sigismember(&all.of[1], SIGBUS));
}

/* ---- Forks ---- */

/* One that hangs is killed, a long time later. */
static void be_a_child(bool closes) {
  alarm(120);
  bool passed = run_tasks(MOST_TASKS) >= 0;
  run_meeting(3);
  if (closes) {
    rlt_pool_close();
    rlt_pool_open();
    passed = passed && run_tasks(MOST_TASKS) >= 0;
  }
  _exit(passed ? 0 : 1);
}

static void assert_child_passes(bool closes) {
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    be_a_child(closes);
  }
  assert_int_equal(child_code(child), 0);
}

static atomic_bool is_over;

static void *open_until_over(void *unused) {
  (void)unused;
  while (!atomic_load(&is_over)) {
    rlt_pool_open();
    rlt_pool_close();
  }
  return NULL;
}

/* Before the pool has had any thread of its own, so this is the first test. */
static void test_child_of_a_process_that_opens_the_pool(void **state) {
  (void)state;
  if (!FOLLOWS_FORKS) {
    skip();
  }
  enum { OPENERS = 2, CHILDREN = 100 };
  pthread_t openers[OPENERS];
  rlt_pool_open();
  atomic_store(&is_over, false);
  for (int o = 0; o < OPENERS; ++o) {
    assert_int_equal(pthread_create(&openers[o], NULL, open_until_over, NULL), 0);
  }
  for (int child = 0; child < CHILDREN; ++child) {
    assert_child_passes(true);
  }
  atomic_store(&is_over, true);
  for (int o = 0; o < OPENERS; ++o) {
    pthread_join(openers[o], NULL);
  }
  rlt_pool_close();
}

static void test_child_of_a_process_that_used_threads(void **state) {
  (void)state;
  if (!FOLLOWS_FORKS) {
    skip();
  }
  rlt_pool_open();
  run_meeting(4);
  assert_child_passes(false);
  assert_child_passes(true);
  run_meeting(4);
  rlt_pool_close();
}

static void *call_until_over(void *unused) {
  (void)unused;
  while (!atomic_load(&is_over)) {
    if (run_tasks(4) < 0) {
      return failed;
    }
  }
  return NULL;
}

static void test_child_of_a_process_whose_threads_are_at_work(void **state) {
  (void)state;
  if (!FOLLOWS_FORKS) {
    skip();
  }
  enum { CALLERS = 3, CHILDREN = 40 };
  pthread_t callers[CALLERS];
  rlt_pool_open();
  atomic_store(&is_over, false);
  for (int c = 0; c < CALLERS; ++c) {
    assert_int_equal(pthread_create(&callers[c], NULL, call_until_over, NULL), 0);
  }
  for (int child = 0; child < CHILDREN; ++child) {
    assert_child_passes(child % 2 > 0);
  }
  atomic_store(&is_over, true);
  for (int c = 0; c < CALLERS; ++c) {
    void *failure = NULL;
    pthread_join(callers[c], &failure);
    assert_null(failure);
  }
  rlt_pool_close();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_child_of_a_process_that_opens_the_pool),
      cmocka_unit_test(test_each_task_once),
      cmocka_unit_test(test_tasks_run_at_once),
      cmocka_unit_test(test_many_callers),
      cmocka_unit_test(test_opened_and_closed_by_many),
      cmocka_unit_test(test_without_any_thread),
      cmocka_unit_test(test_with_fewer_threads),
      cmocka_unit_test(test_threads_come_and_go),
      cmocka_unit_test(test_signals_go_to_the_callers_threads),
      cmocka_unit_test(test_child_of_a_process_that_used_threads),
      cmocka_unit_test(test_child_of_a_process_whose_threads_are_at_work),
  };
  threads_at_rest = count_threads() + SANITIZER_THREADS;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
