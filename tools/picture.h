/* picture.h: a small array and its memory, drawn with letters. Depends on the public headers. */
#ifndef TOOLS_PICTURE_H
#define TOOLS_PICTURE_H

#include <stdbool.h>
#include <stdio.h>

#include "relayout/shape.h"

/* Whether the array has elements, and so few of them that its picture fits a terminal. */
bool picture_is_possible(const relayout_shape *shape);

/* Draws what picture_is_possible allows: elements are a, b, c, ... with the last dimension
 * fastest, padding is its value. First the array, for 2 to 4 dimensions, which are named y x, z
 * y x and p z y x as XLA's documentation does; then its memory, first element first, with |
 * between the innermost tiles. */
void picture_draw(const relayout_shape *shape, FILE *file);

#endif
