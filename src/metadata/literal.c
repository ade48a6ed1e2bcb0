/* literal.c: one element as text: integers, floats and raw bits.
 *
 * Depends on float_format.h and on base/.
 */
#include "metadata/literal.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "metadata/float_format.h"
#include "metadata/quote.h"

typedef struct literal_text {
  const char *text;
  size_t length;
  const rlt_type_row *row;
} literal_text;

static bool is_text(const literal_text *literal, const char *text) {
  return literal->length == strlen(text) && memcmp(literal->text, text, literal->length) == 0;
}

static relayout_status fail(const literal_text *literal, const char *reason,
                            relayout_error *error) {
  return rlt_fail(error, RELAYOUT_INVALID_TEXT, "%s %s %s",
                  rlt_quote_text(literal->text, literal->length).text, reason, literal->row->name);
}

/* -1 for other characters. */
static int hex_digit(char c) {
  static const char digits[] = "0123456789abcdefABCDEF";
  const char *const found = memchr(digits, c, sizeof digits - 1);
  const int at = found == NULL ? -1 : (int)(found - digits);
  return at < 16 ? at : at - 6;
}

static uint64_t low_bits(int32_t bits) {
  return UINT64_MAX >> (64 - bits);
}

/* Shifts the digits through 128 bits; the element's parts are cut out of them at the end. */
static relayout_status parse_bits(const literal_text *literal, rlt_element *element,
                                  relayout_error *error) {
  uint64_t high = 0;
  uint64_t low = 0;
  if (literal->length == 2) {
    return fail(literal, "has no digits of", error);
  }
  for (size_t i = 2; i < literal->length; ++i) {
    const int digit = hex_digit(literal->text[i]);
    if (digit < 0) {
      return fail(literal, "is not a number of type", error);
    }
    if (high >> 60 != 0) {
      return fail(literal, "has more bits than", error);
    }
    high = high << 4 | low >> 60;
    low = low << 4 | (uint64_t)digit;
  }
  const int32_t bits = literal->row->bits;
  const uint64_t beyond = bits > 64 ? 0 : high | (low & ~low_bits(bits));
  if (beyond != 0) {
    return fail(literal, "has more bits than", error);
  }
  const int32_t part_bits = rlt_type_part_bits(literal->row);
  element->real = low & low_bits(part_bits);
  if (literal->row->kind == RELAYOUT_KIND_COMPLEX) {
    element->imaginary = part_bits == 64 ? high : low >> part_bits;
  }
  return RELAYOUT_OK;
}

static relayout_status parse_integer(const literal_text *literal, rlt_element *element,
                                     relayout_error *error) {
  const rlt_type_row *const row = literal->row;
  const bool negative = literal->text[0] == '-';
  const size_t first = negative ? 1 : 0;
  if (literal->length == first) {
    return fail(literal, "is not a number of type", error);
  }
  uint64_t magnitude = 0;
  bool fits = true;
  for (size_t i = first; i < literal->length; ++i) {
    const char c = literal->text[i];
    if (c < '0' || c > '9') {
      return fail(literal, "is not an integer, which is needed for", error);
    }
    fits = fits && !__builtin_mul_overflow(magnitude, 10, &magnitude) &&
           !__builtin_add_overflow(magnitude, (uint64_t)(c - '0'), &magnitude);
  }
  const bool is_signed = row->kind == RELAYOUT_KIND_SIGNED;
  const uint64_t least = is_signed ? UINT64_C(1) << (row->bits - 1) : 0;
  const uint64_t greatest = is_signed ? least - 1 : low_bits(row->bits);
  if (!fits || magnitude > (negative ? least : greatest)) {
    return fail(literal, "is out of the range of", error);
  }
  element->real = (negative ? 0 - magnitude : magnitude) & low_bits(row->bits);
  return RELAYOUT_OK;
}

static relayout_status parse_float(const literal_text *literal, rlt_element *element,
                                   relayout_error *error) {
  const rlt_float_format *const format = rlt_float_format_of(literal->row->type);
  const bool negative = literal->text[0] == '-';
  if (is_text(literal, "inf") || is_text(literal, "-inf")) {
    return rlt_float_infinity(format, negative, &element->real)
               ? RELAYOUT_OK
               : fail(literal, "does not exist in", error);
  }
  if (is_text(literal, "nan")) {
    return rlt_float_nan(format, &element->real) ? RELAYOUT_OK
                                                 : fail(literal, "does not exist in", error);
  }
  const size_t first = negative ? 1 : 0;
  rlt_decimal decimal;
  if (!rlt_decimal_parse(literal->text + first, literal->length - first, &decimal)) {
    return fail(literal, "is not a number of type", error);
  }
  return rlt_float_from_decimal(format, negative, &decimal, &element->real)
             ? RELAYOUT_OK
             : fail(literal, "is out of the range of", error);
}

relayout_status rlt_literal_parse(const char *text, size_t length, const rlt_type_row *row,
                                  rlt_element *element, relayout_error *error) {
  const literal_text literal = {text, length, row};
  *element = (rlt_element){0};
  if (length == 0) {
    return fail(&literal, "is not a number of type", error);
  }
  if (length >= 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    return parse_bits(&literal, element, error);
  }
  if (row->kind == RELAYOUT_KIND_PRED &&
      (is_text(&literal, "true") || is_text(&literal, "false"))) {
    element->real = is_text(&literal, "true");
    return RELAYOUT_OK;
  }
  if (row->kind == RELAYOUT_KIND_FLOAT || row->kind == RELAYOUT_KIND_COMPLEX) {
    return parse_float(&literal, element, error);
  }
  return parse_integer(&literal, element, error);
}

static void format_bits(const rlt_type_row *row, rlt_element element, rlt_text *text) {
  const int digits = (rlt_type_part_bits(row) + 3) / 4;
  rlt_text_add(text, "0x");
  if (row->kind == RELAYOUT_KIND_COMPLEX) {
    rlt_text_add(text, "%0*" PRIx64, digits, element.imaginary);
  }
  rlt_text_add(text, "%0*" PRIx64, digits, element.real);
}

void rlt_literal_format(const rlt_type_row *row, rlt_element element, rlt_text *text) {
  if (row->kind == RELAYOUT_KIND_FLOAT || row->kind == RELAYOUT_KIND_COMPLEX) {
    if (element.imaginary != 0 ||
        !rlt_float_format_text(rlt_float_format_of(row->type), element.real, text)) {
      format_bits(row, element, text);
    }
  } else if (row->kind == RELAYOUT_KIND_SIGNED && element.real >> (row->bits - 1) != 0) {
    rlt_text_add(text, "-%" PRIu64, (~element.real & low_bits(row->bits)) + 1);
  } else {
    rlt_text_add(text, "%" PRIu64, element.real);
  }
}
