/* direct_permute.cl: the sides run along different axes. Follows block.cl.
 *
 *     source   a e i m . .     destination   a b c d . .
 *              b f j n . .                   e f g h . .
 *              c g k o . .                   i j k l . .
 *              d h l p . .                   m n o p . .
 *
 * Either side alone could be walked along its run. Blocks that are transposed in registers make it
 * so for both: SIDE strips, each along the source, become SIDE strips along the destination.
 */

/* ---- Blocks: SIDE columns, DEPTH rows ---- */

static void strips_of_lanes(const lane *lanes, strip *block) {
#pragma unroll
  for (uint c = 0; c < DEPTH; ++c) {
#if LANES == 2
    block[c] = join_lanes(lanes[c], lanes[c + DEPTH]);
#else
    block[c] = lanes[c];
#endif
  }
}

/* The lines that strips of a block, as long as lines, end in: those that they begin in have been
 * there since the tile before. */
static void fetch_block(place from, __global const offset_pair *columns, uint count) {
#pragma unroll
  for (uint c = 0; c < SIDE; ++c) {
    fetch_at(onward(from, columns[min(c, count - 1)].x), 63);
  }
}

/* The common case, unrolled: a whole block that has a source throughout. */
static void load_block(place from, __global const offset_pair *columns, strip *block) {
#if CHANGES && WORD_BYTES == 2 && LANES == 2
#pragma unroll
  for (uint c = 0; c < DEPTH; ++c) {
    block[c] = words_at_two(onward(from, columns[c].x), onward(from, columns[c + DEPTH].x));
  }
#else
  lane loaded[SIDE];
#pragma unroll
  for (uint c = 0; c < SIDE; ++c) {
    loaded[c] = load_lane(onward(from, columns[c].x));
  }
  strips_of_lanes(loaded, block);
#endif
}

static void store_block(const strip *block, word *to, __global const offset_pair *rows) {
#pragma unroll
  for (uint r = 0; r < DEPTH; ++r) {
    store_strip(to + rows[r].y, block[r]);
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

/* All other cases, in loops: unrolled they would take compilers many times as long. `count`
 * columns, of which the first `valid` can have a source; the fill stands for the others. */
static void load_some(place from, load_limit limit, __global const offset_pair *columns, uint count,
                      uint valid, word fill, strip *block) {
  lane loaded[SIDE];
  PLAIN_LOOP
  for (uint c = 0; c < min(count, (uint)SIDE); ++c) {
    const offset at = columns[c].x;
    loaded[c] = c < valid && at != NO_SOURCE ? load_within(onward(from, at), limit) : lane_of(fill);
  }
  strips_of_lanes(loaded, block);
}

/* `row_count` strips, of which not more than `column_count` words are stored when `exact`. */
static void store_some(const strip *block, word *to, __global const offset_pair *rows,
                       uint row_count, uint column_count, bool exact) {
  strip stored[DEPTH];
#pragma unroll
  for (uint r = 0; r < DEPTH; ++r) {
    stored[r] = block[r];
  }
  const uint words = exact ? min(column_count, (uint)SIDE) : SIDE;
  PLAIN_LOOP
  for (uint r = 0; r < min(row_count, (uint)DEPTH); ++r) {
    word *const row = to + rows[r].y;
    if (words == SIDE) {
      store_strip(row, stored[r]);
    } else {
      const word *const from = (const word *)&stored[r];
      PLAIN_LOOP
      for (uint i = 0; i < words; ++i) {
        row[i] = from[i];
      }
    }
  }
}

/* Blocks go down the rows first, so that each line of the source is read to its end, while those of
 * the next columns are on their way. */
static void transpose_piece(const piece *of) {
  strip block[DEPTH];
  for (uint c = 0; c < of->columns; c += SIDE) {
    const uint column = block_start(c, of->columns, SIDE);
    const uint left = of->columns - column;
    const uint valid = of->valid_columns - min(column, of->valid_columns);
    __global const offset_pair *const columns = of->columns_at + column;
    for (uint r = 0; r < of->rows; r += DEPTH) {
      const uint row = block_start(r, of->rows, DEPTH);
      const uint rows_left = of->rows - row;
      const place from = onward(of->from, row);
      if (left > SIDE && r % SOURCE_LINE == 0) {
        fetch_block(from, columns + SIDE, left - SIDE);
      }
      if (of->has_gaps || left < SIDE || (of->limit.near && rows_left < DEPTH)) {
        load_some(from, of->limit, columns, left, valid, of->fill, block);
      } else {
        load_block(from, columns, block);
      }
      transpose(block);
      word *const to = of->to + columns[0].y;
      if ((of->exact && left < SIDE) || rows_left < DEPTH) {
        store_some(block, to, of->rows_at + row, rows_left, left, of->exact);
      } else {
        store_block(block, to, of->rows_at + row);
      }
    }
  }
}

#if WORD_BYTES < 16

/* As interleave_piece, a line of rows at once. */
static void interleave_eight(const piece *of) {
  line loaded[EIGHT_CHANNELS];
  strip strips[EIGHT_CHANNELS];
  for (uint r = 0; r < of->rows; r += LINE) {
    const uint row = block_start(r, of->rows, LINE);
    UNROLLED
    for (uint t = 0; t < EIGHT_CHANNELS; ++t) {
      loaded[t] =
          has_source(of, t) ? load_line(onward(column_place(of, t), row)) : line_of(of->fill);
    }
    UNROLLED
    for (uint s = 0; s < LINE; s += SIDE) {
      UNROLLED
      for (uint t = 0; t < EIGHT_CHANNELS; ++t) {
        strips[t] = LOAD_STRIP((const word *)&loaded[t] + s);
      }
      rotate_places(strips, EIGHT_CHANNELS, 3);
      word *const to = row_place(of, row + s, 0);
      UNROLLED
      for (uint i = 0; i < EIGHT_CHANNELS; ++i) {
#if LANES == 2
        store_lane(to + i * DEPTH, strips[i].lo);
        store_lane(to + (EIGHT_CHANNELS + i) * DEPTH, strips[i].hi);
#else
        store_lane(to + i * DEPTH, strips[i]);
#endif
      }
    }
  }
}

#endif

/* ---- Elements of TRANSPOSED_BITS, transposed among rows before bytes are ---- */

#if TRANSPOSED_BITS

/* Rows of a bit transpose: as many as a byte has elements. */
#define BIT_ROWS (8 / TRANSPOSED_BITS)

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

/* SIDE columns of rows that are bit transposed, of each a run that is no longer than a line. */
typedef struct bit_columns {
  line of[BIT_ROWS][SIDE];
} bit_columns;

/* From the piece's first run to another of them. */
static offset run_below(const piece *of, uint run) {
  return of->rows_at[run * of->rows].x - of->rows_at[0].x;
}

/* The common case: whole lines that have a source throughout. What follows in the same rows is what
 * the next tile reads. */
static void load_bits(const piece *of, __global const offset_pair *columns, bit_columns *to) {
  for (uint c = 0; c < SIDE; ++c) {
    line loaded[BIT_ROWS];
#pragma unroll
    for (uint r = 0; r < BIT_ROWS; ++r) {
      const place at = onward(of->from, columns[c].x + run_below(of, r));
      loaded[r] = load_line(at);
      fetch_at(at, 2 * of->rows - 1);
    }
    transpose_bits(loaded, BIT_ROWS);
#pragma unroll
    for (uint r = 0; r < BIT_ROWS; ++r) {
      to->of[r][c] = loaded[r];
    }
  }
}

/* All other cases, as load_some has them. What is filled is the same transposed. */
static void load_some_bits(const piece *of, __global const offset_pair *columns, uint count,
                           uint valid, bit_columns *to) {
  PLAIN_LOOP
  for (uint c = 0; c < min(count, (uint)SIDE); ++c) {
    const bool is_there = c < valid && columns[c].x != NO_SOURCE;
    line loaded[BIT_ROWS];
    PLAIN_LOOP
    for (uint r = 0; r < BIT_ROWS; ++r) {
      const offset at = columns[c].x + run_below(of, r);
      loaded[r] = is_there ? line_within(onward(of->from, at), of->limit) : line_of(of->fill);
    }
    transpose_bits(loaded, BIT_ROWS);
    PLAIN_LOOP
    for (uint r = 0; r < BIT_ROWS; ++r) {
      to->of[r][c] = loaded[r];
    }
  }
}

static void load_bit_block(const line *columns, uint row, strip *block) {
  lane loaded[SIDE];
#pragma unroll
  for (uint c = 0; c < SIDE; ++c) {
    loaded[c] = LOAD_LANE(__private, (const word *)&columns[c] + row);
  }
  strips_of_lanes(loaded, block);
}

/* As transpose_piece, for the runs of BIT_ROWS rows, which are as long as the piece has rows. */
static void transpose_bit_piece(const piece *of) {
  const uint run = of->rows;
  bit_columns columns;
  strip block[DEPTH];
  for (uint c = 0; c < of->columns; c += SIDE) {
    const uint column = block_start(c, of->columns, SIDE);
    const uint left = of->columns - column;
    const uint valid = of->valid_columns - min(column, of->valid_columns);
    if (of->has_gaps || left < SIDE || of->limit.near) {
      load_some_bits(of, of->columns_at + column, left, valid, &columns);
    } else {
      load_bits(of, of->columns_at + column, &columns);
    }
    for (uint bit_row = 0; bit_row < BIT_ROWS; ++bit_row) {
      for (uint r = 0; r < run; r += DEPTH) {
        const uint row = block_start(r, run, DEPTH);
        load_bit_block(columns.of[bit_row], row, block);
        transpose(block);
        __global const offset_pair *const stored = of->rows_at + bit_row * run + row;
        word *const to = of->to + of->columns_at[column].y;
        if (of->exact && left < SIDE) {
          store_some(block, to, stored, DEPTH, left, true);
        } else {
          store_block(block, to, stored);
        }
      }
    }
  }
}

#endif

/* ---- Tiles ---- */

#if TRANSPOSED_BITS

#define ROWS_OF_RUN(made) ((uint)(made)->dense_rows * BIT_ROWS)

static void move_piece(piece *of, __global const kernel_staging *made) {
  of->rows = (uint)made->dense_rows;
  transpose_bit_piece(of);
}

#else

#define ROWS_OF_RUN(made) ((uint)(made)->dense_rows)

/* The columns that were moved. What follows them would spill over into the next row, that is there
 * already. */
static uint move_channels(const piece *of, __global const kernel_staging *made) {
#if WORD_BYTES < 16
  const uint parted = min(min(of->columns, of->valid_columns), (uint)made->valid_columns);
  const uint row_channels = (uint)made->write_channels;
  const uint column_channels = (uint)made->read_channels;
  if (row_channels > FEW_CHANNELS && of->rows >= LINE) {
    interleave_eight(of);
    return of->columns;
  }
  if (row_channels > 0 && row_channels <= FEW_CHANNELS && of->rows >= CHANNEL) {
    interleave_piece(of, row_channels);
    return of->columns;
  }
  const uint least = column_channels > FEW_CHANNELS ? SIDE : CHANNEL;
  if (column_channels > 0 && parted >= least && of->columns_at[0].x != NO_SOURCE &&
      !(of->limit.near && of->rows < column_channels)) {
    if (column_channels > FEW_CHANNELS) {
      deinterleave_eight(of, parted);
    } else {
      deinterleave_piece(of, parted, column_channels);
    }
    return parted;
  }
#endif
  return 0;
}

static void move_piece(piece *of, __global const kernel_staging *made) {
  const uint done = move_channels(of, made);
  of->columns_at += done;
  of->columns -= done;
  of->valid_columns -= min(done, of->valid_columns);
  of->exact = of->exact || done > 0;
  transpose_piece(of);
}

#endif

/* The rows that have no source. */
INLINED_TILE static void fill_rows(word *to, __global const kernel_staging *made,
                                   __constant const kernel_grid *grid, const tile *t, word fill) {
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

INLINED_TILE static void stage_tile(word *to, place from, load_limit limit,
                                    __global const kernel_staging *made,
                                    __constant const kernel_grid *grid, const tile *t, word fill) {
  __global const offset_pair *const rows = row_table(made);
  __global const offset_pair *const columns = column_table(made, grid);
  const uint dense_columns = (uint)made->dense_columns;
  for (uint column = 0; column < t->columns; column += dense_columns) {
    for (uint row = 0; row < t->valid_rows; row += ROWS_OF_RUN(made)) {
      if (rows[row].x == NO_SOURCE) {
        continue;
      }
      piece at = {onward(from, rows[row].x),
                  to,
                  columns + column,
                  rows + row,
                  min(dense_columns, t->columns - column),
                  t->valid_columns - min(column, t->valid_columns),
                  min((uint)made->valid_rows, t->valid_rows - row),
                  limit,
                  made->column_gaps || t->valid_columns < t->columns,
                  made->exact,
                  fill};
      move_piece(&at, made);
    }
  }
  fill_rows(to, made, grid, t, fill);
}

/* Words that loads may bring from behind a row. */
#define OVERREAD (TRANSPOSED_BITS ? LINE : DEPTH)

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
ENTRY(permute)(SIDE_PARAMETERS(word, destination), __constant const kernel_grid *grid,
               const word fill, SIDE_PARAMETERS(const source_word, source),
               __global const kernel_staging *restrict made CONVERSION_PARAMETER) {
  FIND_SIDE(word, destination);
  FIND_SIDE(const source_word, source);
  move_staged(destination, START(destination_starts), grid, fill,
              PLACE(source, START(source_starts)), made, OVERREAD);
}
