/* lanes.h: five to eight channels of bytes or halves, joined and parted within lanes.
 *
 * A *packet* is what one element of each channel takes where they are joined, or two neighbours of
 * each if they are bytes: 10 to 16 bytes, and a lane has room for one. Eight vectors have the
 * packets of as many elements as are in a vector: lane l of vector i is packet 8 l + i. Their
 * *units* of two bytes are transposed lane by lane, so that unit c of vector i is unit i of vector
 * c, which is a channel:
 *
 *     5 channels of halves     a0 b0 c0 d0 e0 . . .     <->     a0 a1 a2 a3 a4 a5 a6 a7
 *                              a1 b1 c1 d1 e1 . . .             b0 b1 b2 b3 b4 b5 b6 b7
 *
 * A unit of bytes is two neighbours of a channel, and packets have their bytes in another order
 * before. Eight channels are zipped instead, which all instruction sets can.
 *
 * Depends on block.h.
 */
#ifndef RLT_CPU_LANES_H
#define RLT_CPU_LANES_H

#include "cpu/block.h"

enum {
  EIGHT_CHANNELS = 8,
  MOST_IN_LANES = LOOKS_UP && ELEMENT_BYTES <= 2 ? EIGHT_CHANNELS - 1 : 0
};

#if ELEMENT_BYTES <= 2

#define PACKET_BYTES(channels) (2 * (channels))

#if LOOKS_UP

/* Once units are transposed, byte `at` of a packet is here in its lane. */
#if ELEMENT_BYTES == 1
#define IN_UNITS(channels, at) (2 * ((at) % (channels)) + (at) / (channels))
#else
#define IN_UNITS(channels, at) (at)
#endif

enum { LEAST_IN_LANES = FEW_CHANNELS + 1 };

/* Byte b of lane `lane` of joined channels comes from this packet, counted from the first one that
 * the lane has bytes of, or from elsewhere. */
enum { NOWHERE = 0x80 };
#define JOINED(lane, b)         (LANE_BYTES * (lane) + (b))
#define PACKET_OF(channels, at) ((at) / PACKET_BYTES(channels))
#define PLACE_IN_UNITS(channels, lane, packet, b)                                                  \
  (PACKET_OF(channels, JOINED(lane, b)) - PACKET_OF(channels, JOINED(lane, 0)) == (packet)         \
       ? IN_UNITS(channels, JOINED(lane, b) % PACKET_BYTES(channels))                              \
       : NOWHERE)
/* Byte b of a packet, as units, comes from here where they are joined. */
#define PLACE_IN_PACKET(channels, b)                                                               \
  ((b) / 2 < (channels) ? (b) % 2 * (channels) + (b) / 2 : NOWHERE)

#define BYTES_2(place, b, ...) place(__VA_ARGS__, b), place(__VA_ARGS__, (b) + 1)
#define BYTES_4(place, b, ...) BYTES_2(place, b, __VA_ARGS__), BYTES_2(place, (b) + 2, __VA_ARGS__)
#define BYTES_8(place, b, ...) BYTES_4(place, b, __VA_ARGS__), BYTES_4(place, (b) + 4, __VA_ARGS__)
#define BYTES_16(place, ...)   BYTES_8(place, 0, __VA_ARGS__), BYTES_8(place, 8, __VA_ARGS__)
#define JOINED_LANE(channels, lane)                                                                \
  {                                                                                                \
    {BYTES_16(PLACE_IN_UNITS, channels, lane, 0)}, {BYTES_16(PLACE_IN_UNITS, channels, lane, 1)},  \
        {BYTES_16(PLACE_IN_UNITS, channels, lane, 2)},                                             \
  }
#define JOINED_LANES(channels)                                                                     \
  {                                                                                                \
    JOINED_LANE(channels, 0), JOINED_LANE(channels, 1), JOINED_LANE(channels, 2),                  \
        JOINED_LANE(channels, 3), JOINED_LANE(channels, 4), JOINED_LANE(channels, 5),              \
        JOINED_LANE(channels, 6)                                                                   \
  }
static const uint8_t places_in_units[][EIGHT_CHANNELS - 1][3][LANE_BYTES] = {
    JOINED_LANES(5), JOINED_LANES(6), JOINED_LANES(7)};

/* Units among eight vectors, as zip_vectors zips elements. */
typedef uint16_t units __attribute__((vector_size(VECTOR_BYTES)));
#define UNITS (VECTOR_BYTES / 2)
#if VECTOR_BYTES == 64
#define UNIT_PLACES(place, first) PLACES_32(place, 0, first)
#elif VECTOR_BYTES == 32
#define UNIT_PLACES(place, first) PLACES_16(place, 0, first)
#else
#define UNIT_PLACES(place, first) PLACES_8(place, 0, first)
#endif
#define UNIT_ZIPPED(i, first) ((i) / 8 * 8 + (first) + (i) % 8 / 2 + (i) % 2 * UNITS)

ALWAYS_INLINE static void zip_units(const units *in, units *out) {
  UNROLLED
  for (unsigned i = 0; i < EIGHT_CHANNELS / 2; ++i) {
    const units a = in[i], b = in[i + EIGHT_CHANNELS / 2];
    out[2 * i] = SHUFFLE(a, b, UNIT_PLACES(UNIT_ZIPPED, 0));
    out[2 * i + 1] = SHUFFLE(a, b, UNIT_PLACES(UNIT_ZIPPED, 4));
  }
}

ALWAYS_INLINE static void transpose_units(vector *lanes) {
  units zipped[EIGHT_CHANNELS], again[EIGHT_CHANNELS];
  UNROLLED
  for (unsigned i = 0; i < EIGHT_CHANNELS; ++i) {
    again[i] = (units)lanes[i];
  }
  zip_units(again, zipped);
  zip_units(zipped, again);
  zip_units(again, zipped);
  UNROLLED
  for (unsigned i = 0; i < EIGHT_CHANNELS; ++i) {
    lanes[i] = (vector)zipped[i];
  }
}

/* Five to seven channels become as many vectors of joined lanes. */
ALWAYS_INLINE static void join_packets(vector *lanes, unsigned channels) {
  vector packets[EIGHT_CHANNELS];
  UNROLLED
  for (unsigned t = 0; t < EIGHT_CHANNELS; ++t) {
    packets[t] = t < channels ? lanes[t] : (vector){0};
  }
  transpose_units(packets);
  UNROLLED
  for (unsigned k = 0; k < channels; ++k) {
    const uint8_t(*const places)[LANE_BYTES] = places_in_units[channels - LEAST_IN_LANES][k];
    const unsigned first = PACKET_OF(channels, JOINED(k, 0));
    const unsigned last = PACKET_OF(channels, JOINED(k, LANE_BYTES - 1));
    lanes[k] = take_bytes(packets[first], places[0]) | take_bytes(packets[first + 1], places[1]);
    if (last > first + 1) {
      lanes[k] |= take_bytes(packets[last], places[2]);
    }
  }
}

ALWAYS_INLINE static void part_packets(vector *lanes, unsigned channels) {
#if ELEMENT_BYTES == 1
  static const uint8_t places_in_packets[][LANE_BYTES] = {{BYTES_16(PLACE_IN_PACKET, 5)},
                                                          {BYTES_16(PLACE_IN_PACKET, 6)},
                                                          {BYTES_16(PLACE_IN_PACKET, 7)}};
  UNROLLED
  for (unsigned t = 0; t < EIGHT_CHANNELS; ++t) {
    lanes[t] = take_bytes(lanes[t], places_in_packets[channels - LEAST_IN_LANES]);
  }
#else
  (void)channels;
#endif
  transpose_units(lanes);
}

#else
#define join_packets(lanes, channels) ((void)(lanes))
#define part_packets(lanes, channels) ((void)(lanes))
#endif

ALWAYS_INLINE static void join_lanes(vector *lanes, unsigned channels) {
  if (channels == EIGHT_CHANNELS) {
    rotate_places(lanes, EIGHT_CHANNELS, 3);
  } else {
    join_packets(lanes, channels);
  }
}

/* Of eight channels, in (vector, element of a lane) the lowest three bits are the channel, and come
 * to be the vector. */
ALWAYS_INLINE static void part_lanes(vector *lanes, unsigned channels) {
  if (channels == EIGHT_CHANNELS) {
    rotate_places(lanes, EIGHT_CHANNELS, LOG2_BLOCK_ROWS);
  } else {
    part_packets(lanes, channels);
  }
}

/* As interleave_piece, BLOCK_COLUMNS rows at once. */
ALWAYS_INLINE static void join_by_lanes(const piece *of, unsigned channels) {
  const bool streams = streams_rows(of, 1);
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
    join_lanes(lanes, channels);
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

/* The channels of as many elements as a vector has, and up to 6 bytes behind them, are read. */
ALWAYS_INLINE static void part_some(place from, vector *lanes, unsigned channels) {
  const int64_t packet = PACKET_BYTES((int64_t)channels), step = EIGHT_CHANNELS * packet;
  UNROLLED
  for (unsigned t = 0; t < EIGHT_CHANNELS; ++t) {
    lanes[t] = load_lanes(from + t * packet, 0, step, 2 * step, 3 * step);
  }
  part_lanes(lanes, channels);
}

enum { PARTED_BYTES = EIGHT_CHANNELS * VECTOR_BYTES + LANE_BYTES };

/* From where part_some may read behind the channels: their own place, or `room`. */
ALWAYS_INLINE static place readable(const piece *of, position column, bool is_last,
                                    unsigned channels, uint8_t room[PARTED_BYTES]) {
  const place from = onward(column_place(of, 0), column * channels);
  if (!of->is_near_end || !is_last) {
    return from;
  }
  memcpy(room, from, channels * VECTOR_BYTES);
  return room;
}

/* As deinterleave_piece. */
ALWAYS_INLINE static void part_by_lanes(const piece *one, position count, unsigned channels) {
  const piece held = *one;
  const piece *const of = &held;
  const bool streams = streams_rows(of, channels);
  uint8_t room[PARTED_BYTES];
  vector lanes[LINE_VECTORS * EIGHT_CHANNELS];
  position c = 0;
  while (streams && c + LINE_VECTORS * BLOCK_COLUMNS <= count) {
    const position start = c;
#pragma GCC unroll 1
    for (unsigned v = 0; v < LINE_VECTORS; ++v, c += BLOCK_COLUMNS) {
      const bool is_last = c + BLOCK_COLUMNS == count;
      part_some(readable(of, c, is_last, channels, room), lanes + v * channels, channels);
    }
    stream_rows(of, start, lanes, channels);
  }
  for (; c < count; c += BLOCK_COLUMNS) {
    const position column = block_start(c, count, BLOCK_COLUMNS);
    const bool is_last = column + BLOCK_COLUMNS == count;
    part_some(readable(of, column, is_last, channels, room), lanes, channels);
    UNROLLED
    for (unsigned r = 0; r < channels; ++r) {
      if (r < of->rows) {
        store_vector(row_place(of, r, column), lanes[r]);
      }
    }
  }
}

#else
#define join_by_lanes(of, channels)        ((void)(of))
#define part_by_lanes(of, count, channels) ((void)(of))
#endif

#endif
