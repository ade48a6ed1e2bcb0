/* float_control.h: floating point as programs start with it: to the nearest, subnormals kept,
 * nothing trapped. A caller's rounding mode, flushing of subnormals and unmasked exceptions change
 * no result.
 *
 *     const rlt_float_control was = rlt_floats_enter();
 *     ...
 *     rlt_floats_leave(was);
 *
 * The control word is written only where it differs; to read it, x86 processors wait for all
 * arithmetic before.
 *
 * Where subnormals change no result they may be taken as zeros: x86 processors take a hundred
 * cycles for an operation on one.
 *
 * Depends on nothing.
 */
#ifndef RLT_BASE_FLOAT_CONTROL_H
#define RLT_BASE_FLOAT_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t rlt_float_control;

#if defined(__SSE2__)
#include <xmmintrin.h>

enum {
  RLT_USUAL_FLOAT_CONTROL = 0x1f80,
  RLT_FLUSHING_FLOAT_CONTROL = 0x9fc0,
  RLT_FLOAT_FLAGS = 0x3f
};

static inline rlt_float_control rlt_float_control_get(void) {
  return _mm_getcsr();
}

static inline void rlt_float_control_set(rlt_float_control control) {
  _mm_setcsr((unsigned)control);
}
#elif defined(__aarch64__)
enum { RLT_USUAL_FLOAT_CONTROL = 0, RLT_FLUSHING_FLOAT_CONTROL = 0, RLT_FLOAT_FLAGS = 0 };

static inline rlt_float_control rlt_float_control_get(void) {
  rlt_float_control control;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  return control;
}

static inline void rlt_float_control_set(rlt_float_control control) {
  __asm__ volatile("msr fpcr, %0" : : "r"(control));
}
#else
/* On other processors elements are converted by integer arithmetic alone; only predicted times are
 * computed in floating point. */
enum { RLT_USUAL_FLOAT_CONTROL = 0, RLT_FLUSHING_FLOAT_CONTROL = 0, RLT_FLOAT_FLAGS = 0 };

static inline rlt_float_control rlt_float_control_get(void) {
  return RLT_USUAL_FLOAT_CONTROL;
}

static inline void rlt_float_control_set(rlt_float_control control) {
  (void)control;
}
#endif

static inline bool rlt_float_control_is(rlt_float_control control, rlt_float_control wanted) {
  return (control & ~(rlt_float_control)RLT_FLOAT_FLAGS) == wanted;
}

/* As `wanted` says: usual, or with subnormals taken as zeros. */
static inline rlt_float_control rlt_floats_enter_as(rlt_float_control wanted) {
  const rlt_float_control was = rlt_float_control_get();
  if (!rlt_float_control_is(was, wanted)) {
    rlt_float_control_set(wanted);
  }
  return was;
}

static inline void rlt_floats_leave_as(rlt_float_control wanted, rlt_float_control was) {
  if (!rlt_float_control_is(was, wanted)) {
    rlt_float_control_set(was);
  }
}

static inline rlt_float_control rlt_floats_enter(void) {
  return rlt_floats_enter_as(RLT_USUAL_FLOAT_CONTROL);
}

static inline void rlt_floats_leave(rlt_float_control was) {
  rlt_floats_leave_as(RLT_USUAL_FLOAT_CONTROL, was);
}

#endif
