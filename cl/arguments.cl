/* arguments.cl: what kernels read besides elements, as the host fills it.
 *
 * The library compiles this as C too (src/gpu/arguments.h), so that both sides have one
 * declaration, in C's names of whole numbers and without gaps.
 */
#ifdef __OPENCL_VERSION__
#define int32_t  int
#define uint32_t uint
#define int64_t  long
#define uint64_t ulong
#endif

/* ---- The grid of tiles, of every kernel ---- */

/* n / d for n < 2^31 is (mul_hi(n, multiplier) + n) >> shift: the divisions of a 32-bit grid cost a
 * multiplication each. */
typedef struct kernel_divisor {
  uint32_t multiplier;
  uint32_t shift;
} kernel_divisor;

/* One loop over tiles, the innermost first. Its first `valid` iterations can have sources. */
typedef struct kernel_loop {
  int64_t count;
  int64_t valid;
  int64_t source_step;
  int64_t destination_step;
  kernel_divisor by_count;
} kernel_loop;

/* Rows or columns: `inner` positions for each step of an axis that `loop_number` cuts into blocks;
 * -1 where a tile takes all of it. */
typedef struct kernel_side {
  int64_t inner;
  int64_t block;
  int64_t extent;
  int64_t valid;
  int64_t loop_number;
  int64_t source_stride; /* of that axis */
  int64_t destination_stride;
  int64_t length; /* of a whole tile */
} kernel_side;

/* The loops follow. */
typedef struct kernel_grid {
  uint64_t tile_count;
  uint64_t tiles_per_group;
  int64_t loop_count;
  kernel_side columns;
  kernel_side rows;
  int64_t fills;
  int64_t across_shift; /* 2^this work-items lie side by side along a row */
  /* Of the elements that the axes read, counted from the problem's start: the lowest in memory, and
   * the one behind the highest. */
  int64_t source_first;
  int64_t source_end;
} kernel_grid;

/* ---- Tiles in slots of local memory (permute.cl) ---- */

/* The tables follow. */
typedef struct kernel_slots {
  int64_t run_elements; /* of a run, for each step of the last axis of run_side, */
  int64_t run_over;     /* to which this is added */
  int64_t run_side;     /* 0: neither; 1: the columns; 2: the rows */
  int64_t slots;
  int64_t pitch;
  int64_t gap_shift;    /* behind each 2^this words a unit is left out */
  int64_t gather_shift; /* the same of what is stored; more bits than a place has where those in
                           the tables have the units left out before them, as they add up */
  int64_t fill_place;   /* of the word behind the slots */
  int64_t loads_pieces; /* the offsets of all runs are whole pieces */
  int64_t row_bytes;    /* those of all rows are multiples of so many bytes: 16, 4 or 1 */
  int64_t is_dense;     /* rows are written without gaps */
  /* 2^this work-items lie side by side along a run or a row */
  int64_t store_piece_shift;
  int64_t store_unit_shift;
  int64_t sums_places; /* places so add up, and none of a whole tile is without a source */
} kernel_slots;
