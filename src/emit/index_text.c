/* index_text.c: see index_text.h. */
#include "emit/index_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "metadata/widths.h"

enum { PIECE_SIZE = 256, COLUMNS = 98 };

/* How many values an unsigned integer of 32 bits has. */
#define NARROW_SIZE (INT64_C(1) << 32)

/* How tightly the last operator of a piece binds. */
typedef enum binding { ATOM, PRODUCT, BITS } binding;

/* An expression. */
typedef struct piece {
  char text[PIECE_SIZE];
  binding binding;
  bool is_narrow; /* of 32 bits, or of a language that has one kind of integer */
} piece;

/* ---- Lines ---------------------------------------------------------------------------------- */

void rlt_index_text_say(rlt_index_text *of, const char *format, ...) {
  char said[PIECE_SIZE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(said, sizeof said, format, arguments);
  va_end(arguments);
  const char *const end = strrchr(said, '\n');
  rlt_text_add(of->text, "%s", said);
  if (end != NULL) {
    of->line = of->text->length - strlen(end + 1);
  }
}

static bool is_python(const rlt_index_text *of) {
  return of->language->integers == RLT_INTEGERS_OF_ANY_SIZE;
}

static void say_indent(rlt_index_text *of, int levels) {
  const int width = is_python(of) ? 4 : 2;
  rlt_index_text_say(of, "%*s", width * levels, "");
}

/* Begins a new line where the next `length` characters do not fit; else adds a space. */
static void say_space(rlt_index_text *of, size_t length) {
  if (of->text->length - of->line + length > COLUMNS) {
    rlt_index_text_say(of, "\n");
    say_indent(of, 3);
  } else {
    rlt_index_text_say(of, " ");
  }
}

/* ---- Pieces --------------------------------------------------------------------------------- */

static bool casts(const rlt_index_text *of) {
  return of->language->integers == RLT_INTEGERS_OF_64_BITS;
}

static bool is_power(int64_t number) {
  return (number & (number - 1)) == 0;
}

/* A literal that is not signed where it must not be, nor wider than its value. */
static void print_literal(const rlt_index_text *of, int64_t value, char text[24]) {
  const bool is_unsigned = of->language->integers == RLT_INTEGERS_OF_32_BITS ||
                           (casts(of) && value > INT32_MAX && value < NARROW_SIZE);
  snprintf(text, 24, "%" PRId64 "%s", value, is_unsigned ? "u" : "");
}

/* Puts it between two texts. */
static void surround(piece *of, const char *before, const char *after) {
  char inner[PIECE_SIZE];
  memcpy(inner, of->text, sizeof inner);
  snprintf(of->text, sizeof of->text, "%s%.*s%s", before, PIECE_SIZE / 2, inner, after);
}

static void wrap(piece *of) {
  surround(of, "(", ")");
  of->binding = ATOM;
}

static void apply(const rlt_index_text *to, piece *of, const char *operation, int64_t operand,
                  binding as) {
  char literal[24], after[40];
  if (as == BITS ? of->binding != ATOM : of->binding == BITS) {
    wrap(of);
  }
  print_literal(to, operand, literal);
  snprintf(after, sizeof after, " %s %s", operation, literal);
  surround(of, "", after);
  of->binding = as;
}

static void divide(const rlt_index_text *to, piece *of, int64_t divisor) {
  if (divisor == 1) {
    return;
  }
  if (is_power(divisor)) {
    apply(to, of, ">>", __builtin_ctzll((uint64_t)divisor), BITS);
  } else {
    apply(to, of, is_python(to) ? "//" : "/", divisor, PRODUCT);
  }
}

static void take_remainder(const rlt_index_text *to, piece *of, int64_t modulus) {
  if (is_power(modulus)) {
    apply(to, of, "&", modulus - 1, BITS);
  } else {
    apply(to, of, "%", modulus, PRODUCT);
  }
}

static void cast(const char *type, piece *of) {
  char before[32];
  if (of->binding != ATOM) {
    wrap(of);
  }
  snprintf(before, sizeof before, "(%s)", type);
  surround(of, before, "");
}

static void narrow(const rlt_index_text *to, piece *of) {
  cast(to->language->narrow, of);
  of->is_narrow = true;
}

/* ---- Variables ------------------------------------------------------------------------------ */

static bool is_argument(const rlt_index_text *of, int32_t variable) {
  return variable < of->formula.argument_count;
}

/* An argument that is taken once needs no name beside its own. */
static bool is_named(const rlt_index_text *of, int32_t variable) {
  const rlt_variable_use *const use = &of->variables[variable];
  return is_argument(of, variable) ? casts(of) && use->terms > 1 : use->terms > 0 || use->is_result;
}

static bool is_narrow(const rlt_index_text *of, int32_t variable) {
  const rlt_variable *const about = &of->formula.variables[variable];
  const int64_t size =
      is_argument(of, variable) ? about->bound : rlt_sum_size(&of->formula, about->sum);
  return !casts(of) || size <= NARROW_SIZE;
}

static void print_argument(const rlt_index_text *of, int32_t variable, char text[32]) {
  if (of->is_inverse) {
    snprintf(text, 32, "linear");
  } else {
    snprintf(text, 32, "i%" PRId32, variable);
  }
}

static void print_name(const rlt_index_text *of, int32_t variable, char text[32]) {
  const rlt_variable_use *const use = &of->variables[variable];
  if (!is_argument(of, variable)) {
    snprintf(text, 32, use->is_result ? "i%" PRId32 : "m%" PRId32, use->number);
  } else if (!casts(of)) {
    print_argument(of, variable, text);
  } else if (of->is_inverse) {
    snprintf(text, 32, "n");
  } else {
    snprintf(text, 32, "n%" PRId32, variable);
  }
}

/* The variable by itself, unsigned. */
static piece piece_of_variable(const rlt_index_text *of, int32_t variable) {
  piece made = {.binding = ATOM, .is_narrow = is_narrow(of, variable)};
  char name[32];
  if (casts(of) && is_argument(of, variable) && !is_named(of, variable)) {
    print_argument(of, variable, name);
    snprintf(made.text, sizeof made.text, "(%s)%s",
             made.is_narrow ? of->language->narrow : of->language->unsigned_wide, name);
  } else {
    print_name(of, variable, name);
    snprintf(made.text, sizeof made.text, "%s", name);
  }
  return made;
}

/* ---- Digits --------------------------------------------------------------------------------- */

static int64_t quotients_of(const rlt_index_text *of, const rlt_term *term) {
  return (of->formula.variables[term->variable].bound - 1) / term->divisor + 1;
}

/* The greatest divisor below `end` by which the term's variable has a name, and which divides the
 * term's; 1 if there is none. */
static int64_t named_divisor(const rlt_index_text *of, const rlt_term *term, int64_t end) {
  int64_t greatest = 1;
  for (int32_t t = 0; t < of->formula.term_count; ++t) {
    const rlt_term *const other = &of->formula.terms[t];
    if (of->terms[t].names_quotient && other->variable == term->variable && other->divisor < end &&
        other->divisor > greatest && term->divisor % other->divisor == 0) {
      greatest = other->divisor;
    }
  }
  return greatest;
}

/* The term's variable by its divisor, by way of a named quotient below `end`. */
static piece piece_of_quotient(const rlt_index_text *of, const rlt_term *term, int64_t end) {
  const int64_t divisor = named_divisor(of, term, end);
  piece made = piece_of_variable(of, term->variable);
  if (divisor > 1) {
    char after[32];
    snprintf(after, sizeof after, "_by_%" PRId64, divisor);
    surround(&made, "", after);
    const rlt_term quotient = {.variable = term->variable, .divisor = divisor};
    made.is_narrow = made.is_narrow || quotients_of(of, &quotient) <= NARROW_SIZE;
  }
  divide(of, &made, term->divisor / divisor);
  return made;
}

/* The term's digit. It may be wider than its values are: `narrow` comes last. */
static piece piece_of_digit(const rlt_index_text *of, const rlt_term *term) {
  piece made = piece_of_quotient(of, term, term->divisor + 1);
  const int64_t modulus = term->modulus;
  if (modulus == 0) {
    return made;
  }
  const bool fits = quotients_of(of, term) <= NARROW_SIZE;
  if (!made.is_narrow && (fits || (modulus <= NARROW_SIZE && is_power(modulus)))) {
    narrow(of, &made);
  }
  const bool is_cut = casts(of) && made.is_narrow && modulus == NARROW_SIZE;
  if (!is_cut) {
    take_remainder(of, &made, modulus);
  }
  return made;
}

/* ---- Sums ----------------------------------------------------------------------------------- */

static bool is_narrow_sum(const rlt_index_text *of, int32_t sum) {
  return !casts(of) || rlt_sum_size(&of->formula, sum) <= NARROW_SIZE;
}

/* A term as it stands in a sum. Wide sums are signed, and their first term makes them wide. */
static piece piece_of_term(const rlt_index_text *of, int32_t sum, int32_t t) {
  const rlt_term *const term = &of->formula.terms[t];
  const bool is_alone = t == sum && term->next == RLT_NO_TERM;
  const bool is_plain = term->divisor == 1 && term->modulus == 0;
  const int64_t most = rlt_digit_size(&of->formula, term) - 1;
  piece made = piece_of_digit(of, term);
  if (is_narrow_sum(of, sum)) {
    if (!made.is_narrow) {
      narrow(of, &made);
    }
  } else {
    if (is_plain && is_argument(of, term->variable) && !is_named(of, term->variable)) {
      print_argument(of, term->variable, made.text);
    } else if (t == sum || most >= NARROW_SIZE / term->factor) {
      cast(of->language->wide, &made);
    } else if (!made.is_narrow) {
      narrow(of, &made);
    }
  }
  if (term->factor > 1) {
    if (made.binding != ATOM) {
      wrap(&made);
    }
    apply(of, &made, "*", term->factor, PRODUCT);
  } else if (made.binding == BITS && !is_alone) {
    wrap(&made);
  }
  return made;
}

static size_t length_of_sum(const rlt_index_text *of, int32_t sum) {
  size_t length = 0;
  for (int32_t t = sum; t != RLT_NO_TERM; t = of->formula.terms[t].next) {
    length += strlen(piece_of_term(of, sum, t).text) + strlen(" + ");
  }
  return length;
}

static void say_sum(rlt_index_text *of, int32_t sum) {
  if (sum == RLT_NO_TERM) {
    char literal[24];
    print_literal(of, 0, literal);
    rlt_index_text_say(of, "%s", literal);
  }
  for (int32_t t = sum; t != RLT_NO_TERM; t = of->formula.terms[t].next) {
    const piece term = piece_of_term(of, sum, t);
    if (t != sum) {
      rlt_index_text_say(of, " +");
      say_space(of, strlen(term.text) + strlen(" +;"));
    }
    rlt_index_text_say(of, "%s", term.text);
  }
}

/* The same at the end of a statement, which in Python would end with the line. */
static void say_last_sum(rlt_index_text *of, int32_t sum) {
  const bool is_broken = of->text->length - of->line + length_of_sum(of, sum) > COLUMNS;
  const bool has_brackets = is_broken && is_python(of);
  rlt_index_text_say(of, has_brackets ? "(" : "");
  say_sum(of, sum);
  rlt_index_text_say(of, "%s%s", has_brackets ? ")" : "", of->language->end);
}

/* The same before a comparison, which binds more tightly than some operators. */
static void say_compared_sum(rlt_index_text *of, int32_t sum) {
  piece only = piece_of_term(of, sum, sum);
  if (of->formula.terms[sum].next == RLT_NO_TERM && only.binding == BITS) {
    wrap(&only);
    rlt_index_text_say(of, "%s", only.text);
  } else {
    say_sum(of, sum);
  }
}

/* ---- What is used --------------------------------------------------------------------------- */

static void count_sum(rlt_index_text *of, int32_t sum) {
  for (int32_t t = sum; t != RLT_NO_TERM; t = of->formula.terms[t].next) {
    of->terms[t].is_printed = true;
    of->variables[of->formula.terms[t].variable].terms += 1;
  }
}

/* The variable that a sum is nothing but, or -1. */
static int32_t variable_of_sum(const rlt_index_text *of, int32_t sum) {
  const rlt_term *const term = sum == RLT_NO_TERM ? NULL : &of->formula.terms[sum];
  const bool is_variable = term != NULL && term->next == RLT_NO_TERM && term->factor == 1 &&
                           term->divisor == 1 && term->modulus == 0 &&
                           !is_argument(of, term->variable);
  return is_variable ? term->variable : -1;
}

/* A quotient gets a name where a remainder is taken of it, and it is divided further: both in turn
 * take one division each. Shifts and masks are cheaper than a name is long. */
static bool names_quotient(const rlt_index_text *of, int32_t t) {
  const rlt_term *const term = &of->formula.terms[t];
  if (!of->terms[t].is_printed || term->modulus == 0 || term->divisor == 1 ||
      (is_power(term->divisor) && is_power(term->modulus))) {
    return false;
  }
  for (int32_t u = 0; u < of->formula.term_count; ++u) {
    const rlt_term *const other = &of->formula.terms[u];
    if (of->terms[u].is_printed && other->variable == term->variable &&
        other->divisor > term->divisor && other->divisor % term->divisor == 0) {
      return true;
    }
  }
  return false;
}

static void find_uses(rlt_index_text *of) {
  const rlt_formula *const formula = &of->formula;
  memset(of->variables, 0, sizeof of->variables);
  memset(of->terms, 0, sizeof of->terms);
  for (int32_t r = 0; r < formula->result_count; ++r) {
    count_sum(of, formula->results[r]);
    const int32_t variable = of->is_inverse ? variable_of_sum(of, formula->results[r]) : -1;
    if (variable >= 0) {
      of->variables[variable].is_result = true;
      of->variables[variable].number = r;
    }
  }
  for (int32_t v = formula->variable_count - 1; v >= formula->argument_count; --v) {
    const rlt_variable *const about = &formula->variables[v];
    rlt_variable_use *const use = &of->variables[v];
    use->is_checked = rlt_is_checked(formula, v);
    if (use->is_checked || use->terms > 0) {
      count_sum(of, about->sum);
    }
  }
  int32_t others = 0;
  for (int32_t v = formula->argument_count; v < formula->variable_count; ++v) {
    if (is_named(of, v) && !of->variables[v].is_result) {
      of->variables[v].number = others++;
    }
  }
  for (int32_t t = 0; t < formula->term_count; ++t) {
    of->terms[t].names_quotient = names_quotient(of, t);
  }
}

/* ---- Statements ----------------------------------------------------------------------------- */

static void say_name(rlt_index_text *of, const char *name, bool has_narrow_type) {
  say_indent(of, 1);
  rlt_index_text_say(of, "%s", of->language->named);
  if (casts(of)) {
    rlt_index_text_say(of, "%s ",
                       has_narrow_type ? of->language->narrow : of->language->unsigned_wide);
  }
  rlt_index_text_say(of, "%s = ", name);
}

/* The variable's quotients that have names, by growing divisor. */
static void say_quotients(rlt_index_text *of, int32_t variable) {
  const rlt_term *next = NULL;
  for (int64_t last = 0;; last = next->divisor) {
    next = NULL;
    for (int32_t t = 0; t < of->formula.term_count; ++t) {
      const rlt_term *const term = &of->formula.terms[t];
      if (of->terms[t].names_quotient && term->variable == variable && term->divisor > last &&
          (next == NULL || term->divisor < next->divisor)) {
        next = term;
      }
    }
    if (next == NULL) {
      return;
    }
    char name[64], base[32];
    piece quotient = piece_of_quotient(of, next, next->divisor);
    if (!quotient.is_narrow && quotients_of(of, next) <= NARROW_SIZE) {
      narrow(of, &quotient);
    }
    print_name(of, variable, base);
    snprintf(name, sizeof name, "%s_by_%" PRId64, base, next->divisor);
    say_name(of, name, quotient.is_narrow);
    rlt_index_text_say(of, "%s%s", quotient.text, of->language->end);
  }
}

static void say_variable(rlt_index_text *of, int32_t variable) {
  char name[32];
  print_name(of, variable, name);
  if (is_argument(of, variable)) {
    if (is_named(of, variable)) {
      char argument[32];
      const bool has_narrow_type = is_narrow(of, variable);
      print_argument(of, variable, argument);
      say_name(of, name, has_narrow_type);
      rlt_index_text_say(of, "(%s)%s%s",
                         has_narrow_type ? of->language->narrow : of->language->unsigned_wide,
                         argument, of->language->end);
    }
  } else if (is_named(of, variable)) {
    const int32_t sum = of->formula.variables[variable].sum;
    const bool has_narrow_type = is_narrow(of, variable);
    say_name(of, name, has_narrow_type);
    if (has_narrow_type) {
      say_last_sum(of, sum);
    } else {
      rlt_index_text_say(of, "(%s)(", of->language->unsigned_wide);
      say_sum(of, sum);
      rlt_index_text_say(of, ")%s", of->language->end);
    }
  }
  say_quotients(of, variable);
}

static void say_variables(rlt_index_text *of) {
  for (int32_t v = 0; v < of->formula.variable_count; ++v) {
    say_variable(of, v);
  }
}

/* In C and its kin, an argument that nothing needs. */
static void say_unused(rlt_index_text *of, const char *argument) {
  if (casts(of)) {
    say_indent(of, 1);
    rlt_index_text_say(of, "(void)%s;\n", argument);
  }
}

/* ---- Functions ------------------------------------------------------------------------------ */

/* Says what a function is for, before its head or, in Python, behind it. */
static void say_purpose(rlt_index_text *of, bool is_behind_head, const char *purpose) {
  if (is_behind_head == is_python(of)) {
    say_indent(of, is_behind_head ? 1 : 0);
    rlt_index_text_say(of, is_behind_head ? "\"\"\"%s\"\"\"\n" : "/* %s */\n", purpose);
  }
}

static void say_arguments(rlt_index_text *of, int32_t count) {
  rlt_index_text_say(of, "%s", count == 0 ? of->language->no_arguments : "");
  for (int32_t v = 0; v < count; ++v) {
    char name[32], argument[64];
    print_argument(of, v, name);
    const int length = snprintf(argument, sizeof argument, "%s%s%s", of->language->argument[0],
                                name, of->language->argument[1]);
    if (v > 0) {
      rlt_index_text_say(of, ",");
      say_space(of, (size_t)length + strlen(") -> u32 {"));
    }
    rlt_index_text_say(of, "%s", argument);
  }
}

void rlt_index_text_to_linear(const relayout_shape *shape, rlt_index_text *of) {
  static const char purpose[] = "The linear index of the element at a multi-index.";
  rlt_formula_to_linear(shape, &of->formula);
  of->is_inverse = false;
  find_uses(of);
  say_purpose(of, false, purpose);
  rlt_index_text_say(of, "%s%s(", of->language->function, of->name);
  say_arguments(of, shape->rank);
  rlt_index_text_say(of, "%s", of->language->end_of_head);
  say_purpose(of, true, purpose);
  for (int32_t v = 0; v < shape->rank; ++v) {
    if (of->variables[v].terms == 0) {
      char name[32];
      print_argument(of, v, name);
      say_unused(of, name);
    }
  }
  say_variables(of);
  say_indent(of, 1);
  rlt_index_text_say(of, "return ");
  say_last_sum(of, of->formula.results[0]);
  rlt_index_text_say(of, is_python(of) ? "" : "}\n");
}

/* What is returned where no element lies, `levels` deep. */
static void say_none(rlt_index_text *of, int levels) {
  say_indent(of, levels);
  rlt_index_text_say(of, is_python(of) ? "return None\n" : "return false;\n");
}

static void say_end_of_check(rlt_index_text *of) {
  rlt_index_text_say(of, is_python(of) ? ":\n" : ") {\n");
  say_none(of, 2);
  if (!is_python(of)) {
    say_indent(of, 1);
    rlt_index_text_say(of, "}\n");
  }
}

static void say_check_of_argument(rlt_index_text *of) {
  char bound[24];
  print_literal(of, of->formula.variables[0].bound, bound);
  say_indent(of, 1);
  rlt_index_text_say(of,
                     is_python(of) ? "if not 0 <= linear < %s"
                     : casts(of)   ? "if (linear < 0 || linear >= %s"
                                   : "if (linear >= %s",
                     bound);
  say_end_of_check(of);
}

static void print_comparison(const rlt_index_text *of, int32_t variable, char text[32]) {
  const int64_t bound = of->formula.variables[variable].bound;
  char literal[24];
  print_literal(of, bound == 1 ? 0 : bound, literal);
  snprintf(text, 32, bound == 1 ? " != %s" : " >= %s", literal);
}

/* The length of a variable's check against its bound, with what comes between checks. */
static size_t length_of_check(const rlt_index_text *of, int32_t variable) {
  char text[32];
  print_comparison(of, variable, text);
  size_t length = strlen(text) + strlen(" || ");
  if (is_named(of, variable)) {
    print_name(of, variable, text);
    length += strlen(text);
  } else {
    length += length_of_sum(of, of->formula.variables[variable].sum);
  }
  return length;
}

/* A variable without a name stands there itself. */
static void say_check_of_variable(rlt_index_text *of, int32_t variable) {
  char text[32];
  if (is_named(of, variable)) {
    print_name(of, variable, text);
    rlt_index_text_say(of, "%s", text);
  } else {
    say_compared_sum(of, of->formula.variables[variable].sum);
  }
  print_comparison(of, variable, text);
  rlt_index_text_say(of, "%s", text);
}

static void say_check_of_variables(rlt_index_text *of) {
  size_t length = 0;
  for (int32_t v = of->formula.argument_count; v < of->formula.variable_count; ++v) {
    length += of->variables[v].is_checked ? length_of_check(of, v) : 0;
  }
  if (length == 0) {
    return;
  }
  /* A condition of several lines has brackets in Python too. */
  const bool has_brackets = !is_python(of) || length > COLUMNS - strlen("    if :");
  say_indent(of, 1);
  rlt_index_text_say(of, has_brackets ? "if (" : "if ");
  bool is_first = true;
  for (int32_t v = of->formula.argument_count; v < of->formula.variable_count; ++v) {
    if (!of->variables[v].is_checked) {
      continue;
    }
    if (!is_first) {
      rlt_index_text_say(of, is_python(of) ? " or" : " ||");
      say_space(of, length_of_check(of, v));
    }
    say_check_of_variable(of, v);
    is_first = false;
  }
  rlt_index_text_say(of, is_python(of) && has_brackets ? ")" : "");
  say_end_of_check(of);
}

static void say_results(rlt_index_text *of) {
  const int32_t count = of->formula.result_count;
  for (int32_t r = 0; r < count; ++r) {
    say_indent(of, 1);
    rlt_index_text_say(of, "%s[%" PRId32 "] = ", of->language->element, r);
    say_last_sum(of, of->formula.results[r]);
  }
  say_indent(of, 1);
  rlt_index_text_say(of, "return true;\n");
}

static void say_tuple(rlt_index_text *of) {
  const int32_t count = of->formula.result_count;
  say_indent(of, 1);
  rlt_index_text_say(of, "return (");
  for (int32_t r = 0; r < count; ++r) {
    if (r > 0) {
      say_space(of, length_of_sum(of, of->formula.results[r]));
    }
    say_sum(of, of->formula.results[r]);
    rlt_index_text_say(of, r + 1 < count || count == 1 ? "," : "");
  }
  rlt_index_text_say(of, ")\n");
}

static void say_inverse_head(rlt_index_text *of) {
  const rlt_language *const language = of->language;
  const int32_t rank = of->formula.result_count;
  char size[16] = "";
  if (language->has_sized_indices) {
    snprintf(size, sizeof size, "%" PRId32, rank);
  }
  rlt_index_text_say(of, "%s%s_inverse(", language->inverse, of->name);
  say_arguments(of, 1);
  if (language->indices[0] != NULL && (rank > 0 || !language->has_sized_indices)) {
    rlt_index_text_say(of, ",");
    say_space(of, strlen(language->indices[0]) + strlen(") -> bool {"));
    rlt_index_text_say(of, "%s%s%s", language->indices[0], size, language->indices[1]);
  }
  rlt_index_text_say(of, "%s", language->end_of_inverse_head);
}

void rlt_index_text_from_linear(const relayout_shape *shape, rlt_index_text *of) {
  const char *const purpose =
      is_python(of) ? "The multi-index of the element at a linear index; None for padding."
                    : "The multi-index of the element at a linear index; false for padding.";
  rlt_formula_from_linear(shape, &of->formula);
  of->is_inverse = true;
  find_uses(of);
  say_purpose(of, false, purpose);
  say_inverse_head(of);
  say_purpose(of, true, purpose);
  const bool is_empty = of->formula.variables[0].bound == 0;
  if (is_empty) {
    say_unused(of, "linear");
  }
  if (is_empty || shape->rank == 0) {
    say_unused(of, "indices");
  }
  if (is_empty) {
    say_none(of, 1);
  } else {
    say_check_of_argument(of);
    say_variables(of);
    say_check_of_variables(of);
    if (is_python(of)) {
      say_tuple(of);
    } else {
      say_results(of);
    }
  }
  rlt_index_text_say(of, is_python(of) ? "" : "}\n");
}
