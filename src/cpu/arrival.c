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

/* Whether each run's first element begins a byte: the first `inside` parts make up a run. */
static bool runs_start_bytes(const rlt_problem *problem, const part *parts, int32_t inside) {
  const int64_t in_byte = 8 / rlt_problem_source_bits(problem);
  int64_t steps[RLT_MAX_AXES];
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    steps[a] = problem->axes[a].source_stride;
  }
  for (int32_t i = 0; i < inside; ++i) {
    steps[parts[i].axis] *= parts[i].is_cut ? parts[i].steps : in_byte;
  }
  bool start = problem->source_start % in_byte == 0;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    start = start && steps[a] % in_byte == 0;
  }
  return start;
}

/* From one run's place to the next one's, with room before each; what a run leaves behind it is overwritten
 * by the next. Whole lines are read faster. */
static int64_t pitch_of(int64_t length, int64_t before, int64_t runs) {
  const int64_t tight = length + before;
  const int64_t lines = rlt_divide_up(tight, RLT_CPU_AROUND_RUN) * RLT_CPU_AROUND_RUN;
  return runs * lines + 2 * RLT_CPU_AROUND_RUN <= RLT_CPU_ARRIVAL_BYTES ? lines : tight;
}

relayout_status rlt_cpu_arrival_make(const rlt_cpu_instruction_set *set, const rlt_problem *problem,
                                     const rlt_strategy *strategy, rlt_cpu_arrival *arrival,
                                     relayout_error *error) {
  part parts[MAX_PARTS];
  int32_t count = add_group(problem, &strategy->columns, parts, 0);
  count = add_group(problem, &strategy->rows, parts, count);
  int64_t length;
  const int32_t inside = run_parts(problem, parts, count, &length);
  const bool swaps = problem->swapped_bits > 0;
  const int64_t bits = swaps ? problem->swapped_bits : problem->source_packed;
  *arrival = (rlt_cpu_arrival){.problem = *problem,
                               .bits = bits,
                               .rows = swaps ? 8 / bits : 1,
                               .swap = swaps ? set->rows->swap[rlt_cpu_width_number(bits)] : NULL,
                               .is_exact = length < RLT_CPU_AROUND_RUN && !swaps,
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
    arrival->problem.axes[parts[i].axis].source_stride = arrival->run_count;
    arrival->run_count *= parts[i].steps;
  }
  const int64_t before = runs_start_bytes(problem, parts, inside) ? 0 : BEFORE_RUN;
  const int64_t pitch = arrival->is_exact ? length : pitch_of(length, before, arrival->run_count);
  for (int32_t i = inside; i < count; ++i) {
    arrival->problem.axes[parts[i].axis].source_stride *= pitch;
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
    if (arrival->swap != NULL) {
      arrival->swap(source + first, run[1].source - run->source, to, run[1].place - run->place,
                    length);
    } else if (arrival->is_exact) {
      unpack_each(source, arrival->bits, first, to, length);
    } else {
      rlt_cpu_codec_decode(codec, source, first, to, length);
    }
  }
}
