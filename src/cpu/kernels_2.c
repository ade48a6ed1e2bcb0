/* kernels_2.c: the kernels for elements of 2 bytes. */
#define ELEMENT_BYTES 2
#define KERNELS       rlt_cpu_kernels_2
#include "cpu/kernels.inc"
