/* plan.h: moving a tensor from one layout, and element type, to another.
 *
 * A plan is made once for a device and a pair of shapes and used any number of times. It is opaque,
 * immutable, and may be used from any number of threads and queues at once. It is owned by whoever
 * created it and keeps its device alive.
 *
 * What a relayout does: every element of the source goes to its place in the destination. A
 * source's padding is never used. A destination's padding, that of tiles and tail alignment
 * included, is always written, with its padding value, in the same pass; with PV(unknown) those
 * bits stay as they were. Of packed elements the low bits are kept, and unpacking makes the other
 * bits of a byte 0; what a packed array's last byte has to spare becomes 0 too, and so does what a
 * wider container has beyond its element. No other byte is touched.
 *
 * Shapes of different element types change the type on the way. The exact value, times the scale,
 * is rounded once:
 *
 *     to a float    to the nearest, ties to even, subnormals kept. What lies beyond the greatest
 *                   finite number becomes the type's infinity, else its NaN, else that number.
 *                   A NaN becomes the type's quiet NaN of the same sign. A zero has the sign of the
 *                   product, as in IEEE 754, an integer's 0 being +0: times a negative scale it
 *                   becomes -0.
 *     to an integer towards zero, as in XLA's convert, or to the nearest, ties to even (options);
 *                   what lies beyond the type's range then becomes the nearest end of it, as there,
 *                   or wraps. NaN is 0.
 *     to pred       1 unless the value is 0, before any rounding
 *
 * f4e2m1fn and the f6 types have no NaN, f8e8m0fnu neither zero nor sign: they follow ml_dtypes
 * (NaN becomes the zero of the other sign; zeros and negative numbers become NaN). f8e8m0fnu's
 * numbers are powers of two, to which ml_dtypes and XLA round in a way of their own: of two as near
 * to the greater, so that 3 becomes 4; from between 2^-127, the least, and 2^-126 always to 2^-126;
 * and from below 2^-127 to 2^-127. Complex types change into no other. All devices agree in every
 * bit.
 */
#ifndef RELAYOUT_PLAN_H
#define RELAYOUT_PLAN_H

#include <stddef.h>
#include <stdint.h>

#include "relayout/device.h"
#include "relayout/shape.h"
#include "relayout/status.h"
#include "relayout/view.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct relayout_plan relayout_plan;

/* How much a new plan is worth. */
typedef enum relayout_plan_effort {
  RELAYOUT_PLAN_ESTIMATE = 0, /* a cost model predicts the best way, in microseconds */
  RELAYOUT_PLAN_MEASURE = 1   /* the most promising ways are run, some times each */
} relayout_plan_effort;

/* What becomes of an integer that its new type does not hold. */
typedef enum relayout_integer_overflow {
  RELAYOUT_OVERFLOW_SATURATE = 0, /* the nearest value that it does hold */
  RELAYOUT_OVERFLOW_WRAP = 1      /* its low bits, in two's complement */
} relayout_integer_overflow;

/* What becomes of a value between two integers, where it becomes an integer. */
typedef enum relayout_rounding {
  RELAYOUT_ROUNDING_ZERO = 0,   /* the one nearer to 0: 2.7 is 2, -2.7 is -2 */
  RELAYOUT_ROUNDING_NEAREST = 1 /* the nearest; of two as near, the even one: 2.5 is 2, 3.5 is 4 */
} relayout_rounding;

typedef struct relayout_plan_options {
  size_t struct_size;
  /* MEASURE runs the schedules that are predicted to be the fastest, `measured` of them, on memory
   * of the device's own; then, where workers move tiles by themselves, as many that have the tile
   * of the fastest and differ in the order of tiles, in what is fetched ahead or in how tiles
   * leave; and keeps the fastest of all. plan_create returns when that is done. None is run
   * that is predicted to take four times as long as the best, nor one alone. Where schedules ask
   * for more alignment than elements have, it finds the fastest for offsets that have it and for
   * those that have not. For both sides together that is a quarter of the device's memory at most,
   * and never more than 1 GiB; of a larger relayout a part is run whose tiles and strides are those
   * of the whole. Each schedule runs up to six times, and not again once its runs have taken a
   * quarter of a second, or all runs for this plan two seconds; what has no run by then is
   * estimated, as is all where there is not that memory, or no part small enough, or where a single
   * run is predicted to take as long as copying 8 GiB. What won is remembered by the device (see
   * relayout_device_export_wisdom) and chosen by later plans of either effort, without a run. */
  relayout_plan_effort effort;
  /* How many schedules MEASURE runs at a time, for each kind of alignment: 1 to 1024; 0: eight. */
  int32_t measured;
  /* Matters where the element type changes to an integer. */
  relayout_integer_overflow overflow;
  /* Every value is multiplied by it, exactly, before it is rounded once. Finite; 0 means 1. */
  double scale;
  /* NULL: views have strides. Programs that were compiled with relayout 0.1 may have them here, of
   * either side, whose layout is the default one then: relayout_plan_create goes by them, and
   * relayout_plan_create_between refuses them. */
  const int64_t *former_source_byte_strides;
  const int64_t *former_destination_byte_strides;
  /* NULL and 0: the plan chooses. Otherwise as many texts as the plan has parts, each of one
   * schedule that is offered for that part (see relayout_plan_visit_schedules): the plan runs
   * exactly these, though with smaller work-groups where a kernel cannot run with as many
   * work-items. RELAYOUT_INVALID_TEXT for what is no schedule, RELAYOUT_UNSUPPORTED for one that
   * is not offered or another number of them. A schedule that asks for more alignment than
   * elements have makes a plan that refuses other offsets, and other pointers unless their data
   * is staged. */
  const char *const *schedules;
  int32_t schedule_count;
  /* For sides that go through staging (relayout_plan_submit): the plan is cut into chunks that take
   * at most so many bytes of a side from the first to the last, or as few as one index spans; 0:
   * any number. Where boxes would share bytes (relayout_plan_create_range) there are no chunks, nor
   * on the CPU backend and for native kernels, which stage nothing. Chunks that are alike share
   * their kernels and tables. RELAYOUT_INVALID_ARGUMENT for more than 16384 of them, or more than
   * 256 that differ. */
  size_t source_chunk_bytes;
  size_t destination_chunk_bytes;
  /* 1: the plan's kernels take 32 relayouts a launch (relayout_plan_enqueue_batch). 0: one. */
  int32_t for_batches;
  /* Matters where the element type changes to an integer, or integers are scaled. Types with
   * fractions are always rounded to the nearest. */
  relayout_rounding rounding;
} relayout_plan_options;

#define RELAYOUT_PLAN_OPTIONS_INIT                                                                 \
  {                                                                                                \
    sizeof(relayout_plan_options), RELAYOUT_PLAN_ESTIMATE, 0, RELAYOUT_OVERFLOW_SATURATE, 1.0,     \
        NULL, NULL, NULL, 0, 0, 0, 0, RELAYOUT_ROUNDING_ZERO                                       \
  }

/* Both shapes must be valid and of the same dimensions. `options` NULL means the
 * defaults. The plan keeps copies; the shapes may go. The device remembers the plans it made last:
 * the same one again costs a look-up, and may be the same handle; each has its own
 * relayout_plan_destroy.
 *
 * An OpenCL device that runs no native kernels compiles what it has not compiled before, on the
 * thread that asks. Others go on,
 * but for those that want the same kernel, which wait for it: a thread of the caller's that makes
 * plans ahead warms the device up.
 *
 * RELAYOUT_SHAPE_MISMATCH, RELAYOUT_INVALID_ARGUMENT (options), the statuses
 * of relayout_shape_validate, RELAYOUT_UNSUPPORTED (complex types that change; schedules
 * that do not go with the shapes), RELAYOUT_OUT_OF_MEMORY, RELAYOUT_OPENCL_ERROR. */
RELAYOUT_API relayout_status relayout_plan_create(relayout_device *device,
                                                  const relayout_shape *from,
                                                  const relayout_shape *to,
                                                  const relayout_plan_options *options,
                                                  relayout_plan **plan, relayout_error *error);

/* The same for sides that need not be whole tensors: views, which are copied too. Each must be
 * valid (relayout_view_validate); under a strided destination's elements may not overlap. A side's
 * pointer or offset is the one that its view's byte_offset counts from. Where elements are packed,
 * converted or in wider containers on the other side, strides are multiples of that side's element
 * size. RELAYOUT_INVALID_ARGUMENT also for a destination that is read-only, RELAYOUT_UNSUPPORTED
 * also for strides that do not go with the shapes. */
RELAYOUT_API relayout_status relayout_plan_create_between(
    relayout_device *device, const relayout_view *from, const relayout_view *to,
    const relayout_plan_options *options, relayout_plan **plan, relayout_error *error);

/* The same for a box of the index space: the elements of which index d is start[d] or more, and
 * less than start[d] + sizes[d]; both have `rank` entries. Sides, pointers and offsets are those of
 * the whole tensors, of which no more need be there than what the box takes. The padding that
 * follows a dimension's last index in memory belongs to the boxes that have that one, and what tail
 * alignment adds to the one that has the last element. So boxes that have each index once write
 * together what one plan of all writes, in any order and at once, from several threads and queues:
 * no two of them write the same byte. Devices do not remember such plans. RELAYOUT_OUT_OF_RANGE for
 * indices that are not there; RELAYOUT_UNSUPPORTED where boxes would share a byte of the
 * destination, in which elements are packed, and where `relayout_plan_explain` of all names the
 * method index-program. */
RELAYOUT_API relayout_status relayout_plan_create_range(
    relayout_device *device, const relayout_view *from, const relayout_view *to,
    const int64_t *start, const int64_t *sizes, const relayout_plan_options *options,
    relayout_plan **plan, relayout_error *error);

/* Takes another hold of a plan that somebody holds: it wants one more relayout_plan_destroy. NULL
 * is allowed. */
RELAYOUT_API void relayout_plan_retain(relayout_plan *plan);

/* Drops one hold. NULL is allowed. Work already enqueued on an OpenCL queue still completes. */
RELAYOUT_API void relayout_plan_destroy(relayout_plan *plan);

/* The bytes each side takes, padding included: what the pointers and buffers given must hold. Of a
 * side that lies by strides: from the lowest byte of any element to the highest. */
RELAYOUT_API size_t relayout_plan_source_size(const relayout_plan *plan);
RELAYOUT_API size_t relayout_plan_destination_size(const relayout_plan *plan);

/* Is told of `size` bytes of a side, from so many bytes behind the pointer that calls are given on;
 * before it where that is below 0. */
typedef void (*relayout_bytes_visitor)(void *context, int64_t first, size_t size);

/* Tells which bytes the plan writes, each once, and which it reads, some perhaps again: in runs
 * that lie one behind the other in memory, so that no more than these need be where the calls'
 * pointers say. RELAYOUT_INVALID_ARGUMENT for a NULL; RELAYOUT_UNSUPPORTED, and nobody is told of
 * anything, where an index program says where elements lie, and where parts of packed elements
 * share bytes. */
RELAYOUT_API relayout_status relayout_plan_visit_bytes_written(const relayout_plan *plan,
                                                               relayout_bytes_visitor visitor,
                                                               void *context,
                                                               relayout_error *error);
RELAYOUT_API relayout_status relayout_plan_visit_bytes_read(const relayout_plan *plan,
                                                            relayout_bytes_visitor visitor,
                                                            void *context, relayout_error *error);

/* What a plan comes to. Set struct_size (RELAYOUT_PLAN_INFO_INIT) before the call. */
typedef struct relayout_plan_info {
  size_t struct_size;
  uint64_t source_bytes;      /* that the sides take, as relayout_plan_source_size and */
  uint64_t destination_bytes; /* relayout_plan_destination_size have them */
  uint64_t bytes_read;        /* of elements; where an index program says which, of all there are */
  uint64_t bytes_written;     /* padding among them */
  uint64_t bytes_left_alone;  /* of the destination's */
  uint64_t padding_bytes;     /* of those written */
  uint64_t device_bytes; /* that it holds on an OpenCL device, beside the code of kernels; 0 on the
                            CPU backend and for native kernels */
  double predicted_fraction; /* as relayout_plan_get_predicted_fraction */
  int32_t part_count;        /* as relayout_plan_part_count */
  int32_t kernel_count;      /* that each use enqueues; 0 on the CPU backend */
  int32_t moves_nothing;     /* 1: there is nothing to write */
  int32_t is_bitcast;  /* 1: each byte that is written comes, as it is, from the same place of the
                         source, counted from the lowest: one buffer could be both */
  uint64_t host_bytes; /* of the host's memory that it holds, beside what an OpenCL driver takes */
} relayout_plan_info;

#define RELAYOUT_PLAN_INFO_INIT                                                                    \
  { sizeof(relayout_plan_info), 0, 0, 0, 0, 0, 0, 0, 0.0, 0, 0, 0, 0, 0 }

/* RELAYOUT_INVALID_ARGUMENT for a NULL, or a struct_size that the info never has. */
RELAYOUT_API relayout_status relayout_plan_get_info(const relayout_plan *plan,
                                                    relayout_plan_info *info,
                                                    relayout_error *error);

/* How many problems the plan moves one after the other, the largest first: mostly one; more where
 * tiles leave ragged ends, which are moved by themselves. 0 for a plan that moves nothing. */
RELAYOUT_API int32_t relayout_plan_part_count(const relayout_plan *plan);

/* The method of the largest part's schedule: "copy", "transpose", ...; "none" for a plan that moves
 * nothing. Static storage. */
RELAYOUT_API const char *relayout_plan_get_method(const relayout_plan *plan);

/* Where alignment matters a part has two schedules, and each execution picks by its offsets. */
typedef enum relayout_schedule_use {
  RELAYOUT_SCHEDULE_ALIGNED = 0,      /* both sides begin at multiples of any alignment */
  RELAYOUT_SCHEDULE_AT_ANY_OFFSET = 1 /* they begin with any element */
} relayout_schedule_use;

/* The schedule by which part 0 .. part_count-1 runs, as text that options->schedules takes. Like
 * snprintf: writes at most `capacity` bytes with the NUL (buffer may be NULL when capacity is 0)
 * and returns the length of the whole text. 0 for another part. */
RELAYOUT_API size_t relayout_plan_get_schedule(const relayout_plan *plan, int32_t part,
                                               relayout_schedule_use use, char *buffer,
                                               size_t capacity);

/* A schedule that a method offers. */
typedef struct relayout_schedule_info {
  size_t struct_size;
  const char *text;
  const char *method;        /* that offers it */
  double predicted_fraction; /* of a plain copy, as relayout_plan_get_predicted_fraction */
} relayout_schedule_info;

/* Is told of a schedule; `info` is the caller's until it returns. */
typedef void (*relayout_schedule_visitor)(void *context, const relayout_schedule_info *info);

/* Tells of every schedule that is offered for this part, the best predicted first.
 * RELAYOUT_INVALID_ARGUMENT, RELAYOUT_OUT_OF_MEMORY. */
RELAYOUT_API relayout_status relayout_plan_visit_schedules(const relayout_plan *plan, int32_t part,
                                                           relayout_schedule_visitor visitor,
                                                           void *context, relayout_error *error);

/* What the cost model counts of a part. */
typedef struct relayout_cost {
  size_t struct_size;
  const char *name; /* "lines read", "tiles", ...; static storage */
  const char *rate; /* of the device's row of tuning that it is paid by: "line_again"; NULL: none;
                       static storage */
  double count;     /* of the whole part; an expected value where it varies */
  double weight; /* how often the rate is paid, by a plain copy of as many bytes; 0: not at all */
  double time;   /* that it takes, in units of that copy */
} relayout_cost;

/* Is told of a cost, which is the caller's until it returns. */
typedef void (*relayout_cost_visitor)(void *context, const relayout_cost *cost);

/* Tells of everything that this part's schedule is predicted to pay for: its predicted fraction is
 * 1 / the sum of the times, and 1 at most. RELAYOUT_INVALID_ARGUMENT. */
RELAYOUT_API relayout_status relayout_plan_visit_costs(const relayout_plan *plan, int32_t part,
                                                       relayout_cost_visitor visitor, void *context,
                                                       relayout_error *error);

/* The speed that the plan is predicted to reach, of a plain copy of as many bytes on the device,
 * for buffers that are not in a cache: above 0, and 1 or less. 0 for a plan that moves nothing. */
RELAYOUT_API double relayout_plan_get_predicted_fraction(const relayout_plan *plan);

/* Moves host memory and returns when it is done; on the CPU backend where the device is one that
 * relayout_device_open gave that for host memory. An OpenCL device works on it in place where
 * relayout_plan_submit says that it can, and the pointers are multiples of the element size;
 * elsewhere the data goes through staging. What takes more than the device allocates at once goes
 * box by box (relayout_plan_create_range). Pointers need no alignment and may be NULL when their
 * side is empty.
 *
 * On the CPU backend the elements of both sides may lie between each other in one memory, such as
 * the even and the odd columns of a matrix, as long as no byte that is written is read too:
 * RELAYOUT_BUFFERS_OVERLAP for a plan that shares bytes, and for one whose ranges of bytes overlap
 * where no more is known of it. That is so where an index program says where elements lie, where
 * rows of packed elements begin within a byte, and where strides fit together in too many ways to
 * try. On other devices the ranges may not overlap.
 *
 * RELAYOUT_INVALID_ARGUMENT, RELAYOUT_OUT_OF_MEMORY, RELAYOUT_OPENCL_ERROR (then the destination
 * may be partly written). */
RELAYOUT_API relayout_status relayout_plan_execute(const relayout_plan *plan, const void *source,
                                                   void *destination, relayout_error *error);

/* One call for one relayout of host memory: plan_create, plan_execute and plan_destroy. */
RELAYOUT_API relayout_status relayout_copy(relayout_device *device, const relayout_shape *from,
                                           const relayout_shape *to, const void *source,
                                           void *destination, relayout_error *error);

/* What measured plans found on this device, as text that can be kept and given to a device of the
 * same kind and driver, in this process or another. Like snprintf: writes at most `capacity` bytes
 * with the NUL (buffer may be NULL when capacity is 0) and returns the length of the whole text
 * without it; 0 when device is NULL.
 *
 * Devices keep the same text in a file of their own, wisdom-*.txt, where a built program is kept
 * too: relayout/ in the user's cache directory ($XDG_CACHE_HOME or else $HOME/.cache), or
 * relayout_opencl_options.cache_directory; RELAYOUT_CACHE=off in the environment keeps none. It may
 * be read, moved and deleted at any time. */
RELAYOUT_API size_t relayout_device_export_wisdom(relayout_device *device, char *buffer,
                                                  size_t capacity);

/* Takes over such a text, of `size` bytes, in place of what the device knows of the same problems.
 * Lines that cannot be read are passed over, and so is a text of another device, driver or version.
 * A device knows the newest 4096 lines at most, of 15 MiB together, and reads no more than the last
 * 65536 of a text or file, nor files of more than 16 MiB. Both may be called from several threads
 * at once. RELAYOUT_INVALID_ARGUMENT for a NULL, and for a text of more than 16 MiB;
 * RELAYOUT_OUT_OF_MEMORY (then the device knows a part of it). */
RELAYOUT_API relayout_status relayout_device_import_wisdom(relayout_device *device,
                                                           const char *text, size_t size,
                                                           relayout_error *error);

typedef enum relayout_explain_form {
  RELAYOUT_EXPLAIN_TEXT = 0,           /* some lines of English */
  RELAYOUT_EXPLAIN_JSON = 1,           /* one JSON object, no newline at its end */
  RELAYOUT_EXPLAIN_SCHEDULES_TEXT = 2, /* the same with every schedule that is offered, */
  RELAYOUT_EXPLAIN_SCHEDULES_JSON = 3  /* the best predicted first */
} relayout_explain_form;

/* What the plan will do and why: bytes, axes, schedules, tiles, what the device will run, and what
 * it is predicted to take. What is offered for a part is left out where there is no memory for it.
 * Like snprintf: writes at most `capacity` bytes with the NUL (buffer may be NULL when capacity is
 * 0) and returns the length of the whole text without it. */
RELAYOUT_API size_t relayout_plan_explain(const relayout_plan *plan, relayout_explain_form form,
                                          char *buffer, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
