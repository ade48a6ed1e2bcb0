/* facts_text.c: facts as a table of fields. */
#include "machine/facts_text.h"

#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "metadata/fields.h"

#define AT(member) offsetof(rlt_machine, member)

/* In the order in which they are printed. */
static const rlt_field fields[] = {
    {"line", "q", AT(line_bytes), 0, RLT_MOST_LINE_BYTES, 0, .is_power = true},
    {"l1", "qii", AT(caches[0]), 0, RLT_MOST_CACHE_BYTES, RLT_MOST_COUNTED, .may_end = true},
    {"l2", "qii", AT(caches[1]), 0, RLT_MOST_CACHE_BYTES, RLT_MOST_COUNTED, .may_end = true},
    {"l3", "qii", AT(caches[2]), 0, RLT_MOST_CACHE_BYTES, RLT_MOST_COUNTED, .may_end = true},
    {"page", "q", AT(page_bytes), 0, RLT_MOST_PAGE_BYTES, 0, .is_power = true},
    {"tlb", "ii", AT(tlb_pages), 0, RLT_MOST_COUNTED, RLT_MOST_COUNTED, .may_end = true},
    {"vector", "i", AT(vector_bytes), 0, RLT_MOST_VECTOR_BYTES, 0, .is_power = true},
    {"streams", "?", AT(streams), 0, 1, 0, .is_power = false},
};
enum { FIELDS = sizeof fields / sizeof fields[0], FIELD_L1 = 1 };

_Static_assert(offsetof(rlt_cache_facts, ways) == sizeof(int64_t) &&
                   offsetof(rlt_cache_facts, shared) == sizeof(int64_t) + sizeof(int32_t),
               "the numbers of a cache lie one behind the other");

void rlt_facts_add_text(const rlt_machine *facts, rlt_text *text) {
  rlt_fields_add(fields, FIELDS, facts, text);
}

/* A cache of no bytes has no ways, and none behind it. */
static relayout_status settle_caches(uint64_t given, rlt_machine *facts, relayout_error *error) {
  for (int level = 1; level < RLT_CACHE_LEVELS; ++level) {
    if ((given >> (FIELD_L1 + level) & 1) != 0 && facts->caches[level].bytes > 0 &&
        facts->caches[level - 1].bytes == 0) {
      return rlt_fail(error, RELAYOUT_INVALID_TEXT,
                      "facts: `%s` is given, but `%s` is missing or 0",
                      fields[FIELD_L1 + level].name, fields[FIELD_L1 + level - 1].name);
    }
  }
  rlt_facts_settle(facts);
  return RELAYOUT_OK;
}

relayout_status rlt_facts_read_text(const char *text, rlt_machine *facts, relayout_error *error) {
  rlt_machine changed = *facts;
  uint64_t given;
  relayout_status status =
      rlt_fields_read("facts", fields, FIELDS, text, text + strlen(text), &changed, &given, error);
  if (status == RELAYOUT_OK) {
    status = settle_caches(given, &changed, error);
  }
  if (status == RELAYOUT_OK) {
    *facts = changed;
  }
  return status;
}
