/* The host as it is: whatever it tells, the facts agree with each other. */
#include "machine/host.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "cmocka_all.h"
#include "machine/processors.h"

static void test_facts_agree(void **state) {
  (void)state;
  rlt_machine facts = {.vector_bytes = 7, .streams = true, .shares_host_memory = true};
  rlt_host_add_facts(&facts);
  assert_int_equal(facts.page_bytes, sysconf(_SC_PAGESIZE));
  assert_int_equal(facts.line_bytes & (facts.line_bytes - 1), 0);
  for (int level = 0; level < RLT_CACHE_LEVELS; ++level) {
    const rlt_cache_facts *const cache = &facts.caches[level];
    assert_true(cache->bytes >= 0 && cache->ways >= 0 && cache->shared >= 0);
    if (cache->bytes == 0) {
      assert_int_equal(cache->ways + cache->shared, 0);
    }
    if (level > 0 && facts.caches[level - 1].bytes == 0) {
      assert_int_equal(cache->bytes, 0);
    }
  }
  assert_true(facts.tlb_pages[0] >= 0 && facts.tlb_pages[1] >= 0);
  assert_int_equal(facts.vector_bytes, 7);
  assert_true(facts.streams);
  assert_true(facts.shares_host_memory);
}

static void *add_facts(void *facts) {
  rlt_host_add_facts(facts);
  return NULL;
}

static void test_many_threads(void **state) {
  (void)state;
  enum { THREADS = 8 };
  pthread_t threads[THREADS];
  rlt_machine facts[THREADS];
  memset(facts, 0, sizeof facts);
  for (int i = 0; i < THREADS; ++i) {
    assert_int_equal(pthread_create(&threads[i], NULL, add_facts, &facts[i]), 0);
  }
  for (int i = 0; i < THREADS; ++i) {
    assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_memory_equal(&facts[i], &facts[0], sizeof facts[0]);
  }
}

static void test_processors(void **state) {
  (void)state;
  const rlt_processors allowed = rlt_allowed_processors();
  assert_int_equal(allowed.count, rlt_cpu_processors());
  assert_true(allowed.count >= 1);
  assert_true(allowed.first >= 0);
  assert_true(allowed.last - allowed.first >= allowed.count - 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_many_threads), /* before anybody else has asked */
      cmocka_unit_test(test_facts_agree),
      cmocka_unit_test(test_processors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
