/* test_progress.c: what stands behind a progress bar, and the bar on a terminal of the test's own.
 */
#include "cmocka_all.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"

static void test_text(void **state) {
  (void)state;
  static const struct {
    uint64_t done;
    uint64_t bytes;
    double seconds;
    const char *text;
  } cases[] = {
      {0, 1 << 20, 0, "0 bytes of 1.0 MiB"},
      {0, 1 << 20, 9, "0 bytes of 1.0 MiB"},
      {1 << 20, UINT64_C(4) << 30, 0.01, "1.0 MiB of 4.0 GiB"},
      {UINT64_C(1) << 30, UINT64_C(4) << 30, 0.5, "1.0 GiB of 4.0 GiB, 2.15 GB/s, 2 s left"},
      {UINT64_C(1) << 30, UINT64_C(4) << 30, 30, "1.0 GiB of 4.0 GiB, 0.04 GB/s, 2 min left"},
      {UINT64_C(1) << 30, UINT64_C(4) << 30, 1800, "1.0 GiB of 4.0 GiB, 0.00 GB/s, 1.5 h left"},
      {1000, 1000, 1, "1000 bytes of 1000 bytes, 0.00 GB/s, 0 s left"},
      {UINT64_C(1) << 62, UINT64_C(1) << 63, 1, "4.0 EiB of 8.0 EiB, 4611686018.43 GB/s, 1 s left"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char text[PROGRESS_TEXT_CAPACITY];
    progress_text(cases[i].done, cases[i].bytes, cases[i].seconds, text);
    assert_string_equal(text, cases[i].text);
  }
}

/* What a bar of bytes leaves on a terminal. */
static void draw_bar(void) {
  progress bar = progress_begin_bytes("moving", 10, 1 << 20, 1);
  progress_update(&bar, 5);
  progress_end(&bar);
}

static void test_terminal(void **state) {
  (void)state;
  char text[1024] = "";
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
    skip();
  }
  const int screen = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  const int was = dup(STDERR_FILENO);
  assert_true(screen >= 0 && was >= 0);
  assert_true(dup2(screen, STDERR_FILENO) >= 0);
  draw_bar();
  dup2(was, STDERR_FILENO);
  close(was);
  close(screen);
  /* What was written arrives in pieces, and then nobody writes any more. */
  size_t size = 0;
  for (ssize_t got = 1; got > 0 && size<sizeof text - 1; size += got> 0 ? (size_t)got : 0) {
    got = read(terminal, text + size, sizeof text - 1 - size);
  }
  close(terminal);
  assert_non_null(strstr(text, "\rmoving     [                    ]   0 %  0 bytes of 1.0 MiB"));
  assert_non_null(strstr(text, "\rmoving     [##########          ]  50 %  512.0 KiB of 1.0 MiB"));
}

/* Where stderr is no terminal nothing is drawn. */
static void test_no_terminal(void **state) {
  (void)state;
  int ends[2];
  char text[16];
  assert_int_equal(pipe(ends), 0);
  const int was = dup(STDERR_FILENO);
  assert_true(was >= 0 && dup2(ends[1], STDERR_FILENO) >= 0);
  draw_bar();
  dup2(was, STDERR_FILENO);
  close(was);
  close(ends[1]);
  assert_int_equal(read(ends[0], text, sizeof text), 0);
  close(ends[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text),
      cmocka_unit_test(test_terminal),
      cmocka_unit_test(test_no_terminal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
