/* arguments.h: cl/arguments.cl as C: the structs that kernels read. Depends on nothing. */
#ifndef RLT_GPU_ARGUMENTS_H
#define RLT_GPU_ARGUMENTS_H

#include <stdint.h>

#include "../../cl/arguments.cl"

/* Loops and tables follow their heads at once, aligned to eight bytes as they are. */
_Static_assert(sizeof(kernel_loop) == 40 && sizeof(kernel_side) == 64 && sizeof(kernel_grid) == 184,
               "a grid has no gaps");
_Static_assert(sizeof(kernel_slots) == 112, "what tables follow has no gaps");

#endif
