/* kernels_8.c: the kernels for elements of 8 bytes. */
#define ELEMENT_BYTES 8
#define KERNELS       rlt_cpu_kernels_8
#include "cpu/kernels.inc"
