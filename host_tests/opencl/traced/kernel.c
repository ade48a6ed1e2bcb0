/* kernel.c: one kernel of cl/, compiled as C for one word size, so that each access of it to memory
 * calls one of the functions of trace.c. */
#include "opencl/traced/opencl_c.h"

/* Its function bears a strategy's name in every file. */
#define JOIN_NAMES(a, b, c) a##_##b##_##c
#define NAME(a, b, c)       JOIN_NAMES(a, b, c)

#include KERNEL_TEXT

void NAME(traced, KERNEL, WORD_BYTES)(const traced_arguments *with);

void NAME(traced, KERNEL, WORD_BYTES)(const traced_arguments *with) {
  const word fill_word = {0};
#if KERNEL_PACKS
  KERNEL(with->destination, 0, with->grid, fill_word, with->source, 0, with->tables, with->local);
#else
  KERNEL(with->destination, 0, with->grid, fill_word, with->source, 0);
#endif
}
