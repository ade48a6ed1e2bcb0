/* direct_transpose.cl: the destination runs along the columns, the source along the rows.
 * Follows tile.cl and line.cl.
 *
 *     source   a e i m . .     destination   a b c d . .
 *              b f j n . .                   e f g h . .
 *              c g k o . .                   i j k l . .
 *              d h l p . .                   m n o p . .
 *
 * Either side alone could be walked along its run; a tile makes it so for both.
 */

/* A tile's columns are one line of the destination. The work-item walks down the rows, which is
 * along the source's runs, and turns blocks in registers: SIDE words from each column of the line
 * become SIDE lines.
 *
 *     a strip from each column         a line for each row
 *       a e i m                          a b c d
 *       b f j n          turn()          e f g h
 *       c g k o         ------->         i j k l
 *       d h l p                          m n o p
 */
#if WORD_BYTES == 1
#define SIDE 16
typedef uchar16 strip;
#define load_strip(from) vload16(0, from)
#elif WORD_BYTES == 2
#define SIDE             16
typedef ushort16 strip;
#define load_strip(from) vload16(0, from)
#elif WORD_BYTES == 4
#define SIDE             16
typedef uint16 strip;
#define load_strip(from) vload16(0, from)
#elif WORD_BYTES == 8
#define SIDE             8
typedef ulong8 strip;
#define load_strip(from) vload8(0, from)
#else
#define SIDE 4
#endif

#if WORD_BYTES == 16

/* Four words make a line as they are. */
static void turn_block(__global word *to, offset destination_row, __global const word *from,
                       offset source_column, bool streams) {
#pragma unroll
  for (int row = 0; row < SIDE; ++row) {
    store_line((line)(from[row], from[source_column + row], from[2 * source_column + row],
                      from[3 * source_column + row]),
               to + row * destination_row, streams);
  }
}

#else

/* Zipping strip i with strip i + SIDE/2 rotates the bits of (strip, lane) left by one: the strip's
 * top bit becomes the lane's lowest, the lane's top bit the strip's lowest. After log2(SIDE) times
 * strips and lanes have changed places. */
static void zip(const strip *in, strip *out) {
#pragma unroll
  for (int i = 0; i < SIDE / 2; ++i) {
    out[2 * i].even = in[i].lo;
    out[2 * i].odd = in[i + SIDE / 2].lo;
    out[2 * i + 1].even = in[i].hi;
    out[2 * i + 1].odd = in[i + SIDE / 2].hi;
  }
}

static void turn(__global const word *from, offset source_column, strip *turned) {
  strip spare[SIDE];
#pragma unroll
  for (int column = 0; column < SIDE; ++column) {
    turned[column] = load_strip(from + column * source_column);
  }
#if SIDE == 16
  zip(turned, spare);
  zip(spare, turned);
  zip(turned, spare);
  zip(spare, turned);
#else
  strip more[SIDE];
  zip(turned, spare);
  zip(spare, more);
  zip(more, turned);
#endif
}

/* SIDE lines, each from 64 bytes' worth of turned strips. */
static void turn_block(__global word *to, offset destination_row, __global const word *from,
                       offset source_column, bool streams) {
  strip a[SIDE];
  turn(from, source_column, a);
#if WORD_BYTES == 1
  strip b[SIDE], c[SIDE], d[SIDE];
  turn(from + SIDE * source_column, source_column, b);
  turn(from + 2 * SIDE * source_column, source_column, c);
  turn(from + 3 * SIDE * source_column, source_column, d);
#elif WORD_BYTES == 2
  strip b[SIDE];
  turn(from + SIDE * source_column, source_column, b);
#endif
#pragma unroll
  for (int row = 0; row < SIDE; ++row) {
#if WORD_BYTES == 1
    const line value =
        (line)(as_uint4(a[row]), as_uint4(b[row]), as_uint4(c[row]), as_uint4(d[row]));
#elif WORD_BYTES == 2
    const line value = (line)(as_uint8(a[row]), as_uint8(b[row]));
#else
    const line value = as_uint16(a[row]);
#endif
    store_line(value, to + row * destination_row, streams);
  }
}

#endif

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
transpose(__global word *restrict destination, const ulong destination_start,
          __constant const grid *grid, const word fill, __global const word *restrict source,
          const ulong source_start) {
  const offset source_column = (offset)grid->columns.source_stride;
  const offset destination_column = (offset)grid->columns.destination_stride;
  const offset source_row = (offset)grid->rows.source_stride;
  const offset destination_row = (offset)grid->rows.destination_stride;
  const bool in_runs = source_row == 1 && destination_column == 1;
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    __global const word *from = source + source_start + t.source;
    __global word *to = destination + destination_start + t.destination;
    uint row = 0;
    if (in_runs && t.valid_columns == LINE) {
      for (; row + SIDE <= t.valid_rows; row += SIDE) {
        turn_block(to + row * destination_row, destination_row, from + row, source_column,
                   grid->streams);
      }
    }
    /* Ragged rows and columns, and padding. */
    for (; row < t.rows; ++row) {
      const uint valid = row < t.valid_rows ? t.valid_columns : 0;
      uint column = 0;
      for (; column < valid; ++column) {
        to[row * destination_row + column * destination_column] =
            from[row * source_row + column * source_column];
      }
      for (; grid->fills && column < t.columns; ++column) {
        to[row * destination_row + column * destination_column] = fill;
      }
    }
  }
}
