/* convert.cl: the value of an element of one type as an element of another, in integers alone.
 *
 * A pattern is taken apart into a sign and digits with an exponent, which are multiplied by a scale
 * and put together in the other format with one rounding. Neither half nor double support is
 * needed, and no rounding mode or flushing of subnormals changes a bit.
 *
 * The library compiles this as C too (src/convert/arithmetic.h), so that host and devices agree.
 * Compiled in:
 *
 *     NARROW  1 when 32 bits are enough: both types have no more, and values are not scaled
 *
 * and on devices what convert_pattern, at the end, asks for.
 */

#if NARROW
typedef uint pattern;
#define PATTERN_BITS 32
#else
typedef ulong pattern;
#define PATTERN_BITS 64
#endif

/* Part of the loop that calls it, which compilers then make into vectors. */
#if defined(INLINED)
#elif defined(__clang__)
#define INLINED static inline __attribute__((always_inline))
#else
#define INLINED static inline
#endif

/* relayout_element_kind of include/relayout/element_type.h. */
#define KIND_PRED     1
#define KIND_SIGNED   2
#define KIND_UNSIGNED 3
#define KIND_FLOAT    4

/* rlt_float_specials of src/metadata/float_format.h. */
#define SPECIALS_IEEE     0
#define SPECIALS_FN       1
#define SPECIALS_FNUZ     2
#define SPECIALS_FINITE   3
#define SPECIALS_UNSIGNED 4

typedef struct number_format {
  int kind;
  int bits;
  int exponent_bits; /* the rest is for floats alone */
  int mantissa_bits;
  int bias;
  int specials;
} number_format;

/* digits / 2^63 * 2^exponent, the highest digit being set. */
typedef struct scale_factor {
  ulong digits;
  int exponent;
  int negative;
} scale_factor;

#define NUMBER_ZERO     0
#define NUMBER_FINITE   1
#define NUMBER_INFINITE 2
#define NUMBER_NAN      3

/* A finite one is (digits + rest / 2^PATTERN_BITS) / 2^(PATTERN_BITS - 1) * 2^exponent, the highest
 * digit being set. */
typedef struct number {
  int what;
  int exponent;
  bool negative;
  pattern digits;
  pattern rest;
} number;

INLINED pattern ones(int count) {
  return count == 0 ? 0 : ~(pattern)0 >> (PATTERN_BITS - count);
}

/* ---- Taking apart ---- */

/* value * 2^exponent; the value may be 0. */
INLINED number normalised(pattern value, int exponent, bool negative) {
  const int shift = (int)clz(value | 1);
  number n;
  n.what = value == 0 ? NUMBER_ZERO : NUMBER_FINITE;
  n.exponent = exponent + PATTERN_BITS - 1 - shift;
  n.negative = negative;
  n.digits = value << shift;
  n.rest = 0;
  return n;
}

INLINED number integer_number(pattern bits, const number_format of) {
  const pattern low = bits & ones(of.bits);
  const bool negative = of.kind == KIND_SIGNED && (low >> (of.bits - 1)) != 0;
  return normalised(negative ? (0 - low) & ones(of.bits) : low, 0, negative);
}

/* All bits but the sign's are the size of a float. */
INLINED pattern size_mask(const number_format of) {
  return ones(of.exponent_bits + of.mantissa_bits);
}

INLINED pattern sign_bit(const number_format of) {
  return (pattern)(of.specials == SPECIALS_UNSIGNED ? 0 : 1) << (of.bits - 1);
}

INLINED pattern ieee_infinity(const number_format of) {
  return ones(of.exponent_bits) << of.mantissa_bits;
}

INLINED bool is_nan_size(pattern size, bool negative, const number_format of) {
  return of.specials == SPECIALS_IEEE   ? size > ieee_infinity(of)
         : of.specials == SPECIALS_FNUZ ? negative && size == 0
                                        : of.specials != SPECIALS_FINITE && size == size_mask(of);
}

INLINED number float_number(pattern bits, const number_format of) {
  const bool negative = (bits & sign_bit(of)) != 0;
  const pattern size = bits & size_mask(of);
  const int field = (int)(size >> of.mantissa_bits);
  const pattern fraction = size & ones(of.mantissa_bits);
  const bool has_one = field != 0 || of.specials == SPECIALS_UNSIGNED;
  number n = normalised(fraction | (pattern)(has_one ? 1 : 0) << of.mantissa_bits,
                        (has_one ? field : 1) - of.bias - of.mantissa_bits, negative);
  n.what = is_nan_size(size, negative, of)                             ? NUMBER_NAN
           : of.specials == SPECIALS_IEEE && size == ieee_infinity(of) ? NUMBER_INFINITE
                                                                       : n.what;
  return n;
}

INLINED number number_of(pattern bits, const number_format of) {
  return of.kind == KIND_FLOAT  ? float_number(bits, of)
         : of.kind == KIND_PRED ? normalised(bits != 0 ? 1 : 0, 0, false)
                                : integer_number(bits, of);
}

/* ---- Scaling ---- */

#if !NARROW
/* Exact. A NaN keeps its sign. The low half's highest digit is had by a product, as Oclgrind knows
 * no funnel shift, which is what compilers make of two shifts. */
INLINED number scaled_number(number n, const scale_factor by) {
  const ulong high = mul_hi(n.digits, by.digits);
  const ulong low = n.digits * by.digits;
  const bool carries = (high >> 63) != 0;
  n.digits = carries ? high : high << 1 | mul_hi(low, (ulong)2);
  n.rest = carries ? low : low << 1;
  n.exponent += by.exponent + (carries ? 1 : 0);
  n.negative = n.negative != (by.negative != 0 && n.what != NUMBER_NAN);
  return n;
}
#endif

/* ---- Putting together ---- */

/* How a number becomes an integer. It is rounded first, towards zero or to the nearest, ties to
 * even; what is then beyond the type's range wraps or becomes the nearest end of it. */
typedef struct integer_rule {
  bool wraps;
  bool rounds_to_nearest;
} integer_rule;

/* The low bits of a finite number without its fraction and its sign. */
INLINED pattern integer_part(const number n) {
  const int over = n.exponent - (PATTERN_BITS - 1);
  if (n.exponent < 0 || over >= 2 * PATTERN_BITS) {
    return 0;
  }
  return over <= 0             ? n.digits >> -over
         : over < PATTERN_BITS ? n.digits << over | n.rest >> (PATTERN_BITS - over)
                               : n.rest << (over - PATTERN_BITS);
}

/* Whether a finite number has a digit other than 0 behind its first `count`. */
INLINED bool has_digits_behind(const number n, int count) {
  return count <= 0                 ? true
         : count < PATTERN_BITS     ? ((n.digits << count) | n.rest) != 0
         : count < 2 * PATTERN_BITS ? n.rest << (count - PATTERN_BITS) != 0
                                    : false;
}

/* What a finite number's integer part lacks to the nearest integer, 1 or 0. The digit that stands
 * for a half is the last one of twice the number; an exact half goes up from an odd part. */
INLINED pattern goes_up_to_nearest(const number n, pattern part) {
  number twice = n;
  twice.exponent = n.exponent + 1;
  const pattern has_more = has_digits_behind(n, n.exponent + 2) ? 1 : 0;
  return integer_part(twice) & (has_more | part) & 1;
}

/* Rounding up may carry out of the pattern. */
INLINED pattern integer_pattern(const number n, const number_format of, const integer_rule by) {
  if (n.what == NUMBER_ZERO || n.what == NUMBER_NAN || (by.wraps && n.what == NUMBER_INFINITE)) {
    return 0;
  }
  const bool is_signed = of.kind == KIND_SIGNED;
  const pattern highest = ones(is_signed ? of.bits - 1 : of.bits);
  const pattern limit = !n.negative ? highest : is_signed ? highest + 1 : 0;
  const pattern part = n.what == NUMBER_FINITE ? integer_part(n) : 0;
  const pattern whole = by.rounds_to_nearest ? part + goes_up_to_nearest(n, part) : part;
  const bool is_beyond =
      n.what == NUMBER_INFINITE || n.exponent >= PATTERN_BITS || whole > limit || whole < part;
  const pattern size = !by.wraps && is_beyond ? limit : whole;
  return (n.negative ? 0 - size : size) & ones(of.bits);
}

INLINED pattern greatest_size(const number_format of) {
  return of.specials == SPECIALS_IEEE                                     ? ieee_infinity(of) - 1
         : of.specials == SPECIALS_FN || of.specials == SPECIALS_UNSIGNED ? size_mask(of) - 1
                                                                          : size_mask(of);
}

INLINED pattern signed_pattern(pattern size, bool negative, const number_format of) {
  const pattern can_have = of.specials != SPECIALS_FNUZ || size != 0 ? sign_bit(of) : 0;
  return size | ((0 - (pattern)negative) & can_have);
}

/* Types without a NaN make it the zero of the other sign, as ml_dtypes does. */
INLINED pattern nan_pattern(bool negative, const number_format of) {
  return of.specials == SPECIALS_IEEE
             ? signed_pattern(ieee_infinity(of) | (pattern)1 << (of.mantissa_bits - 1), negative,
                              of)
         : of.specials == SPECIALS_FNUZ   ? sign_bit(of)
         : of.specials == SPECIALS_FINITE ? signed_pattern(0, !negative, of)
                                          : signed_pattern(size_mask(of), negative, of);
}

/* What is beyond the greatest finite number: infinity, else NaN, else that number. */
INLINED pattern overflow_pattern(bool negative, const number_format of) {
  return of.specials == SPECIALS_IEEE     ? signed_pattern(ieee_infinity(of), negative, of)
         : of.specials == SPECIALS_FINITE ? signed_pattern(size_mask(of), negative, of)
                                          : nan_pattern(negative, of);
}

/* To the nearest, ties to even; more than greatest_size for what is beyond. A carry out of the
 * mantissa counts the exponent up. Powers of two alone are rounded as types with a zero are, ties
 * upwards: theirs is just another number. */
INLINED pattern finite_size(const number n, const number_format of) {
  const int least = 1 - of.bias;
  const int lacking = max(least - n.exponent, 0);
  const int dropped = PATTERN_BITS - 1 - of.mantissa_bits + lacking;
  const int shift = min(dropped, PATTERN_BITS) - 1;
  const pattern with_half = dropped > PATTERN_BITS ? 0 : n.digits >> shift;
  const pattern kept = with_half >> 1;
  const pattern has_more = ((n.digits & ones(shift)) | n.rest) != 0 ? 1 : 0;
  const pattern goes_up = with_half & (has_more | kept) & 1;
  const pattern field = (pattern)(n.exponent + lacking - least);
  const pattern size = kept + goes_up + (field << of.mantissa_bits);
  return n.exponent > of.bias + 1 ? greatest_size(of) + 1 : size;
}

INLINED pattern finite_pattern(const number n, const number_format of) {
  const pattern size = finite_size(n, of);
  return size > greatest_size(of) ? overflow_pattern(n.negative, of)
                                  : signed_pattern(size, n.negative, of);
}

INLINED pattern float_pattern(const number n, const number_format of) {
  if (of.specials == SPECIALS_UNSIGNED &&
      (n.negative || n.what == NUMBER_ZERO || n.what == NUMBER_INFINITE)) {
    return nan_pattern(false, of);
  }
  return n.what == NUMBER_NAN        ? nan_pattern(n.negative, of)
         : n.what == NUMBER_INFINITE ? overflow_pattern(n.negative, of)
         : n.what == NUMBER_ZERO     ? signed_pattern(0, n.negative, of)
                                     : finite_pattern(n, of);
}

INLINED pattern pattern_of(const number n, const number_format of, const integer_rule by) {
  return of.kind == KIND_FLOAT  ? float_pattern(n, of)
         : of.kind == KIND_PRED ? (pattern)(n.what != NUMBER_ZERO ? 1 : 0)
                                : integer_pattern(n, of, by);
}

/* ---- Unscaled ---- */

/* Formats that differ in their mantissas alone: one's pattern begins as the other's does. */
INLINED bool has_same_exponents(const number_format a, const number_format b) {
  return a.kind == KIND_FLOAT && b.kind == KIND_FLOAT && a.specials == SPECIALS_IEEE &&
         b.specials == SPECIALS_IEEE && a.exponent_bits == b.exponent_bits && a.bias == b.bias;
}

INLINED pattern resized_pattern(pattern bits, const number_format from, const number_format to) {
  const bool negative = (bits & sign_bit(from)) != 0;
  const pattern size = bits & size_mask(from);
  const int dropped = max(from.mantissa_bits - to.mantissa_bits, 0);
  const int added = max(to.mantissa_bits - from.mantissa_bits, 0);
  const pattern almost_half = ones(max(dropped - 1, 0));
  const pattern last = dropped > 0 ? size >> dropped & 1 : 0;
  const pattern resized = (size + almost_half + last) >> dropped << added;
  return size > ieee_infinity(from) ? nan_pattern(negative, to)
                                    : signed_pattern(resized, negative, to);
}

INLINED pattern convert_unscaled(pattern bits, const number_format from, const number_format to,
                                 const integer_rule by) {
  return has_same_exponents(from, to) ? resized_pattern(bits, from, to)
                                      : pattern_of(number_of(bits, from), to, by);
}

/* ---- For devices ---- */

/*     FROM_KIND, FROM_BITS, FROM_EXPONENT_BITS, FROM_MANTISSA_BITS, FROM_BIAS, FROM_SPECIALS
 *                   the source's format; and the destination's, TO_...
 *     WRAPS, TO_NEAREST, SCALED
 *                   1 or 0
 *     FROM_SWAPPED, TO_SWAPPED
 *                   where a side's bytes lie in the order that is not the device's
 *     KEEPS_VALUES  where nothing else changes
 */
#ifdef FROM_KIND
/* The lowest bytes in the other order. */
INLINED pattern swapped_pattern(pattern bits, int bytes) {
  pattern swapped = 0;
  for (int i = 0; i < bytes; ++i) {
    swapped = swapped << 8 | (bits >> 8 * i & 0xff);
  }
  return swapped;
}

INLINED pattern convert_value(pattern bits, const scale_factor scale) {
  const number_format from = {FROM_KIND,          FROM_BITS, FROM_EXPONENT_BITS,
                              FROM_MANTISSA_BITS, FROM_BIAS, FROM_SPECIALS};
  const number_format to = {TO_KIND,          TO_BITS, TO_EXPONENT_BITS,
                            TO_MANTISSA_BITS, TO_BIAS, TO_SPECIALS};
  const integer_rule by = {WRAPS != 0, TO_NEAREST != 0};
#ifdef KEEPS_VALUES
  (void)from, (void)to, (void)by, (void)scale;
  return bits;
#elif SCALED
  return pattern_of(scaled_number(number_of(bits, from), scale), to, by);
#else
  (void)scale;
  return convert_unscaled(bits, from, to, by);
#endif
}

INLINED pattern convert_pattern(pattern bits, const scale_factor scale) {
#ifdef FROM_SWAPPED
  bits = swapped_pattern(bits, FROM_BITS / 8);
#endif
#ifdef TO_SWAPPED
  return swapped_pattern(convert_value(bits, scale), TO_BITS / 8);
#else
  return convert_value(bits, scale);
#endif
}
#endif
