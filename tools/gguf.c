/* gguf.c: reads a GGUF file from its beginning to the end of its list, as it has no places. */
#include "gguf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file_kind.h"
#include "relayout/shape.h"
#include "stream.h"

enum {
  MOST_RANK = 4, /* as the format has it */
  MOST_NAME = 1 << 16,
  MOST_NESTING = 8,
  DEFAULT_ALIGNMENT = 32,
  TYPE_STRING = 8,
  TYPE_ARRAY = 9,
  TYPE_U32 = 4
};

/* Types of tensors by their numbers: elements and bytes of a block. Of one element it is an element
 * of XLA's. */
static const struct type {
  uint32_t number;
  const char *name;
  relayout_element_type element_type;
  uint32_t elements, bytes;
} types[] = {{0, "f32", RELAYOUT_F32, 1, 4},
             {1, "f16", RELAYOUT_F16, 1, 2},
             {2, "q4_0", RELAYOUT_ELEMENT_TYPE_INVALID, 32, 18},
             {3, "q4_1", RELAYOUT_ELEMENT_TYPE_INVALID, 32, 20},
             {6, "q5_0", RELAYOUT_ELEMENT_TYPE_INVALID, 32, 22},
             {7, "q5_1", RELAYOUT_ELEMENT_TYPE_INVALID, 32, 24},
             {8, "q8_0", RELAYOUT_ELEMENT_TYPE_INVALID, 32, 34},
             {9, "q8_1", RELAYOUT_ELEMENT_TYPE_INVALID, 32, 36},
             {10, "q2_k", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 84},
             {11, "q3_k", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 110},
             {12, "q4_k", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 144},
             {13, "q5_k", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 176},
             {14, "q6_k", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 210},
             {15, "q8_k", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 292},
             {16, "iq2_xxs", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 66},
             {17, "iq2_xs", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 74},
             {18, "iq3_xxs", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 98},
             {19, "iq1_s", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 50},
             {20, "iq4_nl", RELAYOUT_ELEMENT_TYPE_INVALID, 32, 18},
             {21, "iq3_s", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 110},
             {22, "iq2_s", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 82},
             {23, "iq4_xs", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 136},
             {24, "s8", RELAYOUT_S8, 1, 1},
             {25, "s16", RELAYOUT_S16, 1, 2},
             {26, "s32", RELAYOUT_S32, 1, 4},
             {27, "s64", RELAYOUT_S64, 1, 8},
             {28, "f64", RELAYOUT_F64, 1, 8},
             {29, "iq1_m", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 56},
             {30, "bf16", RELAYOUT_BF16, 1, 2},
             {34, "tq1_0", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 54},
             {35, "tq2_0", RELAYOUT_ELEMENT_TYPE_INVALID, 256, 66},
             {39, "mxfp4", RELAYOUT_ELEMENT_TYPE_INVALID, 32, 17},
             {40, "nvfp4", RELAYOUT_ELEMENT_TYPE_INVALID, 64, 36},
             {41, "q1_0", RELAYOUT_ELEMENT_TYPE_INVALID, 128, 18}};

bool gguf_is(const char *path) {
  return file_kind_has_suffix(path, ".gguf");
}

static const struct type *find_type(uint32_t number) {
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    if (types[i].number == number) {
      return &types[i];
    }
  }
  return NULL;
}

/* ---- Reading -------------------------------------------------------------------------------- */

typedef struct reader {
  stream_input input;
  uint64_t read; /* bytes so far */
  uint8_t buffer[1 << 16];
  size_t begin, end; /* of what is in the buffer, and not taken yet */
  exit_code code;    /* of what failed */
} reader;

/* Always false. */
static bool fail(reader *in, const char *what) {
  if (in->code == EXIT_CODE_OK) {
    in->code = report(EXIT_CODE_BAD_INPUT, "%s is not a GGUF file that can be read: %s",
                      in->input.name, what);
  }
  return false;
}

/* Takes bytes, or passes over them where `bytes` is NULL. */
static bool take(reader *in, void *bytes, uint64_t size) {
  uint8_t *to = bytes;
  while (size > 0 && in->code == EXIT_CODE_OK) {
    if (in->begin == in->end) {
      in->begin = 0;
      in->code = stream_read(&in->input, in->buffer, sizeof in->buffer, &in->end);
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
    in->code = report(EXIT_CODE_FAILURE, "no memory for the names of %s", in->input.name);
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
  if ((type != TYPE_STRING && type != TYPE_ARRAY) || nesting == MOST_NESTING) {
    return fail(in, "a value is of no known type");
  }
  for (uint64_t i = 0; i < count; i++) {
    uint32_t inner = 0;
    uint64_t length;
    if ((type == TYPE_ARRAY && !take_u32(in, &inner)) || !take_number(in, sizeof length, &length) ||
        !(type == TYPE_ARRAY ? pass_values(in, inner, length, nesting + 1)
                             : take(in, NULL, length))) {
      return false;
    }
  }
  return true;
}

/* Passes over a key's value, but for the alignment of tensors. */
static bool take_pair(reader *in, uint32_t *alignment) {
  char *key = NULL;
  uint32_t type = 0;
  bool is_taken = take_name(in, &key) && take_u32(in, &type);
  if (is_taken && strcmp(key, "general.alignment") == 0 && type == TYPE_U32) {
    is_taken =
        take_u32(in, alignment) && ((*alignment > 0 && (*alignment & (*alignment - 1)) == 0) ||
                                    fail(in, "general.alignment is no power of two"));
  } else if (is_taken) {
    is_taken = pass_values(in, type, 1, 0);
  }
  free(key);
  return is_taken;
}

/* ---- Tensors -------------------------------------------------------------------------------- */

typedef struct tensor {
  char *name;
  int32_t rank;
  int64_t dimensions[MOST_RANK]; /* from major to minor */
  const struct type *type;
  uint64_t offset, bytes;
} tensor;

static bool fail_tensor(reader *in, const tensor *of, const char *what) {
  if (in->code == EXIT_CODE_OK) {
    in->code = report(EXIT_CODE_BAD_INPUT, "%s: tensor %s %s", in->input.name, of->name, what);
  }
  return false;
}

static bool count_bytes(reader *in, tensor *of) {
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

static bool take_tensor(reader *in, tensor *made) {
  uint32_t rank, number;
  if (!take_name(in, &made->name) || !take_u32(in, &rank)) {
    return false;
  }
  if (rank > MOST_RANK) {
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
  if (!take_u32(in, &number) || !take_number(in, sizeof made->offset, &made->offset)) {
    return false;
  }
  made->type = find_type(number);
  return made->type != NULL ? count_bytes(in, made)
                            : fail_tensor(in, made, "is of a type that is not known");
}

/* A shape, or what looks like one, of the file's type. */
static exit_code add_tensor(const tensor *of, tensor_list *made) {
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_shape shape;
  relayout_error error;
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

/* Where the last tensor ends, from where they begin. */
static bool take_tensors(reader *in, uint64_t count, uint32_t alignment, uint64_t *end,
                         tensor_list *made) {
  *end = 0;
  for (uint64_t i = 0; i < count; i++) {
    tensor of = {.name = NULL};
    bool is_taken = take_tensor(in, &of);
    if (is_taken && of.offset % alignment != 0) {
      is_taken = fail_tensor(in, &of, "begins at no multiple of the alignment");
    }
    if (is_taken && of.offset > INT64_MAX - of.bytes) {
      is_taken = fail_tensor(in, &of, "ends beyond what 63 bits count");
    }
    if (is_taken) {
      in->code = add_tensor(&of, made);
      *end = of.offset + of.bytes > *end ? of.offset + of.bytes : *end;
    }
    free(of.name);
    if (in->code != EXIT_CODE_OK) {
      return false;
    }
  }
  return true;
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
  if (version != 2 && version != 3) {
    return fail(in, "it is of another version than 2 and 3, or has the other byte order");
  }
  return take_number(in, sizeof *tensors, tensors) && take_number(in, sizeof *pairs, pairs);
}

static bool take_all(reader *in, tensor_list *made) {
  uint64_t tensors, pairs, end;
  uint32_t alignment = DEFAULT_ALIGNMENT;
  if (!take_header(in, &tensors, &pairs)) {
    return false;
  }
  for (uint64_t i = 0; i < pairs; i++) {
    if (!take_pair(in, &alignment)) {
      return false;
    }
  }
  if (!take_tensors(in, tensors, alignment, &end, made)) {
    return false;
  }
  const uint64_t begin = (in->read + alignment - 1) / alignment * alignment;
  const int64_t left = stream_remaining(&in->input);
  const uint64_t size = in->read + (in->end - in->begin) + (left > 0 ? (uint64_t)left : 0);
  return left < 0 || (begin <= size && end <= size - begin) || (tensors == 0 && end == 0) ||
         fail(in, "it ends before its tensors do");
}

exit_code gguf_list(const char *path, tensor_list *made) {
  reader *const in = calloc(1, sizeof *in);
  if (in == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory to read %s", path);
  }
  in->code = stream_open(path, &in->input);
  if (in->code == EXIT_CODE_OK) {
    take_all(in, made);
    stream_close(&in->input);
  }
  const exit_code code = in->code;
  free(in);
  return code;
}
