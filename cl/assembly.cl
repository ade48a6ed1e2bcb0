/* assembly.cl: a tile is put together in the work-item's own memory, as the destination has it, and
 * leaves from there line by line. Follows line.cl; src/plan/assembly.h tells what an assembly is.
 *
 * The host made a table of pairs for each side of the tile: where a position lies in the source, or
 * NO_SOURCE, and where in the assembly. ASSEMBLY_BYTES is compiled in.
 *
 * The memory is private, not local: PoCL 3.1 loses what the first tile of a work-group stores in an
 * array of local memory.
 */

#if WIDE
#define NO_SOURCE LONG_MIN
#else
#define NO_SOURCE INT_MIN
#endif

/* Filled by the host (src/opencl/direct.c); the tables follow: rows, columns, then for each segment
 * where it lies in the destination, a zero, its step of the columns and its step of the rows. */
typedef struct assembly {
  long dense_columns;
  long valid_columns; /* runs: of dense_columns, those that can have a source */
  long dense_rows;
  long valid_rows; /* of dense_rows, those that can have a source */
  long segment_count;
  long segment_pitch;
  long segment_unit;
  long segment_side; /* 1: grows with the columns' steps, 2: with the rows' */
  long exact;
  long rows_inside; /* runs: the inner loop is the one over rows */
  long column_gaps; /* a position within the group has no source */
  long row_gaps;
  long column_reach; /* in the source, of all the group's axes but the last */
  long row_reach;
  long source_elements;
  long unused;
} assembly;

#define ASSEMBLY_WORDS (ASSEMBLY_BYTES / WORD_BYTES)

static __global const offset_pair *row_table(__global const assembly *made) {
  return (__global const offset_pair *)(made + 1);
}

static __global const offset_pair *column_table(__global const assembly *made,
                                                __constant const grid *grid) {
  return row_table(made) + grid->rows.length;
}

/* Whether `lanes` words from any position of the tile with a source still lie in the source. */
static bool may_overread(__global const assembly *made, __constant const grid *grid, const tile *t,
                         uint lanes) {
  const long columns = (long)(t->valid_columns / (uint)grid->columns.inner) - 1;
  const long rows = (long)(t->valid_rows / (uint)grid->rows.inner) - 1;
  return (long)t->source + max(columns * grid->columns.source_stride, 0L) + made->column_reach +
             max(rows * grid->rows.source_stride, 0L) + made->row_reach + (long)lanes <=
         made->source_elements;
}

/* Fewer words than a line: the vectors that make up their number. */
#if WORD_BYTES == 1
#define VECTOR(size) uchar##size
#elif WORD_BYTES == 2
#define VECTOR(size) ushort##size
#elif WORD_BYTES == 4
#define VECTOR(size) uint##size
#else
#define VECTOR(size) ulong##size
#endif

#if defined(__clang__) /* as for lines: see line.cl */
#define LOOSE(size) typedef VECTOR(size) loose##size __attribute__((aligned(WORD_BYTES)));
LOOSE(2)
LOOSE(4)
LOOSE(8)
LOOSE(16)
#define MOVE_VECTOR(size, to_space, to, from_space, from)                                          \
  *(to_space loose##size *)(to) = *(from_space const loose##size *)(from)
#else
#define MOVE_VECTOR(size, to_space, to, from_space, from) vstore##size(vload##size(0, from), 0, to)
#endif

#define MOVE_IF(size, count, to_space, to, from_space, from)                                       \
  if ((count)&size) {                                                                              \
    MOVE_VECTOR(size, to_space, to, from_space, from);                                             \
    to += size;                                                                                    \
    from += size;                                                                                  \
  }

#if WORD_BYTES == 16
#define MOVE_FEW(count, to_space, to, from_space, from)                                            \
  PLAIN_LOOP                                                                                       \
  for (uint few = 0; few < (count); ++few) {                                                       \
    to[few] = from[few];                                                                           \
  }
#else
#define MOVE_FEW(count, to_space, to, from_space, from)                                            \
  PLAIN_LOOP                                                                                       \
  for (uint few = 0; few < (count) / 16; ++few) {                                                  \
    MOVE_VECTOR(16, to_space, to, from_space, from);                                               \
    to += 16;                                                                                      \
    from += 16;                                                                                    \
  }                                                                                                \
  MOVE_IF(8, count, to_space, to, from_space, from)                                                \
  MOVE_IF(4, count, to_space, to, from_space, from)                                                \
  MOVE_IF(2, count, to_space, to, from_space, from)                                                \
  if ((count)&1) {                                                                                 \
    *to = *from;                                                                                   \
  }
#endif

static void move_few(__global word *to, const word *from, uint count) {
  MOVE_FEW(count, __global, to, __private, from)
}

static void gather_few(word *to, __global const word *from, uint count) {
  MOVE_FEW(count, __private, to, __global, from)
}

/* Segments leave for the destination: whole lines, and what is left at their ends. */
static void store_segments(__global word *to, const word *from, __global const assembly *made,
                           __constant const grid *grid, const tile *t) {
  const uint column_steps = t->columns / (uint)grid->columns.inner;
  const uint row_steps = t->rows / (uint)grid->rows.inner;
  const uint length = (uint)made->segment_unit * (made->segment_side == 1   ? column_steps
                                                  : made->segment_side == 2 ? row_steps
                                                                            : 1);
  const uint count = (uint)made->segment_count;
  const uint pitch = (uint)made->segment_pitch;
  const bool streams = grid->streams;
  __global const offset_pair *segment = column_table(made, grid) + grid->columns.length;
  for (uint s = 0; s < count; ++s, segment += 2, from += pitch) {
    if (segment[1].x >= column_steps || segment[1].y >= row_steps) {
      continue;
    }
    __global word *const start = to + segment[0].x;
    const uint head = words_before_line(start, length, streams);
    move_few(start, from, head);
    uint i = head;
    for (; i + LINE <= length; i += LINE) {
      store_line(LOAD_LINE(__private, from + i), start + i, streams);
    }
    move_few(start + i, from + i, length - i);
  }
}

/* `count` fills, and not one word more. */
static void fill_exactly(word *to, uint count, word fill) {
  PLAIN_LOOP
  for (uint i = 0; i < count; ++i) {
    to[i] = fill;
  }
}

/* Word by word, for tiles at the very end of the source. */
static void assemble_words(word *to, __global const word *from, __global const assembly *made,
                           __constant const grid *grid, const tile *t, word fill) {
  __global const offset_pair *const rows = row_table(made);
  __global const offset_pair *const columns = column_table(made, grid);
  for (uint row = 0; row < t->rows; ++row) {
    const bool row_is_valid = row < t->valid_rows && rows[row].x != NO_SOURCE;
    PLAIN_LOOP
    for (uint column = 0; column < t->columns; ++column) {
      const bool is_valid =
          row_is_valid && column < t->valid_columns && columns[column].x != NO_SOURCE;
      to[rows[row].y + columns[column].y] = is_valid ? from[rows[row].x + columns[column].x] : fill;
    }
  }
}
