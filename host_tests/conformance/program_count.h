/* program_count.h: how many OpenCL programs this process has created from sources. */
#ifndef CONFORMANCE_PROGRAM_COUNT_H
#define CONFORMANCE_PROGRAM_COUNT_H

#include <stddef.h>

size_t program_count(void);

#endif
