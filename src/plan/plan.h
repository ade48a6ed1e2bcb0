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

/* The most bytes from the first to the last that a chunk takes of either side; 0: any number. */
typedef struct rlt_chunk_limits {
  size_t source;
  size_t destination;
} rlt_chunk_limits;

/* What a caller wants of a plan beyond its views and the schedules asked for. */
typedef struct rlt_wish {
  const struct rlt_method *method; /* NULL: any; for tests */
  relayout_plan_effort effort;
  int32_t measured; /* schedules that are run */
  rlt_changes changes;
  rlt_chunk_limits chunks;
  bool for_batches;
  bool stages_destination; /* which is read again at once, and is to stay in the cache */
} rlt_wish;

/* What no caller asks for. */
void rlt_wish_clear(rlt_wish *wish);

bool rlt_wish_equal(const rlt_wish *a, const rlt_wish *b);

/* What it asks for of the schedules that are offered. */
static inline rlt_offers_request rlt_wish_offers(const rlt_wish *wish) {
  return (rlt_offers_request){wish->method, wish->stages_destination};
}

/* A caller's options, of whatever version, checked: `*read` becomes the copy of them, or the
 * defaults for NULL, which take no time. RELAYOUT_INVALID_ARGUMENT, RELAYOUT_UNSUPPORTED. */
relayout_status rlt_options_read(const relayout_plan_options *options, relayout_plan_options *copy,
                                 const relayout_plan_options **read, relayout_error *error);

/* What checked options ask for. */
rlt_wish rlt_wish_of(const relayout_plan_options *options);

/* The schedules that a caller asks for, a text for each part; or none. */
typedef struct rlt_texts {
  int32_t count;
  const char *const *of;
} rlt_texts;

/* A box of a plan: what another plan moves, so many bytes further on on either side. Boxes that are
 * alike share that plan. */
typedef struct rlt_chunk {
  const relayout_plan *plan;
  int64_t source;
  int64_t destination;
} rlt_chunk;

struct relayout_plan {
  relayout_device *device; /* held */
  atomic_int holders;      /* those who created it, and the cache */
  relayout_view from;      /* strides are set where it is strided */
  relayout_view to;
  rlt_index_box *box; /* that is moved of them; NULL: all */
  rlt_wish wish;
  /* Bytes from the caller's pointer or offset to the lowest of either side: the view's offset, less
   * what strides below 0 reach. */
  int64_t source_lowest;
  int64_t destination_lowest;
  rlt_work work;
  rlt_index_program *index_program; /* of a part's problem; NULL for most */
  /* What it is cut into for sides that go through staging (chunks.h); mostly nothing. */
  size_t chunk_count;
  rlt_chunk *chunks;
  size_t chunk_plan_count;
  relayout_plan **chunk_plans;
  /* The same on the one other device that its device has for what it does not do itself, made when
   * that is wanted first; or NULL. */
  _Atomic(relayout_plan *) elsewhere;
};

/* A plan of nobody's but the caller's: relayout_plan_create without the device's cache. */
relayout_status rlt_plan_create(relayout_device *device, const relayout_shape *from,
                                const relayout_shape *to, const rlt_wish *wish, rlt_texts schedules,
                                relayout_plan **plan, relayout_error *error);

/* A plan for a problem that did not come from views; from and to are zeroed. For testing what no
 * pair of views lowers to. The problem is simplified here; the sizes are its element counts. */
relayout_status rlt_plan_create_for_problem(relayout_device *device, const rlt_problem *problem,
                                            const rlt_wish *wish, rlt_texts schedules,
                                            relayout_plan **plan, relayout_error *error);

/* What a box of a plan lowers to, the problem that writes the most bytes first. The statuses of
 * relayout_plan_create_range; what is made is freed after a failure too. */
relayout_status rlt_plan_lower_box(const relayout_plan *whole, const rlt_index_box *box,
                                   rlt_lowered *made, relayout_error *error);

/* A plan for a box of what another plan moves. The statuses of relayout_plan_create_range. */
relayout_status rlt_plan_create_box(const relayout_plan *whole, const rlt_index_box *box,
                                    relayout_plan **plan, relayout_error *error);

/* Whether it leaves host memory to the CPU that its device has for that: not where somebody asked
 * for its schedules. */
bool rlt_plan_leaves_host_memory(const relayout_plan *plan);

/* The same plan on another device of its device's, always the same one, for any schedules: made
 * when it is wanted first, and the plan's as long as that is there. What is wrong with making it.
 */
relayout_status rlt_plan_elsewhere(const relayout_plan *plan, relayout_device *device,
                                   relayout_plan **found, relayout_error *error);

/* The plan that moves host memory: this one, or the same on the CPU that its device has for that.
 * It is the plan's, as long as that is there. What is wrong with making it. */
relayout_status rlt_plan_for_host_memory(const relayout_plan *plan, const relayout_plan **found,
                                         relayout_error *error);

/* What is offered for a part, the best predicted first; nothing after a failure.
 * RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_plan_offers(const relayout_plan *plan, int32_t part, rlt_offers *offers,
                                relayout_error *error);

/* Whether every part has a way for sides whose lowest bytes lie at these addresses or offsets: one
 * that was asked for may want more alignment. RELAYOUT_INVALID_ARGUMENT. */
relayout_status rlt_plan_check_places(const relayout_plan *plan, uintptr_t source,
                                      uintptr_t destination, relayout_error *error);

/* What all parts take, in bytes. */
typedef struct rlt_totals {
  int64_t read;
  int64_t written;
  int64_t padding; /* of those written */
} rlt_totals;

rlt_totals rlt_plan_totals(const relayout_plan *plan);

/* Memory that it and its chunks hold: the device's beside the code of kernels, and the host's. */
uint64_t rlt_plan_device_bytes(const relayout_plan *plan);
uint64_t rlt_plan_host_bytes(const relayout_plan *plan);

#endif
