/* input.h: the bytes of an input as choices, one after the other, or as a text. */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "promise.h"

typedef struct input {
  const uint8_t *bytes;
  size_t left;
} input;

/* 0 behind the end. */
static inline uint8_t take(input *from) {
  if (from->left == 0) {
    return 0;
  }
  --from->left;
  return *from->bytes++;
}

/* All of it, with a NUL behind. The caller frees it. */
static inline char *input_text(const uint8_t *data, size_t size) {
  char *const text = malloc(size + 1);
  require(text != NULL, "there is memory");
  if (size > 0) {
    memcpy(text, data, size);
  }
  text[size] = '\0';
  return text;
}

#endif
