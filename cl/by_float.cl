/* by_float.cl: conversions of elements whose values all fit an f32 on their way, or become one by a
 * single rounding. Follows convert.cl, with which it agrees bit for bit.
 *
 * The pattern of an f32 stands for the value, whose size is the pattern without its sign. There is
 * no branch, and little arithmetic on floats: integers become floats, small ones exactly and others
 * as OpenCL rounds, to nearest, ties to even; and what is to be rounded to a subnormal, or to an
 * integer, is added to a number that has no digits below those, which is rounded alike; subnormal
 * floats are far too small to count there, flushed or not.
 *
 * The library compiles this as C too (src/cpu/rows_kernels.c), element by element and with
 * BY_FLOAT, for the formats that its callers name.
 */

#ifdef FROM_KIND

#define FITS_FLOAT(kind, bits, specials, integer_bits)                                             \
  ((kind) == KIND_FLOAT ? (bits) <= 32 && (specials) != SPECIALS_UNSIGNED                          \
                        : (bits) <= (integer_bits))

#define FROM_FITS_FLOAT FITS_FLOAT(FROM_KIND, FROM_BITS, FROM_SPECIALS, 16)
#define FROM_DOUBLE     (FROM_KIND == KIND_FLOAT && FROM_BITS == 64)
#define FROM_INTEGER    (FROM_KIND != KIND_FLOAT && FROM_BITS <= 32)
#define TO_FITS_FLOAT   FITS_FLOAT(TO_KIND, TO_BITS, TO_SPECIALS, 32)
#define TO_DOUBLE       (TO_KIND == KIND_FLOAT && TO_BITS == 64)
#define TO_FLOAT        (TO_KIND == KIND_FLOAT && TO_BITS == 32)

#if defined(FROM_SWAPPED) || defined(TO_SWAPPED)
#define HOST_ORDER 0
#else
#define HOST_ORDER 1
#endif

/* Integers must fit it exactly where they come from, unless they become one; where they go they are
 * cut. */
#define BY_FLOAT                                                                                   \
  (!SCALED && HOST_ORDER &&                                                                        \
   ((FROM_FITS_FLOAT && (TO_FITS_FLOAT || TO_DOUBLE)) ||                                           \
    ((FROM_INTEGER || FROM_DOUBLE) && TO_FLOAT)))

#endif

#if BY_FLOAT

#define FLOAT_MANTISSA_BITS 23
#define FLOAT_BIAS          127
#define FLOAT_SIGN          0x80000000u
#define FLOAT_INFINITY      0x7f800000u
#define FLOAT_NAN           0x7fc00000u
#define FLOAT_ONE           0x3f800000u

#if FROM_DOUBLE
#define pattern_taken ulong
#else
#define pattern_taken uint
#endif
#if TO_DOUBLE
typedef ulong pattern_given;
#else
typedef uint pattern_given;
#endif

/* ---- Taking apart ---- */

/* The size that an f32 has of a float of fewer bits. What is subnormal there is not here: its
 * digits are those of an integer. */
INLINED uint widened_size(uint size, const number_format of) {
  const uint more_digits = FLOAT_MANTISSA_BITS - of.mantissa_bits;
  const uint more_bias = (uint)(FLOAT_BIAS - of.bias) << FLOAT_MANTISSA_BITS;
  const uint normal = (size << more_digits) + more_bias;
  if (of.bias == FLOAT_BIAS) {
    return normal;
  }
  const uint unit = (uint)(FLOAT_BIAS + 1 - of.bias - of.mantissa_bits) << FLOAT_MANTISSA_BITS;
  const uint subnormal = as_uint((float)(as_int(size)) * as_float(unit));
  const uint finite = size < 1u << of.mantissa_bits ? subnormal : normal;
  if (of.specials != SPECIALS_IEEE) {
    return finite;
  }
  const uint infinity = (uint)ieee_infinity(of);
  const uint special = size > infinity ? FLOAT_NAN : FLOAT_INFINITY;
  return size < infinity ? finite : special;
}

INLINED uint widened(uint bits, const number_format of) {
  if (of.bits == 32) {
    return bits;
  }
  const uint mask = (uint)size_mask(of);
  const uint sign = (uint)sign_bit(of);
  const uint signs = (bits & sign) << (32 - of.bits);
  const uint size = widened_size(bits & mask, of);
  if (of.specials == SPECIALS_FN) {
    return ((bits & mask) == mask ? FLOAT_NAN : size) | signs;
  }
  if (of.specials == SPECIALS_FNUZ) {
    return (bits == sign ? FLOAT_NAN : size) | signs;
  }
  return size | signs;
}

INLINED uint floats_of(uint bits, const number_format of) {
  if (of.kind == KIND_FLOAT) {
    return widened(bits, of);
  }
  if (of.kind == KIND_PRED) {
    return min(bits, 1u) * FLOAT_ONE;
  }
  const uint unused = 32 - of.bits;
  return as_uint(of.kind == KIND_SIGNED ? (float)(as_int(bits << unused) >> (int)unused)
                 : of.bits < 32         ? (float)(as_int(bits & (uint)ones(of.bits)))
                                        : (float)bits);
}

/* ---- What a pair of formats makes superfluous ---- */

/* The greatest exponent, and the greatest with all its digits. */
INLINED int greatest_exponent(const number_format of) {
  return (1 << of.exponent_bits) - 1 - of.bias - (of.specials == SPECIALS_IEEE ? 1 : 0);
}

INLINED int whole_exponent(const number_format of) {
  return greatest_exponent(of) - (of.specials == SPECIALS_FN ? 1 : 0);
}

/* Whether nothing finite is rounded. */
INLINED bool is_exact(const number_format from, const number_format to) {
  return from.kind == KIND_FLOAT
             ? to.mantissa_bits >= from.mantissa_bits &&
                   to.bias + to.mantissa_bits >= from.bias + from.mantissa_bits &&
                   whole_exponent(to) >= greatest_exponent(from)
             : from.bits <= to.mantissa_bits + 1 && from.bits <= whole_exponent(to);
}

/* Whether nothing but 0 is smaller than a normal number. */
INLINED bool is_normal(const number_format from, const number_format to) {
  return from.kind != KIND_FLOAT || to.bias >= from.bias + from.mantissa_bits;
}

INLINED bool has_nan(const number_format from) {
  return from.kind == KIND_FLOAT && from.specials != SPECIALS_FINITE;
}

/* ---- Putting together ---- */

/* To the nearest, ties to even. Too large ones, infinities and NaNs come out beyond the greatest
 * finite size. */
INLINED uint rounded_size(uint size, const number_format from, const number_format to) {
  const uint dropped = FLOAT_MANTISSA_BITS - to.mantissa_bits;
  const uint less_bias = (uint)(FLOAT_BIAS - to.bias) << FLOAT_MANTISSA_BITS;
  const uint more =
      is_exact(from, to) ? size : size + (size >> dropped & 1u) + (uint)ones(dropped - 1);
  const uint normal = (more - less_bias) >> dropped;
  if (to.bias == FLOAT_BIAS) {
    return normal;
  }
  if (is_normal(from, to)) {
    return size == 0 ? size : normal;
  }
  const uint least = (uint)(FLOAT_BIAS + 1 - to.bias) << FLOAT_MANTISSA_BITS;
  const uint unit = least + (dropped << FLOAT_MANTISSA_BITS);
  const uint subnormal = as_uint(as_float(size) + as_float(unit)) - unit;
  return size < least ? subnormal : normal;
}

/* The size behind the greatest finite one stands for all that are beyond it, NaNs too in some
 * types; where there is none, that one does. */
INLINED uint bounded_size(uint size, const number_format from, const number_format to) {
  const bool is_within = is_exact(from, to) && from.specials != SPECIALS_IEEE &&
                         (!has_nan(from) || to.specials == SPECIALS_IEEE);
  const uint most = (uint)greatest_size(to) + (to.specials == SPECIALS_FINITE ? 0 : 1);
  const uint rounded = rounded_size(size, from, to);
  return is_within ? rounded : min(rounded, most);
}

INLINED uint narrowed(uint bits, const number_format from, const number_format to) {
  const uint size = bits & ~FLOAT_SIGN;
  const uint signs = (bits & FLOAT_SIGN) >> (32 - to.bits);
  const uint made = bounded_size(size, from, to);
  if (to.specials == SPECIALS_FNUZ) {
    return made == 0 ? made : made | signs;
  }
  const bool keeps_nan = from.specials != SPECIALS_IEEE && to.bias == FLOAT_BIAS;
  if (!has_nan(from) || to.specials == SPECIALS_FN ||
      (to.specials == SPECIALS_IEEE && keeps_nan && is_exact(from, to))) {
    return made | signs;
  }
  /* The shifts keep gcc from threading this through the comparisons before. */
  const uint nan = (uint)nan_pattern(false, to);
  return (bits << 1 > FLOAT_INFINITY << 1 ? nan : made) ^ signs;
}

/* The size of the integer: its low bits if it wraps, else all ones where these are not enough. */
INLINED uint integer_size(uint size, const integer_rule by) {
  const int down = FLOAT_BIAS + FLOAT_MANTISSA_BITS - as_int(size >> FLOAT_MANTISSA_BITS);
  const uint digits = (size & (uint)ones(FLOAT_MANTISSA_BITS)) | 1u << FLOAT_MANTISSA_BITS;
  const uint part = digits >> as_uint(clamp(down, 0, 31));
  const uint longer = digits << as_uint(clamp(-down, 0, 31));
  const uint whole = down >= 0 ? part : longer;
  const uint cut = down > (by.wraps ? -32 : -9) ? whole : (by.wraps ? 0u : ~0u);
  if (!by.rounds_to_nearest) {
    return cut;
  }
  const uint unit = (uint)(FLOAT_BIAS + FLOAT_MANTISSA_BITS) << FLOAT_MANTISSA_BITS;
  const uint nearest = as_uint(as_float(size) + as_float(unit)) - unit;
  return size < unit ? nearest : cut;
}

INLINED uint integers_of_floats(uint bits, const number_format from, const number_format of,
                                const integer_rule by) {
  const uint size = bits & ~FLOAT_SIGN;
  const uint negative = as_uint(as_int(bits) >> 31); /* all ones, or 0 */
  const bool is_signed = of.kind == KIND_SIGNED;
  const uint highest = (uint)ones(is_signed ? of.bits - 1 : of.bits);
  const uint limit = is_signed ? highest - negative : highest & ~negative;
  const uint whole = integer_size(size, by);
  const uint found = by.wraps ? whole : min(whole, limit);
  const uint made = ((found ^ negative) - negative) & (uint)ones(of.bits);
  return has_nan(from) ? (size > FLOAT_INFINITY ? 0u : made) : made;
}

/* As resized_pattern does it, with signs where f32 has them. */
INLINED uint resized(uint bits, const number_format from, const number_format to) {
  const uint unused = 32 - from.bits, dropped = 32 - to.bits;
  const uint bits_up = bits << unused;
  const uint size = bits_up & ~FLOAT_SIGN;
  const uint last = size >> dropped & 1u;
  const uint found =
      (to.bits < from.bits ? size + last + (uint)ones((int)dropped - 1) : size) >> dropped;
  const uint nan = (uint)nan_pattern(false, to);
  return (size > (uint)ieee_infinity(from) << unused ? nan : found) |
         (bits_up & FLOAT_SIGN) >> dropped;
}

/* ---- Doubles, whose patterns are twice as long ---- */

#define DOUBLE_MANTISSA_BITS 52
#define DOUBLE_BIAS          1023
#define DOUBLE_MORE_DIGITS   (DOUBLE_MANTISSA_BITS - FLOAT_MANTISSA_BITS)
#define DOUBLE_MORE_BIAS     (DOUBLE_BIAS - FLOAT_BIAS)
#define DOUBLE_SIGN          0x8000000000000000UL
#define DOUBLE_INFINITY      0x7ff0000000000000UL
#define DOUBLE_NAN           0x7ff8000000000000UL

/* An exponent of a double, in the upper half of its pattern. */
#define UPPER_EXPONENT(exponent) ((uint)(exponent) << (DOUBLE_MANTISSA_BITS - 32))

/* The digits of a subnormal float are those of an integer, in units of 2^-149. */
INLINED ulong doubled(uint bits) {
  const uint least = 1u << FLOAT_MANTISSA_BITS;
  const int unit = FLOAT_BIAS - 1 + FLOAT_MANTISSA_BITS;
  const uint size = bits & ~FLOAT_SIGN;
  const uint small = as_uint((float)(as_int(min(size, least))));
  const uint small_bias = size == 0 ? size : UPPER_EXPONENT(DOUBLE_MORE_BIAS - unit);
  const uint large_bias = size < FLOAT_INFINITY ? UPPER_EXPONENT(DOUBLE_MORE_BIAS)
                                                : UPPER_EXPONENT(2 * DOUBLE_MORE_BIAS);
  const uint digits = size < least ? small : size;
  const uint bias = size < least ? small_bias : large_bias;
  const uint low = size > FLOAT_INFINITY ? 0u : digits;
  const uint high = size > FLOAT_INFINITY ? (uint)(DOUBLE_NAN >> 32) : bias;
  return ((ulong)low << DOUBLE_MORE_DIGITS) + ((ulong)(high | (bits & FLOAT_SIGN)) << 32);
}

/* To the nearest, ties to even. What is subnormal loses a digit more for each exponent below the
 * least. */
INLINED uint halved(ulong bits) {
  const ulong least = (ulong)(DOUBLE_MORE_BIAS + 1) << DOUBLE_MANTISSA_BITS;
  const ulong beyond = (ulong)(DOUBLE_MORE_BIAS + 2 * FLOAT_BIAS + 1) << DOUBLE_MANTISSA_BITS;
  const ulong one = (ulong)1 << DOUBLE_MANTISSA_BITS;
  const ulong size = bits & ~DOUBLE_SIGN;
  const ulong lacking = DOUBLE_MORE_BIAS + 1 - (size >> DOUBLE_MANTISSA_BITS);
  const ulong normal = min(size, beyond) - ((ulong)DOUBLE_MORE_BIAS << DOUBLE_MANTISSA_BITS);
  const ulong digits = size < least ? (size & (one - 1)) | one : normal;
  const ulong dropped = DOUBLE_MORE_DIGITS + (size < least ? min(lacking, (ulong)32) : (ulong)0);
  const ulong last = digits >> dropped & 1;
  const ulong almost_half = ((ulong)1 << (dropped - 1)) - 1;
  const uint rounded = (uint)((digits + almost_half + last) >> dropped);
  return (size > DOUBLE_INFINITY ? FLOAT_NAN : rounded) | ((uint)(bits >> 32) & FLOAT_SIGN);
}

/* ---- All of them ---- */

/* Neither side is a double. */
INLINED uint convert_within_float(uint bits, const number_format from, const number_format to,
                                  const integer_rule by) {
  if (has_same_exponents(from, to)) {
    return resized(bits, from, to);
  }
  const uint values = floats_of(bits, from);
  if (to.kind == KIND_FLOAT) {
    return to.bits == 32 ? values : narrowed(values, from, to);
  }
  if (to.kind == KIND_PRED) {
    return min(values & ~FLOAT_SIGN, 1u);
  }
  return integers_of_floats(values, from, to, by);
}

#ifdef FROM_KIND
INLINED pattern_given convert_by_float(pattern_taken bits) {
#if FROM_DOUBLE
  return halved(bits);
#else
  const number_format from = {FROM_KIND,          FROM_BITS, FROM_EXPONENT_BITS,
                              FROM_MANTISSA_BITS, FROM_BIAS, FROM_SPECIALS};
#if TO_DOUBLE
  return doubled(floats_of(bits, from));
#else
  const number_format to = {TO_KIND,          TO_BITS, TO_EXPONENT_BITS,
                            TO_MANTISSA_BITS, TO_BIAS, TO_SPECIALS};
  const integer_rule by = {WRAPS != 0, TO_NEAREST != 0};
  return convert_within_float(bits, from, to, by);
#endif
#endif
}
#endif

#endif
