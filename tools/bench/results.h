/* results.h: what a benchmark found. Depends on the public headers, peer.h, statistics.h and
 * suite.h. */
#ifndef TOOLS_BENCH_RESULTS_H
#define TOOLS_BENCH_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "peer.h"
#include "relayout/relayout.h"
#include "suite.h"

typedef struct bench_result {
  bench_case of;
  char skipped[RELAYOUT_MESSAGE_SIZE]; /* why there are no numbers; empty when there are */
  bool was_shrunk;
  const char *method; /* of the plan's largest part */
  char *schedule;     /* of all its parts, " | " between them; the result's own */
  size_t repetitions;
  size_t bytes;         /* bench_case_bytes */
  double median_s;      /* by the clock that counts */
  double median_wall_s; /* from the call until the result is there */
  double gbps;
  double copy_gbps; /* the best plain copy of as many bytes, measured in between */
  const char *copy; /* what that was */
  double fraction;  /* gbps of copy_gbps */
  double predicted; /* what the plan said that would be */
  double spread;    /* of the fraction from repetition to repetition, see statistics_spread */
  bench_peer_result peers[BENCH_MOST_PEERS];
  size_t peer_count; /* of the results it belongs to */
} bench_result;

typedef struct bench_results {
  const char *suite; /* its name, or "" for a single case */
  bool is_hot;
  relayout_device_info device;
  const char *clock; /* the one that counts: "device" or "wall" */
  const char *pages; /* of the memory: "ordinary" or "huge"; NULL where the driver chooses */
  relayout_plan_effort effort;
  bool is_unverified;
  bool with_peers; /* they were asked for */
  bench_peer peers[BENCH_MOST_PEERS];
  size_t peer_count;
  bench_result *cases;
  size_t count;
} bench_results;

/* How many times as fast as a peer relayouts were, over the cases that it could do. */
typedef struct bench_lead {
  size_t measured;
  double geomean;
  double worst;
  const char *worst_name;
} bench_lead;

/* Of the cases that have numbers. */
typedef struct bench_summary {
  size_t measured;
  size_t skipped;
  double geomean;
  double median;
  double worst;
  const char *worst_name;
  double copy_gbps; /* the median over the cases */
  bench_lead leads[BENCH_MOST_PEERS];
} bench_summary;

/* False without memory. With nothing measured all numbers are 0 and the worst name is "". */
bool bench_summarize(const bench_results *results, bench_summary *summary);

void bench_results_free(bench_results *results);

#endif
