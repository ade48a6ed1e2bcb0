/* oneDNN's reorder. Its header has to be there when the command is built; the library is looked for
 * when the command runs. */
#include <dlfcn.h>
#include <inttypes.h>
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_mover.h"

#define TEXT(number)    #number
#define TEXT_OF(number) TEXT(number)

#define FUNCTIONS(X)                                                                               \
  X(dnnl_engine_create)                                                                            \
  X(dnnl_engine_destroy)                                                                           \
  X(dnnl_stream_create)                                                                            \
  X(dnnl_stream_destroy)                                                                           \
  X(dnnl_stream_wait)                                                                              \
  X(dnnl_memory_desc_init_by_strides)                                                              \
  X(dnnl_memory_desc_init_by_tag)                                                                  \
  X(dnnl_memory_create)                                                                            \
  X(dnnl_memory_destroy)                                                                           \
  X(dnnl_memory_set_data_handle_v2)                                                                \
  X(dnnl_reorder_primitive_desc_create)                                                            \
  X(dnnl_primitive_desc_destroy)                                                                   \
  X(dnnl_primitive_create)                                                                         \
  X(dnnl_primitive_destroy)                                                                        \
  X(dnnl_primitive_execute)

typedef struct onednn {
#define POINTER(name) __typeof__(name) *name;
  FUNCTIONS(POINTER)
#undef POINTER
  dnnl_engine_t engine;
  dnnl_stream_t stream;
  dnnl_memory_t from;
  dnnl_memory_t to;
  dnnl_primitive_t reorder;
} onednn;

/* ---- The library ---------------------------------------------------------------------------- */

/* ISO C has no conversion from a pointer to an object to one to a function. */
static bool find(void *library, const char *name, void *function) {
  void *const symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

/* oneDNN asks OpenMP how many threads there are. */
static bool set_threads(void *library, int threads) {
  void (*set)(int) = NULL;
  const bool found = find(library, "omp_set_num_threads", &set);
  if (found) {
    set(threads);
  }
  return found;
}

static bool load(onednn *made, int threads) {
  /* It is never closed: threads that it started may still be in its code. */
  void *const library = dlopen("libdnnl.so." TEXT_OF(DNNL_VERSION_MAJOR), RTLD_NOW | RTLD_LOCAL);
  if (library == NULL || !set_threads(library, threads)) {
    return false;
  }
#define FIND(name)                                                                                 \
  if (!find(library, #name, &made->name)) {                                                        \
    return false;                                                                                  \
  }
  FUNCTIONS(FIND)
#undef FIND
  return true;
}

/* What has been prepared. */
static void release(onednn *own) {
  if (own->reorder != NULL) {
    own->dnnl_primitive_destroy(own->reorder);
  }
  if (own->from != NULL) {
    own->dnnl_memory_destroy(own->from);
  }
  if (own->to != NULL) {
    own->dnnl_memory_destroy(own->to);
  }
  own->reorder = NULL;
  own->from = NULL;
  own->to = NULL;
}

static void close_library(void *mover) {
  onednn *const own = mover;
  release(own);
  if (own->stream != NULL) {
    own->dnnl_stream_destroy(own->stream);
  }
  if (own->engine != NULL) {
    own->dnnl_engine_destroy(own->engine);
  }
  free(own);
}

static void *open_library(int threads) {
  onednn *const made = calloc(1, sizeof *made);
  if (made == NULL) {
    return NULL;
  }
  if (!load(made, threads) ||
      made->dnnl_engine_create(&made->engine, dnnl_cpu, 0) != dnnl_success ||
      made->dnnl_stream_create(&made->stream, made->engine, dnnl_stream_default_flags) !=
          dnnl_success) {
    close_library(made);
    return NULL;
  }
  return made;
}

/* ---- Reorders ------------------------------------------------------------------------------- */

/* Types that come out as they went in, bit by bit; oneDNN takes f16 for numbers. */
static dnnl_data_type_t type_of(size_t element_bytes) {
  switch (element_bytes) {
  case 1:
    return dnnl_u8;
  case 2:
    return dnnl_bf16;
  case 4:
    return dnnl_f32;
  default:
    return dnnl_data_type_undef;
  }
}

static bool describe(const onednn *own, const bench_strided *moved, dnnl_memory_desc_t *from,
                     dnnl_memory_desc_t *to) {
  const dnnl_data_type_t type = type_of(moved->element_bytes);
  if (type == dnnl_data_type_undef || moved->axis_count > DNNL_MAX_NDIMS) {
    return false;
  }
  /* From the outermost in, as it is used to. */
  dnnl_dims_t extents = {1};
  dnnl_dims_t source = {1};
  dnnl_dims_t destination = {1};
  for (size_t i = 0; i < moved->axis_count; i++) {
    const bench_axis *const axis = &moved->axes[moved->axis_count - 1 - i];
    extents[i] = (dnnl_dim_t)axis->extent;
    source[i] = (dnnl_dim_t)axis->source_stride;
    destination[i] = (dnnl_dim_t)axis->destination_stride;
  }
  const int rank = moved->axis_count > 0 ? (int)moved->axis_count : 1;
  return own->dnnl_memory_desc_init_by_strides(from, rank, extents, type, source) == dnnl_success &&
         own->dnnl_memory_desc_init_by_strides(to, rank, extents, type, destination) ==
             dnnl_success;
}

static bool create(onednn *own, const dnnl_memory_desc_t *from, const dnnl_memory_desc_t *to) {
  dnnl_primitive_desc_t description = NULL;
  if (own->dnnl_reorder_primitive_desc_create(&description, from, own->engine, to, own->engine,
                                              NULL) != dnnl_success) {
    return false;
  }
  const bool is_ready =
      own->dnnl_primitive_create(&own->reorder, description) == dnnl_success &&
      own->dnnl_memory_create(&own->from, from, own->engine, DNNL_MEMORY_NONE) == dnnl_success &&
      own->dnnl_memory_create(&own->to, to, own->engine, DNNL_MEMORY_NONE) == dnnl_success;
  own->dnnl_primitive_desc_destroy(description);
  return is_ready;
}

static bool prepare(void *mover, const bench_strided *moved) {
  onednn *const own = mover;
  release(own);
  dnnl_memory_desc_t from;
  dnnl_memory_desc_t to;
  return describe(own, moved, &from, &to) && create(own, &from, &to);
}

/* ---- Blocks and other types ----------------------------------------------------------------- */

static dnnl_data_type_t type_named(relayout_element_type type) {
  switch (type) {
  case RELAYOUT_F32:
    return dnnl_f32;
  case RELAYOUT_BF16:
    return dnnl_bf16;
  case RELAYOUT_F16:
    return dnnl_f16;
  case RELAYOUT_S32:
    return dnnl_s32;
  case RELAYOUT_S8:
    return dnnl_s8;
  case RELAYOUT_U8:
    return dnnl_u8;
  default:
    return dnnl_data_type_undef;
  }
}

/* The layouts of images and of weights that oneDNN has a name for, in either
 * way to write an image's. */
static dnnl_format_tag_t tag_of(const relayout_shape *shape) {
  static const struct {
    int channels;
    dnnl_format_tag_t tag;
  } images[] = {{4, dnnl_nChw4c}, {8, dnnl_nChw8c}, {16, dnnl_nChw16c}};
  static const struct {
    const char *layout;
    dnnl_format_tag_t tag;
  } weights[] = {{"{3,2,1,0:T(16,16,1,1)(16,1,1,1)}", dnnl_OIhw16i16o},
                 {"{3,2,1,0:T(16,16,1,1)(16,4,1,1)}", dnnl_OIhw4i16o4i}};
  char layout[RELAYOUT_SHAPE_TEXT_SIZE];
  char known[128];
  relayout_layout_format(&shape->layout, shape->element_type, layout, sizeof layout);
  for (size_t i = 0; i < sizeof images / sizeof images[0] && shape->rank == 4; i++) {
    snprintf(known, sizeof known, "{1,3,2,0:T(%" PRId64 ",%" PRId64 ",%d)}", shape->dimensions[2],
             shape->dimensions[3], images[i].channels);
    const bool covers_image = strcmp(layout, known) == 0;
    snprintf(known, sizeof known, "{3,2,1,0:T(%d,1,1)}", images[i].channels);
    if (covers_image || strcmp(layout, known) == 0) {
      return images[i].tag;
    }
  }
  for (size_t i = 0; i < sizeof weights / sizeof weights[0]; i++) {
    if (strcmp(layout, weights[i].layout) == 0) {
      return weights[i].tag;
    }
  }
  return dnnl_format_tag_undef;
}

static bool describe_shape(const onednn *own, const relayout_shape *shape, dnnl_data_type_t type,
                           dnnl_memory_desc_t *made) {
  if (type == dnnl_data_type_undef || shape->rank < 1 || shape->rank > DNNL_MAX_NDIMS ||
      relayout_shape_element_count(shape) == 0) {
    return false;
  }
  const dnnl_format_tag_t tag = tag_of(shape);
  if (tag != dnnl_format_tag_undef) {
    return own->dnnl_memory_desc_init_by_tag(made, shape->rank, shape->dimensions, type, tag) ==
           dnnl_success;
  }
  int64_t strides[RELAYOUT_MAX_RANK];
  return bench_is_strided(shape) && relayout_shape_strides(shape, strides, NULL) == RELAYOUT_OK &&
         own->dnnl_memory_desc_init_by_strides(made, shape->rank, shape->dimensions, type,
                                               strides) == dnnl_success;
}

static bool is_integer(dnnl_data_type_t type) {
  return type == dnnl_s32 || type == dnnl_s8 || type == dnnl_u8;
}

/* It writes the zeros of tiles by itself, but no other padding. */
static bool writes_all(const relayout_shape *to) {
  return tag_of(to) != dnnl_format_tag_undef || !relayout_shape_is_padded(to);
}

static bool prepare_shapes(void *mover, const relayout_shape *from, const relayout_shape *to) {
  onednn *const own = mover;
  release(own);
  const bool converts = from->element_type != to->element_type;
  const dnnl_data_type_t bits = type_of(relayout_element_type_byte_size(to->element_type));
  const dnnl_data_type_t source_type = converts ? type_named(from->element_type) : bits;
  const dnnl_data_type_t type = converts ? type_named(to->element_type) : bits;
  dnnl_memory_desc_t source;
  dnnl_memory_desc_t destination;
  /* Integers it makes of floats are the nearest ones, which is another relayout. */
  return writes_all(to) && (!is_integer(type) || is_integer(source_type)) &&
         describe_shape(own, from, source_type, &source) &&
         describe_shape(own, to, type, &destination) && create(own, &source, &destination);
}

static bool run(void *mover, void *to, const void *from) {
  const onednn *const own = mover;
  const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, own->from}, {DNNL_ARG_TO, own->to}};
  return own->dnnl_memory_set_data_handle_v2(own->from, (void *)from, own->stream) ==
             dnnl_success &&
         own->dnnl_memory_set_data_handle_v2(own->to, to, own->stream) == dnnl_success &&
         own->dnnl_primitive_execute(own->reorder, own->stream, 2, arguments) == dnnl_success &&
         own->dnnl_stream_wait(own->stream) == dnnl_success;
}

const cpu_mover onednn_mover = {.open = open_library,
                                .close = close_library,
                                .prepare = prepare,
                                .prepare_shapes = prepare_shapes,
                                .run = run};
