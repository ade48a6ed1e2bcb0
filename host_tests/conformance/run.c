/* run_conformance: the suite as a program, for ctest.
 *
 *     run_conformance cases|properties DEVICES tiny|quick|full [PLATFORM [SEED [PROGRAMS]]]
 *
 * DEVICES is cpu, cpu_one_thread, opencl_work_group or opencl_native: the last two are every OpenCL
 * device whose platform's name holds PLATFORM, each with that family of kernels. One that compiles
 * more than PROGRAMS, which take a driver seconds each, fails. Exits with 77 when
 * there is no such device, and when the processor has not the instructions that
 * RELAYOUT_CPU_INSTRUCTIONS names.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/conformance.h"
#include "conformance/devices.h"
#ifdef RELAYOUT_HAVE_OPENCL
#include "conformance/program_count.h"
#endif

typedef struct run {
  bool properties;
  const char *devices;
  conformance_level level;
  const char *platform;
  uint64_t seed;
  size_t most_programs;
} run;

static int fail(const char *what, const relayout_error *error) {
  fprintf(stderr, "%s: %s: %s\n", what, relayout_status_text(error->status), error->message);
  return EXIT_FAILURE;
}

/* A build without OpenCL compiles none. */
static size_t programs_compiled(void) {
#ifdef RELAYOUT_HAVE_OPENCL
  return program_count();
#else
  return 0;
#endif
}

static int run_on_opened(const run *r, relayout_device *device) {
  relayout_error error;
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  if (relayout_device_get_info(device, &info, &error) != RELAYOUT_OK) {
    return fail("device", &error);
  }
  printf("%s: %s (%s)\n", r->devices, info.description, info.platform);
  relayout_device *reference;
  const relayout_cpu_options one_thread = {sizeof(one_thread), 1, NULL, NULL};
  if (relayout_cpu_device_create(&one_thread, &reference, &error) != RELAYOUT_OK) {
    return fail("reference", &error);
  }
  static conformance_report report;
  const relayout_status status =
      r->properties ? conformance_run_properties(device, reference, r->level, r->seed, NULL, NULL,
                                                 &report, &error)
                    : conformance_run(device, r->level, r->seed, NULL, NULL, &report, &error);
  relayout_device_destroy(reference);
  if (status != RELAYOUT_OK) {
    return fail("suite", &error);
  }
  printf("%zu relayouts, %zu failures, seed %" PRIu64 "\n", report.cases, report.failures,
         report.seed);
  if (report.failures > 0) {
    fprintf(stderr, "%s\n", report.first_failure);
  }
  return report.failures == 0 && report.cases > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run_on_device(void *context, const named_device *it) {
  const run *const r = context;
  relayout_error error;
  relayout_device *device;
  const relayout_status status = named_device_open(it, NULL, &device, &error);
  if (status == RELAYOUT_UNSUPPORTED) {
    printf("%s\n", error.message);
    return DEVICES_NONE;
  }
  if (status != RELAYOUT_OK) {
    return fail(it->name, &error);
  }
  const size_t before = programs_compiled();
  const int result = run_on_opened(r, device);
  relayout_device_destroy(device);
  const size_t programs = programs_compiled() - before;
  if (strcmp(it->name, "cpu") != 0) {
    printf("%zu programs compiled\n", programs);
  }
  if (programs > r->most_programs) {
    fprintf(stderr, "%zu programs compiled, more than %zu\n", programs, r->most_programs);
    return EXIT_FAILURE;
  }
  return result;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr,
            "usage: %s cases|properties DEVICES tiny|quick|full [PLATFORM [SEED [PROGRAMS]]]\n",
            argv[0]);
    return EXIT_FAILURE;
  }
  run r = {
      .properties = strcmp(argv[1], "properties") == 0,
      .devices = argv[2],
      .level = strcmp(argv[3], "tiny") == 0    ? CONFORMANCE_TINY
               : strcmp(argv[3], "quick") == 0 ? CONFORMANCE_QUICK
                                               : CONFORMANCE_FULL,
      .platform = argc > 4 ? argv[4] : "",
      .seed = argc > 5 ? strtoull(argv[5], NULL, 0) : 1,
      .most_programs = argc > 6 ? (size_t)strtoull(argv[6], NULL, 0) : SIZE_MAX,
  };
#ifdef RELAYOUT_HAVE_OPENCL
  relayout_error error;
  if (strncmp(r.devices, "opencl", 6) == 0 && program_count_begin(&error) != RELAYOUT_OK) {
    return fail("OpenCL", &error);
  }
#endif
  return named_devices_visit(r.devices, r.platform, run_on_device, &r);
}
