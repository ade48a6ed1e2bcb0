/* fit_rates.h: the rates by which the cost model foretells best what was measured.
 *
 * Depends on cost.h.
 */
#ifndef RLT_SEARCH_FIT_RATES_H
#define RLT_SEARCH_FIT_RATES_H

#include "search/cost.h"

/* A schedule that has been run. */
typedef struct rlt_sample {
  double known;              /* its share of the time that no rate is asked for, */
  double weights[RLT_RATES]; /* how often it asks for each rate, */
  double time;               /* and what it took: in units of a plain copy of as many bytes */
} rlt_sample;

rlt_sample rlt_sample_of(const rlt_facts *facts, const rlt_schedule *schedule, const rlt_cost *cost,
                         double time);

/* Of the least squared relative errors over all samples. What these do not ask
 * for, or hardly, stays as it is. */
void rlt_rates_fit(const rlt_sample *samples, int64_t count, rlt_rates *rates);

/* The sum of the squared relative errors of what these rates foretell. */
double rlt_rates_error(const rlt_sample *samples, int64_t count, const rlt_rates *rates);

#endif
