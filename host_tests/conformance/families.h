/* families.h: the families of cases, each after one part of what layouts and options say. */
#ifndef CONFORMANCE_FAMILIES_H
#define CONFORMANCE_FAMILIES_H

#include "conformance/generator.h"

/* Tiles, beside padding, tails and orders. */
void tiled_cases_visit(generator *g);
/* Tiles that order what lies within a tile. */
void tile_order_cases_visit(generator *g);
/* Elements of 1, 2 and 4 bits. */
void packed_cases_visit(generator *g);
/* Elements in containers of 8, 16 and 32 bits. */
void container_cases_visit(generator *g);
/* Other types, scales, and integers that overflow. */
void converted_cases_visit(generator *g);
/* Sides given by byte strides. */
void strided_cases_visit(generator *g);

#endif
