/* raised_rights.c: what a program with more rights than its caller makes of the library; run by
 * test_raised_rights.sh. With an argument it first makes its ids equal, as a set-user-ID program
 * may. Prints AT_SECURE, and what the calls say that could obey the environment. */
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "relayout/relayout.h"

static void print_result(const char *call, relayout_status status, const relayout_error *error) {
  printf("%s: %s\n", call, status == RELAYOUT_OK ? "ok" : error->message);
}

int main(int argc, char **argv) {
  (void)argv;
  if (argc > 1 && (setgid(0) != 0 || setuid(0) != 0)) {
    return 1;
  }
  printf("AT_SECURE %lu\n", getauxval(AT_SECURE));
  relayout_error error;
  relayout_device *device = NULL;
  size_t count = 0;
  print_result("list", relayout_device_list(NULL, 0, &count, &error), &error);
  const relayout_status status = relayout_device_open("cpu", &device, &error);
  print_result("open", status, &error);
  if (status == RELAYOUT_OK) {
    char text[8192];
    relayout_device_get_tuning(device, text, sizeof text);
    print_result("keep", relayout_tuning_keep(device, text, &error), &error);
  }
  relayout_device_destroy(device);
  return 0;
}
