/* wide.c: in integers, number by number, as work-group kernels do it. Products have up to 77
 * digits, and quotients of them no end: no floats tell all of those apart. */
#include "cpu/wide.h"

#include <string.h>

#include "base/checked.h"
#include "convert/float_bits.h"
#include "convert/formats.h"
#include "convert/numbers.h"

/* An element of a byte to eight, in the host's order. */
static pattern load_pattern(const uint8_t *from, size_t bytes) {
  uint8_t byte;
  uint16_t half;
  uint32_t word;
  pattern loaded = 0;
  switch (bytes) {
  case sizeof byte:
    memcpy(&byte, from, sizeof byte);
    return byte;
  case sizeof half:
    memcpy(&half, from, sizeof half);
    return half;
  case sizeof word:
    memcpy(&word, from, sizeof word);
    return word;
  default:
    memcpy(&loaded, from, sizeof loaded);
    return loaded;
  }
}

static void store_pattern(pattern value, size_t bytes, uint8_t *to) {
  const uint8_t byte = (uint8_t)value;
  const uint16_t half = (uint16_t)value;
  const uint32_t word = (uint32_t)value;
  switch (bytes) {
  case sizeof byte:
    memcpy(to, &byte, sizeof byte);
    break;
  case sizeof half:
    memcpy(to, &half, sizeof half);
    break;
  case sizeof word:
    memcpy(to, &word, sizeof word);
    break;
  default:
    memcpy(to, &value, sizeof value);
  }
}

static number number_of_value(float value) {
  return number_of_f32(bits_of_f32(value));
}

/* The integer of at most 32 bits that an element is; a short one may come as an f32. */
static int64_t integer_of(pattern element, const number_format of) {
  if (of.kind == KIND_FLOAT) {
    return (int64_t)f32_of_bits((uint32_t)element);
  }
  const pattern low = element & ones(of.bits);
  const bool is_negative = of.kind == KIND_SIGNED && (low >> (of.bits - 1)) != 0;
  return (int64_t)low - (is_negative ? (int64_t)1 << of.bits : 0);
}

static number without_point(pattern element, const number_format of, float point) {
  const int64_t value = integer_of(element, of) - (int64_t)point;
  return normalised((ulong)(value < 0 ? -value : value), 0, value < 0);
}

/* A quotient as an element: floats and integers saturate. */
static pattern scaled_element(const number quotient, const number_format of, bool to_nearest,
                              float point) {
  enum { FAR = 40 }; /* beyond all elements and their zero points */
  const number_format whole_format = {.kind = KIND_SIGNED, .bits = 64};
  const integer_rule by = {false, to_nearest};
  if (of.kind == KIND_FLOAT) {
    return saturated_pattern(quotient, of);
  }
  const bool is_signed = of.kind == KIND_SIGNED;
  const int64_t far = (int64_t)1 << FAR, most = (int64_t)ones(of.bits - (is_signed ? 1 : 0));
  const int64_t least = is_signed ? -most - 1 : 0;
  int64_t whole = (int64_t)integer_pattern(quotient, whole_format, by);
  whole = (whole > far ? far : whole < -far ? -far : whole) + (int64_t)point;
  return (pattern)(whole > most ? most : whole < least ? least : whole) & ones(of.bits);
}

/* The number of a row's group, and how many of its elements are left from one on. */
static int64_t group_at(const rlt_scale_row *row, int64_t element, int64_t *left) {
  *left = row->group == INT64_MAX ? INT64_MAX : row->group - (element + row->skip) % row->group;
  return row->group == INT64_MAX ? 0 : (element + row->skip) / row->group;
}

/* Elements that have one scale on either side. */
static void rescale_run(const rlt_wide_rescaling *of, int64_t from_group, int64_t to_group,
                        const uint8_t *elements, int64_t count, uint8_t *to) {
  const rlt_scale_row *const from = &of->scales->from, *const by = &of->scales->to;
  const number_format format = rlt_number_format_of(of->from);
  const number_format made = rlt_number_format_of(of->to);
  const size_t bytes = relayout_element_type_byte_size(of->from);
  const size_t to_bytes = relayout_element_type_byte_size(of->to);
  const integer_rule rule = {false, of->rounds_to_nearest};
  const number factor = number_of_value(from->scales != NULL ? from->scales[from_group] : 1);
  const number divisor = number_of_value(by->scales != NULL ? by->scales[to_group] : 1);
  const float point = by->points != NULL ? by->points[to_group] : 0;
  for (int64_t i = 0; i < count; ++i) {
    const pattern element = load_pattern(elements + (size_t)i * bytes, bytes);
    number value = from->points != NULL ? without_point(element, format, from->points[from_group])
                                        : number_of(element, format);
    value = from->scales != NULL ? product(value, factor) : value;
    pattern found;
    if (by->scales != NULL) {
      found = scaled_element(quotient(value, divisor), made, of->rounds_to_nearest, point);
    } else {
      value.negative = value.negative && !is_nan(value);
      found = pattern_of(value, made, rule);
    }
    store_pattern(found, to_bytes, to + (size_t)i * to_bytes);
  }
}

void rlt_cpu_rescale_wide(const rlt_wide_rescaling *of, const void *elements, int64_t first,
                          int64_t count, void *to) {
  const rlt_scale_row *const from = &of->scales->from, *const by = &of->scales->to;
  const int64_t bytes = (int64_t)relayout_element_type_byte_size(of->from);
  const int64_t to_bytes = (int64_t)relayout_element_type_byte_size(of->to);
  for (int64_t i = 0; i < count;) {
    int64_t from_left = INT64_MAX, to_left = INT64_MAX;
    const int64_t from_group = from->scales != NULL ? group_at(from, first + i, &from_left) : 0;
    const int64_t to_group = by->scales != NULL ? group_at(by, first + i, &to_left) : 0;
    const int64_t left = rlt_min(count - i, rlt_min(from_left, to_left));
    rescale_run(of, from_group, to_group, (const uint8_t *)elements + i * bytes, left,
                (uint8_t *)to + i * to_bytes);
    i += left;
  }
}
