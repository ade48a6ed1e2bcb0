/* comparison.c: two benchmarks compared, case by case. */
#include "comparison.h"

#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "json_reader.h"

static const double LEAST_CHANGE = 0.1;

/* ---- Reading -------------------------------------------------------------------------------- */

enum { KEY_SIZE = 32 };

static void free_case(comparison_case *of) {
  free(of->from);
  free(of->to);
}

void comparison_free(comparison *old) {
  for (size_t i = 0; i < old->count; i++) {
    free_case(&old->cases[i]);
  }
  free(old->cases);
  *old = (comparison){.cases = NULL};
}

static bool read_shape(json_reader *json, char **shape) {
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  if (!json_reader_text(json, sizeof text, text)) {
    return false;
  }
  free(*shape);
  *shape = strdup(text);
  return *shape != NULL;
}

static bool read_member(json_reader *json, const char *key, comparison_case *of) {
  if (strcmp(key, "name") == 0) {
    return json_reader_text(json, sizeof of->name, of->name);
  }
  if (strcmp(key, "from") == 0) {
    return read_shape(json, &of->from);
  }
  if (strcmp(key, "to") == 0) {
    return read_shape(json, &of->to);
  }
  if (strcmp(key, "fraction") == 0) {
    return json_reader_number(json, &of->fraction);
  }
  if (strcmp(key, "spread") == 0) {
    return json_reader_number(json, &of->spread);
  }
  return json_reader_skip(json);
}

/* Reads a case; what there is of it is the caller's to free in any case. */
static bool read_case(json_reader *json, comparison_case *of) {
  *of = (comparison_case){.fraction = 0};
  bool is_first = true;
  char key[KEY_SIZE];
  json_reader_open(json, '{');
  while (json_reader_next(json, '{', &is_first)) {
    if (!json_reader_key(json, sizeof key, key) || !read_member(json, key, of)) {
      return false;
    }
  }
  return !json->failed && of->from != NULL && of->to != NULL && of->fraction > 0;
}

static bool read_cases(json_reader *json, comparison *old) {
  bool is_first = true;
  json_reader_open(json, '[');
  while (json_reader_next(json, '[', &is_first)) {
    comparison_case *const grown = realloc(old->cases, (old->count + 1) * sizeof *old->cases);
    if (grown == NULL) {
      return false;
    }
    old->cases = grown;
    old->count += 1;
    if (!read_case(json, &old->cases[old->count - 1])) {
      return false;
    }
  }
  return !json->failed;
}

static bool read_results(json_reader *json, comparison *old, bool *has_cases) {
  bool is_first = true;
  char key[KEY_SIZE];
  json_reader_open(json, '{');
  while (json_reader_next(json, '{', &is_first)) {
    if (!json_reader_key(json, sizeof key, key)) {
      return false;
    }
    bool is_read;
    if (strcmp(key, "cases") == 0 && !*has_cases) {
      *has_cases = true;
      is_read = read_cases(json, old);
    } else if (strcmp(key, "device") == 0) {
      is_read = json_reader_text(json, sizeof old->device, old->device);
    } else if (strcmp(key, "geomean_fraction") == 0) {
      is_read = json_reader_number(json, &old->geomean);
    } else {
      is_read = json_reader_skip(json);
    }
    if (!is_read) {
      return false;
    }
  }
  return json_reader_end(json);
}

relayout_status comparison_parse(const char *text, comparison *old, relayout_error *error) {
  comparison made = {.cases = NULL};
  json_reader json = json_reader_begin(text);
  bool has_cases = false;
  if (read_results(&json, &made, &has_cases) && has_cases) {
    *old = made;
    return RELAYOUT_OK;
  }
  comparison_free(&made);
  if (json.failed) {
    return fail_with(error, RELAYOUT_INVALID_TEXT, "byte %zu is not as in a benchmark's JSON",
                     json.at);
  }
  return fail_with(error, RELAYOUT_INVALID_TEXT,
                   "it is JSON, but not a benchmark's: a case needs from, to and fraction");
}

/* ---- Judging -------------------------------------------------------------------------------- */

static bool is_same_case(const comparison_case *old, const bench_case *of) {
  if (strcmp(old->name, of->name) != 0) {
    return false;
  }
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  relayout_shape_format(&of->from, text, sizeof text);
  if (strcmp(old->from, text) != 0) {
    return false;
  }
  relayout_shape_format(&of->to, text, sizeof text);
  return strcmp(old->to, text) == 0;
}

comparison_verdict comparison_judge(const comparison *old, const bench_result *result,
                                    const comparison_case **matching) {
  *matching = NULL;
  for (size_t i = 0; i < old->count && *matching == NULL; i++) {
    if (is_same_case(&old->cases[i], &result->of)) {
      *matching = &old->cases[i];
    }
  }
  if (*matching == NULL) {
    return COMPARISON_NEW;
  }
  double threshold = LEAST_CHANGE;
  threshold = result->spread > threshold ? result->spread : threshold;
  threshold = (*matching)->spread > threshold ? (*matching)->spread : threshold;
  const double change = result->fraction / (*matching)->fraction;
  if (change < 1 - threshold) {
    return COMPARISON_SLOWER;
  }
  return change > 1 + threshold ? COMPARISON_FASTER : COMPARISON_SAME;
}

/* ---- Printing ------------------------------------------------------------------------------- */

typedef struct change {
  const char *name;
  double before;
  double after;
} change;

static int compare_changes(const void *a, const void *b) {
  const change *const left = a;
  const change *const right = b;
  const double x = left->after / left->before;
  const double y = right->after / right->before;
  return (x > y) - (x < y);
}

static void print_changes(const char *what, size_t count, change *changes, FILE *file) {
  qsort(changes, count, sizeof *changes, compare_changes);
  for (size_t i = 0; i < count; i++) {
    fprintf(file, "%s  %-22s %6.3f -> %6.3f of copy (%+.0f %%)\n", what, changes[i].name,
            changes[i].before, changes[i].after, (changes[i].after / changes[i].before - 1) * 100);
  }
}

bool comparison_print(const comparison *old, const bench_results *results, FILE *file) {
  change *const slower = calloc(2 * results->count + 1, sizeof *slower);
  if (slower == NULL) {
    return false;
  }
  change *const faster = slower + results->count;
  size_t slower_count = 0;
  size_t faster_count = 0;
  size_t same_count = 0;
  size_t new_count = 0;
  for (size_t i = 0; i < results->count; i++) {
    const bench_result *const result = &results->cases[i];
    const comparison_case *matching;
    if (result->skipped[0] != '\0') {
      continue;
    }
    const comparison_verdict verdict = comparison_judge(old, result, &matching);
    if (verdict == COMPARISON_SLOWER) {
      slower[slower_count++] = (change){result->of.name, matching->fraction, result->fraction};
    } else if (verdict == COMPARISON_FASTER) {
      faster[faster_count++] = (change){result->of.name, matching->fraction, result->fraction};
    } else {
      same_count += verdict == COMPARISON_SAME;
      new_count += verdict == COMPARISON_NEW;
    }
  }
  if (strcmp(old->device, results->device.name) != 0) {
    fprintf(file, "the other benchmark ran on %s\n", old->device);
  }
  print_changes("slower", slower_count, slower, file);
  print_changes("faster", faster_count, faster, file);
  fprintf(file, "%zu slower, %zu faster, %zu unchanged, %zu new, %zu gone\n", slower_count,
          faster_count, same_count, new_count,
          old->count - slower_count - faster_count - same_count);
  free(slower);
  return true;
}
