/* peer.h: others that can do what a relayout does, and what a benchmark found out about them. Depends
 * on the public headers. */
#ifndef TOOLS_BENCH_PEER_H
#define TOOLS_BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/status.h"

enum { BENCH_MOST_PEERS = 4 };

typedef struct bench_peer {
  const char *name;
  const char *label;   /* what a column of the table is headed with */
  const char *missing; /* why it cannot be measured here; NULL when it can */
  bool computes;       /* takes elements for numbers, so that special ones may not come out as they
                          went in */
} bench_peer;

typedef enum bench_peer_state {
  BENCH_PEER_MISSING,
  BENCH_PEER_IDLE, /* the case is not for it */
  BENCH_PEER_MEASURED,
  BENCH_PEER_FAILED,
  BENCH_PEER_WRONG
} bench_peer_state;

/* What a peer did with one case. The numbers are those of BENCH_PEER_MEASURED. */
typedef struct bench_peer_result {
  bench_peer_state state;
  bool is_exact; /* every bit; if not, special numbers differ (see bench_judge_peer) */
  double median_s;
  double fraction;                     /* of the best plain copy */
  char message[RELAYOUT_MESSAGE_SIZE]; /* of BENCH_PEER_FAILED */
} bench_peer_result;

typedef enum bench_verdict { BENCH_EXACT, BENCH_INEXACT, BENCH_WRONG } bench_verdict;

/* Holds what a peer made against what is right: exact, bit by bit; inexact where it computes, elements
 * of 4, 8 and 16 bytes are f32, f64 and pairs of f64, and none differ but those with a NaN, an
 * infinity or a denormal; else wrong. `size` is whole elements. */
bench_verdict bench_judge_peer(const bench_peer *peer, size_t element_bytes, const uint8_t *made,
                               const uint8_t *right, size_t size);

#endif
