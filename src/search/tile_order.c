/* tile_order.c: reads an order field by field, and checks each against the schedule's tiles. */
#include "search/tile_order.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/error.h"

enum { MOST_LEVEL = 3 /* of the caches */ };

/* ---- Loops ---- */

typedef struct loops_reader {
  rlt_word all; /* for messages */
  rlt_grid grid;
  rlt_loops made;
  relayout_error *error;
} loops_reader;

static relayout_status fail_loops(const loops_reader *at, const char *rule, int64_t axis) {
  return rlt_fail(at->error, RELAYOUT_UNSUPPORTED, "schedule: `loops=%s`: axis %" PRId64 " %s",
                  rlt_word_shown(at->all).text, axis, rule);
}

static bool is_among(const uint8_t *axes, int32_t count, int64_t axis) {
  for (int32_t i = 0; i < count; ++i) {
    if (axes[i] == axis) {
      return true;
    }
  }
  return false;
}

/* The number of the loop over the axis that a word names. */
static relayout_status find_loop(const loops_reader *at, rlt_word name, int32_t *loop) {
  int64_t axis = -1;
  if (!rlt_word_number(name, 0, RLT_MAX_AXES - 1, &axis)) {
    return rlt_fail(at->error, RELAYOUT_UNSUPPORTED,
                    "schedule: `loops=%s`: expected axes as numbers, those within a block with "
                    "`:n` iterations, then `/` and those over blocks",
                    rlt_word_shown(at->all).text);
  }
  *loop = rlt_grid_loop_of(&at->grid, (int32_t)axis);
  return *loop >= 0 ? RELAYOUT_OK : fail_loops(at, "is not cut into tiles", axis);
}

static relayout_status read_inner(loops_reader *at, rlt_word word) {
  rlt_word count = word;
  const rlt_word name = rlt_word_cut(&count, ':');
  int32_t loop;
  const relayout_status status = find_loop(at, name, &loop);
  if (status != RELAYOUT_OK) {
    return status;
  }
  rlt_loops *const made = &at->made;
  const int32_t axis = at->grid.loops[loop].axis;
  if (is_among(made->inner, made->inner_count, axis)) {
    return fail_loops(at, "is given twice within a block", axis);
  }
  made->inner[made->inner_count] = (uint8_t)axis;
  const int64_t tiles = at->grid.loops[loop].count;
  if (!rlt_word_number(count, 2, tiles, &made->inside[made->inner_count])) {
    return rlt_fail(at->error, RELAYOUT_UNSUPPORTED,
                    "schedule: `loops=%s`: axis %" PRId32 " has %" PRId64
                    " tiles, of which a block takes 2 to %" PRId64,
                    rlt_word_shown(at->all).text, axis, tiles, tiles);
  }
  ++made->inner_count;
  return RELAYOUT_OK;
}

static relayout_status read_outer(loops_reader *at, rlt_word word) {
  int32_t loop;
  const relayout_status status = find_loop(at, word, &loop);
  if (status != RELAYOUT_OK) {
    return status;
  }
  rlt_loops *const made = &at->made;
  const int32_t axis = at->grid.loops[loop].axis;
  if (is_among(made->outer, made->outer_count, axis)) {
    return fail_loops(at, "is given twice over blocks", axis);
  }
  if (rlt_loops_inside(&at->grid, made, loop) == at->grid.loops[loop].count) {
    return fail_loops(at, "is within a block as a whole, and not over blocks", axis);
  }
  made->outer[made->outer_count++] = (uint8_t)axis;
  return RELAYOUT_OK;
}

/* All axes of a list that has no other words. */
static relayout_status read_list(loops_reader *at, rlt_word list,
                                 relayout_status (*read)(loops_reader *at, rlt_word word)) {
  relayout_status status = RELAYOUT_OK;
  while (list.length > 0 && status == RELAYOUT_OK) {
    status = read(at, rlt_word_cut(&list, ','));
  }
  return status;
}

static relayout_status check_all_are_there(const loops_reader *at) {
  for (int32_t l = 0; l < at->grid.loop_count; ++l) {
    const int32_t axis = at->grid.loops[l].axis;
    if (rlt_loops_inside(&at->grid, &at->made, l) < at->grid.loops[l].count &&
        !is_among(at->made.outer, at->made.outer_count, axis)) {
      return fail_loops(at, "has tiles left, and is not among the loops over blocks", axis);
    }
  }
  return RELAYOUT_OK;
}

static relayout_status read_loops(rlt_word loops, rlt_schedule *schedule, relayout_error *error) {
  loops_reader at = {.all = loops, .error = error};
  rlt_grid_make(schedule->problem, &schedule->columns, &schedule->rows, &at.grid);
  rlt_word outer = loops;
  const rlt_word inner = rlt_word_cut(&outer, '/');
  relayout_status status = RELAYOUT_OK;
  if (!rlt_word_is(loops, "-")) {
    status = read_list(&at, inner, read_inner);
  }
  if (status == RELAYOUT_OK) {
    status = read_list(&at, outer, read_outer);
  }
  if (status == RELAYOUT_OK) {
    status = check_all_are_there(&at);
  }
  if (status == RELAYOUT_OK) {
    schedule->loops = at.made;
  }
  return status;
}

/* ---- The other fields ---- */

static relayout_status read_prefetch(rlt_word prefetch, rlt_schedule *schedule,
                                     relayout_error *error) {
  rlt_word level = prefetch;
  int64_t tiles = 0, into = 0;
  if (prefetch.length > 0 &&
      (!rlt_word_number(rlt_word_cut(&level, ':'), 1, RLT_MOST_TILES_AHEAD, &tiles) ||
       !rlt_word_number(level, 1, MOST_LEVEL, &into))) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "schedule: `prefetch=%s`: expected 1 to %d tiles ahead, a colon, and a level "
                    "of the caches from 1 to %d",
                    rlt_word_shown(prefetch).text, RLT_MOST_TILES_AHEAD, MOST_LEVEL);
  }
  if (tiles > 0 && !schedule->buffered) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "schedule: `prefetch=%s`: tiles that go straight to the destination fetch "
                    "nothing ahead",
                    rlt_word_shown(prefetch).text);
  }
  schedule->prefetch = (rlt_prefetch){(int32_t)tiles, (int32_t)into};
  return RELAYOUT_OK;
}

static relayout_status read_threads(const rlt_facts *facts, rlt_word threads,
                                    rlt_schedule *schedule, relayout_error *error) {
  int64_t number = 1;
  if (threads.length > 0 && !rlt_word_number(threads, 1, facts->threads, &number)) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                    "schedule: `threads=%s`: expected 1 to the device's %" PRId32,
                    rlt_word_shown(threads).text, facts->threads);
  }
  schedule->threads = (int32_t)number;
  return RELAYOUT_OK;
}

relayout_status rlt_tile_order_read(const rlt_facts *facts, const rlt_tile_order_text *text,
                                    rlt_schedule *schedule, relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  if (!schedule->combined) {
    status = read_loops(text->loops, schedule, error);
  }
  if (status == RELAYOUT_OK) {
    status = read_prefetch(text->prefetch, schedule, error);
  }
  return status == RELAYOUT_OK ? read_threads(facts, text->threads, schedule, error) : status;
}
