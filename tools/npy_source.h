/* npy_source.h: the shape of the source, from a .npy file's header and the user's --from.
 * Depends on npy.h and arguments.h. */
#ifndef TOOLS_NPY_SOURCE_H
#define TOOLS_NPY_SOURCE_H

#include "npy.h"
#include "report.h"

/* The shape of the file's array. `from` is a shape, which the array must lie in memory like; or a
 * layout alone, which takes the array's dimensions as they lie and puts them in its order; or NULL,
 * for what the file says by itself. `name` is the file's, for messages. */
exit_code npy_source_shape(const char *from, const char *name, const npy_header *header,
                           relayout_shape *shape);

/* The same for a layout alone, where the type is known. */
exit_code npy_source_with_layout(const char *text, const npy_header *header,
                                 relayout_element_type type, relayout_shape *shape);

#endif
