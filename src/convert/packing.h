/* packing.h: elements of 1, 2 or 4 bits, packed over a whole buffer: a byte's first element lies in
 * its low bits, or in its high ones.
 *
 * Depends on nothing.
 */
#ifndef RLT_CONVERT_PACKING_H
#define RLT_CONVERT_PACKING_H

#include <stdbool.h>
#include <stdint.h>

/* The bytes that `count` elements take; the last one may have bits to spare. */
static inline int64_t rlt_packed_bytes(int64_t count, int64_t bits) {
  const int64_t in_a_byte = 8 / bits;
  return count / in_a_byte + (count % in_a_byte != 0);
}

/* How many lower bits of its byte lie below element number `position`. */
static inline int64_t rlt_packed_shift(int64_t position, int64_t bits, bool high_first) {
  const int64_t before = position % (8 / bits) * bits;
  return high_first ? 8 - bits - before : before;
}

/* Element number `position`, the upper bits 0. */
static inline uint8_t rlt_packed_get(const uint8_t *packed, int64_t position, int64_t bits,
                                     bool high_first) {
  const int64_t shift = rlt_packed_shift(position, bits, high_first);
  return (uint8_t)(packed[position / (8 / bits)] >> shift & ((1 << bits) - 1));
}

/* Puts the low bits of `element` there and leaves the others of that byte as they are. */
static inline void rlt_packed_put(uint8_t *packed, int64_t position, int64_t bits, bool high_first,
                                  uint8_t element) {
  const int64_t shift = rlt_packed_shift(position, bits, high_first);
  const int mask = ((1 << bits) - 1) << shift;
  uint8_t *const byte = &packed[position / (8 / bits)];
  *byte = (uint8_t)((*byte & ~mask) | (element << shift & mask));
}

/* The bits of a byte whose first elements take so many; the others are spare. */
static inline uint8_t rlt_packed_used(int64_t used_bits, bool high_first) {
  return (uint8_t)(high_first ? 0xff00 >> used_bits : (1 << used_bits) - 1);
}

/* A byte whose elements of so many bits have the opposite order. */
static inline uint8_t rlt_packed_reverse(uint8_t byte, int64_t bits) {
  unsigned made = byte;
  for (int64_t apart = 4; apart >= bits; apart /= 2) {
    const unsigned even = 0xffu / ((1u << apart) + 1); /* 0x0f, 0x33 or 0x55 */
    made = (made >> apart & even) | (made & even) << apart;
  }
  return (uint8_t)made;
}

#endif
