/* simulator.h: the caches of a processor, as far as they decide how often a line is fetched.
 *
 * Levels are set-associative, and each set drops what was used the longest ago. What misses fills
 * all levels from the one that has it inwards; nothing is dropped from a level because another one
 * dropped it. The first level is looked up by address. The others are by where the system has put
 * a page, which is anywhere: a number mixed from the page's and a seed, so that runs repeat.
 *
 *     load, store     of so many bytes, through the caches: a store fetches its line first
 *     stream          a store past the caches, into a few buffers that each put a line together;
 *                     one that has to leave before its line is whole writes it in parts
 *     prefetch        a load into a level and those behind it, for which nobody waits
 *
 * A page whose place no TLB knows is looked up in the system's tables, of which the last level is
 * loaded through the caches, from the second on.
 *
 * What processors fetch on their own, ahead of what they are asked for, is not here.
 *
 * Depends on nothing.
 */
#ifndef HOST_TESTS_CACHE_SIMULATOR_H
#define HOST_TESTS_CACHE_SIMULATOR_H

#include <stdbool.h>
#include <stdint.h>

enum { SIMULATOR_CACHES = 3, SIMULATOR_TLBS = 2, SIMULATOR_MOST_BUFFERS = 16 };

/* What there is of lines, or of pages' places, `ways` of each set. */
typedef struct simulator_level {
  int64_t entries; /* 0: there is none, nor any behind it */
  int32_t ways;    /* which divide the entries */
  bool is_hashed;  /* sets are found by all of a number's digits, not by the lowest alone */
} simulator_level;

typedef struct simulator_geometry {
  int64_t line_bytes; /* both are powers of two */
  int64_t page_bytes;
  simulator_level caches[SIMULATOR_CACHES]; /* the nearest first */
  simulator_level tlbs[SIMULATOR_TLBS];
  int32_t write_buffers; /* for streamed lines */
} simulator_geometry;

/* Addresses are of memory that is not there. A side of a relayout begins where its region does. */
typedef enum simulator_region {
  SIMULATOR_SOURCE,
  SIMULATOR_DESTINATION,
  SIMULATOR_SCRATCH,     /* buffers */
  SIMULATOR_PAGE_TABLES, /* of the system: where each page is, 8 bytes a page */
  SIMULATOR_REGIONS
} simulator_region;

#define SIMULATOR_REGION_BYTES (UINT64_C(1) << 44)

static inline uint64_t simulator_address(simulator_region region, int64_t offset) {
  return ((uint64_t)region + 1) * SIMULATOR_REGION_BYTES + (uint64_t)offset;
}

typedef struct simulator_counts {
  /* Lines that came into each level, and those of them that a load or a store waited for. */
  int64_t fills[SIMULATOR_REGIONS][SIMULATOR_CACHES];
  int64_t misses[SIMULATOR_REGIONS][SIMULATOR_CACHES];
  int64_t page_misses[SIMULATOR_TLBS]; /* pages whose place a level did not know */
  int64_t streamed;                    /* lines that left whole, past the caches, */
  int64_t in_parts;                    /* and buffers that left before theirs was */
} simulator_counts;

typedef struct simulator simulator;

/* Exits where there is no memory. */
simulator *simulator_create(const simulator_geometry *geometry, uint64_t seed);
void simulator_destroy(simulator *of);

/* Any number of bytes, also none. */
void simulator_load(simulator *of, uint64_t address, int64_t bytes);
void simulator_store(simulator *of, uint64_t address, int64_t bytes);
void simulator_stream(simulator *of, uint64_t address, int64_t bytes);
/* The line at this address, into this level and all behind it */
void simulator_prefetch(simulator *of, uint64_t address, int32_t nearest);
/* Streamed lines leave, whole or not. */
void simulator_drain(simulator *of);

/* Since it was made, or since they were cleared. What is in the caches stays there. */
const simulator_counts *simulator_counted(const simulator *of);
void simulator_clear_counts(simulator *of);

#endif
