/* main.c: the `relayout` command: finds the command named by the first word and runs it. Everything
 * here is built on the public headers alone. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "relayout/version.h"
#include "suggestion.h"

static const command *const commands[] = {
    &command_devices, &command_shape, &command_index, &command_shard,    &command_explain,
    &command_convert, &command_emit,  &command_bench, &command_selftest, &command_tune,
};
static const size_t command_count = sizeof commands / sizeof commands[0];

static void print_help(FILE *file) {
  fputs("relayout moves tensors from one memory layout to another, on any OpenCL device or the "
        "CPU.\n\n"
        "usage: relayout COMMAND [ARGUMENTS]\n\n",
        file);
  for (size_t i = 0; i < command_count; i++) {
    fprintf(file, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
  }
  fputs("\n"
        "'relayout help COMMAND' tells more of each; 'relayout --version' prints the version.\n"
        "A shape is written as in XLA: f32[2,3]{0,1:PD(3,5)} is 2 x 3 floats, dimension 0 fastest\n"
        "in memory, padded to 3 x 5 with zeros.\n"
        "\n"
        "exit codes: 0 ok, 1 failure, 2 usage, 3 verification found a difference, 4 bad input,\n"
        "5 no such device\n",
        file);
}

/* Data that never reached its reader is a failure, also when only the last flush finds out. */
static exit_code finish_output(exit_code code) {
  errno = 0;
  const int failed = fflush(stdout) != 0 || ferror(stdout);
  if (failed && code == EXIT_CODE_OK) {
    return report(EXIT_CODE_FAILURE, "cannot write to standard output: %s",
                  errno != 0 ? strerror(errno) : "an earlier write failed");
  }
  return code;
}

/* A standard stream that was closed must not become the number of a file opened later, which would
 * then get the messages. It is opened in the direction that fails. */
static bool hold_standard_streams(void) {
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++) {
    const int direction = file == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (fcntl(file, F_GETFD) == -1 && open("/dev/null", direction) < 0) {
      return false;
    }
  }
  return true;
}

static const command *find_command(const char *word) {
  for (size_t i = 0; i < command_count; i++) {
    if (strcmp(word, commands[i]->name) == 0) {
      return commands[i];
    }
  }
  return NULL;
}

static exit_code report_unknown(const char *word) {
  char text[SUGGESTION_TEXT_SIZE];
  suggestion near = suggestion_for(word, strlen(word));
  for (size_t i = 0; i < command_count; i++) {
    suggestion_try(&near, commands[i]->name);
  }
  suggestion_try(&near, "help");
  suggestion_try(&near, "--help");
  suggestion_try(&near, "--version");
  suggestion_text(&near, "", text);
  return report(EXIT_CODE_USAGE, "unknown %s '%s'%s", word[0] == '-' ? "option" : "command", word,
                near.best != NULL ? text : "; try 'relayout --help'");
}

/* `relayout help`, and `relayout help COMMAND`. */
static exit_code help(int word_count, char **words) {
  if (word_count > 1) {
    return report(EXIT_CODE_USAGE, "one argument too many: '%s'; try 'relayout --help'", words[1]);
  }
  if (word_count == 0 || strcmp(words[0], "help") == 0 || strcmp(words[0], "--help") == 0) {
    print_help(stdout);
    return EXIT_CODE_OK;
  }
  const command *const about = find_command(words[0]);
  if (about == NULL) {
    return report_unknown(words[0]);
  }
  arguments_print_help(about);
  return EXIT_CODE_OK;
}

int main(int argument_count, char **arguments) {
  if (!hold_standard_streams()) {
    return (int)report(EXIT_CODE_FAILURE, "cannot open /dev/null: %s", strerror(errno));
  }
  /* A reader that goes away, or a file that grows too large, is a failed write, not a death by
   * signal. */
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  if (argument_count < 2) {
    print_help(stderr);
    return EXIT_CODE_USAGE;
  }
  const char *word = arguments[1];
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
    print_help(stdout);
    return (int)finish_output(EXIT_CODE_OK);
  }
  if (strcmp(word, "help") == 0) {
    return (int)finish_output(help(argument_count - 2, arguments + 2));
  }
  if (strcmp(word, "--version") == 0) {
    printf("relayout %s\n", relayout_version());
    return (int)finish_output(EXIT_CODE_OK);
  }
  const command *const found = find_command(word);
  if (found == NULL) {
    return (int)report_unknown(word);
  }
  report_set_command(word);
  return (int)finish_output(found->run(argument_count - 2, arguments + 2));
}
