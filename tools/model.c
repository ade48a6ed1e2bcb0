/* model.c: headers of model files, and the index that holds several of them together. */
#include "model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file_kind.h"
#include "gguf_header.h"
#include "json_text.h"

char *model_path_beside(const char *path, const char *name) {
  const char *const slash = strrchr(path, '/');
  const char *const folder = slash != NULL ? path : "./";
  const size_t length = slash != NULL ? (size_t)(slash - path) + 1 : strlen(folder);
  const size_t size = length + strlen(name) + 1;
  char *const made = malloc(size);
  if (made != NULL) {
    snprintf(made, size, "%.*s%s", (int)length, folder, name);
  }
  return made;
}

/* ---- One file ------------------------------------------------------------------------------- */

static exit_code read_gguf_header(model_file *file) {
  if (stream_remaining(&file->input) < 0) {
    return report(EXIT_CODE_FAILURE, "%s is not a regular file, which a .gguf file must be",
                  file->path);
  }
  file->is_gguf = true;
  const exit_code code = gguf_header_read(&file->input, &file->own, &file->header);
  file->data = (int64_t)file->own.data;
  return code;
}

static exit_code read_header(model_file *file) {
  relayout_error error;
  stream_input *const input = &file->input;
  uint8_t preamble[SAFETENSORS_PREAMBLE_SIZE] = {0};
  const int64_t file_size = stream_remaining(input);
  size_t size = 0;
  size_t got = 0;
  if (file_size < 0) {
    return report(EXIT_CODE_FAILURE, "%s is not a regular file, which a .safetensors file must be",
                  input->name);
  }
  exit_code code = stream_peek(input);
  if (code == EXIT_CODE_OK) {
    code = file_kind_check(input, FILE_KIND_SAFETENSORS);
  }
  if (code == EXIT_CODE_OK) {
    code = stream_read(input, preamble, sizeof preamble, &got);
  }
  if (code != EXIT_CODE_OK) {
    return code;
  }
  if (safetensors_header_size(preamble, (uint64_t)file_size, &size, &error) != RELAYOUT_OK) {
    return report_error(input->name, &error);
  }
  file->data = SAFETENSORS_PREAMBLE_SIZE + (int64_t)size;
  uint8_t *text = NULL;
  code = stream_read_all(input, size, &text, &got);
  const uint64_t data_size = (uint64_t)file_size - SAFETENSORS_PREAMBLE_SIZE - size;
  if (code == EXIT_CODE_OK &&
      safetensors_parse((const char *)text, got, data_size, &file->header, &error) != RELAYOUT_OK) {
    code = report_error(input->name, &error);
  }
  free(text);
  return code;
}

/* Adds a file to the model and reads its header. The path is the model's from then on. */
static exit_code open_file(model *made, const char *name, char *path) {
  model_file *const grown = realloc(made->files, (made->file_count + 1) * sizeof *grown);
  char *const own_name = strdup(name);
  if (grown == NULL || own_name == NULL || path == NULL) {
    made->files = grown != NULL ? grown : made->files;
    free(own_name);
    free(path);
    return report(EXIT_CODE_FAILURE, "no memory for the name of %s", name);
  }
  made->files = grown;
  model_file *const file = &grown[made->file_count];
  *file = (model_file){.name = own_name, .path = path, .first = made->tensor_count};
  made->file_count += 1;
  exit_code code = stream_open(file->path, &file->input);
  if (code == EXIT_CODE_OK) {
    file->is_open = true;
    code = gguf_is(path) ? read_gguf_header(file) : read_header(file);
  }
  made->tensor_count += file->header.count;
  return code;
}

/* ---- A file that is written ----------------------------------------------------------------- */

exit_code model_place(const char *path, safetensors *header, uint64_t alignment) {
  if (gguf_is(path)) {
    return gguf_header_place(header, alignment);
  }
  safetensors_place(header, alignment);
  return EXIT_CODE_OK;
}

exit_code model_header_bytes(const char *path, const safetensors *header, uint64_t alignment,
                             char **bytes, size_t *size) {
  relayout_error error;
  uint64_t whole;
  if (gguf_is(path)) {
    return gguf_header_write(header, alignment, NULL, bytes, size, &whole);
  }
  return safetensors_write(header, alignment, bytes, size, &error) == RELAYOUT_OK
             ? EXIT_CODE_OK
             : report_error(path, &error);
}

/* From file to file, byte for byte. */
static exit_code copy_pairs(model_file *kept, stream_output *output) {
  exit_code code = EXIT_CODE_OK;
  for (size_t i = 0; i < kept->own.pair_count && code == EXIT_CODE_OK; i++) {
    const gguf_pair *const pair = &kept->own.pairs[i];
    if (gguf_header_keeps(pair)) {
      code = stream_seek(&kept->input, (int64_t)pair->begin);
      code = code == EXIT_CODE_OK ? stream_copy(&kept->input, (int64_t)pair->size, output) : code;
    }
  }
  return code;
}

static exit_code write_keeping(const safetensors *header, uint64_t alignment, model_file *kept,
                               stream_output *output, size_t *size) {
  char *bytes = NULL;
  size_t own_size = 0;
  uint64_t whole = 0;
  exit_code code = gguf_header_write(header, alignment, &kept->own, &bytes, &own_size, &whole);
  if (code == EXIT_CODE_OK) {
    code = stream_write(output, bytes, GGUF_HEADER_KEPT_PLACE);
  }
  if (code == EXIT_CODE_OK) {
    code = copy_pairs(kept, output);
  }
  if (code == EXIT_CODE_OK) {
    code = stream_write(output, bytes + GGUF_HEADER_KEPT_PLACE, own_size - GGUF_HEADER_KEPT_PLACE);
  }
  free(bytes);
  *size = (size_t)whole;
  return code;
}

exit_code model_write_header(const char *path, const safetensors *header, uint64_t alignment,
                             model_file *kept, stream_output *output, size_t *size) {
  if (gguf_is(path) && kept != NULL && kept->is_gguf) {
    return write_keeping(header, alignment, kept, output, size);
  }
  char *bytes = NULL;
  exit_code code = model_header_bytes(path, header, alignment, &bytes, size);
  if (code == EXIT_CODE_OK) {
    code = stream_write(output, bytes, *size);
  }
  free(bytes);
  return code;
}

/* ---- An index ------------------------------------------------------------------------------- */

static exit_code read_index(const char *path, json_t **index) {
  stream_input input;
  exit_code code = stream_open(path, &input);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  const int64_t size = stream_remaining(&input);
  uint8_t *text = NULL;
  size_t got = 0;
  relayout_error error;
  if (size < 0) {
    code = report(EXIT_CODE_FAILURE, "%s is not a regular file, which an index must be", path);
  } else if (size > SAFETENSORS_MAX_HEADER_SIZE) {
    code = report(EXIT_CODE_BAD_INPUT,
                  "%s is too large for an index: it has %" PRId64 " bytes, more than %d", path,
                  size, SAFETENSORS_MAX_HEADER_SIZE);
  } else {
    code = stream_read_all(&input, (size_t)size, &text, &got);
  }
  if (code == EXIT_CODE_OK &&
      json_text_read((const char *)text, got, index, &error) != RELAYOUT_OK) {
    code = report_error(path, &error);
  }
  free(text);
  stream_close(&input);
  return code;
}

/* A file of an index lies beside it, and nowhere else. */
static bool is_file_name(const char *name) {
  return name[0] != '\0' && strchr(name, '/') == NULL && strcmp(name, ".") != 0 &&
         strcmp(name, "..") != 0;
}

static exit_code check_entry(const char *path, const char *tensor, const json_t *file) {
  if (!json_is_string(file)) {
    return report(EXIT_CODE_BAD_INPUT, "%s: weight_map names no file for tensor '%s'", path,
                  tensor);
  }
  if (!is_file_name(json_string_value(file))) {
    return report(EXIT_CODE_BAD_INPUT,
                  "%s: weight_map has tensor '%s' in '%s', which is not the name of a file beside "
                  "the index",
                  path, tensor, json_string_value(file));
  }
  return EXIT_CODE_OK;
}

/* Opens the files in the order in which the index names them. */
static exit_code open_files(model *made, const json_t *map) {
  json_t *const seen = json_object();
  exit_code code = EXIT_CODE_OK;
  const char *tensor;
  json_t *file;
  json_object_foreach((json_t *)(uintptr_t)map, tensor, file) {
    code = check_entry(made->path, tensor, file);
    if (code != EXIT_CODE_OK) {
      break;
    }
    const char *const name = json_string_value(file);
    if (json_object_get(seen, name) != NULL) {
      continue;
    }
    code = json_object_set_new(seen, name, json_true()) == 0
               ? open_file(made, name, model_path_beside(made->path, name))
               : report(EXIT_CODE_FAILURE, "no memory for the files of %s", made->path);
    if (code != EXIT_CODE_OK) {
      break;
    }
  }
  json_decref(seen);
  return code;
}

/* That the file's tensors are those that the index has in it; `seen` becomes their names. */
static exit_code check_file(const model *of, const json_t *map, const model_file *file,
                            json_t *seen) {
  for (size_t i = 0; i < file->header.count; i++) {
    const char *const name = file->header.tensors[i].name;
    const char *const place = json_string_value(json_object_get(map, name));
    if (place == NULL) {
      return report(EXIT_CODE_BAD_INPUT, "%s has tensor '%s', which %s does not list", file->path,
                    name, of->path);
    }
    if (strcmp(place, file->name) != 0) {
      return report(EXIT_CODE_BAD_INPUT, "%s has tensor '%s', which %s lists in %s", file->path,
                    name, of->path, place);
    }
    if (json_object_set_new(seen, name, json_true()) != 0) {
      return report(EXIT_CODE_FAILURE, "no memory for the tensors of %s", of->path);
    }
  }
  return EXIT_CODE_OK;
}

static exit_code check_files(const model *of, const json_t *map) {
  json_t *const seen = json_object();
  exit_code code = EXIT_CODE_OK;
  for (size_t i = 0; i < of->file_count && code == EXIT_CODE_OK; i++) {
    code = check_file(of, map, &of->files[i], seen);
  }
  const char *tensor;
  json_t *file;
  json_object_foreach((json_t *)(uintptr_t)map, tensor, file) {
    if (code == EXIT_CODE_OK && json_object_get(seen, tensor) == NULL) {
      code = report(EXIT_CODE_BAD_INPUT, "%s has no tensor '%s', which %s lists in it",
                    json_string_value(file), tensor, of->path);
    }
  }
  json_decref(seen);
  return code;
}

static exit_code open_index(model *made) {
  exit_code code = read_index(made->path, &made->index);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  const json_t *const map = json_object_get(made->index, "weight_map");
  const json_t *const metadata = json_object_get(made->index, "metadata");
  if (!json_is_object(map) || (metadata != NULL && !json_is_object(metadata))) {
    return report(EXIT_CODE_BAD_INPUT, "%s is not an index of a model: its %s is not a JSON object",
                  made->path, json_is_object(map) ? "metadata" : "weight_map");
  }
  code = open_files(made, map);
  return code == EXIT_CODE_OK ? check_files(made, map) : code;
}

/* ---- Both ----------------------------------------------------------------------------------- */

exit_code model_open(const char *path, model *made) {
  *made = (model){.path = path};
  return model_is_index(path) ? open_index(made) : open_file(made, path, strdup(path));
}

void model_close(model *of) {
  for (size_t i = 0; i < of->file_count; i++) {
    model_file *const file = &of->files[i];
    if (file->is_open) {
      stream_close(&file->input);
    }
    safetensors_free(&file->header);
    gguf_free(&file->own);
    free(file->name);
    free(file->path);
  }
  free(of->files);
  json_decref(of->index);
  *of = (model){.path = of->path};
}

/* As "Q3[2,3]", of a type that no shape has. */
static void describe(const safetensors_tensor *tensor, size_t capacity, char *text) {
  size_t length = (size_t)snprintf(text, capacity, "%s[", tensor->dtype);
  for (int32_t i = 0; i < tensor->rank && length < capacity; i++) {
    length += (size_t)snprintf(text + length, capacity - length, "%s%" PRId64, i > 0 ? "," : "",
                               tensor->dimensions[i]);
  }
  if (length < capacity) {
    snprintf(text + length, capacity - length, "]");
  }
}

exit_code model_list(const char *path, tensor_list *made) {
  model of;
  exit_code code = model_open(path, &of);
  for (size_t i = 0; i < of.tensor_count && code == EXIT_CODE_OK; i++) {
    const model_file *file = of.files;
    while (i - file->first >= file->header.count) {
      file += 1;
    }
    const safetensors_tensor *const tensor = &file->header.tensors[i - file->first];
    char text[RELAYOUT_SHAPE_TEXT_SIZE];
    relayout_shape shape;
    relayout_error error;
    const relayout_status status = safetensors_shape(&file->header, tensor, &shape, &error);
    const bool has_shape = status == RELAYOUT_OK;
    if (has_shape) {
      relayout_shape_format(&shape, text, sizeof text);
    } else {
      describe(tensor, sizeof text, text);
    }
    code = has_shape || status == RELAYOUT_UNSUPPORTED
               ? tensor_list_add(made, tensor->name, has_shape ? text : NULL,
                                 has_shape ? NULL : text, tensor->end - tensor->begin)
               : report_error(file->path, &error);
  }
  model_close(&of);
  return code;
}
