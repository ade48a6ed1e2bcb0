/* cases.c: matrices, images and tensors of whatever size is asked for. */
#include "cases.h"

enum { LINE_BYTES = 64, PAGE_BYTES = 4096, MOST_RANK = 4 };

const char *const tune_kinds[] = {"channels", "cached", "apart", "crowded", "far", "any"};

/* A tensor in the source's order, the most minor dimension first, and where the destination has
 * them, the most minor first too. */
typedef struct tensor {
  int32_t rank;
  int64_t extents[MOST_RANK];
  int32_t order[MOST_RANK];
} tensor;

static void lay_out(const tensor *of, int64_t word, tune_case *made) {
  const relayout_element_type type = word == 1   ? RELAYOUT_U8
                                     : word == 2 ? RELAYOUT_U16
                                     : word == 4 ? RELAYOUT_U32
                                     : word == 8 ? RELAYOUT_U64
                                                 : RELAYOUT_C128;
  int64_t dimensions[MOST_RANK] = {0};
  for (int32_t d = 0; d < of->rank; ++d) {
    dimensions[of->rank - 1 - d] = of->extents[d];
  }
  relayout_shape_make(type, of->rank, dimensions, &made->from, NULL);
  made->to = made->from;
  for (int32_t d = 0; d < of->rank; ++d) {
    made->to.layout.minor_to_major[d] = of->rank - 1 - of->order[d];
  }
}

/* The largest number whose square is no larger. */
static int64_t square_root(int64_t of) {
  int64_t root = 1;
  while ((root + 1) * (root + 1) <= of) {
    ++root;
  }
  return root;
}

/* As many elements as make an odd number of lines, about `length` of them: rows of these lie in all
 * sets of a cache. */
static int64_t odd_lines(int64_t length, int64_t word) {
  const int64_t line = LINE_BYTES / word;
  return (length / line | 1) * line;
}

void tune_case_make(int kind, int32_t i, int64_t word, int64_t bytes, tune_case *made) {
  const int64_t elements = bytes / word;
  const int64_t side = square_root(elements);
  const int64_t page = PAGE_BYTES / word;
  const int64_t run = 512 / word;
  const int64_t line = LINE_BYTES / word;
  /* Sixteen times as long one way as the other, which is over more pages than processors know. */
  const int64_t length = 4 * side;
  const int64_t width = side / 4;
  const tensor cases[TUNE_KINDS][TUNE_CASES] = {
      [TUNE_CHANNELS] = {{2, {3, elements / 192 * 64}, {1, 0}},
                         {2, {elements / 192 * 64, 3}, {1, 0}},
                         {3, {line * 8, 4, elements / line / 32}, {1, 0, 2}}},
      [TUNE_CACHED] = {{2, {odd_lines(side, word), odd_lines(side, word)}, {1, 0}},
                       {3, {run, 49, elements / 49 / run}, {1, 0, 2}},
                       {3, {49, run, elements / 49 / run}, {1, 0, 2}}},
      [TUNE_APART] = {{2, {length | 1, width | 1}, {1, 0}},
                      {2, {width | 1, length | 1}, {1, 0}},
                      {3, {run, 49, elements / 49 / run}, {1, 0, 2}}},
      [TUNE_CROWDED] = {{2, {2 * page, elements / 2 / page}, {1, 0}},
                        {2, {4 * page, elements / 4 / page}, {1, 0}},
                        {2, {page, elements / page}, {1, 0}}},
      [TUNE_FAR] = {{2, {odd_lines(length, word), odd_lines(width, word)}, {1, 0}},
                    {2, {odd_lines(width, word), odd_lines(length, word)}, {1, 0}},
                    {2, {odd_lines(side, word), odd_lines(side, word)}, {1, 0}}},
      [TUNE_ANY] = {{3, {run, 784, elements / 784 / run}, {1, 0, 2}},
                    {4, {line + line, 24, 48, elements / line / 2304}, {3, 1, 0, 2}},
                    {3, {3 * line, 20 * line, elements / 60 / line / line}, {2, 0, 1}}}};
  lay_out(&cases[kind][i], word, made);
}

void tune_sample_make(int32_t i, int64_t word, int64_t bytes, tune_case *made) {
  const int64_t elements = bytes / word;
  const int64_t line = LINE_BYTES / word;
  const tensor samples[TUNE_SAMPLES] = {{2, {3, elements / 3}, {1, 0}},
                                        {2, {elements / 3, 3}, {1, 0}},
                                        {2, {elements / 16, 16}, {1, 0}},
                                        {3, {line, 40, elements / 40 / line}, {0, 2, 1}},
                                        {3, {3 * line, 60, elements / 180 / line}, {0, 2, 1}},
                                        {3, {12 * line, 60, elements / 720 / line}, {0, 2, 1}},
                                        {3, {48 * line, 20, elements / 960 / line}, {0, 2, 1}},
                                        {4, {5, 12, line, elements / 60 / line}, {3, 0, 1, 2}}};
  lay_out(&samples[i], word, made);
}

void tune_copy_make(int64_t bytes, tune_case *made) {
  const tensor copy = {1, {bytes / LINE_BYTES * LINE_BYTES}, {0}};
  lay_out(&copy, 1, made);
}

int64_t tune_case_bytes(const tune_case *of) {
  size_t bytes = 0;
  return relayout_shape_byte_size(&of->from, &bytes, NULL) == RELAYOUT_OK ? (int64_t)bytes : 0;
}
