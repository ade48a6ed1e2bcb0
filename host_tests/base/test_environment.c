/* test_environment.c: whose environment a process may believe, and which files it then reads. What
 * the system says of the process's rights is replaced here. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cache_folder.h"
#include "base/environment.h"
#include "scratch.h"

/* ---- The rights of the process ---- */

static unsigned long at_secure;
static uid_t user, effective_user;
static gid_t group, effective_group;

unsigned long __real_getauxval(unsigned long type);
unsigned long __wrap_getauxval(unsigned long type);
unsigned long __wrap_getauxval(unsigned long type) {
  return type == AT_SECURE ? at_secure : __real_getauxval(type);
}

uid_t __wrap_getuid(void);
uid_t __wrap_getuid(void) {
  return user;
}

uid_t __wrap_geteuid(void);
uid_t __wrap_geteuid(void) {
  return effective_user;
}

gid_t __wrap_getgid(void);
gid_t __wrap_getgid(void) {
  return group;
}

gid_t __wrap_getegid(void);
gid_t __wrap_getegid(void) {
  return effective_group;
}

enum { CALLER = 1000, OTHER = 1001 };

static void have_rights(unsigned long secure, uid_t real, uid_t effective) {
  at_secure = secure;
  user = real;
  effective_user = effective;
  group = effective_group = CALLER;
}

/* ---- Variables ---- */

static char folder[SCRATCH_PATH];

static int set_up(void **state) {
  (void)state;
  scratch_make(folder);
  return setenv("XDG_CACHE_HOME", folder, 1) | setenv("HOME", folder, 1) |
         unsetenv("RELAYOUT_CACHE");
}

static int tear_down(void **state) {
  (void)state;
  scratch_remove(folder);
  return 0;
}

static void expect_heard(bool is_heard) {
  assert_int_equal(rlt_has_raised_rights(), !is_heard);
  assert_ptr_equal(rlt_environment("HOME"), is_heard ? getenv("HOME") : NULL);
  char *const found = rlt_cache_folder(NULL);
  assert_int_equal(found != NULL, is_heard);
  free(found);
}

static void test_who_is_heard(void **state) {
  (void)state;
  have_rights(0, CALLER, CALLER);
  expect_heard(true);
  have_rights(1, CALLER, CALLER); /* file capabilities */
  expect_heard(false);
  have_rights(1, 0, 0); /* set-user-ID, after setuid(0) */
  expect_heard(false);
  have_rights(0, CALLER, 0);
  expect_heard(false);
  have_rights(0, CALLER, CALLER);
  effective_group = OTHER;
  expect_heard(false);
  have_rights(0, 0, 0);
  expect_heard(true);
  assert_null(rlt_environment("RELAYOUT_NO_SUCH_VARIABLE"));
}

/* RELAYOUT_CACHE counts no more than the others: the program's own folder stays. */
static void test_folder_of_the_program(void **state) {
  (void)state;
  static const struct {
    unsigned long secure;
    const char *folder;
  } cases[] = {{0, NULL}, {1, "/program/folder"}};
  assert_int_equal(setenv("RELAYOUT_CACHE", "off", 1), 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    have_rights(cases[i].secure, CALLER, CALLER);
    char *const found = rlt_cache_folder("/program/folder");
    assert_true(found == NULL ? cases[i].folder == NULL : strcmp(found, cases[i].folder) == 0);
    free(found);
  }
}

/* ---- Files ---- */

/* The file's owner is whoever runs this test. */
static bool is_read(void) {
  size_t size = 0;
  unsigned char *const bytes = rlt_cache_folder_read(folder, "file", 100, &size);
  free(bytes);
  return bytes != NULL;
}

static void test_whose_files_are_read(void **state) {
  (void)state;
  char path[SCRATCH_PATH + 8];
  struct stat facts;
  snprintf(path, sizeof path, "%s/file", folder);
  scratch_write(path, "text", 4);
  if (stat(path, &facts) != 0 || (facts.st_uid == 0 && chown(path, CALLER, CALLER) != 0) ||
      stat(path, &facts) != 0) {
    fail();
  }
  const uid_t owner = facts.st_uid;
  have_rights(0, owner, owner);
  assert_true(is_read());
  have_rights(0, owner + 1, owner + 1);
  assert_false(is_read());
  have_rights(1, owner + 1, owner); /* set-user-ID: files of the user that it runs as */
  assert_true(is_read());
  have_rights(1, owner, owner); /* file capabilities: the caller's files */
  assert_false(is_read());
  have_rights(1, owner, 0);
  assert_false(is_read());
}

static void test_files_of_root_are_read(void **state) {
  (void)state;
  if (chown(folder, 0, 0) != 0) {
    skip(); /* only root can make them */
  }
  char path[SCRATCH_PATH + 8];
  snprintf(path, sizeof path, "%s/file", folder);
  scratch_write(path, "text", 4);
  have_rights(1, CALLER, CALLER);
  assert_true(is_read());
  have_rights(1, 0, 0);
  assert_true(is_read());
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_who_is_heard),
      TEST(test_folder_of_the_program),
      TEST(test_whose_files_are_read),
      TEST(test_files_of_root_are_read),
  };
  return cmocka_run_group_tests_name("base.environment", tests, NULL, NULL);
}
