/* spec.c: from a schedule to a kernel's options and arguments. */
#include "gpu/spec.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "gpu/arguments.h"
#include "gpu/constants.h"
#include "gpu/local_tile.h"
#include "gpu/planning.h"

relayout_status rlt_blob_make(size_t size, rlt_blob *blob, relayout_error *error) {
  *blob = (rlt_blob){rlt_malloc(size), size};
  return blob->bytes != NULL
             ? RELAYOUT_OK
             : rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan's tables");
}

/* ---- The grid ---- */

/* For n < 2^31 and d > 0, n / d is (mul_hi(n, multiplier) + n) >> shift. */
static kernel_divisor divisor_of(int64_t d) {
  if (d > INT32_MAX) {
    return (kernel_divisor){0, 31}; /* n / d is 0 */
  }
  uint32_t shift = 0;
  while ((INT64_C(1) << shift) < d) {
    ++shift;
  }
  const uint64_t excess = (UINT64_C(1) << shift) - (uint64_t)d;
  return (kernel_divisor){(uint32_t)((excess << 32) / (uint64_t)d + 1), shift};
}

/* `count` of a loop's iterations, or of the blocks that so many make together. */
static kernel_loop loop_of(const rlt_loop *of, int64_t step, int64_t count, bool has_program) {
  const int64_t valid = rlt_min(rlt_divide_up(of->valid, step), count);
  return (kernel_loop){count, valid, has_program ? 0 : of->source_step * step,
                       of->destination_step * step, divisor_of(count)};
}

/* The schedule's loops, those within a block first; `numbers` becomes, for each loop of the grid,
 * where the loop over its blocks is. */
static void add_loops(const rlt_schedule *schedule, const rlt_grid *grid, kernel_loop *loops,
                      int64_t *numbers) {
  const rlt_loops *const order = &schedule->loops;
  const bool has_program = schedule->problem->index_program != NULL;
  int64_t count = 0;
  for (int32_t i = 0; i < order->inner_count; ++i) {
    const int32_t l = rlt_grid_loop_of(grid, order->inner[i]);
    numbers[l] = count;
    loops[count++] = loop_of(&grid->loops[l], 1, order->inside[i], has_program);
  }
  for (int32_t i = 0; i < order->outer_count; ++i) {
    const int32_t l = rlt_grid_loop_of(grid, order->outer[i]);
    const int64_t inside = rlt_loops_inside(grid, order, l);
    numbers[l] = count;
    loops[count++] =
        loop_of(&grid->loops[l], inside, rlt_divide_up(grid->loops[l].count, inside), has_program);
  }
}

static kernel_side side_of(const rlt_problem *problem, const rlt_group *group, const rlt_side *side,
                           const int64_t *numbers) {
  const rlt_axis *const axis = group->axis_count > 0 ? &problem->axes[rlt_group_last(group)] : NULL;
  return (kernel_side){.inner = side->inner,
                       .block = side->steps,
                       .extent = side->extent,
                       .valid = side->valid,
                       .loop_number = side->block_loop < 0 ? -1 : numbers[side->block_loop],
                       .source_stride =
                           axis == NULL || problem->index_program != NULL ? 0 : axis->source_stride,
                       .destination_stride = axis == NULL ? 0 : axis->destination_stride,
                       .length = rlt_group_length(group)};
}

static relayout_status make_grid(const rlt_schedule *schedule, const rlt_grid *grid, rlt_blob *blob,
                                 relayout_error *error) {
  const rlt_problem *const problem = schedule->problem;
  const rlt_loops *const order = &schedule->loops;
  const size_t count = (size_t)order->inner_count + (size_t)order->outer_count;
  const relayout_status status =
      rlt_blob_make(sizeof(kernel_grid) + count * sizeof(kernel_loop), blob, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  kernel_grid *const made = blob->bytes;
  int64_t numbers[RLT_MAX_AXES];
  add_loops(schedule, grid, (kernel_loop *)(made + 1), numbers);
  *made = (kernel_grid){
      .tile_count = (uint64_t)grid->tile_count,
      .tiles_per_group = (uint64_t)schedule->grain,
      .loop_count = (int64_t)count,
      .columns = side_of(problem, &schedule->columns, &grid->columns, numbers),
      .rows = side_of(problem, &schedule->rows, &grid->rows, numbers),
      .fills = problem->fills,
      .across_shift = rlt_gpu_across_shift(schedule, grid->tile_count),
      .source_first = -problem->source_start,
      .source_end = problem->source_elements - problem->source_start,
  };
  return RELAYOUT_OK;
}

/* ---- Options ---- */

static bool is_scaled(const rlt_conversion *conversion) {
  return conversion->from != RELAYOUT_ELEMENT_TYPE_INVALID && conversion->scale != 1;
}

static bool reads(const rlt_schedule *schedule) {
  return rlt_gpu_move_row_of(schedule->move)->reads;
}

/* Scaling takes long numbers, but words so short are few. */
static bool converts_by_table(const rlt_schedule *schedule) {
  return reads(schedule) && is_scaled(&schedule->problem->conversion) &&
         schedule->problem->element_bytes <= 2;
}

static const rlt_conversion no_conversion = {.from = RELAYOUT_ELEMENT_TYPE_INVALID};

/* None is compiled in where nothing is read, or a table says what becomes of it. */
static rlt_conversion compiled_conversion(const rlt_schedule *schedule) {
  const bool is_compiled = reads(schedule) && !converts_by_table(schedule);
  return is_compiled ? schedule->problem->conversion : no_conversion;
}

/* How many numbers the problem's index program works with, as a power of two, for few
 * programs serve many; 0 without one. */
static int32_t numbers_of(const rlt_problem *problem) {
  if (problem->index_program == NULL) {
    return 0;
  }
  int32_t most = (int32_t)rlt_max(problem->index_program->result, problem->index_program->place);
  for (int32_t s = 0; s < problem->index_program->count; ++s) {
    const rlt_index_op *const op = &problem->index_program->of[s];
    most = op->to > most ? op->to : most;
    most = op->from > most ? op->from : most;
  }
  int32_t numbers = 8;
  while (numbers <= most) {
    numbers *= 2;
  }
  return numbers;
}

/* The farthest that a position of the group lies from the first, on either side and either way. */
static int64_t reach(const rlt_problem *problem, const rlt_group *group) {
  int64_t source = 0;
  int64_t destination = 0;
  for (int32_t i = 0; i < group->axis_count; ++i) {
    const rlt_axis *const axis = &problem->axes[group->axes[i]];
    const int64_t steps = rlt_group_steps(problem, group, i);
    source += rlt_max(rlt_min(steps, axis->valid) - 1, 0) * llabs(axis->source_stride);
    destination += (steps - 1) * axis->destination_stride;
  }
  return rlt_max(problem->index_program == NULL ? source : 0, destination);
}

/* 32 bits hold every tile's number and every offset in a tile; and where a group walks over no more
 * than one tile, its kernel need not loop. */
static bool is_narrow(const rlt_schedule *schedule, const rlt_grid *grid, int64_t most_offset) {
  return grid->tile_count <= INT32_MAX &&
         (schedule->grain == 1 || rlt_schedule_goes_by_index(schedule)) &&
         reach(schedule->problem, &schedule->columns) + reach(schedule->problem, &schedule->rows) <=
             most_offset;
}

/* Kernels know packed elements low bits first. */
static int32_t reversed_bits(const rlt_problem *problem) {
  return (int32_t)(problem->source_high ? problem->source_packed : problem->reversed_bits);
}

static rlt_kernel_options options_of(const rlt_schedule *schedule, const rlt_grid *grid,
                                     int64_t most_offset, bool is_alone) {
  const rlt_problem *const problem = schedule->problem;
  rlt_kernel_options made = {.kernel = rlt_gpu_kernel_of(schedule),
                             .word_bytes = (int32_t)rlt_problem_destination_bytes(problem),
                             .source_bytes = (int32_t)problem->element_bytes,
                             .source_bits = (int32_t)problem->source_packed,
                             .destination_bits = (int32_t)problem->destination_packed,
                             .reversed_bits = reversed_bits(problem),
                             .destination_high = problem->destination_high,
                             .wide = !is_narrow(schedule, grid, most_offset),
                             .group_size = (int32_t)schedule->group_size,
                             .conversion = compiled_conversion(schedule),
                             .converts_by_table = converts_by_table(schedule),
                             .source_swapped = problem->source_swapped,
                             .destination_swapped = problem->destination_swapped,
                             .only_swaps = rlt_problem_only_swaps(problem),
                             .numbers = numbers_of(problem),
                             .batch = schedule->batch,
                             .specialized = schedule->specialized || is_alone,
                             .alone = is_alone};
  if (is_alone) { /* a table of what each word becomes would be an argument */
    made.conversion = reads(schedule) ? problem->conversion : no_conversion;
    made.converts_by_table = false;
    made.batch = 0;
  }
  if (made.kernel == RLT_KERNEL_TRANSPOSE) {
    const rlt_square_tile tile = rlt_square_tile_for(problem, schedule->tile_bytes);
    made.tile_rows = (int32_t)tile.rows;
    made.tile_columns = (int32_t)tile.columns;
  }
  if (made.kernel == RLT_KERNEL_INTERLEAVE) {
    const rlt_axis *const pixels = &problem->axes[schedule->columns.axes[0]];
    made.joins = pixels->source_stride == 1;
    made.channels = (int32_t)(made.joins ? pixels->destination_stride : pixels->source_stride);
  }
  return made;
}

/* ---- Tables ---- */

/* How many ops, where the result is, and each. */
static relayout_status copy_program(const rlt_index_program *program, rlt_blob *blob,
                                    relayout_error *error) {
  const size_t size =
      offsetof(rlt_index_program, of) + (size_t)program->count * sizeof program->of[0];
  const relayout_status status = rlt_blob_make(size, blob, error);
  if (status == RELAYOUT_OK) {
    memcpy(blob->bytes, program, size);
  }
  return status;
}

/* `slots` are those of a kernel that permutes. */
static relayout_status make_tables(const rlt_schedule *schedule, const rlt_slots *slots, bool wide,
                                   rlt_blob *blob, relayout_error *error) {
  if (schedule->problem->index_program != NULL) {
    return copy_program(schedule->problem->index_program, blob, error);
  }
  return slots != NULL ? rlt_slot_tables_make(schedule, slots, wide, blob, error) : RELAYOUT_OK;
}

/* What each word of the source becomes. */
static relayout_status make_conversions(const rlt_problem *problem, rlt_blob *blob,
                                        relayout_error *error) {
  const size_t count = (size_t)1 << 8 * problem->element_bytes;
  const size_t size = count * (size_t)rlt_problem_destination_bytes(problem);
  const relayout_status status =
      rlt_blob_make(size + count * (size_t)problem->element_bytes, blob, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  uint8_t *const words = (uint8_t *)blob->bytes + size;
  const int64_t numbers = (int64_t)count;
  for (size_t i = 0; i < count; ++i) {
    if (problem->element_bytes == 1) {
      words[i] = (uint8_t)i;
    } else {
      memcpy(words + 2 * i, &(uint16_t){(uint16_t)i}, 2);
    }
  }
  if (problem->source_swapped) {
    rlt_turn_bytes(words, problem->element_bytes, numbers);
  }
  rlt_convert_elements(&problem->conversion, words, blob->bytes, numbers);
  if (problem->destination_swapped) {
    rlt_turn_bytes(blob->bytes, rlt_problem_destination_bytes(problem), numbers);
  }
  blob->size = size;
  return RELAYOUT_OK;
}

static int64_t local_bytes(const rlt_schedule *schedule, const rlt_slots *slots) {
  if (!schedule->buffered) {
    return 0;
  }
  return slots != NULL
             ? rlt_slots_bytes(slots)
             : rlt_square_tile_bytes(rlt_square_tile_for(schedule->problem, schedule->tile_bytes),
                                     rlt_problem_destination_bytes(schedule->problem));
}

/* For a kernel that is compiled for this problem alone. */
static relayout_status write_constants(const rlt_schedule *schedule, bool has_slots,
                                       rlt_launch_spec *spec, relayout_error *error) {
  const int64_t bits = rlt_problem_source_bits(schedule->problem);
  const rlt_constants constants = {.grid = &spec->grid,
                                   .slot_tables = has_slots ? &spec->tables : NULL,
                                   .wide = spec->options.wide,
                                   .group_size = schedule->group_size,
                                   .piece = rlt_max(8 * RLT_LOCAL_PIECE_BYTES / bits, 1),
                                   .unit = rlt_local_unit(bits),
                                   .alone = spec->options.alone ? schedule->problem : NULL,
                                   .scale = spec->has_scale ? &spec->scale : NULL,
                                   .local_bytes = spec->local_bytes};
  const relayout_status status =
      rlt_constants_write(&constants, &spec->constants, &spec->table_bytes, error);
  spec->options.text = spec->constants;
  return status;
}

/* ---- All of it ---- */

static relayout_status make_spec(const rlt_schedule *schedule, int64_t most_offset, bool is_alone,
                                 rlt_launch_spec *spec, relayout_error *error) {
  const rlt_problem *const problem = schedule->problem;
  rlt_grid grid;
  rlt_slots slots;
  rlt_grid_make(problem, &schedule->columns, &schedule->rows, &grid);
  const bool has_slots = rlt_gpu_kernel_of(schedule) == RLT_KERNEL_PERMUTE;
  if (has_slots) {
    rlt_slots_find(problem, &schedule->columns, &schedule->rows, &slots);
  }
  const rlt_slots *const of = has_slots ? &slots : NULL;
  *spec = (rlt_launch_spec){.options = options_of(schedule, &grid, most_offset, is_alone),
                            .group_count = rlt_divide_up(grid.tile_count, schedule->grain),
                            .local_bytes = local_bytes(schedule, of)};
  spec->has_scale = is_scaled(&spec->options.conversion);
  if (spec->has_scale) {
    spec->scale = rlt_conversion_scale_factor(&problem->conversion);
  }
  relayout_status status = make_grid(schedule, &grid, &spec->grid, error);
  if (status == RELAYOUT_OK) {
    status = make_tables(schedule, of, spec->options.wide, &spec->tables, error);
  }
  if (status == RELAYOUT_OK && spec->options.specialized) {
    status = write_constants(schedule, has_slots, spec, error);
  }
  if (status == RELAYOUT_OK && spec->options.converts_by_table) {
    status = make_conversions(problem, &spec->conversions, error);
  }
  return status;
}

relayout_status rlt_launch_spec_make(const rlt_schedule *schedule, int64_t most_offset,
                                     rlt_launch_spec *spec, relayout_error *error) {
  return make_spec(schedule, most_offset, false, spec, error);
}

relayout_status rlt_launch_spec_make_alone(const rlt_schedule *schedule, int64_t most_offset,
                                           rlt_launch_spec *spec, relayout_error *error) {
  return make_spec(schedule, most_offset, true, spec, error);
}

void rlt_launch_spec_free(rlt_launch_spec *spec) {
  rlt_free(spec->grid.bytes);
  rlt_free(spec->constants);
  rlt_free(spec->tables.bytes);
  rlt_free(spec->conversions.bytes);
}
