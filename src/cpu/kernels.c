/* kernels.c: the kernel table, one row an element size. */
#include "cpu/kernels.h"

const rlt_cpu_kernels *rlt_cpu_kernels_for(int64_t element_bytes) {
  switch (element_bytes) {
  case 1:
    return &rlt_cpu_kernels_1;
  case 2:
    return &rlt_cpu_kernels_2;
  case 4:
    return &rlt_cpu_kernels_4;
  case 8:
    return &rlt_cpu_kernels_8;
  default:
    return &rlt_cpu_kernels_16;
  }
}
