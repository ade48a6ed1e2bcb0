/* records.h: the records of block formats, made of f32 values and read again, for one instruction
 * set. GGUF's reference (ggml) says what each operation in f32 is; where it leaves a result open,
 * for infinities and NaNs, elements are 0, and each NaN is the positive one. Unlike there, a NaN
 * counts as the greatest value.
 *
 * A record is: the scale d; of q4_1 and q5_1 the minimum m; of q5_0 and q5_1 the fifth bits of all
 * elements; and the elements, of 4 bits those of the record's halves in pairs. d and m are f16,
 * the lowest byte first; mxfp4's d is an f8e8m0fnu.
 *
 * Depends on scale_passes.h and convert/float_bits.h.
 */
#ifndef RLT_CPU_RECORDS_H
#define RLT_CPU_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "convert/float_bits.h"
#include "cpu/scale_passes.h"

#define RECORDS_INLINED static inline __attribute__((always_inline))

/* Compilers that unroll a short loop find no vectors in it. */
#if defined(__clang__)
#define KEPT_LOOP _Pragma("clang loop unroll(disable)")
#else
#define KEPT_LOOP _Pragma("GCC unroll 1")
#endif

enum { RECORD = RELAYOUT_BLOCK_ELEMENTS, RECORD_HALF = RECORD / 2 };

/* ---- Numbers in a record -------------------------------------------------------------------- */

/* The nearest f16, ties to even. Adding half a float's range leaves as many digits as a subnormal
 * f16 has. */
RECORDS_INLINED void put_half(float value, uint8_t *to) {
  const uint32_t bits = bits_of_f32(value);
  const uint32_t magnitude = bits & 0x7fffffff;
  uint32_t half;
  if (magnitude > 0x7f800000) {
    half = 0x7e00;
  } else if (magnitude >= 0x477ff000) {
    half = 0x7c00;
  } else if (magnitude < 0x38800000) {
    half = bits_of_f32(f32_of_bits(magnitude) + 0.5f) - bits_of_f32(0.5f);
  } else {
    half = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
  }
  half |= magnitude > 0x7f800000 ? 0 : bits >> 16 & 0x8000;
  to[0] = (uint8_t)half;
  to[1] = (uint8_t)(half >> 8);
}

RECORDS_INLINED float get_half(const uint8_t *from) {
  const uint32_t half = from[0] | (uint32_t)from[1] << 8;
  const uint32_t sign = (half & 0x8000) << 16, magnitude = half & 0x7fff;
  const uint32_t bits = magnitude >= 0x7c00 ? (magnitude << 13) + 0x70000000
                        : magnitude >= 0x400
                            ? (magnitude << 13) + 0x38000000
                            : bits_of_f32(f32_of_bits(0x3f000000 + magnitude) - 0.5f);
  return f32_of_bits(bits | sign);
}

/* Half of an f8e8m0fnu, as the elements of mxfp4 are counted in halves. */
RECORDS_INLINED float get_half_power(uint8_t exponent) {
  return f32_of_bits(exponent < 2 ? (uint32_t)0x00200000 << exponent
                                  : (uint32_t)(exponent - 1) << 23);
}

/* ---- What a block is ------------------------------------------------------------------------ */

/* The greatest of the values' bits without their signs. */
RECORDS_INLINED int32_t greatest_of(const rlt_unaligned_float *restrict values, int64_t count) {
  int32_t most = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t magnitude = (int32_t)(bits_of_f32(values[i]) & 0x7fffffff);
    most = magnitude > most ? magnitude : most;
  }
  return most;
}

RECORDS_INLINED float reciprocal(float d) {
  return d != 0 ? 1.0f / d : 0.0f;
}

/* The value that is furthest from 0, the first of several. */
RECORDS_INLINED float furthest(const rlt_unaligned_float *restrict values) {
  int32_t above = 0, below = 0; /* bits without signs, of those of either sign */
  for (int i = 0; i < RECORD; ++i) {
    const int32_t bits = (int32_t)bits_of_f32(values[i]);
    const int32_t magnitude = bits & 0x7fffffff;
    const int32_t positive = bits >= 0 ? magnitude : 0, negative = bits < 0 ? magnitude : 0;
    above = positive > above ? positive : above;
    below = negative > below ? negative : below;
  }
  if (above == below) {
    for (int i = 0; i < RECORD; ++i) {
      if ((int32_t)(bits_of_f32(values[i]) & 0x7fffffff) == above) {
        return above == 0 ? 0.0f : values[i];
      }
    }
  }
  return f32_of_bits(above > below ? (uint32_t)above : (uint32_t)below | 0x80000000);
}

/* An integer for each float, in the same order; the way back is the same. */
RECORDS_INLINED int32_t in_order(int32_t bits) {
  return bits ^ (bits >> 31 & 0x7fffffff);
}

/* The least and the greatest value, of zeros of both signs the first. */
RECORDS_INLINED void find_range(const rlt_unaligned_float *restrict values, float *least,
                                float *most) {
  int32_t first = INT32_MAX, last = INT32_MIN;
  for (int i = 0; i < RECORD; ++i) {
    const int32_t place = in_order((int32_t)bits_of_f32(values[i]));
    first = place < first ? place : first;
    last = place > last ? place : last;
  }
  float low = f32_of_bits((uint32_t)in_order(first));
  float high = f32_of_bits((uint32_t)in_order(last));
  for (int i = RECORD - 1; i >= 0 && (low == 0 || high == 0); --i) {
    low = low == 0 && values[i] == 0 ? values[i] : low;
    high = high == 0 && values[i] == 0 ? values[i] : high;
  }
  *least = low;
  *most = high;
}

/* ---- Elements in bytes ---------------------------------------------------------------------- */

/* Integers of a record's elements lie as int32_t until all are there: loops of one width become
 * vectors. */

/* Cut to an integer of at most `most`; 0 if it is no such number as a finite scale makes. */
RECORDS_INLINED int32_t cut(float number, float most) {
  const float usual = number > 0 && number < 128 ? number : 0;
  return (int32_t)(usual < most ? usual : most);
}

RECORDS_INLINED void put_nibbles(const int32_t *restrict elements, uint8_t *restrict to) {
  KEPT_LOOP
  for (int i = 0; i < RECORD_HALF; ++i) {
    to[i] = (uint8_t)((elements[i] & 15) | (elements[i + RECORD_HALF] & 15) << 4);
  }
}

RECORDS_INLINED void put_fifth_bits(const int32_t *restrict elements, uint8_t *restrict to) {
  uint32_t bits = 0;
  for (int i = 0; i < RECORD; ++i) {
    bits |= ((uint32_t)elements[i] >> 4 & 1) << i;
  }
  for (int i = 0; i < 4; ++i) {
    to[i] = (uint8_t)(bits >> 8 * i);
  }
}

RECORDS_INLINED uint32_t get_fifth_bits(const uint8_t *from) {
  return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

/* ---- To records ----------------------------------------------------------------------------- */

RECORDS_INLINED void encode_q8_0(const rlt_unaligned_float *restrict values, uint8_t *restrict to) {
  const float d = f32_of_bits((uint32_t)greatest_of(values, RECORD)) / 127.0f;
  const float factor = reciprocal(d);
  put_half(d, to);
  int32_t elements[RECORD];
  for (int i = 0; i < RECORD; ++i) {
    /* To the nearest integer, ties away from 0: what is added is the number before a half. */
    const float exact = values[i] * factor;
    const float number = exact < 128 && exact > -128 ? exact : 0.0f;
    const uint32_t sign = bits_of_f32(number) & 0x80000000;
    elements[i] = (int32_t)(number + f32_of_bits(0x3effffff | sign));
  }
  for (int i = 0; i < RECORD; ++i) {
    to[2 + i] = (uint8_t)elements[i];
  }
}

/* q4_0 and q5_0: integers from `-half` to half - 1, as which the furthest value is -half. */
RECORDS_INLINED void encode_signed(const rlt_unaligned_float *restrict values, float half,
                                   uint8_t *restrict to, int32_t *restrict elements) {
  const float d = furthest(values) / -half;
  const float factor = reciprocal(d);
  put_half(d, to);
  for (int i = 0; i < RECORD; ++i) {
    elements[i] = cut(values[i] * factor + (half + 0.5f), 2 * half - 1);
  }
}

/* q4_1 and q5_1: steps from the least value to the greatest. */
RECORDS_INLINED void encode_range(const rlt_unaligned_float *restrict values, float steps,
                                  uint8_t *restrict to, int32_t *restrict elements) {
  float least, most;
  find_range(values, &least, &most);
  const float d = (most - least) / steps;
  const float factor = reciprocal(d);
  put_half(d, to);
  put_half(least, to + 2);
  for (int i = 0; i < RECORD; ++i) {
    elements[i] = cut((values[i] - least) * factor + 0.5f, steps);
  }
}

/* What floorf(log2f(x)) is of a number above 0 with these bits, where log2f rounds to the nearest:
 * a power of two also for the few numbers before it whose logarithm f32 does not tell apart. */
RECORDS_INLINED int32_t floor_of_log2(uint32_t bits) {
  static const uint8_t steps[] = {0, 1, 2, 5, 11, 22, 44}; /* by the bits of the logarithm */
  const int32_t next = (int32_t)(bits >> 23) - 127 + 1;
  const uint32_t before = 0x800000 - (bits & 0x7fffff);
  /* Logarithms just below a power of two have the digits of those above the one before it. */
  const int32_t distance = next > 0 ? next - 1 : -next;
  const int32_t number = distance > 0 ? 31 - __builtin_clz((unsigned)distance) : 0;
  return next != 0 && bits < 0x7f800000 && before <= steps[number] ? next : next - 1;
}

/* The nearest of 0, 1, 2, 3, 4, 6, 8 and 12 halves; the smaller of two as near, and 0 of both
 * signs is element 0. */
RECORDS_INLINED void encode_mxfp4(const rlt_unaligned_float *restrict values,
                                  uint8_t *restrict to) {
  const int32_t exponent = floor_of_log2((uint32_t)greatest_of(values, RECORD)) + 127 - 2;
  to[0] = (uint8_t)(exponent > 0 ? exponent : 0);
  const float d = get_half_power(to[0]), infinity = f32_of_bits(0x7f800000);
  const int32_t last = 8 * d < infinity ? 7 : 5; /* to infinity nothing is near */
  int32_t elements[RECORD];
  for (int i = 0; i < RECORD; ++i) {
    const float magnitude = f32_of_bits(bits_of_f32(values[i]) & 0x7fffffff);
    const int32_t found = (magnitude > 0.5f * d) + (magnitude > 1.5f * d) + (magnitude > 2.5f * d) +
                          (magnitude > 3.5f * d) + (magnitude > 5 * d) + (magnitude > 7 * d) +
                          (magnitude > 10 * d);
    const int32_t above = magnitude == infinity ? 0 : found < last ? found : last;
    const int32_t is_negative = (int32_t)(bits_of_f32(values[i]) >> 31) & (above > 0);
    elements[i] = above | is_negative << 3;
  }
  put_nibbles(elements, to + 1);
}

static void encode_records(relayout_block_format format, const rlt_unaligned_float *values,
                           int64_t count, uint8_t *records) {
  const size_t bytes = relayout_block_format_record_bytes(format);
  int32_t elements[RECORD];
  for (; count > 0; count -= RECORD, values += RECORD, records += bytes) {
    switch (format) {
    case RELAYOUT_BLOCK_FORMAT_Q4_0:
      encode_signed(values, 8, records, elements);
      put_nibbles(elements, records + 2);
      break;
    case RELAYOUT_BLOCK_FORMAT_Q4_1:
      encode_range(values, 15, records, elements);
      put_nibbles(elements, records + 4);
      break;
    case RELAYOUT_BLOCK_FORMAT_Q5_0:
      encode_signed(values, 16, records, elements);
      put_fifth_bits(elements, records + 2);
      put_nibbles(elements, records + 6);
      break;
    case RELAYOUT_BLOCK_FORMAT_Q5_1:
      encode_range(values, 31, records, elements);
      put_fifth_bits(elements, records + 4);
      put_nibbles(elements, records + 8);
      break;
    case RELAYOUT_BLOCK_FORMAT_Q8_0:
      encode_q8_0(values, records);
      break;
    default:
      encode_mxfp4(values, records);
    }
  }
}

/* ---- From records --------------------------------------------------------------------------- */

RECORDS_INLINED void decode_q8_0(const uint8_t *restrict record, float d, float *restrict values) {
  for (int i = 0; i < RECORD; ++i) {
    values[i] = (float)(int8_t)record[2 + i] * d;
  }
}

/* q4_0 and q5_0; `fifth` holds the fifth bits, or 0. */
RECORDS_INLINED void decode_signed(const uint8_t *restrict pairs, uint32_t fifth, float d,
                                   int32_t half, float *restrict values) {
  KEPT_LOOP
  for (int i = 0; i < RECORD_HALF; ++i) {
    const int32_t low = (pairs[i] & 15) | (int32_t)(fifth >> i & 1) << 4;
    values[i] = (float)(low - half) * d;
  }
  KEPT_LOOP
  for (int i = 0; i < RECORD_HALF; ++i) {
    const int32_t high = pairs[i] >> 4 | (int32_t)(fifth >> (i + RECORD_HALF) & 1) << 4;
    values[i + RECORD_HALF] = (float)(high - half) * d;
  }
}

/* q4_1 and q5_1. */
RECORDS_INLINED void decode_range(const uint8_t *restrict pairs, uint32_t fifth, float d,
                                  float least, float *restrict values) {
  KEPT_LOOP
  for (int i = 0; i < RECORD_HALF; ++i) {
    const int32_t low = (pairs[i] & 15) | (int32_t)(fifth >> i & 1) << 4;
    values[i] = (float)low * d + least;
  }
  KEPT_LOOP
  for (int i = 0; i < RECORD_HALF; ++i) {
    const int32_t high = pairs[i] >> 4 | (int32_t)(fifth >> (i + RECORD_HALF) & 1) << 4;
    values[i + RECORD_HALF] = (float)high * d + least;
  }
}

/* Halves that the lower three bits of an element count, with the sign of the fourth: 0, 1, 2, 3, 4,
 * 6, 8 and 12. */
RECORDS_INLINED int32_t halves_of(int32_t element) {
  const int32_t number = element & 7, sign = -(element >> 3 & 1);
  const int32_t from_4 = number > 4 ? number - 4 : 0, from_6 = number > 6 ? 2 : 0;
  return ((number + from_4 + from_6) ^ sign) - sign;
}

RECORDS_INLINED void decode_mxfp4(const uint8_t *restrict record, float *restrict values) {
  const float d = get_half_power(record[0]);
  KEPT_LOOP
  for (int i = 0; i < RECORD_HALF; ++i) {
    values[i] = (float)halves_of(record[1 + i] & 15) * d;
  }
  KEPT_LOOP
  for (int i = 0; i < RECORD_HALF; ++i) {
    values[i + RECORD_HALF] = (float)halves_of(record[1 + i] >> 4) * d;
  }
}

/* Instructions differ in the NaNs that they make. */
RECORDS_INLINED void clear_nans(float *values) {
  for (int i = 0; i < RECORD; ++i) {
    values[i] = values[i] == values[i] ? values[i] : f32_of_bits(0x7fc00000);
  }
}

static void decode_records(relayout_block_format format, const uint8_t *records, int64_t count,
                           float *values) {
  const size_t bytes = relayout_block_format_record_bytes(format);
  for (; count > 0; count -= RECORD, values += RECORD, records += bytes) {
    const float d = get_half(records);
    switch (format) {
    case RELAYOUT_BLOCK_FORMAT_Q4_0:
      decode_signed(records + 2, 0, d, 8, values);
      break;
    case RELAYOUT_BLOCK_FORMAT_Q4_1:
      decode_range(records + 4, 0, d, get_half(records + 2), values);
      break;
    case RELAYOUT_BLOCK_FORMAT_Q5_0:
      decode_signed(records + 6, get_fifth_bits(records + 2), d, 16, values);
      break;
    case RELAYOUT_BLOCK_FORMAT_Q5_1:
      decode_range(records + 8, get_fifth_bits(records + 4), d, get_half(records + 2), values);
      break;
    case RELAYOUT_BLOCK_FORMAT_Q8_0:
      decode_q8_0(records, d, values);
      break;
    default:
      decode_mxfp4(records, values);
    }
    if (!(values[0] - values[0] == 0)) { /* d or m is not finite, nor is any value */
      clear_nans(values);
    }
  }
}

#endif
