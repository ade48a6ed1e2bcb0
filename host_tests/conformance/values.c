/* Drawing elements. Those beside the other type's numbers are found by the oracle's own arithmetic,
 * which need not be right: near is enough. */
#include "conformance/values.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "conformance/random.h"
#include "oracle/conversion.h"
#include "oracle/formats.h"

static uint64_t random_pattern(uint64_t *random, const number_format *format) {
  return random_next(random) & format_ones(format->bits);
}

/* A single bit or all but one, one more or less, negated or not. */
static uint64_t edge_pattern(uint64_t *random, const number_format *format) {
  uint64_t pattern = (uint64_t)1 << random_below(random, format->bits);
  pattern += (uint64_t)random_below(random, 3) - 1;
  pattern = random_below(random, 2) == 0 ? ~pattern : pattern;
  pattern ^= (uint64_t)random_below(random, 2) << (format->bits - 1);
  return pattern & format_ones(format->bits);
}

static double value_of(relayout_element_type type, uint64_t pattern) {
  const number_format format = format_of(type);
  unsigned char element[8];
  format_store(&format, pattern, element);
  return oracle_value(type, element);
}

/* What the scale brings to a number of the type `to`, or to the middle of two;
 * or one beside that. */
static uint64_t neighbour_pattern(uint64_t *random, relayout_element_type from,
                                  relayout_element_type to, double scale) {
  const number_format from_format = format_of(from);
  const number_format to_format = format_of(to);
  const uint64_t pattern = random_below(random, 2) == 0 ? random_pattern(random, &to_format)
                                                        : edge_pattern(random, &to_format);
  double value = value_of(to, pattern);
  if (random_below(random, 2) == 0) {
    value = value / 2 + value_of(to, (pattern + 1) & format_ones(to_format.bits)) / 2;
  }
  value /= scale;
  unsigned char bytes[sizeof(double)];
  unsigned char element[8];
  memcpy(bytes, &value, sizeof(value));
  oracle_convert(RELAYOUT_F64, from, false, false, 1, bytes, element);
  return (format_load(&from_format, element) + (uint64_t)random_below(random, 3) - 1) &
         format_ones(from_format.bits);
}

static uint64_t draw_pattern(uint64_t *random, relayout_element_type from, relayout_element_type to,
                             double scale) {
  const number_format format = format_of(from);
  switch (random_below(random, 4)) {
  case 0:
    return random_pattern(random, &format);
  case 1:
    return edge_pattern(random, &format);
  default:
    return neighbour_pattern(random, from, to, scale);
  }
}

void values_draw(relayout_element_type from, relayout_element_type to, double scale, size_t count,
                 unsigned char *bytes) {
  const number_format format = format_of(from);
  const bool has_all = format.bits <= 16 && count >> format.bits != 0;
  uint64_t random = random_mix((uint64_t)from << 32 | (uint64_t)to);
  for (size_t i = 0; i < count; ++i) {
    unsigned char *element = bytes + i * format_size(&format);
    uint64_t pattern =
        has_all ? i & format_ones(format.bits) : draw_pattern(&random, from, to, scale);
    if (format.bits < 8) {
      pattern |= random_next(&random) << format.bits;
    }
    format_store(&format, pattern, element);
  }
}
