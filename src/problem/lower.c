/* lower.c: lowers two views of one tensor to problems. */
#include "problem/lower.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "convert/convert.h"
#include "metadata/strides.h"
#include "metadata/widths.h"
#include "problem/boxes.h"
#include "problem/combine.h"
#include "problem/factors.h"
#include "problem/runs.h"

enum { MOST_PARTS = 32 };

/* One side of a relayout. */
typedef struct side {
  const relayout_shape *shape;
  const char *strides_name;    /* in messages */
  const int64_t *byte_strides; /* NULL: lies as its layout says */
  bool is_swapped;             /* numbers have the other byte order than the host's */
  rlt_span span;
  int64_t elements; /* elements in its memory; of a strided side, those of the tensor */
  int64_t packed;
  int64_t room; /* how many elements a container has room for; 1 without containers */
  int64_t word_bytes;
  int64_t words; /* from one element to the next in memory, in words */
} side;

/* A dimension of the destination: its digits, and the boxes that it is cut into. */
typedef struct cut_dimension {
  rlt_levels levels;
  rlt_digit_boxes boxes;
} cut_dimension;

typedef struct lowering {
  side from;
  side to;
  relayout_shape combined[2]; /* what both are lowered as */
  const rlt_index_box *box;   /* NULL: all */
  const rlt_changes *changes;
  rlt_problem common; /* what all problems share */
  int64_t words;      /* that an element is moved in */
  int64_t turned;     /* words that change places with each other, the first with the last; or 1 */
  bool has_fill_word; /* some element of the source becomes what is filled in */
  uint8_t padding[RELAYOUT_MAX_ELEMENT_SIZE]; /* of an element, and above it 0 */
  int32_t problem_capacity;
  bool lacks_memory;
  int32_t dimension_count;
  rlt_lowered *made;
  /* Large memory that is written before it is read; `source` comes first. */
  rlt_factors source;
  rlt_factors destination;
  rlt_numbers numbers;
  cut_dimension dimensions[]; /* room for as many as most_dimensions returns */
} lowering;

/* ---- Checks ---- */

static relayout_status check_same_tensor(const relayout_shape *from, const relayout_shape *to,
                                         relayout_error *error) {
  if (from->rank != to->rank) {
    return rlt_fail(error, RELAYOUT_SHAPE_MISMATCH,
                    "the rank of `from` is %" PRId32 ", that of `to` is %" PRId32, from->rank,
                    to->rank);
  }
  for (int32_t d = 0; d < from->rank; ++d) {
    if (from->dimensions[d] != to->dimensions[d]) {
      return rlt_fail(error, RELAYOUT_SHAPE_MISMATCH,
                      "dimensions[%" PRId32 "] of `from` is %" PRId64 ", that of `to` is %" PRId64,
                      d, from->dimensions[d], to->dimensions[d]);
    }
  }
  return RELAYOUT_OK;
}

/* Adds the side's name to an error. */
static relayout_status check_side(const relayout_shape *shape, const char *name,
                                  relayout_error *error) {
  relayout_error found;
  const relayout_status status = relayout_shape_validate(shape, &found);
  return status == RELAYOUT_OK ? RELAYOUT_OK
                               : rlt_fail(error, status, "`%s`: %s", name, found.message);
}

static int64_t element_bytes(const side *of) {
  return (int64_t)relayout_element_type_byte_size(of->shape->element_type);
}

static relayout_status measure_side(side *measured, relayout_error *error) {
  const relayout_shape *const shape = measured->shape;
  measured->packed = rlt_packed_bits(&shape->layout);
  measured->room = rlt_max(rlt_element_bits(shape) / (8 * element_bytes(measured)), 1);
  if (measured->byte_strides != NULL) {
    measured->elements = relayout_shape_element_count(shape);
    return rlt_strides_check(shape, measured->byte_strides, measured->strides_name, &measured->span,
                             error);
  }
  size_t bytes = 0; /* which can be counted, as the shape is valid */
  relayout_shape_physical_element_count(shape, &measured->elements, NULL);
  relayout_shape_byte_size(shape, &bytes, NULL);
  measured->span = (rlt_span){.bytes = (int64_t)bytes};
  return RELAYOUT_OK;
}

/* ---- What all problems share ---- */

/* Elements as numbers without a sign, in as many bytes. */
static relayout_element_type unsigned_type(int64_t bytes) {
  return bytes == 1   ? RELAYOUT_U8
         : bytes == 2 ? RELAYOUT_U16
         : bytes == 4 ? RELAYOUT_U32
                      : RELAYOUT_U64;
}

/* The factor that turns an element into a number of a whole container. An element's bytes come
 * first there, which are the lowest ones or the highest. */
static double container_scale(int64_t bytes, int64_t container_bytes) {
  const bool first_is_lowest = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
  return first_is_lowest ? 1 : (double)(UINT64_C(1) << 8 * (container_bytes - bytes));
}

/* Elements that keep their type enter a wider container as numbers that gain zero bits, and leave
 * one as numbers that lose the bits of the other bytes. Between two containers elements are picked
 * out of the first word by word. */
static void set_container_conversion(lowering *at) {
  const int64_t bytes = element_bytes(&at->from);
  const bool leaves = at->to.room == 1;
  if (leaves && at->from.room == 1) {
    return;
  }
  const int64_t read = leaves ? bytes * at->from.room : bytes;
  const int64_t written = bytes * at->to.room;
  at->common.element_bytes = read;
  at->common.conversion = (rlt_conversion){.from = unsigned_type(read),
                                           .to = unsigned_type(written),
                                           .wraps = leaves,
                                           .scale = leaves ? 1 / container_scale(bytes, read)
                                                           : container_scale(bytes, written)};
  at->from.room = leaves ? 1 : at->from.room;
  at->to.room = 1;
}

/* Bytes of the unit that has a byte order: an element, or a part of a complex one. */
static int64_t number_bytes(const side *of) {
  return (int64_t)rlt_number_bytes(of->shape->element_type);
}

static bool is_integer(relayout_element_type type) {
  const relayout_element_kind kind = relayout_element_type_kind(type);
  return kind == RELAYOUT_KIND_SIGNED || kind == RELAYOUT_KIND_UNSIGNED;
}

/* Only if it is asked for and makes a difference, so that equal problems stay equal. */
static bool rounds_to_nearest(const lowering *at) {
  const relayout_element_kind from = relayout_element_type_kind(at->from.shape->element_type);
  return at->changes->rounds_to_nearest && is_integer(at->to.shape->element_type) &&
         (from == RELAYOUT_KIND_FLOAT || at->changes->scale != 1);
}

static relayout_status set_conversion(lowering *at, relayout_error *error) {
  const relayout_element_type from = at->from.shape->element_type;
  const relayout_element_type to = at->to.shape->element_type;
  at->turned = 1;
  if (from == to && at->changes->scale == 1 && at->from.room == 1 && at->to.room == 1) {
    at->turned = at->from.is_swapped != at->to.is_swapped ? number_bytes(&at->from) : 1;
    return RELAYOUT_OK;
  }
  if (from == to && at->changes->scale == 1) {
    set_container_conversion(at);
  } else {
    at->common.conversion = (rlt_conversion){.from = from,
                                             .to = to,
                                             .wraps = at->changes->wraps,
                                             .scale = at->changes->scale,
                                             .rounds_to_nearest = rounds_to_nearest(at)};
  }
  at->common.source_swapped = at->from.is_swapped;
  at->common.destination_swapped = at->to.is_swapped;
  return rlt_conversion_check(&at->common.conversion, error);
}

static bool lie_at_multiples(const side *of, int64_t bytes) {
  return of->byte_strides == NULL ||
         rlt_strides_common_bytes(of->shape, of->byte_strides, bytes) == bytes;
}

/* Numbers that only change their byte order are words whose bytes are shuffled, or, if they may lie
 * at any address, single bytes that change places. */
static void set_turned_words(lowering *at) {
  const int64_t bytes = at->turned;
  const int64_t all = at->common.element_bytes;
  const bool are_whole = lie_at_multiples(&at->from, bytes) && lie_at_multiples(&at->to, bytes);
  at->common.element_bytes = are_whole ? bytes : 1;
  at->words = all / at->common.element_bytes;
  if (are_whole) {
    at->turned = 1;
    at->common.conversion =
        (rlt_conversion){.from = unsigned_type(bytes), .to = unsigned_type(bytes), .scale = 1};
    at->common.destination_swapped = true;
  }
}

/* The word of an element that becomes word `number`. */
static int64_t source_word(const lowering *at, int64_t number) {
  const int64_t within = number % at->turned;
  return number - within + at->turned - 1 - within;
}

/* If strides are not multiples of the element size, an element's words move one by one. */
static relayout_status set_words(lowering *at, relayout_error *error) {
  const int64_t bytes = at->common.element_bytes;
  int64_t word = bytes;
  for (int i = 0; i < 2; ++i) {
    const side *const one = i == 0 ? &at->from : &at->to;
    const int64_t whole = i == 0 ? bytes : rlt_problem_destination_bytes(&at->common);
    if (one->byte_strides == NULL) {
      continue;
    }
    const int64_t common = rlt_strides_common_bytes(one->shape, one->byte_strides, whole);
    if (common < whole && !rlt_problem_keeps_elements(&at->common)) {
      return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                      "%s are multiples of %" PRId64
                      " bytes; expected multiples of the element size, %" PRId64
                      " bytes, for elements that are packed, converted or in wider containers",
                      one->strides_name, common, whole);
    }
    word = common < whole ? rlt_min(word, common) : word;
  }
  at->words = bytes / word;
  at->common.element_bytes = word;
  return RELAYOUT_OK;
}

static bool fill_is_uniform(const rlt_problem *problem, int64_t words) {
  const size_t rest = (size_t)((words - 1) * problem->element_bytes);
  return memcmp(problem->fill, problem->fill + problem->element_bytes, rest) == 0;
}

static bool find_fill_word(rlt_problem *problem) {
  uint8_t fill[RELAYOUT_MAX_ELEMENT_SIZE];
  memcpy(fill, problem->fill, sizeof fill);
  if (!rlt_converts(&problem->conversion)) {
    memcpy(problem->fill_word, fill, sizeof fill);
    return true;
  }
  if (problem->destination_swapped) {
    rlt_turn_bytes(fill, rlt_problem_destination_bytes(problem), 1);
  }
  const bool is_found = rlt_convert_back(&problem->conversion, fill, problem->fill_word);
  if (problem->source_swapped) {
    rlt_turn_bytes(problem->fill_word, problem->element_bytes, 1);
  }
  return is_found;
}

/* Of a side in words of so many bytes; the words that it holds. */
static int64_t count_words(side *of, int64_t words, int64_t word_bytes) {
  of->word_bytes = word_bytes;
  of->words = words * of->room;
  return of->byte_strides == NULL ? of->elements * of->words : of->span.bytes / word_bytes;
}

/* Padding is known in the host's byte order. */
static void turn_padding(lowering *at) {
  if (at->to.is_swapped) {
    const int64_t bytes = number_bytes(&at->to);
    rlt_turn_bytes(at->padding, bytes, element_bytes(&at->to) / bytes);
  }
}

static relayout_status set_common(lowering *at, relayout_error *error) {
  rlt_problem *const common = &at->common;
  const relayout_shape *const to = at->to.shape;
  common->element_bytes = element_bytes(&at->from);
  common->source_packed = at->from.packed;
  common->destination_packed = at->to.packed;
  common->source_high = rlt_is_high_first(&at->from.shape->layout);
  common->destination_high = rlt_is_high_first(&at->to.shape->layout);
  relayout_status status = set_conversion(at, error);
  if (status == RELAYOUT_OK && at->turned > 1) {
    set_turned_words(at);
  } else if (status == RELAYOUT_OK) {
    status = set_words(at, error);
  }
  if (status == RELAYOUT_OK) {
    status = relayout_layout_padding_bytes(&to->layout, to->element_type, at->padding, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  turn_padding(at);
  common->source_elements = count_words(&at->from, at->words, common->element_bytes);
  common->destination_elements =
      count_words(&at->to, at->words, rlt_problem_destination_bytes(common));
  common->fills = at->to.byte_strides == NULL &&
                  to->layout.padding_value != RELAYOUT_PADDING_UNKNOWN &&
                  at->to.elements > relayout_shape_element_count(to);
  const bool is_contained = at->to.room > 1;
  if (!is_contained) {
    memcpy(common->fill, at->padding, sizeof common->fill);
  }
  at->has_fill_word = !(common->fills || is_contained) || find_fill_word(common);
  at->made->source_bytes = at->from.span.bytes;
  at->made->source_before = at->from.span.before;
  at->made->destination_bytes = at->to.span.bytes;
  at->made->destination_before = at->to.span.before;
  return RELAYOUT_OK;
}

/* ---- Axes ---- */

/* A side's factors, with strides in words. */
static bool find_factors(const side *of, rlt_numbers *numbers, rlt_factors *factors) {
  if (of->byte_strides == NULL) {
    return rlt_factors_of_layout(of->shape, of->words, numbers, factors);
  }
  rlt_factors_of_strides(of->shape, of->byte_strides, of->word_bytes, factors);
  return true;
}

/* The extent of the destination along a dimension, padding included. */
static int64_t written_of(const lowering *at, int32_t dimension, int64_t valid) {
  int64_t written = valid;
  for (int32_t i = 0; i < at->destination.count && at->common.fills; ++i) {
    const rlt_factor *const factor = &at->destination.of[i];
    if (factor->dimension == dimension) {
      written = rlt_max(written, factor->weight * factor->extent);
    }
  }
  return written;
}

/* The indices of a dimension that are moved: from `first` up to `valid`, and up to `written` with
 * the padding after them. Every box has all of a dimension that tiles add. */
typedef struct interval {
  int64_t first;
  int64_t valid;
  int64_t written;
} interval;

static interval interval_of(const lowering *at, int32_t d) {
  const bool is_own = d < at->to.shape->rank;
  const int64_t size = is_own ? at->to.shape->dimensions[d] : 1;
  const int64_t first = is_own && at->box != NULL ? at->box->start[d] : 0;
  const int64_t end = is_own && at->box != NULL ? first + at->box->sizes[d] : size;
  return (interval){first, end, end == size ? written_of(at, d, size) : end};
}

/* Makes every dimension's boxes. Returns false if the sides' digits have no common divisor. */
static bool find_boxes(lowering *at) {
  static const rlt_factors none = {.count = 0};
  if (!find_factors(&at->from, &at->numbers, &at->source) ||
      !find_factors(&at->to, &at->numbers, &at->destination)) {
    return false;
  }
  at->dimension_count = at->destination.dimension_count;
  for (int32_t d = 0; d < at->dimension_count; ++d) {
    const bool is_own = d < at->to.shape->rank;
    const interval of = interval_of(at, d);
    cut_dimension *const cut = &at->dimensions[d];
    if (!rlt_levels_make(is_own ? &at->source : &none, &at->destination, d, &cut->levels)) {
      return false;
    }
    rlt_digit_boxes_make(&cut->levels, of.first, of.valid, of.written, &cut->boxes);
  }
  return true;
}

/* True if an axis of one step already says that nothing has a source. */
static bool has_no_source(const rlt_problem *problem) {
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    if (problem->axes[a].extent == 1 && problem->axes[a].valid == 0) {
      return true;
    }
  }
  return false;
}

/* A negative destination stride is avoided by reversing the axis. Leaves room for axes over
 * words. */
static bool add_axis(rlt_problem *problem, rlt_axis axis) {
  if (axis.extent == 1 && (axis.valid == 1 || has_no_source(problem))) {
    return true;
  }
  if (problem->axis_count == RLT_MAX_AXES - 2) {
    return false;
  }
  if (axis.destination_stride < 0) {
    problem->source_start += (axis.extent - 1) * axis.source_stride;
    problem->destination_start += (axis.extent - 1) * axis.destination_stride;
    axis.source_stride = -axis.source_stride;
    axis.destination_stride = -axis.destination_stride;
  }
  problem->axes[problem->axis_count++] = axis;
  return true;
}

static bool has_source(const rlt_digit_range *box, int32_t count) {
  for (int32_t l = 0; l < count; ++l) {
    if (box[l].valid == 0) {
      return false;
    }
  }
  return true;
}

/* Makes the problem of one box of each dimension, without the axis over an element's words. */
static bool add_box_axes(const lowering *at, const int32_t *numbers, rlt_problem *problem) {
  for (int32_t d = 0; d < at->dimension_count; ++d) {
    const rlt_levels *const levels = &at->dimensions[d].levels;
    const rlt_digit_range *const box = at->dimensions[d].boxes.of[numbers[d]];
    const bool is_read = has_source(box, levels->count);
    for (int32_t l = 0; l < levels->count; ++l) {
      problem->source_start += is_read ? box[l].first * levels->source_strides[l] : 0;
      problem->destination_start += box[l].first * levels->destination_strides[l];
      if (!add_axis(problem, (rlt_axis){.extent = box[l].extent,
                                        .valid = box[l].valid,
                                        .source_stride = levels->source_strides[l],
                                        .destination_stride = levels->destination_strides[l]})) {
        return false;
      }
    }
  }
  return true;
}

static bool has_padding(const rlt_problem *problem) {
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    if (problem->axes[a].valid < problem->axes[a].extent) {
      return true;
    }
  }
  return false;
}

/* True if no two tiles and no two problems write to one byte, or if the device can merge such
 * bytes. Bytes are never merged with those of other plans. */
static bool may_write(const lowering *at, const rlt_problem *problem) {
  rlt_byte_run run;
  const rlt_packing packing = at->box == NULL ? at->changes->packing : RLT_PACKING_TILED;
  return packing == RLT_PACKING_MERGED || problem->destination_packed == 0 ||
         (!rlt_problem_is_fill(problem) && rlt_problem_byte_run(problem, &run));
}

/* No bytes may follow the last element that a box reads, and kernels load whole words up to the
 * source's end: so the source ends there. */
static void end_source(rlt_problem *problem) {
  const int64_t end = 8 * rlt_problem_bytes_read(problem).end / rlt_problem_source_bits(problem);
  problem->source_elements = rlt_min(problem->source_elements, end);
}

/* Adds room for one more problem; NULL without memory. */
static rlt_problem *next_problem(lowering *at) {
  enum { FIRST_CAPACITY = 2 };
  rlt_lowered *const made = at->made;
  if (made->count == at->problem_capacity) {
    const int32_t capacity = rlt_max(2 * at->problem_capacity, FIRST_CAPACITY);
    rlt_problem *const grown = rlt_realloc(made->problems, (size_t)made->count * sizeof *grown,
                                           (size_t)capacity * sizeof *grown);
    if (grown == NULL) {
      at->lacks_memory = true;
      return NULL;
    }
    made->problems = grown;
    at->problem_capacity = capacity;
  }
  return &made->problems[made->count];
}

/* False if axes cannot express the problem, or if memory is missing. */
static bool add_problem(lowering *at, rlt_problem *problem) {
  rlt_lowered *const made = at->made;
  problem->source_start += at->from.span.before / problem->element_bytes;
  problem->destination_start += at->to.span.before / rlt_problem_destination_bytes(problem);
  rlt_problem_simplify(problem);
  if (rlt_problem_is_empty(problem)) {
    return true;
  }
  if (at->box != NULL && !rlt_problem_is_fill(problem)) {
    end_source(problem);
  }
  problem->fills = problem->fills && has_padding(problem);
  if (!may_write(at, problem) || made->count == MOST_PARTS ||
      (problem->fills && !rlt_problem_keeps_elements(problem) && !at->has_fill_word)) {
    return false;
  }
  rlt_problem *const added = next_problem(at);
  if (added == NULL) {
    return false;
  }
  *added = *problem;
  ++made->count;
  return true;
}

/* Makes problems of the padding alone, in words that are whole containers: for each axis the digits
 * beyond its valid ones, where the digits of the axes before it have a source. */
static bool add_contained_padding(lowering *at, const rlt_problem *all) {
  rlt_problem rest = *all;
  rest.element_bytes = at->to.room * rlt_problem_destination_bytes(all);
  rest.conversion = (rlt_conversion){.from = RELAYOUT_ELEMENT_TYPE_INVALID};
  rest.source_swapped = false;
  rest.destination_start /= at->to.room;
  rest.destination_elements /= at->to.room;
  memcpy(rest.fill, at->padding, sizeof rest.fill);
  for (int32_t a = 0; a < rest.axis_count; ++a) {
    rest.axes[a].destination_stride /= at->to.room;
  }
  for (int32_t a = 0; a < rest.axis_count; ++a) {
    rlt_axis *const axis = &rest.axes[a];
    rlt_problem beyond = rest;
    beyond.destination_start += axis->valid * axis->destination_stride;
    beyond.axes[a].extent -= axis->valid;
    beyond.axes[a].valid = 0;
    if (!add_problem(at, &beyond)) {
      return false;
    }
    axis->extent = axis->valid;
  }
  return true;
}

/* Adds an axis over the words of a container for elements that change their type: the first word
 * has a source, and the others are filled with 0. */
static bool add_contained(lowering *at, const rlt_problem *problem) {
  static const uint8_t zero[RELAYOUT_MAX_ELEMENT_SIZE];
  rlt_problem one = *problem;
  if (one.fills && memcmp(at->padding, zero, sizeof zero) != 0) {
    one.fills = false;
    if (!add_contained_padding(at, problem)) {
      return false;
    }
  }
  for (int32_t a = 0; a < one.axis_count; ++a) {
    one.axes[a].extent = one.fills ? one.axes[a].extent : one.axes[a].valid;
  }
  one.fills = true;
  one.axes[one.axis_count++] = (rlt_axis){at->to.room, 1, 1, 1};
  return add_problem(at, &one);
}

/* Adds axes over the numbers of an element and over the words of a number, which change places. */
static void add_word_axes(const lowering *at, rlt_problem *problem) {
  const int64_t turned = at->turned;
  const int64_t numbers = at->words / turned;
  problem->axes[problem->axis_count++] = (rlt_axis){numbers, numbers, turned, turned};
  if (turned > 1) {
    problem->source_start += turned - 1;
    problem->axes[problem->axis_count++] = (rlt_axis){turned, turned, -1, 1};
  }
}

/* The words of an element become one more axis, or two if they change places. If their fillings
 * differ, each word becomes a separate problem. */
static bool add_words(lowering *at, const rlt_problem *problem) {
  if (at->to.room > 1) {
    return add_contained(at, problem);
  }
  const bool fills_alike = !problem->fills || fill_is_uniform(problem, at->words);
  const int64_t parts = at->words == 1 || fills_alike ? 1 : at->words;
  for (int64_t i = 0; i < parts; ++i) {
    rlt_problem one = *problem;
    if (parts == 1) {
      add_word_axes(at, &one);
    } else {
      one.source_start += source_word(at, i);
      one.destination_start += i;
      memcpy(one.fill, problem->fill + i * problem->element_bytes, (size_t)problem->element_bytes);
      find_fill_word(&one);
    }
    if (!add_problem(at, &one)) {
      return false;
    }
  }
  return true;
}

/* Makes a problem of all words of the destination from `first` on, which have no source. */
static bool add_fill(lowering *at, int64_t first) {
  rlt_problem fill = at->common;
  fill.destination_start = first;
  fill.axis_count = 1;
  fill.axes[0] = (rlt_axis){.extent = (fill.destination_elements - first) / at->to.words,
                            .source_stride = at->to.words,
                            .destination_stride = at->to.words};
  return add_words(at, &fill);
}

/* True if the box has the last element of the tensor, or is the whole tensor. */
static bool has_end(const lowering *at) {
  bool has = true;
  for (int32_t d = 0; d < at->to.shape->rank && at->box != NULL; ++d) {
    has = has && at->box->start[d] + at->box->sizes[d] == at->to.shape->dimensions[d];
  }
  return has;
}

/* Makes a problem of the elements that tail alignment adds. */
static bool add_tail(lowering *at) {
  int64_t tiled = at->to.words;
  for (int32_t i = 0; i < at->destination.count; ++i) {
    tiled *= at->destination.of[i].extent;
  }
  return !at->common.fills || !has_end(at) || add_fill(at, tiled);
}

/* Makes one problem for every choice of a box of each dimension. */
static bool add_boxes(lowering *at) {
  int32_t numbers[RLT_MOST_DIMENSIONS] = {0};
  for (;;) {
    rlt_problem problem = at->common;
    if (!add_box_axes(at, numbers, &problem) || !add_words(at, &problem)) {
      return false;
    }
    int32_t d = 0;
    while (d < at->dimension_count && ++numbers[d] == at->dimensions[d].boxes.count) {
      numbers[d++] = 0;
    }
    if (d == at->dimension_count) {
      return add_tail(at);
    }
  }
}

/* ---- Index programs ---- */

/* Writes the index program: it goes through the elements of the destination, in the order of
 * positions or, for a strided side, of indices, and computes the position of each in the
 * destination and in the source. */
static void set_program(const lowering *at, rlt_index_program *program) {
  const side *const from = &at->from;
  const side *const to = &at->to;
  const int32_t rank = from->shape->rank;
  if (to->words > 1 && to->byte_strides == NULL) {
    program->place = RLT_FREE_NUMBER;
    rlt_index_program_sum(1, &to->words, 1, program->place, program);
  }
  rlt_index_program_from_linear(to->shape, program);
  if (to->byte_strides != NULL) {
    program->place = RLT_FREE_NUMBER;
    rlt_index_program_sum(rank, to->byte_strides, to->word_bytes, program->place, program);
  }
  for (int32_t d = 0; d < rank; ++d) {
    rlt_index_program_bound(program, d, from->shape->dimensions[d]);
  }
  if (from->byte_strides != NULL) {
    program->result = rank;
    rlt_index_program_sum(rank, from->byte_strides, from->word_bytes, program->result, program);
    return;
  }
  rlt_index_program_to_linear(from->shape, program);
  if (from->words > 1) {
    rlt_index_program_multiply(program, program->result, from->words);
  }
}

/* Moves word `number` of every element, or of its container. The part of a container above its
 * element is 0, like the low n bits of any number times 2^n. */
static void select_word(const lowering *at, int64_t number, rlt_problem *problem) {
  const int64_t bytes = at->to.word_bytes;
  memcpy(problem->fill, at->padding + number * bytes, (size_t)bytes);
  if (at->to.room == 1) {
    problem->source_start += source_word(at, number);
    return;
  }
  if (number == 0) {
    return;
  }
  problem->conversion = (rlt_conversion){.from = unsigned_type(problem->element_bytes),
                                         .to = unsigned_type(bytes),
                                         .wraps = true,
                                         .scale = (double)(UINT64_C(1) << 8 * bytes)};
}

static relayout_status no_memory(relayout_error *error) {
  return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan's problems");
}

/* Makes one problem, or one for each word of an element or its container. */
static relayout_status lower_to_program(lowering *at, relayout_error *error) {
  rlt_lowered *const made = at->made;
  made->index_program = rlt_calloc(1, sizeof *made->index_program);
  if (made->index_program == NULL) {
    return rlt_fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a plan of %zu bytes",
                    sizeof *made->index_program);
  }
  set_program(at, made->index_program);
  rlt_index_program *const shorter = rlt_realloc(made->index_program, sizeof *made->index_program,
                                                 rlt_index_program_bytes(made->index_program));
  made->index_program = shorter == NULL ? made->index_program : shorter;
  for (made->count = 0; made->count < at->to.words; ++made->count) {
    rlt_problem *const problem = next_problem(at);
    if (problem == NULL) {
      return no_memory(error);
    }
    *problem = at->common;
    problem->index_program = made->index_program;
    problem->source_start = at->from.span.before / at->from.word_bytes;
    problem->destination_start = made->count + at->to.span.before / at->to.word_bytes;
    problem->axis_count = 1;
    problem->axes[0] = (rlt_axis){at->to.elements, at->to.elements, 1, 1};
    select_word(at, made->count, problem);
  }
  return RELAYOUT_OK;
}

/* ---- All of it ---- */

/* With padding that is left alone, the spare bits of the last byte must still become 0, and no
 * padding problem writes them. */
static bool keeps_last_byte(const lowering *at) {
  const int64_t bits = at->common.destination_elements * at->common.destination_packed;
  return bits % 8 != 0 && !at->common.fills &&
         at->to.elements > relayout_shape_element_count(at->to.shape);
}

static bool is_empty(const lowering *at) {
  bool is = at->to.elements == 0;
  for (int32_t d = 0; d < at->to.shape->rank && at->box != NULL; ++d) {
    is = is || (at->box->sizes[d] == 0 && at->to.shape->dimensions[d] > 0);
  }
  return is;
}

/* What is written must not overlap. */
static relayout_status check_apart(const lowering *at, relayout_error *error) {
  relayout_shape written = *at->to.shape;
  for (int32_t d = 0; d < written.rank && at->box != NULL; ++d) {
    written.dimensions[d] = at->box->sizes[d];
  }
  return rlt_strides_check_apart(&written, at->to.byte_strides, at->to.strides_name, error);
}

static relayout_status lower(lowering *at, relayout_error *error) {
  relayout_status status = measure_side(&at->from, error);
  if (status == RELAYOUT_OK) {
    status = measure_side(&at->to, error);
  }
  if (status == RELAYOUT_OK && at->to.byte_strides != NULL) {
    status = check_apart(at, error);
  }
  if (status == RELAYOUT_OK) {
    status = set_common(at, error);
  }
  if (status != RELAYOUT_OK || is_empty(at)) {
    return status;
  }
  const bool has_elements = relayout_shape_element_count(at->to.shape) > 0;
  if (!has_elements && !has_end(at)) {
    return RELAYOUT_OK;
  }
  if (!keeps_last_byte(at) && (has_elements ? find_boxes(at) && add_boxes(at) : add_fill(at, 0))) {
    return RELAYOUT_OK;
  }
  if (at->lacks_memory) {
    return no_memory(error);
  }
  at->made->count = 0;
  return at->box == NULL
             ? lower_to_program(at, error)
             : rlt_fail(error, RELAYOUT_UNSUPPORTED,
                        "this relayout cannot be divided into boxes: its tiles have no "
                        "common divisor, or boxes would share a byte of packed elements");
}

relayout_status rlt_index_box_check(const relayout_shape *shape, const rlt_index_box *box,
                                    relayout_error *error) {
  for (int32_t d = 0; d < shape->rank; ++d) {
    const int64_t start = box->start[d];
    const int64_t size = box->sizes[d];
    if (start < 0 || size < 0 || size > shape->dimensions[d] ||
        start > shape->dimensions[d] - size) {
      return rlt_fail(error, RELAYOUT_OUT_OF_RANGE,
                      "start[%" PRId32 "] is %" PRId64 " and sizes[%" PRId32 "] is %" PRId64
                      ", beyond a dimension of size %" PRId64,
                      d, start, d, size, shape->dimensions[d]);
    }
  }
  return RELAYOUT_OK;
}

static relayout_status check_sides(const rlt_view *from, const rlt_view *to,
                                   relayout_error *error) {
  relayout_status status = check_side(from->shape, "from", error);
  if (status == RELAYOUT_OK) {
    status = check_side(to->shape, "to", error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_view_check_offset(from->byte_offset, "from", error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_view_check_offset(to->byte_offset, "to", error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_view_check_byte_order(from->shape, from->byte_order, "from", error);
  }
  if (status == RELAYOUT_OK) {
    status = rlt_view_check_byte_order(to->shape, to->byte_order, "to", error);
  }
  if (status == RELAYOUT_OK && to->is_read_only) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "to->is_read_only is true; expected a view that may be written to");
  }
  return status == RELAYOUT_OK ? check_same_tensor(from->shape, to->shape, error) : status;
}

/* The most dimensions that the destination can have: the shape's own, and those that its tiles
 * add. */
static size_t most_dimensions(const relayout_shape *to) {
  const relayout_layout *const layout = &to->layout;
  int32_t brought = 0;
  for (int32_t i = 0; i < layout->tile_count; ++i) {
    brought += 2 * layout->tile_ranks[i];
  }
  return (size_t)rlt_min(to->rank + brought, RLT_MOST_DIMENSIONS);
}

relayout_status rlt_lower(const rlt_view *from, const rlt_view *to, const rlt_index_box *box,
                          const rlt_changes *changes, rlt_lowered *made, relayout_error *error) {
  *made = (rlt_lowered){.count = 0};
  relayout_status status = check_sides(from, to, error);
  if (status == RELAYOUT_OK && box != NULL) {
    status = rlt_index_box_check(to->shape, box, error);
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  lowering *const at =
      rlt_malloc(sizeof *at + most_dimensions(to->shape) * sizeof at->dimensions[0]);
  if (at == NULL) {
    return no_memory(error);
  }
  memset(at, 0, offsetof(lowering, source));
  at->combined[0] = *from->shape;
  at->combined[1] = *to->shape;
  if (from->byte_strides == NULL && to->byte_strides == NULL && box == NULL) {
    rlt_combine_dimensions(&at->combined[0], &at->combined[1]);
  }
  at->from = (side){.shape = &at->combined[0],
                    .strides_name = "from->byte_strides",
                    .byte_strides = from->byte_strides,
                    .is_swapped = rlt_view_is_swapped(from)};
  at->to = (side){.shape = &at->combined[1],
                  .strides_name = "to->byte_strides",
                  .byte_strides = to->byte_strides,
                  .is_swapped = rlt_view_is_swapped(to)};
  at->box = box;
  at->changes = changes;
  at->made = made;
  status = lower(at, error);
  rlt_free(at);
  return status;
}

void rlt_lowered_free(rlt_lowered *made) {
  rlt_free(made->problems);
  rlt_free(made->index_program);
  *made = (rlt_lowered){.count = 0};
}
