/* child.h: what children of fork() come to. */
#ifndef HOST_TESTS_CHILD_H
#define HOST_TESTS_CHILD_H

#include "cmocka_all.h"

#include <sys/types.h>
#include <sys/wait.h>

/* Waits for a child, which is to end by itself; its exit code. */
static inline int child_code(pid_t child) {
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

#endif
