/* moves.c: makes sources and guarded destinations, and judges what a relayout left in them. */
#include "faults/moves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faults/harness.h"
#include "oracle/oracle.h"

static uint8_t *bytes_for(const move *of) {
  uint8_t *const made = malloc(of->destination_size + 2 * MOVE_GUARD);
  if (made == NULL) {
    perror("no memory for a move");
    exit(1);
  }
  return made;
}

/* Every byte a small one, so that read as floats they are numbers. */
static void fill_source(const move *of) {
  for (size_t i = 0; i < of->source_size; ++i) {
    of->source[i] = (uint8_t)(i * 37 % 113 + i / 256 % 7);
  }
}

void move_make(move *made) {
  if (made->source != NULL) {
    return;
  }
  MUST(relayout_shape_parse(made->from_text, &made->from, &trial_error));
  MUST(relayout_shape_parse(made->to_text, &made->to, &trial_error));
  made->source_size = oracle_byte_size(&made->from);
  made->destination_size = oracle_byte_size(&made->to);
  made->source = malloc(made->source_size);
  made->poison = bytes_for(made);
  made->expected = bytes_for(made);
  made->room = bytes_for(made);
  if (made->source == NULL) {
    perror("no memory for a move");
    exit(1);
  }
  fill_source(made);
  memset(made->poison, 0xa7, made->destination_size + 2 * MOVE_GUARD);
  memcpy(made->expected, made->poison, made->destination_size + 2 * MOVE_GUARD);
  oracle_options options = ORACLE_OPTIONS_INIT;
  options.scale = made->scale != 0 ? made->scale : 1;
  oracle_relayout_with(&options, &made->from, &made->to, made->source, made->expected + MOVE_GUARD);
}

relayout_plan_options move_options(const move *of) {
  relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
  options.scale = of->scale != 0 ? of->scale : 1;
  return options;
}

uint8_t *move_destination(const move *of) {
  memcpy(of->room, of->poison, of->destination_size + 2 * MOVE_GUARD);
  return of->room + MOVE_GUARD;
}

move_outcome move_outcome_of(const move *of) {
  const size_t size = of->destination_size + 2 * MOVE_GUARD;
  if (memcmp(of->room, of->expected, size) == 0) {
    return MOVE_WHOLE;
  }
  if (memcmp(of->room, of->poison, size) == 0) {
    return MOVE_UNTOUCHED;
  }
  for (size_t i = 0; i < size; ++i) {
    if (of->room[i] != of->expected[i] && of->room[i] != of->poison[i]) {
      return MOVE_WRONG;
    }
  }
  return MOVE_PARTLY;
}

void move_expect_right(const move *of, const relayout_plan *plan) {
  MUST(relayout_plan_execute(plan, of->source, move_destination(of), &trial_error));
  EXPECT(move_outcome_of(of) == MOVE_WHOLE);
}
