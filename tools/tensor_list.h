/* tensor_list.h: the tensors that a file holds by name, for each kind of file that holds some.
 * Depends on report.h and on what reads each kind. */
#ifndef TOOLS_TENSOR_LIST_H
#define TOOLS_TENSOR_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report.h"

typedef struct tensor_list_entry {
  char *name;
  char *text;     /* its shape; NULL where no shape says what it is */
  char *own_text; /* what it is in the file's words, where there is no shape; else NULL */
  uint64_t bytes;
} tensor_list_entry;

typedef struct tensor_list {
  size_t count;
  tensor_list_entry *entries; /* in the order of the file */
} tensor_list;

/* Whether a file is of such a kind, by its name's end. */
bool tensor_list_suits(const char *path);

/* Reads the file's list, which the caller frees, also on failure. */
exit_code tensor_list_read(const char *path, tensor_list *made);
void tensor_list_free(tensor_list *list);

/* Adds a tensor to a list, all texts of which are copied; one of both texts is NULL. */
exit_code tensor_list_add(tensor_list *list, const char *name, const char *text,
                          const char *own_text, uint64_t bytes);

#endif
