/* oracle.c: the definition of a relayout, element by element. Depends on the
 * public structs alone. */
#include "oracle/oracle.h"

#include <stdint.h>
#include <string.h>

#include "oracle/conversion.h"
#include "oracle/formats.h"

/* ---- Padding -------------------------------------------------------------------------------- */

size_t oracle_element_size(relayout_element_type type) {
  const number_format format = format_of(type);
  return (format.kind == COMPLEX ? 2 : 1) * format_size(&format);
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

/* Infinity comes next after the greatest number. */
static uint64_t greatest_or_infinity(const number_format *format) {
  return format_greatest(format) + (format->top == TOP_INFINITY ? 1 : 0);
}

static bool highest(const number_format *format, uint64_t *pattern) {
  switch (format->kind) {
  case BOOLEAN:
    *pattern = 1;
    return true;
  case NATURAL:
    *pattern = format_ones(format->bits);
    return true;
  case TWOS_COMPLEMENT:
    *pattern = format_ones(format->bits - 1);
    return true;
  case FLOATING:
    *pattern = greatest_or_infinity(format);
    return true;
  case COMPLEX: /* has no order */
    return false;
  }
  return false;
}

static bool lowest(const number_format *format, uint64_t *pattern) {
  switch (format->kind) {
  case BOOLEAN:
  case NATURAL:
    *pattern = 0;
    return true;
  case TWOS_COMPLEMENT:
    *pattern = (uint64_t)1 << (format->bits - 1);
    return true;
  case FLOATING: /* the highest, negated; the smallest power where there is no sign */
    if (format_sign(format) == 0) {
      *pattern = 0;
      return true;
    }
    *pattern = greatest_or_infinity(format) + format_sign(format);
    return true;
  case COMPLEX:
    return false;
  }
  return false;
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
  format_store(&format, pattern, bytes);
  return true;
}

/* ---- Where elements lie --------------------------------------------------------------------- */

/* An element's place in an array of several dimensions, listed major to minor. A tile adds as many
 * dimensions as it has, and as many again in front where there are too few. */
typedef struct place {
  int32_t rank;
  int64_t extents[RELAYOUT_MAX_RANK + 2 * RELAYOUT_MAX_TILE_DIMENSIONS];
  int64_t digits[RELAYOUT_MAX_RANK + 2 * RELAYOUT_MAX_TILE_DIMENSIONS];
} place;

/* The width of logical dimension d in memory. */
static int64_t width(const relayout_shape *shape, int32_t d) {
  return shape->layout.padded_dimension_count > 0 ? shape->layout.padded_dimensions[d]
                                                  : shape->dimensions[d];
}

static void make_room(place *p, int32_t at, int32_t count) {
  const size_t size = (size_t)(p->rank - at) * sizeof(p->digits[0]);
  memmove(p->extents + at + count, p->extents + at, size);
  memmove(p->digits + at + count, p->digits + at, size);
  p->rank += count;
}

static void prepend_ones(place *p, int32_t count) {
  make_room(p, 0, count);
  for (int32_t i = 0; i < count; ++i) {
    p->extents[i] = 1;
    p->digits[i] = 0;
  }
}

/* Dimension i and the next more minor one become one. */
static void combine(place *p, int32_t i) {
  p->digits[i + 1] += p->digits[i] * p->extents[i + 1];
  p->extents[i + 1] *= p->extents[i];
  make_room(p, i + 1, -1);
}

/* Carries out one tile; XLA's rules, docs/tiled_layout.md. */
static void apply_tile(place *p, int32_t tile_rank, const int64_t *tile) {
  if (tile_rank > p->rank) {
    prepend_ones(p, tile_rank - p->rank);
  }
  int64_t sizes[RELAYOUT_MAX_TILE_DIMENSIONS];
  int32_t count = 0;
  int32_t at = p->rank - tile_rank; /* of the tile's next dimension */
  for (int32_t i = 0; i < tile_rank; ++i) {
    if (tile[i] == RELAYOUT_TILE_COMBINE) {
      combine(p, at);
    } else {
      sizes[count++] = tile[i];
      at += 1;
    }
  }
  const int32_t first = p->rank - count;
  make_room(p, p->rank, count);
  for (int32_t i = first; i < first + count; ++i) {
    const int64_t size = sizes[i - first];
    p->extents[i + count] = size;
    p->digits[i + count] = p->digits[i] % size;
    p->extents[i] = (p->extents[i] + size - 1) / size;
    p->digits[i] /= size;
  }
}

/* The place of an element after all tiles. */
static void find_place(const relayout_shape *shape, const int64_t *index, place *p) {
  const relayout_layout *layout = &shape->layout;
  p->rank = shape->rank;
  for (int32_t i = 0; i < p->rank; ++i) {
    const int32_t d = layout->minor_to_major[p->rank - 1 - i];
    p->extents[i] = width(shape, d);
    p->digits[i] = index[d];
  }
  const int64_t *tile = layout->tile_dimensions;
  for (int32_t i = 0; i < layout->tile_count; ++i) {
    apply_tile(p, layout->tile_ranks[i], tile);
    tile += layout->tile_ranks[i];
  }
}

int64_t oracle_linear_index(const relayout_shape *shape, const int64_t *index) {
  place p;
  find_place(shape, index, &p);
  int64_t number = 0;
  for (int32_t i = 0; i < p.rank; ++i) {
    number = number * p.extents[i] + p.digits[i];
  }
  return number;
}

int64_t oracle_element_count(const relayout_shape *shape) {
  const int64_t first[RELAYOUT_MAX_RANK] = {0};
  place p;
  find_place(shape, first, &p);
  int64_t count = 1;
  for (int32_t i = 0; i < p.rank; ++i) {
    count *= p.extents[i];
  }
  const int64_t alignment = shape->layout.tail_padding_alignment_in_elements;
  return alignment > 1 ? (count + alignment - 1) / alignment * alignment : count;
}

int64_t oracle_element_bits(const relayout_shape *shape) {
  const int64_t bits = shape->layout.element_size_in_bits;
  return bits > 0 ? bits : 8 * (int64_t)oracle_element_size(shape->element_type);
}

size_t oracle_byte_size(const relayout_shape *shape) {
  return ((size_t)oracle_element_count(shape) * (size_t)oracle_element_bits(shape) + 7) / 8;
}

/* ---- Elements in memory --------------------------------------------------------------------- */

/* The bits of its byte that lie below packed element `number`, of `bits` bits. The first element of
 * a byte has its lowest bits or, with RELAYOUT_PACKING_HIGH_FIRST, its highest ones. */
static int bits_below(const relayout_shape *shape, int64_t bits, int64_t number) {
  const int before = (int)(number * bits % 8);
  return shape->layout.packing_order == RELAYOUT_PACKING_HIGH_FIRST ? 8 - (int)bits - before
                                                                    : before;
}

/* Elements by their number: packed where they take fewer than 8 bits; else each with its own bytes
 * before those that its container has beyond them, which are zeros. */
static void read_element(const relayout_shape *shape, const void *array, int64_t number,
                         unsigned char *element) {
  const int64_t bits = oracle_element_bits(shape);
  const unsigned char *bytes = (const unsigned char *)array + number * bits / 8;
  if (bits >= 8) {
    memcpy(element, bytes, oracle_element_size(shape->element_type));
    return;
  }
  element[0] = (unsigned char)(bytes[0] >> bits_below(shape, bits, number) &
                               (int)format_ones((unsigned)bits));
}

static void write_bits(const relayout_shape *shape, int64_t bits, void *array, int64_t number,
                       int value) {
  unsigned char *byte = (unsigned char *)array + number * bits / 8;
  const int shift = bits_below(shape, bits, number);
  const int mask = (int)format_ones((unsigned)bits) << shift;
  *byte = (unsigned char)((*byte & ~mask) | (value << shift & mask));
}

static void write_element(const relayout_shape *shape, void *array, int64_t number,
                          const unsigned char *element) {
  const int64_t bits = oracle_element_bits(shape);
  if (bits < 8) {
    write_bits(shape, bits, array, number, element[0]);
    return;
  }
  const size_t own = oracle_element_size(shape->element_type);
  unsigned char *bytes = (unsigned char *)array + number * bits / 8;
  memcpy(bytes, element, own);
  memset(bytes + own, 0, (size_t)bits / 8 - own);
}

static void reverse(unsigned char *bytes, size_t count) {
  for (size_t i = 0; i < count / 2; ++i) {
    const unsigned char byte = bytes[i];
    bytes[i] = bytes[count - 1 - i];
    bytes[count - 1 - i] = byte;
  }
}

static void swap_bytes(relayout_element_type type, unsigned char *element) {
  const size_t size = oracle_element_size(type);
  if (type == RELAYOUT_C64 || type == RELAYOUT_C128) {
    reverse(element, size / 2);
    reverse(element + size / 2, size / 2);
  } else {
    reverse(element, size);
  }
}

/* ---- The definition ------------------------------------------------------------------------- */

/* Fills the array with padding, which elements replace later; and behind the last one of a packed
 * array, what is left of the byte with zeros. */
static void write_padding(const relayout_shape *shape, bool is_swapped, void *array) {
  const int64_t bits = oracle_element_bits(shape);
  const int64_t count = oracle_element_count(shape);
  unsigned char padding[RELAYOUT_MAX_ELEMENT_SIZE];
  if (oracle_padding(&shape->layout, shape->element_type, padding)) {
    if (is_swapped) {
      swap_bytes(shape->element_type, padding);
    }
    for (int64_t i = 0; i < count; ++i) {
      write_element(shape, array, i, padding);
    }
  }
  for (int64_t bit = count * bits; bit % 8 != 0; ++bit) {
    write_bits(shape, 1, array, bit, 0);
  }
}

static int64_t dot(int32_t rank, const int64_t *index, const int64_t *strides) {
  int64_t sum = 0;
  for (int32_t d = 0; d < rank; ++d) {
    sum += index[d] * strides[d];
  }
  return sum;
}

/* Steps through all indices; false after the last one. */
static bool next_index(const relayout_shape *shape, int64_t *index) {
  for (int32_t d = shape->rank - 1; d >= 0; --d) {
    index[d] += 1;
    if (index[d] < shape->dimensions[d]) {
      return true;
    }
    index[d] = 0;
  }
  return false;
}

static bool has_elements(const relayout_shape *shape) {
  for (int32_t d = 0; d < shape->rank; ++d) {
    if (shape->dimensions[d] == 0) {
      return false;
    }
  }
  return true;
}

void oracle_relayout_with(const oracle_options *options, const relayout_shape *from,
                          const relayout_shape *to, const void *source, void *destination) {
  const int64_t *from_strides = options->source_byte_strides;
  const int64_t *to_strides = options->destination_byte_strides;
  const bool converts = from->element_type != to->element_type || options->scale != 1;
  if (to_strides == NULL) {
    write_padding(to, options->destination_is_swapped, destination);
  }
  if (!has_elements(to)) {
    return;
  }
  int64_t index[RELAYOUT_MAX_RANK] = {0};
  do {
    unsigned char element[RELAYOUT_MAX_ELEMENT_SIZE];
    if (from_strides != NULL) {
      memcpy(element, (const char *)source + dot(from->rank, index, from_strides),
             oracle_element_size(from->element_type));
    } else {
      read_element(from, source, oracle_linear_index(from, index), element);
    }
    if (options->source_is_swapped) {
      swap_bytes(from->element_type, element);
    }
    if (converts) {
      oracle_convert(from->element_type, to->element_type, options->wraps, options->to_nearest,
                     options->scale, element, element);
    }
    if (options->destination_is_swapped) {
      swap_bytes(to->element_type, element);
    }
    if (to_strides != NULL) {
      memcpy((char *)destination + dot(to->rank, index, to_strides), element,
             oracle_element_size(to->element_type));
    } else {
      write_element(to, destination, oracle_linear_index(to, index), element);
    }
  } while (next_index(to, index));
}

void oracle_relayout(const relayout_shape *from, const relayout_shape *to, const void *source,
                     void *destination) {
  const oracle_options options = ORACLE_OPTIONS_INIT;
  oracle_relayout_with(&options, from, to, source, destination);
}
