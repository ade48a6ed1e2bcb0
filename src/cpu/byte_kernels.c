/* byte_kernels.c: the kernels of one instruction set that know bytes alone, as one file: compilers
 * read the set's headers once. Macros name what is wanted of it, and what they define.
 */
#define ELEMENT_BYTES 1

#if defined(ROW_PASSES)
#include "cpu/rows_kernels.c"
#endif
#if defined(BYTE_PASSES)
#include "cpu/vbmi_kernels.c"
#endif
#if defined(LINE_KERNELS)
#include "cpu/line_kernels.c"
#endif
#if defined(KERNELS)
#include "cpu/kernels.c"
#endif
