/* schedule.c: what every schedule has, whatever its target. */
#include "schedule/schedule.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"

const char *rlt_move_name(rlt_move move) {
  static const char *const names[] = {
#define MOVE_NAME(name, text) text,
      RLT_MOVE_TABLE(MOVE_NAME)
#undef MOVE_NAME
  };
  return names[move];
}

bool rlt_is_past_cache(const rlt_problem *problem, const rlt_facts *facts, bool stays_cached) {
  return !stays_cached && facts->cache_bytes > 0 &&
         rlt_problem_destination_size(problem) > (size_t)facts->cache_bytes;
}

bool rlt_schedule_goes_by_index(const rlt_schedule *schedule) {
  return schedule->move == RLT_MOVE_INDEX ||
         (schedule->move == RLT_MOVE_FILL && schedule->problem->destination_packed > 0);
}

/* ---- Comparing ---- */

static bool loops_equal(const rlt_loops *a, const rlt_loops *b) {
  const size_t inner = (size_t)a->inner_count, outer = (size_t)a->outer_count;
  return a->inner_count == b->inner_count && a->outer_count == b->outer_count &&
         memcmp(a->inner, b->inner, inner * sizeof a->inner[0]) == 0 &&
         memcmp(a->inside, b->inside, inner * sizeof a->inside[0]) == 0 &&
         memcmp(a->outer, b->outer, outer * sizeof a->outer[0]) == 0;
}

bool rlt_groups_equal(const rlt_group *a, const rlt_group *b) {
  return a->axis_count == b->axis_count && a->steps == b->steps &&
         memcmp(a->axes, b->axes, (size_t)a->axis_count * sizeof a->axes[0]) == 0;
}

bool rlt_schedules_equal(const rlt_schedule *a, const rlt_schedule *b) {
  return a->is_wide == b->is_wide && a->move == b->move &&
         rlt_groups_equal(&a->columns, &b->columns) && rlt_groups_equal(&a->rows, &b->rows) &&
         loops_equal(&a->loops, &b->loops) && a->loads == b->loads && a->buffered == b->buffered &&
         a->streamed == b->streamed && a->combined == b->combined &&
         a->prefetch.tiles == b->prefetch.tiles && a->prefetch.level == b->prefetch.level &&
         a->destination_alignment == b->destination_alignment && a->group_size == b->group_size &&
         a->specialized == b->specialized;
}

relayout_status rlt_schedule_fail_alignment(const rlt_schedule *schedule, const char *whose,
                                            uintptr_t source, uintptr_t destination,
                                            relayout_error *error) {
  const size_t source_off = (size_t)(source % (uintptr_t)schedule->source_alignment);
  const size_t destination_off = (size_t)(destination % (uintptr_t)schedule->destination_alignment);
  if (source_off != 0 && destination_off != 0) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "%s needs a source that is %" PRId64
                    "-byte aligned and a destination that is %" PRId64
                    "-byte aligned; these are off by %zu and %zu",
                    whose, schedule->source_alignment, schedule->destination_alignment, source_off,
                    destination_off);
  }
  const bool is_source = source_off != 0;
  const int64_t needed = is_source ? schedule->source_alignment : schedule->destination_alignment;
  return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                  "%s needs %s %" PRId64 "-byte aligned %s; this one is off by %zu", whose,
                  needed == 8 ? "an" : "a", needed, is_source ? "source" : "destination",
                  is_source ? source_off : destination_off);
}
