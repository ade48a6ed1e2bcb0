/* shard_picture.h: the parts of a small sharded tensor, drawn with the devices that hold them.
 * Depends on the public headers. */
#ifndef TOOLS_SHARD_PICTURE_H
#define TOOLS_SHARD_PICTURE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "relayout/sharding.h"

/* Draws a tensor of one or two dimensions, if its parts fit a terminal: a line for each part of
 * dimension 0, a column for each of dimension 1, headed by where they start, and in each the
 * devices that hold it, of those given. Draws nothing for others. */
void shard_picture_draw(const relayout_shape *shape, const relayout_sharding *sharding,
                        size_t device_count, const int64_t *devices, FILE *file);

#endif
