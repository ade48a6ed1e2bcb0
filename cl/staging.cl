/* staging.cl: a tile is put together in the work-item's own memory, as the
 * destination has it, and leaves from there line by line. Follows run.cl;
 * src/cpu/tile_buffer.h tells what a staging buffer is.
 *
 * The host made a table of pairs for each side of the tile: where a position lies in the source, or
 * NO_SOURCE, and where in the staging buffer. STAGING_BYTES is compiled in.
 *
 * The memory is private, not local: PoCL 3.1 loses what the first tile of a work-group stores in an
 * array of local memory.
 */

#if WIDE
#define NO_SOURCE LONG_MIN
#else
#define NO_SOURCE INT_MIN
#endif

static __global const offset_pair *row_table(__global const kernel_staging *made) {
  return (__global const offset_pair *)(made + 1);
}

static __global const offset_pair *column_table(__global const kernel_staging *made,
                                                __constant const kernel_grid *grid) {
  return row_table(made) + grid->rows.length;
}

static __global const offset_pair *segment_table(__global const kernel_staging *made,
                                                 __constant const kernel_grid *grid) {
  return column_table(made, grid) + grid->columns.length;
}

/* Whether `lanes` words from any position of the tile with a source still lie in the source. */
static bool may_overread(__global const kernel_staging *made, __constant const kernel_grid *grid,
                         const tile *t, uint lanes) {
  const long columns = (long)(t->valid_columns / (uint)grid->columns.inner) - 1;
  const long rows = (long)(t->valid_rows / (uint)grid->rows.inner) - 1;
  return (long)t->source + max(columns * grid->columns.source_stride, 0L) + made->column_reach +
             max(rows * grid->rows.source_stride, 0L) + made->row_reach + (long)lanes <=
         made->source_elements;
}

#if IN_DESTINATION_BYTE > 1

/* What the destination has at this position, which may be another tile's;
 * nothing behind its end. */
static word element_of(ulong position, place source, __global const kernel_staging *made,
                       __constant const kernel_grid *grid, word fill) {
  __global const kernel_axis *const axes =
      (__global const kernel_axis *)(segment_table(made, grid) + 2 * made->segment_count);
  if (position >= (ulong)made->dense_elements) {
    return 0;
  }
  long at = 0;
  bool has_source = true;
  PLAIN_LOOP
  for (long a = 0; a < made->axis_count; ++a) {
    const ulong rest = position / (ulong)axes[a].extent;
    const long digit = (long)(position - rest * (ulong)axes[a].extent);
    position = rest;
    at += digit * axes[a].source_stride;
    has_source = has_source && digit < axes[a].valid;
  }
  return has_source ? element_at(onward(source, at)) : fill;
}

/* The elements behind the first `count` that share their last byte with them,
 * which then are written too. */
static uint fill_byte(word *held, uint count, ulong position, place source,
                      __global const kernel_staging *made, __constant const kernel_grid *grid,
                      word fill) {
  PLAIN_LOOP
  for (; count % IN_DESTINATION_BYTE > 0; ++count) {
    held[count] = element_of(position + count, source, made, grid, fill);
  }
  return count;
}

#else
#define fill_byte(held, count, position, source, made, grid, fill) (count)
#endif

/* Segments leave for the destination: whole lines, and what is left at their ends. Tiles with a
 * halo share no line with the next: each writes those that begin in its own block, to their ends.
 * So do packed segments with bytes, whatever comes next. */
static void store_segments(__global word *destination, ulong destination_start, word *from,
                           place source, __global const kernel_staging *made,
                           __constant const kernel_grid *grid, const tile *t, word fill) {
  const uint column_steps = t->columns / (uint)grid->columns.inner;
  const uint row_steps = t->rows / (uint)grid->rows.inner;
  const bool by_columns = made->segment_side == 1;
  const bool by_rows = made->segment_side == 2;
  __constant const kernel_side *const cut = by_rows ? &grid->rows : &grid->columns;
  const uint steps = by_columns ? column_steps : by_rows ? row_steps : 1;
  const uint all_held = (uint)made->segment_unit * steps;
  const uint all_own = (uint)made->segment_unit * min(steps, (uint)cut->block);
  const bool leaves_first = cut->halo > 0 && (by_rows ? t->row_block : t->column_block) > 0;
  const bool ends_last = all_own < all_held;
  const uint count = (uint)made->segment_count;
  const uint pitch = (uint)made->segment_pitch;
  const bool streams = grid->streams;
  __global const offset_pair *segment = segment_table(made, grid);
  for (uint s = 0; s < count; ++s, segment += 2, from += pitch) {
    if ((uint)segment[1].x >= column_steps || (uint)segment[1].y >= row_steps) {
      continue;
    }
    const ulong position = t->destination + (ulong)segment[0].x;
    const uint begun = elements_to_byte(destination_start + position);
    __global word *const start = place_in(destination, destination_start + position + begun);
    word *const whole = from + begun;
    const uint own = all_own - min(begun, all_own);
    const uint held = all_held - min(begun, all_held);
    uint end = ends_last ? min(own + elements_to_line(start, own), held) : own;
    uint i = leaves_first ? min(elements_to_line(start, 0), end) : 0;
    if (i < end) {
      end = fill_byte(whole, end, position + begun, source, made, grid, fill);
    }
    const uint head = elements_before_line(place_in(start, i), end - i, streams);
    store_elements(place_in(start, i), whole + i, head);
    i += head;
    for (; i + DESTINATION_LINE <= end; i += DESTINATION_LINE) {
      store_line(packed_line(whole + i), place_in(start, i), streams);
    }
    store_elements(place_in(start, i), whole + i, end - i);
  }
}

/* `count` fills, and not one word more. */
static void fill_exactly(word *to, uint count, word fill) {
  PLAIN_LOOP
  for (uint i = 0; i < count; ++i) {
    to[i] = fill;
  }
}

/* Where a tile's loads end: at the source's end, which lies so `near` for some tiles
 * that lanes would go past it. */
typedef struct load_limit {
  place end;
  bool near;
} load_limit;

/* What is told of a tile is to become a part of its kernel: Oclgrind 21.10 does not know how
 * compilers mark that nothing else points to what a function returns. */
#if defined(__clang__)
#define INLINED_TILE __attribute__((always_inline))
#else
#define INLINED_TILE
#endif

/* Puts one tile together, in lanes of as many words as the kernel told move_staged. */
INLINED_TILE static void stage_tile(word *to, place from, load_limit limit,
                                    __global const kernel_staging *made,
                                    __constant const kernel_grid *grid, const tile *t, word fill);

#if SHUFFLES

#if NATIVE
#define REORDERED(lane) __builtin_shufflevector(lane, lane, SHUFFLE_ORDER)
#else
#define REORDERED(lane) shuffle(lane, (uchar16)(SHUFFLE_ORDER))
#endif

/* The bytes of each word, in the order that the destination has them. */
static void shuffle_words(word *staged, __global const kernel_staging *made) {
  uchar *const bytes = (uchar *)staged;
  const uint lanes =
      ((uint)made->segment_count * (uint)made->segment_pitch * (uint)sizeof(word) + 15) / 16;
  for (uint i = 0; i < lanes; ++i) {
    const uchar16 lane = vload16(i, bytes);
    vstore16(REORDERED(lane), i, bytes);
  }
}

#endif

/* Packing looks at whole lines, also where fewer elements leave. */
#define STAGING_LINES (STAGING_BYTES / 64 + DESTINATION_LINE / LINE)

/* The work-group's tiles. Both sides begin with the problem. */
static void move_staged(__global word *destination, ulong destination_start,
                        __constant const kernel_grid *grid, word fill, place source,
                        __global const kernel_staging *made, uint lanes) {
  line staged[STAGING_LINES];
  word *const to = (word *)staged;
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    const load_limit limit = {onward(source, made->source_elements),
                              !may_overread(made, grid, &t, lanes)};
    stage_tile(to, onward(source, (long)t.source), limit, made, grid, &t, fill);
#if SHUFFLES
    shuffle_words(to, made);
#endif
    store_segments(destination, destination_start, to, source, made, grid, &t, fill);
  }
}
