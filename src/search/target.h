/* target.h: what a target is to the search: how problems are stated for it, which schedules may
 * move them there, and what each takes. There are two: CPUs, whose workers move tiles by themselves
 * (cpu/), and GPUs, whose work-groups share them (gpu/). What compiles and runs a schedule is apart
 * from it, in device/target.h.
 *
 * Depends on method.h, candidates.h and problem/.
 */
#ifndef RLT_SEARCH_TARGET_H
#define RLT_SEARCH_TARGET_H

#include "problem/lower.h"
#include "search/candidates.h"
#include "search/cost.h"
#include "search/method.h"

/* A method of this target: it offers no candidate for a problem to which it does not apply. */
typedef struct rlt_method_row {
  const rlt_method *method;
  void (*offer)(const rlt_scene *scene, rlt_candidates *candidates);
} rlt_method_row;

typedef struct rlt_target {
  const char *name;
  rlt_packing packing; /* how packed elements are written */

  /* Where several methods suit a problem, the first does before it is known what each takes. Ends
   * with NULL. */
  const rlt_method_row *methods;

  /* Restates a problem in wider words, if that is worth it. */
  void (*widen)(const rlt_facts *facts, rlt_problem *problem);

  /* For schedules that callers ask for: works out what follows from a schedule's tile, before it is
   * finished; and checks a finished one, with a tile and an order of any kind. RELAYOUT_UNSUPPORTED
   * names the rule that is broken. */
  relayout_status (*lay_out)(const rlt_facts *facts, rlt_schedule *schedule, relayout_error *error);
  relayout_status (*check)(const rlt_facts *facts, const rlt_schedule *schedule,
                           relayout_error *error);

  /* True if this move reads tables of the positions of a tile's rows and columns. */
  bool (*has_tables)(rlt_move move);

  /* rlt_schedule_finish. */
  bool (*finish)(const rlt_facts *facts, const rlt_tuning *tuning, bool combines,
                 rlt_schedule *schedule);

  /* Adds what differs from a candidate in one respect; NULL where nothing does. */
  void (*vary)(const rlt_schedule *like, rlt_candidates *candidates);

  /* How many moves a schedule takes, of so many tiles, and what each is paid by. */
  double (*count_moves)(const rlt_facts *facts, const rlt_schedule *schedule, double tiles);
  rlt_price (*price_of_move)(const rlt_facts *facts, const rlt_schedule *schedule);

  /* What is paid for each element beside its move, to unpack, convert or pack it; NULL: nothing. */
  rlt_price (*price_of_rework)(const rlt_schedule *schedule);
} rlt_target;

/* True if the schedule's move reads tables of positions. */
static inline bool rlt_schedule_has_tables(const rlt_schedule *schedule) {
  return schedule->target->has_tables(schedule->move);
}

/* Fills in what the tile, the move and the device decide: stores, alignment, loops and threads.
 * Where tiles leave lines unfinished these are combined, or, unless that has to be, are not: true
 * where they are not, and could be. */
static inline bool rlt_schedule_finish(const rlt_facts *facts, const rlt_tuning *tuning,
                                       bool combines, rlt_schedule *schedule) {
  return facts->target->finish(facts, tuning, combines, schedule);
}

/* Part of finishing: fills in how many threads work on a schedule whose tile is set, each with
 * enough to do. What its blocks are to be like. */
rlt_loop_blocking rlt_schedule_share_out(const rlt_facts *facts, const rlt_tuning *tuning,
                                         const rlt_grid *grid, rlt_schedule *schedule);

#endif
