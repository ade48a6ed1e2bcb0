/* convert_scaled.h: `relayout convert` between raw and .npy files whose elements have scales, in
 * files of their own, or lie in records of a block format. Depends on convert_model.h, for what is
 * asked for, and on scaled_text.h. */
#ifndef TOOLS_CONVERT_SCALED_H
#define TOOLS_CONVERT_SCALED_H

#include <stdbool.h>

#include "convert_model.h"

/* The words that only such sides have; NULL for what was not there. */
typedef struct convert_scaled_request {
  const char *from_scales;
  const char *from_zero_points;
  const char *from_tensor_scale;
  const char *to_scales;
  const char *to_zero_points;
  const char *to_tensor_scale;
  const char *rule_text;
  relayout_scale_rule rule;
} convert_scaled_request;

/* Whether the text of a side, which may be NULL, says that it has scales or blocks. */
bool convert_scaled_is(const char *text);

/* Whether a side has. The name of a block format alone is left to convert_model.h where a model is
 * read, or a .gguf file is written. */
bool convert_scaled_suits(const convert_request *asked);

/* That the words go together, before any file is opened, and reads the rule; `is_sharded`: IN or
 * OUT are dealt out to several devices. */
exit_code convert_scaled_check(const convert_request *asked, convert_scaled_request *files,
                               bool is_sharded);

/* Moves the elements that lie next in the input, which may be a .npy file, and are all of it, and
 * with them the files of scales, of zero points and of a tensor scale. `like` has what all moves
 * have in common, and the source's shape and byte order where --from has neither scales nor
 * blocks. */
exit_code convert_scaled(const convert_request *asked, const convert_scaled_request *files,
                         const tensor_move *like, stream_input *input, bool input_is_npy,
                         bool output_is_npy);

#endif
