/* test_cache_folder.c: cache files that several threads and processes read and write at once, and
 * what writers leave behind that were killed. */
#define _DEFAULT_SOURCE /* syscall */
#include "cmocka_all.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cache_folder.h"
#include "child.h"
#include "scratch.h"

enum { MOST_BYTES = 1 << 20 };

/* ---- Calls of the C library that the tests watch ---- */

static char
    events[16]; /* f: a file was brought to the disk, d: a directory, r: a file got its name */
static void (*before_reading)(void);

static void note(char event) {
  const size_t length = strlen(events);
  if (length < sizeof events - 1) {
    events[length] = event;
    events[length + 1] = '\0';
  }
}

int fsync(int file) {
  struct stat facts;
  assert_int_equal(fstat(file, &facts), 0);
  note(S_ISDIR(facts.st_mode) ? 'd' : 'f');
  return (int)syscall(SYS_fsync, file);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to) {
  note('r');
  return (int)syscall(SYS_renameat2, from_directory, from, to_directory, to, 0);
}

ssize_t read(int file, void *bytes, size_t size) {
  if (before_reading != NULL) {
    void (*const hook)(void) = before_reading;
    before_reading = NULL;
    hook();
  }
  return syscall(SYS_read, file, bytes, size);
}

/* ---- The folder ---- */

static char scratch[SCRATCH_PATH];
static char folder[SCRATCH_PATH];

static int set_up(void **state) {
  (void)state;
  events[0] = '\0';
  scratch_make(scratch);
  assert_true(snprintf(folder, sizeof folder, "%s/folder", scratch) < SCRATCH_PATH);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  scratch_remove(scratch);
  return 0;
}

/* A path in the folder, until the next call. */
static const char *in_folder(const char *name) {
  static char path[SCRATCH_PATH];
  assert_true(snprintf(path, sizeof path, "%s/%s", folder, name) < SCRATCH_PATH);
  return path;
}

static void put(const char *name, const char *text) {
  rlt_cache_folder_write(folder, name, (const unsigned char *)text, strlen(text));
}

/* What a call gave back is this text, or nothing for NULL. */
static void expect_bytes(unsigned char *bytes, size_t size, const char *text) {
  if (text == NULL) {
    assert_null(bytes);
    return;
  }
  assert_non_null(bytes);
  assert_int_equal(size, strlen(text));
  assert_memory_equal(bytes, text, size);
  free(bytes);
}

static void expect(const char *name, const char *text) {
  size_t size = 0;
  unsigned char *const bytes = rlt_cache_folder_read(folder, name, MOST_BYTES, &size);
  expect_bytes(bytes, size, text);
}

static void exchange(const char *name, const char *text, const char *old) {
  size_t size = 0;
  unsigned char *const bytes = rlt_cache_folder_exchange(folder, name, (const unsigned char *)text,
                                                         strlen(text), MOST_BYTES, &size);
  expect_bytes(bytes, size, old);
}

/* Not every file system can, NFS for one. */
static bool can_exchange(void) {
  put("a", "a");
  put("b", "b");
  const int directory = open(folder, O_RDONLY | O_DIRECTORY);
  const long failed = syscall(SYS_renameat2, directory, "a", directory, "b", RENAME_EXCHANGE);
  close(directory);
  unlink(in_folder("a"));
  unlink(in_folder("b"));
  events[0] = '\0';
  return failed == 0;
}

/* ---- Writing ---- */

static void test_on_the_disk_before_it_has_its_name(void **state) {
  (void)state;
  put("a", "first");
  assert_string_equal(events, "frd");
  put("a", "second");
  assert_string_equal(events, "frdfrd");
  expect("a", "second");
}

/* Names are exchanged by a call that is not watched. */
static void test_exchanged(void **state) {
  (void)state;
  if (!can_exchange()) {
    skip();
  }
  exchange("a", "first", NULL);
  assert_string_equal(events, "fd");
  exchange("a", "second", "first");
  assert_string_equal(events, "fdfd");
  exchange("a", "third", "second");
  expect("a", "third");
  assert_int_equal(scratch_count(folder), 1);
}

/* Neither a folder nor a link is put aside for a file. */
static void test_exchanged_for_no_file(void **state) {
  (void)state;
  put("other", "other");
  assert_int_equal(mkdir(in_folder("a"), 0700), 0);
  exchange("a", "text", NULL);
  struct stat facts;
  assert_int_equal(lstat(in_folder("a"), &facts), 0);
  assert_true(S_ISDIR(facts.st_mode));
  assert_int_equal(symlink("other", in_folder("b")), 0);
  exchange("b", "text", NULL);
  expect("b", "text");
  expect("other", "other");
  assert_int_equal(scratch_count(folder), 2);
}

static void test_a_folder_behind_a_link(void **state) {
  (void)state;
  char behind[SCRATCH_PATH];
  assert_true(snprintf(behind, sizeof behind, "%s/behind", scratch) < SCRATCH_PATH);
  assert_int_equal(mkdir(behind, 0700), 0);
  assert_int_equal(symlink("behind", folder), 0);
  put("a", "text");
  expect("a", "text");
  assert_int_equal(scratch_count(behind), 1);
}

/* A limit on the size of files, which ends processes that write beyond it. */
static void test_limit_of_the_process(void **state) {
  (void)state;
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    const struct rlimit limit = {.rlim_cur = 10, .rlim_max = 10};
    signal(SIGXFSZ, SIG_DFL);
    setrlimit(RLIMIT_FSIZE, &limit);
    put("a", "0123456789");
    put("b", "0123456789a");
    exchange("a", "0123456789a", NULL);
    _exit(0);
  }
  assert_int_equal(child_code(child), 0);
  expect("a", "0123456789");
  assert_int_equal(scratch_count(folder), 1);
}

/* ---- Reading ---- */

static void append_to_a(void) {
  const int file = open(in_folder("a"), O_WRONLY | O_APPEND);
  assert_int_equal(write(file, "more", 4), 4);
  close(file);
}

static void shorten_a(void) {
  assert_int_equal(truncate(in_folder("a"), 2), 0);
}

static void replace_a(void) {
  put("a", "new text");
}

static void test_changed_while_it_is_read(void **state) {
  (void)state;
  put("a", "text");
  before_reading = append_to_a;
  expect("a", "text");
  before_reading = shorten_a;
  expect("a", NULL);
  put("a", "text");
  before_reading = replace_a;
  expect("a", "text");
  expect("a", "new text");
}

/* ---- Trimming ---- */

static bool is_lower_case(const char *name, size_t length) {
  return strspn(name, "abcdefghijklmnopqrstuvwxyz") >= length;
}

static bool is_there(const char *name) {
  return access(in_folder(name), F_OK) == 0;
}

static void test_what_the_dead_have_left(void **state) {
  (void)state;
  static const char *const left[] = {"a-1-000000002", "abc-99999-999999999"};
  static const char *const others[] = {"A-1-000000002", "a-1",           "a--000000002", "a-1-",
                                       "-1-000000002",  "a-1-00000000x", "1-2"};
  put("a", "text");
  for (size_t i = 0; i < sizeof left / sizeof left[0]; ++i) {
    scratch_write(in_folder(left[i]), "te", 2);
  }
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
    scratch_write(in_folder(others[i]), "te", 2);
  }
  scratch_age(folder, 50 * 60); /* their writers may live */
  rlt_cache_folder_trim(folder, is_lower_case, MOST_BYTES);
  assert_true(is_there(left[0]) && is_there(left[1]));
  scratch_age(folder, 20 * 60);
  scratch_write(in_folder("a-3-000000004"), "te", 2);
  rlt_cache_folder_trim(folder, is_lower_case, MOST_BYTES);
  assert_false(is_there(left[0]) || is_there(left[1]));
  for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
    assert_true(is_there(others[i]));
  }
  assert_true(is_there("a") && is_there("a-3-000000004"));
}

static void test_files_of_others_stay(void **state) {
  (void)state;
  if (geteuid() != 0) {
    skip(); /* only root can make them */
  }
  static const char *const names[] = {"a", "a-1-000000002"};
  put("b", "text");
  for (size_t i = 0; i < 2; ++i) {
    scratch_write(in_folder(names[i]), "a longer text", 13);
    assert_int_equal(chown(in_folder(names[i]), 1234, 1234), 0);
  }
  scratch_age(folder, 2 * 60 * 60);
  rlt_cache_folder_trim(folder, is_lower_case, 4);
  assert_true(is_there("a") && is_there("a-1-000000002") && is_there("b"));
  rlt_cache_folder_trim(folder, is_lower_case, 3);
  assert_true(is_there("a") && is_there("a-1-000000002"));
  assert_false(is_there("b"));
}

/* What cannot be removed does not count. */
static void test_trimmed_beside_folders(void **state) {
  (void)state;
  put("b", "text");
  assert_int_equal(mkdir(in_folder("a"), 0700), 0);
  assert_int_equal(symlink("b", in_folder("c")), 0);
  rlt_cache_folder_trim(folder, is_lower_case, 4);
  assert_true(is_there("a") && is_there("b") && is_there("c"));
  rlt_cache_folder_trim(folder, is_lower_case, 0);
  assert_true(is_there("a"));
  assert_false(is_there("b"));
  rlt_cache_folder_trim("/not/there", is_lower_case, 0);
  rlt_cache_folder_trim(NULL, is_lower_case, 0);
}

static void test_removed(void **state) {
  (void)state;
  bool was_there = true;
  assert_true(rlt_cache_folder_remove(folder, "a", &was_there)); /* nor is there a folder */
  assert_false(was_there);
  put("a", "text");
  put("b", "text");
  assert_true(rlt_cache_folder_remove(folder, "a", &was_there));
  assert_true(was_there && !is_there("a") && is_there("b"));
  assert_true(rlt_cache_folder_remove(folder, "a", &was_there));
  assert_false(was_there);
  assert_int_equal(mkdir(in_folder("c"), 0700), 0);
  assert_false(rlt_cache_folder_remove(folder, "c", &was_there));
  assert_false(was_there);
  assert_true(rlt_cache_folder_remove(NULL, "a", &was_there));
  assert_false(was_there);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_on_the_disk_before_it_has_its_name),
      TEST(test_exchanged),
      TEST(test_exchanged_for_no_file),
      TEST(test_a_folder_behind_a_link),
      TEST(test_limit_of_the_process),
      TEST(test_changed_while_it_is_read),
      TEST(test_what_the_dead_have_left),
      TEST(test_files_of_others_stay),
      TEST(test_trimmed_beside_folders),
      TEST(test_removed),
  };
  return cmocka_run_group_tests_name("base.cache_folder", tests, NULL, NULL);
}
