/* oracle.h: what a plan of several destinations writes, element by element, without any rounding
 * that the headers do not ask for.
 *
 * Depends on exact.h, blocks.h and the conformance suite's oracle, which says where elements lie.
 * Views and options must be valid.
 */
#ifndef MANY_ORACLE_H
#define MANY_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "many/exact.h"
#include "relayout/scaled.h"

/* The logical elements of a source, the last dimension varying fastest. */
typedef struct many_values {
  size_t count;
  exact *numbers;
  /* Without scales and records: the elements' own bytes and their type. */
  unsigned char *elements;
  relayout_element_type type;
  /* Of records: where they are, of whom. */
  const relayout_scaled_view *view;
  const unsigned char *records;
} many_values;

/* `scale` is that of a plan's options. False when memory runs out. */
bool many_values_make(const relayout_scaled_view *view, double scale,
                      const relayout_source_memory *memory, many_values *made);
void many_values_free(many_values *values);

/* Turns a destination's bytes as they were before into what they are after. Returns the number of
 * records of which ggml's reference, and so this, does not say anything: their bytes stay, and
 * `unknown`, unless it is NULL, has a 1 for each of them, counted as they lie in memory. Returns -1
 * when memory runs out. */
int64_t many_write(const many_values *values, const relayout_scaled_view *view,
                   const relayout_plan_options *options, const relayout_destination_memory *memory,
                   unsigned char *unknown);

/* Record number `number`, as they lie one after the other, out of a side's memory or into it. */
void many_move_record(const relayout_scaled_view *view, const uint8_t *memory, size_t number,
                      uint8_t *record, bool puts);

/* Puts whole elements, the last dimension varying fastest, where a view has them; padding stays as
 * it is. */
void many_place(const relayout_view *view, const unsigned char *elements, void *memory);

/* How far behind the pointer that calls are given a view begins, and how many bytes it spans.
 * Records are those of `format`, unless it is none. */
void many_span(const relayout_view *view, relayout_block_format format, int64_t *lowest,
               size_t *bytes);

#endif
