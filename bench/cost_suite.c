/* cost_suite.c: a name, its text, its cases. */
#include "cost_suite.h"

#include "bench/embedded.h"
#include "cost.h"

void cost_read_suite(const char *name, bench_suite *suite) {
  char bare[BENCH_NAME_SIZE];
  relayout_element_type generic;
  relayout_error error;
  cost_check(bench_suite_parse_name(name, bare, &generic, &error), &error);
  const char *const known = bench_embedded_find(bench_suite_texts, bare);
  if (known == NULL) {
    cost_stop("there is no such suite");
  }
  cost_check(bench_suite_parse(known, generic, suite, &error), &error);
}
