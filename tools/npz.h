/* npz.h: NumPy's .npz files: zip archives of which each member NAME.npy is an array NAME. Depends
 * on file_kind.h, npy_source.h, stream.h, tensor_choice.h, tensor_list.h and zip.h. */
#ifndef TOOLS_NPZ_H
#define TOOLS_NPZ_H

#include <stdbool.h>

#include "stream.h"
#include "tensor_choice.h"
#include "tensor_list.h"
#include "zip.h"

/* Whether a file is one, by its name's end. */
bool npz_is(const char *path);

/* An archive, and one of its arrays as an input, which is a .npy file's. */
typedef struct npz_array {
  const char *path;
  stream_input archive;
  zip_directory directory;
  zip_reader *reader;
  char *name;         /* the array's */
  char *title;        /* of archive and array, for messages */
  stream_input input; /* to be read to its end */
} npz_array;

/* Opens the only array that is chosen, or that there is. The caller closes it, also on failure. */
exit_code npz_open(const char *path, const tensor_choice *choice, npz_array *made);
void npz_close(npz_array *of);

/* All arrays. */
exit_code npz_list(const char *path, tensor_list *made);

#endif
