/* explain_scaled.c: see explain_scaled.h. */
#include "explain_scaled.h"

#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "scaled_text.h"

static exit_code print_plan(const relayout_plan *plan, bool as_json) {
  const relayout_explain_form form = as_json ? RELAYOUT_EXPLAIN_JSON : RELAYOUT_EXPLAIN_TEXT;
  const size_t length = relayout_plan_explain(plan, form, NULL, 0);
  char *const text = malloc(length + 1);
  if (text == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for %zu bytes of text", length);
  }
  relayout_plan_explain(plan, form, text, length + 1);
  printf("%s%s", text, as_json ? "\n" : "");
  free(text);
  return EXIT_CODE_OK;
}

exit_code explain_scaled(const char *from, const char *to, const char *device, bool as_json,
                         const relayout_plan_options *options) {
  relayout_scaled_view source, destination;
  relayout_error error;
  relayout_device *opened = NULL;
  relayout_plan *plan = NULL;
  exit_code code = scaled_text_read("FROM", from, NULL, &source);
  if (code == EXIT_CODE_OK) {
    code = scaled_text_read("TO", to, &source, &destination);
  }
  if (code == EXIT_CODE_OK) {
    code = arguments_open_device(device != NULL ? device : "auto", NULL, &opened);
  }
  if (code != EXIT_CODE_OK) {
    return code;
  }
  code = relayout_plan_create_many(opened, &source, &destination, 1, options, &plan, &error) ==
                 RELAYOUT_OK
             ? print_plan(plan, as_json)
             : report_error(NULL, &error);
  relayout_plan_destroy(plan);
  relayout_device_destroy(opened);
  return code;
}
