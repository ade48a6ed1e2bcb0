/* verbose.h: a line on standard error for each plan and relayout, if RELAYOUT_VERBOSE asks for it.
 *
 * With RELAYOUT_VERBOSE=1 every plan that is made, every relayout of host memory and every enqueued
 * relayout writes one line: a shell command that measures the same, and a comment. Without it
 * nothing is written, and no time is taken.
 *
 * Depends on plan.h and base/. */
#ifndef RLT_PLAN_VERBOSE_H
#define RLT_PLAN_VERBOSE_H

#include "plan/plan.h"

/* What a line is about. */
typedef enum rlt_told {
  RLT_TOLD_PLAN,    /* a plan was made */
  RLT_TOLD_EXECUTE, /* host memory was moved */
  RLT_TOLD_ENQUEUE  /* a relayout was enqueued: the time is that of the call */
} rlt_told;

/* Returns the time, for rlt_verbose_end; 0 if no line will be written. */
double rlt_verbose_begin(void);

/* Writes a line about a plan, or about `count` relayouts by it, that began at `begun` and
 * succeeded. Writes nothing if `begun` is 0 or memory for the line is missing. */
void rlt_verbose_end(double begun, rlt_told what, const relayout_plan *plan, size_t count);

/* Makes the line, with its newline, for something that took this long. */
void rlt_verbose_add_line(rlt_told what, const relayout_plan *plan, size_t count, double seconds,
                          rlt_text *text);

#endif
