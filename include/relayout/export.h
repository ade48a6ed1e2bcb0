/* export.h: the macro RELAYOUT_API.
 *
 * Marks the functions that the shared library exports; everything else in it is hidden. */
#ifndef RELAYOUT_EXPORT_H
#define RELAYOUT_EXPORT_H

#if defined(__GNUC__)
#define RELAYOUT_API __attribute__((visibility("default")))
#else
#define RELAYOUT_API
#endif

#endif
