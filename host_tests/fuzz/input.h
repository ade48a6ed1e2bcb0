/* input.h: the bytes of an input as choices, one after the other; 0 behind its end. */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

typedef struct input {
  const uint8_t *bytes;
  size_t left;
} input;

static inline uint8_t take(input *from) {
  if (from->left == 0) {
    return 0;
  }
  --from->left;
  return *from->bytes++;
}

#endif
