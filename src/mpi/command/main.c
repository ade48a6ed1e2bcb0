/* main.c: the command relayout-mpi. */
#include <inttypes.h>
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

/* Rank 0 says what is wrong with the command line; false. */
static bool refuse(const command_scene *of, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse(const command_scene *of, const char *format, ...) {
  if (of->rank == 0) {
    va_list arguments;
    va_start(arguments, format);
    fputs("relayout-mpi: ", stderr);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n%s", usage);
  }
  return false;
}

/* Reads what follows the subcommand: options, which come first, and operands. */
static bool read_words(const command_scene *of, int count, char **texts, words *made) {
  *made = (words){.cases = 1000, .seed = 1, .measure = {.rounds = 7}};
  int at = 0;
  for (; at < count && strncmp(texts[at], "--", 2) == 0; at += 2) {
    int64_t *const number = number_of(texts[at], made);
    char *end = NULL;
    if (number == NULL) {
      return refuse(of, "unknown option '%s'", texts[at]);
    }
    if (at + 1 == count) {
      return refuse(of, "%s needs a number", texts[at]);
    }
    const int64_t most = number == &made->measure.depth ? INT32_MAX : INT64_MAX - 1;
    *number = strtoll(texts[at + 1], &end, 10);
    if (*number <= 0 || *number > most || *end != '\0') {
      return refuse(of, "%s is '%s'; expected 1 to %" PRId64, texts[at], texts[at + 1], most);
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
  const bool tests = strcmp(name, "selftest") == 0;
  if (!tests && strcmp(name, "bench") != 0) {
    if (count > 1) {
      refuse(of, "unknown subcommand '%s'", name);
    } else {
      refuse(of, "a subcommand is missing");
    }
    return COMMAND_USAGE;
  }
  if (!read_words(of, count - 2, texts + 2, &read)) {
    return COMMAND_USAGE;
  }
  if (read.operand_count != 0 && (tests || read.operand_count != 4)) {
    refuse(of, "%s takes no operands%s, not %d", name,
           tests ? "" : " or FROM FROM_SHARDING TO TO_SHARDING", read.operand_count);
    return COMMAND_USAGE;
  }
  return tests ? command_selftest(of, read.cases, (uint64_t)read.seed)
               : command_bench(of, read.operand_count == 0 ? NULL : read.operands, &read.measure);
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
  if (ferror(stdout)) {
    fputs("relayout-mpi: cannot write to standard output\n", stderr);
    code = COMMAND_FAILURE;
  }
  relayout_device_destroy(of.device);
  MPI_Finalize();
  return code;
}
