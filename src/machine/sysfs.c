/* sysfs.c: reading FOLDER/cpuN/cache/indexN/, which has a file for each property of a cache. */
#include "machine/sysfs.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"

enum {
  MOST_INDICES = 16,
  /* A list of processors names each by itself where their numbers take turns. */
  LONGEST_LINE = 4 << 10,
  MOST_PROCESSORS = 1 << 16
};

typedef struct cache_folder {
  const char *folder;
  int32_t processor;
  int32_t index;
} cache_folder;

/* The first line of a file, without its end; false where there is none, or not all of it fits. */
static bool read_line(const cache_folder *of, const char *name, char line[LONGEST_LINE]) {
  char path[PATH_MAX];
  const int length = snprintf(path, sizeof path, "%s/cpu%" PRId32 "/cache/index%" PRId32 "/%s",
                              of->folder, of->processor, of->index, name);
  FILE *const file = length > 0 && (size_t)length < sizeof path ? fopen(path, "r") : NULL;
  if (file == NULL) {
    return false;
  }
  const bool is_read = fgets(line, LONGEST_LINE, file) != NULL;
  fclose(file);
  const size_t end = is_read ? strcspn(line, "\n") : 0;
  const bool is_whole = is_read && end < LONGEST_LINE - 1;
  if (is_whole) {
    line[end] = '\0';
  }
  return is_whole;
}

/* A number at the start of a text, to `most`; -1 where there is none. Moves the text behind it. */
static int64_t take_number(const char **text, int64_t most) {
  char *behind = NULL;
  const long long number = **text >= '0' && **text <= '9' ? strtoll(*text, &behind, 10) : -1;
  *text = behind != NULL ? behind : *text;
  return number <= most ? number : -1;
}

/* A count, alone or, in bytes, with its unit: 48K. 0 where it is anything else. */
static int64_t read_count(const cache_folder *of, const char *name, int64_t most) {
  char line[LONGEST_LINE];
  const char *at = line;
  const int64_t number = read_line(of, name, line) ? take_number(&at, most) : -1;
  if (number <= 0) {
    return 0;
  }
  const char *const units = "KMG";
  const char *const unit = *at == '\0' ? NULL : strchr(units, *at);
  const int shift = unit == NULL ? 0 : 10 * (int)(unit - units + 1);
  const bool is_all = at[unit != NULL] == '\0';
  return is_all && number <= most >> shift ? number << shift : 0;
}

/* How many processors a list such as 0-3,8 names; 0 where it is none. */
static int32_t count_listed(const char *list) {
  int64_t count = 0;
  while (count <= MOST_PROCESSORS) {
    const int64_t first = take_number(&list, MOST_PROCESSORS);
    int64_t last = first;
    if (*list == '-') {
      ++list;
      last = take_number(&list, MOST_PROCESSORS);
    }
    if (first < 0 || last < first) {
      return 0;
    }
    count += last - first + 1;
    if (*list != ',') {
      break;
    }
    ++list;
  }
  return *list == '\0' ? (int32_t)count : 0;
}

static int32_t read_sharers(const cache_folder *of) {
  char line[LONGEST_LINE];
  return read_line(of, "shared_cpu_list", line) ? count_listed(line) : 0;
}

static bool holds_data(const cache_folder *of) {
  char type[LONGEST_LINE];
  return read_line(of, "type", type) && (strcmp(type, "Data") == 0 || strcmp(type, "Unified") == 0);
}

static void read_index(const cache_folder *of, rlt_machine *facts) {
  const int64_t level = read_count(of, "level", RLT_CACHE_LEVELS);
  if (level == 0 || !holds_data(of)) {
    return;
  }
  facts->caches[level - 1] =
      (rlt_cache_facts){.bytes = read_count(of, "size", RLT_MOST_CACHE_BYTES),
                        .ways = (int32_t)read_count(of, "ways_of_associativity", RLT_MOST_COUNTED),
                        .shared = read_sharers(of)};
  const int64_t line_bytes = read_count(of, "coherency_line_size", RLT_MOST_LINE_BYTES);
  facts->line_bytes = rlt_max(facts->line_bytes, line_bytes);
}

static rlt_machine read_processor(const char *folder, int32_t processor) {
  rlt_machine facts = {0};
  cache_folder of = {folder, processor, 0};
  char line[LONGEST_LINE];
  for (; of.index < MOST_INDICES && read_line(&of, "level", line); ++of.index) {
    read_index(&of, &facts);
  }
  rlt_facts_settle(&facts);
  return facts;
}

/* What one processor can hope for of a cache that it shares with others. */
static int64_t part_of(const rlt_cache_facts *cache) {
  return cache->bytes / rlt_max(cache->shared, 1);
}

void rlt_sysfs_read_caches(const char *folder, int32_t first, int32_t last, rlt_machine *facts) {
  const rlt_machine one = read_processor(folder, first);
  const rlt_machine other = last == first ? one : read_processor(folder, last);
  facts->line_bytes = rlt_max(one.line_bytes, other.line_bytes);
  for (int level = 0; level < RLT_CACHE_LEVELS; ++level) {
    const bool is_smaller = part_of(&other.caches[level]) < part_of(&one.caches[level]);
    facts->caches[level] = is_smaller ? other.caches[level] : one.caches[level];
  }
  rlt_facts_settle(facts);
}
