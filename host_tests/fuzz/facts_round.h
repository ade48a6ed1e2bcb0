/* facts_round.h: facts have a text that says them. */
#ifndef FUZZ_FACTS_ROUND_H
#define FUZZ_FACTS_ROUND_H

#include <string.h>

#include "machine/facts_text.h"
#include "promise.h"

static inline void check_facts_round(const rlt_machine *facts) {
  char texts[2][RLT_FACTS_TEXT_SIZE];
  rlt_machine again = *facts;
  rlt_text first = rlt_text_in(texts[0], sizeof texts[0]);
  rlt_facts_add_text(facts, &first);
  require(first.length < sizeof texts[0], "facts have a short text");
  require(rlt_facts_read_text(texts[0], &again, NULL) == RELAYOUT_OK, "which can be read");
  rlt_text second = rlt_text_in(texts[1], sizeof texts[1]);
  rlt_facts_add_text(&again, &second);
  require(strcmp(texts[0], texts[1]) == 0, "and says the same");
}

#endif
