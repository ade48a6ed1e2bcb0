/* search.h: finds a row of tuning by timing plans.
 *
 * Depends on bench/target.h, finding.h and row.h.
 */
#ifndef TOOLS_TUNE_SEARCH_H
#define TOOLS_TUNE_SEARCH_H

#include "bench/target.h"
#include "finding.h"
#include "row.h"

/* Receives each finding, on the calling thread. */
typedef struct tune_report {
  void (*found)(void *context, const tune_finding *finding);
  void *context;
} tune_report;

/* Searches for about so many seconds, from the row that the target's device has. `*row` becomes
 * that row with everything that a second pass confirmed: the blocking of each word size and kind of
 * tiles, how work is shared out to threads, and the rates of the cost model. What there was no time
 * for stays. `*is_new` says whether anything changed. The device goes by some other row afterwards.
 * RELAYOUT_UNSUPPORTED for a device that has tiles of one size only, or too little memory;
 * RELAYOUT_OUT_OF_MEMORY, RELAYOUT_OPENCL_ERROR. */
relayout_status tune_search(bench_target *target, double seconds, const tune_report *report,
                            tune_row *row, bool *is_new, relayout_error *error);

#endif
