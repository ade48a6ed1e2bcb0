/* blocking.c: powers of two for runs, and a few choices for the rest. */
#include "blocking.h"

#include <inttypes.h>
#include <stdio.h>

#include "cases.h"

enum { SIDES = 6, PAGE = 4096 };

/* Far enough for anything, as rows have it. */
#define ALL (INT64_C(1) << 50)

static const int64_t blocks[][2] = {{PAGE, PAGE}, {PAGE / 2, PAGE / 2}, {ALL, 0},
                                    {0, ALL},     {PAGE, ALL},          {PAGE, 4 * PAGE}};
static const int64_t prefetches[][2] = {{0, 0}, {1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}};
enum {
  BLOCKS = sizeof blocks / sizeof blocks[0],
  PREFETCHES = sizeof prefetches / sizeof prefetches[0]
};
_Static_assert(1 + SIDES * SIDES <= TUNE_MOST_BLOCKINGS && 1 + PREFETCHES <= TUNE_MOST_BLOCKINGS,
               "room for the candidates of every round");

static bool pairs_equal(const int64_t a[2], const int64_t b[2]) {
  return a[0] == b[0] && a[1] == b[1];
}

bool tune_blockings_equal(const tune_blocking *a, const tune_blocking *b) {
  return pairs_equal(a->runs, b->runs) && pairs_equal(a->blocks, b->blocks) &&
         pairs_equal(a->prefetch, b->prefetch) && a->packs == b->packs;
}

/* ---- In a row ---- */

static void name_line(int64_t word, int kind, char line[TUNE_VALUE_SIZE]) {
  snprintf(line, TUNE_VALUE_SIZE, "word %" PRId64 " %s ", word, tune_kinds[kind]);
}

static void read_pair(const tune_row *row, const char *line, const char *field, int64_t made[2]) {
  char value[TUNE_VALUE_SIZE];
  tune_row_get(row, line, field, value);
  if (sscanf(value, "%" SCNd64 ":%" SCNd64, &made[0], &made[1]) != 2) {
    made[0] = made[1] = 0;
  }
}

static void write_pair(const int64_t from[2], const char *line, const char *field, tune_row *row) {
  char value[TUNE_VALUE_SIZE];
  snprintf(value, sizeof value, "%" PRId64 ":%" PRId64, from[0], from[1]);
  tune_row_set(row, line, field, value);
}

tune_blocking tune_blocking_read(const tune_row *row, int64_t word, int kind) {
  tune_blocking made;
  char line[TUNE_VALUE_SIZE];
  name_line(word, kind, line);
  read_pair(row, line, "runs", made.runs);
  read_pair(row, line, "blocks", made.blocks);
  read_pair(row, line, "prefetch", made.prefetch);
  made.packs = tune_row_get_number(row, line, "loads") != 0;
  return made;
}

void tune_blocking_write(const tune_blocking *from, int64_t word, int kind, tune_row *row) {
  char line[TUNE_VALUE_SIZE];
  name_line(word, kind, line);
  write_pair(from->runs, line, "runs", row);
  write_pair(from->blocks, line, "blocks", row);
  write_pair(from->prefetch, line, "prefetch", row);
  tune_row_set(row, line, "loads", from->packs ? "1" : "0");
}

/* ---- Candidates ---- */

static bool is_near(int64_t a, int64_t b) {
  return a <= 2 * b && b <= 2 * a;
}

static int32_t add_runs(int kind, bool only_near, bool packs, tune_blocking *made) {
  tune_blocking best = made[0];
  const int64_t least = kind == TUNE_CHANNELS ? 1024 : 64;
  int32_t count = 1;
  best.packs = packs;
  for (int i = 0; i < SIDES * SIDES; i++) {
    const int64_t runs[2] = {least << i / SIDES, least << i % SIDES};
    const bool fits =
        !only_near || (is_near(runs[0], best.runs[0]) && is_near(runs[1], best.runs[1]));
    if (fits && (packs != made[0].packs || !pairs_equal(runs, best.runs))) {
      made[count] = best;
      made[count].runs[0] = runs[0];
      made[count++].runs[1] = runs[1];
    }
  }
  return count;
}

static int32_t add_blocks(tune_blocking *made) {
  int32_t count = 1;
  for (int i = 0; i < BLOCKS; i++) {
    if (!pairs_equal(blocks[i], made[0].blocks)) {
      made[count] = made[0];
      made[count].blocks[0] = blocks[i][0];
      made[count++].blocks[1] = blocks[i][1];
    }
  }
  return count;
}

static int32_t add_prefetches(tune_blocking *made) {
  int32_t count = 1;
  for (int i = 0; i < PREFETCHES; i++) {
    if (!pairs_equal(prefetches[i], made[0].prefetch)) {
      made[count] = made[0];
      made[count].prefetch[0] = prefetches[i][0];
      made[count++].prefetch[1] = prefetches[i][1];
    }
  }
  return count;
}

int32_t tune_blockings_of_round(int round, int kind, const tune_blocking *best,
                                tune_blocking made[TUNE_MOST_BLOCKINGS]) {
  made[0] = *best;
  switch (round) {
  case 0:
    return add_runs(kind, false, made[0].packs, made);
  case 1: /* tiles whose source is packed first may be larger */
    return add_runs(kind, false, !made[0].packs, made);
  case 2:
    return add_blocks(made);
  case 3:
    return add_prefetches(made);
  default:
    return add_runs(kind, true, made[0].packs, made);
  }
}
