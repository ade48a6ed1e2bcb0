/* method.h: a way to move problems: when it applies, and which schedules it offers.
 *
 * A method enumerates and does not decide: it offers what could be worth running, and says of each
 * offer whether it is made for problems like this one. A new method is a file here, a line in
 * the table of methods.c, and a kernel.
 *
 * Depends on search/offers.h.
 */
#ifndef RLT_SEARCH_METHODS_METHOD_H
#define RLT_SEARCH_METHODS_METHOD_H

#include "search/offers.h"

/* What a method is asked about: a problem in one of its forms, on a device. */
typedef struct rlt_scene {
  const struct rlt_method *method; /* that is asked */
  const rlt_problem *problem;
  bool is_wide;    /* words are wider than the elements that were lowered, or bits are transposed */
  bool has_wide;   /* there is such a form of it */
  bool offers_all; /* also what is hardly ever the best */
  const rlt_facts *facts;
  const rlt_tuning *tuning;
} rlt_scene;

typedef struct rlt_method {
  const char *name;
  void (*offer)(const rlt_scene *scene, rlt_offers *offers);
} rlt_method;

/* All of them; where several suit a problem, the first does before it is known what
 * each takes. Ends with NULL. */
extern const rlt_method *const rlt_methods[];

extern const rlt_method rlt_method_fill;
extern const rlt_method rlt_method_index_program;
extern const rlt_method rlt_method_copy;
extern const rlt_method rlt_method_transpose;
extern const rlt_method rlt_method_interleave;
extern const rlt_method rlt_method_bit_transpose;
extern const rlt_method rlt_method_permute;

/* NULL where there is none of this name. */
const rlt_method *rlt_method_named(const char *name, size_t length);

/* A schedule without a tile yet, and one that suits. */
rlt_schedule rlt_method_schedule(const rlt_scene *scene, rlt_move move, const char *reason);

/* ---- What methods ask of a problem ---- */

/* The axis along which the source runs: the smallest stride among the axes that move in it at all,
 * the longest of equals. -1 when none does. And the next one outwards, of those not yet seen. */
int32_t rlt_source_run_axis(const rlt_problem *problem);
int32_t rlt_next_source_axis(const rlt_problem *problem, const bool *seen);

/* How many elements so many bytes are: at least one, of so many bits; or where
 * one takes the least. */
int64_t rlt_elements_of(int64_t bytes, int64_t bits);
int64_t rlt_least_bits(const rlt_problem *problem);
int64_t rlt_elements_in(const rlt_problem *problem, int64_t bytes);

/* Something is read, and the axes tell where. */
bool rlt_is_read_by_axes(const rlt_problem *problem);

/* Whether tiles of rows along axis 0, or along several axes that share bytes, write whole bytes, or
 * can do otherwise. */
bool rlt_writes_bytes(const rlt_scene *scene, bool by_several_axes);

/* Both sides run along axis 0. */
bool rlt_runs_along_one_axis(const rlt_problem *problem);

/* They run along two axes, both long enough for square tiles, which lines of both sides fill. */
bool rlt_runs_along_two_axes(const rlt_problem *problem);
bool rlt_square_tiles_pay(const rlt_scene *scene);

/* Whether short inner axes may be moved together, and whether a copy does better. */
bool rlt_permute_applies(const rlt_scene *scene);
bool rlt_copy_suits(const rlt_scene *scene);

/* Whether wider words move at any offset too, so that nothing speaks for the elements. */
bool rlt_is_left_to_wide(const rlt_scene *scene);

/* What fills whole bytes of the destination; a single step of axis 0 where nothing does. */
rlt_byte_run rlt_byte_run_of(const rlt_problem *problem);

/* As few more of the columns as end with a byte. */
void rlt_end_with_byte(const rlt_problem *problem, rlt_group *columns);

/* Blocks of equal length, as few as with `steps` each. */
int64_t rlt_even_steps(int64_t extent, int64_t steps);

/* ---- Tiles that several methods offer ---- */

/* Columns along axis 0, if there is one, as long as what is copied or filled at once; */
rlt_group rlt_straight_run(const rlt_scene *scene);

/* and such that consist of whole bytes, the array's last one excepted, and that no work-item looks
 * up element by element longer than it may. */
rlt_group rlt_index_run(const rlt_scene *scene);

/* Offers `like` with tiles for a worker who moves them alone, by tables and mostly through a
 * staging buffer, a group of axes for each side: those that the word size's own runs ask for, and
 * those of the other runs. Only tiles are offered that move as `like` does. */
void rlt_offer_private_tiles(const rlt_scene *scene, const rlt_schedule *like, rlt_offers *offers);

/* Offers `like` with tiles of several axes on each side, for work-items that share local memory:
 * one that takes what it may of that, and one of a quarter. */
void rlt_offer_local_groups(const rlt_scene *scene, const rlt_schedule *like, rlt_offers *offers);

#endif
