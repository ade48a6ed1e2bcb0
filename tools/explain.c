/* explain.c: `relayout explain` says what a relayout will do on a device, and why. */
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"

typedef struct request {
  const char *from;
  const char *to;
  const char *device;
  const char *rounding;
  arguments_values schedules; /* that are asked for */
  bool lists_schedules;
  bool as_json;
} request;

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

static relayout_explain_form form_of(const request *asked) {
  if (asked->lists_schedules) {
    return asked->as_json ? RELAYOUT_EXPLAIN_SCHEDULES_JSON : RELAYOUT_EXPLAIN_SCHEDULES_TEXT;
  }
  return asked->as_json ? RELAYOUT_EXPLAIN_JSON : RELAYOUT_EXPLAIN_TEXT;
}

static exit_code explain(const request *asked, const relayout_shape *from,
                         const relayout_shape *to) {
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  exit_code code = arguments_read_rounding("--round", asked->rounding, &options.rounding);
  relayout_device *device = NULL;
  if (code == EXIT_CODE_OK) {
    code = arguments_open_device(asked->device != NULL ? asked->device : "auto", &device);
  }
  if (code != EXIT_CODE_OK) {
    return code;
  }
  options.schedules = asked->schedules.of;
  options.schedule_count = asked->schedules.count;
  relayout_plan *plan;
  relayout_error error;
  const relayout_status status = relayout_plan_create(device, from, to, &options, &plan, &error);
  relayout_device_destroy(device);
  if (status != RELAYOUT_OK) {
    return report_error(NULL, &error);
  }
  code = print_explanation(plan, form_of(asked));
  relayout_plan_destroy(plan);
  return code;
}

static exit_code run(int argument_count, char **arguments) {
  request asked = {.from = NULL};
  const arguments_option options[] = {{"device", .value = &asked.device},
                                      {"round", .value = &asked.rounding},
                                      {"json", .flag = &asked.as_json},
                                      {"schedules", .flag = &asked.lists_schedules},
                                      {"schedule", .values = &asked.schedules}};
  const arguments_operand operands[] = {{"FROM", &asked.from}, {"TO", &asked.to}};
  exit_code code;
  if (!arguments_parse(&command_explain, argument_count, arguments,
                       sizeof options / sizeof options[0], options, 2, operands, &code)) {
    return code;
  }
  relayout_shape from;
  relayout_shape to;
  code = arguments_read_shape("FROM", asked.from, NULL, &from);
  if (code == EXIT_CODE_OK) {
    code = arguments_read_shape("TO", asked.to, &from, &to);
  }
  return code == EXIT_CODE_OK ? explain(&asked, &from, &to) : code;
}

const command command_explain = {
    .name = "explain",
    .summary = "say what a relayout will do on a device, and why",
    .help = "usage: relayout explain FROM TO [--device D] [--json] [--schedules]\n"
            "                        [--schedule TEXT] [--round R]\n"
            "\n"
            "Prints the bytes, the axes, the schedule and what the device will run to move a\n"
            "tensor of shape FROM to shape TO. TO may be a layout, a type or both:\n"
            "what it does not say is that of FROM.\n"
            "\n"
            "  --device D        as 'relayout devices' names it; auto when left out\n"
            "  --json            the same for a program to read\n"
            "  --schedules       also every schedule that is offered, best predicted first\n"
            "  --schedule TEXT   explain exactly this one of them; where the relayout has\n"
            "                    several parts, once for each of them, in order\n"
            "  --round R         nearest: integers are the nearest; zero, when left out\n"
            "\n"
            "example: relayout explain 'f32[1024,1000]' '{0,1:PD(1024,1024)}'\n",
    .run = run,
};
