/* tuning_text.c: rows as lines of fields, by tables of what is in them. */
#include "search/tuning_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "machine/facts_text.h"
#include "metadata/fields.h"
#include "metadata/quote.h"

enum {
  TUNING_TEXT_VERSION = 1,
  LONGEST_LINE = 1 << 10,
  MOST_BYTES = 1 << 30, /* of sizes: far from what overflows in bits */
  MOST_RUN = 1 << 20,
  MOST_THREAD_BLOCKS = 1 << 10,
  MOST_RATE = 1 << 20, /* lines */
  MOST_LEVEL = 3
};

/* ---- Fields ---- */

#define NUMBERS(name, types, offset, least, most, most_of_others)                                  \
  { name, types, offset, least, most, most_of_others, .is_power = false }
#define SIZE(name, least) NUMBERS(#name, "q", offsetof(rlt_tuning, name), least, MOST_BYTES, 0)
#define REACHES(name, types, in)                                                                   \
  NUMBERS(#name, types, offsetof(in, name), 0, RLT_ALL_THE_WAY, RLT_ALL_THE_WAY)
#define OF_TILE(name, types, least, most, most_of_others)                                          \
  NUMBERS(#name, types, offsetof(rlt_tile_blocking, name), least, most, most_of_others)

/* Tiles and runs of no bytes, and threads for nothing, are no schedule's. */
static const rlt_field row_fields[] = {
    SIZE(straight_columns_bytes, 64),
    SIZE(straight_tile_bytes, 64),
    SIZE(straight_run_bytes, 0),
    SIZE(tile_bytes, 1 << 10),
    SIZE(least_tile_bytes, 0),
    SIZE(most_tile_bytes, 0),
    SIZE(together_bytes, 0),
    REACHES(joined_runs, "qq", rlt_tuning),
    REACHES(other_runs, "qqqqqqqq", rlt_tuning),
    SIZE(block_bytes, 0),
    SIZE(thread_bytes, 1 << 10),
    NUMBERS("thread_blocks", "i", offsetof(rlt_tuning, thread_blocks), 0, MOST_THREAD_BLOCKS, 0),
};
enum { ROW_FIELDS = sizeof row_fields / sizeof row_fields[0] };

static const rlt_field tile_fields[] = {
    OF_TILE(runs, "qq", 0, MOST_RUN, MOST_RUN),
    REACHES(blocks, "qq", rlt_tile_blocking),
    OF_TILE(prefetch, "ii", 0, RLT_MOST_TILES_AHEAD, MOST_LEVEL),
    OF_TILE(stores, "i", RLT_STORES_BY_SIZE, RLT_STORES_STRAIGHT, 0),
    OF_TILE(loads, "?", 0, 1, 0),
};
enum { TILE_FIELDS = sizeof tile_fields / sizeof tile_fields[0] };

static const rlt_field rate_fields[] = {
#define RATE(name, text)                                                                           \
  NUMBERS(text, "d", offsetof(rlt_rates, of[RLT_RATE_##name]), 0, MOST_RATE, 0),
    RLT_RATE_TABLE(RATE)
#undef RATE
};
enum { RATE_FIELDS = sizeof rate_fields / sizeof rate_fields[0] };

_Static_assert(sizeof(rlt_stores) == sizeof(int32_t), "stores are read as a number");
_Static_assert(sizeof(((rlt_tuning *)NULL)->other_runs) == 8 * sizeof(int64_t),
               "all other runs are read");

/* ---- Lines ---- */

/* A line of fields: what stands before them, and where they lie in a row. */
typedef struct line {
  char prefix[32];
  size_t offset;
  const rlt_field *fields;
  int count;
} line;

enum { LINES_OF_WORDS = RLT_TILES + 1, LINES = ROW_FIELDS + RLT_WORD_SIZES * LINES_OF_WORDS };

static line line_of_words(int word, int number) {
  line made = {.offset = offsetof(rlt_tuning, words) + (size_t)word * sizeof(rlt_word_tuning)};
  rlt_text prefix = rlt_text_in(made.prefix, sizeof made.prefix);
  rlt_text_add(&prefix, "word %d %s ", 1 << word,
               number < RLT_TILES ? rlt_tiles_name((rlt_tiles)number) : "rates");
  if (number < RLT_TILES) {
    made.offset += offsetof(rlt_word_tuning, tiles) + (size_t)number * sizeof(rlt_tile_blocking);
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

/* ---- Printing ---- */

static void add_line(const rlt_tuning *row, int number, rlt_text *text) {
  const line of = line_of(number);
  rlt_text_add(text, "%s", of.prefix);
  rlt_fields_add(of.fields, of.count, (const char *)row + of.offset, text);
  rlt_text_add(text, "\n");
}

void rlt_tuning_add_head(const relayout_device_info *info, const rlt_machine *machine,
                         rlt_text *text) {
  rlt_text_add(text,
               "relayout tuning %d\ndevice: %s%s%s\ndriver: %s %s\nfacts: ", TUNING_TEXT_VERSION,
               info->description, info->instructions[0] == '\0' ? "" : ", ", info->instructions,
               info->platform, info->driver);
  rlt_facts_add_text(machine, text);
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

static relayout_status read_line(reader *from, int number, rlt_tuning *row, relayout_error *error) {
  const line of = line_of(number);
  char whose[32];
  uint64_t given;
  relayout_status status = next_line(from, "fields", error);
  if (status == RELAYOUT_OK && !starts_with(from->line, from->length, of.prefix)) {
    status = fail_at(from, of.prefix, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  snprintf(whose, sizeof whose, "tuning: line %d", from->number);
  status = rlt_fields_read(whose, of.fields, of.count, from->line + strlen(of.prefix),
                           from->line + from->length, (char *)row + of.offset, &given, error);
  for (int f = 0; f < of.count && status == RELAYOUT_OK; ++f) {
    if ((given >> f & 1) == 0) {
      status =
          rlt_fail(error, RELAYOUT_INVALID_TEXT, "%s: `%s` is missing", whose, of.fields[f].name);
    }
  }
  return status;
}

/* The lines that say which device it is. */
static relayout_status read_head(reader *from, const char *head, relayout_error *error) {
  static const char *const names[] = {"relayout tuning 1", "device: ", "driver: ", "facts: "};
  relayout_status status = RELAYOUT_OK;
  for (size_t i = 0; i < sizeof names / sizeof names[0] && status == RELAYOUT_OK; ++i) {
    char words[LONGEST_LINE];
    rlt_machine machine = {0};
    status = read_words(from, names[i], words, sizeof words, error);
    if (status == RELAYOUT_OK && i == 0 && words[0] != '\0') {
      status = fail_at(from, names[i], error);
    }
    if (status == RELAYOUT_OK && i == 3 &&
        rlt_facts_read_text(words, &machine, NULL) != RELAYOUT_OK) {
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
                    "tuning: the text has %zu bytes; a row has at most %d", size,
                    (int)RLT_MOST_TUNING_TEXT);
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
