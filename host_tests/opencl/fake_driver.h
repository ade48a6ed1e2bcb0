/* fake_driver.h: an OpenCL made of memory. Its platforms have the devices that a test describes,
 * its buffers hold bytes, its queues carry out transfers and native kernels at once and note every
 * command, and its other kernels move nothing. It counts what is held, ends the process when
 * something is used that was let go, and refuses any one call.
 *
 * The library takes it with fake_driver_use, before anything else of OpenCL. Not for several
 * threads. */
#ifndef HOST_TESTS_OPENCL_FAKE_DRIVER_H
#define HOST_TESTS_OPENCL_FAKE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include "opencl/cl.h"

/* What a device tells. A text that is NULL, and a number below 0, is not known to it. */
typedef struct fake_device {
  cl_device_type type;
  const char *name;
  const char *vendor;
  const char *version;
  const char *driver;
  const char *profile;
  const char *extensions;
  bool has_compiler;
  bool is_available;
  cl_bool shares_memory;
  cl_uint compute_units;
  int vector_bytes;
  cl_ulong memory_bytes;
  cl_ulong allocation_bytes;
  long cache_bytes;
  int line_bytes;
  size_t group_size;        /* the most work-items of a group; */
  size_t item_sizes[3];     /* along each dimension, */
  size_t kernel_group_size; /* and as kernels are */
  long svm;                 /* cl_device_svm_capabilities */
  bool runs_native;         /* CL_EXEC_NATIVE_KERNEL */
  cl_uint aligned_bits;     /* CL_DEVICE_MEM_BASE_ADDR_ALIGN */
  struct fake_device *parent;
  bool is_dead; /* it answers nothing */
  int holders;  /* beside its platform */
} fake_device;

typedef struct fake_platform {
  const char *name;
  const char *version;
  size_t device_count;
  fake_device *devices[4];
} fake_platform;

/* A GPU as there are many. */
extern const fake_device fake_gpu;

/* The objects that are counted. */
typedef enum fake_kind {
  FAKE_CONTEXT,
  FAKE_QUEUE,
  FAKE_MEMORY,
  FAKE_PROGRAM,
  FAKE_KERNEL,
  FAKE_EVENT,
  FAKE_COMMAND_BUFFER,
  FAKE_KINDS
} fake_kind;

typedef struct fake_argument {
  bool is_set;
  bool is_pointer; /* set by clSetKernelArgSVMPointer or its kin */
  size_t size;
  unsigned char bytes[320]; /* zeros for local memory */
} fake_argument;

enum { FAKE_ARGUMENTS = 48, FAKE_COMMANDS = 64, FAKE_WAITS = 8 };

/* A command as it was enqueued, or recorded. */
typedef struct fake_command {
  char call[32]; /* "clEnqueueWriteBuffer" */
  cl_command_queue queue;
  cl_mem memory;
  const void *host;
  size_t offset;
  size_t region[3]; /* of a copy: bytes, rows, slices; of a kernel: its global size */
  size_t row_pitch;
  size_t slice_pitch;
  char kernel[64];
  cl_uint rank;
  size_t local_size[3];
  fake_argument arguments[FAKE_ARGUMENTS];
  cl_uint n_wait;
  cl_event wait[FAKE_WAITS];
  cl_event event; /* NULL: none was wanted */
} fake_command;

/* The driver's state; a test may change it as it likes. */
typedef struct fake_driver {
  size_t platform_count;
  fake_platform *platforms[4];
  cl_int platforms_code; /* of clGetPlatformIDs */
  cl_int build_code;     /* of clBuildProgram */
  const char *build_log;
  long binary_bytes;    /* of each program; below 0: as many as its kernel's name has */
  char texts[256];      /* the files of cl/ that the last program is made of, by their names */
  cl_ulong nanoseconds; /* that a kernel takes */
  bool runs_backwards;  /* its clock */
  bool ends_no_texts;   /* its answers lack the 0 */
  bool sorts_buffers;   /* native kernels get addresses in the order in which buffers were made */
  bool drops_native;    /* native kernels never run: what they wait for has failed */
  const char *lacks;    /* a function of extensions */
  bool has_command_buffers;
  bool has_updates;               /* cl_khr_command_buffer_mutable_dispatch too */
  cl_uint command_buffer_version; /* as extensions have it: major << 22 | minor << 12 | patch */
  cl_uint update_version;
  cl_bitfield command_buffer_capabilities;
  /* Of the calls that can fail the one that does, from 1 on; 0: none. */
  size_t refused;
  size_t calls;
  char refused_call[48]; /* that it was; "": there were not so many */
  size_t builds;         /* by clBuildProgram, of sources */
  size_t flushes;
  size_t finishes;
  size_t command_count; /* may be more than there is room for */
  fake_command commands[FAKE_COMMANDS];
} fake_driver;

extern fake_driver fake;

/* Lets the library call it. */
void fake_driver_use(void);

/* A driver of one platform with these devices, which nothing was asked of yet. Whatever was held
 * before is gone. */
void fake_driver_begin(fake_platform *platform);

/* How often objects of a kind are held; of all kinds. */
int fake_holders(fake_kind kind);
int fake_all_holders(void);

/* What all memory objects have that are held. */
size_t fake_memory_bytes(void);

/* Forgets the commands so far. */
void fake_forget(void);

/* The command behind `number` others by this call, or by any where that is NULL; and how many there
 * are by a call. */
const fake_command *fake_command_at(const char *call, size_t number);
size_t fake_count(const char *call);

/* Whether this event comes after a command's end: it is the command's own, or that of one that
 * waits for it, directly or not. */
bool fake_covers(cl_event event, const fake_command *command);

/* The bytes of a buffer. */
unsigned char *fake_bytes(cl_mem memory);

/* The flags of the last command buffer that was made for a queue. */
cl_ulong fake_flags(cl_command_queue queue);

/* A caller's own objects, whose making is never refused. */
cl_context fake_context(size_t count, fake_device *const *devices);
cl_command_queue fake_queue(cl_context context, fake_device *device);
cl_mem fake_buffer(cl_context context, size_t size);
/* On memory of the caller's, or a part of another buffer, where these are not NULL. */
cl_mem fake_buffer_with(cl_context context, cl_mem_flags flags, size_t size, void *host,
                        cl_mem parent, size_t origin);
/* Width, height and depth, or layers of an array. */
cl_mem fake_image(cl_context context, cl_mem_object_type type, const size_t size[3],
                  size_t pixel_bytes);
cl_event fake_event(cl_context context);
void fake_release(cl_event event);
void fake_release_program(cl_program program);

#endif
