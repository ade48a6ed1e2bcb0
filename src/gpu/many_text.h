/* many_text.h: what the kernel of a plan of several destinations (cl/many.cl) has as constants: the
 * sizes of boxes, formats of elements, and where things lie in memory, as OpenCL C.
 *
 * Depends on plan/many.h and metadata/.
 */
#ifndef RLT_GPU_MANY_TEXT_H
#define RLT_GPU_MANY_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "plan/many.h"

/* One side as the kernel sees it. */
typedef struct rlt_kernel_view {
  relayout_scaled_view view; /* where the kernel finds all of it */
  rlt_finding finding;
  rlt_scale_finder finder; /* of scales that are found */
  bool converts;           /* elements that have no scales change */
  int64_t stores;          /* of a destination: elements that a work-item stores at once */
  /* Groups that a box meets, of those whose scales are found, and the number of the first in local
   * memory. */
  int64_t group_counts[RELAYOUT_MAX_RANK];
  int64_t groups;
  int64_t first_group;
  rlt_index_box met; /* groups that all boxes together meet */
  /* The same of all these, of those that lie in several boxes. */
  int64_t all_groups;
  int64_t first_of_all;
} rlt_kernel_view;

typedef struct rlt_many_kernel {
  rlt_boxes boxes;
  int32_t order[RELAYOUT_MAX_RANK];   /* of the source, and so of a tile: minor to major */
  int64_t strides[RELAYOUT_MAX_RANK]; /* from one element to the next in a tile */
  int64_t places;                     /* of a tile, with what is left out */
  int32_t word_bytes;                 /* of its elements */
  int64_t loads;                      /* elements that a work-item loads at once */
  bool is_wide;                       /* indices and addresses take 64 bits */
  bool wraps, rounds_to_nearest;      /* of what becomes an integer */
  rlt_kernel_view from;
  float factor; /* as rlt_many has it */
  int32_t count;
  rlt_kernel_view *to;
  int64_t groups, all_groups; /* of all destinations */
} rlt_many_kernel;

/* Whether a kernel can have a view as its source, or as its destination: native bytes, no wider
 * containers; of a destination also no padding, and packed rows that begin where bytes do. */
bool rlt_many_reads(const relayout_view *view);
bool rlt_many_writes(const relayout_view *view);

/* The largest power of two that all addresses of a view's elements are multiples of where its start
 * is, at most an element's bytes and 8. */
int64_t rlt_many_unit(const relayout_view *view);

/* Chooses how many elements work-items load and store at once, once boxes and the tile are there,
 * or takes what is asked for: RELAYOUT_UNSUPPORTED where the kernel cannot. */
relayout_status rlt_many_choose_widths(rlt_many_kernel *kernel, const rlt_many_schedule *asked,
                                       relayout_error *error);

/* Writes what comes before cl/many.cl, and before cl/many_destination.cl for each destination. The
 * index program is for its use. */
void rlt_many_add_head(const rlt_many_kernel *kernel, const char *name, rlt_index_program *program,
                       rlt_text *text);
void rlt_many_add_destination(const rlt_many_kernel *kernel, int32_t which,
                              rlt_index_program *program, rlt_text *text);

/* The kernels of a plan, as cl/many_kernel.cl counts them. */
typedef enum rlt_many_pass {
  RLT_PASS_FIND,
  RLT_PASS_SCALES,
  RLT_PASS_WRITE,
  RLT_PASS_COUNT
} rlt_many_pass;

/* Writes what comes before cl/many_kernel.cl. */
void rlt_many_add_tail(const rlt_many_kernel *kernel, rlt_many_pass pass, rlt_text *text);

#endif
