/* fake_clock.h: the time, as a test sets it. A program that is linked with this and with what the
 * linker has to know of it (CMakeLists.txt) reads no other clock, and rests without waiting. */
#ifndef HOST_TESTS_PLAN_FAKE_CLOCK_H
#define HOST_TESTS_PLAN_FAKE_CLOCK_H

#include <stdint.h>

/* From the clock's beginning on. */
double fake_clock_seconds(void);

/* Back to the beginning, when nobody had rested. */
void fake_clock_reset(void);

void fake_clock_advance(double seconds);

/* How often somebody rested, and for how long altogether; the clock goes on by as much. */
int fake_clock_rests(void);
double fake_clock_rested(void);

#endif
