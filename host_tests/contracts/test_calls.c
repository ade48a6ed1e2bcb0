/* What status.h says of every call that can fail, tried on each: what becomes of its error and of
 * its outputs when it fails, and when it does not. The OpenCL calls are in test_opencl.c.
 */
#include "cmocka_all.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "relayout/relayout.h"
#include "scratch.h"
#include "shape_of.h"

/* ---- Memory that runs out: the linker leads the library's calls here (--wrap) ---- */

static int until_failure; /* allocations that work and the one that fails; 0: all work */

static bool fails(void) {
  return until_failure > 0 && --until_failure == 0;
}

#define WRAP(type, failure, function, parameters, arguments)                                       \
  type __real_##function parameters;                                                               \
  type __wrap_##function parameters;                                                               \
  type __wrap_##function parameters {                                                              \
    return fails() ? failure : __real_##function arguments;                                        \
  }

WRAP(void *, NULL, malloc, (size_t size), (size))
WRAP(void *, NULL, calloc, (size_t count, size_t size), (count, size))
WRAP(void *, NULL, realloc, (void *old, size_t size), (old, size))
WRAP(int, ENOMEM, posix_memalign, (void **made, size_t alignment, size_t size),
     (made, alignment, size))
WRAP(char *, NULL, strdup, (const char *text), (text))
WRAP(char *, NULL, strndup, (const char *text, size_t size), (text, size))

/* ---- What the calls work on ---- */

static const int64_t sizes[] = {2, 3};
static const int32_t once[] = {1, 0};
static const int32_t twice[] = {1, 1};
static const int64_t inside[] = {1, 2};
static const int64_t outside[] = {1, 3};
static const int64_t unit[] = {1, 1};
static const int64_t minor[] = {0, 1};
static const relayout_dlpack_fields no_dlpack = {3, 64, 1, 0, NULL, NULL, 0, 0};
static const relayout_dlpack_fields some_dlpack = {2, 32, 1, 0, NULL, NULL, 0, 0};
static const relayout_pjrt_fields no_pjrt = {.type = 23};
static const relayout_pjrt_fields some_pjrt = {.type = 11};
static relayout_pjrt_lists pjrt_lists;
static char typestr[RELAYOUT_TYPESTR_SIZE];
static int64_t lists[2][2];
static const float source[] = {1, 2, 3, 4, 5, 6};
static const relayout_cpu_options bad_options = {.struct_size = sizeof(relayout_cpu_options),
                                                 .threads = -1};
static const relayout_gpu_options bad_gpu = {.struct_size = sizeof bad_gpu, .group_size = 3};
static const relayout_kernel_options in_c = {.struct_size = sizeof in_c,
                                             .language = RELAYOUT_LANGUAGE_C};
static relayout_kernel kernel;
static relayout_shape scalar;
static relayout_shape matrix;                   /* f32[2,3] */
static relayout_shape tiled;                    /* has no strides */
static relayout_shape too_big;                  /* is not valid */
static relayout_view whole;                     /* of the matrix */
static relayout_view far_away;                  /* is not valid */
static relayout_sharding halves;                /* of the matrix, on devices 0 and 1 */
static relayout_sharding thirds;                /* likewise, its columns on devices 0, 1 and 2 */
static const relayout_exchange *const peers[1]; /* NULL: no exchange */
static void *const pointers[1];
static relayout_exchange *exchange;     /* from halves to thirds, of device 0 */
static relayout_scaled_view scaled;     /* the matrix */
static relayout_scaled_view scaled_far; /* is not valid */
static const int64_t in_records[] = {3, 64};
static relayout_plan *many;        /* of the matrix to itself */
static relayout_layout transposed; /* {0,1} */
static relayout_layout crooked;    /* lists a dimension twice, at its end */
static relayout_layout ones;
static relayout_device *device;
static relayout_plan *plan;

static char cache[SCRATCH_PATH];

static int set_up(void **state) {
  (void)state;
  scratch_make(cache);
  setenv("XDG_CACHE_HOME", cache, 1);
  scalar = shape_of("f32[]");
  matrix = shape_of("f32[2,3]");
  tiled = shape_of("f32[2,3]{1,0:T(2,2)}");
  too_big = matrix;
  too_big.dimensions[0] = INT64_MAX;
  whole = (relayout_view){.shape = matrix};
  far_away = (relayout_view){.shape = matrix, .byte_offset = INT64_MIN};
  scaled = (relayout_scaled_view){.elements = whole};
  scaled_far = (relayout_scaled_view){.elements = far_away};
  halves = (relayout_sharding){.kind = RELAYOUT_SHARDING_TILED,
                               .rank = 2,
                               .shards = {2, 1},
                               .order = {.rank = 1, .dimensions = {2}}};
  thirds = halves;
  thirds.shards[0] = 1;
  thirds.shards[1] = thirds.order.dimensions[0] = 3;
  transposed = shape_of("f32[2,3]{0,1}").layout;
  crooked = transposed;
  crooked.minor_to_major[1] = 0;
  ones = (relayout_layout){.padding_value = RELAYOUT_PADDING_ONE};
  return relayout_device_open("cpu", &device, NULL) == RELAYOUT_OK &&
                 relayout_plan_create(device, &matrix, &matrix, NULL, &plan, NULL) == RELAYOUT_OK &&
                 relayout_plan_create_many(device, &scaled, &scaled, 1, NULL, &many, NULL) ==
                     RELAYOUT_OK &&
                 relayout_exchange_create(device, &matrix, &halves, &matrix, &thirds, 0, NULL,
                                          &exchange, NULL) == RELAYOUT_OK
             ? 0
             : -1;
}

static int tear_down(void **state) {
  (void)state;
  scratch_remove(cache);
  relayout_kernel_free(&kernel);
  relayout_exchange_destroy(exchange);
  relayout_plan_destroy(many);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
  return 0;
}

/* ---- The calls ---- */

/* X(function, status, arguments that it is refused for with that status, good arguments). Both end
 * in what is written here as `out`, the output, and `error`. */
#define CALLS(X)                                                                                   \
  X(relayout_element_type_parse, INVALID_TEXT, ("f33", out, error), ("f32", out, error))           \
  X(relayout_layout_make, INVALID_SHAPE, (2, twice, out, error), (2, once, out, error))            \
  X(relayout_layout_make_from_major_to_minor, INVALID_SHAPE, (2, twice, out, error),               \
    (2, once, out, error))                                                                         \
  X(relayout_layout_make_tiled, INVALID_SHAPE, (2, inside, 0, NULL, NULL, out, error),             \
    (2, minor, 0, NULL, NULL, out, error))                                                         \
  X(relayout_layout_make_descending, INVALID_SHAPE, (65, out, error), (64, out, error))            \
  X(relayout_layout_make_ascending, INVALID_SHAPE, (65, out, error), (64, out, error))             \
  X(relayout_layout_major, OUT_OF_RANGE, (&transposed, 2, out, error),                             \
    (&transposed, 1, out, error))                                                                  \
  X(relayout_layout_minor, OUT_OF_RANGE, (&transposed, -1, out, error),                            \
    (&transposed, 1, out, error))                                                                  \
  X(relayout_layout_make_logical_to_physical, INVALID_SHAPE, (&crooked, out, error),               \
    (&transposed, out, error))                                                                     \
  X(relayout_layout_move_dimension_to_major, OUT_OF_RANGE, (&transposed, 2, out, error),           \
    (&transposed, 0, out, error))                                                                  \
  X(relayout_layout_move_dimension_to_minor, OUT_OF_RANGE, (&transposed, 2, out, error),           \
    (&transposed, 1, out, error))                                                                  \
  X(relayout_layout_padding_bytes, INVALID_SHAPE, (&ones, RELAYOUT_S1, out, error),                \
    (&ones, RELAYOUT_F32, out, error))                                                             \
  X(relayout_layout_parse, INVALID_TEXT,                                                           \
    ("{0,1:PD(3,5)PV(one)T(2)x}", RELAYOUT_F32, 2, out, error),                                    \
    ("{0,1:PD(3,5)PV(one)T(2)}", RELAYOUT_F32, 2, out, error))                                     \
  X(relayout_shape_make, SIZE_OVERFLOW, (RELAYOUT_F32, 2, too_big.dimensions, out, error),         \
    (RELAYOUT_F32, 2, sizes, out, error))                                                          \
  X(relayout_shape_make_with_layout, INVALID_SHAPE,                                                \
    (RELAYOUT_F32, 2, sizes, &crooked, out, error),                                                \
    (RELAYOUT_F32, 2, sizes, &transposed, out, error))                                             \
  X(relayout_shape_make_descending_same_physical, SIZE_OVERFLOW, (&too_big, out, error),           \
    (&matrix, out, error))                                                                         \
  X(relayout_shape_validate, SIZE_OVERFLOW, (&too_big, error), (&matrix, error))                   \
  X(relayout_shape_dimension_number, OUT_OF_RANGE, (&matrix, 2, out, error),                       \
    (&matrix, -1, out, error))                                                                     \
  X(relayout_shape_dimension, OUT_OF_RANGE, (&matrix, -3, out, error), (&matrix, -1, out, error))  \
  X(relayout_shape_physical_element_count, SIZE_OVERFLOW, (&too_big, out, error),                  \
    (&matrix, out, error))                                                                         \
  X(relayout_shape_byte_size, SIZE_OVERFLOW, (&too_big, out, error), (&matrix, out, error))        \
  X(relayout_shape_padding_byte_size, SIZE_OVERFLOW, (&too_big, out, error),                       \
    (&matrix, out, error))                                                                         \
  X(relayout_shape_physical_dimensions, SIZE_OVERFLOW, (&too_big, 0, NULL, out, error),            \
    (&matrix, 0, NULL, out, error))                                                                \
  X(relayout_shape_strides, UNSUPPORTED, (&tiled, out, error), (&matrix, out, error))              \
  X(relayout_shape_permute_dimensions, INVALID_ARGUMENT, (&matrix, twice, out, error),             \
    (&matrix, once, out, error))                                                                   \
  X(relayout_shape_delete_dimension, OUT_OF_RANGE, (&matrix, 2, out, error),                       \
    (&matrix, 1, out, error))                                                                      \
  X(relayout_shape_insert_dimension, SIZE_OVERFLOW, (&matrix, 0, INT64_MAX, out, error),           \
    (&matrix, 0, 1, out, error))                                                                   \
  X(relayout_shape_move_dimension, OUT_OF_RANGE, (&matrix, 0, 2, out, error),                      \
    (&matrix, 0, 1, out, error))                                                                   \
  X(relayout_shape_drop_degenerate_dimensions, UNSUPPORTED, (&tiled, out, error),                  \
    (&matrix, out, error))                                                                         \
  X(relayout_shape_parse, INVALID_TEXT, ("f32[2,3]{0,1:PD(3,5)}x", out, error),                    \
    ("f32[2,3]{0,1:PD(3,5)}", out, error))                                                         \
  X(relayout_shape_parse_with_defaults, SHAPE_MISMATCH, ("{0}", &matrix, out, error),              \
    ("bf16{0,1}", &matrix, out, error))                                                            \
  X(relayout_sharding_parse, INVALID_TEXT, ("{devices=[2,2]0,1,2,2}", out, error),                 \
    ("{devices=[2,2]0,1,2,3}", out, error))                                                        \
  X(relayout_sharding_validate, OUT_OF_RANGE, (&halves, &matrix, 1, error),                        \
    (&halves, &matrix, 2, error))                                                                  \
  X(relayout_sharding_device, OUT_OF_RANGE, (&halves, 2, out, error), (&halves, 1, out, error))    \
  X(relayout_sharding_box, SHAPE_MISMATCH, (&halves, &scalar, 0, out, NULL, NULL, error),          \
    (&halves, &matrix, 0, out, NULL, NULL, error))                                                 \
  X(relayout_sharding_visit_boxes, OUT_OF_RANGE, (&halves, &matrix, -1, ignore_box, out, error),   \
    (&halves, &matrix, 1, ignore_box, out, error))                                                 \
  X(relayout_sharding_local_shape, SHAPE_MISMATCH, (&halves, &scalar, 0, out, error),              \
    (&halves, &matrix, 0, out, error))                                                             \
  X(relayout_exchange_create, SHAPE_MISMATCH,                                                      \
    (device, &matrix, &halves, &scalar, &halves, 0, NULL, out, error),                             \
    (device, &matrix, &halves, &matrix, &thirds, 0, NULL, out, error))                             \
  X(relayout_exchange_get_volume, INVALID_ARGUMENT, (NULL, 0, out, error),                         \
    (exchange, 0, out, error))                                                                     \
  X(relayout_exchange_get_message, OUT_OF_RANGE, (exchange, 9, out, error),                        \
    (exchange, 0, out, error))                                                                     \
  X(relayout_exchange_pack, OUT_OF_RANGE, (exchange, 2, source, out, error),                       \
    (exchange, 0, source, out, error))                                                             \
  X(relayout_exchange_unpack, OUT_OF_RANGE, (exchange, 0, source, out, error),                     \
    (exchange, 2, source, out, error))                                                             \
  X(relayout_exchange_keep, INVALID_ARGUMENT, (NULL, source, out, error),                          \
    (exchange, source, out, error))                                                                \
  X(relayout_exchange_execute, INVALID_ARGUMENT,                                                   \
    (1, peers, (const void *const *)pointers, pointers, error),                                    \
    (0, peers, (const void *const *)pointers, pointers, error))                                    \
  X(relayout_view_make, SIZE_OVERFLOW, (&too_big, out, error), (&matrix, out, error))              \
  X(relayout_view_make_strided, SIZE_OVERFLOW,                                                     \
    (RELAYOUT_F32, 2, sizes, too_big.dimensions, out, error),                                      \
    (RELAYOUT_F32, 2, sizes, inside, out, error))                                                  \
  X(relayout_view_slice, OUT_OF_RANGE, (&whole, 1, 3, 1, 1, out, error),                           \
    (&whole, 1, 2, 3, -1, out, error))                                                             \
  X(relayout_view_permute_dimensions, INVALID_ARGUMENT, (&whole, twice, out, error),               \
    (&whole, once, out, error))                                                                    \
  X(relayout_view_validate, SIZE_OVERFLOW, (&far_away, error), (&whole, error))                    \
  X(relayout_view_span, SIZE_OVERFLOW, (&far_away, out, (size_t *)out + 1, error),                 \
    (&whole, out, (size_t *)out + 1, error))                                                       \
  X(relayout_view_byte_strides, SIZE_OVERFLOW, (&far_away, out, error), (&whole, out, error))      \
  X(relayout_view_from_dlpack_fields, UNSUPPORTED, (&no_dlpack, out, error),                       \
    (&some_dlpack, out, error))                                                                    \
  X(relayout_view_to_dlpack_fields, SIZE_OVERFLOW, (&far_away, lists[0], lists[1], out, error),    \
    (&whole, lists[0], lists[1], out, error))                                                      \
  X(relayout_element_type_from_pjrt, UNSUPPORTED, (23, out, error), (16, out, error))              \
  X(relayout_element_type_to_pjrt, UNSUPPORTED, (RELAYOUT_F6E2M3FN, out, error),                   \
    (RELAYOUT_F32, out, error))                                                                    \
  X(relayout_view_from_pjrt_fields, UNSUPPORTED, (&no_pjrt, out, error), (&some_pjrt, out, error)) \
  X(relayout_view_to_pjrt_fields, SIZE_OVERFLOW, (&far_away, &pjrt_lists, out, error),             \
    (&whole, &pjrt_lists, out, error))                                                             \
  X(relayout_view_from_array_interface, UNSUPPORTED, ("|O8", 0, NULL, NULL, false, out, error),    \
    ("|u1", 0, NULL, NULL, false, out, error))                                                     \
  X(relayout_view_to_array_interface, SIZE_OVERFLOW,                                               \
    (&far_away, typestr, lists[0], lists[1], error), (&whole, typestr, lists[0], lists[1], error)) \
  X(relayout_index_to_linear, OUT_OF_RANGE, (&tiled, outside, out, error),                         \
    (&tiled, inside, out, error))                                                                  \
  X(relayout_index_from_linear, OUT_OF_RANGE, (&tiled, 8, out, error), (&tiled, 5, out, error))    \
  X(relayout_language_parse, INVALID_TEXT, ("C", out, error), ("cuda", out, error))                \
  X(relayout_shape_emit_index, SIZE_OVERFLOW, (&too_big, NULL, NULL, 0, out, error),               \
    (&tiled, NULL, NULL, 0, out, error))                                                           \
  X(relayout_gpu_device_create, INVALID_ARGUMENT, (&bad_gpu, out, error), (NULL, out, error))      \
  X(relayout_plan_count_kernels, UNSUPPORTED, (plan, NULL, out, error), (plan, &in_c, out, error)) \
  X(relayout_plan_get_kernel, OUT_OF_RANGE, (plan, 1, &in_c, next_kernel(), error),                \
    (plan, 0, &in_c, next_kernel(), error))                                                        \
  X(relayout_index_dimension_stride, UNSUPPORTED, (&tiled, 0, out, error),                         \
    (&matrix, 0, out, error))                                                                      \
  X(relayout_device_open, INVALID_TEXT, ("CPU", out, error), ("cpu", out, error))                  \
  X(relayout_cpu_device_create, INVALID_ARGUMENT, (&bad_options, out, error), (NULL, out, error))  \
  X(relayout_device_get_info, INVALID_ARGUMENT, (device, out, error),                              \
    (device, info_in(out), error))                                                                 \
  X(relayout_device_list, INVALID_ARGUMENT, (NULL, 1, out, error), (NULL, 0, out, error))          \
  X(relayout_plan_create, SHAPE_MISMATCH, (device, &matrix, &scalar, NULL, out, error),            \
    (device, &matrix, &matrix, NULL, out, error))                                                  \
  X(relayout_plan_create_between, SIZE_OVERFLOW, (device, &far_away, &whole, NULL, out, error),    \
    (device, &whole, &whole, NULL, out, error))                                                    \
  X(relayout_plan_create_range, OUT_OF_RANGE,                                                      \
    (device, &whole, &whole, outside, inside, NULL, out, error),                                   \
    (device, &whole, &whole, inside, unit, NULL, out, error))                                      \
  X(relayout_plan_create_box, OUT_OF_RANGE,                                                        \
    (device, &whole, outside, &whole, inside, unit, NULL, out, error),                             \
    (device, &whole, inside, &whole, inside, unit, NULL, out, error))                              \
  X(relayout_plan_get_info, INVALID_ARGUMENT, (plan, NULL, error),                                 \
    (plan, plan_info_in(out), error))                                                              \
  X(relayout_plan_execute, BUFFERS_OVERLAP, (plan, (char *)out + 8, out, error),                   \
    (plan, source, out, error))                                                                    \
  X(relayout_copy, BUFFERS_OVERLAP, (device, &matrix, &matrix, out, (char *)out + 8, error),       \
    (device, &matrix, &matrix, source, out, error))                                                \
  X(relayout_block_format_parse, INVALID_TEXT, ("q9_0", out, error), ("q8_0", out, error))         \
  X(relayout_scaled_view_make, SIZE_OVERFLOW, (&far_away, out, error), (&whole, out, error))       \
  X(relayout_scaled_view_make_blocks, INVALID_ARGUMENT,                                            \
    (RELAYOUT_BLOCK_FORMAT_Q8_0, 2, sizes, NULL, out, error),                                      \
    (RELAYOUT_BLOCK_FORMAT_Q8_0, 2, in_records, NULL, out, error))                                 \
  X(relayout_scaled_view_add_scales, INVALID_ARGUMENT, (out, NULL, NULL, NULL, error),             \
    (scaled_in(out), &whole, NULL, NULL, error))                                                   \
  X(relayout_scaled_view_add_tensor_scale, INVALID_ARGUMENT, (NULL, NULL, error),                  \
    (multiplied_in(out), NULL, error))                                                             \
  X(relayout_scaled_view_validate, SIZE_OVERFLOW, (&scaled_far, error), (&scaled, error))          \
  X(relayout_scaled_view_elements_size, SIZE_OVERFLOW, (&scaled_far, out, error),                  \
    (&scaled, out, error))                                                                         \
  X(relayout_scaled_view_parse, INVALID_TEXT, ("q8_0[32]x", out, error), ("q8_0[32]", out, error)) \
  X(relayout_plan_create_many, SIZE_OVERFLOW, (device, &scaled_far, &scaled, 1, NULL, out, error), \
    (device, &scaled, &scaled, 1, NULL, out, error))                                               \
  X(relayout_plan_create_many_range, OUT_OF_RANGE,                                                 \
    (device, &scaled, &scaled, 1, outside, inside, NULL, out, error),                              \
    (device, &scaled, &scaled, 1, inside, unit, NULL, out, error))                                 \
  X(relayout_plan_execute_many, BUFFERS_OVERLAP,                                                   \
    (many, source_at((char *)out + 8), destination_at(out), error),                                \
    (many, source_at(source), destination_at(out), error))                                         \
  X(relayout_plan_visit_schedules, INVALID_ARGUMENT, (plan, 1, ignore, out, error),                \
    (plan, 0, ignore, out, error))                                                                 \
  X(relayout_plan_visit_costs, INVALID_ARGUMENT, (plan, 1, ignore_cost, out, error),               \
    (plan, 0, ignore_cost, out, error))                                                            \
  X(relayout_plan_visit_bytes_written, INVALID_ARGUMENT, (plan, NULL, out, error),                 \
    (plan, pass_over, out, error))                                                                 \
  X(relayout_plan_visit_bytes_read, INVALID_ARGUMENT, (plan, NULL, out, error),                    \
    (plan, pass_over, out, error))                                                                 \
  X(relayout_device_import_wisdom, INVALID_ARGUMENT, (device, NULL, 0, error),                     \
    (device, "", 0, error))                                                                        \
  X(relayout_tuning_keep, INVALID_TEXT, (device, "", error), (device, row_of_device(), error))     \
  X(relayout_tuning_reset, INVALID_ARGUMENT, (NULL, NULL, error), (device, NULL, error))           \
  X(relayout_device_set_tuning, INVALID_TEXT, (device, "", error),                                 \
    (device, row_of_device(), error))                                                              \
  X(relayout_device_get_usage, INVALID_ARGUMENT, (NULL, out, error),                               \
    (device, usage_in(out), error))                                                                \
  X(relayout_device_set_budget, INVALID_ARGUMENT, (NULL, 0, error), (device, UINT64_MAX, error))   \
  X(relayout_set_allocator, INVALID_ARGUMENT, (&half_an_allocator, error), (NULL, error))

static void *allocate_nothing(void *context, size_t size, size_t alignment) {
  (void)context;
  (void)size;
  (void)alignment;
  return NULL;
}

static const relayout_allocator half_an_allocator = {.struct_size = sizeof half_an_allocator,
                                                     .allocate = allocate_nothing};

static const char *row_of_device(void) {
  static char text[1 << 16];
  relayout_device_get_tuning(device, text, sizeof text);
  return text;
}

static relayout_device_info *info_in(void *out) {
  const relayout_device_info empty = RELAYOUT_DEVICE_INFO_INIT;
  memcpy(out, &empty, sizeof empty);
  return out;
}

static relayout_device_usage *usage_in(void *out) {
  const relayout_device_usage empty = RELAYOUT_DEVICE_USAGE_INIT;
  return memcpy(out, &empty, sizeof empty);
}

/* One kernel at a time. */
static relayout_kernel *next_kernel(void) {
  relayout_kernel_free(&kernel);
  kernel = (relayout_kernel)RELAYOUT_KERNEL_INIT;
  return &kernel;
}

static relayout_plan_info *plan_info_in(void *out) {
  const relayout_plan_info empty = RELAYOUT_PLAN_INFO_INIT;
  memcpy(out, &empty, sizeof empty);
  return out;
}

static relayout_scaled_view *scaled_in(void *out) {
  return memcpy(out, &scaled, sizeof scaled);
}

static relayout_scaled_view *multiplied_in(void *out) {
  (void)relayout_scaled_view_add_scales(scaled_in(out), &whole, NULL, NULL, NULL);
  return out;
}

static const relayout_source_memory *source_at(const void *elements) {
  static relayout_source_memory memory;
  memory.elements = elements;
  return &memory;
}

static const relayout_destination_memory *destination_at(void *elements) {
  static relayout_destination_memory memory;
  memory.elements = elements;
  return &memory;
}

static void ignore(void *context, const relayout_schedule_info *info) {
  (void)context;
  (void)info;
}

static void ignore_cost(void *context, const relayout_cost *cost) {
  (void)context;
  (void)cost;
}

static void ignore_box(void *context, const int64_t *start, const int64_t *extents,
                       const int64_t *local_start) {
  (void)context;
  (void)start;
  (void)extents;
  (void)local_start;
}

static void pass_over(void *context, int64_t first, size_t size) {
  (void)context;
  (void)first;
  (void)size;
}

/* `out` is the output, of whatever type the call has. */
typedef relayout_status call(void *out, relayout_error *error);

#define DEFINE(function, status, refused, accepted)                                                \
  static relayout_status refuse_##function(void *out, relayout_error *error) {                     \
    (void)out;                                                                                     \
    return function refused;                                                                       \
  }                                                                                                \
  static relayout_status accept_##function(void *out, relayout_error *error) {                     \
    (void)out;                                                                                     \
    return function accepted;                                                                      \
  }
CALLS(DEFINE)

static const struct {
  const char *name;
  relayout_status status;
  call *refuse;
  call *accept;
} calls[] = {
#define ROW(function, status, refused, accepted)                                                   \
  {#function, RELAYOUT_##status, refuse_##function, accept_##function},
    CALLS(ROW)
#undef ROW
};
enum { CALL_COUNT = sizeof calls / sizeof calls[0] };

/* ---- The tests ---- */

/* Larger than any output, and aligned for all. */
typedef union output {
  max_align_t aligned;
  unsigned char bytes[2 * sizeof(relayout_scaled_view)];
} output;

static void assert_all(const void *bytes, size_t size, int value, const char *name) {
  for (size_t i = 0; i < size; ++i) {
    if (((const unsigned char *)bytes)[i] != value) {
      fail_msg("%s: byte %zu is no longer 0x%x", name, i, (unsigned)value);
    }
  }
}

/* Whatever was in the error before, it tells of this failure alone. */
static void test_error_is_overwritten_as_a_whole(void **state) {
  (void)state;
  for (int i = 0; i < CALL_COUNT; ++i) {
    output out;
    relayout_error errors[2];
    memset(&errors[0], 0x11, sizeof errors[0]);
    memset(&errors[1], 0xee, sizeof errors[1]);
    for (int e = 0; e < 2; ++e) {
      memset(&out, 0x5a, sizeof out);
      const relayout_status status = calls[i].refuse(&out, &errors[e]);
      print_message("%s: %s\n", calls[i].name, errors[e].message);
      assert_int_equal(status, calls[i].status);
      assert_int_equal(errors[e].status, status);
      assert_int_equal(errors[e].cl_status, 0);
      assert_non_null(memchr(errors[e].message, '\0', sizeof errors[e].message));
      assert_true(strlen(errors[e].message) > 5);
      assert_null(strchr(errors[e].message, '\n'));
    }
    assert_string_equal(errors[0].message, errors[1].message);
  }
}

static void test_error_may_be_null(void **state) {
  (void)state;
  for (int i = 0; i < CALL_COUNT; ++i) {
    output out;
    memset(&out, 0x5a, sizeof out);
    assert_int_equal(calls[i].refuse(&out, NULL), calls[i].status);
  }
}

static void test_outputs_stay_untouched(void **state) {
  (void)state;
  for (int i = 0; i < CALL_COUNT; ++i) {
    output out;
    relayout_error error;
    memset(&out, 0x5a, sizeof out);
    assert_int_equal(calls[i].refuse(&out, &error), calls[i].status);
    assert_all(&out, sizeof out, 0x5a, calls[i].name);
  }
}

/* Devices, plans and exchanges that a call has made. */
static void destroy_made(const char *name, const output *out) {
  void *made;
  memcpy(&made, out, sizeof made);
  if (strcmp(name, "relayout_device_open") == 0 ||
      strcmp(name, "relayout_cpu_device_create") == 0 ||
      strcmp(name, "relayout_gpu_device_create") == 0) {
    relayout_device_destroy(made);
  } else if (strncmp(name, "relayout_plan_create", strlen("relayout_plan_create")) == 0) {
    relayout_plan_destroy(made);
  } else if (strcmp(name, "relayout_exchange_create") == 0) {
    relayout_exchange_destroy(made);
  }
}

static void test_error_is_left_alone_on_success(void **state) {
  (void)state;
  for (int i = 0; i < CALL_COUNT; ++i) {
    output out;
    relayout_error error;
    memset(&out, 0x5a, sizeof out);
    memset(&error, 0x77, sizeof error);
    assert_int_equal(calls[i].accept(&out, &error), RELAYOUT_OK);
    assert_all(&error, sizeof error, 0x77, calls[i].name);
    destroy_made(calls[i].name, &out);
  }
}

/* Each allocation in turn, and of those past the first fifty, which loops make, every twentieth:
 * the call does without, or says so and leaves its output alone. */
static void check_without_memory(int number) {
  for (int nth = 1;; nth += nth < 50 ? 1 : 20) {
    output out;
    relayout_error error;
    memset(&out, 0x5a, sizeof out);
    memset(&error, 0x77, sizeof error);
    until_failure = nth;
    const relayout_status status = calls[number].accept(&out, &error);
    const bool all_worked = until_failure > 0;
    until_failure = 0;
    if (status == RELAYOUT_OK) {
      assert_all(&error, sizeof error, 0x77, calls[number].name);
      destroy_made(calls[number].name, &out);
    } else {
      print_message("%s: %s\n", calls[number].name, error.message);
      assert_int_equal(status, RELAYOUT_OUT_OF_MEMORY);
      assert_int_equal(error.status, status);
      assert_all(&out, sizeof out, 0x5a, calls[number].name);
    }
    if (all_worked) {
      assert_int_equal(status, RELAYOUT_OK);
      return;
    }
  }
}

static void test_out_of_memory(void **state) {
  (void)state;
  for (int i = 0; i < CALL_COUNT; ++i) {
    check_without_memory(i);
  }
}

/* A message that would be longer than there is room. */
static void test_message_is_cut_to_fit(void **state) {
  (void)state;
  enum { LENGTH = 10 * RELAYOUT_MESSAGE_SIZE };
  char text[LENGTH + 1];
  memset(text, 'x', LENGTH);
  text[LENGTH] = '\0';
  struct {
    relayout_error error;
    unsigned char behind[64];
  } guarded;
  memset(&guarded, 0x77, sizeof guarded);
  relayout_device *opened = NULL;
  assert_int_equal(relayout_device_open(text, &opened, &guarded.error), RELAYOUT_INVALID_TEXT);
  assert_non_null(strstr(guarded.error.message, "xxxxxxxx"));
  assert_true(strlen(guarded.error.message) < RELAYOUT_MESSAGE_SIZE);
  assert_all(guarded.behind, sizeof guarded.behind, 0x77, "relayout_device_open");
  relayout_element_type type = RELAYOUT_U8;
  assert_int_equal(relayout_element_type_parse(text, &type, &guarded.error), RELAYOUT_INVALID_TEXT);
  assert_true(strlen(guarded.error.message) < RELAYOUT_MESSAGE_SIZE);
  assert_all(guarded.behind, sizeof guarded.behind, 0x77, "relayout_element_type_parse");
}

/* ---- What a terminal would obey ---- */

static void expect_one_line(relayout_status status, const relayout_error *error) {
  assert_int_not_equal(status, RELAYOUT_OK);
  assert_true(strlen(error->message) > 0);
  for (const char *c = error->message; *c != '\0'; ++c) {
    if ((unsigned char)*c < ' ' || *c == 0x7f) {
      fail_msg("character %d in `%s`", *c, error->message);
    }
  }
}

static void test_texts_in_messages(void) {
  static const char *const texts[] = {
      "f32[2,\0333]",         "f\n32[2]",  "f32[2]{0:\rX(3)}", "f32[2]{0:PV(\033)}",
      "f32[2]{0:PV(1\0332)}", "\033",      "f32[2]\033",       "f32\033[2]",
      "f32[2]{0:T(8)\033}",   "f3\0332[2]"};
  relayout_error error;
  relayout_shape shape;
  relayout_view view;
  relayout_element_type type;
  relayout_device *opened = NULL;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    expect_one_line(relayout_shape_parse(texts[i], &shape, &error), &error);
    expect_one_line(relayout_element_type_parse(texts[i], &type, &error), &error);
    expect_one_line(relayout_device_open(texts[i], &opened, &error), &error);
  }
  expect_one_line(
      relayout_view_from_array_interface("<\n\0334", 1, (int64_t[]){1}, NULL, 0, &view, &error),
      &error);
}

static void test_variables_in_messages(void) {
  static const char *const names[] = {"RELAYOUT_TUNING", "RELAYOUT_CPU_INSTRUCTIONS",
                                      "RELAYOUT_CPU_FACTS"};
  relayout_error error;
  relayout_device *opened = NULL;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    assert_int_equal(setenv(names[i], "folder/\n\033[2Jx\177", 1), 0);
    expect_one_line(relayout_device_open("cpu", &opened, &error), &error);
    assert_non_null(strstr(error.message, names[i]));
    assert_int_equal(unsetenv(names[i]), 0);
  }
}

static void test_schedules_and_rows_in_messages(void) {
  static const char *const schedules[] = {"copy\n\033[2J", "\033", "transpose word=\n",
                                          "transpose word=4 align=1:1 \r"};
  relayout_error error;
  relayout_device *opened = NULL;
  relayout_plan *made = NULL;
  const relayout_shape from = shape_of("f32[9,10]");
  const relayout_shape to = shape_of("f32[9,10]{0,1}");
  assert_int_equal(relayout_device_open("cpu", &opened, NULL), RELAYOUT_OK);
  for (size_t i = 0; i < sizeof schedules / sizeof *schedules; ++i) {
    relayout_plan_options options = RELAYOUT_PLAN_OPTIONS_INIT;
    options.schedules = &schedules[i];
    options.schedule_count = 1;
    expect_one_line(relayout_plan_create(opened, &from, &to, &options, &made, &error), &error);
  }
  char row[8192];
  const size_t length = relayout_device_get_tuning(opened, row, sizeof row);
  assert_true(length < sizeof row);
  for (size_t i = 0; i < length; i += 7) {
    const char before = row[i];
    row[i] = '\033';
    const relayout_status status = relayout_tuning_keep(opened, row, &error);
    if (status != RELAYOUT_OK) { /* some words are free */
      expect_one_line(status, &error);
    }
    row[i] = before;
  }
  relayout_device_destroy(opened);
}

static void test_messages_are_one_line(void **state) {
  (void)state;
  test_texts_in_messages();
  test_variables_in_messages();
  test_schedules_and_rows_in_messages();
}

/* The numbers and texts as they were first released. */
static void test_statuses_are_pinned(void **state) {
  (void)state;
  static const char *const texts[] = {"ok",
                                      "invalid argument",
                                      "invalid text",
                                      "invalid shape",
                                      "shapes do not match",
                                      "out of range",
                                      "size overflow",
                                      "buffer too small",
                                      "buffers overlap",
                                      "misaligned offset",
                                      "not supported",
                                      "out of memory",
                                      "no such device",
                                      "wrong OpenCL context",
                                      "OpenCL error",
                                      "out of device memory",
                                      "transport error"};
  enum { COUNT = sizeof texts / sizeof texts[0] };
  for (int i = 0; i < COUNT; ++i) {
    assert_string_equal(relayout_status_text((relayout_status)i), texts[i]);
    assert_ptr_equal(relayout_status_text((relayout_status)i),
                     relayout_status_text((relayout_status)i));
  }
  assert_string_equal(relayout_status_text((relayout_status)COUNT), "unknown status");
  assert_string_equal(relayout_status_text((relayout_status)-1), "unknown status");
  assert_int_equal(RELAYOUT_OK, 0);
  assert_int_equal(RELAYOUT_INVALID_ARGUMENT, 1);
  assert_int_equal(RELAYOUT_SHAPE_MISMATCH, 4);
  assert_int_equal(RELAYOUT_BUFFER_TOO_SMALL, 7);
  assert_int_equal(RELAYOUT_UNSUPPORTED, 10);
  assert_int_equal(RELAYOUT_OPENCL_ERROR, 14);
  assert_int_equal(RELAYOUT_OUT_OF_DEVICE_MEMORY, 15);
  assert_int_equal(RELAYOUT_TRANSPORT_ERROR, 16);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_error_is_overwritten_as_a_whole),
      cmocka_unit_test(test_error_may_be_null),
      cmocka_unit_test(test_outputs_stay_untouched),
      cmocka_unit_test(test_error_is_left_alone_on_success),
      cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_message_is_cut_to_fit),
      cmocka_unit_test(test_messages_are_one_line),
      cmocka_unit_test(test_statuses_are_pinned),
  };
  return cmocka_run_group_tests_name("contracts.calls", tests, set_up, tear_down);
}
