/* Drawing shapes. The numbers are those of the splitmix64 generator. */
#include "conformance/random.h"

#include <string.h>

#include "oracle/formats.h"
#include "oracle/oracle.h"

uint64_t random_mix(uint64_t number) {
  uint64_t z = number + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

uint64_t random_next(uint64_t *state) {
  const uint64_t number = random_mix(*state);
  *state += 0x9e3779b97f4a7c15;
  return number;
}

int64_t random_below(uint64_t *state, int64_t count) {
  return (int64_t)(random_next(state) % (uint64_t)count);
}

relayout_element_type random_element_type(uint64_t *state) {
  static const relayout_element_type types[] = {
#define TYPE(name, ...) RELAYOUT_##name,
      RELAYOUT_ELEMENT_TYPE_TABLE(TYPE)
#undef TYPE
  };
  return types[random_below(state, sizeof(types) / sizeof(types[0]))];
}

static int64_t random_dimension(uint64_t *state) {
  switch (random_below(state, 8)) {
  case 0:
    return 1;
  case 1:
    return 2;
  case 2:
    return random_below(state, 40) == 0 ? 0 : 3;
  case 3:
    return 1 + random_below(state, 70);
  default:
    return 1 + random_below(state, 12);
  }
}

uint8_t random_element_byte(uint64_t *state, relayout_element_type type) {
  const number_format format = format_of(type);
  const unsigned bits = format.kind == BOOLEAN ? 1 : format.bits;
  const uint8_t byte = (uint8_t)(random_next(state) >> 13);
  return bits < 8 ? (uint8_t)(byte & ((1U << bits) - 1)) : byte;
}

void random_dimensions(uint64_t *state, relayout_element_type type, int32_t rank,
                       int64_t max_elements, relayout_shape *shape) {
  memset(shape, 0, sizeof(*shape));
  shape->element_type = type;
  shape->rank = rank;
  int64_t room = max_elements;
  for (int32_t d = 0; d < rank; ++d) {
    const int64_t size = random_dimension(state);
    shape->dimensions[d] = size <= room ? size : room;
    room /= size > 0 ? size : 1;
    room = room > 0 ? room : 1;
  }
}

void random_order(uint64_t *state, relayout_shape *shape) {
  memset(&shape->layout, 0, sizeof(shape->layout));
  shape->layout.rank = shape->rank;
  int32_t *order = shape->layout.minor_to_major;
  for (int32_t i = 0; i < shape->rank; ++i) {
    const int32_t other = (int32_t)random_below(state, i + 1);
    order[i] = order[other];
    order[other] = i;
  }
}

void random_padding(uint64_t *state, relayout_shape *shape) {
  relayout_layout *layout = &shape->layout;
  if (shape->rank == 0) {
    return;
  }
  layout->padded_dimension_count = shape->rank;
  memcpy(layout->padded_dimensions, shape->dimensions, sizeof(shape->dimensions));
  const int64_t widenings = 1 + random_below(state, 3);
  for (int64_t i = 0; i < widenings; ++i) {
    const int64_t d = random_below(state, shape->rank);
    const int64_t size = shape->dimensions[d];
    const bool to_line = size > 2 && random_below(state, 2) == 0;
    layout->padded_dimensions[d] =
        to_line ? size / 16 * 16 + 16 : size + 1 + random_below(state, 3);
  }
}

static int64_t random_tile_size(uint64_t *state) {
  static const int64_t sizes[] = {1, 2, 2, 3, 4, 4, 5, 7, 8, 16};
  return sizes[random_below(state, sizeof(sizes) / sizeof(sizes[0]))];
}

void random_tiles(uint64_t *state, int64_t max_elements, relayout_shape *shape) {
  relayout_layout *layout = &shape->layout;
  int64_t *sizes = layout->tile_dimensions;
  const int64_t tiles = 1 + random_below(state, 3);
  for (int64_t t = 0; t < tiles; ++t) {
    const int32_t rank = 1 + (int32_t)random_below(state, shape->rank < 3 ? 3 : shape->rank);
    for (int32_t i = 0; i < rank; ++i) {
      const bool combines = i + 1 < rank && random_below(state, 6) == 0;
      sizes[i] = combines ? RELAYOUT_TILE_COMBINE : random_tile_size(state);
    }
    layout->tile_ranks[layout->tile_count++] = rank;
    if (oracle_element_count(shape) > max_elements) {
      layout->tile_ranks[--layout->tile_count] = 0;
      memset(sizes, 0, (size_t)rank * sizeof(sizes[0]));
      return;
    }
    sizes += rank;
  }
}

void random_tail(uint64_t *state, relayout_shape *shape) {
  static const int64_t alignments[] = {2, 3, 8, 10, 32, 100};
  shape->layout.tail_padding_alignment_in_elements =
      alignments[random_below(state, sizeof(alignments) / sizeof(alignments[0]))];
}

int64_t random_packing(uint64_t *state, relayout_element_type type) {
  static const int64_t packings[] = {1, 2, 4};
  const number_format format = format_of(type);
  const unsigned type_bits = format.kind == BOOLEAN ? 1 : format.bits;
  const int64_t least = type_bits == 1 ? 0 : type_bits == 2 ? 1 : 2;
  return type_bits > 4 ? 0 : packings[least + random_below(state, 3 - least)];
}

int64_t random_element_bits(uint64_t *state, relayout_element_type type) {
  enum { WIDEST = 32 };
  const int64_t packed = random_packing(state, type);
  const int64_t whole = 8 * (int64_t)oracle_element_size(type);
  switch (random_below(state, 5)) {
  case 0:
    return 0;
  case 1:
    return packed > 0 ? packed : whole;
  case 2:
    return whole < WIDEST && random_below(state, 2) == 0 ? 2 * whole : whole;
  default:
    return whole < WIDEST ? WIDEST : whole;
  }
}

void random_packing_order(const uint64_t *state, relayout_shape *shape) {
  const int64_t bits = shape->layout.element_size_in_bits;
  const bool is_high = bits > 0 && bits < 8 && random_mix(*state) % 2 == 1;
  shape->layout.packing_order = is_high ? RELAYOUT_PACKING_HIGH_FIRST : RELAYOUT_PACKING_LOW_FIRST;
}

/* ---- Strides -------------------------------------------------------------------------------- */

bool random_strides_are_of_bytes(random_strides kind) {
  return kind == STRIDES_OF_BYTES || kind == STRIDES_OF_ANYTHING;
}

/* Of an array somewhat larger, every element or every other one along each dimension. */
static void draw_slice(uint64_t *state, const relayout_shape *shape, int64_t *strides) {
  relayout_shape ordered = *shape;
  random_order(state, &ordered);
  int64_t stride = (int64_t)oracle_element_size(shape->element_type);
  for (int32_t i = 0; i < shape->rank; ++i) {
    const int32_t d = ordered.layout.minor_to_major[i];
    const int64_t step = random_below(state, 3) == 0 ? 2 : 1;
    strides[d] = step * stride;
    stride *= step * shape->dimensions[d] + random_below(state, 3);
  }
}

void random_source_strides(uint64_t *state, random_strides kind, const relayout_shape *shape,
                           int64_t *strides) {
  draw_slice(state, shape, strides);
  for (int32_t d = 0; d < shape->rank; ++d) {
    if (kind == STRIDES_OF_BROADCAST && random_below(state, 2) == 0) {
      strides[d] = 0;
    } else if (kind == STRIDES_FROM_BEHIND && random_below(state, 3) != 0) {
      strides[d] = -strides[d];
    } else if (kind == STRIDES_OF_BYTES) {
      strides[d] += random_below(state, 8);
    } else if (kind == STRIDES_OF_ANYTHING) {
      strides[d] = random_below(state, 101) - 50;
    }
  }
}

/* Each dimension steps over all that the ones before reach. */
void random_destination_strides(uint64_t *state, random_strides kind, const relayout_shape *shape,
                                int64_t *strides) {
  const int64_t size = (int64_t)oracle_element_size(shape->element_type);
  relayout_shape ordered = *shape;
  random_order(state, &ordered);
  int64_t reach = size;
  for (int32_t i = 0; i < shape->rank; ++i) {
    const int32_t d = ordered.layout.minor_to_major[i];
    const int64_t gap = kind == STRIDES_OF_BYTES      ? random_below(state, 8)
                        : random_below(state, 2) == 0 ? size * random_below(state, 4)
                                                      : 0;
    const int64_t stride = reach + gap;
    const int64_t count = shape->dimensions[d] > 0 ? shape->dimensions[d] : 1;
    const bool backwards =
        kind == STRIDES_FROM_BEHIND || (kind == STRIDES_OF_ANYTHING && random_below(state, 2) == 0);
    strides[d] = backwards ? -stride : stride;
    reach += (count - 1) * stride;
  }
}

/* ---- Padding values ------------------------------------------------------------------------- */

void random_padding_value(uint64_t *state, relayout_shape *shape) {
  relayout_layout *layout = &shape->layout;
  unsigned char bytes[RELAYOUT_MAX_ELEMENT_SIZE];
  /* A number below 2 is a value of every type of one byte, however few bits it has. */
  const bool is_narrow = oracle_element_size(shape->element_type) == 1;
  memset(layout->padding_literal, 0, sizeof(layout->padding_literal));
  do {
    layout->padding_value = (relayout_padding_value)random_below(state, 6);
    if (layout->padding_value == RELAYOUT_PADDING_LITERAL) {
      for (size_t i = 0; i < oracle_element_size(shape->element_type); ++i) {
        layout->padding_literal[i] = is_narrow ? 1 : (unsigned char)random_below(state, 256);
      }
    }
  } while (layout->padding_value != RELAYOUT_PADDING_UNKNOWN &&
           !oracle_padding(layout, shape->element_type, bytes));
}
