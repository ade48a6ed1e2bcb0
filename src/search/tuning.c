/* tuning.c: the table, a row a kind of machine. */
#include "search/tuning.h"

#include <stddef.h>

#include "cpu/target.h"
#include "gpu/target.h"

bool rlt_run_reach(bool has_channels, int32_t number, rlt_reach *runs) {
  enum { SIDES = 6 };
  const int64_t least = has_channels ? 1024 : 64;
  *runs = (rlt_reach){least << number / SIDES, least << number % SIDES};
  return number < SIDES * SIDES;
}

const rlt_reach rlt_block_reaches[] = {{RLT_PAGE_BYTES, RLT_PAGE_BYTES},
                                       {RLT_PAGE_BYTES / 2, RLT_PAGE_BYTES / 2},
                                       {RLT_ALL_THE_WAY, 0},
                                       {0, RLT_ALL_THE_WAY},
                                       {RLT_PAGE_BYTES, RLT_ALL_THE_WAY},
                                       {RLT_PAGE_BYTES, 4 * RLT_PAGE_BYTES}};

const rlt_prefetch rlt_prefetches[] = {{0, 0}, {1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}};

const char *rlt_rate_name(rlt_rate rate) {
  static const char *const names[RLT_RATES] = {
#define RATE_NAME(name, text) [RLT_RATE_##name] = text,
      RLT_RATE_TABLE(RATE_NAME)
#undef RATE_NAME
  };
  return names[rate];
}

const char *rlt_tiles_name(rlt_tiles tiles) {
  static const char *const names[] = {
#define TILES_NAME(name, text) text,
      RLT_TILES_TABLE(TILES_NAME)
#undef TILES_NAME
  };
  return names[tiles];
}

/* Strips of one line, and longer runs of either side: sources and destinations that begin anew cost
 * differently. */
#define OTHER_RUNS                                                                                 \
  {                                                                                                \
    {512, 128}, {256, 1024}, {256, 256}, {                                                         \
      64, 1024                                                                                     \
    }                                                                                              \
  }

#define TILES(read, write, near_read, near_write, tiles_ahead, cache_level, packs)                 \
  {                                                                                                \
    .runs = {(read), (write)}, .blocks = {(near_read), (near_write)},                              \
    .prefetch = {(tiles_ahead), (cache_level)}, .loads = (packs)                                   \
  }

#define ALL RLT_ALL_THE_WAY
#define RATES(again, in_parts, run, straight_run, transposed, line, element, tile, page, reworked) \
  {                                                                                                \
    {                                                                                              \
      0, (again), (in_parts), (run), (straight_run), (transposed), (line), (element), (tile),      \
          (page), (reworked)                                                                       \
    }                                                                                              \
  }

/* ---- The CPU backend ---- */

/* Rows inherit these, and say what differs. Copies are at their best by then, and a megabyte still
 * makes work for four. A megabyte is moved in the fifty to a hundred microseconds that a thread may
 * take to wake. */
#define CPU_SIZES                                                                                  \
  .straight_columns_bytes = 256 << 10, .straight_tile_bytes = 64 << 10, .straight_run_bytes = 512, \
  .tile_bytes = 16 << 10, .least_tile_bytes = 4 << 10, .together_bytes = 16 << 10,                 \
  .joined_runs = {1024, 256}, .other_runs = OTHER_RUNS, .block_bytes = 64 << 10,                   \
  .thread_bytes = 1 << 20, .thread_blocks = 8

/* clang-format off */
#define CHANNELS(...) [RLT_TILES_CHANNELS] = TILES(__VA_ARGS__)
#define CACHED(...)   [RLT_TILES_CACHED] = TILES(__VA_ARGS__)
#define APART(...)    [RLT_TILES_APART] = TILES(__VA_ARGS__)
#define CROWDED(...)  [RLT_TILES_CROWDED] = TILES(__VA_ARGS__)
#define FAR(...)      [RLT_TILES_FAR] = TILES(__VA_ARGS__)
#define ANY(...)      [RLT_TILES_ANY] = TILES(__VA_ARGS__)

/* Found by `relayout tune`, but for what the cache holds, how far channels of words up to 4 bytes
 * are written, and two blockings each of words of 1 and 2 bytes: the suites, or the simulated
 * caches of other processors, liked these better. */
static const rlt_tuning cpu_avx512 = {
    .kind = "CPU backend, Xeon of 2023, AVX-512",
    .date = "2026-11",
    .suites = "tune, ttc, ml",
    CPU_SIZES,
    .words = {
        /*         runs read  written  macro-tile   tiles ahead, into level, packs */
        {{ /* 1 byte */
             CHANNELS(  1024,  2048,     0,   ALL,  1,  2,  0),
             CACHED(      64,   256,  4096,  4096,  1,  2,  0),
             APART(      128,   128,  2048,  2048,  1,  2,  0),
             CROWDED(    128,   128,  4096,  4096,  1,  2,  0),
             FAR(        128,   128,  4096,  4096,  1,  2,  0),
             ANY(         64,  1024,  4096,  4096,  1,  2,  0),
         },
         RATES(0.086, 1.8, 0.032, 2.43, 0.45, 0.2, 0.1, 0, 0.26, 0.0017)},
        {{ /* 2 bytes */
             CHANNELS(  1024,  2048,     0,   ALL,  1,  2,  0),
             CACHED(      64,   256,  4096,  4096,  1,  2,  0),
             APART(      256,   128,  4096,  4096,  1,  2,  0),
             CROWDED(    256,   256,   ALL,     0,  1,  3,  0),
             FAR(        128,   256,  4096, 16384,  1,  2,  0),
             ANY(        128,   128,  4096,  4096,  1,  2,  0),
         },
         RATES(0.075, 2.07, 0.027, 2.49, 0.47, 0.21, 0.1, 0, 0.21, 0.0034)},
        {{ /* 4 bytes */
             CHANNELS(  1024,  2048,   ALL,     0,  1,  2,  0),
             CACHED(     128,   512,  4096,  4096,  1,  1,  0),
             APART(      128,   256,  4096,   ALL,  1,  1,  0),
             CROWDED(    128,   256,  4096,  4096,  2,  2,  0),
             FAR(         64,   256,  4096,   ALL,  1,  2,  0),
             ANY(        128,   256,  4096, 16384,  1,  3,  0),
         },
         RATES(0.056, 2.82, 0.018, 2.46, 0.4, 0.21, 0.1, 0, 0.084, 0.0068)},
        {{ /* 8 bytes */
             CHANNELS(  4096, 16384,     0,   ALL,  1,  1,  0),
             CACHED(     128,   512,  4096,  4096,  1,  1,  0),
             APART(      128,   512,  4096,   ALL,  1,  1,  0),
             CROWDED(    128,   512,   ALL,     0,  1,  1,  0),
             FAR(        128,   256,   ALL,     0,  1,  3,  0),
             ANY(        256,   256,  4096,   ALL,  1,  2,  0),
         },
         RATES(0.065, 2.4, 0.02, 2.38, 0.34, 0.2, 0.1, 0, 0.094, 0.0136)},
        {{ /* 16 bytes */
             CHANNELS(   256,   256,  4096,  4096,  1,  1,  0),
             CACHED(     128,   512,  4096,  4096,  1,  1,  0),
             APART(      256,  1024,  4096,   ALL,  1,  1,  0),
             CROWDED(    128,   512,  4096,  4096,  2,  2,  0),
             FAR(        128,   128,   ALL,     0,  1,  3,  0),
             ANY(        256,   512,  4096, 16384,  1,  2,  0),
         },
         RATES(0.057, 1.92, 0.019, 2.44, 0.34, 0.18, 0.1, 0, 0.051, 0)},
    }};

static const rlt_tuning cpu_avx2 = {
    .kind = "CPU backend, Xeon of 2023, AVX2",
    .date = "2026-11",
    .suites = "tune, ttc, ml",
    CPU_SIZES,
    .words = {
        /*         runs read  written  macro-tile   tiles ahead, into level, packs */
        {{ /* 1 byte */
             CHANNELS(  1024,  2048,   ALL,     0,  1,  3,  0),
             CACHED(      64,   256,  4096,  4096,  1,  2,  0),
             APART(      512,   256,  4096,   ALL,  1,  2,  0),
             CROWDED(    512,   256,  4096, 16384,  0,  0,  0),
             FAR(        512,   256,  4096,   ALL,  1,  3,  0),
             ANY(        128,  1024,     0,   ALL,  1,  2,  0),
         },
         RATES(0.1, 1.7, 0.031, 2.15, 0.56, 0.33, 0.1, 0, 0.25, 0.0017)},
        {{ /* 2 bytes */
             CHANNELS(  2048,  2048,   ALL,     0,  1,  2,  0),
             CACHED(      64,   256,  4096,  4096,  1,  2,  0),
             APART(      256,   256,  4096,   ALL,  1,  3,  0),
             CROWDED(    128,   128,  4096,  4096,  1,  2,  0),
             FAR(       1024,   512,  4096, 16384,  1,  3,  0),
             ANY(        512,  1024,  4096, 16384,  1,  3,  0),
         },
         RATES(0.084, 2.12, 0.026, 2.28, 0.5, 0.18, 0.1, 0, 0.18, 0.0034)},
        {{ /* 4 bytes */
             CHANNELS(  2048,  2048,   ALL,     0,  1,  3,  0),
             CACHED(     128,   512,  4096,  4096,  1,  1,  0),
             APART(      128,   256,  4096,   ALL,  1,  1,  0),
             CROWDED(    128,   256,  4096,  4096,  1,  1,  0),
             FAR(        128,   256,  4096,  4096,  1,  3,  0),
             ANY(        128,   256,  4096,  4096,  1,  3,  0),
         },
         RATES(0.069, 2.84, 0.018, 2.47, 0.47, 0.23, 0.1, 0, 0.076, 0.0068)},
        {{ /* 8 bytes */
             CHANNELS(  8192,  2048,   ALL,     0,  1,  3,  0),
             CACHED(     128,   512,  4096,  4096,  1,  1,  0),
             APART(      128,   512,  4096,  4096,  1,  2,  0),
             CROWDED(    256,   256,  4096, 16384,  1,  3,  0),
             FAR(        128,   512,   ALL,     0,  1,  3,  0),
             ANY(        256,   256,  4096,  4096,  1,  1,  0),
         },
         RATES(0.07, 2.67, 0.019, 2.18, 0.39, 0.25, 0.1, 0, 0.063, 0.0136)},
        {{ /* 16 bytes */
             CHANNELS(  2048,  8192,     0,   ALL,  1,  3,  0),
             CACHED(     128,   512,  4096,  4096,  1,  1,  0),
             APART(      128,  1024,  4096,   ALL,  1,  2,  0),
             CROWDED(    256,   512,   ALL,     0,  1,  3,  0),
             FAR(        256,   512,   ALL,     0,  1,  3,  0),
             ANY(        512,   256,  4096,  4096,  1,  3,  0),
         },
         RATES(0.06, 2.03, 0.022, 2.37, 0.33, 0.21, 0.1, 0, 0.085, 0)},
    }};

/* What the rows of Zen 3 and Zen 4 have in common, for words of 1, 2, 4, 8 and 16 bytes. Each row
 * adds the blockings that differ: for large matrices, and for words of 16 bytes in the cache. */
#define ZEN_WORDS_1(...)                                                                        \
  {{__VA_ARGS__,                                                                                \
    CHANNELS(  1024,  2048,   ALL,     0,  1,  3,  0),                                          \
    CACHED(      64,   256,   ALL,     0,  2,  1,  0),                                          \
    APART(      256,   512,  4096,   ALL,  1,  2,  0),                                          \
    ANY(        128,  1024,     0,   ALL,  1,  2,  0),                                          \
   },                                                                                           \
   RATES(0.215, 4.54, 0.0489, 2.66, 0.594, 0.655, 0.1, 0, 0.732, 0.002)}
#define ZEN_WORDS_2(...)                                                                        \
  {{__VA_ARGS__,                                                                                \
    CHANNELS(  4096,  2048,   ALL,     0,  1,  2,  0),                                          \
    CACHED(     256,   256,  4096,  4096,  1,  2,  0),                                          \
    APART(      256,   512,  4096,   ALL,  1,  2,  0),                                          \
    ANY(       1024,   512,  4096, 16384,  1,  3,  0),                                          \
   },                                                                                           \
   RATES(0.207, 2.36, 0.0385, 2.55, 0.526, 0.297, 0.1, 0, 0.523, 0.004)}
#define ZEN_WORDS_4(...)                                                                        \
  {{__VA_ARGS__,                                                                                \
    CHANNELS(  2048,  2048,   ALL,     0,  1,  3,  0),                                          \
    CACHED(     128,   512,  4096,   ALL,  1,  3,  0),                                          \
    APART(      256,   512,  4096, 16384,  1,  2,  0),                                          \
    ANY(        512,   512,   ALL,     0,  1,  3,  0),                                          \
   },                                                                                           \
   RATES(0.106, 3.06, 0.0279, 2.94, 0.507, 0.407, 0.1, 0, 0.232, 0.008)}
#define ZEN_WORDS_8(...)                                                                        \
  {{__VA_ARGS__,                                                                                \
    CHANNELS(  4096,  2048,   ALL,     0,  1,  1,  0),                                          \
    CACHED(     256,   512,  4096,  4096,  1,  1,  0),                                          \
    APART(      512,   512,  4096,   ALL,  1,  3,  0),                                          \
    ANY(        512,   512,   ALL,     0,  1,  2,  0),                                          \
   },                                                                                           \
   RATES(0.108, 3.3, 0.0303, 2.7, 0.546, 0.456, 0.1, 0, 0.169, 0.016)}
#define ZEN_WORDS_16(...)                                                                       \
  {{__VA_ARGS__,                                                                                \
    CHANNELS(  2048,  8192,     0,   ALL,  1,  3,  0),                                          \
    APART(      512,  1024,  4096,   ALL,  1,  1,  0),                                          \
    CROWDED(    256,   512,  4096, 16384,  1,  1,  0),                                          \
    FAR(        512,   512,   ALL,     0,  1,  2,  0),                                          \
    ANY(        512,   256,  4096,  4096,  1,  3,  0),                                          \
   },                                                                                           \
   RATES(0.073, 3.21, 0.0324, 2.86, 0.581, 0.318, 0.1, 0, 0.206, 0)}

/* Rates are the medians of three runs of `relayout tune` on a quiet Zen 3. Of the blockings that it
 * found, those stayed that relayouts of their kind liked best when old and new ones took turns:
 * matrices with long rows go all along the source's rows; bytes and halves whose rows meet in few
 * sets are packed first. What the cache holds of words of 1 and 4 bytes was found by trying all
 * sizes of tiles on matrices of 64 KiB to 1 MiB, which `tune` has none of. */
static const rlt_tuning cpu_zen = {
    .kind = "CPU backend, Zen 3",
    .date = "2026-11",
    .suites = "tune, ttc",
    CPU_SIZES,
    .words = {
        /*         runs read  written  macro-tile   tiles ahead, into level, packs */
        ZEN_WORDS_1(CROWDED(    256,   256,   ALL,     0,  1,  2,  1),
                    FAR(        256,   256,   ALL,     0,  1,  2,  0)),
        ZEN_WORDS_2(CROWDED(    256,   256,   ALL,     0,  1,  2,  1),
                    FAR(        256,   256,   ALL,     0,  1,  2,  0)),
        ZEN_WORDS_4(CROWDED(    256,   512,   ALL,     0,  1,  2,  0),
                    FAR(        256,   512,   ALL,     0,  1,  2,  0)),
        ZEN_WORDS_8(CROWDED(    512,   512,   ALL,     0,  1,  2,  0),
                    FAR(        512,   256,   ALL,     0,  1,  2,  0)),
        ZEN_WORDS_16(CACHED(    1024,  1024,  4096,  4096,  1,  1,  0)),
    }};

/* Zen 3's row, but for large matrices: where vectors are as long as lines no rows need to be packed
 * first. Those blockings were found by trying tiles of all sizes on matrices whose rows meet in few
 * sets, and on others. What the cache holds of words of 16 bytes is as on the Xeon. */
static const rlt_tuning cpu_zen4 = {
    .kind = "CPU backend, Zen 4",
    .date = "2026-11",
    .suites = "matrix",
    CPU_SIZES,
    .words = {
        /*         runs read  written  macro-tile   tiles ahead, into level, packs */
        ZEN_WORDS_1(CROWDED(    256,   512,  4096,  4096,  1,  3,  0),
                    FAR(        128,   256,  4096,  4096,  1,  2,  0)),
        ZEN_WORDS_2(CROWDED(    256,   512,  4096,  4096,  1,  3,  0),
                    FAR(        256,   512,  4096,  4096,  1,  3,  0)),
        ZEN_WORDS_4(CROWDED(    512,  1024,   ALL,     0,  1,  2,  0),
                    FAR(        128,   512,  4096,  4096,  1,  3,  0)),
        ZEN_WORDS_8(CROWDED(    512,  1024,  4096,  4096,  1,  3,  0),
                    FAR(        256,  1024,   ALL,     0,  1,  3,  0)),
        ZEN_WORDS_16(CACHED(     128,   512,  4096,  4096,  1,  1,  0)),
    }};

/* For processors whose caches are as small, and which nobody has measured yet. Where pages far
 * apart meet in few sets of the second-level TLB, macro-tiles have to be small, or each line
 * written takes a walk through the page tables; and rows that meet in a set of the nearest cache
 * are gone from it before they are used. By the simulated caches of host_tests/cache. */
static const rlt_tuning cpu_small_caches = {
    .kind = "CPU backend, Arm",
    .date = "2026-11",
    .suites = "simulated",
    CPU_SIZES,
    .words = {
        /*         runs read  written  macro-tile   tiles ahead, into level, packs */
        {{ /* 1 byte */
             CHANNELS(  1024,  2048,   ALL,     0,  1,  3,  0),
             CACHED(      64,   256,  4096,  4096,  1,  2,  0),
             APART(      128,   128,  1024,  2048,  1,  2,  0),
             CROWDED(    128,   128,   512,   512,  1,  2,  0),
             FAR(        128,   128,   512,   512,  1,  2,  0),
             ANY(        128,  1024,     0,   ALL,  1,  2,  0),
         },
         RATES(0.1, 1.7, 0.031, 2.15, 0.56, 0.33, 0.1, 0, 0.25, 0.0017)},
        {{ /* 2 bytes */
             CHANNELS(  2048,  2048,   ALL,     0,  1,  2,  0),
             CACHED(      64,   256,  4096,  4096,  1,  2,  0),
             APART(      128,   128,  1024,  2048,  1,  2,  0),
             CROWDED(    128,   128,  1024,  1024,  1,  2,  0),
             FAR(        256,   128,  1024,  1024,  1,  2,  0),
             ANY(        512,  1024,  4096, 16384,  1,  3,  0),
         },
         RATES(0.084, 2.12, 0.026, 2.28, 0.5, 0.18, 0.1, 0, 0.18, 0.0034)},
        {{ /* 4 bytes */
             CHANNELS(  2048,  2048,   ALL,     0,  1,  3,  0),
             CACHED(     128,   512,  4096,  4096,  1,  1,  0),
             APART(      128,   256,  1024,  2048,  1,  1,  0),
             CROWDED(    256,   256,  1024,  1024,  1,  2,  0),
             FAR(        256,   256,  1024,  1024,  1,  2,  0),
             ANY(        128,   256,  4096,  4096,  1,  3,  0),
         },
         RATES(0.069, 2.84, 0.018, 2.47, 0.47, 0.23, 0.1, 0, 0.076, 0.0068)},
        {{ /* 8 bytes */
             CHANNELS(  8192,  2048,   ALL,     0,  1,  3,  0),
             CACHED(     128,   512,  4096,  4096,  1,  1,  0),
             APART(      128,   512,  1024,  2048,  1,  2,  0),
             CROWDED(    256,   256,  1024,  1024,  1,  2,  0),
             FAR(        128,   512,  1024,  1024,  1,  2,  0),
             ANY(        256,   256,  4096,  4096,  1,  1,  0),
         },
         RATES(0.07, 2.67, 0.019, 2.18, 0.39, 0.25, 0.1, 0, 0.063, 0.0136)},
        {{ /* 16 bytes */
             CHANNELS(  2048,  8192,     0,   ALL,  1,  3,  0),
             CACHED(     128,   512,  4096,  4096,  1,  1,  0),
             APART(      128,  1024,  1024,  2048,  1,  2,  0),
             CROWDED(    256,   512,  1024,  1024,  1,  2,  0),
             FAR(        256,   512,  1024,  1024,  1,  2,  0),
             ANY(        512,   256,  4096,  4096,  1,  3,  0),
         },
         RATES(0.06, 2.03, 0.022, 2.37, 0.33, 0.21, 0.1, 0, 0.085, 0)},
    }};
/* clang-format on */

/* ---- GPUs ---- */

/* Groups that run side by side read side by side: what they write waits in a cache. */
#define SIMULATED(element, reworked)                                                               \
  {                                                                                                \
    .tiles[RLT_TILES_ANY] = TILES(0, 0, ALL, 0, 0, 0, false), .rates = {                           \
      .of = {[RLT_RATE_LINE_AGAIN] = 0.02,                                                         \
             [RLT_RATE_LINE_IN_PARTS] = 0.4,                                                       \
             [RLT_RATE_PAGE] = 0.08,                                                               \
             [RLT_RATE_TILE] = 2,                                                                  \
             [RLT_RATE_ELEMENT] = (element),                                                       \
             [RLT_RATE_REWORKED_ELEMENT] = (reworked)}                                             \
    }                                                                                              \
  }

/* Tiles and their order by what a simulated GPU likes (bench/RESULTS.md): 8 KiB give each of 64
 * work-items eight pieces, and many groups are under way at once, of which the last ones to end
 * leave few idle. Rates by fit_rates.py of what it took for as much as was simulated, but that of
 * bytes that are reworked, which is what packed ones took since; for words of 8 and 16 bytes twice
 * those of half as many. */
static const rlt_tuning gpu = {.kind = "GPU",
                               .date = "2026-11",
                               .suites = "simulated",
                               .straight_columns_bytes = 4 << 10,
                               .straight_tile_bytes = 4 << 10,
                               .tile_bytes = 8 << 10,
                               .thread_bytes = 1 << 20,
                               .words = {SIMULATED(0.006, 0.0005), SIMULATED(0.01, 0.001),
                                         SIMULATED(0.014, 0.002), SIMULATED(0.02, 0.004),
                                         SIMULATED(0.04, 0.008)}};

/* ---- The table ---- */

/* A row, and what the machine is that it was found on; 0: unknown. */
typedef struct known_machine {
  const rlt_tuning *row;
  const struct rlt_target *target;
  int64_t l1_bytes;
  int64_t l2_bytes;
  int64_t vector_bytes;
  int32_t l2_ways;
} known_machine;

static const known_machine machines[] = {
    {&cpu_avx512, &rlt_cpu_target, 48 << 10, 2 << 20, 64, 16},
    {&cpu_avx2, &rlt_cpu_target, 48 << 10, 2 << 20, 32, 16},
    {&cpu_zen, &rlt_cpu_target, 32 << 10, 512 << 10, 32, 8},
    {&cpu_zen4, &rlt_cpu_target, 32 << 10, 1 << 20, 64, 8},
    {&cpu_small_caches, &rlt_cpu_target, 64 << 10, 1 << 20, 16, 8},
    {&gpu, &rlt_gpu_target, 0, 0, 0, 0},
};
enum { MACHINES = sizeof machines / sizeof machines[0] };

/* How often one is twice the other, in 256ths; between powers of two by a straight line. What is
 * not known of one of them counts as a half. */
static int64_t doublings_between(int64_t a, int64_t b) {
  enum { ONE = 256 };
  if (a <= 0 || b <= 0) {
    return a == b ? 0 : ONE / 2;
  }
  const int64_t least = a < b ? a : b;
  int64_t most = a < b ? b : a;
  int64_t doublings = 0;
  for (; most / 2 >= least; most /= 2) {
    doublings += ONE;
  }
  return doublings + (int64_t)((double)(most - least) / (double)least * ONE);
}

/* The nearest cache holds a tile and what it reads, so it counts twice; vectors change how fast a
 * tile is put together, but hardly which tile is the best. */
static int64_t distance(const known_machine *from, const rlt_machine *to) {
  return 2 * doublings_between(from->l1_bytes, to->caches[0].bytes) +
         doublings_between(from->l2_bytes, to->caches[1].bytes) +
         doublings_between(from->vector_bytes, to->vector_bytes) / 4;
}

static const known_machine *nearest_to(const rlt_facts *facts) {
  const known_machine *nearest = NULL;
  for (int i = 0; i < MACHINES; ++i) {
    const known_machine *const other = &machines[i];
    if (other->target == facts->target &&
        (nearest == NULL ||
         distance(other, &facts->machine) < distance(nearest, &facts->machine))) {
      nearest = other;
    }
  }
  return nearest; /* there is one for each target */
}

const rlt_tuning *rlt_tuning_of(const rlt_facts *facts) {
  return nearest_to(facts)->row;
}

bool rlt_tuning_is_of(const rlt_facts *facts) {
  const known_machine *const nearest = nearest_to(facts);
  return nearest->l1_bytes > 0 && distance(nearest, &facts->machine) == 0 &&
         nearest->l2_ways == facts->machine.caches[1].ways;
}

const rlt_tuning *rlt_tuning_for(const rlt_facts *facts, int number) {
  for (int i = 0; i < MACHINES; ++i) {
    if (machines[i].target == facts->target && number-- == 0) {
      return machines[i].row;
    }
  }
  return NULL;
}

const rlt_tuning *rlt_tuning_shipped(int number) {
  return number < MACHINES ? machines[number].row : NULL;
}
