/* reordered.c: draws the order of a schedule's tiles anew, in its text. */
#include "conformance/reordered.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/random.h"

enum { MOST_LOOPS = 64 };

typedef struct loop_list {
  int count;
  int axes[MOST_LOOPS];
  long inside[MOST_LOOPS]; /* iterations within a block */
} loop_list;

static void add_loop(loop_list *to, int axis, long inside) {
  to->axes[to->count] = axis;
  to->inside[to->count++] = inside;
}

static bool has_axis(const loop_list *of, int axis) {
  for (int i = 0; i < of->count; ++i) {
    if (of->axes[i] == axis) {
      return true;
    }
  }
  return false;
}

/* Reads `axis` or `axis:n`, parted by commas, up to a space or a slash. */
static const char *read_loops(const char *at, loop_list *made) {
  made->count = 0;
  while (*at >= '0' && *at <= '9') {
    char *end;
    const int axis = (int)strtol(at, &end, 10);
    const long inside = *end == ':' ? strtol(end + 1, &end, 10) : 1;
    add_loop(made, axis, inside);
    at = *end == ',' ? end + 1 : end;
  }
  return at;
}

static void shuffle(loop_list *of, uint64_t *state) {
  for (int i = of->count - 1; i > 0; --i) {
    const int other = (int)random_below(state, i + 1);
    const int axis = of->axes[i];
    const long inside = of->inside[i];
    of->axes[i] = of->axes[other];
    of->inside[i] = of->inside[other];
    of->axes[other] = axis;
    of->inside[other] = inside;
  }
}

/* Some loops leave their block, and others have fewer iterations there: what they leave is gone
 * through over blocks. */
static void draw_loops(const loop_list *of, uint64_t *state, loop_list *inner, loop_list *outer) {
  inner->count = 0;
  for (int i = 0; i < of->count; ++i) {
    const bool leaves = random_below(state, 4) == 0;
    const long inside = leaves ? 1 : 2 + (long)random_below(state, of->inside[i] - 1);
    if (!leaves) {
      add_loop(inner, of->axes[i], inside);
    }
    if (inside < of->inside[i] && !has_axis(outer, of->axes[i])) {
      add_loop(outer, of->axes[i], 1);
    }
  }
  shuffle(inner, state);
  shuffle(outer, state);
}

static size_t print_loops(const loop_list *of, char *made, size_t capacity) {
  size_t length = 0;
  for (int i = 0; i < of->count && length < capacity; ++i) {
    const char *const comma = i == 0 ? "" : ",";
    length += (size_t)(of->inside[i] > 1 ? snprintf(made + length, capacity - length, "%s%d:%ld",
                                                    comma, of->axes[i], of->inside[i])
                                         : snprintf(made + length, capacity - length, "%s%d", comma,
                                                    of->axes[i]));
  }
  return length;
}

bool schedules_reorder(const char *text, uint64_t *state, char made[SCHEDULES_TEXT_SIZE]) {
  const char *const loops = strstr(text, " loops=");
  const char *const threads = strstr(text, " threads=");
  if (loops == NULL || strstr(text, " group=") != NULL || strstr(text, "+combined") != NULL) {
    return false;
  }
  loop_list was, inner, outer = {.count = 0};
  const char *at = read_loops(loops + strlen(" loops="), &was);
  if (*at == '/') {
    at = read_loops(at + 1, &outer);
  }
  draw_loops(&was, state, &inner, &outer);
  size_t length = (size_t)snprintf(made, SCHEDULES_TEXT_SIZE, "%.*s loops=%s", (int)(loops - text),
                                   text, inner.count + outer.count == 0 ? "-" : "");
  length += print_loops(&inner, made + length, SCHEDULES_TEXT_SIZE - length);
  if (outer.count > 0) {
    length += (size_t)snprintf(made + length, SCHEDULES_TEXT_SIZE - length, "/");
    length += print_loops(&outer, made + length, SCHEDULES_TEXT_SIZE - length);
  }
  const char *const move = strstr(text, " move=");
  const char *const store = strstr(text, " store=");
  const size_t kept = (size_t)(store - move) + 1 + strcspn(store + 1, " ");
  length += (size_t)snprintf(made + length, SCHEDULES_TEXT_SIZE - length, "%.*s", (int)kept, move);
  if (strncmp(store, " store=buffered", strlen(" store=buffered")) == 0 &&
      random_below(state, 4) > 0) {
    length += (size_t)snprintf(made + length, SCHEDULES_TEXT_SIZE - length, " prefetch=%d:%d",
                               1 + (int)random_below(state, 3), 1 + (int)random_below(state, 3));
  }
  const long most = threads == NULL ? 1 : strtol(threads + strlen(" threads="), NULL, 10);
  const long drawn = 1 + (long)random_below(state, most);
  if (drawn > 1) {
    snprintf(made + length, SCHEDULES_TEXT_SIZE - length, " threads=%ld", drawn);
  }
  return true;
}
