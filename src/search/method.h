/* method.h: the methods by which problems are moved, and what several of them ask of a problem.
 *
 * What a method offers is each target's own (cpu/methods.c, gpu/methods.c). A method enumerates and
 * does not decide: it offers what could be worth running, and says of each candidate whether it is
 * made for problems like this one.
 *
 * Depends on search/candidates.h.
 */
#ifndef RLT_SEARCH_METHOD_H
#define RLT_SEARCH_METHOD_H

#include "search/candidates.h"

/* A problem in one of its forms on a device, for which a method offers candidates. */
typedef struct rlt_scene {
  const struct rlt_method *method; /* that is asked */
  const rlt_problem *problem;
  bool is_wide;    /* words are wider than the elements that were lowered, or bits are transposed */
  bool has_wide;   /* there is such a form of it */
  bool offers_all; /* tiles of all sizes, too */
  bool stays_cached; /* the destination is to */
  bool specializes;  /* kernels are compiled for this problem alone */
  const rlt_facts *facts;
  const rlt_tuning *tuning;
} rlt_scene;

typedef struct rlt_method {
  const char *name;
} rlt_method;

/* All of them. Ends with NULL. */
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

/* True if something is read, and axes, not an index program, say where. */
bool rlt_is_read_by_axes(const rlt_problem *problem);

/* Both sides run along axis 0. */
bool rlt_runs_along_one_axis(const rlt_problem *problem);

/* They run along two axes; and these are both as long as lines of so many bytes, or that part of
 * one, but two at least. */
bool rlt_runs_along_two_axes(const rlt_problem *problem);
bool rlt_sides_are_long(const rlt_problem *problem, int64_t line_bytes, int64_t parts);

/* True if a copy reads runs: axis 0 has several valid digits, or nothing has. */
bool rlt_copy_runs(const rlt_problem *problem);

/* True if the problem is one word that is wider than an element. */
bool rlt_is_one_word(const rlt_scene *scene);

/* The columns that fill whole bytes of the destination; one step of axis 0 if none do. */
rlt_byte_run rlt_byte_run_of(const rlt_problem *problem);

/* Adds as few columns as it takes to end with a byte. */
void rlt_end_with_byte(const rlt_problem *problem, rlt_group *columns);

/* Blocks of equal length, as few as with `steps` each. */
int64_t rlt_even_steps(int64_t extent, int64_t steps);

/* ---- What targets offer alike ---- */

/* Columns along axis 0, if there is one, as long as what is copied or filled at once. */
rlt_group rlt_straight_run(const rlt_scene *scene);

/* Gives a copy straight runs, several where these are short. */
void rlt_take_straight_runs(const rlt_scene *scene, rlt_schedule *schedule);

/* Why a method moves a problem, as explanations have it. */
extern const char rlt_transpose_reason[];
extern const char rlt_interleave_reason[];
extern const char rlt_permute_reason[];
const char *rlt_copy_reason(const rlt_problem *problem);
const char *rlt_index_reason(const rlt_problem *problem);

#endif
