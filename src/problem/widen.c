/* widen.c: elements that always move together, as one word: whole axes in whatever order, or parts
 * of a run that both sides have. */
#include <string.h>

#include "problem/problem.h"

/* Whether the first `count` axes, together `length` elements, lie without a gap on both sides. */
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
  if (source_span != length || destination_span != length) {
    return false;
  }
  for (int32_t a = count; a < problem->axis_count; ++a) {
    if (problem->axes[a].source_stride % length != 0 ||
        problem->axes[a].destination_stride % length != 0) {
      return false;
    }
  }
  return problem->source_start % length == 0 && problem->destination_start % length == 0 &&
         problem->source_elements % length == 0 && problem->destination_elements % length == 0;
}

/* How many of the innermost axes make a word, as many as can; 0: none do. */
static int32_t axes_of_word(const rlt_problem *problem, int64_t *length) {
  const int64_t most = RELAYOUT_MAX_ELEMENT_SIZE / problem->element_bytes;
  int32_t found = 0;
  int64_t all = 1;
  *length = 1;
  for (int32_t a = 0; a < problem->axis_count && problem->axes[a].extent <= most / all; ++a) {
    all *= problem->axes[a].extent;
    if (all > 1 && (all & (all - 1)) == 0 && lie_together(problem, a + 1, all)) {
      found = a + 1;
      *length = all;
    }
  }
  return found;
}

/* Where each element of a word comes from, over and over. */
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

/* States the problem in words of `length` elements; its axes already are. */
static void state_in_words(rlt_problem *problem, int64_t length) {
  for (int64_t i = 1; i < length; ++i) {
    memcpy(problem->fill + i * problem->element_bytes, problem->fill,
           (size_t)problem->element_bytes);
  }
  memcpy(problem->fill_word, problem->fill, sizeof problem->fill_word);
  problem->element_bytes *= length;
  problem->source_start /= length;
  problem->destination_start /= length;
  problem->source_elements /= length;
  problem->destination_elements /= length;
}

void rlt_problem_widen(rlt_problem *problem) {
  if (problem->index_program != NULL || !rlt_problem_keeps_elements(problem) ||
      rlt_problem_is_fill(problem) || rlt_problem_is_empty(problem)) {
    return;
  }
  int64_t length;
  const int32_t count = axes_of_word(problem, &length);
  if (count == 0 || count == problem->axis_count) {
    return; /* a single word needs no moving of words */
  }
  set_shuffle(problem, count, length);
  problem->axis_count -= count;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    problem->axes[a] = problem->axes[a + count];
    problem->axes[a].source_stride /= length;
    problem->axes[a].destination_stride /= length;
  }
  state_in_words(problem, length);
}

static bool divides(int64_t factor, int64_t a, int64_t b) {
  return a % factor == 0 && b % factor == 0;
}

/* Whether `factor` elements along axis 0 always move, or are filled, together. */
static bool words_stay_whole(const rlt_problem *problem, int64_t factor) {
  const bool has_source = !rlt_problem_is_fill(problem);
  const rlt_axis *const run = &problem->axes[0];
  bool whole =
      divides(factor, problem->destination_start, has_source ? problem->source_start : 0) &&
      divides(factor, run->extent, run->valid) && run->destination_stride == 1 &&
      (!has_source || run->source_stride == 1);
  for (int32_t a = 1; a < problem->axis_count; ++a) {
    const rlt_axis *const axis = &problem->axes[a];
    whole =
        whole && divides(factor, axis->destination_stride, has_source ? axis->source_stride : 0);
  }
  return whole;
}

void rlt_problem_widen_runs(rlt_problem *problem) {
  int64_t factor = RELAYOUT_MAX_ELEMENT_SIZE / problem->element_bytes;
  if (problem->index_program != NULL || problem->axis_count == 0 ||
      !rlt_problem_keeps_elements(problem)) {
    return;
  }
  while (factor > 1 && !words_stay_whole(problem, factor)) {
    factor /= 2;
  }
  if (factor == 1) {
    return;
  }
  problem->axes[0].extent /= factor;
  problem->axes[0].valid /= factor;
  for (int32_t a = 1; a < problem->axis_count; ++a) {
    problem->axes[a].source_stride /= factor;
    problem->axes[a].destination_stride /= factor;
  }
  state_in_words(problem, factor);
  rlt_problem_simplify(problem); /* axis 0 may be a single word */
}
