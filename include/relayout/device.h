/* device.h: what relayouts run on.
 *
 * A device is opaque and immutable after it is made; any number of threads may use it at once. The
 * caller that opens a device owns it. Plans keep their device alive, so it may be destroyed before
 * them.
 *
 * No call takes more than 64 KiB of the calling thread's stack. The library loads OpenCL drivers,
 * and lets them compile, on a thread of its own with its own stack, which ends with the call; only
 * where the system refuses such a thread does it use the calling thread.
 */
#ifndef RELAYOUT_DEVICE_H
#define RELAYOUT_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "relayout/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct relayout_device relayout_device;

typedef enum relayout_backend {
  RELAYOUT_BACKEND_CPU = 0,
  RELAYOUT_BACKEND_OPENCL = 1,
  RELAYOUT_BACKEND_NONE = 2 /* nothing runs on it */
} relayout_backend;

typedef enum relayout_device_class {
  RELAYOUT_DEVICE_CLASS_CPU = 0,
  RELAYOUT_DEVICE_CLASS_GPU = 1,
  RELAYOUT_DEVICE_CLASS_ACCELERATOR = 2,
  RELAYOUT_DEVICE_CLASS_OTHER = 3
} relayout_device_class;

/* A level of a device's caches. */
typedef struct relayout_cache_info {
  uint64_t bytes;      /* 0 if there is no such level or its size is unknown */
  uint32_t ways;       /* associativity; 0 when unknown */
  uint32_t processors; /* processors that share it; 0 when unknown */
} relayout_cache_info;

/* Set struct_size (RELAYOUT_DEVICE_INFO_INIT) before the call. Strings are NUL-terminated and cut
 * to fit; empty where they do not apply. */
typedef struct relayout_device_info {
  size_t struct_size;
  relayout_backend backend;
  relayout_device_class device_class;
  char name[32]; /* what relayout_device_open takes: "cpu", "opencl:0:1"; "" for a device made
                    from the caller's own handles that no platform lists */
  char description[128];     /* the processor or device, as its driver names it */
  char platform[128];        /* OpenCL platform and its version */
  char driver[64];           /* OpenCL driver version */
  uint32_t compute_units;    /* OpenCL compute units; threads of the CPU backend */
  uint64_t memory_bytes;     /* global memory; 0 when unknown */
  uint64_t allocation_bytes; /* the largest single buffer; 0 when unlimited */

  /* The facts about the machine that schedules depend on; 0 when unknown. */
  relayout_cache_info caches[3]; /* data caches, the nearest first */
  uint64_t page_bytes;           /* size of an ordinary page */
  uint32_t line_bytes;           /* of a cache */
  uint32_t tlb_pages[2];         /* entries of each level of the TLB */
  uint32_t vector_bytes;         /* of a register */
  uint32_t streaming_stores;     /* 1 if kernels may store past the caches */
  char instructions[20];         /* the CPU backend's instruction set: "avx2" */
  uint32_t shares_host_memory; /* 1 if the device uses the host's memory, according to its driver */
} relayout_device_info;

#define RELAYOUT_DEVICE_INFO_INIT                                                                  \
  {                                                                                                \
    sizeof(relayout_device_info), RELAYOUT_BACKEND_CPU, RELAYOUT_DEVICE_CLASS_CPU, "", "", "", "", \
        0, 0, 0, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, 0, 0, {0, 0}, 0, 0, "", 0                      \
  }

/* Opens a device by name:
 *   cpu          the CPU backend, with a thread for each processor
 *   opencl       the first OpenCL device: GPUs first, then accelerators, then any other
 *   opencl:P:D   device D of platform P, as relayout_device_list numbers them
 *   auto         the first OpenCL GPU, else the first OpenCL accelerator, else the CPU backend
 * An OpenCL device gets a context of its own. A device that `auto` opens and that does not share
 * the host's memory is not used for host memory: relayout_copy, and relayout_plan_execute of plans
 * without schedules in their options, run on the CPU backend instead of moving the data across a
 * bus and back. Devices opened by name move host memory themselves. RELAYOUT_INVALID_TEXT for any
 * other name; RELAYOUT_NO_DEVICE if there is no such device, also in a library built without
 * OpenCL; RELAYOUT_OUT_OF_MEMORY, RELAYOUT_OPENCL_ERROR. */
RELAYOUT_API relayout_status relayout_device_open(const char *name, relayout_device **device,
                                                  relayout_error *error);

/* Lends a caller's own threads to the CPU backend: must call task(task_data, i) once for each i in
 * 0 .. count-1, on any threads, and return after all calls have returned. Tasks may run one after
 * the other, in any order. A pool without free threads may skip tasks: the calling thread does
 * their work. The function may call the library, also for relayouts on the same device, and may be
 * called again before it returns. A task uses at most 64 KiB of its thread's stack. */
typedef void (*relayout_parallel_for)(void *context, size_t count,
                                      void (*task)(void *task_data, size_t i), void *task_data);

typedef struct relayout_cpu_options {
  size_t struct_size;
  /* The most tasks to run at once; 0: one for each processor that the calling thread may run on.
   * The limit is 4096 with parallel_for, and the number of processors without it; a greater number
   * means the limit. */
  int32_t threads;
  /* Runs the tasks; NULL: they run on the calling thread and the library's own threads, see below.
   */
  relayout_parallel_for parallel_for;
  void *parallel_context; /* passed to parallel_for; must outlive the device's use */
} relayout_cpu_options;

#define RELAYOUT_CPU_OPTIONS_INIT                                                                  \
  { sizeof(relayout_cpu_options), 0, NULL, NULL }

/* Makes a device of the CPU backend; `options` NULL means the defaults. It uses the best
 * instruction set of the processor, or the one that RELAYOUT_CPU_INSTRUCTIONS names in the
 * environment: avx512vbmi, avx512, avx2, sse41, sse2, neon or plain. A relayout uses at most one
 * thread for each megabyte. RELAYOUT_INVALID_ARGUMENT for a bad struct_size, a negative thread
 * count or an unknown instruction set; RELAYOUT_UNSUPPORTED for one that this processor does not
 * support; RELAYOUT_OUT_OF_MEMORY.
 *
 * Schedules depend on facts about the machine, which relayout_device_info has. RELAYOUT_CPU_FACTS
 * in the environment replaces them, which changes how fast relayouts are and never what they write:
 * "line=64 l1=32768:8:2 l2=524288:8:2 l3=33554432:16:16 page=4096 tlb=64:2048 vector=32 streams=1".
 * Each field may be left out; caches are bytes, ways and processors. RELAYOUT_INVALID_ARGUMENT for
 * another text.
 *
 * All CPU devices of a process share the library's own threads: at most one fewer than there are
 * processors. The first large relayout starts them; destroying the last device ends them. The
 * calling thread always works too, so relayouts only get slower if the system refuses a thread. The
 * library's threads block the signals that are sent to the process, and sleep while there is no
 * work. A child of fork() starts threads of its own: the parent's devices and plans work there as
 * before, whatever the parent's other threads were doing. */
RELAYOUT_API relayout_status relayout_cpu_device_create(const relayout_cpu_options *options,
                                                        relayout_device **device,
                                                        relayout_error *error);

/* Adds a reference to a device, which needs one more relayout_device_destroy. NULL is allowed. */
RELAYOUT_API void relayout_device_retain(relayout_device *device);

/* Drops one reference. NULL is allowed. */
RELAYOUT_API void relayout_device_destroy(relayout_device *device);

/* RELAYOUT_INVALID_ARGUMENT for a NULL or an invalid struct_size. */
RELAYOUT_API relayout_status relayout_device_get_info(const relayout_device *device,
                                                      relayout_device_info *info,
                                                      relayout_error *error);

/* What a device keeps for later calls, besides what callers hold. Set struct_size
 * (RELAYOUT_DEVICE_USAGE_INIT) before the call. */
typedef struct relayout_device_usage {
  size_t struct_size;
  uint64_t plans;    /* plans that were made last, whether callers still hold them or not */
  uint64_t programs; /* programs that an OpenCL device has compiled or loaded, or is compiling */
  uint64_t device_bytes; /* of these plans, as relayout_plan_info counts them */
  uint64_t budget_bytes; /* limit for device_bytes and host_bytes together */
  uint64_t host_bytes;   /* of these plans, as relayout_plan_info counts them */
} relayout_device_usage;

#define RELAYOUT_DEVICE_USAGE_INIT                                                                 \
  { sizeof(relayout_device_usage), 0, 0, 0, 0, 0 }

/* RELAYOUT_INVALID_ARGUMENT for a NULL or an invalid struct_size. */
RELAYOUT_API relayout_status relayout_device_get_usage(relayout_device *device,
                                                       relayout_device_usage *usage,
                                                       relayout_error *error);

/* The default budget in bytes: enough for more than a thousand plans of one part. */
enum { RELAYOUT_DEFAULT_BUDGET = 64 << 20 };

/* Limits the memory of the plans that the device keeps, its own and the host's together, to
 * `bytes`: the least recently used plans are dropped first, now and later. 0 keeps none, UINT64_MAX
 * all. RELAYOUT_INVALID_ARGUMENT for a NULL. */
RELAYOUT_API relayout_status relayout_device_set_budget(relayout_device *device, uint64_t bytes,
                                                        relayout_error *error);

/* Drops everything that the device keeps: plans, programs, and the CPU backend's memory for calls.
 * What callers hold stays valid; what is needed again is made again. Any thread may call it at any
 * time. NULL is allowed. */
RELAYOUT_API void relayout_device_trim(relayout_device *device);

/* Lists the devices that relayout_device_open can open by full name, the CPU backend first.
 * `*count` becomes their number; at most `capacity` infos are filled (infos may be NULL when
 * capacity is 0). Each info must have its struct_size set, all to the same value. Having no OpenCL
 * platform is not an error. RELAYOUT_INVALID_ARGUMENT, RELAYOUT_OUT_OF_MEMORY,
 * RELAYOUT_OPENCL_ERROR. */
RELAYOUT_API relayout_status relayout_device_list(relayout_device_info *infos, size_t capacity,
                                                  size_t *count, relayout_error *error);

#ifdef __cplusplus
}
#endif

#endif
