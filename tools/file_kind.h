/* file_kind.h: what a file is by its first bytes, so that one of another kind is not taken for a
 * tensor's raw bytes. Depends on the C library alone. */
#ifndef TOOLS_FILE_KIND_H
#define TOOLS_FILE_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As many bytes as tell all kinds. */
enum { FILE_KIND_BYTES = 320 };

/* The kind of a file that begins with these bytes, with its article: "a GGUF file". NULL for bytes
 * that may be anything. `path` decides where bytes say too little: what ends in .onnx and begins
 * like a protocol buffer is an ONNX model. */
const char *file_kind_of(const char *path, const uint8_t *bytes, size_t size);

/* Whether a path ends so, in capitals or not. */
bool file_kind_has_suffix(const char *path, const char *suffix);

#endif
