/* version.c: tells the version of the loaded library. Depends on nothing. */
#include "relayout/version.h"

#define TEXT_OF(number)                   #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *relayout_version(void) {
  return VERSION_TEXT(RELAYOUT_VERSION_MAJOR, RELAYOUT_VERSION_MINOR, RELAYOUT_VERSION_PATCH);
}

int32_t relayout_version_number(void) {
  return RELAYOUT_VERSION_NUMBER;
}
