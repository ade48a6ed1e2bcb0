/* sharding_rules.c: reads rules line by line. */
#include "sharding_rules.h"

#include <stdlib.h>
#include <string.h>

#include "stream.h"
#include "tensor_choice.h"

enum { LARGEST_FILE = 16 << 20 };

/* The whole file as a text. */
static exit_code read_text(const char *path, char **text) {
  stream_input input;
  exit_code code = stream_open(path, &input);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  char *const made = malloc(LARGEST_FILE + 1);
  size_t got = 0;
  code = made != NULL ? stream_read(&input, made, LARGEST_FILE, &got)
                      : report(EXIT_CODE_FAILURE, "no memory for the rules of %s", path);
  stream_close(&input);
  if (code == EXIT_CODE_OK && (got == LARGEST_FILE || memchr(made, '\0', got) != NULL)) {
    code = report(EXIT_CODE_BAD_INPUT, "%s is no file of rules: it has %s", path,
                  got == LARGEST_FILE ? "16 MiB or more" : "a NUL");
  }
  if (code != EXIT_CODE_OK) {
    free(made);
    return code;
  }
  made[got] = '\0';
  *text = made;
  return EXIT_CODE_OK;
}

static char *skip_space(char *at) {
  return at + strspn(at, " \t\r");
}

/* The next word of a line, which ends there; "" where there is none. */
static char *take_word(char **rest) {
  char *const word = skip_space(*rest);
  char *const end = word + strcspn(word, " \t\r");
  *rest = *end != '\0' ? end + 1 : end;
  *end = '\0';
  return word;
}

/* The next word, or what is between the next braces, those within it among them. */
static char *take_braces(char **rest) {
  char *const begin = skip_space(*rest);
  char *at = begin;
  int depth = 0;
  if (*begin != '{') {
    return take_word(rest);
  }
  do {
    depth += (*at == '{') - (*at == '}');
    at += 1;
  } while (*at != '\0' && depth > 0);
  *rest = *at != '\0' ? at + 1 : at;
  *at = '\0';
  return begin;
}

static exit_code read_sharding(const char *path, size_t line, const char *which, char **rest,
                               relayout_sharding *sharding) {
  relayout_error error;
  const char *const text = take_braces(rest);
  if (text[0] == '\0') {
    return report(EXIT_CODE_BAD_INPUT,
                  "%s:%zu: the %s sharding is missing; a rule is a pattern and two shardings", path,
                  line, which);
  }
  return relayout_sharding_parse(text, sharding, &error) == RELAYOUT_OK
             ? EXIT_CODE_OK
             : report(EXIT_CODE_BAD_INPUT, "%s:%zu: the %s sharding: %s", path, line, which,
                      error.message);
}

/* Of a line that is not empty. */
static exit_code read_rule(const char *path, size_t line, char *rest, sharding_rule *made) {
  *made = (sharding_rule){.pattern = take_word(&rest), .line = line};
  exit_code code = read_sharding(path, line, "first", &rest, &made->from);
  if (code == EXIT_CODE_OK) {
    code = read_sharding(path, line, "second", &rest, &made->to);
  }
  const char *const shape = take_word(&rest);
  made->shape = shape[0] != '\0' ? shape : NULL;
  const char *const more = skip_space(rest);
  return code == EXIT_CODE_OK && more[0] != '\0'
             ? report(EXIT_CODE_BAD_INPUT, "%s:%zu: '%s' is more than a rule has", path, line, more)
             : code;
}

static exit_code add_line(const char *path, size_t line, char *text, sharding_rules *made) {
  text = skip_space(text);
  if (text[0] == '\0' || text[0] == '#') {
    return EXIT_CODE_OK;
  }
  sharding_rule *const grown = realloc(made->of, (made->count + 1) * sizeof *grown);
  if (grown == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for the rules of %s", path);
  }
  made->of = grown;
  return read_rule(path, line, text, &grown[made->count++]);
}

exit_code sharding_rules_read(const char *path, sharding_rules *made) {
  *made = (sharding_rules){.count = 0};
  exit_code code = read_text(path, &made->text);
  size_t line = 0;
  for (char *at = made->text; code == EXIT_CODE_OK && at != NULL;) {
    char *const end = strchr(at, '\n');
    if (end != NULL) {
      *end = '\0';
    }
    code = add_line(path, ++line, at, made);
    at = end != NULL ? end + 1 : NULL;
  }
  return code;
}

void sharding_rules_free(sharding_rules *rules) {
  free(rules->text);
  free(rules->of);
  *rules = (sharding_rules){.count = 0};
}

const sharding_rule *sharding_rules_find(const sharding_rules *rules, const char *name) {
  for (size_t i = 0; i < rules->count; i++) {
    if (tensor_choice_matches(rules->of[i].pattern, name)) {
      return &rules->of[i];
    }
  }
  return NULL;
}
