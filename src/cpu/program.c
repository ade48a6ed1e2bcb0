/* program.c: choosing the kernels for a part of a plan, and the order of its tiles. */
#include "cpu/program.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/checked.h"
#include "base/error.h"
#include "cpu/tables.h"

enum { LINE_BYTES = RLT_CPU_LINE_BYTES };

/* Each worker takes its share in this many parts at least, so that one that is held up does not hold up
 * the call. */
enum { SHARES_PER_WORKER = 8 };

static void divide_work(const rlt_cpu_device *device, rlt_cpu_program *made) {
  const rlt_problem *const problem = made->problem;
  const int64_t element_bytes =
      rlt_max(problem->element_bytes, rlt_problem_destination_bytes(problem));
  int64_t elements = 1;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    elements *= problem->axes[a].extent;
  }
  int64_t bytes = 0; /* that the elements would take if none were packed */
  if (!rlt_multiply(elements, element_bytes, &bytes)) {
    bytes = INT64_MAX;
  }
  const int64_t tiles = made->grid.tile_count;
  int64_t workers = rlt_min(device->threads, bytes / device->share_bytes);
  workers = rlt_max(rlt_min(workers, tiles), 1);
  made->workers = (int32_t)workers;
  const int64_t least = workers == 1 ? 1 : workers * SHARES_PER_WORKER;
  rlt_order_make(&made->grid, made->strategy->assembles, bytes / tiles, element_bytes, least,
                 &made->order);
  if (made->chain.count > 0) {
    const int64_t tiles_held = RLT_CPU_MOST_SEGMENTS / made->frame.assembly.segment_count;
    made->links = rlt_order_make_chained(&made->grid, &made->chain, tiles_held - 1, element_bytes,
                                         least, &made->carrying);
  }
}

/* Along which loops lines may be carried, and whether all segments begin with one. */
static void find_chain(rlt_cpu_program *made) {
  const int64_t lanes = LINE_BYTES / made->problem->element_bytes;
  const int64_t line = 8 * LINE_BYTES / rlt_problem_destination_bits(made->problem);
  const rlt_assembly *const assembly = &made->frame.assembly;
  rlt_chain_find(made->problem, &made->grid, assembly->segment_pitch - lanes, &made->chain);
  made->starts_lines = made->grid.destination_start % line == 0;
  for (int32_t l = 0; l < made->grid.loop_count; ++l) {
    made->starts_lines = made->starts_lines && made->grid.loops[l].destination_step % line == 0;
  }
  for (int64_t s = 0; s < assembly->segment_count; ++s) {
    made->starts_lines =
        made->starts_lines && made->frame.segments[s].destination % LINE_BYTES == 0;
  }
}

static ptrdiff_t stride_of(const rlt_problem *problem, const rlt_group *group, bool source) {
  if (group->axis_count == 0) {
    return 0;
  }
  const rlt_axis *axis = &problem->axes[group->axes[0]];
  return (ptrdiff_t)(source ? axis->source_stride : axis->destination_stride);
}

static void set_frame(const rlt_problem *problem, const rlt_strategy *strategy,
                      rlt_cpu_frame *frame) {
  const ptrdiff_t bytes = (ptrdiff_t)problem->element_bytes;
  const bool keeps = rlt_problem_keeps_elements(problem);
  frame->source_row = bytes * stride_of(problem, &strategy->rows, true);
  frame->source_column = bytes * stride_of(problem, &strategy->columns, true);
  frame->destination_row = bytes * stride_of(problem, &strategy->rows, false);
  frame->destination_column = bytes * stride_of(problem, &strategy->columns, false);
  frame->fills = problem->fills;
  for (int64_t i = 0; i < RLT_CPU_FILL_BYTES; ++i) {
    frame->fill[i] = (keeps ? problem->fill : problem->fill_word)[i % bytes];
  }
}

/* What has been unpacked has room behind it. */
static int64_t last_source(const rlt_cpu_program *made) {
  const rlt_problem *const problem = made->problem;
  if (made->arrives) {
    return INT64_MAX;
  }
  return problem->source_elements - rlt_group_reach(problem, &made->strategy->columns) -
         rlt_group_reach(problem, &made->strategy->rows) - LINE_BYTES / problem->element_bytes;
}

/* Tiles whose rows are long enough to be written as they come need not be put together while they are
 * in the cache. */
static relayout_status set_tables(const rlt_cpu_device *device, rlt_cpu_program *made,
                                  relayout_error *error) {
  const rlt_problem *const problem = made->problem;
  const int64_t line = LINE_BYTES / problem->element_bytes;
  const bool copies = made->strategy->kind == RELAYOUT_STRATEGY_COPY;
  const rlt_problem *arrived = problem;
  if (made->arrives) {
    const relayout_status status =
        rlt_cpu_arrival_make(device->instructions, problem, made->strategy, &made->arrival, error);
    if (status != RELAYOUT_OK) {
      return status;
    }
    arrived = &made->arrival.problem;
  }
  rlt_assembly assembly;
  rlt_assembly_make(arrived, made->strategy, line, &assembly);
  const int64_t least = copies ? line : made->kernels->block_columns;
  const bool assembled =
      !rlt_problem_keeps_elements(problem) || made->frame.streams || assembly.dense_columns < least;
  made->way = assembled ? RLT_CPU_ASSEMBLED : RLT_CPU_TABLES;
  made->gather = copies ? made->kernels->gather_runs : made->kernels->gather_turned;
  made->last_source = last_source(made);
  return rlt_cpu_tables_make(problem, arrived, made->strategy, assembled, &made->frame, error);
}

static relayout_status set_way(const rlt_cpu_device *device, rlt_cpu_program *made,
                               relayout_error *error) {
  const rlt_problem *const problem = made->problem;
  const bool keeps = rlt_problem_keeps_elements(problem);
  if (made->strategy->kind == RELAYOUT_STRATEGY_GATHER) {
    made->way = keeps && problem->steps == NULL ? RLT_CPU_STRIDED : RLT_CPU_GATHERED;
    return RELAYOUT_OK;
  }
  if (!keeps && !problem->shuffles && problem->swapped_bits == 0) {
    const relayout_status status =
        rlt_cpu_codec_create(device->instructions, problem, &made->codec, error);
    if (status != RELAYOUT_OK) {
      return status;
    }
  }
  if (made->strategy->assembles) {
    return set_tables(device, made, error);
  }
  if (rlt_problem_is_fill(problem) && problem->destination_packed > 0) {
    made->way = RLT_CPU_FILLED;
    return RELAYOUT_OK;
  }
  const bool copies = made->strategy->kind == RELAYOUT_STRATEGY_COPY;
  const ptrdiff_t element = (ptrdiff_t)problem->element_bytes;
  const bool runs =
      made->frame.source_column == element && made->frame.destination_column == element;
  made->way = made->codec != NULL || (copies && runs) ? RLT_CPU_STRAIGHT : RLT_CPU_STRIDED;
  return RELAYOUT_OK;
}

relayout_status rlt_cpu_program_create(relayout_device *device, const rlt_problem *problem,
                                       const rlt_strategy *strategy, void **program_made,
                                       relayout_error *error) {
  const rlt_cpu_device *const own = (const rlt_cpu_device *)device;
  rlt_cpu_program *made = NULL;
  if (posix_memalign((void **)&made, _Alignof(rlt_cpu_program), sizeof *made) != 0) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a program of %zu bytes",
                    sizeof *made);
  }
  *made =
      (rlt_cpu_program){.problem = problem,
                        .strategy = strategy,
                        .kernels = rlt_cpu_kernels_of(own->instructions, problem->element_bytes)};
  made->frame.streams = rlt_problem_destination_size(problem) > (size_t)own->cache_bytes;
  rlt_byte_run run;
  made->merges = !rlt_problem_byte_run(problem, &run);
  made->arrives = problem->source_packed > 0 || problem->swapped_bits > 0;
  made->encodes =
      problem->destination_packed > 0 || problem->conversion.from != RELAYOUT_ELEMENT_TYPE_INVALID;
  rlt_grid_make(problem, strategy, &made->grid);
  set_frame(problem, strategy, &made->frame);
  const relayout_status status = set_way(own, made, error);
  if (status != RELAYOUT_OK) {
    rlt_cpu_program_destroy(device, made);
    return status;
  }
  if (made->way == RLT_CPU_ASSEMBLED && made->frame.streams) {
    find_chain(made);
  }
  divide_work(own, made);
  *program_made = made;
  return RELAYOUT_OK;
}

void rlt_cpu_program_destroy(relayout_device *device, void *program_made) {
  (void)device;
  rlt_cpu_program *made = program_made;
  rlt_cpu_tables_free(&made->frame);
  rlt_cpu_arrival_free(&made->arrival);
  rlt_cpu_codec_destroy(made->codec);
  free(made);
}

void rlt_cpu_program_describe(const relayout_device *device, const void *program_made,
                              rlt_text *text) {
  const rlt_cpu_program *made = program_made;
  const int64_t tiles = made->grid.tile_count;
  rlt_text_add(text,
               "%s of %" PRId64 "-byte elements in tiles of %" PRId64 " x %" PRId64 "%s%s, %" PRId64
               " tile%s on %" PRId32 " thread%s with %s",
               relayout_strategy_name(made->strategy->kind), made->problem->element_bytes,
               rlt_group_length(&made->strategy->rows), rlt_group_length(&made->strategy->columns),
               made->way == RLT_CPU_ASSEMBLED ? " put together first" : "",
               made->frame.streams ? ", past the cache" : "", tiles, tiles == 1 ? "" : "s",
               made->workers, made->workers == 1 ? "" : "s",
               ((const rlt_cpu_device *)device)->instructions->name);
}
