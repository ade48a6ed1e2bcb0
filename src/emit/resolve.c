/* resolve.c: a text without its comments, and without what conditions that are known leave out.
 *
 * A condition is known unless it asks for a name that compilers define. Everything else is a macro
 * of the text, or 0 as in C. Macros with parameters are worked out from the values of arguments.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "emit/source.h"

/* A macro's body begins behind its name; one with parameters has these there. */
typedef struct macros {
  rlt_names names;
  const char **bodies;
  size_t capacity;
} macros;

typedef struct resolver {
  rlt_source_dialect dialect;
  macros known;
  rlt_source *made;
} resolver;

/* ---- Comments ---- */

/* Without comments and blanks at lines' ends, and with one empty line at most between others. */
static void strip(const char *text, rlt_source *made) {
  size_t line = 0;
  while (*text != '\0') {
    if (text[0] == '/' && text[1] == '*') {
      const char *const end = strstr(text + 2, "*/");
      text = end == NULL ? text + strlen(text) : end + 2;
      continue;
    }
    if (*text != '\n') {
      rlt_source_add(made, text++, 1);
      continue;
    }
    while (!made->lacks_memory && made->length > line && made->text[made->length - 1] == ' ') {
      made->text[--made->length] = '\0';
    }
    const bool is_empty = made->length == line;
    const bool follows_empty = line < 2 || made->lacks_memory || made->text[line - 2] == '\n';
    if (!is_empty || !follows_empty) {
      rlt_source_add(made, "\n", 1);
    }
    line = made->length;
    ++text;
  }
}

/* ---- Conditions ---- */

typedef struct expression {
  resolver *of;
  const char *at;
  bool is_unknown;
  /* Of a macro whose body this is. */
  rlt_names parameters;
  const int64_t *arguments;
} expression;

static int64_t value_of(expression *of, int least);

static rlt_token next(expression *of) {
  const rlt_token token = rlt_token_from(of->at, true);
  of->at = token.text + token.length;
  return token;
}

static bool takes(expression *of, const char *word) {
  const char *const begun = of->at;
  for (const char *c = word; *c != '\0'; ++c) {
    const rlt_token token = c == word ? next(of) : rlt_token_at(of->at);
    of->at = token.text + token.length;
    if (*token.text != *c || token.kind != RLT_TOKEN_OTHER) {
      of->at = begun;
      return false;
    }
  }
  return true;
}

/* Compilers' own names; some of them are the dialect's. */
static bool is_compilers(const resolver *of, rlt_token name, bool *is_defined) {
  const bool is_opencl = of->dialect == RLT_SOURCE_OPENCL;
  *is_defined = rlt_token_is(name, "__OPENCL_VERSION__") ? is_opencl
                                                         : rlt_token_is(name, "__ENDIAN_LITTLE__");
  if (rlt_token_is(name, "__OPENCL_VERSION__")) {
    return false;
  }
  const bool is_known = !is_opencl && !rlt_token_is(name, "__clang__");
  return !is_known && (strncmp(name.text, "__", 2) == 0 || strncmp(name.text, "cl_", 3) == 0);
}

static int64_t defined(expression *of, rlt_token name) {
  bool is_defined = false;
  if (is_compilers(of->of, name, &is_defined)) {
    of->is_unknown = true;
  }
  return is_defined || rlt_names_find(&of->of->known.names, name) < of->of->known.names.count;
}

enum { MOST_PARAMETERS = 8 };

/* The value of a macro; `of` stands behind its name. */
static int64_t macro_value(expression *of, size_t number) {
  const char *const body = of->of->known.bodies[number];
  expression inner = {.of = of->of, .at = body};
  int64_t arguments[MOST_PARAMETERS] = {0};
  if (*body == '(' && takes(of, "(")) {
    ++inner.at;
    for (size_t i = 0; i < MOST_PARAMETERS && !takes(&inner, ")"); ++i) {
      rlt_names_add(&inner.parameters, next(&inner));
      takes(&inner, ",");
      arguments[i] = value_of(of, 0);
      takes(of, ",");
    }
    takes(of, ")");
    inner.arguments = arguments;
  }
  const int64_t value =
      rlt_token_from(inner.at, true).kind == RLT_TOKEN_END ? 0 : value_of(&inner, 0);
  of->is_unknown = of->is_unknown || inner.is_unknown;
  of->of->known.names.lacks_memory |= inner.parameters.lacks_memory;
  rlt_names_free(&inner.parameters);
  return value;
}

static int64_t name_value(expression *of, rlt_token name) {
  if (rlt_token_is(name, "defined")) {
    const bool has_brackets = takes(of, "(");
    const int64_t is_defined = defined(of, next(of));
    if (has_brackets) {
      takes(of, ")");
    }
    return is_defined;
  }
  const size_t parameter = rlt_names_find(&of->parameters, name);
  if (parameter < of->parameters.count) {
    return of->arguments[parameter];
  }
  const size_t number = rlt_names_find(&of->of->known.names, name);
  if (number < of->of->known.names.count) {
    return macro_value(of, number);
  }
  bool is_defined = false;
  of->is_unknown = of->is_unknown || is_compilers(of->of, name, &is_defined);
  return 0;
}

static int64_t primary(expression *of) {
  if (takes(of, "(")) {
    const int64_t value = value_of(of, 0);
    takes(of, ")");
    return value;
  }
  if (takes(of, "!")) {
    return !primary(of);
  }
  if (takes(of, "-")) {
    return -primary(of);
  }
  const rlt_token token = next(of);
  return token.kind == RLT_TOKEN_NUMBER ? strtoll(token.text, NULL, 0)
         : token.kind == RLT_TOKEN_NAME ? name_value(of, token)
                                        : 0;
}

typedef struct operation {
  const char *text;
  int binds; /* the tighter the more */
} operation;

/* Those that begin as another does come before it. */
static const operation operations[] = {{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<<", 5},
                                       {">>", 5}, {"<=", 4}, {">=", 4}, {"<", 4},  {">", 4},
                                       {"+", 6},  {"-", 6},  {"*", 7},  {"/", 7},  {"%", 7}};

static int64_t apply(const char *by, int64_t a, int64_t b) {
  switch (by[0]) {
  case '|':
    return a != 0 || b != 0;
  case '&':
    return a != 0 && b != 0;
  case '=':
    return a == b;
  case '!':
    return a != b;
  case '<':
    return by[1] == '<' ? (int64_t)((uint64_t)a << (b & 63)) : by[1] == '=' ? a <= b : a < b;
  case '>':
    return by[1] == '>' ? a >> (b & 63) : by[1] == '=' ? a >= b : a > b;
  case '+':
    return a + b;
  case '-':
    return a - b;
  case '*':
    return a * b;
  default: /* what is not taken may divide by 0 */
    return b == 0 ? 0 : by[0] == '/' ? a / b : a % b;
  }
}

static const operation *take_operation(expression *of, int least) {
  for (size_t i = 0; i < sizeof operations / sizeof operations[0]; ++i) {
    if (operations[i].binds >= least && takes(of, operations[i].text)) {
      return &operations[i];
    }
  }
  return NULL;
}

/* Of operations that bind as tightly as `least`, or tighter. */
static int64_t value_of(expression *of, int least) {
  int64_t value = primary(of);
  for (const operation *taken; (taken = take_operation(of, least > 1 ? least : 1)) != NULL;) {
    value = apply(taken->text, value, value_of(of, taken->binds + 1));
  }
  if (least == 0 && takes(of, "?")) {
    const int64_t then = value_of(of, 0);
    takes(of, ":");
    const int64_t otherwise = value_of(of, 0);
    value = value != 0 ? then : otherwise;
  }
  return value;
}

/* ---- Lines ---- */

static void define(macros *known, const char *behind) {
  const rlt_token name = rlt_token_from(behind, true);
  const size_t number = rlt_names_find(&known->names, name);
  rlt_names_add(&known->names, name);
  if (known->names.count > known->capacity) {
    const size_t capacity = known->names.capacity;
    const char **const bodies =
        rlt_realloc(known->bodies, known->capacity * sizeof *bodies, capacity * sizeof *bodies);
    if (bodies == NULL) {
      known->names.lacks_memory = true;
      --known->names.count;
      return;
    }
    known->bodies = bodies;
    known->capacity = capacity;
  }
  if (number < known->names.count) {
    known->bodies[number] = name.text + name.length;
  }
}

/* One #if with all that belongs to it. */
typedef struct condition {
  bool is_read;  /* what stands around it */
  bool is_taken; /* a branch whose condition is known to be true */
  bool is_kept;  /* it stands in the text that is made */
  bool is_active;
} condition;

enum { MOST_DEPTH = 32 };

/* What a directive's condition says: 1, 0, or -1 where that is not known. */
static int evaluate(resolver *of, rlt_token word, const char *behind) {
  expression asked = {.of = of, .at = behind};
  const bool is_short = rlt_token_is(word, "ifdef") || rlt_token_is(word, "ifndef");
  const bool value =
      is_short ? (defined(&asked, rlt_token_from(behind, true)) != 0) == rlt_token_is(word, "ifdef")
               : value_of(&asked, 0) != 0;
  return asked.is_unknown ? -1 : value;
}

static void begin_branch(const resolver *of, condition *in, int value, const char *behind,
                         size_t length) {
  in->is_active = in->is_read && !in->is_taken && value != 0;
  if (!in->is_active) {
    return;
  }
  if (value > 0) {
    in->is_taken = true;
    rlt_source_add_text(of->made, in->is_kept ? "#else\n" : "");
    return;
  }
  rlt_source_add_text(of->made, in->is_kept ? "#elif" : "#if");
  rlt_source_add(of->made, behind, length);
  in->is_kept = true;
}

/* #ifdef and #ifndef have a compiler's name nowhere but in texts that are resolved. */
static void resolve_lines(resolver *of, const char *text) {
  condition stack[MOST_DEPTH + 1] = {{true, false, false, true}};
  int depth = 0;
  for (const char *line = text, *end; *line != '\0'; line = end) {
    end = rlt_line_end(line);
    const bool is_directive = *line == '#';
    const rlt_token word = rlt_token_from(line + is_directive, true);
    const char *const behind = word.text + word.length;
    condition *in = &stack[depth];
    if (is_directive && strncmp(word.text, "if", 2) == 0 && depth < MOST_DEPTH) {
      in = &stack[++depth];
      *in = (condition){.is_read = stack[depth - 1].is_active};
      begin_branch(of, in, in->is_read ? evaluate(of, word, behind) : 0, behind,
                   (size_t)(end - behind));
    } else if (is_directive && rlt_token_is(word, "elif")) {
      begin_branch(of, in, in->is_read && !in->is_taken ? evaluate(of, word, behind) : 0, behind,
                   (size_t)(end - behind));
    } else if (is_directive && rlt_token_is(word, "else")) {
      begin_branch(of, in, 1, behind, 0);
    } else if (is_directive && rlt_token_is(word, "endif") && depth > 0) {
      rlt_source_add_text(of->made, in->is_kept ? "#endif\n" : "");
      --depth;
    } else if (in->is_active) {
      if (is_directive && rlt_token_is(word, "define")) {
        define(&of->known, behind);
      }
      rlt_source_add(of->made, line, (size_t)(end - line));
    }
  }
}

void rlt_source_resolve(const char *text, rlt_source_dialect dialect, rlt_source *made) {
  rlt_source stripped = {NULL, 0, 0, false};
  resolver of = {.dialect = dialect, .made = made};
  strip(text, &stripped);
  if (stripped.text != NULL && !stripped.lacks_memory) {
    resolve_lines(&of, stripped.text);
  }
  made->lacks_memory = made->lacks_memory || stripped.lacks_memory || of.known.names.lacks_memory;
  rlt_source_free(&stripped);
  rlt_names_free(&of.known.names);
  rlt_free(of.known.bodies);
}
