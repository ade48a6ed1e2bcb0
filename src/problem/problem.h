/* problem.h: what has to move, with every name of a dimension gone.
 *
 * Everything a user can ask for is lowered to this one form and simplified there; only here does
 * the code know about layouts. Methods and backends see problems alone.
 *
 * A destination element is named by one digit d[a] in 0 .. extent-1 for each axis a:
 *
 *     destination position = destination_start + Σ d[a] * destination_stride
 *     source position      = source_start      + Σ d[a] * source_stride
 *
 * It has a source when d[a] < valid for every axis. Then the source element is moved; else, when
 * `fills` is set, the destination element becomes `fill`, and when not it is left alone. No two
 * digit lists name the same destination position.
 *
 * Elements of 8 bits and more lie at whole bytes. Narrower ones, of 1, 2 or 4 bits, are packed over
 * the whole buffer: element i at bit i * bits % 8 of byte i * bits / 8, low bits first. One that
 * moves from bytes to fewer bits loses its upper bits; the other way they become zero.
 *
 * Depends on convert/, metadata/ and base/.
 */
#ifndef RLT_PROBLEM_PROBLEM_H
#define RLT_PROBLEM_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/checked.h"
#include "convert/convert.h"
#include "metadata/index_program.h"
#include "metadata/tiling.h"
#include "relayout/shape.h"
#include "relayout/status.h"

/* No side takes 2^60 bits (RLT_MOST_BITS), and an axis of which a position takes more than one step
 * has two at least: fewer than 60 axes step, and one tells where nothing has a source. */
enum { RLT_MAX_AXES = 64 };

/* Strides and positions count elements. */
typedef struct rlt_axis {
  int64_t extent;
  int64_t valid; /* 0 .. extent: digits from here on have no source */
  int64_t source_stride;
  int64_t destination_stride;
} rlt_axis;

typedef struct rlt_problem {
  int64_t element_bytes; /* of the words that move: 1, 2, 4, 8 or 16 */
  int64_t source_packed; /* 0: an element takes whole bytes there; or the 1, 2 or 4 bits it takes */
  int64_t destination_packed; /* likewise */
  rlt_conversion
      conversion;      /* of words on their way; those of the destination may be wider or not */
  bool source_swapped; /* what is converted has its last byte first; likewise */
  bool destination_swapped; /* what it becomes */
  int64_t source_elements;  /* what each buffer holds, padding included */
  int64_t destination_elements;
  int64_t source_start; /* the position where all digits are 0 */
  int64_t destination_start;

  /* Whether a word of the destination has the source's bytes in another order; byte b of each 16 is
   * byte shuffle[b] then. */
  bool shuffles;
  uint8_t shuffle[RELAYOUT_MAX_ELEMENT_SIZE];

  /* Not 0: bytes move whose elements of so many bits have to be transposed first, among the rows of
   * the source that lie transposed_stride apart: those of the axis with that source stride, which
   * has as many steps as a byte has elements. Element e of row r becomes element r of row e. */
  int64_t transposed_bits;
  int64_t transposed_stride; /* 0 where no bits are transposed */

  /* Not NULL: axis 0 is the only one, and instead of its source stride this says where number 0,
   * its digit, lies in the source; and instead of its destination stride, where it is put, if it
   * puts that aside. Both count from the starts. Owned by whoever made the problem. */
  const rlt_index_program *index_program;

  int32_t axis_count;
  rlt_axis axes[RLT_MAX_AXES]; /* simplified: by destination stride, the smallest first */

  bool fills;
  uint8_t fill[RELAYOUT_MAX_ELEMENT_SIZE]; /* one element of the destination, in whole bytes */
  /* The word that arrives as `fill`, where elements change on their way: what has no source may
   * change with the others. Problems with an index program may have none. */
  uint8_t fill_word[RELAYOUT_MAX_ELEMENT_SIZE];
} rlt_problem;

/* Bytes of a word of the destination. */
static inline int64_t rlt_problem_destination_bytes(const rlt_problem *problem) {
  return rlt_converts(&problem->conversion)
             ? (int64_t)relayout_element_type_byte_size(problem->conversion.to)
             : problem->element_bytes;
}

/* Whether words keep their values, and only get the other byte order. */
static inline bool rlt_problem_only_swaps(const rlt_problem *problem) {
  return problem->conversion.from == problem->conversion.to && problem->conversion.scale == 1 &&
         problem->source_swapped != problem->destination_swapped;
}

/* What an element takes in memory. */
static inline int64_t rlt_problem_source_bits(const rlt_problem *problem) {
  return problem->source_packed > 0 ? problem->source_packed : 8 * problem->element_bytes;
}

static inline int64_t rlt_problem_destination_bits(const rlt_problem *problem) {
  return problem->destination_packed > 0 ? problem->destination_packed
                                         : 8 * rlt_problem_destination_bytes(problem);
}

/* So many steps in the source, in elements; 0 where no source reaches as far, so that only padding
 * would take them. */
static inline int64_t rlt_problem_source_steps(const rlt_problem *problem, int64_t steps,
                                               int64_t stride) {
  const int64_t most = RLT_MOST_BITS / rlt_problem_source_bits(problem);
  int64_t reach = 0;
  return rlt_multiply(steps, stride, &reach) && reach >= -most && reach <= most ? reach : 0;
}

/* What the buffers hold, in bytes. */
static inline size_t rlt_problem_source_size(const rlt_problem *problem) {
  return ((size_t)problem->source_elements * (size_t)rlt_problem_source_bits(problem) + 7) / 8;
}

static inline size_t rlt_problem_destination_size(const rlt_problem *problem) {
  return ((size_t)problem->destination_elements * (size_t)rlt_problem_destination_bits(problem) +
          7) /
         8;
}

/* Whether bytes move whose elements are transposed among rows. */
static inline bool rlt_problem_transposes_bits(const rlt_problem *problem) {
  return problem->transposed_bits > 0;
}

/* Whether elements are unpacked, or their bits transposed, before they move. */
static inline bool rlt_problem_is_unpacked_first(const rlt_problem *problem) {
  return problem->source_packed > 0 || rlt_problem_transposes_bits(problem);
}

/* Whether elements are packed on a side, or their bits are transposed. */
static inline bool rlt_problem_is_packed(const rlt_problem *problem) {
  return problem->destination_packed > 0 || rlt_problem_is_unpacked_first(problem);
}

/* Whether words become the destination's elements after they moved. */
static inline bool rlt_problem_is_encoded_last(const rlt_problem *problem) {
  return problem->destination_packed > 0 || rlt_converts(&problem->conversion);
}

/* The digits of an axis that are written. */
static inline int64_t rlt_problem_written_digits(const rlt_problem *problem, const rlt_axis *axis) {
  return problem->fills ? axis->extent : axis->valid;
}

/* How many digit lists there are, and how many of them have a source. */
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

/* How many elements of the destination are written; at most so many with an index program. */
static inline int64_t rlt_problem_written(const rlt_problem *problem) {
  return problem->fills ? rlt_problem_digit_lists(problem) : rlt_problem_sources(problem);
}

/* Whether elements arrive as they left: nothing is packed, unpacked, converted, shuffled or
 * bit-transposed. */
static inline bool rlt_problem_keeps_elements(const rlt_problem *problem) {
  return !problem->shuffles && !rlt_problem_is_unpacked_first(problem) &&
         !rlt_problem_is_encoded_last(problem);
}

/* Brings a problem to its simplest form without changing what it does: digits without a source
 * dropped where nothing is filled, and with them axes of extent 1, axes sorted by destination
 * stride, neighbours fused where both sides allow it. A problem that writes nothing ends as one
 * axis of extent 0; one without any source has axes of valid 0 alone, at least one; one of a single
 * element with a source has no axes. An axis with at most one valid digit, whose source stride is
 * never multiplied by anything, takes the destination's, or 0 where no source reaches as far. What
 * is all filled does not change on its way. */
void rlt_problem_simplify(rlt_problem *problem);

/* Adds an axis where it belongs by its destination stride. */
void rlt_problem_insert_axis(rlt_problem *problem, rlt_axis axis);

/* Counts what the sides hold, where they begin, and steps of all axes from `first` on in words of
 * so many elements. */
void rlt_problem_count_in_words(rlt_problem *problem, int32_t first, int64_t elements);

/* Takes packed elements that move as packed ones for wider ones, up to whole bytes, if these always
 * move together. Axis 0 may have an extent of 1 then. */
void rlt_problem_widen_packed(rlt_problem *problem);

/* Takes elements that lie together on both sides for words of up to 16 bytes, if nothing else has
 * them in part: in another order too, where the words may be shuffled. For devices to which an
 * element's alignment means nothing. The problem is simplified, and stays so. */
void rlt_problem_widen(rlt_problem *problem);

/* Takes parts of the runs that both sides have along axis 0 for words of up to 16 bytes. For
 * devices whose loads are as wide as their words. The problem is simplified, and stays so. */
void rlt_problem_widen_runs(rlt_problem *problem);

/* Takes packed elements that are transposed for bytes, by swapping elements among rows of the
 * source, of which a tile need not have more than `most_rows` to do so. For devices that can do
 * that. The problem is simplified, and stays so. */
void rlt_problem_transpose_bits(rlt_problem *problem, int64_t most_rows);

/* The destination's innermost elements, of which as many as there are fill whole bytes wherever a
 * tile has them: all of the axes before `last`, and a multiple of `steps` of that one, or all of it
 * too. */
typedef struct rlt_byte_run {
  int32_t last;
  int64_t steps;
} rlt_byte_run;

/* False where packed elements share bytes otherwise, or too many would have to be moved at once.
 * The problem is simplified. */
bool rlt_problem_byte_run(const rlt_problem *problem, rlt_byte_run *run);

/* Nothing to write. Both are for simplified problems. */
bool rlt_problem_is_empty(const rlt_problem *problem);
/* Something to write, and nothing of it has a source. */
bool rlt_problem_is_fill(const rlt_problem *problem);

#endif
