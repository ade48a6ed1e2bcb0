/* run_stress: threads that move at random on one device, as a program.
 *
 *     run_stress DEVICES THREADS MOVES [PLATFORM [SEED [FOLDER]]]
 *
 * Each of the threads makes so many moves. Programs are kept in FOLDER, also where the library
 * keeps none by itself. DEVICES and PLATFORM are as run_conformance has them; so is the exit code.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/devices.h"
#ifdef RELAYOUT_HAVE_OPENCL
#include "conformance/program_count.h"
#endif
#include "stress/stress.h"

enum { MOST_THREADS = 256 };

typedef struct run {
  int threads;
  uint64_t moves;
  uint64_t seed;
  const char *folder; /* NULL: none is named */
} run;

typedef struct share {
  stress *on;
  uint64_t seed;
  uint64_t moves;
} share;

static void *work(void *argument) {
  const share *const mine = argument;
  stress_work(mine->on, mine->seed, mine->moves);
  return NULL;
}

static int fail(const char *what, const relayout_error *error) {
  fprintf(stderr, "%s: %s: %s\n", what, relayout_status_text(error->status), error->message);
  return EXIT_FAILURE;
}

static int run_threads(const run *r, stress *on) {
  pthread_t threads[MOST_THREADS];
  share shares[MOST_THREADS];
  int started = 0;
  for (; started < r->threads; ++started) {
    shares[started] = (share){on, r->seed * MOST_THREADS + (uint64_t)started, r->moves};
    if (pthread_create(&threads[started], NULL, work, &shares[started]) != 0) {
      fprintf(stderr, "no thread beyond %d\n", started);
      break;
    }
  }
  for (int t = 0; t < started; ++t) {
    pthread_join(threads[t], NULL);
  }
  return started == r->threads ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run_on_opened(const run *r, relayout_device *device, bool compiles) {
  relayout_error error = {RELAYOUT_OUT_OF_MEMORY, 0, "no memory"};
  stress_cases cases;
  stress *on = NULL;
  if (!stress_cases_make(compiles, &cases)) {
    return fail("cases", &error);
  }
  int result = EXIT_FAILURE;
  if (stress_create(device, &cases, &on, &error) == RELAYOUT_OK) {
    result = run_threads(r, on);
    const stress_totals done = stress_done(on);
    printf("%" PRIu64 " moves by %d threads, %" PRIu64 " between host pointers, %" PRIu64
           " in one call; %" PRIu64 " plans of %zu relayouts; seed %" PRIu64 "\n",
           done.moves, r->threads, done.on_host, done.one_shots, done.plans, cases.count, r->seed);
  } else {
    fail("device", &error);
  }
  stress_destroy(on);
  stress_cases_free(&cases);
  return result;
}

static int run_on_device(void *context, const named_device *it) {
  const run *const r = context;
  relayout_error error;
  relayout_device *device;
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  if (named_device_open(it, r->folder, &device, &error) != RELAYOUT_OK ||
      relayout_device_get_info(device, &info, &error) != RELAYOUT_OK) {
    return fail(it->name, &error);
  }
  printf("%s: %s (%s)\n", it->word, info.description, info.platform);
  fflush(stdout);
  const int result = run_on_opened(r, device, info.backend == RELAYOUT_BACKEND_OPENCL);
  relayout_device_destroy(device);
  return result;
}

int main(int argc, char **argv) {
  run r = {.threads = argc > 2 ? atoi(argv[2]) : 0,
           .moves = argc > 3 ? strtoull(argv[3], NULL, 0) : 0,
           .seed = argc > 5 ? strtoull(argv[5], NULL, 0) : 1,
           .folder = argc > 6 ? argv[6] : NULL};
  if (r.threads < 1 || r.threads > MOST_THREADS || r.moves < 1) {
    fprintf(stderr, "usage: %s DEVICES THREADS MOVES [PLATFORM [SEED [FOLDER]]]\n", argv[0]);
    return EXIT_FAILURE;
  }
#ifdef RELAYOUT_HAVE_OPENCL
  relayout_error error;
  if (strncmp(argv[1], "opencl", 6) == 0 && program_count_begin(&error) != RELAYOUT_OK) {
    return fail("OpenCL", &error);
  }
#endif
  const int result = named_devices_visit(argv[1], argc > 4 ? argv[4] : "", run_on_device, &r);
#ifdef RELAYOUT_HAVE_OPENCL
  printf("%zu programs compiled\n", program_count());
#endif
  return result;
}
