/* selftest.c: `relayout selftest` runs the conformance suite on the devices of this machine, or
 * random relayouts without end. */
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "arguments.h"
#include "conformance/conformance.h"
#include "device_list.h"
#include "differential/differential.h"
#include "progress.h"

typedef struct words {
  arguments_values devices;
  const char *seed;
  const char *cases;
  const char *seconds;
  const char *number; /* of a case */
  const char *kernels;
  bool forever;
} words;

/* ---- The suite ---- */

static void show_progress(void *context, size_t done, size_t total) {
  progress *bar = context;
  if (bar->total != total) {
    *bar = progress_begin("testing", total, 1);
  }
  progress_update(bar, done);
}

static exit_code test_device(const char *name, const char *kernels, uint64_t seed) {
  relayout_device *device;
  exit_code code = arguments_open_device(name, kernels, &device);
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
static exit_code test_devices(size_t count, const char *const *names, const char *kernels,
                              uint64_t seed) {
  exit_code worst = EXIT_CODE_OK;
  for (size_t i = 0; i < count; i++) {
    const exit_code code = test_device(names[i], kernels, seed);
    if (code == EXIT_CODE_DIFFERENT || worst == EXIT_CODE_OK) {
      worst = code;
    }
    if (fflush(stdout) != 0) {
      break; /* nobody reads it any more; main() says so */
    }
  }
  return worst;
}

/* Only those of OpenCL where kernels are asked for. */
static exit_code test_all(const char *kernels, uint64_t seed) {
  relayout_device_info *infos;
  size_t count;
  exit_code code = device_list_read(&infos, &count);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  const char **const names = malloc((count + 1) * sizeof *names);
  if (names == NULL) {
    code = report(EXIT_CODE_FAILURE, "no memory for the names of %zu devices", count);
  } else {
    size_t named = 0;
    for (size_t i = 0; i < count; i++) {
      if (kernels == NULL || infos[i].backend == RELAYOUT_BACKEND_OPENCL) {
        names[named++] = infos[i].name;
      }
    }
    code = test_devices(named, names, kernels, seed);
  }
  free(names);
  free(infos);
  return code;
}

/* ---- Without end ---- */

static volatile sig_atomic_t was_interrupted;

static void interrupt(int number) {
  (void)number;
  was_interrupted = 1;
}

typedef struct watch {
  double start;
  double most_seconds;
  double next_line; /* is due then, in seconds since the start */
} watch;

static bool goes_on(void *context, uint64_t cases) {
  enum { SECONDS_BETWEEN_LINES = 10 };
  watch *const at = context;
  const double seconds = progress_seconds() - at->start;
  if (seconds >= at->next_line) {
    at->next_line += SECONDS_BETWEEN_LINES;
    report_line("%" PRIu64 " cases, %.0f s, %.0f cases a second", cases, seconds,
                (double)cases / seconds);
  }
  return seconds < at->most_seconds && !was_interrupted;
}

static void print_names(const differential_options *options) {
  for (size_t i = 0; i < options->device_count; i++) {
    printf("%s%s", i > 0 ? ", " : "", options->devices[i]);
  }
  fputs(": ", stdout);
}

/* The line that makes a case again, and what was found, before anything else can go wrong. */
static void print_failure(const differential_options *options, const differential_report *found) {
  char again[DIFFERENTIAL_COMMAND_SIZE];
  differential_command(options, found->failed_case, again);
  printf("%s # %s\n", again, found->failure);
  fflush(stdout);
}

static exit_code try_one(const differential_options *options, uint64_t number) {
  static differential_report found;
  relayout_error error;
  if (differential_shrink(options, number, &found, &error) != RELAYOUT_OK) {
    return report_error(NULL, &error);
  }
  print_names(options);
  if (!found.has_failed) {
    printf("%s, case 0x%016" PRIx64 "\n", found.refused > 0 ? "refused" : "ok", number);
    return EXIT_CODE_OK;
  }
  printf("differs, case 0x%016" PRIx64 "; the smallest of %" PRIu64 " tries: %s\n", number,
         found.cases, found.failure);
  return EXIT_CODE_DIFFERENT;
}

/* The first failure ends it, and is made smaller. */
static exit_code try_many(differential_options *options, double most_seconds) {
  static differential_report found;
  relayout_error error;
  watch at = {progress_seconds(), most_seconds, 10};
  struct sigaction former;
  struct sigaction action = {.sa_handler = interrupt};
  sigemptyset(&action.sa_mask);
  options->goes_on = goes_on;
  options->context = &at;
  sigaction(SIGINT, &action, &former);
  const relayout_status status = differential_run(options, &found, &error);
  sigaction(SIGINT, &former, NULL);
  const double seconds = progress_seconds() - at.start;
  if (status != RELAYOUT_OK) {
    return report_error(NULL, &error);
  }
  if (found.has_failed) {
    print_failure(options, &found);
    return try_one(options, found.failed_case);
  }
  print_names(options);
  printf("ok, %" PRIu64 " cases, %" PRIu64 " refused, seed %" PRIu64
         ", %.1f s, %.0f cases a second\n",
         found.cases, found.refused, options->seed, seconds,
         seconds > 0 ? (double)found.cases / seconds : 0);
  return EXIT_CODE_OK;
}

_Static_assert((int)ARGUMENTS_MOST_VALUES <= (int)DIFFERENTIAL_MOST_DEVICES,
               "all devices that can be named must do");

static exit_code run_forever(const words *asked, uint64_t seed) {
  static const char *const cpu[] = {"cpu"};
  const bool has_devices = asked->devices.count > 0;
  differential_options options = {.devices = has_devices ? asked->devices.of : cpu,
                                  .device_count = has_devices ? (size_t)asked->devices.count : 1,
                                  .seed = seed,
                                  .most_cases = UINT64_MAX};
  uint64_t number = 0;
  uint64_t seconds = UINT64_MAX;
  exit_code code = EXIT_CODE_OK;
  if (asked->number != NULL) {
    code = arguments_read_unsigned("--case", asked->number, &number);
  }
  if (code == EXIT_CODE_OK && asked->cases != NULL) {
    code = arguments_read_unsigned("--cases", asked->cases, &options.most_cases);
  }
  if (code == EXIT_CODE_OK && asked->seconds != NULL) {
    code = arguments_read_unsigned("--seconds", asked->seconds, &seconds);
  }
  if (code == EXIT_CODE_OK && setenv("RELAYOUT_CACHE", "off", 1) != 0) {
    code = report(EXIT_CODE_FAILURE, "no memory for the environment");
  }
  if (code != EXIT_CODE_OK) {
    return code;
  }
  return asked->number != NULL ? try_one(&options, number) : try_many(&options, (double)seconds);
}

/* ---- The command ---- */

static exit_code run(int argument_count, char **arguments) {
  words asked = {.seed = NULL};
  const arguments_option options[] = {
      {"device", .values = &asked.devices}, {"kernels", .value = &asked.kernels},
      {"seed", .value = &asked.seed},       {"forever", .flag = &asked.forever},
      {"cases", .value = &asked.cases},     {"seconds", .value = &asked.seconds},
      {"case", .value = &asked.number}};
  exit_code code;
  if (!arguments_parse(&command_selftest, argument_count, arguments,
                       sizeof options / sizeof options[0], options, 0, NULL, &code)) {
    return code;
  }
  if (asked.number != NULL &&
      (asked.forever || asked.cases != NULL || asked.seconds != NULL || asked.seed != NULL)) {
    return report(EXIT_CODE_USAGE, "--case runs one case, so only --device goes with it; "
                                   "try 'relayout selftest --help'");
  }
  uint64_t seed = (uint64_t)time(NULL);
  if (asked.seed != NULL) {
    code = arguments_read_unsigned("--seed", asked.seed, &seed);
    if (code != EXIT_CODE_OK) {
      return code;
    }
  }
  if (asked.forever || asked.cases != NULL || asked.seconds != NULL || asked.number != NULL) {
    if (asked.kernels != NULL) {
      return report(EXIT_CODE_USAGE, "--kernels goes with the conformance suite alone, not with "
                                     "random relayouts; try 'relayout selftest --help'");
    }
    return run_forever(&asked, seed);
  }
  return asked.devices.count > 0
             ? test_devices((size_t)asked.devices.count, asked.devices.of, asked.kernels, seed)
             : test_all(asked.kernels, seed);
}

const command command_selftest = {
    .name = "selftest",
    .summary = "check on this machine's devices that relayouts are right",
    .help =
        "usage: relayout selftest [--device D]... [--kernels K] [--seed N]\n"
        "       relayout selftest --forever [--cases N] [--seconds N] [--device D]... [--seed N]\n"
        "       relayout selftest --case N [--device D]...\n"
        "\n"
        "Runs the conformance suite, on every device unless some are named, and prints a line for\n"
        "each: ok or what differs, the number of cases, and the seed they were drawn from. Or, "
        "with\n"
        "--forever, draws small relayouts at random until one differs from the definition, or "
        "from\n"
        "what another way, device or schedule makes of it: prints the command that tries it "
        "again,\n"
        "and the smallest case that it could be reduced to.\n"
        "\n"
        "  --device D   as 'relayout devices' names it; --forever tries each case on all that are\n"
        "               named, or on the CPU backend\n"
        "  --kernels K  native (the CPU backend's code, on OpenCL's CPUs), opencl (kernels that\n"
        "               OpenCL compiles) or auto: native if the device can\n"
        "  --seed N     draw the same cases again\n"
        "  --forever    random relayouts, until interrupted; says every ten seconds how many\n"
        "  --cases N    the same, N of them,\n"
        "  --seconds N  or for N seconds\n"
        "  --case N     this case alone, made smaller if it fails\n"
        "\n"
        "example: relayout selftest --device cpu\n",
    .run = run,
};
