/* opencl_peers.h: others that move what a relayout moves on the same OpenCL device:
 * clEnqueueCopyBufferRect, and CLBlast's omatcopy. Where padding has to be written, a
 * clEnqueueFillBuffer of the whole destination comes first. Depends on clblast.h, opencl_copy.h,
 * peer.h and rect_copy.h. */
#ifndef TOOLS_BENCH_OPENCL_PEERS_H
#define TOOLS_BENCH_OPENCL_PEERS_H

#include "clblast.h"
#include "opencl_copy.h"
#include "peer.h"
#include "rect_copy.h"

typedef struct opencl_peers {
  clblast *library; /* NULL where it is missing */
  bench_strided moved;
  rect_copy rects;
  bench_transposition transposition;
} opencl_peers;

/* Fills in `listed`, of BENCH_MOST_PEERS, and how many there are. */
void opencl_peers_find(opencl_peers *peers, bench_peer *listed, size_t *count);
void opencl_peers_release(opencl_peers *peers);

/* Gets ready for a relayout, and says which of them can do it. */
void opencl_peers_prepare(opencl_peers *peers, const relayout_shape *from, const relayout_shape *to,
                          bool takes[BENCH_MOST_PEERS]);

/* Does the prepared relayout on an in-order queue. The move's size does not matter. The
 * events, for the caller to release, are those of the first command and of the last; there
 * are none on failure, and both are the same where there is but one command. Returns a
 * status of OpenCL or of CLBlast. */
cl_int opencl_peers_enqueue(const opencl_peers *peers, size_t which, cl_command_queue queue,
                            const opencl_move *move, cl_event events[2]);

#endif
