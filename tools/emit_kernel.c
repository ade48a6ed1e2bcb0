/* emit_kernel.c: see emit_kernel.h. */
#include "emit_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "emit_check.h"
#include "relayout/kernel.h"

typedef struct request {
  const char *from;
  const char *to;
  const char *language;
  const char *name;
  const char *device; /* NULL: a GPU that is not there */
  arguments_values schedules;
  bool at_any_offset;
  bool checks;
} request;

/* What is handed out. */
typedef struct work {
  relayout_shape from;
  relayout_shape to;
  const relayout_kernel_options *options;
  relayout_kernel *kernels;
  int32_t count;
} work;

/* Of what the library checks, the name alone is the user's as it was written. */
static exit_code report_refusal(const relayout_error *error) {
  return error->status == RELAYOUT_INVALID_ARGUMENT
             ? report(EXIT_CODE_USAGE, "--name: %s", error->message)
             : report_error(NULL, error);
}

static exit_code open_device(const request *asked, relayout_device **device) {
  relayout_error error;
  if (asked->device != NULL) {
    const bool is_opencl = strncmp(asked->device, "opencl", strlen("opencl")) == 0;
    return arguments_open_device(asked->device, is_opencl ? "opencl" : NULL, device);
  }
  return relayout_gpu_device_create(NULL, device, &error) == RELAYOUT_OK
             ? EXIT_CODE_OK
             : report_error(NULL, &error);
}

/* Kernels that were made; frees them. */
static exit_code print_kernels(const request *asked, const relayout_plan *plan, work *of) {
  relayout_error error;
  for (int32_t i = 0; i < of->count; i++) {
    of->kernels[i] = (relayout_kernel)RELAYOUT_KERNEL_INIT;
    if (relayout_plan_get_kernel(plan, i, of->options, &of->kernels[i], &error) != RELAYOUT_OK) {
      return report_refusal(&error);
    }
    printf("%s%s", i > 0 ? "\n" : "", of->kernels[i].source);
  }
  if (!asked->checks) {
    return EXIT_CODE_OK;
  }
  fflush(stdout);
  const emit_check_subject subject = {&of->from,   &of->to,   of->options->language,
                                      of->kernels, of->count, asked->device};
  return emit_check(&subject);
}

static exit_code emit_plan(const request *asked, const relayout_plan *plan, work *of) {
  relayout_error error;
  if (relayout_plan_count_kernels(plan, of->options, &of->count, &error) != RELAYOUT_OK) {
    return report_refusal(&error);
  }
  if (of->count == 0) {
    return report(EXIT_CODE_BAD_INPUT, "the relayout moves nothing, and so has no kernel");
  }
  of->kernels = calloc((size_t)of->count, sizeof *of->kernels);
  if (of->kernels == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for %d kernels", (int)of->count);
  }
  const exit_code code = print_kernels(asked, plan, of);
  for (int32_t i = 0; i < of->count; i++) {
    relayout_kernel_free(&of->kernels[i]);
  }
  free(of->kernels);
  return code;
}

static exit_code emit(const request *asked, const relayout_kernel_options *options) {
  work of = {.options = options};
  relayout_device *device = NULL;
  exit_code code = arguments_read_shape("FROM", asked->from, NULL, &of.from);
  if (code == EXIT_CODE_OK) {
    code = arguments_read_shape("TO", asked->to, &of.from, &of.to);
  }
  if (code == EXIT_CODE_OK) {
    code = open_device(asked, &device);
  }
  if (code != EXIT_CODE_OK) {
    return code;
  }
  relayout_plan_options plan_options = RELAYOUT_PLAN_OPTIONS_INIT;
  plan_options.effort = RELAYOUT_PLAN_ESTIMATE;
  plan_options.schedules = asked->schedules.count > 0 ? asked->schedules.of : NULL;
  plan_options.schedule_count = asked->schedules.count;
  plan_options.specialize = 1; /* since the text moves nothing but this relayout */
  relayout_plan *plan = NULL;
  relayout_error error;
  code = relayout_plan_create(device, &of.from, &of.to, &plan_options, &plan, &error) == RELAYOUT_OK
             ? emit_plan(asked, plan, &of)
             : report_error(NULL, &error);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  return code;
}

exit_code emit_kernel_run(int argument_count, char **arguments) {
  request asked = {.from = NULL};
  const arguments_option options[] = {
      {"language", .value = &asked.language},       {"name", .value = &asked.name},
      {"device", .value = &asked.device},           {"schedule", .values = &asked.schedules},
      {"any-offset", .flag = &asked.at_any_offset}, {"check", .flag = &asked.checks}};
  const arguments_operand operands[] = {{"FROM", &asked.from}, {"TO", &asked.to}};
  exit_code code;
  if (!arguments_parse(&command_emit, argument_count, arguments, sizeof options / sizeof options[0],
                       options, 2, operands, &code)) {
    return code;
  }
  if (asked.language == NULL) {
    return report(EXIT_CODE_USAGE, "--language is missing; try 'relayout emit --help'");
  }
  relayout_kernel_options kernel_options = RELAYOUT_KERNEL_OPTIONS_INIT;
  relayout_error error;
  kernel_options.name = asked.name;
  kernel_options.use =
      asked.at_any_offset ? RELAYOUT_SCHEDULE_AT_ANY_OFFSET : RELAYOUT_SCHEDULE_ALIGNED;
  return relayout_language_parse(asked.language, &kernel_options.language, &error) == RELAYOUT_OK
             ? emit(&asked, &kernel_options)
             : report(EXIT_CODE_USAGE, "--language: %s", error.message);
}
