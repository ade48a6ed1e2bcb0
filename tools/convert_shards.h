/* convert_shards.h: `relayout convert` of model files between shardings: from the files of some
 * devices, or of one, to those of others. Depends on convert_model.h and sharded_model.h. */
#ifndef TOOLS_CONVERT_SHARDS_H
#define TOOLS_CONVERT_SHARDS_H

#include <stdbool.h>

#include "convert_model.h"

/* What the command line says of shardings besides; NULL for what was not there. */
typedef struct convert_shards_request {
  const char *from_sharding;
  const char *to_sharding;
  const char *rules;
  const char *devices;
  const char *memory;
  bool is_dry; /* says what would move, and moves nothing */
} convert_shards_request;

/* Whether any of it is there, or a path that stands for files of several devices. */
bool convert_shards_suits(const convert_request *asked, const convert_shards_request *shards);

/* That what is asked for goes together, before any file is opened. */
exit_code convert_shards_check(const convert_request *asked, const convert_shards_request *shards);

/* Moves all tensors. `like` has what all moves have in common. */
exit_code convert_shards(const convert_request *asked, const convert_shards_request *shards,
                         const tensor_move *like);

#endif
