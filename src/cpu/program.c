/* program.c: choosing the tile functions of a plan, and running them over its grid.
 *
 * A program is constant once it is made; all that changes during a call lives on that call's stack.
 */
#include "cpu/program.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "cpu/kernels.h"
#include "cpu/walk.h"
#include "plan/grid.h"

/* What a tile at given digits adds up to in one guard of the problem. */
typedef struct program_guard {
  int64_t column_weight;
  int64_t loop_weights[RLT_MAX_AXES];
  int64_t size;
} program_guard;

typedef struct program {
  const rlt_problem *problem;
  const rlt_strategy *strategy;
  rlt_grid grid;
  rlt_cpu_frame frame;
  rlt_cpu_kernel *move;
  rlt_cpu_kernel *fill; /* NULL when the rest is left alone */
  int32_t guard_count;
  program_guard *guards;
  ptrdiff_t *offsets; /* what the frame's tables point into */
  int32_t workers;
  int64_t chunk_tiles; /* what a worker takes at a time */
} program;

/* ---- Tiles ---- */

/* What an element of these bytes takes to be transposed: eight or sixteen of a byte or two go in one
 * register. */
static double block_rate(int64_t element_bytes) {
  return element_bytes <= 2 ? 0.006 : 0.011 * (double)element_bytes;
}

rlt_traits rlt_cpu_traits(const relayout_device *device, int64_t element_bytes) {
  (void)device;
  const int64_t block = RLT_CPU_BLOCK_TILE_BYTES / element_bytes;
  return (rlt_traits){
      /* A cache line: what memory moves at least, and enough for memcpy to be worth its call. */
      .line_bytes = 64,
      /* memcpy is at its best from 256 KiB a call, and a megabyte still makes work for four. */
      .run_columns_bytes = 256 * 1024,
      /* Enough short runs that finding the next tile costs nothing beside them. */
      .run_tile_bytes = 64 * 1024,
      /* 256 bytes on a side: four whole lines of each row and column, at most 256 pages on either
       * side, which second-level TLBs hold, and 64 KiB (u8) down to 4 KiB (c128), which second-level
       * caches do. */
      .transpose_rows = block,
      .transpose_columns = block,
      /* A stage, and with it the lines of source or destination, fits a first-level cache. */
      .packed_tile_bytes = RLT_CPU_TABLE_STAGE_BYTES,
      .rates = {.line_again = 0.5,
                .line_in_parts = 1,
                .block = block_rate(element_bytes),
                .element = 0.045,
                .page = 2.3},
  };
}

/* ---- Making a program ---- */

/* Below this many bytes per worker a call stays on fewer threads: they are moved in ten to twenty
 * microseconds, which is about what waking a sleeping thread takes. */
enum { WORKER_BYTES = 128 * 1024 };

/* Each worker takes its share in this many parts, so that one that is held up does not hold up the
 * call. */
enum { CHUNKS_PER_WORKER = 8 };

static void divide_work(const rlt_cpu_device *device, program *made) {
  int64_t bytes = made->problem->element_bytes;
  for (int32_t a = 0; a < made->problem->axis_count; ++a) {
    bytes *= made->problem->axes[a].extent;
  }
  const int64_t tiles = made->grid.tile_count;
  int64_t workers = rlt_min(device->threads, bytes / WORKER_BYTES);
  workers = rlt_max(rlt_min(workers, tiles), 1);
  made->workers = (int32_t)workers;
  made->chunk_tiles = workers == 1 ? tiles : rlt_divide_up(tiles, workers * CHUNKS_PER_WORKER);
}

static ptrdiff_t stride_of(const rlt_problem *problem, const rlt_group *group, bool source) {
  if (group->axis_count == 0) {
    return 0;
  }
  const rlt_axis *axis = &problem->axes[group->axes[0]];
  const int64_t stride = source ? axis->source_stride : axis->destination_stride;
  return (ptrdiff_t)(stride * problem->element_bytes);
}

static void set_frame(const rlt_problem *problem, const rlt_strategy *strategy,
                      rlt_cpu_frame *frame) {
  frame->source_row = stride_of(problem, &strategy->rows, true);
  frame->source_column = stride_of(problem, &strategy->columns, true);
  frame->destination_row = stride_of(problem, &strategy->rows, false);
  frame->destination_column = stride_of(problem, &strategy->columns, false);
  memcpy(frame->fill, problem->fill, sizeof frame->fill);
  frame->uniform_fill = true;
  for (int64_t i = 1; i < problem->element_bytes; ++i) {
    frame->uniform_fill = frame->uniform_fill && problem->fill[i] == problem->fill[0];
  }
}

/* Sorts the positions of a group by whether they have a source. `offsets` has room for four times
 * their number; `sources` and `destinations` come from rlt_group_offsets. */
static void set_table(int64_t element_bytes, const rlt_group *group, const int64_t *sources,
                      const int64_t *destinations, ptrdiff_t *offsets, rlt_cpu_table *table) {
  const int64_t length = rlt_group_length(group);
  *table = (rlt_cpu_table){.inner = group->inner,
                           .all = offsets,
                           .from = offsets + length,
                           .to = offsets + 2 * length,
                           .holes = offsets + 3 * length};
  int64_t moved = 0;
  for (int64_t p = 0; p < length; ++p) {
    table->all[p] = (ptrdiff_t)(destinations[p] * element_bytes);
    if (sources[p] == RLT_NO_SOURCE) {
      table->holes[p - moved] = table->all[p];
    } else {
      table->from[moved] = (ptrdiff_t)(sources[p] * element_bytes);
      table->to[moved] = table->all[p];
      ++moved;
    }
    if (p == group->inner - 1) {
      table->moved_inner = moved;
    }
  }
}

/* Whether the offsets count up element by element. */
static bool is_dense(const ptrdiff_t *offsets, int64_t count, int64_t element_bytes) {
  for (int64_t i = 0; i < count; ++i) {
    if (offsets[i] != i * element_bytes) {
      return false;
    }
  }
  return true;
}

static relayout_status set_tables(program *made, relayout_error *error) {
  const rlt_group *columns = &made->strategy->columns;
  const rlt_group *rows = &made->strategy->rows;
  const size_t column_count = (size_t)rlt_group_length(columns);
  const size_t row_count = (size_t)rlt_group_length(rows);
  const size_t most = column_count > row_count ? column_count : row_count;
  made->offsets = calloc(4 * (column_count + row_count), sizeof *made->offsets);
  int64_t *positions = calloc(2 * most, sizeof *positions);
  if (made->offsets == NULL || positions == NULL) {
    free(positions);
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY,
                    "no memory for the offsets of a tile of %zu x %zu", row_count, column_count);
  }
  const int64_t element_bytes = made->problem->element_bytes;
  rlt_group_offsets(made->problem, columns, positions, positions + most);
  set_table(element_bytes, columns, positions, positions + most, made->offsets,
            &made->frame.columns);
  rlt_group_offsets(made->problem, rows, positions, positions + most);
  set_table(element_bytes, rows, positions, positions + most, made->offsets + 4 * column_count,
            &made->frame.rows);
  free(positions);
  rlt_cpu_frame *frame = &made->frame;
  frame->dense_columns =
      is_dense(frame->columns.to, columns->block * frame->columns.moved_inner, element_bytes);
  frame->dense_rows =
      is_dense(frame->rows.from, rows->block * frame->rows.moved_inner, element_bytes);
  return RELAYOUT_OK;
}

/* A stage pays from so many rows on; see the kernel. */
enum { STAGED_ROWS = 8 };

static relayout_status set_table_kernels(program *made, const rlt_cpu_kernels *kernels,
                                         relayout_error *error) {
  const rlt_strategy *strategy = made->strategy;
  const relayout_status status = set_tables(made, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const int64_t rows = strategy->rows.block * made->frame.rows.moved_inner;
  const int64_t tile_bytes = rlt_group_length(&strategy->rows) *
                             rlt_group_length(&strategy->columns) * made->problem->element_bytes;
  const bool staged =
      made->frame.dense_columns && rows >= STAGED_ROWS && tile_bytes <= RLT_CPU_TABLE_STAGE_BYTES;
  made->move = staged ? kernels->move_tables_staged : kernels->move_tables;
  made->fill = made->problem->fills ? kernels->fill_tables : NULL;
  return RELAYOUT_OK;
}

static relayout_status set_guards(program *made, relayout_error *error) {
  const rlt_problem *problem = made->problem;
  const rlt_group *columns = &made->strategy->columns;
  made->guard_count = problem->guard_count;
  made->guards = calloc((size_t)problem->guard_count, sizeof *made->guards);
  if (made->guards == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for %" PRId32 " guards",
                    problem->guard_count);
  }
  for (int32_t g = 0; g < problem->guard_count; ++g) {
    const int64_t *weight = problem->guards[g].weight;
    program_guard *guard = &made->guards[g];
    guard->size = problem->guards[g].size;
    guard->column_weight = columns->axis_count > 0 ? weight[columns->axes[0]] : 0;
    for (int32_t l = 0; l < made->grid.loop_count; ++l) {
      const int64_t steps = l == made->grid.columns.block_loop ? columns->block : 1;
      guard->loop_weights[l] = steps * weight[made->grid.loops[l].axis];
    }
  }
  return RELAYOUT_OK;
}

static relayout_status set_kernels(program *made, relayout_error *error) {
  const rlt_problem *problem = made->problem;
  const rlt_cpu_kernels *kernels = rlt_cpu_kernels_for(problem->element_bytes);
  const rlt_cpu_frame *frame = &made->frame;
  const ptrdiff_t element = (ptrdiff_t)problem->element_bytes;
  made->move = kernels->move_strided;
  made->fill = problem->fills ? kernels->fill_strided : NULL;
  switch (made->strategy->kind) {
  case RELAYOUT_STRATEGY_COPY:
    if (frame->source_column == element && frame->destination_column == element) {
      made->move = kernels->move_runs;
    }
    return RELAYOUT_OK;
  case RELAYOUT_STRATEGY_TRANSPOSE:
    if (frame->source_row == element && frame->destination_column == element) {
      made->move = kernels->move_blocks;
    }
    return RELAYOUT_OK;
  case RELAYOUT_STRATEGY_PACKED:
    return set_table_kernels(made, kernels, error);
  case RELAYOUT_STRATEGY_GATHER:
    return problem->guard_count > 0 ? set_guards(made, error) : RELAYOUT_OK;
  case RELAYOUT_STRATEGY_FILL:
  case RELAYOUT_STRATEGY_AUTO:
    break;
  }
  return RELAYOUT_OK;
}

relayout_status rlt_cpu_program_create(relayout_device *device, const rlt_problem *problem,
                                       const rlt_strategy *strategy, void **program_made,
                                       relayout_error *error) {
  program *made = calloc(1, sizeof *made);
  if (made == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a program of %zu bytes",
                    sizeof *made);
  }
  made->problem = problem;
  made->strategy = strategy;
  rlt_grid_make(problem, strategy, &made->grid);
  set_frame(problem, strategy, &made->frame);
  divide_work((const rlt_cpu_device *)device, made);
  const relayout_status status = set_kernels(made, error);
  if (status != RELAYOUT_OK) {
    rlt_cpu_program_destroy(device, made);
    return status;
  }
  *program_made = made;
  return RELAYOUT_OK;
}

void rlt_cpu_program_destroy(relayout_device *device, void *program_made) {
  (void)device;
  program *made = program_made;
  free(made->guards);
  free(made->offsets);
  free(made);
}

/* ---- Running ---- */

/* How many columns of a one-row tile all guards let through. Weights are not negative, so those are
 * the first ones. */
static int64_t guarded_columns(const program *made, const int64_t *digits, int64_t columns) {
  for (int32_t g = 0; g < made->guard_count; ++g) {
    const program_guard *guard = &made->guards[g];
    int64_t room = guard->size;
    for (int32_t l = 0; l < made->grid.loop_count; ++l) {
      room -= digits[l] * guard->loop_weights[l];
    }
    if (room <= 0) {
      return 0;
    }
    if (guard->column_weight > 0) {
      columns = rlt_min(columns, rlt_divide_up(room, guard->column_weight));
    }
  }
  return columns;
}

static void run_tiles(const program *made, const uint8_t *source, uint8_t *destination,
                      int64_t first, int64_t count) {
  const int64_t element_bytes = made->problem->element_bytes;
  rlt_walk walk;
  rlt_walk_start(&walk, &made->grid, first);
  for (int64_t i = 0; i < count; ++i) {
    rlt_cpu_tile tile = {.destination = destination + walk.tile.destination * element_bytes,
                         .rows = walk.tile.rows,
                         .valid_rows = walk.tile.valid_rows,
                         .columns = walk.tile.columns,
                         .valid_columns = walk.tile.valid_columns};
    if (made->guard_count > 0) {
      tile.valid_columns = guarded_columns(made, walk.digits, tile.valid_columns);
    }
    if (tile.valid_columns > 0) {
      tile.source = source + walk.tile.source * element_bytes;
      made->move(&made->frame, &tile);
    }
    if (made->fill != NULL) {
      made->fill(&made->frame, &tile);
    }
    rlt_walk_step(&walk);
  }
}

/* One call: its workers take chunks of tiles in turn until none is left. */
typedef struct run {
  const program *made;
  const uint8_t *source;
  uint8_t *destination;
  _Atomic int64_t next; /* the first tile that nobody has taken */
} run;

static void work(void *data, size_t worker) {
  (void)worker;
  run *call = data;
  const int64_t tiles = call->made->grid.tile_count;
  const int64_t chunk = call->made->chunk_tiles;
  for (;;) {
    const int64_t first = atomic_fetch_add_explicit(&call->next, chunk, memory_order_relaxed);
    if (first >= tiles) {
      return;
    }
    run_tiles(call->made, call->source, call->destination, first, rlt_min(chunk, tiles - first));
  }
}

relayout_status rlt_cpu_program_execute(relayout_device *device, const void *program_made,
                                        const void *source, void *destination,
                                        relayout_error *error) {
  (void)error;
  run call = {.made = program_made, .source = source, .destination = destination};
  atomic_init(&call.next, 0);
  rlt_cpu_run_tasks((const rlt_cpu_device *)device, call.made->workers, work, &call);
  return RELAYOUT_OK;
}

void rlt_cpu_program_describe(const relayout_device *device, const void *program_made,
                              rlt_text *text) {
  (void)device;
  const program *made = program_made;
  const int64_t tiles = made->grid.tile_count;
  rlt_text_add(text,
               "%s of %" PRId64 "-byte elements in tiles of %" PRId64 " x %" PRId64 ", %" PRId64
               " tile%s on %" PRId32 " thread%s",
               relayout_strategy_name(made->strategy->kind), made->problem->element_bytes,
               rlt_group_length(&made->strategy->rows), rlt_group_length(&made->strategy->columns),
               tiles, tiles == 1 ? "" : "s", made->workers, made->workers == 1 ? "" : "s");
}
