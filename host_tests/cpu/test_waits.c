/* test_waits.c: how the pool's threads wait, and are woken. The pool is compiled in, so that its
 * counts can be seen, with a function of its own in front of those that wake threads. */
#include <pthread.h>
#include <stdatomic.h>

#include "cmocka_all.h"
#include "cpu/pool.h"

static atomic_int signals, broadcasts;

static int note_signal(pthread_cond_t *condition) {
  atomic_fetch_add(&signals, 1);
  return pthread_cond_signal(condition);
}

static int note_broadcast(pthread_cond_t *condition) {
  atomic_fetch_add(&broadcasts, 1);
  return pthread_cond_broadcast(condition);
}

#define pthread_cond_signal    note_signal
#define pthread_cond_broadcast note_broadcast
#define rlt_pool_open          seen_pool_open
#define rlt_pool_close         seen_pool_close
#define rlt_pool_run           seen_pool_run
void rlt_pool_open(void);
void rlt_pool_close(void);
void rlt_pool_run(int32_t count, void (*task)(void *data, size_t i), void *data);
#include "cpu/pool.c"

/* ---- The clock ---- */

static void test_nanoseconds(void **state) {
  (void)state;
  struct timespec before, after;
  clock_gettime(CLOCK_MONOTONIC, &before);
  const int64_t found = now();
  clock_gettime(CLOCK_MONOTONIC, &after);
  assert_true(found / 1000000000 >= before.tv_sec && found / 1000000000 <= after.tv_sec);
  assert_true(found >= before.tv_sec * INT64_C(1000000000) + before.tv_nsec);
  assert_true(found <= after.tv_sec * INT64_C(1000000000) + after.tv_nsec);
}

/* Looking for a change ends with it, or when patience does; where no processor is free for it, at
 * once. */
static void test_looking(void **state) {
  (void)state;
  static const _Atomic uint64_t number = 7;
  for (int spins = 0; spins < 2; ++spins) {
    pool.spins = spins > 0;
    assert_true(soon(&number, true, 7));
    assert_true(soon(&number, false, 8));
    const int64_t begin = now();
    assert_false(soon(&number, true, 8));
    assert_false(soon(&number, false, 7));
    assert_true(now() - begin >= (spins > 0 ? 2 * patience : 0));
  }
}

static void *change_number(void *number) {
  atomic_store((_Atomic uint64_t *)number, 1);
  return NULL;
}

/* What changes while it is looked at is seen. Whoever has no luck waits as long as it takes. */
static void test_a_change_is_seen(void **state) {
  (void)state;
  pool.spins = true;
  for (int i = 0; i < 20; ++i) {
    _Atomic uint64_t number = 0;
    pthread_t changer;
    assert_int_equal(pthread_create(&changer, NULL, change_number, (void *)&number), 0);
    while (!soon(&number, true, 1)) {
    }
    pthread_join(changer, NULL);
  }
}

/* ---- Counts ---- */

enum { THREADS = 4 };

static atomic_int arrived;

static void meet(void *count, size_t i) {
  (void)i;
  atomic_fetch_add(&arrived, 1);
  while (atomic_load(&arrived) < *(const int *)count) {
    sched_yield();
  }
}

static void run_meeting(int count) {
  atomic_store(&arrived, 0);
  rlt_pool_run(count, meet, &count);
}

/* All that there are, once they sleep. */
static void await_sleep(int workers) {
  while (atomic_load(&pool.asleep) < workers) {
    sched_yield();
  }
}

/* Once nobody has anything to do all workers are asleep, and none is counted as looking; the calls
 * have given their places back. */
static void test_workers_at_rest(void **state) {
  (void)state;
  rlt_pool_open();
  for (int repetition = 0; repetition < 5; ++repetition) {
    run_meeting(THREADS);
    await_sleep(THREADS - 1);
    assert_int_equal(atomic_load(&pool.looking), 0);
    assert_int_equal(atomic_load(&pool.asleep), THREADS - 1);
    assert_int_equal(atomic_load(&pool.waiting), 0);
    assert_int_equal(atomic_load(&pool.worker_count), THREADS - 1);
    for (int i = 0; i < PLACES; ++i) {
      assert_false(atomic_load(&pool.jobs[i].is_used));
      assert_int_equal(atomic_load(&pool.jobs[i].state), 0);
    }
  }
  rlt_pool_close();
  assert_int_equal(atomic_load(&pool.worker_count), 0);
  assert_int_equal(atomic_load(&pool.asleep), 0);
  assert_int_equal(pool.users, 0);
  assert_null(pool.workers);
}

/* As many are woken as there are tasks that nobody looks for, one by one; all at once where that is
 * all of them. */
static void test_woken(void **state) {
  (void)state;
  rlt_pool_open();
  run_meeting(THREADS);
  await_sleep(THREADS - 1);
  static const struct {
    int tasks, looking, signals, broadcasts;
  } cases[] = {{1, 0, 1, 0}, {2, 0, 2, 0}, {3, 0, 0, 1}, {9, 0, 0, 1},
               {3, 1, 2, 0}, {3, 2, 1, 0}, {3, 3, 0, 0}, {1, 3, 0, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    atomic_store(&pool.looking, cases[i].looking);
    atomic_store(&signals, 0);
    atomic_store(&broadcasts, 0);
    wake_workers(cases[i].tasks); /* and they sleep on: nothing has been posted */
    assert_int_equal(atomic_load(&signals), cases[i].signals);
    assert_int_equal(atomic_load(&broadcasts), cases[i].broadcasts);
    atomic_store(&pool.looking, 0);
  }
  rlt_pool_close();
}

/* With no sleeper nobody is woken. */
static void test_nobody_is_woken(void **state) {
  (void)state;
  atomic_int sleepers = 0;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  atomic_store(&broadcasts, 0);
  wake_all(&condition, &sleepers);
  assert_int_equal(atomic_load(&broadcasts), 0);
  atomic_store(&sleepers, 1);
  wake_all(&condition, &sleepers);
  assert_int_equal(atomic_load(&broadcasts), 1);
}

/* ---- Places ---- */

/* Each call has one of its own, as long as there are any; tasks come off it by number, 1 the last,
 * and as many threads are counted at them. */
static void test_places(void **state) {
  (void)state;
  job *places[PLACES];
  for (int i = 0; i < PLACES; ++i) {
    places[i] = find_place();
    assert_non_null(places[i]);
    for (int before = 0; before < i; ++before) {
      assert_ptr_not_equal(places[i], places[before]);
    }
  }
  assert_null(find_place());
  atomic_store(&places[5]->is_used, false);
  assert_ptr_equal(find_place(), places[5]);

  job *const place = places[3];
  atomic_store(&place->state, 3 * one_left);
  for (size_t task = 3; task > 0; --task) {
    size_t i = 0;
    assert_true(take(place, &i));
    assert_int_equal(i, task);
    assert_int_equal(atomic_load(&place->state), (task - 1) * one_left + (4 - task) * one_inside);
  }
  size_t i;
  assert_false(take(place, &i));
  atomic_store(&place->state, 0);
  for (int p = 0; p < PLACES; ++p) {
    atomic_store(&pool.jobs[p].is_used, false);
  }
}

/* A child has nobody, whatever the parent had. */
static void test_a_new_beginning(void **state) {
  (void)state;
  atomic_store(&pool.jobs[2].state, one_left);
  atomic_store(&pool.jobs[PLACES - 1].is_used, true);
  atomic_store(&pool.jobs[0].is_used, true);
  atomic_store(&pool.jobs[0].state, one_inside);
  pool.workers = rlt_malloc(sizeof *pool.workers);
  *pool.workers = (worker){.next = rlt_malloc(sizeof *pool.workers)};
  *pool.workers->next = (worker){.next = NULL};
  atomic_store(&pool.worker_count, 2);
  atomic_store(&pool.looking, 1);
  atomic_store(&pool.asleep, 1);
  atomic_store(&pool.waiting, 1);
  begin_anew();
  for (int i = 0; i < PLACES; ++i) {
    assert_false(atomic_load(&pool.jobs[i].is_used));
    assert_int_equal(atomic_load(&pool.jobs[i].state), 0);
  }
  assert_null(pool.workers);
  assert_int_equal(atomic_load(&pool.worker_count), 0);
  assert_int_equal(atomic_load(&pool.looking), 0);
  assert_int_equal(atomic_load(&pool.asleep), 0);
  assert_int_equal(atomic_load(&pool.waiting), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nanoseconds),
      cmocka_unit_test(test_looking),
      cmocka_unit_test(test_a_change_is_seen),
      cmocka_unit_test(test_workers_at_rest),
      cmocka_unit_test(test_woken),
      cmocka_unit_test(test_nobody_is_woken),
      cmocka_unit_test(test_places),
      cmocka_unit_test(test_a_new_beginning),
  };
  return cmocka_run_group_tests_name("cpu.waits", tests, NULL, NULL);
}
