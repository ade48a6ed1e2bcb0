/* sharded_model.c: the files of all devices, and which tensors they have. */
#include "sharded_model.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char place_of_number[] = SHARDED_MODEL_NUMBER;

char *sharded_model_path(const char *path, int64_t device) {
  char number[24];
  const size_t added = (size_t)snprintf(number, sizeof number, "%" PRId64, device);
  const size_t place = strlen(place_of_number);
  size_t size = strlen(path) + 1;
  for (const char *at = path; (at = strstr(at, place_of_number)) != NULL; at += place) {
    size += added;
  }
  char *const made = malloc(size);
  char *to = made;
  for (const char *at = path; made != NULL && *at != '\0';) {
    const bool is_number = strncmp(at, place_of_number, place) == 0;
    memcpy(to, is_number ? number : at, is_number ? added : 1);
    to += is_number ? added : 1;
    at += is_number ? place : 1;
  }
  if (made != NULL) {
    *to = '\0';
  }
  return made;
}

/* ---- Opening -------------------------------------------------------------------------------- */

static exit_code open_models(const char *path, sharded_model *made) {
  exit_code code = EXIT_CODE_OK;
  for (int64_t i = 0; i < made->device_count && code == EXIT_CODE_OK; i++) {
    made->paths[i] = sharded_model_path(path, i);
    code = made->paths[i] != NULL ? model_open(made->paths[i], &made->models[i])
                                  : report(EXIT_CODE_FAILURE, "no memory for the names of files");
  }
  return code;
}

/* The number of each name, in the order in which they come. */
static bool number_names(const sharded_model *of, json_t *numbers) {
  bool is_done = true;
  for (int64_t i = 0; i < of->device_count; i++) {
    for (size_t f = 0; f < of->models[i].file_count; f++) {
      const safetensors *const header = &of->models[i].files[f].header;
      for (size_t t = 0; t < header->count && is_done; t++) {
        const char *const name = header->tensors[t].name;
        is_done = json_object_get(numbers, name) != NULL ||
                  json_object_set_new(numbers, name,
                                      json_integer((json_int_t)json_object_size(numbers))) == 0;
      }
    }
  }
  return is_done;
}

static void fill_places(sharded_model *of, const json_t *numbers) {
  for (int64_t i = 0; i < of->device_count; i++) {
    for (size_t f = 0; f < of->models[i].file_count; f++) {
      model_file *const file = &of->models[i].files[f];
      for (size_t t = 0; t < file->header.count; t++) {
        const safetensors_tensor *const tensor = &file->header.tensors[t];
        const size_t number = (size_t)json_integer_value(json_object_get(numbers, tensor->name));
        of->tensors[number].name = tensor->name;
        of->places[number * (size_t)of->device_count + (size_t)i] = (sharded_place){file, tensor};
      }
    }
  }
}

static exit_code find_tensors(sharded_model *made) {
  json_t *const numbers = json_object();
  const size_t devices = (size_t)made->device_count;
  bool is_done = number_names(made, numbers);
  if (is_done) {
    made->tensor_count = json_object_size(numbers);
    made->tensors = calloc(made->tensor_count + 1, sizeof *made->tensors);
    made->places = calloc(made->tensor_count * devices + 1, sizeof *made->places);
    is_done = made->tensors != NULL && made->places != NULL;
  }
  if (is_done) {
    fill_places(made, numbers);
  }
  for (size_t t = 0; t < made->tensor_count && is_done; t++) {
    made->tensors[t].places = &made->places[t * devices];
  }
  json_decref(numbers);
  return is_done ? EXIT_CODE_OK
                 : report(EXIT_CODE_FAILURE, "no memory for the tensors of %" PRId64 " files",
                          made->device_count);
}

exit_code sharded_model_open(const char *path, int64_t device_count, sharded_model *made) {
  *made = (sharded_model){.device_count = device_count};
  made->paths = calloc((size_t)device_count, sizeof *made->paths);
  made->models = calloc((size_t)device_count, sizeof *made->models);
  if (made->paths == NULL || made->models == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for %" PRId64 " files", device_count);
  }
  const exit_code code = open_models(path, made);
  return code == EXIT_CODE_OK ? find_tensors(made) : code;
}

void sharded_model_close(sharded_model *of) {
  for (int64_t i = 0; i < of->device_count; i++) {
    if (of->models != NULL) {
      model_close(&of->models[i]);
    }
    if (of->paths != NULL) {
      free(of->paths[i]);
    }
  }
  free(of->paths);
  free(of->models);
  free(of->tensors);
  free(of->places);
  *of = (sharded_model){.device_count = 0};
}

/* ---- Shapes --------------------------------------------------------------------------------- */

/* As a sharding is named in messages: the beginning of a long one. */
typedef struct short_text {
  char of[96];
} short_text;

static short_text text_of(const relayout_sharding *sharding) {
  static const char more[] = "...";
  short_text made;
  if (relayout_sharding_format(sharding, made.of, sizeof made.of) >= sizeof made.of) {
    memcpy(made.of + sizeof made.of - sizeof more, more, sizeof more);
  }
  return made;
}

/* The shape of a device's shard as the file has it. */
static exit_code read_shard(const sharded_model *of, const sharded_tensor *tensor,
                            const relayout_sharding *sharding, int64_t device,
                            relayout_shape *shard) {
  relayout_error error;
  const sharded_place *const place = &tensor->places[device];
  if (place->tensor == NULL) {
    return report(EXIT_CODE_BAD_INPUT,
                  "%s has no tensor of that name, but with the sharding %s device %" PRId64
                  " holds a part of it",
                  of->paths[device], text_of(sharding).of, device);
  }
  if (safetensors_packs(place->tensor)) {
    return report(EXIT_CODE_BAD_INPUT,
                  "%s has its elements of 6 bits packed, which no shards can have",
                  of->paths[device]);
  }
  return safetensors_shape(&place->file->header, place->tensor, shard, &error) == RELAYOUT_OK
             ? EXIT_CODE_OK
             : report_error(of->paths[device], &error);
}

/* The device of this number among those that hold something. */
static int64_t holder(const relayout_sharding *sharding, int64_t number) {
  int64_t device = number; /* of those that are replicated */
  if (sharding->kind == RELAYOUT_SHARDING_TILED || sharding->kind == RELAYOUT_SHARDING_MAXIMAL) {
    relayout_sharding_device(sharding, number, &device, NULL);
  }
  return device;
}

/* Along dimension d: the sum of the shards that are first in all others. `step` is how far their
 * numbers lie apart. */
static exit_code add_dimension(const sharded_model *of, const sharded_tensor *tensor,
                               const relayout_sharding *sharding, int32_t d, int64_t step,
                               int64_t *size) {
  *size = 0;
  for (int64_t i = 0; i < sharding->shards[d]; i++) {
    relayout_shape shard;
    const exit_code code = read_shard(of, tensor, sharding, holder(sharding, i * step), &shard);
    if (code != EXIT_CODE_OK) {
      return code;
    }
    if (shard.rank != sharding->rank || shard.dimensions[d] > INT64_MAX - *size) {
      return report(EXIT_CODE_BAD_INPUT,
                    "it has %" PRId32 " dimensions in %s, which do not go with the sharding %s",
                    shard.rank, of->paths[holder(sharding, i * step)], text_of(sharding).of);
    }
    *size += shard.dimensions[d];
  }
  return EXIT_CODE_OK;
}

static exit_code add_dimensions(const sharded_model *of, const sharded_tensor *tensor,
                                const relayout_sharding *sharding, relayout_shape *whole) {
  exit_code code = EXIT_CODE_OK;
  int64_t step = 1;
  for (int32_t i = 0; i < sharding->subgroup_count; i++) {
    step *= sharding->subgroup_sizes[i];
  }
  for (int32_t d = sharding->rank - 1; d >= 0 && code == EXIT_CODE_OK; d--) {
    code = add_dimension(of, tensor, sharding, d, step, &whole->dimensions[d]);
    step *= sharding->shards[d];
  }
  return code;
}

static exit_code check_shard(const sharded_model *of, const sharded_tensor *tensor,
                             const relayout_sharding *sharding, const relayout_shape *whole,
                             int64_t device) {
  relayout_shape shard, expected;
  relayout_error error;
  const exit_code code = read_shard(of, tensor, sharding, device, &shard);
  if (code != EXIT_CODE_OK) {
    return code;
  }
  if (relayout_sharding_local_shape(sharding, whole, device, &expected, &error) != RELAYOUT_OK) {
    return report_error(NULL, &error);
  }
  if (!relayout_shape_equal(&shard, &expected)) {
    char texts[3][RELAYOUT_SHAPE_TEXT_SIZE];
    relayout_shape_format(&shard, texts[0], sizeof texts[0]);
    relayout_shape_format(whole, texts[1], sizeof texts[1]);
    relayout_shape_format(&expected, texts[2], sizeof texts[2]);
    return report(EXIT_CODE_BAD_INPUT,
                  "%s has %s; with the sharding %s all shards together are %s, of which device "
                  "%" PRId64 " has %s",
                  of->paths[device], texts[0], text_of(sharding).of, texts[1], device, texts[2]);
  }
  return EXIT_CODE_OK;
}

exit_code sharded_model_shape(const sharded_model *of, const sharded_tensor *tensor,
                              const relayout_sharding *sharding, relayout_shape *whole) {
  relayout_error error;
  exit_code code =
      relayout_sharding_validate(sharding, NULL, of->device_count, &error) == RELAYOUT_OK
          ? read_shard(of, tensor, sharding, holder(sharding, 0), whole)
          : report_error(NULL, &error);
  if (code == EXIT_CODE_OK && whole->rank == sharding->rank &&
      sharding->kind == RELAYOUT_SHARDING_TILED) {
    code = add_dimensions(of, tensor, sharding, whole);
  }
  if (code == EXIT_CODE_OK &&
      relayout_sharding_validate(sharding, whole, of->device_count, &error) != RELAYOUT_OK) {
    code = report_error("on the side of IN", &error);
  }
  const int64_t count = relayout_sharding_device_count(sharding);
  const int64_t holders = count > 0 ? count : of->device_count;
  for (int64_t i = 0; i < holders && code == EXIT_CODE_OK; i++) {
    code = check_shard(of, tensor, sharding, whole, holder(sharding, i));
  }
  return code;
}
