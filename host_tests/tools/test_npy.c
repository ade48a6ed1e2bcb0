/* test_npy.c: .npy headers: those that NumPy writes, others that are valid, and malformed ones. */
#include "cmocka_all.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "npy.h"

enum { FILE_CAPACITY = 4096 };

typedef struct file {
  uint8_t bytes[FILE_CAPACITY];
  size_t size;
} file;

/* A file of this version whose header's text is `text`, its length being told truly. */
static file file_of(int version, const char *text) {
  file made = {.bytes = {0x93, 'N', 'U', 'M', 'P', 'Y', (uint8_t)version}};
  const size_t length = strlen(text);
  const size_t preamble = version == 1 ? 10 : 12;
  assert_true(preamble + length <= FILE_CAPACITY);
  made.bytes[8] = (uint8_t)(length & 0xff);
  made.bytes[9] = (uint8_t)(length >> 8);
  memcpy(made.bytes + preamble, text, length);
  made.size = preamble + length;
  return made;
}

/* The header, or the message that says why not, printed when it is no success. */
static relayout_status parse(const file *given, npy_header *header, relayout_error *error) {
  /* A copy of just its size, so that a sanitizer sees a read behind the end. */
  uint8_t *exact = test_malloc(given->size > 0 ? given->size : 1);
  memcpy(exact, given->bytes, given->size);
  const relayout_status status = npy_parse(exact, given->size, header, error);
  test_free(exact);
  return status;
}

/* ---- Good headers --------------------------------------------------------------------------- */

typedef struct good_header {
  int version;
  const char *text;
  npy_header expected;
} good_header;

static const good_header good_headers[] = {
    {1,
     "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }            \n",
     {.kind = 'f', .item_size = 4, .rank = 2, .dimensions = {2, 3}}},
    {1,
     "{'descr': '<c16', 'fortran_order': True, 'shape': (2, 3, 4), }\n",
     {.kind = 'c', .item_size = 16, .fortran_order = true, .rank = 3, .dimensions = {2, 3, 4}}},
    {1,
     "{'descr': '|u1', 'fortran_order': False, 'shape': (), }\n",
     {.kind = 'u', .item_size = 1, .rank = 0}},
    {1,
     "{'descr': '|b1', 'fortran_order': False, 'shape': (7,), }\n",
     {.kind = 'b', .item_size = 1, .rank = 1, .dimensions = {7}}},
    {1,
     "{'descr': '<V2', 'fortran_order': False, 'shape': (0, 3), }\n",
     {.kind = 'V', .item_size = 2, .rank = 2, .dimensions = {0, 3}}},
    {2,
     "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 1)}",
     {.kind = 'i', .item_size = 8, .rank = 2, .dimensions = {1, 1}}},
    {3,
     "{'descr': '=u2', 'fortran_order': False, 'shape': (5,), }\n",
     {.kind = 'u', .item_size = 2, .rank = 1, .dimensions = {5}}},
    /* Any order of keys, any space, double quotes, no comma at the end, Python
     * 2's long integers. */
    {1,
     " {\"shape\":(3L,4L,),\t\"descr\" : \"<f8\" , 'fortran_order':True}\r\n ",
     {.kind = 'f', .item_size = 8, .fortran_order = true, .rank = 2, .dimensions = {3, 4}}},
    /* Byte order says nothing of single bytes. */
    {1,
     "{'descr': '>i1', 'fortran_order': False, 'shape': (2,), }\n",
     {.kind = 'i', .item_size = 1, .rank = 1, .dimensions = {2}}},
    {1,
     "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 0), }\n",
     {.kind = 'f', .item_size = 4, .rank = 2, .dimensions = {INT64_MAX, 0}}},
};

static void assert_same_header(const npy_header *found, const npy_header *expected) {
  assert_int_equal(found->kind, expected->kind);
  assert_int_equal(found->item_size, expected->item_size);
  assert_int_equal(found->fortran_order, expected->fortran_order);
  assert_int_equal(found->rank, expected->rank);
  for (int32_t d = 0; d < expected->rank; d++) {
    assert_int_equal(found->dimensions[d], expected->dimensions[d]);
  }
}

static void test_good_headers(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof good_headers / sizeof good_headers[0]; i++) {
    print_message("%s", good_headers[i].text);
    const file given = file_of(good_headers[i].version, good_headers[i].text);
    npy_header header;
    relayout_error error = {.message = ""};
    const relayout_status status = parse(&given, &header, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(status, RELAYOUT_OK);
    assert_same_header(&header, &good_headers[i].expected);
  }
}

/* ---- Bad headers ---------------------------------------------------------------------------- */

typedef struct bad_header {
  const char *text;
  relayout_status status;
  const char *message_part;
} bad_header;

#define DESCR "'descr': '<f4', "
#define ORDER "'fortran_order': False, "
#define HUNDRED                                                                                    \
  "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((("

static const bad_header bad_headers[] = {
    {"", RELAYOUT_INVALID_TEXT, "ends where '{' should be"},
    {"\n", RELAYOUT_INVALID_TEXT, "ends where '{' should be"},
    {"[" DESCR ORDER "'shape': (2,)}", RELAYOUT_INVALID_TEXT, "has '[' at position 10"},
    {"{}", RELAYOUT_INVALID_TEXT, "lacks the key 'descr'"},
    {"{" ORDER "'shape': (2,)}", RELAYOUT_INVALID_TEXT, "lacks the key 'descr'"},
    {"{" DESCR "'shape': (2,)}", RELAYOUT_INVALID_TEXT, "lacks the key 'fortran_order'"},
    {"{" DESCR ORDER "}", RELAYOUT_INVALID_TEXT, "lacks the key 'shape'"},
    {"{" DESCR DESCR ORDER "'shape': (2,)}", RELAYOUT_INVALID_TEXT, "'descr' twice"},
    {"{" DESCR ORDER ORDER "'shape': (2,)}", RELAYOUT_INVALID_TEXT, "'fortran_order' twice"},
    {"{" DESCR ORDER "'shape': (2,), 'shape': (3,)}", RELAYOUT_INVALID_TEXT, "'shape' twice"},
    {"{" DESCR ORDER "'shape': (2,), 'colour': 1}", RELAYOUT_INVALID_TEXT, "unknown key 'colour'"},
    {"{" DESCR ORDER "'shape': (2,)", RELAYOUT_INVALID_TEXT, "ends where ',' or '}' should be"},
    {"{" DESCR ORDER "'shape': (2,)} x", RELAYOUT_INVALID_TEXT, "'x' at position 66"},
    {"{" DESCR ORDER "'shape': (2,)}{}", RELAYOUT_INVALID_TEXT, "where its end should be"},
    {"{" DESCR ORDER "'shape': (2", RELAYOUT_INVALID_TEXT, "ends where ',' or ')' should be"},
    {"{" DESCR ORDER "'shape': (2 3)}", RELAYOUT_INVALID_TEXT, "'3'"},
    {"{" DESCR ORDER "'shape': (2,,3)}", RELAYOUT_INVALID_TEXT, "','"},
    {"{" DESCR ORDER "'shape': (,)}", RELAYOUT_INVALID_TEXT, "where a dimension should be"},
    {"{" DESCR ORDER "'shape': (2)}", RELAYOUT_INVALID_TEXT, "expected (2,)"},
    {"{" DESCR ORDER "'shape': 2}", RELAYOUT_INVALID_TEXT, "the tuple of dimensions"},
    {"{" DESCR ORDER "'shape': [2, 3]}", RELAYOUT_INVALID_TEXT, "the tuple of dimensions"},
    {"{" DESCR ORDER "'shape': ((2, 3))}", RELAYOUT_INVALID_TEXT, "where a dimension should be"},
    {"{" DESCR ORDER "'shape': " HUNDRED HUNDRED, RELAYOUT_INVALID_TEXT, "'('"},
    {"{" DESCR ORDER "'shape': (0x10,)}", RELAYOUT_INVALID_TEXT, "'x'"},
    {"{" DESCR ORDER "'shape': (2.0,)}", RELAYOUT_INVALID_TEXT, "'.'"},
    {"{" DESCR ORDER "'shape': (-2, 3)}", RELAYOUT_INVALID_TEXT, "is negative"},
    {"{" DESCR ORDER "'shape': (9223372036854775808,)}", RELAYOUT_SIZE_OVERFLOW, "63 bits"},
    {"{" DESCR ORDER "'shape': (99999999999999999999999999999999999999999999999999,)}",
     RELAYOUT_SIZE_OVERFLOW, "63 bits"},
    {"{" DESCR ORDER
     "'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
     "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
     RELAYOUT_UNSUPPORTED, "more than 64 dimensions"},
    {"{" DESCR "'fortran_order': 1, 'shape': (2,)}", RELAYOUT_INVALID_TEXT, "True or False"},
    {"{" DESCR "'fortran_order': true, 'shape': (2,)}", RELAYOUT_INVALID_TEXT, "True or False"},
    {"{" DESCR "'fortran_order': Truest, 'shape': (2,)}", RELAYOUT_INVALID_TEXT, "'s'"},
    {"{'descr': '<f4, " ORDER "'shape': (2,)}", RELAYOUT_INVALID_TEXT, "'<f4, ', which is not"},
    {"{'descr': '<f4", RELAYOUT_INVALID_TEXT, "ends where"},
    {"{'descr': \"<f4', " ORDER "'shape': (2,)}", RELAYOUT_INVALID_TEXT, "element"},
    {"{'descr", RELAYOUT_INVALID_TEXT, "ends where"},
    {"{'descr': '<f4\\x00', " ORDER "'shape': (2,)}", RELAYOUT_INVALID_TEXT, "'\\'"},
    {"{'descr': '<\xc3\xa9', " ORDER "'shape': (2,)}", RELAYOUT_INVALID_TEXT, "byte 0xc3"},
    {"{'d\xc3\xa9scr': '<f4', " ORDER "'shape': (2,)}", RELAYOUT_INVALID_TEXT, "byte 0xc3"},
    {"\xff{" DESCR ORDER "'shape': (2,)}", RELAYOUT_INVALID_TEXT, "byte 0xff at position 10"},
    {"{" DESCR ORDER "'shape': (2,)}\x01", RELAYOUT_INVALID_TEXT, "byte 0x01"},
    {"{'descr': '', " ORDER "'shape': (2,)}", RELAYOUT_INVALID_TEXT,
     "descr is '', which is not an"},
    {"{'descr': '<', " ORDER "'shape': (2,)}", RELAYOUT_INVALID_TEXT,
     "descr is '<', which is not an"},
    {"{'descr': '<f', " ORDER "'shape': (2,)}", RELAYOUT_INVALID_TEXT, "'<f', which is not"},
    {"{'descr': '<f0', " ORDER "'shape': (2,)}", RELAYOUT_INVALID_TEXT, "'<f0', which is not"},
    {"{'descr': '<f-4', " ORDER "'shape': (2,)}", RELAYOUT_INVALID_TEXT, "'<f-4', which is not"},
    {"{'descr': '<f4x', " ORDER "'shape': (2,)}", RELAYOUT_INVALID_TEXT, "'<f4x', which is not"},
    {"{'descr': '<f99999999999999999999', " ORDER "'shape': (2,)}", RELAYOUT_INVALID_TEXT, "no"},
    {"{'descr': 'f4', " ORDER "'shape': (2,)}", RELAYOUT_INVALID_TEXT,
     "descr is 'f4', which is not an"},
    {"{'descr': '<f44444444444444444444444444444444444444', " ORDER "'shape': (2,)}",
     RELAYOUT_INVALID_TEXT, "element"},
    {"{'descr': '|O', " ORDER "'shape': (2,)}", RELAYOUT_UNSUPPORTED, "'|O'"},
    {"{'descr': '<M8[ns]', " ORDER "'shape': (2,)}", RELAYOUT_UNSUPPORTED, "'<M8[ns]'"},
    {"{'descr': '<U7', " ORDER "'shape': (2,)}", RELAYOUT_UNSUPPORTED, "'<U7'"},
    {"{'descr': [('x', '<f4')], " ORDER "'shape': (2,)}", RELAYOUT_UNSUPPORTED, "several fields"},
};

static void test_bad_headers(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof bad_headers / sizeof bad_headers[0]; i++) {
    print_message("%s\n", bad_headers[i].text);
    const file given = file_of(1, bad_headers[i].text);
    npy_header header = {.rank = 42};
    relayout_error error = {.message = ""};
    const relayout_status status = parse(&given, &header, &error);
    print_message("  %s\n", error.message);
    assert_int_equal(status, bad_headers[i].status);
    assert_int_equal(error.status, bad_headers[i].status);
    assert_non_null(strstr(error.message, bad_headers[i].message_part));
    assert_int_equal(header.rank, 42);
    assert_int_equal(npy_parse(given.bytes, given.size, &header, NULL), bad_headers[i].status);
  }
}

/* A zero byte ends C's strings, not the header. */
static void test_zero_byte(void **state) {
  (void)state;
  file given = file_of(1, "{" DESCR ORDER "'shape': (2,)}  ");
  given.bytes[given.size - 1] = '\0';
  npy_header header;
  relayout_error error;
  assert_int_equal(parse(&given, &header, &error), RELAYOUT_INVALID_TEXT);
  assert_non_null(strstr(error.message, "byte 0x00"));
}

/* ---- The preamble --------------------------------------------------------------------------- */

static void test_truncated_everywhere(void **state) {
  (void)state;
  for (int version = 1; version <= 3; version++) {
    file given = file_of(version, "{" DESCR ORDER "'shape': (2, 3), }\n");
    const size_t whole = given.size;
    npy_header header;
    assert_int_equal(parse(&given, &header, NULL), RELAYOUT_OK);
    for (given.size = 0; given.size < whole; given.size++) {
      relayout_error error = {.message = ""};
      assert_int_equal(parse(&given, &header, &error), RELAYOUT_INVALID_TEXT);
      const char *expected =
          given.size < NPY_MAGIC_SIZE ? "not a .npy file" : "the file ends after";
      assert_non_null(strstr(error.message, expected));
    }
  }
}

/* The same with a length that fits what is left: then it is the dictionary that ends. */
static void test_short_dictionary_everywhere(void **state) {
  (void)state;
  char text[] = "{" DESCR ORDER "'shape': (2, 3), }";
  for (size_t length = sizeof text - 2; length > 0; length--) {
    text[length] = '\0';
    const file given = file_of(1, text);
    npy_header header;
    assert_int_equal(parse(&given, &header, NULL), RELAYOUT_INVALID_TEXT);
  }
}

typedef struct preamble {
  const char *what;
  uint8_t bytes[NPY_PREAMBLE_SIZE];
  const char *message_part;
} preamble;

static const preamble bad_preambles[] = {
    {"another magic", {0x93, 'N', 'U', 'M', 'P', 'X', 1, 0, 9, 0}, "not a .npy file"},
    {"no high bit", {0x13, 'N', 'U', 'M', 'P', 'Y', 1, 0, 9, 0}, "not a .npy file"},
    {"version 0", {0x93, 'N', 'U', 'M', 'P', 'Y', 0, 0, 9, 0}, "version is 0.0"},
    {"version 4", {0x93, 'N', 'U', 'M', 'P', 'Y', 4, 0, 9, 0}, "version is 4.0"},
    {"version 1.1", {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 1, 9, 0}, "version is 1.1"},
    {"the longest header",
     {0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, 0xff, 0xff, 0xff, 0xff},
     "4294967295 bytes long"},
    {"one byte too many",
     {0x93, 'N', 'U', 'M', 'P', 'Y', 3, 0, 0xf5, 0xff, 0x0f, 0},
     "1048565 bytes long"},
};

static void test_bad_preambles(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof bad_preambles / sizeof bad_preambles[0]; i++) {
    print_message("%s\n", bad_preambles[i].what);
    size_t size = 42;
    relayout_error error;
    assert_int_equal(npy_header_size(bad_preambles[i].bytes, NPY_PREAMBLE_SIZE, &size, &error),
                     RELAYOUT_INVALID_TEXT);
    assert_non_null(strstr(error.message, bad_preambles[i].message_part));
    assert_int_equal(size, 42);
  }
}

static void test_header_size(void **state) {
  (void)state;
  static const uint8_t short_length[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0x76, 0x01};
  static const uint8_t long_length[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 3, 0, 0xf4, 0xff, 0x0f, 0};
  size_t size;
  assert_int_equal(npy_header_size(short_length, sizeof short_length, &size, NULL), RELAYOUT_OK);
  assert_int_equal(size, 10 + 0x176);
  assert_int_equal(npy_header_size(long_length, sizeof long_length, &size, NULL), RELAYOUT_OK);
  assert_int_equal(size, NPY_MAX_HEADER_SIZE);
}

/* ---- Types ---------------------------------------------------------------------------------- */

typedef struct type_case {
  char kind;
  int64_t item_size;
  relayout_element_type wanted;
  relayout_element_type expected; /* INVALID: refused */
} type_case;

static const type_case type_cases[] = {
    {'b', 1, RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_PRED},
    {'i', 1, RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_S8},
    {'i', 2, RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_S16},
    {'i', 4, RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_S32},
    {'i', 8, RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_S64},
    {'u', 1, RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_U8},
    {'u', 2, RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_U16},
    {'u', 4, RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_U32},
    {'u', 8, RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_U64},
    {'f', 2, RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_F16},
    {'f', 4, RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_F32},
    {'f', 8, RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_F64},
    {'c', 8, RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_C64},
    {'c', 16, RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_C128},
    {'f', 1, RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_ELEMENT_TYPE_INVALID},
    {'f', 16, RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_ELEMENT_TYPE_INVALID},
    {'c', 4, RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_ELEMENT_TYPE_INVALID},
    {'i', 3, RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_ELEMENT_TYPE_INVALID},
    {'V', 2, RELAYOUT_ELEMENT_TYPE_INVALID, RELAYOUT_ELEMENT_TYPE_INVALID},
    /* The user says the type. */
    {'f', 4, RELAYOUT_F32, RELAYOUT_F32},
    {'V', 2, RELAYOUT_BF16, RELAYOUT_BF16},
    {'u', 2, RELAYOUT_BF16, RELAYOUT_BF16},
    {'i', 2, RELAYOUT_BF16, RELAYOUT_BF16},
    {'f', 1, RELAYOUT_F8E5M2, RELAYOUT_F8E5M2},
    {'V', 1, RELAYOUT_F8E4M3FN, RELAYOUT_F8E4M3FN},
    {'u', 1, RELAYOUT_S4, RELAYOUT_S4},
    {'V', 1, RELAYOUT_U4, RELAYOUT_U4},
    {'V', 16, RELAYOUT_C128, RELAYOUT_C128},
    {'V', 4, RELAYOUT_F32, RELAYOUT_F32},
    /* And is not believed when it cannot be. */
    {'f', 4, RELAYOUT_S32, RELAYOUT_ELEMENT_TYPE_INVALID},
    {'u', 4, RELAYOUT_S32, RELAYOUT_ELEMENT_TYPE_INVALID},
    {'f', 8, RELAYOUT_C64, RELAYOUT_ELEMENT_TYPE_INVALID},
    {'f', 4, RELAYOUT_F64, RELAYOUT_ELEMENT_TYPE_INVALID},
    {'V', 4, RELAYOUT_BF16, RELAYOUT_ELEMENT_TYPE_INVALID},
    {'u', 1, RELAYOUT_BF16, RELAYOUT_ELEMENT_TYPE_INVALID},
    {'u', 1, RELAYOUT_PRED, RELAYOUT_ELEMENT_TYPE_INVALID},
    {'b', 1, RELAYOUT_S4, RELAYOUT_ELEMENT_TYPE_INVALID},
    {'u', 2, RELAYOUT_F16, RELAYOUT_ELEMENT_TYPE_INVALID},
};

static void test_types(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof type_cases / sizeof type_cases[0]; i++) {
    const type_case *c = &type_cases[i];
    print_message("'%c%" PRId64 "' as %s\n", c->kind, c->item_size,
                  relayout_element_type_name(c->wanted));
    const npy_header header = {.kind = c->kind, .item_size = c->item_size};
    relayout_element_type type = RELAYOUT_ELEMENT_TYPE_INVALID;
    const relayout_status status = npy_element_type(&header, c->wanted, &type, NULL);
    assert_int_equal(type, c->expected);
    assert_int_equal(status, c->expected == RELAYOUT_ELEMENT_TYPE_INVALID ? RELAYOUT_SHAPE_MISMATCH
                                                                          : RELAYOUT_OK);
  }
}

/* ---- Shapes --------------------------------------------------------------------------------- */

static void assert_shape_text(const npy_header *header, const char *expected) {
  relayout_shape shape;
  char text[256];
  assert_int_equal(npy_shape(header, RELAYOUT_F32, &shape, NULL), RELAYOUT_OK);
  relayout_shape_format(&shape, text, sizeof text);
  assert_string_equal(text, expected);
}

static void test_shapes(void **state) {
  (void)state;
  npy_header header = {.kind = 'f', .item_size = 4, .rank = 3, .dimensions = {2, 3, 4}};
  assert_shape_text(&header, "f32[2,3,4]{2,1,0}");
  header.fortran_order = true;
  assert_shape_text(&header, "f32[2,3,4]{0,1,2}");
  header.dimensions[0] = INT64_MAX;
  relayout_shape shape;
  assert_int_equal(npy_shape(&header, RELAYOUT_F32, &shape, NULL), RELAYOUT_SIZE_OVERFLOW);
}

typedef struct written_header {
  const char *shape;
  const char *text; /* without the space at its end */
} written_header;

static const written_header written_headers[] = {
    {"f32[2,3]", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"},
    {"f32[2,3]{0,1}", "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }"},
    {"f32[2,3,4]{0,2,1}", "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4, 2), }"},
    {"f32[2,3]{1,0:PD(3,5)}", "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 5), }"},
    {"f32[2,3]{0,1:PD(3,5)}", "{'descr': '<f4', 'fortran_order': False, 'shape': (5, 3), }"},
    {"f32[2,3]{0,1:PD(2,3)}", "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }"},
    {"f64[]", "{'descr': '<f8', 'fortran_order': False, 'shape': (), }"},
    {"c128[7]", "{'descr': '<c16', 'fortran_order': False, 'shape': (7,), }"},
    {"pred[0,5]", "{'descr': '|b1', 'fortran_order': False, 'shape': (0, 5), }"},
    {"bf16[4]", "{'descr': '<u2', 'fortran_order': False, 'shape': (4,), }"},
    {"f8e5m2[4]", "{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }"},
    {"s4[4]", "{'descr': '|u1', 'fortran_order': False, 'shape': (4,), }"},
    {"s64[2]", "{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }"},
    /* Tiles: their numbers, then their own dimensions. */
    {"f32[3,5]{1,0:T(2,2)}", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 2, 2), }"},
    {"f32[3,5]{0,1:T(2,2)}", "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2, 2, 2), }"},
    {"f32[3,5]{1,0:PD(4,8)T(2,2)}",
     "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4, 2, 2), }"},
    {"f32[8]{0:T(2,2)}", "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4, 2, 2), }"},
    {"f32[]{:T(4)}", "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4), }"},
    {"bf16[2048]{0:T(1024)(128)(2,1)}",
     "{'descr': '<u2', 'fortran_order': False, 'shape': (2, 4, 128, 2, 1), }"},
    {"bf16[16,256]{1,0:T(8,128)(2,1)}",
     "{'descr': '<u2', 'fortran_order': False, 'shape': (2, 2, 4, 128, 2, 1), }"},
    {"f32[4,3,5]{2,1,0:T(*,2,4)}",
     "{'descr': '<f4', 'fortran_order': False, 'shape': (6, 2, 2, 4), }"},
    {"f32[3,5]{1,0:T(*,*,4)}", "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4), }"},
    /* Lists: of elements for a tail, of bytes for packed ones. */
    {"f32[3]{0:L(5)}", "{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }"},
    {"f32[3,5]{1,0:T(2,2)L(32)}", "{'descr': '<f4', 'fortran_order': False, 'shape': (32,), }"},
    {"s4[3,5]{1,0:E(4)}", "{'descr': '|u1', 'fortran_order': False, 'shape': (8,), }"},
    {"pred[3,5]{1,0:T(2,2)E(1)}", "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }"},
    {"f32[2,3,4]{0,2,1:T(2)}", "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4, 1, 2), }"},
    /* Containers: unsigned integers. */
    {"s4[3,5]{1,0:E(8)}", "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 5), }"},
    {"pred[3,5]{0,1:E(16)}", "{'descr': '<u2', 'fortran_order': True, 'shape': (3, 5), }"},
    {"f16[3,5]{1,0:T(2,2)E(32)}",
     "{'descr': '<u4', 'fortran_order': False, 'shape': (2, 3, 2, 2), }"},
    {"s8[3]{0:L(5)E(32)}", "{'descr': '<u4', 'fortran_order': False, 'shape': (5,), }"},
    {"f32[3]{0:E(32)}", "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"},
};

/* Written on a machine of the common byte order; elsewhere '<' is '>'. */
static void test_written_headers(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof written_headers / sizeof written_headers[0]; i++) {
    print_message("%s\n", written_headers[i].shape);
    relayout_shape shape;
    assert_int_equal(relayout_shape_parse(written_headers[i].shape, &shape, NULL), RELAYOUT_OK);
    const npy_header header = npy_describe(&shape);
    char bytes[NPY_MAX_WRITTEN_SIZE];
    const size_t size = npy_write(&header, bytes);
    assert_int_equal(size % 64, 0);
    assert_int_equal(bytes[size - 1], '\n');
    assert_memory_equal(bytes, "\x93NUMPY\x01\x00", 8);
    assert_int_equal((uint8_t)bytes[8] + 256 * (uint8_t)bytes[9], size - 10);
    assert_memory_equal(bytes + 10, written_headers[i].text, strlen(written_headers[i].text));
    npy_header again;
    assert_int_equal(npy_parse((const uint8_t *)bytes, size, &again, NULL), RELAYOUT_OK);
    assert_same_header(&again, &header);
  }
}

static void test_longest_written_header(void **state) {
  (void)state;
  npy_header header = {.kind = 'c', .item_size = 16, .rank = RELAYOUT_MAX_RANK};
  for (int32_t d = 0; d < RELAYOUT_MAX_RANK; d++) {
    header.dimensions[d] = INT64_MAX - d;
  }
  char bytes[NPY_MAX_WRITTEN_SIZE];
  const size_t size = npy_write(&header, bytes);
  npy_header again;
  assert_int_equal(npy_parse((const uint8_t *)bytes, size, &again, NULL), RELAYOUT_OK);
  assert_same_header(&again, &header);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_good_headers),
      cmocka_unit_test(test_bad_headers),
      cmocka_unit_test(test_zero_byte),
      cmocka_unit_test(test_truncated_everywhere),
      cmocka_unit_test(test_short_dictionary_everywhere),
      cmocka_unit_test(test_bad_preambles),
      cmocka_unit_test(test_header_size),
      cmocka_unit_test(test_types),
      cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_written_headers),
      cmocka_unit_test(test_longest_written_header),
  };
  return cmocka_run_group_tests_name("tools.npy", tests, NULL, NULL);
}
