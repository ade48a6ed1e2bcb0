/* wisdom_lines.c: an array in order of age, and a hash table over it. */
#include "search/wisdom_lines.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

enum { SLOTS = 2 * RLT_MOST_WISDOM_LINES };

static const char separator[] = RLT_WISDOM_SEPARATOR;

/* ---- One line ---- */

static bool begins(const char *line, const char *with) {
  return strncmp(line, with, strlen(with)) == 0;
}

/* Letters, digits and what stands between them here: nothing that could hurt whoever prints it.
 * What stands behind the line is none of these, so that comparing ends there. */
static bool is_line(const char *line, size_t length) {
  const bool is_of_sides = begins(line, RLT_WISDOM_OF_SIDES);
  for (size_t i = 0; i < length; ++i) {
    const char c = line[i];
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == ' ';
    const bool is_side = is_of_sides && ((c >= 'A' && c <= 'Z') || strchr("()[]{}*_.#", c) != NULL);
    if (c == '\0' || (!is_word && !is_side && strchr("/:=-,>+|", c) == NULL)) {
      return false;
    }
  }
  return length < RLT_LONGEST_WISDOM_LINE && (is_of_sides || begins(line, "bytes "));
}

/* How long the problem of a line is; 0 where it cannot be read. */
static size_t problem_length_of(const char *line, size_t length) {
  if (!is_line(line, length)) {
    return 0;
  }
  const size_t separator_length = sizeof separator - 1;
  for (size_t at = 0; at + separator_length < length; ++at) {
    if (memcmp(line + at, separator, separator_length) == 0) {
      return at;
    }
  }
  return 0;
}

/* ---- Sets ---- */

static void put_in_slot(rlt_wisdom_lines *lines, int32_t number) {
  size_t slot = lines->of[number].hash % SLOTS;
  while (lines->slots[slot] != 0) {
    slot = (slot + 1) % SLOTS;
  }
  lines->slots[slot] = (uint16_t)(number + 1);
}

static void put_all_in_slots(rlt_wisdom_lines *lines) {
  memset(lines->slots, 0, sizeof lines->slots);
  for (int32_t i = 0; i < lines->count; ++i) {
    put_in_slot(lines, i);
  }
}

const rlt_wisdom_line *rlt_wisdom_lines_find(const rlt_wisdom_lines *lines, const char *problem,
                                             size_t length) {
  const uint64_t hash = rlt_hash(RLT_HASH_START, problem, length);
  for (size_t slot = hash % SLOTS; lines->slots[slot] != 0; slot = (slot + 1) % SLOTS) {
    const rlt_wisdom_line *const known = &lines->of[lines->slots[slot] - 1];
    if (known->hash == hash && known->problem_length == length &&
        memcmp(known->text, problem, length) == 0) {
      return known;
    }
  }
  return NULL;
}

static size_t bytes_of(const rlt_wisdom_line *line) {
  return strlen(line->text) + 1;
}

/* The slots are as before. */
static void append(rlt_wisdom_lines *lines, const rlt_wisdom_line *line) {
  lines->of[lines->count++] = *line;
  lines->bytes += bytes_of(line);
}

void rlt_wisdom_lines_release(rlt_wisdom_lines *lines) {
  for (int32_t i = 0; i < lines->count; ++i) {
    rlt_free(lines->of[i].text);
  }
  lines->count = 0;
  lines->bytes = 0;
}

/* ---- Reading ---- */

/* Behind the end of the line before the one that ends at `end`. */
static size_t begin_of_line(const char *text, size_t end) {
  while (end > 0 && text[end - 1] != '\n') {
    --end;
  }
  return end;
}

typedef enum outcome { GOES_ON, IS_FULL, HAS_NO_MEMORY } outcome;

static outcome take_older(const char *line, size_t length, rlt_wisdom_lines *lines) {
  const size_t problem_length = problem_length_of(line, length);
  if (problem_length == 0 || rlt_wisdom_lines_find(lines, line, problem_length) != NULL) {
    return GOES_ON;
  }
  if (lines->count == RLT_MOST_WISDOM_LINES || lines->bytes + length >= RLT_MOST_WISDOM_BYTES) {
    return IS_FULL;
  }
  char *const copy = rlt_strndup(line, length);
  if (copy == NULL) {
    return HAS_NO_MEMORY;
  }
  const rlt_wisdom_line taken = {rlt_hash(RLT_HASH_START, copy, problem_length), copy,
                                 problem_length};
  append(lines, &taken);
  put_in_slot(lines, lines->count - 1);
  return GOES_ON;
}

static void reverse(rlt_wisdom_lines *lines) {
  for (int32_t first = 0, last = lines->count - 1; first < last; ++first, --last) {
    const rlt_wisdom_line moved = lines->of[first];
    lines->of[first] = lines->of[last];
    lines->of[last] = moved;
  }
  put_all_in_slots(lines);
}

/* From the end on, since the last line of a problem counts, and the newest lines. */
bool rlt_wisdom_lines_read(const char *text, size_t size, rlt_wisdom_lines *lines) {
  outcome last = GOES_ON;
  bool all = true;
  size_t end = begin_of_line(text, size);
  for (int32_t i = 0; i < RLT_MOST_WISDOM_LINES_READ && end > 0 && last != IS_FULL; ++i) {
    const size_t begin = begin_of_line(text, end - 1);
    last = take_older(text + begin, end - 1 - begin, lines);
    all = all && last != HAS_NO_MEMORY;
    end = begin;
  }
  reverse(lines);
  return all;
}

/* ---- Merging ---- */

/* Takes lines out whose problems the other set has. The slots are as before. */
static void remove_common(rlt_wisdom_lines *from, const rlt_wisdom_lines *other) {
  const int32_t count = from->count;
  from->count = 0;
  from->bytes = 0;
  for (int32_t i = 0; i < count; ++i) {
    const rlt_wisdom_line line = from->of[i];
    if (rlt_wisdom_lines_find(other, line.text, line.problem_length) != NULL) {
      rlt_free(line.text);
    } else {
      append(from, &line);
    }
  }
}

static void remove_oldest(rlt_wisdom_lines *lines, int32_t most_count, size_t most_bytes) {
  int32_t gone = 0;
  while (lines->count - gone > most_count || lines->bytes > most_bytes) {
    lines->bytes -= bytes_of(&lines->of[gone]);
    rlt_free(lines->of[gone++].text);
  }
  lines->count -= gone;
  memmove(lines->of, lines->of + gone, (size_t)lines->count * sizeof lines->of[0]);
}

void rlt_wisdom_lines_merge(rlt_wisdom_lines *lines, rlt_wisdom_lines *other, bool replaces) {
  if (replaces) {
    remove_common(lines, other);
  } else {
    remove_common(other, lines);
  }
  remove_oldest(lines, RLT_MOST_WISDOM_LINES - other->count, RLT_MOST_WISDOM_BYTES - other->bytes);
  for (int32_t i = 0; i < other->count; ++i) {
    append(lines, &other->of[i]);
  }
  put_all_in_slots(lines);
  other->count = 0;
  rlt_wisdom_lines_release(other);
}
