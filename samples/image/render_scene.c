/* render_scene.c: renders a landscape, so that the samples have a picture the
 * size of a photograph at hand.
 *
 *     render_scene WIDTH HEIGHT CLEAN.ppm GRAINY.ppm
 *
 * The same scene twice: as it is, and with the grain of a camera in poor light. */
#include "ppm.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct colour {
  float red, green, blue;
} colour;

static float mix(float a, float b, float t) {
  return a + (b - a) * t;
}

static colour blend(colour a, colour b, float t) {
  t = fminf(fmaxf(t, 0), 1);
  return (colour){mix(a.red, b.red, t), mix(a.green, b.green, t), mix(a.blue, b.blue, t)};
}

/* A number in 0 .. 1 that looks random and depends on the place alone. */
static float hash(int32_t x, int32_t y) {
  uint32_t h = (uint32_t)x * 0x9e3779b1U ^ (uint32_t)y * 0x85ebca77U;
  h = (h ^ h >> 15) * 0x2c1b3c6dU;
  h = (h ^ h >> 12) * 0x297a2d39U;
  return (float)(h >> 8) / 16777216.0F;
}

static float smooth_noise(float x, float y) {
  const float left = floorf(x);
  const float top = floorf(y);
  const int32_t i = (int32_t)left;
  const int32_t j = (int32_t)top;
  const float u = (x - left) * (x - left) * (3 - 2 * (x - left));
  const float v = (y - top) * (y - top) * (3 - 2 * (y - top));
  return mix(mix(hash(i, j), hash(i + 1, j), u), mix(hash(i, j + 1), hash(i + 1, j + 1), u), v);
}

/* Several octaves: clouds, ridges, rock and ripples are all made of it. */
static float noise(float x, float y, int octaves) {
  float sum = 0;
  float weight = 0.5F;
  for (int i = 0; i < octaves; i++) {
    sum += weight * smooth_noise(x, y);
    x = 2.03F * x + 17;
    y = 2.03F * y + 31;
    weight *= 0.5F;
  }
  return sum;
}

static colour sky(float x, float y) {
  const colour zenith = {0.16F, 0.34F, 0.66F};
  const colour horizon = {0.98F, 0.80F, 0.62F};
  const colour sun = {1.0F, 0.96F, 0.84F};
  const colour cloud = {0.98F, 0.92F, 0.90F};
  const float distance = hypotf(x - 0.92F, y - 0.33F);
  colour result = blend(zenith, horizon, y / 0.55F);
  result = blend(result, cloud, 2.4F * (noise(3 * x + 5, 9 * y, 6) - 0.48F));
  result = blend(result, sun, 0.7F * expf(-7 * distance));
  return blend(result, sun, (0.038F - distance) * 400);
}

/* Three ranges of mountains, the further the bluer; x runs to 4/3, y from 0 (top) to 1. */
static colour land_and_sky(float x, float y) {
  static const colour near_rock = {0.16F, 0.20F, 0.17F};
  static const colour haze = {0.74F, 0.70F, 0.74F};
  for (int range = 2; range >= 0; range--) {
    const float far = (float)(2 - range);
    const float ridge =
        0.62F - 0.09F * far - 0.20F * (noise(x * (2.2F + far) + 40 * far, far, 7) - 0.4F);
    if (y > ridge) {
      const float light =
          noise(x * 40, y * 60 + 9 * far, 5) + 2.5F * (noise(x * 9, y * 9, 4) - 0.45F);
      const colour rock = blend(near_rock, (colour){0.52F, 0.50F, 0.40F}, light);
      const colour snow = {0.94F, 0.94F, 0.97F};
      const float height = 0.46F - y + 0.2F * (noise(x * 30, y * 30, 4) - 0.45F);
      return blend(blend(rock, snow, range == 1 ? 30 * height : 0), haze, 0.32F * far);
    }
  }
  return sky(x, y);
}

static colour scene(float x, float y) {
  const float shore = 0.66F + 0.012F * noise(x * 6, 3, 4);
  if (y <= shore) {
    return land_and_sky(x, y);
  }
  /* The lake: the scene upside down, stirred by ripples that grow towards the viewer. */
  const float depth = y - shore;
  const float ripple = noise(x * 14, 26 / (depth + 0.06F), 4) - 0.47F;
  const colour mirrored =
      land_and_sky(x + 0.10F * depth * ripple, shore - 1.5F * depth - 0.5F * depth * ripple);
  const colour water = {0.05F, 0.13F, 0.20F};
  return blend(mirrored, water, 0.25F + 0.9F * depth + 0.5F * ripple);
}

static unsigned char quantise(float value) {
  return (unsigned char)(fminf(fmaxf(value, 0), 1) * 255 + 0.5F);
}

int main(int argc, char **argv) {
  const long width = argc == 5 ? strtol(argv[1], NULL, 10) : 0;
  const long height = argc == 5 ? strtol(argv[2], NULL, 10) : 0;
  if (width < 1 || height < 1 || width > 20000 || height > 20000) {
    fprintf(stderr, "usage: render_scene WIDTH HEIGHT CLEAN.ppm GRAINY.ppm (up to 20000 each)\n");
    return 2;
  }
  const size_t size = (size_t)width * (size_t)height * 3;
  picture clean = {(size_t)width, (size_t)height, malloc(size)};
  picture grainy = {(size_t)width, (size_t)height, malloc(size)};
  if (clean.bytes == NULL || grainy.bytes == NULL) {
    fprintf(stderr, "out of memory\n");
    return 1;
  }
  for (int32_t j = 0; j < height; j++) {
    for (int32_t i = 0; i < width; i++) {
      const colour c = scene((float)i / (float)height, (float)j / (float)height);
      const float channels[] = {c.red, c.green, c.blue};
      for (int32_t k = 0; k < 3; k++) {
        const size_t at = ((size_t)j * (size_t)width + (size_t)i) * 3 + (size_t)k;
        const float grain = 0.10F * (hash(3 * i + k, 2 * j) + hash(3 * i + k, 2 * j + 1) - 1);
        clean.bytes[at] = quantise(channels[k]);
        grainy.bytes[at] = quantise(channels[k] + grain);
      }
    }
  }
  const int failed = ppm_write(argv[3], &clean) | ppm_write(argv[4], &grainy);
  free(clean.bytes);
  free(grainy.bytes);
  return failed;
}
