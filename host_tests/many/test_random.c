/* test_random.c: random plans of several destinations: every byte of every destination is what the
 * oracle says, and nothing else is written; also where there is a plan for each of some ranges, of
 * which none writes what is another's.
 *
 *     test_many_random [DEVICES [PLATFORM]]
 *
 * RELAYOUT_MANY_CASES and RELAYOUT_MANY_SEED change how many are tried and which; a single one is
 * printed before it is tried. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance/devices.h"
#include "conformance/guarded_buffer.h"
#include "conformance/random.h"
#include "device/target.h"
#include "many/asked.h"
#include "many/drawn.h"
#include "many/on_buffers.h"
#include "many/oracle.h"
#include "oracle/oracle.h"

enum { PARTS = 4, SIDES = DRAWN_DESTINATIONS + 1, BUFFERS = PARTS * SIDES };

/* What only fails where memory runs out, or the library miscounts. */
static void require(bool is_so) {
  if (!is_so) {
    abort();
  }
}

/* ---- Buffers -------------------------------------------------------------------------------- */

/* One tensor's bytes, where the library has them and what they are to be. */
typedef struct part {
  fenced_pages pages;
  guarded_buffer buffer;
  unsigned char *wanted;
  size_t bytes;
  int64_t lowest;
  bool is_used;
} part;

typedef struct scene {
  relayout_device *device;
  part parts[SIDES][PARTS]; /* the source is side 0; elements, scales, zero points, tensor scale */
} scene;

static const char *const part_names[PARTS] = {"elements", "scales", "zero points", "tensor scale"};

static const relayout_view *view_of_part(const relayout_scaled_view *view, int i) {
  return i == 0                             ? &view->elements
         : i == 1 && view->has_scales       ? &view->scales
         : i == 2 && view->has_zero_points  ? &view->zero_points
         : i == 3 && view->has_tensor_scale ? &view->tensor_scale
                                            : NULL;
}

/* The pointer that calls are given lies before or behind the bytes. */
static void *pointer_from(const unsigned char *bytes, int64_t lowest) {
  return (void *)((uintptr_t)bytes - (uintptr_t)lowest);
}

static void *found_pointer(const part *of) {
  return of->is_used ? pointer_from(of->buffer.bytes + of->buffer.start, of->lowest) : NULL;
}

static void *wanted_pointer(const part *of) {
  return of->is_used ? pointer_from(of->wanted, of->lowest) : NULL;
}

static size_t count_of(const relayout_shape *shape) {
  size_t count = 1;
  for (int32_t d = 0; d < shape->rank; ++d) {
    count *= (size_t)shape->dimensions[d];
  }
  return count;
}

static void fill_elements(uint64_t *random, const relayout_view *view, drawn_values values,
                          int number, const part *filled) {
  const size_t count = count_of(&view->shape);
  unsigned char *const elements = malloc(count * oracle_element_size(view->shape.element_type) + 1);
  require(elements != NULL);
  drawn_elements(random, view->shape.element_type, values, number == 1 || number == 3, count,
                 elements);
  if (count > 0) {
    many_place(view, elements, wanted_pointer(filled));
  }
  free(elements);
}

static void make_part(uint64_t *random, const drawn_many *drawn, const relayout_scaled_view *view,
                      int number, part *made) {
  const relayout_view *const of = view_of_part(view, number);
  const relayout_block_format format =
      number == 0 ? view->block_format : RELAYOUT_BLOCK_FORMAT_NONE;
  made->is_used = of != NULL;
  if (of == NULL) {
    return;
  }
  many_span(of, format, &made->lowest, &made->bytes);
  made->wanted = malloc(made->bytes + 1);
  require(made->wanted != NULL);
  for (size_t i = 0; i < made->bytes; ++i) {
    made->wanted[i] = (unsigned char)random_next(random);
  }
  if (format != RELAYOUT_BLOCK_FORMAT_NONE) {
    drawn_records(random, format, drawn->values, count_of(&of->shape) / RELAYOUT_BLOCK_ELEMENTS,
                  made->wanted);
  } else {
    fill_elements(random, of, drawn->values, number, made);
  }
  require(guarded_buffer_make(&made->pages, made->wanted, made->bytes,
                              (buffer_place)random_below(random, BUFFER_PLACES),
                              (size_t)random_below(random, 64), 0, &made->buffer));
}

static const relayout_scaled_view *view_of_side(const drawn_many *drawn, int side) {
  return side == 0 ? &drawn->from : &drawn->to[side - 1];
}

static void make_parts(scene *of, const drawn_many *drawn) {
  uint64_t random = drawn->content;
  for (int side = 0; side <= drawn->count; ++side) {
    for (int i = 0; i < PARTS; ++i) {
      make_part(&random, drawn, view_of_side(drawn, side), i, &of->parts[side][i]);
    }
  }
}

static void free_parts(scene *of, const drawn_many *drawn) {
  for (int side = 0; side <= drawn->count; ++side) {
    for (int i = 0; i < PARTS; ++i) {
      free(of->parts[side][i].wanted);
      of->parts[side][i].wanted = NULL;
    }
  }
}

/* ---- Cases ---------------------------------------------------------------------------------- */

/* Expects of records that the oracle leaves open what the library made of them. */
static void take_unknown_records(const relayout_scaled_view *view, const unsigned char *unknown,
                                 const part *of) {
  const size_t bytes = relayout_block_format_record_bytes(view->block_format);
  for (size_t r = 0; r * bytes < of->bytes; ++r) {
    uint8_t record[64];
    if (unknown[r]) {
      many_move_record(view, found_pointer(of), r, record, false);
      many_move_record(view, wanted_pointer(of), r, record, true);
    }
  }
}

static void expect_all(const scene *of, const drawn_many *drawn) {
  const part *const source = of->parts[0];
  const relayout_source_memory from = {.elements = wanted_pointer(&source[0]),
                                       .scales = wanted_pointer(&source[1]),
                                       .zero_points = wanted_pointer(&source[2]),
                                       .tensor_scale = wanted_pointer(&source[3])};
  many_values values;
  require(many_values_make(&drawn->from, drawn->options.scale, &from, &values));
  for (int32_t i = 0; i < drawn->count; ++i) {
    const part *const side = of->parts[i + 1];
    const relayout_destination_memory to = {.elements = wanted_pointer(&side[0]),
                                            .scales = wanted_pointer(&side[1]),
                                            .zero_points = wanted_pointer(&side[2]),
                                            .tensor_scale = wanted_pointer(&side[3])};
    unsigned char *const unknown = calloc(1, values.count + 1);
    const int64_t left = many_write(&values, &drawn->to[i], &drawn->options, &to, unknown);
    require(left >= 0);
    if (left > 0) {
      take_unknown_records(&drawn->to[i], unknown, &side[0]);
    }
    free(unknown);
  }
  many_values_free(&values);
}

static bool is_as_wanted(const scene *of, const drawn_many *drawn) {
  bool is_right = true;
  for (int side = 0; side <= drawn->count; ++side) {
    for (int i = 0; i < PARTS; ++i) {
      const part *const at = &of->parts[side][i];
      difference first;
      if (at->is_used && guarded_buffer_differs(&at->buffer, at->wanted, &first)) {
        printf("%s %d: byte %" PRId64 " of the %zu of the %s is %#x, not %#x\n",
               side == 0 ? "source" : "destination", side, first.position, at->bytes, part_names[i],
               first.found, first.expected);
        is_right = false;
      }
    }
  }
  return is_right;
}

static relayout_status execute_on_host(const scene *of, const drawn_many *drawn,
                                       const relayout_plan *plan, relayout_error *error) {
  const part *const source = of->parts[0];
  const relayout_source_memory from = {.elements = found_pointer(&source[0]),
                                       .scales = found_pointer(&source[1]),
                                       .zero_points = found_pointer(&source[2]),
                                       .tensor_scale = found_pointer(&source[3])};
  relayout_destination_memory to[DRAWN_DESTINATIONS];
  for (int32_t i = 0; i < drawn->count; ++i) {
    const part *const side = of->parts[i + 1];
    to[i] = (relayout_destination_memory){.elements = found_pointer(&side[0]),
                                          .scales = found_pointer(&side[1]),
                                          .zero_points = found_pointer(&side[2]),
                                          .tensor_scale = found_pointer(&side[3])};
  }
  return relayout_plan_execute_many(plan, &from, to, error);
}

/* As on a device whose buffers hold less than some tensors take, so that these go range by range;
 * what cannot is refused. */
static relayout_status execute_in_little_room(const scene *of, const drawn_many *drawn,
                                              const relayout_plan *plan, relayout_error *error) {
  relayout_device_info *const info = &of->device->info;
  const uint64_t allocation_bytes = info->allocation_bytes;
  size_t most = 0;
  for (int i = 0; i < (drawn->count + 1) * PARTS; ++i) {
    const part *const at = &of->parts[i / PARTS][i % PARTS];
    most = at->is_used && at->bytes > most ? at->bytes : most;
  }
  info->allocation_bytes = most / 2 + 16;
  const relayout_status status = execute_on_host(of, drawn, plan, error);
  info->allocation_bytes = allocation_bytes;
  return status == RELAYOUT_OUT_OF_DEVICE_MEMORY ? execute_on_host(of, drawn, plan, error) : status;
}

static relayout_status execute_on_buffers(const scene *of, const drawn_many *drawn,
                                          const relayout_plan *plan, relayout_error *error) {
  on_buffers_part sides[SIDES][ON_BUFFERS_PARTS] = {{{NULL, 0}}};
  for (int side = 0; side <= drawn->count; ++side) {
    for (int i = 0; i < PARTS; ++i) {
      const part *const at = &of->parts[side][i];
      sides[side][i] = (on_buffers_part){at->is_used ? &at->buffer : NULL, at->lowest};
    }
  }
  return on_buffers_execute(of->device, plan, drawn->count, sides, error);
}

static relayout_status create(const scene *of, const drawn_many *drawn, int range,
                              const relayout_plan_options *options, relayout_plan **plan,
                              relayout_error *error) {
  const cover_box *const box = &drawn->ranges.of[range];
  return drawn->ranges.count == 1
             ? relayout_plan_create_many(of->device, &drawn->from, drawn->to, drawn->count, options,
                                         plan, error)
             : relayout_plan_create_many_range(of->device, &drawn->from, drawn->to, drawn->count,
                                               box->start, box->sizes, options, plan, error);
}

static relayout_status create_asked(const scene *of, const drawn_many *drawn, int range,
                                    const char *text, relayout_plan **plan, relayout_error *error) {
  relayout_plan_options options = drawn->options;
  options.schedules = &text;
  options.schedule_count = 1;
  return create(of, drawn, range, &options, plan, error);
}

/* The plan by its own text has the same one; where plans compile nothing. */
static bool is_repeated(const scene *of, const drawn_many *drawn, int range,
                        const relayout_plan *plan) {
  char text[ASKED_TEXT_SIZE], again[ASKED_TEXT_SIZE];
  relayout_plan *repeated = NULL;
  relayout_error error = {.message = ""};
  if (relayout_plan_get_schedule(plan, 0, RELAYOUT_SCHEDULE_ALIGNED, text, sizeof text) == 0) {
    return true;
  }
  if (create_asked(of, drawn, range, text, &repeated, &error) != RELAYOUT_OK) {
    printf("%s: %s\n", text, error.message);
    return false;
  }
  relayout_plan_get_schedule(repeated, 0, RELAYOUT_SCHEDULE_ALIGNED, again, sizeof again);
  relayout_plan_destroy(repeated);
  if (strcmp(text, again) != 0) {
    printf("%s becomes %s\n", text, again);
  }
  return strcmp(text, again) == 0;
}

/* In place of a plan that has a kernel one with narrower vectors. */
static relayout_status narrow(const scene *of, const drawn_many *drawn, int range,
                              relayout_plan **plan, relayout_error *error) {
  char text[ASKED_TEXT_SIZE], narrower[ASKED_TEXT_SIZE];
  relayout_plan *made = NULL;
  relayout_plan_get_schedule(*plan, 0, RELAYOUT_SCHEDULE_ALIGNED, text, sizeof text);
  asked_narrower(drawn, text, narrower);
  if (strcmp(text, narrower) == 0) {
    return RELAYOUT_OK;
  }
  const relayout_status status = create_asked(of, drawn, range, narrower, &made, error);
  if (status == RELAYOUT_OK) {
    relayout_plan_destroy(*plan);
    *plan = made;
  } else {
    printf("%s\n", narrower);
  }
  return status;
}

/* Every other case has a schedule that is asked for, unless that alone cannot be. */
static relayout_status make_plan(const scene *of, const drawn_many *drawn, int range,
                                 relayout_plan **plan, relayout_error *error) {
  const uint64_t random = drawn->content ^ (uint64_t)range;
  char text[ASKED_TEXT_SIZE];
  relayout_status status = create(of, drawn, range, &drawn->options, plan, error);
  if (status != RELAYOUT_OK || relayout_plan_part_count(*plan) == 0) {
    return status;
  }
  relayout_plan_get_schedule(*plan, 0, RELAYOUT_SCHEDULE_ALIGNED, text, sizeof text);
  const bool compiles = strstr(text, " group=") != NULL;
  if (!compiles) {
    require(is_repeated(of, drawn, range, *plan));
  }
  if (drawn->content % 2 == 0) {
    return status;
  }
  relayout_plan *asked = NULL;
  asked_schedule(drawn, &drawn->ranges.of[range], compiles, random, text);
  relayout_error refused = {.message = ""};
  status = create_asked(of, drawn, range, text, &asked, &refused);
  if (status != RELAYOUT_OK && asked_may_be_refused(drawn, &refused)) {
    return RELAYOUT_OK;
  }
  relayout_plan_destroy(*plan);
  *plan = asked;
  if (status != RELAYOUT_OK) {
    printf("%s: %s\n", text, refused.message);
    return RELAYOUT_INVALID_ARGUMENT; /* in any case wrong */
  }
  return compiles && random % 3 == 0 ? narrow(of, drawn, range, plan, error) : status;
}

/* On a device that has buffers, two of three cases go through these, and half of the others find
 * little room on it. */
static relayout_status execute(const scene *of, const drawn_many *drawn, int range,
                               relayout_error *error) {
  relayout_plan *plan = NULL;
  relayout_status status = make_plan(of, drawn, range, &plan, error);
  if (status == RELAYOUT_OK) {
    require(relayout_plan_destination_count(plan) == drawn->count);
    const uint64_t way = on_buffers(of->device) ? drawn->content / 2 % 6 : 5;
    status = way < 4    ? execute_on_buffers(of, drawn, plan, error)
             : way == 4 ? execute_in_little_room(of, drawn, plan, error)
                        : execute_on_host(of, drawn, plan, error);
    relayout_plan_destroy(plan);
  }
  return status;
}

typedef enum outcome { AS_WANTED, REFUSED, WRONG } outcome;

enum { NO_RANGE = -1 };

/* All ranges but one, or that one. */
static relayout_status execute_but(const scene *of, const drawn_many *drawn, int range,
                                   bool is_alone, relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  for (int i = 0; i < drawn->ranges.count && status == RELAYOUT_OK; ++i) {
    status = (i == range) == is_alone ? execute(of, drawn, i, error) : RELAYOUT_OK;
  }
  return status;
}

/* Whether a range alone, and all others without it, write no byte both. `wanted` has what was there
 * before. */
static bool are_apart(scene *of, const drawn_many *drawn) {
  const int range = (int)(drawn->content % (uint64_t)drawn->ranges.count);
  unsigned char *changed[SIDES][PARTS] = {{NULL}};
  int64_t shared = 0;
  for (int pass = 0; pass < 2; ++pass) {
    make_parts(of, drawn);
    require(execute_but(of, drawn, range, pass == 0, NULL) == RELAYOUT_OK);
    for (int i = 0; i < (drawn->count + 1) * PARTS; ++i) {
      const part *const at = &of->parts[i / PARTS][i % PARTS];
      unsigned char **const before = &changed[i / PARTS][i % PARTS];
      *before = pass == 0 ? calloc(1, at->bytes + 1) : *before;
      for (size_t b = 0; at->is_used && b < at->bytes; ++b) {
        const bool is = at->buffer.bytes[at->buffer.start + b] != at->wanted[b];
        shared += pass == 1 && is && (*before)[b];
        (*before)[b] = is;
      }
    }
    free_parts(of, drawn);
  }
  for (int i = 0; i < BUFFERS; ++i) {
    free(changed[i / PARTS][i % PARTS]);
  }
  if (shared > 0) {
    printf("%" PRId64 " bytes are written by range %d and by others\n", shared, range);
  }
  return shared == 0;
}

static outcome try_case(scene *of, const drawn_many *drawn) {
  relayout_error error = {.message = ""};
  make_parts(of, drawn);
  const relayout_status status = execute_but(of, drawn, NO_RANGE, false, &error);
  outcome found = AS_WANTED;
  if (status == RELAYOUT_UNSUPPORTED && drawn_many_may_be_refused(drawn)) {
    found = REFUSED;
  } else if (status != RELAYOUT_OK) {
    printf("status %d: %s\n", (int)status, error.message);
    found = WRONG;
  } else {
    expect_all(of, drawn);
    found = is_as_wanted(of, drawn) ? AS_WANTED : WRONG;
  }
  free_parts(of, drawn);
  return found == AS_WANTED && drawn->ranges.count > 1 && !are_apart(of, drawn) ? WRONG : found;
}

/* Prints what is wrong with each destination alone, if it is. */
static void explain_case(scene *of, const drawn_many *drawn, uint64_t number) {
  printf("case %" PRIu64 "\n", number);
  drawn_many_print(drawn);
  for (int32_t i = 0; i < drawn->count && drawn->count > 1; ++i) {
    drawn_many alone = *drawn;
    alone.count = 1;
    alone.to[0] = drawn->to[i]; /* whose units those of all are multiples of */
    printf("destination %d alone:\n", (int)i + 1);
    try_case(of, &alone);
  }
}

static uint64_t setting(const char *name, uint64_t otherwise) {
  const char *const text = getenv(name);
  return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

static bool test_at_random(relayout_device *device) {
  static scene of;
  const uint64_t cases = setting("RELAYOUT_MANY_CASES", 15000);
  const uint64_t seed = setting("RELAYOUT_MANY_SEED", 1);
  uint64_t refused = 0, wrong = 0;
  of.device = device;
  for (uint64_t i = 0; i < cases && wrong < 3; ++i) {
    drawn_many drawn;
    drawn_many_of(seed + i, &drawn);
    if (cases == 1) {
      drawn_many_print(&drawn);
      fflush(stdout);
    }
    const outcome found = try_case(&of, &drawn);
    refused += found == REFUSED ? 1 : 0;
    if (found == WRONG) {
      explain_case(&of, &drawn, seed + i);
      wrong += 1;
    }
  }
  printf("cases %" PRIu64 " to %" PRIu64 ", %" PRIu64 " refused, %" PRIu64 " wrong\n", seed,
         seed + cases - 1, refused, wrong);
  for (int i = 0; i < BUFFERS; ++i) {
    fenced_pages_free(&of.parts[i / PARTS][i % PARTS].pages);
  }
  return wrong == 0;
}

/* RELAYOUT_UNSUPPORTED: the processor lacks the instruction set that is named. */
static int try_device(void *context, const named_device *it) {
  relayout_device *device = NULL;
  relayout_error error = {.message = ""};
  (void)context;
  const relayout_status status = named_device_open(it, NULL, &device, &error);
  if (status != RELAYOUT_OK) {
    printf("%s: %s\n", it->name, error.message);
    return status == RELAYOUT_UNSUPPORTED ? DEVICES_NONE : EXIT_FAILURE;
  }
  const bool is_right = test_at_random(device);
  relayout_device_destroy(device);
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
  return named_devices_visit(argc > 1 ? argv[1] : "cpu", argc > 2 ? argv[2] : "", try_device, NULL);
}
