/* oracle.h: what a relayout is, said once more and on its own.
 *
 * The definition itself, element by element, written to be read and checked rather than to be fast.
 * It shares no code with the library: it reads the fields of the public structs and the facts of
 * the number formats, which it keeps for itself (formats.h). Shapes must be valid.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdbool.h>
#include <stddef.h>

#include "relayout/shape.h"

/* Bytes of one element in memory where it is not packed; 0 for a type it does not know. */
size_t oracle_element_size(relayout_element_type type);

/* Bits that one element takes in this array: fewer than 8 where it is packed, more than its own in
 * a wider container. */
int64_t oracle_element_bits(const relayout_shape *shape);

/* Elements and bytes of the whole array: padding, tiles and tail included. */
int64_t oracle_element_count(const relayout_shape *shape);
size_t oracle_byte_size(const relayout_shape *shape);

/* The number in memory of the element at this index, which may lie in the padding. */
int64_t oracle_linear_index(const relayout_shape *shape, const int64_t *index);

/* Writes one element of the layout's padding, oracle_element_size(type) bytes. False, writing
 * nothing, when there is none to write: for PV(unknown), and for a value that the type lacks. */
bool oracle_padding(const relayout_layout *layout, relayout_element_type type,
                    unsigned char bytes[RELAYOUT_MAX_ELEMENT_SIZE]);

typedef struct oracle_options {
  bool wraps;   /* as in oracle_convert */
  double scale; /* likewise */
  /* NULL: as the layout says. Otherwise bytes to the next element along each dimension: of a side
   * without padding, tiles, packing and containers, whose pointer is that of the element at index
   * 0, ..., 0. */
  const int64_t *source_byte_strides;
  const int64_t *destination_byte_strides;
  bool to_nearest; /* as in oracle_convert */
  /* The side's elements, or both parts of complex ones, have their last byte first. */
  bool source_is_swapped;
  bool destination_is_swapped;
} oracle_options;

#define ORACLE_OPTIONS_INIT                                                                        \
  { false, 1.0, NULL, NULL, false, false, false }

/* Turns the destination's bytes as they were before into what they are after the relayout of
 * `source`. Both hold oracle_byte_size bytes, unless they are strided. */
void oracle_relayout_with(const oracle_options *options, const relayout_shape *from,
                          const relayout_shape *to, const void *source, void *destination);

/* The same as the layouts say, of values as they are or rounded to another type. */
void oracle_relayout(const relayout_shape *from, const relayout_shape *to, const void *source,
                     void *destination);

#endif
