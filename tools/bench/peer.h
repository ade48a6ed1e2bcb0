/* peer.h: others that can do what a relayout does, and what a benchmark found out about them.
 * Depends on the public headers. */
#ifndef TOOLS_BENCH_PEER_H
#define TOOLS_BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/element_type.h"
#include "relayout/status.h"

enum { BENCH_MOST_PEERS = 4 };

typedef struct bench_peer {
  const char *name;
  const char *label;   /* what a column of the table is headed with */
  const char *missing; /* why it cannot be measured here; NULL when it can */
  bool computes; /* takes elements for f32, f64 and pairs of f64, by their size, so that special
                          numbers may not come out as they went in */
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

/* What a peer takes the elements of a result for: their type where it changed on the way, what it
 * computes with where it does, and else for bits, which is RELAYOUT_ELEMENT_TYPE_INVALID. */
relayout_element_type bench_peer_takes_for(const bench_peer *peer, relayout_element_type from,
                                           relayout_element_type to);

/* Holds what a peer made against what is right: exact, bit by bit; inexact where it takes elements
 * for f16, bf16, f32, f64 or c128 and none differ but those with a NaN, an infinity, a denormal or
 * a number of the least exponent above; else wrong. `size` is whole elements. */
bench_verdict bench_judge_peer(relayout_element_type taken_for, const uint8_t *made,
                               const uint8_t *right, size_t size);

#endif
