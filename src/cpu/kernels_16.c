/* kernels_16.c: the kernels for elements of 16 bytes. */
#define ELEMENT_BYTES 16
#define KERNELS       rlt_cpu_kernels_16
#include "cpu/kernels.inc"
