/* formula.c: see formula.h. */
#include "emit/formula.h"

#include "base/checked.h"
#include "metadata/widths.h"

/* Numbers are a tiling's: one for each dimension, at least one, and one for each split. */
enum { MOST_NUMBERS = RELAYOUT_MAX_RANK + RELAYOUT_MAX_TILE_DIMENSIONS };

/* ---- Digits and sums ------------------------------------------------------------------------ */

static int64_t quotients_of(const rlt_formula *formula, const rlt_term *term) {
  const int64_t bound = rlt_max(formula->variables[term->variable].bound, 1);
  return (bound - 1) / term->divisor + 1;
}

int64_t rlt_digit_size(const rlt_formula *formula, const rlt_term *term) {
  const int64_t quotients = quotients_of(formula, term);
  return term->modulus == 0 ? quotients : rlt_min(quotients, term->modulus);
}

int64_t rlt_sum_size(const rlt_formula *formula, int32_t sum) {
  int64_t size = 1;
  for (int32_t t = sum; t != RLT_NO_TERM; t = formula->terms[t].next) {
    size += formula->terms[t].factor * (rlt_digit_size(formula, &formula->terms[t]) - 1);
  }
  return size;
}

static int32_t add_term(rlt_formula *formula, rlt_term term) {
  formula->terms[formula->term_count] = term;
  return formula->term_count++;
}

static int32_t add_variable(rlt_formula *formula, int32_t sum, int64_t bound) {
  formula->variables[formula->variable_count] = (rlt_variable){sum, bound};
  return formula->variable_count++;
}

static int32_t sum_of_variable(rlt_formula *formula, int32_t variable) {
  return add_term(formula, (rlt_term){variable, RLT_NO_TERM, .factor = 1, .divisor = 1});
}

static int32_t name_sum(rlt_formula *formula, int32_t sum) {
  return sum_of_variable(formula, add_variable(formula, sum, rlt_sum_size(formula, sum)));
}

/* Takes out digits that are always 0, and moduli that are greater than what they are of. */
static void tidy(rlt_formula *formula, int32_t *sum) {
  int32_t *at = sum;
  while (*at != RLT_NO_TERM) {
    rlt_term *const term = &formula->terms[*at];
    if (term->modulus >= quotients_of(formula, term)) {
      term->modulus = 0;
    }
    if (rlt_digit_size(formula, term) == 1) {
      *at = term->next;
    } else {
      at = &term->next;
    }
  }
}

/* ---- Splitting and joining ------------------------------------------------------------------ */

/* Of a digit that reaches past `size`, how many values lie below; 0 where it cannot be split. */
static int64_t values_below(const rlt_formula *formula, const rlt_term *term, int64_t size) {
  const int64_t below = size / term->factor;
  const bool is_split = term->factor < size && size % term->factor == 0 &&
                        rlt_digit_size(formula, term) > below && term->modulus % below == 0;
  return is_split ? below : 0;
}

/* Whether the terms whose factors `size` does not divide stay below it, apart from parts of digits
 * whose factors it does divide. */
static bool is_separable(const rlt_formula *formula, int32_t sum, int64_t size) {
  int64_t most = 0;
  for (int32_t t = sum; t != RLT_NO_TERM; t = formula->terms[t].next) {
    const rlt_term *const term = &formula->terms[t];
    if (term->factor % size != 0) {
      const int64_t below = values_below(formula, term, size);
      most += term->factor * ((below > 0 ? below : rlt_digit_size(formula, term)) - 1);
    }
  }
  return most < size;
}

/* Splits the digit of term `t` by its factor into values below and above; returns the upper one. */
static int32_t split_digit(rlt_formula *formula, int32_t t, int64_t below) {
  rlt_term *const lower = &formula->terms[t];
  const int32_t upper = add_term(formula, *lower);
  formula->terms[upper].factor *= below;
  formula->terms[upper].divisor *= below;
  formula->terms[upper].modulus /= below;
  lower->modulus = below;
  return upper;
}

/* `sum` becomes the quotient. */
static void split(rlt_formula *formula, int32_t *sum, int64_t size, int32_t *rest) {
  int32_t t = is_separable(formula, *sum, size) ? *sum : name_sum(formula, *sum);
  int32_t *quotient_end = sum, *rest_end = rest;
  while (t != RLT_NO_TERM) {
    const int32_t next = formula->terms[t].next;
    const int64_t below = values_below(formula, &formula->terms[t], size);
    const bool is_multiple = formula->terms[t].factor % size == 0;
    if (is_multiple || below > 0) {
      const int32_t upper = is_multiple ? t : split_digit(formula, t, below);
      formula->terms[upper].factor /= size;
      *quotient_end = upper;
      quotient_end = &formula->terms[upper].next;
    }
    if (!is_multiple) {
      *rest_end = t;
      rest_end = &formula->terms[t].next;
    }
    t = next;
  }
  *quotient_end = RLT_NO_TERM;
  *rest_end = RLT_NO_TERM;
  tidy(formula, sum);
}

/* `major` times `size`, plus `minor`. The digits that meet are one again if they were one. */
static void join(rlt_formula *formula, int32_t *major, int64_t size, int32_t minor) {
  int32_t *end = major;
  rlt_term *last = NULL;
  for (; *end != RLT_NO_TERM; end = &last->next) {
    last = &formula->terms[*end];
    last->factor *= size;
  }
  *end = minor;
  const rlt_term *const first = minor == RLT_NO_TERM ? NULL : &formula->terms[minor];
  if (last != NULL && first != NULL && first->modulus > 0 && last->variable == first->variable &&
      last->divisor == first->divisor * first->modulus &&
      last->factor == first->factor * first->modulus) {
    const int64_t modulus = last->modulus * first->modulus;
    *last = *first;
    last->modulus = modulus;
  }
}

/* What is not less than `bound` is padding. */
static void limit(rlt_formula *formula, int32_t *sum, int64_t bound) {
  if (rlt_sum_size(formula, *sum) <= bound) {
    return;
  }
  const rlt_term *term = &formula->terms[*sum];
  if (term->next != RLT_NO_TERM || term->factor != 1 || term->modulus != 0) {
    *sum = name_sum(formula, *sum);
    term = &formula->terms[*sum];
  }
  rlt_variable *const variable = &formula->variables[term->variable];
  variable->bound = rlt_min(variable->bound, bound * term->divisor);
  tidy(formula, sum);
}

/* ---- The two ways --------------------------------------------------------------------------- */

static void start(const relayout_shape *shape, rlt_tiling *tiling, rlt_formula *formula) {
  rlt_tiling_make(shape, tiling, NULL); /* of a valid shape */
  rlt_tiling_join(tiling);
  formula->argument_count = 0;
  formula->variable_count = 0;
  formula->term_count = 0;
  formula->result_count = 0;
}

bool rlt_is_checked(const rlt_formula *formula, int32_t variable) {
  const rlt_variable *const about = &formula->variables[variable];
  return rlt_sum_size(formula, about->sum) > about->bound;
}

/* Adds the uses that a sum makes of variables. */
static void count_uses(const rlt_formula *formula, int32_t sum, int32_t *uses) {
  for (int32_t t = sum; t != RLT_NO_TERM; t = formula->terms[t].next) {
    uses[formula->terms[t].variable] += 1;
  }
}

/* Puts the sum of a variable in place of the variable, where that is its one use. */
static void inline_variables(rlt_formula *formula, int32_t *sum, const int32_t *uses) {
  int32_t *at = sum;
  while (*at != RLT_NO_TERM) {
    const rlt_term term = formula->terms[*at];
    if (term.variable < formula->argument_count || uses[term.variable] > 1 || term.divisor > 1 ||
        term.modulus > 0 || rlt_is_checked(formula, term.variable)) {
      at = &formula->terms[*at].next;
      continue;
    }
    *at = formula->variables[term.variable].sum;
    int32_t *end = at;
    for (; *end != RLT_NO_TERM; end = &formula->terms[*end].next) {
      formula->terms[*end].factor *= term.factor;
    }
    *end = term.next;
  }
}

/* Narrower bounds, which checks brought, may make more digits needless, and digits that are joined
 * again the variable that they are of. */
static void tidy_all(rlt_formula *formula) {
  int32_t uses[RLT_MOST_VARIABLES] = {0};
  for (int32_t r = 0; r < formula->result_count; ++r) {
    tidy(formula, &formula->results[r]);
    count_uses(formula, formula->results[r], uses);
  }
  for (int32_t v = formula->variable_count - 1; v >= formula->argument_count; --v) {
    tidy(formula, &formula->variables[v].sum);
    if (uses[v] > 0 || rlt_is_checked(formula, v)) {
      count_uses(formula, formula->variables[v].sum, uses);
    }
  }
  for (int32_t v = formula->argument_count; v < formula->variable_count; ++v) {
    inline_variables(formula, &formula->variables[v].sum, uses);
  }
  for (int32_t r = 0; r < formula->result_count; ++r) {
    inline_variables(formula, &formula->results[r], uses);
  }
}

void rlt_formula_to_linear(const relayout_shape *shape, rlt_formula *formula) {
  rlt_tiling tiling;
  int32_t numbers[MOST_NUMBERS];
  start(shape, &tiling, formula);
  for (int32_t d = 0; d < shape->rank; ++d) {
    numbers[d] =
        sum_of_variable(formula, add_variable(formula, RLT_NO_TERM, rlt_padded_width(shape, d)));
  }
  formula->argument_count = shape->rank;
  for (int32_t i = 0; i < tiling.change_count; ++i) {
    const rlt_change *const change = &tiling.changes[i];
    if (change->kind == RLT_CHANGE_SPLIT) {
      split(formula, &numbers[change->major], change->size, &numbers[change->minor]);
    } else if (change->kind == RLT_CHANGE_MERGE) {
      join(formula, &numbers[change->major], change->size,
           change->minor == RLT_NO_NUMBER ? RLT_NO_TERM : numbers[change->minor]);
    }
  }
  const int32_t linear = tiling.digits[0].number;
  formula->result_count = 1;
  formula->results[0] = linear == RLT_NO_NUMBER ? RLT_NO_TERM : numbers[linear];
  tidy_all(formula);
}

static void invert(rlt_formula *formula, const rlt_change *change, int32_t *numbers) {
  int32_t *const major = &numbers[change->major];
  int32_t rest;
  switch (change->kind) {
  case RLT_CHANGE_SPLIT:
    join(formula, major, change->size, numbers[change->minor]);
    limit(formula, major, change->bound);
    return;
  case RLT_CHANGE_MERGE:
    split(formula, major, change->size, &rest);
    if (change->minor == RLT_NO_NUMBER) {
      limit(formula, &rest, 1);
    } else {
      numbers[change->minor] = rest;
    }
    return;
  default:
    limit(formula, major, change->bound);
    return;
  }
}

void rlt_formula_from_linear(const relayout_shape *shape, rlt_formula *formula) {
  rlt_tiling tiling;
  int32_t numbers[MOST_NUMBERS];
  start(shape, &tiling, formula);
  for (int32_t i = 0; i < MOST_NUMBERS; ++i) {
    numbers[i] = RLT_NO_TERM;
  }
  formula->argument_count = 1;
  formula->result_count = shape->rank;
  add_variable(formula, RLT_NO_TERM, tiling.held);
  const bool is_empty = relayout_shape_element_count(shape) == 0;
  const int32_t linear = tiling.digits[0].number;
  formula->variables[0].bound = is_empty ? 0 : linear == RLT_NO_NUMBER ? 1 : tiling.elements;
  if (!is_empty && linear != RLT_NO_NUMBER) {
    numbers[linear] = sum_of_variable(formula, 0);
    for (int32_t i = tiling.change_count - 1; i >= 0; --i) {
      invert(formula, &tiling.changes[i], numbers);
    }
    for (int32_t d = 0; d < shape->rank; ++d) {
      limit(formula, &numbers[d], shape->dimensions[d]);
    }
  }
  for (int32_t d = 0; d < shape->rank; ++d) {
    formula->results[d] = numbers[d];
  }
  tidy_all(formula);
}
