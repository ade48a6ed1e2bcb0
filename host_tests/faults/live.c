/* live.c: a hash table that counts what was made and not yet given back. */
#include "faults/live.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
  bool used;
  live_kind kind;
  uintptr_t key;
  int32_t count;
  int32_t marked; /* the count at the last mark */
} entry;

enum { CAPACITY = 1 << 13 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static entry entries[CAPACITY];
static size_t used;

static const char *const names[] = {
#define LIVE_NAME(name, text) text,
    LIVE_KIND_TABLE(LIVE_NAME)
#undef LIVE_NAME
};
enum { KINDS = sizeof names / sizeof names[0] };

/* The place of a thing, or the free one where it would be. */
static entry *place_of(live_kind kind, uintptr_t key) {
  size_t at = (key / 16 * 2654435761U + (size_t)kind) % CAPACITY;
  while (entries[at].used && (entries[at].kind != kind || entries[at].key != key)) {
    at = (at + 1) % CAPACITY;
  }
  return &entries[at];
}

/* Takes out of the table what is gone and was not there at the last mark, and places the rest anew.
 * Address sanitizer gives hardly an address twice, so gone blocks would fill the table. */
static void compact(void) {
  static entry kept[CAPACITY];
  memcpy(kept, entries, sizeof entries);
  memset(entries, 0, sizeof entries);
  used = 0;
  for (size_t i = 0; i < CAPACITY; ++i) {
    if (kept[i].used && (kept[i].count != 0 || kept[i].marked != 0)) {
      *place_of(kept[i].kind, kept[i].key) = kept[i];
      ++used;
    }
  }
}

static void change(live_kind kind, uintptr_t key, int32_t by, bool only_known) {
  pthread_mutex_lock(&mutex);
  entry *place = place_of(kind, key);
  if (!place->used && !only_known) {
    if (used == CAPACITY / 2) {
      compact();
    }
    if (++used == CAPACITY) {
      fprintf(stderr, "more live things than live.c has places for\n");
      abort();
    }
    place = place_of(kind, key);
    *place = (entry){.used = true, .kind = kind, .key = key};
  }
  if (place->used) {
    place->count += by;
  }
  pthread_mutex_unlock(&mutex);
}

void live_add(live_kind kind, uintptr_t key) {
  change(kind, key, 1, false);
}

/* The system gives an address again that the table still knows with a count of 0. */
void live_remove(live_kind kind, uintptr_t key) {
  if (kind != LIVE_BLOCK || live_has(kind, key)) {
    change(kind, key, -1, false);
  }
}

bool live_has(live_kind kind, uintptr_t key) {
  pthread_mutex_lock(&mutex);
  const entry *const place = place_of(kind, key);
  const bool has = place->used && place->count > 0;
  pthread_mutex_unlock(&mutex);
  return has;
}

int64_t live_count(live_kind kind) {
  int64_t count = 0;
  pthread_mutex_lock(&mutex);
  for (size_t i = 0; i < CAPACITY; ++i) {
    count += entries[i].used && entries[i].kind == kind ? entries[i].count : 0;
  }
  pthread_mutex_unlock(&mutex);
  return count;
}

void live_mark(void) {
  pthread_mutex_lock(&mutex);
  for (size_t i = 0; i < CAPACITY; ++i) {
    entries[i].marked = entries[i].count;
  }
  compact();
  pthread_mutex_unlock(&mutex);
}

bool live_difference(char *text, size_t capacity) {
  int32_t more[KINDS] = {0};
  int32_t fewer[KINDS] = {0};
  pthread_mutex_lock(&mutex);
  for (size_t i = 0; i < CAPACITY; ++i) {
    const entry *const it = &entries[i];
    if (it->used && it->count > it->marked) {
      more[it->kind] += it->count - it->marked;
    } else if (it->used) {
      fewer[it->kind] += it->marked - it->count;
    }
  }
  pthread_mutex_unlock(&mutex);
  size_t length = 0;
  text[0] = '\0';
  for (size_t k = 0; k < KINDS && length < capacity; ++k) {
    if (more[k] > 0) {
      length += (size_t)snprintf(text + length, capacity - length, "; %s left: %d", names[k],
                                 (int)more[k]);
    }
    if (fewer[k] > 0 && length < capacity) {
      length += (size_t)snprintf(text + length, capacity - length,
                                 "; %s given back once too often: %d", names[k], (int)fewer[k]);
    }
  }
  return length > 0;
}
