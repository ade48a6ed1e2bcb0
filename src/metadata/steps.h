/* steps.h: the arithmetic of layouts as a list of steps, which host and devices carry out alike.
 *
 * Steps work on numbers, of which there are RLT_MOST_NUMBERS. A list writes each before it reads it, bar
 * those that are given.
 *
 *     split    [to] = [from] % size, [from] = [from] / size
 *     join     [to] = [to] * size + [from]
 *     bound    ends here, without a result, unless [to] < size
 *     add      [to] = [to] + [from] * size
 *
 * Depends on the public shapes alone.
 */
#ifndef RLT_METADATA_STEPS_H
#define RLT_METADATA_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "relayout/shape.h"

enum { RLT_MOST_NUMBERS = 256, RLT_MOST_STEPS = 2304 };

typedef enum rlt_step_kind {
  RLT_STEP_SPLIT = 0,
  RLT_STEP_JOIN = 1,
  RLT_STEP_BOUND = 2,
  RLT_STEP_ADD = 3
} rlt_step_kind;

/* Devices read it as it is: 24 bytes. `to` and `from` differ, and a bound has no `from`. */
typedef struct rlt_step {
  int32_t kind;
  int32_t to;
  int32_t from;
  int32_t unused;
  int64_t size; /* at least 1, of a bound 0; anything where it is added */
} rlt_step;

/* Starts with a count of 0. */
typedef struct rlt_steps {
  int32_t count;
  int32_t result; /* the number where a linear index is found at last, */
  int32_t place;  /* and the one where another was put aside; 0: none was */
  rlt_step of[RLT_MOST_STEPS];
} rlt_steps;

/* Appends what turns the multi-index in numbers 0 .. rank-1, each within its padded width, into the
 * linear index in number `result`. Later numbers, whatever they hold, are overwritten. Steps of any two
 * shapes and a bound for each dimension fit one list; RELAYOUT_UNSUPPORTED when the list is full. */
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

/* Appends what turns the linear index in number 0, below the array's physical element count, into the
 * multi-index in numbers 0 .. rank-1. They end without a result where tiles' or the tail's padding lies;
 * padding of wider dimensions has a multi-index. The shapes of both must be valid. */
relayout_status rlt_steps_from_linear(const relayout_shape *shape, rlt_steps *steps,
                                      relayout_error *error);

/* Appends the bound [number] < size. */
relayout_status rlt_steps_bound(rlt_steps *steps, int32_t number, int64_t size,
                                relayout_error *error);

/* Carries the steps out. False when a bound ended them. */
bool rlt_steps_run(const rlt_steps *steps, int64_t numbers[RLT_MOST_NUMBERS]);

#endif
