/* version.h: the version of these headers and of the library that is loaded, which may differ.
 *
 * Structs that may grow begin with struct_size, which the _INIT macros set: programs compiled with
 * older and with newer headers both run. Options that are all 0 except struct_size have their
 * defaults. Fields that an older caller does not know have their defaults. Fields that an older
 * library does not know must be 0 in the caller's options, otherwise the call returns
 * RELAYOUT_UNSUPPORTED; the library sets them to 0 in results. An invalid struct_size is
 * RELAYOUT_INVALID_ARGUMENT. All other structs stay as they are for as long as the soname does,
 * which has the minor version in it while the major one is 0. */
#ifndef RELAYOUT_VERSION_H
#define RELAYOUT_VERSION_H

#include <stdint.h>

#include "relayout/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The build reads its version from these three lines. */
#define RELAYOUT_VERSION_MAJOR 0
#define RELAYOUT_VERSION_MINOR 2
#define RELAYOUT_VERSION_PATCH 0

/* These headers' version as a number that grows: 2003 for 0.2.3, 1002003 for 1.2.3. */
#define RELAYOUT_VERSION_NUMBER                                                                    \
  (RELAYOUT_VERSION_MAJOR * 1000000 + RELAYOUT_VERSION_MINOR * 1000 + RELAYOUT_VERSION_PATCH)

/* The loaded library's. */
RELAYOUT_API int32_t relayout_version_number(void);

/* "major.minor.patch" of the loaded library. Static storage. */
RELAYOUT_API const char *relayout_version(void);

#ifdef __cplusplus
}
#endif

#endif
