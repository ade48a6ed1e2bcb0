/* moves.h: relayouts whose results are known, and destinations between guards. */
#ifndef HOST_TESTS_FAULTS_MOVES_H
#define HOST_TESTS_FAULTS_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/plan.h"

typedef struct move {
  const char *from_text;
  const char *to_text;
  double scale; /* 0: none */
  /* Made by move_make. */
  relayout_shape from;
  relayout_shape to;
  size_t source_size;
  size_t destination_size;
  uint8_t *source;
  uint8_t *poison;   /* what the destination holds before, guards included */
  uint8_t *expected; /* and after, by the oracle */
  uint8_t *room;     /* where relayouts write */
} move;

enum { MOVE_GUARD = 64 }; /* bytes on either side of the destination */

/* All of a move, which stays for the rest of the process. Nothing where it is made. */
void move_make(move *made);

relayout_plan_options move_options(const move *of);

/* A poisoned destination. */
uint8_t *move_destination(const move *of);

typedef enum move_outcome {
  MOVE_WHOLE,     /* every byte as the oracle says */
  MOVE_UNTOUCHED, /* every byte as it was */
  MOVE_PARTLY,    /* every byte as it was or as the oracle says */
  MOVE_WRONG
} move_outcome;

/* What the destination holds; the guards count. A move that changes nothing is whole. */
move_outcome move_outcome_of(const move *of);

/* A plan's relayout gives the right bytes: else the trial fails. */
void move_expect_right(const move *of, const relayout_plan *plan);

#endif
