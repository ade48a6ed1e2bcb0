/* no_models.c: in place of convert_model.c where the command is built without jansson. */
#include <string.h>

#include "convert_model.h"

bool convert_model_is(const char *path) {
  const char *const suffix = strrchr(path, '.');
  return suffix != NULL && strcmp(suffix, ".safetensors") == 0;
}

exit_code convert_model(const convert_request *asked, const tensor_move *like,
                        stream_input *input) {
  (void)like;
  (void)input;
  return report(EXIT_CODE_FAILURE, "%s: this command was built without jansson, which reads it",
                asked->input);
}
