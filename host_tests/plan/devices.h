/* devices.h: three devices that tests make up, a GPU and two CPUs: lines of 64 bytes, and sizes for
 * which tiles can be worked out by hand. None of them takes time for anything but a copy's lines,
 * so that of the schedules offered the first that suits is chosen.
 *
 * Depends on search/ and the targets. */
#ifndef HOST_TESTS_PLAN_DEVICES_H
#define HOST_TESTS_PLAN_DEVICES_H

#include "cpu/target.h"
#include "gpu/target.h"
#include "search/tuning.h"

/* Blocks of 16 by 16 words, and so many channels. */
#define FIVE_WORDS(channels)                                                                       \
  {                                                                                                \
    {16, 16, (channels), 0}, {16, 16, (channels), 0}, {16, 16, (channels), 0},                     \
        {16, 16, (channels), 0}, {                                                                 \
      16, 16, (channels), 0                                                                        \
    }                                                                                              \
  }

#define FIVE_TIMES(...)                                                                            \
  {                                                                                                \
    {__VA_ARGS__}, {__VA_ARGS__}, {__VA_ARGS__}, {__VA_ARGS__}, {                                  \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  }

/* Work-items of a group share tiles of 16 KiB. */
static const rlt_facts work_group_facts = {.line_bytes = 64,
                                           .words = FIVE_WORDS(0),
                                           .target = &rlt_gpu_target,
                                           .staging_bytes = 32768,
                                           .threads = 1,
                                           .group_size = 256,
                                           .most_groups = 65535};

static const rlt_tuning work_group_tuning = {.kind = "staged",
                                             .straight_columns_bytes = 4096,
                                             .straight_tile_bytes = 4096,
                                             .tile_bytes = 16384};

/* A CPU of one thread, of whose caches nothing is known, and whose kernels interleave no channels.
 * Its tiles are 40 KiB of elements and gaps, so that 32 KiB of elements are the most; they read 256
 * bytes at once and write 512. */
static const rlt_facts plain_cpu_facts = {.line_bytes = 64,
                                          .words = FIVE_WORDS(0),
                                          .bit_transposed_rows = 512,
                                          .target = &rlt_cpu_target,
                                          .staging_bytes = 40960,
                                          .most_segments = 630,
                                          .threads = 1,
                                          .group_size = 1,
                                          .most_groups = INT64_MAX};

/* Blocks go half a page along either side, or a whole one. */
#define TILES(page_bytes, tiles_ahead, level)                                                      \
  .tiles[RLT_TILES_ANY] = {.runs = {256, 512},                                                     \
                           .blocks = {(page_bytes), (page_bytes)},                                 \
                           .prefetch = {(tiles_ahead), (level)}}

static const rlt_tuning plain_cpu_tuning = {
    .kind = "plain CPU",
    .straight_columns_bytes = 32768,
    .straight_tile_bytes = 32768,
    .straight_run_bytes = 512,
    .other_runs = {{512, 128}, {256, 1024}, {256, 256}, {64, 1024}},
    .words = FIVE_TIMES(TILES(2048, 0, 0))};

/* A CPU of two threads, which share a cache of 1 MiB. */
static const rlt_facts cpu_facts = {.line_bytes = 64,
                                    .cache_bytes = 1 << 20,
                                    .words = FIVE_WORDS(4),
                                    .bit_transposed_rows = 512,
                                    .target = &rlt_cpu_target,
                                    .staging_bytes = 65536,
                                    .most_segments = 1008,
                                    .threads = 2,
                                    .group_size = 1,
                                    .most_groups = INT64_MAX};

static const rlt_tuning cpu_tuning = {
    .kind = "cpu",
    .most_tile_bytes = 26214, /* of 32 KiB with gaps */
    .straight_columns_bytes = 262144,
    .straight_tile_bytes = 65536,
    .tile_bytes = 16384,
    .straight_run_bytes = 512,
    .other_runs = {{512, 128}, {256, 1024}, {256, 256}, {64, 1024}},
    .block_bytes = 65536,
    .thread_bytes = 1 << 20,
    .thread_blocks = 8,
    .words = FIVE_TIMES(TILES(4096, 1, 1))};

#endif
