/* fuzz_arguments.c: any words of a command line either are refused with one line, or are options,
 * operands, numbers and shapes of which the words say as much. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "fuzz_target.h"
#include "input.h"
#include "promise.h"

enum { MOST_WORDS = 16, MOST_NUMBERS = 4 };

/* ---- Messages, which would fill the terminal: report.h's functions ---- */

exit_code report(exit_code code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  require(vsnprintf(NULL, 0, format, arguments) > 0, "there is a message");
  va_end(arguments);
  return code;
}

exit_code report_error(const char *about, const relayout_error *error) {
  require(about != NULL, "it says what it is about");
  check_error(error->status, error);
  return EXIT_CODE_BAD_INPUT;
}

/* ---- Words ---- */

static const command some_command = {.name = "fuzz", .help = ""};

static bool is_among(const char *value, int count, char **words) {
  for (int i = 0; i < count; i++) {
    const size_t length = strlen(words[i]);
    if (value >= words[i] && value <= words[i] + length) {
      return true;
    }
  }
  return false;
}

static void check_words(int count, char **words) {
  const char *value = NULL;
  const char *operand = NULL;
  arguments_values values = {.count = 0};
  arguments_list list = {.count = 0};
  bool flag = false;
  const arguments_option options[] = {{"value", .value = &value},
                                      {"values", .values = &values},
                                      {"flag", .flag = &flag},
                                      {"list", .list = &list}};
  const arguments_operand operands[] = {{"OPERAND", &operand}};
  exit_code code = EXIT_CODE_FAILURE;
  if (!arguments_parse(&some_command, count, words, 4, options, 1, operands, &code)) {
    require(code == EXIT_CODE_OK || code == EXIT_CODE_USAGE, "it is help, or a wrong word");
    arguments_free_list(&list);
    return;
  }
  require(operand != NULL && is_among(operand, count, words), "the operand is a word");
  require(value == NULL || is_among(value, count, words), "the value is one, or in one");
  require(values.count >= 0 && values.count <= count, "no more values than words");
  for (int32_t i = 0; i < values.count; i++) {
    require(is_among(values.of[i], count, words), "each of which is one, or in one");
  }
  require(list.count <= (size_t)count, "no more in a list than words");
  for (size_t i = 0; i < list.count; i++) {
    require(is_among(list.of[i], count, words), "each of which is one, or in one");
  }
  arguments_free_list(&list);
}

/* ---- What a word means ---- */

static void check_integers(const char *word) {
  int64_t numbers[MOST_NUMBERS];
  size_t count = MOST_NUMBERS + 1;
  const exit_code code = arguments_read_integers("--numbers", word, MOST_NUMBERS, numbers, &count);
  if (code != EXIT_CODE_OK) {
    require(code == EXIT_CODE_USAGE || code == EXIT_CODE_BAD_INPUT, "with a reason");
    return;
  }
  require(count <= MOST_NUMBERS, "there is room");
  char text[MOST_NUMBERS * 24] = "";
  size_t length = 0;
  for (size_t i = 0; i < count; i++) {
    length += (size_t)snprintf(text + length, sizeof text - length, "%s%lld", i == 0 ? "" : ",",
                               (long long)numbers[i]);
  }
  int64_t again[MOST_NUMBERS];
  size_t count_again = 0;
  require(arguments_read_integers("--numbers", text, MOST_NUMBERS, again, &count_again) ==
                  EXIT_CODE_OK &&
              count_again == count && memcmp(again, numbers, count * sizeof numbers[0]) == 0,
          "numbers are read as they are printed");
}

static void check_numbers(const char *word) {
  uint64_t number = 0;
  double factor = 0;
  if (arguments_read_unsigned("--number", word, &number) == EXIT_CODE_OK) {
    require(strtoull(word, NULL, 0) == number && word[0] >= '0' && word[0] <= '9', "no sign");
  }
  if (arguments_read_factor("--factor", word, &factor) == EXIT_CODE_OK) {
    require(isfinite(factor) && factor != 0, "a factor is finite and not 0");
  }
}

static void check_shape(const char *word) {
  relayout_shape like, shape;
  require(relayout_shape_parse("u8[2,3]", &like, NULL) == RELAYOUT_OK, "this is a shape");
  if (arguments_read_shape("shape", word, &like, &shape) == EXIT_CODE_OK) {
    require(relayout_shape_validate(&shape, NULL) == RELAYOUT_OK, "a shape is valid");
    require(!arguments_is_bare_layout(word) || relayout_shape_same_dimensions(&like, &shape),
            "and a layout alone keeps the dimensions");
  }
}

/* NULs part the words. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *const text = input_text(data, size);
  char *words[MOST_WORDS];
  int count = 0;
  for (size_t at = 0; at < size && count < MOST_WORDS; at += strlen(text + at) + 1) {
    words[count] = text + at;
    count += 1;
  }
  check_words(count, words);
  for (int i = 0; i < count; i++) {
    check_integers(words[i]);
    check_numbers(words[i]);
    check_shape(words[i]);
  }
  free(text);
  return 0;
}
