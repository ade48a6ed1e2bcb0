/* planning.h: which schedules move problems on CPUs. A worker moves a tile by itself: straight, or
 * by tables of where its rows and columns lie, mostly by way of a tile buffer.
 *
 * Depends on search/ and schedule/.
 */
#ifndef RLT_CPU_PLANNING_H
#define RLT_CPU_PLANNING_H

#include "schedule/grid.h"
#include "search/target.h"

struct rlt_cpu_call;

/* Moves one tile of a call. */
typedef void rlt_cpu_move(const struct rlt_cpu_call *call, const rlt_tile *tile);

/* ---- Moves ---- */

struct rlt_cpu_executable;

/* All that is known of a move. */
typedef struct rlt_cpu_move_row {
  bool has_tables;
  bool copies_runs; /* that both sides have, instead of transposing blocks */
  bool may_load;    /* what a tile reads may be brought together first */
  bool joins;       /* channels, of which some kernels join and part a few */
  bool converts;    /* its elements, one by one, without a codec */
  rlt_rate rate;    /* of a line, of each in a block, or of an element */
  /* Chooses what moves an unbuffered tile; all else of the executable is made. */
  rlt_cpu_move *(*mover)(const struct rlt_cpu_executable *made);
} rlt_cpu_move_row;

const rlt_cpu_move_row *rlt_cpu_move_row_of(rlt_move move);

/* ---- Tiles ---- */

/* Offers `like` with tiles that go by tables, a group of axes for each side: those that the word
 * size's own runs ask for, and those of the other runs. Only tiles are offered that move as `like`
 * does. */
void rlt_cpu_offer_tiles(const rlt_scene *scene, const rlt_schedule *like,
                         rlt_candidates *candidates);

/* True if the nearest cache cannot hold a line for each of `count` places, `stride` bytes apart:
 * one of its sets has too few ways. False if the stride is 0 or the cache is unknown. */
bool rlt_cpu_are_crowded(const rlt_facts *facts, int64_t stride, int64_t count);

/* For a schedule whose move and blocking are set: true if its stores go past the cache; true if
 * what a tile reads is packed first. */
bool rlt_cpu_streams(const rlt_facts *facts, const rlt_schedule *schedule);
bool rlt_cpu_loads(const rlt_facts *facts, const rlt_schedule *schedule);

/* The same: true if elements become the destination's, which are narrower, as they are loaded. */
bool rlt_cpu_narrows_first(const rlt_facts *facts, const rlt_schedule *schedule);

/* Bytes of an element as it moves then. */
int64_t rlt_cpu_moved_bytes(const rlt_facts *facts, const rlt_schedule *schedule);

/* Fills in where a tile lies in its buffer, of a schedule with tables whose tile and move are set.
 */
void rlt_cpu_lay_out_tile(const rlt_facts *facts, rlt_schedule *schedule);

/* The same for a tile of any kind that a caller asks for. RELAYOUT_UNSUPPORTED if it takes more
 * than the tile buffer. */
relayout_status rlt_cpu_lay_out_asked(const rlt_facts *facts, rlt_schedule *schedule,
                                      relayout_error *error);

/* Checks that a finished schedule, with a tile and an order of any kind, can be run.
 * RELAYOUT_UNSUPPORTED names the rule that it breaks. */
relayout_status rlt_cpu_check(const rlt_facts *facts, const rlt_schedule *schedule,
                              relayout_error *error);

/* ---- The target's functions ---- */

extern const rlt_method_row rlt_cpu_methods[];
bool rlt_cpu_finish(const rlt_facts *facts, const rlt_tuning *tuning, bool combines,
                    rlt_schedule *schedule);
double rlt_cpu_count_moves(const rlt_facts *facts, const rlt_schedule *schedule, double tiles);
rlt_price rlt_cpu_price_of_move(const rlt_facts *facts, const rlt_schedule *schedule);
rlt_price rlt_cpu_price_of_rework(const rlt_schedule *schedule);

#endif
