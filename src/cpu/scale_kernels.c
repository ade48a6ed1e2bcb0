/* scale_kernels.c: rows of values with scales, for one instruction set. It is compiled for each,
 * which says SCALE_PASSES, the name of what it defines.
 *
 * Loops are such that compilers make vectors of them. No product and sum may become one operation
 * but where the code says so.
 */
#include "base/checked.h"
#include "convert/float_bits.h"
#include "cpu/records.h"
#include "cpu/scale_passes.h"

#define INLINED static inline __attribute__((always_inline))

enum {
  CHUNK = 256, /* values that are done anew together where one of them needs it */
  MOST_INTEGER = 1 << 22,
  QUIET_NAN = 0x7fc00000, /* of f32 */
  INFINITE = 0x7f800000,
  MAGNITUDE = 0x7fffffff
};

/* ---- In doubles ----------------------------------------------------------------------------- */

/* The quotient of a product of two f32s and an f32 is never so near to an f32, or to a number
 * halfway between two, that a double does not tell them apart. */

/* What a few values of one side have: a scale and a zero point each, or one for all of them. */
typedef struct side_run {
  const float *scales, *points;
  int64_t scale_step, point_step; /* 0: one for all */
  int64_t count;                  /* of values from where it begins */
} side_run;

/* From value `first` of a row on. Without scales a value is multiplied by 1. */
static side_run run_from(const rlt_scale_row *row, int64_t first) {
  static const float zero = 0, one = 1;
  if (row->scales == NULL) {
    return (side_run){.scales = &one, .points = &zero, .count = CHUNK};
  }
  const int64_t step = row->group == 1 ? 1 : 0, place = first + row->skip;
  const bool has_points = row->points != NULL;
  return (side_run){.scales = row->scales + place / row->group,
                    .points = has_points ? row->points + place / row->group : &zero,
                    .scale_step = step,
                    .point_step = has_points ? step : 0,
                    .count = step == 1 ? CHUNK : rlt_min(CHUNK, row->group - place % row->group)};
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

static void rescale_run_exactly(const rlt_rescaling *of, const side_run *from, const side_run *by,
                                const rlt_unaligned_float *values, float *to, int64_t count) {
  double exact[CHUNK];
  const double most = of->to.scales != NULL ? (double)of->most : (double)f32_of_bits(INFINITE);
  for (int64_t i = 0; i < count; ++i) {
    const double scale = (double)by->scales[i * by->scale_step];
    const double value = ((double)values[i] - (double)from->points[i * from->point_step]) *
                         (double)from->scales[i * from->scale_step];
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
      to[i] = round_to_integer(exact[i], of->rounding == RLT_SCALE_TO_NEAREST,
                               by->points[i * by->point_step]);
    }
  }
}

static void rescale_exactly(const rlt_rescaling *of, const rlt_unaligned_float *values, float *to,
                            int64_t first, int64_t end) {
  while (first < end) {
    const side_run from = run_from(&of->from, first), by = run_from(&of->to, first);
    const int64_t count = rlt_min(rlt_min(from.count, by.count), end - first);
    rescale_run_exactly(of, &from, &by, values + first, to + first, count);
    first += count;
  }
}

/* ---- In f32s -------------------------------------------------------------------------------- */

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
  const int32_t magnitude = (int32_t)bits_of_f32(number) & MAGNITUDE;
  return -(int32_t)(magnitude == 0) |
         (-(int32_t)(magnitude >= least) & -(int32_t)(magnitude <= most));
}

/* The nearest f32 and what the exact number is more, or its sign, to the odd one. */
INLINED float made_odd(float nearest, float more) {
  const int32_t bits = (int32_t)bits_of_f32(nearest);
  const int32_t apart =
      ((int32_t)bits_of_f32(more) ^ bits) >> 31; /* -1: the exact number is nearer to 0 */
  const int32_t step = (apart | 1) & -(int32_t)(more != 0) & ((bits & 1) - 1);
  return f32_of_bits((int32_t)((uint32_t)bits + (uint32_t)step));
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
    const float more =
        f32_of_bits((int32_t)bits_of_f32(left) ^ ((int32_t)bits_of_f32(scale) & ~MAGNITUDE));
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
    const int32_t magnitude = (int32_t)bits_of_f32(scales[i]) & MAGNITUDE;
    const bool is_usual = (magnitude >= LEAST) & (magnitude <= MOST);
    inverses[i] = is_usual ? 1.0F / scales[i] : f32_of_bits(QUIET_NAN);
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
    const float off = f32_of_bits((int32_t)bits_of_f32(quotient - nearest) & MAGNITUDE);
    const float unsure = f32_of_bits((int32_t)bits_of_f32(quotient) & MAGNITUDE) * UNSURE;
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

/* Each rounding and kind of step, with zero points or without, is a loop of its own; `detail` is
 * what the function alone has. */
#define BY_ROUNDING(function, points, step, detail)                                                \
  (rounding == RLT_SCALE_TO_F32                                                                    \
       ? function(values, scales, points, step, detail, RLT_SCALE_TO_F32, to, count)               \
   : rounding == RLT_SCALE_TO_ODD                                                                  \
       ? function(values, scales, points, step, detail, RLT_SCALE_TO_ODD, to, count)               \
   : rounding == RLT_SCALE_TO_NEAREST                                                              \
       ? function(values, scales, points, step, detail, RLT_SCALE_TO_NEAREST, to, count)           \
       : function(values, scales, points, step, detail, RLT_SCALE_TO_ZERO, to, count))
#define BY_KIND(function, detail)                                                                  \
  (points == NULL ? (step == 1 ? BY_ROUNDING(function, NULL, 1, detail)                            \
                               : BY_ROUNDING(function, NULL, 0, detail))                           \
                  : (step == 1 ? BY_ROUNDING(function, points, 1, detail)                          \
                               : BY_ROUNDING(function, points, 0, detail)))

static bool divide_run(const rlt_unaligned_float *values, const rlt_scale_row *row, int64_t group,
                       int64_t step, float most, rlt_scale_rounding rounding, float *to,
                       int64_t count) {
  const float *const scales = row->scales + group;
  const float *const points = row->points != NULL ? row->points + group : NULL;
  return BY_KIND(divide, most);
}

static bool multiply_run(const rlt_unaligned_float *values, const rlt_scale_row *row, int64_t group,
                         int64_t step, bool is_exact, rlt_scale_rounding rounding, float *to,
                         int64_t count) {
  const float *const scales = row->scales + group;
  const float *const points = row->points != NULL ? row->points + group : NULL;
  return is_exact && rounding == RLT_SCALE_TO_ODD
             ? multiply(values, scales, points, step, true, RLT_SCALE_TO_F32, to, count)
             : BY_KIND(multiply, false);
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
    rescale_exactly(of, values, to, 0, count);
    return;
  }
  const rlt_scale_row *const row = of->to.scales != NULL ? &of->to : &of->from;
  const int64_t group = row->group;
  int64_t end = 0;
  for (int64_t first = 0; first < count; first = end) {
    const int64_t rest = group == 1 ? CHUNK : rlt_min(CHUNK, group - (first + row->skip) % group);
    end = rlt_min(count, first + rest);
    if (!rescale_run(of, values, to, first, end - first)) {
      rescale_exactly(of, values, to, first, end);
    }
  }
}

/* ---- The greatest of a group ---------------------------------------------------------------- */

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
      take_greatest(&found[i], (int32_t)bits_of_f32(values[i]) & MAGNITUDE);
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
                                           .invert = invert,
                                           .find_greatest = find_greatest,
                                           .find_ends = find_ends,
                                           .encode = encode_records,
                                           .decode = decode_records};
