/* arguments.c: splits command lines into options and operands and reads their values. */
#include "arguments.h"

#include "kernel_choice.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suggestion.h"

static exit_code report_usage(const command *of, const char *what, const char *word) {
  return report(EXIT_CODE_USAGE, "%s '%s'; try 'relayout %s --help'", what, word, of->name);
}

/* No value stands where one is needed; `next` is the option there, or NULL at the end. */
static exit_code report_no_value(const command *of, const char *name, const char *next) {
  return next == NULL
             ? report(EXIT_CODE_USAGE,
                      "--%s needs a value, but nothing follows it; try 'relayout %s --help'", name,
                      of->name)
             : report(EXIT_CODE_USAGE,
                      "--%s needs a value, but '%s' follows it; try 'relayout %s --help'", name,
                      next, of->name);
}

/* What is not known, and what it may have been meant to be. */
static exit_code report_unknown(const command *of, const char *word, size_t option_count,
                                const arguments_option *options) {
  char text[SUGGESTION_TEXT_SIZE];
  const char *const name = word + strspn(word, "-");
  suggestion near = suggestion_for(name, strcspn(name, "="));
  if (name == word + 1 && name[0] != '\0' && name[1] == '\0') {
    return report(EXIT_CODE_USAGE,
                  "unknown option '%s': no option but -h is one letter; try 'relayout %s --help'",
                  word, of->name);
  }
  for (size_t i = 0; i < option_count; i++) {
    suggestion_try(&near, options[i].name);
  }
  suggestion_try(&near, "help");
  suggestion_text(&near, "--", text);
  return near.best == NULL ? report_usage(of, "unknown option", word)
                           : report(EXIT_CODE_USAGE, "unknown option '%s'%s", word, text);
}

/* The option that `word` names. *attached is what stands behind its `=`, or NULL. */
static const arguments_option *find_option(const char *word, size_t option_count,
                                           const arguments_option *options, const char **attached) {
  const char *name = word + strlen("--");
  const size_t length = strcspn(name, "=");
  *attached = name[length] == '=' ? name + length + 1 : NULL;
  for (size_t i = 0; i < option_count; i++) {
    if (strlen(options[i].name) == length && strncmp(options[i].name, name, length) == 0) {
      return &options[i];
    }
  }
  return NULL;
}

static exit_code add_to_list(arguments_list *list, const char *value) {
  const char **const grown = realloc(list->of, (list->count + 1) * sizeof *grown);
  if (grown == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for %zu values of an option", list->count + 1);
  }
  grown[list->count] = value;
  list->of = grown;
  list->count += 1;
  return EXIT_CODE_OK;
}

void arguments_free_list(arguments_list *list) {
  free(list->of);
  *list = (arguments_list){.count = 0};
}

/* Takes what stands behind an option's name, or else the next word, as its value. */
static bool take_value(const command *of, int argument_count, char **arguments,
                       const arguments_option *option, const char *value, int *at,
                       exit_code *code) {
  if (option->value != NULL && *option->value != NULL) {
    *code = report(EXIT_CODE_USAGE, "--%s is given twice; give it once", option->name);
    return false;
  }
  if (option->values != NULL && option->values->count == ARGUMENTS_MOST_VALUES) {
    *code = report(EXIT_CODE_USAGE, "--%s is given more than %d times", option->name,
                   ARGUMENTS_MOST_VALUES);
    return false;
  }
  if (value == NULL) {
    const char *const next = *at + 1 < argument_count ? arguments[*at + 1] : NULL;
    if (next == NULL || strncmp(next, "--", 2) == 0) {
      *code = report_no_value(of, option->name, next);
      return false;
    }
    *at += 1;
    value = arguments[*at];
  }
  if (option->list != NULL) {
    *code = add_to_list(option->list, value);
    return *code == EXIT_CODE_OK;
  }
  if (option->values != NULL) {
    option->values->of[option->values->count] = value;
    option->values->count += 1;
  } else {
    *option->value = value;
  }
  return true;
}

/* Takes the option at arguments[*at], and its value, which may be the next word. */
static bool take_option(const command *of, int argument_count, char **arguments,
                        size_t option_count, const arguments_option *options, int *at,
                        exit_code *code) {
  const char *word = arguments[*at];
  const char *attached;
  const arguments_option *option = find_option(word, option_count, options, &attached);
  if (option == NULL) {
    *code = report_unknown(of, word, option_count, options);
    return false;
  }
  if (option->flag == NULL) {
    return take_value(of, argument_count, arguments, option, attached, at, code);
  }
  if (attached != NULL) {
    *code =
        report(EXIT_CODE_USAGE, "--%s takes no value, but is given as '%s'", option->name, word);
    return false;
  }
  *option->flag = true;
  return true;
}

void arguments_print_help(const command *of) {
  fputs(of->help, stdout);
  if (of->more_help != NULL) {
    fputs(of->more_help, stdout);
  }
}

bool arguments_parse(const command *of, int argument_count, char **arguments, size_t option_count,
                     const arguments_option *options, size_t operand_count,
                     const arguments_operand *operands, exit_code *code) {
  size_t operands_seen = 0;
  bool options_ended = false;
  for (int i = 0; i < argument_count; i++) {
    const char *word = arguments[i];
    const bool has_dash = word[0] == '-' && word[1] != '\0';
    if (!options_ended && strcmp(word, "--") == 0) {
      options_ended = true;
    } else if (!options_ended && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
      arguments_print_help(of);
      *code = EXIT_CODE_OK;
      return false;
    } else if (!options_ended && has_dash && word[1] != '-') {
      *code = report_unknown(of, word, option_count, options);
      return false;
    } else if (!options_ended && has_dash) {
      if (!take_option(of, argument_count, arguments, option_count, options, &i, code)) {
        return false;
      }
    } else if (operands_seen == operand_count) {
      *code = report_usage(of, "one argument too many:", word);
      return false;
    } else {
      *operands[operands_seen].value = word;
      operands_seen += 1;
    }
  }
  if (operands_seen < operand_count) {
    *code = report(EXIT_CODE_USAGE, "%s is missing; try 'relayout %s --help'",
                   operands[operands_seen].name, of->name);
    return false;
  }
  return true;
}

bool arguments_is_bare_layout(const char *text) {
  while (isspace((unsigned char)*text)) {
    text += 1;
  }
  return *text == '{';
}

exit_code arguments_read_shape(const char *about, const char *text, const relayout_shape *like,
                               relayout_shape *shape) {
  relayout_error error;
  if (relayout_shape_parse_with_defaults(text, like, shape, &error) != RELAYOUT_OK) {
    return report_error(about, &error);
  }
  if (like == NULL || relayout_shape_same_dimensions(like, shape)) {
    return EXIT_CODE_OK;
  }
  char text_of_like[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_shape_format(like, text_of_like, sizeof text_of_like);
  return report(EXIT_CODE_BAD_INPUT,
                "%s: '%s' has other dimensions than %s; leave them out to keep these", about, text,
                text_of_like);
}

exit_code arguments_read_sharding(const char *about, const char *text, const relayout_shape *shape,
                                  relayout_sharding *sharding) {
  relayout_error error;
  return relayout_sharding_parse(text, sharding, &error) == RELAYOUT_OK &&
                 relayout_sharding_validate(sharding, shape, 0, &error) == RELAYOUT_OK
             ? EXIT_CODE_OK
             : report_error(about, &error);
}

int64_t arguments_named_devices(const relayout_sharding *sharding) {
  const int64_t count = relayout_sharding_device_count(sharding);
  int64_t devices = 0;
  for (int64_t i = 0; i < count; i++) {
    int64_t device = 0;
    relayout_sharding_device(sharding, i, &device, NULL);
    devices = device >= devices ? device + 1 : devices;
  }
  return devices;
}

exit_code arguments_open_device(const char *name, const char *kernels, relayout_device **device) {
  relayout_error error;
  const relayout_status status = relayout_device_open(name, device, &error);
  if (status == RELAYOUT_OK) {
    return kernel_choice_apply(kernels, device);
  }
  const exit_code code = report_error(NULL, &error);
  return status == RELAYOUT_INVALID_TEXT ? EXIT_CODE_NO_DEVICE : code;
}

exit_code arguments_open_host_device(const char *name, const char *kernels,
                                     relayout_device **device) {
  const bool is_auto = name == NULL || strcmp(name, "auto") == 0;
  const exit_code code = arguments_open_device(is_auto ? "auto" : name, kernels, device);
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  if (code != EXIT_CODE_OK || !is_auto ||
      relayout_device_get_info(*device, &info, NULL) != RELAYOUT_OK || info.shares_host_memory) {
    return code;
  }
  relayout_device_destroy(*device);
  *device = NULL;
  return arguments_open_device("cpu", kernels, device);
}

exit_code arguments_read_integers(const char *option, const char *text, size_t capacity,
                                  int64_t *numbers, size_t *count) {
  size_t seen = 0;
  const char *at = text;
  while (*at != '\0') {
    if (seen == capacity) {
      return report(EXIT_CODE_BAD_INPUT, "%s takes at most %zu number%s, not '%s'", option,
                    capacity, capacity == 1 ? "" : "s", text);
    }
    char *end;
    errno = 0;
    const long long number = strtoll(at, &end, 10);
    if (end == at || (*end != ',' && *end != '\0') || (*end == ',' && end[1] == '\0')) {
      return report(EXIT_CODE_USAGE, "%s takes numbers with commas between them, not '%s'", option,
                    text);
    }
    if (errno == ERANGE) {
      return report(EXIT_CODE_BAD_INPUT, "%s is '%s'; its numbers must fit 64 bits", option, text);
    }
    numbers[seen] = number;
    seen += 1;
    at = *end == ',' ? end + 1 : end;
  }
  *count = seen;
  return EXIT_CODE_OK;
}

static bool read_unsigned(const char *text, uint64_t *number) {
  char *end;
  errno = 0;
  *number = strtoull(text, &end, 0);
  return isdigit((unsigned char)text[0]) && *end == '\0' && errno != ERANGE;
}

exit_code arguments_read_unsigned(const char *option, const char *text, uint64_t *number) {
  return read_unsigned(text, number)
             ? EXIT_CODE_OK
             : report(EXIT_CODE_USAGE, "%s takes a number of at most 64 bits, not '%s'", option,
                      text);
}

exit_code arguments_read_count(const char *option, const char *text, uint64_t least, uint64_t most,
                               uint64_t *count) {
  return read_unsigned(text, count) && *count >= least && *count <= most
             ? EXIT_CODE_OK
             : report(EXIT_CODE_USAGE,
                      "%s takes a number from %" PRIu64 " to %" PRIu64 ", not '%s'", option, least,
                      most, text);
}

exit_code arguments_read_size(const char *option, const char *text, uint64_t least, uint64_t most,
                              uint64_t *bytes) {
  static const char units[] = "KMGT";
  char *end;
  errno = 0;
  const uint64_t number = strtoull(text, &end, 10);
  const char *const unit = *end != '\0' ? strchr(units, *end) : NULL;
  const int shift = unit != NULL ? 10 * (int)(unit - units + 1) : 0;
  const bool is_size = isdigit((unsigned char)text[0]) && errno != ERANGE &&
                       strlen(end) == (unit != NULL) && number <= UINT64_MAX >> shift;
  *bytes = is_size ? number << shift : 0;
  return is_size && *bytes >= least && *bytes <= most
             ? EXIT_CODE_OK
             : report(EXIT_CODE_USAGE,
                      "%s takes a number of bytes from %" PRIu64 " to %" PRIu64
                      ", as in 512M or 2G, not '%s'",
                      option, least, most, text);
}

exit_code arguments_read_alignment(const char *option, const char *text, uint64_t most,
                                   uint64_t *alignment) {
  const bool is_number = read_unsigned(text, alignment);
  const uint64_t value = *alignment;
  return is_number && value > 0 && value <= most && (value & (value - 1)) == 0
             ? EXIT_CODE_OK
             : report(EXIT_CODE_USAGE, "%s takes a power of two, at most %" PRIu64 ", not '%s'",
                      option, most, text);
}

exit_code arguments_read_factor(const char *option, const char *text, double *factor) {
  char *end;
  const double value = strtod(text, &end);
  const bool is_number = end != text && *end == '\0' && !isspace((unsigned char)text[0]);
  if (!is_number || !(fabs(value) > 0) || isinf(value)) {
    return report(EXIT_CODE_USAGE, "%s takes a finite number other than 0, not '%s'", option, text);
  }
  *factor = value;
  return EXIT_CODE_OK;
}

exit_code arguments_read_rounding(const char *option, const char *text,
                                  relayout_rounding *rounding) {
  if (text == NULL || strcmp(text, "zero") == 0) {
    *rounding = RELAYOUT_ROUNDING_ZERO;
    return EXIT_CODE_OK;
  }
  *rounding = RELAYOUT_ROUNDING_NEAREST;
  return strcmp(text, "nearest") == 0
             ? EXIT_CODE_OK
             : report(EXIT_CODE_USAGE, "%s takes zero or nearest, not '%s'", option, text);
}

exit_code arguments_read_values(const char *scale, const char *rounding, bool wraps,
                                relayout_plan_options *options) {
  options->overflow = wraps ? RELAYOUT_OVERFLOW_WRAP : RELAYOUT_OVERFLOW_SATURATE;
  const exit_code code = arguments_read_rounding("--round", rounding, &options->rounding);
  return code == EXIT_CODE_OK && scale != NULL
             ? arguments_read_factor("--scale", scale, &options->scale)
             : code;
}

exit_code arguments_read_byte_order(const char *option, const char *text,
                                    relayout_byte_order *order) {
  const bool is_big = text != NULL && strcmp(text, "big") == 0;
  *order = text == NULL ? RELAYOUT_BYTE_ORDER_NATIVE
           : is_big     ? RELAYOUT_BYTE_ORDER_BIG
                        : RELAYOUT_BYTE_ORDER_LITTLE;
  return text == NULL || is_big || strcmp(text, "little") == 0
             ? EXIT_CODE_OK
             : report(EXIT_CODE_USAGE, "%s takes big or little, not '%s'", option, text);
}
