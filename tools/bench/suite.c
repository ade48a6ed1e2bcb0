/* suite.c: suites of relayouts, read from text. */
#include "suite.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

enum {
  MOST_ORDERED_DIMENSIONS = 7, /* 5040 orders */
  LEAST_SHRINKABLE_SIZE = 8,   /* bytes of an element */
  BITS_OF_BYTE = 8
};

/* A word of a line, not NUL-terminated. */
typedef struct word {
  const char *text;
  size_t length;
} word;

typedef struct reader {
  bench_suite *suite;
  size_t capacity;
  relayout_element_type generic;
  int line;
  relayout_error *error;
} reader;

static relayout_status fail_line(const reader *in, const char *what, word about) {
  return fail_with(in->error, RELAYOUT_INVALID_TEXT, "line %d: %s '%.*s'", in->line, what,
                    (int)about.length, about.text);
}

static bool is_word(word a, const char *text) {
  return a.length == strlen(text) && memcmp(a.text, text, a.length) == 0;
}

/* Splits a line at white space, up to its comment; at most `capacity` words are kept, all are
 * counted. */
static size_t split(const char *line, size_t length, size_t capacity, word *words) {
  size_t count = 0;
  size_t i = 0;
  while (i < length && line[i] != '#') {
    if (isspace((unsigned char)line[i])) {
      i += 1;
      continue;
    }
    const size_t begin = i;
    while (i < length && line[i] != '#' && !isspace((unsigned char)line[i])) {
      i += 1;
    }
    if (count < capacity) {
      words[count] = (word){line + begin, i - begin};
    }
    count += 1;
  }
  return count;
}

static relayout_status read_shape(const reader *in, word text, relayout_shape *shape,
                                  bool *is_generic) {
  char whole[RELAYOUT_SHAPE_TEXT_SIZE];
  *is_generic = text.length > 1 && text.text[0] == 'T' && text.text[1] == '[';
  const char *type = *is_generic ? relayout_element_type_name(in->generic) : "";
  const size_t skipped = *is_generic ? 1 : 0;
  const int length = snprintf(whole, sizeof whole, "%s%.*s", type, (int)(text.length - skipped),
                              text.text + skipped);
  if (length < 0 || (size_t)length >= sizeof whole) {
    return fail_line(in, "a shape is too long:", text);
  }
  relayout_error error;
  if (relayout_shape_parse(whole, shape, &error) != RELAYOUT_OK) {
    return fail_with(in->error, error.status, "line %d: %s", in->line, error.message);
  }
  return RELAYOUT_OK;
}

/* The next case of the suite, its name set; NULL without memory or for a name that does not fit. */
static relayout_status add_case(reader *in, word name, const char *suffix, bench_case **added) {
  if (in->suite->count == in->capacity) {
    const size_t capacity = in->capacity == 0 ? 64 : 2 * in->capacity;
    bench_case *grown = realloc(in->suite->cases, capacity * sizeof *grown);
    if (grown == NULL) {
      return fail_with(in->error, RELAYOUT_OUT_OF_MEMORY, "no memory for the cases of a suite");
    }
    in->suite->cases = grown;
    in->capacity = capacity;
  }
  bench_case *const made = &in->suite->cases[in->suite->count];
  const int length =
      snprintf(made->name, sizeof made->name, "%.*s%s", (int)name.length, name.text, suffix);
  if (length < 0 || (size_t)length >= sizeof made->name) {
    return fail_line(in, "a name is too long:", name);
  }
  in->suite->count += 1;
  *added = made;
  return RELAYOUT_OK;
}

static relayout_status read_case(reader *in, const word words[3]) {
  bench_case *made;
  relayout_status status = add_case(in, words[0], "", &made);
  if (status != RELAYOUT_OK) {
    return status;
  }
  bool to_is_generic;
  status = read_shape(in, words[1], &made->from, &made->is_generic);
  if (status == RELAYOUT_OK) {
    status = read_shape(in, words[2], &made->to, &to_is_generic);
  }
  if (status == RELAYOUT_OK && !relayout_shape_same_dimensions(&made->from, &made->to)) {
    return fail_line(in, "the two shapes differ in more than layout and element type:", words[0]);
  }
  return status;
}

/* Steps to the next permutation in the order of a dictionary; false after the last one. */
static bool next_order(int32_t count, int32_t *order) {
  int32_t i = count - 2;
  while (i >= 0 && order[i] > order[i + 1]) {
    i -= 1;
  }
  if (i < 0) {
    return false;
  }
  int32_t j = count - 1;
  while (order[j] < order[i]) {
    j -= 1;
  }
  const int32_t swapped = order[i];
  order[i] = order[j];
  order[j] = swapped;
  for (int32_t low = i + 1, high = count - 1; low < high; low++, high--) {
    const int32_t mirrored = order[low];
    order[low] = order[high];
    order[high] = mirrored;
  }
  return true;
}

static relayout_status read_orders(reader *in, const word words[3]) {
  relayout_shape from;
  bool is_generic;
  relayout_status status = read_shape(in, words[2], &from, &is_generic);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (from.rank < 1 || from.rank > MOST_ORDERED_DIMENSIONS || relayout_shape_is_padded(&from)) {
    return fail_line(in, "orders are of 1 to 7 dimensions without padding, not", words[2]);
  }
  int32_t major_to_minor[MOST_ORDERED_DIMENSIONS];
  for (int32_t d = 0; d < from.rank; d++) {
    major_to_minor[d] = d;
  }
  do {
    char suffix[MOST_ORDERED_DIMENSIONS + 2] = "_";
    relayout_shape to = from;
    for (int32_t i = 0; i < from.rank; i++) {
      suffix[1 + i] = (char)('0' + major_to_minor[i]);
      to.layout.minor_to_major[from.rank - 1 - i] = major_to_minor[i];
    }
    bench_case *made;
    status = add_case(in, words[1], suffix, &made);
    if (status != RELAYOUT_OK) {
      return status;
    }
    made->from = from;
    made->to = to;
    made->is_generic = is_generic;
  } while (next_order(from.rank, major_to_minor));
  return RELAYOUT_OK;
}

static relayout_status read_line(reader *in, const char *line, size_t length) {
  word words[3];
  const size_t count = split(line, length, 3, words);
  if (count == 0) {
    return RELAYOUT_OK;
  }
  if (count == 1 && is_word(words[0], "@hot")) {
    in->suite->is_hot = true;
    return RELAYOUT_OK;
  }
  if (count == 3 && is_word(words[0], "@orders")) {
    return read_orders(in, words);
  }
  if (count != 3 || words[0].text[0] == '@') {
    return fail_line(
        in, "neither 'NAME FROM TO' nor '@hot' nor '@orders NAME SHAPE':", (word){line, length});
  }
  return read_case(in, words);
}

relayout_status bench_suite_parse(const char *text, relayout_element_type generic,
                                  bench_suite *suite, relayout_error *error) {
  bench_suite made = {.cases = NULL};
  reader in = {.suite = &made, .generic = generic, .error = error};
  const char *at = text;
  while (*at != '\0') {
    const size_t length = strcspn(at, "\n");
    in.line += 1;
    const relayout_status status = read_line(&in, at, length);
    if (status != RELAYOUT_OK) {
      bench_suite_free(&made);
      return status;
    }
    at += length + (at[length] == '\n' ? 1 : 0);
  }
  *suite = made;
  return RELAYOUT_OK;
}

void bench_suite_free(bench_suite *suite) {
  free(suite->cases);
  *suite = (bench_suite){.cases = NULL};
}

relayout_status bench_suite_parse_name(const char *text, char name[BENCH_NAME_SIZE],
                                       relayout_element_type *generic, relayout_error *error) {
  const char *const dash = strrchr(text, '-');
  const size_t length = dash != NULL ? (size_t)(dash - text) : strlen(text);
  if (length >= BENCH_NAME_SIZE) {
    return fail_with(error, RELAYOUT_INVALID_TEXT, "the suite's name is too long");
  }
  relayout_element_type type = RELAYOUT_F32;
  if (dash != NULL) {
    const relayout_status status = relayout_element_type_parse(dash + 1, &type, error);
    if (status != RELAYOUT_OK) {
      return status;
    }
  }
  memcpy(name, text, length);
  name[length] = '\0';
  *generic = type;
  return RELAYOUT_OK;
}

bool bench_case_shrink(bench_case *shrunk) {
  if (!shrunk->is_generic || shrunk->from.rank == 0 || shrunk->from.dimensions[0] <= 1 ||
      relayout_element_type_byte_size(shrunk->from.element_type) < LEAST_SHRINKABLE_SIZE ||
      relayout_shape_is_padded(&shrunk->from) || relayout_shape_is_padded(&shrunk->to)) {
    return false;
  }
  shrunk->from.dimensions[0] /= 2;
  shrunk->to.dimensions[0] /= 2;
  return true;
}

/* Bytes of the elements alone, in their containers, packed ones being rounded up to whole bytes. */
static size_t bytes_of_elements(const relayout_shape *shape) {
  const size_t count = (size_t)relayout_shape_element_count(shape);
  const size_t stated = (size_t)shape->layout.element_size_in_bits;
  const size_t bits =
      stated > 0 ? stated : BITS_OF_BYTE * relayout_element_type_byte_size(shape->element_type);
  const size_t rest = count % BITS_OF_BYTE * bits;
  return count / BITS_OF_BYTE * bits + (rest + BITS_OF_BYTE - 1) / BITS_OF_BYTE;
}

size_t bench_case_bytes(const bench_case *of) {
  const size_t read = bytes_of_elements(&of->from);
  size_t written = bytes_of_elements(&of->to);
  if (of->to.layout.padding_value != RELAYOUT_PADDING_UNKNOWN) {
    relayout_shape_byte_size(&of->to, &written, NULL);
  }
  return read + written;
}
