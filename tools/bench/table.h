/* table.h: a benchmark's results for people to read. Depends on results.h and size_text.h. */
#ifndef TOOLS_BENCH_TABLE_H
#define TOOLS_BENCH_TABLE_H

#include <stdio.h>

#include "results.h"

/* What is measured, on what, and the heads of the columns. */
void table_begin(const bench_results *results, FILE *file);
void table_row(const bench_result *row, FILE *file);
/* Geomean, median, the worst and which it is, and how many cases were skipped. */
void table_end(const bench_results *results, const bench_summary *summary, FILE *file);

#endif
