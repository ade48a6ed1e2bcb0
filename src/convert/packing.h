/* packing.h: elements of 1, 2 or 4 bits, packed over a whole buffer, low bits first.
 *
 * Depends on nothing.
 */
#ifndef RLT_CONVERT_PACKING_H
#define RLT_CONVERT_PACKING_H

#include <stdint.h>

/* The bytes that `count` elements take; the last one may have bits to spare. */
static inline int64_t rlt_packed_bytes(int64_t count, int64_t bits) {
  const int64_t in_a_byte = 8 / bits;
  return count / in_a_byte + (count % in_a_byte != 0);
}

/* Element number `position`, the upper bits 0. */
static inline uint8_t rlt_packed_get(const uint8_t *packed, int64_t position, int64_t bits) {
  const int64_t in_a_byte = 8 / bits;
  const int64_t shift = position % in_a_byte * bits;
  return (uint8_t)(packed[position / in_a_byte] >> shift & ((1 << bits) - 1));
}

/* Puts the low bits of `element` there and leaves the others of that byte as they are. */
static inline void rlt_packed_put(uint8_t *packed, int64_t position, int64_t bits,
                                  uint8_t element) {
  const int64_t in_a_byte = 8 / bits;
  const int64_t shift = position % in_a_byte * bits;
  const int mask = ((1 << bits) - 1) << shift;
  uint8_t *const byte = &packed[position / in_a_byte];
  *byte = (uint8_t)((*byte & ~mask) | (element << shift & mask));
}

#endif
