/* gguf_header.h: what GGUF files begin with as a model has it, which is as .safetensors files do:
 * tensors with dtypes, which for elements in blocks are GGUF's names, and texts as metadata.
 *
 * Values that are no texts are not among the metadata: they go from file to file as they are. Every
 * function reports what is wrong. Depends on gguf.h and safetensors.h. */
#ifndef TOOLS_GGUF_HEADER_H
#define TOOLS_GGUF_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gguf.h"
#include "safetensors.h"

/* Where values of another file come among the bytes of a header. */
enum { GGUF_HEADER_KEPT_PLACE = 24 };

/* Reads a regular file from its beginning. The header's names are those of `file`; the caller ends
 * both, also on failure. */
exit_code gguf_header_read(stream_input *input, gguf *file, safetensors *header);

/* Whether the tensor's elements lie in blocks. */
bool gguf_header_has_blocks(const safetensors_tensor *tensor);

/* Finds places for all tensors in their order, each at a multiple of the alignment, and checks that
 * such a file can have them. */
exit_code gguf_header_place(safetensors *of, uint64_t alignment);

/* Whether a file that is written has this pair of the file that was read: the alignment and the
 * layouts are its own. */
bool gguf_header_keeps(const gguf_pair *pair);

/* The bytes before the tensors, which the caller frees; with the pairs that are kept of a file, or
 * with all metadata for NULL. The pairs themselves are left out: they belong behind the first
 * GGUF_HEADER_KEPT_PLACE bytes. `whole` is the size with them. */
exit_code gguf_header_write(const safetensors *of, uint64_t alignment, const gguf *kept,
                            char **bytes, size_t *size, uint64_t *whole);

#endif
