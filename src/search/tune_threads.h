/* tune_threads.h: finding how work is shared out to threads.
 *
 * Depends on tune_runs.h.
 */
#ifndef RLT_SEARCH_TUNE_THREADS_H
#define RLT_SEARCH_TUNE_THREADS_H

#include "search/tune_runs.h"

/* Sums over the same relayouts, each in units of a plain copy. */
typedef struct rlt_tuned_times {
  int32_t count; /* of what was run; 0: there was no time to tell anything */
  double before; /* by the row as it was */
  double after;  /* and as it is */
} rlt_tuned_times;

/* Set a row's thread_bytes, which a second thread is worth waking for, and thread_blocks to what is
 * the fastest, not much beyond `end`. The device has more than one thread. */
rlt_tuned_times rlt_tune_thread_bytes(rlt_track *on, double end, rlt_tuning *row);
rlt_tuned_times rlt_tune_thread_blocks(rlt_track *on, double end, rlt_tuning *row);

#endif
