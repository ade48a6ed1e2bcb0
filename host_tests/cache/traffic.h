/* traffic.h: what a processor fetches for a relayout by the schedule that the library chooses for
 * it there. Depends on processors.h and replay.h. */
#ifndef HOST_TESTS_CACHE_TRAFFIC_H
#define HOST_TESTS_CACHE_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>

#include "cache/processors.h"
#include "cache/replay.h"
#include "search/tuning.h"

typedef struct traffic_case {
  const char *name;
  const char *from;
  const char *to;
  bool meets_in_sets; /* rows lie about a multiple of 4 KiB apart: their lines meet in few sets */
  bool has_bytes;     /* elements are bytes */
} traffic_case;

extern const traffic_case traffic_cases[];
extern const size_t traffic_case_count;

/* What is to be different from what the library does there; zeros leave that as it is. */
typedef struct traffic_change {
  rlt_tile_blocking blocking; /* in place of all of the row of tuning's */
  const char *schedule;       /* the schedule's text */
} traffic_change;

enum { TRAFFIC_SCHEDULE_SIZE = 400 };

/* Of the source, how often each line comes into each level, and into the first while a load waits.
 * The rest for each line that is written: lines that come into the first level for buffers and
 * tables, and into each for the destination; lines that leave past the caches, whole and not;
 * pages whose place each TLB did not know, and the lines of the system's tables of them. */
typedef struct traffic {
  double source[SIMULATOR_CACHES];
  double waits;
  double buffers;
  double destination[SIMULATOR_CACHES];
  double streamed, in_parts;
  double pages[SIMULATOR_TLBS];
  double page_tables[SIMULATOR_CACHES];
  char schedule[TRAFFIC_SCHEDULE_SIZE];
} traffic;

/* Of one thread, and the most of the plan, its first part. Fails the program, saying why, where no
 * plan can be made, or none that can be replayed. */
void traffic_find(const processor *on, const traffic_case *of, const traffic_change *change,
                  traffic *found);

#endif
