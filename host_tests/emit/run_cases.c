/* run_cases.c: runs emitted text that compiles as C or C++ on the cases of emit_cases. The text's
 * path is EMITTED; the language's own words, if C++ lacks them, are macros here. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(WORDS_OF_OPENCL) || defined(WORDS_OF_METAL)
#define uint  uint32_t
#define ulong uint64_t
#define thread
typedef long integer;
#elif defined(WORDS_OF_CUDA)
#define __host__
#define __device__
#define __forceinline__ inline
typedef long long integer;
#elif defined(WORDS_OF_GLSL)
#define uint uint32_t
#define out
typedef uint32_t integer;
#else
typedef int64_t integer;
#endif

#include EMITTED

#define RETURNS static int64_t
#define FINDS   static bool
#define INDICES const int64_t *
#define NUMBERS integer *

typedef struct calls {
  int64_t (*at)(INDICES i);
  bool (*find)(int64_t linear, NUMBERS indices);
} calls;

#include "calls.inc"

enum { SHAPES = sizeof all / sizeof all[0], MOST_INDICES = 65 };

static const int64_t untouched = 77;

static int64_t next(FILE *cases) {
  int64_t number = 0;
  if (fread(&number, sizeof number, 1, cases) != 1) {
    fprintf(stderr, "the cases end early\n");
    exit(1);
  }
  return number;
}

static int fail(int shape, int64_t linear, const char *what) {
  fprintf(stderr, "shape_%d: linear index %lld: %s\n", shape, (long long)linear, what);
  return 1;
}

static int run_forward(FILE *cases, int shape, int64_t rank) {
  int64_t index[64] = {0};
  for (int64_t count = next(cases); count > 0; --count) {
    for (int64_t d = 0; d < rank; ++d) {
      index[d] = next(cases);
    }
    const int64_t linear = next(cases);
    if (all[shape].at(index) != linear) {
      return fail(shape, linear, "at returns another one");
    }
  }
  return 0;
}

static int run_inverse(FILE *cases, int shape, int64_t rank) {
  for (int64_t count = next(cases); count > 0; --count) {
    const int64_t linear = next(cases), is_element = next(cases);
    integer indices[MOST_INDICES];
    for (int d = 0; d < MOST_INDICES; ++d) {
      indices[d] = (integer)untouched;
    }
    if (all[shape].find(linear, indices) != (is_element != 0)) {
      return fail(shape, linear, is_element ? "is an element's" : "is padding");
    }
    for (int64_t d = 0; d < MOST_INDICES; ++d) {
      const int64_t wanted = d < rank ? next(cases) : 0;
      if ((int64_t)indices[d] != (is_element && d < rank ? wanted : untouched)) {
        return fail(shape, linear, "another multi-index");
      }
    }
  }
  return 0;
}

int main(int argument_count, char **arguments) {
  FILE *const cases = argument_count == 2 ? fopen(arguments[1], "rb") : NULL;
  if (cases == NULL) {
    fprintf(stderr, "usage: run_cases CASES\n");
    return 1;
  }
  int failures = 0;
  for (int shape = 0; shape < SHAPES && failures == 0; ++shape) {
    const int64_t rank = next(cases);
    failures = run_forward(cases, shape, rank);
    if (failures == 0) {
      failures = run_inverse(cases, shape, rank);
    }
  }
  fclose(cases);
  return failures;
}
