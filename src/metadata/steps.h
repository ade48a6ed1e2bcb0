/* steps.h: the arithmetic of layouts as a list of steps, which host and devices carry out alike.
 *
 * Steps work on numbers, of which there are RLT_MOST_NUMBERS, all 0 at first bar those that are given.
 *
 *     split    [to] = [from] % size, [from] = [from] / size
 *     join     [to] = [to] * size + [from]
 *     bound    ends here, without a result, unless [to] < size
 *
 * Depends on the public shapes alone.
 */
#ifndef RLT_METADATA_STEPS_H
#define RLT_METADATA_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "relayout/shape.h"

enum { RLT_MOST_NUMBERS = 256, RLT_MOST_STEPS = 2048 };

typedef enum rlt_step_kind {
  RLT_STEP_SPLIT = 0,
  RLT_STEP_JOIN = 1,
  RLT_STEP_BOUND = 2
} rlt_step_kind;

/* Devices read it as it is: 24 bytes. */
typedef struct rlt_step {
  int32_t kind;
  int32_t to;
  int32_t from;
  int32_t unused;
  int64_t size; /* at least 1 */
} rlt_step;

typedef struct rlt_steps {
  int32_t count;
  int32_t result; /* the number where a linear index is found at last */
  rlt_step of[RLT_MOST_STEPS];
} rlt_steps;

#endif
