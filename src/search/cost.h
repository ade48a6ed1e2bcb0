/* cost.h: how long a schedule will take, counted before it runs.
 *
 * Time is counted in plain copies: one unit is what the device takes to copy one line,
 * reading it and writing it. A relayout reads and writes the same bytes at least, and
 * pays for what a copy does not:
 *
 *     lines read      what the bytes of the source fill, half a unit each
 *     lines again     what its runs touch beyond that: lines that two of them share
 *     lines written   every whole line of the destination, half a unit each; a whole one where it
 *                     goes through caches that cannot hold all of them, and is read before
 *     lines in parts  lines that a segment of the destination does not cover: read, merged, written
 *     runs            where the source goes on somewhere else, and fetching ahead begins anew
 *     moves           blocks transposed in registers, lines or elements put in their places
 *     reworks         elements that are unpacked, converted or packed, where moves do not do that
 *     tiles           finding one and starting it
 *     pages           of either side, opened by each tile
 *
 * What the others cost is the device's: rlt_rates in tuning.h. The buffers are taken to begin at
 * a line, and not to be in the cache.
 *
 * Depends on schedule.h, tuning.h and base/text.h.
 */
#ifndef RLT_SEARCH_COST_H
#define RLT_SEARCH_COST_H

#include "base/text.h"
#include "schedule/schedule.h"
#include "search/tuning.h"

/* X(name, text) */
#define RLT_COST_TABLE(X)                                                                          \
  X(LINES_READ, "lines read")                                                                      \
  X(LINES_AGAIN, "lines again")                                                                    \
  X(LINES_WRITTEN, "lines written")                                                                \
  X(LINES_IN_PARTS, "lines in parts")                                                              \
  X(RUNS, "runs")                                                                                  \
  X(STRAIGHT_RUNS, "straight runs")                                                                \
  X(MOVES, "moves")                                                                                \
  X(REWORKS, "reworks")                                                                            \
  X(TILES, "tiles")                                                                                \
  X(PAGES, "pages")

typedef enum rlt_cost_term {
#define RLT_COST_ENUMERATOR(name, text) RLT_COST_##name,
  RLT_COST_TABLE(RLT_COST_ENUMERATOR)
#undef RLT_COST_ENUMERATOR
      RLT_COST_TERMS
} rlt_cost_term;

/* The price of a term: how often which rate is paid for each item that the term counts. */
typedef struct rlt_price {
  rlt_rate rate;
  double times;
} rlt_price;

typedef struct rlt_cost {
  double counts[RLT_COST_TERMS]; /* of the whole relayout; expected values where starts vary */
  double times[RLT_COST_TERMS];  /* in units of a plain copy of as many bytes */
  double least_time;             /* of that copy, in lines */
  double fraction;               /* of the speed of that copy: 1 / the sum of the times */
} rlt_cost;

/* "lines read", ...; static storage. */
const char *rlt_cost_name(rlt_cost_term term);

/* Predicts what a finished schedule takes. */
void rlt_cost_estimate(const rlt_facts *facts, const rlt_tuning *tuning,
                       const rlt_schedule *schedule, rlt_cost *cost);

/* Appends the predicted time, in plain copies of as many bytes, and the terms that add up to it, as
 * a line. */
void rlt_cost_add_text(const rlt_cost *cost, rlt_text *text);

/* The price of a term that is not lines read or written, which are half a unit each. */
rlt_price rlt_cost_price(const rlt_facts *facts, const rlt_schedule *schedule, rlt_cost_term term);

/* How many units of `unit` bytes a run of `bytes` > 0 touches on average when it starts at any
 * multiple of `step`, which divides the unit. */
double rlt_units_touched(int64_t bytes, int64_t unit, int64_t step);

#endif
