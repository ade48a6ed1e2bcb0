/* kernels.c: the kernel table, one row an element size. */
#include "cpu/kernels.h"

#include <string.h>

enum {
  VECTOR_BYTES = 16, /* what every 64-bit processor has registers for */
  LINE_BYTES = 64
};

typedef uint8_t vector __attribute__((vector_size(VECTOR_BYTES)));

static inline int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* One row of a stage, by the C library's memcpy, which stores with the widest vectors there are. The
 * compiler must not know that the row is short: it would make `rep movs` of it, which takes longer to
 * start than the row takes to copy. */
static inline void unstage(uint8_t *restrict to, const uint8_t *restrict from, int64_t bytes) {
  __asm__("" : "+r"(bytes));
  memcpy(to, from, (size_t)bytes);
}

#define ELEMENT_BYTES 1
#define SIZED(name)   name##_1
#include "cpu/kernels.inc"

#define ELEMENT_BYTES 2
#define SIZED(name)   name##_2
#include "cpu/kernels.inc"

#define ELEMENT_BYTES 4
#define SIZED(name)   name##_4
#include "cpu/kernels.inc"

#define ELEMENT_BYTES 8
#define SIZED(name)   name##_8
#include "cpu/kernels.inc"

#define ELEMENT_BYTES 16
#define SIZED(name)   name##_16
#include "cpu/kernels.inc"

const rlt_cpu_kernels *rlt_cpu_kernels_for(int64_t element_bytes) {
  switch (element_bytes) {
  case 1:
    return &kernels_1;
  case 2:
    return &kernels_2;
  case 4:
    return &kernels_4;
  case 8:
    return &kernels_8;
  default:
    return &kernels_16;
  }
}
