/* lookup.c: tiles moved element by element, by the axes or by an index program. */
#include <string.h>

#include "convert/convert.h"
#include "convert/packing.h"
#include "cpu/executable.h"

static void read_word(const rlt_problem *problem, const uint8_t *source, int64_t position,
                      uint8_t *word) {
  if (problem->source_packed > 0) {
    word[0] = rlt_packed_get(source, position, problem->source_packed, problem->source_high);
  } else {
    memcpy(word, source + position * problem->element_bytes, (size_t)problem->element_bytes);
  }
}

static void write_word(const rlt_problem *problem, uint8_t *destination, int64_t position,
                       const uint8_t *word) {
  const int64_t bytes = rlt_problem_destination_bytes(problem);
  if (problem->destination_packed > 0) {
    rlt_packed_put(destination, position, problem->destination_packed, problem->destination_high,
                   word[0]);
  } else {
    memcpy(destination + position * bytes, word, (size_t)bytes);
  }
}

static void move_element(const rlt_problem *problem, const uint8_t *source, int64_t from,
                         uint8_t *destination, int64_t to) {
  uint8_t word[RELAYOUT_MAX_ELEMENT_SIZE];
  uint8_t changed[RELAYOUT_MAX_ELEMENT_SIZE];
  read_word(problem, source, from, word);
  const bool converts = rlt_converts(&problem->conversion);
  for (int64_t b = 0; b < problem->element_bytes && problem->reversed_bits > 0; ++b) {
    word[b] = rlt_packed_reverse(word[b], problem->reversed_bits);
  }
  if (problem->source_swapped) {
    rlt_turn_bytes(word, problem->element_bytes, 1);
  }
  if (converts) {
    rlt_convert_elements(&problem->conversion, word, changed, 1);
  }
  if (problem->destination_swapped) {
    rlt_turn_bytes(changed, rlt_problem_destination_bytes(problem), 1);
  }
  write_word(problem, destination, to, converts ? changed : word);
}

static void clear_spare_bits(const rlt_problem *problem, uint8_t *destination) {
  const int64_t bits = problem->destination_elements * problem->destination_packed;
  if (bits % 8 != 0) {
    destination[bits / 8] &= rlt_packed_used(bits % 8, problem->destination_high);
  }
}

static void look_up_by_program(const rlt_problem *problem, const uint8_t *source,
                               uint8_t *destination, int64_t first, int64_t count) {
  int64_t numbers[RLT_MOST_NUMBERS];
  const rlt_index_program *const program = problem->index_program;
  for (int64_t number = first; number < first + count; ++number) {
    numbers[0] = number;
    const bool has_source = rlt_index_program_run(program, numbers);
    const int64_t to =
        problem->destination_start + (program->place > 0 ? numbers[program->place] : number);
    if (has_source) {
      move_element(problem, source, problem->source_start + numbers[program->result], destination,
                   to);
    } else if (problem->fills) {
      write_word(problem, destination, to, problem->fill);
    }
  }
  if (first + count == problem->destination_elements) {
    clear_spare_bits(problem, destination);
  }
}

void rlt_cpu_look_up(const rlt_cpu_call *call, const rlt_tile *tile) {
  const rlt_cpu_executable *const made = call->made;
  const rlt_problem *const problem = made->problem;
  const uint8_t *const source = call->source;
  uint8_t *const destination = call->destination;
  if (problem->index_program != NULL) {
    look_up_by_program(problem, source, destination, tile->destination - problem->destination_start,
                       tile->columns);
    return;
  }
  const int64_t source_step = made->frame.source_column / problem->element_bytes;
  const int64_t destination_step = made->frame.destination_column / problem->element_bytes;
  for (int64_t c = 0; c < tile->columns; ++c) {
    const int64_t to = tile->destination + c * destination_step;
    if (c < tile->valid_columns) {
      move_element(problem, source, tile->source + c * source_step, destination, to);
    } else if (problem->fills) {
      write_word(problem, destination, to, problem->fill);
    }
  }
}
