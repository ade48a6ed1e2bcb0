/* gguf.h: the tensors that a GGUF file lists, as llama.cpp and others write them.
 *
 * A file is a header, keys with values, a list of tensors, and their bytes. A tensor's dimensions
 * stand there from minor to major. Types whose elements have scales, by blocks of 32 or 256 along
 * the minor dimension, have no shape of XLA's: they are told by the file's words, q8_0[2,64].
 *
 * Depends on file_kind.h, stream.h and tensor_list.h. */
#ifndef TOOLS_GGUF_H
#define TOOLS_GGUF_H

#include <stdbool.h>

#include "tensor_list.h"

/* Whether a file is one, by its name's end. */
bool gguf_is(const char *path);

/* All tensors. */
exit_code gguf_list(const char *path, tensor_list *made);

#endif
