/* random.h: numbers and shapes drawn from a seed, the same on every machine. Depends on the public
 * structs alone. */
#ifndef CONFORMANCE_RANDOM_H
#define CONFORMANCE_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

#include "relayout/shape.h"

/* A well-mixed function of a number. */
uint64_t random_mix(uint64_t number);

/* The next number of the sequence that `state` stands for; any state will do to start with. */
uint64_t random_next(uint64_t *state);

/* A number in 0 .. count-1; count > 0. */
int64_t random_below(uint64_t *state, int64_t count);

/* One of all element types. */
relayout_element_type random_element_type(uint64_t *state);

/* A byte of an element of this type, whose bits above the element's are 0. */
uint8_t random_element_byte(uint64_t *state, relayout_element_type type);

/* An array of this type and rank with at most max_elements elements, most dimensions being small
 * and some 1 or, rarely, 0. Its layout is unset. */
void random_dimensions(uint64_t *state, relayout_element_type type, int32_t rank,
                       int64_t max_elements, relayout_shape *shape);

/* Gives the shape a layout of random order without padding. */
void random_order(uint64_t *state, relayout_shape *shape);

/* Widens one to three dimensions of a shape that has a rank and an order. */
void random_padding(uint64_t *state, relayout_shape *shape);

/* Gives a shape that has an order, and may be padded, one to three tiles of a few dimensions each,
 * `*` among them; fewer where its elements with all padding would be more than `max_elements`. */
void random_tiles(uint64_t *state, int64_t max_elements, relayout_shape *shape);

/* Rounds the count of elements up to some small number. */
void random_tail(uint64_t *state, relayout_shape *shape);

/* The bits, 1, 2 or 4, of a packed element of this type; 0 for types that are not packed. */
int64_t random_packing(uint64_t *state, relayout_element_type type);

/* What a layout may say of an element's bits: nothing, those of a packed element, of the type's
 * whole bytes, or of a wider container. */
int64_t random_element_bits(uint64_t *state, relayout_element_type type);

/* Half of the shapes that are packed have their elements high bits first. Nothing is drawn from
 * `state`. */
void random_packing_order(const uint64_t *state, relayout_shape *shape);

/* What byte strides are like. */
typedef enum random_strides {
  STRIDES_OF_SLICE,
  STRIDES_OF_BROADCAST,
  STRIDES_FROM_BEHIND,
  STRIDES_OF_BYTES, /* that no element size divides */
  STRIDES_OF_ANYTHING
} random_strides;
enum { RANDOM_STRIDES = 5 };

/* Whether they need not be multiples of the element size. */
bool random_strides_are_of_bytes(random_strides kind);

/* Draws a stride for each dimension: those of a destination keep its elements apart. */
void random_source_strides(uint64_t *state, random_strides kind, const relayout_shape *shape,
                           int64_t *strides);
void random_destination_strides(uint64_t *state, random_strides kind, const relayout_shape *shape,
                                int64_t *strides);

/* Sets a padding value that the type has; the literals are no special value of any type. */
void random_padding_value(uint64_t *state, relayout_shape *shape);

#endif
