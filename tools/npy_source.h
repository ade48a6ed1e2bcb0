/* npy_source.h: the shape of the source, from a .npy file's header and the user's --from.
 * Depends on npy.h, stream.h and arguments.h. */
#ifndef TOOLS_NPY_SOURCE_H
#define TOOLS_NPY_SOURCE_H

#include "npy.h"
#include "stream.h"

/* The shape of the file's array. `from` is a shape, which the array must lie in memory like; or a
 * layout, a type or both, which take the array's dimensions as they lie and put them in the order
 * of the layout; or NULL, for what the file says by itself. `name` is the file's, for messages. */
exit_code npy_source_shape(const char *from, const char *name, const npy_header *header,
                           relayout_shape *shape);

/* What `from`, which is not NULL, says by itself: elements are of `type` where it does not say so,
 * and how they lie is not compared. */
exit_code npy_source_stated(const char *from, const npy_header *header, relayout_element_type type,
                            relayout_shape *shape);

/* Takes the header of a .npy file from an input that has been peeked into, and its size. What the
 * header says wrong is *status' and the error's; what cannot be read is reported. */
exit_code npy_source_header(stream_input *input, npy_header *header, size_t *size,
                            relayout_status *status, relayout_error *error);

/* Both: takes the header, and says what the array's shape and the order of its bytes are. */
exit_code npy_source_read(const char *from, stream_input *input, relayout_byte_order *order,
                          relayout_shape *shape);

#endif
