/* verify.c: runs the oracle on the same source and compares byte by byte. */
#include "verify.h"

#include <stdlib.h>

#include "oracle/oracle.h"

static bool is_swapped(relayout_byte_order order) {
  const bool host_is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  return order == (host_is_little ? RELAYOUT_BYTE_ORDER_BIG : RELAYOUT_BYTE_ORDER_LITTLE);
}

exit_code verify_views(const relayout_view *from, const relayout_view *to,
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
                                .to_nearest = options->rounding == RELAYOUT_ROUNDING_NEAREST,
                                .source_is_swapped = is_swapped(from->byte_order),
                                .destination_is_swapped = is_swapped(to->byte_order)};
  oracle_relayout_with(&asked, &from->shape, &to->shape, source, expected);
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

exit_code verify_relayout(const relayout_shape *from, const relayout_shape *to,
                          const relayout_plan_options *options, const uint8_t *source,
                          const uint8_t *result, size_t size) {
  relayout_view source_view;
  relayout_view result_view;
  relayout_error error;
  if (relayout_view_make(from, &source_view, &error) != RELAYOUT_OK ||
      relayout_view_make(to, &result_view, &error) != RELAYOUT_OK) {
    return report_error(NULL, &error);
  }
  return verify_views(&source_view, &result_view, options, source, result, size);
}
