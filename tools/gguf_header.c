/* gguf_header.c: between the keys and lists of GGUF files and jansson's values. */
#include "gguf_header.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char version_key[] = "general.quantization_version";

/* Of blocks, and as the format has it. */
enum { QUANTIZATION_VERSION = 2, MOST_KEY = 65535, MOST_NAME = 64 };

/* ---- Reading -------------------------------------------------------------------------------- */

/* Adds a key's text to the metadata. What is no UTF-8, or has a zero byte, no .safetensors file
 * could have. */
static exit_code add_text(stream_input *input, const gguf_pair *pair, uint64_t *left,
                          safetensors *header) {
  const uint64_t before = sizeof(uint64_t) + strlen(pair->key) + 4 + sizeof(uint64_t);
  const uint64_t length = pair->size - before;
  if (length > *left) {
    return report(EXIT_CODE_BAD_INPUT, "%s has more than %d bytes of texts before its tensors",
                  input->name, SAFETENSORS_MAX_HEADER_SIZE);
  }
  *left -= length;
  char *text = NULL;
  uint8_t *bytes = NULL;
  size_t got = 0;
  relayout_error error;
  exit_code code = stream_seek(input, (int64_t)(pair->begin + before));
  if (code == EXIT_CODE_OK) {
    code = stream_read_all(input, (size_t)length, &bytes, &got);
  }
  if (code == EXIT_CODE_OK && got == length) {
    text = realloc(bytes, (size_t)length + 1);
    bytes = text != NULL ? NULL : bytes;
    code = text != NULL ? EXIT_CODE_OK
                        : report(EXIT_CODE_FAILURE, "no memory for the texts of %s", input->name);
  }
  if (text != NULL) {
    text[length] = '\0';
    if (strlen(text) == length &&
        safetensors_add_text(header, pair->key, text, &error) != RELAYOUT_OK) {
      code = report_error(input->name, &error);
    }
  }
  free(bytes);
  free(text);
  return code;
}

static int compare_places(const void *a, const void *b) {
  const gguf_tensor *const left = *(const gguf_tensor *const *)a;
  const gguf_tensor *const right = *(const gguf_tensor *const *)b;
  if (left->begin != right->begin) {
    return left->begin < right->begin ? -1 : 1;
  }
  if (left->bytes != right->bytes) {
    return left->bytes < right->bytes ? -1 : 1;
  }
  return left < right ? -1 : left > right;
}

/* In the order of their bytes. */
static exit_code add_tensors(const char *path, const gguf *file, safetensors *header) {
  exit_code code = EXIT_CODE_OK;
  relayout_error error;
  const gguf_tensor **const order = calloc(file->tensor_count + 1, sizeof *order);
  if (order == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for the tensors of %s", path);
  }
  for (size_t i = 0; i < file->tensor_count; i++) {
    order[i] = &file->tensors[i];
  }
  qsort(order, file->tensor_count, sizeof *order, compare_places);
  for (size_t i = 0; i < file->tensor_count && code == EXIT_CODE_OK; i++) {
    const gguf_tensor *const tensor = order[i];
    const safetensors_tensor stored = {.name = tensor->name,
                                       .dtype = tensor->type->name,
                                       .rank = tensor->rank,
                                       .dimensions = (int64_t *)(uintptr_t)tensor->dimensions,
                                       .begin = tensor->begin,
                                       .end = tensor->begin + tensor->bytes};
    if (safetensors_add_stored(header, &stored, &error) != RELAYOUT_OK) {
      code = report_error(path, &error);
    }
  }
  free(order);
  return code;
}

exit_code gguf_header_read(stream_input *input, gguf *file, safetensors *header) {
  uint64_t left = SAFETENSORS_MAX_HEADER_SIZE;
  exit_code code = gguf_read(input, file);
  for (size_t i = 0; i < file->pair_count && code == EXIT_CODE_OK; i++) {
    if (file->pairs[i].type == GGUF_STRING) {
      code = add_text(input, &file->pairs[i], &left, header);
    }
  }
  return code == EXIT_CODE_OK ? add_tensors(input->name, file, header) : code;
}

bool gguf_header_has_blocks(const safetensors_tensor *tensor) {
  const gguf_type *const type = gguf_type_named(tensor->dtype);
  return type != NULL && type->element_type == RELAYOUT_ELEMENT_TYPE_INVALID;
}

/* ---- Placing -------------------------------------------------------------------------------- */

/* Whether it has as many bytes as its type and dimensions say: a .safetensors file may give a type
 * that it has not the same name. */
static bool has_size(const safetensors_tensor *tensor, const gguf_type *type, uint64_t size) {
  const int64_t minor = tensor->rank > 0 ? tensor->dimensions[tensor->rank - 1] : 1;
  uint64_t bytes = type->bytes;
  bool fits = minor % type->elements == 0;
  for (int32_t d = 0; d < tensor->rank && fits; d++) {
    const int64_t count = tensor->dimensions[d] / (d == tensor->rank - 1 ? type->elements : 1);
    fits = !__builtin_mul_overflow(bytes, (uint64_t)count, &bytes);
  }
  return fits && bytes == size;
}

static exit_code check_tensor(const safetensors_tensor *tensor, uint64_t size) {
  const gguf_type *const type = gguf_type_named(tensor->dtype);
  if (strlen(tensor->name) > MOST_NAME) {
    return report(EXIT_CODE_BAD_INPUT,
                  "it has a name of %zu bytes, but .gguf files have names of at most %d",
                  strlen(tensor->name), MOST_NAME);
  }
  if (type == NULL || !has_size(tensor, type, size)) {
    return report(EXIT_CODE_BAD_INPUT,
                  "it would be stored as %s, a type that .gguf files have not; choose it by "
                  "--tensor, with one in --to that they have: f32, f16, bf16, f64, s8 to s64",
                  tensor->dtype);
  }
  if (tensor->rank > GGUF_MOST_RANK) {
    return report(EXIT_CODE_BAD_INPUT,
                  "it would be stored with %d dimensions, but .gguf files have at most %d; a "
                  ".safetensors OUT may have more",
                  tensor->rank, GGUF_MOST_RANK);
  }
  return EXIT_CODE_OK;
}

exit_code gguf_header_place(safetensors *of, uint64_t alignment) {
  uint64_t begin = 0;
  exit_code code = EXIT_CODE_OK;
  for (size_t i = 0; i < of->count && code == EXIT_CODE_OK; i++) {
    safetensors_tensor *const tensor = &of->tensors[i];
    const uint64_t size = tensor->end - tensor->begin;
    tensor->begin = begin;
    tensor->end = begin + size;
    report_set_tensor(tensor->name);
    code = check_tensor(tensor, size);
    if (code == EXIT_CODE_OK &&
        (begin > INT64_MAX - alignment || size > INT64_MAX - alignment - begin)) {
      code = report(EXIT_CODE_BAD_INPUT, "it would end beyond what 63 bits count");
    }
    report_set_tensor(NULL);
    begin = (tensor->end + alignment - 1) / alignment * alignment;
  }
  return code;
}

/* ---- Writing -------------------------------------------------------------------------------- */

/* Bytes that grow. */
typedef struct header_bytes {
  char *of;
  size_t size;
  size_t capacity;
  bool has_failed; /* no memory for all of them */
} header_bytes;

static void put(header_bytes *to, const void *bytes, size_t size) {
  if (to->capacity - to->size < size) {
    const size_t capacity = 2 * to->capacity + size;
    char *const grown = to->has_failed ? NULL : realloc(to->of, capacity);
    if (grown == NULL) {
      to->has_failed = true;
      return;
    }
    to->of = grown;
    to->capacity = capacity;
  }
  memcpy(to->of + to->size, bytes, size);
  to->size += size;
}

/* The lowest byte first. */
static void put_number(header_bytes *to, size_t bytes, uint64_t number) {
  uint8_t digits[sizeof number];
  for (size_t i = 0; i < bytes; i++) {
    digits[i] = (uint8_t)(number >> 8 * i & 0xff);
  }
  put(to, digits, bytes);
}

static void put_text(header_bytes *to, const char *text) {
  put_number(to, sizeof(uint64_t), strlen(text));
  put(to, text, strlen(text));
}

static void put_u32(header_bytes *to, const char *key, uint32_t number) {
  put_text(to, key);
  put_number(to, sizeof(uint32_t), GGUF_U32);
  put_number(to, sizeof number, number);
}

bool gguf_header_keeps(const gguf_pair *pair) {
  return strcmp(pair->key, GGUF_ALIGNMENT_KEY) != 0 && !safetensors_is_layout(pair->key);
}

/* Whether blocks are there whose version no pair that is kept tells. */
static bool needs_version(const safetensors *of, const gguf *kept) {
  bool has_blocks = false;
  for (size_t i = 0; i < of->count; i++) {
    has_blocks = has_blocks || gguf_header_has_blocks(&of->tensors[i]);
  }
  for (size_t i = 0; kept != NULL && i < kept->pair_count; i++) {
    has_blocks = has_blocks && strcmp(kept->pairs[i].key, version_key) != 0;
  }
  return has_blocks;
}

/* All pairs but those that are kept; `count` becomes their number. */
static exit_code put_pairs(header_bytes *to, const safetensors *of, uint64_t alignment,
                           const gguf *kept, uint64_t *count) {
  const char *key;
  json_t *value;
  *count = 0;
  if (alignment != GGUF_DEFAULT_ALIGNMENT) {
    put_u32(to, GGUF_ALIGNMENT_KEY, (uint32_t)alignment);
    *count += 1;
  }
  if (needs_version(of, kept)) {
    put_u32(to, version_key, QUANTIZATION_VERSION);
    *count += 1;
  }
  json_object_foreach(of->metadata, key, value) {
    const bool is_own = strcmp(key, GGUF_ALIGNMENT_KEY) == 0 || strcmp(key, version_key) == 0;
    if (is_own || (kept != NULL && !safetensors_is_layout(key))) {
      continue;
    }
    if (strlen(key) > MOST_KEY) {
      return report(EXIT_CODE_BAD_INPUT,
                    "a key of the metadata has %zu bytes, but .gguf files have keys of at most %d",
                    strlen(key), MOST_KEY);
    }
    put_text(to, key);
    put_number(to, sizeof(uint32_t), GGUF_STRING);
    put_text(to, json_string_value(value));
    *count += 1;
  }
  return EXIT_CODE_OK;
}

static void put_tensor(header_bytes *to, const safetensors_tensor *tensor) {
  put_text(to, tensor->name);
  put_number(to, sizeof(uint32_t), (uint64_t)tensor->rank);
  for (int32_t d = tensor->rank; d-- > 0;) {
    put_number(to, sizeof(uint64_t), (uint64_t)tensor->dimensions[d]);
  }
  put_number(to, sizeof(uint32_t), gguf_type_named(tensor->dtype)->number);
  put_number(to, sizeof(uint64_t), tensor->begin);
}

/* Puts the beginning of all, which is of GGUF_HEADER_KEPT_PLACE bytes. */
static void put_beginning(header_bytes *to, uint64_t tensors, uint64_t pairs) {
  put(to, "GGUF", 4);
  put_number(to, sizeof(uint32_t), GGUF_VERSION);
  put_number(to, sizeof tensors, tensors);
  put_number(to, sizeof pairs, pairs);
}

exit_code gguf_header_write(const safetensors *of, uint64_t alignment, const gguf *kept,
                            char **bytes, size_t *size, uint64_t *whole) {
  header_bytes pairs = {.size = 0};
  header_bytes made = {.size = 0};
  uint64_t count = 0;
  uint64_t kept_size = 0;
  exit_code code = put_pairs(&pairs, of, alignment, kept, &count);
  for (size_t i = 0; kept != NULL && i < kept->pair_count; i++) {
    const bool is_kept = gguf_header_keeps(&kept->pairs[i]);
    count += is_kept;
    kept_size += is_kept ? kept->pairs[i].size : 0;
  }
  put_beginning(&made, of->count, count);
  put(&made, pairs.size > 0 ? pairs.of : "", pairs.size);
  for (size_t i = 0; i < of->count; i++) {
    put_tensor(&made, &of->tensors[i]);
  }
  while ((made.size + kept_size) % alignment != 0 && !made.has_failed) {
    put(&made, "", 1);
  }
  if (code == EXIT_CODE_OK && (pairs.has_failed || made.has_failed)) {
    code = report(EXIT_CODE_FAILURE, "no memory for a header of %zu tensors", of->count);
  }
  free(pairs.of);
  *bytes = made.of;
  *size = made.size;
  *whole = made.size + kept_size;
  if (code != EXIT_CODE_OK) {
    free(made.of);
    *bytes = NULL;
  }
  return code;
}
