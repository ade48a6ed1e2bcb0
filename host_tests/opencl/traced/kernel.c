/* kernel.c: one kernel of cl/, compiled as C for one way that elements go, so that each access of
 * it to memory calls one of the functions of group.c. TRACED_NAME is what it is called then. */
#include "opencl/traced/opencl_c.h"

#include KERNEL_TEXT

traced_kernel TRACED_NAME;

void TRACED_NAME(const traced_arguments *with) {
  const word fill_word = {0};
#if KERNEL_PERMUTES
  ENTRY(KERNEL)
  (with->destination, 0, with->grid, fill_word, with->source, 0, with->tables, with->local);
#else
  ENTRY(KERNEL)(with->destination, 0, with->grid, fill_word, with->source, 0);
#endif
}
