/* fuzz_facts.c: any text either is refused with a message fit to print, and changes no fact, or is
 * of facts that print as a text which says the same. */
#include <stdlib.h>
#include <string.h>

#include "facts_round.h"
#include "fuzz_target.h"
#include "input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *const text = input_text(data, size);
  rlt_machine facts = {.line_bytes = 64, .caches = {{32768, 8, 1}}, .page_bytes = RLT_PAGE_BYTES};
  const rlt_machine before = facts;
  relayout_error error;
  const relayout_status status = rlt_facts_read_text(text, &facts, &error);
  if (status == RELAYOUT_OK) {
    check_facts_round(&facts);
  } else {
    check_error(status, &error);
    require(status == RELAYOUT_INVALID_TEXT, "with a reason");
    require(memcmp(&facts, &before, sizeof facts) == 0, "no fact has changed");
  }
  free(text);
  return 0;
}
