/* facts.h: what a machine is: its caches, pages and registers, read from the system when a device
 * is opened. What kernels are able to do is in schedule/facts.h; what was measured on machines of
 * its kind is in tuning.h.
 *
 * Depends on nothing.
 */
#ifndef RLT_MACHINE_FACTS_H
#define RLT_MACHINE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

enum {
  RLT_PAGE_BYTES = 4096, /* what an ordinary page of a host's memory holds */
  RLT_CACHE_LEVELS = 3,
  RLT_TLB_LEVELS = 2,
  /* What is beyond these is no fact. */
  RLT_MOST_LINE_BYTES = 4 << 10,
  RLT_MOST_PAGE_BYTES = 1 << 30,
  RLT_MOST_VECTOR_BYTES = 4 << 10,
  RLT_MOST_COUNTED = 1 << 20 /* ways, processors, pages of a TLB */
};
#define RLT_MOST_CACHE_BYTES (INT64_C(1) << 50)

/* A level of a device's caches. Lines whose addresses are bytes / ways apart meet in one set, of
 * which each way holds one. */
typedef struct rlt_cache_facts {
  int64_t bytes;  /* 0: there is none, or nothing is known of it, nor of those behind it */
  int32_t ways;   /* 0: unknown */
  int32_t shared; /* by so many processors; 0: unknown */
} rlt_cache_facts;

typedef struct rlt_machine {
  int64_t line_bytes;                       /* what memory moves at once */
  rlt_cache_facts caches[RLT_CACHE_LEVELS]; /* of data, the nearest first */
  int64_t page_bytes;                       /* an ordinary page's */
  int32_t tlb_pages[RLT_TLB_LEVELS]; /* whose places it knows at once, level by level; 0: unknown */
  int32_t vector_bytes;              /* of a register; 0: unknown */
  bool streams;                      /* stores may go past the caches */
  bool shares_host_memory;           /* what it works on is the host's memory */
} rlt_machine;

/* Makes facts of caches and lines agree with what is said of them above: behind a level of which
 * nothing is known nothing is, and lines are of a power of two. */
void rlt_facts_settle(rlt_machine *facts);

/* Destinations that are larger will hardly be in the cache of whoever reads them, when so many
 * workers write them: what is kept for each is twice its part of the second level, and a guess
 * where that is unknown. */
int64_t rlt_facts_cache_bytes(const rlt_machine *facts, int64_t workers);

#endif
