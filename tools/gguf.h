/* gguf.h: what a GGUF file begins with, as llama.cpp and others write them.
 *
 * A file is a header, keys with values, a list of tensors, and their bytes, each tensor's at a
 * multiple of an alignment. A tensor's dimensions stand there from minor to major. Types whose
 * elements have scales, by blocks of 32 or more along the minor dimension, have no shape of XLA's:
 * they are told by the file's words, q8_0[2,64].
 *
 * Every function reports what is wrong. Depends on file_kind.h, safetensors.h, stream.h and
 * tensor_list.h. */
#ifndef TOOLS_GGUF_H
#define TOOLS_GGUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/shape.h"
#include "stream.h"
#include "tensor_list.h"

#define GGUF_ALIGNMENT_KEY "general.alignment"

/* Of files that are written, and of types of values. */
enum {
  GGUF_VERSION = 3,
  GGUF_MOST_RANK = 4, /* as the format has it */
  GGUF_DEFAULT_ALIGNMENT = 32,
  GGUF_LEAST_ALIGNMENT = 8,
  GGUF_U32 = 4,
  GGUF_STRING = 8,
  GGUF_ARRAY = 9
};

/* A type of tensors. */
typedef struct gguf_type {
  uint32_t number;
  const char *name;                   /* "BF16" as in .safetensors files; of blocks "q8_0" */
  relayout_element_type element_type; /* INVALID: its elements lie in blocks */
  uint32_t elements;                  /* of a block */
  uint32_t bytes;
} gguf_type;

/* A key with its value, by its place in the file. */
typedef struct gguf_pair {
  char *key;
  uint32_t type;
  uint64_t begin;
  uint64_t size;
  char *layout; /* the text of a tensor's layout; NULL for another value */
} gguf_pair;

typedef struct gguf_tensor {
  char *name;
  int32_t rank;
  int64_t dimensions[GGUF_MOST_RANK]; /* from major to minor */
  const gguf_type *type;
  uint64_t begin; /* of its bytes, counted from where tensors begin */
  uint64_t bytes;
} gguf_tensor;

typedef struct gguf {
  size_t pair_count;
  gguf_pair *pairs; /* in the order of the file */
  size_t tensor_count;
  gguf_tensor *tensors; /* likewise */
  uint64_t data;        /* where tensors begin */
} gguf;

/* Whether a file is one, by its name's end. */
bool gguf_is(const char *path);

/* The type of this name; NULL where there is none. */
const gguf_type *gguf_type_named(const char *name);

/* Reads all but the bytes of tensors, which are where they may be: inside the file, if that tells
 * its size, aligned, and apart from each other. The caller ends it with gguf_free, also on
 * failure. */
exit_code gguf_read(stream_input *input, gguf *made);
void gguf_free(gguf *of);

/* Writes zeros until the file has a multiple of so many bytes, as it must behind each tensor. */
exit_code gguf_pad(stream_output *output, uint64_t alignment);

/* All tensors, for `relayout shape`. */
exit_code gguf_list(const char *path, tensor_list *made);

#endif
