/* leftover.c: handlers for all signals that end a process, which remove the file
 * and raise the signal again. */
#include "leftover.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* What the handler reads is static, so that no thread frees it meanwhile. */
static volatile sig_atomic_t is_noted;
static int noted_directory;
static char noted_name[LEFTOVER_NAME_SIZE];

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
  if (is_noted) {
    unlinkat(noted_directory, noted_name, 0);
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
  noted_directory = directory;
  strncpy(noted_name, name, sizeof noted_name - 1);
  is_noted = 1;
  exchange_handlers(SIG_DFL, remove_and_die);
}

void leftover_forget(void) {
  if (is_noted) {
    is_noted = 0;
    exchange_handlers(remove_and_die, SIG_DFL);
  }
}
