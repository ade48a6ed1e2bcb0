/* results_json.h: a benchmark's results for programs to read. Depends on results.h and json.h. */
#ifndef TOOLS_BENCH_RESULTS_JSON_H
#define TOOLS_BENCH_RESULTS_JSON_H

#include <stdio.h>

#include "results.h"

void results_json_write(const bench_results *results, const bench_summary *summary, FILE *file);

#endif
