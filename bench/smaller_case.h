/* smaller_case.h: the same kind of relayout, of fewer bytes. Depends on bench/suite.h. */
#ifndef BENCH_SMALLER_CASE_H
#define BENCH_SMALLER_CASE_H

#include <stdbool.h>
#include <stddef.h>

#include "bench/suite.h"

/* Halves dimensions until both sides take at most so many bytes, one at a time: the longest, where
 * the innermost of either side counts as a sixteenth of its length, so that short runs stay whole;
 * of equal ones that which is innermost least. A half keeps what it was beside multiples of a power
 * of two, the largest that is at most a quarter of it, from 2 up to 256: odd stays odd, and
 * multiples of a tile or a line stay that while they are long; 2 becomes 1. Padded dimensions are
 * halved with theirs, in the same way, and so is a tail's alignment above 256. Tiles, orders and
 * types stay. False where no dimension can be halved any more; as far as it went it has changed
 * then. */
bool smaller_case_make(bench_case *of, size_t most_bytes);

#endif
