/* harness.h: scenarios, each run again and again with the first call failing, the second, ... until
 * none is left that could fail.
 *
 * A child of the test runs them, so that a crash is a line in the report and the next number
 * follows. */
#ifndef HOST_TESTS_FAULTS_HARNESS_H
#define HOST_TESTS_FAULTS_HARNESS_H

#include <stdbool.h>
#include <stddef.h>

#include "faults/fault.h"
#include "relayout/status.h"

typedef struct move move;

typedef struct scenario {
  const char *name;
  bool is_long;  /* not part of the quick run */
  bool is_first; /* each trial in a process of its own, which has not used the library before */
  move *moved;   /* made before the first trial; NULL: nothing */
  void (*prepare)(const struct scenario *it); /* NULL: nothing */
  void (*run)(const struct scenario *it);     /* one trial; leaves nothing behind */
  void (*finish)(const struct scenario *it);
} scenario;

typedef struct harness {
  const scenario *scenarios;
  size_t count;
  const fault_request
      *variations; /* the first `quick_variations` of them are those of the quick run */
  size_t variation_count;
  size_t quick_variations;
  /* In the child, first of all: false where what the scenarios need is not on this machine. */
  bool (*begin)(void);
} harness;

enum { HARNESS_SKIPPED = 77 };

/* Arguments: "quick" or "full", and perhaps the name of a single scenario. Returns what main
 * returns. */
int harness_run(const harness *all, int argument_count, char **arguments);

/* ---- In a trial ---- */

/* What calls under way get as their error. */
extern relayout_error trial_error;

/* A call of the library in which calls may fail: true when it returns RELAYOUT_OK. Its status and
 * error must go with what failed, if anything did: no memory is RELAYOUT_OUT_OF_MEMORY, a failed
 * OpenCL call is RELAYOUT_OPENCL_ERROR with its code, and files and threads are done without. */
#define TRY(call) (trial_begin_call(), trial_end_call(call))
void trial_begin_call(void);
bool trial_end_call(relayout_status status);

/* The same for calls without a status. */
#define DURING(statement)                                                                          \
  do {                                                                                             \
    fault_continue();                                                                              \
    statement;                                                                                     \
    fault_pause();                                                                                 \
  } while (0)

/* Another status that TRY takes for an answer to a failed OpenCL call, in this trial. */
void trial_permit(relayout_status status);

/* Whether the failed call was this one. */
bool trial_struck(const char *call);

/* Reports the trial as failed, but goes on. */
void trial_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define EXPECT(condition)                                                                          \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      trial_fail("line %d of %s: not so: %s", __LINE__, __FILE__, #condition);                     \
    }                                                                                              \
  } while (0)

/* What must succeed, for nothing fails: else the child ends. */
#define MUST(call) trial_must(call, #call, __LINE__)
void trial_must(relayout_status status, const char *call, int line);

#endif
