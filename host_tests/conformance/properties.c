/* Properties that hold for any shapes, tried on random ones: no oracle says what the bytes should
 * be, the library is held against itself. */
#include <stdlib.h>
#include <string.h>

#include "conformance/conformance.h"
#include "conformance/failure.h"
#include "conformance/random.h"

typedef struct tester {
  relayout_device *device;
  relayout_device *reference;
  conformance_report *report;
  relayout_error *error;
  bool only_fours; /* elements are packed to 4 bits or not at all: other widths are other programs,
                      which the device would compile */
} tester;

/* ---- Buffers -------------------------------------------------------------------------------- */

typedef struct tensor {
  relayout_shape shape;
  size_t size;
  unsigned char *bytes;
} tensor;

static relayout_status make_tensor(tester *t, const relayout_shape *shape, uint64_t seed,
                                   tensor *made) {
  *made = (tensor){.shape = *shape};
  const relayout_status status = relayout_shape_byte_size(shape, &made->size, t->error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  made->bytes = malloc(made->size > 0 ? made->size : 1);
  if (made->bytes == NULL) {
    if (t->error != NULL) {
      *t->error = (relayout_error){RELAYOUT_OUT_OF_MEMORY, 0, "no memory for a tensor"};
    }
    return RELAYOUT_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < made->size; ++i) {
    made->bytes[i] = (unsigned char)random_next(&seed);
  }
  return RELAYOUT_OK;
}

/* Layouts of one tensor, and where what is moved ends up. All bytes are random to start with,
 * padding too; those of the three tensors c are the same. */
typedef struct sample {
  tensor start;
  tensor a;
  tensor b;
  tensor c;
  tensor c_straight;
  tensor c_reference;
  tensor back;
} sample;

static void free_sample(sample *s) {
  free(s->start.bytes);
  free(s->a.bytes);
  free(s->b.bytes);
  free(s->c.bytes);
  free(s->c_straight.bytes);
  free(s->c_reference.bytes);
  free(s->back.bytes);
}

static relayout_shape draw_layout(const tester *t, uint64_t *random,
                                  const relayout_shape *dimensions) {
  enum { MOST_ELEMENTS = 50000 };
  relayout_shape shape = *dimensions;
  random_order(random, &shape);
  if (random_below(random, 2) == 0) {
    random_padding(random, &shape);
  }
  if (random_below(random, 3) == 0) {
    random_tiles(random, MOST_ELEMENTS, &shape);
  }
  if (random_below(random, 6) == 0) {
    random_tail(random, &shape);
  }
  if (random_below(random, 2) == 0) {
    const int64_t bits = random_packing(random, shape.element_type);
    shape.layout.element_size_in_bits = t->only_fours && bits != 4 ? 0 : bits;
    if (!t->only_fours) {
      random_packing_order(random, &shape);
    }
  }
  random_padding_value(random, &shape);
  return shape;
}

/* Clears the bits that packing loses: of types of fewer than 8 bits all but their own. */
static void clear_other_bits(tensor *t) {
  const int64_t type_bits = relayout_element_type_bits(t->shape.element_type);
  if (type_bits >= 8) {
    return;
  }
  const int64_t packed = t->shape.layout.element_size_in_bits;
  const int64_t element_bits = packed > 0 ? packed : 8;
  unsigned own = 0;
  for (int64_t bit = 0; bit < 8; ++bit) {
    own |= bit % element_bits < type_bits ? 1U << bit : 0;
  }
  for (size_t i = 0; i < t->size; ++i) {
    t->bytes[i] &= (unsigned char)own;
  }
}

static relayout_status make_sample(tester *t, uint64_t seed, sample *s) {
  uint64_t random = seed;
  relayout_shape dimensions;
  const int32_t rank = (int32_t)random_below(&random, 9);
  random_dimensions(&random, random_element_type(&random), rank, 5000, &dimensions);
  const relayout_shape start = draw_layout(t, &random, &dimensions);
  relayout_shape a = draw_layout(t, &random, &dimensions);
  if (a.layout.padding_value == RELAYOUT_PADDING_UNKNOWN) { /* both a's must be padded the same */
    a.layout.padding_value = RELAYOUT_PADDING_ZERO;
  }
  const relayout_shape b = draw_layout(t, &random, &dimensions);
  const relayout_shape c = draw_layout(t, &random, &dimensions);
  memset(s, 0, sizeof(*s));
  relayout_status status = make_tensor(t, &start, seed, &s->start);
  status = status == RELAYOUT_OK ? make_tensor(t, &a, seed ^ 1, &s->a) : status;
  status = status == RELAYOUT_OK ? make_tensor(t, &b, seed ^ 2, &s->b) : status;
  status = status == RELAYOUT_OK ? make_tensor(t, &c, seed ^ 3, &s->c) : status;
  status = status == RELAYOUT_OK ? make_tensor(t, &c, seed ^ 3, &s->c_straight) : status;
  status = status == RELAYOUT_OK ? make_tensor(t, &c, seed ^ 3, &s->c_reference) : status;
  status = status == RELAYOUT_OK ? make_tensor(t, &a, seed ^ 4, &s->back) : status;
  if (status != RELAYOUT_OK) {
    free_sample(s);
    return status;
  }
  clear_other_bits(&s->start);
  return RELAYOUT_OK;
}

/* ---- Properties ----------------------------------------------------------------------------- */

typedef relayout_status (*move_function)(relayout_device *device, const relayout_shape *from,
                                         const relayout_shape *to, const void *source,
                                         void *destination, relayout_error *error);

static relayout_status move_by_plan(relayout_device *device, const relayout_shape *from,
                                    const relayout_shape *to, const void *source, void *destination,
                                    relayout_error *error) {
  relayout_plan *plan;
  relayout_status status = relayout_plan_create(device, from, to, NULL, &plan, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  status = relayout_plan_execute(plan, source, destination, error);
  relayout_plan_destroy(plan);
  return status;
}

static bool moves(tester *t, relayout_device *device, move_function move, const tensor *from,
                  const tensor *to) {
  relayout_error error;
  t->report->cases += 1;
  const relayout_status status =
      move(device, &from->shape, &to->shape, from->bytes, to->bytes, &error);
  if (status != RELAYOUT_OK) {
    const request asked = {&from->shape, &to->shape, ORACLE_OPTIONS_INIT, false};
    failure_add(t->report, device, &asked, "%s: %s", relayout_status_text(status), error.message);
  }
  return status == RELAYOUT_OK;
}

/* `property` says what failed when the bytes differ; the pair of shapes is the one to look at. */
static void expect_same(tester *t, const char *property, uint64_t seed, const tensor *from,
                        const tensor *expected, const tensor *found) {
  for (size_t i = 0; i < found->size; ++i) {
    if (found->bytes[i] != expected->bytes[i]) {
      const request asked = {&from->shape, &found->shape, ORACLE_OPTIONS_INIT, false};
      failure_add(t->report, t->device, &asked,
                  "%s: byte %zu of %zu is 0x%02x, not 0x%02x (sample %llu)", property, i,
                  found->size, found->bytes[i], expected->bytes[i], (unsigned long long)seed);
      return;
    }
  }
}

static void try_sample(tester *t, uint64_t seed, const sample *s) {
  if (!moves(t, t->device, move_by_plan, &s->start, &s->a) ||
      !moves(t, t->device, move_by_plan, &s->a, &s->b) ||
      !moves(t, t->device, move_by_plan, &s->b, &s->c) ||
      !moves(t, t->device, relayout_copy, &s->a, &s->c_straight) ||
      !moves(t, t->reference, move_by_plan, &s->a, &s->c_reference) ||
      !moves(t, t->device, relayout_copy, &s->b, &s->back)) {
    return;
  }
  expect_same(t, "there and back is not the identity", seed, &s->b, &s->a, &s->back);
  expect_same(t, "the way through a third layout ends elsewhere", seed, &s->b, &s->c_straight,
              &s->c);
  expect_same(t, "the devices differ", seed, &s->a, &s->c_reference, &s->c_straight);
}

relayout_status conformance_run_properties(relayout_device *device, relayout_device *reference,
                                           conformance_level level, uint64_t seed,
                                           conformance_progress progress, void *context,
                                           conformance_report *report, relayout_error *error) {
  const size_t total = level == CONFORMANCE_TINY ? 20 : level == CONFORMANCE_QUICK ? 200 : 2000;
  memset(report, 0, sizeof(*report));
  report->seed = seed;
  relayout_device_info info = RELAYOUT_DEVICE_INFO_INIT;
  const relayout_status known = relayout_device_get_info(device, &info, error);
  if (known != RELAYOUT_OK) {
    return known;
  }
  tester t = {device, reference, report, error,
              info.backend == RELAYOUT_BACKEND_OPENCL && level != CONFORMANCE_FULL};
  for (size_t i = 0; i < total; ++i) {
    const uint64_t sample_seed = random_mix(seed + i);
    sample s;
    const relayout_status status = make_sample(&t, sample_seed, &s);
    if (status != RELAYOUT_OK) {
      return status;
    }
    try_sample(&t, sample_seed, &s);
    free_sample(&s);
    if (progress != NULL && ((i + 1) % 64 == 0 || i + 1 == total)) {
      progress(context, i + 1, total);
    }
  }
  return RELAYOUT_OK;
}
