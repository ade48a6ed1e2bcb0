/* statistics.h: what is made of repeated measurements. Depends on libm alone. */
#ifndef TOOLS_BENCH_STATISTICS_H
#define TOOLS_BENCH_STATISTICS_H

#include <stddef.h>

/* The value at `share` (0 to 1) of the way through the sorted values, between two of them in
 * proportion: 0.5 is the median, 0.25 the lower quartile. `count` is at least 1; the values get
 * sorted. */
double statistics_quantile(double *values, size_t count, double share);

double statistics_median(double *values, size_t count);

/* How far apart the quartiles lie, as a part of the median: 0 where nothing varies. */
double statistics_spread(double *values, size_t count);

/* Of values above 0. */
double statistics_geomean(const double *values, size_t count);

#endif
