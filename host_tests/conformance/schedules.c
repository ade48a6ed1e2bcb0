/* schedules.c: collecting what relayout_plan_visit_schedules tells of. */
#include "conformance/schedules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct collecting {
  schedules *made;
  int32_t part;
  bool failed;
} collecting;

static void collect(void *context, const relayout_schedule_info *info) {
  collecting *const at = context;
  size_t *const count = &at->made->counts[at->part];
  char **const grown = realloc(at->made->texts[at->part], (*count + 1) * sizeof *grown);
  char *const text = grown == NULL ? NULL : strdup(info->text);
  if (grown != NULL) {
    at->made->texts[at->part] = grown;
  }
  if (text == NULL) {
    at->failed = true;
    return;
  }
  grown[(*count)++] = text;
}

bool schedules_of(const relayout_plan *plan, schedules *made) {
  *made = (schedules){.part_count = relayout_plan_part_count(plan)};
  collecting at = {.made = made};
  bool is_visited = made->part_count <= SCHEDULES_MOST_PARTS;
  for (at.part = 0; at.part < made->part_count && is_visited; ++at.part) {
    is_visited = relayout_plan_visit_schedules(plan, at.part, collect, &at, NULL) == RELAYOUT_OK;
    made->count = made->counts[at.part] > made->count ? made->counts[at.part] : made->count;
  }
  return is_visited && !at.failed;
}

void schedules_free(schedules *used) {
  for (int32_t part = 0; part < used->part_count; ++part) {
    for (size_t i = 0; i < used->counts[part]; ++i) {
      free(used->texts[part][i]);
    }
    free(used->texts[part]);
  }
}

void schedules_of_round(const schedules *of, size_t round, const char **texts) {
  for (int32_t part = 0; part < of->part_count; ++part) {
    texts[part] = of->texts[part][round % of->counts[part]];
  }
}

void schedules_alignment(const char *const *texts, int32_t count, size_t *source,
                         size_t *destination) {
  *source = 1;
  *destination = 1;
  for (int32_t part = 0; part < count; ++part) {
    const char *const at = strstr(texts[part], " align=");
    size_t sides[2] = {1, 1};
    if (at != NULL && sscanf(at, " align=%zu:%zu", &sides[0], &sides[1]) == 2) {
      *source = sides[0] > *source ? sides[0] : *source;
      *destination = sides[1] > *destination ? sides[1] : *destination;
    }
  }
}

static void without_field(const char *field, char *text) {
  char *const at = strstr(text, field);
  if (at != NULL) {
    const char *const behind = at + 1 + strcspn(at + 1, " ");
    memmove(at, behind, strlen(behind) + 1);
  }
}

static void without_kernel(const char *text, char *made, size_t capacity) {
  snprintf(made, capacity, "%s", text);
  without_field(" group=", made);
  without_field(" kernel=", made);
}

bool schedules_are_same(const char *a, const char *b) {
  char rest_of_a[SCHEDULES_TEXT_SIZE], rest_of_b[SCHEDULES_TEXT_SIZE];
  without_kernel(a, rest_of_a, sizeof rest_of_a);
  without_kernel(b, rest_of_b, sizeof rest_of_b);
  return strcmp(rest_of_a, rest_of_b) == 0;
}
