/* test_large_files.c: `relayout convert` of files that are larger than it may take memory for,
 * against places worked out by hand: test_large_files RELAYOUT FOLDER. */
#define _GNU_SOURCE /* wait4 */
#include "cmocka_all.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HEIGHT = 7168, WIDTH = 7500, MOST_KIBIBYTES = 512 << 10, NO_DEVICE = 5 };

static const char *command;
static char input[512];
static char output[512];

static void name_files(const char *folder) {
  snprintf(input, sizeof input, "%s/large_in_%d.raw", folder, (int)getpid());
  snprintf(output, sizeof output, "%s/large_out_%d.raw", folder, (int)getpid());
}

/* A file of this many words, or the one that is there. */
static uint32_t *map_words(const char *path, size_t count, bool is_new) {
  const int file = open(path, is_new ? O_RDWR | O_CREAT | O_TRUNC : O_RDWR, 0600);
  assert_true(file >= 0);
  if (is_new) {
    assert_int_equal(ftruncate(file, (off_t)(4 * count)), 0);
  }
  assert_int_equal(lseek(file, 0, SEEK_END), 4 * count);
  void *const words = mmap(NULL, 4 * count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  assert_ptr_not_equal(words, MAP_FAILED);
  close(file);
  return words;
}

static uint32_t value_at(uint32_t y, uint32_t x) {
  return 2654435761u * (y * WIDTH + x);
}

static int make_input(void **state) {
  (void)state;
  uint32_t *const words = map_words(input, (size_t)HEIGHT * WIDTH, true);
  for (uint32_t y = 0; y < HEIGHT; ++y) {
    for (uint32_t x = 0; x < WIDTH; ++x) {
      words[(size_t)y * WIDTH + x] = value_at(y, x);
    }
  }
  munmap(words, (size_t)4 * HEIGHT * WIDTH);
  return 0;
}

static int remove_files(void **state) {
  (void)state;
  unlink(input);
  unlink(output);
  return 0;
}

static double seconds_of(struct timeval time) {
  return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

/* The exit code, and what the process took. */
static int convert_from(const char *device, const char *from, const char *to, struct rusage *used) {
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    execl(command, command, "convert", "--device", device, "--from", from, "--to", to, input,
          output, (char *)NULL);
    _exit(127);
  }
  int status = 0;
  assert_int_equal(wait4(child, &status, 0, used), child);
  assert_true(WIFEXITED(status));
  print_message("%s, %s: %ld KiB, %.2f s\n", device, to, used->ru_maxrss,
                seconds_of(used->ru_utime) + seconds_of(used->ru_stime));
  return WEXITSTATUS(status);
}

/* The exit code, and the most memory that was taken at a time. */
static int convert(const char *device, const char *to, long *kibibytes) {
  char from[64];
  struct rusage used;
  snprintf(from, sizeof from, "u32[%d,%d]", HEIGHT, WIDTH);
  const int code = convert_from(device, from, to, &used);
  *kibibytes = used.ru_maxrss;
  return code;
}

static size_t transposed(uint32_t y, uint32_t x) {
  return (size_t)x * HEIGHT + y;
}

static size_t tiled(uint32_t y, uint32_t x) {
  const size_t across = (WIDTH + 127) / 128;
  return ((y / 8) * across + x / 128) * 1024 + y % 8 * 128 + x % 128;
}

static size_t padded(uint32_t y, uint32_t x) {
  return (size_t)y * (WIDTH + 3) + x;
}

/* Every word where it belongs, and the rest of `count` words 9. */
static void check(const char *device, const char *to, size_t count,
                  size_t place(uint32_t y, uint32_t x)) {
  long kibibytes = 0;
  const int code = convert(device, to, &kibibytes);
  if (code == NO_DEVICE) {
    skip();
  }
  assert_int_equal(code, 0);
  assert_true(kibibytes < MOST_KIBIBYTES);
  uint32_t *const words = map_words(output, count, false);
  size_t wrong = 0;
  for (uint32_t y = 0; y < HEIGHT; ++y) {
    for (uint32_t x = 0; x < WIDTH; ++x) {
      wrong += words[place(y, x)] != value_at(y, x);
      words[place(y, x)] = 9;
    }
  }
  for (size_t i = 0; i < count; ++i) {
    wrong += words[i] != 9;
  }
  assert_int_equal(wrong, 0);
  munmap(words, 4 * count);
}

static void test_transposed(void **state) {
  (void)state;
  check("cpu", "{0,1}", (size_t)HEIGHT * WIDTH, transposed);
}

static void test_tiled(void **state) {
  (void)state;
  check("cpu", "{1,0:PV(9)T(8,128)}", (size_t)HEIGHT * ((WIDTH + 127) / 128 * 128), tiled);
}

static void test_padded(void **state) {
  (void)state;
  check("cpu", "u32[7168,7500]{1,0:PD(7170,7503)PV(9)}", (size_t)(HEIGHT + 2) * (WIDTH + 3),
        padded);
}

/* Boxes go along what lies together on both sides: with bytes of every word, as lie together in the
 * output, all that lies between them would be read too. */
static void test_short_runs(void **state) {
  (void)state;
  enum { PIXELS = HEIGHT * WIDTH / 8, MOST_HERE = 320 << 10 };
  char from[64];
  struct rusage used;
  snprintf(from, sizeof from, "u8[%d,8,4]", PIXELS);
  assert_int_equal(convert_from("cpu", from, "{0,1,2}", &used), 0);
  assert_true(used.ru_maxrss < MOST_HERE);
  const uint8_t *const bytes = (const uint8_t *)map_words(output, (size_t)HEIGHT * WIDTH, false);
  size_t wrong = 0;
  for (uint32_t i = 0; i < PIXELS; ++i) {
    for (uint32_t j = 0; j < 8; ++j) {
      const uint32_t word = value_at(0, 8 * i + j);
      uint8_t expected[4];
      memcpy(expected, &word, sizeof word);
      for (uint32_t k = 0; k < 4; ++k) {
        wrong += bytes[((size_t)k * 8 + j) * PIXELS + i] != expected[k];
      }
    }
  }
  assert_int_equal(wrong, 0);
  munmap((void *)(uintptr_t)bytes, (size_t)4 * HEIGHT * WIDTH);
}

/* Three words of each four: the fourth stays 0, which takes about as long as writing it. */
static void test_unknown_padding(void **state) {
  (void)state;
  enum { PIXELS = HEIGHT * WIDTH / 3 };
  double seconds[2];
  for (int i = 0; i < 2; ++i) {
    char from[64];
    char to[64];
    struct rusage used;
    snprintf(from, sizeof from, "u32[%d,3]", PIXELS);
    snprintf(to, sizeof to, "{1,0:PD(%d,4)%s}", PIXELS, i == 0 ? "" : "PV(unknown)");
    assert_int_equal(convert_from("cpu", from, to, &used), 0);
    assert_true(used.ru_maxrss < MOST_KIBIBYTES);
    seconds[i] = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
    const uint32_t *const words = map_words(output, (size_t)4 * PIXELS, false);
    size_t wrong = 0;
    for (uint32_t p = 0; p < PIXELS; ++p) {
      for (uint32_t c = 0; c < 3; ++c) {
        wrong += words[(size_t)4 * p + c] != value_at(0, 3 * p + c);
      }
      wrong += words[(size_t)4 * p + 3] != 0;
    }
    assert_int_equal(wrong, 0);
    munmap((void *)(uintptr_t)words, (size_t)16 * PIXELS);
  }
  assert_true(seconds[1] < 8 * seconds[0] + 1);
}

static void test_by_opencl(void **state) {
  (void)state;
  check("opencl", "{0,1}", (size_t)HEIGHT * WIDTH, transposed);
}

/* Digits that share no divisor are no boxes: all is moved at once. */
static void test_what_has_no_boxes(void **state) {
  (void)state;
  long kibibytes = 0;
  assert_int_equal(convert("cpu", "{1,0:T(3,4)T(5,7)}", &kibibytes), 4); /* no such text */
  assert_int_equal(convert("cpu", "{1,0:T(3,4)(2,3)}", &kibibytes), 0);
}

int main(int argument_count, char **arguments) {
  if (argument_count != 3) {
    return 2;
  }
  command = arguments[1];
  name_files(arguments[2]);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_transposed),
      cmocka_unit_test(test_tiled),
      cmocka_unit_test(test_padded),
      cmocka_unit_test(test_short_runs),
      cmocka_unit_test(test_unknown_padding),
      cmocka_unit_test(test_by_opencl),
      cmocka_unit_test(test_what_has_no_boxes),
  };
  return cmocka_run_group_tests(tests, make_input, remove_files);
}
