/* finding.h: what two ways to do the same took, pass after pass, and what is to be believed of it.
 * Depends on nothing. */
#ifndef TOOLS_TUNE_FINDING_H
#define TOOLS_TUNE_FINDING_H

#include <stdbool.h>
#include <stdint.h>

/* What came of a finding. */
typedef enum tune_outcome {
  TUNE_SAME,        /* nothing was faster: it stays as it was */
  TUNE_FASTER,      /* faster, a second time too: it becomes part of the row */
  TUNE_UNCONFIRMED, /* not clearly faster twice: it stays as it was */
  TUNE_NOISE        /* faster than a plain copy can be: it stays as it was */
} tune_outcome;

/* Fractions are of a plain copy's speed, and means of all passes; `after` is `before` where it
 * stays as it was. */
typedef struct tune_finding {
  const char *what; /* "words of 4 bytes, far tiles"; for the time of the call */
  double before;
  double after;
  double done;   /* of all work, from 0 to 1 */
  double spread; /* by which part of its shortest time a pass took longer, at most */
  tune_outcome outcome;
} tune_finding;

enum { TUNE_LEAST_PASSES = 2 };

/* The row's own way, and another, in units of a copy. */
typedef struct tune_pass {
  double before; /* 0: unknown */
  double after;
  bool is_faster; /* clearly */
} tune_pass;

/* Both find the same, in nearly the same times. */
bool tune_passes_agree(const tune_pass *a, const tune_pass *b);

/* Fills in a finding's speeds, spread and outcome by TUNE_LEAST_PASSES passes or more, the last two
 * of which confirm each other or do not. False where one of them says nothing. */
bool tune_passes_judge(const tune_pass *passes, int32_t count, tune_finding *made);

#endif
