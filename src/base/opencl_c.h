/* opencl_c.h: as much of OpenCL C as GNU C needs for the sources of cl/ that CPU devices and the
 * CPU backend share.
 *
 * Depends on nothing.
 */
#ifndef RLT_BASE_OPENCL_C_H
#define RLT_BASE_OPENCL_C_H

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t uint;
typedef uint64_t ulong;

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Loops of at most so many rounds, which are known: without them. */
#define UNROLLED _Pragma("GCC unroll 16")

#endif
