/* numbers.cl: products, quotients and sums of the numbers of convert.cl, which follows no mode of a
 * device's floating point: what scales and records need. Follows convert.cl, without NARROW.
 *
 * A number that comes of an f32 or a shorter type has at most 24 digits, and a product of two of
 * them at most 48. A quotient has the 40 digits before its first that is not exact, and `rest` says
 * whether there are more.
 */

INLINED number_format f32_format(void) {
  const number_format made = {KIND_FLOAT, 32, 8, 23, 127, SPECIALS_IEEE};
  return made;
}

INLINED number_format f16_format(void) {
  const number_format made = {KIND_FLOAT, 16, 5, 10, 15, SPECIALS_IEEE};
  return made;
}

INLINED bool is_nan(const number n) {
  return n.what == NUMBER_NAN;
}

/* Exact. The sign of a NaN is of no account. */
INLINED number product(const number a, const number b) {
  const scale_factor by = {b.digits, b.exponent, b.negative};
  const bool has_zero = a.what == NUMBER_ZERO || b.what == NUMBER_ZERO;
  const bool has_infinity = a.what == NUMBER_INFINITE || b.what == NUMBER_INFINITE;
  number made = scaled_number(a, by);
  made.negative = a.negative != b.negative;
  made.what = is_nan(a) || is_nan(b) || (has_zero && has_infinity) ? NUMBER_NAN
              : has_infinity                                       ? NUMBER_INFINITE
              : has_zero                                           ? NUMBER_ZERO
                                                                   : NUMBER_FINITE;
  return made;
}

/* `b` has at most 24 digits. What is divided by 0 becomes the 0 without a sign. */
INLINED number quotient(const number a, const number b) {
  const ulong divisor = b.digits >> 40 | (b.what == NUMBER_FINITE ? 0 : 1);
  const bool is_power = (b.digits << 1) == 0;
  const ulong whole = is_power ? a.digits : a.digits / divisor;
  const int exponent = a.exponent - b.exponent - (is_power ? PATTERN_BITS - 1 : 40);
  number made = normalised(whole, exponent, b.what != NUMBER_ZERO && a.negative != b.negative);
  made.rest = is_power ? a.rest : whole * divisor != a.digits ? 1 : 0;
  made.what = b.what == NUMBER_ZERO                                    ? NUMBER_ZERO
              : is_nan(a) || is_nan(b)                                 ? NUMBER_NAN
              : a.what == NUMBER_INFINITE && b.what == NUMBER_INFINITE ? NUMBER_NAN
              : a.what == NUMBER_ZERO || b.what == NUMBER_INFINITE     ? NUMBER_ZERO
                                                                       : a.what;
  return made;
}

/* Of what has at most 24 digits each: exact, or with a rest. */
INLINED number sum_of_finite(const number a, const number b) {
  const bool is_ordered =
      a.exponent > b.exponent || (a.exponent == b.exponent && a.digits >= b.digits);
  const number large = is_ordered ? a : b;
  const number small = is_ordered ? b : a;
  const int apart = min(large.exponent - small.exponent, PATTERN_BITS - 1);
  const ulong first = large.digits >> 1;
  const ulong second = small.digits >> 1 >> apart;
  const bool has_more = second << apart << 1 != small.digits;
  const bool is_difference = a.negative != b.negative;
  const ulong digits = is_difference ? first - second - (has_more ? 1 : 0) : first + second;
  number made =
      normalised(digits, large.exponent - (PATTERN_BITS - 2), digits != 0 && large.negative);
  made.rest = has_more ? 1 : 0;
  return made;
}

INLINED number sum(const number a, const number b) {
  const number none = {NUMBER_ZERO, 0, a.negative && b.negative, 0, 0};
  const number nan = {NUMBER_NAN, 0, false, 0, 0};
  const bool cancels =
      a.what == NUMBER_INFINITE && b.what == NUMBER_INFINITE && a.negative != b.negative;
  return is_nan(a) || is_nan(b) || cancels                ? nan
         : a.what == NUMBER_INFINITE                      ? a
         : b.what == NUMBER_INFINITE                      ? b
         : a.what == NUMBER_ZERO && b.what == NUMBER_ZERO ? none
         : a.what == NUMBER_ZERO                          ? b
         : b.what == NUMBER_ZERO                          ? a
                                                          : sum_of_finite(a, b);
}

/* Whether a finite number or 0, without its sign, is below another one. */
INLINED bool is_smaller(const number a, const number b) {
  return a.what == NUMBER_ZERO      ? b.what != NUMBER_ZERO
         : b.what == NUMBER_ZERO    ? false
         : a.exponent != b.exponent ? a.exponent < b.exponent
         : a.digits != b.digits     ? a.digits < b.digits
                                    : a.rest < b.rest;
}

/* A float of what is not to become an infinity: the greatest number instead. NaNs are positive. */
INLINED pattern saturated_pattern(const number n, const number_format of) {
  const bool is_beyond = n.what == NUMBER_INFINITE ||
                         (n.what == NUMBER_FINITE && finite_size(n, of) > greatest_size(of));
  const bool has_sign = of.specials != SPECIALS_UNSIGNED;
  number read = n;
  read.negative = n.negative && !is_nan(n);
  return is_beyond && (has_sign || !n.negative) ? signed_pattern(greatest_size(of), n.negative, of)
                                                : float_pattern(read, of);
}

/* The integer that a pattern stands for, of at most 16 bits. */
INLINED long integer_value(pattern bits, const number_format of) {
  const long low = (long)(bits & ones(of.bits));
  return of.kind == KIND_SIGNED && (low >> (of.bits - 1)) != 0 ? low - (1L << of.bits) : low;
}

INLINED number number_of_integer(long value) {
  return normalised(abs(value), 0, value < 0);
}

/* A finite number as an integer within 32 bits; NaN is 0. */
INLINED long whole_value(const number n, bool rounds_to_nearest) {
  const number_format of = {KIND_SIGNED, 32, 0, 0, 0, 0};
  const integer_rule by = {false, rounds_to_nearest};
  return (long)(int)(uint)integer_pattern(n, of, by);
}

/* ---- Operations on patterns of f32s, each rounded once ---- */

INLINED number number_of_f32(uint bits) {
  return float_number(bits, f32_format());
}

/* NaNs are positive. */
INLINED uint f32_of(const number n) {
  number read = n;
  read.negative = n.negative && !is_nan(n);
  return (uint)float_pattern(read, f32_format());
}

INLINED uint f32_product(uint a, uint b) {
  return f32_of(product(number_of_f32(a), number_of_f32(b)));
}

/* b is not 0. */
INLINED uint f32_quotient(uint a, uint b) {
  return f32_of(quotient(number_of_f32(a), number_of_f32(b)));
}

INLINED uint f32_sum(uint a, uint b) {
  return f32_of(sum(number_of_f32(a), number_of_f32(b)));
}

INLINED uint f32_of_half(uint half_bits) {
  return f32_of(float_number(half_bits, f16_format()));
}

INLINED uint half_of_f32(uint bits) {
  number n = number_of_f32(bits);
  n.negative = n.negative && !is_nan(n);
  return (uint)float_pattern(n, f16_format());
}
