/* scale_kernels.c: rows of values with scales, for one instruction set. It is compiled for each,
 * which says SCALE_PASSES, the name of what it defines.
 *
 * Loops are such that compilers make vectors of them. No product and sum may become one operation
 * but where the code says so.
 */
#include "base/checked.h"
#include "convert/float_bits.h"
#include "cpu/interleaved.h"
#include "cpu/records.h"
#include "cpu/scale_finding.h"
#include "cpu/scale_passes.h"

#define INLINED static inline __attribute__((always_inline))

enum {
  CHUNK = 256, /* values that are done anew together where one of them needs it */
  MOST_INTEGER = 1 << 22,
  QUIET_NAN = 0x7fc00000, /* of f32 */
  INFINITE = 0x7f800000,
  MAGNITUDE = 0x7fffffff
};

/* ---- A scale for each value ----------------------------------------------------------------- */

/* Numbers of groups, one for each of at most CHUNK values from value `first` of the row on. Groups
 * of a whole vector or two are by far the most. */
INLINED const float *spread(const rlt_scale_row *row, const float *numbers, int64_t first,
                            int64_t count, float *restrict to) {
  const int64_t group = row->group, before = (first + row->skip) % group;
  const float *from = numbers + (first + row->skip) / group;
  int64_t i = 0;
  if (group == 1) {
    return from;
  }
#define WHOLE_GROUPS(size)                                                                         \
  for (; group == (size) && before == 0 && i + (size) <= count; i += (size), ++from) {             \
    for (int64_t j = 0; j < (size); ++j) {                                                         \
      to[i + j] = *from;                                                                           \
    }                                                                                              \
  }
  WHOLE_GROUPS(16)
  WHOLE_GROUPS(32)
#undef WHOLE_GROUPS
  for (int64_t left = group - before; i < count; left = group, ++from) {
    const int64_t end = rlt_min(count, i + rlt_min(left, count));
    for (; i < end; ++i) {
      to[i] = *from;
    }
  }
  return to;
}

/* ---- In doubles ----------------------------------------------------------------------------- */

/* The quotient of a product of two f32s and an f32 is never so near to an f32, or to a number
 * halfway between two, that a double does not tell them apart. */

/* The numbers of a few values of one side. */
typedef struct side_run {
  float scales[CHUNK], points[CHUNK];
} side_run;

/* Without scales a value is multiplied by 1. */
static void take_run(const rlt_scale_row *row, int64_t first, int64_t count, side_run *to) {
  const float *const scales =
      row->scales != NULL ? spread(row, row->scales, first, count, to->scales) : NULL;
  const float *const points =
      row->points != NULL ? spread(row, row->points, first, count, to->points) : NULL;
  for (int64_t i = 0; i < count; ++i) {
    to->scales[i] = scales != NULL ? scales[i] : 1;
    to->points[i] = points != NULL ? points[i] : 0;
  }
}

/* Within what integers of 16 bits need. Adding a number so large that its neighbours are integers
 * rounds to the nearest. */
INLINED float round_to_integer(double exact, bool to_nearest, float point) {
  const double most = MOST_INTEGER, large = 0x1.8p52;
  const double bounded = exact != exact ? 0 : exact > most ? most : exact < -most ? -most : exact;
  const double whole = to_nearest ? bounded + large - large : (double)(int32_t)bounded;
  return (float)whole + point;
}

INLINED float round_to_float(double exact, double most, bool to_odd) {
  const double bounded = exact > most ? most : exact < -most ? -most : exact;
  const uint32_t bits = to_odd ? odd_float(bounded) : bits_of_f32((float)bounded);
  return f32_of_bits(exact != exact ? QUIET_NAN : bits);
}

static void rescale_exactly(const rlt_rescaling *of, const rlt_unaligned_float *values,
                            int64_t first, float *to, int64_t count) {
  side_run from, by;
  double exact[CHUNK];
  const double most = of->to.scales != NULL ? (double)of->most : (double)f32_of_bits(INFINITE);
  take_run(&of->from, first, count, &from);
  take_run(&of->to, first, count, &by);
  for (int64_t i = 0; i < count; ++i) {
    const double scale = (double)by.scales[i];
    const double value = ((double)values[i] - (double)from.points[i]) * (double)from.scales[i];
    exact[i] = scale == 0 ? 0 : value / scale;
  }
  switch (of->rounding) {
  case RLT_SCALE_TO_F32:
  case RLT_SCALE_TO_ODD:
    for (int64_t i = 0; i < count; ++i) {
      to[i] = round_to_float(exact[i], most, of->rounding == RLT_SCALE_TO_ODD);
    }
    break;
  default:
    for (int64_t i = 0; i < count; ++i) {
      to[i] = round_to_integer(exact[i], of->rounding == RLT_SCALE_TO_NEAREST, by.points[i]);
    }
  }
}

/* ---- In f32s -------------------------------------------------------------------------------- */

/* An f32 is off by what a product and a sum that are rounded once find exactly, if no exponent is
 * far from 0. Doubles do the same, as the sum has few digits where that counts. */
INLINED float fused(float a, float b, float c) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_fmaf(a, b, c);
#else
  return (float)((double)a * (double)b + (double)c);
#endif
}

INLINED float with_sign(float value, float of) {
  return f32_of_bits((bits_of_f32(value) & MAGNITUDE) | (bits_of_f32(of) & ~(uint32_t)MAGNITUDE));
}

/* `value` with the sign turned where `by` is negative. */
INLINED float turned(float value, float by) {
  return f32_of_bits(bits_of_f32(value) ^ (bits_of_f32(by) & ~(uint32_t)MAGNITUDE));
}

/* Numbers that the vectors take: 0, and those of exponents within these. */
enum { LEAST_VALUE = (127 - 80) << 23, MOST_VALUE = (127 + 80) << 23 };
enum { LEAST_SCALE = (127 - 40) << 23, MOST_SCALE = (127 + 40) << 23 };

/* -1 or 0, of which compilers make vectors. */
INLINED int32_t is_within(float number, int32_t least, int32_t most) {
  const int32_t magnitude = (int32_t)bits_of_f32(number) & MAGNITUDE;
  return -(int32_t)(magnitude == 0) |
         (-(int32_t)(magnitude >= least) & -(int32_t)(magnitude <= most));
}

/* An f32 beside the exact number, or the number itself, and what that is more, or its sign, to the
 * odd one of both f32s beside it. */
INLINED float made_odd(float nearest, float more) {
  const int32_t bits = (int32_t)bits_of_f32(nearest);
  const int32_t is_too_far = ((int32_t)bits_of_f32(more) ^ bits) >> 31; /* from 0 */
  const uint32_t nearer = (uint32_t)bits + (uint32_t)is_too_far;
  return f32_of_bits(more != 0 ? nearer | 1 : (uint32_t)bits);
}

INLINED float within(float value, float most) {
  const float above = value > most ? most : value;
  return above < -most ? -most : above;
}

INLINED float whole_of(float quotient, bool to_nearest, float point) {
  const float large = 0x1.8p23F;
  const float bounded = within(quotient, MOST_INTEGER);
  const float nearest = bounded + large - large;
  const float beyond =
      bounded < 0 ? (nearest < bounded ? -1.0F : 0.0F) : (nearest > bounded ? 1.0F : 0.0F);
  return nearest - (to_nearest ? 0.0F : beyond) + point;
}

INLINED float finished(float nearest, float more, rlt_scale_rounding rounding, float point) {
  if (rounding == RLT_SCALE_TO_F32) {
    return nearest;
  }
  const float odd = made_odd(nearest, more);
  return rounding == RLT_SCALE_TO_ODD ? odd
                                      : whole_of(odd, rounding == RLT_SCALE_TO_NEAREST, point);
}

/* True if all numbers were such that the results are right. */
INLINED bool divide(const rlt_unaligned_float *restrict values, const float *restrict scales,
                    const float *restrict points, float most, rlt_scale_rounding rounding,
                    float *restrict to, int64_t count) {
  int32_t are_within = -1;
  for (int64_t i = 0; i < count; ++i) {
    const float value = values[i], scale = scales[i];
    const float nearest = value / scale;
    const float more = turned(fused(-nearest, scale, value), scale);
    const float made = finished(nearest, more, rounding, points != NULL ? points[i] : 0);
    to[i] = rounding >= RLT_SCALE_TO_NEAREST ? made : within(made, most);
    are_within &= -(int32_t)(scale != 0);
    are_within &= rounding == RLT_SCALE_TO_F32 ? -(int32_t)(nearest == nearest)
                                               : is_within(value, LEAST_VALUE, MOST_VALUE) &
                                                     is_within(scale, LEAST_SCALE, MOST_SCALE);
  }
  return are_within != 0;
}

INLINED bool multiply(const rlt_unaligned_float *restrict values, const float *restrict scales,
                      const float *restrict points, bool is_exact, rlt_scale_rounding rounding,
                      float *restrict to, int64_t count) {
  int32_t are_within = -1;
  for (int64_t i = 0; i < count; ++i) {
    const float value = points != NULL ? values[i] - points[i] : values[i];
    const float scale = scales[i];
    const float nearest = value * scale;
    const float more = is_exact ? 0 : fused(value, scale, -nearest);
    to[i] = finished(nearest, more, rounding, 0);
    are_within &=
        is_exact || rounding == RLT_SCALE_TO_F32
            ? -(int32_t)(nearest == nearest)
            : is_within(value, LEAST_VALUE, MOST_VALUE) & is_within(scale, LEAST_SCALE, MOST_SCALE);
  }
  return are_within != 0;
}

/* ---- Integers of 32 bits -------------------------------------------------------------------- */

/* What the product of an integer of at most 33 bits and an f32 is more than its double. */
INLINED double left_of_product(double integer, double scale, double nearest) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_fma(integer, scale, -nearest);
#else
  const double large = 0x1.8p52;
  const double upper = (integer * 0x1p-16 + large - large) * 0x1p16;
  const double first = upper * scale, second = (integer - upper) * scale; /* both exact */
  const double taken = nearest - first;
  return (first - (nearest - taken)) + (second - taken);
#endif
}

/* Of both doubles beside a number the odd one, which becomes the same f32 as the number does. */
INLINED double odd_double(double nearest, double more) {
  uint64_t bits, sign;
  memcpy(&bits, &nearest, sizeof bits);
  memcpy(&sign, &more, sizeof sign);
  const uint64_t nearer = (bits - ((sign ^ bits) >> 63)) | 1;
  const uint64_t kept = -(uint64_t)(more != 0);
  const uint64_t made = (nearer & kept) | (bits & ~kept);
  memcpy(&nearest, &made, sizeof nearest);
  return nearest;
}

INLINED bool multiply_some(const uint32_t *restrict elements, bool are_signed,
                           const float *restrict scales, const float *restrict points,
                           float *restrict to, int64_t count) {
  int64_t are_numbers = -1;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t moved = (int32_t)(are_signed ? elements[i] : elements[i] ^ 0x80000000U);
    const double integer = (double)moved + (are_signed ? 0.0 : 0x1p31) - (double)points[i];
    const double scale = (double)scales[i], nearest = integer * scale;
    to[i] = (float)odd_double(nearest, left_of_product(integer, scale, nearest));
    are_numbers &= -(int64_t)(scale - scale == 0);
  }
  return are_numbers != 0;
}

static bool multiply_integers(const rlt_scale_row *row, const void *elements, bool are_signed,
                              float *to, int64_t count) {
  const uint8_t *const from = elements;
  bool are_numbers = true;
  for (int64_t first = 0; first < count && are_numbers; first += CHUNK) {
    const int64_t some = rlt_min(CHUNK, count - first);
    uint32_t taken[CHUNK];
    float made[CHUNK];
    side_run run;
    take_run(row, first, some, &run);
    memcpy(taken, from + first * (int64_t)sizeof *taken, (size_t)some * sizeof *taken);
    are_numbers = are_signed ? multiply_some(taken, true, run.scales, run.points, made, some)
                             : multiply_some(taken, false, run.scales, run.points, made, some);
    memcpy((uint8_t *)to + first * (int64_t)sizeof *made, made, (size_t)some * sizeof *made);
  }
  return are_numbers;
}

/* ---- By inverses ---------------------------------------------------------------------------- */

enum { MOST_WITH_POINTS = 1 << 17 }; /* integers of 16 bits, and as many more on either side */

/* Exact for powers of two. What a product by another one is off by is found exactly, unless it is
 * too near to 0 for elements of fewer exponents than f32 has, or too far for any. */
static void invert(const float *restrict scales, int64_t count, float *restrict inverses) {
  enum { LEAST = (127 - 60) << 23, MOST = (127 + 60) << 23, DIGITS = 0x7fffff, HALF = 0x400000 };
  for (int64_t i = 0; i < count; ++i) {
    const int32_t magnitude = (int32_t)bits_of_f32(scales[i]) & MAGNITUDE;
    const int32_t is_usual = -(int32_t)(magnitude >= LEAST) & -(int32_t)(magnitude <= MOST);
    const int32_t is_power = -(int32_t)((magnitude & DIGITS) == (magnitude > DIGITS ? 0 : HALF)) &
                             -(int32_t)(magnitude < INFINITE);
    const int32_t is_zero = -(int32_t)(magnitude == 0);
    const int32_t inverse = (int32_t)bits_of_f32(1.0F / scales[i]);
    inverses[i] = f32_of_bits((uint32_t)((is_usual | is_power) ? inverse : QUIET_NAN & ~is_zero));
  }
}

/* `made`, or 0 where the scale is. */
INLINED float unless_zero(float scale, float made) {
  return f32_of_bits(bits_of_f32(made) & (uint32_t) - (int32_t)(scale != 0));
}

/* To the nearest. A product by an inverse is off by less than 2^-22 of itself: true if none is so
 * near to a tie that this counts, and for no NaN. */
static bool count_surely(const rlt_unaligned_float *restrict values, const float *restrict inverses,
                         float most, float *restrict to, int64_t count) {
  const float large = 0x1.8p23F, sure = 0.5F - most * 0x1p-22F;
  int32_t are_sure = -1;
  for (int64_t i = 0; i < count; ++i) {
    const float quotient = within(values[i] * inverses[i], most);
    const float nearest = quotient + large - large;
    to[i] = nearest;
    are_sure &= -(int32_t)(with_sign(quotient - nearest, 1) < sure);
  }
  return are_sure != 0;
}

/* The integer nearest to the quotient is 1 off at most, which what is left of the value tells. What
 * is beyond `most` saturates in any case. True but for NaNs. */
INLINED bool count_steps(const rlt_unaligned_float *restrict values, const float *restrict scales,
                         const float *restrict inverses, const float *restrict points,
                         bool to_nearest, float most, float *restrict to, int64_t count) {
  const float large = 0x1.8p23F;
  int32_t are_numbers = -1;
  for (int64_t i = 0; i < count; ++i) {
    const float value = values[i], scale = scales[i];
    const float quotient = within(value * inverses[i], most);
    const float sum = quotient + large, nearest = sum - large;
    const float left = fused(-nearest, scale, value);
    const int32_t is_odd = (int32_t)bits_of_f32(sum) & 1;
    const int32_t twice = (int32_t)bits_of_f32(left + left) & MAGNITUDE;
    const int32_t magnitude = (int32_t)bits_of_f32(scale) & MAGNITUDE;
    const int32_t is_far = -(int32_t)(twice > magnitude - is_odd);
    const int32_t is_beyond =
        (int32_t)(bits_of_f32(left) ^ bits_of_f32(value)) >> 31 & -(int32_t)(left != 0);
    const uint32_t step = bits_of_f32(turned(turned(1, left), scale));
    const float whole = nearest + f32_of_bits(step & (uint32_t)(to_nearest ? is_far : is_beyond));
    to[i] = unless_zero(scale, whole) + (points != NULL ? points[i] : 0);
    are_numbers &= -(int32_t)(quotient == quotient);
  }
  return are_numbers != 0;
}

/* To odd. By a scale of at most 11 digits the nearest f32 does: products of that and of numbers
 * halfway between two elements are f32s, so that a value which is not such a product is as far from
 * it as f32s are from each other, and its quotient does not become such a number. True but for
 * NaNs. */
INLINED bool divide_narrow(const rlt_unaligned_float *restrict values, const float *restrict scales,
                           const float *restrict inverses, bool are_short, float most,
                           float *restrict to, int64_t count) {
  int32_t are_numbers = -1;
  for (int64_t i = 0; i < count; ++i) {
    const float value = values[i], scale = scales[i], inverse = inverses[i];
    const float product = value * inverse;
    /* A zero's sign is the product's. */
    const float quotient =
        with_sign(fused(fused(-product, scale, value), inverse, product), product);
    const float made =
        are_short ? quotient : made_odd(quotient, turned(fused(-quotient, scale, value), scale));
    to[i] = within(unless_zero(scale, made), most);
    are_numbers &= -(int32_t)(quotient == quotient);
  }
  return are_numbers != 0;
}

/* Exact, or too near to 0 for elements of fewer exponents than f32 has. True but for NaNs. */
static bool divide_by_powers(const rlt_unaligned_float *restrict values,
                             const float *restrict inverses, float most, float *restrict to,
                             int64_t count) {
  int32_t are_numbers = -1;
  for (int64_t i = 0; i < count; ++i) {
    const float quotient = within(values[i] * inverses[i], most);
    to[i] = quotient;
    are_numbers &= -(int32_t)(quotient == quotient);
  }
  return are_numbers != 0;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* What a few values have beside them. */
typedef struct run {
  const rlt_unaligned_float *values;
  const float *scales, *points, *inverses; /* NULL: none */
  int64_t count;
  float *to;
} run;

/* What takes inverses alone. */
static bool multiply_by_inverses(const rlt_rescaling *of, const run *at) {
  return of->are_powers ? divide_by_powers(at->values, at->inverses, of->most, at->to, at->count)
         : of->rounding == RLT_SCALE_TO_NEAREST && at->points == NULL
             ? count_surely(at->values, at->inverses, 2 * of->most + 2, at->to, at->count)
             : false;
}

static bool divide_by_inverses(const rlt_rescaling *of, const run *at) {
  const float most = at->points != NULL ? MOST_WITH_POINTS : 2 * of->most + 2;
#define STEPS(points, to_nearest)                                                                  \
  count_steps(at->values, at->scales, at->inverses, points, to_nearest, most, at->to, at->count)
#define NARROW(are_short)                                                                          \
  divide_narrow(at->values, at->scales, at->inverses, are_short, of->most, at->to, at->count)
  switch (of->rounding) {
  case RLT_SCALE_TO_NEAREST:
    return at->points == NULL ? STEPS(NULL, true) : STEPS(at->points, true);
  case RLT_SCALE_TO_ZERO:
    return at->points == NULL ? STEPS(NULL, false) : STEPS(at->points, false);
  default:
    return of->are_short ? NARROW(true) : NARROW(false);
  }
#undef STEPS
#undef NARROW
}

/* Each rounding, with zero points or without, is a loop of its own; `detail` is what the function
 * alone has. */
#define BY_ROUNDING(function, points, detail)                                                      \
  (rounding == RLT_SCALE_TO_F32                                                                    \
       ? function(at->values, at->scales, points, detail, RLT_SCALE_TO_F32, at->to, at->count)     \
   : rounding == RLT_SCALE_TO_ODD                                                                  \
       ? function(at->values, at->scales, points, detail, RLT_SCALE_TO_ODD, at->to, at->count)     \
   : rounding == RLT_SCALE_TO_NEAREST                                                              \
       ? function(at->values, at->scales, points, detail, RLT_SCALE_TO_NEAREST, at->to, at->count) \
       : function(at->values, at->scales, points, detail, RLT_SCALE_TO_ZERO, at->to, at->count))
#define BY_KIND(function, detail)                                                                  \
  (at->points == NULL ? BY_ROUNDING(function, NULL, detail)                                        \
                      : BY_ROUNDING(function, at->points, detail))

static bool divide_run(const run *at, float most, rlt_scale_rounding rounding) {
  return BY_KIND(divide, most);
}

static bool multiply_run(const run *at, bool is_exact, rlt_scale_rounding rounding) {
  return is_exact && rounding == RLT_SCALE_TO_ODD
             ? multiply(at->values, at->scales, at->points, true, RLT_SCALE_TO_F32, at->to,
                        at->count)
             : BY_KIND(multiply, false);
}

/* At most CHUNK values, by the scales of one side alone. */
static bool rescale_run(const rlt_rescaling *of, const rlt_unaligned_float *values, int64_t first,
                        float *to, int64_t count) {
  float scales[CHUNK], points[CHUNK], inverses[CHUNK];
  const bool divides = of->to.scales != NULL;
  const rlt_scale_row *const row = divides ? &of->to : &of->from;
  run at = {.values = values, .count = count, .to = to};
  if (row->points != NULL) {
    at.points = spread(row, row->points, first, count, points);
  }
  const bool by_inverses =
      row->inverses != NULL && (of->is_narrow || of->rounding >= RLT_SCALE_TO_NEAREST);
  if (by_inverses) {
    at.inverses = spread(row, row->inverses, first, count, inverses);
    if (multiply_by_inverses(of, &at)) {
      return true;
    }
  }
  at.scales = spread(row, row->scales, first, count, scales);
  if (by_inverses && divide_by_inverses(of, &at)) {
    return true;
  }
  return divides ? divide_run(&at, of->most, of->rounding)
                 : multiply_run(&at, of->is_exact, of->rounding);
}

static void rescale(const rlt_rescaling *of, const rlt_unaligned_float *values, int64_t first,
                    float *to, int64_t count) {
  const bool is_one_sided = of->from.scales == NULL || of->to.scales == NULL;
  for (int64_t i = 0; i < count; i += CHUNK) {
    const int64_t some = rlt_min(CHUNK, count - i);
    if (!is_one_sided || !rescale_run(of, values + i, first + i, to + i, some)) {
      rescale_exactly(of, values + i, first + i, to + i, some);
    }
  }
}

/* ---- Elements as bf16 ----------------------------------------------------------------------- */

/* Anywhere in memory. */
typedef uint16_t unaligned_word __attribute__((aligned(1), may_alias));

INLINED uint32_t product_of_word(uint16_t word, float scale) {
  const float product = f32_of_bits((uint32_t)word << 16) * scale;
  return product == product ? bits_of_f32(product) : QUIET_NAN;
}

/* To the nearest, ties to even. */
INLINED uint16_t word_of(uint32_t bits) {
  const uint32_t almost_half = 0x7fff;
  return (uint16_t)((bits + almost_half + (bits >> 16 & 1)) >> 16);
}

static void multiply_words(const rlt_scale_row *row, const uint16_t *elements, int64_t first,
                           bool to_words, void *to, int64_t count) {
  const unaligned_word *restrict from = (const unaligned_word *)elements;
  unaligned_word *restrict words = to;
  rlt_unaligned_float *restrict floats = to;
  float spread_scales[CHUNK];
  for (int64_t i = 0; i < count; i += CHUNK) {
    const int64_t some = rlt_min(CHUNK, count - i);
    const float *restrict scales = spread(row, row->scales, first + i, some, spread_scales);
    if (to_words) {
      for (int64_t j = 0; j < some; ++j) {
        words[i + j] = word_of(product_of_word(from[i + j], scales[j]));
      }
    } else {
      for (int64_t j = 0; j < some; ++j) {
        floats[i + j] = f32_of_bits(product_of_word(from[i + j], scales[j]));
      }
    }
  }
}

/* ---- The greatest of a group ---------------------------------------------------------------- */

INLINED void take_greatest(uint32_t *found, int32_t most) {
  *found = (uint32_t)most > *found ? (uint32_t)most : *found;
}

/* Of each two neighbours. */
static void halve(const int32_t *restrict from, int32_t *restrict to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const int32_t even = from[2 * i], odd = from[2 * i + 1];
    to[i] = even > odd ? even : odd;
  }
}

static void halve_values(const rlt_unaligned_float *restrict from, int32_t *restrict to,
                         int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const int32_t even = (int32_t)bits_of_f32(from[2 * i]) & MAGNITUDE;
    const int32_t odd = (int32_t)bits_of_f32(from[2 * i + 1]) & MAGNITUDE;
    to[i] = even > odd ? even : odd;
  }
}

/* Of whole groups of 16 or 32. As many as there is room for are halved together until each is a
 * number. */
static void find_in_short_groups(const rlt_unaligned_float *restrict values, int64_t count,
                                 int64_t group, uint32_t *restrict found) {
  enum { MOST = 1024 };
  int32_t halves[MOST / 2], quarters[MOST / 4];
  for (int64_t first = 0; first < count; first += MOST) {
    const int64_t groups = rlt_min(MOST, count - first) / group;
    int32_t *most = halves, *next = quarters;
    halve_values(values + first, most, groups * group / 2);
    for (int64_t left = group / 4; left >= 1; left /= 2) {
      int32_t *const was = most;
      halve(most, next, groups * left);
      most = next;
      next = was;
    }
    for (int64_t g = 0; g < groups; ++g) {
      take_greatest(found++, most[g]);
    }
  }
}

/* Of groups that begin with the row. */
static void find_in_groups(const rlt_unaligned_float *restrict values, int64_t count, int64_t group,
                           uint32_t *restrict found) {
  int64_t i = 0;
  if (group == 1) {
    for (; i < count; ++i) {
      take_greatest(&found[i], (int32_t)bits_of_f32(values[i]) & MAGNITUDE);
    }
  } else if (group == 16 || group == 32) {
    i = count / group * group;
    find_in_short_groups(values, i, group, found);
  }
  for (; i < count; i += group) {
    take_greatest(&found[i / group], greatest_of(values + i, rlt_min(group, count - i)));
  }
}

static void find_greatest(const rlt_unaligned_float *values, int64_t count, int64_t group,
                          int64_t skip, uint32_t *found) {
  const int64_t first = skip > 0 ? rlt_min(group - skip, count) : 0;
  if (first > 0) {
    take_greatest(found, greatest_of(values, first));
    found += 1;
  }
  find_in_groups(values + first, count - first, group, found);
}

/* ---- The ends of a group -------------------------------------------------------------------- */

static void find_ends_of(const rlt_unaligned_float *restrict values, int64_t count,
                         uint32_t *restrict above, uint32_t *restrict below) {
  int32_t most = 0, least = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t bits = (int32_t)bits_of_f32(values[i]), size = bits & MAGNITUDE;
    const int32_t is_below = bits >> 31 & -(int32_t)(size <= INFINITE); /* -1 or 0 */
    const int32_t up = size & ~is_below, down = size & is_below;
    most = up > most ? up : most;
    least = down > least ? down : least;
  }
  take_greatest(above, most);
  take_greatest(below, least);
}

static void find_ends(const rlt_unaligned_float *values, int64_t count, int64_t group, int64_t skip,
                      uint32_t *above, uint32_t *below) {
  int64_t room = group - skip, done = 0;
  for (; done < count; done += room, room = group, ++above, ++below) {
    room = rlt_min(room, count - done);
    find_ends_of(values + done, room, above, below);
  }
}

const rlt_cpu_scale_passes SCALE_PASSES = {.rescale = rescale,
                                           .multiply_words = multiply_words,
                                           .multiply_integers = multiply_integers,
                                           .invert = invert,
                                           .find_greatest = find_greatest,
                                           .find_ends = find_ends,
                                           .find_scales = find_scales,
                                           .encode = encode_records,
                                           .decode = decode_records,
                                           .join = join_records,
                                           .part = part_records};
