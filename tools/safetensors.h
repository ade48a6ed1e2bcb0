/* safetensors.h: the headers of .safetensors files on memory alone.
 *
 * A file is the header's size in 8 bytes, the lowest first; the header, a JSON object that names
 * each tensor's type, dimensions and place in what follows, and may hold texts under __metadata__;
 * and the tensors' bytes, without gaps. The format knows the descending layout only: how tensors of
 * other layouts lie is kept as a text of the metadata, relayout.layout.NAME, the tensor's shape.
 *
 * Nothing here does I/O; any bytes may be given. For one thread at a time. Depends on npy.h and on
 * json_text.h. */
#ifndef TOOLS_SAFETENSORS_H
#define TOOLS_SAFETENSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/shape.h"

/* What keys of tensors' layouts begin with. */
#define SAFETENSORS_LAYOUT_PREFIX "relayout.layout."

enum {
  SAFETENSORS_PREAMBLE_SIZE = 8,
  SAFETENSORS_MAX_HEADER_SIZE = 100 * 1000 * 1000, /* as the format has it */
  SAFETENSORS_LEAST_ALIGNMENT = 8                  /* of the tensors of a file that is written */
};

typedef struct safetensors_tensor {
  const char *name;  /* the header's */
  const char *dtype; /* in the file's words: "BF16" */
  int32_t rank;
  int64_t *dimensions; /* the header's own; NULL where there are none */
  uint64_t begin;      /* of its bytes, counted from the first tensor's */
  uint64_t end;
  size_t number; /* in the order of the bytes of the file that it was read from */
} safetensors_tensor;

typedef struct safetensors {
  size_t count;
  safetensors_tensor *tensors; /* in the order of their bytes */
  struct json_t *metadata;     /* texts by their names; NULL where there are none */
  struct json_t *root;         /* what names and types point into; a list of several */
} safetensors;

/* The size of a header from the file's first bytes, of a file of `file_size`.
 * RELAYOUT_INVALID_TEXT. */
relayout_status safetensors_header_size(const uint8_t bytes[SAFETENSORS_PREAMBLE_SIZE],
                                        uint64_t file_size, size_t *size, relayout_error *error);

/* Reads a whole header, without the preamble; `data_size` bytes follow it in the file, and each of
 * them must be one tensor's. The caller ends it with safetensors_free. RELAYOUT_INVALID_TEXT,
 * RELAYOUT_UNSUPPORTED for tensors of more than 64 dimensions, RELAYOUT_OUT_OF_MEMORY. */
relayout_status safetensors_parse(const char *text, size_t size, uint64_t data_size,
                                  safetensors *made, relayout_error *error);
void safetensors_free(safetensors *of);

/* Adds all tensors of a header to another one, which may be {0} and can then be changed: numbered
 * on, with their metadata, of which those stay that are there already. The caller ends both with
 * safetensors_free, in any order. RELAYOUT_OUT_OF_MEMORY, after which the other one is over. */
relayout_status safetensors_append(const safetensors *of, safetensors *made, relayout_error *error);

/* Adds a header's metadata alone, but for the layouts of its tensors, to another one, as above.
 * RELAYOUT_OUT_OF_MEMORY, after which the other one is over. */
relayout_status safetensors_append_metadata(const safetensors *of, safetensors *made,
                                            relayout_error *error);

/* Adds a tensor of this name, which must stay, and of this valid shape. RELAYOUT_INVALID_TEXT for
 * what cannot be a name; RELAYOUT_OUT_OF_MEMORY. */
relayout_status safetensors_add(safetensors *made, const char *name, const relayout_shape *shape,
                                relayout_error *error);

/* Adds a copy of a tensor as another kind of file has it, whose name and dtype must stay; and a
 * text to the metadata, unless it is no UTF-8. RELAYOUT_INVALID_TEXT for what cannot be a name;
 * RELAYOUT_OUT_OF_MEMORY. */
relayout_status safetensors_add_stored(safetensors *made, const safetensors_tensor *tensor,
                                       relayout_error *error);
relayout_status safetensors_add_text(safetensors *made, const char *key, const char *text,
                                     relayout_error *error);

/* Whether a key of the metadata is for a tensor's layout. */
bool safetensors_is_layout(const char *key);

/* The shape of a tensor, as the metadata has it, or as its type and dimensions say.
 * RELAYOUT_UNSUPPORTED for a type that XLA has not; RELAYOUT_SHAPE_MISMATCH for metadata that do
 * not go with the tensor, and what relayout_shape_parse returns. */
relayout_status safetensors_shape(const safetensors *of, const safetensors_tensor *tensor,
                                  relayout_shape *shape, relayout_error *error);

/* Whether the file has four elements in 3 bytes (six_bits.h) where the shape has a byte for each:
 * of this tensor, and of one that gets this valid shape. */
bool safetensors_packs(const safetensors_tensor *tensor);
bool safetensors_packs_shape(const relayout_shape *shape);

/* Makes the tensor one of this valid shape: its type and dimensions as a .npy file would have them
 * (npy_describe), and its size; its place stays to be found. The metadata name its shape where type
 * and dimensions do not say all of it. RELAYOUT_OUT_OF_MEMORY. */
relayout_status safetensors_set_shape(safetensors *of, safetensors_tensor *tensor,
                                      const relayout_shape *shape, relayout_error *error);

/* Makes the tensor one of another kind of file: of a dtype, which must stay, of as many dimensions
 * as `shape`, and of so many bytes. RELAYOUT_OUT_OF_MEMORY. */
relayout_status safetensors_set_stored(safetensors *of, safetensors_tensor *tensor,
                                       const char *dtype, const relayout_shape *shape,
                                       uint64_t size, relayout_error *error);

/* Finds places for all tensors, one behind the other as the format wants them: each at a multiple
 * of its elements' size, and where its own size is a multiple of `alignment`, a power of two, at a
 * multiple of that. They stay in the order in which they are unless that takes another: then those
 * come first whose sizes are multiples of the largest powers of two. */
void safetensors_place(safetensors *of, uint64_t alignment);

/* How many bytes all tensors take, once they have places. */
uint64_t safetensors_data_size(const safetensors *of);

/* The beginning of a file, preamble and header, of a multiple of `alignment` bytes, and of 8; the
 * caller frees it. RELAYOUT_OUT_OF_MEMORY. */
relayout_status safetensors_write(const safetensors *of, uint64_t alignment, char **bytes,
                                  size_t *size, relayout_error *error);

#endif
