/* verify.c: runs the oracle on the same source and compares byte by byte. */
#include "verify.h"

#include <stdlib.h>

#include "oracle/oracle.h"

exit_code verify_relayout(const relayout_shape *from, const relayout_shape *to,
                          const relayout_plan_options *options, const uint8_t *source,
                          const uint8_t *result, size_t size) {
  if (size == 0) {
    return EXIT_CODE_OK;
  }
  uint8_t *expected = calloc(size, 1);
  if (expected == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for %zu bytes to verify with", size);
  }
  const oracle_options asked = {.wraps = options->overflow == RELAYOUT_OVERFLOW_WRAP,
                                .scale = options->scale,
                                .to_nearest = options->rounding == RELAYOUT_ROUNDING_NEAREST};
  oracle_relayout_with(&asked, from, to, source, expected);
  size_t at = 0;
  while (at < size && result[at] == expected[at]) {
    at += 1;
  }
  exit_code code = EXIT_CODE_OK;
  if (at < size) {
    code = report(EXIT_CODE_DIFFERENT, "verification: byte %zu is 0x%02x and should be 0x%02x", at,
                  result[at], expected[at]);
  }
  free(expected);
  return code;
}
