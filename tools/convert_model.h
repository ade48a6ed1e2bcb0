/* convert_model.h: `relayout convert` of .safetensors files, some of whose tensors are relaid.
 * Depends on tensor_move.h and arguments.h. */
#ifndef TOOLS_CONVERT_MODEL_H
#define TOOLS_CONVERT_MODEL_H

#include <stdbool.h>

#include "arguments.h"
#include "tensor_move.h"

/* The words of `relayout convert`; NULL for what was not there. */
typedef struct convert_request {
  const char *from;
  const char *to;
  const char *tensors; /* their names, as shells match them */
  const char *device;
  const char *scale;
  const char *rounding;
  const char *input;
  const char *output;
  arguments_values schedules;
  bool wraps;
  bool verify;
  bool verbose;
} convert_request;

/* Whether a file is one, by its name's end. */
bool convert_model_is(const char *path);

/* Relays the tensors that are asked for and copies the others, or writes the only one that is asked
 * for as a file by itself. `like` has what all moves have in common. */
exit_code convert_model(const convert_request *asked, const tensor_move *like, stream_input *input);

#endif
