/* gguf.c: reads a GGUF file from its beginning to the end of its list, as it has no places. */
#include "gguf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file_kind.h"
#include "relayout/shape.h"
#include "safetensors.h"
#include "stream.h"

enum {
  MOST_NAME = 1 << 16,
  MOST_NESTING = 8,
};

/* X(number, name, element type, elements and bytes of a block): types of one element are XLA's, and
 * have the names that .safetensors files have for them. */
#define TYPES(X)                                                                                   \
  X(0, "F32", RELAYOUT_F32, 1, 4)                                                                  \
  X(1, "F16", RELAYOUT_F16, 1, 2)                                                                  \
  X(2, "q4_0", RELAYOUT_ELEMENT_TYPE_INVALID, 32, 18)                                              \
  X(3, "q4_1", RELAYOUT_ELEMENT_TYPE_INVALID, 32, 20)                                              \
  X(6, "q5_0", RELAYOUT_ELEMENT_TYPE_INVALID, 32, 22)                                              \
  X(7, "q5_1", RELAYOUT_ELEMENT_TYPE_INVALID, 32, 24)                                              \
  X(8, "q8_0", RELAYOUT_ELEMENT_TYPE_INVALID, 32, 34)                                              \
  X(9, "q8_1", RELAYOUT_ELEMENT_TYPE_INVALID, 32, 36)                                              \
  X(10, "q2_k", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 84)                                            \
  X(11, "q3_k", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 110)                                           \
  X(12, "q4_k", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 144)                                           \
  X(13, "q5_k", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 176)                                           \
  X(14, "q6_k", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 210)                                           \
  X(15, "q8_k", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 292)                                           \
  X(16, "iq2_xxs", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 66)                                         \
  X(17, "iq2_xs", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 74)                                          \
  X(18, "iq3_xxs", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 98)                                         \
  X(19, "iq1_s", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 50)                                           \
  X(20, "iq4_nl", RELAYOUT_ELEMENT_TYPE_INVALID, 32, 18)                                           \
  X(21, "iq3_s", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 110)                                          \
  X(22, "iq2_s", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 82)                                           \
  X(23, "iq4_xs", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 136)                                         \
  X(24, "I8", RELAYOUT_S8, 1, 1)                                                                   \
  X(25, "I16", RELAYOUT_S16, 1, 2)                                                                 \
  X(26, "I32", RELAYOUT_S32, 1, 4)                                                                 \
  X(27, "I64", RELAYOUT_S64, 1, 8)                                                                 \
  X(28, "F64", RELAYOUT_F64, 1, 8)                                                                 \
  X(29, "iq1_m", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 56)                                           \
  X(30, "BF16", RELAYOUT_BF16, 1, 2)                                                               \
  X(31, "q4_0_4_4", RELAYOUT_ELEMENT_TYPE_INVALID, 32, 18)                                         \
  X(32, "q4_0_4_8", RELAYOUT_ELEMENT_TYPE_INVALID, 32, 18)                                         \
  X(33, "q4_0_8_8", RELAYOUT_ELEMENT_TYPE_INVALID, 32, 18)                                         \
  X(34, "tq1_0", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 54)                                           \
  X(35, "tq2_0", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 66)                                           \
  X(39, "mxfp4", RELAYOUT_ELEMENT_TYPE_INVALID, 32, 17)                                            \
  X(40, "nvfp4", RELAYOUT_ELEMENT_TYPE_INVALID, 64, 36)                                            \
  X(41, "q1_0", RELAYOUT_ELEMENT_TYPE_INVALID, 128, 18)

static const gguf_type types[] = {
#define TYPE_ROW(number, name, element_type, elements, bytes)                                      \
  {number, name, element_type, elements, bytes},
    TYPES(TYPE_ROW)
#undef TYPE_ROW
};
enum { TYPE_COUNT = sizeof types / sizeof types[0] };

bool gguf_is(const char *path) {
  return file_kind_has_suffix(path, ".gguf");
}

static const gguf_type *find_type(uint32_t number) {
  for (size_t i = 0; i < TYPE_COUNT; i++) {
    if (types[i].number == number) {
      return &types[i];
    }
  }
  return NULL;
}

const gguf_type *gguf_type_named(const char *name) {
  for (size_t i = 0; i < TYPE_COUNT; i++) {
    if (strcmp(types[i].name, name) == 0) {
      return &types[i];
    }
  }
  return NULL;
}

/* ---- Reading -------------------------------------------------------------------------------- */

typedef struct reader {
  stream_input *input;
  gguf *made;
  uint32_t alignment; /* of tensors */
  uint64_t read;      /* bytes so far */
  uint8_t buffer[1 << 16];
  size_t begin, end; /* of what is in the buffer, and not taken yet */
  exit_code code;    /* of what failed */
} reader;

/* Always false. */
static bool fail(reader *in, const char *what) {
  if (in->code == EXIT_CODE_OK) {
    in->code = report(EXIT_CODE_BAD_INPUT, "%s is not a GGUF file that can be read: %s",
                      in->input->name, what);
  }
  return false;
}

/* Takes bytes, or passes over them where `bytes` is NULL. */
static bool take(reader *in, void *bytes, uint64_t size) {
  uint8_t *to = bytes;
  while (size > 0 && in->code == EXIT_CODE_OK) {
    if (in->begin == in->end) {
      in->begin = 0;
      in->code = stream_read(in->input, in->buffer, sizeof in->buffer, &in->end);
      if (in->end == 0) {
        return fail(in, "it ends early");
      }
    }
    const uint64_t there = in->end - in->begin;
    const size_t some = (size_t)(there < size ? there : size);
    if (to != NULL) {
      memcpy(to, in->buffer + in->begin, some);
      to += some;
    }
    in->begin += some;
    in->read += some;
    size -= some;
  }
  return in->code == EXIT_CODE_OK;
}

/* Numbers have their lowest byte first. */
static bool take_number(reader *in, size_t bytes, uint64_t *number) {
  uint8_t digits[8] = {0};
  *number = 0;
  if (!take(in, digits, bytes)) {
    return false;
  }
  for (size_t i = bytes; i-- > 0;) {
    *number = *number << 8 | digits[i];
  }
  return true;
}

static bool take_u32(reader *in, uint32_t *number) {
  uint64_t wide = 0;
  const bool is_taken = take_number(in, sizeof *number, &wide);
  *number = (uint32_t)wide;
  return is_taken;
}

/* A text, which the caller frees. */
static bool take_name(reader *in, char **name) {
  uint64_t length;
  *name = NULL;
  if (!take_number(in, sizeof length, &length)) {
    return false;
  }
  if (length > MOST_NAME) {
    return fail(in, "a name is longer than 65536 bytes");
  }
  *name = calloc((size_t)length + 1, 1);
  if (*name == NULL) {
    in->code = report(EXIT_CODE_FAILURE, "no memory for the names of %s", in->input->name);
    return false;
  }
  return take(in, *name, length) && (strlen(*name) == length || fail(in, "a name has a zero byte"));
}

/* ---- Keys and values ------------------------------------------------------------------------ */

/* Bytes of a value of this type; 0: it is no number. */
static uint64_t number_bytes(uint32_t type) {
  static const uint8_t bytes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return type < sizeof bytes ? bytes[type] : 0;
}

static bool pass_values(reader *in, uint32_t type, uint64_t count, int nesting) {
  const uint64_t bytes = number_bytes(type);
  if (bytes > 0) {
    return count <= UINT64_MAX / bytes ? take(in, NULL, count * bytes)
                                       : fail(in, "a list is longer than the file");
  }
  if ((type != GGUF_STRING && type != GGUF_ARRAY) || nesting == MOST_NESTING) {
    return fail(in, "a value is of no known type");
  }
  for (uint64_t i = 0; i < count; i++) {
    uint32_t inner = 0;
    uint64_t length;
    if ((type == GGUF_ARRAY && !take_u32(in, &inner)) || !take_number(in, sizeof length, &length) ||
        !(type == GGUF_ARRAY ? pass_values(in, inner, length, nesting + 1)
                             : take(in, NULL, length))) {
      return false;
    }
  }
  return true;
}

/* Room for one more, in twice as much where there is none. False where there is no memory. */
static bool make_room(reader *in, void **list, size_t count, size_t size) {
  const bool is_full = (count & (count - 1)) == 0; /* a power of two, or none */
  void *const grown = is_full ? realloc(*list, (count > 0 ? 2 * count : 1) * size) : *list;
  if (grown == NULL) {
    in->code = report(EXIT_CODE_FAILURE, "no memory for the header of %s", in->input->name);
    return false;
  }
  *list = grown;
  return true;
}

/* A text that may be a layout's: one with a zero byte is none, as it is no text of the metadata. */
static bool take_layout(reader *in, gguf_pair *pair) {
  uint64_t length;
  if (!take_number(in, sizeof length, &length)) {
    return false;
  }
  if (length < RELAYOUT_SHAPE_TEXT_SIZE) {
    pair->layout = calloc((size_t)length + 1, 1);
    if (pair->layout == NULL) {
      in->code = report(EXIT_CODE_FAILURE, "no memory for the header of %s", in->input->name);
      return false;
    }
  }
  if (!take(in, pair->layout, length)) {
    return false;
  }
  if (pair->layout != NULL && strlen(pair->layout) != length) {
    free(pair->layout);
    pair->layout = NULL;
  }
  return true;
}

static bool is_layout(const gguf_pair *pair) {
  return pair->type == GGUF_STRING &&
         strncmp(pair->key, SAFETENSORS_LAYOUT_PREFIX, strlen(SAFETENSORS_LAYOUT_PREFIX)) == 0;
}

/* A key, and where it and its value are. The value is passed over, but for the alignment. */
static bool take_pair(reader *in) {
  void *list = in->made->pairs;
  if (!make_room(in, &list, in->made->pair_count, sizeof(gguf_pair))) {
    return false;
  }
  in->made->pairs = list;
  gguf_pair *const pair = &in->made->pairs[in->made->pair_count++];
  *pair = (gguf_pair){.begin = in->read};
  bool is_taken = take_name(in, &pair->key) && take_u32(in, &pair->type);
  if (is_taken && strcmp(pair->key, GGUF_ALIGNMENT_KEY) == 0 && pair->type == GGUF_U32) {
    const uint32_t *const found = &in->alignment;
    is_taken = take_u32(in, &in->alignment) && ((*found > 0 && (*found & (*found - 1)) == 0) ||
                                                fail(in, "general.alignment is no power of two"));
  } else if (is_taken && strcmp(pair->key, GGUF_ALIGNMENT_KEY) == 0) {
    is_taken = fail(in, "general.alignment is no number of 32 bits without a sign");
  } else if (is_taken && is_layout(pair)) {
    is_taken = take_layout(in, pair);
  } else if (is_taken) {
    is_taken = pass_values(in, pair->type, 1, 0);
  }
  pair->size = in->read - pair->begin;
  return is_taken;
}

/* ---- Tensors -------------------------------------------------------------------------------- */

static bool fail_tensor(reader *in, const gguf_tensor *of, const char *what) {
  if (in->code == EXIT_CODE_OK) {
    in->code = report(EXIT_CODE_BAD_INPUT, "%s: tensor %s %s", in->input->name, of->name, what);
  }
  return false;
}

static bool count_bytes(reader *in, gguf_tensor *of) {
  const int64_t minor = of->rank > 0 ? of->dimensions[of->rank - 1] : 1;
  if (minor % of->type->elements != 0) {
    return fail_tensor(in, of, "has a minor dimension that is no multiple of its blocks");
  }
  of->bytes = of->type->bytes;
  uint64_t count = (uint64_t)minor / of->type->elements;
  for (int32_t d = 0; d < of->rank; d++) {
    const uint64_t factor = d == of->rank - 1 ? count : (uint64_t)of->dimensions[d];
    if (factor > 0 && of->bytes > INT64_MAX / factor) {
      return fail_tensor(in, of, "has more bytes than 64 bits count");
    }
    of->bytes *= factor;
  }
  return true;
}

static bool read_tensor(reader *in, gguf_tensor *made) {
  uint32_t rank, number;
  if (!take_name(in, &made->name) || !take_u32(in, &rank)) {
    return false;
  }
  if (rank > GGUF_MOST_RANK) {
    return fail_tensor(in, made, "has more than 4 dimensions");
  }
  made->rank = (int32_t)rank;
  for (uint32_t i = 0; i < rank; i++) {
    uint64_t size;
    if (!take_number(in, sizeof size, &size)) {
      return false;
    }
    if (size > INT64_MAX) {
      return fail_tensor(in, made, "has a dimension that 63 bits do not hold");
    }
    made->dimensions[rank - 1 - i] = (int64_t)size;
  }
  if (!take_u32(in, &number) || !take_number(in, sizeof made->begin, &made->begin)) {
    return false;
  }
  made->type = find_type(number);
  return made->type != NULL ? count_bytes(in, made)
                            : fail_tensor(in, made, "is of a type that is not known");
}

/* The tensor, which lies where it may. */
static bool take_tensor(reader *in) {
  void *list = in->made->tensors;
  if (!make_room(in, &list, in->made->tensor_count, sizeof(gguf_tensor))) {
    return false;
  }
  in->made->tensors = list;
  gguf_tensor *const tensor = &in->made->tensors[in->made->tensor_count++];
  *tensor = (gguf_tensor){.name = NULL};
  if (!read_tensor(in, tensor)) {
    return false;
  }
  if (tensor->begin % in->alignment != 0) {
    return fail_tensor(in, tensor, "begins at no multiple of the alignment");
  }
  return tensor->begin <= INT64_MAX - tensor->bytes ||
         fail_tensor(in, tensor, "ends beyond what 63 bits count");
}

static bool take_header(reader *in, uint64_t *tensors, uint64_t *pairs) {
  char magic[4];
  uint32_t version;
  if (!take(in, magic, sizeof magic) || !take_u32(in, &version)) {
    return false;
  }
  if (memcmp(magic, "GGUF", sizeof magic) != 0) {
    return fail(in, "it does not begin with GGUF");
  }
  if (version == 2U << 24 || version == 3U << 24) {
    return fail(in, "it is big-endian, and only little-endian files are read");
  }
  if (version != 2 && version != 3) {
    return fail(in, "it is of another version than 2 and 3");
  }
  return take_number(in, sizeof *tensors, tensors) && take_number(in, sizeof *pairs, pairs);
}

/* ---- What holds between tensors ------------------------------------------------------------- */

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int compare_places(const void *a, const void *b) {
  const gguf_tensor *const left = *(const gguf_tensor *const *)a;
  const gguf_tensor *const right = *(const gguf_tensor *const *)b;
  if (left->begin != right->begin) {
    return left->begin < right->begin ? -1 : 1;
  }
  return left->bytes < right->bytes ? -1 : left->bytes > right->bytes;
}

/* That no name is there twice. `names` is room for all of them. */
static bool check_names(reader *in, const char **names, size_t count, const char *what) {
  qsort(names, count, sizeof *names, compare_names);
  for (size_t i = 1; i < count; i++) {
    if (strcmp(names[i - 1], names[i]) == 0) {
      in->code =
          report(EXIT_CODE_BAD_INPUT, "%s has the %s %s twice", in->input->name, what, names[i]);
      return false;
    }
  }
  return true;
}

/* That none begins before the last one ends; `*end` becomes the end of all. */
static bool check_places(reader *in, const gguf_tensor **tensors, uint64_t *end) {
  const gguf *const made = in->made;
  for (size_t i = 0; i < made->tensor_count; i++) {
    tensors[i] = &made->tensors[i];
  }
  qsort(tensors, made->tensor_count, sizeof *tensors, compare_places);
  *end = 0;
  for (size_t i = 0; i < made->tensor_count; i++) {
    if (tensors[i]->begin < *end) {
      return fail_tensor(in, tensors[i], "begins before another one ends");
    }
    *end = tensors[i]->begin + tensors[i]->bytes;
  }
  return true;
}

static bool check_all(reader *in, uint64_t *end) {
  const gguf *const made = in->made;
  const size_t most = made->tensor_count > made->pair_count ? made->tensor_count : made->pair_count;
  const void **const list = calloc(most + 1, sizeof *list);
  if (list == NULL) {
    in->code = report(EXIT_CODE_FAILURE, "no memory for the header of %s", in->input->name);
    return false;
  }
  const char **const names = (const char **)list;
  for (size_t i = 0; i < made->pair_count; i++) {
    names[i] = made->pairs[i].key;
  }
  bool is_right = check_names(in, names, made->pair_count, "key");
  for (size_t i = 0; i < made->tensor_count; i++) {
    names[i] = made->tensors[i].name;
  }
  is_right = is_right && check_names(in, names, made->tensor_count, "tensor") &&
             check_places(in, (const gguf_tensor **)list, end);
  free(list);
  return is_right;
}

static bool take_all(reader *in) {
  uint64_t tensors;
  uint64_t pairs;
  uint64_t end = 0;
  if (!take_header(in, &tensors, &pairs)) {
    return false;
  }
  for (uint64_t i = 0; i < pairs; i++) {
    if (!take_pair(in)) {
      return false;
    }
  }
  for (uint64_t i = 0; i < tensors; i++) {
    if (!take_tensor(in)) {
      return false;
    }
  }
  if (!check_all(in, &end)) {
    return false;
  }
  const uint64_t begin = (in->read + in->alignment - 1) / in->alignment * in->alignment;
  const int64_t left = stream_remaining(in->input);
  const uint64_t size = in->read + (in->end - in->begin) + (left > 0 ? (uint64_t)left : 0);
  in->made->data = begin;
  return left < 0 || (begin <= size && end <= size - begin) || (tensors == 0 && end == 0) ||
         fail(in, "it ends before its tensors do");
}

exit_code gguf_read(stream_input *input, gguf *made) {
  *made = (gguf){.data = 0};
  reader *const in = calloc(1, sizeof *in);
  if (in == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory to read %s", input->name);
  }
  in->input = input;
  in->made = made;
  in->alignment = GGUF_DEFAULT_ALIGNMENT;
  take_all(in);
  const exit_code code = in->code;
  free(in);
  return code;
}

void gguf_free(gguf *of) {
  for (size_t i = 0; i < of->pair_count; i++) {
    free(of->pairs[i].key);
    free(of->pairs[i].layout);
  }
  for (size_t i = 0; i < of->tensor_count; i++) {
    free(of->tensors[i].name);
  }
  free(of->pairs);
  free(of->tensors);
  *of = (gguf){.data = 0};
}

exit_code gguf_pad(stream_output *output, uint64_t alignment) {
  static const uint8_t zeros[4096];
  exit_code code = EXIT_CODE_OK;
  uint64_t left = (alignment - (uint64_t)output->written % alignment) % alignment;
  while (left > 0 && code == EXIT_CODE_OK) {
    const size_t some = left < sizeof zeros ? (size_t)left : sizeof zeros;
    code = stream_write(output, zeros, some);
    left -= some;
  }
  return code;
}

/* ---- Lists ---------------------------------------------------------------------------------- */

static const char *layout_name(const gguf_pair *pair) {
  return pair->key + strlen(SAFETENSORS_LAYOUT_PREFIX);
}

static int compare_layouts(const void *a, const void *b) {
  return strcmp(layout_name(*(const gguf_pair *const *)a),
                layout_name(*(const gguf_pair *const *)b));
}

static int compare_to_name(const void *name, const void *pair) {
  return strcmp(name, layout_name(*(const gguf_pair *const *)pair));
}

/* Pairs that have layouts, by the names of their tensors. */
typedef struct layouts {
  size_t count;
  const gguf_pair **of;
} layouts;

static exit_code find_layouts(const char *path, const gguf *of, layouts *made) {
  made->of = calloc(of->pair_count + 1, sizeof *made->of);
  if (made->of == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for the header of %s", path);
  }
  for (size_t i = 0; i < of->pair_count; i++) {
    if (of->pairs[i].layout != NULL) {
      made->of[made->count++] = &of->pairs[i];
    }
  }
  qsort(made->of, made->count, sizeof *made->of, compare_layouts);
  return EXIT_CODE_OK;
}

/* The shape of the tensor that a layout says, if it is of so many bytes. */
static bool has_layout(const layouts *all, const gguf_tensor *of, relayout_shape *shape) {
  const gguf_pair *const *const found =
      bsearch(of->name, all->of, all->count, sizeof *all->of, compare_to_name);
  size_t size = 0;
  return found != NULL && relayout_shape_parse((*found)->layout, shape, NULL) == RELAYOUT_OK &&
         relayout_shape_byte_size(shape, &size, NULL) == RELAYOUT_OK && size == of->bytes;
}

/* A shape, or what looks like one, of the file's type. */
static exit_code add_tensor(const gguf_tensor *of, const layouts *all, tensor_list *made) {
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_shape shape;
  relayout_error error;
  if (has_layout(all, of, &shape)) {
    relayout_shape_format(&shape, text, sizeof text);
    return tensor_list_add(made, of->name, text, NULL, of->bytes);
  }
  if (of->type->element_type != RELAYOUT_ELEMENT_TYPE_INVALID) {
    if (relayout_shape_make(of->type->element_type, of->rank, of->dimensions, &shape, &error) !=
        RELAYOUT_OK) {
      return report_error(of->name, &error);
    }
    relayout_shape_format(&shape, text, sizeof text);
    return tensor_list_add(made, of->name, text, NULL, of->bytes);
  }
  int length = snprintf(text, sizeof text, "%s[", of->type->name);
  for (int32_t d = 0; d < of->rank; d++) {
    length += snprintf(text + length, sizeof text - (size_t)length, "%s%" PRId64, d > 0 ? "," : "",
                       of->dimensions[d]);
  }
  snprintf(text + length, sizeof text - (size_t)length, "]");
  return tensor_list_add(made, of->name, text, NULL, of->bytes);
}

exit_code gguf_list(const char *path, tensor_list *made) {
  stream_input input;
  gguf of;
  exit_code code = stream_open(path, &input);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  layouts all = {.count = 0};
  code = gguf_read(&input, &of);
  if (code == EXIT_CODE_OK) {
    code = find_layouts(path, &of, &all);
  }
  for (size_t i = 0; i < of.tensor_count && code == EXIT_CODE_OK; i++) {
    code = add_tensor(&of.tensors[i], &all, made);
  }
  free(all.of);
  gguf_free(&of);
  stream_close(&input);
  return code;
}
