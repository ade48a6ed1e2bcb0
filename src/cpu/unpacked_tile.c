/* unpacked_tile.c: where the runs of a tile lie once they are unpacked. */
#include "cpu/unpacked_tile.h"

#include "base/checked.h"

/* Elements that are unpacked before a run's first one, where it begins within a byte. */
enum { BEFORE_RUN = 8 };

/* The axes that a tile reads along, of which those whose steps bits are transposed among come right
 * behind the run. */
static int32_t read_axes(const rlt_problem *problem, const rlt_group *columns,
                         const rlt_group *rows, rlt_tile_axis *axes) {
  const int32_t count = rlt_tile_read_axes(problem, columns, rows, axes);
  const int64_t stride = problem->transposed_stride;
  int32_t at = 0;
  while (at < count && problem->axes[axes[at].axis].source_stride != stride) {
    ++at;
  }
  for (; at < count && at > 0 && problem->axes[axes[at - 1].axis].source_stride != 1; --at) {
    const rlt_tile_axis moved = axes[at];
    axes[at] = axes[at - 1];
    axes[at - 1] = moved;
  }
  return count;
}

/* True if each run's first element begins a byte. The first `inside` axes make up a run. */
static bool runs_start_bytes(const rlt_problem *problem, const rlt_tile_axis *axes,
                             int32_t inside) {
  const int64_t in_byte = 8 / rlt_problem_source_bits(problem);
  int64_t steps[RLT_MAX_AXES];
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    steps[a] = problem->axes[a].source_stride;
  }
  for (int32_t i = 0; i < inside; ++i) {
    steps[axes[i].axis] *= axes[i].is_cut ? axes[i].steps : in_byte;
  }
  bool start = problem->source_start % in_byte == 0;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    start = start && steps[a] % in_byte == 0;
  }
  return start;
}

/* From one run's place to the next one's, which are `tight` apart at least; what a run leaves
 * behind it is overwritten by the next. Whole lines are read faster, and words, of more bytes, meet
 * in fewer sets of a cache where the lines from one run to the next are odd in number. */
static int64_t pitch_of(int64_t tight, int64_t word, bool odd, int64_t runs, int64_t room) {
  int64_t lines = rlt_divide_up(tight * word, RLT_AROUND_RUN);
  if (odd && lines % 2 == 0) {
    ++lines;
  }
  return (runs * lines + 2) * RLT_AROUND_RUN <= room ? lines * RLT_AROUND_RUN / word : tight;
}

/* Elements arrive as the destination has them. */
static void narrow_first(rlt_problem *problem) {
  problem->element_bytes = rlt_problem_destination_bytes(problem);
  problem->conversion = (rlt_conversion){.from = RELAYOUT_ELEMENT_TYPE_INVALID};
  problem->source_swapped = problem->destination_swapped = false;
}

void rlt_unpacked_tile_make(const rlt_problem *problem, const rlt_group *columns,
                            const rlt_group *rows, int64_t room, rlt_unpacked_tile *made) {
  const bool are_words = !rlt_problem_is_unpacked_first(problem);
  rlt_unpacking *const unpacking = &made->unpacking;
  rlt_tile_axis *const axes = made->axes;
  rlt_problem_copy(problem, &made->problem);
  if (rlt_problem_narrows(problem)) {
    narrow_first(&made->problem);
  }
  const int64_t word = made->problem.element_bytes;
  made->axis_count = read_axes(problem, columns, rows, axes);
  unpacking->runs = rlt_tile_runs_of(problem, axes, made->axis_count, true);
  unpacking->is_exact = !are_words && !rlt_problem_transposes_bits(problem) &&
                        unpacking->runs.length < RLT_AROUND_RUN;
  unpacking->run_count = 1;
  for (int32_t i = unpacking->runs.axis_count; i < made->axis_count; ++i) {
    made->problem.axes[axes[i].axis].source_stride = unpacking->run_count;
    unpacking->run_count *= axes[i].steps;
  }
  const bool starts = are_words || runs_start_bytes(problem, axes, unpacking->runs.axis_count);
  const int64_t tight = unpacking->runs.length + (starts ? 0 : BEFORE_RUN);
  unpacking->pitch = unpacking->is_exact
                         ? unpacking->runs.length
                         : pitch_of(tight, word, are_words, unpacking->run_count, room);
  for (int32_t i = unpacking->runs.axis_count; i < made->axis_count; ++i) {
    made->problem.axes[axes[i].axis].source_stride *= unpacking->pitch;
  }
  made->problem.source_packed = 0;
  made->problem.source_elements = (room - RLT_AROUND_RUN) / word;
}
