/* index_program.cl: an index program, the arithmetic of layouts as a list of operations that host
 * and devices carry out alike.
 *
 * Operations work on numbers, of which there are RLT_MOST_NUMBERS. A program writes each before it
 * reads it, bar those that are given.
 *
 *     split    [to] = [from] % size, [from] = [from] / size
 *     join     [to] = [to] * size + [from]
 *     bound    ends here, without a result, unless [to] < size
 *     add      [to] = [to] + [from] * size
 *
 * The library compiles this as C too (src/metadata/index_program.h). Follows arguments.cl.
 */

enum { RLT_MOST_NUMBERS = 256, RLT_MOST_INDEX_OPS = 2304 };

typedef enum rlt_index_op_kind {
  RLT_INDEX_SPLIT = 0,
  RLT_INDEX_JOIN = 1,
  RLT_INDEX_BOUND = 2,
  RLT_INDEX_ADD = 3
} rlt_index_op_kind;

/* 24 bytes. `to` and `from` differ, and a bound has no `from`. */
typedef struct rlt_index_op {
  int32_t kind;
  int32_t to;
  int32_t from;
  int32_t unused;
  int64_t size; /* at least 1, of a bound 0; anything where it is added */
} rlt_index_op;

/* Starts with a count of 0. Devices get as many operations as there are. */
typedef struct rlt_index_program {
  int32_t count;
  int32_t result; /* the number where a linear index is found at last, */
  int32_t place;  /* and the one where another was put aside; 0: none was */
  int32_t unused;
  rlt_index_op of[RLT_MOST_INDEX_OPS];
} rlt_index_program;

#ifdef __OPENCL_VERSION__
#define IN_MEMORY __global
#else
#define IN_MEMORY
#endif

/* Carries the program out. False when a bound ended it. */
static inline bool rlt_index_program_run(IN_MEMORY const rlt_index_program *program,
                                         int64_t *numbers) {
  bool ends = false;
  for (int32_t i = 0; i < program->count && !ends; ++i) {
    const rlt_index_op op = program->of[i];
    if (op.kind == RLT_INDEX_SPLIT) {
      const int64_t quotient = numbers[op.from] / op.size;
      numbers[op.to] = numbers[op.from] - quotient * op.size;
      numbers[op.from] = quotient;
    } else if (op.kind == RLT_INDEX_JOIN) {
      numbers[op.to] = numbers[op.to] * op.size + numbers[op.from];
    } else if (op.kind != RLT_INDEX_BOUND) {
      numbers[op.to] += numbers[op.from] * op.size;
    } else {
      ends = numbers[op.to] >= op.size;
    }
  }
  return !ends;
}
