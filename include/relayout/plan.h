/* plan.h: moving a tensor from one layout, and element type, to another.
 *
 * A plan is made once for a device and a pair of shapes and used any number of times. It is opaque,
 * writes the same bytes each time, and may be used from any number of threads and queues at once.
 * The caller that creates a plan owns it. A plan keeps its device alive.
 *
 * What a relayout does: every element of the source goes to its place in the destination. A
 * source's padding is never used. A destination's padding, including that of tiles and tail
 * alignment, is always written with its padding value in the same pass; with PV(unknown) those bits
 * keep what they held. Packing keeps an element's low bits. Unpacking clears the other bits of each
 * byte. The unused bits of a packed array's last byte, and of a wider container, are written as 0.
 * No other byte is touched.
 *
 * Shapes of different element types change the type on the way. The exact value, times the scale,
 * is rounded once:
 *
 *     to a float    to the nearest, ties to even, subnormals kept. A value beyond the greatest
 *                   finite number becomes the type's infinity; without one, its NaN; without that,
 *                   the greatest number. A NaN becomes the type's quiet NaN of the same sign. A
 *                   zero has the sign of the product, as in IEEE 754, an integer's 0 being +0:
 *                   times a negative scale it becomes -0.
 *     to an integer towards zero, as in XLA's convert, or to the nearest, ties to even (options);
 *                   a value outside the type's range becomes the nearest end of the range, as in
 *                   XLA, or wraps. NaN is 0.
 *     to pred       1 unless the value is 0, before any rounding
 *
 * Two kinds of floats follow ml_dtypes: f4e2m1fn and the f6 types have no NaN, and a NaN becomes
 * the zero of the other sign; f8e8m0fnu has neither zero nor sign, and zeros and negative numbers
 * become NaN. The values of f8e8m0fnu are powers of two, and rounding to them follows ml_dtypes and
 * XLA: ties go to the greater power, so that 3 becomes 4; a value between 2^-127, the least, and
 * 2^-126 becomes 2^-126; and a positive value below 2^-127 becomes 2^-127. Complex types cannot
 * change to other types. All devices agree in every bit. */
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

/* How a plan chooses its schedules. */
typedef enum relayout_plan_effort {
  RELAYOUT_PLAN_ADAPT = 0,   /* as ESTIMATE; then the plan's calls find out what is faster */
  RELAYOUT_PLAN_MEASURE = 1, /* the most promising schedules are run, several times each */
  RELAYOUT_PLAN_ESTIMATE = 2 /* a cost model predicts the fastest schedule, in microseconds */
} relayout_plan_effort;

/* What happens to an integer that is outside the range of its new type. */
typedef enum relayout_integer_overflow {
  RELAYOUT_OVERFLOW_SATURATE = 0, /* the nearest value in range */
  RELAYOUT_OVERFLOW_WRAP = 1      /* its low bits, in two's complement */
} relayout_integer_overflow;

/* How a value between two integers is rounded to an integer. */
typedef enum relayout_rounding {
  RELAYOUT_ROUNDING_ZERO = 0,   /* the one nearer to 0: 2.7 is 2, -2.7 is -2 */
  RELAYOUT_ROUNDING_NEAREST = 1 /* the nearest; of two as near, the even one: 2.5 is 2, 3.5 is 4 */
} relayout_rounding;

typedef struct relayout_plan_options {
  size_t struct_size;
  /* ADAPT lets calls of the plan run up to ten schedules in turns where the CPU backend moves a
   * part of 1 MiB or more: in relayout_plan_execute, and by native kernels. All write the same
   * bytes. The first call runs the schedule that is predicted to be the fastest; the next 29, or
   * fewer where there are fewer schedules, are timed: each schedule runs twice at most, and three
   * of them thrice more; from then on the one with the fastest call runs. Nothing else is run and
   * nothing measured beside these calls, which take a few percent longer in the mean;
   * relayout_plan_explain says how much. The device remembers the fastest until it is destroyed.
   * Elsewhere ADAPT is the same as ESTIMATE, which never changes its schedules.
   *
   * MEASURE runs `measured` schedules, those that other machines like best and then those that are
   * predicted to be the fastest, on scratch memory of the device; then, where each worker moves
   * whole tiles, as many variants of the fastest, which differ in the order of tiles, in
   * prefetching or in how tiles are stored, or, of work-group kernels, the fastest with its kernel
   * specialised; and keeps the fastest of all. plan_create returns when that is done. A schedule
   * that is predicted to take four times as long as the best is not run, and a single schedule is
   * not run either, but for work-group kernels. Where schedules need more alignment than elements
   * have, MEASURE finds the fastest for aligned and for unaligned offsets. The scratch memory of
   * both sides takes at most a quarter of the device's memory, and never more than 1 GiB; of a
   * larger relayout, a part with the same tiles and strides is run. Each schedule runs at most six
   * times, and once more as often if it is varied, for at most about a quarter of a second each
   * time; all runs for one plan take at most about two seconds. A schedule without a run is
   * estimated. Nothing is measured where the memory is missing, where no part is small enough, or
   * where one run is predicted to take as long as copying 8 GiB. The device remembers the fastest
   * (see relayout_device_export_wisdom), and later plans of any effort choose it without a run. */
  relayout_plan_effort effort;
  /* How many schedules MEASURE compares, for each kind of alignment: 1 to 1024; 0 means 8. */
  int32_t measured;
  /* Used where the element type changes to an integer. */
  relayout_integer_overflow overflow;
  /* Every value is multiplied by the scale, exactly, and then rounded once. Must be finite; 0 means
   * 1. */
  double scale;
  /* Must be NULL in new programs: views have strides. Programs compiled with relayout 0.1 may set
   * them, for a side with the default layout: relayout_plan_create uses them, and
   * relayout_plan_create_between refuses them. */
  const int64_t *former_source_byte_strides;
  const int64_t *former_destination_byte_strides;
  /* NULL and 0: the plan chooses. Otherwise one text for each part of the plan: the plan runs
   * exactly these schedules, but with smaller work-groups where a kernel cannot run with that many
   * work-items. A device runs the schedules that are offered for the part (see
   * relayout_plan_visit_schedules), and any other with the method, word= and move= of one of them:
   * with a tile of any rows= and columns= that it has room for, and loops= in any order that moves
   * every tile once; on the CPU with any store=, prefetch= and threads=, and by work-group kernels
   * with any grain=. Such a text may leave out align=, loops= and grain=, which then follow from
   * the tile. RELAYOUT_INVALID_TEXT for a text that is not a schedule; RELAYOUT_UNSUPPORTED for a
   * schedule that cannot be run, with the rule that it breaks or the field in which it differs from
   * the nearest, and for a wrong number of texts. A plan with a schedule that needs more alignment
   * than elements have refuses less aligned offsets, and less aligned pointers unless their data
   * goes through staging. */
  const char *const *schedules;
  int32_t schedule_count;
  /* For sides that go through staging (relayout_plan_submit): the plan is cut into chunks that span
   * at most this many bytes of the side, or a single index where that spans more; 0: no limit.
   * There are no chunks where boxes would share bytes (relayout_plan_create_range), nor on the CPU
   * backend and for native kernels, which need no staging. Equal chunks share their kernels and
   * tables. RELAYOUT_INVALID_ARGUMENT for more than 16384 chunks, or more than 256 different
   * ones. */
  size_t source_chunk_bytes;
  size_t destination_chunk_bytes;
  /* 1: the plan's kernels take 32 relayouts a launch (relayout_plan_enqueue_batch). 0: one. */
  int32_t for_batches;
  /* Used where the element type changes to an integer, or where integers are scaled. Floats are
   * always rounded to the nearest. */
  relayout_rounding rounding;
  /* 1: work-group kernels are compiled for this plan alone, with all that is known of it as
   * constants. They take fewer instructions; making the plan takes the time to compile them, unless
   * the device has kept them. 0: one compiled kernel serves many shapes, unless a schedule that was
   * measured or given as text has `kernel=specialized`. Neither changes anything on the CPU backend
   * and for native kernels. RELAYOUT_INVALID_ARGUMENT for other values. */
  int32_t specialize;
} relayout_plan_options;

#define RELAYOUT_PLAN_OPTIONS_INIT                                                                 \
  {                                                                                                \
    sizeof(relayout_plan_options), RELAYOUT_PLAN_ADAPT, 0, RELAYOUT_OVERFLOW_SATURATE, 1.0, NULL,  \
        NULL, NULL, 0, 0, 0, 0, RELAYOUT_ROUNDING_ZERO, 0                                          \
  }

/* Makes a plan. Both shapes must be valid and have the same dimensions. `options` NULL means the
 * defaults. The plan copies the shapes. The device remembers the plans that it made last: making
 * the same one again is a look-up, and may return the same handle; call relayout_plan_destroy once
 * for each.
 *
 * An OpenCL device without native kernels compiles kernels that it has not compiled before, on the
 * calling thread. Other threads wait only if they need the same kernel. To warm the device up, make
 * plans ahead on a thread of your own.
 *
 * RELAYOUT_SHAPE_MISMATCH, RELAYOUT_INVALID_ARGUMENT (options), the statuses of
 * relayout_shape_validate, RELAYOUT_UNSUPPORTED (complex types that change; schedules that do not
 * go with the shapes), RELAYOUT_OUT_OF_MEMORY, RELAYOUT_OPENCL_ERROR. */
RELAYOUT_API relayout_status relayout_plan_create(relayout_device *device,
                                                  const relayout_shape *from,
                                                  const relayout_shape *to,
                                                  const relayout_plan_options *options,
                                                  relayout_plan **plan, relayout_error *error);

/* The same for views, which need not be whole tensors. The plan copies them too. Each must be valid
 * (relayout_view_validate); the elements of a strided destination must not overlap. A view's
 * byte_offset counts from the pointer or offset that calls are given. Where the elements of the
 * other side are packed, of another type or in wider containers, strides must be multiples of this
 * side's element size. RELAYOUT_INVALID_ARGUMENT also for a destination that is read-only,
 * RELAYOUT_UNSUPPORTED also for strides that do not go with the shapes. */
RELAYOUT_API relayout_status relayout_plan_create_between(
    relayout_device *device, const relayout_view *from, const relayout_view *to,
    const relayout_plan_options *options, relayout_plan **plan, relayout_error *error);

/* The same for a box of the index space: the elements of which index d is start[d] or more, and
 * less than start[d] + sizes[d]; both have `rank` entries. Sides, pointers and offsets are those of
 * the whole tensors; only the bytes of the box need to be accessible, and only its elements must
 * not overlap in a strided destination. The padding after a dimension's last index belongs to the
 * boxes with that index, and the padding of tail alignment to the box with the last element. So
 * boxes that cover each index once write together exactly what one plan of the whole writes. They
 * may run in any order, and at the same time on several threads and queues: no two of them write
 * the same byte. Devices do not remember such plans. RELAYOUT_OUT_OF_RANGE for indices outside the
 * tensor; RELAYOUT_UNSUPPORTED where boxes would share a byte of a packed destination, and where
 * `relayout_plan_explain` of the whole names the method index-program. */
RELAYOUT_API relayout_status relayout_plan_create_range(
    relayout_device *device, const relayout_view *from, const relayout_view *to,
    const int64_t *start, const int64_t *sizes, const relayout_plan_options *options,
    relayout_plan **plan, relayout_error *error);

/* The same for a box of one tensor and one of another, of the same `sizes`: along dimension d from
 * from_start[d] and to_start[d] on. The tensors have the same rank, but may have other dimensions.
 * The padding of `to` belongs to its boxes, as above; none of `from` is read. RELAYOUT_UNSUPPORTED
 * also where the starts or the dimensions differ and neither side can be moved: `from` can with a
 * layout without tiles whose elements take their own bytes, or with strides; `to` can if it has no
 * padding besides. */
RELAYOUT_API relayout_status relayout_plan_create_box(
    relayout_device *device, const relayout_view *from, const int64_t *from_start,
    const relayout_view *to, const int64_t *to_start, const int64_t *sizes,
    const relayout_plan_options *options, relayout_plan **plan, relayout_error *error);

/* Adds a reference to a plan, which needs one more relayout_plan_destroy. NULL is allowed. */
RELAYOUT_API void relayout_plan_retain(relayout_plan *plan);

/* Drops one reference. NULL is allowed. Work already enqueued on an OpenCL queue still completes.
 */
RELAYOUT_API void relayout_plan_destroy(relayout_plan *plan);

/* The bytes of each side, padding included, which the pointers and buffers must hold. For a strided
 * side: from the lowest byte of any element to the highest. */
RELAYOUT_API size_t relayout_plan_source_size(const relayout_plan *plan);
RELAYOUT_API size_t relayout_plan_destination_size(const relayout_plan *plan);

/* Called for each run of `size` bytes of a side. `first` is its offset in bytes from the pointer
 * that calls are given, and may be negative. */
typedef void (*relayout_bytes_visitor)(void *context, int64_t first, size_t size);

/* Calls `visitor` for the runs of bytes that the plan writes, each byte once, or reads, where a
 * byte may come again. Only these bytes need to be accessible at the pointers that calls are given.
 * RELAYOUT_INVALID_ARGUMENT for a NULL; RELAYOUT_UNSUPPORTED, without a call of `visitor`, for
 * plans with an index program, and where parts of packed elements share bytes. */
RELAYOUT_API relayout_status relayout_plan_visit_bytes_written(const relayout_plan *plan,
                                                               relayout_bytes_visitor visitor,
                                                               void *context,
                                                               relayout_error *error);
RELAYOUT_API relayout_status relayout_plan_visit_bytes_read(const relayout_plan *plan,
                                                            relayout_bytes_visitor visitor,
                                                            void *context, relayout_error *error);

/* Figures of a plan. Set struct_size (RELAYOUT_PLAN_INFO_INIT) before the call. */
typedef struct relayout_plan_info {
  size_t struct_size;
  uint64_t source_bytes;      /* as relayout_plan_source_size */
  uint64_t destination_bytes; /* as relayout_plan_destination_size */
  uint64_t bytes_read;       /* of elements; with an index program, of all elements of the source */
  uint64_t bytes_written;    /* padding included */
  uint64_t bytes_left_alone; /* bytes of the destination that are not written */
  uint64_t padding_bytes;    /* padding among the bytes written */
  /* Memory that the plan holds on an OpenCL device, besides kernels' code; 0 on the CPU backend and
   * for native kernels. */
  uint64_t device_bytes;
  double predicted_fraction; /* as relayout_plan_get_predicted_fraction */
  int32_t part_count;        /* as relayout_plan_part_count */
  int32_t kernel_count;      /* kernels that each use enqueues; 0 on the CPU backend */
  int32_t moves_nothing;     /* 1 if there is nothing to write */
  /* 1 if each byte written is an unchanged byte of the source at the same place, counted from the
   * lowest byte: one buffer could be both sides. */
  int32_t is_bitcast;
  uint64_t host_bytes; /* memory of the host that the plan holds, besides an OpenCL driver's */
} relayout_plan_info;

#define RELAYOUT_PLAN_INFO_INIT                                                                    \
  { sizeof(relayout_plan_info), 0, 0, 0, 0, 0, 0, 0, 0.0, 0, 0, 0, 0, 0 }

/* RELAYOUT_INVALID_ARGUMENT for a NULL or an invalid struct_size. */
RELAYOUT_API relayout_status relayout_plan_get_info(const relayout_plan *plan,
                                                    relayout_plan_info *info,
                                                    relayout_error *error);

/* How many problems the plan moves, one after the other, the largest first: usually one; more where
 * tiles leave ragged ends. 0 for a plan that moves nothing. */
RELAYOUT_API int32_t relayout_plan_part_count(const relayout_plan *plan);

/* The method of the largest part's schedule: "copy", "transpose", ...; "none" for a plan that moves
 * nothing. Static storage. */
RELAYOUT_API const char *relayout_plan_get_method(const relayout_plan *plan);

/* Where alignment matters a part has two schedules; each execution chooses one by its offsets. */
typedef enum relayout_schedule_use {
  RELAYOUT_SCHEDULE_ALIGNED = 0,      /* both sides begin at multiples of any alignment */
  RELAYOUT_SCHEDULE_AT_ANY_OFFSET = 1 /* they begin at any element */
} relayout_schedule_use;

/* The schedule of part 0 .. part_count-1, as text that options->schedules takes. Like snprintf:
 * writes at most `capacity` bytes with the NUL (buffer may be NULL when capacity is 0) and returns
 * the length of the whole text. 0 for any other part. Of a plan that adapts it is the schedule that
 * the next call runs if it compares none: so are the others that tell of schedules. */
RELAYOUT_API size_t relayout_plan_get_schedule(const relayout_plan *plan, int32_t part,
                                               relayout_schedule_use use, char *buffer,
                                               size_t capacity);

/* A schedule that may be chosen for a part. */
typedef struct relayout_schedule_info {
  size_t struct_size;
  const char *text;
  const char *method;        /* the method that offers it */
  double predicted_fraction; /* of a plain copy, as relayout_plan_get_predicted_fraction */
} relayout_schedule_info;

/* Called for each schedule; `info` is valid until the visitor returns. */
typedef void (*relayout_schedule_visitor)(void *context, const relayout_schedule_info *info);

/* Calls `visitor` for every schedule that is offered for this part, the best predicted first.
 * RELAYOUT_INVALID_ARGUMENT, RELAYOUT_OUT_OF_MEMORY. */
RELAYOUT_API relayout_status relayout_plan_visit_schedules(const relayout_plan *plan, int32_t part,
                                                           relayout_schedule_visitor visitor,
                                                           void *context, relayout_error *error);

/* One thing that the cost model counts of a part. */
typedef struct relayout_cost {
  size_t struct_size;
  const char *name; /* "lines read", "tiles", ...; static storage */
  const char *rate; /* in the device's row of tuning: "line_again"; NULL: none; static storage */
  double count;     /* in the whole part; an expected value where the count varies */
  double weight;    /* how often the rate is paid, in plain copies of as many bytes; 0: never */
  double time;      /* in plain copies of as many bytes */
} relayout_cost;

/* Called with one cost, which is valid until the call returns. */
typedef void (*relayout_cost_visitor)(void *context, const relayout_cost *cost);

/* Calls the visitor with every cost that the model predicts for the part's schedule. The predicted
 * fraction of that schedule is 1 / the sum of the times, and 1 at most. RELAYOUT_INVALID_ARGUMENT
 * for a NULL and for a part that the plan does not have. */
RELAYOUT_API relayout_status relayout_plan_visit_costs(const relayout_plan *plan, int32_t part,
                                                       relayout_cost_visitor visitor, void *context,
                                                       relayout_error *error);

/* The predicted speed, as a fraction of a plain copy of as many bytes on the device, for buffers
 * that are not in a cache: above 0, at most 1. 0 for a plan that moves nothing. */
RELAYOUT_API double relayout_plan_get_predicted_fraction(const relayout_plan *plan);

/* Moves host memory and returns when it is done. A device that relayout_device_open gave a CPU
 * backend for host memory uses that. An OpenCL device works on host memory in place where
 * relayout_plan_submit says so and the pointers are multiples of the element size; otherwise the
 * data goes through staging. A relayout larger than the device's largest allocation goes box by box
 * (relayout_plan_create_range). Pointers need no alignment and may be NULL when their side is
 * empty.
 *
 * On the CPU backend the elements of both sides may interleave in one block of memory, such as the
 * even and the odd columns of a matrix, as long as no byte is both read and written:
 * RELAYOUT_BUFFERS_OVERLAP for sides that share bytes, and for overlapping ranges of bytes where
 * the library cannot tell: with an index program, with rows of packed elements that begin within a
 * byte, and with strides that combine in too many ways to try. On other devices the ranges must not
 * overlap.
 *
 * RELAYOUT_INVALID_ARGUMENT, RELAYOUT_OUT_OF_MEMORY, RELAYOUT_OPENCL_ERROR (then the destination
 * may be partly written). */
RELAYOUT_API relayout_status relayout_plan_execute(const relayout_plan *plan, const void *source,
                                                   void *destination, relayout_error *error);

/* One relayout of host memory in one call: plan_create, plan_execute and plan_destroy. */
RELAYOUT_API relayout_status relayout_copy(relayout_device *device, const relayout_shape *from,
                                           const relayout_shape *to, const void *source,
                                           void *destination, relayout_error *error);

/* The schedules that measured plans found on this device, as text for a device of the same kind and
 * driver, in this process or another. Like snprintf: writes at most `capacity` bytes with the NUL
 * (buffer may be NULL when capacity is 0) and returns the length of the whole text without it; 0
 * when device is NULL.
 *
 * Devices also keep this text in a file wisdom-*.txt, in the folder of compiled kernels: relayout/
 * in the user's cache directory ($XDG_CACHE_HOME or else $HOME/.cache), or
 * relayout_opencl_options.cache_directory. With RELAYOUT_CACHE=off in the environment no file is
 * kept. The file may be read, moved and deleted at any time. */
RELAYOUT_API size_t relayout_device_export_wisdom(relayout_device *device, char *buffer,
                                                  size_t capacity);

/* Adds such a text, of `size` bytes, to what the device remembers, and replaces entries for the
 * same problems. Malformed lines are ignored, and so is a text of another device, driver or
 * version. A device remembers at most the newest 4096 lines, of 15 MiB together; of a text or file
 * it reads the last 65536 lines, and it ignores files of more than 16 MiB. Both may be called from
 * several threads at once. RELAYOUT_INVALID_ARGUMENT for a NULL, and for a text of more than 16
 * MiB; RELAYOUT_OUT_OF_MEMORY (then a part of the text is added). */
RELAYOUT_API relayout_status relayout_device_import_wisdom(relayout_device *device,
                                                           const char *text, size_t size,
                                                           relayout_error *error);

typedef enum relayout_explain_form {
  RELAYOUT_EXPLAIN_TEXT = 0,           /* some lines of English */
  RELAYOUT_EXPLAIN_JSON = 1,           /* one JSON object, no newline at its end */
  RELAYOUT_EXPLAIN_SCHEDULES_TEXT = 2, /* the same with every schedule that is offered, */
  RELAYOUT_EXPLAIN_SCHEDULES_JSON = 3  /* the best predicted first */
} relayout_explain_form;

/* Describes what the plan does and why: bytes, axes, schedules, tiles, what the device runs, and
 * the predicted time. The list of schedules is left out if memory for it is missing. Like snprintf:
 * writes at most `capacity` bytes with the NUL (buffer may be NULL when capacity is 0) and returns
 * the length of the whole text without it. */
RELAYOUT_API size_t relayout_plan_explain(const relayout_plan *plan, relayout_explain_form form,
                                          char *buffer, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
