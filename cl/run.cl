/* run.cl: elements side by side, as they arrive from the source and leave for the destination. Follows
 * line.cl, and element.cl with CHANGES.
 *
 * Elements that change do so as soon as they are loaded: what is put together, turned and filled up are
 * words of the destination. Only packing, where it packs them, waits until they leave.
 */

#if !CHANGES

typedef word source_word;
typedef __global const word *place;
#define CONVERSION_PARAMETER
#define PLACE(source, start)   ((source) + (start))
#define onward(at, count)      ((at) + (count))
#define between(first, second) ((second) - (first))

#define SOURCE_LINE                LINE
#define load_line(at)              LOAD_LINE(__global, at)
#define gather_words(to, at, count) gather_few(to, at, count)
#define fetch_at(at, bytes)        fetch(at, bytes)

#else

#define between(first, second) ((second).number - (first).number)

/* Elements that a line of the source holds. */
#define SOURCE_LINE (SOURCE_BITS > 0 ? 512 / (SOURCE_BITS + !SOURCE_BITS) : 64 / SOURCE_BYTES)

#if NATIVE
#define VECTOR_LOOP _Pragma("clang loop vectorize(enable) unroll(disable)")
#else
#define VECTOR_LOOP
#endif

#if defined(__clang__)
typedef ulong loose_eight __attribute__((aligned(1)));
#endif

#if SOURCE_BITS

/* Eight elements take so many bytes. */
typedef WORD_OF(SOURCE_BITS) packed_source;

#if defined(__clang__) && defined(__ENDIAN_LITTLE__)

typedef packed_source loose_source __attribute__((aligned(1)));

/* Eight elements from the lowest bits on, one into each byte. */
ALWAYS_INLINE static ulong unpacked(ulong eight) {
  eight = (eight | eight << 4 * (8 - SOURCE_BITS)) & 0x0000000100000001UL * ((1 << 4 * SOURCE_BITS) - 1);
  eight = (eight | eight << 2 * (8 - SOURCE_BITS)) & 0x0001000100010001UL * ((1 << 2 * SOURCE_BITS) - 1);
  return (eight | eight << (8 - SOURCE_BITS)) & 0x0101010101010101UL * SOURCE_ONES;
}

/* A multiple of eight elements, which may begin within a byte. */
ALWAYS_INLINE static void unpack(uchar *to, const place from, uint count) {
  __global const uchar *const bytes = from.words + (ulong)from.number / IN_SOURCE_BYTE;
  const uint shift = ((uint)from.number & (IN_SOURCE_BYTE - 1)) * SOURCE_BITS;
  if (shift == 0) {
    VECTOR_LOOP
    for (uint i = 0; i < count / 8; ++i) {
      ((loose_eight *)to)[i] = unpacked(((__global const loose_source *)bytes)[i]);
    }
    return;
  }
  VECTOR_LOOP
  for (uint i = 0; i < count / 8; ++i) {
    const ulong low = ((__global const loose_source *)bytes)[i];
    const ulong high = bytes[(i + 1) * SOURCE_BITS];
    ((loose_eight *)to)[i] =
        unpacked((packed_source)((low | high << 8 * SOURCE_BITS) >> shift));
  }
}

#else

ALWAYS_INLINE static void unpack(uchar *to, const place from, uint count) {
  for (uint i = 0; i < count; ++i) {
    to[i] = source_element(onward(from, i));
  }
}

#endif

#define MOST_TAKEN 64

/* A multiple of eight elements, not more than a line of words holds. */
ALWAYS_INLINE static void take(word *to, const place from, uint count) {
#if CONVERTS || TABLE
  uchar taken[MOST_TAKEN];
  unpack(taken, from, count);
  VECTOR_LOOP
  for (uint i = 0; i < count; ++i) {
    to[i] = converted(taken[i], from);
  }
#else
  unpack(to, from, count);
#endif
}

#else

ALWAYS_INLINE static void take(word *to, const place from, uint count) {
  __global const source_word *const words = from.words + from.number;
  VECTOR_LOOP
  for (uint i = 0; i < count; ++i) {
    to[i] = converted(words[i], from);
  }
}

#endif

ALWAYS_INLINE static line load_line(const place from) {
  line taken[1];
  take((word *)taken, from, LINE);
  return taken[0];
}

/* `count` elements, and not one more. */
static void gather_words(word *to, const place from, uint count) {
  uint i = 0;
  for (; i + 8 <= count; i += 8) {
    take(to + i, onward(from, i), 8);
  }
  if (i < count && count >= 8) {
    take(to + count - 8, onward(from, count - 8), 8);
    return;
  }
  PLAIN_LOOP
  for (; i < count; ++i) {
    to[i] = element_at(onward(from, i));
  }
}

static void fetch_at(const place at, long bytes) {
#if NATIVE
#if SOURCE_BITS
  __global const uchar *const from = at.words + (ulong)at.number / IN_SOURCE_BYTE;
#else
  __global const source_word *const from = at.words + at.number;
#endif
  __builtin_prefetch((const void *)((uintptr_t)from + (uintptr_t)bytes), 0, 2);
#endif
}

#endif

/* ---- Leaving ---- */

#if CHANGES && DESTINATION_BITS

#define IN_DESTINATION_BYTE (8 / DESTINATION_BITS)
#define DESTINATION_ONES    ((1 << DESTINATION_BITS) - 1)

/* Elements of a line of the destination. */
#define LEAVING (64 * IN_DESTINATION_BYTE)

typedef WORD_OF(DESTINATION_BITS) packed_destination;

#if defined(__clang__) && defined(__ENDIAN_LITTLE__)

/* The low bits of eight bytes side by side. */
ALWAYS_INLINE static packed_destination packed_eight(ulong eight) {
  eight &= 0x0101010101010101UL * DESTINATION_ONES;
  eight = (eight | eight >> (8 - DESTINATION_BITS)) & 0x0001000100010001UL * ((1 << 2 * DESTINATION_BITS) - 1);
  eight = (eight | eight >> 2 * (8 - DESTINATION_BITS)) & 0x0000000100000001UL * ((1 << 4 * DESTINATION_BITS) - 1);
  return (packed_destination)(eight | eight >> 4 * (8 - DESTINATION_BITS));
}

/* As many elements as a line of the destination holds. */
ALWAYS_INLINE static void pack_line(uchar *to, const word *from) {
  VECTOR_LOOP
  for (uint i = 0; i < LEAVING / 8; ++i) {
    ((packed_destination *)to)[i] = packed_eight(((const loose_eight *)from)[i]);
  }
}

#else

ALWAYS_INLINE static void pack_line(uchar *to, const word *from) {
  for (uint i = 0; i < 64; ++i) {
    uint byte = 0;
    for (uint k = 0; k < IN_DESTINATION_BYTE; ++k) {
      byte |= (from[i * IN_DESTINATION_BYTE + k] & DESTINATION_ONES) << k * DESTINATION_BITS;
    }
    to[i] = (uchar)byte;
  }
}

#endif

ALWAYS_INLINE static line leaving_line(const word *from) {
  line packed[1];
  pack_line((uchar *)packed, from);
  return packed[0];
}

/* Not more than a line. What is left of the last byte becomes zeros; `from` goes on behind its end. */
static void leave_few(__global word *to, const word *from, uint count) {
  line made[1];
  uchar *const packed = (uchar *)made;
  pack_line(packed, from);
  const uint whole = count / IN_DESTINATION_BYTE;
  const uint over = count % IN_DESTINATION_BYTE;
  store_few(to, packed, whole);
  if (over > 0) {
    to[whole] = packed[whole] & ((1 << over * DESTINATION_BITS) - 1);
  }
}

#else

#define IN_DESTINATION_BYTE          1
#define LEAVING                      LINE
#define leaving_line(from)           LOAD_LINE(__private, from)
#define leave_few(to, from, count)   store_few(to, from, count)

#endif

/* Where an element lies in the destination that is the first of its byte. */
static __global word *place_in(__global word *destination, ulong position) {
  return destination + position / IN_DESTINATION_BYTE;
}

/* Elements from `at`, `count` of them on, to where the next line begins. */
static uint elements_to_line(__global const word *at, uint count) {
  return words_to_line(at, count / IN_DESTINATION_BYTE) * IN_DESTINATION_BYTE;
}

/* How many of the first `count` elements lie before the first line that can be streamed. */
static uint elements_before_line(__global const word *at, uint count, bool streams) {
  return streams ? min(elements_to_line(at, 0), count) : 0;
}
