/* scaled.h: quantised tensors, whose elements have scales beside them, and plans that write several
 * results of one reading.
 *
 * The value of an element is (element - zero point) * scale, taken exactly. One scale, and one zero
 * point if there are any, is for a group of elements: a channel, a block of 32, or the whole
 * tensor. The scales are a tensor of the same rank, each of whose dimensions is the elements'
 * dimension divided by the group's size, rounded up: the last group may have fewer elements.
 *
 * Scales may have one more above them, the tensor scale, as NVFP4 has it: one f32 for the whole
 * tensor. The scale of a group is then the product of both, rounded to an f32.
 *
 * A block format has both in one: a record of bytes for each 32 elements along the minor dimension,
 * as GGUF files have them.
 *
 * A scaled view is a plain value, like a view, and owns nothing. A plan of several destinations is
 * immutable, and may be executed by several threads at once. */
#ifndef RELAYOUT_SCALED_H
#define RELAYOUT_SCALED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "relayout/plan.h"
#include "relayout/view.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Block formats -------------------------------------------------------------------------- */

/* X(NAME, value, text, bytes): GGUF's type number and name; the bytes of a record. A record holds
 * 32 elements. */
#define RELAYOUT_BLOCK_FORMAT_TABLE(X)                                                             \
  X(Q4_0, 2, "q4_0", 18)                                                                           \
  X(Q4_1, 3, "q4_1", 20)                                                                           \
  X(Q5_0, 6, "q5_0", 22)                                                                           \
  X(Q5_1, 7, "q5_1", 24)                                                                           \
  X(Q8_0, 8, "q8_0", 34)                                                                           \
  X(MXFP4, 39, "mxfp4", 17)

typedef enum relayout_block_format {
  RELAYOUT_BLOCK_FORMAT_NONE = 0,
#define RELAYOUT_BLOCK_FORMAT_ENUMERATOR(name, value, text, bytes)                                 \
  RELAYOUT_BLOCK_FORMAT_##name = value,
  RELAYOUT_BLOCK_FORMAT_TABLE(RELAYOUT_BLOCK_FORMAT_ENUMERATOR)
#undef RELAYOUT_BLOCK_FORMAT_ENUMERATOR
} relayout_block_format;

enum { RELAYOUT_BLOCK_ELEMENTS = 32 };

/* The format's name, "none" for a number outside the table; static storage. The bytes of a record,
 * 0 for such a number. */
RELAYOUT_API const char *relayout_block_format_name(relayout_block_format format);
RELAYOUT_API size_t relayout_block_format_record_bytes(relayout_block_format format);

/* Finds the format with exactly this name. RELAYOUT_INVALID_TEXT. */
RELAYOUT_API relayout_status relayout_block_format_parse(const char *text,
                                                         relayout_block_format *format,
                                                         relayout_error *error);

/* ---- Scaled views --------------------------------------------------------------------------- */

/* How a destination gets its scales. `amax` is the greatest absolute value of a group, each value
 * rounded to f32 once; `most` is the greatest finite number of the elements' type. */
typedef enum relayout_scale_rule {
  RELAYOUT_SCALES_GIVEN = 0, /* the caller has them: they are read */
  /* amax / most, rounded to the nearest number of the scales' type. */
  RELAYOUT_SCALES_AMAX = 1,
  /* amax / most, rounded up, so that no element saturates. */
  RELAYOUT_SCALES_AMAX_UP = 2,
  /* 2 to the power of floor(log2(amax)) - floor(log2(most)), as OCP's Microscaling formats (MX) 1.0
   * have it: the greatest elements of a group may saturate. */
  RELAYOUT_SCALES_POWER2 = 3,
  /* With zero points, which are found too, as ONNX's DynamicQuantizeLinear does it: for the
   * greatest and the least value of a group and of 0, and the type's last and first number, the
   * scale is (greatest - least) / (last - first), rounded to the nearest number of its type, and
   * the zero point the integer that is nearest to first - least / scale, ties to even, saturated.
   * The difference of values, the quotient by the scale, and first less that, are rounded to
   * f32s. */
  RELAYOUT_SCALES_RANGE = 4
} relayout_scale_rule;

typedef struct relayout_scaled_view {
  /* Not NONE: the elements lie in records. `elements.shape` then has their dimensions, the type f32
   * and a layout that is an order alone, and there are neither scales nor strides. */
  relayout_block_format block_format;
  /* 0: the records of a row lie one after the other. 4, 8, 16, 32 or 64: the records of this many
   * rows lie together; the rows are neighbours along the second dimension of `minor_to_major`. For
   * each 32 elements, the scales of all these rows come first, then their elements:
   * `interleaved_bytes` bytes (1, 4 or 8) of each row in turn. So runtimes (ggml's repacked q4_0x4,
   * q8_0x8 and, by single bytes, q4_0x16) and GGUF's former types 31 to 33 have q4_0, q8_0 and
   * mxfp4, which alone are interleaved. Each byte of q4_0's elements is then XORed with 0x88. */
  int32_t interleaved_rows;
  int32_t interleaved_bytes;
  relayout_view elements;
  /* Without scales the elements are the values. With scales they are floats or integers of at most
   * 32 bits. Zero points need scales, whose dimensions they have, and integers. A tensor scale
   * needs scales too. */
  bool has_scales;
  bool has_zero_points;
  bool has_tensor_scale;
  relayout_view scales;       /* f32, f16, bf16 or an f8 type */
  relayout_view zero_points;  /* of an integer type of at most 16 bits */
  relayout_view tensor_scale; /* one element of f32, of any rank */
  /* The elements of a group along each dimension, at least 1. */
  int64_t group_sizes[RELAYOUT_MAX_RANK];
  /* Of a destination. */
  relayout_scale_rule rule;
} relayout_scaled_view;

/* A view without scales. Returns what relayout_view_validate returns. */
RELAYOUT_API relayout_status relayout_scaled_view_make(const relayout_view *elements,
                                                       relayout_scaled_view *view,
                                                       relayout_error *error);

/* Elements in records: `rank` dimensions, and the order of their layout; NULL: the last dimension
 * is the minor one. */
RELAYOUT_API relayout_status relayout_scaled_view_make_blocks(
    relayout_block_format format, int32_t rank, const int64_t *dimensions,
    const int32_t *minor_to_major, relayout_scaled_view *view, relayout_error *error);

/* Adds scales, and zero points unless they are NULL, to a view without. `group_sizes` has `rank`
 * entries. NULL: along each dimension the quotient of both sizes, or, where that is no whole
 * number, the least power of two that gives as many groups. */
RELAYOUT_API relayout_status relayout_scaled_view_add_scales(relayout_scaled_view *view,
                                                             const relayout_view *scales,
                                                             const relayout_view *zero_points,
                                                             const int64_t *group_sizes,
                                                             relayout_error *error);

/* Adds a tensor scale to a view with scales. NULL: an f32 without dimensions, in native bytes. */
RELAYOUT_API relayout_status relayout_scaled_view_add_tensor_scale(
    relayout_scaled_view *view, const relayout_view *tensor_scale, relayout_error *error);

/* Checks what is said above of each field. Records have one dimension or more, and the minor one is
 * a multiple of 32; if they are interleaved, two dimensions or more, and the next one is a multiple
 * of the rows. RELAYOUT_SHAPE_MISMATCH for scales and zero points of other dimensions,
 * RELAYOUT_UNSUPPORTED for types, and for layouts of records that are no order,
 * RELAYOUT_INVALID_ARGUMENT for all else, and what relayout_view_validate returns. */
RELAYOUT_API relayout_status relayout_scaled_view_validate(const relayout_scaled_view *view,
                                                           relayout_error *error);

/* True if the same fields count and are the same. */
RELAYOUT_API bool relayout_scaled_view_equal(const relayout_scaled_view *a,
                                             const relayout_scaled_view *b);

/* The bytes from the lowest to the highest of the elements, or of all records. */
RELAYOUT_API relayout_status relayout_scaled_view_elements_size(const relayout_scaled_view *view,
                                                                size_t *bytes,
                                                                relayout_error *error);

/* Parses the text form, which says what a value is:
 *
 *   scaled   := shape | block | shape '*' shape groups | '(' shape '-' shape ')' '*' shape groups
 *   block    := format [rows bytes] '[' [size {',' size}] ']' ['{' [dimension {',' dimension}] '}']
 *   rows     := '_4' | '_8' | '_16' | '_32' | '_64'
 *   bytes    := '_1' | '_4' | '_8'
 *   groups   := ['per' '[' size {',' size} ']'] ['*' shape]
 *
 * The first shape is that of the elements, then come the zero points, the scales, and last the
 * tensor scale. Without sizes, groups have those of relayout_scaled_view_add_scales.
 * RELAYOUT_INVALID_TEXT with the column, and what relayout_shape_parse and
 * relayout_scaled_view_validate return. */
RELAYOUT_API relayout_status relayout_scaled_view_parse(const char *text,
                                                        relayout_scaled_view *view,
                                                        relayout_error *error);

/* Prints the text form, which parses to an equal view if the views inside are whole tensors. Like
 * snprintf: writes at most `capacity` bytes with the NUL and returns the length of the whole
 * text. */
RELAYOUT_API size_t relayout_scaled_view_format(const relayout_scaled_view *view, char *buffer,
                                                size_t capacity);

/* ---- Plans of several destinations ---------------------------------------------------------- */

/* The memory of a source and of a destination. A pointer that the view does not need may be NULL.
 * Zero points are read, also a destination's unless its rule is RANGE, and so are the scales of one
 * whose rule is GIVEN; other scales are written. Tensor scales are read on both sides, by each call
 * anew. */
typedef struct relayout_source_memory {
  const void *elements;
  const void *scales;
  const void *zero_points;
  const void *tensor_scale;
} relayout_source_memory;

typedef struct relayout_destination_memory {
  void *elements;
  void *scales;
  void *zero_points;
  const void *tensor_scale;
} relayout_destination_memory;

/* Makes a plan that reads one source and writes `count` destinations, 1 to 16, all of the source's
 * dimensions: with and without scales, in any layouts and orders. The source is taken a box of the
 * index space at a time, and every destination gets its part while the box is in the cache.
 *
 * A destination without scales gets the values, each rounded once as plan.h says. One with scales
 * gets value / scale, rounded once as well, and then plus the zero point: `options->rounding` says
 * how to integers. What lies beyond the greatest or the least finite element becomes that element,
 * also among floats. NaN counts as 0 among integers, and becomes the positive NaN of floats if
 * there are scales on either side. A group whose scale is 0 gets the elements of the value 0.
 *
 * A block format gets what GGUF's reference quantiser (ggml) makes of the values, each rounded to
 * f32 once; a value of a block format is what its reference makes of it in f32. Records of the
 * source's format whose elements run along the same dimension keep their bits. Where the reference
 * leaves open what infinities and NaNs become, elements are 0, and a NaN is positive. A NaN counts
 * as the greatest value of its record, which the reference passes over.
 *
 * A rule other than GIVEN first finds the scale of a group. A group of zeros has the scale 0, or
 * the least one of a type that has none; a group with an infinity or a NaN has the scale that
 * comes of dividing it. Zero points are given, except by RANGE.
 *
 * Values are divided by the products of scales and a tensor scale, and RANGE finds zero points by
 * these. Rules divide by `most`, or by last - first, times the tensor scale, as an f32 without its
 * sign. Where that is 0, all groups have the scale of a group of zeros; where it is an infinity,
 * those of finite values have it, and others NaN; and where it is NaN, all but groups of zeros have
 * NaN.
 *
 * Of the options `rounding`, `overflow` and `scale` count, and `effort`, `measured` and `schedules`
 * as plan.h says and as follows. Integers must not wrap where there are scales. `scale` is rounded
 * to an f32, which must be finite and not 0. Unless that is 1, it is as if each of the source's
 * scales were multiplied by it and rounded to an f32, or as if it were the one scale of a source
 * without any. All that is said of a source with scales then holds, also for records, which do not
 * keep their bits. A source's tensor scale is first multiplied by it, and rounded to an f32, and by
 * this its scales are.
 *
 * On an OpenCL device that runs work-group kernels the call compiles one for the plan.
 *
 * A plan that goes through boxes has one part, of the method boxes, and its schedule has these
 * fields:
 *
 *     order    the dimensions in which rows of values run in a box, minor to major
 *     sizes    how many indices a box has along each dimension
 *     group    of a work-group kernel: work-items of a work-group
 *     loads    elements that a work-item loads at once
 *     stores   elements that it stores at once, of each of the kernel's destinations
 *
 * options->schedules may have one text. What that leaves out is chosen; all schedules write the
 * same bytes. RELAYOUT_INVALID_TEXT, with the column, for a text that is no such schedule.
 * RELAYOUT_UNSUPPORTED for more texts; for boxes that go beyond what is moved, part a record or
 * elements that share a byte, are more than 2^24 on the CPU, or take more memory than a work-group
 * has; for an order on the CPU that does not begin with the dimension along which the source's
 * records run; for work-groups and vectors that the kernel cannot have, and on the CPU for any; and
 * for a plan without boxes.
 *
 * ADAPT is ESTIMATE here. MEASURE runs the schedule that is chosen and those that are predicted to
 * be the fastest of those that relayout_plan_visit_schedules tells of, `measured` in all; then, of
 * work-group kernels, the fastest with other work-groups and vectors. Nothing is measured where
 * scratch memory for all tensors would take more than plan.h says. Devices remember the fastest for
 * the same sides, range and rules.
 *
 * The predicted fraction is of a copy that reads and writes each byte that calls use once. It
 * counts reading all that is read, and the elements once more where boxes part groups whose scales
 * are found; what plans of boxes count between a side and a worker's memory; and a pass over all
 * values for each conversion, two for each product or quotient of a scale, and four for a record
 * that is made. It leaves out what boxes read again from caches, and finding rows, groups and
 * records; of a kernel also its local memory, vectors and work-groups, and how tiles of layouts cut
 * its runs. A cost whose rates are several has no rate and the weight 0.
 *
 * RELAYOUT_INVALID_ARGUMENT, RELAYOUT_SHAPE_MISMATCH for other dimensions than the source's,
 * RELAYOUT_UNSUPPORTED for complex types on a side whose other one has scales, for these and pred
 * in a source that has one by `scale`, for complex types and records, and for scales that are to be
 * found for a type without numbers above 0, or for integers of 32 bits. A device that
 * runs work-group kernels also refuses records along several dimensions if a work-group cannot hold
 * a box of 32 elements along each of them, and more than 62 tensors of all sides. Also what
 * relayout_plan_create_between returns. */
RELAYOUT_API relayout_status relayout_plan_create_many(relayout_device *device,
                                                       const relayout_scaled_view *from,
                                                       const relayout_scaled_view *to,
                                                       int32_t count,
                                                       const relayout_plan_options *options,
                                                       relayout_plan **plan, relayout_error *error);

/* The same for a box of the index space, as relayout_plan_create_range has it: `start` and `sizes`
 * have an entry for each dimension; sides, pointers and offsets are those of the whole tensors;
 * only the bytes of the box, the scales and zero points of its groups, and tensor scales need to be
 * accessible; boxes that cover each index once write together what a plan of everything writes, in
 * any order and at the same time. A box has all or nothing of each record of either side, and, in a
 * destination, of each byte of packed elements and each group whose scale is found:
 * RELAYOUT_UNSUPPORTED, also where relayout_plan_create_range returns it. RELAYOUT_OUT_OF_RANGE for
 * indices outside the tensor. */
RELAYOUT_API relayout_status relayout_plan_create_many_range(
    relayout_device *device, const relayout_scaled_view *from, const relayout_scaled_view *to,
    int32_t count, const int64_t *start, const int64_t *sizes, const relayout_plan_options *options,
    relayout_plan **plan, relayout_error *error);

/* Executes such a plan on host memory and returns when it is done; relayout_plan_enqueue_many of
 * opencl.h does so with buffers. `to` has as many entries as the plan has destinations. Pointers
 * need no alignment. The ranges of bytes of what is written must not overlap each other or what is
 * read: RELAYOUT_BUFFERS_OVERLAP. The bytes are the same on all machines and devices. On an OpenCL
 * device that runs work-group kernels, and has no room for all tensors, the call moves one range
 * after the other (relayout_plan_create_many_range), and compiles a kernel for each:
 * RELAYOUT_OUT_OF_DEVICE_MEMORY where there are no ranges for which there is room.
 * RELAYOUT_INVALID_ARGUMENT for a NULL that is needed, and for a plan of another call;
 * RELAYOUT_OUT_OF_MEMORY and RELAYOUT_OPENCL_ERROR, after which destinations may be partly
 * written. */
RELAYOUT_API relayout_status relayout_plan_execute_many(const relayout_plan *plan,
                                                        const relayout_source_memory *from,
                                                        const relayout_destination_memory *to,
                                                        relayout_error *error);

/* The number of a plan's destinations: 1 for a plan of another call, 0 for NULL. */
RELAYOUT_API int32_t relayout_plan_destination_count(const relayout_plan *plan);

#ifdef __cplusplus
}
#endif

#endif
