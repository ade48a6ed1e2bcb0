/* version.h: the version of these headers and of the library that is loaded. */
#ifndef RELAYOUT_VERSION_H
#define RELAYOUT_VERSION_H

#include "relayout/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The build reads its version from these three lines. */
#define RELAYOUT_VERSION_MAJOR 0
#define RELAYOUT_VERSION_MINOR 1
#define RELAYOUT_VERSION_PATCH 0

/* "major.minor.patch" of the loaded library. Static storage. */
RELAYOUT_API const char *relayout_version(void);

#ifdef __cplusplus
}
#endif

#endif
