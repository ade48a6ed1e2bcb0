/* What a handler of signals says is written down before the fault: it may format nothing itself. */
#include "conformance/fault.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FAULTS = 2 };
static const int faults[FAULTS] = {SIGSEGV, SIGBUS};
static struct sigaction former[FAULTS];

static struct {
  char asked[CONFORMANCE_FAILURE_SIZE];
  char words[256];
  guarded_buffer source; /* zeroed where there are none */
  guarded_buffer destination;
} scene;

/* ---- In the handler ------------------------------------------------------------------------- */

/* A line put together piece by piece. */
typedef struct line {
  char text[256];
  size_t length;
} line;

static void add_text(line *l, const char *text) {
  while (*text != '\0' && l->length < sizeof(l->text)) {
    l->text[l->length++] = *text++;
  }
}

static void add_number(line *l, int64_t number) {
  char digits[24];
  size_t at = sizeof(digits);
  uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
  digits[--at] = '\0';
  do {
    digits[--at] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  add_text(l, number < 0 ? "-" : "");
  add_text(l, digits + at);
}

/* Whether the address is one of the buffer's or of the pages around it. */
static bool add_place(line *l, const char *name, const guarded_buffer *buffer, uintptr_t address) {
  const uintptr_t first = (uintptr_t)buffer->bytes;
  const size_t page = fenced_pages_page_size();
  if (first == 0 || address < first - page || address >= first + buffer->total + page) {
    return false;
  }
  add_text(l, "byte ");
  add_number(l, (int64_t)(address - first) - (int64_t)buffer->start);
  add_text(l, " of the ");
  add_text(l, name);
  add_text(l, "'s ");
  add_number(l, (int64_t)buffer->size);
  return true;
}

static void say(const char *text, size_t length) {
  while (length > 0) {
    const ssize_t written = write(STDERR_FILENO, text, length);
    if (written <= 0) {
      return;
    }
    text += written;
    length -= (size_t)written;
  }
}

static void report_fault(int number, siginfo_t *info, void *context) {
  (void)number;
  (void)context;
  line found = {.length = 0};
  add_text(&found, ": a fault at ");
  const uintptr_t address = (uintptr_t)info->si_addr;
  if (!add_place(&found, "source", &scene.source, address) &&
      !add_place(&found, "destination", &scene.destination, address)) {
    add_text(&found, "an address outside of both buffers");
  }
  add_text(&found, "\n");
  say(scene.asked, strlen(scene.asked));
  say(scene.words, strlen(scene.words));
  say(found.text, found.length);
  _exit(EXIT_FAILURE);
}

/* ---- Outside of it -------------------------------------------------------------------------- */

void fault_watch(void) {
  memset(&scene, 0, sizeof(scene));
  fenced_pages_page_size(); /* is known from now on */
  struct sigaction action = {.sa_flags = SA_SIGINFO};
  action.sa_sigaction = report_fault;
  sigemptyset(&action.sa_mask);
  for (int i = 0; i < FAULTS; ++i) {
    sigaction(faults[i], &action, &former[i]);
  }
}

void fault_unwatch(void) {
  for (int i = 0; i < FAULTS; ++i) {
    sigaction(faults[i], &former[i], NULL);
  }
}

void fault_expect_request(const relayout_device *device, const request *asked) {
  failure_describe(device, asked, scene.asked, sizeof(scene.asked));
}

void fault_expect_words(const char *asked) {
  snprintf(scene.asked, sizeof(scene.asked), "%s", asked);
}

void fault_expect(const char *words, const guarded_buffer *source,
                  const guarded_buffer *destination) {
  snprintf(scene.words, sizeof(scene.words), "%s", words);
  scene.source = source != NULL ? *source : (guarded_buffer){0};
  scene.destination = destination != NULL ? *destination : (guarded_buffer){0};
}
