/* environment.c: asks the system whether the caller's environment can be believed. */
#define _DEFAULT_SOURCE /* issetugid */
#include "base/environment.h"

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif

/* What was true when the program started: ids can be made equal later, which changes nothing about
 * who wrote the environment. */
static bool started_with_raised_rights(void) {
#if defined(__linux__)
  return getauxval(AT_SECURE) != 0;
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__)
  return issetugid() != 0;
#else
  return false;
#endif
}

bool rlt_has_raised_rights(void) {
  return started_with_raised_rights() || getuid() != geteuid() || getgid() != getegid();
}

const char *rlt_environment(const char *name) {
  return rlt_has_raised_rights() ? NULL : getenv(name);
}
