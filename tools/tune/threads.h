/* threads.h: finding how work is shared out to threads. Depends on runs.h. */
#ifndef TOOLS_TUNE_THREADS_H
#define TOOLS_TUNE_THREADS_H

#include "runs.h"

/* Sums over the same relayouts, each in units of a plain copy. */
typedef struct tune_times {
  int32_t count; /* of what was run; 0: there was no time to tell anything */
  double before; /* by the row as it was */
  double after;  /* and as it is */
} tune_times;

/* Set a row's thread_bytes, which a second thread is worth waking for, and thread_blocks to what is
 * the fastest, not much beyond `end`. The device has more than one thread. */
tune_times tune_thread_bytes(tune_field *on, double end, tune_row *row);
tune_times tune_thread_blocks(tune_field *on, double end, tune_row *row);

/* By how two rows share out work. */
bool tune_shares_equal(const tune_row *a, const tune_row *b);

#endif
