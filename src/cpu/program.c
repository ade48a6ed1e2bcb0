/* program.c: choosing the kernels of a plan, and running them over the tiles of its grid.
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
#include "cpu/arrival.h"
#include "cpu/gather.h"
#include "cpu/merge.h"
#include "cpu/rows.h"
#include "cpu/tables.h"
#include "cpu/walk.h"
#include "plan/grid.h"

/* How tiles are moved. */
typedef enum program_way {
  PROGRAM_STRAIGHT, /* run by run */
  PROGRAM_STRIDED,  /* element by element, */
  PROGRAM_GATHERED, /* or so, where elements change or steps lead to them */
  PROGRAM_FILLED,   /* with packed elements */
  PROGRAM_TABLES,   /* by tables, straight to the destination */
  PROGRAM_ASSEMBLED /* by tables, put together first */
} program_way;

typedef struct program {
  const rlt_problem *problem;
  const rlt_strategy *strategy;
  const rlt_cpu_kernels *kernels;
  program_way way;
  rlt_grid grid;
  rlt_cpu_frame frame;
  rlt_cpu_gather_kernel *gather;
  rlt_cpu_codec *codec;    /* NULL where elements stay as they are */
  rlt_cpu_arrival arrival; /* of packed elements */
  bool encodes;            /* words become other elements, or packed ones */
  bool merges;             /* assembled ones leave for bytes that other tiles write too */
  int64_t
      last_source; /* tiles that start there, or before, have a line behind all that they read */
  rlt_order order;
  rlt_order carrying; /* where lines are carried from tile to tile */
  rlt_chain chain;    /* that lines are carried along, */
  rlt_links links;    /* and its place in that order */
  bool starts_lines;  /* every segment does, if the destination does */
  int32_t workers;
} program;

enum { LINE_BYTES = RLT_CPU_LINE_BYTES };

/* ---- Making a program ---- */

/* Each worker takes its share in this many parts at least, so that one that is held up does not hold up
 * the call. */
enum { SHARES_PER_WORKER = 8 };

static void divide_work(const rlt_cpu_device *device, program *made) {
  const rlt_problem *const problem = made->problem;
  const int64_t element_bytes =
      rlt_max(problem->element_bytes, rlt_problem_destination_bytes(problem));
  int64_t bytes = element_bytes;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    bytes *= problem->axes[a].extent;
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
static void find_chain(program *made) {
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

/* Whether tiles are gathered from memory of the worker's own. */
static bool arrives_first(const rlt_problem *problem) {
  return problem->source_packed > 0 || problem->swapped_bits > 0;
}

/* What has been unpacked has room behind it. */
static int64_t last_source(const program *made) {
  const rlt_problem *const problem = made->problem;
  if (arrives_first(problem)) {
    return INT64_MAX;
  }
  return problem->source_elements - rlt_group_reach(problem, &made->strategy->columns) -
         rlt_group_reach(problem, &made->strategy->rows) - LINE_BYTES / problem->element_bytes;
}

/* Tiles whose rows are long enough to be written as they come need not be put together while they are
 * in the cache. */
static relayout_status set_tables(const rlt_cpu_device *device, program *made,
                                  relayout_error *error) {
  const rlt_problem *const problem = made->problem;
  const int64_t line = LINE_BYTES / problem->element_bytes;
  const bool copies = made->strategy->kind == RELAYOUT_STRATEGY_COPY;
  const rlt_problem *arrived = problem;
  if (arrives_first(problem)) {
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
  made->way = assembled ? PROGRAM_ASSEMBLED : PROGRAM_TABLES;
  made->gather = copies ? made->kernels->gather_runs : made->kernels->gather_turned;
  made->last_source = last_source(made);
  return rlt_cpu_tables_make(problem, arrived, made->strategy, assembled, &made->frame, error);
}

static relayout_status set_way(const rlt_cpu_device *device, program *made, relayout_error *error) {
  const rlt_problem *const problem = made->problem;
  const bool keeps = rlt_problem_keeps_elements(problem);
  if (made->strategy->kind == RELAYOUT_STRATEGY_GATHER) {
    made->way = keeps && problem->steps == NULL ? PROGRAM_STRIDED : PROGRAM_GATHERED;
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
    made->way = PROGRAM_FILLED;
    return RELAYOUT_OK;
  }
  const bool copies = made->strategy->kind == RELAYOUT_STRATEGY_COPY;
  const ptrdiff_t element = (ptrdiff_t)problem->element_bytes;
  const bool runs =
      made->frame.source_column == element && made->frame.destination_column == element;
  made->way = made->codec != NULL || (copies && runs) ? PROGRAM_STRAIGHT : PROGRAM_STRIDED;
  return RELAYOUT_OK;
}

relayout_status rlt_cpu_program_create(relayout_device *device, const rlt_problem *problem,
                                       const rlt_strategy *strategy, void **program_made,
                                       relayout_error *error) {
  const rlt_cpu_device *const own = (const rlt_cpu_device *)device;
  program *made = NULL;
  if (posix_memalign((void **)&made, _Alignof(program), sizeof *made) != 0) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a program of %zu bytes",
                    sizeof *made);
  }
  *made = (program){.problem = problem,
                    .strategy = strategy,
                    .kernels = rlt_cpu_kernels_of(own->instructions, problem->element_bytes)};
  made->frame.streams = rlt_problem_destination_size(problem) > (size_t)own->cache_bytes;
  rlt_byte_run run;
  made->merges = !rlt_problem_byte_run(problem, &run);
  made->encodes =
      problem->destination_packed > 0 || problem->conversion.from != RELAYOUT_ELEMENT_TYPE_INVALID;
  rlt_grid_make(problem, strategy, &made->grid);
  set_frame(problem, strategy, &made->frame);
  const relayout_status status = set_way(own, made, error);
  if (status != RELAYOUT_OK) {
    rlt_cpu_program_destroy(device, made);
    return status;
  }
  if (made->way == PROGRAM_ASSEMBLED && made->frame.streams) {
    find_chain(made);
  }
  divide_work(own, made);
  *program_made = made;
  return RELAYOUT_OK;
}

void rlt_cpu_program_destroy(relayout_device *device, void *program_made) {
  (void)device;
  program *made = program_made;
  rlt_cpu_tables_free(&made->frame);
  rlt_cpu_arrival_free(&made->arrival);
  rlt_cpu_codec_destroy(made->codec);
  free(made);
}

/* ---- Running ---- */

/* One call: its workers take blocks in turn until none is left. */
typedef struct run {
  const program *made;
  const uint8_t *source;
  uint8_t *destination;
  const rlt_order *order;
  bool carries;
  _Atomic int64_t next; /* the first block that nobody has taken */
} run;

/* A worker's way through its blocks. */
typedef struct tour {
  run *call;
  int64_t block; /* to go on with after this one */
  rlt_walk walk;
} tour;

static int64_t take_block(run *call) {
  return atomic_fetch_add_explicit(&call->next, 1, memory_order_relaxed);
}

/* At the first tile of a block, if there is one left. */
static bool start_block(tour *at) {
  const rlt_order *const order = at->call->order;
  if (at->block >= order->block_count) {
    return false;
  }
  rlt_walk_start(&at->walk, order, at->block);
  at->block = take_block(at->call);
  return true;
}

static bool step(tour *at) {
  return rlt_walk_step(&at->walk) || start_block(at);
}

static rlt_cpu_tile tile_at(const tour *at) {
  const run *const call = at->call;
  const program *const made = call->made;
  const int64_t source_bits = rlt_problem_source_bits(made->problem);
  const int64_t destination_bits = rlt_problem_destination_bits(made->problem);
  const rlt_tile *const tile = &at->walk.tile;
  return (rlt_cpu_tile){.source = call->source +
                                  (tile->valid_columns > 0 ? tile->source * source_bits / 8 : 0),
                        .source_end = call->source + rlt_problem_source_size(made->problem),
                        .is_near_end = tile->source > made->last_source,
                        .destination = call->destination + tile->destination * destination_bits / 8,
                        .rows = tile->rows,
                        .valid_rows = tile->valid_rows,
                        .columns = tile->columns,
                        .valid_columns = tile->valid_columns};
}

/* The memory of a worker that puts tiles together. A line may be read before a tile. */
typedef struct workshop {
  _Alignas(LINE_BYTES) uint8_t before_assembled[LINE_BYTES];
  uint8_t assembled[RLT_CPU_PACKED_ASSEMBLY_BYTES];
  uint8_t before_encoded[LINE_BYTES];
  uint8_t encoded[RLT_CPU_PACKED_ASSEMBLY_BYTES];
  uint8_t unpacked[RLT_CPU_ARRIVAL_BYTES];
  rlt_cpu_carry carry;
} workshop;

/* Puts a tile together from the source, or from what has been unpacked of it. */
static void assemble(const tour *at, const rlt_cpu_tile *tile, workshop *here) {
  const program *const made = at->call->made;
  if (!arrives_first(made->problem)) {
    made->gather(&made->frame, tile, here->assembled);
    return;
  }
  rlt_cpu_arrive(&made->arrival, made->codec, at->call->source, &at->walk.tile, here->unpacked);
  rlt_cpu_tile arrived = *tile;
  arrived.source = here->unpacked + RLT_CPU_AROUND_RUN;
  arrived.source_end = here->unpacked + sizeof here->unpacked;
  made->gather(&made->frame, &arrived, here->assembled);
}

/* Rows of fewer elements take less time together, with what lies between them, than one by one. */
enum { LONG_ROW = 256 };

/* The tile as the destination has it. */
static const uint8_t *encode(const program *made, const rlt_cpu_tile *tile, workshop *here) {
  const rlt_cpu_frame *const frame = &made->frame;
  const rlt_assembly *const assembly = &frame->assembly;
  if (made->problem->shuffles) {
    const int64_t bytes = assembly->segment_count * frame->segment_pitch;
    made->kernels->shuffle(here->assembled, rlt_divide_up(bytes, LINE_BYTES) * LINE_BYTES,
                           made->problem->shuffle);
  }
  if (!made->encodes) {
    return here->assembled;
  }
  const int64_t column_steps = tile->columns / frame->column_inner;
  const int64_t row_steps = tile->rows / frame->row_inner;
  const int64_t count =
      assembly->segment_unit * rlt_assembly_steps(assembly, column_steps, row_steps);
  const int64_t bits = rlt_problem_destination_bits(made->problem);
  if (count < LONG_ROW && frame->segment_pitch * 8 == assembly->segment_pitch * bits) {
    rlt_cpu_codec_encode(made->codec, here->assembled, here->encoded,
                         (assembly->segment_count - 1) * assembly->segment_pitch + count);
    return here->encoded;
  }
  const int64_t pitch = assembly->segment_pitch * made->problem->element_bytes;
  for (int64_t s = 0; s < assembly->segment_count; ++s) {
    const rlt_cpu_segment *const segment = &frame->segments[s];
    if (segment->column_step < column_steps && segment->row_step < row_steps) {
      rlt_cpu_codec_encode(made->codec, here->assembled + s * pitch,
                           here->encoded + s * frame->segment_pitch, count);
    }
  }
  return here->encoded;
}

/* The tile leaves for bytes that others have elements in too. */
static void merge(const run *call, const rlt_cpu_tile *tile, int64_t position, const uint8_t *next,
                  workshop *here) {
  const program *const made = call->made;
  const rlt_cpu_frame *const frame = &made->frame;
  const int64_t column_steps = tile->columns / frame->column_inner;
  const int64_t row_steps = tile->rows / frame->row_inner;
  const rlt_cpu_merging merging = {
      .problem = made->problem,
      .codec = made->codec,
      .frame = frame,
      .encoded = encode(made, tile, here),
      .destination = call->destination,
      .position = position,
      .column_steps = column_steps,
      .row_steps = row_steps,
      .count = frame->assembly.segment_unit *
               rlt_assembly_steps(&frame->assembly, column_steps, row_steps),
      .next = next};
  rlt_cpu_merge_segments(&merging, &here->carry, here->unpacked);
}

/* While one tile leaves, the next one arrives. */
static void run_assembled(tour *at) {
  const program *const made = at->call->made;
  workshop here;
  rlt_cpu_carry *const carry = &here.carry;
  carry->goes_on = false;
  carry->first = 0;
  memset(carry->held, 0, sizeof carry->held);
  rlt_cpu_tile tile = tile_at(at);
  bool goes_on = true;
  while (goes_on) {
    assemble(at, &tile, &here);
    if (at->call->carries) {
      carry->goes_on = rlt_walk_goes_on(&at->walk, made->links);
      carry->first =
          made->links.first * rlt_walk_place(&at->walk, 0) * made->frame.assembly.segment_count;
    }
    const int64_t position = at->walk.tile.destination;
    goes_on = step(at);
    const rlt_cpu_tile next = tile_at(at);
    const uint8_t *const arrives = goes_on && next.valid_columns > 0 ? next.source : NULL;
    if (made->merges) {
      merge(at->call, &tile, position, arrives, &here);
    } else {
      made->kernels->store_segments(&made->frame, &tile, encode(made, &tile, &here), carry,
                                    arrives);
    }
    tile = next;
  }
}

static void run_tables(tour *at) {
  const program *const made = at->call->made;
  do {
    const rlt_cpu_tile tile = tile_at(at);
    made->gather(&made->frame, &tile, tile.destination);
  } while (step(at));
}

static void run_straight(tour *at) {
  const program *const made = at->call->made;
  do {
    const rlt_cpu_tile tile = tile_at(at);
    made->kernels->move_straight(&made->frame, &tile);
  } while (step(at));
}

/* A run whose elements change; packed ones go by a block of bytes, which stays in the cache. */
static void change_run(const program *made, const uint8_t *source, int64_t first,
                       uint8_t *destination, int64_t count) {
  enum { BLOCK = 4096 };
  const rlt_problem *const problem = made->problem;
  void (*const put)(const rlt_cpu_codec *, const uint8_t *, uint8_t *, int64_t) =
      made->frame.streams ? rlt_cpu_codec_stream : rlt_cpu_codec_encode;
  if (problem->source_packed == 0) {
    put(made->codec, source + first * problem->element_bytes, destination, count);
    return;
  }
  uint8_t unpacked[BLOCK + 2 * RLT_CPU_AROUND_RUN];
  for (int64_t i = 0; i < count; i += BLOCK) {
    const int64_t some = rlt_min(count - i, BLOCK);
    rlt_cpu_codec_decode(made->codec, source, first + i, unpacked + RLT_CPU_AROUND_RUN, some);
    put(made->codec, unpacked + RLT_CPU_AROUND_RUN,
        destination + i * rlt_problem_destination_bits(problem) / 8, some);
  }
}

static void run_changing(tour *at) {
  const program *const made = at->call->made;
  const int64_t bits = rlt_problem_destination_bits(made->problem);
  const ptrdiff_t source_row = stride_of(made->problem, &made->strategy->rows, true);
  const ptrdiff_t destination_row = stride_of(made->problem, &made->strategy->rows, false);
  do {
    const rlt_tile *const tile = &at->walk.tile;
    for (int64_t r = 0; r < tile->valid_rows; ++r) {
      const int64_t to = (tile->destination + r * destination_row) * bits / 8;
      change_run(made, at->call->source, tile->source + r * source_row, at->call->destination + to,
                 tile->valid_columns);
    }
  } while (step(at));
}

static void run_strided(tour *at) {
  const program *const made = at->call->made;
  do {
    const rlt_cpu_tile tile = tile_at(at);
    if (tile.valid_columns > 0) {
      made->kernels->move_strided(&made->frame, &tile);
    }
    if (made->frame.fills) {
      made->kernels->fill_strided(&made->frame, &tile);
    }
  } while (step(at));
}

static void run_filled(tour *at) {
  enum { BLOCK = 4096 };
  const program *const made = at->call->made;
  const rlt_problem *const problem = made->problem;
  const ptrdiff_t step_of_column = stride_of(problem, &made->strategy->columns, false);
  const int64_t most = step_of_column == 1 ? BLOCK : 1;
  uint8_t words[BLOCK];
  uint8_t encoded[BLOCK / 2 + 1];
  memset(words, problem->fill[0], sizeof words);
  rlt_cpu_codec_encode(made->codec, words, encoded, BLOCK);
  encoded[BLOCK * problem->destination_packed / 8] = encoded[0];
  do {
    const rlt_tile *const tile = &at->walk.tile;
    for (int64_t c = 0; c < tile->columns; c += most) {
      rlt_cpu_merge_elements(problem, encoded, at->call->destination,
                             tile->destination + c * step_of_column,
                             rlt_min(tile->columns - c, most));
    }
  } while (step(at));
}

static void run_gathered(tour *at) {
  const program *const made = at->call->made;
  const rlt_group *const columns = &made->strategy->columns;
  do {
    rlt_cpu_gather(made->problem, at->call->source, at->call->destination, &at->walk.tile,
                   stride_of(made->problem, columns, true),
                   stride_of(made->problem, columns, false));
  } while (step(at));
}

static void work(void *data, size_t worker) {
  (void)worker;
  run *const call = data;
  const program *const made = call->made;
  tour at = {.call = call, .block = take_block(call)};
  if (!start_block(&at)) {
    return;
  }
  switch (made->way) {
  case PROGRAM_STRAIGHT:
    if (made->codec == NULL) {
      run_straight(&at);
    } else {
      run_changing(&at);
    }
    break;
  case PROGRAM_STRIDED:
    run_strided(&at);
    break;
  case PROGRAM_GATHERED:
    run_gathered(&at);
    break;
  case PROGRAM_FILLED:
    run_filled(&at);
    break;
  case PROGRAM_TABLES:
    run_tables(&at);
    break;
  case PROGRAM_ASSEMBLED:
    run_assembled(&at);
    break;
  }
  if (made->frame.streams) {
    made->kernels->finish();
  }
}

void rlt_cpu_program_run(relayout_device *device, const void *program_made, const void *source,
                         void *destination) {
  const program *const made = program_made;
  const bool starts_lines = made->starts_lines && (uintptr_t)destination % LINE_BYTES == 0;
  const bool carries = made->chain.count > 0 && !starts_lines;
  run call = {.made = made,
              .source = source,
              .destination = destination,
              .order = carries ? &made->carrying : &made->order,
              .carries = carries};
  atomic_init(&call.next, 0);
  rlt_cpu_run_tasks((const rlt_cpu_device *)device, call.made->workers, work, &call);
}

relayout_status rlt_cpu_execute(relayout_device *device, const rlt_work *all, const void *source,
                                void *destination, relayout_error *error) {
  (void)error;
  for (int32_t i = 0; i < all->part_count; ++i) {
    rlt_cpu_program_run(device, all->parts[i].program, source, destination);
  }
  return RELAYOUT_OK;
}

void rlt_cpu_program_describe(const relayout_device *device, const void *program_made,
                              rlt_text *text) {
  const program *made = program_made;
  const int64_t tiles = made->grid.tile_count;
  rlt_text_add(text,
               "%s of %" PRId64 "-byte elements in tiles of %" PRId64 " x %" PRId64 "%s%s, %" PRId64
               " tile%s on %" PRId32 " thread%s with %s",
               relayout_strategy_name(made->strategy->kind), made->problem->element_bytes,
               rlt_group_length(&made->strategy->rows), rlt_group_length(&made->strategy->columns),
               made->way == PROGRAM_ASSEMBLED ? " put together first" : "",
               made->frame.streams ? ", past the cache" : "", tiles, tiles == 1 ? "" : "s",
               made->workers, made->workers == 1 ? "" : "s",
               ((const rlt_cpu_device *)device)->instructions->name);
}
