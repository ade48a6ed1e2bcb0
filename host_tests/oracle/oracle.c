/* The definition of a relayout, and the number formats' facts that its padding needs. Depends on
 * the public structs alone. */
#include "oracle/oracle.h"

#include <stdint.h>
#include <string.h>

/* ---- Number formats ------------------------------------------------------------------------- */

typedef enum format_kind {
  BOOLEAN,
  TWOS_COMPLEMENT,
  NATURAL,
  FLOATING, /* one number */
  COMPLEX   /* two numbers of this format, the real one first */
} format_kind;

/* What the largest magnitudes of a floating format stand for. */
typedef enum format_top {
  TOP_INFINITY, /* the largest exponent is infinity and NaN, as in IEEE 754 */
  TOP_NAN,      /* the largest pattern alone is NaN: ...fn of 8 bits */
  TOP_FINITE    /* all are numbers: ...fnuz, and ...fn of fewer bits */
} format_top;

typedef struct number_format {
  format_kind kind;
  unsigned bits; /* of the number, or of each of the two */
  unsigned exponent_bits;
  unsigned mantissa_bits;
  unsigned bias;
  format_top top;
} number_format;

static number_format format_of(relayout_element_type type) {
  switch (type) {
  case RELAYOUT_PRED:
    return (number_format){BOOLEAN, 8, 0, 0, 0, TOP_FINITE};
  case RELAYOUT_S1:
    return (number_format){TWOS_COMPLEMENT, 1, 0, 0, 0, TOP_FINITE};
  case RELAYOUT_S2:
    return (number_format){TWOS_COMPLEMENT, 2, 0, 0, 0, TOP_FINITE};
  case RELAYOUT_S4:
    return (number_format){TWOS_COMPLEMENT, 4, 0, 0, 0, TOP_FINITE};
  case RELAYOUT_S8:
    return (number_format){TWOS_COMPLEMENT, 8, 0, 0, 0, TOP_FINITE};
  case RELAYOUT_S16:
    return (number_format){TWOS_COMPLEMENT, 16, 0, 0, 0, TOP_FINITE};
  case RELAYOUT_S32:
    return (number_format){TWOS_COMPLEMENT, 32, 0, 0, 0, TOP_FINITE};
  case RELAYOUT_S64:
    return (number_format){TWOS_COMPLEMENT, 64, 0, 0, 0, TOP_FINITE};
  case RELAYOUT_U1:
    return (number_format){NATURAL, 1, 0, 0, 0, TOP_FINITE};
  case RELAYOUT_U2:
    return (number_format){NATURAL, 2, 0, 0, 0, TOP_FINITE};
  case RELAYOUT_U4:
    return (number_format){NATURAL, 4, 0, 0, 0, TOP_FINITE};
  case RELAYOUT_U8:
    return (number_format){NATURAL, 8, 0, 0, 0, TOP_FINITE};
  case RELAYOUT_U16:
    return (number_format){NATURAL, 16, 0, 0, 0, TOP_FINITE};
  case RELAYOUT_U32:
    return (number_format){NATURAL, 32, 0, 0, 0, TOP_FINITE};
  case RELAYOUT_U64:
    return (number_format){NATURAL, 64, 0, 0, 0, TOP_FINITE};
  case RELAYOUT_F4E2M1FN:
    return (number_format){FLOATING, 4, 2, 1, 1, TOP_FINITE};
  case RELAYOUT_F6E2M3FN:
    return (number_format){FLOATING, 6, 2, 3, 1, TOP_FINITE};
  case RELAYOUT_F6E3M2FN:
    return (number_format){FLOATING, 6, 3, 2, 3, TOP_FINITE};
  case RELAYOUT_F8E3M4:
    return (number_format){FLOATING, 8, 3, 4, 3, TOP_INFINITY};
  case RELAYOUT_F8E4M3:
    return (number_format){FLOATING, 8, 4, 3, 7, TOP_INFINITY};
  case RELAYOUT_F8E4M3FN:
    return (number_format){FLOATING, 8, 4, 3, 7, TOP_NAN};
  case RELAYOUT_F8E4M3FNUZ:
    return (number_format){FLOATING, 8, 4, 3, 8, TOP_FINITE};
  case RELAYOUT_F8E4M3B11FNUZ:
    return (number_format){FLOATING, 8, 4, 3, 11, TOP_FINITE};
  case RELAYOUT_F8E5M2:
    return (number_format){FLOATING, 8, 5, 2, 15, TOP_INFINITY};
  case RELAYOUT_F8E5M2FNUZ:
    return (number_format){FLOATING, 8, 5, 2, 16, TOP_FINITE};
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
  return (number_format){BOOLEAN, 0, 0, 0, 0, TOP_FINITE};
}

static size_t number_size(const number_format *format) {
  return (format->bits + 7) / 8;
}

size_t oracle_element_size(relayout_element_type type) {
  const number_format format = format_of(type);
  return (format.kind == COMPLEX ? 2 : 1) * number_size(&format);
}

static uint64_t ones(unsigned bits) {
  return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static bool one(const number_format *format, uint64_t *pattern) {
  switch (format->kind) {
  case BOOLEAN:
  case NATURAL:
    *pattern = 1;
    return true;
  case TWOS_COMPLEMENT: /* one bit holds 0 and -1 */
    *pattern = 1;
    return format->bits > 1;
  case FLOATING:
  case COMPLEX: /* 2 to the power 0 */
    *pattern = (uint64_t)format->bias << format->mantissa_bits;
    return true;
  }
  return false;
}

static bool highest(const number_format *format, uint64_t *pattern) {
  const unsigned magnitude_bits = format->exponent_bits + format->mantissa_bits;
  switch (format->kind) {
  case BOOLEAN:
    *pattern = 1;
    return true;
  case NATURAL:
    *pattern = ones(format->bits);
    return true;
  case TWOS_COMPLEMENT:
    *pattern = ones(format->bits - 1);
    return true;
  case FLOATING:
    *pattern = ones(magnitude_bits);
    if (format->top == TOP_NAN) {
      *pattern -= 1;
    } else if (format->top == TOP_INFINITY) {
      *pattern -= ones(format->mantissa_bits);
    }
    return true;
  case COMPLEX: /* has no order */
    return false;
  }
  return false;
}

static bool lowest(const number_format *format, uint64_t *pattern) {
  const unsigned sign_bit = format->exponent_bits + format->mantissa_bits;
  switch (format->kind) {
  case BOOLEAN:
  case NATURAL:
    *pattern = 0;
    return true;
  case TWOS_COMPLEMENT:
    *pattern = (uint64_t)1 << (format->bits - 1);
    return true;
  case FLOATING: /* the highest, negated; the smallest power where there is no sign */
    if (sign_bit == format->bits) {
      *pattern = 0;
      return true;
    }
    highest(format, pattern);
    *pattern |= (uint64_t)1 << sign_bit;
    return true;
  case COMPLEX:
    return false;
  }
  return false;
}

/* Writes a number in the host's byte order. */
static void store(uint64_t pattern, size_t size, unsigned char *bytes) {
  const uint8_t narrow = (uint8_t)pattern;
  const uint16_t half = (uint16_t)pattern;
  const uint32_t word = (uint32_t)pattern;
  switch (size) {
  case 1:
    memcpy(bytes, &narrow, 1);
    return;
  case 2:
    memcpy(bytes, &half, 2);
    return;
  case 4:
    memcpy(bytes, &word, 4);
    return;
  default:
    memcpy(bytes, &pattern, 8);
    return;
  }
}

static bool padding_number(const number_format *format, relayout_padding_value value,
                           uint64_t *pattern) {
  switch (value) {
  case RELAYOUT_PADDING_ZERO:
    *pattern = 0;
    return true;
  case RELAYOUT_PADDING_ONE:
    return one(format, pattern);
  case RELAYOUT_PADDING_LOWEST:
    return lowest(format, pattern);
  case RELAYOUT_PADDING_HIGHEST:
    return highest(format, pattern);
  case RELAYOUT_PADDING_UNKNOWN:
  case RELAYOUT_PADDING_LITERAL:
    break;
  }
  return false;
}

bool oracle_padding(const relayout_layout *layout, relayout_element_type type,
                    unsigned char bytes[RELAYOUT_MAX_ELEMENT_SIZE]) {
  const size_t size = oracle_element_size(type);
  if (layout->padding_value == RELAYOUT_PADDING_LITERAL) {
    memcpy(bytes, layout->padding_literal, size);
    return true;
  }
  const number_format format = format_of(type);
  uint64_t pattern;
  if (!padding_number(&format, layout->padding_value, &pattern)) {
    return false;
  }
  memset(bytes, 0, size); /* the imaginary part, where there is one */
  store(pattern, number_size(&format), bytes);
  return true;
}

/* ---- The definition ------------------------------------------------------------------------- */

/* The width of logical dimension d in memory. */
static int64_t width(const relayout_shape *shape, int32_t d) {
  return shape->layout.padded_dimension_count > 0 ? shape->layout.padded_dimensions[d]
                                                  : shape->dimensions[d];
}

size_t oracle_byte_size(const relayout_shape *shape) {
  size_t bytes = oracle_element_size(shape->element_type);
  for (int32_t d = 0; d < shape->rank; ++d) {
    bytes *= (size_t)width(shape, d);
  }
  return bytes;
}

/* Where an element lies: the fastest dimension first, each step of the next one passing over all
 * that came before. */
static size_t element_number(const relayout_shape *shape, const int64_t *index) {
  size_t number = 0;
  size_t stride = 1;
  for (int32_t i = 0; i < shape->rank; ++i) {
    const int32_t d = shape->layout.minor_to_major[i];
    number += (size_t)index[d] * stride;
    stride *= (size_t)width(shape, d);
  }
  return number;
}

static bool is_in_bounds(const relayout_shape *shape, const int64_t *index) {
  for (int32_t d = 0; d < shape->rank; ++d) {
    if (index[d] >= shape->dimensions[d]) {
      return false;
    }
  }
  return true;
}

/* Steps through all positions in memory, padding included; false after the last one. */
static bool next_position(const relayout_shape *shape, int64_t *index) {
  for (int32_t d = shape->rank - 1; d >= 0; --d) {
    index[d] += 1;
    if (index[d] < width(shape, d)) {
      return true;
    }
    index[d] = 0;
  }
  return false;
}

void oracle_relayout(const relayout_shape *from, const relayout_shape *to, const void *source,
                     void *destination) {
  if (oracle_byte_size(to) == 0) {
    return;
  }
  const size_t size = oracle_element_size(to->element_type);
  unsigned char padding[RELAYOUT_MAX_ELEMENT_SIZE];
  const bool writes_padding = oracle_padding(&to->layout, to->element_type, padding);
  int64_t index[RELAYOUT_MAX_RANK] = {0};
  do {
    unsigned char *element = (unsigned char *)destination + element_number(to, index) * size;
    if (is_in_bounds(to, index)) {
      memcpy(element, (const unsigned char *)source + element_number(from, index) * size, size);
    } else if (writes_padding) {
      memcpy(element, padding, size);
    }
  } while (next_position(to, index));
}
