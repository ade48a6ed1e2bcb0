/* run_buffered.c: tiles that are put together, changed where their elements
 * change, and leave line by line. */
#include <string.h>

#include "base/checked.h"
#include "cpu/executable.h"

enum { LINE_BYTES = RLT_CPU_LINE_BYTES };

/* The tile as it has been unpacked. */
static rlt_cpu_tile unpack(const rlt_cpu_call *call, const rlt_cpu_tile *tile, const uint8_t *next,
                           rlt_cpu_scratch *here) {
  rlt_cpu_unpack(call, tile->at, next, here->unpacked);
  rlt_cpu_tile arrived = *tile;
  arrived.source = here->unpacked + RLT_AROUND_RUN;
  arrived.source_end = here->unpacked + sizeof here->unpacked;
  return arrived;
}

/* Rows of fewer elements take less time together, with what lies between them, than one by one. */
enum { LONG_ROW = 256 };

/* Where the tile buffer ends, whatever lies behind the tile. */
static const uint8_t *end_of(const rlt_cpu_scratch *here) {
  return here->buffered + sizeof here->buffered;
}

/* The tile as the destination has it. */
static const uint8_t *encode(const rlt_cpu_executable *made, const rlt_cpu_tile *tile,
                             rlt_cpu_scratch *here) {
  const rlt_cpu_frame *const frame = &made->frame;
  const rlt_tile_buffer *const tile_buffer = &frame->tile_buffer;
  if (made->problem->shuffles) {
    const int64_t bytes = tile_buffer->segment_count * frame->segment_pitch;
    made->shuffle(here->buffered, rlt_divide_up(bytes, LINE_BYTES) * LINE_BYTES,
                  made->problem->shuffle);
  }
  if (!made->encodes) {
    return here->buffered;
  }
  const rlt_tile_steps has = rlt_cpu_steps(frame, tile->at->columns, tile->at->rows);
  const int64_t count = rlt_run_elements(&tile_buffer->segment, has);
  const int64_t bits = rlt_problem_destination_bits(made->problem);
  if (count < LONG_ROW && frame->segment_pitch * 8 == tile_buffer->segment_pitch * bits) {
    rlt_cpu_codec_encode_within(made->codec, here->buffered, end_of(here), here->encoded,
                                (tile_buffer->segment_count - 1) * tile_buffer->segment_pitch +
                                    count);
    return here->encoded;
  }
  const int64_t pitch = tile_buffer->segment_pitch * made->problem->element_bytes;
  for (int64_t s = 0; s < tile_buffer->segment_count; ++s) {
    if (rlt_tile_has_run(has, &frame->segments[s])) {
      rlt_cpu_codec_encode_within(made->codec, here->buffered + s * pitch, end_of(here),
                                  here->encoded + s * frame->segment_pitch, count);
    }
  }
  return here->encoded;
}

/* Between two looks at what to fetch: all of a segment, or a few lines of one that is only
 * reversed, which takes no longer than fetching. */
static int64_t streamed_at_once(const rlt_problem *problem, int64_t count) {
  enum { LINES = 16 };
  return rlt_problem_only_reverses(problem) ? LINES * LINE_BYTES / problem->element_bytes
                                            : rlt_max(count, 1);
}

/* Segments are converted straight into lines that go past the cache, while what a tile that starts
 * at `next` reads is fetched; NULL: nothing is. */
static void stream_encoded(const rlt_cpu_executable *made, const rlt_cpu_tile *tile,
                           const rlt_cpu_scratch *here, const uint8_t *next) {
  const rlt_cpu_frame *const frame = &made->frame;
  const rlt_tile_buffer *const tile_buffer = &frame->tile_buffer;
  const rlt_tile_steps has = rlt_cpu_steps(frame, tile->at->columns, tile->at->rows);
  const int64_t count = rlt_run_elements(&tile_buffer->segment, has);
  const int64_t pitch = tile_buffer->segment_pitch * made->problem->element_bytes;
  const int64_t some = streamed_at_once(made->problem, count);
  rlt_cpu_prefetching ahead = rlt_cpu_prefetching_of(
      frame, next, tile_buffer->segment_count * rlt_max(rlt_divide_up(count, some), 1));
  for (int64_t s = 0; s < tile_buffer->segment_count; ++s) {
    const rlt_tile_run *const segment = &frame->segments[s];
    const int64_t there = rlt_tile_has_run(has, segment) ? count : 0;
    for (int64_t i = 0; i == 0 || i < there; i += some) {
      rlt_cpu_codec_stream_within(
          made->codec, here->buffered + s * pitch + i * made->problem->element_bytes, end_of(here),
          tile->destination + (segment->start + i) * frame->destination_bits / 8,
          rlt_min(some, there - i));
      rlt_cpu_fetch_some(&ahead, ahead.pace, frame->fetch_level);
    }
  }
}

/* A tile that has been put together leaves, while one that starts at `next` in the source is
 * fetched; NULL: none is. */
static void leave(const rlt_cpu_executable *made, const rlt_cpu_tile *tile, const uint8_t *next,
                  rlt_cpu_scratch *here) {
  if (made->streams_encoded) {
    stream_encoded(made, tile, here, next);
    return;
  }
  const uint8_t *const encoded = encode(made, tile, here);
  if (made->merges) {
    rlt_cpu_merge_segments(made, tile, encoded, &here->partial, next, here->unpacked);
  } else {
    made->lines->store_segments(&made->frame, tile, encoded, &here->partial, next);
  }
}

/* A tile of the destination's elements is put together and leaves, a few rows at a time: each has
 * a segment. */
static void leave_in_strips(const rlt_cpu_executable *made, const rlt_cpu_tile *tile,
                            rlt_cpu_scratch *here) {
  const int64_t first = here->partial.first;
  rlt_cpu_frame frame = made->frame;
  rlt_tile at = *tile->at;
  rlt_cpu_tile strip = *tile;
  strip.at = &at;
  for (int64_t r = 0; r < tile->at->rows; r += made->strip_rows) {
    at.rows = rlt_min(made->strip_rows, tile->at->rows - r);
    at.valid_rows = rlt_max(rlt_min(at.rows, tile->at->valid_rows - r), 0);
    frame.rows.from = made->frame.rows.from + r;
    frame.segments = made->frame.segments + r;
    frame.tile_buffer.segment_count = at.rows;
    here->partial.first = first + r;
    made->fill_tile(&frame, &strip, here->buffered);
    made->lines->store_segments(&frame, tile, here->buffered, &here->partial, NULL);
  }
}

/* A tile is put together, of what the source has or what has been unpacked of it, and leaves; while
 * it does the one, where it is unpacked and narrowed then, or the other, a tile that starts at
 * `next` in the source is fetched. NULL: none is. */
static void move_tile(const rlt_cpu_call *call, const rlt_cpu_tile *tile, const uint8_t *next,
                      rlt_cpu_scratch *here) {
  const rlt_cpu_executable *const made = call->made;
  const rlt_cpu_tile arrived = made->unpacks ? unpack(call, tile, next, here) : *tile;
  if (made->strip_rows > 0) {
    leave_in_strips(made, &arrived, here);
    return;
  }
  made->fill_tile(&made->frame, &arrived, here->buffered);
  leave(made, &arrived, made->narrows ? NULL : next, here);
}

void rlt_cpu_move_buffered(const rlt_cpu_call *call, const rlt_tile *tile, rlt_cpu_scratch *here) {
  const rlt_cpu_tile placed = rlt_cpu_place_tile(call, tile);
  const rlt_float_control was = rlt_cpu_codec_enter(call->made->codec);
  here->partial.first = 0;
  move_tile(call, &placed, NULL, here);
  rlt_cpu_codec_leave(call->made->codec, was);
}

/* ---- Tours ---- */

/* The tiles of a tour that are known already, from the one that is moved to the one that is fetched
 * meanwhile, round and round. */
enum { KNOWN_TILES = RLT_MOST_TILES_AHEAD + 1 };
typedef struct known_tile {
  rlt_tile at;
  rlt_cpu_tile tile;
  bool goes_on;          /* a tile of the block goes on with its segments */
  int64_t first_segment; /* among the lines that wait for such tiles */
} known_tile;

static void look_at(const rlt_cpu_iterator *at, known_tile *seen) {
  const rlt_cpu_executable *const made = at->call->made;
  *seen = (known_tile){.at = at->walk.tile};
  seen->tile = rlt_cpu_place_tile(at->call, &seen->at);
  if (made->schedule->combined) {
    seen->goes_on = rlt_walk_goes_on(&at->walk, made->combined_loops);
    seen->first_segment = made->combined_loops.first * rlt_walk_place(&at->walk, 0) *
                          made->frame.tile_buffer.segment_count;
  }
}

/* While one tile leaves, a later one is fetched. */
void rlt_cpu_run_buffered(rlt_cpu_iterator *at, rlt_cpu_scratch *here) {
  const rlt_cpu_executable *const made = at->call->made;
  const int32_t ahead = made->schedule->prefetch.tiles;
  rlt_cpu_partial_lines *const partial = &here->partial;
  known_tile known[KNOWN_TILES];
  const rlt_float_control was = rlt_cpu_codec_enter(made->codec);
  int64_t seen = 1; /* tiles of the tour */
  bool goes_on = true;
  look_at(at, &known[0]);
  for (int64_t moved = 0; moved < seen; ++moved) {
    const known_tile *const now = &known[moved % KNOWN_TILES];
    const uint8_t *fetched = NULL;
    while (goes_on && seen <= moved + rlt_max(ahead, 1)) {
      goes_on = rlt_cpu_iterator_step(at);
      if (goes_on) {
        look_at(at, &known[seen++ % KNOWN_TILES]);
      }
    }
    if (ahead > 0 && moved + ahead < seen) {
      const rlt_cpu_tile *const later = &known[(moved + ahead) % KNOWN_TILES].tile;
      fetched = later->at->valid_columns > 0 ? later->source : NULL;
    }
    partial->goes_on = now->goes_on;
    partial->first = now->first_segment;
    move_tile(at->call, &now->tile, fetched, here);
  }
  rlt_cpu_codec_leave(made->codec, was);
  if (made->schedule->combined) {
    memset(partial->held, 0, sizeof partial->held);
  }
}
