/* tile.cl: what every kernel starts from: its words, and finding a tile in its grid. Follows
 * arguments.cl.
 *
 * A relayout is a grid of tiles of rows x columns. A kernel asks which tiles are its work-group's,
 * finds each one's place, and moves
 *
 *     destination[row, column] = source[row, column]    row < valid_rows, column < valid_columns
 *                                fill                   elsewhere, when the grid fills
 *
 * Compiled in, as few things as possible, so that one binary serves many shapes:
 *
 *     WORD_BYTES  1, 2, 4, 8 or 16: elements move as raw words of this size, never as numbers, so
 *                 that neither half nor double support is needed and no NaN changes. Where elements
 *                 change on their way, these are the words that arrive
 *     DESTINATION_BITS
 *                 1, 2 or 4 where elements are packed in the destination; or 0
 *     DESTINATION_HIGH
 *                 1 where a byte's first packed element there lies in its high bits
 *     WIDE        1 when the tiles are too many or too large for 32-bit arithmetic
 *     GROUP       work-items of a work-group, which share a tile
 *     GRID_AXIS   the dimension of the launch along which work-groups are counted
 *     BATCH       the most relayouts that a launch does; 0: it does one
 *     SPECIALIZED 1 where all that is known of one problem is compiled in: the host writes its grid
 *                 as constants in front of this file (src/gpu/constants.c), and compilers work out
 *                 what follows from it
 *     ALONE       1 where the text is handed out (src/gpu/kernel_text.c): nothing but the sides are
 *                 arguments then, with what bytes come before them in their buffers
 *     CPP         1 where that text is C++, for CUDA and HIP (cpp.cl)
 */

#ifndef SPECIALIZED
#define SPECIALIZED 0
#endif
#ifndef ALONE
#define ALONE 0
#endif
#ifndef CPP
#define CPP 0
#endif

#if WORD_BYTES == 1
typedef uchar word;
#elif WORD_BYTES == 2
typedef ushort word;
#elif WORD_BYTES == 4
typedef uint word;
#elif WORD_BYTES == 8
typedef ulong word;
#else
typedef uint4 word;
#endif

/* What would not be worth a call, or is to become a part of loops over vectors; and loops that are
 * to be unrolled whole. */
#if defined(__clang__)
#define ALWAYS_INLINE __attribute__((always_inline))
#define UNROLLED      _Pragma("unroll")
#elif CPP
#define ALWAYS_INLINE __forceinline__
#define UNROLLED      _Pragma("unroll")
#else
#define ALWAYS_INLINE
#define UNROLLED
#endif

/* Packed elements of the destination, of which a word, one byte, has several. */
#if DESTINATION_BITS
#define IN_DESTINATION_BYTE (8 / DESTINATION_BITS)
#else
#define IN_DESTINATION_BYTE 1
#endif
#define DESTINATION_ONES ((1u << DESTINATION_BITS) - 1)

/* The bits of a byte below the packed element of this number. */
#define BITS_BELOW(number)                                                                         \
  ((DESTINATION_HIGH ? IN_DESTINATION_BYTE - 1 - (number) : (number)) * DESTINATION_BITS)

/* Where an element lies that is the first of its word. */
static __global word *place_in(__global word *destination, ulong position) {
  return destination + position / IN_DESTINATION_BYTE;
}

/* Offsets within a tile, in words, and numbers of tiles. What starts a tile is always 64 bits wide.
 */
#if WIDE
typedef long offset;
typedef long2 offset_pair;
typedef ulong tile_number;
#define FARTHEST (LONG_MAX / 2)
#else
typedef int offset;
typedef int2 offset_pair;
typedef uint tile_number;
#define FARTHEST (1 << 30) /* that an offset is from a tile's start, either way */
#endif

typedef struct tile {
  ulong source; /* of its first element, in words */
  ulong destination;
  uint columns, valid_columns;
  uint rows, valid_rows;
  long column_block; /* how many blocks lie before these */
  long row_block;
} tile;

/* Compilers are told how many work-items a work-group has. */
#if CPP
#define WORK_GROUP __launch_bounds__(GROUP)
#else
#define WORK_GROUP __attribute__((reqd_work_group_size(GROUP, 1, 1)))
#endif

/* Kernels have names that tell them apart in a trace: relayout_transpose_4. */
#if !ALONE /* which gets its name where it is handed out */
#define NAME_ENTRY(name, bytes) relayout_##name##_##bytes
#define ENTRY_OF(name, bytes)   NAME_ENTRY(name, bytes)
#define ENTRY(name)             ENTRY_OF(name, WORD_BYTES)
#endif

/* The grid is an argument, or compiled in. Then its loops are unrolled, and each division is one by
 * a constant. */
#if SPECIALIZED
#define GRID_PARAMETER
#define FIND_GRID       __constant const kernel_grid *const grid = &grid_of_problem
#define LOOP_OVER_LOOPS _Pragma("unroll")
#else
#define GRID_PARAMETER , __constant const kernel_grid *grid
#define FIND_GRID
#define LOOP_OVER_LOOPS _Pragma("unroll 1")
#endif

/* What becomes of elements without a source. */
#if ALONE
#define FILL_PARAMETER
#define FIND_FILL const word fill = FILL_OF_PROBLEM
#else
#define FILL_PARAMETER , const word fill
#define FIND_FILL
#endif

ALWAYS_INLINE static __constant const kernel_loop *loops_of(__constant const kernel_grid *grid) {
#if SPECIALIZED
  (void)grid;
  return loops_of_problem;
#else
  return (__constant const kernel_loop *)(grid + 1);
#endif
}

ALWAYS_INLINE static tile_number quotient(tile_number n, __constant const kernel_loop *loop) {
#if WIDE || SPECIALIZED
  return n / (tile_number)loop->count;
#else
  return (mul_hi(n, loop->by_count.multiplier) + n) >> loop->by_count.shift;
#endif
}

/* Compilers do not see that no iteration is beyond the last one. */
ALWAYS_INLINE static bool has_only_valid(__constant const kernel_loop *loop) {
  return SPECIALIZED && loop->valid == loop->count;
}

/* Positions of a tile along one side, of `length` in all; those of a tile fit 32 bits. */
ALWAYS_INLINE static uint positions(__constant const kernel_side *side, long iteration,
                                    long length) {
#if SPECIALIZED
  /* Compilers do not see that no iteration lies beyond the extent. */
  if (length == side->extent && length % side->block == 0) {
    return (uint)(side->inner * side->block);
  }
#endif
  const long left = length - iteration * side->block;
  return (uint)side->inner * (uint)clamp(left, 0L, side->block);
}

ALWAYS_INLINE static tile find_tile(__constant const kernel_grid *grid, tile_number n) {
  __constant const kernel_loop *loops = loops_of(grid);
  tile found = {0, 0, 0, 0, 0, 0, 0, 0};
  tile_number column_block = 0;
  tile_number row_block = 0;
  bool has_source = true;
  LOOP_OVER_LOOPS
  for (int l = 0; l < (int)grid->loop_count; ++l) {
    const bool is_last = SPECIALIZED && l + 1 == (int)grid->loop_count;
    const tile_number rest = is_last ? 0 : quotient(n, &loops[l]);
    const tile_number iteration = n - rest * (tile_number)loops[l].count;
    n = rest;
    found.source += (ulong)iteration * (ulong)loops[l].source_step;
    found.destination += (ulong)iteration * (ulong)loops[l].destination_step;
    has_source &= has_only_valid(&loops[l]) || (long)iteration < loops[l].valid;
    column_block = l == (int)grid->columns.loop_number ? iteration : column_block;
    row_block = l == (int)grid->rows.loop_number ? iteration : row_block;
  }
  found.column_block = (long)column_block;
  found.row_block = (long)row_block;
  found.columns = positions(&grid->columns, found.column_block, grid->columns.extent);
  found.rows = positions(&grid->rows, found.row_block, grid->rows.extent);
  if (has_source) {
    found.valid_columns = positions(&grid->columns, found.column_block, grid->columns.valid);
    found.valid_rows = positions(&grid->rows, found.row_block, grid->rows.valid);
  } else {
    found.source = 0;
  }
  return found;
}

/* ---- Tiles of known sizes ----
 *
 * Most tiles are whole, and all of their elements have sources; of a problem without padding those
 * at its end have three other sizes. Where the grid is compiled in, each size has its own code. */

/* Whether all elements have sources. */
ALWAYS_INLINE static bool is_full(__constant const kernel_grid *grid) {
  bool found = grid->columns.valid == grid->columns.extent && grid->rows.valid == grid->rows.extent;
  LOOP_OVER_LOOPS
  for (int l = 0; l < (int)grid->loop_count; ++l) {
    found = found && has_only_valid(&loops_of(grid)[l]);
  }
  return found;
}

ALWAYS_INLINE static uint whole_length(__constant const kernel_side *side) {
  return (uint)(side->inner * side->block);
}

ALWAYS_INLINE static uint last_length(__constant const kernel_side *side) {
  return (uint)(side->inner * ((side->extent - 1) % side->block + 1));
}

ALWAYS_INLINE static bool is_whole_tile(const tile t, __constant const kernel_grid *grid) {
  return t.valid_columns == whole_length(&grid->columns) &&
         t.valid_rows == whole_length(&grid->rows);
}

ALWAYS_INLINE static tile of_size(tile t, uint columns, uint rows) {
  t.columns = columns;
  t.valid_columns = columns;
  t.rows = rows;
  t.valid_rows = rows;
  return t;
}

/* `act(tile)` with what is known of the tile's size: of whole ones, or of all. */
#if SPECIALIZED
#define WHOLE_OR_NOT(act, t, grid)                                                                 \
  if (is_whole_tile(t, grid)) {                                                                    \
    act(of_size(t, whole_length(&(grid)->columns), whole_length(&(grid)->rows)));                  \
  } else {                                                                                         \
    act(t);                                                                                        \
  }
#define BY_SIZE(act, t, grid)                                                                      \
  if (is_whole_tile(t, grid)) {                                                                    \
    act(of_size(t, whole_length(&(grid)->columns), whole_length(&(grid)->rows)));                  \
  } else if (!is_full(grid)) {                                                                     \
    act(t);                                                                                        \
  } else if ((t).columns == whole_length(&(grid)->columns)) {                                      \
    act(of_size(t, whole_length(&(grid)->columns), last_length(&(grid)->rows)));                   \
  } else if ((t).rows == whole_length(&(grid)->rows)) {                                            \
    act(of_size(t, last_length(&(grid)->columns), whole_length(&(grid)->rows)));                   \
  } else {                                                                                         \
    act(of_size(t, last_length(&(grid)->columns), last_length(&(grid)->rows)));                    \
  }
#else
#define WHOLE_OR_NOT(act, t, grid) act(t)
#define BY_SIZE(act, t, grid)      act(t)
#endif

/* ---- Which relayout, and which tiles of it ---- */

/* Where a side begins, in elements: of the only relayout of a launch, or of each in a batch, whose
 * work-groups follow each other. Those of a batch lie in up to sixteen buffers a side, which are
 * parameters of the kernel in place of one. */
#if BATCH
typedef struct starts {
  ulong of[BATCH];
  uchar buffer[BATCH]; /* the number of the one that it lies in */
} starts;

#define IN_BATCH(of_each) ((of_each)[(ulong)get_group_id(GRID_AXIS) / groups_of(grid)])

#define BUFFERS_4(prefix, side, i, j, k, l)                                                        \
  prefix side##_##i, prefix side##_##j, prefix side##_##k, prefix side##_##l
#define BUFFERS_16(prefix, side)                                                                   \
  BUFFERS_4(prefix, side, 0, 1, 2, 3), BUFFERS_4(prefix, side, 4, 5, 6, 7),                        \
      BUFFERS_4(prefix, side, 8, 9, 10, 11), BUFFERS_4(prefix, side, 12, 13, 14, 15)

#define SIDE_PARAMETERS(type, side)                                                                \
  BUFFERS_16(__global type *restrict, side), const starts side##_starts
#define FIND_SIDE(type, side)                                                                      \
  __global type *const side##_buffers[] = {BUFFERS_16(, side)};                                    \
  __global type *const side = side##_buffers[IN_BATCH(side##_starts.buffer)]
#define DESTINATION_START IN_BATCH(destination_starts.of)
#define SOURCE_START      IN_BATCH(source_starts.of)

static ulong groups_of(__constant const kernel_grid *grid) {
  return (grid->tile_count + grid->tiles_per_group - 1) / grid->tiles_per_group;
}

static tile_number group_number(__constant const kernel_grid *grid) {
  return (tile_number)((ulong)get_group_id(GRID_AXIS) % groups_of(grid));
}
#else
typedef ulong starts;

#define FIND_SIDE(type, side)
#if ALONE
#define SIDE_PARAMETERS(type, side) __global type *restrict side, const ulong side##_offset
#define START_OF(offset, before, bytes, in_byte, start)                                            \
  (ulong)((long)((offset) + (ulong)(before)) / (bytes) * (in_byte) + (start))
#define DESTINATION_START                                                                          \
  START_OF(destination_offset, DESTINATION_BEFORE, WORD_BYTES, IN_DESTINATION_BYTE,                \
           DESTINATION_OF_PROBLEM)
#define SOURCE_START                                                                               \
  START_OF(source_offset, SOURCE_BEFORE, SOURCE_BYTES, IN_SOURCE_BYTE, SOURCE_OF_PROBLEM)
#else
#define SIDE_PARAMETERS(type, side) __global type *restrict side, const starts side##_starts
#define DESTINATION_START           destination_starts
#define SOURCE_START                source_starts
#endif

static tile_number group_number(__constant const kernel_grid *grid) {
  (void)grid;
  return (tile_number)get_group_id(GRID_AXIS);
}
#endif

/* The tiles of this work-group. Where a group takes exactly one, the compiler sees that there is no
 * loop. */
static tile_number first_tile(__constant const kernel_grid *grid) {
#if WIDE
  return group_number(grid) * (tile_number)grid->tiles_per_group;
#else
  return group_number(grid);
#endif
}

static tile_number end_tile(__constant const kernel_grid *grid) {
#if WIDE
  return min(first_tile(grid) + (tile_number)grid->tiles_per_group, (tile_number)grid->tile_count);
#else
  return group_number(grid) + 1;
#endif
}
