/* facts_text.c: facts as fields of numbers, printed and read. */
#include "machine/facts_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "metadata/quote.h"

enum { MOST_NUMBERS = 3 };

/* X(KEY, text, numbers, the most the first may be, the most others may be): in the order in which
 * they are printed. */
#define FIELD_TABLE(X)                                                                             \
  X(LINE, "line", 1, RLT_MOST_LINE_BYTES, 0)                                                       \
  X(L1, "l1", 3, RLT_MOST_CACHE_BYTES, RLT_MOST_COUNTED)                                           \
  X(L2, "l2", 3, RLT_MOST_CACHE_BYTES, RLT_MOST_COUNTED)                                           \
  X(L3, "l3", 3, RLT_MOST_CACHE_BYTES, RLT_MOST_COUNTED)                                           \
  X(PAGE, "page", 1, RLT_MOST_PAGE_BYTES, 0)                                                       \
  X(TLB, "tlb", 2, RLT_MOST_COUNTED, RLT_MOST_COUNTED)                                             \
  X(VECTOR, "vector", 1, RLT_MOST_VECTOR_BYTES, 0)                                                 \
  X(STREAMS, "streams", 1, 1, 0)

typedef enum field {
#define FIELD_ENUMERATOR(name, text, numbers, first, others) FIELD_##name,
  FIELD_TABLE(FIELD_ENUMERATOR)
#undef FIELD_ENUMERATOR
      FIELDS
} field;

static const struct {
  const char *name;
  int count; /* of its numbers */
  int64_t most;
  int64_t most_of_others;
} fields[] = {
#define FIELD_ROW(name, text, numbers, first, others) {text, numbers, first, others},
    FIELD_TABLE(FIELD_ROW)
#undef FIELD_ROW
};

/* Whether a field's number is a power of two wherever it is known. */
static bool is_power(field of) {
  return of == FIELD_LINE || of == FIELD_PAGE || of == FIELD_VECTOR;
}

/* ---- Facts and their numbers ---- */

static bool is_cache(field of) {
  return of >= FIELD_L1 && of < FIELD_L1 + RLT_CACHE_LEVELS;
}

static void get_numbers(const rlt_facts *facts, field of, int64_t numbers[MOST_NUMBERS]) {
  if (is_cache(of)) {
    const rlt_cache_facts *const cache = &facts->caches[of - FIELD_L1];
    numbers[0] = cache->bytes;
    numbers[1] = cache->ways;
    numbers[2] = cache->shared;
  } else if (of == FIELD_TLB) {
    numbers[0] = facts->tlb_pages[0];
    numbers[1] = facts->tlb_pages[1];
  } else {
    numbers[0] = of == FIELD_LINE     ? facts->line_bytes
                 : of == FIELD_PAGE   ? facts->page_bytes
                 : of == FIELD_VECTOR ? facts->vector_bytes
                                      : facts->streams;
  }
}

static void set_numbers(rlt_facts *facts, field of, const int64_t numbers[MOST_NUMBERS]) {
  if (is_cache(of)) {
    facts->caches[of - FIELD_L1] =
        (rlt_cache_facts){numbers[0], (int32_t)numbers[1], (int32_t)numbers[2]};
  } else if (of == FIELD_TLB) {
    facts->tlb_pages[0] = (int32_t)numbers[0];
    facts->tlb_pages[1] = (int32_t)numbers[1];
  } else if (of == FIELD_LINE) {
    facts->line_bytes = numbers[0];
  } else if (of == FIELD_PAGE) {
    facts->page_bytes = numbers[0];
  } else if (of == FIELD_VECTOR) {
    facts->vector_bytes = (int32_t)numbers[0];
  } else {
    facts->streams = numbers[0] != 0;
  }
}

/* ---- Printing ---- */

void rlt_facts_add_text(const rlt_facts *facts, rlt_text *text) {
  for (int f = 0; f < FIELDS; ++f) {
    int64_t numbers[MOST_NUMBERS];
    get_numbers(facts, (field)f, numbers);
    rlt_text_add(text, "%s%s", f == 0 ? "" : " ", fields[f].name);
    for (int i = 0; i < fields[f].count; ++i) {
      rlt_text_add(text, "%c%" PRId64, i == 0 ? '=' : ':', numbers[i]);
    }
  }
}

/* ---- Reading ---- */

/* The field that a word of this length gives; FIELDS: none does. */
static field field_of(const char *word, size_t length) {
  const char *const equals = memchr(word, '=', length);
  const size_t name_length = equals == NULL ? 0 : (size_t)(equals - word);
  int f = 0;
  while (f < FIELDS && (strlen(fields[f].name) != name_length ||
                        memcmp(fields[f].name, word, name_length) != 0)) {
    ++f;
  }
  return (field)f;
}

/* Numbers between colons, up to the `end` of their word. */
static bool read_numbers(const char *at, const char *end, field of, int64_t numbers[MOST_NUMBERS]) {
  memset(numbers, 0, MOST_NUMBERS * sizeof numbers[0]);
  for (int i = 0; i < fields[of].count; ++i) {
    char *behind = NULL;
    const int64_t most = i == 0 ? fields[of].most : fields[of].most_of_others;
    numbers[i] = *at >= '0' && *at <= '9' ? strtoll(at, &behind, 10) : -1;
    if (numbers[i] < 0 || numbers[i] > most) {
      return false;
    }
    if (behind == end) {
      return !is_power(of) || (numbers[0] & (numbers[0] - 1)) == 0;
    }
    if (*behind != ':') {
      return false;
    }
    at = behind + 1;
  }
  return false;
}

/* A cache of no bytes has no ways, and none behind it. */
static relayout_status settle_caches(const bool given[FIELDS], rlt_facts *facts,
                                     relayout_error *error) {
  for (int level = 1; level < RLT_CACHE_LEVELS; ++level) {
    if (given[FIELD_L1 + level] && facts->caches[level].bytes > 0 &&
        facts->caches[level - 1].bytes == 0) {
      return rlt_fail(error, RELAYOUT_INVALID_TEXT,
                      "facts: `%s` is given, but `%s` is missing or 0",
                      fields[FIELD_L1 + level].name, fields[FIELD_L1 + level - 1].name);
    }
  }
  rlt_facts_settle(facts);
  return RELAYOUT_OK;
}

static relayout_status read_word(const char *word, size_t length, bool given[FIELDS],
                                 rlt_facts *facts, relayout_error *error) {
  const field of = field_of(word, length);
  int64_t numbers[MOST_NUMBERS];
  if (of == FIELDS) {
    return rlt_fail(error, RELAYOUT_INVALID_TEXT, "facts: `%s` is not a field",
                    rlt_quote_printable(word, length).text);
  }
  if (given[of]) {
    return rlt_fail(error, RELAYOUT_INVALID_TEXT, "facts: `%s` is given twice", fields[of].name);
  }
  if (!read_numbers(word + strlen(fields[of].name) + 1, word + length, of, numbers)) {
    return rlt_fail(error, RELAYOUT_INVALID_TEXT, "facts: `%s` has an impossible value",
                    rlt_quote_printable(word, length).text);
  }
  given[of] = true;
  set_numbers(facts, of, numbers);
  return RELAYOUT_OK;
}

relayout_status rlt_facts_read_text(const char *text, rlt_facts *facts, relayout_error *error) {
  bool given[FIELDS] = {false};
  rlt_facts changed = *facts;
  relayout_status status = RELAYOUT_OK;
  const char *word = text + strspn(text, " ");
  while (*word != '\0' && status == RELAYOUT_OK) {
    const size_t length = strcspn(word, " ");
    status = read_word(word, length, given, &changed, error);
    word += length + strspn(word + length, " ");
  }
  if (status == RELAYOUT_OK) {
    status = settle_caches(given, &changed, error);
  }
  if (status == RELAYOUT_OK) {
    *facts = changed;
  }
  return status;
}
