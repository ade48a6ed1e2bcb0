/* own_opencl.c: a program that has OpenCL's functions from somewhere else hands them in. */
#include <dlfcn.h>
#include <relayout/opencl.h>
#include <relayout/relayout.h>
#include <stdio.h>

enum { NO_DEVICE = 77 };

/* [find] */
static void *find(void *library, const char *name) {
  return dlsym(library, name); /* or a look-up in a table of your own */
}
/* [end] */

int main(void) {
  relayout_error error;
  void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
  if (library == NULL) {
    fprintf(stderr, "there is no libOpenCL.so.1\n");
    return NO_DEVICE;
  }
  /* [use] */
  if (relayout_opencl_use(find, library, &error) != RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  /* [done] */
  printf("the library calls this program's OpenCL\n");
  return 0;
}
