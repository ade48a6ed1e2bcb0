/* shard.c: `relayout shard` shows which device holds which part of a tensor. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "json_output.h"
#include "shard_picture.h"

/* What one device holds. */
typedef struct holding {
  int64_t device;
  relayout_shape local;
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  size_t bytes;
  bool is_box; /* else it is several blocks, and has no start */
  int64_t start[RELAYOUT_MAX_RANK];
  int64_t replica; /* -1: it holds nothing */
} holding;

static void count_box(void *context, const int64_t *start, const int64_t *sizes,
                      const int64_t *local_start) {
  int64_t *const count = context;
  (void)start;
  (void)sizes;
  (void)local_start;
  ++*count;
}

/* What fails does so for every device. */
static relayout_status find_holding(const relayout_shape *shape, const relayout_sharding *sharding,
                                    int64_t device, holding *found, relayout_error *error) {
  *found = (holding){.device = device, .replica = -1};
  relayout_status status =
      relayout_sharding_local_shape(sharding, shape, device, &found->local, error);
  if (status == RELAYOUT_OK) {
    status = relayout_shape_byte_size(&found->local, &found->bytes, error);
  }
  int64_t boxes = 0;
  if (status == RELAYOUT_OK) {
    status = relayout_sharding_visit_boxes(sharding, shape, device, count_box, &boxes, error);
  }
  if (status == RELAYOUT_OK) {
    relayout_shape_format(&found->local, found->text, sizeof found->text);
    found->is_box = boxes <= 1;
  }
  return status == RELAYOUT_OK && found->is_box
             ? relayout_sharding_box(sharding, shape, device, found->start, NULL, &found->replica,
                                     error)
             : status;
}

/* ---- Which devices -------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* All up to this number, or those of the sharding; one of {replicated}. Sorted; the caller frees
 * them. NULL without memory. */
static int64_t *find_devices(const relayout_sharding *sharding, uint64_t asked, size_t *count) {
  const int64_t own = relayout_sharding_device_count(sharding);
  *count = asked > 0 ? (size_t)asked : own > 0 ? (size_t)own : 1;
  int64_t *const devices = calloc(*count, sizeof *devices);
  for (size_t i = 0; devices != NULL && i < *count; i++) {
    devices[i] = (int64_t)i;
    if (asked == 0 && own > 0) {
      relayout_sharding_device(sharding, (int64_t)i, &devices[i], NULL);
    }
  }
  if (devices != NULL) {
    qsort(devices, *count, sizeof *devices, by_number);
  }
  return devices;
}

/* ---- Output --------------------------------------------------------------------------------- */

static json_t *json_of_holding(const holding *of) {
  const size_t rank = (size_t)of->local.rank;
  return json_of_members((json_member[]){
      {"device", json_of_integer(of->device)},
      {"start", of->is_box ? json_of_integers(rank, of->start) : json_of_nothing()},
      {"sizes", json_of_integers(rank, of->local.dimensions)},
      {"bytes", json_of_size(of->replica < 0 && of->is_box ? 0 : of->bytes)},
      {"replica", of->replica >= 0 ? json_of_integer(of->replica) : json_of_nothing()},
      {"text", json_of_text(of->text)},
      {NULL, NULL}});
}

static void print_list(size_t count, const int64_t *numbers, int width) {
  char text[24 * RELAYOUT_MAX_RANK] = "-";
  size_t length = 0;
  for (size_t i = 0; i < count; i++) {
    length += (size_t)snprintf(text + length, sizeof text - length, "%s%" PRId64, i > 0 ? "," : "",
                               numbers[i]);
  }
  printf("%-*s  ", width, text);
}

static void print_holding(const holding *of, int width) {
  const size_t rank = (size_t)of->local.rank;
  printf("%6" PRId64 "  ", of->device);
  if (of->replica < 0 && of->is_box) {
    printf("holds nothing\n");
    return;
  }
  if (of->is_box) {
    print_list(rank, of->start, width);
  } else {
    printf("%-*s  ", width, "blocks");
  }
  print_list(rank, of->local.dimensions, width);
  printf("%14zu  ", of->bytes);
  if (of->is_box) {
    printf("%7" PRId64 "  ", of->replica);
  } else {
    printf("%7s  ", "-");
  }
  printf("%s\n", of->text);
}

/* As wide as the tensor's own sizes are. */
static int width_of(const relayout_shape *shape) {
  int width = 6;
  int own = 0;
  for (int32_t d = 0; d < shape->rank; d++) {
    own += snprintf(NULL, 0, "%s%" PRId64, d > 0 ? "," : "", shape->dimensions[d]);
  }
  return own > width ? own : width;
}

static void print_text(const char *text, const char *sharding_text, const relayout_shape *shape,
                       const relayout_sharding *sharding, size_t count, const int64_t *devices) {
  const int width = width_of(shape);
  printf("%s, %s\n\n", text, sharding_text);
  printf("device  %-*s  %-*s  %14s  %7s  shape\n", width, "start", width, "sizes", "bytes",
         "replica");
  for (size_t i = 0; i < count; i++) {
    holding found;
    find_holding(shape, sharding, devices[i], &found, NULL);
    print_holding(&found, width);
  }
  shard_picture_draw(shape, sharding, count, devices, stdout);
}

static exit_code print_json(const char *text, const char *sharding_text,
                            const relayout_shape *shape, const relayout_sharding *sharding,
                            size_t count, const int64_t *devices) {
  json_t *holdings = json_of_no_elements();
  for (size_t i = 0; i < count; i++) {
    holding found;
    find_holding(shape, sharding, devices[i], &found, NULL);
    holdings = json_with_element(holdings, json_of_holding(&found));
  }
  return json_print_line(json_of_members((json_member[]){{"text", json_of_text(text)},
                                                         {"sharding", json_of_text(sharding_text)},
                                                         {"devices", holdings},
                                                         {NULL, NULL}}),
                         stdout);
}

static exit_code show(const relayout_shape *shape, const relayout_sharding *sharding,
                      uint64_t asked, bool as_json) {
  holding first;
  relayout_error error;
  if (find_holding(shape, sharding, 0, &first, &error) != RELAYOUT_OK) {
    return report_error("SHARDING", &error);
  }
  char text[RELAYOUT_SHAPE_TEXT_SIZE];
  char sharding_text[RELAYOUT_SHARDING_TEXT_SIZE];
  relayout_shape_format(shape, text, sizeof text);
  relayout_sharding_format(sharding, sharding_text, sizeof sharding_text);
  size_t count;
  int64_t *const devices = find_devices(sharding, asked, &count);
  if (devices == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for the numbers of %zu devices", count);
  }
  exit_code code = EXIT_CODE_OK;
  if (as_json) {
    code = print_json(text, sharding_text, shape, sharding, count, devices);
  } else {
    print_text(text, sharding_text, shape, sharding, count, devices);
  }
  free(devices);
  return code;
}

static exit_code run(int argument_count, char **arguments) {
  bool as_json = false;
  const char *text = NULL;
  const char *sharding_text = NULL;
  const char *device_count = NULL;
  const arguments_option options[] = {{"json", .flag = &as_json},
                                      {"devices", .value = &device_count}};
  const arguments_operand operands[] = {{"SHAPE", &text}, {"SHARDING", &sharding_text}};
  exit_code code;
  if (!arguments_parse(&command_shard, argument_count, arguments, 2, options, 2, operands, &code)) {
    return code;
  }
  enum { MOST_DEVICES = 1 << 20 };
  uint64_t asked = 0;
  if (device_count != NULL) {
    code = arguments_read_count("--devices", device_count, 1, MOST_DEVICES, &asked);
  }
  relayout_shape shape;
  if (code == EXIT_CODE_OK) {
    code = arguments_read_shape("SHAPE", text, NULL, &shape);
  }
  relayout_sharding sharding;
  if (code == EXIT_CODE_OK) {
    code = arguments_read_sharding("SHARDING", sharding_text, &shape, &sharding);
  }
  return code == EXIT_CODE_OK ? show(&shape, &sharding, asked, as_json) : code;
}

const command command_shard = {
    .name = "shard",
    .summary = "show which device holds which part of a sharded tensor",
    .help =
        "usage: relayout shard SHAPE SHARDING [--devices N] [--json]\n"
        "\n"
        "Prints for each device of a sharding the part of the tensor that it holds: where it\n"
        "starts, its sizes, its bytes, and which of the devices with the same part it is. A\n"
        "small tensor's dimensions are drawn, with the devices that hold each part. Shardings\n"
        "are written as XLA prints them; block=[128,128], at the end, deals blocks out in turns.\n"
        "\n"
        "  --devices N   devices 0 to N-1, instead of those that the sharding names\n"
        "  --json        one object: text, sharding, and devices, a list of objects of device,\n"
        "                start (null for several blocks), sizes, bytes, replica (null for a\n"
        "                device that holds nothing, and for blocks), and text, its shape\n"
        "\n"
        "example: relayout shard 'f32[8192,8192]' '{devices=[2,2]<=[4]}'\n"
        "         relayout shard 'bf16[100,64]' '{devices=[4,1,2]<=[8] last_tile_dim_replicate}'\n",
    .run = run,
};
