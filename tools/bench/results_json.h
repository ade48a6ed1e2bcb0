/* results_json.h: a benchmark's results for programs to read. Depends on results.h and
 * json_output.h. */
#ifndef TOOLS_BENCH_RESULTS_JSON_H
#define TOOLS_BENCH_RESULTS_JSON_H

#include <stdio.h>

#include "report.h"
#include "results.h"

/* Without memory nothing is written, and that is reported. */
exit_code results_json_write(const bench_results *results, const bench_summary *summary,
                             FILE *file);

#endif
