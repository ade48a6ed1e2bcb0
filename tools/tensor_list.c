/* tensor_list.c: lists of tensors, and which kind of file is read by whom. */
#include "tensor_list.h"

#include <stdlib.h>
#include <string.h>

#include "gguf.h"
#include "model.h"
#include "npz.h"

static const struct kind {
  bool (*suits)(const char *path);
  exit_code (*read)(const char *path, tensor_list *made);
} kinds[] = {
    {model_is_file, model_list},
    {model_is_index, model_list},
    {npz_is, npz_list},
    {gguf_is, gguf_list},
};

static const struct kind *kind_of(const char *path) {
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (kinds[i].suits(path)) {
      return &kinds[i];
    }
  }
  return NULL;
}

bool tensor_list_suits(const char *path) {
  return kind_of(path) != NULL;
}

exit_code tensor_list_read(const char *path, tensor_list *made) {
  *made = (tensor_list){.count = 0};
  return kind_of(path)->read(path, made);
}

void tensor_list_free(tensor_list *list) {
  for (size_t i = 0; i < list->count; i++) {
    free(list->entries[i].name);
    free(list->entries[i].text);
    free(list->entries[i].own_text);
  }
  free(list->entries);
  *list = (tensor_list){.count = 0};
}

exit_code tensor_list_add(tensor_list *list, const char *name, const char *text,
                          const char *own_text, uint64_t bytes) {
  tensor_list_entry *const grown = realloc(list->entries, (list->count + 1) * sizeof *grown);
  if (grown == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for a list of %zu tensors", list->count + 1);
  }
  list->entries = grown;
  tensor_list_entry *const entry = &grown[list->count];
  *entry = (tensor_list_entry){.name = strdup(name),
                               .text = text != NULL ? strdup(text) : NULL,
                               .own_text = own_text != NULL ? strdup(own_text) : NULL,
                               .bytes = bytes};
  list->count += 1;
  const bool is_whole = entry->name != NULL && (text == NULL || entry->text != NULL) &&
                        (own_text == NULL || entry->own_text != NULL);
  return is_whole ? EXIT_CODE_OK
                  : report(EXIT_CODE_FAILURE, "no memory for a list of %zu tensors", list->count);
}
