/* device_list.c: counts the devices, makes room for them and lists them. */
#include "device_list.h"

#include <stdlib.h>

exit_code device_list_read(relayout_device_info **infos, size_t *count) {
  relayout_error error;
  size_t capacity;
  if (relayout_device_list(NULL, 0, &capacity, &error) != RELAYOUT_OK) {
    return report_error(NULL, &error);
  }
  relayout_device_info *list = calloc(capacity, sizeof *list);
  if (list == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for a list of %zu devices", capacity);
  }
  for (size_t i = 0; i < capacity; i++) {
    list[i] = (relayout_device_info)RELAYOUT_DEVICE_INFO_INIT;
  }
  size_t found;
  if (relayout_device_list(list, capacity, &found, &error) != RELAYOUT_OK) {
    free(list);
    return report_error(NULL, &error);
  }
  *infos = list;
  *count = found < capacity ? found : capacity;
  return EXIT_CODE_OK;
}
