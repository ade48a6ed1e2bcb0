/* What a trial's sides hold: elements, padding and poison. */
#include "conformance/trial.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/random.h"
#include "conformance/values.h"

/* malloc may return NULL for nothing. */
static unsigned char *allocate(size_t size) {
  return malloc(size > 0 ? size : 1);
}

/* ---- Sides ---------------------------------------------------------------------------------- */

/* How far a strided side reaches. */
static void measure_strided(const relayout_shape *shape, const int64_t *strides, size_t *size,
                            size_t *origin) {
  int64_t lowest = 0;
  int64_t highest = (int64_t)oracle_element_size(shape->element_type);
  for (int32_t d = 0; d < shape->rank; ++d) {
    const int64_t reach = (shape->dimensions[d] - 1) * strides[d];
    if (shape->dimensions[d] == 0) {
      *size = 0;
      *origin = 0;
      return;
    }
    *(reach < 0 ? &lowest : &highest) += reach;
  }
  *size = (size_t)(highest - lowest);
  *origin = (size_t)-lowest;
}

static void measure(const relayout_shape *shape, const int64_t *strides, size_t *size,
                    size_t *origin) {
  if (strides != NULL) {
    measure_strided(shape, strides, size, origin);
    return;
  }
  *size = oracle_byte_size(shape);
  *origin = 0;
}

/* The shape's elements in the order of ascending multi-indices. */
static relayout_shape elements_of(const relayout_shape *shape) {
  relayout_shape elements = *shape;
  memset(&elements.layout, 0, sizeof(elements.layout));
  elements.layout.rank = shape->rank;
  for (int32_t i = 0; i < shape->rank; ++i) {
    elements.layout.minor_to_major[i] = shape->rank - 1 - i;
  }
  return elements;
}

/* ---- Trials --------------------------------------------------------------------------------- */

bool request_converts(const request *asked) {
  return asked->from->element_type != asked->to->element_type || asked->options.scale != 1;
}

relayout_plan_options request_plan_options(const request *asked) {
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.overflow = asked->options.wraps ? RELAYOUT_OVERFLOW_WRAP : RELAYOUT_OVERFLOW_SATURATE;
  options.scale = asked->options.scale;
  options.rounding = asked->options.to_nearest ? RELAYOUT_ROUNDING_NEAREST : RELAYOUT_ROUNDING_ZERO;
  return options;
}

static void draw_elements(const request *asked, size_t size, unsigned char *bytes) {
  if (request_converts(asked)) {
    const size_t count = size / oracle_element_size(asked->from->element_type);
    values_draw(asked->from->element_type, asked->to->element_type, asked->options.scale, count,
                bytes);
    return;
  }
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = (unsigned char)(random_mix(i) % TRIAL_ELEMENT_BYTES);
  }
}

/* What is left of a packed array's last byte. */
static unsigned char spare_bits(const relayout_shape *shape) {
  const int64_t used = oracle_element_count(shape) * oracle_element_bits(shape) % 8;
  const bool high = shape->layout.packing_order == RELAYOUT_PACKING_HIGH_FIRST;
  return used == 0 ? 0 : (unsigned char)(high ? 0xff >> used : 0xff << used);
}

/* What a container has beyond its element is no less poison than padding. */
static void poison_containers(const relayout_shape *shape, unsigned char *bytes) {
  const size_t own = oracle_element_size(shape->element_type);
  const size_t whole = (size_t)oracle_element_bits(shape) / 8;
  const size_t size = oracle_byte_size(shape);
  for (size_t at = 0; whole > own && at < size; at += whole) {
    memset(bytes + at + own, TRIAL_SOURCE_POISON, whole - own);
  }
}

/* Writes elements where they lie, over poison. */
static bool fill_source(trial *t) {
  const request *asked = t->asked;
  const relayout_shape elements = elements_of(asked->from);
  const size_t size = oracle_byte_size(&elements);
  unsigned char *bytes = allocate(size);
  if (bytes == NULL) {
    return false;
  }
  draw_elements(asked, size, bytes);
  relayout_shape keeping_padding = *asked->from;
  keeping_padding.layout.padding_value = RELAYOUT_PADDING_UNKNOWN;
  oracle_options placing = ORACLE_OPTIONS_INIT;
  placing.destination_byte_strides = asked->options.source_byte_strides;
  memset(t->source, TRIAL_SOURCE_POISON, t->source_size);
  oracle_relayout_with(&placing, &elements, &keeping_padding, bytes, t->source + t->source_origin);
  poison_containers(asked->from, t->source);
  if (spare_bits(asked->from) != 0) {
    t->source[t->source_size - 1] |= TRIAL_SOURCE_POISON & spare_bits(asked->from);
  }
  free(bytes);
  return true;
}

/* Poison; but bits to spare, which become zeros with what else is written to their byte, begin as
 * such where perhaps nothing is. */
static void fill_destination(const request *asked, unsigned char *bytes, size_t size) {
  memset(bytes, TRIAL_DESTINATION_POISON, size);
  if (asked->to->layout.padding_value == RELAYOUT_PADDING_UNKNOWN && spare_bits(asked->to) != 0) {
    bytes[size - 1] &= (unsigned char)~spare_bits(asked->to);
  }
}

bool trial_make(const request *asked, trial *made) {
  *made = (trial){.asked = asked};
  measure(asked->from, asked->options.source_byte_strides, &made->source_size,
          &made->source_origin);
  measure(asked->to, asked->options.destination_byte_strides, &made->destination_size,
          &made->destination_origin);
  made->source = allocate(made->source_size);
  made->before = allocate(made->destination_size);
  made->after = allocate(made->destination_size);
  if (made->source == NULL || made->before == NULL || made->after == NULL || !fill_source(made)) {
    trial_free(made);
    return false;
  }
  fill_destination(asked, made->before, made->destination_size);
  fill_destination(asked, made->after, made->destination_size);
  oracle_relayout_with(&asked->options, asked->from, asked->to, made->source + made->source_origin,
                       made->after + made->destination_origin);
  return true;
}

void trial_free(trial *made) {
  free(made->source);
  free(made->before);
  free(made->after);
  memset(made, 0, sizeof(*made));
}
