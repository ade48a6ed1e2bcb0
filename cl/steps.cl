/* steps.cl: the arithmetic of layouts as a list of steps, which host and devices carry out alike.
 *
 * Steps work on numbers, of which there are RLT_MOST_NUMBERS. A list writes each before it reads
 * it, bar those that are given.
 *
 *     split    [to] = [from] % size, [from] = [from] / size
 *     join     [to] = [to] * size + [from]
 *     bound    ends here, without a result, unless [to] < size
 *     add      [to] = [to] + [from] * size
 *
 * The library compiles this as C too (src/metadata/steps.h). Follows arguments.cl.
 */

enum { RLT_MOST_NUMBERS = 256, RLT_MOST_STEPS = 2304 };

typedef enum rlt_step_kind {
  RLT_STEP_SPLIT = 0,
  RLT_STEP_JOIN = 1,
  RLT_STEP_BOUND = 2,
  RLT_STEP_ADD = 3
} rlt_step_kind;

/* 24 bytes. `to` and `from` differ, and a bound has no `from`. */
typedef struct rlt_step {
  int32_t kind;
  int32_t to;
  int32_t from;
  int32_t unused;
  int64_t size; /* at least 1, of a bound 0; anything where it is added */
} rlt_step;

/* Starts with a count of 0. Devices get as many steps as there are. */
typedef struct rlt_steps {
  int32_t count;
  int32_t result; /* the number where a linear index is found at last, */
  int32_t place;  /* and the one where another was put aside; 0: none was */
  int32_t unused;
  rlt_step of[RLT_MOST_STEPS];
} rlt_steps;
