/* test_safetensors.c: headers of model files: good ones, what is wrong with others, and layouts
 * that the metadata keep. Texts are written by hand from the format's description. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_text.h"
#include "safetensors.h"

/* With exact room, so that a sanitizer sees a read behind the end. */
static relayout_status parse(const char *text, uint64_t data_size, safetensors *made,
                             relayout_error *error) {
  const size_t size = strlen(text);
  char *const exact = test_malloc(size > 0 ? size : 1);
  memcpy(exact, text, size);
  const relayout_status status = safetensors_parse(exact, size, data_size, made, error);
  test_free(exact);
  return status;
}

static safetensors parsed(const char *text, uint64_t data_size) {
  safetensors made;
  relayout_error error;
  if (parse(text, data_size, &made, &error) != RELAYOUT_OK) {
    fail_msg("%s: %s", text, error.message);
  }
  return made;
}

static relayout_shape shape_of(const char *text) {
  relayout_shape shape;
  assert_int_equal(relayout_shape_parse(text, &shape, NULL), RELAYOUT_OK);
  return shape;
}

/* ---- The preamble --------------------------------------------------------------------------- */

static void test_sizes_of_headers(void **state) {
  (void)state;
  const uint8_t bytes[8] = {0x34, 0x12};
  const uint8_t most[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  size_t size = 42;
  relayout_error error;
  assert_int_equal(safetensors_header_size(bytes, 8 + 0x1234, &size, &error), RELAYOUT_OK);
  assert_int_equal(size, 0x1234);
  assert_int_equal(safetensors_header_size(bytes, 8 + 0x1233, &size, &error),
                   RELAYOUT_INVALID_TEXT);
  assert_non_null(strstr(error.message, "its header would have 4660 bytes"));
  assert_int_equal(safetensors_header_size(bytes, 7, &size, &error), RELAYOUT_INVALID_TEXT);
  assert_int_equal(safetensors_header_size(most, UINT64_MAX, &size, &error), RELAYOUT_INVALID_TEXT);
}

/* ---- Good headers --------------------------------------------------------------------------- */

static void test_tensors(void **state) {
  (void)state;
  safetensors of = parsed("{\"__metadata__\":{\"format\":\"pt\"},"
                          "\"second\":{\"dtype\":\"BF16\",\"shape\":[3],\"data_offsets\":[24,30]},"
                          "\"none\":{\"shape\":[0,7],\"dtype\":\"I64\",\"data_offsets\":[24,24]},"
                          "\"first\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
                          "\"new\":{\"dtype\":\"Q3\",\"shape\":[],\"data_offsets\":[30,37]}}    ",
                          37);
  assert_int_equal(of.count, 4);
  static const char *const names[] = {"first", "none", "second", "new"};
  for (size_t i = 0; i < 4; i++) {
    assert_string_equal(of.tensors[i].name, names[i]);
    assert_int_equal(of.tensors[i].number, i);
  }
  assert_int_equal(of.tensors[0].rank, 2);
  assert_int_equal(of.tensors[0].dimensions[1], 3);
  assert_int_equal(of.tensors[2].begin, 24);
  assert_int_equal(of.tensors[2].end, 30);
  safetensors_free(&of);
  of = parsed("{}", 0);
  assert_int_equal(of.count, 0);
  safetensors_free(&of);
}

static void test_plain_shapes(void **state) {
  (void)state;
  static const struct {
    const char *header;
    uint64_t size;
    const char *shape; /* NULL: none */
  } cases[] = {
      {"{\"t\":{\"dtype\":\"F8_E4M3\",\"shape\":[2,3],\"data_offsets\":[0,6]}}", 6,
       "f8e4m3fn[2,3]"},
      {"{\"t\":{\"dtype\":\"BOOL\",\"shape\":[],\"data_offsets\":[0,1]}}", 1, "pred[]"},
      {"{\"t\":{\"dtype\":\"C64\",\"shape\":[1],\"data_offsets\":[0,8]}}", 8, "c64[1]"},
      {"{\"t\":{\"dtype\":\"F4\",\"shape\":[3,3],\"data_offsets\":[0,5]}}", 5,
       "f4e2m1fn[3,3]{1,0:E(4)}"},
      {"{\"t\":{\"dtype\":\"F6_E2M3\",\"shape\":[4],\"data_offsets\":[0,3]}}", 3, "f6e2m3fn[4]"},
      {"{\"t\":{\"dtype\":\"F6_E3M2\",\"shape\":[2,4],\"data_offsets\":[0,6]}}", 6,
       "f6e3m2fn[2,4]"},
      {"{\"t\":{\"dtype\":\"F8_E4M3FNUZ\",\"shape\":[3],\"data_offsets\":[0,3]}}", 3,
       "f8e4m3fnuz[3]"},
      {"{\"t\":{\"dtype\":\"F8_E5M2FNUZ\",\"shape\":[3],\"data_offsets\":[0,3]}}", 3,
       "f8e5m2fnuz[3]"},
      {"{\"__metadata__\":null,\"t\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]}}", 3,
       "u8[3]"},
      {"{\"t\":{\"dtype\":\"Q3\",\"shape\":[4],\"data_offsets\":[0,3]}}", 3, NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    safetensors of = parsed(cases[i].header, cases[i].size);
    relayout_shape shape;
    relayout_error error;
    const relayout_status status = safetensors_shape(&of, &of.tensors[0], &shape, &error);
    assert_int_equal(status, cases[i].shape != NULL ? RELAYOUT_OK : RELAYOUT_UNSUPPORTED);
    if (cases[i].shape != NULL) {
      const relayout_shape expected = shape_of(cases[i].shape);
      assert_true(relayout_shape_equal(&shape, &expected));
    }
    safetensors_free(&of);
  }
}

/* ---- Bad headers ---------------------------------------------------------------------------- */

#define TENSOR(members) "{\"t\":{" members "}}"
#define SIX             "\"dtype\":\"U8\",\"shape\":[2,3],\"data_offsets\":"

static const struct {
  const char *text;
  const char *message;
} bad_headers[] = {
    {"", "does not begin with {"},
    {" {}", "does not begin with {"},
    {"[]", "does not begin with {"},
    {"{", "byte 1 of the header"},
    {"{} {}", "of the header"},
    {"{\"t\":1}", "'t' must be an object of dtype"},
    {"{\"t\":{}}", "'t' must be an object of dtype"},
    {TENSOR(SIX "[0,6],\"more\":1"), "'t' must be an object of dtype"},
    {TENSOR("\"dtype\":8,\"shape\":[6],\"data_offsets\":[0,6]"), "'t' must be an object of dtype"},
    {"{\"t\":{" SIX "[0,6]},\"t\":{" SIX "[0,6]}}", "duplicate"},
    {TENSOR("\"dtype\":\"U8\",\"shape\":6,\"data_offsets\":[0,6]"),
     "the shape of tensor 't' is not a list"},
    {TENSOR("\"dtype\":\"U8\",\"shape\":[6,-1],\"data_offsets\":[0,6]"), "dimension 1 of"},
    {TENSOR("\"dtype\":\"U8\",\"shape\":[6.0],\"data_offsets\":[0,6]"), "dimension 0 of"},
    {TENSOR("\"dtype\":\"U8\",\"shape\":[9223372036854775808],\"data_offsets\":[0,6]"), "of the"},
    {TENSOR("\"dtype\":\"U8\",\"shape\":[7],\"data_offsets\":[0,6]"), "has 6 bytes, but its shape"},
    {TENSOR("\"dtype\":\"U16\",\"shape\":[6],\"data_offsets\":[0,6]"),
     "has 6 bytes, but its shape"},
    {TENSOR("\"dtype\":\"U8\",\"shape\":[4294967296,4294967296,6],\"data_offsets\":[0,6]"),
     "has 6 bytes, but its shape"},
    {TENSOR("\"dtype\":\"F4\",\"shape\":[13],\"data_offsets\":[0,6]"),
     "has 6 bytes, but its shape"},
    {TENSOR(SIX "[6]"), "must be two numbers"},
    {TENSOR(SIX "[0,6,6]"), "must be two numbers"},
    {TENSOR(SIX "[-1,5]"), "must be two numbers"},
    {TENSOR(SIX "[6,0]"), "must be two numbers"},
    {TENSOR(SIX "\"06\""), "must be two numbers"},
    {TENSOR(SIX "[1,7]"), "'t' begins at byte 1, but those before it end at 0"},
    {"{\"t\":{" SIX "[0,6]},\"u\":{" SIX "[5,11]}}", "'u' begins at byte 5"},
    {"{\"t\":{" SIX "[0,6]},\"u\":{" SIX "[6,12]}}", "have 12 bytes, but the file has 6"},
    {"{}", "have 0 bytes, but the file has 6"},
    {"{\"__metadata__\":[],\"t\":{" SIX "[0,6]}}", "__metadata__ is not an object"},
    {"{\"__metadata__\":{\"a\":1},\"t\":{" SIX "[0,6]}}", "'a' of __metadata__ is not a string"},
    {"{\"\xff\":{" SIX "[0,6]}}", "of the header"},
    {"{\"a\n\":{" SIX "[0,6]}}", "byte 3 of the header: a control character in a string"},
    {"{\"\\\"[\x01", "byte 5 of the header: a control character in a string"},
    {"{\"t\":1234567890123456789012345678901234567890", "byte 45 of the header: too big"},
    {"{\"t\":12345678901234567890123456789012345678901", "byte 45 of the header: a word of more"},
};

static void test_bad_headers(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof bad_headers / sizeof bad_headers[0]; i++) {
    safetensors of;
    relayout_error error = {.message = ""};
    print_message("%s\n", bad_headers[i].text);
    assert_int_equal(parse(bad_headers[i].text, 6, &of, &error), RELAYOUT_INVALID_TEXT);
    if (strstr(error.message, bad_headers[i].message) == NULL) {
      fail_msg("'%s' does not say '%s'", error.message, bad_headers[i].message);
    }
    assert_null(of.tensors);
  }
}

static void test_deep_and_wide_headers(void **state) {
  (void)state;
  enum { DEEP = 100000, RANK = 65 };
  char *const text = test_malloc(DEEP + 128);
  safetensors of;
  relayout_error error;
  memcpy(text, "{\"t\":", 5);
  memset(text + 5, '[', DEEP);
  assert_int_equal(safetensors_parse(text, 5 + DEEP, 0, &of, &error), RELAYOUT_INVALID_TEXT);
  strcpy(text, "{\"t\":{\"dtype\":\"U8\",\"data_offsets\":[0,1],\"shape\":[1");
  for (int i = 1; i < RANK; i++) {
    strcat(text, ",1");
  }
  strcat(text, "]}}");
  assert_int_equal(parse(text, 1, &of, &error), RELAYOUT_UNSUPPORTED);
  assert_non_null(strstr(error.message, "'t' has 65 dimensions, more than 64"));
  strcpy(text, "{\"t\":[");
  for (size_t i = 0; i < DEEP; i += 3) {
    memcpy(text + 6 + i, "{},", 4);
  }
  strcat(text, "{}]}");
  assert_int_equal(parse(text, 0, &of, &error), RELAYOUT_INVALID_TEXT);
  assert_non_null(strstr(error.message, "too many brackets for its size"));
  test_free(text);
}

/* ---- Without memory ------------------------------------------------------------------------- */

static int allocations_left;

static void *allocate_some(size_t size) {
  return allocations_left-- > 0 ? malloc(size) : NULL;
}

/* Where memory ends at any allocation there is nothing, or all of it, and the process goes on. */
static void test_memory_that_ends(void **state) {
  (void)state;
  static const char *const texts[] = {
      "[1234567890123456]",
      "[true,1.2345678901234567890123456789012345678]",
      "[\"a\",true,12345678901234567890]",
      "{\"abcdefg\":\"x\",\"a\":123456789012345678901234567890e-12}",
      "[\"a text of thirty-two characters.\"]",
      "[\"a text that is longer than twice as many, and takes more room than others\"]",
      "[falsefalsefalsefalsefalsefalse]",
  };
  json_malloc_t usual;
  json_free_t usual_free;
  json_get_alloc_funcs(&usual, &usual_free);
  json_set_alloc_funcs(allocate_some, free);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    bool has_ended = false;
    for (int n = 0; !has_ended; n++) {
      json_error_t problem;
      allocations_left = n;
      json_t *const json = json_text_load(texts[i], strlen(texts[i]), &problem);
      has_ended = allocations_left >= 0;
      assert_int_equal(json != NULL || problem.text[0] != '\0', has_ended);
      json_decref(json);
    }
  }
  json_set_alloc_funcs(usual, usual_free);
}

/* ---- Layouts -------------------------------------------------------------------------------- */

static char *written(const safetensors *of) {
  char *bytes = NULL;
  size_t size = 0;
  assert_int_equal(safetensors_write(of, 64, &bytes, &size, NULL), RELAYOUT_OK);
  assert_int_equal(size % 64, 0);
  assert_int_equal((unsigned char)bytes[0] + 256 * (unsigned char)bytes[1], size - 8);
  bytes[size - 1] = '\0'; /* a space, or the last bracket's place, which is looked for below */
  memmove(bytes, bytes + 8, size - 8);
  return bytes;
}

static void expect_text(const safetensors *of, const char *expected) {
  char *const text = written(of);
  if (strncmp(text, expected, strlen(expected)) != 0) {
    fail_msg("%s\nand not %s", text, expected);
  }
  free(text);
}

static const char two_tensors[] =
    "{\"__metadata__\":{\"format\":\"pt\"},"
    "\"w\":{\"dtype\":\"F32\",\"shape\":[3,5],\"data_offsets\":[0,60]},"
    "\"b\":{\"dtype\":\"I8\",\"shape\":[4],\"data_offsets\":[60,64]}}";

static void test_layouts_are_kept(void **state) {
  (void)state;
  safetensors of = parsed(two_tensors, 64);
  const relayout_shape tiled = shape_of("f32[3,5]{0,1:T(2,2)}");
  const relayout_shape plain = shape_of("f32[3,5]");
  relayout_shape found;
  expect_text(&of, two_tensors);
  assert_int_equal(safetensors_set_shape(&of, &of.tensors[0], &tiled, NULL), RELAYOUT_OK);
  safetensors_place(&of, 64);
  /* Three by two tiles of 2 x 2. */
  expect_text(
      &of, "{\"__metadata__\":{\"format\":\"pt\",\"relayout.layout.w\":\"f32[3,5]{0,1:T(2,2)}\"},"
           "\"w\":{\"dtype\":\"F32\",\"shape\":[3,2,2,2],\"data_offsets\":[0,96]},"
           "\"b\":{\"dtype\":\"I8\",\"shape\":[4],\"data_offsets\":[96,100]}}");
  assert_int_equal(safetensors_shape(&of, &of.tensors[0], &found, NULL), RELAYOUT_OK);
  assert_true(relayout_shape_equal(&found, &tiled));
  assert_int_equal(safetensors_set_shape(&of, &of.tensors[0], &plain, NULL), RELAYOUT_OK);
  safetensors_place(&of, 64);
  expect_text(&of, two_tensors);
  safetensors_free(&of);
}

static void test_copies(void **state) {
  (void)state;
  safetensors of = parsed(two_tensors, 64);
  safetensors copy = {.count = 0};
  const relayout_shape tiled = shape_of("f32[3,5]{0,1:T(2,2)}");
  relayout_shape found;
  assert_int_equal(safetensors_append(&of, &copy, NULL), RELAYOUT_OK);
  assert_int_equal(safetensors_set_shape(&copy, &copy.tensors[0], &tiled, NULL), RELAYOUT_OK);
  expect_text(&of, two_tensors);
  safetensors_free(&of);
  assert_int_equal(copy.count, 2);
  assert_string_equal(copy.tensors[1].name, "b");
  assert_int_equal(safetensors_shape(&copy, &copy.tensors[0], &found, NULL), RELAYOUT_OK);
  assert_true(relayout_shape_equal(&found, &tiled));
  safetensors_free(&copy);
}

static void test_what_is_stored(void **state) {
  (void)state;
  static const struct {
    const char *shape;
    const char *entry;
    bool is_recorded;
  } cases[] = {
      {"f32[3,5]{0,1}", "{\"dtype\":\"F32\",\"shape\":[5,3],\"data_offsets\":[0,60]}", true},
      {"f32[3,5]{1,0:PD(4,8)}", "{\"dtype\":\"F32\",\"shape\":[4,8],\"data_offsets\":[0,128]}",
       true},
      {"bf16[3,5]", "{\"dtype\":\"BF16\",\"shape\":[3,5],\"data_offsets\":[0,30]}", false},
      {"f4e2m1fn[3,4]{1,0:E(4)}", "{\"dtype\":\"F4\",\"shape\":[3,4],\"data_offsets\":[0,6]}",
       false},
      {"f4e2m1fn[3,5]{1,0:E(4)}", "{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8]}", true},
      {"f6e3m2fn[3,4]", "{\"dtype\":\"F6_E3M2\",\"shape\":[3,4],\"data_offsets\":[0,9]}", false},
      {"f6e2m3fn[3,5]", "{\"dtype\":\"U8\",\"shape\":[3,5],\"data_offsets\":[0,15]}", true},
      {"f8e4m3fnuz[3,5]", "{\"dtype\":\"F8_E4M3FNUZ\",\"shape\":[3,5],\"data_offsets\":[0,15]}",
       false},
      {"f8e5m2fnuz[2]", "{\"dtype\":\"F8_E5M2FNUZ\",\"shape\":[2],\"data_offsets\":[0,2]}", false},
      {"s4[3,5]{1,0:E(4)}", "{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8]}", true},
      {"s4[3,5]", "{\"dtype\":\"U8\",\"shape\":[3,5],\"data_offsets\":[0,15]}", true},
      {"f8e4m3[3,5]", "{\"dtype\":\"U8\",\"shape\":[3,5],\"data_offsets\":[0,15]}", true},
      {"bf16[3,5]{1,0:E(32)}", "{\"dtype\":\"U32\",\"shape\":[3,5],\"data_offsets\":[0,60]}", true},
      {"f32[3,5]{1,0:L(8)}", "{\"dtype\":\"F32\",\"shape\":[16],\"data_offsets\":[0,64]}", true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    safetensors of =
        parsed("{\"w\":{\"dtype\":\"F32\",\"shape\":[3,5],\"data_offsets\":[0,60]}}", 60);
    const relayout_shape shape = shape_of(cases[i].shape);
    print_message("%s\n", cases[i].shape);
    assert_int_equal(safetensors_set_shape(&of, &of.tensors[0], &shape, NULL), RELAYOUT_OK);
    safetensors_place(&of, 64);
    char *const text = written(&of);
    assert_non_null(strstr(text, cases[i].entry));
    assert_int_equal(strstr(text, "relayout.layout.w") != NULL, cases[i].is_recorded);
    relayout_shape found;
    assert_int_equal(safetensors_shape(&of, &of.tensors[0], &found, NULL), RELAYOUT_OK);
    assert_true(relayout_shape_equal(&found, &shape));
    free(text);
    safetensors_free(&of);
  }
}

static void test_metadata_that_lie(void **state) {
  (void)state;
  static const char *const layouts[] = {"f32[5,3]", "f32[3,5]{0,1:T(4,4)}", "s32[3,5]{0,1}",
                                        "nothing"};
  for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
    char text[256];
    snprintf(text, sizeof text,
             "{\"__metadata__\":{\"relayout.layout.w\":\"%s\"},"
             "\"w\":{\"dtype\":\"F32\",\"shape\":[3,5],\"data_offsets\":[0,60]}}",
             layouts[i]);
    safetensors of = parsed(text, 60);
    relayout_shape shape;
    relayout_error error;
    assert_int_not_equal(safetensors_shape(&of, &of.tensors[0], &shape, &error), RELAYOUT_OK);
    safetensors_free(&of);
  }
}

/* Wide elements first, and otherwise as it was. */
static void test_places(void **state) {
  (void)state;
  safetensors of = parsed("{\"a\":{\"dtype\":\"I8\",\"shape\":[3],\"data_offsets\":[0,3]},"
                          "\"b\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[3,11]},"
                          "\"c\":{\"dtype\":\"I16\",\"shape\":[1],\"data_offsets\":[11,13]},"
                          "\"d\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[13,15]},"
                          "\"e\":{\"dtype\":\"Q3\",\"shape\":[1],\"data_offsets\":[15,16]}}",
                          16);
  safetensors_place(&of, 64);
  static const char names[] = "bcdae";
  static const uint64_t begins[] = {0, 8, 10, 12, 15};
  for (size_t i = 0; i < 5; i++) {
    assert_int_equal(of.tensors[i].name[0], names[i]);
    assert_int_equal(of.tensors[i].begin, begins[i]);
    assert_int_equal(of.tensors[i].number, names[i] - 'a');
  }
  assert_int_equal(of.tensors[4].end, 16);
  safetensors_free(&of);
}

/* Where the tensors are that a text of "size[,size]" says, and in which order. */
static void check_places(const char *sizes, uint64_t alignment, const char *order,
                         const char *places) {
  safetensors of = {.count = 0};
  static const char *const names[] = {"a", "b", "c", "d", "e"};
  char found_order[16] = "";
  char found_places[64] = "";
  for (const char *at = sizes; *at != '\0'; at += strcspn(at, ",") + (strchr(at, ',') != NULL)) {
    char text[32];
    snprintf(text, sizeof text, "u8[%d]", atoi(at));
    const relayout_shape shape = shape_of(text);
    assert_int_equal(safetensors_add(&of, names[of.count], &shape, NULL), RELAYOUT_OK);
  }
  safetensors_place(&of, alignment);
  for (size_t i = 0; i < of.count; i++) {
    strcat(found_order, of.tensors[i].name);
    snprintf(found_places + strlen(found_places), sizeof found_places - strlen(found_places),
             "%s%d", i > 0 ? "," : "", (int)of.tensors[i].begin);
  }
  assert_string_equal(found_order, order);
  assert_string_equal(found_places, places);
  safetensors_free(&of);
}

/* In the old order where that will do; else by the powers of two that divide their sizes. */
static void test_aligned_places(void **state) {
  (void)state;
  check_places("64,128,3,5", 64, "abcd", "0,64,192,195");
  check_places("3,64,5,128", 64, "bdac", "0,64,192,195");
  check_places("3,64,5,128", 1, "abcd", "0,3,67,72");
  check_places("64,3,32,96", 32, "acdb", "0,64,96,192");
  check_places("64,3,32,96", 64, "abcd", "0,64,67,99");
  check_places("3,32,64,96,1", 64, "cbdae", "0,64,96,192,195");
  check_places("3,0,0", 64, "abc", "0,3,3");
}

static void test_names(void **state) {
  (void)state;
  static const struct {
    const char *name;
    bool is_one;
  } cases[] = {
      {"", true},
      {"w", true},
      {"\x7f", true},
      {"\xc2\x80", true},
      {"\xdf\xbf", true},
      {"\xe0\xa0\x80", true},
      {"\xed\x9f\xbf", true},
      {"\xef\xbf\xbf", true},
      {"\xf0\x90\x80\x80", true},
      {"\xf4\x8f\xbf\xbf", true},
      {"\x80", false},
      {"\xc1\xbf", false},
      {"a\xc2", false},
      {"\xc2z", false},
      {"\xe0\x9f\xbf", false},
      {"\xed\xa0\x80", false},
      {"\xe1\x80", false},
      {"\xf0\x8f\xbf\xbf", false},
      {"\xf4\x90\x80\x80", false},
      {"\xf8\x88\x80\x80\x80", false},
      {"\xff", false},
      {"__metadata__", false},
  };
  const relayout_shape shape = shape_of("u8[2]");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    safetensors of = {.count = 0};
    print_message("%zu\n", i);
    assert_int_equal(safetensors_add(&of, cases[i].name, &shape, NULL),
                     cases[i].is_one ? RELAYOUT_OK : RELAYOUT_INVALID_TEXT);
    if (cases[i].is_one) { /* jansson agrees */
      free(written(&of));
    }
    safetensors_free(&of);
  }
}

static void test_headers_of_several_files(void **state) {
  (void)state;
  safetensors one = parsed("{\"__metadata__\":{\"format\":\"pt\",\"n\":\"1\"},"
                           "\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]}}",
                           2);
  safetensors two = parsed("{\"__metadata__\":{\"n\":\"2\",\"m\":\"2\"},"
                           "\"b\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]}}",
                           3);
  safetensors all = {.count = 0};
  assert_int_equal(safetensors_append(&one, &all, NULL), RELAYOUT_OK);
  assert_int_equal(safetensors_append(&two, &all, NULL), RELAYOUT_OK);
  safetensors_free(&one);
  safetensors_free(&two);
  assert_int_equal(all.tensors[1].number, 1);
  safetensors_place(&all, 64);
  expect_text(&all, "{\"__metadata__\":{\"format\":\"pt\",\"n\":\"1\",\"m\":\"2\"},"
                    "\"a\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[0,2]},"
                    "\"b\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[2,5]}}");
  safetensors_free(&all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sizes_of_headers),
      cmocka_unit_test(test_tensors),
      cmocka_unit_test(test_plain_shapes),
      cmocka_unit_test(test_bad_headers),
      cmocka_unit_test(test_deep_and_wide_headers),
      cmocka_unit_test(test_memory_that_ends),
      cmocka_unit_test(test_layouts_are_kept),
      cmocka_unit_test(test_copies),
      cmocka_unit_test(test_what_is_stored),
      cmocka_unit_test(test_metadata_that_lie),
      cmocka_unit_test(test_places),
      cmocka_unit_test(test_aligned_places),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_headers_of_several_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
