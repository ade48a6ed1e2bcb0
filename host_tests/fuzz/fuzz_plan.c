/* fuzz_plan.c: any two shapes, however large, with any options, either are refused with a message
 * fit to print, or have a plan that can be measured and explained in numbers that make sense, and
 * that runs by every schedule that is offered.
 * What is small is moved too. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "device/target.h"
#include "fuzz_target.h"
#include "input.h"
#include "promise.h"
#include "relayout/relayout.h"

enum {
  MOST_RANK = 6,
  MOST_TILES = 3,
  MOST_MOVED = 1 << 16,
  MOST_PARTS = 64,
  TEXT_SIZE = 4096,
  DEVICE_MEMORY = 2 << 20 /* so that MEASURE has little to run on */
};
static const int64_t most_bytes = INT64_C(1) << 57;

/* ---- Bytes of the input as choices ---- */

/* Small, or close to some power of two and a multiple of it. */
static int64_t take_number(input *from) {
  const uint8_t first = take(from);
  if (first < 96) {
    return first % 48;
  }
  const int64_t factor = take(from) % 8 + 1;
  const int64_t number = (factor << first % 59) + (int8_t)take(from) / 16;
  return number < 0 ? 0 : number;
}

/* ---- What is asked for: everything that is a number can be made smaller ---- */

typedef struct side {
  relayout_element_type type;
  int32_t order[MOST_RANK];
  bool is_widened;
  int64_t wider[MOST_RANK]; /* than the dimension */
  relayout_padding_value padding;
  int32_t tile_count;
  int32_t tile_ranks[MOST_TILES];
  int64_t tiles[MOST_TILES][MOST_RANK];
  int64_t tail;
  int64_t element_bits;
  relayout_packing_order packing_order;
  bool is_strided;
  int64_t strides[MOST_RANK];
  int64_t byte_offset;
} side;

typedef struct request {
  bool shrinks; /* until it is not too large */
  int32_t rank;
  int64_t dimensions[MOST_RANK];
  side sides[2];
  relayout_plan_options options;
  bool is_forced;
  uint8_t schedule; /* the number among those that are offered, if so: of each part */
} request;

static void take_tiles(input *from, int32_t rank, side *made) {
  made->tile_count = take(from) % (MOST_TILES + 1);
  for (int32_t t = 0; t < made->tile_count; ++t) {
    made->tile_ranks[t] = take(from) % (rank < MOST_RANK ? rank + 1 : rank) + 1;
    for (int32_t i = 0; i < made->tile_ranks[t]; ++i) {
      const int64_t number = take_number(from);
      const bool merges = number == 0 && i < made->tile_ranks[t] - 1;
      made->tiles[t][i] = merges ? RELAYOUT_TILE_COMBINE : number;
    }
  }
}

static void take_layout(input *from, int32_t rank, side *made) {
  const uint8_t features = take(from);
  for (int32_t i = 0; i < rank; ++i) {
    const int32_t at = take(from) % (i + 1);
    made->order[i] = made->order[at];
    made->order[at] = i;
  }
  made->is_strided = (features & 15) == 15;
  for (int32_t d = 0; d < rank && made->is_strided; ++d) {
    const bool is_negative = take(from) % 2 == 1;
    made->strides[d] = is_negative ? -take_number(from) : take_number(from);
  }
  if (made->is_strided) {
    return;
  }
  made->is_widened = (features & 1) != 0;
  for (int32_t d = 0; d < rank && made->is_widened; ++d) {
    made->wider[d] = take_number(from);
  }
  if ((features & 2) != 0) {
    take_tiles(from, rank, made);
  }
  made->tail = (features & 4) != 0 ? take_number(from) : 0;
  made->padding = (relayout_padding_value)(take(from) % 5);
}

static relayout_element_type take_type(input *from) {
  static const relayout_element_type types[] = {
      RELAYOUT_PRED, RELAYOUT_U1,  RELAYOUT_S2,  RELAYOUT_S4,  RELAYOUT_U8,  RELAYOUT_F16,
      RELAYOUT_BF16, RELAYOUT_F32, RELAYOUT_S32, RELAYOUT_F64, RELAYOUT_S64, RELAYOUT_C128};
  return types[take(from) % (sizeof types / sizeof types[0])];
}

static void take_request(input *from, request *made) {
  static const double scales[] = {0, 0.5, -3, 0x1p-1074, 1e300, INFINITY};
  *made = (request){.options = RELAYOUT_PLAN_OPTIONS_INIT};
  const uint8_t first = take(from);
  made->shrinks = first % 8 != 0;
  made->rank = first / 8 % (MOST_RANK + 1);
  const uint8_t drawn = take(from);
  made->options.effort = (relayout_plan_effort)(drawn % 3);
  made->is_forced = drawn / 2 % 2 == 1;
  made->schedule = drawn / 4 % 8;
  made->options.overflow = (relayout_integer_overflow)(drawn / 32 % 2);
  made->options.rounding = (relayout_rounding)(drawn / 64 % 2);
  made->options.scale = drawn < 192 ? 1 : scales[drawn % 6];
  for (int32_t d = 0; d < made->rank; ++d) {
    made->dimensions[d] = take_number(from);
  }
  const relayout_element_type type = take_type(from);
  for (int i = 0; i < 2; ++i) {
    side *const one = &made->sides[i];
    const uint8_t packing = take(from);
    one->type = packing % 4 == 3 ? take_type(from) : type;
    one->element_bits = packing / 4 % 2 == 1 ? 1 << packing / 8 % 3 : 0;
    one->packing_order = one->element_bits > 0 && packing / 64 % 2 == 1
                             ? RELAYOUT_PACKING_HIGH_FIRST
                             : RELAYOUT_PACKING_LOW_FIRST;
    one->byte_offset = packing >= 128 ? take_number(from) : 0;
    take_layout(from, made->rank, one);
  }
}

/* The largest number there is becomes half; false where all are small. */
static bool shrink(request *asked) {
  int64_t *largest = &asked->dimensions[0];
  int64_t *const groups[] = {asked->dimensions,
                             asked->sides[0].wider,
                             asked->sides[1].wider,
                             asked->sides[0].strides,
                             asked->sides[1].strides,
                             &asked->sides[0].tiles[0][0],
                             &asked->sides[1].tiles[0][0],
                             &asked->sides[0].tail,
                             &asked->sides[1].tail};
  const int32_t counts[] = {MOST_RANK,
                            MOST_RANK,
                            MOST_RANK,
                            MOST_RANK,
                            MOST_RANK,
                            MOST_TILES * MOST_RANK,
                            MOST_TILES * MOST_RANK,
                            1,
                            1};
  for (size_t g = 0; g < sizeof groups / sizeof groups[0]; ++g) {
    for (int32_t i = 0; i < counts[g]; ++i) {
      const bool combines = groups[g][i] == RELAYOUT_TILE_COMBINE;
      largest = !combines && llabs(groups[g][i]) > llabs(*largest) ? &groups[g][i] : largest;
    }
  }
  *largest /= 2;
  return llabs(*largest) > 0;
}

/* ---- Views and plans ---- */

static void make_shape(const request *asked, const side *of, relayout_shape *shape) {
  *shape = (relayout_shape){.element_type = of->type, .rank = asked->rank};
  relayout_layout *const layout = &shape->layout;
  layout->rank = asked->rank;
  for (int32_t d = 0; d < asked->rank; ++d) {
    shape->dimensions[d] = asked->dimensions[d];
    layout->minor_to_major[d] = of->is_strided ? asked->rank - 1 - d : of->order[d];
    layout->padded_dimensions[d] = asked->dimensions[d] + of->wider[d];
  }
  layout->padded_dimension_count = of->is_widened ? asked->rank : 0;
  layout->padding_value = of->padding;
  layout->tile_count = of->tile_count;
  int32_t at = 0;
  for (int32_t t = 0; t < of->tile_count; ++t) {
    layout->tile_ranks[t] = of->tile_ranks[t];
    for (int32_t i = 0; i < of->tile_ranks[t]; ++i) {
      layout->tile_dimensions[at++] = of->tiles[t][i];
    }
  }
  layout->tail_padding_alignment_in_elements = of->tail;
  layout->element_size_in_bits = of->element_bits;
  layout->packing_order = of->packing_order;
}

static void make_view(const request *asked, const side *of, relayout_view *view) {
  *view = (relayout_view){.is_strided = of->is_strided, .byte_offset = of->byte_offset};
  make_shape(asked, of, &view->shape);
  for (int32_t d = 0; d < asked->rank && of->is_strided; ++d) {
    view->byte_strides[d] = of->strides[d];
  }
}

/* The CPU's, with little memory and a single thread. */
static relayout_device *open_device(void) {
  relayout_device *device = NULL;
  relayout_cpu_options options = RELAYOUT_CPU_OPTIONS_INIT;
  options.threads = 1;
  require(setenv("RELAYOUT_CACHE", "off", 1) == 0, "nothing is kept");
  require(relayout_cpu_device_create(&options, &device, NULL) == RELAYOUT_OK, "there is a CPU");
  device->info.memory_bytes = DEVICE_MEMORY;
  return device;
}

/* ---- Schedules, as texts ---- */

/* The schedule of a number among those that are offered, which begins again where there are
 * fewer. */
typedef struct pick {
  int wanted;
  int count;
  char text[TEXT_SIZE];
} pick;

static void count_offered(void *context, const relayout_schedule_info *info) {
  require(strlen(info->text) < TEXT_SIZE, "schedules have short texts");
  ++((pick *)context)->count;
}

static void take_offered(void *context, const relayout_schedule_info *info) {
  pick *const at = context;
  if (at->count++ == at->wanted) {
    strcpy(at->text, info->text);
  }
}

static void pick_schedule(const relayout_plan *plan, int32_t part, uint8_t number, char *text) {
  pick at = {.count = 0};
  require(relayout_plan_visit_schedules(plan, part, count_offered, &at, NULL) == RELAYOUT_OK,
          "schedules can be told of");
  require(at.count > 0, "each part has schedules");
  at.wanted = number % at.count;
  at.count = 0;
  require(relayout_plan_visit_schedules(plan, part, take_offered, &at, NULL) == RELAYOUT_OK,
          "again");
  strcpy(text, at.text);
}

/* The plan for the same by other schedules, in place of the one that the library chose. */
static relayout_plan *force(relayout_device *device, const relayout_view *from,
                            const relayout_view *to, relayout_plan_options *options, uint8_t number,
                            relayout_plan *chosen) {
  static char texts[MOST_PARTS][TEXT_SIZE];
  const char *asked[MOST_PARTS];
  const int32_t count = relayout_plan_part_count(chosen);
  if (count == 0 || count > MOST_PARTS) {
    return chosen;
  }
  for (int32_t part = 0; part < count; ++part) {
    pick_schedule(chosen, part, number, texts[part]);
    asked[part] = texts[part];
  }
  relayout_plan_destroy(chosen);
  options->schedules = asked;
  options->schedule_count = count;
  relayout_plan *plan = NULL;
  require(relayout_plan_create_between(device, from, to, options, &plan, NULL) == RELAYOUT_OK,
          "what is offered can be asked for");
  for (int32_t part = 0; part < count; ++part) {
    char found[TEXT_SIZE];
    relayout_plan_get_schedule(plan, part, RELAYOUT_SCHEDULE_AT_ANY_OFFSET, found, sizeof found);
    require(strcmp(found, asked[part]) == 0, "and is what the plan runs");
  }
  return plan;
}

/* The plan, or NULL for one that is refused. */
static relayout_plan *make_plan(relayout_device *device, request *asked, relayout_view *from,
                                relayout_view *to) {
  for (;;) {
    relayout_error error;
    relayout_plan *plan = NULL;
    make_view(asked, &asked->sides[0], from);
    make_view(asked, &asked->sides[1], to);
    relayout_plan_options options = asked->options;
    const relayout_status status =
        relayout_plan_create_between(device, from, to, &options, &plan, &error);
    if (status == RELAYOUT_OK) {
      return asked->is_forced ? force(device, from, to, &options, asked->schedule, plan) : plan;
    }
    check_error(status, &error);
    if (status != RELAYOUT_SIZE_OVERFLOW || !asked->shrinks || !shrink(asked)) {
      return NULL;
    }
  }
}

/* ---- What a plan promises ---- */

static int64_t number_behind(const char *json, const char *key) {
  const char *const found = strstr(json, key);
  int64_t number = -1;
  require(found != NULL && sscanf(found + strlen(key), "%" SCNd64, &number) == 1,
          "JSON has the number");
  return number;
}

static void check_explained(const relayout_plan *plan) {
  static char text[1 << 18];
  const size_t length = relayout_plan_explain(plan, RELAYOUT_EXPLAIN_TEXT, text, sizeof text);
  require(length > 0 && length < sizeof text && strlen(text) == length, "a plan has a text");
  const size_t json = relayout_plan_explain(plan, RELAYOUT_EXPLAIN_JSON, text, sizeof text);
  require(json > 0 && json < sizeof text && strlen(text) == json, "and one in JSON");
  const int64_t read = number_behind(text, "\"bytes_read\":");
  const int64_t written = number_behind(text, "\"bytes_written\":");
  const int64_t padding = number_behind(text, "\"padding_bytes\":");
  require(read >= 0 && read <= most_bytes, "what is read can be counted");
  require(written >= 0 && (uint64_t)written <= relayout_plan_destination_size(plan),
          "what is written fits the destination");
  require(padding >= 0 && padding <= written, "padding is part of it");
}

static void check_plan(const relayout_plan *plan) {
  const size_t source = relayout_plan_source_size(plan);
  const size_t destination = relayout_plan_destination_size(plan);
  require(source <= (size_t)most_bytes && destination <= (size_t)most_bytes, "sizes are bounded");
  const double fraction = relayout_plan_get_predicted_fraction(plan);
  require(fraction >= 0 && fraction <= 1, "the predicted fraction is one");
  const bool is_empty = relayout_plan_part_count(plan) == 0;
  require((strcmp(relayout_plan_get_method(plan), "none") == 0) == is_empty, "parts have a method");
  check_explained(plan);
}

/* What a call is given for a side whose lowest byte is this one. */
static uint8_t *pointer_to(const relayout_view *view, uint8_t *lowest, size_t size) {
  int64_t at = 0;
  size_t bytes = 0;
  require(relayout_view_span(view, &at, &bytes, NULL) == RELAYOUT_OK, "a view has a span");
  require(bytes == size, "which is what the plan takes");
  return (uint8_t *)((uintptr_t)lowest - (uintptr_t)at);
}

/* From and to blocks of just their sizes. */
static void move(const relayout_plan *plan, const relayout_view *from, const relayout_view *to) {
  const size_t source_size = relayout_plan_source_size(plan);
  const size_t destination_size = relayout_plan_destination_size(plan);
  if (source_size > MOST_MOVED || destination_size > MOST_MOVED) {
    return;
  }
  uint8_t *const source = calloc(source_size + 1, 1);
  uint8_t *const destination = malloc(destination_size + 1);
  require(source != NULL && destination != NULL, "there is memory");
  relayout_error error;
  const relayout_status status =
      relayout_plan_execute(plan, pointer_to(from, source + 1, source_size),
                            pointer_to(to, destination + 1, destination_size), &error);
  require(status == RELAYOUT_OK, "a plan can be carried out");
  free(source);
  free(destination);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static relayout_device *device;
  if (device == NULL) {
    device = open_device();
  }
  input from = {data, size};
  request asked;
  take_request(&from, &asked);
  static relayout_view views[2];
  relayout_plan *const plan = make_plan(device, &asked, &views[0], &views[1]);
  if (plan != NULL) {
    check_plan(plan);
    move(plan, &views[0], &views[1]);
    relayout_plan_destroy(plan);
  }
  return 0;
}
