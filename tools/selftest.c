/* selftest.c: `relayout selftest` runs the conformance suite on the devices of this machine. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "arguments.h"
#include "conformance/conformance.h"
#include "device_list.h"
#include "progress.h"

static void show_progress(void *context, size_t done, size_t total) {
  progress *bar = context;
  if (bar->total != total) {
    *bar = progress_begin("testing", total, 1);
  }
  progress_update(bar, done);
}

static exit_code test_device(const char *name, uint64_t seed) {
  relayout_device *device;
  exit_code code = arguments_open_device(name, &device);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  progress bar = {.is_visible = 0};
  conformance_report found;
  relayout_error error;
  const relayout_status status =
      conformance_run(device, CONFORMANCE_QUICK, seed, show_progress, &bar, &found, &error);
  progress_end(&bar);
  relayout_device_destroy(device);
  if (status != RELAYOUT_OK) {
    return report_error(name, &error);
  }
  if (found.failures > 0) {
    printf("%s: %zu of %zu cases differ, seed %" PRIu64 ": %s\n", name, found.failures, found.cases,
           found.seed, found.first_failure);
    return EXIT_CODE_DIFFERENT;
  }
  printf("%s: ok, %zu cases, seed %" PRIu64 "\n", name, found.cases, found.seed);
  return EXIT_CODE_OK;
}

/* Every device gets its turn. A difference weighs more than a device that could not be tested. */
static exit_code test_all(uint64_t seed) {
  relayout_device_info *infos;
  size_t count;
  exit_code worst = device_list_read(&infos, &count);
  if (worst != EXIT_CODE_OK) {
    return worst;
  }
  for (size_t i = 0; i < count; i++) {
    const exit_code code = test_device(infos[i].name, seed);
    if (code == EXIT_CODE_DIFFERENT || worst == EXIT_CODE_OK) {
      worst = code;
    }
    if (fflush(stdout) != 0) {
      break; /* nobody reads it any more; main() says so */
    }
  }
  free(infos);
  return worst;
}

static exit_code run(int argument_count, char **arguments) {
  const char *device_name = NULL;
  const char *seed_text = NULL;
  const arguments_option options[] = {{"device", .value = &device_name},
                                      {"seed", .value = &seed_text}};
  exit_code code;
  if (!arguments_parse(&command_selftest, argument_count, arguments, 2, options, 0, NULL, &code)) {
    return code;
  }
  uint64_t seed = (uint64_t)time(NULL);
  if (seed_text != NULL) {
    code = arguments_read_unsigned("--seed", seed_text, &seed);
    if (code != EXIT_CODE_OK) {
      return code;
    }
  }
  return device_name != NULL ? test_device(device_name, seed) : test_all(seed);
}

const command command_selftest = {
    .name = "selftest",
    .summary = "check on this machine's devices that relayouts are right",
    .help =
        "usage: relayout selftest [--device D] [--seed N]\n"
        "\n"
        "Runs the conformance suite, on every device unless one is named, and prints a line for\n"
        "each: ok or what differs, the number of cases, and the seed they were drawn from.\n"
        "\n"
        "  --device D   as 'relayout devices' names it\n"
        "  --seed N     draw the same cases again\n"
        "\n"
        "example: relayout selftest --device cpu\n",
    .run = run,
};
