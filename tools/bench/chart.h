/* chart.h: a benchmark's results as a self-contained SVG picture: a bar for each case, and the
 * plain copy as a line on top. Depends on results.h.
 *
 * Few cases stand in the suite's order with their names; many stand from the worst to the best,
 * without. Each bar tells its name and numbers to a pointer that rests on it, and so do the dashes
 * that stand for peers, which only few cases have room for. */
#ifndef TOOLS_BENCH_CHART_H
#define TOOLS_BENCH_CHART_H

#include <stdbool.h>
#include <stdio.h>

#include "results.h"

/* False without memory, nothing being written then. */
bool chart_write(const bench_results *results, const bench_summary *summary, FILE *file);

#endif
