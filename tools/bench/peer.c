/* peer.c: what a benchmark found out about its peers. */
#include "peer.h"

#include <string.h>

/* A floating format whose special numbers have the least exponents or the greatest one. */
typedef struct number_format {
  size_t bytes;      /* 0: none of them */
  uint64_t exponent; /* its bits */
} number_format;

static number_format format_of(relayout_element_type type) {
  switch (type) {
  case RELAYOUT_F16:
    return (number_format){2, 0x7c00};
  case RELAYOUT_BF16:
    return (number_format){2, 0x7f80};
  case RELAYOUT_F32:
    return (number_format){4, 0x7f800000};
  case RELAYOUT_F64:
  case RELAYOUT_C128: /* two of them */
    return (number_format){8, UINT64_C(0x7ff0000000000000)};
  default:
    return (number_format){0, 0};
  }
}

static uint64_t read_bits(const uint8_t *number, size_t bytes) {
  uint16_t half;
  uint32_t single;
  uint64_t whole;
  switch (bytes) {
  case sizeof half:
    memcpy(&half, number, sizeof half);
    return half;
  case sizeof single:
    memcpy(&single, number, sizeof single);
    return single;
  default:
    memcpy(&whole, number, sizeof whole);
    return whole;
  }
}

/* NaN, infinity, denormal or zero, by the exponent; and the least exponent that is none of them,
 * for denormals of a wider type may round to it. */
static bool holds_special(const uint8_t *element, size_t element_bytes, number_format format) {
  bool found = false;
  for (size_t at = 0; at < element_bytes; at += format.bytes) {
    const uint64_t exponent = read_bits(element + at, format.bytes) & format.exponent;
    const uint64_t least = format.exponent & (~format.exponent + 1);
    found = found || exponent <= least || exponent == format.exponent;
  }
  return found;
}

relayout_element_type bench_peer_takes_for(const bench_peer *peer, relayout_element_type from,
                                           relayout_element_type to) {
  if (from != to) {
    return to;
  }
  switch (peer->computes ? relayout_element_type_byte_size(to) : 0) {
  case 4:
    return RELAYOUT_F32;
  case 8:
    return RELAYOUT_F64;
  case 16:
    return RELAYOUT_C128;
  default:
    return RELAYOUT_ELEMENT_TYPE_INVALID;
  }
}

bench_verdict bench_judge_peer(relayout_element_type taken_for, const uint8_t *made,
                               const uint8_t *right, size_t size) {
  if (memcmp(made, right, size) == 0) {
    return BENCH_EXACT;
  }
  const number_format format = format_of(taken_for);
  if (format.bytes == 0) {
    return BENCH_WRONG;
  }
  const size_t element_bytes = relayout_element_type_byte_size(taken_for);
  for (size_t at = 0; at < size; at += element_bytes) {
    if (memcmp(made + at, right + at, element_bytes) != 0 &&
        !holds_special(right + at, element_bytes, format)) {
      return BENCH_WRONG;
    }
  }
  return BENCH_INEXACT;
}
