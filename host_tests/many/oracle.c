/* oracle.c: every tensor is first brought into whole elements in the order of ascending indices,
 * and what is written goes the same way back. */
#include "many/oracle.h"

#include <stdlib.h>
#include <string.h>

#include "many/blocks.h"
#include "oracle/formats.h"
#include "oracle/oracle.h"

enum { RECORD = RELAYOUT_BLOCK_ELEMENTS };

/* ---- Whole tensors -------------------------------------------------------------------------- */

static size_t count_of(const relayout_shape *shape) {
  size_t count = 1;
  for (int32_t d = 0; d < shape->rank; ++d) {
    count *= (size_t)shape->dimensions[d];
  }
  return count;
}

static relayout_shape dense_of(const relayout_shape *shape) {
  relayout_shape dense = {.element_type = shape->element_type, .rank = shape->rank};
  dense.layout.rank = shape->rank;
  for (int32_t d = 0; d < shape->rank; ++d) {
    dense.dimensions[d] = shape->dimensions[d];
    dense.layout.minor_to_major[d] = shape->rank - 1 - d;
  }
  return dense;
}

static bool is_swapped(const relayout_view *view) {
  const bool host_is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  return view->byte_order ==
         (host_is_little ? RELAYOUT_BYTE_ORDER_BIG : RELAYOUT_BYTE_ORDER_LITTLE);
}

static unsigned char *read_dense(const relayout_view *view, const void *memory) {
  const relayout_shape dense = dense_of(&view->shape);
  oracle_options options = ORACLE_OPTIONS_INIT;
  unsigned char *const made = calloc(1, oracle_byte_size(&dense) + 1);
  options.source_byte_strides = view->is_strided ? view->byte_strides : NULL;
  options.source_is_swapped = is_swapped(view);
  if (made != NULL && count_of(&dense) > 0) {
    oracle_relayout_with(&options, &view->shape, &dense,
                         (const unsigned char *)memory + view->byte_offset, made);
  }
  return made;
}

static void write_dense(const relayout_view *view, const unsigned char *dense_bytes, void *memory) {
  const relayout_shape dense = dense_of(&view->shape);
  oracle_options options = ORACLE_OPTIONS_INIT;
  options.destination_byte_strides = view->is_strided ? view->byte_strides : NULL;
  options.destination_is_swapped = is_swapped(view);
  if (memory != NULL) {
    oracle_relayout_with(&options, &dense, &view->shape, dense_bytes,
                         (unsigned char *)memory + view->byte_offset);
  }
}

void many_place(const relayout_view *view, const unsigned char *elements, void *memory) {
  relayout_view placed = *view;
  placed.shape.layout.padding_value = RELAYOUT_PADDING_UNKNOWN;
  write_dense(&placed, elements, memory);
}

static uint64_t pattern_at(relayout_element_type type, const unsigned char *dense, size_t number) {
  const number_format format = format_of(type);
  return format_load(&format, dense + number * format_size(&format));
}

static void set_pattern(relayout_element_type type, unsigned char *dense, size_t number,
                        uint64_t pattern) {
  const number_format format = format_of(type);
  format_store(&format, pattern, dense + number * format_size(&format));
}

/* The index of an element by its number. */
static void index_of(const relayout_shape *shape, size_t number, int64_t *index) {
  for (int32_t d = shape->rank - 1; d >= 0; --d) {
    index[d] = (int64_t)(number % (size_t)shape->dimensions[d]);
    number /= (size_t)shape->dimensions[d];
  }
}

/* The number of the group that an element is in. */
static size_t group_of(const relayout_scaled_view *view, size_t number) {
  int64_t index[RELAYOUT_MAX_RANK];
  size_t group = 0;
  index_of(&view->elements.shape, number, index);
  for (int32_t d = 0; d < view->elements.shape.rank; ++d) {
    group = group * (size_t)view->scales.shape.dimensions[d] +
            (size_t)(index[d] / view->group_sizes[d]);
  }
  return group;
}

/* Records follow each other along the minor dimension: where an element is, in elements. */
static size_t place_in_records(const relayout_shape *shape, size_t number) {
  int64_t index[RELAYOUT_MAX_RANK];
  index_of(shape, number, index);
  return (size_t)oracle_linear_index(shape, index);
}

void many_span(const relayout_view *view, relayout_block_format format, int64_t *lowest,
               size_t *bytes) {
  *lowest = view->byte_offset;
  if (format != RELAYOUT_BLOCK_FORMAT_NONE) {
    *bytes = count_of(&view->shape) / RECORD * blocks_record_bytes(format);
    return;
  }
  if (!view->is_strided) {
    *bytes = oracle_byte_size(&view->shape);
    return;
  }
  int64_t highest = (int64_t)oracle_element_size(view->shape.element_type);
  for (int32_t d = 0; d < view->shape.rank; ++d) {
    const int64_t reach = (view->shape.dimensions[d] - 1) * view->byte_strides[d];
    *lowest += reach < 0 ? reach : 0;
    highest += reach < 0 ? -reach : reach;
  }
  *bytes = count_of(&view->shape) > 0 ? (size_t)highest : 0;
}

/* ---- Sources -------------------------------------------------------------------------------- */

static uint32_t to_f32(const exact *number) {
  return (uint32_t)exact_to_float(number, RELAYOUT_F32, EXACT_TO_NEAREST);
}

static exact rounded_to_f32(const exact *number) {
  return exact_of(RELAYOUT_F32, to_f32(number));
}

/* One view's scales and zero points; both may be absent. */
typedef struct factors {
  unsigned char *scales;
  unsigned char *zero_points;
  bool has_all; /* there is one that scales are multiplied by, or elements without */
  exact all;
} factors;

/* A view's tensor scale, of a source after that of a plan's options. */
static bool read_tensor_scale(const relayout_scaled_view *view, const void *memory, factors *read) {
  if (!view->has_tensor_scale || count_of(&view->elements.shape) == 0) {
    return true;
  }
  unsigned char *const bytes = read_dense(&view->tensor_scale, memory);
  if (bytes != NULL) {
    const exact scale = exact_of(RELAYOUT_F32, pattern_at(RELAYOUT_F32, bytes, 0));
    const exact both = read->has_all ? exact_times(&scale, &read->all) : scale;
    read->all = rounded_to_f32(&both);
    read->has_all = true;
  }
  free(bytes);
  return bytes != NULL;
}

/* By the scale of a plan's options. */
static void read_factor_of_all(double scale, factors *read) {
  uint64_t pattern;
  memcpy(&pattern, &scale, sizeof(pattern));
  const exact exactly = exact_of(RELAYOUT_F64, pattern);
  enum { ONE = 0x3f800000 };
  read->all = rounded_to_f32(&exactly);
  read->has_all = scale != 0 && to_f32(&read->all) != ONE;
}

static bool read_factors(const relayout_scaled_view *view, const void *scales,
                         const void *zero_points, factors *read) {
  *read = (factors){.has_all = false};
  read->scales = view->has_scales ? read_dense(&view->scales, scales) : NULL;
  read->zero_points = view->has_zero_points ? read_dense(&view->zero_points, zero_points) : NULL;
  return (read->scales != NULL || !view->has_scales) &&
         (read->zero_points != NULL || !view->has_zero_points);
}

static void free_factors(factors *of) {
  free(of->scales);
  free(of->zero_points);
}

static exact scale_of(const relayout_scaled_view *view, const factors *of, size_t group) {
  const relayout_element_type type = view->scales.shape.element_type;
  return exact_of(type, pattern_at(type, of->scales, group));
}

/* The same times the one for all, as an f32. */
static exact multiplied_scale(const relayout_scaled_view *view, const factors *of, size_t group) {
  const exact scale = scale_of(view, of, group);
  const exact both = of->has_all ? exact_times(&scale, &of->all) : scale;
  return of->has_all ? rounded_to_f32(&both) : scale;
}

static int64_t zero_point_of(const relayout_scaled_view *view, const factors *of, size_t group) {
  if (!view->has_zero_points) {
    return 0;
  }
  const relayout_element_type type = view->zero_points.shape.element_type;
  const exact number = exact_of(type, pattern_at(type, of->zero_points, group));
  return number.is_negative ? -(int64_t)number.whole[0] : (int64_t)number.whole[0];
}

/* Where scales are, a NaN has no sign. */
static exact without_sign_of_nan(exact number) {
  number.is_negative = number.is_negative && number.kind != EXACT_NAN;
  return number;
}

void many_move_record(const relayout_scaled_view *view, const uint8_t *memory, size_t number,
                      uint8_t *record, bool puts) {
  const relayout_shape *const shape = &view->elements.shape;
  const size_t bytes = blocks_record_bytes(view->block_format);
  const uint8_t *const first = memory + view->elements.byte_offset;
  if (view->interleaved_rows == 0) {
    memcpy(puts ? (uint8_t *)(uintptr_t)(first + number * bytes) : record,
           puts ? record : first + number * bytes, bytes);
    return;
  }
  const size_t in_row = (size_t)shape->dimensions[shape->layout.minor_to_major[0]] / RECORD;
  const size_t rows = (size_t)view->interleaved_rows, row = number / in_row;
  const uint8_t *const group = first + (row / rows * in_row + number % in_row) * rows * bytes;
  if (puts) {
    blocks_put(view, record, (int64_t)(row % rows), (uint8_t *)(uintptr_t)group);
  } else {
    blocks_take(view, group, (int64_t)(row % rows), record);
  }
}

static void read_records(const relayout_scaled_view *view, const factors *of, const void *memory,
                         exact *numbers) {
  const relayout_shape *const shape = &view->elements.shape;
  for (size_t i = 0; i < count_of(shape); ++i) {
    const size_t place = place_in_records(shape, i);
    float values[RECORD];
    uint8_t record[64];
    uint32_t pattern;
    many_move_record(view, memory, place / RECORD, record, false);
    blocks_read(view->block_format, record, values);
    memcpy(&pattern, &values[place % RECORD], sizeof(pattern));
    numbers[i] = exact_of(RELAYOUT_F32, pattern);
    numbers[i] = of->has_all ? exact_times(&numbers[i], &of->all) : numbers[i];
    numbers[i] = without_sign_of_nan(numbers[i]);
  }
}

static void read_elements(const relayout_scaled_view *view, const factors *of,
                          many_values *values) {
  for (size_t i = 0; i < values->count; ++i) {
    const exact element = exact_of(values->type, pattern_at(values->type, values->elements, i));
    values->numbers[i] = element;
    if (view->has_scales) {
      const size_t group = group_of(view, i);
      const exact difference = exact_minus(&element, zero_point_of(view, of, group));
      const exact scale = multiplied_scale(view, of, group);
      values->numbers[i] = without_sign_of_nan(exact_times(&difference, &scale));
    } else if (of->has_all) {
      values->numbers[i] = without_sign_of_nan(exact_times(&element, &of->all));
    }
  }
}

bool many_values_make(const relayout_scaled_view *view, double scale,
                      const relayout_source_memory *memory, many_values *made) {
  factors of = {.has_all = false};
  *made = (many_values){.count = count_of(&view->elements.shape)};
  made->type = view->elements.shape.element_type;
  made->numbers = malloc((made->count + 1) * sizeof(exact));
  if (made->numbers == NULL) {
    return false;
  }
  if (view->block_format != RELAYOUT_BLOCK_FORMAT_NONE) {
    read_factor_of_all(scale, &of);
    made->view = view;
    made->records = of.has_all ? NULL : memory->elements;
    read_records(view, &of, memory->elements, made->numbers);
    return true;
  }
  made->elements = read_dense(&view->elements, memory->elements);
  bool is_read = read_factors(view, memory->scales, memory->zero_points, &of);
  read_factor_of_all(scale, &of);
  is_read = is_read && read_tensor_scale(view, memory->tensor_scale, &of);
  if (is_read && made->elements != NULL) {
    read_elements(view, &of, made);
  }
  free_factors(&of);
  if (view->has_scales || of.has_all) {
    free(made->elements);
    made->elements = NULL;
    return is_read;
  }
  return is_read && made->elements != NULL;
}

void many_values_free(many_values *values) {
  free(values->numbers);
  free(values->elements);
  *values = (many_values){.count = 0};
}

/* ---- Scales that rules make ----------------------------------------------------------------- */

/* What rules divide by: times the tensor scale, if there is one, without a sign. */
static exact divisor_of(exact most, const factors *of) {
  const exact product = of->has_all ? exact_times(&most, &of->all) : most;
  exact made = rounded_to_f32(&product);
  made.is_negative = false;
  return made;
}

/* Whether a group whose greatest value this is has the scale of a group of zeros. */
static bool is_like_zeros(const exact *greatest, const exact *most) {
  return exact_is_zero(greatest) || exact_is_zero(most) ||
         (most->kind == EXACT_INFINITE && greatest->kind == EXACT_FINITE);
}

/* Patterns of floats without signs are in the order of their values, NaN behind all. */
static uint64_t scale_from(uint32_t greatest, const relayout_scaled_view *view, const factors *of) {
  const relayout_element_type type = view->scales.shape.element_type;
  const exact magnitude = exact_of(RELAYOUT_F32, greatest);
  const exact most = divisor_of(exact_most(view->elements.shape.element_type), of);
  if (is_like_zeros(&magnitude, &most)) {
    return 0;
  }
  exact scale = exact_over(&magnitude, &most);
  if (view->rule == RELAYOUT_SCALES_POWER2 && magnitude.kind == EXACT_FINITE &&
      most.kind == EXACT_FINITE) {
    scale = exact_power_of_two(exact_log2(&magnitude) - exact_log2(&most));
  }
  return exact_to_float(&scale, type,
                        view->rule == RELAYOUT_SCALES_AMAX_UP ? EXACT_UP : EXACT_TO_NEAREST);
}

/* The difference of both ends of a group over that of both ends of the elements' type, as an f32
 * before. */
static uint64_t scale_of_range(const exact *greatest, const exact *least, const exact *all,
                               relayout_element_type type) {
  exact below = *least;
  below.is_negative = !below.is_negative;
  const exact difference = exact_plus(greatest, &below);
  const exact rounded = without_sign_of_nan(rounded_to_f32(&difference));
  if (is_like_zeros(&rounded, all)) {
    return 0;
  }
  const exact scale = exact_over(&rounded, all);
  return exact_to_float(&scale, type, EXACT_TO_NEAREST);
}

/* first - least / scale, each step as an f32, to the nearest integer of both types. */
static uint64_t point_of_range(const relayout_scaled_view *view, const exact *least,
                               const exact *scale, int64_t first) {
  const exact none = exact_of_integer(0), start = exact_of_integer(first);
  const exact quotient = exact_is_zero(scale) ? none : exact_over(least, scale);
  exact steps = rounded_to_f32(&quotient);
  steps.is_negative = !steps.is_negative;
  const exact sum = exact_plus(&steps, &start), point = rounded_to_f32(&sum);
  const relayout_element_type elements = view->elements.shape.element_type;
  const uint64_t within = exact_to_integer(&point, elements, EXACT_TO_NEAREST, 0, false);
  const exact number = exact_of(elements, within);
  return exact_to_integer(&number, view->zero_points.shape.element_type, EXACT_TO_NEAREST, 0,
                          false);
}

/* Of a number and the one there, and of 0; a NaN is the greatest of all. */
static exact further(const exact *there, const exact *number, bool is_greatest) {
  const bool is_nan = number->kind == EXACT_NAN || there->kind == EXACT_NAN;
  if (is_nan) {
    return is_greatest && there->kind != EXACT_NAN ? *number : *there;
  }
  exact negative = *there;
  negative.is_negative = !negative.is_negative;
  const bool is_right_sign = number->is_negative != is_greatest && !exact_is_zero(number);
  if (!is_right_sign || there->kind == EXACT_INFINITE) {
    return *there;
  }
  const exact more = exact_plus(number, &negative);
  return !exact_is_zero(&more) && more.is_negative != is_greatest ? *number : *there;
}

static bool make_ranges(const many_values *values, const relayout_scaled_view *view,
                        const relayout_destination_memory *memory, const factors *of) {
  const size_t groups = count_of(&view->scales.shape);
  const relayout_element_type elements = view->elements.shape.element_type;
  const relayout_element_type scales = view->scales.shape.element_type;
  const number_format format = format_of(elements);
  const int64_t steps = ((int64_t)1 << format.bits) - 1;
  const int64_t first = format.kind == TWOS_COMPLEMENT ? -((steps + 1) / 2) : 0;
  const exact all = divisor_of(exact_of_integer(steps), of);
  exact *const ends = malloc(2 * (groups + 1) * sizeof(exact));
  if (ends == NULL) {
    return false;
  }
  for (size_t i = 0; i < 2 * groups; ++i) {
    ends[i] = exact_of_integer(0);
  }
  for (size_t i = 0; i < values->count; ++i) {
    const size_t group = group_of(view, i);
    const exact value = without_sign_of_nan(rounded_to_f32(&values->numbers[i]));
    ends[2 * group] = further(&ends[2 * group], &value, true);
    ends[2 * group + 1] = further(&ends[2 * group + 1], &value, false);
  }
  for (size_t g = 0; g < groups; ++g) {
    const exact *const end = &ends[2 * g];
    set_pattern(scales, of->scales, g, scale_of_range(&end[0], &end[1], &all, scales));
    const exact scale = multiplied_scale(view, of, g);
    set_pattern(view->zero_points.shape.element_type, of->zero_points, g,
                point_of_range(view, &end[1], &scale, first));
  }
  write_dense(&view->scales, of->scales, memory->scales);
  write_dense(&view->zero_points, of->zero_points, memory->zero_points);
  free(ends);
  return true;
}

static bool make_scales(const many_values *values, const relayout_scaled_view *view,
                        const relayout_destination_memory *memory, const factors *of) {
  const size_t groups = count_of(&view->scales.shape);
  uint32_t *const greatest = calloc(groups + 1, sizeof(uint32_t));
  if (greatest == NULL) {
    return false;
  }
  for (size_t i = 0; i < values->count; ++i) {
    const size_t group = group_of(view, i);
    const uint32_t magnitude = to_f32(&values->numbers[i]) & INT32_MAX;
    greatest[group] = magnitude > greatest[group] ? magnitude : greatest[group];
  }
  for (size_t group = 0; group < groups; ++group) {
    set_pattern(view->scales.shape.element_type, of->scales, group,
                scale_from(greatest[group], view, of));
  }
  write_dense(&view->scales, of->scales, memory->scales);
  free(greatest);
  return true;
}

/* ---- Destinations --------------------------------------------------------------------------- */

static uint64_t scaled_pattern(const exact *value, const relayout_scaled_view *view,
                               const factors *of, size_t number, exact_rounding rounding) {
  const relayout_element_type type = view->elements.shape.element_type;
  const size_t group = group_of(view, number);
  const exact scale = multiplied_scale(view, of, group);
  const exact zero = exact_of_integer(0);
  const exact quotient =
      without_sign_of_nan(exact_is_zero(&scale) ? zero : exact_over(value, &scale));
  if (format_of(type).kind != FLOATING) {
    return exact_to_integer(&quotient, type, rounding, zero_point_of(view, of, group), false);
  }
  return exact_to_bounded_float(&quotient, type);
}

static int64_t write_elements(const many_values *values, const relayout_scaled_view *view,
                              const relayout_plan_options *options,
                              const relayout_destination_memory *memory) {
  const relayout_element_type type = view->elements.shape.element_type;
  const relayout_shape dense = dense_of(&view->elements.shape);
  const exact_rounding rounding =
      options->rounding == RELAYOUT_ROUNDING_NEAREST ? EXACT_TO_NEAREST : EXACT_TO_ZERO;
  const bool wraps = options->overflow == RELAYOUT_OVERFLOW_WRAP;
  unsigned char *const elements = calloc(1, oracle_byte_size(&dense) + 1);
  factors of;
  bool is_made = read_factors(view, memory->scales, memory->zero_points, &of) && elements != NULL;
  is_made = is_made && read_tensor_scale(view, memory->tensor_scale, &of);
  if (is_made && view->has_scales && view->rule != RELAYOUT_SCALES_GIVEN) {
    is_made = view->rule == RELAYOUT_SCALES_RANGE ? make_ranges(values, view, memory, &of)
                                                  : make_scales(values, view, memory, &of);
  }
  for (size_t i = 0; is_made && i < values->count; ++i) {
    const exact *const value = &values->numbers[i];
    set_pattern(type, elements, i,
                view->has_scales ? scaled_pattern(value, view, &of, i, rounding)
                                 : exact_to_pattern(value, type, rounding, wraps));
  }
  if (is_made) {
    const bool is_copy = !view->has_scales && values->elements != NULL && values->type == type;
    write_dense(&view->elements, is_copy ? values->elements : elements, memory->elements);
  }
  free_factors(&of);
  free(elements);
  return is_made ? 0 : -1;
}

/* Of one format, and along one dimension. */
static bool keeps_records(const many_values *values, const relayout_scaled_view *view) {
  return values->records != NULL && values->view->block_format == view->block_format &&
         values->view->elements.shape.layout.minor_to_major[0] ==
             view->elements.shape.layout.minor_to_major[0];
}

static void keep_records(const many_values *values, const relayout_scaled_view *view,
                         uint8_t *memory) {
  for (size_t i = 0; i < values->count; ++i) {
    uint8_t record[64];
    many_move_record(values->view, values->records,
                     place_in_records(&values->view->elements.shape, i) / RECORD, record, false);
    many_move_record(view, memory, place_in_records(&view->elements.shape, i) / RECORD, record,
                     true);
  }
}

static int64_t write_records(const many_values *values, const relayout_scaled_view *view,
                             uint8_t *memory, unsigned char *unknown) {
  const relayout_shape *const shape = &view->elements.shape;
  if (keeps_records(values, view)) {
    keep_records(values, view, memory);
    return 0;
  }
  float *const placed = calloc(values->count + 1, sizeof(float));
  int64_t left = 0;
  if (placed == NULL) {
    return -1;
  }
  for (size_t i = 0; i < values->count; ++i) {
    const uint32_t pattern = to_f32(&values->numbers[i]);
    memcpy(&placed[place_in_records(shape, i)], &pattern, sizeof(pattern));
  }
  for (size_t r = 0; r < values->count / RECORD; ++r) {
    uint8_t record[64];
    const bool is_known = blocks_write(view->block_format, placed + r * RECORD, record);
    if (is_known) {
      many_move_record(view, memory, r, record, true);
    }
    left += is_known ? 0 : 1;
    if (unknown != NULL) {
      unknown[r] = !is_known;
    }
  }
  free(placed);
  return left;
}

int64_t many_write(const many_values *values, const relayout_scaled_view *view,
                   const relayout_plan_options *options, const relayout_destination_memory *memory,
                   unsigned char *unknown) {
  if (view->block_format != RELAYOUT_BLOCK_FORMAT_NONE) {
    return write_records(values, view, memory->elements, unknown);
  }
  return write_elements(values, view, options, memory);
}
