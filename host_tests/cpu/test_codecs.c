/* test_codecs.c: which passes a codec takes, of an instruction set whose passes do nothing but say
 * that they were taken. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "cmocka_all.h"

/* Compiled in under names of its own, so that what is fetched ahead can be seen. */
static void note_fetch(const uint8_t *at, int writes, int locality);
#define __builtin_prefetch(at, writes, locality) note_fetch(at, writes, locality)
#define rlt_cpu_codec_create                     seen_codec_create
#define rlt_cpu_codec_destroy                    seen_codec_destroy
#define rlt_cpu_codec_decode                     seen_codec_decode
#define rlt_cpu_codec_encode                     seen_codec_encode
#define rlt_cpu_codec_stream                     seen_codec_stream
#define rlt_cpu_codec_stream_lines               seen_codec_stream_lines
#define rlt_cpu_codec_encode_fetching            seen_codec_encode_fetching
#include "cpu/rows.c"

/* ---- Passes that are noted ---- */

static char taken[256];
static rlt_cpu_row last; /* what the last one worked with */
static rlt_conversion last_conversion;
static rlt_float_control last_control;
static uint8_t noted_table[256 * 8], noted_planes[256 * 8];

static void note(const char *name, const rlt_cpu_row *row) {
  if (taken[0] != '\0') {
    strncat(taken, " ", sizeof taken - strlen(taken) - 1);
  }
  strncat(taken, name, sizeof taken - strlen(taken) - 1);
  last = *row;
  last_conversion = *row->conversion;
  last_control = rlt_float_control_get() & ~(rlt_float_control)RLT_FLOAT_FLAGS;
}

#define NOTED(name)                                                                                \
  static void name(const rlt_cpu_row *row, const uint8_t *from, uint8_t *to, int64_t count) {      \
    (void)from;                                                                                    \
    (void)to;                                                                                      \
    assert_int_equal(count % RLT_CPU_ROW_GROUP, 0);                                                \
    if (count > 0) {                                                                               \
      note(#name, row);                                                                            \
    }                                                                                              \
  }
/* Notes the table and the planes of a codec, with `bytes` an entry, for the test to look at. */
#define NOTED_TABLE(name, bytes)                                                                   \
  static void name(const rlt_cpu_row *row, const uint8_t *from, uint8_t *to, int64_t count) {      \
    (void)from;                                                                                    \
    (void)to;                                                                                      \
    if (count > 0) {                                                                               \
      note(#name, row);                                                                            \
      memcpy(noted_table, row->table, (size_t)(256 * (bytes)));                                    \
      memcpy(noted_planes, row->planes, (size_t)(256 * (bytes)));                                  \
    }                                                                                              \
  }
#define INTEGERS(X, from)                                                                          \
  X(from, s8)                                                                                      \
  X(from, s16) X(from, s32) X(from, s64) X(from, u8) X(from, u16) X(from, u32) X(from, u64)
#define NOTED_INTEGER(from, to) NOTED(from##_to_##to)
INTEGERS(NOTED_INTEGER, s8)
INTEGERS(NOTED_INTEGER, s16)
INTEGERS(NOTED_INTEGER, s32)
INTEGERS(NOTED_INTEGER, s64)
INTEGERS(NOTED_INTEGER, u8)
INTEGERS(NOTED_INTEGER, u16)
INTEGERS(NOTED_INTEGER, u32)
INTEGERS(NOTED_INTEGER, u64)

NOTED(high_pack_1)
NOTED(high_pack_2)
NOTED(high_pack_4)
NOTED(high_unpack_1)
NOTED(high_unpack_2)
NOTED(high_unpack_4)
NOTED(reverse_1)
NOTED(reverse_2)
NOTED(reverse_4)
NOTED(pack_1)
NOTED(pack_2)
NOTED(pack_4)
NOTED(unpack_1)
NOTED(unpack_2)
NOTED(unpack_4)
NOTED_TABLE(nibbles_1, 1)
NOTED_TABLE(nibbles_2, 2)
NOTED_TABLE(nibbles_4, 4)
NOTED_TABLE(nibbles_8, 8)
NOTED_TABLE(bytes_1, 1)
NOTED_TABLE(bytes_2, 2)
NOTED_TABLE(bytes_4, 4)
NOTED_TABLE(bytes_8, 8)
NOTED_TABLE(preds_1, 1)
NOTED_TABLE(preds_2, 2)
NOTED_TABLE(preds_4, 4)
NOTED_TABLE(preds_8, 8)
NOTED(swap_2)
NOTED(swap_4)
NOTED(swap_8)
NOTED(f16_as_f32)
NOTED(s8_as_f32)
NOTED(s16_as_f32)
NOTED(f32_as_f16)
NOTED(f32_as_bf16)
NOTED(low_2_1)
NOTED(low_4_1)
NOTED(low_4_2)
NOTED(low_8_1)
NOTED(low_8_2)
NOTED(low_8_4)
#define VALUES(X, source)                                                                          \
  X(source, f32)                                                                                   \
  X(source, f64)                                                                                   \
  X(source, odd)                                                                                   \
  X(source, s32) X(source, byte) X(source, nearest_s32) X(source, nearest_byte)
#define WIDE(X, source)                                                                            \
  X(source, u32)                                                                                   \
  X(source, s64) X(source, u64) X(source, nearest_u32) X(source, nearest_s64) X(source, nearest_u64)
#define NOTED_EXACT(source, target) NOTED(exact_##source##_##target)
#define NOTED_ANY(source, target)   NOTED(any_##source##_##target)
VALUES(NOTED_EXACT, f32)
WIDE(NOTED_EXACT, f32)
VALUES(NOTED_EXACT, s32)
VALUES(NOTED_EXACT, u32)
VALUES(NOTED_EXACT, f64)
WIDE(NOTED_EXACT, f64)
VALUES(NOTED_ANY, f32)
VALUES(NOTED_ANY, s32)
VALUES(NOTED_ANY, u32)
NOTED(single_f32)
NOTED(single_odd)
NOTED(single_byte)
NOTED(single_nearest_byte)
NOTED(whole_s64_f32)
NOTED(whole_s64_f64)
NOTED(whole_u64_f32)
NOTED(whole_u64_f64)
NOTED(whole_f32_s32)
NOTED(whole_f32_nearest_s32)

#define TARGETS(kind, source)                                                                      \
  [RLT_CPU_TO_F32] = kind##_##source##_f32, [RLT_CPU_TO_F64] = kind##_##source##_f64,              \
  [RLT_CPU_TO_ODD] = kind##_##source##_odd, [RLT_CPU_TO_S32] = kind##_##source##_s32,              \
  [RLT_CPU_TO_BYTE] = kind##_##source##_byte,                                                      \
  [RLT_CPU_NEAREST_S32] = kind##_##source##_nearest_s32,                                           \
  [RLT_CPU_NEAREST_BYTE] = kind##_##source##_nearest_byte
#define WIDE_TARGETS(kind, source)                                                                 \
  [RLT_CPU_TO_U32] = kind##_##source##_u32, [RLT_CPU_TO_S64] = kind##_##source##_s64,              \
  [RLT_CPU_TO_U64] = kind##_##source##_u64, [RLT_CPU_NEAREST_U32] = kind##_##source##_nearest_u32, \
  [RLT_CPU_NEAREST_S64] = kind##_##source##_nearest_s64,                                           \
  [RLT_CPU_NEAREST_U64] = kind##_##source##_nearest_u64
#define NAME_INTEGER(from, to) from##_to_##to,

static int64_t streamed_lines;

/* To where a line begins. */
static void stream_some(uint8_t *to, const uint8_t *from, int64_t lines) {
  assert_true(lines == 0 || (uintptr_t)to % LINE == 0);
  memcpy(to, from, (size_t)(lines * LINE));
  streamed_lines += lines;
}

static const rlt_cpu_row_passes passes = {
    .pack = {{pack_1, pack_2, pack_4}, {high_pack_1, high_pack_2, high_pack_4}},
    .unpack = {{unpack_1, unpack_2, unpack_4}, {high_unpack_1, high_unpack_2, high_unpack_4}},
    .reverse = {reverse_1, reverse_2, reverse_4},
    .swap = {NULL, swap_2, swap_4, swap_8},
    .nibbles = {nibbles_1, nibbles_2, nibbles_4, nibbles_8},
    .bytes = {bytes_1, bytes_2, bytes_4, bytes_8},
    .preds = {preds_1, preds_2, preds_4, preds_8},
    .to_f32 = {[RELAYOUT_F16] = f16_as_f32, [RELAYOUT_S8] = s8_as_f32, [RELAYOUT_S16] = s16_as_f32},
    .of_f32 = {[RELAYOUT_F16] = f32_as_f16, [RELAYOUT_BF16] = f32_as_bf16},
    .low = {{NULL}, {low_2_1}, {low_4_1, low_4_2}, {low_8_1, low_8_2, low_8_4}},
    .integers = {{INTEGERS(NAME_INTEGER, s8)},
                 {INTEGERS(NAME_INTEGER, s16)},
                 {INTEGERS(NAME_INTEGER, s32)},
                 {INTEGERS(NAME_INTEGER, s64)},
                 {INTEGERS(NAME_INTEGER, u8)},
                 {INTEGERS(NAME_INTEGER, u16)},
                 {INTEGERS(NAME_INTEGER, u32)},
                 {INTEGERS(NAME_INTEGER, u64)}},
    .exact = {{{TARGETS(exact, f32), WIDE_TARGETS(exact, f32)}},
              {{TARGETS(exact, s32)}},
              {{TARGETS(exact, u32)}},
              {{TARGETS(exact, f64), WIDE_TARGETS(exact, f64)}}},
    .any = {{{TARGETS(any, f32)}}, {{TARGETS(any, s32)}}, {{TARGETS(any, u32)}}},
    .single = {{[RLT_CPU_TO_F32] = single_f32,
                [RLT_CPU_TO_ODD] = single_odd,
                [RLT_CPU_TO_BYTE] = single_byte,
                [RLT_CPU_NEAREST_BYTE] = single_nearest_byte}},
    .unscaled = {{{[RLT_CPU_TO_F32] = whole_s64_f32, [RLT_CPU_TO_F64] = whole_s64_f64}},
                 {{[RLT_CPU_TO_F32] = whole_u64_f32, [RLT_CPU_TO_F64] = whole_u64_f64}}},
    .f32_to_s32 = whole_f32_s32,
    .f32_nearest_s32 = whole_f32_nearest_s32,
    .stream = stream_some};
static rlt_cpu_codec *codec_with(const rlt_cpu_row_passes *rows, const rlt_problem *problem) {
  const rlt_cpu_instruction_set noted_set = {.name = "noted", .rows = rows};
  rlt_cpu_codec *codec = NULL;
  assert_int_equal(rlt_cpu_codec_create(&noted_set, problem, &codec, NULL), RELAYOUT_OK);
  return codec;
}

static rlt_cpu_codec *codec_of(const rlt_problem *problem) {
  return codec_with(&passes, problem);
}

static void encode_some_with(const rlt_cpu_row_passes *rows, rlt_conversion conversion,
                             int64_t packed) {
  const uint8_t words[RLT_CPU_ROW_GROUP * 8] = {0};
  uint8_t made[RLT_CPU_ROW_GROUP * 8];
  const rlt_problem problem = {.element_bytes =
                                   (int64_t)relayout_element_type_byte_size(conversion.from),
                               .destination_packed = packed,
                               .conversion = conversion};
  rlt_cpu_codec *const codec = codec_with(rows, &problem);
  taken[0] = '\0';
  rlt_cpu_codec_encode(codec, words, made, RLT_CPU_ROW_GROUP);
  rlt_cpu_codec_destroy(codec);
}

static void encode_some(rlt_conversion conversion, int64_t packed) {
  encode_some_with(&passes, conversion, packed);
}

/* ---- Tests ---- */

typedef struct taken_case {
  relayout_element_type from, to;
  bool wraps;
  double scale;
  int64_t packed;
  const char *passes; /* "": element by element */
} taken_case;

#define F(type) RELAYOUT_##type

/* As row_passes.h says what each is for; the narrowest that is right is the fastest. */
static const taken_case taken_cases[] = {
    /* Integers of whole bytes, as they are or by their low bits. */
    {F(S32), F(S8), false, 1, 0, "s32_to_s8"},
    {F(U16), F(S32), false, 1, 0, "u16_to_s32"},
    {F(S8), F(U64), false, 1, 0, "s8_to_u64"},
    {F(U64), F(U64), false, 1, 0, "u64_to_u64"},
    {F(S32), F(S8), true, 1, 0, "low_4_1"},
    {F(U64), F(S16), true, 1, 0, "low_8_2"},
    {F(S64), F(U32), true, 1, 0, "low_8_4"},
    {F(S16), F(U8), true, 1, 0, "low_2_1"},
    {F(U16), F(S32), true, 1, 0, "u16_to_u32"},
    {F(S8), F(U32), true, 1, 0, "s8_to_s32"},
    {F(S32), F(U32), true, 1, 0, "s32_to_s32"},
    /* Bytes by tables, but for f32 of integers. */
    {F(S4), F(S8), false, 1, 0, "nibbles_1"},
    {F(U2), F(BF16), false, 1, 0, "nibbles_2"},
    {F(F4E2M1FN), F(F32), false, 3, 0, "nibbles_4"},
    {F(U1), F(F64), false, 1, 0, "nibbles_8"},
    {F(S8), F(U8), false, 2, 0, "bytes_1"},
    {F(U8), F(F16), false, 1, 0, "bytes_2"},
    {F(F8E4M3FN), F(F32), false, 1, 0, "bytes_4"},
    {F(PRED), F(F32), false, 1, 0, "preds_4"},
    {F(S8), F(F64), false, 1, 0, "bytes_8"},
    {F(S8), F(S4), false, 1, 4, "bytes_1 pack_4"},
    {F(S8), F(F32), false, 1, 0, "s8_as_f32"},
    {F(S8), F(F32), false, 0.5, 0, "s8_as_f32 single_f32"},
    {F(U8), F(F32), false, 1, 0, "bytes_4"}, /* for which this set has no pass */
    /* What f32 holds goes by it. */
    {F(F16), F(F32), false, 1, 0, "f16_as_f32"},
    {F(F16), F(BF16), false, 1, 0, "f16_as_f32 f32_as_bf16"},
    {F(F16), F(BF16), false, 0.5, 0, "f16_as_f32 single_odd f32_as_bf16"},
    {F(F16), F(S8), false, 1, 0, "f16_as_f32 single_byte"},
    {F(S16), F(F32), false, 1, 0, "s16_as_f32"},
    {F(S16), F(F64), false, 1, 0, "s16_as_f32 exact_f32_f64"},
    {F(S16), F(S8), false, 0.5, 0, "s16_as_f32 single_byte"},
    {F(F32), F(BF16), false, 1, 0, "f32_as_bf16"},
    {F(F32), F(F16), false, 1, 0, "f32_as_f16"},
    {F(F32), F(F16), false, 0x1.000001p+0, 0, "exact_f32_odd f32_as_f16"},
    /* By a scale that f32 has; by one of so few digits that products are exact; by others that keep
     * doubles clear of their ends. */
    {F(F32), F(F32), false, -0.375, 0, "single_f32"},
    {F(F32), F(F32), false, 0x1.fffffep+127, 0, "single_f32"},
    {F(F32), F(F32), false, 0x1p+128, 0, "exact_f32_f32"},
    {F(F32), F(F32), false, 0x1p-126, 0, "single_f32"},
    {F(F32), F(F32), false, 0x1p-127, 0, "exact_f32_f32"},
    {F(F32), F(F32), false, 0x1.000002p+0, 0, "single_f32"},
    {F(F32), F(F32), false, 0x1.000001p+0, 0, "exact_f32_f32"},
    {F(F32), F(F32), false, 0x1.0000001p+0, 0, "exact_f32_f32"},
    {F(F32), F(F32), false, 0x1.00000008p+0, 0, "any_f32_f32"},
    {F(F32), F(F32), false, 0x1p+700, 0, "exact_f32_f32"},
    {F(F32), F(F32), false, 0x1p-700, 0, "exact_f32_f32"},
    {F(F32), F(F32), false, 0x1.00000008p+700, 0, "any_f32_f32"},
    {F(F32), F(F32), false, 0x1p+701, 0, ""},
    {F(F32), F(F32), false, 0x1p-701, 0, ""},
    {F(F32), F(F64), false, 1, 0, "exact_f32_f64"},
    {F(F32), F(F64), false, 0x1p+800, 0, "exact_f32_f64"},
    {F(F32), F(F64), false, 0.1, 0, "exact_f32_f64"},
    {F(F64), F(F64), false, 0.1, 0, "exact_f64_f64"},
    {F(F64), F(F32), false, 1, 0, "exact_f64_f32"},
    {F(F64), F(F32), false, 2, 0, ""},
    {F(F64), F(BF16), false, 1, 0, "exact_f64_odd f32_as_bf16"},
    {F(F64), F(S64), false, 1, 0, "exact_f64_s64"},
    {F(F64), F(S8), false, 1, 0, "exact_f64_byte"},
    {F(S32), F(F32), false, 1, 0, "exact_s32_f32"},
    {F(S32), F(F32), false, 0x1.00001p+0, 0, "exact_s32_f32"}, /* of 21 digits */
    {F(S32), F(F32), false, 0x1.000008p+0, 0, "any_s32_f32"},  /* of 22 */
    {F(U32), F(F16), false, 1, 0, "exact_u32_odd f32_as_f16"},
    {F(U32), F(F16), false, 0.1, 0, "any_u32_odd f32_as_f16"},
    {F(U32), F(F64), false, 0.1, 0, "exact_u32_f64"},
    {F(S64), F(F32), false, 1, 0, "whole_s64_f32"},
    {F(U64), F(F64), false, 1, 0, "whole_u64_f64"},
    {F(S64), F(F32), false, 2, 0, ""},
    {F(S64), F(F16), false, 1, 0, ""},
    /* To integers within their range. */
    {F(F32), F(S32), false, 1, 0, "whole_f32_s32"},
    {F(F32), F(S32), false, 0.5, 0, "exact_f32_s32"},
    {F(F32), F(S16), false, 1, 0, "exact_f32_s32 low_4_2"},
    {F(F32), F(U16), false, 0.1, 0, "any_f32_s32 low_4_2"},
    {F(F32), F(U32), false, 1, 0, "exact_f32_u32"},
    {F(F32), F(S64), false, 1, 0, "exact_f32_s64"},
    {F(F32), F(U64), false, 0.5, 0, "exact_f32_u64"},
    {F(F32), F(U64), false, 0.1, 0, ""},
    {F(F32), F(S8), false, 1, 0, "single_byte"},
    {F(F32), F(U4), false, 0.1, 4, "any_f32_byte pack_4"},
    {F(S32), F(S2), false, 1, 2, "exact_s32_byte pack_2"},
    {F(F32), F(S8), true, 1, 0, ""},
    {F(F32), F(PRED), false, 1, 0, ""},
    {F(F32), F(PRED), false, 1, 1, "pack_1"},
};

static void test_taken_stages(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof taken_cases / sizeof taken_cases[0]; ++i) {
    const taken_case *const c = &taken_cases[i];
    print_message("%s to %s%s, scale %a\n", relayout_element_type_name(c->from),
                  relayout_element_type_name(c->to), c->wraps ? ", wraps" : "", c->scale);
    encode_some((rlt_conversion){c->from, c->to, c->wraps, c->scale, false}, c->packed);
    assert_string_equal(taken, c->passes);
    if (taken[0] != '\0') {
      assert_true(last.scale == c->scale);
      assert_int_equal(last_conversion.from, c->from);
      assert_int_equal(last_conversion.to, c->to);
    }
  }
}

/* Bytes in the other order are turned round before all else, and after it. */
static void test_swapping_stages(void **state) {
  (void)state;
  static const struct {
    relayout_element_type from, to;
    bool source_swapped, destination_swapped;
    const char *passes;
  } cases[] = {
      {F(U32), F(U32), false, true, "swap_4"},
      {F(U16), F(U16), true, false, "swap_2"},
      {F(U32), F(U32), false, false, "u32_to_u32"},
      {F(F16), F(F32), true, false, "swap_2 f16_as_f32"},
      {F(F16), F(F32), false, true, "f16_as_f32 swap_4"},
      {F(F16), F(BF16), true, true, "swap_2 f16_as_f32 f32_as_bf16 swap_2"},
      {F(S8), F(F64), false, true, "bytes_8 swap_8"},
      {F(S64), F(F16), true, true, "swap_8 swap_2"}, /* element by element in between */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const uint8_t words[RLT_CPU_ROW_GROUP * 8] = {0};
    uint8_t made[RLT_CPU_ROW_GROUP * 8];
    const rlt_problem problem = {.element_bytes =
                                     (int64_t)relayout_element_type_byte_size(cases[i].from),
                                 .conversion = {cases[i].from, cases[i].to, false, 1, false},
                                 .source_swapped = cases[i].source_swapped,
                                 .destination_swapped = cases[i].destination_swapped};
    rlt_cpu_codec *const codec = codec_of(&problem);
    taken[0] = '\0';
    rlt_cpu_codec_encode(codec, words, made, RLT_CPU_ROW_GROUP);
    rlt_cpu_codec_destroy(codec);
    assert_string_equal(taken, cases[i].passes);
  }
}

/* Where that is faster, f16 of an integer is made by way of f32, unscaled. */
static void test_halves_by_f32(void **state) {
  (void)state;
  rlt_cpu_row_passes others = passes;
  others.halves_by_f32 = true;
  encode_some((rlt_conversion){F(S8), F(F16), false, 1, false}, 0);
  assert_string_equal(taken, "bytes_2");
  encode_some_with(&others, (rlt_conversion){F(S8), F(F16), false, 1, false}, 0);
  assert_string_equal(taken, "s8_as_f32 f32_as_f16");
  encode_some_with(&others, (rlt_conversion){F(S8), F(F16), false, 0.5, false}, 0);
  assert_string_equal(taken, "bytes_2");
  encode_some_with(&others, (rlt_conversion){F(S8), F(BF16), false, 1, false}, 0);
  assert_string_equal(taken, "bytes_2");
}

/* To the nearest integers. */
static const taken_case nearest_cases[] = {
    {F(F32), F(S32), false, 1, 0, "whole_f32_nearest_s32"},
    {F(F32), F(S32), false, 0.5, 0, "exact_f32_nearest_s32"},
    {F(F32), F(S16), false, 1, 0, "exact_f32_nearest_s32 low_4_2"},
    {F(F32), F(U16), false, 0.1, 0, "any_f32_nearest_s32 low_4_2"},
    {F(F32), F(U32), false, 1, 0, "exact_f32_nearest_u32"},
    {F(F32), F(S64), false, 1, 0, "exact_f32_nearest_s64"},
    {F(F64), F(U64), false, 1, 0, "exact_f64_nearest_u64"},
    {F(F32), F(S8), false, 1, 0, "single_nearest_byte"},
    {F(F32), F(U4), false, 0.1, 4, "any_f32_nearest_byte pack_4"},
    {F(S32), F(S2), false, 0.5, 2, "exact_s32_nearest_byte pack_2"},
    {F(BF16), F(S8), false, 1, 0, ""}, /* of which this set makes no f32 */
    {F(F16), F(S8), false, 1, 0, "f16_as_f32 single_nearest_byte"},
    {F(U8), F(S4), false, 0.5, 0, "bytes_1"},
    {F(F32), F(S8), true, 1, 0, ""},
};

static void test_nearest_stages(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof nearest_cases / sizeof nearest_cases[0]; ++i) {
    const taken_case *const c = &nearest_cases[i];
    encode_some((rlt_conversion){c->from, c->to, c->wraps, c->scale, true}, c->packed);
    assert_string_equal(taken, c->passes);
  }
}

/* The ends of the integers wanted, and the bits of them that are kept. */
static void test_ranges(void **state) {
  (void)state;
  static const struct {
    relayout_element_type to;
    double lowest, highest;
    uint32_t low_mask;
  } cases[] = {{F(S8), -128, 127, 0xff},
               {F(U8), 0, 255, 0xff},
               {F(S4), -8, 7, 0xf},
               {F(U4), 0, 15, 0xf},
               {F(S2), -2, 1, 3},
               {F(U1), 0, 1, 1},
               {F(S16), -32768, 32767, 0xffff},
               {F(U16), 0, 65535, 0xffff},
               {F(S32), -0x1p31, 0x1p31 - 1, UINT32_MAX}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    encode_some((rlt_conversion){F(F32), cases[i].to, false, 0.1, false}, 0);
    assert_true(last.lowest == cases[i].lowest);
    assert_true(last.highest == cases[i].highest);
    assert_int_equal(last.low_mask, cases[i].low_mask);
  }
}

/* All bytes of u8 as u16 three times as large; of s4, whose upper bits do not count, as f32. */
static void test_tables(void **state) {
  (void)state;
  encode_some((rlt_conversion){F(U8), F(U16), false, 3, false}, 0);
  assert_string_equal(taken, "bytes_2");
  for (int i = 0; i < 256; ++i) {
    uint16_t found;
    memcpy(&found, noted_table + 2 * i, sizeof found);
    assert_int_equal(found, 3 * i);
    assert_int_equal(noted_planes[i], 3 * i % 256);
    assert_int_equal(noted_planes[256 + i], 3 * i / 256);
  }
  assert_false(last.table_has_sign);
  encode_some((rlt_conversion){F(F8E4M3FN), F(BF16), false, 1, false}, 0);
  assert_true(last.table_has_sign); /* NaNs keep theirs */
  encode_some((rlt_conversion){F(F8E4M3FNUZ), F(BF16), false, 1, false}, 0);
  assert_false(last.table_has_sign); /* -0 of the others is this one's NaN */
  encode_some((rlt_conversion){F(S8), F(S16), false, 3, false}, 0);
  assert_false(last.table_has_sign);
  encode_some((rlt_conversion){F(S4), F(F32), false, 1, false}, 0);
  assert_string_equal(taken, "nibbles_4");
  for (int i = 0; i < 256; ++i) {
    float found;
    memcpy(&found, noted_table + 4 * i, sizeof found);
    assert_true(found == (i % 16 < 8 ? i % 16 : i % 16 - 16));
  }
}

/* Element by element is right as well. */
static void test_without_stages(void **state) {
  (void)state;
  const float words[5] = {1.5F, -2, 300, 0, 7.75F};
  static const uint8_t expected[5] = {1, 254, 44, 0, 7};
  uint8_t made[5] = {0};
  const rlt_problem problem = {.element_bytes = 4, .conversion = {F(F32), F(U8), true, 1, false}};
  rlt_cpu_codec *const codec = codec_of(&problem);
  rlt_cpu_codec_encode(codec, (const uint8_t *)words, made, 5);
  assert_memory_equal(made, expected, sizeof expected);
  rlt_cpu_codec_destroy(codec);
}

static void test_unpacked_and_packed(void **state) {
  (void)state;
  static const struct {
    int64_t bits;
    bool source_high, destination_high;
    const char *unpacks, *packs;
  } cases[] = {
      {1, false, false, "unpack_1", "pack_1"},     {2, false, false, "unpack_2", "pack_2"},
      {4, false, false, "unpack_4", "pack_4"},     {1, true, false, "high_unpack_1", "pack_1"},
      {2, false, true, "unpack_2", "high_pack_2"}, {4, true, true, "high_unpack_4", "high_pack_4"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    uint8_t words[RLT_CPU_ROW_GROUP] = {0}, packed[RLT_CPU_ROW_GROUP] = {0};
    const rlt_problem problem = {.element_bytes = 1,
                                 .source_packed = cases[i].bits,
                                 .destination_packed = cases[i].bits,
                                 .source_high = cases[i].source_high,
                                 .destination_high = cases[i].destination_high};
    rlt_cpu_codec *const codec = codec_of(&problem);
    taken[0] = '\0';
    rlt_cpu_codec_decode(codec, packed, 0, words, 0);
    assert_string_equal(taken, "");
    rlt_cpu_codec_decode(codec, packed, 0, words, RLT_CPU_ROW_GROUP);
    assert_string_equal(taken, cases[i].unpacks);
    taken[0] = '\0';
    rlt_cpu_codec_encode(codec, words, packed, RLT_CPU_ROW_GROUP);
    assert_string_equal(taken, cases[i].packs);
    rlt_cpu_codec_destroy(codec);
  }
  rlt_cpu_codec_destroy(NULL);
}

/* Words of any width are reversed byte by byte. */
static void test_reversed(void **state) {
  (void)state;
  static const struct {
    int64_t bits, word_bytes;
    const char *reverses;
  } cases[] = {{1, 1, "reverse_1"}, {2, 16, "reverse_2"}, {4, 4, "reverse_4"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    uint8_t words[RLT_CPU_ROW_GROUP] = {0}, made[RLT_CPU_ROW_GROUP] = {0};
    const rlt_problem problem = {.element_bytes = cases[i].word_bytes,
                                 .reversed_bits = cases[i].bits};
    rlt_cpu_codec *const codec = codec_of(&problem);
    taken[0] = '\0';
    rlt_cpu_codec_encode(codec, words, made, RLT_CPU_ROW_GROUP / cases[i].word_bytes);
    assert_string_equal(taken, cases[i].reverses);
    rlt_cpu_codec_destroy(codec);
  }
}

static void pack_ones(const rlt_cpu_row *row, const uint8_t *from, uint8_t *to, int64_t count) {
  (void)row;
  (void)from;
  memset(to, 0xff, (size_t)count);
}

/* Behind the last element its byte's bits are 0, whatever a pass makes of elements that are not
 * there; and nothing is written behind that byte. */
static void test_spare_bits(void **state) {
  (void)state;
  static const uint8_t words[RLT_CPU_ROW_GROUP];
  rlt_cpu_row_passes packing = passes;
  const rlt_cpu_instruction_set ones_set = {.name = "ones", .rows = &packing};
  for (int s = 0; s < 3; ++s) {
    packing.pack[0][s] = packing.pack[1][s] = pack_ones;
  }
  for (int variant = 0; variant < 3 * 2; ++variant) {
    const int64_t bits = INT64_C(1) << variant / 2;
    const bool high = variant % 2 == 1;
    const rlt_problem problem = {
        .element_bytes = 1, .destination_packed = bits, .destination_high = high};
    rlt_cpu_codec *codec = NULL;
    assert_int_equal(rlt_cpu_codec_create(&ones_set, &problem, &codec, NULL), RELAYOUT_OK);
    for (int64_t count = 1; count < RLT_CPU_ROW_GROUP; ++count) {
      uint8_t made[RLT_CPU_ROW_GROUP] = {0};
      rlt_cpu_codec_encode(codec, words, made, count);
      for (int64_t b = 0; b < 8 * RLT_CPU_ROW_GROUP; ++b) {
        assert_int_equal(made[b / 8] >> (high ? 7 - b % 8 : b % 8) & 1, b < count * bits);
      }
    }
    rlt_cpu_codec_destroy(codec);
  }
}

/* ---- Floating point ---- */

/* One that rounds upwards. */
#if defined(__SSE2__)
enum { UPWARDS = RLT_USUAL_FLOAT_CONTROL | 0x4000 };
#elif defined(__aarch64__)
enum { UPWARDS = RLT_USUAL_FLOAT_CONTROL | 0x400000 };
#else
enum { UPWARDS = RLT_USUAL_FLOAT_CONTROL };
#endif

/* Passes that compute in floating point do as programs start with it, others as the caller has it,
 * which stays so for the caller. */
static void test_float_control(void **state) {
  (void)state;
  static const struct {
    rlt_conversion conversion;
    bool computes;
  } cases[] = {{{F(F32), F(F16), false, 1, false}, true},
               {{F(F32), F(BF16), false, 1, false}, false},
               {{F(F32), F(BF16), false, 0.5, false}, true},
               {{F(S32), F(S8), false, 1, false}, false},
               {{F(S8), F(U8), false, 2, false}, false}};
  static const uint8_t words[4 * RLT_CPU_ROW_GROUP];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const rlt_conversion *const with = &cases[i].conversion;
    const rlt_problem problem = {
        .element_bytes = (int64_t)relayout_element_type_byte_size(with->from), .conversion = *with};
    rlt_cpu_codec *const codec = codec_of(&problem);
    for (int streams = 0; streams < 2; ++streams) {
      uint8_t made[4 * RLT_CPU_ROW_GROUP];
      const rlt_float_control usual = rlt_float_control_get();
      taken[0] = '\0';
      rlt_float_control_set(UPWARDS);
      (streams ? rlt_cpu_codec_stream : rlt_cpu_codec_encode)(codec, words, made,
                                                              RLT_CPU_ROW_GROUP);
      const rlt_float_control still = rlt_float_control_get();
      rlt_float_control_set(usual);
      print_message("%s\n", taken);
      assert_int_equal(still & ~(rlt_float_control)RLT_FLOAT_FLAGS, UPWARDS);
      assert_int_equal(last_control, cases[i].computes ? RLT_USUAL_FLOAT_CONTROL : UPWARDS);
    }
    rlt_cpu_codec_destroy(codec);
  }
}

/* ---- Past the cache ---- */

enum { ROW = 5000 };

static struct {
  const uint8_t *words;
  int64_t count;
  int64_t next; /* the byte of the words to be fetched next */
} fetches;

static void note_fetch(const uint8_t *at, int writes, int locality) {
  assert_int_equal(writes, 0);
  assert_int_equal(locality, 2); /* into the second cache */
  assert_int_equal(at - fetches.words, fetches.next);
  fetches.next += LINE;
  ++fetches.count;
}

/* 512 elements go through all passes at a time, and those 1024 further on are fetched meanwhile, as
 * long as there are so many. */
static void test_what_is_fetched(void **state) {
  (void)state;
  static const uint8_t words[4 * ROW];
  static _Alignas(LINE) uint8_t made[2 * ROW];
  static const struct {
    int64_t count, fetched; /* elements, lines of 16 of them */
  } cases[] = {{512, 0}, {1535, 0}, {1536, 32}, {2047, 32}, {2048, 64}, {ROW, 224}};
  const rlt_problem problem = {.element_bytes = 4,
                               .conversion = {F(F32), F(BF16), false, 1, false}};
  rlt_cpu_codec *const codec = codec_of(&problem);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    fetches.words = words;
    fetches.count = 0;
    fetches.next = 4 * 1024;
    taken[0] = '\0';
    rlt_cpu_codec_stream(codec, words, made, cases[i].count);
    assert_int_equal(fetches.count, cases[i].fetched);
  }
  rlt_cpu_codec_destroy(codec);
}

/* Lines that are read later are fetched between pieces of 64 words, and behind those that are left
 * over; no more than there are. */
static void test_fetched_between(void **state) {
  (void)state;
  static const uint8_t words[4 * ROW];
  static _Alignas(LINE) uint8_t made[2 * ROW];
  static const int64_t ahead[9] = {0, 64, 128, 192, 256, 320, 384, 448, 512};
  static const struct {
    int64_t count;
    const char *taken; /* passes, of all pieces */
    int64_t fetched;
  } cases[] = {{0, "", 0},
               {63, "f32_as_bf16", 2},
               {64, "f32_as_bf16", 2},
               {65, "f32_as_bf16 f32_as_bf16", 4},
               {192, "f32_as_bf16 f32_as_bf16 f32_as_bf16", 6},
               {448,
                "f32_as_bf16 f32_as_bf16 f32_as_bf16 f32_as_bf16 f32_as_bf16 f32_as_bf16 "
                "f32_as_bf16",
                9}};
  const rlt_problem problem = {.element_bytes = 4,
                               .conversion = {F(F32), F(BF16), false, 1, false}};
  rlt_cpu_codec *const codec = codec_of(&problem);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    rlt_cpu_prefetching of = {.start = words, .ahead = ahead, .left = 9, .pace = 2};
    fetches.words = words;
    fetches.count = 0;
    fetches.next = 0;
    taken[0] = '\0';
    rlt_cpu_codec_encode_fetching(codec, words, words + sizeof words, made, cases[i].count, &of, 2);
    assert_int_equal(fetches.count, cases[i].fetched);
    assert_int_equal(of.left, 9 - cases[i].fetched);
    assert_string_equal(taken, cases[i].taken);
  }
  rlt_cpu_codec_destroy(codec);
}

/* All whole lines of the destination, and nothing else, go past the cache: once what is made fills
 * them, wherever it begins. */
static void test_what_is_streamed(void **state) {
  (void)state;
  static uint8_t words[ROW];
  static _Alignas(LINE) uint8_t made[ROW + LINE];
  const rlt_problem plain = {.element_bytes = 1};
  rlt_cpu_codec *const codec = codec_of(&plain);
  for (int64_t i = 0; i < ROW; ++i) {
    words[i] = (uint8_t)(i * 7 + i / 256);
  }
  for (int64_t place = 0; place < LINE; place += 9) {
    for (int64_t count = 0; count < 400; count += 1 + count / 9) {
      const int64_t first = (place + LINE - 1) / LINE, end = (place + count) / LINE;
      streamed_lines = 0;
      memset(made, 0xa5, sizeof made);
      rlt_cpu_codec_stream(codec, words, made + place, count);
      assert_int_equal(streamed_lines, rlt_max(end - first, 0));
      assert_memory_equal(made + place, words, (size_t)count);
      assert_int_equal(made[place + count], 0xa5);
      assert_true(place == 0 || made[place - 1] == 0xa5);
    }
  }
  streamed_lines = 0;
  rlt_cpu_codec_stream_lines(codec, words, made, 7);
  assert_int_equal(streamed_lines, 7);
  assert_memory_equal(made, words, 7 * LINE);
  rlt_cpu_codec_destroy(codec);

  /* Packed to four bits, by passes. */
  const rlt_problem packing = {.element_bytes = 1, .destination_packed = 4};
  rlt_cpu_codec *const packer = codec_of(&packing);
  for (int64_t place = 0; place < LINE; place += 9) {
    for (int64_t count = 0; count < ROW; count += 1 + count / 5) {
      const int64_t bytes = (count + 1) / 2;
      const int64_t first = (place + LINE - 1) / LINE, end = (place + bytes) / LINE;
      streamed_lines = 0;
      fetches.words = words;
      fetches.next = 4096;
      taken[0] = '\0';
      rlt_cpu_codec_stream(packer, words, made + place, count);
      assert_int_equal(streamed_lines, rlt_max(end - first, 0));
    }
  }
  rlt_cpu_codec_destroy(packer);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_swapping_stages), cmocka_unit_test(test_taken_stages),
      cmocka_unit_test(test_halves_by_f32),   cmocka_unit_test(test_nearest_stages),
      cmocka_unit_test(test_ranges),          cmocka_unit_test(test_tables),
      cmocka_unit_test(test_without_stages),  cmocka_unit_test(test_unpacked_and_packed),
      cmocka_unit_test(test_reversed),        cmocka_unit_test(test_spare_bits),
      cmocka_unit_test(test_float_control),   cmocka_unit_test(test_what_is_fetched),
      cmocka_unit_test(test_fetched_between), cmocka_unit_test(test_what_is_streamed),
  };
  return cmocka_run_group_tests_name("cpu.codecs", tests, NULL, NULL);
}
