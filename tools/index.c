/* index.c: `relayout index` turns a multi-index into a linear index, and back. */
#include <inttypes.h>
#include <stdio.h>

#include "arguments.h"
#include "json_output.h"

/* A place in an array, both ways. */
typedef struct place {
  int64_t index[RELAYOUT_MAX_RANK];
  int64_t linear;
} place;

static exit_code read_at(const relayout_shape *shape, const char *at, place *made) {
  size_t count;
  const exit_code code =
      arguments_read_integers("--at", at, RELAYOUT_MAX_RANK, made->index, &count);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  if (count != (size_t)shape->rank) {
    return report(EXIT_CODE_BAD_INPUT, "--at has %zu numbers, but the shape has rank %" PRId32,
                  count, shape->rank);
  }
  relayout_error error;
  return relayout_index_to_linear(shape, made->index, &made->linear, &error) == RELAYOUT_OK
             ? EXIT_CODE_OK
             : report_error("--at", &error);
}

static exit_code read_linear(const relayout_shape *shape, const char *text, place *made) {
  size_t count;
  const exit_code code = arguments_read_integers("--linear", text, 1, &made->linear, &count);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  if (count == 0) {
    return report(EXIT_CODE_USAGE, "--linear takes a number, not '%s'", text);
  }
  relayout_error error;
  return relayout_index_from_linear(shape, made->linear, made->index, &error) == RELAYOUT_OK
             ? EXIT_CODE_OK
             : report_error("--linear", &error);
}

static bool is_padding(const relayout_shape *shape, const place *at) {
  bool is_inside = true;
  for (int32_t d = 0; d < shape->rank; d++) {
    is_inside = is_inside && at->index[d] >= 0 && at->index[d] < shape->dimensions[d];
  }
  return !is_inside;
}

static exit_code print_json(const relayout_shape *shape, const place *at) {
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_shape_format(shape, text, sizeof text);
  return json_print_line(
      json_of_members((json_member[]){{"text", json_of_text(text)},
                                      {"index", json_of_integers((size_t)shape->rank, at->index)},
                                      {"linear", json_of_integer(at->linear)},
                                      {"padding", json_of_boolean(is_padding(shape, at))},
                                      {NULL, NULL}}),
      stdout);
}

static void print_index(const relayout_shape *shape, const place *at) {
  for (int32_t d = 0; d < shape->rank; d++) {
    printf("%s%" PRId64, d > 0 ? "," : "", at->index[d]);
  }
  putchar('\n');
}

static exit_code run(int argument_count, char **arguments) {
  const char *at = NULL;
  const char *linear = NULL;
  const char *text = NULL;
  bool as_json = false;
  const arguments_option options[] = {
      {"at", .value = &at}, {"linear", .value = &linear}, {"json", .flag = &as_json}};
  const arguments_operand operands[] = {{"SHAPE", &text}};
  exit_code code;
  if (!arguments_parse(&command_index, argument_count, arguments, 3, options, 1, operands, &code)) {
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
  place found;
  code = at != NULL ? read_at(&shape, at, &found) : read_linear(&shape, linear, &found);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  if (as_json) {
    return print_json(&shape, &found);
  }
  if (at != NULL) {
    printf("%" PRId64 "\n", found.linear);
  } else {
    print_index(&shape, &found);
  }
  return EXIT_CODE_OK;
}

const command command_index = {
    .name = "index",
    .summary = "turn a multi-index into a linear index, and back",
    .help = "usage: relayout index SHAPE --at I,J,... | --linear N [--json]\n"
            "\n"
            "  --at I,J,...   prints where the element at this multi-index lies, counted in\n"
            "                 elements from the start of the array's memory\n"
            "  --linear N     prints the multi-index of what lies there, padding included: -1 for\n"
            "                 each dimension where tiles or the tail are padded\n"
            "  --json         one object: text, index, linear, and padding, which is true where\n"
            "                 no element of the array lies\n"
            "\n"
            "example: relayout index 'f32[2,3]{0,1:PD(3,5)}' --at 1,2\n"
            "prints:  7\n",
    .run = run,
};
