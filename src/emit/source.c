/* source.c: texts that grow, tokens, names, and the items of a text. */
#include "emit/source.h"

#include <string.h>

#include "base/memory.h"

void rlt_source_add(rlt_source *source, const char *text, size_t length) {
  if (source->lacks_memory) {
    return;
  }
  if (source->length + length + 1 > source->capacity) {
    const size_t capacity = 2 * (source->length + length + 1);
    char *const text_now = rlt_realloc(source->text, source->capacity, capacity);
    if (text_now == NULL) {
      source->lacks_memory = true;
      return;
    }
    source->text = text_now;
    source->capacity = capacity;
  }
  memcpy(source->text + source->length, text, length);
  source->length += length;
  source->text[source->length] = '\0';
}

void rlt_source_add_text(rlt_source *source, const char *text) {
  rlt_source_add(source, text, strlen(text));
}

void rlt_source_free(rlt_source *source) {
  rlt_free(source->text);
  *source = (rlt_source){NULL, 0, 0, false};
}

/* ---- Tokens ---- */

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static size_t word_length(const char *text) {
  size_t length = 0;
  while (is_letter(text[length]) || is_digit(text[length])) {
    ++length;
  }
  return length;
}

static size_t string_length(const char *text) {
  size_t length = 1;
  while (text[length] != '"' && text[length] != '\0') {
    ++length;
  }
  return length + (text[length] == '"');
}

rlt_token rlt_token_at(const char *text) {
  if (*text == '\0') {
    return (rlt_token){RLT_TOKEN_END, text, 0};
  }
  if (*text == '\n') {
    return (rlt_token){RLT_TOKEN_SPACE, text, 1};
  }
  if (*text == ' ') {
    return (rlt_token){RLT_TOKEN_SPACE, text, strspn(text, " ")};
  }
  if (*text == '"') {
    return (rlt_token){RLT_TOKEN_STRING, text, string_length(text)};
  }
  if (is_letter(*text) || is_digit(*text)) {
    return (rlt_token){is_digit(*text) ? RLT_TOKEN_NUMBER : RLT_TOKEN_NAME, text,
                       word_length(text)};
  }
  return (rlt_token){RLT_TOKEN_OTHER, text, 1};
}

bool rlt_token_is(rlt_token token, const char *word) {
  return token.length == strlen(word) && memcmp(token.text, word, token.length) == 0;
}

rlt_token rlt_token_from(const char *text, bool in_line) {
  rlt_token token = rlt_token_at(text);
  for (;;) {
    const bool goes_on = *token.text == '\\' && token.text[1] == '\n';
    if (goes_on) {
      token = rlt_token_at(token.text + 2);
    } else if (token.kind == RLT_TOKEN_SPACE && !(in_line && *token.text == '\n')) {
      token = rlt_token_at(token.text + token.length);
    } else {
      return token.kind == RLT_TOKEN_SPACE ? (rlt_token){RLT_TOKEN_END, token.text, 0} : token;
    }
  }
}

/* ---- Names ---- */

size_t rlt_names_find(const rlt_names *names, rlt_token name) {
  size_t i = 0;
  while (i < names->count && (names->of[i].length != name.length ||
                              memcmp(names->of[i].text, name.text, name.length) != 0)) {
    ++i;
  }
  return i;
}

void rlt_names_add(rlt_names *names, rlt_token name) {
  if (rlt_names_find(names, name) < names->count) {
    return;
  }
  if (names->count == names->capacity) {
    const size_t capacity = 2 * names->capacity + 64;
    rlt_token *const grown =
        rlt_realloc(names->of, names->capacity * sizeof *names->of, capacity * sizeof *names->of);
    if (grown == NULL) {
      names->lacks_memory = true;
      return;
    }
    names->of = grown;
    names->capacity = capacity;
  }
  names->of[names->count++] = name;
}

void rlt_names_free(rlt_names *names) {
  rlt_free(names->of);
  *names = (rlt_names){NULL, 0, 0, false};
}

/* ---- Items ---- */

const char *rlt_line_end(const char *text) {
  while (*text != '\0' && *text != '\n') {
    text += *text == '\\' && text[1] == '\n' ? 2 : 1;
  }
  return *text == '\n' ? text + 1 : text;
}

static bool is_directive(const char *line, const char *word) {
  const rlt_token token = rlt_token_from(line + 1, true);
  return *line == '#' && token.length >= strlen(word) &&
         memcmp(token.text, word, strlen(word)) == 0;
}

static const char *directive_end(const char *text) {
  int depth = 0;
  do {
    depth += is_directive(text, "if");
    depth -= is_directive(text, "endif");
    text = rlt_line_end(text);
  } while (depth > 0 && *text != '\0');
  return text;
}

/* To the line's end behind the first `;`, or the `}` of a function, outside of all brackets. */
static const char *declaration_end(const char *text) {
  int depth = 0;
  bool has_arguments = false;
  bool has_value = false;
  for (; *text != '\0'; ++text) {
    depth += *text == '{' || *text == '(' || *text == '[';
    depth -= *text == '}' || *text == ')' || *text == ']';
    has_value = has_value || (depth == 0 && *text == '=');
    has_arguments = has_arguments || (depth == 0 && *text == ')');
    if (depth == 0 && (*text == ';' || (*text == '}' && has_arguments && !has_value))) {
      return rlt_line_end(text);
    }
  }
  return text;
}

rlt_item rlt_item_at(const char *text) {
  const char *const end = *text == '#'    ? directive_end(text)
                          : *text == '\n' ? text + 1
                                          : declaration_end(text);
  return (rlt_item){text, (size_t)(end - text)};
}

/* The names of macros, those of a function's lines too. */
static void add_defined(rlt_item item, rlt_names *names) {
  const char *const end = item.text + item.length;
  for (const char *line = item.text; line < end; line = rlt_line_end(line)) {
    if (is_directive(line, "define")) {
      const rlt_token define = rlt_token_from(line + 1, true);
      rlt_names_add(names, rlt_token_from(define.text + define.length, true));
    }
  }
}

static bool has_brackets_of_its_own(rlt_token name) {
  return rlt_token_is(name, "__attribute__") || rlt_token_is(name, "alignas");
}

/* The last name before the first `(`, `[`, `=` or `;` that is outside of all brackets, or before a
 * type's `{`; and those of an enum's constants. */
static void add_declared(rlt_item item, rlt_names *names) {
  const char *const end = item.text + item.length;
  const bool is_enum =
      strncmp(item.text, "enum", 4) == 0 || strncmp(item.text, "typedef enum", 12) == 0;
  const rlt_token none = {RLT_TOKEN_END, NULL, 0};
  rlt_token last = none;
  int depth = 0;
  for (rlt_token at = rlt_token_at(item.text); at.text < end && at.kind != RLT_TOKEN_END;
       at = rlt_token_from(at.text + at.length, false)) {
    const char c = *at.text;
    const bool counts = depth == 0 || (is_enum && depth == 1);
    if (counts && at.kind == RLT_TOKEN_NAME) {
      last = has_brackets_of_its_own(at) ? none : at;
    } else if (counts && last.text != NULL && strchr("([=;{,}", c) != NULL) {
      rlt_names_add(names, last);
      last = none;
      if (depth == 0 && strchr("([=", c) != NULL) {
        return;
      }
    }
    depth += c == '{' || c == '(';
    depth -= c == '}' || c == ')';
  }
}

void rlt_item_add_names(rlt_item item, rlt_names *names) {
  add_defined(item, names);
  if (*item.text != '#' && *item.text != '\n') {
    add_declared(item, names);
  }
}
