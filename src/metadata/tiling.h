/* tiling.h: what tiles make of a shape's physical dimensions.
 *
 * Every physical dimension is a digit of an element's place. A tile merges digits and splits them;
 * the list of these changes leads from a multi-index to the linear index, and back from its end.
 *
 * Depends on the public shapes alone.
 */
#ifndef RLT_METADATA_TILING_H
#define RLT_METADATA_TILING_H

#include <stdint.h>

#include "relayout/shape.h"

/* A tile may have more dimensions than the array, and leaves as many again. */
enum {
  RLT_MOST_DIGITS = 2 * RELAYOUT_MAX_TILE_DIMENSIONS,
  RLT_MOST_CHANGES = 2 * RELAYOUT_MAX_TILE_DIMENSIONS + RLT_MOST_DIGITS
};

enum { RLT_NO_NUMBER = -1 };

/* Its value is found in this number (see index_program.h), and is always 0 where there is none. */
typedef struct rlt_digit {
  int32_t number;
  int64_t size; /* at least 1: that of an empty dimension is 1 here */
} rlt_digit;

typedef enum rlt_change_kind {
  RLT_CHANGE_SPLIT, /* minor = major % size, major = major / size; major was below `bound` */
  RLT_CHANGE_MERGE, /* major = major * size + minor, which may be RLT_NO_NUMBER */
  RLT_CHANGE_WIDEN  /* from here on major has more values than those below `bound` */
} rlt_change_kind;

typedef struct rlt_change {
  rlt_change_kind kind;
  int32_t major;
  int32_t minor;
  int64_t size;
  int64_t bound;
} rlt_change;

typedef struct rlt_tiling {
  int32_t digit_count;
  rlt_digit digits[RLT_MOST_DIGITS]; /* the physical dimensions, major to minor */
  int32_t number_count;              /* numbers in use: 0 .. rank-1 are the multi-index */
  int32_t change_count;
  rlt_change changes[RLT_MOST_CHANGES];
  int64_t elements; /* in all of the physical dimensions; 0 where one of the array's is empty */
  int64_t held;     /* those, rounded up to the tail alignment */
} rlt_tiling;

/* The most memory that a side of a relayout may take, padding and the gaps between strides counted.
 * Up to there all positions and sizes, in elements, bytes and bits, of both sides together too, fit
 * 63 bits with room to spare. */
#define RLT_MOST_BITS  (INT64_C(1) << 60)
#define RLT_MOST_BYTES (RLT_MOST_BITS / 8)

/* The physical dimensions after all tiles, of a shape whose layout is valid. RELAYOUT_SIZE_OVERFLOW
 * names the dimension, the tile or the alignment that brings more elements than take
 * RLT_MOST_BYTES, or than can be addressed, which a valid shape never does. Empty dimensions count
 * as if they were of size 1. */
relayout_status rlt_tiling_make(const relayout_shape *shape, rlt_tiling *tiling,
                                relayout_error *error);

/* Merges all digits into one, the linear index. */
void rlt_tiling_join(rlt_tiling *tiling);

#endif
