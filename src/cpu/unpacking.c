/* unpacking.c: unpacking what a tile reads, run by run. */
#include "cpu/unpacking.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "convert/packing.h"

static void set_run(const rlt_problem *problem, const rlt_unpacking *layout, int64_t number,
                    rlt_cpu_run *run) {
  int64_t rest = number;
  run->place = number * layout->pitch;
  for (int32_t i = layout->run_axes; i < layout->axis_count; ++i) {
    const rlt_tile_axis *const axis = &layout->axes[i];
    const int64_t digit = rest % axis->steps;
    rest /= axis->steps;
    run->source += digit * problem->axes[axis->axis].source_stride;
    if (axis->last) {
      *(axis->of_columns ? &run->column_step : &run->row_step) = digit;
    }
  }
}

relayout_status rlt_cpu_unpacking_make(const rlt_cpu_instruction_set *set,
                                       const rlt_schedule *schedule, rlt_cpu_unpacking *unpacking,
                                       relayout_error *error) {
  const rlt_problem *const problem = schedule->problem;
  const bool transposes = rlt_problem_transposes_bits(problem);
  const int64_t bits = transposes ? problem->transposed_bits : problem->source_packed;
  *unpacking = (rlt_cpu_unpacking){
      .bits = bits,
      .rows = transposes ? 8 / bits : 1,
      .transpose = transposes ? set->rows->bit_transpose[rlt_cpu_width_number(bits)] : NULL,
      .column_inner = schedule->columns.inner,
      .row_inner = schedule->rows.inner};
  rlt_unpacking *const layout = &unpacking->layout;
  rlt_unpacking_make(problem, &schedule->columns, &schedule->rows, RLT_CPU_UNPACKED_BYTES, layout);
  unpacking->runs = calloc((size_t)layout->run_count, sizeof *unpacking->runs);
  if (unpacking->runs == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the runs of a plan's tiles");
  }
  for (int64_t r = 0; r < layout->run_count; ++r) {
    set_run(problem, layout, r, &unpacking->runs[r]);
  }
  return RELAYOUT_OK;
}

void rlt_cpu_unpacking_free(rlt_cpu_unpacking *unpacking) {
  free(unpacking->runs);
}

/* Few elements, and nothing around them. */
static void unpack_each(const uint8_t *source, int64_t bits, int64_t first, uint8_t *to,
                        int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    to[i] = rlt_packed_get(source, first + i, bits);
  }
}

void rlt_cpu_unpack(const rlt_cpu_unpacking *unpacking, const rlt_cpu_codec *codec,
                    const uint8_t *source, const rlt_tile *tile, uint8_t *unpacked) {
  const rlt_unpacking *const layout = &unpacking->layout;
  const int64_t column_steps = tile->valid_columns / unpacking->column_inner;
  const int64_t row_steps = tile->valid_rows / unpacking->row_inner;
  const int64_t length = layout->run_unit * (layout->run_side == RLT_SEGMENT_COLUMNS ? column_steps
                                             : layout->run_side == RLT_SEGMENT_ROWS  ? row_steps
                                                                                     : 1);
  for (int64_t r = 0; r < layout->run_count; r += unpacking->rows) {
    const rlt_cpu_run *const run = &unpacking->runs[r];
    if (run->column_step >= column_steps || run->row_step >= row_steps) {
      continue;
    }
    const int64_t first = tile->source + run->source;
    uint8_t *const to = unpacked + RLT_AROUND_RUN + run->place;
    if (unpacking->transpose != NULL) {
      unpacking->transpose(source + first, run[1].source - run->source, to,
                           run[1].place - run->place, length);
    } else if (layout->is_exact) {
      unpack_each(source, unpacking->bits, first, to, length);
    } else {
      rlt_cpu_codec_decode(codec, source, first, to, length);
    }
  }
}
