/* run_soak: random work for as long as it is asked for, and what the process holds meanwhile.
 *
 *     run_soak DEVICES EPOCHS|SECONDSs [PLATFORM [SEED]]
 *
 * One thread works. In an epoch a device is opened, does some rounds of random work within a fixed
 * budget of memory, others being opened and closed beside it, and is closed again. After each
 * round it lets go of what it keeps, and the OpenCL objects are as many as after the first one;
 * after each epoch there is neither one of them nor a block of the library's memory, and once half
 * of the epochs are over, or half of the time, the process does not grow any more. What it keeps
 * of plans and files stays within what the headers say; an epoch begins with a folder that holds
 * as much as it may, so that each program which is kept drives others out. Says so each minute and
 * at the end. DEVICES, PLATFORM and the exit code are as run_conformance has them.
 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "conformance/devices.h"
#include "differential/differential.h"
#include "scratch.h"
#include "stress/objects.h"
#include "stress/stress.h"

enum {
  ROUNDS = 4,  /* of an epoch */
  MOVES = 100, /* of a round */
  MOVES_BESIDE = 10,
  RANDOM_CASES = 300,         /* of a round, on the CPU backend */
  BUDGET = 1 << 20,           /* bytes that a device keeps in plans */
  MOST_FILE_BYTES = 64 << 20, /* as opencl.h has it */
  OLD_FILES = 64,             /* that an epoch finds */
  MOST_GROWTH = 4 << 20       /* of the process, when it has warmed up */
};

/* ---- What the process holds ----------------------------------------------------------------- */

static atomic_int_fast64_t blocks; /* of the library's */

static void *allocate(void *context, size_t size, size_t alignment) {
  (void)context;
  void *made = NULL;
  if (posix_memalign(&made, alignment < sizeof(void *) ? sizeof(void *) : alignment, size) != 0) {
    return NULL;
  }
  atomic_fetch_add(&blocks, 1);
  return made;
}

static void release(void *context, void *block) {
  (void)context;
  atomic_fetch_sub(&blocks, 1);
  free(block);
}

/* In bytes; 0 where the system does not tell. */
typedef struct residence {
  int64_t all;
  int64_t own; /* of them: what files could not give again, so that the system leaves it there */
} residence;

static residence residence_now(void) {
  long long pages[3] = {0, 0, 0};
  FILE *const file = fopen("/proc/self/statm", "r");
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  if (file != NULL) {
    if (fscanf(file, "%lld %lld %lld", &pages[0], &pages[1], &pages[2]) != 3) {
      pages[1] = pages[2] = 0;
    }
    fclose(file);
  }
  const int64_t page = sysconf(_SC_PAGESIZE);
  return (residence){pages[1] * page, (pages[1] - pages[2]) * page};
}

/* ---- The soak ------------------------------------------------------------------------------- */

typedef struct soak {
  uint64_t epochs; /* to do, or */
  double seconds;
  uint64_t seed;
  const named_device *which;
  char cache[SCRATCH_PATH + 16]; /* where programs and wisdom are kept */
  stress_cases cases;
  struct timespec start;
  uint64_t done; /* epochs */
  uint64_t rounds;
  uint64_t moves;
  int64_t minutes; /* told of */
  bool has_objects;
  objects at_rest; /* behind the first round */
  uint64_t most_plans;
  uint64_t most_bytes;
  uint64_t most_programs;
  int64_t first_own; /* memory, when it has warmed up; 0: not yet */
} soak;

static int fail(const char *what, const relayout_error *error) {
  fprintf(stderr, "%s: %s: %s\n", what, relayout_status_text(error->status), error->message);
  return EXIT_FAILURE;
}

static double seconds_of(const soak *s) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - s->start.tv_sec) + 1e-9 * (double)(now.tv_nsec - s->start.tv_nsec);
}

/* The part of what was asked for that is done. */
static double part_of(const soak *s) {
  return s->seconds > 0 ? seconds_of(s) / s->seconds : (double)s->done / (double)s->epochs;
}

static bool is_cpu(const named_device *device) {
  return strcmp(device->name, "cpu") == 0;
}

static const char *const kinds[OBJECT_KINDS] = {
#define OBJECT_TEXT(name, text) text,
    OBJECT_TABLE(OBJECT_TEXT)
#undef OBJECT_TEXT
};

static void tell(const soak *s, const objects *held) {
  const residence now = residence_now();
  printf("minute %.1f: %" PRIu64 " moves, %" PRIu64
         " rounds, RSS %.1f MiB, %.1f of it its own; between "
         "rounds",
         seconds_of(s) / 60, s->moves, s->rounds, (double)now.all / (1 << 20),
         (double)now.own / (1 << 20));
  for (int kind = 0; kind < OBJECT_KINDS; ++kind) {
    printf(" %" PRId64 " %s,", held->of[kind], kinds[kind]);
  }
  printf(" most %" PRIu64 " plans with %" PRIu64 " bytes, %" PRIu64 " programs; %zu"
         " files with %.1f MiB\n",
         s->most_plans, s->most_bytes, s->most_programs, scratch_count(s->cache),
         (double)scratch_bytes(s->cache) / (1 << 20));
  fflush(stdout);
}

static bool check_caches(soak *s, relayout_device *device) {
  relayout_device_usage usage = RELAYOUT_DEVICE_USAGE_INIT;
  relayout_device_get_usage(device, &usage, NULL);
  s->most_plans = usage.plans > s->most_plans ? usage.plans : s->most_plans;
  const uint64_t bytes = usage.device_bytes + usage.host_bytes;
  s->most_bytes = bytes > s->most_bytes ? bytes : s->most_bytes;
  s->most_programs = usage.programs > s->most_programs ? usage.programs : s->most_programs;
  const size_t file_bytes = scratch_bytes(s->cache);
  if (bytes > BUDGET || file_bytes > MOST_FILE_BYTES) {
    fprintf(stderr,
            "the device keeps %" PRIu64 " plans with %" PRIu64 " bytes, and %zu"
            " bytes of files\n",
            usage.plans, bytes, file_bytes);
    return false;
  }
  return true;
}

static bool check_objects(soak *s, const objects *held) {
  if (!s->has_objects) {
    s->at_rest = *held;
    s->has_objects = true;
  }
  bool are_same = true;
  for (int kind = 0; kind < OBJECT_KINDS; ++kind) {
    if (held->of[kind] != s->at_rest.of[kind]) {
      fprintf(stderr, "round %" PRIu64 " left %" PRId64 " %s, the first one %" PRId64 "\n",
              s->rounds, held->of[kind], kinds[kind], s->at_rest.of[kind]);
      are_same = false;
    }
  }
  return are_same;
}

/* Sanitizers keep what is freed. */
static bool check_growth(soak *s) {
#ifndef SOAK_SANITIZED
  const int64_t own = residence_now().own;
  if (part_of(s) < 0.5) {
    return true;
  }
  if (s->first_own == 0) {
    s->first_own = own;
  }
  if (own > s->first_own + MOST_GROWTH) {
    fprintf(stderr, "the process takes %" PRId64 " bytes, %" PRId64 " when it had warmed up\n", own,
            s->first_own);
    return false;
  }
#else
  (void)s;
#endif
  return true;
}

/* ---- Work ----------------------------------------------------------------------------------- */

static bool work_on(soak *s, relayout_device *device, uint64_t moves) {
  stress *on = NULL;
  relayout_error error;
  if (stress_create(device, &s->cases, &on, &error) != RELAYOUT_OK) {
    stress_destroy(on);
    return fail("device", &error) == EXIT_SUCCESS;
  }
  stress_work(on, s->seed * 1000003 + s->rounds, moves);
  s->moves += moves;
  stress_destroy(on);
  return true;
}

static bool work_beside(soak *s) {
  relayout_device *device = NULL;
  relayout_error error;
  if (named_device_open(s->which, s->cache, &device, &error) != RELAYOUT_OK) {
    return fail(s->which->name, &error) == EXIT_SUCCESS;
  }
  const bool is_right = work_on(s, device, MOVES_BESIDE);
  relayout_device_destroy(device);
  return is_right;
}

/* Relayouts of all kinds, where nothing is compiled for each. */
static bool work_at_random(soak *s) {
  static differential_report report;
  const char *const devices[] = {"cpu"};
  relayout_error error;
  const differential_options options = {.devices = devices,
                                        .device_count = 1,
                                        .seed = s->seed * 1000003 + s->rounds,
                                        .most_cases = RANDOM_CASES};
  if (!is_cpu(s->which)) {
    return true;
  }
  if (differential_run(&options, &report, &error) != RELAYOUT_OK) {
    return fail("random relayouts", &error) == EXIT_SUCCESS;
  }
  s->moves += report.cases;
  if (report.has_failed) {
    fprintf(stderr, "%s\n", report.failure);
  }
  return !report.has_failed;
}

static bool run_round(soak *s, relayout_device *device) {
  relayout_device_set_budget(device, BUDGET, NULL);
  const bool is_right = work_on(s, device, MOVES) && work_beside(s) && work_at_random(s);
  relayout_device_set_budget(device, BUDGET, NULL);
  s->rounds += 1;
  if (!is_right || !check_caches(s, device)) {
    return false;
  }
  relayout_device_trim(device);
  const objects held = objects_held();
  return check_objects(s, &held);
}

/* A driver frees a native command on a thread of its own, which may come a moment after whoever
 * waited for the command has gone on. */
static void wait_for_the_driver(void) {
  enum { MOMENTS = 500 };
  const struct timespec moment = {.tv_nsec = 10000000};
  for (int i = 0; i < MOMENTS && atomic_load(&blocks) != 0; ++i) {
    nanosleep(&moment, NULL);
  }
}

static bool is_all_gone(const soak *s) {
  wait_for_the_driver();
  const objects held = objects_held();
  bool is_gone = true;
  for (int kind = 0; kind < OBJECT_KINDS; ++kind) {
    if (held.of[kind] != 0) {
      fprintf(stderr, "epoch %" PRIu64 " left %" PRId64 " %s\n", s->done, held.of[kind],
              kinds[kind]);
      is_gone = false;
    }
  }
  if (atomic_load(&blocks) != 0) {
    fprintf(stderr, "epoch %" PRIu64 " left %" PRId64 " blocks of memory\n", s->done,
            (int64_t)atomic_load(&blocks));
    is_gone = false;
  }
  return is_gone;
}

/* Empties the folder, and fills it with as much as it may hold: programs, by their names, that
 * nobody has used since yesterday. */
static bool fill_folder(const soak *s) {
  if (is_cpu(s->which)) {
    return true; /* it has no programs */
  }
  scratch_remove(s->cache);
  bool is_full = mkdir(s->cache, 0700) == 0;
  for (int i = 0; i < OLD_FILES && is_full; ++i) {
    char path[sizeof s->cache + 32];
    snprintf(path, sizeof path, "%s/%016x.program", s->cache, (unsigned)i);
    scratch_write(path, "", 0);
    is_full = truncate(path, MOST_FILE_BYTES / OLD_FILES) == 0;
  }
  if (!is_full) {
    perror(s->cache);
    return false;
  }
  scratch_age(s->cache, (time_t)24 * 60 * 60);
  return true;
}

static bool run_epoch(soak *s) {
  relayout_device *device = NULL;
  relayout_error error;
  if (!fill_folder(s)) {
    return false;
  }
  if (named_device_open(s->which, s->cache, &device, &error) != RELAYOUT_OK) {
    return fail(s->which->name, &error) == EXIT_SUCCESS;
  }
  bool is_right = true;
  for (int round = 0; round < ROUNDS && is_right; ++round) {
    is_right = run_round(s, device);
  }
  relayout_device_destroy(device);
  s->done += 1;
  if (is_right && (int64_t)(seconds_of(s) / 60) > s->minutes) {
    s->minutes = (int64_t)(seconds_of(s) / 60);
    tell(s, &s->at_rest);
  }
  return is_right && is_all_gone(s) && check_growth(s);
}

static int run_on_device(void *context, const named_device *it) {
  soak s = *(const soak *)context;
  printf("%s %s\n", it->word, it->name);
  s.which = it;
  if (!stress_cases_make(!is_cpu(it), &s.cases)) {
    fprintf(stderr, "no memory for cases\n");
    return EXIT_FAILURE;
  }
  clock_gettime(CLOCK_MONOTONIC, &s.start);
  bool is_right = true;
  while (is_right && part_of(&s) < 1) {
    is_right = run_epoch(&s);
  }
  tell(&s, &s.at_rest);
  stress_cases_free(&s.cases);
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
  soak s = {.seed = argc > 4 ? strtoull(argv[4], NULL, 0) : 1};
  char *end = NULL;
  const double length = argc > 2 ? strtod(argv[2], &end) : 0;
  const bool is_of_time = length > 0 && *end == 's';
  s.seconds = is_of_time ? length : 0;
  s.epochs = is_of_time ? 0 : (uint64_t)length;
  if (length < 1) {
    fprintf(stderr, "usage: %s DEVICES EPOCHS|SECONDSs [PLATFORM [SEED]]\n", argv[0]);
    return EXIT_FAILURE;
  }
  const relayout_allocator counting = {sizeof(counting), allocate, release, NULL};
  relayout_error error;
  if (relayout_set_allocator(&counting, &error) != RELAYOUT_OK) {
    return fail("allocator", &error);
  }
  char scratch[SCRATCH_PATH];
  scratch_make(scratch);
  snprintf(s.cache, sizeof(s.cache), "%s/relayout", scratch);
  setenv("XDG_CACHE_HOME", scratch, 1);
  const int result = named_devices_visit(argv[1], argc > 3 ? argv[3] : "", run_on_device, &s);
  scratch_remove(scratch);
  return result;
}
