/* kernels_4.c: the kernels for elements of 4 bytes. */
#define ELEMENT_BYTES 4
#define KERNELS       rlt_cpu_kernels_4
#include "cpu/kernels.inc"
