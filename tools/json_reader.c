/* json_reader.c: a recursive-descent reader of JSON on a text in memory. */
#include "json_reader.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 64 };

static bool fail(json_reader *json) {
  json->failed = true;
  return false;
}

/* The next character that is no white space. */
static char peek(json_reader *json) {
  json->at += strspn(json->text + json->at, " \t\r\n");
  return json->text[json->at];
}

static bool take(json_reader *json, char expected) {
  if (json->failed || peek(json) != expected) {
    return fail(json);
  }
  json->at += 1;
  return true;
}

json_reader json_reader_begin(const char *text) {
  return (json_reader){.text = text};
}

bool json_reader_open(json_reader *json, char bracket) {
  return take(json, bracket);
}

bool json_reader_next(json_reader *json, char bracket, bool *is_first) {
  const char closing = bracket == '{' ? '}' : ']';
  if (json->failed) {
    return false;
  }
  if (peek(json) == closing) {
    json->at += 1;
    return false;
  }
  const bool needs_comma = !*is_first;
  *is_first = false;
  return !needs_comma || (take(json, ',') && (peek(json) != closing || fail(json)));
}

/* The character an escape stands for, what comes behind the backslash being at json->at. */
static bool take_escape(json_reader *json, char *character) {
  static const char names[] = "\"\\/bfnrt";
  static const char meanings[] = "\"\\/\b\f\n\r\t";
  const char name = json->text[json->at];
  const char *const found = name != '\0' ? strchr(names, name) : NULL;
  if (found != NULL) {
    *character = meanings[found - names];
    json->at += 1;
    return true;
  }
  if (name != 'u') {
    return fail(json);
  }
  unsigned code = 0;
  for (size_t i = 1; i <= 4; i++) {
    const char digit = json->text[json->at + i];
    if (!isxdigit((unsigned char)digit)) {
      return fail(json);
    }
    const unsigned value = isdigit((unsigned char)digit)
                               ? (unsigned)(digit - '0')
                               : (unsigned)(tolower((unsigned char)digit) - 'a') + 10;
    code = 16 * code + value;
  }
  *character = code > 0 && code < 0x80 ? (char)code : '?';
  json->at += 5;
  return true;
}

bool json_reader_text(json_reader *json, size_t capacity, char *text) {
  if (!take(json, '"')) {
    return false;
  }
  size_t length = 0;
  while (json->text[json->at] != '"') {
    char character = json->text[json->at];
    if ((unsigned char)character < 0x20) {
      return fail(json);
    }
    json->at += 1;
    if (character == '\\' && !take_escape(json, &character)) {
      return false;
    }
    if (length + 1 < capacity) {
      text[length] = character;
      length += 1;
    }
  }
  json->at += 1;
  if (capacity > 0) {
    text[length] = '\0';
  }
  return true;
}

bool json_reader_key(json_reader *json, size_t capacity, char *key) {
  return json_reader_text(json, capacity, key) && take(json, ':');
}

bool json_reader_number(json_reader *json, double *number) {
  if (json->failed || (!isdigit((unsigned char)peek(json)) && peek(json) != '-')) {
    return fail(json);
  }
  const char *const begin = json->text + json->at;
  const size_t length = strspn(begin, "+-.0123456789eE");
  char *end;
  const double value = strtod(begin, &end);
  if (end != begin + length) {
    return fail(json);
  }
  json->at += length;
  *number = value;
  return true;
}

static bool skip_word(json_reader *json, const char *word) {
  if (strncmp(json->text + json->at, word, strlen(word)) != 0) {
    return fail(json);
  }
  json->at += strlen(word);
  return true;
}

static bool skip_value(json_reader *json, int depth) {
  const char begin = json->failed ? '\0' : peek(json);
  double number;
  switch (begin) {
  case '"':
    return json_reader_text(json, 0, NULL);
  case 't':
    return skip_word(json, "true");
  case 'f':
    return skip_word(json, "false");
  case 'n':
    return skip_word(json, "null");
  case '{':
  case '[':
    break;
  default:
    return json_reader_number(json, &number);
  }
  if (depth == MOST_DEPTH) {
    return fail(json);
  }
  json_reader_open(json, begin);
  bool is_first = true;
  while (json_reader_next(json, begin, &is_first)) {
    if ((begin == '{' && !json_reader_key(json, 0, NULL)) || !skip_value(json, depth + 1)) {
      return false;
    }
  }
  return !json->failed;
}

bool json_reader_skip(json_reader *json) {
  return skip_value(json, 0);
}

bool json_reader_end(json_reader *json) {
  return !json->failed && (peek(json) == '\0' || fail(json));
}
