/* scale_kernels.c: rows of values with scales, for one instruction set. It is compiled for each,
 * which says SCALE_PASSES, the name of what it defines.
 *
 * Loops are such that compilers make vectors of them. No product and sum may become one operation
 * but where the code says so.
 */
#include <string.h>

#include "base/checked.h"
#include "cpu/records.h"
#include "cpu/scale_passes.h"

#define INLINED static inline __attribute__((always_inline))

enum {
  CHUNK = 256, /* values that are done anew together where one of them needs it */
  MOST_INTEGER = 1 << 22,
  QUIET_NAN = 0x7fc00000, /* of f32 */
  MAGNITUDE = 0x7fffffff
};

INLINED int32_t bits_of(float value) {
  int32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

INLINED float float_of(int32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* ---- One by one, in doubles ----------------------------------------------------------------- */

/* The quotient of a product of two f32s and an f32 is never so near to an f32, or to a number
 * halfway between two, that a double does not tell them apart. */

INLINED float round_to_odd(double exact) {
  const float nearest = (float)exact;
  const int32_t bits = bits_of(nearest);
  if ((double)nearest == exact || (bits & 1) != 0) {
    return nearest;
  }
  const double beyond = nearest < 0 ? (double)nearest - exact : exact - (double)nearest;
  return float_of((int32_t)((uint32_t)bits + (nearest == 0 || beyond > 0 ? 1U : UINT32_MAX)));
}

/* Within what integers of 16 bits need. Adding a number so large that its neighbours are integers
 * rounds to the nearest. */
INLINED float round_to_integer(double exact, bool to_nearest, float point) {
  const double most = MOST_INTEGER, large = 0x1.8p52;
  const double bounded = exact != exact ? 0 : exact > most ? most : exact < -most ? -most : exact;
  const double whole = to_nearest ? bounded + large - large : (double)(int32_t)bounded;
  return (float)whole + point;
}

static float rescale_one(const rlt_rescaling *of, float value, int64_t i) {
  const int64_t source = of->from.scales != NULL ? (i + of->from.skip) / of->from.group : 0;
  const int64_t target = of->to.scales != NULL ? (i + of->to.skip) / of->to.group : 0;
  double exact = (double)value;
  float point = 0;
  if (of->from.points != NULL) {
    exact -= (double)of->from.points[source];
  }
  if (of->from.scales != NULL) {
    exact *= (double)of->from.scales[source];
  }
  if (of->to.scales != NULL) {
    const double scale = (double)of->to.scales[target];
    exact = scale == 0 ? 0 : exact / scale;
    point = of->to.points != NULL ? of->to.points[target] : 0;
  }
  if (of->rounding >= RLT_SCALE_TO_NEAREST) {
    return round_to_integer(exact, of->rounding == RLT_SCALE_TO_NEAREST, point);
  }
  const double most = (double)of->most;
  const bool is_nan = exact != exact;
  if (of->to.scales != NULL) {
    exact = exact > most ? most : exact < -most ? -most : exact;
  }
  return is_nan                             ? float_of(QUIET_NAN)
         : of->rounding == RLT_SCALE_TO_ODD ? round_to_odd(exact)
                                            : (float)exact;
}

static void rescale_each(const rlt_rescaling *of, const rlt_unaligned_float *values, float *to,
                         int64_t first, int64_t end) {
  for (int64_t i = first; i < end; ++i) {
    to[i] = rescale_one(of, values[i], i);
  }
}

/* ---- Many at once, in f32s ------------------------------------------------------------------ */

/* An f32 is off by what a fused product and difference finds exactly, if no exponent is far from
 * 0. Without such an instruction all goes through doubles. */
#if defined(__FMA__) || defined(__aarch64__)
#define HAS_FUSED 1
#else
#define HAS_FUSED 0
#endif

/* Numbers that the vectors take: 0, and those of exponents within these. */
enum { LEAST_VALUE = (127 - 80) << 23, MOST_VALUE = (127 + 80) << 23 };
enum { LEAST_SCALE = (127 - 40) << 23, MOST_SCALE = (127 + 40) << 23 };

/* -1 or 0, of which compilers make vectors. */
INLINED int32_t is_within(float number, int32_t least, int32_t most) {
  const int32_t magnitude = bits_of(number) & MAGNITUDE;
  return -(int32_t)(magnitude == 0) |
         (-(int32_t)(magnitude >= least) & -(int32_t)(magnitude <= most));
}

/* The nearest f32 and what the exact number is more, or its sign, to the odd one. */
INLINED float made_odd(float nearest, float more) {
  const int32_t bits = bits_of(nearest);
  const int32_t apart = (bits_of(more) ^ bits) >> 31; /* -1: the exact number is nearer to 0 */
  const int32_t step = (apart | 1) & -(int32_t)(more != 0) & ((bits & 1) - 1);
  return float_of((int32_t)((uint32_t)bits + (uint32_t)step));
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
  const float odd = HAS_FUSED ? made_odd(nearest, more) : nearest;
  return rounding == RLT_SCALE_TO_ODD ? odd
                                      : whole_of(odd, rounding == RLT_SCALE_TO_NEAREST, point);
}

/* `step` is 1 where each value has its own scale, 0 where all have the first. True if all numbers
 * were such that the results are right. */
INLINED bool divide(const rlt_unaligned_float *restrict values, const float *restrict scales,
                    const float *restrict points, int64_t step, float most,
                    rlt_scale_rounding rounding, float *restrict to, int64_t count) {
  int32_t are_within = -1;
  for (int64_t i = 0; i < count; ++i) {
    const float value = values[i], scale = scales[i * step];
    const float nearest = value / scale;
    const float left = HAS_FUSED ? __builtin_fmaf(-nearest, scale, value) : 0;
    const float more = float_of(bits_of(left) ^ (bits_of(scale) & ~MAGNITUDE));
    const float made = finished(nearest, more, rounding, points != NULL ? points[i * step] : 0);
    to[i] = rounding >= RLT_SCALE_TO_NEAREST ? made : within(made, most);
    are_within &= -(int32_t)(scale != 0);
    are_within &= rounding == RLT_SCALE_TO_F32 ? -(int32_t)(nearest == nearest)
                                               : is_within(value, LEAST_VALUE, MOST_VALUE) &
                                                     is_within(scale, LEAST_SCALE, MOST_SCALE);
  }
  return are_within != 0;
}

INLINED bool multiply(const rlt_unaligned_float *restrict values, const float *restrict scales,
                      const float *restrict points, int64_t step, bool is_exact,
                      rlt_scale_rounding rounding, float *restrict to, int64_t count) {
  int32_t are_within = -1;
  for (int64_t i = 0; i < count; ++i) {
    const float value = points != NULL ? values[i] - points[i * step] : values[i];
    const float scale = scales[i * step];
    const float nearest = value * scale;
    const float more = is_exact || !HAS_FUSED ? 0 : __builtin_fmaf(value, scale, -nearest);
    to[i] = finished(nearest, more, rounding, 0);
    are_within &=
        is_exact || rounding == RLT_SCALE_TO_F32
            ? -(int32_t)(nearest == nearest)
            : is_within(value, LEAST_VALUE, MOST_VALUE) & is_within(scale, LEAST_SCALE, MOST_SCALE);
  }
  return are_within != 0;
}

/* ---- By inverses ---------------------------------------------------------------------------- */

/* The product by an inverse is off by less than `UNSURE` of itself. Where an integer so far away
 * would round to another one, the quotient has to be taken. */
#define UNSURE 0x1p-21F
enum { MOST_WITH_POINTS = 1 << 17 }; /* integers of 16 bits, and as many more on either side */

static void invert(const float *restrict scales, int64_t count, float *restrict inverses) {
  enum { LEAST = (127 - 100) << 23, MOST = (127 + 100) << 23 };
  for (int64_t i = 0; i < count; ++i) {
    const int32_t magnitude = bits_of(scales[i]) & MAGNITUDE;
    const bool is_usual = (magnitude >= LEAST) & (magnitude <= MOST);
    inverses[i] = is_usual ? 1.0F / scales[i] : float_of(QUIET_NAN);
  }
}

/* What is beyond `most` saturates in any case. True if all are right. */
INLINED bool count_steps(const rlt_unaligned_float *restrict values, const float *restrict inverses,
                         const float *restrict points, int64_t step, bool to_nearest, float most,
                         float *restrict to, int64_t count) {
  const float large = 0x1.8p23F;
  int32_t are_sure = -1;
  for (int64_t i = 0; i < count; ++i) {
    const float quotient = within(values[i] * inverses[i * step], most);
    const float nearest = quotient + large - large;
    const float off = float_of(bits_of(quotient - nearest) & MAGNITUDE);
    const float unsure = float_of(bits_of(quotient) & MAGNITUDE) * UNSURE;
    const float beyond =
        quotient < 0 ? (nearest < quotient ? -1.0F : 0.0F) : (nearest > quotient ? 1.0F : 0.0F);
    to[i] = nearest - (to_nearest ? 0.0F : beyond) + (points != NULL ? points[i * step] : 0);
    are_sure &= to_nearest ? -(int32_t)(off < 0.5F - unsure)
                           : -(int32_t)(off > unsure) | -(int32_t)(nearest == 0);
  }
  return are_sure != 0;
}

/* Exact, or too near to 0 for elements of fewer exponents than f32 has. True but for NaNs. */
INLINED bool divide_by_powers(const rlt_unaligned_float *restrict values,
                              const float *restrict inverses, int64_t step, float most,
                              float *restrict to, int64_t count) {
  int32_t are_numbers = -1;
  for (int64_t i = 0; i < count; ++i) {
    const float quotient = within(values[i] * inverses[i * step], most);
    to[i] = quotient;
    are_numbers &= -(int32_t)(quotient == quotient);
  }
  return are_numbers != 0;
}

static bool divide_by_inverses(const rlt_rescaling *of, const rlt_unaligned_float *values,
                               int64_t group, int64_t step, float *to, int64_t count) {
  const float *const inverses = of->to.inverses + group;
  const float *const points = of->to.points != NULL ? of->to.points + group : NULL;
  const bool to_nearest = of->rounding == RLT_SCALE_TO_NEAREST;
  const float most = points != NULL ? MOST_WITH_POINTS : 2 * of->most + 2;
  if (of->rounding < RLT_SCALE_TO_NEAREST) {
    return step == 1 ? divide_by_powers(values, inverses, 1, of->most, to, count)
                     : divide_by_powers(values, inverses, 0, of->most, to, count);
  }
#define STEPS(points, step)                                                                        \
  (to_nearest ? count_steps(values, inverses, points, step, true, most, to, count)                 \
              : count_steps(values, inverses, points, step, false, most, to, count))
  return points == NULL ? (step == 1 ? STEPS(NULL, 1) : STEPS(NULL, 0))
                        : (step == 1 ? STEPS(points, 1) : STEPS(points, 0));
#undef STEPS
}

/* ---- Runs and rows -------------------------------------------------------------------------- */

/* Each rounding and kind of step is a loop of its own. */
#define BY_ROUNDING(call)                                                                          \
  (rounding == RLT_SCALE_TO_F32       ? call(RLT_SCALE_TO_F32)                                     \
   : rounding == RLT_SCALE_TO_ODD     ? call(RLT_SCALE_TO_ODD)                                     \
   : rounding == RLT_SCALE_TO_NEAREST ? call(RLT_SCALE_TO_NEAREST)                                 \
                                      : call(RLT_SCALE_TO_ZERO))

static bool divide_run(const rlt_unaligned_float *values, const rlt_scale_row *row, int64_t group,
                       int64_t step, float most, rlt_scale_rounding rounding, float *to,
                       int64_t count) {
  const float *const scales = row->scales + group;
  const float *const points = row->points != NULL ? row->points + group : NULL;
#define EACH(how)     divide(values, scales, points, 1, most, how, to, count)
#define ALL(how)      divide(values, scales, points, 0, most, how, to, count)
#define EACH_OFF(how) divide(values, scales, NULL, 1, most, how, to, count)
#define ALL_OFF(how)  divide(values, scales, NULL, 0, most, how, to, count)
  return points == NULL ? (step == 1 ? BY_ROUNDING(EACH_OFF) : BY_ROUNDING(ALL_OFF))
                        : (step == 1 ? BY_ROUNDING(EACH) : BY_ROUNDING(ALL));
#undef EACH
#undef ALL
#undef EACH_OFF
#undef ALL_OFF
}

static bool multiply_run(const rlt_unaligned_float *values, const rlt_scale_row *row, int64_t group,
                         int64_t step, bool is_exact, rlt_scale_rounding rounding, float *to,
                         int64_t count) {
  const float *const scales = row->scales + group;
  const float *const points = row->points != NULL ? row->points + group : NULL;
#define EACH(how)     multiply(values, scales, points, 1, false, how, to, count)
#define ALL(how)      multiply(values, scales, points, 0, false, how, to, count)
#define EACH_OFF(how) multiply(values, scales, NULL, 1, false, how, to, count)
#define ALL_OFF(how)  multiply(values, scales, NULL, 0, false, how, to, count)
#define EXACT(how)    multiply(values, scales, points, step, true, how, to, count)
  if (is_exact && rounding == RLT_SCALE_TO_ODD) {
    return EXACT(RLT_SCALE_TO_F32);
  }
  return points == NULL ? (step == 1 ? BY_ROUNDING(EACH_OFF) : BY_ROUNDING(ALL_OFF))
                        : (step == 1 ? BY_ROUNDING(EACH) : BY_ROUNDING(ALL));
#undef EACH
#undef ALL
#undef EACH_OFF
#undef ALL_OFF
#undef EXACT
}

/* Values that have one scale each, or one together: of one side alone. */
static bool rescale_run(const rlt_rescaling *of, const rlt_unaligned_float *values, float *to,
                        int64_t first, int64_t count) {
  const bool divides = of->to.scales != NULL;
  const rlt_scale_row *const row = divides ? &of->to : &of->from;
  const int64_t group = (first + row->skip) / row->group;
  const int64_t step = row->group == 1 ? 1 : 0;
  if (row->inverses != NULL && (of->are_powers || of->rounding >= RLT_SCALE_TO_NEAREST) &&
      divide_by_inverses(of, values + first, group, step, to + first, count)) {
    return true;
  }
  if (!HAS_FUSED && of->rounding != RLT_SCALE_TO_F32 && (divides || !of->is_exact)) {
    return false;
  }
  return divides ? divide_run(values + first, row, group, step, of->most, of->rounding, to + first,
                              count)
                 : multiply_run(values + first, row, group, step, of->is_exact, of->rounding,
                                to + first, count);
}

static void rescale(const rlt_rescaling *of, const rlt_unaligned_float *values, float *to,
                    int64_t count) {
  if (of->from.scales != NULL && of->to.scales != NULL) {
    rescale_each(of, values, to, 0, count);
    return;
  }
  const rlt_scale_row *const row = of->to.scales != NULL ? &of->to : &of->from;
  const int64_t group = row->group;
  int64_t end = 0;
  for (int64_t first = 0; first < count; first = end) {
    const int64_t rest = group == 1 ? CHUNK : rlt_min(CHUNK, group - (first + row->skip) % group);
    end = rlt_min(count, first + rest);
    if (!rescale_run(of, values, to, first, end - first)) {
      rescale_each(of, values, to, first, end);
    }
  }
}

/* ---- The greatest of a group ---------------------------------------------------------------- */

INLINED int32_t greatest_of(const rlt_unaligned_float *restrict values, int64_t count) {
  int32_t most = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t magnitude = bits_of(values[i]) & MAGNITUDE;
    most = magnitude > most ? magnitude : most;
  }
  return most;
}

INLINED void take_greatest(uint32_t *found, int32_t most) {
  *found = (uint32_t)most > *found ? (uint32_t)most : *found;
}

/* Of groups that begin with the row. */
static void find_in_groups(const rlt_unaligned_float *restrict values, int64_t count, int64_t group,
                           uint32_t *restrict found) {
  enum { BLOCK = 32 };
  int64_t i = 0;
  if (group == 1) {
    for (; i < count; ++i) {
      take_greatest(&found[i], bits_of(values[i]) & MAGNITUDE);
    }
    return;
  }
  for (; group == BLOCK && i + BLOCK <= count; i += BLOCK) {
    take_greatest(&found[i / BLOCK], greatest_of(values + i, BLOCK));
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

const rlt_cpu_scale_passes SCALE_PASSES = {.rescale = rescale,
                                           .invert = invert,
                                           .find_greatest = find_greatest,
                                           .encode = encode_records,
                                           .decode = decode_records};
