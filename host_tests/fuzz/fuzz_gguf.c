/* fuzz_gguf.c: any file either is refused with a message that names it, or is of tensors that lie
 * in it, apart from each other. These can be listed, and are written as files that read as they
 * did.
 *
 * What is read are open files without names, under those of /dev/fd. The functions of report.h and
 * tensor_list.h are here, to see what they are told. */
#define _GNU_SOURCE /* memfd_create */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fail.h"
#include "fuzz_target.h"
#include "gguf_header.h"
#include "promise.h"

enum { MOST_NAME = 64, MOST_NESTING = 8, PATH_SIZE = 32, MOST_MESSAGE = 8192 };

/* ---- What the code under test is given, and tells ------------------------------------------- */

typedef struct model {
  gguf file;
  safetensors header;
} model;

static char message[MOST_MESSAGE]; /* the last one */
static const model *listed;

exit_code report(exit_code code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  hide_controls(message);
  check_file_message(message);
  return code;
}

exit_code report_error(const char *about, const relayout_error *error) {
  const bool is_memory = error->status == RELAYOUT_OUT_OF_MEMORY;
  return report(is_memory ? EXIT_CODE_FAILURE : EXIT_CODE_BAD_INPUT, "%s: %s", about,
                error->message);
}

void report_set_tensor(const char *name) {
  (void)name;
}

/* That a tensor that has a shape, also one that the metadata say, is listed with it. */
static void check_listed(const char *name, const char *text) {
  char expected[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_shape shape;
  for (size_t i = 0; i < listed->header.count; i++) {
    const safetensors_tensor *const tensor = &listed->header.tensors[i];
    if (strcmp(tensor->name, name) == 0 &&
        safetensors_shape(&listed->header, tensor, &shape, NULL) == RELAYOUT_OK) {
      relayout_shape_format(&shape, expected, sizeof expected);
      require(strcmp(text, expected) == 0, "a tensor is listed with its shape");
    }
  }
}

/* What stands in a list: a shape of as many bytes, or words of the file for blocks. */
exit_code tensor_list_add(tensor_list *list, const char *name, const char *text,
                          const char *own_text, uint64_t bytes) {
  relayout_shape shape;
  size_t size = 0;
  require(name != NULL && text != NULL && own_text == NULL, "a tensor is listed by one text");
  if (relayout_shape_parse(text, &shape, NULL) == RELAYOUT_OK) {
    require(relayout_shape_byte_size(&shape, &size, NULL) == RELAYOUT_OK && size == bytes,
            "a shape that is listed has the tensor's bytes");
  } else {
    char type[16];
    snprintf(type, sizeof type, "%.*s", (int)strcspn(text, "["), text);
    const gguf_type *const found = gguf_type_named(type);
    require(found != NULL && found->element_type == RELAYOUT_ELEMENT_TYPE_INVALID,
            "what is no shape names blocks");
  }
  check_listed(name, text);
  list->count += 1;
  return EXIT_CODE_OK;
}

static void check_refusal(exit_code code, const char *named) {
  char name[MOST_MESSAGE];
  snprintf(name, sizeof name, "%s", named);
  hide_controls(name);
  require(code == EXIT_CODE_BAD_INPUT, "what is refused is the file");
  require(strstr(message, name) != NULL, "the message names it");
}

/* An open file in memory, which is made once, of these bytes and zeros up to `size`; its path. */
static const char *file_of(const void *bytes, size_t count, uint64_t size) {
  static int file = -1;
  static char path[PATH_SIZE];
  file = file >= 0 ? file : memfd_create("gguf", MFD_CLOEXEC);
  require(file >= 0 && ftruncate(file, 0) == 0 && pwrite(file, bytes, count, 0) == (ssize_t)count &&
              ftruncate(file, (off_t)size) == 0,
          "there is room for files");
  snprintf(path, sizeof path, "/dev/fd/%d", file);
  return path;
}

/* ---- What is read --------------------------------------------------------------------------- */

/* Those of a file. */
typedef struct file_bytes {
  const uint8_t *at;
  size_t size;
} file_bytes;

static exit_code read_model(const char *path, model *made) {
  stream_input input;
  *made = (model){.header = {.count = 0}};
  require(stream_open(path, &input) == EXIT_CODE_OK, "there is a file");
  const exit_code code = gguf_header_read(&input, &made->file, &made->header);
  stream_close(&input);
  return code;
}

static void free_model(model *of) {
  safetensors_free(&of->header);
  gguf_free(&of->file);
}

/* That its bytes are those of its blocks. */
static void check_size(const gguf_tensor *of) {
  uint64_t bytes = of->type->bytes;
  require(of->rank >= 0 && of->rank <= GGUF_MOST_RANK, "a tensor has a rank");
  for (int32_t d = 0; d < of->rank; d++) {
    const uint64_t elements = d == of->rank - 1 ? of->type->elements : 1;
    require(of->dimensions[d] >= 0, "a dimension is a size");
    const uint64_t count = (uint64_t)of->dimensions[d] / elements;
    require(count * elements == (uint64_t)of->dimensions[d], "a tensor is of whole blocks");
    require(count == 0 || bytes <= INT64_MAX / count, "a tensor's bytes can be counted");
    bytes *= count;
  }
  require(of->rank > 0 || of->type->elements == 1, "a tensor is of whole blocks");
  require(bytes == of->bytes, "a tensor has the bytes of its blocks");
}

static void check_tensors(const gguf *of, uint64_t size) {
  for (size_t i = 0; i < of->tensor_count; i++) {
    const gguf_tensor *const tensor = &of->tensors[i];
    require(gguf_type_named(tensor->type->name) == tensor->type, "a tensor is of a known type");
    check_size(tensor);
    require(of->data <= size && tensor->begin <= size - of->data &&
                tensor->bytes <= size - of->data - tensor->begin,
            "a tensor lies in the file");
    for (size_t j = 0; j < i; j++) {
      const gguf_tensor *const other = &of->tensors[j];
      require(strcmp(tensor->name, other->name) != 0, "tensors have names of their own");
      require(tensor->bytes == 0 || other->bytes == 0 ||
                  tensor->begin + tensor->bytes <= other->begin ||
                  other->begin + other->bytes <= tensor->begin,
              "tensors lie apart from each other");
    }
  }
}

static uint64_t number_at(const file_bytes *of, uint64_t at, unsigned count) {
  uint64_t number = 0;
  require(count <= of->size && at <= of->size - count, "a value lies in the file");
  for (unsigned i = 0; i < count; i++) {
    number |= (uint64_t)of->at[at + i] << 8 * i;
  }
  return number;
}

/* Where a value ends that begins there. */
static uint64_t value_end(const file_bytes *of, uint64_t at, uint32_t type, int nesting) {
  if (type == GGUF_STRING) {
    return at + 8 + number_at(of, at, 8);
  }
  if (type == GGUF_ARRAY) {
    const uint32_t inner = (uint32_t)number_at(of, at, 4);
    const uint64_t count = number_at(of, at + 4, 8);
    uint64_t end = at + 12;
    require(nesting < MOST_NESTING, "lists are nested as deep as is read");
    for (uint64_t i = 0; i < count; i++) {
      end = value_end(of, end, inner, nesting + 1);
    }
    return end;
  }
  static const uint8_t logarithms[] = {0, 0, 1, 1, 2, 2, 2, 0, 0, 0, 3, 3, 3};
  require(type < sizeof logarithms, "a value is of a known type");
  const unsigned width = 1U << logarithms[type];
  number_at(of, at, width);
  return at + width;
}

/* A text that is among the metadata is that of the file. */
static void check_text(const file_bytes *of, const gguf_pair *pair, const json_t *metadata) {
  const json_t *const text = json_object_get(metadata, pair->key);
  const uint64_t at = pair->begin + 8 + strlen(pair->key) + 4;
  if (pair->type == GGUF_STRING && text != NULL) {
    require(json_string_length(text) == number_at(of, at, 8) &&
                memcmp(json_string_value(text), of->at + at + 8, json_string_length(text)) == 0,
            "a text is the file's");
  } else {
    require(text == NULL, "what is no text is not among the metadata");
  }
}

/* That pairs lie one behind the other before the tensors, each as long as its key and value. */
static void check_pairs(const model *read, const file_bytes *of) {
  uint64_t end = GGUF_HEADER_KEPT_PLACE;
  for (size_t i = 0; i < read->file.pair_count; i++) {
    const gguf_pair *const pair = &read->file.pairs[i];
    require(pair->begin == end, "a pair begins where another one ends");
    const size_t length = (size_t)number_at(of, end, 8);
    require(length == strlen(pair->key) && length < of->size - end - 8 &&
                memcmp(pair->key, of->at + end + 8, length) == 0,
            "a key is the file's");
    require(pair->type == number_at(of, end + 8 + length, 4), "a type is the file's");
    end = value_end(of, end + 8 + length + 4, pair->type, 0);
    require(pair->size == end - pair->begin, "a pair ends with its value");
    require(end <= of->size && end <= read->file.data, "a pair lies in the file");
    check_text(of, pair, read->header.metadata);
  }
}

/* That the header is of the file's tensors, in the order of their bytes. */
static void check_header(const model *of) {
  require(of->header.count == of->file.tensor_count, "the header has all tensors");
  for (size_t i = 0; i < of->header.count; i++) {
    const safetensors_tensor *const tensor = &of->header.tensors[i];
    const gguf_tensor *found = of->file.tensors;
    relayout_shape shape;
    relayout_error error;
    while (strcmp(found->name, tensor->name) != 0) {
      found += 1;
      require(found < of->file.tensors + of->file.tensor_count, "the header has no other tensors");
    }
    require(strcmp(tensor->dtype, found->type->name) == 0 && tensor->rank == found->rank &&
                tensor->begin == found->begin && tensor->end == found->begin + found->bytes,
            "a tensor is the file's");
    for (int32_t d = 0; d < tensor->rank; d++) {
      require(tensor->dimensions[d] == found->dimensions[d], "a tensor is the file's");
    }
    require(i == 0 || of->header.tensors[i - 1].end <= tensor->begin, "tensors are in order");
    const relayout_status status = safetensors_shape(&of->header, tensor, &shape, &error);
    if (status == RELAYOUT_OK) {
      require(relayout_shape_validate(&shape, NULL) == RELAYOUT_OK, "a shape is valid");
    } else {
      check_file_error(status, &error);
    }
  }
}

static void check_list(const char *path, const model *of) {
  tensor_list list = {.count = 0};
  listed = of;
  const exit_code code = gguf_list(path, &list);
  if (code == EXIT_CODE_OK) {
    require(list.count == of->file.tensor_count, "all tensors are listed");
  } else {
    require(list.count < of->file.tensor_count, "what is refused is a tensor");
    check_refusal(code, of->file.tensors[list.count].name);
  }
}

/* ---- What is written ------------------------------------------------------------------------ */

static void check_metadata(const model *of, const model *again, bool is_kept) {
  json_t *const before =
      of->header.metadata != NULL ? json_copy(of->header.metadata) : json_object();
  json_t *const after =
      again->header.metadata != NULL ? json_incref(again->header.metadata) : json_object();
  if (!is_kept) {
    json_object_del(before, "general.quantization_version");
  }
  require(json_equal(before, after), "what is written has the same texts");
  json_decref(before);
  json_decref(after);
}

static void check_again(const model *of, const model *again, bool is_kept) {
  require(again->header.count == of->header.count, "what is written has all tensors");
  for (size_t i = 0; i < of->header.count; i++) {
    const safetensors_tensor *const tensor = &of->header.tensors[i];
    const safetensors_tensor *const other = &again->header.tensors[i];
    require(strcmp(tensor->name, other->name) == 0 && strcmp(tensor->dtype, other->dtype) == 0 &&
                tensor->rank == other->rank && tensor->begin == other->begin &&
                tensor->end == other->end,
            "a tensor that is written is the same");
    for (int32_t d = 0; d < tensor->rank; d++) {
      require(tensor->dimensions[d] == other->dimensions[d], "what is written has its dimensions");
    }
  }
  size_t kept = 0;
  for (size_t i = 0; is_kept && i < of->file.pair_count; i++) {
    const gguf_pair *const pair = &of->file.pairs[i];
    if (gguf_header_keeps(pair)) {
      require(kept < again->file.pair_count, "what is written has all pairs");
      const gguf_pair *const other = &again->file.pairs[kept++];
      require(strcmp(pair->key, other->key) == 0 && pair->type == other->type &&
                  pair->size == other->size,
              "a pair that is written is the same");
    }
  }
  check_metadata(of, again, is_kept);
}

/* The bytes of a file with the pairs that are kept of `data`, which the caller frees. */
static char *with_pairs(const gguf *kept, const uint8_t *data, const char *bytes, size_t size,
                        uint64_t whole) {
  char *const made = malloc((size_t)whole);
  require(made != NULL && size >= GGUF_HEADER_KEPT_PLACE, "there is memory");
  size_t end = GGUF_HEADER_KEPT_PLACE;
  memcpy(made, bytes, end);
  for (size_t i = 0; kept != NULL && i < kept->pair_count; i++) {
    const gguf_pair *const pair = &kept->pairs[i];
    if (gguf_header_keeps(pair)) {
      memcpy(made + end, data + pair->begin, (size_t)pair->size);
      end += (size_t)pair->size;
    }
  }
  require(end + size - GGUF_HEADER_KEPT_PLACE == whole, "a header has the size that it tells");
  memcpy(made + end, bytes + GGUF_HEADER_KEPT_PLACE, size - GGUF_HEADER_KEPT_PLACE);
  return made;
}

static void write_and_read(model *of, const uint8_t *data, uint64_t alignment, bool is_kept) {
  const gguf *const kept = is_kept ? &of->file : NULL;
  char *bytes = NULL;
  size_t size = 0;
  uint64_t whole = 0;
  bool has_long_name = false;
  for (size_t i = 0; i < of->header.count; i++) {
    has_long_name = has_long_name || strlen(of->header.tensors[i].name) > MOST_NAME;
  }
  exit_code code = gguf_header_place(&of->header, alignment);
  require((code == EXIT_CODE_OK) == !has_long_name, "what was read has places, but for long names");
  if (code != EXIT_CODE_OK) {
    check_refusal(code, "names");
    return;
  }
  code = gguf_header_write(&of->header, alignment, kept, &bytes, &size, &whole);
  if (code != EXIT_CODE_OK) {
    check_refusal(code, "keys");
    return;
  }
  require(whole % alignment == 0, "tensors begin at a multiple of the alignment");
  const uint64_t end = of->header.count > 0 ? of->header.tensors[of->header.count - 1].end : 0;
  char *const made = with_pairs(kept, data, bytes, size, whole);
  model again;
  code = read_model(file_of(made, (size_t)whole, whole + end), &again);
  require(code == EXIT_CODE_OK, "what is written is read");
  require(again.file.data == whole, "tensors begin behind the header");
  check_again(of, &again, is_kept);
  free_model(&again);
  free(made);
  free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  model of;
  const char *const path = file_of(data, size, size);
  const exit_code code = read_model(path, &of);
  if (code == EXIT_CODE_OK) {
    check_pairs(&of, &(file_bytes){.at = data, .size = size});
    check_tensors(&of.file, size);
    check_header(&of);
    check_list(path, &of);
    write_and_read(&of, data, GGUF_DEFAULT_ALIGNMENT, true);
    write_and_read(&of, data, 2 * GGUF_DEFAULT_ALIGNMENT, false);
  } else {
    check_refusal(code, path);
  }
  free_model(&of);
  return 0;
}
