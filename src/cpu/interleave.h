/* interleave.h: two to four channels, or eight, become one run with their elements in turns, and
 * one becomes them (block.h).
 *
 * Transposed in blocks, lanes that are so short would be mostly empty. Instruction sets that cannot
 * put the bytes of a register into any order do without two to four channels of bytes and halves.
 * Eight channels are zipped within lanes, which all can; they are for bytes and halves, since eight
 * wider elements fill blocks well enough.
 *
 * Depends on looked_up.h and transpose.h.
 */
#ifndef RLT_CPU_INTERLEAVE_H
#define RLT_CPU_INTERLEAVE_H

#include "cpu/looked_up.h"
#include "cpu/transpose.h"

#if defined(PLAIN) || ELEMENT_BYTES == 16
#define HAS_CHANNELS 0
#elif defined(__SSE2__) && !defined(__SSSE3__)
#define HAS_CHANNELS (ELEMENT_BYTES >= 4)
#else
#define HAS_CHANNELS 1
#endif
#define HAS_EIGHT (ELEMENT_BYTES <= 2)

enum { MOST_CHANNELS = HAS_EIGHT ? 8 : 4 };

#if ELEMENT_BYTES < 16

/* How many elements of each channel are taken at once. */
static inline int64_t least_channel(int64_t channels) {
  return channels > FEW_CHANNELS ? BLOCK_COLUMNS : HAS_CHANNELS ? CHANNEL : INT64_MAX;
}

/* As interleave_piece, BLOCK_COLUMNS rows at once. */
static inline void interleave_eight(const piece *of) {
  place channels[EIGHT_CHANNELS];
  int64_t step[EIGHT_CHANNELS];
  for (int t = 0; t < EIGHT_CHANNELS; ++t) {
    const bool is_there = has_source(of, t);
    channels[t] = is_there ? column_place(of, t) : of->fill;
    step[t] = is_there ? ELEMENT_BYTES : 0;
  }
  const bool streams = of->streams && (uintptr_t)row_place(of, 0, 0) % LINE_BYTES == 0;
  for (int64_t r = 0; r < of->rows; r += BLOCK_COLUMNS) {
    const int64_t row = block_start(r, of->rows, BLOCK_COLUMNS);
    uint8_t *const to = of->to + of->rows_to[row];
    vector vectors[EIGHT_CHANNELS];
#pragma GCC unroll 8
    for (int t = 0; t < EIGHT_CHANNELS; ++t) {
      vectors[t] = load_vector(channels[t] + row * step[t]);
    }
    rotate_places(vectors, EIGHT_CHANNELS, 3);
    if (streams && row == r) {
      stream_turns((element *)(void *)to, vectors, EIGHT_CHANNELS, true);
      continue;
    }
#pragma GCC unroll 8
    for (int i = 0; i < EIGHT_CHANNELS; ++i) {
      store_lanes(to + i * LANE_BYTES, EIGHT_CHANNELS * LANE_BYTES, vectors[i]);
    }
  }
}

/* Each number of channels is compiled by itself. */
static inline void part_channels(const piece *of, int64_t count, int64_t channels,
                                 const uint8_t *places) {
  if (rlt_channels_need_places(channels)) {
    part_by_places(of, count, channels, places);
  } else if (HAS_EIGHT && channels == 8) {
    deinterleave_eight(of, count);
  } else if (HAS_CHANNELS && channels == 2) {
    deinterleave_piece(of, count, 2);
  } else if (HAS_CHANNELS && channels == 3) {
    deinterleave_piece(of, count, 3);
  } else if (HAS_CHANNELS) {
    deinterleave_piece(of, count, 4);
  }
}

static inline void join_channels(const piece *of, int64_t channels, const uint8_t *places) {
  if (rlt_channels_need_places(channels)) {
    join_by_places(of, channels, places);
  } else if (HAS_EIGHT && channels == 8) {
    interleave_eight(of);
  } else if (HAS_CHANNELS && channels == 2) {
    interleave_piece(of, 2);
  } else if (HAS_CHANNELS && channels == 3) {
    interleave_piece(of, 3);
  } else if (HAS_CHANNELS) {
    interleave_piece(of, 4);
  }
}

#else
/* Elements of 16 bytes have no channels. */
#define least_channel(channels)                    INT64_MAX
#define part_channels(of, count, channels, places) ((void)0)
#define join_channels(of, channels, places)        ((void)0)
#endif

#endif
