/* replay.h: a program of the CPU backend, without its kernels: the addresses that they load, store
 * and fetch ahead, in their order, into a simulator.
 *
 * Depends on simulator.h and cpu/executable.h.
 */
#ifndef HOST_TESTS_CACHE_REPLAY_H
#define HOST_TESTS_CACHE_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "cache/simulator.h"
#include "cpu/executable.h"
#include "schedule/facts.h"

/* How much of a program, tile by tile from its first block on, and what it is to do without. */
typedef struct replay_options {
  int64_t bytes_before;  /* that are read before anything is counted; there are more */
  int64_t bytes_counted; /* about so many are read, and as many written, from there on */
  bool streams;          /* what a schedule streams; else stores go through the caches */
  bool prefetches;       /* what it fetches ahead */
} replay_options;

typedef struct replay_result {
  simulator_counts counts;
  int64_t bytes_read; /* of the source, each once */
  int64_t bytes_written;
} replay_result;

/* Whether it can be replayed: elements stay as they are, and nothing is filled. */
bool replay_can(const rlt_cpu_executable *program);

/* One thread's way through the program's blocks, by kernels that do as much at once as the facts
 * say. Both sides begin with a page. */
replay_result replay(const rlt_cpu_executable *program, const rlt_facts *facts,
                     const replay_options *options, simulator *on);

/* Lines that came into this level from behind it, for each that had to. */
double replay_source_fetches(const replay_result *of, const simulator_geometry *geometry,
                             int32_t level);

#endif
