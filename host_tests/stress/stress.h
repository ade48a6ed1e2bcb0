/* stress.h: threads that make plans at random, share, run and drop them, all on one device.
 *
 * Each relayout is compared with the oracle's, guards and all. The first thing that is wrong ends
 * the process with EXIT_FAILURE and a line on stderr: a relayout as a command, and what was found.
 * They use the library's public headers alone.
 */
#ifndef STRESS_H
#define STRESS_H

#include <stdint.h>

#include "stress/cases.h"

typedef struct stress stress;

/* What all threads have done so far. */
typedef struct stress_totals {
  uint64_t moves;
  uint64_t plans;     /* asked for, one-shot calls not counted */
  uint64_t one_shots; /* of the moves */
  uint64_t on_host;   /* of the moves: between host pointers */
} stress_totals;

/* Cases and device outlive it. */
relayout_status stress_create(relayout_device *device, const stress_cases *cases, stress **made,
                              relayout_error *error);
void stress_destroy(stress *used);

/* Moves so often, on the calling thread: any number of threads may call this at once, each with a
 * seed of its own. When it returns nothing of it is under way. */
void stress_work(stress *on, uint64_t seed, uint64_t moves);

stress_totals stress_done(stress *on);

/* Ends the process. `of` may be NULL. */
void stress_fail(stress *on, const stress_case *of, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));

#endif
