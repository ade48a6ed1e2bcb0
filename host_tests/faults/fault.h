/* fault.h: chooses the call that is to fail.
 *
 * The library's objects are linked with the linker's --wrap, so that their references to malloc,
 * write, clCreateBuffer, ... lead to the wrappers of wrapped_libc.c and wrapped_opencl.c, while the
 * C library, the OpenCL loader and drivers keep the real ones. Each wrapper asks here whether it is
 * its turn to fail. */
#ifndef HOST_TESTS_FAULTS_FAULT_H
#define HOST_TESTS_FAULTS_FAULT_H

#include <stdbool.h>
#include <stdint.h>

typedef enum fault_kind {
  FAULT_MEMORY,
  FAULT_FILES,
  FAULT_REMOVAL, /* of files: apart, for what cannot be removed stays */
  FAULT_THREADS, /* and mutexes */
  FAULT_OPENCL
} fault_kind;

typedef struct fault_request {
  int64_t number;  /* of the call that fails, the first being 1; 0: none */
  bool goes_on;    /* so do all later calls of its kind */
  int32_t variant; /* which of the errors that the call knows, 0 being the likeliest */
} fault_request;

enum { FAULT_NAME_SIZE = 48 };

typedef struct fault_report {
  bool struck;
  fault_kind kind;
  char call[FAULT_NAME_SIZE]; /* "malloc"; the first that failed */
  int32_t code;               /* what it failed with: errno, or OpenCL's code */
  bool was_last;              /* no other failed after it */
  char misuse[96]; /* what nobody may do, such as locking a mutex that was never made; or "" */
} fault_report;

/* Keeps count and report in memory that children of this process share. False without memory. */
bool fault_share(void);

/* Begins a new count; calls are counted, and fail, from each fault_continue to the next
 * fault_pause. */
void fault_arm(const fault_request *request);
void fault_continue(void);
void fault_pause(void);
/* What happened since fault_arm. */
const fault_report *fault_reported(void);

/* ---- For the wrappers ---- */

/* Whether this call is to fail; `*variant` is set if so. */
bool fault_strikes(fault_kind kind, const char *call, int32_t *variant);
void fault_note_code(int32_t code);
void fault_note_misuse(const char *misuse, const char *call);

/* The version of cl_khr_command_buffer, which decides on parameters; 0: not known yet. */
extern uint32_t fault_command_buffer_version;

#endif
