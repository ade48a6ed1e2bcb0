/* fields.c: reads and writes the fields of a table, number by number. */
#include "metadata/fields.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "metadata/literal.h"
#include "metadata/quote.h"

/* ---- Words ---- */

rlt_word rlt_word_next(const char **at, const char *end) {
  while (*at < end && **at == ' ') {
    ++*at;
  }
  rlt_word rest = {*at, (size_t)(end - *at)};
  const rlt_word word = rlt_word_cut(&rest, ' ');
  *at += word.length;
  return word;
}

rlt_word rlt_word_cut(rlt_word *word, char mark) {
  const rlt_word all = *word;
  const char *const found = all.length == 0 ? NULL : memchr(all.at, mark, all.length);
  if (found == NULL) {
    *word = (rlt_word){all.at + all.length, 0};
    return all;
  }
  const size_t length = (size_t)(found - all.at);
  *word = (rlt_word){found + 1, all.length - length - 1};
  return (rlt_word){all.at, length};
}

bool rlt_word_is(rlt_word word, const char *text) {
  return strlen(text) == word.length && memcmp(text, word.at, word.length) == 0;
}

bool rlt_word_number(rlt_word word, int64_t least, int64_t most, int64_t *number) {
  int64_t read = 0;
  for (size_t i = 0; i < word.length; ++i) {
    const int digit = word.at[i] - '0';
    if (digit < 0 || digit > 9 || read > (INT64_MAX - digit) / 10) {
      return false;
    }
    read = 10 * read + digit;
  }
  *number = read;
  return word.length > 0 && read >= least && read <= most;
}

/* ---- Numbers ---- */

static size_t size_of(char type) {
  return type == '?' ? sizeof(bool) : type == 'i' ? sizeof(int32_t) : sizeof(int64_t);
}

static void add_number(char type, const void *at, rlt_text *text) {
  rlt_element element = {0, 0};
  int32_t narrow;
  bool truth;
  if (type == 'd') {
    memcpy(&element.real, at, sizeof(double));
    rlt_literal_format(rlt_type_find(RELAYOUT_F64), element, text);
  } else if (type == 'q') {
    memcpy(&element.real, at, sizeof(int64_t));
    rlt_text_add(text, "%" PRId64, (int64_t)element.real);
  } else if (type == 'i') {
    memcpy(&narrow, at, sizeof narrow);
    rlt_text_add(text, "%" PRId32, narrow);
  } else {
    memcpy(&truth, at, sizeof truth);
    rlt_text_add(text, "%d", truth);
  }
}

static bool read_double(rlt_word word, int64_t least, int64_t most, void *at) {
  rlt_element element;
  double number;
  if (rlt_literal_parse(word.at, word.length, rlt_type_find(RELAYOUT_F64), &element, NULL) !=
      RELAYOUT_OK) {
    return false;
  }
  memcpy(&number, &element.real, sizeof number);
  memcpy(at, &number, sizeof number);
  return number >= (double)least && number <= (double)most; /* NaN is not */
}

static bool read_number(const rlt_field *of, char type, int64_t most, rlt_word word, void *at) {
  int64_t number;
  if (type == 'd') {
    return read_double(word, of->least, most, at);
  }
  if (!rlt_word_number(word, of->least, most, &number) ||
      (of->is_power && (number & (number - 1)) != 0)) {
    return false;
  }
  const int32_t narrow = (int32_t)number;
  const bool truth = number != 0;
  memcpy(at,
         type == '?'   ? (const void *)&truth
         : type == 'i' ? (const void *)&narrow
                       : (const void *)&number,
         size_of(type));
  return true;
}

/* ---- Fields ---- */

void rlt_fields_add(const rlt_field *fields, int count, const void *in, rlt_text *text) {
  for (int f = 0; f < count; ++f) {
    const char *at = (const char *)in + fields[f].offset;
    rlt_text_add(text, "%s%s", f == 0 ? "" : " ", fields[f].name);
    for (const char *type = fields[f].types; *type != '\0'; ++type) {
      rlt_text_add(text, "%c", type == fields[f].types ? '=' : ':');
      add_number(*type, at, text);
      at += size_of(*type);
    }
  }
}

/* All numbers of a field, and nothing behind them. */
static bool read_value(const rlt_field *of, rlt_word value, char *at) {
  const char *type = of->types;
  bool ends = false;
  for (; *type != '\0' && !ends; ++type) {
    const rlt_word number = rlt_word_cut(&value, ':');
    ends = value.at == number.at + number.length; /* no colon */
    if (!read_number(of, *type, type == of->types ? of->most : of->most_of_others, number, at)) {
      return false;
    }
    at += size_of(*type);
  }
  if (!ends || (*type != '\0' && !of->may_end)) {
    return false;
  }
  for (; *type != '\0'; ++type) {
    memset(at, 0, size_of(*type));
    at += size_of(*type);
  }
  return true;
}

static relayout_status fail_at_value(const char *whose, const rlt_field *of, rlt_word word,
                                     relayout_error *error) {
  const int numbers = (int)strlen(of->types);
  char others[48] = "";
  if (numbers > 1 && of->most_of_others != of->most) {
    rlt_text text = rlt_text_in(others, sizeof others);
    rlt_text_add(&text, ", the others to %" PRId64, of->most_of_others);
  }
  return rlt_fail(
      error, RELAYOUT_INVALID_TEXT,
      "%s: `%s` has an invalid value; expected %s%d number%s from %" PRId64 " to %" PRId64 "%s%s",
      whose, rlt_word_shown(word).text, of->may_end && numbers > 1 ? "up to " : "", numbers,
      numbers == 1 ? "" : "s", of->least, of->most, others, of->is_power ? ", a power of two" : "");
}

static relayout_status read_word(const char *whose, const rlt_field *fields, int count,
                                 rlt_word word, void *in, uint64_t *given, relayout_error *error) {
  rlt_word value = word;
  const rlt_word name = rlt_word_cut(&value, '=');
  int f = name.length < word.length ? 0 : count;
  while (f < count && !rlt_word_is(name, fields[f].name)) {
    ++f;
  }
  if (f == count) {
    return rlt_fail(error, RELAYOUT_INVALID_TEXT, "%s: `%s` is not a field", whose,
                    rlt_word_shown(word).text);
  }
  if ((*given >> f & 1) != 0) {
    return rlt_fail(error, RELAYOUT_INVALID_TEXT, "%s: `%s` is given twice", whose, fields[f].name);
  }
  *given |= UINT64_C(1) << f;
  return read_value(&fields[f], value, (char *)in + fields[f].offset)
             ? RELAYOUT_OK
             : fail_at_value(whose, &fields[f], word, error);
}

relayout_status rlt_fields_read(const char *whose, const rlt_field *fields, int count,
                                const char *at, const char *end, void *in, uint64_t *given,
                                relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  *given = 0;
  for (rlt_word word = rlt_word_next(&at, end); word.length > 0 && status == RELAYOUT_OK;
       word = rlt_word_next(&at, end)) {
    status = read_word(whose, fields, count, word, in, given, error);
  }
  return status;
}
