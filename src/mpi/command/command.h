/* command.h: what the parts of the command relayout-mpi share. All ranks run the same words.
 * Depends on the public headers and MPI. */
#ifndef MPI_COMMAND_H
#define MPI_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "relayout/mpi.h"

/* Exit codes, as those of the command relayout. */
enum { COMMAND_OK = 0, COMMAND_FAILURE = 1, COMMAND_USAGE = 2, COMMAND_DIFFERENT = 3 };

typedef struct command_scene {
  int rank, ranks; /* of MPI_COMM_WORLD */
  relayout_device *device;
} command_scene;

/* Prints on rank 0 alone. */
void command_say(const command_scene *of, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Draws `cases` exchanges at random from `seed`, runs each twice, and compares the bytes of every
 * shard with those of the definition. */
int command_selftest(const command_scene *of, int64_t cases, uint64_t seed);

/* How reshards are measured: options of theirs are 0 for the defaults. */
typedef struct command_measure {
  int64_t rounds;
  int64_t message_bytes;
  int64_t depth;
} command_measure;

/* Measures one reshard, or those of a table where `words` is NULL: FROM, FROM_SHARDING, TO and
 * TO_SHARDING. */
int command_bench(const command_scene *of, char *const *words, const command_measure *how);

#endif
