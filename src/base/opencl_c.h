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

/* Loops of at most 16 rounds, which are known: without them. clang's pragma of a number leaves more
 * than that in a loop where another is around it. */
#if defined(__clang__)
#define UNROLLED _Pragma("unroll")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif

#endif
