/* convert_model.c: a model file is read once for its header, and once for its tensors, in the order
 * in which they go out. */
#include "convert_model.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npy_source.h"
#include "safetensors.h"

typedef struct model {
  safetensors old; /* as the input has them */
  safetensors new; /* as the output will */
  int64_t data;    /* where the input's tensors begin */
  size_t asked;    /* how many are relaid */
} model;

static bool has_suffix(const char *path, const char *suffix) {
  const size_t length = strlen(path);
  const size_t size = strlen(suffix);
  return length >= size && strcmp(path + length - size, suffix) == 0;
}

bool convert_model_is(const char *path) {
  return has_suffix(path, ".safetensors");
}

static bool is_asked(const convert_request *asked, const safetensors_tensor *tensor) {
  return fnmatch(asked->tensors, tensor->name, 0) == 0;
}

/* ---- Reading -------------------------------------------------------------------------------- */

static exit_code read_header(stream_input *input, model *made) {
  relayout_error error;
  uint8_t preamble[SAFETENSORS_PREAMBLE_SIZE] = {0};
  const int64_t file_size = stream_remaining(input);
  size_t size = 0;
  size_t got = 0;
  if (file_size < 0) {
    return report(EXIT_CODE_FAILURE, "%s is no regular file, which a .safetensors file has to be",
                  input->name);
  }
  exit_code code = stream_read(input, preamble, sizeof preamble, &got);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  if (safetensors_header_size(preamble, (uint64_t)file_size, &size, &error) != RELAYOUT_OK) {
    return report_error(input->name, &error);
  }
  made->data = SAFETENSORS_PREAMBLE_SIZE + (int64_t)size;
  uint8_t *text = NULL;
  code = stream_read_all(input, size, &text, &got);
  const uint64_t data_size = (uint64_t)file_size - SAFETENSORS_PREAMBLE_SIZE - size;
  if (code == EXIT_CODE_OK &&
      (safetensors_parse((const char *)text, got, data_size, &made->old, &error) != RELAYOUT_OK ||
       safetensors_copy(&made->old, &made->new, &error) != RELAYOUT_OK)) {
    code = report_error(input->name, &error);
  }
  free(text);
  return code;
}

/* Says what there is where nothing of it was asked for. */
static exit_code fail_names(const convert_request *asked, const safetensors *of) {
  char names[256] = "";
  size_t length = 0;
  for (size_t i = 0; i < of->count && length < sizeof names; i++) {
    length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", i > 0 ? ", " : "",
                               of->tensors[i].name);
  }
  const char *const rest = length < sizeof names ? "" : " ...";
  if (asked->tensors == NULL) {
    return report(EXIT_CODE_USAGE, "--tensor is missing: %s has %zu tensors: %s%s", asked->input,
                  of->count, names, rest);
  }
  return report(EXIT_CODE_BAD_INPUT, "--tensor '%s' is none of the %zu tensors of %s: %s%s",
                asked->tensors, of->count, asked->input, names, rest);
}

/* ---- Shapes --------------------------------------------------------------------------------- */

/* What the tensor is, and what it shall be. */
static exit_code read_shapes(const convert_request *asked, const safetensors *of,
                             const safetensors_tensor *tensor, tensor_move *move) {
  relayout_error error;
  relayout_shape stored;
  if (safetensors_shape(of, tensor, &stored, &error) != RELAYOUT_OK) {
    return report_error(asked->input, &error);
  }
  char about[128];
  move->from = stored;
  exit_code code = EXIT_CODE_OK;
  if (asked->from != NULL && arguments_is_bare_layout(asked->from)) {
    npy_header array = {.rank = tensor->rank};
    for (int32_t i = 0; i < tensor->rank; i++) {
      array.dimensions[i] = tensor->dimensions[i];
    }
    code = npy_source_with_layout(asked->from, &array, stored.element_type, &move->from);
  } else if (asked->from != NULL) {
    code = arguments_read_shape("--from", asked->from, NULL, &move->from);
  }
  if (code == EXIT_CODE_OK) {
    snprintf(about, sizeof about, "--to for tensor '%s'", tensor->name);
    code = arguments_read_shape(about, asked->to, &move->from, &move->to);
  }
  size_t size = 0;
  relayout_shape_byte_size(&move->from, &size, NULL);
  if (code == EXIT_CODE_OK && size != tensor->end - tensor->begin) {
    code = report(EXIT_CODE_BAD_INPUT, "--from %s takes %zu bytes, but tensor '%s' of %s has %zu",
                  asked->from, size, tensor->name, asked->input,
                  (size_t)(tensor->end - tensor->begin));
  }
  return code;
}

/* ---- One tensor as a file ------------------------------------------------------------------- */

static exit_code extract(const convert_request *asked, const model *of, tensor_move *move,
                         stream_input *input, stream_output *output) {
  const safetensors_tensor *tensor = of->old.tensors;
  while (!is_asked(asked, tensor)) {
    tensor += 1;
  }
  exit_code code = read_shapes(asked, &of->old, tensor, move);
  if (code == EXIT_CODE_OK) {
    code = tensor_move_plan(move);
  }
  if (code == EXIT_CODE_OK) {
    code = stream_seek(input, of->data + (int64_t)tensor->begin);
  }
  if (code == EXIT_CODE_OK) {
    char bytes[NPY_MAX_WRITTEN_SIZE];
    npy_header header = npy_describe(&move->to);
    header.byte_order = move->to_order;
    const size_t size = has_suffix(asked->output, ".npy") ? npy_write(&header, bytes) : 0;
    code = tensor_move_run(move, input, false, bytes, size, output);
  }
  relayout_plan_destroy(move->plan);
  return code;
}

/* ---- A model -------------------------------------------------------------------------------- */

/* All that can be wrong with shapes is so before anything is written. */
static exit_code make_header(const convert_request *asked, model *of, const tensor_move *like) {
  for (size_t i = 0; i < of->new.count; i++) {
    safetensors_tensor *const tensor = &of->new.tensors[i];
    tensor_move move = *like;
    relayout_error error;
    if (!is_asked(asked, tensor)) {
      continue;
    }
    exit_code code = read_shapes(asked, &of->old, tensor, &move);
    if (code == EXIT_CODE_OK) {
      code = tensor_move_plan(&move);
    }
    relayout_plan_destroy(move.plan);
    if (code == EXIT_CODE_OK &&
        safetensors_set_shape(&of->new, tensor, &move.to, &error) != RELAYOUT_OK) {
      code = report_error(tensor->name, &error);
    }
    if (code != EXIT_CODE_OK) {
      return code;
    }
  }
  safetensors_place(&of->new);
  return EXIT_CODE_OK;
}

static exit_code write_tensor(const convert_request *asked, const model *of,
                              const safetensors_tensor *tensor, const tensor_move *like,
                              stream_input *input, stream_output *output) {
  exit_code code = stream_seek(input, of->data + (int64_t)tensor->begin);
  if (code != EXIT_CODE_OK || !is_asked(asked, tensor)) {
    return code == EXIT_CODE_OK ? stream_copy(input, (int64_t)(tensor->end - tensor->begin), output)
                                : code;
  }
  tensor_move move = *like;
  move.says = false;
  code = read_shapes(asked, &of->old, tensor, &move);
  if (code == EXIT_CODE_OK) {
    code = tensor_move_plan(&move);
  }
  if (code == EXIT_CODE_OK) {
    code = tensor_move_run(&move, input, false, NULL, 0, output);
  }
  relayout_plan_destroy(move.plan);
  return code;
}

static exit_code write_model(const convert_request *asked, model *of, const tensor_move *like,
                             stream_input *input, stream_output *output) {
  char *header = NULL;
  size_t size = 0;
  relayout_error error;
  exit_code code = make_header(asked, of, like);
  if (code == EXIT_CODE_OK && safetensors_write(&of->new, &header, &size, &error) != RELAYOUT_OK) {
    code = report_error(asked->output, &error);
  }
  if (code == EXIT_CODE_OK) {
    code = stream_write(output, header, size);
  }
  free(header);
  for (size_t i = 0; i < of->new.count &&code == EXIT_CODE_OK; i++) {
    code =
        write_tensor(asked, of, &of->old.tensors[of->new.tensors[i].number], like, input, output);
  }
  return code;
}

/* ---- Which of both -------------------------------------------------------------------------- */

static exit_code check_names(const convert_request *asked, model *of) {
  for (size_t i = 0; i < of->old.count && asked->tensors != NULL; i++) {
    of->asked += is_asked(asked, &of->old.tensors[i]);
  }
  if (of->asked == 0) {
    return fail_names(asked, &of->old);
  }
  if (of->asked > 1 && !convert_model_is(asked->output)) {
    return report(EXIT_CODE_USAGE,
                  "--tensor '%s' is %zu tensors of %s, of which %s can hold only one",
                  asked->tensors, of->asked, asked->input, asked->output);
  }
  return EXIT_CODE_OK;
}

static exit_code carry_out(const convert_request *asked, model *of, const tensor_move *like,
                           stream_input *input) {
  tensor_move move = *like;
  stream_output output;
  exit_code code = stream_create(asked->output, &output);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  code = convert_model_is(asked->output) ? write_model(asked, of, like, input, &output)
                                         : extract(asked, of, &move, input, &output);
  if (code == EXIT_CODE_OK) {
    return stream_commit(&output);
  }
  stream_abandon(&output);
  return code;
}

exit_code convert_model(const convert_request *asked, const tensor_move *like,
                        stream_input *input) {
  model of = {.data = 0};
  exit_code code = read_header(input, &of);
  if (code == EXIT_CODE_OK) {
    code = check_names(asked, &of);
  }
  if (code == EXIT_CODE_OK) {
    code = carry_out(asked, &of, like, input);
  }
  safetensors_free(&of.old);
  safetensors_free(&of.new);
  return code;
}
