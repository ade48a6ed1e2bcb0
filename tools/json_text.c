/* json_text.c: jansson's reader and writer, with their allocations watched. Without memory for a
 * moment, jansson 2.14 says that the text is wrong, goes on with characters missing, or ends the
 * process with an assertion on these. Once it lacks memory it gets no more, and ends soon. */
#include "json_text.h"

#include <stdbool.h>
#include <stdlib.h>

#include "fail.h"

static json_malloc_t allocate;
static json_free_t release;
static bool lacks_memory;

static void *watched_allocate(size_t size) {
  void *const block = lacks_memory ? NULL : allocate(size);
  lacks_memory = block == NULL;
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

/* Whether brackets are more than an eighth of it, as in lists of empty objects, each of which takes
 * jansson a hundred times the bytes that it is written in. */
static bool opens_too_many(const char *text, size_t size) {
  enum { ALWAYS_FINE = 256 };
  size_t count = 0;
  bool is_in_string = false;
  for (size_t i = 0; i < size; i++) {
    if (text[i] == '\\') {
      i += 1;
    } else if (text[i] == '"') {
      is_in_string = !is_in_string;
    } else if (!is_in_string) {
      count += text[i] == '[' || text[i] == '{';
    }
  }
  return count > size / 8 + ALWAYS_FINE;
}

json_t *json_text_load(const char *text, size_t size, json_error_t *problem) {
  if (opens_too_many(text, size)) {
    *problem = (json_error_t){.line = 1, .text = "nearly all of it are brackets"};
    return NULL;
  }
  begin_watch();
  json_t *json = json_loadb(text, size, JSON_REJECT_DUPLICATES, problem);
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

char *json_text_write(const json_t *json, int digits) {
  begin_watch();
  char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(digits));
  end_watch();
  if (lacks_memory) {
    free(text);
    text = NULL;
  }
  return text;
}
