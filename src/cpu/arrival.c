#include "cpu/arrival.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "convert/packing.h"

/* An axis along which a tile reads. */
typedef struct part {
  int32_t axis;
  int64_t steps;
  const rlt_group *group;
  bool last;   /* of its group */
  bool is_cut; /* others of its steps are not read here, or not at all */
} part;

enum { MAX_PARTS = 2 * RLT_MAX_GROUP_AXES, BEFORE_RUN = 8 };

static int64_t stride_of(const rlt_problem *problem, const part *of) {
  return llabs(problem->axes[of->axis].source_stride);
}

/* The smallest stride first, bar what elements are swapped among, which comes behind the run. */
static bool comes_before(const rlt_problem *problem, const part *a, const part *b) {
  const int64_t swapped = problem->swapped_stride;
  if (stride_of(problem, b) == swapped || stride_of(problem, a) == swapped) {
    return stride_of(problem, a) == swapped && stride_of(problem, b) != 1;
  }
  return stride_of(problem, a) < stride_of(problem, b);
}

/* In that order. What repeats itself in the source is read once. */
static int32_t add_group(const rlt_problem *problem, const rlt_group *group, part *parts,
                         int32_t count) {
  for (int32_t i = 0; i < group->axis_count; ++i) {
    const rlt_axis *const axis = &problem->axes[group->axes[i]];
    const part added = {.axis = group->axes[i],
                        .steps = rlt_min(rlt_group_steps(problem, group, i), axis->valid),
                        .group = group,
                        .last = i == group->axis_count - 1,
                        .is_cut = rlt_group_steps(problem, group, i) < axis->extent ||
                                  axis->valid < axis->extent};
    if (axis->source_stride == 0) {
      continue;
    }
    int32_t at = count++;
    for (; at > 0 && comes_before(problem, &added, &parts[at - 1]); --at) {
      parts[at] = parts[at - 1];
    }
    parts[at] = added;
  }
  return count;
}

/* How many of the parts make up a run. */
static int32_t run_parts(const rlt_problem *problem, const part *parts, int32_t count,
                         int64_t *length) {
  int32_t inside = 0;
  *length = 1;
  while (inside < count && problem->axes[parts[inside].axis].source_stride == *length &&
         *length != problem->swapped_stride) {
    const part *const joined = &parts[inside++];
    *length *= joined->steps;
    if (joined->is_cut) {
      break;
    }
  }
  return inside;
}

static void set_run(const rlt_problem *problem, const rlt_strategy *strategy, const part *parts,
                    int32_t inside, int32_t count, int64_t number, rlt_cpu_run *run) {
  int64_t rest = number;
  for (int32_t i = inside; i < count; ++i) {
    const int64_t digit = rest % parts[i].steps;
    rest /= parts[i].steps;
    run->source += digit * problem->axes[parts[i].axis].source_stride;
    if (parts[i].last) {
      *(parts[i].group == &strategy->columns ? &run->column_step : &run->row_step) = digit;
    }
  }
}

relayout_status rlt_cpu_arrival_make(const rlt_problem *problem, const rlt_strategy *strategy,
                                     rlt_cpu_arrival *arrival, relayout_error *error) {
  part parts[MAX_PARTS];
  int32_t count = add_group(problem, &strategy->columns, parts, 0);
  count = add_group(problem, &strategy->rows, parts, count);
  int64_t length;
  const int32_t inside = run_parts(problem, parts, count, &length);
  /* Short runs are unpacked to the element, and need no room around them. What others leave behind them is
   * overwritten by the next. */
  const bool swaps = problem->swapped_bits > 0;
  const bool is_exact = length < RLT_CPU_AROUND_RUN && !swaps;
  const int64_t pitch = is_exact ? length : length + BEFORE_RUN;

  *arrival = (rlt_cpu_arrival){.problem = *problem,
                               .bits = swaps ? problem->swapped_bits : problem->source_packed,
                               .rows = swaps ? 8 / problem->swapped_bits : 1,
                               .is_exact = is_exact,
                               .run_count = 1,
                               .run_unit = length,
                               .column_inner = strategy->columns.inner,
                               .row_inner = strategy->rows.inner};
  if (inside > 0 && parts[inside - 1].last) {
    arrival->run_unit = length / parts[inside - 1].steps;
    arrival->run_side =
        parts[inside - 1].group == &strategy->columns ? RLT_ASSEMBLY_COLUMNS : RLT_ASSEMBLY_ROWS;
  }
  for (int32_t i = inside; i < count; ++i) {
    arrival->problem.axes[parts[i].axis].source_stride = pitch * arrival->run_count;
    arrival->run_count *= parts[i].steps;
  }
  arrival->problem.source_packed = 0;
  arrival->problem.source_elements = RLT_CPU_ARRIVAL_BYTES - RLT_CPU_AROUND_RUN;
  arrival->runs = calloc((size_t)arrival->run_count, sizeof *arrival->runs);
  if (arrival->runs == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the runs of a plan's tiles");
  }
  for (int64_t r = 0; r < arrival->run_count; ++r) {
    arrival->runs[r].place = r * pitch;
    set_run(problem, strategy, parts, inside, count, r, &arrival->runs[r]);
  }
  return RELAYOUT_OK;
}

void rlt_cpu_arrival_free(rlt_cpu_arrival *arrival) {
  free(arrival->runs);
}

/* Few elements, and nothing around them. */
static void unpack_each(const uint8_t *source, int64_t bits, int64_t first, uint8_t *to,
                        int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    to[i] = rlt_packed_get(source, first + i, bits);
  }
}

/* ---- Swapping ---- */

enum { WORD = 8 }; /* bytes that are swapped at once */

/* Of two words, the elements of `bits` at even numbers, and those at odd ones, in turns. */
static void swap_two(uint64_t *a, uint64_t *b, int bits, uint64_t even) {
  const uint64_t low = (*a & even) | (*b & even) << bits;
  *b = (*a >> bits & even) | (*b & ~even);
  *a = low;
}

/* Words of as many rows as a byte has elements. */
static void swap_words(uint64_t *words, int64_t rows) {
  static const uint64_t evens[] = {UINT64_C(0x0f0f0f0f0f0f0f0f), UINT64_C(0x3333333333333333),
                                   UINT64_C(0x5555555555555555)};
  int bits = 4;
  for (int64_t apart = rows / 2, round = 0; apart > 0; apart /= 2, ++round) {
    for (int64_t r = 0; r < rows; ++r) {
      if ((r & apart) == 0) {
        swap_two(&words[r], &words[r + apart], bits, evens[round]);
      }
    }
    bits /= 2;
  }
}

/* `rows` runs of `length` bytes, `stride` apart, to as many that lie `pitch` apart. */
static inline void swap_runs(const uint8_t *from, int64_t stride, uint8_t *to, int64_t pitch,
                             int64_t length, int64_t rows) {
  for (int64_t i = 0; i < length; i += WORD) {
    uint64_t words[WORD] = {0};
    const size_t some = (size_t)rlt_min(length - i, WORD);
    for (int64_t r = 0; r < rows; ++r) {
      memcpy(&words[r], from + r * stride + i, some);
    }
    swap_words(words, rows);
    for (int64_t r = 0; r < rows; ++r) {
      memcpy(to + r * pitch + i, &words[r], WORD);
    }
  }
}

static void swap_run(const rlt_cpu_arrival *arrival, const uint8_t *from, uint8_t *to,
                     int64_t length) {
  const int64_t stride = arrival->runs[1].source - arrival->runs[0].source;
  const int64_t pitch = arrival->runs[1].place - arrival->runs[0].place;
  switch (arrival->rows) {
  case 2:
    swap_runs(from, stride, to, pitch, length, 2);
    break;
  case 4:
    swap_runs(from, stride, to, pitch, length, 4);
    break;
  default:
    swap_runs(from, stride, to, pitch, length, 8);
    break;
  }
}

void rlt_cpu_arrive(const rlt_cpu_arrival *arrival, const rlt_cpu_codec *codec,
                    const uint8_t *source, const rlt_tile *tile, uint8_t *unpacked) {
  const int64_t column_steps = tile->valid_columns / arrival->column_inner;
  const int64_t row_steps = tile->valid_rows / arrival->row_inner;
  const int64_t length =
      arrival->run_unit * (arrival->run_side == RLT_ASSEMBLY_COLUMNS ? column_steps
                           : arrival->run_side == RLT_ASSEMBLY_ROWS  ? row_steps
                                                                     : 1);
  for (int64_t r = 0; r < arrival->run_count; r += arrival->rows) {
    const rlt_cpu_run *const run = &arrival->runs[r];
    if (run->column_step >= column_steps || run->row_step >= row_steps) {
      continue;
    }
    const int64_t first = tile->source + run->source;
    uint8_t *const to = unpacked + RLT_CPU_AROUND_RUN + run->place;
    if (arrival->rows > 1) {
      swap_run(arrival, source + first, to, length);
    } else if (arrival->is_exact) {
      unpack_each(source, arrival->bits, first, to, length);
    } else {
      rlt_cpu_codec_decode(codec, source, first, to, length);
    }
  }
}
