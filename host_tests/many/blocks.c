/* blocks.c: each format's record and how ggml's reference makes it of values. A record begins with
 * its scale, an f16, and in formats of offsets their least value, another f16; those of 5 bits have
 * the highest bits of all elements next. Elements i and i + 16 share a byte.
 *
 * gguf-py's quantisers make the same records of all values for which the reference is defined,
 * except of blocks of zeros of which some are negative: the reference makes the scale of q4_0 and
 * q5_0 -0 of any zeros, gguf-py that of the first over a negative number; and the least value of
 * q4_1 and q5_1 has the sign of the first zero, in gguf-py that of NumPy's min. */
#include "many/blocks.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "many/exact.h"

enum { ELEMENTS = RELAYOUT_BLOCK_ELEMENTS, HALF = ELEMENTS / 2 };

/* ---- Numbers -------------------------------------------------------------------------------- */

static uint32_t pattern_of(float value) {
  uint32_t pattern;
  memcpy(&pattern, &value, sizeof(pattern));
  return pattern;
}

static float float_of(uint32_t pattern) {
  float value;
  memcpy(&value, &pattern, sizeof(value));
  return value;
}

static float read_f16(const uint8_t *bytes) {
  const exact number = exact_of(RELAYOUT_F16, (uint64_t)(bytes[0] | bytes[1] << 8));
  return float_of((uint32_t)exact_to_float(&number, RELAYOUT_F32, EXACT_TO_NEAREST));
}

static void write_f16(float value, uint8_t *bytes) {
  const exact number = exact_of(RELAYOUT_F32, pattern_of(value));
  const uint64_t pattern = exact_to_float(&number, RELAYOUT_F16, EXACT_TO_NEAREST);
  bytes[0] = (uint8_t)pattern;
  bytes[1] = (uint8_t)(pattern >> 8);
}

/* Half of the number that f8e8m0fnu's pattern stands for; its NaN counts as one more power. */
static float half_of_e8m0(uint8_t pattern) {
  return float_of(pattern < 2 ? (uint32_t)0x00200000 << pattern : (uint32_t)(pattern - 1) << 23);
}

/* ---- Records -------------------------------------------------------------------------------- */

typedef struct record_kind {
  int bits;
  bool has_least; /* elements count from the least value, else from the middle of their range */
} record_kind;

static record_kind kind_of(relayout_block_format format) {
  switch (format) {
  case RELAYOUT_BLOCK_FORMAT_Q4_0:
    return (record_kind){4, false};
  case RELAYOUT_BLOCK_FORMAT_Q4_1:
    return (record_kind){4, true};
  case RELAYOUT_BLOCK_FORMAT_Q5_0:
    return (record_kind){5, false};
  case RELAYOUT_BLOCK_FORMAT_Q5_1:
    return (record_kind){5, true};
  case RELAYOUT_BLOCK_FORMAT_Q8_0:
  case RELAYOUT_BLOCK_FORMAT_MXFP4:
  case RELAYOUT_BLOCK_FORMAT_NONE:
    break;
  }
  return (record_kind){0, false};
}

size_t blocks_record_bytes(relayout_block_format format) {
  const record_kind kind = kind_of(format);
  if (kind.bits == 0) {
    return format == RELAYOUT_BLOCK_FORMAT_Q8_0 ? 34 : 17;
  }
  return (size_t)(2 + (kind.has_least ? 2 : 0) + 4 * kind.bits);
}

/* Where the bits above the fourth are, if there are any, and the low four. */
static size_t high_bits_at(record_kind kind) {
  return kind.has_least ? 4 : 2;
}

static size_t low_bits_at(record_kind kind) {
  return high_bits_at(kind) + (kind.bits > 4 ? 4 : 0);
}

static unsigned read_element(record_kind kind, const uint8_t *record, int i) {
  const unsigned low = record[low_bits_at(kind) + (size_t)(i % HALF)] >> (i < HALF ? 0 : 4) & 15;
  const unsigned high =
      kind.bits > 4 ? record[high_bits_at(kind) + (size_t)(i / 8)] >> (i % 8) & 1 : 0;
  return low | high << 4;
}

static void write_element(record_kind kind, unsigned element, int i, uint8_t *record) {
  record[low_bits_at(kind) + (size_t)(i % HALF)] |= (uint8_t)((element & 15) << (i < HALF ? 0 : 4));
  if (kind.bits > 4) {
    record[high_bits_at(kind) + (size_t)(i / 8)] |= (uint8_t)((element >> 4 & 1) << (i % 8));
  }
}

static const float fp4_doubled[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

void blocks_read(relayout_block_format format, const uint8_t *record, float *values) {
  const record_kind kind = kind_of(format);
  for (int i = 0; i < ELEMENTS; ++i) {
    if (format == RELAYOUT_BLOCK_FORMAT_Q8_0) {
      values[i] = (float)(int8_t)record[2 + i] * read_f16(record);
    } else if (format == RELAYOUT_BLOCK_FORMAT_MXFP4) {
      const unsigned element = record[1 + i % HALF] >> (i < HALF ? 0 : 4) & 15;
      values[i] = fp4_doubled[element] * half_of_e8m0(record[0]);
    } else if (kind.has_least) {
      const volatile float product = (float)read_element(kind, record, i) * read_f16(record);
      values[i] = product + read_f16(record + 2);
    } else {
      const int middle = 1 << (kind.bits - 1);
      values[i] = (float)((int)read_element(kind, record, i) - middle) * read_f16(record);
    }
  }
}

/* ---- The reference quantisers --------------------------------------------------------------- */

/* Whether a conversion to an integer type with these ends is defined. */
static bool is_within(float value, float least, float most) {
  return truncf(value) >= least && truncf(value) <= most;
}

/* The first of the values whose magnitude is the greatest. */
static float greatest(const float *values) {
  float found = 0, magnitude = 0;
  for (int i = 0; i < ELEMENTS; ++i) {
    if (fabsf(values[i]) > magnitude) {
      magnitude = fabsf(values[i]);
      found = values[i];
    }
  }
  return found;
}

static bool write_from_middle(record_kind kind, const float *values, uint8_t *record) {
  const int middle = 1 << (kind.bits - 1);
  const volatile float scale = greatest(values) / (float)-middle;
  const volatile float inverse = scale != 0 ? 1 / scale : 0;
  write_f16(scale, record);
  for (int i = 0; i < ELEMENTS; ++i) {
    const volatile float product = values[i] * inverse;
    const volatile float sum = product + ((float)middle + 0.5F);
    if (!is_within(sum, INT8_MIN, INT8_MAX)) {
      return false;
    }
    const int element = (int)sum;
    write_element(kind, (unsigned)(element < 2 * middle - 1 ? element : 2 * middle - 1), i, record);
  }
  return true;
}

static bool write_from_least(record_kind kind, const float *values, uint8_t *record) {
  const int most_element = (1 << kind.bits) - 1;
  float least = FLT_MAX, most = -FLT_MAX;
  for (int i = 0; i < ELEMENTS; ++i) {
    least = values[i] < least ? values[i] : least;
    most = values[i] > most ? values[i] : most;
  }
  const volatile float range = most - least;
  const volatile float scale = range / (float)most_element;
  const volatile float inverse = scale != 0 ? 1 / scale : 0;
  write_f16(scale, record);
  write_f16(least, record + 2);
  for (int i = 0; i < ELEMENTS; ++i) {
    const volatile float above = values[i] - least;
    const volatile float product = above * inverse;
    const volatile float sum = product + 0.5F;
    if (!is_within(sum, 0, INT8_MAX)) {
      return false;
    }
    const int element = (int)sum;
    write_element(kind, (unsigned)(element < most_element ? element : most_element), i, record);
  }
  return true;
}

static bool write_q8_0(const float *values, uint8_t *record) {
  const volatile float scale = fabsf(greatest(values)) / 127;
  const volatile float inverse = scale != 0 ? 1 / scale : 0;
  write_f16(scale, record);
  for (int i = 0; i < ELEMENTS; ++i) {
    const volatile float product = values[i] * inverse;
    if (!is_within(roundf(product), INT8_MIN, INT8_MAX)) {
      return false;
    }
    record[2 + i] = (uint8_t)(int8_t)roundf(product);
  }
  return true;
}

/* The first of the 16 numbers with the least error. */
static unsigned nearest_fp4(float value, float half_scale) {
  unsigned best = 0;
  float least = fabsf(value);
  for (unsigned i = 1; i < 16; ++i) {
    const volatile float number = fp4_doubled[i] * half_scale;
    const volatile float error = fabsf(number - value);
    if (error < least) {
      least = error;
      best = i;
    }
  }
  return best;
}

static bool write_mxfp4(const float *values, uint8_t *record) {
  const float magnitude = fabsf(greatest(values));
  /* The logarithm is an f32: just below a power of two it is rounded up to it. */
  const float exponent = magnitude > 0 ? floorf((float)log2((double)magnitude)) + 125 : 0;
  if (!is_within(exponent, 0, UINT8_MAX) || isinf(magnitude)) {
    return false;
  }
  record[0] = (uint8_t)exponent;
  for (int i = 0; i < ELEMENTS; ++i) {
    const unsigned element = nearest_fp4(values[i], half_of_e8m0(record[0]));
    record[1 + i % HALF] |= (uint8_t)(element << (i < HALF ? 0 : 4));
  }
  return true;
}

bool blocks_write(relayout_block_format format, const float *values, uint8_t *record) {
  const record_kind kind = kind_of(format);
  memset(record, 0, blocks_record_bytes(format));
  for (int i = 0; i < ELEMENTS; ++i) {
    if (isnan(values[i])) {
      return false;
    }
  }
  return format == RELAYOUT_BLOCK_FORMAT_Q8_0    ? write_q8_0(values, record)
         : format == RELAYOUT_BLOCK_FORMAT_MXFP4 ? write_mxfp4(values, record)
         : kind.has_least                        ? write_from_least(kind, values, record)
                                                 : write_from_middle(kind, values, record);
}

/* ---- Interleaved ---------------------------------------------------------------------------- */

/* Where byte `b` of a record lies in its group: scales of two bytes, of mxfp4 of one; then runs of
 * the rows in turn. */
static size_t place_in_group(const relayout_scaled_view *view, size_t b, size_t row) {
  const size_t rows = (size_t)view->interleaved_rows, run = (size_t)view->interleaved_bytes;
  const size_t scale = view->block_format == RELAYOUT_BLOCK_FORMAT_MXFP4 ? 1 : 2;
  if (b < scale) {
    return row * scale + b;
  }
  const size_t element = b - scale;
  return rows * scale + (element / run * rows + row) * run + element % run;
}

static uint8_t turned_bits(const relayout_scaled_view *view, size_t b) {
  return view->block_format == RELAYOUT_BLOCK_FORMAT_Q4_0 && b >= 2 ? 0x88 : 0;
}

void blocks_take(const relayout_scaled_view *view, const uint8_t *group, int64_t row,
                 uint8_t *record) {
  for (size_t b = 0; b < blocks_record_bytes(view->block_format); ++b) {
    record[b] = group[place_in_group(view, b, (size_t)row)] ^ turned_bits(view, b);
  }
}

void blocks_put(const relayout_scaled_view *view, const uint8_t *record, int64_t row,
                uint8_t *group) {
  for (size_t b = 0; b < blocks_record_bytes(view->block_format); ++b) {
    group[place_in_group(view, b, (size_t)row)] = record[b] ^ turned_bits(view, b);
  }
}
