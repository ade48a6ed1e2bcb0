/* emit.c: `relayout emit` prints a layout as source text for kernels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "emit_kernel.h"

/* What can be printed. Each gets the other words. */
typedef struct emitted {
  const char *name;
  exit_code (*run)(int argument_count, char **arguments);
} emitted;

/* Of the arguments that the library checks, the name alone is the user's as it was written. */
static exit_code report_refusal(const relayout_error *error) {
  return error->status == RELAYOUT_INVALID_ARGUMENT
             ? report(EXIT_CODE_USAGE, "--name: %s", error->message)
             : report_error("SHAPE", error);
}

static exit_code print_index(const relayout_shape *shape, const relayout_emit_options *options) {
  relayout_error error;
  size_t length;
  if (relayout_shape_emit_index(shape, options, NULL, 0, &length, &error) != RELAYOUT_OK) {
    return report_refusal(&error);
  }
  char *const text = malloc(length + 1);
  if (text == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for a text of %zu bytes", length);
  }
  exit_code code = EXIT_CODE_OK;
  if (relayout_shape_emit_index(shape, options, text, length + 1, &length, &error) == RELAYOUT_OK) {
    fputs(text, stdout);
  } else {
    code = report_refusal(&error);
  }
  free(text);
  return code;
}

static exit_code run_index(int argument_count, char **arguments) {
  const char *text = NULL;
  const char *language = NULL;
  const char *name = NULL;
  const arguments_option options[] = {{"language", .value = &language}, {"name", .value = &name}};
  const arguments_operand operands[] = {{"SHAPE", &text}};
  exit_code code;
  if (!arguments_parse(&command_emit, argument_count, arguments, 2, options, 1, operands, &code)) {
    return code;
  }
  if (language == NULL) {
    return report(EXIT_CODE_USAGE, "--language is missing; try 'relayout emit --help'");
  }
  relayout_emit_options emit_options = RELAYOUT_EMIT_OPTIONS_INIT;
  emit_options.name = name;
  relayout_error error;
  if (relayout_language_parse(language, &emit_options.language, &error) != RELAYOUT_OK) {
    return report(EXIT_CODE_USAGE, "--language: %s", error.message);
  }
  relayout_shape shape;
  code = arguments_read_shape("SHAPE", text, NULL, &shape);
  return code == EXIT_CODE_OK ? print_index(&shape, &emit_options) : code;
}

static const emitted all[] = {{"index", run_index}, {"kernel", emit_kernel_run}};
static const size_t count = sizeof all / sizeof all[0];

static bool is_flag(const char *argument) {
  return strcmp(argument, "--any-offset") == 0 || strcmp(argument, "--check") == 0;
}

/* The place of the first word that is neither an option nor an option's value; argument_count if
 * there is none. All options but flags have values. */
static int find_operand(int argument_count, char **arguments) {
  int at = 0;
  while (at < argument_count && strncmp(arguments[at], "--", 2) == 0) {
    at += is_flag(arguments[at]) || strchr(arguments[at], '=') != NULL ? 1 : 2;
  }
  return at < argument_count ? at : argument_count;
}

static exit_code run(int argument_count, char **arguments) {
  const int at = find_operand(argument_count, arguments);
  for (size_t i = 0; at < argument_count && i < count; i++) {
    if (strcmp(arguments[at], all[i].name) == 0) {
      memmove(arguments + at, arguments + at + 1,
              (size_t)(argument_count - at - 1) * sizeof *arguments);
      return all[i].run(argument_count - 1, arguments);
    }
  }
  const char *ignored[] = {NULL, NULL, NULL}, *what = NULL;
  bool is_ignored[] = {false, false};
  arguments_values values = {.count = 0};
  const arguments_option options[] = {
      {"language", .value = &ignored[0]},     {"name", .value = &ignored[1]},
      {"device", .value = &ignored[2]},       {"schedule", .values = &values},
      {"any-offset", .flag = &is_ignored[0]}, {"check", .flag = &is_ignored[1]}};
  const arguments_operand operands[] = {{"index or kernel", &what}};
  const int words = at < argument_count ? at + 1 : argument_count;
  exit_code code;
  if (!arguments_parse(&command_emit, words, arguments, sizeof options / sizeof options[0], options,
                       1, operands, &code)) {
    return code;
  }
  return report(EXIT_CODE_USAGE,
                "cannot emit '%s'; expected index or kernel; try 'relayout emit --help'", what);
}

const command command_emit = {
    .name = "emit",
    .summary = "print a layout, or a relayout, as source text for a program",
    .help =
        "usage: relayout emit index SHAPE --language L [--name N]\n"
        "       relayout emit kernel FROM TO --language L [--name N] [--device D]\n"
        "                            [--schedule TEXT]... [--any-offset] [--check]\n"
        "\n"
        "emit index prints two functions in c, opencl, cuda, hip, metal, wgsl, glsl or python: "
        "one\n"
        "from a multi-index to the linear index, in elements, as 'relayout index --at' prints it;\n"
        "and one back, which returns false where no element of the tensor lies. All sizes are\n"
        "constants in them. In C they are\n"
        "\n"
        "  static inline int64_t at(int64_t i0, int64_t i1)    an argument for each dimension\n"
        "  static inline bool at_inverse(int64_t linear, int64_t *indices)\n"
        "\n"
        "in the other languages the nearest to that; 'man relayout-emit' lists them. Constants\n"
        "say the tensor's sizes: at_elements, at_physical_elements, at_bytes, at_element_bits.\n"
        "\n"
        "emit kernel prints a whole relayout: a kernel in opencl, cuda or hip, or a function in\n"
        "c, in a file that needs no other one. Its comment says how it is launched; the line\n"
        "'launch: ' there is JSON. A relayout of several parts is several kernels.\n",
    .more_help =
        "\n"
        "  --language L     one of these languages\n"
        "  --name N         the function's name, and what the others begin with, instead of at\n"
        "                   or relayout\n"
        "  --device D       plan for this device, as 'relayout explain' does, instead of for any\n"
        "                   GPU; --check runs kernels there\n"
        "  --schedule TEXT  with this schedule, once for each part\n"
        "  --any-offset     the sides may begin at any element, not at aligned addresses alone\n"
        "  --check          compile what is printed, and run it in opencl and c\n"
        "\n"
        "example: relayout emit index 'bf16[1000,512]{1,0:T(8,128)}' --language cuda\n"
        "example: relayout emit kernel 'f32[1024,1000]' 'bf16{0,1}' --language cuda\n",
    .run = run,
};
