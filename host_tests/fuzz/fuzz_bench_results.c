/* fuzz_bench_results.c: any text either is refused with a message fit to print, or holds cases of a
 * benchmark that later results can be compared with. */
#include <stdlib.h>
#include <string.h>

#include "bench/comparison.h"
#include "fuzz_target.h"
#include "input.h"
#include "promise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *const text = input_text(data, size);
  comparison old;
  relayout_error error;
  const relayout_status status = comparison_parse(text, &old, &error);
  if (status != RELAYOUT_OK) {
    check_file_error(status, &error);
    free(text);
    return 0;
  }
  for (size_t i = 0; i < old.count; i++) {
    const comparison_case *const found = &old.cases[i];
    require(memchr(found->name, '\0', sizeof found->name) != NULL, "a name ends");
    require(found->from != NULL && found->to != NULL, "a case has both shapes");
    require(found->fraction > 0, "and a fraction");
  }
  comparison_free(&old);
  free(text);
  return 0;
}
