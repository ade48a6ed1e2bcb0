/* facts.h: what a device is, as far as schedules depend on it. Read from the machine when a device
 * is opened; what was measured on machines of its kind is apart from it, in tuning.h.
 *
 * Depends on nothing.
 */
#ifndef RLT_MACHINE_FACTS_H
#define RLT_MACHINE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

enum {
  RLT_PAGE_BYTES = 4096, /* what an ordinary page of a host's memory holds */
  RLT_WORD_SIZES = 5,    /* words of 1, 2, 4, 8 and 16 bytes */
  RLT_CACHE_LEVELS = 3,
  RLT_TLB_LEVELS = 2,
  /* What is beyond these is no fact. */
  RLT_MOST_LINE_BYTES = 4 << 10,
  RLT_MOST_PAGE_BYTES = 1 << 30,
  RLT_MOST_VECTOR_BYTES = 4 << 10,
  RLT_MOST_COUNTED = 1 << 20 /* ways, processors, pages of a TLB */
};
#define RLT_MOST_CACHE_BYTES (INT64_C(1) << 50)

/* 0 to 4, for 1, 2, 4, 8 or 16: a word's bytes, or a packed element's bits. */
static inline int32_t rlt_word_size_number(int64_t size) {
  return __builtin_ctzll((unsigned long long)size);
}

/* What kernels do at once with words of one size. */
typedef struct rlt_word_facts {
  int32_t block_rows; /* of a block that is transposed in registers */
  int32_t block_columns;
  int32_t channels; /* the most that are interleaved in registers; 0: none are */
} rlt_word_facts;

/* A level of a device's caches. Lines whose addresses are bytes / ways apart meet in one set, of
 * which each way holds one. */
typedef struct rlt_cache_facts {
  int64_t bytes;  /* 0: there is none, or nothing is known of it, nor of those behind it */
  int32_t ways;   /* 0: unknown */
  int32_t shared; /* by so many processors; 0: unknown */
} rlt_cache_facts;

typedef struct rlt_facts {
  int64_t line_bytes;                       /* what memory moves at once */
  rlt_cache_facts caches[RLT_CACHE_LEVELS]; /* of data, the nearest first */
  int64_t page_bytes;                       /* an ordinary page's */
  int32_t tlb_pages[RLT_TLB_LEVELS]; /* whose places it knows at once, level by level; 0: unknown */
  int32_t vector_bytes;              /* of a register; 0: unknown */
  bool streams;                      /* stores may go past the caches */
  bool shares_host_memory;           /* what it works on is the host's memory */
  int64_t cache_bytes; /* destinations larger than this do not stay in a cache; 0: unknown */
  rlt_word_facts words[RLT_WORD_SIZES];
  int64_t bit_transposed_rows; /* of a tile, at most, for bit transposes; 0: there are none */

  const struct rlt_target *target; /* whose schedules it runs (search/target.h) */
  int64_t staging_bytes;           /* what a tile that is put together may take */
  int64_t most_segments; /* CPUs: so many unfinished lines can wait for the tile that goes on */

  int32_t threads;     /* workers that blocks of tiles are shared out to; 1: a driver does */
  int64_t group_size;  /* work-items of a work-group */
  int64_t most_groups; /* of a launch */
} rlt_facts;

/* Makes facts of caches and lines agree with what is said of them above: behind a level of which
 * nothing is known nothing is, and lines are of a power of two. */
void rlt_facts_settle(rlt_facts *facts);

/* Destinations that are larger will hardly be in the cache of whoever reads them, when so many
 * workers write them: what is kept for each is twice its part of the second level, and a guess
 * where that is unknown. */
int64_t rlt_facts_cache_bytes(const rlt_facts *facts, int64_t workers);

#endif
