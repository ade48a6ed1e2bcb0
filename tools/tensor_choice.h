/* tensor_choice.h: which tensors of a file --tensor, --except and --rank mean. Depends on
 * arguments.h. */
#ifndef TOOLS_TENSOR_CHOICE_H
#define TOOLS_TENSOR_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "arguments.h"

typedef struct tensor_choice {
  arguments_list
      tensors; /* names, as shells match them; none: any, where there is another option */
  arguments_list exceptions;
  const char *rank_text; /* NULL: any */
  int32_t rank;
} tensor_choice;

/* Reads the rank from its text. */
exit_code tensor_choice_read(tensor_choice *made);

/* Whether any of the options is there. */
bool tensor_choice_is_made(const tensor_choice *choice);

/* Whether the pattern is this name, or matches it. */
bool tensor_choice_matches(const char *pattern, const char *name);

/* Whether a tensor of this name and rank is meant. */
bool tensor_choice_has(const tensor_choice *choice, const char *name, int32_t rank);

/* Whether --tensor has exactly this name, so that nothing else can have been meant. */
bool tensor_choice_names(const tensor_choice *choice, const char *name);

#endif
