/* drawn.c: most are small, so that many are tried. */
#include "many/drawn.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "conformance/random.h"
#include "many/blocks.h"
#include "many/exact.h"
#include "oracle/formats.h"
#include "oracle/oracle.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool chance(uint64_t *random, int64_t count) {
  return random_below(random, count) == 0;
}

/* ---- Types ---------------------------------------------------------------------------------- */

static relayout_element_type draw_plain_type(uint64_t *random) {
  relayout_element_type type;
  do {
    type = random_element_type(random);
  } while (format_of(type).kind == COMPLEX ||
           (format_of(type).bits >= 32 && type != RELAYOUT_F32 && !chance(random, 4)));
  return chance(random, 4) ? RELAYOUT_F32 : type;
}

/* Those that f32 does not hold. */
static bool is_wide(const relayout_scaled_view *view) {
  const relayout_element_type type = view->elements.shape.element_type;
  return type != RELAYOUT_F32 && format_of(type).bits >= 32;
}

/* Destinations of f8e8m0fnu have no element that stands for 0, and s1 no number above it. */
static relayout_element_type draw_scaled_type(uint64_t *random, bool is_destination) {
  relayout_element_type type;
  do {
    type = chance(random, 6)   ? RELAYOUT_S8
           : chance(random, 6) ? RELAYOUT_F8E4M3FN
           : chance(random, 6) ? RELAYOUT_S4
           : chance(random, 8) ? RELAYOUT_S32
                               : random_element_type(random);
  } while (format_of(type).kind == COMPLEX || type == RELAYOUT_PRED || format_of(type).bits > 32 ||
           (is_destination && (type == RELAYOUT_F8E8M0FNU || type == RELAYOUT_S1)));
  return type;
}

static relayout_element_type draw_scale_type(uint64_t *random) {
  static const relayout_element_type types[] = {
      RELAYOUT_F32,          RELAYOUT_F32,       RELAYOUT_F16,        RELAYOUT_BF16,
      RELAYOUT_F8E8M0FNU,    RELAYOUT_F8E8M0FNU, RELAYOUT_F8E4M3FN,   RELAYOUT_F8E5M2,
      RELAYOUT_F8E4M3,       RELAYOUT_F8E3M4,    RELAYOUT_F8E4M3FNUZ, RELAYOUT_F8E5M2FNUZ,
      RELAYOUT_F8E4M3B11FNUZ};
  return types[random_below(random, COUNT(types))];
}

static relayout_element_type draw_zero_point_type(uint64_t *random) {
  static const relayout_element_type types[] = {
      RELAYOUT_S2, RELAYOUT_S4, RELAYOUT_S8, RELAYOUT_S8, RELAYOUT_S16, RELAYOUT_U1,
      RELAYOUT_U2, RELAYOUT_U4, RELAYOUT_U8, RELAYOUT_U8, RELAYOUT_U16, RELAYOUT_S1};
  return types[random_below(random, COUNT(types))];
}

static relayout_block_format draw_format(uint64_t *random) {
  static const relayout_block_format formats[] = {
#define FORMAT(name, ...) RELAYOUT_BLOCK_FORMAT_##name,
      RELAYOUT_BLOCK_FORMAT_TABLE(FORMAT)
#undef FORMAT
  };
  return formats[random_below(random, COUNT(formats))];
}

/* ---- Views ---------------------------------------------------------------------------------- */

static bool takes_own_bytes(const relayout_shape *shape) {
  return oracle_element_bits(shape) == 8 * (int64_t)oracle_element_size(shape->element_type);
}

static void draw_layout(uint64_t *random, int64_t most, relayout_shape *shape) {
  random_order(random, shape);
  if (chance(random, 4)) {
    random_padding(random, shape);
    if (oracle_element_count(shape) > 8 * most) {
      shape->layout.padded_dimension_count = 0;
      memset(shape->layout.padded_dimensions, 0, sizeof(shape->layout.padded_dimensions));
    }
  }
  if (chance(random, 6)) {
    random_tiles(random, 8 * most, shape);
  }
  if (chance(random, 10)) {
    random_tail(random, shape);
  }
  if (chance(random, 3)) {
    shape->layout.element_size_in_bits = random_element_bits(random, shape->element_type);
    random_packing_order(random, shape);
  }
  random_padding_value(random, shape);
}

static void draw_strides(uint64_t *random, bool is_written, relayout_view *view) {
  static const random_strides kinds[] = {STRIDES_OF_SLICE, STRIDES_FROM_BEHIND,
                                         STRIDES_OF_BROADCAST};
  const random_strides kind = kinds[random_below(random, is_written ? 2 : 3)];
  view->is_strided = true;
  memset(&view->shape.layout, 0, sizeof(view->shape.layout));
  view->shape.layout.rank = view->shape.rank;
  for (int32_t i = 0; i < view->shape.rank; ++i) {
    view->shape.layout.minor_to_major[i] = view->shape.rank - 1 - i;
  }
  if (is_written) {
    random_destination_strides(random, kind, &view->shape, view->byte_strides);
  } else {
    random_source_strides(random, kind, &view->shape, view->byte_strides);
  }
}

/* Of the dimensions that its shape has. */
static void draw_view(uint64_t *random, relayout_element_type type, bool is_written,
                      relayout_view *view) {
  relayout_shape *const shape = &view->shape;
  const bool host_is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  int64_t most = 8;
  for (int32_t d = 0; d < shape->rank; ++d) {
    most *= shape->dimensions[d] > 0 ? shape->dimensions[d] : 1;
  }
  shape->element_type = type;
  draw_layout(random, most, shape);
  if (chance(random, 6)) {
    draw_strides(random, is_written, view);
  }
  if (chance(random, 6) && takes_own_bytes(shape) && oracle_element_size(type) > 1) {
    view->byte_order = host_is_little ? RELAYOUT_BYTE_ORDER_BIG : RELAYOUT_BYTE_ORDER_LITTLE;
  }
  view->byte_offset = chance(random, 4) ? random_below(random, 60) - 20 : 0;
  view->is_read_only = !is_written && chance(random, 4);
}

static int64_t draw_group(uint64_t *random, int64_t size) {
  switch (random_below(random, 5)) {
  case 0:
    return 1;
  case 1:
    return size > 0 ? size : 1;
  case 2:
    return 32;
  case 3:
    return (int64_t)1 << random_below(random, 4);
  default:
    return 1 + random_below(random, size + 3);
  }
}

static void draw_scales(uint64_t *random, bool is_destination, relayout_scaled_view *view) {
  const relayout_shape *const shape = &view->elements.shape;
  const number_format format = format_of(shape->element_type);
  const bool has_integers = format.kind == TWOS_COMPLEMENT || format.kind == NATURAL;
  view->has_scales = true;
  view->scales.shape.rank = shape->rank;
  for (int32_t d = 0; d < shape->rank; ++d) {
    view->group_sizes[d] = draw_group(random, shape->dimensions[d]);
    view->scales.shape.dimensions[d] =
        (shape->dimensions[d] + view->group_sizes[d] - 1) / view->group_sizes[d];
  }
  view->zero_points.shape = view->scales.shape;
  view->has_zero_points = has_integers && chance(random, 2);
  view->rule = is_destination && !is_wide(view)
                   ? (relayout_scale_rule)random_below(random, view->has_zero_points ? 6 : 4)
                   : RELAYOUT_SCALES_GIVEN;
  view->rule = view->rule > RELAYOUT_SCALES_RANGE ? RELAYOUT_SCALES_RANGE : view->rule;
  draw_view(random, draw_scale_type(random), view->rule != RELAYOUT_SCALES_GIVEN, &view->scales);
  if (view->has_zero_points) {
    const bool are_found = view->rule == RELAYOUT_SCALES_RANGE;
    draw_view(random, draw_zero_point_type(random), are_found, &view->zero_points);
  }
}

static void draw_records(uint64_t *random, int32_t minor, relayout_scaled_view *view) {
  relayout_shape *const shape = &view->elements.shape;
  int32_t *const order = shape->layout.minor_to_major;
  view->block_format = draw_format(random);
  shape->element_type = RELAYOUT_F32;
  random_order(random, shape);
  for (int32_t i = 0; i < shape->rank; ++i) {
    if (order[i] == minor) {
      order[i] = order[0];
      order[0] = minor;
    }
  }
  view->elements.byte_offset = chance(random, 4) ? random_below(random, 60) - 20 : 0;
}

/* `minor` is the dimension along which records may lie, -1 where none may. */
static void draw_scaled_view(uint64_t *random, const relayout_shape *dimensions, int32_t minor,
                             bool is_destination, relayout_scaled_view *view) {
  memset(view, 0, sizeof(*view));
  view->elements.shape.rank = dimensions->rank;
  memcpy(view->elements.shape.dimensions, dimensions->dimensions, sizeof(dimensions->dimensions));
  if (minor >= 0 && chance(random, 2)) {
    draw_records(random, minor, view);
    return;
  }
  const bool has_scales = chance(random, 2);
  draw_view(random, has_scales ? draw_scaled_type(random, is_destination) : draw_plain_type(random),
            is_destination, &view->elements);
  if (has_scales) {
    draw_scales(random, is_destination, view);
  }
}

/* Records of several rows together, where a dimension allows it. */
static void interleave(uint64_t *random, relayout_scaled_view *view) {
  relayout_shape *const shape = &view->elements.shape;
  int32_t *const order = shape->layout.minor_to_major;
  const relayout_block_format format = view->block_format;
  if ((format != RELAYOUT_BLOCK_FORMAT_Q4_0 && format != RELAYOUT_BLOCK_FORMAT_Q8_0 &&
       format != RELAYOUT_BLOCK_FORMAT_MXFP4) ||
      chance(random, 4)) {
    return;
  }
  for (int32_t i = 1; i < shape->rank && view->interleaved_rows == 0; ++i) {
    const int32_t d = order[i];
    if (shape->dimensions[d] % 4 == 0) {
      order[i] = order[1];
      order[1] = d;
      static const int32_t runs[] = {1, 4, 8};
      view->interleaved_rows = 4;
      while (view->interleaved_rows < 64 && chance(random, 2) &&
             shape->dimensions[d] % (2 * view->interleaved_rows) == 0) {
        view->interleaved_rows *= 2;
      }
      view->interleaved_bytes = runs[random_below(random, 3)];
    }
  }
}

/* The blocks of cuBLAS, 128 by 4, or small ones in which rows are dealt out in the same way. */
static void block_scales(uint64_t *random, relayout_scaled_view *view) {
  static const int64_t tiles[][6] = {{32, 4, 4, 1, 1, 4}, {2, 2, 2, 1, 1, 2}};
  relayout_layout *const layout = &view->scales.shape.layout;
  if (!view->has_scales || view->scales.is_strided || layout->rank < 2 || !chance(random, 8)) {
    return;
  }
  layout->tile_count = 2;
  memset(layout->tile_ranks, 0, sizeof(layout->tile_ranks));
  layout->tile_ranks[0] = 2;
  layout->tile_ranks[1] = 4;
  memset(layout->tile_dimensions, 0, sizeof(layout->tile_dimensions));
  memcpy(layout->tile_dimensions, tiles[random_below(random, COUNT(tiles))], sizeof(tiles[0]));
}

/* ---- Cases ---------------------------------------------------------------------------------- */

static int32_t draw_dimensions(uint64_t *random, relayout_shape *shape) {
  const int32_t rank = chance(random, 20) ? 0 : 1 + (int32_t)random_below(random, 4);
  const int64_t most = chance(random, 100)  ? 40000
                       : chance(random, 40) ? 3000
                                            : (int64_t)8 << random_below(random, 5);
  random_dimensions(random, RELAYOUT_F32, rank, most, shape);
  if (most > 8000) {
    shape->dimensions[rank > 0 ? random_below(random, rank) : 0] *= rank > 0 ? 9 : 1;
  }
  if (rank == 0 || chance(random, 2)) {
    return -1;
  }
  const int32_t minor = (int32_t)random_below(random, rank);
  int64_t others = 1;
  for (int32_t d = 0; d < rank; ++d) {
    shape->dimensions[d] = most < 3000 && shape->dimensions[d] > 3 ? 3 : shape->dimensions[d];
    others *= d == minor ? 1 : shape->dimensions[d];
  }
  shape->dimensions[minor] =
      RELAYOUT_BLOCK_ELEMENTS * (1 + random_below(random, others > 9 ? 2 : 4));
  return minor;
}

static int64_t common_multiple(int64_t a, int64_t b) {
  int64_t divisor = a, rest = b;
  while (rest != 0) {
    const int64_t next = divisor % rest;
    divisor = rest;
    rest = next;
  }
  return a / divisor * b;
}

/* What ranges have whole: records of 32, and, of what is written, bytes and groups. */
static void add_units(const relayout_scaled_view *view, bool is_destination, int64_t *units) {
  const relayout_shape *const shape = &view->elements.shape;
  const bool has_records = view->block_format != RELAYOUT_BLOCK_FORMAT_NONE;
  const int64_t bits = view->elements.is_strided ? 8 : oracle_element_bits(shape);
  const int64_t in_byte = is_destination && bits < 8 ? 8 / bits : 1;
  if (shape->rank > 0) {
    const int32_t minor = shape->layout.minor_to_major[0];
    units[minor] = common_multiple(units[minor], has_records ? RELAYOUT_BLOCK_ELEMENTS : in_byte);
  }
  for (int32_t d = 0; d < shape->rank && is_destination && view->has_scales; ++d) {
    units[d] =
        common_multiple(units[d], view->rule == RELAYOUT_SCALES_GIVEN ? 1 : view->group_sizes[d]);
  }
}

static void draw_ranges(uint64_t *random, drawn_many *drawn) {
  int64_t units[RELAYOUT_MAX_RANK];
  for (int32_t d = 0; d < RELAYOUT_MAX_RANK; ++d) {
    units[d] = 1;
  }
  add_units(&drawn->from, false, units);
  for (int32_t i = 0; i < drawn->count; ++i) {
    add_units(&drawn->to[i], true, units);
  }
  cover_draw(random, &drawn->from.elements.shape, units,
             chance(random, 3) ? 2 + (int)random_below(random, 4) : 1, &drawn->ranges);
}

/* One element, of any rank, anywhere. */
static void draw_tensor_scale(uint64_t *random, relayout_scaled_view *view) {
  if (!view->has_scales || !chance(random, 3)) {
    return;
  }
  view->has_tensor_scale = true;
  view->tensor_scale.shape.rank = (int32_t)random_below(random, 4);
  for (int32_t d = 0; d < view->tensor_scale.shape.rank; ++d) {
    view->tensor_scale.shape.dimensions[d] = 1;
  }
  draw_view(random, RELAYOUT_F32, false, &view->tensor_scale);
}

/* What the source's scales, or its elements, are multiplied by: mostly 1; else a power of two, a
 * number near 1, or the least and the greatest f32. Integers that have it do not wrap. */
static void draw_factor(uint64_t *random, drawn_many *drawn) {
  static const double ends[] = {0x1p-149, 0x1.fffffep127, -0x1p-126, 0, 1 + 0x1p-40};
  if (!chance(random, 4)) {
    return;
  }
  const double near = 1 + (double)random_below(random, 1 << 24) * 0x1p-25;
  drawn->options.scale = chance(random, 3)   ? 0x1p-3 * (double)(1 << random_below(random, 7))
                         : chance(random, 6) ? ends[random_below(random, COUNT(ends))]
                         : chance(random, 2) ? near
                                             : -near / 3;
  if ((float)drawn->options.scale != 1 && drawn->options.scale != 0) {
    drawn->options.overflow = RELAYOUT_OVERFLOW_SATURATE;
  }
}

void drawn_many_of(uint64_t number, drawn_many *drawn) {
  static const relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  uint64_t state = random_mix(number);
  uint64_t *const random = &state;
  relayout_shape dimensions;
  memset(drawn, 0, sizeof(*drawn));
  const int32_t minor = draw_dimensions(random, &dimensions);
  draw_scaled_view(random, &dimensions, minor, false, &drawn->from);
  drawn->count = 1 + (int32_t)random_below(random, DRAWN_DESTINATIONS);
  bool may_wrap = !drawn->from.has_scales && drawn->from.block_format == RELAYOUT_BLOCK_FORMAT_NONE;
  for (int32_t i = 0; i < drawn->count; ++i) {
    draw_scaled_view(random, &dimensions, minor, true, &drawn->to[i]);
    may_wrap = may_wrap && !drawn->to[i].has_scales &&
               drawn->to[i].block_format == RELAYOUT_BLOCK_FORMAT_NONE;
  }
  drawn->options = options;
  drawn->options.effort = chance(random, 2) ? RELAYOUT_PLAN_ADAPT : RELAYOUT_PLAN_ESTIMATE;
  drawn->options.rounding = chance(random, 3) ? RELAYOUT_ROUNDING_ZERO : RELAYOUT_ROUNDING_NEAREST;
  drawn->options.overflow =
      may_wrap && chance(random, 2) ? RELAYOUT_OVERFLOW_WRAP : RELAYOUT_OVERFLOW_SATURATE;
  drawn->values = (drawn_values)random_below(random, 3);
  drawn->content = random_next(random);
  draw_factor(random, drawn);
  interleave(random, &drawn->from);
  block_scales(random, &drawn->from);
  for (int32_t i = 0; i < drawn->count; ++i) {
    interleave(random, &drawn->to[i]);
    block_scales(random, &drawn->to[i]);
  }
  draw_ranges(random, drawn);
  draw_tensor_scale(random, &drawn->from);
  for (int32_t i = 0; i < drawn->count; ++i) {
    draw_tensor_scale(random, &drawn->to[i]);
  }
}

static bool is_scattered(const relayout_view *view) {
  return view->shape.layout.tile_count > 0 || oracle_element_bits(&view->shape) < 8;
}

static bool has_scattered(const relayout_scaled_view *view) {
  return view->block_format == RELAYOUT_BLOCK_FORMAT_NONE &&
         (is_scattered(&view->elements) || (view->has_scales && is_scattered(&view->scales)) ||
          (view->has_zero_points && is_scattered(&view->zero_points)));
}

static bool has_factor(const drawn_many *drawn) {
  return drawn->options.scale != 0 && (float)drawn->options.scale != 1;
}

static bool has_padding(const relayout_view *view) {
  int64_t count = 1;
  for (int32_t d = 0; d < view->shape.rank; ++d) {
    count *= view->shape.dimensions[d];
  }
  return !view->is_strided && oracle_element_count(&view->shape) > count;
}

/* Elements in wider containers, whose other bytes become 0, which f8e8m0fnu does not have: these go
 * by index programs, which move no ranges. */
static bool is_contained(const drawn_many *drawn, const relayout_scaled_view *to) {
  const relayout_shape *const from = &drawn->from.elements.shape, *const shape =
                                                                      &to->elements.shape;
  const bool has_powers =
      from->element_type == RELAYOUT_F8E8M0FNU || shape->element_type == RELAYOUT_F8E8M0FNU;
  return has_powers &&
         oracle_element_bits(shape) > 8 * (int64_t)oracle_element_size(shape->element_type);
}

bool drawn_many_may_be_refused(const drawn_many *drawn) {
  const relayout_element_type type = drawn->from.elements.shape.element_type;
  bool may = has_scattered(&drawn->from) || (has_factor(drawn) && type == RELAYOUT_PRED);
  for (int32_t i = 0; i < drawn->count; ++i) {
    const relayout_scaled_view *const to = &drawn->to[i];
    const bool is_padded = has_padding(&to->elements) ||
                           (to->has_scales && has_padding(&to->scales)) ||
                           (to->has_zero_points && has_padding(&to->zero_points));
    may = may || (drawn->ranges.count > 1 && (is_padded || is_contained(drawn, to))) ||
          has_scattered(to);
  }
  return may;
}

/* ---- Content -------------------------------------------------------------------------------- */

static exact draw_number(uint64_t *random, drawn_values values, bool are_scales) {
  exact number = exact_of_integer(values == DRAWN_TIES ? random_below(random, 81) - 40
                                                       : random_below(random, 1 << 24) - (1 << 23));
  number.exponent = values == DRAWN_TIES ? -1 : -18 - random_below(random, 12);
  if (are_scales) {
    number = values == DRAWN_TIES ? exact_power_of_two(0)
                                  : exact_of_integer(1 + random_below(random, 1 << 24));
    number.exponent = random_below(random, 7) - (values == DRAWN_TIES ? 3 : 24);
    number.is_negative = chance(random, 8);
  }
  return number;
}

/* One more or less than a single bit, or than all but one. */
static uint64_t draw_pattern(uint64_t *random, const number_format *format) {
  if (chance(random, 2)) {
    return random_next(random) & format_ones(format->bits);
  }
  uint64_t pattern = (uint64_t)1 << random_below(random, format->bits);
  pattern += (uint64_t)random_below(random, 3) - 1;
  return (chance(random, 2) ? ~pattern : pattern) & format_ones(format->bits);
}

void drawn_elements(uint64_t *random, relayout_element_type type, drawn_values values,
                    bool are_scales, size_t count, unsigned char *elements) {
  const number_format format = format_of(type);
  for (size_t i = 0; i < count; ++i) {
    const exact number = draw_number(random, values, are_scales);
    const bool is_any = values == DRAWN_PATTERNS && !chance(random, 3);
    const uint64_t pattern = is_any ? draw_pattern(random, &format)
                                    : exact_to_pattern(&number, type, EXACT_TO_NEAREST, true);
    format_store(&format, pattern, elements + i * format_size(&format));
  }
}

/* The scale, and the least value, are the first f16s, or the first byte of mxfp4. */
void drawn_records(uint64_t *random, relayout_block_format format, drawn_values values,
                   size_t count, unsigned char *records) {
  const size_t bytes = blocks_record_bytes(format);
  const bool has_least =
      format == RELAYOUT_BLOCK_FORMAT_Q4_1 || format == RELAYOUT_BLOCK_FORMAT_Q5_1;
  for (size_t r = 0; r < count; ++r) {
    unsigned char *const record = records + r * bytes;
    for (size_t i = 0; i < bytes; ++i) {
      record[i] = (unsigned char)random_next(random);
    }
    if (values == DRAWN_PATTERNS) {
      continue;
    }
    if (format == RELAYOUT_BLOCK_FORMAT_MXFP4) {
      record[0] = (unsigned char)(120 + random_below(random, 14));
      continue;
    }
    for (size_t i = 0; i < (has_least ? 4 : 2); i += 2) {
      const exact number = draw_number(random, values, true);
      const uint64_t pattern = exact_to_float(&number, RELAYOUT_F16, EXACT_TO_NEAREST);
      record[i] = (unsigned char)pattern;
      record[i + 1] = (unsigned char)(pattern >> 8);
    }
  }
}

/* ---- Printing ------------------------------------------------------------------------------- */

static void print_view(const char *name, const relayout_view *view) {
  printf("  %s: offset %" PRId64 "%s%s", name, view->byte_offset,
         view->is_read_only ? ", read-only" : "",
         view->byte_order != RELAYOUT_BYTE_ORDER_NATIVE ? ", other byte order" : "");
  for (int32_t d = 0; d < view->shape.rank && view->is_strided; ++d) {
    printf("%s%" PRId64, d == 0 ? ", strides " : " ", view->byte_strides[d]);
  }
  printf("\n");
}

static void print_scaled_view(const relayout_scaled_view *view) {
  static const char *const rules[] = {"given", "amax", "amax up", "power of two", "range"};
  char text[4 * RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_scaled_view_format(view, text, sizeof(text));
  printf("%s%s%s\n", text, view->has_scales ? ", scales " : "",
         view->has_scales ? rules[view->rule] : "");
  print_view("elements", &view->elements);
  if (view->has_scales) {
    print_view("scales", &view->scales);
  }
  if (view->has_zero_points) {
    print_view("zero points", &view->zero_points);
  }
  if (view->has_tensor_scale) {
    print_view("tensor scale", &view->tensor_scale);
  }
}

void drawn_many_print(const drawn_many *drawn) {
  static const char *const values[] = {"ties", "numbers", "patterns"};
  printf("rounding to %s, %s, times %.17g, values %s\nfrom ",
         drawn->options.rounding == RELAYOUT_ROUNDING_NEAREST ? "nearest" : "zero",
         drawn->options.overflow == RELAYOUT_OVERFLOW_WRAP ? "wraps" : "saturates",
         drawn->options.scale, values[drawn->values]);
  print_scaled_view(&drawn->from);
  for (int32_t i = 0; i < drawn->count; ++i) {
    printf("to ");
    print_scaled_view(&drawn->to[i]);
  }
  for (int i = 0; i < drawn->ranges.count && drawn->ranges.count > 1; ++i) {
    const cover_box *const range = &drawn->ranges.of[i];
    printf("range");
    for (int32_t d = 0; d < drawn->from.elements.shape.rank; ++d) {
      printf(" %" PRId64 "+%" PRId64, range->start[d], range->sizes[d]);
    }
    printf("\n");
  }
}
