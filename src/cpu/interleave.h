/* interleave.h: two to eight channels become one run with their elements in turns, and one becomes
 * them: two to four as block.h does it, more as lanes.h does.
 *
 * Transposed in blocks, lanes that are so short would be mostly empty. Instruction sets that cannot
 * put the bytes of a register into any order do without two to seven channels of bytes and halves.
 * From five on channels are for bytes and halves, since as many wider elements fill blocks well
 * enough.
 *
 * Depends on lanes.h and transpose.h.
 */
#ifndef RLT_CPU_INTERLEAVE_H
#define RLT_CPU_INTERLEAVE_H

#include "cpu/lanes.h"
#include "cpu/transpose.h"

#if defined(PLAIN) || ELEMENT_BYTES == 16
#define HAS_CHANNELS 0
#elif defined(__SSE2__) && !defined(__SSSE3__)
#define HAS_CHANNELS (ELEMENT_BYTES >= 4)
#else
#define HAS_CHANNELS 1
#endif
#define HAS_EIGHT (ELEMENT_BYTES <= 2)

enum { MOST_CHANNELS = HAS_EIGHT ? EIGHT_CHANNELS : 4 };

#if ELEMENT_BYTES < 16

/* How many elements of each channel are taken at once. */
static inline int64_t least_channel(int64_t channels) {
  return channels > FEW_CHANNELS ? BLOCK_COLUMNS : HAS_CHANNELS ? CHANNEL : INT64_MAX;
}

/* Each number of channels is compiled by itself. */
static inline void part_channels(const piece *of, int64_t count, int64_t channels) {
  if (channels == 8) {
    part_by_lanes(of, count, 8);
  } else if (MOST_IN_LANES > 0 && channels == 7) {
    part_by_lanes(of, count, 7);
  } else if (MOST_IN_LANES > 0 && channels == 6) {
    part_by_lanes(of, count, 6);
  } else if (MOST_IN_LANES > 0 && channels == 5) {
    part_by_lanes(of, count, 5);
  } else if (HAS_CHANNELS && channels == 2) {
    deinterleave_piece(of, count, 2);
  } else if (HAS_CHANNELS && channels == 3) {
    deinterleave_piece(of, count, 3);
  } else if (HAS_CHANNELS) {
    deinterleave_piece(of, count, 4);
  }
}

static inline void join_channels(const piece *of, int64_t channels) {
  if (channels == 8) {
    join_by_lanes(of, 8);
  } else if (MOST_IN_LANES > 0 && channels == 7) {
    join_by_lanes(of, 7);
  } else if (MOST_IN_LANES > 0 && channels == 6) {
    join_by_lanes(of, 6);
  } else if (MOST_IN_LANES > 0 && channels == 5) {
    join_by_lanes(of, 5);
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
#define least_channel(channels)            INT64_MAX
#define part_channels(of, count, channels) ((void)0)
#define join_channels(of, channels)        ((void)0)
#endif

#endif
