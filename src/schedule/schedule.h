/* schedule.h: how a problem is moved, all of it: what a backend compiles and runs, and changes
 * nothing in.
 *
 * A schedule says
 *
 *     word       the problem is stated in words of so many bytes; its own elements, or wider ones
 *     alignment  both sides' starts are multiples of so many bytes
 *     tile       the axes of its rows and columns, and how many steps of each
 *     loops      over the tiles, the innermost first
 *     pipeline   load, or unpack → convert → move → pack → store: which move, and whether stores
 *                leave from a tile buffer, past the cache, and with lines put together from
 *                several tiles
 *     prefetch   how many tiles ahead the source is fetched, and into which cache
 *     threads    who takes how many tiles at a time
 *     kernel     whether it is compiled for this problem alone
 *
 * Methods (method.h) offer schedules, the cost model ranks them, and measuring runs them.
 *
 * Depends on problem/, facts.h, blocking.h, tile.h, grid.h, loops.h and cpu/tile_buffer.h.
 */
#ifndef RLT_SCHEDULE_SCHEDULE_H
#define RLT_SCHEDULE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/tile_buffer.h"
#include "problem/problem.h"
#include "relayout/status.h"
#include "schedule/blocking.h"
#include "schedule/facts.h"
#include "schedule/grid.h"
#include "schedule/loops.h"
#include "schedule/tile.h"

struct rlt_method;
struct rlt_target;

/* X(NAME, text): how the words of a tile get from the source's order to the destination's. */
#define RLT_MOVE_TABLE(X)                                                                          \
  X(FILL, "fill")                   /* nothing is read */                                          \
  X(COPY, "copy")                   /* run by run */                                               \
  X(COPY_RUNS, "copy-runs")         /* short runs, by tables of where each lies */                 \
  X(INTERLEAVE, "interleave")       /* a few short runs side by side, joined or parted */          \
  X(TRANSPOSE, "transpose")         /* blocks change rows and columns */                           \
  X(BIT_TRANSPOSE, "bit-transpose") /* so do packed elements in their bytes */                     \
  X(PERMUTE, "permute")             /* word by word, by tables, in local memory */                 \
  X(INDEX, "index")                 /* element by element, by the axes or an index program */

typedef enum rlt_move {
#define RLT_MOVE_ENUMERATOR(name, text) RLT_MOVE_##name,
  RLT_MOVE_TABLE(RLT_MOVE_ENUMERATOR)
#undef RLT_MOVE_ENUMERATOR
      RLT_MOVES
} rlt_move;

const char *rlt_move_name(rlt_move move);

/* The relayouts of a batch in one launch, and the buffers of a side that they lie in (cl/tile.cl):
 * these and where each begins are arguments of its kernel, which have a kilobyte on every device.
 */
enum { RLT_MOST_BATCH = 32, RLT_BATCH_BUFFERS = 16 };

typedef struct rlt_schedule {
  const rlt_problem *problem; /* in the words that move; outlives the schedule */
  const struct rlt_method *method;
  const char *reason; /* one clause of English, static: why this method */
  bool suits;         /* the method is made for problems like this one */
  bool is_wide;       /* words are wider than the elements that were lowered */
  bool stays_cached;  /* no store goes past the cache: the destination is read at once */
  const struct rlt_target *target; /* the device's */

  int64_t source_alignment; /* bytes */
  int64_t destination_alignment;
  bool only_aligned; /* elements alone would ask for less */
  rlt_group columns;
  rlt_group rows;
  int64_t tile_count;
  rlt_loops loops;

  rlt_tile_blocking blocking; /* what a method asks for; the rest follows from it */
  bool loads;                 /* what a tile reads is brought together first */
  rlt_move move;
  bool buffered;
  bool streamed; /* past the cache */
  bool combined; /* lines that a tile begins are finished by those that go on with them */
  rlt_prefetch prefetch;

  int32_t threads;    /* that blocks of tiles are shared out to */
  int64_t group_size; /* work-items that share a tile */
  int64_t grain;      /* tiles that a work-group takes, one after the other */
  int32_t batch;      /* relayouts that a launch does at most; 0: it does one */
  bool specialized;   /* a kernel is compiled for this problem alone */

  rlt_tile_buffer tile_buffer; /* of tiles that go by tables in private memory */
  int64_t tile_bytes; /* what tiles that are transposed, or changed, take of local memory at most */
} rlt_schedule;

/* True if the destination does not fit the device's cache; false if it is to stay there. */
bool rlt_is_past_cache(const rlt_problem *problem, const rlt_facts *facts, bool stays_cached);

/* True if each element is looked up one by one. */
bool rlt_schedule_goes_by_index(const rlt_schedule *schedule);

/* Elements of a byte where they are packed in so many bits, of a word where they are not. */
static inline int64_t rlt_in_byte(int64_t packed) {
  return packed > 0 ? 8 / packed : 1;
}

/* RELAYOUT_INVALID_ARGUMENT for sides at these addresses or offsets, which lack the alignment that
 * the schedule needs. `whose` names who needs it. */
relayout_status rlt_schedule_fail_alignment(const rlt_schedule *schedule, const char *whose,
                                            uintptr_t source, uintptr_t destination,
                                            relayout_error *error);

/* True if both take the same steps of the same axes. */
bool rlt_groups_equal(const rlt_group *a, const rlt_group *b);

/* True if both do the same, whichever methods offered them. Both are of one problem and finished
 * for one device, so that the fields that are not compared follow from the others. */
bool rlt_schedules_equal(const rlt_schedule *a, const rlt_schedule *b);

#endif
