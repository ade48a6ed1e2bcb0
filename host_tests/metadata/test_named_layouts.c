/* test_named_layouts.c: weights as libraries for matrix products pack them, under the texts that
 * docs/explanation/tiles.md gives for them, against each library's own formula. */
#include "cmocka_all.h"

#include <stdint.h>

#include "relayout/index.h"
#include "relayout/shape.h"

/* How many whole parts of `size` there are, the last one perhaps padded. */
static int64_t parts(int64_t count, int64_t size) {
  return (count + size - 1) / size;
}

/* Columns in 64s, then rows in 64s; within such a block fours of rows, columns, and the rows of a
 * four. */
static int64_t ba16a64b4a(const int64_t *size, const int64_t *at) {
  const int64_t block = at[1] / 64 * parts(size[0], 64) + at[0] / 64;
  return block * 4096 + at[0] % 64 / 4 * 256 + at[1] % 64 * 4 + at[0] % 4;
}

/* The same with 32 columns, and pairs of 32 rows. */
static int64_t ba16a32b2a(const int64_t *size, const int64_t *at) {
  const int64_t block = at[1] / 32 * parts(size[0], 32) + at[0] / 32;
  return block * 1024 + at[0] % 32 / 2 * 64 + at[1] % 32 * 2 + at[0] % 2;
}

/* Slices of 16 outputs: an input's 16 outputs at each place lie together. */
static int64_t os_iyx_osv16(const int64_t *size, const int64_t *at) {
  const int64_t input = at[0] / 16 * size[1] + at[1];
  return ((input * size[2] + at[2]) * size[3] + at[3]) * 16 + at[0] % 16;
}

/* Slices of 32 outputs by 4 inputs, the inputs of an output together. */
static int64_t os_is_yx_osv32_isv4(const int64_t *size, const int64_t *at) {
  const int64_t slice = at[0] / 32 * parts(size[1], 4) + at[1] / 4;
  return ((slice * size[2] + at[2]) * size[3] + at[3]) * 128 + at[0] % 32 * 4 + at[1] % 4;
}

/* The inputs of 64 outputs in pairs, one pair a byte. */
static int64_t os_is_yx_osv64_isv2(const int64_t *size, const int64_t *at) {
  return (at[0] / 64 * parts(size[1], 2) + at[1] / 2) * 128 + at[0] % 64 * 2 + at[1] % 2;
}

/* Words of 32 bits hold eight rows of a column, the first one lowest. */
static int64_t gptq(const int64_t *size, const int64_t *at) {
  return (at[0] / 8 * size[1] + at[1]) * 8 + at[0] % 8;
}

/* Words of 32 bits hold columns 0, 2, 4, 6, 1, 3, 5 and 7 of eight, the first one lowest. */
static int64_t awq(const int64_t *size, const int64_t *at) {
  static const int64_t held[] = {0, 4, 1, 5, 2, 6, 3, 7}; /* where the word has each column */
  return at[0] * size[1] + at[1] / 8 * 8 + held[at[1] % 8];
}

/* Columns in eights, and of each row the eight together. */
static int64_t kxn_8x1(const int64_t *size, const int64_t *at) {
  return (at[1] / 8 * size[0] + at[0]) * 8 + at[1] % 8;
}

/* Rows in fours; of each row of four 8 columns in turn. */
static int64_t nxk_4x8(const int64_t *size, const int64_t *at) {
  return (at[0] / 4 * parts(size[1], 8) + at[1] / 8) * 32 + at[0] % 4 * 8 + at[1] % 8;
}

static const struct {
  const char *text;
  int64_t (*place)(const int64_t *size, const int64_t *at);
} cases[] = {
    {"s8[128,192]{0,1:T(64,64)(64,4)}", ba16a64b4a},
    {"s8[70,65]{0,1:T(64,64)(64,4)}", ba16a64b4a},
    {"bf16[64,96]{0,1:T(32,32)(32,2)}", ba16a32b2a},
    {"bf16[33,40]{0,1:T(32,32)(32,2)}", ba16a32b2a},
    {"f16[32,5,3,2]{3,2,1,0:T(16,1,1,1)}", os_iyx_osv16},
    {"f16[20,5,3,2]{3,2,1,0:T(16,1,1,1)}", os_iyx_osv16},
    {"s8[64,12,3,2]{3,2,1,0:T(32,4,1,1)}", os_is_yx_osv32_isv4},
    {"s8[33,10,3,2]{3,2,1,0:T(32,4,1,1)}", os_is_yx_osv32_isv4},
    {"u4[128,6]{1,0:T(64,2)E(4)}", os_is_yx_osv64_isv2},
    {"u4[65,7]{1,0:T(64,2)E(4)}", os_is_yx_osv64_isv2},
    {"u4[16,9]{1,0:T(8,1)E(4)}", gptq},
    {"u4[5,16]{1,0:T(2)(4,1)E(4)}", awq},
    {"f32[7,24]{0,1:T(8,1)}", kxn_8x1},
    {"f32[7,21]{0,1:T(8,1)}", kxn_8x1},
    {"s8[12,24]{1,0:T(4,8)}", nxk_4x8},
    {"s8[11,20]{1,0:T(4,8)}", nxk_4x8},
};

static void test_places(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    relayout_shape shape;
    int64_t at[RELAYOUT_MAX_RANK] = {0};
    assert_int_equal(relayout_shape_parse(cases[i].text, &shape, NULL), RELAYOUT_OK);
    do {
      int64_t found = -1;
      assert_int_equal(relayout_index_to_linear(&shape, at, &found, NULL), RELAYOUT_OK);
      if (found != cases[i].place(shape.dimensions, at)) {
        fail_msg("%s: [%d,%d,..] is element %d, expected %d", cases[i].text, (int)at[0], (int)at[1],
                 (int)found, (int)cases[i].place(shape.dimensions, at));
      }
    } while (relayout_index_bump(&shape, at));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_places)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
