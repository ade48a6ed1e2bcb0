/* cpu_peers.h: others that move what a relayout moves in host memory: oneDNN's reorder, OpenBLAS's
 * omatcopy and Eigen's Tensor. Where padding has to be written, a fill of the whole
 * destination comes first. Depends on cpu_mover.h and peer.h. */
#ifndef TOOLS_BENCH_CPU_PEERS_H
#define TOOLS_BENCH_CPU_PEERS_H

#include "cpu_mover.h"
#include "peer.h"
#include "pool.h"

typedef struct cpu_peers {
  pool *threads; /* the caller's */
  bench_strided moved;
  void *movers[BENCH_MOST_PEERS]; /* NULL where they are missing */
} cpu_peers;

/* Fills in `listed`, of BENCH_MOST_PEERS, and how many there are. Those that can work with several
 * threads get this many. The pool must outlive the peers. */
void cpu_peers_find(cpu_peers *peers, pool *threads, bench_peer *listed, size_t *count);
void cpu_peers_release(cpu_peers *peers);

/* Gets ready for a relayout, and says which of them can do it. */
void cpu_peers_prepare(cpu_peers *peers, const relayout_shape *from, const relayout_shape *to,
                       bool takes[BENCH_MOST_PEERS]);

/* Does the prepared relayout; false where the peer fails. */
bool cpu_peers_run(const cpu_peers *peers, size_t which, void *to, const void *from);

#endif
