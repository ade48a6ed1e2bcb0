/* constants.h: what a specialised kernel has as constants of its text, where general ones read a
 * grid and tables: one problem's extents, strides and counts (cl/tile.cl), and what of its tables
 * is a sum over digits (cl/permute.cl). A text that stands alone has all that would be an argument.
 *
 * Depends on arguments.h, local_tile.h, tables.h and base/.
 */
#ifndef RLT_GPU_CONSTANTS_H
#define RLT_GPU_CONSTANTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "gpu/tables.h"

/* What a launch spec has. */
typedef struct rlt_constants {
  const rlt_blob *grid;        /* with its loops */
  const rlt_blob *slot_tables; /* NULL: there are none */
  bool wide;                   /* offsets have 64 bits */
  int64_t group_size;
  int64_t piece;                 /* elements of the source that a work-item loads at once, */
  int64_t unit;                  /* and where they are not aligned */
  const rlt_problem *alone;      /* what the text that stands alone moves; NULL: it has arguments */
  const rlt_scale_factor *scale; /* of such a text; NULL: none */
  int64_t local_bytes;           /* likewise */
} rlt_constants;

/* OpenCL C that follows cl/arguments.cl. The caller frees the text, in which tables take
 * `*table_bytes`. RELAYOUT_OUT_OF_MEMORY. */
relayout_status rlt_constants_write(const rlt_constants *of, char **text, int64_t *table_bytes,
                                    relayout_error *error);

/* An index program as the function program_of_problem, each operation a line, and as macros where
 * its numbers are. */
void rlt_constants_add_program(rlt_text *text, const rlt_index_program *program);

#endif
