/* model_name.c: which files are models, by their names. Commands without JSON know them
 * too, to say that they cannot read them. */
#include <string.h>

#include "convert_shards.h"
#include "model.h"
#include "sharded_model.h"

static bool has_suffix(const char *path, const char *suffix) {
  const size_t length = strlen(path);
  const size_t size = strlen(suffix);
  return length >= size && strcmp(path + length - size, suffix) == 0;
}

bool model_is_file(const char *path) {
  return has_suffix(path, ".safetensors");
}

bool model_is_index(const char *path) {
  return has_suffix(path, ".safetensors.index.json");
}

bool convert_model_is(const char *path) {
  return model_is_file(path) || model_is_index(path) || gguf_is(path);
}

bool sharded_model_is(const char *path) {
  return strstr(path, SHARDED_MODEL_NUMBER) != NULL;
}

bool convert_shards_suits(const convert_request *asked, const convert_shards_request *shards) {
  return shards->from_sharding != NULL || shards->to_sharding != NULL || shards->rules != NULL ||
         shards->devices != NULL || shards->memory != NULL || shards->is_dry ||
         sharded_model_is(asked->input) || sharded_model_is(asked->output);
}
