/* test_kernels.c: the kernels of every instruction set that this processor has, tile by tile, and
 * of every word: random tables of where words come from and go, carried out word by word. */
#include <stdlib.h>
#include <string.h>

#include "cmocka_all.h"
#include "cpu/instruction_sets.h"
#include "problem/definition.h"
#include "schedule/facts.h"

enum {
  LINE_BYTES = RLT_CPU_LINE_BYTES,
  SIZE = 1 << 15, /* of either side */
  GUARD = 256,    /* around a side: what spills over stays within */
  POISON = 0xa5,
  MOST_POSITIONS = 256
};

/* One kernel call: both sides, what the destination is to be, and which of its bytes may be
 * anything, as later tiles write them. */
typedef struct scene {
  const rlt_cpu_line_kernels *lines;
  const rlt_cpu_kernels *kernels;
  rlt_cpu_shuffle_kernel *shuffle;
  int64_t bytes; /* of a word */
  uint64_t seed;
  rlt_cpu_frame frame;
  rlt_tile positions; /* of the tile */
  rlt_cpu_tile tile;
  int64_t rows_from[MOST_POSITIONS], rows_to[MOST_POSITIONS];
  int64_t columns_from[MOST_POSITIONS], columns_to[MOST_POSITIONS];
  uint8_t keeps[MOST_POSITIONS * 16 + LINE_BYTES];
  uint8_t source[SIZE];
  _Alignas(LINE_BYTES) uint8_t found[SIZE + 2 * GUARD];
  uint8_t wanted[SIZE + 2 * GUARD];
  bool may_be_anything[SIZE + 2 * GUARD];
} scene;

static int64_t draw(scene *at, int64_t below) {
  return definition_random(&at->seed, below);
}

/* Sets all but tile and tables. */
static void begin(scene *at, const rlt_cpu_instruction_set *set, int64_t bytes, uint64_t seed) {
  at->lines = set->lines;
  at->kernels = set->kernels[rlt_word_size_number(bytes)];
  at->shuffle = set->rows->shuffle;
  at->bytes = bytes;
  at->seed = seed;
  at->frame = (rlt_cpu_frame){.element_bytes = bytes,
                              .fills = draw(at, 2) == 1,
                              .streams = draw(at, 2) == 1,
                              .is_crowded = draw(at, 2) == 1,
                              .rows = {.from = at->rows_from, .to = at->rows_to},
                              .columns = {.from = at->columns_from, .to = at->columns_to},
                              .column_inner = 1,
                              .row_inner = 1};
  uint8_t word[16];
  for (int i = 0; i < 16; ++i) {
    word[i] = (uint8_t)draw(at, 256);
  }
  for (int64_t i = 0; i < RLT_CPU_FILL_BYTES; ++i) {
    at->frame.fill[i] = word[i % bytes];
  }
  memset(at->found, POISON, sizeof at->found);
  memset(at->wanted, POISON, sizeof at->wanted);
  memset(at->may_be_anything, 0, sizeof at->may_be_anything);
  at->tile = (rlt_cpu_tile){.at = &at->positions,
                            .source = at->source,
                            .source_end = at->source + SIZE,
                            .destination = at->found + GUARD};
}

static void expect_word(scene *at, int64_t to, const uint8_t *word) {
  assert_in_range(to, 0, SIZE - at->bytes);
  memcpy(at->wanted + GUARD + to, word, (size_t)at->bytes);
}

/* Where the destination begins, behind the guard and `shift` bytes more. */
static void check(const scene *at, const char *kernel, int64_t trial) {
  if (memcmp(at->found, at->wanted, sizeof at->found) == 0) {
    return;
  }
  for (int64_t i = 0; i < SIZE + 2 * GUARD; ++i) {
    if (at->found[i] != at->wanted[i] && !at->may_be_anything[i]) {
      fail_msg("%s of %d-byte words, trial %d: byte %d is 0x%02x, not 0x%02x", kernel,
               (int)at->bytes, (int)trial, (int)i - GUARD, at->found[i], at->wanted[i]);
    }
  }
}

/* A tile of up to so many columns and rows, of which some may lack a source. */
static void draw_tile(scene *at, int64_t most_columns, int64_t most_rows) {
  rlt_tile *const tile = &at->positions;
  tile->columns = 1 + draw(at, most_columns);
  tile->rows = 1 + draw(at, most_rows);
  tile->valid_columns = draw(at, 2) == 0 ? tile->columns : draw(at, tile->columns + 1);
  tile->valid_rows = draw(at, 2) == 0 ? tile->rows : draw(at, tile->rows + 1);
  if (tile->valid_columns == 0 || tile->valid_rows == 0) {
    tile->valid_columns = 0;
    tile->valid_rows = 0;
  }
}

/* ---- Straight and strided ---- */

/* As the frame's strides say; `fills_too` where one kernel does both. */
static void expect_strided(scene *at, bool moves, bool fills, int64_t shift) {
  const rlt_tile *const tile = &at->positions;
  const rlt_cpu_frame *const frame = &at->frame;
  for (int64_t r = 0; r < tile->rows; ++r) {
    for (int64_t c = 0; c < tile->columns; ++c) {
      const int64_t to = shift + r * frame->destination_row + c * frame->destination_column;
      if (r < tile->valid_rows && c < tile->valid_columns) {
        if (moves) {
          expect_word(at, to, at->source + r * frame->source_row + c * frame->source_column);
        }
      } else if (fills) {
        expect_word(at, to, frame->fill);
      }
    }
  }
}

static void try_straight(scene *at, int64_t trial) {
  const int64_t most = trial % 5 == 0 ? 9000 / at->bytes : 300 / at->bytes + 2;
  draw_tile(at, most, trial % 5 == 0 ? 2 : 4);
  const int64_t shift = draw(at, 70);
  const int64_t row = at->positions.columns * at->bytes;
  at->frame.source_row = draw(at, 3) == 0 ? 0 : row + draw(at, 80);
  at->frame.source_column = at->frame.destination_column = at->bytes;
  at->frame.destination_row = row + draw(at, 80);
  at->tile.destination += shift;
  expect_strided(at, true, at->frame.fills, shift);
  at->lines->move_straight(&at->frame, &at->tile);
  at->lines->finish();
  check(at, "move_straight", trial);
}

static void try_strided(scene *at, int64_t trial) {
  draw_tile(at, 20, 8);
  const int64_t shift = draw(at, 70);
  const int64_t step = draw(at, 2) == 0 ? at->bytes : at->bytes + draw(at, 20);
  at->frame.source_row = draw(at, 100);
  at->frame.source_column = draw(at, 40);
  at->frame.destination_column = step;
  at->frame.destination_row = 20 * step + draw(at, 40);
  at->tile.destination += shift;
  const bool moves = trial % 2 == 0;
  expect_strided(at, moves, !moves, shift);
  (moves ? at->lines->move_strided : at->lines->fill_strided)(&at->frame, &at->tile);
  at->lines->finish();
  check(at, moves ? "move_strided" : "fill_strided", trial);
}

static void try_run(scene *at, int64_t trial) {
  const int64_t shift = draw(at, 70), from = draw(at, 70);
  const int64_t count = trial % 4 == 0 ? draw(at, 2000) : draw(at, 200);
  memcpy(at->wanted + GUARD + shift, at->source + from, (size_t)count);
  at->lines->copy_run(at->found + GUARD + shift, at->source + from, count);
  check(at, "copy_run", trial);
}

static void try_shuffle(scene *at, int64_t trial) {
  const int64_t bytes = LINE_BYTES * (1 + draw(at, 5));
  uint8_t order[16];
  for (int i = 0; i < 16; ++i) {
    order[i] = (uint8_t)draw(at, 16);
  }
  memcpy(at->found + GUARD, at->source, (size_t)bytes);
  for (int64_t i = 0; i < bytes; ++i) {
    at->wanted[GUARD + i] = at->source[i / 16 * 16 + order[i % 16]];
  }
  at->shuffle(at->found + GUARD, bytes, order);
  check(at, "shuffle", trial);
}

/* ---- By tables ---- */

/* As the tables say, word by word. */
static void expect_by_tables(scene *at) {
  const rlt_tile *const tile = &at->positions;
  for (int64_t r = 0; r < tile->rows; ++r) {
    for (int64_t c = 0; c < tile->columns; ++c) {
      const int64_t to = at->rows_to[r] + at->columns_to[c];
      const bool has_source = r < tile->valid_rows && c < tile->valid_columns &&
                              at->rows_from[r] != RLT_NO_SOURCE &&
                              (at->frame.keeps == NULL || at->keeps[c * at->bytes] != 0);
      if (has_source) {
        expect_word(at, to, at->source + at->rows_from[r] + at->columns_from[c]);
      } else {
        expect_word(at, to, at->frame.fill);
      }
    }
  }
}

/* Some columns, not the first, never have a source: they stand where the one before does. Each
 * `unit` of them is alike. */
static void draw_column_gaps(scene *at, int64_t columns, int64_t unit) {
  if (draw(at, 3) > 0) {
    return;
  }
  at->frame.keeps = at->keeps;
  memset(at->keeps, 0, sizeof at->keeps);
  bool keeps = true;
  for (int64_t c = 0; c < columns; ++c) {
    keeps = c % unit == 0 ? c == 0 || draw(at, 3) > 0 : keeps;
    if (keeps) {
      memset(at->keeps + c * at->bytes, 0xff, (size_t)at->bytes);
    } else {
      at->columns_from[c] = at->columns_from[c - 1];
    }
  }
}

static void draw_row_gaps(scene *at, int64_t rows, int64_t unit) {
  if (draw(at, 3) > 0) {
    return;
  }
  at->frame.row_gaps = true;
  bool gap = false;
  for (int64_t r = 0; r < rows; ++r) {
    gap = r % unit == 0 ? draw(at, 3) == 0 : gap;
    at->rows_from[r] = gap ? RLT_NO_SOURCE : at->rows_from[r];
  }
}

/* Pixels of three bytes, transposed: side by side along the rows in the source, and along the
 * columns in the destination, where nothing needs to lie behind them. */
static void try_pixels(scene *at, int64_t trial) {
  const int64_t columns = 1 + draw(at, 70), rows = 1 + draw(at, 40), gap = draw(at, 3);
  rlt_tile_buffer *const tile_buffer = &at->frame.tile_buffer;
  if (at->bytes != 1) {
    return;
  }
  tile_buffer->dense_columns = tile_buffer->valid_columns = 3;
  tile_buffer->exact = true;
  at->tile.is_near_end = draw(at, 4) == 0;
  at->frame.are_pixels = true;
  at->positions = (rlt_tile){
      .columns = 3 * columns, .valid_columns = 3 * columns, .rows = rows, .valid_rows = rows};
  for (int64_t c = 0; c < columns; ++c) {
    at->columns_from[c] = c * (3 * rows + 5);
    at->columns_to[c] = 3 * c;
  }
  for (int64_t r = 0; r < rows; ++r) {
    at->rows_from[r] = 3 * r;
    at->rows_to[r] = r * (3 * columns + gap);
    for (int64_t c = 0; c < columns; ++c) {
      for (int64_t b = 0; b < 3; ++b) {
        expect_word(at, at->rows_to[r] + 3 * c + b, at->source + at->columns_from[c] + 3 * r + b);
      }
    }
  }
  at->lines->copy_runs(&at->frame, &at->tile, at->found + GUARD);
  check(at, "pixels", trial);
}

/* Runs of both sides; rows or runs of columns inside. A tile's last run may be cut. */
static void try_runs(scene *at, int64_t trial) {
  static const int64_t runs[] = {1, 2, 3, 4, 5, 8, 15, 16, 17, 33};
  rlt_tile_buffer *const tile_buffer = &at->frame.tile_buffer;
  const int64_t run = runs[draw(at, sizeof runs / sizeof runs[0])];
  const int64_t columns = run * (1 + draw(at, 5)), rows = 1 + draw(at, 6);
  const int64_t gap = at->bytes * draw(at, 3), length = run * at->bytes;
  tile_buffer->dense_columns = run;
  tile_buffer->valid_columns = draw(at, 3) == 0 ? 1 + draw(at, run) : run;
  tile_buffer->rows_inside = draw(at, 2) == 1;
  tile_buffer->exact = draw(at, 2) == 1;
  at->tile.is_near_end = draw(at, 4) == 0;
  at->positions =
      (rlt_tile){.columns = columns, .valid_columns = columns, .rows = rows, .valid_rows = rows};
  if (draw(at, 2) == 0) {
    draw_tile(at, columns, rows);
  }
  /* Ascending in the order of the loops, with a gap or none. */
  const int64_t inner = tile_buffer->rows_inside ? rows : columns / run;
  for (int64_t c = 0; c < columns; ++c) {
    at->columns_from[c] = c / run * (length + 40) + c % run * at->bytes;
    at->columns_to[c] =
        c / run * (length + gap) * (tile_buffer->rows_inside ? inner : 1) + c % run * at->bytes;
  }
  for (int64_t r = 0; r < rows; ++r) {
    at->rows_from[r] = r * 1100;
    at->rows_to[r] = r * (length + gap) * (tile_buffer->rows_inside ? 1 : inner);
  }
  draw_column_gaps(at, columns, run);
  draw_row_gaps(at, rows, 1);
  if (!(at->positions.valid_columns > 0)) {
    at->tile.source = NULL; /* is not to be used */
  }
  /* Of a run's columns the first ones can have a source. */
  const int64_t limit = tile_buffer->valid_columns;
  for (int64_t r = 0; r < at->positions.rows; ++r) {
    for (int64_t c = 0; c < at->positions.columns; ++c) {
      const bool has_source = r < at->positions.valid_rows && c < at->positions.valid_columns &&
                              c % run < limit && at->rows_from[r] != RLT_NO_SOURCE &&
                              (at->frame.keeps == NULL || at->keeps[c * at->bytes] != 0);
      expect_word(at, at->rows_to[r] + at->columns_to[c],
                  has_source ? at->source + at->rows_from[r] + at->columns_from[c]
                             : at->frame.fill);
    }
  }
  if (!tile_buffer->exact) {
    for (int64_t r = 0; r < at->positions.rows; ++r) {
      for (int64_t c = 0; c < at->positions.columns; ++c) {
        const int64_t end = GUARD + at->rows_to[r] + at->columns_to[c] + at->bytes;
        for (int64_t b = end; b < end + LINE_BYTES; ++b) {
          at->may_be_anything[b] = at->may_be_anything[b] || at->wanted[b] == POISON;
        }
      }
    }
  }
  for (int64_t r = 0; r < columns / run;
       ++r) { /* where runs begin is all that the kernel is told */
    at->columns_from[r] = at->columns_from[r * run];
    at->columns_to[r] = at->columns_to[r * run];
  }
  at->lines->copy_runs(&at->frame, &at->tile, at->found + GUARD);
  check(at, "copy_runs", trial);
}

/* Columns of the destination are dense in pieces, rows of the source too; what each piece leaves
 * lies behind what the one before did, or anywhere where nothing may spill over. */
static void try_transpose(scene *at, int64_t trial) {
  rlt_tile_buffer *const tile_buffer = &at->frame.tile_buffer;
  const int64_t side = at->kernels->block_columns, depth = at->kernels->block_rows;
  const int64_t dense_columns = 1 + draw(at, rlt_min(2 * side + 3, 100));
  const int64_t dense_rows = 1 + draw(at, rlt_min(2 * depth + 3, 60));
  const int64_t columns = rlt_min(dense_columns * (1 + draw(at, 2)), MOST_POSITIONS);
  const int64_t rows = rlt_min(dense_rows * (1 + draw(at, 2)), 60);
  const bool evenly = draw(at, 2) == 0;
  const int64_t step =
      evenly && draw(at, 2) == 0 ? dense_rows * at->bytes : (dense_rows + draw(at, 3)) * at->bytes;
  tile_buffer->dense_columns = dense_columns;
  tile_buffer->valid_columns = dense_columns;
  tile_buffer->dense_rows = dense_rows;
  tile_buffer->valid_rows = dense_rows;
  tile_buffer->exact = draw(at, 2) == 0;
  at->positions =
      (rlt_tile){.columns = columns, .valid_columns = columns, .rows = rows, .valid_rows = rows};
  if (draw(at, 2) == 0) {
    draw_tile(at, columns, rows);
  }
  const int64_t room = 60 * dense_columns * at->bytes; /* of a piece */
  if ((rows / dense_rows + 1) * columns * step + rows * at->bytes > SIZE - 2 * LINE_BYTES ||
      (columns / dense_columns + 1) * room > SIZE) {
    return; /* has no room here */
  }
  const int64_t turn = columns * step; /* from one piece of rows to the next in the source */
  for (int64_t c = 0; c < columns; ++c) {
    at->columns_from[c] = evenly ? c * step : (c * 7 + 3) % columns * step;
    at->columns_to[c] = c / dense_columns * room + c % dense_columns * at->bytes;
  }
  for (int64_t r = 0; r < rows; ++r) {
    at->rows_from[r] = r / dense_rows * turn + r % dense_rows * at->bytes;
    at->rows_to[r] = (tile_buffer->exact ? (rows - 1 - r) : r) * dense_columns * at->bytes;
  }
  at->frame.column_step =
      evenly && at->columns_from[columns - 1] == (columns - 1) * step ? step : 0;
  if (columns != dense_columns && at->frame.column_step != 0 && draw(at, 2) == 0) {
    at->frame.column_step = 0;
  }
  draw_column_gaps(at, columns, 1);
  if (at->frame.keeps != NULL) {
    at->frame.column_step = at->frame.column_step > 0 && dense_columns == columns ? step : 0;
  }
  draw_row_gaps(at, rows, dense_rows);
  expect_by_tables(at);
  if (!tile_buffer->exact) {
    for (int64_t b = 0; b < SIZE + GUARD; ++b) {
      at->may_be_anything[GUARD + b] = at->wanted[GUARD + b] == POISON;
    }
  }
  if (!(at->positions.valid_columns > 0)) {
    at->tile.source = NULL;
  }
  at->kernels->transpose_blocks(&at->frame, &at->tile, at->found + GUARD);
  check(at, "transpose_blocks", trial);
}

/* The last element is the source's last: nothing may be read behind it. */
static void try_transpose_near_end(scene *at, int64_t trial) {
  rlt_tile_buffer *const tile_buffer = &at->frame.tile_buffer;
  const int64_t side = at->kernels->block_columns, depth = at->kernels->block_rows;
  const int64_t columns = 1 + draw(at, rlt_min(2 * side, 80));
  const int64_t rows = 1 + draw(at, 2 * (draw(at, 2) == 0 ? depth : side));
  const size_t size = (size_t)(columns * rows * at->bytes);
  uint8_t *const source = malloc(size); /* which a sanitizer knows the end of */
  assert_non_null(source);
  memcpy(source, at->source, size);
  tile_buffer->dense_columns = tile_buffer->valid_columns = columns;
  tile_buffer->dense_rows = tile_buffer->valid_rows = rows;
  tile_buffer->exact = true;
  at->positions =
      (rlt_tile){.columns = columns, .valid_columns = columns, .rows = rows, .valid_rows = rows};
  at->tile.source = source;
  at->tile.source_end = source + size;
  at->tile.is_near_end = true;
  for (int64_t c = 0; c < columns; ++c) {
    at->columns_from[c] = c * rows * at->bytes;
    at->columns_to[c] = c * at->bytes;
  }
  for (int64_t r = 0; r < rows; ++r) {
    at->rows_from[r] = r * at->bytes;
    at->rows_to[r] = r * (columns * at->bytes + 3);
  }
  expect_by_tables(at);
  at->kernels->transpose_blocks(&at->frame, &at->tile, at->found + GUARD);
  check(at, "transpose_blocks near the end", trial);
  free(source);
}

/* The columns of each piece from number `valid` on never have a source. */
static void drop_ends(scene *at, int64_t columns, int64_t dense, int64_t valid) {
  if (at->frame.keeps == NULL) {
    at->frame.keeps = at->keeps;
    memset(at->keeps, 0, sizeof at->keeps);
    memset(at->keeps, 0xff, (size_t)(columns * at->bytes));
  }
  for (int64_t c = 0; c < columns; ++c) {
    if (c % dense >= valid) {
      memset(at->keeps + c * at->bytes, 0, (size_t)at->bytes);
      at->columns_from[c] = at->columns_from[c - 1];
    }
  }
}

/* Channels joined: the source has each as a run. Unbuffered ones may go past the cache, which where
 * the destination begins decides. */
static void try_joined(scene *at, int64_t trial, int64_t channels, int64_t length) {
  rlt_tile_buffer *const tile_buffer = &at->frame.tile_buffer;
  const int64_t there = rlt_max(channels - draw(at, 2), 1);
  at->positions =
      (rlt_tile){.columns = channels, .valid_columns = there, .rows = length, .valid_rows = length};
  tile_buffer->dense_columns = tile_buffer->valid_columns = channels;
  tile_buffer->dense_rows = tile_buffer->valid_rows = length;
  tile_buffer->write_channels = channels;
  tile_buffer->exact = true;
  at->frame.is_buffered = draw(at, 4) == 0;
  for (int64_t c = 0; c < channels; ++c) {
    at->columns_from[c] = c * (length + 5) * at->bytes;
    at->columns_to[c] = c * at->bytes;
  }
  for (int64_t r = 0; r < length; ++r) {
    at->rows_from[r] = r * at->bytes;
    at->rows_to[r] = r * channels * at->bytes;
  }
  expect_by_tables(at);
  at->kernels->transpose_blocks(&at->frame, &at->tile, at->found + GUARD);
  at->lines->finish();
  check(at, "channels joined", trial);
}

/* Channels parted: the destination has each as a run, in one piece or two. Unbuffered ones may go
 * past the cache, where all begin lines. */
static void try_parted(scene *at, int64_t trial, int64_t channels, int64_t most) {
  rlt_tile_buffer *const tile_buffer = &at->frame.tile_buffer;
  const int64_t pieces = most > 1 ? 1 + draw(at, 2) : 1;
  const int64_t length = most / pieces, columns = pieces * length;
  const int64_t there = rlt_max(channels - draw(at, 2), 1);
  const int64_t line = LINE_BYTES / at->bytes;
  const int64_t gap = draw(at, 2) == 0 ? draw(at, 3) * 5 : line - length % line;
  const int64_t pitch = (length + gap) * at->bytes;
  at->frame.is_buffered = draw(at, 4) == 0;
  at->tile.is_near_end = draw(at, 2) == 0;
  at->positions =
      (rlt_tile){.columns = columns, .valid_columns = columns, .rows = there, .valid_rows = there};
  if (draw(at, 2) == 0) {
    at->positions.valid_columns = 1 + draw(at, columns);
  }
  tile_buffer->dense_columns = tile_buffer->valid_columns = length;
  tile_buffer->dense_rows = tile_buffer->valid_rows = there;
  tile_buffer->read_channels = channels;
  tile_buffer->exact = draw(at, 2) == 0;
  for (int64_t c = 0; c < columns; ++c) {
    at->columns_from[c] = c * channels * at->bytes;
    at->columns_to[c] = c / length * there * pitch + c % length * at->bytes;
  }
  for (int64_t r = 0; r < there; ++r) {
    at->rows_from[r] = r * at->bytes;
    at->rows_to[r] = r * pitch;
  }
  draw_column_gaps(at, columns, length);
  if (draw(at, 3) == 0) {
    tile_buffer->valid_columns = 1 + draw(at, length);
    drop_ends(at, columns, length, tile_buffer->valid_columns);
  }
  expect_by_tables(at);
  for (int64_t b = 0; b < SIZE + 2 * GUARD && !tile_buffer->exact; ++b) {
    at->may_be_anything[b] = at->wanted[b] == POISON;
  }
  at->kernels->transpose_blocks(&at->frame, &at->tile, at->found + GUARD);
  at->lines->finish();
  check(at, "channels parted", trial);
}

static void try_channels(scene *at, int64_t trial) {
  static const int64_t counts[] = {2, 3, 4, 5, 6, 7, 8};
  const int64_t channels = counts[draw(at, 7)];
  const bool joins = trial % 2 == 0;
  const int64_t most =
      channels <= 4 || channels == 8 ? at->kernels->most_channels : at->kernels->most_in_lanes;
  if (channels > most || at->bytes == 16) {
    return; /* which nobody asks for */
  }
  const int64_t length = 1 + draw(at, rlt_min(MOST_POSITIONS - 1, SIZE / 16 / at->bytes / 8));
  (joins ? try_joined : try_parted)(at, trial, channels, length);
}

static scene *make_scene(void) {
  scene *const made =
      aligned_alloc(LINE_BYTES, (sizeof *made + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
  assert_non_null(made);
  made->seed = 1;
  for (int i = 0; i < SIZE; ++i) {
    made->source[i] = (uint8_t)draw(made, 256);
  }
  return made;
}

typedef void try(scene *at, int64_t trial);

static void try_all(try *tried, int64_t trials) {
  scene *const at = make_scene();
  for (const rlt_cpu_instruction_set *set = rlt_cpu_instruction_sets; set->name != NULL; ++set) {
    for (int size = 0; size < 5 && set->is_there(); ++size) {
      for (int64_t i = 0; i < trials; ++i) {
        begin(at, set, INT64_C(1) << size, (uint64_t)(100 * i + size));
        tried(at, i);
      }
    }
  }
  free(at);
}

static void test_straight(void **state) {
  (void)state;
  try_all(try_straight, 60);
}

static void test_strided(void **state) {
  (void)state;
  try_all(try_strided, 30);
}

static void test_runs_and_shuffles(void **state) {
  (void)state;
  try_all(try_run, 40);
  try_all(try_shuffle, 10);
}

static void test_gathered_runs(void **state) {
  (void)state;
  try_all(try_runs, 150);
  try_all(try_pixels, 60);
}

static void test_transposed_blocks(void **state) {
  (void)state;
  try_all(try_transpose, 120);
  try_all(try_transpose_near_end, 60);
}

static void test_channels(void **state) {
  (void)state;
  try_all(try_channels, 100);
}

/* ---- What spills over ---- */

/* A short run is loaded and stored as 4, 8, 16, 32 or 64 bytes, the least that hold it, where that
 * may spill over; and not a byte more than it where that may not. */
static void test_spilling_runs(void **state) {
  (void)state;
  scene *const at = make_scene();
  for (const rlt_cpu_instruction_set *set = rlt_cpu_instruction_sets; set->name != NULL; ++set) {
    for (int64_t run = 1; run <= 64 && set->is_there(); ++run) {
      for (int may_spill = 0; may_spill < 3; ++may_spill) {
        begin(at, set, 1, (uint64_t)run);
        at->frame.tile_buffer = (rlt_tile_buffer){.dense_columns = run,
                                                  .valid_columns = run,
                                                  .dense_rows = 1,
                                                  .valid_rows = 1,
                                                  .exact = may_spill == 0};
        at->tile.is_near_end = may_spill == 1;
        at->positions =
            (rlt_tile){.columns = run, .valid_columns = run, .rows = 1, .valid_rows = 1};
        for (int64_t c = 0; c < run; ++c) {
          at->columns_from[c] = at->columns_to[c] = c;
        }
        at->rows_from[0] = 100;
        at->rows_to[0] = 0;
        int64_t room = 4;
        while (room < run) {
          room *= 2;
        }
        memcpy(at->wanted + GUARD, at->source + 100, (size_t)(may_spill == 2 ? room : run));
        at->lines->copy_runs(&at->frame, &at->tile, at->found + GUARD);
        check(at, "copy_runs that spills", run);
      }
    }
  }
  free(at);
}

/* ---- Segments that leave ---- */

enum { MOST_ROWS = 5 };

/* Rows of the destination, stored by tiles that go on with each other's: each leaves its segment of
 * every row. */
static void try_segments(scene *at, int64_t trial) {
  static rlt_cpu_partial_lines partial;
  static uint8_t buffered[LINE_BYTES + SIZE + LINE_BYTES];
  static int64_t ahead[9];
  rlt_tile_run segments[MOST_ROWS];
  rlt_cpu_frame *const frame = &at->frame;
  const int64_t rows = 1 + draw(at, MOST_ROWS);
  const int64_t pitch = 1 + draw(at, (trial % 3 == 0 ? 4000 : 700) / at->bytes); /* in words */
  const int64_t shift = draw(at, LINE_BYTES);
  for (int64_t r = 0; r < rows; ++r) {
    segments[r] = (rlt_tile_run){.start = r * pitch, .row_step = r};
  }
  frame->segments = segments;
  frame->destination_bits = 8 * at->bytes;
  frame->ahead = ahead;
  frame->ahead_count = draw(at, 9);
  frame->fetch_level = 1 + (int32_t)draw(at, 3);
  frame->tile_buffer.segment = (rlt_tile_runs){.unit = 1, .side = RLT_SEGMENT_COLUMNS};
  frame->tile_buffer.segment_count = rows;
  const bool combines = frame->streams && draw(at, 4) > 0;
  const int64_t has_rows = draw(at, 3) == 0 ? 1 + draw(at, rows) : rows;
  partial.first = draw(at, 20);
  int64_t first = 0;
  while (first < pitch) {
    const int64_t columns = 1 + draw(at, rlt_min(pitch - first, 600 / at->bytes + 1));
    frame->segment_pitch = columns * at->bytes + draw(at, 30);
    for (int64_t b = 0; b < rows * frame->segment_pitch + 2 * LINE_BYTES; ++b) {
      buffered[b] = (uint8_t)draw(at, 256);
    }
    at->positions = (rlt_tile){
        .columns = columns, .valid_columns = columns, .rows = has_rows, .valid_rows = has_rows};
    at->tile.destination = at->found + GUARD + shift + first * at->bytes;
    for (int64_t r = 0; r < has_rows; ++r) {
      memcpy(at->wanted + GUARD + shift + (r * pitch + first) * at->bytes,
             buffered + LINE_BYTES + r * frame->segment_pitch, (size_t)(columns * at->bytes));
    }
    first += columns;
    partial.goes_on = combines && first < pitch;
    at->lines->store_segments(frame, &at->tile, buffered + LINE_BYTES, &partial,
                              draw(at, 2) == 0 ? NULL : at->source);
  }
  at->lines->finish();
  check(at, "store_segments", trial);
  for (int i = 0; i < RLT_CPU_MOST_SEGMENTS; ++i) {
    assert_int_equal(partial.held[i], 0);
  }
}

static void test_segments(void **state) {
  (void)state;
  try_all(try_segments, 60);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_straight),          cmocka_unit_test(test_strided),
      cmocka_unit_test(test_runs_and_shuffles), cmocka_unit_test(test_gathered_runs),
      cmocka_unit_test(test_transposed_blocks), cmocka_unit_test(test_channels),
      cmocka_unit_test(test_spilling_runs),     cmocka_unit_test(test_segments),
  };
  return cmocka_run_group_tests_name("cpu.kernels", tests, NULL, NULL);
}
