/* run_staged.c: tiles that are put together, changed where their elements
 * change, and leave line by line. */
#include <string.h>

#include "base/checked.h"
#include "cpu/program.h"

enum { LINE_BYTES = RLT_CPU_LINE_BYTES };

/* Puts a tile together from the source, or from what has been unpacked of it. */
static void stage(const rlt_cpu_tour *at, const rlt_cpu_tile *tile, rlt_cpu_scratch *here) {
  const rlt_cpu_program *const made = at->call->made;
  if (!made->unpacks) {
    made->gather(&made->frame, tile, here->staged);
    return;
  }
  rlt_cpu_unpack(at, here->unpacked);
  rlt_cpu_tile arrived = *tile;
  arrived.source = here->unpacked + RLT_AROUND_RUN;
  arrived.source_end = here->unpacked + sizeof here->unpacked;
  made->gather(&made->frame, &arrived, here->staged);
}

/* Rows of fewer elements take less time together, with what lies between them, than one by one. */
enum { LONG_ROW = 256 };

/* The tile as the destination has it. */
static const uint8_t *encode(const rlt_cpu_program *made, const rlt_cpu_tile *tile,
                             rlt_cpu_scratch *here) {
  const rlt_cpu_frame *const frame = &made->frame;
  const rlt_staging *const staging = &frame->staging;
  if (made->problem->shuffles) {
    const int64_t bytes = staging->segment_count * frame->segment_pitch;
    made->kernels->shuffle(here->staged, rlt_divide_up(bytes, LINE_BYTES) * LINE_BYTES,
                           made->problem->shuffle);
  }
  if (!made->encodes) {
    return here->staged;
  }
  const rlt_tile_steps has = rlt_cpu_steps(frame, tile->at.columns, tile->at.rows);
  const int64_t count = rlt_run_elements(&staging->segment, has);
  const int64_t bits = rlt_problem_destination_bits(made->problem);
  if (count < LONG_ROW && frame->segment_pitch * 8 == staging->segment_pitch * bits) {
    rlt_cpu_codec_encode(made->codec, here->staged, here->encoded,
                         (staging->segment_count - 1) * staging->segment_pitch + count);
    return here->encoded;
  }
  const int64_t pitch = staging->segment_pitch * made->problem->element_bytes;
  for (int64_t s = 0; s < staging->segment_count; ++s) {
    if (rlt_tile_has_run(has, &frame->segments[s])) {
      rlt_cpu_codec_encode(made->codec, here->staged + s * pitch,
                           here->encoded + s * frame->segment_pitch, count);
    }
  }
  return here->encoded;
}

/* While one tile leaves, the next one arrives. */
void rlt_cpu_run_staged(rlt_cpu_tour *at, rlt_cpu_scratch *here) {
  const rlt_cpu_program *const made = at->call->made;
  rlt_cpu_partial_lines *const partial = &here->partial;
  partial->goes_on = false;
  partial->first = 0;
  memset(partial->held, 0, sizeof partial->held);
  rlt_cpu_tile tile = rlt_cpu_tour_tile(at);
  bool goes_on = true;
  while (goes_on) {
    stage(at, &tile, here);
    if (made->schedule->combined) {
      partial->goes_on = rlt_walk_goes_on(&at->walk, made->combined_loops);
      partial->first = made->combined_loops.first * rlt_walk_place(&at->walk, 0) *
                       made->frame.staging.segment_count;
    }
    goes_on = rlt_cpu_tour_step(at);
    const rlt_cpu_tile next = rlt_cpu_tour_tile(at);
    const uint8_t *const arrives = goes_on && next.at.valid_columns > 0 ? next.source : NULL;
    const uint8_t *const encoded = encode(made, &tile, here);
    if (made->merges) {
      rlt_cpu_merge_segments(made, &tile, encoded, partial, arrives, here->unpacked);
    } else {
      made->kernels->store_segments(&made->frame, &tile, encoded, partial, arrives);
    }
    tile = next;
  }
}
