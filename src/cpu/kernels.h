/* kernels.h: the functions that move one tile on the host, by instruction set, and by element size
 * where that decides which instructions they are made of.
 *
 * What all tiles of an executable share is its frame. Pointers need no alignment.
 *
 * Depends on base/, schedule/grid.h and cpu/tile_buffer.h.
 */
#ifndef RLT_CPU_KERNELS_H
#define RLT_CPU_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/checked.h"
#include "cpu/tile_buffer.h"
#include "schedule/grid.h"

/* A tile and where it is; `source` is not to be used where no element has one. */
typedef struct rlt_cpu_tile {
  const rlt_tile *at; /* no copy: rlt_grid_find_tile */
  const uint8_t *source;
  const uint8_t *source_end; /* of the whole source, */
  bool is_near_end;          /* which lies less than a line behind some row or column of the tile */
  uint8_t *destination;
} rlt_cpu_tile;

/* Where the positions of a group lie from the tile's start, in bytes: in the source, and where they
 * are put, in a tile buffer or in the destination itself. Of the columns of a tile whose runs are
 * copied only the positions where runs begin. */
typedef struct rlt_cpu_positions {
  int64_t count;
  int64_t *from; /* RLT_NO_SOURCE for rows that have none; columns stand where others do */
  int64_t *to;
} rlt_cpu_positions;

enum {
  RLT_CPU_LINE_BYTES = 64,
  RLT_CPU_FILL_BYTES = 2 * RLT_CPU_LINE_BYTES,
  RLT_CPU_TILE_BUFFER_BYTES = 256 * 1024,
  /* A segment is an element long at least, and a line lies between it and the next. */
  RLT_CPU_BYTES_OF_SEGMENT = RLT_CPU_LINE_BYTES + 1,
  RLT_CPU_MOST_SEGMENTS = RLT_CPU_TILE_BUFFER_BYTES / RLT_CPU_BYTES_OF_SEGMENT
};

/* Lines that segments end in the middle of, where a later tile goes on with them. Several tiles
 * that are moved in between may have theirs here too. */
typedef struct rlt_cpu_partial_lines {
  int64_t first;                       /* this tile's; those of its other segments follow */
  bool goes_on;                        /* a tile goes on with them */
  uint8_t held[RLT_CPU_MOST_SEGMENTS]; /* bytes of each line that are here, from its start; */
  /* or of packed elements that begin anywhere, 1 where bits are, and the first of them. */
  uint16_t since[RLT_CPU_MOST_SEGMENTS];
  uint8_t lines[RLT_CPU_MOST_SEGMENTS][RLT_CPU_LINE_BYTES];
} rlt_cpu_partial_lines;

typedef struct rlt_cpu_frame {
  int64_t element_bytes; /* 1, 2, 4, 8 or 16 */
  bool fills;
  bool streams;                                  /* the destination is too large for the cache */
  _Alignas(64) uint8_t fill[RLT_CPU_FILL_BYTES]; /* one word, over and over */

  /* Straight and strided tiles. Strides are in bytes. */
  int64_t source_row, source_column;
  int64_t destination_row, destination_column;

  /* Tiles by tables. */
  bool is_buffered;            /* put in a tile buffer, not where they go */
  rlt_tile_buffer tile_buffer; /* of which `exact` is for where the positions are put */
  rlt_cpu_positions rows, columns;
  int64_t column_step; /* between dense columns in the source; 0: not always the same */
  bool is_crowded;     /* the nearest cache cannot hold a line of each column of a block at once */
  int64_t column_inner, row_inner; /* positions of a step of the group's last axis */
  bool are_pixels; /* runs of three bytes, along rows in the source, and along columns here */
  uint8_t *keeps; /* 0xff for bytes of columns that can have a source, and a line beyond; or NULL */
  bool row_gaps;
  bool begins_lines;        /* every segment does, in the destination */
  rlt_tile_run *segments;   /* of the tile buffer */
  int64_t destination_bits; /* of an element, as segments are stored */
  int64_t segment_pitch;    /* bytes from one to the next then */
  int64_t *ahead;           /* what a tile reads: a byte of each line, from its start */
  int64_t ahead_count;
  int32_t fetch_level; /* of the caches, into which that is fetched */
} rlt_cpu_frame;

/* Fetches a line, which need not be anybody's memory, into a level of the caches. */
static inline __attribute__((always_inline)) void rlt_cpu_fetch(const uint8_t *from,
                                                                int32_t level) {
  if (level == 1) {
    __builtin_prefetch(from, 0, 3);
  } else if (level == 2) {
    __builtin_prefetch(from, 0, 2);
  } else {
    __builtin_prefetch(from, 0, 1);
  }
}

/* What a later tile reads is fetched at the pace at which this one leaves. */
typedef struct rlt_cpu_prefetching {
  const uint8_t *start;
  const int64_t *ahead;
  int64_t left; /* of those */
  int64_t pace; /* for each line or segment that leaves */
} rlt_cpu_prefetching;

/* For a tile that starts at `next` in the source, while so many lines or segments leave. NULL:
 * nothing is fetched. */
static inline rlt_cpu_prefetching rlt_cpu_prefetching_of(const rlt_cpu_frame *frame,
                                                         const uint8_t *next, int64_t leaving) {
  const int64_t left = next == NULL ? 0 : frame->ahead_count;
  return (rlt_cpu_prefetching){.start = next,
                               .ahead = frame->ahead,
                               .left = left,
                               .pace = rlt_divide_up(left, rlt_max(leaving, 1))};
}

static inline __attribute__((always_inline)) void rlt_cpu_fetch_some(rlt_cpu_prefetching *of,
                                                                     int64_t count, int32_t level) {
  const int64_t most = rlt_min(count, of->left);
  for (int64_t i = 0; i < most; ++i) {
    rlt_cpu_fetch(of->start + *of->ahead++, level);
  }
  of->left -= most;
}

/* Of a tile that has so many columns and rows. */
static inline rlt_tile_steps rlt_cpu_steps(const rlt_cpu_frame *frame, int64_t columns,
                                           int64_t rows) {
  return (rlt_tile_steps){columns / frame->column_inner, rows / frame->row_inner};
}

typedef void rlt_cpu_kernel(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile);
/* Puts the tile's elements where the tables say from `to` on. */
typedef void rlt_cpu_table_kernel(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile,
                                  uint8_t *to);
/* Lets a tile buffer leave for the destination, while a tile that starts at `next` in the
 * source is fetched. NULL: none does. A line before the tile buffer may be read too. */
typedef void rlt_cpu_store_kernel(const rlt_cpu_frame *frame, const rlt_cpu_tile *tile,
                                  const uint8_t *buffered, rlt_cpu_partial_lines *partial,
                                  const uint8_t *next);

/* All that depends on the instruction set alone. */
typedef struct rlt_cpu_line_kernels {
  rlt_cpu_kernel *move_straight;   /* both column strides are one element; fills too */
  rlt_cpu_kernel *move_strided;    /* any strides */
  rlt_cpu_kernel *fill_strided;    /* what move_strided leaves */
  rlt_cpu_table_kernel *copy_runs; /* dense columns on both sides */
  void (*copy_run)(uint8_t *to, const uint8_t *from, int64_t bytes); /* that lie together */
  rlt_cpu_store_kernel *store_segments;
  void (*finish)(void); /* streamed lines are there for other threads once this returns */
  int32_t vector_bytes; /* of a register */
  bool streams;         /* lines go past the cache where a frame asks for it */
} rlt_cpu_line_kernels;

/* All that depends on the element size too. */
typedef struct rlt_cpu_kernels {
  rlt_cpu_table_kernel *transpose_blocks; /* dense columns in the destination, rows in the source */
  int32_t block_rows;                     /* what is transposed at once */
  int32_t block_columns;
  int32_t most_channels; /* that are joined and parted: 2 to 4, or 8; */
  int32_t most_in_lanes; /* and of those from 5 on (lanes.h); 0: none are */
} rlt_cpu_kernels;

#endif
