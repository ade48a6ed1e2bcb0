/* looked_up.h: five, six or seven channels of bytes or halves, joined and parted by tables of where
 * their bytes go.
 *
 * Each lane does this by itself. As many lanes as there are channels, one behind the other, are
 * *joined*: they hold elements in turns. Each joined lane takes some bytes of each channel's lane,
 * and each channel's lane some of each joined one:
 *
 *     5 channels     a0 .. a15, b0 .. b15, ..     <->     a0 b0 c0 d0 e0 a1 .. a3, b3 c3 ..
 *
 * A table has sixteen places for each lane that is made and each that it takes bytes from; places
 * from 128 on say that the byte is another lane's. Those of lane `made` from lane `taken` are at
 * 16 (count made + taken), first for joining and then for parting.
 *
 * Depends on block.h.
 */
#ifndef RLT_CPU_LOOKED_UP_H
#define RLT_CPU_LOOKED_UP_H

#include "cpu/block.h"

#if LOOKS_UP && ELEMENT_BYTES <= 2
/* Halves are parted faster by blocks. */
enum { MOST_LOOKED_UP = 7, MOST_JOINED = MOST_LOOKED_UP };
enum { MOST_PARTED = ELEMENT_BYTES == 1 ? MOST_LOOKED_UP : 0 };

/* The lanes that these lanes make. */
ALWAYS_INLINE static void make_lanes(const vector *taken, const uint8_t *places, unsigned count,
                                     vector *made) {
  UNROLLED
  for (unsigned m = 0; m < count; ++m) {
    made[m] = take_bytes(taken[0], places + 16 * count * m);
    UNROLLED
    for (unsigned t = 1; t < count; ++t) {
      made[m] |= take_bytes(taken[t], places + 16 * (count * m + t));
    }
  }
}

/* As deinterleave_piece. */
ALWAYS_INLINE static void part_looked_up(const piece *of, position count, unsigned channels,
                                         const uint8_t *places) {
  const position rows = rlt_min(of->rows, channels);
  const int64_t step = (int64_t)channels * LANE_BYTES;
  element *to[MOST_LOOKED_UP];
  for (unsigned r = 0; r < channels; ++r) {
    to[r] = row_place(of, r < rows ? r : 0, 0);
  }
  for (position c = 0; c < count; c += BLOCK_COLUMNS) {
    const position column = block_start(c, count, BLOCK_COLUMNS);
    const place from = column_place(of, column);
    vector joined[MOST_LOOKED_UP];
    vector parted[MOST_LOOKED_UP];
    UNROLLED
    for (unsigned t = 0; t < channels; ++t) {
      joined[t] = load_lanes(from + t * LANE_BYTES, 0, step, 2 * step, 3 * step);
    }
    make_lanes(joined, places + 16 * channels * channels, channels, parted);
    UNROLLED
    for (unsigned r = 0; r < channels; ++r) {
      if (r < rows) {
        store_vector(to[r] + column, parted[r]);
      }
    }
  }
}

/* As interleave_piece. */
ALWAYS_INLINE static void join_looked_up(const piece *of, unsigned channels,
                                         const uint8_t *places) {
  const bool streams = of->streams && (uintptr_t)row_place(of, 0, 0) % LINE_BYTES == 0;
  element *const first = row_place(of, 0, 0);
  place from[MOST_LOOKED_UP];
  int64_t step[MOST_LOOKED_UP];
  for (unsigned t = 0; t < channels; ++t) {
    const bool is_there = has_source(of, t);
    from[t] = is_there ? column_place(of, t) : of->fill;
    step[t] = is_there ? ELEMENT_BYTES : 0;
  }
  for (position r = 0; r < of->rows; r += BLOCK_COLUMNS) {
    const position row = block_start(r, of->rows, BLOCK_COLUMNS);
    element *const to = first + row * channels;
    vector parted[MOST_LOOKED_UP];
    vector joined[MOST_LOOKED_UP];
    UNROLLED
    for (unsigned t = 0; t < channels; ++t) {
      parted[t] = load_vector(from[t] + row * step[t]);
    }
    make_lanes(parted, places, channels, joined);
    if (streams && row == r) {
      stream_turns(to, joined, channels, true);
      continue;
    }
    UNROLLED
    for (unsigned t = 0; t < channels; ++t) {
      store_lanes((uint8_t *)to + t * LANE_BYTES, (int64_t)channels * LANE_BYTES, joined[t]);
    }
  }
}

/* Each number of channels is compiled by itself. */
static void part_by_places(const piece *of, position count, int64_t channels,
                           const uint8_t *places) {
  if (MOST_PARTED == 0) {
    return;
  }
  if (channels == 5) {
    part_looked_up(of, count, 5, places);
  } else if (channels == 6) {
    part_looked_up(of, count, 6, places);
  } else {
    part_looked_up(of, count, 7, places);
  }
}

static void join_by_places(const piece *of, int64_t channels, const uint8_t *places) {
  if (channels == 5) {
    join_looked_up(of, 5, places);
  } else if (channels == 6) {
    join_looked_up(of, 6, places);
  } else {
    join_looked_up(of, 7, places);
  }
}

#else
enum { MOST_JOINED = 0, MOST_PARTED = 0 };
#define part_by_places(of, count, channels, places) ((void)(places))
#define join_by_places(of, channels, places)        ((void)(places))
#endif

#endif
