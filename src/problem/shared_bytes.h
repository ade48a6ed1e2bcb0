/* shared_bytes.h: whether one problem reads a byte that another writes, if both sides lie in one
 * block of memory.
 *
 * The bytes of each side are runs of one length that begin at sums of steps. Both sides share a
 * byte exactly if a certain number is a sum of steps of both sides, each taken fewer times than it
 * has digits, plus a rest shorter than both runs together. A search tries the longest step first.
 * The reach and the common divisor of the shorter steps leave few combinations to try.
 *
 * Depends on runs.h. */
#ifndef RLT_PROBLEM_SHARED_BYTES_H
#define RLT_PROBLEM_SHARED_BYTES_H

#include <stdint.h>

#include "problem/runs.h"

typedef enum rlt_sharing {
  RLT_SHARES_NOTHING,
  RLT_SHARES_BYTES,
  RLT_SHARES_UNKNOWN /* the ranges overlap; whether bytes are shared is unknown */
} rlt_sharing;

/* `apart` is the distance from the source's lowest byte to the destination's, less than 2^60 either
 * way. Searches at most `*steps` steps, and subtracts those used. The result is also unknown for
 * index programs, and for packed elements whose runs begin within a byte. */
rlt_sharing rlt_problems_share_bytes(const rlt_problem *reads, const rlt_problem *writes,
                                     int64_t apart, int64_t *steps);

#endif
