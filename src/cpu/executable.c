/* executable.c: a schedule made ready: its kernels, its tables and the order of its tiles. */
#include "cpu/executable.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "cpu/planning.h"

enum { LINE_BYTES = RLT_CPU_LINE_BYTES };

static int64_t stride_of(const rlt_problem *problem, const rlt_group *group, bool source) {
  if (group->axis_count == 0) {
    return 0;
  }
  const rlt_axis *axis = &problem->axes[group->axes[0]];
  return source ? axis->source_stride : axis->destination_stride;
}

/* Of words as they arrive where tiles are put together. */
static void set_frame(const rlt_schedule *schedule, const rlt_problem *problem,
                      rlt_cpu_frame *frame) {
  const int64_t bytes = problem->element_bytes;
  const bool keeps = rlt_problem_keeps_elements(problem);
  frame->element_bytes = bytes;
  frame->streams = schedule->streamed;
  frame->source_row = bytes * stride_of(problem, &schedule->rows, true);
  frame->source_column = bytes * stride_of(problem, &schedule->columns, true);
  frame->destination_row = bytes * stride_of(problem, &schedule->rows, false);
  frame->destination_column = bytes * stride_of(problem, &schedule->columns, false);
  frame->fills = problem->fills;
  for (int64_t i = 0; i < RLT_CPU_FILL_BYTES; ++i) {
    frame->fill[i] = (keeps ? problem->fill : problem->fill_word)[i % bytes];
  }
}

/* Unpacked elements have room behind them. */
int64_t rlt_cpu_last_source(const rlt_cpu_executable *made, const rlt_group *columns,
                            const rlt_group *rows) {
  const rlt_problem *const problem = made->problem;
  if (made->unpacks) {
    return INT64_MAX;
  }
  return problem->source_elements - rlt_group_reach(problem, columns) -
         rlt_group_reach(problem, rows) - LINE_BYTES / problem->element_bytes;
}

/* How many rows of a tile are put together, and leave, at a time: two blocks of them, so that the
 * nearest cache has room for them and lines are on their way to memory while others are put
 * together. 0: all, where rows are not segments in the same order. */
static int64_t strip_rows(const rlt_cpu_executable *made) {
  const rlt_tile_buffer *const tile_buffer = &made->frame.tile_buffer;
  const rlt_cpu_positions *const rows = &made->frame.rows;
  const int64_t pitch = tile_buffer->segment_pitch * made->frame.element_bytes;
  const int64_t some = 2 * made->kernels->block_rows;
  const int64_t dense = tile_buffer->dense_rows;
  bool are_segments = rows->count == tile_buffer->segment_count &&
                      dense == tile_buffer->valid_rows &&
                      (dense % some == 0 || some % dense == 0 || dense >= rows->count);
  for (int64_t r = 0; r < rows->count; ++r) {
    are_segments = are_segments && rows->to[r] == r * pitch;
  }
  return are_segments ? some : 0;
}

static relayout_status set_tables(const rlt_cpu_device *device, const rlt_unpacked_tile *unpacked,
                                  rlt_cpu_executable *made, relayout_error *error) {
  const rlt_schedule *const schedule = made->schedule;
  const rlt_problem *const arrived = made->unpacks ? &unpacked->problem : made->problem;
  relayout_status status = RELAYOUT_OK;
  if (made->unpacks) {
    status = rlt_cpu_unpacking_make(device->instructions, unpacked, made, error);
  }
  made->fill_tile = rlt_cpu_move_row_of(schedule->move)->copies_runs
                        ? made->lines->copy_runs
                        : made->kernels->transpose_blocks;
  made->last_source = rlt_cpu_last_source(made, &schedule->columns, &schedule->rows);
  if (status == RELAYOUT_OK) {
    status = rlt_cpu_tables_make(arrived, made, error);
  }
  if (status == RELAYOUT_OK && made->narrows &&
      made->fill_tile == made->kernels->transpose_blocks) {
    made->strip_rows = strip_rows(made);
  }
  const rlt_facts *const facts = &device->base.facts;
  const rlt_word_facts *const block = &facts->words[rlt_word_size_number(arrived->element_bytes)];
  made->frame.is_crowded =
      rlt_cpu_are_crowded(facts, made->frame.column_step, block->block_columns);
  return status;
}

static void set_order(rlt_cpu_executable *made) {
  const rlt_schedule *const schedule = made->schedule;
  rlt_order_make(made->grid, &schedule->loops, &made->order);
  if (made->grid->tile_count == 1) {
    rlt_grid_find_tile(made->grid, (int64_t[RLT_MAX_AXES]){0}, &made->only_tile);
  }
  if (schedule->combined) {
    rlt_combining combining;
    rlt_combining_find(made->problem, made->grid, schedule->tile_buffer.segment.length, &combining);
    made->combined_loops = rlt_order_combined_loops(&made->order, &combining);
  }
}

/* A tile that is a run of bytes, with nothing after it to be filled. */
static void set_copy(rlt_cpu_executable *made) {
  const rlt_tile *const tile = &made->only_tile;
  if (made->grid->tile_count == 1 && made->move == rlt_cpu_move_straight &&
      !made->schedule->streamed && tile->rows == 1 && tile->valid_columns == tile->columns) {
    made->copy = (rlt_cpu_copy){.source = tile->source * made->source_bits / 8,
                                .destination = tile->destination * made->destination_bits / 8,
                                .bytes = tile->columns * made->destination_bits / 8};
  }
}

static relayout_status fill_executable(const rlt_cpu_device *device, rlt_cpu_executable *made,
                                       relayout_error *error) {
  const rlt_problem *const problem = made->problem;
  const rlt_schedule *const schedule = made->schedule;
  const rlt_cpu_move_row *const row = rlt_cpu_move_row_of(schedule->move);
  const rlt_problem *arrived = problem;
  rlt_unpacked_tile unpacked;
  rlt_byte_run run;
  made->unpacks = row->has_tables && (schedule->loads || rlt_problem_is_unpacked_first(problem));
  if (made->unpacks) {
    rlt_unpacked_tile_make(problem, &schedule->columns, &schedule->rows,
                           rlt_unpacking_bytes(device->base.facts.staging_bytes), &unpacked);
    arrived = &unpacked.problem;
  }
  made->narrows = made->unpacks && rlt_problem_narrows(problem);
  made->kernels = device->instructions->kernels[rlt_word_size_number(arrived->element_bytes)];
  made->merges = !rlt_problem_byte_run(problem, &run);
  made->encodes = rlt_problem_is_encoded_last(arrived);
  made->streams_encoded = made->encodes && problem->destination_packed == 0 && !problem->shuffles &&
                          schedule->streamed && !schedule->combined;
  made->grid = rlt_grid_create(problem, &schedule->columns, &schedule->rows);
  if (made->grid == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the grid of a plan's tiles");
  }
  set_frame(schedule, arrived, &made->frame);
  set_order(made);
  relayout_status status = RELAYOUT_OK;
  if ((rlt_problem_is_encoded_last(problem) || problem->source_packed > 0) && !row->converts) {
    status = rlt_cpu_codec_create(device->instructions, problem, &made->codec, error);
  }
  if (status == RELAYOUT_OK && row->has_tables) {
    status = set_tables(device, &unpacked, made, error);
  }
  made->is_buffered = schedule->buffered;
  made->move = row->mover(made);
  set_copy(made);
  return status;
}

relayout_status rlt_cpu_executable_create(relayout_device *device, const rlt_schedule *schedule,
                                          void **executable_made, int64_t *most_group_size,
                                          relayout_error *error) {
  (void)most_group_size; /* a worker moves tiles alone */
  const rlt_cpu_device *const own = (const rlt_cpu_device *)device;
  rlt_cpu_executable *const made = rlt_aligned_alloc(_Alignof(rlt_cpu_executable), sizeof *made);
  if (made == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan's executable of %zu bytes",
                    sizeof *made);
  }
  *made = (rlt_cpu_executable){.schedule = schedule,
                               .problem = schedule->problem,
                               .source_bits = rlt_problem_source_bits(schedule->problem),
                               .destination_bits = rlt_problem_destination_bits(schedule->problem),
                               .source_bytes = (int64_t)rlt_problem_source_size(schedule->problem),
                               .lines = own->instructions->lines,
                               .shuffle = own->instructions->rows->shuffle};
  const relayout_status status = fill_executable(own, made, error);
  if (status != RELAYOUT_OK) {
    rlt_cpu_executable_destroy(device, made);
    return status;
  }
  *executable_made = made;
  return RELAYOUT_OK;
}

void rlt_cpu_executable_destroy(relayout_device *device, void *executable_made) {
  (void)device;
  rlt_cpu_executable *made = executable_made;
  rlt_cpu_tables_free(made);
  rlt_cpu_codec_destroy(made->codec);
  rlt_free(made->grid);
  rlt_free(made);
}

size_t rlt_cpu_executable_host_bytes(const void *executable_made) {
  const rlt_cpu_executable *const made = executable_made;
  return sizeof *made + rlt_grid_bytes(made->grid) + rlt_cpu_tables_bytes(made) +
         rlt_cpu_codec_bytes(made->codec);
}

void rlt_cpu_executable_describe(const relayout_device *device, const void *executable_made,
                                 rlt_text *text) {
  const rlt_cpu_executable *made = executable_made;
  const rlt_schedule *const schedule = made->schedule;
  const int64_t tiles = made->grid->tile_count;
  rlt_text_add(
      text,
      "%s of %" PRId64 "-byte words in %" PRId64 " tile%s of %" PRId64 " x %" PRId64
      "%s%s, %" PRId64 " block%s on %" PRId32 " thread%s with %s",
      rlt_move_name(schedule->move), made->frame.element_bytes, tiles, tiles == 1 ? "" : "s",
      rlt_group_length(&schedule->rows), rlt_group_length(&schedule->columns),
      schedule->buffered ? " put together first" : "", schedule->streamed ? ", past the cache" : "",
      made->order.block_count, made->order.block_count == 1 ? "" : "s", schedule->threads,
      schedule->threads == 1 ? "" : "s", ((const rlt_cpu_device *)device)->instructions->name);
}
