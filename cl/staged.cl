/* staged.cl: how the kernels for GPUs touch memory. Follows tile.cl.
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
 */

/* Words of a piece and of a unit. */
#define PIECE (16 / WORD_BYTES)
#if WORD_BYTES < 4
#define UNIT (4 / WORD_BYTES)
typedef uint unit;
#else
#define UNIT 1
typedef word unit;
#endif

/* What neighbours touch together: a line of 128 bytes. */
#define UNITS_PER_PIECE (PIECE / UNIT)
#define PIECES_PER_LINE 8
#define UNITS_PER_LINE  (128 / (UNIT * WORD_BYTES))

/* Of `count` loads that the group's work-items share, how many each has under way before it uses the
 * first: at most `most`. */
#define HELD(most, count) ((count) / GROUP < (most) ? (count) / GROUP : (most))

static bool on_piece(__global const word *at) {
  return ((uintptr_t)at & 15) == 0;
}

/* How many words lie between a run's first one and the start of the unit, or line, that has it. */
static uint words_into_unit(__global const word *at) {
  return UNIT == 1 ? 0 : (uint)((uintptr_t)at & 3) / WORD_BYTES;
}

static uint words_into_line(__global const word *at) {
  return (uint)((uintptr_t)at & 127) / WORD_BYTES;
}

static uint4 load_piece(__global const word *from) {
  return *(__global const uint4 *)from;
}

static void store_piece(uint4 value, __global word *to) {
  *(__global uint4 *)to = value;
}

static unit load_unit(__global const word *from) {
  return *(__global const unit *)from;
}

static void store_unit(unit value, __global word *to) {
  *(__global unit *)to = value;
}

/* Whether all of a unit or piece lies in a run of `length` words. It may begin before the run does:
 * its first word's number comes round at 0. */
static bool is_whole(uint start, uint words, uint length) {
  return start < length && start + words <= length;
}

static word word_of_unit(unit value, uint number) {
#if WORD_BYTES == 1
  const uchar4 words = as_uchar4(value);
  return number == 0 ? words.x : number == 1 ? words.y : number == 2 ? words.z : words.w;
#elif WORD_BYTES == 2
  const ushort2 words = as_ushort2(value);
  return number == 0 ? words.x : words.y;
#else
  return value;
#endif
}

static unit unit_of(const word *words) {
#if WORD_BYTES == 1
  return as_uint((uchar4)(words[0], words[1], words[2], words[3]));
#elif WORD_BYTES == 2
  return as_uint((ushort2)(words[0], words[1]));
#else
  return words[0];
#endif
}

static unit unit_of_piece(uint4 value, uint number) {
#if WORD_BYTES <= 4
  return number == 0 ? value.x : number == 1 ? value.y : number == 2 ? value.z : value.w;
#elif WORD_BYTES == 8
  const ulong2 units = as_ulong2(value);
  return number == 0 ? units.x : units.y;
#else
  return value;
#endif
}

/* That a piece is a shuffle of two halves keeps Oclgrind from taking it for half initialized. */
static uint4 piece_of(const unit *units) {
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
