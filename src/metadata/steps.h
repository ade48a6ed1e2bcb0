/* steps.h: the arithmetic of layouts as a list of steps, as cl/steps.cl declares it for host and
 * devices.
 *
 * Depends on the public shapes alone.
 */
#ifndef RLT_METADATA_STEPS_H
#define RLT_METADATA_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "../../cl/steps.cl"
#include "relayout/shape.h"

/* Appends what turns the multi-index in numbers 0 .. rank-1, each within its padded width,
 * into the linear index in number `result`. Later numbers, whatever they hold, are
 * overwritten. Steps of any two shapes and a bound for each dimension fit one list;
 * RELAYOUT_UNSUPPORTED when the list is full. */
relayout_status rlt_steps_to_linear(const relayout_shape *shape, rlt_steps *steps,
                                    relayout_error *error);

/* Appends what sets number `to` to the sum of numbers 0 .. count-1, each times its factor. */
relayout_status rlt_steps_sum(int32_t count, const int64_t *factors, int32_t to, rlt_steps *steps,
                              relayout_error *error);

/* Appends what multiplies number `number`, overwriting the next. */
relayout_status rlt_steps_multiply(rlt_steps *steps, int32_t number, int64_t factor,
                                   relayout_error *error);

/* A number that none of these uses. */
enum { RLT_FREE_NUMBER = RLT_MOST_NUMBERS - 1 };

/* Appends what turns the linear index in number 0, below the array's physical element count, into
 * the multi-index in numbers 0 .. rank-1. They end without a result where tiles' or the tail's
 * padding lies; padding of wider dimensions has a multi-index. The shapes of both must be valid. */
relayout_status rlt_steps_from_linear(const relayout_shape *shape, rlt_steps *steps,
                                      relayout_error *error);

/* Appends the bound [number] < size. */
relayout_status rlt_steps_bound(rlt_steps *steps, int32_t number, int64_t size,
                                relayout_error *error);

/* Carries the steps out. False when a bound ended them. */
bool rlt_steps_run(const rlt_steps *steps, int64_t numbers[RLT_MOST_NUMBERS]);

#endif
