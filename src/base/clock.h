/* clock.h: what measuring reads the time from. Depends on nothing. */
#ifndef RLT_BASE_CLOCK_H
#define RLT_BASE_CLOCK_H

#include <time.h>

/* Seconds since some moment, which no change of the date moves. */
static inline double rlt_seconds(void) {
  struct timespec time = {0, 0};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#endif
