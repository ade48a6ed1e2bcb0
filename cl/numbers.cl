/* numbers.cl: products, quotients and sums of the numbers of convert.cl, which follows no mode of a
 * device's floating point: what scales and records need. Follows convert.cl, without NARROW.
 *
 * A number that comes of an f32 or a shorter type has at most 24 digits, of an integer of 32 bits
 * less a zero point 33, and of an f64 53; a product of one of them and an f32 has at most 77, of
 * which `rest` has those beyond 64. A quotient has the 40 digits before its first that is not
 * exact, and `rest` says whether there are more.
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
  made.rest = is_power ? a.rest : whole * divisor != a.digits || a.rest != 0 ? 1 : 0;
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

/* ---- Times powers of two ---- */

/* Floats of at most 24 digits, which 32 bits hold. */
INLINED bool is_short(const number_format of) {
  return of.kind == KIND_FLOAT && of.bits <= 32;
}

/* Of f8e8m0fnu, whose numbers are powers of two. */
INLINED bool has_powers(const number_format of) {
  return of.kind == KIND_FLOAT && of.specials == SPECIALS_UNSIGNED;
}

/* Whether short_float makes elements of others: as they are, or times or over a power of two. */
INLINED bool is_shortened(const number_format from, const number_format to) {
  return is_short(from) && is_short(to) && !has_powers(to) && !has_same_exponents(from, to);
}

INLINED bool is_shift(const number_format scale, const number_format from, const number_format to) {
  return has_powers(scale) && is_short(from) && is_short(to) && !has_powers(to);
}

INLINED bool is_finite_float(uint bits, const number_format of) {
  const uint size = bits & (uint)size_mask(of);
  const bool negative = (bits & (uint)sign_bit(of)) != 0;
  return !is_nan_size(size, negative, of) &&
         !(of.specials == SPECIALS_IEEE && size == (uint)ieee_infinity(of));
}

INLINED bool is_zero_float(uint bits, const number_format of) {
  return of.specials != SPECIALS_UNSIGNED && (bits & (uint)size_mask(of)) == 0;
}

/* The size of a finite short float as 24 digits, and the exponent of the first; 0 has no digit. */
INLINED uint short_digits(uint size, const number_format of, int *exponent) {
  const int field = (int)(size >> of.mantissa_bits);
  const bool has_one = field != 0 || of.specials == SPECIALS_UNSIGNED;
  const uint digits = (size & (uint)ones(of.mantissa_bits)) | (has_one ? 1u : 0u)
                                                                  << of.mantissa_bits;
  const int shift = (int)clz(digits | 1u) - 8;
  *exponent = (has_one ? field : 1) - of.bias - of.mantissa_bits + 23 - shift;
  return digits << shift;
}

/* The size of a finite short float times 2^power in another format, rounded once; more than
 * greatest_size for what is beyond. */
INLINED uint short_size(uint size, const number_format from, int power, const number_format to) {
  int exponent;
  const uint twice = short_digits(size, from, &exponent) << 1; /* 25 digits, the last being 0 */
  exponent += power + to.bias;
  const int dropped = min(23 - to.mantissa_bits + max(1 - exponent, 0), 25);
  const uint with_half = twice >> dropped;
  const uint has_more = (twice & ((1u << dropped) - 1)) != 0 ? 1 : 0;
  const uint kept = with_half >> 1;
  const uint goes_up = with_half & (has_more | kept) & 1;
  const int beyond = (int)ones(to.exponent_bits) + 1;
  const uint before = (uint)(clamp(exponent, 1, beyond + 1) - 1) << to.mantissa_bits;
  return twice == 0 ? 0 : kept + goes_up + before;
}

/* The same where both are normal: the mantissa is rounded, and the exponent counted up or down. */
INLINED uint normal_size(uint size, const number_format from, int steps, const number_format to) {
  const int dropped = max(from.mantissa_bits - to.mantissa_bits, 0);
  const int added = max(to.mantissa_bits - from.mantissa_bits, 0);
  const uint half_less = ((1u << dropped) - 1) >> 1;
  const uint last = dropped > 0 ? size >> dropped & 1 : 0;
  return ((size + half_less + last) >> dropped << added) + ((uint)steps << to.mantissa_bits);
}

/* A finite short float times 2^power as another short float; `to` has signs. What is beyond the
 * greatest number becomes that if it saturates. */
INLINED uint short_float(uint bits, const number_format from, int power, const number_format to,
                         bool saturates) {
  const uint size = bits & (uint)size_mask(from);
  const bool negative = (bits & (uint)sign_bit(from)) != 0;
  const int field = (int)(size >> from.mantissa_bits), steps = power + to.bias - from.bias;
  const bool are_normal =
      field > 0 && field + steps > 0 && field + steps <= (int)ones(to.exponent_bits);
  const uint made =
      are_normal ? normal_size(size, from, steps, to) : short_size(size, from, power, to);
  const bool is_beyond = made > (uint)greatest_size(to);
  return is_beyond && !saturates
             ? (uint)overflow_pattern(negative, to)
             : (uint)signed_pattern(is_beyond ? greatest_size(to) : made, negative, to);
}

/* The exponent of a number of f8e8m0fnu that is one. */
INLINED int power_of(pattern bits) {
  return (int)bits - 127;
}

INLINED bool is_power(pattern bits) {
  return bits != 0xff;
}

/* ---- Integers ---- */

/* Whether short_quotient makes integers of quotients of such floats. */
INLINED bool is_counted(const number_format from, const number_format by, const number_format to) {
  return is_short(from) && is_short(by) && to.kind != KIND_FLOAT && to.bits <= 8;
}

/* A finite short float, which may be 0, over another, which is not, as an integer; 2^9 or more, or
 * as far below 0, for what is beyond. */
INLINED int short_quotient(uint a, const number_format from, uint b, const number_format by,
                           bool rounds_to_nearest) {
  enum { MOST_STEPS = 8, BEYOND = 1 << 9 };
  const uint size = a & (uint)size_mask(from);
  const bool negative = ((a & (uint)sign_bit(from)) != 0) != ((b & (uint)sign_bit(by)) != 0);
  int exponent, by_exponent;
  const uint digits = short_digits(size, from, &exponent);
  const uint by_digits = short_digits(b & (uint)size_mask(by), by, &by_exponent);
  const int steps = exponent - by_exponent;
  const uint dividend = digits << clamp(steps, 0, MOST_STEPS);
  const uint divisor = by_digits << clamp(-steps, 0, MOST_STEPS - 1);
  const uint whole = dividend / divisor;
  const uint twice_left = 2 * (dividend - whole * divisor);
  const bool goes_up =
      rounds_to_nearest && (twice_left > divisor || (twice_left == divisor && (whole & 1) != 0));
  const int made = steps > MOST_STEPS ? BEYOND : (int)whole + (goes_up ? 1 : 0);
  return is_zero_float(a, from) ? 0 : negative ? -made : made;
}

/* The integer that a pattern stands for, of at most 32 bits. */
INLINED long integer_value(pattern bits, const number_format of) {
  const long low = (long)(bits & ones(of.bits));
  return of.kind == KIND_SIGNED && (low >> (of.bits - 1)) != 0 ? low - (1L << of.bits) : low;
}

/* The nearest integer that a type has. */
INLINED long within_integers(long value, const number_format of) {
  const bool is_signed = of.kind == KIND_SIGNED;
  const long most = (long)ones(is_signed ? of.bits - 1 : of.bits);
  return clamp(value, is_signed ? -most - 1 : 0L, most);
}

INLINED number number_of_integer(long value) {
  return normalised(abs(value), 0, value < 0);
}

/* A finite number as an integer within 64 bits; NaN is 0. */
INLINED long whole_value(const number n, bool rounds_to_nearest) {
  const number_format of = {KIND_SIGNED, 64, 0, 0, 0, 0};
  const integer_rule by = {false, rounds_to_nearest};
  return (long)integer_pattern(n, of, by);
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
