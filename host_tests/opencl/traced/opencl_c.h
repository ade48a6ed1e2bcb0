/* opencl_c.h: as much of OpenCL C as the staged kernels need to be compiled as C. translate.cmake
 * says what is left of their text to change. */
#ifndef HOST_TESTS_OPENCL_TRACED_OPENCL_C_H
#define HOST_TESTS_OPENCL_TRACED_OPENCL_C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opencl/traced/group.h"

typedef uint8_t uchar;
typedef uint16_t ushort;
typedef uint32_t uint;
typedef uint64_t ulong;

#define VECTOR(type, name, size) typedef type name __attribute__((vector_size(size)))
VECTOR(uchar, uchar4, 4);
VECTOR(ushort, ushort2, 4);
VECTOR(int, int2, 8);
VECTOR(long, long2, 16);
VECTOR(uint, uint2, 8);
VECTOR(uint, uint4, 16);
VECTOR(ulong, ulong2, 16);

/* A cast between vectors and whole numbers of one size keeps the bits; between
 * these and floats it does not. */
#define WITH_BITS_OF(type, value)                                                                  \
  ({                                                                                               \
    __typeof__(value) given_bits = (value);                                                        \
    type same_bits;                                                                                \
    __builtin_memcpy(&same_bits, &given_bits, sizeof same_bits);                                   \
    same_bits;                                                                                     \
  })
#define as_uint(value)    WITH_BITS_OF(uint, value)
#define as_int(value)     WITH_BITS_OF(int, value)
#define as_float(value)   WITH_BITS_OF(float, value)
#define as_uchar4(value)  ((uchar4)(value))
#define as_ushort2(value) ((ushort2)(value))
#define as_ulong(value)   WITH_BITS_OF(ulong, value)
#define as_uint4(value)   ((uint4)(value))
#define as_ulong2(value)  ((ulong2)(value))

static inline uint4 halves_of(uint4 first, uint4 second) {
  return (uint4){first[0], first[1], second[2], second[3]};
}

#define MAKE(type, ...) ((type){__VA_ARGS__})

static inline uint mul_hi(uint a, uint b) {
  return (uint)((ulong)a * b >> 32);
}

static inline int clz(uint value) {
  return __builtin_clz(value);
}

#define min(a, b)               ((a) < (b) ? (a) : (b))
#define max(a, b)               ((a) > (b) ? (a) : (b))
#define clamp(value, low, high) min(max(value, low), high)

#define __kernel static
#define __global
#define __constant
#define __local
#define reqd_work_group_size(x, y, z)
#define __ENDIAN_LITTLE__   1
#define CLK_LOCAL_MEM_FENCE 1
#define get_group_id(axis)  traced_group_id()
#define get_local_id(axis)  traced_local_id()
#define barrier(fence)      traced_barrier()

#endif
