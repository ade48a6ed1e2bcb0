/* run.c: carrying out a program, each of its ways but the one that puts tiles together first. */
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "cpu/lookup.h"
#include "cpu/merge.h"
#include "cpu/tour.h"

/* ---- A tour ---- */

static int64_t take_block(rlt_cpu_call *call) {
  return atomic_fetch_add_explicit(&call->next, 1, memory_order_relaxed);
}

/* At the first tile of a block, if there is one left. */
static bool start_block(rlt_cpu_tour *at) {
  const rlt_order *const order = &at->call->made->order;
  if (at->block >= order->block_count) {
    return false;
  }
  rlt_walk_start(&at->walk, order, at->block);
  at->block = take_block(at->call);
  return true;
}

bool rlt_cpu_tour_step(rlt_cpu_tour *at) {
  return rlt_walk_step(&at->walk) || start_block(at);
}

rlt_cpu_tile rlt_cpu_tour_tile(const rlt_cpu_tour *at) {
  const rlt_cpu_call *const call = at->call;
  const rlt_cpu_program *const made = call->made;
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

/* ---- Ways ---- */

static void run_tables(rlt_cpu_tour *at) {
  const rlt_cpu_program *const made = at->call->made;
  do {
    const rlt_cpu_tile tile = rlt_cpu_tour_tile(at);
    made->gather(&made->frame, &tile, tile.destination);
  } while (rlt_cpu_tour_step(at));
}

static void run_straight(rlt_cpu_tour *at) {
  const rlt_cpu_program *const made = at->call->made;
  do {
    const rlt_cpu_tile tile = rlt_cpu_tour_tile(at);
    made->kernels->move_straight(&made->frame, &tile);
  } while (rlt_cpu_tour_step(at));
}

/* A stride of the program's frame, in elements. */
static ptrdiff_t in_elements(const rlt_cpu_program *made, ptrdiff_t stride) {
  return stride / (ptrdiff_t)made->problem->element_bytes;
}

/* A run whose elements change; packed ones go by a block of bytes, which stays in the cache. */
static void change_run(const rlt_cpu_program *made, const uint8_t *source, int64_t first,
                       uint8_t *destination, int64_t count) {
  enum { BLOCK = 4096 };
  const rlt_problem *const problem = made->problem;
  void (*const put)(const rlt_cpu_codec *, const uint8_t *, uint8_t *, int64_t) =
      made->frame.streams ? rlt_cpu_codec_stream : rlt_cpu_codec_encode;
  if (problem->source_packed == 0) {
    put(made->codec, source + first * problem->element_bytes, destination, count);
    return;
  }
  uint8_t unpacked[BLOCK + 2 * RLT_AROUND_RUN];
  for (int64_t i = 0; i < count; i += BLOCK) {
    const int64_t some = rlt_min(count - i, BLOCK);
    rlt_cpu_codec_decode(made->codec, source, first + i, unpacked + RLT_AROUND_RUN, some);
    put(made->codec, unpacked + RLT_AROUND_RUN,
        destination + i * rlt_problem_destination_bits(problem) / 8, some);
  }
}

static void run_changing(rlt_cpu_tour *at) {
  const rlt_cpu_program *const made = at->call->made;
  const int64_t bits = rlt_problem_destination_bits(made->problem);
  const ptrdiff_t source_row = in_elements(made, made->frame.source_row);
  const ptrdiff_t destination_row = in_elements(made, made->frame.destination_row);
  do {
    const rlt_tile *const tile = &at->walk.tile;
    for (int64_t r = 0; r < tile->valid_rows; ++r) {
      const int64_t to = (tile->destination + r * destination_row) * bits / 8;
      change_run(made, at->call->source, tile->source + r * source_row, at->call->destination + to,
                 tile->valid_columns);
    }
  } while (rlt_cpu_tour_step(at));
}

static void run_strided(rlt_cpu_tour *at) {
  const rlt_cpu_program *const made = at->call->made;
  do {
    const rlt_cpu_tile tile = rlt_cpu_tour_tile(at);
    if (tile.valid_columns > 0) {
      made->kernels->move_strided(&made->frame, &tile);
    }
    if (made->frame.fills) {
      made->kernels->fill_strided(&made->frame, &tile);
    }
  } while (rlt_cpu_tour_step(at));
}

static void run_filled(rlt_cpu_tour *at) {
  enum { BLOCK = 4096 };
  const rlt_cpu_program *const made = at->call->made;
  const rlt_problem *const problem = made->problem;
  const ptrdiff_t step_of_column = in_elements(made, made->frame.destination_column);
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
  } while (rlt_cpu_tour_step(at));
}

static void run_looked_up(rlt_cpu_tour *at) {
  const rlt_cpu_program *const made = at->call->made;
  do {
    rlt_cpu_look_up(made->problem, at->call->source, at->call->destination, &at->walk.tile,
                    in_elements(made, made->frame.source_column),
                    in_elements(made, made->frame.destination_column));
  } while (rlt_cpu_tour_step(at));
}

/* A tour over blocks that nobody has taken, until none is left. `here` is for tiles that are put
 * together. */
static void run_blocks(rlt_cpu_call *call, rlt_cpu_scratch *here) {
  const rlt_cpu_program *const made = call->made;
  rlt_cpu_tour at; /* whose walk begins with its first block */
  at.call = call;
  at.block = take_block(call);
  if (!start_block(&at)) {
    return;
  }
  switch (made->way) {
  case RLT_CPU_STRAIGHT:
    if (made->codec == NULL) {
      run_straight(&at);
    } else {
      run_changing(&at);
    }
    break;
  case RLT_CPU_STRIDED:
    run_strided(&at);
    break;
  case RLT_CPU_LOOKED_UP:
    run_looked_up(&at);
    break;
  case RLT_CPU_FILLED:
    run_filled(&at);
    break;
  case RLT_CPU_TABLES:
    run_tables(&at);
    break;
  case RLT_CPU_STAGED:
    rlt_cpu_run_staged(&at, here);
    break;
  }
  if (made->frame.streams) {
    made->kernels->finish();
  }
}

/* ---- Calls ---- */

/* The first worker's scratch is there before anything is written. Another one that gets none takes
 * no block, and leaves all to those that have one. */
static void work(void *data, size_t worker) {
  rlt_cpu_call *const call = data;
  const int64_t taken = atomic_load_explicit(&call->next, memory_order_relaxed);
  if (worker == 0 || call->own == NULL) {
    run_blocks(call, call->own);
  } else if (taken < call->made->order.block_count) {
    rlt_cpu_scratch *const here = rlt_cpu_scratch_take(call->kept_scratch);
    if (here != NULL) {
      run_blocks(call, here);
      rlt_cpu_scratch_give_back(call->kept_scratch, here);
    }
  }
}

static bool puts_together(const rlt_cpu_program *made) {
  return made->way == RLT_CPU_STAGED;
}

/* `own` may be NULL where no tile is put together. */
static void run_program(const rlt_cpu_device *device, const rlt_cpu_program *made,
                        const void *source, void *destination, rlt_cpu_scratch *own) {
  rlt_cpu_call call = {.made = made,
                       .source = source,
                       .destination = destination,
                       .kept_scratch = device->kept_scratch,
                       .own = puts_together(made) ? own : NULL};
  atomic_init(&call.next, 0);
  rlt_cpu_run_tasks(device, made->schedule->threads, work, &call);
}

/* NULL where none is needed. */
static relayout_status take_scratch(const rlt_cpu_device *device, bool is_needed,
                                    rlt_cpu_scratch **own, relayout_error *error) {
  *own = is_needed ? rlt_cpu_scratch_take(device->kept_scratch) : NULL;
  if (is_needed && *own == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory to put tiles together in, %zu bytes",
                    sizeof **own);
  }
  return RELAYOUT_OK;
}

relayout_status rlt_cpu_program_run(relayout_device *device, const void *program,
                                    const void *source, void *destination, relayout_error *error) {
  const rlt_cpu_device *const on = (const rlt_cpu_device *)device;
  rlt_cpu_scratch *own = NULL;
  const relayout_status status = take_scratch(on, puts_together(program), &own, error);
  if (status == RELAYOUT_OK) {
    run_program(on, program, source, destination, own);
    rlt_cpu_scratch_give_back(on->kept_scratch, own);
  }
  return status;
}

/* The program of a part's way for these places, where there always is one. */
static const rlt_cpu_program *program_of(const rlt_part *part, const void *source,
                                         const void *destination) {
  return rlt_part_way(part, (uintptr_t)source, (uintptr_t)destination)->program;
}

relayout_status rlt_cpu_execute(relayout_device *device, const rlt_work *all, const void *source,
                                void *destination, relayout_error *error) {
  const rlt_cpu_device *const on = (const rlt_cpu_device *)device;
  bool is_needed = false;
  for (int32_t i = 0; i < all->part_count; ++i) {
    is_needed = is_needed || puts_together(program_of(&all->parts[i], source, destination));
  }
  rlt_cpu_scratch *own = NULL;
  const relayout_status status = take_scratch(on, is_needed, &own, error);
  for (int32_t i = 0; i < all->part_count && status == RELAYOUT_OK; ++i) {
    run_program(on, program_of(&all->parts[i], source, destination), source, destination, own);
  }
  rlt_cpu_scratch_give_back(on->kept_scratch, own);
  return status;
}
