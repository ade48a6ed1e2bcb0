/* shared_bytes.h: whether a byte that one problem reads is one that another writes, where both
 * sides lie in one memory.
 *
 * Either side's bytes are runs of one length whose beginnings are sums of steps. They share a byte
 * exactly where one number is a sum of all these steps, each taken fewer times than it has digits,
 * and of a rest that is shorter than both runs together. That is searched for, from the longest
 * step on; what the shorter ones reach, and the divisor that they have in common, leave few ways to
 * try.
 *
 * Depends on runs.h.
 */
#ifndef RLT_PROBLEM_SHARED_BYTES_H
#define RLT_PROBLEM_SHARED_BYTES_H

#include <stdint.h>

#include "problem/runs.h"

typedef enum rlt_sharing {
  RLT_SHARES_NOTHING,
  RLT_SHARES_BYTES,
  RLT_SHARES_UNKNOWN /* the bytes' ranges overlap, and more is not known */
} rlt_sharing;

/* The destination's lowest byte lies `apart` bytes behind the source's, fewer than 2^60 of either
 * sign. Takes at most `*steps` of searching, and leaves what remains. Unknown too are bytes that an
 * index program takes, and those of packed elements whose runs begin within a byte. */
rlt_sharing rlt_problems_share_bytes(const rlt_problem *reads, const rlt_problem *writes,
                                     int64_t apart, int64_t *steps);

#endif
