#include "peer.h"

#include <string.h>

/* NaN, infinity, denormal or zero, by the exponent. */
static bool is_special(const uint8_t *number, size_t bytes) {
  if (bytes == sizeof(uint32_t)) {
    uint32_t bits;
    memcpy(&bits, number, sizeof bits);
    const uint32_t exponent = bits >> 23 & 0xff;
    return exponent == 0 || exponent == 0xff;
  }
  uint64_t bits;
  memcpy(&bits, number, sizeof bits);
  const uint64_t exponent = bits >> 52 & 0x7ff;
  return exponent == 0 || exponent == 0x7ff;
}

static bool holds_special(const uint8_t *element, size_t element_bytes) {
  const size_t bytes = element_bytes == 16 ? sizeof(uint64_t) : element_bytes;
  bool found = false;
  for (size_t at = 0; at < element_bytes; at += bytes) {
    found = found || is_special(element + at, bytes);
  }
  return found;
}

bench_verdict bench_judge_peer(const bench_peer *peer, size_t element_bytes, const uint8_t *made,
                               const uint8_t *right, size_t size) {
  if (memcmp(made, right, size) == 0) {
    return BENCH_EXACT;
  }
  if (!peer->computes || (element_bytes != 4 && element_bytes != 8 && element_bytes != 16)) {
    return BENCH_WRONG;
  }
  for (size_t at = 0; at < size; at += element_bytes) {
    if (memcmp(made + at, right + at, element_bytes) != 0 &&
        !holds_special(right + at, element_bytes)) {
      return BENCH_WRONG;
    }
  }
  return BENCH_INEXACT;
}
