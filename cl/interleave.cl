/* interleave.cl: a few short runs lie side by side on one side, such as colour channels.
 * Follows work_group.cl.
 *
 *     joined     r g b r g b r g b r g b . .     parted     r r r r . .
 *                                                           g g g g . .
 *                                                           b b b b . .
 *
 * A *pixel* is what lies together on the joined side. A tile is a row of pixels, or several such
 * runs of the columns' last axis. A work-item takes a *block*, the pixels that fill a unit of each
 * channel, or a piece where all of them are aligned. On either side these are as many units, which
 * it turns in registers:
 *
 *     |r g b r|g b r g|b r g b|     |r r r r|
 *                                   |g g g g|
 *                                   |b b b b|
 *
 * Neighbours touch what lies side by side on the parted side. On the joined one each of a
 * work-item's loads takes a part of lines of which the next ones find the rest in the cache. Stores
 * have none to put lines together in: pieces go to local memory first, from where neighbours store
 * what lies side by side.
 */

/* The host compiles in
 *
 *     CHANNELS  words from a pixel to the next on the joined side, no fewer than there are channels
 *     JOINS     1 where the destination is joined; 0 where the source is
 */
#define BLOCK_WORDS  (CHANNELS * UNIT)
#define BITS_OF_WORD (8 * WORD_BYTES)

/* Words of a block that lie together in the destination: all of it, or a channel's. */
#define STORED_BLOCK (JOINS ? BLOCK_WORDS : UNIT)

/* ---- Blocks ---- */

/* Word `from` of a unit, where word `to` is, and zeros elsewhere. */
ALWAYS_INLINE static unit moved_word(unit of, uint from, uint to) {
#if UNIT == 1
  return of;
#else
  const uint ones = (uint)((1ul << BITS_OF_WORD) - 1) << to * BITS_OF_WORD;
  return (to >= from ? of << (to - from) * BITS_OF_WORD : of >> (from - to) * BITS_OF_WORD) & ones;
#endif
}

/* The units of a block on the destination's side. Word k of channel c is number k * CHANNELS + c of
 * those that are joined. */
ALWAYS_INLINE static void turn(const unit *from, unit *to) {
#pragma unroll
  for (uint c = 0; c < CHANNELS; ++c) {
    to[c] = (unit)(0);
#pragma unroll
    for (uint k = 0; k < UNIT; ++k) {
#if JOINS
      const uint number = c * UNIT + k;
      to[c] |= moved_word(from[number % CHANNELS], number / CHANNELS, k);
#else
      const uint number = k * CHANNELS + c;
      to[c] |= moved_word(from[number / UNIT], number % UNIT, k);
#endif
    }
  }
}

/* ---- A tile ---- */

typedef struct pixel_runs {
  uint count;
  uint valid_count;
  uint length;   /* pixels of each */
  uint valid;    /* of them; in runs without a source too */
  uint channels; /* that are written */
  uint valid_channels;
  offset source_channel; /* from one to the next */
  offset destination_channel;
  offset source_run;
  offset destination_run;
} pixel_runs;

ALWAYS_INLINE static pixel_runs runs_of(const tile t, __constant const kernel_grid *grid) {
  const uint inner = (uint)grid->columns.inner;
  const uint columns = grid->fills ? t.columns : t.valid_columns;
  const bool has_several = inner > 1;
  const pixel_runs found = {
      has_several ? columns / inner : 1,   has_several ? t.valid_columns / inner : 1,
      has_several ? inner : columns,       has_several ? inner : t.valid_columns,
      grid->fills ? t.rows : t.valid_rows, t.valid_rows,
      (offset)grid->rows.source_stride,    (offset)grid->rows.destination_stride,
      (offset)grid->columns.source_stride, (offset)grid->columns.destination_stride};
  return found;
}

/* Pixels of a run with a source. */
ALWAYS_INLINE static uint valid_pixels(const pixel_runs runs, uint run) {
  return run < runs.valid_count ? runs.valid : 0;
}

ALWAYS_INLINE static __global word *run_at(__global word *to, const pixel_runs runs, uint run) {
  return to + (offset)run * runs.destination_run;
}

/* Where a channel of a pixel lies. */
ALWAYS_INLINE static offset source_of(const pixel_runs runs, uint run, offset pixel, uint channel) {
  return (offset)run * runs.source_run + (JOINS ? (offset)channel * runs.source_channel + pixel
                                                : pixel * CHANNELS + (offset)channel);
}

ALWAYS_INLINE static offset stored_at(const pixel_runs runs, offset pixel, uint channel) {
  return JOINS ? pixel * CHANNELS + (offset)channel
               : (offset)channel * runs.destination_channel + pixel;
}

/* ---- Blocks of pieces ---- */

/* Whether all blocks are whole, have a source, and are aligned on both sides. */
ALWAYS_INLINE static bool are_pieces(const source_tile source, __global const word *to,
                                     const pixel_runs runs) {
  const offset channel = JOINS ? runs.source_channel : runs.destination_channel;
  return CHANNELS <= 4 && runs.length % PIECE == 0 && runs.valid == runs.length &&
         runs.valid_count == runs.count && runs.channels == CHANNELS &&
         runs.valid_channels == CHANNELS && on_source_piece(source.from) && on_piece(to) &&
         channel % PIECE == 0 &&
         (runs.count == 1 || (runs.source_run % PIECE == 0 && runs.destination_run % PIECE == 0));
}

/* Piece `number` of a block, counted along the joined side or channel by channel. */
ALWAYS_INLINE static uint4 load_piece_of_block(const source_tile source, offset at,
                                               const pixel_runs runs, uint number) {
  const offset on = JOINS ? (offset)number * runs.source_channel : (offset)(number * PIECE);
  return load_piece(onward(source.from, at + on));
}

/* The pieces of a block on the destination's side. */
ALWAYS_INLINE static void turn_pieces(const uint4 *held, uint4 *turned) {
  unit made[CHANNELS * UNITS_PER_PIECE];
#pragma unroll
  for (uint u = 0; u < UNITS_PER_PIECE; ++u) {
    unit from[CHANNELS];
    unit to[CHANNELS];
#pragma unroll
    for (uint c = 0; c < CHANNELS; ++c) {
      const uint number = JOINS ? c * UNITS_PER_PIECE + u : u * CHANNELS + c;
      from[c] = unit_of_piece(held[number / UNITS_PER_PIECE], number % UNITS_PER_PIECE);
    }
    turn(from, to);
#pragma unroll
    for (uint c = 0; c < CHANNELS; ++c) {
      made[JOINS ? u * CHANNELS + c : c * UNITS_PER_PIECE + u] = to[c];
    }
  }
#pragma unroll
  for (uint c = 0; c < CHANNELS; ++c) {
    turned[c] = piece_of(made + c * UNITS_PER_PIECE);
  }
}

/* Where a piece of a group's block lies in local memory, in the order of the destination; but such
 * that neighbours who stage the same piece of theirs do not share banks. */
ALWAYS_INLINE static uint place_of(uint block, uint number) {
  const uint turns = CHANNELS == 2 ? block / 4 : CHANNELS == 4 ? block / 2 : 0;
  return block * CHANNELS + (number ^ (turns & (CHANNELS - 1)));
}

/* Pieces of what the group has of joined runs leave side by side. */
ALWAYS_INLINE static void store_staged(__local const uint4 *staged, __global word *to,
                                       const pixel_runs runs, uint shift, const part of,
                                       uint numbers) {
#pragma unroll
  for (uint round = 0; round < CHANNELS; ++round) {
    const uint at = round * GROUP + local_id();
    /* at / CHANNELS, as at is small; with a remainder's division Oclgrind cannot do (part_of) */
    const uint block = at * (65536 / CHANNELS + 1) >> 16;
    const uint piece = at - block * CHANNELS;
    const uint run = of.run + (block >> shift);
    const uint number = of.number + (block & ((1u << shift) - 1));
    if (run < runs.count && number < numbers) {
      *(__global uint4 *)(run_at(to, runs, run) + (offset)((number * CHANNELS + piece) * PIECE)) =
          staged[place_of(block, piece)];
    }
  }
}

/* One block a work-item at a time: more of them under way take registers, and so groups, that hide
 * more of what loads take. */
ALWAYS_INLINE static void move_pieces(const source_tile source, __global word *to,
                                      const pixel_runs runs, uint count, uint shift,
                                      __local uint4 *staged) {
  const uint numbers = runs.length / PIECE;
  const part first = first_part(shift);
  for (part p = first; p.run - first.run < count; p = next_part(p, shift, numbers)) {
    if (p.run < runs.count && p.number < numbers) {
      const offset pixel = (offset)(p.number * PIECE);
      uint4 held[CHANNELS];
      uint4 turned[CHANNELS];
#pragma unroll
      for (uint c = 0; c < CHANNELS; ++c) {
        held[c] = load_piece_of_block(source, source_of(runs, p.run, pixel, 0), runs, c);
      }
      turn_pieces(held, turned);
#pragma unroll
      for (uint c = 0; c < CHANNELS; ++c) {
#if JOINS
        staged[place_of(local_id(), c)] = turned[c];
#else
        *(__global uint4 *)(run_at(to, runs, p.run) + stored_at(runs, pixel, c)) = turned[c];
#endif
      }
    }
#if JOINS
    barrier(CLK_LOCAL_MEM_FENCE);
    const part start = {p.run - first.run, p.number - first.number};
    store_staged(staged, to, runs, shift, start, numbers);
    barrier(CLK_LOCAL_MEM_FENCE); /* before the next blocks take the place of these */
#endif
  }
}

/* ---- Three channels of short words, parted wherever they begin ----
 *
 * As 3 is odd, one of any so many pixels as a piece has words begins with a piece of the source:
 * there blocks of pieces begin. Turned, they go to local memory channel by channel. Pieces of the
 * destination begin elsewhere in each channel: they are put together from two that are staged.
 *
 *     staged     |. . . r|r r r r|r r r r|r r . .|
 *     stored     |. r|r r r r|r r r r|r r . .|
 */
#define PARTS_STAGED (!JOINS && CHANNELS == 3 && WORD_BYTES <= 2)

#if PARTS_STAGED

/* Pieces of a channel that a group has at once. Blocks, which may begin before them, are one more:
 * each work-item has one; and one that nobody wants may be loaded behind them. */
#define SPAN_PIECES   (GROUP > 1 ? GROUP - 1 : 1)
#define STAGED_PIECES (SPAN_PIECES + 2)

/* Pixels before a run since the last place where one may begin with a piece. 3 times 11 is one
 * more than a multiple of every PIECE. */
ALWAYS_INLINE static uint lead_of(const source_tile source, const pixel_runs runs, uint run) {
  return elements_into(onward(source.from, source_of(runs, run, 0, 0)), 16) * 11 & (PIECE - 1);
}

/* A piece that is not all in the source. */
ALWAYS_INLINE static uint4 piece_at_end(const source_tile source, offset at) {
  unit made[UNITS_PER_PIECE];
#pragma unroll
  for (uint u = 0; u < UNITS_PER_PIECE; ++u) {
    made[u] = (unit)(0);
    ONE_BY_ONE
    for (uint k = 0; k < UNIT; ++k) {
      const offset on = at + (offset)(u * UNIT + k);
      if (on >= source.first && on < source.end) {
        made[u] = with_word(made[u], k, source_element(onward(source.from, on)));
      }
    }
  }
  return piece_of(made);
}

/* The block from this pixel on, which may lie before the run, as its channels have it. */
ALWAYS_INLINE static void stage_block(const source_tile source, const pixel_runs runs, uint run,
                                      int pixel, unit fills, __local uint4 *staged) {
  const int count = (int)valid_pixels(runs, run) - pixel;
  const offset at = source_of(runs, run, (offset)pixel, 0);
  const bool is_all_valid =
      runs.valid_channels == runs.channels && runs.valid == runs.length && run < runs.valid_count;
  uint4 turned[CHANNELS];
#pragma unroll
  for (uint c = 0; c < CHANNELS; ++c) {
    turned[c] = (uint4)(0);
  }
  if (count > 0) {
    uint4 held[CHANNELS];
    if (at >= source.first && at + CHANNELS * PIECE <= source.end) {
#pragma unroll
      for (uint c = 0; c < CHANNELS; ++c) {
        held[c] = load_piece(onward(source.from, at + (offset)(c * PIECE)));
      }
    } else {
      ONE_BY_ONE
      for (uint c = 0; c < CHANNELS; ++c) {
        staged[c * STAGED_PIECES] = piece_at_end(source, at + (offset)(c * PIECE));
      }
#pragma unroll
      for (uint c = 0; c < CHANNELS; ++c) {
        held[c] = staged[c * STAGED_PIECES];
      }
    }
    turn_pieces(held, turned);
  }
#pragma unroll
  for (uint c = 0; c < CHANNELS && !is_all_valid; ++c) {
    turned[c] = first_of_piece(turned[c], c < runs.valid_channels ? count : 0, fills);
  }
#pragma unroll
  for (uint c = 0; c < CHANNELS; ++c) {
    staged[c * STAGED_PIECES] = turned[c];
  }
}

/* What a group has at once: so many pixels of so many runs, from these on. The blocks of a run are
 * `pitch` of those of another. */
typedef struct span {
  uint run;
  uint runs;
  uint pixel;
  uint length;
  uint pitch;
} span;

ALWAYS_INLINE static void stage_span(const source_tile source, const pixel_runs runs, const span of,
                                     uint shift, unit fills, __local uint4 *staged) {
  for (part p = first_part(shift); p.run < of.runs; p = next_part(p, shift, of.pitch)) {
    const uint lead = lead_of(source, runs, of.run + p.run);
    if (p.number < of.pitch && p.number * PIECE < of.length + lead) {
      stage_block(source, runs, of.run + p.run, (int)(of.pixel + p.number * PIECE) - (int)lead,
                  fills, staged + p.run * of.pitch + p.number);
    }
  }
}

/* A channel of one of these runs in local memory, and where it goes from there. */
typedef struct parted {
  __local const uint4 *staged;
  uint lead;
  __global word *to;
  uint length;
} parted;

ALWAYS_INLINE static parted parted_at(__local const uint4 *staged, const source_tile source,
                                      __global word *to, const pixel_runs runs, const span of,
                                      uint run, uint channel) {
  const parted found = {
      staged + channel * STAGED_PIECES + run * of.pitch, lead_of(source, runs, of.run + run),
      run_at(to, runs, of.run + run) + stored_at(runs, (offset)of.pixel, channel), of.length};
  return found;
}

/* Piece `number` of the destination, if all of it is of the run. */
ALWAYS_INLINE static void store_parted_piece(const parted of, uint number) {
  const uint at = number * PIECE - into_piece(of.to);
  if (is_whole(at, PIECE, of.length)) {
    const uint from = at + of.lead;
    __local const uint4 *const staged = of.staged + from / PIECE;
    *(__global uint4 *)(of.to + (offset)at) =
        joined_pieces(staged[0], staged[1], from % PIECE * BITS_OF_WORD);
  }
}

ALWAYS_INLINE static void store_parted_end(const parted of, uint number) {
  const uint at = piece_end_column(of.to, of.length, number);
#pragma unroll
  for (uint k = 0; k < UNIT; ++k) {
    if (at + k < of.length) {
      of.to[(offset)(at + k)] = ((__local const word *)of.staged)[at + k + of.lead];
    }
  }
}

ALWAYS_INLINE static void store_span(__local const uint4 *staged, const source_tile source,
                                     __global word *to, const pixel_runs runs, const span of,
                                     uint shift) {
  const uint numbers = (of.length + PIECE - 1) / PIECE;
  for (part p = first_part(shift); p.run < of.runs; p = next_part(p, shift, numbers)) {
#pragma unroll
    for (uint c = 0; c < CHANNELS; ++c) {
      if (p.number < numbers && c < runs.channels) {
        store_parted_piece(parted_at(staged, source, to, runs, of, p.run, c), p.number);
      }
    }
  }
#pragma unroll 1
  for (uint number = local_id(); number < of.runs * runs.channels * PIECE_ENDS; number += GROUP) {
    const part end = part_of(number / PIECE_ENDS, runs.channels);
    store_parted_end(parted_at(staged, source, to, runs, of, end.run, end.number),
                     number % PIECE_ENDS);
  }
}

ALWAYS_INLINE static void part_pieces(const source_tile source, __global word *to,
                                      const pixel_runs runs, uint count, uint shift, word fill,
                                      __local uint4 *staged) {
  const uint pixels = min(runs.length, (uint)(SPAN_PIECES * PIECE));
  const uint pitch = (pixels + 2 * PIECE - 2) / PIECE;
  const uint at_once = (STAGED_PIECES - 1) / pitch;
  for (uint run = 0; run < count; run += at_once) {
    for (uint pixel = 0; pixel < runs.length; pixel += pixels) {
      const span of = {run, min(at_once, count - run), pixel, min(pixels, runs.length - pixel),
                       pitch};
      stage_span(source, runs, of, shift, unit_of_equal(fill), staged);
      barrier(CLK_LOCAL_MEM_FENCE);
      store_span(staged, source, to, runs, of, shift);
      barrier(CLK_LOCAL_MEM_FENCE); /* before the next blocks take the place of these */
    }
  }
}

#else

/* ---- Blocks of units ---- */

/* A block from this pixel on, which may be any, as far as its run has a source. */
ALWAYS_INLINE static void load_block(const source_tile source, const pixel_runs runs, uint run,
                                     uint pixel, unit *held) {
  const int count = min((int)valid_pixels(runs, run) - (int)pixel, UNIT);
  const offset at = source_of(runs, run, (offset)pixel, 0);
#if !JOINS
  const uint into = elements_into(onward(source.from, at), 4);
  const offset first = at - (offset)into;
  if (count > 0 && first >= source.first &&
      first + BLOCK_WORDS + (into > 0 ? UNIT : 0) <= source.end) {
    const place aligned = onward(source.from, first);
    unit last = load_unit(aligned);
#pragma unroll
    for (uint c = 0; c < CHANNELS; ++c) {
      held[c] = last;
      if (c + 1 < CHANNELS || into > 0) {
        last = load_unit(onward(aligned, (offset)((c + 1) * UNIT)));
      }
#if UNIT > 1
      held[c] = joined(held[c], last, into * BITS_OF_WORD);
#endif
    }
    return;
  }
#endif
#pragma unroll
  for (uint c = 0; c < CHANNELS; ++c) {
    const int words =
        JOINS ? (c < runs.valid_channels ? count : 0) : count * CHANNELS - (int)(c * UNIT);
    const offset from = at + (JOINS ? (offset)c * runs.source_channel : (offset)(c * UNIT));
    held[c] = (unit)(0);
    if (words > 0 && from < source.end) {
      held[c] =
          unit_of_loose(load_loose(source, from, (uint)min((offset)words, source.end - from)));
    }
  }
}

/* The same as units of the destination, with what fills it. */
ALWAYS_INLINE static void turn_block(const pixel_runs runs, uint run, uint pixel, unit *held,
                                     unit fills, unit *turned) {
  const int count = (int)valid_pixels(runs, run) - (int)pixel;
  const bool is_all_valid = count >= UNIT && runs.valid_channels == CHANNELS;
#if JOINS
#pragma unroll
  for (uint c = 0; c < CHANNELS && !is_all_valid; ++c) {
    held[c] = first_words(held[c], c < runs.valid_channels ? count : 0, fills);
  }
#endif
  turn(held, turned);
#if !JOINS
#pragma unroll
  for (uint c = 0; c < CHANNELS && !is_all_valid; ++c) {
    turned[c] = first_words(turned[c], c < runs.valid_channels ? count : 0, fills);
  }
#endif
}

/* A word's place in its unit of the destination, of a run's first one, of this channel. */
ALWAYS_INLINE static uint into_unit(__global const word *run, const pixel_runs runs, uint channel) {
  return stored_into_unit(run + (JOINS ? 0 : (offset)channel * runs.destination_channel));
}

/* Unit `number` of a block of a run, of which the one before ends with `before`: moved on by what
 * lies before the run in its first unit. */
ALWAYS_INLINE static void store_shifted(unit before, unit of, __global word *run,
                                        const pixel_runs runs, uint block, uint number) {
  const uint into = into_unit(run, runs, number);
  __global word *const row = run + (JOINS ? 0 : (offset)number * runs.destination_channel);
  const uint at = block * STORED_BLOCK + (JOINS ? number * UNIT : 0) - into;
  const uint block_at = block * STORED_BLOCK - into;
  if (is_whole(block_at, STORED_BLOCK, JOINS ? runs.length * CHANNELS : runs.length) &&
      (JOINS || number < runs.channels)) {
#if UNIT > 1
    store_unit(joined_before(before, of, into * BITS_OF_WORD), row + (offset)at);
#else
    store_unit(of, row + (offset)at);
#endif
  }
}

/* Where a run of the destination begins within a unit, each of its units has words of two. */
ALWAYS_INLINE static void move_shifted(const source_tile source, __global word *to,
                                       const pixel_runs runs, uint run, uint block, unit fills) {
  __global word *const stored = run_at(to, runs, run);
  unit held[CHANNELS];
  unit before[CHANNELS];
  unit turned[CHANNELS];
#pragma unroll
  for (uint c = 0; c < CHANNELS; ++c) {
    before[c] = (unit)(0);
  }
  if (block > 0) {
    load_block(source, runs, run, (block - 1) * UNIT, held);
    turn_block(runs, run, (block - 1) * UNIT, held, fills, before);
  }
  load_block(source, runs, run, block * UNIT, held);
  turn_block(runs, run, block * UNIT, held, fills, turned);
#pragma unroll
  for (uint c = 0; c < CHANNELS; ++c) {
    store_shifted(JOINS && c > 0 ? turned[c - 1] : before[JOINS ? CHANNELS - 1 : c], turned[c],
                  stored, runs, block, c);
  }
}

/* Where all runs of the destination begin with units. A work-item has a few blocks under way. */
#define HELD_BLOCKS (WORD_BYTES < 8 && CHANNELS <= (JOINS ? 4 : 3) ? 2 : 1)

ALWAYS_INLINE static void move_units(const source_tile source, __global word *to,
                                     const pixel_runs runs, uint shift, unit fills) {
  const uint numbers = runs.length / UNIT;
  for (part p = first_part(shift); p.run < runs.count;) {
    unit held[HELD_BLOCKS][CHANNELS] NOTHING_YET;
    part of[HELD_BLOCKS];
#pragma unroll
    for (uint h = 0; h < HELD_BLOCKS; ++h) {
      of[h] = p;
      if (p.run < runs.count && p.number < numbers) {
        load_block(source, runs, p.run, p.number * UNIT, held[h]);
      }
      p = next_part(p, shift, numbers);
    }
#pragma unroll
    for (uint h = 0; h < HELD_BLOCKS; ++h) {
      if (of[h].run < runs.count && of[h].number < numbers) {
        const uint pixel = of[h].number * UNIT;
        __global word *const stored =
            run_at(to, runs, of[h].run) + stored_at(runs, (offset)pixel, 0);
        unit turned[CHANNELS];
        turn_block(runs, of[h].run, pixel, held[h], fills, turned);
#pragma unroll
        for (uint c = 0; c < CHANNELS; ++c) {
          if (JOINS || c < runs.channels) {
            store_unit(turned[c], stored + (JOINS ? (offset)(c * UNIT)
                                                  : (offset)c * runs.destination_channel));
          }
        }
      }
    }
  }
}

/* Whether all runs of the destination begin with units. */
ALWAYS_INLINE static bool begin_units(__global const word *to, const pixel_runs runs) {
  return stored_into_unit(to) == 0 && (runs.count == 1 || runs.destination_run % UNIT == 0) &&
         (JOINS || runs.destination_channel % UNIT == 0);
}

/* ---- The ends of runs ---- */

/* What is in no whole block of a run, or of one of its channels, rounded up to a power of two: a
 * block has no more than 32 words. */
#define END_WORDS_OF_RUN (STORED_BLOCK <= 8 ? 16 : STORED_BLOCK <= 16 ? 32 : 64)

ALWAYS_INLINE static uint end_of_run(uint into, uint length, uint number) {
  const uint head = min(into == 0 ? 0u : STORED_BLOCK - into, length);
  const uint tail = head + (length - head) / STORED_BLOCK * STORED_BLOCK;
  const uint at = number < STORED_BLOCK ? number : tail + number - STORED_BLOCK;
  return number < STORED_BLOCK && number >= head ? length : at;
}

static void move_ends(const source_tile source, __global word *to, const pixel_runs runs,
                      word fill) {
  const uint channels = JOINS ? 1 : runs.channels;
  const uint length = JOINS ? runs.length * CHANNELS : runs.length;
#pragma unroll 1
  for (uint number = local_id(); number < runs.count * channels * END_WORDS_OF_RUN;
       number += GROUP) {
    const part of_run = part_of(number / END_WORDS_OF_RUN, channels);
    const uint run = of_run.run;
    __global word *const stored = run_at(to, runs, run);
    const uint into = into_unit(stored, runs, of_run.number);
    const uint at = end_of_run(into, length, number % END_WORDS_OF_RUN);
    const part of_pixel = part_of(at, CHANNELS);
    const uint pixel = JOINS ? of_pixel.run : at;
    const uint channel = JOINS ? of_pixel.number : of_run.number;
    if (at < length) {
      const bool has_source = pixel < valid_pixels(runs, run) && channel < runs.valid_channels;
      stored[stored_at(runs, (offset)pixel, channel)] =
          has_source
              ? source_element(onward(source.from, source_of(runs, run, (offset)pixel, channel)))
              : fill;
    }
  }
}

/* ---- All blocks of units ---- */

ALWAYS_INLINE static void move_blocks(const source_tile source, __global word *to,
                                      const pixel_runs runs, uint shift, word fill) {
  const unit fills = unit_of_equal(fill);
  const bool are_units = begin_units(to, runs);
  if (are_units) {
    move_units(source, to, runs, shift, fills);
  } else {
    const uint numbers = runs.length / UNIT + 1;
    for (part p = first_part(shift); p.run < runs.count; p = next_part(p, shift, numbers)) {
      if (p.number < numbers) {
        move_shifted(source, to, runs, p.run, p.number, fills);
      }
    }
  }
  if (UNIT > 1 && (!are_units || runs.length % UNIT != 0)) {
    move_ends(source, to, runs, fill);
  }
}
#endif

/* ---- All of a tile ---- */

__kernel SUB_GROUP WORK_GROUP void ENTRY(interleave)(SIDE_PARAMETERS(word, destination)
                                                         GRID_PARAMETER FILL_PARAMETER,
                                                     SIDE_PARAMETERS(const source_word, source)) {
  FIND_GRID;
  FIND_FILL;
  FIND_SIDE(word, destination);
  FIND_SIDE(const source_word, source);
#if JOINS
  __local uint4 staged[GROUP * CHANNELS];
#elif PARTS_STAGED
  __local uint4 staged[STAGED_PIECES * CHANNELS];
#else
  __local uint4 *const staged = 0; /* nothing is */
#endif
  for (tile_number n = first_tile(grid); n < end_tile(grid); ++n) {
    const tile t = find_tile(grid, n);
    const source_tile from = source_tile_at(PLACE(source, SOURCE_START), t, grid);
    __global word *const to = place_in(destination, DESTINATION_START + t.destination);
    const pixel_runs runs = runs_of(t, grid);
    const uint shift = (uint)grid->across_shift;
    const bool by_pieces = are_pieces(from, to, runs);
    /* Barriers, which PoCL wants outside of any condition, are in a loop that may do nothing. */
    move_pieces(from, to, runs, by_pieces ? runs.count : 0, shift, staged);
#if PARTS_STAGED
    part_pieces(from, to, runs, by_pieces ? 0 : runs.count, shift, fill, staged);
#else
    if (!by_pieces) {
      move_blocks(from, to, runs, shift, fill);
    }
#endif
  }
}
