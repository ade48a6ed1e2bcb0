/* told_extensions.h: an OpenCL driver that tells of other extensions than it has, and has mutable
 * dispatch where the real one lacks it.
 *
 * The linker leads questions to the device, and for the extensions' functions, to wrappers: a test
 * that uses this file wraps clGetDeviceInfo and clGetExtensionFunctionAddressForPlatform. */
#ifndef HOST_TESTS_OPENCL_TOLD_EXTENSIONS_H
#define HOST_TESTS_OPENCL_TOLD_EXTENSIONS_H

#include <stdbool.h>

#include "opencl/command_buffer.h"

enum { FLAGS_PROPERTY = 0x1293, MUTABLE_FLAG = 2 };

#define VERSION(major, minor, patch) ((cl_uint)((major) << 22 | (minor) << 12 | (patch)))

extern rlt_command_buffers real; /* what the driver has; a test finds it first */
extern bool lies;                /* about its extensions */
extern bool has_fake_updates;
extern cl_uint fake_queue_count; /* of a command buffer, as it tells; 0: as many as it has */

/* Begins to lie: these are the versions of cl_khr_command_buffer and of its mutable dispatch; 0: it
 * is not there. */
void tell(cl_uint version, cl_uint mutable_version);

#endif
