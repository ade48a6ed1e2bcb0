/* sharing.c: compares what a plan's parts read with what they write. */
#include "plan/sharing.h"

/* The number of steps that all pairs of parts may try together: less than a millisecond. */
enum { MOST_STEPS = 1 << 15 };

bool rlt_plan_ranges_overlap(const relayout_plan *plan, uintptr_t source, uintptr_t destination) {
  const size_t read = rlt_bytes_size(plan->work.source_taken);
  const size_t written = rlt_bytes_size(plan->work.destination_taken);
  return read > 0 && written > 0 &&
         (source < destination ? destination - source < read : source - destination < written);
}

rlt_sharing rlt_plan_sharing(const relayout_plan *plan, uintptr_t source, uintptr_t destination) {
  const rlt_work *const work = &plan->work;
  if (!rlt_plan_ranges_overlap(plan, source, destination)) {
    return RLT_SHARES_NOTHING;
  }
  const int64_t between =
      source < destination ? (int64_t)(destination - source) : -(int64_t)(source - destination);
  const int64_t apart = between + work->source_taken.first - work->destination_taken.first;
  int64_t steps = MOST_STEPS;
  rlt_sharing found = RLT_SHARES_NOTHING;
  for (int32_t r = 0; r < work->part_count; ++r) {
    for (int32_t w = 0; w < work->part_count && found != RLT_SHARES_BYTES; ++w) {
      const rlt_sharing of_parts = rlt_problems_share_bytes(
          rlt_part_problem(&work->parts[r]), rlt_part_problem(&work->parts[w]), apart, &steps);
      found = of_parts != RLT_SHARES_NOTHING ? of_parts : found;
    }
  }
  return found;
}

const char *rlt_sharing_text(rlt_sharing sharing) {
  return sharing == RLT_SHARES_BYTES     ? ", and share bytes"
         : sharing == RLT_SHARES_UNKNOWN ? ": only their ranges could be compared"
                                         : ": their ranges are compared here, not their bytes";
}
