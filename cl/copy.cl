/* copy.cl: both sides run along the columns. Follows work_group.cl.
 *
 *     source       |a b c d e|. . .      destination  |a b c d e|0 0 0|
 *                  |f g h i j|. . .                   |f g h i j|0 0 0|
 *
 * Each row is a run on both sides. 2^across_shift work-items side by side take a row, so that
 * neighbours touch neighbouring units; the others take the rows below:
 *
 *     0 1 2 3 | 0 1 2 ...      numbers are work-items, four of them across
 *     4 5 6 7 | 4 5 6 ...
 *
 * A work-item loads what a unit of the destination is made of, wherever that begins in the source.
 */

/* What that takes: units of the source. */
#define LOADS (SOURCE_UNIT < DESTINATION_UNIT ? DESTINATION_UNIT / SOURCE_UNIT : 1)

/* How many units of the destination a work-item has under way. Registers run out for more than two
 * that change, most of which are copied in blocks. Of others eight are slower than four on a
 * simulated GPU (bench/RESULTS.md). */
#define LOADED_WORDS (LOADS * (SOURCE_BYTES > 4 ? SOURCE_BYTES / 4 : 1))
#define MOST_UNITS   (CHANGES ? 2 : 4)
#define HELD_UNITS                                                                                 \
  (16 / LOADED_WORDS < 1 ? 1 : 16 / LOADED_WORDS < MOST_UNITS ? 16 / LOADED_WORDS : MOST_UNITS)

/* A row of a tile, as far as it is written and as far as it has a source. */
typedef struct row {
  offset from; /* of the tile's source */
  __global word *to;
  uint length;
  uint valid;
} row;

ALWAYS_INLINE static row row_at(__global word *to, uint number, const tile t,
                                __constant const kernel_grid *grid) {
  const uint valid = number < t.valid_rows ? t.valid_columns : 0;
  const row found = {(offset)number * (offset)grid->rows.source_stride,
                     to + stored_offset((offset)number * (offset)grid->rows.destination_stride),
                     number >= t.rows ? 0
                     : grid->fills    ? t.columns
                                      : valid,
                     valid};
  return found;
}

/* From where on no element of a row has a source, nor shares a word with one. */
ALWAYS_INLINE static uint first_filled(const row r) {
  return min((r.valid + IN_DESTINATION_BYTE - 1) / IN_DESTINATION_BYTE * IN_DESTINATION_BYTE,
             r.length);
}

/* ---- Whole units ---- */

/* What a unit of the destination is made of, all of which is in the source. */
ALWAYS_INLINE static void load_sources_at(const loose_place at, loose_unit *held) {
#if LOADS % 4 == 0 && SOURCE_BYTES == 4
  if (((uintptr_t)at.front & 15) == 0) {
#pragma unroll
    for (uint k = 0; k < LOADS; k += 4) {
      const uint4 piece = reversed_piece(*(__global const uint4 *)(at.front + k));
      held[k].front = piece.x;
      held[k + 1].front = piece.y;
      held[k + 2].front = piece.z;
      held[k + 3].front = piece.w;
    }
    return;
  }
#elif LOADS == 2 && SOURCE_BYTES == 4
  if (((uintptr_t)at.front & 7) == 0) {
    const uint2 pair = *(__global const uint2 *)at.front;
    held[0].front = reversed_uint(pair.x);
    held[1].front = reversed_uint(pair.y);
    return;
  }
#endif
#pragma unroll
  for (uint k = 0; k < LOADS; ++k) {
    held[k] = load_loose_at(loose_onward(at, (long)(k * SOURCE_UNIT)), true);
  }
}

/* The same where perhaps only these elements are in the source. */
ALWAYS_INLINE static void load_sources(const source_tile source, offset at, loose_unit *held) {
#pragma unroll
  for (uint k = 0; k < LOADS; ++k) {
    held[k] = load_loose(source, at + (offset)(k * SOURCE_UNIT), DESTINATION_UNIT);
  }
}

/* A unit of the destination, of the elements from this one on. */
ALWAYS_INLINE static unit changed_unit(const source_unit *held, uint first, const place from) {
  unit made = (unit)(0);
#pragma unroll
  for (uint w = 0; w < UNIT; ++w) {
    word one = (word)(0);
#pragma unroll
    for (uint k = 0; k < IN_DESTINATION_BYTE; ++k) {
      const uint element = first + w * IN_DESTINATION_BYTE + k;
      one = with_element(one, k,
                         converted_word(held[element / SOURCE_UNIT], element % SOURCE_UNIT, from));
    }
    made = with_word(made, w, one);
  }
  return made;
}

ALWAYS_INLINE static unit unit_of_sources(const loose_unit *loaded, const place from) {
#if CHANGES
  source_unit held[LOADS];
#pragma unroll
  for (uint k = 0; k < LOADS; ++k) {
    held[k] = unit_of_loose(loaded[k]);
  }
  return changed_unit(held, 0, from);
#else
  return unit_of_loose(loaded[0]);
#endif
}

/* A unit of nothing but padding. */
ALWAYS_INLINE static unit unit_of_fill(word fill) {
  word one = (word)(0);
#pragma unroll
  for (uint k = 0; k < IN_DESTINATION_BYTE; ++k) {
    one = with_element(one, k, fill);
  }
  return unit_of_equal(one);
}

/* A work-item's units of a row, from number `first` on and `across` apart, as far as number `end`;
 * the first of them begins at a column and a place of the destination. */
typedef struct row_units {
  uint first;
  uint end;
  uint across;
  uint column;
  __global word *to;
} row_units;

ALWAYS_INLINE static row_units units_of(const row r, uint first, uint across, uint end) {
  const uint column = column_of_unit(r.to, first);
  const row_units found = {first, end, across, column, r.to + stored_offset((offset)column)};
  return found;
}

/* Wherever the first begins in a unit of the source, so do those that follow, mostly. */
ALWAYS_INLINE static void copy_row(const source_tile source, const row r, const row_units units) {
  const offset apart = (offset)(units.across * DESTINATION_UNIT);
  __global word *to = units.to;
  loose_place at = loose_at(onward(source.from, r.from + (offset)units.column));
  ONE_BY_ONE
  for (uint number = units.first; number < units.end; number += HELD_UNITS * units.across) {
    loose_unit held[HELD_UNITS][LOADS] NOTHING_YET;
#pragma unroll
    for (uint h = 0; h < HELD_UNITS; ++h) {
      if (number + h * units.across < units.end) {
        load_sources_at(at, held[h]);
      }
      at = loose_onward(at, apart);
    }
#pragma unroll
    for (uint h = 0; h < HELD_UNITS; ++h) {
      if (number + h * units.across < units.end) {
        store_unit(unit_of_sources(held[h], source.from), to);
      }
      to += stored_offset(apart);
    }
  }
}

/* The same where the source begins or ends. */
ALWAYS_INLINE static void copy_row_at_end(const source_tile source, const row r,
                                          const row_units units) {
  offset from = r.from + (offset)units.column;
  __global word *to = units.to;
  ONE_BY_ONE
  for (uint number = units.first; number < units.end; number += units.across) {
    loose_unit held[LOADS];
    load_sources(source, from, held);
    store_unit(unit_of_sources(held, source.from), to);
    from += (offset)(units.across * DESTINATION_UNIT);
    to += stored_offset((offset)(units.across * DESTINATION_UNIT));
  }
}

ALWAYS_INLINE static void fill_row(const row_units units, unit fills) {
  __global word *to = units.to;
  ONE_BY_ONE
  for (uint number = units.first; number < units.end; number += units.across) {
    store_unit(fills, to);
    to += stored_offset((offset)(units.across * DESTINATION_UNIT));
  }
}

static void copy_units(const source_tile source, __global word *to, const tile t,
                       __constant const kernel_grid *grid, word fill) {
  const uint shift = grid->across_shift;
  const uint across = 1u << shift;
  const part first = first_part(shift);
  const unit fills = unit_of_fill(fill);
  ONE_BY_ONE
  for (uint number = first.run; number < t.rows; number += GROUP >> shift) {
    const row r = row_at(to, number, t, grid);
    const uint into = stored_into_unit(r.to);
    /* the first unit is whole only where the row begins with it */
    const uint begin = first.number == 0 && into > 0 ? across : first.number;
    const row_units copied = units_of(r, begin, across, (r.valid + into) / DESTINATION_UNIT);
    if (source.is_inside) {
      copy_row(source, r, copied);
    } else {
      copy_row_at_end(source, r, copied);
    }
    const uint filled = (first_filled(r) + into + DESTINATION_UNIT - 1) / DESTINATION_UNIT;
    const uint end = (r.length + into) / DESTINATION_UNIT;
    if (filled < end) {
      fill_row(units_of(r, filled + first.number, across, end), fills);
    }
  }
}

/* ---- The ends of rows ---- */

/* A word of the destination; what is left of a row's last one becomes zeros. */
ALWAYS_INLINE static word copied_word(const source_tile source, const row r, uint column,
                                      word fill) {
  word made = (word)(0);
#pragma unroll
  for (uint k = 0; k < IN_DESTINATION_BYTE; ++k) {
    const uint at = column + k;
    if (at < r.length) {
      made = with_element(
          made, k, at < r.valid ? element_at(onward(source.from, r.from + (offset)at)) : fill);
    }
  }
  return made;
}

/* Elements with a source, and those without, are runs of their own; between them may
 * lie a word that both share. */
ALWAYS_INLINE static uint column_of_end(const row r, uint number) {
  const uint moved =
      r.valid == r.length ? r.valid : r.valid / IN_DESTINATION_BYTE * IN_DESTINATION_BYTE;
  const uint filled = first_filled(r);
  if (number < 2 * UNIT) {
    const uint column = end_column(r.to, moved, number);
    return column < moved ? column : r.length;
  }
  if (number < 4 * UNIT) {
    return filled +
           end_column(r.to + stored_offset((offset)filled), r.length - filled, number - 2 * UNIT);
  }
  return moved < filled ? moved : r.length;
}

static void copy_ends(const source_tile source, __global word *to, const tile t,
                      __constant const kernel_grid *grid, word fill) {
  const bool is_all_moved = t.valid_columns == t.columns && t.valid_rows == t.rows;
  const uint ends = is_all_moved ? ends_of(t.columns) : 4 * UNIT + 1;
#pragma unroll 1
  for (uint number = local_id(); number < t.rows * ends; number += GROUP) {
    const part end = part_of(number, ends);
    const row r = row_at(to, end.run, t, grid);
    const uint column = column_of_end(r, end.number);
    if (column < r.length) {
      r.to[stored_offset((offset)column)] = copied_word(source, r, column, fill);
    }
  }
}

/* ---- Pieces, of rows that begin anywhere ----
 *
 * Long rows of words shorter than a unit go by pieces of the destination, wherever the source
 * begins. Each is put together from two of the source, which neighbours load as well, and filled
 * behind the elements with a source. What is in no whole piece is stored word by word. */
#define GOES_BY_PIECES (!CHANGES && !SOURCE_BITS && UNIT > 1)

#if GOES_BY_PIECES

/* A work-item has a few pieces under way. */
#define HELD_PIECES 2

/* Rows of few pieces go by units; so do tiles that begin or end with the source. */
ALWAYS_INLINE static bool are_long(const source_tile source, const tile t, offset lowest,
                                   offset end) {
  return t.columns >= 4 * PIECE && lowest - PIECE >= source.first && end + 2 * PIECE <= source.end;
}

/* As many work-items across as take units, but no more than a row has pieces. */
ALWAYS_INLINE static uint shift_of_pieces(const tile t, __constant const kernel_grid *grid) {
  uint shift = (uint)grid->across_shift;
  while ((uint)PIECE << shift > t.columns) {
    --shift;
  }
  return shift;
}

/* A piece of a row from two of the source; `count` of its words have one. */
ALWAYS_INLINE static void store_joined(uint4 front, uint4 behind, uint bits, int count, unit fills,
                                       __global word *to) {
  uint4 made = joined_pieces(front, behind, bits);
  if (count < PIECE) {
    made = first_of_piece(made, count, fills);
  }
  *(__global uint4 *)to = made;
}

ALWAYS_INLINE static void copy_pieces(const source_tile source, __global word *to, const tile t,
                                      __constant const kernel_grid *grid, word fill) {
  const uint shift = shift_of_pieces(t, grid);
  const uint across = 1u << shift;
  const part first = first_part(shift);
  const unit fills = unit_of_equal(fill);
  ONE_BY_ONE
  for (uint number = first.run; number < t.rows; number += GROUP >> shift) {
    const row r = row_at(to, number, t, grid);
    const uint into = into_piece(r.to);
    const place from = onward(source.from, r.from - (offset)into);
    const uint into_source = elements_into(from, 16);
    __global const uint4 *const fronts =
        (__global const uint4 *)word_at(onward(from, -(long)into_source));
    const uint end = (r.length + into) / PIECE;
    const uint moved = r.valid > 0 ? min((r.valid + into + PIECE - 1) / PIECE, end) : 0;
    ONE_BY_ONE
    for (uint n = first.number == 0 && into > 0 ? across : first.number; n < end;
         n += HELD_PIECES * across) {
      uint4 front[HELD_PIECES];
      uint4 behind[HELD_PIECES];
#pragma unroll
      for (uint h = 0; h < HELD_PIECES; ++h) {
        front[h] = (uint4)(0);
        behind[h] = (uint4)(0);
        if (n + h * across < moved) {
          front[h] = reversed_piece(fronts[n + h * across]);
          behind[h] = reversed_piece(fronts[n + h * across + 1]);
        }
      }
#pragma unroll
      for (uint h = 0; h < HELD_PIECES; ++h) {
        const uint at = (n + h * across) * PIECE - into;
        if (n + h * across < end) {
          store_joined(front[h], behind[h], into_source * 8 * WORD_BYTES, (int)(r.valid - at),
                       fills, r.to + (offset)at);
        }
      }
    }
  }
}

static void copy_piece_ends(const source_tile source, __global word *to, const tile t,
                            __constant const kernel_grid *grid, word fill) {
#pragma unroll 1
  for (uint number = local_id(); number < t.rows * PIECE_ENDS; number += GROUP) {
    const row r = row_at(to, number / PIECE_ENDS, t, grid);
    const uint column = piece_end_column(r.to, r.length, number % PIECE_ENDS);
    word held[UNIT];
#pragma unroll
    for (uint k = 0; k < UNIT; ++k) {
      held[k] = fill;
      if (column + k < r.valid) {
        held[k] = source_element(onward(source.from, r.from + (offset)(column + k)));
      }
    }
#pragma unroll
    for (uint k = 0; k < UNIT; ++k) {
      if (column + k < r.length) {
        r.to[(offset)(column + k)] = held[k];
      }
    }
  }
}
#endif

/* ---- Elements that change, in blocks ---- */

/* Of elements that keep their bits, pieces are one word each where both sides are aligned. Those
 * that change go in blocks then: as many as fill a piece of the side where they are longer, so that
 * neighbours touch what lies side by side on both; but no fewer than a unit of either has. */
#if CHANGES
#define LARGER(a, b)   ((a) > (b) ? (a) : (b))
#define PIECE_ELEMENTS (PIECE * IN_DESTINATION_BYTE)
#define BLOCK                                                                                      \
  LARGER(PIECE_ELEMENTS < SOURCE_PIECE ? PIECE_ELEMENTS : SOURCE_PIECE,                            \
         LARGER(SOURCE_UNIT, DESTINATION_UNIT))
#define BLOCK_LOADS  (BLOCK / SOURCE_UNIT)
#define BLOCK_STORES (BLOCK / DESTINATION_UNIT)

/* Bytes of which a block of either side begins at a multiple. */
#define BLOCK_LOADED (BLOCK * SOURCE_BYTES / IN_SOURCE_BYTE)
#define BLOCK_STORED (BLOCK_STORES * UNIT * WORD_BYTES)

ALWAYS_INLINE static void load_block(const place from, source_unit *held) {
#if SOURCE_BYTES <= 4 && BLOCK_LOADS % 4 == 0
#pragma unroll
  for (uint k = 0; k < BLOCK_LOADS; k += 4) {
    const uint4 piece = load_piece(onward(from, k * SOURCE_UNIT));
    held[k] = source_unit_of(piece.x);
    held[k + 1] = source_unit_of(piece.y);
    held[k + 2] = source_unit_of(piece.z);
    held[k + 3] = source_unit_of(piece.w);
  }
#elif SOURCE_BYTES <= 4 && BLOCK_LOADS == 2
  const uint2 pair = *(__global const uint2 *)word_at(from);
  held[0] = source_unit_of(reversed_uint(pair.x));
  held[1] = source_unit_of(reversed_uint(pair.y));
#else
#pragma unroll
  for (uint k = 0; k < BLOCK_LOADS; ++k) {
    held[k] = load_unit(onward(from, k * SOURCE_UNIT));
  }
#endif
}

ALWAYS_INLINE static void store_block(const source_unit *held, __global word *to,
                                      const place from) {
  unit made[BLOCK_STORES];
#pragma unroll
  for (uint u = 0; u < BLOCK_STORES; ++u) {
    made[u] = changed_unit(held, u * DESTINATION_UNIT, from);
  }
#if BLOCK_STORED % 16 == 0
#pragma unroll
  for (uint u = 0; u < BLOCK_STORES; u += UNITS_PER_PIECE) {
    store_piece(made + u, to + u * UNIT);
  }
#elif BLOCK_STORES == 2
  /* of two, or Oclgrind takes it for half initialized */
  *(__global uint2 *)to = (uint2)(UNIT_IN_MEMORY(made[0]), 0) | (uint2)(0, UNIT_IN_MEMORY(made[1]));
#else
  store_unit(made[0], to);
#endif
}

/* Whether all of a tile has a source, and is in blocks that are aligned on both sides. */
ALWAYS_INLINE static bool are_blocks(const place from, __global const word *to, const tile t,
                                     __constant const kernel_grid *grid) {
  const offset strides = (offset)grid->rows.source_stride | (offset)grid->rows.destination_stride;
  return t.valid_columns == t.columns && t.valid_rows == t.rows && t.columns % BLOCK == 0 &&
         (t.rows == 1 || strides % BLOCK == 0) &&
         ((uintptr_t)to & (min(BLOCK_STORED, 16) - 1)) == 0 &&
         elements_into(from, min(BLOCK_LOADED, 16)) == 0;
}

ALWAYS_INLINE static void copy_blocks(const source_tile source, __global word *to, const tile t,
                                      __constant const kernel_grid *grid) {
  const uint shift = grid->across_shift;
  const uint blocks = t.columns / BLOCK;
  for (part p = first_part(shift); p.run < t.rows; p = next_part(p, shift, blocks)) {
    if (p.number < blocks) {
      const row r = row_at(to, p.run, t, grid);
      const offset column = (offset)(p.number * BLOCK);
      source_unit held[BLOCK_LOADS];
      load_block(onward(source.from, r.from + column), held);
      store_block(held, r.to + stored_offset(column), source.from);
    }
  }
}
#endif

/* ---- All of a tile ---- */

ALWAYS_INLINE static void copy_tile(const source_tile source, __global word *to, const tile t,
                                    __constant const kernel_grid *grid, word fill) {
#if CHANGES
  if (are_blocks(source.from, to, t, grid)) {
    copy_blocks(source, to, t, grid);
    return;
  }
#endif
  copy_units(source, to, t, grid, fill);
  const offset row_stride = stored_offset((offset)grid->rows.destination_stride);
  if (have_ends(to, row_stride, t.columns) || t.valid_columns % DESTINATION_UNIT != 0) {
    copy_ends(source, to, t, grid, fill);
  }
}

__kernel SUB_GROUP WORK_GROUP void ENTRY(copy)(SIDE_PARAMETERS(word, destination)
                                                   GRID_PARAMETER FILL_PARAMETER,
                                               SIDE_PARAMETERS(const source_word, source)
                                                   CONVERSION_PARAMETER) {
  FIND_GRID;
  FIND_FILL;
  FIND_SIDE(word, destination);
  FIND_SIDE(const source_word, source);
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    const offset reach = (offset)(t.valid_rows - 1) * (offset)grid->rows.source_stride;
    source_tile from = source_tile_at(PLACE(source, SOURCE_START), t, grid);
    const offset lowest = min(reach, (offset)0);
    const offset end = max(reach, (offset)0) + (offset)t.valid_columns;
    from.is_inside = lies_inside(from, lowest, end);
    __global word *const to = place_in(destination, DESTINATION_START + t.destination);
#if GOES_BY_PIECES
    if (are_long(from, t, lowest, end)) {
      copy_pieces(from, to, t, grid, fill);
      copy_piece_ends(from, to, t, grid, fill);
      continue;
    }
#endif
    copy_tile(from, to, t, grid, fill);
  }
}
