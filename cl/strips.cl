/* strips.cl: what the kernels for CPU devices move at once, as cl/block.cl asks for it. Follows
 * staging.cl.
 *
 * A lane is what one load brings of a column; a block has as many rows as a lane has words, DEPTH.
 * Processors move words within 16 bytes more cheaply than across; so lanes of bytes and halves are
 * no wider, while words of four and eight, fewer of them, change places across a line.
 */
#if WORD_BYTES == 16
#define DEPTH 4
#elif WORD_BYTES == 2 || WORD_BYTES == 8
#define DEPTH 8
#else
#define DEPTH 16
#endif

#if WORD_BYTES == 16

#define LANES 1
#define SIDE  DEPTH
typedef struct lane {
  uint4 word[4];
} lane;
typedef lane strip;

static lane load_lane(const place from) {
  const lane loaded = {{from[0], from[1], from[2], from[3]}};
  return loaded;
}

static lane lane_of(word value) {
  const lane made = {{value, value, value, value}};
  return made;
}

static void store_strip(word *to, strip value) {
  to[0] = value.word[0];
  to[1] = value.word[1];
  to[2] = value.word[2];
  to[3] = value.word[3];
}

static void transpose(strip *block) {
#pragma unroll
  for (int i = 0; i < DEPTH; ++i) {
#pragma unroll
    for (int j = 0; j < i; ++j) {
      const uint4 below = block[i].word[j];
      block[i].word[j] = block[j].word[i];
      block[j].word[i] = below;
    }
  }
}

#else

typedef WORDS_OF(WORD_BYTES, DEPTH) lane;
#define lane_of(value) ((lane)(value))

#if defined(__clang__) /* as for lines: see line.cl */
typedef lane loose_lane __attribute__((aligned(WORD_BYTES)));
#define LOAD_LANE(space, from) (*(space const loose_lane *)(from))
#define store_lane(to, value)  (*(loose_lane *)(to) = (value))
#define SHUFFLE(a, b, places)  __builtin_shufflevector(a, b, places)
#else
#define SHUFFLE(a, b, places) shuffle2(a, b, (lane)(places))
#if DEPTH == 16
#define LOAD_LANE(space, from) vload16(0, from)
#define store_lane(to, value)  vstore16(value, 0, to)
#else
#define LOAD_LANE(space, from) vload8(0, from)
#define store_lane(to, value)  vstore8(value, 0, to)
#endif
#endif

#if CHANGES && WORD_BYTES == 2
#define load_lane(from) words_at_two(from, from).lo
#elif CHANGES
#define load_lane(from) words_at(from) /* of WIDTH words, which are as many */
#else
#define load_lane(from) LOAD_LANE(__global, from)
#endif

/* SPIR-V knows vectors of 16 at most. */
#if defined(__clang__) && (WORD_BYTES == 2 || (WORD_BYTES == 1 && NATIVE))
#define LANES 2
#if WORD_BYTES == 1
#define SIDE 32
#else
#define SIDE 16
#endif
typedef word strip __attribute__((ext_vector_type(SIDE)));
typedef strip loose_strip __attribute__((aligned(WORD_BYTES)));
#define LOAD_STRIP(from)       (*(const loose_strip *)(from))
#define store_strip(to, value) (*(loose_strip *)(to) = (value))

ALWAYS_INLINE static strip join_lanes(lane low, lane high) {
  strip joined;
  joined.lo = low;
  joined.hi = high;
  return joined;
}
#else
#define LANES 1
#define SIDE  DEPTH
typedef lane strip;
#define LOAD_STRIP(from)       LOAD_LANE(__private, from)
#define store_strip(to, value) store_lane(to, value)
#endif

#endif

/* ---- Pieces: neighbouring columns in the destination, neighbouring rows in the source ---- */

typedef struct piece {
  place from;
  word *to;
  __global const offset_pair *columns_at; /* the tables' entries of its columns */
  __global const offset_pair *rows_at;    /* and rows */
  uint columns;
  uint valid_columns; /* of those, the first ones can have a source */
  uint rows;
  load_limit limit;
  bool has_gaps; /* some column has no source */
  bool exact;    /* nothing may be stored but the piece */
  word fill;
} piece;

typedef uint position;
typedef word element;

static place column_place(const piece *of, uint column) {
  return onward(of->from, of->columns_at[column].x);
}

static bool has_source(const piece *of, uint column) {
  return column < of->valid_columns && of->columns_at[column].x != NO_SOURCE;
}

static word *row_place(const piece *of, uint row, uint column) {
  return of->to + of->columns_at[column].y + of->rows_at[row].y;
}

#if WORD_BYTES < 16

typedef lane channel;
#define CHANNEL                 DEPTH
#define CHANNEL_LANE            CHANNEL
#define load_channel(from)      load_lane(from)
#define store_channel(to, made) store_lane(to, made)
#define fetch_ahead(from)       fetch_at(from, 2048)

#define load_turns(from, t, channels)      load_channel(onward(from, (t)*CHANNEL))
#define store_turns(to, t, channels, made) store_channel((to) + (t)*CHANNEL, made)

#define channel_of_fill(of)     lane_of((of)->fill)

/* In whole lines. */
static void load_eight_channels(place from, strip *strips) {
  enum { WORDS = 8 * SIDE };
  line loaded[WORDS / LINE];
  UNROLLED
  for (uint i = 0; i < WORDS; i += LINE) {
    if (i % SOURCE_LINE == 0) {
      fetch_ahead(onward(from, i));
    }
    loaded[i / LINE] = load_line(onward(from, i));
  }
  const word *const words = (const word *)loaded;
  UNROLLED
  for (uint t = 0; t < 8; ++t) {
#if LANES == 2
    strips[t] = join_lanes(LOAD_LANE(__private, words + t * DEPTH),
                           LOAD_LANE(__private, words + (8 + t) * DEPTH));
#else
    strips[t] = LOAD_LANE(__private, words + t * DEPTH);
#endif
  }
}

#endif
