/* clblast.c: CLBlast's transposition, looked for when the command runs. */
#include "clblast.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* Constants of CLBlast's C interface, which no version has changed. */
enum { ROW_MAJOR = 101, TRANSPOSE = 112 };

/* CLBlast{S,D,Z}omatcopy. */
#define OMATCOPY(name, number)                                                                     \
  cl_int (*name)(int layout, int transpose, size_t rows, size_t columns, number alpha,             \
                 cl_mem source, size_t source_offset, size_t source_pitch, cl_mem destination,     \
                 size_t destination_offset, size_t destination_pitch, cl_command_queue *queue,     \
                 cl_event *event)

struct clblast {
  void *library;
  OMATCOPY(single_real, cl_float);
  OMATCOPY(double_real, cl_double);
  OMATCOPY(double_complex, cl_double2);
};

/* ISO C has no conversion from a pointer to an object to one to a function. */
static bool find(const clblast *in, const char *name, void *function) {
  void *const symbol = dlsym(in->library, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

clblast *clblast_open(void) {
  clblast *const made = calloc(1, sizeof *made);
  if (made == NULL) {
    return NULL;
  }
  made->library = dlopen("libclblast.so.1", RTLD_NOW | RTLD_LOCAL);
  if (made->library == NULL || !find(made, "CLBlastSomatcopy", &made->single_real) ||
      !find(made, "CLBlastDomatcopy", &made->double_real) ||
      !find(made, "CLBlastZomatcopy", &made->double_complex)) {
    clblast_close(made);
    return NULL;
  }
  return made;
}

void clblast_close(clblast *library) {
  if (library != NULL && library->library != NULL) {
    dlclose(library->library);
  }
  free(library);
}

cl_int clblast_transpose(const clblast *library, const bench_transposition *of,
                         cl_command_queue queue, cl_mem source, size_t source_offset,
                         cl_mem destination, size_t destination_offset, cl_event *event) {
  const size_t from = source_offset / of->element_bytes;
  const size_t to = destination_offset / of->element_bytes;
  const cl_double2 one = {.s = {1, 0}};
  switch (of->element_bytes) {
  case sizeof(cl_float):
    return library->single_real(ROW_MAJOR, TRANSPOSE, of->rows, of->columns, 1, source, from,
                                of->source_pitch, destination, to, of->destination_pitch, &queue,
                                event);
  case sizeof(cl_double):
    return library->double_real(ROW_MAJOR, TRANSPOSE, of->rows, of->columns, 1, source, from,
                                of->source_pitch, destination, to, of->destination_pitch, &queue,
                                event);
  case sizeof(cl_double2):
    return library->double_complex(ROW_MAJOR, TRANSPOSE, of->rows, of->columns, one, source, from,
                                   of->source_pitch, destination, to, of->destination_pitch, &queue,
                                   event);
  default:
    return CL_INVALID_VALUE;
  }
}
