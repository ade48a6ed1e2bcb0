/* run_conformance: the suite as a program, for ctest.
 *
 *     run_conformance cases|properties DEVICES tiny|quick|full [PLATFORM [SEED [PROGRAMS]]]
 *
 * DEVICES is cpu, cpu_one_thread, opencl_staged or opencl_direct: the last two are every OpenCL
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
#ifdef RELAYOUT_HAVE_OPENCL
#include "conformance/program_count.h"
#include "relayout/opencl.h"
#endif

enum { EXIT_SKIPPED = 77, MAX_DEVICES = 64 };

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

static int run_on_device(const run *r, relayout_device *device) {
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

static int run_on_cpu(const run *r, int32_t threads) {
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.threads = threads;
  relayout_error error;
  relayout_device *device;
  const relayout_status status = relayout_cpu_device_create(&options, &device, &error);
  if (status == RELAYOUT_UNSUPPORTED) {
    printf("%s\n", error.message);
    return EXIT_SKIPPED;
  }
  if (status != RELAYOUT_OK) {
    return fail("cpu", &error);
  }
  const int result = run_on_device(r, device);
  relayout_device_destroy(device);
  return result;
}

#ifdef RELAYOUT_HAVE_OPENCL
static int run_on_opencl_device(const run *r, const char *name, relayout_kernel_family kernels) {
  relayout_error error;
  relayout_device *opened;
  if (relayout_device_open(name, &opened, &error) != RELAYOUT_OK) {
    return fail(name, &error);
  }
  cl_context context;
  cl_device_id id;
  relayout_opencl_options options = RELAYOUT_OPENCL_OPTIONS_INIT;
  options.kernels = kernels;
  relayout_device *device = NULL;
  if (relayout_opencl_device_get_handles(opened, &context, &id, &error) != RELAYOUT_OK ||
      relayout_opencl_device_create(context, id, &options, &device, &error) != RELAYOUT_OK) {
    relayout_device_destroy(opened);
    return fail(name, &error);
  }
  relayout_device_destroy(opened); /* the other one holds the context */
  const size_t before = program_count();
  const int result = run_on_device(r, device);
  relayout_device_destroy(device);
  const size_t programs = program_count() - before;
  printf("%zu programs compiled\n", programs);
  if (programs > r->most_programs) {
    fprintf(stderr, "%zu programs compiled, more than %zu\n", programs, r->most_programs);
    return EXIT_FAILURE;
  }
  return result;
}

static int run_on_opencl(const run *r, relayout_kernel_family kernels) {
  static relayout_device_info infos[MAX_DEVICES];
  for (size_t i = 0; i < MAX_DEVICES; ++i) {
    infos[i].struct_size = sizeof(infos[i]);
  }
  relayout_error error;
  size_t count;
  if (program_count_begin(&error) != RELAYOUT_OK) {
    return fail("OpenCL", &error);
  }
  if (relayout_device_list(infos, MAX_DEVICES, &count, &error) != RELAYOUT_OK) {
    return fail("list", &error);
  }
  int result = EXIT_SKIPPED;
  for (size_t i = 0; i < count && i < MAX_DEVICES; ++i) {
    if (infos[i].backend != RELAYOUT_BACKEND_OPENCL ||
        strstr(infos[i].platform, r->platform) == NULL) {
      continue;
    }
    const int device_result = run_on_opencl_device(r, infos[i].name, kernels);
    result = result == EXIT_FAILURE ? result : device_result;
  }
  return result;
}
#endif

static int run_on(const run *r) {
  if (strcmp(r->devices, "cpu") == 0) {
    return run_on_cpu(r, 0);
  }
  if (strcmp(r->devices, "cpu_one_thread") == 0) {
    return run_on_cpu(r, 1);
  }
#ifdef RELAYOUT_HAVE_OPENCL
  if (strcmp(r->devices, "opencl_staged") == 0) {
    return run_on_opencl(r, RELAYOUT_KERNELS_STAGED);
  }
  if (strcmp(r->devices, "opencl_direct") == 0) {
    return run_on_opencl(r, RELAYOUT_KERNELS_DIRECT);
  }
#endif
  printf("no such device: %s\n", r->devices);
  return EXIT_SKIPPED;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr,
            "usage: %s cases|properties DEVICES tiny|quick|full [PLATFORM [SEED [PROGRAMS]]]\n",
            argv[0]);
    return EXIT_FAILURE;
  }
  const run r = {
      .properties = strcmp(argv[1], "properties") == 0,
      .devices = argv[2],
      .level = strcmp(argv[3], "tiny") == 0    ? CONFORMANCE_TINY
               : strcmp(argv[3], "quick") == 0 ? CONFORMANCE_QUICK
                                               : CONFORMANCE_FULL,
      .platform = argc > 4 ? argv[4] : "",
      .seed = argc > 5 ? strtoull(argv[5], NULL, 0) : 1,
      .most_programs = argc > 6 ? (size_t)strtoull(argv[6], NULL, 0) : SIZE_MAX,
  };
  return run_on(&r);
}
