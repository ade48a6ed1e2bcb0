/* test_disk_cache.c: the files of the disk cache, without any device: kept, missed, bounded. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "opencl/disk_cache.h"
#include "scratch.h"

static const rlt_disk_key a_key = {{"platform", "OpenCL 3.0 platform 1", "device", "vendor",
                                    "OpenCL 3.0 device", "driver 1.0", "-DWORD_BYTES=4", "shared",
                                    "", "", "more", "", "and", "more", "", "kernel"}};
static const unsigned char a_binary[] = "a binary\0with a zero in it";

/* A test's directory, which does not exist yet, in its scratch directory. */
typedef struct place {
  char scratch[SCRATCH_PATH];
  char directory[SCRATCH_PATH];
  rlt_disk_cache cache;
} place;

static void append(char *path, const char *base, const char *rest) {
  assert_true(snprintf(path, SCRATCH_PATH, "%s/%s", base, rest) < SCRATCH_PATH);
}

static int set_up(void **state) {
  place *const made = calloc(1, sizeof *made);
  assert_non_null(made);
  unsetenv("RELAYOUT_CACHE");
  scratch_make(made->scratch);
  append(made->directory, made->scratch, "not/there");
  rlt_disk_cache_open(made->directory, &made->cache);
  *state = made;
  return 0;
}

static int tear_down(void **state) {
  place *const made = *state;
  rlt_disk_cache_close(&made->cache);
  scratch_remove(made->scratch);
  free(made);
  return 0;
}

static void keep(const place *here) {
  rlt_disk_cache_store(&here->cache, &a_key, a_binary, sizeof a_binary);
}

static bool is_kept(const place *here, const rlt_disk_key *key) {
  unsigned char *binary = NULL;
  size_t size = 0;
  if (!rlt_disk_cache_load(&here->cache, key, &binary, &size)) {
    assert_null(binary);
    return false;
  }
  assert_int_equal(size, sizeof a_binary);
  assert_memory_equal(binary, a_binary, size);
  free(binary);
  return true;
}

static mode_t mode_of(const char *path) {
  struct stat facts;
  assert_int_equal(lstat(path, &facts), 0);
  return facts.st_mode & 0777;
}

/* ---- What is kept ---- */

static void test_kept_for_the_user_alone(void **state) {
  const place *const here = *state;
  const mode_t mask = umask(0);
  assert_false(is_kept(here, &a_key));
  assert_int_equal(access(here->directory, F_OK), -1); /* looking makes no directory */
  keep(here);
  umask(mask);
  assert_true(is_kept(here, &a_key));
  char path[SCRATCH_PATH];
  scratch_only_file(here->directory, path);
  assert_int_equal(mode_of(path), 0600);
  assert_int_equal(mode_of(here->directory), 0700);
  append(path, here->scratch, "not");
  assert_int_equal(mode_of(path), 0700);
}

static void test_kept_again(void **state) {
  const place *const here = *state;
  rlt_disk_cache_store(&here->cache, &a_key, (const unsigned char *)"an older one", 12);
  keep(here);
  assert_true(is_kept(here, &a_key));
  assert_int_equal(scratch_count(here->directory), 1);
}

/* Another driver version, another source: every string counts, and where one ends too. */
static void test_every_string_counts(void **state) {
  const place *const here = *state;
  keep(here);
  for (size_t i = 0; i < RLT_KEY_STRINGS; ++i) {
    rlt_disk_key other = a_key;
    other.strings[i] = "another";
    assert_false(is_kept(here, &other));
  }
  rlt_disk_key moved = a_key;
  moved.strings[RLT_KEY_PLATFORM_NAME] = "platformO";
  moved.strings[RLT_KEY_PLATFORM_VERSION] = "penCL 3.0 platform 1";
  assert_false(is_kept(here, &moved));
  assert_true(is_kept(here, &a_key));
}

/* ---- Damage ---- */

static void test_every_byte_counts(void **state) {
  const place *const here = *state;
  keep(here);
  char path[SCRATCH_PATH];
  scratch_only_file(here->directory, path);
  size_t size = 0;
  unsigned char *const bytes = scratch_read(path, &size);
  for (size_t i = 0; i < size; ++i) {
    bytes[i] ^= 0x10;
    scratch_write(path, bytes, size);
    assert_false(is_kept(here, &a_key));
    bytes[i] ^= 0x10;
  }
  for (size_t cut = 0; cut < size; ++cut) {
    scratch_write(path, bytes, cut);
    assert_false(is_kept(here, &a_key));
  }
  bytes[size] = 0;
  scratch_write(path, bytes, size + 1);
  assert_false(is_kept(here, &a_key));
  keep(here);
  assert_true(is_kept(here, &a_key));
  free(bytes);
}

/* FNV-1a, as the file's checksum is made. */
static uint64_t checksum_of(const unsigned char *bytes, size_t size) {
  uint64_t hash = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < size; ++i) {
    hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
  }
  return hash;
}

/* What files of the first version are, for later ones to know: what is changed is another. */
static void test_layout(void **state) {
  struct {
    char magic[8];
    uint32_t version;
    uint32_t pointer_bytes;
    uint64_t key_size;
    uint64_t binary_size;
    uint64_t checksum;
  } head;
  const place *const here = *state;
  keep(here);
  char path[SCRATCH_PATH];
  scratch_only_file(here->directory, path);
  size_t size = 0;
  unsigned char *const bytes = scratch_read(path, &size);
  memcpy(&head, bytes, sizeof head);
  assert_memory_equal(head.magic, "relayout", 8);
  assert_int_equal(head.version, 1);
  assert_int_equal(head.pointer_bytes, sizeof(void *));
  const unsigned char *at = bytes + sizeof head;
  for (size_t i = 0; i < RLT_KEY_STRINGS; ++i) {
    assert_string_equal((const char *)at, a_key.strings[i]);
    at += strlen(a_key.strings[i]) + 1;
  }
  assert_int_equal(head.key_size, (size_t)(at - bytes) - sizeof head);
  assert_int_equal(head.binary_size, sizeof a_binary);
  assert_memory_equal(at, a_binary, sizeof a_binary);
  assert_int_equal((size_t)(at - bytes) + sizeof a_binary, size);
  assert_int_equal(head.checksum, checksum_of(bytes + sizeof head, size - sizeof head));
  free(bytes);
}

/* A file that is right but for its binary, of which there is nothing. */
static void test_no_binary(void **state) {
  enum { HEAD_SIZE = 40, BINARY_SIZE_AT = 24, CHECKSUM_AT = 32 };
  const place *const here = *state;
  keep(here);
  char path[SCRATCH_PATH];
  scratch_only_file(here->directory, path);
  size_t size = 0;
  unsigned char *const bytes = scratch_read(path, &size);
  for (size_t kept = 0; kept < 2; ++kept) {
    const uint64_t binary_size = kept;
    const size_t whole = size - sizeof a_binary + kept;
    const uint64_t checksum = checksum_of(bytes + HEAD_SIZE, whole - HEAD_SIZE);
    memcpy(bytes + BINARY_SIZE_AT, &binary_size, sizeof binary_size);
    memcpy(bytes + CHECKSUM_AT, &checksum, sizeof checksum);
    scratch_write(path, bytes, whole);
    unsigned char *binary = NULL;
    size_t found = 9;
    assert_int_equal(rlt_disk_cache_load(&here->cache, &a_key, &binary, &found), kept == 1);
    if (kept == 1) {
      assert_true(found == 1 && binary[0] == a_binary[0]);
      free(binary);
    }
  }
  free(bytes);
}

/* Whole files where those of another key belong, as after a collision of hashes. */
static void test_files_of_other_keys(void **state) {
  const place *const here = *state;
  char path[SCRATCH_PATH];
  rlt_disk_key other = a_key;
  other.strings[RLT_KEY_DRIVER_VERSION] = "driver 2.0"; /* a key just as long */
  keep(here);
  scratch_only_file(here->directory, path);
  assert_int_equal(unlink(path), 0);
  rlt_disk_cache_store(&here->cache, &other, a_binary, sizeof a_binary);
  char others[SCRATCH_PATH];
  scratch_only_file(here->directory, others);
  assert_string_not_equal(others, path);
  assert_int_equal(rename(others, path), 0);
  assert_false(is_kept(here, &a_key));
}

static void test_files_of_other_users(void **state) {
  const place *const here = *state;
  keep(here);
  char path[SCRATCH_PATH];
  scratch_only_file(here->directory, path);
  assert_int_equal(chmod(path, 0620), 0);
  assert_false(is_kept(here, &a_key));
  assert_int_equal(chmod(path, 0602), 0);
  assert_false(is_kept(here, &a_key));
  assert_int_equal(chmod(path, 0644), 0);
  assert_true(is_kept(here, &a_key));
  if (geteuid() == 0) {
    assert_int_equal(chown(path, 1234, 1234), 0);
    assert_false(is_kept(here, &a_key));
  }
}

static void test_what_is_no_file(void **state) {
  const place *const here = *state;
  keep(here);
  char path[SCRATCH_PATH];
  char aside[SCRATCH_PATH];
  scratch_only_file(here->directory, path);
  append(aside, here->scratch, "aside");
  assert_int_equal(rename(path, aside), 0);

  assert_int_equal(symlink(aside, path), 0);
  assert_false(is_kept(here, &a_key));
  assert_int_equal(unlink(path), 0);

  assert_int_equal(mkfifo(path, 0600), 0); /* and nobody who writes */
  assert_false(is_kept(here, &a_key));
  assert_int_equal(unlink(path), 0);

  assert_int_equal(mkdir(path, 0700), 0);
  assert_false(is_kept(here, &a_key));
  keep(here);
  assert_false(is_kept(here, &a_key));
  assert_int_equal(scratch_count(here->directory), 0); /* nothing half done is left */
}

/* A link in the place of a file is replaced, and what it points to stays. */
static void test_links_are_not_written_through(void **state) {
  const place *const here = *state;
  keep(here);
  char path[SCRATCH_PATH];
  char victim[SCRATCH_PATH];
  scratch_only_file(here->directory, path);
  append(victim, here->scratch, "victim");
  scratch_write(victim, "mine", 4);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(symlink(victim, path), 0);
  keep(here);
  assert_true(is_kept(here, &a_key));
  size_t size = 0;
  unsigned char *const bytes = scratch_read(victim, &size);
  assert_int_equal(size, 4);
  assert_memory_equal(bytes, "mine", 4);
  free(bytes);
}

/* ---- Nowhere to keep ---- */

static void test_no_directory(void **state) {
  const place *const here = *state;
  char path[SCRATCH_PATH];
  append(path, here->scratch, "not");
  scratch_write(path, "a file", 6);
  keep(here);
  assert_false(is_kept(here, &a_key));

  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkdir(path, 0500), 0);
  keep(here);
  if (geteuid() != 0) { /* who may write everywhere */
    assert_false(is_kept(here, &a_key));
  }
  assert_int_equal(chmod(path, 0700), 0);

  rlt_disk_cache proc;
  rlt_disk_cache_open("/proc/self/relayout", &proc);
  rlt_disk_cache_store(&proc, &a_key, a_binary, sizeof a_binary);
  unsigned char *binary = NULL;
  size_t size = 0;
  assert_false(rlt_disk_cache_load(&proc, &a_key, &binary, &size));
  rlt_disk_cache_close(&proc);
}

static void test_empty_and_huge_binaries(void **state) {
  const place *const here = *state;
  const size_t huge = (size_t)17 << 20;
  unsigned char *const zeros = calloc(1, huge);
  assert_non_null(zeros);
  rlt_disk_cache_store(&here->cache, &a_key, zeros, 0);
  rlt_disk_cache_store(&here->cache, &a_key, zeros, huge);
  assert_int_equal(scratch_count(here->directory), 0);
  free(zeros);
}

/* ---- Which directory ---- */

static void expect_directory(const char *wanted, const char *expected) {
  rlt_disk_cache cache;
  rlt_disk_cache_open(wanted, &cache);
  if (expected == NULL) {
    assert_null(cache.directory);
  } else {
    assert_non_null(cache.directory);
    assert_string_equal(cache.directory, expected);
  }
  rlt_disk_cache_close(&cache);
}

static void test_which_directory(void **state) {
  (void)state;
  setenv("HOME", "/home/someone", 1);
  setenv("XDG_CACHE_HOME", "/var/cache/someone", 1);
  expect_directory(NULL, "/var/cache/someone/relayout");
  expect_directory("/elsewhere/programs", "/elsewhere/programs");
  expect_directory("", NULL);
  setenv("XDG_CACHE_HOME", "cache", 1); /* "must be absolute" */
  expect_directory(NULL, "/home/someone/.cache/relayout");
  setenv("XDG_CACHE_HOME", "", 1);
  expect_directory(NULL, "/home/someone/.cache/relayout");
  unsetenv("XDG_CACHE_HOME");
  expect_directory(NULL, "/home/someone/.cache/relayout");
  setenv("HOME", "someone", 1);
  expect_directory(NULL, NULL);
  unsetenv("HOME");
  expect_directory(NULL, NULL);
  expect_directory("/elsewhere", "/elsewhere");
  setenv("RELAYOUT_CACHE", "off", 1);
  expect_directory("/elsewhere", NULL);
  setenv("RELAYOUT_CACHE", "on", 1);
  expect_directory("/elsewhere", "/elsewhere");
}

static void test_nothing_without_a_directory(void **state) {
  (void)state;
  rlt_disk_cache none;
  rlt_disk_cache_open("", &none);
  rlt_disk_cache_store(&none, &a_key, a_binary, sizeof a_binary);
  unsigned char *binary = NULL;
  size_t size = 0;
  assert_false(rlt_disk_cache_load(&none, &a_key, &binary, &size));
  rlt_disk_cache_close(&none);
}

/* ---- The bound ---- */

/* The files used least lately go, those left from a crash among them, and nobody else's. */
static void test_the_oldest_go(void **state) {
  place *const here = *state;
  enum { KEYS = 5 };
  static const char *const options[KEYS] = {"0", "1", "2", "3", "4"};
  rlt_disk_key keys[KEYS];
  char path[SCRATCH_PATH] = "";
  keep(here);
  scratch_only_file(here->directory, path);
  size_t size = 0;
  free(scratch_read(path, &size));
  size -= strlen(a_key.strings[RLT_KEY_OPTIONS]) - 1; /* with the options above */
  char left_over[SCRATCH_PATH];
  assert_true(snprintf(left_over, sizeof left_over, "%s-1-2", path) < SCRATCH_PATH);
  assert_int_equal(rename(path, left_over), 0);
  /* Names that are a program's but for a character. */
  static const char *const names[] = {"0123.program",
                                      "0123456789abcde.program",
                                      "0123456789abcdef0.program",
                                      "0123456789abcdeF.program",
                                      "0123456789abcdeg.program",
                                      "0123456789abcdef_program",
                                      "0123456789abcdef.prograM",
                                      "0123456789abcdef.programs",
                                      "0123456789abcdef.progra"};
  enum { ALIENS = sizeof names / sizeof names[0] };
  char aliens[ALIENS][SCRATCH_PATH];
  for (int a = 0; a < ALIENS; ++a) {
    append(aliens[a], here->directory, names[a]);
    scratch_write(aliens[a], "0123456789", 10);
  }

  here->cache.most_bytes = 3 * size;
  for (int k = 0; k < KEYS; ++k) {
    keys[k] = a_key;
    keys[k].strings[RLT_KEY_OPTIONS] = options[k];
    scratch_age(here->directory, 10);
    rlt_disk_cache_store(&here->cache, &keys[k], a_binary, sizeof a_binary);
    if (k == 2) { /* the first is old, but in use */
      scratch_age(here->directory, 10);
      assert_int_equal(access(left_over, F_OK), -1);
      assert_int_equal(scratch_count(here->directory), 3 + ALIENS);
      assert_true(is_kept(here, &keys[0]));
    }
  }
  assert_int_equal(scratch_count(here->directory), 3 + ALIENS);
  assert_true(is_kept(here, &keys[0]));
  assert_false(is_kept(here, &keys[1]));
  assert_false(is_kept(here, &keys[2]));
  assert_true(is_kept(here, &keys[3]));
  assert_true(is_kept(here, &keys[4]));
  for (int a = 0; a < ALIENS; ++a) {
    assert_int_equal(access(aliens[a], F_OK), 0);
  }
}

/* ---- Many at once ---- */

enum { WRITERS = 4, ROUNDS = 100, LONG_BINARY = 40000 };

/* Writes binaries of one byte repeated, and looks whether what is there is one of them. Returns
 * what the process exits with. */
static int write_and_look(const place *here, unsigned char byte) {
  unsigned char binary[LONG_BINARY];
  memset(binary, byte, sizeof binary);
  for (int round = 0; round < ROUNDS; ++round) {
    rlt_disk_cache_store(&here->cache, &a_key, binary, sizeof binary);
    unsigned char *found = NULL;
    size_t size = 0;
    if (!rlt_disk_cache_load(&here->cache, &a_key, &found, &size) || size != sizeof binary) {
      return 1; /* nobody removes any */
    }
    for (size_t i = 0; i < size; ++i) {
      if (found[i] != found[0]) {
        return 2;
      }
    }
    free(found);
  }
  return 0;
}

static void test_many_processes_at_once(void **state) {
  const place *const here = *state;
  pid_t writers[WRITERS];
  for (int w = 0; w < WRITERS; ++w) {
    writers[w] = fork();
    assert_true(writers[w] >= 0);
    if (writers[w] == 0) {
      _exit(write_and_look(here, (unsigned char)('a' + w)));
    }
  }
  for (int w = 0; w < WRITERS; ++w) {
    assert_int_equal(child_code(writers[w]), 0);
  }
  assert_int_equal(scratch_count(here->directory), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_kept_for_the_user_alone),
      TEST(test_kept_again),
      TEST(test_every_string_counts),
      TEST(test_every_byte_counts),
      TEST(test_layout),
      TEST(test_no_binary),
      TEST(test_files_of_other_keys),
      TEST(test_files_of_other_users),
      TEST(test_what_is_no_file),
      TEST(test_links_are_not_written_through),
      TEST(test_no_directory),
      TEST(test_empty_and_huge_binaries),
      TEST(test_which_directory),
      TEST(test_nothing_without_a_directory),
      TEST(test_the_oldest_go),
      TEST(test_many_processes_at_once),
  };
  return cmocka_run_group_tests_name("disk_cache", tests, NULL, NULL);
}
