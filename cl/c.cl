/* c.cl: what OpenCL C has and C lacks, of what convert.cl and by_float.cl ask for, where a relayout
 * is handed out as a function in C (src/gpu/c_function.c). Comes first.
 */
typedef uint8_t uchar;
typedef uint16_t ushort;
typedef uint32_t uint;
typedef uint64_t ulong;

#define min(a, b)                 ((b) < (a) ? (b) : (a))
#define max(a, b)                 ((a) < (b) ? (b) : (a))
#define clamp(value, least, most) min(max(value, least), most)

/* Zeros before the highest one. */
static inline int clz_of(ulong value, int bits) {
  int count = 0;
  for (int step = bits / 2; step > 0; step /= 2) {
    if (value >> (bits - count - step) == 0) {
      count += step;
    }
  }
  return value == 0 ? bits : count;
}
#define clz(value) clz_of(value, 8 * (int)sizeof(value))

/* The upper half of the product. */
static inline ulong mul_hi(ulong a, ulong b) {
  const ulong low = (a & 0xffffffffu) * (b & 0xffffffffu);
  const ulong one = (a >> 32) * (b & 0xffffffffu) + (low >> 32);
  const ulong other = (a & 0xffffffffu) * (b >> 32) + (one & 0xffffffffu);
  return (a >> 32) * (b >> 32) + (one >> 32) + (other >> 32);
}

static inline uint bits_of_float(float value) {
  uint bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline uint bits_of_int(int value) {
  return (uint)value;
}

static inline float as_float(uint bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline int as_int(uint bits) {
  int value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

#define as_uint(value) _Generic((value), float : bits_of_float, default : bits_of_int)(value)
