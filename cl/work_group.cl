/* work_group.cl: how kernels whose work-groups share a tile touch memory. Follows tile.cl and
 * element.cl.
 *
 * A GPU moves whole lines when work-items side by side touch what lies side by side. Each takes
 *
 *     a piece   16 bytes, where base and strides show that all of a tile's pieces are aligned
 *     a unit    one word; of words of 1 or 2 bytes 4 bytes
 *
 * A unit of the source may begin anywhere: where that is within 4 aligned bytes, it is put together
 * from two such. A unit of the destination is aligned in memory, wherever in its run that is, and
 * the few words at a run's ends that make none are stored one by one:
 *
 *     a run from byte 2 on, of bytes      . . a b|c d e f|g h i j|k l . .
 *     in units, and words at the ends         w w|   1   |   2   |w w
 *
 * Where elements change on their way, units of the source, of local memory and of the destination
 * have different numbers of them. Elements are unpacked and converted before they go to local
 * memory, which has words of the destination, and are packed when they are stored from there:
 *
 *     4 bits to 16     a b c d e f g h|  a source unit of 8 elements
 *                      a . b .|c . d .|e . f .|g . h .|  4 units of 2
 *
 * What is done for an element is inlined before PoCL makes loops of work-items, which it vectorises
 * wrongly where calls are left in them.
 */

/* Words of a unit and of a piece. */
#define PIECE (16 / WORD_BYTES)
#if WORD_BYTES < 4
#define UNIT (4 / WORD_BYTES)
typedef uint unit;
#else
#define UNIT 1
typedef word unit;
#endif
#define UNITS_PER_PIECE (PIECE / UNIT)

/* Behind what a loop holds and writes under a condition alone. PoCL looks for what writes it first,
 * and 7.1 crashes where there is nothing. */
#if NATIVE
#define NOTHING_YET = {0}
#else
#define NOTHING_YET
#endif

/* Elements of a unit of the source, */
#if SOURCE_BITS
#define SOURCE_UNIT (32 / SOURCE_BITS)
typedef uint source_unit;
#elif SOURCE_BYTES < 4
#define SOURCE_UNIT (4 / SOURCE_BYTES)
typedef uint source_unit;
#else
#define SOURCE_UNIT 1
typedef source_word source_unit;
#endif
#define SOURCE_UNIT_SHIFT                                                                          \
  (SOURCE_UNIT == 32   ? 5                                                                         \
   : SOURCE_UNIT == 16 ? 4                                                                         \
   : SOURCE_UNIT == 8  ? 3                                                                         \
   : SOURCE_UNIT == 4  ? 2                                                                         \
                       : SOURCE_UNIT - 1)
#define SOURCE_PIECE (SOURCE_BYTES < 4 ? 4 * SOURCE_UNIT : 16 / SOURCE_BYTES)

/* and of the destination; and how many bits an element takes there. */
#define DESTINATION_UNIT         (UNIT * IN_DESTINATION_BYTE)
#define DESTINATION_ELEMENT_BITS (8 * WORD_BYTES / IN_DESTINATION_BYTE)

/* How many work-items Intel's compilers put side by side. Left to themselves they take 32 for some
 * kernels, where each has half of the registers and arrays are kept in memory, and 8 for others. */
#ifdef cl_intel_required_subgroup_size
#define SUB_GROUP __attribute__((intel_reqd_sub_group_size(16)))
#else
#define SUB_GROUP
#endif

/* Which of the group's work-items this is. That it is less than GROUP, a power of two, lets
 * compilers work out most of what follows from it. */
ALWAYS_INLINE static uint local_id(void) {
  return (uint)get_local_id(0) & (GROUP - 1);
}

/* Elements whose ends are left to a loop are few. */
#define ONE_BY_ONE _Pragma("unroll 1")

/* How often each of the group's work-items takes one of `count` things that they share. */
#define ROUNDS(count) (((count) + GROUP - 1) / GROUP)

/* Work-items side by side along runs that have `count` things each, a power of two: each of them
 * has the same ones of every run that it comes to, and these runs are so far apart. */
#define ALONG(count) ((count) < GROUP ? (count) : GROUP)
#define APART(count) (GROUP / ALONG(count))

/* ---- Words of a unit, units of a piece ---- */

/* Of several words in a number the first has its lowest bits, whatever the device's own order is:
 * so a number of words of so many bytes is kept and found in memory. */
#ifdef __ENDIAN_LITTLE__
#define AS_IN_MEMORY(bytes, number) (number)
#else
#define AS_IN_MEMORY(bytes, number)                                                                \
  ((bytes) == 1 ? as_uint(as_uchar4(number).wzyx) : as_uint(as_ushort2(number).yx))
#endif
#if UNIT > 1
#define UNIT_IN_MEMORY(value) AS_IN_MEMORY(WORD_BYTES, value)
#else
#define UNIT_IN_MEMORY(value) (value)
#endif

/* The unit with one more of its words. */
ALWAYS_INLINE static unit with_word(unit others, uint number, word value) {
#if UNIT == 1
  return value;
#else
  return others | (uint)value << 8 * WORD_BYTES * number;
#endif
}

ALWAYS_INLINE static unit unit_of_equal(word value) {
  unit made = (unit)(0);
#pragma unroll
  for (uint k = 0; k < UNIT; ++k) {
    made = with_word(made, k, value);
  }
  return made;
}

/* The unit's first words, `count` of them, or none below 0, and behind them those of another. */
ALWAYS_INLINE static unit first_words(unit of, int count, unit behind) {
#if UNIT == 1
  return count > 0 ? of : behind;
#else
  const uint kept = count >= UNIT ? ~0u : count > 0 ? (1u << 8 * WORD_BYTES * count) - 1 : 0;
  return (of & kept) | (behind & ~kept);
#endif
}

/* What begins `bits` behind the start of `first`, of two units side by side; fewer than 32. By two
 * shifts, as not all devices shift numbers of 64 bits at once. */
ALWAYS_INLINE static uint joined(uint first, uint second, uint bits) {
  return first >> bits | second << 1 << (31 - bits);
}

/* What begins `bits` before the start of `second`. */
ALWAYS_INLINE static uint joined_before(uint first, uint second, uint bits) {
  return first >> 1 >> (31 - bits) | second << bits;
}

ALWAYS_INLINE static unit unit_of_piece(uint4 value, uint number) {
#if WORD_BYTES <= 4
  return UNIT_IN_MEMORY(number == 0   ? value.x
                        : number == 1 ? value.y
                        : number == 2 ? value.z
                                      : value.w);
#elif WORD_BYTES == 8
  const ulong2 units = as_ulong2(value);
  return number == 0 ? units.x : units.y;
#else
  return value;
#endif
}

/* That a piece is a shuffle of two halves keeps Oclgrind from taking it for half initialized. */
ALWAYS_INLINE static uint4 piece_of(const unit *units) {
#if WORD_BYTES <= 4
  const uint4 first = (uint4)(UNIT_IN_MEMORY(units[0]), UNIT_IN_MEMORY(units[1]), 0, 0);
  const uint4 second = (uint4)(0, 0, UNIT_IN_MEMORY(units[2]), UNIT_IN_MEMORY(units[3]));
#if CPP
  return (uint4)(first.x, first.y, second.z, second.w);
#else
  return (uint4)(first.xy, second.zw);
#endif
#elif WORD_BYTES == 8
  const uint4 first = as_uint4((ulong2)(units[0], units[0]));
  const uint4 second = as_uint4((ulong2)(units[1], units[1]));
#if CPP
  return (uint4)(first.x, first.y, second.z, second.w);
#else
  return (uint4)(first.xy, second.zw);
#endif
#else
  return units[0];
#endif
}

#if UNIT > 1
/* Of values: of an array's elements compilers select addresses, and keep it in memory. */
ALWAYS_INLINE static unit one_of(unit where_none, unit where_some, uint set) {
  return set != 0 ? where_some : where_none;
}

/* What begins `bits` behind the start of `first`, of two pieces side by side; fewer than 128. Units
 * are selected, then those next to each other joined. */
ALWAYS_INLINE static uint4 joined_pieces(uint4 first, uint4 second, uint bits) {
  unit found[2 * UNITS_PER_PIECE];
#pragma unroll
  for (uint u = 0; u < UNITS_PER_PIECE; ++u) {
    found[u] = unit_of_piece(first, u);
    found[UNITS_PER_PIECE + u] = unit_of_piece(second, u);
  }
#pragma unroll
  for (uint u = 0; u < UNITS_PER_PIECE + 2; ++u) {
    found[u] = one_of(found[u], found[u + 2], bits & 64);
  }
#pragma unroll
  for (uint u = 0; u < UNITS_PER_PIECE + 1; ++u) {
    found[u] = one_of(found[u], found[u + 1], bits & 32);
  }
#pragma unroll
  for (uint u = 0; u < UNITS_PER_PIECE; ++u) {
    found[u] = joined(found[u], found[u + 1], bits & 31);
  }
  return piece_of(found);
}

/* A piece's first words, `count` of them, or none below 0, and fills behind them. */
ALWAYS_INLINE static uint4 first_of_piece(uint4 of, int count, unit fills) {
  unit made[UNITS_PER_PIECE];
#pragma unroll
  for (uint u = 0; u < UNITS_PER_PIECE; ++u) {
    made[u] = first_words(unit_of_piece(of, u), count - (int)(u * UNIT), fills);
  }
  return piece_of(made);
}
#endif

/* ---- The source ---- */

/* A tile's first element, and how far from it the problem's first and last ones are: what lies
 * between may be loaded, whether it is an element or not. */
typedef struct source_tile {
  place from;
  offset first;
  offset end;
  bool is_inside; /* all units that have elements of it lie between these */
} source_tile;

ALWAYS_INLINE static source_tile source_tile_at(const place start, const tile t,
                                                __constant const kernel_grid *grid) {
  const source_tile found = {onward(start, (long)t.source),
                             (offset)max(grid->source_first - (long)t.source, -(long)FARTHEST),
                             (offset)min(grid->source_end - (long)t.source, (long)FARTHEST), false};
  return found;
}

/* Whether all units lie between these that have elements of the tile, the lowest of which, and what
 * is behind the highest, are so far from its first. */
ALWAYS_INLINE static bool lies_inside(const source_tile of, offset lowest, offset end) {
  return lowest - SOURCE_UNIT >= of.first && end + 2 * SOURCE_UNIT <= of.end;
}

/* Elements before this one since the last multiple of `bytes` in memory. */
ALWAYS_INLINE static uint elements_into(const place at, uint bytes) {
  return ((uint)(uintptr_t)word_at(at) & (bytes - 1)) / SOURCE_BYTES * IN_SOURCE_BYTE +
         ((uint)at.number & (IN_SOURCE_BYTE - 1));
}

ALWAYS_INLINE static bool on_source_piece(const place at) {
  return elements_into(at, 16) == 0;
}

ALWAYS_INLINE static uint4 load_piece(const place from) {
  return reversed_piece(*(__global const uint4 *)word_at(from));
}

/* Of a piece. */
ALWAYS_INLINE static source_unit source_unit_of(source_unit loaded) {
#if SOURCE_UNIT > 1
  return AS_IN_MEMORY(SOURCE_BYTES, loaded);
#else
  return loaded;
#endif
}

ALWAYS_INLINE static source_unit load_aligned(__global const source_unit *at) {
#if SOURCE_UNIT > 1
  return source_unit_of(reversed_uint(*at));
#else
  return reversed_word(*at);
#endif
}

ALWAYS_INLINE static source_unit load_unit(const place from) {
  return load_aligned((__global const source_unit *)word_at(from));
}

/* Where a unit of the source lies: the aligned one that it begins in, and how many elements of that
 * come before it. */
typedef struct loose_place {
  __global const source_unit *front;
  uint into;
} loose_place;

ALWAYS_INLINE static loose_place loose_at(const place from) {
#if SOURCE_UNIT == 1
  const loose_place found = {word_at(from), 0};
#else
  const uint into = elements_into(from, 4);
  const loose_place found = {(__global const uint *)((__global const uchar *)word_at(from) -
                                                     into / IN_SOURCE_BYTE * SOURCE_BYTES),
                             into};
#endif
  return found;
}

/* So many elements farther on. Where these are whole units, as compilers see, only the place of the
 * aligned one changes. */
ALWAYS_INLINE static loose_place loose_onward(loose_place at, long elements) {
  const long from_front = elements + (long)at.into;
  at.into = (uint)from_front & (SOURCE_UNIT - 1);
  at.front += from_front >> SOURCE_UNIT_SHIFT;
  return at;
}

/* What a unit of the source is put together from, so that a work-item can load for several before
 * it waits for the first: two units in which it lies, and how many bits of them before it. */
typedef struct loose_unit {
  source_unit front;
#if SOURCE_UNIT > 1
  uint behind;
  uint bits;
#endif
} loose_unit;

/* The second of these only where it is wanted. To say always so costs less than to ask, where many
 * follow each other. */
ALWAYS_INLINE static loose_unit load_loose_at(const loose_place at, bool wants_behind) {
  loose_unit loaded;
  loaded.front = load_aligned(at.front);
#if SOURCE_UNIT > 1
  loaded.bits = at.into * (32 / SOURCE_UNIT);
  loaded.behind = 0;
  if (wants_behind) {
    loaded.behind = load_aligned(at.front + 1);
  }
#endif
  return loaded;
}

/* The unit from this element on, of which the first `count` are wanted: at a tile's end perhaps
 * only these lie in the source. */
ALWAYS_INLINE static loose_unit load_loose(const source_tile source, offset at, uint count) {
  const place from = onward(source.from, at);
#if SOURCE_UNIT == 1
  return load_loose_at(loose_at(from), false);
#else
  const loose_place found = loose_at(from);
  const offset first = at - (offset)found.into;
  if (source.is_inside || (first >= source.first && first + 2 * SOURCE_UNIT <= source.end)) {
    return load_loose_at(found, found.into + min(count, (uint)SOURCE_UNIT) > SOURCE_UNIT);
  }
  loose_unit loaded = {0, 0, 0};
  ONE_BY_ONE
  for (uint k = 0; k < SOURCE_UNIT && k < count; ++k) {
    loaded.front |= (uint)source_element(onward(from, k)) << k * (32 / SOURCE_UNIT);
  }
  return loaded;
#endif
}

ALWAYS_INLINE static loose_unit nothing_loaded(void) {
  loose_unit none;
  none.front = (source_unit)(0);
#if SOURCE_UNIT > 1
  none.behind = 0;
  none.bits = 0;
#endif
  return none;
}

ALWAYS_INLINE static source_unit unit_of_loose(const loose_unit loaded) {
#if SOURCE_UNIT == 1
  return loaded.front;
#else
  return joined(loaded.front, loaded.behind, loaded.bits);
#endif
}

/* ---- What becomes of an element ---- */

ALWAYS_INLINE static source_word element_of_unit(source_unit value, uint number) {
#if SOURCE_BITS
  return (source_word)(value >> number * SOURCE_BITS & SOURCE_ONES);
#elif SOURCE_BYTES < 4
  return (source_word)(value >> 8 * SOURCE_BYTES * number);
#else
  return value;
#endif
}

/* What an element of a source's unit becomes, */
ALWAYS_INLINE static word converted_word(source_unit loaded, uint number, const place from) {
  return converted(element_of_unit(loaded, number), from);
}

/* and a unit of them, from this one on. */
ALWAYS_INLINE static unit converted_unit(source_unit loaded, uint first, const place from) {
#if !CHANGES
  return loaded;
#else
  unit made = (unit)(0);
#pragma unroll
  for (uint k = 0; k < UNIT; ++k) {
    made = with_word(made, k, converted_word(loaded, first + k, from));
  }
  return made;
#endif
}

/* ---- Rows of the destination ---- */

/* How far on a word lies that is so many elements farther on. */
ALWAYS_INLINE static offset stored_offset(offset elements) {
  return elements / IN_DESTINATION_BYTE;
}

static bool on_piece(__global const word *at) {
  return ((uintptr_t)at & 15) == 0;
}

/* Elements before the first one of a row in the unit that has it. */
ALWAYS_INLINE static uint stored_into_unit(__global const word *row) {
  return UNIT == 1 ? 0 : (uint)((uintptr_t)row & 3) / WORD_BYTES * IN_DESTINATION_BYTE;
}

/* The column at which this unit of a row begins, and whether all of the unit is in the row. Before
 * the row's first one it comes round at 0, and is no column. */
ALWAYS_INLINE static uint column_of_unit(__global const word *row, uint number) {
  return number * DESTINATION_UNIT - stored_into_unit(row);
}

ALWAYS_INLINE static bool is_whole(uint column, uint elements, uint length) {
  return column < length && column + elements <= length;
}

ALWAYS_INLINE static void store_unit(unit value, __global word *to) {
  *(__global unit *)to = UNIT_IN_MEMORY(value);
}

ALWAYS_INLINE static void store_piece(const unit *units, __global word *to) {
  *(__global uint4 *)to = piece_of(units);
}

/* The word with one more of its elements. */
ALWAYS_INLINE static word with_element(word others, uint number, word value) {
#if DESTINATION_BITS
  return (word)(others | (value & DESTINATION_ONES) << BITS_BELOW(number));
#else
  return value;
#endif
}

/* ---- The ends of runs of the destination ----
 *
 * What is in no whole unit of a run is stored word by word. */

/* Whether some of so many runs, one stride from the next, have such words. */
ALWAYS_INLINE static bool have_ends(__global const word *run, offset stride, uint length) {
  return DESTINATION_UNIT > 1 &&
         (stored_into_unit(run) > 0 || stride % UNIT != 0 || length % DESTINATION_UNIT != 0);
}

/* How many they are at most; where a run has the length of whole units, those at its two ends make
 * up one. */
#define MOST_ENDS (2 * UNIT)

ALWAYS_INLINE static uint ends_of(uint length) {
  return length % DESTINATION_UNIT == 0 ? UNIT : MOST_ENDS;
}

/* Where the one of this number begins; no less than the length where there are not as many. */
ALWAYS_INLINE static uint end_column(__global const word *run, uint length, uint number) {
  const uint head = min((DESTINATION_UNIT - stored_into_unit(run)) % DESTINATION_UNIT, length);
  const uint column = number * IN_DESTINATION_BYTE;
  return column < head ? column : column + (length - head) / DESTINATION_UNIT * DESTINATION_UNIT;
}

/* ---- The ends of runs that go by pieces ---- */

ALWAYS_INLINE static uint into_piece(__global const word *run) {
  return ((uint)(uintptr_t)run & 15) / WORD_BYTES;
}

/* What is in no whole piece, a unit's worth of words each: of a run's first piece, then of its last
 * one. */
#define PIECE_ENDS (2 * UNITS_PER_PIECE)

/* Where the one of this number begins, perhaps before the run, coming round at 0: only those of its
 * words are meant that are in the run. No less than the length where none is. */
ALWAYS_INLINE static uint piece_end_column(__global const word *run, uint length, uint number) {
  const uint into = into_piece(run);
  const uint last = (into + length) / PIECE;
  const bool is_first = number < UNITS_PER_PIECE;
  const bool is_one = last == 0 && into > 0; /* the last piece is the first one */
  const uint column = (is_first ? 0 : last * PIECE) + number % UNITS_PER_PIECE * UNIT - into;
  return (is_first ? into == 0 : is_one) ? length : column;
}

/* ---- Runs that a group's work-items share ---- */

/* A work-item's place among the parts of the runs, of which each run has so many; 2^shift
 * work-items share one. All go from part to part and from run to run at the same time. */
typedef struct part {
  uint run;
  uint number;
} part;

/* The one of this number, counted through all runs. Oclgrind does not know what clang makes of a
 * division and a remainder of the same numbers. */
ALWAYS_INLINE static part part_of(uint number, uint numbers) {
  const uint run = number / numbers;
  const part found = {run, number - run * numbers};
  return found;
}

ALWAYS_INLINE static part first_part(uint shift) {
  const part first = {local_id() >> shift, local_id() & ((1u << shift) - 1)};
  return first;
}

ALWAYS_INLINE static part next_part(part at, uint shift, uint numbers) {
  const uint first = local_id() & ((1u << shift) - 1);
  part next = {at.run, at.number + (1u << shift)};
  if (next.number - first >= numbers) {
    next.number = first;
    next.run += GROUP >> shift;
  }
  return next;
}
