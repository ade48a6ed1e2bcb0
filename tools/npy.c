/* npy.c: parses and writes the header of a .npy file, a Python dictionary, and maps NumPy types and
 * shapes to those of relayout and back. */
#include "npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fail.h"

static const uint8_t magic[NPY_MAGIC_SIZE] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static const bool host_is_big = false;
#else
static const bool host_is_big = true;
#endif

/* ---- The preamble --------------------------------------------------------------------------- */

bool npy_has_magic(const uint8_t *bytes, size_t size) {
  return size >= NPY_MAGIC_SIZE && memcmp(bytes, magic, NPY_MAGIC_SIZE) == 0;
}

/* Version 1 counts the header's bytes with two bytes, versions 2 and 3 with four, the lowest first.
 */
static size_t preamble_size(uint8_t version) {
  return version == 1 ? 10 : 12;
}

relayout_status npy_header_size(const uint8_t *bytes, size_t size, size_t *header_size,
                                relayout_error *error) {
  if (!npy_has_magic(bytes, size)) {
    return fail_with(error, RELAYOUT_INVALID_TEXT,
                     "this is not a .npy file: it does not begin with \\x93NUMPY");
  }
  if (size < NPY_MAGIC_SIZE + 2) {
    return fail_with(error, RELAYOUT_INVALID_TEXT, "the file ends after %zu bytes, in its version",
                     size);
  }
  const uint8_t version = bytes[6];
  if (version < 1 || version > 3 || bytes[7] != 0) {
    return fail_with(error, RELAYOUT_INVALID_TEXT, "the version is %d.%d, not 1.0, 2.0 or 3.0",
                     version, bytes[7]);
  }
  const size_t preamble = preamble_size(version);
  if (size < preamble) {
    return fail_with(error, RELAYOUT_INVALID_TEXT,
                     "the file ends after %zu bytes, in the length of its header", size);
  }
  size_t length = 0;
  for (size_t i = preamble; i > NPY_MAGIC_SIZE + 2; i--) {
    length = length << 8 | bytes[i - 1];
  }
  if (length > NPY_MAX_HEADER_SIZE - preamble) {
    return fail_with(error, RELAYOUT_INVALID_TEXT,
                     "the header is %zu bytes long; at most %d are read", length,
                     NPY_MAX_HEADER_SIZE - (int)preamble);
  }
  *header_size = preamble + length;
  return RELAYOUT_OK;
}

/* ---- The dictionary ------------------------------------------------------------------------- */

/* The header is a Python dictionary, {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}. */
typedef struct reader {
  const char *start;
  const char *at;
  const char *end;
  relayout_error *error;
} reader;

static void skip_space(reader *in) {
  while (in->at < in->end && *in->at != '\0' && strchr(" \t\r\n", *in->at) != NULL) {
    in->at += 1;
  }
}

/* Fails with what was expected and what was found instead. */
static relayout_status fail_here(const reader *in, const char *expected) {
  const size_t column = (size_t)(in->at - in->start);
  if (in->at == in->end) {
    return fail_with(in->error, RELAYOUT_INVALID_TEXT, "the header ends where %s should be",
                     expected);
  }
  const uint8_t byte = (uint8_t)*in->at;
  if (byte < 0x20 || byte >= 0x7f) {
    return fail_with(in->error, RELAYOUT_INVALID_TEXT,
                     "the header has byte 0x%02x at position %zu where %s should be", byte, column,
                     expected);
  }
  return fail_with(in->error, RELAYOUT_INVALID_TEXT,
                   "the header has '%c' at position %zu where %s should be", byte, column,
                   expected);
}

static bool take(reader *in, char wanted) {
  skip_space(in);
  if (in->at == in->end || *in->at != wanted) {
    return false;
  }
  in->at += 1;
  return true;
}

static bool take_word(reader *in, const char *word) {
  skip_space(in);
  const size_t length = strlen(word);
  if ((size_t)(in->end - in->at) < length || memcmp(in->at, word, length) != 0) {
    return false;
  }
  in->at += length;
  return true;
}

/* The text between two quotes. Escapes mean no key and no type that could be read here. */
static relayout_status read_string(reader *in, const char *what, size_t capacity, char *text) {
  skip_space(in);
  if (in->at == in->end || (*in->at != '\'' && *in->at != '"')) {
    return fail_here(in, what);
  }
  const char quote = *in->at;
  in->at += 1;
  size_t length = 0;
  while (in->at < in->end && *in->at != quote) {
    if ((uint8_t)*in->at < 0x20 || (uint8_t)*in->at >= 0x7f || *in->at == '\\' ||
        length + 1 == capacity) {
      return fail_here(in, what);
    }
    text[length] = *in->at;
    length += 1;
    in->at += 1;
  }
  text[length] = '\0';
  return take(in, quote) ? RELAYOUT_OK : fail_here(in, "a closing quote");
}

static relayout_status read_integer(reader *in, const char *what, int64_t *number) {
  skip_space(in);
  if (in->at < in->end && *in->at == '-') {
    return fail_with(in->error, RELAYOUT_INVALID_TEXT,
                     "%s at position %zu of the header is negative", what,
                     (size_t)(in->at - in->start));
  }
  if (in->at == in->end || *in->at < '0' || *in->at > '9') {
    return fail_here(in, what);
  }
  const char *first = in->at;
  int64_t value = 0;
  for (; in->at < in->end && *in->at >= '0' && *in->at <= '9'; in->at++) {
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, *in->at - '0', &value)) {
      return fail_with(in->error, RELAYOUT_SIZE_OVERFLOW,
                       "%s at position %zu of the header does not fit 63 bits", what,
                       (size_t)(first - in->start));
    }
  }
  *number = value;
  return RELAYOUT_OK;
}

/* '<f4': byte order, kind, and bytes of an element. */
static relayout_status read_descr(reader *in, npy_header *header) {
  skip_space(in);
  if (in->at < in->end && (*in->at == '[' || *in->at == '(' || *in->at == '{')) {
    return fail_with(in->error, RELAYOUT_UNSUPPORTED,
                     "descr lists several fields, which is not supported");
  }
  char text[32];
  const relayout_status status = read_string(in, "the type of its elements", sizeof text, text);
  if (status != RELAYOUT_OK) {
    return status;
  }
  const char order = text[0];
  if (order == '\0' || strchr("<>|=", order) == NULL || text[1] == '\0') {
    return fail_with(in->error, RELAYOUT_INVALID_TEXT,
                     "descr is '%s', which is not an element type", text);
  }
  if (strchr("biufcV", text[1]) == NULL) {
    return fail_with(
        in->error, RELAYOUT_UNSUPPORTED,
        "descr is '%s', which is not supported: its elements are neither numbers nor bytes", text);
  }
  relayout_error ignored;
  reader digits = {.start = text, .at = text + 2, .end = text + strlen(text), .error = &ignored};
  int64_t item_size;
  if (read_integer(&digits, "a size", &item_size) != RELAYOUT_OK || digits.at != digits.end ||
      item_size == 0) {
    return fail_with(in->error, RELAYOUT_INVALID_TEXT,
                     "descr is '%s', which is not an element type", text);
  }
  header->kind = text[1];
  header->byte_order = RELAYOUT_BYTE_ORDER_NATIVE;
  if (item_size > 1 && text[1] != 'V' && order == (host_is_big ? '<' : '>')) {
    header->byte_order = host_is_big ? RELAYOUT_BYTE_ORDER_LITTLE : RELAYOUT_BYTE_ORDER_BIG;
  }
  header->item_size = item_size;
  return RELAYOUT_OK;
}

static relayout_status read_fortran_order(reader *in, npy_header *header) {
  if (take_word(in, "True")) {
    header->fortran_order = true;
    return RELAYOUT_OK;
  }
  header->fortran_order = false;
  return take_word(in, "False") ? RELAYOUT_OK : fail_here(in, "True or False");
}

/* A tuple: (), (3,), (2, 3), (2, 3,). */
static relayout_status read_dimensions(reader *in, npy_header *header) {
  if (!take(in, '(')) {
    return fail_here(in, "the tuple of dimensions");
  }
  bool comma_seen = true;
  header->rank = 0;
  while (!take(in, ')')) {
    if (!comma_seen) {
      return fail_here(in, "',' or ')'");
    }
    int64_t dimension;
    const relayout_status status = read_integer(in, "a dimension", &dimension);
    if (status != RELAYOUT_OK) {
      return status;
    }
    if (header->rank == RELAYOUT_MAX_RANK) {
      return fail_with(in->error, RELAYOUT_UNSUPPORTED, "the array has more than %d dimensions",
                       RELAYOUT_MAX_RANK);
    }
    header->dimensions[header->rank] = dimension;
    header->rank += 1;
    if (in->at < in->end && *in->at == 'L') {
      in->at += 1; /* Python 2 wrote long integers so */
    }
    comma_seen = take(in, ',');
  }
  if (header->rank == 1 && !comma_seen) {
    return fail_with(in->error, RELAYOUT_INVALID_TEXT,
                     "the shape (%" PRId64 ") is not a tuple; expected (%" PRId64 ",)",
                     header->dimensions[0], header->dimensions[0]);
  }
  return RELAYOUT_OK;
}

/* The dictionary's keys, in the order in which NumPy writes them. */
static const struct {
  const char *name;
  relayout_status (*read)(reader *in, npy_header *header);
} keys[] = {
    {"descr", read_descr},
    {"fortran_order", read_fortran_order},
    {"shape", read_dimensions},
};
enum { KEY_COUNT = sizeof keys / sizeof keys[0] };

static relayout_status read_entry(reader *in, bool seen[KEY_COUNT], npy_header *header) {
  char name[32];
  const relayout_status status = read_string(in, "a key", sizeof name, name);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (!take(in, ':')) {
    return fail_here(in, "':'");
  }
  for (size_t i = 0; i < KEY_COUNT; i++) {
    if (strcmp(name, keys[i].name) == 0) {
      if (seen[i]) {
        return fail_with(in->error, RELAYOUT_INVALID_TEXT, "the header has '%s' twice", name);
      }
      seen[i] = true;
      return keys[i].read(in, header);
    }
  }
  return fail_with(in->error, RELAYOUT_INVALID_TEXT, "the header has the unknown key '%s'", name);
}

relayout_status npy_parse(const uint8_t *bytes, size_t size, npy_header *header,
                          relayout_error *error) {
  size_t header_size;
  const relayout_status status = npy_header_size(bytes, size, &header_size, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (size < header_size) {
    return fail_with(error, RELAYOUT_INVALID_TEXT,
                     "the file ends after %zu bytes, in its header of %zu", size, header_size);
  }
  const char *text = (const char *)bytes;
  reader in = {.start = text,
               .at = text + preamble_size(bytes[6]),
               .end = text + header_size,
               .error = error};
  if (!take(&in, '{')) {
    return fail_here(&in, "'{'");
  }
  npy_header parsed = {.rank = 0};
  bool seen[KEY_COUNT] = {false};
  bool comma_seen = true;
  while (!take(&in, '}')) {
    if (!comma_seen) {
      return fail_here(&in, "',' or '}'");
    }
    const relayout_status entry_status = read_entry(&in, seen, &parsed);
    if (entry_status != RELAYOUT_OK) {
      return entry_status;
    }
    comma_seen = take(&in, ',');
  }
  skip_space(&in);
  if (in.at != in.end) {
    return fail_here(&in, "its end");
  }
  for (size_t i = 0; i < KEY_COUNT; i++) {
    if (!seen[i]) {
      return fail_with(error, RELAYOUT_INVALID_TEXT, "the header lacks the key '%s'", keys[i].name);
    }
  }
  *header = parsed;
  return RELAYOUT_OK;
}

/* ---- Types and shapes ----------------------------------------------------------------------- */

/* The types that NumPy has. */
static const struct {
  char kind;
  int8_t item_size;
  relayout_element_type type;
} numpy_types[] = {
    {'b', 1, RELAYOUT_PRED}, {'i', 1, RELAYOUT_S8},    {'i', 2, RELAYOUT_S16},
    {'i', 4, RELAYOUT_S32},  {'i', 8, RELAYOUT_S64},   {'u', 1, RELAYOUT_U8},
    {'u', 2, RELAYOUT_U16},  {'u', 4, RELAYOUT_U32},   {'u', 8, RELAYOUT_U64},
    {'f', 2, RELAYOUT_F16},  {'f', 4, RELAYOUT_F32},   {'f', 8, RELAYOUT_F64},
    {'c', 8, RELAYOUT_C64},  {'c', 16, RELAYOUT_C128},
};
enum { NUMPY_TYPE_COUNT = sizeof numpy_types / sizeof numpy_types[0] };

/* NumPy's kind for a type; 0 where it lacks the type. */
static char numpy_kind(relayout_element_type type) {
  for (size_t i = 0; i < NUMPY_TYPE_COUNT; i++) {
    if (numpy_types[i].type == type) {
      return numpy_types[i].kind;
    }
  }
  return 0;
}

static bool has_type(const npy_header *header, relayout_element_type wanted) {
  if (header->item_size != (int64_t)relayout_element_type_byte_size(wanted)) {
    return false;
  }
  const char kind = numpy_kind(wanted);
  return header->kind == 'V' || header->kind == kind ||
         (kind == 0 && strchr("uif", header->kind) != NULL);
}

relayout_status npy_element_type(const npy_header *header, relayout_element_type wanted,
                                 relayout_element_type *type, relayout_error *error) {
  if (wanted != RELAYOUT_ELEMENT_TYPE_INVALID) {
    if (!has_type(header, wanted)) {
      return fail_with(error, RELAYOUT_SHAPE_MISMATCH,
                       "the file's elements are '%c%" PRId64 "', which cannot be %s", header->kind,
                       header->item_size, relayout_element_type_name(wanted));
    }
    *type = wanted;
    return RELAYOUT_OK;
  }
  for (size_t i = 0; i < NUMPY_TYPE_COUNT; i++) {
    if (numpy_types[i].kind == header->kind && numpy_types[i].item_size == header->item_size) {
      *type = numpy_types[i].type;
      return RELAYOUT_OK;
    }
  }
  return fail_with(error, RELAYOUT_SHAPE_MISMATCH,
                   "the file's elements are '%c%" PRId64
                   "', a size without a type: say the type with --from",
                   header->kind, header->item_size);
}

relayout_status npy_shape(const npy_header *header, relayout_element_type type,
                          relayout_shape *shape, relayout_error *error) {
  relayout_layout layout;
  const relayout_status status =
      header->fortran_order ? relayout_layout_make_ascending(header->rank, &layout, error)
                            : relayout_layout_make_descending(header->rank, &layout, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  return relayout_shape_make_with_layout(type, header->rank, header->dimensions, &layout, shape,
                                         error);
}

relayout_element_type npy_stored_type(const relayout_shape *shape) {
  const int64_t bits = shape->layout.element_size_in_bits;
  if (bits == 0 || bits == 8 * (int64_t)relayout_element_type_byte_size(shape->element_type)) {
    return shape->element_type;
  }
  return bits <= 8 ? RELAYOUT_U8 : bits == 16 ? RELAYOUT_U16 : RELAYOUT_U32;
}

/* A whole buffer as a list. */
static void describe_list(const relayout_shape *shape, npy_header *header) {
  size_t bytes = 0;
  relayout_shape_byte_size(shape, &bytes, NULL);
  header->rank = 1;
  header->dimensions[0] = (int64_t)bytes / header->item_size;
}

static void describe_tiled(const relayout_shape *shape, npy_header *header) {
  size_t rank = 0;
  relayout_shape_physical_dimensions(shape, RELAYOUT_MAX_RANK, header->dimensions, &rank, NULL);
  header->rank = (int32_t)rank;
  if (rank > RELAYOUT_MAX_RANK) {
    describe_list(shape, header);
  }
}

static void describe_untiled(const relayout_shape *shape, npy_header *header) {
  const bool is_padded = relayout_shape_is_padded(shape);
  const bool is_descending = relayout_layout_is_monotonic_with_dim0_major(&shape->layout);
  const bool is_ascending = relayout_layout_is_monotonic_with_dim0_minor(&shape->layout);
  header->fortran_order = is_ascending && !is_descending && !is_padded;
  const bool is_as_written = header->fortran_order || is_descending;
  header->rank = shape->rank;
  for (int32_t i = 0; i < shape->rank; i++) {
    const int32_t d = is_as_written ? i : shape->layout.minor_to_major[shape->rank - 1 - i];
    header->dimensions[i] = relayout_shape_padded_dimension(shape, d);
  }
}

npy_header npy_describe(const relayout_shape *shape) {
  const relayout_element_type type = npy_stored_type(shape);
  const char kind = numpy_kind(type);
  npy_header header = {
      .kind = kind != 0 ? kind : 'u',
      .item_size = (int64_t)relayout_element_type_byte_size(type),
  };
  if (relayout_layout_is_packed(&shape->layout) ||
      shape->layout.tail_padding_alignment_in_elements > 1) {
    describe_list(shape, &header);
  } else if (shape->layout.tile_count > 0) {
    describe_tiled(shape, &header);
  } else {
    describe_untiled(shape, &header);
  }
  return header;
}

static char order_of(const npy_header *header) {
  const bool is_native = header->byte_order == RELAYOUT_BYTE_ORDER_NATIVE;
  const bool is_big = is_native ? host_is_big : header->byte_order == RELAYOUT_BYTE_ORDER_BIG;
  return header->item_size == 1 ? '|' : is_big ? '>' : '<';
}

size_t npy_write(const npy_header *header, char bytes[NPY_MAX_WRITTEN_SIZE]) {
  char *text = bytes + 10;
  const size_t capacity = NPY_MAX_WRITTEN_SIZE - 10;
  size_t length = (size_t)snprintf(
      text, capacity, "{'descr': '%c%c%" PRId64 "', 'fortran_order': %s, 'shape': (",
      order_of(header), header->kind, header->item_size, header->fortran_order ? "True" : "False");
  for (int32_t i = 0; i < header->rank; i++) {
    length += (size_t)snprintf(text + length, capacity - length, "%s%" PRId64, i > 0 ? ", " : "",
                               header->dimensions[i]);
  }
  length +=
      (size_t)snprintf(text + length, capacity - length, "%s), }", header->rank == 1 ? "," : "");
  /* Spaces and a newline bring the data to a multiple of 64 bytes, as NumPy does. */
  do {
    text[length] = ' ';
    length += 1;
  } while ((10 + length) % 64 != 0);
  text[length - 1] = '\n';
  memcpy(bytes, magic, NPY_MAGIC_SIZE);
  const char preamble[] = {1, 0, (char)(length & 0xff), (char)(length >> 8)};
  memcpy(bytes + NPY_MAGIC_SIZE, preamble, sizeof preamble);
  return 10 + length;
}
