/* cpu_peers.c: oneDNN, OpenBLAS and Eigen, asked for the same relayouts in host memory. */
#include "cpu_peers.h"

#include "host_fill.h"

enum { PEER_COUNT = 3 };

#ifdef BENCH_HAS_ONEDNN
#define ONEDNN &onednn_mover
#else
#define ONEDNN NULL
#endif
#ifdef BENCH_HAS_EIGEN
#define EIGEN &eigen_mover
#else
#define EIGEN NULL
#endif

static const struct {
  bench_peer listed;
  const cpu_mover *mover; /* NULL where the build did not find it */
} peers_known[PEER_COUNT] = {
    {{.name = "oneDNN reorder", .label = "ONEDNN"}, ONEDNN},
    {{.name = "OpenBLAS omatcopy", .label = "OPENBLAS", .computes = true}, &openblas_mover},
    {{.name = "Eigen Tensor", .label = "EIGEN"}, EIGEN},
};

void cpu_peers_find(cpu_peers *peers, pool *threads, bench_peer *listed, size_t *count) {
  peers->threads = threads;
  for (size_t i = 0; i < PEER_COUNT; i++) {
    const cpu_mover *const mover = peers_known[i].mover;
    peers->movers[i] = mover != NULL ? mover->open((int)pool_threads(threads)) : NULL;
    listed[i] = peers_known[i].listed;
    listed[i].missing = mover == NULL              ? "not built in"
                        : peers->movers[i] == NULL ? "not installed"
                                                   : NULL;
  }
  *count = PEER_COUNT;
}

void cpu_peers_release(cpu_peers *peers) {
  for (size_t i = 0; i < PEER_COUNT; i++) {
    if (peers->movers[i] != NULL) {
      peers_known[i].mover->close(peers->movers[i]);
    }
    peers->movers[i] = NULL;
  }
}

void cpu_peers_prepare(cpu_peers *peers, const relayout_shape *from, const relayout_shape *to,
                       bool takes[BENCH_MOST_PEERS]) {
  const bool is_strided = bench_strided_of(from, to, &peers->moved);
  peers->moved.fills = is_strided && peers->moved.fills;
  for (size_t i = 0; i < PEER_COUNT; i++) {
    const cpu_mover *const mover = peers_known[i].mover;
    takes[i] = false;
    if (peers->movers[i] != NULL && is_strided) {
      takes[i] = mover->prepare(peers->movers[i], &peers->moved);
    } else if (peers->movers[i] != NULL && mover->prepare_shapes != NULL) {
      takes[i] = mover->prepare_shapes(peers->movers[i], from, to);
    }
  }
}

bool cpu_peers_run(const cpu_peers *peers, size_t which, void *to, const void *from) {
  if (peers->moved.fills) {
    host_fill_run(peers->threads, to, peers->moved.destination_bytes, peers->moved.fill,
                  peers->moved.element_bytes);
  }
  return peers_known[which].mover->run(peers->movers[which], to, from);
}
