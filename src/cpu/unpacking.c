/* unpacking.c: unpacking what a tile reads, run by run. */

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "convert/packing.h"
#include "cpu/executable.h"

relayout_status rlt_cpu_unpacking_make(const rlt_cpu_instruction_set *set,
                                       const rlt_unpacked_tile *unpacked, rlt_cpu_executable *made,
                                       relayout_error *error) {
  const rlt_problem *const problem = made->problem;
  const rlt_unpacking *const layout = &unpacked->unpacking;
  made->unpacking = *layout;
  made->runs = rlt_malloc((size_t)layout->run_count * sizeof *made->runs);
  if (made->runs == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the runs of a plan's tiles");
  }
  const int32_t inside = layout->runs.axis_count;
  for (int64_t r = 0; r < layout->run_count; ++r) {
    made->runs[r] =
        rlt_tile_run_at(problem, unpacked->axes + inside, unpacked->axis_count - inside, true, r);
  }
  if (rlt_problem_transposes_bits(problem)) {
    made->transpose = set->rows->bit_transpose[rlt_word_size_number(problem->transposed_bits)];
  }
  return RELAYOUT_OK;
}

/* Few elements, and nothing around them. */
static void unpack_each(const rlt_problem *problem, const uint8_t *source, int64_t first,
                        uint8_t *to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    to[i] = rlt_packed_get(source, first + i, problem->source_packed, problem->source_high);
  }
}

/* Elements of the rows of a byte's change places, those of all rows `stride` apart with those of
 * rows `pitch` apart. Where elements are counted from the high bits of the destination, the rows
 * of the source are taken in the opposite order, and the other way round. */
static void transpose_rows(const rlt_cpu_executable *made, const uint8_t *from, int64_t stride,
                           uint8_t *to, int64_t length) {
  const rlt_problem *const problem = made->problem;
  const int64_t last = 8 / problem->transposed_bits - 1, pitch = made->unpacking.pitch;
  const bool from_last = problem->destination_high, to_last = problem->source_high;
  made->transpose(from_last ? from + last * stride : from, from_last ? -stride : stride,
                  to_last ? to + last * pitch : to, to_last ? -pitch : pitch, length);
}

void rlt_cpu_unpack(const rlt_cpu_call *call, const rlt_tile *tile, const uint8_t *next,
                    uint8_t *unpacked) {
  const rlt_cpu_executable *const made = call->made;
  const rlt_unpacking *const layout = &made->unpacking;
  const uint8_t *const source = call->source;
  const rlt_tile_steps has = rlt_cpu_steps(&made->frame, tile->valid_columns, tile->valid_rows);
  const int64_t length = rlt_run_elements(&layout->runs, has);
  const int64_t word = made->problem->element_bytes, moved = made->frame.element_bytes;
  const uint8_t *const end = source + made->source_bytes;
  const int64_t at_once = made->transpose != NULL ? 8 / made->problem->transposed_bits : 1;
  const int64_t pieces = rlt_divide_up(length, RLT_CPU_FETCHING_PIECE);
  rlt_cpu_prefetching ahead =
      rlt_cpu_prefetching_of(&made->frame, next, layout->run_count * pieces);
  for (int64_t r = 0; r < layout->run_count; r += at_once) {
    const rlt_tile_run *const run = &made->runs[r];
    if (!rlt_tile_has_run(has, run)) {
      continue;
    }
    const int64_t first = tile->source + run->start;
    uint8_t *const to = unpacked + RLT_AROUND_RUN + r * layout->pitch * moved;
    if (made->narrows) {
      rlt_cpu_codec_encode_fetching(made->codec, source + first * word, end, to, length, &ahead,
                                    made->frame.fetch_level);
    } else if (made->schedule->loads) {
      made->lines->copy_run(to, source + first * word, length * word);
    } else if (made->transpose != NULL) {
      transpose_rows(made, source + first, run[1].start - run->start, to, length);
    } else if (layout->is_exact) {
      unpack_each(made->problem, source, first, to, length);
    } else {
      rlt_cpu_codec_decode(made->codec, source, first, to, length);
    }
  }
}
