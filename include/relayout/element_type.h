/* element_type.h: the array element types of XLA's PrimitiveType, in one table. */
#ifndef RELAYOUT_ELEMENT_TYPE_H
#define RELAYOUT_ELEMENT_TYPE_H

#include <stddef.h>
#include <stdint.h>

#include "relayout/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(NAME, value, text, bits, kind, one, lowest, highest)
 *
 * `value` and `text` are XLA's (xla_data.proto, PrimitiveType). `bits` is the width of a value; an
 * element takes ceil(bits / 8) bytes, whose unused upper bits are zero. `one`, `lowest` and
 * `highest` are the bit patterns of these values (of the real part for complex types); lowest and
 * highest are -inf and +inf, or the finite extremes of a type without infinities. Two types lack a
 * value: s1 holds -1 and 0, so it has no one; f8e8m0fnu holds only powers of two, so its all-zero
 * pattern, which padding with zero writes, is 2^-127. */
#define RELAYOUT_ELEMENT_TYPE_TABLE(X)                                                             \
  X(PRED, 1, "pred", 1, PRED, 0x1, 0x0, 0x1)                                                       \
  X(S1, 30, "s1", 1, SIGNED, 0x0, 0x1, 0x0)                                                        \
  X(S2, 26, "s2", 2, SIGNED, 0x1, 0x2, 0x1)                                                        \
  X(S4, 21, "s4", 4, SIGNED, 0x1, 0x8, 0x7)                                                        \
  X(S8, 2, "s8", 8, SIGNED, 0x1, 0x80, 0x7f)                                                       \
  X(S16, 3, "s16", 16, SIGNED, 0x1, 0x8000, 0x7fff)                                                \
  X(S32, 4, "s32", 32, SIGNED, 0x1, 0x80000000, 0x7fffffff)                                        \
  X(S64, 5, "s64", 64, SIGNED, 0x1, 0x8000000000000000, 0x7fffffffffffffff)                        \
  X(U1, 31, "u1", 1, UNSIGNED, 0x1, 0x0, 0x1)                                                      \
  X(U2, 27, "u2", 2, UNSIGNED, 0x1, 0x0, 0x3)                                                      \
  X(U4, 22, "u4", 4, UNSIGNED, 0x1, 0x0, 0xf)                                                      \
  X(U8, 6, "u8", 8, UNSIGNED, 0x1, 0x0, 0xff)                                                      \
  X(U16, 7, "u16", 16, UNSIGNED, 0x1, 0x0, 0xffff)                                                 \
  X(U32, 8, "u32", 32, UNSIGNED, 0x1, 0x0, 0xffffffff)                                             \
  X(U64, 9, "u64", 64, UNSIGNED, 0x1, 0x0, 0xffffffffffffffff)                                     \
  X(F4E2M1FN, 32, "f4e2m1fn", 4, FLOAT, 0x2, 0xf, 0x7)                                             \
  X(F6E2M3FN, 36, "f6e2m3fn", 6, FLOAT, 0x8, 0x3f, 0x1f)                                           \
  X(F6E3M2FN, 35, "f6e3m2fn", 6, FLOAT, 0xc, 0x3f, 0x1f)                                           \
  X(F8E3M4, 29, "f8e3m4", 8, FLOAT, 0x30, 0xf0, 0x70)                                              \
  X(F8E4M3, 28, "f8e4m3", 8, FLOAT, 0x38, 0xf8, 0x78)                                              \
  X(F8E4M3FN, 20, "f8e4m3fn", 8, FLOAT, 0x38, 0xfe, 0x7e)                                          \
  X(F8E4M3FNUZ, 25, "f8e4m3fnuz", 8, FLOAT, 0x40, 0xff, 0x7f)                                      \
  X(F8E4M3B11FNUZ, 23, "f8e4m3b11fnuz", 8, FLOAT, 0x58, 0xff, 0x7f)                                \
  X(F8E5M2, 19, "f8e5m2", 8, FLOAT, 0x3c, 0xfc, 0x7c)                                              \
  X(F8E5M2FNUZ, 24, "f8e5m2fnuz", 8, FLOAT, 0x40, 0xff, 0x7f)                                      \
  X(F8E8M0FNU, 33, "f8e8m0fnu", 8, FLOAT, 0x7f, 0x00, 0xfe)                                        \
  X(F16, 10, "f16", 16, FLOAT, 0x3c00, 0xfc00, 0x7c00)                                             \
  X(BF16, 16, "bf16", 16, FLOAT, 0x3f80, 0xff80, 0x7f80)                                           \
  X(F32, 11, "f32", 32, FLOAT, 0x3f800000, 0xff800000, 0x7f800000)                                 \
  X(F64, 12, "f64", 64, FLOAT, 0x3ff0000000000000, 0xfff0000000000000, 0x7ff0000000000000)         \
  X(C64, 15, "c64", 64, COMPLEX, 0x3f800000, 0x0, 0x0)                                             \
  X(C128, 18, "c128", 128, COMPLEX, 0x3ff0000000000000, 0x0, 0x0)

typedef enum relayout_element_type {
  RELAYOUT_ELEMENT_TYPE_INVALID = 0,
#define RELAYOUT_ELEMENT_TYPE_ENUMERATOR(name, value, text, bits, kind, one, lowest, highest)      \
  RELAYOUT_##name = value,
  RELAYOUT_ELEMENT_TYPE_TABLE(RELAYOUT_ELEMENT_TYPE_ENUMERATOR)
#undef RELAYOUT_ELEMENT_TYPE_ENUMERATOR
} relayout_element_type;

typedef enum relayout_element_kind {
  RELAYOUT_KIND_INVALID = 0,
  RELAYOUT_KIND_PRED = 1,
  RELAYOUT_KIND_SIGNED = 2,
  RELAYOUT_KIND_UNSIGNED = 3,
  RELAYOUT_KIND_FLOAT = 4,
  RELAYOUT_KIND_COMPLEX = 5
} relayout_element_kind;

/* The widest element, in bytes. */
enum { RELAYOUT_MAX_ELEMENT_SIZE = 16 };

/* XLA's name of the type; "invalid" for a number outside the table. Static storage. */
RELAYOUT_API const char *relayout_element_type_name(relayout_element_type type);

/* Finds the type with exactly this name. Types that are not array elements (tuple, token, opaque)
 * are refused; the message names them. RELAYOUT_INVALID_TEXT. */
RELAYOUT_API relayout_status relayout_element_type_parse(const char *text,
                                                         relayout_element_type *type,
                                                         relayout_error *error);

/* Bits of a value, bytes of an element in memory, and kind; all 0 for a number outside the table.
 */
RELAYOUT_API int32_t relayout_element_type_bits(relayout_element_type type);
RELAYOUT_API size_t relayout_element_type_byte_size(relayout_element_type type);
RELAYOUT_API relayout_element_kind relayout_element_type_kind(relayout_element_type type);

#ifdef __cplusplus
}
#endif

#endif
