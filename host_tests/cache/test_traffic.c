/* What the row of tuning that each processor gets makes it fetch for each relayout of the list: at
 * most so often what has to be fetched once. cache_table prints all of it.
 */
#include <string.h>

#include "cache/traffic.h"
#include "cmocka_all.h"

/* Of the lines of the source, and of the pages of both sides for each line that is written. */
typedef struct limits {
  double memory;
  double second_cache;
  double first_cache; /* what loads wait for */
  double page_walks;
} limits;

static const limits usual = {
    .memory = 1.1, .second_cache = 1.1, .first_cache = 1.1, .page_walks = 0.3};

static bool is_one_of(const processor *on, const char *a, const char *b) {
  return strcmp(on->name, a) == 0 || strcmp(on->name, b) == 0;
}

/* Where schedules are not as good yet: where rows meet in sets, vectors of 16 bytes come from more
 * of them at once than a set of the first cache has ways, as often as there are vectors in a line;
 * blocks of longer ones read a whole vector of each row at once, which is in two lines where rows
 * begin anywhere; and a block has more pages than the second TLB. The rows that were measured on a
 * Zen 3 and a Zen 4 have tiles that do not fit in a second cache of 512 KiB, or of 1 MiB,
 * together with the next one, so that some of their lines come twice: both are faster by them. */
static limits limits_of(const processor *on, const traffic_case *of) {
  limits made = usual;
  if (of->meets_in_sets) {
    made.first_cache = on->vector_bytes == 16 ? 5 : on->vector_bytes == 32 ? 3 : 2;
    made.page_walks = 0.6;
    made.second_cache = of->has_bytes ? 1.75 : made.second_cache;
  }
  if (is_one_of(on, "Zen 4", "Skylake-SP")) {
    made.second_cache = of->has_bytes ? 1.9 : 1.75;
  }
  if (is_one_of(on, "Zen 2", "Zen 3")) {
    made.second_cache = of->has_bytes ? 2.3 : 1.85;
    made.first_cache = of->meets_in_sets ? made.first_cache : 1.2;
  }
  return made;
}

static void expect_within(double found, double most, const char *what) {
  if (found > most) {
    fail_msg("%.3f times the lines %s, more than %.2f", found, what, most);
  }
}

static void test_processor(void **state) {
  const processor *const on = *state;
  static const traffic_change none = {.schedule = NULL};
  for (size_t c = 0; c < traffic_case_count; ++c) {
    const limits most = limits_of(on, &traffic_cases[c]);
    traffic found;
    traffic_find(on, &traffic_cases[c], &none, &found);
    print_message("%s on %s: %s\n", traffic_cases[c].name, on->name, found.schedule);
    expect_within(found.source[2], most.memory, "come from memory");
    expect_within(found.source[1], most.second_cache, "come into the second cache");
    expect_within(found.waits, most.first_cache, "are waited for in the first cache");
    expect_within(found.pages[1], most.page_walks, "written have their pages looked up");
  }
}

int main(void) {
  struct CMUnitTest tests[PROCESSORS];
  for (size_t p = 0; p < PROCESSORS; ++p) {
    tests[p] = (struct CMUnitTest){.name = processors[p].name,
                                   .test_func = test_processor,
                                   .initial_state = (void *)&processors[p]};
  }
  return cmocka_run_group_tests_name("cache.traffic", tests, NULL, NULL);
}
