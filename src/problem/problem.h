/* problem.h: what moves, without the names of dimensions.
 *
 * Everything that a user can ask for is lowered to this form and simplified. Only this folder knows
 * layouts; methods and targets see only problems.
 *
 * A destination element is named by one digit d[a] in 0 .. extent-1 for each axis a:
 *
 *     destination position = destination_start + Σ d[a] * destination_stride
 *     source position      = source_start      + Σ d[a] * source_stride
 *
 * The element has a source if d[a] < valid for every axis. Then the source element moves there.
 * Otherwise it becomes `fill` if `fills` is set, and keeps its value if not. No two lists of digits
 * name the same destination position.
 *
 * Elements of 8 bits and more lie at whole bytes. Narrower ones, of 1, 2 or 4 bits, are packed over
 * the whole buffer: element i in byte i * bits / 8, i * bits % 8 bits behind its lowest bit, or
 * before its highest one. An element that moves from a byte to fewer bits loses its upper bits; in
 * the other direction they become zero.
 *
 * Depends on convert/, metadata/ and base/. */
#ifndef RLT_PROBLEM_PROBLEM_H
#define RLT_PROBLEM_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/checked.h"
#include "convert/convert.h"
#include "metadata/index_program.h"
#include "metadata/tiling.h"
#include "relayout/shape.h"
#include "relayout/status.h"

/* A side has fewer than 2^60 bits (RLT_MOST_BITS), and an axis with more than one position at least
 * doubles it: so fewer than 60 axes have several positions. One more axis says that nothing has a
 * source. */
enum { RLT_MAX_AXES = 64 };

/* Strides and positions count elements. */
typedef struct rlt_axis {
  int64_t extent;
  int64_t valid; /* 0 .. extent: digits from here on have no source */
  int64_t source_stride;
  int64_t destination_stride;
} rlt_axis;

typedef struct rlt_problem {
  int64_t element_bytes;      /* of the words that move: 1, 2, 4, 8 or 16 */
  int64_t source_packed;      /* 0: elements take whole bytes there; else their bits: 1, 2 or 4 */
  int64_t destination_packed; /* likewise */
  bool source_high;           /* true if a byte's first packed element lies in its high bits */
  bool destination_high;      /* likewise */
  rlt_conversion conversion;  /* of words as they are read; the destination's may be wider */
  bool source_swapped;        /* 1 if elements to be converted are byte-swapped; likewise */
  bool destination_swapped;   /* what it becomes */
  int64_t source_elements;    /* elements in each buffer, padding included */
  int64_t destination_elements;
  int64_t source_start; /* the position where all digits are 0 */
  int64_t destination_start;

  /* True if a word of the destination has the source's bytes in another order: byte b of each 16 is
   * byte shuffle[b]. */
  bool shuffles;
  uint8_t shuffle[RELAYOUT_MAX_ELEMENT_SIZE];

  /* Not 0: each byte that moves holds elements of this many bits, which arrive in the opposite
   * order. */
  int64_t reversed_bits;

  /* Not 0: the moving bytes hold elements of this many bits, which are transposed first among rows
   * of the source that are transposed_stride apart. These are the rows of the axis with that source
   * stride, which has as many steps as a byte has elements. Element e of row r becomes element r of
   * row e, each in the order of its side. */
  int64_t transposed_bits;
  int64_t transposed_stride; /* 0 if no bits are transposed */

  /* Not NULL: axis 0 is the only one. The program replaces its source stride: it computes the
   * position in the source from the digit, which is number 0. It also replaces the destination
   * stride if it sets a destination position. Both count from the starts. The maker of the problem
   * owns it. */
  const rlt_index_program *index_program;

  bool fills;
  uint8_t fill[RELAYOUT_MAX_ELEMENT_SIZE]; /* one element of the destination, in whole bytes */
  /* A word that becomes `fill` when elements are converted, so that elements without a source can
   * be converted with the others. Problems with an index program may have none. */
  uint8_t fill_word[RELAYOUT_MAX_ELEMENT_SIZE];

  int32_t axis_count;
  rlt_axis axes[RLT_MAX_AXES]; /* simplified: by destination stride, the smallest first */
} rlt_problem;

/* A copy in memory of its own, which ends with the problem's last axis, as plans keep it: it can be
 * read like any other problem, but not assigned; rlt_problem_copy copies what is there. NULL
 * without memory; rlt_free frees it. */
rlt_problem *rlt_problem_create_copy(const rlt_problem *problem);
void rlt_problem_copy(const rlt_problem *problem, rlt_problem *copy);

/* The bytes that rlt_problem_create_copy takes for this problem. */
size_t rlt_problem_bytes(const rlt_problem *problem);

/* Bytes of a word of the destination. */
static inline int64_t rlt_problem_destination_bytes(const rlt_problem *problem) {
  return rlt_converts(&problem->conversion)
             ? (int64_t)relayout_element_type_byte_size(problem->conversion.to)
             : problem->element_bytes;
}

/* True if words keep their values and only change their byte order. */
static inline bool rlt_problem_only_swaps(const rlt_problem *problem) {
  return problem->conversion.from == problem->conversion.to && problem->conversion.scale == 1 &&
         problem->source_swapped != problem->destination_swapped;
}

/* Bits of an element in memory. */
static inline int64_t rlt_problem_source_bits(const rlt_problem *problem) {
  return problem->source_packed > 0 ? problem->source_packed : 8 * problem->element_bytes;
}

static inline int64_t rlt_problem_destination_bits(const rlt_problem *problem) {
  return problem->destination_packed > 0 ? problem->destination_packed
                                         : 8 * rlt_problem_destination_bytes(problem);
}

/* This many steps in the source, in elements; 0 if no source reaches that far, because then only
 * padding would need them. */
static inline int64_t rlt_problem_source_steps(const rlt_problem *problem, int64_t steps,
                                               int64_t stride) {
  const int64_t most = RLT_MOST_BITS / rlt_problem_source_bits(problem);
  int64_t reach = 0;
  return rlt_multiply(steps, stride, &reach) && reach >= -most && reach <= most ? reach : 0;
}

/* Bytes of the buffers. */
static inline size_t rlt_problem_source_size(const rlt_problem *problem) {
  return ((size_t)problem->source_elements * (size_t)rlt_problem_source_bits(problem) + 7) / 8;
}

static inline size_t rlt_problem_destination_size(const rlt_problem *problem) {
  return ((size_t)problem->destination_elements * (size_t)rlt_problem_destination_bits(problem) +
          7) /
         8;
}

/* True if the elements of moving bytes are transposed among rows. */
static inline bool rlt_problem_transposes_bits(const rlt_problem *problem) {
  return problem->transposed_bits > 0;
}

/* True if elements are unpacked, or their bits transposed, before they move. */
static inline bool rlt_problem_is_unpacked_first(const rlt_problem *problem) {
  return problem->source_packed > 0 || rlt_problem_transposes_bits(problem);
}

/* True if elements are packed on a side, or their bits are transposed. */
static inline bool rlt_problem_is_packed(const rlt_problem *problem) {
  return problem->destination_packed > 0 || rlt_problem_is_unpacked_first(problem);
}

/* True if both sides pack their elements in the same way. */
static inline bool rlt_problem_packs_alike(const rlt_problem *problem) {
  return problem->source_packed == problem->destination_packed &&
         problem->source_high == problem->destination_high;
}

/* True if elements become narrower ones of whole bytes, and nothing else is done to them: they may
 * be converted before they move as well as after. */
static inline bool rlt_problem_narrows(const rlt_problem *problem) {
  return rlt_converts(&problem->conversion) && !rlt_problem_is_packed(problem) &&
         problem->reversed_bits == 0 && !problem->shuffles &&
         rlt_problem_destination_bytes(problem) < problem->element_bytes;
}

/* True if words are changed to the destination's elements after they moved. */
static inline bool rlt_problem_is_encoded_last(const rlt_problem *problem) {
  return problem->destination_packed > 0 || problem->reversed_bits > 0 ||
         rlt_converts(&problem->conversion);
}

/* How many digits of an axis are written. */
static inline int64_t rlt_problem_written_digits(const rlt_problem *problem, const rlt_axis *axis) {
  return problem->fills ? axis->extent : axis->valid;
}

/* How many lists of digits there are, and how many of them have a source. */
static inline int64_t rlt_problem_digit_lists(const rlt_problem *problem) {
  int64_t count = 1;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    count *= problem->axes[a].extent;
  }
  return count;
}

static inline int64_t rlt_problem_sources(const rlt_problem *problem) {
  int64_t count = 1;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    count *= problem->axes[a].valid;
  }
  return count;
}

/* How many elements of the destination are written; with an index program, an upper bound. */
static inline int64_t rlt_problem_written(const rlt_problem *problem) {
  return problem->fills ? rlt_problem_digit_lists(problem) : rlt_problem_sources(problem);
}

/* True if elements keep their bits: nothing is packed, unpacked, converted, reversed, shuffled or
 * bit-transposed. */
static inline bool rlt_problem_keeps_elements(const rlt_problem *problem) {
  return !problem->shuffles && !rlt_problem_is_unpacked_first(problem) &&
         !rlt_problem_is_encoded_last(problem);
}

/* True if bytes are reversed, and nothing else happens to elements. */
static inline bool rlt_problem_only_reverses(const rlt_problem *problem) {
  return problem->reversed_bits > 0 && !problem->shuffles;
}

/* Simplifies a problem without changing what it does: drops digits without a source if nothing is
 * filled, drops axes of extent 1, sorts axes by destination stride, and fuses neighbours if both
 * sides allow it. A problem that writes nothing becomes one axis of extent 0. A problem without any
 * source has only axes of valid 0, at least one. A problem of a single element with a source has no
 * axes. An axis with at most one valid digit never uses its source stride, and takes the
 * destination's, or 0 if no source reaches that far. A problem that only fills converts nothing. */
void rlt_problem_simplify(rlt_problem *problem);

/* Inserts an axis at its place by destination stride. */
void rlt_problem_insert_axis(rlt_problem *problem, rlt_axis axis);

/* Converts sizes, starts, and the strides of all axes from `first` on, to words of this many
 * elements. */
void rlt_problem_count_in_words(rlt_problem *problem, int32_t first, int64_t elements);

/* Joins packed elements that move without unpacking into wider ones, up to whole bytes, if these
 * always move together; of sides with opposite orders whole bytes alone, which are then reversed.
 * Axis 0 may have an extent of 1 afterwards. */
void rlt_problem_widen_packed(rlt_problem *problem);

/* Joins elements that lie together on both sides into words of up to 16 bytes, if these always move
 * whole; also in another order, if words may be shuffled. For devices that do not need aligned
 * elements. The problem is simplified and stays so. */
void rlt_problem_widen(rlt_problem *problem);

/* Cuts the runs that both sides have along axis 0 into words of up to 16 bytes. For devices whose
 * loads are as wide as their words. The problem is simplified and stays so. */
void rlt_problem_widen_runs(rlt_problem *problem);

/* Turns a transposition of packed elements into one of bytes, by swapping elements among rows of
 * the source. A tile needs at most `most_rows` rows for that. For devices that can swap so. The
 * problem is simplified and stays so. */
void rlt_problem_transpose_bits(rlt_problem *problem, int64_t most_rows);

/* The innermost elements of the destination that fill whole bytes in every tile: all of the axes
 * before `last`, and a multiple of `steps` of that axis, or all of it. */
typedef struct rlt_byte_run {
  int32_t last;
  int64_t steps;
} rlt_byte_run;

/* False if packed elements share bytes in another way, or if a tile would need too many elements.
 * The problem is simplified. */
bool rlt_problem_byte_run(const rlt_problem *problem, rlt_byte_run *run);

/* True if there is nothing to write. Both functions take simplified problems. */
bool rlt_problem_is_empty(const rlt_problem *problem);
/* True if there is something to write and nothing has a source. */
bool rlt_problem_is_fill(const rlt_problem *problem);

#endif
