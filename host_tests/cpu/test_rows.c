/* Rows of elements, unpacked, converted and packed by an instruction set,
 * against elements one by one. */
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "cmocka_all.h"
#include "convert/convert.h"
#include "convert/packing.h"
#include "cpu/rows.h"
#include "metadata/type_table.h"
#include "real_types.h"

static const rlt_cpu_instruction_set *set;

static rlt_cpu_codec *codec_of(const rlt_problem *problem) {
  rlt_cpu_codec *codec = NULL;
  assert_int_equal(rlt_cpu_codec_create(set, problem, &codec, NULL), RELAYOUT_OK);
  return codec;
}

static rlt_cpu_codec *codec_for(int64_t word_bytes, rlt_conversion conversion) {
  rlt_problem *const problem = calloc(1, sizeof *problem);
  problem->element_bytes = word_bytes;
  problem->conversion = conversion;
  rlt_cpu_codec *const codec = codec_of(problem);
  free(problem);
  return codec;
}

static int64_t bytes_of(relayout_element_type type) {
  return (int64_t)relayout_element_type_byte_size(type);
}

/* ---- Every kind of element ---- */

enum { MOST_ELEMENTS = 1 << 16 };

typedef struct row {
  int64_t count;
  uint8_t words[MOST_ELEMENTS * 8];
  uint8_t wanted[MOST_ELEMENTS * 8];
  uint8_t got[MOST_ELEMENTS * 8];
} row;

static uint64_t next_random(uint64_t *random) {
  *random ^= *random << 13;
  *random ^= *random >> 7;
  *random ^= *random << 17;
  return *random;
}

/* All patterns of up to 16 bits. Of wider ones those whose digits end early, where ties are, their
 * neighbours, all exponents, ends of types and any others. */
static void fill_words(row *of, relayout_element_type type) {
  static const uint64_t ends[] = {0x7f,       0x80,       0xff,       0x7fff,     0x8000,
                                  0xffff,     0x7fffffff, 0x80000000, 0xffffffff, 0x7f7fffff,
                                  0x7f800000, 0x7f800001, 0xff800001, 0x7fc00000, 0xffc00000,
                                  0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f800000};
  const int64_t bytes = bytes_of(type);
  const int bits = (int)(8 * bytes);
  if (bits <= 16) {
    of->count = INT64_C(1) << bits;
    for (int64_t i = 0; i < of->count; ++i) {
      rlt_part_store((uint64_t)i, (size_t)bytes, of->words + i * bytes);
    }
    return;
  }
  of->count = 20011;
  uint64_t random = 0x123456789abcdef;
  for (int64_t i = 0; i < of->count; ++i) {
    uint64_t pattern = next_random(&random);
    if (i % 4 > 0) {
      const int cut = (int)(next_random(&random) % (uint64_t)bits);
      pattern = (pattern >> cut << cut) + (i % 4 == 3 ? ~UINT64_C(0) : (uint64_t)(i % 4 - 1));
    }
    if (i % 3 == 0) {
      pattern = (uint64_t)((int64_t)pattern >> (next_random(&random) % 64));
    } else if (bits == 64 && i % 3 == 1) {
      /* Doubles near where f32 has its numbers. */
      pattern = (pattern & ~(UINT64_C(0x7ff) << 52)) | (UINT64_C(860) + (uint64_t)i % 320) << 52;
    }
    if (i < 20) {
      pattern = ends[i];
    } else if (i < 40) {
      pattern = 0 - ends[i - 20];
    }
    rlt_part_store(pattern, (size_t)bytes, of->words + i * bytes);
  }
}

static void check_conversion(row *of, rlt_conversion conversion) {
  rlt_cpu_codec *const codec = codec_for(bytes_of(conversion.from), conversion);
  const int64_t bytes = bytes_of(conversion.to);
  rlt_convert_elements(&conversion, of->words, of->wanted, of->count);
  rlt_cpu_codec_encode(codec, of->words, of->got, of->count);
  for (int64_t i = 0; i < of->count; ++i) {
    if (memcmp(of->got + i * bytes, of->wanted + i * bytes, (size_t)bytes) != 0) {
      fail_msg("%s 0x%llx to %s, scale %a%s: 0x%llx, not 0x%llx",
               relayout_element_type_name(conversion.from),
               (unsigned long long)rlt_part_load((size_t)bytes_of(conversion.from),
                                                 of->words + i * bytes_of(conversion.from)),
               relayout_element_type_name(conversion.to), conversion.scale,
               conversion.wraps               ? ", wraps"
               : conversion.rounds_to_nearest ? ", to nearest"
                                              : "",
               (unsigned long long)rlt_part_load((size_t)bytes, of->got + i * bytes),
               (unsigned long long)rlt_part_load((size_t)bytes, of->wanted + i * bytes));
    }
  }
  rlt_cpu_codec_destroy(codec);
}

/* Of few digits, of a few more than f32 has, of many; the greatest by which every subnormal f32 is
 * less than half of 1, and one by which some are not; products beyond every f32, and far beyond. */
static const double scales[] = {1,   -0.375,     0x1.1234567p-3,        0x1p+125,
                                0.1, 0x1.8p+127, 0x1.23456789abcdep-70, 0x1p-900};
enum { SCALES = sizeof scales / sizeof scales[0] };

static bool is_integer(relayout_element_type type) {
  const relayout_element_kind kind = relayout_element_type_kind(type);
  return kind == RELAYOUT_KIND_SIGNED || kind == RELAYOUT_KIND_UNSIGNED;
}

static void check_all_targets(row *of, relayout_element_type from) {
  fill_words(of, from);
  for (size_t t = 0; t < REAL_TYPES; ++t) {
    for (int s = 0; s < SCALES; ++s) {
      check_conversion(of, (rlt_conversion){from, real_types[t], false, scales[s], false});
      if (is_integer(real_types[t])) {
        check_conversion(of, (rlt_conversion){from, real_types[t], false, scales[s], true});
      }
    }
    check_conversion(of, (rlt_conversion){from, real_types[t], true, 1, false});
  }
}

static void test_all_pairs(void **state) {
  (void)state;
  row *const of = malloc(sizeof *of);
  for (size_t t = 0; t < REAL_TYPES; ++t) {
    check_all_targets(of, real_types[t]);
  }
  free(of);
}

/* Floats whose products with scales that f32 has lie as near to the integers of a byte, and to
 * halves, as any do: rounding the product, and then to an integer, would often be wrong. */
static void test_products_near_integers(void **state) {
  (void)state;
  enum { MOST = 600, AROUND = 2 };
  static const double f32_scales[] = {(double)0.1F, (double)(1 / 3.0F), -0.75, 0x1.fffffep-40};
  row *const of = malloc(sizeof *of);
  for (size_t s = 0; s < sizeof f32_scales / sizeof f32_scales[0]; ++s) {
    of->count = 0;
    for (int halves = -MOST; halves <= MOST; ++halves) {
      const float near = (float)(halves / 2.0 / f32_scales[s]);
      uint32_t pattern;
      memcpy(&pattern, &near, sizeof pattern);
      for (int step = -AROUND; step <= AROUND; ++step) {
        rlt_part_store(pattern + (uint32_t)step, 4, of->words + 4 * of->count++);
      }
    }
    for (size_t t = 0; t < REAL_TYPES; ++t) {
      for (int nearest = 0; nearest < (is_integer(real_types[t]) ? 2 : 0); ++nearest) {
        check_conversion(
            of, (rlt_conversion){RELAYOUT_F32, real_types[t], false, f32_scales[s], nearest != 0});
      }
    }
  }
  free(of);
}

/* The processor's control word, one that rounds upwards and flushes subnormals, and the bits of it
 * that computing sets. */
#if defined(__SSE2__)
enum { UPWARDS_AND_NO_SUBNORMALS = 0xdfc0, EXCEPTION_FLAGS = 0x3f };

static uint64_t float_control(void) {
  return _mm_getcsr();
}

static void set_float_control(uint64_t control) {
  _mm_setcsr((unsigned int)control);
}
#elif defined(__aarch64__)
enum { UPWARDS_AND_NO_SUBNORMALS = 0x1400000, EXCEPTION_FLAGS = 0 };

static uint64_t float_control(void) {
  uint64_t control;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  return control;
}

static void set_float_control(uint64_t control) {
  __asm__ volatile("msr fpcr, %0" : : "r"(control));
}
#else
#define HAS_NO_FLOAT_CONTROL
#endif

/* What the caller has told the processor about rounding and subnormals does not
 * count, and stays. */
static void test_any_floating_point_control(void **state) {
  (void)state;
#if !defined(HAS_NO_FLOAT_CONTROL)
  static const relayout_element_type sources[] = {RELAYOUT_F16, RELAYOUT_BF16, RELAYOUT_F32,
                                                  RELAYOUT_S32, RELAYOUT_F64};
  row *const of = malloc(sizeof *of);
  const uint64_t usual = float_control();
  set_float_control(UPWARDS_AND_NO_SUBNORMALS);
  for (size_t i = 0; i < sizeof sources / sizeof sources[0]; ++i) {
    check_all_targets(of, sources[i]);
  }
  const uint64_t still = float_control();
  set_float_control(usual);
  assert_int_equal(still & ~(uint64_t)EXCEPTION_FLAGS, UPWARDS_AND_NO_SUBNORMALS);
  free(of);
#else
  skip();
#endif
}

/* ---- Every length and place ---- */

enum { LONGEST = 700, GUARD = 64 };

typedef struct trial {
  int64_t word_bytes, destination_packed;
  rlt_conversion conversion;
  bool destination_high;
  int64_t reversed_bits;
} trial;

static void convert_and_pack(const trial *of, const uint8_t *words, uint8_t *wanted,
                             int64_t count) {
  const int64_t bytes = of->conversion.from == 0 ? of->word_bytes : bytes_of(of->conversion.to);
  uint8_t elements[LONGEST * 8];
  if (of->conversion.from == 0) {
    memcpy(elements, words, (size_t)(count * bytes));
  } else {
    rlt_convert_elements(&of->conversion, words, elements, count);
  }
  for (int64_t i = 0; i < count * bytes && of->reversed_bits > 0; ++i) {
    elements[i] = rlt_packed_reverse(elements[i], of->reversed_bits);
  }
  if (of->destination_packed == 0) {
    memcpy(wanted, elements, (size_t)(count * bytes));
    return;
  }
  memset(wanted, 0, (size_t)rlt_packed_bytes(count, of->destination_packed));
  for (int64_t i = 0; i < count; ++i) {
    rlt_packed_put(wanted, i, of->destination_packed, of->destination_high, elements[i]);
  }
}

/* The words end where their memory does. */
static void check_row(const trial *of, const rlt_cpu_codec *codec, int64_t count, int64_t place,
                      bool streams) {
  const int64_t bits = of->destination_packed > 0 ? of->destination_packed
                       : of->conversion.from == 0 ? 8 * of->word_bytes
                                                  : 8 * bytes_of(of->conversion.to);
  const int64_t bytes = (count * bits + 7) / 8;
  uint8_t *const words = malloc((size_t)(count * of->word_bytes + 1));
  uint8_t *const last = words + 1; /* and begin anywhere */
  uint8_t wanted[LONGEST * 8];
  _Alignas(64) uint8_t got[2 * GUARD + 64 + LONGEST * 8];
  for (int64_t i = 0; i < count * of->word_bytes; ++i) {
    last[i] = (uint8_t)(i * 89 + i / 7);
  }
  convert_and_pack(of, last, wanted, count);
  memset(got, 0xa5, sizeof got);
  uint8_t *const to = got + GUARD + place;
  if (streams) {
    rlt_cpu_codec_stream(codec, last, to, count);
  } else {
    rlt_cpu_codec_encode(codec, last, to, count);
  }
  assert_memory_equal(to, wanted, (size_t)bytes);
  for (int64_t i = 0; i < GUARD; ++i) {
    assert_int_equal(to[-1 - i], 0xa5);
    assert_int_equal(to[bytes + i], 0xa5);
  }
  free(words);
}

static void test_lengths_and_places(void **state) {
  (void)state;
  static const trial trials[] = {
      {1, 0, {0}, false, 0},
      {8, 0, {0}, false, 0},
      {1, 1, {0}, false, 0},
      {1, 2, {0}, false, 0},
      {1, 4, {0}, false, 0},
      {4, 0, {RELAYOUT_F32, RELAYOUT_BF16, false, 1, false}, false, 0},
      {4, 0, {RELAYOUT_F32, RELAYOUT_U8, false, 0.1, false}, false, 0},
      {1, 0, {RELAYOUT_F8E4M3FN, RELAYOUT_F32, false, 1, false}, false, 0},
      {1, 0, {RELAYOUT_S4, RELAYOUT_F64, false, 3, false}, false, 0},
      {4, 4, {RELAYOUT_F32, RELAYOUT_S4, false, 0.5, false}, false, 0},
      {2, 1, {RELAYOUT_F16, RELAYOUT_PRED, false, 1, false}, false, 0},
      {1, 1, {RELAYOUT_F8E8M0FNU, RELAYOUT_PRED, false, 1, false}, false, 0},
      {8, 0, {RELAYOUT_S64, RELAYOUT_S32, false, 1, false}, false, 0},
      {1, 1, {0}, true, 0},
      {1, 2, {0}, true, 0},
      {1, 4, {0}, true, 0},
      {2, 4, {RELAYOUT_F16, RELAYOUT_U4, false, 1, false}, true, 0},
      {1, 0, {0}, false, 1},
      {2, 0, {0}, false, 2},
      {8, 0, {0}, false, 4},
  };
  for (size_t t = 0; t < sizeof trials / sizeof trials[0]; ++t) {
    const trial *const of = &trials[t];
    rlt_cpu_codec *const codec =
        codec_of(&(rlt_problem){.element_bytes = of->word_bytes,
                                .destination_packed = of->destination_packed,
                                .destination_high = of->destination_high,
                                .reversed_bits = of->reversed_bits,
                                .conversion = of->conversion});
    for (int64_t count = 0; count <= LONGEST; count += count < 140 ? 1 : 93) {
      for (int64_t place = 0; place < 64; place += 7) {
        check_row(of, codec, count, place, false);
        check_row(of, codec, count, place, true);
      }
    }
    rlt_cpu_codec_destroy(codec);
  }
}

static void check_unpacking(const rlt_cpu_codec *codec, int64_t bits, bool high, int64_t first,
                            int64_t count) {
  const int64_t bytes = rlt_packed_bytes(first + count, bits);
  uint8_t *const packed = malloc((size_t)(bytes > 0 ? bytes : 1));
  for (int64_t i = 0; i < bytes; ++i) {
    packed[i] = (uint8_t)(i * 151 + 77);
  }
  uint8_t words[LONGEST + 2 * GUARD];
  rlt_cpu_codec_decode(codec, packed, first, words + GUARD, count);
  for (int64_t i = 0; i < count; ++i) {
    assert_int_equal(words[GUARD + i], rlt_packed_get(packed, first + i, bits, high));
  }
  free(packed);
}

static void test_unpacking(void **state) {
  (void)state;
  for (int variant = 0; variant < 3 * 2; ++variant) {
    const int64_t bits = INT64_C(1) << variant / 2;
    const bool high = variant % 2 == 1;
    rlt_cpu_codec *const codec =
        codec_of(&(rlt_problem){.element_bytes = 1, .source_packed = bits, .source_high = high});
    for (int64_t first = 0; first < 18; ++first) {
      for (int64_t count = 0; count <= LONGEST; count += count < 140 ? 1 : 93) {
        check_unpacking(codec, bits, high, first, count);
      }
    }
    rlt_cpu_codec_destroy(codec);
  }
}

static const rlt_cpu_instruction_set *set_of_name(const char *name) {
  const rlt_cpu_instruction_set *found = rlt_cpu_instruction_sets;
  while (found->name != NULL && strcmp(found->name, name) != 0) {
    ++found;
  }
  return found->name == NULL ? NULL : found;
}

int main(int argc, char **argv) {
  set = argc == 2 ? set_of_name(argv[1]) : NULL;
  if (set == NULL) {
    return 2;
  }
  if (!set->is_there()) {
    return 77;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_pairs),
      cmocka_unit_test(test_products_near_integers),
      cmocka_unit_test(test_any_floating_point_control),
      cmocka_unit_test(test_lengths_and_places),
      cmocka_unit_test(test_unpacking),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
