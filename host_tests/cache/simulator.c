/* simulator.c: sets of lines and of pages, which know when each was used last. */
#include "cache/simulator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
  uint64_t what; /* 0: nothing */
  uint64_t used; /* when, last */
} entry;

enum { HINTS = 4096 };

typedef struct level {
  entry *entries; /* of one set after the other */
  uint64_t sets;
  int32_t ways;
  bool is_hashed;
  uint64_t now;
  uint32_t hints[HINTS]; /* the entry that had the last of all numbers with these low digits */
} level;

/* A line that is put together. */
typedef struct write_buffer {
  uint64_t line; /* 0: none */
  int64_t bytes; /* of it that are here */
} write_buffer;

struct simulator {
  simulator_geometry geometry;
  int line_shift, page_shift; /* both sizes are powers of two */
  uint64_t seed;
  level caches[SIMULATOR_CACHES];
  level tlbs[SIMULATOR_TLBS];
  write_buffer buffers[SIMULATOR_MOST_BUFFERS]; /* the one used last first */
  simulator_counts counts;
};

/* ---- Sets ---- */

static void *allocate(size_t count, size_t size) {
  void *const made = calloc(count, size);
  if (made == NULL) {
    fprintf(stderr, "no memory for %zu times %zu bytes\n", count, size);
    exit(1);
  }
  return made;
}

static void make_level(simulator_level of, level *made) {
  made->ways = of.ways;
  made->is_hashed = of.is_hashed;
  if (of.entries > 0) {
    made->sets = (uint64_t)(of.entries / of.ways);
    made->entries = allocate((size_t)of.entries, sizeof *made->entries);
  }
}

/* The entry that has it, or else the one of its set that was used the longest ago. */
static entry *find_entry(const level *in, uint64_t what) {
  const uint64_t digits = in->is_hashed ? what ^ what / in->sets : what;
  entry *const set = in->entries + digits % in->sets * (uint64_t)in->ways;
  entry *oldest = set;
  for (int32_t i = 0; i < in->ways; ++i) {
    if (set[i].what == what) {
      return &set[i];
    }
    oldest = set[i].used < oldest->used ? &set[i] : oldest;
  }
  return oldest;
}

/* Whether it is there; it is now, and was used last. */
static bool touch(level *in, uint64_t what) {
  uint32_t *const hint = &in->hints[what % HINTS];
  entry *found = &in->entries[*hint];
  if (found->what != what) {
    found = find_entry(in, what);
    *hint = (uint32_t)(found - in->entries);
  }
  const bool was_there = found->what == what;
  *found = (entry){.what = what, .used = ++in->now};
  return was_there;
}

/* ---- Making one ---- */

simulator *simulator_create(const simulator_geometry *geometry, uint64_t seed) {
  simulator *const made = allocate(1, sizeof *made);
  made->geometry = *geometry;
  made->line_shift = __builtin_ctzll((unsigned long long)geometry->line_bytes);
  made->page_shift = __builtin_ctzll((unsigned long long)geometry->page_bytes);
  made->seed = seed;
  for (int i = 0; i < SIMULATOR_CACHES; ++i) {
    make_level(geometry->caches[i], &made->caches[i]);
  }
  for (int i = 0; i < SIMULATOR_TLBS; ++i) {
    make_level(geometry->tlbs[i], &made->tlbs[i]);
  }
  return made;
}

void simulator_destroy(simulator *of) {
  for (int i = 0; i < SIMULATOR_CACHES; ++i) {
    free(of->caches[i].entries);
  }
  for (int i = 0; i < SIMULATOR_TLBS; ++i) {
    free(of->tlbs[i].entries);
  }
  free(of);
}

/* ---- Through the caches ---- */

/* Any number becomes one that looks like chance (splitmix64). */
static uint64_t mix(uint64_t number) {
  number += UINT64_C(0x9e3779b97f4a7c15);
  number = (number ^ (number >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  number = (number ^ (number >> 27)) * UINT64_C(0x94d049bb133111eb);
  return number ^ (number >> 31);
}

/* Where the system has put the line at this address. */
static uint64_t place_of_line(const simulator *of, uint64_t address) {
  const uint64_t page = mix(of->seed ^ address >> of->page_shift) >> 16;
  const uint64_t in_page = address & ((UINT64_C(1) << of->page_shift) - 1);
  return (page << of->page_shift | in_page) >> of->line_shift;
}

/* Into this level of the caches and those behind it, from the first of them that has it. */
static void fill(simulator *of, uint64_t address, int32_t nearest, bool waits) {
  const int region = (int)(address / SIMULATOR_REGION_BYTES) - 1;
  for (int i = nearest; i < SIMULATOR_CACHES && of->caches[i].sets > 0; ++i) {
    const uint64_t line = i == 0 ? address >> of->line_shift : place_of_line(of, address);
    if (touch(&of->caches[i], line)) {
      return;
    }
    ++of->counts.fills[region][i];
    of->counts.misses[region][i] += waits;
  }
}

static void find_page(simulator *of, uint64_t address) {
  const uint64_t page = address >> of->page_shift;
  for (int i = 0; i < SIMULATOR_TLBS && of->tlbs[i].sets > 0; ++i) {
    if (touch(&of->tlbs[i], page)) {
      return;
    }
    ++of->counts.page_misses[i];
  }
  fill(of, simulator_address(SIMULATOR_PAGE_TABLES, (int64_t)page * 8), 1, true);
}

static void fetch(simulator *of, uint64_t address, int32_t nearest, bool waits) {
  find_page(of, address);
  fill(of, address, nearest, waits);
}

static uint64_t line_start(const simulator *of, uint64_t address) {
  return address >> of->line_shift << of->line_shift;
}

void simulator_load(simulator *of, uint64_t address, int64_t bytes) {
  const uint64_t end = address + (uint64_t)bytes;
  for (uint64_t line = line_start(of, address); bytes > 0 && line < end;
       line += (uint64_t)of->geometry.line_bytes) {
    fetch(of, line, 0, true);
  }
}

void simulator_store(simulator *of, uint64_t address, int64_t bytes) {
  simulator_load(of, address, bytes);
}

void simulator_prefetch(simulator *of, uint64_t address, int32_t nearest) {
  fetch(of, line_start(of, address), nearest, false);
}

/* ---- Past the caches ---- */

/* The buffer leaves, and is free. */
static void write_out(simulator *of, int32_t number) {
  write_buffer *const leaves = &of->buffers[number];
  if (leaves->bytes == of->geometry.line_bytes) {
    ++of->counts.streamed;
  } else if (leaves->bytes > 0) {
    ++of->counts.in_parts;
  }
  const int32_t behind = of->geometry.write_buffers - number - 1;
  memmove(leaves, leaves + 1, (size_t)behind * sizeof *leaves);
  of->buffers[of->geometry.write_buffers - 1] = (write_buffer){.line = 0};
}

static void stream_in_line(simulator *of, uint64_t line, int64_t bytes) {
  const int32_t count = of->geometry.write_buffers;
  int32_t at = 0;
  while (at < count && of->buffers[at].line != line) {
    ++at;
  }
  write_buffer used = {.line = line};
  if (at < count) {
    used = of->buffers[at];
  } else {
    at = count - 1;
    write_out(of, at);
  }
  memmove(of->buffers + 1, of->buffers, (size_t)at * sizeof *of->buffers);
  used.bytes += bytes;
  of->buffers[0] = used;
  if (used.bytes == of->geometry.line_bytes) {
    write_out(of, 0);
  }
}

void simulator_stream(simulator *of, uint64_t address, int64_t bytes) {
  const uint64_t end = address + (uint64_t)bytes;
  while (address < end) {
    const uint64_t line = line_start(of, address);
    const uint64_t next = line + (uint64_t)of->geometry.line_bytes;
    find_page(of, address);
    stream_in_line(of, line, (int64_t)((next < end ? next : end) - address));
    address = next;
  }
}

void simulator_drain(simulator *of) {
  while (of->geometry.write_buffers > 0 && of->buffers[0].line != 0) {
    write_out(of, 0);
  }
}

/* ---- Counts ---- */

const simulator_counts *simulator_counted(const simulator *of) {
  return &of->counts;
}

void simulator_clear_counts(simulator *of) {
  of->counts = (simulator_counts){.streamed = 0};
}
