/* convert_model.h: `relayout convert` of model files, some of whose tensors are relaid.
 * Depends on tensor_move.h and tensor_choice.h. */
#ifndef TOOLS_CONVERT_MODEL_H
#define TOOLS_CONVERT_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "arguments.h"
#include "tensor_choice.h"
#include "tensor_move.h"

/* The words of `relayout convert`; NULL for what was not there. */
typedef struct convert_request {
  const char *from;
  const char *to;
  record_form blocks; /* that `to` names, unless it is a shape, or a part of one */
  tensor_choice choice;
  const char *alignment_text;
  uint64_t alignment; /* of the tensors of a model that is written */
  const char *device;
  const char *kernels;
  const char *scale;
  const char *byte_order;
  const char *rounding;
  const char *input;
  const char *output;
  arguments_values schedules;
  bool raw; /* the input is, whatever its name and its first bytes say */
  bool wraps;
  bool specializes;
  bool verify;
  bool verbose;
} convert_request;

/* Whether a file is a model, or the index of one in several files, by its name's end. */
bool convert_model_is(const char *path);

/* Relays the tensors that are asked for and copies the others, or writes the only one that is asked
 * for as a file by itself. `like` has what all moves have in common. */
exit_code convert_model(const convert_request *asked, const tensor_move *like);

/* What a file begins with that has one tensor of this name, which `move` makes and packs as the
 * file has it; the caller frees it. */
exit_code convert_model_header(const convert_request *asked, const char *name, tensor_move *move,
                               char **bytes, size_t *size);

#endif
