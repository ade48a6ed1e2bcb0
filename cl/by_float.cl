/* by_float.cl: conversions whose values all fit an f32 on their way, in fewer steps. Follows
 * convert.cl, with which it agrees bit for bit.
 *
 * The pattern of an f32 stands for the value. The compiler makes loops over vectors of it, so there is
 * no branch; and no arithmetic on floats but that of small integers into them, which is exact.
 */

#define FITS_FLOAT(kind, bits, specials, integer_bits)                                             \
  ((kind) == KIND_FLOAT ? (bits) <= 32 && (specials) != SPECIALS_UNSIGNED : (bits) <= (integer_bits))

/* Integers that arrive are cut and cannot be too long; those that leave must be exact. */
#define BY_FLOAT                                                                                   \
  (!SCALED && FITS_FLOAT(FROM_KIND, FROM_BITS, FROM_SPECIALS, 16) &&                               \
   FITS_FLOAT(TO_KIND, TO_BITS, TO_SPECIALS, 32))

#if BY_FLOAT

#define FLOAT_MANTISSA_BITS 23
#define FLOAT_BIAS          127
#define FLOAT_SIGN          0x80000000u
#define FLOAT_INFINITY      0x7f800000u
#define FLOAT_NAN           0x7fc00000u

/* The size that an f32 has of a float of fewer bits. */
static inline uint widened_size(uint bits, const number_format of) {
  const uint size = bits & size_mask(of);
  const uint to_mantissa = FLOAT_MANTISSA_BITS - of.mantissa_bits;
  const uint to_bias = (uint)(FLOAT_BIAS - of.bias) << FLOAT_MANTISSA_BITS;
  const uint normal = (size << to_mantissa) + to_bias;
  const uint least = (uint)(of.bias - 1 + of.mantissa_bits) << FLOAT_MANTISSA_BITS;
  const uint subnormal = size == 0 ? 0 : as_uint((float)(int)size) - least;
  const uint finite = of.bias == FLOAT_BIAS || (size >> of.mantissa_bits) != 0 ? normal : subnormal;
  const bool is_infinite = of.specials == SPECIALS_IEEE && size == ieee_infinity(of);
  const uint number = is_infinite ? FLOAT_INFINITY : finite;
  return is_nan_size(size, (bits & sign_bit(of)) != 0, of) ? FLOAT_NAN : number;
}

static inline uint float_of(uint bits, const number_format of) {
  const uint sign = of.kind == KIND_FLOAT ? (bits & sign_bit(of)) << (32 - of.bits) : 0;
  return of.kind == KIND_FLOAT      ? (of.bits == 32 ? bits : widened_size(bits, of) | sign)
         : of.kind == KIND_PRED     ? (bits != 0 ? 0x3f800000u : 0)
         : of.kind == KIND_UNSIGNED ? as_uint((float)(int)(bits & ones(of.bits)))
                                    : as_uint((float)((int)(bits << (32 - of.bits)) >> (32 - of.bits)));
}

/* To the nearest, ties to even, as finite_pattern does it. Infinity and NaN come out beyond the
 * greatest size. */
static inline uint narrowed_size(uint size, const number_format of) {
  const uint dropped = FLOAT_MANTISSA_BITS - of.mantissa_bits;
  if (of.bits == 32) {
    return size;
  }
  if (of.bias == FLOAT_BIAS) {
    return (size + (size >> dropped & 1) + ones(dropped - 1)) >> dropped;
  }
  const int above = (int)(size >> FLOAT_MANTISSA_BITS) - (FLOAT_BIAS + 1 - of.bias);
  const uint digits = (size & ones(FLOAT_MANTISSA_BITS)) | 1u << FLOAT_MANTISSA_BITS;
  const uint shift = (uint)min((int)dropped + max(-above, 0), FLOAT_MANTISSA_BITS + 2);
  const uint rounded = (digits + (digits >> shift & 1) + (1u << (shift - 1)) - 1) >> shift;
  return rounded + ((uint)max(above, 0) << of.mantissa_bits);
}

static inline uint narrowed(uint bits, const number_format of) {
  const uint size = bits & ~FLOAT_SIGN;
  const bool negative = (bits & FLOAT_SIGN) != 0;
  const uint found = narrowed_size(size, of);
  const uint finite = found > greatest_size(of) ? overflow_pattern(negative, of)
                                                : signed_pattern(found, negative, of);
  return size > FLOAT_INFINITY ? nan_pattern(negative, of) : finite;
}

static inline uint cut(uint bits, const number_format of, bool wraps) {
  const uint size = bits & ~FLOAT_SIGN;
  const bool negative = (bits & FLOAT_SIGN) != 0;
  const int exponent = (int)(size >> FLOAT_MANTISSA_BITS) - FLOAT_BIAS;
  const uint digits = (size & ones(FLOAT_MANTISSA_BITS)) | 1u << FLOAT_MANTISSA_BITS;
  const int down = min(FLOAT_MANTISSA_BITS - exponent, FLOAT_MANTISSA_BITS + 1);
  const uint part = down >= 0 ? digits >> (down & 31) : -down < 32 ? digits << (-down & 31) : 0;
  const bool is_signed = of.kind == KIND_SIGNED;
  const uint highest = ones(is_signed ? of.bits - 1 : of.bits);
  const uint limit = !negative ? highest : is_signed ? highest + 1 : 0;
  const bool is_special = wraps ? size >= FLOAT_INFINITY : size > FLOAT_INFINITY;
  const uint found = !wraps && (exponent > 31 || part > limit) ? limit : part;
  return is_special ? 0 : (negative ? 0 - found : found) & ones(of.bits);
}

static inline uint convert_by_float(uint bits) {
  const number_format from = {FROM_KIND,          FROM_BITS, FROM_EXPONENT_BITS,
                              FROM_MANTISSA_BITS, FROM_BIAS, FROM_SPECIALS};
  const number_format to = {TO_KIND,          TO_BITS, TO_EXPONENT_BITS,
                            TO_MANTISSA_BITS, TO_BIAS, TO_SPECIALS};
  const uint value = float_of(bits, from);
  return to.kind == KIND_FLOAT  ? narrowed(value, to)
         : to.kind == KIND_PRED ? (uint)((value & ~FLOAT_SIGN) != 0)
                                : cut(value, to, WRAPS != 0);
}

#endif
