/* launch_recorder.h: an OpenCL driver that notes what it is asked to run, and compiles and runs
 * nothing.
 *
 * It stands before a real one, whose devices, queues and buffers it leaves alone: the
 * linker leads the library's calls for programs and kernels here (see
 * CMakeLists.txt). Not for several threads. */
#ifndef HOST_TESTS_OPENCL_LAUNCH_RECORDER_H
#define HOST_TESTS_OPENCL_LAUNCH_RECORDER_H

#include <stddef.h>

typedef struct recorded_launch {
  char kernel[32];
  char options[2048]; /* that its program was built with */
  size_t group_count;
  size_t group_size;        /* work-items */
  size_t grid_size;         /* bytes of the buffer that is the kernel's grid; */
  unsigned char grid[8192]; /* as they were when it was launched */
} recorded_launch;

enum { RECORDED_LAUNCHES = 32 };

typedef struct launch_record {
  size_t count; /* more than RECORDED_LAUNCHES: the later ones are not there */
  recorded_launch of[RECORDED_LAUNCHES];
} launch_record;

/* Of all since the last launch_recorder_clear. */
extern launch_record launches_recorded;
void launch_recorder_clear(void);

/* Kernels made from now on run with so many work-items at most. */
void launch_recorder_allow_group_size(size_t most);

#endif
