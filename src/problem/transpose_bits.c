/* transpose_bits.c: swaps packed elements with those of other rows of the source.
 *
 *     source       bytes of row 0, of row 1        transposed
 *     row 0        01 23 45 67                     row 0    0a 2c 4e 6g
 *     row 1        ab cd ef gh                     row 1    1b 3d 5f 7h
 *
 * The bytes of the transposed rows are bytes of the destination, so only whole bytes remain to be
 * moved. */
#include "base/checked.h"
#include "problem/problem.h"

enum {
  LEAST_COLUMNS = 16, /* bytes; narrower runs are moved in another way */
  LEAST_RUN = 16,
  MOST_RUN = 64
};

static bool is_whole(const rlt_axis *axis, int64_t per_byte) {
  return axis->extent % per_byte == 0 && axis->valid % per_byte == 0;
}

/* The axis along which the source's packed elements lie; -1 if there is none, or if another axis
 * takes only a part of a byte. */
static int32_t find_run(const rlt_problem *problem, int64_t per_byte) {
  int32_t run = -1;
  for (int32_t a = 1; a < problem->axis_count; ++a) {
    const rlt_axis *const axis = &problem->axes[a];
    if (axis->destination_stride % per_byte != 0 ||
        axis->source_stride == problem->axes[0].source_stride || axis->source_stride == per_byte) {
      return -1; /* or reads a byte that another element also uses */
    }
    if (axis->source_stride == 1 && run < 0 && is_whole(axis, per_byte)) {
      run = a;
    } else if (axis->source_stride % per_byte != 0) {
      return -1;
    }
  }
  return run;
}

static bool can_transpose_bits(const rlt_problem *problem, int64_t per_byte) {
  const rlt_axis *const columns = &problem->axes[0];
  return problem->axis_count > 1 && problem->axis_count < RLT_MAX_AXES - 1 &&
         columns->destination_stride == 1 && columns->source_stride % per_byte == 0 &&
         is_whole(columns, per_byte) && columns->extent / per_byte >= LEAST_COLUMNS &&
         problem->source_start % per_byte == 0 && problem->destination_start % per_byte == 0 &&
         problem->source_elements % per_byte == 0 && problem->destination_elements % per_byte == 0;
}

/* How many bytes of a run are transposed at once, a divisor of its axis; 0 if that is not worth
 * it. */
static int64_t run_at_once(const rlt_axis *axis, int64_t per_byte, int64_t most_rows) {
  const int64_t extent = axis->extent / per_byte;
  const int64_t valid = axis->valid / per_byte;
  int64_t most = rlt_min(rlt_min(MOST_RUN, most_rows / per_byte), extent);
  while (most >= LEAST_RUN && (extent % most != 0 || valid % most != 0)) {
    --most;
  }
  return most >= LEAST_RUN ? most : 0;
}

void rlt_problem_transpose_bits(rlt_problem *problem, int64_t most_rows) {
  const int64_t bits = problem->source_packed;
  if (problem->index_program != NULL || bits == 0 || bits != problem->destination_packed ||
      rlt_converts(&problem->conversion)) {
    return;
  }
  const int64_t per_byte = 8 / bits;
  const int32_t run = can_transpose_bits(problem, per_byte) ? find_run(problem, per_byte) : -1;
  const int64_t at_once = run < 0 || problem->axes[0].source_stride < problem->axes[run].extent
                              ? 0
                              : run_at_once(&problem->axes[run], per_byte, most_rows);
  if (at_once == 0) {
    return;
  }
  const rlt_axis columns = problem->axes[0];
  const rlt_axis rows = problem->axes[run];
  rlt_problem_count_in_words(problem, 0, per_byte);
  const rlt_problem bytes = *problem;
  problem->axis_count = 0;
  rlt_problem_insert_axis(problem, (rlt_axis){columns.extent / per_byte, columns.valid / per_byte,
                                              columns.source_stride, 1});
  rlt_problem_insert_axis(problem, (rlt_axis){per_byte, per_byte, bytes.axes[0].source_stride,
                                              bytes.axes[run].destination_stride});
  rlt_problem_insert_axis(problem, (rlt_axis){at_once, at_once, 1, rows.destination_stride});
  if (rows.extent / per_byte > at_once) {
    rlt_problem_insert_axis(problem, (rlt_axis){rows.extent / per_byte / at_once,
                                                rows.valid / per_byte / at_once, at_once,
                                                at_once * rows.destination_stride});
  }
  for (int32_t a = 1; a < bytes.axis_count; ++a) {
    if (a != run) {
      rlt_problem_insert_axis(problem, bytes.axes[a]);
    }
  }
  problem->transposed_bits = bits;
  problem->transposed_stride = bytes.axes[0].source_stride;
  problem->source_packed = 0;
  problem->destination_packed = 0;
  const unsigned ones = (1u << bits) - 1;
  problem->fill[0] = (uint8_t)((problem->fill[0] & ones) * (0xff / ones)); /* repeated */
  problem->fill_word[0] = problem->fill[0];
}
