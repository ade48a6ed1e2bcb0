/* tune.c: `relayout tune` finds what this machine's schedules go by, and keeps it. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "json_output.h"
#include "progress.h"

enum { MOST_TEXT = 64 << 10, STEPS = 1000, MOST_SECONDS = 86400 };

typedef struct words {
  const char *device;
  const char *seconds;
  const char *from;
  bool as_json;
  bool prints;
} words;

/* ---- What is found, while it is ---- */

typedef struct findings {
  progress bar;
  bool as_json;
  json_t *found; /* as JSON */
  size_t count;
  double before; /* sums of logarithms */
  double after;
} findings;

static void print_row(const char *what, double before, double after) {
  printf("%-40s  %6.3f  %6.3f\n", what, before, after);
}

static void add_finding(void *context, const relayout_tuned *found) {
  findings *const all = context;
  progress_end(&all->bar);
  if (all->as_json) {
    all->found = json_with_element(
        all->found, json_of_members((json_member[]){{"what", json_of_text(found->what)},
                                                    {"before", json_of_number(found->before)},
                                                    {"after", json_of_number(found->after)},
                                                    {NULL, NULL}}));
  } else {
    print_row(found->what, found->before, found->after);
  }
  all->count++;
  all->before += log(found->before);
  all->after += log(found->after);
  all->bar = progress_begin("tuning", STEPS, 1);
  progress_update(&all->bar, (uint64_t)(found->done * STEPS));
}

static exit_code tune(relayout_device *device, double seconds, bool as_json) {
  findings all = {.bar = progress_begin("tuning", STEPS, 1), .as_json = as_json};
  relayout_tune_options options = RELAYOUT_TUNE_OPTIONS_INIT;
  options.seconds = seconds;
  options.found = add_finding;
  options.context = &all;
  if (as_json) {
    all.found = json_of_no_elements();
  } else {
    printf("%-40s  %6s  %6s\n", "OF A PLAIN COPY'S SPEED", "BEFORE", "AFTER");
  }
  relayout_error error;
  const relayout_status status = relayout_device_tune(device, &options, &error);
  progress_end(&all.bar);
  const double before = all.count == 0 ? NAN : exp(all.before / (double)all.count);
  const double after = all.count == 0 ? NAN : exp(all.after / (double)all.count);
  exit_code code = EXIT_CODE_OK;
  if (as_json) {
    code = json_print_line(
        json_of_members((json_member[]){{"found", all.found},
                                        {"before", json_of_number(before)},
                                        {"after", json_of_number(after)},
                                        {"kept", json_of_boolean(status == RELAYOUT_OK)},
                                        {NULL, NULL}}),
        stdout);
  } else if (all.count > 0) {
    print_row("geometric mean", before, after);
  }
  return status == RELAYOUT_OK ? code : report_error(NULL, &error);
}

/* ---- Rows ---- */

static exit_code print_text(const relayout_device *device) {
  const size_t size = relayout_device_get_tuning(device, NULL, 0) + 1;
  char *const text = malloc(size);
  if (text == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for a row of %zu bytes", size);
  }
  relayout_device_get_tuning(device, text, size);
  fputs(text, stdout);
  free(text);
  return EXIT_CODE_OK;
}

static exit_code keep_file(relayout_device *device, const char *path) {
  static char text[MOST_TEXT + 2];
  FILE *const file = fopen(path, "r");
  if (file == NULL) {
    return report(EXIT_CODE_FAILURE, "cannot open %s: %s", path, strerror(errno));
  }
  const size_t size = fread(text, 1, sizeof text - 1, file);
  const bool is_read = !ferror(file);
  fclose(file);
  if (!is_read) {
    return report(EXIT_CODE_FAILURE, "cannot read %s", path);
  }
  text[size] = '\0';
  if (strlen(text) != size) {
    return report(EXIT_CODE_BAD_INPUT, "%s is no text", path);
  }
  relayout_error error;
  return relayout_tuning_keep(device, text, &error) == RELAYOUT_OK ? EXIT_CODE_OK
                                                                   : report_error(path, &error);
}

/* ---- The command ---- */

static exit_code read_words(int argument_count, char **arguments, words *read, uint64_t *seconds) {
  const arguments_option options[] = {{"device", .value = &read->device},
                                      {"seconds", .value = &read->seconds},
                                      {"from", .value = &read->from},
                                      {"json", .flag = &read->as_json},
                                      {"print", .flag = &read->prints}};
  exit_code code;
  if (!arguments_parse(&command_tune, argument_count, arguments, 5, options, 0, NULL, &code)) {
    return code == EXIT_CODE_OK ? EXIT_CODE_OK : code;
  }
  if (read->device == NULL) {
    read->device = "auto";
  }
  if ((read->from != NULL) + read->prints + (read->as_json || read->seconds != NULL) > 1) {
    return report(EXIT_CODE_USAGE, "--from, --print, and --json or --seconds exclude each other");
  }
  if (read->seconds == NULL) {
    return EXIT_CODE_OK;
  }
  code = arguments_read_unsigned("--seconds", read->seconds, seconds);
  if (code == EXIT_CODE_OK && (*seconds == 0 || *seconds > MOST_SECONDS)) {
    return report(EXIT_CODE_USAGE, "--seconds: '%s' is not from 1 to %d", read->seconds,
                  (int)MOST_SECONDS);
  }
  return code;
}

static exit_code run(int argument_count, char **arguments) {
  words read = {.device = NULL};
  uint64_t seconds = 0;
  exit_code code = read_words(argument_count, arguments, &read, &seconds);
  if (code != EXIT_CODE_OK || read.device == NULL) {
    return code; /* with no device: the help is printed */
  }
  relayout_device *device;
  code = arguments_open_device(read.device, &device);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  code = read.from != NULL ? keep_file(device, read.from)
         : read.prints     ? print_text(device)
                           : tune(device, (double)seconds, read.as_json);
  relayout_device_destroy(device);
  return code;
}

const command command_tune = {
    .name = "tune",
    .summary = "find what this machine's schedules go by, and keep it",
    .help =
        "usage: relayout tune [--device D] [--seconds N] [--json]\n"
        "       relayout tune [--device D] --print | --from FILE\n"
        "\n"
        "Runs schedules on the device, and keeps what it likes for later plans, in a file\n"
        "tuning-*.txt of the cache directory. Prints how fast relayouts of each kind were before\n"
        "and after, as fractions of a plain copy's speed.\n"
        "\n"
        "  --device D   as 'relayout devices' names it; auto by default\n"
        "  --seconds N  take about so long; 30 by default\n"
        "  --json       one object: found[] of what, before and after; their geometric means\n"
        "               before and after; and kept\n"
        "  --print      print what the device has, as a text that can be sent to others\n"
        "  --from FILE  keep such a text, of a device like this one\n"
        "\n"
        "example: relayout tune --device cpu --seconds 60\n",
    .run = run,
};
