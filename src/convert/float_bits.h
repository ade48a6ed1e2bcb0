/* float_bits.h: floats as the integers of their patterns, and rounding to odd.
 *
 * Depends on nothing. */
#ifndef RLT_CONVERT_FLOAT_BITS_H
#define RLT_CONVERT_FLOAT_BITS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t bits_of_f32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline float f32_of_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline uint64_t bits_of_f64(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline double f64_of_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Of a normal double above 0. */
static inline int32_t exponent_of_f64(double value) {
  return (int32_t)(bits_of_f64(value) >> 52) - 1023;
}

/* Such a double. */
static inline double f64_power_of_2(int32_t exponent) {
  return f64_of_bits((uint64_t)(exponent + 1023) << 52);
}

/* A float nearest to a number that lies between two is moved to the odd one of them: what then
 * rounds it to fewer digits does as if it had the exact number. */
static inline uint32_t odd_float(double value) {
  const float nearest = (float)value;
  const double back = nearest;
  const double size = value < 0 ? -value : value, back_size = back < 0 ? -back : back;
  const uint32_t bits = bits_of_f32(nearest);
  const uint32_t step = size > back_size ? 1 : ~UINT32_C(0);
  return bits + (size != back_size && value == value && (bits & 1) == 0 ? step : 0);
}

#endif
