/* fuzz_target.h: the function that every fuzz_NAME.c defines. The name is libFuzzer's. */
#ifndef FUZZ_FUZZ_TARGET_H
#define FUZZ_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* Takes any bytes; aborts where a promise of the library is broken. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
