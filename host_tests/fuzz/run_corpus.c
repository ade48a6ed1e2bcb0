/* run_corpus.c: feeds every file of a directory to a fuzz target, for builds without a fuzzer. */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "fuzz_target.h"

enum { PATH_SIZE = 4096 };

/* The input is in a block of just its size, so that a sanitizer sees a read beyond it. */
static bool run_file(const char *path, size_t size) {
  FILE *const file = fopen(path, "rb");
  uint8_t *const data = malloc(size > 0 ? size : 1);
  const bool was_read = file != NULL && data != NULL && fread(data, 1, size, file) == size;
  if (was_read) {
    LLVMFuzzerTestOneInput(data, size);
  } else {
    perror(path);
  }
  free(data);
  if (file != NULL) {
    fclose(file);
  }
  return was_read;
}

int main(int argc, char **argv) {
  DIR *const directory = argc == 2 ? opendir(argv[1]) : NULL;
  if (directory == NULL) {
    fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
    return EXIT_FAILURE;
  }
  int count = 0;
  bool ok = true;
  for (const struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
    char path[PATH_SIZE];
    struct stat status;
    snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
      printf("%s\n", entry->d_name); /* the last one named is the one that failed */
      fflush(stdout);
      ok = run_file(path, (size_t)status.st_size) && ok;
      ++count;
    }
  }
  closedir(directory);
  if (count == 0) {
    fprintf(stderr, "%s holds no inputs\n", argv[1]);
  }
  return ok && count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
