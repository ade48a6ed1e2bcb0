/* problem_text.c: a problem printed as one line of text. */
#include "problem/problem_text.h"

#include <inttypes.h>
#include <string.h>

#include "base/hash.h"

static void add_conversion(const rlt_conversion *conversion, rlt_text *text) {
  uint64_t scale;
  memcpy(&scale, &conversion->scale, sizeof scale);
  rlt_text_add(
      text, " converts %s:%s:%s:%016" PRIx64 "%s", relayout_element_type_name(conversion->from),
      relayout_element_type_name(conversion->to), conversion->wraps ? "wraps" : "saturates", scale,
      conversion->rounds_to_nearest ? ":nearest" : "");
}

static void add_shuffle(const uint8_t *shuffle, rlt_text *text) {
  rlt_text_add(text, " shuffles ");
  for (int i = 0; i < RELAYOUT_MAX_ELEMENT_SIZE; ++i) {
    rlt_text_add(text, "%02x", shuffle[i]);
  }
}

static void add_program(const rlt_index_program *program, rlt_text *text) {
  uint64_t hash = rlt_hash(RLT_HASH_START, &program->result, sizeof program->result);
  hash = rlt_hash(hash, &program->place, sizeof program->place);
  hash = rlt_hash(hash, program->of, (size_t)program->count * sizeof program->of[0]);
  rlt_text_add(text, " program %016" PRIx64, hash);
}

void rlt_problem_add_text(const rlt_problem *problem, rlt_text *text) {
  rlt_text_add(text, "bytes %" PRId64, problem->element_bytes);
  if (problem->source_packed > 0 || problem->destination_packed > 0) {
    rlt_text_add(text, " packed %" PRId64 ":%" PRId64, problem->source_packed,
                 problem->destination_packed);
  }
  if (problem->source_high || problem->destination_high) {
    rlt_text_add(text, " first %s:%s", problem->source_high ? "high" : "low",
                 problem->destination_high ? "high" : "low");
  }
  if (problem->reversed_bits > 0) {
    rlt_text_add(text, " reverses %" PRId64, problem->reversed_bits);
  }
  if (rlt_converts(&problem->conversion)) {
    add_conversion(&problem->conversion, text);
  }
  if (problem->source_swapped || problem->destination_swapped) {
    rlt_text_add(text, " orders %s:%s", problem->source_swapped ? "other" : "own",
                 problem->destination_swapped ? "other" : "own");
  }
  rlt_text_add(text, " elements %" PRId64 ":%" PRId64 " starts %" PRId64 ":%" PRId64,
               problem->source_elements, problem->destination_elements, problem->source_start,
               problem->destination_start);
  if (problem->shuffles) {
    add_shuffle(problem->shuffle, text);
  }
  if (rlt_problem_transposes_bits(problem)) {
    rlt_text_add(text, " swaps %" PRId64 ":%" PRId64, problem->transposed_bits,
                 problem->transposed_stride);
  }
  if (problem->index_program != NULL) {
    add_program(problem->index_program, text);
  }
  rlt_text_add(text, problem->fills ? " fills" : " keeps");
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const rlt_axis *const axis = &problem->axes[a];
    rlt_text_add(text, " %" PRId64 "/%" PRId64 ":%" PRId64 ":%" PRId64, axis->extent, axis->valid,
                 axis->source_stride, axis->destination_stride);
  }
}
