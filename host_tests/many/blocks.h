/* blocks.h: ggml's block formats by the definitions of its reference code, in plain float
 * arithmetic, each operation rounded on its own.
 *
 * Depends on exact.h, for f16.
 */
#ifndef MANY_BLOCKS_H
#define MANY_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/scaled.h"

/* The bytes of a record. */
size_t blocks_record_bytes(relayout_block_format format);

/* The 32 values of a record. */
void blocks_read(relayout_block_format format, const uint8_t *record, float *values);

/* The record of 32 values. False where the reference converts a number to an integer type that
 * cannot hold it, which C leaves undefined: a NaN, an infinity, or values so small that 1 over
 * their scale is an infinity. */
bool blocks_write(relayout_block_format format, const float *values, uint8_t *record);

/* A record of row `row` of a group of interleaved ones, and back. */
void blocks_take(const relayout_scaled_view *view, const uint8_t *group, int64_t row,
                 uint8_t *record);
void blocks_put(const relayout_scaled_view *view, const uint8_t *record, int64_t row,
                uint8_t *group);

#endif
