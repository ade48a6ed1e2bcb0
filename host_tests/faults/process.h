/* process.h: runs `relayout convert` in a process of its own, with failing calls or under limits,
 * on files in the current directory. */
#ifndef HOST_TESTS_FAULTS_PROCESS_H
#define HOST_TESTS_FAULTS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { COMMAND_WORDS = 14, COMMAND_SAID = 512, COMMAND_SKIPPED = 77 };

typedef struct command_call {
  const char *words[COMMAND_WORDS]; /* behind `relayout convert`; NULL ends them */
  const char *input;                /* what standard input is; NULL: /dev/null */
  const char *output;               /* what standard output becomes; NULL: /dev/null */
  bool faulty;                      /* calls are counted, and may fail */
  /* Called in the process before the command; NULL: nothing. False where the limit cannot be had,
   * and the exit code is COMMAND_SKIPPED. */
  bool (*limit)(int64_t value);
  int64_t limit_value;
} command_call;

typedef struct command_result {
  int signal;              /* that it died of, or 0 */
  int code;                /* its exit code */
  char said[COMMAND_SAID]; /* on standard error, cut to fit */
} command_result;

/* The process is a copy of this one, which therefore must not have opened a device. */
command_result command_run(const command_call *call);

/* The bytes of a file. */
typedef struct file_bytes {
  uint8_t *bytes; /* for the caller to free; NULL: there is no such file */
  size_t size;
} file_bytes;

file_bytes file_read(const char *path);
void file_write(const char *path, const void *bytes, size_t size);
/* Files that are both missing are the same too. */
bool file_same(const file_bytes *a, const file_bytes *b);

#endif
