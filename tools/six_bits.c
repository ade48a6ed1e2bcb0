/* six_bits.c: four elements, one after the other, through a number of 24 bits. */
#include "six_bits.h"

enum { AT_ONCE = 4, PACKED = 3 };

size_t six_bits_size(size_t count) {
  const size_t rest = count % AT_ONCE;
  return count / AT_ONCE * PACKED + (rest * 6 + 7) / 8;
}

void six_bits_unpack(const uint8_t *packed, uint8_t *elements, size_t count) {
  for (size_t i = 0; i < count; i += AT_ONCE) {
    const size_t some = count - i < AT_ONCE ? count - i : AT_ONCE;
    uint32_t bits = 0;
    for (size_t b = 0; b < six_bits_size(some); b++) {
      bits |= (uint32_t)packed[i / AT_ONCE * PACKED + b] << 8 * b;
    }
    for (size_t e = 0; e < some; e++) {
      elements[i + e] = (uint8_t)(bits >> 6 * e & 0x3f);
    }
  }
}

void six_bits_pack(const uint8_t *elements, uint8_t *packed, size_t count) {
  for (size_t i = 0; i < count; i += AT_ONCE) {
    const size_t some = count - i < AT_ONCE ? count - i : AT_ONCE;
    uint32_t bits = 0;
    for (size_t e = 0; e < some; e++) {
      bits |= (uint32_t)(elements[i + e] & 0x3f) << 6 * e;
    }
    for (size_t b = 0; b < six_bits_size(some); b++) {
      packed[i / AT_ONCE * PACKED + b] = (uint8_t)(bits >> 8 * b);
    }
  }
}
