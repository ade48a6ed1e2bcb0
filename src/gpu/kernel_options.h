/* kernel_options.h: what is compiled into a kernel; everything else is an argument. Depends on
 * convert/, emit/ and problem/. */
#ifndef RLT_GPU_KERNEL_OPTIONS_H
#define RLT_GPU_KERNEL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "convert/convert.h"
#include "emit/source.h"
#include "relayout/element_type.h"

/* X(NAME, text): the kernels, by the names of their functions. */
#define RLT_KERNEL_TABLE(X)                                                                        \
  X(COPY, "copy")                                                                                  \
  X(FILL, "fill")                                                                                  \
  X(TRANSPOSE, "transpose")                                                                        \
  X(INTERLEAVE, "interleave")                                                                      \
  X(PERMUTE, "permute")                                                                            \
  X(LOOKUP, "lookup")                                                                              \
  X(MANY, "many")

typedef enum rlt_kernel {
#define RLT_KERNEL_ENUMERATOR(name, text) RLT_KERNEL_##name,
  RLT_KERNEL_TABLE(RLT_KERNEL_ENUMERATOR)
#undef RLT_KERNEL_ENUMERATOR
} rlt_kernel;

const char *rlt_kernel_name(rlt_kernel kernel);

typedef struct rlt_kernel_options {
  rlt_kernel kernel;
  int32_t word_bytes; /* of the destination's words */
  int32_t source_bytes;
  int32_t source_bits; /* of packed elements; or 0 */
  int32_t destination_bits;
  int32_t reversed_bits; /* of elements that change their order within a byte as they are loaded */
  bool destination_high; /* packed elements are stored high bits first */
  bool wide;             /* 64-bit arithmetic within tiles */
  int32_t group_size;
  rlt_conversion conversion; /* of elements by arithmetic; a scale other than 1 is an argument */
  bool converts_by_table;
  bool source_swapped; /* as rlt_problem has them */
  bool destination_swapped;
  bool only_swaps;   /* words keep their values */
  int32_t tile_rows; /* of square tiles in local memory; 0: there are none */
  int32_t tile_columns;
  int32_t channels; /* words from a pixel to the next on the joined side; 0: nothing is joined */
  bool joins;       /* that is the destination */
  int32_t numbers;  /* that an index program works with; 0: it follows the axes */
  int32_t batch;    /* relayouts that a launch does at most; 0: it does one */
  bool specialized; /* for one problem, whose constants `text` has */
  bool alone;       /* and whose text is handed out: nothing but the sides are arguments */
  /* What was written for one plan; NULL: nothing was. Of MANY all that stands between cl/convert.cl
   * and cl/many_kernel.cl: only the kernel, its words and its groups count beside it. Of kernels
   * that are specialised, what stands behind cl/arguments.cl. */
  const char *text;
} rlt_kernel_options;

enum { RLT_KERNEL_NAME_SIZE = 32 };

/* The kernel's function: relayout_transpose_4 has words of four bytes. */
void rlt_kernel_function(const rlt_kernel_options *options, char name[RLT_KERNEL_NAME_SIZE]);

/* A file of cl/, by its name without .cl. */
const char *rlt_kernel_text(const char *name);

/* Room for the options of any kernel, which take some 790 bytes. */
enum { RLT_KERNEL_OPTIONS_SIZE = 1024, RLT_KERNEL_SOURCES = 9 };

/* What the compiler is called with: -DWORD_BYTES=4 and so on, each with a blank in front. */
void rlt_kernel_add_options(const rlt_kernel_options *options, int32_t grid_axis, bool native,
                            rlt_text *text);

/* The same for any device as lines of a text: #define WORD_BYTES 4 and so on. */
void rlt_kernel_add_macros(const rlt_kernel_options *options, rlt_source *text);

/* The texts that the kernel consists of, in their order; "" for those that it does without. */
void rlt_kernel_sources_of(const rlt_kernel_options *options,
                           const char *sources[RLT_KERNEL_SOURCES]);

#endif
