/* device.h: what relayouts run on.
 *
 * A device is opaque and immutable after it is made; any number of threads may use it at once. It
 * is owned by whoever opened it. Plans keep their device alive, so it may be destroyed before them.
 *
 * No call takes more than 64 KiB of the calling thread's stack. OpenCL's drivers are loaded, and
 * compile, on a thread of the library's, which has a stack of its own and ends with the call; only
 * where the system refuses that thread they do so on the caller's.
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
  RELAYOUT_BACKEND_OPENCL = 1
} relayout_backend;

typedef enum relayout_device_class {
  RELAYOUT_DEVICE_CLASS_CPU = 0,
  RELAYOUT_DEVICE_CLASS_GPU = 1,
  RELAYOUT_DEVICE_CLASS_ACCELERATOR = 2,
  RELAYOUT_DEVICE_CLASS_OTHER = 3
} relayout_device_class;

/* A level of a device's caches. */
typedef struct relayout_cache_info {
  uint64_t bytes;      /* 0 where there is no such level, or where nothing is known of it */
  uint32_t ways;       /* places that each line has; 0 when unknown */
  uint32_t processors; /* that share it; 0 when unknown */
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

  /* What the machine is, as far as the library goes by it; 0 when unknown. */
  relayout_cache_info caches[3]; /* of data, the nearest first */
  uint64_t page_bytes;           /* of memory, as it is mapped in ordinary pages */
  uint32_t line_bytes;           /* of a cache */
  uint32_t tlb_pages[2];         /* whose places are known at once, level by level */
  uint32_t vector_bytes;         /* of a register */
  uint32_t streaming_stores;     /* 1 where kernels may store past the caches */
  char instructions[20];         /* the CPU backend's instruction set: "avx2" */
  uint32_t shares_host_memory;   /* 1 where the device's memory is the host's, as its driver says */
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
 * An OpenCL device gets a context of its own. One that `auto` opens, and that does not share the
 * host's memory, is for memory of its own: relayout_copy, and relayout_plan_execute by a plan whose
 * schedules nobody asked for, move host memory on the CPU backend, rather than across a bus and
 * back. Devices that are opened by their names do it themselves. RELAYOUT_INVALID_TEXT for another
 * name; RELAYOUT_NO_DEVICE where there is none, also when the library is built without OpenCL;
 * RELAYOUT_OUT_OF_MEMORY, RELAYOUT_OPENCL_ERROR. */
RELAYOUT_API relayout_status relayout_device_open(const char *name, relayout_device **device,
                                                  relayout_error *error);

/* Lends a caller's own threads to the CPU backend: must call task(task_data, i) once for each i in
 * 0 .. count-1, from any threads, and return when all have returned. They may run one after the
 * other, in any order. A pool that has no threads left may leave tasks out: the calling thread does
 * what they would have done. It may call the library, with relayouts on the same device too, and
 * may be called again meanwhile. A task takes at most 64 KiB of its thread's stack. */
typedef void (*relayout_parallel_for)(void *context, size_t count,
                                      void (*task)(void *task_data, size_t i), void *task_data);

typedef struct relayout_cpu_options {
  size_t struct_size;
  /* The most tasks to run at once; 0: one for each processor that the calling thread may run on.
   * More than 4096 with parallel_for, or than there are processors without it, count as that many,
   * so that INT32_MAX sets no limit. */
  int32_t threads;
  /* Where the tasks run; NULL: on the calling thread and the library's own, see below. */
  relayout_parallel_for parallel_for;
  void *parallel_context; /* handed to parallel_for as it is; must outlive the device's use */
} relayout_cpu_options;

#define RELAYOUT_CPU_OPTIONS_INIT                                                                  \
  { sizeof(relayout_cpu_options), 0, NULL, NULL }

/* The CPU backend with options; NULL means the defaults. It uses the best instruction set that the
 * processor has, or the one that RELAYOUT_CPU_INSTRUCTIONS names in the environment: avx512vbmi,
 * avx512, avx2, sse41, sse2, neon or plain. A thread gets a megabyte at least.
 * RELAYOUT_INVALID_ARGUMENT for a bad struct_size, a negative thread count or an unknown
 * instruction set; RELAYOUT_UNSUPPORTED for one that the processor has not; RELAYOUT_OUT_OF_MEMORY.
 *
 * Schedules follow from what the machine is, as the info has it. RELAYOUT_CPU_FACTS in the
 * environment says otherwise, which changes how relayouts are done and never what they do:
 * "line=64 l1=32768:8:2 l2=524288:8:2 l3=33554432:16:16 page=4096 tlb=64:2048 vector=32 streams=1",
 * of which each field may be left out; caches are bytes, ways and processors.
 * RELAYOUT_INVALID_ARGUMENT for another text.
 *
 * All CPU devices of a process share the library's own threads, which are one fewer than there are
 * processors at most. The first relayout that is large enough starts them; the last device that is
 * destroyed ends them. The calling thread always works too, so a thread that the system refuses
 * makes relayouts slower and nothing else. They block the signals that are sent to the process, and
 * sleep while they have nothing to do. A child of fork() has none of the parent's and starts its
 * own: the parent's devices and plans work there as before, whatever its other threads were doing.
 */
RELAYOUT_API relayout_status relayout_cpu_device_create(const relayout_cpu_options *options,
                                                        relayout_device **device,
                                                        relayout_error *error);

/* Takes another hold of a device that somebody holds: it wants one more relayout_device_destroy.
 * NULL is allowed. */
RELAYOUT_API void relayout_device_retain(relayout_device *device);

/* Drops one hold. NULL is allowed. */
RELAYOUT_API void relayout_device_destroy(relayout_device *device);

/* RELAYOUT_INVALID_ARGUMENT for a NULL, or a struct_size that the info never has. */
RELAYOUT_API relayout_status relayout_device_get_info(const relayout_device *device,
                                                      relayout_device_info *info,
                                                      relayout_error *error);

/* What a device keeps so that it need not be made again, beside what somebody holds. Set
 * struct_size (RELAYOUT_DEVICE_USAGE_INIT) before the call. */
typedef struct relayout_device_usage {
  size_t struct_size;
  uint64_t plans;        /* those asked for last, whoever else holds them */
  uint64_t programs;     /* that an OpenCL device has compiled or loaded, or is about to */
  uint64_t device_bytes; /* of these plans, as relayout_plan_info counts them */
  uint64_t budget_bytes; /* that device_bytes and host_bytes may come to together */
  uint64_t host_bytes;   /* of these plans, as relayout_plan_info counts them */
} relayout_device_usage;

#define RELAYOUT_DEVICE_USAGE_INIT                                                                 \
  { sizeof(relayout_device_usage), 0, 0, 0, 0, 0 }

/* RELAYOUT_INVALID_ARGUMENT for a NULL, or a struct_size that the usage never has. */
RELAYOUT_API relayout_status relayout_device_get_usage(relayout_device *device,
                                                       relayout_device_usage *usage,
                                                       relayout_error *error);

/* The budget at first, in bytes: enough for more than a thousand plans of one part. */
enum { RELAYOUT_DEFAULT_BUDGET = 64 << 20 };

/* Has the plans that the device keeps take so many bytes of memory at most, the device's and the
 * host's together: those that were asked for least lately go first, now and later. 0 keeps none,
 * UINT64_MAX all. RELAYOUT_INVALID_ARGUMENT for a NULL. */
RELAYOUT_API relayout_status relayout_device_set_budget(relayout_device *device, uint64_t bytes,
                                                        relayout_error *error);

/* Lets go of all that: plans, programs, and the CPU backend's memory for calls. What somebody holds
 * goes on as before; what is wanted again is made again. Any thread may call it at any time. NULL
 * is allowed. */
RELAYOUT_API void relayout_device_trim(relayout_device *device);

/* Lists what relayout_device_open can open by full name, the CPU backend first. `*count` becomes
 * the number there is; at most `capacity` infos are filled (infos may be NULL when capacity is 0).
 * Each info given must have its struct_size set, all to the same. No OpenCL platform at all is no
 * error. RELAYOUT_INVALID_ARGUMENT, RELAYOUT_OUT_OF_MEMORY, RELAYOUT_OPENCL_ERROR. */
RELAYOUT_API relayout_status relayout_device_list(relayout_device_info *infos, size_t capacity,
                                                  size_t *count, relayout_error *error);

#ifdef __cplusplus
}
#endif

#endif
