/* kernels_1.c: the kernels for elements of 1 byte. */
#define ELEMENT_BYTES 1
#define KERNELS       rlt_cpu_kernels_1
#include "cpu/kernels.inc"
