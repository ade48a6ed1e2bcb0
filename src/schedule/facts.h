/* facts.h: what a device is, as far as schedules depend on it: its target, its machine, and what
 * its kernels are able to do.
 *
 * Depends on machine/facts.h.
 */
#ifndef RLT_SCHEDULE_FACTS_H
#define RLT_SCHEDULE_FACTS_H

#include "machine/facts.h"

struct rlt_target;

enum { RLT_WORD_SIZES = 5 /* words of 1, 2, 4, 8 and 16 bytes */ };

/* 0 to 4, for 1, 2, 4, 8 or 16: a word's bytes, or a packed element's bits. */
static inline int32_t rlt_word_size_number(int64_t size) {
  return __builtin_ctzll((unsigned long long)size);
}

/* The micro-tile of words of one size: what is transposed in registers at once. */
typedef struct rlt_word_facts {
  int32_t block_rows; /* of a block that is transposed in registers */
  int32_t block_columns;
  int32_t channels; /* the most that are joined and parted in registers, 2 to 4 or 8; 0: none; */
  int32_t channels_in_lanes; /* and the most of those from 5 on; 0: none */
} rlt_word_facts;

typedef struct rlt_facts {
  const struct rlt_target *target; /* whose schedules it runs (search/target.h) */
  rlt_machine machine;
  int64_t cache_bytes; /* destinations larger than this do not stay in a cache; 0: unknown */

  int64_t line_bytes; /* what its kernels store and share at once */
  rlt_word_facts words[RLT_WORD_SIZES];
  int64_t bit_transposed_rows; /* of a tile, at most, for bit transposes; 0: there are none */
  int64_t staging_bytes;       /* what a tile that is put together may take */
  int64_t most_segments; /* CPUs: so many unfinished lines can wait for the tile that goes on */

  int32_t threads;         /* workers that blocks of tiles are shared out to; 1: a driver does */
  int64_t group_size;      /* work-items of a work-group */
  int64_t most_group_size; /* of any work-group; no less */
  int64_t most_groups;     /* of a launch */
  bool specializes;        /* a kernel can be compiled for one problem alone */
} rlt_facts;

#endif
