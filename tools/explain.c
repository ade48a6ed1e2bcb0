/* explain.c: `relayout explain` says what a relayout will do on a device, and why. */
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"

static exit_code print_explanation(const relayout_plan *plan, relayout_explain_form form) {
  const size_t length = relayout_plan_explain(plan, form, NULL, 0);
  char *text = malloc(length + 1);
  if (text == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for %zu bytes of text", length);
  }
  relayout_plan_explain(plan, form, text, length + 1);
  fputs(text, stdout);
  if (length == 0 || text[length - 1] != '\n') {
    putchar('\n');
  }
  free(text);
  return EXIT_CODE_OK;
}

static exit_code run(int argument_count, char **arguments) {
  bool as_json = false;
  const char *device_name = NULL;
  const char *from_text = NULL;
  const char *to_text = NULL;
  const arguments_option options[] = {{"device", &device_name, NULL}, {"json", NULL, &as_json}};
  const arguments_operand operands[] = {{"FROM", &from_text}, {"TO", &to_text}};
  exit_code code;
  if (!arguments_parse(&command_explain, argument_count, arguments, 2, options, 2, operands,
                       &code)) {
    return code;
  }
  relayout_shape from;
  relayout_shape to;
  code = arguments_read_shape("FROM", from_text, NULL, &from);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  code = arguments_read_shape("TO", to_text, &from, &to);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  relayout_device *device;
  code = arguments_open_device(device_name != NULL ? device_name : "auto", &device);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  relayout_plan *plan;
  relayout_error error;
  const relayout_status status = relayout_plan_create(device, &from, &to, NULL, &plan, &error);
  relayout_device_destroy(device);
  if (status != RELAYOUT_OK) {
    return report_error(NULL, &error);
  }
  code = print_explanation(plan, as_json ? RELAYOUT_EXPLAIN_JSON : RELAYOUT_EXPLAIN_TEXT);
  relayout_plan_destroy(plan);
  return code;
}

const command command_explain = {
    .name = "explain",
    .summary = "say what a relayout will do on a device, and why",
    .help = "usage: relayout explain FROM TO [--device D] [--json]\n"
            "\n"
            "Prints the bytes, the axes, the strategy and what the device will run to move a\n"
            "tensor of shape FROM to shape TO. TO may be a layout alone.\n"
            "\n"
            "  --device D   as 'relayout devices' names it; auto when left out\n"
            "  --json       the same for a program to read\n"
            "\n"
            "example: relayout explain 'f32[1024,1000]' '{0,1:PD(1024,1024)}'\n",
    .run = run,
};
