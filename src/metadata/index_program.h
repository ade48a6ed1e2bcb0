/* index_program.h: writes index programs, as cl/index_program.cl declares them for host and
 * devices, and carries them out.
 *
 * Depends on the public shapes alone.
 */
#ifndef RLT_METADATA_INDEX_PROGRAM_H
#define RLT_METADATA_INDEX_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../cl/index_program.cl"
#include "relayout/shape.h"

/* Operations of any two valid shapes and a bound for each dimension fit one program. */

/* The bytes of a program as far as its operations go; no more is read of one that is complete. */
static inline size_t rlt_index_program_bytes(const rlt_index_program *program) {
  return offsetof(rlt_index_program, of) + (size_t)program->count * sizeof program->of[0];
}

/* Appends what turns the multi-index in numbers 0 .. rank-1, each within its padded width,
 * into the linear index in number `result`. Later numbers, whatever they hold, are overwritten. */
void rlt_index_program_to_linear(const relayout_shape *shape, rlt_index_program *program);

/* Appends what sets number `to` to the sum of numbers 0 .. count-1, each times its factor, which
 * the divisor divides. */
void rlt_index_program_sum(int32_t count, const int64_t *factors, int64_t divisor, int32_t to,
                           rlt_index_program *program);

/* Appends what multiplies number `number`, overwriting the next. */
void rlt_index_program_multiply(rlt_index_program *program, int32_t number, int64_t factor);

/* A number that none of these uses. */
enum { RLT_FREE_NUMBER = RLT_MOST_NUMBERS - 1 };

/* Appends what turns the linear index in number 0, below the array's physical element count, into
 * the multi-index in numbers 0 .. rank-1. It ends without a result where tiles' or the tail's
 * padding lies; padding of wider dimensions has a multi-index. */
void rlt_index_program_from_linear(const relayout_shape *shape, rlt_index_program *program);

/* Appends the bound [number] < size. */
void rlt_index_program_bound(rlt_index_program *program, int32_t number, int64_t size);

#endif
