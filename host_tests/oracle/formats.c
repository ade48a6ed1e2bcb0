/* formats.c: the number formats, one by one, and how their patterns count up with their values. */
#include "oracle/formats.h"

#include <string.h>

number_format format_of(relayout_element_type type) {
  switch (type) {
  case RELAYOUT_PRED:
    return (number_format){BOOLEAN, 8, 0, 0, 0, ALL_NUMBERS};
  case RELAYOUT_S1:
    return (number_format){TWOS_COMPLEMENT, 1, 0, 0, 0, ALL_NUMBERS};
  case RELAYOUT_S2:
    return (number_format){TWOS_COMPLEMENT, 2, 0, 0, 0, ALL_NUMBERS};
  case RELAYOUT_S4:
    return (number_format){TWOS_COMPLEMENT, 4, 0, 0, 0, ALL_NUMBERS};
  case RELAYOUT_S8:
    return (number_format){TWOS_COMPLEMENT, 8, 0, 0, 0, ALL_NUMBERS};
  case RELAYOUT_S16:
    return (number_format){TWOS_COMPLEMENT, 16, 0, 0, 0, ALL_NUMBERS};
  case RELAYOUT_S32:
    return (number_format){TWOS_COMPLEMENT, 32, 0, 0, 0, ALL_NUMBERS};
  case RELAYOUT_S64:
    return (number_format){TWOS_COMPLEMENT, 64, 0, 0, 0, ALL_NUMBERS};
  case RELAYOUT_U1:
    return (number_format){NATURAL, 1, 0, 0, 0, ALL_NUMBERS};
  case RELAYOUT_U2:
    return (number_format){NATURAL, 2, 0, 0, 0, ALL_NUMBERS};
  case RELAYOUT_U4:
    return (number_format){NATURAL, 4, 0, 0, 0, ALL_NUMBERS};
  case RELAYOUT_U8:
    return (number_format){NATURAL, 8, 0, 0, 0, ALL_NUMBERS};
  case RELAYOUT_U16:
    return (number_format){NATURAL, 16, 0, 0, 0, ALL_NUMBERS};
  case RELAYOUT_U32:
    return (number_format){NATURAL, 32, 0, 0, 0, ALL_NUMBERS};
  case RELAYOUT_U64:
    return (number_format){NATURAL, 64, 0, 0, 0, ALL_NUMBERS};
  case RELAYOUT_F4E2M1FN:
    return (number_format){FLOATING, 4, 2, 1, 1, ALL_NUMBERS};
  case RELAYOUT_F6E2M3FN:
    return (number_format){FLOATING, 6, 2, 3, 1, ALL_NUMBERS};
  case RELAYOUT_F6E3M2FN:
    return (number_format){FLOATING, 6, 3, 2, 3, ALL_NUMBERS};
  case RELAYOUT_F8E3M4:
    return (number_format){FLOATING, 8, 3, 4, 3, TOP_INFINITY};
  case RELAYOUT_F8E4M3:
    return (number_format){FLOATING, 8, 4, 3, 7, TOP_INFINITY};
  case RELAYOUT_F8E4M3FN:
    return (number_format){FLOATING, 8, 4, 3, 7, TOP_NAN};
  case RELAYOUT_F8E4M3FNUZ:
    return (number_format){FLOATING, 8, 4, 3, 8, NAN_FOR_MINUS_0};
  case RELAYOUT_F8E4M3B11FNUZ:
    return (number_format){FLOATING, 8, 4, 3, 11, NAN_FOR_MINUS_0};
  case RELAYOUT_F8E5M2:
    return (number_format){FLOATING, 8, 5, 2, 15, TOP_INFINITY};
  case RELAYOUT_F8E5M2FNUZ:
    return (number_format){FLOATING, 8, 5, 2, 16, NAN_FOR_MINUS_0};
  case RELAYOUT_F8E8M0FNU: /* no sign: the exponent takes all bits */
    return (number_format){FLOATING, 8, 8, 0, 127, TOP_NAN};
  case RELAYOUT_F16:
    return (number_format){FLOATING, 16, 5, 10, 15, TOP_INFINITY};
  case RELAYOUT_BF16:
    return (number_format){FLOATING, 16, 8, 7, 127, TOP_INFINITY};
  case RELAYOUT_F32:
    return (number_format){FLOATING, 32, 8, 23, 127, TOP_INFINITY};
  case RELAYOUT_F64:
    return (number_format){FLOATING, 64, 11, 52, 1023, TOP_INFINITY};
  case RELAYOUT_C64:
    return (number_format){COMPLEX, 32, 8, 23, 127, TOP_INFINITY};
  case RELAYOUT_C128:
    return (number_format){COMPLEX, 64, 11, 52, 1023, TOP_INFINITY};
  case RELAYOUT_ELEMENT_TYPE_INVALID:
    break;
  }
  return (number_format){BOOLEAN, 0, 0, 0, 0, ALL_NUMBERS};
}

size_t format_size(const number_format *format) {
  return (format->bits + 7) / 8;
}

uint64_t format_ones(unsigned bits) {
  return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

uint64_t format_load(const number_format *format, const unsigned char *bytes) {
  uint8_t narrow;
  uint16_t half;
  uint32_t word;
  uint64_t pattern;
  switch (format_size(format)) {
  case 1:
    memcpy(&narrow, bytes, sizeof(narrow));
    return narrow & format_ones(format->bits);
  case 2:
    memcpy(&half, bytes, sizeof(half));
    return half;
  case 4:
    memcpy(&word, bytes, sizeof(word));
    return word;
  default:
    memcpy(&pattern, bytes, sizeof(pattern));
    return pattern;
  }
}

void format_store(const number_format *format, uint64_t pattern, unsigned char *bytes) {
  const uint8_t narrow = (uint8_t)pattern;
  const uint16_t half = (uint16_t)pattern;
  const uint32_t word = (uint32_t)pattern;
  switch (format_size(format)) {
  case 1:
    memcpy(bytes, &narrow, sizeof(narrow));
    return;
  case 2:
    memcpy(bytes, &half, sizeof(half));
    return;
  case 4:
    memcpy(bytes, &word, sizeof(word));
    return;
  default:
    memcpy(bytes, &pattern, sizeof(pattern));
    return;
  }
}

uint64_t format_sign(const number_format *format) {
  const unsigned magnitude_bits = format->exponent_bits + format->mantissa_bits;
  return magnitude_bits < format->bits ? (uint64_t)1 << magnitude_bits : 0;
}

uint64_t format_greatest(const number_format *format) {
  const uint64_t last = format_ones(format->exponent_bits + format->mantissa_bits);
  switch (format->top) {
  case TOP_INFINITY: /* below infinity, whose mantissa is all zeros */
    return last - format_ones(format->mantissa_bits) - 1;
  case TOP_NAN:
    return last - 1;
  case NAN_FOR_MINUS_0:
  case ALL_NUMBERS:
    break;
  }
  return last;
}
