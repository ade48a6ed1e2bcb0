/* cases.c: keeping the suite's requests, with both sides' bytes. */
#include "stress/cases.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/cases.h"
#include "view_of.h"

enum { SEED = 1 }; /* as run_conformance has it, whose programs are kept for these too */

static void keep_strides(int64_t *kept, const int64_t **strides, int32_t rank) {
  if (*strides != NULL) {
    memcpy(kept, *strides, (size_t)rank * sizeof(*kept));
    *strides = kept;
  }
}

/* The kept case has a place of its own, as its request points into it. */
static bool keep(stress_case *kept, const request *asked) {
  kept->from_shape = *asked->from;
  kept->to_shape = *asked->to;
  kept->asked = *asked;
  kept->asked.from = &kept->from_shape;
  kept->asked.to = &kept->to_shape;
  oracle_options *const lie = &kept->asked.options;
  keep_strides(kept->source_byte_strides, &lie->source_byte_strides, asked->from->rank);
  keep_strides(kept->destination_byte_strides, &lie->destination_byte_strides, asked->to->rank);
  kept->from = view_of(&kept->from_shape, lie->source_byte_strides);
  kept->to = view_of(&kept->to_shape, lie->destination_byte_strides);
  return trial_make(&kept->asked, &kept->bytes);
}

static void count_request(void *context, const request *asked) {
  (void)asked;
  *(size_t *)context += 1;
}

typedef struct keeper {
  stress_cases *made;
  bool has_memory;
} keeper;

static void keep_request(void *context, const request *asked) {
  keeper *const k = context;
  if (k->has_memory) {
    k->has_memory = keep(&k->made->of[k->made->count], asked);
    k->made->count += k->has_memory;
  }
}

/* Two megabytes and more. */
static const char *const large[][2] = {
    {"u8[1500,1600]", "u8[1500,1600]{0,1}"},
    {"f32[700,800]", "f32[700,800]{1,0:T(8,128)}"},
    {"bf16[80,90,160]", "bf16[80,90,160]{0,2,1:PD(80,96,160)}"},
    {"f32[750,1000]", "f16[750,1000]{0,1}"},
};
enum { LARGE = sizeof(large) / sizeof(large[0]) };

static void keep_large(keeper *k) {
  for (size_t i = 0; i < LARGE; ++i) {
    relayout_shape from;
    relayout_shape to;
    const request asked = {&from, &to, ORACLE_OPTIONS_INIT, true};
    relayout_shape_parse(large[i][0], &from, NULL);
    relayout_shape_parse(large[i][1], &to, NULL);
    keep_request(k, &asked);
  }
}

bool stress_cases_make(bool compiles, stress_cases *made) {
  *made = (stress_cases){.of = NULL};
  size_t count = 0;
  cases_visit(CONFORMANCE_TINY, compiles, SEED, count_request, &count);
  made->of = calloc(count + LARGE, sizeof(*made->of));
  keeper k = {made, made->of != NULL};
  cases_visit(CONFORMANCE_TINY, compiles, SEED, keep_request, &k);
  made->small_count = made->count;
  if (!compiles) {
    keep_large(&k);
  }
  if (!k.has_memory) {
    stress_cases_free(made);
  }
  return k.has_memory;
}

void stress_cases_free(stress_cases *made) {
  for (size_t i = 0; i < made->count; ++i) {
    trial_free(&made->of[i].bytes);
  }
  free(made->of);
  *made = (stress_cases){.of = NULL};
}
