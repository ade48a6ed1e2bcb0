/* tune_passes.h: what two took, pass after pass, and what is to be believed of it.
 *
 * Depends on the public tuning alone.
 */
#ifndef RLT_SEARCH_TUNE_PASSES_H
#define RLT_SEARCH_TUNE_PASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "relayout/tuning.h"

enum { RLT_LEAST_PASSES = 2 };

/* What is done as it was, and as it may become, in units of a copy. */
typedef struct rlt_pass {
  double before; /* 0: unknown */
  double after;
  bool is_faster; /* clearly */
} rlt_pass;

/* Both find the same, in nearly the same times. */
bool rlt_passes_agree(const rlt_pass *a, const rlt_pass *b);

/* Fills in a finding's speeds, spread and outcome by RLT_LEAST_PASSES passes or more, the last two
 * of which confirm each other or do not. False where one of them says nothing. */
bool rlt_passes_judge(const rlt_pass *passes, int32_t count, relayout_tuned *made);

#endif
