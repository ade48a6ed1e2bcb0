/* records.cl: the records of block formats, made of f32 values and read again, with the operations
 * of numbers.cl: the same bytes as src/cpu/records.h makes, which says what a record is. Values are
 * patterns of f32s. Follows numbers.cl.
 */

/* relayout_block_format of include/relayout/scaled.h. */
#define FORMAT_Q4_0  2
#define FORMAT_Q4_1  3
#define FORMAT_Q5_0  6
#define FORMAT_Q5_1  7
#define FORMAT_Q8_0  8
#define FORMAT_MXFP4 39

#define RECORD      32
#define RECORD_HALF 16

#define F32_HALF     0x3f000000u
#define F32_SIGN     0x80000000u
#define F32_SIZE     0x7fffffffu
#define F32_INFINITY 0x7f800000u
#define F32_NAN      0x7fc00000u

INLINED bool has_fifth_bits(int format) {
  return format == FORMAT_Q5_0 || format == FORMAT_Q5_1;
}

INLINED bool has_least(int format) {
  return format == FORMAT_Q4_1 || format == FORMAT_Q5_1;
}

/* Where the elements begin. */
INLINED int elements_of(int format) {
  return format == FORMAT_MXFP4
             ? 1
             : 2 + (has_least(format) ? 2 : 0) + (has_fifth_bits(format) ? 4 : 0);
}

INLINED int record_bytes(int format) {
  return elements_of(format) + (format == FORMAT_Q8_0 ? RECORD : RECORD_HALF);
}

/* A format, and how many rows' records lie together, of which each in turn gives `run` bytes of its
 * elements; 1 and 0 where they do not. */
typedef struct record_form {
  int format;
  int rows;
  int run;
} record_form;

/* A record: where those lie that lie together, and its number among them. */
typedef struct record_place {
  __global uchar *together;
  int row;
} record_place;

/* That of element `at` of a tensor, counted as if a row's 32 elements came next to the other
 * rows'. */
INLINED record_place place_of_record(const record_form of, __global uchar *first, ulong at) {
  const ulong together = at / ((ulong)of.rows * RECORD);
  record_place made;
  made.together = first + together * (ulong)(of.rows * record_bytes(of.format));
  made.row = (int)(at / RECORD & (ulong)(of.rows - 1));
  return made;
}

/* Where byte `b` of a record lies. */
INLINED __global uchar *byte_of(const record_form of, const record_place at, int b) {
  const int scale = elements_of(of.format);
  const int run = max(of.run, 1);
  const int element = b - scale;
  const int place = b < scale ? at.row * scale + b
                              : of.rows * scale + (element / run * of.rows + at.row) * run +
                                    (element & (run - 1));
  return at.together + (of.rows == 1 ? b : place);
}

/* Bits that are turned in the bytes of elements that lie together. */
INLINED uchar turned_bits(const record_form of, int b) {
  return of.rows > 1 && of.format == FORMAT_Q4_0 && b >= elements_of(of.format) ? 0x88 : 0;
}

INLINED uint get_byte(const record_form of, const record_place at, int b) {
  return (uint)(*byte_of(of, at, b) ^ turned_bits(of, b));
}

INLINED void put_byte(const record_form of, const record_place at, int b, uint byte) {
  *byte_of(of, at, b) = (uchar)byte ^ turned_bits(of, b);
}

/* Half of an f8e8m0fnu, as the elements of mxfp4 are counted in halves. */
INLINED uint half_power(uint exponent) {
  return exponent < 2 ? 0x00200000u << exponent : (exponent - 1) << 23;
}

INLINED uint f32_of_integer(int value) {
  return f32_of(number_of_integer(value));
}

/* ---- From records ---- */

INLINED uint half_at(const record_form of, const record_place at, int b) {
  return f32_of_half(get_byte(of, at, b) | get_byte(of, at, b + 1) << 8);
}

/* The bits of element `i`. */
INLINED uint stored_bits(const record_form of, const record_place at, int i) {
  const int elements = elements_of(of.format);
  if (of.format == FORMAT_Q8_0) {
    return get_byte(of, at, elements + i);
  }
  const uint pair = get_byte(of, at, elements + (i & (RECORD_HALF - 1)));
  const uint low = i < RECORD_HALF ? pair & 15 : pair >> 4;
  const uint fifth =
      has_fifth_bits(of.format) ? get_byte(of, at, elements - 4 + i / 8) >> (i & 7) & 1 : 0;
  return low | fifth << 4;
}

/* What the lower three bits of an element of mxfp4 count in halves, with the sign of the fourth. */
INLINED int halves_of(uint element) {
  const int number = (int)(element & 7);
  const int halves = number + (number > 4 ? number - 4 : 0) + (number > 6 ? 2 : 0);
  return (element & 8) != 0 ? -halves : halves;
}

INLINED int stored_integer(int format, uint bits) {
  return format == FORMAT_Q8_0    ? (int)(char)(uchar)bits
         : format == FORMAT_MXFP4 ? halves_of(bits)
         : format == FORMAT_Q4_0  ? (int)bits - 8
         : format == FORMAT_Q5_0  ? (int)bits - 16
                                  : (int)bits;
}

/* The value of element `i` of a record. */
INLINED uint record_value(const record_form of, const record_place at, int i) {
  const bool is_mxfp4 = of.format == FORMAT_MXFP4;
  const uint d = is_mxfp4 ? half_power(get_byte(of, at, 0)) : half_at(of, at, 0);
  const int integer = stored_integer(of.format, stored_bits(of, at, i));
  const uint scaled = f32_product(f32_of_integer(integer), d);
  return has_least(of.format) ? f32_sum(scaled, half_at(of, at, 2)) : scaled;
}

/* The same bits in another place, in the other form. */
INLINED void move_record(const record_form from, const record_place source, const record_form to,
                         const record_place made) {
#pragma unroll 1
  for (int b = 0; b < record_bytes(from.format); ++b) {
    put_byte(to, made, b, get_byte(from, source, b));
  }
}

/* ---- To records ---- */

INLINED uint size_of(uint bits) {
  return bits & F32_SIZE;
}

/* A number for each float, in the same order. */
INLINED int in_order(uint bits) {
  return (int)bits ^ ((int)bits >> 31 & (int)F32_SIZE);
}

INLINED uint reciprocal(uint d) {
  return size_of(d) != 0 ? f32_quotient(0x3f800000u, d) : 0;
}

/* The greatest of the values' sizes. */
INLINED uint greatest_size_of(const uint *values) {
  uint most = 0;
#pragma unroll 1
  for (int i = 0; i < RECORD; ++i) {
    most = max(most, size_of(values[i]));
  }
  return most;
}

/* The value that is furthest from 0, the first of several; 0 without a sign. */
INLINED uint furthest(const uint *values) {
  uint found = 0;
#pragma unroll 1
  for (int i = 0; i < RECORD; ++i) {
    found = size_of(values[i]) > size_of(found) ? values[i] : found;
  }
  return found;
}

/* The least value, or the greatest: of zeros of both signs the first. */
INLINED uint end_of(const uint *values, bool is_least) {
  uint found = values[0];
#pragma unroll 1
  for (int i = 1; i < RECORD; ++i) {
    const bool is_beyond =
        is_least ? in_order(values[i]) < in_order(found) : in_order(values[i]) > in_order(found);
    const bool are_zeros = size_of(values[i]) == 0 && size_of(found) == 0;
    found = is_beyond && !are_zeros ? values[i] : found;
  }
  return found;
}

INLINED void put_half(const record_form of, const record_place at, int b, uint value) {
  const uint half_bits = half_of_f32(value);
  put_byte(of, at, b, half_bits & 255);
  put_byte(of, at, b + 1, half_bits >> 8);
}

/* Cut to an integer of at most `most`; 0 if it is no such number as a finite scale makes. */
INLINED uint cut(uint number_bits, int most) {
  const bool is_usual = (number_bits & F32_SIGN) == 0 && number_bits < 0x43000000u; /* 128 */
  const int whole = is_usual ? (int)whole_value(number_of_f32(number_bits), false) : 0;
  return (uint)min(whole, most);
}

/* To the nearest integer, ties away from 0, where less than 128 of either sign; else 0. */
INLINED uint rounded_away(uint number_bits) {
  const uint just_below_half = 0x3effffffu | (number_bits & F32_SIGN);
  const uint moved = f32_sum(number_bits, just_below_half);
  return size_of(number_bits) < 0x43000000u ? (uint)whole_value(number_of_f32(moved), false) : 0;
}

/* An integer from -half_range to half_range - 1, counted from there. */
INLINED uint encoded_signed(uint value, uint factor, int half_range) {
  const uint offset = f32_sum(f32_of_integer(half_range), F32_HALF);
  return cut(f32_sum(f32_product(value, factor), offset), 2 * half_range - 1);
}

INLINED uint encoded_range(uint value, uint least, uint factor, int steps) {
  const uint above = f32_sum(value, least ^ F32_SIGN);
  return cut(f32_sum(f32_product(above, factor), F32_HALF), steps);
}

/* What floorf(log2f(x)) is of a number above 0 with these bits; src/cpu/records.h says why. */
INLINED int floor_of_log2(uint bits) {
  const int next = (int)(bits >> 23) - 127 + 1;
  const uint before = 0x800000u - (bits & 0x7fffffu);
  const int distance = next > 0 ? next - 1 : -next;
  const int digits = distance > 0 ? 31 - (int)clz((uint)distance) : 0;
  const uint steps = digits == 0   ? 0
                     : digits == 1 ? 1
                     : digits == 2 ? 2
                     : digits == 3 ? 5
                     : digits == 4 ? 11
                     : digits == 5 ? 22
                                   : 44;
  return next != 0 && bits < F32_INFINITY && before <= steps ? next : next - 1;
}

/* The nearest of 0, 1, 2, 3, 4, 6, 8 and 12 halves; the smaller of two as near, and 0 of both signs
 * is element 0. */
INLINED uint encoded_mxfp4(uint value, uint d) {
  const uint size = size_of(value);
  const uint last = f32_product(0x41000000u, d) < F32_INFINITY ? 7 : 5;
  uint found = 0;
  found += size > f32_product(0x3f000000u, d) ? 1 : 0;
  found += size > f32_product(0x3fc00000u, d) ? 1 : 0;
  found += size > f32_product(0x40200000u, d) ? 1 : 0;
  found += size > f32_product(0x40600000u, d) ? 1 : 0;
  found += size > f32_product(0x40a00000u, d) ? 1 : 0;
  found += size > f32_product(0x40e00000u, d) ? 1 : 0;
  found += size > f32_product(0x41200000u, d) ? 1 : 0;
  const uint above = size >= F32_INFINITY ? 0 : min(found, last);
  return above | (above > 0 && (value & F32_SIGN) != 0 ? 8 : 0);
}

/* What all elements of a record are made by. */
typedef struct record_scale {
  uint d;      /* of mxfp4, half of it */
  uint factor; /* 1 / d, or 0 */
  uint least;
} record_scale;

INLINED record_scale scale_of_record(const record_form of, const uint *values,
                                     const record_place to) {
  const int format = of.format;
  record_scale made = {0, 0, 0};
  if (format == FORMAT_MXFP4) {
    const int exponent = floor_of_log2(greatest_size_of(values)) + 127 - 2;
    put_byte(of, to, 0, (uint)max(exponent, 0));
    made.d = half_power((uint)max(exponent, 0) & 255);
    return made;
  }
  if (has_least(format)) {
    const uint most = end_of(values, false);
    made.least = end_of(values, true);
    made.d = f32_quotient(f32_sum(most, made.least ^ F32_SIGN),
                          f32_of_integer(format == FORMAT_Q4_1 ? 15 : 31));
    put_half(of, to, 2, made.least);
  } else {
    made.d = format == FORMAT_Q8_0
                 ? f32_quotient(greatest_size_of(values), f32_of_integer(127))
                 : f32_quotient(furthest(values), f32_of_integer(format == FORMAT_Q4_0 ? -8 : -16));
  }
  put_half(of, to, 0, made.d);
  made.factor = reciprocal(made.d);
  return made;
}

INLINED uint encoded(int format, uint value, const record_scale by) {
  return format == FORMAT_Q8_0    ? rounded_away(f32_product(value, by.factor))
         : format == FORMAT_MXFP4 ? encoded_mxfp4(value, by.d)
         : format == FORMAT_Q4_0  ? encoded_signed(value, by.factor, 8)
         : format == FORMAT_Q5_0
             ? encoded_signed(value, by.factor, 16)
             : encoded_range(value, by.least, by.factor, format == FORMAT_Q4_1 ? 15 : 31);
}

/* A record of 32 values. */
INLINED void put_record(const record_form of, const uint *values, const record_place to) {
  const record_scale by = scale_of_record(of, values, to);
  const int elements = elements_of(of.format);
  uint fifth = 0;
#pragma unroll 1
  for (int i = 0; i < RECORD_HALF; ++i) {
    const uint first = encoded(of.format, values[i], by);
    const uint second = encoded(of.format, values[i + RECORD_HALF], by);
    if (of.format == FORMAT_Q8_0) {
      put_byte(of, to, elements + i, first & 255);
      put_byte(of, to, elements + i + RECORD_HALF, second & 255);
    } else {
      put_byte(of, to, elements + i, (first & 15) | (second & 15) << 4);
      fifth |= (first >> 4 & 1) << i | (second >> 4 & 1) << (i + RECORD_HALF);
    }
  }
  for (int i = 0; has_fifth_bits(of.format) && i < 4; ++i) {
    put_byte(of, to, elements - 4 + i, fifth >> 8 * i & 255);
  }
}
