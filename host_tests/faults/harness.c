/* harness.c: runs each scenario in a child process, one failing call after the other,
 * and reports what went wrong. */
#include "faults/harness.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "faults/live.h"
#include "faults/moves.h"

enum {
  MOST_DEATHS = 50,    /* of children, before it is pointless to go on */
  TRIAL_SECONDS = 300, /* one that takes longer hangs */
  ANOTHER = 70         /* a child's exit code that asks for another one to go on */
};

/* How far the child is, in memory that it shares with its parent. */
typedef struct progress {
  size_t scenario;
  size_t variation;
  int64_t number;
  int64_t trials;
  int64_t failures;
  bool done;
} progress;

static progress *at;
static const harness *ran;
static bool is_full;
static bool trial_failed;
static bool permitted[32];

relayout_error trial_error;
static relayout_error untouched_error;

/* ---- Reporting ---- */

static void print_trial(void) {
  const scenario *const it = &ran->scenarios[at->scenario];
  const fault_request *const how = &ran->variations[at->variation];
  const fault_report *const report = fault_reported();
  printf("FAILED: %s, call %lld", it->name, (long long)at->number);
  if (report->struck) {
    printf(" (%s%s, error %d)", report->call, how->goes_on ? " and all that follow" : "",
           (int)report->code);
  }
  printf(": ");
}

void trial_fail(const char *format, ...) {
  fault_pause();
  va_list arguments;
  va_start(arguments, format);
  print_trial();
  vprintf(format, arguments);
  printf("\n");
  fflush(stdout);
  va_end(arguments);
  trial_failed = true;
}

void trial_must(relayout_status status, const char *call, int line) {
  if (status != RELAYOUT_OK) {
    trial_fail("line %d: without a failure %s is %s: %s", line, call, relayout_status_text(status),
               trial_error.message);
    _exit(1);
  }
}

/* ---- Calls of the library ---- */

void trial_begin_call(void) {
  memset(&untouched_error, 0x5a, sizeof untouched_error);
  trial_error = untouched_error;
  fault_continue();
}

void trial_permit(relayout_status status) {
  permitted[status] = true;
}

bool trial_struck(const char *call) {
  return strcmp(fault_reported()->call, call) == 0;
}

/* Whether the call may end so after what failed. */
static bool goes_with(relayout_status status, const fault_report *report) {
  switch (report->kind) {
  case FAULT_MEMORY:
    return status == RELAYOUT_OUT_OF_MEMORY;
  case FAULT_FILES:
  case FAULT_REMOVAL:
    return false;
  case FAULT_THREADS: /* threads are done without, mutexes cannot be */
    return status == RELAYOUT_OUT_OF_MEMORY && !trial_struck("pthread_create");
  case FAULT_OPENCL:
    return ((status == RELAYOUT_OPENCL_ERROR || status == RELAYOUT_OUT_OF_DEVICE_MEMORY) &&
            (trial_error.cl_status == report->code || !report->was_last)) ||
           permitted[status];
  }
  return false;
}

static void check_error(relayout_status status, const fault_report *report) {
  if (!report->struck || !goes_with(status, report)) {
    trial_fail("%s is no answer to that: %.200s", relayout_status_text(status),
               trial_error.message);
  }
  if (trial_error.status != status || trial_error.message[0] == '\0' ||
      memchr(trial_error.message, '\0', sizeof trial_error.message) == NULL) {
    trial_fail("the error does not tell of %s", relayout_status_text(status));
  }
}

bool trial_end_call(relayout_status status) {
  fault_pause();
  if (status != RELAYOUT_OK) {
    check_error(status, fault_reported());
  } else if (memcmp(&trial_error, &untouched_error, sizeof trial_error) != 0) {
    trial_fail("the call succeeded, yet wrote its error: %.200s", trial_error.message);
  }
  return status == RELAYOUT_OK;
}

/* ---- In the child ---- */

/* Drivers let go of commands on threads of their own, a moment after their events. */
static bool is_left(char *text, size_t capacity) {
  enum { MOMENTS = 1000 };
  const struct timespec moment = {0, 1000 * 1000};
  bool is = live_difference(text, capacity);
  for (int i = 0; i < MOMENTS && is; ++i) {
    nanosleep(&moment, NULL);
    is = live_difference(text, capacity);
  }
  return is;
}

static void run_trial(const scenario *it, const fault_request *how) {
  fault_request request = *how;
  request.number = at->number;
  trial_failed = false;
  memset(permitted, 0, sizeof permitted);
  alarm(TRIAL_SECONDS);
  live_mark();
  fault_arm(&request);
  it->run(it);
  char left[256];
  if (is_left(left, sizeof left)) {
    trial_fail("%s", left + 2);
  }
  if (fault_reported()->misuse[0] != '\0') {
    trial_fail("%s", fault_reported()->misuse);
  }
  alarm(0);
  ++at->trials;
  at->failures += trial_failed;
}

/* Numbers from at->number to the first one with nothing left to fail. */
static void run_variation(const scenario *it, const fault_request *how) {
  do {
    run_trial(it, how);
    ++at->number;
    if (it->is_first && fault_reported()->struck) {
      exit(ANOTHER);
    }
  } while (fault_reported()->struck);
  at->number = 1;
}

static bool is_asked_for(const scenario *it, const char *only) {
  return only == NULL ? is_full || !it->is_long : strcmp(it->name, only) == 0;
}

static int run_scenarios(const char *only) {
  fault_pause(); /* a child that died left it waiting to strike */
  if (ran->begin != NULL && !ran->begin()) {
    return HARNESS_SKIPPED;
  }
  const size_t variations = is_full ? ran->variation_count : ran->quick_variations;
  for (; at->scenario < ran->count; ++at->scenario, at->variation = 0) {
    const scenario *const it = &ran->scenarios[at->scenario];
    if (!is_asked_for(it, only)) {
      continue;
    }
    if (it->moved != NULL) {
      move_make(it->moved);
    }
    if (it->prepare != NULL) {
      it->prepare(it);
    }
    for (; at->variation < variations; ++at->variation) {
      run_variation(it, &ran->variations[at->variation]);
    }
    if (it->finish != NULL) {
      it->finish(it);
    }
  }
  at->done = true;
  return 0;
}

/* ---- In the parent ---- */

/* The child's exit code; ANOTHER also after a death, which was reported. */
static int run_child(const char *only, int *deaths) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    exit(run_scenarios(only));
  }
  int state = 0;
  if (child < 0 || waitpid(child, &state, 0) != child) {
    perror("cannot run a child");
    return 1;
  }
  const int code = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
  if ((code == 0 && at->done) || code == HARNESS_SKIPPED || code == ANOTHER) {
    return code;
  }
  print_trial();
  if (WIFSIGNALED(state)) {
    printf("died of signal %d, %s\n", WTERMSIG(state), strsignal(WTERMSIG(state)));
  } else {
    printf("ended with exit code %d\n", code);
  }
  ++at->trials;
  ++at->failures;
  ++at->number;
  return ++*deaths < MOST_DEATHS ? ANOTHER : 1;
}

int harness_run(const harness *all, int argument_count, char **arguments) {
  const bool is_quick = argument_count >= 2 && strcmp(arguments[1], "quick") == 0;
  is_full = argument_count >= 2 && strcmp(arguments[1], "full") == 0;
  if (!is_quick && !is_full) {
    fprintf(stderr, "usage: %s quick|full [SCENARIO]\n", arguments[0]);
    return 2;
  }
  at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED || !fault_share()) {
    perror("no memory to share with a child");
    return 1;
  }
  *at = (progress){.number = 1};
  ran = all;
  int code = ANOTHER;
  for (int deaths = 0; code == ANOTHER;) {
    code = run_child(argument_count > 2 ? arguments[2] : NULL, &deaths);
  }
  if (code == HARNESS_SKIPPED && at->trials == 0) {
    printf("no OpenCL device: skipped\n");
    return code;
  }
  printf("%lld trials, %lld failed\n", (long long)at->trials, (long long)at->failures);
  return code != 0 || at->failures > 0 || at->trials == 0;
}
