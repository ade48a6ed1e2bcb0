/* process.c: forks, sets limits, runs the command and collects what it wrote. */
#include "faults/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults/fault.h"
#include "scratch.h"

/* The command's main; here its other commands are in stubs.c. */
int relayout_main(int argument_count, char **arguments);

static void put_file(int standard, const char *path, int flags) {
  const int file = open(path == NULL ? "/dev/null" : path, flags, 0600);
  if (file < 0 || dup2(file, standard) < 0 || close(file) != 0) {
    _exit(2);
  }
}

/* In the new process, whose standard error is `messages`. */
static void run(const command_call *call, int messages) {
  const char *words[2 + COMMAND_WORDS + 1] = {"relayout", "convert"};
  int count = 2;
  while (count - 2 < COMMAND_WORDS && call->words[count - 2] != NULL) {
    words[count] = call->words[count - 2];
    ++count;
  }
  put_file(STDIN_FILENO, call->input, O_RDONLY);
  put_file(STDOUT_FILENO, call->output, O_WRONLY | O_CREAT | O_TRUNC);
  if (dup2(messages, STDERR_FILENO) < 0) {
    _exit(2);
  }
  if (call->limit != NULL && !call->limit(call->limit_value)) {
    _exit(COMMAND_SKIPPED);
  }
  if (call->faulty) {
    fault_continue();
  }
  const int code = relayout_main(count, (char **)(uintptr_t)words);
  fault_pause();
  _exit(code);
}

/* Reads what the process says, to its end. */
static void listen_to(int file, char said[COMMAND_SAID]) {
  char text[COMMAND_SAID];
  size_t length = 0;
  for (ssize_t count = read(file, text, sizeof text); count > 0;
       count = read(file, text, sizeof text)) {
    const size_t room = COMMAND_SAID - 1 - length;
    const size_t taken = (size_t)count < room ? (size_t)count : room;
    memcpy(said + length, text, taken);
    length += taken;
  }
}

command_result command_run(const command_call *call) {
  command_result result = {.code = -1};
  int ends[2];
  fflush(NULL);
  if (pipe(ends) != 0) {
    return result;
  }
  const pid_t process = fork();
  if (process == 0) {
    run(call, ends[1]);
  }
  (void)close(ends[1]);
  listen_to(ends[0], result.said);
  (void)close(ends[0]);
  int state = 0;
  if (process < 0 || waitpid(process, &state, 0) != process) {
    return result;
  }
  fault_pause(); /* also when it died */
  result.signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
  result.code = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
  return result;
}

file_bytes file_read(const char *path) {
  file_bytes read = {NULL, 0};
  if (access(path, F_OK) == 0) {
    read.bytes = scratch_read(path, &read.size);
  }
  return read;
}

void file_write(const char *path, const void *bytes, size_t size) {
  scratch_write(path, bytes, size);
}

bool file_same(const file_bytes *a, const file_bytes *b) {
  return (a->bytes == NULL) == (b->bytes == NULL) && a->size == b->size &&
         (a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
}
