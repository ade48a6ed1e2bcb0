/* fake_clock.c: what the linker puts in the place of the system's clock. */
#include "plan/fake_clock.h"

#include <time.h>

enum { NANOSECONDS = 1000000000 };

static int64_t now; /* nanoseconds */
static int64_t rested;
static int rests;

int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left);

int __wrap_clock_gettime(clockid_t clock, struct timespec *time) {
  (void)clock;
  *time = (struct timespec){.tv_sec = now / NANOSECONDS, .tv_nsec = (long)(now % NANOSECONDS)};
  return 0;
}

int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left) {
  (void)left;
  const int64_t time = (int64_t)wanted->tv_sec * NANOSECONDS + wanted->tv_nsec;
  now += time;
  rested += time;
  ++rests;
  return 0;
}

double fake_clock_seconds(void) {
  return 1e-9 * (double)now;
}

void fake_clock_reset(void) {
  now = rested = rests = 0;
}

void fake_clock_advance(double seconds) {
  now += (int64_t)(seconds * NANOSECONDS + 0.5);
}

int fake_clock_rests(void) {
  return rests;
}

double fake_clock_rested(void) {
  return 1e-9 * (double)rested;
}
