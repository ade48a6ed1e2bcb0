/* arguments.h: what the words of a command line mean: options, operands, shapes, shardings,
 * devices, numbers. Every function reports what is wrong by itself. Depends on the public headers
 * and report.h. */
#ifndef TOOLS_ARGUMENTS_H
#define TOOLS_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command.h"
#include "relayout/relayout.h"

/* As many as a plan has parts at most. */
enum { ARGUMENTS_MOST_VALUES = 32 };

/* The values of an option that may be there more than once, in order. */
typedef struct arguments_values {
  const char *of[ARGUMENTS_MOST_VALUES];
  int32_t count;
} arguments_values;

/* The same for an option that may be there any number of times. Ends with arguments_free_list. */
typedef struct arguments_list {
  const char **of;
  size_t count;
} arguments_list;

/* `--name VALUE`, `--name=VALUE`, or a flag `--name`; exactly one of the four pointers is set. */
typedef struct arguments_option {
  const char *name; /* without the dashes */
  const char **value;
  arguments_values *values;
  bool *flag;
  arguments_list *list;
} arguments_option;

/* A word without dashes, at its place in order; `-` alone is such a word. */
typedef struct arguments_operand {
  const char *name; /* as the help writes it */
  const char **value;
} arguments_operand;

/* Sorts the words into options, which may stand anywhere before `--`, and operands, all of which
 * must be there. False when the command is over, with its exit code: `--help` printed the help, or
 * something was wrong and has been reported. */
bool arguments_parse(const command *of, int argument_count, char **arguments, size_t option_count,
                     const arguments_option *options, size_t operand_count,
                     const arguments_operand *operands, exit_code *code);

/* Prints all that there is to say of the command. */
void arguments_print_help(const command *of);

void arguments_free_list(arguments_list *list);

/* Whether the text is a layout alone, as in `{0,1:PD(3,5)}`. */
bool arguments_is_bare_layout(const char *text);

/* Reads a shape; `about` names it in messages. With `like`, a layout or an element type will do:
 * what the text does not say is that of `like`, as relayout_shape_parse_with_defaults has it, and
 * other dimensions than those of `like` are an error. */
exit_code arguments_read_shape(const char *about, const char *text, const relayout_shape *like,
                               relayout_shape *shape);

/* Reads a sharding that the shape can have; `about` names it in messages. */
exit_code arguments_read_sharding(const char *about, const char *text, const relayout_shape *shape,
                                  relayout_sharding *sharding);

/* One more than the greatest device that a valid sharding names; 0 where it names none. */
int64_t arguments_named_devices(const relayout_sharding *sharding);

/* Opens a device by name, with the kernels that --kernels asks for; NULL for those that it has
 * anyway. A name that cannot be one is no such device. */
exit_code arguments_open_device(const char *name, const char *kernels, relayout_device **device);

/* The same for work on host memory: `auto`, or NULL, is the CPU backend unless what it opens shares
 * the host's memory. */
exit_code arguments_open_host_device(const char *name, const char *kernels,
                                     relayout_device **device);

/* Reads `3,5` and the like: at most `capacity` numbers, none in empty text. Usage errors name the
 * option. */
exit_code arguments_read_integers(const char *option, const char *text, size_t capacity,
                                  int64_t *numbers, size_t *count);

/* Reads one number that is not negative. */
exit_code arguments_read_unsigned(const char *option, const char *text, uint64_t *number);

/* Reads one number of this range. */
exit_code arguments_read_count(const char *option, const char *text, uint64_t least, uint64_t most,
                               uint64_t *count);

/* Reads a number of bytes, as in 1000000, 512M or 2G, of this range. */
exit_code arguments_read_size(const char *option, const char *text, uint64_t least, uint64_t most,
                              uint64_t *bytes);

/* Reads a power of two, at most `most`. */
exit_code arguments_read_alignment(const char *option, const char *text, uint64_t most,
                                   uint64_t *alignment);

/* Reads a factor: a finite number other than 0, as in `0.125`, `-3` or `1e-2`. */
exit_code arguments_read_factor(const char *option, const char *text, double *factor);

/* Reads `zero` or `nearest`; NULL is zero. */
exit_code arguments_read_rounding(const char *option, const char *text,
                                  relayout_rounding *rounding);

/* Reads what --scale and --round, either of which may be NULL, and --wrap say of values. */
exit_code arguments_read_values(const char *scale, const char *rounding, bool wraps,
                                relayout_plan_options *options);

/* Reads `big` or `little`; NULL is the host's. */
exit_code arguments_read_byte_order(const char *option, const char *text,
                                    relayout_byte_order *order);

#endif
