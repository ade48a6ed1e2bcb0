/* direct_packed.cl: the sides run along different axes. Follows assembly.cl.
 *
 *     source   a e i m . .     destination   a b c d . .
 *              b f j n . .                   e f g h . .
 *              c g k o . .                   i j k l . .
 *              d h l p . .                   m n o p . .
 *
 * Either side alone could be walked along its run. Blocks that are turned in registers make it so
 * for both: SIDE strips, each along the source, become SIDE strips along the destination.
 */

/* A strip is LANES lanes, each of DEPTH words: what one load brings of a column, and how many rows a
 * block has. Processors move words within 16 bytes more cheaply than across; so lanes of bytes and
 * halves are no wider, while words of four and eight, fewer of them, change places across a line. */
#if WORD_BYTES == 1
#define DEPTH 16
typedef uchar16 lane;
#elif WORD_BYTES == 2
#define DEPTH 8
typedef ushort8 lane;
#elif WORD_BYTES == 4
#define DEPTH 16
typedef uint16 lane;
#elif WORD_BYTES == 8
#define DEPTH 8
typedef ulong8 lane;
#else
#define DEPTH 4
#endif

#if WORD_BYTES == 16

#define LANES 1
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

static void store_strip(strip value, word *to) {
  to[0] = value.word[0];
  to[1] = value.word[1];
  to[2] = value.word[2];
  to[3] = value.word[3];
}

static void turn(const strip *in, strip *out) {
#pragma unroll
  for (int i = 0; i < DEPTH; ++i) {
#pragma unroll
    for (int j = 0; j < DEPTH; ++j) {
      out[i].word[j] = in[j].word[i];
    }
  }
}

#else

#define lane_of(value) ((lane)(value))

/* SHUFFLE(a, b, i, ...): the words of a, then those of b, at these places; -1 is any. */
#if defined(__clang__) /* as for lines: see line.cl */
typedef lane loose_lane __attribute__((aligned(WORD_BYTES)));
#define LOAD_LANE(space, from) (*(space const loose_lane *)(from))
#define store_lane(value, to)  (*(loose_lane *)(to) = (value))
#define SHUFFLE(a, b, places)  __builtin_shufflevector(a, b, places)
#else
#define SHUFFLE(a, b, places) shuffle2(a, b, (lane)(places))
#if DEPTH == 16
#define LOAD_LANE(space, from) vload16(0, from)
#define store_lane(value, to)  vstore16(value, 0, to)
#else
#define LOAD_LANE(space, from) vload8(0, from)
#define store_lane(value, to)  vstore8(value, 0, to)
#endif
#endif

#if CHANGES && WORD_BYTES == 2
#define load_lane(from) words_at_two(from, from).lo
#elif CHANGES
#define load_lane(from) words_at(from) /* of WIDTH words, which are as many */
#else
#define load_lane(from) LOAD_LANE(__global, from)
#endif

/* which(i, x) for each i from `first`, and for each word of a lane. */
#define FOUR(which, first, x)                                                                      \
  which(first, x), which((first) + 1, x), which((first) + 2, x), which((first) + 3, x)
#define EIGHT(which, first, x) FOUR(which, first, x), FOUR(which, (first) + 4, x)
#if DEPTH == 16
#define HALF_LANE(which, first, x) EIGHT(which, first, x)
#else
#define HALF_LANE(which, first, x) FOUR(which, first, x)
#endif
#define WHOLE_LANE(which, x) HALF_LANE(which, 0, x), HALF_LANE(which, DEPTH / 2, x)

/* SPIR-V knows vectors of 16 at most. */
#if defined(__clang__) && (WORD_BYTES == 2 || (WORD_BYTES == 1 && NATIVE))
#define LANES                  2
typedef word strip __attribute__((ext_vector_type(LANES * DEPTH)));
typedef strip loose_strip __attribute__((aligned(WORD_BYTES)));
#define LOAD_STRIP(from)       (*(const loose_strip *)(from))
#define store_strip(value, to) (*(loose_strip *)(to) = (value))
#define ITSELF(i, first)       ((first) + (i))
#define JOIN_LANES(a, b)                                                                           \
  __builtin_shufflevector(a, b, WHOLE_LANE(ITSELF, 0), WHOLE_LANE(ITSELF, DEPTH))
#define ZIPPED(first)                                                                              \
  HALF_LANE(IN_TURNS, first, LANES *DEPTH), HALF_LANE(IN_TURNS, DEPTH + (first), LANES * DEPTH)
#else
#define LANES                  1
typedef lane strip;
#define LOAD_STRIP(from)       LOAD_LANE(__private, from)
#define store_strip(value, to) store_lane(value, to)
#define ZIPPED(first)          HALF_LANE(IN_TURNS, first, DEPTH)
#endif

/* Of two strips, the lower, or upper, halves of each lane, word by word in turns. */
#define IN_TURNS(i, other) i, (other) + (i)
#define zip_low(a, b)      SHUFFLE(a, b, ZIPPED(0))
#define zip_high(a, b)     SHUFFLE(a, b, ZIPPED(DEPTH / 2))

/* Zipping strip i with strip i + DEPTH/2 rotates the bits of (strip, word) left by one: the strip's
 * top bit becomes the word's lowest, the word's top bit the strip's lowest. After log2(DEPTH) times
 * strips and words have changed places. */
static void zip(const strip *in, strip *out) {
#pragma unroll
  for (int i = 0; i < DEPTH / 2; ++i) {
    out[2 * i] = zip_low(in[i], in[i + DEPTH / 2]);
    out[2 * i + 1] = zip_high(in[i], in[i + DEPTH / 2]);
  }
}

static void turn(const strip *in, strip *out) {
  strip once[DEPTH];
  strip twice[DEPTH];
#if DEPTH == 16
  zip(in, once);
  zip(once, twice);
  zip(twice, once);
#else
  zip(in, twice);
  zip(twice, once);
#endif
  zip(once, out);
}

#endif

#define SIDE (LANES * DEPTH)

/* ---- Blocks: SIDE columns, DEPTH rows ---- */

static strip strip_of_lanes(const lane *lanes, uint first) {
#if LANES == 2
  return JOIN_LANES(lanes[first], lanes[first + DEPTH]);
#else
  return lanes[first];
#endif
}

/* The lines that strips of a block, as long as lines, end in: those that they begin in have been there
 * since the tile before. */
static void fetch_block(place from, __global const offset_pair *columns, uint count) {
#pragma unroll
  for (uint c = 0; c < SIDE; ++c) {
    fetch_at(onward(from, columns[min(c, count - 1)].x), 63);
  }
}

/* The common case, unrolled: a whole block that has a source throughout. */
static void load_block(place from, __global const offset_pair *columns, strip *in) {
#if CHANGES && WORD_BYTES == 2 && LANES == 2
#pragma unroll
  for (uint c = 0; c < DEPTH; ++c) {
    in[c] = words_at_two(onward(from, columns[c].x), onward(from, columns[c + DEPTH].x));
  }
#else
  lane loaded[SIDE];
#pragma unroll
  for (uint c = 0; c < SIDE; ++c) {
    loaded[c] = load_lane(onward(from, columns[c].x));
  }
#pragma unroll
  for (uint c = 0; c < DEPTH; ++c) {
    in[c] = strip_of_lanes(loaded, c);
  }
#endif
}

static void store_block(const strip *out, word *to, __global const offset_pair *rows) {
#pragma unroll
  for (uint r = 0; r < DEPTH; ++r) {
    store_strip(out[r], to + rows[r].y);
  }
}

/* A lane that may go past the source's end, and then has any words there. */
static lane load_within(place from, load_limit limit) {
  const long left = between(from, limit.end);
  if (!limit.near || left >= DEPTH) {
    return load_lane(from);
  }
  word first;
  gather_singly(&first, from, 1);
  lane loaded = lane_of(first);
  gather_singly((word *)&loaded, from, (uint)left);
  return loaded;
}

/* All other cases, in loops: unrolled they would take compilers many times as long. `count` columns,
 * of which the first `valid` can have a source; the fill stands for the others. */
static void load_some(place from, load_limit limit, __global const offset_pair *columns, uint count,
                      uint valid, word fill, strip *in) {
  lane loaded[SIDE];
  PLAIN_LOOP
  for (uint c = 0; c < min(count, (uint)SIDE); ++c) {
    const offset at = columns[c].x;
    loaded[c] = c < valid && at != NO_SOURCE ? load_within(onward(from, at), limit) : lane_of(fill);
  }
#pragma unroll
  for (uint c = 0; c < DEPTH; ++c) {
    in[c] = strip_of_lanes(loaded, c);
  }
}

/* `row_count` strips, of which not more than `column_count` words are stored when `exact`. */
static void store_some(const strip *out, word *to, __global const offset_pair *rows, uint row_count,
                       uint column_count, bool exact) {
  strip stored[DEPTH];
#pragma unroll
  for (uint r = 0; r < DEPTH; ++r) {
    stored[r] = out[r];
  }
  const uint words = exact ? min(column_count, (uint)SIDE) : SIDE;
  PLAIN_LOOP
  for (uint r = 0; r < min(row_count, (uint)DEPTH); ++r) {
    word *const row = to + rows[r].y;
    if (words == SIDE) {
      store_strip(stored[r], row);
    } else {
      const word *const from = (const word *)&stored[r];
      PLAIN_LOOP
      for (uint i = 0; i < words; ++i) {
        row[i] = from[i];
      }
    }
  }
}

/* Where block `first` of a piece begins, the last one so that it ends with the piece. */
static uint block_start(uint first, uint length, uint side) {
  return first + side > length && length >= side ? length - side : first;
}

/* One piece: neighbouring columns in the destination, neighbouring rows in the source. Blocks go
 * down the rows first, so that each line of the source is read to its end, while those of the next
 * columns are on their way. */
static void turn_piece(word *to, place from, load_limit limit, __global const offset_pair *columns,
                       uint column_count, uint valid_columns, __global const offset_pair *rows,
                       uint row_count, bool has_gaps, bool exact, word fill) {
  strip in[DEPTH];
  strip out[DEPTH];
  for (uint c = 0; c < column_count; c += SIDE) {
    const uint column = block_start(c, column_count, SIDE);
    const uint left = column_count - column;
    const uint valid = valid_columns - min(column, valid_columns);
    for (uint r = 0; r < row_count; r += DEPTH) {
      const uint row = block_start(r, row_count, DEPTH);
      if (left > SIDE && r % SOURCE_LINE == 0) {
        fetch_block(onward(from, row), columns + column + SIDE, left - SIDE);
      }
      if (has_gaps || left < SIDE || (limit.near && row_count - row < DEPTH)) {
        load_some(onward(from, row), limit, columns + column, left, valid, fill, in);
      } else {
        load_block(onward(from, row), columns + column, in);
      }
      turn(in, out);
      if ((exact && left < SIDE) || row_count - row < DEPTH) {
        store_some(out, to + columns[column].y, rows + row, row_count - row, left, exact);
      } else {
        store_block(out, to + columns[column].y, rows + row);
      }
    }
  }
}

/* ---- Combs: two to four lanes that change between side by side and word by word in turns ---- */

#define FEW_TEETH  4
#define MOST_TEETH 8

#if WORD_BYTES < 16

/* Word i of a lane is word 2 i + x of two lanes, word 3 i + x of three; of three as two and one. */
#define OF_TWO(i, x)      (2 * (i) + (x))
#define OF_THREE(i, x)    (3 * (i) + (x))
#define AMONG_TWO(i, x)   (OF_THREE(i, x) < 2 * DEPTH ? OF_THREE(i, x) : -1)
#define AMONG_THREE(i, x) (OF_THREE(i, x) < 2 * DEPTH ? (i) : OF_THREE(i, x) - DEPTH)

/* The other way round, word i of lane x is word n / 3 of lane n % 3. */
#define TOOTH(i, x)      (((x)*DEPTH + (i)) % 3)
#define WORD(i, x)       (((x)*DEPTH + (i)) / 3)
#define FROM_TWO(i, x)   (TOOTH(i, x) < 2 ? TOOTH(i, x) * DEPTH + WORD(i, x) : -1)
#define FROM_THREE(i, x) (TOOTH(i, x) < 2 ? (i) : DEPTH + WORD(i, x))

#define part_two(a, b, x) SHUFFLE(a, b, WHOLE_LANE(OF_TWO, x))
#define part_three(in, x)                                                                          \
  SHUFFLE(SHUFFLE((in)[0], (in)[1], WHOLE_LANE(AMONG_TWO, x)), (in)[2], WHOLE_LANE(AMONG_THREE, x))
#define join_two(a, b, x) SHUFFLE(a, b, HALF_LANE(IN_TURNS, (x) * (DEPTH / 2), DEPTH))
#define join_three(in, x)                                                                          \
  SHUFFLE(SHUFFLE((in)[0], (in)[1], WHOLE_LANE(FROM_TWO, x)), (in)[2], WHOLE_LANE(FROM_THREE, x))

static void part(const lane *in, lane *out, uint teeth) {
  if (teeth == 2) {
    out[0] = part_two(in[0], in[1], 0);
    out[1] = part_two(in[0], in[1], 1);
  } else if (teeth == 3) {
    out[0] = part_three(in, 0);
    out[1] = part_three(in, 1);
    out[2] = part_three(in, 2);
  } else {
    const lane even = part_two(in[0], in[1], 0);
    const lane odd = part_two(in[0], in[1], 1);
    const lane next_even = part_two(in[2], in[3], 0);
    const lane next_odd = part_two(in[2], in[3], 1);
    out[0] = part_two(even, next_even, 0);
    out[1] = part_two(odd, next_odd, 0);
    out[2] = part_two(even, next_even, 1);
    out[3] = part_two(odd, next_odd, 1);
  }
}

static void join(const lane *in, lane *out, uint teeth) {
  if (teeth == 2) {
    out[0] = join_two(in[0], in[1], 0);
    out[1] = join_two(in[0], in[1], 1);
  } else if (teeth == 3) {
    out[0] = join_three(in, 0);
    out[1] = join_three(in, 1);
    out[2] = join_three(in, 2);
  } else {
    const lane even = join_two(in[0], in[2], 0);
    const lane next_even = join_two(in[0], in[2], 1);
    const lane odd = join_two(in[1], in[3], 0);
    const lane next_odd = join_two(in[1], in[3], 1);
    out[0] = join_two(even, odd, 0);
    out[1] = join_two(even, odd, 1);
    out[2] = join_two(next_even, next_odd, 0);
    out[3] = join_two(next_even, next_odd, 1);
  }
}

/* A column follows the other `teeth` words on in the source, so that its rows lie there in turns
 * with its neighbours'. All columns of the piece have a source; what lies between them is read too. */
static void part_piece(word *to, place from, __global const offset_pair *columns, uint column_count,
                       __global const offset_pair *rows, uint row_count, uint teeth) {
  lane in[FEW_TEETH];
  lane out[FEW_TEETH];
  for (uint c = 0; c < column_count; c += DEPTH) {
    const uint column = block_start(c, column_count, DEPTH);
    const place start = onward(from, columns[column].x);
    fetch_at(start, 2048);
#pragma unroll
    for (uint t = 0; t < FEW_TEETH; ++t) {
      if (t < teeth) {
        in[t] = load_lane(onward(start, t * DEPTH));
      }
    }
    part(in, out, teeth);
#pragma unroll
    for (uint r = 0; r < FEW_TEETH; ++r) {
      if (r < row_count) {
        store_lane(out[r], to + columns[column].y + rows[r].y);
      }
    }
  }
}

/* A row follows the other `teeth` words on in the assembly, which are its columns. */
static void join_piece(word *to, place from, __global const offset_pair *columns,
                       uint valid_columns, __global const offset_pair *rows, uint row_count,
                       uint teeth, word fill) {
  lane in[FEW_TEETH];
  lane out[FEW_TEETH];
  for (uint r = 0; r < row_count; r += DEPTH) {
    const uint row = block_start(r, row_count, DEPTH);
#pragma unroll
    for (uint t = 0; t < FEW_TEETH; ++t) {
      if (t < teeth) {
        const offset at = columns[t].x;
        in[t] = t < valid_columns && at != NO_SOURCE ? load_lane(onward(from, at + (offset)row))
                                                     : lane_of(fill);
      }
    }
    join(in, out, teeth);
#pragma unroll
    for (uint t = 0; t < FEW_TEETH; ++t) {
      if (t < teeth) {
        store_lane(out[t], to + columns[0].y + rows[row].y + t * DEPTH);
      }
    }
  }
}

/* ---- Combs of MOST_TEETH: strips of which each lane is joined and parted with those of the others ---- */

#if LANES == 2
#define lane_of_strip(value, l) ((l) == 0 ? (value).lo : (value).hi)
#else
#define lane_of_strip(value, l) (value)
#endif

/* The bits of (strip, word) rotate, as above. */
static void zip_teeth(const strip *in, strip *out) {
#pragma unroll
  for (int i = 0; i < MOST_TEETH / 2; ++i) {
    out[2 * i] = zip_low(in[i], in[i + MOST_TEETH / 2]);
    out[2 * i + 1] = zip_high(in[i], in[i + MOST_TEETH / 2]);
  }
}

static void join_teeth(const strip *in, strip *out) {
  strip once[MOST_TEETH];
  strip twice[MOST_TEETH];
  zip_teeth(in, once);
  zip_teeth(once, twice);
  zip_teeth(twice, out);
}

static void part_teeth(const strip *in, strip *out) {
  strip joined[MOST_TEETH];
#if DEPTH == 16
  join_teeth(in, joined);
  zip_teeth(joined, out);
#else
  join_teeth(in, out);
#endif
}

/* As part_piece, SIDE columns at once, which are loaded in whole lines. */
static void part_wide_piece(word *to, place from, __global const offset_pair *columns,
                            uint column_count, __global const offset_pair *rows, uint row_count) {
  enum { WORDS = MOST_TEETH * SIDE };
  line loaded[WORDS / LINE];
  strip in[MOST_TEETH];
  strip out[MOST_TEETH];
  for (uint c = 0; c < column_count; c += SIDE) {
    const uint column = block_start(c, column_count, SIDE);
    const place start = onward(from, columns[column].x);
#pragma unroll
    for (uint i = 0; i < WORDS; i += LINE) {
      if (i % SOURCE_LINE == 0) {
        fetch_at(onward(start, i), 2048);
      }
      loaded[i / LINE] = load_line(onward(start, i));
    }
    const word *const words = (const word *)loaded;
#pragma unroll
    for (uint t = 0; t < MOST_TEETH; ++t) {
#if LANES == 2
      in[t] = JOIN_LANES(LOAD_LANE(__private, words + t * DEPTH),
                         LOAD_LANE(__private, words + (MOST_TEETH + t) * DEPTH));
#else
      in[t] = LOAD_LANE(__private, words + t * DEPTH);
#endif
    }
    part_teeth(in, out);
#pragma unroll
    for (uint r = 0; r < MOST_TEETH; ++r) {
      if (r < row_count) {
        store_strip(out[r], to + columns[column].y + rows[r].y);
      }
    }
  }
}

/* As join_piece, a line of rows at once. */
static void join_wide_piece(word *to, place from, __global const offset_pair *columns,
                            uint valid_columns, __global const offset_pair *rows, uint row_count,
                            word fill) {
  line loaded[MOST_TEETH];
  strip in[MOST_TEETH];
  strip out[MOST_TEETH];
  for (uint r = 0; r < row_count; r += LINE) {
    const uint row = block_start(r, row_count, LINE);
#pragma unroll
    for (uint t = 0; t < MOST_TEETH; ++t) {
      const offset at = columns[t].x;
      loaded[t] = t < valid_columns && at != NO_SOURCE ? load_line(onward(from, at + (offset)row))
                                                       : line_of(fill);
    }
#pragma unroll
    for (uint s = 0; s < LINE; s += SIDE) {
#pragma unroll
      for (uint t = 0; t < MOST_TEETH; ++t) {
        in[t] = LOAD_STRIP((const word *)&loaded[t] + s);
      }
      join_teeth(in, out);
      word *const joined = to + columns[0].y + rows[row + s].y;
#pragma unroll
      for (uint i = 0; i < LANES * MOST_TEETH; ++i) {
        store_lane(lane_of_strip(out[i % MOST_TEETH], i / MOST_TEETH), joined + i * DEPTH);
      }
    }
  }
}

#endif

/* ---- Swapped: elements of SWAPPED_BITS change places among rows before bytes are turned ---- */

#if SWAPPED_BITS

/* Rows that elements are swapped among: as many as a byte has elements. */
#define SWAPPED_ROWS (8 / SWAPPED_BITS)

/* A line that may go past the source's end. */
static line line_within(place from, load_limit limit) {
  const long left = between(from, limit.end);
  if (!limit.near || left >= LINE) {
    return load_line(from);
  }
  line loaded = 0;
  gather_words((word *)&loaded, from, (uint)left);
  return loaded;
}

/* SIDE columns of the rows that are swapped, of each a run that is no longer than a line. */
typedef struct swapped_columns {
  line of[SWAPPED_ROWS][SIDE];
} swapped_columns;

/* The common case: whole lines that have a source throughout. What follows in the same rows is what the
 * next tile reads. */
static void load_swapped(place from, __global const offset_pair *columns,
                         __global const offset_pair *rows, uint run, swapped_columns *to) {
  for (uint c = 0; c < SIDE; ++c) {
    line loaded[SWAPPED_ROWS];
#pragma unroll
    for (uint r = 0; r < SWAPPED_ROWS; ++r) {
      const place at = onward(from, columns[c].x + rows[r * run].x);
      loaded[r] = load_line(at);
      fetch_at(at, 2 * run - 1);
    }
    transpose_bits(loaded, SWAPPED_ROWS);
#pragma unroll
    for (uint r = 0; r < SWAPPED_ROWS; ++r) {
      to->of[r][c] = loaded[r];
    }
  }
}

/* All other cases, as load_some has them. What is filled is the same swapped. */
static void load_some_swapped(place from, load_limit limit, __global const offset_pair *columns,
                              uint count, uint valid, __global const offset_pair *rows, uint run,
                              word fill, swapped_columns *to) {
  PLAIN_LOOP
  for (uint c = 0; c < min(count, (uint)SIDE); ++c) {
    const bool has_source = c < valid && columns[c].x != NO_SOURCE;
    line loaded[SWAPPED_ROWS];
    PLAIN_LOOP
    for (uint r = 0; r < SWAPPED_ROWS; ++r) {
      loaded[r] = has_source ? line_within(onward(from, columns[c].x + rows[r * run].x), limit)
                             : line_of(fill);
    }
    transpose_bits(loaded, SWAPPED_ROWS);
    PLAIN_LOOP
    for (uint r = 0; r < SWAPPED_ROWS; ++r) {
      to->of[r][c] = loaded[r];
    }
  }
}

static void load_swapped_block(const line *columns, uint row, strip *in) {
  lane loaded[SIDE];
#pragma unroll
  for (uint c = 0; c < SIDE; ++c) {
    loaded[c] = LOAD_LANE(__private, (const word *)&columns[c] + row);
  }
#pragma unroll
  for (uint c = 0; c < DEPTH; ++c) {
    in[c] = strip_of_lanes(loaded, c);
  }
}

/* As turn_piece, for the runs of SWAPPED_ROWS rows. */
static void turn_swapped(word *to, place from, load_limit limit,
                         __global const offset_pair *columns, uint column_count, uint valid_columns,
                         __global const offset_pair *rows, uint run, bool has_gaps, bool exact,
                         word fill) {
  swapped_columns swapped;
  strip in[DEPTH];
  strip out[DEPTH];
  for (uint c = 0; c < column_count; c += SIDE) {
    const uint column = block_start(c, column_count, SIDE);
    const uint left = column_count - column;
    const uint valid = valid_columns - min(column, valid_columns);
    if (has_gaps || left < SIDE || limit.near) {
      load_some_swapped(from, limit, columns + column, left, valid, rows, run, fill, &swapped);
    } else {
      load_swapped(from, columns + column, rows, run, &swapped);
    }
    for (uint swap = 0; swap < SWAPPED_ROWS; ++swap) {
      for (uint r = 0; r < run; r += DEPTH) {
        const uint row = block_start(r, run, DEPTH);
        load_swapped_block(swapped.of[swap], row, in);
        turn(in, out);
        __global const offset_pair *const stored = rows + swap * run + row;
        if (exact && left < SIDE) {
          store_some(out, to + columns[column].y, stored, DEPTH, left, true);
        } else {
          store_block(out, to + columns[column].y, stored);
        }
      }
    }
  }
}

#endif

/* ---- Tiles ---- */

#if SWAPPED_BITS

INLINED_TILE static void turn_tile(word *to, place from, load_limit limit,
                                   __global const assembly *made, __constant const grid *grid,
                                   const tile *t, word fill) {
  __global const offset_pair *const rows = row_table(made);
  __global const offset_pair *const columns = column_table(made, grid);
  const uint dense_columns = (uint)made->dense_columns;
  const uint run = (uint)made->dense_rows;
  const bool has_gaps = made->column_gaps || t->valid_columns < t->columns;
  for (uint column = 0; column < t->columns; column += dense_columns) {
    const uint column_count = min(dense_columns, t->columns - column);
    const uint valid_columns = t->valid_columns - min(column, t->valid_columns);
    for (uint row = 0; row < t->valid_rows; row += run * SWAPPED_ROWS) {
      if (rows[row].x != NO_SOURCE) {
        turn_swapped(to, from, limit, columns + column, column_count, valid_columns, rows + row,
                     run, has_gaps, made->exact, fill);
      }
    }
  }
}

#else

INLINED_TILE static void turn_tile(word *to, place from, load_limit limit,
                                   __global const assembly *made, __constant const grid *grid,
                                   const tile *t, word fill) {
  __global const offset_pair *const rows = row_table(made);
  __global const offset_pair *const columns = column_table(made, grid);
  const uint dense_columns = (uint)made->dense_columns;
  const uint dense_rows = (uint)made->dense_rows;
  const bool has_gaps = made->column_gaps || t->valid_columns < t->columns;
  for (uint column = 0; column < t->columns; column += dense_columns) {
    const uint column_count = min(dense_columns, t->columns - column);
    const uint valid_columns = t->valid_columns - min(column, t->valid_columns);
    for (uint row = 0; row < t->valid_rows; row += dense_rows) {
      if (rows[row].x == NO_SOURCE) {
        continue;
      }
      const uint row_count = min((uint)made->valid_rows, t->valid_rows - row);
      const place start = onward(from, rows[row].x);
      uint done = 0; /* what follows would spill over into the next row, that is there already */
#if WORD_BYTES < 16
      const uint parted = min(min(column_count, valid_columns), (uint)made->valid_columns);
      const uint row_teeth = (uint)made->row_teeth;
      const uint column_teeth = (uint)made->column_teeth;
      if (row_teeth > FEW_TEETH && row_count >= LINE) {
        join_wide_piece(to, start, columns + column, valid_columns, rows + row, row_count, fill);
        continue;
      }
      if (row_teeth > 0 && row_teeth <= FEW_TEETH && row_count >= DEPTH) {
        join_piece(to, start, columns + column, valid_columns, rows + row, row_count, row_teeth,
                   fill);
        continue;
      }
      if (column_teeth > 0 && parted >= (column_teeth > FEW_TEETH ? SIDE : DEPTH) &&
          columns[column].x != NO_SOURCE && !(limit.near && row_count < column_teeth)) {
        if (column_teeth > FEW_TEETH) {
          part_wide_piece(to, start, columns + column, parted, rows + row, row_count);
        } else {
          part_piece(to, start, columns + column, parted, rows + row, row_count, column_teeth);
        }
        done = parted;
      }
#endif
      turn_piece(to, start, limit, columns + column + done, column_count - done,
                 valid_columns - done, rows + row, row_count, has_gaps, made->exact || done > 0,
                 fill);
    }
  }
}

#endif

/* The rows that have no source. */
INLINED_TILE static void fill_rows(word *to, __global const assembly *made,
                                   __constant const grid *grid, const tile *t, word fill) {
  __global const offset_pair *const rows = row_table(made);
  __global const offset_pair *const columns = column_table(made, grid);
  const uint dense_columns = (uint)made->dense_columns;
  for (uint row = made->row_gaps ? 0 : t->valid_rows; row < t->rows; ++row) {
    if (row < t->valid_rows && rows[row].x != NO_SOURCE) {
      continue;
    }
    for (uint column = 0; column < t->columns; column += dense_columns) {
      fill_exactly(to + rows[row].y + columns[column].y, min(dense_columns, t->columns - column),
                   fill);
    }
  }
}

INLINED_TILE static void assemble_tile(word *to, place from, load_limit limit,
                                       __global const assembly *made, __constant const grid *grid,
                                       const tile *t, word fill) {
  turn_tile(to, from, limit, made, grid, t, fill);
  fill_rows(to, made, grid, t, fill);
}

/* Words that loads may bring from behind a row. */
#define OVERREAD (SWAPPED_BITS ? LINE : DEPTH)

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
packed(__global word *restrict destination, const ulong destination_start,
       __constant const grid *grid, const word fill, __global const source_word *restrict source,
       const ulong source_start, __global const assembly *restrict made CONVERSION_PARAMETER) {
  move_assembled(destination, destination_start, grid, fill, PLACE(source, source_start), made,
                 OVERREAD);
}
