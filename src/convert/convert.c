/* convert.c: checks conversions, converts single elements with the arithmetic of cl/convert.cl, and
 * writes the compiler options by which a device gets the same. */
#include "convert/convert.h"

#include <string.h>

#include "base/error.h"
#include "convert/formats.h"
#include "metadata/type_table.h"

_Static_assert(KIND_PRED == RELAYOUT_KIND_PRED && KIND_SIGNED == RELAYOUT_KIND_SIGNED &&
                   KIND_UNSIGNED == RELAYOUT_KIND_UNSIGNED && KIND_FLOAT == RELAYOUT_KIND_FLOAT,
               "kinds have one set of numbers");
_Static_assert(SPECIALS_IEEE == RLT_FLOAT_IEEE && SPECIALS_FN == RLT_FLOAT_FN &&
                   SPECIALS_FNUZ == RLT_FLOAT_FNUZ && SPECIALS_FINITE == RLT_FLOAT_FINITE &&
                   SPECIALS_UNSIGNED == RLT_FLOAT_UNSIGNED,
               "special values have one set of numbers");
_Static_assert(sizeof(rlt_scale_factor) == sizeof(scale_factor), "scales have one form");

/* What a conversion's arithmetic depends on. */
typedef struct converter {
  number_format from, to;
  scale_factor scale;
  integer_rule by;
  bool scales;
} converter;

/* Compares the bits, since the caller's floating-point mode may take subnormal scales
 * for zeros, or trap on them. */
static bool scales(const rlt_conversion *conversion) {
  static const double one = 1;
  return memcmp(&conversion->scale, &one, sizeof one) != 0;
}

static number scale_number(const rlt_conversion *conversion) {
  uint64_t bits;
  memcpy(&bits, &conversion->scale, sizeof bits);
  return number_of(bits, rlt_number_format_of(RELAYOUT_F64));
}

rlt_scale_factor rlt_conversion_scale_factor(const rlt_conversion *conversion) {
  const number scale = scale_number(conversion);
  return (rlt_scale_factor){
      .digits = scale.digits, .exponent = scale.exponent, .negative = scale.negative};
}

static converter converter_of(const rlt_conversion *conversion) {
  const rlt_scale_factor scale = rlt_conversion_scale_factor(conversion);
  return (converter){.from = rlt_number_format_of(conversion->from),
                     .to = rlt_number_format_of(conversion->to),
                     .scale = {scale.digits, scale.exponent, scale.negative},
                     .by = {conversion->wraps, conversion->rounds_to_nearest},
                     .scales = scales(conversion)};
}

static relayout_status check_type(relayout_element_type type, const char *side,
                                  relayout_error *error) {
  const rlt_type_row *const row = rlt_type_find(type);
  if (row == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "element type %d to convert %s is unknown",
                    (int)type, side);
  }
  if (row->kind == RELAYOUT_KIND_COMPLEX) {
    return rlt_fail(error, RELAYOUT_UNSUPPORTED, "conversion %s %s is not supported", side,
                    row->name);
  }
  return RELAYOUT_OK;
}

relayout_status rlt_conversion_check(const rlt_conversion *conversion, relayout_error *error) {
  relayout_status status = check_type(conversion->from, "from", error);
  if (status == RELAYOUT_OK) {
    status = check_type(conversion->to, "to", error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (scale_number(conversion).what != NUMBER_FINITE) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "scale is %g, which is not a finite number other than 0", conversion->scale);
  }
  return RELAYOUT_OK;
}

static inline uint64_t convert(const converter *with, uint64_t bits) {
  return with->scales ? pattern_of(scaled_number(number_of(bits, with->from), with->scale),
                                   with->to, with->by)
                      : convert_unscaled(bits, with->from, with->to, with->by);
}

void rlt_convert_elements(const rlt_conversion *conversion, const void *from, void *to,
                          int64_t count) {
  const converter with = converter_of(conversion);
  const size_t from_bytes = relayout_element_type_byte_size(conversion->from);
  const size_t to_bytes = relayout_element_type_byte_size(conversion->to);
  const uint8_t *source = from;
  uint8_t *destination = to;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bits = convert(&with, rlt_part_load(from_bytes, source));
    rlt_part_store(bits, to_bytes, destination);
    source += from_bytes;
    destination += to_bytes;
  }
}

void rlt_turn_bytes(void *elements, int64_t bytes, int64_t count) {
  uint8_t *element = elements;
  for (int64_t i = 0; i < count; ++i) {
    for (int64_t b = 0; b < bytes / 2; ++b) {
      const uint8_t byte = element[b];
      element[b] = element[bytes - 1 - b];
      element[bytes - 1 - b] = byte;
    }
    element += bytes;
  }
}

/* Rounding there and back mostly ends where it began; where it does not, few patterns are tried. */
bool rlt_convert_back(const rlt_conversion *conversion, const void *to, void *from) {
  const converter with = converter_of(conversion);
  const size_t bytes = relayout_element_type_byte_size(conversion->from);
  const uint64_t wanted = rlt_part_load(relayout_element_type_byte_size(conversion->to), to);
  const rlt_conversion back = {
      .from = conversion->to, .to = conversion->from, .scale = 1 / conversion->scale};
  if (rlt_conversion_check(&back, NULL) == RELAYOUT_OK) {
    rlt_convert_elements(&back, to, from, 1);
    if (convert(&with, rlt_part_load(bytes, from)) == wanted) {
      return true;
    }
  }
  const uint64_t tried = bytes <= 2 ? UINT64_C(1) << 8 * bytes : 0;
  for (uint64_t bits = 0; bits < tried; ++bits) {
    if (convert(&with, bits) == wanted) {
      rlt_part_store(bits, bytes, from);
      return true;
    }
  }
  return false;
}

static void add_format(rlt_text *options, const char *side, const number_format *of) {
  rlt_text_add(options, " -D%s_KIND=%d -D%s_BITS=%d", side, of->kind, side, of->bits);
  rlt_text_add(options, " -D%s_EXPONENT_BITS=%d -D%s_MANTISSA_BITS=%d", side, of->exponent_bits,
               side, of->mantissa_bits);
  rlt_text_add(options, " -D%s_BIAS=%d -D%s_SPECIALS=%d", side, of->bias, side, of->specials);
}

void rlt_conversion_add_options(const rlt_conversion *conversion, rlt_text *options) {
  const converter with = converter_of(conversion);
  add_format(options, "FROM", &with.from);
  add_format(options, "TO", &with.to);
  const bool is_narrow = !with.scales && with.from.bits <= 32 && with.to.bits <= 32;
  rlt_text_add(options, " -DWRAPS=%d -DTO_NEAREST=%d -DSCALED=%d -DNARROW=%d", with.by.wraps,
               with.by.rounds_to_nearest, with.scales, is_narrow);
}
