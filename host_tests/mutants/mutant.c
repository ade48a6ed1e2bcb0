/* mutant.c: reads once which mutant the process runs as, and where it is to note those that it
 * reaches: in the file that RELAYOUT_MUTANTS_REACHED names, which its children share. */
#include "mutant.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int rlt_mutant = -1;
unsigned char *rlt_mutants_reached = NULL;

static void map_reached(const char *path) {
  struct stat facts;
  const int file = open(path, O_RDWR);
  if (file < 0) {
    return;
  }
  if (fstat(file, &facts) == 0) {
    void *const bytes =
        mmap(NULL, (size_t)facts.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes != MAP_FAILED) {
      rlt_mutants_reached = bytes;
    }
  }
  close(file);
}

__attribute__((constructor)) static void choose_mutant(void) {
  const char *const number = getenv("RELAYOUT_MUTANT");
  const char *const reached = getenv("RELAYOUT_MUTANTS_REACHED");
  if (number != NULL) {
    rlt_mutant = atoi(number);
  }
  if (reached != NULL) {
    map_reached(reached);
  }
}
