/* definition.h: carries out a problem element by element, as src/problem/problem.h defines it, to
 * compare with whatever carries it out in another order; and random problems. */
#ifndef HOST_TESTS_PROBLEM_DEFINITION_H
#define HOST_TESTS_PROBLEM_DEFINITION_H

#include <stdint.h>

#include "problem/problem.h"

/* What becomes of a destination element that no source element moves to. */
enum { DEFINITION_UNTOUCHED = -1, DEFINITION_FILLED = -2, DEFINITION_TWICE = -3 };

/* For each of destination_elements positions the source position that moves there, or one of the
 * above. DEFINITION_TWICE marks a position that two digit lists name, which no problem may have. */
void definition_map(const rlt_problem *problem, int64_t *source_of);

/* The same on bytes: what `destination` holds after the relayout, of a problem whose bits are not
 * transposed. */
void definition_relayout(const rlt_problem *problem, const void *source, void *destination);

/* A problem at random, for a seed: up to 5 small axes of any stride the destination allows, valid
 * counts and fills; sources of any stride, 0 and shared ones included. */
rlt_problem definition_random_problem(uint64_t *seed);

/* The same with a run of so many elements for each of its elements. */
rlt_problem definition_with_runs(const rlt_problem *problem, int64_t length);

/* A number in 0 .. below-1 (splitmix64); moves the seed on. */
int64_t definition_random(uint64_t *seed, int64_t below);

/* Prints the problem to stderr, for a failing test. */
void definition_print(const rlt_problem *problem);

#endif
