/* merge.h: packed elements that may begin and end within a byte of the destination, whose other bits are
 * written by others, perhaps at the same time.
 *
 * Depends on rows.h and problem/.
 */
#ifndef RLT_CPU_MERGE_H
#define RLT_CPU_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/rows.h"
#include "problem/problem.h"

enum {
  /* Bytes around the words that may be read. */
  RLT_CPU_AROUND_WORDS = 64
};

/* Words to elements position .. position+count-1 of the destination, past the cache if it `streams`. The spare
 * bits of its last byte become 0 with its last element. `encoded` takes half a byte for each word and for those around
 * them. */
void rlt_cpu_merge(const rlt_problem *problem, const rlt_cpu_codec *codec, bool streams,
                   const uint8_t *words, uint8_t *encoded, uint8_t *destination, int64_t position,
                   int64_t count);

#endif
