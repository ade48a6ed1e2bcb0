/* merge.c: packed elements put into bytes that others write too. */
#include <string.h>

#include "base/checked.h"
#include "convert/packing.h"
#include "cpu/executable.h"

/* ---- Bits ----
 *
 * Bit 0 of a byte is where its first element begins: the lowest one, or the highest one where
 * elements are packed high bits first. */

/* The first bits of a byte, to bit `first` and on. */
static unsigned moved_on(unsigned bits, int64_t first, bool high) {
  return high ? bits >> first : bits << first;
}

/* `count` of the first bits, to bit `first` and on; the others may be written meanwhile. */
static void put_bits(uint8_t *byte, int64_t first, int64_t count, unsigned bits, bool high) {
  const unsigned mask = moved_on(rlt_packed_used(count, high), first, high);
  uint8_t found = __atomic_load_n(byte, __ATOMIC_RELAXED);
  uint8_t merged;
  do {
    merged = (uint8_t)((found & ~mask) | (moved_on(bits, first, high) & mask));
  } while (
      !__atomic_compare_exchange_n(byte, &found, merged, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

/* The eight bits from bit `first` of a byte on. */
static unsigned bits_at(const uint8_t *byte, int64_t first, bool high) {
  return (high ? ((unsigned)byte[0] << 8 | byte[1]) >> (8 - first)
               : (byte[0] | (unsigned)byte[1] << 8) >> first) &
         0xff;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/* Eight bytes from bit `first` on, of as many and one behind them. */
static uint64_t eight_at(const uint8_t *from, int64_t first, bool high) {
  uint64_t eight;
  memcpy(&eight, from, sizeof eight);
  if (high) {
    return __builtin_bswap64(__builtin_bswap64(eight) << first | from[8] >> (8 - first));
  }
  return eight >> first | (uint64_t)from[8] << (64 - first);
}
#endif

/* From bit `first` on. */
static void put_bytes(const uint8_t *restrict from, int64_t first, uint8_t *restrict to,
                      int64_t count, bool high) {
  if (first == 0) {
    memcpy(to, from, (size_t)count);
    return;
  }
  int64_t i = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  for (; i + 8 <= count; i += 8) {
    const uint64_t eight = eight_at(from + i, first, high);
    memcpy(to + i, &eight, sizeof eight);
  }
#endif
  for (; i < count; ++i) {
    to[i] = (uint8_t)bits_at(from + i, first, high);
  }
}

/* `count` bits from bit `from_bit` of `from` on, to bit `to_bit` of `to` and on. Bytes that get
 * some bits only are changed atomically. A byte behind the last one wanted may be read. */
static void merge(const uint8_t *from, int64_t from_bit, uint8_t *to, int64_t to_bit, int64_t count,
                  bool high) {
  const int64_t before = rlt_min(-to_bit & 7, count);
  uint8_t *const start = to + to_bit / 8;
  if (before > 0) {
    put_bits(start, to_bit % 8, before, bits_at(from + from_bit / 8, from_bit % 8, high), high);
  }
  const int64_t next = from_bit + before, whole = (count - before) / 8;
  const uint8_t *const rest = from + next / 8;
  put_bytes(rest, next % 8, start + (before > 0), whole, high);
  const int64_t behind = (count - before) % 8;
  if (behind > 0) {
    put_bits(start + (before > 0) + whole, 0, behind, bits_at(rest + whole, next % 8, high), high);
  }
}

void rlt_cpu_merge_elements(const rlt_problem *problem, const uint8_t *bits, uint8_t *destination,
                            int64_t position, int64_t count) {
  const int64_t width = problem->destination_packed, in_byte = 8 / width;
  const bool high = problem->destination_high;
  merge(bits, 0, destination + position / in_byte, position % in_byte * width, count * width, high);
  const int64_t end = position + count;
  if (end == problem->destination_elements && end % in_byte != 0) {
    const int64_t used = end % in_byte * width;
    put_bits(destination + end / in_byte, used, 8 - used, 0, high);
  }
}

/* ---- Segments ---- */

enum { LINE_BYTES = RLT_CPU_LINE_BYTES, LINE_BITS = 8 * LINE_BYTES };

/* A segment as its lines in the destination, the first of which holds the bits that waited too. */
typedef struct begun {
  uint8_t *lines;
  uint8_t *to;
  int64_t first, end; /* bits that are there */
} begun;

/* Puts `elements` that go to `position` behind what the last tile left of their line; `at` is where
 * the whole destination begins. */
static begun begin(const rlt_problem *problem, const uint8_t *encoded, uint8_t *at,
                   int64_t position, int64_t elements, rlt_cpu_partial_lines *partial,
                   int64_t number, uint8_t *lines) {
  const bool high = problem->destination_high;
  const int64_t bits = problem->destination_packed, in_byte = 8 / bits, count = elements * bits;
  at += position / in_byte;
  const int64_t in_line = (int64_t)((uintptr_t)at % LINE_BYTES);
  const int64_t first = 8 * in_line + position % in_byte * bits;
  begun made = {.lines = lines, .to = at - in_line, .first = first, .end = first + count};
  if (partial->held[number] > 0) {
    memcpy(lines, partial->lines[number], LINE_BYTES);
    made.first = partial->since[number];
    partial->held[number] = 0;
  }
  uint8_t *to = lines + first / 8;
  const int64_t inside = first % 8, left = inside > 0 ? 8 - inside : 0;
  if (inside > 0) {
    *to = (uint8_t)((*to & rlt_packed_used(inside, high)) | moved_on(encoded[0], inside, high));
    ++to;
  }
  put_bytes(encoded, left, to, rlt_divide_up(rlt_max(count - left, 0), 8), high);
  if (position + elements == problem->destination_elements && made.end % 8 > 0) {
    lines[made.end / 8] &= rlt_packed_used(made.end % 8, high);
    made.end = rlt_divide_up(made.end, 8) * 8;
  }
  return made;
}

/* Whole lines leave; so does the rest, bit by bit, if no tile goes on with it. */
static void leave(const rlt_cpu_executable *made, const begun *segment,
                  rlt_cpu_partial_lines *partial, int64_t number) {
  const bool high = made->problem->destination_high;
  int64_t first = segment->first;
  int64_t lines = segment->end / LINE_BITS;
  int64_t done = 0;
  if (lines > 0 && first > 0) {
    merge(segment->lines, first, segment->to, first, LINE_BITS - first, high);
    first = 0;
    done = LINE_BYTES;
    --lines;
  }
  rlt_cpu_codec_stream_lines(made->codec, segment->lines + done, segment->to + done, lines);
  done += lines * LINE_BYTES;
  const int64_t rest = segment->end - 8 * done;
  if (rest > first && partial->goes_on) {
    memcpy(partial->lines[number], segment->lines + done, LINE_BYTES);
    partial->since[number] = (uint16_t)first;
    partial->held[number] = 1;
  } else if (rest > first) {
    merge(segment->lines + done, first, segment->to + done, first, rest - first, high);
  }
}

/* A few at a time: what has just been stored could not be loaded at once as lines. These have room:
 * packed, a tile takes half of its tile buffer at most, and a segment begins and ends
 * anywhere in a line. */
void rlt_cpu_merge_segments(const rlt_cpu_executable *made, const rlt_cpu_tile *tile,
                            const uint8_t *encoded, rlt_cpu_partial_lines *partial,
                            const uint8_t *next, uint8_t *lines) {
  enum { MOST = 64 };
  _Static_assert(RLT_CPU_TILE_BUFFER_BYTES / 2 + 3 * MOST * LINE_BYTES <= RLT_CPU_UNPACKED_BYTES,
                 "room");
  begun some[MOST];
  int64_t numbers[MOST];
  const rlt_cpu_frame *const frame = &made->frame;
  const rlt_tile_steps has = rlt_cpu_steps(frame, tile->at->columns, tile->at->rows);
  const int64_t elements = rlt_run_elements(&frame->tile_buffer.segment, has);
  uint8_t *const start = tile->destination - tile->at->destination * frame->destination_bits / 8;
  const int64_t all = frame->tile_buffer.segment_count;
  const int64_t bytes = rlt_divide_up(elements * frame->destination_bits, 8);
  const int64_t pitch = (rlt_divide_up(bytes, LINE_BYTES) + 2) * LINE_BYTES;
  rlt_cpu_prefetching ahead = rlt_cpu_prefetching_of(frame, next, all);
  for (int64_t s = 0; s < all;) {
    int64_t count = 0;
    for (; s < all && count < MOST; ++s) {
      const rlt_tile_run *const segment = &frame->segments[s];
      if (rlt_tile_has_run(has, segment)) {
        numbers[count] = partial->first + s;
        some[count] = begin(made->problem, encoded + s * frame->segment_pitch, start,
                            tile->at->destination + segment->start, elements, partial,
                            numbers[count], lines + count * pitch);
        ++count;
      }
    }
    for (int64_t i = 0; i < count; ++i) {
      leave(made, &some[i], partial, numbers[i]);
      rlt_cpu_fetch_some(&ahead, ahead.pace, frame->fetch_level);
    }
  }
}
