/* lanes.h: five to eight channels of bytes or halves, joined and parted within lanes.
 *
 * As many lanes as there are channels, one behind the other, are *joined*: they hold elements in
 * turns. Each lane of a vector changes by itself:
 *
 *     5 channels     a0 .. a15, b0 .. b15, ..     <->     a0 b0 c0 d0 e0 a1 .. a3, b3 c3 ..
 *
 * Eight channels are zipped, which all instruction sets can. Five, six and seven are put together
 * by tables, where bytes can be looked up. A table has sixteen places for each lane that is made
 * and each lane that it takes bytes from; places from 128 on say that the byte is another lane's.
 * Those of lane `made` from lane `taken` are at 16 (count made + taken), first for joining and then
 * for parting.
 *
 * Depends on block.h.
 */
#ifndef RLT_CPU_LANES_H
#define RLT_CPU_LANES_H

#include "cpu/block.h"

enum { EIGHT_CHANNELS = 8 };

/* Halves are parted faster by blocks. */
enum {
  MOST_JOINED = LOOKS_UP && ELEMENT_BYTES <= 2 ? EIGHT_CHANNELS - 1 : 0,
  MOST_PARTED = LOOKS_UP && ELEMENT_BYTES == 1 ? EIGHT_CHANNELS - 1 : 0
};

#if ELEMENT_BYTES <= 2

/* Lanes become others, by a table. */
ALWAYS_INLINE static void look_up_lanes(vector *lanes, unsigned channels, const uint8_t *places) {
#if LOOKS_UP
  vector made[EIGHT_CHANNELS];
  UNROLLED
  for (unsigned m = 0; m < channels; ++m) {
    made[m] = take_bytes(lanes[0], places + 16 * channels * m);
    UNROLLED
    for (unsigned t = 1; t < channels; ++t) {
      made[m] |= take_bytes(lanes[t], places + 16 * (channels * m + t));
    }
  }
  UNROLLED
  for (unsigned m = 0; m < channels; ++m) {
    lanes[m] = made[m];
  }
#else
  (void)lanes;
  (void)channels;
  (void)places;
#endif
}

ALWAYS_INLINE static void join_lanes(vector *lanes, unsigned channels, const uint8_t *places) {
  if (channels == EIGHT_CHANNELS) {
    rotate_places(lanes, EIGHT_CHANNELS, 3);
  } else {
    look_up_lanes(lanes, channels, places);
  }
}

/* Of eight channels lane l of vector i is number 8 l + i of the source's: in (vector, element of a
 * lane) the lowest three bits are the channel, and come to be the vector. */
ALWAYS_INLINE static void part_lanes(vector *lanes, unsigned channels, const uint8_t *places) {
  if (channels == EIGHT_CHANNELS) {
    rotate_places(lanes, EIGHT_CHANNELS, LOG2_BLOCK_ROWS);
  } else {
    look_up_lanes(lanes, channels, places + 16 * channels * channels);
  }
}

/* As interleave_piece, BLOCK_COLUMNS rows at once. */
ALWAYS_INLINE static void join_by_lanes(const piece *of, unsigned channels, const uint8_t *places) {
  const bool streams = streams_from(of);
  element *const first = row_place(of, 0, 0);
  place from[EIGHT_CHANNELS];
  int64_t step[EIGHT_CHANNELS];
  for (unsigned t = 0; t < channels; ++t) {
    const bool is_there = has_source(of, t);
    from[t] = is_there ? column_place(of, t) : of->fill;
    step[t] = is_there ? ELEMENT_BYTES : 0;
  }
  for (position r = 0; r < of->rows; r += BLOCK_COLUMNS) {
    const position row = block_start(r, of->rows, BLOCK_COLUMNS);
    element *const to = first + row * channels;
    vector lanes[EIGHT_CHANNELS];
    UNROLLED
    for (unsigned t = 0; t < channels; ++t) {
      lanes[t] = load_vector(from[t] + row * step[t]);
    }
    join_lanes(lanes, channels, places);
    if (streams && row == r) {
      stream_turns(to, lanes, channels, true);
      continue;
    }
    UNROLLED
    for (unsigned t = 0; t < channels; ++t) {
      store_lanes((uint8_t *)to + t * LANE_BYTES, (int64_t)channels * LANE_BYTES, lanes[t]);
    }
  }
}

/* As deinterleave_piece. */
ALWAYS_INLINE static void part_by_lanes(const piece *of, position count, unsigned channels,
                                        const uint8_t *places) {
  const position rows = rlt_min(of->rows, channels);
  const int64_t step = (int64_t)channels * LANE_BYTES;
  element *to[EIGHT_CHANNELS];
  for (unsigned r = 0; r < channels; ++r) {
    to[r] = row_place(of, r < rows ? r : 0, 0);
  }
  for (position c = 0; c < count; c += BLOCK_COLUMNS) {
    const position column = block_start(c, count, BLOCK_COLUMNS);
    const place from = column_place(of, column);
    vector lanes[EIGHT_CHANNELS];
    UNROLLED
    for (unsigned t = 0; t < channels; ++t) {
      lanes[t] = load_lanes(from + t * LANE_BYTES, 0, step, 2 * step, 3 * step);
    }
    part_lanes(lanes, channels, places);
    UNROLLED
    for (unsigned r = 0; r < channels; ++r) {
      if (r < rows) {
        store_vector(to[r] + column, lanes[r]);
      }
    }
  }
}

#else
#define join_by_lanes(of, channels, places)        ((void)(places))
#define part_by_lanes(of, count, channels, places) ((void)(places))
#endif

#endif
