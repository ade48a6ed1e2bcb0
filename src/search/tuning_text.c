/* tuning_text.c: rows as lines of fields, by tables of what is in them. */
#include "search/tuning_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "machine/facts_text.h"
#include "metadata/literal.h"
#include "metadata/quote.h"

enum {
  TUNING_TEXT_VERSION = 1,
  MOST_NUMBERS = 2 * RLT_OTHER_RUNS,
  LONGEST_LINE = 1 << 10,
  MOST_BYTES = 1 << 30, /* of sizes: far from what overflows in bits */
  MOST_RUN = 1 << 20,
  MOST_THREAD_BLOCKS = 1 << 10,
  MOST_RATE = 1 << 20, /* lines */
  MOST_LEVEL = 3
};

/* ---- Fields ---- */

typedef enum number_type { NUMBER_INT64, NUMBER_INT32, NUMBER_BOOL, NUMBER_DOUBLE } number_type;

/* Numbers that lie behind each other in a struct. */
typedef struct field {
  const char *name;
  size_t offset;
  size_t size;
  number_type type;
  int64_t least;
  int64_t most;
  int64_t most_of_second; /* number */
} field;

#define FIELD(in, name, type, least, most)                                                         \
  { #name, offsetof(in, name), sizeof(((in *)NULL)->name), type, least, most, most }
#define SIZE(name, least) FIELD(rlt_tuning, name, NUMBER_INT64, least, MOST_BYTES)
#define REACH(in, name)   FIELD(in, name, NUMBER_INT64, 0, RLT_ALL_THE_WAY)

/* Tiles and runs of no bytes, and threads for nothing, are no schedule's. */
static const field row_fields[] = {
    SIZE(straight_columns_bytes, 64),
    SIZE(straight_tile_bytes, 64),
    SIZE(straight_run_bytes, 0),
    SIZE(tile_bytes, 1 << 10),
    SIZE(least_tile_bytes, 0),
    SIZE(most_tile_bytes, 0),
    SIZE(together_bytes, 0),
    REACH(rlt_tuning, joined_runs),
    REACH(rlt_tuning, other_runs),
    SIZE(block_bytes, 0),
    SIZE(thread_bytes, 1 << 10),
    FIELD(rlt_tuning, thread_blocks, NUMBER_INT32, 0, MOST_THREAD_BLOCKS),
};
enum { ROW_FIELDS = sizeof row_fields / sizeof row_fields[0] };

static const field tile_fields[] = {
    FIELD(rlt_tile_wish, runs, NUMBER_INT64, 0, MOST_RUN),
    REACH(rlt_tile_wish, blocks),
    {"prefetch", offsetof(rlt_tile_wish, prefetch), sizeof(rlt_prefetch), NUMBER_INT32, 0,
     RLT_MOST_TILES_AHEAD, MOST_LEVEL},
    FIELD(rlt_tile_wish, stores, NUMBER_INT32, RLT_STORES_BY_SIZE, RLT_STORES_DIRECT),
    FIELD(rlt_tile_wish, loads, NUMBER_BOOL, 0, 1),
};
enum { TILE_FIELDS = sizeof tile_fields / sizeof tile_fields[0] };

static const field rate_fields[] = {
#define RATE(name, text)                                                                           \
  {text,                                                                                           \
   offsetof(rlt_rates, of) + RLT_RATE_##name * sizeof(double),                                     \
   sizeof(double),                                                                                 \
   NUMBER_DOUBLE,                                                                                  \
   0,                                                                                              \
   MOST_RATE,                                                                                      \
   MOST_RATE},
    RLT_RATE_TABLE(RATE)
#undef RATE
};
enum { RATE_FIELDS = sizeof rate_fields / sizeof rate_fields[0] };

_Static_assert(sizeof(rlt_stores) == sizeof(int32_t), "stores are read as a number");

/* ---- Lines ---- */

/* A line of fields: what stands before them, and where they lie in a row. */
typedef struct line {
  char prefix[32];
  size_t offset;
  const field *fields;
  int count;
} line;

enum { LINES_OF_WORDS = RLT_TILES + 1, LINES = ROW_FIELDS + RLT_WORD_SIZES * LINES_OF_WORDS };

static line line_of_words(int word, int number) {
  line made = {.offset = offsetof(rlt_tuning, words) + (size_t)word * sizeof(rlt_word_tuning)};
  rlt_text prefix = rlt_text_in(made.prefix, sizeof made.prefix);
  rlt_text_add(&prefix, "word %d %s ", 1 << word,
               number < RLT_TILES ? rlt_tiles_name((rlt_tiles)number) : "rates");
  if (number < RLT_TILES) {
    made.offset += offsetof(rlt_word_tuning, tiles) + (size_t)number * sizeof(rlt_tile_wish);
    made.fields = tile_fields;
    made.count = TILE_FIELDS;
  } else {
    made.offset += offsetof(rlt_word_tuning, rates);
    made.fields = rate_fields;
    made.count = RATE_FIELDS;
  }
  return made;
}

static line line_of(int number) {
  if (number < ROW_FIELDS) {
    return (line){.fields = &row_fields[number], .count = 1};
  }
  number -= ROW_FIELDS;
  return line_of_words(number / LINES_OF_WORDS, number % LINES_OF_WORDS);
}

/* ---- Numbers ---- */

static size_t size_of(number_type type) {
  return type == NUMBER_BOOL    ? sizeof(bool)
         : type == NUMBER_INT32 ? sizeof(int32_t)
                                : sizeof(int64_t);
}

static void add_number(number_type type, const void *at, rlt_text *text) {
  if (type == NUMBER_DOUBLE) {
    rlt_element element = {0, 0};
    memcpy(&element.real, at, sizeof(double));
    rlt_literal_format(rlt_type_find(RELAYOUT_F64), element, text);
  } else {
    int64_t number = 0;
    int32_t narrow = 0;
    bool truth = false;
    memcpy(type == NUMBER_BOOL    ? (void *)&truth
           : type == NUMBER_INT32 ? (void *)&narrow
                                  : (void *)&number,
           at, size_of(type));
    rlt_text_add(text, "%" PRId64, number + narrow + truth);
  }
}

/* Exactly these characters; false for no number, and for one out of bounds. */
static bool read_number(const field *of, bool is_second, const char *text, size_t length,
                        void *at) {
  const int64_t most = is_second ? of->most_of_second : of->most;
  const bool is_double = of->type == NUMBER_DOUBLE;
  const rlt_type_row *const type = rlt_type_find(is_double ? RELAYOUT_F64 : RELAYOUT_S64);
  rlt_element element;
  if (rlt_literal_parse(text, length, type, &element, NULL) != RELAYOUT_OK) {
    return false;
  }
  if (is_double) {
    double rate;
    memcpy(&rate, &element.real, sizeof rate);
    memcpy(at, &rate, sizeof rate);
    return rate >= (double)of->least && rate <= (double)most; /* NaN is not */
  }
  const int64_t number = (int64_t)element.real;
  const int32_t narrow = (int32_t)number;
  const bool truth = number != 0;
  memcpy(at,
         of->type == NUMBER_BOOL    ? (const void *)&truth
         : of->type == NUMBER_INT32 ? (const void *)&narrow
                                    : (const void *)&number,
         size_of(of->type));
  return number >= of->least && number <= most;
}

/* ---- Printing ---- */

static void add_field(const field *of, const char *in, rlt_text *text) {
  rlt_text_add(text, "%s", of->name);
  for (size_t at = 0; at < of->size; at += size_of(of->type)) {
    rlt_text_add(text, "%c", at == 0 ? '=' : ':');
    add_number(of->type, in + of->offset + at, text);
  }
}

static void add_line(const rlt_tuning *row, int number, rlt_text *text) {
  const line of = line_of(number);
  rlt_text_add(text, "%s", of.prefix);
  for (int f = 0; f < of.count; ++f) {
    rlt_text_add(text, "%s", f == 0 ? "" : " ");
    add_field(&of.fields[f], (const char *)row + of.offset, text);
  }
  rlt_text_add(text, "\n");
}

void rlt_tuning_add_head(const relayout_device_info *info, const rlt_facts *facts, rlt_text *text) {
  rlt_text_add(text,
               "relayout tuning %d\ndevice: %s%s%s\ndriver: %s %s\nfacts: ", TUNING_TEXT_VERSION,
               info->description, info->instructions[0] == '\0' ? "" : ", ", info->instructions,
               info->platform, info->driver);
  rlt_facts_add_text(facts, text);
  rlt_text_add(text, "\n");
}

void rlt_tuning_add_text(const rlt_tuning *row, rlt_text *text) {
  rlt_text_add(text, "kind: %s\ndate: %s\nsuites: %s\n", row->kind, row->date, row->suites);
  for (int number = 0; number < LINES; ++number) {
    add_line(row, number, text);
  }
}

/* ---- Reading ---- */

typedef struct reader {
  const char *at;
  const char *end;
  int number; /* of the line, from 1 */
  const char *line;
  size_t length;
} reader;

static relayout_status fail_at(const reader *from, const char *expected, relayout_error *error) {
  return rlt_fail(error, RELAYOUT_INVALID_TEXT, "tuning: line %d: expected %s, found `%s`",
                  from->number, expected, rlt_quote_printable(from->line, from->length).text);
}

/* The next line, without its end, which must be there. */
static relayout_status next_line(reader *from, const char *expected, relayout_error *error) {
  const char *const end =
      from->at == from->end ? NULL : memchr(from->at, '\n', (size_t)(from->end - from->at));
  ++from->number;
  from->line = from->at;
  from->length = (size_t)((end == NULL ? from->end : end) - from->at);
  if (end == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_TEXT, "tuning: line %d: expected %s, but the text ends",
                    from->number, expected);
  }
  from->at = end + 1;
  return RELAYOUT_OK;
}

static bool starts_with(const char *text, size_t length, const char *start) {
  const size_t start_length = strlen(start);
  return length >= start_length && memcmp(text, start, start_length) == 0;
}

/* A line of a name and any printable text, which fits. */
static relayout_status read_words(reader *from, const char *name, char *words, size_t capacity,
                                  relayout_error *error) {
  const size_t skipped = strlen(name);
  relayout_status status = next_line(from, name, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  bool is_right = starts_with(from->line, from->length, name) && from->length - skipped < capacity;
  for (size_t i = 0; i < from->length; ++i) {
    is_right = is_right && (unsigned char)from->line[i] >= ' ' && from->line[i] != 0x7f;
  }
  if (!is_right) {
    return fail_at(from, name, error);
  }
  memcpy(words, from->line + skipped, from->length - skipped);
  words[from->length - skipped] = '\0';
  return RELAYOUT_OK;
}

/* The field that `*at` stands at; moves behind it. */
static bool read_field(const field *of, char *in, const char **at, const char *end) {
  if (!starts_with(*at, (size_t)(end - *at), of->name)) {
    return false;
  }
  *at += strlen(of->name);
  for (size_t offset = 0; offset < of->size; offset += size_of(of->type)) {
    if (*at == end || **at != (offset == 0 ? '=' : ':')) {
      return false;
    }
    const char *const begin = ++*at;
    while (*at < end && **at != ':' && **at != ' ') {
      ++*at;
    }
    if (!read_number(of, offset == size_of(of->type), begin, (size_t)(*at - begin),
                     in + of->offset + offset)) {
      return false;
    }
  }
  return true;
}

static relayout_status read_line(reader *from, int number, rlt_tuning *row, relayout_error *error) {
  const line of = line_of(number);
  char expected[LONGEST_LINE];
  rlt_text text = rlt_text_in(expected, sizeof expected);
  rlt_text_add(&text, "%s%s=", of.prefix, of.fields[0].name);
  const relayout_status status = next_line(from, expected, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (!starts_with(from->line, from->length, expected)) {
    return fail_at(from, expected, error);
  }
  const char *at = from->line + strlen(of.prefix);
  const char *const end = from->line + from->length;
  for (int f = 0; f < of.count; ++f) {
    const bool is_behind = f == 0 || (at < end && *at++ == ' ');
    const char *const begin = at;
    if (!is_behind || !read_field(&of.fields[f], (char *)row + of.offset, &at, end)) {
      return rlt_fail(error, RELAYOUT_INVALID_TEXT,
                      "tuning: line %d: expected possible numbers of `%s`, found `%s`",
                      from->number, of.fields[f].name,
                      rlt_quote_printable(begin, (size_t)(end - begin)).text);
    }
  }
  return at == end ? RELAYOUT_OK : fail_at(from, "the line's end behind its fields", error);
}

/* The lines that say which device it is. */
static relayout_status read_head(reader *from, const char *head, relayout_error *error) {
  static const char *const names[] = {"relayout tuning 1", "device: ", "driver: ", "facts: "};
  relayout_status status = RELAYOUT_OK;
  for (size_t i = 0; i < sizeof names / sizeof names[0] && status == RELAYOUT_OK; ++i) {
    char words[LONGEST_LINE];
    rlt_facts facts = {0};
    status = read_words(from, names[i], words, sizeof words, error);
    if (status == RELAYOUT_OK && i == 0 && words[0] != '\0') {
      status = fail_at(from, names[i], error);
    }
    if (status == RELAYOUT_OK && i == 3 &&
        rlt_facts_read_text(words, &facts, NULL) != RELAYOUT_OK) {
      status = fail_at(from, "facts of a machine", error);
    }
    if (status == RELAYOUT_OK && head != NULL) {
      const char *const own_end = strchr(head, '\n');
      if ((size_t)(own_end - head) != from->length || memcmp(head, from->line, from->length) != 0) {
        status = rlt_fail(error, RELAYOUT_UNSUPPORTED,
                          "tuning: line %d: the row is for another device: `%s`", from->number,
                          rlt_quote_printable(from->line, from->length).text);
      }
      head = own_end + 1;
    }
  }
  return status;
}

static relayout_status read_all(reader *from, const char *head, rlt_tuning *row,
                                relayout_error *error) {
  relayout_status status = read_head(from, head, error);
  if (status == RELAYOUT_OK) {
    status = read_words(from, "kind: ", row->kind, sizeof row->kind, error);
  }
  if (status == RELAYOUT_OK) {
    status = read_words(from, "date: ", row->date, sizeof row->date, error);
  }
  if (status == RELAYOUT_OK) {
    status = read_words(from, "suites: ", row->suites, sizeof row->suites, error);
  }
  for (int number = 0; number < LINES && status == RELAYOUT_OK; ++number) {
    status = read_line(from, number, row, error);
  }
  if (status == RELAYOUT_OK && from->at != from->end) {
    return rlt_fail(error, RELAYOUT_INVALID_TEXT, "tuning: line %d: expected the end of the row",
                    from->number + 1);
  }
  return status;
}

relayout_status rlt_tuning_read_text(const char *text, size_t size, const char *head,
                                     rlt_tuning *row, relayout_error *error) {
  if (size > RLT_MOST_TUNING_TEXT) {
    return rlt_fail(error, RELAYOUT_INVALID_TEXT,
                    "tuning: the text has %zu bytes, more than any row", size);
  }
  reader from = {.at = text, .end = text + size};
  rlt_tuning made;
  memset(&made, 0, sizeof made);
  const relayout_status status = read_all(&from, head, &made, error);
  if (status == RELAYOUT_OK) {
    *row = made;
  }
  return status;
}
