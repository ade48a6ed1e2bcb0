/* statistics.c: medians, spreads and geometric means. */
#include "statistics.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b) {
  const double left = *(const double *)a;
  const double right = *(const double *)b;
  return (left > right) - (left < right);
}

double statistics_quantile(double *values, size_t count, double share) {
  qsort(values, count, sizeof *values, compare);
  const double position = share * (double)(count - 1);
  const size_t below = (size_t)position;
  const size_t above = below + 1 < count ? below + 1 : below;
  return values[below] + (position - (double)below) * (values[above] - values[below]);
}

double statistics_median(double *values, size_t count) {
  return statistics_quantile(values, count, 0.5);
}

double statistics_spread(double *values, size_t count) {
  const double lower = statistics_quantile(values, count, 0.25);
  const double upper = statistics_quantile(values, count, 0.75);
  return (upper - lower) / statistics_median(values, count);
}

double statistics_geomean(const double *values, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    sum += log(values[i]);
  }
  return exp(sum / (double)count);
}
