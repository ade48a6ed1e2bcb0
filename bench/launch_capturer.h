/* launch_capturer.h: stands before an OpenCL driver and tells of each launch with all that it takes
 * to run it again.
 *
 * The linker leads the program's calls for programs, kernels and buffers here (see CMakeLists.txt);
 * what belongs to them are handles of its own. Not for several threads, and with
 * RELAYOUT_CACHE=off: what comes from a file has no source. Depends on captured_launch.h. */
#ifndef BENCH_LAUNCH_CAPTURER_H
#define BENCH_LAUNCH_CAPTURER_H

#include <stdbool.h>

#include "captured_launch.h"

/* Gets each launch, in order, with all but its case, shapes and schedule, which it may fill in.
 * What the launch owns stays the capturer's. Other than EXIT_CODE_OK lets the launch fail. */
typedef exit_code launch_visitor(void *context, captured_launch *launch);

/* From now on launches are told to this visitor. `runs` false: nothing is compiled, launched or
 * read, and buffers that are not made of the caller's bytes take a byte each, whatever their size;
 * events are refused then, since nothing happens that they could tell of. */
void launch_capturer_begin(bool runs, launch_visitor *visitor, void *context);

#endif
