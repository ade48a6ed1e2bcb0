/* comparison.c: two benchmarks compared, case by case. */
#include "comparison.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"
#include "json_text.h"

static const double LEAST_CHANGE = 0.1;

/* ---- Reading -------------------------------------------------------------------------------- */

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

/* Reads a case; what there is of it is the caller's to free in any case. */
static relayout_status read_case(const json_t *json, comparison_case *of, relayout_error *error) {
  *of = (comparison_case){.fraction = 0};
  const char *const from = json_string_value(json_object_get(json, "from"));
  const char *const to = json_string_value(json_object_get(json, "to"));
  if (!json_text_copy(json_object_get(json, "name"), sizeof of->name, of->name) || from == NULL ||
      to == NULL || !json_text_number(json_object_get(json, "fraction"), &of->fraction) ||
      !json_text_number(json_object_get(json, "spread"), &of->spread) || !(of->fraction > 0)) {
    return fail_with(error, RELAYOUT_INVALID_TEXT,
                     "the JSON is not of a benchmark: a case needs name, from, to and fraction");
  }
  of->from = strdup(from);
  of->to = strdup(to);
  return of->from != NULL && of->to != NULL
             ? RELAYOUT_OK
             : fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a case's shapes");
}

static relayout_status read_results(const json_t *json, comparison *old, relayout_error *error) {
  const json_t *const cases = json_object_get(json, "cases");
  if (!json_is_array(cases) ||
      !json_text_copy(json_object_get(json, "device"), sizeof old->device, old->device) ||
      !json_text_number(json_object_get(json, "geomean_fraction"), &old->geomean)) {
    return fail_with(
        error, RELAYOUT_INVALID_TEXT,
        "the JSON is not of a benchmark, which has cases, device and geomean_fraction");
  }
  const size_t count = json_array_size(cases);
  old->cases = calloc(count > 0 ? count : 1, sizeof *old->cases);
  if (old->cases == NULL) {
    return fail_with(error, RELAYOUT_OUT_OF_MEMORY, "no memory for %zu cases", count);
  }
  relayout_status status = RELAYOUT_OK;
  while (old->count < count && status == RELAYOUT_OK) {
    status = read_case(json_array_get(cases, old->count), &old->cases[old->count], error);
    old->count += 1;
  }
  return status;
}

relayout_status comparison_parse(const char *text, comparison *old, relayout_error *error) {
  json_t *json;
  relayout_status status = json_text_read(text, strlen(text), &json, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  comparison made = {.cases = NULL};
  status = read_results(json, &made, error);
  json_decref(json);
  if (status == RELAYOUT_OK) {
    *old = made;
  } else {
    comparison_free(&made);
  }
  return status;
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
