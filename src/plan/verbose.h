/* verbose.h: a line on standard error for whatever is done, where the environment wants it.
 *
 * RELAYOUT_VERBOSE=1 has every plan that is made, every relayout of host memory and every one that
 * is enqueued tell of itself in one line, which a shell takes as a command that measures the same.
 * Without it nothing is written, and nothing is measured.
 *
 * Depends on plan.h and base/.
 */
#ifndef RLT_PLAN_VERBOSE_H
#define RLT_PLAN_VERBOSE_H

#include "plan/plan.h"

/* What is told of. */
typedef enum rlt_told {
  RLT_TOLD_PLAN,    /* was made */
  RLT_TOLD_EXECUTE, /* host memory was moved */
  RLT_TOLD_ENQUEUE  /* was put on a queue: the time is that of the call */
} rlt_told;

/* The time, for rlt_verbose_end; 0 where nothing is told. */
double rlt_verbose_begin(void);

/* Tells of `count` relayouts by a plan, or of the plan, that began then and have succeeded; of
 * nothing if `begun` is 0, or there is no memory to do so. The line is written at once. */
void rlt_verbose_end(double begun, rlt_told what, const relayout_plan *plan, size_t count);

/* The line itself, with its newline, for what took so long. */
void rlt_verbose_add_line(rlt_told what, const relayout_plan *plan, size_t count, double seconds,
                          rlt_text *text);

#endif
