/* mutant.h: which mutant a program runs as. scripts/mutants puts it into a copy of the sources. */
#ifndef RELAYOUT_MUTANT_H
#define RELAYOUT_MUTANT_H

#include <stddef.h>

/* The number that RELAYOUT_MUTANT names; -1 where it names none. */
extern int rlt_mutant;

/* A byte for each number, set once it could have been on; NULL where nobody asks. */
extern unsigned char *rlt_mutants_reached;

static inline int rlt_mutant_is(int number) {
  if (__builtin_expect(rlt_mutants_reached != NULL, 0)) {
    rlt_mutants_reached[number] = 1;
  }
  return rlt_mutant == number;
}

#endif
