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

#if WORD_BYTES == 1
#define SIDE 16
typedef uchar16 strip;
#elif WORD_BYTES == 2
#define SIDE 16
typedef ushort16 strip;
#elif WORD_BYTES == 4
#define SIDE 16
typedef uint16 strip;
#elif WORD_BYTES == 8
#define SIDE 8
typedef ulong8 strip;
#else
#define SIDE 4
#endif

#if WORD_BYTES == 16

typedef struct strip {
  uint4 lane[4];
} strip;

static strip load_strip(__global const word *from) {
  const strip loaded = {{from[0], from[1], from[2], from[3]}};
  return loaded;
}

static strip strip_of(word value) {
  const strip made = {{value, value, value, value}};
  return made;
}

static void store_whole_strip(strip value, word *to) {
  to[0] = value.lane[0];
  to[1] = value.lane[1];
  to[2] = value.lane[2];
  to[3] = value.lane[3];
}

static void turn(const strip *in, strip *out) {
#pragma unroll
  for (int i = 0; i < SIDE; ++i) {
#pragma unroll
    for (int j = 0; j < SIDE; ++j) {
      out[i].lane[j] = in[j].lane[i];
    }
  }
}

#else

#if defined(__clang__) /* as for lines: see line.cl */
typedef strip loose_strip __attribute__((aligned(WORD_BYTES)));
#define load_strip(from)             (*(__global const loose_strip *)(from))
#define store_whole_strip(value, to) (*(loose_strip *)(to) = (value))
#elif SIDE == 16
#define load_strip(from)             vload16(0, from)
#define store_whole_strip(value, to) vstore16(value, 0, to)
#else
#define load_strip(from)             vload8(0, from)
#define store_whole_strip(value, to) vstore8(value, 0, to)
#endif

#define strip_of(value) ((strip)(value))

/* The lower, or upper, halves of two strips, lane by lane in turns. */
#if defined(__clang__) && SIDE == 16
#define zip_low(a, b)                                                                              \
  __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define zip_high(a, b)                                                                             \
  __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#elif defined(__clang__)
#define zip_low(a, b)  __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define zip_high(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#else
static strip zip_low(strip a, strip b) {
  strip zipped;
  zipped.even = a.lo;
  zipped.odd = b.lo;
  return zipped;
}

static strip zip_high(strip a, strip b) {
  strip zipped;
  zipped.even = a.hi;
  zipped.odd = b.hi;
  return zipped;
}
#endif

/* Zipping strip i with strip i + SIDE/2 rotates the bits of (strip, lane) left by one: the strip's
 * top bit becomes the lane's lowest, the lane's top bit the strip's lowest. After log2(SIDE) times
 * strips and lanes have changed places. */
static void zip(const strip *in, strip *out) {
#pragma unroll
  for (int i = 0; i < SIDE / 2; ++i) {
    out[2 * i] = zip_low(in[i], in[i + SIDE / 2]);
    out[2 * i + 1] = zip_high(in[i], in[i + SIDE / 2]);
  }
}

static void turn(const strip *in, strip *out) {
  strip once[SIDE];
  strip twice[SIDE];
  zip(in, once);
  zip(once, twice);
#if SIDE == 16
  zip(twice, once);
  zip(once, out);
#else
  zip(twice, out);
#endif
}

#endif

/* Where the strips of one block begin, for the second-level cache. */
static void prefetch_block(__global const word *from, __global const offset_pair *columns,
                           uint count) {
#if PREFETCHES
#pragma unroll
  for (uint c = 0; c < SIDE; ++c) {
    __builtin_prefetch((const void *)(uintptr_t)(from + columns[min(c, count - 1)].x), 0, 2);
  }
#endif
}

/* The common case, unrolled: a whole block that has a source throughout. */
static void load_block(__global const word *from, __global const offset_pair *columns, strip *in) {
#pragma unroll
  for (uint c = 0; c < SIDE; ++c) {
    in[c] = load_strip(from + columns[c].x);
  }
}

static void store_block(const strip *out, word *to, __global const offset_pair *rows) {
#pragma unroll
  for (uint r = 0; r < SIDE; ++r) {
    store_whole_strip(out[r], to + rows[r].y);
  }
}

/* All other cases, in loops: unrolled they would take compilers many times as long. `count` strips,
 * of which the first `valid` can have a source; the fill stands for the others. */
static void load_some(__global const word *from, __global const offset_pair *columns, uint count,
                      uint valid, word fill, strip *in) {
  strip loaded[SIDE];
  PLAIN_LOOP
  for (uint c = 0; c < min(count, (uint)SIDE); ++c) {
    const offset at = columns[c].x;
    loaded[c] = c < valid && at != NO_SOURCE ? load_strip(from + at) : strip_of(fill);
  }
#pragma unroll
  for (uint c = 0; c < SIDE; ++c) {
    in[c] = loaded[c];
  }
}

/* `row_count` strips, of which not more than `column_count` words are stored when `exact`. */
static void store_some(const strip *out, word *to, __global const offset_pair *rows, uint row_count,
                       uint column_count, bool exact) {
  strip stored[SIDE];
#pragma unroll
  for (uint r = 0; r < SIDE; ++r) {
    stored[r] = out[r];
  }
  const uint words = exact ? min(column_count, (uint)SIDE) : SIDE;
  PLAIN_LOOP
  for (uint r = 0; r < min(row_count, (uint)SIDE); ++r) {
    word *const row = to + rows[r].y;
    if (words == SIDE) {
      store_whole_strip(stored[r], row);
    } else {
      const word *const from = (const word *)&stored[r];
      PLAIN_LOOP
      for (uint i = 0; i < words; ++i) {
        row[i] = from[i];
      }
    }
  }
}

/* No more than FEW rows: the compiler leaves out most of the turn, whose strips nobody stores. */
#define FEW (SIDE / 4)
static void turn_few(const strip *in, word *to, __global const offset_pair *rows, uint row_count) {
  strip out[SIDE];
  turn(in, out);
#pragma unroll
  for (uint r = 0; r < FEW; ++r) {
    if (r < row_count) {
      store_whole_strip(out[r], to + rows[r].y);
    }
  }
}

/* Where block `first` of a piece begins, the last one so that it ends with the piece. */
static uint block_start(uint first, uint length) {
  return first + SIDE > length && length >= SIDE ? length - SIDE : first;
}

/* One piece: neighbouring columns in the destination, neighbouring rows in the source. Blocks go
 * down the rows first, so that each line of the source is read to its end, while those of the next
 * columns are on their way. */
static void turn_piece(word *to, __global const word *from, __global const offset_pair *columns,
                       uint column_count, uint valid_columns, __global const offset_pair *rows,
                       uint row_count, bool has_gaps, bool exact, word fill) {
  strip in[SIDE];
  strip out[SIDE];
  for (uint c = 0; c < column_count; c += SIDE) {
    const uint column = block_start(c, column_count);
    const uint left = column_count - column;
    const uint valid = valid_columns - min(column, valid_columns);
    for (uint r = 0; r < row_count; r += SIDE) {
      const uint row = block_start(r, row_count);
      if (left > SIDE) {
        prefetch_block(from + row, columns + column + SIDE, left - SIDE);
      }
      if (has_gaps || left < SIDE) {
        load_some(from + row, columns + column, left, valid, fill, in);
      } else {
        load_block(from + row, columns + column, in);
      }
      if (row_count <= FEW && !exact) {
        turn_few(in, to + columns[column].y, rows, row_count);
        continue;
      }
      turn(in, out);
      if (exact || row_count - row < SIDE) {
        store_some(out, to + columns[column].y, rows + row, row_count - row, left, exact);
      } else {
        store_block(out, to + columns[column].y, rows + row);
      }
    }
  }
}

static void turn_tile(word *to, __global const word *from, __global const assembly *made,
                      __constant const grid *grid, const tile *t, word fill) {
  __global const offset_pair *const rows = row_table(made);
  __global const offset_pair *const columns = column_table(made, grid);
  const uint dense_columns = (uint)made->dense_columns;
  const uint dense_rows = (uint)made->dense_rows;
  const bool has_gaps = made->column_gaps || t->valid_columns < t->columns;
  for (uint column = 0; column < t->columns; column += dense_columns) {
    const uint valid_columns = t->valid_columns - min(column, t->valid_columns);
    for (uint row = 0; row < t->valid_rows; row += dense_rows) {
      if (rows[row].x != NO_SOURCE) {
        turn_piece(to, from + rows[row].x, columns + column,
                   min(dense_columns, t->columns - column), valid_columns, rows + row,
                   min((uint)made->valid_rows, t->valid_rows - row), has_gaps, made->exact, fill);
      }
    }
  }
}

/* The rows that have no source. */
static void fill_rows(word *to, __global const assembly *made, __constant const grid *grid,
                      const tile *t, word fill) {
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

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
packed(__global word *restrict destination, const ulong destination_start,
       __constant const grid *grid, const word fill, __global const word *restrict source,
       const ulong source_start, __global const assembly *restrict made) {
  line assembled[ASSEMBLY_BYTES / 64];
  word *const to = (word *)assembled;
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    __global const word *const from = source + source_start + t.source;
    if (may_overread(made, grid, &t, SIDE)) {
      turn_tile(to, from, made, grid, &t, fill);
      fill_rows(to, made, grid, &t, fill);
    } else {
      assemble_words(to, from, made, grid, &t, fill);
    }
    store_segments(destination + destination_start + t.destination, to, made, grid, &t);
  }
}
