/* run.c: runs an executable, by each of its moves but the one that goes through a tile buffer. */
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "cpu/cpu.h"
#include "cpu/executable.h"
#include "cpu/pool.h"
#include "plan/plan.h"
#include "search/learner.h"

/* ---- A tour ---- */

/* A worker that is alone needs no locked instruction, two of which take longer than a kilobyte. */
static int64_t take_block(rlt_cpu_call *call) {
  if (call->made->schedule->threads == 1) {
    const int64_t next = atomic_load_explicit(&call->next, memory_order_relaxed);
    atomic_store_explicit(&call->next, next + 1, memory_order_relaxed);
    return next;
  }
  return atomic_fetch_add_explicit(&call->next, 1, memory_order_relaxed);
}

/* At the first tile of a block, if there is one left. */
static bool start_block(rlt_cpu_iterator *at) {
  const rlt_order *const order = &at->call->made->order;
  if (at->block >= order->block_count) {
    return false;
  }
  rlt_walk_start(&at->walk, order, at->block);
  at->block = take_block(at->call);
  return true;
}

bool rlt_cpu_iterator_step(rlt_cpu_iterator *at) {
  return rlt_walk_step(&at->walk) || start_block(at);
}

/* Tiles at an edge, which are less than whole, may start farther on. */
static bool is_near_end(const rlt_cpu_executable *made, const rlt_tile *tile) {
  if (tile->source <= made->last_source) {
    return false;
  }
  rlt_group columns = made->schedule->columns, rows = made->schedule->rows;
  columns.steps = rlt_divide_up(tile->valid_columns, columns.inner);
  rows.steps = rlt_divide_up(tile->valid_rows, rows.inner);
  return tile->source > rlt_cpu_last_source(made, &columns, &rows);
}

rlt_cpu_tile rlt_cpu_place_tile(const rlt_cpu_call *call, const rlt_tile *tile) {
  const rlt_cpu_executable *const made = call->made;
  const int64_t from = tile->valid_columns > 0 ? tile->source * made->source_bits / 8 : 0;
  return (rlt_cpu_tile){.at = tile,
                        .source = call->source + from,
                        .source_end = call->source + made->source_bytes,
                        .is_near_end = is_near_end(made, tile),
                        .destination =
                            call->destination + tile->destination * made->destination_bits / 8};
}

/* ---- Moves ---- */

static void move_by_tables(const rlt_cpu_call *call, const rlt_tile *tile) {
  const rlt_cpu_executable *const made = call->made;
  const rlt_cpu_tile placed = rlt_cpu_place_tile(call, tile);
  made->fill_tile(&made->frame, &placed, placed.destination);
}

void rlt_cpu_move_straight(const rlt_cpu_call *call, const rlt_tile *tile) {
  const rlt_cpu_tile placed = rlt_cpu_place_tile(call, tile);
  call->made->lines->move_straight(&call->made->frame, &placed);
}

static void move_strided(const rlt_cpu_call *call, const rlt_tile *tile) {
  const rlt_cpu_executable *const made = call->made;
  const rlt_cpu_tile placed = rlt_cpu_place_tile(call, tile);
  if (tile->valid_columns > 0) {
    made->lines->move_strided(&made->frame, &placed);
  }
  if (made->frame.fills) {
    made->lines->fill_strided(&made->frame, &placed);
  }
}

/* A stride of the executable's frame, in elements. */
static int64_t in_elements(const rlt_cpu_executable *made, int64_t stride) {
  return stride / (int64_t)made->problem->element_bytes;
}

/* A run whose elements change; packed ones go by a block of bytes, which stays in the cache. */
static void change_run(const rlt_cpu_executable *made, const uint8_t *source, int64_t first,
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

/* A run that is read next, and so short that processors do not foresee it in time. */
static void fetch_run(const uint8_t *from, int64_t bytes) {
  enum { MOST = 1024 };
  for (int64_t i = 0; i < bytes && bytes <= MOST; i += RLT_CPU_LINE_BYTES) {
    __builtin_prefetch(from + i);
  }
}

static void change_runs(const rlt_cpu_call *call, const rlt_tile *tile) {
  enum { AHEAD = 8 };
  const rlt_cpu_executable *const made = call->made;
  const int64_t bits = rlt_problem_destination_bits(made->problem);
  const int64_t run_bytes = tile->valid_columns * made->source_bits / 8;
  const int64_t source_row = in_elements(made, made->frame.source_row);
  const int64_t destination_row = in_elements(made, made->frame.destination_row);
  for (int64_t r = 0; r < tile->valid_rows; ++r) {
    const int64_t from = tile->source + r * source_row;
    const int64_t to = tile->destination + r * destination_row;
    if (r + AHEAD < tile->valid_rows) {
      fetch_run(call->source + (from + AHEAD * source_row) * made->source_bits / 8, run_bytes);
    }
    change_run(made, call->source, from, call->destination + to * bits / 8, tile->valid_columns);
  }
}

static void fill_packed(const rlt_cpu_call *call, const rlt_tile *tile) {
  enum { BYTES = 512 };
  const rlt_cpu_executable *const made = call->made;
  const rlt_problem *const problem = made->problem;
  const int64_t step = in_elements(made, made->frame.destination_column);
  const int64_t most = step == 1 ? 8 * BYTES / problem->destination_packed : 1;
  const int ones = (1 << problem->destination_packed) - 1;
  uint8_t filled[BYTES + 1];
  memset(filled, (problem->fill[0] & ones) * (0xff / ones), sizeof filled);
  for (int64_t c = 0; c < tile->columns; c += most) {
    rlt_cpu_merge_elements(problem, filled, call->destination, tile->destination + c * step,
                           rlt_min(tile->columns - c, most));
  }
}

/* ---- Movers ---- */

rlt_cpu_move *rlt_cpu_fill_mover(const rlt_cpu_executable *made) {
  return made->problem->destination_packed > 0 ? fill_packed : move_strided;
}

rlt_cpu_move *rlt_cpu_copy_mover(const rlt_cpu_executable *made) {
  return made->codec != NULL      ? change_runs
         : rlt_cpu_is_dense(made) ? rlt_cpu_move_straight
                                  : move_strided;
}

rlt_cpu_move *rlt_cpu_table_mover(const rlt_cpu_executable *made) {
  (void)made;
  return move_by_tables;
}

rlt_cpu_move *rlt_cpu_index_mover(const rlt_cpu_executable *made) {
  const rlt_problem *const problem = made->problem;
  const bool keeps = rlt_problem_keeps_elements(problem) && problem->index_program == NULL;
  return keeps ? move_strided : rlt_cpu_look_up;
}

/* ---- Blocks ---- */

/* A tour over blocks that nobody has taken, until none is left. `here` is for tiles that are put
 * together. */
static void run_blocks(rlt_cpu_call *call, rlt_cpu_scratch *here) {
  const rlt_cpu_executable *const made = call->made;
  rlt_cpu_iterator at; /* whose walk begins with its first block */
  at.call = call;
  at.block = take_block(call);
  if (!start_block(&at)) {
    return;
  }
  if (made->is_buffered) {
    rlt_cpu_run_buffered(&at, here);
  } else {
    do {
      made->move(call, &at.walk.tile);
    } while (rlt_cpu_iterator_step(&at));
  }
  if (made->frame.streams) {
    made->lines->finish();
  }
}

/* ---- One tile ---- */

/* Most calls of few bytes: there is no walk to the tile, and nobody to share with. */
static void run_only_tile(const rlt_cpu_call *call) {
  const rlt_cpu_executable *const made = call->made;
  if (made->is_buffered) {
    rlt_cpu_move_buffered(call, &made->only_tile, call->own);
  } else {
    made->move(call, &made->only_tile);
  }
  if (made->frame.streams) {
    made->lines->finish();
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

static bool puts_together(const rlt_cpu_executable *made) {
  return made->is_buffered;
}

/* A single task runs on the calling thread. So does, once more, the first one behind a caller's
 * pool: it does what is left, which is nothing unless the pool left tasks out. */
void rlt_cpu_run_tasks(const rlt_cpu_device *device, int32_t count,
                       void (*task)(void *data, size_t i), void *data) {
  if (count == 1) {
    task(data, 0);
  } else if (device->parallel_for != NULL) {
    device->parallel_for(device->parallel_context, (size_t)count, task, data);
    task(data, 0);
  } else {
    rlt_pool_run(count, task, data);
  }
}

/* `own` may be NULL where no tile is put together. */
static void run_executable(const rlt_cpu_device *device, const rlt_cpu_executable *made,
                           const void *source, void *destination, rlt_cpu_scratch *own) {
  rlt_cpu_call call = {.made = made,
                       .source = source,
                       .destination = destination,
                       .kept_scratch = device->kept_scratch,
                       .own = puts_together(made) ? own : NULL,
                       .next = 0};
  if (made->grid->tile_count == 1) {
    run_only_tile(&call);
  } else {
    rlt_cpu_run_tasks(device, made->schedule->threads, work, &call);
  }
}

static relayout_status take_scratch(const rlt_cpu_device *device, rlt_cpu_scratch **own,
                                    relayout_error *error) {
  *own = rlt_cpu_scratch_take_first(device->kept_scratch);
  return *own != NULL ? RELAYOUT_OK
                      : rlt_fail(error, RELAYOUT_OUT_OF_MEMORY,
                                 "no memory for a tile buffer of %zu bytes", sizeof **own);
}

relayout_status rlt_cpu_executable_run(relayout_device *device, const void *executable,
                                       const void *source, void *destination,
                                       relayout_error *error) {
  const rlt_cpu_device *const on = (const rlt_cpu_device *)device;
  const rlt_cpu_executable *const made = executable;
  const rlt_cpu_copy *const copy = &made->copy;
  if (copy->bytes > 0) {
    memcpy((uint8_t *)destination + copy->destination, (const uint8_t *)source + copy->source,
           (size_t)copy->bytes);
    return RELAYOUT_OK;
  }
  if (!puts_together(made)) {
    run_executable(on, made, source, destination, NULL);
    return RELAYOUT_OK;
  }
  rlt_cpu_scratch *own = NULL;
  const relayout_status status = take_scratch(on, &own, error);
  if (status == RELAYOUT_OK) {
    run_executable(on, made, source, destination, own);
    rlt_cpu_scratch_give_back(on->kept_scratch, own);
  }
  return status;
}

/* The variant of a part at these addresses, where there always is one. */
static const rlt_variant *variant_of(const rlt_part *part, const void *source,
                                     const void *destination) {
  return rlt_part_variant(part, (uintptr_t)source, (uintptr_t)destination);
}

/* By the schedule that has been learned to be the fastest, or the one whose turn it is to be
 * tried. `own` is NULL, or scratch memory for whichever that is. */
static relayout_status run_part(relayout_device *device, const rlt_part *part, const void *source,
                                void *destination, rlt_cpu_scratch *own, relayout_error *error) {
  const rlt_variant *const variant = variant_of(part, source, destination);
  rlt_trial trial;
  const bool is_trial = rlt_trial_begin(device, part, variant, &trial);
  const void *const executable = is_trial ? trial.executable : rlt_variant_now(variant)->executable;
  relayout_status status = RELAYOUT_OK;
  if (own == NULL) {
    status = rlt_cpu_executable_run(device, executable, source, destination, error);
  } else {
    run_executable((const rlt_cpu_device *)device, executable, source, destination, own);
  }
  if (is_trial) {
    rlt_trial_end(device, part, variant, &trial, status == RELAYOUT_OK);
  }
  return status;
}

/* Scratch memory is there for all of them before anything is written. */
static relayout_status run_parts(relayout_device *device, const rlt_work *all, const void *source,
                                 void *destination, relayout_error *error) {
  const rlt_cpu_device *const on = (const rlt_cpu_device *)device;
  bool is_needed = false;
  for (int32_t i = 0; i < all->part_count; ++i) {
    const rlt_variant *const variant = variant_of(&all->parts[i], source, destination);
    is_needed = is_needed || variant->learner != NULL || puts_together(variant->executable);
  }
  rlt_cpu_scratch *own = NULL;
  relayout_status status = is_needed ? take_scratch(on, &own, error) : RELAYOUT_OK;
  for (int32_t i = 0; i < all->part_count && status == RELAYOUT_OK; ++i) {
    status = run_part(device, &all->parts[i], source, destination, own, error);
  }
  rlt_cpu_scratch_give_back(on->kept_scratch, own);
  return status;
}

relayout_status rlt_cpu_run(relayout_device *device, const rlt_work *all, const void *source,
                            void *destination, relayout_error *error) {
  return all->part_count == 1 ? run_part(device, &all->parts[0], source, destination, NULL, error)
                              : run_parts(device, all, source, destination, error);
}

relayout_status rlt_cpu_execute(const relayout_plan *plan, const void *source, void *destination,
                                relayout_error *error) {
  return rlt_cpu_run(plan->device, &plan->work, source, destination, error);
}
