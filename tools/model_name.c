/* model_name.c: which files are models, by their names' ends. Commands without JSON know them
 * too, to say that they cannot read them. */
#include <string.h>

#include "convert_model.h"
#include "model.h"

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
  return model_is_file(path) || model_is_index(path);
}
