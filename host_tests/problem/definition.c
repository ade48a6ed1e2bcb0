/* definition.c: counts through the digits of a problem, one element after the other, and makes
 * random problems. None of the code that it judges is called. */
#include "problem/definition.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle/conversion.h"

/* Counts the digits up by one; false after the last. */
static bool next_digits(const rlt_problem *problem, int64_t *digits) {
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    if (++digits[a] < problem->axes[a].extent) {
      return true;
    }
    digits[a] = 0;
  }
  return false;
}

static bool has_source(const rlt_problem *problem, const int64_t *digits) {
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    if (digits[a] >= problem->axes[a].valid) {
      return false;
    }
  }
  return true;
}

/* Where the program leads from `number`, and where it puts that; false where it ends at a bound. */
static bool follow_program(const rlt_index_program *program, int64_t number, int64_t *found,
                           int64_t *place) {
  int64_t numbers[RLT_MOST_NUMBERS] = {number};
  for (int32_t s = 0; s < program->count; ++s) {
    const rlt_index_op *const op = &program->of[s];
    int64_t *const to = &numbers[op->to];
    int64_t *const from = &numbers[op->from];
    switch ((rlt_index_op_kind)op->kind) {
    case RLT_INDEX_SPLIT:
      *to = *from % op->size;
      *from = *from / op->size;
      break;
    case RLT_INDEX_JOIN:
      *to = *to * op->size + *from;
      break;
    case RLT_INDEX_BOUND:
      if (*to >= op->size) {
        *place = program->place > 0 ? numbers[program->place] : number;
        return false;
      }
      break;
    case RLT_INDEX_ADD:
      *to += *from * op->size;
      break;
    }
  }
  *found = numbers[program->result];
  *place = program->place > 0 ? numbers[program->place] : number;
  return true;
}

void definition_map(const rlt_problem *problem, int64_t *source_of) {
  for (int64_t p = 0; p < problem->destination_elements; ++p) {
    source_of[p] = DEFINITION_UNTOUCHED;
  }
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    if (problem->axes[a].extent == 0) {
      return;
    }
  }
  bool *named = calloc((size_t)problem->destination_elements + 1, sizeof *named);
  int64_t digits[RLT_MAX_AXES] = {0};
  do {
    int64_t from = problem->source_start;
    int64_t to = problem->destination_start;
    bool comes = has_source(problem, digits);
    for (int32_t a = 0; a < problem->axis_count; ++a) {
      from += digits[a] * problem->axes[a].source_stride;
      to += digits[a] * problem->axes[a].destination_stride;
    }
    if (problem->index_program != NULL) {
      int64_t found = 0;
      int64_t place = 0;
      comes = follow_program(problem->index_program, digits[0], &found, &place) && comes;
      from = problem->source_start + found;
      to = problem->destination_start + place;
    }
    if (named[to]) {
      source_of[to] = DEFINITION_TWICE;
    } else if (comes) {
      source_of[to] = from;
    } else if (problem->fills) {
      source_of[to] = DEFINITION_FILLED;
    }
    named[to] = true;
  } while (next_digits(problem, digits));
  free(named);
}

/* How many bits of its byte lie below a packed element. */
static int64_t bits_below(int64_t at, int64_t packed, bool high) {
  const int64_t before = at * packed % 8;
  return high ? 8 - packed - before : before;
}

/* Element `at` of a buffer, in a word of its own. */
static void take_element(const uint8_t *buffer, int64_t at, int64_t packed, bool high, size_t size,
                         uint8_t *word) {
  if (packed == 0) {
    memcpy(word, buffer + (size_t)at * size, size);
  } else {
    word[0] =
        (uint8_t)(buffer[at * packed / 8] >> bits_below(at, packed, high) & ((1 << packed) - 1));
  }
}

static void put_element(uint8_t *buffer, int64_t at, int64_t packed, bool high, size_t size,
                        const uint8_t *word) {
  if (packed == 0) {
    memcpy(buffer + (size_t)at * size, word, size);
    return;
  }
  const int64_t shift = bits_below(at, packed, high);
  const int64_t mask = ((1 << packed) - 1) << shift;
  uint8_t *const byte = &buffer[at * packed / 8];
  *byte = (uint8_t)((*byte & ~mask) | (word[0] << shift & mask));
}

static void convert(const rlt_conversion *conversion, uint8_t *word) {
  if (conversion->from != RELAYOUT_ELEMENT_TYPE_INVALID) {
    oracle_convert(conversion->from, conversion->to, conversion->wraps,
                   conversion->rounds_to_nearest, conversion->scale, word, word);
  }
}

/* Reverses the order of the elements of `reversed_bits` bits within each byte. */
static void reverse(const rlt_problem *problem, uint8_t *word) {
  const int64_t bits = problem->reversed_bits;
  for (int64_t b = 0; bits > 0 && b < problem->element_bytes; ++b) {
    const uint8_t was = word[b];
    word[b] = 0;
    for (int64_t at = 0; at < 8 / bits; ++at) {
      put_element(word, 8 * b / bits + at, bits, true, 1,
                  &(uint8_t){(uint8_t)(was >> at * bits & ((1 << bits) - 1))});
    }
  }
}

static void shuffle(const rlt_problem *problem, uint8_t *word) {
  uint8_t was[RELAYOUT_MAX_ELEMENT_SIZE];
  memcpy(was, word, sizeof was);
  for (int64_t b = 0; problem->shuffles && b < problem->element_bytes; ++b) {
    word[b] = was[problem->shuffle[b]];
  }
}

void definition_relayout(const rlt_problem *problem, const void *source, void *destination) {
  const size_t size = (size_t)problem->element_bytes;
  const size_t destination_size = (size_t)rlt_problem_destination_bytes(problem);
  const int64_t packed = problem->destination_packed;
  const bool high = problem->destination_high;
  int64_t *source_of = calloc((size_t)problem->destination_elements + 1, sizeof *source_of);
  definition_map(problem, source_of);
  for (int64_t p = 0; p < problem->destination_elements; ++p) {
    uint8_t word[RELAYOUT_MAX_ELEMENT_SIZE];
    if (source_of[p] >= 0) {
      take_element(source, source_of[p], problem->source_packed, problem->source_high, size, word);
      shuffle(problem, word);
      reverse(problem, word);
      convert(&problem->conversion, word);
      put_element(destination, p, packed, high, destination_size, word);
    } else if (source_of[p] == DEFINITION_FILLED) {
      put_element(destination, p, packed, high, destination_size, problem->fill);
    }
  }
  const uint8_t nothing = 0;
  for (int64_t p = problem->destination_elements; packed > 0 && p * packed % 8 != 0; ++p) {
    put_element(destination, p, packed, high, 1, &nothing);
  }
  free(source_of);
}

int64_t definition_random(uint64_t *seed, int64_t below) {
  uint64_t z = (*seed += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (int64_t)((z ^ (z >> 31)) % (uint64_t)below);
}

rlt_problem definition_random_problem(uint64_t *seed) {
  rlt_problem problem = {.element_bytes = INT64_C(1) << definition_random(seed, 5)};
  problem.axis_count = (int32_t)definition_random(seed, 6);
  problem.fills = definition_random(seed, 2) == 1;
  for (int64_t b = 0; b < problem.element_bytes; ++b) {
    problem.fill[b] = (uint8_t)definition_random(seed, 256);
  }

  /* Destination strides grow by at least what lies below, so that no two digit lists meet; source
   * strides are dense in a shuffled order half of the time, anything else the other half. */
  int64_t destination_span = 1;
  int64_t source_span = 1;
  const bool dense_source = definition_random(seed, 2) == 1;
  int32_t order[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  for (int32_t a = problem.axis_count - 1; a > 0; --a) {
    const int32_t other = (int32_t)definition_random(seed, a + 1);
    const int32_t swapped = order[a];
    order[a] = order[other];
    order[other] = swapped;
  }
  for (int32_t a = 0; a < problem.axis_count; ++a) {
    rlt_axis *axis = &problem.axes[a];
    axis->extent = definition_random(seed, 40) == 0 ? 0 : 1 + definition_random(seed, 9);
    axis->valid =
        definition_random(seed, 3) > 0 ? axis->extent : definition_random(seed, axis->extent + 1);
    axis->destination_stride =
        destination_span * (definition_random(seed, 4) == 0 ? 1 + definition_random(seed, 2) : 1);
    destination_span = axis->destination_stride * (axis->extent > 0 ? axis->extent : 1);
  }
  for (int32_t i = 0; i < problem.axis_count; ++i) {
    rlt_axis *axis = &problem.axes[order[i]];
    axis->source_stride = dense_source ? source_span : definition_random(seed, 12);
    source_span *= axis->extent > 0 ? axis->extent : 1;
  }
  problem.source_elements = 1;
  problem.destination_elements = 1;
  for (int32_t a = 0; a < problem.axis_count; ++a) {
    const int64_t last = problem.axes[a].extent > 0 ? problem.axes[a].extent - 1 : 0;
    problem.source_elements += last * problem.axes[a].source_stride;
    problem.destination_elements += last * problem.axes[a].destination_stride;
  }
  return problem;
}

rlt_problem definition_with_runs(const rlt_problem *problem, int64_t length) {
  rlt_problem made = *problem;
  made.source_start *= length;
  made.destination_start *= length;
  made.source_elements *= length;
  made.destination_elements *= length;
  made.axis_count = problem->axis_count + 1;
  made.axes[0] = (rlt_axis){length, length, 1, 1};
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    made.axes[a + 1] = problem->axes[a];
    made.axes[a + 1].source_stride *= length;
    made.axes[a + 1].destination_stride *= length;
  }
  return made;
}

void definition_print(const rlt_problem *problem) {
  fprintf(stderr,
          "problem: %" PRId64 "-byte elements, packed %" PRId64 "%s -> %" PRId64 "%s, from %" PRId64
          " to %" PRId64 ", %s\n",
          problem->element_bytes, problem->source_packed, problem->source_high ? " high" : "",
          problem->destination_packed, problem->destination_high ? " high" : "",
          problem->source_start, problem->destination_start,
          problem->fills ? "fills" : "leaves the rest alone");
  if (problem->conversion.from != RELAYOUT_ELEMENT_TYPE_INVALID) {
    fprintf(stderr, "  type %d -> %d, %s, scale %a\n", (int)problem->conversion.from,
            (int)problem->conversion.to, problem->conversion.wraps ? "wraps" : "saturates",
            problem->conversion.scale);
  }
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const rlt_axis *axis = &problem->axes[a];
    fprintf(stderr,
            "  axis %" PRId32 ": extent %" PRId64 " valid %" PRId64 " strides %" PRId64
            " -> %" PRId64 "\n",
            a, axis->extent, axis->valid, axis->source_stride, axis->destination_stride);
  }
}
