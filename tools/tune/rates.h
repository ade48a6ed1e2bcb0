/* rates.h: the rates by which the cost model foretells best what was measured. Depends on the
 * public plans and row.h. */
#ifndef TOOLS_TUNE_RATES_H
#define TOOLS_TUNE_RATES_H

#include <stdint.h>

#include "relayout/relayout.h"
#include "row.h"

enum { TUNE_RATES = 10 };

typedef struct tune_rates {
  double of[TUNE_RATES];
} tune_rates;

/* A schedule that has been run. */
typedef struct tune_sample {
  int32_t word;               /* that it moves, in bytes */
  double known;               /* its share of the time that no rate is asked for, */
  double weights[TUNE_RATES]; /* how often it asks for each rate, */
  double time;                /* and what it took: in units of a plain copy of as many bytes */
} tune_sample;

/* Of a plan of one part. False for another. */
bool tune_sample_of(const relayout_plan *plan, double time, tune_sample *made);

/* A row's, of words of so many bytes. */
void tune_rates_read(const tune_row *row, int32_t word, tune_rates *made);
bool tune_rates_write(const tune_rates *rates, int32_t word, tune_row *row);

/* Of the least squared relative errors over all samples. What these do not ask for, or hardly,
 * stays as it is. */
void tune_rates_fit(const tune_sample *samples, int64_t count, tune_rates *rates);

/* The sum of the squared relative errors of what these rates foretell. */
double tune_rates_error(const tune_sample *samples, int64_t count, const tune_rates *rates);

#endif
