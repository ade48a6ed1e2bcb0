/* oracle.h: what a relayout is, said once more and on its own.
 *
 * The definition itself, element by element, written to be read and checked rather than to be fast.
 * It shares no code with the library: it reads the fields of the public structs and the facts of
 * the number formats, which it keeps for itself. Shapes must be valid and untiled.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdbool.h>
#include <stddef.h>

#include "relayout/shape.h"

/* Bytes of one element in memory; 0 for a type it does not know. */
size_t oracle_element_size(relayout_element_type type);

/* Bytes of the whole array, padding included. */
size_t oracle_byte_size(const relayout_shape *shape);

/* Writes one element of the layout's padding, oracle_element_size(type) bytes. False, writing
 * nothing, when there is none to write: for PV(unknown), and for a value that the type lacks. */
bool oracle_padding(const relayout_layout *layout, relayout_element_type type,
                    unsigned char bytes[RELAYOUT_MAX_ELEMENT_SIZE]);

/* Turns the destination's bytes as they were before into what they are after the relayout of
 * `source`. Both hold oracle_byte_size bytes. */
void oracle_relayout(const relayout_shape *from, const relayout_shape *to, const void *source,
                     void *destination);

#endif
