/* staged.cl: how the kernels for GPUs touch memory. Follows tile.cl and element.cl.
 *
 * A GPU moves whole lines when work-items side by side touch what lies side by side. Each takes
 *
 *     a piece   16 bytes, where base and strides show that all of a tile's pieces are aligned
 *     a unit    one word; of words of 1 or 2 bytes 4 bytes, aligned wherever their run begins
 *
 * and only the ends of a run word by word:
 *
 *     a run from byte 2 on, of bytes      . . a b|c d e f|g h i j|k l . .
 *     in units                               0  |   1   |   2   |  0        the ends are one
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

/* Elements of those of the source, */
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
#define UNITS_PER_SOURCE_PIECE (SOURCE_BYTES < 4 ? 4 : 16 / SOURCE_BYTES)
#define SOURCE_PIECE           (SOURCE_UNIT * UNITS_PER_SOURCE_PIECE)

/* and of the destination. */
#define DESTINATION_UNIT  (UNIT * IN_DESTINATION_BYTE)
#define DESTINATION_PIECE (PIECE * IN_DESTINATION_BYTE)

/* What neighbours touch together, a line of 128 bytes: its words and elements. */
#define LINE_WORDS       (8 * PIECE)
#define SOURCE_LINE      (8 * SOURCE_PIECE)
#define DESTINATION_LINE (8 * DESTINATION_PIECE)

/* Of `count` loads that the group's work-items share, how many each has under way before it uses
 * the first: at most `most`. */
#define HELD(most, count)                                                                          \
  ((count) / GROUP < 1 ? 1 : (count) / GROUP < (most) ? (count) / GROUP : (most))

/* Elements whose change is long code, and takes registers, are few at once. */
#if CHANGES
#define MOST_ELEMENTS (CONVERTS ? 8 : 32)
#define FEW_AT_ONCE   _Pragma("unroll 1")
#else
#define MOST_ELEMENTS 64
#define FEW_AT_ONCE   _Pragma("unroll")
#endif
#define AT_ONCE(most, elements)                                                                    \
  (MOST_ELEMENTS < 2 * (elements)        ? 1                                                       \
   : MOST_ELEMENTS < (most) * (elements) ? MOST_ELEMENTS / (elements)                              \
                                         : (most))
#define MOST_UNITS  AT_ONCE(8, SOURCE_UNIT)
#define MOST_PIECES AT_ONCE(4, SOURCE_PIECE)
#define ONE_BY_ONE  _Pragma("unroll 1")

/* Whether all of a unit or piece lies in a run of `length` elements. It may begin before the run
 * does: its first element's number comes round at 0. */
ALWAYS_INLINE static bool is_whole(uint start, uint elements, uint length) {
  return start < length && start + elements <= length;
}

/* ---- Words of a unit, units of a piece ---- */

/* How far up in a number the one lies that is so far on in memory, of some side by side. */
#ifdef __ENDIAN_LITTLE__
#define UP(number, count) (number)
#else
#define UP(number, count) ((count)-1 - (number))
#endif

/* The unit with one more of its words. */
ALWAYS_INLINE static unit with_word(unit others, uint number, word value) {
#if UNIT == 1
  return value;
#else
  return others | (uint)value << 8 * WORD_BYTES * UP(number, UNIT);
#endif
}

ALWAYS_INLINE static source_unit unit_of_piece(uint4 value, uint number) {
#if SOURCE_BYTES <= 4
  return number == 0 ? value.x : number == 1 ? value.y : number == 2 ? value.z : value.w;
#elif SOURCE_BYTES == 8
  const ulong2 units = as_ulong2(value);
  return number == 0 ? units.x : units.y;
#else
  return value;
#endif
}

/* That a piece is a shuffle of two halves keeps Oclgrind from taking it for half initialized. */
ALWAYS_INLINE static uint4 piece_of(const unit *units) {
#if WORD_BYTES <= 4
  const uint4 first = (uint4)(units[0], units[1], 0, 0);
  const uint4 second = (uint4)(0, 0, units[2], units[3]);
  return (uint4)(first.xy, second.zw);
#elif WORD_BYTES == 8
  const uint4 first = as_uint4((ulong2)(units[0], units[0]));
  const uint4 second = as_uint4((ulong2)(units[1], units[1]));
  return (uint4)(first.xy, second.zw);
#else
  return units[0];
#endif
}

/* As vectors of its words a unit of local memory may alias them. */
#if WORD_BYTES == 1
#define AS_WORDS(value) as_uchar4(value)
#define AS_UNIT(words)  as_uint(words)
typedef uchar4 unit_words;
#elif WORD_BYTES == 2
#define AS_WORDS(value) as_ushort2(value)
#define AS_UNIT(words)  as_uint(words)
typedef ushort2 unit_words;
#else
#define AS_WORDS(value) (value)
#define AS_UNIT(words)  (words)
typedef word unit_words;
#endif

ALWAYS_INLINE static void stage_unit(unit value, __local word *to) {
  *(__local unit_words *)to = AS_WORDS(value);
}

ALWAYS_INLINE static unit staged_unit(__local const word *from) {
  return AS_UNIT(*(__local const unit_words *)from);
}

/* ---- The source ---- */

/* Elements before this one since the last multiple of `bytes` in memory. */
ALWAYS_INLINE static uint elements_into(const place at, uint bytes) {
  return ((uint)(uintptr_t)word_at(at) & (bytes - 1)) / SOURCE_BYTES * IN_SOURCE_BYTE +
         ((uint)at.number & (IN_SOURCE_BYTE - 1));
}

/* How many elements lie between the start of the unit, or line, that has a run's first one and
 * that. */
ALWAYS_INLINE static uint elements_into_unit(const place at) {
  return SOURCE_UNIT == 1 ? 0 : elements_into(at, 4);
}

ALWAYS_INLINE static uint elements_into_line(const place at) {
  return elements_into(at, 128);
}

ALWAYS_INLINE static bool on_source_piece(const place at) {
  return elements_into(at, 16) == 0;
}

ALWAYS_INLINE static source_unit load_unit(const place from) {
  return *(__global const source_unit *)word_at(from);
}

/* A piece, or a unit alone. */
typedef struct loaded_part {
  uint4 piece;
  source_unit unit;
} loaded_part;

ALWAYS_INLINE static loaded_part load_part(const place from, bool is_piece) {
  loaded_part loaded;
  if (is_piece) {
    loaded.piece = *(__global const uint4 *)word_at(from);
  } else {
    loaded.unit = load_unit(from);
  }
  return loaded;
}

ALWAYS_INLINE static source_unit unit_of_part(const loaded_part of, uint number, bool is_piece) {
  return is_piece ? unit_of_piece(of.piece, number) : of.unit;
}

ALWAYS_INLINE static source_word element_of_unit(source_unit value, uint number) {
#if SOURCE_BITS
  const uint byte = value >> 8 * UP(number / IN_SOURCE_BYTE, 4);
  return (source_word)(byte >> number % IN_SOURCE_BYTE * SOURCE_BITS & SOURCE_ONES);
#elif SOURCE_BYTES < 4
  return (source_word)(value >> 8 * SOURCE_BYTES * UP(number, SOURCE_UNIT));
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
  unit made = (unit)(0);
#pragma unroll
  for (uint k = 0; k < UNIT; ++k) {
    made = with_word(made, k, converted_word(loaded, first + k, from));
  }
  return made;
}

/* ---- The destination ---- */

/* How far on a word lies that is so many elements farther on. */
ALWAYS_INLINE static offset stored_offset(offset elements) {
  return elements / IN_DESTINATION_BYTE;
}

static bool on_piece(__global const word *at) {
  return ((uintptr_t)at & 15) == 0;
}

/* As for the source. */
ALWAYS_INLINE static uint stored_into_unit(__global const word *at) {
  return UNIT == 1 ? 0 : (uint)((uintptr_t)at & 3) / WORD_BYTES * IN_DESTINATION_BYTE;
}

ALWAYS_INLINE static uint stored_into_line(__global const word *at) {
  return (uint)((uintptr_t)at & 127) / WORD_BYTES * IN_DESTINATION_BYTE;
}

static void store_unit(unit value, __global word *to) {
  *(__global unit *)to = value;
}

ALWAYS_INLINE static void store_piece(const unit *units, __global word *to) {
  *(__global uint4 *)to = piece_of(units);
}

/* The word with one more of its elements. */
ALWAYS_INLINE static word with_element(word others, uint number, word value) {
#if DESTINATION_BITS
  return (word)(others | (value & DESTINATION_ONES) << number * DESTINATION_BITS);
#else
  return value;
#endif
}

/* ---- Runs in local memory ---- */

/* A unit is left out behind each line of a run, so that words a power of two apart are in different
 * banks. */
ALWAYS_INLINE static uint staged_place(uint index) {
  return index + index / LINE_WORDS * UNIT;
}

/* A work-item's place among the parts of the runs, units or pieces, of which each run has so many;
 * 2^shift work-items share one. All go from part to part and from run to run at the same time. */
typedef struct part {
  uint run;
  uint number;
} part;

ALWAYS_INLINE static part first_part(uint shift) {
  const part first = {(uint)get_local_id(0) >> shift, (uint)get_local_id(0) & ((1u << shift) - 1)};
  return first;
}

ALWAYS_INLINE static part next_part(part at, uint shift, uint numbers) {
  const uint first = (uint)get_local_id(0) & ((1u << shift) - 1);
  part next = {at.run, at.number + (1u << shift)};
  if (next.number - first >= numbers) {
    next.number = first;
    next.run += GROUP >> shift;
  }
  return next;
}

/* A run of the source: element i of it goes to staged_place(first + i). */
typedef struct source_run {
  place from;
  __local word *to;
  uint first;
  uint length;
} source_run;

/* A unit or piece that begins with element `start` of its run; below 0, which is beyond any, where
 * it begins before the run does. */
typedef struct load {
  source_run of;
  uint start;
  loaded_part held;
} load;

ALWAYS_INLINE static uint elements_of_part(bool is_piece) {
  return is_piece ? SOURCE_PIECE : SOURCE_UNIT;
}

ALWAYS_INLINE static load begin_load(const source_run of, uint start, bool is_piece) {
  load begun;
  begun.of = of;
  begun.start = start;
  if (is_whole(start, elements_of_part(is_piece), of.length)) {
    begun.held = load_part(onward(of.from, start), is_piece);
  }
  return begun;
}

/* What a unit of the source becomes, which goes to `index` of a run. */
ALWAYS_INLINE static void stage_in_run(__local word *run, uint index, source_unit loaded,
                                       const place from) {
  if (SOURCE_UNIT % UNIT == 0 && index % UNIT == 0) {
#pragma unroll
    for (uint k = 0; k < SOURCE_UNIT / UNIT * UNIT; k += UNIT) {
      stage_unit(converted_unit(loaded, k, from), run + staged_place(index + k));
    }
    return;
  }
  FEW_AT_ONCE
  for (uint k = 0; k < SOURCE_UNIT; ++k) {
    run[staged_place(index + k)] = converted_word(loaded, k, from);
  }
}

/* Ends of a run go element by element. */
ALWAYS_INLINE static void end_load(const load begun, bool is_piece) {
  const source_run of = begun.of;
  const uint elements = elements_of_part(is_piece);
  if (is_whole(begun.start, elements, of.length)) {
    FEW_AT_ONCE
    for (uint k = 0; k < elements; k += SOURCE_UNIT) {
      stage_in_run(of.to, of.first + begun.start + k,
                   unit_of_part(begun.held, k / SOURCE_UNIT, is_piece), of.from);
    }
    return;
  }
  ONE_BY_ONE
  for (uint start = begun.start; start != begun.start + elements; start += SOURCE_UNIT) {
    FEW_AT_ONCE
    for (uint k = 0; k < SOURCE_UNIT; ++k) {
      const uint i = start + k; /* comes round at 0 */
      if (i < of.length) {
        of.to[staged_place(of.first + i)] = element_at(onward(of.from, i));
      }
    }
  }
}

/* Units that may touch a run of `length` elements, wherever it begins in a unit; those of a long
 * run are numbered from the start of the line that it begins in. */
ALWAYS_INLINE static uint units_of(uint length, uint unit, uint line, bool is_long) {
  return (length + (is_long ? line : unit) - 1 + unit - 1) / unit;
}

/* Where the unit of this number of a run of the source begins. */
ALWAYS_INLINE static uint load_start(const place run, uint number, bool is_long) {
  return number * SOURCE_UNIT - (is_long ? elements_into_line(run) : elements_into_unit(run));
}

/* And of the destination. */
ALWAYS_INLINE static uint store_start(__global const word *run, uint number, bool is_long) {
  return number * DESTINATION_UNIT - (is_long ? stored_into_line(run) : stored_into_unit(run));
}
