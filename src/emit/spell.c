/* spell.c: a text's names with a prefix, and its words as C++ has them.
 *
 * In C++, as CUDA and HIP have it, pointers have no address spaces, functions are of the device,
 * vectors are made by their type's name, and numbers that end in L have 64 bits by LL.
 */
#include <string.h>

#include "emit/source.h"

typedef struct speller {
  rlt_names names;
  const char *prefix;
  rlt_source_dialect dialect;
  rlt_source *made;
  int depth;     /* of brackets */
  bool is_first; /* of a declaration */
} speller;

static rlt_token next_of(rlt_token token) {
  return rlt_token_from(token.text + token.length, false);
}

static void add_name(speller *of, rlt_token name) {
  if (rlt_names_find(&of->names, name) < of->names.count) {
    rlt_source_add_text(of->made, of->prefix);
    rlt_source_add_text(of->made, "_k_"); /* which no name of the text has in it */
  }
  rlt_source_add(of->made, name.text, name.length);
}

static bool is_any_of(rlt_token token, const char *const *words) {
  while (*words != NULL && !rlt_token_is(token, *words)) {
    ++words;
  }
  return *words != NULL;
}

/* ---- C++ ---- */

static bool is_array(rlt_token type) {
  const rlt_token name = next_of(type);
  return type.kind == RLT_TOKEN_NAME && name.kind == RLT_TOKEN_NAME && *next_of(name).text == '[';
}

/* Writes what stands for a word, and says how far the text is behind it. NULL: it stays. */
static const char *spell_word(speller *of, rlt_token token) {
  static const char *const dropped[] = {"__global", "__constant", "__local", "__private", NULL};
  const rlt_token next = next_of(token);
  const char *const end = token.text + token.length;
  const char *const behind = end + strspn(end, " ");
  if (rlt_token_is(token, "__constant") && of->is_first && of->depth == 0) {
    rlt_source_add_text(of->made, "static __device__ ");
    return behind;
  }
  if (rlt_token_is(token, "__local") && is_array(next)) {
    rlt_source_add_text(of->made, "__shared__ ");
    return behind;
  }
  if (is_any_of(token, dropped)) {
    return behind;
  }
  if (rlt_token_is(token, "__kernel")) {
    rlt_source_add_text(of->made, "extern \"C\" __global__ ");
    return behind;
  }
  if (rlt_token_is(token, "static") && of->depth == 0) {
    rlt_source_add_text(of->made, "static __device__ ");
    return behind;
  }
  if (rlt_token_is(token, "restrict")) {
    rlt_source_add_text(of->made, "__restrict__ ");
    return behind;
  }
  return NULL;
}

/* `(vector)(` and `(type){`, of which the type alone stays. */
static const char *spell_cast(speller *of, rlt_token token) {
  static const char *const vectors[] = {"int2",   "uint2",       "uint4", "long2",
                                        "ulong2", "offset_pair", NULL};
  const rlt_token type = next_of(token);
  const rlt_token end = next_of(type);
  const rlt_token then = next_of(end);
  const bool is_cast = *token.text == '(' && type.kind == RLT_TOKEN_NAME && *end.text == ')';
  const bool is_literal = *then.text == '{' && rlt_token_is(type, "place");
  if (!is_cast || !((*then.text == '(' && is_any_of(type, vectors)) || is_literal)) {
    return NULL;
  }
  add_name(of, type);
  return then.text;
}

static void add_number(speller *of, rlt_token number) {
  const char *const end = number.text + number.length;
  const bool is_long = end[-1] == 'L' || end[-1] == 'l';
  const bool is_once = is_long && number.length > 1 && end[-2] != 'L' && end[-2] != 'l';
  rlt_source_add(of->made, number.text, number.length);
  rlt_source_add(of->made, &end[-1], is_once && of->dialect != RLT_SOURCE_OPENCL ? 1 : 0);
}

/* ---- All dialects ---- */

static void count_brackets(speller *of, rlt_token token) {
  const char c = *token.text;
  if (token.kind == RLT_TOKEN_SPACE) {
    return;
  }
  if (token.kind == RLT_TOKEN_OTHER) {
    of->depth += c == '(' || c == '{' || c == '[';
    of->depth -= c == ')' || c == '}' || c == ']';
  }
  of->is_first = token.kind == RLT_TOKEN_OTHER && (c == ';' || c == '}');
}

/* Writes a token and what belongs to it; how far the text is behind that. */
static const char *spell_token(speller *of, rlt_token token) {
  const char *behind = NULL;
  if (rlt_token_is(token, "ENTRY") && *next_of(token).text == '(') {
    rlt_source_add_text(of->made, of->prefix);
    return strchr(token.text, ')') + 1;
  }
  if (of->dialect == RLT_SOURCE_CPP) {
    behind = token.kind == RLT_TOKEN_NAME    ? spell_word(of, token)
             : token.kind == RLT_TOKEN_OTHER ? spell_cast(of, token)
                                             : NULL;
  }
  if (behind != NULL) {
    of->is_first = false;
    return behind;
  }
  if (token.kind == RLT_TOKEN_NAME) {
    add_name(of, token);
  } else if (token.kind == RLT_TOKEN_NUMBER) {
    add_number(of, token);
  } else {
    rlt_source_add(of->made, token.text, token.length);
  }
  count_brackets(of, token);
  return token.text + token.length;
}

void rlt_source_spell(const char *text, const char *prefix, rlt_source_dialect dialect,
                      rlt_source *made) {
  speller of = {.prefix = prefix, .dialect = dialect, .made = made};
  for (const char *at = text; *at != '\0';) {
    const rlt_item item = rlt_item_at(at);
    rlt_item_add_names(item, &of.names);
    at += item.length;
  }
  bool is_line_start = true;
  for (const char *at = text; *at != '\0';) {
    const rlt_token token = rlt_token_at(at);
    of.is_first = of.is_first || is_line_start;
    is_line_start = *at == '\n';
    at = spell_token(&of, token);
  }
  made->lacks_memory = made->lacks_memory || of.names.lacks_memory;
  rlt_names_free(&of.names);
}
