/* program_count.h: how many OpenCL programs the library has created from sources. */
#ifndef CONFORMANCE_PROGRAM_COUNT_H
#define CONFORMANCE_PROGRAM_COUNT_H

#include <stddef.h>

#include "relayout/status.h"

/* Before the library's first use of OpenCL; fails as relayout_opencl_use does. */
relayout_status program_count_begin(relayout_error *error);
size_t program_count(void);

#endif
