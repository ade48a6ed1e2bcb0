/* cpu_mover.h: what the libraries that can move tensors in host memory look like to a benchmark.
 * Each has a file of its own, which is there where the build found what it needs. Depends on
 * strided.h and the public shapes. */
#ifndef TOOLS_BENCH_CPU_MOVER_H
#define TOOLS_BENCH_CPU_MOVER_H

#include <stdbool.h>

#include "strided.h"

typedef struct cpu_mover {
  /* Lets it work with this many threads; NULL where it is not installed. */
  void *(*open)(int threads);
  void (*close)(void *mover);
  /* Gets ready for a relayout, in place of the one before; false for one that it cannot do. */
  bool (*prepare)(void *mover, const bench_strided *moved);
  /* The same for tiles and changes of element type; what pads the tiles is written
   * then. NULL where it can do none. */
  bool (*prepare_shapes)(void *mover, const relayout_shape *from, const relayout_shape *to);
  /* Does the prepared relayout, and leaves padding as it is. The places begin at multiples of 4096
   * bytes. */
  bool (*run)(void *mover, void *to, const void *from);
} cpu_mover;

extern const cpu_mover onednn_mover;
extern const cpu_mover openblas_mover;
extern const cpu_mover eigen_mover;

#endif
