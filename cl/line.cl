/* line.cl: lines of 64 bytes, in which the kernels for CPU devices move. Follows tile.cl.
 *
 * A CPU's memory system moves whole lines. A line is loaded from anywhere, and stored past the
 * cache when the destination is too large for it: an ordinary store would read the line first.
 */

typedef uint16 line;

/* For loops that seldom run: unrolled and vectorised they only take compilers longer. */
#if defined(__clang__)
#define PLAIN_LOOP _Pragma("clang loop vectorize(disable) unroll(disable)")
#else
#define PLAIN_LOOP
#endif

/* Words of a line. */
#define LINE (64 / WORD_BYTES)

/* A line at any word of an address space. Where clang's attribute is not to be had, vloadn and vstoren
 * ask for the alignment of a word alone too; but PoCL's take vectors of bytes and halves apart, and
 * move every word by itself. */
#if defined(__clang__)
typedef line loose_line __attribute__((aligned(WORD_BYTES)));
#define LOAD_LINE(space, from)       (*(space const loose_line *)(from))
#define STORE_LINE(space, value, to) (*(space loose_line *)(to) = (value))
#elif WORD_BYTES == 1
#define LOAD_LINE(space, from)                                                                     \
  ((line)(as_uint4(vload16(0, from)), as_uint4(vload16(1, from)), as_uint4(vload16(2, from)),      \
          as_uint4(vload16(3, from))))
#define STORE_LINE(space, value, to)                                                               \
  do {                                                                                             \
    vstore16(as_uchar16((value).s0123), 0, to);                                                    \
    vstore16(as_uchar16((value).s4567), 1, to);                                                    \
    vstore16(as_uchar16((value).s89ab), 2, to);                                                    \
    vstore16(as_uchar16((value).scdef), 3, to);                                                    \
  } while (0)
#elif WORD_BYTES == 2
#define LOAD_LINE(space, from) ((line)(as_uint8(vload16(0, from)), as_uint8(vload16(1, from))))
#define STORE_LINE(space, value, to)                                                               \
  do {                                                                                             \
    vstore16(as_ushort16((value).lo), 0, to);                                                      \
    vstore16(as_ushort16((value).hi), 1, to);                                                      \
  } while (0)
#elif WORD_BYTES == 4
#define LOAD_LINE(space, from)       vload16(0, from)
#define STORE_LINE(space, value, to) vstore16(value, 0, to)
#elif WORD_BYTES == 8
#define LOAD_LINE(space, from)       as_uint16(vload8(0, from))
#define STORE_LINE(space, value, to) vstore8(as_ulong8(value), 0, to)
#else
#define LOAD_LINE(space, from) ((line)((from)[0], (from)[1], (from)[2], (from)[3]))
#define STORE_LINE(space, value, to)                                                               \
  do {                                                                                             \
    (to)[0] = (value).s0123;                                                                       \
    (to)[1] = (value).s4567;                                                                       \
    (to)[2] = (value).s89ab;                                                                       \
    (to)[3] = (value).scdef;                                                                       \
  } while (0)
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

/* How many of the first `count` words lie before the first line that can be streamed. */
static uint words_before_line(__global const word *at, uint count, bool streams) {
  const uint into_line = (uint)((uintptr_t)at & 63) / WORD_BYTES;
  return streams && into_line > 0 ? min(LINE - into_line, count) : 0;
}

/* A run of equal words. */
static void fill_run(__global word *to, uint count, word value, bool streams) {
  const line values = line_of(value);
  uint i = 0;
  PLAIN_LOOP
  for (const uint head = words_before_line(to, count, streams); i < head; ++i) {
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
