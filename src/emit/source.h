/* source.h: from the text of kernels (cl/), with what is compiled in as macros in front, to a text
 * that can be handed out: only what one kernel needs of it, and under names of its own.
 *
 *     resolve    takes comments out, and directives whose conditions are known
 *     prune      takes out what the named function does not need
 *     spell      begins every name of the text with a prefix, and writes C++ where that is wanted
 *
 * Texts are those that the library has written itself, not a user's: nothing is reported of them.
 *
 * Depends on base/.
 */
#ifndef RLT_EMIT_SOURCE_H
#define RLT_EMIT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

/* A text that grows, NUL-terminated once anything was added. */
typedef struct rlt_source {
  char *text; /* NULL: nothing was added; freed by the caller */
  size_t length;
  size_t capacity;
  bool lacks_memory; /* and so lacks text */
} rlt_source;

void rlt_source_add(rlt_source *source, const char *text, size_t length);
void rlt_source_add_text(rlt_source *source, const char *text);
void rlt_source_free(rlt_source *source);

/* How a text is to be written. */
typedef enum rlt_source_dialect {
  RLT_SOURCE_OPENCL,
  RLT_SOURCE_CPP, /* for CUDA and HIP */
  RLT_SOURCE_C
} rlt_source_dialect;

/* Directives stay whose conditions ask for what compilers define. */
void rlt_source_resolve(const char *text, rlt_source_dialect dialect, rlt_source *made);

void rlt_source_prune(const char *text, const char *function, rlt_source *made);

/* The text's names become prefix_k_name, and the kernel gets the prefix for its name. */
void rlt_source_spell(const char *text, const char *prefix, rlt_source_dialect dialect,
                      rlt_source *made);

/* All three, of the function that the text calls ENTRY(...). */
void rlt_source_make_alone(const rlt_source *whole, const char *name, rlt_source_dialect dialect,
                           rlt_source *made);

/* ---- For these ---- */

typedef enum rlt_token_kind {
  RLT_TOKEN_NAME,
  RLT_TOKEN_NUMBER,
  RLT_TOKEN_STRING,
  RLT_TOKEN_SPACE, /* blanks, or one end of a line */
  RLT_TOKEN_OTHER, /* one character */
  RLT_TOKEN_END
} rlt_token_kind;

typedef struct rlt_token {
  rlt_token_kind kind;
  const char *text;
  size_t length;
} rlt_token;

/* The token that begins there. */
rlt_token rlt_token_at(const char *text);
bool rlt_token_is(rlt_token token, const char *word);

/* The first one from there on that is no space; at the end of a line, unless it goes on behind a
 * backslash, where `in_line`. */
rlt_token rlt_token_from(const char *text, bool in_line);

/* Behind the end of the line, and of those that it goes on in. */
const char *rlt_line_end(const char *text);

/* Names, each once. */
typedef struct rlt_names {
  rlt_token *of;
  size_t count;
  size_t capacity;
  bool lacks_memory;
} rlt_names;

void rlt_names_add(rlt_names *names, rlt_token name);
/* Its number; names->count where it is none of them. */
size_t rlt_names_find(const rlt_names *names, rlt_token name);
void rlt_names_free(rlt_names *names);

/* A piece of a text between whose lines nothing belongs together: a directive, with all up to its
 * end where it is a condition; a declaration; a function; or an empty line. */
typedef struct rlt_item {
  const char *text;
  size_t length;
} rlt_item;

/* The item that begins there, at the start of a line. */
rlt_item rlt_item_at(const char *text);

/* The names that an item defines for all that follow. */
void rlt_item_add_names(rlt_item item, rlt_names *names);

#endif
