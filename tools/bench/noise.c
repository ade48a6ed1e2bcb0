/* noise.c: a generator that is quicker than memory. */
#include "noise.h"

#include <stdint.h>
#include <string.h>

void bench_fill_noise(void *memory, size_t size) {
  uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
  unsigned char *const bytes = memory;
  for (size_t i = 0; i + sizeof state <= size; i += sizeof state) {
    /* xorshift64 */
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    memcpy(bytes + i, &state, sizeof state);
  }
}
