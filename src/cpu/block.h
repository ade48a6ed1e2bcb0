/* block.h: elements that change places in registers: blocks are transposed, channels interleaved.
 *
 * A *vector* holds BLOCK_COLUMNS elements: LANES lanes of BLOCK_ROWS elements each. Processors move
 * elements within a lane more cheaply than across lanes; so vectors are zipped lane by lane:
 *
 *     a    a0 a1 a2 a3 | a4 a5 a6 a7        zip_low(a, b)     a0 b0 a1 b1 | a4 b4 a5 b5
 *     b    b0 b1 b2 b3 | b4 b5 b6 b7        zip_high(a, b)    a2 b2 a3 b3 | a6 b6 a7 b7
 *
 * A *channel* is a vector of CHANNEL elements, which side by side with others becomes their
 * elements in turns, or is made of those:
 *
 *     interleave, 3 channels     a0 a1 a2 | b0 b1 b2 | c0 c1 c2     a0 b0 c0 | a1 b1 c1 | a2 b2 c2
 *     de-interleave              the other way round
 *
 * Where elements change places within a lane alone, each lane of the vectors does this by itself.
 *
 * Depends on kernels.h and runs.h.
 */
#ifndef RLT_CPU_BLOCK_H
#define RLT_CPU_BLOCK_H

#include "cpu/kernels.h"
#include "cpu/runs.h"

/* Elements find their places all over a register by one instruction or two, where there is such a
 * one for elements of this size, and within its lanes elsewhere. */
#define CHANNEL BLOCK_COLUMNS /* elements of a channel, */
/* of which so many change places with each other. */
#if defined(__AVX512VBMI__) || (defined(__AVX512BW__) && ELEMENT_BYTES > 1)
#define CHANNEL_LANE CHANNEL
#else
#define CHANNEL_LANE BLOCK_ROWS
#endif

#if ELEMENT_BYTES < 16
/* The vector of the elements at these places of a, then those of b. */
#define SHUFFLE(a, b, places) __builtin_shufflevector(a, b, places)
#endif

typedef int64_t position;
typedef scalar element __attribute__((aligned(1), may_alias));
typedef vector channel;
typedef const uint8_t *place;

/* One piece of a tile: neighbouring columns in the destination, neighbouring rows in the source. */
typedef struct piece {
  const uint8_t *from;         /* its first row, at no column */
  uint8_t *to;                 /* at no row and no column */
  const int64_t *columns_from; /* where its columns lie in the source, */
  const uint8_t *keeps;        /* and 0xff for the bytes of those that are there; or NULL */
  const int64_t *rows_to;      /* where its rows lie */
  int64_t columns;
  /* Of those, the first ones can have a source; 0 or less: none, but one before. */
  int64_t valid_columns;
  int64_t rows;
  const uint8_t *fill;
  bool exact;       /* nothing may be stored but the piece, */
  bool is_near_end; /* and nothing may be read */
  bool streams;     /* channels go past the cache */
} piece;

static inline place onward(place at, position elements) {
  return at + elements * ELEMENT_BYTES;
}

static inline place column_place(const piece *of, position column) {
  return of->from + of->columns_from[column];
}

static inline bool has_source(const piece *of, position column) {
  return column < of->valid_columns &&
         (of->keeps == NULL || of->keeps[column * ELEMENT_BYTES] != 0);
}

static inline element *row_place(const piece *of, position row, position column) {
  return (element *)(void *)(of->to + column * ELEMENT_BYTES + of->rows_to[row]);
}

/* True if the first rows go past the cache: they do if each begins a line. */
static inline bool streams_rows(const piece *of, position rows) {
  bool streams = of->streams;
  for (position r = 0; r < rlt_min(rows, of->rows); ++r) {
    streams = streams && (uintptr_t)row_place(of, r, 0) % LINE_BYTES == 0;
  }
  return streams;
}

static inline channel load_channel(place from) {
  channel loaded;
  memcpy(&loaded, from, sizeof loaded);
  return loaded;
}

static inline channel channel_of_fill(const piece *of) {
  return load_channel(of->fill);
}

static inline void store_channel(element *to, channel value) {
  memcpy(to, &value, sizeof value);
}

static inline channel load_turns(place from, unsigned t, unsigned channels) {
  from += (size_t)t * CHANNEL_LANE * ELEMENT_BYTES;
#if CHANNEL_LANE < CHANNEL
  const int64_t step = (int64_t)channels * LANE_BYTES;
  return load_lanes(from, 0, step, 2 * step, 3 * step);
#else
  (void)channels;
  return load_channel(from);
#endif
}

static inline void store_turns(element *to, unsigned t, unsigned channels, channel value) {
  to += (size_t)t * CHANNEL_LANE;
#if CHANNEL_LANE < CHANNEL
  store_lanes((uint8_t *)to, (int64_t)channels * LANE_BYTES, value);
#else
  (void)channels;
  store_channel(to, value);
#endif
}

/* Vectors of elements in turns go past the cache, one behind the other, or lane by lane: the first
 * lanes of all, then the second ones. */
ALWAYS_INLINE static void stream_turns(element *to, const vector *turns, unsigned count,
                                       bool by_lanes) {
  uint8_t *at = (uint8_t *)to;
  for (int l = 0; l < (by_lanes ? LANES : 1); ++l) {
    for (unsigned t = 0; t < count; ++t) {
      if (by_lanes) {
        stream_lane(at, turns[t], l);
        at += LANE_BYTES;
      } else {
        stream_vector(at, turns[t]);
        at += VECTOR_BYTES;
      }
    }
  }
}

/* Rows go past the cache, a line of each at once, from this column on: vector v of row r is number
 * channels v + r. */
ALWAYS_INLINE static void stream_rows(const piece *of, position column, const vector *vectors,
                                      unsigned channels) {
  UNROLLED
  for (unsigned r = 0; r < channels; ++r) {
    if (r < of->rows) {
      uint8_t *const to = (uint8_t *)row_place(of, r, column);
      UNROLLED
      for (unsigned v = 0; v < LINE_VECTORS; ++v) {
        stream_vector(to + v * VECTOR_BYTES, vectors[v * channels + r]);
      }
    }
  }
}

/* place(i, x) for each number i of an element. */
#define PLACES_2(place, i, x)  place(i, x), place((i) + 1, x)
#define PLACES_4(place, i, x)  PLACES_2(place, i, x), PLACES_2(place, (i) + 2, x)
#define PLACES_8(place, i, x)  PLACES_4(place, i, x), PLACES_4(place, (i) + 4, x)
#define PLACES_16(place, i, x) PLACES_8(place, i, x), PLACES_8(place, (i) + 8, x)
#define PLACES_32(place, i, x) PLACES_16(place, i, x), PLACES_16(place, (i) + 16, x)
#define PLACES_64(place, i, x) PLACES_32(place, i, x), PLACES_32(place, (i) + 32, x)

#define NAME_PLACES(count, place, x) PLACES_##count(place, 0, x)
#define PLACES(count, place, x)      NAME_PLACES(count, place, x)

/* Where block `first` of a piece begins, the last one so that it ends with the piece. */
ALWAYS_INLINE static position block_start(position first, position length, position side) {
  return first + side > length && length >= side ? length - side : first;
}

/* ---- In-register transpose ---- */

#if defined(SHUFFLE)

#define ZIPPED(i, first)                                                                           \
  ((i) / BLOCK_ROWS * BLOCK_ROWS + (first) + (i) % BLOCK_ROWS / 2 + (i) % 2 * BLOCK_COLUMNS)
#define zip_low(a, b)  SHUFFLE(a, b, PLACES(BLOCK_COLUMNS, ZIPPED, 0))
#define zip_high(a, b) SHUFFLE(a, b, PLACES(BLOCK_COLUMNS, ZIPPED, BLOCK_ROWS / 2))

/* Zipping vector i with vector i + count/2 rotates the bits of (vector, element of a lane) left by
 * one: the vector's top bit becomes the element's lowest, the element's top bit the vector's
 * lowest. */
ALWAYS_INLINE static void zip_vectors(const vector *in, vector *out, unsigned count) {
  UNROLLED
  for (unsigned i = 0; i < count / 2; ++i) {
    out[2 * i] = zip_low(in[i], in[i + count / 2]);
    out[2 * i + 1] = zip_high(in[i], in[i + count / 2]);
  }
}

/* That, one to four times, for 2 to 16 vectors. Without a loop, in which compilers would not keep
 * them all in registers. */
ALWAYS_INLINE static void rotate_places(vector *vectors, unsigned count, unsigned times) {
  vector zipped[16];
  zip_vectors(vectors, zipped, count);
  if (times > 1) {
    zip_vectors(zipped, vectors, count);
  }
  if (times > 2) {
    zip_vectors(vectors, zipped, count);
  }
  if (times > 3) {
    zip_vectors(zipped, vectors, count);
  }
  if (times % 2 == 1) {
    UNROLLED
    for (unsigned i = 0; i < count; ++i) {
      vectors[i] = zipped[i];
    }
  }
}

#define LOG2_BLOCK_ROWS (BLOCK_ROWS == 16 ? 4 : BLOCK_ROWS == 8 ? 3 : BLOCK_ROWS == 4 ? 2 : 1)

/* A block of BLOCK_ROWS vectors: lane l of vector i becomes elements i of the lanes l. */
ALWAYS_INLINE static void transpose(vector *block) {
  rotate_places(block, BLOCK_ROWS, LOG2_BLOCK_ROWS);
}

/* ---- Interleave and de-interleave ---- */

enum { FEW_CHANNELS = 4 };

/* Of the elements in turns that one lane of the vectors has together: the one that vector t has at
 * place i. */
#define WITHIN(i)     ((i) % CHANNEL_LANE)
#define LANE_START(i) ((i) / CHANNEL_LANE * CHANNEL_LANE)
#define NUMBER(i, t)  ((t)*CHANNEL_LANE + WITHIN(i))

/* Element i of channel x is number 2 i + x of two vectors, and the other way round. */
#define AMONG_TWO(i, n) ((n) / CHANNEL_LANE * CHANNEL + LANE_START(i) + WITHIN(n))
#define OF_TWO(i, x)    AMONG_TWO(i, 2 * WITHIN(i) + (x))
#define FROM_PAIR(i, t) (NUMBER(i, t) % 2 * CHANNEL + LANE_START(i) + NUMBER(i, t) / 2)

/* Element i of channel x is number 3 i + x of three vectors. A lane's length being no multiple of
 * three, each place is in just one of the vectors a place of channel x. So the channel's elements
 * are taken from all three where they stand, and then put in order, one lookup for each vector;
 * or are put where they will stand, and then taken from all three. 43 is one third, modulo the
 * length of any lane. */
#define IF_SECOND(i, x)   ((i) + (NUMBER(i, 1) % 3 == (x) ? CHANNEL : 0))
#define IF_THIRD(i, x)    ((i) + (NUMBER(i, 2) % 3 == (x) ? CHANNEL : 0))
#define IN_ORDER(i, x)    (LANE_START(i) + WITHIN(3 * WITHIN(i) + (x)))
#define IN_TURNS(i, x)    (LANE_START(i) + WITHIN(43 * (WITHIN(i) + CHANNEL_LANE - (x))))
#define FROM_SECOND(i, t) ((i) + (NUMBER(i, t) % 3 == 1 ? CHANNEL : 0))
#define FROM_THIRD(i, t)  ((i) + (NUMBER(i, t) % 3 == 2 ? CHANNEL : 0))

/* Number x of the vectors that two, or three, become. */
#define CHANGE_TWO(a, b, place, x) SHUFFLE(a, b, PLACES(CHANNEL, place, x))
#define CHANGE_ONE(a, place, x)    CHANGE_TWO(a, a, place, x)
#define TAKE(in, second, third, x)                                                                 \
  CHANGE_TWO(CHANGE_TWO((in)[0], (in)[1], second, x), (in)[2], third, x)

ALWAYS_INLINE static void deinterleave(const channel *in, channel *out, unsigned channels) {
  if (channels == 2) {
    out[0] = CHANGE_TWO(in[0], in[1], OF_TWO, 0);
    out[1] = CHANGE_TWO(in[0], in[1], OF_TWO, 1);
  } else if (channels == 3) {
    const channel first = TAKE(in, IF_SECOND, IF_THIRD, 0);
    const channel second = TAKE(in, IF_SECOND, IF_THIRD, 1);
    const channel third = TAKE(in, IF_SECOND, IF_THIRD, 2);
    out[0] = CHANGE_ONE(first, IN_ORDER, 0);
    out[1] = CHANGE_ONE(second, IN_ORDER, 1);
    out[2] = CHANGE_ONE(third, IN_ORDER, 2);
  } else {
    const channel even = CHANGE_TWO(in[0], in[1], OF_TWO, 0);
    const channel odd = CHANGE_TWO(in[0], in[1], OF_TWO, 1);
    const channel next_even = CHANGE_TWO(in[2], in[3], OF_TWO, 0);
    const channel next_odd = CHANGE_TWO(in[2], in[3], OF_TWO, 1);
    out[0] = CHANGE_TWO(even, next_even, OF_TWO, 0);
    out[1] = CHANGE_TWO(odd, next_odd, OF_TWO, 0);
    out[2] = CHANGE_TWO(even, next_even, OF_TWO, 1);
    out[3] = CHANGE_TWO(odd, next_odd, OF_TWO, 1);
  }
}

ALWAYS_INLINE static void interleave(const channel *in, channel *out, unsigned channels) {
  if (channels == 2) {
    out[0] = CHANGE_TWO(in[0], in[1], FROM_PAIR, 0);
    out[1] = CHANGE_TWO(in[0], in[1], FROM_PAIR, 1);
  } else if (channels == 3) {
    const channel placed[3] = {CHANGE_ONE(in[0], IN_TURNS, 0), CHANGE_ONE(in[1], IN_TURNS, 1),
                               CHANGE_ONE(in[2], IN_TURNS, 2)};
    out[0] = TAKE(placed, FROM_SECOND, FROM_THIRD, 0);
    out[1] = TAKE(placed, FROM_SECOND, FROM_THIRD, 1);
    out[2] = TAKE(placed, FROM_SECOND, FROM_THIRD, 2);
  } else {
    const channel even = CHANGE_TWO(in[0], in[2], FROM_PAIR, 0);
    const channel next_even = CHANGE_TWO(in[0], in[2], FROM_PAIR, 1);
    const channel odd = CHANGE_TWO(in[1], in[3], FROM_PAIR, 0);
    const channel next_odd = CHANGE_TWO(in[1], in[3], FROM_PAIR, 1);
    out[0] = CHANGE_TWO(even, odd, FROM_PAIR, 0);
    out[1] = CHANGE_TWO(even, odd, FROM_PAIR, 1);
    out[2] = CHANGE_TWO(next_even, next_odd, FROM_PAIR, 0);
    out[3] = CHANGE_TWO(next_even, next_odd, FROM_PAIR, 1);
  }
}

/* ---- Pieces of channels ----
 *
 * What a piece says is read first: nothing that is stored can change what compilers then hold in
 * registers.
 */

/* A vector of each channel. */
ALWAYS_INLINE static void part_turns(place from, channel *out, unsigned channels) {
  channel in[FEW_CHANNELS];
  UNROLLED
  for (unsigned t = 0; t < FEW_CHANNELS; ++t) {
    if (t < channels) {
      in[t] = load_turns(from, t, channels);
    }
  }
  deinterleave(in, out, channels);
}

/* Columns follow each other in the source, `channels` elements apart, so that their rows lie there
 * in turns. The first `count` columns of the piece, all with a source; what lies between them is
 * read too. Where they lie is worked out, as looking it up took a fifth of the time on a
 * Zen 4. */
ALWAYS_INLINE static void deinterleave_piece(const piece *one, position count, unsigned channels) {
  const piece held = *one;
  const piece *const of = &held;
  const place from = column_place(of, 0);
  const bool streams = streams_rows(of, channels);
  position c = 0;
  for (; streams && c + LINE_VECTORS * CHANNEL <= count; c += LINE_VECTORS * CHANNEL) {
    channel lines[LINE_VECTORS * FEW_CHANNELS];
    UNROLLED
    for (unsigned v = 0; v < LINE_VECTORS; ++v) {
      part_turns(onward(from, (c + v * CHANNEL) * channels), lines + v * channels, channels);
    }
    stream_rows(of, c, lines, channels);
  }
  for (; c < count; c += CHANNEL) {
    const position column = block_start(c, count, CHANNEL);
    channel out[FEW_CHANNELS];
    part_turns(onward(from, column * channels), out, channels);
    UNROLLED
    for (unsigned r = 0; r < FEW_CHANNELS; ++r) {
      if (r < channels && r < of->rows) {
        store_channel(row_place(of, r, column), out[r]);
      }
    }
  }
}

/* A row follows the other channels' elements on in the tile buffer, which are its columns.
 */
ALWAYS_INLINE static void interleave_piece(const piece *of, unsigned channels) {
  const position rows = of->rows;
  const bool streams = streams_rows(of, 1);
  element *const first = row_place(of, 0, 0);
  place from[FEW_CHANNELS];
  bool is_there[FEW_CHANNELS];
  channel in[FEW_CHANNELS];
  channel out[FEW_CHANNELS];
  UNROLLED
  for (unsigned t = 0; t < FEW_CHANNELS; ++t) {
    is_there[t] = t < channels && has_source(of, t);
    from[t] = is_there[t] ? column_place(of, t) : of->from;
    in[t] = channel_of_fill(of);
  }
  for (position r = 0; r < rows; r += CHANNEL) {
    const position row = block_start(r, rows, CHANNEL);
    UNROLLED
    for (unsigned t = 0; t < FEW_CHANNELS; ++t) {
      if (is_there[t]) {
        in[t] = load_channel(onward(from[t], row));
      }
    }
    interleave(in, out, channels);
    if (streams && row == r) {
      stream_turns(first + row * channels, out, channels, CHANNEL_LANE < CHANNEL);
      continue;
    }
    UNROLLED
    for (unsigned t = 0; t < FEW_CHANNELS; ++t) {
      if (t < channels) {
        store_turns(first + row * channels, t, channels, out[t]);
      }
    }
  }
}

#else
#define transpose(block) ((void)(block))
#endif

#endif
