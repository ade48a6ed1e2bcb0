/* six_bits.h: elements of 6 bits as .safetensors files pack them, which no layout says: element i
 * at bit i * 6 % 8 of byte i * 6 / 8, low bits first. In memory each has a byte. */
#ifndef TOOLS_SIX_BITS_H
#define TOOLS_SIX_BITS_H

#include <stddef.h>
#include <stdint.h>

/* The bytes that so many elements are packed in. */
size_t six_bits_size(size_t count);

void six_bits_unpack(const uint8_t *packed, uint8_t *elements, size_t count);

/* The upper two bits of each are left out. Both may begin at the same place. */
void six_bits_pack(const uint8_t *elements, uint8_t *packed, size_t count);

#endif
