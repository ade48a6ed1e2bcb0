/* explain_scaled.c: see explain_scaled.h. */
#include "explain_scaled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"

static bool names_blocks(const char *text, relayout_block_format *format) {
  char name[16];
  const size_t length = strcspn(text, "[ ");
  if (length >= sizeof name) {
    return false;
  }
  memcpy(name, text, length);
  name[length] = '\0';
  return relayout_block_format_parse(name, format, NULL) == RELAYOUT_OK;
}

/* A product stands outside of the layout's braces, where tiles have a '*' of their own. */
bool explain_scaled_is(const char *text) {
  relayout_block_format format;
  int depth = 0;
  for (const char *at = text; *at != '\0'; at++) {
    depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
    if (*at == '*' && depth == 0) {
      return true;
    }
  }
  return names_blocks(text, &format);
}

/* A format alone has the source's dimensions, and the default order. */
static relayout_status read_destination(const char *text, const relayout_scaled_view *from,
                                        relayout_scaled_view *view, relayout_error *error) {
  const relayout_shape *const shape = &from->elements.shape;
  relayout_block_format format;
  return relayout_block_format_parse(text, &format, NULL) == RELAYOUT_OK
             ? relayout_scaled_view_make_blocks(format, shape->rank, shape->dimensions, NULL, view,
                                                error)
             : relayout_scaled_view_parse(text, view, error);
}

/* An argument that is wrong came from the text. */
static exit_code report_text(const char *about, const relayout_error *error) {
  return error->status == RELAYOUT_INVALID_ARGUMENT
             ? report(EXIT_CODE_BAD_INPUT, "%s: %s", about, error->message)
             : report_error(about, error);
}

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
  if (relayout_scaled_view_parse(from, &source, &error) != RELAYOUT_OK) {
    return report_text("FROM", &error);
  }
  if (read_destination(to, &source, &destination, &error) != RELAYOUT_OK) {
    return report_text("TO", &error);
  }
  exit_code code = arguments_open_device(device != NULL ? device : "auto", NULL, &opened);
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
