/* generator.h: what the families of cases are made with.
 *
 * Depends on random.h, trial.h and the oracle.
 */
#ifndef CONFORMANCE_GENERATOR_H
#define CONFORMANCE_GENERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "conformance/cases.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* How many requests of a family make one case at each level. */
typedef struct thinning {
  uint32_t tiny;
  uint32_t quick;
  uint32_t full;
} thinning;

typedef struct generator {
  conformance_level level;
  bool compiles; /* the device compiles a kernel for each pair of types, which takes its time */
  cases_visitor visit;
  void *context;
  uint64_t seed;
  uint64_t number;           /* of the request, taken or not */
  uint32_t period;           /* of the current family */
  uint64_t random;           /* what the current request draws from */
  bool draws_packing_orders; /* packed sides are high bits first or not, and one is at least */
} generator;

typedef struct dimension_list {
  int32_t rank;
  int64_t dimensions[8];
} dimension_list;

typedef enum padded_sides {
  PAD_NEITHER,
  PAD_SOURCE,
  PAD_DESTINATION,
  PAD_BOTH,
} padded_sides;
enum { PADDED_SIDES = 4 };

void generator_begin_family(generator *g, thinning every);

/* Passes on to the next request; whether the level takes it. */
bool generator_take_next(generator *g);

/* Has it tried, unless it is too large for the level. */
void generator_visit(const generator *g, const request *asked);

/* The same for two shapes and nothing else. */
void generator_visit_pair(const generator *g, const relayout_shape *from, const relayout_shape *to);

/* Whether the next of `count` equal chances is the one. */
bool generator_chance(generator *g, int64_t count);

/* Orders of dimensions by their number in 0 .. rank!-1; number 0 is descending. */
uint32_t generator_orders(int32_t rank);
relayout_shape generator_shape(relayout_element_type type, int32_t rank, const int64_t *dimensions,
                               uint32_t order);
/* Any order. */
relayout_shape generator_draw_shape(generator *g, relayout_element_type type,
                                    const dimension_list *list);

void generator_pad(generator *g, padded_sides sides, relayout_shape *from, relayout_shape *to);

/* One of a type of each element size. */
enum { ELEMENT_SIZES = 5 };
extern const relayout_element_type generator_types_by_size[ELEMENT_SIZES];
relayout_element_type generator_any_size(generator *g);
padded_sides generator_any_sides(generator *g);

#endif
