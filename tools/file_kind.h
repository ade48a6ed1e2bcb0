/* file_kind.h: what a file is by its first bytes, so that one of another kind is not taken for a
 * tensor's raw bytes. Depends on stream.h. */
#ifndef TOOLS_FILE_KIND_H
#define TOOLS_FILE_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stream.h"

/* Kinds that are read. */
#define FILE_KIND_NPY         "a .npy file"
#define FILE_KIND_SAFETENSORS "a .safetensors file"
#define FILE_KIND_ZIP         "a zip archive (.npz, .pt, ...)"

/* The kind of a file that begins with these bytes, with its article: "a GGUF file". NULL for bytes
 * that may be anything. `path` decides where bytes say too little: what ends in .onnx and begins
 * like a protocol buffer is an ONNX model. */
const char *file_kind_of(const char *path, const uint8_t *bytes, size_t size);

/* Reports an input, which has been peeked into, that is known to be of another kind than the wanted
 * one; NULL wants raw bytes. */
exit_code file_kind_check(const stream_input *input, const char *wanted);

/* Whether a path ends so, in capitals or not. */
bool file_kind_has_suffix(const char *path, const char *suffix);

#endif
