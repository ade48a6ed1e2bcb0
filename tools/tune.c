/* tune.c: `relayout tune` finds the row of tuning that suits this machine, and keeps it. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arguments.h"
#include "json_output.h"
#include "progress.h"
#include "tune/search.h"

enum { MOST_TEXT = 64 << 10, STEPS = 1000, MOST_SECONDS = 86400, DEFAULT_SECONDS = 30 };

typedef struct words {
  const char *device;
  const char *seconds;
  const char *from;
  bool as_json;
  bool prints;
  bool resets;
} words;

/* ---- Where rows are kept ---- */

/* The path, for the caller to free; NULL where no files are kept, or without memory. */
static char *path_of(const relayout_device *device) {
  const size_t length = relayout_device_get_tuning_path(device, NULL, 0);
  char *const path = length == 0 ? NULL : malloc(length + 1);
  if (path != NULL) {
    relayout_device_get_tuning_path(device, path, length + 1);
  }
  return path;
}

/* The variable names another file, which is read instead. */
static void warn_of_variable(void) {
  const char *const named = getenv("RELAYOUT_TUNING");
  if (named != NULL && named[0] != '\0') {
    report_line("RELAYOUT_TUNING names %s, which is read instead of the file that is kept", named);
  }
}

static exit_code print_kept(const relayout_device *device) {
  char *const path = path_of(device);
  printf("kept in %s\n", path != NULL ? path : "a file");
  free(path);
  warn_of_variable();
  return EXIT_CODE_OK;
}

static exit_code reset(relayout_device *device) {
  int32_t was_kept = 0;
  relayout_error error;
  if (relayout_tuning_reset(device, &was_kept, &error) != RELAYOUT_OK) {
    return report_error(NULL, &error);
  }
  char *const path = path_of(device);
  printf(was_kept ? "removed %s\n" : "nothing was kept in %s\n",
         path != NULL ? path : "any folder: there is none for the cache");
  free(path);
  warn_of_variable();
  return EXIT_CODE_OK;
}

/* ---- What is found, while it is ---- */

typedef struct findings {
  progress bar;
  bool as_json;
  json_t *found; /* as JSON */
  size_t count;  /* of those that are no noise */
  double before; /* sums of logarithms */
  double after;
} findings;

static const char *const outcomes[] = {[TUNE_SAME] = "same",
                                       [TUNE_FASTER] = "faster",
                                       [TUNE_UNCONFIRMED] = "unconfirmed",
                                       [TUNE_NOISE] = "noise"};

static void print_row(const tune_finding *found) {
  printf("%-40s  %6.3f  %6.3f  %5.1f %%  %s\n", found->what, found->before, found->after,
         100 * found->spread, outcomes[found->outcome]);
}

static json_t *json_of_finding(const tune_finding *found) {
  return json_of_members((json_member[]){{"what", json_of_text(found->what)},
                                         {"before", json_of_number(found->before)},
                                         {"after", json_of_number(found->after)},
                                         {"spread", json_of_number(found->spread)},
                                         {"outcome", json_of_text(outcomes[found->outcome])},
                                         {NULL, NULL}});
}

static void add_finding(void *context, const tune_finding *found) {
  findings *const all = context;
  progress_end(&all->bar);
  if (all->as_json) {
    all->found = json_with_element(all->found, json_of_finding(found));
  } else {
    print_row(found);
  }
  if (found->outcome != TUNE_NOISE) {
    all->count++;
    all->before += log(found->before);
    all->after += log(found->after);
  }
  all->bar = progress_begin("tuning", STEPS, 1);
  progress_update(&all->bar, (uint64_t)(found->done * STEPS));
}

static exit_code print_json(const relayout_device *device, const findings *all, double before,
                            double after, bool is_kept) {
  char *const path = path_of(device);
  const exit_code code =
      json_print_line(json_of_members((json_member[]){
                          {"found", all->found},
                          {"before", json_of_number(before)},
                          {"after", json_of_number(after)},
                          {"path", path != NULL ? json_of_text(path) : json_of_nothing()},
                          {"kept", json_of_boolean(is_kept)},
                          {NULL, NULL}}),
                      stdout);
  free(path);
  return code;
}

static exit_code print_end(const relayout_device *device, const findings *all, double before,
                           double after, bool is_kept) {
  if (all->count > 0) {
    printf("%-40s  %6.3f  %6.3f\n", "geometric mean, without noise", before, after);
  }
  if (is_kept) {
    return print_kept(device);
  }
  puts("nothing is kept: no pass confirmed that anything was faster");
  return EXIT_CODE_OK;
}

/* Names the machine, the month and the command in a row that was found. */
static void name_row(const relayout_device_info *info, tune_row *row) {
  enum { KIND_SIZE = 192, DATE_SIZE = 16 };
  char kind[KIND_SIZE];
  char date[DATE_SIZE];
  const time_t now = time(NULL);
  struct tm month;
  snprintf(kind, sizeof kind, "%s, %.60s", info->description,
           info->instructions[0] == '\0' ? info->platform : info->instructions);
  if (gmtime_r(&now, &month) == NULL || strftime(date, sizeof date, "%Y-%m", &month) == 0) {
    date[0] = '\0';
  }
  tune_row_set_words(row, "kind: ", kind);
  tune_row_set_words(row, "date: ", date);
  tune_row_set_words(row, "suites: ", "tune");
}

/* Finds a row, and keeps it where anything of it is new. */
static relayout_status find_row(bench_target *target, double seconds, findings *all, bool *is_kept,
                                relayout_error *error) {
  const tune_report report = {add_finding, all};
  tune_row row;
  relayout_status status = tune_search(target, seconds, &report, &row, is_kept, error);
  if (status == RELAYOUT_OK && *is_kept) {
    name_row(&target->info, &row);
    status = relayout_tuning_keep(target->device, row.text, error);
  }
  return status;
}

static exit_code tune(bench_target *target, double seconds, bool as_json) {
  findings all = {.bar = progress_begin("tuning", STEPS, 1), .as_json = as_json};
  if (as_json) {
    all.found = json_of_no_elements();
  } else {
    printf("%-40s  %6s  %6s  %7s\n", "OF A PLAIN COPY'S SPEED", "BEFORE", "AFTER", "SPREAD");
  }
  bool is_kept = false;
  relayout_error error;
  const relayout_status status = find_row(target, seconds, &all, &is_kept, &error);
  progress_end(&all.bar);
  const double before = all.count == 0 ? NAN : exp(all.before / (double)all.count);
  const double after = all.count == 0 ? NAN : exp(all.after / (double)all.count);
  exit_code code = EXIT_CODE_OK;
  if (as_json) {
    code = print_json(target->device, &all, before, after, is_kept && status == RELAYOUT_OK);
  } else if (status == RELAYOUT_OK) {
    code = print_end(target->device, &all, before, after, is_kept);
  }
  return status == RELAYOUT_OK ? code : report_error(NULL, &error);
}

/* The target takes the device over. */
static exit_code tune_device(relayout_device *device, double seconds, bool as_json) {
  bench_target *target;
  relayout_error error;
  if (bench_target_open(device, &target, &error) != RELAYOUT_OK) {
    return report_error(NULL, &error);
  }
  const exit_code code = tune(target, seconds, as_json);
  target->destroy(target);
  return code;
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
  const int cause = ferror(file) ? errno : 0;
  fclose(file);
  if (cause != 0) {
    return report(EXIT_CODE_FAILURE, "cannot read %s: %s", path, strerror(cause));
  }
  text[size] = '\0';
  if (strlen(text) != size) {
    return report(EXIT_CODE_BAD_INPUT, "%s is not a text: it has a byte of 0", path);
  }
  relayout_error error;
  return relayout_tuning_keep(device, text, &error) == RELAYOUT_OK ? print_kept(device)
                                                                   : report_error(path, &error);
}

/* ---- The command ---- */

static exit_code read_words(int argument_count, char **arguments, words *read, uint64_t *seconds) {
  const arguments_option options[] = {
      {"device", .value = &read->device}, {"seconds", .value = &read->seconds},
      {"from", .value = &read->from},     {"json", .flag = &read->as_json},
      {"print", .flag = &read->prints},   {"reset", .flag = &read->resets}};
  exit_code code;
  if (!arguments_parse(&command_tune, argument_count, arguments, 6, options, 0, NULL, &code)) {
    return code == EXIT_CODE_OK ? EXIT_CODE_OK : code;
  }
  if (read->device == NULL) {
    read->device = "auto";
  }
  if ((read->from != NULL) + read->prints + read->resets +
          (read->as_json || read->seconds != NULL) >
      1) {
    return report(EXIT_CODE_USAGE,
                  "only one of --from, --print, --reset, and --json or --seconds can be given");
  }
  if (read->seconds == NULL) {
    return EXIT_CODE_OK;
  }
  return arguments_read_count("--seconds", read->seconds, 1, MOST_SECONDS, seconds);
}

static exit_code run(int argument_count, char **arguments) {
  words read = {.device = NULL};
  uint64_t seconds = 0;
  exit_code code = read_words(argument_count, arguments, &read, &seconds);
  if (code != EXIT_CODE_OK || read.device == NULL) {
    return code; /* with no device: the help is printed */
  }
  relayout_device *device;
  code = arguments_open_device(read.device, NULL, &device);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  if (read.from == NULL && !read.prints && !read.resets) {
    return tune_device(device, seconds > 0 ? (double)seconds : DEFAULT_SECONDS, read.as_json);
  }
  code = read.from != NULL ? keep_file(device, read.from)
         : read.prints     ? print_text(device)
                           : reset(device);
  relayout_device_destroy(device);
  return code;
}

const command command_tune = {
    .name = "tune",
    .summary = "find the row of tuning that suits this machine, and keep it",
    .help =
        "usage: relayout tune [--device D] [--seconds N] [--json]\n"
        "       relayout tune [--device D] --print | --from FILE | --reset\n"
        "\n"
        "Runs schedules on the device, and keeps what suits it for later plans, in a file\n"
        "tuning-*.txt of the cache directory, whose path it says. Prints how fast relayouts of "
        "each\n"
        "kind were before and after, as fractions of a plain copy's speed; by how much passes "
        "over\n"
        "the same differed; and what came of it: same, faster, unconfirmed (faster once, and not\n"
        "again or not as much), or noise (faster than a copy can be). Only what a second pass\n"
        "confirms is kept.\n"
        "\n"
        "  --device D   as 'relayout devices' names it; auto by default\n"
        "  --seconds N  take about N seconds; 30 by default\n"
        "  --json       one object: found[] of what, before, after, spread and outcome; the\n"
        "               geometric means before and after of all but noise; path; and kept\n"
        "  --print      print what the device has, as a text that can be sent to others\n"
        "  --from FILE  keep such a text, of a device like this one\n"
        "  --reset      remove what was kept\n"
        "\n"
        "example: relayout tune --device cpu --seconds 60\n",
    .run = run,
};
