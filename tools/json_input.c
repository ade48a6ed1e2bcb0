/* json_input.c: jansson's reader, with errors in the library's form. */
#include "json_input.h"

#include "fail.h"

relayout_status json_input_read(const char *text, size_t size, json_t **json,
                                relayout_error *error) {
  json_error_t problem;
  *json = json_loadb(text, size, JSON_REJECT_DUPLICATES, &problem);
  if (*json != NULL) {
    return RELAYOUT_OK;
  }
  /* Without memory jansson mostly has no words. */
  if (problem.text[0] == '\0' || json_error_code(&problem) == json_error_out_of_memory) {
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for %zu bytes of JSON", size);
  }
  return fail_with(error, RELAYOUT_INVALID_TEXT, "line %d, column %d of the JSON: %s", problem.line,
                   problem.column, problem.text);
}
