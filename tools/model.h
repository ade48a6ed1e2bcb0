/* model.h: a model as it is read: a .safetensors file, a .gguf file, or all files that a
 * model.safetensors.index.json names, taken as one; and the header of a file that is written.
 *
 * The index has a weight_map, which says of each tensor in which file beside it the tensor is, and
 * may have metadata. Every function reports what is wrong. Depends on safetensors.h, gguf.h
 * and stream.h. */
#ifndef TOOLS_MODEL_H
#define TOOLS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gguf.h"
#include "safetensors.h"
#include "stream.h"
#include "tensor_list.h"

typedef struct model_file {
  char *name; /* in its folder */
  char *path;
  stream_input input;
  bool is_open;
  safetensors header;
  bool is_gguf;
  gguf own;     /* what the header does not say, where it is */
  int64_t data; /* where its tensors begin */
  size_t first; /* how many tensors the files before it have */
} model_file;

typedef struct model {
  const char *path; /* of the file that was named */
  size_t file_count;
  model_file *files;
  size_t tensor_count;
  struct json_t *index; /* NULL for a file by itself */
} model;

/* Whether a file is a .safetensors file, or the index of several, by its name's end; gguf_is says
 * whether it is a .gguf file. */
bool model_is_file(const char *path);
bool model_is_index(const char *path);

/* Opens all files and reads their headers. The caller ends it with model_close, also on failure. */
exit_code model_open(const char *path, model *made);
void model_close(model *of);

/* Finds places for the tensors of a file of this path, and checks that a file of its kind can have
 * them. */
exit_code model_place(const char *path, safetensors *header, uint64_t alignment);

/* The bytes of the file's header; the caller frees it. */
exit_code model_header_bytes(const char *path, const safetensors *header, uint64_t alignment,
                             char **bytes, size_t *size);

/* Writes a file's header into `output`, whose path is `path`. `size` is how many bytes it has. A
 * .gguf file keeps the values of `kept`, if that is one too, or NULL. */
exit_code model_write_header(const char *path, const safetensors *header, uint64_t alignment,
                             model_file *kept, stream_output *output, size_t *size);

/* The path of a file in the folder of another; the caller frees it. NULL: no memory. */
char *model_path_beside(const char *path, const char *name);

/* The tensors, for `relayout shape`. */
exit_code model_list(const char *path, tensor_list *made);

#endif
