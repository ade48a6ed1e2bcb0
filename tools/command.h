/* command.h: one entry for each thing `relayout` can do. Each lives in the file of its name. */
#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H

#include "report.h"

typedef struct command {
  const char *name;
  const char *summary; /* one line, for `relayout --help` */
  const char *help;    /* what `relayout NAME --help` prints */
  /* and what it prints next, where a compiler need not take so long a string; or NULL */
  const char *more_help;
  /* Gets the words behind the command's name. */
  exit_code (*run)(int argument_count, char **arguments);
} command;

extern const command command_devices;
extern const command command_shape;
extern const command command_index;
extern const command command_emit;
extern const command command_shard;
extern const command command_explain;
extern const command command_convert;
extern const command command_bench;
extern const command command_selftest;
extern const command command_tune;

#endif
