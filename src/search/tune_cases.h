/* tune_cases.h: the problems that stand for all others of a kind while a machine is tuned.
 *
 * Depends on problem/ and tuning.h.
 */
#ifndef RLT_SEARCH_TUNE_CASES_H
#define RLT_SEARCH_TUNE_CASES_H

#include "problem/problem.h"
#include "search/tuning.h"

enum { RLT_TUNE_CASES = 3, RLT_TUNE_SAMPLES = 8 };

/* Case number `i` of a kind, of words of so many bytes, with about `bytes` on either side, which
 * are a mebibyte at least; of cached tiles 128 KiB. */
void rlt_tune_case(rlt_tiles tiles, int32_t i, int64_t word, int64_t bytes, rlt_problem *made);

/* Problems of other methods, which only the rates are found by: short runs, channels, and runs to
 * copy straight. */
void rlt_tune_sample(int32_t i, int64_t word, int64_t bytes, rlt_problem *made);

/* As many bytes, which move as they lie. */
void rlt_tune_copy(int64_t bytes, rlt_problem *made);

#endif
