/* main.c: the command relayout-mpi. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"

static const char usage[] =
    "usage: mpirun -n N relayout-mpi selftest [--cases N] [--seed N]\n"
    "       mpirun -n N relayout-mpi bench [--rounds N] [--message-bytes N] [--depth N]\n"
    "                                      [FROM FROM_SHARDING TO TO_SHARDING]\n"
    "\n"
    "selftest draws exchanges between the ranks at random and compares every byte that arrives\n"
    "with the definition. bench measures a reshard, or some usual ones, beside bare messages of\n"
    "as many bytes and MPI_Alltoallw with derived types, in turns; medians of rounds.\n";

void command_say(const command_scene *of, const char *format, ...) {
  if (of->rank == 0) {
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    fflush(stdout);
  }
}

typedef struct words {
  int64_t cases, seed;
  command_measure measure;
  char **operands;
  int operand_count;
} words;

/* Where the number of an option goes; NULL: there is no such option. */
static int64_t *number_of(const char *option, words *made) {
  return strcmp(option, "--cases") == 0           ? &made->cases
         : strcmp(option, "--seed") == 0          ? &made->seed
         : strcmp(option, "--rounds") == 0        ? &made->measure.rounds
         : strcmp(option, "--message-bytes") == 0 ? &made->measure.message_bytes
         : strcmp(option, "--depth") == 0         ? &made->measure.depth
                                                  : NULL;
}

/* False for what has no meaning. Options come first. */
static bool read_words(int count, char **texts, words *made) {
  *made = (words){.cases = 1000, .seed = 1, .measure = {.rounds = 7}};
  int at = 0;
  for (; at + 1 < count && strncmp(texts[at], "--", 2) == 0; at += 2) {
    int64_t *const number = number_of(texts[at], made);
    char *end = NULL;
    if (number == NULL || (*number = strtoll(texts[at + 1], &end, 10)) <= 0 || *end != '\0') {
      return false;
    }
  }
  made->operands = texts + at;
  made->operand_count = count - at;
  return true;
}

static int run(const command_scene *of, int count, char **texts) {
  words read;
  const char *const name = count > 1 ? texts[1] : "";
  if (strcmp(name, "--help") == 0) {
    command_say(of, "%s", usage);
    return COMMAND_OK;
  }
  const bool is_read = count > 1 && read_words(count - 2, texts + 2, &read);
  if (is_read && strcmp(name, "selftest") == 0 && read.operand_count == 0) {
    return command_selftest(of, read.cases, (uint64_t)read.seed);
  }
  if (is_read && strcmp(name, "bench") == 0 &&
      (read.operand_count == 0 || read.operand_count == 4)) {
    return command_bench(of, read.operand_count == 0 ? NULL : read.operands, &read.measure);
  }
  if (of->rank == 0) {
    fputs(usage, stderr);
  }
  return COMMAND_USAGE;
}

int main(int argument_count, char **arguments) {
  command_scene of = {.rank = 0};
  relayout_error error;
  MPI_Init(&argument_count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &of.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &of.ranks);
  /* A rank has a core, or what the machine gives it. */
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.threads = 1;
  int code = COMMAND_FAILURE;
  if (relayout_cpu_device_create(&options, &of.device, &error) == RELAYOUT_OK) {
    code = run(&of, argument_count, arguments);
  } else {
    fprintf(stderr, "relayout-mpi: %s\n", error.message);
  }
  relayout_device_destroy(of.device);
  MPI_Finalize();
  return code;
}
