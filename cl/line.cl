/* line.cl: lines of 64 bytes, in which the kernels for CPU devices move. Follows tile.cl.
 *
 * A CPU's memory system moves whole lines. A line is loaded from anywhere, and stored past the
 * cache when the destination is too large for it: an ordinary store would read the line first.
 */

typedef uint16 line;

/* The rows of bits.cl. */
typedef line bit_row;
typedef uint bit_word;

/* For loops that seldom run: unrolled and vectorised they only take compilers longer. */
#if defined(__clang__)
#define PLAIN_LOOP _Pragma("clang loop vectorize(disable) unroll(disable)")
#else
#define PLAIN_LOOP
#endif

/* Words of a line. */
#define LINE (64 / WORD_BYTES)

/* A line at any word of an address space. Not by vloadn and vstoren, for which PoCL takes vectors
 * of bytes and halves apart, and moves every word by itself. */
#if defined(__clang__)
typedef line loose_line __attribute__((aligned(WORD_BYTES)));
#define LOAD_LINE(space, from)       (*(space const loose_line *)(from))
#define STORE_LINE(space, value, to) (*(space loose_line *)(to) = (value))
#else
#define LINE_ACCESS(space)                                                                         \
  static line load_in_##space(space const word *from) {                                            \
    line loaded;                                                                                   \
    for (uint i = 0; i < LINE; ++i) {                                                              \
      ((word *)&loaded)[i] = from[i];                                                              \
    }                                                                                              \
    return loaded;                                                                                 \
  }                                                                                                \
  static void store_in_##space(line value, space word *to) {                                       \
    for (uint i = 0; i < LINE; ++i) {                                                              \
      to[i] = ((const word *)&value)[i];                                                           \
    }                                                                                              \
  }
LINE_ACCESS(__global)
LINE_ACCESS(__private)
#define LOAD_LINE(space, from)       load_in_##space(from)
#define STORE_LINE(space, value, to) store_in_##space(value, to)
#endif

static line line_of(word value) {
#if WORD_BYTES == 1
  return (line)(as_uint((uchar4)value));
#elif WORD_BYTES == 2
  return (line)(as_uint((ushort2)value));
#elif WORD_BYTES == 4
  return (line)(value);
#elif WORD_BYTES == 8
  return as_uint16((ulong8)value);
#else
  return (line)(value, value, value, value);
#endif
}

/* Brings the line `bytes` on from there, be it the source's or not, into the second-level cache. */
static void fetch(__global const word *from, long bytes) {
#if NATIVE
  __builtin_prefetch((const void *)((uintptr_t)from + (uintptr_t)bytes), 0, 2);
#endif
}

static bool on_line(__global const word *at) {
  return ((uintptr_t)at & 63) == 0;
}

static void store_line(line value, __global word *to, bool streams) {
#if defined(__has_builtin)
#if __has_builtin(__builtin_nontemporal_store)
  if (streams && on_line(to)) {
    __builtin_nontemporal_store(value, (__global line *)to);
    return;
  }
#endif
#endif
  STORE_LINE(__global, value, to);
}

/* Words from `at`, `count` of them on, to where the next line begins; 0 when one does just
 * there. */
static uint words_to_line(__global const word *at, uint count) {
  return (uint)(-((uintptr_t)(at + count)) & 63) / WORD_BYTES;
}

/* Vectors of words. */
#define NAME_WORDS_1(count)      uchar##count
#define NAME_WORDS_2(count)      ushort##count
#define NAME_WORDS_4(count)      uint##count
#define NAME_WORDS_8(count)      ulong##count
#define NAME_WORDS(bytes, count) NAME_WORDS_##bytes(count)
#define WORDS_OF(bytes, count)   NAME_WORDS(bytes, count)

/* Fewer words than a line: the vectors that make up their number. */
#if WORD_BYTES < 16 && defined(__clang__) /* as for lines */
#define LOOSE(size)                                                                                \
  typedef WORDS_OF(WORD_BYTES, size) loose##size __attribute__((aligned(WORD_BYTES)));
LOOSE(2)
LOOSE(4)
LOOSE(8)
LOOSE(16)
#define MOVE_VECTOR(size, to_space, to, from_space, from)                                          \
  *(to_space loose##size *)(to) = *(from_space const loose##size *)(from)
#else
#define MOVE_VECTOR(size, to_space, to, from_space, from) vstore##size(vload##size(0, from), 0, to)
#endif

#if WORD_BYTES == 16
#define MOVE_FEW(count, to_space, to, from_space, from)                                            \
  PLAIN_LOOP                                                                                       \
  for (uint few = 0; few < (count); ++few) {                                                       \
    to[few] = from[few];                                                                           \
  }
#else
/* Two that overlap take fewer branches, which cannot be foreseen, than one of each size. */
#define MOVE_PAIR(size, count, to_space, to, from_space, from)                                     \
  if ((count) >= size) {                                                                           \
    MOVE_VECTOR(size, to_space, to, from_space, from);                                             \
    MOVE_VECTOR(size, to_space, (to) + (count)-size, from_space, (from) + (count)-size);           \
    return;                                                                                        \
  }
#define MOVE_FEW(count, to_space, to, from_space, from)                                            \
  PLAIN_LOOP                                                                                       \
  for (uint few = 32; few < (count); few += 16) {                                                  \
    MOVE_VECTOR(16, to_space, (to) + few - 16, from_space, (from) + few - 16);                     \
  }                                                                                                \
  MOVE_PAIR(16, count, to_space, to, from_space, from)                                             \
  MOVE_PAIR(8, count, to_space, to, from_space, from)                                              \
  MOVE_PAIR(4, count, to_space, to, from_space, from)                                              \
  MOVE_PAIR(2, count, to_space, to, from_space, from)                                              \
  if ((count)&1) {                                                                                 \
    *to = *from;                                                                                   \
  }
#endif

static void copy_few(__global word *to, __global const word *from, uint count) {
  MOVE_FEW(count, __global, to, __global, from)
}

static void gather_few(word *to, __global const word *from, uint count) {
  MOVE_FEW(count, __private, to, __global, from)
}

static void store_few(__global word *to, const word *from, uint count) {
  MOVE_FEW(count, __global, to, __private, from)
}

static void move_few(word *to, const word *from, uint count) {
  MOVE_FEW(count, __private, to, __private, from)
}

/* A run of equal words. */
static void fill_run(__global word *to, uint count, word value, bool streams) {
  const line values = line_of(value);
  uint i = 0;
  PLAIN_LOOP
  for (const uint head = streams ? min(words_to_line(to, 0), count) : 0; i < head; ++i) {
    to[i] = value;
  }
  for (; i + LINE <= count; i += LINE) {
    store_line(values, to + i, streams);
  }
  PLAIN_LOOP
  for (; i < count; ++i) {
    to[i] = value;
  }
}
