/* type_hint.c: other libraries' names of element types, by the words that they begin with. */
#include "metadata/type_hint.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "metadata/quote.h"
#include "metadata/type_table.h"

enum { MOST_NAME = 24 };

/* Small letters alone, and no underscores: F8_E4M3 and float8_e4m3fn are written so. */
static bool make_plain(const char *name, size_t length, char plain[MOST_NAME]) {
  size_t count = 0;
  for (size_t i = 0; i < length; ++i) {
    const char c = name[i];
    if (count + 1 == MOST_NAME) {
      return false;
    }
    if (c != '_') {
      plain[count++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
  }
  plain[count] = '\0';
  return true;
}

typedef struct renaming {
  const char *theirs;
  const char *ours;
} renaming;

/* Names as a whole. */
static const renaming names[] = {
    {"half", "f16"},    {"single", "f32"}, {"float", "f32"},    {"double", "f64"},
    {"bfloat", "bf16"}, {"bool", "pred"},  {"boolean", "pred"}, {"byte", "u8"},
    {"int", "s32"},     {"cfloat", "c64"}, {"cdouble", "c128"}, {"i1", "pred"},
};

/* What names begin with; the first that holds counts. */
static const renaming beginnings[] = {
    {"bfloat", "bf"}, {"float", "f"}, {"fp", "f"}, {"uint", "u"},    {"ui", "u"},
    {"sint", "s"},    {"int", "s"},   {"si", "s"}, {"complex", "c"}, {"i", "s"},
};

static const char *name_of(const char *plain) {
  const rlt_type_row *const row = rlt_type_find_name(plain, strlen(plain));
  return row == NULL ? NULL : row->name;
}

/* PyTorch's and NumPy's float8_e4m3fn keeps its end; C's int8_t loses it. */
static const char *hint_for(const char *plain) {
  const char *found = name_of(plain);
  for (size_t i = 0; i < sizeof names / sizeof names[0] && found == NULL; ++i) {
    found = strcmp(plain, names[i].theirs) == 0 ? names[i].ours : NULL;
  }
  for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0] && found == NULL; ++i) {
    const size_t length = strlen(beginnings[i].theirs);
    if (strncmp(plain, beginnings[i].theirs, length) == 0) {
      char ours[MOST_NAME];
      snprintf(ours, sizeof ours, "%s%s", beginnings[i].ours, plain + length);
      found = name_of(ours);
    }
  }
  return found;
}

const char *rlt_type_hint(const char *name, size_t length) {
  static const char of_files[] = "F8_E4M3"; /* as .safetensors files call f8e4m3fn */
  if (length == strlen(of_files) && memcmp(name, of_files, length) == 0) {
    return "f8e4m3fn";
  }
  char plain[MOST_NAME];
  if (!make_plain(name, length, plain)) {
    return NULL;
  }
  const char *const found = hint_for(plain);
  const size_t end = strlen(plain);
  if (found != NULL || end < 2 || plain[end - 1] != 't') {
    return found;
  }
  plain[end - 1] = '\0'; /* C's names: int8_t */
  return hint_for(plain);
}

rlt_unknown_type rlt_unknown_type_of(const char *name, size_t length) {
  const char *const hint = rlt_type_hint(name, length);
  rlt_unknown_type made;
  snprintf(made.text, sizeof made.text, "%s is not an element type%s%s%s",
           rlt_quote_text(name, length).text, hint == NULL ? "" : "; did you mean '",
           hint == NULL ? "" : hint, hint == NULL ? "" : "'?");
  return made;
}
