/* kernels.h: the functions that carry out one tile on the host, by strategy and element size.
 *
 * A tile is a pointer to its first element on each side and the counts of its rows and columns;
 * what all tiles of a program share is its frame. Moves and fills are separate: a move touches the
 * elements that have a source, a fill all others. Pointers need no alignment.
 *
 * Depends on nothing but the C library.
 */
#ifndef RLT_CPU_KERNELS_H
#define RLT_CPU_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Elements from the valid counts on have no source. When none has one, both counts are 0 and
 * `source` is not to be used. */
typedef struct rlt_cpu_tile {
  const uint8_t *source;
  uint8_t *destination;
  int64_t rows, valid_rows;
  int64_t columns, valid_columns;
} rlt_cpu_tile;

/* Where the positions of a group lie from the tile's start, in bytes. A step of the group's last
 * axis is `inner` positions, of which the same `moved_inner` have sources in every step. */
typedef struct rlt_cpu_table {
  int64_t inner;
  int64_t moved_inner;
  ptrdiff_t *all;   /* each position's destination */
  ptrdiff_t *from;  /* the source of each position that has one, */
  ptrdiff_t *to;    /* and its destination */
  ptrdiff_t *holes; /* the destination of each position that has none */
} rlt_cpu_table;

/* Strides are in bytes. */
typedef struct rlt_cpu_frame {
  ptrdiff_t source_row, source_column;
  ptrdiff_t destination_row, destination_column;
  rlt_cpu_table rows, columns; /* for the table kernels alone */
  bool dense_columns;          /* columns.to counts up element by element */
  bool dense_rows;             /* so does rows.from */
  bool uniform_fill;           /* all bytes of `fill` are equal */
  uint8_t fill[16];
} rlt_cpu_frame;

typedef void rlt_cpu_kernel(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile);

/* One row of the kernel table: all that depends on the element size. */
typedef struct rlt_cpu_kernels {
  rlt_cpu_kernel *move_runs;          /* both column strides are one element */
  rlt_cpu_kernel *move_blocks;        /* source_row and destination_column are one element */
  rlt_cpu_kernel *move_tables;        /* through rows and columns */
  rlt_cpu_kernel *move_tables_staged; /* the same, for dense_columns and tiles that fit a stage */
  rlt_cpu_kernel *move_strided;       /* any strides */
  rlt_cpu_kernel *fill_strided;
  rlt_cpu_kernel *fill_tables;
} rlt_cpu_kernels;

extern const rlt_cpu_kernels rlt_cpu_kernels_1;
extern const rlt_cpu_kernels rlt_cpu_kernels_2;
extern const rlt_cpu_kernels rlt_cpu_kernels_4;
extern const rlt_cpu_kernels rlt_cpu_kernels_8;
extern const rlt_cpu_kernels rlt_cpu_kernels_16;

/* For elements of 1, 2, 4, 8 or 16 bytes. */
const rlt_cpu_kernels *rlt_cpu_kernels_for(int64_t element_bytes);

/* The side, in bytes, of the tiles that move_blocks likes best. */
enum { RLT_CPU_BLOCK_TILE_BYTES = 256 };

/* The largest tile, in bytes, that move_tables_staged takes. */
enum { RLT_CPU_TABLE_STAGE_BYTES = 16 * 1024 };

#endif
