/* safetensors.c: headers of .safetensors files by way of jansson's values. */
#include "safetensors.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "json_text.h"
#include "npy.h"
#include "six_bits.h"

static const char metadata_key[] = "__metadata__";
static const char layout_prefix[] = SAFETENSORS_LAYOUT_PREFIX;

/* The format's types. Bits that are no whole bytes are packed; those of 6 as no layout has them: in
 * memory each element has a byte. */
static const struct {
  const char *dtype;
  int32_t bits;
  relayout_element_type type; /* INVALID: of none of XLA's layouts */
} dtypes[] = {
    {"BOOL", 8, RELAYOUT_PRED},
    {"F4", 4, RELAYOUT_F4E2M1FN},
    {"F6_E2M3", 6, RELAYOUT_F6E2M3FN},
    {"F6_E3M2", 6, RELAYOUT_F6E3M2FN},
    {"U8", 8, RELAYOUT_U8},
    {"I8", 8, RELAYOUT_S8},
    {"F8_E5M2", 8, RELAYOUT_F8E5M2},
    {"F8_E4M3", 8, RELAYOUT_F8E4M3FN},
    {"F8_E8M0", 8, RELAYOUT_F8E8M0FNU},
    {"F8_E4M3FNUZ", 8, RELAYOUT_F8E4M3FNUZ},
    {"F8_E5M2FNUZ", 8, RELAYOUT_F8E5M2FNUZ},
    {"I16", 16, RELAYOUT_S16},
    {"U16", 16, RELAYOUT_U16},
    {"F16", 16, RELAYOUT_F16},
    {"BF16", 16, RELAYOUT_BF16},
    {"I32", 32, RELAYOUT_S32},
    {"U32", 32, RELAYOUT_U32},
    {"F32", 32, RELAYOUT_F32},
    {"C64", 64, RELAYOUT_C64},
    {"F64", 64, RELAYOUT_F64},
    {"I64", 64, RELAYOUT_S64},
    {"U64", 64, RELAYOUT_U64},
};
enum { SIX_BITS = 6 };
enum { DTYPE_COUNT = sizeof dtypes / sizeof dtypes[0] };

/* Its row; -1 where it is not known. */
static int row_of_dtype(const char *dtype) {
  for (int i = 0; i < DTYPE_COUNT; i++) {
    if (strcmp(dtypes[i].dtype, dtype) == 0) {
      return i;
    }
  }
  return -1;
}

/* ---- Reading -------------------------------------------------------------------------------- */

relayout_status safetensors_header_size(const uint8_t bytes[SAFETENSORS_PREAMBLE_SIZE],
                                        uint64_t file_size, size_t *size, relayout_error *error) {
  if (file_size < SAFETENSORS_PREAMBLE_SIZE) {
    return fail_with(error, RELAYOUT_INVALID_TEXT,
                     "this is not a .safetensors file: it has %" PRIu64 " bytes", file_size);
  }
  uint64_t stated = 0;
  for (int i = SAFETENSORS_PREAMBLE_SIZE - 1; i >= 0; i--) {
    stated = stated << 8 | bytes[i];
  }
  if (stated > SAFETENSORS_MAX_HEADER_SIZE || stated > file_size - SAFETENSORS_PREAMBLE_SIZE) {
    return fail_with(error, RELAYOUT_INVALID_TEXT,
                     "this is not a .safetensors file: its header would have %" PRIu64
                     " bytes, and "
                     "the file has %" PRIu64,
                     stated, file_size);
  }
  *size = (size_t)stated;
  return RELAYOUT_OK;
}

/* Memory for them, in place of those that there are. */
static bool make_dimensions(safetensors_tensor *tensor, int32_t rank) {
  int64_t *const made = rank > 0 ? calloc((size_t)rank, sizeof *made) : NULL;
  if (rank > 0 && made == NULL) {
    return false;
  }
  free(tensor->dimensions);
  tensor->dimensions = made;
  tensor->rank = rank;
  return true;
}

static relayout_status read_dimensions(const json_t *list, safetensors_tensor *tensor,
                                       relayout_error *error) {
  const size_t rank = json_array_size(list);
  if (!json_is_array(list)) {
    return fail_with(error, RELAYOUT_INVALID_TEXT, "the shape of tensor '%s' is not a list",
                     tensor->name);
  }
  if (rank > RELAYOUT_MAX_RANK) {
    return fail_with(error, RELAYOUT_UNSUPPORTED, "tensor '%s' has %zu dimensions, more than %d",
                     tensor->name, rank, RELAYOUT_MAX_RANK);
  }
  if (!make_dimensions(tensor, (int32_t)rank)) {
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the shape of tensor '%s'",
                     tensor->name);
  }
  for (size_t i = 0; i < rank; i++) {
    const json_t *const size = json_array_get(list, i);
    if (!json_is_integer(size) || json_integer_value(size) < 0) {
      return fail_with(error, RELAYOUT_INVALID_TEXT, "dimension %zu of tensor '%s' is not a size",
                       i, tensor->name);
    }
    tensor->dimensions[i] = json_integer_value(size);
  }
  return RELAYOUT_OK;
}

static relayout_status read_place(const json_t *pair, safetensors_tensor *tensor,
                                  relayout_error *error) {
  const json_t *const begin = json_array_get(pair, 0);
  const json_t *const end = json_array_get(pair, 1);
  if (json_array_size(pair) != 2 || !json_is_integer(begin) || !json_is_integer(end) ||
      json_integer_value(begin) < 0 || json_integer_value(end) < json_integer_value(begin)) {
    return fail_with(error, RELAYOUT_INVALID_TEXT,
                     "data_offsets of tensor '%s' must be two numbers, the first at most the "
                     "second",
                     tensor->name);
  }
  tensor->begin = (uint64_t)json_integer_value(begin);
  tensor->end = (uint64_t)json_integer_value(end);
  return RELAYOUT_OK;
}

/* That its dimensions take the bytes that it has, where its type says how many. */
static relayout_status check_size(const safetensors_tensor *tensor, relayout_error *error) {
  const int row = row_of_dtype(tensor->dtype);
  if (row < 0) {
    return RELAYOUT_OK;
  }
  const uint64_t size = tensor->end - tensor->begin;
  uint64_t bits = (uint64_t)dtypes[row].bits;
  bool fits = true;
  for (int32_t i = 0; i < tensor->rank && fits; i++) {
    fits = !__builtin_mul_overflow(bits, (uint64_t)tensor->dimensions[i], &bits);
  }
  if (!fits || bits / 8 + (bits % 8 > 0) != size) {
    return fail_with(error, RELAYOUT_INVALID_TEXT,
                     "tensor '%s' has %" PRIu64
                     " bytes, but its shape and dtype %s take another number",
                     tensor->name, size, tensor->dtype);
  }
  return RELAYOUT_OK;
}

static relayout_status read_tensor(const char *name, const json_t *value,
                                   safetensors_tensor *tensor, relayout_error *error) {
  const json_t *const dtype = json_object_get(value, "dtype");
  *tensor = (safetensors_tensor){.name = name, .dtype = json_string_value(dtype)};
  if (!json_is_object(value) || json_object_size(value) != 3 || tensor->dtype == NULL) {
    return fail_with(error, RELAYOUT_INVALID_TEXT,
                     "tensor '%s' must be an object of dtype, shape and data_offsets", name);
  }
  relayout_status status = read_dimensions(json_object_get(value, "shape"), tensor, error);
  if (status == RELAYOUT_OK) {
    status = read_place(json_object_get(value, "data_offsets"), tensor, error);
  }
  return status == RELAYOUT_OK ? check_size(tensor, error) : status;
}

static int compare_places(const void *a, const void *b) {
  const safetensors_tensor *const left = a;
  const safetensors_tensor *const right = b;
  if (left->begin != right->begin) {
    return left->begin < right->begin ? -1 : 1;
  }
  if (left->end != right->end) {
    return left->end < right->end ? -1 : 1;
  }
  return strcmp(left->name, right->name); /* both without bytes */
}

/* And numbers them. */
static relayout_status check_places(const safetensors *of, uint64_t data_size,
                                    relayout_error *error) {
  uint64_t end = 0;
  for (size_t i = 0; i < of->count; i++) {
    safetensors_tensor *const tensor = &of->tensors[i];
    tensor->number = i;
    if (tensor->begin != end) {
      return fail_with(error, RELAYOUT_INVALID_TEXT,
                       "tensor '%s' begins at byte %" PRIu64
                       ", but those before it end at %" PRIu64,
                       tensor->name, tensor->begin, end);
    }
    end = tensor->end;
  }
  return end == data_size ? RELAYOUT_OK
                          : fail_with(error, RELAYOUT_INVALID_TEXT,
                                      "the tensors have %" PRIu64
                                      " bytes, but the file has %" PRIu64 " after its header",
                                      end, data_size);
}

static relayout_status check_metadata(const json_t *metadata, relayout_error *error) {
  const char *key;
  json_t *value;
  if (metadata != NULL && !json_is_object(metadata)) {
    return fail_with(error, RELAYOUT_INVALID_TEXT, "%s is not an object", metadata_key);
  }
  json_object_foreach((json_t *)(uintptr_t)metadata, key, value) {
    if (!json_is_string(value)) {
      return fail_with(error, RELAYOUT_INVALID_TEXT, "'%s' of %s is not a string", key,
                       metadata_key);
    }
  }
  return RELAYOUT_OK;
}

static relayout_status read_all(safetensors *made, uint64_t data_size, relayout_error *error) {
  relayout_status status = check_metadata(made->metadata, error);
  const char *key;
  json_t *value;
  json_object_foreach(made->root, key, value) {
    if (status == RELAYOUT_OK && strcmp(key, metadata_key) != 0) {
      status = read_tensor(key, value, &made->tensors[made->count++], error);
    }
  }
  if (status == RELAYOUT_OK) {
    qsort(made->tensors, made->count, sizeof *made->tensors, compare_places);
    status = check_places(made, data_size, error);
  }
  return status;
}

relayout_status safetensors_parse(const char *text, size_t size, uint64_t data_size,
                                  safetensors *made, relayout_error *error) {
  json_error_t cause;
  *made = (safetensors){.count = 0};
  if (size == 0 || text[0] != '{') {
    return fail_with(error, RELAYOUT_INVALID_TEXT, "the header does not begin with {");
  }
  made->root = json_text_load(text, size, &cause);
  if (made->root == NULL && cause.text[0] == '\0') {
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a header of %zu bytes", size);
  }
  if (made->root == NULL) {
    return fail_with(error, RELAYOUT_INVALID_TEXT, "byte %d of the header: %s", cause.position,
                     cause.text);
  }
  made->tensors = calloc(json_object_size(made->root) + 1, sizeof *made->tensors);
  json_t *const metadata = json_object_get(made->root, metadata_key);
  made->metadata = json_is_null(metadata) ? NULL : json_incref(metadata); /* null stands for none */
  const relayout_status status =
      made->tensors != NULL
          ? read_all(made, data_size, error)
          : fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a list of tensors");
  if (status != RELAYOUT_OK) {
    safetensors_free(made);
  }
  return status;
}

void safetensors_free(safetensors *of) {
  for (size_t i = 0; i < of->count; i++) {
    free(of->tensors[i].dimensions);
  }
  free(of->tensors);
  json_decref(of->metadata);
  json_decref(of->root);
  *of = (safetensors){.count = 0};
}

/* ---- Putting headers together --------------------------------------------------------------- */

bool safetensors_is_layout(const char *key) {
  return strncmp(key, layout_prefix, strlen(layout_prefix)) == 0;
}

/* The texts themselves are shared. */
static bool add_metadata(const json_t *metadata, bool with_layouts, safetensors *made) {
  const char *key;
  json_t *value;
  made->metadata = made->metadata == NULL ? json_object() : made->metadata;
  json_object_foreach((json_t *)(uintptr_t)metadata, key, value) {
    if ((with_layouts || !safetensors_is_layout(key)) &&
        json_object_get(made->metadata, key) == NULL &&
        json_object_set(made->metadata, key, value) != 0) {
      return false;
    }
  }
  return made->metadata != NULL;
}

static bool make_room(safetensors *made, size_t more) {
  safetensors_tensor *const grown =
      realloc(made->tensors, (made->count + more + 1) * sizeof *grown);
  made->tensors = grown != NULL ? grown : made->tensors;
  return grown != NULL;
}

/* Where there is room. */
static bool add_copy(const safetensors_tensor *tensor, safetensors *made) {
  safetensors_tensor *const copy = &made->tensors[made->count];
  *copy = *tensor;
  copy->number = made->count;
  copy->rank = 0;
  copy->dimensions = NULL;
  made->count += 1;
  if (!make_dimensions(copy, tensor->rank)) {
    return false;
  }
  for (int32_t i = 0; i < tensor->rank; i++) {
    copy->dimensions[i] = tensor->dimensions[i];
  }
  return true;
}

relayout_status safetensors_append(const safetensors *of, safetensors *made,
                                   relayout_error *error) {
  made->root = made->root == NULL ? json_array() : made->root;
  bool is_done = (of->root == NULL || json_array_append(made->root, of->root) == 0) &&
                 make_room(made, of->count) && add_metadata(of->metadata, true, made);
  for (size_t i = 0; i < of->count && is_done; i++) {
    is_done = add_copy(&of->tensors[i], made);
  }
  if (!is_done) {
    safetensors_free(made);
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a header of %zu tensors",
                     of->count);
  }
  return RELAYOUT_OK;
}

/* How many bytes the character takes that begins here; 0 where none does. */
static size_t character_size(const unsigned char *text) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const size_t size = text[0] < 0x80             ? 1
                      : (text[0] & 0xe0) == 0xc0 ? 2
                      : (text[0] & 0xf0) == 0xe0 ? 3
                      : (text[0] & 0xf8) == 0xf0 ? 4
                                                 : 0;
  uint32_t code = size > 1 ? text[0] & (0x7fU >> size) : text[0];
  for (size_t i = 1; i < size; i++) {
    if ((text[i] & 0xc0) != 0x80) {
      return 0;
    }
    code = code << 6 | (text[i] & 0x3f);
  }
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  return size > 0 && code >= least[size] && code <= 0x10ffff && !is_surrogate ? size : 0;
}

/* Names are keys of JSON's. */
static bool is_utf8(const char *text) {
  const unsigned char *at = (const unsigned char *)text;
  while (*at != '\0') {
    const size_t size = character_size(at);
    if (size == 0) {
      return false;
    }
    at += size;
  }
  return true;
}

relayout_status safetensors_append_metadata(const safetensors *of, safetensors *made,
                                            relayout_error *error) {
  if (!add_metadata(of->metadata, false, made)) {
    safetensors_free(made);
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the metadata of a file");
  }
  return RELAYOUT_OK;
}

relayout_status safetensors_add(safetensors *made, const char *name, const relayout_shape *shape,
                                relayout_error *error) {
  if (!is_utf8(name) || strcmp(name, metadata_key) == 0) {
    return fail_with(error, RELAYOUT_INVALID_TEXT, "'%s' cannot be a tensor's name", name);
  }
  if (!make_room(made, 1)) {
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a list of tensors");
  }
  made->tensors[made->count] = (safetensors_tensor){.name = name, .number = made->count};
  made->count += 1;
  return safetensors_set_shape(made, &made->tensors[made->count - 1], shape, error);
}

relayout_status safetensors_add_stored(safetensors *made, const safetensors_tensor *tensor,
                                       relayout_error *error) {
  if (!is_utf8(tensor->name) || strcmp(tensor->name, metadata_key) == 0) {
    return fail_with(error, RELAYOUT_INVALID_TEXT, "'%s' cannot be a tensor's name", tensor->name);
  }
  return make_room(made, 1) && add_copy(tensor, made)
             ? RELAYOUT_OK
             : fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a list of tensors");
}

relayout_status safetensors_add_text(safetensors *made, const char *key, const char *text,
                                     relayout_error *error) {
  if (!is_utf8(key) || !is_utf8(text)) {
    return RELAYOUT_OK;
  }
  made->metadata = made->metadata == NULL ? json_object() : made->metadata;
  return json_object_set_new(made->metadata, key, json_string(text)) == 0
             ? RELAYOUT_OK
             : fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the metadata of a file");
}

/* ---- Shapes --------------------------------------------------------------------------------- */

/* Under which the metadata have the tensor's shape; the caller frees it. NULL: no memory. */
static char *layout_key(const safetensors_tensor *tensor) {
  const size_t size = sizeof layout_prefix + strlen(tensor->name);
  char *const key = malloc(size);
  if (key != NULL) {
    memcpy(key, layout_prefix, sizeof layout_prefix - 1);
    memcpy(key + sizeof layout_prefix - 1, tensor->name, size - (sizeof layout_prefix - 1));
  }
  return key;
}

/* The shape that a dtype and dimensions say. */
static relayout_status plain_shape(int row, int32_t rank, const int64_t *dimensions,
                                   relayout_shape *shape, relayout_error *error) {
  relayout_status status = relayout_shape_make(dtypes[row].type, rank, dimensions, shape, error);
  if (status == RELAYOUT_OK && dtypes[row].bits < 8 && dtypes[row].bits != SIX_BITS) {
    shape->layout.element_size_in_bits = dtypes[row].bits;
    status = relayout_shape_validate(shape, error);
  }
  return status;
}

/* The dtype that says all of the shape, beside its dimensions; -1 where none does. What would not
 * end with a byte is none's. */
static int row_of_shape(const relayout_shape *shape) {
  relayout_shape plain;
  for (int i = 0; i < DTYPE_COUNT; i++) {
    if (dtypes[i].type == shape->element_type &&
        relayout_shape_element_count(shape) % 8 * dtypes[i].bits % 8 == 0 &&
        plain_shape(i, shape->rank, shape->dimensions, &plain, NULL) == RELAYOUT_OK &&
        relayout_shape_equal(&plain, shape)) {
      return i;
    }
  }
  return -1;
}

/* Of a buffer's elements, or its bytes: a dtype of whole bytes. */
static const char *dtype_of_stored(relayout_element_type type) {
  for (int i = 0; i < DTYPE_COUNT; i++) {
    if (dtypes[i].type == type && dtypes[i].bits >= 8) {
      return dtypes[i].dtype;
    }
  }
  const size_t size = relayout_element_type_byte_size(type);
  return size == 1 ? "U8" : size == 2 ? "U16" : "U32";
}

/* The dtype of a tensor of this shape, and its dimensions. Fortran order is none of the format's:
 * then, too, dimensions are listed as they lie. */
static const char *describe(const relayout_shape *shape, int32_t *rank,
                            int64_t dimensions[RELAYOUT_MAX_RANK]) {
  const int row = row_of_shape(shape);
  npy_header array = npy_describe(shape);
  *rank = row >= 0 ? shape->rank : array.rank;
  for (int32_t i = 0; i < *rank; i++) {
    dimensions[i] = row >= 0              ? shape->dimensions[i]
                    : array.fortran_order ? array.dimensions[array.rank - 1 - i]
                                          : array.dimensions[i];
  }
  return row >= 0 ? dtypes[row].dtype : dtype_of_stored(npy_stored_type(shape));
}

static bool is_described(const safetensors_tensor *tensor, const relayout_shape *shape) {
  int32_t rank;
  int64_t dimensions[RELAYOUT_MAX_RANK];
  bool is_so = strcmp(describe(shape, &rank, dimensions), tensor->dtype) == 0;
  is_so = is_so && rank == tensor->rank;
  for (int32_t i = 0; i < rank && is_so; i++) {
    is_so = dimensions[i] == tensor->dimensions[i];
  }
  return is_so;
}

relayout_status safetensors_shape(const safetensors *of, const safetensors_tensor *tensor,
                                  relayout_shape *shape, relayout_error *error) {
  char *const key = layout_key(tensor);
  if (key == NULL) {
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the name of a tensor");
  }
  const char *const text = json_string_value(json_object_get(of->metadata, key));
  free(key);
  if (text == NULL) {
    const int row = row_of_dtype(tensor->dtype);
    return row >= 0 && dtypes[row].type != RELAYOUT_ELEMENT_TYPE_INVALID
               ? plain_shape(row, tensor->rank, tensor->dimensions, shape, error)
               : fail_with(error, RELAYOUT_UNSUPPORTED,
                           "tensor '%s' has dtype %s, which relayout cannot move", tensor->name,
                           tensor->dtype);
  }
  const relayout_status status = relayout_shape_parse(text, shape, error);
  if (status == RELAYOUT_OK && !is_described(tensor, shape)) {
    return fail_with(
        error, RELAYOUT_SHAPE_MISMATCH,
        "the metadata give tensor '%s' the layout %s, which does not fit its dtype and "
        "shape",
        tensor->name, text);
  }
  return status;
}

/* Puts the text under the tensor's key; NULL takes it away. */
static bool record_layout(safetensors *of, const safetensors_tensor *tensor, const char *text) {
  char *const key = layout_key(tensor);
  bool is_done = key != NULL;
  if (is_done && text == NULL) {
    json_object_del(of->metadata, key);
  } else if (is_done) {
    of->metadata = of->metadata == NULL ? json_object() : of->metadata;
    is_done = json_object_set_new(of->metadata, key, json_string(text)) == 0;
  }
  free(key);
  return is_done;
}

bool safetensors_packs_shape(const relayout_shape *shape) {
  const int row = row_of_shape(shape);
  return row >= 0 && dtypes[row].bits == SIX_BITS;
}

bool safetensors_packs(const safetensors_tensor *tensor) {
  const int row = row_of_dtype(tensor->dtype);
  return row >= 0 && dtypes[row].bits == SIX_BITS;
}

relayout_status safetensors_set_shape(safetensors *of, safetensors_tensor *tensor,
                                      const relayout_shape *shape, relayout_error *error) {
  size_t size = 0;
  int32_t rank;
  int64_t dimensions[RELAYOUT_MAX_RANK];
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  const char *const dtype = describe(shape, &rank, dimensions);
  relayout_shape_byte_size(shape, &size, NULL);
  size = safetensors_packs_shape(shape) ? six_bits_size(size) : size;
  relayout_shape_format(shape, text, sizeof text);
  if (!make_dimensions(tensor, rank) ||
      !record_layout(of, tensor, row_of_shape(shape) >= 0 ? NULL : text)) {
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the layout of tensor '%s'",
                     tensor->name);
  }
  for (int32_t i = 0; i < rank; i++) {
    tensor->dimensions[i] = dimensions[i];
  }
  tensor->dtype = dtype;
  tensor->end = tensor->begin + size;
  return RELAYOUT_OK;
}

relayout_status safetensors_set_stored(safetensors *of, safetensors_tensor *tensor,
                                       const char *dtype, const relayout_shape *shape,
                                       uint64_t size, relayout_error *error) {
  if (!make_dimensions(tensor, shape->rank) || !record_layout(of, tensor, NULL)) {
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the shape of tensor '%s'",
                     tensor->name);
  }
  for (int32_t i = 0; i < shape->rank; i++) {
    tensor->dimensions[i] = shape->dimensions[i];
  }
  tensor->dtype = dtype;
  tensor->end = tensor->begin + size;
  return RELAYOUT_OK;
}

/* ---- Writing -------------------------------------------------------------------------------- */

static uint64_t size_of(const safetensors_tensor *tensor) {
  return tensor->end - tensor->begin;
}

/* What its place has to be a multiple of. */
static uint64_t alignment_of(const safetensors_tensor *tensor, uint64_t alignment) {
  const int row = row_of_dtype(tensor->dtype);
  const uint64_t width = row < 0 || dtypes[row].bits < 8 ? 1 : (uint64_t)dtypes[row].bits / 8;
  const uint64_t size = size_of(tensor);
  return size == 0 ? 1 : size % alignment == 0 ? alignment : width;
}

/* One behind the other; whether each is aligned. */
static bool place_in_order(safetensors *of, uint64_t alignment) {
  uint64_t end = 0;
  bool are_aligned = true;
  for (size_t i = 0; i < of->count; i++) {
    safetensors_tensor *const tensor = &of->tensors[i];
    const uint64_t size = size_of(tensor);
    are_aligned = are_aligned && end % alignment_of(tensor, alignment) == 0;
    tensor->begin = end;
    tensor->end = end += size;
  }
  return are_aligned;
}

static int compare_classes(const void *a, const void *b) {
  const safetensors_tensor *const left = a;
  const safetensors_tensor *const right = b;
  if (left->begin != right->begin) {
    return left->begin < right->begin ? -1 : 1;
  }
  return left->number < right->number ? -1 : left->number > right->number;
}

/* By the powers of two that divide their sizes: behind multiples of one, each multiple of it or of
 * a smaller one is aligned to what it is a multiple of itself. */
static void sort_for_alignment(safetensors *of, uint64_t alignment) {
  for (size_t i = 0; i < of->count; i++) {
    safetensors_tensor *const tensor = &of->tensors[i];
    const uint64_t size = size_of(tensor);
    uint64_t class = 0; /* which stands in `begin` meanwhile */
    for (uint64_t power = alignment; power > 1 && size % power != 0; power /= 2) {
      class += 1;
    }
    tensor->begin = class;
    tensor->end = class + size;
  }
  qsort(of->tensors, of->count, sizeof *of->tensors, compare_classes);
}

static uint64_t at_least_8(uint64_t alignment) {
  return alignment > SAFETENSORS_LEAST_ALIGNMENT ? alignment : SAFETENSORS_LEAST_ALIGNMENT;
}

void safetensors_place(safetensors *of, uint64_t alignment) {
  if (!place_in_order(of, alignment)) {
    sort_for_alignment(of, at_least_8(alignment)); /* no element is wider */
    place_in_order(of, alignment);
  }
}

/* NULL: no memory. */
static json_t *entry_of(const safetensors_tensor *tensor) {
  json_t *const dimensions = json_array();
  for (int32_t i = 0; i < tensor->rank; i++) {
    if (json_array_append_new(dimensions, json_integer(tensor->dimensions[i])) != 0) {
      json_decref(dimensions);
      return NULL;
    }
  }
  return json_pack("{s:s, s:o, s:[I,I]}", "dtype", tensor->dtype, "shape", dimensions,
                   "data_offsets", (json_int_t)tensor->begin, (json_int_t)tensor->end);
}

/* A text that grows. */
typedef struct header_text {
  char *bytes;
  size_t size;
  size_t capacity;
} header_text;

static bool append(header_text *to, const char *bytes, size_t size) {
  if (to->capacity - to->size < size) {
    const size_t capacity = 2 * to->capacity + size;
    char *const grown = realloc(to->bytes, capacity);
    if (grown == NULL) {
      return false;
    }
    to->bytes = grown;
    to->capacity = capacity;
  }
  memcpy(to->bytes + to->size, bytes, size);
  to->size += size;
  return true;
}

/* One at a time, so that no second tree of the whole header takes memory. Gives the value up, which
 * is NULL where there was no memory for it. */
static bool append_member(header_text *to, const char *name, json_t *value) {
  json_t *const object = json_object();
  char *const text =
      json_object_set_new(object, name, value) == 0 ? json_text_write(object, 0) : NULL;
  bool is_done = text != NULL;
  if (is_done) { /* behind a comma or the first bracket, without its own */
    const bool is_first = to->size == SAFETENSORS_PREAMBLE_SIZE + 1;
    is_done = append(to, ",", is_first ? 0 : 1) && append(to, text + 1, strlen(text) - 2);
  }
  free(text);
  json_decref(object);
  return is_done;
}

/* With the metadata first, as others write it, and room for the preamble. */
static bool append_header(header_text *to, const safetensors *of, uint64_t alignment) {
  static const char beginning[SAFETENSORS_PREAMBLE_SIZE + 2] = "        {";
  bool is_done = append(to, beginning, SAFETENSORS_PREAMBLE_SIZE + 1);
  if (json_object_size(of->metadata) > 0) {
    is_done = is_done && append_member(to, metadata_key, json_incref(of->metadata));
  }
  for (size_t i = 0; i < of->count && is_done; i++) {
    is_done = append_member(to, of->tensors[i].name, entry_of(&of->tensors[i]));
  }
  is_done = is_done && append(to, "}", 1);
  while (is_done && to->size % alignment != 0) { /* so that the data are aligned */
    is_done = append(to, " ", 1);
  }
  return is_done;
}

uint64_t safetensors_data_size(const safetensors *of) {
  return of->count > 0 ? of->tensors[of->count - 1].end : 0;
}

relayout_status safetensors_write(const safetensors *of, uint64_t alignment, char **bytes,
                                  size_t *size, relayout_error *error) {
  header_text made = {.size = 0};
  if (!append_header(&made, of, at_least_8(alignment))) {
    free(made.bytes);
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a header of %zu tensors",
                     of->count);
  }
  const size_t length = made.size - SAFETENSORS_PREAMBLE_SIZE;
  for (int i = 0; i < SAFETENSORS_PREAMBLE_SIZE; i++) {
    made.bytes[i] = (char)(length >> 8 * i & 0xff);
  }
  *bytes = made.bytes;
  *size = made.size;
  return RELAYOUT_OK;
}
