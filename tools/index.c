/* index.c: `relayout index` turns a multi-index into a linear index, and back. */
#include <inttypes.h>
#include <stdio.h>

#include "arguments.h"

static exit_code print_linear(const relayout_shape *shape, const char *at) {
  int64_t index[RELAYOUT_MAX_RANK];
  size_t count;
  const exit_code code = arguments_read_integers("--at", at, RELAYOUT_MAX_RANK, index, &count);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  if (count != (size_t)shape->rank) {
    return report(EXIT_CODE_BAD_INPUT, "--at has %zu numbers, but the shape has rank %" PRId32,
                  count, shape->rank);
  }
  relayout_error error;
  int64_t linear;
  if (relayout_index_to_linear(shape, index, &linear, &error) != RELAYOUT_OK) {
    return report_error("--at", &error);
  }
  printf("%" PRId64 "\n", linear);
  return EXIT_CODE_OK;
}

static exit_code print_index(const relayout_shape *shape, const char *text) {
  int64_t linear;
  size_t count;
  const exit_code code = arguments_read_integers("--linear", text, 1, &linear, &count);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  if (count == 0) {
    return report(EXIT_CODE_USAGE, "--linear takes a number");
  }
  relayout_error error;
  int64_t index[RELAYOUT_MAX_RANK];
  if (relayout_index_from_linear(shape, linear, index, &error) != RELAYOUT_OK) {
    return report_error("--linear", &error);
  }
  for (int32_t d = 0; d < shape->rank; d++) {
    printf("%s%" PRId64, d > 0 ? "," : "", index[d]);
  }
  putchar('\n');
  return EXIT_CODE_OK;
}

static exit_code run(int argument_count, char **arguments) {
  const char *at = NULL;
  const char *linear = NULL;
  const char *text = NULL;
  const arguments_option options[] = {{"at", .value = &at}, {"linear", .value = &linear}};
  const arguments_operand operands[] = {{"SHAPE", &text}};
  exit_code code;
  if (!arguments_parse(&command_index, argument_count, arguments, 2, options, 1, operands, &code)) {
    return code;
  }
  if ((at == NULL) == (linear == NULL)) {
    return report(EXIT_CODE_USAGE, "give one of --at and --linear; try 'relayout index --help'");
  }
  relayout_shape shape;
  code = arguments_read_shape("SHAPE", text, NULL, &shape);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  return at != NULL ? print_linear(&shape, at) : print_index(&shape, linear);
}

const command command_index = {
    .name = "index",
    .summary = "turn a multi-index into a linear index, and back",
    .help = "usage: relayout index SHAPE --at I,J,... | --linear N\n"
            "\n"
            "  --at I,J,...   prints where the element at this multi-index lies, counted in\n"
            "                 elements from the start of the array's memory\n"
            "  --linear N     prints the multi-index of what lies there, padding included: -1 for\n"
            "                 each dimension where tiles or the tail are padded\n"
            "\n"
            "example: relayout index 'f32[2,3]{0,1:PD(3,5)}' --at 1,2\n"
            "prints:  7\n",
    .run = run,
};
