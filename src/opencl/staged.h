/* staged.h: the shapes that the STAGED kernels want their tiles in, and the tables of packed ones.
 *
 * A work-group loads a tile in the order of the source into local memory and stores it in the order
 * of the destination. cl/staged_*.cl say how. Depends on build.h and plan/strategy.h.
 */
#ifndef RLT_OPENCL_STAGED_H
#define RLT_OPENCL_STAGED_H

#include "opencl/build.h"

/* The tiles for elements of these bytes that do not change. */
rlt_traits rlt_staged_traits(int64_t element_bytes);

/* The strategy with tiles as its kernel wants them, and so small that they find room in local memory. */
rlt_strategy rlt_staged_fit(const rlt_problem *problem, const rlt_strategy *strategy);

/* Rows and columns of a transposed tile: powers of two, compiled in. */
typedef struct rlt_staged_tile {
  int64_t rows;
  int64_t columns;
} rlt_staged_tile;

rlt_staged_tile rlt_staged_transpose_tile(const rlt_problem *problem);

/* Elements of what a work-item of a GPU takes at once where they are of so many bits: 4 bytes, or one that
 * is longer. */
int64_t rlt_staged_unit(int64_t bits);

/* What a work-group takes of the local memory. */
int64_t rlt_staged_local_bytes(const rlt_problem *problem, const rlt_strategy *strategy);

/* The tables of a packed strategy for groups of `group_size` work-items, with 64-bit offsets where
 * the kernel is `wide`. The caller frees them. RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_staged_tables_make(const rlt_problem *problem, const rlt_strategy *strategy,
                                       int64_t group_size, bool wide, void **tables, size_t *size,
                                       relayout_error *error);

#endif
