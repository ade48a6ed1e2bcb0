/* run.cl: elements side by side, as they are loaded from the source and stored to the destination.
 * Follows line.cl; with CHANGES, which is 1 when elements become others on their way, element.cl
 * too; and with CONVERTS by_float.cl.
 *
 * Elements that change do so as soon as they are loaded: what is put together, transposed and
 * filled up are words of the destination. Only packing waits until they are stored.
 */

#if !CHANGES

typedef word source_word;
typedef __global const word *place;
#define CONVERSION_PARAMETER
#define PLACE(source, start)   ((source) + (start))
#define onward(at, count)      ((at) + (count))
#define between(first, second) ((second) - (first))

#define SOURCE_LINE                  LINE
#define load_line(at)                LOAD_LINE(__global, at)
#define gather_words(to, at, count)  gather_few(to, at, count)
#define gather_singly(to, at, count) gather_few(to, at, count)
#define fetch_at(at, bytes)          fetch(at, bytes)

#else

#define between(first, second) ((second).number - (first).number)

/* Elements that a line of the source holds. */
#define SOURCE_LINE (SOURCE_BITS > 0 ? 512 / (SOURCE_BITS + !SOURCE_BITS) : 64 / SOURCE_BYTES)

/* Elements that change together, as vectors of them. */
#if WORD_BYTES == 8
#define WIDTH 8
#else
#define WIDTH 16
#endif

#define NAME_VECTOR(type, count) type##count
#define VECTOR_TYPE(type, count) NAME_VECTOR(type, count)

typedef WORDS_OF(SOURCE_BYTES, WIDTH) source_words;
typedef WORDS_OF(WORD_BYTES, WIDTH) words;

#if defined(__clang__)
#define CONVERT_VECTOR(type, value) __builtin_convertvector(value, type)
#else
#define NAME_CONVERSION(type)       convert_##type
#define CONVERT_VECTOR(type, value) NAME_CONVERSION(type)(value)
#endif

#if NATIVE
#define VECTOR_LOOP _Pragma("clang loop vectorize(enable) unroll(disable)")
#else
#define VECTOR_LOOP
#endif

/* Vectors at any word, and bytes of numbers in the order of elements. */
#if defined(__clang__) && defined(__ENDIAN_LITTLE__)
#define BY_VECTORS 1
#else
#define BY_VECTORS 0
#endif

/* Of elements of so many bits: bytes of a word that those of one byte are expanded in, words that
 * make up a line or half of one, and bytes of sixteen. */
#define BYTES_OF(bits)      VECTOR_TYPE(EXPANDED_BYTES_OF_, bits)
#define EXPANDED_BYTES_OF_4 2
#define EXPANDED_BYTES_OF_2 4
#define EXPANDED_BYTES_OF_1 8
#define WORDS_AT_ONCE(bits) VECTOR_TYPE(WORDS_AT_ONCE_OF_, bits)
#define WORDS_AT_ONCE_OF_4  16
#define WORDS_AT_ONCE_OF_2  16
#define WORDS_AT_ONCE_OF_1  8
#define BYTES_OF_PAIR(bits) VECTOR_TYPE(PAIR_BYTES_OF_, bits)
#define PAIR_BYTES_OF_4     8
#define PAIR_BYTES_OF_2     4
#define PAIR_BYTES_OF_1     2

/* ---- Loading ---- */

#if SOURCE_BITS && BY_VECTORS

/* Eight elements take so many bytes. */
typedef WORD_OF(SOURCE_BITS) packed_source;
typedef packed_source loose_source __attribute__((aligned(1)));

/* Eight elements from any bit on. */
ALWAYS_INLINE static packed_source load_eight(const place at) {
  __global const uchar *const bytes = word_at(at);
  const uint shift = bits_before(at);
  const packed_source low = *(__global const loose_source *)bytes;
  return shift == 0
             ? low
             : (packed_source)((low | (ulong)bytes[SOURCE_BITS] << 8 * SOURCE_BITS) >> shift);
}

#define EXPANDED_BYTES   BYTES_OF(SOURCE_BITS)
#define EXPANDED_AT_ONCE WORDS_AT_ONCE(SOURCE_BITS)
#define PAIR_BYTES       BYTES_OF_PAIR(SOURCE_BITS)
typedef WORD_OF(EXPANDED_BYTES) expanded_word;
typedef WORDS_OF(EXPANDED_BYTES, EXPANDED_AT_ONCE) expanded_words;
typedef WORDS_OF(EXPANDED_BYTES, PAIR_BYTES) expanded_pair;
typedef VECTOR_TYPE(uchar, PAIR_BYTES) pair_bytes;
typedef pair_bytes loose_pair __attribute__((aligned(1)));
#define EXPAND(words) VECTOR_TYPE(EXPAND_, SOURCE_BITS)(expanded_word, words)

/* Sixteen elements. */
ALWAYS_INLINE static uchar16 expand_pair(pair_bytes bytes) {
  const expanded_pair words = CONVERT_VECTOR(expanded_pair, bytes);
  return as_uchar16(EXPAND(words));
}

/* Eight from each place. */
ALWAYS_INLINE static uchar16 load_two_eights(const place first, const place second) {
  union {
    packed_source eights[2];
    pair_bytes bytes;
  } both = {{load_eight(first), load_eight(second)}};
  return expand_pair(both.bytes);
}

static source_words load_words(const place at) {
#if WIDTH == 8
  return load_two_eights(at, at).lo;
#else
  if (((uint)at.number & (IN_SOURCE_BYTE - 1)) == 0) {
    return expand_pair(*(__global const loose_pair *)word_at(at));
  }
  return load_two_eights(at, onward(at, 8));
#endif
}

#elif SOURCE_BITS

static source_words load_words(const place at) {
  source_words loaded;
  for (uint i = 0; i < WIDTH; ++i) {
    ((uchar *)&loaded)[i] = source_element(onward(at, i));
  }
  return loaded;
}

#elif defined(__clang__)

typedef source_words loose_source_words __attribute__((aligned(SOURCE_BYTES)));

static source_words load_words(const place at) {
  return *(__global const loose_source_words *)word_at(at);
}

#else

static source_words load_words(const place at) {
  return VECTOR_TYPE(vload, WIDTH)(0, word_at(at));
}

#endif

#if WORD_BYTES == 2

/* Half as many. */
typedef WORDS_OF(SOURCE_BYTES, 8) few_source_words;

#if SOURCE_BITS
#define load_few(at) load_words(at).lo
#elif defined(__clang__)
typedef few_source_words loose_few __attribute__((aligned(SOURCE_BYTES)));
#define load_few(at) (*(__global const loose_few *)word_at(at))
#else
#define load_few(at) vload8(0, word_at(at))
#endif

#endif

/* ---- Converting ---- */

#if CONVERTS && BY_FLOAT

ALWAYS_INLINE static words converted_words(source_words loaded, const place at) {
  return CONVERT_VECTOR(WORDS_OF(WORD_BYTES, WIDTH),
                        convert_by_float(CONVERT_VECTOR(patterns_taken, loaded)));
}

#elif CONVERTS || TABLE

ALWAYS_INLINE static words converted_words(source_words loaded, const place at) {
  const source_word *const from = (const source_word *)&loaded;
  words made;
  word *const to = (word *)&made;
  VECTOR_LOOP
  for (uint i = 0; i < WIDTH; ++i) {
    to[i] = converted(from[i], at);
  }
  return made;
}

#else
#define converted_words(loaded, at) (loaded)
#endif

ALWAYS_INLINE static words words_at(const place at) {
  return converted_words(load_words(at), at);
}

#if WORD_BYTES == 2
/* Half of the vector from each place. */
ALWAYS_INLINE static words words_at_two(const place first, const place second) {
#if SOURCE_BITS && BY_VECTORS
  return converted_words(load_two_eights(first, second), first);
#else
  return converted_words((source_words)(load_few(first), load_few(second)), first);
#endif
}
#endif

/* ---- Lines of words ---- */

#if SOURCE_BITS && !CONVERTS && !TABLE && BY_VECTORS

typedef VECTOR_TYPE(uchar, EXPANDED_AT_ONCE) packed_bytes;
typedef packed_bytes loose_packed_bytes __attribute__((aligned(1)));

ALWAYS_INLINE static expanded_words load_packed(__global const uchar *bytes) {
  return CONVERT_VECTOR(expanded_words, *(__global const loose_packed_bytes *)bytes);
}

/* Where elements begin within bytes, each has its upper ones from the next. */
ALWAYS_INLINE static expanded_words expand_bytes(__global const uchar *bytes, uint shift) {
  expanded_words loaded = load_packed(bytes);
  if (shift > 0) {
    loaded = (loaded | load_packed(bytes + 1) << 8) >> shift & (expanded_word)0xff;
  }
  return EXPAND(loaded);
}

static line load_line(const place from) {
  __global const uchar *const bytes = word_at(from);
  const uint shift = bits_before(from);
#if SOURCE_BITS == 4
  return (line)(as_uint8(expand_bytes(bytes, shift)),
                as_uint8(expand_bytes(bytes + EXPANDED_AT_ONCE, shift)));
#else
  return as_uint16(expand_bytes(bytes, shift));
#endif
}

#elif !CONVERTS && !TABLE

static line load_line(const place from) {
  return LOAD_LINE(__global, word_at(from));
}

#elif WORD_BYTES == 2

ALWAYS_INLINE static line load_line(const place from) {
  return (line)(as_uint8(words_at(from)), as_uint8(words_at(onward(from, WIDTH))));
}

#elif WORD_BYTES == 1

ALWAYS_INLINE static line load_line(const place from) {
  return (line)(as_uint4(words_at(from)), as_uint4(words_at(onward(from, WIDTH))),
                as_uint4(words_at(onward(from, 2 * WIDTH))),
                as_uint4(words_at(onward(from, 3 * WIDTH))));
}

#else

ALWAYS_INLINE static line load_line(const place from) {
  return as_uint16(words_at(from));
}

#endif

#if defined(__clang__)
typedef words loose_words __attribute__((aligned(WORD_BYTES)));
#define STORE_WORDS(space, value, to) (*(space loose_words *)(to) = (value))
#else
#define STORE_WORDS(space, value, to) VECTOR_TYPE(vstore, WIDTH)(value, 0, to)
#endif

/* One element after the other. */
static void gather_singly(word *to, const place from, uint count) {
  PLAIN_LOOP
  for (uint i = 0; i < count; ++i) {
    to[i] = element_at(onward(from, i));
  }
}

/* `count` elements, and not one more. */
static void gather_words(word *to, const place from, uint count) {
  if (count < WIDTH) {
    gather_singly(to, from, count);
    return;
  }
  uint i = 0;
  for (; i + WIDTH <= count; i += WIDTH) {
    STORE_WORDS(__private, words_at(onward(from, i)), to + i);
  }
  if (i < count) {
    STORE_WORDS(__private, words_at(onward(from, count - WIDTH)), to + count - WIDTH);
  }
}

static void fetch_at(const place at, long bytes) {
#if NATIVE
  __builtin_prefetch((const void *)((uintptr_t)word_at(at) + (uintptr_t)bytes), 0, 2);
#endif
}

#endif

/* ---- Storing ---- */

/* Elements of a line of the destination. */
#define DESTINATION_LINE (LINE * IN_DESTINATION_BYTE)

#if DESTINATION_BITS

#if BY_VECTORS

#define COMPRESSED_BYTES   BYTES_OF(DESTINATION_BITS)
#define COMPRESSED_AT_ONCE WORDS_AT_ONCE(DESTINATION_BITS)
typedef WORD_OF(COMPRESSED_BYTES) wide_word;
typedef WORDS_OF(COMPRESSED_BYTES, COMPRESSED_AT_ONCE) wide_words;
typedef wide_words loose_wide_words __attribute__((aligned(1)));
typedef VECTOR_TYPE(uchar, COMPRESSED_AT_ONCE) compressed_bytes;

/* As many elements as a line of the destination holds, to bytes. */
ALWAYS_INLINE static void pack_line(uchar *to, const word *from) {
#pragma unroll
  for (uint i = 0; i < 64; i += COMPRESSED_AT_ONCE) {
    const wide_words loaded = *(const loose_wide_words *)(from + i * IN_DESTINATION_BYTE);
    const wide_words low = LOW_ELEMENTS(wide_word, loaded, DESTINATION_BITS);
    *(compressed_bytes *)(to + i) =
        CONVERT_VECTOR(compressed_bytes, VECTOR_TYPE(COMPRESS_, DESTINATION_BITS)(wide_word, low));
  }
}

#else

static void pack_line(uchar *to, const word *from) {
  for (uint i = 0; i < 64; ++i) {
    uint byte = 0;
    for (uint k = 0; k < IN_DESTINATION_BYTE; ++k) {
      byte |= (from[i * IN_DESTINATION_BYTE + k] & DESTINATION_ONES) << k * DESTINATION_BITS;
    }
    to[i] = (uchar)byte;
  }
}

#endif

ALWAYS_INLINE static line packed_line(const word *from) {
  line made[1];
  pack_line((uchar *)made, from);
  return made[0];
}

/* Not more than a line. What is left of the last byte becomes zeros; `from` goes on behind its
 * end. */
static void store_elements(__global word *to, const word *from, uint count) {
  if (count == 0) {
    return;
  }
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

#define packed_line(from)               LOAD_LINE(__private, from)
#define store_elements(to, from, count) store_few(to, from, count)

#endif

/* Elements from there to where the next byte begins. */
static uint elements_to_byte(ulong position) {
  return (uint)(0 - position) % IN_DESTINATION_BYTE;
}

/* Elements from `at`, which is a byte's first, `count` of them on, to where the next line
 * begins. */
static uint elements_to_line(__global const word *at, uint count) {
  const uint bytes = (count + IN_DESTINATION_BYTE - 1) / IN_DESTINATION_BYTE;
  return (bytes + words_to_line(at, bytes)) * IN_DESTINATION_BYTE - count;
}

/* How many of the first `count` elements lie before the first line that can be streamed. */
static uint elements_before_line(__global const word *at, uint count, bool streams) {
  return streams ? min(elements_to_line(at, 0), count) : 0;
}
