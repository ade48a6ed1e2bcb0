/* element.cl: one element on its way, as it lies in the source and as it arrives. Follows tile.cl.
 *
 * Compiled in:
 *
 *     SOURCE_BYTES      of the source's words
 *     SOURCE_BITS       1, 2 or 4 where elements are packed there, in words of one byte; or 0
 *     DESTINATION_BITS  likewise
 *
 * Positions count elements, the first of a byte in its lowest bits.
 */

typedef WORD_OF(SOURCE_BYTES) source_word;

#if SOURCE_BITS
#define IN_SOURCE_BYTE (8 / SOURCE_BITS)
static source_word source_element(__global const source_word *source, long position) {
  const uint shift = ((uint)position & (IN_SOURCE_BYTE - 1)) * SOURCE_BITS;
  return (source_word)(source[(ulong)position / IN_SOURCE_BYTE] >> shift & ((1 << SOURCE_BITS) - 1));
}
#else
static source_word source_element(__global const source_word *source, long position) {
  return source[position];
}
#endif

static word element_at(__global const source_word *source, long position) {
  return source_element(source, position);
}
