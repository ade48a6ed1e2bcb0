/* local_tile.h: a tile in local memory, which the work-items of a group share: square tiles that
 * are transposed, and runs that lie in slots.
 *
 * Depends on tile.h and problem/.
 */
#ifndef RLT_GPU_LOCAL_TILE_H
#define RLT_GPU_LOCAL_TILE_H

#include <stdbool.h>
#include <stdint.h>

#include "problem/problem.h"
#include "schedule/tile.h"

enum {
  RLT_LOCAL_LINE_BYTES = 128,
  RLT_LOCAL_PIECE_BYTES = 16, /* what a work-item moves at once where alignment allows */
  RLT_LOCAL_UNIT_BYTES = 4,   /* and else, or one element where that is more */
  RLT_LOCAL_BYTES = 32 << 10, /* what every device has for a work-group */
  RLT_LOCAL_MOST_CHANNELS = 8 /* that registers join or part */
};

/* Rows and columns of a square tile, in elements: powers of two. */
typedef struct rlt_square_tile {
  int64_t rows;
  int64_t columns;
} rlt_square_tile;

/* Of elements that take so many bits on either side and are buffered in words of so many bytes. */
rlt_square_tile rlt_square_tile_of(int64_t source_bits, int64_t destination_bits, int64_t bytes,
                                   int64_t tile_bytes);
rlt_square_tile rlt_square_tile_for(const rlt_problem *problem, int64_t tile_bytes);

/* What one takes of local memory as words of so many bytes, with a unit left out behind each 32
 * rows (cl/transpose.cl). */
int64_t rlt_square_tile_bytes(rlt_square_tile tile, int64_t bytes);

/* Elements of so many bits that a work-item moves at once where they are not aligned as pieces. */
int64_t rlt_local_unit(int64_t bits);

/* ---- Runs in slots ---- */

enum { RLT_NO_GAPS = 31 }; /* a shift by more bits than any place has */

/* The axes in the destination's order, the columns first; and what becomes of their digits. An axis
 * either runs, and its digit is so many elements into the run, or counts slots. */
typedef struct rlt_slots {
  const rlt_problem *problem;
  int64_t bytes; /* of a word in local memory */
  int64_t unit;  /* words of one there */

  int32_t count;
  rlt_tile_axis axes[RLT_MAX_TILE_AXES]; /* that move in the source */
  int64_t run_stride[RLT_MAX_AXES];
  int64_t slot_stride[RLT_MAX_AXES];

  int64_t run_length; /* of a whole tile */
  int64_t run_unit;   /* and for each step of the cut axis that ends it, if one does, */
  int64_t run_over;   /* to which this is added */
  const rlt_tile_axis *run_end;

  int64_t column_runs;  /* that the columns alone count */
  int64_t column_slots; /* for these, of every unit's elements as many */
  int64_t slots;
  bool has_few_turns; /* work-items side by side want a bank twice at most, on average */
  int64_t pitch;
  int64_t gap_shift; /* behind each 2^this words a unit is left out; or RLT_NO_GAPS */
} rlt_slots;

void rlt_slots_find(const rlt_problem *problem, const rlt_group *columns, const rlt_group *rows,
                    rlt_slots *found);

/* What they take, with a word behind them for the fill. */
int64_t rlt_slots_bytes(const rlt_slots *of);

/* How many words, gaps apart, lie before a position of one side, as a kernel adds up those of a row
 * and of a column; -1 where it never has a source. */
int64_t rlt_slots_place(const rlt_slots *of, const rlt_group *group, bool of_columns,
                        int64_t position);

/* Such a place, of a unit's first word, with the units that are left out before it. */
int64_t rlt_slots_with_gaps(const rlt_slots *of, int64_t place);

/* The words of a unit come from slots that are `column_slots / unit` apart, so that units side by
 * side come from slots side by side. */
int64_t rlt_slot_of_run(const rlt_slots *of, int64_t run);
int64_t rlt_run_of_slot(const rlt_slots *of, int64_t slot);

/* The power of two work-items that lie side by side along runs of so many parts: the fewest that
 * touch whole lines and leave few idle. */
int64_t rlt_line_shift(int64_t runs, int64_t parts, int64_t part_bytes, int64_t group_size);

/* The powers of two work-items that lie side by side along a row so that the fewest idle. */
int64_t rlt_across_shift(int64_t rows, int64_t columns, int64_t group_size);

#endif
