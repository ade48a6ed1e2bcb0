"""declarations.py INCLUDE MODULE COMPILER [FLAG ...]: writes the C source of the cffi module that
reaches the library. What it declares are the public headers themselves, as the compiler's
preprocessor leaves them."""

import re
import subprocess
import sys

import cffi

HEADERS = """
#define CL_TARGET_OPENCL_VERSION 120
#include <relayout/relayout.h>
#include <relayout/recording.h>
#include <relayout/submit.h>
"""

# What the headers take from OpenCL's.
OPENCL_TYPES = """
typedef struct _cl_context *cl_context;
typedef struct _cl_device_id *cl_device_id;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
typedef struct _cl_event *cl_event;
typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint32_t cl_mem_object_type;
typedef struct { uint32_t image_channel_order; uint32_t image_channel_data_type; ...; }
    cl_image_format;
"""

# DLPack's structs (https://dmlc.github.io/dlpack), whose fields relayout/interchange.h takes.
DLPACK_TYPES = """
typedef struct dlpack_tensor {
  void *data;
  int32_t device_type;
  int32_t device_number;
  int32_t ndim;
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
  int64_t *shape;
  int64_t *strides;
  uint64_t byte_offset;
} dlpack_tensor;
typedef struct dlpack_managed {
  dlpack_tensor tensor;
  void *context;
  void *deleter;
} dlpack_managed;
typedef struct dlpack_versioned {
  uint32_t major;
  uint32_t minor;
  void *context;
  void *deleter;
  uint64_t flags;
  dlpack_tensor tensor;
} dlpack_versioned;
"""

# What Python does for the library: it finds OpenCL's functions, hears what happens, and takes
# memory back that others had by DLPack.
CALLBACKS = """
extern "Python" void *relayout_python_lookup(void *context, const char *name);
extern "Python" void relayout_python_log(void *context, relayout_log_level level,
                                         const char *message);
extern "Python" void relayout_python_schedule(void *context, const relayout_schedule_info *info);
extern "Python" void relayout_python_take_back(void *managed);
"""


def public_declarations(include, compiler, flags):
    """What the headers under `include` declare, without what they include themselves."""
    command = [compiler, "-E", f"-I{include}", "-D__attribute__(x)=", *flags, "-"]
    text = subprocess.run(command, input=HEADERS, capture_output=True, text=True, check=True)
    kept, is_ours = [], False
    for line in text.stdout.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            is_ours = "/relayout/" in marker[1]
        elif is_ours:
            kept.append(line)
    return "\n".join(kept)


def main(include, module, compiler, *flags):
    builder = cffi.FFI()
    builder.cdef(OPENCL_TYPES + DLPACK_TYPES + public_declarations(include, compiler, flags)
                 + CALLBACKS)
    builder.set_source("relayout._library", HEADERS + DLPACK_TYPES)
    builder.emit_c_code(module)


if __name__ == "__main__":
    main(*sys.argv[1:])
