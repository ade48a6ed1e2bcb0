/* element.cl: one element on its way, as it lies in the source and as it arrives. Follows tile.cl,
 * and convert.cl and by_float.cl where CONVERTS is 1.
 *
 * Compiled in:
 *
 *     SOURCE_BYTES      of the source's words
 *     SOURCE_BITS       1, 2 or 4 where elements are packed there, in words of one byte; or 0
 *     REVERSED_BITS     the bits of an element where loading reverses the order of the elements
 *                       within each byte, packed or of a word: 1, 2 or 4; or 0
 *     CONVERTS          1 when convert.cl says what a word becomes
 *     TABLE             1 when a table has what each word becomes
 */

#if SOURCE_BYTES == 1
typedef uchar source_word;
#elif SOURCE_BYTES == 2
typedef ushort source_word;
#elif SOURCE_BYTES == 4
typedef uint source_word;
#elif SOURCE_BYTES == 8
typedef ulong source_word;
#else
typedef uint4 source_word;
#endif

#if CONVERTS && SCALED
#define HAS_SCALE 1
#else
#define HAS_SCALE 0
#endif

/* ---- As it is loaded ---- */

/* Swaps neighbours of `apart` bits each; `even` has those of even numbers. */
#define EXCHANGED(value, apart, even)                                                              \
  (((value) >> (apart) & (even)) | ((value) & (even)) << (apart))

#define REVERSED_4(value) EXCHANGED(value, 4, 0x0f0f0f0fu)
#define REVERSED_2(value) EXCHANGED(REVERSED_4(value), 2, 0x33333333u)
#define REVERSED_1(value) EXCHANGED(REVERSED_2(value), 1, 0x55555555u)
#if REVERSED_BITS == 4
#define REVERSED(value) REVERSED_4(value)
#elif REVERSED_BITS == 2
#define REVERSED(value) REVERSED_2(value)
#elif REVERSED_BITS == 1
#define REVERSED(value) REVERSED_1(value)
#else
#define REVERSED(value) (value)
#endif

ALWAYS_INLINE static uint reversed_uint(uint value) {
  return REVERSED(value);
}

ALWAYS_INLINE static uint4 reversed_piece(uint4 value) {
  return REVERSED(value);
}

ALWAYS_INLINE static source_word reversed_word(source_word value) {
#if !REVERSED_BITS
  return value;
#elif SOURCE_BYTES <= 4
  return (source_word)reversed_uint(value);
#elif SOURCE_BYTES == 8
  return (ulong)reversed_uint((uint)(value >> 32)) << 32 | reversed_uint((uint)value);
#else
  return reversed_piece(value);
#endif
}

/* ---- What becomes of it ---- */

/* What kernels whose elements change in a way of the problem's own have as their last parameter. */
#if TABLE
#define CONVERSION_PARAMETER , __global const word *restrict how
#define WITH_CONVERSION      , how
#elif HAS_SCALE && ALONE
#define CONVERSION_PARAMETER
#define WITH_CONVERSION , SCALE_OF_PROBLEM
#elif HAS_SCALE
#define CONVERSION_PARAMETER , const scale_factor how
#define WITH_CONVERSION      , how
#else
#define CONVERSION_PARAMETER
#define WITH_CONVERSION
#endif

/* Where an element lies in the source, and what becomes of it. Elements that share a byte are
 * numbered from its lowest bits up; those to be reversed from its highest ones down. */
typedef struct place {
  __global const source_word *words;
  long number;
#if TABLE
  __global const word *how;
#elif HAS_SCALE
  scale_factor how;
#endif
} place;

#define PLACE(source, start) ((place){source, (long)(start)WITH_CONVERSION})

ALWAYS_INLINE static place onward(place at, long count) {
  at.number += count;
  return at;
}

#if SOURCE_BITS
#define IN_SOURCE_BYTE (8 / SOURCE_BITS)
#define SOURCE_ONES    ((1u << SOURCE_BITS) - 1)
#else
#define IN_SOURCE_BYTE 1
#endif

/* The word that an element lies in, and how many of its bits lie below the element. */
ALWAYS_INLINE static __global const source_word *word_at(const place at) {
  return at.words + (ulong)at.number / IN_SOURCE_BYTE;
}

ALWAYS_INLINE static uint bits_below(const place at) {
  const uint number = (uint)at.number & (IN_SOURCE_BYTE - 1);
  return (REVERSED_BITS ? IN_SOURCE_BYTE - 1 - number : number) * SOURCE_BITS;
}

ALWAYS_INLINE static source_word source_element(const place at) {
#if SOURCE_BITS
  return (source_word)(*word_at(at) >> bits_below(at) & SOURCE_ONES);
#else
  return reversed_word(*word_at(at));
#endif
}

/* A word of the source as one of the destination. */
ALWAYS_INLINE static word converted(source_word value, const place at) {
#if TABLE
  return at.how[value];
#elif HAS_SCALE
  return (word)convert_pattern((pattern)value, at.how);
#elif CONVERTS && BY_FLOAT
  return (word)convert_by_float((pattern_taken)value);
#elif CONVERTS
  const scale_factor none = {0, 0, 0};
  return (word)convert_pattern((pattern)value, none);
#else
  return value;
#endif
}

ALWAYS_INLINE static word element_at(const place at) {
  return converted(source_element(at), at);
}
