/* json_text.c: jansson's reader and writer, with their allocations watched. Without memory for a
 * moment, jansson 2.14 says that the text is wrong, goes on with characters missing, or ends the
 * process with an assertion on these. Once it lacks memory it gets no more than a few spare blocks,
 * and ends soon. Texts that could have it do the last beyond these are refused before. */
#include "json_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

static json_malloc_t allocate;
static json_free_t release;
static bool lacks_memory;

/* For the room in which jansson gathers a word, of 32 bytes and then 64, which it goes on without.
 * A string or an array of these sizes may take one of each before, and what comes next is another
 * size, at which it ends. */
enum { MOST_SPARES = 4, SPARE_BYTES = 64 };
static void *spares[MOST_SPARES];
static int spare_count;

static void give_spares_back(void) {
  while (spare_count > 0) {
    release(spares[--spare_count]);
  }
}

static void *watched_allocate(size_t size) {
  void *const block = lacks_memory ? NULL : allocate(size);
  lacks_memory = block == NULL;
  const bool is_room = size == SPARE_BYTES / 2 || size == SPARE_BYTES;
  if (lacks_memory && is_room && spare_count > 0) {
    return spares[--spare_count];
  }
  if (lacks_memory) { /* also where it goes on in a longer string */
    give_spares_back();
  }
  return block;
}

static void begin_watch(void) {
  lacks_memory = false;
  json_get_alloc_funcs(&allocate, &release);
  json_set_alloc_funcs(watched_allocate, release);
}

static void end_watch(void) {
  json_set_alloc_funcs(allocate, release);
}

/* Before jansson reads. */
static void take_spares(void) {
  while (spare_count < MOST_SPARES && !lacks_memory) {
    spares[spare_count] = allocate(SPARE_BYTES);
    lacks_memory = spares[spare_count] == NULL;
    spare_count += lacks_memory ? 0 : 1;
  }
}

/* ---- What jansson had better not see -------------------------------------------------------- */

enum { LONGEST_WORD = 40 }; /* numbers are shorter: -2.2250738585072014e-308 */

typedef struct scan {
  bool is_in_string;
  size_t word;     /* how long the number or name is that it is in */
  size_t brackets; /* that opened something so far */
} scan;

static bool is_mark(unsigned char byte) {
  return byte <= ' ' || byte == ',' || byte == ':' || byte == ']' || byte == '}';
}

/* What is wrong with the next byte, or NULL. */
static const char *scan_byte(scan *at, unsigned char byte) {
  if (byte == '"') {
    at->is_in_string = !at->is_in_string;
    at->word = 0;
  } else if (at->is_in_string) {
    return byte < ' ' ? "a control character in a string" : NULL;
  } else if (byte == '[' || byte == '{') {
    at->brackets += 1;
    at->word = 0;
  } else {
    at->word = is_mark(byte) ? 0 : at->word + 1;
  }
  return at->word > LONGEST_WORD ? "a word of more than 40 characters" : NULL;
}

/* Whether the text may be read, or what is wrong with it. Without memory for one of these, jansson
 * would end the process: a string that has a control character in it, a long number. And no more
 * than an eighth of it may open objects and arrays: an empty one takes a hundred times the bytes
 * that it is written in. */
static bool scan_text(const char *text, size_t size, json_error_t *problem) {
  enum { ALWAYS_FINE = 256 };
  scan at = {.word = 0};
  const char *wrong = NULL;
  *problem = (json_error_t){.line = 1};
  for (size_t i = 0; i < size && wrong == NULL; i++) {
    problem->position = (int)i;
    problem->column += 1;
    if (text[i] == '\n') {
      problem->line += 1;
      problem->column = 0;
    }
    wrong = scan_byte(&at, (unsigned char)text[i]);
    i += text[i] == '\\';
  }
  if (wrong == NULL && at.brackets > size / 8 + ALWAYS_FINE) {
    wrong = "too many brackets for its size";
  }
  if (wrong != NULL) {
    strcpy(problem->text, wrong);
  }
  return wrong == NULL;
}

/* ---- Reading and writing -------------------------------------------------------------------- */

json_t *json_text_load(const char *text, size_t size, json_error_t *problem) {
  if (!scan_text(text, size, problem)) {
    return NULL;
  }
  begin_watch();
  take_spares();
  json_t *json = lacks_memory ? NULL : json_loadb(text, size, JSON_REJECT_DUPLICATES, problem);
  give_spares_back();
  end_watch();
  if (lacks_memory) {
    json_decref(json);
    json = NULL;
    problem->text[0] = '\0';
  }
  return json;
}

relayout_status json_text_read(const char *text, size_t size, json_t **json,
                               relayout_error *error) {
  json_error_t problem;
  *json = json_text_load(text, size, &problem);
  if (*json == NULL && problem.text[0] == '\0') {
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for %zu bytes of JSON", size);
  }
  if (*json == NULL) {
    return fail_with(error, RELAYOUT_INVALID_TEXT, "line %d, column %d of the JSON: %s",
                     problem.line, problem.column, problem.text);
  }
  return RELAYOUT_OK;
}

static char *write_with(const json_t *json, size_t flags) {
  begin_watch();
  char *text = json_dumps(json, flags);
  end_watch();
  if (lacks_memory) {
    free(text);
    text = NULL;
  }
  return text;
}

char *json_text_write(const json_t *json, int digits) {
  return write_with(json, JSON_COMPACT | JSON_REAL_PRECISION(digits));
}

char *json_text_write_lines(const json_t *json) {
  return write_with(json, JSON_INDENT(2));
}

bool json_text_copy(const json_t *value, size_t capacity, char *text) {
  if (value != NULL && !json_is_string(value)) {
    return false;
  }
  snprintf(text, capacity, "%s", value != NULL ? json_string_value(value) : "");
  return true;
}

bool json_text_number(const json_t *value, double *number) {
  *number = json_number_value(value);
  return value == NULL || json_is_number(value);
}
