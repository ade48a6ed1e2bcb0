/* widen.c: joins elements that always move together into one word: whole axes in any order, or
 * parts of a run that both sides have. */
#include <string.h>

#include "base/checked.h"
#include "problem/problem.h"

void rlt_problem_count_in_words(rlt_problem *problem, int32_t first, int64_t elements) {
  problem->source_start /= elements;
  problem->destination_start /= elements;
  problem->source_elements /= elements;
  problem->destination_elements /= elements;
  for (int32_t a = first; a < problem->axis_count; ++a) {
    problem->axes[a].source_stride /= elements;
    problem->axes[a].destination_stride /= elements;
  }
}

static bool divides(int64_t factor, int64_t a, int64_t b) {
  return a % factor == 0 && b % factor == 0;
}

/* True if all axes from `first` on step by whole words of this many elements. */
static bool divides_steps(const rlt_problem *problem, int32_t first, int64_t elements) {
  bool divided = divides(elements, problem->source_start, problem->destination_start);
  for (int32_t a = first; a < problem->axis_count; ++a) {
    const rlt_axis *const axis = &problem->axes[a];
    divided = divided && divides(elements, axis->source_stride, axis->destination_stride);
  }
  return divided;
}

/* ---- Whole axes ---- */

/* True if the first `count` axes, together `length` elements, have no gap on either side. */
static bool lie_together(const rlt_problem *problem, int32_t count, int64_t length) {
  int64_t source_span = 1;
  int64_t destination_span = 1;
  for (int32_t a = 0; a < count; ++a) {
    const rlt_axis *const axis = &problem->axes[a];
    if (axis->valid != axis->extent || axis->source_stride <= 0) {
      return false;
    }
    source_span += (axis->extent - 1) * axis->source_stride;
    destination_span += (axis->extent - 1) * axis->destination_stride;
  }
  return source_span == length && destination_span == length &&
         divides_steps(problem, count, length) &&
         divides(length, problem->source_elements, problem->destination_elements);
}

/* How many of the innermost axes make a word, as many as possible; 0 if none. */
static int32_t axes_of_word(const rlt_problem *problem, int64_t *length) {
  const int64_t most = RELAYOUT_MAX_ELEMENT_SIZE / problem->element_bytes;
  int32_t found = 0;
  int64_t all = 1;
  *length = 1;
  for (int32_t a = 0; a < problem->axis_count && problem->axes[a].extent <= most / all; ++a) {
    all *= problem->axes[a].extent;
    if ((all & (all - 1)) == 0 && lie_together(problem, a + 1, all)) {
      found = a + 1;
      *length = all;
    }
  }
  return found;
}

/* The source of each element of a word, repeated. */
static void set_shuffle(rlt_problem *problem, int32_t count, int64_t length) {
  const int64_t bytes = problem->element_bytes;
  for (int64_t at = 0; at < RELAYOUT_MAX_ELEMENT_SIZE / bytes; ++at) {
    int64_t rest = at % length;
    int64_t to = 0;
    int64_t from = 0;
    for (int32_t a = 0; a < count; ++a) {
      const rlt_axis *const axis = &problem->axes[a];
      to += rest % axis->extent * axis->destination_stride;
      from += rest % axis->extent * axis->source_stride;
      rest /= axis->extent;
    }
    const int64_t word = at - at % length;
    for (int64_t b = 0; b < bytes; ++b) {
      problem->shuffle[(word + to) * bytes + b] = (uint8_t)((word + from) * bytes + b);
    }
    problem->shuffles = problem->shuffles || to != from;
  }
}

/* Makes words of `length` elements each; positions are in words already. */
static void set_wider_word(rlt_problem *problem, int64_t length) {
  for (int64_t i = 1; i < length; ++i) {
    memcpy(problem->fill + i * problem->element_bytes, problem->fill,
           (size_t)problem->element_bytes);
  }
  memcpy(problem->fill_word, problem->fill, sizeof problem->fill_word);
  problem->element_bytes *= length;
}

/* True if elements keep their bits, or are bytes that are only reversed, in words of any width. */
static bool may_join(const rlt_problem *problem) {
  return problem->index_program == NULL &&
         (rlt_problem_keeps_elements(problem) || rlt_problem_only_reverses(problem));
}

void rlt_problem_widen(rlt_problem *problem) {
  if (!may_join(problem) || rlt_problem_is_fill(problem) || rlt_problem_is_empty(problem)) {
    return;
  }
  int64_t length;
  const int32_t count = axes_of_word(problem, &length);
  if (count == 0 || count == problem->axis_count) {
    return; /* a single word needs no axis */
  }
  set_shuffle(problem, count, length);
  problem->axis_count -= count;
  memmove(problem->axes, problem->axes + count,
          (size_t)problem->axis_count * sizeof problem->axes[0]);
  rlt_problem_count_in_words(problem, 0, length);
  set_wider_word(problem, length);
}

/* ---- Parts of runs ---- */

/* True if `length` elements along axis 0 always move, or are filled, together. */
static bool words_stay_whole(const rlt_problem *problem, int64_t length) {
  const rlt_axis *const run = &problem->axes[0];
  return problem->axis_count > 0 && run->source_stride == 1 && run->destination_stride == 1 &&
         divides(length, run->extent, run->valid) && divides_steps(problem, 1, length);
}

static void divide_run(rlt_problem *problem, int64_t length) {
  problem->axes[0].extent /= length;
  problem->axes[0].valid /= length;
  rlt_problem_count_in_words(problem, 1, length);
}

void rlt_problem_widen_runs(rlt_problem *problem) {
  int64_t length = RELAYOUT_MAX_ELEMENT_SIZE / problem->element_bytes;
  if (!may_join(problem)) {
    return;
  }
  while (length > 1 && !words_stay_whole(problem, length)) {
    length /= 2;
  }
  if (length == 1) {
    return;
  }
  divide_run(problem, length);
  set_wider_word(problem, length);
  rlt_problem_simplify(problem); /* axis 0 may be a single word */
}

/* Of the packed elements of both sides, which take as many bits, so many become one. */
static void join_packed(rlt_problem *problem, int64_t count) {
  const int64_t narrow = problem->source_packed, bits = count * narrow;
  const unsigned fill = problem->fill[0] & ((1u << narrow) - 1);
  problem->fill[0] = (uint8_t)(fill * (((1u << bits) - 1) / ((1u << narrow) - 1)));
  problem->fill_word[0] = problem->fill[0];
  problem->source_packed = bits < 8 ? bits : 0;
  problem->destination_packed = problem->source_packed;
  if (bits == 8) {
    problem->source_high = problem->destination_high = false;
  }
  /* the last ones may be fewer */
  problem->source_elements = rlt_divide_up(problem->source_elements, count) * count;
  problem->destination_elements = rlt_divide_up(problem->destination_elements, count) * count;
  divide_run(problem, count);
}

void rlt_problem_widen_packed(rlt_problem *problem) {
  const int64_t bits = problem->source_packed;
  if (bits == 0 || bits != problem->destination_packed || rlt_converts(&problem->conversion)) {
    return;
  }
  if (!rlt_problem_packs_alike(problem) && words_stay_whole(problem, 8 / bits)) {
    join_packed(problem, 8 / bits);
    problem->reversed_bits = bits;
    return;
  }
  while (problem->source_packed > 0 && rlt_problem_packs_alike(problem) &&
         words_stay_whole(problem, 2)) {
    join_packed(problem, 2);
  }
}
