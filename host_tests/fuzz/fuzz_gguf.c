/* fuzz_gguf.c: any bytes either are refused with a message, or are the beginning of a GGUF file
 * whose tensors lie where they may, and which is written as a header that reads the same.
 *
 * What the readers report is looked at here, in the place of tools/report.c and of the list of
 * tensors that they fill. */
#include <fcntl.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_target.h"
#include "gguf_header.h"
#include "promise.h"
#include "tensor_list.h"

enum { ALIGNMENT = 64, PATH_SIZE = 64 };

/* ---- What is reported ----------------------------------------------------------------------- */

exit_code report(exit_code code, const char *format, ...) {
  char text[8192];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  require(code != EXIT_CODE_OK && length > 0, "what fails has a message");
  return code;
}

exit_code report_error(const char *about, const relayout_error *error) {
  check_file_error(error->status, error);
  require(error->status != RELAYOUT_OUT_OF_MEMORY, "there is memory");
  return report(EXIT_CODE_BAD_INPUT, "%s: %s", about, error->message);
}

void report_line(const char *format, ...) {
  (void)format;
}

void report_set_tensor(const char *name) {
  (void)name;
}

exit_code tensor_list_add(tensor_list *list, const char *name, const char *text,
                          const char *own_text, uint64_t bytes) {
  require(name != NULL && text != NULL && text[0] != '\0' && own_text == NULL,
          "a tensor has a name and a text");
  require(bytes <= INT64_MAX, "63 bits count its bytes");
  ++list->count;
  return EXIT_CODE_OK;
}

/* ---- Files ---------------------------------------------------------------------------------- */

/* An open file without a name. */
static int new_file(void) {
  FILE *const file = tmpfile();
  const int copy = file != NULL ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 0) : -1;
  require(copy >= 0, "there is room for files");
  fclose(file);
  return copy;
}

static void write_at(int file, const void *bytes, size_t size, uint64_t place) {
  require(pwrite(file, bytes, size, (off_t)place) == (ssize_t)size, "there is room for files");
}

static stream_input input_of(int file) {
  require(lseek(file, 0, SEEK_SET) == 0, "a file has a beginning");
  return (stream_input){.name = "file", .file = file};
}

/* Bytes that come as through a pipe. */
typedef struct remaining {
  const uint8_t *at;
  size_t size;
} remaining;

static exit_code read_remaining(void *context, void *bytes, size_t size, size_t *got) {
  remaining *const of = context;
  *got = size < of->size ? size : of->size;
  if (*got > 0) {
    memcpy(bytes, of->at, *got);
  }
  of->at += *got;
  of->size -= *got;
  return EXIT_CODE_OK;
}

/* ---- Headers -------------------------------------------------------------------------------- */

static void check_places(const gguf *of, uint64_t size) {
  for (size_t i = 0; i < of->tensor_count; i++) {
    const gguf_tensor *const tensor = &of->tensors[i];
    require(tensor->rank >= 0 && tensor->rank <= GGUF_MOST_RANK, "the rank is in bounds");
    require(tensor->bytes <= INT64_MAX && tensor->begin <= INT64_MAX - tensor->bytes,
            "63 bits count all bytes");
    require(of->data <= size && tensor->begin + tensor->bytes <= size - of->data,
            "a tensor lies inside the file");
  }
  for (size_t i = 0; i < of->pair_count; i++) {
    require(of->pairs[i].size <= size && of->pairs[i].begin <= size - of->pairs[i].size,
            "a value lies inside the file");
  }
}

static void check_same(const safetensors *of, const safetensors *again) {
  require(of->count == again->count, "no tensor is lost");
  for (size_t i = 0; i < of->count; i++) {
    const safetensors_tensor *const a = &of->tensors[i], *const b = &again->tensors[i];
    require(strcmp(a->name, b->name) == 0 && strcmp(a->dtype, b->dtype) == 0 &&
                a->rank == b->rank && a->end - a->begin == b->end - b->begin,
            "a tensor is the same");
    for (int32_t d = 0; d < a->rank; d++) {
      require(a->dimensions[d] == b->dimensions[d], "of the same dimensions");
    }
  }
  require(json_object_size(of->metadata) == json_object_size(again->metadata) &&
              (json_object_size(of->metadata) == 0 || json_equal(of->metadata, again->metadata)),
          "texts are the same");
}

/* Writes the header with the pairs of the file that was read, and zeros for the tensors' bytes. */
static void write_and_read(const safetensors *of, const gguf *kept, const uint8_t *data, int file) {
  char *bytes = NULL;
  size_t size = 0;
  uint64_t whole = 0, end = 0;
  require(gguf_header_write(of, ALIGNMENT, kept, &bytes, &size, &whole) == EXIT_CODE_OK,
          "what has places is written");
  uint64_t place = GGUF_HEADER_KEPT_PLACE;
  require(ftruncate(file, 0) == 0, "a file can be emptied");
  write_at(file, bytes, GGUF_HEADER_KEPT_PLACE, 0);
  for (size_t i = 0; i < kept->pair_count; i++) {
    const gguf_pair *const pair = &kept->pairs[i];
    if (gguf_header_keeps(pair)) {
      write_at(file, data + pair->begin, (size_t)pair->size, place);
      place += pair->size;
    }
  }
  write_at(file, bytes + GGUF_HEADER_KEPT_PLACE, size - GGUF_HEADER_KEPT_PLACE, place);
  place += size - GGUF_HEADER_KEPT_PLACE;
  require(place == whole && whole % ALIGNMENT == 0, "the size is as it was said");
  for (size_t i = 0; i < of->count; i++) {
    end = of->tensors[i].end > end ? of->tensors[i].end : end;
  }
  require(ftruncate(file, (off_t)(whole + end)) == 0, "there is room for files");
  stream_input input = input_of(file);
  gguf again;
  safetensors header = {.count = 0};
  require(gguf_header_read(&input, &again, &header) == EXIT_CODE_OK, "what is written is read");
  require(again.data == whole, "tensors begin where it was said");
  check_same(of, &header);
  safetensors_free(&header);
  gguf_free(&again);
  free(bytes);
}

static void check_file(const uint8_t *data, size_t size, int file, int other) {
  stream_input input = input_of(file);
  gguf of;
  safetensors header = {.count = 0};
  const exit_code code = gguf_header_read(&input, &of, &header);
  require(code == EXIT_CODE_OK || code == EXIT_CODE_BAD_INPUT, "nothing but the input is wrong");
  if (code == EXIT_CODE_OK) {
    check_places(&of, size);
    if (gguf_header_place(&header, ALIGNMENT) == EXIT_CODE_OK) {
      write_and_read(&header, &of, data, other);
    }
  }
  safetensors_free(&header);
  gguf_free(&of);
}

/* Where nothing tells the file's size, tensors may be as large as 63 bits count. */
static void check_pipe(const uint8_t *data, size_t size) {
  remaining left = {data, size};
  stream_input input = {.name = "pipe", .file = -1, .source = {read_remaining, &left}};
  gguf of;
  safetensors header = {.count = 0};
  const exit_code code = gguf_header_read(&input, &of, &header);
  if (code == EXIT_CODE_OK && gguf_header_place(&header, ALIGNMENT) == EXIT_CODE_OK) {
    uint64_t end = 0;
    for (size_t i = 0; i < header.count; i++) {
      const safetensors_tensor *const tensor = &header.tensors[i];
      require(tensor->begin >= end && tensor->end >= tensor->begin && tensor->end <= INT64_MAX,
              "tensors that have places do not overlap");
      end = tensor->end;
    }
  }
  safetensors_free(&header);
  gguf_free(&of);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static int files[2] = {-1, -1};
  if (files[0] < 0) {
    files[0] = new_file();
    files[1] = new_file();
  }
  require(ftruncate(files[0], 0) == 0, "a file can be emptied");
  write_at(files[0], data, size, 0);
  check_file(data, size, files[0], files[1]);
  check_pipe(data, size);
  char path[PATH_SIZE];
  tensor_list list = {.count = 0};
  snprintf(path, sizeof path, "/proc/self/fd/%d", files[0]);
  (void)gguf_list(path, &list);
  return 0;
}
