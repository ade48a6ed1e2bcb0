/* sharded_model.h: a model whose tensors are shards, in files of each device, as one.
 *
 * A path with {device} in it stands for a file of each device, with the device's number in that
 * place; one without is a single file, or index, of device 0. A tensor need not be in all files. */
#ifndef TOOLS_SHARDED_MODEL_H
#define TOOLS_SHARDED_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"
#include "relayout/relayout.h"

enum { SHARDED_MODEL_MOST_DEVICES = 4096 };

/* What stands for a device's number. */
#define SHARDED_MODEL_NUMBER "{device}"

/* Whether there is a file for each device. */
bool sharded_model_is(const char *path);

/* The path of a device's file; the caller frees it. NULL: no memory. */
char *sharded_model_path(const char *path, int64_t device);

/* Where a device has a tensor; NULL: nowhere. */
typedef struct sharded_place {
  model_file *file;
  const safetensors_tensor *tensor;
} sharded_place;

typedef struct sharded_tensor {
  const char *name;
  const sharded_place *places; /* one for each device */
} sharded_tensor;

typedef struct sharded_model {
  int64_t device_count;
  char **paths;
  model *models; /* one for each device */
  size_t tensor_count;
  sharded_tensor *tensors; /* in the order of the first file, then of the next, ... */
  sharded_place *places;
} sharded_model;

/* Opens all files and reads their headers. The caller ends it with sharded_model_close, also on
 * failure. */
exit_code sharded_model_open(const char *path, int64_t device_count, sharded_model *made);
void sharded_model_close(sharded_model *of);

/* The shape of a whole tensor with this sharding, which is valid by itself: its dimensions are the
 * sums of its shards', and each device's shard must be what the sharding says. */
exit_code sharded_model_shape(const sharded_model *of, const sharded_tensor *tensor,
                              const relayout_sharding *sharding, relayout_shape *whole);

#endif
