/* planning.h: which schedules move problems on GPUs, whose work-groups share tiles.
 *
 * Depends on search/, schedule/ and kernel_options.h.
 */
#ifndef RLT_GPU_PLANNING_H
#define RLT_GPU_PLANNING_H

#include "gpu/kernel_options.h"
#include "schedule/grid.h"
#include "search/target.h"

/* ---- Moves ---- */

/* Checks the tile of a schedule that a caller asks for, and fills in what follows from it before it
 * is finished. RELAYOUT_UNSUPPORTED names the rule that the tile breaks. */
typedef relayout_status rlt_gpu_take(rlt_schedule *schedule, relayout_error *error);

rlt_gpu_take rlt_gpu_take_run;      /* runs of axis 0 */
rlt_gpu_take rlt_gpu_take_square;   /* steps of the axis that each side runs along */
rlt_gpu_take rlt_gpu_take_channels; /* pixels, and all channels */
rlt_gpu_take rlt_gpu_take_slots;    /* any steps for which local memory has room */

typedef struct rlt_gpu_move_row {
  rlt_kernel kernel; /* unless each element is looked up */
  rlt_gpu_take *take;
  bool is_buffered;  /* tiles lie in local memory for a while */
  bool reads;        /* what it may change on the way */
  bool looks_up;     /* each element takes time of its own; */
  bool is_square;    /* so it does where most of a square tile is empty */
  bool has_channels; /* units have words of two, where runs do not begin with pieces */
} rlt_gpu_move_row;

const rlt_gpu_move_row *rlt_gpu_move_row_of(rlt_move move);

/* The kernel that carries a schedule out. */
rlt_kernel rlt_gpu_kernel_of(const rlt_schedule *schedule);

/* ---- Tiles ---- */

/* A schedule without a tile yet, and one that suits. */
rlt_schedule rlt_gpu_schedule(const rlt_scene *scene, rlt_move move, const char *reason);

/* Whether tiles of rows along axis 0, or along several axes that share bytes, write whole bytes. */
bool rlt_gpu_writes_bytes(const rlt_problem *problem, bool by_several_axes);

/* Whether runs begin with pieces wherever they begin on either side, but for pixels next to each
 * other. */
bool rlt_gpu_runs_begin_with_pieces(const rlt_problem *problem);

/* Whether short inner axes may be moved together. */
bool rlt_gpu_permute_applies(const rlt_scene *scene);

void rlt_gpu_offer_interleave(const rlt_scene *scene, rlt_candidates *candidates);

/* Offers `like` with tiles of several axes on each side: one that takes what it may of local
 * memory, and one of a quarter. */
void rlt_gpu_offer_groups(const rlt_scene *scene, const rlt_schedule *like,
                          rlt_candidates *candidates);

/* The most elements that a work-group may take, tile after tile. */
int64_t rlt_gpu_most_elements(const rlt_problem *problem, const rlt_facts *facts);

/* Columns along axis 0 that consist of whole bytes, the array's last one excepted, and of no more
 * elements than work-items may look up. */
rlt_group rlt_gpu_index_run(const rlt_scene *scene);

/* The power of two of a group's work-items that lie side by side along a row. */
int64_t rlt_gpu_across_shift(const rlt_schedule *schedule, int64_t tile_count);

/* ---- The target's functions ---- */

relayout_status rlt_gpu_lay_out_asked(const rlt_facts *facts, rlt_schedule *schedule,
                                      relayout_error *error);
relayout_status rlt_gpu_check(const rlt_facts *facts, const rlt_schedule *schedule,
                              relayout_error *error);

extern const rlt_method_row rlt_gpu_methods[];
bool rlt_gpu_finish(const rlt_facts *facts, const rlt_tuning *tuning, bool combines,
                    rlt_schedule *schedule);

#endif
