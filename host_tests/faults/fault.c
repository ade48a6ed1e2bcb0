/* fault.c: counts the wrapped calls and decides which of them fails. */
#include "faults/fault.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

typedef struct fault_state {
  atomic_bool armed;
  atomic_int_fast64_t calls;
  fault_request request;
  fault_report report;
} fault_state;

static fault_state own;
static fault_state *state = &own;

bool fault_share(void) {
  void *const shared =
      mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    return false;
  }
  state = shared;
  return true;
}

void fault_arm(const fault_request *request) {
  state->request = *request;
  memset(&state->report, 0, sizeof state->report);
  atomic_store(&state->calls, 0);
}

void fault_continue(void) {
  atomic_store(&state->armed, true);
}

void fault_pause(void) {
  atomic_store(&state->armed, false);
}

const fault_report *fault_reported(void) {
  return &state->report;
}

bool fault_strikes(fault_kind kind, const char *call, int32_t *variant) {
  if (!atomic_load(&state->armed)) {
    return false;
  }
  const int64_t number = atomic_fetch_add(&state->calls, 1) + 1;
  fault_report *const report = &state->report;
  const bool first = number == state->request.number;
  if (first) {
    report->kind = kind;
    snprintf(report->call, sizeof report->call, "%s", call);
    report->struck = true;
  }
  *variant = state->request.variant;
  return first || (state->request.goes_on && report->struck && report->kind == kind);
}

void fault_note_code(int32_t code) {
  state->report.was_last = state->report.code == 0;
  if (state->report.was_last) {
    state->report.code = code;
  }
}

void fault_note_misuse(const char *misuse, const char *call) {
  if (state->report.misuse[0] == '\0') {
    snprintf(state->report.misuse, sizeof state->report.misuse, "%s %s", call, misuse);
  }
}
