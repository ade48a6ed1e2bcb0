/* leftover.c: handlers for all signals that end a process, which remove the files and raise the
 * signal again. */
#include "leftover.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* What the handler reads is static, so that no thread frees it meanwhile. */
static struct note {
  volatile sig_atomic_t is_noted;
  int directory;
  char name[LEFTOVER_NAME_SIZE];
} notes[LEFTOVER_MOST_FILES];
static size_t note_count;

/* Signals that end no process when nobody handles them; SIGKILL cannot be handled. */
static const int harmless[] = {SIGCHLD, SIGCONT, SIGURG,   SIGSTOP, SIGTSTP,
                               SIGTTIN, SIGTTOU, SIGWINCH, SIGKILL};

static bool is_harmless(int number) {
  for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++) {
    if (harmless[i] == number) {
      return true;
    }
  }
  return false;
}

static void remove_and_die(int number) {
  for (size_t i = 0; i < LEFTOVER_MOST_FILES; i++) {
    if (notes[i].is_noted) {
      unlinkat(notes[i].directory, notes[i].name, 0);
    }
  }
  /* The handler stands for one signal only (SA_RESETHAND): this one ends the process. */
  raise(number);
}

typedef void signal_handler(int number);

/* Replaces the handler `from` by `to`, for all signals that end the process. */
static void exchange_handlers(signal_handler *from, signal_handler *to) {
  struct sigaction wanted = {.sa_flags = (int)SA_RESETHAND};
  wanted.sa_handler = to;
  sigemptyset(&wanted.sa_mask);
  for (int number = 1; number <= SIGRTMAX; number++) {
    struct sigaction current;
    if (!is_harmless(number) && sigaction(number, NULL, &current) == 0 &&
        (current.sa_flags & SA_SIGINFO) == 0 && current.sa_handler == from) {
      sigaction(number, &wanted, NULL);
    }
  }
}

void leftover_note(int directory, const char *name) {
  size_t i = 0;
  while (i < LEFTOVER_MOST_FILES && notes[i].is_noted) {
    i += 1;
  }
  if (i == LEFTOVER_MOST_FILES) {
    return;
  }
  notes[i].directory = directory;
  strncpy(notes[i].name, name, sizeof notes[i].name - 1);
  notes[i].is_noted = 1;
  note_count += 1;
  if (note_count == 1) {
    exchange_handlers(SIG_DFL, remove_and_die);
  }
}

void leftover_forget(const char *name) {
  for (size_t i = 0; i < LEFTOVER_MOST_FILES; i++) {
    if (notes[i].is_noted && strcmp(notes[i].name, name) == 0) {
      notes[i].is_noted = 0;
      note_count -= 1;
      if (note_count == 0) {
        exchange_handlers(remove_and_die, SIG_DFL);
      }
      return;
    }
  }
}
