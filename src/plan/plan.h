/* plan.h: inside a plan. Depends on device/target.h. */
#ifndef RLT_PLAN_PLAN_H
#define RLT_PLAN_PLAN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "device/target.h"
#include "plan/part.h"
#include "problem/lower.h"
#include "relayout/plan.h"

/* The most bytes that a chunk may span on either side; 0: no limit. */
typedef struct rlt_chunk_limits {
  size_t source;
  size_t destination;
} rlt_chunk_limits;

/* What a caller asks of a plan, besides its views and schedules. */
typedef struct rlt_plan_request {
  const struct rlt_method *method; /* NULL: any; for tests */
  relayout_plan_effort effort;
  int32_t measured; /* how many schedules are run */
  rlt_changes changes;
  rlt_chunk_limits chunks;
  bool for_batches;
  bool specialize;         /* work-group kernels */
  bool stages_destination; /* the destination is read soon and should stay in the cache */
} rlt_plan_request;

/* Both views of a plan. */
typedef struct rlt_plan_views {
  relayout_view from;
  relayout_view to;
} rlt_plan_views;

/* Unpacks a plan's views; they become 0 if it did not come from views. */
void rlt_plan_get_views(const relayout_plan *plan, rlt_plan_views *views);

/* The defaults. */
void rlt_plan_request_clear(rlt_plan_request *request);

bool rlt_plan_request_equal(const rlt_plan_request *a, const rlt_plan_request *b);

/* The part of the request that concerns candidates. */
static inline rlt_candidates_request rlt_plan_request_candidates(const rlt_plan_request *of) {
  return (rlt_candidates_request){of->method, of->stages_destination, of->specialize};
}

/* Checks a caller's options, of any version: `*read` becomes a copy of them, or the defaults for
 * NULL, which need no check. RELAYOUT_INVALID_ARGUMENT, RELAYOUT_UNSUPPORTED. */
relayout_status rlt_options_read(const relayout_plan_options *options, relayout_plan_options *copy,
                                 const relayout_plan_options **read, relayout_error *error);

/* The request that checked options state. */
rlt_plan_request rlt_plan_request_of(const relayout_plan_options *options);

/* The schedules that a caller gives, a text for each part; or none. */
typedef struct rlt_texts {
  int32_t count;
  const char *const *of;
} rlt_texts;

/* A box of a plan: another plan, and by how many bytes either side is shifted from it. Equal boxes
 * share that plan. */
typedef struct rlt_chunk {
  const relayout_plan *plan;
  int64_t source;
  int64_t destination;
} rlt_chunk;

struct relayout_plan {
  relayout_device *device; /* held */
  atomic_int holders;      /* references: those of callers, and the cache's */
  /* The source's and the destination's view, packed (rlt_plan_get_views); NULL if the plan did not
   * come from views. */
  int64_t *packed_views;
  int32_t packed_count;
  rlt_index_box *box; /* the part of the views that is moved; NULL: all */
  rlt_plan_request request;
  /* Bytes from the caller's pointer or offset to the lowest byte of either side: the view's offset,
   * less the reach of negative strides. */
  int64_t source_lowest;
  int64_t destination_lowest;
  /* What the offsets of buffers are multiples of: bytes of words, or of the containers of
   * elements. */
  size_t source_element_size;
  size_t destination_element_size;
  rlt_work work;
  rlt_index_program *index_program; /* of a part's problem; NULL for most */
  /* The chunks for sides that go through staging (chunks.h); usually none. */
  size_t chunk_count;
  rlt_chunk *chunks;
  size_t chunk_plan_count;
  relayout_plan **chunk_plans;
  /* The same plan on the other device that this device uses for what it does not do itself; made
   * when it is first needed; NULL until then. */
  _Atomic(relayout_plan *) elsewhere;
  /* What a plan of relayout_plan_create_many does instead of moving parts; NULL for others. */
  struct rlt_many *many;
};

/* relayout_plan_create without the device's cache: only the caller owns the plan. */
relayout_status rlt_plan_create(relayout_device *device, const relayout_shape *from,
                                const relayout_shape *to, const rlt_plan_request *request,
                                rlt_texts schedules, relayout_plan **plan, relayout_error *error);

/* Makes a plan for a problem that did not come from views. For tests of problems to which no pair
 * of views lowers. The problem is simplified here; the sizes are its element counts. */
relayout_status rlt_plan_create_for_problem(relayout_device *device, const rlt_problem *problem,
                                            const rlt_plan_request *request, rlt_texts schedules,
                                            relayout_plan **plan, relayout_error *error);

/* Lowers a box of a plan; the problem that writes the most bytes comes first. Returns the statuses
 * of relayout_plan_create_range; free the result after a failure too. */
relayout_status rlt_plan_lower_box(const relayout_plan *whole, const rlt_index_box *box,
                                   rlt_lowered *made, relayout_error *error);

/* Makes a plan for a box of another plan. Returns the statuses of relayout_plan_create_range. */
relayout_status rlt_plan_create_box(const relayout_plan *whole, const rlt_index_box *box,
                                    relayout_plan **plan, relayout_error *error);

/* Makes a plan for a box of these views, or for all of them where it is NULL. Returns the statuses
 * of relayout_plan_create_range. */
relayout_status rlt_plan_create_in(relayout_device *device, const rlt_view *from,
                                   const rlt_view *to, const rlt_index_box *box,
                                   const rlt_plan_request *request, relayout_plan **plan,
                                   relayout_error *error);

/* A plan that has neither views nor parts, for rlt_many (many.h) to do its work.
 * RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_plan_create_for_many(relayout_device *device, const rlt_plan_request *request,
                                         struct rlt_many *many, relayout_plan **plan,
                                         relayout_error *error);

/* A caller's box, of a shape that is still to be checked. RELAYOUT_INVALID_ARGUMENT for a NULL. */
relayout_status rlt_plan_read_box(const relayout_shape *shape, const int64_t *start,
                                  const int64_t *sizes, rlt_index_box *box, relayout_error *error);

/* That nothing is NULL of what plans are made of. RELAYOUT_INVALID_ARGUMENT. */
relayout_status rlt_plan_check_arguments(const relayout_device *device, const void *from,
                                         const void *to, relayout_plan *const *plan,
                                         relayout_error *error);

/* That the plan, which may be NULL, moves one side to one other: RELAYOUT_INVALID_ARGUMENT. */
relayout_status rlt_plan_check_single(const relayout_plan *plan, relayout_error *error);

/* True if the CPU backend beside the plan's device moves host memory; false if the caller gave
 * schedules. */
bool rlt_plan_leaves_host_memory(const relayout_plan *plan);

/* Finds the same plan on the other device that this device uses, with any schedules. It is made
 * when it is first needed and lives as long as the plan. Returns the statuses of making it. */
relayout_status rlt_plan_elsewhere(const relayout_plan *plan, relayout_device *device,
                                   relayout_plan **found, relayout_error *error);

/* Finds the plan that moves host memory: this one, or the same on the CPU backend beside its
 * device. It lives as long as this plan. Returns the statuses of making it. */
relayout_status rlt_plan_for_host_memory(const relayout_plan *plan, const relayout_plan **found,
                                         relayout_error *error);

/* The candidates for a part, the best predicted first; none after a failure.
 * RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_plan_candidates(const relayout_plan *plan, int32_t part,
                                    rlt_candidates *candidates, relayout_error *error);

/* Checks that every part has a schedule for sides whose lowest bytes lie at these addresses or
 * offsets: a schedule that the caller gave may need more alignment. RELAYOUT_INVALID_ARGUMENT. */
relayout_status rlt_plan_check_places(const relayout_plan *plan, uintptr_t source,
                                      uintptr_t destination, relayout_error *error);

/* The bytes that all parts read and write. */
typedef struct rlt_totals {
  int64_t read;
  int64_t written;
  int64_t padding; /* of those written */
} rlt_totals;

rlt_totals rlt_plan_totals(const relayout_plan *plan);

/* Memory of the plan and its chunks: of the device, without the code of kernels, and of the
 * host. */
uint64_t rlt_plan_device_bytes(const relayout_plan *plan);
uint64_t rlt_plan_host_bytes(const relayout_plan *plan);

#endif
